//! Whole files through the readers and writers.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod contact;

mod data;

mod joints;

mod manifest;

mod outlines;

mod plane;

mod responses;

mod round_trip;

mod scene;

mod shapes;
