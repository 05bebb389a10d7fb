//! Geometric stiffness that keeps bodies under strong tension from oscillating.
//!
//! A body between two joints under tension swings about them like a string. Where the swing is
//! too fast for the step, impulses along the directions of its start overshoot, more at each
//! step. There the torque is taken at the end of the step instead: with joints that pull with a
//! force f at an arm r, turning by θ changes it by −G θ, so that over a step the body resists as
//! if it had the inertia I + dt² G. As much of it is added as makes the swing one that the step
//! can follow; slower ones get nothing, and keep their energy.

use crate::body::rigid::{RigidState, RigidTemplate};
use crate::math::eigen::eigen;
use crate::math::{Mat3, Vec3};

/// dt² G over I that a step can follow; above 4 the step is unstable.
pub(super) const FOLLOWED: f64 = 1.0;

/// Change of the torque of a force at an arm, m, by turning the arm.
///
/// N·m of a force in N, kg·m² of one times the square of a time.
///
/// - Implements: [Tournier15 abstract], geometric stiffness of a force at a point of a body.
/// - Deviates: the symmetric part.
pub(super) fn pull(arm: Vec3, force: Vec3) -> Mat3 {
    let outer = Mat3::from_cols(arm * force.x, arm * force.y, arm * force.z);
    Mat3::from_diagonal(Vec3::splat(arm.dot(force))) - 0.5 * (outer + outer.transpose())
}

/// Inverse inertia of a body under tension over a step, 1/(kg·m²), world axes.
///
/// `pulls` is the sum of [`pull`] over its joints, with forces times dt², kg·m². `None` where
/// the step can follow.
///
/// - Deviates: [Andrews17 abstract] adds to the inertia where a step cannot follow, on the
///   diagonal; here the whole matrix counts, and only what exceeds the bound is added.
pub(super) fn stiffened(body: &RigidTemplate, state: &RigidState, pulls: Mat3) -> Option<Mat3> {
    let axes = Mat3::from_quat(state.turn);
    // On the axes of the body, and scaled so that the inertia is one.
    let scale = Mat3::from_diagonal(Vec3::ONE / Vec3::from(body.moments.to_array().map(f64::sqrt)));
    let from = axes * scale;
    let swing = eigen(from.transpose() * pulls * from);
    if swing.values.x <= FOLLOWED || !swing.values.is_finite() {
        return None;
    }
    let resisted = swing.values.max(Vec3::splat(FOLLOWED)) - Vec3::splat(FOLLOWED - 1.0);
    let vectors = from * swing.vectors;
    let inverse = vectors * Mat3::from_diagonal(resisted.recip()) * vectors.transpose();
    Some(0.5 * (inverse + inverse.transpose()))
}
