//! Detection and depth on random scenes: fast against slow, and what must not matter.
//! Integrators against closed forms.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod scenes;

mod detect;

mod depth;

mod integrators;
