//! `pliant export`: a recording in the formats of other programs.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use pliant::choice::{UnknownName, from_name};
use pliant_io::printable::path_notice;
use pliant_run::export::{ExportError, ExportFormat, ExportSettings, Exported, FieldSet, export};
use pliant_run::picture::frames::TIME_DIGITS;
use pliant_run::report::text::with_digits;
use pliant_scene::spec::Field;

use crate::choice::choice;
use crate::picture::{direction, size};
use crate::progress::{FrameBar, INTERRUPTED};
use crate::show::{self, DIM, EarlyExit, GOOD, counted, plain};

/// What `pliant export --help` ends with.
pub const AFTER_HELP: &str = "\
Examples:
  pliant export runs/block --to vtu -o block        a folder; open block/series.pvd in ParaView
  pliant export runs/block -o block.glb --every 2   for Blender and web pages
  pliant export runs/block -o block.npz             numpy.load(\"block.npz\")[\"positions\"]
  pliant export runs/block -o block.gif --begin 1 --end 3 --size 480x270

Fields (velocity m/s, depth m, pressure Pa of vertices; stress Pa, strain of tets) are written where the
scene asked for them: [record] fields = [\"stress\"]. Frames are vtu with tets and cell data then.
Without --to the name's ending names the format: .glb, .npz, .gif, .apng or .png. A file is
replaced if it is there; a folder must be empty or missing. Nothing is left half-written.
Exit code: 0 when written, 1 when it cannot be, 2 for bad arguments or input, 130 interrupted.

With --json, one object on stdout:
  {\"path\",\"format\",\"frames\",\"span\":[first,last],\"bytes\",\"notices\":[…]}";

/// Arguments of `pliant export`.
#[derive(Args)]
pub struct ExportArguments {
    /// Run folder, or a recording
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// Format
    #[arg(
        long,
        alias = "format",
        value_name = "FORMAT",
        value_parser = choice(&ExportFormat::ALL, ExportFormat::name, ExportFormat::about)
    )]
    to: Option<ExportFormat>,
    /// File or folder to write
    #[arg(short, long = "out", alias = "output", value_name = "PATH")]
    out: PathBuf,
    /// Leave out frames before this time, s
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    begin: Option<f64>,
    /// Leave out frames after this time, s
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    end: Option<f64>,
    /// Write the first frame and every N-th after it
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// Width and height of pictures, pixels
    #[arg(long, value_name = "WxH", default_value = "640x360", value_parser = size)]
    size: [u32; 2],
    /// Direction of pictures from the bodies to the eye, as in `pliant picture`
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = direction)]
    from: Option<[f64; 3]>,
    /// Fields to write, of those that were recorded: velocity, depth, pressure, stress, strain
    #[arg(long, value_name = "A,B", value_delimiter = ',', value_parser = field)]
    fields: Option<Vec<Field>>,
    /// Print one JSON object instead of a line
    #[arg(long)]
    json: bool,
}

/// Exports, and reports what was written.
pub fn run(arguments: &ExportArguments) -> Result<ExitCode, EarlyExit> {
    let Some(format) = arguments.to.or_else(|| ExportFormat::of_path(&arguments.out)) else {
        let names = ExportFormat::ALL.map(ExportFormat::name).join(", ");
        let out = arguments.out.display();
        return Ok(show::usage_error(&format!(
            "{out}: the name does not say which format; give --to with one of {names}"
        )));
    };
    let settings = ExportSettings {
        format,
        begin: arguments.begin,
        end: arguments.end,
        every: arguments.every as usize,
        size: arguments.size,
        from: arguments.from,
        fields: arguments.fields.as_deref().map(FieldSet::of),
    };
    let bar = match FrameBar::new(&arguments.out.display().to_string()) {
        Ok(bar) => bar,
        Err(why) => return Ok(show::usage_error(&why)),
    };
    let mut on_frame = |done: usize, all: usize| -> ControlFlow<()> { bar.frame(done, all) };
    let done = export(&arguments.run, &arguments.out, settings, &mut on_frame);
    bar.clear();
    let mut done = match done {
        Ok(done) => done,
        Err(error) => {
            show::error(&error.to_string());
            return Ok(ExitCode::from(match error {
                ExportError::Unwritten { .. } => crate::FAILED,
                ExportError::Interrupted => INTERRUPTED,
                _ => crate::BAD_INPUT,
            }));
        }
    };
    done.notices
        .extend([&arguments.run, &arguments.out].into_iter().filter_map(|p| path_notice(p)));
    match arguments.json {
        true => show::print_json(&done)?,
        false => show::remark(&text(&done))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A field by its name.
fn field(name: &str) -> Result<Field, UnknownName> {
    from_name(name, &Field::ALL, Field::name)
}

fn text(done: &Exported) -> String {
    let frames = counted(done.frames, "frame", "frames");
    let [first, last] = done.span.map(|time| with_digits(time, TIME_DIGITS));
    let bytes = crate::info::bytes(done.bytes);
    let path = plain(&done.path);
    let mut text = format!(
        "{GOOD}{path}{GOOD:#}: {frames} from {first} to {last} s as {}, {bytes}\n",
        done.format.name()
    );
    for notice in &done.notices {
        text += &format!("{DIM}note  {}{DIM:#}\n", plain(notice));
    }
    text
}
