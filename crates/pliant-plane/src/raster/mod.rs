//! Images of outlines: what is inside, what comes near a boundary, what two share.
//!
//! [`rows`] holds which segments a row of pixels meets, and by that what is inside. [`draw`]
//! sets pixels near a boundary, and [`overlap`] finds those that two drawings share.

pub mod rows;

pub mod draw;

pub mod overlap;
