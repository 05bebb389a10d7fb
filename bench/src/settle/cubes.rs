//! Two cubes in deep overlap: how soon they separate, and how slowly.

use pliant::body::soft::State;
use pliant::id::BodyId;

use crate::engine::{Engine, Judge, Ours, fastest, timed_step};
use crate::many::{Many, Reached, Worse};
use crate::rows::{Amount, side_by_side};

/// Steps within which all must separate: goal, and stretch goal.
pub const STEPS: [f64; 2] = [12.0, 10.0];

/// Relative speed of the centres of mass after parting at most, m/s.
pub const EXIT: f64 = 0.05;

/// Overlaps along x, per edge.
pub const OVERLAPS: [f64; 4] = [0.1, 0.3, 0.5, 0.8];

/// Turns about each axis at most, rad.
pub const TILTS: [f64; 2] = [0.1, 0.8];

/// Steps after which a pose counts as a failure.
pub const PATIENCE: u32 = 60;

/// Steps from parting until the exit speed is taken.
pub const AFTER: u32 = 30;

/// Poses between lines on progress.
const BATCH: u32 = 50;

/// Results of one pose.
#[derive(Default)]
pub struct Pose {
    /// Steps until no vertex is inside; none when that never happened.
    pub steps: Option<u32>,
    /// Relative speed of the centres of mass in the end, m/s.
    pub exit: f64,
    /// Speed of the fastest vertex at any step from parting on, m/s.
    pub fastest: f64,
    /// Inverted tets at the worst step.
    pub inverted: usize,
    /// Vertices inside in the end.
    pub inside: usize,
    /// Edges through triangles in the end, pairs.
    pub crossings: usize,
    /// CPU time of a step, s.
    pub time: f64,
}

/// Results of all poses of an overlap and a tilt.
pub struct CubesRow {
    /// Per edge.
    pub overlap: f64,
    /// Turns at most, rad.
    pub tilt: f64,
    /// Number of poses.
    pub poses: u32,
    /// Steps until no vertex is inside; infinite for failures.
    pub steps: Many,
    /// Number of poses that did not separate within [`PATIENCE`].
    pub failures: usize,
    /// Relative speed of the centres of mass after parting, m/s.
    pub exit: Many,
    /// Fastest vertex of all after parting, m/s.
    pub fastest: f64,
    /// Inverted tets of the worst pose at its worst step.
    pub inverted: usize,
    /// Vertices inside of the worst pose in the end.
    pub inside: usize,
    /// Edges through triangles in the end, pairs.
    pub crossings: Many,
    /// Poses with any edge through a triangle in the end.
    pub crossed: usize,
    /// CPU time of a step, median over poses, s.
    pub time: f64,
}

impl CubesRow {
    /// Whether all parted soon enough, gently, for good, and with nothing inverted.
    pub fn reached(&self) -> Reached {
        let is_gentle = self.exit.worst <= EXIT && self.inverted == 0;
        let is_free = self.failures == 0 && self.inside == 0 && self.crossed == 0;
        Reached::of(STEPS.map(|steps| is_gentle && is_free && self.steps.worst <= steps))
    }

    /// Of poses with their seeds.
    pub fn of([overlap, tilt]: [f64; 2], poses: &[(u32, Pose)]) -> CubesRow {
        let many = |number: fn(&Pose) -> f64| {
            Many::of(poses.iter().map(|(seed, pose)| (*seed, number(pose))), Worse::Larger)
        };
        let most = |number: fn(&Pose) -> usize| {
            poses.iter().map(|(_, pose)| number(pose)).max().unwrap_or_default()
        };
        CubesRow {
            overlap,
            tilt,
            poses: poses.len() as u32,
            steps: many(|pose| pose.steps.map_or(f64::INFINITY, f64::from)),
            failures: poses.iter().filter(|(_, pose)| pose.steps.is_none()).count(),
            exit: many(|pose| pose.exit),
            fastest: many(|pose| pose.fastest).worst,
            inverted: most(|pose| pose.inverted),
            inside: most(|pose| pose.inside),
            crossings: many(|pose| pose.crossings as f64),
            crossed: poses.iter().filter(|(_, pose)| pose.crossings > 0).count(),
            time: many(|pose| pose.time).median,
        }
    }
}

/// All overlaps and tilts.
pub fn run(amount: Amount) -> Result<Vec<CubesRow>, String> {
    let starts: Vec<[f64; 2]> =
        TILTS.iter().flat_map(|tilt| OVERLAPS.map(|overlap| [overlap, *tilt])).collect();
    side_by_side(amount.jobs, &starts, |start| {
        let [overlap, tilt] = start;
        let mut poses = Vec::new();
        for seed in 1..=amount.poses {
            let (mut ours, mut judge) = scene(start, seed)?;
            poses.push((seed, watched(&mut ours, &mut judge, start, seed)));
            if seed % BATCH == 0 || seed == amount.poses {
                eprintln!("  overlap {overlap}, tilt {tilt}: {seed} of {} poses", amount.poses);
            }
        }
        Ok(CubesRow::of(start, &poses))
    })
}

/// The scene of one pose.
pub fn scene([overlap, tilt]: [f64; 2], seed: u32) -> Result<(Ours, Judge), String> {
    let sets = [format!("overlap={overlap}"), format!("tilt={tilt}"), format!("seed={seed}")];
    let ours = Ours::new("two-cubes", &sets)?;
    let judge = Judge::of(&ours.built);
    Ok((ours, judge))
}

/// One pose; a failure is reported, with the command that repeats it.
pub fn watched(
    engine: &mut dyn Engine,
    judge: &mut Judge,
    [overlap, tilt]: [f64; 2],
    seed: u32,
) -> Pose {
    let mut pose = Pose::default();
    let ended = part(engine, judge, &mut pose);
    if pose.steps.is_none() {
        let why = ended.err().unwrap_or_else(|| format!("{} still inside", pose.inside));
        eprintln!("  failed: --set overlap={overlap} --set tilt={tilt} --set seed={seed}: {why}");
    }
    pose
}

/// Steps until the cubes have separated, and some time more.
pub fn part(engine: &mut dyn Engine, judge: &mut Judge, pose: &mut Pose) -> Result<(), String> {
    let (mut step, mut last) = (0, PATIENCE);
    loop {
        let state = engine.state();
        let overlap = judge.overlap(&state);
        pose.inverted = pose.inverted.max(overlap.inverted_tets);
        if pose.steps.is_none() && overlap.penetrating_vertices == 0 {
            (pose.steps, last) = (Some(step), step + AFTER);
        }
        if pose.steps.is_some() {
            pose.fastest = pose.fastest.max(fastest(&state));
        }
        if step == last {
            pose.exit = relative_speed(judge, &state);
            (pose.inside, pose.crossings) = (overlap.penetrating_vertices, overlap.edge_crossings);
            pose.time /= f64::from(step.max(1));
            return Ok(());
        }
        // A step that cannot be made counts as not parted.
        match timed_step(engine) {
            Ok(time) => pose.time += time,
            Err(error) => {
                pose.steps = None;
                return Err(error);
            }
        }
        step += 1;
    }
}

fn relative_speed(judge: &Judge, state: &State) -> f64 {
    let [a, b] = [BodyId(0), BodyId(1)].map(|body| judge.velocity(state, body));
    a.distance(b)
}
