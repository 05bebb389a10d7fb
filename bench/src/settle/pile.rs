//! Balls in a box: whether the pile comes to rest without overlap, and in real time.

use crate::engine::{Engine, Judge, Ours, timed_step};
use crate::many::{Many, Reached, Worse};
use crate::rows::{Amount, side_by_side};

/// Root mean square of the speeds in the end at most, m/s.
pub const RMS: f64 = 0.003;

/// Simulated time per CPU time that must be reached: goal, and stretch goal.
pub const REALTIME: [f64; 2] = [2.5, 4.0];

/// Radii of the balls, m.
const RADII: [f64; 2] = [1.0, 0.1];

/// Young's moduli that must come to rest with the same settings, Pa.
const MODULI: [f64; 3] = [2e5, 2e6, 2e7];

/// One more for the stretch goal, Pa.
const STRETCH_MODULUS: f64 = 2e8;

/// Piles for each modulus at most.
const MOST_SEEDS: u32 = 3;

/// Results of one pile.
pub struct Pile {
    /// Vertices inside other balls in the end.
    pub inside: usize,
    /// Edges through triangles in the end, pairs.
    pub crossings: usize,
    /// Root mean square of the speeds in the end, m/s.
    pub rms: f64,
    /// Vertices inside at the worst whole second.
    pub most_inside: usize,
    /// Inverted tets at the worst whole second.
    pub inverted: usize,
    /// Height of the centre of mass in the end, m.
    pub height: f64,
    /// Simulated time per CPU time.
    pub realtime: f64,
}

/// Goal of a row of piles.
#[derive(Clone, Copy)]
pub enum PileGoal {
    /// At rest without overlap, and fast.
    Fast,
    /// At rest without overlap.
    Settled,
    /// The same, as a stretch goal.
    SettledStretch,
}

/// Results of all seeds of one kind of pile.
pub struct PileRow {
    /// Its side, radius or modulus.
    pub name: String,
    /// Its goal.
    pub goal: PileGoal,
    /// Number of piles.
    pub seeds: u32,
    /// Vertices inside in the end.
    pub inside: Many,
    /// Edges through triangles in the end, pairs.
    pub crossings: Many,
    /// Root mean square of the speeds in the end, m/s.
    pub rms: Many,
    /// Vertices inside at the worst whole second.
    pub most_inside: Many,
    /// Inverted tets at the worst whole second.
    pub inverted: Many,
    /// Height of the centre of mass in the end, m; the worst is the highest.
    pub height: Many,
    /// Simulated time per CPU time.
    pub realtime: Many,
}

impl PileRow {
    /// Of piles with their seeds; those that failed are worse than any other.
    pub fn of(name: String, goal: PileGoal, piles: &[(u32, Option<Pile>)]) -> PileRow {
        let many = |number: fn(&Pile) -> f64, worse| {
            let of = |pile: &Option<Pile>| pile.as_ref().map_or(f64::NAN, number);
            Many::of(piles.iter().map(|(seed, pile)| (*seed, of(pile))), worse)
        };
        PileRow {
            name,
            goal,
            seeds: piles.len() as u32,
            inside: many(|pile| pile.inside as f64, Worse::Larger),
            crossings: many(|pile| pile.crossings as f64, Worse::Larger),
            rms: many(|pile| pile.rms, Worse::Larger),
            most_inside: many(|pile| pile.most_inside as f64, Worse::Larger),
            inverted: many(|pile| pile.inverted as f64, Worse::Larger),
            height: many(|pile| pile.height, Worse::Larger),
            realtime: many(|pile| pile.realtime, Worse::Smaller),
        }
    }

    /// Whether all piles reach the goal.
    pub fn reached(&self) -> Reached {
        let is_clean = self.inside.worst == 0.0 && self.rms.worst <= RMS;
        let is_free = is_clean && self.crossings.worst == 0.0;
        match self.goal {
            PileGoal::Fast => {
                Reached::of(REALTIME.map(|realtime| is_free && self.realtime.worst >= realtime))
            }
            PileGoal::Settled => Reached::of([is_clean, false]),
            PileGoal::SettledStretch => Reached::of([is_clean, is_clean]),
        }
    }
}

/// Large and small balls.
pub fn sizes(amount: Amount) -> Result<Vec<PileRow>, String> {
    let row = |radius: f64| {
        let sets = vec![format!("radius={radius:?}")];
        let piles = piles(&sets, amount)?;
        Ok(PileRow::of(format!("radius {radius} m"), PileGoal::Fast, &piles))
    };
    RADII.into_iter().map(row).collect()
}

/// Balls of more and more stiffness.
pub fn stiffness(amount: Amount) -> Result<Vec<PileRow>, String> {
    let row = |modulus: f64| {
        let sets = vec![format!("young={modulus:e}")];
        let seeds = amount.seeds.min(MOST_SEEDS);
        let piles = piles(&sets, Amount { seeds, ..amount })?;
        let is_stretch = modulus == STRETCH_MODULUS;
        let goal = if is_stretch { PileGoal::SettledStretch } else { PileGoal::Settled };
        Ok(PileRow::of(format!("{modulus:.0e} Pa"), goal, &piles))
    };
    MODULI.into_iter().chain([STRETCH_MODULUS]).map(row).collect()
}

fn piles(sets: &[String], amount: Amount) -> Result<Vec<(u32, Option<Pile>)>, String> {
    let seeds: Vec<u32> = (1..=amount.seeds).collect();
    side_by_side(amount.jobs, &seeds, |seed| {
        let (mut ours, mut judge) = scene(sets, seed)?;
        let duration = ours.duration();
        let dt = ours.built.info.dt;
        let pile = watched(&mut ours, &mut judge, [duration, dt], &reported(sets, seed));
        Ok((seed, pile))
    })
}

/// The scene of one seed.
pub fn scene(sets: &[String], seed: u32) -> Result<(Ours, Judge), String> {
    let sets: Vec<_> = sets.iter().cloned().chain([format!("seed={seed}")]).collect();
    let ours = Ours::new("sphere-pile", &sets)?;
    let judge = Judge::of(&ours.built);
    Ok((ours, judge))
}

/// The command that repeats it, for a line on progress.
pub fn reported(sets: &[String], seed: u32) -> String {
    let sets: Vec<_> = sets.iter().map(|set| format!("--set {set} ")).collect();
    format!("{}--set seed={seed}", sets.concat())
}

/// One pile, reported in a line; `None` when it fails.
pub fn watched(
    engine: &mut dyn Engine,
    judge: &mut Judge,
    [duration, dt]: [f64; 2],
    name: &str,
) -> Option<Pile> {
    match settle(engine, judge, [duration, dt]) {
        Ok(pile) => {
            let Pile { inside, crossings, rms, most_inside, realtime, .. } = pile;
            eprintln!(
                "  {name}: {inside} inside (most {most_inside}), {crossings} crossings, \
                 rms {rms:.5} m/s, {realtime:.2} × real time"
            );
            Some(pile)
        }
        Err(error) => {
            eprintln!("  {name}: {error}");
            None
        }
    }
}

/// Steps to the end, with a measurement at every whole second.
fn settle(
    engine: &mut dyn Engine,
    judge: &mut Judge,
    [duration, dt]: [f64; 2],
) -> Result<Pile, String> {
    let per_second = dt.recip().round().max(1.0) as u64;
    let steps = (duration / dt).round() as u64;
    let (mut cpu, mut most_inside, mut inverted) = (0.0, 0, 0);
    for step in 1..=steps {
        cpu += timed_step(engine)?;
        if step % per_second == 0 {
            let overlap = judge.overlap(&engine.state());
            most_inside = most_inside.max(overlap.penetrating_vertices);
            inverted = inverted.max(overlap.inverted_tets);
        }
    }
    let state = engine.state();
    let overlap = judge.overlap(&state);
    Ok(Pile {
        inside: overlap.penetrating_vertices,
        crossings: overlap.edge_crossings,
        rms: judge.rms_speed(&state),
        most_inside,
        inverted,
        height: judge.centre(&state).z,
        realtime: duration / cpu,
    })
}
