//! Files that are replaced atomically, or that grow by whole pieces.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use tempfile::Builder;

use crate::regular_file;

/// What follows the name of a file while it is written.
const SUFFIX: &str = ".part";

/// Longest name to which a prefix, some letters and the suffix can be added, bytes: most
/// systems allow 255.
const LONGEST: usize = 200;

/// Writes a file under a name of its own, then moves it into place.
///
/// A reader sees the old file or the new one, never a part. The folder must exist; on an
/// error nothing new is left behind. A process that is killed may leave a file named
/// `.NAME.` with some letters and `.part` behind, for a file called NAME.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_with(path, |file| file.write_all(bytes))
}

/// The same for a file that `fill` writes.
pub fn write_with(path: &Path, fill: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file name"));
    };
    let mut prefix = OsString::from(".");
    // Of a name that leaves no room for more, nothing is kept.
    prefix.push(if name.len() <= LONGEST { name } else { OsStr::new("pliant") });
    prefix.push(".");
    // In the same folder, so that moving stays on one disk; created as any file is, as a
    // temporary one would be readable by its owner alone.
    let created = Builder::new()
        .prefix(&prefix)
        .suffix(SUFFIX)
        .make_in(folder, |part| File::create_new(part));
    let mut part = created?;
    fill(part.as_file_mut())?;
    part.as_file().sync_all()?;
    part.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// A part of a file: how long it is, and what it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Bytes.
    pub length: u64,
    /// BLAKE3 of them.
    pub digest: [u8; 32],
}

/// A file that grows by whole pieces, and the digest of what it holds.
///
/// It may start with a head that extents do not count, so that the head can be replaced.
#[derive(Debug)]
pub struct AppendFile {
    file: File,
    /// Length of the head, bytes.
    head: u64,
    /// Up to the end of the last whole piece, bytes.
    length: u64,
    /// Has seen as many bytes, less the head.
    hasher: blake3::Hasher,
}

impl AppendFile {
    /// A new file; an old one, or a link, is removed first.
    pub fn create(path: &Path) -> io::Result<AppendFile> {
        AppendFile::create_after(path, &[])
    }

    /// The same with a head.
    pub fn create_after(path: &Path, head: &[u8]) -> io::Result<AppendFile> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let mut file = File::create_new(path)?;
        file.write_all(head)?;
        let head = head.len() as u64;
        Ok(AppendFile { file, head, length: head, hasher: blake3::Hasher::new() })
    }

    /// An old file, to be continued after its beginning, which must be as it was written.
    ///
    /// The file is unchanged until [`AppendFile::cut`] removes what came later. A link, or a
    /// file that is shorter or has other bytes, is an error.
    pub fn reopen(path: &Path, beginning: Extent) -> io::Result<AppendFile> {
        AppendFile::reopen_after(path, 0, beginning)
    }

    /// The same for a file with a head of so many bytes, which are not looked at.
    pub fn reopen_after(path: &Path, head: u64, beginning: Extent) -> io::Result<AppendFile> {
        let mut file = regular_file::open_own(path)?;
        let (found, length) = (file.metadata()?.len(), head.saturating_add(beginning.length));
        if found < length {
            let message = format!("holds {found} bytes where {length} were written");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
        }
        let mut hasher = blake3::Hasher::new();
        file.seek(SeekFrom::Start(head))?;
        hasher.update_reader((&mut file).take(beginning.length))?;
        if hasher.finalize() != beginning.digest {
            let message = format!("was changed within its first {length} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        file.seek(SeekFrom::Start(length))?;
        Ok(AppendFile { file, head, length, hasher })
    }

    /// Cuts off what lies beyond the last whole piece.
    pub fn cut(&mut self) -> io::Result<()> {
        self.file.set_len(self.length)
    }

    /// Adds a piece; on an error the file is as it was.
    pub fn append(&mut self, piece: &[u8]) -> io::Result<()> {
        let done = self.file.write_all(piece);
        match done {
            Ok(()) => {
                self.length += piece.len() as u64;
                self.hasher.update(piece);
            }
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

    /// Bytes so far, the head included.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// What there is so far after the head.
    pub fn extent(&self) -> Extent {
        Extent { length: self.length - self.head, digest: *self.hasher.finalize().as_bytes() }
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
    use std::path::PathBuf;
    use tempfile::tempdir;

    #[test]
    fn errors_are_reported_in_words() {
        let error = fs::read("/no/such/file/at/all").unwrap_err();
        assert_eq!(io_message(&error), "No such file or directory");
        assert_eq!(io_message(&io::Error::other("odd")), "odd");
    }

    #[test]
    fn an_append_file_is_cut_where_asked_and_never_padded() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let mut file = AppendFile::create(&path).unwrap();
        file.append(b"one ").unwrap();
        let beginning = file.extent();
        file.append(b"two").unwrap();
        drop(file);
        let mut file = AppendFile::reopen(&path, beginning).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one two");
        file.cut().unwrap();
        file.append(b"three").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one three");
        let whole = file.extent();
        assert_eq!(whole, Extent { length: 9, digest: *blake3::hash(b"one three").as_bytes() });
        let error = AppendFile::reopen(&path, Extent { length: 10, ..whole }).unwrap_err();
        assert_eq!(error.to_string(), "holds 9 bytes where 10 were written");
        fs::write(&path, "one thzee").unwrap();
        let error = AppendFile::reopen(&path, whole).unwrap_err();
        assert_eq!(error.to_string(), "was changed within its first 9 bytes");
        assert_eq!(fs::read(&path).unwrap(), b"one thzee");
    }

    #[test]
    fn the_head_of_an_append_file_may_change_its_length() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = AppendFile::create_after(&path, b"head ").unwrap();
        file.append(b"one").unwrap();
        let one = Extent { length: 3, digest: *blake3::hash(b"one").as_bytes() };
        assert_eq!((file.extent(), file.length()), (one, 8));
        fs::write(&path, "another head onetwo").unwrap();
        let mut file = AppendFile::reopen_after(&path, 13, one).unwrap();
        assert_eq!((file.extent(), file.length()), (one, 16));
        file.cut().unwrap();
        file.append(b" three").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"another head one three");
        assert!(AppendFile::reopen_after(&path, 12, one).is_err());
        let error = AppendFile::reopen_after(&path, 20, one).unwrap_err();
        assert_eq!(error.to_string(), "holds 22 bytes where 23 were written");
    }

    #[cfg(unix)]
    #[test]
    fn an_append_file_never_writes_through_a_link() {
        let folder = tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "kept").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let all = Extent { length: 4, digest: *blake3::hash(b"kept").as_bytes() };
        let error = AppendFile::reopen(&link, all).unwrap_err().to_string();
        assert!(error.starts_with("is a symbolic link"), "{error}");
        AppendFile::create(&link).unwrap().append(b"new").unwrap();
        assert_eq!(
            (fs::read(&target).unwrap(), fs::read(&link).unwrap()),
            (b"kept".to_vec(), b"new".to_vec())
        );
    }

    #[test]
    fn a_file_is_replaced_and_nothing_else_left() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write(&path, b"old").unwrap();
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert!(write(&folder.path().join("missing").join("a.txt"), b"").is_err());
        assert!(write(Path::new("/"), b"").is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn errors_leave_nothing_behind_and_say_what_the_system_said() {
        let folder = tempdir().unwrap();
        fs::create_dir_all(folder.path().join("taken").join("inner")).unwrap();
        let error = write(&folder.path().join("taken"), b"new").unwrap_err();
        let expected = fs::rename(file_in(folder.path()), folder.path().join("taken")).unwrap_err();
        assert_eq!(error.to_string(), expected.to_string());
        let error = write(&folder.path().join("missing").join("a.txt"), b"").unwrap_err();
        assert_eq!(io_message(&error), "No such file or directory");
        fs::remove_file(file_in(folder.path())).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
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
        let folder = tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write(&path, b"new").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&file_in(folder.path())));
    }

    #[test]
    fn a_name_may_be_as_long_as_the_system_allows() {
        let folder = tempdir().unwrap();
        let path = folder.path().join("a".repeat(255));
        write(&path, b"long").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"long");
        let error = write(&folder.path().join("a".repeat(256)), b"").unwrap_err();
        assert_eq!(io_message(&error), "File name too long");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn a_bare_name_is_written_to_the_current_folder() {
        let name = format!("pliant-bare-{}.txt", std::process::id());
        write(Path::new(&name), b"here").unwrap();
        assert_eq!(fs::read(&name).unwrap(), b"here");
        fs::remove_file(&name).unwrap();
    }
}
