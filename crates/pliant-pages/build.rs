//! Puts the player and the page into this crate, if they were built.
//!
//! `cargo xtask web` writes them into the target folder; a published crate carries them in its own
//! folder. Where neither is there, whoever uses this crate does without.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Folder of both, in the target folder or in this crate's.
const FOLDER: &str = "web";

/// The player of recordings, and the page with the engine in it.
const PAGES: [&str; 2] = ["player.html", "pliant.html"];

/// Folder of the target folder that cargo builds scripts in: `target/PROFILE/build`.
const BUILD: &str = "build";

fn main() -> io::Result<()> {
    let out = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    let own = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let carried = own.join(FOLDER);
    let folder = if carried.is_dir() { Some(carried) } else { built(&out)? };
    for name in PAGES {
        let page = folder.as_ref().map(|folder| folder.join(name));
        let page = page.filter(|page| page.is_file());
        let text = page.map_or(Ok(String::new()), fs::read_to_string)?;
        fs::write(out.join(name), text)?;
    }
    println!("cargo::rerun-if-changed=build.rs");
    Ok(())
}

/// The folder in the target folder; cargo runs this script again when a file in it changes.
fn built(out: &Path) -> io::Result<Option<PathBuf>> {
    // Up from target/PROFILE/build/NAME/out, with a folder more where a target is named.
    let Some(build) = out.ancestors().find(|folder| folder.ends_with(BUILD)) else {
        return Ok(None);
    };
    let above = build.ancestors().skip(2).take(2);
    let Some(target) = above.into_iter().find(|folder| folder.join("CACHEDIR.TAG").exists()) else {
        return Ok(None);
    };
    // Of a file that is missing cargo would think that it changed, and build at every call:
    // a folder is there, and has a new time when a file comes into it.
    let folder = target.join(FOLDER);
    fs::create_dir_all(&folder)?;
    println!("cargo::rerun-if-changed={}", folder.display());
    Ok(Some(folder))
}
