//! Where inputs begin: our own files, and those of a folder that the environment names.

use std::fs;
use std::path::{Path, PathBuf};

use crate::target::Target;

/// The folder of third-party files, which is not part of the repository.
const DATA: &str = "PLIANT_DATA";

/// Bytes of a seed from that folder at most: large files leave time for few inputs.
const MOST_BYTES: u64 = 30_000;

/// Files taken from that folder at most.
const MOST_FILES: usize = 100;

/// All seeds of a target.
pub fn of(target: &Target) -> Vec<Vec<u8>> {
    let mut seeds = (target.seeds)();
    if let Some(folder) = std::env::var_os(DATA).filter(|_| !target.ending.is_empty()) {
        let found = files(Path::new(&folder), target.ending);
        seeds.extend(found.iter().take(MOST_FILES).filter_map(|path| fs::read(path).ok()));
    }
    seeds
}

/// Small files below a folder with this ending, by path.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let (path, data) = (entry.path(), entry.metadata());
            let is_small = data.is_ok_and(|data| data.is_file() && data.len() <= MOST_BYTES);
            if path.is_dir() {
                folders.push(path);
            } else if is_small && path.extension().is_some_and(|found| found == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
