//! The main part of the demonstration: recovery from deep interpenetration, and a pile at rest.

use std::path::Path;

use pliant_run::compare::{CompareSettings, Variants, compare};
use pliant_run::run::folder::REPORT;
use pliant_run::run::{IfExists, RunSettings, run};
use pliant_run::scene::load;
use pliant_run::summary::Summary;

use crate::player::{player, report};
use crate::show::{DIM, GOOD, HEADING, plain};

/// Heading printed before the cubes are released.
pub const CUBES: &str = "Two soft cubes start 80 % inside each other, tilted";

/// Heading printed before the balls are dropped.
pub const PILE: &str = "120 soft balls drop into a box";

fn settings() -> RunSettings {
    RunSettings { existing: IfExists::Replace, report: Some(report), ..Default::default() }
}

/// Two cubes with three responses, side by side.
pub fn cubes(out: &Path) -> Result<String, String> {
    let sets = ["overlap=0.8", "tilt=0.5"].map(str::to_owned);
    let values = ["closest", "penalty", "constraint"].map(str::to_owned).to_vec();
    let variants = Variants { key: "response".to_owned(), values };
    let folder = out.join("two-cubes");
    let settings = CompareSettings { run: settings(), player: player() };
    let done = compare("two-cubes".as_ref(), &sets, &variants, &folder, &settings, &mut ())
        .map_err(|error| error.to_string())?;
    let line = |(name, summary): &(String, Summary)| {
        format!(
            "{name:<12}{:>7} inside{:>6} crossings{:>10.1e} m/s{:>5} inverted\n",
            summary.penetrating_vertices,
            summary.edge_crossings,
            summary.rms_speed,
            summary.inverted_tets
        )
    };
    let lines: String = done.iter().map(line).collect();
    let report = plain(&folder.join(REPORT).display().to_string());
    Ok(format!("{DIM}after 1 s:{DIM:#}\n{lines}{DIM}open{DIM:#} {report}\n"))
}

/// The pile with the engine's own response.
pub fn pile(out: &Path) -> Result<String, String> {
    let sets = ["duration=10".to_owned()];
    let scene = load("sphere-pile", &sets).map_err(|error| error.to_string())?;
    let folder = out.join("sphere-pile");
    let summary = run(scene, &folder, settings(), &mut ()).map_err(|error| error.to_string())?;
    let is_clean = summary.penetrating_vertices == 0 && summary.edge_crossings == 0;
    let verdict = if is_clean { format!("{GOOD}nothing overlaps{GOOD:#}") } else { String::new() };
    let report = plain(&folder.join(REPORT).display().to_string());
    Ok(format!(
        "{DIM}after {} s:{DIM:#} {} vertices inside, {} edges through faces, {:.1e} m/s; {verdict}\n\
         {:.1} × real time on one core\n{DIM}open{DIM:#} {report}\n",
        summary.simulated_s,
        summary.penetrating_vertices,
        summary.edge_crossings,
        summary.rms_speed,
        summary.simulated_s / summary.cpu_s,
    ))
}

/// A heading of a part that takes a while.
pub fn heading(text: &str) -> String {
    format!("\n{HEADING}{text}{HEADING:#}\n")
}
