//! Reading a field between its pixels: value, gradient, nearest place.
//!
//! A point lies between four centres. Its value is bilinear in their signed distances; a
//! distance changes no faster than the point moves, so that for exact samples the error is
//! at most half a pixel's diagonal. Its gradient is bilinear in the central differences.
//!
//! The gradient's error: every difference is a mean of the true gradient along two pixels,
//! and the interpolated one a mean of means, over places whose root mean square distance
//! from the point is at most √(5/6) pixels; none is farther than √5 pixels. Where a point
//! has no place of the medial axis, corners included, within m > √5 pixels, the gradient
//! turns at most 1/(m − √5 pixels) for each metre: see [`direction_error`].
//!
//! - Implements: [Hoff01 §2.2.2–2.2.3].
//! - Erratum: [Hoff01 §2.2.2] interpolates sign and distance apart, which moves the boundary
//!   by up to a pixel: `the_sign_is_interpolated_with_the_distance` (P5). The image shifted
//!   by two of [Hoff01 §2.2.3] is a pixel off and lacks the pixel's size:
//!   `the_gradient_image_is_the_gradient_of_every_pixel` (P6).

use pliant::math::Vec2;

use super::super::Place;
use super::super::outline::Outlines;
use super::super::segment::{distance_sq, nearest_along};
use super::{Field, NO_SITE, Window};

/// Pixels that a reading takes on each side of the four around a point.
pub const RIM: u32 = 1;

/// Shorter gradients are a mean of directions that differ: on the medial axis.
const MIN_AGREEMENT: f64 = 0.5;

/// Largest angle, radians, between a direction read and the true one.
///
/// `error` is half a pixel's diagonal and `clearance` the distance of the point from the
/// medial axis of the outline, its corners included, both m. A full turn where the
/// clearance is too small for a bound: up to about 5 times the error.
pub fn direction_error(error: f64, clearance: f64) -> f64 {
    let pixel = std::f64::consts::SQRT_2 * error;
    // Each part of the gradient is off by the mean way times the turn; both are √2 of one.
    let off = (2.0_f64 * 5.0 / 6.0).sqrt() * pixel / (clearance - 5.0_f64.sqrt() * pixel);
    if (0.0..1.0).contains(&off) { libm::asin(off) } else { std::f64::consts::TAU }
}

/// The four pixels around a point, and how far between them it is.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// Column and row of the lower left of them.
    low: [u32; 2],
    /// Share of the way to the next column and row, 0 to 1.
    share: Vec2,
}

impl Window {
    /// The lower left of the four pixels around a point; `None` beyond the outermost centres.
    pub fn around(&self, point: Vec2) -> Option<[u32; 2]> {
        self.cell(point).map(|cell| cell.low)
    }

    fn cell(&self, point: Vec2) -> Option<Cell> {
        if self.width < 2 || self.height < 2 {
            return None;
        }
        let at = (point - self.corner) / self.pixel - 0.5;
        let last = Vec2::new(f64::from(self.width - 1), f64::from(self.height - 1));
        let within = at.cmpge(Vec2::ZERO).all() && at.cmple(last).all();
        // On the last centre the cell before it ends.
        let low = at.floor().min(last - 1.0);
        within.then(|| Cell { low: [low.x as u32, low.y as u32], share: at - low })
    }
}

/// The value of a field at one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    /// Signed distance, m, negative inside.
    pub value: f64,
    /// Unit vector along which the signed distance grows; `None` near the medial axis.
    pub direction: Option<Vec2>,
    /// The nearest place on the sites of the four pixels around.
    pub place: Place,
}

impl Field {
    #[inline]
    fn at(&self, x: u32, y: u32) -> usize {
        y as usize * self.window.width as usize + x as usize
    }

    /// Signed distance at any point between pixels, m; `None` where the field is not known.
    pub fn value(&self, point: Vec2) -> Option<f64> {
        let Cell { low: [x, y], share } = self.window.cell(point)?;
        let at = self.at(x, y);
        let above = at + self.window.width as usize;
        let row = |at: usize| {
            let [left, right] = [self.distance[at], self.distance[at + 1]];
            (1.0 - share.x) * left + share.x * right
        };
        let value = (1.0 - share.y) * row(at) + share.y * row(above);
        value.is_finite().then_some(value)
    }

    /// Central differences at a pixel; one-sided at the window's rim.
    ///
    /// Not finite where the field is not known.
    fn difference(&self, x: u32, y: u32) -> Vec2 {
        let slope = |low: [u32; 2], high: [u32; 2]| {
            let steps = f64::from(high[0] - low[0] + high[1] - low[1]);
            let rise =
                self.distance[self.at(high[0], high[1])] - self.distance[self.at(low[0], low[1])];
            rise / (steps * self.window.pixel)
        };
        let Window { width, height, .. } = self.window;
        Vec2::new(
            slope([x.saturating_sub(1), y], [(x + 1).min(width - 1), y]),
            slope([x, y.saturating_sub(1)], [x, (y + 1).min(height - 1)]),
        )
    }

    /// Gradient of the signed distance at any point; `None` where it is not known.
    ///
    /// Of length one away from the medial axis, shorter near it.
    pub fn gradient(&self, point: Vec2) -> Option<Vec2> {
        let Cell { low: [x, y], share } = self.window.cell(point)?;
        let row =
            |y: u32| (1.0 - share.x) * self.difference(x, y) + share.x * self.difference(x + 1, y);
        let gradient = (1.0 - share.y) * row(y) + share.y * row(y + 1);
        gradient.is_finite().then_some(gradient)
    }

    /// The gradient at every pixel, by subtracting shifted images.
    ///
    /// One-sided at the rim; not finite next to what is beyond the field's reach.
    pub fn gradients(&self, gradients: &mut Vec<Vec2>) {
        let (width, pixel) = (self.window.width as usize, self.window.pixel);
        gradients.clear();
        gradients.resize(self.distance.len(), Vec2::ZERO);
        // The difference of two images shifted by two belongs to the pixel between.
        for (row, out) in self.distance.chunks(width).zip(gradients.chunks_mut(width)) {
            for (x, out) in out.iter_mut().enumerate() {
                let (low, high) = (x.saturating_sub(1), (x + 1).min(width - 1));
                out.x = (row[high] - row[low]) / ((high - low) as f64 * pixel);
            }
        }
        let last = self.window.height as usize - 1;
        for y in 0..=last {
            let (low, high) = (y.saturating_sub(1), (y + 1).min(last));
            let steps = (high - low) as f64 * pixel;
            let [low, high] = [low, high].map(|y| &self.distance[y * width..(y + 1) * width]);
            let out = &mut gradients[y * width..(y + 1) * width];
            for (out, (low, high)) in out.iter_mut().zip(low.iter().zip(high)) {
                out.y = (high - low) / steps;
            }
        }
    }

    /// Value, direction and nearest place at a point; `None` where the field is not known.
    pub fn read(&self, outlines: &Outlines, point: Vec2) -> Option<Reading> {
        let value = self.value(point)?;
        let gradient = self.gradient(point).filter(|g| g.length() >= MIN_AGREEMENT);
        let direction = gradient.and_then(Vec2::try_normalize);
        let place = self.place(outlines, point)?;
        Some(Reading { value, direction, place })
    }

    /// The nearest place on the sites of the four pixels around a point.
    fn place(&self, outlines: &Outlines, point: Vec2) -> Option<Place> {
        let [x, y] = self.window.cell(point)?.low;
        let sites = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)];
        let sites = sites.map(|(x, y)| self.site[self.at(x, y)]);
        let mut best: Option<(f64, u32)> = None;
        for (number, &site) in sites.iter().enumerate() {
            if site == NO_SITE || sites[..number].contains(&site) {
                continue;
            }
            let distance_sq = distance_sq(outlines.segment(site as usize), point);
            if best.is_none_or(|best| (distance_sq, site) < best) {
                best = Some((distance_sq, site));
            }
        }
        let (_, segment) = best?;
        let along = nearest_along(outlines.segment(segment as usize), point);
        Some(Place { segment, along })
    }
}

/// A distance that the medial axis is farther than, m.
///
/// At a place of the axis within c of the point two segments are as near as any, so that
/// from the point both are at most 2c farther than the nearest. Where the nearest place
/// is a corner, both its segments may be meant; the axis between them lies on the other
/// side of the boundary, farther than the corner.
#[cfg(test)]
pub(in super::super) fn clearance(outlines: &Outlines, outline: usize, point: Vec2) -> Option<f64> {
    use super::super::brute::nearest;
    let distances: Vec<f64> =
        outlines.range(outline).map(|at| distance_sq(outlines.segment(at), point).sqrt()).collect();
    let (at, least) = nearest(outlines, outline, point)?;
    let range = outlines.range(outline);
    let (first, at_segment) = (range.start, at.segment as usize);
    let corner = match at.along {
        0.0 => range.clone().find(|&before| outlines.next()[before] as usize == at_segment),
        1.0 => Some(outlines.next()[at_segment] as usize),
        _ => None,
    };
    let others = range.clone().filter(|&k| k != at_segment && Some(k) != corner);
    let second = others.map(|k| distances[k - first]).fold(f64::INFINITY, f64::min);
    let corners = outlines.points()[range].iter().map(|p| p.distance(point));
    let corner_distance = corners.fold(f64::INFINITY, f64::min);
    Some((0.5 * (second - least)).min(corner_distance))
}

#[cfg(test)]
mod tests {
    use super::super::tiled::Tiled;
    use super::*;
    use crate::brute::{PointLocation, nearest, spot};
    use crate::segment::place;

    /// Half a pixel's diagonal, m.
    const ERROR: f64 = 0.02;
    /// Rounding of lengths below ten.
    const ROUNDING: f64 = 1e-12;

    fn star() -> (Outlines, Field) {
        let mut outlines = Outlines::default();
        let ring = (0..24).map(|k| {
            let radius = if k % 2 == 0 { 1.0 } else { 0.55 };
            radius * Vec2::from_angle(f64::from(k) * std::f64::consts::TAU / 24.0 + 0.1)
        });
        outlines.push(&[ring.collect()]).unwrap();
        let window = Window::over([Vec2::splat(-1.2), Vec2::splat(1.2)], ERROR, 2);
        let mut field = Field::blank(window);
        Tiled::default().draw(&outlines, 0, f64::INFINITY, None, &mut field);
        (outlines, field)
    }

    fn points() -> impl Iterator<Item = Vec2> {
        (0..20_000).map(|k| {
            let k = f64::from(k);
            2.4 * Vec2::new((k * 0.754877666).fract() - 0.5, (k * 0.569840291).fract() - 0.5)
        })
    }

    fn signed(outlines: &Outlines, point: Vec2) -> f64 {
        let distance = nearest(outlines, 0, point).unwrap().1;
        if spot(outlines, 0, point) == PointLocation::Inside { -distance } else { distance }
    }

    #[test]
    fn the_value_is_within_half_a_diagonal_everywhere() {
        let (outlines, field) = star();
        let mut worst: f64 = 0.0;
        for point in points() {
            let error = field.value(point).unwrap() - signed(&outlines, point);
            worst = worst.max(error.abs());
        }
        assert!(worst <= ERROR + ROUNDING, "{worst}");
        assert!(worst > 0.3 * ERROR, "{worst}"); // corners come near the bound
    }

    #[test]
    fn the_sign_is_interpolated_with_the_distance() {
        let (outlines, field) = star();
        let mut worst_apart: f64 = 0.0;
        for point in points() {
            let Cell { low: [x, y], share } = field.window.cell(point).unwrap();
            let apart = |x: u32, y: u32| {
                let value = field.distance[field.at(x, y)];
                [value.abs(), f64::from(u8::from(value < 0.0))]
            };
            let mut mixed = [0.0; 2];
            for (x, y, weight) in [
                (x, y, (1.0 - share.x) * (1.0 - share.y)),
                (x + 1, y, share.x * (1.0 - share.y)),
                (x, y + 1, (1.0 - share.x) * share.y),
                (x + 1, y + 1, share.x * share.y),
            ] {
                let [distance, inside] = apart(x, y);
                mixed = [mixed[0] + weight * distance, mixed[1] + weight * inside];
            }
            let printed = if mixed[1] > 0.5 { -mixed[0] } else { mixed[0] };
            worst_apart = worst_apart.max((printed - signed(&outlines, point)).abs());
        }
        assert!(worst_apart > 1.2 * ERROR, "{worst_apart}"); // as printed the bound fails
    }

    #[test]
    fn the_gradient_image_is_the_gradient_of_every_pixel() {
        let (_, field) = star();
        let mut image = Vec::new();
        field.gradients(&mut image);
        let (mut left, mut right) = (0, 0);
        for (x, y) in (0..field.window.width).flat_map(|x| (0..9).map(move |y| (x, 9 * y))) {
            let gradient = field.difference(x, y);
            assert_eq!(image[field.at(x, y)], gradient);
            assert!(gradient.length() < 1.5);
            let centre = field.gradient(field.window.centre(x, y)).unwrap();
            assert!(centre.distance(gradient) < 1e-9, "{x} {y}");
            left += usize::from(gradient.x < -0.5);
            right += usize::from(gradient.x > 0.5);
        }
        assert!(left > 100 && right > 100); // both signs, where a clamped blend has one
    }

    #[test]
    fn directions_keep_their_bound_away_from_the_medial_axis() {
        let (outlines, field) = star();
        let (mut reported, mut worst) = (0, 0.0_f64);
        for point in points() {
            let exact = |point: Vec2| {
                let (at, _) = nearest(&outlines, 0, point).unwrap();
                let exit = place(outlines.segment(at.segment as usize), at.along);
                let inside = spot(&outlines, 0, point) == PointLocation::Inside;
                (if inside { exit - point } else { point - exit }).try_normalize()
            };
            let Some(clearance) = clearance(&outlines, 0, point) else { continue };
            let bound = direction_error(ERROR, clearance);
            if bound > 1.0 {
                continue;
            }
            let found = field.gradient(point).unwrap();
            let angle = found.angle_to(exact(point).unwrap()).abs();
            assert!(angle <= bound, "{point}: {angle} {bound}");
            (reported, worst) = (reported + 1, worst.max(angle / bound));
        }
        assert!(reported > 2000 && worst > 0.05, "{reported} {worst}");
    }
}
