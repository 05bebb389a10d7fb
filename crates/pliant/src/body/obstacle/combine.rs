//! Union and intersection of placed shapes.
//!
//! The smaller of two signed distances is the union, the larger the intersection. With exact
//! parts the union is exact outside and too shallow inside, where a surface of one part lies
//! within the other; the intersection is exact inside and too near outside, next to edges that
//! neither part has. Neither is ever too far or too deep.

use std::sync::Arc;

use crate::body::keyframes::Pose;
use crate::body::obstacle::{DistanceBound, ObstacleError, Posed, SdfAccuracy, Shape};
use crate::math::{Mat3, Vec3, unit_quat};

/// A shape with its pose in a larger one.
#[derive(Clone, Debug)]
pub struct Part {
    /// In the space of the whole.
    pub pose: Pose,
    /// In its own space.
    pub shape: Arc<dyn Shape>,
}

impl Part {
    /// A shape at a pose.
    pub fn new(shape: impl Shape + 'static, pose: Pose) -> Part {
        Part { pose, shape: Arc::new(shape) }
    }

    fn posed(&self) -> Posed<'_> {
        Posed { shape: &*self.shape, pose: self.pose }
    }
}

/// Several shapes as one; derivatives are those of the part that decides.
#[derive(Clone, Debug)]
pub struct Combined {
    /// At least one, poses finite and of unit rotation.
    parts: Vec<Part>,
    rule: Rule,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Union,
    Intersection,
}

impl Combined {
    /// All that is in any of the parts; of equal distances the first part's counts.
    ///
    /// - Implements: [Wang21 slide "Union of Signed Distance Functions"].
    pub fn union(parts: Vec<Part>) -> Result<Combined, ObstacleError> {
        combined(parts, Rule::Union, "a union")
    }

    /// All that is in every part; of equal distances the first part's counts.
    ///
    /// - Implements: [Wang21 slide "Intersection of Signed Distance Functions"].
    /// - Deviates: outside, where the slide has a question mark, the largest distance is
    ///   a lower bound (erratum R10); `an_intersection_is_too_near_at_an_edge_of_its_own`.
    pub fn intersection(parts: Vec<Part>) -> Result<Combined, ObstacleError> {
        combined(parts, Rule::Intersection, "an intersection")
    }

    /// The part that decides at a point, and its distance, m.
    fn deciding(&self, point: Vec3) -> (Posed<'_>, f64) {
        let of = |part: &Part| part.posed().distance(point);
        let mut best = (&self.parts[0], of(&self.parts[0]));
        for part in &self.parts[1..] {
            let distance = of(part);
            let better = match self.rule {
                Rule::Union => distance < best.1,
                Rule::Intersection => distance > best.1,
            };
            if better {
                best = (part, distance);
            }
        }
        (best.0.posed(), best.1)
    }
}

fn combined(
    mut parts: Vec<Part>,
    rule: Rule,
    what: &'static str,
) -> Result<Combined, ObstacleError> {
    if parts.is_empty() {
        return Err(ObstacleError::NoParts { what });
    }
    for (index, part) in parts.iter_mut().enumerate() {
        let Pose { position, rotation } = part.pose;
        match unit_quat(rotation) {
            Some(unit) if position.is_finite() => part.pose.rotation = unit,
            _ => return Err(ObstacleError::Pose { part: index, position, rotation }),
        }
    }
    Ok(Combined { parts, rule })
}

impl Shape for Combined {
    fn distance(&self, point: Vec3) -> f64 {
        self.deciding(point).1
    }

    fn gradient(&self, point: Vec3) -> Vec3 {
        self.deciding(point).0.gradient(point)
    }

    fn hessian(&self, point: Vec3) -> Mat3 {
        self.deciding(point).0.hessian(point)
    }

    fn accuracy(&self) -> SdfAccuracy {
        let parts = self.parts.iter().map(|part| part.shape.accuracy());
        let worst = parts.fold(SdfAccuracy::EXACT, |a, b| SdfAccuracy {
            outside: a.outside.and(b.outside),
            inside: a.inside.and(b.inside),
        });
        let bound = DistanceBound::AtLeast { slack: 0.0 };
        match self.rule {
            Rule::Union => SdfAccuracy { inside: worst.inside.and(bound), ..worst },
            Rule::Intersection => SdfAccuracy { outside: worst.outside.and(bound), ..worst },
        }
    }

    fn lipschitz(&self) -> f64 {
        self.parts.iter().fold(0.0, |most, part| most.max(part.shape.lipschitz()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::obstacle::check;
    use crate::body::obstacle::{Cuboid, Plane, Revolved};
    use crate::math::Quat;

    fn wall(normal: Vec3, at: f64) -> Part {
        Part::new(Plane, Pose::along(at * normal, normal).unwrap())
    }

    /// Rounding of poses and distances of a few metres.
    const ROUNDING: f64 = 1e-12;
    const BOUND: DistanceBound = DistanceBound::AtLeast { slack: 0.0 };

    #[test]
    fn an_intersection_is_too_near_at_an_edge_of_its_own() {
        // Two half-spaces make a quarter-space. From (1, 1) its edge is √2 away, each plane 1.
        let quarter = Combined::intersection(vec![wall(Vec3::X, 0.0), wall(Vec3::Y, 0.0)]).unwrap();
        let found = quarter.distance(Vec3::new(1.0, 1.0, 0.0));
        assert!((found - 1.0).abs() < ROUNDING);
        let missing = 2_f64.sqrt() - found;
        assert!((missing - 0.414).abs() < 1e-3, "{missing}"); // R10: up to 0.41
        assert_eq!(
            quarter.accuracy(),
            SdfAccuracy { outside: BOUND, inside: DistanceBound::Exact }
        );
    }

    #[test]
    fn an_intersection_of_walls_is_a_box_inside_and_not_farther_outside() {
        let walls = [Vec3::X, Vec3::Y, Vec3::Z].into_iter();
        let walls = walls.flat_map(|axis| [wall(axis, 1.0), wall(-axis, 1.0)]).collect();
        let (walls, cuboid) =
            (Combined::intersection(walls).unwrap(), Cuboid::new(Vec3::splat(2.0)).unwrap());
        let mut too_near = 0;
        for point in check::points(1000, 2.0) {
            let (found, exact) = (walls.distance(point), cuboid.distance(point));
            assert!(found <= exact + ROUNDING && found.signum() == exact.signum());
            assert!(exact > 0.0 || (found - exact).abs() < ROUNDING, "{found} {exact}");
            too_near += usize::from(found < exact - ROUNDING);
        }
        assert!(too_near > 100, "{too_near}");
    }

    #[test]
    fn a_union_is_exact_outside_and_too_shallow_inside() {
        // Two halves of a box, side by side: the wall between them is not there.
        let half = |x: f64| {
            let pose = Pose { position: x * Vec3::X, ..Pose::IDENTITY };
            Part::new(Cuboid::new(Vec3::new(1.0, 2.0, 2.0)).unwrap(), pose)
        };
        let (union, whole) = (
            Combined::union(vec![half(-0.5), half(0.5)]).unwrap(),
            Cuboid::new(Vec3::splat(2.0)).unwrap(),
        );
        for point in check::points(1000, 2.0) {
            let (found, exact) = (union.distance(point), whole.distance(point));
            assert!(exact < 0.0 || (found - exact).abs() < ROUNDING, "{found} {exact}");
            assert!(found <= 0.0 || exact > 0.0);
            assert!(found.abs() <= exact.abs() + ROUNDING, "{found} {exact}");
        }
        // One metre deep in the whole, on the skin of both halves.
        assert_eq!((union.distance(Vec3::ZERO), whole.distance(Vec3::ZERO)), (0.0, -1.0));
        assert_eq!(union.accuracy(), SdfAccuracy { outside: DistanceBound::Exact, inside: BOUND });
    }

    #[test]
    fn a_turned_part_keeps_its_derivatives() {
        let turned = Pose {
            position: Vec3::new(0.5, -1.0, 0.2),
            rotation: Quat::from_rotation_x(1.0) * Quat::from_rotation_y(0.3) * 2.0,
        };
        let torus = Part::new(Revolved::torus(2.0, 0.5).unwrap(), turned);
        let ball = Part::new(Revolved::sphere(1.0).unwrap(), Pose::IDENTITY);
        let both = Combined::union(vec![torus, ball]).unwrap();
        check::derivatives(&both, 200);
        check::lipschitz(&both);
    }

    #[test]
    fn combinations_without_sense_are_refused() {
        let message = |found: Result<Combined, ObstacleError>| found.unwrap_err().to_string();
        assert_eq!(message(Combined::union(vec![])), "a union of no shapes has no distance");
        assert!(message(Combined::intersection(vec![])).starts_with("an intersection of no"));
        let lost = Pose { position: f64::NAN * Vec3::X, ..Pose::IDENTITY };
        let parts = vec![wall(Vec3::X, 0.0), Part::new(Plane, lost)];
        assert!(message(Combined::union(parts)).starts_with("part 1 is placed at [NaN"));
    }
}
