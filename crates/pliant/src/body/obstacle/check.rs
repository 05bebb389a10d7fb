//! Properties that every signed distance must have.

use crate::body::obstacle::{SdfAccuracy, Shape};
use crate::math::Vec3;
use crate::math::random::Random;

/// Step of central differences, m, for shapes of about 1 m: cube root of rounding.
const STEP: f64 = 6e-6;
/// Greatest error of a central difference with that step; curvature is below 20/m.
const DIFFERENCE_TOLERANCE: f64 = 2e-6;
/// Numbers below ten, a few products.
const ROUNDING: f64 = 1e-12;
/// Distance from a kink, m, within which derivatives are not compared.
const KINK: f64 = 0.05;

/// Points in a box of half this size, m, around the origin.
pub fn points(count: usize, half: f64) -> Vec<Vec3> {
    let mut random = Random::new(5);
    (0..count).map(|_| half * random.vec3()).collect()
}

/// Distances and gradients worked by hand.
#[track_caller]
pub fn values(shape: &impl Shape, cases: &[(Vec3, f64, Vec3)]) {
    for &(point, distance, gradient) in cases {
        let found = shape.distance(point);
        assert!((found - distance).abs() < ROUNDING, "distance {found} at {point}");
        let found = shape.gradient(point);
        assert!(found.abs_diff_eq(gradient, ROUNDING), "gradient {found} at {point}");
    }
}

/// All that holds for a shape of a few metres with exact distances.
#[track_caller]
pub fn all(shape: &impl Shape) {
    assert_eq!(shape.accuracy(), SdfAccuracy::EXACT);
    lipschitz(shape);
    derivatives(shape, 200);
    for point in points(500, 6.0) {
        let (distance, gradient) = (shape.distance(point), shape.gradient(point));
        assert!((gradient.length() - 1.0).abs() < ROUNDING, "{gradient} at {point}");
        // The gradient leads to the surface from any start.
        let foot = shape.distance(point - distance * gradient);
        assert!(foot.abs() < ROUNDING, "{foot} left at {point}");
    }
}

/// Two distances differ by no more than the points are apart, times the constant.
#[track_caller]
pub fn lipschitz(shape: &impl Shape) {
    let all = points(1000, 6.0);
    let near = all.iter().map(|p| *p + 1e-3 * Vec3::new(p.z, p.x, p.y));
    for (a, b) in all.iter().copied().zip(all.iter().copied().skip(1).chain(near)) {
        let rise = (shape.distance(a) - shape.distance(b)).abs();
        let most = shape.lipschitz() * (a - b).length() + ROUNDING;
        assert!(rise <= most, "{rise} > {most} between {a} and {b}");
    }
}

/// Gradient and Hessian against central differences, away from kinks.
#[track_caller]
pub fn derivatives(shape: &impl Shape, least: usize) {
    let mut compared = 0;
    for point in points(1000, 6.0) {
        let shift = |axis: usize, length: f64| point + length * Vec3::AXES[axis];
        // Across a ridge the gradient jumps; where curvature is large, steps are too long.
        let jump = |k: usize| {
            (shape.gradient(shift(k, KINK)) - shape.gradient(shift(k, -KINK))).length() > 0.5
        };
        let edge = |k: usize| {
            let change = |side: f64| shape.hessian(shift(k, side * KINK)) - shape.hessian(point);
            [-1.0, 1.0].into_iter().any(|side| {
                let change = change(side);
                [0, 1, 2].into_iter().any(|c| change.col(c).length() > 0.2)
            })
        };
        if (0..3).any(|k| jump(k) || edge(k)) {
            continue;
        }
        compared += 1;
        let (gradient, hessian) = (shape.gradient(point), shape.hessian(point));
        for axis in 0..3 {
            let (above, below) = (shift(axis, STEP), shift(axis, -STEP));
            let slope = (shape.distance(above) - shape.distance(below)) / (2.0 * STEP);
            let error = (slope - gradient[axis]).abs();
            assert!(error < DIFFERENCE_TOLERANCE, "gradient {axis} off by {error} at {point}");
            let slope = (shape.gradient(above) - shape.gradient(below)) / (2.0 * STEP);
            let error = (slope - hessian.col(axis)).abs().max_element();
            assert!(error < DIFFERENCE_TOLERANCE, "hessian {axis} off by {error} at {point}");
        }
    }
    assert!(compared >= least, "only {compared} points away from kinks");
}
