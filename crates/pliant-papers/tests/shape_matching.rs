//! Groups that fall, lie, slide and hang in cloth.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::sync::Arc;

use pliant::body::keyframes::{Keyframes, Pose};
use pliant::body::obstacle::{Obstacle, Plane, SurfaceMaterial};
use pliant::body::pins::Pins;
use pliant::body::soft::{Masses, State};
use pliant::body::{Bodies, Mesh};
use pliant::contact::response::Response;
use pliant::force::gravity::Gravity;
use pliant::force::spring::{SpringLaw, SpringSettings, Springs};
use pliant::id::VertexId;
use pliant::integrate::euler::{Euler, EulerKind};
use pliant::integrate::implicit::{Implicit, ImplicitSettings};
use pliant::integrate::shape_matching::matching::{ShapeMatching, Velocities};
use pliant::integrate::shape_matching::{Group, Groups, Kind, Stiffness, Volume};
use pliant::integrate::{Integrator, System};
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::tet::TetMesh;
use pliant::solve::constraint::{ConstraintResponse, ConstraintSettings};
use pliant::step::{MatchOrder, Stepper};
use pliant_papers::bodies::{BodyPenalty, BodyPenaltySettings};
use pliant_papers::impulse::Impulses;
use pliant_papers::points::{PointSettings, Points};

fn symplectic() -> Box<dyn Integrator> {
    Box::new(Euler::new(EulerKind::Symplectic))
}

fn all(count: usize) -> Vec<VertexId> {
    (0..count as u32).map(VertexId).collect()
}

/// A system of these masses under nothing.
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

/// Sums of tens of terms of about 1: rounding stays below 1e-14.
const ROUNDING: f64 = 1e-12;

/// m/s².
const G: f64 = 9.81;

fn floor(friction: f64) -> Obstacle {
    let touch = SurfaceMaterial { friction, restitution: 0.0 };
    Obstacle::new(Plane, Keyframes::still(Pose::IDENTITY).unwrap(), touch).unwrap()
}

/// A cloud that is one group, above a floor.
fn on_floor(
    group: Group,
    rest: &[Vec3],
    system: &mut System,
    friction: f64,
    velocities: Velocities,
    order: MatchOrder,
) -> Stepper {
    system.bodies = Arc::new(Bodies::of_particles([rest.len()]).unwrap());
    let groups = Groups::new(&[group], rest, &system.masses, &system.pins).unwrap();
    Stepper::new(symplectic())
        .with_responses(vec![Box::new(Impulses::new(vec![floor(friction)]))])
        .with_matching(ShapeMatching::new(groups, velocities), order)
}

/// A cube of side 0.2 m as 27 points, its lowest at the height 0.
fn cube() -> Vec<Vec3> {
    let at = |k: usize| Vec3::new((k % 3) as f64, (k / 3 % 3) as f64, (k / 9) as f64);
    (0..27).map(|k| 0.1 * at(k)).collect()
}

/// Way and speed along a slope, m and m/s, and the lean of a cube that begins at rest.
fn slide(
    ratio: f64,
    dt: f64,
    velocities: Velocities,
    order: MatchOrder,
    group: Group,
) -> (f64, f64, f64) {
    let (friction, rest) = (0.5_f64, cube());
    let angle = libm::atan(ratio * friction);
    let mut system = free(&[1.0; 27]);
    let pull = G * Vec3::new(libm::sin(angle), 0.0, -libm::cos(angle));
    system.forces.push(Gravity::new(pull, &[1.0; 27]));
    let mut stepper = on_floor(group, &rest, &mut system, friction, velocities, order);
    let mut state = State::at_rest(rest.clone());
    for _ in 0..(2.0 / dt) as usize {
        stepper.step(&mut system, &mut state, dt).unwrap();
    }
    let centre = state.centre(&system.masses) - 0.1 * Vec3::ONE;
    let speed = state.momentum(&system.masses) / 27.0;
    let up = (state.positions[18] - state.positions[0]) / 0.2;
    (centre.x, speed.x, up.z)
}

/// Speed that Coulomb's law gives after 2 s at rest, m/s.
fn coulomb(ratio: f64, friction: f64) -> f64 {
    let angle = libm::atan(0.5 * ratio);
    2.0 * G * (libm::sin(angle) - friction * libm::cos(angle)).max(0.0)
}

#[test]
fn rigidifying_leaves_friction_only_to_the_mass_that_touches() {
    // Nine of 27 vertices touch. Shifted out of the floor they are fast in the printed
    // velocities, so that they press with their own weight alone: a third of μ is left.
    for ratio in [0.5, 0.99, 1.01, 2.0] {
        let (velocities, order) = (Velocities::Travelled, MatchOrder::Last);
        let (_, speed, _) = slide(ratio, 1.0 / 240.0, velocities, order, Group::rigid(all(27)));
        let third = coulomb(ratio, 0.5 / 3.0);
        assert!((speed - third).abs() < 0.01 * third, "{ratio}: {speed} {third}");
    }
}

#[test]
fn a_slope_holds_at_the_right_angle_where_contact_has_the_last_word() {
    let (velocities, order) = (Velocities::Travelled, MatchOrder::BeforeContact);
    for (ratio, most) in [(0.5, 1e-3), (0.99, 1e-3)] {
        let (_, speed, _) = slide(ratio, 1.0 / 240.0, velocities, order, Group::rigid(all(27)));
        assert!(speed.abs() < most, "{ratio}: {speed}");
    }
    for ratio in [1.01, 1.1, 2.0] {
        let (_, speed, _) = slide(ratio, 1.0 / 240.0, velocities, order, Group::rigid(all(27)));
        let exact = coulomb(ratio, 0.5);
        // The start is lost to the pressure's coming up: some steps of g dt.
        assert!((-1e-9..0.05).contains(&(speed - exact)), "{ratio}: {speed} {exact}");
    }
}

#[test]
fn kept_velocities_slide_right_and_creep_where_they_should_stick() {
    let speed = |ratio: f64, dt: f64| {
        slide(ratio, dt, Velocities::Kept, MatchOrder::Last, Group::rigid(all(27))).1
    };
    for dt in [1.0 / 240.0, 1.0 / 960.0] {
        // What touches is stopped, the rest is not, and the match shares it out again.
        let creep = speed(0.5, dt);
        let fall = G * libm::sin(libm::atan(0.25)) * dt;
        assert!((5.0..8.0).contains(&(creep / fall)), "{creep} {fall}");
        let sliding = speed(2.0, dt) - coulomb(2.0, 0.5);
        assert!(sliding.abs() < 10.0 * G * dt, "{sliding}");
    }
}

#[test]
fn a_cloud_falls_and_lies_still() {
    for last in [MatchOrder::Last, MatchOrder::BeforeContact] {
        for kind in kinds() {
            let rest = cube();
            let mut system = free(&[1.0; 27]);
            system.forces.push(Gravity::new(-G * Vec3::Z, &[1.0; 27]));
            let group = Group { kind, stiffness: Stiffness::Share(0.8), ..Group::rigid(all(27)) };
            let velocities = Velocities::Travelled;
            let mut stepper = on_floor(group, &rest, &mut system, 0.5, velocities, last);
            let tilt = Quat::from_rotation_x(0.4) * Quat::from_rotation_y(0.3);
            let above = |x: &Vec3| tilt * *x + 0.4 * Vec3::Z;
            let mut state = State::at_rest(rest.iter().map(above).collect());
            for _ in 0..600 {
                stepper.step(&mut system, &mut state, 1.0 / 120.0).unwrap();
            }
            let fastest = state.velocities.iter().fold(0.0_f64, |most, v| most.max(v.length()));
            let lowest = state.positions.iter().fold(1.0_f64, |least, x| least.min(x.z));
            let height = state.centre(&system.masses).z;
            let dt = 1.0 / 120.0;
            assert!(fastest < 5e-3, "{last:?} {kind:?} {fastest}");
            // The match puts a share of what contact shifted back: some falls of one step.
            let sunk = if last == MatchOrder::Last { 3.0 * G * dt * dt } else { 0.0 };
            assert!(lowest >= -sunk, "{last:?} {kind:?} {lowest}");
            assert!((0.09..0.1).contains(&height), "{last:?} {kind:?} {height}");
        }
    }
}

/// A cloth of 9 × 9 vertices, 0.1 m apart, pinned at one edge, with a button in its middle.
#[test]
fn a_button_stays_round_in_hanging_cloth() {
    let at = |k: u32| 0.1 * Vec3::new(f64::from(k % 9), 0.0, -f64::from(k / 9));
    let rest: Vec<Vec3> = (0..81).map(at).collect();
    let edges = (0..81_u32).flat_map(|k| {
        let right = (k % 9 < 8).then(|| [VertexId(k), VertexId(k + 1)]);
        let down = (k < 72).then(|| [VertexId(k), VertexId(k + 9)]);
        right.into_iter().chain(down)
    });
    let settings = SpringSettings { law: SpringLaw::Absolute, stiffness: 50.0, damping: 0.05 };
    let mut system = free(&[0.01; 81]);
    system.pins = Pins::still(&(0..9).map(VertexId).collect::<Vec<_>>(), &rest).unwrap();
    let springs = Springs::along(&rest, &edges.collect::<Vec<_>>(), settings).unwrap();
    system.forces.push(springs);
    system.forces.push(Gravity::new(-G * Vec3::Z, &[0.01; 81]));
    let button: Vec<VertexId> = [30, 31, 32, 39, 40, 41, 48, 49, 50].map(VertexId).to_vec();
    let group = Group::rigid(button.clone());
    let mut stepper = matched(&[group], &rest, &system, Velocities::Kept);
    let mut state = State::at_rest(rest.clone());
    state.velocities[40] = 3.0 * Vec3::Y;
    for _ in 0..500 {
        stepper.step(&mut system, &mut state, 2e-3).unwrap();
        for a in &button {
            let apart = |x: &[Vec3]| x[a.index()].distance(x[40]);
            assert!((apart(&state.positions) - apart(&rest)).abs() < ROUNDING);
        }
    }
    // Beside the button the cloth gives way: 0.45 N on nine springs of 50 N/m and more below.
    let stretch = state.positions[14].distance(state.positions[5]) - 0.1;
    assert!(stretch > 1e-3, "{stretch}");
}

/// A rigid body of particles that fell 0.02 m onto a pinned block of tets, 2 s later.
///
/// Its lowest point above the block, m, its fastest, m/s, and points without a way out.
fn on_block(by: &str) -> (f64, f64, usize) {
    let block = TetMesh::from_raw(cuboid([2; 3], Vec3::ONE, TetSplit::Five).unwrap()).unwrap().0;
    let (count, dt) = (block.positions().len(), 1.0 / 240.0);
    let bodies = Bodies::from_meshes(&[Mesh::Tets(&block), Mesh::Particles(27)]).unwrap();
    let top = block.positions().iter().fold(-9.0_f64, |most, x| most.max(x.z));
    let lift = Vec3::new(-0.1, -0.1, top + 0.02);
    let rest = [block.positions().to_vec(), cube().iter().map(|x| *x + lift).collect()].concat();
    let mut system = free(&vec![0.1; count + 27]);
    system.bodies = Arc::new(bodies.clone());
    // All but the middle one: what is wholly held would have to be an obstacle.
    let held: Vec<_> = (0..count as u32).filter(|v| *v != 13).map(VertexId).collect();
    system.pins = Pins::still(&held, &rest).unwrap();
    system.forces.push(Gravity::new(-G * Vec3::Z, &[vec![0.0; count], vec![0.1; 27]].concat()));
    let group = Group::rigid((0..27).map(|k| VertexId(count as u32 + k)).collect());
    let groups = Groups::new(&[group], &rest, &system.masses, &system.pins).unwrap();
    let springs = |kind| {
        let made =
            BodyPenalty::new(&rest, &bodies, BodyPenaltySettings::of_step(kind, dt)).unwrap();
        (Box::new(made) as Box<dyn Response>, symplectic())
    };
    let (response, inner) = match by {
        "penalty" => springs(pliant_papers::bodies::Kind::Consistent),
        "closest" => springs(pliant_papers::bodies::Kind::Closest),
        _ => {
            let rows =
                ConstraintResponse::new(&rest, &bodies, vec![], ConstraintSettings::default())
                    .unwrap();
            let implicit = Implicit::new(ImplicitSettings::default());
            (Box::new(rows) as Box<dyn Response>, Box::new(implicit) as Box<dyn Integrator>)
        }
    };
    let matching = ShapeMatching::new(groups, Velocities::Travelled);
    let mut stepper = Stepper::new(inner)
        .with_responses(vec![response])
        .with_matching(matching, MatchOrder::Last);
    let mut state = State::at_rest(rest);
    let mut unresolved = 0;
    for _ in 0..480 {
        let report = stepper.step(&mut system, &mut state, dt).unwrap();
        unresolved = unresolved.max(report.contact.unresolved);
    }
    let lowest = state.positions[count..].iter().fold(9.0_f64, |least, x| least.min(x.z));
    let speed = state.velocities[count..].iter().fold(0.0_f64, |most, v| most.max(v.length()));
    (lowest - top, speed, unresolved)
}

#[test]
fn a_cloud_rests_on_tets_by_closest_points_and_by_rows() {
    let (lowest, speed, unresolved) = on_block("closest");
    // Springs of a tenth of m/dt² give way by g dt² / 0.1 under each point that touches, and
    // nine carry 27.
    assert!((-0.01..0.0).contains(&lowest) && speed < 0.02, "{lowest} {speed}");
    assert_eq!(unresolved, 0);
    let (lowest, speed, _) = on_block("constraint");
    assert!((-1e-3..2e-3).contains(&lowest) && speed < 1e-3, "{lowest} {speed}");
}

#[test]
fn consistent_depth_has_no_way_out_for_points_without_edges() {
    let (_, _, unresolved) = on_block("penalty");
    assert_eq!(unresolved, 27); // they are reported, and fall through
}

#[test]
fn clouds_meet_by_their_points_and_do_not_pass() {
    let place = |x: f64| cube().into_iter().map(move |p| p + Vec3::new(x, 0.2 * x, 0.1 * x));
    let rest: Vec<Vec3> = place(0.0).chain(place(0.4)).collect();
    let mut system = free(&[vec![1.0; 27], vec![2.0; 27]].concat());
    let kind = Kind::Linear { blend: 0.5, volume: Volume::Kept };
    let group = |first: u32| {
        let vertices = (first..first + 27).map(VertexId).collect();
        Group { kind, stiffness: Stiffness::Share(0.5), ..Group::rigid(vertices) }
    };
    let groups = Groups::new(&[group(0), group(27)], &rest, &system.masses, &system.pins).unwrap();
    system.bodies = Arc::new(Bodies::of_particles([27; 2]).unwrap());
    let points = Points::new(PointSettings { radius: 0.05, friction: 0.0 }).unwrap();
    let matching = ShapeMatching::new(groups, Velocities::Kept);
    let mut stepper = Stepper::new(symplectic())
        .with_responses(vec![Box::new(points)])
        .with_matching(matching, MatchOrder::Last);
    let mut state = State::at_rest(rest);
    state.velocities[..27].fill(2.0 * Vec3::X);
    let before = state.momentum(&system.masses);
    let (mut met, energy) = (0, state.kinetic(&system.masses));
    for _ in 0..240 {
        let report = stepper.step(&mut system, &mut state, 1.0 / 240.0).unwrap();
        met += report.contact.contacts;
        for a in &state.positions[..27] {
            let near =
                state.positions[27..].iter().fold(9.0_f64, |least, b| least.min(a.distance(*b)));
            // Two radii, less what a match takes back of the way apart.
            assert!(near > 0.05, "{near}");
        }
    }
    let after = state.momentum(&system.masses);
    assert!(met > 9, "{met}");
    assert!((after - before).length() < ROUNDING * 54.0, "{before} {after}");
    assert!(state.kinetic(&system.masses) < energy);
    let mean = |range: std::ops::Range<usize>| state.velocities[range].iter().sum::<Vec3>() / 27.0;
    assert!(mean(0..27).x < mean(27..54).x, "they part");
}
