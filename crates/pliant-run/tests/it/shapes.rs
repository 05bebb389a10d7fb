//! Scenes of shapes that are matched: bodies, points, and buttons on cloth.

use pliant::math::Vec3;
use pliant::snapshot::Snapshot;
use pliant_plane::overlap::Measure;
use pliant_scene::digest::digest;
use pliant_scene::loaded::LoadedScene;

use crate::scene::{Folder, after, load, refused};

/// Rounding of positions and speeds of about 1, with the pull of firm shapes.
const ROUNDING: f64 = 1e-9;

/// A body above a floor, with more of its keys and more tables.
fn on_floor(body: &str, more: &str) -> String {
    format!(
        "duration = 1\ndt = 0.01\n[[bodies]]\nname = \"a\"\nposition = [0, 0, 0.6]\n{body}\n\
         {more}\n[[obstacles]]\nname = \"floor\"\nshape = {{ kind = \"plane\" }}\n"
    )
}

const CUBE: &str = "mesh = { kind = \"cuboid\", size = [1, 1, 1], cells = [2, 2, 2] }\n";

fn momentum(built: &LoadedScene) -> Vec3 {
    built.world.simulation().state.momentum(&built.world.simulation().system.masses)
}

#[test]
fn shapes_of_every_mesh_and_mode_come_to_rest_on_a_floor() {
    let folder = Folder::new("shapes-rest");
    for mesh in [
        CUBE.to_owned(),
        format!("{CUBE}extract = \"points\"\nmass = 3\n"),
        "mesh = { kind = \"particles\", positions = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] }\n\
         mass = 3\n"
            .to_owned(),
    ] {
        for keys in [
            "",
            "mode = \"linear\", blend = 0.8",
            "mode = \"linear\", volume = \"free\", rate = 300",
            "mode = \"quadratic\", share = 0.9",
            "mode = \"linear\", clusters = { counts = [2, 1, 1] }",
            "plasticity = { yield_strain = 0.1, creep_rate = 1, max_drift = 0.2 }",
        ] {
            let comma = if keys.is_empty() { "" } else { ", " };
            let material = format!("material = {{ kind = \"shape-matched\"{comma}{keys} }}");
            let scene = on_floor(&format!("{mesh}{material}"), "");
            let mut built = folder.load(&scene, &[]).unwrap();
            for _ in 0..300 {
                built.world.step().unwrap();
            }
            let state = &built.world.simulation().state;
            let lowest = state.positions.iter().fold(9.0_f64, |least, x| least.min(x.z));
            let fastest = state.velocities.iter().fold(0.0_f64, |most, v| most.max(v.length()));
            assert!((-ROUNDING..0.1).contains(&lowest), "{mesh} {keys} {lowest}");
            assert!(fastest < 1e-2, "{mesh} {keys} {fastest}");
        }
    }
}

#[test]
fn what_flies_freely_keeps_its_momentum_however_it_is_matched() {
    let folder = Folder::new("shapes-free");
    let body = format!(
        "{CUBE}spin = [1, 2, 3]\nvelocity = [1, 0, 0]\nmaterial = {{ kind = \"shape-matched\" }}"
    );
    let scene = format!("gravity = [0, 0, 0]\n{}", on_floor(&body, ""));
    for sets in [
        &[][..],
        &["integrator.matching=after-step"],
        &["integrator.matching=after-step", "integrator.spin=kept"],
        &["integrator=symplectic-euler"],
    ] {
        let mut sets = sets.to_vec();
        sets.push("obstacles=[]");
        let mut built = folder.load(&scene, &sets).unwrap();
        let before = momentum(&built);
        for _ in 0..100 {
            built.world.step().unwrap();
        }
        let change = (momentum(&built) - before).length();
        assert!(change < ROUNDING * before.length(), "{sets:?} {change}");
        assert!(!built.info.bodies[0].held);
    }
}

#[test]
fn a_button_stays_as_it_is_on_cloth_that_stretches() {
    let folder = Folder::new("buttons");
    let scene = "duration = 1\ndt = 0.01\n[[bodies]]\nname = \"shirt\"\nmass = 0.5\n\
        mesh = { kind = \"cloth\", size = [1, 1], vertices = [11, 11] }\n\
        material = { kind = \"springs\", stiffness = 20, shear = 5, damping = 0.02 }\n\
        pins = [{ plane = { point = [0, 0.5, 0], normal = [0, 1, 0] } }]\n\
        [[bodies.groups]]\nsphere = { centre = [0, 0.2, 0], radius = 0.11 }\n\
        [[bodies.groups]]\nbox = { min = [-0.1, -0.3, 0], max = [0.1, -0.1, 0] }\n";
    let mut built = folder.load(scene, &[]).unwrap();
    let rest = built.world.simulation().state.positions.clone();
    for _ in 0..100 {
        built.world.step().unwrap();
    }
    let now = &built.world.simulation().state.positions;
    // Rows of eleven: the sphere holds five vertices around (0, 0.2), the seventh row up.
    let strain = |a: usize, b: usize| now[a].distance(now[b]) / rest[a].distance(rest[b]) - 1.0;
    let middle = 5 + 11 * 7;
    for other in [middle - 1, middle + 1, middle - 11, middle + 11] {
        assert!(strain(middle, other).abs() < 1e-2, "{}", strain(middle, other));
    }
    assert!(strain(middle + 22, middle + 33) > 0.05, "{}", strain(middle + 22, middle + 33));
}

#[test]
fn jellies_fall_are_taken_up_again_and_do_not_enter_each_other() {
    let sets = ["rows=1"];
    let mut built = load("jelly", &sets).unwrap();
    assert_eq!(built.info.bodies.len(), 10);
    for _ in 0..60 {
        built.world.step().unwrap();
    }
    let simulation = built.world.simulation();
    let (positions, bodies) = (&simulation.state.positions, &simulation.system.bodies);
    let overlap = Measure::new(positions, bodies).measure(positions, bodies);
    assert_eq!(overlap.penetrating_vertices, 0, "{overlap:?}");
    let mut memory = Snapshot::default();
    simulation.save(&mut memory);
    let mut again = load("jelly", &sets).unwrap();
    again.world.simulation_mut().restore(&mut memory).unwrap();
    assert_eq!(digest(&again.world.simulation().state), digest(&built.world.simulation().state));
    assert_eq!(after(again, 10), after(built, 10));
}

#[test]
fn bad_shapes_are_refused_at_their_place() {
    let of = |keys: &str| {
        let body = format!("{CUBE}material = {{ kind = \"shape-matched\", {keys} }}");
        on_floor(&body, "")
    };
    refused(&of("blend = 2, mode = \"linear\""), &[], "the blend of group 0 is 2", "material");
    refused(&of("rate = 1, share = 1"), &[], "`rate` and `share` cannot both be given", "1");
    refused(&of("mode = \"liner\""), &[], "did you mean `linear`?", "\"liner\"");
    refused(&of("clusters = { counts = [0, 1, 1] }"), &[], "0 groups along an axis", "counts");
    let none = "clusters = { counts = [1, 1, 2], overlap = 0 }";
    refused(&of(none), &[], "groups that share nothing fall apart", "0");
    let sets = ["integrator=verlet", "integrator.matching=with-step"];
    refused(&of("mode = \"rigid\""), &sets, "does not solve shapes", "with-step");
    let group = |keys: &str| {
        let body = format!("{CUBE}material = {{ kind = \"none\" }}");
        on_floor(&body, &format!("[[bodies.groups]]\n{keys}"))
    };
    let reported = "a group needs exactly one of `box`, `sphere`, `plane` and `vertices`";
    refused(&group("mode = \"rigid\""), &[], reported, "[[bodies.groups]]");
    let reported = "the group has no vertex";
    refused(
        &group("sphere = { centre = [9, 0, 0], radius = 1 }"),
        &[],
        reported,
        "[[bodies.groups]]",
    );
    refused(&group("vertices = [99]"), &[], "vertex 99 is not there", "99");
    let cloud = "mesh = { kind = \"particles\", positions = [] }\nmass = 1\n\
                 material = { kind = \"shape-matched\" }";
    refused(&on_floor(cloud, ""), &[], "`particles` need at least one point", "positions");
}
