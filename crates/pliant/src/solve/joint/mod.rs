//! Joints between rigid bodies, all of them obeyed together by impulses.
//!
//! A joint is a block of rows, speeds of its first body against its second that must vanish;
//! joints that share a body are coupled. The blocks are solved at once, so a heavy weight at
//! the end of a long chain costs no more than a light one.
//!
//! A step is: forces change velocities; [`Joints::velocities_ahead`], or
//! [`Joints::velocities`] where they are to obey exactly; a free flight; and
//! [`Joints::positions`], which takes out what the turning of the bodies has left. With half of
//! the forces before and half after, the step is of second order.
//!
//! | here          | lecture   | meaning                                                |
//! |---------------|-----------|--------------------------------------------------------|
//! | a, b          | a, b      | first and second body of a joint; b may be the world   |
//! | `Row`         |           | a speed of a against b, m/s or rad/s                   |
//! | `impulses`    | j         | on a, one number per row, N·s or N·m·s; b takes −j     |
//! | diagonal      | K_a00 + … | answer of a joint's rows to its own impulses           |
//! | `Coupling`    | K_a01     | answer of one joint to another on the same body        |
//! | `travel`      |           | of a along or about the axis, from rest, m or rad      |

mod check;

mod rows;

mod pattern;

mod factor;

mod system;

mod axis;

mod pull;

mod velocities;

mod positions;

use std::borrow::Borrow;

use crate::body::rigid::{RigidBody, RigidState};
use crate::math::{Mat3, Vec3};
use crate::snapshot::{Snapshot, SnapshotError};
use crate::solve::joint::axis::Hold;
use crate::solve::joint::rows::{Bond, Row};
use crate::solve::joint::system::System;

pub use crate::solve::joint::check::JointError;

/// What drives a joint along or about its axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Of the first body against the second, rad/s of a hinge, m/s of a slider.
    pub speed: f64,
    /// Greatest torque of a hinge, N·m, or force of a slider, N; not negative, may be infinite.
    pub most: f64,
}

/// What may move freely at a joint's axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// World space at rest, of any length; the unit is that of a direction.
    pub direction: Vec3,
    /// Least and greatest travel from rest, rad of a hinge, m of a slider; may be infinite.
    pub limits: Option<[f64; 2]>,
    /// Drives the travel.
    pub motor: Option<Motor>,
}

impl Axis {
    /// An axis without limits and motor.
    pub fn free(direction: Vec3) -> Axis {
        Axis { direction, limits: None, motor: None }
    }
}

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// All turning about the anchor.
    Ball,
    /// Turning about an axis through the anchor; counts right-handed about it.
    Hinge(Axis),
    /// Going along an axis, without turning.
    Slider(Axis),
    /// Nothing.
    Fixed,
}

/// What holds two bodies together, or one to the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// What it leaves free.
    pub kind: JointKind,
    /// Who is joined, counted from 0 in the list of bodies; `None` is the world.
    pub bodies: (usize, Option<usize>),
    /// Where it holds the first and the second, world space at rest, m.
    ///
    /// Two places that differ are brought together by [`Joints::positions`]; along a slider's
    /// axis they may differ.
    pub anchors: [Vec3; 2],
}

impl Joint {
    /// A joint that holds both at the same place of the world at rest, m.
    pub fn new(kind: JointKind, bodies: (usize, Option<usize>), anchor: Vec3) -> Joint {
        Joint { kind, bodies, anchors: [anchor, anchor] }
    }
}

/// What a joint bears: what its first body feels. The second feels the opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// At the anchor of the first body, world axes, N.
    pub force: Vec3,
    /// World axes, N·m; beside the one that the force makes about the centre.
    pub torque: Vec3,
}

/// How well all joints are met after a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointStats {
    /// Factorisations made, count.
    pub rounds: usize,
    /// Largest miss of rows that go, m/s of velocities, m of positions.
    pub gap: f64,
    /// Largest miss of rows that turn, rad/s of velocities, rad of positions.
    pub twist: f64,
    /// Whether some rows contradict others: then the misses are least squares.
    ///
    /// The squares are weighted by the mass that each row alone sets in motion.
    pub is_contradictory: bool,
    /// Whether limits and motors did not come to agree in the rounds that are granted.
    pub is_undecided: bool,
}

/// All joints of a list of rigid bodies.
#[derive(Clone, Debug)]
pub struct Joints {
    list: Vec<Joint>,
    /// The joints in the axes of their bodies.
    bonds: Vec<Bond>,
    /// Bodies that the joints were made for, count.
    bodies: usize,
    /// Of all joints, at their places in the system.
    rows: Vec<Row>,
    /// On the first body, one per row, N·s or N·m·s.
    impulses: Vec<f64>,
    /// What each axis does.
    holds: Vec<Hold>,
    /// Of each joint, rad or m; 0 for a ball and a fixed joint.
    travel: Vec<f64>,
    loads: Vec<Load>,
    /// Wanted of each row beside what its axis asks for, m/s or rad/s.
    ahead: Vec<f64>,
    /// Length of the step of the loads, s; 0 before the first.
    dt: f64,
    /// Of all joints at each body, over a step, kg·m².
    pulls: Vec<Mat3>,
    system: System,
    /// Where bodies were before a trial, with the ways they are to go as velocities, m and rad.
    before: Vec<RigidState>,
    /// How well positions were met last.
    met: JointStats,
    /// What was remembered when last noted.
    noted: Noted,
}

/// What joints remember from step to step.
#[derive(Clone, Debug, Default)]
struct Noted {
    /// rad or m.
    travel: Vec<f64>,
    loads: Vec<Load>,
    /// s.
    dt: f64,
    met: JointStats,
}

impl Default for Joints {
    fn default() -> Joints {
        Joints::made(Vec::new(), 0, &[])
    }
}

impl Joints {
    /// Joints of bodies that are at rest where `states` say.
    pub fn new<B: Borrow<RigidBody>>(
        list: Vec<Joint>,
        bodies: &[B],
        states: &[RigidState],
    ) -> Result<Joints, JointError> {
        check::check(&list, bodies.len(), states)?;
        Ok(Joints::made(list, bodies.len(), states))
    }

    /// Joints that were checked, of a count of bodies.
    fn made(list: Vec<Joint>, bodies: usize, states: &[RigidState]) -> Joints {
        let bonds: Vec<Bond> = list.iter().map(|joint| Bond::new(joint, states)).collect();
        let ends: Vec<_> = list.iter().map(|joint| joint.bodies).collect();
        let sizes: Vec<usize> = bonds.iter().map(|bond| bond.form.rows()).collect();
        let system = System::new(&ends, &sizes);
        let rows = system.row_count();
        let mut joints = Joints {
            bodies,
            rows: vec![Row::default(); rows],
            impulses: vec![0.0; rows],
            holds: vec![Hold::Free; list.len()],
            travel: vec![0.0; list.len()],
            loads: vec![Load::default(); list.len()],
            ahead: vec![0.0; rows],
            dt: 0.0,
            pulls: Vec::with_capacity(bodies),
            before: Vec::with_capacity(bodies),
            met: JointStats::default(),
            noted: Noted::default(),
            list,
            bonds,
            system,
        };
        joints.measure(states);
        joints
    }

    /// The joints, in the order in which they were given.
    pub fn list(&self) -> &[Joint] {
        &self.list
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How well positions were met when last put right.
    pub fn met(&self) -> JointStats {
        self.met
    }

    /// By how far a joint is not met where bodies were when last measured, m and rad.
    ///
    /// Zeros for a joint that is not there.
    pub fn missed(&self, joint: usize) -> [f64; 2] {
        let mut missed = [0.0_f64; 2];
        if joint < self.list.len() {
            for k in self.system.rows_of(joint) {
                let most = &mut missed[usize::from(self.rows[k].turns())];
                *most = most.max(self.error(joint, k).abs());
            }
        }
        missed
    }

    /// What each joint bore over the last step, as an average; contradictory joints tear.
    pub fn loads(&self) -> &[Load] {
        &self.loads
    }

    /// Of the first body along or about the axis since rest, when last measured, m or rad.
    ///
    /// Hinges count whole turns too. `None` for joints without an axis.
    pub fn travel(&self, joint: usize) -> Option<f64> {
        let axis = self.list.get(joint)?.kind.axis();
        axis.and_then(|_| self.travel.get(joint).copied())
    }

    /// Gives a hinge or slider another motor, or none.
    pub fn set_motor(&mut self, joint: usize, motor: Option<Motor>) -> Result<(), JointError> {
        let count = self.list.len();
        let found = self.list.get_mut(joint).ok_or(JointError::NoSuchJoint { joint, count })?;
        match &mut found.kind {
            JointKind::Hinge(axis) | JointKind::Slider(axis) => {
                check::check_motor(joint, motor)?;
                axis.motor = motor;
                Ok(())
            }
            JointKind::Ball | JointKind::Fixed => Err(JointError::NoAxis { joint }),
        }
    }

    /// Writes what is remembered from step to step: how far hinges have turned, and loads.
    pub fn save(&self, memory: &mut Snapshot) {
        memory.write(self.travel.len() as f64);
        memory.write(self.dt);
        for (&travel, load) in self.travel.iter().zip(&self.loads) {
            memory.write(travel);
            let numbers = [load.force.to_array(), load.torque.to_array()];
            numbers.as_flattened().iter().for_each(|&number| memory.write(number));
        }
    }

    /// Reads what [`Joints::save`] wrote.
    pub fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        const PART: &str = "joints";
        if memory.read(PART)? != self.travel.len() as f64 {
            return Err(SnapshotError { part: PART });
        }
        self.dt = memory.read(PART)?;
        for (travel, load) in self.travel.iter_mut().zip(&mut self.loads) {
            *travel = memory.read(PART)?;
            let mut vector = || -> Result<Vec3, SnapshotError> {
                Ok(Vec3::new(memory.read(PART)?, memory.read(PART)?, memory.read(PART)?))
            };
            *load = Load { force: vector()?, torque: vector()? };
        }
        Ok(())
    }

    /// Keeps what is remembered from step to step, for [`Joints::go_back`].
    pub(crate) fn note(&mut self) {
        let Joints { noted, travel, loads, dt, met, .. } = self;
        noted.travel.clone_from(travel);
        noted.loads.clone_from(loads);
        (noted.dt, noted.met) = (*dt, *met);
    }

    /// Forgets all since [`Joints::note`], as after a step that failed.
    pub(crate) fn go_back(&mut self) {
        let Joints { noted, travel, loads, dt, met, .. } = self;
        if noted.travel.len() == travel.len() {
            travel.clone_from(&noted.travel);
            loads.clone_from(&noted.loads);
            (*dt, *met) = (noted.dt, noted.met);
        }
    }

    /// Writes rows and travel for where the bodies are.
    fn measure(&mut self, states: &[RigidState]) {
        for (joint, bond) in self.bonds.iter().enumerate() {
            let rows = self.system.rows_of(joint);
            self.travel[joint] = bond.measure(states, self.travel[joint], &mut self.rows[rows]);
        }
    }

    /// Refuses lists of another length than the joints were made for.
    fn check_count(&self, bodies: usize, states: usize) -> Result<(), JointError> {
        let counts = [bodies, states];
        if counts == [self.bodies; 2] {
            Ok(())
        } else {
            Err(JointError::Counts { bodies: counts[0], states: counts[1] })
        }
    }
}

impl JointKind {
    /// What may move freely, if it is one direction.
    fn axis(&self) -> Option<&Axis> {
        match self {
            JointKind::Hinge(axis) | JointKind::Slider(axis) => Some(axis),
            JointKind::Ball | JointKind::Fixed => None,
        }
    }
}

#[cfg(test)]
mod tests;
