//! The signed distance field of one outline, exact at the centre of every pixel.
//!
//! Squares of pixels are cut in four, and each part keeps only the segments that can be
//! nearest somewhere in it: with half its diagonal h, those at most 2h farther from its
//! middle than the nearest.

use pliant::proximity2d::field::{Field, NO_SITE, Window};
use pliant::proximity2d::outline::Outlines;
use pliant::proximity2d::segment::distance_sq;

use pliant::math::Vec2;

/// Room for rounding when segments are left out, relative to the distances compared.
const ROUNDING: f64 = 1e-9;

/// Signed distance and nearest segment at every pixel.
pub fn field(outlines: &Outlines, outline: usize, window: Window) -> Field {
    let mut field = Field {
        window,
        distance: vec![f64::INFINITY; window.pixels()],
        site: vec![NO_SITE; window.pixels()],
    };
    let candidates = outlines.range(outline).map(|at| at as u32).collect();
    let mut squares = Squares { outlines, field: &mut field, candidates, distances: Vec::new() };
    let count = squares.candidates.len();
    if count > 0 {
        let side = window.width.max(window.height).next_power_of_two();
        squares.cut([0, 0], side, 0..count);
    }
    negate_inside(outlines, outline, &mut field);
    field
}

struct Squares<'a> {
    outlines: &'a Outlines,
    field: &'a mut Field,
    /// Segments that may be nearest, one list after the other from the outermost square inwards.
    candidates: Vec<u32>,
    /// Their distances from the middle of the innermost square, m.
    distances: Vec<f64>,
}

impl Squares<'_> {
    /// Fills a square of pixels, of which some may lie beyond the window.
    fn cut(&mut self, corner: [u32; 2], side: u32, list: std::ops::Range<usize>) {
        let window = self.field.window;
        if corner[0] >= window.width || corner[1] >= window.height {
            return;
        }
        let [first, last] =
            [corner, corner.map(|at| at + side - 1)].map(|[x, y]| window.centre(x, y));
        let middle = first.midpoint(last);
        self.distances.clear();
        for &at in &self.candidates[list.clone()] {
            self.distances.push(distance_sq(self.outlines.segment(at as usize), middle).sqrt());
        }
        let least = self.distances.iter().copied().fold(f64::INFINITY, f64::min);
        if side == 1 {
            let nearest = self.distances.iter().position(|&distance| distance == least);
            let at = corner[1] as usize * window.width as usize + corner[0] as usize;
            if let Some(nearest) = nearest {
                self.field.distance[at] = least;
                self.field.site[at] = self.candidates[list.start + nearest];
            }
            return;
        }
        let most = (least + first.distance(last)) * (1.0 + ROUNDING);
        let start = self.candidates.len();
        for (index, list) in list.enumerate() {
            if self.distances[index] <= most {
                self.candidates.push(self.candidates[list]);
            }
        }
        let kept = start..self.candidates.len();
        let half = side / 2;
        for [x, y] in [[0, 0], [half, 0], [0, half], [half, half]] {
            self.cut([corner[0] + x, corner[1] + y], half, kept.clone());
        }
        self.candidates.truncate(start);
    }
}

/// Makes distances negative where an odd number of segments lie to the left in the row.
fn negate_inside(outlines: &Outlines, outline: usize, field: &mut Field) {
    let window = field.window;
    let width = window.width as usize;
    let mut cuts: Vec<f64> = Vec::new();
    for (y, row) in field.distance.chunks_exact_mut(width.max(1)).enumerate() {
        let height = window.centre(0, y as u32).y;
        cuts.clear();
        for at in outlines.range(outline) {
            let [a, b] = outlines.segment(at);
            if (a.y <= height) != (b.y <= height) {
                let Vec2 { x, .. } = a + (height - a.y) / (b.y - a.y) * (b - a);
                cuts.push(x);
            }
        }
        cuts.sort_by(f64::total_cmp);
        let mut passed = 0;
        for (x, distance) in row.iter_mut().enumerate() {
            let at = window.centre(x as u32, y as u32).x;
            while cuts.get(passed).is_some_and(|&cut| cut < at) {
                passed += 1;
            }
            if passed % 2 == 1 {
                *distance = -*distance;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::proximity2d::brute::{Spot, nearest, spot};

    #[test]
    fn every_pixel_has_the_distance_and_sign_of_the_slow_search() {
        let star = |middle: Vec2, size: f64, points: u32| -> Vec<Vec2> {
            let corner = |k: u32| {
                let radius = if k.is_multiple_of(2) { size } else { 0.4 * size };
                middle
                    + radius
                        * Vec2::from_angle(std::f64::consts::TAU * f64::from(k) / f64::from(points))
            };
            (0..points).map(corner).collect()
        };
        let mut outlines = Outlines::default();
        outlines.push(&[star(Vec2::ZERO, 9.0, 8)]).unwrap();
        outlines.push(&[star(Vec2::ZERO, 1.0, 24), star(Vec2::X * 0.1, 0.3, 10)]).unwrap();
        let window = Window { corner: Vec2::new(-1.3, -1.2), pixel: 0.043, width: 61, height: 50 };
        let field = field(&outlines, 1, window);
        for y in 0..window.height {
            for x in 0..window.width {
                let at = (y * window.width + x) as usize;
                let centre = window.centre(x, y);
                let (_, expected) = nearest(&outlines, 1, centre).unwrap();
                assert!((field.distance[at].abs() - expected).abs() < 1e-12, "{centre}");
                let site = outlines.segment(field.site[at] as usize);
                assert!((distance_sq(site, centre).sqrt() - expected).abs() < 1e-12, "{centre}");
                let inside = spot(&outlines, 1, centre) == Spot::Inside;
                assert_eq!(field.distance[at] < 0.0, inside, "{centre}");
            }
        }
    }
}
