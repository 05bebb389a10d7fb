//! The front door: each thing that a world can do, through the world alone.

use pliant::prelude::*;
use pliant::record::overlap::Measure;

/// A ball of 20 cm and 160 tets.
fn ball() -> SoftBody {
    SoftBody::ball(0.1, 2).young(5e4).density(500.0)
}

fn die() -> RigidBody {
    RigidBody::cuboid(Vec3::splat(0.1)).density(500.0)
}

fn floor() -> pliant::world::ObstacleBuilder {
    Obstacle::plane(Vec3::Z, 0.0)
}

#[track_caller]
fn steps(world: &mut World, count: usize) {
    for _ in 0..count {
        world.step().unwrap();
    }
}

/// Vertices inside other bodies.
fn inside(world: &World) -> usize {
    let simulation = world.simulation();
    let (positions, bodies) = (&simulation.state.positions, &simulation.system.bodies);
    Measure::new(positions, bodies).measure(positions, bodies).penetrating_vertices
}

#[test]
fn soft_and_rigid_bodies_fall_on_a_floor_and_rest_on_each_other() {
    let mut world = World::new();
    world.add(floor()).unwrap();
    let low = world.add(ball().at(vec3(0.0, 0.0, 0.12))).unwrap();
    let high = world.add(die().at(vec3(0.01, 0.0, 0.3))).unwrap();
    steps(&mut world, 120);
    assert!(world.centre(low).unwrap().z > 0.05, "{}", world.centre(low).unwrap());
    assert!(world.centre(high).unwrap().z > 0.03, "{}", world.centre(high).unwrap());
    assert_eq!(inside(&world), 0);
    assert!((world.time() - 2.0).abs() < 1e-9);
    let lowest = world.positions(high).unwrap().iter().map(|p| p.z).fold(f64::MAX, f64::min);
    assert!(lowest > -1e-6, "{lowest}");
}

#[test]
fn handles_stay_valid_when_other_bodies_come_and_go() {
    let mut world = World::new();
    world.add(floor()).unwrap();
    let places = [0.0, 0.5, 1.0, 1.5].map(|x| vec3(x, 0.0, 0.11));
    let [a, b, c, _] = places.map(|at| world.add(ball().at(at)).unwrap());
    steps(&mut world, 5);
    let before = world.positions(c).unwrap().to_vec();
    world.remove(b).unwrap();
    assert!(!world.contains(b) && world.contains(c));
    assert_eq!(world.positions(c).unwrap(), before);
    let e = world.add(ball().at(vec3(0.5, 0.0, 0.4))).unwrap();
    assert_eq!(world.positions(c).unwrap(), before);
    steps(&mut world, 30);
    for (body, x) in [(a, 0.0), (c, 1.0), (e, 0.5)] {
        let centre = world.centre(body).unwrap();
        assert!((centre.x - x).abs() < 0.01 && centre.z > 0.05, "{centre}");
    }
    let error = world.positions(b).unwrap_err().to_string();
    assert!(error.contains("is not in this world"), "{error}");
    assert!(world.remove(b).is_err());
}

#[test]
fn removing_a_body_far_away_changes_no_bit_of_the_others() {
    let run = |with_other: bool| {
        let mut world = World::new();
        world.add(floor()).unwrap();
        let body = world.add(ball().at(vec3(0.0, 0.0, 0.2))).unwrap();
        let other = world.add(ball().at(vec3(9.0, 0.0, 0.2))).unwrap();
        steps(&mut world, 20);
        if !with_other {
            world.remove(other).unwrap();
        }
        steps(&mut world, 20);
        world.positions(body).unwrap().to_vec()
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn a_pile_that_gets_a_body_keeps_the_impulses_of_its_contacts() {
    let mut world = World::new();
    world.add(floor()).unwrap();
    let extra = world.add(ball().at(vec3(5.0, 0.0, 0.2))).unwrap();
    let dice = [0.05, 0.15, 0.25].map(|z| world.add(die().at(vec3(0.0, 0.0, z))).unwrap());
    steps(&mut world, 60);
    let sweeps = |world: &mut World| world.step().unwrap().sweeps;
    let warm = sweeps(&mut world);
    world.remove(extra).unwrap();
    world.set_velocity(dice[2], Vec3::ZERO).unwrap(); // wakes
    let after = sweeps(&mut world);
    assert!(after <= 2 * warm + 5, "{warm} {after}");
    assert!(world.velocity(dice[2]).unwrap().length() < 1e-3);
}

#[test]
fn a_kinematic_body_pushes_and_carries() {
    let mut world = World::new();
    let tray = world.add(KinematicBody::cuboid(vec3(0.6, 0.6, 0.1)).friction(1.0)).unwrap();
    let load = world.add(die().friction(1.0).at(vec3(0.0, 0.0, 0.1))).unwrap();
    steps(&mut world, 20);
    for k in 0..60 {
        let position = vec3(0.3 * f64::from(k + 1) / 60.0, 0.0, 0.1 * f64::from(k + 1) / 60.0);
        world.move_to(tray, Pose::at(position)).unwrap();
        world.step().unwrap();
    }
    let (carried, tray_at) = (world.centre(load).unwrap(), world.pose(tray).unwrap().position);
    assert!(tray_at.abs_diff_eq(vec3(0.3, 0.0, 0.1), 1e-12), "{tray_at}");
    assert!((carried.x - 0.3).abs() < 0.02 && (carried.z - 0.2).abs() < 0.01, "{carried}");
    assert_eq!(inside(&world), 0);
    // It stays where it was left.
    steps(&mut world, 10);
    assert_eq!(world.pose(tray).unwrap().position, tray_at);
    assert!(world.move_to(load, Pose::IDENTITY).is_err());
}

#[test]
fn an_obstacle_moved_by_code_pushes() {
    let mut world = World::new();
    world.add(floor().friction(0.0)).unwrap();
    let wall = world.add(Obstacle::cuboid(vec3(0.1, 1.0, 1.0)).at(vec3(-0.3, 0.0, 0.5))).unwrap();
    let body = world.add(ball().at(vec3(0.0, 0.0, 0.1))).unwrap();
    for k in 0..60 {
        let position = vec3(-0.3 + 0.5 * f64::from(k + 1) / 60.0, 0.0, 0.5);
        world.move_to(wall, Pose::at(position)).unwrap();
        world.step().unwrap();
    }
    assert!(world.centre(body).unwrap().x > 0.3, "{}", world.centre(body).unwrap());
    assert_eq!(world.obstacle_pose(wall).unwrap().position, vec3(0.2, 0.0, 0.5));
}

#[test]
fn joints_hold_and_motors_drive() {
    let mut world = World::new();
    let bar = world.add(RigidBody::cuboid(vec3(0.4, 0.05, 0.05)).at(vec3(0.2, 0.0, 0.0))).unwrap();
    let hinge = world.add(Joint::hinge(bar, None, Vec3::ZERO, Vec3::Y)).unwrap();
    steps(&mut world, 20);
    let down = world.centre(bar).unwrap();
    assert!((down.length() - 0.2).abs() < 1e-6 && down.z < -0.05, "{down}");
    world.set_gravity(Vec3::ZERO).unwrap();
    world.set_spin(bar, Vec3::ZERO).unwrap();
    world.set_velocity(bar, Vec3::ZERO).unwrap();
    world.set_motor(hinge, Some((2.0, 100.0))).unwrap();
    let before = world.travel(hinge).unwrap().unwrap();
    steps(&mut world, 60);
    let travelled = world.travel(hinge).unwrap().unwrap() - before;
    assert!((travelled - 2.0).abs() < 0.05, "{travelled}");
    world.remove(hinge).unwrap();
    world.set_gravity(vec3(0.0, 0.0, -9.81)).unwrap();
    steps(&mut world, 60);
    assert!(world.centre(bar).unwrap().z < -2.0);
}

#[test]
fn joints_of_moved_bodies_survive_another_body() {
    let mut world = World::new();
    let bar = world.add(RigidBody::cuboid(vec3(0.4, 0.05, 0.05)).at(vec3(0.2, 0.0, 0.0))).unwrap();
    let hinge = world.add(Joint::hinge(bar, None, Vec3::ZERO, Vec3::Y)).unwrap();
    steps(&mut world, 20);
    let before = world.travel(hinge).unwrap().unwrap();
    world.add(die().at(vec3(5.0, 0.0, 0.0))).unwrap();
    world.step().unwrap();
    let after = world.travel(hinge).unwrap().unwrap();
    assert!((after - before).abs() < 0.2 && after.abs() > 0.3, "{before} {after}");
    assert!((world.centre(bar).unwrap().length() - 0.2).abs() < 1e-6);
    // A joint that is made of bodies that have moved holds them as they are.
    let second =
        world.add(RigidBody::cuboid(vec3(0.05, 0.05, 0.1)).at(vec3(0.0, 0.3, 0.0))).unwrap();
    let apart = world.centre(second).unwrap() - world.centre(bar).unwrap();
    world.add(Joint::fixed(second, bar)).unwrap();
    steps(&mut world, 30);
    let now = world.centre(second).unwrap() - world.centre(bar).unwrap();
    assert!((now.length() - apart.length()).abs() < 1e-6, "{now} {apart}");
}

#[test]
fn a_joint_with_a_kinematic_body_follows_it() {
    let mut world = World::new();
    let hand = world.add(KinematicBody::ball(0.05)).unwrap();
    let bob = world.add(die().at(vec3(0.0, 0.0, -0.3))).unwrap();
    world.add(Joint::ball(bob, hand, Vec3::ZERO)).unwrap();
    for k in 0..90 {
        let x = 0.5 * f64::from(k + 1) / 90.0;
        world.move_to(hand, Pose::at(vec3(x, 0.0, 0.0))).unwrap();
        world.step().unwrap();
        let apart = world.centre(bob).unwrap().distance(vec3(x, 0.0, 0.0));
        assert!((apart - 0.3).abs() < 1e-3, "{k}: {apart}");
    }
    assert!(world.velocity(bob).unwrap().x > -1.0 && world.centre(bob).unwrap().x > 0.2);
}

#[test]
fn pinned_vertices_stay_until_they_are_let_go() {
    let mut world = World::new();
    let body = world
        .add(SoftBody::cuboid(vec3(0.4, 0.1, 0.1), [4, 1, 1]).pin_beyond(-0.2 * Vec3::X, -Vec3::X))
        .unwrap();
    let held = world.positions(body).unwrap()[0];
    steps(&mut world, 20);
    assert_eq!(world.positions(body).unwrap()[0], held);
    assert!(world.centre(body).unwrap().z < -1e-3);
    world.pin(body, &[VertexId(4)]).unwrap();
    let also = world.positions(body).unwrap()[4];
    steps(&mut world, 5);
    assert_eq!(world.positions(body).unwrap()[4], also);
    world.unpin(body).unwrap();
    steps(&mut world, 30);
    assert!(world.positions(body).unwrap()[0].z < held.z - 0.5);
    assert!(world.pin(body, &[VertexId(999)]).is_err());
}

#[test]
fn what_is_grabbed_follows_the_hand() {
    for soft in [true, false] {
        let mut world = World::new();
        world.add(floor()).unwrap();
        let at = vec3(0.0, 0.0, 0.1);
        let body = match soft {
            true => world.add(ball().at(at)).unwrap(),
            false => world.add(die().at(at)).unwrap(),
        };
        steps(&mut world, 10);
        let grab = world.grab_at(body, vec3(0.0, 0.0, 0.25), 300.0).unwrap();
        for k in 0..120 {
            let z = 0.25 + 0.5 * f64::from(k.min(60)) / 60.0;
            world.drag(grab, vec3(0.0, 0.0, z)).unwrap();
            world.step().unwrap();
        }
        let lifted = world.centre(body).unwrap();
        assert!(lifted.z > 0.5, "{soft}: {lifted}");
        world.release(grab).unwrap();
        steps(&mut world, 60);
        assert!(world.centre(body).unwrap().z < 0.2);
        assert!(world.drag(grab, Vec3::ZERO).is_err());
    }
}

#[test]
fn forces_and_impulses_move_bodies() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let soft = world.add(ball()).unwrap();
    let hard = world.add(die().at(vec3(0.0, 1.0, 0.0))).unwrap();
    for body in [soft, hard] {
        let mass = world.mass(body).unwrap();
        world.set_force(body, 2.0 * mass * Vec3::X).unwrap();
    }
    steps(&mut world, 60);
    for body in [soft, hard] {
        let velocity = world.velocity(body).unwrap();
        assert!(velocity.abs_diff_eq(2.0 * Vec3::X, 1e-6), "{velocity}");
        world.set_force(body, Vec3::ZERO).unwrap();
        let mass = world.mass(body).unwrap();
        let centre = world.centre(body).unwrap();
        world.apply_impulse(body, -2.0 * mass * Vec3::X, centre).unwrap();
    }
    steps(&mut world, 10);
    for body in [soft, hard] {
        assert!(world.velocity(body).unwrap().length() < 1e-6);
    }
}

#[test]
fn gravity_and_material_change_while_it_runs() {
    let mut world = World::new();
    world.add(floor()).unwrap();
    let body = world.add(ball().young(1e4).at(vec3(0.0, 0.0, 0.1))).unwrap();
    steps(&mut world, 120);
    let top = |world: &World| {
        let heights = world.positions(body).unwrap().iter().map(|p| p.z);
        heights.fold(f64::MIN, f64::max)
    };
    let soft = top(&world);
    let stiff = ElasticSettings { young: 1e6, poisson: 0.35, damping: 0.0 };
    world.set_material(body, SoftMaterial::Corotational(stiff)).unwrap();
    steps(&mut world, 120);
    assert!(top(&world) > soft + 1e-3, "{soft} {}", top(&world));
    world.set_gravity(vec3(0.0, 0.0, 1.0)).unwrap();
    steps(&mut world, 60);
    assert!(world.centre(body).unwrap().z > 0.4);
}

#[test]
fn groups_and_pairs_pass_through_each_other() {
    let mut world = World::new();
    let ground = world.add(floor().group(Group::B)).unwrap();
    let ghost = world.add(ball().group(Group::A).at(vec3(0.0, 0.0, 0.12))).unwrap();
    let solid = world.add(ball().at(vec3(1.0, 0.0, 0.12))).unwrap();
    world.ignore(Group::A, Group::B);
    steps(&mut world, 30);
    assert!(world.centre(ghost).unwrap().z < -0.5 && world.centre(solid).unwrap().z > 0.05);
    world.ignore_pair(solid, ground).unwrap();
    steps(&mut world, 30);
    assert!(world.centre(solid).unwrap().z < -0.5);
    // Bodies too: one falls through the other, and rests on it when they meet again.
    let mut world = World::new();
    world.add(floor()).unwrap();
    let low = world.add(die().at(vec3(0.0, 0.0, 0.05))).unwrap();
    let high = world.add(die().at(vec3(0.0, 0.0, 0.3))).unwrap();
    world.ignore_pair(low, high).unwrap();
    steps(&mut world, 60);
    assert!((world.centre(high).unwrap().z - 0.05).abs() < 0.01);
}

#[test]
fn friction_is_that_of_the_pair() {
    let slid = |floor_friction: Option<f64>, body_friction: Option<f64>| {
        let mut world = World::new();
        let mut plane = floor();
        if let Some(friction) = floor_friction {
            plane = plane.friction(friction);
        }
        world.add(plane).unwrap();
        let mut body = die().at(vec3(0.0, 0.0, 0.0502)).velocity(Vec3::X);
        if let Some(friction) = body_friction {
            body = body.friction(friction);
        }
        let body = world.add(body).unwrap();
        steps(&mut world, 120);
        world.centre(body).unwrap().x
    };
    let far = |friction: f64| 1.0 / (2.0 * 9.81 * friction); // v²/(2 μ g)
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 0.1 * expected, "{found} {expected}");
    };
    near(slid(None, None), far(0.3));
    near(slid(Some(0.6), None), far(0.6));
    near(slid(None, Some(0.15)), far(0.15));
    near(slid(Some(0.8), Some(0.2)), far(0.4)); // the geometric mean
    assert!(slid(Some(0.0), Some(0.9)) > 1.8); // ice
}

#[test]
fn restitution_is_the_larger_of_the_pair() {
    let rebound = |restitution: f64| {
        let mut world = World::new();
        world.add(floor()).unwrap();
        let body = die().restitution(restitution).at(vec3(0.0, 0.0, 0.55));
        let body = world.add(body).unwrap();
        let mut highest = 0.0_f64;
        let mut met = false;
        for _ in 0..60 {
            world.step().unwrap();
            met |= !world.contacts().is_empty();
            if met {
                highest = highest.max(world.centre(body).unwrap().z - 0.05);
            }
        }
        highest
    };
    assert!(rebound(0.0) < 0.05);
    assert!((rebound(0.8) - 0.32).abs() < 0.06, "{}", rebound(0.8)); // e² h
}

#[test]
fn contacts_begin_press_and_end() {
    let mut world = World::new();
    let ground = world.add(floor()).unwrap();
    let body = world.add(die().at(vec3(0.0, 0.0, 0.06))).unwrap();
    let (mut began, mut ended) = (0, 0);
    for _ in 0..30 {
        world.step().unwrap();
        for event in world.events() {
            assert_eq!((event.body, event.other), (body, Collider::Obstacle(ground)));
            match event.kind {
                ContactEventKind::Began => {
                    assert!(event.impulse.z > 0.0);
                    began += 1;
                }
                ContactEventKind::Ended => ended += 1,
            }
        }
    }
    assert_eq!((began, ended), (1, 0));
    let weight = world.mass(body).unwrap() * 9.81 * world.time_step();
    world.set_velocity(body, Vec3::ZERO).unwrap();
    world.step().unwrap();
    let borne: f64 = world.contacts().iter().map(|contact| contact.impulse.z).sum();
    assert!((borne - weight).abs() < 1e-3 * weight, "{borne} {weight}");
    assert!(world.contacts().iter().all(|contact| contact.normal.abs_diff_eq(Vec3::Z, 1e-12)));
    world.set_velocity(body, 2.0 * Vec3::Z).unwrap();
    steps(&mut world, 5);
    assert_eq!(world.touching(), []);
}

#[test]
fn a_saved_world_goes_on_with_the_same_bits() {
    let mut world = World::new();
    world.add(floor()).unwrap();
    let hand = world.add(KinematicBody::ball(0.1).at(vec3(0.0, 0.0, 1.0))).unwrap();
    let bodies = [
        world.add(ball().at(vec3(0.0, 0.0, 0.2))).unwrap(),
        world.add(die().at(vec3(0.02, 0.0, 0.5)).spin(Vec3::X)).unwrap(),
        world.add(die().at(vec3(0.0, 0.0, 0.8))).unwrap(),
    ];
    let hinge = Joint::hinge(bodies[2], None, vec3(0.0, 0.0, 0.9), Vec3::X).motor(1.0, 0.1);
    let hinge = world.add(hinge).unwrap();
    steps(&mut world, 25);
    let saved = world.save().unwrap();
    let run = |world: &mut World| {
        for k in 0..25 {
            let position = vec3(0.0, 0.0, 1.0 + 0.01 * f64::from(k));
            world.move_to(hand, Pose::at(position)).unwrap();
            world.step().unwrap();
        }
        bodies.map(|body| world.positions(body).unwrap().to_vec())
    };
    let first = run(&mut world);
    world.restore(&saved).unwrap();
    assert_eq!(run(&mut world), first);
    // Whatever was set since goes back too.
    world.set_gravity(Vec3::X).unwrap();
    world.set_time_step(0.001).unwrap();
    world.set_friction(1.0).unwrap();
    world.set_substeps(3).unwrap();
    world.ignore(Group::DEFAULT, Group::DEFAULT);
    world.ignore_pair(bodies[0], bodies[1]).unwrap();
    world.pin(bodies[0], &[VertexId(3)]).unwrap();
    world.set_motor(hinge, None).unwrap();
    world
        .set_surface(bodies[1], SurfaceRule { friction: Some(0.9), ..Default::default() })
        .unwrap();
    world.set_force(bodies[0], Vec3::X).unwrap();
    world.step().unwrap();
    world.restore(&saved).unwrap();
    assert_eq!(run(&mut world), first);
    // Damaged and foreign bytes are refused, and change nothing.
    let before = world.positions(bodies[0]).unwrap().to_vec();
    let mut flipped = saved.clone();
    flipped[saved.len() / 2] ^= 1;
    let old = [b"pliant01", &saved[8..]].concat();
    for (bytes, why) in [
        (&saved[..saved.len() - 8], "they are damaged or cut off"),
        (&saved[..40], "they are damaged or cut off"),
        (&saved[..saved.len() - 3], "they are cut off"),
        (&saved[..8], "they are cut off"),
        (b"", "they do not begin as one does"),
        (&old, "they were written by another version"),
        (&flipped, "they are damaged or cut off"),
    ] {
        let error = world.restore(bytes).unwrap_err().to_string();
        assert!(error.contains(why) && !error.contains("added"), "{error}");
        assert_eq!(world.positions(bodies[0]).unwrap(), before);
    }
    world.remove(bodies[1]).unwrap();
    let error = world.restore(&saved).unwrap_err().to_string();
    assert!(error.contains("bodies differ: other things were added or removed"), "{error}");
}

#[test]
fn a_snapshot_of_other_meshes_is_refused_as_such() {
    let made = |layers: u32| {
        let mut world = World::new();
        world.add(SoftBody::ball(0.1, layers)).unwrap();
        world
    };
    let saved = made(2).save().unwrap();
    made(2).restore(&saved).unwrap();
    let error = made(3).restore(&saved).unwrap_err().to_string();
    assert!(
        error.contains("of the state does not fit: they were saved in a world of other meshes"),
        "{error}"
    );
}

#[test]
fn threads_change_no_bit() {
    let run = |threads: usize| {
        let mut world = World::new();
        world.set_threads(threads);
        world.add(floor()).unwrap();
        let body = world.add(ball().at(vec3(0.0, 0.0, 0.11))).unwrap();
        world.add(die().at(vec3(0.0, 0.02, 0.3))).unwrap();
        steps(&mut world, 40);
        world.positions(body).unwrap().to_vec()
    };
    assert_eq!(run(1), run(3));
    assert_eq!(run(1), run(usize::MAX));
}

#[test]
fn cloth_hangs_on_its_pins() {
    let mut world = World::new();
    let cloth = SoftBody::cloth([1.0, 1.0], [9, 9]).mass(0.2).pin([VertexId(0), VertexId(8)]);
    let cloth = world.add(cloth).unwrap();
    steps(&mut world, 120);
    let positions = world.positions(cloth).unwrap();
    assert_eq!(positions[0], vec3(-0.5, -0.5, 0.0));
    assert!(positions[76].z < -0.5, "{}", positions[76]);
    assert_eq!(world.triangles(cloth).unwrap().len(), 128);
}

#[test]
fn what_cannot_be_is_refused_by_name_and_changes_nothing() {
    let mut world = World::new();
    let good = world.add(die()).unwrap();
    let soft = world.add(ball().at(Vec3::X)).unwrap();
    let message = |found: Result<BodyHandle, WorldError>| found.unwrap_err().to_string();
    let nan = f64::NAN;
    for (wrong, part) in [
        (ball().density(-1.0), "density"),
        (ball().young(nan), "Young"),
        (ball().poisson(0.5), "Poisson"),
        (ball().friction(-5.0), "friction"),
        (ball().restitution(7.0), "restitution"),
        (ball().at(nan * Vec3::X), "position"),
        (ball().velocity(1e200 * Vec3::X), "velocity"),
        (ball().pin([VertexId(9999)]), "vertex 9999"),
        (SoftBody::ball(-1.0, 2), "radius"),
        (SoftBody::cuboid(Vec3::ONE, [0, 1, 1]), "cells"),
        (SoftBody::cloth([1.0, 1.0], [1, 9]).mass(1.0), "no vertices"),
        (SoftBody::cloth([1.0, 1.0], [3, 3]), "mass"),
    ] {
        let found = message(world.add(wrong));
        assert!(found.contains(part), "{found}");
    }
    assert!(message(world.add(die().mass(0.0))).contains("mass 0"));
    assert!(
        message(world.add(die().rotated(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0)))).contains("rotation")
    );
    assert!(world.add(Obstacle::plane(Vec3::ZERO, 0.0)).is_err());
    assert!(world.add(Obstacle::sphere(nan)).is_err());
    assert!(
        world.add(Joint::ball(soft, None, Vec3::ZERO)).unwrap_err().to_string().contains("soft")
    );
    assert!(world.add(Joint::ball(good, good, Vec3::ZERO)).is_err());
    assert!(world.add(Joint::hinge(good, None, Vec3::ZERO, Vec3::ZERO)).is_err());
    assert!(world.add(Joint::hinge(good, None, Vec3::ZERO, Vec3::Z).limits(1.0, -1.0)).is_err());
    assert!(world.set_time_step(0.0).is_err() && world.set_gravity(nan * Vec3::Z).is_err());
    assert!(world.set_substeps(0).is_err() && world.set_friction(-1.0).is_err());
    assert!(world.set_positions(soft, &[Vec3::ZERO]).is_err());
    assert!(world.set_spin(soft, Vec3::X).is_err());
    assert!(World::new().centre(soft).unwrap_err().to_string().contains("another world"));
    assert!(
        message(world.add(SoftBody::cloth([1.0; 2], [3, 3]).mass(1.0).young(1e5)))
            .contains("young")
    );
    let limited = Joint::ball(good, None, Vec3::ZERO).limits(-1.0, 1.0);
    assert!(world.add(limited).unwrap_err().to_string().contains("limits"));
    assert_eq!(world.bodies().count(), 2);
    world.step().unwrap();
}

#[test]
fn an_empty_world_steps() {
    let mut world = World::new();
    world.step().unwrap();
    world.add(floor()).unwrap();
    world.step().unwrap();
    let body = world.add(die()).unwrap();
    world.step().unwrap();
    world.remove(body).unwrap();
    world.step().unwrap();
    assert_eq!(world.bodies().count(), 0);
}

#[test]
fn rays_points_and_boxes_find_what_is_there() {
    let mut world = World::new();
    let ground = world.add(floor()).unwrap();
    let body = world.add(die().at(vec3(0.0, 0.0, 0.55))).unwrap();
    let hit = world.cast_ray(vec3(0.01, 0.02, 2.0), -Vec3::Z).unwrap().unwrap();
    assert_eq!(hit.collider, Collider::Body(body));
    assert!((hit.distance - 1.4).abs() < 1e-12 && hit.normal.abs_diff_eq(Vec3::Z, 1e-12));
    let corners = hit.triangle.unwrap().map(|v| world.positions(body).unwrap()[v.index()]);
    let point: Vec3 = corners.iter().zip(hit.weights).map(|(p, w)| w * *p).sum();
    assert!(point.abs_diff_eq(hit.point, 1e-12));
    let beside = world.cast_ray(vec3(0.5, 0.0, 2.0), -Vec3::Z).unwrap().unwrap();
    assert_eq!(beside.collider, Collider::Obstacle(ground));
    let only_floor = |collider| matches!(collider, Collider::Obstacle(_));
    let through = world.cast_ray_with(vec3(0.0, 0.0, 2.0), -Vec3::Z, 9.0, only_floor).unwrap();
    assert!((through.unwrap().distance - 2.0).abs() < 1e-9);
    assert_eq!(world.cast_ray(vec3(0.0, 0.0, 2.0), Vec3::Z).unwrap(), None);
    assert_eq!(world.bodies_at(vec3(0.0, 0.0, 0.55)).unwrap(), [body]);
    assert_eq!(world.bodies_at(vec3(0.0, 0.0, 0.7)).unwrap(), []);
    let near = world.nearest_point(vec3(0.0, 0.0, 0.8), 1.0).unwrap().unwrap();
    assert!((near.distance - 0.2).abs() < 1e-12 && near.collider == Collider::Body(body));
    let space = pliant::math::Aabb { min: vec3(-1.0, -1.0, 0.58), max: vec3(1.0, 1.0, 2.0) };
    assert_eq!(world.bodies_in(space).unwrap(), [body]);
    // Queries follow what moves.
    steps(&mut world, 60);
    assert_eq!(world.bodies_in(space).unwrap(), []);
    let hit = world.cast_ray(vec3(0.01, 0.02, 2.0), -Vec3::Z).unwrap().unwrap();
    assert!((hit.distance - 1.9).abs() < 1e-3, "{}", hit.distance);
    let grab = world.grab(hit, 100.0).unwrap();
    world.drag(grab, vec3(0.0, 0.0, 0.4)).unwrap();
    steps(&mut world, 60);
    assert!(world.centre(body).unwrap().z > 0.1);
    let on_floor = world.cast_ray(vec3(0.5, 0.0, 2.0), -Vec3::Z).unwrap().unwrap();
    assert!(world.grab(on_floor, 100.0).is_err());
    assert!(world.cast_ray(Vec3::ZERO, Vec3::ZERO).is_err());
    assert!(world.nearest_point(f64::NAN * Vec3::X, 1.0).is_err());
}

#[test]
fn penetrations_have_a_way_out_and_the_triangle_there() {
    let mut world = World::new();
    world.set_gravity(Vec3::ZERO).unwrap();
    let low = world.add(SoftBody::cuboid(Vec3::ONE, [3; 3])).unwrap();
    let high = world.add(SoftBody::cuboid(Vec3::ONE, [3; 3]).at(vec3(0.1, 0.1, 0.9))).unwrap();
    let found = world.penetrations().unwrap();
    assert!(found.iter().any(|point| point.body == low) && found.len() > 8);
    for point in found.iter().filter(|point| point.body == high) {
        assert_eq!(point.into, [low]);
        let way = point.way_out.unwrap();
        let exit = way.exit.unwrap();
        let start = world.positions(high).unwrap()[point.vertex.index()];
        // It leaves along its direction.
        let along = (exit.point - start).dot(way.direction);
        assert!(along > 0.0 && exit.point.distance(start + along * way.direction) < 1e-9);
        assert_eq!(exit.body, low);
    }
    steps(&mut world, 60);
    assert_eq!(world.penetrations().unwrap(), []);
}

#[test]
fn results_go_through_json_and_back() {
    fn round_trip<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
        serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
    }
    let mut world = World::new();
    world.add(floor()).unwrap();
    let body = world.add(ball().at(vec3(0.0, 0.0, 0.1))).unwrap();
    world.add(ball().at(vec3(0.05, 0.0, 0.15))).unwrap();
    let found = world.penetrations().unwrap();
    assert!(!found.is_empty() && round_trip(&found) == found);
    let report = world.step().unwrap();
    assert_eq!(round_trip(&report), report);
    assert_eq!(round_trip(&world.contacts().to_vec()), world.contacts());
    assert_eq!(round_trip(&world.events().to_vec()), world.events());
    assert_eq!(round_trip(&body), body);
}

#[test]
fn a_snapshot_of_before_the_first_step_is_gone_back_to() {
    let mut world = World::new();
    world.add(floor()).unwrap();
    let body = world.add(die().at(vec3(0.0, 0.0, 0.06))).unwrap();
    let start = world.save().unwrap();
    steps(&mut world, 40);
    let first = world.positions(body).unwrap().to_vec();
    world.restore(&start).unwrap();
    steps(&mut world, 40);
    assert_eq!(world.positions(body).unwrap(), first);
}
