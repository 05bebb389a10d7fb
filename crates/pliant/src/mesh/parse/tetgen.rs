//! TetGen's pairs of files.
