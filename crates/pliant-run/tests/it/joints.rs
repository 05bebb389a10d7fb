//! Scenes with joints: what they hold, what they meet, and what is refused.

use pliant::math::Vec3;
use pliant::snapshot::Snapshot;
use pliant_plane::overlap::Measure;
use pliant_scene::digest::digest;
use pliant_scene::loaded::LoadedScene;

use crate::scene::{Folder, after, load, refused};

/// Roundings of places over some hundred steps, relative to 1 m.
const ROUNDING: f64 = 1e-10;

/// Momentum that contact and joints may lose together, relative to that of one body.
const MOMENTUM: f64 = 1e-10;

/// Two boxes of 1 kg, 1 m apart along x, with something more at the end.
fn two(more: &str) -> String {
    let body = |name: &str, x: f64| {
        format!(
            "[[bodies]]\nname = \"{name}\"\nposition = [{x}, 0, 0]\nmass = 1\n\
             mesh = {{ kind = \"cuboid\", size = [0.4, 0.3, 0.2], cells = [1, 1, 1] }}\n\
             material = {{ kind = \"rigid\" }}\n"
        )
    };
    format!("duration = 1\ndt = 0.01\n{}{}{more}", body("a", 0.0), body("b", 1.0))
}

fn joint(keys: &str) -> String {
    two(&format!("[[joints]]\n{keys}\n"))
}

fn steps(built: &mut LoadedScene, count: usize) {
    for _ in 0..count {
        built.world.step().unwrap();
    }
}

#[test]
fn what_is_no_joint_is_refused_at_its_place() {
    let ball = |bodies: &str| joint(&format!("kind = \"ball\"\nbodies = {bodies}"));
    refused(&ball("[\"a\", \"c\"]"), &[], "no body is called `c`", "\"c\"");
    refused(&ball("[\"a\", \"a\"]"), &[], "the joint holds `a` to itself", "\"a\"");
    refused(&ball("[\"a\", \"b\", \"a\"]"), &[], "3 bodies: a joint joins two", "bodies");
    refused(&joint("kind = \"ball\""), &[], "the joint joins nothing", "[[joints]]");
    refused(&joint("kind = \"bal\"\nbodies = [\"a\"]"), &[], "did you mean `ball`?", "\"bal\"");
    let soft = "bodies.1.material={kind='corotational',young=1e4}";
    refused(&ball("[\"a\", \"b\"]").replacen("mass = 1\n", "", 2), &[soft], "`b` is soft", "\"b\"");
    let hinge = |more: &str| joint(&format!("kind = \"hinge\"\nbodies = [\"a\"]\n{more}"));
    refused(&hinge(""), &[], "a hinge needs an `axis`", "[[joints]]");
    refused(&hinge("axis = [0, 0, 0]"), &[], "the axis has no direction", "axis");
    refused(
        &hinge("axis = [0, 0, 1]\nlimits = [1, -1]"),
        &[],
        "the first must not exceed the second",
        "limits",
    );
    refused(
        &hinge("axis = [0, 0, 1]\nmotor = { speed = 1, force = 2 }"),
        &[],
        "the motor of a hinge needs a `torque`",
        "motor",
    );
    let bad = "kind = \"ball\"\nbodies = [\"a\"]\naxis = [0, 0, 1]";
    refused(&joint(bad), &[], "`ball` has no axis, so it takes no `axis`", "axis");
    refused(&joint("kind = \"ball\"\nchain = \"a\""), &[], "`a` is one body", "\"a\"");
    refused(&joint("kind = \"ball\"\nchain = \"ab\""), &[], "did you mean `a`?", "\"ab\"");
    let pattern = "bodies.0.pattern={kind='grid',counts=[1,1,2],spacing=[0,0,1]}";
    refused(&ball("[\"a\"]"), &[pattern], "`a` is a pattern of several bodies", "\"a\"");
}

#[test]
fn joints_that_contradict_each_other_are_told() {
    let folder = Folder::new("contradiction");
    let text = joint(
        "kind = \"ball\"\nbodies = [\"a\"]\nanchor = [0, 0, 0.1]\n\
         [[joints]]\nkind = \"slider\"\nbodies = [\"a\"]\naxis = [0, 0, 1]\nlimits = [1, 2]",
    );
    let mut built = folder.load(&text, &[]).unwrap();
    assert!(built.notices.iter().any(|n| n.contains("contradict")), "{:?}", built.notices);
    steps(&mut built, 10);
    assert!(
        folder.load(&joint("kind = \"fixed\"\nbodies = [\"a\"]"), &[]).unwrap().notices.is_empty()
    );
}

/// 100 links and a ball of a thousand times their mass, which swings.
fn chain(integrator: &str) -> String {
    format!(
        "duration = 1\ndt = 0.005\n[integrator]\nkind = \"{integrator}\"\n\
         [[bodies]]\nname = \"link\"\nmass = 0.1\nposition = [0, 0, -4.95]\n\
         mesh = {{ kind = \"cuboid\", size = [0.03, 0.03, 0.08], cells = [1, 1, 1] }}\n\
         pattern = {{ kind = \"grid\", counts = [1, 1, 100], spacing = [0, 0, 0.1] }}\n\
         material = {{ kind = \"rigid\" }}\n\
         [[bodies]]\nname = \"ball\"\nmass = 100\nposition = [0, 0, -10.5]\nvelocity = [1, 0, 0]\n\
         mesh = {{ kind = \"icosahedron\", radius = 0.4 }}\nmaterial = {{ kind = \"rigid\" }}\n\
         [[joints]]\nkind = \"ball\"\nchain = \"link\"\n\
         [[joints]]\nkind = \"ball\"\nbodies = [\"link-99\"]\nanchor = [0, 0, 0.05]\n\
         [[joints]]\nkind = \"ball\"\nbodies = [\"link-0\", \"ball\"]\nanchor = [0, 0, -9.95]\n"
    )
}

/// Distance of the links' centres one after the other, and of the last from the hook, m.
fn length(built: &LoadedScene) -> f64 {
    let rigids = &built.world.simulation().state.rigids[..100];
    let between: f64 = rigids.windows(2).map(|w| w[0].centre.distance(w[1].centre)).sum();
    between + rigids[99].centre.distance(0.05 * Vec3::Z)
}

#[test]
fn a_chain_of_a_hundred_links_does_not_stretch_under_a_thousand_times_their_mass() {
    const STRETCH: f64 = 1e-3;
    let folder = Folder::new("chain");
    for integrator in ["implicit-euler", "verlet"] {
        let mut built = folder.load(&chain(integrator), &[]).unwrap();
        let start = length(&built);
        for _ in 0..40 {
            steps(&mut built, 1);
            // Links that lean bring their centres nearer, never farther.
            let stretch = length(&built) / start - 1.0;
            let gap = built.world.simulation().system.joints.met().gap;
            assert!(stretch < STRETCH && gap < ROUNDING, "{integrator} {stretch} {gap}");
        }
        let ball = built.world.simulation().state.rigids[100].centre;
        assert!(ball.x > 0.1 && (ball.z + 10.5).abs() < 0.05, "{ball}");
    }
}

#[test]
fn a_pendulum_keeps_its_length_and_its_energy() {
    let mut built = load("joints", &["response=none"]).unwrap();
    let names: Vec<&str> = built.info.bodies.iter().map(|body| &*body.name).collect();
    let bob = names.iter().position(|name| *name == "bob").unwrap();
    let hook = Vec3::new(0.0, 1.2, 3.0);
    let start = built.world.simulation().state.rigids[bob].centre;
    let mut lowest = f64::INFINITY;
    for _ in 0..480 {
        steps(&mut built, 1);
        let at = built.world.simulation().state.rigids[bob].centre;
        assert!((at.distance(hook) - start.distance(hook)).abs() < ROUNDING, "{at}");
        lowest = lowest.min(at.z);
        assert!(at.z < start.z + 0.01, "{at}");
    }
    assert!(lowest < hook.z - 0.99 * start.distance(hook), "{lowest}");
}

#[test]
fn a_wrecking_ball_leaves_no_vertex_inside() {
    let mut built = load("joints", &["dt=\"=1/120\""]).unwrap();
    let names: Vec<&str> = built.info.bodies.iter().map(|body| &*body.name).collect();
    let first = names.iter().position(|name| *name == "block-7").unwrap();
    let vertex = built.info.bodies[first].vertices.start;
    let start = built.world.simulation().state.positions[vertex];
    let mut pressed = 0;
    for _ in 0..300 {
        let report = built.world.step().unwrap();
        pressed = pressed.max(report.contact.contacts);
        let met = built.world.simulation().system.joints.met();
        assert!(met.gap < ROUNDING, "{met:?}");
    }
    let state = &built.world.simulation().state;
    let overlap = Measure::new(&state.positions, &built.world.simulation().system.bodies)
        .measure(&state.positions, &built.world.simulation().system.bodies);
    assert_eq!(overlap.penetrating_vertices, 0, "{overlap:?}");
    assert!(state.positions[vertex].distance(start) > 0.1 && pressed > 50, "{pressed}");
}

/// Two hinged boxes that fly into a third.
fn hit() -> String {
    joint("kind = \"hinge\"\nbodies = [\"a\", \"b\"]\naxis = [0, 0, 1]\n")
        .replace("dt = 0.01\n", "dt = 0.01\ngravity = [0, 0, 0]\n")
        + "[[bodies]]\nname = \"c\"\nposition = [1.05, 1, 0.05]\nvelocity = [0, -6, 0]\nmass = 5\n\
           mesh = { kind = \"icosahedron\", radius = 0.3 }\nmaterial = { kind = \"rigid\" }\n"
}

/// Momentum (dimensionless) and angular momentum (m) lost over half a second in such steps, over
/// the momentum.
#[track_caller]
fn lost(dt: f64) -> [f64; 2] {
    let folder = Folder::new("momentum");
    let mut built = folder.load(&hit(), &[&format!("dt={dt}")]).unwrap();
    let momenta = |built: &LoadedScene| {
        let simulation = built.world.simulation();
        let members = simulation.system.rigids.entries().iter().zip(&simulation.state.rigids);
        let going: Vec3 = members.map(|(member, rigid)| member.body.mass * rigid.velocity).sum();
        let (state, masses) = (&simulation.state, &simulation.system.masses);
        [going, simulation.system.rigids.angular_momentum(state, masses, Vec3::ZERO)]
    };
    let (start, mut met, mut unconverged) = (momenta(&built), 0, 0);
    for _ in 0..(0.5 / dt).round() as usize {
        let report = built.world.step().unwrap();
        met += report.contact.contacts;
        unconverged += report.unconverged;
    }
    // The direction of friction of a contact that slides has not quite been found.
    assert!(unconverged <= 1, "{unconverged}");
    assert!(met > 0 && built.world.simulation().state.rigids[1].velocity.y < -1.0, "{met}");
    let end = momenta(&built);
    [0, 1].map(|k| end[k].distance(start[k]) / start[0].length())
}

#[test]
fn free_jointed_bodies_in_contact_keep_momentum() {
    let [coarse, fine] = [lost(0.01), lost(0.0025)];
    assert!(coarse[0] < MOMENTUM && fine[0] < MOMENTUM, "{coarse:?} {fine:?}");
    // Contacts are found ahead, along the paths, and placed where bodies are at the start of a
    // step: of first order, 2e-3 of the step.
    assert!(coarse[1] < 1e-4 && 3.5 * fine[1] < coarse[1], "{coarse:?} {fine:?}");
}

#[test]
fn jointed_neighbours_may_overlap_unless_contact_is_kept() {
    let folder = Folder::new("neighbours");
    let overlapping = |more: &str| {
        joint(&format!("kind = \"fixed\"\nbodies = [\"a\", \"b\"]\n{more}"))
            .replace("position = [1, 0, 0]", "position = [0.3, 0, 0]")
            .replace("dt = 0.01\n", "dt = 0.01\ngravity = [0, 0, 0]\n")
    };
    let moved = |more: &str| {
        let mut built = folder.load(&overlapping(more), &[]).unwrap();
        let start = built.world.simulation().state.rigids.clone();
        steps(&mut built, 5);
        built.world.simulation().state.rigids[0].centre.distance(start[0].centre)
    };
    assert!(moved("") < ROUNDING);
    let mut kept = folder.load(&overlapping("contact = true"), &[]).unwrap();
    assert!(kept.world.step().unwrap().contact.contacts > 0);
}

#[test]
fn scenes_with_joints_go_on_from_memory_and_on_any_threads_with_the_same_bits() {
    let folder = Folder::new("again");
    let text =
        hit().replace("kind = \"hinge\"", "kind = \"hinge\"\nmotor = { speed = 3, torque = 1 }");
    let mut whole = folder.load(&text, &[]).unwrap();
    steps(&mut whole, 12);
    let mut memory = Snapshot::default();
    whole.world.simulation().save(&mut memory);
    let mut resumed = folder.load(&text, &[]).unwrap();
    resumed
        .world
        .simulation_mut()
        .restore(&mut Snapshot::from_numbers(memory.numbers().to_vec()))
        .unwrap();
    resumed.world.set_threads(2);
    steps(&mut whole, 30);
    steps(&mut resumed, 30);
    assert_eq!(digest(&whole.world.simulation().state), digest(&resumed.world.simulation().state));
    let mut threads = folder.load(&text, &[]).unwrap();
    threads.world.set_threads(2);
    assert_eq!(after(threads, 42), digest(&whole.world.simulation().state));
}
