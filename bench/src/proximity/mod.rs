//! Outlines in the plane: our backends beside parry2d and geo on the same queries.
//!
//! Every side gets the same points and returns the depth of every vertex inside another
//! outline; ours in f64, parry2d in f32, geo in f64, each with its defaults. Nothing is kept
//! from frame to frame but memory, and trees where the peer refits them.

mod frames;

mod peers;

mod depths;

mod field;

mod growth;

mod segments;

#[expect(dead_code, reason = "curves are drawn in fewer ways than there are")]
#[path = "../../../crates/pliant/examples/figures/plot.rs"]
mod plot;

mod scenes;

use pliant_gpu::Gpu;
use pliant_plane::Backend;
use pliant_plane::exact::Exact;
use pliant_plane::image::Images;

use crate::rows::{self, Amount, Row};
use crate::timing::{fastest, fastest_wall};

/// How much is run by default; nothing here has poses or seeds.
const AMOUNT: Amount = Amount { poses: 1, seeds: 1, jobs: 1, seconds: None };

/// All rows.
const ROWS: [Row; 8] = [
    ("map", |_| depths::map()),
    ("field", |_| field::run()),
    ("scenes", |_| scenes::table()),
    ("wavy", |_| scenes::wavy()),
    ("error", |_| growth::error()),
    ("height", |_| growth::height()),
    ("growth", |_| growth::vertices()),
    ("segments", |_| segments::table()),
];

/// Prints the tables of some rows, or of all.
pub fn run(arguments: &[&str]) -> Result<(), String> {
    match arguments {
        ["hour", rest @ ..] => scenes::hour(rest),
        ["figures", folder] => growth::figures(folder),
        _ => rows::run(&ROWS, AMOUNT, arguments),
    }
}

/// Time of work, s: on the clock where another machine does it, else of the CPU.
fn spent<T>(backend: &str, work: impl FnMut() -> T) -> (f64, T) {
    if backend.starts_with("gpu") { fastest_wall(work) } else { fastest(work) }
}

/// All backends of this machine, each with its name for a table.
fn backends() -> Vec<(String, Box<dyn Backend>)> {
    let mut all: Vec<(String, Box<dyn Backend>)> = vec![
        ("exact".to_string(), Box::new(Exact::default())),
        ("cpu".to_string(), Box::new(Images::default())),
    ];
    match Gpu::new() {
        Ok(gpu) => {
            // The driver's version, in brackets, is too long for a table.
            let name = gpu.adapter().split(" (").next().unwrap_or_default();
            all.push((format!("gpu: {name}"), Box::new(gpu)));
        }
        Err(error) => eprintln!("no GPU backend: {error}"),
    }
    all
}
