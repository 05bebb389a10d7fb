//! Detection and depth on random scenes: fast against slow, and what must not matter.
//! Integrators and finite elements against closed forms.
//! Stages on whole scenes: fast against slow, and what must not matter.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod scenes;

mod force;

mod detect;

mod depth;

mod integrators;

mod validation;
