//! Mesh files whose bodies overlap, taken apart and written again: `pliant separate`.
//!
//! ```text
//! files ─▶ bodies ─▶ pliant::separate ─▶ files in a staging folder ─▶ read back ─▶ judged ─▶ DIR
//! ```
//!
//! What is judged is what another program reads: the positions after the rounding of the format.
//! Where rounding made bodies touch, they are separated again with that much more room.

mod read;

mod kept;

mod write;

mod pictures;

mod report;

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use pliant::math::Vec3;
use pliant::separate::{
    Body, BodyChange, MOST_VOLUME_CHANGE, Manner, Mobility, Nesting, Overlap, Progress,
    SeparateError, SeparateSettings, Separation, Undeformed, separate_with,
};
use pliant_io::atomic_file;
use pliant_io::mesh::MeshFileError;
use pliant_io::suggest;

use crate::body_file::BodyFileError;
use read::{Part, Source};
use write::{Content, Staging, Target};

pub use report::{BodyReport, PairReport, Report, SelfIntersections};

/// Times that bodies are separated anew because a format rounded them into each other.
const ATTEMPTS: usize = 4;

/// Room for rounding, in the largest rounding seen: either of two vertices may be off by it.
const ROOM: f64 = 2.5;

/// Names of the pictures in the folder.
const PICTURES: [&str; 2] = ["before.png", "after.png"];

/// Name of the report in the folder.
const REPORT: &str = "separation.json";

/// What is one body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Parts {
    /// All of a file.
    #[default]
    Whole,
    /// Each connected part of a file.
    Each,
}

/// What is done with bodies that could not all be separated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Partial {
    /// Nothing is written.
    #[default]
    Refuse,
    /// They are written as far as they came.
    Write,
}

/// What is wanted.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Mesh files.
    pub files: Vec<PathBuf>,
    /// Folder to write to.
    pub out: PathBuf,
    /// Distance between any two bodies, in the unit of the files.
    pub gap: Option<f64>,
    /// How bodies may be changed.
    pub manner: Manner,
    /// Names of bodies or files that stay where they are.
    pub fixed: Vec<String>,
    /// What is one body.
    pub parts: Parts,
    /// What is done with nested bodies.
    pub nesting: Nesting,
    /// What is done where not all could be separated.
    pub partial: Partial,
}

/// Why nothing was separated or written.
#[derive(Debug, thiserror::Error)]
pub enum SeparateFilesError {
    /// A file that is no body.
    #[error(transparent)]
    File(#[from] BodyFileError),
    /// Several files that are none.
    #[error("{} of {given} files cannot be used: {}", .errors.len(), joined(.errors))]
    Files {
        /// Of each.
        errors: Vec<BodyFileError>,
        /// Files in all.
        given: usize,
    },
    /// A folder to write to that is a file.
    #[error("{}: is a file; name a folder to write to", path.display())]
    OutIsFile {
        /// As given.
        path: PathBuf,
    },
    /// Bodies that cannot be separated at all.
    #[error("{names}: {error}")]
    Separate {
        /// The body, or all of them.
        names: String,
        /// Why.
        error: SeparateError,
    },
    /// The same of files that were written.
    #[error("{0}")]
    Judge(#[from] SeparateError),
    /// Nothing to be separated from.
    #[error("one body alone overlaps no other; name two files or more, or use --parts")]
    OneBody,
    /// A name that no body has.
    #[error("--fix {name}: no body has this name{hint}; bodies are {known}")]
    Unknown {
        /// As given.
        name: String,
        /// The nearest known name.
        hint: String,
        /// All names.
        known: String,
    },
    /// A folder in which files would replace those that are read.
    #[error("{}: would replace the file that is read; choose another folder", path.display())]
    SameFile {
        /// The file.
        path: PathBuf,
    },
    /// A folder that cannot be written to.
    #[error("{}: cannot be written: {}", path.display(), atomic_file::io_message(error))]
    Folder {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file that cannot be written.
    #[error("{}", crate::convert::cannot_be_written(.0))]
    Unwritten(MeshFileError),
    /// A file that came back otherwise.
    #[error("{}: has {found} vertices when read back, {expected} were written", path.display())]
    ReadBack {
        /// The file.
        path: PathBuf,
        /// Vertices read.
        found: usize,
        /// Vertices written.
        expected: usize,
    },
    /// Stopped by the user.
    #[error("interrupted; nothing was written")]
    Stopped,
}

impl SeparateFilesError {
    /// Whether it is about writing, and not about arguments or input.
    pub fn is_about_output(&self) -> bool {
        matches!(
            self,
            SeparateFilesError::Folder { .. }
                | SeparateFilesError::Unwritten(_)
                | SeparateFilesError::ReadBack { .. }
        )
    }
}

/// Separates the bodies of files and writes them, with pictures and a report, to a folder.
///
/// Nothing is written where a pair is left, unless the request says so; `written` of the report
/// says what was.
pub fn separate_files(
    request: &Request,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Report, SeparateFilesError> {
    check_folder(&request.out)?;
    let (sources, mut notices) = read::read(&request.files, request.parts)
        .map_err(|errors| unread(errors, request.files.len()))?;
    let parts: Vec<&Part> = sources.iter().flat_map(|source| &source.bodies).collect();
    if parts.len() < 2 {
        return Err(SeparateFilesError::OneBody);
    }
    let mobility = mobility(&sources, &parts, &request.fixed)?;
    check_out(&sources, &request.out)?;
    let bodies: Vec<Body<'_>> = parts
        .iter()
        .zip(&mobility)
        .map(|(part, mobility)| Body {
            mobility: *mobility,
            ..Body::new(part.sound.borrow(), part.sound.positions())
        })
        .collect();
    let mut staging = None;
    let mut attempt = Attempt::new(request, &sources, &parts, &bodies);
    let mut margin = 0.0;
    let done = loop {
        let found = attempt.separate(margin, progress)?;
        if !found.is_free() && request.partial == Partial::Refuse {
            break Written { separation: found, targets: Vec::new(), files: Vec::new() };
        }
        let folder = match staging.take() {
            Some(folder) => folder,
            None => Staging::new(&request.out)?,
        };
        let (mut done, rounding) = attempt.write(found, folder.path())?;
        let is_last = attempt.count == ATTEMPTS || rounding == 0.0;
        if done.separation.is_free() || request.partial == Partial::Write && is_last {
            done.publish(request, &parts, &bodies, folder, &mut notices)?;
            break done;
        }
        if is_last {
            break Written { targets: Vec::new(), files: Vec::new(), ..done };
        }
        margin = margin.max(ROOM * rounding) * if margin > 0.0 { 2.0 } else { 1.0 };
        staging = Some(folder);
    };
    notices.extend(done.targets.iter().filter_map(|target| target.notice.clone()));
    notices.extend(write::lost(&sources, &done.targets, &request.out));
    notices.extend(change_notices(&parts, &done.separation.changes));
    let report = Report::new(request, &parts, &bodies, &done, notices);
    if !done.files.is_empty() {
        let path = request.out.join(REPORT);
        let text = serde_json::to_string_pretty(&report).unwrap_or_default();
        atomic_file::write(&path, text.as_bytes())
            .map_err(|error| SeparateFilesError::Folder { path, error })?;
    }
    Ok(report)
}

/// What was separated, and what was written of it.
pub(crate) struct Written {
    /// Judged as written, where it was.
    separation: Separation,
    targets: Vec<Target>,
    /// Names of the files in the folder; none where nothing was written.
    files: Vec<String>,
}

impl Written {
    /// Puts all files in their places, with pictures.
    fn publish(
        &mut self,
        request: &Request,
        parts: &[&Part],
        bodies: &[Body<'_>],
        staging: Staging,
        notices: &mut Vec<String>,
    ) -> Result<(), SeparateFilesError> {
        let before: Vec<Vec<Vec3>> = bodies.iter().map(|body| body.positions.to_vec()).collect();
        let pictures = pictures::pictures(parts, &[&before, &self.separation.positions]);
        self.files = self.targets.iter().map(|target| target.file.clone()).collect();
        for (name, bytes) in PICTURES.iter().zip(pictures) {
            let path = staging.path().join(name);
            atomic_file::write(&path, &bytes)
                .map_err(|error| SeparateFilesError::Folder { path, error })?;
            self.files.push((*name).to_owned());
        }
        notices.extend(pliant_io::printable::path_notice(&request.out));
        staging.publish(&self.files)
    }
}

/// Bodies that are separated and written, more than once where rounding asks for it.
struct Attempt<'a> {
    request: &'a Request,
    sources: &'a [Source],
    parts: &'a [&'a Part],
    bodies: &'a [Body<'a>],
    count: usize,
}

impl<'a> Attempt<'a> {
    fn new(
        request: &'a Request,
        sources: &'a [Source],
        parts: &'a [&'a Part],
        bodies: &'a [Body<'a>],
    ) -> Attempt<'a> {
        Attempt { request, sources, parts, bodies, count: 0 }
    }

    fn separate(
        &mut self,
        margin: f64,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Separation, SeparateFilesError> {
        self.count += 1;
        let Request { gap, manner, nesting, .. } = *self.request;
        let usual = SeparateSettings::default();
        let settings = SeparateSettings { gap, margin, manner, nesting, ..usual };
        let found = separate_with(self.bodies, &settings, progress)
            .map_err(|error| named(self.parts, error))?;
        if found.stopped { Err(SeparateFilesError::Stopped) } else { Ok(found) }
    }

    /// Writes all files to a folder and judges what is read back; also the largest rounding.
    fn write(
        &self,
        mut found: Separation,
        folder: &Path,
    ) -> Result<(Written, f64), SeparateFilesError> {
        let wanted = by_file(self.sources, &found.positions);
        let content =
            |(source, wanted): (&Source, &Vec<Vec3>)| match source.raw.positions == *wanted {
                true => Content::AsRead,
                false => Content::Moved,
            };
        let contents: Vec<Content> = self.sources.iter().zip(&wanted).map(content).collect();
        let targets = write::targets(self.sources, &contents);
        let mut files = Vec::new();
        for ((source, target), wanted) in self.sources.iter().zip(&targets).zip(&wanted) {
            write::write(folder, source, target, wanted)?;
            files.push(write::read_back(folder, target, wanted.len())?);
        }
        let rounding = write::rounding(&wanted, &files);
        let left: Vec<Overlap> =
            write::judged(self.sources, &files, found.gap, &found.kept_nested)?;
        found.left = left;
        Ok((Written { separation: found, targets, files: Vec::new() }, rounding))
    }
}

/// Positions of all vertices of each file, from those of the bodies.
fn by_file(sources: &[Source], bodies: &[Vec<Vec3>]) -> Vec<Vec<Vec3>> {
    let mut next = bodies.iter();
    let mut files = Vec::new();
    for source in sources {
        let mut file = source.raw.positions.clone();
        for (part, positions) in source.bodies.iter().zip(&mut next) {
            for (vertex, position) in part.vertices.iter().zip(positions) {
                file[vertex.index()] = *position;
            }
        }
        files.push(file);
    }
    files
}

/// Why files are no bodies.
fn unread(mut errors: Vec<BodyFileError>, given: usize) -> SeparateFilesError {
    match (errors.len(), errors.pop()) {
        (1, Some(error)) => SeparateFilesError::File(error),
        (_, last) => {
            errors.extend(last);
            SeparateFilesError::Files { errors, given }
        }
    }
}

fn joined(errors: &[BodyFileError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Refuses a folder that is a file, before anything is read.
fn check_folder(out: &Path) -> Result<(), SeparateFilesError> {
    match out.exists() && !out.is_dir() {
        true => Err(SeparateFilesError::OutIsFile { path: out.to_path_buf() }),
        false => Ok(()),
    }
}

/// Remarks on volumes that changed much, and on bodies that were to be deformed and were not.
fn change_notices(parts: &[&Part], changes: &[BodyChange]) -> Vec<String> {
    let both = || parts.iter().zip(changes);
    let volume = |(part, change): (&&Part, &BodyChange)| {
        let (name, share) = (&part.name, 100.0 * change.volume_change);
        let is_much = change.volume_change.abs() > MOST_VOLUME_CHANGE;
        is_much.then(|| {
            format!("{name}: its volume changed by {share:.0} %; --by auto or rigid keeps it")
        })
    };
    let mut notices: Vec<String> = both().filter_map(volume).collect();
    // One remark for all bodies of a reason: there may be many.
    for why in Undeformed::ALL {
        let whole = both().filter(|(_, change)| change.undeformed == Some(why));
        let whole: Vec<&str> = whole.map(|(part, _)| part.name.as_str()).collect();
        if !whole.is_empty() {
            let (names, why) = (whole.join(", "), why.why());
            notices.push(format!("moved as they are, not deformed: {names} ({why})"));
        }
    }
    notices
}

/// Which bodies stay where they are.
fn mobility(
    sources: &[Source],
    parts: &[&Part],
    fixed: &[String],
) -> Result<Vec<Mobility>, SeparateFilesError> {
    let mut found = vec![Mobility::Free; parts.len()];
    for name in fixed {
        let mut is_known = false;
        let names = sources.iter().flat_map(|source| source.bodies.iter().map(move |_| source));
        for ((source, part), mobility) in names.zip(parts).zip(&mut found) {
            if part.name == *name || source.name == *name || source.path == Path::new(name) {
                (*mobility, is_known) = (Mobility::Fixed, true);
            }
        }
        if !is_known {
            let names: Vec<&str> = parts.iter().map(|part| part.name.as_str()).collect();
            let nearest = suggest::nearest(name, names.iter().copied());
            let hint = nearest.map_or(String::new(), |near| format!(", did you mean {near}?"));
            let known = names.join(", ");
            return Err(SeparateFilesError::Unknown { name: name.clone(), hint, known });
        }
    }
    Ok(found)
}

/// Refuses a folder in which a file that is read would be replaced.
fn check_out(sources: &[Source], out: &Path) -> Result<(), SeparateFilesError> {
    let contents = [Content::Moved, Content::AsRead];
    for target in
        contents.iter().flat_map(|content| write::targets(sources, &vec![*content; sources.len()]))
    {
        let path = out.join(&target.file);
        let Ok(there) = path.canonicalize() else { continue };
        if sources.iter().any(|source| source.place.as_ref() == Some(&there)) {
            return Err(SeparateFilesError::SameFile { path });
        }
    }
    Ok(())
}

/// An error of the engine with the name of the body that it is about.
fn named(parts: &[&Part], error: SeparateError) -> SeparateFilesError {
    let body = match error {
        SeparateError::NoInside { body }
        | SeparateError::PositionCount { body, .. }
        | SeparateError::Position { body, .. }
        | SeparateError::TooSmall { body, .. } => Some(body),
        SeparateError::Gap { .. } => None,
    };
    match body.and_then(|body| parts.get(body)) {
        Some(part) => SeparateFilesError::Separate { names: part.name.clone(), error },
        None => SeparateFilesError::Judge(error),
    }
}
