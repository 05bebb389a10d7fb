//! What all formats are read into: features of paths, curves still curved.

use pliant::math::Vec2;
use pliant_plane::outline::curve::Curve;

/// All features of a file.
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// In the order of the file.
    pub features: Vec<Feature>,
    /// What was left out or should be known, one sentence each.
    pub notices: Vec<String>,
    /// Which way the y axis points.
    pub upright: YAxis,
}

/// Which way the y axis of a file points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum YAxis {
    /// As on maps.
    #[default]
    Up,
    /// As on screens.
    Down,
}

/// One thing in a file that can be picked.
#[derive(Clone, Debug, Default)]
pub struct Feature {
    /// Names it goes by.
    pub names: Vec<String>,
    /// Other texts it may be picked by.
    pub others: Vec<String>,
    /// Its rings and lines.
    pub paths: Vec<Path>,
    /// How its file fills it.
    pub fill: Fill,
}

/// What counts as inside where rings overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fill {
    /// Surrounded an odd number of times.
    #[default]
    EvenOdd,
    /// Surrounded more often one way than the other.
    NonZero,
}

/// A ring or a line.
#[derive(Clone, Debug)]
pub struct Path {
    /// Where in the file, for messages.
    pub place: String,
    /// First point, file unit.
    pub start: Vec2,
    /// What follows, each from the end of the one before.
    pub pieces: Vec<Piece>,
    /// What it stands for.
    pub kind: Kind,
}

/// A step along a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Piece {
    /// Straight to this point, file unit.
    Line(Vec2),
    /// Along a curve.
    Curve(Curve),
}

/// What a path stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// The boundary of a region; it closes by itself.
    Ring,
    /// A line of the requested thickness; its own half thickness, if the file has one, file unit.
    Line {
        /// Half the thickness, file unit.
        radius: Option<f64>,
    },
    /// An open path that its file fills: a line when a thickness is given, otherwise a ring.
    Filled,
}

impl Path {
    /// A path of straight pieces; `None` without a point.
    pub fn straight(place: String, points: &[Vec2], kind: Kind) -> Option<Path> {
        let (&start, rest) = points.split_first()?;
        let pieces = rest.iter().map(|&point| Piece::Line(point)).collect();
        Some(Path { place, start, pieces, kind })
    }
}

impl Piece {
    /// Where it ends, file unit.
    pub fn end(&self) -> Vec2 {
        match self {
            Piece::Line(end) => *end,
            Piece::Curve(curve) => curve.end(),
        }
    }
}
