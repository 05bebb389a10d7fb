//! Free motion of a rigid body: its rotation and translation without forces.
//!
//! Forces and torques are applied before it, as impulses on the state.
//!
//! | here       | meaning                                                         |
//! |------------|-----------------------------------------------------------------|
//! | `momentum` | angular momentum L about the centre, world axes, kg·m²/s        |
//! | `turning`  | the same on body axes, Π = RᵀL, kg·m²/s                         |
//! | `mean`     | Π̄, halfway between `turning` before and after, kg·m²/s          |

use crate::body::rigid::{RigidState, RigidTemplate};
use crate::math::{Mat3, Quat, Vec3, unit_quat};

/// Largest rotation in one solve, rad; above it a step is divided.
const LARGEST_TURN: f64 = 1.0;

/// Most substeps of a step.
const MOST_PARTS: u32 = 256;

/// Newton iterations; three or four suffice.
const MAX_ITERATIONS: usize = 16;

/// Relative change of the last Newton iteration; its square is below rounding.
const CONVERGED: f64 = 1e-10;

/// How the rotation of a free body is integrated.
///
/// The centre moves by its velocity in all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FreeMotion {
    /// Implicit midpoint rule on body axes; order 2.
    ///
    /// Keeps energy and angular momentum to rounding at any step. A step that turns by more than
    /// 1 rad is divided, into 256 parts at most. Where these do not suffice, the body turns about
    /// its angular momentum by as much as it spins about it: still nothing is lost, but the
    /// rotation is only a guess, as is fair for a step of 40 turns.
    #[default]
    Conserving,
    /// The lecture's scheme with the gyroscopic term; order 1.
    ///
    /// Gains energy. At spins of more than about 1 rad a step it diverges.
    Explicit,
    /// The lecture's scheme as it stands: keeps ω, and so not the angular momentum.
    Lecture,
}

impl FreeMotion {
    /// Moves a free body by `dt`, s.
    ///
    /// A state that is not finite stays so; nothing panics.
    ///
    /// - Implements: [Wang21 slide "Last week..."], the update of x, ω and q, by
    ///   [`FreeMotion::Lecture`].
    /// - Erratum: the slide does not say that q is to be made unit again (R1), as
    ///   `turns_stay_unit_in_every_flight` does; it leaves out ω × Iω, and angular momentum
    ///   changes at every step size, as `the_slide_loses_angular_momentum` shows (R2).
    pub fn step(self, body: &RigidTemplate, state: &mut RigidState, dt: f64) {
        state.centre += dt * state.velocity;
        match self {
            FreeMotion::Conserving => conserving(body, state, dt),
            FreeMotion::Explicit => {
                let spin = state.turn.conjugate() * state.spin;
                let rate = (body.moments * spin).cross(spin) / body.moments;
                state.spin += state.turn * (dt * rate);
                lecture(state, dt);
            }
            FreeMotion::Lecture => lecture(state, dt),
        }
    }

    /// Moves a body by `dt`, s, that has gone at another velocity and spin in the mean.
    ///
    /// `mean` is that velocity, m/s, and spin, rad/s; those of `state` are at the end, of a body
    /// turned as at the start. The angular momentum at the end is theirs.
    pub(crate) fn step_by_mean(
        self,
        body: &RigidTemplate,
        state: &mut RigidState,
        mean: (Vec3, Vec3),
        dt: f64,
    ) {
        let end = *state;
        (state.velocity, state.spin) = mean;
        self.step(body, state, dt);
        let changed = state.spin - mean.1;
        state.velocity = end.velocity;
        state.spin = match self {
            FreeMotion::Conserving => {
                let momentum = state.turn.conjugate() * end.angular_momentum(body);
                state.turn * (momentum / body.moments)
            }
            FreeMotion::Explicit | FreeMotion::Lecture => end.spin + changed,
        };
    }
}

/// q ← q + (0, Δt/2 ω) q, made unit.
fn lecture(state: &mut RigidState, dt: f64) {
    let half = 0.5 * dt * state.spin;
    let rate = Quat::from_xyzw(half.x, half.y, half.z, 0.0) * state.turn;
    state.turn = unit_quat(state.turn + rate).unwrap_or(state.turn);
}

/// Rotates in as many substeps as can be solved; angular momentum is kept as it is.
fn conserving(body: &RigidTemplate, state: &mut RigidState, dt: f64) {
    let momentum = state.angular_momentum(body);
    let wanted = (dt * state.spin.length() / LARGEST_TURN).abs().ceil();
    // NaN becomes 0 and infinity the largest integer: both are dealt with below.
    let mut parts = (wanted as u32).max(1);
    while parts <= MOST_PARTS {
        if let Some(turn) = turned(body, state.turn, momentum, dt, parts) {
            state.turn = turn;
            state.spin = turn * ((turn.conjugate() * momentum) / body.moments);
            return;
        }
        parts *= 2;
    }
    precess(state, momentum, dt);
}

/// Rotation after a time, s, in equal parts; `None` where Newton does not converge.
fn turned(body: &RigidTemplate, turn: Quat, momentum: Vec3, dt: f64, parts: u32) -> Option<Quat> {
    let half = 0.5 * dt / f64::from(parts);
    let mut turn = turn;
    for _ in 0..parts {
        let mean = mean_turning(body.moments, turn.conjugate() * momentum, half)?;
        let part = half * (mean / body.moments);
        // Cayley's map of the mean spin: takes Π after the part to Π before it exactly.
        turn = unit_quat(turn * Quat::from_xyzw(part.x, part.y, part.z, 1.0))?;
    }
    Some(turn)
}

/// Solves Π̄ = Π + h/2 Π̄ × I⁻¹Π̄ by Newton's method; `half` is h/2.
///
/// (Π' − Π) · I⁻¹Π̄ = 0 keeps the energy, (Π' − Π) · Π̄ = 0 the size of Π.
fn mean_turning(moments: Vec3, turning: Vec3, half: f64) -> Option<Vec3> {
    let size = turning.length();
    let mobility = Mat3::from_diagonal(moments.recip());
    let mut mean = turning;
    for _ in 0..MAX_ITERATIONS {
        let spin = mean / moments;
        let residual = mean - turning - half * mean.cross(spin);
        let slope = Mat3::IDENTITY + half * (cross_matrix(spin) - cross_matrix(mean) * mobility);
        let change = slope.inverse() * residual;
        mean -= change;
        if change.length() <= CONVERGED * size {
            return Some(mean);
        }
    }
    None
}

/// Turns about the angular momentum, which keeps Π and with it the energy.
fn precess(state: &mut RigidState, momentum: Vec3, dt: f64) {
    let Some(axis) = momentum.try_normalize() else { return };
    let half = (0.5 * dt * state.spin.dot(axis)) * axis;
    let part = Quat::from_xyzw(half.x, half.y, half.z, 1.0);
    if let Some(part) = unit_quat(part) {
        let turn = unit_quat(part * state.turn).unwrap_or(state.turn);
        state.spin = turn * (state.turn.conjugate() * state.spin);
        state.turn = turn;
    }
}

/// The cross-product matrix of v.
fn cross_matrix(v: Vec3) -> Mat3 {
    Mat3::from_cols(v.cross(Vec3::X), v.cross(Vec3::Y), v.cross(Vec3::Z))
}

#[cfg(test)]
mod tests;
