//! Runs that end early, and are resumed.

use std::fs;
use std::ops::ControlFlow;
use std::time::Duration;

use pliant::math::random::Random;
use pliant_run::run::{IfExists, Progress, RunSettings, inspect, run};
use pliant_run::summary::Summary;

use crate::child;
use crate::scene::{Place, STEPS, blocks, names, results};

/// Times that a process is killed.
const KILLS: usize = 100;

/// Latest moment to be killed, µs: a little after the end of a run.
const LATEST: usize = 60_000;

const RESUME: RunSettings = RunSettings { threads: 1, existing: IfExists::Resume, report: None };

/// Interrupts after so many steps, and remembers where it started.
struct Until(u64, Option<u64>);

impl Progress for Until {
    fn begin(&mut self, done: u64, _steps: u64) {
        self.1 = Some(done);
    }

    fn step(&mut self, done: u64) -> ControlFlow<()> {
        if done >= self.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// An undisturbed run, to compare with.
fn undisturbed(place: &Place) -> (Summary, [Vec<u8>; 2]) {
    let folder = place.path().join("undisturbed");
    let summary = run(blocks(), &folder, RunSettings::default(), &mut ()).unwrap();
    (summary, results(&folder))
}

#[test]
fn a_run_broken_off_anywhere_ends_with_the_same_bits() {
    let place = Place::new("broken-off");
    let (whole, bytes) = undisturbed(&place);
    for stop in [1, 2, 4, 5, 33, STEPS - 1] {
        let folder = place.path().join(stop.to_string());
        let mut until = Until(stop, None);
        let half = run(blocks(), &folder, RunSettings::default(), &mut until).unwrap();
        assert_eq!((half.ended.as_str(), half.steps, until.1), ("interrupted", stop, Some(0)));
        assert!(names(&folder).contains(&"checkpoint.bin".to_string()));
        assert_eq!(inspect::look(&folder).unwrap().state, "interrupted");
        let mut until = Until(STEPS, None);
        let rest = run(blocks(), &folder, RESUME, &mut until).unwrap();
        assert_eq!((rest.ended.as_str(), until.1), ("finished", Some(stop)));
        assert_eq!((&rest.digest, rest.iterations), (&whole.digest, whole.iterations));
        assert_eq!(rest.momentum_error.to_bits(), whole.momentum_error.to_bits());
        assert!(rest.cpu_s > half.cpu_s && rest.wall_s > half.wall_s);
        assert!(results(&folder) == bytes, "after {stop} steps");
    }
}

#[test]
fn a_finished_run_is_not_run_again() {
    let place = Place::new("finished");
    let first = run(blocks(), &place.run(), RESUME, &mut ()).unwrap(); // from nothing
    let mut until = Until(1, None);
    assert_eq!(run(blocks(), &place.run(), RESUME, &mut until).unwrap(), first);
    assert_eq!(until.1, None);
}

#[test]
fn a_run_killed_at_any_context_can_be_taken_up() {
    let place = Place::new("killed");
    let (whole, bytes) = undisturbed(&place);
    let (mut random, mut kills, mut runs, mut begun) = (Random::new(42), 0, 0, 0);
    while kills < KILLS {
        // One life after the other, until one is long enough.
        runs += 1;
        let folder = place.path().join(runs.to_string());
        loop {
            let mut child =
                child::command(&folder).stdout(std::process::Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_micros(random.below(LATEST) as u64));
            let is_over = child.try_wait().unwrap().is_some();
            child.kill().unwrap();
            child.wait().unwrap();
            if is_over {
                break;
            }
            kills += 1;
            begun += usize::from(folder.join("checkpoint.bin").exists());
            // Whatever is there can be inspected, or is refused with a message.
            let _ = inspect::look(&folder);
        }
        let summary = run(blocks(), &folder, RESUME, &mut ()).unwrap();
        assert_eq!(summary.digest, whole.digest, "run {runs}, {kills} kills");
        assert!(results(&folder) == bytes, "run {runs}, {kills} kills");
        assert!(names(&folder).iter().all(|name| !name.ends_with(".part")));
        fs::remove_dir_all(&folder).unwrap();
    }
    println!("{kills} kills, {begun} of them after a checkpoint, in {runs} runs");
    assert!(begun > KILLS / 5 && runs > 3, "{begun} {runs}");
}
