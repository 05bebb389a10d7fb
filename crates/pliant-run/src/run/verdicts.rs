//! Verdicts on a run, step by step: nothing bad passes in silence.
//!
//! | kind               | seen                                                              |
//! |--------------------|-------------------------------------------------------------------|
//! | `energy`           | energy that appeared in a step without a source                   |
//! | `unconverged`      | contacts that one more relaxation would still change              |
//! | `too_fast`         | a body that passed another body or an obstacle within a step      |
//! | `inverted_tets`    | tets of negative volume at a recorded step                        |
//! | `in_obstacles`     | vertices inside obstacles at the end                              |
//! | `momentum`         | momentum that no source explains, at the end                      |
//! | `response_dropped` | contact that the scene asks for and the integrator cannot solve   |
//!
//! An absurd state ends the run: see [`Absurdity`].

use pliant::body::obstacle::Obstacle;
use pliant::id::BodyId;
use pliant::integrate::StepReport;
use pliant::integrate::frequency::highest_frequency;
use pliant::math::{Aabb, Vec3};
use pliant::record::energy::{EnergyLedger, EnergyRise};
use pliant::snapshot::{Snapshot, SnapshotError};
use pliant::step::Simulation;
use pliant_scene::loaded::LoadedScene;

use crate::report::text::number;
use crate::summary::Warning;

/// Sizes of the scene that no vertex moves in a step of a state that is meant.
const FARTHEST: f64 = 10.0;

/// Momentum drift, over Σ m|v|, that is worth a warning.
const MOMENTUM: f64 = 1e-2;

/// Steps from one look at the energy to the next where it may swing: a look costs as much as the
/// forces of an explicit step.
const STRIDE: u64 = 8;

/// Steps along the way of a body through an obstacle at most.
const MARCH: usize = 64;

/// What can be wrong, in the order of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Energy,
    Unconverged,
    TooFast,
    Inverted,
}

/// How often something was seen, and when first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tally {
    count: u64,
    /// s.
    first_time: f64,
    /// Largest value: J, tets, or m.
    worst: f64,
    /// Body that it was largest in, if there is one.
    body: Option<usize>,
}

impl Tally {
    fn add(&mut self, time: f64, value: f64, body: Option<usize>) {
        if self.count == 0 {
            self.first_time = time;
        }
        self.count += 1;
        if value > self.worst || self.count == 1 {
            (self.worst, self.body) = (value, body);
        }
    }
}

/// A state that cannot be meant: it ends the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Absurdity {
    /// Far more energy than there was, without a source.
    Energy {
        /// Body with most of the kinetic energy.
        body: usize,
        /// What appeared so far, J.
        appeared: f64,
        /// Largest that had a source, J.
        largest: f64,
    },
    /// A vertex that moved much farther than the scene is wide.
    Way {
        /// Its body.
        body: usize,
        /// m.
        way: f64,
        /// Size of the scene, m.
        size: f64,
    },
}

/// Verdicts of a run so far.
#[derive(Debug, Default)]
pub struct Verdicts {
    ledger: EnergyLedger,
    /// By [`Kind`].
    tallies: [Tally; 4],
    /// Positions before the step, m.
    before: Vec<Vec3>,
    /// Longest stable step, s, where the integrator has one.
    stable_step: Option<f64>,
    /// Steps judged.
    steps: u64,
    /// At the last recorded step.
    recorded: (f64, u64),
}

impl Verdicts {
    /// Verdicts before the first step.
    pub fn new(simulation: &Simulation, dt: f64) -> Verdicts {
        let Simulation { state, system, stepper, .. } = simulation;
        let stable_step = stepper.stable_step().map(|step| {
            let frequency = highest_frequency(system, state);
            if frequency > 0.0 { step / frequency } else { f64::INFINITY }
        });
        let ledger = EnergyLedger::new(simulation, size(&state.positions), dt);
        Verdicts { ledger, stable_step, ..Verdicts::default() }
    }

    /// Notes where everything is before a step.
    pub fn begin(&mut self, simulation: &Simulation) {
        self.before.clone_from(&simulation.state.positions);
    }

    /// Judges a step.
    pub fn step(
        &mut self,
        simulation: &Simulation,
        report: &StepReport,
        obstacles: &[Obstacle],
    ) -> Result<(), Absurdity> {
        let time = simulation.state.time;
        if report.unconverged > 0 {
            self.tally(Kind::Unconverged).add(time, report.unconverged as f64, None);
        }
        self.check_ways(simulation, obstacles)?;
        self.steps += 1;
        if !simulation.stepper.is_dissipative() && !self.steps.is_multiple_of(STRIDE) {
            self.ledger.pass(report);
            return Ok(());
        }
        let Some(rise) = self.ledger.enter(simulation, report) else { return Ok(()) };
        let body = fastest(simulation);
        self.tally(Kind::Energy).add(time, rise.unexplained, Some(body));
        let EnergyRise { appeared, largest, is_absurd, .. } = rise;
        if is_absurd { Err(Absurdity::Energy { body, appeared, largest }) } else { Ok(()) }
    }

    /// Takes in a recorded step; returns energy input and unconverged steps since the last one.
    pub fn record(&mut self, time: f64, inverted_tets: usize) -> (f64, u64) {
        if inverted_tets > 0 {
            self.tally(Kind::Inverted).add(time, inverted_tets as f64, None);
        }
        let now = (self.ledger.input(), self.unconverged_steps());
        let since = (now.0 - self.recorded.0, now.1 - self.recorded.1);
        self.recorded = now;
        since
    }

    /// Steps whose contacts did not converge.
    pub fn unconverged_steps(&self) -> u64 {
        self.tallies[Kind::Unconverged as usize].count
    }

    fn tally(&mut self, kind: Kind) -> &mut Tally {
        &mut self.tallies[kind as usize]
    }

    /// Looks for vertices that moved too far, and bodies that passed through something.
    fn check_ways(
        &mut self,
        simulation: &Simulation,
        obstacles: &[Obstacle],
    ) -> Result<(), Absurdity> {
        let Simulation { state, system, .. } = simulation;
        let ways = self.before.iter().zip(&state.positions).map(|(a, b)| a.distance_squared(*b));
        let (vertex, way_sq) =
            ways.enumerate().fold(
                (0, 0.0),
                |most, (vertex, way_sq)| {
                    if way_sq > most.1 { (vertex, way_sq) } else { most }
                },
            );
        let way = way_sq.sqrt();
        let boxes = || system.bodies.ids().map(|body| self.before_box(simulation, body));
        let smallest = boxes().map(least_extent).fold(f64::INFINITY, f64::min);
        if way <= 0.5 * smallest {
            return Ok(());
        }
        let size = size(&self.before);
        let body = system.bodies.offsets().locate(vertex).0.index();
        if way > FARTHEST * size {
            return Err(Absurdity::Way { body, way, size });
        }
        if let Some((body, way)) = self.passage(simulation, obstacles) {
            self.tally(Kind::TooFast).add(state.time, way, Some(body));
        }
        Ok(())
    }

    fn before_box(&self, simulation: &Simulation, body: BodyId) -> Aabb {
        around(&self.before[simulation.system.bodies.vertices(body)])
    }

    /// A body that came from one side of another body or an obstacle to the other, and its way, m.
    fn passage(&self, simulation: &Simulation, obstacles: &[Obstacle]) -> Option<(usize, f64)> {
        let Simulation { state, system, .. } = simulation;
        let motions: Vec<_> = (system.bodies.ids())
            .map(|body| {
                let own = system.bodies.vertices(body);
                let [from, to] = [&self.before[own.clone()], &state.positions[own]];
                (around(from), centre(from), centre(to))
            })
            .collect();
        for (a, (_, from, to)) in motions.iter().enumerate() {
            let through = |obstacle: &Obstacle| passes(obstacle, state.time, *from, *to);
            if obstacles.iter().any(through) {
                return Some((a, from.distance(*to)));
            }
            for (b, (space, other_from, other_to)) in motions.iter().enumerate() {
                // Seen from the other body, the slower one, which stands still.
                let way = (*to - *from) - (*other_to - *other_from);
                let is_slower = other_from.distance(*other_to) <= from.distance(*to);
                if a != b
                    && is_slower
                    && way.length() > least_extent(*space)
                    && crosses(*space, *from, way)
                {
                    return Some((a, way.length()));
                }
            }
        }
        None
    }

    /// Writes all.
    pub fn save(&self, snapshot: &mut Snapshot) {
        self.ledger.save(snapshot);
        for Tally { count, first_time, worst, body } in self.tallies {
            let body = body.map_or(-1.0, |body| body as f64);
            [count as f64, first_time, worst, body].iter().for_each(|n| snapshot.write(*n));
        }
        snapshot.write(self.steps as f64);
        snapshot.write(self.recorded.0);
        snapshot.write(self.recorded.1 as f64);
    }

    /// Reads what [`Verdicts::save`] wrote.
    pub fn restore(&mut self, snapshot: &mut Snapshot) -> Result<(), SnapshotError> {
        self.ledger.restore(snapshot)?;
        for tally in &mut self.tallies {
            let mut number = || snapshot.read("verdicts");
            tally.count = number()? as u64;
            (tally.first_time, tally.worst) = (number()?, number()?);
            let body = number()?;
            tally.body = (body >= 0.0).then_some(body as usize);
        }
        self.steps = snapshot.read("verdicts")? as u64;
        self.recorded = (snapshot.read("verdicts")?, snapshot.read("verdicts")? as u64);
        Ok(())
    }

    /// All warnings of a run, with what is known at its end only.
    pub fn warnings(&self, built: &LoadedScene, end: End) -> Vec<Warning> {
        let mut list: Vec<Warning> = Vec::new();
        let mut add = |kind: &str, count: u64, first_time: f64, message: String| {
            list.push(Warning { kind: kind.to_owned(), count, first_time, message });
        };
        for warning in &built.warnings {
            add("response_dropped", 1, 0.0, warning.clone());
        }
        let named = |kind: Kind, name: &str, message: &dyn Fn(&Tally) -> String| {
            let tally = &self.tallies[kind as usize];
            (tally.count > 0)
                .then(|| (name.to_owned(), tally.count, tally.first_time, message(tally)))
        };
        let found = [
            named(Kind::Energy, "energy", &|tally| self.energy(built, tally)),
            named(Kind::Unconverged, "unconverged", &unconverged),
            named(Kind::TooFast, "too_fast", &|tally| too_fast(built, tally)),
            named(Kind::Inverted, "inverted_tets", &inverted),
        ];
        for (kind, count, first_time, message) in found.into_iter().flatten() {
            add(&kind, count, first_time, message);
        }
        let End { time, obstacle_vertices, obstacle_depth, momentum_error } = end;
        if obstacle_vertices > 0 {
            let message = format!(
                "{obstacle_vertices} vertices are inside obstacles at the end, the deepest {} m: \
                 take a shorter dt, or a stiffer obstacle where it is a penalty",
                number(obstacle_depth)
            );
            add("in_obstacles", obstacle_vertices as u64, time, message);
        }
        if momentum_error.is_nan() || momentum_error.abs() > MOMENTUM {
            let message = format!(
                "momentum drifted by {} of Σ m|v| without a source: take a shorter dt, or \
                 tighter tolerances",
                number(momentum_error)
            );
            add("momentum", 1, time, message);
        }
        list
    }

    fn energy(&self, built: &LoadedScene, tally: &Tally) -> String {
        format!(
            "energy appeared without a source in {}, first at {} s, most {} J{}: {}",
            steps(tally.count),
            number(tally.first_time),
            number(tally.worst),
            in_body(built, tally.body),
            self.remedy(built)
        )
    }

    /// What to try against energy from nowhere.
    fn remedy(&self, built: &LoadedScene) -> String {
        let dt = built.info.dt;
        match self.stable_step {
            Some(0.0) => format!(
                "{} gains energy at any step: take symplectic-euler, verlet or implicit-euler",
                built.info.integrator
            ),
            Some(stable) if stable < dt => format!(
                "dt is {} s, and {} is stable below about {} s here: take a shorter dt, or \
                 implicit-euler",
                number(dt),
                built.info.integrator,
                number(stable)
            ),
            _ => "take a shorter dt or more substeps".to_owned(),
        }
    }

    /// Why a run ended that became absurd, and what to try.
    pub fn describe(&self, built: &LoadedScene, absurdity: Absurdity) -> String {
        let (what, body) = match absurdity {
            Absurdity::Energy { body, appeared, largest } => {
                let what = format!(
                    "{} J have appeared without a source, and the largest energy that had one \
                     was {} J",
                    number(appeared),
                    number(largest)
                );
                (what, body)
            }
            Absurdity::Way { body, way, size } => {
                let what = format!(
                    "a vertex moved {} m in one step, and the scene is {} m wide",
                    number(way),
                    number(size)
                );
                (what, body)
            }
        };
        format!("{what}{}: {}", in_body(built, Some(body)), self.remedy(built))
    }
}

/// What is known at the end of a run only.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// s.
    pub time: f64,
    /// Vertices inside obstacles.
    pub obstacle_vertices: usize,
    /// Largest depth of one of them, m.
    pub obstacle_depth: f64,
    /// Relative.
    pub momentum_error: f64,
}

fn unconverged(tally: &Tally) -> String {
    format!(
        "contacts did not converge in {}, first at {} s: take a shorter dt, or more substeps",
        steps(tally.count),
        number(tally.first_time)
    )
}

fn too_fast(built: &LoadedScene, tally: &Tally) -> String {
    format!(
        "something was passed through within a step in {}, first at {} s, at {} m a step{}: \
         take a shorter dt or more substeps",
        steps(tally.count),
        number(tally.first_time),
        number(tally.worst),
        in_body(built, tally.body)
    )
}

fn inverted(tally: &Tally) -> String {
    format!(
        "up to {} tets were inverted at {} recorded steps, first at {} s: take a shorter dt, a \
         stiffer material or a finer mesh",
        number(tally.worst),
        tally.count,
        number(tally.first_time)
    )
}

fn steps(count: u64) -> String {
    if count == 1 { "one step".to_owned() } else { format!("{count} steps") }
}

fn in_body(built: &LoadedScene, body: Option<usize>) -> String {
    let named = body.and_then(|body| Some((body, built.info.bodies.get(body)?)));
    named.map_or(String::new(), |(body, info)| format!(", in body {body} `{}`", info.name))
}

/// Body with most of the kinetic energy.
fn fastest(simulation: &Simulation) -> usize {
    let Simulation { state, system, .. } = simulation;
    let kinetic = |body: BodyId| -> f64 {
        let own = system.bodies.vertices(body);
        let moving = own.map(|v| system.masses.of()[v] * state.velocities[v].length_squared());
        moving.sum()
    };
    let all = system.bodies.ids().map(|body| (body.index(), kinetic(body)));
    all.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(body, _)| body)
}

/// Diagonal of the box around all points, m.
fn size(positions: &[Vec3]) -> f64 {
    let size = around(positions).size().length();
    if size.is_finite() { size } else { 0.0 }
}

fn around(points: &[Vec3]) -> Aabb {
    Aabb::around(points.iter().copied())
}

/// Smallest side of a box that is not flat, m.
fn least_extent(space: Aabb) -> f64 {
    let sides = space.size().to_array().into_iter().filter(|side| *side > 0.0);
    sides.fold(f64::INFINITY, f64::min)
}

fn centre(points: &[Vec3]) -> Vec3 {
    points.iter().sum::<Vec3>() / points.len().max(1) as f64
}

/// Whether a segment enters a box and leaves it again.
fn crosses(space: Aabb, from: Vec3, way: Vec3) -> bool {
    let inverse = way.recip();
    let (a, b) = ((space.min - from) * inverse, (space.max - from) * inverse);
    let (enter, leave) = (a.min(b).max_element(), a.max(b).min_element());
    0.0 < enter && enter < leave && leave < 1.0
}

/// Whether a point that goes straight from one place to another meets an obstacle in between.
fn passes(obstacle: &Obstacle, time: f64, from: Vec3, to: Vec3) -> bool {
    let here = obstacle.at(time);
    if here.distance(from) <= 0.0 || here.distance(to) <= 0.0 {
        return false;
    }
    let (length, mut gone) = (from.distance(to), 0.0);
    for _ in 0..MARCH {
        let distance = here.distance(from + (to - from) * (gone / length));
        if distance <= 0.0 {
            return true;
        }
        // Nothing of the obstacle is nearer than this.
        gone += distance.max(length / MARCH as f64);
        if gone >= length {
            return false;
        }
    }
    false
}
