//! Singular value decomposition of any 3×3 matrix: a stretch between two rotations.
//!
//! A guess at the axes comes from the eigenvectors of the squared matrix; it is quick, and
//! off where stretches are small or alike. Then the images of the axes are made orthogonal
//! pair by pair with plane rotations, until they are. No function but the square root is used,
//! so that results are bitwise reproducible on all machines.

use crate::math::{Mat3, Vec3, jacobi, moderate, outer};

/// Two columns with a smaller cosine between them are orthogonal but for rounding.
const ORTHOGONAL: f64 = 2e-15;

/// Squared stretches that differ by less, relative to their mean, determine no axes.
const ALIKE: f64 = 1e-12;

/// Where no rotation of a sweep is larger, the next sweep would change rounding alone.
const LAST_TANGENT: f64 = 1e-8;

/// Sweeps that are never needed: after the guess, one or two do.
const MOST_SWEEPS: usize = 16;

/// A second stretch this small beside the first has no direction but that of rounding.
const RANK: f64 = 1e-15;

/// Unit vectors whose cross product is shorter have no plane in common but rounding's.
const OPPOSITE: f64 = 1e-10;

/// A matrix as u · diag(stretches) · vᵀ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Svd {
    /// Rotation after the stretch; never a reflection.
    pub u: Mat3,
    /// Descending by size but for rounding; the last is negative for a reflection. In the
    /// unit of the matrix.
    pub stretches: Vec3,
    /// Rotation whose inverse comes before the stretch; never a reflection.
    pub v: Mat3,
}

/// Singular values of a matrix with finite entries, by rotations alone.
///
/// Accurate to rounding of the largest stretch. Where the parts are not unique the choice is
/// always the same: a zero matrix has u = v = 1; where two stretches vanish, u vᵀ is the
/// smallest turn that does the rest.
pub(crate) fn svd(matrix: Mat3) -> Svd {
    let (matrix, scale) = moderate(matrix);
    let mut axes = guess(matrix);
    let mut images = axes.map(|axis| matrix * axis);
    for _ in 0..MOST_SWEEPS {
        let rough = [(0, 1), (0, 2), (1, 2)].map(|(p, q)| turn(&mut images, &mut axes, p, q));
        if rough == [false; 3] {
            break;
        }
    }
    sort(&mut images, &mut axes);
    let mut found = directions(images, axes);
    found.stretches *= scale;
    found
}

/// Orthonormal axes, right-handed, close to the eigenvectors of matrixᵀ · matrix.
///
/// The eigenvalue that stands apart is a root of a cubic, and well-conditioned; its axis is
/// at right angles to two rows. In the plane of the others one rotation is enough.
fn guess(matrix: Mat3) -> [Vec3; 3] {
    let [a, b, c] = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let squares = Vec3::new(a.length_squared(), b.length_squared(), c.length_squared());
    let mean = squares.element_sum() / 3.0;
    let (apart, mixed) = (squares - mean, Vec3::new(b.dot(c), a.dot(c), a.dot(b)));
    let spread = ((apart.length_squared() + 2.0 * mixed.length_squared()) / 6.0).sqrt();
    if spread <= ALIKE * mean {
        return [Vec3::X, Vec3::Y, Vec3::Z];
    }
    // Without its mean and over its spread, the square has eigenvalues between −2 and 2.
    let (d, o) = (apart / spread, mixed / spread);
    let rows = [Vec3::new(d.x, o.z, o.y), Vec3::new(o.z, d.y, o.x), Vec3::new(o.y, o.x, d.z)];
    let half_det = 0.5 * rows[0].dot(rows[1].cross(rows[2]));
    let value = lone_root(half_det.abs()).copysign(half_det);
    let [x, y, z] =
        [rows[0] - value * Vec3::X, rows[1] - value * Vec3::Y, rows[2] - value * Vec3::Z];
    let normals = [x.cross(y), y.cross(z), z.cross(x)];
    let sizes = normals.map(Vec3::length_squared);
    let most = if sizes[1] > sizes[0] { 1 } else { 0 };
    let most = if sizes[2] > sizes[most] { 2 } else { most };
    let axis = normals[most] / sizes[most].sqrt();
    let (p, q) = perpendicular(axis);
    let image = |v: Vec3| Vec3::new(rows[0].dot(v), rows[1].dot(v), rows[2].dot(v));
    let (p_image, q_image) = (image(p), image(q));
    let twice = 2.0 * p.dot(q_image);
    if twice == 0.0 {
        return [p, q, axis];
    }
    let (c, s, _) = jacobi(q.dot(q_image) - p.dot(p_image), twice);
    [c * p - s * q, s * p + c * q, axis]
}

/// The root of x³ − 3x = 2r between √3 and 2, for r between 0 and 1: 2 cos(acos(r) / 3).
fn lone_root(r: f64) -> f64 {
    // The cubic with the right values and slopes at both ends, then Newton.
    let start = 3.0_f64.sqrt();
    let bend = [2.0 - start - 1.0 / 3.0, 2.0 / 9.0 - 1.0 / 3.0];
    let cubic = bend[1] - 2.0 * bend[0];
    let mut x = start + r * (1.0 / 3.0 + r * (bend[0] - cubic + r * cubic));
    for _ in 0..2 {
        x -= (x * (x * x - 3.0) - 2.0 * r) / (3.0 * (x * x - 1.0));
    }
    x
}

/// Two unit vectors that make a right-handed frame with a unit vector.
pub(in crate::math) fn perpendicular(axis: Vec3) -> (Vec3, Vec3) {
    let side = 1.0_f64.copysign(axis.z);
    let scale = -1.0 / (side + axis.z);
    let both = axis.x * axis.y * scale;
    let p = Vec3::new(1.0 + side * axis.x * axis.x * scale, side * both, -side * axis.x);
    (p, Vec3::new(both, side + axis.y * axis.y * scale, -axis.y))
}

/// Makes two images orthogonal; returns whether more than the last digits changed.
#[inline]
fn turn(images: &mut [Vec3; 3], axes: &mut [Vec3; 3], p: usize, q: usize) -> bool {
    let (a, b) = (images[p], images[q]);
    let (a_sq, b_sq, across) = (a.length_squared(), b.length_squared(), a.dot(b));
    if across * across <= ORTHOGONAL * ORTHOGONAL * (a_sq * b_sq) {
        return false;
    }
    let (c, s, t) = jacobi(b_sq - a_sq, 2.0 * across);
    (images[p], images[q]) = (c * a - s * b, s * a + c * b);
    let (a, b) = (axes[p], axes[q]);
    (axes[p], axes[q]) = (c * a - s * b, s * a + c * b);
    t.abs() > LAST_TANGENT
}

/// Orders by descending length; each swap turns one axis around, so that none mirrors.
fn sort(images: &mut [Vec3; 3], axes: &mut [Vec3; 3]) {
    let mut sizes = images.map(Vec3::length_squared);
    for (p, q) in [(0, 1), (1, 2), (0, 1)] {
        if sizes[p] < sizes[q] {
            sizes.swap(p, q);
            (images[p], images[q]) = (images[q], -images[p]);
            (axes[p], axes[q]) = (axes[q], -axes[p]);
        }
    }
}

/// Unit directions of orthogonal images, longest first, and their lengths.
fn directions(images: [Vec3; 3], axes: [Vec3; 3]) -> Svd {
    let v = Mat3::from_cols(axes[0], axes[1], axes[2]);
    let first = images[0].length();
    if first == 0.0 {
        return Svd { u: Mat3::IDENTITY, stretches: Vec3::ZERO, v: Mat3::IDENTITY };
    }
    let x = images[0] / first;
    let beside = images[1] - x.dot(images[1]) * x;
    let second = beside.length();
    if second <= RANK * first {
        let u = smallest_turn(axes[0], x) * v;
        return Svd { u, stretches: Vec3::new(first, 0.0, 0.0), v };
    }
    let y = beside / second;
    let z = x.cross(y);
    Svd { u: Mat3::from_cols(x, y, z), stretches: Vec3::new(first, second, z.dot(images[2])), v }
}

/// The smallest rotation that takes one unit vector to another.
///
/// For opposite ones, half a turn about an axis at right angles to both, the one that the
/// smallest coordinate of `from` selects.
pub(in crate::math) fn smallest_turn(from: Vec3, to: Vec3) -> Mat3 {
    if from.dot(to) >= 0.0 {
        // Half a turn about `from`, then one about the line in the middle.
        let half_turn =
            |axis: Vec3| outer(axis, axis) * (2.0 / axis.length_squared()) - Mat3::IDENTITY;
        return half_turn(from + to) * half_turn(from);
    }
    let mut axis = from.cross(to);
    if axis.length_squared() < OPPOSITE * OPPOSITE {
        let least = from.abs().min_element();
        let towards = [Vec3::X, Vec3::Y, Vec3::Z].into_iter().find(|e| from.dot(*e).abs() <= least);
        axis = from.cross(towards.unwrap_or(Vec3::X));
    }
    // Made perpendicular once more on either side: the cross product of nearly opposite
    // vectors is so only roughly.
    let frame = |x: Vec3| {
        let across = axis - x.dot(axis) * x;
        let y = across / across.length();
        Mat3::from_cols(x, y, x.cross(y))
    };
    frame(to) * frame(from).transpose()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::math::Quat;
    use crate::math::random::Random;

    /// Roundings of a few sweeps, relative to the largest entry.
    const TOLERANCE: f64 = 1e-14;

    /// Round, stretched, flat, thin, mirrored, huge and tiny ones.
    pub(crate) fn some_matrices() -> Vec<Mat3> {
        let mut random = Random::new(7);
        let mut any = || random.vec3();
        let mut matrices = Vec::new();
        for k in 0..60 {
            let whole = Mat3::from_cols(any(), any(), any());
            let (a, b, c, d) = (any(), any(), any(), any());
            let (flat, line) = (outer(a, b) + outer(c, d), outer(a, b));
            let nearly = [1e-3, 1e-6, 1e-9, 1e-12, 1e-15][k % 5];
            let turn = Mat3::from_quat(Quat::from_rotation_x(a.x) * Quat::from_rotation_y(b.y));
            for matrix in [whole, flat, line, turn, line + nearly * whole, flat + nearly * whole] {
                matrices.extend([matrix, -matrix, 1e-200 * matrix, 1e200 * matrix]);
                matrices.push(matrix * 1e-305);
            }
            matrices.push(turn + nearly * whole);
            matrices.push(whole * Mat3::from_diagonal(Vec3::new(1.0, nearly, nearly * nearly)));
        }
        let mirrors = [Vec3::NEG_Z + Vec3::X + Vec3::Y, Vec3::NEG_ONE, Vec3::NEG_X, Vec3::Y];
        matrices.extend(mirrors.map(Mat3::from_diagonal));
        matrices.extend([Mat3::ZERO, Mat3::IDENTITY, outer(Vec3::X, Vec3::Y)]);
        matrices
            .extend([Mat3::from_cols(Vec3::ONE, Vec3::ONE, Vec3::ONE), 1e-310 * Mat3::IDENTITY]);
        matrices
    }

    #[track_caller]
    pub(crate) fn assert_rotation(matrix: Mat3) {
        let product = matrix.transpose() * matrix;
        assert!(product.abs_diff_eq(Mat3::IDENTITY, TOLERANCE), "{matrix}");
        assert!((matrix.determinant() - 1.0).abs() < TOLERANCE, "{matrix}");
    }

    #[track_caller]
    fn check(matrix: Mat3) {
        let Svd { u, stretches, v } = svd(matrix);
        assert_rotation(u);
        assert_rotation(v);
        let size = matrix.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let slack = TOLERANCE * stretches.x;
        assert!(stretches.x >= stretches.y - slack, "{stretches}");
        assert!(stretches.y >= stretches.z.abs() - slack, "{stretches}");
        if size > 0.0 {
            let again = u * Mat3::from_diagonal(stretches / size) * v.transpose();
            assert!(again.abs_diff_eq(matrix / size, TOLERANCE), "{matrix} {again}");
        }
    }

    #[test]
    fn a_matrix_is_made_again_from_its_parts() {
        some_matrices().into_iter().for_each(check);
    }

    #[test]
    fn what_is_not_finite_ends_too() {
        for bad in [f64::NAN, f64::INFINITY] {
            assert!(!svd(bad * Mat3::IDENTITY).stretches.is_finite());
        }
    }

    #[test]
    fn a_worked_case() {
        // A quarter turn about z after stretching x by 3 and y by 2, and mirroring z.
        let found = svd(Mat3::from_cols(3.0 * Vec3::Y, -2.0 * Vec3::X, -Vec3::Z));
        assert_eq!(found.stretches, Vec3::new(3.0, 2.0, -1.0));
        assert_eq!(found.v, Mat3::IDENTITY);
        assert_eq!(found.u, Mat3::from_cols(Vec3::Y, -Vec3::X, Vec3::Z));
    }

    #[test]
    fn the_lone_root_is_a_root() {
        for k in 0..=100 {
            let r = f64::from(k) / 100.0;
            let x = lone_root(r);
            // Good enough for a guess.
            assert!((x * x * x - 3.0 * x - 2.0 * r).abs() < 1e-12, "{r} {x}");
            assert!((1.732..2.000_001).contains(&x), "{r} {x}");
        }
    }

    #[test]
    fn small_stretches_are_not_lost_in_the_square() {
        // Squared, they would be 1e-18 and 1e-24 beside 1, below its last digit.
        let sizes = Vec3::new(1.0, 1e-9, -1e-12);
        let turn = Mat3::from_quat(Quat::from_rotation_y(0.7) * Quat::from_rotation_z(0.4));
        let found = svd(turn * Mat3::from_diagonal(sizes) * turn).stretches;
        assert!(found.abs_diff_eq(sizes, 3.0 * f64::EPSILON), "{found}");
    }

    #[test]
    fn opposite_directions_turn_by_half() {
        let nearly = Vec3::new(-1.0, 1e-12, -1e-9);
        let wide = Vec3::new(-0.8, 0.0, 0.6);
        for to in [Vec3::NEG_X, nearly / nearly.length(), wide, Vec3::X, Vec3::Z] {
            let turn = smallest_turn(Vec3::X, to);
            assert_rotation(turn);
            assert!((turn * Vec3::X).abs_diff_eq(to, TOLERANCE), "{to}");
            // The trace is 1 + 2 cos of the angle, which is that between the two.
            let trace = turn.x_axis.x + turn.y_axis.y + turn.z_axis.z;
            assert!((trace - 1.0 - 2.0 * to.x).abs() < TOLERANCE, "{to}");
        }
    }
}
