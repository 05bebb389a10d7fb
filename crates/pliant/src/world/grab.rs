//! A spring that pulls a point of a body to where a hand is.

use crate::force::elements::{Corners, Material};
use crate::force::stiffness::Tangent;
use crate::id::VertexId;
use crate::math::{Mat3, Vec3};
use crate::world::BodyHandle;

/// A grab of a world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grab {
    pub body: BodyHandle,
    /// Corners of the triangle grabbed, counted in the body, with weights that sum to 1.
    pub corners: [VertexId; 3],
    pub weights: [f64; 3],
    /// Where the hand is, m.
    pub target: Vec3,
    /// N/m.
    pub stiffness: f64,
    /// N·s/m.
    pub damping: f64,
}

/// Springs from points of triangles to fixed points.
#[derive(Clone, Debug, Default)]
pub(super) struct GrabSprings {
    pub list: Vec<GrabSpring>,
}

/// One spring; corners count in the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct GrabSpring {
    pub corners: [VertexId; 3],
    pub weights: [f64; 3],
    pub target: Vec3,
    pub stiffness: f64,
    pub damping: f64,
}

impl GrabSpring {
    /// Σ wᵢ xᵢ.
    fn weighted(&self, values: &[Vec3; 3]) -> Vec3 {
        self.weights.iter().zip(values).map(|(weight, value)| *weight * *value).sum()
    }
}

impl Material<3> for GrabSprings {
    fn count(&self) -> usize {
        self.list.len()
    }

    fn vertices(&self, element: usize) -> [VertexId; 3] {
        self.list[element].corners
    }

    fn energy(&self, element: usize, at: &Corners<3>) -> f64 {
        let spring = &self.list[element];
        let stretch = spring.weighted(&at.positions) - spring.target;
        0.5 * spring.stiffness * stretch.length_squared()
    }

    fn forces(&self, element: usize, at: &Corners<3>) -> [Vec3; 3] {
        let spring = &self.list[element];
        let stretch = spring.weighted(&at.positions) - spring.target;
        let pull = -spring.stiffness * stretch - spring.damping * spring.weighted(&at.velocities);
        spring.weights.map(|weight| weight * pull)
    }

    fn tangent(&self, element: usize, _at: &Corners<3>, tangent: Tangent) -> [[Mat3; 3]; 3] {
        let GrabSpring { weights, stiffness, damping, .. } = self.list[element];
        let size = tangent.stiffness * stiffness + tangent.damping * damping;
        weights.map(|a| weights.map(|b| Mat3::from_diagonal(Vec3::splat(a * b * size))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::check;

    #[test]
    fn a_grab_is_the_slope_of_its_energy() {
        let spring = GrabSpring {
            corners: [VertexId(0), VertexId(1), VertexId(2)],
            weights: [0.2, 0.5, 0.3],
            target: Vec3::new(0.1, 2.0, -1.0),
            stiffness: 30.0,
            damping: 2.0,
        };
        let springs = GrabSprings { list: vec![spring] };
        check::derivatives(&springs, &[[Vec3::X, Vec3::Y, Vec3::ZERO]], 1.0);
    }
}
