//! The same scene, ours and rapier3d's, step by step in turn.

use pliant::body::soft::State;

use crate::data;
use crate::engine::{Engine, Judge, Ours, timed_step};
use crate::rigid::anchors::Anchors;
use crate::rigid::rapier::{Rapier, Shapes};
use crate::rigid::{heaps, ours, stacks};
use crate::timing::Spread;

/// Steps of the pyramid: 10 s.
const STANDING: usize = 600;

/// Steps of what tumbles: 4 s, when most has fallen.
const FALLING: usize = 240;

/// Steps of boxes in growing numbers: 2 s.
const GROWING: usize = 120;

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
    /// Way of the vertex that has moved farthest from the start, m.
    pub moved: f64,
    /// Largest distance of the two sides of a joint at a whole second, m; none without joints.
    pub gap: Option<f64>,
    /// Why it did not get to the end.
    pub failure: Option<String>,
}

/// Boxes.
pub fn pyramid() -> Result<Beside, String> {
    run("pyramid", ours::load("pyramid", &ours::pyramid())?, &[Shapes::Boxes], STANDING)
}

/// What is not convex.
pub fn tumbling() -> Result<Beside, String> {
    let shapes = [Shapes::Triangles, Shapes::Parts];
    run("tumbling", ours::load("tumbling", &ours::tumbling())?, &shapes, FALLING)
}

/// A brick wall.
pub fn wall() -> Result<Beside, String> {
    run("wall", ours::load("wall", &stacks::wall())?, &[Shapes::Boxes], STANDING)
}

/// A heavy box on light ones.
pub fn heavy() -> Result<Beside, String> {
    run("heavy", ours::load("heavy", &stacks::heavy())?, &[Shapes::Boxes], STANDING)
}

/// Wedges that hold each other.
pub fn arch() -> Result<Beside, String> {
    let (text, files) = stacks::arch();
    run("arch", ours::load_with("arch", &text, &files)?, &[Shapes::Hulls], STANDING)
}

/// What falls one after the other.
pub fn dominoes() -> Result<Beside, String> {
    run("dominoes", ours::load("dominoes", &stacks::dominoes())?, &[Shapes::Boxes], STANDING)
}

/// Nuts and gears; none without the data folder.
pub fn parts() -> Result<Option<Beside>, String> {
    let Some(data) = data::folder() else { return Ok(None) };
    let shapes = [Shapes::Triangles, Shapes::Parts];
    run("parts", ours::load("parts", &heaps::parts(&data))?, &shapes, STANDING).map(Some)
}

/// A long chain with a heavy end.
pub fn chain() -> Result<Beside, String> {
    let shapes = [Shapes::Boxes, Shapes::Multibodies];
    run("chain", ours::load("chain", &heaps::chain())?, &shapes, STANDING)
}

/// Bodies on joints in a heap.
pub fn ragdolls() -> Result<Beside, String> {
    let shapes = [Shapes::Boxes, Shapes::Multibodies];
    run("ragdolls", ours::load("ragdolls", &heaps::ragdolls())?, &shapes, FALLING)
}

/// So many boxes that fall.
pub fn boxes(count: u32) -> Result<Beside, String> {
    run("boxes", ours::load("boxes", &heaps::boxes(count))?, &[Shapes::Boxes], GROWING)
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
            moved: 0.0,
            gap: None,
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
    fn count(&mut self, judge: &mut Judge, start: &State, anchors: &Anchors) {
        let (state, side) = (self.engine.state(), &mut self.side);
        let overlap = judge.overlap(&state);
        let [inside, crossings] = [overlap.penetrating_vertices, overlap.edge_crossings];
        side.inside = [inside, side.inside[1].max(inside)];
        side.crossings = [crossings, side.crossings[1].max(crossings)];
        side.rms = judge.rms_speed(&state);
        side.top = top(&state);
        let ways =
            state.positions.iter().zip(&start.positions).map(|(now, then)| now.distance(*then));
        side.moved = ways.fold(0.0, f64::max);
        side.gap = match (anchors.largest_gap(&state), side.gap) {
            (Some(now), Some(before)) => Some(before.max(now)),
            (now, _) => now,
        };
    }
}

fn run(name: &str, own: Ours, shapes: &[Shapes], steps: usize) -> Result<Beside, String> {
    let mut judge = Judge::of(&own.built);
    let (start, anchors) = (own.state(), Anchors::of(&own.built));
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
                running.count(&mut judge, &start, &anchors);
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
    let has_goal = name == "pyramid";
    Ok(Beside { bodies, steps, dt, has_goal, sides: sides.collect() })
}

fn top(state: &State) -> f64 {
    state.positions.iter().map(|p| p.z).fold(f64::NEG_INFINITY, f64::max)
}
