//! Rigid and kinematic bodies, as they are described to a world.

use std::sync::Arc;

use crate::body::keyframes::Pose;
use crate::body::rigid::all::balanced_masses;
use crate::body::rigid::mass::MassProperties;
use crate::body::rigid::{RigidError, RigidState, RigidTemplate};
use crate::contact::rules::Group;
use crate::math::{Quat, Vec3};
use crate::mesh::generate::ball::ball;
use crate::mesh::generate::cuboid::cuboid;
use crate::mesh::generate::lattice::TetSplit;
use crate::world::WorldError;
use crate::world::body_mesh::{BodyMesh, SharedMesh};
use crate::world::body_model::{BodyModel, RigidPart};
use crate::world::placement::{Placement, motion_methods, placement_methods};
use crate::world::soft_body::{check_mesh, shared};

/// Density of what is not said, kg/m³: that of water.
const DENSITY: f64 = 1000.0;

/// Layers of a ball that collides as one: 162 surface vertices.
const LAYERS: u32 = 4;

/// A rigid body to be added to a [`World`](super::World).
///
/// Whatever is wrong with it is reported when it is added. A clone shares its mesh.
#[derive(Clone, Debug)]
pub struct RigidBody {
    mesh: Result<Arc<BodyMesh>, WorldError>,
    density: f64,
    mass: Option<f64>,
    pub(super) placement: Placement,
}

/// A box of one cell.
fn box_mesh(size: Vec3) -> Result<Arc<BodyMesh>, WorldError> {
    cuboid([1; 3], size, TetSplit::Five).map_err(WorldError::from).and_then(shared)
}

fn ball_mesh(radius: f64) -> Result<Arc<BodyMesh>, WorldError> {
    ball(radius, LAYERS).map_err(WorldError::from).and_then(shared)
}

impl RigidBody {
    /// A body of tets or a closed surface, of 1000 kg/m³.
    pub fn new(mesh: impl Into<SharedMesh>) -> RigidBody {
        RigidBody::made(Ok(mesh.into().0))
    }

    /// A box with edges of `size`, m, around the origin.
    pub fn cuboid(size: Vec3) -> RigidBody {
        RigidBody::made(box_mesh(size))
    }

    /// A ball of a radius in m around the origin, as a mesh of 320 triangles.
    pub fn ball(radius: f64) -> RigidBody {
        RigidBody::made(ball_mesh(radius))
    }

    fn made(mesh: Result<Arc<BodyMesh>, WorldError>) -> RigidBody {
        RigidBody { mesh, density: DENSITY, mass: None, placement: Placement::default() }
    }

    /// Density, kg/m³.
    pub fn density(mut self, density: f64) -> RigidBody {
        self.density = density;
        self
    }

    /// Mass, kg, in place of the density.
    pub fn mass(mut self, mass: f64) -> RigidBody {
        self.mass = Some(mass);
        self
    }

    /// Checks everything, and works out what the world needs.
    pub(super) fn build(self) -> Result<BodyModel, WorldError> {
        let mesh = self.mesh?;
        let placement = self.placement.check()?;
        check_mesh(&mesh)?;
        let properties = |positions: &[Vec3]| -> Result<MassProperties, RigidError> {
            let made = match &*mesh {
                BodyMesh::Tets(tets) => {
                    MassProperties::from_tets(positions, tets.tets(), self.density)
                }
                BodyMesh::Surface(surface) => {
                    MassProperties::from_surface(positions, surface.triangles(), self.density)
                }
                _ => MassProperties::from_points(positions, &mesh.shares()),
            }?;
            match self.mass {
                Some(mass) => made.with_mass(mass),
                None => Ok(made),
            }
        };
        let has_volume = matches!(*mesh, BodyMesh::Tets(_) | BodyMesh::Surface(_));
        if !has_volume && self.mass.is_none() {
            return Err(WorldError::NoMass);
        }
        let at_origin = RigidTemplate::new(mesh.positions(), properties(mesh.positions())?)?.0;
        let masses = balanced_masses(&at_origin, &mesh.shares())?;
        let Placement { position, rotation, velocity, spin, .. } = placement;
        let placed: Vec<Vec3> = mesh.positions().iter().map(|p| position + rotation * *p).collect();
        let (rigid, state) = RigidTemplate::new(&placed, properties(&placed)?)?;
        let state = RigidState { velocity, spin, ..state };
        let part = RigidPart::new(rigid, state, Pose { position, rotation });
        Ok(BodyModel::rigid(mesh, part, masses, placement.surface))
    }
}

placement_methods!(RigidBody);
motion_methods!(RigidBody);

/// A body that moves as your code says and pushes what it meets.
///
/// It is moved by [`World::move_to`](super::World::move_to).
///
/// ```
/// use pliant::prelude::*;
///
/// let mut world = World::new();
/// world.set_gravity(Vec3::ZERO)?;
/// let piston = world.add(KinematicBody::cuboid(vec3(0.1, 0.5, 0.5)))?;
/// let die = world.add(RigidBody::cuboid(Vec3::splat(0.1)).at(vec3(0.2, 0.0, 0.0)))?;
/// for step in 1..=30 {
///     world.move_to(piston, Pose::at(vec3(0.02 * f64::from(step), 0.0, 0.0)))?;
///     world.step()?;
/// }
/// assert!((world.pose(piston)?.position.x - 0.6).abs() < 1e-12);
/// assert!(world.centre(die)?.x > 0.6); // pushed along
/// # Ok::<(), WorldError>(())
/// ```
#[derive(Clone, Debug)]
pub struct KinematicBody {
    mesh: Result<Arc<BodyMesh>, WorldError>,
    pub(super) placement: Placement,
}

impl KinematicBody {
    /// A body of tets or a closed surface.
    pub fn new(mesh: impl Into<SharedMesh>) -> KinematicBody {
        KinematicBody::made(Ok(mesh.into().0))
    }

    /// A box with edges of `size`, m, around the origin.
    pub fn cuboid(size: Vec3) -> KinematicBody {
        KinematicBody::made(box_mesh(size))
    }

    /// A ball of a radius in m around the origin, as a mesh of 320 triangles.
    pub fn ball(radius: f64) -> KinematicBody {
        KinematicBody::made(ball_mesh(radius))
    }

    fn made(mesh: Result<Arc<BodyMesh>, WorldError>) -> KinematicBody {
        KinematicBody { mesh, placement: Placement::default() }
    }

    /// Checks everything.
    pub(super) fn build(self) -> Result<BodyModel, WorldError> {
        let (mesh, placement) = (self.mesh?, self.placement.check()?);
        check_mesh(&mesh)?;
        Ok(BodyModel::kinematic(mesh, placement))
    }
}

placement_methods!(KinematicBody);
