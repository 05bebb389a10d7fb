//! Files that are written atomically, or that grow by whole pieces.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Writes a file under a name of its own, then moves it into place.
///
/// Readers see the old file or the new one, never a part. The folder must exist;
/// on an error nothing new is left behind.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let aside = aside(path)?;
    let done = fill(&aside, bytes).and_then(|()| fs::rename(&aside, path));
    if done.is_err() {
        // The first error is the one to report; a leftover may not even exist.
        let _ = fs::remove_file(&aside);
    }
    done
}

/// A file that grows by whole pieces.
#[derive(Debug)]
pub struct Growing {
    file: File,
    /// Up to the end of the last whole piece, bytes.
    length: u64,
}

impl Growing {
    /// A new file, or an old one emptied.
    pub fn create(path: &Path) -> io::Result<Growing> {
        Ok(Growing { file: File::create(path)?, length: 0 })
    }

    /// An old file, of which everything beyond `length` bytes is cut off.
    ///
    /// A file that is shorter is an error: it would grow zeros.
    pub fn cut(path: &Path, length: u64) -> io::Result<Growing> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        let found = file.metadata()?.len();
        if found < length {
            let message = format!("holds {found} bytes where {length} were written");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
        }
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        Ok(Growing { file, length })
    }

    /// Adds a piece; on an error the file is as it was.
    pub fn append(&mut self, piece: &[u8]) -> io::Result<()> {
        let done = self.file.write_all(piece);
        match done {
            Ok(()) => self.length += piece.len() as u64,
            Err(_) => {
                // The first error is the one to report; cutting needs no space.
                let _ = self.file.set_len(self.length);
                let _ = self.file.seek(SeekFrom::Start(self.length));
            }
        }
        done
    }

    /// Waits until everything is on the disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Bytes so far.
    pub fn length(&self) -> u64 {
        self.length
    }
}

/// The system's message for an error, without its number.
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
    fn a_growing_file_is_cut_where_asked_and_never_padded() {
        let name = format!("pliant-growing-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut file = Growing::create(&path).unwrap();
        file.append(b"one two").unwrap();
        drop(file);
        let mut file = Growing::cut(&path, 4).unwrap();
        file.append(b"three").unwrap();
        assert_eq!(file.length(), 9);
        assert_eq!(fs::read(&path).unwrap(), b"one three");
        let error = Growing::cut(&path, 10).unwrap_err();
        assert_eq!(error.to_string(), "holds 9 bytes where 10 were written");
        fs::remove_file(&path).unwrap();
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
