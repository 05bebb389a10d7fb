//! The program as people call it.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::ffi::OsStr;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

mod check;

mod convert;

mod depth;

mod mesh;

mod separate;

mod papers;

mod proximity;

mod scenes;

mod run;

mod verdicts;

mod resume;

mod export;

mod view;

mod sweep;

mod hostile;

mod shell;

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

/// How long the program may take at most: a test that waits for ever says nothing.
const PATIENCE: Duration = Duration::from_secs(120);

fn pliant(arguments: &[impl AsRef<OsStr>]) -> Output {
    finished(started(arguments))
}

/// Starts the program with pipes for its output.
fn started(arguments: &[impl AsRef<OsStr>]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pliant"));
    command.env_remove("CLICOLOR_FORCE").args(arguments);
    // Without it a layer of Mesa writes on the standard error where there is a GPU.
    if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        command.env("XDG_RUNTIME_DIR", std::env::temp_dir());
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for the end of the program, which is killed after [`PATIENCE`].
#[track_caller]
fn finished(mut child: Child) -> Output {
    let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let (stdout, stderr) = (thread::spawn(|| all_of(stdout)), thread::spawn(|| all_of(stderr)));
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("pliant did not end within {PATIENCE:?}");
        }
        thread::sleep(Duration::from_millis(2));
    };
    Output { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
}

fn all_of(mut pipe: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    pipe.read_to_end(&mut bytes).unwrap();
    bytes
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
