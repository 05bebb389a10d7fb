//! Position constraints, projected one after the other (position-based dynamics).
//!
//! | here        | lecture | meaning                                          |
//! |-------------|---------|--------------------------------------------------|
//! | `positions` | x̃       | positions after Verlet's step, then projected, m |
//! | `direction` | r₁₂     | unit, from a to b at those positions             |
//! | `excess`    | d       | length beyond the wanted one, m                  |
//! | `inv_masses`     | w       | inverse mass 1/m, 0 if pinned, 1/kg              |
//!
//! Each constraint is projected as if it were alone, in index order, and all again until none is
//! violated by more than a tolerance, or a number of sweeps is reached (nonlinear Gauss–Seidel).

use crate::body::soft::State;
use crate::id::VertexId;
use crate::math::Vec3;

/// Signed distance to an obstacle at a point and a time, and its unit normal there.
///
/// Metres, negative inside; world space; seconds since the start.
pub type ObstacleFn = Box<dyn Fn(Vec3, f64) -> (f64, Vec3) + Send + Sync>;

/// A constraint on positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PositionConstraint {
    /// Two vertices stay this far apart.
    Distance {
        /// Two different vertices.
        ends: [VertexId; 2],
        /// m.
        length: f64,
    },
    /// Two vertices never get farther apart.
    AtMost {
        /// Two different vertices.
        ends: [VertexId; 2],
        /// m.
        length: f64,
    },
    /// A vertex stays out of an obstacle.
    Outside {
        /// The vertex.
        vertex: VertexId,
        /// Which of the obstacles.
        obstacle: usize,
    },
}

/// Why a constraint is rejected.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ConstraintError {
    /// A vertex that does not exist.
    #[error("constraint {index} names vertex {vertex}, the scene has {count}")]
    NoSuchVertex {
        /// First such constraint.
        index: usize,
        /// The vertex.
        vertex: VertexId,
        /// Vertices of the scene.
        count: usize,
    },
    /// An obstacle that does not exist.
    #[error("constraint {index} names obstacle {obstacle}, there are {count}")]
    NoSuchObstacle {
        /// First such constraint.
        index: usize,
        /// The obstacle.
        obstacle: usize,
        /// Obstacles.
        count: usize,
    },
    /// A vertex constrained to itself.
    #[error("constraint {index} ties vertex {vertex} to itself")]
    Loop {
        /// First such constraint.
        index: usize,
        /// The vertex.
        vertex: VertexId,
    },
    /// A length that is negative or not a number.
    #[error("constraint {index} has length {length} m: it must be finite and not negative")]
    Length {
        /// First such constraint.
        index: usize,
        /// The length, m.
        length: f64,
    },
    /// Arrays of another scene.
    #[error("an array has {count} entries, the constraints were made for {expected} vertices")]
    Count {
        /// Entries.
        count: usize,
        /// Vertices of the scene.
        expected: usize,
    },
}

/// Tolerance and most sweeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PbdSettings {
    /// Largest violation that may stay, m.
    ///
    /// Velocities may violate a constraint by this per step.
    pub tolerance: f64,
    /// Most sweeps over all constraints.
    pub sweeps: usize,
}

impl Default for PbdSettings {
    /// A thousandth of a millimetre, or a hundred sweeps.
    fn default() -> PbdSettings {
        PbdSettings { tolerance: 1e-6, sweeps: 100 }
    }
}

/// Sweeps made and violation left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Relaxation {
    /// Sweeps made.
    pub sweeps: usize,
    /// Largest violation before the first sweep, m or m/s.
    pub start: f64,
    /// Largest violation left, m or m/s.
    pub residual: f64,
}

/// Constraints on the vertices of a scene, each on vertices that exist.
pub struct Constraints {
    list: Vec<PositionConstraint>,
    obstacles: Vec<ObstacleFn>,
    vertex_count: usize,
}

impl std::fmt::Debug for Constraints {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let obstacles = self.obstacles.len();
        f.debug_struct("Constraints")
            .field("list", &self.list)
            .field("obstacles", &obstacles)
            .finish()
    }
}

impl Constraints {
    /// Constraints of a scene of `vertex_count` vertices.
    pub fn new(
        list: Vec<PositionConstraint>,
        obstacles: Vec<ObstacleFn>,
        vertex_count: usize,
    ) -> Result<Constraints, ConstraintError> {
        for (index, constraint) in list.iter().enumerate() {
            let exists = |vertex: VertexId| match vertex.index() < vertex_count {
                true => Ok(()),
                false => Err(ConstraintError::NoSuchVertex { index, vertex, count: vertex_count }),
            };
            match *constraint {
                PositionConstraint::Distance { ends, length }
                | PositionConstraint::AtMost { ends, length } => {
                    ends.into_iter().try_for_each(exists)?;
                    if ends[0] == ends[1] {
                        return Err(ConstraintError::Loop { index, vertex: ends[0] });
                    }
                    if !(length >= 0.0 && length.is_finite()) {
                        return Err(ConstraintError::Length { index, length });
                    }
                }
                PositionConstraint::Outside { vertex, obstacle } => {
                    exists(vertex)?;
                    let count = obstacles.len();
                    if obstacle >= count {
                        return Err(ConstraintError::NoSuchObstacle { index, obstacle, count });
                    }
                }
            }
        }
        Ok(Constraints { list, obstacles, vertex_count })
    }

    /// Vertices of the scene that the constraints are for.
    pub(crate) fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// The constraints, in the order in which they are projected.
    pub fn list(&self) -> &[PositionConstraint] {
        &self.list
    }

    /// Moves positions until the constraints hold at a time, s.
    ///
    /// `inv_masses` are inverse masses 1/m of each vertex, 1/kg, and 0 for a pinned one. A constraint
    /// between two pinned vertices, or coinciding ones without a direction, stays violated and
    /// counts in the residual. Slices that do not fit the scene are rejected.
    ///
    /// - Implements: [Zachmann slide "Constraints"].
    /// - Deviates: shares are w/(w₁+w₂) where the slide has ½, which moves the centre of
    ///   unequal masses (L9); shown by `unequal_masses_keep_their_centre`.
    pub fn relax(
        &self,
        positions: &mut [Vec3],
        inv_masses: &[f64],
        time: f64,
        settings: PbdSettings,
    ) -> Result<Relaxation, ConstraintError> {
        let expected = self.vertex_count;
        if let Some(count) =
            [positions.len(), inv_masses.len()].into_iter().find(|n| *n != expected)
        {
            return Err(ConstraintError::Count { count, expected });
        }
        Ok(self.project_positions(positions, inv_masses, time, settings, &mut Vec::new()))
    }

    /// The same; `acted` returns which constraints had to move something.
    pub(super) fn project_positions(
        &self,
        positions: &mut [Vec3],
        inv_masses: &[f64],
        time: f64,
        settings: PbdSettings,
        acted: &mut Vec<bool>,
    ) -> Relaxation {
        acted.clear();
        acted.resize(self.list.len(), false);
        sweep_until(settings.tolerance, settings.sweeps, |pass| {
            let mut worst = 0.0_f64;
            for (constraint, acted) in self.list.iter().zip(acted.iter_mut()) {
                let row = self.row(constraint, positions, time);
                let broken = constraint.broken(row.value);
                if pass == Pass::Correct && broken != 0.0 {
                    *acted = true;
                    row.shift(broken, inv_masses, positions);
                }
                worst = worst.max(broken.abs());
            }
            worst
        })
    }

    /// Removes from velocities what violates the constraints that acted in the step.
    pub(super) fn relax_velocities(
        &self,
        state: &mut State,
        inv_masses: &[f64],
        acted: &[bool],
        dt: f64,
        settings: PbdSettings,
    ) -> Relaxation {
        let State { positions, velocities, time, .. } = state;
        sweep_until(settings.tolerance / dt, settings.sweeps, |pass| {
            let mut worst = 0.0_f64;
            for (constraint, _) in self.list.iter().zip(acted).filter(|(_, acted)| **acted) {
                let row = self.row(constraint, positions, *time);
                // Approach speed of the obstacle; zero for two vertices.
                let drift = match constraint {
                    PositionConstraint::Outside { .. } => {
                        (row.value - self.row(constraint, positions, *time - dt).value) / dt
                    }
                    PositionConstraint::Distance { .. } | PositionConstraint::AtMost { .. } => 0.0,
                };
                let broken = constraint.broken(row.slope(velocities) + drift);
                if pass == Pass::Correct && broken != 0.0 {
                    row.shift(broken, inv_masses, velocities);
                }
                worst = worst.max(broken.abs());
            }
            worst
        })
    }

    fn row(
        &self,
        constraint: &PositionConstraint,
        positions: &[Vec3],
        time: f64,
    ) -> LinearizedConstraint {
        match *constraint {
            PositionConstraint::Distance { ends, length }
            | PositionConstraint::AtMost { ends, length } => {
                let [a, b] = ends;
                let apart = positions[b.index()] - positions[a.index()];
                LinearizedConstraint {
                    a: Some(a),
                    b,
                    direction: apart.try_normalize(),
                    value: apart.length() - length,
                }
            }
            PositionConstraint::Outside { vertex, obstacle } => {
                let (distance, normal) = self.obstacles[obstacle](positions[vertex.index()], time);
                LinearizedConstraint {
                    a: None,
                    b: vertex,
                    direction: Some(-normal),
                    value: -distance,
                }
            }
        }
    }
}

impl PositionConstraint {
    /// The violating part of a constraint's value: of inequalities the positive one.
    fn broken(&self, value: f64) -> f64 {
        match self {
            PositionConstraint::Distance { .. } => value,
            PositionConstraint::AtMost { .. } | PositionConstraint::Outside { .. } => {
                value.max(0.0)
            }
        }
    }
}

/// A constraint linearised at given positions.
struct LinearizedConstraint {
    /// Vertex whose motion along `direction` lowers `value`; none for an obstacle.
    a: Option<VertexId>,
    /// Vertex whose motion along `direction` raises `value`.
    b: VertexId,
    /// Unit; none when both vertices are in one place.
    direction: Option<Vec3>,
    /// Length beyond the wanted one, or depth in an obstacle, m.
    value: f64,
}

impl LinearizedConstraint {
    /// Rate of `value` with these velocities, m/s.
    fn slope(&self, velocities: &[Vec3]) -> f64 {
        let of_a = self.a.map_or(Vec3::ZERO, |a| velocities[a.index()]);
        let along = self.direction.unwrap_or(Vec3::ZERO);
        along.dot(velocities[self.b.index()] - of_a)
    }

    /// Removes `excess` from the ends, to each by its inverse mass.
    fn shift(&self, excess: f64, inv_masses: &[f64], ends: &mut [Vec3]) {
        let of_b = inv_masses[self.b.index()];
        let sum = of_b + self.a.map_or(0.0, |a| inv_masses[a.index()]);
        let Some(direction) = self.direction.filter(|_| sum > 0.0) else { return };
        if let Some(a) = self.a {
            ends[a.index()] += inv_masses[a.index()] / sum * excess * direction;
        }
        ends[self.b.index()] -= of_b / sum * excess * direction;
    }
}

/// What a pass over all constraints does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    Correct,
    Measure,
}

/// Repeats a pass until the largest violation is small.
///
/// The pass returns the largest violation that it met.
fn sweep_until(tolerance: f64, most: usize, mut pass: impl FnMut(Pass) -> f64) -> Relaxation {
    let start = pass(Pass::Measure);
    let (mut sweeps, mut residual) = (0, start);
    // Written so that a NaN violation ends the loop too.
    while residual > tolerance && sweeps < most {
        pass(Pass::Correct);
        sweeps += 1;
        residual = pass(Pass::Measure);
    }
    Relaxation { sweeps, start, residual }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest violation by default, m; a vertex in two constraints may be off by both.
    const TOLERANCE: f64 = 1e-6;
    /// Sums of a few numbers of about one.
    const ROUNDING: f64 = 1e-14;

    fn link([a, b]: [u32; 2], length: f64) -> PositionConstraint {
        PositionConstraint::Distance { ends: [VertexId(a), VertexId(b)], length }
    }

    fn rope([a, b]: [u32; 2], length: f64) -> PositionConstraint {
        PositionConstraint::AtMost { ends: [VertexId(a), VertexId(b)], length }
    }

    #[test]
    fn unequal_masses_keep_their_centre() {
        let start = [Vec3::ZERO, 1.3 * Vec3::X];
        let constraints = Constraints::new(vec![link([0, 1], 1.0)], Vec::new(), 2).unwrap();
        let centre = |x: &[Vec3]| (x[0].x + 3.0 * x[1].x) / 4.0;
        let settings = PbdSettings { tolerance: 0.0, sweeps: 1 };
        let mut positions = start;
        constraints.relax(&mut positions, &[1.0, 1.0 / 3.0], 0.0, settings).unwrap();
        // 0.3 m to share: ¾ to the light one, ¼ to the heavy one.
        assert!(positions[0].abs_diff_eq(0.225 * Vec3::X, ROUNDING));
        assert!(positions[1].abs_diff_eq(1.225 * Vec3::X, ROUNDING));
        assert!((centre(&positions) - centre(&start)).abs() < ROUNDING);
        // The slide's halves: (0.15 − 3 · 0.15) / 4.
        let mut halves = start;
        constraints.relax(&mut halves, &[1.0, 1.0], 0.0, settings).unwrap();
        assert!((centre(&halves) - centre(&start) + 0.075).abs() < ROUNDING);
    }

    #[test]
    fn held_vertices_leave_the_way_to_the_other() {
        let constraints = Constraints::new(vec![link([0, 1], 1.0)], Vec::new(), 2).unwrap();
        let mut positions = [Vec3::ZERO, 3.0 * Vec3::X];
        let settings = PbdSettings::default();
        let found = constraints.relax(&mut positions, &[0.0, 5.0], 0.0, settings).unwrap();
        assert_eq!(positions, [Vec3::ZERO, Vec3::X]);
        assert_eq!(found, Relaxation { sweeps: 1, start: 2.0, residual: 0.0 });
        let mut stuck = [Vec3::ZERO, 3.0 * Vec3::X];
        let found = constraints.relax(&mut stuck, &[0.0, 0.0], 0.0, settings).unwrap();
        assert_eq!((stuck[1], found.residual, found.sweeps), (3.0 * Vec3::X, 2.0, 100));
        let mut together = [Vec3::X; 2];
        assert_eq!(
            constraints.relax(&mut together, &[1.0; 2], 0.0, settings).unwrap().residual,
            1.0
        );
        assert!(constraints.relax(&mut together, &[1.0], 0.0, settings).is_err());
    }

    #[test]
    fn inequalities_act_only_when_violated() {
        let floor: ObstacleFn = Box::new(|point, time| (point.z - time, Vec3::Z));
        let outside = PositionConstraint::Outside { vertex: VertexId(0), obstacle: 0 };
        let list = vec![rope([0, 1], 1.0), outside];
        let constraints = Constraints::new(list, vec![floor], 2).unwrap();
        let check = |z: f64, time: f64, expected: [f64; 2]| {
            let mut x = [Vec3::ZERO, z * Vec3::Z];
            let found = constraints.relax(&mut x, &[1.0; 2], time, PbdSettings::default()).unwrap();
            assert!(found.residual <= TOLERANCE);
            assert!((x[0].z - expected[0]).abs() < 2.0 * TOLERANCE, "{x:?}");
            assert!((x[1].z - expected[1]).abs() < 2.0 * TOLERANCE, "{x:?}");
        };
        check(0.5, -1.0, [0.0, 0.5]);
        check(2.0, -1.0, [0.5, 1.5]);
        check(0.5, 0.25, [0.25, 0.5]); // the floor has risen
    }

    #[test]
    fn what_cannot_be_kept_is_named() {
        let message =
            |rule| Constraints::new(vec![link([0, 1], 1.0), rule], Vec::new(), 2).unwrap_err();
        assert_eq!(
            message(link([0, 2], 1.0)).to_string(),
            "constraint 1 names vertex 2, the scene has 2"
        );
        assert!(message(rope([1, 1], 1.0)).to_string().ends_with("ties vertex 1 to itself"));
        assert!(message(rope([0, 1], -1.0)).to_string().contains("has length -1 m"));
        let outside = PositionConstraint::Outside { vertex: VertexId(0), obstacle: 0 };
        assert!(message(outside).to_string().ends_with("names obstacle 0, there are 0"));
    }
}
