//! The program `pliant`: command line and subcommands.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

mod check;

mod convert;

mod depth;

mod mesh;

mod separate;

mod proximity;

mod page;

mod papers;

mod picture;

mod export;

mod view;

mod progress;

mod run;

mod resume;

mod compare;

mod sweep;

mod info;

mod demo;

mod scenes;

mod shell;

mod show;

mod choice;

use show::EarlyExit;

/// Exit code of a run that failed.
const FAILED: u8 = 1;

/// Exit code of bad arguments and bad input; clap uses the same.
const BAD_INPUT: u8 = 2;

/// Contact for deformable bodies: mesh checks, penetration depth, simulation.
///
/// Pliant finds where bodies overlap, computes depth and direction out for every overlapping
/// vertex, and resolves the contact. It reads, checks and generates meshes, measures how
/// deep they penetrate each other, and runs scenes of soft and rigid bodies.
#[derive(Parser)]
#[command(name = "pliant", version, arg_required_else_help = true, after_help = EXAMPLES)]
struct Arguments {
    /// Print errors and answers only: no progress, no remarks, no notes
    #[arg(short, long, global = true)]
    quiet: bool,
    #[command(subcommand)]
    command: Command,
}

/// What `pliant --help` ends with.
const EXAMPLES: &str = "\
Examples:
  pliant check liver.msh              what is in a mesh, and what is wrong with it
  pliant check *.obj --json           the same for programs
  pliant convert liver.msh liver.vtu  the same mesh in another format
  pliant depth ball.vtk torus.obj     how deep bodies overlap, and which way is out
  pliant mesh koala.obj -o koala.vtu --size 0.5    fill a closed surface with tets
  pliant separate liver.vtu heart.vtu -o free      the same meshes without overlap
  pliant proximity a.svg b.geojson    how near outlines are, or how deep they overlap
  pliant papers                       the documents' methods, and what runs them
  pliant scenes                       what can be run without a file
  pliant run block                    run a scene to a folder with a report
  pliant resume runs/block            continue it after Ctrl-C or a crash
  pliant view runs/block              play it in a browser, in one page
  pliant export runs/block -o a.glb   its recording for other programs
  pliant demo                         meshes, depth, five scenes, and one report of all

Exit codes: 0 success, 1 the run failed, 2 bad arguments or input, 130 interrupted.
Colours follow the terminal; NO_COLOR=1 turns them off.";

#[derive(Subcommand)]
enum Command {
    /// Report what is in mesh and scene files, and all their problems
    ///
    /// Reads tets from legacy VTK, VTU, Gmsh (1.0, 2.x, 4.x), MEDIT, TetGen and VegaFEM
    /// files, triangle surfaces from OBJ, STL, PLY and OFF (and from the former, when they
    /// hold no tets). Of a TetGen pair name either file. A file that ends in `.toml` is a scene:
    /// it is made as for a run, without a step.
    ///
    /// Errors make a mesh unusable as a body: coordinates that are not finite or extreme,
    /// inverted, flat or overlapping tets, non-manifold faces, surfaces that are open,
    /// inconsistently wound, inverted in part or without volume. Warnings do not: slivers,
    /// duplicate or unused vertices, non-manifold edges and vertices, disconnected components,
    /// self-overlap. A mesh that is inverted as a whole is turned around with a warning.
    /// Vertices, tets and triangles are counted from 0, in file order.
    #[command(after_help = "\
Exit code: 0 with warnings or none, 2 with any error or unreadable file.

With --json, one object on stdout:
  {\"files\":[{\"file\",\"kind\":\"tets|surface|scene\",\"vertices\",\"tets\",\"triangles\",
    \"problems\":[{\"kind\",\"severity\":\"error|warning\",\"count\",\"first\":[…]}],
    \"notices\":[…],\"error\"}]}
`triangles` counts the surface. Of a file that could not be read, `error` is the line on
stderr, and the counts and `kind` are null; otherwise there is no `error`.")]
    Check {
        /// Print one JSON object instead of tables
        #[arg(long)]
        json: bool,
        /// Mesh files and scenes
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Write a mesh file in another format
    ///
    /// Reads what `pliant check` reads; formats follow the endings of the names. Tets go into a
    /// format for surfaces as their boundary, with a note.
    #[command(after_help = convert::AFTER_HELP)]
    Convert(convert::ConvertArguments),
    /// Compute penetration depth and direction out for every vertex inside another body
    ///
    /// Each mesh is one body, where its file puts it: tets if the file has any, otherwise a
    /// closed triangle surface, whose edges stand for the tet edges. Reads what `pliant check`
    /// reads; of a TetGen pair name either file. A vertex on a surface is not inside.
    ///
    /// Consistent depth starts at the vertices whose own edges leave the other body, and propagates
    /// depths and directions inwards ring by ring, so that neighbours agree. A vertex for which
    /// no way out can be found is listed as unresolved: `enclosed` (no edge of its group leads
    /// out), `cancelled` (the directions cancel) or `rounding`. Lengths are in the unit of the
    /// files.
    #[command(
        after_help = depth::AFTER_HELP,
        override_usage = "pliant depth [OPTIONS] <MESH> <MESH>..."
    )]
    Depth(depth::DepthArguments),
    /// Fill a closed surface with tets of one size, and write them
    ///
    /// Isosurface stuffing on a body-centred cubic lattice: dihedral angles lie between 9.3° and
    /// 161.7° in all configurations sampled, and boundary vertices on the surface. Inside is where the winding
    /// number is above ½, so that surfaces may overlap themselves. Features thinner than the size
    /// get lost, and sharp edges are cut off by less than it. At most 5 million tets.
    #[command(after_help = mesh::AFTER_HELP)]
    Mesh(mesh::MeshArguments),
    /// Take overlapping meshes apart, and write the same meshes without overlap
    ///
    /// Each file is one body, where it puts it: tets if it has any, otherwise a closed triangle
    /// surface. Reads what `pliant check` reads. Vertices, their order, cells and units stay as
    /// they are; only positions change, as little as needed, shared by volume.
    #[command(after_help = separate::AFTER_HELP)]
    Separate(separate::SeparateArguments),
    /// Compute the proximity of two outlines in the plane: overlap, depth, distance, contacts
    ///
    /// Reads GeoJSON (polygons; lines with --thickness), SVG (paths and basic shapes), WKT, and
    /// JSON arrays of rings. `FILE#name` picks the feature whose name, NAME, ADMIN or id (in SVG
    /// the id) is that, `FILE#3` the fourth one; otherwise all features are one outline.
    ///
    /// Inside is even–odd, whatever a file's fill rule: a ring in a ring is a hole, and of
    /// segments that are there twice neither counts. Outlines are closed: touching is
    /// intersecting, but a point on a boundary is not inside. Curves are cut into segments
    /// within the error bound. In SVG closed paths are regions, painted or not; transforms are
    /// applied, the view box is not, and y points down as in the file.
    #[command(after_help = proximity::AFTER_HELP)]
    Proximity(proximity::ProximityArguments),
    /// List the documents' methods: what runs each, its function and its test
    #[command(after_help = papers::AFTER_HELP)]
    Papers(papers::PapersArguments),
    /// Draw a frame of a run as a PNG file
    #[command(after_help = picture::AFTER_HELP)]
    Picture(picture::PictureArguments),
    /// Write a page that plays a run, or several side by side, and open it
    #[command(after_help = view::AFTER_HELP)]
    View(view::ViewArguments),
    /// Write the recording of a run for other programs: ParaView, Blender, NumPy, pictures
    #[command(after_help = export::AFTER_HELP)]
    Export(export::ExportArguments),
    /// List the built-in scenes and their parameters, or print one, or the schema of all
    ///
    /// In every scene `response`, `integrator`, `duration` and `dt` can be set, and any path,
    /// such as `bodies.0.material.young`.
    Scenes {
        /// Print the JSON schema of scene files
        #[arg(long, conflicts_with = "name")]
        schema: bool,
        /// Print the TOML of this built-in scene
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// Run a scene into a folder of results
    ///
    /// Shows a progress bar on a terminal, and none when piped.
    #[command(after_help = run::AFTER_HELP)]
    Run(run::RunArguments),
    /// Continue a run in its folder, without repeating its arguments
    #[command(after_help = resume::AFTER_HELP)]
    Resume(resume::ResumeArguments),
    /// Run one scene with several settings and compare the results
    #[command(after_help = compare::AFTER_HELP)]
    Compare(compare::CompareArguments),
    /// Run one scene over a grid of settings, in processes, and write one table
    #[command(after_help = sweep::AFTER_HELP)]
    Sweep(sweep::SweepArguments),
    /// Report what is in a run folder, or in a recording
    Info {
        /// Print one JSON object instead of a table
        #[arg(long)]
        json: bool,
        /// A run folder, or a recording
        #[arg(value_name = "RUN")]
        path: PathBuf,
    },
    /// Show what there is: meshes, depth, outlines, five scenes, and one report of all
    ///
    /// Meshes are written in every format, read back and checked; scenes are run, and can be
    /// played in the report, which opens in a browser where there is a screen.
    Demo {
        /// Folder for the files, made if missing; files of the same names are replaced
        #[arg(short, long, value_name = "DIR", default_value = "runs/demo")]
        out: PathBuf,
        /// Do not open the report in a browser
        #[arg(long)]
        no_open: bool,
    },
    /// Print a script that completes commands and options in a shell
    ///
    /// For bash, for one, `source <(pliant completions bash)`, also in ~/.bashrc.
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Write manual pages, one for each command
    Man {
        /// Folder for the files, made if missing; files of the same names are replaced
        #[arg(value_name = "DIR")]
        out: PathBuf,
    },
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return show::bad_arguments(&error),
    };
    if arguments.quiet {
        show::be_quiet();
    }
    let done = match arguments.command {
        Command::Check { json: true, files } => check::print_json(&files),
        Command::Check { json: false, files } => check::print_tables(&files),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Depth(arguments) => depth::run(&arguments),
        Command::Mesh(arguments) => mesh::run(&arguments),
        Command::Separate(arguments) => separate::run(&arguments),
        Command::Proximity(arguments) => proximity::run(&arguments),
        Command::Papers(arguments) => papers::run(&arguments),
        Command::Picture(arguments) => picture::run(&arguments, picture::open),
        Command::View(arguments) => view::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Scenes { schema: true, .. } => scenes::print_schema(),
        Command::Scenes { name: Some(name), .. } => scenes::print_scene(&name),
        Command::Scenes { .. } => scenes::print_list(),
        Command::Run(arguments) => run::run(&arguments),
        Command::Resume(arguments) => resume::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Info { json: true, path } => info::run(&path, info::Form::Json),
        Command::Info { json: false, path } => info::run(&path, info::Form::Table),
        Command::Demo { out, no_open: true } => demo::run(&out, demo::Open::Never),
        Command::Demo { out, no_open: false } => demo::run(&out, demo::Open::OnScreen),
        Command::Completions { shell } => shell::print_completions(shell, Arguments::command()),
        Command::Man { out } => shell::write_manual(&out, Arguments::command()),
    };
    done.unwrap_or_else(|EarlyExit(code)| code)
}
