//! The methods by a GPU.

use pliant_gpu::{
    Drawn, FieldMethod, FieldRequest, FieldSettings, FieldSign, Gpu, OverlapRequest, PixelAt,
    Strategy as GpuStrategy,
};
use pliant_plane::field::{Field, Window};
use pliant_plane::raster::overlap::Strategy;

use super::measure::{Overlap, Probe};
use super::{FieldBy, Intersection, Method, Painter};

/// Images on a GPU.
pub struct OnGpu {
    gpu: Gpu,
    fields: Vec<Field>,
}

impl OnGpu {
    /// Opens the GPU that the system offers.
    pub fn new() -> Result<OnGpu, String> {
        let gpu = Gpu::new().map_err(|error| error.to_string())?;
        Ok(OnGpu { gpu, fields: Vec::new() })
    }

    pub fn adapter(&self) -> String {
        self.gpu.adapter().to_owned()
    }
}

fn request(overlap: &Overlap<'_>, of: Intersection) -> Option<OverlapRequest> {
    let drawn = match of {
        Intersection::BoundaryBoundary => [Drawn::Boundary, Drawn::Boundary],
        Intersection::BoundaryVolume => [Drawn::Boundary, Drawn::Volume],
        Intersection::VolumeVolume => [Drawn::Volume, Drawn::Volume],
    };
    let thickness = overlap.error;
    overlap.window.map(|window| OverlapRequest { outlines: [0, 1], drawn, window, thickness })
}

fn strategy(by: Strategy) -> GpuStrategy {
    match by {
        Strategy::Stencil => GpuStrategy::Stencil,
        Strategy::Blend => GpuStrategy::Blend,
        Strategy::Logic => GpuStrategy::Or,
        Strategy::ColourDepth => GpuStrategy::Depth,
    }
}

fn settings(by: FieldBy) -> FieldSettings {
    let (method, sign) = match by {
        FieldBy::Tiles => (FieldMethod::Tiled, FieldSign::Stencil),
        FieldBy::Stencil => (FieldMethod::Meshes, FieldSign::Stencil),
        FieldBy::Colour => (FieldMethod::Meshes, FieldSign::Colour),
        FieldBy::SiteBit => (FieldMethod::Meshes, FieldSign::SiteBit),
    };
    FieldSettings { method, sign }
}

impl Painter for OnGpu {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn refusal(&self, _method: Method) -> Option<&'static str> {
        None
    }

    fn shared(&mut self, o: &Overlap<'_>, of: Intersection, by: Strategy) -> Result<u64, String> {
        let Some(request) = request(o, of) else { return Ok(0) };
        let found = self.gpu.overlap(o.outlines, &request, strategy(by));
        let pixels = found.map_err(|error| error.to_string())?;
        Ok(pixels.into_iter().filter(|shared| *shared).count() as u64)
    }

    fn extent(&mut self, overlap: &Overlap<'_>) -> Result<u64, String> {
        let Some(request) = request(overlap, Intersection::VolumeVolume) else { return Ok(0) };
        let found = self.gpu.overlap_extent(overlap.outlines, &request, GpuStrategy::Stencil);
        let extent = found.map_err(|error| error.to_string())?;
        Ok(extent.map_or(0, |extent| u64::from(extent.count)))
    }

    fn any(&mut self, overlap: &Overlap<'_>) -> Result<bool, String> {
        let Some(request) = request(overlap, Intersection::VolumeVolume) else { return Ok(false) };
        self.gpu.overlap_any(overlap.outlines, &request).map_err(|error| error.to_string())
    }

    fn fields(
        &mut self,
        probe: &Probe<'_>,
        windows: &[Window],
        by: FieldBy,
    ) -> Result<Vec<Field>, String> {
        let request = |window: &Window| {
            let outline = probe.drawn as u32;
            FieldRequest { outline, window: *window, reach: f64::INFINITY }
        };
        let requests: Vec<FieldRequest> = windows.iter().map(request).collect();
        let drawn = self.gpu.fields(probe.outlines, &requests, &settings(by), &mut self.fields);
        drawn.map_err(|error| error.to_string())?;
        Ok(self.fields.clone())
    }

    fn pixels(&mut self, probe: &Probe<'_>) -> Result<(Field, u64), String> {
        let Some(window) = probe.window() else {
            let nowhere = Window { corner: Default::default(), pixel: 1.0, width: 0, height: 0 };
            return Ok((Field::blank(nowhere), 0));
        };
        let mut wanted: Vec<[u32; 2]> = Vec::new();
        for [x, y] in probe.points.iter().filter_map(|point| window.around(*point)) {
            wanted.extend([[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]]);
        }
        wanted.sort_unstable();
        wanted.dedup();
        let request = FieldRequest { outline: probe.drawn as u32, window, reach: f64::INFINITY };
        let failed = |error: pliant_gpu::GpuError| error.to_string();
        let drawn = self.gpu.draw(probe.outlines, &[request], &settings(FieldBy::Tiles));
        drawn.map_err(failed)?;
        let pixels: Vec<PixelAt> =
            wanted.iter().map(|&[x, y]| PixelAt { window: 0, x, y }).collect();
        let read = self.gpu.pixels(&pixels).map_err(failed)?;
        let mut field = Field::blank(window);
        for ([x, y], (distance, site)) in wanted.into_iter().zip(read) {
            let at = y as usize * window.width as usize + x as usize;
            (field.distance[at], field.site[at]) = (distance, site);
        }
        Ok((field, window.pixels() as u64))
    }
}
