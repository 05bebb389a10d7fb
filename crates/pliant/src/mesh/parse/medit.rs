//! MEDIT files.
