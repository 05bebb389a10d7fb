//! Errors of the GPU.

use pliant_plane::BackendError;

/// Why there is no GPU, or why it gave no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GpuError {
    /// No driver offers a GPU, not even one in software.
    #[error(
        "no GPU found: no driver offers an adapter; install the maker's Vulkan driver, or a \
         software one (Debian: apt-get install mesa-vulkan-drivers libvulkan1)"
    )]
    NoAdapter,
    /// Drivers offer GPUs, but not the requested one.
    #[error("no GPU is called {asked}; there are: {found}")]
    NoSuchAdapter {
        /// The requested part of a name.
        asked: String,
        /// Names of the available ones.
        found: String,
    },
    /// The driver failed, ran out of memory or lost the GPU.
    #[error("the GPU failed: {what}")]
    Device {
        /// What went wrong, in the words of the driver.
        what: String,
    },
    /// More than the GPU can hold in one piece.
    #[error("{what} take {need} bytes on the GPU, which allows {limit}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Bytes needed.
        need: u64,
        /// Bytes allowed.
        limit: u64,
    },
    /// A window without pixels, not finite, or larger than an image can be.
    #[error("window {index} has {width} × {height} pixels of {pixel} m; an image has 1 to {limit}")]
    Window {
        /// Position in the list of requests.
        index: usize,
        /// Pixels side by side.
        width: u32,
        /// Pixels above each other.
        height: u32,
        /// Side of a pixel, m.
        pixel: f64,
        /// Most pixels along a side.
        limit: u32,
    },
    /// A request that names an outline that does not exist.
    #[error("request {index} names outline {outline}; there are {count}")]
    Outline {
        /// Position in the list of requests.
        index: usize,
        /// The outline named.
        outline: u32,
        /// Number of outlines.
        count: usize,
    },
    /// A point that is not finite.
    #[error("point {point} is not finite")]
    NotFinite {
        /// Position in the set's points.
        point: usize,
    },
    /// A requested pixel is outside the images.
    #[error("pixel {x}, {y} of window {window} is not in the images drawn last")]
    Pixel {
        /// Position of the window in the list drawn.
        window: u32,
        /// Column, from the left.
        x: u32,
        /// Row, from below.
        y: u32,
    },
}

impl From<GpuError> for BackendError {
    fn from(error: GpuError) -> BackendError {
        BackendError::Device { what: error.to_string() }
    }
}
