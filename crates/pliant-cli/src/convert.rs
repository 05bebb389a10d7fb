//! `pliant convert`: a mesh file in another format.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use pliant_run::check::Kind;
use pliant_run::convert::{ConvertError, Converted, convert};

use crate::show::{self, DIM, EarlyExit, GOOD, counted, plain};

/// What `pliant convert --help` ends with.
pub const AFTER_HELP: &str = "\
Examples:
  pliant convert liver.msh liver.vtu    tets, with their regions
  pliant convert liver.msh liver.ply    the boundary of the tets
  pliant convert part.stl part.obj      coinciding corners become one vertex

Tets are written as VTU, VTK and MSH, triangles as OBJ, STL, PLY and OFF. Coordinates keep
their bits, but in STL, which has 32 of them.
Exit code: 0 when the file is written, 1 when it cannot be, 2 for bad arguments or input.

With --json, one object on stdout:
  {\"from\",\"to\",\"kind\":\"tets|surface\",\"vertices\",\"tets\",\"triangles\",\"notices\":[…]}";

/// Arguments of `pliant convert`.
#[derive(Args)]
pub struct ConvertArguments {
    /// Print one JSON object instead of a line
    #[arg(long)]
    json: bool,
    /// Mesh file to read
    #[arg(value_name = "FROM")]
    from: PathBuf,
    /// Mesh file to write, replaced if it is there
    #[arg(value_name = "TO")]
    to: PathBuf,
}

/// Converts, and reports what was written.
pub fn run(arguments: &ConvertArguments) -> Result<ExitCode, EarlyExit> {
    let done = match convert(&arguments.from, &arguments.to) {
        Ok(done) => done,
        Err(error @ ConvertError::Unwritten(_)) => {
            show::error(&error.to_string());
            return Ok(ExitCode::from(crate::FAILED));
        }
        Err(error) => return Ok(show::usage_error(&error.to_string())),
    };
    match arguments.json {
        true => show::print_json(&done)?,
        false => show::remark(&text(&done))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn text(done: &Converted) -> String {
    let vertices = counted(done.vertices, "vertex", "vertices");
    let cells = match done.kind {
        Kind::Tets => counted(done.tets, "tet", "tets"),
        _ => counted(done.triangles, "triangle", "triangles"),
    };
    let mut text = format!("{GOOD}{}{GOOD:#}: {vertices}, {cells}\n", plain(&done.to));
    for notice in &done.notices {
        text += &format!("{DIM}note  {}{DIM:#}\n", plain(notice));
    }
    text
}
