//! Scenes of outlines in the plane: what they do, keep and refuse.

use pliant::snapshot::Snapshot;
use pliant_plane::overlap::Measure;
use pliant_scene::digest::digest;
use pliant_scene::loaded::LoadedScene;

use crate::scene::{Folder, after};

/// Momentum that a solver of tolerance 1e-12 may lose in 120 steps, relative to all of it.
const SOLVED: f64 = 1e-10;

const DISC: &str =
    "mesh = { kind = \"outline\", shape = { kind = \"disc\", radius = 0.5, points = 20 } }\n";
const PLATE: &str = "mesh = { kind = \"outline\", shape = { kind = \"rings\", \
     rings = [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]], [[0.3, 0.3], [0.7, 0.3], [0.5, 0.6]]] } }\n";

/// A rigid disc that flies at a soft one, a plate with a hole and a wall.
fn scene(response: &str) -> String {
    format!(
        "duration = 2\ndt = \"=1/120\"\ngravity = [0, 0, 0]\nresponse = \"{response}\"\n\
         [integrator]\nkind = \"implicit-euler\"\ntolerance = 1e-12\n\
         [[bodies]]\nname = \"rigid\"\n{DISC}velocity = [2, 0.2, 0]\nspin = [0, 0, 3]\n\
         material = {{ kind = \"rigid\", density = 10 }}\n\
         [[bodies]]\nname = \"soft\"\n{DISC}position = [1.3, 0.1, 0]\n\
         material = {{ kind = \"ring\", stiffness = 2000, damping = 1, bend = 500, area = 2000, \
         density = 10 }}\n\
         [[bodies]]\nname = \"plate\"\n{PLATE}position = [2, 0, 0]\nrotation = [0, 0, 0.3]\n\
         material = {{ kind = \"rigid\", density = 10 }}\n\
         [[bodies]]\nname = \"wall\"\nposition = [3.2, 0, 0]\nmaterial = {{ kind = \"fixed\" }}\n\
         mesh = {{ kind = \"outline\", shape = {{ kind = \"rectangle\", size = [0.2, 4] }} }}\n"
    )
}

fn steps(built: &mut LoadedScene, count: usize) {
    for _ in 0..count {
        built.world.step().unwrap();
    }
}

#[test]
fn outlines_meet_in_the_plane_and_stay_there() {
    let folder = Folder::new("plane");
    for response in ["penalty", "impulse"] {
        let mut built = folder.load(&scene(response), &[]).unwrap();
        assert_eq!(built.info.bodies[2].kind, "outline");
        assert_eq!(built.info.bodies[2].rings.iter().map(Vec::len).collect::<Vec<_>>(), [4, 3]);
        let held: Vec<bool> = built.info.bodies.iter().map(|body| body.held).collect();
        assert_eq!(held, [false, false, false, true]);
        let start =
            built.world.simulation().state.momentum(&built.world.simulation().system.masses);
        let (mut measure, mut shared) = {
            let sim = built.world.simulation();
            (Measure::new(&sim.state.positions, &sim.system.bodies), 0)
        };
        for _ in 0..120 {
            steps(&mut built, 1);
            let sim = built.world.simulation();
            let vertices = sim.state.positions.iter().chain(&sim.state.velocities);
            assert!(vertices.into_iter().all(|v| v.z == 0.0));
            let found = measure.measure(&sim.state.positions, &sim.system.bodies);
            shared += found.penetrating_vertices + found.edge_crossings;
        }
        assert_eq!(shared == 0, response == "impulse", "{response} {shared}");
        let sim = built.world.simulation();
        assert!(
            sim.external_impulse_total.x < -1.0,
            "the wall was not met: {}",
            sim.external_impulse_total
        );
        let lost = sim.state.momentum(&sim.system.masses) - start - sim.external_impulse_total;
        assert!(lost.length() < SOLVED * start.length(), "{response}: {lost}");
    }
}

#[test]
fn threads_checkpoints_and_the_resolved_scene_give_the_same_bits() {
    let folder = Folder::new("plane-bits");
    for response in ["penalty", "impulse"] {
        let load = || folder.load(&scene(response), &[]).unwrap();
        let whole = after(load(), 80);
        let mut threads = load();
        threads.world.set_threads(2);
        assert_eq!(after(threads, 80), whole);
        let mut half = load();
        steps(&mut half, 45);
        let mut memory = Snapshot::default();
        half.world.simulation().save(&mut memory);
        let mut resumed = load();
        let numbers = memory.numbers().to_vec();
        resumed.world.simulation_mut().restore(&mut Snapshot::from_numbers(numbers)).unwrap();
        assert_eq!(after(resumed, 35), whole);
        let resolved = half.resolved.clone();
        assert_eq!(after(folder.load(&resolved, &[]).unwrap(), 80), whole);
    }
}

#[test]
fn a_motor_turns_an_outline_about_its_hinge() {
    let text = format!(
        "duration = 1\ndt = 0.01\ngravity = [0, 0, 0]\n[integrator]\nkind = \"symplectic-euler\"\n\
         [[bodies]]\nname = \"wheel\"\n{PLATE}material = {{ kind = \"rigid\", density = 1 }}\n\
         [[joints]]\nkind = \"hinge\"\nbodies = [\"wheel\"]\naxis = [0, 0, 1]\n\
         motor = {{ speed = 2, torque = 100 }}\n"
    );
    let folder = Folder::new("motor");
    for kind in ["symplectic-euler", "implicit-euler"] {
        let set = format!("integrator.kind={kind}");
        let mut built = folder.load(&text, &[&set]).unwrap();
        let before = built.world.simulation().state.rigids[0];
        steps(&mut built, 100);
        let after = built.world.simulation().state.rigids[0];
        assert!((after.spin.z - 2.0).abs() < 1e-9, "{kind}: {}", after.spin);
        assert!(after.centre.abs_diff_eq(before.centre, 1e-9), "{kind}: {}", after.centre);
        let tilt = [after.spin.x, after.spin.y, after.turn.x, after.turn.y, after.centre.z];
        assert_eq!(tilt, [0.0; 5], "{kind}");
    }
}

#[test]
fn a_solid_moves_by_its_shadow() {
    let car = |name: &str, x: f64, speed: f64| {
        format!(
            "[[bodies]]\nname = \"{name}\"\nposition = [{x}, 0, 0]\nvelocity = [{speed}, 0, 0]\n\
             mesh = {{ kind = \"ball\", radius = 0.5, layers = 2 }}\nextract = \"outline\"\n\
             material = {{ kind = \"rigid\", density = 10 }}\n"
        )
    };
    let text = format!(
        "duration = 1\ndt = 0.01\ngravity = [0, 0, 0]\nresponse = \"impulse\"\n\
         contact.restitution = 1\n{}{}",
        car("a", 0.0, 1.0),
        car("b", 1.2, 0.0)
    );
    let folder = Folder::new("shadow");
    let mut built = folder.load(&text, &[]).unwrap();
    let info = built.info.bodies[0].clone();
    assert!(!info.triangles.is_empty() && info.rings.len() == 1);
    let heights: Vec<f64> =
        info.vertices.map(|v| built.world.simulation().state.positions[v].z).collect();
    steps(&mut built, 100);
    let state = &built.world.simulation().state;
    // Two of a kind exchange their speeds, and heights stay.
    assert!(state.rigids[0].velocity.x.abs() < 1e-9, "{}", state.rigids[0].velocity);
    assert!((state.rigids[1].velocity.x - 1.0).abs() < 1e-9, "{}", state.rigids[1].velocity);
    let moved = heights.iter().zip(&state.positions).map(|(z, p)| (p.z - z).abs());
    assert!(moved.fold(0.0, f64::max) < 1e-15);
    assert_eq!([state.rigids[0].centre.z, state.rigids[0].turn.x], [0.0; 2]);
    assert_ne!(digest(state), "");
}

/// The scene must be refused with this message, at a line that has this text.
#[track_caller]
fn refused(text: &str, sets: &[&str], expected: &str, line: &str) {
    let folder = Folder::new(&format!("outline-{}", text.len() + expected.len()));
    let reported = folder.load(text, sets).unwrap_err().to_string();
    assert!(reported.contains(expected) && reported.contains(line), "{reported}");
}

#[test]
fn what_leads_out_of_the_plane_is_refused_at_its_place() {
    let penalty = scene("penalty");
    let bad = |from: &str, to: &str| penalty.replacen(from, to, 1);
    let gravity = bad("gravity = [0, 0, 0]\n", "gravity = [0, 0, -9.81]\n");
    refused(&gravity, &[], "gravity leads out of the plane", "gravity");
    refused(&bad("[1.3, 0.1, 0]", "[1.3, 0.1, 1]"), &[], "the position leads", "[1.3");
    refused(&bad("[0, 0, 0.3]", "[0, 0.1, 0.3]"), &[], "the rotation leads", "[0, 0.1");
    refused(&scene("constraint"), &[], "have no response constraint", "response = \"constraint\"");
    let obstacle =
        format!("{penalty}[[obstacles]]\nname = \"floor\"\nshape = {{ kind = \"plane\" }}\n");
    refused(&obstacle, &[], "obstacles do not collide with outlines", "[[obstacles]]");
    let few = bad("[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]", "[0, 0], [1, 0]");
    refused(&few, &[], "ring 0 has 2 different points", "[0, 0], [1, 0]");
    let elastic = "bodies.1.material={kind='corotational',young=1e4}";
    refused(&penalty, &[elastic], "an outline can be rigid, ring, fixed", "corotational");
    let near = scene("impulse").replacen("[1.3, 0.1, 0]", "[0.5, 0.1, 0]", 1);
    refused(&near, &[], "bodies 0 and 1 overlap or touch at the start", "[[bodies]]");
    let layers = "bodies.0.pattern={kind='grid',counts=[1,1,2],spacing=[0,0,1]}";
    refused(&penalty, &[layers], "the pattern leads outlines", "grid");
}

#[test]
fn solids_and_outlines_pass_through_each_other_and_it_is_told() {
    let text = format!(
        "{}[[bodies]]\nname = \"solid\"\nmesh = {{ kind = \"ball\", radius = 1, layers = 2 }}\n\
         material = {{ kind = \"corotational\", young = 1e4 }}\n",
        scene("penalty")
    );
    let folder = Folder::new("mixed");
    let mut built = folder.load(&text, &[]).unwrap();
    assert!(built.notices.iter().any(|n| n.contains("outlines collide only with outlines")));
    let solid = built.info.bodies[4].vertices.clone();
    let before = built.world.simulation().state.positions[solid.clone()].to_vec();
    // The same with the solid elsewhere, so that sums run over as many unknowns.
    let apart = {
        let mut apart = folder.load(&(text + "position = [0, 0, 64]\n"), &[]).unwrap();
        steps(&mut apart, 30);
        apart.world.simulation().state.rigids.clone()
    };
    steps(&mut built, 30);
    assert_eq!(built.world.simulation().state.rigids, apart);
    let after = &built.world.simulation().state.positions[solid];
    let moved = before.iter().zip(after).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    assert!(moved < 1e-9, "{moved}");
    let sim = built.world.simulation();
    let found = Measure::new(&sim.state.positions, &sim.system.bodies)
        .measure(&sim.state.positions, &sim.system.bodies);
    assert!(found.penetrating_vertices < 10, "vertices in the solid do not count: {found:?}");
}

#[test]
fn an_outline_of_a_file_is_turned_and_scaled_about_its_middle() {
    let folder = Folder::new("centre");
    // An L of three unit squares far from the origin: its box is 2 m × 2 m.
    let corners = "[10,20],[12,20],[12,21],[11,21],[11,22],[10,22],[10,20]";
    folder.write("l.json", &format!("[[{corners}]]"));
    // Centres of the squares from the lower left corner: 0.5, 1.5, 0.5 of three, either way.
    let of_area = 2.5 / 3.0;
    for (centre, from_corner) in [("centre = \"area\"", of_area), ("centre = \"box\"", 1.0)] {
        let text = format!(
            "duration = 1\ndt = 0.01\ngravity = [0, 0, 0]\n[[bodies]]\nname = \"l\"\n\
             mesh = {{ kind = \"outline\", shape = {{ kind = \"file\", path = \"l.json\", {centre} }} }}\n\
             scale = 2\nrotation = [0, 0, \"=pi/2\"]\nposition = [5, 6, 0]\n\
             material = {{ kind = \"rigid\", density = 1 }}\n"
        );
        let built = folder.load(&text, &[]).unwrap();
        // A quarter turn takes (x, y) to (−y, x).
        let corner = built.world.simulation().state.positions[0];
        let expected = [5.0 + 2.0 * from_corner, 6.0 - 2.0 * from_corner];
        assert!((corner.x - expected[0]).abs() < 1e-12 && (corner.y - expected[1]).abs() < 1e-12);
        let middle = built.world.simulation().state.rigids[0].centre;
        let off = 2.0 * (of_area - from_corner);
        assert!((middle.x - (5.0 - off)).abs() < 1e-12 && (middle.y - (6.0 + off)).abs() < 1e-12);
    }
    let bad = scene("penalty").replacen("{ kind = \"disc\"", "{ kind = \"file\", centre = 3", 1);
    assert!(folder.load(&bad, &[]).is_err());
}
