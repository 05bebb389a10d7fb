//! The tables of `cargo xtask bench settle`, ready for the book.

use crate::many::Many;
use crate::settle::bars::{self, BarsRow};
use crate::settle::beside::Beside;
use crate::settle::cubes::{self, CubesRow};
use crate::settle::dish::{self, DishRow};
use crate::settle::incline::{self, SlopeGoal, SlopeRow};
use crate::settle::pile::{self, PileGoal, PileRow};
use crate::settle::press::{self, PressRow};
use crate::settle::still::{self, StillRow};

/// The goal of two cubes.
fn cubes_goal() -> String {
    let [must, stretch] = cubes::STEPS;
    let exit = cubes::EXIT;
    format!(
        "Goal: all part within {must} steps (stretch: {stretch}), relative speed at most \
         {exit} m/s, nothing inverted, no crossing left. Steps count until the exact test finds no \
         vertex inside; the rest is taken {} steps later. A pose fails after {} steps.",
        cubes::AFTER,
        cubes::PATIENCE
    )
}

/// Two cubes, ours alone.
pub fn cubes(rows: &[CubesRow]) {
    println!("{}\n", cubes_goal());
    println!("| overlap | tilt, rad {CUBES_HEAD}");
    println!("|---|---{CUBES_RULE}");
    for row in rows {
        println!("| {:.0} % | {} {}", 100.0 * row.overlap, row.tilt, cubes_cells(row));
    }
}

/// Columns that all tables of cubes share.
const CUBES_HEAD: &str = "| poses | steps, median | worst (seed) | failures \
    | exit speed, median, m/s | worst (seed) | fastest vertex, m/s | inverted tets \
    | inside at the end | most crossings at the end (seed) | poses with any | ms per step | reached |";

/// The line below them.
const CUBES_RULE: &str = "|---|---|---|---|---|---|---|---|---|---|---|---|---|";

fn cubes_cells(row: &CubesRow) -> String {
    format!(
        "| {} | {} | {} ({}) | {} | {:.4} | {:.4} ({}) | {:.3} | {} | {} | {} ({}) | {} \
         | {:.2} | {} |",
        row.poses,
        steps(row.steps.median),
        steps(row.steps.worst),
        row.steps.seed,
        row.failures,
        row.exit.median,
        row.exit.worst,
        row.exit.seed,
        row.fastest,
        row.inverted,
        row.inside,
        row.crossings.worst,
        row.crossings.seed,
        row.crossed,
        1e3 * row.time,
        row.reached().word(),
    )
}

/// Steps until free.
fn steps(steps: f64) -> String {
    if steps.is_finite() { format!("{steps:.0}") } else { format!("> {}", cubes::PATIENCE) }
}

/// Two cubes with nothing that pushes.
pub fn still(rows: &[StillRow]) {
    println!(
        "Goal, with a push of 0: what is at rest stays so to {:e} m/s, and no energy is gained \
         out of overlap (to {:e} J, or of the energy at the start).\n",
        still::VELOCITY,
        still::GAIN
    );
    println!(
        "| speed towards each other, m/s | overlap | poses | energy at the start, J | fastest vertex, m/s \
         (seed) | most energy gained, J (seed) | reached |"
    );
    println!("|---|---|---|---|---|---|---|");
    for row in rows {
        println!(
            "| {} | {:.0} % | {} | {:.2} | {:.1e} ({}) | {:.1e} ({}) | {} |",
            row.speed,
            100.0 * row.overlap,
            row.poses,
            row.start,
            row.velocity.worst,
            row.velocity.seed,
            row.gained.worst,
            row.gained.seed,
            row.reached().word(),
        );
    }
}

/// Piles of several sizes, moduli or sides.
pub fn piles(rows: &[PileRow]) {
    let (rms, [must, stretch]) = (pile::RMS, pile::REALTIME);
    let is_fast = rows.iter().any(|row| matches!(row.goal, PileGoal::Fast));
    if is_fast {
        println!(
            "Goal, after 15 s: 0 inside, 0 crossings, rms speed at most {rms} m/s, at least \
             {must} × real time (stretch: {stretch}).\n"
        );
    } else {
        println!(
            "Goal, after 15 s with the same settings: 0 inside, rms speed at most {rms} m/s; \
             the stiffest is a stretch.\n"
        );
    }
    println!(
        "| pile | seeds | inside, median | worst (seed) | crossings, median | worst (seed) | rms, \
         median, m/s | worst (seed) | most inside at a whole second, median | worst (seed) \
         | inverted tets, worst | height of the centre of mass, median, m | × real time, median | worst (seed) | reached |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for row in rows {
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {:.2} | {} | {} |",
            row.name,
            row.seeds,
            pair(row.inside, 0),
            pair(row.crossings, 0),
            pair(row.rms, 5),
            pair(row.most_inside, 0),
            row.inverted.worst,
            row.height.median,
            pair(row.realtime, 2),
            row.reached().word(),
        );
    }
}

/// Two cells: the median, and the worst with its seed.
fn pair(many: Many, digits: usize) -> String {
    format!("{:.digits$} | {:.digits$} ({})", many.median, many.worst, many.seed)
}

/// The slopes.
pub fn incline(rows: &[SlopeRow]) {
    let [from, to] = incline::BETWEEN;
    println!(
        "μ = {}. Held: at most {} m/s after {} s. Slides: at least {} of g (sin θ − μ cos θ). \
         Exact: within {} %. Acceleration from {from} s to {to} s.\n",
        incline::FRICTION,
        incline::HELD_SPEED,
        incline::HELD_UNTIL,
        incline::SLIDES,
        100.0 * incline::ERROR
    );
    println!(
        "| tan θ / μ | goal | speed after {} s, m/s | acceleration, m/s² | g (sin θ − μ cos θ) \
         | off, % | reached |",
        incline::HELD_UNTIL
    );
    println!("|---|---|---|---|---|---|---|");
    for row in rows {
        let goal = match row.goal {
            SlopeGoal::Held => "held",
            SlopeGoal::Slides => "slides",
            SlopeGoal::Exact => "exact",
        };
        let gained = match row.goal {
            SlopeGoal::Held => "– | – | –".to_string(),
            SlopeGoal::Slides | SlopeGoal::Exact => {
                let off = 100.0 * row.error();
                format!("{:.5} | {:.5} | {off:+.2}", row.acceleration, row.right)
            }
        };
        println!(
            "| {} | {goal} | {:.2e} | {gained} | {} |",
            row.ratio,
            row.speed,
            row.reached().word(),
        );
    }
}

/// The bars.
pub fn bars(rows: &[BarsRow]) {
    println!("Goal: free of crossings within {} steps; {} are run.\n", bars::STEPS, bars::PATIENCE);
    println!(
        "| overlap, m | crossings at the start | steps until free | crossings at the end \
         | fastest vertex at the end, m/s | reached |"
    );
    println!("|---|---|---|---|---|---|");
    for row in rows {
        println!(
            "| {} | {} | {} | {} | {:.4} | {} |",
            row.overlap,
            row.start,
            row.steps.map_or_else(|| "never".to_string(), |steps| steps.to_string()),
            row.crossings,
            row.fastest,
            row.reached().word(),
        );
    }
}

/// The dish.
pub fn dish(row: &DishRow) {
    println!(
        "Goal at the end: 0 inside, 0 crossings; stretch: at most {} ms of wall time a frame with \
         two threads.\n",
        1e3 * dish::FRAME
    );
    println!(
        "| vertices | tets | frames | inside | crossings | rms, m/s | CPU ms per frame, mean \
         | longest | wall ms per frame, two threads, mean | longest | same bits | reached |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let [[cpu, slowest], [wall, slowest_wall]] =
        [row.cpu, row.wall].map(|times| times.map(|time| 1e3 * time));
    println!(
        "| {} | {} | {} | {} | {} | {:.5} | {cpu:.1} | {slowest:.1} | {wall:.1} \
         | {slowest_wall:.1} | {} | {} |",
        row.vertices,
        row.tets,
        row.frames,
        row.inside,
        row.crossings,
        row.rms,
        if row.same_bits { "yes" } else { "no" },
        row.reached().word(),
    );
}

/// The press.
pub fn press(row: &PressRow) {
    println!("Goal: {} inside at every step.\n", press::INSIDE);
    println!(
        "| steps | most inside | at, s | most crossings | most inverted tets | ms per step | reached |"
    );
    println!("|---|---|---|---|---|---|---|");
    println!(
        "| {} | {} | {:.3} | {} | {} | {:.2} | {} |",
        row.steps,
        row.inside,
        row.worst_at,
        row.crossings,
        row.inverted,
        1e3 * row.time,
        row.reached().word(),
    );
}

/// Both sides.
pub fn beside(beside: &Beside) {
    println!("{}\n", cubes_goal());
    println!("| overlap | side {CUBES_HEAD}");
    println!("|---|---{CUBES_RULE}");
    for (side, row) in &beside.cubes {
        println!("| {:.0} % | {side} {}", 100.0 * row.overlap, cubes_cells(row));
    }
    println!();
    piles(&beside.piles);
}
