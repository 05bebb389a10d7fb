//! The player that is built into this program, or not.

use std::path::Path;

use pliant_run::player::Player;
use pliant_run::report::run_report::of_run_with;
use pliant_run::run::series::WIDTH;
use pliant_run::summary::Summary;
use pliant_scene::loaded::LoadedScene;

/// The page of `cargo xtask web`; empty where it was not there.
const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/player.html"));

/// The player, if this program has it.
pub fn player() -> Option<Player<'static>> {
    Player::new(PAGE)
}

/// The report of a run, with the player if this program has it.
pub fn report(
    folder: &Path,
    built: &LoadedScene,
    summary: &Summary,
    rows: &[[f64; WIDTH]],
) -> String {
    of_run_with(player(), folder, built, summary, rows)
}
