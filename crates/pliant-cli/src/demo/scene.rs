//! The last part of the demonstration: a scene that runs, and its report.

use std::path::Path;

use pliant_run::run::folder::REPORT;
use pliant_run::run::{IfExists, RunSettings, run};
use pliant_run::scene::load;

use crate::player::report;
use crate::show::{DIM, HEADING, plain};

/// Runs a soft block into a folder beside the meshes, and reports the result.
pub fn describe(out: &Path) -> Result<String, String> {
    let scene = load("block", &[]).map_err(|error| error.to_string())?;
    let folder = out.join("block");
    let settings =
        RunSettings { existing: IfExists::Replace, report: Some(report), ..Default::default() };
    let summary = run(scene, &folder, settings, &mut ()).map_err(|error| error.to_string())?;
    let report = folder.join(REPORT);
    Ok(format!(
        "\n{HEADING}A soft block drops on a plane: {} tets, {} steps, {:.1} × real time{HEADING:#}\n\
         {DIM}speed in the end{DIM:#} {:.1e} m/s; {} vertices inside\n\
         {DIM}open{DIM:#} {}\n",
        summary.tets,
        summary.steps,
        summary.realtime_factor,
        summary.rms_speed,
        summary.penetrating_vertices,
        plain(&report.display().to_string())
    ))
}
