//! The nearest point of the surface: the depth of collision libraries, as baseline.
