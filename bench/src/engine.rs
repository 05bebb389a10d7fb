//! Engines that step a scene, and the judge of their results.

use std::path::Path;
use std::sync::Arc;

use pliant::body::Bodies;
use pliant::body::soft::{Masses, State};
use pliant::id::BodyId;
use pliant::integrate::StepReport;
use pliant::math::Vec3;
use pliant::record::overlap::Overlap;
use pliant_io::files::{Disk, Folder};
use pliant_plane::overlap::Measure;
use pliant_run::scene::load;
use pliant_scene::diagnostic::Sources;
use pliant_scene::loaded::LoadedScene;

use crate::timing;

/// Steps a scene.
pub trait Engine {
    /// Moves everything on by the time step of the scene.
    fn step(&mut self) -> Result<(), String>;

    /// Where everything is now.
    fn state(&self) -> State;
}

/// Our side: a scene as it is in `scenes/`.
pub struct Ours {
    /// The scene and what is known of it.
    pub built: LoadedScene,
}

impl Ours {
    /// A built-in scene with values set as on the command line, on one thread.
    pub fn new(scene: &str, sets: &[String]) -> Result<Ours, String> {
        let mut built = load(scene, sets).map_err(|error| format!("{scene}: {error}"))?;
        built.world.set_threads(1);
        Ok(Ours { built })
    }

    /// A scene from its text, on one thread; mesh files by absolute paths.
    pub fn from_text(name: &str, text: String) -> Result<Ours, String> {
        let sources = Sources { name: name.to_owned(), text, sets: Vec::new() };
        let folder = Folder { path: Path::new(""), files: &Disk };
        let loaded = pliant_scene::load(&sources, name, folder);
        let mut built = loaded.map_err(|error| format!("{name}: {error}"))?;
        built.world.set_threads(1);
        Ok(Ours { built })
    }

    /// Makes a step; returns its CPU time, s, and what the solvers report of it.
    pub fn reported_step(&mut self) -> Result<(f64, StepReport), String> {
        let (time, report) = timing::single(|| self.built.world.step());
        report.map(|report| (time, report)).map_err(|error| error.to_string())
    }

    /// Time that the scene says it runs, s.
    pub fn duration(&self) -> f64 {
        self.built.info.steps as f64 * self.built.info.dt
    }
}

impl Engine for Ours {
    fn step(&mut self) -> Result<(), String> {
        self.built.world.step().map(drop).map_err(|error| error.to_string())
    }

    fn state(&self) -> State {
        self.built.world.simulation().state.clone()
    }
}

/// CPU time of one step, s.
pub fn timed_step(engine: &mut dyn Engine) -> Result<f64, String> {
    let mut outcome = Ok(());
    let time = timing::once(|| outcome = engine.step());
    outcome.map(|()| time)
}

/// Counts and speeds, the same for every side.
pub struct Judge {
    bodies: Arc<Bodies>,
    masses: Masses,
    measure: Measure,
}

impl Judge {
    /// Of a scene before its first step.
    pub fn of(built: &LoadedScene) -> Judge {
        let simulation = built.world.simulation();
        let bodies = simulation.system.bodies.clone();
        let measure = Measure::new(&simulation.state.positions, &bodies);
        Judge { bodies, masses: simulation.system.masses.clone(), measure }
    }

    /// Penetrating vertices, edge crossings and inverted tets.
    pub fn overlap(&mut self, state: &State) -> Overlap {
        self.measure.measure(&state.positions, &self.bodies)
    }

    /// Root of the mean square of the speeds, weighed by mass, m/s.
    pub fn rms_speed(&self, state: &State) -> f64 {
        (2.0 * state.kinetic(&self.masses) / self.masses.total()).sqrt()
    }

    /// Centre of mass of everything, m.
    pub fn centre(&self, state: &State) -> Vec3 {
        state.centre(&self.masses)
    }

    /// Velocity of the centre of mass of a body, m/s.
    pub fn velocity(&self, state: &State, body: BodyId) -> Vec3 {
        self.mean(&state.velocities, body)
    }

    /// Centre of mass of a body, m.
    pub fn place(&self, state: &State, body: BodyId) -> Vec3 {
        self.mean(&state.positions, body)
    }

    /// Mean over the vertices of a body, weighed by mass.
    fn mean(&self, values: &[Vec3], body: BodyId) -> Vec3 {
        let vertices = self.bodies.vertices(body);
        let masses = &self.masses.of()[vertices.clone()];
        let sum: Vec3 = values[vertices].iter().zip(masses).map(|(value, m)| *m * *value).sum();
        sum / masses.iter().sum::<f64>()
    }
}

/// Speed of the fastest vertex, m/s.
pub fn fastest(state: &State) -> f64 {
    state.velocities.iter().map(|v| v.length()).fold(0.0, f64::max)
}
