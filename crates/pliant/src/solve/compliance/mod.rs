//! Contacts swept through the compliance of whole bodies.
//!
//! What a body does when it is pushed at one vertex is a part of the inverse of its matrix: all
//! of its vertices move, as elasticity and inertia want it. Projected Gauss–Seidel with these
//! responses converges whatever the stiffness.

pub(crate) mod constraint;

use crate::contact::impulse::ContactImpulse;
use crate::math::Mat3;
use crate::solve::anderson::Anderson;
use crate::solve::compliance::constraint::{ContactConstraint, Probe};
use crate::solve::gauss_seidel::{GaussSeidel, Relaxed};

/// Velocities per impulse of some vertices of one body: a symmetric matrix, 1/kg.
pub(crate) trait Compliance {
    /// The three rows of a vertex, by its index among them: three numbers per vertex, and padding.
    fn rows(&self, place: usize) -> [&[f64]; 3];

    /// The block of two vertices, by their indices.
    fn block(&self, row: usize, column: usize) -> Mat3;
}

/// Contacts during the sweeps, and the bodies that they move.
pub(crate) struct Rows<'a, C, const N: usize> {
    pub parts: &'a [C],
    pub probes: &'a [Probe],
    pub constraints: &'a mut [ContactConstraint<N>],
    /// W of the active contacts, from the one with the index `first_response` on.
    pub responses: &'a mut [f64],
    pub first_response: usize,
    pub speeds: &'a mut [f64],
    /// None for parts of an island.
    pub anderson: Option<&'a mut Anderson>,
    pub row_impulses: &'a mut [ContactImpulse],
    /// Tolerances of the constraints are multiplied by it.
    pub tolerance: f64,
}

/// Where the lists of contacts are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    pub row: usize,
    pub speed: usize,
    pub response: usize,
}

impl Split {
    /// The same place, counted from another one.
    pub(crate) fn since(self, begin: Split) -> Split {
        Split {
            row: self.row - begin.row,
            speed: self.speed - begin.speed,
            response: self.response - begin.response,
        }
    }
}

impl<C, const N: usize> Rows<'_, C, N> {
    /// The contacts before a place and those from there on, with the speeds of their bodies.
    ///
    /// Those before must move nothing behind, and the other way round.
    pub(crate) fn split(&mut self, at: Split) -> (Rows<'_, C, N>, Rows<'_, C, N>) {
        let Rows { parts, tolerance, first_response, .. } = *self;
        let (low_probes, probes) = self.probes.split_at(at.row);
        let (low_constraints, constraints) = self.constraints.split_at_mut(at.row);
        let (low_responses, responses) = self.responses.split_at_mut(at.response);
        let (low_speeds, speeds) = self.speeds.split_at_mut(at.speed);
        let (low_impulses, row_impulses) = self.row_impulses.split_at_mut(at.row);
        let low = Rows {
            parts,
            probes: low_probes,
            constraints: low_constraints,
            responses: low_responses,
            first_response,
            speeds: low_speeds,
            anderson: None,
            row_impulses: low_impulses,
            tolerance,
        };
        let high = Rows {
            parts,
            probes,
            constraints,
            responses,
            first_response: first_response + at.response,
            speeds,
            anderson: None,
            row_impulses,
            tolerance,
        };
        (low, high)
    }
}

impl<C: Compliance, const N: usize> GaussSeidel for Rows<'_, C, N> {
    fn row_count(&self) -> usize {
        self.row_impulses.len()
    }

    #[inline]
    fn relax(&mut self, row: usize) -> Relaxed {
        let Rows { parts, probes, constraints, responses, speeds, .. } = self;
        let first = self.first_response;
        let (constraint, row_impulse) = (&mut constraints[row], &mut self.row_impulses[row]);
        let relative = probes[row].relative(constraint, speeds);
        if *row_impulse == ContactImpulse::default() && probes[row].is_free(relative) {
            return Relaxed::Converged;
        }
        if !constraint.is_ready {
            constraint.settle(parts);
            constraint.respond(parts, first, responses);
            constraint.is_ready = true;
        }
        let Some(impulse) = constraint.block.relax(row_impulse, relative) else {
            return Relaxed::Converged;
        };
        constraint.push(first, responses, impulse, speeds);
        match constraint.block.is_converged(impulse / self.tolerance) {
            true => Relaxed::Converged,
            false => Relaxed::Moved { is_rigid: constraint.is_rigid },
        }
    }

    fn accelerate(&mut self) {
        let Rows { constraints, anderson: Some(anderson), row_impulses, speeds, .. } = self else {
            return;
        };
        anderson.accelerate(row_impulses, speeds, |k| constraints[k].block.weight());
    }
}
