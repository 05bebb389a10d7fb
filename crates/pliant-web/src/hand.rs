//! A hand in the scene: it grabs, drags, throws and pins.

use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::world::{BodyHandle, WorldError};

use crate::command::Refusal;
use crate::live::Live;

/// Stiffness of a hand over the mass that it holds, 1/s²: it follows within a third of a second.
const GRIP: f64 = 400.0;

/// The same of a pin that holds a rigid body.
const PIN: f64 = 4e4;

impl Live {
    /// Takes hold of a body at the surface point nearest to a point, m.
    pub fn grab(&mut self, body: usize, point: Vec3) -> Result<(), Refusal> {
        self.release()?;
        let body = self.body(body)?;
        let stiffness = GRIP * self.scene.world.mass(body).map_err(Refusal::new)?;
        self.hand = Some(self.scene.world.grab_at(body, point, stiffness).map_err(Refusal::new)?);
        Ok(())
    }

    /// Pulls what is held to a point, m; without anything held nothing happens.
    pub fn drag(&mut self, point: Vec3) -> Result<(), Refusal> {
        match self.hand {
            Some(hand) => self.scene.world.drag(hand, point).map_err(Refusal::new),
            None => Ok(()),
        }
    }

    /// Lets go; what was held keeps its velocity.
    pub fn release(&mut self) -> Result<(), Refusal> {
        match self.hand.take() {
            Some(hand) => self.scene.world.release(hand).map_err(Refusal::new),
            None => Ok(()),
        }
    }

    /// Pins the vertex of a soft body nearest to a point, m; holds a rigid body by a stiff spring.
    pub fn pin(&mut self, body: usize, point: Vec3) -> Result<(), Refusal> {
        let body = self.body(body)?;
        let world = &mut self.scene.world;
        let positions = world.positions(body).map_err(Refusal::new)?;
        let near = |a: &(usize, &Vec3), b: &(usize, &Vec3)| {
            a.1.distance_squared(point).total_cmp(&b.1.distance_squared(point))
        };
        let nearest = positions.iter().enumerate().min_by(near).map_or(0, |(vertex, _)| vertex);
        let vertex = VertexId(nearest as u32);
        let own = world.pinned(body).map_err(Refusal::new)?;
        if own.binary_search(&vertex).is_ok() {
            return Ok(());
        }
        match world.pin(body, &[vertex]) {
            Ok(()) => self.pinned.push((body, vertex)),
            Err(WorldError::Kind { .. }) => {
                let stiffness = PIN * world.mass(body).map_err(Refusal::new)?;
                let held = world.grab_at(body, point, stiffness).map_err(Refusal::new)?;
                self.held.push(held);
            }
            Err(error) => return Err(Refusal::new(error)),
        }
        Ok(())
    }

    /// Takes away all pins that were set by hand; those of the scene stay.
    pub fn unpin(&mut self) -> Result<(), Refusal> {
        for (body, vertex) in std::mem::take(&mut self.pinned) {
            self.scene.world.unpin_vertices(body, &[vertex]).map_err(Refusal::new)?;
        }
        for held in std::mem::take(&mut self.held) {
            self.scene.world.release(held).map_err(Refusal::new)?;
        }
        Ok(())
    }

    fn body(&self, body: usize) -> Result<BodyHandle, Refusal> {
        let count = self.bodies.len();
        let missing = || Refusal::new(format!("body {body} does not exist: there are {count}"));
        self.bodies.get(body).copied().ok_or_else(missing)
    }
}
