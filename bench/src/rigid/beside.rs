//! The same scene, ours and rapier3d's, step by step in turn.

use pliant::body::soft::State;

use crate::engine::{Engine, Judge, timed_step};
use crate::rigid::ours;
use crate::rigid::rapier::{Rapier, Shapes};
use crate::timing::Spread;

/// Steps of the pyramid: 10 s.
const STANDING: usize = 600;

/// Steps of what tumbles: 4 s, when most has fallen.
const FALLING: usize = 240;

/// Steps between counts of what is inside.
const EVERY: usize = 60;

/// CPU time of ours over that of rapier3d at most.
pub const RATIO: f64 = 2.0;

/// Results of every engine.
pub struct Beside {
    /// Number of bodies.
    pub bodies: usize,
    /// Number of steps made.
    pub steps: usize,
    /// Time step, s.
    pub dt: f64,
    /// Whether there is a goal for the ratio.
    pub has_goal: bool,
    /// Ours first.
    pub sides: Vec<Side>,
}

/// Results of one engine.
pub struct Side {
    /// For a table.
    pub name: &'static str,
    /// CPU time of a step, s.
    pub time: Spread,
    /// CPU time of all steps, s.
    pub total: f64,
    /// Vertices inside other bodies in the end, and at most at a whole second.
    pub inside: [usize; 2],
    /// Edges through triangles, the same two, pairs.
    pub crossings: [usize; 2],
    /// Root mean square of the speeds in the end, m/s.
    pub rms: f64,
    /// Height of the highest vertex in the end, m.
    pub top: f64,
    /// Why it did not get to the end.
    pub failure: Option<String>,
}

/// Boxes.
pub fn pyramid() -> Result<Beside, String> {
    run(("pyramid", &ours::pyramid()), &[Shapes::Boxes], STANDING)
}

/// What is not convex.
pub fn tumbling() -> Result<Beside, String> {
    run(("tumbling", &ours::tumbling()), &[Shapes::Triangles, Shapes::Parts], FALLING)
}

/// An engine in progress.
struct Running {
    engine: Box<dyn Engine>,
    times: Vec<f64>,
    side: Side,
}

impl Running {
    fn new(name: &'static str, engine: Box<dyn Engine>) -> Running {
        let side = Side {
            name,
            time: Spread::default(),
            total: 0.0,
            inside: [0; 2],
            crossings: [0; 2],
            rms: 0.0,
            top: 0.0,
            failure: None,
        };
        Running { engine, times: Vec::new(), side }
    }

    fn step(&mut self) {
        if self.side.failure.is_some() {
            return;
        }
        match timed_step(&mut *self.engine) {
            Ok(time) => self.times.push(time),
            Err(error) => self.side.failure = Some(error),
        }
    }

    /// Takes the current counts.
    fn count(&mut self, judge: &mut Judge) {
        let (state, side) = (self.engine.state(), &mut self.side);
        let overlap = judge.overlap(&state);
        let [inside, crossings] = [overlap.penetrating_vertices, overlap.edge_crossings];
        side.inside = [inside, side.inside[1].max(inside)];
        side.crossings = [crossings, side.crossings[1].max(crossings)];
        side.rms = judge.rms_speed(&state);
        side.top = top(&state);
    }
}

fn run((name, text): (&str, &str), shapes: &[Shapes], steps: usize) -> Result<Beside, String> {
    let own = ours::load(name, text)?;
    let mut judge = Judge::of(&own.built);
    let (bodies, dt) = (own.built.info.bodies.len(), own.built.info.dt);
    let mut all = Vec::new();
    for shape in shapes {
        let rapier = Rapier::new(&own.built, *shape)?;
        all.push(Running::new(shape.name(), Box::new(rapier)));
    }
    all.insert(0, Running::new("Pliant", Box::new(own)));
    for step in 1..=steps {
        for running in &mut all {
            running.step();
            if step % EVERY == 0 {
                running.count(&mut judge);
            }
        }
        if step % EVERY == 0 {
            let reported =
                |running: &Running| format!("{:.1} s", running.times.iter().sum::<f64>());
            eprintln!("  step {step}: {}", all.iter().map(reported).collect::<Vec<_>>().join(", "));
        }
    }
    let sides = all.into_iter().map(|Running { times, side, .. }| Side {
        total: times.iter().sum(),
        time: Spread::of(times),
        ..side
    });
    let has_goal = shapes == [Shapes::Boxes];
    Ok(Beside { bodies, steps, dt, has_goal, sides: sides.collect() })
}

fn top(state: &State) -> f64 {
    state.positions.iter().map(|p| p.z).fold(f64::NEG_INFINITY, f64::max)
}
