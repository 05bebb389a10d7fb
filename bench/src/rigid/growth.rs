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

/// Each of so many steps is timed.
const EVERY: usize = 10;

/// Times that it is made by each, in turn, from a saved state; the fastest counts.
///
/// Whoever else uses the machine makes single steps slow, by two threads more than by one.
const REPEATS: usize = 5;

/// How much faster two threads are than one at least.
pub const FASTER: f64 = 1.6;

/// The same scene by one thread and by two, in turn.
pub struct Threaded {
    /// For a table.
    pub name: &'static str,
    /// Of the steps that are timed on the clock, s, by one thread and by two.
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
    let reported = |error: pliant::world::WorldError| error.to_string();
    for step in 1..=STEPS {
        let mut fastest = [f64::INFINITY; 2];
        if step % EVERY == 0 {
            let saved = both[0].built.world.save().map_err(reported)?;
            for _ in 0..REPEATS {
                for (own, fastest) in both.iter_mut().zip(&mut fastest) {
                    own.built.world.restore(&saved).map_err(reported)?;
                    let clock = Instant::now();
                    own.built.world.step().map_err(reported)?;
                    *fastest = fastest.min(clock.elapsed().as_secs_f64());
                }
            }
            times.iter_mut().zip(fastest).for_each(|(time, own)| *time += own);
            continue;
        }
        for own in &mut both {
            own.built.world.step().map_err(reported)?;
        }
    }
    eprintln!("  {name}: done");
    let of = |k: usize| digest(&both[k].built.world.simulation().state).to_string();
    Ok(Threaded { name, times, digests: [of(0), of(1)] })
}
