//! Which triangle is seen where: coverage and nearness at points of a grid of pixels.

use pliant::math::Vec3;

use super::model::Model;
use super::projection::{Projected, Projection};

/// Nothing is seen at a sample.
pub const NOTHING: u32 = u32::MAX;

/// Where a pixel is sampled, pixels: each row and each column of a 4 × 4 grid once.
pub const QUARTERS: [[f64; 2]; 4] =
    [[0.375, 0.125], [0.875, 0.375], [0.125, 0.625], [0.625, 0.875]];

/// The middle of a pixel alone.
pub const MIDDLE: [[f64; 2]; 1] = [[0.5, 0.5]];

/// From the middle of a pixel to its border, and a little for rounding, pixels.
const REACH: f64 = 0.51;

/// Times that all pixels are looked at: of more that lies on top of each other, the rest is left out.
const MOST_LAYERS: u64 = 2000;

/// Relative rounding of the sums that decide about a pixel, taken a thousand times too large.
const ROUNDING: f64 = 1e-12;

/// What is nearest at every sample.
#[derive(Clone, Debug)]
pub struct Raster {
    /// Width and height, pixels.
    pub size: [u32; 2],
    /// Samples within a pixel, pixels.
    pub samples: &'static [[f64; 2]],
    /// Larger is nearer; pixel after pixel, sample after sample; minus infinity for nothing.
    pub nearness: Vec<f32>,
    /// Owner of the nearest surface.
    pub owners: Vec<u32>,
    /// Pixels that may still be looked at; 0 when something was left out.
    pub left: u64,
}

impl Raster {
    /// A raster that shows nothing.
    pub fn new(size: [u32; 2], samples: &'static [[f64; 2]]) -> Raster {
        let count = size[0] as usize * size[1] as usize * samples.len();
        let (nearness, owners) = (vec![f32::NEG_INFINITY; count], vec![NOTHING; count]);
        let left = MOST_LAYERS * u64::from(size[0]) * u64::from(size[1]);
        Raster { size, samples, nearness, owners, left }
    }

    /// Draws a triangle where nothing nearer is drawn yet; its border counts.
    ///
    /// Of two at the same nearness the first stays. Triangles without area or with corners
    /// that are not finite are not drawn, nor is any once too many lay on top of each other.
    pub fn draw(&mut self, corners: [Projected; 3], owner: u32) {
        let Some(sides) = Sides::new(corners) else {
            return;
        };
        let spans = [0, 1].map(|axis| span(corners.map(|c| c.at[axis]), self.size[axis]));
        let pixels = spans.iter().map(|span| span.len() as u64).product::<u64>();
        self.left = self.left.saturating_sub(pixels);
        if self.left == 0 {
            return;
        }
        for y in spans[1].clone() {
            for x in sides.columns(y, &spans[0]) {
                if !sides.meets([f64::from(x), f64::from(y)]) {
                    continue;
                }
                let pixel = y as usize * self.size[0] as usize + x as usize;
                for (index, [dx, dy]) in self.samples.iter().enumerate() {
                    let Some(found) = sides.nearness([f64::from(x) + dx, f64::from(y) + dy]) else {
                        continue;
                    };
                    let place = pixel * self.samples.len() + index;
                    if found as f32 > self.nearness[place] {
                        self.nearness[place] = found as f32;
                        self.owners[place] = owner;
                    }
                }
            }
        }
    }

    /// Owners at the samples of one pixel.
    pub fn owners_at(&self, pixel: usize) -> &[u32] {
        &self.owners[pixel * self.samples.len()..(pixel + 1) * self.samples.len()]
    }
}

/// Visibility of a model: triangles by their index, then two for each outline.
pub fn seen(model: &Model, projection: &Projection, size: [u32; 2]) -> Raster {
    let mut raster = Raster::new(size, &QUARTERS);
    for (index, triangle) in model.triangles.iter().enumerate() {
        let (polygon, count) = in_front(triangle.corners, projection);
        let corner = |k: usize| projection.project(polygon[k]);
        for last in 2..count {
            raster.draw([corner(0), corner(last - 1), corner(last)], index as u32);
        }
    }
    for (index, flat) in model.flats.iter().enumerate() {
        flat.draw(&mut raster, projection, (model.triangles.len() + 2 * index) as u32);
    }
    raster
}

/// The part of a triangle that is not too near: no corner, three or four.
fn in_front(corners: [Vec3; 3], projection: &Projection) -> ([Vec3; 4], usize) {
    let heights = corners.map(|corner| projection.distance(corner) - projection.near);
    let (mut polygon, mut count) = ([Vec3::ZERO; 4], 0);
    let mut push = |point| {
        polygon[count] = point;
        count += 1;
    };
    for (k, next) in [(0, 1), (1, 2), (2, 0)] {
        if heights[k] >= 0.0 {
            push(corners[k]);
        }
        if (heights[k] >= 0.0) != (heights[next] >= 0.0) {
            let share = heights[k] / (heights[k] - heights[next]);
            push(corners[k] + share * (corners[next] - corners[k]));
        }
    }
    (polygon, count)
}

/// Pixels that three coordinates may touch, within the picture.
fn span(at: [f64; 3], side: u32) -> std::ops::Range<u32> {
    let least = at.into_iter().fold(f64::INFINITY, f64::min).floor();
    let most = at.into_iter().fold(f64::NEG_INFINITY, f64::max).floor() + 1.0;
    // As casts go, below zero is zero and above the largest is the largest.
    least as u32..(most as u32).min(side)
}

/// The three sides of a triangle as functions that are positive within, and its nearness.
struct Sides {
    /// Of each side: per pixel right, per pixel down, at the corner.
    sides: [[f64; 3]; 3],
    /// The same for the nearness.
    nearness: [f64; 3],
}

impl Sides {
    fn new([v0, v1, v2]: [Projected; 3]) -> Option<Sides> {
        let side = |a: Projected, b: Projected| {
            let [right, down] = [a.at[1] - b.at[1], b.at[0] - a.at[0]];
            [right, down, -(right * a.at[0] + down * a.at[1])]
        };
        let mut sides = [side(v1, v2), side(v2, v0), side(v0, v1)];
        let area = sides[0][0] * v0.at[0] + sides[0][1] * v0.at[1] + sides[0][2];
        if !(area.is_finite() && area != 0.0) {
            return None;
        }
        // Divided by the area, sides are the weights of the corners, whatever the winding.
        sides.iter_mut().flatten().for_each(|number| *number /= area);
        let finite = sides.iter().flatten().all(|number| number.is_finite());
        let part = |k: usize| {
            sides[0][k] * v0.nearness + sides[1][k] * v1.nearness + sides[2][k] * v2.nearness
        };
        let nearness = [part(0), part(1), part(2)];
        finite.then_some(Sides { sides, nearness })
    }

    /// Whether the triangle may touch the pixel with the given upper left corner.
    #[inline]
    fn meets(&self, [x, y]: [f64; 2]) -> bool {
        self.sides.iter().all(|[right, down, corner]| {
            let middle = right * (x + 0.5) + down * (y + 0.5) + corner;
            middle >= -REACH * (right.abs() + down.abs())
        })
    }

    /// The columns of a row of pixels that the triangle may touch: at least those that it meets.
    ///
    /// A long thin triangle across the picture touches a few pixels of each row.
    fn columns(&self, y: u32, within: &std::ops::Range<u32>) -> std::ops::Range<u32> {
        let (mut low, mut high) = (f64::from(within.start), f64::from(within.end));
        let y = f64::from(y) + 0.5;
        for [right, down, corner] in self.sides {
            // `meets` solved for x; a pixel more on each side, and what rounding may lose.
            let least = -REACH * (right.abs() + down.abs()) - down * y - corner;
            let slack = 2.0 + ROUNDING * (down.abs() * y + corner.abs()) / right.abs();
            let at = least / right - 0.5;
            if right > 0.0 {
                low = low.max(at - slack);
            } else if right < 0.0 {
                high = high.min(at + slack);
            }
        }
        low as u32..high as u32
    }

    /// Nearness at a place, `None` outside.
    #[inline]
    fn nearness(&self, [x, y]: [f64; 2]) -> Option<f64> {
        let at = |[right, down, corner]: [f64; 3]| right * x + down * y + corner;
        let [w0, w1, w2] = self.sides.map(at);
        (w0 >= 0.0 && w1 >= 0.0 && w2 >= 0.0).then(|| at(self.nearness))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_on_top_of_each_other_too_often_is_left_out() {
        let mut raster = Raster::new([4, 4], &MIDDLE);
        let all = [corner(-9.0, -9.0, 1.0), corner(30.0, -9.0, 1.0), corner(-9.0, 30.0, 1.0)];
        for layer in 1..MOST_LAYERS {
            raster.draw(all.map(|c| Projected { nearness: layer as f64, ..c }), layer as u32);
        }
        assert_eq!((raster.left, raster.owners[0]), (16, MOST_LAYERS as u32 - 1));
        raster.draw(all.map(|c| Projected { nearness: 1e6, ..c }), 7);
        assert_eq!((raster.left, raster.owners[0]), (0, MOST_LAYERS as u32 - 1));
    }

    fn corner(x: f64, y: f64, nearness: f64) -> Projected {
        Projected { at: [x, y], nearness }
    }

    fn drawn(corners: [Projected; 3]) -> Vec<u32> {
        let mut raster = Raster::new([4, 4], &MIDDLE);
        raster.draw(corners, 7);
        raster.owners.iter().map(|owner| u32::from(*owner == 7)).collect()
    }

    #[test]
    fn a_triangle_covers_the_pixels_whose_middles_it_holds() {
        let expected = [
            [1, 1, 1, 1], // the slanted side runs from (4, 0) to (0, 4), through the middles
            [1, 1, 1, 0],
            [1, 1, 0, 0],
            [1, 0, 0, 0],
        ];
        let [v0, v1, v2] = [corner(0.0, 0.0, 1.0), corner(4.0, 0.0, 1.0), corner(0.0, 4.0, 1.0)];
        assert_eq!(drawn([v0, v1, v2]), expected.concat());
        assert_eq!(drawn([v0, v2, v1]), expected.concat()); // either side
        assert_eq!(drawn([v2, v0, v1]), expected.concat());
    }

    #[test]
    fn the_columns_of_a_row_hold_every_pixel_that_the_triangle_meets() {
        let mut seed = 1_u32;
        let mut random = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(seed >> 8) / f64::from(1 << 24)
        };
        let (mut met, mut tried) = (0, 0);
        for round in 0..3000 {
            let far = [60.0, 1e3, 1e9][round % 3];
            let thin = [1.0, 1e-3, 1e-9][round / 3 % 3];
            let mut point =
                |size: f64| [32.0 + size * (random() - 0.5), 32.0 + size * (random() - 0.5)];
            let [a, b, to] = [point(far), point(far), point(far)];
            let beside = [0, 1].map(|k| a[k] + thin * (to[k] - a[k]));
            let corners = [a, b, beside].map(|[x, y]| corner(x, y, 1.0));
            let Some(sides) = Sides::new(corners) else { continue };
            for y in 0..64 {
                let columns = sides.columns(y, &(0..64));
                let meets = |x: &u32| sides.meets([f64::from(*x), f64::from(y)]);
                assert!((0..64).filter(meets).all(|x| columns.contains(&x)), "{corners:?} {y}");
                met += (0..64).filter(meets).count();
                tried += columns.len();
            }
        }
        // Four or five pixels more in each row; a row has 64.
        assert!(met > 100_000 && tried < met + 6 * 64 * 3000, "{met} {tried}");
    }

    #[test]
    fn triangles_reach_over_the_edges_of_the_picture() {
        let far = [corner(-1e9, -1e9, 1.0), corner(1e9, -1e9, 1.0), corner(0.0, 1e9, 1.0)];
        assert_eq!(drawn(far), [1; 16]);
        let beside = [corner(5.0, 0.0, 1.0), corner(9.0, 0.0, 1.0), corner(5.0, 4.0, 1.0)];
        assert_eq!(drawn(beside), [0; 16]);
    }

    #[test]
    fn what_has_no_area_or_no_place_is_not_drawn() {
        let v = corner(1.0, 1.0, 1.0);
        assert_eq!(drawn([v; 3]), [0; 16]);
        assert_eq!(drawn([v, corner(2.0, 2.0, 1.0), corner(3.0, 3.0, 1.0)]), [0; 16]);
        assert_eq!(drawn([v, corner(f64::NAN, 2.0, 1.0), corner(3.0, 0.0, 1.0)]), [0; 16]);
        assert_eq!(drawn([v, corner(f64::INFINITY, 2.0, 1.0), corner(3.0, 0.0, 1.0)]), [0; 16]);
    }

    #[test]
    fn the_nearer_wins_in_any_order_even_where_triangles_cross() {
        // One is near on the left, the other on the right; in the middle they cross.
        let leaning = |left: f64, right: f64| {
            [corner(0.0, -8.0, left), corner(0.0, 8.0, left), corner(4.0, 0.0, right)]
        };
        for order in [[0, 1], [1, 0]] {
            let mut raster = Raster::new([4, 1], &MIDDLE);
            for owner in order {
                let [left, right] = [[3.0, 1.0], [1.0, 3.0]][owner as usize];
                raster.draw(leaning(left, right), owner);
            }
            assert_eq!(raster.owners, [0, 0, 1, 1]);
            // 3 − 2 · 0.5/4 at the first middle
            assert_eq!(raster.nearness[0], 2.75);
        }
    }

    #[test]
    fn of_two_at_one_place_the_first_is_seen() {
        let corners = [corner(0.0, 0.0, 1.0), corner(4.0, 0.0, 1.0), corner(0.0, 4.0, 1.0)];
        let mut raster = Raster::new([1, 1], &QUARTERS);
        raster.draw(corners, 3);
        raster.draw(corners, 4);
        assert_eq!(raster.owners_at(0), [3; 4]);
    }

    #[test]
    fn what_is_behind_the_eye_is_cut_off() {
        let projection =
            Projection::new(&[Vec3::ZERO, Vec3::X], super::super::Camera::default(), [8, 8]);
        let [right, _, ahead] = projection.axes;
        let (front, back) = (projection.eye + ahead, projection.eye - ahead);
        let count = |corners| in_front(corners, &projection).1;
        assert_eq!(count([front, front + right, front - right]), 3);
        assert_eq!(count([front, front + right, back]), 4);
        assert_eq!(count([front, back + right, back]), 3);
        assert_eq!(count([back, back + right, back - right]), 0);
        let (polygon, four) = in_front([front, front + right, back], &projection);
        assert!(polygon[..four].iter().all(|p| projection.distance(*p) > 0.99 * projection.near));
    }
}
