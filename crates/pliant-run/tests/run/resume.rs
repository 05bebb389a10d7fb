//! Runs that end early, and are resumed.

use std::fs;
use std::ops::ControlFlow;
use std::time::Duration;

use pliant::math::random::Random;
use pliant_run::run::marker::Origin;
use pliant_run::run::{IfExists, Progress, RunSettings, inspect, run};
use pliant_run::summary::Summary;

use pliant_scene::loaded::LoadedScene;

use crate::child;
use crate::scene::{Place, STEPS, blocks, names, results};

/// Times that a process is killed.
const KILLS: usize = 100;

/// Runs that they are spread over, at least.
const LEAST_RUNS: usize = 4;

/// Latest moment to be killed, µs: a little after the end of a run.
const LATEST: usize = 60_000;

const RESUME: RunSettings = RunSettings {
    threads: 1,
    existing: IfExists::Resume,
    report: None,
    origin: Origin { source: String::new(), sets: Vec::new() },
};

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
fn undisturbed(place: &Place) -> (Summary, [Vec<u8>; 3]) {
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

/// The blocks for another number of steps.
fn blocks_for(steps: u64) -> LoadedScene {
    let mut built = blocks();
    built.info.steps = steps;
    built
}

#[test]
fn a_finished_run_is_made_longer_with_the_same_bits() {
    let place = Place::new("longer");
    let (whole, bytes) = undisturbed(&place);
    // Every second step is recorded: the last of 31 is not, in a longer run.
    for steps in [30, 31] {
        let folder = place.path().join(steps.to_string());
        run(blocks_for(steps), &folder, RunSettings::default(), &mut ()).unwrap();
        assert_eq!(inspect::look(&folder).unwrap().steps, steps);
        let mut until = Until(STEPS, None);
        let longer = run(blocks(), &folder, RESUME, &mut until).unwrap();
        assert_eq!((longer.ended.as_str(), until.1), ("finished", Some(steps)));
        assert_eq!((longer.steps, &longer.digest), (STEPS, &whole.digest));
        assert!(results(&folder) == bytes, "from {steps}");
        let look = inspect::look(&folder).unwrap();
        assert_eq!((look.steps, look.recording.frames, look.recording.complete), (STEPS, 32, true));
        let error = run(blocks_for(steps), &folder, RESUME, &mut ()).unwrap_err();
        assert!(error.is_input(), "{error}");
        let expected = format!("made 0.61 s already, more than the {} s", steps as f64 / 100.0);
        assert!(error.to_string().contains(&expected), "{error}");
    }
}

#[test]
fn a_run_that_is_made_longer_may_be_broken_off_again() {
    let place = Place::new("longer-again");
    let (whole, bytes) = undisturbed(&place);
    run(blocks_for(31), &place.run(), RunSettings::default(), &mut ()).unwrap();
    let half = run(blocks(), &place.run(), RESUME, &mut Until(40, None)).unwrap();
    assert_eq!((half.ended.as_str(), half.steps), ("interrupted", 40));
    let rest = run(blocks(), &place.run(), RESUME, &mut ()).unwrap();
    assert_eq!(rest.digest, whole.digest);
    assert!(results(&place.run()) == bytes);
}

#[test]
fn a_finished_run_without_its_checkpoint_is_never_started_over() {
    let place = Place::new("no-checkpoint");
    run(blocks_for(30), &place.run(), RunSettings::default(), &mut ()).unwrap();
    fs::remove_file(place.run().join("checkpoint.bin")).unwrap();
    let before = results(&place.run());
    let error = run(blocks(), &place.run(), RESUME, &mut ()).unwrap_err().to_string();
    assert!(error.contains("checkpoint.bin: missing: the run is finished"), "{error}");
    assert!(results(&place.run()) == before);
}

#[test]
fn a_run_killed_at_any_context_can_be_taken_up() {
    let place = Place::new("killed");
    let (whole, bytes) = undisturbed(&place);
    let (mut random, mut kills, mut runs, mut begun) = (Random::new(42), 0, 0, 0);
    // On a busy machine a life does less before it ends, and more of them make a run.
    while kills < KILLS || runs < LEAST_RUNS {
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
    assert!(begun > KILLS / 5, "{begun} of {kills}");
}
