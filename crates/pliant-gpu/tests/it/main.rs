//! The GPU against the reference implementation; or that its absence is reported clearly.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod field;
mod hostile;
mod overlap;
mod query;
mod scene;
