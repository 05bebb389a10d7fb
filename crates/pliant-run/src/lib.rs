//! Files for Pliant: everything that touches the disk.
//!
//! The library computes on bytes and arrays; this crate reads and writes them, for
//! the program, the page and Python alike.

pub mod check;

pub mod convert;

pub mod body_file;

pub mod depth;

pub mod mesh;

pub mod separate;

pub mod proximity;

pub mod summary;

pub mod picture;

pub mod report;

pub mod scene;

pub mod recording;

pub mod run;

pub mod export;

pub mod player;

pub mod compare;

pub mod sweep;
