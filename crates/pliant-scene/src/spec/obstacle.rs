//! Keys of obstacles: rigid shapes that bodies collide with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body::{Keyframe, Mesh};

/// A rigid obstacle of infinite mass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Obstacle {
    /// Name, unique among the obstacles.
    pub name: String,
    /// Solid.
    pub shape: Shape,
    /// Where the origin of the shape is, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation: axis times angle, rad.
    #[serde(default)]
    pub rotation: [f64; 3],
    /// Positions, m, and rotations, rad, by time, s; instead of `position` and `rotation`.
    #[serde(default)]
    pub keyframes: Vec<Keyframe>,
    /// Coulomb's coefficient; acts with impulses and with contacts that are solved.
    #[serde(default)]
    pub friction: f64,
    /// Coefficient of restitution, from 0 to 1; acts with impulses alone.
    #[serde(default)]
    pub restitution: f64,
    /// Contact response; left out, `constraint` where that is the scene's response,
    /// otherwise `impulse`.
    #[serde(default)]
    pub response: Option<ObstacleResponse>,
}

/// A solid given by its signed distance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Shape {
    /// All below z = 0.
    Plane {},
    /// A box around the origin.
    Box {
        /// Along x, y, z, m.
        size: [f64; 3],
    },
    /// A ball around the origin.
    Sphere {
        /// m.
        radius: f64,
    },
    /// A cylinder around the z axis.
    Cylinder {
        /// m.
        radius: f64,
        /// Along z, m; without ends when left out.
        #[serde(default)]
        length: Option<f64>,
    },
    /// All near a segment of the z axis.
    Capsule {
        /// m.
        radius: f64,
        /// Of the segment, m.
        length: f64,
    },
    /// A ring around the z axis, as all obstacles with an axis; that of the mesh `torus` is y.
    Torus {
        /// From the axis to the middle of the tube, m.
        ring_radius: f64,
        /// Of the tube, m.
        tube_radius: f64,
    },
    /// A closed surface, sampled on a grid of distances.
    Mesh {
        /// The surface, or tets whose boundary is taken.
        mesh: Mesh,
        /// Between the nodes of the grid, m.
        spacing: f64,
        /// Room around the surface, m; at least one spacing is taken.
        #[serde(default)]
        margin: f64,
    },
    /// All that is in any part.
    Union {
        /// At least one.
        parts: Vec<Part>,
    },
    /// All that is in every part.
    Intersection {
        /// At least one.
        parts: Vec<Part>,
    },
}

/// A shape with its place in a larger one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Solid.
    pub shape: Shape,
    /// Where its origin is in the whole, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation: axis times angle, rad.
    #[serde(default)]
    pub rotation: [f64; 3],
}

/// What the friction of `average-impulse` is bounded on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ImpulseLaw {
    /// The impulse, as Coulomb's law says.
    #[default]
    Corrected,
    /// The change of velocity, as the lecture prints it: adds energy (erratum R4).
    Printed,
}

/// Contact response of an obstacle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ObstacleResponse {
    /// Vertices inside are moved to the surface after each step, and lose their approach velocity.
    Impulse {},
    /// Each rigid body gets one impulse after a step, at the average of its vertices inside, as in
    /// the lecture on rigid contacts; positions are not corrected. All bodies must be rigid.
    AverageImpulse {
        /// What friction is bounded on.
        #[serde(default)]
        law: ImpulseLaw,
    },
    /// Penalty springs.
    Penalty {
        /// N/m for every vertex; instead of `fraction`.
        #[serde(default)]
        stiffness: Option<f64>,
        /// Stiffness in mass / dt² of each vertex; 1 when neither is given.
        #[serde(default)]
        fraction: Option<f64>,
        /// Distance at which the push begins, m.
        #[serde(default)]
        buffer: f64,
        /// Largest change of a distance within the buffer in one step, m; any when left out.
        #[serde(default)]
        overshoot: Option<f64>,
    },
    /// An energy barrier that is never crossed; needs `max_halvings`.
    Barrier {
        /// Energy scale, J.
        strength: f64,
        /// Distance at which the push begins, m; any when left out.
        #[serde(default)]
        reach: Option<f64>,
        /// Largest relative change of a distance within reach in one step.
        #[serde(default)]
        change: Option<f64>,
    },
    /// Contacts solved together with the materials, where `constraint` is the scene's
    /// response; a constraint under the integrator `pbd`.
    Constraint {},
}
