//! Balls in a box: whether they stick to each other in overlap.

use pliant::math::Vec3;

use crate::claims::inside::inside;
use crate::claims::sweep::{RATES, Variation, response, step};
use crate::claims::tables::{median, print};
use crate::engine::{Engine, Judge, Ours};
use crate::rows::Amount;

/// The responses compared, the constraint beside.
const RESPONSES: [&str; 3] = ["closest", "penalty", "constraint"];

/// Time that is simulated, s.
const DURATION: f64 = 6.0;

/// Centres nearer than this stick, in radii.
///
/// Two of the balls that touch have theirs at least 1.59 radii apart.
const STICKING: f64 = 1.0;

/// Most steps per second that the constraint is run with, 1/s: it needs no more.
const MOST_RATE: u32 = 60;

/// Balls of more tets: layers of each.
const LAYERS: [u32; 2] = [2, 3];

/// Results of one pile.
struct Pile {
    /// Vertices inside other balls.
    inside: usize,
    /// Pairs of balls with vertices in each other.
    pairs: usize,
    /// Pairs whose centres are nearer than [`STICKING`].
    sticking: usize,
    /// Mean distance of the vertices inside to the nearest of the surfaces they are behind, m.
    mean: f64,
    /// Largest distance of one to a surface it is behind, as in summaries of runs, m.
    deepest: f64,
    /// Root mean square of the speeds, m/s.
    rms: f64,
    /// Height of the centre of mass, m.
    height: f64,
}

/// Over steps and meshes.
pub fn run(amount: Amount) -> Result<(), String> {
    println!(
        "120 balls of radius 1 m and 20 tets after {DURATION} s, medians over {} seeds. Sticking: pairs whose \
         centres are nearer than {STICKING} radii; balls that touch have 1.59 or more. Mean depth: to the \
         nearest of the surfaces that a vertex is behind. Deepest: the largest distance to any of them, \
         `max_depth` of a run.\n",
        amount.seeds
    );
    let mut rows = Vec::new();
    for rate in RATES {
        for name in RESPONSES {
            if name != "constraint" || rate == MOST_RATE {
                rows.push(row(&step(rate), name, amount)?);
            }
        }
    }
    table("step", &rows);
    println!("\nFiner balls, steps of 1/60 s:\n");
    let mut rows = Vec::new();
    for layers in LAYERS {
        let ball = format!("{{ kind = \"ball\", radius = 1.0, layers = {layers} }}");
        let tets = 20 * layers.pow(3);
        let finer = Variation::new(format!("{tets} tets"), vec![format!("bodies.0.mesh={ball}")]);
        for name in &RESPONSES[..2] {
            rows.push(row(&finer, name, Amount { seeds: 1, ..amount })?);
        }
    }
    table("balls", &rows);
    Ok(())
}

fn table(what: &str, rows: &[Vec<String>]) {
    let head = [
        what,
        "response",
        "sticking pairs",
        "pairs in each other",
        "vertices inside",
        "mean depth, m",
        "deepest, m",
        "rms speed, m/s",
        "height of the centre, m",
    ];
    print(&head, rows);
}

fn row(variation: &Variation, name: &str, amount: Amount) -> Result<Vec<String>, String> {
    let mut piles = Vec::new();
    for seed in 1..=amount.seeds {
        piles.push(settle(&variation.with(&[response(name), format!("seed={seed}")]))?);
    }
    eprintln!("  {}, {name}", variation.name);
    let many = |number: fn(&Pile) -> f64| median(piles.iter().map(number));
    Ok(vec![
        variation.name.clone(),
        name.to_string(),
        format!("{:.0}", many(|pile| pile.sticking as f64)),
        format!("{:.0}", many(|pile| pile.pairs as f64)),
        format!("{:.0}", many(|pile| pile.inside as f64)),
        format!("{:.3}", many(|pile| pile.mean)),
        format!("{:.2}", many(|pile| pile.deepest)),
        format!("{:.3}", many(|pile| pile.rms)),
        format!("{:.2}", many(|pile| pile.height)),
    ])
}

fn settle(sets: &[String]) -> Result<Pile, String> {
    let mut ours = Ours::new("sphere-pile", sets)?;
    let mut judge = Judge::of(&ours.built);
    for _ in 0..(DURATION / ours.built.info.dt).round() as u64 {
        ours.step()?;
    }
    let state = ours.state();
    let bodies = &ours.built.world.simulation().system.bodies;
    let places: Vec<_> = bodies.ids().map(|body| judge.place(&state, body)).collect();
    let near =
        |(k, a): (usize, &Vec3)| places[..k].iter().filter(|b| a.distance(**b) < STICKING).count();
    let sticking = places.iter().enumerate().map(near).sum();
    let all = inside(ours.built.world.simulation());
    let both = all.iter().flat_map(|one| one.into.iter().map(|into| (one.owner, *into)));
    let mut pairs: Vec<_> = both.map(|(a, b)| [a.min(b), a.max(b)]).collect();
    pairs.sort_unstable();
    pairs.dedup();
    Ok(Pile {
        inside: all.len(),
        pairs: pairs.len(),
        sticking,
        mean: all.iter().map(|one| one.depth).fold(0.0, |sum, depth| sum + depth)
            / all.len().max(1) as f64,
        deepest: judge.overlap(&state).max_depth,
        rms: judge.rms_speed(&state),
        height: judge.centre(&state).z,
    })
}
