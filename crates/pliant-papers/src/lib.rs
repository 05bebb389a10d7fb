//! The methods of the five documents, beside the engine's own contact.
//!
//! Everything here is built on the public interface of the engine alone: responses are
//! [`Response`](pliant::contact::response::Response)s or forces, reference implementations work
//! on plain slices. So this crate also shows how a custom response is written.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod detect;

pub mod depth;

pub mod potential;

pub mod penalty;

pub mod barrier;

pub mod impulse;

pub mod points;

pub mod bodies;

pub mod surface;

pub mod rigid;

pub mod overlay;
