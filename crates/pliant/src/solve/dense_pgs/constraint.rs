//! A contact made ready for the sweeps, in two parts: what every sweep looks at, and the rest.
//!
//! A sweep passes a contact that does not press from its [`Probe`] alone; only for those that
//! press, or begin to, there is a law and a response.

use crate::math::{Mat3, Vec3};
use crate::solve::contact_block::ContactBlock;
use crate::solve::dense::add;
use crate::solve::dense_pgs::Part;
use crate::solve::terms::{MOST_FREE, Row, Term};

/// Most unknowns of a contact between soft bodies, count.
const MOST_PLAIN: usize = 4;

/// What a sweep must know of a contact to pass it by.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// First speed of each unknown, count; those out of use have no weight.
    starts: [u32; MOST_PLAIN],
    /// Weight of each unknown, unit 1.
    weights: [f64; MOST_PLAIN],
    /// Whether these are all unknowns; otherwise the contact itself must be asked.
    is_plain: bool,
    normal: Vec3,
    /// What is given of the relative velocity, taken away, m/s.
    surface_velocity: Vec3,
    /// Least speed along the normal, m/s.
    min_normal_velocity: f64,
}

/// A contact.
#[derive(Clone, Copy, Debug)]
pub struct ContactConstraint {
    /// First speed of each unknown, count; the first `count` are in use.
    starts: [usize; MOST_FREE],
    /// What each does to the relative velocity.
    shares: [Term; MOST_FREE],
    /// Unknowns in use, count; held ones are not.
    count: usize,
    /// Right once it is ready.
    pub block: ContactBlock,
    /// Whether nothing at it bends.
    pub is_rigid: bool,
    /// A change of velocity that is none, m/s.
    velocity_tolerance: f64,
    sides: [Side; 2],
    /// Whether its law and its responses are there.
    pub is_ready: bool,
}

/// What a contact does to one body.
#[derive(Clone, Copy, Debug, Default)]
pub struct Side {
    /// Which of the parts, counted from 0.
    pub part: usize,
    /// First response, count.
    pub response: usize,
    /// First speed of the body, count.
    pub start: usize,
    /// Speeds of the body, count; 0 for an obstacle.
    pub width: usize,
}

impl Probe {
    /// Of a contact that has all its unknowns.
    pub fn of(constraint: &ContactConstraint) -> Probe {
        let ContactBlock { normal, surface_velocity, min_normal_velocity, .. } = constraint.block;
        // A start that is out of use must be one of a speed.
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

    /// Velocity of the first side seen from the second, without what is given, m/s.
    #[inline]
    pub fn relative(&self, constraint: &ContactConstraint, speeds: &[f64]) -> Vec3 {
        if !self.is_plain {
            return constraint.relative(speeds);
        }
        let mut sum = Vec3::ZERO;
        for (start, weight) in self.starts.iter().zip(self.weights) {
            sum += weight * Vec3::from_slice(&speeds[*start as usize..]);
        }
        sum
    }

    /// Whether the sides go apart fast enough by themselves.
    #[inline]
    pub fn is_free(&self, linear: Vec3) -> bool {
        self.min_normal_velocity - self.normal.dot(linear - self.surface_velocity) <= 0.0
    }
}

impl ContactConstraint {
    /// A contact without unknowns yet; `velocity_tolerance` is the change of velocity that is none, m/s.
    pub fn new(contact: &Row, sides: [Side; 2], velocity_tolerance: f64) -> ContactConstraint {
        ContactConstraint {
            starts: [0; MOST_FREE],
            shares: [Term::Weight(0.0); MOST_FREE],
            count: 0,
            block: ContactBlock::unmoved(contact),
            is_rigid: contact.is_rigid(),
            velocity_tolerance,
            sides,
            is_ready: false,
        }
    }

    /// Takes in an unknown that is free.
    pub fn add(&mut self, start: usize, share: Term) {
        debug_assert!(self.count < MOST_FREE, "attached vertices are not for this solver");
        if self.count < MOST_FREE {
            self.starts[self.count] = start;
            self.shares[self.count] = share;
            self.count += 1;
        }
    }

    /// Finds out what an impulse does to the contact itself.
    pub fn settle(&mut self, parts: &[Part]) {
        self.block = self.block.moved_by(self.weigh(parts), self.velocity_tolerance);
    }

    /// First speeds of the unknowns in use, and what they do.
    fn all(&self) -> impl Iterator<Item = (usize, Term)> {
        self.starts.into_iter().zip(self.shares).take(self.count)
    }

    /// Rows in a side's body, and what they do.
    fn terms(&self, side: &Side) -> impl Iterator<Item = (usize, Term)> {
        let speeds = side.start..side.start + side.width;
        let first = side.start;
        let own = self.all().filter(move |(start, _)| speeds.contains(start));
        own.map(move |(start, share)| ((start - first) / 3, share))
    }

    /// The smallest number of a response of this or a later contact.
    pub fn first_response(&self) -> usize {
        self.sides[0].response
    }

    /// G.
    fn weigh(&self, parts: &[Part]) -> Mat3 {
        let mut delassus = Mat3::ZERO;
        for side in &self.sides {
            let inverse = &parts[side.part].inverse;
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

    /// Fills W; `responses` are those from the number `first` on.
    pub fn respond(&self, parts: &[Part], first: usize, responses: &mut [f64]) {
        for side in self.sides.iter().filter(|side| side.width > 0) {
            let own = &mut responses[side.response - first..][..3 * side.width];
            own.fill(0.0);
            let inverse = &parts[side.part].inverse;
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

    /// Gives an impulse to the bodies.
    #[inline]
    pub fn push(&self, responses: &[f64], impulse: Vec3, speeds: &mut [f64]) {
        for Side { response, start, width, .. } in self.sides {
            let own = &responses[response..response + 3 * width];
            let lines = [&own[..width], &own[width..2 * width], &own[2 * width..]];
            add(&mut speeds[start..start + width], impulse.to_array(), lines);
        }
    }

    /// Velocity of the first side seen from the second, without what is given, m/s.
    fn relative(&self, speeds: &[f64]) -> Vec3 {
        self.all().map(|(start, share)| share.apply(Vec3::from_slice(&speeds[start..]))).sum()
    }
}
