//! How far overlapping bodies are moved, over the least translation that separates them.

use pliant::math::random::Random;
use pliant::math::{Quat, Vec3};
use pliant::prelude::{SoftBody, World};
use pliant::record::overlap::Measure;

use super::trial::text;
use crate::many::{Many, Worse};
use crate::rows::{Amount, side_by_side};

/// Steps that a pose has.
const STEPS: usize = 40;

/// Overlaps below this, m, are not compared: contacts leave a gap of their own.
const LEAST: f64 = 0.02;

/// Balls along an edge of the knot.
const KNOT: usize = 3;

fn floating() -> Result<World, String> {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).map_err(text)?;
    world.set_threads(1);
    Ok(world)
}

fn is_free(world: &World) -> bool {
    let simulation = world.simulation();
    let (positions, bodies) = (&simulation.state.positions, &simulation.system.bodies);
    let found = Measure::new(positions, bodies).measure(positions, bodies);
    found.penetrating_vertices + found.edge_crossings == 0
}

/// Steps; the error is one of the world.
fn run_steps(world: &mut World) -> Result<(), String> {
    (0..STEPS).try_for_each(|_| world.step().map(drop).map_err(text))
}

/// Least translation of two boxes by separating axes, m; the first is turned and moved.
fn least_translation(size: Vec3, turns: [Quat; 2], shift: Vec3) -> f64 {
    let frames = turns.map(|turn| [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| turn * axis));
    let products = frames[0].iter().flat_map(|a| frames[1].iter().map(|b| a.cross(*b)));
    let axes = frames.iter().flatten().copied().chain(products);
    let width = |axis: Vec3| {
        let reach = |k: usize| {
            let [x, y, z] = frames[k].map(|edge| edge.dot(axis).abs());
            0.5 * size.dot(Vec3::new(x, y, z))
        };
        reach(0) + reach(1) - shift.dot(axis).abs()
    };
    axes.filter_map(|axis| axis.try_normalize()).map(width).fold(f64::INFINITY, f64::min)
}

/// Way of two cubes of 1 m relative to each other, over the least; infinite if not free.
fn cubes(seed: u32, overlap: f64, tilt: f64) -> Result<f64, String> {
    let mut random = Random::new(u64::from(seed));
    let mut turn = || {
        let angles = tilt * random.vec3();
        Quat::from_rotation_x(angles.x)
            * Quat::from_rotation_y(angles.y)
            * Quat::from_rotation_z(angles.z)
    };
    let turns = [turn(), turn()];
    let aside = 0.1 * random.vec3();
    let shift = Vec3::new(1.0 - overlap, aside.y, aside.z);
    let mut world = floating()?;
    let cube = || SoftBody::cuboid(Vec3::ONE, [5; 3]).young(3e4).poisson(0.4).density(100.0);
    let first = world.add(cube().at(shift).rotated(turns[0])).map_err(text)?;
    let second = world.add(cube().rotated(turns[1])).map_err(text)?;
    run_steps(&mut world)?;
    let apart = world.centre(first).map_err(text)? - world.centre(second).map_err(text)?;
    let least = least_translation(Vec3::ONE, turns, shift).max(LEAST);
    Ok(if is_free(&world) { (apart - shift).length() / least } else { f64::INFINITY })
}

/// The same of two balls of diameter 0.3 m.
fn balls(seed: u32, overlap: f64, _: f64) -> Result<f64, String> {
    let mut random = Random::new(u64::from(seed));
    let direction = random.vec3().try_normalize().unwrap_or(Vec3::X);
    let shift = 0.3 * (1.0 - overlap) * direction;
    let mut world = floating()?;
    let ball = || SoftBody::ball(0.15, 3).young(1e5).density(500.0);
    let first = world.add(ball().at(shift)).map_err(text)?;
    let second = world.add(ball()).map_err(text)?;
    run_steps(&mut world)?;
    let apart = world.centre(first).map_err(text)? - world.centre(second).map_err(text)?;
    let least = (0.3 * overlap).max(LEAST);
    Ok(if is_free(&world) { (apart - shift).length() / least } else { f64::INFINITY })
}

/// Moves of a knot of balls: the mean and the largest way, in diameters, and whether it is free.
fn knot(spacing: f64) -> Result<(f64, f64, bool), String> {
    let mut world = floating()?;
    let (mut handles, mut starts) = (Vec::new(), Vec::new());
    for k in 0..KNOT * KNOT * KNOT {
        let cell = [k % KNOT, k / KNOT % KNOT, k / KNOT / KNOT].map(|k| k as f64);
        let at = spacing * Vec3::from(cell);
        let ball = SoftBody::ball(0.15, 2).young(1e5).density(500.0).at(at);
        handles.push(world.add(ball).map_err(text)?);
        starts.push(at);
    }
    run_steps(&mut world)?;
    let distances = handles.iter().zip(&starts).map(|(handle, start)| {
        world.centre(*handle).map(|centre| centre.distance(*start) / 0.3).map_err(text)
    });
    let distances = distances.collect::<Result<Vec<f64>, String>>()?;
    let mean = distances.iter().sum::<f64>() / distances.len() as f64;
    Ok((mean, distances.iter().copied().fold(0.0, f64::max), is_free(&world)))
}

/// All poses; prints the ratios.
pub fn run(amount: Amount) -> Result<(), String> {
    println!("Goal: at most 1.3. Infinite: not free after {STEPS} steps.\n");
    println!(
        "| bodies | overlap | tilt, rad | poses | way over least, median | worst (seed) | over 1.3 |"
    );
    println!("|---|---|---|---|---|---|---|");
    type Pair = fn(u32, f64, f64) -> Result<f64, String>;
    let pairs: [(&str, Pair, &[f64], &[f64]); 2] = [
        ("cubes", cubes, &[0.1, 0.3, 0.5, 0.8, 0.9], &[0.1, 0.8]),
        ("balls", balls, &[0.3, 0.8, 0.9], &[0.0]),
    ];
    let seeds: Vec<u32> = (1..=amount.poses).collect();
    for (name, pair, overlaps, tilts) in pairs {
        for &tilt in tilts {
            for &overlap in overlaps {
                let ratios = side_by_side(amount.jobs, &seeds, |seed| pair(seed, overlap, tilt))?;
                let over = ratios.iter().filter(|ratio| **ratio > 1.3).count();
                let all = seeds.iter().copied().zip(ratios.iter().copied());
                let many = Many::of(all, Worse::Larger);
                println!(
                    "| {name} | {:.0} % | {tilt} | {} | {:.3} | {:.3} ({}) | {over} |",
                    1e2 * overlap,
                    seeds.len(),
                    many.median,
                    many.worst,
                    many.seed
                );
            }
        }
    }
    println!(
        "\n| knot of 27 balls, spacing in diameters | mean way, diameters | farthest | free |"
    );
    println!("|---|---|---|---|");
    for spacing in [0.2, 0.5, 0.8] {
        let (mean, most, free) = knot(0.3 * spacing)?;
        println!("| {spacing} | {mean:.2} | {most:.2} | {} |", if free { "yes" } else { "no" });
    }
    Ok(())
}
