//! Contact for things that bend.
//!
//! Pliant finds where soft and rigid bodies overlap, says for every overlapping
//! vertex how far and which way it must go, and resolves the contact. The library
//! computes: it opens no file, reads no clock and prints nothing.
//!
//! Modules stand in the order in which data flows through them.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod math;

pub mod id;

pub mod mesh;
