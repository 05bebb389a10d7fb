//! Constant forces: on single vertices, or on a body as a whole.

use std::ops::Range;

use crate::force::elements::{Corners, Material};
use crate::force::stiffness::Tangent;
use crate::id::VertexId;
use crate::math::{Mat3, Vec3};

/// Why a load cannot act.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum LoadError {
    /// A vertex that does not exist.
    #[error("loaded vertex {vertex} does not exist: the scene has {count} vertices")]
    NoSuchVertex {
        /// First such vertex.
        vertex: VertexId,
        /// Number of vertices of the scene.
        count: usize,
    },
    /// A force that is infinite or not a number.
    #[error("the load on vertex {vertex} is {force} N: it must be finite")]
    NotFinite {
        /// First such vertex.
        vertex: VertexId,
        /// The force, N.
        force: Vec3,
    },
    /// Nothing to act on.
    #[error("the load acts on no vertex: the range {start}..{end} is empty")]
    Empty {
        /// First vertex of the range.
        start: usize,
        /// One past the last.
        end: usize,
    },
}

/// Constant forces, independent of the motion.
#[derive(Clone, Debug, Default)]
pub struct Load {
    /// Vertices that exist, each with a finite force, N.
    forces: Vec<(VertexId, Vec3)>,
}

impl Load {
    /// A force on each of some vertices, N; `vertex_count` of the scene.
    ///
    /// A vertex that comes twice gets both.
    pub fn on_vertices(
        forces: Vec<(VertexId, Vec3)>,
        vertex_count: usize,
    ) -> Result<Load, LoadError> {
        for &(vertex, force) in &forces {
            if vertex.index() >= vertex_count {
                return Err(LoadError::NoSuchVertex { vertex, count: vertex_count });
            }
            if !force.is_finite() {
                return Err(LoadError::NotFinite { vertex, force });
            }
        }
        Ok(Load { forces })
    }

    /// A force on a body, N, shared by mass: alone it moves the body without bending it.
    ///
    /// `vertices` are those of the body, `masses` those of the whole scene, kg, positive.
    pub fn on_body(total: Vec3, vertices: Range<usize>, masses: &[f64]) -> Result<Load, LoadError> {
        let (start, end) = (vertices.start, vertices.end);
        if vertices.is_empty() {
            return Err(LoadError::Empty { start, end });
        }
        let Some(own) = masses.get(vertices) else {
            let vertex = VertexId(start.max(masses.len()) as u32);
            return Err(LoadError::NoSuchVertex { vertex, count: masses.len() });
        };
        let whole: f64 = own.iter().sum();
        let share = |(k, mass): (usize, &f64)| (VertexId((start + k) as u32), mass / whole * total);
        Load::on_vertices(own.iter().enumerate().map(share).collect(), masses.len())
    }
}

impl Material<1> for Load {
    fn count(&self) -> usize {
        self.forces.len()
    }

    fn vertices(&self, element: usize) -> [VertexId; 1] {
        [self.forces[element].0]
    }

    /// Zero at the origin.
    fn energy(&self, element: usize, at: &Corners<1>) -> f64 {
        -self.forces[element].1.dot(at.positions[0])
    }

    fn forces(&self, element: usize, _at: &Corners<1>) -> [Vec3; 1] {
        [self.forces[element].1]
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
    use crate::force::{Forces, StateView, check};

    fn sum(load: Load, count: usize) -> Vec<Vec3> {
        let (zeros, mut found) = (vec![Vec3::ZERO; count], vec![Vec3::ZERO; count]);
        let mut forces = Forces::new();
        forces.push(load);
        forces.sum(StateView { positions: &zeros, velocities: &zeros, time: 0.0 }, &mut found);
        found
    }

    #[test]
    fn a_load_is_the_slope_of_its_energy() {
        let load = Load::on_vertices(vec![(VertexId(0), Vec3::new(1.0, -2.0, 3.0))], 1).unwrap();
        check::derivatives(&load, &[[Vec3::X], [Vec3::Y]], 1.0);
    }

    #[test]
    fn a_body_shares_its_load_by_mass() {
        let load = Load::on_body(8.0 * Vec3::Z, 1..3, &[5.0, 1.0, 3.0, 5.0]).unwrap();
        assert_eq!(sum(load, 4), [0.0, 2.0, 6.0, 0.0].map(|z| z * Vec3::Z)); // 8 · 1/4, 8 · 3/4
    }

    #[test]
    fn loads_on_one_vertex_add_up() {
        let load = Load::on_vertices(vec![(VertexId(1), Vec3::X), (VertexId(1), Vec3::Y)], 2);
        assert_eq!(sum(load.unwrap(), 2), [Vec3::ZERO, Vec3::X + Vec3::Y]);
    }

    #[test]
    fn what_cannot_act_is_named() {
        let message = |found: Result<Load, LoadError>| found.unwrap_err().to_string();
        let on = |vertex, force| Load::on_vertices(vec![(VertexId(vertex), force)], 3);
        assert!(message(on(3, Vec3::X)).starts_with("loaded vertex 3 does not exist"));
        assert!(message(on(1, Vec3::NAN)).starts_with("the load on vertex 1 is"));
        assert!(message(Load::on_body(Vec3::X, 2..2, &[1.0; 3])).ends_with("2..2 is empty"));
        let beyond = message(Load::on_body(Vec3::X, 2..5, &[1.0; 3]));
        assert_eq!(beyond, "loaded vertex 3 does not exist: the scene has 3 vertices");
    }
}
