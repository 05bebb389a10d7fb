//! Areas of a solid's surface triangles.
//!
//! | here     | paper          | meaning                                         |
//! |----------|----------------|-------------------------------------------------|
//! | `a`, `b` | a, b           | edges from the first corner to the other two, m |
//! | `normal` | n̂             | unit normal, by a × b                           |
//! | `edges`  |                | edge opposite each corner, all one way round, m |
//! | `area`   | A = ½\|a × b\| | m²                                              |

use crate::force::elements::{Corners, Material};
use crate::force::plasticity::{Plasticity, RestValue};
use crate::force::solid::constraint::{Constraint, Curvature, cross_matrix};
use crate::force::solid::{Hold, SolidError, check_corners};
use crate::force::stiffness::{Form, Tangent};
use crate::id::VertexId;
use crate::math::{Mat3, Vec3, outer};
use crate::snapshot::{Snapshot, SnapshotError};

/// One triangle and its rest area.
#[derive(Clone, Copy, Debug)]
struct Triangle {
    corners: [VertexId; 3],
    /// Area at rest now, m².
    rest: f64,
    /// First area at rest, m²; positive.
    first: f64,
}

/// Triangles that keep their areas.
///
/// A triangle without area has no plane to grow in: it exerts no force.
///
/// - Implements: [Teschner04 area preservation].
/// - Deviates: the definite form keeps the curvature across the triangle while it is under
///   tension, as a stretched membrane resists bulging, and drops the rest.
#[derive(Clone, Debug)]
pub struct Areas {
    triangles: Vec<Triangle>,
    hold: Hold,
    plasticity: Option<Plasticity>,
}

impl Areas {
    /// Triangles at rest in `rest`, m; `hold` and `plasticity` must be in their ranges.
    pub(super) fn new(
        rest: &[Vec3],
        triangles: &[[VertexId; 3]],
        hold: Hold,
        plasticity: Option<Plasticity>,
    ) -> Result<Areas, SolidError> {
        check_corners("triangle", triangles, rest.len())?;
        let triangle = |(index, &corners): (usize, &[VertexId; 3])| {
            let area = Plane::new(&corners.map(|corner| rest[corner.index()])).area;
            if !(area > 0.0 && area.is_finite()) {
                return Err(SolidError::Area { triangle: index, area });
            }
            Ok(Triangle { corners, rest: area, first: area })
        };
        let triangles = triangles.iter().enumerate().map(triangle).collect::<Result<_, _>>()?;
        Ok(Areas { triangles, hold, plasticity })
    }

    #[inline]
    fn constraint(&self, element: usize, plane: &Plane) -> Constraint<3> {
        let Triangle { rest, first, .. } = self.triangles[element];
        // ½ n̂ × edge, which is ½ b × n̂ and ½ n̂ × a for the second and third corner.
        let gradients = plane.edges.map(|edge| plane.normal.cross(edge) * (0.5 / first));
        Constraint { strain: (plane.area - rest) / first, gradients }
    }

    /// Second derivatives of the strain across the triangle; none is negative.
    fn bulging(&self, element: usize, plane: &Plane) -> Curvature<3> {
        let scale = 0.25 / (self.triangles[element].first * plane.area);
        let across = outer(plane.normal, plane.normal) * scale;
        std::array::from_fn(|i| {
            std::array::from_fn(|j| across * plane.edges[i].dot(plane.edges[j]))
        })
    }

    /// Second derivatives of the strain.
    fn curvature(&self, element: usize, plane: &Plane) -> Curvature<3> {
        let turning = cross_matrix(plane.normal) * (0.5 / self.triangles[element].first);
        let mut curvature = self.bulging(element, plane);
        for i in 0..3 {
            curvature[i][(i + 1) % 3] -= turning;
            curvature[(i + 1) % 3][i] += turning;
        }
        curvature
    }
}

impl Material<3> for Areas {
    #[inline]
    fn count(&self) -> usize {
        self.triangles.len()
    }

    #[inline]
    fn vertices(&self, element: usize) -> [VertexId; 3] {
        self.triangles[element].corners
    }

    fn energy(&self, element: usize, at: &Corners<3>) -> f64 {
        let strain = self.constraint(element, &Plane::new(&at.positions)).strain;
        0.5 * self.hold.stiffness * strain * strain
    }

    #[inline]
    fn forces(&self, element: usize, at: &Corners<3>) -> [Vec3; 3] {
        self.constraint(element, &Plane::new(&at.positions)).forces(self.hold, &at.velocities)
    }

    #[inline]
    fn tangent(&self, element: usize, at: &Corners<3>, tangent: Tangent) -> [[Mat3; 3]; 3] {
        let plane = Plane::new(&at.positions);
        if plane.area == 0.0 {
            return [[Mat3::ZERO; 3]; 3];
        }
        let constraint = self.constraint(element, &plane);
        if tangent.form == Form::Exact {
            let curvature = self.curvature(element, &plane);
            return constraint.exact(self.hold, &at.velocities, tangent, &curvature);
        }
        let mut blocks = constraint.definite(self.hold, tangent);
        let tension = tangent.stiffness * constraint.effort(self.hold, &at.velocities);
        if tension > 0.0 {
            let bulging = self.bulging(element, &plane);
            for (block, bulge) in blocks.iter_mut().flatten().zip(bulging.iter().flatten()) {
                *block += *bulge * tension;
            }
        }
        blocks
    }

    fn flow(&mut self, element: usize, at: &Corners<3>, dt: f64) {
        let Some(plasticity) = self.plasticity else { return };
        let Triangle { rest, first, .. } = &mut self.triangles[element];
        let drift = RestValue { now: *rest, start: *first, scale: *first };
        *rest = plasticity.rest_after(drift, Plane::new(&at.positions).area, dt);
    }

    fn save(&self, memory: &mut Snapshot) {
        if self.flows() {
            self.triangles.iter().for_each(|triangle| memory.write(triangle.rest));
        }
    }

    fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        if self.flows() {
            for triangle in &mut self.triangles {
                triangle.rest = memory.read("areas")?;
            }
        }
        Ok(())
    }

    fn flows(&self) -> bool {
        self.plasticity.is_some()
    }
}

/// Plane, area and edges of a triangle.
#[derive(Clone, Copy, Debug)]
struct Plane {
    /// Unit; zero without area.
    normal: Vec3,
    /// m².
    area: f64,
    /// Opposite each corner, m; they add up to zero.
    edges: [Vec3; 3],
}

impl Plane {
    #[inline]
    fn new(&[v0, v1, v2]: &[Vec3; 3]) -> Plane {
        let (a, b) = (v1 - v0, v2 - v0);
        let twice = a.cross(b);
        let length = twice.length();
        let normal = if length > 0.0 { twice / length } else { Vec3::ZERO };
        Plane { normal, area: 0.5 * length, edges: [b - a, -b, a] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::check;

    const CORNERS: [VertexId; 3] = [VertexId(0), VertexId(1), VertexId(2)];
    const REST: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];
    const HOLD: Hold = Hold { stiffness: 3.0, damping: 0.7 };
    /// Error of a few products of numbers near 1.
    const ROUNDING: f64 = 1e-14;

    fn areas(hold: Hold, plasticity: Option<Plasticity>) -> Areas {
        Areas::new(&REST, &[CORNERS], hold, plasticity).unwrap()
    }

    /// Larger and smaller than at rest, neither upright nor isosceles.
    fn states() -> [[Vec3; 3]; 3] {
        let turned =
            [Vec3::new(0.2, 0.1, -0.3), Vec3::new(1.4, 0.5, 0.2), Vec3::new(0.1, 1.3, 0.6)];
        [turned, turned.map(|p| 0.6 * p), turned.map(|p| p * Vec3::new(1.0, 0.2, -1.0))]
    }

    #[test]
    fn a_grown_triangle_draws_its_corners_in() {
        // Area 1 m² instead of ½: C = 1, energy ½ · 3. dA/dy of the top is 1, so C' = 2 1/m.
        let mut at = Corners { positions: REST, velocities: [Vec3::ZERO; 3], time: 0.0 };
        at.positions[1] = 2.0 * Vec3::X;
        assert_eq!(areas(HOLD, None).energy(0, &at), 1.5);
        assert_eq!(areas(HOLD, None).forces(0, &at)[2], -6.0 * Vec3::Y);
        // The top rises by 1 m/s: dC/dt = 2 1/s adds 0.7 · 2 · 2 N.
        at.velocities[2] = Vec3::Y;
        assert!(areas(HOLD, None).forces(0, &at)[2].abs_diff_eq(-8.8 * Vec3::Y, ROUNDING));
    }

    #[test]
    fn areas_pass_what_every_material_must() {
        let damper = Hold { stiffness: 0.0, ..HOLD };
        for hold in [HOLD, damper] {
            check::derivatives(&areas(hold, None), &states(), 1.0);
            check::balance(&areas(hold, None), &states(), 1.0);
            check::definite(&areas(hold, None), &states());
        }
    }

    #[test]
    fn the_definite_form_resists_bulging_under_tension_alone() {
        let bulge = |form: Form, size: f64| {
            let positions = REST.map(|p| size * p);
            let at = Corners { positions, velocities: [Vec3::ZERO; 3], time: 0.0 };
            let tangent = Tangent { stiffness: 1.0, damping: 0.0, form };
            Vec3::Z.dot(areas(HOLD, None).tangent(0, &at, tangent)[0][0] * Vec3::Z)
        };
        assert!(bulge(Form::Exact, 2.0) > 0.0);
        assert_eq!(bulge(Form::Definite, 2.0), bulge(Form::Exact, 2.0));
        assert!(bulge(Form::Exact, 0.5) < 0.0);
        assert_eq!(bulge(Form::Definite, 0.5), 0.0);
    }

    #[test]
    fn a_triangle_without_area_exerts_nothing() {
        let line = [Vec3::ZERO, Vec3::X, 2.0 * Vec3::X];
        for positions in [line, [Vec3::ONE; 3]] {
            let at = Corners { positions, velocities: REST, time: 0.0 };
            assert_eq!(areas(HOLD, None).forces(0, &at), [Vec3::ZERO; 3]);
            for form in [Form::Exact, Form::Definite] {
                let tangent = Tangent { stiffness: 1.0, damping: 1.0, form };
                assert_eq!(areas(HOLD, None).tangent(0, &at, tangent), [[Mat3::ZERO; 3]; 3]);
            }
        }
    }

    #[test]
    fn a_triangle_keeps_what_it_grew_past_its_yield() {
        let clay = Plasticity { yield_strain: 0.5, creep_rate: 1.0, max_drift: 0.9 };
        let mut areas = areas(HOLD, Some(clay));
        let mut at = Corners { positions: REST, velocities: [Vec3::ZERO; 3], time: 0.0 };
        at.positions[1] = 1.5 * Vec3::X; // strain ½: at the threshold
        areas.flow(0, &at, 1.0);
        assert_eq!(areas.triangles[0].rest, 0.5);
        at.positions[1] = 2.0 * Vec3::X; // strain 1: half of the excess ½ is lost in a second
        areas.flow(0, &at, 1.0);
        assert_eq!(areas.triangles[0].rest, 0.5 * 1.25);
        check::derivatives(&areas, &states(), 1.0);
    }
}
