//! Folders that a run must not use.

use std::fs;
use std::ops::ControlFlow;

use pliant::body::soft::Masses;
use pliant_run::run::{IfExists, Progress, RunSettings, run};

use crate::scene::{Place, blocks, names};

fn settings(existing: IfExists) -> RunSettings {
    RunSettings { existing, ..RunSettings::default() }
}

/// The error of a run, which must leave the folder as it is.
#[track_caller]
fn refused(place: &Place, existing: IfExists) -> String {
    let before = fs::read_dir(place.run()).map(|_| names(&place.run())).unwrap_or_default();
    let error = run(blocks(), &place.run(), settings(existing), &mut ()).unwrap_err();
    let after = fs::read_dir(place.run()).map(|_| names(&place.run())).unwrap_or_default();
    assert!(error.is_input() && before == after, "{error}");
    error.to_string()
}

#[test]
fn a_folder_that_exists_is_left_alone() {
    let place = Place::new("exists");
    run(blocks(), &place.run(), settings(IfExists::Refuse), &mut ()).unwrap();
    let error = refused(&place, IfExists::Refuse);
    assert!(error.contains("--resume") && error.contains("--force"), "{error}");
}

#[test]
fn force_replaces_runs_and_nothing_else() {
    let place = Place::new("force");
    run(blocks(), &place.run(), settings(IfExists::Refuse), &mut ()).unwrap();
    fs::write(place.run().join("notes.txt"), "mine").unwrap();
    fs::write(place.run().join(".summary.json.77.part"), "left by a kill").unwrap();
    run(blocks(), &place.run(), settings(IfExists::Replace), &mut ()).unwrap();
    assert_eq!(fs::read_to_string(place.run().join("notes.txt")).unwrap(), "mine");
    assert!(!names(&place.run()).contains(&".summary.json.77.part".to_string()));

    fs::remove_file(place.run().join("run.json")).unwrap();
    for existing in [IfExists::Replace, IfExists::Resume] {
        let error = refused(&place, existing);
        assert!(error.contains("not a pliant run directory"), "{error}");
    }
    fs::write(place.run().join("run.json"), "{}").unwrap();
    for (text, defect) in [
        ("{}", "missing field `format` at line 1 column 2"),
        ("", "EOF while parsing a value at line 1 column 0"),
        (
            "{\"format\": 2,\n\"pliant\": 7}",
            "invalid type: integer `7`, expected a string at line 2",
        ),
    ] {
        fs::write(place.run().join("run.json"), text).unwrap();
        for existing in [IfExists::Refuse, IfExists::Replace, IfExists::Resume] {
            let error = refused(&place, existing);
            assert!(error.contains("run.json: damaged, or not of a pliant run: "), "{error}");
            assert!(error.contains(defect), "{error}");
        }
    }
}

#[test]
fn an_empty_folder_may_be_used_when_asked() {
    let place = Place::new("empty");
    fs::create_dir(place.run()).unwrap();
    refused(&place, IfExists::Refuse);
    run(blocks(), &place.run(), settings(IfExists::Replace), &mut ()).unwrap();
}

#[test]
fn another_scene_is_not_gone_on_with() {
    let place = Place::new("other");
    let mut other = blocks();
    other.resolved.push_str("young = 2\n");
    run(other, &place.run(), settings(IfExists::Refuse), &mut ()).unwrap();
    assert!(refused(&place, IfExists::Resume).contains("another scene (`blocks`"));
}

#[test]
fn a_mesh_that_changed_under_its_name_is_not_gone_on_with() {
    let place = Place::new("mesh");
    run(blocks(), &place.run(), settings(IfExists::Refuse), &mut ()).unwrap();
    let mut moved = blocks();
    moved.world.simulation_mut().state.positions[7].x += 1e-12;
    let mut heavier = blocks();
    let mut masses = heavier.world.simulation().system.masses.of().to_vec();
    masses[7] *= 2.0;
    heavier.world.simulation_mut().system.masses = Masses::new(masses).unwrap();
    for other in [moved, heavier] {
        let error = run(other, &place.run(), settings(IfExists::Resume), &mut ()).unwrap_err();
        assert!(error.is_input() && error.to_string().contains("another scene"), "{error}");
    }
    run(blocks(), &place.run(), settings(IfExists::Resume), &mut ()).unwrap();
}

#[test]
fn a_file_in_the_way_is_named() {
    let place = Place::new("file");
    fs::write(place.run(), "a file").unwrap();
    for existing in [IfExists::Refuse, IfExists::Resume, IfExists::Replace] {
        assert!(refused(&place, existing).contains("is a file, not a folder"));
    }
    // Below a file no folder can be made, not even by the mightiest user.
    let below = place.run().join("out");
    let error = run(blocks(), &below, settings(IfExists::Refuse), &mut ()).unwrap_err();
    assert!(error.is_input() && error.to_string().contains("Not a directory"), "{error}");
}

/// Interrupts after a few steps.
struct Soon;

impl Progress for Soon {
    fn step(&mut self, done: u64) -> ControlFlow<()> {
        if done < 7 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

#[test]
fn what_was_damaged_is_named() {
    let place = Place::new("damaged");
    run(blocks(), &place.run(), settings(IfExists::Refuse), &mut Soon).unwrap();
    let checkpoint = place.run().join("checkpoint.bin");
    let bytes = fs::read(&checkpoint).unwrap();
    fs::write(&checkpoint, &bytes[..bytes.len() / 2]).unwrap();
    let error = refused(&place, IfExists::Resume);
    let expected = "a damaged checkpoint; `pliant run` with --force starts over";
    assert!(error.ends_with(expected), "{error}");
    fs::write(&checkpoint, &bytes).unwrap();
    let series = place.run().join("series.csv");
    let rows = fs::read(&series).unwrap();
    fs::write(&series, &rows[..20]).unwrap();
    let error = refused(&place, IfExists::Resume);
    assert!(error.contains("series.csv: holds 20 bytes where"), "{error}");
    // Rows, and then frames, whose bytes are not those that were written.
    let recording = place.run().join("recording.pliant");
    let frames = fs::read(&recording).unwrap();
    fs::write(&series, changed(&rows, rows.len() / 2)).unwrap();
    let error = refused(&place, IfExists::Resume);
    assert!(error.contains("series.csv: was changed within its first "), "{error}");
    fs::write(&series, &rows).unwrap();
    fs::write(&recording, changed(&frames, frames.len() / 2)).unwrap();
    let error = refused(&place, IfExists::Resume);
    assert!(error.contains("recording.pliant: was changed within its first "), "{error}");
    assert_eq!(fs::read(&series).unwrap(), rows);
    fs::write(&recording, &frames).unwrap();
    run(blocks(), &place.run(), settings(IfExists::Resume), &mut ()).unwrap();
    let summary = place.run().join("summary.json");
    fs::write(&summary, "{ \"scene\": 1 }").unwrap();
    let error = refused(&place, IfExists::Resume);
    assert!(error.contains("summary.json: invalid type: integer `1`"), "{error}");
}

/// The same bytes but for one.
fn changed(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 1;
    bytes
}

#[cfg(unix)]
#[test]
fn links_are_not_written_through() {
    use std::os::unix::fs::symlink;
    let names = [
        "series.csv",
        "bodies.csv",
        "recording.pliant",
        "checkpoint.bin",
        "summary.json",
        "scene.toml",
        "report.html",
        "run.json",
    ];
    for name in names {
        let place = Place::new("links");
        run(blocks(), &place.run(), settings(IfExists::Refuse), &mut Soon).unwrap();
        let (file, target) = (place.run().join(name), place.path().join("target"));
        let _ = fs::remove_file(&target);
        match fs::rename(&file, &target) {
            Ok(()) => {}
            Err(_) => fs::write(&target, "mine").unwrap(), // there is no report
        }
        symlink(&target, &file).unwrap();
        let before = fs::read(&target).unwrap();
        let resumed = run(blocks(), &place.run(), settings(IfExists::Resume), &mut ());
        let is_appended = ["series.csv", "bodies.csv", "recording.pliant"].contains(&name);
        assert_eq!(resumed.is_err(), is_appended, "{name}");
        if let Err(error) = resumed {
            assert!(error.to_string().contains("is a symbolic link"), "{error}");
        }
        run(blocks(), &place.run(), settings(IfExists::Replace), &mut ()).unwrap();
        assert!(fs::read(&target).unwrap() == before, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_a_link_to_nothing_is_named() {
    let place = Place::new("dangling");
    std::os::unix::fs::symlink(place.path().join("nothing"), place.run()).unwrap();
    let error = refused(&place, IfExists::Refuse);
    assert!(error.ends_with("out: is a symbolic link to nothing"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_lock_that_is_a_link_is_refused() {
    let place = Place::new("lock-link");
    fs::create_dir(place.run()).unwrap();
    let target = place.path().join("target");
    std::os::unix::fs::symlink(&target, place.run().join("run.lock")).unwrap();
    let error = refused(&place, IfExists::Replace);
    assert!(error.contains("run.lock: is a symbolic link") && !target.exists(), "{error}");
}

#[test]
fn a_damaged_summary_is_not_quoted_whole() {
    let place = Place::new("quoted");
    std::fs::create_dir_all(place.run()).unwrap();
    let text = format!("{{\"scene\": \"a\", \"steps\": \"{}\"}}", "x".repeat(100_000));
    std::fs::write(place.run().join("summary.json"), text).unwrap();
    let error = pliant_run::run::folder::read_summary(&place.run()).unwrap_err().to_string();
    assert!(error.contains("summary.json") && error.len() < 4000, "{} bytes", error.len());
}
