//! Memory and time against the number of segments, with outlines that are hard on both.

use std::time::Instant;

use pliant::math::Vec2;
use pliant_plane::generate::hostile::Hostile;
use pliant_plane::outline::Outlines;
use pliant_plane::outline::crossings::crossings;
use pliant_plane::{Backend, Pair, ProximityQuery, QueryFlags};

use super::backends;
use crate::allocations::peak;
use crate::timing::single;

/// Segments of both outlines.
const SIZES: [usize; 5] = [100, 1000, 10_000, 100_000, 1_000_000];

/// Bound of lengths, relative to the diagonal of the box, as the program has it by default.
const BOUND: f64 = 1e-3;

/// Ten times as many segments are not tried by a side that took longer, s.
const PATIENCE: f64 = 30.0;

/// Bytes of a megabyte.
const MEGABYTE: f64 = 1e6;

/// Prints a table: preparing the outlines, and everything there is to know of them.
pub fn table() -> Result<(), String> {
    let sides = backends();
    let names = sides.iter().map(|(name, _)| format!("{name}, ms | MB")).collect::<Vec<_>>();
    println!("| outlines | segments | prepare, ms | MB | {} |", names.join(" | "));
    println!("|---|---|---|---|{}", "---|---|".repeat(sides.len()));
    for family in Hostile::ALL {
        // Anew, so that memory of another family is not at hand.
        let mut sides = backends();
        let mut patient = vec![true; sides.len()];
        for segments in SIZES {
            let rings = family.rings(segments / 2).map_err(|error| error.to_string())?;
            let (time, (outlines, bytes)) = single(|| peak(|| prepared(family, segments, &rings)));
            let outlines = outlines?;
            let made = outlines.points().len();
            print!("| {} | {made} | {} |", family.name(), cell(time, bytes));
            for ((name, backend), patient) in sides.iter_mut().zip(&mut patient) {
                if !*patient {
                    print!(" – | – |");
                    continue;
                }
                let clock = Instant::now();
                let (cpu, (outcome, bytes)) =
                    single(|| peak(|| query(backend.as_mut(), &outlines)));
                let on_clock = clock.elapsed().as_secs_f64();
                let time = if name.starts_with("gpu") { on_clock } else { cpu };
                outcome?;
                *patient = time < PATIENCE;
                print!(" {} |", cell(time, bytes));
            }
            println!();
        }
    }
    Ok(())
}

/// Both outlines, turned and looked through for crossings, as a reader of files does it.
fn prepared(family: Hostile, segments: usize, rings: &[Vec<Vec2>]) -> Result<Outlines, String> {
    let mut outlines = Outlines::default();
    let shift = family.shift(segments / 2);
    let shifted: Vec<Vec<Vec2>> =
        rings.iter().map(|ring| ring.iter().map(|point| *point + shift).collect()).collect();
    for (outline, rings) in [rings, &shifted].into_iter().enumerate() {
        outlines.push(rings).map_err(|error| error.to_string())?;
        crossings(&outlines, outline);
    }
    Ok(outlines)
}

fn query(backend: &mut dyn Backend, outlines: &Outlines) -> Result<(), String> {
    let points = || outlines.points().iter().copied();
    let low = points().fold(Vec2::INFINITY, Vec2::min);
    let high = points().fold(Vec2::NEG_INFINITY, Vec2::max);
    let error = BOUND * low.distance(high);
    let question = ProximityQuery { error, contact_distance: error, flags: QueryFlags::ALL };
    let mut results = Vec::new();
    let asked = backend.query(outlines, &[Pair { a: 0, b: 1 }], &question, &mut results);
    asked.map_err(|error| error.to_string())
}

fn cell(time: f64, bytes: usize) -> String {
    format!("{:.3} | {:.2}", 1e3 * time, bytes as f64 / MEGABYTE)
}
