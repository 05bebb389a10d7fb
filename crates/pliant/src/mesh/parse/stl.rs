//! STL files.
