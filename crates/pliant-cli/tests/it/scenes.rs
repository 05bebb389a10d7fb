//! `pliant scenes`, and scenes under `pliant check`.

use serde_json::Value;

use crate::{Folder, pliant, reported};

const GOOD: &str = "duration = 1\ndt = 0.01\n[[bodies]]\nname = \"a\"\n\
                    mesh = { kind = \"icosahedron\", radius = 1 }\n\
                    material = { kind = \"corotational\", young = 1e4 }\n";

#[test]
fn scenes_are_listed_with_their_parameters() {
    let (code, stdout, stderr) = reported(&pliant(&["scenes"]));
    assert_eq!((code, stderr.as_str()), (0, ""));
    for expected in
        ["curtain", "integrators", "block", "jelly-drop", "young=", "dt=0.005", "dt=\"=1/60\""]
    {
        assert!(stdout.contains(expected), "{expected}: {stdout}");
    }
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes")).unwrap();
    let is_scene = |path: &std::path::PathBuf| path.extension().is_some_and(|e| e == "toml");
    let scenes = files.map(|file| file.unwrap().path()).filter(is_scene).count();
    assert_eq!(stdout.lines().count(), 2 * scenes); // two of each
}

#[test]
fn a_scene_is_printed_and_an_unknown_one_refused() {
    let (code, stdout, _) = reported(&pliant(&["scenes", "block"]));
    assert_eq!(code, 0);
    let folder = Folder::new("printed");
    let path = folder.write("mine.toml", &stdout);
    assert_eq!(reported(&pliant(&["check", path.to_str().unwrap()])).0, 0);
    let (code, _, stderr) = reported(&pliant(&["scenes", "blok"]));
    assert_eq!((code, stderr.lines().count()), (2, 1));
    assert!(stderr.contains("did you mean `block`?"), "{stderr}");
}

#[test]
fn the_schema_is_json_and_describes_every_key() {
    let (code, stdout, _) = reported(&pliant(&["scenes", "--schema"]));
    let schema: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(code, 0);
    let keys = schema["properties"].as_object().unwrap();
    assert!(keys.contains_key("bodies") && keys.contains_key("dt"));
    assert!(keys.values().all(|key| key.get("description").is_some()), "{stdout}");
    assert_eq!(schema["properties"]["dt"]["pattern"], "^=");
    // What may be left out may be an expression too.
    let seed = &schema["$defs"]["Body"]["properties"]["mass"];
    assert_eq!(seed["type"], serde_json::json!(["number", "null", "string"]), "{seed}");
}

#[test]
fn a_checked_scene_has_the_fields_that_programs_rely_on() {
    let folder = Folder::new("checked");
    let good = folder.write("good.toml", GOOD);
    let bad = folder.write("bad.toml", &format!("{GOOD}positon = 1\nspin = [0, 0]\n"));
    let missing = folder.0.join("missing.toml");
    let paths = [&good, &bad, &missing].map(|path| path.to_str().unwrap());
    let (code, stdout, stderr) =
        reported(&pliant(&["check", "--json", paths[0], paths[1], paths[2]]));
    assert_eq!(code, 2);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let expected = serde_json::json!({
        "file": paths[0], "kind": "scene", "vertices": 13, "tets": 20, "triangles": 20,
        "problems": [], "notices": []
    });
    assert_eq!(report["files"][0], expected);
    let problem = serde_json::json!({
        "kind": "unknown_key", "severity": "error", "count": 1, "first": [[7, 1]],
        "message": "unknown key `positon`; did you mean `position`?"
    });
    assert_eq!(report["files"][1]["problems"][0], problem);
    assert_eq!(report["files"][1]["problems"].as_array().unwrap().len(), 2);
    assert_eq!(report["files"][2]["kind"], Value::Null);
    assert!(stderr.contains("7 | positon = 1\n   | ^^^^^^^\nhelp: did you mean"), "{stderr}");
    let (code, stdout, stderr) = reported(&pliant(&["check", paths[0]]));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.contains("scene of 13 vertices, 20 tets"), "{stdout}");
}

#[test]
fn errors_of_a_checked_scene_are_printed_once() {
    let folder = Folder::new("once");
    let bad = folder.write("bad.toml", &format!("{GOOD}positon = 1\n"));
    let (code, stdout, stderr) = reported(&pliant(&["check", bad.to_str().unwrap()]));
    let all = format!("{stdout}{stderr}");
    assert_eq!((code, all.matches("did you mean").count()), (2, 1), "{all}");
    assert!(stdout.contains("not usable, 1 error"), "{stdout}");
    // An error without a place has no empty list of places either.
    let empty = folder.write("empty.toml", "");
    let (code, stdout, stderr) = reported(&pliant(&["check", empty.to_str().unwrap()]));
    assert_eq!(code, 2);
    assert!(!stdout.contains('…') && stderr.contains("the scene is empty"), "{stdout}{stderr}");
}
