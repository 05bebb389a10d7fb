//! Keys of outlines in the plane z = 0.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What rings an outline has: given, or made from numbers.
///
/// Inside is what an odd number of rings surrounds: a ring inside another is a hole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum OutlineShape {
    /// Rings of given points.
    Rings {
        /// Points of each ring, x and y, m; the last may be the first again.
        rings: Vec<Vec<[f64; 2]>>,
    },
    /// A regular polygon around the origin.
    Disc {
        /// From the origin to the points, m.
        radius: f64,
        /// Points, count; at least 3.
        points: u32,
    },
    /// A rectangle around the origin.
    Rectangle {
        /// Along x and y, m.
        size: [f64; 2],
        /// Segments of the edges along x and along y, count; at least 1 each.
        #[serde(default = "ones")]
        segments: [u32; 2],
    },
}

fn ones() -> [u32; 2] {
    [1; 2]
}
