//! One random scene to its end, and what is wrong with it.

use std::any::Any;
use std::fs::File;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pliant::body::obstacle::Obstacle;
use pliant::integrate::StepReport;
use pliant::math::Vec3;
use pliant::record::energy::{EnergyLedger, EnergyRise};
use pliant::record::overlap::Overlap;

use super::scene::RandomScene;
use crate::engine::{Engine, Judge, Ours};

/// CPU time of all steps after which a scene is given up, s.
///
/// The goal is for all of 200 scenes; this only keeps a single one from taking for ever.
pub const MOST_CPU: f64 = 300.0;

/// Time on the clock after which a scene is given up in the middle of a step; a busy machine may
/// need long for the CPU time that a scene has.
const MOST_CLOCK: Duration = Duration::from_secs(3600);

/// Depth in an obstacle that is not rounding, over the coordinates.
const SURFACE: f64 = 1e-9;

/// Results of one scene.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// Steps that were made.
    pub steps: u64,
    /// What overlaps at the start.
    pub start: Overlap,
    /// And at the end.
    pub end: Overlap,
    /// Vertices inside obstacles at the end.
    pub in_obstacles: usize,
    /// Steps in which energy appeared without a source.
    pub energy_steps: u64,
    /// All that appeared so, over the largest energy that has a source.
    pub energy: f64,
    /// Steps whose contacts did not converge: all, and in the last second.
    pub unconverged: [u64; 2],
    /// Root mean square of the speeds at the end, m/s.
    pub rms: f64,
    /// CPU time of all steps, s.
    pub cpu: f64,
    /// Why it did not come to its end, if it did not.
    pub failure: Option<String>,
}

impl Trial {
    /// Whether it ends as it should: without failure, energy from nowhere or overlap.
    pub fn is_good(&self) -> bool {
        let is_free = self.end.penetrating_vertices + self.end.edge_crossings == 0;
        self.failure.is_none() && self.energy_steps == 0 && is_free && self.in_obstacles == 0
    }
}

/// Runs a scene on a thread of its own: neither a panic nor a step without end is passed on.
///
/// `trace` is where each step is written in a line, if anywhere.
pub fn run(scene: &RandomScene, trace: Option<File>) -> Trial {
    let (sender, receiver) = channel();
    let (name, text) = (scene.name.clone(), scene.text.clone());
    let failed = |reason: String| Trial { failure: Some(reason), ..Trial::default() };
    let work = move || {
        let trial = catch_unwind(AssertUnwindSafe(|| trial(&name, text, trace)));
        // Nobody waits any more when it was given up.
        let _ = sender.send(trial);
    };
    if let Err(error) = thread::Builder::new().spawn(work) {
        return failed(format!("no thread: {error}"));
    }
    match receiver.recv_timeout(MOST_CLOCK) {
        Ok(Ok(Ok(trial))) => trial,
        Ok(Ok(Err(error))) => failed(error),
        Ok(Err(panic)) => failed(format!("panic: {}", message(&*panic))),
        Err(RecvTimeoutError::Timeout) => failed(format!("stuck for {} s", MOST_CLOCK.as_secs())),
        Err(RecvTimeoutError::Disconnected) => failed("the thread ended".to_owned()),
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// Steps a scene; the error is one of the scene itself.
fn trial(name: &str, text: String, mut trace: Option<File>) -> Result<Trial, String> {
    let mut ours = Ours::from_text(name, text)?;
    let mut judge = Judge::of(&ours.built);
    let (steps, dt) = (ours.built.info.steps, ours.built.info.dt);
    let last = steps.saturating_sub(dt.recip().round() as u64);
    let mut ledger = EnergyLedger::new(ours.built.world.simulation(), size(&ours), dt);
    let mut trial = Trial { start: judge.overlap(&ours.state()), ..Trial::default() };
    for step in 1..=steps {
        let before = trial.unconverged[0];
        let made = trial.step(&mut ours, &mut ledger);
        if let (Some(file), Ok(made)) = (&mut trace, &made) {
            let overlap = judge.overlap(&ours.state());
            let line = made.line(step, &mut ours, &overlap)?;
            file.write_all(line.as_bytes()).map_err(|error| format!("trace: {error}"))?;
        }
        if let Some(failure) = made.map_or_else(Some, |made| made.failure) {
            trial.failure = Some(format!("step {step}: {failure}"));
            break;
        }
        trial.unconverged[1] += u64::from(step > last) * (trial.unconverged[0] - before);
    }
    let state = ours.state();
    trial.end = judge.overlap(&state);
    trial.rms = judge.rms_speed(&state);
    trial.in_obstacles = in_obstacles(&ours);
    Ok(trial)
}

/// What a step did, for a trace.
struct StepTrace {
    report: StepReport,
    rise: Option<EnergyRise>,
    /// CPU time, s.
    cpu: f64,
    /// Why the scene ends with it, if it does.
    failure: Option<String>,
}

/// Names of the columns of a trace.
pub const TRACE_COLUMNS: &str = "step,kinetic,elastic,gravitational,energy_input,appeared,largest,\
    unconverged,halvings,rows,inside,crossings,in_obstacles,rms,cpu\n";

impl StepTrace {
    /// Its line in a trace.
    fn line(&self, step: u64, ours: &mut Ours, overlap: &Overlap) -> Result<String, String> {
        let energy = ours.built.world.energy().map_err(|error| error.to_string())?;
        let simulation = ours.built.world.simulation();
        let (appeared, largest) =
            self.rise.map_or((0.0, 0.0), |rise| (rise.unexplained, rise.largest));
        let rms = (2.0 * energy.kinetic / simulation.system.masses.total()).sqrt();
        Ok(format!(
            "{step},{},{},{},{:e},{appeared:e},{largest:e},{},{},{},{},{},{},{rms:e},{:.4}\n",
            energy.kinetic,
            energy.elastic,
            energy.gravitational,
            self.report.energy_input,
            self.report.unconverged,
            self.report.halvings,
            simulation.system.scratch.contact.rows.len(),
            overlap.penetrating_vertices,
            overlap.edge_crossings,
            in_obstacles(ours),
            self.cpu,
        ))
    }
}

impl Trial {
    /// Makes a step and judges it.
    fn step(&mut self, ours: &mut Ours, ledger: &mut EnergyLedger) -> Result<StepTrace, String> {
        let (time, report) = ours.reported_step()?;
        self.cpu += time;
        self.steps += 1;
        self.unconverged[0] += u64::from(report.unconverged > 0);
        let rise = ledger.enter(ours.built.world.simulation(), &report);
        if let Some(rise) = rise {
            self.energy_steps += 1;
            self.energy = rise.appeared / rise.largest;
        }
        let is_absurd = rise.is_some_and(|rise| rise.is_absurd);
        let failure = match is_absurd {
            true => Some(format!("energy grew by {:.1e} of the largest", self.energy)),
            false if self.cpu > MOST_CPU => Some(format!("over {MOST_CPU} CPU s")),
            false => None,
        };
        Ok(StepTrace { report, rise, cpu: time, failure })
    }
}

/// Longest side of the box around a scene, m.
fn size(ours: &Ours) -> f64 {
    let positions = &ours.built.world.simulation().state.positions;
    let start = positions.first().copied().unwrap_or_default();
    let sides = positions.iter().fold((start, start), |(a, b), p| (a.min(*p), b.max(*p)));
    (sides.1 - sides.0).max_element()
}

/// Vertices inside obstacles.
fn in_obstacles(ours: &Ours) -> usize {
    let state = &ours.built.world.simulation().state;
    let obstacles = &ours.built.obstacles;
    let is_inside = |point: &&Vec3| {
        let depth = |obstacle: &Obstacle| -obstacle.at(state.time).distance(**point);
        let depth = obstacles.iter().map(depth).fold(0.0, f64::max);
        depth > SURFACE * point.abs().max_element().max(1.0)
    };
    state.positions.iter().filter(is_inside).count()
}
