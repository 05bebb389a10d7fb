//! What a row of pixels meets: where it enters and leaves an outline.
//!
//! A pixel is inside when its centre is, by the even–odd rule and by exact signs: an image
//! and [`segment::right_of`](super::super::segment::right_of) never disagree.

use std::ops::Range;

use pliant::math::Vec2;

use super::super::exact::tree::View;
use super::super::field::Window;
use super::super::outline::Outlines;
use super::super::segment::right_of;

/// Bits of a word.
const WORD: usize = u64::BITS as usize;

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
    /// For each row a bit for each column from which on an odd number of segments more lies to
    /// the left: however many segments there are, memory is that of the pixels.
    odd: Vec<u64>,
    /// First turn of each row, and the count of turns at the end.
    starts: Vec<usize>,
    /// For each row the columns of its bits, ascending.
    turns: Vec<u32>,
}

impl Fill {
    /// Fills an outline.
    pub fn draw(&mut self, outlines: &Outlines, outline: usize, window: &Window) {
        self.clear(window);
        for at in outlines.range(outline) {
            self.cut(window, outlines.segment(at), 0);
        }
        self.finish(window);
    }

    /// Fills an outline whose segments near the window are known.
    ///
    /// `near` holds all of which the box meets that of the window; a ray for each row finds
    /// what the others do.
    pub(in super::super) fn draw_near(
        &mut self,
        view: View<'_>,
        outline: usize,
        near: &[u32],
        window: &Window,
    ) {
        self.clear(window);
        let words = (window.width as usize + 1).div_ceil(WORD);
        for row in 0..window.height {
            let inside = view.is_odd(outline, window.centre(0, row));
            self.odd[row as usize * words] = u64::from(inside);
        }
        for &at in near {
            // What lies to the left of the first column is in its ray.
            self.cut(window, view.outlines.segment(at as usize), 1);
        }
        self.finish(window);
    }

    fn clear(&mut self, window: &Window) {
        let words = (window.width as usize + 1).div_ceil(WORD);
        self.odd.clear();
        self.odd.resize(words * window.height as usize, 0);
    }

    /// Turns the bits of the columns from `first` on at which a segment crosses rows.
    fn cut(&mut self, window: &Window, ends: [Vec2; 2], first: usize) {
        let words = (window.width as usize + 1).div_ceil(WORD);
        for row in crossed(window, ends) {
            let column = turn(window, ends, row as u32) as usize;
            if column >= first {
                self.odd[row * words + column / WORD] ^= 1 << (column % WORD);
            }
        }
    }

    /// Lists the columns whose bits are set.
    fn finish(&mut self, window: &Window) {
        let words = (window.width as usize + 1).div_ceil(WORD);
        self.starts.clear();
        self.turns.clear();
        for row in self.odd.chunks(words) {
            self.starts.push(self.turns.len());
            for (word, &bits) in row.iter().enumerate() {
                let mut left = bits;
                while left != 0 {
                    self.turns.push((word * WORD) as u32 + left.trailing_zeros());
                    left &= left - 1;
                }
            }
        }
        self.starts.push(self.turns.len());
    }

    /// The columns of a row at which inside begins and ends in turn, ascending.
    #[inline]
    pub fn turns(&self, row: usize) -> &[u32] {
        &self.turns[self.starts[row]..self.starts[row + 1]]
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
    /// The first row cut.
    first: usize,
    /// Where each row begins in `crossings`, and their number at the end.
    starts: Vec<usize>,
    /// For each row where it meets the boundary, ascending, m.
    crossings: Vec<f64>,
}

impl Spans {
    /// Cuts an outline by some rows of a window, which may be of any width.
    pub fn draw(
        &mut self,
        outlines: &Outlines,
        outline: usize,
        window: &Window,
        rows: Range<usize>,
    ) {
        let reached = outlines.range(outline).map(|at| {
            let all = crossed(window, outlines.segment(at));
            (at, all.start.max(rows.start)..all.end.min(rows.end))
        });
        self.first = rows.start;
        let (first, count) = (rows.start, rows.len());
        let Spans { starts, crossings, .. } = self;
        starts.clear();
        starts.resize(count + 1, 0);
        for (_, rows) in reached.clone() {
            rows.for_each(|row| starts[row - first + 1] += 1);
        }
        for row in 0..count {
            starts[row + 1] += starts[row];
        }
        crossings.clear();
        crossings.resize(starts[count], 0.0);
        for (at, rows) in reached {
            let [a, b] = outlines.segment(at);
            for row in rows {
                // Starts serve as the next free place, and end one row further on.
                let place = &mut starts[row - first];
                let y = window.centre(0, row as u32).y;
                crossings[*place] = a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x);
                *place += 1;
            }
        }
        starts.copy_within(0..count, 1);
        starts[0] = 0;
        for ends in starts.windows(2) {
            crossings[ends[0]..ends[1]].sort_unstable_by(f64::total_cmp);
        }
    }

    /// Length of a row inside both outlines, m.
    pub fn shared(&self, other: &Spans, row: usize) -> f64 {
        let [a, b] = [self, other].map(|spans| spans.row(row));
        let (mut i, mut j, mut sum) = (0, 0, 0.0);
        while i + 1 < a.len() && j + 1 < b.len() {
            sum += (a[i + 1].min(b[j + 1]) - a[i].max(b[j])).max(0.0);
            if a[i + 1] < b[j + 1] { i += 2 } else { j += 2 }
        }
        sum
    }

    /// Where a row meets the boundary, m.
    fn row(&self, row: usize) -> &[f64] {
        let at = row - self.first;
        &self.crossings[self.starts[at]..self.starts[at + 1]]
    }
}

/// Cuts the rows of a window into groups; scratch memory.
#[derive(Clone, Debug, Default)]
pub struct RowGroups {
    /// By how many segments more each row meets than the one before.
    change: Vec<isize>,
}

impl RowGroups {
    /// Calls `visit` for groups of rows that meet the boundaries at most `most` times, or of a
    /// single row, in order.
    pub fn visit(
        &mut self,
        outlines: &Outlines,
        pair: [usize; 2],
        window: &Window,
        most: usize,
        mut visit: impl FnMut(Range<usize>),
    ) {
        let height = window.height as usize;
        let change = &mut self.change;
        change.clear();
        change.resize(height + 1, 0);
        for at in pair.into_iter().flat_map(|outline| outlines.range(outline)) {
            let rows = crossed(window, outlines.segment(at));
            change[rows.start] += 1;
            change[rows.end] -= 1;
        }
        let (mut first, mut met, mut in_group) = (0, 0, 0);
        for (row, change) in change[..height].iter().enumerate() {
            met += change;
            if in_group > 0 && in_group + met.unsigned_abs() > most {
                visit(first..row);
                (first, in_group) = (row, 0);
            }
            in_group += met.unsigned_abs();
        }
        if first < height {
            visit(first..height);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::PointLocation;
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
            let mut fill = Fill::default();
            fill.draw(&outlines, outline, &window);
            let mut inside = 0;
            for (x, y) in (0..21).flat_map(|x| (0..23).map(move |y| (x, y))) {
                let spot = brute::spot(&outlines, outline, window.centre(x, y));
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
        let mut length = 0.0;
        let mut end = 0;
        RowGroups::default().visit(&outlines, [0, 1], &window, 100, |rows| {
            assert_eq!(rows.start, end);
            end = rows.end;
            a.draw(&outlines, 0, &window, rows.clone());
            b.draw(&outlines, 1, &window, rows.clone());
            assert!(a.crossings.len() + b.crossings.len() <= 100);
            length += rows.map(|row| a.shared(&b, row)).sum::<f64>();
        });
        assert_eq!(end, 5000);
        let area = length * window.pixel;
        let exact = brute::overlap_area(&outlines, 0, 1);
        // Half a row's height times the way across, below 30 m.
        assert!((area - exact).abs() < 0.5 * 0.001 * 30.0, "{area} {exact}");
    }
}
