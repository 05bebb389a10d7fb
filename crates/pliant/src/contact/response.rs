//! Contact responses: forces, impulses, shifts and constraint rows.
//!
//! A [`Response`] is called before and after every step and fills [`ContactOutput`]; only
//! `integrate` moves anything. Penalty and barrier of obstacles are forces of a potential that
//! depends on the signed distance alone; they go into the list of forces like any material.
//! Responses differ in what they guarantee: a penalty lets bodies sink in and pushes them out, a
//! barrier never lets them in but needs short steps, an impulse corrects velocities at once;
//! [`crate::solve::constraint`] solves contacts together with the materials: the engine's own.

use crate::body::Bodies;
use crate::body::pins::Pins;
use crate::body::rigid::RigidState;
use crate::body::rigid::all::RigidBodySet;
use crate::body::soft::{Masses, StateView};
use crate::contact::output::ContactOutput;
use crate::force::Forces;
use crate::id::{MismatchError, VertexId};
use crate::math::Vec3;
use crate::profile::ProfilerRef;
use crate::snapshot::{Snapshot, SnapshotError};

/// State of the scene at one time of a step, as a response sees it.
#[derive(Clone, Copy, Debug)]
pub struct StepContext<'a> {
    /// Topology of the bodies.
    pub bodies: &'a Bodies,
    /// Positions and velocities.
    pub motion: StateView<'a>,
    /// Of all vertices.
    pub masses: &'a Masses,
    /// Pinned vertices.
    pub pins: &'a Pins,
    /// Which bodies are rigid, and what is attached to them.
    pub rigids: &'a RigidBodySet,
    /// States of these rigid bodies, in the same order.
    pub rigid_states: &'a [RigidState],
    /// Length of the step, s.
    pub dt: f64,
    /// Receives the timing of the stages.
    pub profiler: &'a ProfilerRef,
}

/// A contact response.
///
/// The output comes with what other responses have written, and is added to. A step that fails
/// is repeated from where it began, with another length: state kept from step to step may only
/// change in [`Response::on_accept`].
pub trait Response: std::fmt::Debug + Send {
    /// Output before a step, with everything where it was: forces, or rows for the solver.
    ///
    /// The engine's own response, [`ConstraintResponse`](crate::solve::constraint::ConstraintResponse),
    /// finds contacts and makes its rows here.
    fn pre_step(&mut self, _context: StepContext<'_>, _output: &mut ContactOutput) {}

    /// Output after it: impulses, shifts, or a rejection; nothing else is read.
    fn post_step(&mut self, _context: StepContext<'_>, _output: &mut ContactOutput) {}

    /// The same with the forces at hand, for a response that needs the material forces.
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

    /// Called once the step is accepted; rows have their impulses.
    fn on_accept(&mut self, _before: &ContactOutput) {}

    /// Writes its state of the steps before, if any.
    fn save(&self, _snapshot: &mut Snapshot) {}

    /// Reads what [`Response::save`] wrote.
    fn restore(&mut self, _snapshot: &mut Snapshot) -> Result<(), SnapshotError> {
        Ok(())
    }

    /// Sets the number of threads; results are bitwise the same.
    fn set_threads(&mut self, _threads: usize) {}
}

/// Largest coordinate, m, and velocity, m/s, that contact is searched for.
///
/// As for meshes: products of four neither overflow nor lose their sign.
pub(crate) const LARGEST: f64 = 1e75;

/// Why a response cannot be set up, or not do its work.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ResponseError {
    /// A vertex that does not exist.
    #[error("vertex {vertex} is to respond, there are {count}")]
    NoSuchVertex {
        /// First such vertex.
        vertex: VertexId,
        /// Vertices of the scene.
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
    /// Arguments that do not belong together.
    #[error("{0}")]
    Mismatch(#[from] MismatchError),
    /// A vertex whose position or velocity is not finite, or too large for its products.
    #[error("vertex {vertex} has {what} {value}: it must be finite, at most {LARGEST:e}")]
    Extreme {
        /// First such vertex.
        vertex: VertexId,
        /// Which quantity.
        what: &'static str,
        /// Its value, m or m/s.
        value: Vec3,
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

/// Rejects the first invalid setting.
///
/// Each is its name, value, whether it is valid, and the rule.
pub fn refuse_unsound(
    response: &'static str,
    list: &[(&'static str, f64, bool, &'static str)],
) -> Result<(), ResponseError> {
    match list.iter().find(|(_, _, sound, _)| !sound) {
        None => Ok(()),
        Some(&(what, value, _, rule)) => {
            Err(ResponseError::Setting { response, what, value, rule })
        }
    }
}

/// Stiffness of a penalty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stiffness {
    /// The same for all vertices, N/m.
    Fixed(f64),
    /// As much as the step allows: `fraction` · mass / dt² for each vertex.
    ///
    /// Symplectic Euler is stable up to a fraction of 4 for a vertex that nothing else acts on; a
    /// vertex at rest on a floor sinks by weight over stiffness, g dt² / fraction.
    OfStep {
        /// Dimensionless.
        fraction: f64,
        /// Time step, s.
        dt: f64,
    },
}
