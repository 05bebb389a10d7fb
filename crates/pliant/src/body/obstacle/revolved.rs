//! Signed distances of solids of revolution about the z axis.
//!
//! In a half-plane through the axis each is a plane figure; its distance there, rotated about the
//! axis, is the distance in space, and so are the derivatives.
//!
//! | here   | meaning                                                              |
//! |--------|----------------------------------------------------------------------|
//! | `rho`  | distance from the axis, m                                            |
//! | `slope`| unit gradient in the half-plane: away from the axis, and along it    |
//! | `bend` | curvature of the line of equal distance in the half-plane, 1/m       |

use crate::body::obstacle::{ObstacleError, Shape, measure};
use crate::math::{Mat3, Vec2, Vec3, outer_square};

/// A solid of revolution around the origin and the z axis.
///
/// Where ambiguous, the gradient is z at the centre of a ball or tube, x on an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Revolved {
    figure: Figure,
}

/// The plane figures; all measures positive and finite, m.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Figure {
    Sphere { radius: f64 },
    Cylinder { radius: f64 },
    FiniteCylinder { radius: f64, half: f64 },
    Capsule { radius: f64, half: f64 },
    Torus { major: f64, minor: f64 },
}

impl Revolved {
    /// A ball, m.
    ///
    /// - Implements: [Wang21 slide "Signed Distance Function Examples"].
    pub fn sphere(radius: f64) -> Result<Revolved, ObstacleError> {
        let radius = measure("sphere", "radius", radius)?;
        Ok(Revolved { figure: Figure::Sphere { radius } })
    }

    /// A cylinder without ends, m.
    ///
    /// - Implements: [Wang21 slide "Signed Distance Function Examples"].
    pub fn cylinder(radius: f64) -> Result<Revolved, ObstacleError> {
        let radius = measure("cylinder", "radius", radius)?;
        Ok(Revolved { figure: Figure::Cylinder { radius } })
    }

    /// A cylinder with flat ends at ± half of `length`, m.
    pub fn finite_cylinder(radius: f64, length: f64) -> Result<Revolved, ObstacleError> {
        let radius = measure("finite cylinder", "radius", radius)?;
        let half = 0.5 * measure("finite cylinder", "length", length)?;
        Ok(Revolved { figure: Figure::FiniteCylinder { radius, half } })
    }

    /// All that is within `radius` of a segment of the axis with this length, m.
    pub fn capsule(radius: f64, length: f64) -> Result<Revolved, ObstacleError> {
        let radius = measure("capsule", "radius", radius)?;
        let half = 0.5 * measure("capsule", "length", length)?;
        Ok(Revolved { figure: Figure::Capsule { radius, half } })
    }

    /// All that is within `minor` of the circle of radius `major`, m; it has a hole.
    pub fn torus(major: f64, minor: f64) -> Result<Revolved, ObstacleError> {
        let major = measure("torus", "major radius", major)?;
        let minor = measure("torus", "minor radius", minor)?;
        if minor >= major {
            return Err(ObstacleError::Torus { major, minor });
        }
        Ok(Revolved { figure: Figure::Torus { major, minor } })
    }

    fn meridian(&self, rho: f64, z: f64) -> Meridian {
        let up = if z < 0.0 { -1.0 } else { 1.0 };
        let side = |radius: f64| Meridian { distance: rho - radius, slope: Vec2::X, bend: 0.0 };
        match self.figure {
            Figure::Sphere { radius } => arc(Vec2::new(rho, z), radius),
            Figure::Cylinder { radius } => side(radius),
            Figure::FiniteCylinder { radius, half } => {
                let beyond = Vec2::new(rho - radius, z.abs() - half);
                let Meridian { distance, slope, bend } = if beyond.min_element() > 0.0 {
                    arc(beyond, 0.0)
                } else if beyond.x >= beyond.y {
                    side(radius)
                } else {
                    Meridian { distance: beyond.y, slope: Vec2::Y, bend: 0.0 }
                };
                Meridian { distance, slope: Vec2::new(slope.x, up * slope.y), bend }
            }
            Figure::Capsule { radius, half } if z.abs() <= half => side(radius),
            Figure::Capsule { radius, half } => arc(Vec2::new(rho, z - up * half), radius),
            Figure::Torus { major, minor } => arc(Vec2::new(rho - major, z), minor),
        }
    }
}

/// Distance and derivatives of a plane figure at a point.
#[derive(Clone, Copy, Debug)]
struct Meridian {
    /// Signed, m.
    distance: f64,
    /// Unit gradient.
    slope: Vec2,
    /// Curvature of the line of equal distance, 1/m.
    bend: f64,
}

/// A disk seen from a point that is at `from_centre`, m.
fn arc(from_centre: Vec2, radius: f64) -> Meridian {
    let length = from_centre.length();
    let distance = length - radius;
    if length == 0.0 {
        return Meridian { distance, slope: Vec2::Y, bend: 0.0 };
    }
    Meridian { distance, slope: from_centre / length, bend: length.recip() }
}

/// Unit vector away from the axis; x on it.
fn outward(point: Vec3, rho: f64) -> Vec3 {
    if rho > 0.0 { Vec3::new(point.x / rho, point.y / rho, 0.0) } else { Vec3::X }
}

impl Shape for Revolved {
    fn distance(&self, point: Vec3) -> f64 {
        self.meridian(point.truncate().length(), point.z).distance
    }

    fn gradient(&self, point: Vec3) -> Vec3 {
        let rho = point.truncate().length();
        let slope = self.meridian(rho, point.z).slope;
        slope.x * outward(point, rho) + slope.y * Vec3::Z
    }

    fn hessian(&self, point: Vec3) -> Mat3 {
        let rho = point.truncate().length();
        let Meridian { slope, bend, .. } = self.meridian(rho, point.z);
        let away = outward(point, rho);
        let along = slope.x * Vec3::Z - slope.y * away;
        let around = Vec3::new(-away.y, away.x, 0.0);
        // Going round the axis turns the gradient's part away from it. On the axis a smooth
        // figure bends alike in all directions, and one with a ridge has no second derivative.
        let hoop = if rho > 0.0 {
            slope.x / rho
        } else if slope.x == 0.0 {
            bend
        } else {
            0.0
        };
        let found = bend * outer_square(along) + hoop * outer_square(around);
        if found.is_finite() { found } else { Mat3::ZERO }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::obstacle::check;

    #[test]
    fn a_sphere_is_as_far_as_its_centre_less_its_radius() {
        let ball = Revolved::sphere(2.0).unwrap();
        check::values(
            &ball,
            &[
                (Vec3::new(0.0, 3.0, -4.0), 3.0, Vec3::new(0.0, 0.6, -0.8)),
                (Vec3::new(0.5, 0.0, 0.0), -1.5, Vec3::X),
                (Vec3::ZERO, -2.0, Vec3::Z),
            ],
        );
        check::all(&ball);
        assert_eq!(ball.hessian(Vec3::ZERO), Mat3::ZERO);
        let on_axis = ball.hessian(4.0 * Vec3::Z);
        assert_eq!(on_axis, Mat3::from_diagonal(Vec3::new(0.25, 0.25, 0.0)));
    }

    #[test]
    fn a_cylinder_does_not_end() {
        let cylinder = Revolved::cylinder(1.0).unwrap();
        check::values(
            &cylinder,
            &[
                (Vec3::new(3.0, -4.0, 1e3), 4.0, Vec3::new(0.6, -0.8, 0.0)),
                (Vec3::new(0.0, 0.0, 7.0), -1.0, Vec3::X),
            ],
        );
        check::all(&cylinder);
    }

    #[test]
    fn a_finite_cylinder_has_side_caps_and_rims() {
        let cylinder = Revolved::finite_cylinder(1.0, 4.0).unwrap();
        check::values(
            &cylinder,
            &[
                (Vec3::new(0.0, 2.5, 1.9), 1.5, Vec3::Y),
                (Vec3::new(0.5, 0.5, -3.0), 1.0, -Vec3::Z),
                (Vec3::new(-4.0, 0.0, 6.0), 5.0, Vec3::new(-0.6, 0.0, 0.8)),
                (Vec3::new(0.9, 0.0, 0.0), -0.1, Vec3::X),
                (Vec3::new(0.1, 0.0, -1.9), -0.1, -Vec3::Z),
            ],
        );
        check::all(&cylinder);
    }

    #[test]
    fn a_capsule_is_round_at_its_ends() {
        let capsule = Revolved::capsule(0.5, 2.0).unwrap();
        check::values(
            &capsule,
            &[
                (Vec3::new(0.0, -2.0, 0.9), 1.5, -Vec3::Y),
                (Vec3::new(3.0, 0.0, -5.0), 4.5, Vec3::new(0.6, 0.0, -0.8)),
                (Vec3::new(0.0, 0.0, 0.4), -0.5, Vec3::X),
            ],
        );
        check::all(&capsule);
    }

    #[test]
    fn a_torus_has_a_hole() {
        let torus = Revolved::torus(3.0, 1.0).unwrap();
        check::values(
            &torus,
            &[
                (Vec3::ZERO, 2.0, -Vec3::X),
                (Vec3::new(0.0, 6.0, 4.0), 4.0, Vec3::new(0.0, 0.6, 0.8)),
                (Vec3::new(-3.5, 0.0, 0.0), -0.5, -Vec3::X),
                (Vec3::new(3.0, 0.0, 0.0), -1.0, Vec3::Z),
            ],
        );
        check::all(&torus);
    }

    #[test]
    fn measures_that_make_no_solid_are_named() {
        let message = |found: Result<Revolved, ObstacleError>| found.unwrap_err().to_string();
        assert!(message(Revolved::sphere(0.0)).starts_with("a sphere has radius 0 m"));
        assert!(message(Revolved::cylinder(f64::NAN)).starts_with("a cylinder has radius NaN m"));
        assert!(message(Revolved::capsule(1.0, -2.0)).starts_with("a capsule has length -2 m"));
        assert!(message(Revolved::finite_cylinder(f64::INFINITY, 1.0)).contains("radius inf m"));
        assert!(message(Revolved::torus(1.0, 1.0)).starts_with("a torus has minor radius 1 m"));
        assert!(message(Revolved::torus(-1.0, 1.0)).starts_with("a torus has major radius -1 m"));
    }
}
