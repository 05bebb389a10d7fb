//! The methods by images in memory.

use pliant_plane::field::mesh::{MeshSettings, Meshes};
use pliant_plane::field::tiled::{Tiled, Tiles};
use pliant_plane::field::{Field, Window};
use pliant_plane::raster::draw::Drawn;
use pliant_plane::raster::overlap::{Buffer, Pictures, Strategy};

use super::measure::{Overlap, Probe};
use super::{FieldBy, Intersection, Method, Painter};

/// What cones may be too low by, over the error bound.
const TOO_LOW: f64 = 1.0 / 16.0;

/// Images on the CPU; keeps its memory.
#[derive(Default)]
pub struct Cpu {
    buffer: Buffer,
    found: Vec<[u32; 2]>,
    tiled: Tiled,
    meshes: Meshes,
}

impl Painter for Cpu {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn refusal(&self, method: Method) -> Option<&'static str> {
        match method {
            Method::Occlusion => Some(
                "images in memory have no occlusion queries; take min-max, which reads as little, \
                 or --backend gpu",
            ),
            Method::Field(FieldBy::Colour | FieldBy::SiteBit) => Some(
                "images in memory keep the sign with the distance; take cones-and-tents/stencil, \
                 or --backend gpu",
            ),
            _ => None,
        }
    }

    fn shared(&mut self, o: &Overlap<'_>, of: Intersection, by: Strategy) -> Result<u64, String> {
        let Some(window) = o.window else { return Ok(0) };
        let boundary = Drawn::Boundary(o.error);
        let (a, b) = match of {
            Intersection::BoundaryBoundary => (boundary, boundary),
            Intersection::BoundaryVolume => (boundary, Drawn::Volume),
            Intersection::VolumeVolume => (Drawn::Volume, Drawn::Volume),
        };
        let pictures = Pictures { outlines: o.outlines, a: (0, a), b: (1, b), window };
        self.found.clear();
        self.buffer.shared(&pictures, by, &mut self.found);
        Ok(self.found.len() as u64)
    }

    fn extent(&mut self, overlap: &Overlap<'_>) -> Result<u64, String> {
        // The buffer keeps the least and most column and row that each drawing reached, and
        // looks at no pixel outside them.
        self.shared(overlap, Intersection::VolumeVolume, Strategy::Stencil)
    }

    fn any(&mut self, overlap: &Overlap<'_>) -> Result<bool, String> {
        Ok(self.extent(overlap)? > 0)
    }

    fn fields(
        &mut self,
        probe: &Probe<'_>,
        windows: &[Window],
        by: FieldBy,
    ) -> Result<Vec<Field>, String> {
        let settings = MeshSettings { reach: f64::INFINITY, too_low: TOO_LOW * probe.error };
        let field = |window: &Window| {
            let mut field = Field::blank(*window);
            match by {
                FieldBy::Tiles => {
                    let reach = f64::INFINITY;
                    self.tiled.draw(probe.outlines, probe.drawn, reach, None, &mut field);
                }
                _ => self.meshes.draw(probe.outlines, probe.drawn, &settings, &mut field),
            }
            field
        };
        Ok(windows.iter().map(field).collect())
    }

    fn pixels(&mut self, probe: &Probe<'_>) -> Result<(Field, u64), String> {
        let Some(window) = probe.window() else {
            let nowhere = Window { corner: Default::default(), pixel: 1.0, width: 0, height: 0 };
            return Ok((Field::blank(nowhere), 0));
        };
        let mut tiles = Tiles::default();
        tiles.clear(&window);
        for [x, y] in probe.points.iter().filter_map(|point| window.around(*point)) {
            tiles.want([x, y], [x + 1, y + 1]);
        }
        let mut field = Field::blank(window);
        let (outlines, drawn, reach) = (probe.outlines, probe.drawn, f64::INFINITY);
        self.tiled.draw(outlines, drawn, reach, Some(&tiles), &mut field);
        let pixels = field.distance.iter().filter(|distance| distance.is_finite()).count();
        Ok((field, pixels as u64))
    }
}
