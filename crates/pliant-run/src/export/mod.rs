//! Recordings in the formats of other programs: `pliant export`.
//!
//! ```text
//!  recording ─▶ frames chosen ─▶ vtu, obj, ply: a folder with a file per frame
//!                              ─▶ npz, glb, gif, apng: one file
//! ```
//!
//! Frames are read one at a time. Whatever goes wrong, no part of the output is left.

use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use pliant::choice::{UnknownName, from_name};
use pliant_io::atomic_file::io_message;
use pliant_scene::spec::Field;
use serde::Serialize;

use crate::picture::frames::TIME_DIGITS;
use crate::recording::{Frame, Recording, RecordingError};
use crate::report::text::with_digits;
use crate::run::folder::RECORDING;

mod output;

mod cells;

mod series;

mod zip;

mod npz;

mod glb;

mod animation;

#[cfg(test)]
mod tests;

/// What a recording can be written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    /// A folder of VTU files and a PVD file that names their times.
    Vtu,
    /// glTF 2.0 in one file, with morph targets.
    Glb,
    /// A folder of OBJ files.
    Obj,
    /// A folder of PLY files.
    Ply,
    /// NumPy arrays.
    Npz,
    /// An animated picture of 256 colours a frame.
    Gif,
    /// An animated PNG.
    Apng,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [ExportFormat; 7] = [
        ExportFormat::Vtu,
        ExportFormat::Glb,
        ExportFormat::Obj,
        ExportFormat::Ply,
        ExportFormat::Npz,
        ExportFormat::Gif,
        ExportFormat::Apng,
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            ExportFormat::Vtu => "vtu",
            ExportFormat::Glb => "glb",
            ExportFormat::Obj => "obj",
            ExportFormat::Ply => "ply",
            ExportFormat::Npz => "npz",
            ExportFormat::Gif => "gif",
            ExportFormat::Apng => "apng",
        }
    }

    /// One line on it.
    pub fn about(self) -> &'static str {
        match self {
            ExportFormat::Vtu => "a folder with series.pvd and a VTU file per frame, for ParaView",
            ExportFormat::Glb => "one binary glTF file, a mesh with morph targets per body",
            ExportFormat::Obj => "a folder with an OBJ file per frame, and frames.csv",
            ExportFormat::Ply => "a folder with a PLY file per frame, and frames.csv",
            ExportFormat::Npz => "one file of NumPy arrays: positions, times, triangles and others",
            ExportFormat::Gif => "one animated picture that every program shows",
            ExportFormat::Apng => "one animated picture in full colour",
        }
    }

    /// The format of a file with this name, if its ending names one.
    pub fn of_path(path: &Path) -> Option<ExportFormat> {
        let ending = path.extension()?.to_string_lossy().to_ascii_lowercase();
        ExportFormat::ALL.into_iter().find(|format| format.endings().contains(&ending.as_str()))
    }

    /// Endings of a file in this format; none for a folder.
    fn endings(self) -> &'static [&'static str] {
        match self {
            ExportFormat::Vtu | ExportFormat::Obj | ExportFormat::Ply => &[],
            ExportFormat::Glb => &["glb"],
            ExportFormat::Npz => &["npz"],
            ExportFormat::Gif => &["gif"],
            ExportFormat::Apng => &["apng", "png"],
        }
    }
}

impl FromStr for ExportFormat {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<ExportFormat, UnknownName> {
        from_name(given, &ExportFormat::ALL, ExportFormat::name)
    }
}

/// Which frames are written, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExportSettings {
    /// The format.
    pub format: ExportFormat,
    /// No frame before this time, s.
    pub begin: Option<f64>,
    /// No frame after this time, s.
    pub end: Option<f64>,
    /// Of the frames between, the first and every this many after it; at least 1.
    pub every: usize,
    /// Width and height of pictures, pixels.
    pub size: [u32; 2],
    /// Of pictures: from the scene towards the eye, any length.
    pub from: Option<[f64; 3]>,
    /// Fields to write; all that are recorded when left out.
    pub fields: Option<FieldSet>,
}

/// Some of the fields that a recording can have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldSet([bool; Field::ALL.len()]);

impl FieldSet {
    /// The set of these fields.
    pub fn of(fields: &[Field]) -> FieldSet {
        FieldSet(Field::ALL.map(|field| fields.contains(&field)))
    }

    /// Its fields.
    pub fn iter(self) -> impl Iterator<Item = Field> {
        Field::ALL.into_iter().zip(self.0).filter_map(|(field, is_in)| is_in.then_some(field))
    }
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Exported {
    /// Path of the file or folder, as given.
    pub path: String,
    /// Its format.
    pub format: ExportFormat,
    /// Frames written.
    pub frames: usize,
    /// Times of the first and the last of them, s.
    pub span: [f64; 2],
    /// Bytes of all files.
    pub bytes: u64,
    /// What was left out and why, one sentence each.
    pub notices: Vec<String>,
}

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A recording that cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// A folder without a recording.
    #[error("{}: not a pliant run directory: {RECORDING} is missing", path.display())]
    NotARun {
        /// The folder.
        path: PathBuf,
    },
    /// A recording without frames.
    #[error("{}: the recording holds no frame", path.display())]
    Empty {
        /// The run or recording.
        path: PathBuf,
    },
    /// Times between which there is no frame.
    #[error(
        "{}: no frame between {} s and {} s: the recording goes from {} s to {} s in {count} frames",
        path.display(), shown(asked[0]), shown(asked[1]), shown(span[0]), shown(span[1])
    )]
    NoFrames {
        /// The run or recording.
        path: PathBuf,
        /// First and last time requested, s.
        asked: [f64; 2],
        /// First and last recorded, s.
        span: [f64; 2],
        /// Frames recorded.
        count: usize,
    },
    /// A name that is not one of this format.
    #[error("{}: {}", path.display(), name_advice(*format))]
    Name {
        /// The output.
        path: PathBuf,
        /// The format.
        format: ExportFormat,
    },
    /// A folder that is there and not empty.
    #[error("{}: exists already and is not an empty folder; remove it or name another", path.display())]
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// A field that was not recorded.
    #[error(
        "{}: the recording has no field `{}`{}; `record.fields` in the scene asks for it",
        path.display(), field.name(), known_fields(known)
    )]
    NoSuchField {
        /// The run or recording.
        path: PathBuf,
        /// The field.
        field: Field,
        /// Those that it has.
        known: Vec<Field>,
    },
    /// Nothing that has vertices.
    #[error("the recording holds no body with vertices, and glb needs one")]
    NoBodies,
    /// A vertex that the format cannot hold.
    #[error(
        "vertex {vertex} is not finite at {} s, which {} does not allow; choose times without it",
        shown(*time), format.name()
    )]
    NotFinite {
        /// In the scene's numbers.
        vertex: usize,
        /// Of the frame, s.
        time: f64,
        /// The format.
        format: ExportFormat,
    },
    /// More than a format can hold.
    #[error(
        "{bytes} bytes are more than a file of this format holds ({most}); take fewer frames, as with --every {every}"
    )]
    TooLarge {
        /// Bytes that the frames need.
        bytes: u64,
        /// Bytes at most.
        most: u64,
        /// A distance between frames that fits.
        every: u64,
    },
    /// The caller asked to stop.
    #[error("interrupted; nothing was written")]
    Interrupted,
    /// An output that cannot be written.
    #[error("{}: cannot be written: {}", path.display(), io_message(error))]
    Unwritten {
        /// The output.
        path: PathBuf,
        /// The I/O error.
        error: std::io::Error,
    },
}

fn shown(time: f64) -> String {
    with_digits(time, TIME_DIGITS)
}

fn known_fields(known: &[Field]) -> String {
    let names: Vec<&str> = known.iter().map(|field| field.name()).collect();
    if names.is_empty() { String::new() } else { format!(", only {}", names.join(", ")) }
}

fn name_advice(format: ExportFormat) -> String {
    let word = format.name();
    match format.endings() {
        [] => format!("{word} is written as a folder of files; name it without an ending"),
        [first, ..] => format!("the name of {word} output ends in .{first}"),
    }
}

/// Called before each frame with the frames done and all of them; may request a stop.
pub type OnFrame<'a> = &'a mut dyn FnMut(usize, usize) -> ControlFlow<()>;

/// The frames to write, read one at a time.
struct Frames<'a> {
    recording: Recording,
    /// Indices in the recording.
    indices: Vec<usize>,
    settings: ExportSettings,
    /// Fields to write, and where their numbers are in a frame.
    fields: Vec<(Field, Range<usize>)>,
    /// What was left out, one sentence each.
    notices: Vec<String>,
    on_frame: OnFrame<'a>,
}

impl Frames<'_> {
    fn len(&self) -> usize {
        self.indices.len()
    }

    /// Time of a chosen frame, s.
    fn time(&self, index: usize) -> f64 {
        self.recording.frames()[self.indices[index]].time
    }

    /// A chosen frame; reports progress.
    fn read(&mut self, index: usize) -> Result<Frame, ExportError> {
        if (self.on_frame)(index, self.indices.len()).is_break() {
            return Err(ExportError::Interrupted);
        }
        Ok(self.recording.read(self.indices[index])?)
    }
}

/// Writes the chosen frames of a run folder or a recording, all or nothing.
///
/// A file is replaced if it is there; a folder must be empty or missing. The folder above must
/// exist. A recording that was cut short is exported up to its last whole frame, with a notice.
pub fn export(
    run: &Path,
    out: &Path,
    settings: ExportSettings,
    on_frame: OnFrame,
) -> Result<Exported, ExportError> {
    check_name(out, settings.format)?;
    let mut frames = open(run, settings, on_frame)?;
    let span = [frames.time(0), frames.time(frames.len() - 1)];
    let bytes = match settings.format {
        ExportFormat::Vtu => series::write_vtu(&mut frames, out)?,
        ExportFormat::Obj | ExportFormat::Ply => series::write_surfaces(&mut frames, out)?,
        ExportFormat::Npz => npz::write(&mut frames, out)?,
        ExportFormat::Glb => glb::write(&mut frames, out)?,
        ExportFormat::Gif => animation::write_gif(&mut frames, out)?,
        ExportFormat::Apng => animation::write_apng(&mut frames, out)?,
    };
    Ok(Exported {
        path: out.display().to_string(),
        format: settings.format,
        frames: frames.len(),
        span,
        bytes,
        notices: frames.notices,
    })
}

/// Refuses a file name for a folder, and a file name with another ending.
fn check_name(out: &Path, format: ExportFormat) -> Result<(), ExportError> {
    let ending = out.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase());
    let fits = match (format.endings(), ending.as_deref()) {
        ([], ending) => !ending.is_some_and(|e| ["vtu", "pvd", "obj", "ply"].contains(&e)),
        (endings, Some(ending)) => endings.contains(&ending),
        (_, None) => false,
    };
    match fits {
        true => Ok(()),
        false => Err(ExportError::Name { path: out.to_path_buf(), format }),
    }
}

/// Opens the recording and chooses the frames.
fn open<'a>(
    run: &Path,
    settings: ExportSettings,
    on_frame: OnFrame<'a>,
) -> Result<Frames<'a>, ExportError> {
    let path = if run.is_dir() { run.join(RECORDING) } else { run.to_path_buf() };
    if run.is_dir() && !path.exists() {
        return Err(ExportError::NotARun { path: run.to_path_buf() });
    }
    let recording = Recording::open(&path)?;
    let entries = recording.frames();
    let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
        return Err(ExportError::Empty { path: run.to_path_buf() });
    };
    let (begin, end) = (settings.begin.unwrap_or(first.time), settings.end.unwrap_or(last.time));
    // Times are sums of steps: half a step beyond is the frame that was meant.
    let slack = 0.5 * recording.info().dt.abs();
    let within = |time: f64| time >= begin - slack && time <= end + slack;
    let between = (0..entries.len()).filter(|&index| within(entries[index].time));
    let indices: Vec<usize> = between.step_by(settings.every.max(1)).collect();
    if indices.is_empty() {
        let (span, count) = ([first.time, last.time], entries.len());
        let path = run.to_path_buf();
        return Err(ExportError::NoFrames { path, asked: [begin, end], span, count });
    }
    let notices = match recording.is_complete() {
        true => Vec::new(),
        false => vec![format!(
            "the recording was cut short: {} bytes after its last whole frame are lost",
            recording.lost_bytes()
        )],
    };
    let fields = chosen_fields(run, &recording, settings)?;
    let mut notices = notices;
    let holds = [ExportFormat::Vtu, ExportFormat::Ply, ExportFormat::Npz];
    if settings.fields.is_some() && !holds.contains(&settings.format) {
        notices.push("fields are written to vtu, ply and npz only".to_string());
    }
    Ok(Frames { recording, indices, settings, fields, notices, on_frame })
}

/// The fields to write, and where they are in a frame.
fn chosen_fields(
    run: &Path,
    recording: &Recording,
    settings: ExportSettings,
) -> Result<Vec<(Field, Range<usize>)>, ExportError> {
    let (recorded, vertices) = (&recording.info().recorded, recording.vertices());
    let known = || recorded.fields.clone();
    let asked = settings.fields.map_or_else(known, |set| set.iter().collect());
    let place = |field: Field| {
        let range = recorded.range(field, vertices);
        let missing =
            || ExportError::NoSuchField { path: run.to_path_buf(), field, known: known() };
        Ok((field, range.ok_or_else(missing)?))
    };
    asked.into_iter().map(place).collect()
}
