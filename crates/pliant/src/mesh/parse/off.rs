//! OFF files.
