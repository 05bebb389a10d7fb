//! Worlds of soft bodies at given poses, without gravity, for responses of all kinds.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use pliant::body::Bodies;
use pliant::body::soft::{Masses, State};
use pliant::contact::response::{Response, StepContext};
use pliant::force::Forces;
use pliant::force::load::Load;
use pliant::id::BodyId;
use pliant::integrate::euler::{Euler, EulerKind};
use pliant::integrate::{StepReport, System};
use pliant::math::{Quat, Vec3};
use pliant::mesh::tet::TetMesh;
use pliant::prelude::{SoftBody, SoftMaterial, World};
use pliant::record::overlap::{Measure, Overlap};
use pliant::step::{Simulation, Stepper};
use pliant::world::{Assembly, BodyMaterial, MaterialBody, WorldParts};

/// A mesh, its rotation, and where its origin is, m.
pub type Place = (TetMesh, Quat, Vec3);

/// A world, and the shapes of its bodies at rest for stages that are tried alone.
pub struct Placed {
    pub world: World,
    pub rest: Vec<Vec3>,
}

impl Placed {
    /// Soft bodies of one material, and of a density, kg/m³.
    pub fn new(places: &[Place], material: &SoftMaterial, density: f64) -> Placed {
        let mut world = World::new();
        world.set_gravity(Vec3::ZERO).unwrap();
        for (mesh, turn, shift) in places {
            let body = SoftBody::new(mesh).material(material.clone()).density(density);
            world.add(body.rotated(*turn).at(*shift)).unwrap();
        }
        world.assemble().unwrap();
        let rest = places.iter().flat_map(|(mesh, ..)| mesh.positions().iter().copied());
        Placed { world, rest: rest.collect() }
    }

    /// The same with steps of a length, s.
    pub fn with_time_step(mut self, dt: f64) -> Placed {
        self.world.set_time_step(dt).unwrap();
        self
    }

    pub fn state(&self) -> &State {
        &self.world.simulation().state
    }

    pub fn state_mut(&mut self) -> &mut State {
        &mut self.world.simulation_mut().state
    }

    pub fn system(&self) -> &System {
        &self.world.simulation().system
    }

    pub fn bodies(&self) -> &Bodies {
        &self.system().bodies
    }

    pub fn masses(&self) -> &Masses {
        &self.system().masses
    }

    /// What a response is asked with before the next step.
    pub fn context(&self) -> StepContext<'_> {
        let Simulation { state, system, .. } = self.world.simulation();
        let System { masses, pins, rigids, profiler, bodies, .. } = system;
        let (motion, dt) = (state.motion(), self.world.time_step());
        StepContext {
            bodies,
            motion,
            masses,
            pins,
            rigids,
            rigid_states: &state.rigids,
            dt,
            profiler,
        }
    }

    /// Lets a function make the stepper, of the shapes at rest and the topology.
    pub fn step_by(&mut self, make: impl Fn(&[Vec3], &Bodies) -> Stepper + Send + 'static) {
        step_by(&mut self.world, move |parts| make(parts.rest, &parts.system.bodies));
    }

    pub fn step(&mut self) -> StepReport {
        self.world.step().unwrap()
    }

    pub fn overlap(&self) -> Overlap {
        let (positions, bodies) = (&self.state().positions, self.bodies());
        Measure::new(positions, bodies).measure(positions, bodies)
    }

    /// Kinetic energy, J.
    pub fn kinetic(&self) -> f64 {
        self.state().kinetic(self.masses())
    }

    /// Kinetic and of all forces that have one, J; without that of contact.
    pub fn energy(&self) -> f64 {
        self.kinetic() + self.system().forces.energy(self.state().motion())
    }

    /// Velocity of a body's centre of mass, m/s.
    pub fn velocity(&self, body: u32) -> Vec3 {
        let own = self.bodies().vertices(BodyId(body));
        let masses = &self.masses().of()[own.clone()];
        let moving = self.state().velocities[own].iter().zip(masses);
        moving.map(|(v, m)| *m * *v).sum::<Vec3>() / masses.iter().sum::<f64>()
    }

    /// Change of momentum since `before`, over the sum of its sizes.
    pub fn momentum_error(&self, before: &State) -> f64 {
        let masses = self.masses();
        let each = before.velocities.iter().zip(masses.of());
        let sizes: f64 = each.map(|(v, m)| m * v.length()).sum();
        (self.state().momentum(masses) - before.momentum(masses)).length() / sizes
    }
}

/// Symplectic Euler with a response, and with step control.
pub fn euler_with(response: impl Response + 'static) -> Stepper {
    let euler = Box::new(Euler::new(EulerKind::Symplectic));
    Stepper::new(euler).with_responses(vec![Box::new(response)]).with_halvings(30)
}

/// Lets a function make the stepper of a world, and assembles it.
pub fn step_by(world: &mut World, make: impl Fn(&mut WorldParts<'_>) -> Stepper + Send + 'static) {
    world.set_assembly(StepBy(make));
    world.assemble().unwrap();
}

struct StepBy<F>(F);

impl<F> fmt::Debug for StepBy<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StepBy")
    }
}

impl<F: Fn(&mut WorldParts<'_>) -> Stepper + Send> Assembly for StepBy<F> {
    fn assemble(&self, mut parts: WorldParts<'_>) -> Result<Stepper, Box<dyn Error + Send + Sync>> {
        Ok((self.0)(&mut parts))
    }
}

/// Vertices that nothing holds together.
pub fn loose() -> SoftMaterial {
    SoftMaterial::Custom(Arc::new(Loose))
}

#[derive(Debug)]
struct Loose;

impl BodyMaterial for Loose {
    fn push_forces(
        &self,
        _bodies: &[MaterialBody<'_>],
        forces: &mut Forces,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        forces.push(Load::default());
        Ok(())
    }
}
