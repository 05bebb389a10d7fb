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
    assert!(refused(&place, IfExists::Replace).contains("not a pliant run directory"));
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
    moved.simulation.state.positions[7].x += 1e-12;
    let mut heavier = blocks();
    let mut masses = heavier.simulation.system.masses.of().to_vec();
    masses[7] *= 2.0;
    heavier.simulation.system.masses = Masses::new(masses).unwrap();
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
    assert!(error.ends_with("a damaged checkpoint; --force starts over"), "{error}");
    fs::write(&checkpoint, &bytes).unwrap();
    let series = place.run().join("series.csv");
    let rows = fs::read(&series).unwrap();
    fs::write(&series, &rows[..20]).unwrap();
    let error = refused(&place, IfExists::Resume);
    assert!(error.contains("series.csv: holds 20 bytes where"), "{error}");
    fs::write(&series, &rows).unwrap();
    run(blocks(), &place.run(), settings(IfExists::Resume), &mut ()).unwrap();
}
