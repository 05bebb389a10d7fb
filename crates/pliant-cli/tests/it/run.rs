//! `pliant run` and `pliant info`.

use std::process::Command;
use std::time::Instant;

use crate::{Folder, PATIENCE, finished, medit, pliant, reported, started};

/// A scene that takes a fraction of a second.
const SCENE: [&str; 8] =
    ["run", "block", "--set", "dt=0.01", "--set", "duration=0.2", "--set", "record.every=1"];

/// The same, long enough to be interrupted.
const LONG: [&str; 4] = ["run", "block", "--set", "duration=500"];

fn run(folder: &Folder, more: &[&str]) -> (i32, String, String) {
    let out = folder.0.join("out").to_string_lossy().into_owned();
    reported(&pliant(&[&SCENE[..], &["--out", &out], more].concat()))
}

#[test]
fn a_run_ends_with_a_table_or_its_summary() {
    let folder = Folder::new("run-table");
    let (code, table, complaint) = run(&folder, &[]);
    assert_eq!((code, complaint.as_str()), (0, ""));
    assert!(table.starts_with("block: finished\n"), "{table}");
    let (code, json, complaint) = run(&folder, &["--force", "--json"]);
    assert_eq!((code, complaint.as_str()), (0, ""));
    let summary: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&summary["steps"], &summary["ended"]), (&20.into(), &"finished".into()));
    let file = std::fs::read_to_string(folder.0.join("out/summary.json")).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&file).unwrap(), summary);
    assert!(table.contains(summary["digest"].as_str().unwrap()));
}

#[test]
fn threads_change_nothing_but_their_number() {
    let folder = Folder::new("run-threads");
    let digest = |threads: &str| {
        let (code, json, _) = run(&folder, &["--force", "--json", "--threads", threads]);
        let summary: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!((code, summary["threads"].to_string().as_str()), (0, threads));
        summary["digest"].clone()
    };
    assert_eq!(digest("1"), digest("2"));
    assert_eq!(run(&folder, &["--force", "--threads", "0"]).0, 2);
}

#[test]
fn an_existing_folder_is_refused_and_a_finished_run_told() {
    let folder = Folder::new("run-exists");
    run(&folder, &[]);
    let (code, table, complaint) = run(&folder, &[]);
    assert_eq!((code, table.as_str(), complaint.lines().count()), (2, "", 1));
    assert!(complaint.contains("--resume") && complaint.contains("--force"), "{complaint}");
    let (code, table, note) = run(&folder, &["--resume"]);
    assert_eq!(code, 0);
    assert!(table.starts_with("block: finished\n") && note.contains("finished already"), "{note}");
    assert_eq!(run(&folder, &["--resume", "--force"]).0, 2);
}

#[test]
fn info_tells_runs_recordings_and_others_apart() {
    let folder = Folder::new("info");
    run(&folder, &[]);
    let out = folder.0.join("out").to_string_lossy().into_owned();
    let (code, table, _) = reported(&pliant(&["info", &out]));
    assert_eq!(code, 0);
    for part in ["finished", "20 of 20, 0.01 s each", "21 frames from 0 to 0.2 s"] {
        assert!(table.contains(part), "{part}: {table}");
    }
    let recording = format!("{out}/recording.pliant");
    let (_, json, _) = reported(&pliant(&["info", "--json", &recording]));
    let look: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&look["state"], &look["recording"]["frames"]), (&"recording".into(), &21.into()));
    assert_eq!(look["recording"]["complete"], true);

    let bytes = std::fs::read(&recording).unwrap();
    std::fs::write(&recording, &bytes[..bytes.len() * 9 / 10]).unwrap();
    let (code, table, _) = reported(&pliant(&["info", &out]));
    assert!(code == 0 && table.contains("cut short"), "{table}");
    for (path, expected) in [
        (folder.0.to_str().unwrap(), "not a pliant run directory\n"),
        (&format!("{out}/series.csv"), "not a pliant recording\n"),
        (&format!("{out}/nothing"), "No such file or directory\n"),
    ] {
        let (code, table, complaint) = reported(&pliant(&["info", path]));
        assert_eq!((code, table.as_str()), (2, ""));
        assert!(complaint.ends_with(expected), "{complaint}");
    }
}

#[test]
fn a_mesh_file_that_changed_is_not_gone_on_with() {
    let folder = Folder::new("run-mesh");
    let scene = folder.write(
        "falls.toml",
        "duration = 0.1\ndt = 0.01\n[[bodies]]\nname = \"a\"\n\
         mesh = { kind = \"file\", path = \"a.mesh\" }\n\
         material = { kind = \"corotational\", young = 1e4 }\n",
    );
    let out = folder.0.join("out");
    let arguments = ["run", scene.to_str().unwrap(), "--out", out.to_str().unwrap(), "--resume"];
    folder.write("a.mesh", &medit("0 0 1"));
    assert_eq!(reported(&pliant(&arguments)).0, 0);
    folder.write("a.mesh", &medit("0 0 2"));
    let (code, table, complaint) = reported(&pliant(&arguments));
    assert_eq!((code, table.as_str(), complaint.lines().count()), (2, "", 1));
    assert!(complaint.contains("another scene (`falls`"), "{complaint}");
}

/// A scene file, settings, a folder within the test's own, and what the only message begins with
/// (after `pliant: `, `FOLDER` being the test's own) and holds.
type Bad<'a> = (&'a str, &'a [&'a str], &'a str, &'a str, &'a str);

/// A scene of one body, with something more at its end.
fn scene(more: &str) -> String {
    format!(
        "duration = 0.1\ndt = 0.01\n[[bodies]]\nname = \"a\"\n\
         mesh = {{ kind = \"icosahedron\", radius = 1 }}\n\
         material = {{ kind = \"corotational\", young = 1e4 }}\n{more}"
    )
}

#[test]
fn bad_input_is_one_message_with_its_place_and_leaves_nothing() {
    let folder = Folder::new("run-bad");
    let place = folder.0.to_string_lossy().into_owned();
    std::fs::create_dir(folder.0.join("foreign")).unwrap();
    folder.write("foreign/notes.txt", "mine");
    folder.write("file", "");
    let twice = scene(
        "[[bodies]]\nname = \"a\"\nmesh = { kind = \"ball\", radius = 1, layers = 1 }\n\
                       material = { kind = \"corotational\", young = 1e4 }\n",
    );
    let lost = scene("").replace(
        "{ kind = \"icosahedron\", radius = 1 }",
        "{ kind = \"file\", path = \"no.vtu\" }",
    );
    let (good, hollow) = (scene(""), "duration = 1\ndt = 0.1\n");
    let cases: [Bad<'_>; 13] = [
        ("", &[], "out", "FOLDER/s.toml: the scene is empty", "`bodies`\n"),
        (hollow, &[], "out", "FOLDER/s.toml:1:1: the scene is empty", " 1 | duration = 1\n"),
        (&lost, &[], "out", "FOLDER/s.toml:5:", "no.vtu: No such file"),
        (&good, &["colour=1"], "out", "--set:1:1: the scene declares no parameter", "| ^^^^^^\n"),
        (&twice, &[], "out", "FOLDER/s.toml:8:8: two bodies are called `a`", "|        ^^^"),
        (&good, &["duration=-1"], "out", "--set:1:10: the duration is -1 s", "must be positive"),
        (&good, &["duration=1e30"], "out", "--set:1:10: 1e30 s in steps of 0.01 s", "at most 1e9"),
        (&good, &["dt=0"], "out", "--set:1:4: the time step is 0 s", "must be positive"),
        (&scene("colour = 1\n"), &[], "out", "FOLDER/s.toml:7:1: unknown key `colour`", "| ^^^^^^"),
        (&good, &[], "file/out", "FOLDER/file/out: ", "Not a directory\n"),
        (&good, &[], "file", "FOLDER/file: ", "is a file, not a folder"),
        (&good, &[], "foreign", "FOLDER/foreign: ", "not a pliant run directory"),
        (&good, &["--resume"], "foreign", "FOLDER/foreign: ", "not a pliant run directory"),
    ];
    for (text, more, out, begins, holds) in cases {
        let path = folder.write("s.toml", text);
        let out = folder.0.join(out);
        let mut arguments = vec!["run", path.to_str().unwrap(), "--out", out.to_str().unwrap()];
        for word in more {
            let is_setting = !word.starts_with("--");
            arguments.extend(is_setting.then_some("--set").into_iter().chain([*word]));
        }
        let (code, table, complaint) = reported(&pliant(&arguments));
        let begins = format!("pliant: {}", begins.replace("FOLDER", &place));
        assert_eq!((code, table.as_str()), (2, ""), "{complaint}");
        assert!(complaint.starts_with(&begins) && complaint.contains(holds), "{complaint}");
        assert_eq!(complaint.matches("pliant: ").count(), 1, "{complaint}");
        let mut left: Vec<_> = std::fs::read_dir(&folder.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["file", "foreign", "s.toml"], "{complaint}");
        assert_eq!(std::fs::read_dir(folder.0.join("foreign")).unwrap().count(), 1);
    }
}

#[test]
fn a_run_that_fails_prints_the_summary_that_it_leaves() {
    let folder = Folder::new("run-fails");
    let (out, sets) = (folder.0.join("out"), ["--set", "integrator=explicit-euler", "--json"]);
    let arguments = ["run", "block", "--out", out.to_str().unwrap()];
    let (code, json, _) = reported(&pliant(&[&arguments[..], &sets].concat()));
    let summary: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((code, summary["ended"].as_str()), (1, Some("failed")));
}

#[test]
fn a_run_without_bodies_that_count_says_that_momentum_is_not_checked() {
    let folder = Folder::new("run-unchecked");
    let (out, sets) = (folder.0.join("out"), ["--set", "duration=0.02"]);
    let arguments = ["run", "integrators", "--out", out.to_str().unwrap()];
    let (code, table, _) = reported(&pliant(&[&arguments[..], &sets].concat()));
    assert!(code == 0 && table.contains("momentum     not checked: "), "{table}");
    assert!(table.contains("0.02 s in 2 steps of 0.01 s"), "{table}");
}

#[test]
fn a_scene_whose_name_leads_elsewhere_is_refused() {
    let folder = Folder::new("run-name");
    for name in ["a/b", "..", "/x", "a\\\\b"] {
        let text = format!(
            "name = \"{name}\"\nduration = 1\ndt = 0.1\n[[bodies]]\nname = \"a\"\n\
             mesh = {{ kind = \"icosahedron\", radius = 1 }}\n\
             material = {{ kind = \"corotational\", young = 1e4 }}\n"
        );
        let scene = folder.write("scene.toml", &text);
        let (code, _, complaint) = reported(&pliant(&["run", scene.to_str().unwrap()]));
        assert!(code == 2 && complaint.contains("the scene is called"), "{complaint}");
    }
    assert!(!std::path::Path::new("runs").exists());
}

/// Starts the program, and Ctrl-C comes once a file is there.
#[cfg(unix)]
#[track_caller]
pub fn interrupted(arguments: &[&str], once: &std::path::Path) -> (i32, String, String) {
    let mut child = started(arguments);
    let start = Instant::now();
    while !once.exists() {
        let is_over = child.try_wait().unwrap().is_some() || start.elapsed() > PATIENCE;
        if is_over {
            let _ = child.kill();
            panic!("{} did not appear: {:?}", once.display(), reported(&finished(child)));
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let kill = format!("kill -INT {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
    reported(&finished(child))
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_comparison_and_keeps_its_runs() {
    let folder = Folder::new("compare-interrupt");
    let out = folder.0.join("out");
    let (code, table, complaint) = interrupted(
        &[
            "compare",
            "block",
            "--integrator",
            "bdf2,implicit-euler",
            "--set",
            "duration=500",
            "--out",
            out.to_str().unwrap(),
        ],
        &out.join("bdf2/recording.pliant"),
    );
    assert_eq!((code, complaint.as_str()), (130, "pliant: interrupted in run 1 of 2 runs\n"));
    assert!(table.contains("bdf2") && table.contains("interrupted"), "{table}");
    assert!(out.join("report.html").exists() && out.join("bdf2/checkpoint.bin").exists());
    assert!(!out.join("implicit-euler").exists());
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_run_that_can_go_on() {
    let folder = Folder::new("run-interrupt");
    let out = folder.0.join("out");
    // The recording is there once the run listens.
    let arguments = [&LONG[..], &["--out", out.to_str().unwrap()]].concat();
    let (code, table, complaint) = interrupted(&arguments, &out.join("recording.pliant"));
    assert_eq!(code, 130, "{complaint}");
    assert!(table.starts_with("block: interrupted after "), "{table}");
    let json = std::fs::read_to_string(out.join("summary.json")).unwrap();
    let summary: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(summary["ended"], "interrupted");
    assert!(out.join("checkpoint.bin").exists());
}
