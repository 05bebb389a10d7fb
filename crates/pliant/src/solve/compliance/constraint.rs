//! A contact constraint, in two parts: a small probe and the rest.
//!
//! A sweep skips an inactive contact by reading its [`Probe`] alone; only contacts that are
//! active, or become so, have a Delassus block and a response.

use crate::math::dispatch::{Kernel, dispatch};
use crate::math::{Mat3, Vec3};
use crate::solve::compliance::Compliance;
use crate::solve::contact_block::ContactBlock;
use crate::solve::dense::add;
use crate::solve::terms::{MOST_FREE, SolverRow, Term};

/// Most unknowns of a contact between soft bodies.
const MOST_PLAIN: usize = 4;

/// What a sweep must know of a contact to skip it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    /// First speed of each unknown; unused ones have no weight.
    starts: [u32; MOST_PLAIN],
    /// Weight of each unknown.
    weights: [f64; MOST_PLAIN],
    /// Whether these are all unknowns; otherwise the constraint itself is evaluated.
    is_plain: bool,
    normal: Vec3,
    /// Prescribed part of the relative velocity, m/s; subtracted before solving.
    surface_velocity: Vec3,
    /// Least speed along the normal, m/s.
    min_normal_velocity: f64,
}

/// A contact constraint of at most `N` unknowns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactConstraint<const N: usize = MOST_FREE> {
    /// First speed of each unknown; the first `count` are in use.
    starts: [usize; N],
    /// Jacobian of each unknown: its share in the relative velocity.
    shares: [Term; N],
    /// Unknowns in use; pinned ones are not.
    count: usize,
    /// Complete once `is_ready`.
    pub block: ContactBlock,
    /// Whether both sides are rigid.
    pub is_rigid: bool,
    /// Change of velocity that counts as converged, m/s.
    velocity_tolerance: f64,
    sides: [ContactSide; 2],
    /// Whether its Delassus block and its responses have been computed.
    pub is_ready: bool,
}

/// One body of a contact.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContactSide {
    /// Index of the part.
    pub part: usize,
    /// First response.
    pub response: usize,
    /// First speed of the body.
    pub start: usize,
    /// Speeds of the body; 0 for an obstacle.
    pub width: usize,
}

/// Velocities that an impulse gives to both bodies, as a kernel.
struct ImpulseOnBodies<'a> {
    sides: &'a [ContactSide; 2],
    first: usize,
    responses: &'a [f64],
    impulse: [f64; 3],
    speeds: &'a mut [f64],
}

impl Kernel for ImpulseOnBodies<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for ContactSide { response, start, width, .. } in *self.sides {
            if width == 0 {
                continue;
            }
            let own = &self.responses[response - self.first..][..3 * width];
            let lines = [&own[..width], &own[width..2 * width], &own[2 * width..]];
            add(&mut self.speeds[start..start + width], self.impulse, lines);
        }
    }
}

impl Probe {
    /// The probe of a constraint that has all its unknowns.
    pub(crate) fn of<const N: usize>(constraint: &ContactConstraint<N>) -> Probe {
        let ContactBlock { normal, surface_velocity, min_normal_velocity, .. } = constraint.block;
        // An unused start must still index a speed.
        let mut starts = [constraint.starts[0] as u32; MOST_PLAIN];
        let mut weights = [0.0; MOST_PLAIN];
        let mut is_plain = (1..=MOST_PLAIN).contains(&constraint.count);
        for (k, (start, share)) in constraint.all().take(MOST_PLAIN).enumerate() {
            match share {
                Term::Weight(weight) => (starts[k], weights[k]) = (start as u32, weight),
                Term::Angular(_) => is_plain = false,
            }
        }
        Probe { starts, weights, is_plain, normal, surface_velocity, min_normal_velocity }
    }

    /// J v: relative velocity before `surface_velocity` is subtracted, m/s.
    #[inline]
    pub(crate) fn relative<const N: usize>(
        &self,
        constraint: &ContactConstraint<N>,
        speeds: &[f64],
    ) -> Vec3 {
        if !self.is_plain {
            return constraint.relative(speeds);
        }
        let mut sum = Vec3::ZERO;
        for (start, weight) in self.starts.iter().zip(self.weights) {
            sum += weight * Vec3::from_slice(&speeds[*start as usize..]);
        }
        sum
    }

    /// Whether the sides separate fast enough without an impulse.
    #[inline]
    pub(crate) fn is_free(&self, linear: Vec3) -> bool {
        self.min_normal_velocity - self.normal.dot(linear - self.surface_velocity) <= 0.0
    }
}

impl<const N: usize> ContactConstraint<N> {
    /// A contact without unknowns yet.
    ///
    /// `velocity_tolerance` is the change of velocity that counts as converged, m/s.
    pub(crate) fn new(
        contact: &SolverRow,
        sides: [ContactSide; 2],
        velocity_tolerance: f64,
    ) -> ContactConstraint<N> {
        ContactConstraint {
            starts: [0; N],
            shares: [Term::Weight(0.0); N],
            count: 0,
            block: ContactBlock::unmoved(contact),
            is_rigid: contact.is_rigid(),
            velocity_tolerance,
            sides,
            is_ready: false,
        }
    }

    /// Adds a free unknown.
    pub(crate) fn add(&mut self, start: usize, share: Term) {
        debug_assert!(self.count < N, "more unknowns than a contact can have");
        if self.count < N {
            self.starts[self.count] = start;
            self.shares[self.count] = share;
            self.count += 1;
        }
    }

    /// Computes the Delassus block.
    pub(crate) fn settle(&mut self, parts: &[impl Compliance]) {
        self.block = self.block.moved_by(self.weigh(parts), self.velocity_tolerance);
    }

    /// First speeds and Jacobians of the unknowns in use.
    fn all(&self) -> impl Iterator<Item = (usize, Term)> {
        self.starts.into_iter().zip(self.shares).take(self.count)
    }

    /// Rows in a side's body, and their Jacobians.
    fn terms(&self, side: &ContactSide) -> impl Iterator<Item = (usize, Term)> {
        let speeds = side.start..side.start + side.width;
        let first = side.start;
        let own = self.all().filter(move |(start, _)| speeds.contains(start));
        own.map(move |(start, share)| ((start - first) / 3, share))
    }

    /// The smallest index of a response of this or a later contact.
    pub(crate) fn first_response(&self) -> usize {
        self.sides[0].response
    }

    /// The Delassus block G = J A⁻¹ Jᵀ, 1/kg.
    fn weigh(&self, parts: &[impl Compliance]) -> Mat3 {
        let mut delassus = Mat3::ZERO;
        for side in &self.sides {
            let Some(inverse) = parts.get(side.part) else { continue };
            for (row, share) in self.terms(side) {
                for (column, other) in self.terms(side) {
                    let block = inverse.block(row, column);
                    delassus += match (share, other) {
                        (Term::Weight(w), Term::Weight(other)) => block * (w * other),
                        _ => share.matrix() * block * other.matrix().transpose(),
                    };
                }
            }
        }
        delassus
    }

    /// Fills W = A⁻¹ Jᵀ; `responses` start at the index `first`.
    pub(crate) fn respond(&self, parts: &[impl Compliance], first: usize, responses: &mut [f64]) {
        for side in self.sides.iter().filter(|side| side.width > 0) {
            let own = &mut responses[side.response - first..][..3 * side.width];
            own.fill(0.0);
            let inverse = &parts[side.part];
            for (row, share) in self.terms(side) {
                let lines = own.chunks_exact_mut(side.width);
                match share {
                    Term::Weight(weight) => {
                        for (line, from) in lines.zip(inverse.rows(row)) {
                            let values = line.iter_mut().zip(from);
                            values.for_each(|(value, from)| *value += weight * from);
                        }
                    }
                    Term::Angular(_) => {
                        let transposed = share.matrix().transpose();
                        let axes = [transposed.x_axis, transposed.y_axis, transposed.z_axis];
                        for (line, axis) in lines.zip(axes) {
                            add(line, axis.to_array(), inverse.rows(row));
                        }
                    }
                }
            }
        }
    }

    /// Applies an impulse, N·s, to both bodies; `responses` start at the index `first`.
    #[inline]
    pub(crate) fn push(&self, first: usize, responses: &[f64], impulse: Vec3, speeds: &mut [f64]) {
        let impulse = impulse.to_array();
        dispatch(ImpulseOnBodies { sides: &self.sides, first, responses, impulse, speeds });
    }

    /// J v: relative velocity before `surface_velocity` is subtracted, m/s.
    fn relative(&self, speeds: &[f64]) -> Vec3 {
        self.all().map(|(start, share)| share.apply(Vec3::from_slice(&speeds[start..]))).sum()
    }
}
