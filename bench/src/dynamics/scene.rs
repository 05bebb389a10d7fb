//! The scenes: cloths of springs and blocks of tets, the same for every side.

use std::error::Error;
use std::f64::consts::PI;
use std::sync::Arc;

use pliant::body::soft::Masses;
use pliant::force::Forces;
use pliant::force::elastic::{Corotational, Elastic, ElasticSettings, NeoHookean};
use pliant::force::solid::{Hold, Solid, SolidSettings};
use pliant::force::spring::{Spring, SpringLaw, Springs};
use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::topology;
use pliant::prelude::{BodyMesh, SoftMaterial, SurfaceRule, World, WorldError};
use pliant::world::{BodyMaterial, BodyModel, BodyModelKind, MaterialBody, Pinning};

/// Acceleration of gravity, m/s².
pub const GRAVITY: f64 = 9.81;

/// Distance of neighbours in a cloth, m.
const SPACING: f64 = 0.05;
/// Mass of a cloth's vertex, kg.
const VERTEX_MASS: f64 = 0.01;
/// Angle of a cloth to the vertical at the start, rad.
const TILT: f64 = PI / 6.0;
/// Ratio of each spring's damping to the critical one of its two masses.
pub const DAMPING_RATIO: f64 = 1.0;

/// Young's modulus of blocks, Pa.
const YOUNG: f64 = 1e6;
/// Poisson's ratio of blocks.
const POISSON: f64 = 0.3;
/// Density of blocks, kg/m³.
const DENSITY: f64 = 1000.0;
/// Stress of a strain rate over that of a strain in blocks, s.
const RETARDATION: f64 = 1e-3;
/// Size of blocks, m; pinned at x = 0.
const BLOCK: Vec3 = Vec3::new(1.0, 0.25, 0.25);

/// Material and elements of a scene.
#[derive(Clone, Debug)]
pub enum Matter {
    /// Springs on a square grid, and the frequency that each has with its two masses, Hz.
    Cloth(Vec<Spring>, f64),
    /// Tets that preserve distances, areas and volumes.
    Solid(Vec<[VertexId; 4]>),
    /// Corotational linear tets.
    Corotational(Vec<[VertexId; 4]>),
    /// Stable Neo-Hookean tets.
    NeoHookean(Vec<[VertexId; 4]>),
}

/// One body and its pins.
pub struct Scene {
    /// Where it starts, at rest, world space, m.
    pub start: Vec<Vec3>,
    /// Of each vertex, kg.
    pub masses: Vec<f64>,
    /// Pinned vertices, ascending.
    pub held: Vec<VertexId>,
    /// Springs or tets.
    pub matter: Matter,
}

impl Scene {
    /// Number of springs or tets.
    pub fn element_count(&self) -> usize {
        match &self.matter {
            Matter::Cloth(springs, _) => springs.len(),
            Matter::Solid(tets) | Matter::Corotational(tets) | Matter::NeoHookean(tets) => {
                tets.len()
            }
        }
    }

    /// A world with the scene at its start, assembled; its points meet nothing.
    pub fn world(&self) -> Result<World, WorldError> {
        let mut world = World::new();
        world.set_gravity(-GRAVITY * Vec3::Z)?;
        let held = self.held.iter().map(|vertex| (*vertex, self.start[vertex.index()]));
        world.add(BodyModel {
            mesh: Arc::new(BodyMesh::Particles(self.start.clone())),
            rest: Arc::new(self.start.clone()),
            kind: BodyModelKind::Soft(SoftMaterial::Custom(Arc::new(self.matter.clone()))),
            start: self.start.clone(),
            velocities: vec![Vec3::ZERO; self.start.len()],
            masses: self.masses.clone(),
            pins: vec![Pinning { vertices: held.collect(), path: None }],
            surface: SurfaceRule::default(),
            contact_mesh: None,
        })?;
        world.assemble()?;
        Ok(world)
    }
}

impl BodyMaterial for Matter {
    /// Of the one body of a scene, whose vertices are all there are.
    fn push_forces(
        &self,
        bodies: &[MaterialBody<'_>],
        forces: &mut Forces,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let elastic = |_| ElasticSettings { young: YOUNG, poisson: POISSON, damping: RETARDATION };
        let start = bodies.first().map_or(&[][..], |body| body.rest);
        match self {
            Matter::Cloth(springs, _) => {
                forces.push(Springs::new(start.len(), SpringLaw::Absolute, springs.clone())?);
            }
            Matter::Solid(tets) => {
                let surface = topology::boundary(start.len(), tets).triangles;
                Solid::new(start, tets, &surface, solid_settings(tets.len()))?.push_to(forces);
            }
            Matter::Corotational(tets) => {
                forces.push(Elastic::<Corotational>::new(start, tets, elastic)?);
            }
            Matter::NeoHookean(tets) => {
                forces.push(Elastic::<NeoHookean>::new(start, tets, elastic)?);
            }
        }
        Ok(())
    }
}

/// A square cloth pinned along one edge, tilted, flat and at rest.
///
/// Neighbours along rows, columns and diagonals are joined, and next neighbours along rows
/// and columns. Each spring has the given frequency, Hz, with its two masses, a pinned one
/// counting as infinite.
pub fn cloth(side: u32, frequency: f64) -> Scene {
    let down = SPACING * Vec3::new(libm::sin(TILT), 0.0, -libm::cos(TILT));
    let place = |k: u32| f64::from(k % side) * SPACING * Vec3::Y + f64::from(k / side) * down;
    let start: Vec<Vec3> = (0..side * side).map(place).collect();
    let mut springs = Vec::new();
    for k in 0..side * side {
        let (column, row) = (k % side, k / side);
        // To the right, down, along both diagonals, two to the right, two down.
        let steps: [(i64, u32); 6] = [(1, 0), (0, 1), (1, 1), (-1, 1), (2, 0), (0, 2)];
        for (right, below) in steps {
            let to = i64::from(column) + right;
            if (0..i64::from(side)).contains(&to) && row + below < side {
                let ends = [VertexId(k), VertexId(to as u32 + side * (row + below))];
                springs.push(tuned(ends, &start, side, frequency));
            }
        }
    }
    let masses = vec![VERTEX_MASS; start.len()];
    let held = (0..side).map(VertexId).collect();
    Scene { start, masses, held, matter: Matter::Cloth(springs, frequency) }
}

/// A spring with the given frequency, Hz, and [`DAMPING_RATIO`].
fn tuned(ends: [VertexId; 2], start: &[Vec3], held: u32, frequency: f64) -> Spring {
    let free = ends.iter().filter(|end| end.0 >= held).count().max(1);
    let (mass, turning) = (VERTEX_MASS / free as f64, 2.0 * PI * frequency);
    Spring {
        ends,
        stiffness: mass * turning * turning,
        damping: 2.0 * DAMPING_RATIO * mass * turning,
        rest_length: start[ends[0].index()].distance(start[ends[1].index()]),
    }
}

/// Makes matter of tets.
pub type OfTets = fn(Vec<[VertexId; 4]>) -> Matter;

/// A block pinned at one end, of 4 by 1 by 1 times `cells` cells with five tets each.
pub fn block(of_tets: OfTets, cells: u32) -> Result<Scene, String> {
    let mesh = cuboid([4 * cells, cells, cells], BLOCK, TetSplit::Five);
    let mesh = mesh.map_err(|error| error.to_string())?;
    let masses = Masses::of_tets(&mesh.positions, &mesh.tets, |_| DENSITY);
    let masses = masses.map_err(|error| error.to_string())?.of().to_vec();
    let at_end = |(_, position): &(usize, &Vec3)| position.x == 0.0;
    let held = mesh.positions.iter().enumerate().filter(at_end);
    let held = held.map(|(k, _)| VertexId(k as u32)).collect();
    Ok(Scene { start: mesh.positions, masses, held, matter: of_tets(mesh.tets) })
}

/// About as stiff as the elastic blocks: energies of a tet's mean volume.
fn solid_settings(tet_count: usize) -> SolidSettings {
    let energy = YOUNG * BLOCK.x * BLOCK.y * BLOCK.z / tet_count as f64;
    let hold = |part: f64| Hold { stiffness: part * energy, damping: RETARDATION * part * energy };
    SolidSettings {
        distance: hold(0.5),
        area: hold(0.1),
        volume: hold(1.0),
        ..SolidSettings::default()
    }
}
