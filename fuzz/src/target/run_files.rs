//! Files of a run folder: checkpoint, run.json, summary.json, series.csv.

use std::fs;
use std::path::Path;

use pliant::math::Vec3;
use pliant::record::row::SeriesRow;
use pliant_io::atomic_file::{Extent, io_message};
use pliant_run::run::checkpoint::Checkpoint;
use pliant_run::run::folder::{CHECKPOINT, SERIES, SUMMARY, read_summary};
use pliant_run::run::marker::{MARKER, Marker, Origin};
use pliant_run::run::series;
use pliant_run::summary::{ContactTally, Iterations, StageTimes, Summary, Warning};

use super::{Memory, Reading, Target, same};

/// Size of the digest at the end of a checkpoint, bytes.
const DIGEST: usize = 32;

/// A target for every file.
pub const ALL: [Target; 4] = [
    Target { seeds: checkpoint_seeds, repair: Some(repair), ..target("checkpoint", checkpoint) },
    Target { seeds: marker_seeds, ..target("run-json", marker) },
    Target { seeds: summary_seeds, ..target("summary-json", summary) },
    Target { seeds: series_seeds, ..target("series-csv", rows) },
];

const fn target(name: &'static str, read: super::Read) -> Target {
    Target { name, seeds: Vec::new, ending: "", repair: None, memory: Memory::SMALL, read }
}

/// Writes the input to a file of a name; an error is a sentence.
fn put(input: &[u8], scratch: &Path, name: &str) -> Result<(), String> {
    let written = fs::write(scratch.join(name), input);
    written.map_err(|error| format!("the scratch folder cannot be written: {error}"))
}

fn refused(error: impl Into<String>) -> Reading {
    Reading::Refused(error.into())
}

fn checkpoint(input: &[u8], scratch: &Path) -> Reading {
    let path = scratch.join(CHECKPOINT);
    let read = put(input, scratch, CHECKPOINT)
        .and_then(|()| Checkpoint::read(&path).map_err(|error| error.to_string()));
    match read {
        Err(error) => refused(error),
        Ok(found) => Reading::Accepted(Box::new(move || {
            found.write(&path).map_err(|error| error.to_string())?;
            let again = Checkpoint::read(&path).map_err(|error| error.to_string())?;
            same("checkpoint", &found, &again)
        })),
    }
}

fn marker(input: &[u8], scratch: &Path) -> Reading {
    let folder = scratch.to_path_buf();
    let read = put(input, scratch, MARKER)
        .and_then(|()| Marker::read(&folder).map_err(|error| error.to_string()));
    match read {
        Err(error) => refused(error),
        Ok(None) => refused("nothing there"),
        Ok(Some(found)) => Reading::Accepted(Box::new(move || {
            found.write(&folder).map_err(|error| error.to_string())?;
            let again = Marker::read(&folder).map_err(|error| error.to_string())?;
            same("marker", &Some(found), &again)
        })),
    }
}

fn summary(input: &[u8], scratch: &Path) -> Reading {
    let folder = scratch.to_path_buf();
    let read = put(input, scratch, SUMMARY)
        .and_then(|()| read_summary(&folder).map_err(|error| error.to_string()));
    match read {
        Err(error) => refused(error),
        Ok(None) => refused("nothing there"),
        Ok(Some(found)) => Reading::Accepted(Box::new(move || {
            let json = serde_json::to_vec_pretty(&found).map_err(|error| error.to_string())?;
            put(&json, &folder, SUMMARY)?;
            let again = read_summary(&folder).map_err(|error| error.to_string())?;
            same("summary", &Some(found), &again)
        })),
    }
}

fn rows(input: &[u8], scratch: &Path) -> Reading {
    let path = scratch.join(SERIES);
    let read = put(input, scratch, SERIES)
        .and_then(|()| series::read(&path).map_err(|error| io_message(&error)));
    match read {
        Err(error) => refused(error),
        Ok(found) => Reading::Accepted(Box::new(move || {
            let line = |row: &[f64; series::WIDTH]| row.map(|value| format!("{value:?}")).join(",");
            let lines = found.iter().map(|row| line(row) + "\n").collect::<String>();
            fs::write(&path, series::heading() + &lines).map_err(|error| error.to_string())?;
            let again = series::read(&path).map_err(|error| io_message(&error))?;
            same("series", &found, &again)
        })),
    }
}

/// Puts the digest over all at the end.
fn repair(bytes: &mut Vec<u8>) {
    bytes.truncate(bytes.len().saturating_sub(DIGEST));
    let digest = blake3::hash(bytes);
    bytes.extend(digest.as_bytes());
}

fn checkpoint_seeds() -> Vec<Vec<u8>> {
    let Ok(folder) = tempfile::tempdir() else { return Vec::new() };
    let path = folder.path().join(CHECKPOINT);
    let small = Checkpoint { numbers: vec![1.0, -0.5], ..Checkpoint::default() };
    let large = Checkpoint {
        step: 7,
        tables: [20, 30, 40].map(|length| Extent { length, digest: [1; 32] }),
        given: Vec3::new(1.0, 2.0, 3.0),
        largest: 4.0,
        numbers: vec![0.25; 200],
        ..Checkpoint::default()
    };
    let mut seeds = Vec::new();
    for checkpoint in [small, large] {
        if checkpoint.write(&path).is_ok() {
            seeds.extend(fs::read(&path));
        }
    }
    seeds
}

fn marker_seeds() -> Vec<Vec<u8>> {
    let marker = Marker {
        format: 2,
        pliant: "0.1.0".into(),
        scene: "block".into(),
        identity: "0".repeat(64),
        origin: Origin { source: "block".into(), sets: vec!["dt=0.01".into()] },
        threads: 2,
        steps: 100,
    };
    serde_json::to_vec_pretty(&marker).into_iter().collect()
}

fn summary_seeds() -> Vec<Vec<u8>> {
    let warning =
        Warning { kind: "energy".into(), count: 3, first_time: 0.5, message: "grows".into() };
    let summary = Summary {
        scene: "block".into(),
        response: "constraint".into(),
        integrator: "implicit-euler".into(),
        dt: 0.01,
        steps: 100,
        simulated_s: 1.0,
        cpu_s: 0.5,
        wall_s: 0.5,
        realtime_factor: 2.0,
        threads: 1,
        vertices: 8,
        tets: 5,
        kinetic: 1.0,
        elastic: f64::NAN,
        rms_speed: 0.1,
        max_speed: 0.2,
        penetrating_vertices: 0,
        edge_crossings: 0,
        max_depth: 0.0,
        obstacle_vertices: 0,
        obstacle_depth: 0.0,
        inverted_tets: 0,
        momentum_error: 1e-9,
        momentum_bodies: 1,
        digest: "0".repeat(64),
        stages: StageTimes(vec![("step".into(), 0.5), ("contact".into(), 0.1)]),
        iterations: Iterations { newton: 1, linear: 2, sweeps: 3, ..Iterations::default() },
        unconverged_steps: 0,
        contact: ContactTally::default(),
        ended: "finished".into(),
        error: Some("step 3: no".into()),
        warnings: vec![warning],
        notices: vec!["a notice".into()],
    };
    serde_json::to_vec_pretty(&summary).into_iter().collect()
}

fn series_seeds() -> Vec<Vec<u8>> {
    let row = SeriesRow { time: 0.1, kinetic: 1e-300, ..SeriesRow::default() };
    vec![(series::heading() + &series::line(&row) + &series::line(&SeriesRow::default())).into()]
}
