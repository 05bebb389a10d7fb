//! Windows and the segments in them, laid out for the GPU.

use bytemuck::{Pod, Zeroable};
use pliant::math::Vec2;
use pliant_plane::field::Window;
use pliant_plane::outline::Outlines;

use crate::GpuError;
use crate::chunk::{power_above, scaled};
use crate::device::stride;

use super::{FieldRequest, PixelAt, TILE};

/// Reaches above this, in units of the window, have squares that overflow.
const FARTHEST: f64 = 1e17;

/// Share by which a reach grows before it becomes an f32: 16 times its rounding.
const REACH_SLACK: f64 = 1e-6;

/// What a row of tiles counts in a tile's place, as in the kernel, columns.
const TILES_IN_ROW: u32 = 1 << 16;

/// A segment as the kernels read it, from the window's corner.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Segment {
    /// Where it begins and ends, scaled.
    pub ends: [[f32; 2]; 2],
    /// Its number among all outlines, an index.
    pub site: u32,
    /// Its window, an index.
    pub window: u32,
    /// Padding; keeps the stride.
    pub spare: [u32; 2],
}

/// A window as the kernels read it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Placed {
    /// First segment, an index.
    pub first: u32,
    /// Number of segments.
    pub count: u32,
    /// First pixel in the buffers, an index.
    pub base: u32,
    /// Pixels side by side.
    pub width: u32,
    /// Pixels above each other.
    pub height: u32,
    /// Side of a pixel, scaled.
    pub pixel: f32,
    /// Largest distance that matters, scaled.
    pub reach: f32,
    /// Place in the atlas of images, pixels from the left.
    pub column: u32,
    /// Place in the atlas of images, pixels from row 0.
    pub row: u32,
    /// Sides of a cone.
    pub sides: u32,
}

/// What the CPU lays out for the GPU.
#[derive(Debug, Default)]
pub struct Laid {
    /// Segments of all windows, from their corners.
    pub segments: Vec<Segment>,
    /// The windows.
    pub placed: Vec<Placed>,
    /// What lengths of each window are divided by, m.
    pub units: Vec<f64>,
    /// The requested windows.
    pub windows: Vec<Window>,
    /// For each tile its window, and column + [`TILES_IN_ROW`] row in it.
    pub tiles: Vec<[u32; 2]>,
    /// Number of pixels of all windows.
    pub pixels: u64,
}

impl Laid {
    /// Lays out windows, segments from their corners, and tiles.
    pub fn lay(
        &mut self,
        outlines: &Outlines,
        requests: &[FieldRequest],
        limit: u32,
    ) -> Result<(), GpuError> {
        self.segments.clear();
        self.placed.clear();
        self.units.clear();
        self.windows.clear();
        self.tiles.clear();
        self.pixels = 0;
        for (index, request) in requests.iter().enumerate() {
            check(outlines, index, request, limit)?;
        }
        let need: u64 =
            requests.iter().map(|request| stride::<u32>() * request.window.pixels() as u64).sum();
        let limit = stride::<u32>() * u64::from(u32::MAX);
        if need > limit {
            return Err(GpuError::TooLarge { what: "pixels", need, limit });
        }
        for (index, request) in requests.iter().enumerate() {
            self.lay_one(outlines, index, request);
        }
        Ok(())
    }

    fn lay_one(&mut self, outlines: &Outlines, index: usize, request: &FieldRequest) {
        let FieldRequest { outline, window, reach } = *request;
        let size = window.pixel * Vec2::new(f64::from(window.width), f64::from(window.height));
        let unit = power_above(size.max_element());
        let first = self.segments.len();
        let mut farthest = f64::INFINITY;
        for site in outlines.range(outline as usize) {
            let ends = outlines.segment(site).map(|end| end - window.corner);
            // No pixel is farther from this end than the farthest corner of the window.
            let corner = ends[0].abs().max((ends[0] - size).abs()).length();
            farthest = farthest.min(corner);
            let ends = ends.map(|end| scaled(end / unit));
            let (site, window) = (site as u32, index as u32);
            self.segments.push(Segment { ends, site, window, spare: [0; 2] });
        }
        let reach = (reach.min(farthest) / unit).min(FARTHEST);
        let [columns, rows] = [window.width, window.height].map(|side| side.div_ceil(TILE));
        let tiles =
            (0..rows).flat_map(|row| (0..columns).map(move |column| column + TILES_IN_ROW * row));
        self.tiles.extend(tiles.map(|place| [index as u32, place]));
        self.placed.push(Placed {
            first: first as u32,
            count: (self.segments.len() - first) as u32,
            base: self.pixels as u32,
            width: window.width,
            height: window.height,
            pixel: (window.pixel / unit) as f32,
            reach: (reach * (1.0 + REACH_SLACK)) as f32,
            column: 0,
            row: 0,
            sides: 0,
        });
        self.units.push(unit);
        self.windows.push(window);
        self.pixels += window.pixels() as u64;
    }

    /// Where a pixel is in the buffers.
    pub fn pixel(&self, at: PixelAt) -> Result<u64, GpuError> {
        let PixelAt { window, x, y } = at;
        let placed = self.placed.get(window as usize).filter(|p| x < p.width && y < p.height);
        let placed = placed.ok_or(GpuError::Pixel { window, x, y })?;
        Ok(u64::from(placed.base) + u64::from(y) * u64::from(placed.width) + u64::from(x))
    }
}

/// Rejects what no image can show.
fn check(
    outlines: &Outlines,
    index: usize,
    request: &FieldRequest,
    limit: u32,
) -> Result<(), GpuError> {
    let FieldRequest { outline, window, .. } = *request;
    let Window { width, height, pixel, corner } = window;
    let count = outlines.len();
    if outline as usize >= count {
        return Err(GpuError::Outline { index, outline, count });
    }
    let sides = [width, height].iter().all(|side| (1..=limit).contains(side));
    if !(sides && corner.is_finite() && pixel.is_finite() && pixel > 0.0) {
        return Err(GpuError::Window { index, width, height, pixel, limit });
    }
    let mut range = outlines.range(outline as usize);
    match range.find(|&point| !outlines.points()[point].is_finite()) {
        Some(point) => Err(GpuError::NotFinite { point }),
        None => Ok(()),
    }
}
