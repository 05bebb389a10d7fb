//! Stages on whole scenes: fast against slow, and what must not matter.
//! Integrators against closed forms.

#![allow(clippy::unwrap_used, reason = "a test may")]

mod scenes;

mod force;

mod detect;

mod depth;

mod integrators;
