//! `pliant scenes`: the built-in scenes.

use std::fmt::Write;
use std::process::ExitCode;

use pliant_scene::{builtin, schema};

use crate::show::{self, DIM, EarlyExit, HEADING, plain};

/// Each built-in scene with a line about it and its parameters.
pub fn print_list() -> Result<ExitCode, EarlyExit> {
    let width = builtin::ALL.iter().map(|scene| scene.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for scene in builtin::ALL {
        let (name, headline) = (scene.name, scene.headline());
        let _ = writeln!(text, "{HEADING}{name:<width$}{HEADING:#}  {headline}");
        // An expression in quotes, as a scene has it: `dt="=1/60"` can be given to --set as it is.
        let set = |(name, value): (String, String)| match value.starts_with('=') {
            true => format!("{name}=\"{value}\""),
            false => format!("{name}={value}"),
        };
        let parameters: Vec<String> = scene.parameters().into_iter().map(set).collect();
        let _ = writeln!(text, "{:width$}  {DIM}{}{DIM:#}", "", parameters.join("  "));
    }
    show::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// The TOML of one scene.
pub fn print_scene(name: &str) -> Result<ExitCode, EarlyExit> {
    let Some(scene) = builtin::find(name) else {
        let names = || builtin::ALL.iter().map(|scene| scene.name);
        let help = match pliant_io::suggest::nearest(name, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
        };
        return Ok(show::usage_error(&format!(
            "no built-in scene is called `{}`; {help}",
            plain(name)
        )));
    };
    show::print(scene.text)?;
    Ok(ExitCode::SUCCESS)
}

/// The JSON schema of scene files.
pub fn print_schema() -> Result<ExitCode, EarlyExit> {
    match serde_json::to_string_pretty(&schema::schema()) {
        Ok(json) => show::print(&(json + "\n"))?,
        Err(error) => return Ok(show::usage_error(&error.to_string())),
    }
    Ok(ExitCode::SUCCESS)
}
