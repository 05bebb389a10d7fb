//! Every integrator against theory, as measured by the example `integrators`.

#[path = "../../examples/integrators/behaviour.rs"]
mod behaviour;
#[path = "../../examples/integrators/limits.rs"]
mod limits;
#[path = "../../examples/integrators/methods.rs"]
pub(crate) mod methods;
#[path = "../../examples/integrators/orders.rs"]
mod orders;
#[path = "../../examples/integrators/oscillators.rs"]
mod oscillators;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use behaviour::{circle, decay, energy_after, flight, reach};
use methods::{METHODS, Method};
use oscillators::{Scene, hung_net, oscillator, thrown_net};
use pliant::body::Bodies;
use pliant::body::keyframes::{Keyframe, Keyframes};
use pliant::body::pins::{PinPath, Pins};
use pliant::body::soft::{Masses, State};
use pliant::force::drag::{Drag, DragLaw};
use pliant::force::spring::{SpringLaw, SpringSettings, Springs};
use pliant::force::{Corners, Material, Tangent};
use pliant::id::VertexId;
use pliant::integrate::verlet::{VelocityKind, Verlet};
use pliant::integrate::{Integrator, StepError, StepReport, System};
use pliant::math::{Mat3, Quat, Vec3};
use pliant::step::Stepper;

/// How far a slope may be from the order; third-order terms are left.
const SLOPE_TOLERANCE: f64 = 0.05;
/// Half of the last digit of the stated limits, s.
const LIMIT_TOLERANCE: f64 = 5e-4;
/// Momenta, relative to what the vertices have.
const MOMENTUM_TOLERANCE: f64 = 1e-12;
/// Sums of a few hundred numbers of about one.
const ROUNDING: f64 = 1e-12;

#[track_caller]
fn method(name: &str) -> &'static Method {
    METHODS.iter().find(|method| method.name == name).unwrap()
}

#[track_caller]
fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found}, not {expected} ± {tolerance}");
}

#[test]
fn orders_are_those_of_theory() {
    for method in METHODS {
        for problem in orders::PROBLEMS {
            let slope = orders::slope(&orders::errors(method, problem).unwrap());
            let off = (slope - method.order).abs();
            assert!(off < SLOPE_TOLERANCE, "{}, {}: {slope}", method.name, problem.name);
        }
    }
}

#[test]
fn swings_grow_beyond_the_stated_steps() {
    for method in METHODS.iter().filter(|method| !method.limits[0].is_nan()) {
        for (swing, stated) in limits::swings().iter().zip(method.limits) {
            let found = limits::limit(method, swing).unwrap();
            let met = found == stated || (found - stated).abs() < LIMIT_TOLERANCE;
            assert!(met, "{}, {}: {found} s, not {stated} s", method.name, swing.name);
        }
    }
}

#[test]
fn limits_with_closed_forms_are_met_to_six_digits() {
    let [free, damped, pair] = limits::swings();
    let limit = |name, swing| limits::limit(method(name), swing).unwrap();
    let pair_rate = (100.0 * (1.0 + 1.0 / 3.0_f64)).sqrt();
    let with_damping = (-1.0 + (1.0 + 400.0_f64).sqrt()) / 100.0; // (−c + √(c² + 4km))/k
    for name in ["symplectic Euler", "Verlet, backward"] {
        close(limit(name, &free), 0.2, 1e-6);
        close(limit(name, &damped), with_damping, 1e-6);
        close(limit(name, &pair), 2.0 / pair_rate, 1e-6);
    }
    close(limit("Verlet, central", &damped), 0.2, 1e-6);
    close(limit("Runge–Kutta 4", &free), 0.08_f64.sqrt(), 1e-6); // 2√2/ω
    close(limit("explicit Euler", &damped), 0.01, 1e-6); // c/k
}

#[test]
fn swings_fade_under_implicit_euler_as_theory_says() {
    let [free, ..] = limits::swings();
    for h in [0.1, 0.5, 1.0, 3.0_f64] {
        // |λ| = (1 + h²)^(−1/2) for each step of h radians.
        let expected = libm::pow(1.0 + h * h, -0.5 / h);
        let name = "implicit Euler, linearised";
        let found = limits::growth_per_radian(method(name), &free, h / free.rate).unwrap();
        close(found, expected, 1e-9);
    }
}

#[test]
fn explicit_euler_gains_and_symplectic_euler_keeps() {
    close(energy_after(method("explicit Euler")).unwrap(), 7.32, 0.005);
    close(energy_after(method("symplectic Euler")).unwrap(), 0.967, 0.001);
    close(
        energy_after(method("explicit Euler")).unwrap(),
        pliant::math::powi(1.01, 200),
        ROUNDING * 10.0,
    );
}

#[test]
fn two_step_methods_calm_down_at_any_step() {
    for dt in [0.01, 0.1, 1.0, 100.0] {
        let Scene { mut system, mut state } = oscillator([100.0, 0.0]).unwrap();
        let mut integrator = (method("BDF2").make)();
        let mut before = f64::INFINITY;
        for _ in 0..10 {
            for _ in 0..20 {
                integrator.step(&mut system, &mut state, dt).unwrap();
            }
            let energy = 50.0 * state.positions[0].length_squared()
                + 0.5 * state.velocities[0].length_squared();
            assert!(energy < before || energy < 1e-25, "{dt} s: {energy} J after {before} J");
            before = energy;
        }
    }
}

#[test]
fn implicit_steps_lose_what_theory_says() {
    // ω dt = 0.1, 200 steps: each divides the energy by 1 + (ω dt)².
    let left = pliant::math::powi(1.01, -200);
    close(energy_after(method("implicit Euler, linearised")).unwrap(), left, ROUNDING);
    close(energy_after(method("implicit Euler, Newton")).unwrap(), left, ROUNDING);
    close(energy_after(method("implicit midpoint")).unwrap(), 1.0, ROUNDING);
}

#[test]
fn circles_spiral_out_at_the_predicted_rate() {
    for (dt, stated) in [(0.1, 1.369), (0.01, 1.032), (0.001, 1.003)] {
        let [per_step, per_turn] = circle(method("explicit Euler"), dt).unwrap();
        close(per_step, (1.0 + dt * dt).sqrt(), ROUNDING);
        // Exactly √(1 + dt²) to the power 2π/dt; exp(π dt) but for dt³.
        close(per_turn, libm::pow(1.0 + dt * dt, std::f64::consts::PI / dt), 1e-9);
        close(per_turn, stated, 2.0 * dt * dt * dt + 5e-4);
    }
}

#[test]
fn decay_alternates_beyond_one_and_grows_beyond_two() {
    let speeds = |k_dt: f64| decay(method("explicit Euler"), k_dt, 40).unwrap();
    for k_dt in [0.5, 1.0, 1.5, 2.0, 2.5_f64] {
        let found = speeds(k_dt);
        for (n, speed) in found.iter().enumerate() {
            let expected = pliant::math::powi(1.0 - k_dt, n as i32);
            close(*speed, expected, ROUNDING * expected.abs().max(1.0));
        }
    }
    assert!(speeds(0.5)[1] > 0.0 && speeds(1.5)[1] < 0.0);
    assert!(speeds(1.5)[40].abs() < 1e-11 && speeds(2.5)[40].abs() > 1e6);
    close(speeds(2.0)[39], -1.0, ROUNDING);
}

#[test]
fn free_flight_keeps_momenta() {
    for method in METHODS {
        let found = flight(method).unwrap();
        assert!(found.momentum < MOMENTUM_TOLERANCE, "{}: {}", method.name, found.momentum);
        let kept = found.spin < MOMENTUM_TOLERANCE;
        assert_eq!(kept, method.keeps_spin, "{}: {}", method.name, found.spin);
    }
}

#[test]
fn a_disturbance_travels_spring_by_spring() {
    let check = |name, damping, expected: [usize; 4]| {
        assert_eq!(reach(method(name), damping).unwrap(), expected, "{name}, {damping}");
    };
    check("explicit Euler", 1.0, [1, 2, 3, 4]);
    check("explicit Euler", 0.0, [1, 1, 2, 2]); // velocity first, position a step later
    check("symplectic Euler", 0.0, [1, 2, 3, 4]);
    check("symplectic Euler", 1.0, [1, 2, 3, 4]);
    check("midpoint", 1.0, [2, 4, 6, 8]);
    check("Runge–Kutta 4", 1.0, [4, 8, 12, 16]);
    check("Runge–Kutta 4", 0.0, [2, 4, 6, 8]);
    // The velocity at the end of a step depends on the positions there.
    check("Verlet, backward", 0.0, [2, 3, 4, 5]);
    check("Verlet, central", 0.0, [2, 3, 4, 5]);
}

#[test]
fn failed_steps_leave_the_state_as_it_was() {
    for method in METHODS {
        let Scene { mut system, mut state } = oscillator([1e300, 0.0]).unwrap();
        let before = state.clone();
        let error = (method.make)().step(&mut system, &mut state, 1e10).unwrap_err();
        assert!(error.to_string().starts_with("vertex 0 of body 0 has"), "{error}");
        assert_eq!(state, before, "{}", method.name);
        for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!((method.make)().step(&mut system, &mut state, dt).is_err());
        }
    }
}

/// Counts force evaluations with vertex 0 off its pin.
#[derive(Debug)]
struct Witness {
    pins: Pins,
    /// All evaluations, and those with the vertex off.
    asked: Arc<[AtomicUsize; 2]>,
}

impl Material<1> for Witness {
    fn count(&self) -> usize {
        1
    }

    fn vertices(&self, _element: usize) -> [VertexId; 1] {
        [VertexId(0)]
    }

    fn energy(&self, _element: usize, _at: &Corners<1>) -> f64 {
        0.0
    }

    fn forces(&self, _element: usize, at: &Corners<1>) -> [Vec3; 1] {
        let (place, velocity) = (self.pins.place(0, at.time), self.pins.velocity(0, at.time));
        let off = at.positions[0].distance(place) + at.velocities[0].distance(velocity);
        self.asked[0].fetch_add(1, Ordering::Relaxed);
        self.asked[1].fetch_add(usize::from(off > ROUNDING), Ordering::Relaxed);
        [Vec3::ZERO]
    }

    fn tangent(&self, _element: usize, _at: &Corners<1>, _tangent: Tangent) -> [[Mat3; 1]; 1] {
        [[Mat3::ZERO]]
    }
}

#[test]
fn forces_see_pins_where_they_belong_at_every_stage() {
    // Implicit steps evaluate forces at guesses too, where nothing belongs.
    for method in METHODS.iter().filter(|method| method.limits[0].is_finite()) {
        let Scene { mut system, mut state } = hung_net([20.0, 0.1]).unwrap();
        let at = |time: f64| Keyframe {
            time,
            position: time * Vec3::Z,
            rotation: Quat::from_rotation_x(2.0 * time),
        };
        let motion = Keyframes::new(vec![at(0.0), at(1.0)]).unwrap();
        let path = PinPath { motion, pivot: Vec3::Y };
        let mut pins = Pins::default();
        pins.add_moving(&[VertexId(0)], &state.positions, path).unwrap();
        pins.hold(0.0, &mut state.positions, &mut state.velocities);
        let asked = Arc::new([const { AtomicUsize::new(0) }; 2]);
        system.forces.push(Witness { pins: pins.clone(), asked: asked.clone() });
        system.pins = pins;
        let mut integrator = (method.make)();
        for _ in 0..5 {
            integrator.step(&mut system, &mut state, 0.01).unwrap();
        }
        let [all, off] = [0, 1].map(|k| asked[k].load(Ordering::Relaxed));
        assert!(all >= 5 && off == 0, "{}: {off} of {all}", method.name);
    }
}

#[test]
fn undamped_verlet_is_the_textbooks() {
    for kind in [VelocityKind::Backward, VelocityKind::Central] {
        let Scene { mut system, mut state } = thrown_net([20.0, 0.0]).unwrap();
        let (dt, mut verlet, mut before) = (2e-3, Verlet::new(kind), Vec::new());
        let mut accelerations = Vec::new();
        for step in 0..100 {
            system.accelerations(state.motion(), &mut accelerations).unwrap();
            let past = std::mem::replace(&mut before, state.positions.clone());
            let expected: Vec<Vec3> = (0..before.len())
                .map(|k| match past.get(k) {
                    Some(past) => 2.0 * before[k] - *past + dt * dt * accelerations[k],
                    None => before[k] + dt * state.velocities[k] + 0.5 * dt * dt * accelerations[k],
                })
                .collect();
            verlet.step(&mut system, &mut state, dt).unwrap();
            for (found, expected) in state.positions.iter().zip(&expected) {
                assert!(found.abs_diff_eq(*expected, ROUNDING), "{step}: {found} {expected}");
            }
        }
    }
}

#[test]
fn changes_from_outside_start_verlet_anew() {
    for kind in [VelocityKind::Backward, VelocityKind::Central] {
        let Scene { mut system, mut state } = hung_net([20.0, 0.1]).unwrap();
        let mut warm = Verlet::new(kind);
        for _ in 0..5 {
            warm.step(&mut system, &mut state, 2e-3).unwrap();
        }
        state.velocities[7] += Vec3::Y;
        state.positions[9] += 0.01 * Vec3::X;
        let mut other = state.clone();
        for _ in 0..5 {
            warm.step(&mut system, &mut state, 1e-3).unwrap();
        }
        let mut fresh = Verlet::new(kind);
        for _ in 0..5 {
            fresh.step(&mut system, &mut other, 1e-3).unwrap();
        }
        assert_eq!(state, other, "{kind:?}");
    }
}

#[test]
fn backward_verlet_remembers_what_was_left_alone() {
    // With damping the force of the second step is evaluated at the velocity half a step back.
    let Scene { mut system, mut state } = oscillator([100.0, 1.0]).unwrap();
    let dt = 0.01;
    let mut verlet = Verlet::new(VelocityKind::Backward);
    verlet.step(&mut system, &mut state, dt).unwrap();
    let x1 = 1.0 - 0.5 * dt * dt * 100.0;
    close(state.positions[0].x, x1, ROUNDING);
    verlet.step(&mut system, &mut state, dt).unwrap();
    let backward = (x1 - 1.0) / dt;
    close(state.positions[0].x, 2.0 * x1 - 1.0 + dt * dt * (-100.0 * x1 - backward), ROUNDING);
}

#[test]
fn verlet_keeps_its_order_when_steps_change() {
    let error = |steps: u32| {
        let Scene { mut system, mut state } = oscillator([100.0, 1.0]).unwrap();
        let mut verlet = Verlet::new(VelocityKind::Central);
        for k in 0..steps {
            let share = if k % 2 == 0 { 2.0 / 3.0 } else { 4.0 / 3.0 };
            verlet.step(&mut system, &mut state, share / f64::from(steps)).unwrap();
        }
        // x(1) of a damped oscillator with ω² = 100 − ¼.
        let rate = 99.75_f64.sqrt();
        let exact = libm::exp(-0.5_f64) * (libm::cos(rate) + 0.5 / rate * libm::sin(rate));
        (state.positions[0].x - exact).abs()
    };
    close(libm::log2(error(800) / error(1600)), 2.0, SLOPE_TOLERANCE);
}

#[test]
fn central_velocities_say_when_damping_is_too_strong() {
    let Scene { mut system, mut state } = oscillator([100.0, 30.0]).unwrap();
    let before = state.clone();
    let mut verlet = Verlet::new(VelocityKind::Central);
    // dt/2 · c/m = 1.5: every iteration diverges further.
    let error = verlet.step(&mut system, &mut state, 0.1).unwrap_err().to_string();
    assert!(error.starts_with("the central velocity solver stopped after 100"), "{error}");
    assert_eq!(state, before);
    assert!(verlet.step(&mut system, &mut state, 0.01).unwrap().newton < 30);
}

#[test]
fn quadratic_drag_slows_implicit_steps_too() {
    // v' = −c v²/m from 1 m/s, with c/m = 1: v = 1/(1 + t), ½ m/s after 1 s.
    for name in ["implicit Euler, linearised", "implicit Euler, Newton"] {
        let state = State { velocities: vec![Vec3::X], ..State::at_rest(vec![Vec3::ZERO]) };
        let masses = Masses::new(vec![1.0]).unwrap();
        let mut system = System { masses, ..System::default() };
        let drag = Drag::new(DragLaw::Quadratic, vec![1.0], Vec3::ZERO).unwrap();
        system.forces.push(drag);
        let (mut state, mut integrator) = (state, (method(name).make)());
        for _ in 0..1000 {
            integrator.step(&mut system, &mut state, 1e-3).unwrap();
        }
        close(state.velocities[0].x, 0.5, 1e-3); // first order in steps of 1 ms
    }
}

#[test]
fn pins_of_another_scene_are_refused() {
    let Scene { mut system, mut state } = oscillator([1.0, 0.0]).unwrap();
    system.pins = Pins::still(&[VertexId(4)], &[Vec3::ZERO; 5]).unwrap();
    let error = (method("Runge–Kutta 4").make)().step(&mut system, &mut state, 0.1).unwrap_err();
    assert_eq!(error.to_string(), "the state has 1 vertices, the pins were made for 5");
}

/// Says that it is dissipative, and stretches a spring by 1 m in steps longer than it can.
#[derive(Debug)]
struct Thrower {
    longest: f64,
}

impl Integrator for Thrower {
    fn step(
        &mut self,
        _system: &mut System,
        state: &mut State,
        dt: f64,
    ) -> Result<StepReport, StepError> {
        state.time += dt;
        if dt > self.longest {
            state.positions[1] += Vec3::X;
        }
        Ok(StepReport::default())
    }

    fn is_dissipative(&self) -> bool {
        true
    }
}

/// A step of 0.16 s of a spring at rest, in parts of 0.01 s at the shortest.
fn thrown(longest: f64) -> Result<StepReport, StepError> {
    let rest = vec![Vec3::ZERO, Vec3::X];
    let settings = SpringSettings { law: SpringLaw::Absolute, stiffness: 100.0, damping: 0.0 };
    let mut system = System { masses: Masses::new(vec![1.0; 2]).unwrap(), ..System::default() };
    let edges = [[VertexId(0), VertexId(1)]];
    system.forces.push(Springs::along(&rest, &edges, settings).unwrap());
    let mut stepper = Stepper::new(Box::new(Thrower { longest })).with_halvings(4);
    stepper.step(&mut system, &mut State::at_rest(rest), 0.16)
}

#[test]
fn a_light_body_that_gains_energy_is_noticed_beside_a_heavy_fast_one() {
    let parts_of = |longest| {
        let start = vec![Vec3::ZERO, Vec3::X, 5.0 * Vec3::X];
        let settings = SpringSettings { law: SpringLaw::Absolute, stiffness: 100.0, damping: 0.0 };
        let masses = Masses::new(vec![1.0, 1.0, 1e6]).unwrap();
        let bodies = Arc::new(Bodies::of_particles([2, 1]).unwrap());
        let mut system = System { masses, bodies, ..System::default() };
        let edges = [[VertexId(0), VertexId(1)]];
        system.forces.push(Springs::along(&start, &edges, settings).unwrap());
        let mut state = State::at_rest(start);
        // 5e9 J, where the spring gains 50 J.
        state.velocities[2] = 100.0 * Vec3::X;
        let mut stepper = Stepper::new(Box::new(Thrower { longest })).with_halvings(4);
        stepper.step(&mut system, &mut state, 0.16).unwrap().halvings
    };
    assert_eq!(parts_of(0.2), 0);
    assert!(parts_of(0.05) >= 2);
}

#[test]
fn steps_that_store_energy_from_nowhere_are_made_in_parts_or_fail() {
    assert_eq!(thrown(0.2).unwrap().halvings, 0);
    // 0.16 and 0.08 s are too long; after each part of 0.04 s one of 0.08 s is tried.
    assert!(thrown(0.05).unwrap().halvings >= 2);
    // ½ · 100 N/m · (1 m)², where nothing was stored but what slow motion may have.
    let failed = thrown(0.001);
    let Err(StepError::EnergyGained { gained, stored, dt, .. }) = failed else {
        panic!("{failed:?}")
    };
    assert!((gained - 50.0).abs() < 1e-9 && stored < 1e-3, "{gained} {stored}");
    assert!((dt - 0.01).abs() < 1e-12, "{dt}");
}
