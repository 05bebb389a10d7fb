//! Where an outline crosses itself or lies along itself.
//!
//! The even–odd rule gives such an outline an inside all the same, but seldom the one that
//! was meant: readers of outlines should report it. Segments are sorted into square cells,
//! and only those that share a cell are compared.

use pliant::math::{Vec2, orient2d};

use super::super::segment::{crossing, meet, place};
use super::{OutlineNotice, Outlines};

/// Most entries in cells for each segment on average.
const ENTRIES: usize = 4;

/// Most pairs of segments looked at: a second's work.
const MOST_PAIRS: usize = 1 << 25;

/// Reports whether an outline crosses itself, and where first.
///
/// Segments that touch in a corner do not cross. At most one notice each for crossings and
/// for stretches that lie along each other, with their count.
pub fn crossings(outlines: &Outlines, outline: usize) -> Vec<OutlineNotice> {
    let range = outlines.range(outline);
    let cells = Cells::new(outlines, range.clone());
    let mut found: [(usize, Option<[usize; 2]>); 2] = [(0, None); 2];
    let mut looked = 0;
    cells.pairs(outlines, |a, b| {
        looked += 1;
        if let Some(kind) = kind(outlines, a, b) {
            let (count, first) = &mut found[kind as usize];
            *count += 1;
            let pair = [a.min(b), a.max(b)];
            *first = Some(first.map_or(pair, |first| first.min(pair)));
        }
        looked < MOST_PAIRS
    });
    let named = |at: usize| {
        let mut rings = outlines.rings(outline).enumerate();
        let own = rings.find(|(_, ring)| ring.contains(&at));
        own.map_or([0, at], |(ring, points)| [ring, at - points.start])
    };
    let mut notices = Vec::new();
    if let (count, Some([a, b])) = found[Kind::Crosses as usize] {
        let (p, q) = (outlines.segment(a), outlines.segment(b));
        let at = crossing(p, q).map_or(q[0], |[along, _]| place(p, along));
        notices.push(OutlineNotice::Crosses { a: named(a), b: named(b), place: at, count });
    }
    if let (count, Some([a, b])) = found[Kind::Along as usize] {
        let place = outlines.segment(b)[0];
        notices.push(OutlineNotice::Along { a: named(a), b: named(b), place, count });
    }
    notices
}

/// How two segments of one outline meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// In one inner point of both.
    Crosses,
    /// In more than a point.
    Along,
}

/// How two segments meet, if in more than a corner of one.
fn kind(outlines: &Outlines, a: usize, b: usize) -> Option<Kind> {
    let (p, q) = (outlines.segment(a), outlines.segment(b));
    if !meet(p, q) {
        return None;
    }
    let of_q = q.map(|end| orient2d(p[0], p[1], end));
    let of_p = p.map(|end| orient2d(q[0], q[1], end));
    if of_q == [0.0; 2] && of_p == [0.0; 2] {
        // On one line: more than a point is shared when the middles' boxes overlap inside.
        let way = p[1] - p[0];
        let span = |ends: [Vec2; 2]| {
            let [s, t] = ends.map(|end| if way.x.abs() >= way.y.abs() { end.x } else { end.y });
            [s.min(t), s.max(t)]
        };
        let ([p_low, p_high], [q_low, q_high]) = (span(p), span(q));
        return (p_low.max(q_low) < p_high.min(q_high)).then_some(Kind::Along);
    }
    let opposite = |[s, t]: [f64; 2]| (s > 0.0 && t < 0.0) || (s < 0.0 && t > 0.0);
    (opposite(of_q) && opposite(of_p)).then_some(Kind::Crosses)
}

/// Segments by the square cells that their boxes reach into.
struct Cells {
    /// Lower left corner of all cells, m.
    corner: Vec2,
    /// Side of a cell, m.
    side: f64,
    /// Cells side by side.
    width: usize,
    /// Cell and segment, ascending.
    entries: Vec<(usize, usize)>,
}

impl Cells {
    fn new(outlines: &Outlines, range: std::ops::Range<usize>) -> Cells {
        let points = &outlines.points()[range.clone()];
        let corner = points.iter().copied().fold(Vec2::INFINITY, Vec2::min);
        let extent = points.iter().copied().fold(Vec2::NEG_INFINITY, Vec2::max) - corner;
        let mut along = (range.len() as f64).sqrt().ceil();
        // Long segments fill many cells: larger ones then, until memory is as the input's.
        loop {
            let side = extent.max_element() / along;
            let width = along as usize + 1;
            let mut cells = Cells { corner, side, width, entries: vec![] };
            let size = |at: usize| {
                let [low, high] = cells.span(outlines.segment(at));
                (high[0] - low[0] + 1) * (high[1] - low[1] + 1)
            };
            if along <= 1.0 || range.clone().map(size).sum::<usize>() <= ENTRIES * range.len() {
                cells.fill(outlines, range);
                return cells;
            }
            along = (along / 2.0).ceil();
        }
    }

    fn fill(&mut self, outlines: &Outlines, range: std::ops::Range<usize>) {
        let mut entries = Vec::new();
        for at in range {
            let [low, high] = self.span(outlines.segment(at));
            for y in low[1]..=high[1] {
                entries.extend((low[0]..=high[0]).map(|x| (y * self.width + x, at)));
            }
        }
        entries.sort_unstable();
        self.entries = entries;
    }

    fn cell(&self, point: Vec2) -> [usize; 2] {
        let at = (point - self.corner) / self.side;
        [at.x, at.y].map(|at| (at as usize).min(self.width - 1))
    }

    /// Lowest and highest cell of a segment's box.
    fn span(&self, [a, b]: [Vec2; 2]) -> [[usize; 2]; 2] {
        [self.cell(a.min(b)), self.cell(a.max(b))]
    }

    /// Every pair of segments whose boxes overlap, once, until `look` has seen enough.
    fn pairs(&self, outlines: &Outlines, mut look: impl FnMut(usize, usize) -> bool) {
        for cell in self.entries.chunk_by(|p, q| p.0 == q.0) {
            for (index, &(here, b)) in cell.iter().enumerate() {
                let [b_low, b_high] = bounds(outlines.segment(b));
                for &(_, a) in &cell[..index] {
                    let [a_low, a_high] = bounds(outlines.segment(a));
                    let (low, high) = (a_low.max(b_low), a_high.min(b_high));
                    if !low.cmple(high).all() {
                        continue;
                    }
                    // Boxes share several cells: the lowest of them is the pair's own.
                    let [x, y] = self.cell(low);
                    if y * self.width + x == here && !look(a, b) {
                        return;
                    }
                }
            }
        }
    }
}

fn bounds([a, b]: [Vec2; 2]) -> [Vec2; 2] {
    [a.min(b), a.max(b)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(rings: &[&[(f64, f64)]]) -> Vec<OutlineNotice> {
        let rings: Vec<Vec<Vec2>> =
            rings.iter().map(|ring| ring.iter().map(|&p| Vec2::from(p)).collect()).collect();
        let mut outlines = Outlines::default();
        outlines.push(&[vec![Vec2::ZERO, Vec2::X, Vec2::Y]]).unwrap();
        outlines.push(&rings).unwrap();
        crossings(&outlines, 1)
    }

    #[test]
    fn simple_rings_do_not_cross() {
        let square: &[(f64, f64)] = &[(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)];
        assert_eq!(reported(&[square]), []);
        // A hole that touches in a corner, and one whose corner lies on a side.
        assert_eq!(reported(&[square, &[(0.0, 0.0), (2.0, 1.0), (1.0, 2.0)]]), []);
        assert_eq!(reported(&[square, &[(0.0, 1.0), (2.0, 1.0), (1.0, 2.0)]]), []);
    }

    #[test]
    fn a_crossing_is_told_with_ring_segment_and_place() {
        // The bow tie's segments 1 and 3 cross in its middle, however the ring is turned.
        let bow: &[(f64, f64)] = &[(0.0, 0.0), (2.0, 0.0), (0.0, 2.0), (2.0, 2.0)];
        let expected =
            OutlineNotice::Crosses { a: [0, 1], b: [0, 3], place: Vec2::new(1.0, 1.0), count: 1 };
        assert_eq!(
            expected.to_string(),
            "segment 1 of ring 0 crosses segment 3 of ring 0 at [1, 1]; inside is even–odd, \
             so parts covered twice are outside"
        );
        assert_eq!(reported(&[bow]), [expected]);
        let two: [&[(f64, f64)]; 2] = [
            &[(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)],
            &[(1.0, 1.0), (5.0, 1.0), (5.0, 3.0), (1.0, 3.0)],
        ];
        let [OutlineNotice::Crosses { a: [0, _], b: [1, _], count: 2, .. }] = reported(&two)[..]
        else {
            panic!("{:?}", reported(&two))
        };
    }

    #[test]
    fn stretches_along_each_other_are_told() {
        let sides: [&[(f64, f64)]; 2] = [
            &[(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)],
            &[(4.0, 1.0), (6.0, 1.0), (6.0, 2.0), (4.0, 2.0)],
        ];
        let [OutlineNotice::Along { a: [0, _], b: [1, _], count: 1, .. }] = reported(&sides)[..]
        else {
            panic!("{:?}", reported(&sides))
        };
    }

    #[test]
    fn all_crossings_of_a_star_are_counted() {
        for corners in [5_usize, 7, 51] {
            let step = corners / 2;
            let ring: Vec<Vec2> = (0..corners)
                .map(|k| std::f64::consts::TAU * ((k * step) % corners) as f64 / corners as f64)
                .map(Vec2::from_angle)
                .collect();
            let mut outlines = Outlines::default();
            outlines.push(&[ring]).unwrap();
            let reported = crossings(&outlines, 0);
            // Every chord crosses all that do not share an end with it.
            let expected = corners * (corners - 3) / 2;
            assert!(
                matches!(reported[..], [OutlineNotice::Crosses { count, .. }] if count == expected),
                "{reported:?}"
            );
        }
    }
}
