//! Contacts held by springs, solved together with the materials.
//!
//! A spring that pushes with k (d − γ n·u) − c n·u at the end of the step adds
//! (γ² k + γ c) Jᵀ n nᵀ J to the matrix and γ k d Jᵀ n to the right-hand side, where
//! u = J w is the relative velocity at the end. Springs push and never pull: those that
//! would are taken out, and the rest is solved again.
//!
//! | here        | formula   | meaning                                       |
//! |-------------|-----------|-----------------------------------------------|
//! | `depth`     | d         | way that the spring is pressed in, m          |
//! | `span`      | γ         | time over which the end forces act, s         |
//! | `hold`      | γ² k + γ c | what the matrix gets along the normal, kg    |

use crate::contact::output::ContactSpring;
use crate::math::{Mat3, Vec3, outer_square};
use crate::solve::linear::{Linear, LinearSettings, Operator, SolveError};
use crate::solve::pcg::Pcg;

/// Times that springs are chosen and solved at most.
///
/// What is left then pulls nowhere either: it only is not the solution.
const ROUNDS: usize = 8;

/// Scratch memory of the solver.
#[derive(Debug, Default)]
pub(super) struct SpringSolver {
    pcg: Pcg,
    /// Right-hand side with the springs, N·s.
    right: Vec<Vec3>,
    diagonal: Vec<Mat3>,
    /// Which springs push.
    pushing: Vec<bool>,
}

/// A with the springs that push.
struct WithSprings<'a> {
    linear: Linear<'a>,
    springs: &'a [ContactSpring],
    pushing: &'a [bool],
    diagonal: &'a [Mat3],
    span: f64,
}

impl Operator for WithSprings<'_> {
    fn multiply(&self, x: &[Vec3], product: &mut [Vec3]) {
        self.linear.matrix.multiply(x, product);
        for (spring, _) in self.springs.iter().zip(self.pushing).filter(|(_, pushes)| **pushes) {
            let contact = &spring.contact;
            let relative: Vec3 = contact.terms().map(|(v, w)| w * x[v.index()]).sum();
            let held = spring.hold(self.span) * contact.normal.dot(relative) * contact.normal;
            contact.terms().for_each(|(v, w)| product[v.index()] += w * held);
        }
    }

    fn diagonal(&self, row: usize) -> Mat3 {
        self.diagonal[row]
    }
}

impl ContactSpring {
    fn hold(&self, span: f64) -> f64 {
        span * span * self.stiffness + span * self.damping
    }

    /// Impulse along the normal with velocities at the end, N·s; negative where it would pull.
    fn impulse(&self, velocities: &[Vec3], span: f64) -> f64 {
        let parting = self.contact.normal.dot(self.contact.relative(velocities));
        span * self.stiffness * self.depth - self.hold(span) * parting
    }
}

impl SpringSolver {
    /// Solves for velocities at the end, which come as a guess; returns the iterations made.
    ///
    /// End forces act for `span` seconds. [`SpringSolver::right`] is then the right-hand side with the forces that springs have.
    pub(super) fn solve(
        &mut self,
        linear: Linear<'_>,
        springs: &[ContactSpring],
        settings: LinearSettings,
        span: f64,
        ends: &mut [Vec3],
    ) -> Result<usize, SolveError> {
        self.pushing.clear();
        self.pushing.resize(springs.len(), true);
        let mut iterations = 0;
        for _ in 0..ROUNDS {
            self.load(linear, springs, span);
            let SpringSolver { pcg, right, diagonal, pushing } = self;
            let matrix = WithSprings { linear, springs, pushing, diagonal, span };
            iterations += pcg.iterate(&matrix, right, linear.held, settings, ends)?.iterations;
            let mut changes = false;
            for (pushes, spring) in pushing.iter_mut().zip(springs) {
                let now = spring.impulse(ends, span) > 0.0;
                changes |= now != *pushes;
                *pushes = now;
            }
            if !changes {
                break;
            }
        }
        self.right.clear();
        self.right.extend_from_slice(linear.right);
        for spring in springs {
            let push = spring.impulse(ends, span).max(0.0) * spring.contact.normal;
            spring.contact.terms().for_each(|(v, w)| self.right[v.index()] += w * push);
        }
        Ok(iterations)
    }

    /// Right-hand side with the forces of the springs, N·s.
    pub(super) fn right(&self) -> &[Vec3] {
        &self.right
    }

    /// Right-hand side and diagonal with the springs that push.
    fn load(&mut self, linear: Linear<'_>, springs: &[ContactSpring], span: f64) {
        let SpringSolver { right, diagonal, pushing, .. } = self;
        right.clear();
        right.extend_from_slice(linear.right);
        diagonal.clear();
        diagonal.extend((0..right.len()).map(|row| linear.matrix.diagonal(row)));
        for (spring, _) in springs.iter().zip(&*pushing).filter(|(_, pushes)| **pushes) {
            let contact = &spring.contact;
            let hold = spring.hold(span);
            let pressed = span * spring.stiffness * spring.depth;
            let push = pressed + hold * contact.normal.dot(contact.surface_velocity);
            for (vertex, weight) in contact.terms() {
                right[vertex.index()] += weight * push * contact.normal;
                diagonal[vertex.index()] += weight * weight * hold * outer_square(contact.normal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::body::soft::{Masses, State};
    use crate::contact::impulse::ContactImpulse;
    use crate::contact::output::ContactSpring;
    use crate::contact::resting;
    use crate::force::gravity::Gravity;
    use crate::id::VertexId;
    use crate::integrate::implicit::{Implicit, ImplicitSettings};
    use crate::integrate::{Integrator, StepError, System};
    use crate::math::Vec3;
    use crate::solve::linear::LinearSettings;

    const DT: f64 = 0.1;
    /// Relative to speeds below 3 m/s; the linear solver is asked for less.
    const TOLERANCE: f64 = 1e-11;

    fn system() -> System {
        let masses = Masses::new(vec![2.0]).unwrap();
        let mut system = System { masses, ..System::default() };
        system.forces.push(Gravity::new(Vec3::ZERO, system.masses.of()));
        system
    }

    /// Speed after a step of a mass of 2 kg on a spring of 300 N/m and 5 N·s/m.
    fn speed(before: f64, depth: f64) -> f64 {
        let mut system = system();
        let contact = resting(VertexId(0));
        let spring = ContactSpring { contact, depth, stiffness: 300.0, damping: 5.0 };
        system.scratch.contact.springs.push(spring);
        let mut state = State::at_rest(vec![Vec3::ZERO]);
        state.velocities[0] = before * Vec3::Z;
        let linear = LinearSettings { tolerance: 1e-13, ..LinearSettings::default() };
        let mut implicit = Implicit::new(ImplicitSettings { linear, ..Default::default() });
        implicit.step(&mut system, &mut state, DT).unwrap();
        state.velocities[0].z
    }

    #[test]
    fn the_force_is_that_at_the_end_of_the_step() {
        // 2 (w − v) = 0.1 (300 (d − 0.1 w) − 5 w), so w = (2 v + 30 d) / 5.5.
        for (before, depth) in [(0.0, 0.2), (-2.0, 0.1), (-1.0, 0.0)] {
            let wanted = (2.0 * before + 30.0 * depth) / 5.5;
            let found = speed(before, depth);
            assert!((found - wanted).abs() < TOLERANCE, "{found} {wanted}");
        }
    }

    #[test]
    fn a_spring_never_pulls() {
        assert!((speed(3.0, 0.05) - 3.0).abs() < TOLERANCE); // it would hold at 1.36 m/s
        assert!((speed(0.0, -0.05)).abs() < TOLERANCE);
    }

    #[test]
    fn rows_and_springs_at_once_are_refused() {
        let mut system = system();
        let contact = resting(VertexId(0));
        let spring = ContactSpring { contact, depth: 0.1, stiffness: 1.0, damping: 0.0 };
        system.scratch.contact.springs.push(spring);
        system.scratch.contact.rows.push(contact);
        system.scratch.contact.row_impulses.push(ContactImpulse::default());
        let mut state = State::at_rest(vec![Vec3::ZERO]);
        let mut implicit = Implicit::new(ImplicitSettings::default());
        let found = implicit.step(&mut system, &mut state, DT);
        assert_eq!(found, Err(StepError::Mixed { rows: 1, springs: 1 }));
    }
}
