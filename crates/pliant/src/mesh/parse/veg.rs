//! VegaFEM files.
