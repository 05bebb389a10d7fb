//! Whole files through the readers and writers.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod contact;

mod data;

mod documents;

mod mesh;

mod golden;

mod attach;

mod joints;

mod manifest;

mod proximity;

mod outlines;

mod plane;

mod outline_bodies;

mod responses;

mod round_trip;

mod scene;

mod schema;

mod shapes;
