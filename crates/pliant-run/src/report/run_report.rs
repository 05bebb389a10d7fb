//! The report of a run that has just ended: its folder is read, its pictures are drawn.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::picture::frames::{self, Frame, Frames, PictureSettings, Shared};
use crate::picture::png;
use crate::player::{MOST_BYTES, Player, RunData, pack};
use crate::recording::Recording;
use crate::report::text::number;
use crate::report::{Picture, ReportData, html};
use crate::run::contacts;
use crate::run::folder::{CONTACTS, RECORDING};
use crate::run::resume::load_run;
use crate::run::series::WIDTH;
use crate::summary::Summary;
use pliant_scene::loaded::LoadedScene;

/// Width and height of the pictures, pixels.
const SIZE: [u32; 2] = [960, 540];

/// The report of a run in a folder; without pictures where the recording cannot be read.
pub fn of_run(
    folder: &Path,
    built: &LoadedScene,
    summary: &Summary,
    rows: &[[f64; WIDTH]],
) -> String {
    of_run_with(None, folder, built, summary, rows)
}

/// The same with a player, where there is one.
pub fn of_run_with(
    player: Option<Player<'_>>,
    folder: &Path,
    built: &LoadedScene,
    summary: &Summary,
    rows: &[[f64; WIDTH]],
) -> String {
    let path = folder.join(RECORDING);
    let drawn = pictures(&path);
    let played = player.and_then(|player| {
        let recording = &mut Recording::open(&path).ok()?;
        let name = &built.info.scene;
        let summary = Some(summary);
        let contacts = &contacts::read(&folder.join(CONTACTS)).unwrap_or_default();
        let run = RunData { name, recording, summary, rows, contacts, most_bytes: MOST_BYTES };
        pack(run).ok().map(|run| player.elements(&[run]))
    });
    let pictures: Vec<_> = drawn
        .iter()
        .map(|Drawn { caption, pngs: [png, dark] }| Picture { caption, png, dark: Some(dark) })
        .collect();
    html(&ReportData {
        info: &built.info,
        summary,
        rows,
        resolved: &built.resolved,
        description: &built.info.description,
        machine: &machine(),
        version: env!("CARGO_PKG_VERSION"),
        date: &date(),
        pictures: &pictures,
        player: played.as_deref(),
    })
}

/// A picture for light pages and one for dark ones, with their caption.
struct Drawn {
    caption: String,
    pngs: [Vec<u8>; 2],
}

/// Four frames from the first to the last, seen from the same place.
fn pictures(path: &Path) -> Vec<Drawn> {
    let Ok(mut recording) = Recording::open(path) else { return Vec::new() };
    let moments = Frames::frames(&recording);
    let last = moments.len().saturating_sub(1);
    let mut chosen = vec![0, last / 3, 2 * last / 3, last];
    chosen.dedup();
    let shared = Shared::new(&mut recording);
    let mut drawn = Vec::new();
    for frame in chosen.into_iter().filter_map(|index| moments.get(index)) {
        let wanted = PictureSettings { at: Some(frame.time), size: SIZE, ..Default::default() };
        if let Ok((_, images)) = frames::pictures(&mut recording, &wanted, &shared) {
            let caption = format!("at {} s", number(frame.time));
            drawn.push(Drawn { caption, pngs: images.map(|image| png(&image)) });
        }
    }
    drawn
}

/// The last frame of a recording as a PNG file; none where it cannot be drawn.
pub fn last_picture(path: &Path) -> Option<Vec<u8>> {
    let mut recording = Recording::open(path).ok()?;
    let shared = Shared::new(&mut recording);
    let wanted =
        PictureSettings { at: None, size: SIZE.map(|side| side / 2), ..Default::default() };
    let (_, [light, _]) = frames::pictures(&mut recording, &wanted, &shared).ok()?;
    Some(png(&light))
}

impl Frames for Recording {
    fn info(&self) -> &pliant_scene::loaded::RunInfo {
        self.info()
    }

    fn frames(&self) -> Vec<Frame> {
        let entries = self.frames().iter();
        entries.map(|entry| Frame { step: entry.step, time: entry.time }).collect()
    }

    fn positions(&mut self, index: usize) -> Result<Vec<[f32; 3]>, String> {
        self.read(index).map(|frame| frame.positions).map_err(|error| error.to_string())
    }

    fn contacts(&self) -> Vec<contacts::ContactRow> {
        contacts::read(&self.path().with_file_name(CONTACTS)).unwrap_or_default()
    }

    fn scene(&self) -> Result<LoadedScene, String> {
        let folder = self.path().parent().unwrap_or(Path::new("."));
        load_run(folder, None).map(|(scene, _)| scene).map_err(|error| error.to_string())
    }
}

/// The machine of the run, as far as known.
fn machine() -> Vec<(String, String)> {
    let mut reported = Vec::new();
    let processors = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = processors.lines().find_map(|line| line.strip_prefix("model name"));
    if let Some(model) = model {
        let model = model.trim_start_matches([' ', '\t', ':']);
        reported.push(("processor".to_owned(), model.to_owned()));
    }
    if let Ok(cores) = std::thread::available_parallelism() {
        reported.push(("cores".to_owned(), cores.to_string()));
    }
    let system = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    reported.push(("system".to_owned(), system));
    reported
}

/// Today, UTC, as year-month-day.
fn date() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let days = now.map_or(0, |now| now.as_secs() / 86_400);
    let [year, month, day] = civil(days as i64);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Year, month and day of a number of days since 1970-01-01.
///
/// Counted in eras of 400 years that begin in March, so that leap days come last.
fn civil(days: i64) -> [i64; 3] {
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    [year + 400 * era + i64::from(month <= 2), month, day]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        assert_eq!(civil(0), [1970, 1, 1]);
        assert_eq!(civil(19_782), [2024, 2, 29]);
        assert_eq!(civil(20_772), [2026, 11, 15]);
        assert_eq!(civil(-1), [1969, 12, 31]);
    }
}
