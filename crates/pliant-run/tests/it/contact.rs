//! Scenes whose bodies meet: what is chosen, what is refused, and what comes of bad input.

use pliant::record::overlap::Overlap;
use pliant::world::WorldError;
use pliant_plane::overlap::Measure;
use pliant_scene::loaded::LoadedScene;

use crate::scene::{Folder, after, load, refused, with};

/// Rounding of positions and velocities over a short run, relative to 1 m and 1 m/s.
const ROUNDING: f64 = 1e-9;

fn overlap(built: &LoadedScene) -> Overlap {
    let simulation = built.world.simulation();
    Measure::new(&simulation.state.positions, &simulation.system.bodies)
        .measure(&simulation.state.positions, &simulation.system.bodies)
}

/// Makes steps; every one must end with numbers or with an error that says why.
#[track_caller]
fn steps(built: &mut LoadedScene, count: usize) -> Result<(), WorldError> {
    for _ in 0..count {
        built.world.step()?;
        let state = &built.world.simulation().state;
        assert!(state.positions.iter().chain(&state.velocities).all(|v| v.is_finite()));
    }
    Ok(())
}

/// Two balls of one kind, the second somewhere, and something more at the end.
fn two(mesh: &str, material: &str, second: &str, more: &str) -> String {
    let body = |name: &str, position: &str| {
        format!(
            "[[bodies]]\nname = \"{name}\"\nmesh = {mesh}\nposition = {position}\n\
             material = {material}\n"
        )
    };
    let (a, b) = (body("a", "[0, 0, 0]"), body("b", second));
    format!("duration = 1\ndt = 0.01\ngravity = [0, 0, 0]\n{a}{b}{more}")
}

const BALL: &str = "{ kind = \"icosahedron\", radius = 1 }";

const RUBBER: &str = "{ kind = \"corotational\", young = 1e4, density = 100 }";

#[test]
fn the_response_follows_the_integrator_unless_it_is_said() {
    let folder = Folder::new("chosen");
    let pair = two(BALL, RUBBER, "[5, 0, 0]", "");
    for (sets, expected, warnings) in [
        (&[][..], "constraint", 0),
        (&["integrator.newton_iterations=5"], "none", 1),
        (&["integrator=verlet"], "none", 1),
        (&["integrator=verlet", "response=none"], "none", 0),
        (&["response=none"], "none", 0),
        (&["response=constraint"], "constraint", 0),
    ] {
        let built = folder.load(&pair, sets).unwrap();
        assert_eq!(built.info.response, expected, "{sets:?}");
        assert_eq!(built.warnings.len(), warnings, "{sets:?} {:?}", built.warnings);
        let resolved = folder.load(&built.resolved, &[]).unwrap();
        assert!(built.resolved.contains(&format!("response = \"{expected}\"")));
        assert_eq!((resolved.info, resolved.warnings.len()), (built.info, 0));
    }
    // One body, or nets without a surface, have nothing to pass through.
    assert!(folder.load(&with(""), &["integrator=verlet"]).unwrap().warnings.is_empty());
}

#[test]
fn responses_that_cannot_be_are_refused_at_their_place() {
    refused(&with(""), &["response=constrain"], "did you mean `constraint`?", "constrain");
    refused(&with(""), &["response=non"], "did you mean `none`?", "non");
    let sets = ["response=constraint", "integrator=rk4"];
    refused(&with(""), &sets, "the integrator does not solve contacts", "constraint");
    refused(&with(""), &sets, "help: take the integrator \"implicit-euler\"", "constraint");
    for (set, reported) in [
        ("contact.friction=-1", "the friction of contact is -1: it must be at least 0"),
        (
            "contact.max_depenetration_speed=-1",
            "the max_depenetration_speed of contact is -1: it must be at least 0",
        ),
        ("contact.speculative_distance=-1", "the speculative_distance of contact is -1"),
    ] {
        refused(&with(""), &[set], reported, "-1");
    }
    refused(&with(""), &["contact.offset=0"], "it must be positive", "0");
    refused(&with(""), &["contact.ofset=1"], "did you mean `offset`?", "contact.ofset");
}

/// A ball on the floor, with more keys for the floor.
fn on_floor(more: &str) -> String {
    with(&format!(
        "position = [0, 0, 1.1]\n[[obstacles]]\nname = \"floor\"\nshape = {{ kind = \"plane\" }}\n{more}"
    ))
}

#[test]
fn obstacles_are_met_as_bodies_are_unless_it_is_said() {
    let folder = Folder::new("met");
    let met = |more: &str, sets: &[&str]| {
        let built = folder.load(&on_floor(more), sets).unwrap();
        let resolved: toml::Table = built.resolved.parse().unwrap();
        let kind = resolved["obstacles"][0]["response"]["kind"].as_str().unwrap().to_owned();
        (kind, built.notices.clone(), after(built, 60))
    };
    let (kind, notices, solved) = met("friction = 0.5\n", &[]);
    assert_eq!((&*kind, notices.len()), ("constraint", 0));
    let (kind, _, pushed) = met("friction = 0.5\n", &["response=none"]);
    assert_eq!(kind, "impulse");
    assert_ne!(solved, pushed);
    let (kind, _, mixed) = met("friction = 0.5\nresponse = { kind = \"impulse\" }\n", &[]);
    assert_eq!(kind, "impulse");
    assert_eq!(mixed, pushed); // alone with an obstacle, a body meets nothing else
    let (_, notices, bounced) = met("friction = 0.5\nrestitution = 0.7\n", &[]);
    assert_eq!(notices.len(), 0);
    assert_ne!(bounced, solved);
    let explicit = on_floor("response = { kind = \"constraint\" }\n");
    refused(&explicit, &["response=none"], "only the scene's response `constraint`", "response");
}

#[test]
fn momentum_is_told_for_bodies_that_rest_on_solved_contacts() {
    let folder = Folder::new("reported");
    let mut built = folder.load(&on_floor("friction = 0.5\n"), &[]).unwrap();
    assert!(!built.info.bodies[0].held);
    steps(&mut built, 100).unwrap();
    let simulation = built.world.simulation();
    let mass = simulation.system.masses.total();
    let fallen = -9.81 * simulation.state.time * mass * pliant::math::Vec3::Z;
    let momentum = simulation.state.momentum(&simulation.system.masses);
    assert!(
        simulation.external_impulse_total.z > 0.5 * mass,
        "{}",
        simulation.external_impulse_total
    );
    let off = (momentum - fallen - simulation.external_impulse_total).length() / fallen.length();
    assert!(off < ROUNDING, "{off}");
}

#[test]
fn bodies_that_meet_held_ones_have_no_account_of_momentum() {
    let held = |sets: &[&str]| -> Vec<bool> {
        let built = load("squeezed-sphere", sets).unwrap();
        built.info.bodies.iter().map(|body| body.held).collect()
    };
    assert_eq!(held(&[]), [true; 3]);
    assert_eq!(held(&["response=none"]), [false, true, true]);
}

#[test]
fn contact_is_looked_for_in_each_part_of_a_step() {
    let folder = Folder::new("parts");
    let text = two(BALL, RUBBER, "[2.2, 0, 0]", "velocity = [-3, 0, 0]\n");
    let parts = folder.load(&text, &["integrator.substeps=4"]).unwrap();
    let short = folder.load(&text, &["dt=0.0025"]).unwrap();
    assert_eq!(after(parts, 20), after(short, 80));
}

#[test]
fn sizes_are_those_of_the_shapes_and_not_of_how_they_lie() {
    let folder = Folder::new("sizes");
    // All turned by 45° about the bar: its box would be 1.4 times as thick, and so the gap.
    let gap = |turn: f64| {
        let up = pliant::math::Vec3::new(0.0, -libm::sin(turn), libm::cos(turn));
        let [[_, gy, gz], [_, y, z]] = [(-9.81 * up).to_array(), (0.11 * up).to_array()];
        let bar = "{ kind = \"cuboid\", size = [1, 0.2, 0.2], cells = [4, 1, 1] }";
        let text = format!(
            "duration = 1\ndt = 0.01\ngravity = [0, {gy}, {gz}]\n[[bodies]]\nname = \"a\"\n\
             mesh = {bar}\nrotation = [{turn}, 0, 0]\nposition = [0, {y}, {z}]\n\
             material = {RUBBER}\n[contact]\noffset = 0.04\nmax_depenetration_speed = 0\n[[obstacles]]\n\
             name = \"floor\"\nshape = {{ kind = \"plane\" }}\nrotation = [{turn}, 0, 0]\n"
        );
        let mut built = folder.load(&text, &[]).unwrap();
        steps(&mut built, 100).unwrap();
        built
            .world
            .simulation()
            .state
            .positions
            .iter()
            .fold(f64::INFINITY, |low, p| low.min(p.dot(up)))
    };
    let (straight, turned) = (gap(0.0), gap(std::f64::consts::FRAC_PI_4));
    assert!((straight - turned).abs() < 1e-4, "{straight} {turned}");
    assert!((0.004..0.009).contains(&straight), "{straight}"); // 0.04 of 0.2 m
}

#[test]
fn two_cubes_part_unless_there_is_no_response() {
    for seed in ["seed=1", "seed=2"] {
        let mut built = load("two-cubes", &[seed, "tilt=0.5"]).unwrap();
        assert!(overlap(&built).penetrating_vertices > 0);
        steps(&mut built, 12).unwrap();
        let found = overlap(&built);
        assert_eq!((found.penetrating_vertices, found.edge_crossings), (0, 0), "{found:?}");
        let count = built.info.steps as usize - 12;
        steps(&mut built, count).unwrap();
        assert_eq!(overlap(&built).penetrating_vertices, 0);
    }
    let mut built = load("two-cubes", &["response=none"]).unwrap();
    let start = overlap(&built);
    steps(&mut built, 12).unwrap();
    assert_eq!(overlap(&built), start);
}

#[test]
fn seeds_move_and_turn_the_cubes() {
    let start = |sets: &[&str]| after(load("two-cubes", sets).unwrap(), 0);
    assert_eq!(start(&["seed=3"]), start(&["seed=3"]));
    assert_ne!(start(&["seed=3"]), start(&["seed=4"]));
    assert_ne!(start(&["seed=3"]), start(&["seed=3", "tilt=0.2"]));
    let of = |scene: &str, seed: &str| after(load(scene, &[seed]).unwrap(), 0);
    assert_ne!(of("sphere-pile", "seed=1"), of("sphere-pile", "seed=2"));
}

#[test]
fn crossing_bars_come_free() {
    let mut built = load("crossing-bars", &[]).unwrap();
    let start = overlap(&built);
    assert!(start.penetrating_vertices == 0 && start.edge_crossings > 0, "{start:?}");
    steps(&mut built, 10).unwrap();
    assert_eq!(overlap(&built).edge_crossings, 0);
    let count = built.info.steps as usize - 10;
    steps(&mut built, count).unwrap();
    assert_eq!(overlap(&built).edge_crossings, 0);
}

#[test]
fn the_incline_holds_or_slides_by_its_ratio() {
    let speed = |ratio: &str| {
        let mut built = load("incline", &[ratio]).unwrap();
        steps(&mut built, 120).unwrap();
        let state = &built.world.simulation().state;
        let masses = &built.world.simulation().system.masses;
        (state.momentum(masses) / masses.total()).length()
    };
    assert!(speed("angle_ratio=0.97") < 1e-3);
    // Two seconds of g (sin θ − μ cos θ) with tan θ = 0.42: 2 · 9.81 · 0.92197 · 0.12.
    assert!((speed("angle_ratio=1.4") / 2.1707 - 1.0).abs() < 0.02);
}

#[test]
fn coincident_bodies_leave_each_other_or_say_that_they_cannot() {
    let folder = Folder::new("coincident");
    let cube = "{ kind = \"cuboid\", size = [1, 1, 1], cells = [2, 2, 2] }";
    for mesh in [BALL, cube] {
        let mut built = folder.load(&two(mesh, RUBBER, "[0, 0, 0]", ""), &[]).unwrap();
        steps(&mut built, 30).unwrap();
        let fastest = built
            .world
            .simulation()
            .state
            .velocities
            .iter()
            .fold(0.0, |v: f64, w| v.max(w.length()));
        assert!(fastest < 1.0, "{fastest}");
    }
}

#[test]
fn bodies_of_one_tet_part() {
    let folder = Folder::new("one-tet");
    let tet = "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n\
               Tetrahedra\n1\n1 2 3 4 0\nEnd\n";
    folder.write("tet.mesh", tet);
    let file = "{ kind = \"file\", path = \"tet.mesh\" }";
    for place in ["[0.2, 0.1, 0.1]", "[0.05, 0.02, 0.3]", "[0, 0, 0]"] {
        let mut built = folder.load(&two(file, RUBBER, place, ""), &[]).unwrap();
        steps(&mut built, 30).unwrap();
        if place != "[0, 0, 0]" {
            assert_eq!(overlap(&built).penetrating_vertices, 0, "{place}");
        }
    }
}

#[test]
fn bodies_that_cannot_meet_are_refused() {
    let apart = "[1.8, 0, 0]";
    let massless = "{ kind = \"corotational\", young = 1e4, density = 0 }";
    refused(&two(BALL, massless, apart, ""), &[], "densities must be positive", "0");
    let rigid = "{ kind = \"corotational\", young = inf, density = 100 }";
    refused(&two(BALL, rigid, apart, ""), &[], "it must be finite", "inf");
    let folder = Folder::new("open");
    folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n");
    let open = "{ kind = \"file\", path = \"open.obj\" }";
    let springs = "{ kind = \"springs\", stiffness = 10 }";
    let error = folder.load(&two(open, springs, apart, ""), &[]).unwrap_err().to_string();
    assert!(error.contains("open") && error.contains("read_as = \"spring-network\""), "{error}");
}

#[test]
fn bodies_too_stiff_for_numbers_end_with_an_error_or_stay_finite() {
    let folder = Folder::new("stiff");
    for young in ["1e12", "1e100", "1e300"] {
        let material = format!("{{ kind = \"corotational\", young = {young}, density = 100 }}");
        let text = two(BALL, &material, "[1.2, 0.1, 0]", "");
        let Ok(mut built) = folder.load(&text, &[]) else { continue };
        let _ = steps(&mut built, 10);
        let state = &built.world.simulation().state;
        assert!(state.positions.iter().chain(&state.velocities).all(|v| v.is_finite()), "{young}");
    }
}

#[test]
fn what_is_wholly_inside_is_moved_out_gently() {
    for aside in ["aside=0", "aside=0.15", "aside=0.3"] {
        let mut built = load("enclosed", &[aside]).unwrap();
        let start = overlap(&built);
        assert!(start.penetrating_vertices >= 55 && start.edge_crossings == 0, "{start:?}");
        steps(&mut built, 12).unwrap();
        let end = overlap(&built);
        assert!(end.penetrating_vertices + end.edge_crossings == 0, "{aside}: {end:?}");
        let speeds = built.world.simulation().state.velocities.iter().map(|v| v.length());
        assert!(speeds.fold(0.0, f64::max) < 0.05, "{aside}");
    }
}

#[test]
fn nothing_falls_through_a_thin_floor_however_fast() {
    let folder = Folder::new("thin-floor");
    let scene = "duration = 1\ndt = \"=1/60\"\n[[bodies]]\nname = \"block\"\n\
                 mesh = { kind = \"cuboid\", size = [0.2, 0.2, 0.2], cells = [2, 2, 2] }\n\
                 position = [0, 0, 1]\nmaterial = { kind = \"corotational\", young = 1e6 }\n\
                 [[obstacles]]\nname = \"floor\"\nposition = [0, 0, -0.05]\n\
                 shape = { kind = \"box\", size = [2, 2, 0.1] }\n";
    for speed in [0, 5, 17, 40] {
        let mut built =
            folder.load(scene, &[&format!("bodies.0.velocity=[0,0,-{speed}]")]).unwrap();
        let steps = built.info.steps;
        for _ in 0..steps {
            built.world.step().unwrap();
        }
        let lowest = built.world.simulation().state.positions.iter().map(|p| p.z);
        let lowest = lowest.fold(f64::INFINITY, f64::min);
        // Contact begins at 0.005 of the size, 1 mm.
        assert!((0.0..0.0015).contains(&lowest), "{speed} m/s: {lowest} m");
    }
}
