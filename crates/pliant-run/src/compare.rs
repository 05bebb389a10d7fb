//! One scene run with several settings, side by side: `pliant compare`.

use std::io;
use std::path::{Path, PathBuf};

use crate::player::view::{NamedRun, packed_runs};
use crate::player::{MOST_BYTES, Player};
use crate::report::compared::{Compared, page};
use crate::report::run_report::{last_picture, of_run};
use crate::run::folder::{INTERRUPTED, RECORDING, REPORT, SERIES, read_summary};
use crate::run::marker::Origin;
use crate::run::{Progress, RunError, RunSettings, run, series};
use crate::scene::{absolute, load};
use crate::summary::Summary;
use pliant_io::atomic_file::{self, io_message};
use pliant_scene::SceneError;
use pliant_scene::diagnostic::SET;

/// What is different from run to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variants {
    /// Key of the scene that is set, as `response` or `integrator`.
    pub key: String,
    /// Its values, one run each.
    pub values: Vec<String>,
}

/// How scenes are run and shown.
#[derive(Clone, Debug, Default)]
pub struct CompareSettings<'a> {
    /// Of every run; without a report of its own, the plain one.
    pub run: RunSettings,
    /// The player that shows all runs side by side, where there is one.
    pub player: Option<Player<'a>>,
}

/// Why scenes cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// Nothing to compare.
    #[error("name at least two values to compare, as in --{0} a,b")]
    TooFew(String),
    /// The same twice.
    #[error("{0} is named twice")]
    Twice(String),
    /// The scene with one of the values.
    #[error("{0}")]
    Scene(#[from] SceneError),
    /// A run that could not be started.
    #[error("{value}: {error}")]
    Run {
        /// The value it was to run with.
        value: String,
        /// Why not.
        error: Box<RunError>,
    },
    /// A file.
    #[error("{}: {}", path.display(), io_message(error))]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// Runs a scene once per value, each into a folder of its own, and writes one report of all.
///
/// A run that fails is compared up to its failure. All scenes are loaded before the first is
/// run, so that a wrong value costs nothing. A run that is interrupted is the last: it and those
/// before are kept and compared.
pub fn compare(
    source: &Path,
    sets: &[String],
    variants: &Variants,
    folder: &Path,
    settings: &CompareSettings<'_>,
    progress: &mut dyn Progress,
) -> Result<Vec<(String, Summary)>, CompareError> {
    if variants.values.len() < 2 {
        return Err(CompareError::TooFew(variants.key.clone()));
    }
    let mut scenes = Vec::new();
    for (index, value) in variants.values.iter().enumerate() {
        if variants.values[..index].contains(value) {
            return Err(CompareError::Twice(value.clone()));
        }
        let set = format!("{}={value}", variants.key);
        let sets = [sets, &[set]].concat();
        let loaded = load(source, &sets).map_err(|error| as_asked(error, variants, value))?;
        let source = absolute(source).to_string_lossy().into_owned();
        scenes.push((loaded, Origin { source, sets }));
    }
    let name = scenes.first().map_or_else(String::new, |(scene, _)| scene.info.scene.clone());
    let (mut done, mut folders) = (Vec::new(), Vec::new());
    for (number, (value, (scene, origin))) in variants.values.iter().zip(scenes).enumerate() {
        let own = folder.join(folder_name(value, number));
        let report = settings.run.report.or(Some(of_run));
        let settings = RunSettings { report, origin, ..settings.run.clone() };
        progress.next_run(value);
        folders.push(NamedRun { name: value.clone(), path: own.clone() });
        let summary = match run(scene, &own, settings, progress) {
            Ok(summary) => summary,
            // The summary of a failed run is in its folder.
            Err(error) => match read_summary(&own) {
                Ok(Some(summary)) if !error.is_input() => summary,
                _ => {
                    let (value, error) = (value.clone(), error.into());
                    return Err(CompareError::Run { value, error });
                }
            },
        };
        let path = own.join(SERIES);
        let rows = series::read(&path).map_err(|error| CompareError::File { path, error })?;
        let is_broken_off = summary.ended == INTERRUPTED;
        let picture = last_picture(&own.join(RECORDING));
        done.push((value.clone(), summary, rows, own, picture));
        if is_broken_off {
            break;
        }
    }
    let names = done.iter().map(|(.., own, _)| {
        own.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    });
    let names: Vec<String> = names.collect();
    let runs = done.iter().zip(&names).map(|((name, summary, rows, _, picture), folder)| {
        Compared { name, folder, summary, rows, picture: picture.as_deref() }
    });
    // A recording that cannot be read is no reason to lose the comparison.
    let played = settings.player.and_then(|player| {
        packed_runs(&folders, MOST_BYTES).ok().map(|packed| player.elements(&packed))
    });
    let text = page(&name, &variants.key, &runs.collect::<Vec<_>>(), played.as_deref());
    let path = folder.join(REPORT);
    atomic_file::write(&path, text.as_bytes())
        .map_err(|error| CompareError::File { path, error })?;
    Ok(done.into_iter().map(|(value, summary, ..)| (value, summary)).collect())
}

/// Name of the folder of a run: its value, or its number where that is no plain name.
fn folder_name(value: &str, number: usize) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ['-', '_', '+', '.'].contains(&c);
    match value.chars().all(is_plain) && !value.starts_with('.') && !value.is_empty() {
        true => value.to_owned(),
        false => format!("run-{number}"),
    }
}

/// The same error placed in the argument of `--response` or the like, where it names a setting
/// that the user did not write.
fn as_asked(mut error: SceneError, variants: &Variants, value: &str) -> SceneError {
    let before = format!("{}=", variants.key);
    for place in error.diagnostics.iter_mut().filter_map(|found| found.place.as_mut()) {
        let (own, skipped) = (before.clone() + value, before.chars().count());
        if place.origin == SET && place.text == own && place.underlined.start >= skipped {
            place.origin = format!("--{}", variants.key);
            place.text = value.to_owned();
            place.column -= skipped;
            place.underlined = place.underlined.start - skipped..place.underlined.end - skipped;
        }
    }
    error
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;

    #[test]
    fn a_value_that_is_no_plain_name_does_not_leave_the_folder() {
        assert_eq!(folder_name("-9.81e0", 3), "-9.81e0");
        for value in ["../up", "..", "/etc", "", "[0, 0, 1]", "a b", "x\u{202e}"] {
            assert_eq!(folder_name(value, 3), "run-3");
        }
    }

    fn try_values(values: &[&str]) -> CompareError {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        let variants = Variants { key: "integrator".to_owned(), values };
        let nowhere = Path::new("/dev/null/at/all");
        let settings = CompareSettings::default();
        compare("integrators".as_ref(), &[], &variants, nowhere, &settings, &mut ()).unwrap_err()
    }

    #[test]
    fn what_cannot_be_compared_is_told_before_anything_runs() {
        assert!(matches!(try_values(&["rk4"]), CompareError::TooFew(_)));
        assert!(matches!(try_values(&["rk4", "rk4"]), CompareError::Twice(_)));
        assert!(matches!(try_values(&["rk4", "leapfrog"]), CompareError::Scene(_)));
        assert!(matches!(try_values(&["rk4", "verlet"]), CompareError::Run { .. }));
    }

    #[test]
    fn a_run_that_fails_is_compared_as_far_as_it_came() {
        let folder = std::env::temp_dir().join(format!("pliant-failing-{}", std::process::id()));
        let values = ["explicit-euler", "implicit-euler"].map(str::to_owned).to_vec();
        let variants = Variants { key: "integrator".to_owned(), values };
        let sets = ["dt=0.5".to_owned(), "duration=400".to_owned()];
        let settings = CompareSettings::default();
        let done =
            compare("integrators".as_ref(), &sets, &variants, &folder, &settings, &mut ()).unwrap();
        let ended: Vec<_> = done.iter().map(|(_, summary)| summary.ended.as_str()).collect();
        assert_eq!(ended, ["failed", "finished"]);
        assert!(folder.join(REPORT).exists());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    /// Interrupts the second run in its third step, and records the names it receives.
    #[derive(Default)]
    struct Impatient(Vec<String>);

    impl Progress for Impatient {
        fn next_run(&mut self, name: &str) {
            self.0.push(name.to_owned());
        }

        fn step(&mut self, done: u64) -> ControlFlow<()> {
            let enough = self.0.len() == 2 && done == 3;
            if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }

    #[test]
    fn a_value_is_faulted_where_it_was_asked_for() {
        let reported = try_values(&["rk4", "leapfrog"]).to_string();
        let expected =
            "--integrator:1:1: unknown value `leapfrog`\n   |\n 1 | leapfrog\n   | ^^^^^^^^\n";
        assert!(reported.starts_with(expected), "{reported}");
    }

    #[test]
    fn a_run_that_is_broken_off_is_the_last_and_all_are_kept() {
        let folder = std::env::temp_dir().join(format!("pliant-impatient-{}", std::process::id()));
        let values = ["verlet", "rk4", "implicit-euler"].map(str::to_owned).to_vec();
        let variants = Variants { key: "integrator".to_owned(), values };
        let (sets, settings) = (["duration=2".to_owned()], CompareSettings::default());
        let mut progress = Impatient::default();
        let done =
            compare("integrators".as_ref(), &sets, &variants, &folder, &settings, &mut progress)
                .unwrap();
        let ended: Vec<_> =
            done.iter().map(|(name, s)| (name.as_str(), s.ended.as_str())).collect();
        assert_eq!(ended, [("verlet", "finished"), ("rk4", "interrupted")]);
        assert_eq!((progress.0, done[1].1.steps), (vec!["verlet".into(), "rk4".into()], 3));
        assert!(folder.join(REPORT).exists() && folder.join("rk4").join(REPORT).exists());
        assert!(!folder.join("implicit-euler").exists());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn integrators_are_compared_on_one_page() {
        let folder = std::env::temp_dir().join(format!("pliant-compare-{}", std::process::id()));
        let values = ["explicit-euler", "verlet", "implicit-euler"].map(str::to_owned).to_vec();
        let variants = Variants { key: "integrator".to_owned(), values };
        let sets = ["duration=2".to_owned()];
        let settings = CompareSettings::default();
        let done =
            compare("integrators".as_ref(), &sets, &variants, &folder, &settings, &mut ()).unwrap();
        let page = std::fs::read_to_string(folder.join(REPORT)).unwrap();
        for (name, summary) in &done {
            assert!(page.contains(name.as_str()), "{name}");
            assert!(folder.join(name).join(REPORT).exists());
            assert_eq!(&summary.integrator, name);
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
