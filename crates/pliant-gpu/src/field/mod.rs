//! Signed distance fields of windows: many in one submission, read back or left on the GPU.
//!
//! Two ways lead to the same product. [`FieldMethod::Tiled`] measures distances at pixel
//! centres in tiles of pixels. [`FieldMethod::Meshes`] renders cones and tents whose depth
//! is the distance [Hoff01 §2.2.2].
//!
//! Lengths are measured from the window's lower left corner in units of its size, so a
//! point at distance x from the corner is rounded by 2⁻²⁴ x and a distance to a segment
//! with both ends nearer than x is wrong by less than 8 · 2⁻²⁴ x ([`rounding`]). The sign
//! is that of the rounded outline: it can be wrong only where the distance is within that
//! bound of zero, so the signed distance is wrong by at most twice the bound.
//!
//! - Erratum: [Hoff01 §2.2.2] interpolates sign and distance apart, which moves the
//!   boundary by up to a pixel; here the sign is part of the distance, and
//!   `the_signed_field_is_interpolated_within_half_a_pixels_diagonal` shows what that gains.
//! - Erratum: the gradient of [Hoff01 §2.2.3] by images shifted by two is one pixel off,
//!   not over the pixel size, and loses its sign in an unsigned buffer; see
//!   `gradients_are_those_at_the_pixel_over_the_pixel_size`.

mod lay;

mod meshes;

use pliant::math::Vec2;
use pliant_plane::field::{Field, Window};
use pliant_plane::outline::Outlines;

use crate::GpuError;
use crate::device::{Device, Kept, Part, stride};
use crate::query::Gpu;

pub use lay::{Laid, Placed};

use meshes::Meshes;

/// Pixels along the side of a tile, as in the kernels.
const TILE: u32 = 16;

/// Workgroups side by side in a dispatch.
const GROUPS: u32 = 32768;

/// Words from one slice to the next: what every GPU allows as an offset.
const SLICE: usize = 64;

/// How a field is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldMethod {
    /// A kernel that measures at every pixel the segments that can be nearest in its tile.
    #[default]
    Tiled,
    /// Cones and tents into the depth buffer; wrong by up to a sixteenth of a pixel more.
    Meshes,
}

/// Where rendering keeps the sign; the kernel needs none of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FieldSign {
    /// The stencil buffer.
    #[default]
    Stencil,
    /// White in a colour buffer.
    Colour,
    /// The most significant bit of the nearest segment's number.
    SiteBit,
}

/// How fields are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldSettings {
    /// By rendering or by a kernel.
    pub method: FieldMethod,
    /// Where rendering keeps the sign.
    pub sign: FieldSign,
}

/// One field to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldRequest {
    /// The outline, by its position in the set.
    pub outline: u32,
    /// Where the pixels are.
    pub window: Window,
    /// Largest distance that matters, m; infinite for all.
    pub reach: f64,
}

/// A pixel of one of the fields made last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelAt {
    /// Position of the window in the list of requests.
    pub window: u32,
    /// Column, from the left.
    pub x: u32,
    /// Row, from below.
    pub y: u32,
}

/// What is on the GPU, and what it is made with.
#[derive(Debug)]
pub struct Fields {
    /// The kernel of [`FieldMethod::Tiled`].
    tiled: wgpu::ComputePipeline,
    /// The kernel of [`Gpu::gradients`].
    gradient: wgpu::ComputePipeline,
    /// What renders for [`FieldMethod::Meshes`], made at first use.
    meshes: Option<Meshes>,
    /// Segments of all windows, from their corners, scaled.
    segments: Kept,
    /// The windows, [`Placed`].
    windows: Kept,
    /// For each tile its window and its place in it, indices.
    tiles: Kept,
    /// First and last segment of each pass, indices.
    slices: Kept,
    /// Signed distance of every pixel, scaled.
    distances: Kept,
    /// Nearest segment of every pixel, an index.
    sites: Kept,
    /// Gradient at every pixel.
    gradients: Kept,
    /// What was laid out last.
    laid: Laid,
}

/// Bound of the error of a distance that f32 costs, m.
///
/// `extent` is the largest distance from the window's corner to an end of a segment, m.
pub fn rounding(extent: f64) -> f64 {
    8.0 * extent / (1 << 24) as f64
}

impl Fields {
    /// Compiles the kernels; the pipelines of the meshes are made at first use.
    pub fn new(device: &Device) -> Fields {
        Fields {
            tiled: device
                .kernel(concat!(include_str!("window.wgsl"), include_str!("tiled.wgsl")), "tiled"),
            gradient: device.kernel(
                concat!(include_str!("window.wgsl"), include_str!("gradient.wgsl")),
                "gradient",
            ),
            meshes: None,
            segments: Kept::storage("segments"),
            windows: Kept::storage("windows"),
            tiles: Kept::storage("tiles"),
            slices: Kept::new("slices", wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST),
            distances: Kept::storage("distances"),
            sites: Kept::storage("nearest segments of pixels"),
            gradients: Kept::storage("gradients"),
            laid: Laid::default(),
        }
    }

    /// Lays out the requests and puts their making on the list of work.
    fn encode(
        &mut self,
        device: &Device,
        outlines: &Outlines,
        requests: &[FieldRequest],
        settings: &FieldSettings,
    ) -> Result<wgpu::CommandEncoder, GpuError> {
        let size = device.device.limits().max_texture_dimension_2d;
        self.laid.lay(outlines, requests, size)?;
        if settings.method == FieldMethod::Meshes {
            Meshes::pack(&mut self.laid, size)?;
        }
        self.segments.write(device, &self.laid.segments)?;
        self.windows.write(device, &self.laid.placed)?;
        self.tiles.write(device, &self.laid.tiles)?;
        for kept in [&mut self.distances, &mut self.sites] {
            kept.reserve(&device.device, stride::<u32>() * self.laid.pixels)?;
        }
        let mut work = device.begin();
        match settings.method {
            FieldMethod::Tiled => self.tile(device, &mut work)?,
            FieldMethod::Meshes => {
                let mut meshes = self.meshes.take().unwrap_or_else(|| Meshes::new(device));
                meshes.resize(device, &self.laid.placed);
                let outputs = [
                    self.windows.get()?.as_entire_binding(),
                    self.tiles_bound()?,
                    self.distances.get()?.as_entire_binding(),
                    self.sites.get()?.as_entire_binding(),
                ];
                let inputs = [self.segments.get()?, self.windows.get()?];
                meshes.render(device, &mut work, &self.laid.placed, inputs, settings.sign);
                let (pipeline, bound) = meshes.resolve(device, settings.sign, &outputs);
                self.dispatch(&mut work, pipeline, &bound);
                self.meshes = Some(meshes);
            }
        }
        Ok(work)
    }

    /// One pass for each slice of the segments that a thread has turns for.
    fn tile(&mut self, device: &Device, work: &mut wgpu::CommandEncoder) -> Result<(), GpuError> {
        let slice = device.turns / 2;
        let most = self.laid.placed.iter().map(|placed| placed.count).max().unwrap_or_default();
        let starts = (0..most.max(1)).step_by(slice as usize);
        let bounds: Vec<[u32; SLICE]> = starts
            .map(|start| {
                let mut words = [0; SLICE];
                [words[0], words[1]] = [start, start.saturating_add(slice)];
                words
            })
            .collect();
        self.slices.write(device, &bounds)?;
        for at in 0..bounds.len() as u64 {
            let slice = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: self.slices.get()?,
                offset: at * stride::<[u32; SLICE]>(),
                size: std::num::NonZeroU64::new(stride::<[u32; 2]>()),
            });
            let resources = [
                self.segments.get()?.as_entire_binding(),
                self.windows.get()?.as_entire_binding(),
                self.tiles_bound()?,
                self.distances.get()?.as_entire_binding(),
                self.sites.get()?.as_entire_binding(),
                slice,
            ];
            let bound = device.bind(&self.tiled.get_bind_group_layout(0), &resources);
            self.dispatch(work, &self.tiled, &bound);
        }
        Ok(())
    }

    /// The tiles, bound in their length: kernels read how many there are.
    fn tiles_bound(&self) -> Result<wgpu::BindingResource<'_>, GpuError> {
        Ok(wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: self.tiles.get()?,
            offset: 0,
            size: std::num::NonZeroU64::new(size_of_val(&self.laid.tiles[..]) as u64),
        }))
    }

    /// One workgroup for each tile.
    fn dispatch(
        &self,
        work: &mut wgpu::CommandEncoder,
        pipeline: &wgpu::ComputePipeline,
        bound: &wgpu::BindGroup,
    ) {
        let tiles = self.laid.tiles.len() as u32;
        let mut pass = work.begin_compute_pass(&Default::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, bound, &[]);
        pass.dispatch_workgroups(tiles.min(GROUPS), tiles.div_ceil(GROUPS), 1);
    }
}

impl Gpu {
    /// The whole signed distance field of one outline in a window.
    pub fn field(
        &mut self,
        outlines: &Outlines,
        outline: usize,
        window: Window,
    ) -> Result<Field, GpuError> {
        let request = FieldRequest { outline: outline as u32, window, reach: f64::INFINITY };
        let mut fields = Vec::new();
        self.fields(outlines, &[request], &FieldSettings::default(), &mut fields)?;
        fields.pop().ok_or(GpuError::Device { what: "no field came back".to_owned() })
    }

    /// The fields of many windows in one submission and one read-back.
    ///
    /// `fields` is made as long as `requests`; memory that it holds is reused.
    pub fn fields(
        &mut self,
        outlines: &Outlines,
        requests: &[FieldRequest],
        settings: &FieldSettings,
        fields: &mut Vec<Field>,
    ) -> Result<(), GpuError> {
        fields.truncate(requests.len());
        if requests.is_empty() {
            return Ok(());
        }
        let work = self.fields.encode(&self.device, outlines, requests, settings)?;
        let Fields { laid, distances, sites, .. } = &self.fields;
        let bytes = stride::<f32>() * laid.pixels;
        let parts = [distances.get()?, sites.get()?].map(|buffer| Part { buffer, start: 0, bytes });
        self.device.finish(work, &parts, |all| {
            let (distances, sites) = all.split_at(bytes as usize);
            let distances: &[f32] = bytemuck::cast_slice(distances);
            let sites: &[u32] = bytemuck::cast_slice(sites);
            let empty = |window| Field { window, distance: Vec::new(), site: Vec::new() };
            fields.resize_with(requests.len(), || empty(requests[0].window));
            for (at, field) in fields.iter_mut().enumerate() {
                field.window = requests[at].window;
                let range = laid.placed[at].base as usize..;
                let range = range.start..range.start + field.window.pixels();
                field.distance.clear();
                let unscaled = |distance: &f32| f64::from(*distance) * laid.units[at];
                field.distance.extend(distances[range.clone()].iter().map(unscaled));
                field.site.clear();
                field.site.extend_from_slice(&sites[range]);
            }
        })
    }

    /// The fields of many windows, left on the GPU for [`Gpu::pixels`] and [`Gpu::gradients`].
    pub fn draw(
        &mut self,
        outlines: &Outlines,
        requests: &[FieldRequest],
        settings: &FieldSettings,
    ) -> Result<(), GpuError> {
        if requests.is_empty() {
            self.fields.laid = Laid::default();
            return Ok(());
        }
        let work = self.fields.encode(&self.device, outlines, requests, settings)?;
        self.device.finish(work, &[], |_| ())
    }

    /// Signed distances, m, and nearest segments of single pixels of the fields made last.
    pub fn pixels(&mut self, pixels: &[PixelAt]) -> Result<Vec<(f64, u32)>, GpuError> {
        let Fields { laid, distances, sites, .. } = &self.fields;
        let mut parts = Vec::with_capacity(2 * pixels.len());
        for &at in pixels {
            let start = stride::<f32>() * laid.pixel(at)?;
            let part = |buffer| Part { buffer, start, bytes: stride::<f32>() };
            parts.extend([part(distances.get()?), part(sites.get()?)]);
        }
        let work = self.device.begin();
        self.device.finish(work, &parts, |all| {
            let values: &[[u32; 2]] = bytemuck::cast_slice(all);
            let unscaled = |(at, [distance, site]): (&PixelAt, &[u32; 2])| {
                (f64::from(f32::from_bits(*distance)) * laid.units[at.window as usize], *site)
            };
            pixels.iter().zip(values).map(unscaled).collect()
        })
    }

    /// Gradients of the signed distance at all pixels of the fields made last.
    ///
    /// Not a number where a neighbour is beyond the reach. On the medial axis shorter than one.
    pub fn gradients(&mut self) -> Result<Vec<Vec<Vec2>>, GpuError> {
        if self.fields.laid.placed.is_empty() {
            return Ok(Vec::new());
        }
        let bytes = stride::<[f32; 2]>() * self.fields.laid.pixels;
        self.fields.gradients.reserve(&self.device.device, bytes)?;
        let fields = &self.fields;
        let resources = [
            fields.windows.get()?.as_entire_binding(),
            fields.tiles_bound()?,
            fields.distances.get()?.as_entire_binding(),
            fields.gradients.get()?.as_entire_binding(),
        ];
        let bound = self.device.bind(&fields.gradient.get_bind_group_layout(0), &resources);
        let mut work = self.device.begin();
        fields.dispatch(&mut work, &fields.gradient, &bound);
        let part = Part { buffer: fields.gradients.get()?, start: 0, bytes };
        let laid = &fields.laid;
        self.device.finish(work, &[part], |all| {
            let all: &[[f32; 2]] = bytemuck::cast_slice(all);
            let vector = |[x, y]: &[f32; 2]| Vec2::new(f64::from(*x), f64::from(*y));
            let one = |(placed, window): (&Placed, &Window)| {
                all[placed.base as usize..][..window.pixels()].iter().map(vector).collect()
            };
            laid.placed.iter().zip(&laid.windows).map(one).collect()
        })
    }
}
