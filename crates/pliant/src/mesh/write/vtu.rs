//! Writes VTU files.
