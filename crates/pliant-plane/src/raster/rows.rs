//! What a row of pixels meets: where it enters and leaves an outline.
//!
//! A pixel is inside when its centre is, by the even–odd rule and by exact signs: an image
//! and [`segment::right_of`](super::super::segment::right_of) never disagree.

use std::ops::Range;

use pliant::math::Vec2;

use super::super::boundary::PointLocation;
use super::super::field::Window;
use super::super::outline::Outlines;
use super::super::segment::{right_of, touches};

/// Items in rows: those of row k lie between two starts.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Csr<T> {
    /// Where each row begins in `items`, and their number at the end.
    starts: Vec<u32>,
    /// All items, row after row.
    items: Vec<T>,
}

impl<T: Copy + Default> Csr<T> {
    /// Gives every row the items that `make` returns for the segments that reach it.
    pub(in super::super) fn fill<'a>(
        &mut self,
        count: usize,
        reached: impl Iterator<Item = (usize, Range<usize>)> + Clone + 'a,
        mut make: impl FnMut(usize, usize) -> T,
    ) {
        self.starts.clear();
        self.starts.resize(count + 1, 0);
        for (_, rows) in reached.clone() {
            rows.for_each(|row| self.starts[row + 1] += 1);
        }
        for row in 0..count {
            self.starts[row + 1] += self.starts[row];
        }
        self.items.clear();
        self.items.resize(self.starts[count] as usize, T::default());
        for (at, rows) in reached {
            for row in rows {
                // Starts serve as the next free place, and end one row further on.
                let place = self.starts[row] as usize;
                self.items[place] = make(at, row);
                self.starts[row] += 1;
            }
        }
        self.starts.copy_within(0..count, 1);
        self.starts[0] = 0;
    }

    /// The places of a row's items.
    fn row(&self, row: usize) -> Range<usize> {
        self.starts[row] as usize..self.starts[row + 1] as usize
    }
}

/// The rows whose centres a segment crosses; its lower end counts, its upper does not.
fn crossed(window: &Window, [a, b]: [Vec2; 2]) -> Range<usize> {
    let (low, high) = (a.y.min(b.y), a.y.max(b.y));
    let height = f64::from(window.height);
    if high < window.corner.y || low > window.corner.y + height * window.pixel {
        return 0..0;
    }
    let row = |y: f64| {
        let guess = ((y - window.corner.y) / window.pixel - 0.5).ceil().clamp(0.0, height) as u32;
        // Rounding may be a row off: the first centre not below y is found by comparing.
        let at = |row: u32| window.centre(0, row).y;
        let mut row = guess;
        while row > 0 && at(row - 1) >= y {
            row -= 1;
        }
        while row < window.height && at(row) < y {
            row += 1;
        }
        row as usize
    };
    row(low)..row(high)
}

/// What of a window is inside an outline.
#[derive(Clone, Debug, Default)]
pub struct Fill {
    /// For each row the columns from which on one more segment lies to the left, ascending.
    turns: Csr<u32>,
}

impl<T> Csr<T> {
    /// What a row holds.
    pub(in super::super) fn items(&self, row: usize) -> &[T] {
        &self.items[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

impl Fill {
    /// Fills an outline.
    pub fn draw(&mut self, outlines: &Outlines, outline: usize, window: &Window) {
        let ends = |at: usize| outlines.segment(at);
        let reached = outlines.range(outline).map(|at| (at, crossed(window, ends(at))));
        let height = window.height as usize;
        self.turns.fill(height, reached, |at, row| turn(window, ends(at), row as u32));
        for row in 0..height {
            let row = self.turns.row(row);
            self.turns.items[row].sort_unstable();
        }
    }

    /// The columns of a row at which inside begins and ends in turn, ascending.
    #[inline]
    pub fn turns(&self, row: usize) -> &[u32] {
        &self.turns.items[self.turns.row(row)]
    }

    /// Whether a pixel's centre is inside.
    pub fn inside(&self, x: u32, y: u32) -> bool {
        self.turns(y as usize).iter().filter(|turn| **turn <= x).count() % 2 == 1
    }
}

/// The first column whose centre the segment is not to the right of.
fn turn(window: &Window, ends @ [a, b]: [Vec2; 2], row: u32) -> u32 {
    let y = window.centre(0, row).y;
    let x = a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x);
    let guess = (x - window.corner.x) / window.pixel - 0.5;
    let mut column = guess.ceil().clamp(0.0, f64::from(window.width)) as u32;
    while column > 0 && !right_of(ends, window.centre(column - 1, row)) {
        column -= 1;
    }
    while column < window.width && right_of(ends, window.centre(column, row)) {
        column += 1;
    }
    column
}

/// Where rows of pixel centres enter and leave an outline, for lengths along the rows.
#[derive(Clone, Debug, Default)]
pub struct Spans {
    /// For each row where it meets the boundary, ascending, m.
    crossings: Csr<f64>,
}

impl Spans {
    /// Cuts an outline by the rows of a window, which may be of any width.
    pub fn draw(&mut self, outlines: &Outlines, outline: usize, window: &Window) {
        let ends = |at: usize| outlines.segment(at);
        let reached = outlines.range(outline).map(|at| (at, crossed(window, ends(at))));
        let height = window.height as usize;
        self.crossings.fill(height, reached, |at, row| {
            let ([a, b], y) = (ends(at), window.centre(0, row as u32).y);
            a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x)
        });
        for row in 0..height {
            let row = self.crossings.row(row);
            self.crossings.items[row].sort_unstable_by(f64::total_cmp);
        }
    }

    /// Length of a row inside both outlines, m.
    pub fn shared(&self, other: &Spans, row: usize) -> f64 {
        let [a, b] = [self, other].map(|spans| &spans.crossings.items[spans.crossings.row(row)]);
        let (mut i, mut j, mut sum) = (0, 0, 0.0);
        while i + 1 < a.len() && j + 1 < b.len() {
            sum += (a[i + 1].min(b[j + 1]) - a[i].max(b[j])).max(0.0);
            if a[i + 1] < b[j + 1] { i += 2 } else { j += 2 }
        }
        sum
    }
}

/// Locates any point, from the few segments at its height.
#[derive(Clone, Debug, Default)]
pub struct Spots {
    /// Lowest point, m.
    low: f64,
    /// Rows for each metre, 1/m.
    density: f64,
    /// For each row the segments that reach it.
    segments: Csr<u32>,
}

impl Spots {
    /// Prepares for an outline.
    pub fn draw(&mut self, outlines: &Outlines, outline: usize) {
        let range = outlines.range(outline);
        let heights = outlines.points()[range.clone()].iter().map(|point| point.y);
        let ends = heights.fold([f64::INFINITY, f64::NEG_INFINITY], |e, y| {
            [if y < e[0] { y } else { e[0] }, if y > e[1] { y } else { e[1] }]
        });
        let count = range.len().max(1);
        self.low = ends[0];
        let density = count as f64 / (ends[1] - ends[0]);
        self.density = if density.is_finite() { density } else { 0.0 };
        let (low, density) = (self.low, self.density);
        let reached = range.map(|at| {
            let [a, b] = outlines.segment(at).map(|end| bucket(low, density, count, end.y));
            (at, a.min(b)..a.max(b) + 1)
        });
        self.segments.fill(count, reached, |at, _| at as u32);
    }

    /// Where a point is; exact.
    pub fn spot(&self, outlines: &Outlines, point: Vec2) -> PointLocation {
        let count = self.segments.starts.len() - 1;
        let row = self.segments.row(bucket(self.low, self.density, count, point.y));
        let mut odd = false;
        for &at in &self.segments.items[row] {
            let ends = outlines.segment(at as usize);
            if touches(ends, point) {
                return PointLocation::Boundary;
            }
            odd ^= right_of(ends, point);
        }
        if odd { PointLocation::Inside } else { PointLocation::Outside }
    }
}

/// The row of a height; never descends as the height grows, so that what lies between two
/// heights gets a row between theirs.
fn bucket(low: f64, density: f64, count: usize, y: f64) -> usize {
    (((y - low) * density).max(0.0) as usize).min(count - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute;

    fn shapes() -> Outlines {
        let mut outlines = Outlines::default();
        let ring = |points: &[(f64, f64)]| points.iter().map(|&(x, y)| Vec2::new(x, y)).collect();
        let hull = ring(&[(0.0, 0.0), (4.0, 0.5), (3.0, 4.0), (2.0, 1.5), (0.5, 3.0)]);
        let hole = ring(&[(1.0, 1.0), (1.5, 0.5), (1.75, 1.25)]);
        outlines.push(&[hull, hole]).unwrap();
        let cross = ring(&[(1.0, -1.0), (3.0, 3.0), (3.0, -1.0), (1.0, 3.0)]);
        outlines.push(&[cross]).unwrap();
        outlines
    }

    #[test]
    fn the_fill_is_the_spot_of_every_centre() {
        let outlines = shapes();
        // Centres at multiples of a quarter meet corners and edges exactly.
        let corner = Vec2::new(-0.625, -1.125);
        let window = Window { corner, pixel: 0.25, width: 21, height: 23 };
        for outline in 0..2 {
            let (mut fill, mut spots) = (Fill::default(), Spots::default());
            fill.draw(&outlines, outline, &window);
            spots.draw(&outlines, outline);
            let mut inside = 0;
            for (x, y) in (0..21).flat_map(|x| (0..23).map(move |y| (x, y))) {
                let spot = brute::spot(&outlines, outline, window.centre(x, y));
                assert_eq!(spots.spot(&outlines, window.centre(x, y)), spot);
                if spot != PointLocation::Boundary {
                    assert_eq!(fill.inside(x, y), spot == PointLocation::Inside, "{x} {y}");
                }
                inside += usize::from(spot == PointLocation::Inside);
            }
            assert!(inside > 20);
        }
    }

    #[test]
    fn shared_lengths_add_up_to_the_area() {
        let outlines = shapes();
        let window = Window { corner: Vec2::new(0.0, -1.0), pixel: 0.001, width: 1, height: 5000 };
        let [mut a, mut b] = [Spans::default(), Spans::default()];
        a.draw(&outlines, 0, &window);
        b.draw(&outlines, 1, &window);
        let area = (0..5000).map(|row| a.shared(&b, row)).sum::<f64>() * window.pixel;
        let exact = brute::overlap_area(&outlines, 0, 1);
        // Half a row's height times the way across, below 30 m.
        assert!((area - exact).abs() < 0.5 * 0.001 * 30.0, "{area} {exact}");
    }
}
