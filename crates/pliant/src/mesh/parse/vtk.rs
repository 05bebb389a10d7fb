//! Legacy VTK files.
