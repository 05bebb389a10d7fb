//! Signed distances of planar shapes: half-space and box.

use crate::body::obstacle::{ObstacleError, Shape, measure};
use crate::math::{Mat3, Vec3, outer_square};

/// The half-space below z = 0.
///
/// - Implements: [Wang21 slide "Signed Distance Function Examples"], the plane through
///   the origin with normal z; a pose gives any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane;

impl Shape for Plane {
    fn distance(&self, point: Vec3) -> f64 {
        point.z
    }

    fn gradient(&self, _point: Vec3) -> Vec3 {
        Vec3::Z
    }

    fn hessian(&self, _point: Vec3) -> Mat3 {
        Mat3::ZERO
    }
}

/// A box around the origin, edges along the axes.
///
/// Inside, of faces equally near the first counts, in the order x, y, z, positive side first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    /// Half the edge lengths, m; positive and finite.
    half: Vec3,
}

impl Cuboid {
    /// A box with edges of these lengths, m.
    pub fn new(size: Vec3) -> Result<Cuboid, ObstacleError> {
        for (what, edge) in ["x edge", "y edge", "z edge"].into_iter().zip(size.to_array()) {
            measure("box", what, edge)?;
        }
        Ok(Cuboid { half: 0.5 * size })
    }

    /// Signed distance, gradient and gap of a point.
    fn parts(&self, point: Vec3) -> Nearest {
        let beyond = point.abs() - self.half;
        let sides = Vec3::select(point.cmplt(Vec3::ZERO), Vec3::NEG_ONE, Vec3::ONE);
        let gap = beyond.max(Vec3::ZERO);
        let length = gap.length();
        if length > 0.0 {
            let gradient = sides * gap / length;
            return Nearest { distance: length, gradient, gap: Some(gap) };
        }
        let axis = (1..3).fold(0, |best, k| if beyond[k] > beyond[best] { k } else { best });
        let gradient = sides[axis] * Vec3::AXES[axis];
        Nearest { distance: beyond[axis], gradient, gap: None }
    }
}

/// The nearest point of a box, as seen from a point.
struct Nearest {
    /// Signed, m.
    distance: f64,
    /// Unit outward direction.
    gradient: Vec3,
    /// From the box to the point along each axis, m; `None` inside.
    gap: Option<Vec3>,
}

impl Shape for Cuboid {
    fn distance(&self, point: Vec3) -> f64 {
        self.parts(point).distance
    }

    fn gradient(&self, point: Vec3) -> Vec3 {
        self.parts(point).gradient
    }

    fn hessian(&self, point: Vec3) -> Mat3 {
        let Nearest { distance, gradient, gap: Some(gap) } = self.parts(point) else {
            return Mat3::ZERO;
        };
        // Near a corner the distance is that to a point, near an edge that to a line, and
        // near a face the two terms cancel.
        let free = Vec3::select(gap.cmpgt(Vec3::ZERO), Vec3::ONE, Vec3::ZERO);
        (Mat3::from_diagonal(free) - outer_square(gradient)) * distance.recip()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::obstacle::check;

    #[test]
    fn a_plane_is_as_far_as_the_point_is_high() {
        check::values(
            &Plane,
            &[(Vec3::new(3.0, 4.0, 2.5), 2.5, Vec3::Z), (-Vec3::Z, -1.0, Vec3::Z)],
        );
        check::all(&Plane);
    }

    #[test]
    fn a_box_is_as_far_as_its_face_edge_or_corner() {
        let cuboid = Cuboid::new(Vec3::new(2.0, 4.0, 6.0)).unwrap(); // half 1, 2, 3
        let third = 1.0 / 3.0;
        check::values(
            &cuboid,
            &[
                (Vec3::new(-2.5, 1.0, -2.0), 1.5, -Vec3::X),
                (Vec3::new(4.0, -6.0, 1.0), 5.0, Vec3::new(0.6, -0.8, 0.0)),
                (Vec3::new(2.0, 4.0, -5.0), 3.0, Vec3::new(third, 2.0 * third, -2.0 * third)),
                (Vec3::new(0.5, 1.9, 0.0), -0.1, Vec3::Y),
                (Vec3::new(0.2, -1.0, -2.8), -0.2, -Vec3::Z),
                (Vec3::new(0.0, 1.0, 2.0), -1.0, Vec3::X), // a tie of all: x, positive side
            ],
        );
        check::all(&cuboid);
    }

    #[test]
    fn a_box_without_room_is_refused() {
        let message = |size: Vec3| Cuboid::new(size).unwrap_err().to_string();
        let wanted = "a box has y edge 0 m: it must be positive and finite";
        assert_eq!(message(Vec3::new(1.0, 0.0, 1.0)), wanted);
        assert!(message(Vec3::new(1.0, 1.0, f64::NAN)).starts_with("a box has z edge NaN m"));
        assert!(message(Vec3::new(f64::INFINITY, 1.0, 1.0)).starts_with("a box has x edge inf m"));
    }
}
