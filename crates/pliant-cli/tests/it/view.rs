//! `pliant view`, in a program with the player or without.

use std::fs;

use crate::{Folder, pliant, reported};

/// Whether this program was built with the player: without it `view` says so of any path that exists.
fn has_player() -> bool {
    let (_, _, stderr) = reported(&pliant(&["view", ".", "--no-open"]));
    !stderr.contains("was built without the player")
}

#[test]
fn without_the_player_the_command_that_adds_it_is_named() {
    let (code, _, stderr) = reported(&pliant(&["view", ".", "--no-open"]));
    assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
    if !has_player() {
        assert!(stderr.contains("`cargo xtask web`"), "{stderr}");
    }
}

#[test]
fn a_page_is_written_beside_the_recording_or_where_it_is_wanted() {
    let folder = Folder::new("view");
    let run = folder.0.join("run").to_string_lossy().into_owned();
    let arguments = ["run", "block", "--set", "duration=0.05", "--out", &run, "--quiet"];
    assert_eq!(reported(&pliant(&arguments)).0, 0);
    let report = fs::read_to_string(folder.0.join("run/report.html")).unwrap();
    if !has_player() {
        assert!(report.contains("<code>cargo xtask web</code>") && !report.contains("<script"));
        return;
    }
    assert_eq!(report.matches("type=\"application/x-pliant-run\"").count(), 1);
    let (code, stdout, stderr) = reported(&pliant(&["view", &run, "--no-open"]));
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.contains("view.html: 1 run, "), "{stdout}");
    let page = fs::read_to_string(folder.0.join("run/view.html")).unwrap();
    assert!(page.contains("<title>run – Pliant</title>") && page.len() < 10_000_000);
    let both = folder.0.join("both.html").to_string_lossy().into_owned();
    let (code, stdout, _) = reported(&pliant(&["view", &run, &run, "-o", &both, "--no-open"]));
    assert!(code == 0 && stdout.contains("both.html: 2 runs, "), "{stdout}");
}

#[test]
fn bad_input_is_one_line_and_leaves_nothing() {
    if !has_player() {
        return;
    }
    let folder = Folder::new("view-bad");
    let text = folder.write("a.txt", "hello").to_string_lossy().into_owned();
    let newer = folder.0.join("newer.pliant");
    fs::write(&newer, [b"PLIANTR\n".as_slice(), &9_u32.to_le_bytes(), &[0; 20]].concat()).unwrap();
    let newer = newer.to_string_lossy().into_owned();
    let own = folder.0.to_string_lossy().into_owned();
    let out = folder.0.join("out.html").to_string_lossy().into_owned();
    for (run, expected) in [
        (&text, "a.txt: not a pliant recording"),
        (&newer, "newer.pliant: a recording in format 9, from a newer pliant"),
        (&own, "not a pliant run directory"),
    ] {
        let (code, _, stderr) = reported(&pliant(&["view", run, "-o", &out, "--no-open"]));
        assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
        assert!(stderr.contains(expected), "{stderr}");
    }
    let (code, _, stderr) = reported(&pliant(&["view", &own, "-o", "a.png", "--no-open"]));
    assert!(code == 2 && stderr.contains("a.png: the page is HTML; name it a.html"), "{stderr}");
    assert!(!folder.0.join("out.html").exists());
}

#[test]
fn a_scene_is_written_into_the_page_that_runs_it() {
    let folder = Folder::new("view-scene");
    let out = folder.0.join("cubes.html").to_string_lossy().into_owned();
    let view = |words: &[&str]| {
        let all: Vec<&str> = ["view"].iter().chain(words).chain(&["--no-open"]).copied().collect();
        reported(&pliant(&all))
    };
    let (code, _, stderr) = view(&["two-cubes", "--set", "overlap=0.75", "-o", &out]);
    if stderr.contains("was built without the page") {
        assert!(code == 2 && stderr.contains("`cargo xtask web`"), "{stderr}");
        return;
    }
    assert_eq!((code, stderr.as_str()), (0, ""));
    let page = fs::read_to_string(&out).unwrap();
    assert!(page.contains("overlap=0.75") && page.contains("id=\"pliant-scene\""));
    let (code, _, stderr) = view(&["two-cubes", "--set", "overlp=1", "-o", &out]);
    assert!(code == 2 && stderr.contains("did you mean `overlap`?"), "{stderr}");
    let (code, _, stderr) = view(&["two-cubes", "knot"]);
    assert!(code == 2 && stderr.contains("a page runs one scene"), "{stderr}");
}

#[test]
fn a_run_that_does_not_exist_is_named_before_the_player_is_looked_for() {
    let (code, _, stderr) = reported(&pliant(&["view", "no/such/run", "--no-open"]));
    assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
    assert!(stderr.contains("no/such/run: no such run"), "{stderr}");
}
