//! A response of one's own: a floor of mud that pushes back in proportion to the depth.

use std::error::Error;

use pliant::contact::output::ContactOutput;
use pliant::contact::response::{Response, StepContext};
use pliant::prelude::*;
use pliant::step::Stepper;
use pliant::world::{Assembly, WorldParts};

/// Mud below z = 0: a spring and a damper under every vertex.
#[derive(Clone, Copy, Debug)]
pub struct Mud {
    /// 1/s²: force per depth and mass.
    pub stiffness: f64,
    /// 1/s: force per velocity and mass.
    pub damping: f64,
}

impl Response for Mud {
    /// Forces for the step that is about to be made.
    fn pre_step(&mut self, context: StepContext<'_>, output: &mut ContactOutput) {
        let StepContext { motion, masses, dt, .. } = context;
        let vertices = motion.positions.iter().zip(motion.velocities).zip(masses.of());
        for (vertex, ((position, velocity), mass)) in vertices.enumerate() {
            if position.z < 0.0 {
                let push = -self.stiffness * position.z * Vec3::Z - self.damping * *velocity;
                let (vertex, force) = (VertexId(vertex as u32), *mass * push);
                output.forces.push((vertex, force));
                output.external_impulses.push((vertex, dt * force)); // so that momentum adds up
            }
        }
    }
}

/// The usual stepper, with contact between bodies, and mud.
#[derive(Debug)]
struct WithMud(Mud);

impl Assembly for WithMud {
    fn assemble(&self, parts: WorldParts<'_>) -> Result<Stepper, Box<dyn Error + Send + Sync>> {
        Ok(parts.usual_stepper()?.with_responses(vec![Box::new(self.0)]).with_substeps(2))
    }
}

/// A soft slab with a die on it in the mud.
pub struct Sunk {
    /// Of the slab's lower side, m: found, and where mud and weight balance.
    pub depths: [f64; 2],
    /// Vertices of slab and die inside each other.
    pub penetrating: usize,
    /// Speed of the die, m/s.
    pub speed: f64,
}

/// Four seconds of it.
pub fn run(mud: Mud) -> Result<Sunk, WorldError> {
    let mut world = World::new();
    world.set_assembly(WithMud(mud));
    let slab = SoftBody::cuboid(vec3(0.3, 0.3, 0.1), [2, 2, 1]).young(1e5).density(500.0);
    let slab = world.add(slab.at(vec3(0.0, 0.0, 0.06)))?;
    let die = RigidBody::cuboid(Vec3::splat(0.1)).density(1000.0);
    let die = world.add(die.at(vec3(0.0, 0.0, 0.2)))?;
    for _ in 0..240 {
        world.step()?;
    }
    let lowest = world.positions(slab)?.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    // Half of the slab's mass is in the vertices of its lower side.
    let held = 0.5 * world.mass(slab)? * mud.stiffness; // N/m
    let weight = 9.81 * (world.mass(slab)? + world.mass(die)?); // N
    let penetrating = world.penetrations()?.len();
    Ok(Sunk { depths: [-lowest, weight / held], penetrating, speed: world.velocity(die)?.length() })
}

fn main() -> Result<(), WorldError> {
    let Sunk { depths: [found, expected], speed, .. } =
        run(Mud { stiffness: 1000.0, damping: 30.0 })?;
    println!("{found:.4} m deep, {expected:.4} m expected; the die moves at {speed:.1e} m/s");
    Ok(())
}
