//! Edge lengths of a solid: springs in other units.
//!
//! A strain C = (l − D₀)/D₀ with the energy ½kC² is a spring with the stiffness k/D₀² in
//! N/m, and damping k_d of its rate one with k_d/D₀² in N·s/m.

use crate::force::plasticity::Plasticity;
use crate::force::solid::{Hold, SolidError, check_corners};
use crate::force::spring::{Spring, SpringLaw, Springs};
use crate::id::VertexId;
use crate::math::Vec3;
use crate::mesh::topology;

/// Springs along all edges of the tets, each edge once, stiffness in J.
///
/// - Implements: [Teschner04 distance preservation].
pub(crate) fn springs(
    rest: &[Vec3],
    tets: &[[VertexId; 4]],
    hold: Hold,
    plasticity: Option<Plasticity>,
) -> Result<Springs, SolidError> {
    check_corners("tet", tets, rest.len())?;
    let spring = |ends: [VertexId; 2]| {
        let apart = rest[ends[1].index()] - rest[ends[0].index()];
        let length_sq = apart.length_squared();
        Spring {
            ends,
            stiffness: hold.stiffness / length_sq,
            damping: hold.damping / length_sq,
            rest_length: apart.length(),
        }
    };
    let list = topology::edges(rest.len(), tets).into_iter().map(spring).collect();
    let springs = Springs::new(rest.len(), SpringLaw::Absolute, list)?;
    Ok(match plasticity {
        Some(plasticity) => springs.with_plasticity(plasticity)?,
        None => springs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::elements::{Corners, Material};

    #[test]
    fn an_edge_has_the_energy_of_its_strain() {
        let rest = [Vec3::ZERO, 2.0 * Vec3::X, Vec3::Y, Vec3::Z];
        let tet = [0, 1, 2, 3].map(VertexId);
        let hold = Hold { stiffness: 8.0, damping: 4.0 };
        let springs = springs(&rest, &[tet], hold, None).unwrap();
        // Edge 0–1 at 3 m: C = 0.5, energy ½ · 8 · 0.25 J; its length grows by 1 m/s, so
        // dC/dt = 0.5 1/s and the force is (8 · 0.5 + 4 · 0.5) / 2 m.
        let positions = [Vec3::ZERO, 3.0 * Vec3::X];
        let at = Corners { positions, velocities: [Vec3::ZERO, Vec3::X], time: 0.0 };
        assert_eq!(springs.vertices(0), [VertexId(0), VertexId(1)]);
        assert_eq!(springs.energy(0, &at), 1.0);
        assert_eq!(springs.forces(0, &at)[0], 3.0 * Vec3::X);
    }
}
