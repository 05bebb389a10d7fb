//! The lock of a run folder: one process writes to it at a time.
//!
//! A file of its own, which nothing ever replaces: to lock a file that is written anew would
//! lock one that others no longer find. It is taken before anything else is written, and the
//! system frees it however the program ends.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use pliant_io::regular_file;

/// The file that is locked; empty.
pub const LOCK: &str = "run.lock";

/// A folder that no other process writes to while this lives.
///
/// Freed by name when dropped: to close the file is not enough while a child process that is
/// just being started still holds a copy of it.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
    /// Whether the system knows locks here; where it does not, nothing is locked.
    pub is_held: bool,
}

/// Locks a folder; `None` when another process has it.
pub fn lock(folder: &Path) -> io::Result<Option<Lock>> {
    let path = folder.join(LOCK);
    let file = regular_file::open_or_create_own(&path)?;
    let is_held = match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(_)) => false,
    };
    let lock = Lock { file, path, is_held };
    // Whoever had it may have removed it in between: then this lock is on a file that is gone.
    Ok(lock.is_in_place().then_some(lock))
}

impl Lock {
    /// Frees the folder and removes the file, for a folder that is not kept.
    pub fn remove(self) {
        // While it is locked: who opened it before finds that it is gone.
        let _ = fs::remove_file(&self.path);
    }

    /// Whether the file is still the one that others find: nobody removed the folder.
    #[cfg(unix)]
    pub fn is_in_place(&self) -> bool {
        use std::os::unix::fs::MetadataExt;
        let number = |data: fs::Metadata| (data.dev(), data.ino());
        let own = self.file.metadata().map(number);
        let found = fs::symlink_metadata(&self.path).map(number);
        matches!((own, found), (Ok(own), Ok(found)) if own == found)
    }

    /// Elsewhere an open file is not removed.
    #[cfg(not(unix))]
    pub fn is_in_place(&self) -> bool {
        true
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(test: &str) -> PathBuf {
        let name = format!("pliant-lock-{test}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn a_copy_of_the_file_keeps_no_lock() {
        let folder = folder("copy");
        let held = lock(&folder).unwrap().unwrap();
        // As a child process has one from its start until it becomes another program.
        let copy = held.file.try_clone().unwrap();
        assert!(lock(&folder).unwrap().is_none());
        drop(held);
        assert!(lock(&folder).unwrap().is_some());
        drop(copy);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_on_a_file_that_is_gone_is_none() {
        let folder = folder("gone");
        let held = lock(&folder).unwrap().unwrap();
        let (file, path) = (File::open(folder.join(LOCK)).unwrap(), folder.join(LOCK));
        held.remove();
        let late = Lock { file, path, is_held: true };
        assert!(!late.is_in_place());
        assert!(lock(&folder).unwrap().unwrap().is_in_place());
        assert!(!late.is_in_place()); // another file has its name
        fs::remove_dir_all(&folder).unwrap();
    }
}
