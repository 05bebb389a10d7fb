//! What contact does: forces, impulses, shifts and rows.
//!
//! A [`Response`] is asked before and after every step and hands back [`ContactOutput`]; only
//! `integrate` moves anything. Penalty and barrier of obstacles are forces of a potential that
//! depends on the signed distance alone; they go into the list of forces like any material.
//! Responses differ in what they promise: a penalty lets things sink in and pushes them out,
//! a barrier never lets them in but needs short steps, an impulse puts them right at once;
//! [`constraint`] solves contacts together with the materials and is the engine's own.

use crate::body::Bodies;
use crate::body::pins::Pins;
use crate::body::rigid::all::RigidBodySet;
use crate::body::soft::{Masses, StateView};
use crate::contact::output::ContactOutput;
use crate::force::Forces;
use crate::id::VertexId;
use crate::profile::ProfilerRef;
use crate::snapshot::{Snapshot, SnapshotError};

/// Everything at one moment of a step, as a response sees it.
#[derive(Clone, Copy, Debug)]
pub struct StepContext<'a> {
    /// Who is joined to whom.
    pub bodies: &'a Bodies,
    /// Where everything is and how it moves.
    pub motion: StateView<'a>,
    /// Of all vertices.
    pub masses: &'a Masses,
    /// Held vertices.
    pub pins: &'a Pins,
    /// Which bodies are rigid, and what these hold.
    pub rigids: &'a RigidBodySet,
    /// Length of the step, s.
    pub dt: f64,
    /// Who is told of the stages.
    pub profiler: &'a ProfilerRef,
}

/// A way to deal with contact.
///
/// ContactOutput come as others have left them and are added to. A step that fails is made again
/// from where it began, with another length: what is remembered from step to step may only
/// change in [`Response::on_accept`].
pub trait Response: std::fmt::Debug + Send {
    /// What is asked for before a step, with everything where it was.
    fn pre_step(&mut self, _context: StepContext<'_>, _demands: &mut ContactOutput) {}

    /// What is asked for after it: impulses, shifts, or to make it again; nothing else counts.
    fn post_step(&mut self, _context: StepContext<'_>, _demands: &mut ContactOutput) {}

    /// The same with the forces at hand, for who weighs what materials bear.
    ///
    /// Integrators call this one; by default it is [`Response::post_step`].
    fn post_step_with_forces(
        &mut self,
        context: StepContext<'_>,
        _forces: &Forces,
        output: &mut ContactOutput,
    ) {
        self.post_step(context, output);
    }

    /// Learns that the step is made; rows have their impulses.
    fn on_accept(&mut self, _before: &ContactOutput) {}

    /// Writes what it remembers of the steps before, if anything.
    fn save(&self, _memory: &mut Snapshot) {}

    /// Reads what [`Response::save`] wrote.
    fn restore(&mut self, _memory: &mut Snapshot) -> Result<(), SnapshotError> {
        Ok(())
    }

    /// Works with this many threads from now on; the bits stay the same.
    fn set_threads(&mut self, _threads: usize) {}
}

/// Why a response cannot be set up.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum RespondError {
    /// A vertex that is not there.
    #[error("vertex {vertex} is to respond, there are {count}")]
    NoSuchVertex {
        /// First such vertex.
        vertex: VertexId,
        /// Vertices of the scene, count.
        count: usize,
    },
    /// A setting outside its range.
    #[error("the {what} of a {response} is {value}: it must be {rule}")]
    Setting {
        /// Kind of response.
        response: &'static str,
        /// Which setting.
        what: &'static str,
        /// Its value, in the setting's unit.
        value: f64,
        /// What it must be.
        rule: &'static str,
    },
    /// A vertex on the wrong side of a barrier.
    #[error("vertex {vertex} starts at distance {distance} m: a barrier wants all outside")]
    Behind {
        /// First such vertex.
        vertex: VertexId,
        /// Its signed distance, m.
        distance: f64,
    },
}

/// Refuses the first setting that is not sound: its name, value, whether it is, and the rule.
pub fn refuse_unsound(
    response: &'static str,
    list: &[(&'static str, f64, bool, &'static str)],
) -> Result<(), RespondError> {
    match list.iter().find(|(_, _, sound, _)| !sound) {
        None => Ok(()),
        Some(&(what, value, _, rule)) => Err(RespondError::Setting { response, what, value, rule }),
    }
}

/// How stiff a penalty is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stiffness {
    /// The same for all vertices, N/m.
    Fixed(f64),
    /// As much as the step bears: `fraction` · mass / dt² for each vertex.
    ///
    /// Symplectic Euler bears a fraction of 4 for a vertex that nothing else holds; a vertex
    /// at rest on a floor sinks by weight over stiffness, g dt² / fraction.
    OfStep {
        /// Unit 1.
        fraction: f64,
        /// Time step, s.
        dt: f64,
    },
}
