//! Joints between rigid bodies: a direct solver for bilateral constraints.
//!
//! A joint is a block of constraint rows, relative velocities of its first body against its
//! second that must vanish; joints that share a body are coupled. The blocks are solved at once,
//! by a sparse block Cholesky factor, so a heavy weight at the end of a long chain costs no more
//! than a light one.
//!
//! A step is: forces change velocities; [`Joints::velocities_ahead`], or [`Joints::velocities`]
//! where velocities are to satisfy the joints exactly; free motion; and [`Joints::positions`],
//! which removes the drift that the rotation of the bodies has left. With half of the forces
//! before and half after, the step is of second order.
//!
//! | here          | lecture   | meaning                                                |
//! |---------------|-----------|--------------------------------------------------------|
//! | a, b          | a, b      | first and second body of a joint; b may be the world   |
//! | `JointRow`         |           | a speed of a against b, m/s or rad/s                   |
//! | `impulses`    | j         | on a, one number per row, N·s or N·m·s; b takes −j     |
//! | diagonal      | K_a00 + … | response of a joint's rows to its own impulses         |
//! | `Coupling`    | K_a01     | response of one joint to another on the same body      |
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

mod response;

pub(crate) mod articulation;

use std::borrow::Borrow;

use crate::body::rigid::{RigidState, RigidTemplate};
use crate::math::{Mat3, Quat, Vec3};
use crate::snapshot::{Snapshot, SnapshotError};
use crate::solve::joint::articulation::{Articulation, JointPlace};
use crate::solve::joint::axis::Hold;
use crate::solve::joint::rows::{Bond, JointRow};
use crate::solve::joint::system::System;

pub use crate::solve::joint::check::JointError;

/// A motor along or about a joint's axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Speed of the first body against the second, rad/s of a hinge, m/s of a slider.
    pub speed: f64,
    /// Greatest torque of a hinge, N·m, or force of a slider, N.
    ///
    /// Not negative, may be infinite.
    pub most: f64,
}

/// The free axis of a joint, with limits and a motor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axis {
    /// Direction, world space at rest, of any length.
    pub direction: Vec3,
    /// Least and greatest travel from rest, rad of a hinge, m of a slider.
    ///
    /// May be infinite.
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

/// Degrees of freedom that a joint leaves free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// All rotations about the anchor.
    Ball,
    /// Rotation about an axis through the anchor; right-handed about it.
    Hinge(Axis),
    /// Translation along an axis, without rotation.
    Slider(Axis),
    /// Nothing.
    Fixed,
}

/// A joint between two bodies, or one body and the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointDefinition {
    /// What it leaves free.
    pub kind: JointKind,
    /// The bodies, by their index in the list; `None` is the world.
    pub bodies: (usize, Option<usize>),
    /// Anchors on the first and the second body, world space at rest, m.
    ///
    /// Two anchors that differ are brought together by [`Joints::positions`]; along a slider's axis
    /// they may differ.
    pub anchors: [Vec3; 2],
}

impl JointDefinition {
    /// A joint with one anchor for both bodies, world space at rest, m.
    pub fn new(kind: JointKind, bodies: (usize, Option<usize>), anchor: Vec3) -> JointDefinition {
        JointDefinition { kind, bodies, anchors: [anchor, anchor] }
    }
}

/// Reaction of a joint on its first body; the second feels the opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// At the anchor of the first body, world axes, N.
    pub force: Vec3,
    /// World axes, N·m; without the moment of the force about the centre.
    pub torque: Vec3,
}

/// How well all joints are satisfied after a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointStats {
    /// Factorisations made.
    pub iterations: usize,
    /// Largest error of linear rows, m/s of velocities, m of positions.
    pub gap: f64,
    /// Largest error of angular rows, rad/s of velocities, rad of positions.
    pub twist: f64,
    /// Whether some rows contradict others: then the errors are least squares.
    ///
    /// The squares are weighted by the effective mass of each row alone.
    pub is_contradictory: bool,
    /// Whether limits and motors did not converge in the iterations allowed.
    pub is_undecided: bool,
}

/// All joints of a list of rigid bodies.
#[derive(Clone, Debug)]
pub struct Joints {
    list: Vec<JointDefinition>,
    /// The joints in the axes of their bodies.
    bonds: Vec<Bond>,
    /// Bodies that the joints were made for.
    bodies: usize,
    /// Of all joints, in the order of the system.
    rows: Vec<JointRow>,
    /// On the first body, one per row, N·s or N·m·s.
    impulses: Vec<f64>,
    /// State of each axis.
    holds: Vec<Hold>,
    /// Of each joint, rad or m; 0 for a ball and a fixed joint.
    travel: Vec<f64>,
    loads: Vec<Load>,
    /// Wanted speed of each row beside what its axis asks for, m/s or rad/s.
    ahead: Vec<f64>,
    /// Length of the step of the loads, s; 0 before the first.
    dt: f64,
    /// Geometric stiffness of all joints at each body, over a step, kg·m².
    pulls: Vec<Mat3>,
    system: System,
    /// Where bodies were before a trial, with the ways to go as velocities, m and rad.
    before: Vec<RigidState>,
    /// How well positions were satisfied last.
    met: JointStats,
    /// State when last noted.
    noted: Noted,
    /// Bodies that joints connect; none while they are lent.
    articulations: Vec<Articulation>,
    /// Where each joint is solved in the present step.
    places: Vec<JointPlace>,
    /// The same of each body; none for one without joints.
    body_places: Vec<Option<JointPlace>>,
}

/// State that joints carry from step to step.
#[derive(Clone, Debug, Default)]
struct Noted {
    /// rad or m.
    travel: Vec<f64>,
    loads: Vec<Load>,
    /// Where the world's side of each joint was.
    grounds: Vec<RigidState>,
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
    pub fn new<B: Borrow<RigidTemplate>>(
        list: Vec<JointDefinition>,
        bodies: &[B],
        states: &[RigidState],
    ) -> Result<Joints, JointError> {
        check::check(&list, bodies.len(), states)?;
        Ok(Joints::made(list, bodies.len(), states))
    }

    /// Joints of bodies that were elsewhere when each joint was made.
    ///
    /// `references` are the states of the two bodies of each joint then, in which its anchors and
    /// axis are given; of the world any. `travels` are those since then, rad or m.
    pub fn with_references<B: Borrow<RigidTemplate>>(
        list: Vec<JointDefinition>,
        bodies: &[B],
        states: &[RigidState],
        references: &[[RigidState; 2]],
        travels: &[f64],
    ) -> Result<Joints, JointError> {
        check::check(&list, bodies.len(), states)?;
        let counts = [references.len(), travels.len()];
        if counts != [list.len(); 2] {
            return Err(JointError::Counts { bodies: counts[0], states: counts[1] });
        }
        let bonds = list.iter().zip(references);
        let bonds = bonds.map(|(joint, [a, b])| Bond::between(joint, a, b)).collect();
        let mut joints = Joints::bonded(list, bonds, bodies.len());
        joints.travel.copy_from_slice(travels);
        joints.measure(states);
        Ok(joints)
    }

    /// Joints that were checked, for a number of bodies.
    fn made(list: Vec<JointDefinition>, bodies: usize, states: &[RigidState]) -> Joints {
        let bonds: Vec<Bond> = list.iter().map(|joint| Bond::new(joint, states)).collect();
        let mut joints = Joints::bonded(list, bonds, bodies);
        joints.measure(states);
        joints
    }

    /// The same in the axes of their bodies, not measured yet.
    fn bonded(list: Vec<JointDefinition>, bonds: Vec<Bond>, bodies: usize) -> Joints {
        let ends: Vec<_> = list.iter().map(|joint| joint.bodies).collect();
        let sizes: Vec<usize> = bonds.iter().map(|bond| bond.form.rows()).collect();
        let system = System::new(&ends, &sizes);
        let rows = system.row_count();
        let articulations = Articulation::all(&list, &bonds, bodies);
        Joints {
            bodies,
            rows: vec![JointRow::default(); rows],
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
            articulations,
            places: vec![JointPlace::Free; list.len()],
            body_places: Vec::new(),
            list,
            bonds,
            system,
        }
    }

    /// The joints, in the order in which they were given.
    pub fn list(&self) -> &[JointDefinition] {
        &self.list
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How well positions were satisfied when last corrected.
    pub fn met(&self) -> JointStats {
        self.met
    }

    /// Error of a joint where bodies were when last measured, m and rad.
    ///
    /// Zeros for a joint that does not exist.
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

    /// Reaction of each joint over the last step, as an average.
    ///
    /// Contradictory joints pull against each other.
    pub fn loads(&self) -> &[Load] {
        &self.loads
    }

    /// Travel of the first body along or about the axis since rest, m or rad.
    ///
    /// When last measured. Hinges count whole turns too. `None` for joints without an axis.
    pub fn travel(&self, joint: usize) -> Option<f64> {
        let axis = self.list.get(joint)?.kind.axis();
        axis.and_then(|_| self.travel.get(joint).copied())
    }

    /// Replaces the motor of a hinge or slider, or removes it.
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

    /// Takes over the travel of as many joints, whole turns included.
    pub(crate) fn take_travel(&mut self, other: &Joints) {
        if self.travel.len() == other.travel.len() {
            self.travel.copy_from_slice(&other.travel);
        }
    }

    /// Moves the world's side of a joint: where it is, m, and how fast it moves.
    ///
    /// Does nothing for a joint of two bodies, or that does not exist.
    pub fn set_ground(&mut self, joint: usize, ground: RigidState) {
        if let Some(bond) = self.bonds.get_mut(joint).filter(|bond| bond.b.is_none()) {
            bond.ground = ground;
        }
    }

    /// Lets the world's sides move on by `dt` seconds.
    pub(crate) fn advance_grounds(&mut self, dt: f64) {
        for Bond { ground, .. } in &mut self.bonds {
            if ground.velocity != Vec3::ZERO || ground.spin != Vec3::ZERO {
                ground.centre += dt * ground.velocity;
                ground.turn = Quat::from_scaled_axis(dt * ground.spin) * ground.turn;
            }
        }
    }

    /// Writes the state kept from step to step: turns of hinges, and loads.
    pub(crate) fn save(&self, memory: &mut Snapshot) {
        memory.write(self.travel.len() as f64);
        memory.write(self.dt);
        for (&travel, load) in self.travel.iter().zip(&self.loads) {
            memory.write(travel);
            let numbers = [load.force.to_array(), load.torque.to_array()];
            numbers.as_flattened().iter().for_each(|&number| memory.write(number));
        }
    }

    /// Reads what [`Joints::save`] wrote.
    pub(crate) fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
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

    /// Notes the state kept from step to step, for [`Joints::go_back`].
    pub(crate) fn note(&mut self) {
        let Joints { noted, travel, loads, bonds, dt, met, .. } = self;
        noted.travel.clone_from(travel);
        noted.loads.clone_from(loads);
        noted.grounds.clear();
        noted.grounds.extend(bonds.iter().map(|bond| bond.ground));
        (noted.dt, noted.met) = (*dt, *met);
    }

    /// Restores the state of [`Joints::note`], as after a step that failed.
    pub(crate) fn go_back(&mut self) {
        let Joints { noted, travel, loads, bonds, dt, met, .. } = self;
        if noted.travel.len() == travel.len() {
            travel.clone_from(&noted.travel);
            loads.clone_from(&noted.loads);
            bonds.iter_mut().zip(&noted.grounds).for_each(|(bond, old)| bond.ground = *old);
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

    /// Rejects lists of another length than the joints were made for.
    pub(crate) fn check_count(&self, bodies: usize, states: usize) -> Result<(), JointError> {
        let counts = [bodies, states];
        if counts == [self.bodies; 2] {
            Ok(())
        } else {
            Err(JointError::Counts { bodies: counts[0], states: counts[1] })
        }
    }
}

impl JointKind {
    /// The free axis, if there is one.
    fn axis(&self) -> Option<&Axis> {
        match self {
            JointKind::Hinge(axis) | JointKind::Slider(axis) => Some(axis),
            JointKind::Ball | JointKind::Fixed => None,
        }
    }
}

#[cfg(test)]
mod tests;
