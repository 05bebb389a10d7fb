//! `pliant completions` and `pliant man`: what shells and manuals need to know of the program.

use std::path::Path;
use std::process::ExitCode;

use clap::Command;
use clap_complete::Shell;
use pliant_io::atomic_file::{self, io_message};

use crate::show::{self, EarlyExit, counted, plain};

/// A script for a shell, on stdout.
pub fn print_completions(shell: Shell, mut program: Command) -> Result<ExitCode, EarlyExit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut program, "pliant", &mut script);
    show::print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes `pliant.1` and `pliant-COMMAND.1` for every command.
pub fn write_manual(out: &Path, mut program: Command) -> Result<ExitCode, EarlyExit> {
    program.build();
    let commands: Vec<Command> = std::iter::once(program.clone())
        .chain(program.get_subcommands().filter(|command| command.get_name() != "help").cloned())
        .collect();
    for command in &commands {
        let path = out.join(clap_mangen::Man::new(command.clone()).get_filename());
        let mut page = Vec::new();
        let written = std::fs::create_dir_all(out)
            .and_then(|()| clap_mangen::Man::new(command.clone()).render(&mut page))
            .and_then(|()| atomic_file::write(&path, &page));
        if let Err(error) = written {
            show::error(&format!("{}: cannot be written: {}", path.display(), io_message(&error)));
            return Ok(ExitCode::from(crate::FAILED));
        }
    }
    let pages = counted(commands.len(), "page", "pages");
    show::remark(&format!("{pages} in {}\n", plain(&out.display().to_string())))?;
    Ok(ExitCode::SUCCESS)
}
