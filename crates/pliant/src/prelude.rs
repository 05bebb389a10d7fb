//! What most programs need: `use pliant::prelude::*;`.

pub use glam;
pub use glam::dvec3 as vec3;

pub use crate::body::keyframes::Pose;
pub use crate::body::obstacle::Obstacle;
pub use crate::contact::rules::{Group, SurfaceRule};
pub use crate::force::elastic::ElasticSettings;
pub use crate::id::VertexId;
pub use crate::integrate::StepReport;
pub use crate::math::{Quat, Vec3};
pub use crate::mesh::surface::Surface;
pub use crate::mesh::tet::TetMesh;
pub use crate::world::{
    BodyHandle, BodyMesh, Collider, ContactEvent, ContactEventKind, ContactPoint, GrabHandle,
    Joint, JointHandle, KinematicBody, ObstacleHandle, RigidBody, SoftBody, SoftMaterial,
    SpringNetwork, World, WorldError,
};
