//! Nine membranes on each other: time to rest, number of swings, compression.

use pliant::id::BodyId;

use crate::claims::surface::{WAYS, way};
use crate::claims::sweep::{Variation, step};
use crate::claims::tables::{begin, go_on};
use crate::engine::{Engine, Judge, Ours};
use crate::rows::Amount;

/// Number of membranes.
const COUNT: u32 = 9;

/// Thickness of each, m.
const THICKNESS: f64 = 0.05;

/// At rest: kinetic energy per its peak.
const REST: f64 = 1e-3;

/// Maxima of the kinetic energy count above this part of the peak.
const SWING: f64 = 1e-2;

/// Time that is simulated, s.
const DURATION: f64 = 4.0;

/// Steps per simulated second, 1/s.
const RATES: [u32; 3] = [60, 240, 960];

/// Results of the stack.
struct Fall {
    /// Time from which the kinetic energy stays below [`REST`], s; none when it never does.
    rest: Option<f64>,
    /// Number of maxima of the kinetic energy above [`SWING`].
    swings: usize,
    /// Kinetic energy in the end per its peak.
    last: f64,
    /// Distance between the centres of the outer membranes per that without stress.
    height: f64,
    /// Vertices inside in the end.
    inside: usize,
    /// Deepest of them, m.
    deepest: f64,
    /// Edges through triangles in the end, pairs.
    crossings: usize,
    /// Inverted tets in the end.
    inverted: usize,
}

/// All responses, over steps.
pub fn run(_: Amount) -> Result<(), String> {
    println!(
        "{COUNT} membranes of 11 × 11 × 2 vertices, {THICKNESS} m thick. At rest: energy of motion below {REST:e} \
         of its peak until the end, at {DURATION} s. Swings: its maxima above {SWING:e} of the peak. Height: \
         of the centres of the outer membranes, over that without stress.\n"
    );
    let head = [
        "step",
        "response",
        "at rest after, s",
        "swings",
        "energy of motion, end / peak",
        "height",
        "vertices inside",
        "deepest, m",
        "edge crossings",
        "inverted tets",
    ];
    begin(&head);
    for rate in RATES {
        for name in WAYS {
            go_on(&row(&step(rate), name)?);
            eprintln!("  1/{rate} s, {name}");
        }
    }
    Ok(())
}

fn row(variation: &Variation, name: &str) -> Result<Vec<String>, String> {
    let start = vec![variation.name.clone(), name.to_string()];
    let fall = match fall(&variation.with(&way(name))) {
        Ok(fall) => fall,
        Err(error) => return Ok([start, vec![format!("broke off: {error}")]].concat()),
    };
    let reported = vec![
        fall.rest.map_or("not at rest".to_string(), |time| format!("{time:.2}")),
        fall.swings.to_string(),
        format!("{:.1e}", fall.last),
        format!("{:.3}", fall.height),
        fall.inside.to_string(),
        format!("{:.4}", fall.deepest),
        fall.crossings.to_string(),
        fall.inverted.to_string(),
    ];
    Ok([start, reported].concat())
}

fn fall(sets: &[String]) -> Result<Fall, String> {
    let mut ours = Ours::new("membrane-stack", sets)?;
    let mut judge = Judge::of(&ours.built);
    let dt = ours.built.info.dt;
    let mut energies = Vec::new();
    for _ in 0..(DURATION / dt).round() as u64 {
        ours.step()?;
        let simulation = ours.built.world.simulation();
        energies.push(simulation.state.kinetic(&simulation.system.masses));
    }
    let state = ours.state();
    let [low, high] = [0, COUNT - 1].map(|body| judge.place(&state, BodyId(body)).z);
    let overlap = judge.overlap(&state);
    let (rest, swings, last) = reported(&energies);
    Ok(Fall {
        rest: rest.map(|step| step as f64 * dt),
        swings,
        last,
        height: (high - low) / (f64::from(COUNT - 1) * THICKNESS),
        inside: overlap.penetrating_vertices,
        deepest: overlap.max_depth,
        crossings: overlap.edge_crossings,
        inverted: overlap.inverted_tets,
    })
}

/// Steps until rest, swings, and the last energy per the peak.
fn reported(energies: &[f64]) -> (Option<usize>, usize, f64) {
    let peak = energies.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    let moving = energies.iter().rposition(|energy| *energy >= REST * peak);
    let rest = moving.map_or(0, |step| step + 1);
    let is_maximum = |three: &&[f64]| three[1] > three[0] && three[1] >= three[2];
    let maxima = energies.windows(3).filter(is_maximum);
    let swings = maxima.filter(|three| three[1] > SWING * peak).count();
    let last = energies.last().copied().unwrap_or_default() / peak;
    ((rest < energies.len()).then_some(rest), swings, last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rest_begins_after_the_last_motion() {
        // Peak 8; 0.5 is a swing, 0.05 is none, and both are above 0.008.
        let energies = [0.0, 8.0, 0.1, 0.5, 0.01, 0.05, 0.0, 0.004];
        assert_eq!(reported(&energies), (Some(6), 2, 0.0005));
        assert_eq!(reported(&energies[..6]).0, None);
    }
}
