//! The way out for border points, the outermost layer of penetrating vertices.
//!
//! Stage 3 of [Heidelberger04 §3.4]. A border point has at least one mesh edge
//! that leaves the penetrated body. Each such edge crosses the surface and votes
//! for a depth and a direction; near crossings count more than far ones.
//!
//! | here          | paper  | meaning                         |
//! |---------------|--------|---------------------------------|
//! | `point`       | p      | border point                    |
//! | `Crossing`    | xᵢ, nᵢ | where an edge meets the surface |
//! | `weight`      | ω      | influence of one crossing       |
//! | `Penetration` | d, r   | distance and direction out      |

use crate::depth::Penetration;
use crate::math::Vec3;
use crate::mesh::normals::MIN_AGREEMENT;

/// Where one mesh edge leaves the penetrated body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Meeting point of edge and surface, world space, m.
    pub position: Vec3,
    /// Unit normal of the penetrated surface, pointing out of it.
    pub normal: Vec3,
}

/// Averages the votes of all crossings around a border point.
///
/// `None` when no direction can be named: no crossings, or normals that cancel.
/// Such a point is left to its neighbours, like any inner point. `exponent` is the power
/// of the distance in the weight, 2 in the paper.
///
/// - Implements: [Heidelberger04 eq. 1–4].
/// - Deviates: [Heidelberger04 eq. 1] is infinite for a crossing at `point`; such a one
///   decides alone.
/// - Deviates: [Heidelberger04 eq. 4] divides by 0 where normals cancel; such a point is
///   left to its neighbours.
/// - Erratum: [Heidelberger04 §3.4] claims that depth is continuous; it jumps when a
///   neighbour sinks in and its edge has no crossing any more. Shown by
///   `a_neighbour_that_sinks_in_makes_depth_jump`.
pub fn penetration(point: Vec3, crossings: &[Crossing], exponent: f64) -> Option<Penetration> {
    let mut nearest_sq = f64::INFINITY;
    for crossing in crossings {
        let distance_sq = (crossing.position - point).length_squared();
        if distance_sq == 0.0 {
            return Some(Penetration { depth: 0.0, direction: crossing.normal });
        }
        nearest_sq = nearest_sq.min(distance_sq);
    }

    let (mut weight_sum, mut depth_sum, mut normal_sum) = (0.0, 0.0, Vec3::ZERO);
    for crossing in crossings {
        let to_surface = crossing.position - point;
        let weight = weight(to_surface.length_squared(), nearest_sq, exponent); // eq. 1
        weight_sum += weight;
        depth_sum += weight * to_surface.dot(crossing.normal);
        normal_sum += weight * crossing.normal;
    }

    // Compared as a product, so that an empty sum fails the test too.
    let agreed = normal_sum.length() > MIN_AGREEMENT * weight_sum;
    agreed.then(|| Penetration {
        depth: depth_sum / weight_sum,               // eq. 2
        direction: normal_sum / normal_sum.length(), // eq. 3, 4
    })
}

/// Weight relative to that of the nearest, from squared distances, m²; 0 to 1.
///
/// - Implements: [Heidelberger04 eq. 1, 5].
/// - Deviates: [Heidelberger04 eq. 1, 5] have 1/r²; (r₀/r)² with the nearest r₀ gives the
///   same averages, and neither overflows nor vanishes for any size or exponent.
/// - Erratum: [Zachmann slide "Konsistente Penalty Forces"] has 1/r; only powers above one
///   converge to the nearest crossing, as [Heidelberger04 §3.4] demands. Shown by
///   `only_powers_above_one_converge_to_the_nearest_crossing`.
#[inline]
pub(crate) fn weight(distance_sq: f64, nearest_sq: f64, exponent: f64) -> f64 {
    let ratio_sq = nearest_sq / distance_sq;
    if exponent == 2.0 { ratio_sq } else { libm::pow(ratio_sq, 0.5 * exponent) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Quat;

    const UP: [f64; 3] = [0.0, 0.0, 1.0];
    const DOWN: [f64; 3] = [0.0, 0.0, -1.0];
    const RIGHT: [f64; 3] = [1.0, 0.0, 0.0];
    /// Inputs are below ten and sums have two terms: rounding stays near 1e-15.
    const TOLERANCE: f64 = 1e-12;

    /// Every case must hold as written, and again in a world turned and moved.
    #[track_caller]
    fn check(crossings: &[([f64; 3], [f64; 3])], expected: Option<(f64, [f64; 3])>) {
        check_power(2.0, crossings, expected);
    }

    #[track_caller]
    fn check_power(
        exponent: f64,
        crossings: &[([f64; 3], [f64; 3])],
        expected: Option<(f64, [f64; 3])>,
    ) {
        let moved = (Quat::from_rotation_y(1.0), Vec3::new(3.0, -2.0, 7.0));
        for (turn, point) in [(Quat::IDENTITY, Vec3::ZERO), moved] {
            let place = |&(x, n): &([f64; 3], [f64; 3])| Crossing {
                position: point + turn * Vec3::from(x),
                normal: turn * Vec3::from(n),
            };
            let placed: Vec<_> = crossings.iter().map(place).collect();
            let found = penetration(point, &placed, exponent);
            assert_eq!(found.is_some(), expected.is_some(), "{found:?}");
            if let (Some(found), Some((depth, direction))) = (found, expected) {
                let direction = turn * Vec3::from(direction);
                assert!((found.depth - depth).abs() < TOLERANCE, "{found:?}");
                assert!(found.direction.abs_diff_eq(direction, TOLERANCE), "{found:?}");
            }
        }
    }

    #[test]
    fn depth_is_measured_to_the_plane_not_along_the_edge() {
        check(&[([4.0, 0.0, 3.0], UP)], Some((3.0, UP))); // the edge is 5 m long
    }

    #[test]
    fn nearer_crossings_count_by_the_inverse_square() {
        // Weights 1 and 1/4. Depth: (1·1 + 1/4·2) / (5/4). Direction: 1·x + 1/4·z.
        let leaning = [4.0 / 17_f64.sqrt(), 0.0, 1.0 / 17_f64.sqrt()];
        check(&[(RIGHT, RIGHT), ([0.0, 0.0, 2.0], UP)], Some((1.2, leaning)));
    }

    #[test]
    fn other_powers_weigh_otherwise() {
        // Weights 1 and 1/2. Depth: (1·1 + 1/2·2) / (3/2). Direction: 1·x + 1/2·z.
        let leaning = [2.0 / 5_f64.sqrt(), 0.0, 1.0 / 5_f64.sqrt()];
        let crossings = [(RIGHT, RIGHT), ([0.0, 0.0, 2.0], UP)];
        check_power(1.0, &crossings, Some((4.0 / 3.0, leaning)));
    }

    #[test]
    fn the_size_of_the_scene_and_large_powers_change_no_answer() {
        for size in [1e-100, 1e-50, 1.0, 1e60, 1e100] {
            for exponent in [0.5, 2.0, 3.0, 400.0] {
                let crossings = [(Vec3::X, Vec3::X), (2.0 * Vec3::Z, Vec3::Z)]
                    .map(|(position, normal)| Crossing { position: size * position, normal });
                let found = penetration(Vec3::ZERO, &crossings, exponent).unwrap();
                // Weights 1 and 2^-exponent, depths 1 and 2, directions x and z.
                let far = libm::pow(2.0, -exponent);
                let depth = (1.0 + 2.0 * far) / (1.0 + far);
                let direction = Vec3::new(1.0, 0.0, far) / libm::hypot(1.0, far);
                assert!((found.depth / size - depth).abs() < TOLERANCE, "{size} {exponent}");
                assert!(found.direction.abs_diff_eq(direction, TOLERANCE), "{size} {exponent}");
            }
        }
    }

    #[test]
    fn a_crossing_at_the_point_decides_alone() {
        check(&[(UP, UP), ([0.0; 3], RIGHT)], Some((0.0, RIGHT)));
    }

    #[test]
    fn an_unknown_direction_is_admitted_not_guessed() {
        check(&[], None);
        check(&[(UP, UP), (DOWN, DOWN)], None);
    }

    /// [Heidelberger04 §3.4] demands that the depth converge to that of the nearest
    /// crossing; an exponent of 1 does not do that.
    ///
    /// The second crossing, at distance 1 with depth 1, adds ε^e to a depth of ε.
    #[test]
    fn only_powers_above_one_converge_to_the_nearest_crossing() {
        let relative_error = |exponent: f64| {
            let near = 1e-7;
            let crossings = [(Vec3::X * near, Vec3::X), (Vec3::Y, Vec3::Y)]
                .map(|(position, normal)| Crossing { position, normal });
            penetration(Vec3::ZERO, &crossings, exponent).unwrap().depth / near - 1.0
        };
        assert!(relative_error(2.0).abs() < 1e-6);
        assert!(relative_error(1.0) > 0.9);
    }
}
