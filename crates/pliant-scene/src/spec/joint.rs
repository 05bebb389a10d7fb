//! Keys of joints between rigid bodies, and of what they hold of soft ones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body::{PinBox, PinPlane};

/// What holds two rigid bodies together, one to the world, or a soft one to a rigid one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Joint {
    /// What it leaves free.
    pub kind: JointKind,
    /// Names of the rigid bodies: two, or one that is held to the world; for `attach` the rigid
    /// one that holds, and the soft one that is held. Of a pattern `name-0`, `name-1`, …. Unit:
    /// none.
    #[serde(default)]
    pub bodies: Vec<String>,
    /// Name of a pattern whose copies are joined, each to the next; in place of `bodies`. Unit:
    /// none.
    #[serde(default)]
    pub chain: Option<String>,
    /// Where it holds, in the world at the start, m; left out, halfway between the centres of
    /// mass, or at that of the one held to the world.
    #[serde(default)]
    pub anchor: Option<[f64; 3]>,
    /// Direction of a hinge or slider in the world at the start, of any length, unit 1.
    #[serde(default)]
    pub axis: Option<[f64; 3]>,
    /// Least and greatest travel of the first body against the second from the start, rad of a
    /// hinge, m of a slider; none when left out.
    #[serde(default)]
    pub limits: Option<[f64; 2]>,
    /// Drives a hinge or slider.
    #[serde(default)]
    pub motor: Option<Motor>,
    /// Whether the bodies that it joins touch each other all the same, boolean; what is joined
    /// may overlap otherwise, with the response `constraint`. Not for `attach`.
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

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JointKind {
    /// All turning about the anchor.
    Ball,
    /// Turning about the axis through the anchor.
    Hinge,
    /// Going along the axis, without turning.
    Slider,
    /// Nothing.
    Fixed,
    /// All but the chosen vertices of a soft body, which become part of the rigid one; one of
    /// `box`, `plane` and `vertices` tells which. Only with `implicit-euler`, newton = 0.
    Attach,
}

/// What drives a joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Motor {
    /// Of the first body against the second, rad/s of a hinge, m/s of a slider.
    pub speed: f64,
    /// Most that a hinge is driven with, N·m; not negative.
    #[serde(default)]
    pub torque: Option<f64>,
    /// Most that a slider is driven with, N; not negative.
    #[serde(default)]
    pub force: Option<f64>,
}
