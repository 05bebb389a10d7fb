//! Depth for vertices with no edge of their own that leaves, ring after ring.
//!
//! Stage 4 of [Heidelberger04 §3.5]. Vertices next to processed ones take over depth and
//! direction, corrected for the way between; then they are processed in turn.
//!
//! | here        | paper      | meaning                    |
//! |-------------|------------|----------------------------|
//! | `point`     | p          | vertex to be reached       |
//! | `Neighbour` | pⱼ, dⱼ, rⱼ | a processed neighbour      |
//! | `weight`    | μ          | influence of one neighbour |

use crate::depth::Penetration;
use crate::depth::border::weight;
use crate::math::Vec3;
use crate::mesh::normals::MIN_AGREEMENT;

/// A processed neighbour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// Where it is, world space, m.
    pub position: Vec3,
    /// Its way out.
    pub penetration: Penetration,
}

/// Averages the penetrations of processed neighbours.
///
/// `None` when there are none, or their directions cancel.
///
/// - Implements: [Heidelberger04 eq. 5–7] and the unnumbered depth between them.
/// - Deviates: [Heidelberger04 eq. 5] is infinite for a neighbour at the same place; such
///   a one decides alone.
/// - Erratum: [Zachmann slide "Konsistente Penalty Forces"] divides by Σω(xᵢ, p), but a
///   propagated point has no crossings xᵢ; neighbours pᵢ are meant. Shown by
///   `nearer_neighbours_count_by_the_inverse_square`.
pub fn penetration(point: Vec3, neighbours: &[Neighbour], exponent: f64) -> Option<Penetration> {
    let mut nearest_sq = f64::INFINITY;
    for neighbour in neighbours {
        let distance_sq = (neighbour.position - point).length_squared();
        if distance_sq == 0.0 {
            return Some(neighbour.penetration);
        }
        nearest_sq = nearest_sq.min(distance_sq);
    }
    let (mut weight_sum, mut depth_sum, mut direction_sum) = (0.0, 0.0, Vec3::ZERO);
    for Neighbour { position, penetration } in neighbours {
        let way = *position - point;
        let weight = weight(way.length_squared(), nearest_sq, exponent); // eq. 5
        weight_sum += weight;
        depth_sum += weight * (way.dot(penetration.direction) + penetration.depth);
        direction_sum += weight * penetration.direction;
    }
    let agreed = direction_sum.length() > MIN_AGREEMENT * weight_sum;
    agreed.then(|| Penetration {
        depth: depth_sum / weight_sum,
        direction: direction_sum / direction_sum.length(), // eq. 6, 7
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f64 = 1e-14;

    fn given(position: [f64; 3], depth: f64, direction: Vec3) -> Neighbour {
        Neighbour { position: position.into(), penetration: Penetration { depth, direction } }
    }

    #[test]
    fn depth_grows_by_the_way_along_the_direction() {
        // Two metres below a neighbour that is one metre deep, and one to the side.
        let found = penetration(Vec3::ZERO, &[given([1.0, 0.0, 2.0], 1.0, Vec3::Z)], 2.0).unwrap();
        assert!((found.depth - 3.0).abs() < TOLERANCE);
        assert_eq!(found.direction, Vec3::Z);
    }

    #[test]
    fn nearer_neighbours_count_by_the_inverse_square() {
        // Weights 1 and 1/4. Depths (1 + 1) and (2 + 3). Directions x and z.
        let neighbours =
            [given([1.0, 0.0, 0.0], 1.0, Vec3::X), given([0.0, 0.0, 2.0], 3.0, Vec3::Z)];
        let found = penetration(Vec3::ZERO, &neighbours, 2.0).unwrap();
        assert!((found.depth - (2.0 + 5.0 / 4.0) / 1.25).abs() < TOLERANCE);
        let leaning = Vec3::new(4.0, 0.0, 1.0) / 17_f64.sqrt();
        assert!(found.direction.abs_diff_eq(leaning, TOLERANCE));
    }

    #[test]
    fn other_powers_weigh_otherwise() {
        // Weights 1 and 1/2. Depths (1 + 1) and (2 + 3). Directions x and z.
        let neighbours =
            [given([1.0, 0.0, 0.0], 1.0, Vec3::X), given([0.0, 0.0, 2.0], 3.0, Vec3::Z)];
        let found = penetration(Vec3::ZERO, &neighbours, 1.0).unwrap();
        assert!((found.depth - (2.0 + 5.0 / 2.0) / 1.5).abs() < TOLERANCE);
        let leaning = Vec3::new(2.0, 0.0, 1.0) / 5_f64.sqrt();
        assert!(found.direction.abs_diff_eq(leaning, TOLERANCE));
    }

    #[test]
    fn the_size_of_the_scene_and_large_powers_change_no_answer() {
        for size in [1e-100, 1e-50, 1.0, 1e60, 1e100] {
            for exponent in [0.5, 2.0, 3.0, 400.0] {
                let neighbours = [
                    given([size, 0.0, 0.0], size, Vec3::X),
                    given([0.0, 0.0, 2.0 * size], 3.0 * size, Vec3::Z),
                ];
                let found = penetration(Vec3::ZERO, &neighbours, exponent).unwrap();
                // Weights 1 and 2^-exponent. Depths (1 + 1) and (2 + 3).
                let far = libm::pow(2.0, -exponent);
                let depth = (2.0 + 5.0 * far) / (1.0 + far);
                let direction = Vec3::new(1.0, 0.0, far) / libm::hypot(1.0, far);
                assert!((found.depth / size - depth).abs() < TOLERANCE, "{size} {exponent}");
                assert!(found.direction.abs_diff_eq(direction, TOLERANCE), "{size} {exponent}");
            }
        }
    }

    #[test]
    fn a_neighbour_at_the_same_place_decides_alone() {
        let neighbours = [given([1.0, 0.0, 0.0], 1.0, Vec3::X), given([0.0; 3], 3.0, Vec3::Z)];
        assert_eq!(penetration(Vec3::ZERO, &neighbours, 2.0), Some(neighbours[1].penetration));
    }

    #[test]
    fn an_unknown_direction_is_admitted_not_guessed() {
        assert_eq!(penetration(Vec3::ZERO, &[], 2.0), None);
        let opposed =
            [given([1.0, 0.0, 0.0], 1.0, Vec3::Z), given([-1.0, 0.0, 0.0], 1.0, -Vec3::Z)];
        assert_eq!(penetration(Vec3::ZERO, &opposed, 2.0), None);
    }
}
