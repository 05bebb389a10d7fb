//! A box on a slope, of any size: the angle at which it begins to slide.
//!
//! Bodies may sleep, as by default: what slides off slowly must not be taken for what rests.

use pliant::id::BodyId;
use pliant::math::Vec3;

use crate::engine::{Engine, Judge};
use crate::many::Reached;
use crate::rigid::ours::{LOWEST, head_with_sleep, load, plane};

/// Largest relative error of the angle.
pub const ERROR: f64 = 0.01;

/// Coulomb's coefficient.
pub const FRICTION: f64 = 0.5;

/// Edges of the box, m.
const SIZES: [f64; 5] = [0.01, 0.1, 1.0, 10.0, 100.0];

/// tan θ / μ at the ends of the goal.
pub const ENDS: [f64; 2] = [0.99, 1.01];

/// tan θ / μ between which the angle is searched.
const BETWEEN: [f64; 2] = [0.9, 1.1];

/// Halvings of what is between.
const HALVINGS: u32 = 10;

/// Speed of a box that slides at least, per √(g L).
pub const SLIDES: f64 = 1e-4;

/// When the speed is taken, s.
pub const AFTER: f64 = 3.0;

/// Time step, s.
const DT: f64 = 1.0 / 60.0;

/// Acceleration of gravity, m/s².
const GRAVITY: f64 = 9.81;

/// Results of one size.
pub struct AngleRow {
    /// Edge of the box, m.
    pub size: f64,
    /// Speeds at [`ENDS`] per √(g L).
    pub speeds: [f64; 2],
    /// Speed at the upper end over what it should be.
    pub gained: f64,
    /// tan θ / μ above which it slides.
    pub ratio: f64,
}

impl AngleRow {
    /// Whether it holds and slides where it must.
    pub fn reached(&self) -> Reached {
        let [held, slides] = [self.speeds[0] <= SLIDES, self.speeds[1] > SLIDES];
        Reached::of([held && slides && (self.ratio - 1.0).abs() <= ERROR, false])
    }
}

/// All sizes.
pub fn run() -> Result<Vec<AngleRow>, String> {
    SIZES.into_iter().map(row).collect()
}

fn row(size: f64) -> Result<AngleRow, String> {
    let [held, sliding] = [speed(size, ENDS[0])?, speed(size, ENDS[1])?];
    let [mut low, mut high] = BETWEEN;
    let unit = (GRAVITY * size).sqrt();
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if speed(size, middle)? > SLIDES * unit {
            high = middle;
        } else {
            low = middle;
        }
    }
    let angle = libm::atan(ENDS[1] * FRICTION);
    let right = AFTER * GRAVITY * (libm::sin(angle) - FRICTION * libm::cos(angle));
    eprintln!("  {size} m: done");
    let speeds = [held, sliding].map(|speed| speed / unit);
    Ok(AngleRow { size, speeds, gained: sliding / right, ratio: 0.5 * (low + high) })
}

/// Down the slope, m/s.
fn speed(size: f64, ratio: f64) -> Result<f64, String> {
    let angle = libm::atan(ratio * FRICTION);
    let at = size * LOWEST * Vec3::new(libm::sin(angle), 0.0, libm::cos(angle));
    let body = format!(
        "[[bodies]]\nname = \"box\"\n\
         mesh = {{ kind = \"cuboid\", size = [{size:?}, {size:?}, {size:?}], cells = [1, 1, 1] }}\n\
         rotation = [0, {angle:?}, 0]\nposition = [{:?}, 0, {:?}]\n\
         material = {{ kind = \"rigid\", density = 1000 }}\n",
        at.x, at.z
    );
    let slope = plane("slope", [0.0; 3], [0.0, angle, 0.0], FRICTION);
    let mut ours = load("slope", &(head_with_sleep("slope", DT, FRICTION) + &body + &slope))?;
    let judge = Judge::of(&ours.built);
    for _ in 0..(AFTER / DT).round() as usize {
        ours.step()?;
    }
    let downhill = Vec3::new(libm::cos(angle), 0.0, -libm::sin(angle));
    Ok(judge.velocity(&ours.state(), BodyId(0)).dot(downhill))
}
