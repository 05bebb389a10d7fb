//! Keys of joints between rigid bodies, and of what they hold of soft ones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body::{PinBox, PinPlane};

/// A joint between two rigid bodies, a rigid body and the world, or a rigid and a soft body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// Kind of joint.
    pub kind: JointKind,
    /// Names of the rigid bodies: two, or one that is held to the world; for `attach` the rigid
    /// one that holds, and the soft one that is held. Of a pattern `name-0`, `name-1`, ….
    #[serde(default)]
    pub bodies: Vec<String>,
    /// Name of a pattern whose copies are joined, each to the next; in place of `bodies`.
    #[serde(default)]
    pub chain: Option<String>,
    /// Anchor in the world at the start, m; left out, halfway between the centres of
    /// mass, or at that of the one held to the world.
    #[serde(default)]
    pub anchor: Option<[f64; 3]>,
    /// Direction of a hinge or slider in the world at the start, of any length.
    #[serde(default)]
    pub axis: Option<[f64; 3]>,
    /// Lower and upper limit of the motion of the first body relative to the second from the
    /// start, rad of a hinge, m of a slider; none when left out.
    #[serde(default)]
    pub limits: Option<[f64; 2]>,
    /// Motor of a hinge or slider.
    #[serde(default)]
    pub motor: Option<Motor>,
    /// Whether the joined bodies collide with each other; otherwise they may overlap, with the
    /// response `constraint`. Not for `attach`.
    #[serde(default)]
    pub contact: bool,
    /// For `attach`: all vertices of the soft body in a box, its border included, m; in the
    /// space of its mesh, before scale, rotation and position.
    #[serde(default, rename = "box")]
    pub space: Option<PinBox>,
    /// For `attach`: all vertices of the soft body on the far side of a plane, the plane
    /// included, m; in the space of its mesh.
    #[serde(default)]
    pub plane: Option<PinPlane>,
    /// For `attach`: vertices of the soft body by number, from 0 in the order of the file.
    #[serde(default)]
    pub vertices: Option<Vec<u32>>,
}

/// Kinds of joints, by the motion they leave free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JointKind {
    /// Any rotation about the anchor.
    Ball,
    /// Rotation about the axis through the anchor.
    Hinge,
    /// Translation along the axis, without rotation.
    Slider,
    /// Nothing.
    Fixed,
    /// All but the chosen vertices of a soft body, which become part of the rigid one,
    /// selected by one of `box`, `plane` and `vertices`. Only with `implicit-euler` and
    /// `newton_iterations` 0.
    Attach,
}

/// A joint motor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Motor {
    /// Target speed of the first body relative to the second, rad/s of a hinge, m/s of a slider.
    pub speed: f64,
    /// Maximum torque of a hinge, N·m; not negative.
    #[serde(default)]
    pub torque: Option<f64>,
    /// Maximum force of a slider, N; not negative.
    #[serde(default)]
    pub force: Option<f64>,
}
