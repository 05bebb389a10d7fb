//! `pliant check` and `pliant demo`.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::{Folder, medit, pliant, reported};

/// Bad input: one clear line on stderr that holds `expected`, exit code 2, no panic.
#[track_caller]
fn refused(path: &Path, expected: &str) {
    let (code, _, stderr) = reported(&pliant(&["check", path.to_str().unwrap()]));
    assert_eq!(code, 2, "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.starts_with("pliant: ") && stderr.contains(expected), "{stderr}");
}

#[test]
fn a_good_mesh_is_good() {
    let folder = Folder::new("good");
    let path = folder.write("one.mesh", &medit("0 0 1"));
    let (code, stdout, stderr) = reported(&pliant(&["check", path.to_str().unwrap()]));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.contains("4 vertices, 1 tet, surface of 4 triangles"), "{stdout}");
    assert!(stdout.contains("ok, no issues") && !stdout.contains('\u{1b}'), "{stdout}");
}

#[test]
fn bad_input_is_one_line_and_exit_code_two() {
    let folder = Folder::new("bad");
    refused(&folder.0.join("missing.vtk"), "No such file");
    refused(&folder.0, "is a directory");
    refused(&folder.write("notes.txt", "hello"), "unknown mesh format");
    refused(&folder.write("empty.vtu", ""), "empty.vtu: the file is 0 bytes long");
    refused(
        &folder.write("points.obj", "v 0 0 0\n"),
        "the file holds 1 vertex but no tets or triangles",
    );
    refused(&folder.write("nan.mesh", &medit("0 nan 1")), "1 non_finite (first: vertex 3)");
    refused(&folder.write("flat.mesh", &medit("2 2 0")), "1 flat_tets (first: tet 0)");
    refused(&folder.write("cut.mesh", &medit("0 0 1")[..60]), "line ");
}

#[test]
fn wrong_arguments_are_exit_code_two() {
    for arguments in [&["check"][..], &["chek"], &["check", "--jsn", "a"], &[]] {
        assert_eq!(pliant(arguments).status.code(), Some(2), "{arguments:?}");
    }
    assert_eq!(pliant(&["--help"]).status.code(), Some(0));
    assert_eq!(pliant(&["--version"]).status.code(), Some(0));
}

#[test]
fn json_has_the_fields_that_programs_rely_on() {
    let folder = Folder::new("json");
    let good = folder.write("good.mesh", &medit("0 0 1"));
    let inverted = folder.write("inverted.mesh", &medit("0 0 -1"));
    let missing = folder.0.join("missing.off");
    let paths = [&good, &inverted, &missing].map(|path| path.to_str().unwrap());
    let (code, stdout, stderr) =
        reported(&pliant(&["check", "--json", paths[0], paths[1], paths[2]]));
    assert_eq!((code, stderr.lines().count()), (2, 1));
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let files = report["files"].as_array().unwrap();
    let expected = serde_json::json!({
        "file": paths[0], "kind": "tets", "vertices": 4, "tets": 1, "triangles": 4,
        "problems": [], "notices": []
    });
    assert_eq!(files[0], expected);
    let problem = serde_json::json!({
        "kind": "all_inverted", "severity": "warning", "count": 1, "first": [0]
    });
    assert_eq!(files[1]["problems"][0], problem);
    assert_eq!(files[2]["kind"], Value::Null);
    assert_eq!(files[2]["tets"], Value::Null);
    assert!(files[2]["error"].as_str().unwrap().contains("missing.off"));
}

#[test]
fn an_answer_that_cannot_be_written_is_no_success() {
    let folder = Folder::new("full");
    let path = folder.write("one.mesh", &medit("0 0 1"));
    for json in [&["--json"][..], &[]] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
        let output = command.arg("check").args(json).arg(&path).stdout(full).output().unwrap();
        let (code, _, stderr) = reported(&output);
        assert_eq!(code, 1);
        assert!(stderr.starts_with("pliant: cannot write the output: No space left"), "{stderr}");
    }
}

#[test]
fn names_do_not_reach_the_terminal_raw() {
    let folder = Folder::new("names");
    let path = folder.write("a\n\u{1b}[31mb.mesh", &medit("0 0 1"));
    let (code, stdout, _) = reported(&pliant(&["check", path.to_str().unwrap()]));
    assert_eq!((code, stdout.lines().count()), (0, 2));
    assert!(stdout.contains("a\u{fffd}\u{fffd}[31mb.mesh"), "{stdout:?}");
}

#[test]
fn wholly_inverted_is_repaired_and_exit_code_zero() {
    let folder = Folder::new("inverted");
    let path = folder.write("inverted.mesh", &medit("0 0 -1"));
    let (code, stdout, stderr) = reported(&pliant(&["check", path.to_str().unwrap()]));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.contains("has been turned around") && stdout.contains("  usable, "), "{stdout}");
}

#[test]
fn the_demo_writes_bodies_that_read_back() {
    let folder = Folder::new("demo");
    let out = folder.0.join("deep/er");
    let (code, stdout, stderr) =
        reported(&pliant(&["demo", "--no-open", "--out", out.to_str().unwrap()]));
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.contains("inverted_tets"), "{stdout}");
    // Both backends of outlines report the same number of points inside.
    let insides = |line: &str| line.split_whitespace().find_map(|word| word.parse::<u32>().ok());
    let of = |name: &str| stdout.lines().find(|line| line.starts_with(name)).and_then(insides);
    assert!(of("by segments") > Some(0) && of("by segments") == of("by images"), "{stdout}");
    // Eleven meshes, the folders of five scenes, and one report of all.
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 17);
    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    for scene in ["squeezed-sphere", "knot", "two-cubes", "sphere-pile", "gears"] {
        assert!(out.join(scene).join("report.html").exists(), "{scene}: {stdout}");
        assert!(report.contains(&format!("href=\"{scene}/report.html\"")), "{scene}");
    }
    // It says how far it is, and ends with the path of the report.
    assert!(stdout.contains("8 of 8") && !stdout.contains("9 of 8"), "{stdout}");
    assert!(stdout.trim_end().ends_with(out.join("report.html").to_str().unwrap()), "{stdout}");
    assert!(stdout.contains("constraint        0 inside     0 crossings"), "{stdout}");
    assert!(stdout.contains("nothing overlaps"), "{stdout}");
    let file = folder.write("file", "");
    let (code, _, stderr) = reported(&pliant(&["demo", "--out", file.to_str().unwrap()]));
    assert_eq!((code, stderr.lines().count()), (2, 1));
    assert!(stderr.contains("is a file, not a folder"), "{stderr}");
}
