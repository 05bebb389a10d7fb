//! Potentials of the signed distance to an obstacle, as penalty and barrier are.

use pliant::body::obstacle::Obstacle;
use pliant::contact::response::ResponseError;
use pliant::force::{Corners, Form, Tangent};
use pliant::id::VertexId;
use pliant::math::{Mat3, Vec3, outer_square};

/// Rejects vertices beyond the last.
pub fn check_vertices(vertices: &[VertexId], count: usize) -> Result<(), ResponseError> {
    match vertices.iter().find(|v| v.index() >= count) {
        Some(&vertex) => Err(ResponseError::NoSuchVertex { vertex, count }),
        None => Ok(()),
    }
}

/// What the motion of an obstacle adds at most to a potential energy in a step, J.
pub fn moved(energy: impl Fn(&Corners<1>) -> f64, before: &Corners<1>, after: &Corners<1>) -> f64 {
    let added = |at: &Corners<1>| {
        let then = energy(&Corners { time: before.time, ..*at });
        energy(&Corners { time: after.time, ..*at }) - then
    };
    added(before).max(added(after)).max(0.0)
}

/// A potential that depends on the signed distance alone, at one distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Potential {
    /// J.
    pub energy: f64,
    /// Derivative of the energy by the distance, N; negative where it pushes outwards.
    pub slope: f64,
    /// Second derivative, N/m.
    pub bend: f64,
}

impl Potential {
    /// Out of reach.
    pub const NONE: Potential = Potential { energy: 0.0, slope: 0.0, bend: 0.0 };

    /// Force on a point, N.
    pub fn force(self, obstacle: &Obstacle, point: Vec3, time: f64) -> Vec3 {
        // Tested first: most points are out of reach, and a gradient costs as much again.
        if self.slope == 0.0 { Vec3::ZERO } else { -self.slope * obstacle.at(time).gradient(point) }
    }

    /// Minus the derivative of the force by the point, N/m.
    ///
    /// The definite form leaves out the turning of the gradient: outside a convex shape,
    /// and inside it too, that part only weakens.
    pub fn tangent(self, obstacle: &Obstacle, point: Vec3, time: f64, tangent: Tangent) -> Mat3 {
        if self == Potential::NONE {
            return Mat3::ZERO;
        }
        let here = obstacle.at(time);
        let along = self.bend * outer_square(here.gradient(point));
        tangent.stiffness
            * match tangent.form {
                Form::Exact => along + self.slope * here.hessian(point),
                Form::Definite => along,
            }
    }
}
