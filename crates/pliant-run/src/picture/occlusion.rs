//! How much of the sky a surface sees: dark where things touch.
//!
//! Points of the picture around a pixel are put back into the world. Those that rise above the
//! surface at the pixel, near enough, hide a part of its sky. A convex surface hides nothing of
//! its own.

use pliant::math::Vec3;

use super::model::Model;
use super::projection::Projection;
use super::raster::{NOTHING, Raster};

/// Things hide the sky up to this distance, relative to the length across what is framed.
const REACH: f64 = 0.05;

/// Points around a pixel that are looked at.
const POINTS: usize = 24;

/// Reach in the picture, pixels: of less nothing is seen, more costs too much.
const PIXELS: [f64; 2] = [2.0, 80.0];

/// Angle from one point to the next, radians: no two are ever in line.
const GOLDEN: f64 = 2.399_963_229_728_653;

/// What rises by less than this sine is taken for the surface itself.
const LEVEL: f64 = 0.12;

/// Light that is lost where all points hide the sky.
const STRENGTH: f64 = 1.9;

/// Least light that is left.
const LEAST: f64 = 0.35;

/// Sides of the blocks of pixels that have one result, pixels.
const BLOCK: usize = 2;

/// Part of the light from everywhere that reaches each pixel, rows from the top.
pub fn open_sky(model: &Model, projection: &Projection, seen: &Raster) -> Vec<f32> {
    let [width, height] = projection.size.map(|side| side as usize);
    let [across, down] = [width, height].map(|side| side.div_ceil(BLOCK));
    let sky = Sky::new(model, projection, seen, [across, down]);
    let blocks: Vec<f32> = (0..across * down).map(|block| sky.open(block)).collect();
    let block = |pixel: usize| (pixel / width / BLOCK) * across + pixel % width / BLOCK;
    (0..width * height).map(|pixel| blocks[block(pixel)]).collect()
}

/// Where surfaces are, block by block.
struct Sky<'a> {
    projection: &'a Projection,
    /// Blocks from left to right and from top to bottom.
    count: [usize; 2],
    /// Place of the surface, world space, m; not finite where there is none.
    places: Vec<Vec3>,
    /// Its unit normal on the eye's side.
    normals: Vec<Vec3>,
    /// Points around a block, parts of the reach.
    spiral: Vec<[f64; 2]>,
    /// How far things hide the sky, m.
    reach: f64,
}

impl<'a> Sky<'a> {
    fn new(model: &Model, projection: &'a Projection, seen: &Raster, count: [usize; 2]) -> Sky<'a> {
        let (mut places, mut normals) = (Vec::new(), Vec::new());
        for block in 0..count[0] * count[1] {
            let [x, y] = [block % count[0] * BLOCK, block / count[0] * BLOCK];
            // The first sample of its first pixel stands for a block.
            let sample = (y * projection.size[0] as usize + x) * seen.samples.len();
            let owner = seen.owners[sample];
            let triangle = model.triangles.get(owner as usize).filter(|_| owner != NOTHING);
            let face = triangle.and_then(|triangle| {
                let [v0, v1, v2] = triangle.corners;
                (v1 - v0).cross(v2 - v0).try_normalize()
            });
            let ray = projection.ray([x as f64 + 0.5, y as f64 + 0.5]);
            let toward = |face: Vec3| if face.dot(ray) > 0.0 { -face } else { face };
            let place = projection.eye + ray / f64::from(seen.nearness[sample]);
            // Outlines in the plane have no face, and hide nothing.
            places.push(if face.is_some() { place } else { Vec3::NAN });
            normals.push(face.map_or(Vec3::ZERO, toward));
        }
        let turned = |k: usize| {
            let (angle, radius) = (GOLDEN * k as f64, ((k as f64 + 0.5) / POINTS as f64).sqrt());
            [radius * libm::cos(angle), radius * libm::sin(angle)]
        };
        let spiral = (0..POINTS).map(turned).collect();
        Sky { projection, count, places, normals, spiral, reach: REACH * projection.extent }
    }

    /// Part of the light from everywhere that reaches a block.
    fn open(&self, block: usize) -> f32 {
        let (place, normal) = (self.places[block], self.normals[block]);
        let pixels = self.projection.focal * self.reach / self.projection.distance(place);
        if !(place.is_finite() && pixels >= PIXELS[0]) {
            return 1.0;
        }
        let blocks = pixels.min(PIXELS[1]) / BLOCK as f64;
        let [x, y] = [block % self.count[0], block / self.count[0]].map(|at| at as f64);
        let mut hidden = 0.0;
        for [right, down] in &self.spiral {
            let at = [x + blocks * right, y + blocks * down].map(|at| at.round() as isize);
            let [Ok(column), Ok(row)] = at.map(usize::try_from) else { continue };
            if column >= self.count[0] || row >= self.count[1] {
                continue;
            }
            let way = self.places[row * self.count[0] + column] - place;
            let away = way.length();
            let fading = 1.0 - (away / self.reach) * (away / self.reach);
            if away > 0.0 && fading > 0.0 {
                hidden += fading * (way.dot(normal) / away - LEVEL).max(0.0);
            }
        }
        (1.0 - STRENGTH * hidden / POINTS as f64).clamp(LEAST, 1.0) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Camera, View, raster};
    use super::*;
    use pliant_scene::loaded::BodyInfo;

    /// Light from everywhere at pixels of a picture of triangles seen from above.
    fn open(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<f32> {
        let body = BodyInfo {
            name: "a".to_string(),
            kind: "surface".to_string(),
            vertices: 0..positions.len(),
            tets: 0,
            triangles: triangles.to_vec(),
            rings: vec![],
            edges: vec![],
            held: false,
        };
        let camera = Camera { from: Some([0.0, -0.6, 1.0]), up: [0.0, 0.0, 1.0] };
        let (bodies, size) = (&[body], [200, 200]);
        let view = View { bodies, positions, obstacles: &[], time: 0.0, size, camera };
        let model = Model::new(&view, &[]);
        let projection = Projection::new(&model.framed, camera, size);
        open_sky(&model, &projection, &raster::seen(&model, &projection, size))
    }

    /// A square on the ground, and a wall along its far side.
    const SQUARE: [[f32; 3]; 6] = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 1.0, 0.6],
        [1.0, 1.0, 0.6],
    ];

    #[test]
    fn the_sky_is_open_but_where_surfaces_meet() {
        let flat = open(&SQUARE[..4], &[[0, 1, 2], [0, 2, 3]]);
        assert!(flat.iter().all(|open| *open == 1.0));
        let corner = open(&SQUARE, &[[0, 1, 2], [0, 2, 3], [3, 2, 5], [3, 5, 4]]);
        let darkest = corner.iter().copied().fold(1.0, f32::min);
        let open = corner.iter().filter(|open| **open == 1.0).count();
        // A wall hides less than half of the sky; most of the picture is far from it.
        assert!((LEAST as f32..0.9).contains(&darkest), "{darkest}");
        assert!(open > corner.len() / 2, "{open}");
    }
}
