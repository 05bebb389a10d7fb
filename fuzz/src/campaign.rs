//! Many inputs for one target, and what is kept of those that fail.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::judge::{Failure, Judged, judge};
use crate::mutate::Mutator;
use crate::shrink::shrink;
use crate::target::Target;
use crate::watchdog::Watchdog;

/// Time for one input at most.
pub const LIMIT: Duration = Duration::from_secs(5);

/// The input in progress; left behind by a process that was ended.
pub const CURRENT: &str = "current";

/// Failures of different kinds after which a target is left.
const MOST_FAILURES: usize = 20;

/// How long a campaign lasts.
#[derive(Clone, Copy, Debug)]
pub enum Length {
    /// Time on the wall clock.
    Time(Duration),
    /// Inputs.
    Inputs(usize),
}

/// What a campaign found.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Inputs given.
    pub inputs: usize,
    /// Inputs accepted.
    pub accepted: usize,
    /// Time in all, s.
    pub seconds: f64,
    /// Longest time of an input, s.
    pub longest: f64,
    /// Largest peak of memory, bytes.
    pub peak: usize,
    /// One of each kind, with the file that shows it.
    pub failures: Vec<(Failure, PathBuf)>,
}

/// Where a campaign keeps its files.
#[derive(Debug)]
pub struct Folders {
    /// Failing inputs.
    pub kept: PathBuf,
    /// Files of targets that read files.
    pub scratch: tempfile::TempDir,
}

impl Folders {
    /// Made for a target below a folder.
    pub fn new(below: &Path, target: &Target) -> io::Result<Folders> {
        let kept = below.join(target.name);
        fs::create_dir_all(&kept)?;
        Ok(Folders { kept, scratch: scratch()? })
    }
}

/// A folder that removes itself, in memory where the system has such.
fn scratch() -> io::Result<tempfile::TempDir> {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())
}

/// Settings of a campaign.
#[derive(Clone, Copy, Debug)]
pub struct CampaignSettings {
    /// How long it lasts.
    pub length: Length,
    /// Number from which all inputs follow.
    pub seed: u64,
    /// Time for one input at most.
    pub limit: Duration,
}

/// Gives the seeds to a target, then what follows from them, until the campaign is over.
pub fn run(
    target: &Target,
    seeds: Vec<Vec<u8>>,
    settings: CampaignSettings,
    folders: &Folders,
) -> io::Result<Tally> {
    let current = folders.kept.join(CURRENT);
    let watchdog = Watchdog::new(settings.limit, current.clone());
    let given = |input: &[u8]| -> io::Result<Judged> {
        fs::write(&current, input)?;
        watchdog.begin();
        let judged = judge(target, input, folders.scratch.path());
        watchdog.end();
        Ok(judged)
    };
    let mut found = Tally::default();
    let mut mutator = Mutator::new(seeds.clone(), settings.seed);
    let mut whole = seeds.into_iter();
    let start = Instant::now();
    while goes_on(settings.length, start, &found) {
        let mut input = whole.next().unwrap_or_else(|| mutator.next());
        if let Some(repair) = target.repair {
            repair(&mut input);
        }
        let judged = given(&input)?;
        found.add(&judged);
        match judged.failure {
            Some(failure) if found.is_new(&failure) => {
                let small = shrink(input, |smaller| {
                    given(smaller).is_ok_and(|judged| {
                        judged.failure.is_some_and(|other| other.kind == failure.kind)
                    })
                });
                let file = keep(&folders.kept, &small)?;
                found.failures.push((failure, file));
            }
            None if judged.accepted => mutator.keep(input),
            _ => {}
        }
    }
    found.seconds = start.elapsed().as_secs_f64();
    fs::remove_file(&current)?;
    Ok(found)
}

fn goes_on(length: Length, start: Instant, found: &Tally) -> bool {
    let more = match length {
        Length::Time(time) => start.elapsed() < time,
        Length::Inputs(count) => found.inputs < count,
    };
    more && found.failures.len() < MOST_FAILURES
}

/// Saves an input under the name of its digest.
pub fn keep(folder: &Path, input: &[u8]) -> io::Result<PathBuf> {
    let file = folder.join(&blake3::hash(input).to_hex()[..16]);
    fs::write(&file, input)?;
    Ok(file)
}

impl Tally {
    fn add(&mut self, judged: &Judged) {
        self.inputs += 1;
        self.accepted += usize::from(judged.accepted);
        self.longest = self.longest.max(judged.seconds);
        self.peak = self.peak.max(judged.peak);
    }

    fn is_new(&self, failure: &Failure) -> bool {
        self.failures.iter().all(|(known, _)| known.kind != failure.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocations::ALONE;
    use crate::target;

    /// Inputs per target.
    const INPUTS: usize = 120;

    #[test]
    fn every_target_survives_a_few_hundred_inputs() {
        let _alone = ALONE.lock();
        let below = scratch().unwrap();
        for target in target::all() {
            let folders = Folders::new(below.path(), &target).unwrap();
            // Not optimized, and on a machine that may be busy.
            let limit = 12 * LIMIT;
            let settings = CampaignSettings { length: Length::Inputs(INPUTS), seed: 1, limit };
            let found = run(&target, (target.seeds)(), settings, &folders).unwrap();
            assert!(found.failures.is_empty(), "{}: {:?}", target.name, found.failures);
            assert!(found.accepted > 0, "{}: nothing is accepted", target.name);
        }
    }

    #[test]
    fn every_seed_is_accepted() {
        let _alone = ALONE.lock();
        let scratch = scratch().unwrap();
        for target in target::all() {
            for seed in (target.seeds)() {
                let judged = judge(&target, &seed, scratch.path());
                let text = String::from_utf8_lossy(&seed);
                assert!(judged.accepted, "{}: {text}", target.name);
            }
        }
    }
}
