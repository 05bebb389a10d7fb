//! Volumes of a solid's tets, with their sign.
//!
//! | here            | paper           | meaning                                             |
//! |-----------------|-----------------|-----------------------------------------------------|
//! | `a`, `b`, `c`   | a, b, c         | edges from the first corner to the others, m        |
//! | volume          | V = a·(b × c)/6 | m³; negative in an inverted tet                     |
//! | `rest`, `first` | V₀              | volume at rest, now and at first, m³                |
//! | `scale`         | Ṽ₀              | volume of a regular tet with the same mean edge, m³ |

use crate::force::elements::{Corners, Material};
use crate::force::plasticity::{Plasticity, RestValue};
use crate::force::solid::constraint::{Constraint, Curvature, cross_matrix};
use crate::force::solid::{Hold, SolidError, check_corners};
use crate::force::stiffness::{Form, Tangent};
use crate::id::VertexId;
use crate::math::{Mat3, Vec3, tet_volume};
use crate::snapshot::{Snapshot, SnapshotError};

/// Volume of the regular tet with edges of 1 m, m³: √2/12.
const REGULAR: f64 = std::f64::consts::SQRT_2 / 12.0;

/// One tet and its rest volume.
#[derive(Clone, Copy, Debug)]
struct Tet {
    corners: [VertexId; 4],
    /// Volume at rest now, m³; positive.
    rest: f64,
    /// First volume at rest, m³; positive.
    first: f64,
    /// Change of volume that is a strain of 1, m³; positive.
    scale: f64,
}

/// Tets that keep their volumes.
///
/// The volume is signed, so an inverted tet is pulled back. A tet shrunk to a line or a
/// point has no gradient and exerts no force: only edges that still have a length open it.
///
/// - Implements: [Teschner04 volume preservation], strain (V − V₀)/Ṽ₀ with Ṽ₀ = √2/12 l̄³,
///   which is not small for a sliver.
/// - Deviates: the definite form leaves the curvature out; it has no trace, and so always
///   negative eigenvalues.
#[derive(Clone, Debug)]
pub struct Volumes {
    tets: Vec<Tet>,
    hold: Hold,
    plasticity: Option<Plasticity>,
}

impl Volumes {
    /// Tets at rest in `rest`, m; `hold` and `plasticity` must be in their ranges.
    pub(super) fn new(
        rest: &[Vec3],
        tets: &[[VertexId; 4]],
        hold: Hold,
        plasticity: Option<Plasticity>,
    ) -> Result<Volumes, SolidError> {
        check_corners("tet", tets, rest.len())?;
        let tet = |(index, &corners): (usize, &[VertexId; 4])| {
            let places = corners.map(|corner| rest[corner.index()]);
            let volume = tet_volume(places);
            if !(volume > 0.0 && volume.is_finite()) {
                return Err(SolidError::Volume { tet: index, volume });
            }
            let edge = mean_edge(&places);
            let scale = REGULAR * edge * edge * edge;
            Ok(Tet { corners, rest: volume, first: volume, scale })
        };
        let tets = tets.iter().enumerate().map(tet).collect::<Result<_, _>>()?;
        Ok(Volumes { tets, hold, plasticity })
    }

    #[inline]
    fn constraint(&self, element: usize, positions: &[Vec3; 4]) -> Constraint<4> {
        let Tet { rest, scale, .. } = self.tets[element];
        let [a, b, c] = edges(positions);
        let share = 1.0 / (6.0 * scale);
        let [g1, g2, g3] = [b.cross(c) * share, c.cross(a) * share, a.cross(b) * share];
        // The first slope along its own edge is V/Ṽ₀, as the volume is linear in each.
        Constraint { strain: a.dot(g1) - rest / scale, gradients: [-(g1 + g2 + g3), g1, g2, g3] }
    }

    /// Second derivatives of the strain.
    fn curvature(&self, element: usize, positions: &[Vec3; 4]) -> Curvature<4> {
        let share = 1.0 / (6.0 * self.tets[element].scale);
        let mut curvature = [[Mat3::ZERO; 4]; 4];
        for (k, edge) in edges(positions).into_iter().enumerate() {
            // By corners i and j the slope turns about the edge to the third; the first
            // corner moves all edges back, and rows and columns add up to zero.
            let (i, j) = (1 + (k + 1) % 3, 1 + (k + 2) % 3);
            let turning = cross_matrix(edge * share);
            for (row, column) in [(j, i), (i, 0), (0, j)] {
                curvature[row][column] += turning;
                curvature[column][row] -= turning;
            }
        }
        curvature
    }
}

impl Material<4> for Volumes {
    #[inline]
    fn count(&self) -> usize {
        self.tets.len()
    }

    #[inline]
    fn vertices(&self, element: usize) -> [VertexId; 4] {
        self.tets[element].corners
    }

    fn energy(&self, element: usize, at: &Corners<4>) -> f64 {
        let strain = self.constraint(element, &at.positions).strain;
        0.5 * self.hold.stiffness * strain * strain
    }

    #[inline]
    fn forces(&self, element: usize, at: &Corners<4>) -> [Vec3; 4] {
        self.constraint(element, &at.positions).forces(self.hold, &at.velocities)
    }

    #[inline]
    fn tangent(&self, element: usize, at: &Corners<4>, tangent: Tangent) -> [[Mat3; 4]; 4] {
        let constraint = self.constraint(element, &at.positions);
        match tangent.form {
            Form::Exact => {
                let curvature = self.curvature(element, &at.positions);
                constraint.exact(self.hold, &at.velocities, tangent, &curvature)
            }
            Form::Definite => constraint.definite(self.hold, tangent),
        }
    }

    fn flow(&mut self, element: usize, at: &Corners<4>, dt: f64) {
        let Some(plasticity) = self.plasticity else { return };
        let Tet { rest, first, scale, .. } = &mut self.tets[element];
        let drift = RestValue { now: *rest, start: *first, scale: *scale };
        *rest = plasticity.rest_after(drift, tet_volume(at.positions), dt);
    }

    fn save(&self, memory: &mut Snapshot) {
        if self.flows() {
            self.tets.iter().for_each(|tet| memory.write(tet.rest));
        }
    }

    fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        if self.flows() {
            for tet in &mut self.tets {
                tet.rest = memory.read("volumes")?;
            }
        }
        Ok(())
    }

    fn flows(&self) -> bool {
        self.plasticity.is_some()
    }
}

/// From the first corner to the others, m.
#[inline]
fn edges(&[v0, v1, v2, v3]: &[Vec3; 4]) -> [Vec3; 3] {
    [v1 - v0, v2 - v0, v3 - v0]
}

/// Mean length of the six edges, m.
fn mean_edge(corners: &[Vec3; 4]) -> f64 {
    let pairs = (0..4).flat_map(|i| (i + 1..4).map(move |j| (i, j)));
    pairs.map(|(i, j)| corners[i].distance(corners[j])).sum::<f64>() / 6.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::check;

    const CORNERS: [VertexId; 4] = [VertexId(0), VertexId(1), VertexId(2), VertexId(3)];
    const REST: [Vec3; 4] = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    const REST_VOLUME: f64 = 1.0 / 6.0;
    const HOLD: Hold = Hold { stiffness: 3.0, damping: 0.7 };
    /// Error of a few products of numbers near 1.
    const ROUNDING: f64 = 1e-14;

    fn volumes(rest: &[Vec3; 4], hold: Hold, plasticity: Option<Plasticity>) -> Volumes {
        Volumes::new(rest, &[CORNERS], hold, plasticity).unwrap()
    }

    fn still(positions: [Vec3; 4]) -> Corners<4> {
        Corners { positions, velocities: [Vec3::ZERO; 4], time: 0.0 }
    }

    /// Larger than at rest, smaller, and inverted.
    fn states() -> [[Vec3; 4]; 3] {
        let skew = [
            Vec3::new(0.2, 0.1, -0.3),
            Vec3::new(1.4, 0.5, 0.2),
            Vec3::new(0.1, 1.3, 0.6),
            Vec3::new(-0.2, 0.3, 1.2),
        ];
        [skew, skew.map(|p| 0.5 * p), skew.map(|p| p * Vec3::new(1.0, 1.0, -0.7))]
    }

    #[test]
    fn a_regular_tet_is_its_own_scale() {
        let rest = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]];
        let volumes = volumes(&rest.map(Vec3::from), HOLD, None);
        let Tet { first, scale, .. } = volumes.tets[0];
        assert!((first - 8.0 / 3.0).abs() < ROUNDING && (scale - first).abs() < ROUNDING);
        // Half the size: an eighth of the volume, C = −7/8.
        let small = still(rest.map(|corner| 0.5 * Vec3::from(corner)));
        let expected = 0.5 * 3.0 * crate::math::powi(7.0 / 8.0_f64, 2);
        assert!((volumes.energy(0, &small) - expected).abs() < ROUNDING);
    }

    #[test]
    fn volumes_pass_what_every_material_must() {
        let damper = Hold { stiffness: 0.0, ..HOLD };
        for hold in [HOLD, damper] {
            check::derivatives(&volumes(&REST, hold, None), &states(), 1.0);
            check::balance(&volumes(&REST, hold, None), &states(), 1.0);
            check::definite(&volumes(&REST, hold, None), &states());
        }
    }

    #[test]
    fn an_inverted_tet_is_pulled_back() {
        let mut at = still(REST);
        for height in [0.9, 0.0, -0.5, -1.0, -3.0] {
            at.positions[3] = height * Vec3::Z;
            let forces = volumes(&REST, HOLD, None).forces(0, &at);
            assert!(forces[3].z > 0.0 && forces[3].truncate().length() == 0.0, "{forces:?}");
        }
    }

    #[test]
    fn slivers_are_no_stiffer_than_other_tets() {
        let stiffness = |height: f64| {
            // Four corners of a square, nearly in a plane.
            let rest = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, height), Vec3::new(0.0, 1.0, 0.0)];
            let rest = [rest[0], rest[1], rest[3], rest[2]];
            let tangent = Tangent { stiffness: 1.0, damping: 0.0, form: Form::Exact };
            let blocks = volumes(&rest, HOLD, None).tangent(0, &still(rest), tangent);
            blocks[3][3].z_axis.z
        };
        // Over V₀ in place of Ṽ₀ it would grow as 1/height².
        for height in [1e-3, 1e-9, 1e-15] {
            assert!(stiffness(height) <= 2.0 * stiffness(0.5), "{}", stiffness(height));
            assert!(stiffness(height) > 0.1 * stiffness(0.5), "{}", stiffness(height));
        }
    }

    #[test]
    fn a_tet_shrunk_to_a_point_exerts_nothing() {
        let at = still([Vec3::ONE; 4]);
        assert_eq!(volumes(&REST, HOLD, None).forces(0, &at), [Vec3::ZERO; 4]);
    }

    #[test]
    fn a_flowing_tet_never_rests_inside_out() {
        let clay = Plasticity { yield_strain: 0.0, creep_rate: 1e9, max_drift: 0.9 };
        let mut volumes = volumes(&REST, HOLD, Some(clay));
        volumes.flow(0, &still(REST.map(|p| p * Vec3::new(1.0, 1.0, -2.0))), 1.0);
        assert_eq!(volumes.tets[0].rest, REST_VOLUME - 0.9 * REST_VOLUME);
        check::derivatives(&volumes, &states(), 1.0);
    }
}
