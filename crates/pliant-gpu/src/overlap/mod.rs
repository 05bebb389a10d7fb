//! Pixels that two outlines both cover, by four ways of using the buffers.
//!
//! Outline b is rendered first, then a; each as its boundary, thickened so that no pixel
//! centre as near is missed, with circumscribed discs at its points, or as its volume.
//! The strategies are the rows of [Hoff01 tbl. 1]; all mark the same pixels. Whether there
//! are any can be found without reading the image: by an occlusion query, or by the number
//! and the box that a reduction leaves behind.
//!
//! - Implements: [Hoff01 §2.2.1], its table 1 and its minimum and maximum queries.
//! - Deviates: no logic operation is left in today's interfaces to GPUs; an atomic or on a
//!   buffer, by every fragment, is its equivalent.
//! - Erratum: with overlapping segments, as at every joint, three rows of [Hoff01 tbl. 1]
//!   mark wrong pixels: incrementing the stencil for b, adding 127 to one channel, and an
//!   exclusive or. Here b sets the stencil, each outline adds to a channel of its own, and
//!   bits are ored; `strategies_agree_where_segments_overlap_at_joints` shows it.

mod pipelines;

use pliant_plane::field::Window;
use pliant_plane::outline::Outlines;

use crate::GpuError;
use crate::device::{Device, Kept, Part, stride};
use crate::field::{FieldRequest, Laid};
use crate::query::Gpu;

pub use pipelines::stencil;

use pipelines::{Pipelines, RenderInput};

/// Sides of a disc around a point: its circumscribed polygon is wider by half a percent.
const SIDES: u32 = 32;

/// The result of the reduction: number of pixels, left, low, right, high.
type Reported = [u32; 5];

/// Pixels that one word of bits covers, as in the reduction.
const WORD: u32 = u32::BITS;

/// A way of using the buffers to find pixels that both outlines cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The stencil buffer: b sets it to one, a raises ones to two.
    Stencil,
    /// Additive blending, each outline into a channel of its own.
    Blend,
    /// An atomic or of b's and a's bits, for the logic operation that GPUs lost.
    Or,
    /// Depth and colour: a paints where the depth is equal to b's.
    Depth,
}

impl Strategy {
    /// All of them, in the order of the table.
    pub const ALL: [Strategy; 4] =
        [Strategy::Stencil, Strategy::Blend, Strategy::Or, Strategy::Depth];
}

/// What of an outline is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// Its segments, thickened.
    Boundary,
    /// Its inside.
    Volume,
}

/// Two outlines in a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverlapRequest {
    /// The outlines a and b, by their positions in the set.
    pub outlines: [u32; 2],
    /// What is rendered of each.
    pub drawn: [Drawn; 2],
    /// Where the pixels are.
    pub window: Window,
    /// How far a thickened boundary reaches to either side, m.
    pub thickness: f64,
}

/// Which pixels both cover, in short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Number of pixels that both cover.
    pub count: u32,
    /// First column and lowest row with one, indices.
    pub low: [u32; 2],
    /// Last column and highest row with one, indices.
    pub high: [u32; 2],
}

/// Pipelines, images and buffers for overlaps.
#[derive(Debug)]
pub struct Overlaps {
    /// The pipelines, compiled at first use.
    pipelines: Option<Pipelines>,
    /// Both outlines, b first.
    laid: Laid,
    /// Segments of both, from the window's corner, scaled.
    segments: Kept,
    /// The window, once for each outline.
    windows: Kept,
    /// For each pixel the bits of [`Strategy::Or`].
    ored: Kept,
    /// For each pixel one bit: both cover it.
    bits: Kept,
    /// Number and box of those bits.
    extent: Kept,
    /// Result of the occlusion query, a count or one.
    seen: Kept,
}

impl Default for Overlaps {
    fn default() -> Overlaps {
        let seen = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
        Overlaps {
            pipelines: None,
            laid: Laid::default(),
            segments: Kept::storage("segments"),
            windows: Kept::storage("windows"),
            ored: Kept::storage("pixels"),
            bits: Kept::storage("bits of pixels"),
            extent: Kept::storage("extents"),
            seen: Kept::new("occlusion queries", seen),
        }
    }
}

impl Overlaps {
    /// Lays out both outlines, and puts rendering them on the list of work.
    fn encode(
        &mut self,
        device: &Device,
        outlines: &Outlines,
        request: &OverlapRequest,
        strategy: Strategy,
    ) -> Result<wgpu::CommandEncoder, GpuError> {
        let OverlapRequest { outlines: [a, b], window, thickness, .. } = *request;
        let both = [b, a].map(|outline| FieldRequest { outline, window, reach: f64::INFINITY });
        self.laid.lay(outlines, &both, device.device.limits().max_texture_dimension_2d)?;
        for (placed, unit) in self.laid.placed.iter_mut().zip(&self.laid.units) {
            placed.reach = (thickness / unit) as f32;
            placed.sides = SIDES;
        }
        self.segments.write(device, &self.laid.segments)?;
        self.windows.write(device, &self.laid.placed)?;
        self.ored.reserve(&device.device, stride::<u32>() * window.pixels() as u64)?;
        self.bits.reserve(&device.device, stride::<u32>() * u64::from(words(&window)))?;
        self.extent.reserve(&device.device, stride::<Reported>())?;
        self.seen.reserve(&device.device, stride::<u64>())?;
        let pipelines = self.pipelines.get_or_insert_with(|| Pipelines::new(device));
        pipelines.resize(device, [window.width, window.height]);
        let mut work = device.begin();
        if strategy == Strategy::Or {
            work.clear_buffer(self.ored.get()?, 0, None);
        }
        let input = RenderInput {
            placed: &self.laid.placed,
            segments: self.segments.get()?,
            windows: self.windows.get()?,
            ored: self.ored.get()?,
        };
        pipelines.render(device, &mut work, input, request, strategy);
        Ok(work)
    }

    /// Puts the reduction on the list of work.
    fn reduce(
        &self,
        device: &Device,
        work: &mut wgpu::CommandEncoder,
        request: &OverlapRequest,
        strategy: Strategy,
    ) -> Result<(), GpuError> {
        work.clear_buffer(self.extent.get()?, 0, None);
        let buffers = [self.windows.get()?, self.bits.get()?, self.extent.get()?, self.ored.get()?];
        if let Some(pipelines) = &self.pipelines {
            pipelines.reduce(device, work, buffers, strategy, words(&request.window));
        }
        Ok(())
    }
}

/// Number of words of bits that the rows of a window take.
fn words(window: &Window) -> u32 {
    window.width.div_ceil(WORD) * window.height
}

impl Gpu {
    /// For each pixel, rows from below, whether both outlines cover its centre.
    pub fn overlap(
        &mut self,
        outlines: &Outlines,
        request: &OverlapRequest,
        strategy: Strategy,
    ) -> Result<Vec<bool>, GpuError> {
        let Gpu { device, overlaps, .. } = self;
        let mut work = overlaps.encode(device, outlines, request, strategy)?;
        overlaps.reduce(device, &mut work, request, strategy)?;
        let bytes = stride::<u32>() * u64::from(words(&request.window));
        let part = Part { buffer: overlaps.bits.get()?, start: 0, bytes };
        device.finish(work, &[part], |bytes| {
            let all: &[u32] = bytemuck::cast_slice(bytes);
            let rows = all.chunks(request.window.width.div_ceil(WORD) as usize);
            let pixel = |row: &[u32], x: u32| row[(x / WORD) as usize] >> (x % WORD) & 1 == 1;
            rows.flat_map(|row| (0..request.window.width).map(move |x| pixel(row, x))).collect()
        })
    }

    /// How many pixels both outlines cover and where, without reading the image back.
    ///
    /// `None` when there is no such pixel.
    pub fn overlap_extent(
        &mut self,
        outlines: &Outlines,
        request: &OverlapRequest,
        strategy: Strategy,
    ) -> Result<Option<Extent>, GpuError> {
        let Gpu { device, overlaps, .. } = self;
        let mut work = overlaps.encode(device, outlines, request, strategy)?;
        overlaps.reduce(device, &mut work, request, strategy)?;
        let part = Part { buffer: overlaps.extent.get()?, start: 0, bytes: stride::<Reported>() };
        let Window { width, height, .. } = request.window;
        device.finish(work, &[part], |bytes| {
            let values: &[Reported] = bytemuck::cast_slice(bytes);
            let [count, left, low, right, high] = values[0];
            (count > 0).then(|| Extent {
                count,
                low: [width - left, height - low],
                high: [right - 1, high - 1],
            })
        })
    }

    /// Whether both outlines cover any pixel's centre: eight bytes come back.
    ///
    /// By an occlusion query on a's rendering with [`Strategy::Stencil`].
    pub fn overlap_any(
        &mut self,
        outlines: &Outlines,
        request: &OverlapRequest,
    ) -> Result<bool, GpuError> {
        let Gpu { device, overlaps, .. } = self;
        let mut work = overlaps.encode(device, outlines, request, Strategy::Stencil)?;
        let buffer = overlaps.seen.get()?;
        if let Some(pipelines) = &overlaps.pipelines {
            work.resolve_query_set(pipelines.query(), 0..1, buffer, 0);
        }
        device.finish(work, &[Part { buffer, start: 0, bytes: stride::<u64>() }], |bytes| {
            bytes.iter().any(|byte| *byte != 0)
        })
    }
}
