//! The tables of `cargo xtask bench rigid`, ready for the book.

use crate::rigid::angle::{self, AngleRow};
use crate::rigid::beside::{self, Beside, Side};
use crate::rigid::drift::{self, DriftRow};
use crate::rigid::growth::{self, Threaded};

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
         | inside in the end | most | crossings in the end | most | rms, m/s | top, m | moved, m \
         | joints apart at most, m | ended |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let Some(ours) = run.sides.first() else { return };
    for side in &run.sides {
        let ratio = |own: f64, other: f64| match std::ptr::eq(side, ours) {
            true => "–".to_string(),
            false => format!("{:.2}", own / other),
        };
        println!(
            "| {} | {} | {:.1} | {} | {} | {} | {} | {} | {} | {:.2e} | {:.3} | {:.3} | {} | {} |",
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
            side.moved,
            side.gap.map_or("–".to_owned(), |gap| format!("{gap:.1e}")),
            ended(side),
        );
    }
}

fn ended(side: &Side) -> &str {
    side.failure.as_deref().unwrap_or("yes")
}

/// Boxes in growing numbers.
pub fn growth(runs: &[Beside]) {
    println!(
        "Cubes of 0.5 m, turned at random, fall for 2 s. Growth: time per n log n of the first.\n"
    );
    println!(
        "| bodies | ms per step, mean | growth | rapier3d, ms | growth | ours over theirs \
         | inside in the end | rapier3d |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let per = |run: &Beside, side: &Side| {
        let n = run.bodies as f64;
        side.total / run.steps as f64 / (n * libm::log(n))
    };
    for run in runs {
        let ([ours, theirs], [first, other]) = match (&run.sides[..], &runs[0].sides[..]) {
            ([a, b, ..], [c, d, ..]) => ([a, b], [c, d]),
            _ => continue,
        };
        let mean = |side: &Side| 1e3 * side.total / run.steps as f64;
        println!(
            "| {} | {:.3} | {:.2} | {:.3} | {:.2} | {:.2} | {} | {} |",
            run.bodies,
            mean(ours),
            per(run, ours) / per(&runs[0], first),
            mean(theirs),
            per(run, theirs) / per(&runs[0], other),
            ours.total / theirs.total,
            ours.inside[0],
            theirs.inside[0],
        );
    }
}

/// One thread and two.
pub fn threads(rows: &[Threaded]) {
    println!(
        "Time on the clock of every tenth of 120 steps, each made five times by one thread and by \
         two in turn, of which the fastest counts. Goal: {} times as fast.\n",
        growth::FASTER
    );
    println!("| scene | one thread, s | two, s | faster | digest | the same bits |");
    println!("|---|---|---|---|---|---|");
    for Threaded { name, times: [one, two], digests: [a, b] } in rows {
        let same = if a == b { "yes" } else { "no" };
        let short: String = a.chars().take(16).collect();
        println!("| {name} | {one:.2} | {two:.2} | {:.2} | {short} | {same} |", one / two);
    }
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
