//! Runs as folders: what they hold, and that nothing of them is lost.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod scene;

mod child;

mod whole;

mod resume;

mod bodies;

mod refuse;

mod race;

mod disk;
