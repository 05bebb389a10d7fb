//! Scenes by name: a built-in one, or a file of the disk.

use std::fs;
use std::path::{Path, PathBuf};

use pliant_io::atomic_file;
use pliant_io::files::{Disk, Folder};
use pliant_scene::diagnostic::{Diagnostic, DiagnosticKind, Sources};
use pliant_scene::loaded::LoadedScene;
use pliant_scene::{SceneError, builtin};

/// Bytes of a scene file at most.
const MOST_BYTES: u64 = 16 << 20;

/// Makes a scene, which is a file or the name of a built-in one, with values set from outside.
///
/// Each of `sets` is `name=value`: a declared parameter, or a path of the scene.
pub fn load(source: &str, sets: &[String]) -> Result<LoadedScene, SceneError> {
    let (text, folder) = read(source)?;
    let path = Path::new(source);
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
    let sources = Sources { name: source.to_owned(), text, sets: sets.to_vec() };
    pliant_scene::load(&sources, &stem, Folder { path: &folder, files: &Disk })
}

/// The text of a scene, and the folder its mesh files count from.
fn read(source: &str) -> Result<(String, PathBuf), SceneError> {
    let path = Path::new(source);
    let named_file = path.extension().is_some() || source.contains(['/', '\\']);
    if let Some(scene) = builtin::find(source).filter(|_| !named_file) {
        return Ok((scene.text.to_owned(), PathBuf::new()));
    }
    let refuse = |message: String, help: Option<String>| {
        let sources = Sources { name: source.to_owned(), text: String::new(), sets: Vec::new() };
        let diagnostic = Diagnostic::new(DiagnosticKind::Unreadable, None, message).with_help(help);
        SceneError { diagnostics: vec![sources.show(diagnostic)] }
    };
    let data = fs::metadata(path).map_err(|error| {
        let names = || builtin::ALL.iter().map(|scene| scene.name);
        let help = match pliant_io::suggest::nearest(source, names()) {
            Some(name) if !named_file => format!("did you mean the built-in scene `{name}`?"),
            _ => format!("built-in scenes are {}", names().collect::<Vec<_>>().join(", ")),
        };
        refuse(atomic_file::io_message(&error), (!named_file).then_some(help))
    })?;
    if !data.is_file() {
        return Err(refuse("not a regular file".into(), None));
    }
    if data.len() > MOST_BYTES {
        let message = format!("the file is {} bytes long: at most {MOST_BYTES}", data.len());
        return Err(refuse(message, None));
    }
    let bytes = fs::read(path).map_err(|error| refuse(atomic_file::io_message(&error), None))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        refuse(format!("byte {at} is not UTF-8"), None)
    })?;
    Ok((text, path.parent().map_or_else(PathBuf::new, Path::to_path_buf)))
}
