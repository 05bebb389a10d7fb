//! A recording of 1000 frames of the fruit dish, written in every format.
//!
//! Frames are made up: balls that roll and breathe. Only exporting is timed.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use pliant::math::{Quat, Vec3};
use pliant_run::export::{ExportFormat, ExportSettings, export};
use pliant_run::recording::{Header, Writer};

use crate::engine::Ours;
use crate::machine;
use crate::timing::all_threads;

/// Frames of the recording.
const FRAMES: usize = 1000;

/// Pictures are drawn of every so many of them.
const PICTURES_EVERY: usize = 20;

/// Time between frames, s.
const STEP: f64 = 1.0 / 60.0;

/// Prints the table.
pub fn run() -> Result<(), String> {
    let folder = PathBuf::from("target/bench/export");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let run = folder.join("run.pliant");
    let vertices = record(&run)?;
    let recorded = fs::metadata(&run).map_or(0, |data| data.len());
    println!(
        "{FRAMES} frames of {vertices} vertices, a recording of {:.1} MB; CPU time; \
         {}, {}, {}\n",
        recorded as f64 / 1e6,
        machine::processor(),
        machine::load(),
        machine::date()
    );
    println!("| format | frames | MB | CPU time, s | ms per frame |\n|---|---|---|---|---|");
    for format in ExportFormat::ALL {
        println!("{}", row(format, &run, &folder)?);
    }
    Ok(())
}

/// Writes the recording; returns its vertices.
fn record(path: &Path) -> Result<usize, String> {
    let ours = Ours::new("fruit-dish", &[])?;
    let start = &ours.built.world.simulation().state.positions;
    let info = ours.built.info.clone();
    let bodies: Vec<_> = info.bodies.iter().map(|body| body.vertices.clone()).collect();
    let header = Header { pliant: "bench".to_owned(), vertices: start.len(), info };
    let mut writer = Writer::create(path, &header).map_err(|error| error.to_string())?;
    let mut positions = start.clone();
    for frame in 0..FRAMES {
        let time = STEP * frame as f64;
        for (number, own) in bodies.iter().enumerate() {
            let middle = start[own.clone()].iter().sum::<Vec3>() / own.len() as f64;
            let turn = Quat::from_rotation_y(time + number as f64);
            let size = 1.0 + 0.05 * libm::sin(5.0 * time + number as f64);
            let way = Vec3::new(0.3 * libm::sin(time), 0.2 * libm::cos(time), -0.05 * time);
            for vertex in own.clone() {
                positions[vertex] = middle + way + turn * (size * (start[vertex] - middle));
            }
        }
        writer.push(frame as u64, time, &positions).map_err(|error| error.to_string())?;
    }
    writer.finish().map_err(|error| error.to_string())?;
    Ok(start.len())
}

fn row(format: ExportFormat, run: &Path, folder: &Path) -> Result<String, String> {
    let is_picture = matches!(format, ExportFormat::Gif | ExportFormat::Apng);
    let every = if is_picture { PICTURES_EVERY } else { 1 };
    let name = match format {
        ExportFormat::Vtu | ExportFormat::Obj | ExportFormat::Ply => format.name().to_owned(),
        _ => format!("run.{}", format.name()),
    };
    let (begin, end, from, fields) = (None, None, None, None);
    let settings = ExportSettings { format, begin, end, every, size: [640, 480], from, fields };
    let out = folder.join(name);
    let (time, done) =
        all_threads(|| export(run, &out, settings, &mut |_, _| ControlFlow::Continue(())));
    let done = done.map_err(|error| error.to_string())?;
    let _ = fs::remove_dir_all(&out).or_else(|_| fs::remove_file(&out));
    Ok(format!(
        "| {} | {} | {:.1} | {time:.1} | {:.2} |",
        format.name(),
        done.frames,
        done.bytes as f64 / 1e6,
        1e3 * time / done.frames as f64
    ))
}
