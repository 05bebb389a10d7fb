use super::*;
use crate::body::soft::{Masses, State};
use crate::math::random::Random;

/// Numbers below ten, sums of a few dozen.
const ROUNDING: f64 = 1e-12;

/// Twelve unequal point masses that translate and rotate.
fn lump(seed: u64) -> (RigidTemplate, RigidState, Vec<f64>, Vec<Vec3>) {
    let mut random = Random::new(seed);
    let mut some = || random.vec3();
    let positions: Vec<Vec3> = (0..12).map(|_| 2.0 * some()).collect();
    let masses: Vec<f64> = (0..12).map(|_| 1.1 + some().x).collect();
    let properties = MassProperties::from_points(&positions, &masses).unwrap();
    let (body, mut state) = RigidTemplate::new(&positions, properties).unwrap();
    state.velocity = some();
    state.spin = 3.0 * some();
    (body, state, masses, positions)
}

fn written(body: &RigidTemplate, state: &RigidState) -> State {
    let mut points = State::at_rest(vec![Vec3::ZERO; body.points.len()]);
    state.write(body, &mut points.positions, &mut points.velocities);
    points
}

#[test]
fn a_body_starts_where_its_vertices_are() {
    for seed in 0..10 {
        let (body, state, _, positions) = lump(seed);
        let found = written(&body, &state);
        for (k, (x, expected)) in found.positions.iter().zip(&positions).enumerate() {
            assert!(x.abs_diff_eq(*expected, ROUNDING), "{x} {expected}");
            assert!(state.body_point(*x).abs_diff_eq(body.points[k], ROUNDING));
            assert!(state.point(body.points[k]).abs_diff_eq(*x, ROUNDING));
        }
        assert!(body.moments.x >= body.moments.y && body.moments.y >= body.moments.z);
    }
}

#[test]
fn a_body_has_the_energy_and_momenta_of_its_points() {
    for seed in 0..10 {
        let (body, state, masses, positions) = lump(seed);
        let masses = Masses::new(masses).unwrap();
        let points = written(&body, &state);
        assert!((state.kinetic(&body) - points.kinetic(&masses)).abs() < 100.0 * ROUNDING);
        let turning = points.angular_momentum(&masses, state.centre);
        assert!(state.angular_momentum(&body).abs_diff_eq(turning, 100.0 * ROUNDING));
        assert!(
            (body.mass * state.velocity).abs_diff_eq(points.momentum(&masses), ROUNDING * 10.0)
        );
        for (x, v) in positions.iter().zip(&points.velocities) {
            assert!(state.velocity_at(*x).abs_diff_eq(*v, ROUNDING));
        }
        assert!((state.inertia(&body) * state.spin).abs_diff_eq(turning, 100.0 * ROUNDING));
        let back = state.inverse_inertia(&body) * turning;
        assert!(back.abs_diff_eq(state.spin, ROUNDING), "{back}");
    }
}

#[test]
fn a_push_changes_the_pushed_point_by_the_mobility() {
    for seed in 0..10 {
        let (body, state, masses, positions) = lump(seed);
        let masses = Masses::new(masses).unwrap();
        let (at, impulse) = (positions[3], Vec3::new(0.3, -2.0, 1.1));
        let mut pushed = state;
        pushed.push(&body, at, impulse);
        let found = pushed.velocity_at(at) - state.velocity_at(at);
        let expected = state.mobility(&body, at) * impulse;
        assert!(found.abs_diff_eq(expected, ROUNDING), "{found} {expected}");
        // The momenta of the points change by the impulse and by its moment.
        let (before, after) = (written(&body, &state), written(&body, &pushed));
        let gained = after.momentum(&masses) - before.momentum(&masses);
        assert!(gained.abs_diff_eq(impulse, 10.0 * ROUNDING), "{gained}");
        let moment = |s: &State| s.angular_momentum(&masses, Vec3::ZERO);
        let gained = moment(&after) - moment(&before);
        assert!(gained.abs_diff_eq(at.cross(impulse), 100.0 * ROUNDING), "{gained}");
    }
}

#[test]
fn the_mobility_is_the_matrix_of_the_slide() {
    for seed in 0..10 {
        let (body, state, _, positions) = lump(seed);
        let r = positions[5] - state.centre;
        let star = Mat3::from_cols(r.cross(Vec3::X), r.cross(Vec3::Y), r.cross(Vec3::Z));
        let expected =
            Mat3::IDENTITY * (1.0 / body.mass) - star * state.inverse_inertia(&body) * star;
        let found = state.mobility(&body, positions[5]);
        assert!(found.abs_diff_eq(expected, ROUNDING), "{found} {expected}");
        assert_eq!(found, found.transpose());
    }
}

#[test]
fn a_longer_arm_is_harder_to_spin() {
    // Erratum R11: the tensor is the resistance. Four masses on a cross of half-width a.
    let cross = |a: f64| {
        let places = [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y].map(|x| a * x);
        let properties = MassProperties::from_points(&places, &[1.0; 4]).unwrap();
        let (body, mut state) = RigidTemplate::new(&places, properties).unwrap();
        state.twist(&body, Vec3::Z);
        (state.inertia(&body).z_axis.z, state.spin.z)
    };
    assert!((cross(1.0).0 - 4.0).abs() < ROUNDING && (cross(1.0).1 - 0.25).abs() < ROUNDING);
    assert!((cross(2.0).0 - 16.0).abs() < ROUNDING && (cross(2.0).1 - 0.0625).abs() < ROUNDING);
}

#[test]
fn a_body_refuses_properties_that_were_made_by_hand() {
    let bad = MassProperties { mass: 0.0, centre: Vec3::ZERO, inertia: Mat3::IDENTITY };
    assert_eq!(RigidTemplate::new(&[], bad), Err(RigidError::Mass { mass: 0.0 }));
    let good = MassProperties { mass: 1.0, ..bad };
    assert!(RigidTemplate::new(&[], good).is_ok());
    assert!(RigidTemplate::new(&[Vec3::NAN], good).is_err());
}
