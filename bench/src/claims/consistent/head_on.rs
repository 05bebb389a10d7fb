//! Two cubes that meet so fast that one step takes them deep into each other.

use pliant::id::BodyId;

use crate::claims::consistent::RESPONSES;
use crate::claims::sweep::{CELLS, RATES, Variation, cells, response, step};
use crate::claims::tables::{median, of, print};
use crate::engine::{Engine, Judge, Ours};
use crate::rows::Amount;

/// Speeds towards each other, of both together, m/s.
const SPEEDS: [f64; 7] = [2.0, 5.0, 10.0, 20.0, 40.0, 80.0, 120.0];

/// Speeds at which steps and meshes are varied, m/s.
const VARIED: [f64; 2] = [40.0, 5.0];

/// Gap that every pair has to pass before it meets, m.
const GAP: f64 = 0.1;

/// Time from the first touch to the end, s.
const AFTER: f64 = 1.0;

/// Young's moduli, Pa: waves go at 17 and 173 m/s.
const MODULI: [f64; 2] = [3e4, 3e6];

/// How a pair ended.
#[derive(Clone, Copy, PartialEq)]
enum Outcome {
    /// Apart, each on its own side.
    Back,
    /// Apart, with sides changed.
    Through,
    /// Still in each other.
    Stuck,
    /// A step could not be made.
    Broken,
}

/// Results of one pair.
struct Meeting {
    outcome: Outcome,
    /// Speed at which the centres part along the axis, per closing speed.
    along: f64,
    /// Their relative speed across it, per closing speed.
    across: f64,
    /// Vertices inside at the worst step.
    inside: usize,
    /// Inverted tets at the worst step.
    inverted: usize,
    /// Kinetic energy in the end per that at the start.
    kinetic: f64,
}

/// Over speeds, steps and meshes.
pub fn run(amount: Amount) -> Result<(), String> {
    println!(
        "Two cubes of 1 m and 625 tets each, tilted by up to 0.1 rad, meet in steps of 1/60 s. Poses differ \
         in turns, places and where in a step they meet. After {AFTER} s: apart on their own sides (back), \
         with sides changed (through), or still in each other (stuck). Speed back and across are those of the \
         centres of mass, per closing speed; through is negative.\n"
    );
    for young in MODULI {
        println!("Young's modulus {young:.0e} Pa:\n");
        let speeds =
            SPEEDS.map(|speed| (Variation::new(format!("{speed} m/s"), stiff(young)), speed));
        table("closing speed", &speeds, amount)?;
        println!();
    }
    let young = MODULI[1];
    println!("Over the length of a step, {} m/s, {young:.0e} Pa:\n", VARIED[0]);
    table("step", &RATES.map(|rate| (stiffer(step(rate), young), VARIED[0])), amount)?;
    println!(
        "\nOver the cells along each edge, {} m/s, {young:.0e} Pa, steps of 1/60 s:\n",
        VARIED[1]
    );
    table("mesh", &CELLS.map(|count| (stiffer(cells(count), young), VARIED[1])), amount)
}

fn stiff(young: f64) -> Vec<String> {
    [0, 1].map(|body| format!("bodies.{body}.material.young={young:e}")).to_vec()
}

fn stiffer(variation: Variation, young: f64) -> Variation {
    Variation { sets: variation.with(&stiff(young)), ..variation }
}

fn table(what: &str, starts: &[(Variation, f64)], amount: Amount) -> Result<(), String> {
    let head = [
        what,
        "depth",
        "back",
        "through",
        "stuck",
        "speed back, median",
        "across, median",
        "kinetic energy, end / start, median",
        "most vertices inside, median",
        "inverted tets, median",
        "worst",
    ];
    let mut rows = Vec::new();
    for (variation, speed) in starts {
        for name in RESPONSES {
            let poses = 1..=amount.poses;
            let all = poses.map(|seed| {
                let phase = f64::from(seed) / f64::from(amount.poses);
                meet(&variation.with(&[response(name), format!("seed={seed}")]), *speed, phase)
            });
            rows.push(row([&variation.name, name], &all.collect::<Result<Vec<_>, _>>()?));
        }
        eprintln!("  {}: {} poses", variation.name, amount.poses);
    }
    print(&head, &rows);
    Ok(())
}

/// One pair, which begins `phase` of a step farther away.
fn meet(sets: &[String], speed: f64, phase: f64) -> Result<Meeting, String> {
    // The step is known once the scene is made: the gap is made anew with it.
    let dt = Ours::new("two-cubes", sets)?.built.info.dt;
    let gap = GAP + phase * speed * dt;
    let more = [format!("overlap={:?}", -gap), format!("speed={speed:?}")];
    let mut ours = Ours::new("two-cubes", &[sets, &more].concat())?;
    let mut judge = Judge::of(&ours.built);
    let (mut inside, mut inverted, mut broken) = (0, 0, false);
    let start = ours.state().kinetic(&ours.built.world.simulation().system.masses);
    for _ in 0..((gap / speed + AFTER) / dt).ceil() as u64 {
        if let Err(error) = ours.step() {
            eprintln!("  broke off: {error}");
            broken = true;
            break;
        }
        let overlap = judge.overlap(&ours.built.world.simulation().state);
        inside = inside.max(overlap.penetrating_vertices);
        inverted = inverted.max(overlap.inverted_tets);
    }
    let state = ours.state();
    let [a, b] = [BodyId(0), BodyId(1)];
    let parting = (judge.velocity(&state, b) - judge.velocity(&state, a)) / speed;
    let is_stuck = judge.overlap(&state).penetrating_vertices > 0;
    let kept_sides = judge.place(&state, a).x < judge.place(&state, b).x;
    let outcome = match (broken, is_stuck, kept_sides) {
        (true, ..) => Outcome::Broken,
        (_, true, _) => Outcome::Stuck,
        (_, _, true) => Outcome::Back,
        (_, _, false) => Outcome::Through,
    };
    let along = if kept_sides { parting.x } else { -parting.x.abs() };
    let across = libm::hypot(parting.y, parting.z);
    let kinetic = state.kinetic(&ours.built.world.simulation().system.masses) / start;
    Ok(Meeting { outcome, along, across, inside, inverted, kinetic })
}

fn row(names: [&str; 2], all: &[Meeting]) -> Vec<String> {
    let count = |outcome| all.iter().filter(|meeting| meeting.outcome == outcome).count();
    let many = |number: fn(&Meeting) -> f64| median(all.iter().map(number));
    let broken = count(Outcome::Broken);
    let reported = if broken > 0 { format!(", {broken} broken") } else { String::new() };
    names
        .map(String::from)
        .into_iter()
        .chain([
            of(count(Outcome::Back), all.len()),
            count(Outcome::Through).to_string(),
            format!("{}{reported}", count(Outcome::Stuck)),
            format!("{:.2}", many(|meeting| meeting.along)),
            format!("{:.2}", many(|meeting| meeting.across)),
            format!("{:.2}", many(|meeting| meeting.kinetic)),
            format!("{:.0}", many(|meeting| meeting.inside as f64)),
            format!("{:.0}", many(|meeting| meeting.inverted as f64)),
            all.iter().map(|meeting| meeting.inverted).max().unwrap_or_default().to_string(),
        ])
        .collect()
}
