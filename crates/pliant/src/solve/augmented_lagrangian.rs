//! Augmented Lagrangian with PCG: contact of bodies of any size.
//!
//! Active contacts are penalty springs of stiffness ρ in the matrix, around the multiplier (the
//! contact impulse) that is already known. Each outer iteration solves that system by
//! preconditioned conjugate gradients, then the multipliers take over the spring forces. An outer
//! iteration reduces the residual by a fixed share, the last one solves to the tolerance. One
//! that does not get there changes no impulse.
//!
//! | here      | formula | meaning                                                    |
//! |-----------|---------|------------------------------------------------------------|
//! | `springs` | ρ       | penalty of each contact, normal and tangential, kg         |
//! | `stick`   | σ       | share of the penalty that acts in the tangent plane        |

use crate::contact::friction::friction;
use crate::contact::impulse::ContactImpulse;
use crate::id::{MismatchError, VertexId};
use crate::math::{Mat3, Vec3, outer_square};
use crate::solve::linear::{Operator, SolveError};
use crate::solve::pcg::{Goal, Pcg};
use crate::solve::rows::{Equations, SolveSettings, Solved, Unknowns};
use crate::solve::terms::{SolverRow, Term};

/// Penalty of a contact along its normal, relative to the mass it moves.
const STRENGTH: f64 = 30.0;
/// The same in the tangent plane; a greater one needs more iterations to find slip.
const STRENGTH_ALONG: f64 = 10.0;
/// Share of the initial residual that an outer iteration may leave at its end.
///
/// The multipliers change more in the next one than what is left.
const LEFT: f64 = 0.3;
/// Error of the impulses, as a velocity per size and step, that ends the solve.
const LOOSE: f64 = 1e-5;
/// PGS sweeps through the masses alone at the end, which remove the last approach.
const FINISHING: usize = 5;
/// Stiffness relative to the masses above which these sweeps only disturb.
const TOO_STIFF: f64 = 100.0;

/// Scratch memory of the solver.
#[derive(Clone, Debug, Default)]
pub struct AugmentedLagrangian {
    pcg: Pcg,
    springs: Vec<Spring>,
    right: Vec<Vec3>,
    trial: Vec<Vec3>,
    /// Vertices in contacts, ascending, each with its diagonal block.
    touched: Vec<(VertexId, Mat3)>,
}

/// The penalty spring of a contact.
#[derive(Clone, Copy, Debug)]
struct Spring {
    /// Effective mass of the contact, kg.
    mass: f64,
    /// Whether the contact is active.
    is_on: bool,
    /// Penalty along the normal and in the tangent plane together, kg.
    matrix: Mat3,
}

/// The matrix A with the penalty springs of the active contacts.
struct WithContacts<'a, M: ?Sized> {
    matrix: &'a M,
    contacts: &'a [SolverRow],
    springs: &'a [Spring],
    touched: &'a [(VertexId, Mat3)],
}

impl<M: Operator + ?Sized> Operator for WithContacts<'_, M> {
    fn multiply(&self, x: &[Vec3], product: &mut [Vec3]) {
        self.matrix.multiply(x, product);
        for (contact, spring) in self.contacts.iter().zip(self.springs) {
            if spring.is_on {
                let force = spring.matrix * contact.linear(x);
                contact
                    .terms()
                    .for_each(|(v, share)| product[v.index()] += share.apply_transpose(force));
            }
        }
    }

    fn diagonal(&self, row: usize) -> Mat3 {
        let vertex = VertexId(row as u32);
        let place = self.touched.binary_search_by_key(&vertex, |(touched, _)| *touched);
        place.map_or_else(|_| self.matrix.diagonal(row), |place| self.touched[place].1)
    }
}

impl AugmentedLagrangian {
    /// Solves for all velocities, which come as a guess, exact for pinned vertices.
    ///
    /// `masses` are those of all vertices, kg; contacts ascend by feature. On an error the
    /// velocities and impulses are those of the last outer iteration that reached its goal. The
    /// tolerance is relative to the right-hand side with the penalty springs.
    ///
    /// - Deviates: multipliers are updated from a system that is solved by a share only; every
    ///   outer iteration is nearer to the solution than the one before, and the last one has it.
    pub fn solve<M: Operator + ?Sized>(
        &mut self,
        equations: Equations<'_, M>,
        masses: &[f64],
        contacts: &[SolverRow],
        settings: SolveSettings,
        unknowns: Unknowns<'_>,
    ) -> Result<Solved, SolveError> {
        let SolveSettings { rows: settings, linear } = settings;
        let Unknowns { velocities, row_impulses } = unknowns;
        check(equations.right, (masses, velocities), equations.held)?;
        check_rows(contacts, row_impulses, masses.len())?;
        self.prepare(equations, masses, contacts);
        let mut solved = Solved::default();
        // Without contacts one outer iteration is the solution.
        let most = if contacts.is_empty() { 1 } else { settings.max_outer_iterations.max(1) };
        for round in 0..most {
            self.choose(contacts, row_impulses, velocities, round);
            self.load(equations, contacts, row_impulses);
            let AugmentedLagrangian { pcg, springs, right, trial, touched } = self;
            let matrix = WithContacts { matrix: equations.matrix, contacts, springs, touched };
            if round == 0 {
                pcg.take_diagonal(&matrix, right.len());
            } else {
                touched.iter().for_each(|(v, block)| pcg.set_diagonal(v.index(), *block));
            }
            trial.clear();
            trial.extend_from_slice(velocities);
            let share = if round + 1 < most { LEFT } else { 0.0 };
            let done = pcg.solve_relative(
                &matrix,
                right,
                equations.held,
                Goal { settings: linear, share },
                trial,
            )?;
            velocities.copy_from_slice(trial);
            solved.outer += 1;
            solved.iterations += done.iterations;
            solved.residual = done.residual;
            let off = self.update(contacts, row_impulses, velocities, equations.dt);
            solved.is_unconverged = off > LOOSE;
            let is_solved = done.residual <= linear.tolerance;
            if round + 1 >= settings.min_outer_iterations && is_solved && !solved.is_unconverged {
                break;
            }
        }
        // Impulses guessed for inactive contacts have had no effect on any velocity.
        for (spring, row_impulse) in self.springs.iter().zip(&mut *row_impulses) {
            if !spring.is_on {
                *row_impulse = ContactImpulse::default();
            }
        }
        if stiffness(equations.matrix, masses, contacts) <= TOO_STIFF {
            finish(
                equations,
                masses,
                &self.springs,
                contacts,
                Unknowns { velocities, row_impulses },
            );
        }
        Ok(solved)
    }

    fn prepare<M: Operator + ?Sized>(
        &mut self,
        equations: Equations<'_, M>,
        masses: &[f64],
        contacts: &[SolverRow],
    ) {
        self.springs.clear();
        self.springs.extend(contacts.iter().map(|contact| {
            let mass = 1.0 / inv_mass(contact, masses, equations.held);
            Spring { mass, is_on: false, matrix: Mat3::ZERO }
        }));
        self.touched.clear();
        let touched = contacts.iter().flat_map(SolverRow::terms);
        self.touched.extend(touched.map(|(vertex, _)| (vertex, Mat3::ZERO)));
        self.touched.sort_unstable_by_key(|(vertex, _)| *vertex);
        self.touched.dedup_by_key(|(vertex, _)| *vertex);
    }

    /// Chooses the active contacts, and the tangential share of each penalty.
    fn choose(
        &mut self,
        contacts: &[SolverRow],
        row_impulses: &[ContactImpulse],
        velocities: &[Vec3],
        round: usize,
    ) {
        for ((spring, contact), row_impulse) in
            self.springs.iter_mut().zip(contacts).zip(row_impulses)
        {
            let (normal, tangent) = spring.trial(contact, row_impulse, velocities);
            // A warm-start impulse alone must not make a speculative contact pull.
            let warm = round == 0 && row_impulse.normal > 0.0 && contact.min_normal_velocity >= 0.0;
            spring.is_on = (normal > 0.0 || warm) && spring.mass.is_finite();
            // The penalty is far greater than the effective mass: the impulse to come is better
            // guessed from the latter. Where the biases are reached both are the same.
            let likely = row_impulse.normal + (normal - row_impulse.normal) / STRENGTH;
            let likely_tangent =
                row_impulse.tangent + (tangent - row_impulse.tangent) / STRENGTH_ALONG;
            let most = contact.friction * likely.max(0.0);
            let sticks = contact.friction > 0.0 && likely_tangent.length() <= most;
            let ratio = most / tangent.length();
            // No slip at all, 0 over 0, has no tangential share either.
            let slipping = if ratio > 0.0 { ratio.min(1.0) } else { 0.0 };
            let stick = if sticks { 1.0 } else { slipping };
            let n = contact.normal;
            let square = outer_square(n);
            let across = STRENGTH_ALONG * stick * (Mat3::IDENTITY - square);
            spring.matrix = spring.mass * (STRENGTH * square + across);
        }
    }

    /// Right-hand side and diagonal blocks with the active contacts.
    fn load<M: Operator + ?Sized>(
        &mut self,
        equations: Equations<'_, M>,
        contacts: &[SolverRow],
        row_impulses: &[ContactImpulse],
    ) {
        let AugmentedLagrangian { springs, right, touched, .. } = self;
        right.clear();
        right.extend_from_slice(equations.right);
        for (vertex, block) in &mut *touched {
            *block = equations.matrix.diagonal(vertex.index());
        }
        for ((spring, contact), row_impulse) in springs.iter().zip(contacts).zip(row_impulses) {
            if !spring.is_on {
                continue;
            }
            let held = spring.gripped(row_impulse.tangent);
            let strength = STRENGTH * spring.mass;
            let impulse = (row_impulse.normal + strength * contact.min_normal_velocity)
                * contact.normal
                + held
                + spring.matrix * contact.surface_velocity;
            for (vertex, share) in contact.terms() {
                right[vertex.index()] += share.apply_transpose(impulse);
                if let Ok(place) = touched.binary_search_by_key(&vertex, |(v, _)| *v) {
                    touched[place].1 += share.around(spring.matrix);
                }
            }
        }
    }

    /// Updates the multipliers by the spring forces.
    ///
    /// Returns the distance from a solution, at most, as a velocity per size and step: by how much
    /// the velocities have seen other impulses than these, or have let approach and slip pass.
    fn update(
        &self,
        contacts: &[SolverRow],
        row_impulses: &mut [ContactImpulse],
        velocities: &[Vec3],
        dt: f64,
    ) -> f64 {
        let mut most_off: f64 = 0.0;
        for ((spring, contact), row_impulse) in self.springs.iter().zip(contacts).zip(row_impulses)
        {
            if !spring.mass.is_finite() {
                // Neither side can move: no impulse has an effect.
                *row_impulse = ContactImpulse::default();
                continue;
            }
            let (mut normal, mut tangent) = spring.trial(contact, row_impulse, velocities);
            if !spring.is_on {
                // Neither spring nor impulse acted: what the effective mass needs is a good guess.
                normal = (normal - row_impulse.normal) / STRENGTH;
                tangent = (tangent - row_impulse.tangent) / STRENGTH_ALONG;
            }
            // What the springs did: all along the normal, a share in the tangent plane.
            let seen = if spring.is_on {
                normal * contact.normal + spring.gripped(tangent)
            } else {
                Vec3::ZERO
            };
            let normal = normal.max(0.0);
            tangent = friction(tangent, normal, contact.friction);
            let now = ContactImpulse { normal, tangent };
            let unseen = (seen - now.impulse(contact.normal)).length();
            // What a spring still changes is the approach or slip that it has let pass.
            let approach = (now.normal - row_impulse.normal) / STRENGTH;
            let slip = (now.tangent - row_impulse.tangent) / STRENGTH_ALONG;
            let let_pass = if spring.is_on { libm::hypot(approach, slip.length()) } else { 0.0 };
            *row_impulse = now;
            most_off = most_off.max(unseen.max(let_pass) / spring.mass * dt / contact.size);
        }
        most_off
    }
}

/// Accepts lists for the same unknowns, the held ones among them.
fn check(
    right: &[Vec3],
    (masses, velocities): (&[f64], &[Vec3]),
    held: &[VertexId],
) -> Result<(), MismatchError> {
    let expected = velocities.len();
    MismatchError::check("entries of the right-hand side", right.len(), expected)?;
    MismatchError::check("masses", masses.len(), expected)?;
    let last = held.iter().map(|v| v.index() + 1).max().unwrap_or(0);
    if last > expected {
        return Err(MismatchError::Count { what: "unknowns that are held", count: last, expected });
    }
    Ok(())
}

/// Accepts rows of these unknowns, with an impulse each.
fn check_rows(
    contacts: &[SolverRow],
    row_impulses: &[ContactImpulse],
    expected: usize,
) -> Result<(), MismatchError> {
    MismatchError::check("impulses of contacts", row_impulses.len(), contacts.len())?;
    let unknowns = contacts.iter().flat_map(SolverRow::terms);
    let last = unknowns.map(|(v, _)| v.index() + 1).max().unwrap_or(0);
    if last > expected {
        return Err(MismatchError::Count { what: "unknowns of contacts", count: last, expected });
    }
    Ok(())
}

impl Spring {
    /// Trial impulse of the contact with its spring: normal and tangential, N·s.
    fn trial(
        &self,
        contact: &SolverRow,
        row_impulse: &ContactImpulse,
        velocities: &[Vec3],
    ) -> (f64, Vec3) {
        let relative = contact.relative(velocities);
        let approach = contact.normal.dot(relative);
        let sliding = relative - approach * contact.normal;
        let normal =
            row_impulse.normal + STRENGTH * self.mass * (contact.min_normal_velocity - approach);
        (normal, row_impulse.tangent - STRENGTH_ALONG * self.mass * sliding)
    }

    /// Share of a tangential trial impulse that the spring applies, N·s.
    fn gripped(&self, tangent: Vec3) -> Vec3 {
        self.matrix * tangent / (STRENGTH_ALONG * self.mass)
    }
}

/// Σ w²/m of a contact, 1/kg; pinned vertices add nothing.
///
/// Of an angular term, w is the arm and m the inertia.
fn inv_mass(contact: &SolverRow, masses: &[f64], held: &[VertexId]) -> f64 {
    let free = |vertex: VertexId| held.binary_search(&vertex).is_err();
    let free = contact.terms().filter(|(v, _)| free(*v));
    free.map(|(v, share)| share.square() / masses[v.index()]).sum()
}

/// Largest diagonal entry at a contact vertex over its mass, less the mass itself.
fn stiffness<M: Operator + ?Sized>(matrix: &M, masses: &[f64], contacts: &[SolverRow]) -> f64 {
    let of = |vertex: VertexId| {
        let block = matrix.diagonal(vertex.index());
        let trace = block.x_axis.x + block.y_axis.y + block.z_axis.z;
        trace / (3.0 * masses[vertex.index()]) - 1.0
    };
    let touched = contacts.iter().flat_map(SolverRow::terms);
    let soft = touched.filter(|(_, share)| matches!(share, Term::Weight(_)));
    soft.map(|(vertex, _)| of(vertex)).fold(0.0, f64::max)
}

/// Removes the remaining approach by PGS sweeps through the masses.
fn finish<M: Operator + ?Sized>(
    equations: Equations<'_, M>,
    masses: &[f64],
    springs: &[Spring],
    contacts: &[SolverRow],
    unknowns: Unknowns<'_>,
) {
    let Unknowns { velocities, row_impulses } = unknowns;
    for _ in 0..FINISHING {
        for ((spring, contact), row_impulse) in springs.iter().zip(contacts).zip(&mut *row_impulses)
        {
            if !spring.mass.is_finite() {
                continue;
            }
            let approach = contact.normal.dot(contact.relative(velocities));
            let lacking = contact.min_normal_velocity - approach;
            // Friction stays as the velocities have seen it, so the normal impulse must bound it.
            let tangent = row_impulse.tangent.length();
            let least = if tangent > 0.0 { tangent / contact.friction } else { 0.0 };
            let normal = (row_impulse.normal + lacking * spring.mass).max(least);
            let impulse = (normal - row_impulse.normal) * contact.normal;
            row_impulse.normal = normal;
            for (vertex, share) in contact.terms() {
                if equations.held.binary_search(&vertex).is_ok() {
                    continue;
                }
                velocities[vertex.index()] += match share {
                    Term::Weight(weight) => weight / masses[vertex.index()] * impulse,
                    Term::Angular(arm) => {
                        equations.matrix.diagonal(vertex.index()).inverse() * arm.cross(impulse)
                    }
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{Contact, Feature, resting};
    use crate::id::BodyId;
    use crate::solve::linear::LinearSettings;
    use crate::solve::rows::RowSettings;

    const H: f64 = 0.1;
    const FALL: Vec3 = Vec3::new(0.0, 0.0, -2.0);

    /// Free masses, kg, each also coupled to the first by a damper, kg.
    struct Masses(Vec<f64>, f64);

    impl Operator for Masses {
        fn multiply(&self, x: &[Vec3], product: &mut [Vec3]) {
            product[0] = self.0[0] * x[0];
            for k in 1..x.len() {
                product[k] = self.0[k] * x[k] + self.1 * (x[k] - x[0]);
                product[0] += self.1 * (x[0] - x[k]);
            }
        }

        fn diagonal(&self, row: usize) -> Mat3 {
            let joined = if row == 0 { self.0.len() - 1 } else { 1 };
            (self.0[row] + joined as f64 * self.1) * Mat3::IDENTITY
        }
    }

    /// Velocities and impulses of masses that come with `velocities`.
    fn solved(
        masses: &Masses,
        velocities: &[Vec3],
        contacts: &[Contact],
        row_impulses: &mut [ContactImpulse],
    ) -> Vec<Vec3> {
        let right: Vec<Vec3> = velocities.iter().zip(&masses.0).map(|(v, m)| *m * *v).collect();
        let equations = Equations { matrix: masses, right: &right, held: &[], dt: H };
        let mut ends = velocities.to_vec();
        let how = SolveSettings::default();
        let ends_of = Unknowns { velocities: &mut ends, row_impulses };
        let rows: Vec<_> = contacts.iter().map(SolverRow::of).collect();
        AugmentedLagrangian::default().solve(equations, &masses.0, &rows, how, ends_of).unwrap();
        ends
    }

    #[test]
    fn a_weight_on_a_floor_stops_by_its_momentum() {
        let mut row_impulses = [ContactImpulse::default()];
        let floor = [resting(VertexId(0))];
        let ends = solved(&Masses(vec![3.0], 0.0), &[FALL], &floor, &mut row_impulses);
        assert!(
            ends[0].length() < 1e-12 && (row_impulses[0].normal - 6.0).abs() < 1e-12,
            "{ends:?}"
        );
    }

    #[test]
    fn what_no_round_has_seen_is_counted_once() {
        // At rest no contact is active: the iteration lets the weight pass, the end stops it.
        let (mut ends, mut row_impulses) = ([Vec3::ZERO], [ContactImpulse::default()]);
        let masses = Masses(vec![3.0], 0.0);
        let equations = Equations { matrix: &masses, right: &[3.0 * FALL], held: &[], dt: H };
        let rows = RowSettings {
            min_outer_iterations: 1,
            max_outer_iterations: 1,
            ..RowSettings::default()
        };
        let how = SolveSettings { rows, ..SolveSettings::default() };
        let rows = [SolverRow::of(&resting(VertexId(0)))];
        let ends_of = Unknowns { velocities: &mut ends, row_impulses: &mut row_impulses };
        let solved = AugmentedLagrangian::default()
            .solve(equations, &masses.0, &rows, how, ends_of)
            .unwrap();
        assert!(solved.is_unconverged, "{solved:?}");
        assert!(
            ends[0].length() < 1e-12 && (row_impulses[0].normal - 6.0).abs() < 1e-12,
            "{ends:?}"
        );
    }

    #[test]
    fn a_gap_may_close_and_no_more() {
        for (min_normal_velocity, end) in [(-1.0, -1.0), (-3.0, -2.0)] {
            let above = [Contact { min_normal_velocity, ..resting(VertexId(0)) }];
            // A warm-start impulse must not pull it to its bias.
            for normal in [0.0, 1e-12, 5.0] {
                let mut row_impulses = [ContactImpulse { normal, tangent: Vec3::ZERO }];
                let ends = solved(&Masses(vec![3.0], 0.0), &[FALL], &above, &mut row_impulses);
                assert!((ends[0].z - end).abs() < 1e-5, "{min_normal_velocity} {normal}: {ends:?}");
            }
        }
    }

    #[test]
    fn friction_stops_what_is_slow_and_slows_what_is_fast() {
        for (speed, expected) in [(0.5, 0.0), (5.0, 4.0)] {
            // 3 kg arrive with 2 m/s: 6 N·s normal impulse, friction takes at most 3 N·s or 1 m/s.
            let floor = [Contact { friction: 0.5, ..resting(VertexId(0)) }];
            let start = [FALL + speed * Vec3::X];
            let mut row_impulses = [ContactImpulse::default()];
            let ends = solved(&Masses(vec![3.0], 0.0), &start, &floor, &mut row_impulses);
            // Iterations end at 1e-5 of the size per step: 1e-4 m/s here.
            assert!((ends[0].x - expected).abs() < 2e-4, "{speed}: {ends:?}");
            assert!(
                row_impulses[0].tangent.length() <= 0.5 * row_impulses[0].normal * (1.0 + 1e-12)
            );
        }
    }

    #[test]
    fn bodies_that_meet_share_their_momentum() {
        let meeting = Contact {
            feature: Feature::VertexBody(VertexId(0), BodyId(1)),
            vertices: [VertexId(0), VertexId(1), VertexId(1), VertexId(1)],
            weights: [1.0, -1.0, 0.0, 0.0],
            count: 2,
            ..resting(VertexId(0))
        };
        let mut row_impulses = [ContactImpulse::default()];
        let masses = Masses(vec![1.0, 3.0], 0.0);
        let ends = solved(&masses, &[FALL, Vec3::ZERO], &[meeting], &mut row_impulses);
        // −2 kg·m/s over 4 kg.
        assert!(ends.iter().all(|v| (v.z + 0.5).abs() < 1e-9), "{ends:?}");
    }

    #[test]
    fn an_unfinished_solution_changes_no_impulse() {
        let masses = Masses(vec![1.0, 3.0, 5.0], 1e3);
        let right = [FALL; 3];
        let equations = Equations { matrix: &masses, right: &right, held: &[], dt: H };
        let (mut ends, mut row_impulses) =
            ([Vec3::X, Vec3::Y, Vec3::Z], [ContactImpulse::default()]);
        let linear = LinearSettings { iterations: 0, ..LinearSettings::default() };
        let how = SolveSettings { linear, ..SolveSettings::default() };
        let contacts = [SolverRow::of(&resting(VertexId(0)))];
        let result = AugmentedLagrangian::default().solve(
            equations,
            &masses.0,
            &contacts,
            how,
            Unknowns { velocities: &mut ends, row_impulses: &mut row_impulses },
        );
        assert!(result.is_err());
        assert_eq!(
            (row_impulses, ends),
            ([ContactImpulse::default()], [Vec3::X, Vec3::Y, Vec3::Z])
        );
    }

    #[test]
    fn a_moving_obstacle_takes_along_what_lies_on_it() {
        let belt = [Contact {
            friction: 10.0,
            surface_velocity: Vec3::X + Vec3::Z,
            ..resting(VertexId(0))
        }];
        let mut row_impulses = [ContactImpulse::default()];
        let ends = solved(&Masses(vec![3.0], 0.0), &[FALL], &belt, &mut row_impulses);
        assert!(ends[0].abs_diff_eq(Vec3::X + Vec3::Z, 2e-3), "{ends:?}");
    }
}
