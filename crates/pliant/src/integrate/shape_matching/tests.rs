use super::matching::{ShapeMatching, Velocities};
use super::*;
use crate::body::soft::State;
use crate::force::gravity::Gravity;
use crate::integrate::euler::{Euler, EulerKind};
use crate::integrate::{Integrator, StepError, StepReport, System};
use crate::math::random::Random;
use crate::math::{Mat3, Quat};
use crate::snapshot::Snapshot;
use crate::step::{MatchOrder, Stepper};

mod low_rank;
mod pull;

/// Sums of tens of terms of about 1: rounding stays below 1e-14.
const ROUNDING: f64 = 1e-12;

fn symplectic() -> Box<dyn Integrator> {
    Box::new(Euler::new(EulerKind::Symplectic))
}

fn all(count: usize) -> Vec<VertexId> {
    (0..count as u32).map(VertexId).collect()
}

/// A box of 1 × 2 × 3 m, its eight corners and its centre.
fn corners() -> Vec<Vec3> {
    let corner = |k: u32| {
        let at = |bit: u32| if k >> bit & 1 == 0 { -0.5 } else { 0.5 };
        Vec3::new(at(0), 2.0 * at(1), 3.0 * at(2))
    };
    (0..8).map(corner).chain([Vec3::ZERO]).collect()
}

/// A system of these masses without forces.
fn free(masses: &[f64]) -> System {
    System { masses: Masses::new(masses.to_vec()).unwrap(), ..System::default() }
}

fn matched(groups: &[Group], rest: &[Vec3], system: &System, kept: Velocities) -> Stepper {
    let groups = Groups::new(groups, rest, &system.masses, &system.pins).unwrap();
    Stepper::new(symplectic())
        .with_matching(ShapeMatching::new(groups, kept), MatchOrder::BeforeContact)
}

fn kinds() -> [Kind; 5] {
    let linear = |blend, volume| Kind::Linear { blend, volume };
    let quadratic = Kind::Quadratic { blend: 0.8 };
    [
        Kind::Rigid,
        linear(0.0, Volume::Free),
        linear(0.7, Volume::Free),
        linear(0.7, Volume::Kept),
        quadratic,
    ]
}

/// Two groups that share vertices, and masses from 1 to 10 kg.
fn overlapping(kind: Kind, stiffness: Stiffness) -> (Vec<Group>, Vec<Vec3>, System) {
    let mut random = Random::new(11);
    let rest: Vec<Vec3> = (0..30).map(|_| random.vec3() * Vec3::new(1.0, 2.0, 3.0)).collect();
    let masses: Vec<f64> = (0..30).map(|_| 5.5 + 4.5 * random.signed()).collect();
    let group = |from: u32, to: u32| {
        let vertices = (from..to).map(VertexId).collect();
        Group { vertices, kind, stiffness, plasticity: None }
    };
    (vec![group(0, 18), group(12, 28), group(5, 25)], rest, free(&masses))
}

#[test]
fn a_match_neither_pushes_nor_turns() {
    let mut random = Random::new(13);
    for kind in kinds() {
        for stiffness in [Stiffness::Firm, Stiffness::Share(0.3), Stiffness::Rate(40.0)] {
            let (groups, rest, system) = overlapping(kind, stiffness);
            let velocities: Vec<Vec3> = rest.iter().map(|_| random.vec3()).collect();
            let turn = Quat::from_rotation_y(1.0);
            let bent = |x: &Vec3| turn * *x + 0.2 * random.vec3() + 7.0 * Vec3::X;
            let positions: Vec<Vec3> = rest.iter().map(bent).collect();
            let mut state = State { positions, velocities, ..State::default() };
            let moments = |state: &State| {
                let centre = state.centre(&system.masses);
                let spin = state.angular_momentum(&system.masses, Vec3::ZERO);
                (centre, state.momentum(&system.masses), spin)
            };
            let (centre, momentum, spin) = moments(&state);
            let mut stepper = matched(&groups, &rest, &system, Velocities::Kept);
            stepper.step(&mut free(system.masses.of()), &mut state, 0.02).unwrap();
            let total = system.masses.total();
            let (centre_after, momentum_after, spin_after) = moments(&state);
            let drift = centre_after - centre - 0.02 / total * momentum;
            assert!(drift.length() < ROUNDING, "{kind:?} {stiffness:?} {drift}");
            let size = 10.0 * total;
            assert!((momentum_after - momentum).length() < ROUNDING * size, "{kind:?}");
            assert!((spin_after - spin).length() < ROUNDING * size, "{kind:?} {stiffness:?}");
        }
    }
}

#[test]
fn goals_pull_without_force_or_torque() {
    let mut random = Random::new(37);
    for kind in kinds() {
        let (groups, rest, mut system) = overlapping(kind, Stiffness::Share(0.6));
        let bent = rest.iter().map(|x| *x + 0.3 * random.vec3()).collect();
        let start = State::at_rest(bent);
        let mut state = start.clone();
        let mut stepper = matched(&groups, &rest, &system, Velocities::Travelled);
        stepper.step(&mut system, &mut state, 0.01).unwrap();
        // At rest before, so velocities are the pulls over dt; their arms are the old ones.
        let pulled = State { positions: start.positions, ..state };
        let size = pulled.velocities.iter().fold(0.0_f64, |most, v| most.max(v.length()));
        assert!(size > 1.0, "{size}");
        let scale = 10.0 * size * system.masses.total();
        let torque = pulled.angular_momentum(&system.masses, Vec3::ZERO);
        let force = pulled.momentum(&system.masses);
        assert!(torque.length() < ROUNDING * scale, "{kind:?} {torque}");
        assert!(force.length() < ROUNDING * scale, "{kind:?} {force}");
    }
}

#[test]
fn a_rigid_group_is_rigid_after_every_step() {
    let mut random = Random::new(17);
    let rest = corners();
    let mut system = free(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    let mut stepper = matched(&[Group::rigid(all(9))], &rest, &system, Velocities::Kept);
    let mut state = State::at_rest(rest.iter().map(|x| *x + 0.2 * random.vec3()).collect());
    for _ in 0..20 {
        state.velocities.iter_mut().for_each(|v| *v += random.vec3());
        stepper.step(&mut system, &mut state, 0.01).unwrap();
        for a in 0..9 {
            for b in 0..a {
                let apart = state.positions[a] - state.positions[b];
                let speed = apart.dot(state.velocities[a] - state.velocities[b]);
                assert!((apart.length() - rest[a].distance(rest[b])).abs() < ROUNDING);
                assert!(speed.abs() < 1e-11, "{speed}");
            }
        }
    }
}

/// Angular velocity of a box and the angle it turned by, after 4 s from 5 rad/s.
fn spin_after(kept: Velocities, kind: Kind) -> (f64, f64) {
    let rest = corners();
    let mut system = free(&[1.0; 9]);
    let group = Group { kind, ..Group::rigid(all(9)) };
    let mut stepper = matched(&[group], &rest, &system, kept);
    let mut state = State::at_rest(rest);
    let (dt, mut angle) = (0.02, 0.0);
    state.velocities = state.positions.iter().map(|x| (5.0 * Vec3::Z).cross(*x)).collect();
    for _ in 0..200 {
        let before = state.positions[1];
        stepper.step(&mut system, &mut state, dt).unwrap();
        let after = state.positions[1];
        let flat = |v: Vec3| Vec3::new(v.x, v.y, 0.0);
        angle += libm::atan2(flat(before).cross(flat(after)).z, flat(before).dot(flat(after)));
    }
    let spin = state.angular_momentum(&system.masses, Vec3::ZERO).z;
    let inertia: f64 = state.positions.iter().map(|x| x.x * x.x + x.y * x.y).sum();
    (spin / inertia, angle)
}

#[test]
fn a_free_spin_dies_as_printed_and_stays_as_an_option() {
    let (printed, _) = spin_after(Velocities::Travelled, Kind::Rigid);
    // tan θ' = sin θ / (2 − cos θ), 200 times from θ = 0.1. Printed velocities are chords
    // between old and new positions: sin θ, where θ is the rotation of the last step.
    let mut theta = 0.1_f64;
    for k in 0..200 {
        theta = if k == 0 {
            libm::atan(theta)
        } else {
            libm::atan2(libm::sin(theta), 2.0 - libm::cos(theta))
        };
    }
    assert!((printed - libm::sin(theta) / 0.02).abs() < 1e-9, "{printed} {}", theta / 0.02);
    assert!((printed - 2.237).abs() < 2e-3, "{printed}");
    let (kept, angle) = spin_after(Velocities::Kept, Kind::Rigid);
    assert!((kept - 5.0).abs() < ROUNDING, "{kept}");
    // The fraction for the tangent is right to θ⁷: 1e-11 rad in 200 steps.
    assert!((angle - 20.0).abs() < 1e-9, "{angle}");
    let soft = Kind::Linear { blend: 0.0, volume: Volume::Free };
    assert!((spin_after(Velocities::Kept, soft).0 - 5.0).abs() < 1e-9);
}

#[test]
fn printed_velocities_are_ways_from_the_old_positions() {
    let mut random = Random::new(19);
    let rest = corners();
    let mut system = free(&[1.0; 9]);
    let mut stepper = matched(&[Group::rigid(all(9))], &rest, &system, Velocities::Travelled);
    let mut state = State::at_rest(rest);
    state.velocities = (0..9).map(|_| random.vec3()).collect();
    let old = state.clone();
    stepper.step(&mut system, &mut state, 0.1).unwrap();
    for k in 0..9 {
        let way = state.positions[k] - old.positions[k];
        assert!((way / 0.1).abs_diff_eq(state.velocities[k], ROUNDING));
    }
}

#[test]
fn a_tumbling_box_keeps_its_angular_momentum() {
    let rest = corners();
    let mut system = free(&[1.0; 9]);
    let mut stepper = matched(&[Group::rigid(all(9))], &rest, &system, Velocities::Kept);
    let mut state = State::at_rest(rest);
    let spin = Vec3::new(0.3, 4.0, 0.2); // about the middle axis: it flips over
    state.velocities = state.positions.iter().map(|x| spin.cross(*x)).collect();
    let momentum = state.angular_momentum(&system.masses, Vec3::ZERO);
    let energy = state.kinetic(&system.masses);
    let mut lowest = 1.0_f64;
    for _ in 0..10_000 {
        stepper.step(&mut system, &mut state, 1e-3).unwrap();
        let now = state.angular_momentum(&system.masses, Vec3::ZERO);
        assert!((now - momentum).length() < 1e-10 * momentum.length(), "{now}");
        lowest =
            lowest.min(stepper.matching().unwrap().groups().clusters()[0].last().rotation.y_axis.y);
    }
    assert!(lowest < -0.9, "{lowest}");
    // Of first order: what a step of 1 ms gains or loses in 10 s.
    let change = state.kinetic(&system.masses) / energy - 1.0;
    assert!(change.abs() < 0.02, "{change}");
}

#[test]
fn linear_goals_keep_the_volume_of_what_there_is() {
    let check = |rest: Vec<Vec3>, rank: usize, squeeze: Vec3| {
        let count = rest.len();
        let mut system = free(&vec![2.0; count]);
        let kind = Kind::Linear { blend: 1.0, volume: Volume::Kept };
        let group = Group { kind, ..Group::rigid(all(count)) };
        let mut stepper = matched(&[group], &rest, &system, Velocities::Kept);
        assert_eq!(stepper.matching().unwrap().groups().clusters()[0].rank(), rank);
        let turn = Mat3::from_rotation_y(0.3);
        let bent = turn * Mat3::from_diagonal(squeeze);
        let mut state = State::at_rest(rest.iter().map(|x| bent * *x).collect());
        stepper.step(&mut system, &mut state, 0.01).unwrap();
        // All stretches within the shape have the product 1, and their ratios stay.
        let product: f64 = squeeze.to_array()[..rank].iter().product();
        let scale = libm::pow(product, -1.0 / rank as f64);
        for (x, place) in rest.iter().zip(&state.positions) {
            assert!(place.abs_diff_eq(scale * (bent * *x), ROUNDING), "{rank} {place}");
        }
    };
    check(corners(), 3, Vec3::new(0.5, 1.1, 0.9));
    let flat = corners().iter().map(|x| Vec3::new(x.x, x.y, 0.0)).collect();
    check(flat, 2, Vec3::new(0.5, 1.1, 1.0));
    check(corners().iter().map(|x| x.x * Vec3::X).collect(), 1, Vec3::new(0.7, 1.0, 1.0));
}

#[test]
fn flat_straight_and_single_groups_are_moved_rigidly() {
    let mut random = Random::new(23);
    let flatten = [Vec3::new(1.0, 1.0, 0.0), Vec3::X, Vec3::ZERO];
    for kind in kinds() {
        for extent in flatten {
            let rest: Vec<Vec3> = corners().iter().map(|x| *x * extent).collect();
            let mut system = free(&[1.0; 9]);
            let group = Group { kind, ..Group::rigid(all(9)) };
            let mut stepper = matched(&[group], &rest, &system, Velocities::Kept);
            let turn = Quat::from_rotation_x(1.2) * Quat::from_rotation_z(0.5);
            let start: Vec<Vec3> = rest.iter().map(|x| turn * *x + Vec3::Y).collect();
            let mut state = State::at_rest(start.clone());
            stepper.step(&mut system, &mut state, 0.01).unwrap();
            for (place, wanted) in state.positions.iter().zip(&start) {
                assert!(place.abs_diff_eq(*wanted, ROUNDING), "{kind:?} {place} {wanted}");
            }
            // And with vertices anywhere all results are finite.
            state.positions.iter_mut().for_each(|x| *x += random.vec3());
            stepper.step(&mut system, &mut state, 0.01).unwrap();
        }
    }
}

#[test]
fn what_is_inside_out_comes_back() {
    for kind in [Kind::Rigid, Kind::Linear { blend: 0.5, volume: Volume::Kept }] {
        let rest = corners();
        let mut system = free(&[1.0; 9]);
        let group = Group { kind, stiffness: Stiffness::Share(0.5), ..Group::rigid(all(9)) };
        let mut stepper = matched(&[group], &rest, &system, Velocities::Kept);
        let mirror = Vec3::new(-1.0, 1.0, 1.0);
        let mut state = State::at_rest(rest.iter().map(|x| *x * mirror).collect());
        for _ in 0..200 {
            stepper.step(&mut system, &mut state, 0.01).unwrap();
        }
        for a in 0..9 {
            let apart = state.positions[a].distance(state.positions[0]);
            assert!((apart - rest[a].distance(rest[0])).abs() < 1e-6, "{kind:?} {apart}");
        }
        let sides = [1, 2, 4].map(|k| state.positions[k] - state.positions[0]);
        assert!(sides[0].cross(sides[1]).dot(sides[2]) > 0.0);
    }
}

#[test]
fn a_rate_is_the_same_swing_for_every_short_step() {
    for dt in [1e-3, 2.5e-4] {
        let rest = corners();
        let mut system = free(&[1.0; 9]);
        let kind = Kind::Linear { blend: 0.0, volume: Volume::Free };
        let stiffness = Stiffness::Rate(20.0);
        let group = Group { kind, stiffness, ..Group::rigid(all(9)) };
        let mut stepper = matched(&[group], &rest, &system, Velocities::Kept);
        let mut state = State::at_rest(rest.iter().map(|x| 1.1 * *x).collect());
        let (mut crossings, mut before) = (Vec::new(), 0.1);
        while crossings.len() < 3 {
            stepper.step(&mut system, &mut state, dt).unwrap();
            let stretch = state.positions[7].length() / rest[7].length() - 1.0;
            if stretch * before < 0.0 {
                crossings.push(state.time - dt * stretch / (stretch - before));
            }
            before = stretch;
        }
        // Implicit Euler: atan(ω dt)/dt, ω (1 − (ω dt)²/3).
        let wanted = std::f64::consts::TAU * dt / libm::atan(20.0 * dt);
        let period = crossings[2] - crossings[0];
        // Interpolated between steps: the square of ω dt, relative.
        assert!((period - wanted).abs() < 1e-3 * wanted, "{dt}: {period} {wanted}");
    }
    let rate = Stiffness::Rate(f64::INFINITY);
    assert_eq!(rate.share(0.01), 1.0);
    assert!((Stiffness::Rate(3.0).share(1.0) - 0.9).abs() < ROUNDING); // 1 − 1/(1 + 9)
}

#[test]
fn strain_beyond_yield_stays_up_to_its_bound() {
    let check = |squeeze: f64, time: f64, creep: f64| {
        let rest = corners();
        let mut system = free(&[1.0; 9]);
        let plasticity = Some(Plasticity { yields_at: 0.1, creep, most: 0.3 });
        let group = Group { plasticity, ..Group::rigid(all(9)) };
        let mut stepper = matched(&[group], &rest, &system, Velocities::Kept);
        for _ in 0..(time / 0.01) as usize {
            let bent = |x: &Vec3| *x * Vec3::new(squeeze, 1.0, 1.0);
            let mut state = State::at_rest(rest.iter().map(bent).collect());
            stepper.step(&mut system, &mut state, 0.01).unwrap();
        }
        stepper.matching().unwrap().groups().clusters()[0].plastic()
    };
    assert_eq!(check(0.95, 1.0, 5.0), Mat3::IDENTITY); // below the yield of 0.1
    let found = check(0.8, 0.01, 5.0);
    // One step: 1 − 0.05 · 0.2 along x, then the volume is scaled back to 1.
    let along = 0.99 / libm::pow(0.99, 1.0 / 3.0);
    assert!((found.x_axis.x - along).abs() < ROUNDING, "{found}");
    assert!((found.determinant() - 1.0).abs() < ROUNDING);
    // It yields until what is left is below the yield strain.
    let left = 0.8 / check(0.8, 5.0, 5.0).x_axis.x;
    assert!((0.88..0.93).contains(&left), "{left}");
    let bound = check(0.3, 5.0, 50.0) - Mat3::IDENTITY;
    let size = crate::math::svd::svd(bound).stretches.x;
    assert!((size - 0.3).abs() < ROUNDING, "{size}");
}

#[test]
fn a_group_hangs_from_a_held_vertex_and_swings() {
    // A bar of 1 m, its masses at 0, ½ and 1 m: a pendulum of T = 2π √(I/(m g d)).
    let rest = vec![Vec3::ZERO, 0.5 * Vec3::X, Vec3::X];
    let mut system = free(&[1.0; 3]);
    system.pins = Pins::still(&[VertexId(0)], &rest).unwrap();
    system.forces.push(Gravity::new(-9.81 * Vec3::Z, &[1.0; 3]));
    let mut stepper = matched(&[Group::rigid(all(3))], &rest, &system, Velocities::Kept);
    let angle = 0.05_f64;
    let down = Vec3::new(libm::sin(angle), 0.0, -libm::cos(angle));
    let mut state = State::at_rest(rest.iter().map(|x| x.x * down).collect());
    let (dt, mut crossings, mut before) = (1e-3, Vec::new(), state.positions[2].x);
    while crossings.len() < 3 {
        stepper.step(&mut system, &mut state, dt).unwrap();
        assert_eq!(state.positions[0], Vec3::ZERO);
        let x = state.positions[2].x;
        if x * before < 0.0 {
            crossings.push(state.time - dt * x / (x - before));
        }
        before = x;
    }
    // I = ¼ + 1 kg·m², Σ m d = 1.5 kg·m.
    let wanted = std::f64::consts::TAU * (1.25_f64 / (1.5 * 9.81)).sqrt();
    let period = crossings[2] - crossings[0];
    // The pin weighs 1e4 times as much as the bar, and the step is of first order.
    assert!((period - wanted).abs() < 3e-3 * wanted, "{period} {wanted}");
    assert!((state.positions[2].length() - 1.0).abs() < 1e-4);
}

#[test]
fn threads_and_a_restart_leave_the_bits_alone() {
    let run = |threads: usize, restart: bool| {
        let plastic = Some(Plasticity { yields_at: 0.01, creep: 10.0, most: 0.5 });
        let (mut groups, rest, mut system) =
            overlapping(Kind::Quadratic { blend: 0.5 }, Stiffness::Share(0.4));
        groups.iter_mut().for_each(|group| group.plasticity = plastic);
        let mut random = Random::new(29);
        let mut state = State::at_rest(rest.iter().map(|x| *x + 0.3 * random.vec3()).collect());
        let mut stepper = matched(&groups, &rest, &system, Velocities::Kept);
        stepper.set_threads(threads);
        for k in 0..20 {
            if restart && k == 10 {
                let mut memory = Snapshot::default();
                stepper.save(&mut memory);
                stepper = matched(&groups, &rest, &system, Velocities::Kept);
                stepper.restore(&mut Snapshot::from_numbers(memory.numbers().to_vec())).unwrap();
            }
            stepper.step(&mut system, &mut state, 0.01).unwrap();
        }
        assert!(stepper.matching().unwrap().groups().clusters()[0].plastic() != Mat3::IDENTITY);
        state
    };
    let one = run(1, false);
    assert_eq!(run(3, false), one);
    assert_eq!(run(2, true), one);
}

#[test]
fn bad_groups_are_named() {
    let rest = corners();
    let masses = Masses::new(vec![1.0; 9]).unwrap();
    let message = |group: Group| {
        let groups = [Group::rigid(all(9)), group];
        Groups::new(&groups, &rest, &masses, &Pins::default()).unwrap_err().to_string()
    };
    assert_eq!(message(Group::rigid(vec![])), "group 1 has no vertices");
    assert_eq!(message(Group::rigid(vec![VertexId(9)])), "group 1 names vertex 9, the scene has 9");
    let twice = Group::rigid(vec![VertexId(3), VertexId(1), VertexId(3)]);
    assert_eq!(message(twice), "group 1 names vertex 3 twice");
    let stiff = Group { stiffness: Stiffness::Share(1.5), ..Group::rigid(all(3)) };
    assert_eq!(message(stiff), "the stiffness of group 1 is 1.5: it must be between 0 and 1");
    let blend = Kind::Quadratic { blend: f64::NAN };
    assert!(message(Group { kind: blend, ..Group::rigid(all(3)) }).starts_with("the blend"));
    let few = Groups::new(&[], &rest[..2], &masses, &Pins::default()).unwrap_err();
    assert_eq!(few.to_string(), "there are 2 rest positions and 9 masses");
}

#[test]
fn a_step_that_fails_changes_nothing() {
    let rest = corners();
    let mut system = free(&[1.0; 9]);
    let mut stepper = matched(&[Group::rigid(all(9))], &rest, &system, Velocities::Kept);
    let mut state = State::at_rest(rest.clone());
    state.velocities[3] = 1e70 * Vec3::X;
    let before = state.clone();
    let found: Result<StepReport, StepError> = stepper.step(&mut system, &mut state, 1e300);
    assert!(matches!(found, Err(StepError::NotFinite { .. })), "{found:?}");
    assert_eq!(state, before);
    let mut short = State::at_rest(rest[1..].to_vec());
    let found = stepper.step(&mut free(&[1.0; 8]), &mut short, 0.01);
    assert_eq!(
        found.unwrap_err().to_string(),
        "the state has 8 vertices, the shape groups were made for 9"
    );
}
