//! Our side: a scene, an integrator, and how many steps make a frame.

use pliant::body::soft::State;
use pliant::force::{Form, Tangent};
use pliant::integrate::euler::{Euler, EulerKind};
use pliant::integrate::implicit::{Implicit, ImplicitKind, ImplicitSettings};
use pliant::integrate::{Integrator, System};
use pliant::math::Vec3;
use pliant::prelude::World;
use pliant::solve::linear::LinearSettings;
use pliant::step::{Simulation, Stepper};

use crate::dynamics::FRAME;
use crate::dynamics::scene::Scene;

/// Explicit steps are this part of the longest stable one at the start.
pub const MARGIN: f64 = 0.8;

/// Residual of the linear systems relative to their right-hand sides.
pub const TOLERANCE: f64 = 2e-3;

/// Rounds of the search for the largest eigenvalue; it is met from below.
const ROUNDS: usize = 60;

/// How a scene is stepped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Symplectic Euler, as many steps as keep it stable, times a factor.
    Symplectic(usize),
    /// Linearised once, one step per frame.
    Implicit(ImplicitKind),
}

impl Method {
    /// What is measured, in the order of the tables.
    pub const ALL: [Method; 3] = [
        Method::Symplectic(1),
        Method::Implicit(ImplicitKind::Euler),
        Method::Implicit(ImplicitKind::Midpoint),
    ];

    /// For a table.
    pub fn name(self) -> &'static str {
        match self {
            Method::Symplectic(_) => "symplectic Euler",
            Method::Implicit(ImplicitKind::Euler) => "implicit Euler",
            Method::Implicit(ImplicitKind::Midpoint) => "implicit midpoint",
            Method::Implicit(ImplicitKind::Bdf2) => "BDF2",
        }
    }
}

/// A scene in motion.
pub struct Ours {
    world: World,
    /// Steps per frame.
    pub substeps: usize,
    /// Iterations of the linear solver so far.
    pub iterations: usize,
    /// Frames so far.
    pub frames: usize,
}

impl Ours {
    /// A scene at its start.
    pub fn new(scene: &Scene, method: Method, threads: usize) -> Result<Ours, String> {
        let mut world = scene.world().map_err(|error| error.to_string())?;
        let Simulation { system, state, .. } = world.simulation();
        let (substeps, integrator): (usize, Box<dyn Integrator>) = match method {
            Method::Symplectic(factor) => {
                let euler = Euler::new(EulerKind::Symplectic);
                (factor * stable_substeps(system, state), Box::new(euler))
            }
            Method::Implicit(kind) => {
                let linear = LinearSettings { tolerance: TOLERANCE, ..LinearSettings::default() };
                let settings = ImplicitSettings { kind, linear, ..ImplicitSettings::default() };
                (1, Box::new(Implicit::new(settings)))
            }
        };
        world.simulation_mut().stepper = Stepper::new(integrator);
        world.set_threads(threads);
        world.set_time_step(FRAME / substeps as f64).map_err(|error| error.to_string())?;
        Ok(Ours { world, substeps, iterations: 0, frames: 0 })
    }

    /// Masses, forces, pins.
    pub fn system(&self) -> &System {
        &self.world.simulation().system
    }

    /// The same, for what keeps scratch.
    pub fn system_mut(&mut self) -> &mut System {
        &mut self.world.simulation_mut().system
    }

    /// Where it is now.
    pub fn state(&self) -> &State {
        &self.world.simulation().state
    }

    /// Steps through one frame.
    pub fn frame(&mut self) -> Result<(), String> {
        for _ in 0..self.substeps {
            self.iterations += self.world.step().map_err(|error| error.to_string())?.linear;
        }
        self.frames += 1;
        Ok(())
    }

    /// Iterations of the linear solver in a step, mean.
    pub fn iterations_per_step(&self) -> f64 {
        self.iterations as f64 / (self.frames * self.substeps).max(1) as f64
    }
}

/// Fewest steps per frame that symplectic Euler is stable with, and the margin.
///
/// With stiffness κ and damping δ over mass a step is stable while dt² κ + 2 dt δ < 4.
fn stable_substeps(system: &System, state: &State) -> usize {
    let stiffness = largest(system, state, Tangent { stiffness: 1.0, ..NOTHING });
    let damping = largest(system, state, Tangent { damping: 1.0, ..NOTHING });
    let root = (damping * damping + 4.0 * stiffness).sqrt();
    let longest = if root > 0.0 { 4.0 / (damping + root) } else { FRAME };
    (FRAME / (MARGIN * longest)).ceil().max(1.0) as usize
}

const NOTHING: Tangent = Tangent { stiffness: 0.0, damping: 0.0, form: Form::Exact };

/// Largest eigenvalue of a tangent over mass, by repeated multiplication.
fn largest(system: &System, state: &State, tangent: Tangent) -> f64 {
    let scatter = |k: usize| (k as f64 * 0.618).fract() - 0.5;
    let count = state.positions.len();
    let mut x: Vec<Vec3> =
        (0..count).map(|k| Vec3::new(scatter(k), scatter(7 * k + 1), scatter(3 * k + 2))).collect();
    let mut found = 0.0;
    for _ in 0..ROUNDS {
        let size = x.iter().map(|x| x.length_squared()).sum::<f64>().sqrt();
        x.iter_mut().for_each(|x| *x /= size);
        let mut image = vec![Vec3::ZERO; count];
        system.forces.add_product(state.motion(), tangent, &x, &mut image);
        for (image, mass) in image.iter_mut().zip(system.masses.of()) {
            *image /= *mass;
        }
        found = image.iter().map(|x| x.length_squared()).sum::<f64>().sqrt();
        if found == 0.0 {
            return 0.0;
        }
        x = image;
    }
    found
}
