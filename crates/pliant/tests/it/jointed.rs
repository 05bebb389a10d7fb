//! Bodies on joints that touch others: ragdolls, towers, chains, motors and limits.

use pliant::prelude::*;
use pliant::record::energy::EnergyLedger;
use pliant::step::Simulation;

const GRAVITY: f64 = 9.81;

/// Middle of each part of a ragdoll from between its feet, and its sides, m.
const PARTS: [([f64; 3], [f64; 3]); 15] = [
    ([0.0, 0.0, 1.0], [0.34, 0.2, 0.16]),
    ([0.0, 0.0, 1.3], [0.36, 0.22, 0.36]),
    ([0.0, 0.0, 1.66], [0.18, 0.2, 0.24]),
    ([-0.27, 0.0, 1.32], [0.1, 0.1, 0.3]),
    ([0.27, 0.0, 1.32], [0.1, 0.1, 0.3]),
    ([-0.27, 0.0, 1.0], [0.09, 0.09, 0.28]),
    ([0.27, 0.0, 1.0], [0.09, 0.09, 0.28]),
    ([-0.27, 0.0, 0.76], [0.08, 0.05, 0.16]),
    ([0.27, 0.0, 0.76], [0.08, 0.05, 0.16]),
    ([-0.1, 0.0, 0.7], [0.14, 0.14, 0.4]),
    ([0.1, 0.0, 0.7], [0.14, 0.14, 0.4]),
    ([-0.1, 0.0, 0.28], [0.11, 0.11, 0.38]),
    ([0.1, 0.0, 0.28], [0.11, 0.11, 0.38]),
    ([-0.1, 0.05, 0.035], [0.1, 0.24, 0.07]),
    ([0.1, 0.05, 0.035], [0.1, 0.24, 0.07]),
];

/// Parts and anchor of each joint, m; all of them balls.
const JOINTS: [([usize; 2], [f64; 3]); 14] = [
    ([0, 1], [0.0, 0.0, 1.1]),
    ([1, 2], [0.0, 0.0, 1.51]),
    ([1, 3], [-0.2, 0.0, 1.45]),
    ([1, 4], [0.2, 0.0, 1.45]),
    ([3, 5], [-0.27, 0.0, 1.155]),
    ([4, 6], [0.27, 0.0, 1.155]),
    ([5, 7], [-0.27, 0.0, 0.85]),
    ([6, 8], [0.27, 0.0, 0.85]),
    ([0, 9], [-0.1, 0.0, 0.91]),
    ([0, 10], [0.1, 0.0, 0.91]),
    ([9, 11], [-0.1, 0.0, 0.485]),
    ([10, 12], [0.1, 0.0, 0.485]),
    ([11, 13], [-0.1, 0.0, 0.08]),
    ([12, 14], [0.1, 0.0, 0.08]),
];

fn floor(friction: f64) -> World {
    let mut world = World::new();
    world.set_sleep(None);
    world.add(Obstacle::plane(Vec3::Z, 0.0).friction(friction)).unwrap();
    world
}

fn ragdoll(world: &mut World, at: Vec3) -> Vec<BodyHandle> {
    let part = |(place, sides): &([f64; 3], [f64; 3])| {
        let body = RigidBody::cuboid(Vec3::from_array(*sides)).density(1000.0);
        world.add(body.at(at + Vec3::from_array(*place))).unwrap()
    };
    let parts: Vec<BodyHandle> = PARTS.iter().map(part).collect();
    for ([a, b], anchor) in JOINTS {
        let joint = Joint::ball(parts[a], parts[b], at + Vec3::from_array(anchor));
        world.add(joint).unwrap();
    }
    parts
}

/// Four ragdolls over a floor, two of them above the others.
fn pile() -> World {
    let mut world = floor(0.5);
    for k in 0..4 {
        let (column, row) = (f64::from(k % 2), f64::from(k / 2));
        ragdoll(&mut world, Vec3::new(0.7 * column + 0.2 * row, 0.15 * row, 0.1 + 2.0 * row));
    }
    world.assemble().unwrap();
    world
}

fn run(world: &mut World, steps: usize) {
    for step in 0..steps {
        world.step().unwrap_or_else(|error| panic!("step {step}: {error}"));
    }
}

/// Vertices of boxes inside boxes that no joint holds to them.
fn inside(world: &World) -> usize {
    let bodies: Vec<BodyHandle> = world.bodies().collect();
    let joints = world.simulation().system.joints.list();
    let joined = |i: usize, j: usize| {
        joints.iter().any(|joint| [(i, Some(j)), (j, Some(i))].contains(&joint.bodies))
    };
    let mut count = 0;
    for (i, a) in bodies.iter().enumerate() {
        for (_, b) in bodies.iter().enumerate().filter(|(j, _)| *j != i && !joined(i, *j)) {
            let corners = world.positions(*b).unwrap();
            let is_in = |point: &Vec3| {
                world.triangles(*b).unwrap().iter().all(|triangle| {
                    let [x, y, z] = triangle.map(|vertex| corners[vertex.index()]);
                    (y - x).cross(z - x).dot(*point - x) < 0.0
                })
            };
            count += world.positions(*a).unwrap().iter().filter(|p| is_in(p)).count();
        }
    }
    count
}

/// A light foot under a heavy body took up its own momentum only, and was thrown up.
#[test]
fn a_ragdoll_that_lands_leaves_no_faster_than_it_came() {
    for drop in [0.5, 2.0, 5.0] {
        let mut world = floor(0.5);
        let parts = ragdoll(&mut world, drop * Vec3::Z);
        let fallen = (2.0 * GRAVITY * drop).sqrt();
        let masses: Vec<f64> = parts.iter().map(|part| world.mass(*part).unwrap()).collect();
        let total: f64 = masses.iter().sum();
        let (mut came, mut left, mut landed) = (0.0_f64, [0.0_f64; 2], 0);
        let mut energy = world.energy().unwrap().total();
        for step in 0..150 {
            let report = world.step().unwrap();
            let up = |part: usize| world.velocity(parts[part]).unwrap().z;
            let whole = (0..parts.len()).map(|k| masses[k] * up(k)).sum::<f64>() / total;
            came = came.max(-whole);
            landed += usize::from(report.contact.contacts > 0);
            if landed > 0 {
                left[0] = left[0].max(whole);
            }
            // Later it falls over, and lifts its feet.
            if (1..20).contains(&landed) {
                left[1] = left[1].max(up(13)).max(up(14));
            }
            let now = world.energy().unwrap().total();
            let gained = now - energy - report.energy_input;
            assert!(gained < 2e-5 * energy, "{drop}: step {step} gains {gained} of {energy}");
            energy = now;
        }
        assert!(came > 0.9 * fallen, "{came} {fallen}");
        assert!(left.iter().all(|left| *left < 0.05 * fallen), "{drop}: {left:?} {fallen}");
    }
}

#[test]
fn a_pile_of_ragdolls_gains_no_energy_and_ends_with_nothing_inside() {
    let mut world = pile();
    let mut ledger = EnergyLedger::new(world.simulation(), 6.0, 1.0 / 60.0);
    for step in 0..360 {
        let report = world.step().unwrap();
        assert_eq!(ledger.enter(world.simulation(), &report), None, "step {step}");
    }
    assert_eq!(inside(&world), 0);
    let met = world.simulation().system.joints.met();
    assert!(met.gap < 1e-12, "{met:?}");
}

#[test]
fn joints_of_a_tower_bear_the_weights_above_them() {
    let mut world = floor(0.5);
    let place = |k: u32| (0.505 + f64::from(k)) * Vec3::Z;
    let boxes: Vec<BodyHandle> = (0..6)
        .map(|k| {
            let body = RigidBody::cuboid(Vec3::new(1.0, 0.8, 0.9)).mass(1.0 + f64::from(k));
            world.add(body.at(place(k) - 0.05 * Vec3::Z)).unwrap()
        })
        .collect();
    let joints: Vec<JointHandle> =
        boxes.windows(2).map(|pair| world.add(Joint::fixed(pair[1], pair[0])).unwrap()).collect();
    run(&mut world, 180);
    for (k, joint) in joints.iter().enumerate() {
        // Masses 1 to 6 kg from below; the joint holds all that are above it.
        let above: f64 = (k + 1..6).map(|k| 1.0 + k as f64).sum();
        let (force, torque) = world.joint_load(*joint).unwrap();
        let expected = above * GRAVITY * Vec3::Z;
        assert!(force.distance(expected) < 1e-6 * expected.z, "{k}: {force} {expected}");
        assert!(torque.length() < 1e-3 * expected.z, "{k}: {torque}");
    }
    let load = world.contact_load(boxes[0]).unwrap();
    let weight = 21.0 * GRAVITY;
    assert!((load.force.z - weight).abs() < 1e-6 * weight, "{load:?}");
}

#[test]
fn a_chain_with_a_thousand_times_its_mass_stays_together_when_it_hits() {
    let mut world = floor(0.3);
    let (count, length) = (100, 0.2);
    let top = length * f64::from(count) + 0.6;
    let links: Vec<BodyHandle> = (0..count)
        .map(|k| {
            let place = (top - length * (f64::from(k) + 0.5)) * Vec3::Z;
            let link = RigidBody::cuboid(Vec3::new(0.05, 0.05, 0.16)).mass(0.1);
            world.add(link.at(place)).unwrap()
        })
        .collect();
    let low = top - length * f64::from(count);
    let weight = RigidBody::cuboid(Vec3::splat(0.3)).mass(100.0).velocity(2.0 * Vec3::X);
    let weight = world.add(weight.at((low - 0.19) * Vec3::Z)).unwrap();
    // So high that it swings freely, and hits a post on its way.
    let post = Obstacle::cuboid(Vec3::new(0.4, 2.0, 1.0)).friction(0.3);
    world.add(post.at(Vec3::new(0.8, 0.0, 0.5))).unwrap();
    world.add(Joint::ball(links[0], None, top * Vec3::Z)).unwrap();
    for pair in links.windows(2) {
        let at = world.centre(pair[1]).unwrap() + 0.5 * length * Vec3::Z;
        world.add(Joint::ball(pair[1], pair[0], at)).unwrap();
    }
    let last = links[links.len() - 1];
    world.add(Joint::ball(weight, last, low * Vec3::Z)).unwrap();
    let (mut contacts, mut energy) = (0, world.energy().unwrap().total());
    for step in 0..240 {
        let report = world.step().unwrap();
        let now = world.energy().unwrap().total();
        if report.contact.contacts > 0 {
            // The weight has 200 J of motion.
            let gained = now - energy - report.energy_input;
            assert!(gained < 1e-4 * 200.0, "step {step}: {energy} {now}");
            contacts += 1;
        }
        energy = now;
        let met = world.simulation().system.joints.met();
        assert!(met.gap < 1e-9, "step {step}: {met:?}");
    }
    assert!(contacts > 10, "{contacts}");
}

/// An arm of 1 m, without weight to speak of, presses on the floor by its motor.
#[test]
fn a_motor_presses_on_the_floor_as_strongly_as_it_may() {
    let mut world = floor(0.0);
    let arm = RigidBody::cuboid(Vec3::new(1.0, 0.1, 0.1)).mass(1e-3);
    let arm = world.add(arm.at(Vec3::new(0.5, 0.0, 0.3))).unwrap();
    let hinge = Joint::hinge(arm, None, Vec3::new(0.0, 0.0, 0.3), Vec3::Y).motor(1.0, 5.0);
    let hinge = world.add(hinge).unwrap();
    run(&mut world, 120);
    let load = world.contact_load(arm).unwrap();
    let lowest = world.positions(arm).unwrap().iter().min_by(|a, b| a.z.total_cmp(&b.z)).unwrap();
    assert!((load.force.z * lowest.x - 5.0).abs() < 0.02 * 5.0, "{load:?} {lowest}");
    let (_, torque) = world.joint_load(hinge).unwrap();
    assert!((torque.y.abs() - 5.0).abs() < 1e-3, "{torque}");
    assert!(world.spin(arm).unwrap().length() < 1e-6);
}

#[test]
fn a_flap_at_its_limit_carries_a_box() {
    let mut world = World::new();
    world.set_sleep(None);
    let flap = RigidBody::cuboid(Vec3::new(1.0, 0.6, 0.05)).mass(2.0).friction(0.6);
    let flap = world.add(flap.at(0.5 * Vec3::X)).unwrap();
    let hinge = Joint::hinge(flap, None, Vec3::ZERO, Vec3::Y).limits(-0.5, 0.1);
    let hinge = world.add(hinge).unwrap();
    let load = RigidBody::cuboid(Vec3::splat(0.2)).mass(3.0).friction(0.6);
    let load = world.add(load.at(Vec3::new(0.6, 0.0, 0.3))).unwrap();
    run(&mut world, 240);
    let travel = world.travel(hinge).unwrap().unwrap();
    assert!((travel - 0.1).abs() < 1e-6, "{travel}");
    assert!(world.velocity(load).unwrap().length() < 1e-6);
    let (force, torque) = world.joint_load(hinge).unwrap();
    assert!((force.z - 5.0 * GRAVITY).abs() < 1e-4 * GRAVITY, "{force}");
    let moment: f64 = [(flap, 2.0), (load, 3.0)]
        .map(|(body, mass)| mass * GRAVITY * world.centre(body).unwrap().x)
        .iter()
        .sum();
    assert!((torque.y.abs() - moment).abs() < 1e-4 * moment, "{torque} {moment}");
}

/// Linear momentum exactly; putting joints together again after a step turns bodies a little.
#[test]
fn bodies_on_joints_that_meet_keep_momentum_and_spin() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    world.set_sleep(None);
    let rod = |world: &mut World, at: Vec3| {
        let part =
            |x: f64| RigidBody::cuboid(Vec3::new(0.5, 0.2, 0.2)).mass(1.0).at(at + x * Vec3::X);
        let parts = [0.0, 0.6, 1.2].map(|x| world.add(part(x)).unwrap());
        for (k, x) in [0.3, 0.9].iter().enumerate() {
            world.add(Joint::ball(parts[k], parts[k + 1], at + *x * Vec3::X)).unwrap();
        }
        parts
    };
    let still = rod(&mut world, Vec3::ZERO);
    let moving = rod(&mut world, Vec3::new(0.4, 0.13, 0.6));
    moving.iter().for_each(|part| world.set_velocity(*part, -2.0 * Vec3::Z).unwrap());
    world.assemble().unwrap();
    let totals = |world: &World| {
        let Simulation { state, system, .. } = world.simulation();
        let spin = system.rigids.angular_momentum(state, &system.masses, Vec3::ZERO);
        (state.momentum(&system.masses), spin, system.rigids.kinetic(state, &system.masses))
    };
    let (momentum, spin, energy) = totals(&world);
    run(&mut world, 60);
    let (momentum_after, spin_after, energy_after) = totals(&world);
    assert!(world.velocity(still[1]).unwrap().z < -0.1);
    assert!((momentum_after - momentum).length() < 1e-10 * momentum.length());
    assert!((spin_after - spin).length() < 1e-3 * spin.length(), "{spin} {spin_after}");
    assert!(energy_after < energy, "{energy} {energy_after}");
}

#[test]
fn a_soft_ball_in_a_corner_changes_no_bit_of_ragdolls() {
    let mut places = Vec::new();
    for with_ball in [false, true] {
        let mut world = floor(0.5);
        let parts = ragdoll(&mut world, 0.4 * Vec3::Z);
        if with_ball {
            let ball = SoftBody::ball(0.1, 2).young(5e4).density(500.0);
            world.add(ball.at(Vec3::new(5.0, 5.0, 0.1))).unwrap();
        }
        run(&mut world, 60);
        let all = parts.iter().flat_map(|part| world.positions(*part).unwrap().to_vec());
        places.push(all.collect::<Vec<Vec3>>());
    }
    assert_eq!(places[0], places[1]);
}

#[test]
fn threads_and_pauses_change_no_bit_of_ragdolls() {
    let (mut alone, mut many) = (pile(), pile());
    many.set_threads(2);
    run(&mut alone, 75);
    run(&mut many, 75);
    let places = |world: &World| world.simulation().state.positions.clone();
    assert_eq!(places(&alone), places(&many));
    let saved = alone.save().unwrap();
    let mut resumed = pile();
    resumed.restore(&saved).unwrap();
    run(&mut alone, 30);
    run(&mut resumed, 30);
    assert_eq!(places(&alone), places(&resumed));
}

#[test]
fn a_chain_that_lies_still_sleeps_and_wakes_as_a_whole() {
    let mut world = World::new();
    world.add(Obstacle::plane(Vec3::Z, 0.0).friction(0.5)).unwrap();
    let link = RigidBody::cuboid(Vec3::new(0.16, 0.05, 0.05)).mass(0.1);
    let place = |k: u32| Vec3::new(0.2 * f64::from(k), 0.0, 0.1);
    let links: Vec<BodyHandle> =
        (0..6).map(|k| world.add(link.clone().at(place(k))).unwrap()).collect();
    for (k, pair) in links.windows(2).enumerate() {
        let anchor = place(k as u32) + 0.1 * Vec3::X;
        world.add(Joint::ball(pair[1], pair[0], anchor)).unwrap();
    }
    run(&mut world, 180);
    let asleep = |world: &World| world.simulation().system.scratch.asleep.clone();
    assert_eq!(asleep(&world), [true; 6]);
    let hit = RigidBody::cuboid(Vec3::splat(0.1)).mass(1.0);
    world.add(hit.at(Vec3::new(1.0, 0.0, 0.5))).unwrap();
    run(&mut world, 25);
    assert_eq!(asleep(&world), [false; 7]);
}
