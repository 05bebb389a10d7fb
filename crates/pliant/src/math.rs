//! Vectors, and the exact signs that decide ties.
//!
//! Every sign of a determinant that the library branches on comes from here, so
//! that the orientation convention is stated once.

pub(crate) mod eigen;

pub(crate) mod svd;

pub mod polar;

pub(crate) mod inverse;

pub(crate) mod dispatch;

pub(crate) mod lanes;

#[cfg(any(test, feature = "checks"))]
pub mod random;

use robust::{Coord, Coord3D};

/// A point or vector in space, m.
pub type Vec3 = glam::DVec3;

/// A point or vector in the plane, m.
pub type Vec2 = glam::DVec2;

/// Four f32 side by side, for filters whose result f64 confirms.
pub(crate) type Vec4 = glam::Vec4;

/// Four times four f32, for filters too.
pub(crate) type Mat4 = glam::Mat4;

/// A 3×3 matrix, columns first.
pub type Mat3 = glam::DMat3;

/// A rotation.
pub type Quat = glam::DQuat;

/// A quaternion of any length as a rotation.
///
/// `None` when it is zero, too short to have a direction, or not finite.
pub(crate) fn unit_quat(quat: Quat) -> Option<Quat> {
    // Scaled first: the square of a length may be too large or too small for a number.
    let largest =
        [quat.x, quat.y, quat.z, quat.w].into_iter().fold(0.0, |m: f64, c| m.max(c.abs()));
    let scaled = quat / largest;
    let unit = scaled / scaled.length();
    unit.is_finite().then_some(unit)
}

/// The matrix a bᵀ.
#[inline]
pub(crate) fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// `base` to a whole power, by squaring: bitwise reproducible on every machine.
///
/// The standard library leaves the order of the products to the compiler.
#[inline]
pub fn powi(base: f64, exponent: i32) -> f64 {
    let (mut power, mut square, mut left) = (1.0, base, exponent.unsigned_abs());
    while left > 0 {
        if left & 1 == 1 {
            power *= square;
        }
        square *= square;
        left >>= 1;
    }
    if exponent < 0 { 1.0 / power } else { power }
}

/// Largest entries between which fourth powers of entries neither vanish nor overflow.
const MODERATE: std::ops::RangeInclusive<f64> = 1e-50..=1e50;

/// A matrix with moderate entries, and the factor that makes it the given one again.
fn moderate(matrix: Mat3) -> (Mat3, f64) {
    let columns = matrix.x_axis.abs().max(matrix.y_axis.abs()).max(matrix.z_axis.abs());
    let size = columns.max_element();
    if size == 0.0 || MODERATE.contains(&size) { (matrix, 1.0) } else { (matrix / size, size) }
}

/// Cosine, sine and tangent of the rotation that makes [[p, h/2], [h/2, q]] diagonal.
///
/// `difference` is q − p, `twice` is h, not zero. The angle is at most an eighth of a turn;
/// where q = p it is that, counted from p towards q.
#[inline]
fn jacobi(difference: f64, twice: f64) -> (f64, f64, f64) {
    let hypotenuse = (difference * difference + twice * twice).sqrt();
    let along = difference.abs() + hypotenuse;
    let across = if difference < 0.0 { -twice } else { twice };
    let length = (along * along + across * across).sqrt();
    (along / length, across / length, across / along)
}

/// An axis-aligned box, corners included, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates; above `max` in an empty box.
    pub min: Vec3,
    /// Largest coordinates.
    pub max: Vec3,
}

impl Aabb {
    /// The box that holds nothing.
    pub const EMPTY: Aabb = Aabb { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };

    /// The smallest box around the points, which must be finite.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Aabb {
        points.into_iter().fold(Aabb::EMPTY, |b, p| b.union(Aabb { min: p, max: p }))
    }

    /// The smallest box around both.
    #[inline]
    pub fn union(self, other: Aabb) -> Aabb {
        Aabb { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Whether the boxes share a point; touching counts.
    #[inline]
    pub fn meets(self, other: Aabb) -> bool {
        // One branch instead of six: which of them fails cannot be predicted.
        (self.min.x <= other.max.x)
            & (self.min.y <= other.max.y)
            & (self.min.z <= other.max.z)
            & (other.min.x <= self.max.x)
            & (other.min.y <= self.max.y)
            & (other.min.z <= self.max.z)
    }

    /// What both hold; empty when they share nothing.
    #[inline]
    pub fn intersection(self, other: Aabb) -> Aabb {
        Aabb { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    /// Whether a point is in the box, its border included.
    #[inline]
    pub fn contains(self, point: Vec3) -> bool {
        self.meets(Aabb { min: point, max: point })
    }

    /// Square of the distance to a point, m²; 0 in the box, infinite for an empty one.
    ///
    /// Never more than `(p - point).length_squared()` for a `p` in the box, in floating
    /// point too: differences, squares and sums of both are taken alike, and round alike.
    #[inline]
    pub fn distance_sq(self, point: Vec3) -> f64 {
        let gap = |low: f64, at: f64, high: f64| {
            let (below, above) = (low - at, at - high);
            let most = if below > above { below } else { above };
            if most > 0.0 { most } else { 0.0 }
        };
        let x = gap(self.min.x, point.x, self.max.x);
        let y = gap(self.min.y, point.y, self.max.y);
        let z = gap(self.min.z, point.z, self.max.z);
        Vec3::new(x, y, z).length_squared()
    }

    /// Edge lengths, m; negative in an empty box.
    pub fn size(self) -> Vec3 {
        self.max - self.min
    }
}

/// The matrix of a cross product: skew(a) b = a × b.
pub(crate) fn skew(a: Vec3) -> Mat3 {
    Mat3::from_cols(Vec3::new(0.0, a.z, -a.y), Vec3::new(-a.z, 0.0, a.x), Vec3::new(a.y, -a.x, 0.0))
}

/// The matrix v vᵀ.
#[inline]
pub fn outer_square(v: Vec3) -> Mat3 {
    Mat3::from_cols(v.x * v, v.y * v, v.z * v)
}

/// Signed volume of the tet `v0 v1 v2 v3`, m³: det(v1−v0, v2−v0, v3−v0) / 6.
///
/// Positive when v3 lies on the side to which the normal of the triangle v0 v1 v2 points.
#[inline]
pub fn tet_volume([v0, v1, v2, v3]: [Vec3; 4]) -> f64 {
    (v1 - v0).cross(v2 - v0).dot(v3 - v0) / 6.0
}

/// Number with the exact sign of [`tet_volume`]; its size means little.
///
/// - Deviates: `robust::orient3d` has the opposite sign; turned here, once.
#[inline]
pub fn orient3d(v0: Vec3, v1: Vec3, v2: Vec3, v3: Vec3) -> f64 {
    let c = |v: Vec3| Coord3D { x: v.x, y: v.y, z: v.z };
    -robust::orient3d(c(v0), c(v1), c(v2), c(v3))
}

/// Number with the exact sign of the area of the plane triangle `a b c`.
///
/// Positive when the corners run counter-clockwise.
#[inline]
pub fn orient2d(a: Vec2, b: Vec2, c: Vec2) -> f64 {
    let point = |v: Vec2| Coord { x: v.x, y: v.y };
    robust::orient2d(point(a), point(b), point(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_powers_are_products() {
        assert_eq!(powi(3.0, 0), 1.0);
        assert_eq!(powi(-3.0, 3), -27.0);
        assert_eq!(powi(2.0, -52), f64::EPSILON);
        assert_eq!(powi(0.1, 2), 0.1 * 0.1);
        assert_eq!(powi(2.0, i32::MIN), 0.0);
        assert_eq!(powi(1.0, i32::MAX), 1.0);
    }

    const CORNER: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];

    #[test]
    fn the_corner_tet_is_positive_by_both_measures() {
        assert_eq!(tet_volume(CORNER), 1.0 / 6.0);
        let [v0, v1, v2, v3] = CORNER;
        assert!(orient3d(v0, v1, v2, v3) > 0.0);
        assert!(orient3d(v0, v2, v1, v3) < 0.0);
    }

    #[test]
    fn exact_sign_sees_what_rounding_hides() {
        // The fourth point lies one step of f64 above the plane x + y + z = 1 of the others.
        let above = Vec3::new(0.5, 0.5, f64::EPSILON * 0.25);
        assert!(orient3d(Vec3::X, Vec3::Y, Vec3::Z, above) > 0.0);
        assert_eq!(orient3d(Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.5, 0.5, 0.0)), 0.0);
    }

    #[test]
    fn boxes_are_as_far_as_their_nearest_point() {
        let unit = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
        assert_eq!(unit.distance_sq(Vec3::new(0.5, 1.0, 0.0)), 0.0);
        assert_eq!(unit.distance_sq(Vec3::new(-2.0, 0.5, 4.0)), 4.0 + 9.0);
        assert_eq!(Aabb::EMPTY.distance_sq(Vec3::ONE), f64::INFINITY);
    }

    #[test]
    fn an_outer_square_projects() {
        let found = outer_square(Vec3::new(1.0, 2.0, 3.0)) * Vec3::new(1.0, 0.0, -1.0);
        assert_eq!(found, -2.0 * Vec3::new(1.0, 2.0, 3.0));
    }

    #[test]
    fn a_quaternion_of_any_length_is_a_rotation() {
        for length in [1e-300, 0.5, 1.0, 3.0, 1e300] {
            let unit = unit_quat(Quat::from_xyzw(0.0, 3.0, 0.0, 4.0) * length).unwrap();
            assert!((unit - Quat::from_xyzw(0.0, 0.6, 0.0, 0.8)).length() < 1e-15, "{unit}");
        }
        for bad in [0.0, f64::NAN, f64::INFINITY] {
            assert_eq!(unit_quat(Quat::from_xyzw(0.0, bad, 0.0, 0.0)), None);
        }
    }

    #[test]
    fn plane_triangles_turn_left() {
        assert!(orient2d(Vec2::ZERO, Vec2::X, Vec2::Y) > 0.0);
    }
}
