//! Puts the player's page into the module, if it was built by `cargo xtask web`.
//!
//! Where it is not there, runs in a notebook are shown by a picture.

use std::path::PathBuf;
use std::{env, fs, io};

/// The page in the target folder.
const PAGE: &str = "web/player.html";

fn main() -> io::Result<()> {
    let out = env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    println!("cargo::rerun-if-changed=build.rs");
    // Up from target/PROFILE/build/NAME/out, with a folder more where a target is named.
    let target = out.ancestors().skip(3).find(|folder| folder.join("CACHEDIR.TAG").exists());
    let mut text = String::new();
    if let Some(target) = target {
        let page = target.join(PAGE);
        // Of a file that is missing cargo would think that it changed: a folder is there.
        let folder = page.parent().unwrap_or(target);
        fs::create_dir_all(folder)?;
        println!("cargo::rerun-if-changed={}", folder.display());
        if page.is_file() {
            text = fs::read_to_string(page)?;
        }
    }
    fs::write(out.join("player.html"), text)
}
