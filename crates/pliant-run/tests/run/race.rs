//! Several processes and one folder: one wins, the others say why not, and nothing is lost.

use std::fs;
use std::ops::ControlFlow;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use pliant_run::run::{Progress, RunSettings, run};
use pliant_run::summary::Summary;

use crate::child;
use crate::scene::{Place, blocks, names, results};

/// Processes in a race; what each does with an existing folder goes round.
const RACERS: usize = 9;

/// Races from each start.
const ROUNDS: usize = 4;

/// How long a race takes at most.
const PATIENCE: Duration = Duration::from_secs(100);

/// Ends after a few steps.
struct Soon;

impl Progress for Soon {
    fn step(&mut self, done: u64) -> ControlFlow<()> {
        if done < 7 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// Processes that are killed, each by its own id, when a test ends early.
struct Racers(Vec<Child>);

impl Drop for Racers {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Racers {
    /// How many have ended.
    fn ended(&mut self) -> usize {
        let has_ended = |child: &mut Child| matches!(child.try_wait(), Ok(Some(_)));
        self.0.iter_mut().map(has_ended).filter(|ended| *ended).count()
    }

    /// Waits until all but so many have ended.
    #[track_caller]
    fn wait_for_all_but(&mut self, left: usize) {
        let start = Instant::now();
        while self.ended() < self.0.len() - left {
            assert!(start.elapsed() < PATIENCE, "{} of {RACERS} ended", self.ended());
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// One race on the folder of a place; returns the errors of those who lost.
fn race(place: &Place, round: usize) -> Vec<String> {
    let [begin, go_on] = ["begin", "go-on"].map(|name| place.path().join(name));
    let spawn = |k: usize| {
        let existing = ["replace", "resume", "refuse"][(k + round) % 3];
        let mut command = child::racing(&place.run(), existing, [&begin, &go_on]);
        command.stdout(Stdio::piped()).spawn().unwrap()
    };
    let mut racers = Racers((0..RACERS).map(spawn).collect());
    fs::write(&begin, "").unwrap();
    racers.wait_for_all_but(1);
    // The others found the folder locked or taken: the winner is still at its first step.
    assert_eq!(racers.ended(), RACERS - 1, "no one won");
    fs::write(&go_on, "").unwrap();
    racers.wait_for_all_but(0);
    let said = std::mem::take(&mut racers.0).into_iter().map(|child| {
        String::from_utf8_lossy(&child.wait_with_output().unwrap().stdout).into_owned()
    });
    let error =
        |said: String| Some(said.lines().find_map(|l| l.split_once(child::ERROR))?.1.to_owned());
    said.filter_map(error).collect()
}

#[test]
fn of_many_processes_one_writes_and_the_others_say_why_not() {
    let place = Place::new("race");
    let whole = place.path().join("whole");
    let expected = run(blocks(), &whole, RunSettings::default(), &mut ()).unwrap();
    for round in 0..2 * ROUNDS {
        if round % 2 == 1 {
            // Half a run is there: it may be resumed or replaced.
            run(blocks(), &place.run(), RunSettings::default(), &mut Soon).unwrap();
        }
        let errors = race(&place, round);
        assert_eq!(errors.len(), RACERS - 1, "{errors:?}");
        let is_clear = |error: &String| {
            error.ends_with("out: locked by another pliant process")
                || error.contains("out: exists already; --resume continues")
        };
        assert!(errors.iter().all(is_clear), "{errors:?}");
        assert!(results(&place.run()) == results(&whole), "round {round}");
        let text = fs::read(place.run().join("summary.json")).unwrap();
        let summary: Summary = serde_json::from_slice(&text).unwrap();
        assert_eq!((summary.ended.as_str(), summary.digest), ("finished", expected.digest.clone()));
        assert!(names(&place.run()).iter().all(|name| !name.ends_with(".part")));
        for name in ["out", "begin", "go-on"] {
            let path = place.path().join(name);
            let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
        }
    }
}
