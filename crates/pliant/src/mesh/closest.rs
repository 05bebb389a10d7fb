//! The point of a triangle that is nearest to a given point.
//!
//! Inside or outside of the three edges decides: over the inside it is the foot of the
//! perpendicular, otherwise it lies on an edge beyond which the point is. Thin triangles
//! make that decision unsure, so for them all edges are tried too and the nearest wins.
//! Every candidate is a point of the triangle, so a doubtful one is never too near.
//!
//! | here           | meaning                                       |
//! |----------------|-----------------------------------------------|
//! | `a`, `b`, `c`  | corners                                       |
//! | `q`            | from `a` to the given point, m                |
//! | `n`            | normal with the length of twice the area, m²  |
//! | `v`, `w`       | weights of `b` and `c` at the foot            |

use crate::math::{Aabb, Vec3};

/// Square of the sine of the angle at `a` below which the foot is found a second time.
///
/// The weights lose as many digits as the sine has leading zeros: above this, two.
const THIN: f64 = 1e-4;

/// The point of a triangle that is nearest to `point`, m.
///
/// Right up to rounding of the coordinates, thin and flat triangles included. Lies in the
/// box around the corners without any rounding, so that the distance to that box is never
/// more than the distance to the point. Coordinates must be below 1e75 m; triangles below
/// 1e-75 m in size count as their edges alone, as the square of their area vanishes.
#[inline]
pub fn closest_point(point: Vec3, [a, b, c]: [Vec3; 3]) -> Vec3 {
    let (ab, ac, q) = (b - a, c - a, point - a);
    let n = ab.cross(ac);
    let n_sq = n.length_squared();
    let foot = |q: Vec3| (q.cross(ac).dot(n) / n_sq, ab.cross(q).dot(n) / n_sq);
    let (mut v, mut w) = foot(q);
    let sure = n_sq > THIN * ab.length_squared() * ac.length_squared();
    if !sure {
        // What is left over is short, and so is its error.
        let (more_v, more_w) = foot(q - (v * ab + w * ac));
        (v, w) = (v + more_v, w + more_w);
    }
    let inside = v >= 0.0 && w >= 0.0 && v + w <= 1.0;
    let mut best = Nearer { point, found: a, distance_sq: f64::INFINITY };
    if inside {
        best.offer(a + v * ab + w * ac);
    }
    if !sure || w < 0.0 {
        best.offer(on_segment(point, a, b));
    }
    if !sure || v < 0.0 {
        best.offer(on_segment(point, a, c));
    }
    if !sure || v + w > 1.0 {
        best.offer(on_segment(point, b, c));
    }
    let around = Aabb::around([a, b, c]);
    best.found.clamp(around.min, around.max)
}

/// Weights of the corners at the point of a triangle that is nearest to `point`.
///
/// None negative, sum 1. They make [`closest_point`] again, up to rounding of the coordinates;
/// in triangles without area too, where other weights would do as well.
pub fn closest_weights(point: Vec3, corners: [Vec3; 3]) -> [f64; 3] {
    let [a, b, c] = corners;
    let nearest = closest_point(point, corners);
    let (ab, ac, q) = (b - a, c - a, nearest - a);
    let n = ab.cross(ac);
    let n_sq = n.length_squared();
    let (v, w) = (q.cross(ac).dot(n) / n_sq, ab.cross(q).dot(n) / n_sq);
    let along = |from: Vec3, to: Vec3| {
        let way = to - from;
        let share = (nearest - from).dot(way) / way.length_squared();
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    };
    let (on_ab, on_ac, on_bc) = (along(a, b), along(a, c), along(b, c));
    let edges = [[1.0 - on_ab, on_ab, 0.0], [1.0 - on_ac, 0.0, on_ac], [0.0, 1.0 - on_bc, on_bc]];
    // Needles lose digits in the middle, but there an edge is as near.
    let within = [1.0 - v - w, v, w].map(|weight| weight.max(0.0));
    let sum: f64 = within.iter().sum();
    let within = within.map(|weight| weight / sum);
    let error = |[u, v, w]: [f64; 3]| (u * a + v * b + w * c).distance_squared(nearest);
    let mut best = (f64::INFINITY, edges[0]);
    for weights in [within, edges[0], edges[1], edges[2]] {
        // NaN, as from a triangle without area, is never less.
        if error(weights) < best.0 {
            best = (error(weights), weights);
        }
    }
    best.1
}

/// The nearest of the points offered.
struct Nearer {
    point: Vec3,
    found: Vec3,
    distance_sq: f64,
}

impl Nearer {
    #[inline]
    fn offer(&mut self, candidate: Vec3) {
        let distance_sq = (candidate - self.point).length_squared();
        if distance_sq < self.distance_sq {
            (self.found, self.distance_sq) = (candidate, distance_sq);
        }
    }
}

/// The point of a segment that is nearest to `point`; an end exactly, when it is one.
#[inline]
fn on_segment(point: Vec3, a: Vec3, b: Vec3) -> Vec3 {
    let ab = b - a;
    let (along, length_sq) = ((point - a).dot(ab), ab.length_squared());
    if along <= 0.0 {
        a
    } else if along >= length_sq {
        b
    } else {
        a + along / length_sq * ab
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;
    use crate::math::random::Random;

    /// Sizes are about 1 m: a few roundings of 1e-16.
    const TOLERANCE: f64 = 4e-15;

    const ORDERS: [[usize; 3]; 6] =
        [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

    const CORNERS: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];

    /// Holds as written, for every order of the corners, and turned and moved.
    #[track_caller]
    fn check(corners: [Vec3; 3], point: Vec3, expected: Vec3) {
        let moved = (Quat::from_rotation_y(1.0), Vec3::new(0.3, -0.2, 0.7));
        for (turn, by) in [(Quat::IDENTITY, Vec3::ZERO), moved] {
            let place = |p: Vec3| turn * p + by;
            for order in ORDERS {
                let found = closest_point(place(point), order.map(|i| place(corners[i])));
                assert!(found.distance(place(expected)) < TOLERANCE, "{found} {expected}");
            }
        }
    }

    #[test]
    fn each_of_the_seven_regions_has_its_answer() {
        check(CORNERS, Vec3::new(0.25, 0.25, 3.0), Vec3::new(0.25, 0.25, 0.0));
        check(CORNERS, Vec3::new(-1.0, -2.0, 0.5), Vec3::ZERO);
        check(CORNERS, Vec3::new(2.0, 0.5, 0.5), Vec3::X);
        check(CORNERS, Vec3::new(0.5, 2.0, 0.5), Vec3::Y);
        check(CORNERS, Vec3::new(0.5, -2.0, 0.5), Vec3::X * 0.5);
        check(CORNERS, Vec3::new(-2.0, 0.5, 0.5), Vec3::Y * 0.5);
        check(CORNERS, Vec3::new(1.0, 1.0, 0.5), Vec3::new(0.5, 0.5, 0.0));
    }

    #[test]
    fn a_point_of_the_triangle_is_its_own_answer() {
        for own in [Vec3::X, Vec3::Y * 0.5, Vec3::new(0.25, 0.5, 0.0)] {
            check(CORNERS, own, own);
        }
    }

    #[test]
    fn triangles_without_area_are_their_longest_edge() {
        let flat = [Vec3::ZERO, Vec3::X * 3.0, Vec3::X];
        check(flat, Vec3::new(2.0, 1.0, 0.0), Vec3::X * 2.0);
        check(flat, Vec3::new(4.0, 1.0, 0.0), Vec3::X * 3.0);
        check([Vec3::Y; 3], Vec3::X, Vec3::Y);
    }

    /// The foot of points above the middle of thin triangles that are turned.
    #[track_caller]
    fn check_thin(width: f64, turn: Quat) {
        for apex in [0.0, 0.5, 1.0] {
            let corners = [Vec3::ZERO, Vec3::X, Vec3::new(apex, width, 0.0)].map(|p| turn * p);
            let foot = (corners[0] + corners[1] + corners[2]) / 3.0;
            for height in [1.0, 1e-3, 1e-6, 1e-9, 1e-12] {
                let point = foot + turn * Vec3::Z * height;
                for order in ORDERS {
                    let found = closest_point(point, order.map(|i| corners[i]));
                    let error = (found.distance(point) - height).abs();
                    assert!(error < TOLERANCE, "{width} {height} {order:?}: {error}");
                }
            }
        }
    }

    #[test]
    fn the_foot_on_a_needle_is_as_good_as_on_any_triangle() {
        for width in [1e-2, 1e-4, 1e-6, 1e-8] {
            check_thin(width, Quat::IDENTITY);
            check_thin(width, Quat::from_axis_angle(Vec3::ONE / 3_f64.sqrt(), 1.0));
        }
        // Turning rounds the corners, and a needle as thin as this would tilt.
        check_thin(1e-10, Quat::IDENTITY);
        check_thin(1e-12, Quat::IDENTITY);
    }

    #[test]
    fn weights_make_the_nearest_point() {
        let mut random = Random::new(4);
        for round in 0..3000 {
            let squeeze = Vec3::new(1.0, crate::math::powi(10.0, -(round % 13)), 1.0);
            let turn = random.rotation();
            let corners = [(); 3].map(|()| turn * (random.point() * squeeze));
            let point = random.point() * 2.0 - 0.5;
            let weights = closest_weights(point, corners);
            let made: Vec3 = (0..3).map(|k| weights[k] * corners[k]).sum();
            let error = made.distance(closest_point(point, corners));
            assert!(error < 1e-12, "{corners:?} {point}: {error}");
            assert!(weights.iter().all(|&weight| (0.0..=1.0).contains(&weight)), "{weights:?}");
            assert!((weights.iter().sum::<f64>() - 1.0).abs() < TOLERANCE, "{weights:?}");
        }
        assert_eq!(closest_weights(Vec3::X, [Vec3::Y; 3]), [1.0, 0.0, 0.0]);
        assert_eq!(closest_weights(Vec3::X, [Vec3::ZERO, Vec3::Y, Vec3::X]), [0.0, 0.0, 1.0]);
        let flat = [Vec3::ZERO, 4.0 * Vec3::X, Vec3::X];
        let [u, v, w] = closest_weights(Vec3::new(3.0, 1.0, 0.0), flat);
        assert_eq!((u + v + w, 4.0 * v + w), (1.0, 3.0));
    }

    #[test]
    fn no_point_of_a_triangle_is_nearer() {
        let mut random = Random::new(3);
        for round in 0..2000 {
            let squeeze = Vec3::new(1.0, crate::math::powi(10.0, -(round % 13)), 1.0);
            let corners = [(); 3].map(|()| random.point() * squeeze);
            let point = random.point() * 2.0 - 0.5;
            let found = closest_point(point, corners).distance(point);
            for step in 0..=100 {
                let (s, t) = (f64::from(step % 11) / 10.0, f64::from(step / 11) / 10.0);
                let [a, b, c] = corners;
                let other = a + s * (1.0 - t) * (b - a) + t * (c - a);
                assert!(found <= other.distance(point) + TOLERANCE, "{corners:?} {point}");
            }
        }
    }
}
