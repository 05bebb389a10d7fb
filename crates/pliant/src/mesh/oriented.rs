//! Oriented boxes around the nodes of a tree: long thin triangles at any angle are kept apart.
//!
//! The sectors of a cone all have boxes along the axes that hold its apex, so that a tree of such
//! boxes cannot keep them apart. A box along the sector is as thin as the sector is.
//!
//! | here     | meaning                                                      |
//! |----------|--------------------------------------------------------------|
//! | `axes`   | unit vectors, orthogonal but for rounding                    |
//! | `origin` | a corner of a triangle in the box, m                         |
//! | `middle` | of the box along each axis, from `origin`, m                 |
//! | `half`   | half of its size along each axis, m                          |

use crate::math::{Mat3, Vec3};
use crate::mesh::bvh::Bvh;

/// Rounding of a coordinate along an axis, relative to the largest distance from the origin.
///
/// A difference, three products, two sums and the axes themselves are off by 2⁻⁵³ each: ten
/// roundings, 1e-15. Boxes are taken as larger by a thousand times that.
const MARGIN: f64 = 1e-12;

/// What products below the smallest normal number lose, as a share of an area, m².
const UNDERFLOW: f64 = 1e-300;

/// A box along the extent of what it holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrientedBox {
    origin: Vec3,
    /// From coordinates along the axes to the world.
    axes: Mat3,
    middle: Vec3,
    half: Vec3,
    /// Largest distance of what it holds from the origin, m.
    reach: f64,
}

impl OrientedBox {
    /// A box around points, along the line between two that are far apart.
    ///
    /// Points that are not finite make a box that misses nothing.
    pub(crate) fn around(points: impl Iterator<Item = Vec3> + Clone) -> OrientedBox {
        let first = points.clone().next().unwrap_or(Vec3::ZERO);
        let origin = farthest(points.clone(), |p| p.distance_squared(first));
        let far = farthest(points.clone(), |p| p.distance_squared(origin));
        let along = (far - origin).try_normalize().unwrap_or(Vec3::X);
        let aside = |p: Vec3| (p - origin) - along.dot(p - origin) * along;
        let tip = farthest(points.clone(), |p| aside(p).length_squared());
        let across = (aside(tip) - along.dot(aside(tip)) * along).try_normalize();
        let across = across.unwrap_or_else(|| along.any_orthonormal_vector());
        let axes = Mat3::from_cols(along, across, along.cross(across));
        let (mut low, mut high, mut reach) = (Vec3::INFINITY, Vec3::NEG_INFINITY, 0.0_f64);
        for point in points {
            let local = axes.transpose() * (point - origin);
            (low, high) = (low.min(local), high.max(local));
            reach = reach.max(if local.is_finite() { local.length() } else { f64::INFINITY });
        }
        OrientedBox { origin, axes, middle: 0.5 * (low + high), half: 0.5 * (high - low), reach }
    }

    /// Whether a segment certainly has no point in the box.
    ///
    /// Separating axes: the three of the box, and each of them times the segment.
    #[inline]
    pub(crate) fn is_missed_by(&self, [p, q]: [Vec3; 2]) -> bool {
        let local = |point: Vec3| self.axes.transpose() * (point - self.origin);
        let (p, q) = (local(p), local(q));
        let (centre, along) = (0.5 * (p + q) - self.middle, 0.5 * (q - p));
        let (offset, size) = (centre.abs(), along.abs());
        let margin = MARGIN * (self.reach + p.abs().element_sum() + q.abs().element_sum());
        // A NaN separates nothing.
        if (offset - size - self.half).max_element() > margin {
            return true;
        }
        let h = self.half;
        let turns = centre.cross(along).abs();
        let spans = Vec3::new(
            h.y * size.z + h.z * size.y,
            h.z * size.x + h.x * size.z,
            h.x * size.y + h.y * size.x,
        );
        (turns - spans).max_element() > 4.0 * margin * (size.element_sum() + margin) + UNDERFLOW
    }
}

/// A box for every node of a tree of triangles, numbered as the nodes are.
pub(crate) fn boxes_of_nodes(tree: &Bvh, corners: impl Fn(u32) -> [Vec3; 3]) -> Vec<OrientedBox> {
    let around = |node: usize| {
        OrientedBox::around(tree.items_below(node).iter().flat_map(|&item| corners(item)))
    };
    (0..tree.node_count()).map(around).collect()
}

/// The point with the largest value, the first of several; the origin where there is none.
fn farthest(points: impl Iterator<Item = Vec3>, value: impl Fn(Vec3) -> f64) -> Vec3 {
    let mut best = (f64::NEG_INFINITY, Vec3::ZERO);
    for point in points {
        let value = value(point);
        if value > best.0 {
            best = (value, point);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;
    use crate::mesh::intersect::segment_meets_triangle;

    #[test]
    fn a_segment_that_meets_a_triangle_is_never_said_to_miss_its_box() {
        let mut random = Random::new(17);
        let (mut met, mut missed) = (0, 0);
        for round in 0..20_000 {
            // Slivers of every width, and segments that end on them, at every scale.
            let scale = [1.0, 1e-60, 1e60, 1e6][round % 4];
            let thin = [1.0, 1e-3, 1e-9, 0.0][round / 4 % 4];
            let [a, b] = [random.vec3(), random.vec3()];
            let triangle = [a, b, 0.5 * (a + b) + thin * random.vec3()].map(|p| scale * p);
            let [s, t] = [random.unit(), random.unit()];
            let on =
                triangle[0] + s * ((triangle[1] - triangle[0]) + t * (triangle[2] - triangle[1]));
            let end = scale * random.vec3();
            let start = if round % 3 == 0 { on } else { scale * random.vec3() };
            let segment = [start, end];
            let misses = OrientedBox::around(triangle.into_iter()).is_missed_by(segment);
            let meets = segment_meets_triangle(segment, triangle);
            assert!(!(meets && misses), "{segment:?} {triangle:?}");
            assert!(!(round % 3 == 0 && misses), "{segment:?} {triangle:?}");
            met += usize::from(meets);
            missed += usize::from(misses);
        }
        assert!(met > 500 && missed > 5000, "{met} {missed}");
    }

    #[test]
    fn a_thin_box_at_an_angle_is_missed_by_what_passes_beside_it() {
        let sliver = [Vec3::ZERO, Vec3::new(1.0, 1.0, 1.0), Vec3::new(1.0, 1.0, 1.001)];
        let around = OrientedBox::around(sliver.into_iter());
        assert!(around.is_missed_by([Vec3::new(0.9, 0.1, 0.0), Vec3::new(0.9, 0.1, 1.0)]));
        assert!(!around.is_missed_by([Vec3::new(0.5, 0.5, 0.0), Vec3::new(0.5, 0.5, 1.0)]));
        // Beside it by a hundredth of its length, seen along no axis of the box.
        assert!(around.is_missed_by([Vec3::new(0.5, 0.52, 0.0), Vec3::new(0.52, 0.5, 0.4)]));
    }

    #[test]
    fn points_that_are_not_finite_or_none_at_all_rule_nothing_out() {
        let segment = [Vec3::ZERO, Vec3::X];
        assert!(!OrientedBox::around([Vec3::NAN, Vec3::Y].into_iter()).is_missed_by(segment));
        assert!(!OrientedBox::around([Vec3::MAX, Vec3::MIN].into_iter()).is_missed_by(segment));
        assert!(!OrientedBox::around(std::iter::empty()).is_missed_by(segment));
        let around = OrientedBox::around([Vec3::ONE, Vec3::Y].into_iter());
        assert!(!around.is_missed_by([Vec3::NAN, Vec3::X]));
    }
}
