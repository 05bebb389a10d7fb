//! Puts the player's page into the program, if it was built.
//!
//! `cargo xtask web` writes `web/player.html` into the target folder; a published crate carries
//! it in its own folder. Where neither is there the program does without, and says so.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The page, from the target folder or from this crate's.
const PAGE: &str = "web/player.html";

/// Folder of the target folder that cargo builds scripts in: `target/PROFILE/build`.
const BUILD: &str = "build";

fn main() -> io::Result<()> {
    let out = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    let own = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let carried = own.join(PAGE);
    let page = if carried.is_file() { Some(carried) } else { built(&out)? };
    let text = page.filter(|page| page.is_file()).map_or(Ok(String::new()), fs::read_to_string)?;
    println!("cargo::rerun-if-changed=build.rs");
    fs::write(out.join("player.html"), text)
}

/// The page in the target folder; cargo runs this script again when it comes, changes or goes.
fn built(out: &Path) -> io::Result<Option<PathBuf>> {
    // Up from target/PROFILE/build/NAME/out, with a folder more where a target is named.
    let Some(build) = out.ancestors().find(|folder| folder.ends_with(BUILD)) else {
        return Ok(None);
    };
    let above = build.ancestors().skip(2).take(2);
    let Some(target) = above.into_iter().find(|folder| folder.join("CACHEDIR.TAG").exists()) else {
        return Ok(None);
    };
    let page = target.join(PAGE);
    // Of a file that is missing cargo would think that it changed, and build at every call:
    // a folder is there, and has a new time when a file comes into it.
    let folder = page.parent().unwrap_or(target);
    fs::create_dir_all(folder)?;
    println!("cargo::rerun-if-changed={}", folder.display());
    Ok(Some(page))
}
