//! `pliant view`: runs in one page that plays them, or a scene in one that runs it.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use clap::Args;
use pliant_io::atomic_file::{self, io_message};
use pliant_run::player::view::{found_runs, packed_runs};
use pliant_run::player::{COMMAND, MOST_BYTES};

use crate::page::{self, Open};
use crate::show::{self, DIM, EarlyExit, GOOD, counted, plain};
use pliant_pages::player;

/// What `pliant view --help` ends with.
pub const AFTER_HELP: &str = "\
Examples:
  pliant view runs/block                        writes runs/block/view.html and opens it
  pliant view runs/compare-two-cubes            all runs of a comparison, side by side
  pliant view runs/a runs/b -o both.html --no-open
  pliant view two-cubes --set overlap=0.8       writes two-cubes.html, which runs the scene itself

The page stands alone: it opens from a file, offline, on any machine with a browser.
Exit code: 0 when the file is written, 1 when it cannot be, 2 for bad arguments or input.";

/// Name of the page in a run folder.
const VIEW: &str = "view.html";

/// Arguments of `pliant view`.
#[derive(Args)]
pub struct ViewArguments {
    /// Run folders, recordings, a folder of runs, or one scene: a file or a built-in name
    #[arg(value_name = "RUN|SCENE", required = true)]
    runs: Vec<PathBuf>,
    /// File to write, replaced if it is there; view.html in the folder of the run by default
    #[arg(short, long = "out", alias = "output", value_name = "HTML")]
    output: Option<PathBuf>,
    /// Set a parameter of the scene, or any path of it
    #[arg(long = "set", value_name = "NAME=VALUE")]
    sets: Vec<String>,
    /// Do not open the page in a browser
    #[arg(long)]
    no_open: bool,
}

impl ViewArguments {
    /// The file to write: in the folder of the only argument, otherwise in the current one.
    fn output(&self) -> PathBuf {
        match (&self.output, self.runs.as_slice()) {
            (Some(output), _) => output.clone(),
            (None, [run]) if run.is_dir() => run.join(VIEW),
            (None, [run]) => run.with_extension("html"),
            (None, _) => PathBuf::from(VIEW),
        }
    }
}

/// Packs the runs, writes the page whole or not at all, and opens it where there is a screen.
pub fn run(arguments: &ViewArguments) -> Result<ExitCode, EarlyExit> {
    if let Some(scene) = arguments.runs.iter().find(|path| page::is_scene(path)) {
        if arguments.runs.len() > 1 {
            return Ok(show::usage_error("a page runs one scene; name it alone"));
        }
        let open = if arguments.no_open { Open::No } else { Open::Yes };
        return page::run(scene, &arguments.sets, arguments.output.as_deref(), open);
    }
    if !arguments.sets.is_empty() {
        return Ok(show::usage_error("--set is for scenes, and a run is made already"));
    }
    if let Some(missing) = arguments.runs.iter().find(|path| !path.exists()) {
        let name = plain(&missing.display().to_string());
        return Ok(show::usage_error(&format!(
            "{name}: no such run; name a run folder, a recording or a scene"
        )));
    }
    let Some(player) = player() else {
        return Ok(show::usage_error(&format!(
            "this pliant was built without the player; `{COMMAND}`, then building pliant again, \
             adds it; `pliant picture` and report.html show the run without it"
        )));
    };
    let output = arguments.output();
    if !output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("html")) {
        let name = output.with_extension("html");
        let (output, name) = (output.display(), name.display());
        return Ok(show::usage_error(&format!("{output}: the page is HTML; name it {name}")));
    }
    let runs = match found_runs(&arguments.runs).and_then(|runs| packed_runs(&runs, MOST_BYTES)) {
        Ok(runs) => runs,
        Err(error) => return Ok(show::usage_error(&error.to_string())),
    };
    let title = runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>().join(", ");
    let page = player.page(&title, &runs);
    let name = plain(&output.display().to_string());
    if let Err(error) = atomic_file::write(&output, page.as_bytes()) {
        show::error(&format!("{name}: cannot be written: {}", io_message(&error)));
        return Ok(ExitCode::from(crate::FAILED));
    }
    let bytes = crate::info::bytes(page.len() as u64);
    let count = counted(runs.len(), "run", "runs");
    show::remark(&format!("{GOOD}{name}{GOOD:#}: {count}, {bytes}\n"))?;
    if !arguments.no_open && !opens(&output) {
        show::remark(&format!("{DIM}open it in a browser{DIM:#}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens a file with the program of the desktop; whether there is one.
pub fn opens(path: &Path) -> bool {
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        Command::new("explorer")
    } else {
        let has_screen =
            ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|v| std::env::var_os(v).is_some());
        if !has_screen {
            return false;
        }
        Command::new("xdg-open")
    };
    // Left to itself: it may stay as long as the browser does.
    let silent = command.arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    silent.spawn().is_ok()
}
