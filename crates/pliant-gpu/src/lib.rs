//! Pliant on any GPU, through Vulkan, Metal or Direct3D 12.
//!
//! So far proximity of outlines in the plane: [`Gpu`] is a `Backend` of
//! `pliant_plane`, and draws the images that the method is named for. Where no GPU
//! is found, [`Gpu::new`] says what to install, and the caller falls back to the CPU.
//!
//! Numbers on the GPU are f32, so lengths go there relative to a near corner and divided
//! by the size of the query's outlines; every file argues what that costs. What must be
//! exact is decided there only where it is sure, and by the exact predicates otherwise.

mod device;

mod error;

mod chunk;

mod depths;

mod area;

mod query;

mod field;

mod overlap;

pub use device::CHOICE;
pub use error::GpuError;
pub use field::{FieldMethod, FieldRequest, FieldSettings, FieldSign, PixelAt, rounding};
pub use overlap::{Drawn, Extent, OverlapRequest, Strategy};
pub use query::{DepthsBy, Gpu, QuerySettings};
