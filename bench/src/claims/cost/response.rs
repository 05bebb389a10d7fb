//! Cost of the contact surface at the sizes of the paper, with the paper's material.

use std::sync::Arc;

use pliant::profile::Stage;
use pliant::step::Simulation;
use pliant_run::run::cpu_profiler::CpuProfiler;

use crate::claims::inside::{Inside, inside};
use crate::claims::sweep::response;
use crate::claims::tables::{begin, go_on};
use crate::engine::{Engine, Ours};
use crate::rows::Amount;

/// How much faster the response must be.
const GOAL: f64 = 15.0;

/// One of the paper's scenes.
struct Figure {
    /// Where it is in the paper, with its vertices and surface triangles.
    name: &'static str,
    /// Average time of collision response there, s.
    theirs: f64,
    /// Ours of about the size.
    scene: &'static str,
    /// Bodies of the scene with the size of their elements, m.
    bodies: &'static [f64],
    /// Values set beside the material.
    sets: &'static [&'static str],
    /// Time that the scene is run before with the constraint and steps of 1/60 s, s.
    filled: f64,
    /// Time that is simulated, s.
    duration: f64,
}

/// A dish with as many surface triangles as the paper's.
const DISH: [&str; 3] = [
    "bodies.0.pattern.count=151",
    "bodies.0.pattern.counts=[4, 4, 10]",
    "bodies.0.position.2=\"=13.2 * radius\"",
];

/// The scenes of the paper that have a time.
const FIGURES: [Figure; 4] = [
    Figure {
        name: "fig. 7: 323, 624",
        theirs: 2e-3,
        scene: "cubes-on-membrane",
        bodies: &[0.2, 0.2, 0.2, 0.2],
        // With longer steps the cubes fall through.
        sets: &["dt=0.002"],
        filled: 0.0,
        duration: 2.0,
    },
    Figure {
        name: "fig. 8: 95, 166",
        theirs: 0.9e-3,
        scene: "squeezed-sphere",
        bodies: &[0.25, 0.7, 0.7],
        sets: &[
            "bodies.0.mesh.layers=2",
            "bodies.1.mesh.cells=[2, 2, 2]",
            "bodies.2.mesh.cells=[2, 2, 2]",
            "squeeze=0.2",
        ],
        filled: 0.0,
        duration: 3.0,
    },
    Figure {
        name: "fig. 9: 16030, 27116; fruits lie in the dish, 1/240 s",
        theirs: 72e-3,
        scene: "fruit-dish",
        bodies: &[0.33],
        sets: &[DISH[0], DISH[1], DISH[2], "dt=0.004166666666666667"],
        filled: 5.0,
        duration: 0.5,
    },
    Figure {
        name: "the same; fruits dropped all at once, 1/60 s",
        theirs: 72e-3,
        scene: "fruit-dish",
        bodies: &[0.33],
        sets: &DISH,
        filled: 0.0,
        duration: 2.0,
    },
];

/// Steps with contact between those that pairs are counted in.
const PAIRS_EVERY: u64 = 50;

/// Results of one scene, in steps with contact.
#[derive(Default)]
struct Cost {
    vertices: usize,
    triangles: usize,
    /// Steps with contact.
    steps: u64,
    /// Contacts of such a step, mean.
    contacts: f64,
    /// Vertices inside and pairs of bodies in each other, sums over some of the steps.
    inside: [usize; 2],
    /// Per step: detection and depth, response, all forces and solving, s.
    depth: f64,
    respond: f64,
    whole: f64,
}

/// All figures.
pub fn run(_: Amount) -> Result<(), String> {
    println!(
        "Average over the steps with contact: detection, depth and response. Material: distances, areas and \
         volumes. [Spillmann05 §4.6]: Pentium 4 at 3.2 GHz. Goal: {GOAL} times faster.\n"
    );
    let head = [
        "paper: vertices, triangles",
        "ours",
        "steps with contact",
        "contacts a step",
        "points inside per pair of bodies",
        "detect and depth, ms",
        "respond, ms",
        "together, ms",
        "paper, ms",
        "times faster",
        "reached",
        "whole step, ms",
    ];
    begin(&head);
    for figure in &FIGURES {
        let cost = measure(figure)?;
        let ours = cost.depth + cost.respond;
        go_on(&[
            figure.name.to_string(),
            format!("{}, {}", cost.vertices, cost.triangles),
            cost.steps.to_string(),
            format!("{:.0}", cost.contacts),
            format!("{:.0}", cost.inside[0] as f64 / cost.inside[1].max(1) as f64),
            format!("{:.3}", 1e3 * cost.depth),
            format!("{:.3}", 1e3 * cost.respond),
            format!("{:.3}", 1e3 * ours),
            format!("{}", 1e3 * figure.theirs),
            format!("{:.1}", figure.theirs / ours),
            (if figure.theirs / ours >= GOAL { "yes" } else { "no" }).to_string(),
            format!("{:.2}", 1e3 * cost.whole),
        ]);
        eprintln!("  {}", figure.name);
    }
    Ok(())
}

fn measure(figure: &Figure) -> Result<Cost, String> {
    let sets = figure.sets.iter().map(|set| (*set).to_string());
    let materials = figure.bodies.iter().enumerate().map(|(body, size)| solid(body, *size));
    let sets: Vec<_> = sets.chain(materials).collect();
    let with = |more: &[String]| Ours::new(figure.scene, &[&sets[..], more].concat());
    let mut ours = with(&[response("surface")])?;
    if figure.filled > 0.0 {
        let mut before = with(&[response("constraint"), format!("dt={}", 1.0 / 60.0)])?;
        for _ in 0..(60.0 * figure.filled).round() as u64 {
            before.step()?;
        }
        ours.built.world.simulation_mut().state = before.state();
        eprintln!("  filled");
    }
    let watch = Arc::new(CpuProfiler::default());
    let dt = ours.built.info.dt;
    let simulation = ours.built.world.simulation_mut();
    simulation.system.profiler = Some(watch.clone());
    let mut cost = Cost {
        vertices: simulation.state.positions.len(),
        triangles: simulation.system.bodies.triangles().len(),
        ..Cost::default()
    };
    for _ in 0..(figure.duration / dt).round() as u64 {
        let before = watch.spent();
        let report = simulation.step(dt).map_err(|error| error.to_string())?;
        if report.contact.contacts == 0 {
            continue;
        }
        let after = watch.spent();
        let spent = |stage: Stage| 1e-9 * (after[stage as usize] - before[stage as usize]) as f64;
        if cost.steps.is_multiple_of(PAIRS_EVERY) {
            let found = points_and_pairs(simulation);
            cost.inside = [cost.inside[0] + found[0], cost.inside[1] + found[1]];
        }
        cost.steps += 1;
        cost.contacts += report.contact.contacts as f64;
        cost.depth += spent(Stage::Detect) + spent(Stage::Depth);
        cost.respond += spent(Stage::Contact);
        cost.whole += spent(Stage::Step);
    }
    let steps = cost.steps.max(1) as f64;
    for sum in [&mut cost.contacts, &mut cost.depth, &mut cost.respond, &mut cost.whole] {
        *sum /= steps;
    }
    Ok(cost)
}

/// Vertices inside, once for each body that they are in, and pairs of bodies in each other.
fn points_and_pairs(simulation: &Simulation) -> [usize; 2] {
    let mut pairs = Vec::new();
    for Inside { owner, into, .. } in inside(simulation) {
        pairs.extend(into.iter().map(|other| [owner.min(*other), owner.max(*other)]));
    }
    let points = pairs.len();
    pairs.sort_unstable();
    pairs.dedup();
    [points, pairs.len()]
}

/// The paper's material for a body whose edges are this long, m: as stiff as some 1e5 Pa.
fn solid(body: usize, size: f64) -> String {
    let stiffness = 1e5 * pliant::math::powi(size, 3) / 6.0;
    let [volume, damping] = [4.0 * stiffness, 0.01 * stiffness];
    format!(
        "bodies.{body}.material={{ kind = \"solid\", distance = {stiffness:e}, area = {stiffness:e}, \
         volume = {volume:e}, distance_damping = {damping:e}, volume_damping = {damping:e}, density = 100.0 }}"
    )
}
