//! Scenes in which rigid bodies hold soft ones, and what cannot be held or be rigid.

use pliant::snapshot::Snapshot;
use pliant_plane::overlap::Measure;
use pliant_scene::digest::digest;
use pliant_scene::loaded::LoadedScene;

use crate::scene::{Folder, after, load, refused};

/// Distance of an attached vertex from its point, relative to 1 m.
const LOOSE: f64 = 1e-9;

/// A rigid box of 1 kg with a soft one on top, and something more at the end.
fn stacked(soft: &str, more: &str) -> String {
    format!(
        "duration = 1\ndt = 0.01\n[[bodies]]\nname = \"hard\"\nmass = 1\n\
         mesh = {{ kind = \"cuboid\", size = [0.4, 0.3, 0.2], cells = [1, 1, 1] }}\n\
         material = {{ kind = \"rigid\" }}\n\
         [[bodies]]\nname = \"soft\"\nposition = [0, 0, 0.2]\n\
         mesh = {{ kind = \"cuboid\", size = [0.4, 0.3, 0.2], cells = [2, 2, 2] }}\n\
         material = {{ kind = \"corotational\", young = 1e4, density = 100 }}\n{soft}{more}"
    )
}

fn attached(keys: &str) -> String {
    stacked("", &format!("[[joints]]\nkind = \"attach\"\n{keys}\n"))
}

/// All of the lower side.
const BELOW: &str = "plane = { point = [0, 0, -0.1], normal = [0, 0, -1] }";

fn steps(built: &mut LoadedScene, count: usize) {
    for _ in 0..count {
        built.world.step().unwrap();
    }
}

/// Farthest that an attached vertex is from its point of the rigid body, m.
fn loosest(built: &LoadedScene) -> f64 {
    let simulation = built.world.simulation();
    let gap = |a: &pliant::body::rigid::attach::Attached| {
        let rigid = &simulation.state.rigids[a.place];
        rigid.point(a.point).distance(simulation.state.positions[a.vertex.index()])
    };
    simulation.system.rigids.attached().iter().map(gap).fold(0.0, f64::max)
}

#[test]
fn what_cannot_be_attached_is_refused_at_its_place() {
    let both = "bodies = [\"hard\", \"soft\"]";
    let check = |keys: &str, expected: &str, place: &str| {
        refused(&attached(keys), &[], expected, place);
    };
    let with = |bodies: &str| format!("bodies = {bodies}\n{BELOW}");
    check(&with("[\"hard\", \"sof\"]"), "did you mean `soft`?", "\"sof\"");
    check(&with("[\"hard\", \"hard\"]"), "`hard` is to be attached to itself", "\"hard\"");
    check(&with("[\"soft\", \"hard\"]"), "`soft` is soft: only rigid bodies hold", "\"soft\"");
    check(&with("[\"hard\"]"), "1 bodies: the rigid one and the soft one", "bodies");
    check(BELOW, "0 bodies: the rigid one and the soft one", "[[joints]]");
    check(both, "needs exactly one of `box`, `plane` and `vertices`", "[[joints]]");
    let nothing = format!("{both}\nplane = {{ point = [0, 0, 9], normal = [0, 0, 1] }}");
    check(&nothing, "no vertex of `soft` is chosen to be attached to `hard`", "[[joints]]");
    check(&format!("{both}\nvertices = [99]"), "vertex 99 is not there", "99");
    check(&format!("{both}\nvertices = [3, 3]"), "of `soft` is attached twice", "[[joints]]");
    check(&format!("{both}\n{BELOW}\naxis = [0, 0, 1]"), "`attach` takes no `axis`", "axis");
    check(&format!("{both}\n{BELOW}\ncontact = true"), "`attach` takes no `contact`", "true");
    let again = format!("{both}\n{BELOW}\n[[joints]]\nkind = \"attach\"\n{both}\nvertices = [0]");
    check(&again, "vertex 0 of `soft` is attached twice, first to `hard`", "[[joints]]");
    let pinned = stacked(
        "[[bodies.pins]]\nvertices = [0]\n",
        &format!("[[joints]]\nkind = \"attach\"\n{both}\n{BELOW}\n"),
    );
    refused(&pinned, &[], "vertex 0 of `soft` is pinned", "[[joints]]");
    let fixed = stacked("", &format!("[[joints]]\nkind = \"fixed\"\nbodies = [\"hard\"]\n{BELOW}"));
    refused(&fixed, &[], "`fixed` takes no `plane`: only `attach` does", "plane");
    let rigid = "bodies.1.material={kind='rigid'}";
    let text = attached(&format!("{both}\n{BELOW}"));
    refused(&text, &[rigid], "`soft` is rigid: it has no vertices", "\"soft\"");
    refused(&text, &["integrator=verlet"], "does not move what is attached", "\"attach\"");
}

#[test]
fn what_is_no_rigid_body_is_refused_by_name_at_its_key() {
    let folder = Folder::new("no-rigid");
    let body = |mesh: &str, more: &str| {
        format!(
            "duration = 1\ndt = 0.01\n[[bodies]]\nname = \"a\"\nmesh = {mesh}\n\
             material = {{ kind = \"rigid\" }}\n{more}"
        )
    };
    let ball = "{ kind = \"icosahedron\", radius = 1 }";
    for (mass, reported) in [("0", "mass 0 kg"), ("-2", "mass -2 kg")] {
        let text = body(ball, &format!("mass = {mass}\n"));
        refused(&text, &[], &format!("`a` cannot be rigid: the body has {reported}"), mass);
    }
    let heavy = body(ball, "").replace("\"rigid\"", "\"rigid\", density = -5");
    refused(&heavy, &[], "`a` cannot be rigid: the density is -5 kg/m³", "-5");
    // Nothing resists about the line of these points.
    let line = "{ kind = \"particles\", positions = [[0, 0, 0], [1, 0, 0], [2, 0, 0]] }";
    let reported = "each must be positive; give three points that are not on a line";
    refused(&body(line, "mass = 1\n"), &[], reported, "mesh");
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let file = |name: &str, faces: &str| {
        let path = folder.write(name, &format!("{corners}{faces}"));
        body(&format!("{{ kind = \"file\", path = {path:?} }}"), "")
    };
    let outward = "f 1 3 2\nf 1 2 4\nf 1 4 3\n";
    let message = |text: &str| folder.load(text, &[]).unwrap_err().to_string();
    let open = message(&file("open.obj", outward));
    assert!(open.contains("`a` cannot be rigid: not usable: 3 open_edges"), "{open}");
    assert!(open.contains("help: close its surface"), "{open}");
    let mixed = message(&file("mixed.obj", &format!("{outward}f 2 4 3\n")));
    assert!(mixed.contains("3 inconsistent_winding"), "{mixed}");
    let inward = file("inward.obj", "f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n");
    let built = folder.load(&inward, &[]).unwrap();
    let note = "`a`: the surface looked inward and has been turned around";
    assert_eq!(built.notices, [note]);
}

#[test]
fn contradictory_joints_are_told_by_name_with_what_helps() {
    let folder = Folder::new("torn");
    let text = stacked(
        "",
        "[[joints]]\nkind = \"fixed\"\nbodies = [\"hard\"]\n\
         [[joints]]\nkind = \"slider\"\nbodies = [\"hard\"]\naxis = [0, 0, 1]\nlimits = [1, 2]\n",
    );
    let mut built = folder.load(&text, &[]).unwrap();
    let reported = built.notices.join("\n");
    // Both are missed by half of the metre that is lacking.
    let expected = "misses the fixed of `hard` and the world by 5.000e-1 m";
    assert!(reported.contains(expected) && reported.contains("widen limits"), "{reported}");
    assert!(reported.contains("the slider of `hard` and the world by 5.000e-1 m"), "{reported}");
    steps(&mut built, 10);
}

#[test]
fn a_soft_top_stays_on_its_box_through_an_impact() {
    let folder = Folder::new("top");
    let floor = "\n[[obstacles]]\nname = \"floor\"\nshape = { kind = \"plane\" }\n\
                 friction = 0.5\nposition = [0, 0, -0.5]\n";
    let text = attached(&format!("bodies = [\"hard\", \"soft\"]\n{BELOW}\n{floor}"))
        .replace("mass = 1\n", "mass = 1\nspin = [0, 1, 0]\n");
    let mut built = folder.load(&text, &[]).unwrap();
    assert!(built.notices.is_empty(), "{:?}", built.notices);
    assert_eq!(built.world.simulation().system.rigids.attached().len(), 9);
    let pairs = built.world.simulation().system.rigids.attached_pairs();
    let (start, bodies) =
        (&built.world.simulation().state.positions, &built.world.simulation().system.bodies);
    let mut measure = Measure::new(start, bodies).leaving_out(pairs);
    let (mut plain, mut counted) = (Measure::new(start, bodies), 0);
    for _ in 0..100 {
        steps(&mut built, 1);
        assert!(loosest(&built) < LOOSE);
        let simulation = built.world.simulation();
        let overlap = measure.measure(&simulation.state.positions, &simulation.system.bodies);
        assert_eq!((overlap.penetrating_vertices, overlap.edge_crossings), (0, 0), "{overlap:?}");
        let all = plain.measure(&simulation.state.positions, &simulation.system.bodies);
        counted += all.penetrating_vertices + all.edge_crossings;
    }
    // Faces that lie on each other meet by rounding: that is no overlap.
    assert!(counted > 0);
    let rigid = built.world.simulation().state.rigids[0];
    assert!(
        rigid.centre.z < -0.3 && built.world.simulation().external_impulse_total.z > 1.0,
        "{rigid:?}"
    );
}

#[test]
fn scenes_with_attached_bodies_go_on_from_memory_and_on_any_threads_with_the_same_bits() {
    let mut whole = load("grip", &[]).unwrap();
    steps(&mut whole, 60);
    let mut memory = Snapshot::default();
    whole.world.simulation().save(&mut memory);
    let mut resumed = load("grip", &[]).unwrap();
    resumed
        .world
        .simulation_mut()
        .restore(&mut Snapshot::from_numbers(memory.numbers().to_vec()))
        .unwrap();
    resumed.world.set_threads(2);
    steps(&mut whole, 20);
    let expected = digest(&whole.world.simulation().state);
    assert_eq!(after(resumed, 20), expected);
    let mut threads = load("grip", &[]).unwrap();
    threads.world.set_threads(2);
    assert_eq!(after(threads, 80), expected);
}

#[test]
fn soft_fingers_lift_a_box_and_hold_it() {
    let mut built = load("grip", &[]).unwrap();
    let at = built.info.bodies.iter().position(|body| body.name == "box").unwrap();
    let place =
        built.world.simulation().system.rigids.index(pliant::id::BodyId(at as u32)).unwrap();
    let start = built.world.simulation().state.rigids[place].centre;
    steps(&mut built, 300);
    assert!(loosest(&built) < LOOSE && built.world.simulation().system.joints.met().gap < LOOSE);
    let before = built.world.simulation().state.rigids[place].centre;
    steps(&mut built, 60);
    let end = built.world.simulation().state.rigids[place].centre;
    // The palm goes up by 0.15 m/s · 2.5 s and at most 0.4 m, less what slips in the beginning.
    assert!(before.z - start.z > 0.3 && end.z - start.z < 0.4, "{start} {before} {end}");
    assert!((end - before).length() < 0.05, "{before} {end}");
}

/// A rigid rod from which something soft of 0.2 kg hangs, whatever it is made of.
#[track_caller]
fn hangs(soft: &str, chosen: &str) {
    let folder = Folder::new(&format!("hangs-{}", soft.len()));
    let text = format!(
        "duration = 1\ndt = 0.01\n[[bodies]]\nname = \"rod\"\nmass = 1\nposition = [0, 0, 1]\n\
         mesh = {{ kind = \"cuboid\", size = [1, 0.1, 0.1], cells = [1, 1, 1] }}\n\
         material = {{ kind = \"rigid\" }}\n[[bodies]]\nname = \"soft\"\nmass = 0.2\n{soft}\n\
         [[joints]]\nkind = \"attach\"\nbodies = [\"rod\", \"soft\"]\n{chosen}\n\
         [[joints]]\nkind = \"fixed\"\nbodies = [\"rod\"]\n"
    );
    let mut built = folder.load(&text, &[]).unwrap();
    let count = built.world.simulation().system.rigids.attached().len();
    assert!(count > 1 && count < built.info.bodies[1].vertices.len(), "{count}");
    steps(&mut built, 300);
    assert!(loosest(&built) < LOOSE);
    let load = built.world.simulation().system.joints.loads()[0];
    assert!((load.force.z / (1.2 * 9.81) - 1.0).abs() < 0.01, "{load:?}");
}

#[test]
fn cloth_nets_and_points_hang_from_a_rod_too() {
    let upper = "plane = { point = [0, 0.2, 0], normal = [0, 1, 0] }";
    hangs(
        "position = [0, 0, 0.75]\nrotation = [1.5707963267948966, 0, 0]\n\
         mesh = { kind = \"cloth\", size = [0.4, 0.4], vertices = [5, 5] }\n\
         material = { kind = \"springs\", stiffness = 300, damping = 2 }",
        upper,
    );
    hangs(
        "position = [0, 0, 0.9]\n\
         mesh = { kind = \"spring-network\", positions = [[0, 0, 0], [0.1, 0, 0], [0.05, 0, -0.1]], \
         edges = [[0, 1], [1, 2], [2, 0]] }\n\
         material = { kind = \"springs\", stiffness = 300, damping = 2 }",
        "vertices = [0, 1]",
    );
    hangs(
        "position = [0, 0, 0.7]\nextract = \"points\"\n\
         mesh = { kind = \"cuboid\", size = [0.2, 0.2, 0.4], cells = [1, 1, 2] }\n\
         material = { kind = \"shape-matched\", rate = 100 }",
        "plane = { point = [0, 0, 0.2], normal = [0, 0, 1] }",
    );
}
