//! Writes VTK files.
