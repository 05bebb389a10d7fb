//! The parts of one boundary near another, by images of growing resolution.
//!
//! A boundary is cut into pieces no longer than the pixels, and the other outline's field is
//! read at their middles. By the error of the reading and the piece's length a piece is
//! certainly too far, and dropped, or kept and refined with smaller pixels.
//!
//! | here    | meaning                                                          |
//! |---------|------------------------------------------------------------------|
//! | `error` | D, bound of the result's lengths, m                              |
//! | `value` | distance read at a piece's middle; off by at most 0.8 D at last  |
//! | `half`  | half the length of a piece, m; at most 0.2 D at last             |
//!
//! So the least distance of a stretch is not below its least value less D, nor above it by
//! more than 0.8 D.

use pliant::math::Vec2;

use super::super::Cause;
use super::super::contact::Part;
use super::super::exact::tree::View;
use super::super::field::sample::Reading;
use super::super::outline::Outlines;
use super::super::rect::Rect;
use super::super::segment::place;
use super::probe::Probes;

/// Error of the last readings, relative to the error bound.
const LAST_ERROR: f64 = 0.8;

/// Half the length of the last pieces, relative to the error bound.
const LAST_HALF: f64 = 0.2;

/// Factor from one resolution to the next.
const REFINEMENT: f64 = 4.0;

/// Pixels along the longer side of the first image, about.
const FIRST_SIDE: f64 = 90.0;

/// Readings look at pixels up to this many errors away: √5 pixels of √2 errors, and more.
const STENCIL: f64 = 6.0;

/// Most pieces.
pub const MOST_PIECES: usize = 1 << 21;

/// What is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchMode {
    /// All parts within the distance.
    Within,
    /// The parts that may be nearest.
    Nearest,
}

/// Pieces of a's boundary near b, and what was read at their middles.
#[derive(Clone, Debug, Default)]
pub struct Near {
    /// In order along a.
    pub pieces: Vec<Part>,
    /// For each piece the value of b's field at its middle.
    pub readings: Vec<Reading>,
    /// Pieces of the resolution before.
    coarse: Vec<Part>,
}

/// What to search, and how far.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// Outlines a and b.
    pub pair: [usize; 2],
    /// Box of b, m.
    pub target: Rect,
    /// What is farther does not matter, m.
    pub distance: f64,
    /// Bound of the error, m.
    pub error: f64,
    /// What is looked for.
    pub pursuit: SearchMode,
}

impl Near {
    /// Finds the pieces of a within the distance of b; those of more may be among them.
    pub fn search(
        &mut self,
        view: View<'_>,
        search: &Search,
        probes: &mut Probes,
    ) -> Result<(), Cause> {
        let outlines = view.outlines;
        let region = self.begin(outlines, search);
        let last = LAST_ERROR * search.error;
        let mut error = (region.size().max_element() / FIRST_SIDE).max(last);
        let mut distance = search.distance;
        loop {
            let longest = 2.0 * if error > last { error } else { LAST_HALF * search.error };
            self.split(outlines, longest, probes)?;
            let reach = distance + STENCIL * error + longest;
            probes.read(view, search.pair[1], error, reach);
            if search.pursuit == SearchMode::Nearest {
                let values = probes.readings.iter().flatten().map(|reading| reading.value.abs());
                distance = values.fold(distance, |least, value| least.min(value + error));
            }
            self.keep(outlines, distance + error, probes);
            if error <= last || self.pieces.is_empty() {
                return Ok(());
            }
            error = (error / REFINEMENT).max(last);
        }
    }

    /// Takes the segments of a whose box comes within the distance of b's; their box.
    fn begin(&mut self, outlines: &Outlines, search: &Search) -> Rect {
        let Rect { min, max } = search.target;
        let target = Rect { min: min - search.distance, max: max + search.distance };
        let mut region = Rect::EMPTY;
        self.pieces.clear();
        for at in outlines.range(search.pair[0]) {
            let ends = outlines.segment(at);
            if let Some(along) = clip(ends, target) {
                self.pieces.push(Part { segment: at as u32, along });
                let [a, b] = along.map(|along| place(ends, along));
                region = region.with(a).with(b);
            }
        }
        region
    }

    /// Cuts pieces so that none is longer, and puts probes in their middles.
    fn split(
        &mut self,
        outlines: &Outlines,
        longest: f64,
        probes: &mut Probes,
    ) -> Result<(), Cause> {
        std::mem::swap(&mut self.pieces, &mut self.coarse);
        self.pieces.clear();
        probes.points.clear();
        for piece in &self.coarse {
            let ends = outlines.segment(piece.segment as usize);
            let [from, to] = piece.along;
            let length = (to - from) * ends[0].distance(ends[1]);
            let parts = (length / longest).ceil().max(1.0);
            if parts + self.pieces.len() as f64 > MOST_PIECES as f64 {
                return Err(Cause::Pieces { most: MOST_PIECES });
            }
            let at = |k: f64| if k == parts { to } else { from + k * ((to - from) / parts) };
            for k in 0..parts as usize {
                let along = [at(k as f64), at(k as f64 + 1.0)];
                self.pieces.push(Part { segment: piece.segment, along });
                probes.points.push(place(ends, 0.5 * (along[0] + along[1])));
            }
        }
        Ok(())
    }

    /// Drops pieces of which no point is within the limit, m, by what was read.
    fn keep(&mut self, outlines: &Outlines, limit: f64, probes: &Probes) {
        self.readings.clear();
        let mut readings = probes.readings.iter();
        self.pieces.retain(|piece| {
            let Some(Some(reading)) = readings.next() else { return false };
            let [from, to] = piece.ends(outlines);
            let kept = reading.value.abs() - 0.5 * from.distance(to) <= limit;
            if kept {
                self.readings.push(*reading);
            }
            kept
        });
    }
}

/// The part of a segment in a box, as shares of its way.
fn clip([a, b]: [Vec2; 2], Rect { min: low, max: high }: Rect) -> Option<[f64; 2]> {
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for axis in 0..2 {
        let (start, way) = (a[axis], b[axis] - a[axis]);
        let [enter, leave] = [low[axis], high[axis]].map(|side| (side - start) / way);
        if way == 0.0 {
            if start < low[axis] || start > high[axis] {
                return None;
            }
        } else {
            from = from.max(enter.min(leave));
            to = to.min(enter.max(leave));
        }
    }
    (from <= to).then_some([from, to])
}

/// Upper bound of the distance of two boundaries, m, from vertex to vertex.
pub fn upper_bound(outlines: &Outlines, [a, b]: [usize; 2]) -> f64 {
    let points = |outline: usize| &outlines.points()[outlines.range(outline)];
    let mut from = points(a)[0];
    let mut least = f64::INFINITY;
    for outline in [b, a, b, a] {
        let nearest = points(outline).iter().map(|point| (point.distance_squared(from), *point));
        let nearest = nearest.reduce(|best, next| if next.0 < best.0 { next } else { best });
        if let Some((distance_sq, point)) = nearest {
            (least, from) = (least.min(distance_sq.sqrt()), point);
        }
    }
    least
}
