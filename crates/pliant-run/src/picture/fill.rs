//! Outlines in the plane, filled by the even–odd rule straight in the picture.
//!
//! Every row of samples is cut by the segments, and what lies between an odd cut and the
//! next is inside. Holes and rings that cross themselves need no care, and nothing is cut
//! into triangles. A dark line of a fixed width follows every ring.

use pliant::math::Vec3;

use super::projection::{Projected, Projection};
use super::raster::Raster;

/// Half the width of the line around an outline, pixels.
const LINE: f64 = 0.8;

/// Lines are this much nearer than what they surround; f32 resolves 1e-7.
const LIFT: f64 = 4e-6;

/// An outline of a body that lies in a plane z = constant.
#[derive(Clone, Debug, PartialEq)]
pub struct Flat {
    /// Its rings, world space, m; finite.
    pub rings: Vec<Vec<Vec3>>,
    /// The body, by its index.
    pub body: usize,
}

impl Flat {
    /// Draws it where nothing nearer is drawn yet: the inside as `owner`, lines as the next.
    ///
    /// An outline that reaches behind the eye is not drawn.
    pub fn draw(&self, raster: &mut Raster, projection: &Projection, owner: u32) {
        let points = || self.rings.iter().flatten();
        let Some(&first) = points().next() else { return };
        if points().any(|point| projection.distance(*point) <= projection.near) {
            return;
        }
        let height = (first - projection.eye).z;
        // One over the distance along the view, for every place of the picture.
        let nearness = |at: [f64; 2]| projection.ray(at).z / height;
        let rings = self.rings.iter();
        let rings: Vec<Vec<Projected>> =
            rings.map(|ring| ring.iter().map(|p| projection.project(*p)).collect()).collect();
        let segments: Vec<[Projected; 2]> = rings
            .iter()
            .flat_map(|ring| ring.iter().copied().zip(ring.iter().copied().cycle().skip(1)))
            .map(|(a, b)| [a, b])
            .collect();
        raster.fill(&segments, nearness, owner);
        for &ends in &segments {
            let [a, b, c, d] = line(ends);
            raster.draw([a, b, c], owner + 1);
            raster.draw([a, c, d], owner + 1);
        }
    }
}

impl Raster {
    /// Fills what an odd number of segments lies left of, where nothing nearer is drawn yet.
    fn fill(
        &mut self,
        segments: &[[Projected; 2]],
        nearness: impl Fn([f64; 2]) -> f64,
        owner: u32,
    ) {
        let heights = || segments.iter().map(|ends| ends[0].at[1]);
        let top = heights().fold(f64::INFINITY, f64::min).floor();
        let bottom = heights().fold(f64::NEG_INFINITY, f64::max).ceil();
        // As casts go, below zero is zero and above the largest is the largest.
        let rows = top as u32..(bottom as u32).min(self.size[1]);
        let mut cuts: Vec<f64> = Vec::new();
        for row in rows {
            for (index, [dx, dy]) in self.samples.iter().enumerate() {
                let y = f64::from(row) + dy;
                cuts.clear();
                cuts.extend(segments.iter().filter_map(|ends| cut(ends, y)));
                cuts.sort_by(f64::total_cmp);
                for inside in cuts.chunks_exact(2) {
                    let [from, to] =
                        [inside[0], inside[1]].map(|x| (x - dx).ceil().max(0.0) as u32);
                    for column in from..to.min(self.size[0]) {
                        let pixel = row as usize * self.size[0] as usize + column as usize;
                        let place = pixel * self.samples.len() + index;
                        let found = nearness([f64::from(column) + dx, y]) as f32;
                        if found > self.nearness[place] {
                            self.nearness[place] = found;
                            self.owners[place] = owner;
                        }
                    }
                }
            }
        }
    }
}

/// Where a segment cuts a row; its lower end belongs to it and the upper one does not.
fn cut([a, b]: &[Projected; 2], y: f64) -> Option<f64> {
    if (a.at[1] <= y) == (b.at[1] <= y) {
        return None;
    }
    let share = (y - a.at[1]) / (b.at[1] - a.at[1]);
    Some(a.at[0] + share * (b.at[0] - a.at[0]))
}

/// The corners of a line along a segment, longer by half its width so that corners close.
fn line([a, b]: [Projected; 2]) -> [Projected; 4] {
    let way = [b.at[0] - a.at[0], b.at[1] - a.at[1]];
    let length = (way[0] * way[0] + way[1] * way[1]).sqrt();
    let along = way.map(|part| if length > 0.0 { LINE * part / length } else { 0.0 });
    let corner = |end: Projected, forward: f64, side: f64| {
        let [x, y] = end.at;
        let at =
            [x + forward * along[0] - side * along[1], y + forward * along[1] + side * along[0]];
        Projected { at, nearness: end.nearness * (1.0 + LIFT) }
    };
    [corner(a, -0.5, -1.0), corner(b, 0.5, -1.0), corner(b, 0.5, 1.0), corner(a, -0.5, 1.0)]
}

#[cfg(test)]
mod tests {
    use super::super::Camera;
    use super::super::raster::{NOTHING, QUARTERS};
    use super::*;

    /// The pixels of a picture of 40 × 40 that lie whole within owner 0, and within owner 1.
    fn drawn(flat: &Flat, frame: &[Vec3]) -> Vec<u32> {
        let camera = Camera { from: Some([0.0, 0.0, 1.0]), up: [0.0, 1.0, 0.0] };
        let projection = Projection::new(frame, camera, [40, 40]);
        let mut raster = Raster::new([40, 40], &QUARTERS);
        flat.draw(&mut raster, &projection, 0);
        (0..1600)
            .map(|pixel| match raster.owners_at(pixel) {
                owners if owners.iter().all(|owner| *owner == owners[0]) => owners[0],
                _ => 7,
            })
            .collect()
    }

    fn ring(points: &[[f64; 2]]) -> Vec<Vec3> {
        points.iter().map(|[x, y]| Vec3::new(*x, *y, 0.0)).collect()
    }

    fn square(half: f64) -> Vec<Vec3> {
        ring(&[[-half, -half], [half, -half], [half, half], [-half, half]])
    }

    #[test]
    fn a_hole_stays_free_and_an_island_in_it_is_filled() {
        let rings = vec![square(1.0), square(0.6), square(0.2)];
        let flat = Flat { rings, body: 0 };
        let pixels = drawn(&flat, &square(1.0));
        // The frame fills 0.86 of 40 pixels: 17.2 pixels for a metre.
        let at = |x: f64, y: f64| {
            let [column, row] = [20.0 + 17.2 * x, 20.0 - 17.2 * y].map(|at| at as usize);
            pixels[row * 40 + column]
        };
        assert_eq!([at(0.8, 0.0), at(0.0, 0.0), at(-0.8, 0.8)], [0; 3]);
        assert_eq!([at(0.4, 0.0), at(0.0, -0.4), at(1.1, 0.0)], [NOTHING; 3]);
        let filled = pixels.iter().filter(|owner| **owner == 0).count();
        // 2² − 1.2² + 0.4² = 2.72 m² are 805 pixels, less a border of 14.4 m that takes up to 2.
        assert!((320..805).contains(&filled), "{filled}");
    }

    #[test]
    fn a_ring_that_crosses_itself_is_filled_by_the_even_odd_rule() {
        // A pentagram: its middle is surrounded twice.
        let tip = |k: usize| {
            let (sin, cos) = libm::sincos(std::f64::consts::TAU * (k * 2 % 5) as f64 / 5.0);
            [cos, sin]
        };
        let star = ring(&[0, 1, 2, 3, 4].map(tip));
        let pixels = drawn(&Flat { rings: vec![star.clone()], body: 0 }, &star);
        assert!(pixels.iter().filter(|owner| **owner == 0).count() > 50);
        let middle = star.iter().fold(Vec3::ZERO, |sum, p| sum + *p);
        assert!(middle.length() < 1e-12);
        // The box of the star lies from −0.81 to 1 and from −0.95 to 0.95: 18.1 pixels a metre.
        let column = 20 - (0.0955 * 18.1) as usize;
        assert_eq!(pixels[20 * 40 + column], NOTHING);
    }

    #[test]
    fn what_is_behind_the_eye_or_nothing_is_not_drawn() {
        let mut behind = square(1.0);
        behind[2].z = 1e6;
        for rings in [vec![], vec![behind]] {
            let pixels = drawn(&Flat { rings, body: 0 }, &square(1.0));
            assert!(pixels.iter().all(|owner| *owner == NOTHING));
        }
    }
}
