//! Bodies of a world taken out of each other at once, without a step.

use crate::body::Mesh;
use crate::math::Vec3;
use crate::separate::{self, Body, Mobility, SeparateSettings, Separation};
use crate::world::body_mesh::BodyMesh;
use crate::world::body_model::{BodyEntry, BodyModelKind};
use crate::world::{BodyHandle, World, WorldError};

/// What became of the bodies of a world that were separated.
#[derive(Clone, Debug, PartialEq)]
pub struct WorldSeparation {
    /// The bodies with an inside, in the order in which they were added.
    pub bodies: Vec<BodyHandle>,
    /// Where these are now; bodies count in this list.
    pub separation: Separation,
}

impl World {
    /// Takes all bodies out of each other at once; velocities stay.
    ///
    /// Soft bodies are moved or deformed as the settings say, rigid ones moved, kinematic ones and
    /// those with pins stay; cloth, particles and obstacles are not looked at. Movement is shared
    /// by mass. Pairs that could not be separated are left in the result.
    ///
    /// ```
    /// use pliant::prelude::*;
    /// use pliant::separate::SeparateSettings;
    ///
    /// let mut world = World::new();
    /// let a = world.add(RigidBody::cuboid(Vec3::ONE))?;
    /// let b = world.add(RigidBody::cuboid(Vec3::ONE).at(vec3(0.7, 0.1, 0.2)))?;
    /// let done = world.separate(&SeparateSettings { gap: Some(0.01), ..Default::default() })?;
    /// assert!(done.separation.is_free());
    /// let apart = world.centre(b)?.x - world.centre(a)?.x;
    /// assert!(apart > 1.01 && apart < 1.02);
    /// # Ok::<(), WorldError>(())
    /// ```
    pub fn separate(&mut self, settings: &SeparateSettings) -> Result<WorldSeparation, WorldError> {
        let handles: Vec<BodyHandle> = self.bodies().collect();
        let (mut bodies, mut given) = (Vec::new(), Vec::new());
        for handle in handles {
            let entry = self.body(handle)?;
            let mesh = match &*entry.model.mesh {
                BodyMesh::Tets(mesh) => Mesh::Tets(mesh),
                BodyMesh::Surface(mesh) => Mesh::Surface(mesh),
                BodyMesh::SpringNetwork(_) | BodyMesh::Particles(_) | BodyMesh::Outline(_) => {
                    continue;
                }
            };
            let (mobility, mass) = (mobility(entry), self.mass(handle).ok());
            bodies.push(handle);
            given.push(Body { mesh, positions: self.positions(handle)?, mobility, mass });
        }
        let separation = separate::separate(&given, settings)?;
        let starts: Vec<Option<Vec3>> =
            given.iter().map(|body| body.positions.first().copied()).collect();
        for ((handle, start), positions) in bodies.iter().zip(starts).zip(&separation.positions) {
            let way = match (start, positions.first()) {
                (Some(from), Some(to)) => *to - from,
                _ => Vec3::ZERO,
            };
            self.place_separated(*handle, positions, way)?;
        }
        Ok(WorldSeparation { bodies, separation })
    }

    fn place_separated(
        &mut self,
        body: BodyHandle,
        positions: &[Vec3],
        way: Vec3,
    ) -> Result<(), WorldError> {
        match self.body(body)?.model.kind {
            BodyModelKind::Soft(_) => self.set_positions(body, positions),
            BodyModelKind::Rigid(_) if way != Vec3::ZERO => {
                let mut pose = self.pose(body)?;
                pose.position += way;
                self.set_pose(body, pose)
            }
            BodyModelKind::Rigid(_) | BodyModelKind::Kinematic(_) | BodyModelKind::Fixed => Ok(()),
        }
    }
}

fn mobility(entry: &BodyEntry) -> Mobility {
    match entry.model.kind {
        BodyModelKind::Soft(_) if entry.model.pins.is_empty() => Mobility::Free,
        BodyModelKind::Rigid(_) => Mobility::Rigid,
        BodyModelKind::Soft(_) | BodyModelKind::Kinematic(_) | BodyModelKind::Fixed => {
            Mobility::Fixed
        }
    }
}
