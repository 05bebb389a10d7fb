//! Files that are replaced atomically, or that grow by whole pieces.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use tempfile::Builder;

/// What follows the name of a file while it is written.
const SUFFIX: &str = ".part";

/// Writes a file under a name of its own, then moves it into place.
///
/// A reader sees the old file or the new one, never a part. The folder must exist; on an
/// error nothing new is left behind. A process that is killed may leave a file named
/// `.NAME.` with some letters and `.part` behind, for a file called NAME.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file name"));
    };
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    // In the same folder, so that moving stays on one disk; created as any file is, as a
    // temporary one would be readable by its owner alone.
    let created = Builder::new()
        .prefix(&prefix)
        .suffix(SUFFIX)
        .make_in(folder, |part| File::create_new(part));
    let mut part = created?;
    part.as_file_mut().write_all(bytes)?;
    part.as_file().sync_all()?;
    part.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// A file that grows by whole pieces.
#[derive(Debug)]
pub struct AppendFile {
    file: File,
    /// Up to the end of the last whole piece, bytes.
    length: u64,
}

impl AppendFile {
    /// A new file, or an old one emptied.
    pub fn create(path: &Path) -> io::Result<AppendFile> {
        Ok(AppendFile { file: File::create(path)?, length: 0 })
    }

    /// An old file, of which everything beyond `length` bytes is cut off.
    ///
    /// A file that is shorter is an error: it would grow zeros.
    pub fn cut(path: &Path, length: u64) -> io::Result<AppendFile> {
        let mut file = OpenOptions::new().read(true).write(true).open(path)?;
        let found = file.metadata()?.len();
        if found < length {
            let message = format!("holds {found} bytes where {length} were written");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
        }
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        Ok(AppendFile { file, length })
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

/// The system's message of an error, without its number.
pub fn io_message(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_string(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;

    /// An empty folder for one test.
    fn folder(test: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("pliant-{test}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn errors_are_reported_in_words() {
        let error = fs::read("/no/such/file/at/all").unwrap_err();
        assert_eq!(io_message(&error), "No such file or directory");
        assert_eq!(io_message(&io::Error::other("odd")), "odd");
    }

    #[test]
    fn an_append_file_is_cut_where_asked_and_never_padded() {
        let name = format!("pliant-append-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut file = AppendFile::create(&path).unwrap();
        file.append(b"one two").unwrap();
        drop(file);
        let mut file = AppendFile::cut(&path, 4).unwrap();
        file.append(b"three").unwrap();
        assert_eq!(file.length(), 9);
        assert_eq!(fs::read(&path).unwrap(), b"one three");
        let error = AppendFile::cut(&path, 10).unwrap_err();
        assert_eq!(error.to_string(), "holds 9 bytes where 10 were written");
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_file_is_replaced_and_nothing_else_left() {
        let folder = folder("replaced");
        let path = folder.join("a.txt");
        write(&path, b"old").unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(write(&folder.join("missing").join("a.txt"), b"").is_err());
        assert!(write(Path::new("/"), b"").is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
    #[test]
    fn errors_leave_nothing_behind_and_say_what_the_system_said() {
        let folder = folder("errors");
        fs::create_dir_all(folder.join("taken").join("inner")).unwrap();
        let error = write(&folder.join("taken"), b"new").unwrap_err();
        let expected = fs::rename(file_in(&folder), folder.join("taken")).unwrap_err();
        assert_eq!(error.to_string(), expected.to_string());
        let error = write(&folder.join("missing").join("a.txt"), b"").unwrap_err();
        assert_eq!(io_message(&error), "No such file or directory");
        fs::remove_file(file_in(&folder)).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }

    fn file_in(folder: &Path) -> PathBuf {
        let path = folder.join("plain");
        File::create(&path).unwrap();
        path
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_readable_by_whom_a_plain_one_is() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder("permissions");
        let path = folder.join("a.txt");
        write(&path, b"new").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&file_in(&folder)));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_bare_name_is_written_to_the_current_folder() {
        let name = format!("pliant-bare-{}.txt", std::process::id());
        write(Path::new(&name), b"here").unwrap();
        assert_eq!(fs::read(&name).unwrap(), b"here");
        fs::remove_file(&name).unwrap();
    }
}
