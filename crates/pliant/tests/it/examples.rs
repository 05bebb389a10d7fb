//! Every example does what it says.

#![allow(dead_code, reason = "an example prints in `main`, a test asks `run`")]

use pliant::force::check;
use pliant::force::elastic::Elastic;
use pliant::math::Vec3;
use pliant::prelude::{ElasticSettings, Quat, VertexId, vec3};

#[path = "../../examples/cloth_on_sphere.rs"]
mod cloth_on_sphere;
#[path = "../../examples/falling_ball.rs"]
mod falling_ball;
#[path = "../../examples/first_fall.rs"]
mod first_fall;
#[path = "../../examples/foreign_contact.rs"]
mod foreign_contact;
#[path = "../../examples/gripper.rs"]
mod gripper;
#[path = "../../examples/other_engine.rs"]
mod other_engine;
#[path = "../../examples/own_material.rs"]
mod own_material;
#[path = "../../examples/own_response.rs"]
mod own_response;
#[path = "../../examples/penetrations_only.rs"]
mod penetrations_only;
#[path = "../../examples/pile.rs"]
mod pile;
#[path = "../../examples/ragdoll.rs"]
mod ragdoll;
#[path = "../../examples/save_and_rewind.rs"]
mod save_and_rewind;

#[test]
fn falling_ball_comes_to_rest_on_the_floor() {
    let (height, speed) = falling_ball::run().unwrap();
    assert!((0.08..0.1).contains(&height), "{height}"); // its radius, less what it flattens
    assert!(speed < 1e-3, "{speed}");
}

#[test]
fn pile_comes_to_rest_with_nothing_inside_anything() {
    let pile::Pile { penetrating, beyond_walls, fastest, unconverged } = pile::run().unwrap();
    assert_eq!(penetrating, 0);
    assert!(beyond_walls < 1e-9, "{beyond_walls}");
    assert!(fastest < 1e-3, "{fastest}");
    assert!(unconverged < 60, "{unconverged}"); // of 300 steps
}

#[test]
fn gripper_lifts_by_friction_and_slips_without() {
    let (held, inside) = gripper::run(0.3).unwrap();
    let expected = vec3(0.0, 0.0, gripper::START + gripper::RAISED);
    assert!(held.distance(expected) < 1e-3, "{held}");
    assert_eq!(inside, 0);
    let (slipped, _) = gripper::run(0.02).unwrap();
    assert!(slipped.z < gripper::START + 0.01, "{slipped}");
}

#[test]
fn cloth_lies_on_the_sphere_and_hangs_down() {
    let positions = cloth_on_sphere::run().unwrap();
    let sphere = 0.3;
    assert!(positions.iter().all(|p| p.length() > sphere - 1e-6));
    assert!(positions[17 * 17 / 2].z > sphere - 0.01); // its middle lies on top
    for corner in [0, 16, 17 * 16, 17 * 17 - 1] {
        assert!(positions[corner].z < -0.05, "{}", positions[corner]);
    }
}

#[test]
fn ragdoll_holds_together_and_bends_within_limits() {
    let fallen = ragdoll::run().unwrap();
    assert!(fallen.widest_gap < 1e-6, "{}", fallen.widest_gap);
    let ([least, most], [lower, upper]) = (fallen.bends, ragdoll::LIMITS);
    assert!(least > lower - 1e-3 && most < upper + 1e-3, "{least} {most}");
    assert!(most - least > 0.5, "no hinge has bent: {least} {most}");
    assert!((0.09..0.3).contains(&fallen.torso), "{}", fallen.torso);
    assert!(fallen.fastest < 1e-3, "{}", fallen.fastest);
}

#[test]
fn own_material_passes_every_check_and_bends_as_the_usual_one() {
    let settings = ElasticSettings { young: 1e3, poisson: 0.3, damping: 0.0 };
    let rest = [Vec3::ZERO, Vec3::X, 0.9 * Vec3::Y, vec3(0.2, 0.1, 1.1)];
    let tets = [[0, 1, 2, 3].map(VertexId)];
    let law = Elastic::<own_material::StVenantKirchhoff>::new(&rest, &tets, |_| settings).unwrap();
    let stretched = rest.map(|p| vec3(1.3 * p.x + 0.2 * p.y, 0.8 * p.y - 0.1 * p.z, 1.1 * p.z));
    let turned = stretched.map(|p| Quat::from_rotation_x(0.7) * p);
    let squeezed = rest.map(|p| vec3(0.9 * p.x, p.y, 0.7 * p.z));
    check::derivatives(&law, &[stretched, turned, squeezed], 1.0);
    check::balance(&law, &[stretched, turned, squeezed], 1.0);
    check::definite(&law, &[rest, stretched, turned, squeezed]);
    let [own, usual] = own_material::run().unwrap();
    assert!(own > 0.01 && (own - usual).abs() < 0.02 * usual, "{own} {usual}");
}

#[test]
fn own_response_holds_a_body_at_the_depth_that_balances_it() {
    for stiffness in [1000.0, 2000.0] {
        let mud = own_response::Mud { stiffness, damping: 30.0 };
        let own_response::Sunk { depths: [found, expected], penetrating, speed } =
            own_response::run(mud).unwrap();
        assert!((found - expected).abs() < 0.1 * expected, "{found} {expected}");
        assert!(penetrating == 0 && speed < 1e-3, "{penetrating} {speed}");
    }
}

#[test]
fn forces_from_penetrations_balance_and_push_apart() {
    let penetrations_only::Penalty { forces, positions, deepest } =
        penetrations_only::run().unwrap();
    let [on_a, on_b] = forces.each_ref().map(|of| of.iter().sum::<Vec3>());
    assert!(on_a.z < -100.0 && (on_a + on_b).length() < 1e-9, "{on_a} {on_b}");
    let arms = positions.iter().flatten().zip(forces.iter().flatten());
    let torque: Vec3 = arms.map(|(p, f)| p.cross(*f)).sum();
    assert!(torque.length() < 1e-9 * on_a.length(), "{torque}");
    assert!((deepest - 0.1).abs() < 0.05, "{deepest}");
}

#[test]
fn other_engine_lets_a_block_come_to_rest_on_a_slab() {
    let other_engine::Rest { depth, height, speed } = other_engine::run().unwrap();
    assert!((-1e-3..5e-3).contains(&depth), "{depth}");
    assert!((height - 0.5).abs() < 0.02 && speed < 1e-3, "{height} {speed}");
}

#[test]
fn a_rewound_world_repeats_its_bits() {
    let [first, again] = save_and_rewind::run().unwrap();
    assert_eq!(first, again);
    assert!(first[0].iter().all(|p| p.z > -1e-6));
}

#[test]
fn a_block_comes_to_rest_by_the_stages_alone() {
    let (lowest, kinetic) = first_fall::run().unwrap();
    assert!(lowest.abs() < 1e-3 && kinetic < 1e-3, "{lowest} {kinetic}");
}

#[test]
fn a_block_leaves_a_slab_and_rests_on_it_by_contact_rows_in_another_engine() {
    foreign_contact::main().unwrap();
}
