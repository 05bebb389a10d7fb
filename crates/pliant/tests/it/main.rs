//! Stages on whole scenes: against references, closed forms, and invariances.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod scenes;

mod placed;

mod force;

mod detect;

mod depth;

mod integrators;

mod validation;

mod world;

mod examples;

mod settle;

mod drops;

mod converge;

mod impacts;

mod penalty;

mod bodily;

mod responses;

mod rigid;
mod rolling;

mod large_islands;

mod jointed;

mod rigid_attached;
