//! VTK's XML unstructured grids.
