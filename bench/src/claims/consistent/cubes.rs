//! Two cubes at rest in deep overlap: which separate, and how fast.

use crate::claims::consistent::RESPONSES;
use crate::claims::sweep::{CELLS, RATES, Variation, cells, response, step};
use crate::claims::tables::{largest, median, of, print};
use crate::engine::{Engine, Judge, Ours};
use crate::rows::Amount;
use crate::settle::cubes::{AFTER, OVERLAPS, PATIENCE, Pose, part};

/// Turns about each axis at most, rad.
const TILTS: [f64; 2] = [0.1, 0.8];

/// Where the other parameters are varied: overlap per edge, and tilt, rad.
const VARIED: [f64; 2] = [0.5, 0.1];

/// Results of one pose.
struct Left {
    pose: Pose,
    /// Kinetic energy in the end, J; there is none at the start.
    kinetic: f64,
}

/// Over overlaps and tilts, steps, and meshes.
pub fn run(amount: Amount) -> Result<(), String> {
    println!(
        "Two cubes of 1 m and 100 kg/m³, at rest, no gravity. Freed: no vertex inside within {PATIENCE} \
         steps, by the exact test. Speeds and energy are those {AFTER} steps later, or at the end.\n"
    );
    let mut rows = Vec::new();
    for tilt in TILTS {
        for overlap in OVERLAPS {
            let name = format!("{:.0} %, tilt {tilt}", 100.0 * overlap);
            rows.extend(both(&Variation::new(name, Vec::new()), [overlap, tilt], amount)?);
        }
    }
    table("overlap, tilt in rad", &rows);
    println!(
        "\nOver the length of a step, overlap {:.0} %, tilt {}:\n",
        100.0 * VARIED[0],
        VARIED[1]
    );
    let varied = |variation| both(&variation, VARIED, amount);
    let rows: Vec<_> = RATES.map(step).into_iter().map(varied).collect::<Result<_, _>>()?;
    table("step", &rows.concat());
    println!("\nOver the cells along each edge, steps of 1/60 s:\n");
    let rows: Vec<_> = CELLS.map(cells).into_iter().map(varied).collect::<Result<_, _>>()?;
    table("mesh", &rows.concat());
    Ok(())
}

fn table(what: &str, rows: &[Vec<String>]) {
    let head = [
        what,
        "depth",
        "freed",
        "steps, median",
        "exit speed, median, m/s",
        "worst",
        "fastest vertex, m/s",
        "kinetic energy gained, median, J",
        "worst",
        "inverted tets, worst",
    ];
    print(&head, rows);
}

/// One row for each response.
fn both(
    variation: &Variation,
    [overlap, tilt]: [f64; 2],
    amount: Amount,
) -> Result<Vec<Vec<String>>, String> {
    let mut rows = Vec::new();
    for name in RESPONSES {
        let mut all = Vec::new();
        for seed in 1..=amount.poses {
            let pose =
                [format!("overlap={overlap}"), format!("tilt={tilt}"), format!("seed={seed}")];
            all.push(leave(&variation.with(&[&pose[..], &[response(name)]].concat()))?);
        }
        rows.push(row([&variation.name, name], &all));
    }
    eprintln!("  {}: {} poses", variation.name, amount.poses);
    Ok(rows)
}

fn leave(sets: &[String]) -> Result<Left, String> {
    let mut ours = Ours::new("two-cubes", sets)?;
    let mut judge = Judge::of(&ours.built);
    let mut pose = Pose::default();
    if let Err(error) = part(&mut ours, &mut judge, &mut pose) {
        eprintln!("  broke off: {error}");
    }
    let kinetic = ours.state().kinetic(&ours.built.world.simulation().system.masses);
    Ok(Left { pose, kinetic })
}

fn row(names: [&str; 2], all: &[Left]) -> Vec<String> {
    let freed: Vec<_> = all.iter().filter_map(|left| left.pose.steps).collect();
    let exits = || all.iter().map(|left| left.pose.exit);
    let gains = || all.iter().map(|left| left.kinetic);
    let steps = median(freed.iter().map(|steps| f64::from(*steps)));
    names
        .map(String::from)
        .into_iter()
        .chain([
            of(freed.len(), all.len()),
            if freed.is_empty() { "–".to_string() } else { format!("{steps:.0}") },
            format!("{:.2}", median(exits())),
            format!("{:.2}", largest(exits())),
            format!("{:.1}", largest(all.iter().map(|left| left.pose.fastest))),
            format!("{:.1}", median(gains())),
            format!("{:.1}", largest(gains())),
            all.iter().map(|left| left.pose.inverted).max().unwrap_or_default().to_string(),
        ])
        .collect()
}
