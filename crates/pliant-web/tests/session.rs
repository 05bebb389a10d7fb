//! A session does what its commands say, with the program's own bits, and refuses in one sentence.

use std::fmt::Write as _;

use pliant_run::recording::Recording;
use pliant_web::Session;
use serde_json::{Value, json};

/// A cube of edge 1 as quadrilaterals.
const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

/// Rectangles on a common floor: heavy enough to settle in a second.
const SVG: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 4 4\">\
    <path d=\"M0 0H4V2H2V4H0Z\"/></svg>";

fn session() -> Session {
    Session::new(|| 0.0)
}

/// The answer to a command.
fn answer_to(session: &mut Session, command: &Value) -> Value {
    session.call(command.to_string().as_bytes());
    session.answer()
}

/// The answer to a command that is done.
#[track_caller]
fn done(session: &mut Session, command: &Value) -> Value {
    let answer = answer_to(session, command);
    assert_eq!(answer.get("error"), None, "{command}");
    answer
}

fn put(session: &mut Session, name: &str, contents: &[u8]) {
    session.put_file([name.as_bytes(), contents].concat(), name.len());
}

#[test]
fn steps_give_the_bits_of_the_program() {
    for (scene, steps) in [("two-cubes", 12), ("incline", 20), ("map", 30), ("integrators", 50)] {
        let mut session = session();
        done(&mut session, &json!({ "op": "load", "name": scene }));
        let made = done(&mut session, &json!({ "op": "step", "count": steps }));
        assert_eq!(made["steps"], steps);
        let found = done(&mut session, &json!({ "op": "digest" }))["digest"].clone();
        let mut native = pliant_run::scene::load(scene, &[]).unwrap();
        for _ in 0..steps {
            native.world.step().unwrap();
        }
        let expected = pliant_scene::digest::digest(&native.world.simulation().state);
        assert_eq!(found, expected, "{scene}");
    }
}

#[test]
fn looking_changes_nothing() {
    let digest_after = |look: bool| {
        let mut session = session();
        done(&mut session, &json!({ "op": "load", "name": "two-cubes" }));
        for _ in 0..5 {
            done(&mut session, &json!({ "op": "step", "count": 2 }));
            if look {
                done(&mut session, &json!({ "op": "frame", "colour": "depth" }));
                done(&mut session, &json!({ "op": "measure" }));
                let kinds = ["border", "crossings", "exits", "rings", "contacts", "surface"];
                done(&mut session, &json!({ "op": "overlays", "kinds": kinds }));
            }
        }
        done(&mut session, &json!({ "op": "digest" }))["digest"].clone()
    };
    assert_eq!(digest_after(true), digest_after(false));
}

#[test]
fn a_frame_has_three_numbers_a_vertex_and_one_of_the_colour() {
    let mut session = session();
    let scene = done(&mut session, &json!({ "op": "load", "name": "fine-on-coarse" }));
    for (colour, each) in [("body", 3), ("speed", 4), ("depth", 4), ("pressure", 4)] {
        let frame = done(&mut session, &json!({ "op": "frame", "colour": colour }));
        assert_eq!(frame["vertices"], scene["vertices"]);
        let vertices = frame["vertices"].as_u64().unwrap() as usize;
        assert_eq!(session.output().floats.len(), each * vertices, "{colour}");
    }
}

#[test]
fn bodies_in_each_other_have_marks_of_every_stage() {
    let mut session = session();
    done(&mut session, &json!({ "op": "load", "name": "two-cubes" }));
    let kinds = ["border", "crossings", "exits", "rings", "surface"];
    let marks = done(&mut session, &json!({ "op": "overlays", "kinds": kinds }));
    let mut floats = 0;
    for found in marks.as_array().unwrap() {
        let [dots, lines] = ["dots", "lines"].map(|what| found[what].as_u64().unwrap());
        assert!(dots + lines > 0, "{found}");
        floats += 6 * dots + 12 * lines;
    }
    assert_eq!(marks.as_array().unwrap().len(), kinds.len());
    assert_eq!(session.output().floats.len() as u64, floats);
}

#[test]
fn a_switch_keeps_where_everything_is() {
    let mut session = session();
    done(&mut session, &json!({ "op": "load", "name": "two-cubes", "sets": ["speed=1"] }));
    done(&mut session, &json!({ "op": "step", "count": 7 }));
    let before = done(&mut session, &json!({ "op": "digest" }));
    for set in ["response=penalty", "integrator=implicit-midpoint", "bodies.0.material=neo-hookean"]
    {
        let sets = ["speed=1", "response=penalty", set];
        let scene = done(&mut session, &json!({ "op": "switch", "sets": sets }));
        assert_eq!(done(&mut session, &json!({ "op": "digest" })), before, "{set}");
        assert!((scene["time"].as_f64().unwrap() - 7.0 / 60.0).abs() < 1e-12);
    }
    let made = done(&mut session, &json!({ "op": "step", "count": 3 }));
    assert_eq!((&made["steps"], &made["failed"]), (&json!(3), &Value::Null));
    let cells = json!({ "op": "switch", "sets": ["bodies.0.mesh.cells=[2,2,2]"] });
    let refused = answer_to(&mut session, &cells)["error"].clone();
    assert!(refused.as_str().unwrap().contains("start over"), "{refused}");
}

#[test]
fn what_is_grabbed_follows_the_hand_and_what_is_pinned_stays() {
    let mut session = session();
    done(&mut session, &json!({ "op": "load", "name": "two-cubes", "sets": ["overlap=0"] }));
    let x = |session: &mut Session| {
        done(session, &json!({ "op": "frame" }));
        session.output().floats[0]
    };
    let before = x(&mut session);
    done(&mut session, &json!({ "op": "grab", "body": 0, "point": [-1.0, 0.0, 0.0] }));
    done(&mut session, &json!({ "op": "drag", "point": [-1.5, 0.0, 0.0] }));
    done(&mut session, &json!({ "op": "step", "count": 40 }));
    let dragged = x(&mut session);
    assert!(dragged < before - 0.3, "{dragged}, {before}");
    done(&mut session, &json!({ "op": "release" }));
    let place = [0, 1, 2].map(|axis| session.output().floats[axis]);
    done(&mut session, &json!({ "op": "pin", "body": 0, "point": place }));
    done(&mut session, &json!({ "op": "step", "count": 20 }));
    assert_eq!(x(&mut session), dragged);
    done(&mut session, &json!({ "op": "unpin" }));
    let missing = answer_to(&mut session, &json!({ "op": "grab", "body": 9, "point": [0, 0, 0] }));
    assert_eq!(missing["error"], "body 9 does not exist: there are 2");
}

#[test]
fn a_recording_of_the_page_is_read_by_the_program() {
    let mut session = session();
    done(&mut session, &json!({ "op": "load", "name": "head-on" }));
    let none = answer_to(&mut session, &json!({ "op": "take-recording", "format": "glb" }));
    assert_eq!(none["error"], "nothing was recorded yet");
    done(&mut session, &json!({ "op": "record" }));
    done(&mut session, &json!({ "op": "step", "count": 160 }));
    let taken = done(&mut session, &json!({ "op": "take-recording", "format": "recording" }));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.pliant");
    std::fs::write(&path, &session.output().bytes).unwrap();
    let mut recording = Recording::open(&path).unwrap();
    assert!(recording.is_complete());
    assert_eq!(json!(recording.frames().len()), taken["frames"]);
    assert!(recording.frames().len() > 32, "a second frame that stands alone");
    assert_eq!(recording.info().scene, "head-on");
    let last = recording.read(recording.frames().len() - 1).unwrap();
    done(&mut session, &json!({ "op": "frame" }));
    let steps = last.step as usize;
    assert_eq!(steps, 160);
    assert_eq!(last.positions.as_flattened(), &session.output().floats[..]);
    let colours = [[74, 124, 196]];
    let glb = json!({ "op": "take-recording", "format": "glb", "colours": colours });
    done(&mut session, &glb);
    assert_eq!(&session.output().bytes[..4], b"glTF");
}

#[test]
fn a_surface_an_outline_and_a_scene_become_scenes_that_run() {
    let scene = "duration = 1\ndt = 0.01\n[[bodies]]\nname = \"a\"\n\
        mesh = { kind = \"file\", path = \"cube.obj\" }\nmaterial = { kind = \"rigid\" }\n";
    let mut session = session();
    put(&mut session, "cube.obj", CUBE.as_bytes());
    put(&mut session, "shape.svg", SVG.as_bytes());
    put(&mut session, "own.toml", scene.as_bytes());
    for (name, about) in
        [("cube.obj", "filled with"), ("shape.svg", "6 segments"), ("own.toml", "the scene")]
    {
        let made = done(&mut session, &json!({ "op": "drop", "name": name }));
        assert!(made["about"].as_str().unwrap().contains(about), "{made}");
        let load = json!({ "op": "load", "name": made["name"], "text": made["text"] });
        let scene = done(&mut session, &load);
        assert!(scene["vertices"].as_u64().unwrap() > 3, "{name}");
        let made = done(&mut session, &json!({ "op": "step", "count": 30 }));
        assert_eq!(made["failed"], Value::Null, "{name}");
    }
}

#[track_caller]
fn refused(session: &mut Session, name: &str, contents: &[u8], expected: &str) {
    put(session, name, contents);
    let answer = answer_to(session, &json!({ "op": "drop", "name": name }));
    let error = answer["error"].as_str().unwrap_or_default();
    assert!(error.contains(expected), "{name}: {answer}");
}

#[test]
fn broken_files_are_refused_with_their_place() {
    let mut session = session();
    done(&mut session, &json!({ "op": "load", "name": "two-points" }));
    refused(&mut session, "a.obj", b"v 0 0 zero\n", "line 1");
    refused(&mut session, "open.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "cannot be filled");
    refused(&mut session, "a.xyz", b"1 2 3", "is no scene (.toml), mesh");
    refused(&mut session, "a.svg", b"<svg", "a.svg");
    refused(&mut session, "a.toml", &[0xff, 0xfe], "not text in UTF-8");
    refused(&mut session, "flat.stl", b"solid a\nendsolid a\n", "flat.stl");
    // The scene from before runs on.
    assert_eq!(done(&mut session, &json!({ "op": "step", "count": 1 }))["steps"], 1);
}

#[test]
fn scenes_that_are_too_large_or_wrong_are_refused_and_the_one_before_stays() {
    let mut session = session();
    done(&mut session, &json!({ "op": "load", "name": "two-points" }));
    let huge = "duration = 1\ndt = 0.1\n[[bodies]]\nname = \"a\"\n\
        mesh = { kind = \"cuboid\", size = [1, 1, 1], cells = [1000, 1000, 200] }\n\
        material = { kind = \"corotational\", young = 1e5 }\n";
    let answer = answer_to(&mut session, &json!({ "op": "load", "name": "huge", "text": huge }));
    let error = answer["error"].as_str().unwrap();
    assert!(error.contains("1000000000 tets") && error.contains("pliant run"), "{error}");
    for (command, expected) in [
        (json!({ "op": "load", "name": "no-such" }), "there is no scene `no-such`"),
        (json!({ "op": "load", "name": "a", "text": "dt =" }), "a"),
        (
            json!({ "op": "load", "name": "two-cubes", "sets": ["overlp=1"] }),
            "did you mean `overlap`?",
        ),
        (json!({ "op": "dance" }), "the command cannot be parsed"),
        (json!({ "op": "field", "window": [[0, 0], [1, 1]], "pixels": 10 }), "no outlines"),
    ] {
        let answer = answer_to(&mut session, &command);
        assert!(answer["error"].as_str().is_some_and(|e| e.contains(expected)), "{answer}");
    }
    assert_eq!(done(&mut session, &json!({ "op": "step", "count": 2 }))["steps"], 2);
}

#[test]
fn a_scene_that_cannot_step_says_why_and_stays() {
    let mut session = session();
    let sets = ["integrator=explicit-euler", "dt=0.5", "stiffness=1e9", "duration=200"];
    done(&mut session, &json!({ "op": "load", "name": "integrators", "sets": sets }));
    let made = done(&mut session, &json!({ "op": "step", "count": 400 }));
    assert!(made["failed"].is_string(), "{made}");
    let steps = made["steps"].as_u64().unwrap();
    assert!(steps < 400);
    done(&mut session, &json!({ "op": "frame" }));
    assert!(session.output().floats.iter().all(|x| !x.is_nan()));
}

#[test]
fn the_field_is_the_distance_to_the_outlines_with_one_region_a_segment() {
    let mut session = session();
    let square = |name: &str, x: f64| {
        let mut text = String::new();
        write!(
            text,
            "[[bodies]]\nname = \"{name}\"\nposition = [{x:?}, 0, 0]\n\
             mesh = {{ kind = \"outline\", shape = {{ kind = \"rectangle\", size = [2, 2] }} }}\n\
             material = {{ kind = \"rigid\", density = 1 }}\n"
        )
        .unwrap();
        text
    };
    let head = "duration = 1\ndt = 0.01\ngravity = [0, 0, 0]\n\
        integrator = { kind = \"symplectic-euler\" }\n";
    let text = format!("{head}{}{}", square("a", 0.0), square("b", 10.0));
    done(&mut session, &json!({ "op": "load", "name": "squares", "text": text }));
    let field = json!({ "op": "field", "window": [[-3.0, -3.0], [3.0, 3.0]], "pixels": 60 });
    let drawn = done(&mut session, &field);
    let (width, segments) = (drawn["width"].as_u64().unwrap() as usize, 8);
    assert_eq!((width, drawn["segments"].as_u64()), (60, Some(segments)));
    let out = session.output();
    // The middle of pixel (30, 30) is (0.05, 0.05): 0.95 inside. That of (59, 30) is 1.95 outside.
    let at = |x: usize, y: usize| out.floats[y * width + x];
    assert!((at(30, 30) + 0.95).abs() < 1e-6 && (at(59, 30) - 1.95).abs() < 1e-6);
    // Before a corner one region, whatever tile a pixel is in.
    let corner: Vec<u32> = (45..60)
        .flat_map(|y| (45..60).map(move |x| (x, y)))
        .map(|(x, y)| out.indices[y * width + x])
        .collect();
    assert!(corner.iter().all(|site| *site == corner[0]), "{corner:?}");
}

#[test]
fn a_dropped_mesh_becomes_a_body_of_the_scene_that_is_there() {
    let mut session = session();
    done(&mut session, &json!({ "op": "load", "name": "two-cubes", "sets": ["speed=1"] }));
    done(&mut session, &json!({ "op": "step", "count": 7 }));
    done(&mut session, &json!({ "op": "frame" }));
    let before = session.output().floats.clone();
    let overlap = |session: &mut Session| {
        let measured = done(session, &json!({ "op": "measure" }));
        (measured["penetrating_vertices"].clone(), measured["edge_crossings"].clone())
    };
    let inside = overlap(&mut session);
    put(&mut session, "cube.obj", CUBE.as_bytes());
    for bodies in [3, 4] {
        let made = done(&mut session, &json!({ "op": "drop", "name": "cube.obj" }));
        assert_eq!(made["joins"], json!(true));
        let switch = json!({ "op": "switch", "sets": ["speed=1"], "text": made["text"] });
        let scene = done(&mut session, &switch);
        assert_eq!(scene["bodies"].as_array().unwrap().len(), bodies);
        assert!((scene["time"].as_f64().unwrap() - 7.0 / 60.0).abs() < 1e-12);
        done(&mut session, &json!({ "op": "frame" }));
        assert_eq!(session.output().floats[..before.len()], before[..]);
        assert_eq!(overlap(&mut session), inside, "it is put beside the others");
    }
    let made = done(&mut session, &json!({ "op": "step", "count": 20 }));
    assert_eq!(made["failed"], Value::Null);
    // A scene in the plane has no place for it.
    done(&mut session, &json!({ "op": "load", "name": "map" }));
    let made = done(&mut session, &json!({ "op": "drop", "name": "cube.obj" }));
    assert_eq!(made["joins"], json!(false));
}

#[test]
fn bodies_are_separated_at_once_and_keep_their_speed() {
    let mut session = session();
    done(&mut session, &json!({ "op": "load", "name": "two-cubes", "sets": ["overlap=0.5"] }));
    let inside = |session: &mut Session| {
        let measured = done(session, &json!({ "op": "measure" }));
        measured["penetrating_vertices"].as_f64().unwrap()
    };
    assert!(inside(&mut session) > 0.0);
    let found = done(&mut session, &json!({ "op": "separate" }));
    assert_eq!((&found["before"], &found["left"]), (&json!(1), &json!(0)), "{found}");
    assert_eq!((&found["near"], inside(&mut session)), (&json!(0), 0.0));
    // What is apart does not count as an overlap: at most it is nearer than the gap of now.
    let again = done(&mut session, &json!({ "op": "separate" }));
    assert_eq!(again["before"], again["near"], "{again}");
    let made = done(&mut session, &json!({ "op": "step", "count": 10 }));
    assert_eq!(made["failed"], Value::Null);
}

#[test]
fn stress_is_nothing_at_rest_and_something_under_load() {
    let mut session = session();
    done(&mut session, &json!({ "op": "load", "name": "two-cubes", "sets": ["speed=1"] }));
    let most = |session: &mut Session| {
        let frame = done(session, &json!({ "op": "frame", "colour": "stress" }));
        let vertices = frame["vertices"].as_u64().unwrap() as usize;
        let values = &session.output().floats[3 * vertices..];
        assert_eq!(values.len(), vertices);
        values.iter().copied().fold(0.0, f32::max)
    };
    assert!(most(&mut session) < 1e-3);
    done(&mut session, &json!({ "op": "step", "count": 20 }));
    assert!(most(&mut session) > 1.0);
}

#[test]
fn unpinning_leaves_the_pins_of_the_scene() {
    let mut session = session();
    done(&mut session, &json!({ "op": "load", "name": "curtain" }));
    let positions = |session: &mut Session| {
        let frame = done(session, &json!({ "op": "frame" }));
        let vertices = frame["vertices"].as_u64().unwrap() as usize;
        let floats = &session.output().floats[..3 * vertices];
        floats.chunks(3).map(|p| [p[0], p[1], p[2]]).collect::<Vec<_>>()
    };
    let start = positions(&mut session);
    done(&mut session, &json!({ "op": "step", "count": 20 }));
    let now = positions(&mut session);
    let held: Vec<usize> = (0..start.len()).filter(|k| start[*k] == now[*k]).collect();
    let free = (0..start.len()).find(|k| start[*k] != now[*k]).unwrap();
    assert!(!held.is_empty());
    for vertex in [held[0], free] {
        done(&mut session, &json!({ "op": "pin", "body": 0, "point": now[vertex] }));
    }
    done(&mut session, &json!({ "op": "step", "count": 3 }));
    assert_eq!(positions(&mut session)[free], now[free]);
    done(&mut session, &json!({ "op": "unpin" }));
    done(&mut session, &json!({ "op": "step", "count": 20 }));
    let then = positions(&mut session);
    assert!(held.iter().all(|k| then[*k] == start[*k]), "the scene's own pins are gone");
    assert_ne!(then[free], now[free]);
}
