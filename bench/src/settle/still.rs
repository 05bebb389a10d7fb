//! Two cubes with nothing that pushes them apart: what is at rest stays at rest.

use pliant::record::overlap::Overlap;
use pliant::record::row::SeriesRow;

use crate::engine::{Engine, Ours, fastest};
use crate::many::{Many, Reached, Worse};
use crate::rows::Amount;
use crate::settle::cubes::{OVERLAPS, PATIENCE};

/// Speed of anything that was at rest at most, m/s.
pub const VELOCITY: f64 = 1e-12;

/// Energy gained at most, J; for cubes that move, per energy at the start.
pub const GAIN: f64 = 1e-12;

/// Speeds towards each other, m/s.
const SPEEDS: [f64; 2] = [0.0, 1.0];

/// Turns about each axis at most, rad.
const TILT: f64 = 0.1;

/// Poses for each overlap at most.
const MOST_POSES: u32 = 100;

/// Results of all poses with one speed and overlap.
pub struct StillRow {
    /// Towards each other at the start, m/s.
    pub speed: f64,
    /// Per edge.
    pub overlap: f64,
    /// Number of poses.
    pub poses: u32,
    /// Fastest vertex at any step, m/s.
    pub velocity: Many,
    /// Energy above that at the start at any step, J.
    pub gained: Many,
    /// Energy at the start, J.
    pub start: f64,
}

impl StillRow {
    /// Whether nothing moved that was at rest, and no energy was gained.
    pub fn reached(&self) -> Reached {
        let is_still = self.speed > 0.0 || self.velocity.worst <= VELOCITY;
        Reached::of([is_still && self.gained.worst <= GAIN * self.start.max(1.0), false])
    }
}

/// At rest, and moving towards each other.
pub fn run(amount: Amount) -> Result<Vec<StillRow>, String> {
    let all = SPEEDS.into_iter().flat_map(|speed| OVERLAPS.map(|overlap| (speed, overlap)));
    all.map(|(speed, overlap)| row(speed, overlap, amount.poses.min(MOST_POSES))).collect()
}

fn row(speed: f64, overlap: f64, poses: u32) -> Result<StillRow, String> {
    let (mut velocities, mut gains, mut start) = (Vec::new(), Vec::new(), 0.0);
    for seed in 1..=poses {
        let sets = [
            format!("overlap={overlap}"),
            format!("tilt={TILT}"),
            format!("seed={seed}"),
            format!("speed={speed:?}"),
            "contact.max_depenetration_speed=0.0".to_string(),
        ];
        let mut ours = Ours::new("two-cubes", &sets)?;
        let (mut velocity, mut gained): (f64, f64) = (0.0, 0.0);
        start = energy(&ours);
        for _ in 0..PATIENCE {
            ours.step()?;
            velocity = velocity.max(fastest(&ours.built.world.simulation().state));
            gained = gained.max(energy(&ours) - start);
        }
        velocities.push((seed, velocity));
        gains.push((seed, gained));
    }
    eprintln!("  speed {speed}, overlap {overlap}: {poses} poses");
    let many = |numbers: Vec<(u32, f64)>| Many::of(numbers.into_iter(), Worse::Larger);
    let (velocity, gained) = (many(velocities), many(gains));
    Ok(StillRow { speed, overlap, poses, velocity, gained, start })
}

/// Kinetic and elastic energy, J.
fn energy(ours: &Ours) -> f64 {
    let row = SeriesRow::of(ours.built.world.simulation(), Overlap::default());
    row.kinetic + row.elastic
}
