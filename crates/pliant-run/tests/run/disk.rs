//! Disks that are full or read-only, and folders that vanish.

use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};

use pliant_run::recording::Recording;
use pliant_run::run::folder::{RECORDING, SERIES, SUMMARY};
use pliant_run::run::{IfExists, Progress, RunSettings, run, series};

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

/// Does something to the folder after a few steps.
struct Meanwhile<'a>(&'a dyn Fn());

impl Progress for Meanwhile<'_> {
    fn step(&mut self, done: u64) -> ControlFlow<()> {
        if done == 7 {
            self.0();
        }
        ControlFlow::Continue(())
    }
}

#[cfg(unix)]
#[test]
fn a_run_whose_folder_is_gone_fails_and_spares_the_one_in_its_place() {
    let place = Place::new("gone");
    let remove = || fs::remove_dir_all(place.run()).unwrap();
    let replace = || {
        remove();
        fs::create_dir(place.run()).unwrap();
        fs::write(place.run().join("checkpoint.bin"), "of another run").unwrap();
    };
    for (act, left) in [(&remove as &dyn Fn(), 0), (&replace, 1)] {
        let error = run(blocks(), &place.run(), RunSettings::default(), &mut Meanwhile(act));
        let error = error.unwrap_err();
        assert!(!error.is_input(), "{error}");
        let expected = "out: the folder was removed or replaced during the run";
        assert!(error.to_string().ends_with(expected), "{error}");
        let found = fs::read_dir(place.run()).map_or(0, Iterator::count);
        assert_eq!(found, left);
    }
    let kept = fs::read_to_string(place.run().join("checkpoint.bin")).unwrap();
    assert_eq!(kept, "of another run");
}

#[test]
fn a_disk_that_may_not_be_written_is_an_error_before_the_first_step() {
    let place = Place::new("read-only");
    let disk = place.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let mount = |options: &str| {
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&disk).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if !mount("size=1m") {
        return skip("not permitted to mount a small disk");
    }
    let half = disk.join("half");
    let first = run(blocks(), &half, RunSettings::default(), &mut ());
    let remounted = mount("remount,ro");
    let with = |existing| RunSettings { existing, ..RunSettings::default() };
    let errors: Vec<_> = [(&half, IfExists::Replace), (&half, IfExists::Resume)]
        .into_iter()
        .chain([(&disk.join("new"), IfExists::Refuse)])
        .map(|(folder, existing)| run(blocks(), folder, with(existing), &mut ()).unwrap_err())
        .collect();
    assert!(Command::new("umount").arg(&disk).status().unwrap().success());
    assert!(first.is_ok() && remounted);
    for error in errors {
        assert!(error.is_input(), "{error}");
        assert!(error.to_string().ends_with("Read-only file system"), "{error}");
    }
}

fn skip(why: &str) {
    let _ = std::io::stderr().write_all(format!("skipped: {why}\n").as_bytes());
}
