//! Why a world refuses something.

use std::sync::Arc;

use crate::body::BodiesError;
use crate::body::keyframes::KeyframeError;
use crate::body::obstacle::ObstacleError;
use crate::body::pins::PinError;
use crate::body::rigid::RigidError;
use crate::body::soft::MassError;
use crate::contact::carried::ContactMeshError;
use crate::contact::response::ResponseError;
use crate::detect::query::QueryError;
use crate::force::elastic::ElasticError;
use crate::force::spring::SpringError;
use crate::id::{MismatchError, VertexId};
use crate::integrate::StepError;
use crate::math::Vec3;
use crate::mesh::generate::GenerateError;
use crate::mesh::surface::SurfaceError;
use crate::mesh::tet::TetMeshError;
use crate::separate::SeparateError;
use crate::solve::joint::JointError;

/// Why a [`World`](super::World) refuses something; nothing has changed then.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// A handle of something that was removed, or of another world.
    #[error("{what} {handle} is not in this world: it was removed, or belongs to another world")]
    NotHere {
        /// The kind of thing.
        what: &'static str,
        /// Its handle.
        handle: String,
    },
    /// A number outside its range.
    #[error("the {what} is {value}: it must be {rule}")]
    Value {
        /// Which number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        rule: &'static str,
    },
    /// A vector that cannot be.
    #[error("the {what} is {value}: it must be {rule}")]
    Vector {
        /// Which vector.
        what: &'static str,
        /// Its value.
        value: Vec3,
        /// What it must be.
        rule: &'static str,
    },
    /// A vertex that does not exist.
    #[error("vertex {vertex} does not exist: the body has {count} vertices")]
    NoSuchVertex {
        /// The vertex, counted in the body.
        vertex: VertexId,
        /// Vertices of the body.
        count: usize,
    },
    /// An array of another length.
    #[error("there are {given} {what}, the body has {expected} vertices: give one for each")]
    Count {
        /// What was given.
        what: &'static str,
        /// How many.
        given: usize,
        /// How many are needed.
        expected: usize,
    },
    /// A body of another kind than is needed.
    #[error("body {body} is {is}: only {needed} can be {verb}")]
    Kind {
        /// Its handle.
        body: String,
        /// What it is.
        is: &'static str,
        /// What it would have to be.
        needed: &'static str,
        /// What was to be done.
        verb: &'static str,
    },
    /// A joint of a body with itself.
    #[error("the joint holds body {body} to itself: name two bodies, or one and the world")]
    SameBody {
        /// Its handle.
        body: String,
    },
    /// An obstacle that was to be grabbed.
    #[error("obstacle {obstacle} cannot be grabbed: move it with `move_to`")]
    GrabbedObstacle {
        /// Its handle.
        obstacle: String,
    },
    /// Limits or a motor for a joint that leaves no axis free.
    #[error("the joint has no axis, so it takes no {what}: only hinges and sliders do")]
    NoAxis {
        /// What was to be set.
        what: &'static str,
    },
    /// An elastic constant for a material that has none.
    #[error("{what} is for elastic materials: the body is of springs or of a material of its own")]
    NotElastic {
        /// The builder's method.
        what: &'static str,
    },
    /// A mesh without vertices.
    #[error("the mesh has no vertices: a body needs some")]
    NoVertices,
    /// A surface or a spring network of which finite elements were asked.
    #[error(
        "the mesh has no tets, which an elastic material needs: fill a closed surface with tets (`stuffed` of mesh::generate::stuffing, or the program's `pliant mesh`), or take springs and a mass"
    )]
    NoTets,
    /// A contact mesh for a body that has no tets.
    #[error(
        "the mesh has no tets that could carry a contact mesh: a body without tets touches with its own mesh"
    )]
    NoCarrier,
    /// A contact mesh that is elsewhere.
    #[error(
        "the contact mesh reaches {distance:.3} m beyond the tets that carry it, which are {most:.3} m large: is it in another place or unit?"
    )]
    FarContactMesh {
        /// Largest distance of one of its vertices to the tets, m.
        distance: f64,
        /// What is allowed, m.
        most: f64,
    },
    /// Contact meshes that do not fit their bodies.
    #[error(transparent)]
    ContactMesh(#[from] ContactMeshError),
    /// A surface or a spring network without mass.
    #[error("the mesh has no volume, so a density says nothing: give the body a mass")]
    NoMass,
    /// Tets that are no body.
    #[error(transparent)]
    Tets(#[from] TetMeshError),
    /// A surface that is no body.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// A mesh that cannot be generated.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// More than a world can hold.
    #[error(transparent)]
    Bodies(#[from] BodiesError),
    /// Masses that cannot be.
    #[error(transparent)]
    Mass(#[from] MassError),
    /// A body that cannot be rigid.
    #[error(transparent)]
    Rigid(#[from] RigidError),
    /// An elastic material that cannot be.
    #[error(transparent)]
    Elastic(#[from] ElasticError),
    /// Springs that cannot be.
    #[error(transparent)]
    Spring(#[from] SpringError),
    /// A material from outside that refused a body.
    #[error("the material refuses the body: {0}")]
    Material(Arc<dyn std::error::Error + Send + Sync>),
    /// A contact that cannot be set up.
    #[error(transparent)]
    Response(#[from] ResponseError),
    /// Arguments that do not belong together.
    #[error(transparent)]
    Mismatch(#[from] MismatchError),
    /// An assembly from outside that refused the world.
    #[error("{0}")]
    Assembly(Arc<dyn std::error::Error + Send + Sync>),
    /// An obstacle that cannot be.
    #[error(transparent)]
    Obstacle(#[from] ObstacleError),
    /// A motion that cannot be.
    #[error(transparent)]
    Keyframes(#[from] KeyframeError),
    /// Pins that cannot be.
    #[error(transparent)]
    Pins(#[from] PinError),
    /// A joint that cannot be.
    #[error(transparent)]
    Joint(#[from] JointError),
    /// Bodies that cannot be separated.
    #[error(transparent)]
    Separate(#[from] SeparateError),
    /// Something that cannot be asked.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// A step that was not made.
    #[error(transparent)]
    Step(#[from] StepError),
    /// Bytes that are no snapshot of this world.
    #[error("these bytes are no snapshot of this world: {reason}")]
    Snapshot {
        /// What does not fit.
        reason: String,
    },
}

/// Refuses a number that is not positive and finite.
pub(super) fn positive(what: &'static str, value: f64) -> Result<f64, WorldError> {
    let is_good = value > 0.0 && value.is_finite();
    let rule = "positive and finite";
    if is_good { Ok(value) } else { Err(WorldError::Value { what, value, rule }) }
}

/// Refuses a number that is negative or not finite.
pub(super) fn not_negative(what: &'static str, value: f64) -> Result<f64, WorldError> {
    let is_good = value >= 0.0 && value.is_finite();
    let rule = "at least 0 and finite";
    if is_good { Ok(value) } else { Err(WorldError::Value { what, value, rule }) }
}

/// Refuses a share that is not from 0 to 1.
pub(super) fn share(what: &'static str, value: f64) -> Result<f64, WorldError> {
    let rule = "from 0 to 1";
    if (0.0..=1.0).contains(&value) {
        Ok(value)
    } else {
        Err(WorldError::Value { what, value, rule })
    }
}

/// Largest size of positions, velocities and forces, SI units: squares of them are still far
/// from overflow.
const LARGEST: f64 = 1e50;

/// Refuses a vector that is not finite, or beyond all sense.
pub(super) fn sound(what: &'static str, value: Vec3) -> Result<Vec3, WorldError> {
    let rule = "finite and at most 1e50";
    if value.is_finite() && value.abs().max_element() <= LARGEST {
        Ok(value)
    } else {
        Err(WorldError::Vector { what, value, rule })
    }
}
