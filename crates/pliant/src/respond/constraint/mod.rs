//! Unilateral contacts with Coulomb friction, solved against the implicit matrix.
//!
//! Find v and λ with
//!
//! A v = b + Jᵀ λ,  0 ≤ λₙ ⟂ n·u(v) − v* ≥ 0,  |λₜ| ≤ μ λₙ against the slip,
//!
//! where u(v) is the relative velocity of a contact and v* the speed it must reach. What
//! lies apart may close its gap in the step and no more; what is nearer than the offset δ
//! may not come nearer. Overlap is taken out before by a shift of whole bodies that
//! touches no velocity, so nothing comes back later as speed.
//!
//! | here       | formula | meaning                                            |
//! |------------|---------|----------------------------------------------------|
//! | `contacts` | J       | rows: weights, normal, gap                         |
//! | `Pressure` | λ       | impulse along the normal and along the plane, N·s  |
//! | `target`   | v*      | least speed along the normal, m/s                  |

pub mod split;

pub mod pressure;

pub mod dense;

pub mod direct;

pub mod lagrange;

use crate::respond::contact::Contact;

/// Share of a gap below δ that is won back per step, at most at the push speed, unit 1.
const WIN_BACK: f64 = 0.2;

/// How contacts are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveSettings {
    /// Fastest that a contact nearer than its offset is opened, per size and step, unit 1.
    pub push: f64,
    /// Bodies with more vertices are solved by iterations, count.
    pub most_direct: usize,
    /// Sweeps over all contacts with the direct solver, count.
    pub sweeps: usize,
    /// Change of velocity, per size and step, below which sweeps end, unit 1.
    pub still: f64,
    /// Rounds of multipliers with the iterative solver, count.
    pub rounds: usize,
}

impl Default for SolveSettings {
    fn default() -> SolveSettings {
        SolveSettings { push: 1.5e-4, most_direct: 60, sweeps: 20, still: 1e-6, rounds: 3 }
    }
}

/// What a solver did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solved {
    /// Sweeps or iterations, count.
    pub iterations: usize,
    /// Largest change in the last sweep, m/s, or residual of the last system, unit 1.
    pub residual: f64,
}

/// The least speed along the normal that a contact must reach in a step, m/s.
pub fn target(contact: &Contact, push: f64, dt: f64) -> f64 {
    let short = contact.offset - contact.gap;
    if short > 0.0 { (WIN_BACK * short / dt).min(push * contact.size / dt) } else { short / dt }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{BodyId, VertexId};
    use crate::math::Vec3;
    use crate::respond::contact::Feature;

    #[test]
    fn far_gaps_may_close_and_near_ones_open_gently() {
        let contact = |gap: f64| Contact {
            feature: Feature::VertexObstacle(VertexId(0), 0),
            vertices: [VertexId(0); 4],
            weights: [1.0, 0.0, 0.0, 0.0],
            count: 1,
            bodies: (BodyId(0), None),
            normal: Vec3::Z,
            gap,
            drift: Vec3::ZERO,
            friction: 0.0,
            offset: 0.01,
            size: 1.0,
        };
        let speed = |gap: f64| target(&contact(gap), 1e-3, 0.1);
        assert!((speed(0.05) + 0.4).abs() < 1e-12); // 0.04 m in 0.1 s
        assert_eq!(speed(0.01), 0.0);
        assert!((speed(0.009) - 0.002).abs() < 1e-12); // a fifth of 0.001 m in 0.1 s
        assert_eq!(speed(-0.5), 0.01); // a thousandth of the size in 0.1 s
    }
}
