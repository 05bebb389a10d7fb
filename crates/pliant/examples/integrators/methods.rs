//! The integrators that are measured, with their theoretical properties.

use pliant::integrate::Integrator;
use pliant::integrate::euler::{Euler, EulerKind};
use pliant::integrate::implicit::{Equations, Implicit, ImplicitKind, ImplicitSettings};
use pliant::integrate::midpoint::Midpoint;
use pliant::integrate::rk4::Rk4;
use pliant::integrate::verlet::{VelocityKind, Verlet};
use pliant::solve::linear::LinearSettings;

/// One integrator.
pub struct Method {
    /// As in the tables.
    pub name: &'static str,
    /// Makes a new one.
    pub make: fn() -> Box<dyn Integrator>,
    /// Order with damping.
    pub order: f64,
    /// Largest stable steps, s.
    ///
    /// k = 100 with m = 1 and c = 0, then c = 1, then masses of 1 and 3 without damping (erratum
    /// L5); infinite where every step is stable, NaN for two-step methods, which cannot be measured
    /// in the same way.
    pub limits: [f64; 3],
    /// Whether it keeps angular momentum.
    pub keeps_spin: bool,
}

/// An implicit integrator that solves its equations as far as f64 goes.
fn implicit(kind: ImplicitKind, equations: Equations) -> Box<dyn Integrator> {
    let linear = LinearSettings { tolerance: 1e-13, ..LinearSettings::default() };
    Box::new(Implicit::new(ImplicitSettings {
        kind,
        equations,
        linear,
        ..ImplicitSettings::default()
    }))
}

/// Newton's method until nothing changes any more.
const NEWTON: Equations = Equations::Newton { iterations: 30, tolerance: 1e-15 };

/// Every integrator; a new one is one line.
#[rustfmt::skip]
pub const METHODS: &[Method] = &[
    Method { name: "explicit Euler", make: || Box::new(Euler::new(EulerKind::Explicit)), order: 1.0, limits: [0.0, 0.01, 0.0], keeps_spin: false },
    Method { name: "symplectic Euler", make: || Box::new(Euler::new(EulerKind::Symplectic)), order: 1.0, limits: [0.2, 0.190, 0.1732], keeps_spin: true },
    Method { name: "midpoint", make: || Box::new(Midpoint::new()), order: 2.0, limits: [0.0, 0.080, 0.0], keeps_spin: false },
    Method { name: "Runge–Kutta 4", make: || Box::new(Rk4::new()), order: 4.0, limits: [0.283, 0.291, 0.2449], keeps_spin: false },
    Method { name: "Verlet, backward", make: || Box::new(Verlet::new(VelocityKind::Backward)), order: 1.0, limits: [0.2, 0.190, 0.1732], keeps_spin: true },
    Method { name: "Verlet, central", make: || Box::new(Verlet::new(VelocityKind::Central)), order: 2.0, limits: [0.2, 0.2, 0.1732], keeps_spin: true },
    Method { name: "implicit Euler, linearised", make: || implicit(ImplicitKind::Euler, Equations::LinearisedOnce), order: 1.0, limits: [f64::INFINITY; 3], keeps_spin: false },
    Method { name: "implicit Euler, Newton", make: || implicit(ImplicitKind::Euler, NEWTON), order: 1.0, limits: [f64::INFINITY; 3], keeps_spin: false },
    Method { name: "implicit midpoint", make: || implicit(ImplicitKind::Midpoint, NEWTON), order: 2.0, limits: [f64::INFINITY; 3], keeps_spin: true },
    Method { name: "BDF2", make: || implicit(ImplicitKind::Bdf2, NEWTON), order: 2.0, limits: [f64::NAN; 3], keeps_spin: false },
];
