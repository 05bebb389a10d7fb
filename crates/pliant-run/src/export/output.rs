//! Files and folders that are there as a whole, or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use pliant_io::atomic_file;
use tempfile::{Builder, TempDir};

use super::ExportError;

/// Why a file was not filled.
pub(super) enum Stop {
    /// It cannot be written.
    Io(io::Error),
    /// There is nothing to write.
    Export(ExportError),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Stop {
        Stop::Io(error)
    }
}

impl From<ExportError> for Stop {
    fn from(error: ExportError) -> Stop {
        Stop::Export(error)
    }
}

/// Writes one file, atomically; returns its bytes.
pub(super) fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&mut File>) -> Result<(), Stop>,
) -> Result<u64, ExportError> {
    let (mut failed, mut bytes) = (None, 0);
    let done = atomic_file::write_with(path, |file| {
        let mut buffered = BufWriter::new(file);
        match fill(&mut buffered) {
            Ok(()) => {}
            Err(Stop::Io(error)) => return Err(error),
            Err(Stop::Export(error)) => {
                failed = Some(error);
                return Err(io::ErrorKind::Other.into());
            }
        }
        buffered.flush()?;
        bytes = buffered.get_ref().metadata()?.len();
        Ok(())
    });
    match (failed, done) {
        (Some(error), _) => Err(error),
        (None, Ok(())) => Ok(bytes),
        (None, Err(error)) => Err(ExportError::Unwritten { path: path.to_path_buf(), error }),
    }
}

/// A folder while it is filled, under another name; gone unless it is finished.
pub(super) struct NewFolder<'a> {
    path: &'a Path,
    part: TempDir,
    bytes: u64,
}

impl<'a> NewFolder<'a> {
    /// A folder beside the one wanted, which must be empty or missing.
    pub(super) fn begin(path: &'a Path) -> Result<NewFolder<'a>, ExportError> {
        let failed = |error| ExportError::Unwritten { path: path.to_path_buf(), error };
        match fs::read_dir(path).map(Iterator::count) {
            Ok(0) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            _ => return Err(ExportError::Exists { path: path.to_path_buf() }),
        }
        let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, "not a folder name")));
        };
        // A bare name has the empty path above it.
        let above = if above.as_os_str().is_empty() { Path::new(".") } else { above };
        let mut prefix = OsString::from(".");
        prefix.push(name);
        prefix.push(".");
        let mut builder = Builder::new();
        builder.prefix(&prefix).suffix(".part");
        let part = builder.tempdir_in(above).map_err(failed)?;
        Ok(NewFolder { path, part, bytes: 0 })
    }

    /// Adds a file.
    pub(super) fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), ExportError> {
        // The name that the file will have is the one to report.
        let failed = |error| ExportError::Unwritten { path: self.path.join(name), error };
        fs::write(self.part.path().join(name), bytes).map_err(failed)?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Moves the folder into place; returns the bytes of its files.
    pub(super) fn finish(self) -> Result<u64, ExportError> {
        let failed = |error| ExportError::Unwritten { path: self.path.to_path_buf(), error };
        readable(self.part.path()).map_err(failed)?;
        if self.path.exists() {
            // Empty, or this fails and nothing is lost.
            fs::remove_dir(self.path).map_err(failed)?;
        }
        fs::rename(self.part.path(), self.path).map_err(failed)?;
        // Nothing is left to remove under the other name.
        let _ = self.part.keep();
        Ok(self.bytes)
    }
}

/// Gives a temporary folder, which its owner alone can enter, the rights of any other.
#[cfg(unix)]
fn readable(folder: &Path) -> io::Result<()> {
    let plain = folder.join("rights");
    fs::create_dir(&plain)?;
    let rights = fs::metadata(&plain)?.permissions();
    fs::remove_dir(&plain)?;
    fs::set_permissions(folder, rights)
}

#[cfg(not(unix))]
fn readable(_: &Path) -> io::Result<()> {
    Ok(())
}
