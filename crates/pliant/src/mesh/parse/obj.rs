//! Wavefront OBJ files.
