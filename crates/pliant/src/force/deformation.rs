//! Stress and strain of a deformed tet.
//!
//! | here       | meaning                                                        |
//! |------------|----------------------------------------------------------------|
//! | `gradient` | F, deformation gradient                                        |
//! | `stress`   | P, derivative of the energy by F, Pa; Cauchy's is P Fᵀ / det F |
//! | `green`    | Green's strain, ½ (Fᵀ F − 1)                                   |
//!
//! Symmetric matrices are listed as xx, yy, zz, xy, yz, zx.

use crate::math::{Mat3, Vec3};

/// Numbers of a symmetric matrix.
pub const SYMMETRIC: usize = 6;

/// How a tet is deformed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deformation {
    /// F.
    pub gradient: Mat3,
    /// P, without damping, Pa.
    pub stress: Mat3,
}

impl Deformation {
    /// Cauchy stress, Pa; NaN where the tet is flat.
    pub fn cauchy(&self) -> [f64; SYMMETRIC] {
        let volume = self.gradient.determinant();
        if volume == 0.0 {
            return [f64::NAN; SYMMETRIC];
        }
        listed((self.stress * self.gradient.transpose()) * volume.recip())
    }

    /// Green strain.
    pub fn green(&self) -> [f64; SYMMETRIC] {
        listed(0.5 * (self.gradient.transpose() * self.gradient - Mat3::IDENTITY))
    }
}

/// The upper triangle; the mean of both where they differ by rounding.
fn listed(m: Mat3) -> [f64; SYMMETRIC] {
    let mean = |row: usize, column: usize| 0.5 * (m.col(column)[row] + m.col(row)[column]);
    [mean(0, 0), mean(1, 1), mean(2, 2), mean(0, 1), mean(1, 2), mean(2, 0)]
}

/// Von Mises' equivalent of a stress, Pa.
pub fn von_mises([xx, yy, zz, xy, yz, zx]: [f64; SYMMETRIC]) -> f64 {
    let (a, b, c) = (xx - yy, yy - zz, zz - xx);
    let shear = Vec3::new(xy, yz, zx).length_squared();
    (0.5 * (a * a + b * b + c * c) + 3.0 * shear).sqrt()
}
