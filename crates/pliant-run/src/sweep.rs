//! One scene run over a grid of settings, each run a process of its own: `pliant sweep`.
//!
//! ```text
//!  values × values × seeds ─▶ run-0000, run-0001, … (processes) ─▶ sweep.csv, a row per run
//! ```
//!
//! The table is replaced whole after each run. What was begun can be resumed: finished runs are
//! left alone, others continue from their checkpoints. A run that fails keeps its row.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use pliant_io::atomic_file::{self, io_message};
use pliant_io::regular_file;
use pliant_scene::SceneError;
use serde::{Deserialize, Serialize};

use crate::compare::Variants;
use crate::run::cell::{name_cell, number_cell};
use crate::run::folder::{FINISHED, INTERRUPTED, read_summary};
use crate::scene::{absolute, load};
use crate::summary::Summary;

/// The table, a row per run.
pub const TABLE: &str = "sweep.csv";

/// Marks the folder of a sweep, and says what it is of.
pub const PLAN: &str = "sweep.json";

/// Runs of a sweep at most.
const MOST_RUNS: usize = 100_000;

/// `ended` of a run that has not begun.
const PENDING: &str = "pending";

/// `ended` of a run whose scene or arguments were refused.
const REFUSED: &str = "refused";

/// `ended` of a run whose process ended without a summary.
const CRASHED: &str = "crashed";

/// Exit code of a program that refuses its input.
const BAD_INPUT: i32 = 2;

/// Columns of the table after number, folder and what is varied.
const COLUMNS: [&str; 21] = [
    "ended",
    "error",
    "warnings",
    "steps",
    "simulated_s",
    "cpu_s",
    "wall_s",
    "realtime_factor",
    "kinetic",
    "elastic",
    "rms_speed",
    "max_speed",
    "penetrating_vertices",
    "edge_crossings",
    "max_depth",
    "inverted_tets",
    "obstacle_vertices",
    "obstacle_depth",
    "momentum_error",
    "unconverged_steps",
    "digest",
];

/// What a sweep is of; two that are equal are the same sweep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The scene: a built-in name, or the absolute path of a file.
    pub scene: String,
    /// `name=value` of all runs.
    pub sets: Vec<String>,
    /// What is varied: key and values; every combination is a run, the last varies fastest.
    pub vary: Vec<(String, Vec<String>)>,
}

/// How a sweep is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SweepSettings {
    /// Processes at a time; at least 1.
    pub jobs: usize,
    /// Threads of each.
    pub threads: usize,
    /// Whether a sweep that is there is continued.
    pub existing: IfSwept,
}

/// What to do with a folder that holds a sweep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IfSwept {
    /// Leave it alone: an error.
    #[default]
    Refuse,
    /// Make the runs that are not finished.
    Resume,
}

/// How a sweep ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Swept {
    /// The table.
    pub table: String,
    /// Runs in all.
    pub runs: usize,
    /// Those that finished.
    pub finished: usize,
    /// Those that failed, crashed or were refused.
    pub failed: usize,
    /// Those that were interrupted or not begun.
    pub left: usize,
}

/// Why a sweep cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// A key that is varied twice, or no value of it.
    #[error("{0}")]
    Plan(String),
    /// The scene with the first values.
    #[error("{0}")]
    Scene(#[from] SceneError),
    /// The folder exists.
    #[error(
        "{}: exists already; --resume makes the runs of it that are not finished, --out names another folder",
        path.display()
    )]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// A folder that holds something else.
    #[error("{}: {what}; nothing was changed; --out names another folder", path.display())]
    Other {
        /// The folder.
        path: PathBuf,
        /// What it holds.
        what: String,
    },
    /// A file that cannot be read or written.
    #[error("{}: {}", path.display(), io_message(error))]
    File {
        /// The file.
        path: PathBuf,
        /// The I/O error.
        error: io::Error,
    },
}

impl Plan {
    /// A sweep over all combinations of the variants, and `seeds` values of `seed` where given.
    pub fn new(
        scene: &Path,
        sets: &[String],
        variants: &[Variants],
        seeds: Option<u32>,
    ) -> Result<Plan, SweepError> {
        // Before any list is made: a count may be absurd.
        let counts = variants.iter().map(|variant| variant.values.len());
        let counts = counts.chain(seeds.map(|count| count as usize));
        // A list without values is refused below; it must not hide how long the others are.
        let runs = counts.map(|count| count.max(1)).fold(1_usize, usize::saturating_mul);
        if runs > MOST_RUNS {
            let message = format!("{runs} runs are too many: at most {MOST_RUNS}");
            return Err(SweepError::Plan(message));
        }
        let seeds = seeds.map(|count| Variants {
            key: "seed".to_string(),
            values: (0..count).map(|seed| seed.to_string()).collect(),
        });
        let mut vary: Vec<(String, Vec<String>)> = Vec::new();
        for Variants { key, values } in variants.iter().cloned().chain(seeds) {
            if vary.iter().any(|(known, _)| *known == key) {
                return Err(SweepError::Plan(format!("{key} is varied twice")));
            }
            let mut sorted: Vec<&String> = values.iter().collect();
            sorted.sort_unstable();
            if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(SweepError::Plan(format!("{key}: {} is named twice", twice[0])));
            }
            if values.is_empty() || values.iter().any(String::is_empty) {
                return Err(SweepError::Plan(format!("{key}: name values, as in {key}=1,2,3")));
            }
            vary.push((key, values));
        }
        if vary.is_empty() {
            return Err(SweepError::Plan("name what to vary, as in --vary dt=0.01,0.02".into()));
        }
        let scene = absolute(scene).to_string_lossy().into_owned();
        Ok(Plan { scene, sets: sets.to_vec(), vary })
    }

    /// Number of runs.
    pub fn runs(&self) -> usize {
        self.vary.iter().map(|(_, values)| values.len()).product()
    }

    /// The value of each key in a run.
    fn values(&self, mut run: usize) -> Vec<&str> {
        let mut found = Vec::new();
        for (_, values) in self.vary.iter().rev() {
            found.push(values[run % values.len()].as_str());
            run /= values.len();
        }
        found.reverse();
        found
    }

    /// All that a run sets.
    fn sets(&self, run: usize) -> Vec<String> {
        let varied = self.vary.iter().zip(self.values(run));
        let varied = varied.map(|((key, _), value)| format!("{key}={value}"));
        self.sets.iter().cloned().chain(varied).collect()
    }
}

/// Name of the folder of a run.
fn folder_name(run: usize) -> String {
    format!("run-{run:04}")
}

/// How one run ended.
#[derive(Clone, Debug)]
struct Outcome {
    ended: String,
    error: String,
    summary: Option<Box<Summary>>,
}

impl Outcome {
    fn new(ended: &str, error: &str) -> Outcome {
        Outcome { ended: ended.to_string(), error: error.to_string(), summary: None }
    }

    /// What the folder of a run says; none where it has no summary.
    fn of_folder(folder: &Path) -> Option<Outcome> {
        let summary = read_summary(folder).ok()??;
        let error = summary.error.clone().unwrap_or_default();
        Some(Outcome { ended: summary.ended.clone(), error, summary: Some(Box::new(summary)) })
    }
}

/// A sweep in its folder, whose runs are made by whoever has it: processes here, or a cluster.
///
/// The table is written when it begins, and after each run that ends.
#[derive(Debug)]
pub struct Sweep {
    plan: Plan,
    folder: PathBuf,
    outcomes: Vec<Outcome>,
}

/// One run to be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Job {
    /// Its number.
    pub run: usize,
    /// Its folder.
    pub folder: PathBuf,
    /// The scene: a built-in name, or the absolute path of a file.
    pub scene: String,
    /// `name=value` of all that it sets.
    pub sets: Vec<String>,
    /// Whether what is in its folder is replaced: a run that failed would fail again from its
    /// checkpoint.
    pub starts_over: bool,
}

/// How whoever made a run saw it end; what its folder says counts more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEnd {
    /// It ended by itself.
    Ended,
    /// Its scene or arguments were refused, with a message.
    Refused(String),
    /// It ended without a summary, with a message.
    Crashed(String),
}

impl Sweep {
    /// Loads the scene with the first values, makes the folder or takes that of the same sweep, and
    /// writes the table.
    pub fn begin(plan: Plan, folder: &Path, existing: IfSwept) -> Result<Sweep, SweepError> {
        load(Path::new(&plan.scene), &plan.sets(0))?;
        acquire(&plan, folder, existing)?;
        let outcome = |run| {
            let known = Outcome::of_folder(&folder.join(folder_name(run)));
            known.unwrap_or_else(|| Outcome::new(PENDING, ""))
        };
        let outcomes = (0..plan.runs()).map(outcome).collect();
        let sweep = Sweep { plan, folder: folder.to_path_buf(), outcomes };
        sweep.write_table()?;
        Ok(sweep)
    }

    /// What it is of.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Runs that are not finished, in order.
    pub fn open_runs(&self) -> Vec<usize> {
        (0..self.outcomes.len()).filter(|run| self.outcomes[*run].ended != FINISHED).collect()
    }

    /// What is to be done for a run; none where there is no such run.
    pub fn job(&self, run: usize) -> Option<Job> {
        let outcome = self.outcomes.get(run)?;
        Some(Job {
            run,
            folder: self.folder.join(folder_name(run)),
            scene: self.plan.scene.clone(),
            sets: self.plan.sets(run),
            starts_over: outcome.summary.is_some() && outcome.ended != INTERRUPTED,
        })
    }

    /// Takes in how a run ended and writes the table; a run that is not there changes nothing.
    pub fn end_run(&mut self, run: usize, end: RunEnd) -> Result<(), SweepError> {
        let folder = self.folder.join(folder_name(run));
        let Some(own) = self.outcomes.get_mut(run) else { return Ok(()) };
        *own = match (end, Outcome::of_folder(&folder)) {
            (RunEnd::Refused(message), _) => Outcome::new(REFUSED, &message),
            (_, Some(outcome)) => outcome,
            (RunEnd::Crashed(message), None) => Outcome::new(CRASHED, &message),
            (RunEnd::Ended, None) => Outcome::new(CRASHED, "ended without a summary"),
        };
        self.write_table()
    }

    /// How far it is.
    pub fn swept(&self) -> Swept {
        let count = |wanted: &[&str]| {
            self.outcomes.iter().filter(|outcome| wanted.contains(&outcome.ended.as_str())).count()
        };
        let (finished, left) = (count(&[FINISHED]), count(&[PENDING, INTERRUPTED]));
        Swept {
            table: self.folder.join(TABLE).display().to_string(),
            runs: self.plan.runs(),
            finished,
            failed: self.plan.runs() - finished - left,
            left,
        }
    }

    fn write_table(&self) -> Result<(), SweepError> {
        let path = self.folder.join(TABLE);
        let text = table(&self.plan, &self.outcomes);
        atomic_file::write(&path, text.as_bytes()).map_err(|error| SweepError::File { path, error })
    }
}

/// Makes all runs of a plan into a folder, each by a process of `program`, which is this program and
/// what comes before its arguments.
///
/// `on_run` is called with the runs that have ended, from several threads, and may request a stop: no
/// further run is begun then. The scene with the first values is loaded before anything runs.
pub fn sweep(
    plan: &Plan,
    folder: &Path,
    program: &[OsString],
    settings: SweepSettings,
    on_run: &(dyn Fn(usize) -> bool + Sync),
) -> Result<Swept, SweepError> {
    let begun = Sweep::begin(plan.clone(), folder, settings.existing)?;
    let open = begun.open_runs();
    let jobs: Vec<Job> = open.iter().filter_map(|run| begun.job(*run)).collect();
    let (next, ended) = (AtomicUsize::new(0), AtomicUsize::new(plan.runs() - open.len()));
    let shared = Mutex::new((begun, Ok(())));
    std::thread::scope(|scope| {
        for _ in 0..settings.jobs.clamp(1, open.len().max(1)) {
            scope.spawn(|| {
                while !on_run(ended.load(Ordering::Relaxed)) {
                    let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    let end = one(job, program, settings.threads);
                    ended.fetch_add(1, Ordering::Relaxed);
                    let mut shared = shared.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                    let written = shared.0.end_run(job.run, end);
                    if written.is_err() {
                        shared.1 = written;
                        break;
                    }
                }
            });
        }
    });
    let (swept, written) = shared.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    written.map(|()| swept.swept())
}

/// Makes the folder, or takes that of the same sweep.
fn acquire(plan: &Plan, folder: &Path, existing: IfSwept) -> Result<(), SweepError> {
    let (path, file) = (folder.to_path_buf(), folder.join(PLAN));
    let failed = |path: &Path| {
        let path = path.to_path_buf();
        move |error| SweepError::File { path, error }
    };
    let is_empty = match std::fs::read_dir(folder) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            std::fs::create_dir_all(folder).map_err(failed(folder))?;
            true
        }
        Err(error) => return Err(failed(folder)(error)),
    };
    if !is_empty {
        let text = match regular_file::read(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let what = format!("not a sweep (it has no {PLAN})");
                return Err(SweepError::Other { path, what });
            }
            Err(error) => return Err(failed(&file)(error)),
        };
        if existing == IfSwept::Refuse {
            return Err(SweepError::Exists { path });
        }
        if serde_json::from_slice::<Plan>(&text).ok().as_ref() != Some(plan) {
            let what = "holds a sweep of another scene or other values".to_string();
            return Err(SweepError::Other { path, what });
        }
        return Ok(());
    }
    let text = serde_json::to_string_pretty(plan).map_err(|error| failed(&file)(error.into()))?;
    atomic_file::write(&file, (text + "\n").as_bytes()).map_err(failed(&file))
}

/// Makes one run, or the rest of it, in a process.
fn one(job: &Job, program: &[OsString], threads: usize) -> RunEnd {
    let Some((first, before)) = program.split_first() else {
        return RunEnd::Crashed("no program to run".to_owned());
    };
    let mut command = Command::new(first);
    command.args(before).arg("--quiet").arg("run").arg(&job.scene).arg("--out").arg(&job.folder);
    command.arg(if job.starts_over { "--force" } else { "--resume" });
    command.args(["--threads", &threads.max(1).to_string()]);
    for set in &job.sets {
        command.arg("--set").arg(set);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => return RunEnd::Crashed(io_message(&error)),
    };
    let said = String::from_utf8_lossy(&output.stderr);
    let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    match output.status.code() {
        Some(BAD_INPUT) => RunEnd::Refused(first.to_owned()),
        Some(code) => RunEnd::Crashed(format!("ended by code {code}: {first}")),
        None => RunEnd::Crashed(format!("ended by a signal: {first}")),
    }
}

fn table(plan: &Plan, outcomes: &[Outcome]) -> String {
    let keys = plan.vary.iter().map(|(key, _)| name_cell(key).into_owned());
    let heading = ["run".to_string(), "folder".to_string()].into_iter().chain(keys);
    let heading = heading.chain(COLUMNS.map(str::to_string));
    let mut text = heading.collect::<Vec<_>>().join(",") + "\n";
    for (run, outcome) in outcomes.iter().enumerate() {
        text += &format!("{run},{}", folder_name(run));
        for value in plan.values(run).into_iter().chain([&*outcome.ended, &*outcome.error]) {
            text.push(',');
            text += &name_cell(value);
        }
        row(outcome.summary.as_deref(), &mut text);
        text.push('\n');
    }
    text
}

/// The numbers of a run, or as many empty cells.
fn row(summary: Option<&Summary>, text: &mut String) {
    let Some(summary) = summary else {
        return text.extend(std::iter::repeat_n(',', COLUMNS.len() - 2));
    };
    let numbers = [
        summary.warnings.len() as f64,
        summary.steps as f64,
        summary.simulated_s,
        summary.cpu_s,
        summary.wall_s,
        summary.realtime_factor,
        summary.kinetic,
        summary.elastic,
        summary.rms_speed,
        summary.max_speed,
        summary.penetrating_vertices as f64,
        summary.edge_crossings as f64,
        summary.max_depth,
        summary.inverted_tets as f64,
        summary.obstacle_vertices as f64,
        summary.obstacle_depth,
        summary.momentum_error,
        summary.unconverged_steps as f64,
    ];
    for number in numbers {
        text.push(',');
        number_cell(number, text);
    }
    text.push(',');
    text.push_str(&name_cell(&summary.digest));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::cell::cells;

    fn variants(key: &str, values: &[&str]) -> Variants {
        let values = values.iter().map(|value| (*value).to_string()).collect();
        Variants { key: key.to_string(), values }
    }

    #[test]
    fn every_combination_is_a_run_and_the_last_key_varies_fastest() {
        let vary = [variants("a", &["1", "2"]), variants("b", &["x", "y", "z"])];
        let plan = Plan::new(Path::new("block"), &["c=3".to_string()], &vary, Some(2)).unwrap();
        assert_eq!(plan.runs(), 12);
        assert_eq!(plan.sets(0), ["c=3", "a=1", "b=x", "seed=0"]);
        assert_eq!(plan.sets(1), ["c=3", "a=1", "b=x", "seed=1"]);
        assert_eq!(plan.sets(11), ["c=3", "a=2", "b=z", "seed=1"]);
    }

    #[test]
    fn what_is_no_plan_is_refused() {
        let check = |vary: &[Variants], seeds, expected: &str| {
            let error = Plan::new(Path::new("block"), &[], vary, seeds).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(&[], None, "name what to vary");
        check(&[variants("a", &["1"]), variants("a", &["2"])], None, "a is varied twice");
        check(&[variants("a", &["1", "1"])], None, "a: 1 is named twice");
        check(&[variants("a", &[""])], None, "a: name values");
        check(&[variants("seed", &["1"])], Some(2), "seed is varied twice");
        check(
            &[variants("a", &["1", "2"])],
            Some(90_000),
            "180000 runs are too many: at most 100000",
        );
        check(&[], Some(u32::MAX), "4294967295 runs are too many");
        check(&[variants("a", &[])], Some(u32::MAX), "4294967295 runs are too many");
    }

    #[test]
    fn a_row_has_a_cell_per_column_whatever_went_wrong() {
        let plan = Plan::new(Path::new("block"), &[], &[variants("a", &["1", "2"])], None).unwrap();
        let outcomes = [Outcome::new(CRASHED, "ended, by \"a signal\""), Outcome::new(PENDING, "")];
        let text = table(&plan, &outcomes);
        let lines: Vec<Vec<String>> = text.lines().map(cells).collect();
        assert_eq!(lines.len(), 3);
        assert!(lines.iter().all(|line| line.len() == 3 + COLUMNS.len()), "{text}");
        assert_eq!(lines[1][..5], ["0", "run-0000", "1", "crashed", "ended, by \"a signal\""]);
    }
}
