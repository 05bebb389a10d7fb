//! Where things lie: the root, the target folder, and every text file in between.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folders whose content is made, fetched or recorded, never written by a person.
const SKIPPED: [&str; 4] = [".git", "node_modules", "runs", "target"];

/// Text of one file and where it stands.
pub struct TextFile {
    /// From the root, with `/` between the parts.
    pub path: String,
    /// Content; bytes that are no UTF-8 are replaced.
    pub text: String,
}

/// The root of the repository: the parent of this crate.
pub fn root() -> PathBuf {
    let here = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent().map_or_else(|| here.clone(), Path::to_path_buf)
}

/// The folder that cargo builds into.
pub fn target_dir() -> PathBuf {
    // The names and their order are cargo's; `.cargo/config.toml` fixes the third choice.
    let chosen = ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"].into_iter().find_map(env::var_os);
    // cargo runs in the root, and takes a relative path from there.
    root().join(chosen.map_or_else(|| PathBuf::from("target"), PathBuf::from))
}

/// All files below `root` whose names end in one of `endings`, by path.
pub fn files(root: &Path, endings: &[&str]) -> io::Result<Vec<TextFile>> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let kind = entry.file_type()?;
            if kind.is_dir() && !SKIPPED.contains(&name.as_str()) {
                folders.push(entry.path());
            } else if kind.is_file() && endings.iter().any(|ending| name.ends_with(ending)) {
                let text = String::from_utf8_lossy(&fs::read(entry.path())?).into_owned();
                found.push(TextFile { path: relative(root, &entry.path()), text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// `path` as seen from `root`, with `/` on every system.
fn relative(root: &Path, path: &Path) -> String {
    let inside = path.strip_prefix(root).unwrap_or(path);
    let parts: Vec<_> = inside.components().map(|c| c.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_by_path_and_made_folders_are_left_out() {
        let root = env::temp_dir().join(format!("pliant-xtask-{}", std::process::id()));
        for folder in ["b/target", "a"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in ["b/two.md", "b/target/made.md", "a/one.md", "a/one.rs"] {
            fs::write(root.join(file), file).unwrap();
        }
        let found = files(&root, &[".md"]).unwrap();
        fs::remove_dir_all(&root).unwrap();
        let paths: Vec<&str> = found.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["a/one.md", "b/two.md"]);
        assert_eq!(found[1].text, "b/two.md");
    }

    #[test]
    fn the_root_holds_both_workspaces() {
        assert!(root().join("Cargo.toml").is_file());
        assert!(root().join("xtask/Cargo.toml").is_file());
    }
}
