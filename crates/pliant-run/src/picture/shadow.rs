//! How much of the main light reaches a point: a raster seen from the light.

use pliant::math::Vec3;

use super::model::{Model, Paint};
use super::projection::Projected;
use super::raster::{MIDDLE, Raster};

/// Width and height of the raster, pixels.
const SIDE: u32 = 768;

/// Pixels left free around what casts shadows, so that soft edges end within.
const RIM: f64 = 8.0;

/// Pixels looked at around a point, to each side: the softness of edges.
const SOFT: i32 = 3;

/// Width and height of a block, pixels: as many as are looked at.
const BLOCK: usize = 2 * SOFT as usize + 2;

/// Blocks along a side; the raster's side is a multiple.
const BLOCKS: usize = SIDE as usize / BLOCK;

/// A point is lifted off its surface by this many pixels' width, so as not to shade itself.
const LIFT: f64 = 2.0;

/// Surfaces that face the light less than this are taken to face it so much.
const GRAZING: f64 = 0.1;

/// What stands in the light.
#[derive(Clone, Debug)]
pub struct Shadow {
    raster: Raster,
    /// Farthest and nearest of each block: where both agree with a point, no pixel is looked at.
    blocks: Vec<[f32; 2]>,
    /// Unit vectors: right and down in the raster, and towards the light.
    axes: [Vec3; 3],
    /// Of the raster's corner along the first two, m.
    corner: [f64; 2],
    /// Width of a pixel, m; 0 when nothing casts shadows.
    pixel: f64,
}

impl Shadow {
    /// What bodies and obstacles, but no planes, keep from the light.
    pub fn new(model: &Model, light: Vec3) -> Shadow {
        let right = light.any_orthonormal_vector();
        let axes = [right, light.cross(right), light];
        let casts = |paint: Paint| !matches!(paint, Paint::Ground(_));
        let casters: Vec<_> =
            model.triangles.iter().filter(|t| casts(t.paint)).map(|t| t.corners).collect();
        let bounds = [0, 1].map(|k| {
            let along = casters.iter().flatten().map(|p| p.dot(axes[k]));
            along.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)])
        });
        let extent = bounds.iter().map(|[least, most]| most - least).fold(0.0, f64::max);
        let pixel = extent / (f64::from(SIDE) - 2.0 * RIM);
        let corner = bounds.map(|[least, _]| least - RIM * pixel);
        let raster = Raster::new([SIDE; 2], &MIDDLE);
        let mut shadow = Shadow { raster, blocks: Vec::new(), axes, corner, pixel };
        for (index, corners) in casters.iter().enumerate() {
            shadow.raster.draw(corners.map(|p| shadow.project(p)), index as u32);
        }
        shadow.blocks = blocks(&shadow.raster.nearness);
        shadow
    }

    /// Whether something casts no shadow, as too much lies on top of each other.
    pub fn is_cut_short(&self) -> bool {
        self.raster.left == 0
    }

    /// Part of the light that reaches a point of a surface with the given normal.
    pub fn light(&self, point: Vec3, normal: Vec3) -> f64 {
        if self.pixel == 0.0 {
            return 1.0;
        }
        let found = self.project(point + LIFT * self.pixel * normal);
        let own = found.nearness + 0.5 * LIFT * self.pixel;
        let [x, y] = found.at.map(|at| at - 0.5);
        if ![x, y].iter().all(|at| (0.0..f64::from(SIDE)).contains(at)) {
            return 1.0;
        }
        // The surface itself comes nearer to the light from pixel to pixel.
        let steep = normal.dot(self.axes[2]).max(GRAZING);
        let slopes = [0, 1].map(|k| -normal.dot(self.axes[k]) / steep * self.pixel);
        let spread = f64::from(SOFT + 1) * (slopes[0].abs() + slopes[1].abs());
        let [least, most] = self.around(x, y);
        if most <= own - spread {
            return 1.0;
        }
        if least > own + spread {
            return 0.0;
        }
        let (mut lit, mut total) = (0.0, 0.0);
        for row in -SOFT..=SOFT + 1 {
            for column in -SOFT..=SOFT + 1 {
                let [column, row] = [x.floor() as i32 + column, y.floor() as i32 + row];
                let [right, down] = [f64::from(column) - x, f64::from(row) - y];
                let weight = tent(right) * tent(down);
                let own = own + slopes[0] * right + slopes[1] * down;
                total += weight;
                lit += if f64::from(self.nearness(column, row)) > own { 0.0 } else { weight };
            }
        }
        lit / total
    }

    /// Farthest and nearest of the blocks that the pixels around a place touch.
    fn around(&self, x: f64, y: f64) -> [f64; 2] {
        let first = [x, y].map(|at| (at as i32 - SOFT).max(0) as usize / BLOCK);
        let last = [x, y].map(|at| ((at as i32 + SOFT + 1) as usize / BLOCK).min(BLOCKS - 1));
        let mut found = [f32::INFINITY, f32::NEG_INFINITY];
        for row in first[1]..=last[1] {
            for [least, most] in &self.blocks[row * BLOCKS + first[0]..=row * BLOCKS + last[0]] {
                found = [found[0].min(*least), found[1].max(*most)];
            }
        }
        found.map(f64::from)
    }

    fn nearness(&self, column: i32, row: i32) -> f32 {
        let inside = |at: i32| (0..SIDE as i32).contains(&at);
        if !(inside(column) && inside(row)) {
            return f32::NEG_INFINITY;
        }
        self.raster.nearness[row as usize * SIDE as usize + column as usize]
    }

    fn project(&self, point: Vec3) -> Projected {
        let at = [0, 1].map(|k| (point.dot(self.axes[k]) - self.corner[k]) / self.pixel);
        Projected { at, nearness: point.dot(self.axes[2]) }
    }
}

/// Farthest and nearest of each block, rows of blocks one after the other.
fn blocks(nearness: &[f32]) -> Vec<[f32; 2]> {
    let mut blocks = vec![[f32::INFINITY, f32::NEG_INFINITY]; BLOCKS * BLOCKS];
    for (row, pixels) in nearness.chunks_exact(SIDE as usize).enumerate() {
        let rows = &mut blocks[row / BLOCK * BLOCKS..][..BLOCKS];
        for (block, pixels) in rows.iter_mut().zip(pixels.chunks_exact(BLOCK)) {
            *block = pixels.iter().fold(*block, |[a, b], near| [a.min(*near), b.max(*near)]);
        }
    }
    blocks
}

/// Weight of a pixel by its distance, largest at 0 and nothing beyond the soft rim.
fn tent(distance: f64) -> f64 {
    (1.0 - distance.abs() / f64::from(SOFT + 1)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::super::model::Triangle;
    use super::*;

    /// A square of 2 m at a height of 1 m.
    fn roof() -> Model {
        let corner = |x: f64, y: f64| Vec3::new(x, y, 1.0);
        let halves = [
            [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0)],
            [corner(-1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
        ];
        let paint = Paint::Body(0);
        let triangles = halves.map(|corners| Triangle { corners, normals: [Vec3::Z; 3], paint });
        Model { triangles: triangles.to_vec(), ..Model::default() }
    }

    #[test]
    fn light_is_kept_off_below_and_nowhere_else() {
        let shadow = Shadow::new(&roof(), Vec3::Z);
        let light = |x: f64, z: f64| shadow.light(Vec3::new(x, 0.3, z), Vec3::Z);
        assert_eq!([light(0.0, 0.0), light(0.9, 0.0), light(1.1, 0.0)], [0.0, 0.0, 1.0]);
        assert_eq!([light(0.0, 1.0), light(0.0, 2.0), light(9.0, 0.0)], [1.0; 3]);
        let edge = light(1.0, 0.0);
        assert!(edge > 0.1 && edge < 0.9, "{edge}");
    }

    #[test]
    fn a_plane_does_not_shade_itself_however_it_leans() {
        for facing in [1.0, 0.7, 0.4, 0.2] {
            let light = Vec3::new((1.0_f64 - facing * facing).sqrt(), 0.0, facing);
            let shadow = Shadow::new(&roof(), light);
            for x in [-0.5, 0.0, 0.123, 0.5] {
                assert_eq!(shadow.light(Vec3::new(x, 0.1, 1.0), Vec3::Z), 1.0, "{facing} {x}");
            }
        }
    }

    #[test]
    fn without_anything_everything_is_lit() {
        let shadow = Shadow::new(&Model::default(), Vec3::Z);
        assert_eq!(shadow.light(Vec3::ZERO, Vec3::Z), 1.0);
    }
}
