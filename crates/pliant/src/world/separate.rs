//! Bodies of a world taken out of each other at once, without a step.

use crate::body::Mesh;
use crate::body::keyframes::Pose;
use crate::math::Vec3;
use crate::separate::{self, Body, BodyChange, Mobility, SeparateSettings, Separation};
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
    /// Soft bodies are moved or deformed as the settings say, rigid ones moved and turned, kinematic ones and
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
        let middles: Vec<Vec3> = given.iter().map(|body| mean(body.positions)).collect();
        for (k, handle) in bodies.iter().enumerate() {
            let (positions, change) = (&separation.positions[k], &separation.changes[k]);
            self.place_separated(*handle, positions, (middles[k], change))?;
        }
        Ok(WorldSeparation { bodies, separation })
    }

    fn place_separated(
        &mut self,
        body: BodyHandle,
        positions: &[Vec3],
        (middle, change): (Vec3, &BodyChange),
    ) -> Result<(), WorldError> {
        match self.body(body)?.model.kind {
            BodyModelKind::Soft(_) => self.set_positions(body, positions),
            BodyModelKind::Rigid(_) if change.largest_movement > 0.0 => {
                let Pose { position, rotation } = self.pose(body)?;
                let position = middle + change.translation + change.turn * (position - middle);
                self.set_pose(body, Pose { position, rotation: change.turn * rotation })
            }
            BodyModelKind::Rigid(_) | BodyModelKind::Kinematic(_) | BodyModelKind::Fixed => Ok(()),
        }
    }
}

/// The mean of some points, m.
fn mean(points: &[Vec3]) -> Vec3 {
    points.iter().sum::<Vec3>() / points.len().max(1) as f64
}

fn mobility(entry: &BodyEntry) -> Mobility {
    match entry.model.kind {
        BodyModelKind::Soft(_) if entry.model.pins.iter().all(|p| p.vertices.is_empty()) => {
            Mobility::Free
        }
        BodyModelKind::Rigid(_) => Mobility::Rigid,
        BodyModelKind::Soft(_) | BodyModelKind::Kinematic(_) | BodyModelKind::Fixed => {
            Mobility::Fixed
        }
    }
}
