//! Files that are written whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes a file under a name of its own, then moves it into place.
///
/// Whoever looks sees the old file or the new one, never a part. The folder must exist;
/// on an error nothing new is left behind.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let aside = aside(path)?;
    let done = fill(&aside, bytes).and_then(|()| fs::rename(&aside, path));
    if done.is_err() {
        // The first error is the one to tell; a leftover may not even exist.
        let _ = fs::remove_file(&aside);
    }
    done
}

/// What the system says of an error, without its number.
pub fn told(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_string(),
        None => text,
    }
}

fn fill(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// A name beside the file, so that moving stays on one disk.
fn aside(path: &Path) -> io::Result<PathBuf> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file name"));
    };
    let mut aside = std::ffi::OsString::from(".");
    aside.push(name);
    aside.push(format!(".{}.part", std::process::id()));
    Ok(path.with_file_name(aside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_in_words() {
        let error = fs::read("/no/such/file/at/all").unwrap_err();
        assert_eq!(told(&error), "No such file or directory");
        assert_eq!(told(&io::Error::other("odd")), "odd");
    }

    #[test]
    fn a_file_is_replaced_and_nothing_else_left() {
        let folder = std::env::temp_dir().join(format!("pliant-whole-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.txt");
        write(&path, b"old").unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(write(&folder.join("missing").join("a.txt"), b"").is_err());
        assert!(write(Path::new("/"), b"").is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}
