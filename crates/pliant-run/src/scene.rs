//! Scenes by name: a built-in one, or a file of the disk.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use pliant_io::files::{Disk, Files, Folder};
use pliant_io::{atomic_file, regular_file};
use pliant_scene::diagnostic::{Diagnostic, DiagnosticKind, Sources};
use pliant_scene::loaded::LoadedScene;
use pliant_scene::{SceneError, builtin};

/// Bytes of a scene file at most.
const MOST_BYTES: u64 = 16 << 20;

/// Makes a scene, which is a file or the name of a built-in one, with values set from outside.
///
/// Each of `sets` is `name=value`: a declared parameter, or a path of the scene.
pub fn load(source: impl AsRef<Path>, sets: &[String]) -> Result<LoadedScene, SceneError> {
    let source = source.as_ref();
    let (text, folder) = read(source)?;
    let stem = source.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
    let name = source.to_string_lossy().into_owned();
    let sources = Sources { name, text, sets: sets.to_vec() };
    pliant_scene::load(&sources, &stem, Folder { path: &folder, files: &Disk })
}

/// The text of a scene, which is a file or the name of a built-in one.
pub fn text(source: &Path) -> Result<String, SceneError> {
    read(source).map(|(text, _)| text)
}

/// The name of a built-in scene, or the absolute path of a file: the same from any folder.
pub fn absolute(source: &Path) -> PathBuf {
    match builtin_named(source) {
        Some(_) => source.to_path_buf(),
        None => Disk.absolute(source),
    }
}

/// The built-in scene of this name, unless it is written as a path.
fn builtin_named(source: &Path) -> Option<builtin::BuiltIn> {
    let name = source.to_str()?;
    builtin::find(name).filter(|_| !is_path(source))
}

fn is_path(source: &Path) -> bool {
    source.extension().is_some() || source.to_string_lossy().contains(['/', '\\'])
}

/// The text of a scene, and the folder its mesh files count from.
fn read(path: &Path) -> Result<(String, PathBuf), SceneError> {
    if let Some(scene) = builtin_named(path) {
        return Ok((scene.text.to_owned(), PathBuf::new()));
    }
    let source = path.to_string_lossy();
    let refuse = |message: String, help: Option<String>| {
        let sources = Sources { name: source.to_string(), text: String::new(), sets: Vec::new() };
        let diagnostic = Diagnostic::new(DiagnosticKind::Unreadable, None, message).with_help(help);
        SceneError { diagnostics: vec![sources.show(diagnostic)] }
    };
    let file = regular_file::open(path).map_err(|error| {
        let names = || builtin::ALL.iter().map(|scene| scene.name);
        let help = match pliant_io::suggest::nearest(&source, names()) {
            Some(name) => format!("did you mean the built-in scene `{name}`?"),
            None => format!("built-in scenes are {}", names().collect::<Vec<_>>().join(", ")),
        };
        let is_name = error.kind() == io::ErrorKind::NotFound && !is_path(path);
        refuse(atomic_file::io_message(&error), is_name.then_some(help))
    })?;
    let mut bytes = Vec::new();
    let read = file.take(MOST_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| refuse(atomic_file::io_message(&error), None))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(refuse(format!("the file is longer than {MOST_BYTES} bytes"), None));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        refuse(format!("byte {at} is not UTF-8"), None)
    })?;
    Ok((text, path.parent().map_or_else(PathBuf::new, Path::to_path_buf)))
}
