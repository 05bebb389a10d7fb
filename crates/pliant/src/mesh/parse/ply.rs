//! PLY files.
