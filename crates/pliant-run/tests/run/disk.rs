//! Disks that are full.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use pliant_run::recording::Recording;
use pliant_run::run::folder::{RECORDING, SERIES, SUMMARY};
use pliant_run::run::{IfExists, RunSettings, run, series};

use crate::child;
use crate::scene::{Place, blocks, results};

/// Steps between checkpoints: a few.
const SOON: u64 = 5;

/// Steps between checkpoints: more than a run has.
const NEVER: u64 = 1000;

/// What is left when the disk was full: whole rows and frames, and a run that can be resumed.
#[track_caller]
fn check(folder: &Path, said: &str, expected: &str) {
    let error = said.lines().find_map(|line| line.split_once(child::ERROR)).map(|(_, e)| e);
    assert!(error.is_some_and(|error| error.ends_with(expected)), "{said}");
    let rows = series::read(&folder.join(SERIES)).unwrap();
    assert!(!rows.is_empty() && fs::read_to_string(folder.join(SERIES)).unwrap().ends_with('\n'));
    let mut recording = Recording::open(&folder.join(RECORDING)).unwrap();
    assert_eq!(recording.lost_bytes(), 0);
    let frames = recording.frames().len();
    assert!(frames > 0 && frames.abs_diff(rows.len()) <= 1, "{frames} {}", rows.len());
    recording.read(frames - 1).unwrap();
    if let Ok(text) = fs::read(folder.join(SUMMARY)) {
        let summary: pliant_run::summary::Summary = serde_json::from_slice(&text).unwrap();
        assert_eq!(summary.ended, "failed");
    }
}

/// Resumes with space again, and compares with a run that had it all along.
#[track_caller]
fn goes_on(place: &Place, folder: &Path) {
    let whole = place.path().join("whole");
    let settings = RunSettings { existing: IfExists::Replace, ..RunSettings::default() };
    let expected = run(blocks(), &whole, settings, &mut ()).unwrap();
    let settings = RunSettings { existing: IfExists::Resume, ..RunSettings::default() };
    let summary = run(blocks(), folder, settings, &mut ()).unwrap();
    assert_eq!((summary.ended.as_str(), &summary.digest), ("finished", &expected.digest));
    assert!(results(folder) == results(&whole));
}

#[test]
fn a_file_that_may_not_grow_is_an_error_and_stays_whole() {
    if !Command::new("sh").args(["-c", "ulimit -f 8"]).status().is_ok_and(|s| s.success()) {
        return skip("no shell that limits files");
    }
    // With checkpoints these are too long first; without, rows and frames are.
    for (blocks, every) in [(8, SOON), (5, NEVER), (6, NEVER), (7, NEVER), (8, NEVER)] {
        let place = Place::new("limit");
        let output = child::starved(&place.run(), blocks, every);
        check(&place.run(), &String::from_utf8_lossy(&output.stdout), "File too large");
        goes_on(&place, &place.run());
    }
}

#[test]
fn a_full_disk_is_an_error_and_leaves_whole_files() {
    for (size, every) in [("28k", SOON), ("20k", NEVER), ("24k", NEVER)] {
        fill(size, every);
    }
}

fn fill(size: &str, every: u64) {
    let place = Place::new("full");
    let disk = place.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
        .arg(&disk)
        .stderr(Stdio::null())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        return skip("not permitted to mount a small disk");
    }
    let folder = disk.join("out");
    let output = child::command_every(&folder, every).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let copy = place.path().join("copy");
    fs::create_dir(&copy).unwrap();
    for entry in fs::read_dir(&folder).unwrap().flatten() {
        fs::copy(entry.path(), copy.join(entry.file_name())).unwrap();
    }
    let unmounted = Command::new("umount").arg(&disk).status().unwrap();
    assert!(unmounted.success());
    check(&copy, &said, "No space left on device");
    goes_on(&place, &copy);
}

fn skip(why: &str) {
    let _ = std::io::stderr().write_all(format!("skipped: {why}\n").as_bytes());
}
