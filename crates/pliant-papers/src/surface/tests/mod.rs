//! Scenes to try contact surfaces on.

mod place;

mod kept;

mod halfway;

use std::sync::Arc;

use super::{ContactSurface, Corrections, SurfaceSettings};
use pliant::body::soft::{Masses, State};
use pliant::body::{Bodies, Mesh};
use pliant::contact::output::ContactOutput;
use pliant::contact::response::{Response, StepContext};
use pliant::depth::DepthSettings;
use pliant::force::elastic::{Corotational, Elastic, ElasticSettings, Law};
use pliant::id::BodyId;
use pliant::integrate::System;
use pliant::integrate::implicit::{Implicit, ImplicitSettings};
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::ball::ball;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::normals::Normals;
use pliant::mesh::tet::TetMesh;
use pliant::record::overlap::Measure;
use pliant::step::Stepper;

const DT: f64 = 1.0 / 60.0;
/// Sums of some hundred terms, relative to the sum of their sizes.
const KEPT: f64 = 1e-10;

fn block(cells: [u32; 3], size: Vec3) -> TetMesh {
    TetMesh::from_raw(cuboid(cells, size, TetSplit::Five).unwrap()).unwrap().0
}

/// Bodies of 100 kg/m³.
struct Scene {
    bodies: Arc<Bodies>,
    rest: Vec<Vec3>,
    state: State,
    system: System,
}

impl Scene {
    fn new(meshes: &[(TetMesh, Quat, Vec3)]) -> Scene {
        let list: Vec<_> = meshes.iter().map(|(mesh, ..)| Mesh::Tets(mesh)).collect();
        let bodies = Arc::new(Bodies::from_meshes(&list).unwrap());
        let rest: Vec<Vec3> =
            meshes.iter().flat_map(|(mesh, ..)| mesh.positions().iter().copied()).collect();
        let placed = meshes.iter().flat_map(|(mesh, turn, shift)| {
            mesh.positions().iter().map(move |p| *turn * *p + *shift)
        });
        let masses = Masses::of_tets(&rest, bodies.tets(), |_| 100.0).unwrap();
        let system = System { masses, bodies: bodies.clone(), ..System::default() };
        Scene { state: State::at_rest(placed.collect()), bodies, rest, system }
    }

    /// With elastic tets of one law; Young's modulus of each body, Pa.
    fn elastic<L: Law + 'static>(mut self, young: &[f64]) -> Scene {
        let bodies = self.bodies.clone();
        let of = |tet: usize| {
            let body = bodies.ids().find(|body| bodies.tets_of(*body).contains(&tet)).unwrap();
            ElasticSettings { young: young[body.index()], poisson: 0.3, damping: 0.0 }
        };
        let elastic = Elastic::<L>::new(&self.rest, bodies.tets(), of);
        self.system.forces.push(elastic.unwrap());
        self
    }

    fn soft(self) -> Scene {
        let young = vec![3e4; self.bodies.len()];
        self.elastic::<Corotational>(&young)
    }

    fn response(&self, settings: SurfaceSettings) -> ContactSurface {
        ContactSurface::new(&self.rest, &self.bodies, settings).unwrap()
    }

    fn output(&self, response: &mut ContactSurface) -> ContactOutput {
        let System { masses, pins, rigids, profiler, forces, .. } = &self.system;
        let (bodies, motion) = (&self.bodies, self.state.motion());
        let context = StepContext {
            bodies,
            motion,
            masses,
            pins,
            rigids,
            rigid_states: &[],
            dt: DT,
            profiler,
        };
        let mut output = ContactOutput::default();
        response.post_step_with_forces(context, forces, &mut output);
        output
    }

    fn stepper(&self, settings: SurfaceSettings) -> Stepper {
        let inner = Box::new(Implicit::new(ImplicitSettings::default()));
        let response = Box::new(self.response(settings));
        Stepper::new(inner).with_responses(vec![response])
    }

    fn inside(&self) -> usize {
        let Scene { state, bodies, .. } = self;
        Measure::new(&state.positions, bodies)
            .measure(&state.positions, bodies)
            .penetrating_vertices
    }

    fn deepest(&self) -> f64 {
        let Scene { state, bodies, .. } = self;
        Measure::new(&state.positions, bodies).measure(&state.positions, bodies).max_depth
    }

    /// Relative speed of the first two bodies, m/s.
    fn parting(&self) -> f64 {
        let of = |body: u32| {
            let own = self.bodies.vertices(BodyId(body));
            let masses = &self.system.masses.of()[own.clone()];
            let moving = self.state.velocities[own].iter().zip(masses);
            moving.map(|(v, m)| *m * *v).sum::<Vec3>() / masses.iter().sum::<f64>()
        };
        (of(0) - of(1)).length()
    }

    fn apply_output(&mut self, output: &ContactOutput) {
        for (vertex, shift) in &output.shifts {
            self.state.positions[vertex.index()] += *shift;
        }
        for (vertex, impulse) in &output.impulses {
            let mass = self.system.masses.of()[vertex.index()];
            self.state.velocities[vertex.index()] += *impulse / mass;
        }
    }
}

/// Face normals, so that flat layers have straight ways out.
fn flat(corrections: Corrections) -> SurfaceSettings {
    let settings = SurfaceSettings::default();
    let depth = DepthSettings { normals: Normals::Face, ..settings.depth };
    SurfaceSettings { depth, corrections, ..settings }
}

/// A block of 1 m on another, 0.02 m deep in it, with these numbers of cells along each.
fn stacked(upper: u32, lower: u32) -> Scene {
    let one = |cells: u32| block([cells, cells, 2], Vec3::ONE);
    let at = Vec3::new(0.013, 0.021, 0.98);
    Scene::new(&[(one(upper), Quat::IDENTITY, at), (one(lower), Quat::IDENTITY, Vec3::ZERO)])
}

/// Three balls that overlap each other, in this order, turning and closing in.
fn balls(order: [usize; 3]) -> Scene {
    let mesh = TetMesh::from_raw(ball(1.0, 2).unwrap()).unwrap().0;
    let turn = |k: f64| Quat::from_rotation_x(k) * Quat::from_rotation_z(1.3 * k);
    let places = [Vec3::ZERO, Vec3::new(1.35, 0.1, 0.05), Vec3::new(0.6, 1.3, 0.2)];
    let place = |k: usize| (mesh.clone(), turn(k as f64), places[k]);
    let mut scene = Scene::new(&order.map(place)).soft();
    let (spin, middle) = (Vec3::new(0.3, -0.5, 1.1), Vec3::new(0.65, 0.5, 0.1));
    for (body, k) in scene.bodies.ids().zip(order) {
        for v in scene.bodies.vertices(body) {
            let turning = spin.cross(scene.state.positions[v]);
            scene.state.velocities[v] = turning + 2.0 * (middle - places[k]);
        }
    }
    scene
}
