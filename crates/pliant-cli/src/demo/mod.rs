//! `pliant demo`: bodies generated, checked, measured, dropped, separated and piled up; one report.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pliant::math::Vec3;
use pliant::mesh::generate::{
    GenerateError, assign_regions, ball, cuboid, icosahedron, l_block, lattice::TetSplit, membrane,
    star, torus, tube,
};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::tet::TetMesh;
use pliant_io::atomic_file::io_message;
use pliant_run::check::{FileReport, check};

use crate::progress::INTERRUPTED;
use crate::show::{self, DIM, EarlyExit, GOOD, HEADING};
use crate::view::opens;

mod overlap;

mod outlines;

mod scenes;

/// Whether the report is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Open {
    /// Where there is a screen.
    OnScreen,
    /// In no case.
    Never,
}

/// Generates, writes and checks each body, then simulates some of them in contact.
pub fn run(out: &Path, open: Open) -> Result<ExitCode, EarlyExit> {
    if out.exists() && !out.is_dir() {
        return Ok(show::usage_error(&format!("{}: is a file, not a folder", out.display())));
    }
    let report = match show_all(out) {
        Ok(report) => report,
        Err(Trouble::EarlyExit(stopped)) => return Err(stopped),
        Err(Trouble::Interrupted) => return Ok(ExitCode::from(INTERRUPTED)),
        Err(Trouble::Reported(message)) => {
            show::error(&message);
            return Ok(ExitCode::from(crate::FAILED));
        }
    };
    let opened = open == Open::OnScreen && opens(&report);
    let program = std::env::args_os().next();
    let program = program.map_or("pliant".into(), |name| show::plain(&name.to_string_lossy()));
    let word = if opened { "opened" } else { "open it in a browser:" };
    show::remark(&format!(
        "\nNext, try  {program} run two-cubes --set overlap=0.5 --set tilt=0.8\n\n\
         {HEADING}All of it in one report{HEADING:#}, {word}\n{GOOD}{}{GOOD:#}\n",
        show::plain(&report.display().to_string())
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// Why a demonstration ended early.
enum Trouble {
    /// stdout is closed, or the output cannot be written.
    EarlyExit(EarlyExit),
    /// Ctrl-C.
    Interrupted,
    /// An error message.
    Reported(String),
}

impl From<EarlyExit> for Trouble {
    fn from(stopped: EarlyExit) -> Trouble {
        Trouble::EarlyExit(stopped)
    }
}

impl From<String> for Trouble {
    fn from(message: String) -> Trouble {
        Trouble::Reported(message)
    }
}

/// Parts before the scenes.
const BEFORE: usize = 3;

/// Announces a part, and how far it is.
fn begin(number: usize, text: &str) -> Result<(), EarlyExit> {
    let all = BEFORE + scenes::COUNT;
    show::remark(&format!("\n{DIM}{number} of {all}{DIM:#} {HEADING}{text}{HEADING:#}\n"))
}

fn show_all(out: &Path) -> Result<PathBuf, Trouble> {
    fs::create_dir_all(out)
        .map_err(|error| format!("{}: {}", out.display(), io_message(&error)))?;
    begin(1, "Bodies are generated, written, read back and checked")?;
    show::remark(&format!(
        "{HEADING}{:<22}{:>9}{:>7}{:>10}{:>13}{HEADING:#}\n",
        "generated", "vertices", "tets", "surface", "volume, m³"
    ))?;
    for (file, body) in bodies().map_err(|error| error.to_string())? {
        let line = make(&out.join(file), body)?;
        show::remark(&format!("{file:<22}{line}\n"))?;
    }
    show::remark(&broken(out)?)?;
    let (heading, text) = overlap::describe()?;
    begin(2, &heading)?;
    show::remark(&text)?;
    let (heading, text) = outlines::describe()?;
    begin(3, &heading)?;
    show::remark(&text)?;
    scenes::play_all(out, |index, heading| begin(BEFORE + 1 + index, heading))
}

/// Every generator once, each with the file it goes to.
fn bodies() -> Result<Vec<(&'static str, RawMesh)>, GenerateError> {
    let mut bar = cuboid::cuboid([12, 3, 3], Vec3::new(4.0, 1.0, 1.0), TetSplit::Six)?;
    assign_regions(&mut bar, |centroid| u32::from(centroid.x > 0.0));
    let star = star::StarSettings {
        tips: 5,
        outer_radius: 1.0,
        inner_radius: 0.4,
        thickness: 0.3,
        cells: 4,
        layers: 2,
    };
    let membrane = membrane::MembraneSettings {
        size: [2.0, 2.0],
        thickness: 0.2,
        cells: [10, 10],
        layers: 1,
        cut: TetSplit::Five,
    };
    let tube = tube::TubeSettings {
        inner_radius: 0.4,
        outer_radius: 0.5,
        length: 1.0,
        around: 28,
        through: 1,
        along: 10,
    };
    let l_block = l_block::LBlockSettings {
        arms: [3.0, 2.0],
        width: 1.0,
        cells_along: [6, 4],
        cells_across: 2,
        cut: TetSplit::Five,
    };
    let torus = torus::TorusSettings { ring_radius: 1.0, tube_radius: 0.25, around: 48, rings: 2 };
    Ok(vec![
        ("cube.vtk", cuboid::cuboid([5, 5, 5], Vec3::ONE, TetSplit::Five)?),
        ("two-materials.vtu", bar),
        ("icosahedron.msh", icosahedron::icosahedron(1.0)?),
        ("ball.vtu", ball::ball(1.0, 10)?),
        ("torus.msh", torus::torus(&torus)?),
        ("tube.vtk", tube::tube(&tube)?),
        ("l-block.vtu", l_block::l_block(&l_block)?),
        ("star.msh", star::star(&star)?),
        ("membrane.vtk", membrane::membrane(&membrane)?),
        ("tube-skin.obj", tube::tube(&tube)?),
    ])
}

/// Writes a body, reads it back, and reports what was read.
fn make(path: &Path, body: RawMesh) -> Result<String, String> {
    let (mesh, _) = TetMesh::from_raw(body).map_err(|error| error.to_string())?;
    let written = if path.extension().is_some_and(|ending| ending == "obj") {
        pliant_io::mesh::write_triangles(path, mesh.positions(), mesh.surface())
    } else {
        pliant_io::mesh::write_tets(path, mesh.positions(), mesh.tets(), mesh.regions())
    };
    written.map_err(|error| error.to_string())?;
    let report = check(path);
    let FileReport {
        vertices: Some(vertices), tets: Some(tets), triangles: Some(triangles), ..
    } = report
    else {
        return Err(format!("{} did not read back", path.display()));
    };
    if report.is_bad() || (tets > 0 && tets != mesh.tets().len()) {
        return Err(format!("{} did not read back as written", path.display()));
    }
    let verdict = if report.problems.is_empty() { "ok" } else { "usable" };
    let volume = mesh.volume();
    Ok(format!("{vertices:>9}{tets:>7}{triangles:>10}{volume:>13.6}  {GOOD}{verdict}{GOOD:#}"))
}

/// A ball with one vertex pulled through to the far side: what `check` reports on it.
fn broken(out: &Path) -> Result<String, String> {
    let mut body = ball::ball(1.0, 3).map_err(|error| error.to_string())?;
    if let Some(last) = body.positions.last_mut() {
        *last *= -3.0;
    }
    let path = out.join("broken-ball.vtu");
    pliant_io::mesh::write_tets(&path, &body.positions, &body.tets, &body.regions)
        .map_err(|error| error.to_string())?;
    let mut text =
        format!("\n{DIM}…and a ball with one vertex pulled through to the other side:{DIM:#}\n");
    text += &crate::check::table(&check(&path));
    Ok(text)
}
