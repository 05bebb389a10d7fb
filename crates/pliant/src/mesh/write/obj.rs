//! Writes OBJ files.
