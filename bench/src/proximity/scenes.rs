//! The five scenes of the paper, frame by frame, by every side; and an hour of each.

use std::time::Instant;

use pliant::math::Vec2;
use pliant_plane::outline::Outlines;
use pliant_plane::pairs::NearPairs;
use pliant_plane::{Backend, ProximityQuery, ProximityResult, QueryFlags};

use super::peers::{Parry, geo};
use super::{backends, spent};
use crate::engine::{Engine, Ours};
use crate::timing::fastest;

/// The paper's scenes: name, objects and lines of its table 2, ms on a GeForce2 in 2001.
const SCENES: [(&str, [usize; 2], f64); 5] = [
    ("map", [6, 719], 0.281),
    ("gears", [13, 391], 0.015),
    ("links", [15, 440], 0.020),
    ("cars", [18, 266], 0.007),
    ("wavy", [2, 200], 1.030),
];

/// Frames taken of a scene, spread over its duration.
const FRAMES: u64 = 32;

/// The usual bound, relative to the box of all outlines.
const USUAL: f64 = 1e-3;

/// Simulated time of a long run, s.
const HOUR: f64 = 3600.0;

/// A scene at several times.
struct Taken {
    frames: Vec<Outlines>,
    /// The usual bound, m.
    error: f64,
}

/// Prints the paper's table 2.
pub fn table() -> Result<(), String> {
    println!("ms a frame: pairs found, depths of all vertices inside others; wall for a GPU.\n");
    let names: Vec<String> = backends().into_iter().map(|(name, _)| name).collect();
    println!(
        "| scene | objects | lines | {} | parry2d | geo | GeForce2, 2001 |",
        names.join(" | ")
    );
    println!("|---|---|---|{}---|---|---|", "---|".repeat(names.len()));
    for (name, [objects, lines], paper) in SCENES {
        let taken = take(name)?;
        let found = [taken.frames[0].len(), taken.frames[0].points().len()];
        if found != [objects, lines] {
            return Err(format!("{name} has {found:?} objects and lines, not {objects}, {lines}"));
        }
        let mut times = Vec::new();
        for (_, mut backend) in backends() {
            times.push(time(backend.as_mut(), &taken.frames, taken.error)?);
        }
        let mut parry = Parry::new(&taken.frames[0]);
        let all = || taken.frames.iter();
        times.push(fastest(|| all().map(|frame| parry.frame(frame).inside).sum::<usize>()).0);
        times.push(fastest(|| all().map(|frame| geo(frame).inside).sum::<usize>()).0);
        let count = taken.frames.len() as f64;
        let times: Vec<String> =
            times.iter().map(|time| format!("{:.4}", 1e3 * time / count)).collect();
        println!("| {name} | {objects} | {lines} | {} | {paper} |", times.join(" | "));
    }
    Ok(())
}

/// Prints the paper's table 3: wavy at several bounds.
pub fn wavy() -> Result<(), String> {
    let taken = take("wavy")?;
    println!("ms a frame of wavy, d = {:.4} m.\n", taken.error);
    let names: Vec<String> = backends().into_iter().map(|(name, _)| name).collect();
    println!("| bound | {} | GeForce2, 2001 |", names.join(" | "));
    println!("|---|{}---|", "---|".repeat(names.len()));
    let paper = [("d/4", 0.25, 0.710), ("d/2", 0.5, 0.315), ("d", 1.0, 0.211), ("2d", 2.0, 0.176)];
    for (name, factor, reported) in paper.into_iter().chain([("4d", 4.0, 0.165)]) {
        let mut times = Vec::new();
        for (_, mut backend) in backends() {
            let spent = time(backend.as_mut(), &taken.frames, factor * taken.error)?;
            times.push(format!("{:.4}", 1e3 * spent / taken.frames.len() as f64));
        }
        println!("| {name} | {} | {reported} |", times.join(" | "));
    }
    Ok(())
}

/// Runs each scene, or those named, for an hour of simulated time; prints the results.
pub fn hour(names: &[&str]) -> Result<(), String> {
    println!(
        "| scene | simulated, s | wall, s | × real time | most inside | deepest, m | fastest at the end, m/s |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (name, ..) in SCENES.iter().filter(|(name, ..)| names.is_empty() || names.contains(name)) {
        let mut ours = Ours::new(name, &[])?;
        let (dt, every) = (ours.built.info.dt, ours.built.info.record_every);
        let steps = (HOUR / dt).ceil() as u64;
        let mut measure = pliant_plane::overlap::Measure::new(
            &ours.built.world.simulation().state.positions,
            &ours.built.world.simulation().system.bodies,
        );
        let (mut most, mut deepest, mut stepping) = (0, 0.0_f64, 0.0);
        for step in 1..=steps {
            let begun = Instant::now();
            let stepped = ours.built.world.step();
            stepping += begun.elapsed().as_secs_f64();
            stepped.map_err(|error| format!("{name}, step {step}: {error}"))?;
            // Ten samples a second are enough for an hour.
            if step.is_multiple_of(every * 6) {
                let simulation = ours.built.world.simulation();
                let overlap =
                    measure.measure(&simulation.state.positions, &simulation.system.bodies);
                most = most.max(overlap.penetrating_vertices);
                deepest = deepest.max(overlap.max_depth);
            }
            if step % (steps / 20).max(1) == 0 {
                eprintln!("{name}: {:.0} s", step as f64 * dt);
            }
        }
        let speed = crate::engine::fastest(&ours.state());
        let simulated = steps as f64 * dt;
        println!(
            "| {name} | {simulated:.0} | {stepping:.0} | {:.1} | {most} | {deepest:.1e} | {speed:.2e} |",
            simulated / stepping
        );
    }
    Ok(())
}

/// Time of all frames by one backend, s.
fn time(backend: &mut dyn Backend, frames: &[Outlines], error: f64) -> Result<f64, String> {
    let question = ProximityQuery { error, contact_distance: 0.0, flags: QueryFlags::DEPTHS };
    let (mut near, mut answers) = (NearPairs::default(), Vec::<ProximityResult>::new());
    let (time, outcome) = spent(backend.name(), || {
        for outlines in frames {
            let pairs = near.find(outlines, 0.0);
            backend.query(outlines, pairs, &question, &mut answers)?;
        }
        Ok::<(), pliant_plane::BackendError>(())
    });
    outcome.map(|()| time).map_err(|error| error.to_string())
}

/// Runs a scene and takes its outlines at even times.
fn take(name: &str) -> Result<Taken, String> {
    let mut ours = Ours::new(name, &[])?;
    let steps = ours.built.info.steps;
    let mut frames = Vec::new();
    for step in 1..=steps {
        let stepped = ours.built.world.step();
        stepped.map_err(|error| format!("{name}, step {step}: {error}"))?;
        if step.is_multiple_of((steps / FRAMES).max(1)) {
            frames.push(outlines(&ours)?);
        }
    }
    let points = frames.first().map_or(&[][..], |frame| frame.points());
    let low = points.iter().copied().fold(Vec2::INFINITY, Vec2::min);
    let high = points.iter().copied().fold(Vec2::NEG_INFINITY, Vec2::max);
    Ok(Taken { frames, error: USUAL * low.distance(high) })
}

/// The outlines of a scene, where they are.
fn outlines(ours: &Ours) -> Result<Outlines, String> {
    let simulation = ours.built.world.simulation();
    let mut outlines = Outlines::default();
    for body in simulation.system.bodies.ids() {
        let rings = simulation.system.bodies.rings(body).iter().map(|ring| {
            let points = ring.iter().map(|vertex| simulation.state.positions[vertex.index()]);
            points.map(|point| point.truncate()).collect::<Vec<Vec2>>()
        });
        outlines.push(&rings.collect::<Vec<_>>()).map_err(|error| error.to_string())?;
    }
    Ok(outlines)
}
