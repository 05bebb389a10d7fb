//! Writes MSH files.
