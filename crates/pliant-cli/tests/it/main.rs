//! The program as people call it.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::path::PathBuf;
use std::process::{Command, Output};

mod check;

mod depth;

mod proximity;

mod scenes;

mod run;

mod verdicts;

/// A fresh folder for one test, gone when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("pliant-cli-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        std::fs::write(self.0.join(name), text).unwrap();
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn pliant(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
    command.env_remove("CLICOLOR_FORCE").args(arguments).output().unwrap()
}

/// Exit code, stdout, stderr.
fn reported(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// A MEDIT file with one tet and the given last corner.
fn medit(corner: &str) -> String {
    format!(
        "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n{corner} 0\n\
         Tetrahedra\n1\n1 2 3 4 0\nEnd\n"
    )
}
