//! The player and the page as `cargo xtask web` built them, or without them.
//!
//! A crate of its own, so that both the program and the Python module carry the same pages, and
//! only these two are built again when a page changes.

use std::path::Path;

use pliant_run::player::Player;
use pliant_run::report::run_report::of_run_with;
use pliant_run::run::series::WIDTH;
use pliant_run::summary::Summary;
use pliant_scene::loaded::LoadedScene;

/// The player of recordings; empty where it was not built.
const PLAYER: &str = include_str!(concat!(env!("OUT_DIR"), "/player.html"));

/// The page with the engine in it; empty where it was not built.
pub const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/pliant.html"));

/// The player, if it was built.
pub fn player() -> Option<Player<'static>> {
    Player::new(PLAYER)
}

/// The report of a run, with the player if it was built.
pub fn report(
    folder: &Path,
    built: &LoadedScene,
    summary: &Summary,
    rows: &[[f64; WIDTH]],
) -> String {
    of_run_with(player(), folder, built, summary, rows)
}
