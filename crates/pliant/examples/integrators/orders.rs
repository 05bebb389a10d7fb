//! How the error falls with the step.

use std::error::Error;

use pliant::body::soft::State;
use pliant::integrate::Integrator;
use pliant::integrate::rk4::Rk4;
use pliant::math::Vec3;

use super::methods::Method;
use super::oscillators::{Scene, hung_net, oscillator, pair, pulled_pair};

/// Halvings of the coarsest step.
const HALVINGS: u32 = 4;

/// Steps of the reference for one of the finest step that is measured.
const FINER: usize = 8;

/// k = 100 N/m and c = 1 N·s/m, for problems with a closed form.
const SPRING: [f64; 2] = [100.0, 1.0];

/// Position, m, and velocity, m/s, of every vertex.
type Placed = Vec<(Vec3, Vec3)>;

/// A problem whose end state is known.
pub struct Problem {
    /// As in the tables.
    pub name: &'static str,
    /// How it starts.
    pub make: fn() -> Result<Scene, Box<dyn Error>>,
    /// s.
    pub duration: f64,
    /// Coarsest number of steps measured.
    pub steps: usize,
    /// Turns an error of velocity into one of position, s.
    pub period: f64,
    /// The end, where it has a closed form.
    pub exact: Option<fn(f64) -> Placed>,
}

/// Oscillator with damper, two masses on a spring, one on a moving pin, pinned net.
pub const PROBLEMS: &[Problem] = &[
    Problem {
        name: "damped oscillator",
        make: || Ok(oscillator(SPRING)?),
        duration: 1.0,
        steps: 100,
        period: 0.1,
        exact: Some(swung),
    },
    Problem {
        name: "two masses",
        make: || Ok(pair([1.0, 3.0], SPRING)?),
        duration: 1.0,
        steps: 100,
        period: 0.1,
        exact: Some(parted),
    },
    Problem {
        name: "moving pin",
        make: || pulled_pair(SPRING),
        duration: 1.0,
        steps: 100,
        period: 0.1,
        exact: Some(pulled),
    },
    Problem {
        name: "net",
        make: || Ok(hung_net([20.0, 0.1])?),
        duration: 0.5,
        steps: 200,
        period: 0.1,
        exact: None,
    },
];

/// Position and velocity of a damped oscillator that starts with x₀ and v₀.
///
/// Its mass is 1/`ease` kg.
fn oscillation(ease: f64, [x0, v0]: [f64; 2], time: f64) -> [f64; 2] {
    let [k, c] = SPRING;
    let decay = 0.5 * c * ease;
    let rate = (k * ease - decay * decay).sqrt();
    let (sine, cosine) = libm::sincos(rate * time);
    let swing = (v0 + decay * x0) / rate;
    let (shape, slope) = (x0 * cosine + swing * sine, rate * (swing * cosine - x0 * sine));
    let fade = libm::exp(-decay * time);
    [fade * shape, fade * (slope - decay * shape)]
}

fn swung(time: f64) -> Placed {
    let [x, v] = oscillation(1.0, [1.0, 0.0], time);
    vec![(x * Vec3::X, v * Vec3::X)]
}

/// Masses 1 and 3 that part with 1 m/s: their centre moves with ¾ m/s.
fn parted(time: f64) -> Placed {
    let [stretch, parting] = oscillation(1.0 + 1.0 / 3.0, [0.0, 1.0], time);
    let (centre, apart) = (0.75 + 0.75 * time, 1.0 + stretch);
    vec![
        ((centre - 0.75 * apart) * Vec3::X, (0.75 - 0.75 * parting) * Vec3::X),
        ((centre + 0.25 * apart) * Vec3::X, (0.75 + 0.25 * parting) * Vec3::X),
    ]
}

/// Seen from the pin, which runs with 2 m/s, the mass starts with 2 m/s.
fn pulled(time: f64) -> Placed {
    let [stretch, parting] = oscillation(1.0, [0.0, 2.0], time);
    let (pin, speed) = (-2.0 * time, -2.0);
    let mass = ((pin + 1.0 + stretch) * Vec3::X, (speed + parting) * Vec3::X);
    vec![(pin * Vec3::X, speed * Vec3::X), mass]
}

fn end(
    integrator: &mut dyn Integrator,
    problem: &Problem,
    steps: usize,
) -> Result<State, Box<dyn Error>> {
    let Scene { mut system, mut state } = (problem.make)()?;
    for _ in 0..steps {
        integrator.step(&mut system, &mut state, problem.duration / steps as f64)?;
    }
    Ok(state)
}

/// Largest error of any vertex at the end, m, for steps that are halved: (s, m).
pub fn errors(method: &Method, problem: &Problem) -> Result<Vec<(f64, f64)>, Box<dyn Error>> {
    let finest = problem.steps << HALVINGS;
    let truth = match problem.exact {
        Some(exact) => exact(problem.duration),
        None => {
            let State { positions, velocities, .. } =
                end(&mut Rk4::new(), problem, FINER * finest)?;
            positions.into_iter().zip(velocities).collect()
        }
    };
    let error = |steps: usize| -> Result<(f64, f64), Box<dyn Error>> {
        let found = end(&mut *(method.make)(), problem, steps)?;
        let found = found.positions.iter().zip(&found.velocities);
        let off = found.zip(&truth).map(|((x, v), (x_true, v_true))| {
            x.distance(*x_true).max(problem.period * v.distance(*v_true))
        });
        Ok((problem.duration / steps as f64, off.fold(0.0, f64::max)))
    };
    (0..=HALVINGS).map(|k| error(problem.steps << k)).collect()
}

/// Order, measured as the slope between the two finest steps.
pub fn slope(errors: &[(f64, f64)]) -> f64 {
    match errors {
        [.., (coarse, before), (fine, after)] => {
            libm::log(before / after) / libm::log(coarse / fine)
        }
        _ => f64::NAN,
    }
}
