//! Gravity: the same acceleration for every vertex.

use crate::force::Store;
use crate::force::elements::{Corners, Material};
use crate::force::stiffness::Tangent;
use crate::id::VertexId;
use crate::math::{Mat3, Vec3};

/// The same acceleration for every vertex.
#[derive(Clone, Debug)]
pub struct Gravity {
    /// m/s².
    acceleration: Vec3,
    /// Of each vertex, kg.
    masses: Vec<f64>,
}

impl Gravity {
    /// Weight of vertices with these masses, kg; all of the scene, in order.
    ///
    /// - Implements: [Zachmann slide "Der Algorithmus"], f^g.
    /// - Deviates: the slide's f^g has no index; it is mᵢ g (erratum L16).
    pub fn new(acceleration: Vec3, masses: &[f64]) -> Gravity {
        Gravity { acceleration, masses: masses.to_vec() }
    }
}

impl Material<1> for Gravity {
    fn count(&self) -> usize {
        self.masses.len()
    }

    fn vertices(&self, element: usize) -> [VertexId; 1] {
        [VertexId(element as u32)]
    }

    /// Zero at the origin.
    fn energy(&self, element: usize, at: &Corners<1>) -> f64 {
        -self.masses[element] * self.acceleration.dot(at.positions[0])
    }

    fn forces(&self, element: usize, _at: &Corners<1>) -> [Vec3; 1] {
        [self.masses[element] * self.acceleration]
    }

    fn store(&self) -> Store {
        Store::Gravitational
    }

    fn tangent(&self, _element: usize, _at: &Corners<1>, _tangent: Tangent) -> [[Mat3; 1]; 1] {
        [[Mat3::ZERO]]
    }

    fn answers(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::check;

    #[test]
    fn weight_is_the_slope_of_its_energy() {
        let gravity = Gravity::new(Vec3::new(0.0, 0.0, -9.81), &[2.0, 3.0]);
        let at = Corners { positions: [Vec3::X], velocities: [Vec3::ZERO], time: 0.0 };
        assert_eq!(gravity.forces(1, &at), [Vec3::new(0.0, 0.0, -3.0 * 9.81)]);
        check::derivatives(&gravity, &[[Vec3::X], [Vec3::Y]], 1.0);
    }
}
