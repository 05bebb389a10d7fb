use super::*;
use crate::body::rigid::mass::MassProperties;
use crate::math::random::Random;

/// A box of 1 m × 2 m × 3 m and 1 kg, with an angular velocity in the world, rad/s.
///
/// Principal moments are 13/12, 10/12 and 5/12 kg·m², on x, y and z.
fn brick(spin: Vec3) -> (RigidTemplate, RigidState) {
    let inertia = Mat3::from_diagonal(Vec3::new(13.0, 10.0, 5.0) / 12.0);
    let properties = MassProperties::new(1.0, Vec3::ZERO, inertia).unwrap();
    let (body, state) = RigidTemplate::new(&[], properties).unwrap();
    (body, RigidState { spin, velocity: Vec3::new(0.3, 0.0, -1.0), ..state })
}

/// Runs for a time, s, in equal steps.
fn run(
    flight: FreeMotion,
    body: &RigidTemplate,
    mut state: RigidState,
    time: f64,
    steps: u32,
) -> RigidState {
    for _ in 0..steps {
        flight.step(body, &mut state, time / f64::from(steps));
    }
    state
}

/// Change of angular momentum relative to its size.
fn momentum_loss(body: &RigidTemplate, before: &RigidState, after: &RigidState) -> f64 {
    let start = before.angular_momentum(body);
    (after.angular_momentum(body) - start).length() / start.length()
}

/// Change of energy relative to its size.
fn energy_change(body: &RigidTemplate, before: &RigidState, after: &RigidState) -> f64 {
    (after.kinetic(body) / before.kinetic(body) - 1.0).abs()
}

/// Spin on body axes and rotation after a time, by the Runge–Kutta method.
fn reference(body: &RigidTemplate, state: &RigidState, time: f64, steps: u32) -> (Vec3, Quat) {
    let h = time / f64::from(steps);
    let rate = |w: Vec3, q: Quat| {
        let spin = (body.moments * w).cross(w) / body.moments;
        (spin, q * Quat::from_xyzw(w.x, w.y, w.z, 0.0) * 0.5)
    };
    let (mut w, mut q) = (state.turn.conjugate() * state.spin, state.turn);
    for _ in 0..steps {
        let (a, qa) = rate(w, q);
        let (b, qb) = rate(w + 0.5 * h * a, q + qa * (0.5 * h));
        let (c, qc) = rate(w + 0.5 * h * b, q + qb * (0.5 * h));
        let (d, qd) = rate(w + h * c, q + qc * h);
        w += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
        q = unit_quat(q + (qa + qb * 2.0 + qc * 2.0 + qd) * (h / 6.0)).unwrap();
    }
    (w, q)
}

#[test]
fn a_hundred_thousand_steps_keep_energy_and_angular_momentum() {
    // Promised: 1e-9. About the middle axis, where the motion is richest.
    let (body, start) = brick(Vec3::new(0.01, 5.0, 0.02));
    let end = run(FreeMotion::Conserving, &body, start, 1000.0, 100_000);
    let (energy, momentum) =
        (energy_change(&body, &start, &end), momentum_loss(&body, &start, &end));
    assert!(energy < 1e-9 && momentum < 1e-9, "{energy} {momentum}");
    assert!((end.turn.length() - 1.0).abs() < 1e-15);
    assert!(end.centre.abs_diff_eq(1000.0 * start.velocity, 1e-7), "{}", end.centre);
}

#[test]
fn the_slide_loses_angular_momentum() {
    // Erratum R2: box 1×2×3, ω = (1, 2, 0.5) rad/s, 10 s.
    let (body, start) = brick(Vec3::new(1.0, 2.0, 0.5));
    let loss = |flight: FreeMotion, steps: u32| {
        momentum_loss(&body, &start, &run(flight, &body, start, 10.0, steps))
    };
    for steps in [1000, 2000, 4000] {
        let found = loss(FreeMotion::Lecture, steps);
        assert!((found - 0.286).abs() < 0.001, "{found}");
        let end = run(FreeMotion::Lecture, &body, start, 10.0, steps);
        // The spin is an axis of the turn: the energy of the slide does not change.
        assert!(energy_change(&body, &start, &end) < 1e-12);
    }
    for (steps, expected) in [(1000, 0.0266), (2000, 0.0130), (4000, 0.0065)] {
        let found = loss(FreeMotion::Explicit, steps);
        assert!((found - expected).abs() < 0.0001, "{found}");
    }
    assert!(loss(FreeMotion::Conserving, 1000) < 1e-12);
}

#[test]
fn a_flight_follows_the_fine_reference_with_its_order() {
    let (body, start) = brick(Vec3::new(1.0, 2.0, 0.5));
    let (spin, turn) = reference(&body, &start, 3.0, 20_000);
    let error = |flight: FreeMotion, steps: u32| {
        let end = run(flight, &body, start, 3.0, steps);
        let sign = end.turn.dot(turn).signum();
        (end.turn * sign - turn).length() + (end.turn.conjugate() * end.spin - spin).length()
    };
    for (flight, order) in [(FreeMotion::Conserving, 2.0), (FreeMotion::Explicit, 1.0)] {
        let slope = libm::log2(error(flight, 400) / error(flight, 800));
        assert!((slope - order).abs() < 0.1, "{flight:?} {slope}");
    }
    assert!(error(FreeMotion::Conserving, 800) < 1e-4);
    assert!(error(FreeMotion::Lecture, 800) > 0.1);
}

/// Complete elliptic integral of the first kind, by the arithmetic-geometric mean.
fn complete_elliptic(m: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - m).sqrt());
    for _ in 0..40 {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    std::f64::consts::FRAC_PI_2 / a
}

#[test]
fn a_box_about_its_middle_axis_flips_when_it_should() {
    // Euler's equations have elliptic functions as solution. With A > B > C, 2T = Σ I ω²,
    // L² = Σ I² ω² and L² > 2T B, the spin about B has the period 4 K(m) √(A B C / fast),
    // fast = (A − B)(L² − 2T C) and m = (B − C)(2T A − L²) / fast.
    let (body, mut state) = brick(Vec3::ZERO);
    let [a, b, c] = body.moments.to_array();
    let start = Vec3::new(0.05, 3.0, 0.01);
    state.spin = state.turn * start;
    let (twice_t, l_sq) =
        (start.dot(body.moments * start), (body.moments * start).length_squared());
    assert!(l_sq > twice_t * b);
    let fast = (a - b) * (l_sq - twice_t * c);
    let slow = (b - c) * (twice_t * a - l_sq);
    let period = 4.0 * complete_elliptic(slow / fast) / (fast / (a * b * c)).sqrt();

    // The times at which the spin about the middle axis changes sign are half a period apart.
    let dt = 5e-4;
    let mut flips = Vec::new();
    let middle = |s: &RigidState| (s.turn.conjugate() * s.spin).y;
    for step in 0..40_000 {
        let before = middle(&state);
        FreeMotion::Conserving.step(&body, &mut state, dt);
        let after = middle(&state);
        if before * after < 0.0 {
            flips.push(dt * (f64::from(step) + before / (before - after)));
        }
    }
    assert!(flips.len() >= 2, "{flips:?} {period}");
    for pair in flips.windows(2) {
        let half = pair[1] - pair[0];
        assert!((half - 0.5 * period).abs() < 1e-5 * period, "{half} {period}");
    }
}

#[test]
fn any_spin_and_any_body_keep_what_is_kept() {
    let mut random = Random::new(11);
    for case in 0..300 {
        let mut some = || random.vec3();
        // From thick bodies to needles: the width falls to a ten-thousandth.
        let width = libm::pow(10.0, -2.0 * (1.0 + some().x));
        let size = Vec3::new(1.0, width, width * (1.5 + some().y));
        let sq = size * size;
        let moments = Vec3::new(sq.y + sq.z, sq.x + sq.z, sq.x + sq.y);
        let properties = MassProperties::new(1.0, Vec3::ZERO, Mat3::from_diagonal(moments));
        let (body, mut state) = RigidTemplate::new(&[], properties.unwrap()).unwrap();
        state.spin = some() * crate::math::powi(10.0, case % 12 - 3);
        let start = state;
        for _ in 0..20 {
            FreeMotion::Conserving.step(&body, &mut state, 0.01);
        }
        let (energy, momentum) =
            (energy_change(&body, &start, &state), momentum_loss(&body, &start, &state));
        assert!(energy < 1e-9 && momentum < 1e-12, "{case}: {energy} {momentum} {start:?}");
        assert!(state.turn.is_finite() && (state.turn.length() - 1.0).abs() < 1e-14);
    }
}

#[test]
fn turns_stay_unit_in_every_flight() {
    for flight in [FreeMotion::Conserving, FreeMotion::Explicit, FreeMotion::Lecture] {
        let (body, start) = brick(Vec3::new(3.0, 4.0, 0.0));
        let end = run(flight, &body, start, 10.0, 500);
        assert!((end.turn.length() - 1.0).abs() < 1e-14, "{flight:?}");
    }
}

#[test]
fn a_flight_there_and_back_ends_where_it_began() {
    let (body, start) = brick(Vec3::new(1.0, 2.0, 0.5));
    let there = run(FreeMotion::Conserving, &body, start, 2.0, 100);
    let back = run(FreeMotion::Conserving, &body, there, -2.0, 100);
    assert!((back.turn - start.turn).length() < 1e-12, "{back:?}");
    assert!(back.spin.abs_diff_eq(start.spin, 1e-12), "{back:?}");
    let rest = RigidState { spin: Vec3::ZERO, ..start };
    assert_eq!(run(FreeMotion::Conserving, &body, rest, 1.0, 10).turn, rest.turn);
}

#[test]
fn a_spin_that_is_no_number_does_not_panic() {
    let (body, start) = brick(Vec3::new(f64::NAN, 0.0, 1.0));
    let far = RigidState { spin: Vec3::splat(1e308), ..start };
    for flight in [FreeMotion::Conserving, FreeMotion::Explicit, FreeMotion::Lecture] {
        run(flight, &body, start, 1.0, 2);
        run(flight, &body, far, 1.0, 2);
    }
}
