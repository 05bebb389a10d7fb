//! Directions along which one body may leave another, before they are compared exactly.

use crate::contact::translation::ClosedSurface;
use crate::math::eigen::eigen;
use crate::math::{Mat3, Vec3, outer_square};
use crate::mesh::normals::face_normal;

/// Cosine from which two directions count as one.
const SAME: f64 = 0.9;

/// Directions that are compared by their slabs, at most.
const MOST_AXES: usize = 96;

/// Refinements of a direction, each with a smaller change.
const REFINEMENTS: usize = 12;

/// Angles by which directions are tilted, rad.
const TILT: [f64; 2] = [3.1e-4, 1.7e-4];

/// Directions to be compared: those that faces look, and the long and short axes.
///
/// Each comes with 0, to be replaced by what it costs.
pub(crate) fn gather_axes<E>(axes: &mut Vec<(f64, Vec3)>, [a, b]: [ClosedSurface<'_, E>; 2]) {
    axes.clear();
    let mut add = |axis: Vec3| {
        if axes.len() < MOST_AXES && axes.iter().all(|other| other.1.dot(axis) < SAME) {
            axes.push((0.0, axis));
        }
    };
    for surface in [a, b] {
        let axes = eigen(spread(surface)).vectors;
        for axis in [axes.x_axis, axes.y_axis, axes.z_axis] {
            add(axis);
            add(-axis);
        }
    }
    for (surface, sign) in [(b, 1.0), (a, -1.0)] {
        for normal in surface.faces.iter().filter_map(|face| face_normal(*face)) {
            add(sign * normal);
        }
    }
}

/// Mean of the surface points, m.
pub(crate) fn centre<E>(surface: ClosedSurface<'_, E>) -> Vec3 {
    surface.points().sum::<Vec3>() / surface.vertices.len() as f64
}

/// How far the surface points are spread, in each direction, m².
fn spread<E>(surface: ClosedSurface<'_, E>) -> Mat3 {
    let centre = centre(surface);
    surface.points().fold(Mat3::ZERO, |sum, point| sum + outer_square(point - centre))
}

/// A direction beside another, along which no face of a block is seen exactly from the side.
///
/// A body may be stuck in a face that it slides along; only seen aslant, the face is met.
pub(crate) fn tilted(axis: Vec3) -> Option<Vec3> {
    let (u, v) = axis.any_orthonormal_pair();
    (axis + TILT[0] * u + TILT[1] * v).try_normalize()
}

/// Turns a direction to where its slab is thinner, in smaller and smaller steps.
pub(crate) fn refine((_, mut axis): (f64, Vec3), slab: impl Fn(Vec3) -> f64) -> (f64, Vec3) {
    let (mut least, mut change) = (slab(axis), 0.2);
    for _ in 0..REFINEMENTS {
        let (u, v) = axis.any_orthonormal_pair();
        let mut better = None;
        for turn in [u, -u, v, -v] {
            let Some(tried) = (axis + change * turn).try_normalize() else { continue };
            let thickness = slab(tried);
            if thickness < least {
                (least, better) = (thickness, Some(tried));
            }
        }
        match better {
            Some(tried) => axis = tried,
            None => change *= 0.5,
        }
    }
    (least, axis)
}
