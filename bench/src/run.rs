//! Cost of a run beyond its steps: rows, exact checks, frames, checkpoints.

use std::fs;
use std::path::Path;
use std::time::Instant;

use pliant_io::files::{Disk, Folder};
use pliant_run::recording::Recording;
use pliant_run::run::folder::RECORDING;
use pliant_run::run::{IfExists, RunSettings, run as run_scene};
use pliant_scene::diagnostic::Sources;
use pliant_scene::loaded::LoadedScene;

use crate::timing::once;

/// Rows and frames per simulated second, the default of scenes, 1/s.
const RATE: f64 = 60.0;

/// Times that each side runs, in turn; the fastest counts.
const ROUNDS: usize = 5;

/// A scene by name, made anew each time.
type Scene = (&'static str, fn() -> Result<LoadedScene, String>);

/// What is measured.
const SCENES: [Scene; 4] = [
    ("block, implicit", || blocks(1, 12)),
    ("two blocks through each other", || blocks(2, 8)),
    ("small block, implicit", || blocks(1, 3)),
    ("cloth 100 × 100, Verlet", cloth),
];

/// Prints the table.
pub fn run() -> Result<(), String> {
    println!(
        "fastest of {ROUNDS}, one thread; {RATE} rows and frames and one checkpoint at most per \
         simulated second\n"
    );
    println!(
        "| scene | vertices | steps | frames | bare step, ms | overhead, CPU | overhead, clock | \
         bytes per vertex and frame | replay, frames/s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let folder = Path::new("target/bench/run");
    fs::create_dir_all("target/bench").map_err(|error| error.to_string())?;
    for scene in SCENES {
        println!("{}", row(scene, folder)?);
    }
    Ok(())
}

fn row((name, make): Scene, folder: &Path) -> Result<String, String> {
    let (mut bare, mut whole) = ([f64::INFINITY; 2], [f64::INFINITY; 2]);
    let settings = RunSettings { existing: IfExists::Replace, ..RunSettings::default() };
    for _ in 0..ROUNDS {
        let LoadedScene { mut world, info, .. } = make()?;
        let mut done = Ok(());
        bare = least(bare, || {
            done = (0..info.steps).try_for_each(|_| world.step().map(drop));
        });
        done.map_err(|error| error.to_string())?;
        let (mut built, mut done) = (Some(make()?), Ok(()));
        whole = least(whole, || {
            if let Some(built) = built.take() {
                let summary = run_scene(built, folder, settings.clone(), &mut ());
                done = summary.map(|_| ()).map_err(|error| error.to_string());
            }
        });
        done?;
    }
    let recording = Recording::open(&folder.join(RECORDING)).map_err(|error| error.to_string())?;
    let (vertices, frames) = (recording.header().vertices, recording.frames().len());
    let blocks = recording.size() - recording.frames().first().map_or(0, |entry| entry.offset);
    let each = blocks as f64 / (vertices * frames) as f64;
    let steps = recording.info().steps;
    let over = [0, 1].map(|k| 100.0 * (whole[k] / bare[k] - 1.0));
    Ok(format!(
        "| {name} | {vertices} | {steps} | {frames} | {:.3} | {:.1} % | {:.1} % | {each:.2} | {:.0} |",
        1e3 * bare[0] / steps as f64,
        over[0],
        over[1],
        replay(recording)?
    ))
}

/// The smaller of the times so far and those of one more run: CPU, clock, s.
fn least(so_far: [f64; 2], work: impl FnMut()) -> [f64; 2] {
    let clock = Instant::now();
    let cpu = once(work);
    [so_far[0].min(cpu), so_far[1].min(clock.elapsed().as_secs_f64())]
}

/// Frames read in order, per second.
fn replay(mut recording: Recording) -> Result<f64, String> {
    let (count, mut done) = (recording.frames().len(), Ok(()));
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        best = best.min(once(|| {
            for frame in 0..count {
                let read = recording.read(frame);
                done = done.clone().and(read.map(|_| ()).map_err(|error| error.to_string()));
            }
        }));
    }
    done.map(|()| count as f64 / best)
}

/// Soft blocks that fall on a floor; the second begins inside the first.
fn blocks(count: usize, cells: u32) -> Result<LoadedScene, String> {
    let block = |k: usize| {
        let [x, y, z] = [0.1, 0.07, 0.13].map(|by| by * k as f64);
        format!(
            "[[bodies]]\nname = \"block-{k}\"\nposition = [{x}, {y}, {}]\n\
             mesh = {{ kind = \"cuboid\", size = [0.4, 0.4, 0.4], cells = [{cells}, {cells}, {cells}] }}\n\
             material = {{ kind = \"corotational\", young = 1e5, poisson = 0.3, density = 1000, damping = 0.01 }}\n",
            z + 0.4
        )
    };
    let blocks: String = (0..count).map(block).collect();
    built(&format!("duration = 4\ndt = \"=1/60\"\nresponse = \"none\"\n{blocks}"))
}

/// A cloth of springs that falls on the floor, one edge higher than the other.
fn cloth() -> Result<LoadedScene, String> {
    built(
        "duration = 2\ndt = 1e-3\nresponse = \"none\"\nintegrator = { kind = \"verlet\" }\n\
         [[bodies]]\nname = \"cloth\"\nmass = 2\nposition = [1, 1, 0.25]\nrotation = [0.05, -0.1, 0]\n\
         mesh = { kind = \"cloth\", size = [1.98, 1.98], vertices = [100, 100] }\n\
         material = { kind = \"springs\", law = \"absolute\", stiffness = 20, shear = 20, damping = 1e-3 }\n",
    )
}

/// A scene above a floor.
fn built(text: &str) -> Result<LoadedScene, String> {
    let floor = "[[obstacles]]\nname = \"floor\"\nshape = { kind = \"plane\" }\n\
                 friction = 0.3\nrestitution = 0.1\n";
    let sources =
        Sources { name: "bench".into(), text: format!("{text}{floor}"), sets: Vec::new() };
    let folder = Folder { path: Path::new(""), files: &Disk };
    pliant_scene::load(&sources, "bench", folder).map_err(|error| error.to_string())
}
