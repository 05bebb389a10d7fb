//! Bodies before and after, seen from the same place in the same colours.

use pliant::math::Vec3;
use pliant_scene::loaded::BodyInfo;

use super::read::Part;
use crate::picture::{self, Camera, Caption, Look, View, colours};

/// Width and height, pixels.
const SIZE: [u32; 2] = [960, 720];

/// PNG files of bodies at each of some moments; `moments` are positions of each body.
pub fn pictures(bodies: &[&Part], moments: &[&[Vec<Vec3>]]) -> Vec<Vec<u8>> {
    let mut start = 0;
    let infos: Vec<BodyInfo> = bodies
        .iter()
        .map(|part| {
            let count = part.sound.positions().len();
            let first = start as u32;
            start += count;
            BodyInfo {
                name: part.name.clone(),
                kind: "surface".to_owned(),
                vertices: start - count..start,
                tets: 0,
                triangles: part.sound.triangles().iter().map(|t| t.map(|v| first + v.0)).collect(),
                rings: Vec::new(),
                edges: Vec::new(),
                held: false,
            }
        })
        .collect();
    let flat = |moment: &&[Vec<Vec3>]| -> Vec<[f32; 3]> {
        moment.iter().flatten().map(|p| p.as_vec3().to_array()).collect()
    };
    let flat: Vec<Vec<[f32; 3]>> = moments.iter().map(flat).collect();
    let framing: Vec<Vec3> =
        moments.iter().flat_map(|moment| moment.iter().flatten().copied()).collect();
    let colours = colours::colours(&infos, &flat);
    let look =
        Look { framing: &framing, colours: &colours, caption: Caption::None, ..Look::default() };
    let draw = |positions: &Vec<[f32; 3]>| {
        let view = View {
            bodies: &infos,
            positions,
            obstacles: &[],
            time: 0.0,
            size: SIZE,
            camera: Camera::default(),
        };
        picture::png(&picture::render_with(&view, &look))
    };
    flat.iter().map(draw).collect()
}
