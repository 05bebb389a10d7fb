//! Keys of single responses, and the scenes that set responses against each other.

use pliant::world::WorldError;
use pliant_scene::loaded::LoadedScene;

use crate::scene::{Folder, after, load, refused, with};

/// Scenes of the papers' experiments on responses.
const COMPARED: [&str; 7] = [
    "assorted",
    "cubes-on-membrane",
    "elasticities",
    "fine-on-coarse",
    "head-on",
    "membrane-stack",
    "two-points",
];

/// Way of a contact surface that is not noise, m.
const CLEAR: f64 = 0.02;

fn steps(built: &mut LoadedScene, count: usize) -> Result<(), WorldError> {
    (0..count).try_for_each(|_| built.world.step().map(drop))
}

/// Two balls that overlap, under a response.
fn overlapping(response: &str, more: &str) -> String {
    format!(
        "duration = 1\ndt = 0.01\ngravity = [0, 0, 0]\nresponse = \"{response}\"\n{more}\n\
         [[bodies]]\nname = \"a\"\nmesh = {{ kind = \"ball\", radius = 1, layers = 2 }}\n\
         material = {{ kind = \"corotational\", young = 1e4 }}\n\
         [[bodies]]\nname = \"b\"\nmesh = {{ kind = \"ball\", radius = 0.7, layers = 2 }}\n\
         position = [1.4, 0.3, 0.2]\nrotation = [0.3, 0.2, 0.1]\n\
         material = {{ kind = \"corotational\", young = 3e4 }}\n"
    )
}

#[test]
fn each_correction_of_the_contact_surface_can_be_had_as_printed() {
    let folder = Folder::new("printed");
    let run = |printed: &str| {
        let text = overlapping("surface", &format!("contact.uncorrected = {printed}"));
        after(folder.load(&text, &[]).unwrap(), 5)
    };
    let mut found = vec![run("[]")];
    for name in ["way-out-sign", "halving-steps", "area-weights", "exit-weights", "missing-weight"]
    {
        let digest = run(&format!("[\"{name}\"]"));
        assert!(!found.contains(&digest), "{name}");
        found.push(digest);
    }
    assert!(!found.contains(&run("[\"S1\", \"S4\"]")));
    assert_eq!(run("[\"S4\", \"S1\", \"S4\"]"), run("[\"S1\", \"S4\"]"));
}

#[test]
fn inner_vertices_move_with_the_contact_surface_only_as_printed() {
    // Deep enough that the middle of the small ball is inside the large one.
    let folder = Folder::new("inner");
    let deep = overlapping("surface", "").replace("[1.4, 0.3, 0.2]", "[0.6, 0.1, 0.1]");
    let run = |sets: &[&str]| after(folder.load(&deep, sets).unwrap(), 2);
    assert_ne!(run(&[]), run(&["contact.uncorrected=['own-inside']"]));
}

#[test]
fn the_contact_surface_is_sought_as_often_as_the_scene_says() {
    let folder = Folder::new("iterations");
    let text = overlapping("surface", "");
    let run = |sets: &[&str]| after(folder.load(&text, sets).unwrap(), 5);
    assert_eq!(run(&[]), run(&["contact.iterations=4"]));
    assert_ne!(run(&[]), run(&["contact.iterations=1"]));
    let reported = "the number of iterations of a contact surface is 0: it must be 1 to 52";
    let error = folder.load(&text, &["contact.iterations=0"]).unwrap_err().to_string();
    assert!(error.contains(reported), "{error}");
}

#[test]
fn whole_bodies_come_first_in_the_contact_surface_where_the_scene_says_so() {
    let folder = Folder::new("first");
    let text = overlapping("surface", "");
    let run = |sets: &[&str]| after(folder.load(&text, sets).unwrap(), 5);
    assert_eq!(run(&[]), run(&["contact.order=vertices"]));
    let [approach, settling] =
        ["approach", "settling"].map(|first| run(&[&format!("contact.order={first}")]));
    assert!(approach != run(&[]) && settling != run(&[]) && settling != approach);
    refused(&with(""), &["contact.order=body"], "`vertices`, `approach`, `settling`", "body");
}

#[test]
fn unknown_corrections_are_refused_with_the_nearest() {
    refused(
        &with(""),
        &["contact.uncorrected=['missing-wieght']"],
        "did you mean `missing-weight`?",
        "['missing-wieght']",
    );
    let all = "`way-out-sign`, `halving-steps`, `area-weights`, `exit-weights`, `own-inside`, `missing-weight`";
    refused(
        &with(""),
        &["contact.uncorrected=['way-out-sign', 'sign']"],
        all,
        "['way-out-sign', 'sign']",
    );
}

#[test]
fn springs_within_the_step_push_farther_and_need_an_integrator_that_solves_them() {
    let folder = Folder::new("implicit");
    for response in ["penalty", "closest", "buffer"] {
        let text = overlapping(response, "");
        let way = |sets: &[&str]| {
            let mut built = folder.load(&text, sets).unwrap();
            let range = built.info.bodies[1].vertices.clone();
            let sum = |built: &LoadedScene| -> f64 {
                built.world.simulation().state.positions[range.clone()].iter().map(|p| p.x).sum()
            };
            let start = sum(&built);
            steps(&mut built, 1).unwrap();
            sum(&built) - start
        };
        // Free masses with f of m/dt² go f of the depth as forces, f / (1 + f) as springs:
        // with 0.1 and 10 that is 9 times as far, less what the materials hold.
        let (forces, springs) = (way(&[]), way(&["contact.implicit=true"]));
        assert!(forces > 0.0 && springs > 2.0 * forces, "{response}: {springs} {forces}");
        for integrator in ["integrator=rk4", "integrator.newton_iterations=3"] {
            let sets = [integrator, "contact.implicit=true"];
            let reported = "the integrator does not solve springs of contact";
            refused(&text, &sets, reported, "true");
        }
        folder.load(&text, &["integrator=rk4"]).unwrap();
    }
    // Others have no springs, so that responses can be compared with one set of keys.
    let text = overlapping("impulse", "");
    folder.load(&text, &["integrator=rk4", "contact.implicit=true"]).unwrap();
}

#[test]
fn a_plane_parts_a_body_into_materials() {
    let folder = Folder::new("halves");
    let text = |normal: &str, more: &str| {
        format!(
            "duration = 1\ndt = 0.01\n[[bodies]]\nname = \"a\"\nscale = 2\n\
             mesh = {{ kind = \"cuboid\", size = [1, 1, 1], cells = [2, 2, 2] }}\n\
             material = {{ kind = \"none\", density = 100 }}\n[[bodies.regions]]\n\
             plane = {{ point = [0, 0, 0], normal = {normal} }}\n\
             material = {{ kind = \"corotational\", young = 1e4, density = 300 }}\n{more}"
        )
    };
    let mass = |text: &str| {
        folder.load(text, &[]).map(|built| built.world.simulation().system.masses.total()).unwrap()
    };
    // Half of 8 m³ each: 4 · 100 + 4 · 300.
    assert!((mass(&text("[1, 0, 0]", "")) - 1600.0).abs() < 1e-9);
    assert!((mass(&text("[0, 0, -1]", "")) - 1600.0).abs() < 1e-9);
    // A quarter of the whole to the second: the first plane counts where both claim.
    let second = "[[bodies.regions]]\nplane = { point = [0, 0, 0], normal = [0, 1, 0] }\n\
                  material = { kind = \"corotational\", young = 1e4, density = 500 }\n";
    assert!((mass(&text("[1, 0, 0]", second)) - 2400.0).abs() < 1e-9);
    refused(&text("[0, 0, 0]", ""), &[], "of a plane has no direction", "plane");
    let far = ["bodies.0.regions.0.plane.point=[9,0,0]"];
    refused(&text("[1, 0, 0]", ""), &far, "no tet is beyond the plane", "plane");
    let both = ["bodies.0.regions.0.region=0"];
    let error = folder.load(&text("[1, 0, 0]", ""), &both).unwrap_err().to_string();
    assert!(error.contains("exactly one of `region` and `plane`"), "{error}");
}

#[test]
fn compared_scenes_step_under_every_response_that_is_compared() {
    for scene in COMPARED {
        for response in ["penalty", "surface"] {
            let mut built = load(scene, &[&format!("response={response}")]).unwrap();
            assert_eq!(built.info.response, response);
            steps(&mut built, 3).unwrap();
            let state = &built.world.simulation().state;
            assert!(state.positions.iter().chain(&state.velocities).all(|v| v.is_finite()));
        }
    }
}

/// Vertices and surface triangles of a scene must be these.
#[track_caller]
fn check_counts(scene: &str, vertices: usize, triangles: usize) {
    let built = load(scene, &[]).unwrap();
    let bodies = &built.world.simulation().system.bodies;
    assert_eq!((bodies.vertex_count(), bodies.triangles().len()), (vertices, triangles));
}

#[test]
fn scenes_have_the_sizes_of_the_papers() {
    check_counts("membrane-stack", 2178, 4320);
    check_counts("cubes-on-membrane", 323, 624);
    let built = load("head-on", &[]).unwrap();
    assert_eq!(built.world.simulation().system.bodies.tets().len(), 1250);
}

#[test]
fn a_stiffer_block_presses_the_contact_surface_into_a_softer_one() {
    let mut built = load("elasticities", &["ratio=10", "press=0.2"]).unwrap();
    // The press has done its way after 1 s.
    steps(&mut built, 140).unwrap();
    let positions = &built.world.simulation().state.positions;
    // Middle of the upper face of a lower block, m above where it stood.
    let raised = |name: &str, x: f64| {
        let body = built.info.bodies.iter().find(|body| body.name == name).unwrap();
        let scene = load("elasticities", &[]).unwrap();
        let rest = &scene.world.simulation().state.positions;
        let near = |k: &usize| rest[*k].z > -0.01 && (rest[*k].x - x).abs() < 0.1;
        let found: Vec<usize> = body.vertices.clone().filter(near).collect();
        found.iter().map(|k| positions[*k].z - rest[*k].z).sum::<f64>() / found.len() as f64
    };
    let [same, stiffer, stiffest] =
        [("same-lower", -2.4), ("stiffer-lower", -0.8), ("stiffest-lower", 0.8)]
            .map(|(name, x)| raised(name, x));
    assert!(same < -0.08 && same > -0.12, "{same}"); // halfway
    assert!(stiffer < same - CLEAR && stiffest < stiffer, "{same} {stiffer} {stiffest}");
    let (soft, stiff) = (raised("halves-lower", 2.15), raised("halves-lower", 2.65));
    assert!(soft < stiff - CLEAR, "{soft} {stiff}");
}

#[test]
fn a_plank_rests_on_two_points() {
    let mut built = load("two-points", &[]).unwrap();
    let count = built.info.steps as usize;
    steps(&mut built, count).unwrap();
    let state = &built.world.simulation().state;
    let fastest = state.velocities.iter().fold(0.0, |most: f64, v| most.max(v.length()));
    assert!(fastest < 0.01, "{fastest}");
    // The upper edge of the block towards the plank's foot is nearest to the plank's plane.
    let plank = built.info.bodies[1].vertices.clone();
    let highest = state.positions[plank].iter().fold(0.0, |most: f64, p| most.max(p.z));
    assert!(highest > 0.7, "{highest}");
}
