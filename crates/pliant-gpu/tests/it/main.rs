//! The GPU against the plain twin; without a GPU, that its absence is told clearly.

mod ask;
mod field;
mod overlap;
mod scene;
