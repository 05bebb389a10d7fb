//! Gmsh files.
