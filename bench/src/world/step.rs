//! Cost of a step of a world against the stages that it calls.

use pliant::prelude::*;
use pliant::step::Simulation;

use crate::timing::once;
use crate::world::scenes::{SCENES, Scene};

/// Steps of a run, two seconds.
const STEPS: usize = 120;

/// Runs of each side, in turn; of each step the fastest counts.
const ROUNDS: usize = 9;

/// What the world may cost beyond its stages.
const GOAL: f64 = 0.02;

/// How a step is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// By the world.
    World,
    /// By the simulation in the world, which keeps its contacts for it.
    Kept,
    /// By the simulation in the world, which keeps nothing, like one that is made by hand.
    Stages,
}

/// All sides, by name.
const SIDES: [(&str, Side); 3] =
    [("world", Side::World), ("kept", Side::Kept), ("stages", Side::Stages)];

/// A world that is stepped in one way.
struct Stepped {
    world: World,
    side: Side,
}

impl Stepped {
    fn new((_, make): Scene, side: Side) -> Result<Stepped, String> {
        let mut world = make().map_err(|error| error.to_string())?;
        world.assemble().map_err(|error| error.to_string())?;
        world.simulation_mut().system.scratch.keeps_contacts = side != Side::Stages;
        Ok(Stepped { world, side })
    }

    fn step(&mut self) -> Result<(), String> {
        let dt = self.world.time_step();
        match self.side {
            Side::World => self.world.step().map(drop).map_err(|error| error.to_string()),
            Side::Kept | Side::Stages => {
                let simulation: &mut Simulation = self.world.simulation_mut();
                simulation.step(dt).map(drop).map_err(|error| error.to_string())
            }
        }
    }

    /// CPU time of one step, s.
    fn timed_step(&mut self) -> Result<f64, String> {
        let mut outcome = Ok(());
        let time = once(|| outcome = self.step());
        outcome.map(|()| time)
    }
}

/// Prints the table.
pub fn run() -> Result<(), String> {
    println!(
        "{STEPS} steps, sides in turn, of each step the fastest of {ROUNDS} runs. Goal: the world \
         costs at most {:.0} % more than its stages.\n",
        100.0 * GOAL
    );
    println!(
        "| scene | bodies | contact points in the end | stages, ms per step | with contacts kept \
         | world | reached |"
    );
    println!("|---|---|---|---|---|---|---|");
    for scene in SCENES {
        println!("{}", row(scene)?);
    }
    Ok(())
}

fn row(scene: Scene) -> Result<String, String> {
    let mut best = [[f64::INFINITY; SIDES.len()]; STEPS];
    let (mut bodies, mut contacts) = (0, 0);
    for round in 0..ROUNDS {
        let mut sides = Vec::new();
        for (_, side) in SIDES {
            sides.push(Stepped::new(scene, side)?);
        }
        for (step, best) in best.iter_mut().enumerate() {
            // Who is first changes, so that no side always finds a warm cache.
            for turn in 0..sides.len() {
                let side = (turn + step + round) % sides.len();
                let time = sides[side].timed_step()?;
                best[side] = best[side].min(time);
            }
        }
        check(&sides)?;
        bodies = sides[0].world.bodies().count();
        contacts = sides[0].world.contacts().len();
    }
    let [world, kept, stages] =
        [0, 1, 2].map(|side| best.iter().map(|times| times[side]).sum::<f64>());
    let more = |time: f64| format!("{:+.2} %", 100.0 * (time / stages - 1.0));
    let reached = if world <= (1.0 + GOAL) * stages { "yes" } else { "no" };
    let (name, each) = (scene.0, 1e3 * stages / STEPS as f64);
    let (kept, world) = (more(kept), more(world));
    Ok(format!("| {name} | {bodies} | {contacts} | {each:.3} | {kept} | {world} | {reached} |"))
}

/// All sides must have come to the same bits.
fn check(sides: &[Stepped]) -> Result<(), String> {
    let positions = |side: &Stepped| side.world.simulation().state.positions.clone();
    let first = positions(&sides[0]);
    match sides.iter().all(|side| positions(side) == first) {
        true => Ok(()),
        false => Err("a step of the world moves bodies differently from its stages".to_string()),
    }
}

/// Runs one side alone, for a profiler, which may know no CPU clock.
pub fn run_alone(scene: &str, side: &str, steps: usize) -> Result<(), String> {
    let names = |all: Vec<&str>| all.join(", ");
    let known = SCENES.into_iter().find(|(name, _)| *name == scene).ok_or_else(|| {
        format!("no such scene: {scene}; there are: {}", names(SCENES.map(|one| one.0).to_vec()))
    })?;
    let (_, side) = SIDES.into_iter().find(|(name, _)| *name == side).ok_or_else(|| {
        format!("no such side: {side}; there are: {}", names(SIDES.map(|one| one.0).to_vec()))
    })?;
    let mut stepped = Stepped::new(known, side)?;
    (0..steps).try_for_each(|_| stepped.step())
}
