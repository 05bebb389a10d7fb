//! The engine and its scenes for the browser.
//!
//! ```text
//!  page ─▶ worker ─▶ exports ─▶ Session ─▶ World
//!          JSON in, JSON and arrays out
//! ```
//!
//! A [`Session`] holds one scene. A command is JSON, and so is its answer; what is drawn comes as
//! arrays of numbers that the worker reads where they lie. Everything is done by the front door
//! ([`pliant::world::World`]) and the scene language ([`pliant_scene`]): the same text gives the
//! same bits as in the program. The crate opens no file and has no clock but the one it is given.

pub mod command;

pub mod session;

pub mod live;

mod profiler;

mod frame;

mod topology;

mod hand;

mod overlays;

mod field;

mod dropped;

mod recording;

pub use session::Session;

#[cfg(target_arch = "wasm32")]
mod exports;
