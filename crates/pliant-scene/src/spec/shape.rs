//! Keys of shape matching.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::body::{PinBox, PinPlane, Plasticity};

/// Deformations that a shape allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShapeMode {
    /// Nothing.
    #[default]
    Rigid,
    /// Stretch and shear.
    Linear,
    /// Stretch, shear, bend and twist.
    Quadratic,
}

/// What happens to the volume of `linear` shapes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ShapeVolume {
    /// It is that of the shape at rest.
    #[default]
    Kept,
    /// It changes as the vertices do.
    Free,
}

/// When shapes are matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Matching {
    /// As a force, solved together with materials and contacts; for the implicit kinds.
    WithStep,
    /// After each step, before the impulses of contact; with any integrator.
    AfterStep,
}

/// Effect of a match after the step on a free spin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Spin {
    /// Velocities are the way of each vertex over the step, which damps a spin.
    #[default]
    Damped,
    /// Velocities have the angular momentum from before the match.
    Kept,
}

/// How the rotation of a shape is found; all agree to rounding where it is unique.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Polar {
    /// Newton's iteration, or singular values where it would be slow.
    #[default]
    Newton,
    /// The root of AᵀA, as in the lecture on rigid contacts.
    Direct,
    /// Iterations from the rotation of the step before; for `matching = "after-step"`.
    WarmStart,
}

/// A body of several overlapping groups.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clusters {
    /// Groups along x, y, z of the box around the shape; at least 1 each. Those without
    /// vertices are left out.
    pub counts: [u32; 3],
    /// How far each reaches into its neighbours, in its own lengths; positive.
    #[serde(default = "overlap")]
    pub overlap: f64,
}

fn overlap() -> f64 {
    0.5
}

/// Vertices inside a body that keep their shape, selected by one of `box`, `sphere`, `plane` and
/// `vertices`.
///
/// Coordinates are in the space of the mesh, before scale, rotation and position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ShapeGroup {
    /// All vertices in a box, its border included, m.
    #[serde(rename = "box")]
    pub space: Option<PinBox>,
    /// All vertices in a sphere, its border included, m.
    pub sphere: Option<Sphere>,
    /// All vertices on the far side of a plane, the plane included, m.
    pub plane: Option<PinPlane>,
    /// Vertices by number, from 0 in the order of the file.
    pub vertices: Option<Vec<u32>>,
    /// What may change.
    pub mode: ShapeMode,
    /// Share of the best `linear` or `quadratic` match in the goal, from 0 to 1; the rest
    /// is rigid.
    pub blend: f64,
    /// What happens to the volume of `linear` shapes.
    pub volume: ShapeVolume,
    /// How fast a vertex swings about its goal, rad/s; firm when `share` is left out too.
    pub rate: Option<f64>,
    /// Share of the way to the goal in each step; instead of `rate`.
    pub share: Option<f64>,
    /// Plastic flow of the shape; none when left out.
    pub plasticity: Option<Plasticity>,
}

/// A ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Its middle, m.
    pub centre: [f64; 3],
    /// m.
    pub radius: f64,
}
