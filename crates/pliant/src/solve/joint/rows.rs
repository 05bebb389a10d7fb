//! Joints in the axes of their bodies, and the constraint rows they make.
//!
//! | here     | meaning                                                              |
//! |----------|----------------------------------------------------------------------|
//! | `along`  | l: unit direction of a linear row, zero of an angular one            |
//! | `turn_a` | r_a × l, m, or the unit axis of an angular row                       |
//! | `error`  | whose rate is the row's speed, m or rad; zero where satisfied        |
//!
//! The speed of a row is l·v_a + turn_a·ω_a − l·v_b − turn_b·ω_b.

use std::f64::consts::TAU;

use crate::body::rigid::RigidState;
use crate::math::{Mat3, Quat, Vec3};
use crate::solve::joint::check::direction;
use crate::solve::joint::{JointDefinition, JointKind};

/// Index of the row at the axis of a hinge or slider.
pub(super) const AXIS_ROW: usize = 5;

/// Twice the sine of half a half turn: distance of two opposite axes.
const OPPOSITE: f64 = 2.0;

/// Kind of the rows of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Ball,
    Hinge,
    Slider,
    Fixed,
}

impl Form {
    /// Rows of this kind, the one at its axis included.
    pub(crate) fn rows(self) -> usize {
        if self == Form::Ball { 3 } else { 6 }
    }

    /// Whether one of its rows is at an axis.
    pub(crate) fn has_axis(self) -> bool {
        matches!(self, Form::Hinge | Form::Slider)
    }
}

/// A joint in the axes of its bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bond {
    pub form: Form,
    pub a: usize,
    /// `None` is the world.
    pub b: Option<usize>,
    /// Anchor of the first from its centre, body axes, m.
    anchor_a: Vec3,
    /// The same of the second; of the world from its origin, m.
    anchor_b: Vec3,
    /// The axis of the first, body axes; unit.
    axis_a: Vec3,
    /// The axis and two directions across it in the second's axes, as columns; unit.
    frame_b: Mat3,
    /// Rotation from the axes of the first to those of the second, at rest.
    b_from_a: Quat,
    /// Where the world's side is and how it moves, where there is no second body.
    pub ground: RigidState,
}

/// One constraint row: a speed of the first body against the second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct JointRow {
    /// World space; unit, or zero of an angular row.
    pub along: Vec3,
    /// World space, m, or a unit axis.
    pub turn_a: Vec3,
    /// The same of the second.
    pub turn_b: Vec3,
    /// Constraint error, m or rad; travel at an axis.
    pub error: f64,
}

impl JointRow {
    fn go(along: Vec3, arms: [Vec3; 2], error: f64) -> JointRow {
        JointRow { along, turn_a: arms[0].cross(along), turn_b: arms[1].cross(along), error }
    }

    fn turn(axis: Vec3, error: f64) -> JointRow {
        JointRow { along: Vec3::ZERO, turn_a: axis, turn_b: axis, error }
    }

    /// Speed of the first body and of the second in this row, m/s or rad/s.
    pub(crate) fn speeds(&self, a: &RigidState, b: Option<&RigidState>) -> [f64; 2] {
        let of_b = b.map_or(0.0, |b| self.along.dot(b.velocity) + self.turn_b.dot(b.spin));
        [self.along.dot(a.velocity) + self.turn_a.dot(a.spin), of_b]
    }

    /// Whether the row is angular; otherwise it is linear.
    pub(crate) fn turns(&self) -> bool {
        self.along == Vec3::ZERO
    }
}

impl Bond {
    /// The joint with the bodies where they are now; indices and axes were checked.
    pub(crate) fn new(joint: &JointDefinition, states: &[RigidState]) -> Bond {
        let b = joint.bodies.1.map_or(WORLD, |b| states[b]);
        Bond::between(joint, &states[joint.bodies.0], &b)
    }

    /// The joint with its two bodies where they are now; of the world where its side is.
    pub(crate) fn between(joint: &JointDefinition, a: &RigidState, b: &RigidState) -> Bond {
        let given = joint.kind.axis().map_or(Vec3::X, |axis| axis.direction);
        let axis = direction(given).unwrap_or(Vec3::X);
        let (across, other) = axis.any_orthonormal_pair();
        let b_from_world = b.turn.conjugate();
        Bond {
            form: match joint.kind {
                JointKind::Ball => Form::Ball,
                JointKind::Hinge(_) => Form::Hinge,
                JointKind::Slider(_) => Form::Slider,
                JointKind::Fixed => Form::Fixed,
            },
            a: joint.bodies.0,
            b: joint.bodies.1,
            anchor_a: a.body_point(joint.anchors[0]),
            anchor_b: b.body_point(joint.anchors[1]),
            axis_a: a.turn.conjugate() * axis,
            frame_b: Mat3::from_quat(b_from_world) * Mat3::from_cols(axis, across, other),
            b_from_a: b_from_world * a.turn,
            ground: *b,
        }
    }

    /// Whether the world's side moves.
    pub fn is_driven(&self) -> bool {
        let RigidState { velocity, spin, .. } = self.ground;
        self.b.is_none() && (velocity != Vec3::ZERO || spin != Vec3::ZERO)
    }

    /// The same joint between bodies of other numbers.
    pub fn between_bodies(self, a: usize, b: Option<usize>) -> Bond {
        Bond { a, b, ..self }
    }

    /// State of the second body; where the world's side is without one.
    pub fn second(&self, states: &[RigidState]) -> RigidState {
        self.b.map_or(self.ground, |b| states[b])
    }

    /// From the centres of both bodies to the first one's anchor, world axes, m.
    pub(crate) fn arms(&self, states: &[RigidState]) -> [Vec3; 2] {
        let at = states[self.a].point(self.anchor_a);
        [at - states[self.a].centre, at - self.second(states).centre]
    }

    /// Second derivative of a row's error in free motion, m/s² or rad/s².
    ///
    /// Arms and axes turn along arcs, where speeds lead along tangents. Of the angular rows, only
    /// those of a hinge have such a part: otherwise both bodies turn alike.
    pub(crate) fn bend(&self, states: &[RigidState], number: usize, row: &JointRow) -> f64 {
        let (a, b) = (&states[self.a], self.second(states));
        let arc = |spin: Vec3, arm: Vec3| spin.cross(spin.cross(arm));
        let arms = self.arms(states);
        match self.form {
            Form::Hinge if row.turns() => {
                let axis = b.turn * self.frame_b.x_axis;
                let apart = arc(a.spin, axis) - arc(b.spin, axis);
                if number == AXIS_ROW { 0.0 } else { row.turn_a.dot(axis.cross(apart)) }
            }
            Form::Slider | Form::Fixed if row.turns() => 0.0,
            Form::Slider => {
                // The direction turns with the second body, and the first moves along it.
                let speed = a.velocity_at(a.centre + arms[0]) - b.velocity_at(a.centre + arms[0]);
                let along = 2.0 * b.spin.cross(row.along).dot(speed);
                if number == AXIS_ROW {
                    0.0
                } else {
                    along + row.along.dot(arc(a.spin, arms[0]) - arc(b.spin, arms[1]))
                }
            }
            Form::Ball | Form::Hinge | Form::Fixed => {
                row.along.dot(arc(a.spin, arms[0]) - arc(b.spin, arms[1]))
            }
        }
    }

    /// Writes the rows for where the bodies are; returns the travel, m or rad.
    ///
    /// Both arms lead to the first body's anchor, so that an impulse and its opposite act at one
    /// point and angular momentum is kept, whatever the distance of the anchors. `last` is the
    /// travel before, from which whole turns are counted.
    pub(crate) fn measure(&self, states: &[RigidState], last: f64, rows: &mut [JointRow]) -> f64 {
        let (a, b) = (&states[self.a], self.second(states));
        let at = a.point(self.anchor_a);
        let arms = [at - a.centre, at - b.centre];
        let apart = at - b.point(self.anchor_b);
        let frame = Mat3::from_quat(b.turn) * self.frame_b;
        let cross = [frame.y_axis, frame.z_axis];
        let go = |along: Vec3| JointRow::go(along, arms, apart.dot(along));
        // Rotation of the first against the second since rest, world axes.
        let turned = a.turn * (b.turn * self.b_from_a).conjugate();
        match self.form {
            Form::Ball | Form::Hinge | Form::Fixed => write(rows, 0, BASIS.map(go)),
            Form::Slider => write(rows, 0, cross.map(go)),
        }
        match self.form {
            Form::Ball => 0.0,
            Form::Hinge => {
                let off = tilt(frame.x_axis, a.turn * self.axis_a, cross[0]);
                write(rows, 3, cross.map(|axis| JointRow::turn(axis, off.dot(axis))));
                let travel = unwound(angle_about(turned, frame.x_axis), last);
                rows[AXIS_ROW] = JointRow::turn(frame.x_axis, travel);
                travel
            }
            Form::Slider => {
                let off = small_turn(turned);
                write(rows, 2, BASIS.map(|axis| JointRow::turn(axis, off.dot(axis))));
                rows[AXIS_ROW] = go(frame.x_axis);
                rows[AXIS_ROW].error
            }
            Form::Fixed => {
                let off = small_turn(turned);
                write(rows, 3, BASIS.map(|axis| JointRow::turn(axis, off.dot(axis))));
                0.0
            }
        }
    }
}

/// Axes of the world.
const BASIS: [Vec3; 3] = [Vec3::X, Vec3::Y, Vec3::Z];

/// The world at rest at the origin.
pub(super) const WORLD: RigidState =
    RigidState { centre: Vec3::ZERO, turn: Quat::IDENTITY, velocity: Vec3::ZERO, spin: Vec3::ZERO };

fn write<const N: usize>(rows: &mut [JointRow], from: usize, made: [JointRow; N]) {
    rows[from..from + N].copy_from_slice(&made);
}

/// Rotation axis with twice the sine of half the angle as length, rad where small.
///
/// Grows up to a half turn, as the plain sine does not.
fn small_turn(turn: Quat) -> Vec3 {
    let axis = Vec3::new(turn.x, turn.y, turn.z);
    if turn.w < 0.0 { -2.0 * axis } else { 2.0 * axis }
}

/// The same for the shortest turn from one unit axis to another.
///
/// Opposite axes turn about `across`.
fn tilt(from: Vec3, to: Vec3, across: Vec3) -> Vec3 {
    let (sine, one_more) = (from.cross(to), 1.0 + from.dot(to));
    // The half angle has the sine `sine` and the cosine `one_more` over this length.
    let length = (sine.length_squared() + one_more * one_more).sqrt();
    if length > 0.0 { sine * (2.0 / length) } else { across * OPPOSITE }
}

/// Angle of the part of a rotation about a unit axis, rad, up to whole turns.
fn angle_about(turn: Quat, axis: Vec3) -> f64 {
    2.0 * libm::atan2(Vec3::new(turn.x, turn.y, turn.z).dot(axis), turn.w)
}

/// The angle that differs from `last` by at most a half turn, rad.
fn unwound(angle: f64, last: f64) -> f64 {
    angle + TAU * ((last - angle) / TAU).round()
}
