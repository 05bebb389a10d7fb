//! Soft bodies in motion: springs, solids and finite elements, beside rapier3d's springs.

mod scene;

mod ours;

mod rapier;

mod tables;

use std::time::Instant;

use pliant::body::soft::State;
use pliant::force::{Form, Tangent};
use pliant::math::Vec3;

use crate::allocations;
use crate::timing::{self, Spread};
use ours::{Method, Ours};
use rapier::Rapier;
use scene::{Matter, Scene, block, cloth};

/// One picture of sixty in a second, s.
const FRAME: f64 = 1.0 / 60.0;

/// Frames of a cloth: two seconds.
const CLOTH_FRAMES: usize = 120;

/// Frames of a block.
const BLOCK_FRAMES: usize = 20;

/// Frames with one and with two threads.
const THREAD_FRAMES: usize = 12;

/// Frames after which a scene counts as warm.
const WARM: usize = 2;

/// The reference makes this many times the steps that are stable.
const FINER: usize = 4;

/// Tets below which a block is stepped by symplectic Euler too.
const FEW: usize = 20_000;

/// Our methods and the peer.
const SIDES: usize = Method::ALL.len() + 1;

/// A scene's name, and what makes it.
type Named = (&'static str, fn() -> Result<Scene, String>);

/// All scenes.
const SCENES: [Named; 10] = [
    ("cloth30-10k", || Ok(cloth(42, 30.0))),
    ("cloth30-100k", || Ok(cloth(130, 30.0))),
    ("cloth120-10k", || Ok(cloth(42, 120.0))),
    ("cloth120-100k", || Ok(cloth(130, 120.0))),
    ("solid-10k", || block(Matter::Solid, 8)),
    ("solid-100k", || block(Matter::Solid, 17)),
    ("corotational-10k", || block(Matter::Corotational, 8)),
    ("corotational-100k", || block(Matter::Corotational, 17)),
    ("neo-hookean-10k", || block(Matter::NeoHookean, 8)),
    ("neo-hookean-100k", || block(Matter::NeoHookean, 17)),
];

/// Results of one scene.
struct Measured {
    name: String,
    vertices: usize,
    elements: usize,
    /// CPU time of one sum of all forces over elements, s.
    force: f64,
    /// CPU time of one assembled matrix over elements, s.
    tangent: f64,
    sides: Vec<Side>,
    /// CPU time of a frame of rapier3d, s.
    rapier: Option<Spread>,
    /// Where a cloth is after the last frame; of blocks there are none.
    outcomes: Vec<Outcome>,
}

/// Final shape of a cloth.
struct Outcome {
    side: &'static str,
    /// Height of the lowest vertex, m.
    lowest: f64,
    /// Mean height, m.
    mean: f64,
    /// Distance of its vertices from those of the reference, root mean square, m.
    error: f64,
}

/// Results of one of our methods.
struct Side {
    method: &'static str,
    substeps: usize,
    /// Iterations of the linear solver in a step, mean.
    iterations: f64,
    /// CPU time of a frame, s.
    time: Spread,
    /// Wall time with one thread over that with two.
    speedup: f64,
    /// Number of allocations of all warm frames.
    allocations: usize,
    /// Whether two threads are bitwise equal to one.
    same_bits: bool,
}

/// Prints the tables for some scenes, or for all.
///
/// `Err` when a warm step of ours allocates, or two threads differ bitwise from one.
pub fn run(wanted: &[&str]) -> Result<(), String> {
    let all: Vec<_> = SCENES.iter().map(|(name, _)| *name).collect();
    let wanted = if wanted.is_empty() { &all[..] } else { wanted };
    let mut measured = Vec::new();
    for name in wanted {
        eprintln!("{name} …");
        measured.push(measure(name, &scene_named(name)?)?);
    }
    tables::print(&measured);
    let wrong =
        |one: &&Measured| one.sides.iter().any(|side| side.allocations > 0 || !side.same_bits);
    let names: Vec<_> = measured.iter().filter(wrong).map(|one| one.name.as_str()).collect();
    if names.is_empty() { Ok(()) } else { Err(format!("not as it must be: {}", names.join(", "))) }
}

/// Runs ours alone, for a profiler; `method` counts in [`Method::ALL`].
pub fn run_ours(name: &str, method: &str, frames: &str) -> Result<(), String> {
    let number = |text: &str| text.parse().map_err(|_| format!("{text} is no number"));
    let (method, frames): (usize, usize) = (number(method)?, number(frames)?);
    let method = Method::ALL.get(method).ok_or_else(|| format!("there is no method {method}"))?;
    let mut ours = Ours::new(&scene_named(name)?, *method, 1)?;
    (0..frames).try_for_each(|_| ours.frame())?;
    println!(
        "{name}, {}: {frames} frames of {} steps, {:.1} iterations each",
        method.name(),
        ours.substeps,
        ours.iterations_per_step()
    );
    Ok(())
}

/// Methods that a scene is stepped with.
///
/// Large blocks would take hundreds of symplectic steps per frame: nobody would.
fn methods(scene: &Scene) -> &'static [Method] {
    let is_cloth = matches!(scene.matter, Matter::Cloth(..));
    let few = scene.element_count() < FEW;
    if is_cloth || few { &Method::ALL } else { &Method::ALL[1..] }
}

fn scene_named(name: &str) -> Result<Scene, String> {
    let known = SCENES.iter().find(|(known, _)| *known == name);
    let names = || SCENES.map(|(name, _)| name).join(", ");
    known.ok_or_else(|| format!("no such scene: {name}; there are: {}", names()))?.1()
}

fn measure(name: &str, scene: &Scene) -> Result<Measured, String> {
    let (force, tangent) = element_times(scene)?;
    let methods = methods(scene);
    let made: Result<Vec<_>, _> =
        methods.iter().map(|method| Ours::new(scene, *method, 1)).collect();
    let mut ours = made?;
    let mut rapier = Rapier::new(scene);
    let frames = if rapier.is_some() { CLOTH_FRAMES } else { BLOCK_FRAMES };
    let mut times = [(); SIDES].map(|()| Vec::with_capacity(frames));
    let mut allocated = [0; SIDES];
    // In turn, so that all meet the same machine.
    for frame in 0..frames {
        for (k, side) in ours.iter_mut().enumerate() {
            let (before, mut outcome) = (allocations::calls(), Ok(()));
            let time = timing::once(|| outcome = side.frame());
            outcome.map_err(|error| format!("{name}: {error}"))?;
            if frame >= WARM {
                allocated[k] += allocations::calls() - before;
            }
            times[k].push(time);
        }
        if let Some(rapier) = &mut rapier {
            times[SIDES - 1].push(timing::once(|| rapier.frame()));
        }
    }
    let spreads = times.map(Spread::of);
    let mut sides = Vec::new();
    for (k, (side, method)) in ours.iter().zip(methods).enumerate() {
        let (speedup, same_bits) = two_threads(scene, *method)?;
        sides.push(Side {
            method: method.name(),
            substeps: side.substeps,
            iterations: side.iterations_per_step(),
            time: spreads[k],
            speedup,
            allocations: allocated[k],
            same_bits,
        });
    }
    Ok(Measured {
        name: name.to_string(),
        vertices: scene.start.len(),
        elements: scene.element_count(),
        force,
        tangent,
        sides,
        rapier: rapier.is_some().then_some(spreads[SIDES - 1]),
        outcomes: rapier.map_or(Ok(Vec::new()), |rapier| outcomes(scene, &ours, &rapier))?,
    })
}

/// CPU time of one sum of forces and of one assembled matrix, each over elements, s.
///
/// Taken where a few frames have brought the scene: at its start nothing pulls.
fn element_times(scene: &Scene) -> Result<(f64, f64), String> {
    let mut moved = Ours::new(scene, Method::ALL[1], 1)?;
    (0..WARM).try_for_each(|_| moved.frame())?;
    let (state, count) = (moved.state().clone(), scene.element_count() as f64);
    let motion = state.motion();
    let mut forces = vec![Vec3::ZERO; scene.start.len()];
    let force = timing::fastest(|| moved.system().forces.sum(motion, &mut forces)).0;
    let tangent = Tangent { stiffness: FRAME * FRAME, damping: FRAME, form: Form::Definite };
    let built = timing::fastest(|| {
        moved.system_mut().forces.assemble(motion, tangent).map_or(0, |matrix| matrix.len())
    })
    .0;
    Ok((force / count, built / count))
}

/// Wall time with one thread over that with two, and whether the bits agree.
fn two_threads(scene: &Scene, method: Method) -> Result<(f64, bool), String> {
    let mut one = Ours::new(scene, method, 1)?;
    let mut two = Ours::new(scene, method, 2)?;
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..THREAD_FRAMES {
        for (side, times) in [&mut one, &mut two].into_iter().zip(&mut times) {
            let clock = Instant::now();
            side.frame()?;
            times.push(clock.elapsed().as_secs_f64());
        }
    }
    let [alone, both] = times.map(|times| Spread::of(times).p10);
    let bits = |side: &Ours| -> Vec<[u64; 3]> {
        let State { positions, velocities, .. } = side.state();
        positions.iter().chain(velocities).map(|v| v.to_array().map(f64::to_bits)).collect()
    };
    Ok((alone / both, bits(&one) == bits(&two)))
}

/// The cloth of every side after the last frame, against one with finer steps.
fn outcomes(scene: &Scene, ours: &[Ours], rapier: &Rapier) -> Result<Vec<Outcome>, String> {
    let mut fine = Ours::new(scene, Method::Symplectic(FINER), 1)?;
    (0..CLOTH_FRAMES).try_for_each(|_| fine.frame())?;
    let reference = &fine.state().positions;
    let outcome = |side, positions: &[Vec3]| {
        let count = positions.len() as f64;
        let apart = positions.iter().zip(reference).map(|(a, b)| a.distance_squared(*b));
        Outcome {
            side,
            lowest: positions.iter().map(|p| p.z).fold(f64::INFINITY, f64::min),
            mean: positions.iter().map(|p| p.z).sum::<f64>() / count,
            error: (apart.sum::<f64>() / count).sqrt(),
        }
    };
    let mut found = vec![outcome("finer steps", reference)];
    let sides = ours.iter().zip(Method::ALL);
    found.extend(sides.map(|(side, method)| outcome(method.name(), &side.state().positions)));
    found.push(outcome("rapier3d", &rapier.positions()));
    Ok(found)
}
