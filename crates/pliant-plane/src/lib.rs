//! Proximity of outlines in the plane: overlap, distance, depth, contacts.
//!
//! The image-space counterpart of detect and depth [Hoff01 §2]: two outlines are localised to
//! small windows, and what happens there is read off images. Three backends take the same
//! [`ProximityQuery`]: exact (segments, no image), CPU images, and a GPU in a crate of its own.
//! All lengths but the exact backend's are within [`ProximityQuery::error`] of the exact ones;
//! whether two outlines intersect is exact with every backend.
//!
//! | here               | paper | meaning                                                  |
//! |--------------------|-------|----------------------------------------------------------|
//! | `error`            | d     | bound of every length, half a pixel's diagonal           |
//! | `contact_distance` | d     | gap up to which boundaries touch; the paper names both d |

pub mod outline;

pub mod segment;

pub mod boundary;

pub mod samples;

pub mod contact;

pub mod patch;

pub mod least;

pub mod field;

pub mod rect;

pub mod localize;

pub mod pairs;

#[cfg(not(feature = "checks"))]
mod work;

#[cfg(feature = "checks")]
pub mod work;

pub mod exact;

pub mod locate;

pub mod raster;

pub mod brute;

pub mod image;

pub mod generate;

pub mod area;

pub mod response;

pub mod overlap;

pub mod world;

use pliant::math::Vec2;

use outline::Outlines;

pub use least::LeastTranslation;

/// Two outlines of a query, by their positions in the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// Index of the first outline.
    pub a: u32,
    /// Index of the second, another one.
    pub b: u32,
}

/// What to find out about a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProximityQuery {
    /// Bound of the error of every length, m, above zero.
    pub error: f64,
    /// Gap up to which boundaries are in contact, m, not negative.
    pub contact_distance: f64,
    /// Which parts of the result are wanted; the others stay empty.
    pub flags: QueryFlags,
}

/// Optional parts of a [`ProximityResult`]; whether two intersect is always found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryFlags {
    /// Area of what both cover.
    pub area: bool,
    /// Distance and closest points of two that do not intersect.
    pub separation: bool,
    /// Depth of the vertices inside the other.
    pub vertices: bool,
    /// Depth of further points of the boundary, so that no deep stretch goes unseen.
    pub samples: bool,
    /// Where boundaries touch.
    pub contacts: bool,
    /// The least translation of two that intersect.
    pub translation: bool,
}

impl QueryFlags {
    /// All there is.
    pub const ALL: QueryFlags = QueryFlags {
        area: true,
        separation: true,
        vertices: true,
        samples: true,
        contacts: true,
        translation: true,
    };
    /// Depths of vertices alone, as a penalty response needs them.
    pub const DEPTHS: QueryFlags = QueryFlags {
        area: false,
        separation: false,
        vertices: true,
        samples: false,
        contacts: false,
        translation: false,
    };

    /// Whether it takes all meetings of the boundaries to separate them.
    pub fn separates(&self) -> bool {
        self.contacts || self.translation
    }
}

/// What was found for one pair.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProximityResult {
    /// Whether the two share a point, touching included; exact.
    pub intersects: bool,
    /// Area that both cover, m²; within the error times the perimeters.
    pub overlap_area: f64,
    /// Where they are closest; `None` when they intersect.
    pub separation: Option<Separation>,
    /// Every vertex of one inside the other: those of a before those of b, by index; each
    /// followed by the samples of the segment that begins there. Samples of a border that both
    /// share, which rounding alone puts inside, are left out.
    pub penetration: Vec<Penetration>,
    /// One contact for each stretch of a's boundary near b's, along a.
    pub contacts: Vec<Contact>,
    /// The shortest way that takes a off b; `None` when they do not intersect.
    pub least_translation: Option<LeastTranslation>,
    /// What the caller should know of how it was found.
    pub notices: Vec<Notice>,
}

impl ProximityResult {
    /// Clears what was found and keeps the memory.
    pub fn clear(&mut self) {
        self.intersects = false;
        self.overlap_area = 0.0;
        self.separation = None;
        self.penetration.clear();
        self.contacts.clear();
        self.least_translation = None;
        self.notices.clear();
    }
}

/// A place on a boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The segment, named by the point it begins at, counted over all outlines.
    pub segment: u32,
    /// Share of the segment before this place, 0 to 1.
    pub along: f64,
}

/// The shortest way between two outlines that do not intersect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Length of that way, m.
    pub distance: f64,
    /// Its end on the boundary of a, m.
    pub on_a: Vec2,
    /// Its end on the boundary of b, m.
    pub on_b: Vec2,
}

/// One of the two outlines of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

/// A boundary point of one outline inside the other, and how it gets out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penetration {
    /// Whose point it is.
    pub of: Side,
    /// Where on its own boundary it is; `along` is 0 for a vertex.
    pub at: Place,
    /// The point, m.
    pub position: Vec2,
    /// Distance to the other's boundary, m; 0 where a point is inside by less than rounding.
    pub depth: f64,
    /// Unit vector along which the point leaves by the shortest way.
    pub direction: Vec2,
    /// Where on the other's boundary it comes out.
    pub out: Place,
}

/// Where two boundaries touch, or nearly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Middle between the closest points of the stretch, m.
    pub position: Vec2,
    /// Unit vector along which a leaves b; swapping both turns it round.
    pub normal: Vec2,
    /// Distance between the boundaries there, m, not negative.
    pub gap: f64,
    /// The closest point on a.
    pub on_a: Place,
    /// The closest point on b.
    pub on_b: Place,
    /// Where the stretch of a begins and ends, m.
    pub stretch: [Vec2; 2],
}

/// Something the caller should know of a result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Notice {
    /// Segments were used, as neither images nor the GPU could keep the bound.
    #[error("an error of {error:e} {cause}: answered by segments instead")]
    Exact {
        /// The error bound of the query, m.
        error: f64,
        /// What kept the backend from its own way.
        cause: Cause,
    },
    /// Samples along deep stretches would have been too many.
    #[error("an error of {error:e} asks for {count:e} samples of the boundary: {kept} were taken")]
    FewerSamples {
        /// The error bound of the query, m.
        error: f64,
        /// Number of samples that the bound requires.
        count: f64,
        /// Number of samples taken.
        kept: usize,
    },
}

/// Why a backend falls back to segments, as a clause about the error bound.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Cause {
    /// Images too large for the memory allowed.
    #[error("needs an image of {pixels:e} pixels")]
    Pixels {
        /// Number of pixels that images would have.
        pixels: f64,
    },
    /// An area of more rows of pixels than are summed.
    #[error("needs {rows:e} rows of pixels")]
    Rows {
        /// Number of rows that images would have.
        rows: f64,
    },
    /// Coordinates so large that lengths below the error are lost in their rounding.
    #[error("is too small for these coordinates in numbers of {bits} binary digits")]
    Digits {
        /// Binary digits of a number.
        bits: u32,
    },
    /// A boundary in more pieces than memory is allowed for.
    #[error("cuts the boundary into more than {most} pieces")]
    Pieces {
        /// Most pieces.
        most: usize,
    },
    /// Readings that are known nowhere along the boundary.
    #[error("leaves nothing to read along the boundary")]
    Unread,
    /// More tests of segments than a GPU is given at once.
    #[error("takes {tests:e} tests of boxes on the GPU")]
    Tests {
        /// Number of tests.
        tests: f64,
    },
    /// Results that do not fit into the memory of a GPU.
    #[error("takes {need:e} bytes on the GPU, which allows {limit:e}")]
    Memory {
        /// Bytes needed.
        need: f64,
        /// Bytes allowed.
        limit: f64,
    },
    /// A kernel that was ended before it was done.
    #[error("is not known to be met by the GPU, of which a thread took too many turns")]
    Turns,
}

/// Why a backend failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BackendError {
    /// A bound that no image can keep.
    #[error("the error bound is {error}; it must be above zero and finite")]
    Bound {
        /// The error bound of the query, m.
        error: f64,
    },
    /// An invalid contact distance.
    #[error("the contact distance is {distance}; it must be finite and not negative")]
    ContactDistance {
        /// The contact distance of the query, m.
        distance: f64,
    },
    /// A pair that names an outline that does not exist, or one outline twice.
    #[error("pair {index} names outlines {a} and {b}; they must differ and be below {count}")]
    Pair {
        /// Position in the list of pairs.
        index: usize,
        /// First outline named.
        a: u32,
        /// Second outline named.
        b: u32,
        /// Number of outlines.
        count: usize,
    },
    /// A point that is not finite.
    #[error("point {point} of outline {outline} is {position}")]
    NotFinite {
        /// Position in the set's points.
        point: usize,
        /// The outline it belongs to.
        outline: usize,
        /// Its position, m.
        position: Vec2,
    },
    /// A point so far out that squares of its coordinates overflow.
    #[error("point {point} of outline {outline} is {position}; {limit} is the most", limit = MOST_COORDINATE)]
    TooFar {
        /// Position in the set's points.
        point: usize,
        /// The outline it belongs to.
        outline: usize,
        /// Where it is, m.
        position: Vec2,
    },
    /// The machine behind the backend failed.
    #[error("{what}")]
    Device {
        /// What went wrong, in the words of the driver.
        what: String,
    },
}

/// Largest coordinate of a point, m: products of two differences are still numbers.
pub const MOST_COORDINATE: f64 = 1e150;

/// One implementation of proximity queries of outlines.
pub trait Backend: std::fmt::Debug + Send {
    /// Its name: `exact`, `cpu` or `gpu`.
    fn name(&self) -> &'static str;

    /// Fills `answers` with the result of every pair, in their order.
    ///
    /// `answers` is made as long as `pairs`; memory that it holds is reused.
    fn query(
        &mut self,
        outlines: &Outlines,
        pairs: &[Pair],
        question: &ProximityQuery,
        answers: &mut Vec<ProximityResult>,
    ) -> Result<(), BackendError>;
}

/// Rejects what no backend can handle, and prepares `answers`.
pub fn prepare(
    outlines: &Outlines,
    pairs: &[Pair],
    question: &ProximityQuery,
    answers: &mut Vec<ProximityResult>,
) -> Result<(), BackendError> {
    let (error, distance) = (question.error, question.contact_distance);
    if !(error > 0.0 && error.is_finite()) {
        return Err(BackendError::Bound { error });
    }
    if !(distance >= 0.0 && distance.is_finite()) {
        return Err(BackendError::ContactDistance { distance });
    }
    let count = outlines.len();
    for (index, &Pair { a, b }) in pairs.iter().enumerate() {
        if a == b || a.max(b) as usize >= count {
            return Err(BackendError::Pair { index, a, b, count });
        }
    }
    let bad = |point: &Vec2| {
        // Without a branch, so that several points are tested at once.
        !((point.x.abs() <= MOST_COORDINATE) & (point.y.abs() <= MOST_COORDINATE))
    };
    if outlines.points().iter().fold(false, |any, point| any | bad(point)) {
        let point = outlines.points().iter().position(bad).unwrap_or_default();
        let outline = (0..count).position(|at| outlines.range(at).contains(&point));
        let (outline, position) = (outline.unwrap_or_default(), outlines.points()[point]);
        return Err(if position.is_finite() {
            BackendError::TooFar { point, outline, position }
        } else {
            BackendError::NotFinite { point, outline, position }
        });
    }
    answers.resize_with(pairs.len(), ProximityResult::default);
    answers.iter_mut().for_each(ProximityResult::clear);
    Ok(())
}
