//! What those who look deeper put into a world: forces, joints, responses, integrators.

use std::error::Error;
use std::fmt::Debug;
use std::ops::Range;

use crate::body::rigid::RigidState;
use crate::body::soft::State;
use crate::id::BodyId;
use crate::integrate::System;
use crate::math::Vec3;
use crate::step::Stepper;
use crate::world::{BodyHandle, World, WorldError};

/// Makes the stepper of a world, and adds to its forces.
///
/// It is asked anew whenever something was added or removed, and must give the same for the same
/// bodies: then a world goes on as if it had always been so. Responses and integrators come from
/// here; what a response must do is said at [`Response`](crate::contact::response::Response).
///
/// ```
/// use std::error::Error;
///
/// use pliant::integrate::verlet::{VelocityKind, Verlet};
/// use pliant::prelude::*;
/// use pliant::step::Stepper;
/// use pliant::world::{Assembly, WorldParts};
///
/// /// Velocity Verlet without contact.
/// #[derive(Debug)]
/// struct Free;
///
/// impl Assembly for Free {
///     fn assemble(&self, _: WorldParts<'_>) -> Result<Stepper, Box<dyn Error + Send + Sync>> {
///         Ok(Stepper::new(Box::new(Verlet::new(VelocityKind::Central))))
///     }
/// }
///
/// let mut world = World::new();
/// world.set_assembly(Free);
/// world.set_time_step(1e-3)?;
/// let ball = world.add(SoftBody::ball(0.1, 2).young(1e4))?;
/// for _ in 0..1000 {
///     world.step()?;
/// }
/// assert!((world.centre(ball)?.z + 0.5 * 9.81).abs() < 1e-2);
/// # Ok::<(), WorldError>(())
/// ```
pub trait Assembly: Debug + Send {
    /// Adds forces, joints and attachments to the system, and makes its stepper.
    fn assemble(&self, parts: WorldParts<'_>) -> Result<Stepper, Box<dyn Error + Send + Sync>>;
}

/// A world that is being assembled.
#[derive(Debug)]
pub struct WorldParts<'a> {
    /// Vertices of all bodies at rest, each body in its own space, m.
    pub rest: &'a [Vec3],
    /// Where everything is now.
    pub state: &'a mut State,
    /// Bodies, masses, pins, gravity and materials.
    pub system: &'a mut System,
    /// Where rigid bodies were when they were added.
    pub rigid_starts: &'a [RigidState],
    /// Handle of each body, in order.
    pub handles: &'a [BodyHandle],
    /// Length of a part of a step, s.
    pub dt: f64,
    pub(super) world: &'a World,
}

impl WorldParts<'_> {
    /// The stepper that a world has without an assembly: implicit Euler with solved contacts.
    pub fn usual_stepper(&self) -> Result<Stepper, WorldError> {
        self.world.stepper(self.rest, &self.system.bodies)
    }

    /// Vertices of a body in the arrays; none where it was removed.
    pub fn vertices(&self, body: BodyHandle) -> Option<Range<usize>> {
        let place = self.world.bodies.place(body.0)?;
        Some(self.system.bodies.vertices(BodyId(place as u32)))
    }
}
