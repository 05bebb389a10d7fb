//! A cube on a slope: friction that holds below its angle and lets slide above.

use pliant::id::BodyId;
use pliant::math::Vec3;

use crate::engine::{Engine, Judge, Ours};
use crate::many::Reached;

/// Coulomb's coefficient.
pub const FRICTION: f64 = 0.3;

/// Slopes that must hold: goal, and stretch goal, tan θ over μ.
const HELD: [f64; 2] = [0.97, 0.99];

/// Slopes that must let slide: goal, and stretch goal, tan θ over μ.
const SLIDING: [f64; 2] = [1.03, 1.01];

/// The slope whose acceleration must be right, tan θ over μ.
const EXACT: f64 = 1.4;

/// Largest relative error of the acceleration.
pub const ERROR: f64 = 0.02;

/// Speed of what is held at most, m/s: a hundredth of what 0.01 μ too much would give.
pub const HELD_SPEED: f64 = 1.4e-3;

/// What slides gains at least this much of the right acceleration.
pub const SLIDES: f64 = 0.5;

/// When the speed of what is held is taken, s.
pub const HELD_UNTIL: f64 = 5.0;

/// Between which times acceleration is measured, s.
pub const BETWEEN: [f64; 2] = [1.0, 3.0];

/// What one slope must do.
#[derive(Clone, Copy, PartialEq)]
pub enum SlopeGoal {
    /// Hold the cube.
    Held,
    /// Let it slide.
    Slides,
    /// Let it slide just as fast as by Coulomb's law.
    Exact,
}

/// Results of one slope.
pub struct SlopeRow {
    /// tan θ over μ.
    pub ratio: f64,
    /// What it must do.
    pub goal: SlopeGoal,
    /// Whether it is a stretch goal.
    is_stretch: bool,
    /// Speed in the end, m/s.
    pub speed: f64,
    /// Acceleration down the slope, m/s²; of what must be held, 0 is right.
    pub acceleration: f64,
    /// Acceleration by Coulomb's law, m/s².
    pub right: f64,
}

impl SlopeRow {
    /// Relative error of the acceleration.
    pub fn error(&self) -> f64 {
        self.acceleration / self.right - 1.0
    }

    /// Whether it does what it must.
    pub fn reached(&self) -> Reached {
        let does = match self.goal {
            SlopeGoal::Held => self.speed <= HELD_SPEED,
            SlopeGoal::Slides => self.acceleration >= SLIDES * self.right,
            SlopeGoal::Exact => self.error().abs() <= ERROR,
        };
        Reached::of([does, self.is_stretch])
    }
}

/// All slopes.
pub fn run() -> Result<Vec<SlopeRow>, String> {
    let held = HELD.into_iter().enumerate().map(|(k, ratio)| (ratio, SlopeGoal::Held, k > 0));
    let sliding = SLIDING.into_iter().rev().enumerate();
    let sliding = sliding.map(|(k, ratio)| (ratio, SlopeGoal::Slides, k == 0));
    let all = held.chain(sliding).chain([(EXACT, SlopeGoal::Exact, false)]);
    all.map(|(ratio, goal, is_stretch)| {
        slope(ratio, goal).map(|row| SlopeRow { is_stretch, ..row })
    })
    .collect()
}

fn slope(ratio: f64, goal: SlopeGoal) -> Result<SlopeRow, String> {
    let sets = [format!("angle_ratio={ratio:?}"), format!("friction={FRICTION:?}")];
    let mut ours = Ours::new("incline", &sets)?;
    let judge = Judge::of(&ours.built);
    let (dt, angle) = (ours.built.info.dt, libm::atan(ratio * FRICTION));
    let gravity = Vec3::from(ours.built.info.gravity).length();
    let downhill = Vec3::new(libm::cos(angle), 0.0, -libm::sin(angle));
    let mut speed_at = |time: f64| -> Result<f64, String> {
        while ours.built.world.simulation().state.time < time - 0.5 * dt {
            ours.step()?;
        }
        Ok(judge.velocity(&ours.state(), BodyId(0)).dot(downhill))
    };
    let [from, to] = BETWEEN;
    let [first, last] = [speed_at(from)?, speed_at(to)?];
    let speed = speed_at(HELD_UNTIL)?.abs();
    eprintln!("  tan θ = {ratio} μ: done");
    let acceleration = (last - first) / (to - from);
    let right = gravity * (libm::sin(angle) - FRICTION * libm::cos(angle));
    Ok(SlopeRow { ratio, goal, is_stretch: false, speed, acceleration, right })
}
