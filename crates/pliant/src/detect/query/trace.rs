//! Rays against signed distances, by sphere tracing.
//!
//! Each stride is as long as the surface is certainly away: the signed distance over its Lipschitz
//! constant. Strides shrink towards a surface, so Newton's method takes the last part, and also
//! the way of a ray that passes along a surface for so long that strides run out.

use crate::body::obstacle::Posed;
use crate::math::Vec3;
use crate::mesh::ray::PreparedRay;

/// Most strides; after them Newton's method takes over.
const STRIDES: usize = 1024;

/// Most steps of Newton's method; each doubles the digits.
const NEWTON_STEPS: usize = 32;

/// Distance that counts as the surface, over the coordinates that it is computed from.
const ROUNDING: f64 = 1e-14;

/// Way that is skipped behind a hit when looking for the next, over the coordinates.
const BEYOND: f64 = 1e-9;

/// Most hits of one obstacle by one ray.
const MOST_HITS: usize = 256;

/// Where a ray meets an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ObstacleHit {
    /// From the origin of the ray, m.
    pub distance: f64,
    /// Where, m.
    pub point: Vec3,
    /// Unit normal, pointing out of the obstacle.
    pub normal: Vec3,
}

/// Where a ray first meets the surface between two distances along it, m.
pub(super) fn trace(here: Posed<'_>, ray: &PreparedRay, from: f64, to: f64) -> Option<ObstacleHit> {
    let path = Path { here, ray, side: 1.0 };
    let start = path.gap(from);
    let path = Path { side: if start < 0.0 { -1.0 } else { 1.0 }, ..path };
    let distance = path.root(from, to)?;
    let point = path.at(distance);
    // Where the gradient vanishes, the ray itself says what it meets.
    let normal = here.normal(point).unwrap_or(-path.side * ray.direction());
    Some(ObstacleHit { distance, point, normal })
}

/// All passages through the surface up to a distance along the ray, m.
///
/// Surfaces closer together than 1e-9 of the coordinates are passed at once.
pub(super) fn trace_all(here: Posed<'_>, ray: &PreparedRay, to: f64) -> Vec<ObstacleHit> {
    let (mut hits, mut from) = (Vec::new(), 0.0);
    while let Some(hit) = trace(here, ray, from, to) {
        hits.push(hit);
        let path = Path { here, ray, side: 1.0 };
        from = hit.distance + BEYOND * path.scale(hit.distance);
        if from > to || hits.len() == MOST_HITS {
            break;
        }
    }
    hits
}

/// The signed distance along a ray.
#[derive(Clone, Copy)]
struct Path<'a> {
    here: Posed<'a>,
    ray: &'a PreparedRay,
    /// 1 when the ray starts outside, −1 inside.
    side: f64,
}

impl Path<'_> {
    fn at(&self, distance: f64) -> Vec3 {
        self.ray.origin() + distance * self.ray.direction()
    }

    /// Distance to the surface, m; positive on the side where the ray starts.
    fn gap(&self, distance: f64) -> f64 {
        self.side * self.here.distance(self.at(distance))
    }

    /// Change of the gap per metre.
    fn slope(&self, distance: f64) -> f64 {
        self.side * self.here.gradient(self.at(distance)).dot(self.ray.direction())
    }

    /// Size of the numbers that a gap is computed from, m.
    fn scale(&self, distance: f64) -> f64 {
        self.ray.origin().length() + distance + self.here.pose.position.length()
    }

    /// The first distance at which the gap is 0, m.
    fn root(&self, from: f64, to: f64) -> Option<f64> {
        let steepest = self.here.shape.lipschitz();
        let mut distance = from;
        for _ in 0..STRIDES {
            let gap = self.gap(distance);
            if gap.is_nan() {
                return None;
            }
            if gap <= ROUNDING * self.scale(distance) {
                return Some(self.polish(distance).clamp(from, to));
            }
            distance += gap / steepest;
            // NaN ends it too.
            if distance.is_nan() || distance > to {
                return None;
            }
        }
        self.newton(distance, to)
    }

    /// Follows the tangent to the surface; `None` when it leads away, or nowhere.
    fn newton(&self, mut distance: f64, to: f64) -> Option<f64> {
        for _ in 0..NEWTON_STEPS {
            let gap = self.gap(distance);
            if gap.abs() <= ROUNDING * self.scale(distance) {
                return Some(distance);
            }
            let next = distance - gap / self.slope(distance);
            let is_ahead = next >= 0.0 && next <= to && self.slope(distance) < 0.0;
            if !is_ahead {
                return None;
            }
            distance = next;
        }
        None
    }

    /// The distance improved while Newton's steps make the gap smaller.
    fn polish(&self, mut distance: f64) -> f64 {
        let mut gap = self.gap(distance);
        for _ in 0..NEWTON_STEPS {
            let next = distance - gap / self.slope(distance);
            let gap_there = self.gap(next);
            // NaN, as from a slope of 0, is no improvement.
            let is_better = gap_there.abs() < gap.abs();
            if !is_better {
                break;
            }
            (distance, gap) = (next, gap_there);
        }
        distance
    }
}
