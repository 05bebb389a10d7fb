//! Where files are read from: the disk, or whatever else holds them.
//!
//! Readers that need further files (a scene its meshes, a mesh its other half) open them
//! here, so that they also work where there is no disk.

use std::io;
use std::path::{Path, PathBuf};

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A regular file of this many bytes.
    File(u64),
    /// A folder.
    Folder,
    /// A pipe, device or the like: reading it may never end.
    Other,
}

/// Something that holds files.
pub trait Files {
    /// What is at a path; an error where there is nothing.
    fn look(&self, path: &Path) -> io::Result<Entry>;

    /// All bytes of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// The absolute path.
    fn absolute(&self, path: &Path) -> PathBuf;
}

/// The disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn look(&self, path: &Path) -> io::Result<Entry> {
        let data = std::fs::metadata(path)?;
        Ok(match () {
            () if data.is_file() => Entry::File(data.len()),
            () if data.is_dir() => Entry::Folder,
            () => Entry::Other,
        })
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        crate::regular_file::read(path)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
    }
}

/// Files in memory, by path.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Paths and bytes; a later entry of the same path is ignored.
    pub files: Vec<(PathBuf, Vec<u8>)>,
}

impl Memory {
    fn find(&self, path: &Path) -> io::Result<&[u8]> {
        let found = self.files.iter().find(|(name, _)| name == path);
        found.map(|(_, bytes)| &bytes[..]).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

impl Files for Memory {
    fn look(&self, path: &Path) -> io::Result<Entry> {
        self.find(path).map(|bytes| Entry::File(bytes.len() as u64))
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.find(path).map(<[u8]>::to_vec)
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        path.to_path_buf()
    }
}

/// A base folder for relative paths, and what holds it.
#[derive(Clone, Copy)]
pub struct Folder<'a> {
    /// The folder; empty for the current one.
    pub path: &'a Path,
    /// What holds it.
    pub files: &'a dyn Files,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_memory_are_found_by_their_path_alone() {
        let path = PathBuf::from("meshes/ball.obj");
        let files = Memory { files: vec![(path.clone(), b"v 0 0 0".to_vec())] };
        assert_eq!(files.look(&path).unwrap(), Entry::File(7));
        assert_eq!(files.read(&path).unwrap(), b"v 0 0 0");
        let missing = files.read(Path::new("ball.obj")).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn the_disk_tells_files_from_folders() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(Disk.look(root).unwrap(), Entry::Folder);
        let manifest = root.join("Cargo.toml");
        let length = Disk.read(&manifest).unwrap().len() as u64;
        assert_eq!(Disk.look(&manifest).unwrap(), Entry::File(length));
        assert!(Disk.look(&root.join("no-such-file")).is_err());
    }
}
