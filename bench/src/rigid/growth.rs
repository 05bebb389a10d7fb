//! Boxes in growing numbers, and the same work by two threads.

use std::time::Instant;

use pliant_scene::digest::digest;

use crate::engine::Ours;
use crate::rigid::beside::{self, Beside};
use crate::rigid::{heaps, ours};

/// Numbers of boxes.
const COUNTS: [u32; 5] = [100, 300, 1000, 3000, 10_000];

/// Steps by one and by two threads.
const STEPS: usize = 120;

/// How much faster two threads are than one at least.
pub const FASTER: f64 = 1.6;

/// The same scene by one thread and by two, in turn.
pub struct Threaded {
    /// For a table.
    pub name: &'static str,
    /// Of all steps on the clock, s, by one thread and by two.
    pub times: [f64; 2],
    /// Digest of the state at the end, of each.
    pub digests: [String; 2],
}

/// All numbers, ours and rapier3d's.
pub fn run() -> Result<Vec<Beside>, String> {
    COUNTS.into_iter().map(beside::boxes).collect()
}

/// All scenes by one thread and by two.
pub fn threads() -> Result<Vec<Threaded>, String> {
    let scenes = [
        ("pyramid of 465 boxes", ours::pyramid()),
        ("1000 tumbling non-convex bodies", ours::tumbling()),
        ("3000 falling boxes", heaps::boxes(3000)),
    ];
    scenes.into_iter().map(|(name, text)| threaded(name, &text)).collect()
}

fn threaded(name: &'static str, text: &str) -> Result<Threaded, String> {
    let mut both: Vec<Ours> = Vec::new();
    for threads in [1, 2] {
        let mut own = ours::load("threads", text)?;
        own.built.world.set_threads(threads);
        both.push(own);
    }
    let mut times = [0.0; 2];
    for _ in 0..STEPS {
        for (own, time) in both.iter_mut().zip(&mut times) {
            let clock = Instant::now();
            own.built.world.step().map_err(|error| error.to_string())?;
            *time += clock.elapsed().as_secs_f64();
        }
    }
    eprintln!("  {name}: done");
    let of = |k: usize| digest(&both[k].built.world.simulation().state).to_string();
    Ok(Threaded { name, times, digests: [of(0), of(1)] })
}
