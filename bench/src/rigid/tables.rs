//! The tables of `cargo xtask bench rigid`, ready for the book.

use crate::rigid::angle::{self, AngleRow};
use crate::rigid::beside::{self, Beside, Side};
use crate::rigid::drift::{self, DriftRow};

/// Ours and rapier3d's.
pub fn beside(run: &Beside) {
    println!(
        "{} bodies, {} steps of {:.2} ms, nobody sleeps; ms per step are median [10th percentile], \
         in turn.{}\n",
        run.bodies,
        run.steps,
        1e3 * run.dt,
        if run.has_goal {
            format!(" Goal: within {} times.", beside::RATIO)
        } else {
            String::new()
        }
    );
    println!(
        "| side | ms per step | all steps, s | ours over theirs, by median | by all steps \
         | inside in the end | most | crossings in the end | most | rms, m/s | top, m | ended |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let Some(ours) = run.sides.first() else { return };
    for side in &run.sides {
        let ratio = |own: f64, other: f64| match std::ptr::eq(side, ours) {
            true => "–".to_string(),
            false => format!("{:.2}", own / other),
        };
        println!(
            "| {} | {} | {:.1} | {} | {} | {} | {} | {} | {} | {:.2e} | {:.3} | {} |",
            side.name,
            side.time.milliseconds(),
            side.total,
            ratio(ours.time.median, side.time.median),
            ratio(ours.total, side.total),
            side.inside[0],
            side.inside[1],
            side.crossings[0],
            side.crossings[1],
            side.rms,
            side.top,
            ended(side),
        );
    }
}

fn ended(side: &Side) -> &str {
    side.failure.as_deref().unwrap_or("yes")
}

/// Stacks of all sizes.
pub fn drift(rows: &[DriftRow]) {
    println!(
        "{} boxes on each other; fastest vertex in the second up to {} s. Goal: at most {:e} √(g L), \
         and the highest less than {} L aside.\n",
        drift::COUNT,
        drift::AFTER,
        drift::SPEED,
        drift::ASIDE
    );
    println!("| L, m | fastest, m/s | per √(g L) | aside, per L | sweeps per step | reached |");
    println!("|---|---|---|---|---|---|");
    for row in rows {
        let DriftRow { size, speed, relative, aside, sweeps } = row;
        let reached = row.reached().word();
        println!(
            "| {size} | {speed:.1e} | {relative:.1e} | {aside:.1e} | {sweeps:.0} | {reached} |"
        );
    }
}

/// Slopes of all sizes.
pub fn angle(rows: &[AngleRow]) {
    println!(
        "μ = {}. Speeds down the slope after {} s; what is faster than {:e} √(g L) slides. Goal: \
         slides at the right angle within {} %.\n",
        angle::FRICTION,
        angle::AFTER,
        angle::SLIDES,
        100.0 * angle::ERROR
    );
    let [low, high] = angle::ENDS;
    println!(
        "| L, m | speed at tan θ = {low} μ, per √(g L) | at {high} μ | of the right one there \
         | slides from tan θ / μ | reached |"
    );
    println!("|---|---|---|---|---|---|");
    for row in rows {
        let AngleRow { size, speeds: [held, sliding], gained, ratio } = row;
        let reached = row.reached().word();
        println!("| {size} | {held:.1e} | {sliding:.1e} | {gained:.4} | {ratio:.4} | {reached} |");
    }
}
