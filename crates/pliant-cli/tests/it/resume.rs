//! `pliant resume`: a run continues from its folder alone.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::{Folder, medit, pliant, reported};

/// A body that falls, made of a mesh file.
const FALLS: &str = "duration = 0.1\ndt = 0.01\n[parameters]\nyoung = 1e4\n[[bodies]]\nname = \"a\"\n\
                     mesh = { kind = \"file\", path = \"a.mesh\" }\n\
                     material = { kind = \"corotational\", young = \"=young\" }\n";

fn json(arguments: &[&str]) -> Value {
    let (code, stdout, stderr) = reported(&pliant(arguments));
    assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
    serde_json::from_str(&stdout).unwrap()
}

/// Scene, mesh and a folder to run into.
fn falls(name: &str) -> (Folder, [String; 2]) {
    let folder = Folder::new(name);
    folder.write("a.mesh", &medit("0 0 1"));
    let scene = folder.write("falls.toml", FALLS);
    let out = folder.0.join("out");
    let paths = [scene, out].map(|path| path.to_string_lossy().into_owned());
    (folder, paths)
}

#[test]
fn a_run_is_made_longer_without_its_arguments_and_its_scene() {
    let (folder, [scene, out]) = falls("resume-longer");
    let sets = ["--set", "young=2e4", "--set", "record.every=3", "--threads", "2"];
    let first = [&["run", &scene, "--out", &out, "--json"][..], &sets].concat();
    assert_eq!(json(&first)["steps"], 10);
    let marker: Value =
        serde_json::from_str(&fs::read_to_string(Path::new(&out).join("run.json")).unwrap())
            .unwrap();
    assert_eq!(marker["source"], scene.as_str());
    assert_eq!(marker["sets"], serde_json::json!(["young=2e4", "record.every=3"]));
    assert_eq!((&marker["threads"], &marker["steps"]), (&2.into(), &10.into()));
    fs::remove_file(&scene).unwrap();
    let longer = json(&["resume", &out, "--duration", "0.25", "--json"]);
    assert_eq!((&longer["steps"], &longer["ended"]), (&25.into(), &"finished".into()));
    assert_eq!(longer["threads"], 2);

    fs::write(&scene, FALLS).unwrap();
    let whole = folder.0.join("whole").to_string_lossy().into_owned();
    let sets = [&sets[..], &["--set", "duration=0.25"]].concat();
    let expected = json(&[&["run", &scene, "--out", &whole, "--json"][..], &sets].concat());
    assert_eq!(longer["digest"], expected["digest"]);
    let file = |out: &str, name: &str| fs::read_to_string(Path::new(out).join(name)).unwrap();
    assert_eq!(file(&out, "series.csv"), file(&whole, "series.csv"));
    assert_eq!(file(&out, "scene.toml"), file(&whole, "scene.toml"));

    // What it was made longer to is remembered.
    let (code, table, note) = reported(&pliant(&["resume", &out]));
    assert!(code == 0 && table.starts_with("falls: finished\n"), "{table}");
    assert!(note.contains("the run is finished already; `pliant resume` with a longer"), "{note}");
    let (code, _, complaint) = reported(&pliant(&["resume", &out, "--duration", "0.2"]));
    assert!(
        code == 2 && complaint.contains("made 0.25 s already, more than the 0.2 s"),
        "{complaint}"
    );
}

#[cfg(unix)]
#[test]
fn a_run_that_was_interrupted_continues_from_its_folder() {
    let folder = Folder::new("resume-interrupted");
    let out = folder.0.join("out");
    let path = out.to_str().unwrap();
    let arguments = ["run", "block", "--set", "duration=500", "--out", path];
    let (code, _, complaint) = crate::run::interrupted(&arguments, &out.join("recording.pliant"));
    assert_eq!(code, 130, "{complaint}");
    let summary = fs::read_to_string(out.join("summary.json")).unwrap();
    let half: Value = serde_json::from_str(&summary).unwrap();
    let steps = half["steps"].as_u64().unwrap() + 7;
    let duration = (steps as f64 * half["dt"].as_f64().unwrap()).to_string();
    let rest = json(&["resume", path, "--duration", &duration, "--json"]);
    let whole = folder.0.join("whole");
    let set = format!("duration={duration}");
    let expected =
        json(&["run", "block", "--set", &set, "--json", "--out", whole.to_str().unwrap()]);
    assert_eq!((&rest["steps"], &rest["digest"]), (&steps.into(), &expected["digest"]));
}

#[test]
fn a_run_that_was_killed_before_its_scene_was_written_starts_from_its_arguments() {
    let (_folder, [scene, out]) = falls("resume-killed");
    json(&["run", &scene, "--out", &out, "--json", "--set", "young=2e4"]);
    for name in fs::read_dir(&out).unwrap() {
        let path = name.unwrap().path();
        if !path.ends_with("run.json") {
            fs::remove_file(path).unwrap();
        }
    }
    assert_eq!(json(&["resume", &out, "--json"])["steps"], 10);
    let scene = fs::read_to_string(Path::new(&out).join("scene.toml")).unwrap();
    assert!(scene.contains("# young = 2e4") || scene.contains("# young = 20000.0"), "{scene}");
}

#[test]
fn what_cannot_be_continued_says_why() {
    let (folder, [scene, out]) = falls("resume-refused");
    json(&["run", &scene, "--out", &out, "--json"]);
    let missing = folder.0.join("missing").to_string_lossy().into_owned();
    let run_json = Path::new(&out).join("run.json");
    let toml = Path::new(&out).join("scene.toml");
    let before = fs::read_to_string(&toml).unwrap();
    let check = |arguments: &[&str], expected: &str| {
        let (code, stdout, stderr) = reported(&pliant(arguments));
        assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
        assert!(stderr.contains(expected), "{stderr}");
    };
    check(&["resume", &missing], "missing: No such file or directory");
    check(
        &["resume", folder.0.to_str().unwrap()],
        "not a pliant run directory (it has no run.json)",
    );
    check(&["resume", &out, "--duration", "-1"], "duration");
    check(&["resume", &out, "--duration", "nan"], "duration");
    fs::write(&toml, before.replace("20000", "30000").replace("10000", "30000")).unwrap();
    check(&["resume", &out, "--duration", "1"], "another scene (`falls`");
    fs::write(&toml, "duration = \n").unwrap();
    check(&["resume", &out], "scene.toml:1:");
    fs::write(&toml, before).unwrap();
    folder.write("a.mesh", &medit("0 0 2"));
    check(&["resume", &out, "--duration", "1"], "another scene (`falls`");
    fs::write(&run_json, "{ \"format\": 2, ").unwrap();
    check(&["resume", &out], "run.json: damaged, or not of a pliant run: EOF while parsing");
    check(&["info", &out], "run.json: damaged, or not of a pliant run: EOF while parsing");
}
