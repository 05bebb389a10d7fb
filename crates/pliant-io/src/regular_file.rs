//! Opening regular files only: nothing that waits for ever, and no links in files of ours.
//!
//! To open a FIFO waits for somebody at its other end, and to read a device may never end. The
//! kind is looked at after opening without waiting, so that nothing can take a file's place
//! in between.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file for reading; links are followed.
///
/// A folder, pipe, socket or device is an error, at once.
pub fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    without_waiting(&mut options);
    regular(options.open(path)?)
}

/// All bytes of a regular file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// All of a regular file as text; the error names the first byte that is not UTF-8.
pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::new(io::ErrorKind::InvalidData, format!("byte {at} is not UTF-8"))
    })
}

/// Opens a file of ours for reading and writing; a link in its place is an error.
///
/// So is a hard link: what is written would change another file as well.
pub fn open_own(path: &Path) -> io::Result<File> {
    let file = own(path, OpenOptions::new().read(true).write(true))?;
    if names(&file)? > 1 {
        let message = "has a second name (a hard link); copy it to a file of its own";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    Ok(file)
}

/// The same, made empty where there is none.
pub fn open_or_create_own(path: &Path) -> io::Result<File> {
    own(path, OpenOptions::new().read(true).write(true).create(true).truncate(false))
}

fn own(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let is_link = std::fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink());
    if is_link {
        let message = "is a symbolic link, which is not written through; remove it";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    without_following(options);
    regular(options.open(path)?)
}

fn regular(file: File) -> io::Result<File> {
    let data = file.metadata()?;
    if data.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "Is a directory"));
    }
    if !data.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok(file)
}

/// Under how many names a file is found.
#[cfg(unix)]
fn names(file: &File) -> io::Result<u64> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.nlink())
}

/// Elsewhere this is not known.
#[cfg(not(unix))]
fn names(_file: &File) -> io::Result<u64> {
    Ok(1)
}

#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    options.custom_flags(flags.bits().cast_signed());
}

/// Elsewhere there are no such files under ordinary names.
#[cfg(not(unix))]
fn without_waiting(_options: &mut OpenOptions) {}

#[cfg(unix)]
fn without_following(options: &mut OpenOptions) {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    options.custom_flags(flags.bits().cast_signed());
}

/// Elsewhere links were looked for before.
#[cfg(not(unix))]
fn without_following(_options: &mut OpenOptions) {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tempfile::tempdir;

    #[test]
    fn folders_are_named_and_text_must_be_text() {
        let folder = tempdir().unwrap();
        assert_eq!(read(folder.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        let path = folder.path().join("a.txt");
        fs::write(&path, b"ab\xff").unwrap();
        assert_eq!(read(&path).unwrap(), b"ab\xff");
        assert_eq!(read_text(&path).unwrap_err().to_string(), "byte 2 is not UTF-8");
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_refused_without_waiting() {
        let folder = tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        for path in [&pipe, Path::new("/dev/null"), Path::new("/dev/zero")] {
            assert_eq!(read(path).unwrap_err().to_string(), "not a regular file");
            assert!(open_own(path).is_err());
        }
    }

    #[cfg(unix)]
    #[test]
    fn files_of_ours_are_no_links() {
        let folder = tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "kept").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert_eq!(read(&link).unwrap(), b"kept");
        for opened in [open_own(&link), open_or_create_own(&link)] {
            assert!(opened.unwrap_err().to_string().starts_with("is a symbolic link"));
        }
        let second = folder.path().join("second");
        fs::hard_link(&target, &second).unwrap();
        assert!(open_own(&second).unwrap_err().to_string().starts_with("has a second name"));
        fs::remove_file(&second).unwrap();
        assert!(open_own(&target).is_ok());
        // A link to nothing makes no file either.
        fs::remove_file(&target).unwrap();
        assert!(open_or_create_own(&link).is_err() && !target.exists());
    }
}
