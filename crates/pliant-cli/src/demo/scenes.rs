//! Scenes of the demonstration: each is run and described, and all are put on one page.

use std::fs;
use std::path::{Path, PathBuf};

use pliant_io::atomic_file;
use pliant_run::compare::{CompareSettings, Variants, compare};
use pliant_run::picture::frames::{PictureSettings, Shared, pictures};
use pliant_run::picture::png;
use pliant_run::player::view::{found_runs, packed_runs};
use pliant_run::player::{MOST_BYTES, PackedRun};
use pliant_run::recording::Recording;
use pliant_run::report::demonstration::{Part, page};
use pliant_run::run::folder::{INTERRUPTED, RECORDING, REPORT};
use pliant_run::run::{IfExists, RunSettings, run};
use pliant_run::scene::load;
use pliant_run::summary::Summary;

use super::Trouble;
use crate::progress::Bar;
use crate::show::{self, DIM, EarlyExit, GOOD, plain};
use pliant_pages::{player, report};

/// A scene of the demonstration.
struct Play {
    /// Name on the page.
    name: &'static str,
    scene: &'static str,
    text: &'static str,
    sets: &'static [&'static str],
    /// Responses to compare; the scene's own without any.
    responses: &'static [&'static str],
}

const PLAYS: [Play; 5] = [
    Play {
        name: "Press",
        scene: "squeezed-sphere",
        text: "A soft ball is squeezed: with its stress, pressure and contact forces",
        sets: &["record.fields=[\"stress\",\"pressure\"]", "record.contacts=true", "duration=4"],
        responses: &[],
    },
    Play {
        name: "Knot",
        scene: "knot",
        text: "Ten soft bodies start as one knot, come apart and settle",
        sets: &["duration=4"],
        responses: &[],
    },
    Play {
        name: "Two cubes",
        scene: "two-cubes",
        text: "Two soft cubes start 80 % inside each other, tilted",
        sets: &["overlap=0.8", "tilt=0.5"],
        responses: &["closest", "penalty", "constraint"],
    },
    Play {
        name: "Pile",
        scene: "sphere-pile",
        text: "120 soft balls drop into a box",
        sets: &["duration=6"],
        responses: &[],
    },
    Play {
        name: "Gears",
        scene: "gears",
        text: "A motor turns thirteen gears in the plane by their teeth",
        sets: &["duration=1"],
        responses: &[],
    },
];

/// Scenes.
pub const COUNT: usize = PLAYS.len();

/// Width and height of the pictures, pixels.
const SIZE: [u32; 2] = [720, 405];

/// A scene that was run.
struct Played {
    folder: PathBuf,
    runs: Vec<(String, Summary)>,
}

/// Runs all scenes, and writes one report of all: its path.
///
/// `begin` announces a scene by its index and heading.
pub fn play_all(
    out: &Path,
    begin: impl Fn(usize, &str) -> Result<(), EarlyExit>,
) -> Result<PathBuf, Trouble> {
    let mut played = Vec::new();
    for (index, play) in PLAYS.iter().enumerate() {
        begin(index, play.text)?;
        let done = play.run(out)?;
        show::remark(&done.lines())?;
        if done.runs.iter().any(|(_, summary)| summary.ended == INTERRUPTED) {
            return Err(Trouble::Interrupted);
        }
        played.push(done);
    }
    let path = out.join(REPORT);
    let page = whole(&played)?;
    atomic_file::write(&path, page.as_bytes())
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(fs::canonicalize(&path).unwrap_or(path))
}

impl Play {
    /// Runs it into a folder beside the meshes.
    fn run(&self, out: &Path) -> Result<Played, String> {
        let existing = IfExists::Replace;
        let settings = RunSettings { existing, report: Some(report), ..Default::default() };
        let folder = out.join(self.scene);
        let sets: Vec<String> = self.sets.iter().map(|set| set.to_string()).collect();
        let mut bar = Bar::new(self.scene)?;
        let runs = if self.responses.is_empty() {
            let scene = load(self.scene, &sets).map_err(|error| error.to_string())?;
            let done = run(scene, &folder, settings, &mut bar);
            let summary = done.map_err(|error| error.to_string())?;
            vec![(summary.response.clone(), summary)]
        } else {
            let values = self.responses.iter().map(|name| name.to_string()).collect();
            let variants = Variants { key: "response".to_owned(), values };
            let settings = CompareSettings { run: settings, player: player() };
            compare(self.scene.as_ref(), &sets, &variants, &folder, &settings, &mut bar)
                .map_err(|error| error.to_string())?
        };
        bar.clear();
        Ok(Played { folder, runs })
    }
}

impl Played {
    /// A line per run.
    fn lines(&self) -> String {
        let line = |(name, summary): &(String, Summary)| {
            format!(
                "{name:<12}{:>7} inside{:>6} crossings{:>10.1e} m/s{:>5} inverted{:>7.1} × real time\n",
                summary.penetrating_vertices,
                summary.edge_crossings,
                summary.rms_speed,
                summary.inverted_tets,
                summary.simulated_s / summary.cpu_s,
            )
        };
        let lines: String = self.runs.iter().map(line).collect();
        let time = self.runs.last().map_or(0.0, |(_, summary)| summary.simulated_s);
        let clean = |(_, s): &(String, Summary)| s.penetrating_vertices + s.edge_crossings == 0;
        let verdict = match self.runs.last().is_some_and(clean) {
            true => format!("{GOOD}nothing overlaps{GOOD:#} "),
            false => String::new(),
        };
        let report = plain(&self.folder.join(REPORT).display().to_string());
        format!("{DIM}after {time} s:{DIM:#}\n{lines}{verdict}{DIM}report{DIM:#} {report}\n")
    }

    /// The last frame of the last run for light and for dark pages, where it can be drawn.
    fn picture(&self) -> Option<[Vec<u8>; 2]> {
        let own = self.folder.join(RECORDING);
        let of_last = || Some(self.folder.join(&self.runs.last()?.0).join(RECORDING));
        let path = if own.exists() { own } else { of_last()? };
        let mut recording = Recording::open(&path).ok()?;
        let shared = Shared::new(&mut recording);
        let settings = PictureSettings { size: SIZE, ..Default::default() };
        let (_, images) = pictures(&mut recording, &settings, &shared).ok()?;
        Some(images.map(|image| png(&image)))
    }

    /// Its runs for the player.
    fn packed(&self, most_bytes: usize) -> Result<Vec<PackedRun>, String> {
        let found = found_runs(std::slice::from_ref(&self.folder));
        found.and_then(|runs| packed_runs(&runs, most_bytes)).map_err(|error| error.to_string())
    }
}

/// The page of all.
fn whole(played: &[Played]) -> Result<String, String> {
    let pictures: Vec<_> = played.iter().map(Played::picture).collect();
    let reports: Vec<String> =
        PLAYS.iter().map(|play| format!("{}/{REPORT}", play.scene)).collect();
    let groups = match player() {
        Some(player) => {
            let most = MOST_BYTES / COUNT;
            let packed = |(play, done): (&Play, &Played)| Ok((play.name, done.packed(most)?));
            let groups: Result<Vec<_>, String> = PLAYS.iter().zip(played).map(packed).collect();
            Some(player.groups(&groups?))
        }
        None => None,
    };
    let parts: Vec<Part<'_>> = PLAYS
        .iter()
        .zip(played)
        .zip(pictures.iter().zip(&reports))
        .map(|((play, done), (picture, report))| Part {
            name: play.name,
            text: play.text,
            report,
            runs: &done.runs,
            picture: picture.as_ref().map(|[light, dark]| [light.as_slice(), dark.as_slice()]),
        })
        .collect();
    Ok(page("What Pliant does", &parts, groups.as_deref()))
}
