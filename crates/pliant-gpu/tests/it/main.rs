//! The GPU against the plain twin; without a GPU, that its absence is told clearly.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod ask;
mod field;
mod overlap;
mod scene;
