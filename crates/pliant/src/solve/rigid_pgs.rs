//! Projected Gauss–Seidel (PGS) for contacts of rigid bodies, with Anderson acceleration.
//!
//! The same sweeps as those of [`DensePgs`](super::dense_pgs::DensePgs), on the two velocity
//! vectors of each body: no inverse matrix is filled, a body is a mass and an inertia. A contact
//! is a third as long as there, with its responses: most of a sweep is reading contacts.
//!
//! | here          | formula | meaning                                             |
//! |---------------|---------|-----------------------------------------------------|
//! | `speeds`      | v, ω    | of each body, six numbers, m/s and rad/s            |
//! | `inv_mass`    | 1/m     | of a body, 1/kg; 0 for an obstacle                  |
//! | `inv_inertia` | I⁻¹     | of a body, 1/(kg·m²)                                |
//! | `arms`        | ±p      | from the centres of mass to the contact, signed, m  |

use std::ops::Range;

use crate::contact::impulse::ContactImpulse;
use crate::force::BlockMatrix;
use crate::id::{BodyId, VertexId};
use crate::math::{Mat3, Vec3, skew};
use crate::solve::anderson::Anderson;
use crate::solve::contact_block::ContactBlock;
use crate::solve::dense::inverse;
use crate::solve::gauss_seidel::{self, GaussSeidel, Relaxed, SweepLimits};
use crate::solve::rows::{Equations, RowSettings, Solved, Unknowns};
use crate::solve::segments::{Segment, Segments};
use crate::solve::terms::{SolverRow, Term};

/// Velocity components of a body.
const WIDTH: usize = 6;

/// Scratch memory of the solver.
#[derive(Clone, Debug, Default)]
pub(crate) struct RigidPgs {
    /// Islands, and the bodies in them.
    segments: Segments,
    /// These bodies, then one entry that stands for all obstacles.
    list: Vec<SolverBody>,
    constraints: Vec<ContactConstraint>,
    /// Velocities, body after body, m/s and rad/s.
    speeds: Vec<f64>,
    anderson: Anderson,
}

/// A rigid body as the solver sees it.
#[derive(Clone, Copy, Debug)]
struct SolverBody {
    /// First of its two unknowns in the system.
    first: usize,
    inv_mass: f64,
    inv_inertia: Mat3,
}

/// A contact between two rigid bodies, or a body and an obstacle.
#[derive(Clone, Copy, Debug)]
struct ContactConstraint {
    /// Entries of the two sides in `list`.
    sides: [u32; 2],
    arms: [Vec3; 2],
    block: ContactBlock,
}

impl RigidPgs {
    /// Solves for the velocities of all bodies that have contacts.
    ///
    /// Arguments are those of [`DensePgs::solve`](super::dense_pgs::DensePgs::solve). `None`, and
    /// nothing changed, when the system is not one of free rigid bodies: a contact or a force
    /// couples their unknowns to others, or one of them is fixed.
    pub(crate) fn solve(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        bodies: &[Range<usize>],
        contacts: &[SolverRow],
        settings: RowSettings,
        unknowns: Unknowns<'_>,
    ) -> Option<Solved> {
        let Unknowns { velocities, row_impulses } = unknowns;
        if !contacts.iter().all(SolverRow::is_rigid) {
            return None;
        }
        self.gather(equations, bodies, contacts)?;
        self.constraint(equations, contacts, settings);
        for (constraint, row_impulse) in self.constraints.iter().zip(&*row_impulses) {
            constraint.push(
                &self.list,
                row_impulse.impulse(constraint.block.normal),
                &mut self.speeds,
            );
        }
        let solved = self.sweep(settings.rigid_sweeps, row_impulses);
        let bodies = self.list.iter().zip(self.speeds.chunks_exact(WIDTH));
        // The last entry is the obstacle.
        for (body, own) in bodies.take(self.list.len() - 1) {
            velocities[body.first] = Vec3::from_slice(own);
            velocities[body.first + 1] = Vec3::from_slice(&own[3..]);
        }
        Some(solved)
    }

    /// Collects masses, inertias and velocities before contact.
    fn gather(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        bodies: &[Range<usize>],
        contacts: &[SolverRow],
    ) -> Option<()> {
        let RigidPgs { segments, list, speeds, .. } = self;
        segments.find(bodies.len(), contacts);
        list.clear();
        speeds.clear();
        for own in segments.bodies.iter().map(|body| &bodies[body.index()]) {
            let first = own.start;
            let [mass, inertia] = [block(equations, first)?, block(equations, first + 1)?];
            if own.len() != 2 || mass != mass.x_axis.x * Mat3::IDENTITY {
                return None;
            }
            let body = SolverBody {
                first,
                inv_mass: mass.x_axis.x.recip(),
                inv_inertia: inverse(inertia)?,
            };
            if !(body.inv_mass > 0.0 && body.inv_mass.is_finite()) {
                return None;
            }
            speeds.extend((body.inv_mass * equations.right[first]).to_array());
            speeds.extend((body.inv_inertia * equations.right[first + 1]).to_array());
            list.push(body);
        }
        list.push(SolverBody { first: 0, inv_mass: 0.0, inv_inertia: Mat3::ZERO });
        speeds.extend([0.0; WIDTH]);
        Some(())
    }

    /// Builds the contact constraints with their Delassus blocks.
    fn constraint(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        contacts: &[SolverRow],
        settings: RowSettings,
    ) {
        let RigidPgs { segments, list, constraints, .. } = self;
        let nobody = list.len() as u32 - 1;
        constraints.clear();
        constraints.extend(contacts.iter().map(|contact| {
            let place = |body: BodyId| segments.place(body).map(|place| place as u32);
            let sides = [Some(contact.bodies.0), contact.bodies.1];
            let sides = sides.map(|body| body.and_then(place).unwrap_or(nobody));
            // The angular terms of the sides come in order, as terms are made.
            let mut arms = [Vec3::ZERO; 2];
            let spins = contact.terms().filter_map(|(_, share)| match share {
                Term::Angular(arm) => Some(arm),
                Term::Weight(_) => None,
            });
            arms.iter_mut().zip(spins).for_each(|(arm, own)| *arm = own);
            let mut delassus = Mat3::ZERO;
            for (side, arm) in sides.iter().zip(arms) {
                let SolverBody { inv_mass: own, inv_inertia, .. } = list[*side as usize];
                delassus += own * Mat3::IDENTITY - skew(arm) * inv_inertia * skew(arm);
            }
            let velocity_tolerance =
                settings.rigid_velocity_tolerance * contact.size / equations.dt;
            ContactConstraint {
                sides,
                arms,
                block: ContactBlock::new(contact, delassus, velocity_tolerance),
            }
        }));
    }

    /// PGS sweeps over the contacts of each island, until converged or for `most` sweeps.
    ///
    /// Between sweeps the iterate is accelerated, see [`Anderson`].
    fn sweep(&mut self, most: usize, row_impulses: &mut [ContactImpulse]) -> Solved {
        let RigidPgs { segments, list, constraints, speeds, anderson } = self;
        let limits = SweepLimits { soft: most, rigid: most };
        let mut sweeps = 0;
        for Segment { rows, bodies } in &segments.all {
            let own = WIDTH * bodies.start..WIDTH * bodies.end;
            let row_impulses = &mut row_impulses[rows.clone()];
            let constraints = &constraints[rows.clone()];
            anderson.begin(row_impulses, &speeds[own.clone()]);
            let mut rows = Rows { list, constraints, speeds, own, anderson, row_impulses };
            sweeps = gauss_seidel::sweep(&mut rows, limits).max(sweeps);
        }
        Solved { sweeps, ..Solved::default() }
    }
}

/// Contacts of an island during the sweeps.
struct Rows<'a> {
    list: &'a [SolverBody],
    constraints: &'a [ContactConstraint],
    /// Of all bodies, and where those of the island are.
    speeds: &'a mut [f64],
    own: Range<usize>,
    anderson: &'a mut Anderson,
    row_impulses: &'a mut [ContactImpulse],
}

impl GaussSeidel for Rows<'_> {
    fn row_count(&self) -> usize {
        self.row_impulses.len()
    }

    #[inline]
    fn relax(&mut self, row: usize) -> Relaxed {
        let (constraint, row_impulse) = (&self.constraints[row], &mut self.row_impulses[row]);
        let relative = constraint.relative(self.speeds);
        let Some(impulse) = constraint.block.relax(row_impulse, relative) else {
            return Relaxed::Converged;
        };
        constraint.push(self.list, impulse, self.speeds);
        match constraint.block.is_converged(impulse) {
            true => Relaxed::Converged,
            false => Relaxed::Moved { is_rigid: true },
        }
    }

    fn accelerate(&mut self) {
        let Rows { constraints, anderson, row_impulses, speeds, own, .. } = self;
        let speeds = &mut speeds[own.clone()];
        anderson.accelerate(row_impulses, speeds, |k| constraints[k].block.weight());
    }
}

impl ContactConstraint {
    /// Velocity of the first side seen from the second, m/s.
    #[inline]
    fn relative(&self, speeds: &[f64]) -> Vec3 {
        let [a, b] = self.sides.map(|side| &speeds[WIDTH * side as usize..][..WIDTH]);
        let [going_a, going_b] = [a, b].map(Vec3::from_slice);
        let [spin_a, spin_b] = [a, b].map(|own| Vec3::from_slice(&own[3..]));
        let turning = spin_a.cross(self.arms[0]) + spin_b.cross(self.arms[1]);
        going_a - going_b + turning
    }

    /// Applies an impulse, N·s, to both bodies.
    #[inline]
    fn push(&self, list: &[SolverBody], impulse: Vec3, speeds: &mut [f64]) {
        for ((side, arm), sign) in self.sides.iter().zip(self.arms).zip([1.0, -1.0]) {
            let SolverBody { inv_mass, inv_inertia, .. } = &list[*side as usize];
            let own = &mut speeds[WIDTH * *side as usize..][..WIDTH];
            let going = Vec3::from_slice(own) + (sign * inv_mass) * impulse;
            let spin = Vec3::from_slice(&own[3..]) + *inv_inertia * arm.cross(impulse);
            own[..3].copy_from_slice(&going.to_array());
            own[3..].copy_from_slice(&spin.to_array());
        }
    }
}

/// The block of an unknown that is coupled to no other and not fixed.
fn block(equations: Equations<'_, BlockMatrix>, row: usize) -> Option<Mat3> {
    let (columns, blocks) = equations.matrix.row(row);
    let is_held = equations.held.binary_search(&VertexId(row as u32)).is_ok();
    (columns.len() == 1 && !is_held).then(|| blocks[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{Contact, resting};
    use crate::math::random::Random;
    use crate::solve::dense::tests::joined;
    use crate::solve::dense_pgs::DensePgs;
    use crate::solve::terms::RigidSides;

    /// Both sweep the same contacts in the same order, and differ by rounding.
    const TOLERANCE: f64 = 1e-11;

    const COUNT: usize = 4;

    /// A pile of four bodies, each on three corners, the first on a floor.
    fn pile() -> (BlockMatrix, Vec<Vec3>, Vec<SolverRow>) {
        let mut random = Random::new(5);
        let mut vector = || random.vec3();
        let mut matrix = joined(2 * COUNT, &[], 0);
        let mut right = Vec::new();
        let centres: Vec<_> = (0..COUNT).map(|k| Some(k as f64 * Vec3::Z)).collect();
        let firsts: Vec<_> = (0..COUNT as u32).map(|k| 2 * k).collect();
        let mut rows = Vec::new();
        for k in 0..COUNT {
            let (mass, skewed) = (1.0 + k as f64, 0.2 * vector());
            let square = Mat3::from_cols(skewed.x * skewed, skewed.y * skewed, skewed.z * skewed);
            let inertia = square + Mat3::from_diagonal(Vec3::new(0.3, 0.2, 0.4));
            matrix.set_diagonal(2 * k, mass * Mat3::IDENTITY);
            matrix.set_diagonal(2 * k + 1, inertia);
            right.push(mass * (0.3 * vector() - 0.4 * Vec3::Z));
            right.push(0.1 * vector());
            for corner in [Vec3::X, Vec3::Y, -Vec3::ONE] {
                let at = corner.with_z(0.0) + (k as f64 - 0.5) * Vec3::Z;
                let positions = [at; 2 * COUNT];
                let rigid = RigidSides::alone(&centres, &firsts, &positions);
                let below = k.checked_sub(1).map(|below| BodyId(below as u32));
                let contact = Contact {
                    vertices: [2 * k, 2 * k - 2 * usize::from(k > 0), 0, 0]
                        .map(|v| VertexId(v as u32)),
                    weights: [1.0, -1.0, 0.0, 0.0],
                    count: if below.is_some() { 2 } else { 1 },
                    bodies: (BodyId(k as u32), below),
                    surface_velocity: if below.is_some() { Vec3::ZERO } else { 0.2 * Vec3::X },
                    friction: 0.4,
                    ..resting(VertexId(2 * k as u32))
                };
                rows.push(SolverRow::between(&contact, Some(rigid)));
            }
        }
        (matrix, right, rows)
    }

    #[test]
    fn stones_move_as_with_inverses_filled() {
        let (matrix, right, rows) = pile();
        let equations = Equations { matrix: &matrix, right: &right, held: &[], dt: 0.01 };
        let bodies: Vec<_> = (0..COUNT).map(|k| 2 * k..2 * k + 2).collect();
        for sweeps in [1, 3, 60] {
            let settings = RowSettings {
                rigid_sweeps: sweeps,
                rigid_velocity_tolerance: 1e-14,
                ..RowSettings::default()
            };
            let warm = ContactImpulse { normal: 0.1, tangent: 0.01 * Vec3::Y };
            let start = (vec![Vec3::ZERO; 2 * COUNT], vec![warm; rows.len()]);
            let (mut fast, mut slow) = (start.clone(), start);
            let ends = Unknowns { velocities: &mut fast.0, row_impulses: &mut fast.1 };
            let one = RigidPgs::default().solve(equations, &bodies, &rows, settings, ends).unwrap();
            let ends = Unknowns { velocities: &mut slow.0, row_impulses: &mut slow.1 };
            let mut direct = DensePgs::default();
            let other = direct.solve(equations, &bodies, &rows, settings, ends).unwrap();
            assert_eq!(one.sweeps, other.sweeps);
            for (a, b) in fast.0.iter().zip(&slow.0) {
                assert!(a.abs_diff_eq(*b, TOLERANCE), "{sweeps}: {a} {b}");
            }
            for (a, b) in fast.1.iter().zip(&slow.1) {
                assert!((a.normal - b.normal).abs() < TOLERANCE, "{a:?} {b:?}");
                assert!(a.tangent.abs_diff_eq(b.tangent, TOLERANCE), "{a:?} {b:?}");
            }
            assert!(fast.1.iter().any(|row_impulse| row_impulse.normal > 0.2), "{:?}", fast.1);
        }
    }

    #[test]
    fn what_is_joined_or_held_is_left_to_others() {
        let (matrix, right, rows) = pile();
        let bodies: Vec<_> = (0..COUNT).map(|k| 2 * k..2 * k + 2).collect();
        let solved = |matrix: &BlockMatrix, held: &[VertexId], rows: &[SolverRow]| {
            let equations = Equations { matrix, right: &right, held, dt: 0.01 };
            let (mut velocities, mut row_impulses) =
                (vec![Vec3::ZERO; 2 * COUNT], vec![ContactImpulse::default(); rows.len()]);
            let ends = Unknowns { velocities: &mut velocities, row_impulses: &mut row_impulses };
            RigidPgs::default()
                .solve(equations, &bodies, rows, RowSettings::default(), ends)
                .is_some()
        };
        assert!(solved(&matrix, &[], &rows));
        assert!(!solved(&matrix, &[VertexId(3)], &rows));
        let mut soft = rows.clone();
        soft[4].shares[1] = Term::Weight(0.5);
        assert!(!solved(&matrix, &[], &soft));
        let mut tied = joined(2 * COUNT, &[[VertexId(1), VertexId(2)]], 3);
        (0..2 * COUNT).for_each(|row| tied.add_to_diagonal(row, 5.0));
        assert!(!solved(&tied, &[], &rows));
    }
}
