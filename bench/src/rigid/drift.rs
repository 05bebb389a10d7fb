//! Ten boxes on each other, of any size: whether they come to rest.

use std::fmt::Write;

use crate::engine::{Engine, fastest};
use crate::many::Reached;
use crate::rigid::ours::{LOWEST, STOREY, head, load, plane};

/// Speed at most, per √(g L).
pub const SPEED: f64 = 1e-6;

/// Way of the highest box along the floor at most, per size: what is still may have fallen.
pub const ASIDE: f64 = 0.1;

/// Edges of the boxes, m.
const SIZES: [f64; 5] = [0.01, 0.1, 1.0, 10.0, 100.0];

/// Number of boxes.
pub const COUNT: u32 = 10;

/// When the speed is taken, s.
pub const AFTER: f64 = 20.0;

/// Time step, s.
const DT: f64 = 1.0 / 60.0;

/// Acceleration of gravity, m/s².
const GRAVITY: f64 = 9.81;

/// Results of one size.
pub struct DriftRow {
    /// Edge of the boxes, m.
    pub size: f64,
    /// Of the fastest vertex in the last second, m/s.
    pub speed: f64,
    /// The same per √(g L).
    pub relative: f64,
    /// Way of the highest box along the floor since the start, per size.
    pub aside: f64,
    /// Sweeps per step in the last second, mean.
    pub sweeps: f64,
}

impl DriftRow {
    /// Whether it stands, within the speed limit.
    pub fn reached(&self) -> Reached {
        Reached::of([self.relative <= SPEED && self.aside <= ASIDE, false])
    }
}

/// All sizes.
pub fn run() -> Result<Vec<DriftRow>, String> {
    SIZES.into_iter().map(row).collect()
}

fn row(size: f64) -> Result<DriftRow, String> {
    let mut ours = load("stack", &stack(size))?;
    let dt = ours.built.info.dt;
    let steps = (AFTER / dt).round() as usize;
    let start = ours.state().positions.last().copied().unwrap_or_default();
    let last = (1.0 / dt).round() as usize;
    let (mut speed, mut sweeps): (f64, usize) = (0.0, 0);
    for step in 1..=steps {
        let report = ours.built.world.step().map_err(|error| error.to_string())?;
        if step + last > steps {
            speed = speed.max(fastest(&ours.built.world.simulation().state));
            sweeps += report.sweeps;
        }
    }
    let end = ours.state().positions.last().copied().unwrap_or_default();
    eprintln!("  {size} m: done");
    Ok(DriftRow {
        size,
        speed,
        relative: speed / (GRAVITY * size).sqrt(),
        aside: (end - start).truncate().length() / size,
        sweeps: sweeps as f64 / last as f64,
    })
}

fn stack(size: f64) -> String {
    let mut text = head("stack", DT, 0.5);
    for k in 0..COUNT {
        let height = size * (LOWEST + STOREY * f64::from(k));
        let _ = write!(
            text,
            "[[bodies]]\nname = \"box{k}\"\n\
             mesh = {{ kind = \"cuboid\", size = [{size:?}, {size:?}, {size:?}], cells = [1, 1, 1] }}\n\
             position = [0, 0, {height:?}]\nmaterial = {{ kind = \"rigid\", density = 1000 }}\n"
        );
    }
    text + &plane("floor", [0.0; 3], [0.0; 3], 0.5)
}
