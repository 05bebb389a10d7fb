//! Random scenes, each judged by whether it fails, gains energy or ends with overlap.
//!
//! Every scene is written as TOML before it is run, so that `pliant run` repeats it.

mod shapes;

mod scene;

mod trial;

mod tables;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::machine::{date, load, processor};
use crate::rows::{count, side_by_side};
use scene::{Pace, RandomScene};
use shapes::Shapes;
use trial::Trial;

/// What is run.
struct Selection {
    seed: u32,
    /// Number of scenes.
    count: u32,
    /// Number of the first scene.
    from: u32,
    /// Scenes side by side; each is timed by the CPU time of its own thread.
    jobs: u32,
    /// How fast and thin bodies are.
    pace: Pace,
    /// Where scenes and results are written.
    folder: PathBuf,
    /// Whether the steps of each scene are written too.
    traces: bool,
}

/// Runs the scenes of a seed: `--seed N`, `--count K`, `--from I`, `--out DIR`, `--jobs J`, `--fast`,
/// `--trace`.
pub fn run(arguments: &[&str]) -> Result<(), String> {
    let selection = selection(arguments)?;
    let shapes = Shapes::read(selection.pace)?;
    println!("{}, {}, {}; CPU time, one thread.", processor(), date(), load());
    println!(
        "Seed {}, scenes {} to {}, from {} generated shapes and {} meshes. Left out: {}.\n",
        selection.seed,
        selection.from,
        selection.from + selection.count - 1,
        shapes.generated.len(),
        shapes.files.len(),
        shapes.left_out.join("; ")
    );
    fs::create_dir_all(&selection.folder).map_err(|error| in_file(&selection.folder, &error))?;
    let path = selection.folder.join("results.csv");
    let refuse = |error: std::io::Error| in_file(&path, &error);
    let mut file = fs::File::create(&path).map_err(refuse)?;
    file.write_all(COLUMNS.as_bytes()).map_err(refuse)?;
    let indices: Vec<u32> = (selection.from..selection.from + selection.count).collect();
    let rows = side_by_side(selection.jobs, &indices, |index| {
        let scene = scene::scene(selection.seed, index, &shapes, selection.pace);
        let path = selection.folder.join(format!("{}.toml", scene.name));
        fs::write(&path, &scene.text).map_err(|error| in_file(&path, &error))?;
        let trace = selection.traces.then(|| trace(&selection.folder, &scene.name)).transpose()?;
        let trial = trial::run(&scene, trace);
        eprintln!("{}", tables::line(&scene, &trial));
        // One call each, so that lines of several threads stay whole.
        (&file).write_all(results(&scene, &trial).as_bytes()).map_err(refuse)?;
        Ok((scene, trial))
    })?;
    tables::statistics(&rows);
    tables::worst(&rows);
    println!("\nScenes and results.csv are in {}.", selection.folder.display());
    Ok(())
}

/// The file to which the steps of a scene are written, with its first line.
fn trace(folder: &Path, name: &str) -> Result<fs::File, String> {
    let path = folder.join(format!("{name}.csv"));
    let made = fs::File::create(&path).and_then(|mut file| {
        file.write_all(trial::TRACE_COLUMNS.as_bytes())?;
        Ok(file)
    });
    made.map_err(|error| in_file(&path, &error))
}

fn in_file(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

fn selection(arguments: &[&str]) -> Result<Selection, String> {
    let (pace, folder) = (Pace::Usual, PathBuf::new());
    let mut selection =
        Selection { seed: 1, count: 200, from: 0, jobs: 1, pace, folder, traces: false };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if *argument == "--fast" {
            selection.pace = Pace::Fast;
            continue;
        }
        if *argument == "--trace" {
            selection.traces = true;
            continue;
        }
        let value = rest.next();
        match *argument {
            "--seed" => selection.seed = count(argument, value)?,
            "--count" => selection.count = count(argument, value)?,
            "--jobs" => selection.jobs = count(argument, value)?,
            "--from" => {
                let number = value.and_then(|value| value.parse().ok());
                selection.from = number.ok_or("--from takes a number")?;
            }
            "--out" => selection.folder = value.ok_or("--out takes a folder")?.into(),
            other => {
                return Err(format!(
                    "no such option: {other}; there are: --seed, --count, --from, --out, --jobs, \
                     --fast, --trace"
                ));
            }
        }
    }
    if selection.folder.as_os_str().is_empty() {
        let kind = if selection.pace == Pace::Fast { "fast" } else { "seed" };
        selection.folder = PathBuf::from(format!("target/random/{kind}-{}", selection.seed));
    }
    Ok(selection)
}

/// Names of the columns of `results.csv`.
const COLUMNS: &str = "scene,start,bodies,rigid,vertices,load,steps,inside_start,crossings_start,\
    inside,crossings,depth,in_obstacles,inverted,energy_steps,energy,unconverged,\
    unconverged_last_second,rms,cpu,good,failure\n";

/// One line of `results.csv`.
fn results(scene: &RandomScene, trial: &Trial) -> String {
    format!(
        "{},{},{},{},{},{:e},{},{},{},{},{},{:e},{},{},{},{:e},{},{},{:e},{:.3},{},{:?}\n",
        scene.name,
        scene.start.word(),
        scene.bodies,
        scene.rigid,
        scene.vertices,
        scene.load,
        trial.steps,
        trial.start.penetrating_vertices,
        trial.start.edge_crossings,
        trial.end.penetrating_vertices,
        trial.end.edge_crossings,
        trial.end.max_depth,
        trial.in_obstacles,
        trial.end.inverted_tets,
        trial.energy_steps,
        trial.energy,
        trial.unconverged[0],
        trial.unconverged[1],
        trial.rms,
        trial.cpu,
        u8::from(trial.is_good()),
        trial.failure.as_deref().unwrap_or_default(),
    )
}
