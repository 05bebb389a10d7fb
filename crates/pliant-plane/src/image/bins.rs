//! Where two boundaries meet: a conservative drawing of one, walked along by the other.
//!
//! The cells are coarse pixels that name the segments that touch them. Two segments that
//! share a point share the cell it lies in, so that only those need the exact test.

use std::ops::Range;

use pliant::math::Vec2;

use super::super::outline::Outlines;
use super::super::raster::rows::Csr;
use super::super::rect::Rect;
use super::super::segment::{meet, shared};

/// Slack of a cell, relative to the largest coordinate and to the cell: far above rounding.
const SLACK: f64 = 1e-12;

/// Two segments that share a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// The segment of a and the segment of b.
    pub segments: [u32; 2],
    /// For each where the shared part begins and ends, as shares of its way.
    pub along: [[f64; 2]; 2],
}

/// The segments of an outline by the cells they touch.
#[derive(Clone, Debug, Default)]
pub struct Bins {
    /// Where the cells are.
    grid: Grid,
    /// For each cell the segments that touch it.
    cells: Csr<u32>,
    /// Segments of one walk, each once.
    met: Vec<u32>,
}

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default)]
struct Grid {
    /// Lower left corner, m.
    low: Vec2,
    /// Upper right corner, m.
    high: Vec2,
    /// Sides of a cell, m.
    cell: Vec2,
    /// Cells side by side and above each other.
    count: [usize; 2],
    /// Slack of the tests, m.
    slack: f64,
}

/// Whether one meeting suffices or all are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Whether there is one.
    First,
    /// All of them.
    All,
}

impl Bins {
    /// Appends where the boundaries of a and b meet within a region, along a.
    ///
    /// `region` holds every point that both boxes share. Exact.
    pub fn meetings(
        &mut self,
        outlines: &Outlines,
        [a, b]: [usize; 2],
        region: Rect,
        extent: Extent,
        meetings: &mut Vec<Meeting>,
    ) {
        self.grid = Grid::over(region, outlines.range(b).len());
        let grid = self.grid;
        let reached = outlines
            .range(b)
            .flat_map(|at| grid.runs(outlines.segment(at)).map(move |run| (at, run)));
        self.cells.fill(grid.count[0] * grid.count[1], reached, |at, _| at as u32);
        for at_a in outlines.range(a) {
            let ends = outlines.segment(at_a);
            self.met.clear();
            for cell in grid.runs(ends).flatten() {
                self.met.extend(self.cells.items(cell));
            }
            self.met.sort_unstable();
            self.met.dedup();
            for &at_b in &self.met {
                let across = outlines.segment(at_b as usize);
                if meet(ends, across) {
                    let segments = [at_a as u32, at_b];
                    meetings.push(Meeting { segments, along: shared(ends, across) });
                    if extent == Extent::First {
                        return;
                    }
                }
            }
        }
    }
}

impl Grid {
    /// About as many cells as there are segments.
    fn over(Rect { min: low, max: high }: Rect, segments: usize) -> Grid {
        let size = high - low;
        let side = (size.x * size.y / segments.max(1) as f64).sqrt();
        let side = if side > 0.0 { side } else { size.max_element() / segments.max(1) as f64 };
        let most = 4 * segments + 1;
        let count = [size.x, size.y].map(|length| ((length / side).ceil() as usize).clamp(1, most));
        let cell = Vec2::new(size.x / count[0] as f64, size.y / count[1] as f64);
        let coordinate = low.abs().max(high.abs()).max_element();
        let slack = SLACK * coordinate + SLACK * cell.max_element();
        Grid { low, high, cell, count, slack }
    }

    /// Column or row of a place.
    fn at(&self, axis: usize, place: f64) -> usize {
        let cells = (place - self.low[axis]) / self.cell[axis];
        // NaN where the region is flat: all is in one cell.
        (cells.max(0.0) as usize).min(self.count[axis] - 1)
    }

    /// The cells that a segment touches, as a run for each row.
    fn runs(self, [a, b]: [Vec2; 2]) -> impl Iterator<Item = Range<usize>> + Clone {
        let (min, max) = (a.min(b) - self.slack, a.max(b) + self.slack);
        let apart = min.cmpgt(self.high).any() || max.cmplt(self.low).any();
        let rows = if apart { 0..0 } else { self.at(1, min.y)..self.at(1, max.y) + 1 };
        rows.map(move |row| {
            let floor = self.low.y + row as f64 * self.cell.y - self.slack;
            let ceiling = floor + self.cell.y + 2.0 * self.slack;
            // The outermost rows hold what lies beyond them.
            let floor = if row == 0 { min.y } else { floor };
            let ceiling = if row + 1 == self.count[1] { max.y } else { ceiling };
            let x = |y: f64| {
                let share = (y - a.y) / (b.y - a.y);
                if share.is_finite() { a.x + share.clamp(0.0, 1.0) * (b.x - a.x) } else { a.x }
            };
            let flat = (b.y - a.y).abs() <= self.slack;
            let (p, q) = if flat { (a.x, b.x) } else { (x(floor), x(ceiling)) };
            // A slack in height is one across as well, as long as the segment is.
            let lean = if flat { 0.0 } else { ((b.x - a.x) / (b.y - a.y)).abs() };
            let slack = (self.slack * (1.0 + lean)).min(max.x - min.x);
            let (left, right) = ((p.min(q) - slack).max(min.x), (p.max(q) + slack).min(max.x));
            let row = row * self.count[0];
            row + self.at(0, left)..row + self.at(0, right) + 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: &[Vec2], b: &[Vec2]) -> usize {
        let mut outlines = Outlines::default();
        outlines.push(&[a.to_vec()]).unwrap();
        outlines.push(&[b.to_vec()]).unwrap();
        let [of_a, of_b] = [a, b].map(|ring| Rect::around(ring.iter().copied()));
        let region = of_a.common(of_b);
        let (mut bins, mut found) = (Bins::default(), Vec::new());
        bins.meetings(&outlines, [0, 1], region, Extent::All, &mut found);
        let found: Vec<[u32; 2]> = found.iter().map(|meeting| meeting.segments).collect();
        let mut expected = Vec::new();
        for at_a in outlines.range(0) {
            let here = outlines
                .range(1)
                .filter(|&at_b| meet(outlines.segment(at_a), outlines.segment(at_b)));
            expected.extend(here.map(|at_b| [at_a as u32, at_b as u32]));
        }
        assert_eq!(found, expected);
        found.len()
    }

    #[test]
    fn every_pair_of_segments_that_meets_is_found() {
        let star = |turn: f64, long: f64, shift: Vec2| -> Vec<Vec2> {
            (0..60)
                .map(|k| {
                    let radius = if k % 2 == 0 { long } else { 0.3 };
                    shift + radius * Vec2::from_angle(f64::from(k) * 0.104_719_755 + turn)
                })
                .collect()
        };
        let mut met = 0;
        for k in 0..40 {
            let k = f64::from(k);
            let shift = Vec2::new(0.05 * k, 0.9 * libm::sin(k * 0.7));
            met += check(&star(0.0, 1.0, Vec2::ZERO), &star(k, 1.4, shift));
            // Far from the origin as well, where coordinates have few digits left.
            let far = Vec2::splat(1e9);
            met += check(&star(0.0, 1.0, far), &star(k, 1.4, far + shift));
        }
        assert!(met > 1000, "{met}");
    }

    #[test]
    fn regions_without_area_hold_meetings_too() {
        let square = |x: f64| [(x, 0.0), (x + 1.0, 0.0), (x + 1.0, 1.0), (x, 1.0)];
        let ring = |x: f64| square(x).map(|(x, y)| Vec2::new(x, y)).to_vec();
        assert_eq!(check(&ring(0.0), &ring(1.0)), 7); // side on side, three touched by each corner
    }
}
