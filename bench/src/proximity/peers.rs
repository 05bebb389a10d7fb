//! Depths of all vertices inside other outlines by parry2d and geo.

use geo::{Contains, Coord, Distance, Euclidean, LineString, Point, Polygon};
use parry2d::bounding_volume::BoundingVolume;
use parry2d::math::Vector;
use parry2d::shape::{Polyline, PolylineFlags};
use pliant::math::Vec2;
use pliant_plane::outline::Outlines;

/// What a peer found: vertices inside other outlines, and the sum of their depths.
#[derive(Clone, Copy, Debug, Default)]
pub struct Found {
    /// Vertices inside, counted once for each outline that holds them.
    pub inside: usize,
    /// Sum of their depths, m.
    pub depths: f64,
}

/// parry2d's polylines with trees that are refitted each frame.
pub struct Parry {
    lines: Vec<Polyline>,
    points: Vec<Vector>,
}

impl Parry {
    /// Builds the trees; this is not part of a frame.
    pub fn new(outlines: &Outlines) -> Parry {
        let lines = (0..outlines.len()).map(|outline| {
            let range = outlines.range(outline);
            let points = outlines.points()[range].iter().map(|&point| rounded(point));
            // Its inside is that of one ring: of several the first, the outer one, is taken.
            let count = outlines.rings(outline).next().map_or(0, |ring| ring.len()) as u32;
            let around = (0..count).map(|at| [at, (at + 1) % count]).collect();
            Polyline::with_flags(points.collect(), Some(around), PolylineFlags::DEFORMABLE)
        });
        Parry { lines: lines.collect(), points: Vec::new() }
    }

    /// Signed distance of a point to an outline, m.
    pub fn signed(&self, outline: usize, point: Vector) -> f64 {
        let (nearest, _) =
            self.lines[outline].project_local_point_assuming_solid_interior_ccw(point);
        let distance = f64::from(nearest.point.distance(point));
        if nearest.is_inside { -distance } else { distance }
    }

    /// Refits the trees and queries every vertex in another's box.
    pub fn frame(&mut self, outlines: &Outlines) -> Found {
        for (outline, line) in self.lines.iter_mut().enumerate() {
            self.points.clear();
            let range = outlines.range(outline);
            self.points.extend(outlines.points()[range].iter().map(|&point| rounded(point)));
            line.set_vertices(&self.points);
        }
        let mut found = Found::default();
        for (a, own) in self.lines.iter().enumerate() {
            for (b, other) in self.lines.iter().enumerate() {
                let bounds = other.local_aabb();
                if a == b || !own.local_aabb().intersects(&bounds) {
                    continue;
                }
                for &point in own.vertices() {
                    if bounds.contains_local_point(point) {
                        let (nearest, _) =
                            other.project_local_point_assuming_solid_interior_ccw(point);
                        if nearest.is_inside {
                            found.inside += 1;
                            found.depths += f64::from(nearest.point.distance(point));
                        }
                    }
                }
            }
        }
        found
    }
}

fn rounded(point: Vec2) -> Vector {
    Vector::new(point.x as f32, point.y as f32)
}

/// geo's polygons, made anew each frame, as it has nothing to refit.
pub fn geo(outlines: &Outlines) -> Found {
    let polygons: Vec<Polygon> = (0..outlines.len())
        .map(|outline| {
            let points = outlines.points()[outlines.range(outline)].iter();
            let ring: Vec<Coord> = points.map(|point| Coord { x: point.x, y: point.y }).collect();
            Polygon::new(LineString::new(ring), vec![])
        })
        .collect();
    let mut found = Found::default();
    for (a, own) in polygons.iter().enumerate() {
        for (b, other) in polygons.iter().enumerate() {
            if a == b {
                continue;
            }
            for &corner in &own.exterior().0[1..] {
                let point = Point::from(corner);
                if other.contains(&point) {
                    found.inside += 1;
                    found.depths += Euclidean.distance(&point, other.exterior());
                }
            }
        }
    }
    found
}
