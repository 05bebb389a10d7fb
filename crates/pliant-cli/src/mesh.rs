//! `pliant mesh`: a closed surface filled with tets.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use pliant_run::mesh::{MeshError, MeshReport, mesh};
use pliant_run::report::text::with_digits;

use crate::show::{self, DIM, EarlyExit, HEADING, counted, plain};

/// Digits of lengths, volumes and angles.
const DIGITS: usize = 4;

/// What `pliant mesh --help` ends with.
pub const AFTER_HELP: &str = "\
Exit code: 0 when the tets are written, 1 when they cannot be, 2 for bad arguments or input. An
open surface is refused with the number of its open edges; on any error the file is not written
and an old one is kept.

With --json, one object on stdout:
  {\"file\",\"out\",\"size\",\"vertices\",\"tets\",\"triangles\",\"min_dihedral_degrees\",
   \"max_dihedral_degrees\",\"surface_volume\",\"volume\",\"volume_error\",\"boundary_distance\",
   \"surface_distance\",\"notices\":[…]}
`triangles` counts the boundary of the tets. `volume_error` is relative to `surface_volume`, which
counts overlaps of the surface with itself twice. `boundary_distance` is the largest distance of a
boundary vertex of the tets to the surface, `surface_distance` that of a vertex of the surface to
the boundary of the tets: large where the size was too coarse for a feature.";

/// Arguments of `pliant mesh`.
#[derive(Args)]
pub struct MeshArguments {
    /// Long edge of the lattice, in the unit of the file: about the size of the tets
    #[arg(long, value_name = "H", allow_negative_numbers = true)]
    size: f64,
    /// File to write, replaced if it is there; its name ends in .vtu, .vtk or .msh
    #[arg(short, long, value_name = "TETS")]
    out: PathBuf,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
    /// Mesh file with a closed surface; of tets the boundary is taken
    #[arg(value_name = "SURFACE")]
    file: PathBuf,
}

/// Makes and writes the tets, and prints how good they are.
pub fn run(arguments: &MeshArguments) -> Result<ExitCode, EarlyExit> {
    let report = match mesh(&arguments.file, &arguments.out, arguments.size) {
        Ok(report) => report,
        Err(error @ MeshError::Unwritten(_)) => {
            show::error(&error.to_string());
            return Ok(ExitCode::from(crate::FAILED));
        }
        Err(error) => return Ok(show::usage_error(&error.to_string())),
    };
    if arguments.json {
        show::print_json(&report)?;
    } else {
        show::print(&table(&report))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn table(report: &MeshReport) -> String {
    let vertices = counted(report.vertices, "vertex", "vertices");
    let tets = counted(report.tets, "tet", "tets");
    let triangles = counted(report.triangles, "triangle", "triangles");
    let out = plain(&report.out);
    let mut text =
        format!("{HEADING}{out}{HEADING:#}: {vertices}, {tets}, surface of {triangles}\n");
    let digits = |value: f64| with_digits(value, DIGITS);
    let mut row = |name: &str, value: String| {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "  {DIM}{name:<8}{DIM:#} {value}");
    };
    let (least, most) = (report.min_dihedral_degrees, report.max_dihedral_degrees);
    row("angles", format!("dihedral from {}° to {}°", digits(least), digits(most)));
    let (volume, error) = (digits(report.volume), digits(100.0 * report.volume_error));
    let given = digits(report.surface_volume);
    row("volume", format!("{volume}, {error} % off the {given} of the surface"));
    let (there, back) = (digits(report.boundary_distance), digits(report.surface_distance));
    row(
        "distance",
        format!("{there} from boundary vertices to the surface, {back} from its vertices back"),
    );
    for notice in &report.notices {
        row("note", plain(notice));
    }
    text
}
