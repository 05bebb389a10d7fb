//! The page with the engine in it, built into this program or not, and a scene put into it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use pliant_io::atomic_file::{self, io_message};
use pliant_pages::PAGE;
use pliant_run::player::COMMAND;
use pliant_run::scene;
use serde_json::json;

use crate::show::{self, DIM, EarlyExit, GOOD, plain};
use crate::view::opens;

/// Where a scene goes.
const SCENE: &str = "<!--pliant:scene-->";

/// Whether an argument names a scene and no run: a TOML file, or a built-in one that no file hides.
pub fn is_scene(path: &Path) -> bool {
    let has_ending = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
    let name = path.to_str().and_then(pliant_scene::builtin::find);
    !path.is_dir() && (has_ending || (name.is_some() && !path.exists()))
}

/// Writes the page with a scene in it, whole or not at all, and opens it where there is a screen.
pub fn run(
    source: &Path,
    sets: &[String],
    output: Option<&Path>,
    open: Open,
) -> Result<ExitCode, EarlyExit> {
    if !PAGE.contains(SCENE) {
        return Ok(show::usage_error(&format!(
            "this pliant was built without the page that runs scenes; `{COMMAND}`, then building \
             pliant again, adds it; `pliant run` runs the scene here"
        )));
    }
    // What is wrong with the scene is better said here than in the page.
    let loaded = match scene::load(source, sets) {
        Ok(loaded) => loaded,
        Err(error) => return Ok(show::usage_error(&error.to_string())),
    };
    let text = match scene::text(source) {
        Ok(text) => text,
        Err(error) => return Ok(show::usage_error(&error.to_string())),
    };
    let name = loaded.info.scene;
    let output = output.map_or_else(|| PathBuf::from(format!("{name}.html")), Path::to_path_buf);
    let shown = plain(&output.display().to_string());
    if let Err(error) = atomic_file::write(&output, page(&name, &text, sets).as_bytes()) {
        show::error(&format!("{shown}: cannot be written: {}", io_message(&error)));
        return Ok(ExitCode::from(crate::FAILED));
    }
    show::remark(&format!("{GOOD}{shown}{GOOD:#}: runs the scene in a browser\n"))?;
    if loaded.resolved.lines().any(|line| line.trim_start().starts_with("path = ")) {
        show::remark(
            "it holds the scene and not the files that the scene reads: drop them onto it\n",
        )?;
    }
    if matches!(open, Open::No) || !opens(&output) {
        show::remark(&format!("{DIM}open it in a browser{DIM:#}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether the page is opened.
#[derive(Clone, Copy, Debug)]
pub enum Open {
    /// Where there is a screen.
    Yes,
    /// In no case.
    No,
}

/// The page with a scene in an element that no browser runs or shows.
fn page(name: &str, text: &str, sets: &[String]) -> String {
    let scene = json!({ "name": name, "text": text, "sets": sets }).to_string();
    // No text of a scene may end its element.
    let scene = scene.replace('<', "\\u003c");
    let element = format!("<script type=\"application/json\" id=\"pliant-scene\">{scene}</script>");
    PAGE.replacen(SCENE, &element, 1)
}
