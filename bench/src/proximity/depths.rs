//! Depths of all vertices of six outlines, frame after frame, by every side.

use pliant_plane::brute::Brute;
use pliant_plane::pairs::NearPairs;
use pliant_plane::{Backend, ProximityQuery, ProximityResult, QueryFlags};

use super::frames::{Frames, map as map_frames};
use super::peers::{Found, Parry, geo};
use super::{backends, spent};
use crate::timing::fastest;

/// Bound of the error of images, m: a thousandth of map's box, about.
const ERROR: f64 = 0.004;

/// The query of a penalty response.
const QUESTION: ProximityQuery =
    ProximityQuery { error: ERROR, contact_distance: 0.0, flags: QueryFlags::DEPTHS };

/// Prints time per frame, what was found, and how far depths are off.
pub fn map() -> Result<(), String> {
    let frames = map_frames()?;
    println!(
        "Six outlines, {} segments ({}), error bound {ERROR}; ms a frame, of CPU time or on the clock for a GPU, pairs found anew.\n",
        frames.frames[0].points().len(),
        frames.origin
    );
    println!("| side | ms a frame | vertices inside | Σ depth, m | largest error, m |");
    println!("|---|---|---|---|---|");
    let (mut near, mut exact, mut answers) = (NearPairs::default(), Vec::new(), Vec::new());
    all(&mut Brute, &frames, &mut near, &mut exact)?;
    for (name, mut backend) in backends() {
        let (time, outcome) =
            spent(&name, || all(backend.as_mut(), &frames, &mut near, &mut answers));
        outcome?;
        let (found, off) = compared(&answers, &exact)?;
        line(&name, time / frames.frames.len() as f64, found, &format!("{off:.1e}"));
    }
    let mut parry = Parry::new(&frames.frames[0]);
    let (time, found) = fastest(|| sum(frames.frames.iter().map(|frame| parry.frame(frame))));
    line("parry2d, refit and query", time / frames.frames.len() as f64, found, "");
    let (time, found) = fastest(|| sum(frames.frames.iter().map(geo)));
    line("geo", time / frames.frames.len() as f64, found, "");
    Ok(())
}

fn line(name: &str, time: f64, found: Found, off: &str) {
    println!("| {name} | {:.4} | {} | {:.6} | {off} |", 1e3 * time, found.inside, found.depths);
}

fn sum(found: impl Iterator<Item = Found>) -> Found {
    found.fold(Found::default(), |all, one| Found {
        inside: all.inside + one.inside,
        depths: all.depths + one.depths,
    })
}

/// Results of all frames, near pairs found anew in each; memory is reused.
fn all(
    backend: &mut dyn Backend,
    frames: &Frames,
    near: &mut NearPairs,
    answers: &mut Vec<Vec<ProximityResult>>,
) -> Result<(), String> {
    answers.resize_with(frames.frames.len(), Vec::new);
    for (outlines, answers) in frames.frames.iter().zip(answers) {
        let pairs = near.find(outlines, 0.0);
        let asked = backend.query(outlines, pairs, &QUESTION, answers);
        asked.map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// What was found, and the largest difference of a depth from the exact one.
fn compared(
    found: &[Vec<ProximityResult>],
    exact: &[Vec<ProximityResult>],
) -> Result<(Found, f64), String> {
    let (mut total, mut off) = (Found::default(), 0.0_f64);
    for (found, exact) in found.iter().flatten().zip(exact.iter().flatten()) {
        if found.penetration.len() != exact.penetration.len() {
            let counts = [found, exact].map(|answer| answer.penetration.len());
            return Err(format!("{} vertices inside, {} expected", counts[0], counts[1]));
        }
        for (found, exact) in found.penetration.iter().zip(&exact.penetration) {
            total.inside += 1;
            total.depths += found.depth;
            off = off.max((found.depth - exact.depth).abs());
        }
    }
    Ok((total, off))
}
