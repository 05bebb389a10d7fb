//! Bodies of a world, and where they are between assemblies.

use std::sync::Arc;

use crate::body::keyframes::Pose;
use crate::body::rigid::{RigidBody as Rigid, RigidState};
use crate::contact::rules::SurfaceRule;
use crate::id::{BodyId, VertexId};
use crate::math::Vec3;
use crate::world::body_mesh::BodyMesh;
use crate::world::material::SoftMaterial;
use crate::world::placement::Placement;
use crate::world::rigid_body::RigidModel;
use crate::world::soft_body::SoftModel;

/// Mass of each vertex of a body that nothing moves, kg.
const MASS_OF_HELD: f64 = 1.0;

/// A body of a world.
#[derive(Clone, Debug)]
pub(super) struct BodyEntry {
    pub mesh: Arc<BodyMesh>,
    pub kind: BodyEntryKind,
    /// Where its vertices were when it was added, m: the rest shape of its material.
    pub start: Vec<Vec3>,
    /// kg.
    pub masses: Vec<f64>,
    /// Pinned vertices, counted in the body, each with its place, m.
    pub pins: Vec<(VertexId, Vec3)>,
    pub surface: SurfaceRule,
    /// Constant force on the whole body, N.
    pub force: Vec3,
    /// Its number in the simulation; none until it is assembled.
    pub id: Option<BodyId>,
    /// State while it is in no simulation.
    pub state: BodyState,
}

/// What a body is.
#[derive(Clone, Debug)]
pub(super) enum BodyEntryKind {
    Soft(SoftMaterial),
    Rigid(RigidPart),
    Kinematic(Driven),
}

/// What does not change of a rigid body.
#[derive(Clone, Debug)]
pub(super) struct RigidPart {
    pub body: Rigid,
    /// The mesh's own space in body axes, which are those of inertia.
    pub origin: Pose,
}

impl RigidPart {
    /// Where the mesh's own space is.
    pub fn pose(&self, state: &RigidState) -> Pose {
        Pose {
            position: state.point(self.origin.position),
            rotation: state.turn * self.origin.rotation,
        }
    }

    /// The state with the mesh's own space at a pose, which moves as before.
    pub fn placed(&self, pose: Pose, state: &RigidState) -> RigidState {
        let turn = pose.rotation * self.origin.rotation.conjugate();
        RigidState { centre: pose.position - turn * self.origin.position, turn, ..*state }
    }
}

/// Where a kinematic body is, and where it is to be after the next step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Driven {
    pub pose: Pose,
    pub target: Option<Pose>,
}

/// Positions and velocities of a body.
#[derive(Clone, Debug, Default)]
pub(super) struct BodyState {
    pub positions: Vec<Vec3>,
    pub velocities: Vec<Vec3>,
    pub rigid: Option<RigidState>,
}

impl BodyEntry {
    pub fn soft(model: SoftModel) -> BodyEntry {
        let SoftModel { mesh, material, masses, pins, placement } = model;
        let Placement { position, rotation, velocity, spin, surface } = placement;
        let start: Vec<Vec3> = mesh.positions().iter().map(|p| position + rotation * *p).collect();
        let weighed = start.iter().zip(&masses).map(|(p, m)| *m * *p).sum::<Vec3>();
        let centre = weighed / masses.iter().sum::<f64>();
        let velocities = start.iter().map(|p| velocity + spin.cross(*p - centre)).collect();
        let pins = pins.into_iter().map(|v| (v, start[v.index()])).collect();
        let state = BodyState { positions: start.clone(), velocities, rigid: None };
        let kind = BodyEntryKind::Soft(material);
        BodyEntry { mesh, kind, start, masses, pins, surface, force: Vec3::ZERO, id: None, state }
    }

    pub fn rigid(model: RigidModel) -> BodyEntry {
        let RigidModel { mesh, rigid, state, masses, placement } = model;
        let start: Vec<Vec3> = rigid.points.iter().map(|r| state.point(*r)).collect();
        let velocities = start.iter().map(|p| state.velocity_at(*p)).collect();
        let Placement { position, rotation, surface, .. } = placement;
        let origin = Pose {
            position: state.body_point(position),
            rotation: state.turn.conjugate() * rotation,
        };
        let kind = BodyEntryKind::Rigid(RigidPart { body: rigid, origin });
        let state = BodyState { positions: start.clone(), velocities, rigid: Some(state) };
        let (pins, force) = (Vec::new(), Vec3::ZERO);
        BodyEntry { mesh, kind, start, masses, pins, surface, force, id: None, state }
    }

    pub fn kinematic(mesh: Arc<BodyMesh>, placement: Placement) -> BodyEntry {
        let Placement { position, rotation, surface, .. } = placement;
        let pose = Pose { position, rotation };
        let start: Vec<Vec3> = mesh.positions().iter().map(|p| pose.world_from_body(*p)).collect();
        let velocities = vec![Vec3::ZERO; start.len()];
        let state = BodyState { positions: start.clone(), velocities, rigid: None };
        let kind = BodyEntryKind::Kinematic(Driven { pose, target: None });
        let masses = vec![MASS_OF_HELD; start.len()];
        let (pins, force) = (Vec::new(), Vec3::ZERO);
        BodyEntry { mesh, kind, start, masses, pins, surface, force, id: None, state }
    }

    /// What it is, in a message.
    pub fn kind_name(&self) -> &'static str {
        match self.kind {
            BodyEntryKind::Soft(_) => "soft",
            BodyEntryKind::Rigid(_) => "rigid",
            BodyEntryKind::Kinematic(_) => "kinematic",
        }
    }
}
