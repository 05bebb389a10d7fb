//! Runs as pages and pictures.

use std::path::PathBuf;

use pliant_io::atomic_file;
use pliant_pages::player;
use pliant_run::player::MOST_BYTES;
use pliant_run::player::view::{found_runs, packed_runs};
use pliant_run::report::run_report::last_picture;
use pliant_run::run::folder::RECORDING;
use pyo3::prelude::*;

use crate::arguments;
use crate::error;

/// One self-contained page that plays runs side by side; `None` where the player was not built.
#[pyfunction]
#[pyo3(signature = (folders, most_bytes=MOST_BYTES))]
pub fn player_page(
    py: Python<'_>,
    #[pyo3(from_py_with = arguments::folders)] folders: Vec<PathBuf>,
    #[pyo3(from_py_with = arguments::most_bytes)] most_bytes: usize,
) -> PyResult<Option<String>> {
    let Some(player) = player() else { return Ok(None) };
    let page = py.detach(|| {
        let runs = found_runs(&folders).and_then(|runs| packed_runs(&runs, most_bytes))?;
        let title = runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>().join(", ");
        Ok(player.page(&title, &runs))
    });
    page.map(Some).map_err(|error: pliant_run::player::view::ViewError| error::recording(error))
}

/// The last frame of a run as the bytes of a PNG file; `None` where it cannot be drawn.
#[pyfunction]
pub fn last_frame_picture(
    py: Python<'_>,
    #[pyo3(from_py_with = arguments::folder)] folder: PathBuf,
) -> Option<Vec<u8>> {
    py.detach(|| last_picture(&folder.join(RECORDING)))
}

/// Writes a text whole or not at all.
#[pyfunction]
pub fn write_text(
    #[pyo3(from_py_with = arguments::path)] path: PathBuf,
    #[pyo3(from_py_with = arguments::text)] text: &str,
) -> PyResult<()> {
    let written = atomic_file::write(&path, text.as_bytes());
    written
        .map_err(|why| error::run(format!("{}: {}", path.display(), atomic_file::io_message(&why))))
}
