//! A harmonic well: pulls every vertex to a centre in proportion to its distance.
//!
//! The force is −m ω² (x − c), with an angular frequency ω for each axis, independent of the
//! mass. Bodies stay together without a wall.

use crate::force::Store;
use crate::force::elements::{Corners, Material};
use crate::force::stiffness::Tangent;
use crate::id::VertexId;
use crate::math::{Mat3, Vec3};

/// Why a well cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BowlError {
    /// A frequency that is negative or not finite, or a centre that is not finite.
    #[error(
        "the bowl has its centre at {centre} m and rates of {rates} rad/s: expected finite numbers, rates not negative"
    )]
    Numbers {
        /// m.
        centre: Vec3,
        /// Along x, y and z, rad/s.
        rates: Vec3,
    },
}

/// The pull of a harmonic well on every vertex.
#[derive(Clone, Debug)]
pub struct HarmonicWell {
    /// Where nothing is pulled, m.
    centre: Vec3,
    /// Squares of the frequencies along x, y and z, 1/s²; finite, not negative.
    rates_sq: Vec3,
    /// Of each vertex, kg.
    masses: Vec<f64>,
}

impl HarmonicWell {
    /// The pull on vertices with these masses, kg; all of the scene, in order.
    ///
    /// `rates` are the angular frequencies along x, y and z, rad/s; 0 means no pull along an axis.
    pub fn new(centre: Vec3, rates: Vec3, masses: &[f64]) -> Result<HarmonicWell, BowlError> {
        let rates_sq = rates * rates;
        if !(centre.is_finite() && rates_sq.is_finite() && rates.min_element() >= 0.0) {
            return Err(BowlError::Numbers { centre, rates });
        }
        Ok(HarmonicWell { centre, rates_sq, masses: masses.to_vec() })
    }
}

impl Material<1> for HarmonicWell {
    fn count(&self) -> usize {
        self.masses.len()
    }

    fn vertices(&self, element: usize) -> [VertexId; 1] {
        [VertexId(element as u32)]
    }

    /// Zero at the centre.
    fn energy(&self, element: usize, at: &Corners<1>) -> f64 {
        let away = at.positions[0] - self.centre;
        0.5 * self.masses[element] * self.rates_sq.dot(away * away)
    }

    fn forces(&self, element: usize, at: &Corners<1>) -> [Vec3; 1] {
        [-self.masses[element] * self.rates_sq * (at.positions[0] - self.centre)]
    }

    fn store(&self) -> Store {
        Store::Gravitational
    }

    fn tangent(&self, element: usize, _at: &Corners<1>, tangent: Tangent) -> [[Mat3; 1]; 1] {
        [[Mat3::from_diagonal(tangent.stiffness * self.masses[element] * self.rates_sq)]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::check;

    #[test]
    fn the_pull_grows_with_distance_and_is_the_slope_of_its_energy() {
        let rates = Vec3::new(2.0, 1.0, 0.0);
        let bowl = HarmonicWell::new(Vec3::X, rates, &[2.0, 3.0]).unwrap();
        let place = [Vec3::new(2.0, 5.0, 7.0)];
        let at = Corners { positions: place, velocities: [Vec3::ZERO], time: 0.0 };
        // −3 kg · (4 · 1, 1 · 5, 0 · 7).
        assert_eq!(bowl.forces(1, &at), [Vec3::new(-12.0, -15.0, 0.0)]);
        check::derivatives(&bowl, &[place, [Vec3::X], [-Vec3::Y]], 1.0);
    }

    #[test]
    fn numbers_that_are_none_make_no_bowl() {
        for (centre, rates) in [
            (Vec3::ZERO, Vec3::new(-1.0, 0.0, 0.0)),
            (Vec3::ZERO, Vec3::NAN),
            (Vec3::ZERO, Vec3::splat(1e200)),
            (Vec3::INFINITY, Vec3::ONE),
        ] {
            assert!(HarmonicWell::new(centre, rates, &[1.0]).is_err(), "{centre} {rates}");
        }
    }
}
