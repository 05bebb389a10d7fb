//! How large a step may be before an oscillation grows.
//!
//! On a linear oscillator the positions of a one-step method obey y(n+2) = s y(n+1) − p y(n).
//! Four of them give s and p, and the larger root of λ² − s λ + p = 0 is the growth. They
//! are taken about a radian apart, so that a growth far below one step's rounding shows.

use std::error::Error;

use pliant::body::soft::{MassError, State};

use super::methods::Method;
use super::oscillators::{Scene, oscillator, pair};

/// Growth between samples that is rounding.
const ROUNDING: f64 = 1e-11;

/// Relative size of a determinant that is rounding: there is one root only.
const ALONE: f64 = 1e-13;

/// Amplitude relative to the start at which only rounding is left.
const DIED_OUT: f64 = 1e-9;

/// Halvings of the interval that holds a limit.
const HALVINGS: u32 = 40;

/// In units of 1/ω: stable here means stable everywhere.
const HUGE: f64 = 1e2;

/// In units of 1/ω: beyond every finite limit.
const LARGE: f64 = 10.0;

/// An oscillator, and its displacement to measure.
pub struct Swing {
    /// As in the tables.
    pub name: &'static str,
    /// How it starts.
    pub make: fn() -> Result<Scene, MassError>,
    /// Displacement, m.
    pub read: fn(&State) -> f64,
    /// Frequency without damping, rad/s.
    pub rate: f64,
}

/// k = 100 N/m: 1 kg without and with c = 1 N·s/m, and free masses of 1 and 3 kg.
pub fn swings() -> [Swing; 3] {
    let displacement: fn(&State) -> f64 = |state| state.positions[0].x;
    let stretch: fn(&State) -> f64 = |state| state.positions[1].x - state.positions[0].x - 1.0;
    let pair_rate = (100.0_f64 * (1.0 + 1.0 / 3.0)).sqrt();
    [
        Swing { name: "c = 0", make: || oscillator([100.0, 0.0]), read: displacement, rate: 10.0 },
        Swing { name: "c = 1", make: || oscillator([100.0, 1.0]), read: displacement, rate: 10.0 },
        Swing {
            name: "two masses",
            make: || pair([1.0, 3.0], [100.0, 0.0]),
            read: stretch,
            rate: pair_rate,
        },
    ]
}

/// Factor by which an oscillation grows per sample; infinite when a step fails.
fn growth(method: &Method, swing: &Swing, dt: f64) -> Result<f64, MassError> {
    let Scene { mut system, mut state } = (swing.make)()?;
    let mut integrator = (method.make)();
    let stride = stride(swing.rate * dt);
    // The pair starts at rest length; one step gives it an oscillation.
    let mut y = [0.0; 4];
    for (k, sample) in y.iter_mut().enumerate() {
        for _ in 0..if k == 0 { 1 } else { stride } {
            if integrator.step(&mut system, &mut state, dt).is_err() {
                return Ok(f64::INFINITY);
            }
        }
        *sample = (swing.read)(&state);
    }
    if y[3].abs() <= DIED_OUT * y[0].abs() {
        return Ok(0.0);
    }
    let determinant = y[0] * y[2] - y[1] * y[1];
    if determinant.abs() <= ALONE * (y[1] * y[1]).max((y[0] * y[2]).abs()) {
        return Ok(if y[2] == 0.0 { 0.0 } else { (y[3] / y[2]).abs() });
    }
    let half_sum = 0.5 * (y[0] * y[3] - y[1] * y[2]) / determinant;
    let product = (y[1] * y[3] - y[2] * y[2]) / determinant;
    let apart = half_sum * half_sum - product;
    Ok(if apart < 0.0 { product.sqrt() } else { half_sum.abs() + apart.sqrt() })
}

/// Factor by which an oscillation grows per radian of its phase.
pub fn growth_per_radian(method: &Method, swing: &Swing, dt: f64) -> Result<f64, MassError> {
    let radians = swing.rate * dt;
    Ok(libm::pow(growth(method, swing, dt)?, (stride(radians) as f64 * radians).recip()))
}

/// Steps between two samples.
fn stride(radians: f64) -> usize {
    radians.recip().clamp(1.0, 1e6).round() as usize
}

/// Largest step at which an oscillation does not grow, s; may be infinite.
pub fn limit(method: &Method, swing: &Swing) -> Result<f64, Box<dyn Error>> {
    let stable = |dt| Ok::<_, MassError>(growth(method, swing, dt)? <= 1.0 + ROUNDING);
    if stable(HUGE / swing.rate)? {
        return Ok(f64::INFINITY);
    }
    let (mut low, mut high) = (0.0, LARGE / swing.rate);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        // Below this no growth can be distinguished from rounding.
        if swing.rate * middle < 1e-4 {
            break;
        }
        if stable(middle)? { low = middle } else { high = middle }
    }
    Ok(low)
}
