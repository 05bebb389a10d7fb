//! What contact surfaces keep, where they come to lie, and what they leave.

use std::sync::Arc;

use super::balance::Pressures;
use super::triangles::Touch;
use super::{Changes, ContactSurface, Corrections, Form, SurfaceSettings};
use crate::body::pins::Pins;
use crate::body::soft::{BodyStarts, Masses, State};
use crate::body::{Bodies, Mesh};
use crate::depth::DepthSettings;
use crate::force::elastic::{Corotational, Elastic, ElasticSettings, Law, NeoHookean};
use crate::force::gravity::Gravity;
use crate::force::solid::{Hold, Solid, SolidSettings};
use crate::id::{BodyId, VertexId};
use crate::integrate::contact::InContact;
use crate::integrate::implicit::{Implicit, ImplicitSettings};
use crate::integrate::{Integrator, System};
use crate::math::{Quat, Vec3};
use crate::mesh::generate::ball::ball;
use crate::mesh::generate::cuboid::cuboid;
use crate::mesh::generate::lattice::Cut;
use crate::mesh::normals::Normals;
use crate::mesh::raw::RawMesh;
use crate::mesh::tet::TetMesh;
use crate::record::overlap::Measure;
use crate::respond::demands::Demands;
use crate::respond::{Moment, Response};

const DT: f64 = 1.0 / 60.0;
/// Sums of some hundred terms, relative to the sum of their sizes.
const KEPT: f64 = 1e-10;

fn block(cells: [u32; 3], size: Vec3) -> TetMesh {
    TetMesh::from_raw(cuboid(cells, size, Cut::Five).unwrap()).unwrap().0
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
        let counts = meshes.iter().map(|(mesh, ..)| mesh.positions().len());
        let starts = BodyStarts::from_counts(counts);
        let system = System { masses, bodies: starts, ..System::default() };
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

    fn demands(&self, response: &mut ContactSurface) -> Demands {
        let System { masses, pins, watcher, forces, .. } = &self.system;
        let motion = self.state.motion();
        let moment = Moment { bodies: &self.bodies, motion, masses, pins, dt: DT, watcher };
        let mut demands = Demands::default();
        response.after_under(moment, forces, &mut demands);
        demands
    }

    fn stepper(&self, settings: SurfaceSettings) -> InContact {
        let inner = Box::new(Implicit::new(ImplicitSettings::default()));
        let response = Box::new(self.response(settings));
        InContact::new(inner, self.bodies.clone(), vec![response])
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

    fn carry_out(&mut self, demands: &Demands) {
        for (vertex, shift) in &demands.shifts {
            self.state.positions[vertex.index()] += *shift;
        }
        for (vertex, impulse) in &demands.impulses {
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

/// A block on a wider one, 0.02 m deep in it, with these numbers of cells along 1 m.
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

/// Pressures on both sides of every displacement vertex that has them, nothing displaced.
fn pressures(scene: &Scene, corrections: Corrections) -> Vec<Pressures> {
    let mut response = scene.response(flat(corrections));
    let positions = &scene.state.positions;
    let ContactSurface { settings, touches, region, balance, .. } = &mut response;
    touches.find((positions, &scene.bodies), settings.depth, corrections);
    region.find((positions, &scene.bodies), touches.list(), &scene.system.pins, corrections);
    balance.weigh_at(scene.state.motion(), &scene.system.forces);
    let around = (touches.list(), &*region);
    let of = |(place, displaced)| balance.pressures(displaced, place, around, corrections);
    region.list().iter().enumerate().filter_map(of).collect()
}

#[test]
fn equal_stress_is_equal_pressure_at_any_density() {
    for (upper, lower) in [(4, 4), (3, 6), (2, 6), (6, 3)] {
        let mut scene = stacked(upper, lower).soft();
        // All squeezed alike from all sides: the same pressure everywhere.
        scene.state.positions.iter_mut().for_each(|x| *x *= 0.95);
        let ratios = |corrections| {
            let found = pressures(&scene, corrections);
            let mut list: Vec<_> = found.iter().map(|p| p.theirs / p.mine).collect();
            list.sort_by(f64::total_cmp);
            list
        };
        let found = ratios(Corrections::default());
        assert!(found.len() > 10, "{}", found.len());
        assert!(found.iter().all(|ratio| (ratio - 1.0).abs() < KEPT), "{found:?}");
        let printed = ratios(Corrections { areas: Form::Printed, ..Corrections::default() });
        assert!(printed.iter().any(|ratio| (ratio - 1.0).abs() > 0.3), "{printed:?}");
    }
}

/// Mean fraction that each of two stacked blocks gives way by.
fn fractions(scene: &Scene, settings: SurfaceSettings) -> [f64; 2] {
    let mut response = scene.response(settings);
    scene.demands(&mut response);
    [0, 1].map(|body| {
        let both = response.region.list().iter().zip(response.balance.fractions());
        let own = both.filter(|(d, _)| scene.bodies.body_of(d.vertex) == BodyId(body));
        let own: Vec<f64> = own.map(|(_, fraction)| *fraction).collect();
        own.iter().sum::<f64>() / own.len() as f64
    })
}

#[test]
fn the_softer_side_gives_way_whatever_the_material() {
    let settings = flat(Corrections::default());
    let materials: [fn(Scene, &[f64]) -> Scene; 3] = [
        |scene, young| scene.elastic::<Corotational>(young),
        |scene, young| scene.elastic::<NeoHookean>(young),
        |mut scene, young| {
            for body in scene.bodies.ids() {
                let hold = Hold { stiffness: 1e-3 * young[body.index()], damping: 0.0 };
                let settings =
                    SolidSettings { distance: hold, volume: hold, ..SolidSettings::default() };
                let tets = &scene.bodies.tets()[scene.bodies.tets_of(body)];
                Solid::new(&scene.rest, tets, &[], settings)
                    .unwrap()
                    .push_to(&mut scene.system.forces);
            }
            scene
        },
    ];
    for material in materials {
        let [even, even_too] = fractions(&material(stacked(4, 4), &[3e4, 3e4]), settings);
        let [soft, stiff] = fractions(&material(stacked(4, 4), &[1e4, 9e4]), settings);
        let [stiff_too, soft_too] = fractions(&material(stacked(4, 4), &[9e4, 1e4]), settings);
        assert!(soft > even && even > stiff && soft - stiff > 0.4, "{soft} {even} {stiff}");
        assert!(soft_too > even_too && even_too > stiff_too, "{soft_too} {stiff_too}");
    }
}

#[test]
fn printed_steps_miss_the_ends() {
    // A block on one that is held: it must go all the way.
    let mut scene = stacked(4, 4).soft();
    let lower: Vec<_> = scene.bodies.vertices(BodyId(1)).map(|v| VertexId(v as u32)).collect();
    scene.system.pins = Pins::still(lower, &scene.state.positions);
    let reached = |steps| {
        let settings = flat(Corrections { steps, ..Corrections::default() });
        let mut response = scene.response(settings);
        let demands = scene.demands(&mut response);
        let upper = scene.bodies.vertices(BodyId(0));
        assert!(demands.shifts.iter().all(|(v, _)| upper.contains(&v.index())));
        assert!(demands.impulses.iter().all(|(v, _)| upper.contains(&v.index())));
        assert!(!demands.shifts.is_empty());
        fractions(&scene, settings)[0]
    };
    // 1/2 + 1/4 + 1/8 + 1/16, and 1/2 + 1/8 + 1/16 + 1/32.
    assert_eq!((reached(Form::Corrected), reached(Form::Printed)), (0.9375, 0.71875));
}

/// What is left after a number of iterations, for a block on one that is stiffer.
///
/// The longest way from where 24 iterations lead, relative to the overlap; the difference of
/// pressures in the mean over the region, and of the forces of both sides in sum, relative.
fn left(iterations: u32) -> [f64; 3] {
    let scene = stacked(4, 4).elastic::<Corotational>(&[1e4, 3e4]);
    let settings = |iterations| SurfaceSettings { iterations, ..flat(Corrections::default()) };
    let mut limit = scene.response(settings(24));
    scene.demands(&mut limit);
    let mut response = scene.response(settings(iterations));
    scene.demands(&mut response);
    let ways = response.balance.ways().iter().zip(limit.balance.ways());
    let apart = ways.map(|(a, b)| a.distance(*b) / 0.02).fold(0.0, f64::max);
    let ContactSurface { touches, region, balance, .. } = &mut response;
    balance.weigh_here(&scene.system.forces);
    let (mut difference, mut sum, mut sides) = (0.0, 0.0, [0.0; 2]);
    for (place, displaced) in region.list().iter().enumerate() {
        let around = (touches.list(), &*region);
        let found = balance.pressures(displaced, place, around, Corrections::default());
        let Some(Pressures { mine, theirs }) = found else { continue };
        difference += (mine - theirs).abs();
        sum += mine.abs().max(theirs.abs());
        let body = scene.bodies.body_of(displaced.vertex).index();
        sides[body] += mine * region.area(displaced.vertex).z;
    }
    let net = (sides[0] + sides[1]).abs() / sides[0].abs().max(sides[1].abs());
    [apart, difference / sum, net]
}

#[test]
fn four_iterations_place_the_surface_and_none_balance_each_vertex() {
    let all: Vec<_> = (1..=10).map(left).collect();
    for (k, [apart, ..]) in all.iter().enumerate() {
        // Ways at the rim are up to a tenth longer than the overlap.
        assert!(*apart < 1.1 * 0.5_f64.powi(k as i32 + 1), "{apart}");
    }
    let [[_, first, net], [_, fourth, fourth_net], [_, tenth, tenth_net]] =
        [all[0], all[3], all[9]];
    // Four iterations take most of what ten can; the rest stays, as every vertex searches by itself.
    assert!(first > 0.8 && fourth < 0.4 && tenth > 0.25, "{all:?}");
    assert!(net > 0.6 && fourth_net < 0.3 && tenth_net > 0.15, "{all:?}");
}

#[test]
fn nothing_jumps_when_a_tip_passes_from_one_triangle_to_the_next() {
    // A tet stands with its tip 0.05 m in the top of a block and passes its diagonal.
    let corners = [[0.0, 0.0, 1.0], [0.4, 0.0, 1.0], [0.0, 0.4, 1.0], [0.1, 0.1, 0.0]];
    let tets = vec![[0, 2, 1, 3].map(VertexId)];
    let positions = corners.map(Vec3::from).to_vec();
    let raw = RawMesh { positions, tets, regions: vec![0], ..RawMesh::default() };
    let (tet, base) = (TetMesh::from_raw(raw).unwrap().0, block([1, 1, 1], Vec3::ONE));
    let settings = flat(Corrections::default());
    let at = |along: f64| {
        let place = Vec3::new(0.8 * along - 0.5, 0.3 * along - 0.4, 0.45);
        let meshes = [(tet.clone(), place), (base.clone(), Vec3::ZERO)];
        let scene = Scene::new(&meshes.map(|(mesh, at)| (mesh, Quat::IDENTITY, at))).soft();
        let mut response = scene.response(settings);
        let demands = scene.demands(&mut response);
        let mut ways = vec![Vec3::ZERO; scene.rest.len()];
        demands.shifts.iter().for_each(|(v, way)| ways[v.index()] = *way);
        (response.touches.list()[0].corners, ways)
    };
    let (mut before, mut after) = (0.0, 1.0);
    let first = at(before).0;
    assert_ne!(first, at(after).0);
    while after - before > 1e-10 {
        let middle = 0.5 * (before + after);
        if at(middle).0 == first { before = middle } else { after = middle }
    }
    let ((_, one), (_, other)) = (at(before), at(after));
    assert!(one.iter().filter(|way| way.length() > 1e-3).count() >= 3, "{one:?}");
    for (a, b) in one.iter().zip(&other) {
        assert!(a.abs_diff_eq(*b, 1e-9), "{a} {b}");
    }
}

#[test]
fn weight_presses_nobody() {
    let mut scene = stacked(4, 4).soft();
    let expected = scene.demands(&mut scene.response(SurfaceSettings::default())).shifts;
    let down = Gravity::new(-9.81 * Vec3::Z, scene.system.masses.of());
    scene.system.forces.push(down);
    let found = scene.demands(&mut scene.response(SurfaceSettings::default())).shifts;
    assert_eq!(found, expected);
}

#[test]
fn momentum_survives_and_without_friction_nothing_is_turned() {
    for order in [[0, 1, 2], [2, 0, 1]] {
        let scene = balls(order);
        for (friction, turns) in [(0.0, false), (0.5, true)] {
            let settings = SurfaceSettings { friction, ..SurfaceSettings::default() };
            let demands = scene.demands(&mut scene.response(settings));
            let size: f64 = demands.impulses.iter().map(|(_, push)| push.length()).sum();
            let sum: Vec3 = demands.impulses.iter().map(|(_, push)| *push).sum();
            let at = |v: &VertexId| scene.state.positions[v.index()];
            let torque: Vec3 = demands.impulses.iter().map(|(v, push)| at(v).cross(*push)).sum();
            assert!(size > 1.0 && sum.length() < KEPT * size, "{sum}");
            assert_eq!(torque.length() > KEPT * size, turns, "{torque} of {size}");
        }
    }
}

#[test]
fn shifts_report_what_they_change() {
    let mut scene = balls([0, 1, 2]);
    let masses = scene.system.masses.clone();
    let mut response = scene.response(SurfaceSettings::default());
    let demands = scene.demands(&mut response);
    let measure = |scene: &Scene| {
        let state = &scene.state;
        let spin = state.angular_momentum(&masses, Vec3::ZERO);
        (state.centre(&masses), spin, scene.system.forces.energy(state.motion()))
    };
    let before = measure(&scene);
    scene.carry_out(&Demands { shifts: demands.shifts.clone(), ..Demands::default() });
    let after = measure(&scene);
    let Changes { vertices, longest, centre, angular_momentum, energy } = response.changes();
    assert!((after.0 - before.0).abs_diff_eq(centre, 1e-12), "{centre}");
    assert!((after.1 - before.1).abs_diff_eq(angular_momentum, 1e-9), "{angular_momentum}");
    assert!((after.2 - before.2 - energy).abs() < 1e-9 * energy, "{energy}");
    assert!(energy > 0.0 && vertices == demands.shifts.len());
    assert_eq!(demands.met.shift, longest);
}

#[test]
fn surfaces_that_meet_go_on_together() {
    let mut scene = stacked(4, 4).soft();
    let upper = scene.bodies.vertices(BodyId(0));
    scene.state.velocities[upper].fill(-Vec3::Z);
    let approach = |scene: &Scene, touches: &[Touch]| {
        let of = |v: VertexId| scene.state.velocities[v.index()];
        let each = touches.iter().map(|touch| {
            let surface = touch.corners.into_iter().zip(touch.weights);
            let surface: Vec3 = surface.map(|(v, w)| w * of(v)).sum();
            -(of(touch.vertex) - surface).dot(touch.way.try_normalize().unwrap())
        });
        each.fold(f64::NEG_INFINITY, f64::max)
    };
    let mut response = scene.response(flat(Corrections::default()));
    let demands = scene.demands(&mut response);
    assert!(approach(&scene, response.touches.list()) > 0.99);
    scene.carry_out(&demands);
    let left = approach(&scene, response.touches.list());
    assert!(left < 0.01, "{left}");
}

#[test]
fn friction_stays_in_its_cone_for_each_vertex_and_slows() {
    let mut scene = stacked(4, 2).soft();
    let upper = scene.bodies.vertices(BodyId(0));
    scene.state.velocities[upper].fill(Vec3::new(3.0, 0.0, -1.0));
    let ratio = |friction: f64| {
        let settings = SurfaceSettings { friction, ..flat(Corrections::default()) };
        let demands = scene.demands(&mut scene.response(settings));
        let upper = scene.bodies.vertices(BodyId(0));
        let on: Vec3 = demands
            .impulses
            .iter()
            .filter(|(v, _)| upper.contains(&v.index()))
            .map(|(_, j)| *j)
            .sum();
        assert!(on.z > 0.0, "{on}");
        -on.x / on.z
    };
    assert!((ratio(0.2) - 0.2).abs() < 0.02, "{}", ratio(0.2));
    assert!(ratio(0.0).abs() < 0.02, "{}", ratio(0.0));
}

#[test]
fn inner_vertices_stay() {
    let mut scene = stacked(4, 4).soft();
    let upper = scene.bodies.vertices(BodyId(0));
    // Deep enough that the second layer of vertices is inside too.
    scene.state.positions[upper].iter_mut().for_each(|x| x.z -= 0.6);
    let inner = |inner| {
        let settings = flat(Corrections { inner, ..Corrections::default() });
        let demands = scene.demands(&mut scene.response(settings));
        let around = scene.bodies.triangles_around();
        assert!(demands.shifts.len() > 10);
        demands.shifts.iter().filter(|(v, _)| around.row(v.index()).is_empty()).count()
    };
    assert_eq!(inner(Form::Corrected), 0);
    assert!(inner(Form::Printed) > 0);
}

#[test]
fn the_printed_sign_does_not_take_overlap_out() {
    let left = |corrections| {
        let mut scene = stacked(4, 4).soft();
        let demands = scene.demands(&mut scene.response(flat(corrections)));
        scene.carry_out(&demands);
        scene.deepest()
    };
    let corrected = left(Corrections::default());
    let sign = left(Corrections { sign: Form::Printed, ..Corrections::default() });
    assert!(corrected < 0.01 && sign > 0.015, "{corrected} {sign}");
}

#[test]
fn results_do_not_depend_on_threads_or_on_what_came_before() {
    let scene = balls([0, 1, 2]);
    let mut fresh = scene.response(SurfaceSettings::default());
    let expected = scene.demands(&mut fresh);
    let mut used = scene.response(SurfaceSettings::default());
    used.set_threads(3);
    balls([0, 1, 2]).demands(&mut used);
    let found = scene.demands(&mut used);
    assert!(!expected.shifts.is_empty());
    assert_eq!((expected.shifts, expected.impulses), (found.shifts, found.impulses));
}

#[test]
fn the_order_of_bodies_does_not_matter() {
    let orders = [[0, 1, 2], [2, 0, 1], [1, 2, 0]];
    let all = orders.map(|order| {
        let scene = balls(order);
        let demands = scene.demands(&mut scene.response(SurfaceSettings::default()));
        let count = scene.rest.len() / 3;
        // Numbered as in the first order.
        let number = |v: VertexId| order[v.index() / count] * count + v.index() % count;
        let mut ways = vec![[Vec3::ZERO; 2]; scene.rest.len()];
        demands.shifts.iter().for_each(|(v, way)| ways[number(*v)][0] += *way);
        demands.impulses.iter().for_each(|(v, push)| ways[number(*v)][1] += *push);
        ways
    });
    for other in &all[1..] {
        for (a, b) in all[0].iter().zip(other) {
            assert!(a[0].abs_diff_eq(b[0], 1e-12) && a[1].abs_diff_eq(b[1], 1e-9), "{a:?} {b:?}");
        }
    }
}

#[test]
fn single_tets_and_coincident_bodies_stay_finite() {
    let tet: &[_] = &[[0, 2, 1, 3].map(VertexId)];
    let lower = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, -3.0]];
    let upper = [[0.0, 0.0, 2.0], [0.0, 3.0, 2.0], [3.0, 0.0, 2.0], [0.75, 0.75, -0.25]];
    let all = [Corrections::default(), Corrections::PRINTED];
    for (second, moves) in [(upper, true), (lower, false)] {
        let positions: Vec<_> = lower.iter().chain(&second).map(|p| Vec3::from(*p)).collect();
        let bodies = Bodies::from_tets(&[(4, tet), (4, tet)]).unwrap();
        for corrections in all {
            let mut response = ContactSurface::new(&positions, &bodies, flat(corrections)).unwrap();
            let state = State::at_rest(positions.clone());
            let masses = Masses::new(vec![1.0; 8]).unwrap();
            let (motion, pins, watcher) = (state.motion(), &Pins::default(), &None);
            let moment = Moment { bodies: &bodies, motion, masses: &masses, pins, dt: DT, watcher };
            let mut demands = Demands::default();
            response.after(moment, &mut demands);
            assert!(demands.shifts.iter().chain(&demands.impulses).all(|(_, way)| way.is_finite()));
            assert_eq!(!demands.shifts.is_empty(), moves, "{demands:?}");
        }
    }
    // Blocks at the same place: every vertex on the other's surface.
    let mesh = block([2; 3], Vec3::ONE);
    let mut scene = Scene::new(&[
        (mesh.clone(), Quat::IDENTITY, Vec3::ZERO),
        (mesh, Quat::IDENTITY, Vec3::ZERO),
    ])
    .soft();
    let mut stepper = scene.stepper(SurfaceSettings::default());
    for _ in 0..5 {
        stepper.step(&mut scene.system, &mut scene.state, DT).unwrap();
    }
    assert!(scene.state.positions.iter().all(|x| x.is_finite()));
}

/// Frames until two cubes at rest that overlap are free, and their relative speed, m/s, then.
fn freed(overlap: f64, corrections: Corrections) -> (Option<u32>, f64) {
    let mesh = block([5; 3], Vec3::ONE);
    let turn = Quat::from_rotation_z(0.07) * Quat::from_rotation_y(-0.05);
    let at = Vec3::new(1.0 - overlap, 0.04, -0.06);
    let mut scene =
        Scene::new(&[(mesh.clone(), Quat::IDENTITY, Vec3::ZERO), (mesh, turn, at)]).soft();
    let settings = SurfaceSettings { corrections, ..SurfaceSettings::default() };
    let mut stepper = scene.stepper(settings);
    for frame in 1..=20 {
        stepper.step(&mut scene.system, &mut scene.state, DT).unwrap();
        let momentum = scene.state.momentum(&scene.system.masses);
        assert!(momentum.length() < KEPT, "{momentum}");
        if scene.inside() == 0 {
            return (Some(frame), scene.parting());
        }
    }
    (None, scene.parting())
}

#[test]
fn two_cubes_come_free_and_leave_with_what_the_shifts_stored() {
    // Shifts strain the cubes, which give it back as speed: more from deeper.
    let (frames, speed) = freed(0.1, Corrections::default());
    assert!(frames.is_some_and(|frames| frames <= 12), "{frames:?}");
    assert!((0.5..1.2).contains(&speed), "{speed}");
    let (frames, faster) = freed(0.3, Corrections::default());
    assert!(frames.is_some_and(|frames| frames <= 15) && faster > 2.0 * speed, "{frames:?}");
    assert_eq!(freed(0.1, Corrections::PRINTED).0, None);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let scene = stacked(1, 1);
    let message = |settings| {
        ContactSurface::new(&scene.rest, &scene.bodies, settings).unwrap_err().to_string()
    };
    let sound = SurfaceSettings::default();
    let wanted = "the number of iterations of a contact surface is 0: it must be 1 to 52";
    assert_eq!(message(SurfaceSettings { iterations: 0, ..sound }), wanted);
    assert!(message(SurfaceSettings { friction: f64::NAN, ..sound }).contains("friction"));
    let depth = DepthSettings { exponent: -1.0, ..sound.depth };
    assert!(message(SurfaceSettings { depth, ..sound }).contains("exponent"));
}
