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
    /// An outline from a GeoJSON, SVG or WKT file, or one with arrays of rings; lengths in m,
    /// placed and scaled by the body. Files whose y axis points down, as in SVG, are turned
    /// upright.
    File {
        /// Relative to the folder of the scene file, or absolute; `#name` or `#3` behind it picks a
        /// feature, all are one outline otherwise.
        path: String,
        /// Thickness of lines, m; what the file says when left out.
        #[serde(default)]
        thickness: Option<f64>,
        /// Bound when curves are cut into segments, m; 1e-3 of the outline's extent when left out.
        #[serde(default)]
        error: Option<f64>,
        /// What is put at the origin, about which the body is rotated and scaled; coordinates stay
        /// those of the file when left out.
        #[serde(default)]
        centre: Option<Centre>,
    },
    /// A regular polygon around the origin.
    Disc {
        /// From the origin to the points, m.
        radius: f64,
        /// Points; at least 3.
        points: u32,
    },
    /// A rectangle around the origin.
    Rectangle {
        /// Along x and y, m.
        size: [f64; 2],
        /// Segments of the edges along x and along y; at least 1 each.
        #[serde(default = "ones")]
        segments: [u32; 2],
    },
    /// A rough closed curve around the origin that never crosses itself.
    Coast {
        /// Segments; at least 7.
        points: u32,
        /// Mean distance from the origin, m.
        radius: f64,
        /// Sideways displacement of broken segments over their length, from 0 to 0.5.
        #[serde(default = "roughness")]
        roughness: f64,
        /// Random seed.
        #[serde(default)]
        seed: u32,
    },
    /// A gear around the origin, its first tooth along x.
    Gear {
        /// Teeth; at least 7.
        teeth: u32,
        /// Diameter of the pitch circle over the teeth, m.
        module: f64,
        /// How much wider gaps are than teeth, m, from 0.6 to 1.8 modules; 0.62 modules when
        /// left out.
        #[serde(default)]
        backlash: Option<f64>,
        /// A hole in the middle; none when left out.
        #[serde(default)]
        bore: Option<Bore>,
    },
    /// A link of a chain along x: a claw at one end holds the knob at the other end of the next.
    Link {
        /// Segments; at least 24.
        points: u32,
        /// Radius of the knob, m; one link is 4.6 of it from the next.
        knob: f64,
    },
    /// An upright rectangle around the origin, its right edge straight or wavy.
    Strip {
        /// Along x and y, m.
        size: [f64; 2],
        /// Segments; even, at least 8.
        points: u32,
        /// Height of the waves, m.
        #[serde(default)]
        amplitude: f64,
        /// Waves along the edge.
        #[serde(default)]
        waves: f64,
    },
}

/// The point of an outline that is put at the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Centre {
    /// The centre of the area that it covers.
    Area,
    /// The middle of the box around it.
    Box,
}

/// A hole in the middle of a gear.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bore {
    /// From the middle to its points, m.
    pub radius: f64,
    /// Segments; at least 3.
    pub points: u32,
}

fn roughness() -> f64 {
    0.4
}

fn ones() -> [u32; 2] {
    [1; 2]
}
