//! The paper's stages one after the other, as the reference of the fused query.

pub mod staged;
