//! Outlines: closed rings of points; inside is what an odd number of them surrounds.
//!
//! By the even–odd rule a ring inside another is a hole, several outer rings make one
//! outline of several parts, and a ring that crosses itself still has an inside, whose
//! boundary is exactly its segments. Rings are turned so that the inside lies to the left
//! of every segment, as far as they do not cross.

use std::ops::Range;

use pliant::id::VertexId;
use pliant::math::{Vec2, Vec3};

pub mod curve;

pub mod thick;

pub mod cancel;

pub mod crossings;

mod turn;

use turn::turn;

/// Why rings make no outline.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OutlineError {
    /// No ring at all.
    #[error("the outline has no ring")]
    Empty,
    /// A coordinate that is not finite.
    #[error("point {point} of ring {ring} is {position}")]
    NotFinite {
        /// Position of the ring in the input.
        ring: usize,
        /// Position of the point in the ring.
        point: usize,
        /// Its position, m.
        position: Vec2,
    },
    /// A ring that surrounds nothing.
    #[error("ring {ring} has {count} different points; it takes three")]
    TooFew {
        /// Position of the ring in the input.
        ring: usize,
        /// Number of points that differ from the one before.
        count: usize,
    },
    /// More points than an index can name.
    #[error("the outlines have {count} points together; {limit} are the most", limit = u32::MAX)]
    TooMany {
        /// Number of points of all outlines.
        count: usize,
    },
}

/// What was repaired or is suspicious about rings that still make an outline.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OutlineNotice {
    /// Points at the place of the one before them were left out.
    #[error("ring {ring} repeats {count} points, which were left out")]
    Repeated {
        /// Position of the ring in the input.
        ring: usize,
        /// Number of points left out.
        count: usize,
    },
    /// Segments that occur twice and bound nothing were left out.
    #[error(
        "segment {} of ring {} is there again as segment {} of ring {}, at {place}; \
         {count} such segments cancel each other", a[1], a[0], b[1], b[0]
    )]
    Doubled {
        /// Ring and segment of the first.
        a: [usize; 2],
        /// Ring and segment of its double.
        b: [usize; 2],
        /// Where the first begins, m.
        place: Vec2,
        /// Number of segments left out.
        count: usize,
    },
    /// Segments cross: what was meant may be another inside.
    #[error(
        "segment {} of ring {} crosses segment {} of ring {} at {place}{}; \
         inside is even–odd, so parts covered twice are outside",
        a[1], a[0], b[1], b[0], more(*count)
    )]
    Crosses {
        /// Ring and segment of the first, as turned and cleaned.
        a: [usize; 2],
        /// Ring and segment that crosses it.
        b: [usize; 2],
        /// Where, m.
        place: Vec2,
        /// Number of crossings.
        count: usize,
    },
    /// Segments lie along each other in part.
    #[error(
        "segment {} of ring {} lies along segment {} of ring {} near {place}{}",
        a[1], a[0], b[1], b[0], more(*count)
    )]
    Along {
        /// Ring and segment of the first, as turned and cleaned.
        a: [usize; 2],
        /// Ring and segment that lies along it.
        b: [usize; 2],
        /// An end of the second, m.
        place: Vec2,
        /// Number of such pairs.
        count: usize,
    },
    /// Segments meet so often that the search for crossings ended early.
    #[error(
        "segments of the outline meet in {count} places or more: the search for crossings \
         ended there, and counts of them are too low"
    )]
    ManyMeetings {
        /// Number of meetings looked at.
        count: usize,
    },
}

/// How the others of a kind are reported after the first.
fn more(count: usize) -> String {
    if count > 1 { format!(", the first of {count} places") } else { String::new() }
}

/// Many outlines in flat arrays, ready for queries.
///
/// Every point begins one segment, which ends at [`Outlines::next`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outlines {
    /// All points, ring after ring, outline after outline, m.
    points: Vec<Vec2>,
    /// For each point the one that follows in its ring.
    next: Vec<u32>,
    /// First point of each ring, and the count of points at the end.
    ring_starts: Vec<u32>,
    /// First ring of each outline, and the count of rings at the end.
    outline_starts: Vec<u32>,
}

impl Outlines {
    /// Adds an outline of one or more rings; a last point equal to the first is left out.
    ///
    /// Points equal to the one before are left out with a notice. Nothing is added on an error.
    pub fn push(&mut self, rings: &[Vec<Vec2>]) -> Result<Vec<OutlineNotice>, OutlineError> {
        if rings.is_empty() {
            return Err(OutlineError::Empty);
        }
        let mut notices = Vec::new();
        let mut cleaned = Vec::with_capacity(rings.len());
        for (ring, points) in rings.iter().enumerate() {
            let bad = points.iter().position(|point| !point.is_finite());
            if let Some(point) = bad {
                let position = points[point];
                return Err(OutlineError::NotFinite { ring, point, position });
            }
            let kept = without_repeats(points);
            // A closing point is how files end a ring, no mistake.
            let closing = usize::from(points.len() > 1 && points.first() == points.last());
            let count = points.len() - kept.len() - closing;
            if kept.len() < 3 {
                return Err(OutlineError::TooFew { ring, count: kept.len() });
            }
            if count > 0 {
                notices.push(OutlineNotice::Repeated { ring, count });
            }
            cleaned.push(kept);
        }
        let count = self.points.len() + cleaned.iter().map(Vec::len).sum::<usize>();
        if count > u32::MAX as usize {
            return Err(OutlineError::TooMany { count });
        }
        turn(&mut cleaned);
        self.append(&cleaned);
        Ok(notices)
    }

    /// Adds an outline whose rings are as [`Outlines::push`] would leave them.
    ///
    /// Points stay in their order, for callers that know them by number. Nothing is added on an
    /// error.
    pub fn push_given(&mut self, rings: &[Vec<Vec2>]) -> Result<(), OutlineError> {
        if rings.is_empty() {
            return Err(OutlineError::Empty);
        }
        for (ring, points) in rings.iter().enumerate() {
            if let Some(point) = points.iter().position(|point| !point.is_finite()) {
                let position = points[point];
                return Err(OutlineError::NotFinite { ring, point, position });
            }
            if points.len() < 3 {
                return Err(OutlineError::TooFew { ring, count: points.len() });
            }
        }
        let count = self.points.len() + rings.iter().map(Vec::len).sum::<usize>();
        if count > u32::MAX as usize {
            return Err(OutlineError::TooMany { count });
        }
        self.append(rings);
        Ok(())
    }

    /// Appends rings that are known to be good.
    fn append(&mut self, rings: &[Vec<Vec2>]) {
        if self.outline_starts.is_empty() {
            self.ring_starts.push(0);
            self.outline_starts.push(0);
        }
        for ring in rings {
            let start = self.points.len() as u32;
            self.points.extend(ring);
            self.next.extend(start + 1..start + ring.len() as u32);
            self.next.push(start);
            self.ring_starts.push(self.points.len() as u32);
        }
        self.outline_starts.push(self.ring_starts.len() as u32 - 1);
    }

    /// How many outlines there are.
    pub fn len(&self) -> usize {
        self.outline_starts.len().saturating_sub(1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All points, m.
    pub fn points(&self) -> &[Vec2] {
        &self.points
    }

    /// All points to be moved, m; rings stay as they are joined.
    pub fn points_mut(&mut self) -> &mut [Vec2] {
        &mut self.points
    }

    /// For each point the end of its segment.
    pub fn next(&self) -> &[u32] {
        &self.next
    }

    /// The points, and by that the segments, of one outline.
    pub fn range(&self, outline: usize) -> Range<usize> {
        let rings = [outline, outline + 1].map(|at| self.outline_starts[at] as usize);
        let [start, end] = rings.map(|ring| self.ring_starts[ring] as usize);
        start..end
    }

    /// The points of each ring of one outline.
    pub fn rings(&self, outline: usize) -> impl Iterator<Item = Range<usize>> + Clone {
        let [first, last] = [outline, outline + 1].map(|at| self.outline_starts[at] as usize);
        self.ring_starts[first..=last].windows(2).map(|ends| ends[0] as usize..ends[1] as usize)
    }

    /// Both ends of a segment, m.
    #[inline]
    pub fn segment(&self, at: usize) -> [Vec2; 2] {
        [self.points[at], self.points[self.next[at] as usize]]
    }
}

/// The points of a ring, each differing from the one before and the last from the first.
fn without_repeats(points: &[Vec2]) -> Vec<Vec2> {
    let mut kept: Vec<Vec2> = Vec::with_capacity(points.len());
    for &point in points {
        if kept.last() != Some(&point) {
            kept.push(point);
        }
    }
    while kept.len() > 1 && kept.first() == kept.last() {
        kept.pop();
    }
    kept
}

/// Area of a ring, m², positive if counter-clockwise.
///
/// Measured from its first point, so that a ring far from the origin keeps its digits.
pub fn area(ring: &[Vec2]) -> f64 {
    let Some(&from) = ring.first() else { return 0.0 };
    let corners = ring.windows(2).map(|ends| (ends[0] - from).perp_dot(ends[1] - from));
    corners.sum::<f64>() / 2.0
}

/// Share of each vertex in the length of rings; vertices on no ring have none.
///
/// Segments that name a vertex which does not exist are left out. NaN where the rings have no
/// length.
pub fn length_shares(rings: &[Vec<VertexId>], positions: &[Vec3]) -> Vec<f64> {
    let mut lengths = vec![0.0; positions.len()];
    for ring in rings {
        for (a, b) in ring.iter().zip(ring.iter().cycle().skip(1)) {
            let ends = [a, b].map(|v| positions.get(v.index()));
            let [Some(from), Some(to)] = ends else { continue };
            let half = 0.5 * from.distance(*to);
            lengths[a.index()] += half;
            lengths[b.index()] += half;
        }
    }
    let total: f64 = lengths.iter().sum();
    lengths.into_iter().map(|length| length / total).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(side: f64) -> Vec<Vec2> {
        [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
            .map(|(x, y)| side * (Vec2::new(x, y) - 0.5))
            .to_vec()
    }

    #[test]
    fn vertices_share_the_length_of_their_rings() {
        // A triangle with sides 3, 4 and 5 m; the last vertex is on no ring.
        let positions = [(0.0, 0.0), (3.0, 0.0), (3.0, 4.0), (9.0, 9.0)];
        let positions = positions.map(|(x, y)| Vec3::new(x, y, 0.0));
        let ring = vec![[0, 1, 2].map(VertexId).to_vec()];
        assert_eq!(
            length_shares(&ring, &positions),
            [8.0, 7.0, 9.0, 0.0].map(|twice| twice / 24.0)
        );
        let unknown = vec![[0, 1, 7].map(VertexId).to_vec()];
        assert_eq!(length_shares(&unknown, &positions), [0.5, 0.5, 0.0, 0.0]);
        assert!(length_shares(&[], &[]).is_empty());
    }

    #[test]
    fn a_ring_in_a_ring_is_a_hole_and_is_turned() {
        let mut outlines = Outlines::default();
        let mut clockwise = square(4.0);
        clockwise.reverse();
        assert_eq!(outlines.push(&[clockwise, square(2.0), square(1.0)]), Ok(vec![]));
        let areas: Vec<f64> =
            outlines.rings(0).map(|ring| area(&outlines.points()[ring])).collect();
        assert_eq!(areas, [16.0, -4.0, 1.0]);
    }

    #[test]
    fn every_point_begins_a_segment_that_stays_in_its_ring() {
        let mut outlines = Outlines::default();
        outlines.push(&[square(1.0), square(3.0)]).unwrap();
        outlines.push(&[square(2.0)]).unwrap();
        assert_eq!(outlines.len(), 2);
        assert_eq!((outlines.range(0), outlines.range(1)), (0..8, 8..12));
        for outline in 0..2 {
            for ring in outlines.rings(outline) {
                assert!(ring.clone().all(|at| ring.contains(&(outlines.next()[at] as usize))));
                assert_eq!(outlines.next()[ring.end - 1] as usize, ring.start);
            }
        }
    }

    #[test]
    fn a_closing_point_is_no_repeat_and_a_repeat_is_told() {
        let mut outlines = Outlines::default();
        let mut closed = square(1.0);
        closed.push(closed[0]);
        assert_eq!(outlines.push(&[closed.clone()]), Ok(vec![]));
        closed.insert(2, closed[2]);
        let reported = OutlineNotice::Repeated { ring: 0, count: 1 };
        assert_eq!(outlines.push(&[closed]), Ok(vec![reported]));
        assert_eq!(outlines.range(1), 4..8);
    }

    #[test]
    fn given_rings_keep_their_order() {
        let mut outlines = Outlines::default();
        let mut clockwise = square(4.0);
        clockwise.reverse();
        outlines.push_given(&[clockwise.clone()]).unwrap();
        assert_eq!(outlines.points(), clockwise);
        let few = OutlineError::TooFew { ring: 0, count: 2 };
        assert_eq!(outlines.push_given(&[clockwise[..2].to_vec()]), Err(few));
        assert_eq!(outlines.len(), 1);
    }

    #[test]
    fn what_surrounds_nothing_is_refused_and_nothing_is_added() {
        let mut outlines = Outlines::default();
        assert_eq!(outlines.push(&[]), Err(OutlineError::Empty));
        let line = vec![Vec2::ZERO, Vec2::X, Vec2::ZERO];
        let few = OutlineError::TooFew { ring: 1, count: 2 };
        assert_eq!(outlines.push(&[square(1.0), line]), Err(few));
        let mut broken = square(1.0);
        broken[2].y = f64::NAN;
        assert!(matches!(
            outlines.push(&[broken]),
            Err(OutlineError::NotFinite { ring: 0, point: 2, .. })
        ));
        assert!(outlines.is_empty());
    }
}
