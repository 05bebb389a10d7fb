//! A surface arranged for queries: winding numbers along a row, crossings of an edge, distance.

use crate::id::VertexId;
use crate::math::{Aabb, Vec3};
use crate::mesh::bvh::Bvh;
use crate::mesh::closest::closest_point;
use crate::mesh::ray::PreparedRay;

/// Triangles of a closed surface in a tree.
pub(super) struct Shell {
    /// Corners, m, counter-clockwise seen from outside.
    corners: Vec<[Vec3; 3]>,
    tree: Bvh,
}

/// Where a ray crosses the surface.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Crossing {
    /// From the start of the ray, m.
    distance: f64,
    /// What the crossing adds to the winding number.
    winding: i32,
}

impl Shell {
    /// Arranges triangles, whose corners must exist.
    pub(super) fn new(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> Shell {
        let corners: Vec<_> =
            triangles.iter().map(|t| t.map(|v| crate::id::at(positions, v))).collect();
        let boxes: Vec<_> = corners.iter().map(|corners| Aabb::around(*corners)).collect();
        Shell { tree: Bvh::new(&boxes), corners }
    }

    /// Around all triangles, m.
    pub(super) fn bounds(&self) -> Aabb {
        self.tree.around()
    }

    /// Sum of the areas, m².
    pub(super) fn area(&self) -> f64 {
        let area = |[a, b, c]: &[Vec3; 3]| 0.5 * (*b - *a).cross(*c - *a).length();
        self.corners.iter().map(area).sum()
    }

    /// Crossings up to a distance, nearest first.
    fn crossings(&self, ray: &PreparedRay, within: f64) -> Vec<Crossing> {
        let mut found = Vec::new();
        self.tree.along(ray, within, |triangle| {
            let hit = ray.cross(self.corners[triangle as usize]);
            if let Some(hit) = hit.filter(|hit| hit.distance <= within) {
                let winding = if hit.leaves { -1 } else { 1 };
                found.push(Crossing { distance: hit.distance, winding });
            }
            within
        });
        // At one distance, leaving first: thin sheets that touch are then still two.
        found.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.winding.cmp(&b.winding)));
        found
    }

    /// Whether points of a row along x are inside: the winding number is above ½.
    ///
    /// Point k is at `first + k · step` along x, m; `first` is outside the surface's box. Each
    /// crossing of the row counts once, also at edges and corners.
    pub(super) fn insides(&self, first: Vec3, step: f64, inside: &mut [bool]) {
        inside.fill(false);
        let Some(ray) = PreparedRay::new(first, Vec3::X) else { return };
        let crossings = self.crossings(&ray, f64::MAX);
        let (mut next, mut winding) = (0, 0);
        for (k, inside) in inside.iter_mut().enumerate() {
            let here = k as f64 * step;
            while let Some(crossing) = crossings.get(next).filter(|c| c.distance <= here) {
                winding += crossing.winding;
                next += 1;
            }
            *inside = winding > 0;
        }
    }

    /// Share of the way from a point inside to one outside at which the surface is left.
    ///
    /// Of several crossings the one after which the way is outside for the first time. Where
    /// rounding hides all of them, the end that is nearer to the surface.
    pub(super) fn leave(&self, inside: Vec3, outside: Vec3) -> f64 {
        let way = outside - inside;
        let length = way.length();
        let crossings = PreparedRay::new(inside, way)
            .map(|ray| self.crossings(&ray, length))
            .unwrap_or_default();
        // The end is outside: what the crossings add is minus the winding number of the start.
        let mut winding = -crossings.iter().map(|c| c.winding).sum::<i32>();
        for crossing in &crossings {
            winding += crossing.winding;
            if winding <= 0 && crossing.winding < 0 {
                return (crossing.distance / length).min(1.0);
            }
        }
        if self.distance(inside) <= self.distance(outside) { 0.0 } else { 1.0 }
    }

    /// Distance of a point to the surface, m; infinite where there are no triangles.
    pub(super) fn distance(&self, point: Vec3) -> f64 {
        let mut nearest_sq = f64::INFINITY;
        self.tree.near(point, f64::INFINITY, |triangle| {
            let found = closest_point(point, self.corners[triangle as usize]);
            nearest_sq = nearest_sq.min(found.distance_squared(point));
            nearest_sq
        });
        nearest_sq.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::TetSplit;
    use crate::mesh::tet::TetMesh;

    /// Cubes of edge 1 around points.
    fn cubes(middles: &[Vec3]) -> Shell {
        let cube = cuboid([1; 3], Vec3::ONE, TetSplit::Five).unwrap();
        let cube = TetMesh::from_raw(cube).unwrap().0;
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        for &middle in middles {
            let start = positions.len() as u32;
            positions.extend(cube.positions().iter().map(|&p| p + middle));
            triangles.extend(cube.surface().iter().map(|t| t.map(|v| VertexId(v.0 + start))));
        }
        Shell::new(&positions, &triangles)
    }

    #[test]
    fn a_row_through_two_cubes() {
        let shell = cubes(&[Vec3::ZERO, Vec3::new(0.75, 0.0, 0.0)]);
        let mut inside = [false; 10];
        // Along diagonals and edges of triangles too: from -1.13 in steps of 0.3.
        for y in [0.0, 0.1, 0.25, -0.49] {
            shell.insides(Vec3::new(-1.13, y, y), 0.3, &mut inside);
            assert_eq!(inside, [0, 0, 0, 1, 1, 1, 1, 1, 0, 0].map(|bit| bit == 1), "{y}");
        }
    }

    #[test]
    fn the_union_is_left_once() {
        let shell = cubes(&[Vec3::ZERO, Vec3::new(0.75, 0.0, 0.0)]);
        // The first cube ends at 0.5 within the other, which ends at 1.25.
        let share = shell.leave(Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0));
        assert!((share - 1.25 / 2.0).abs() < 1e-15, "{share}");
        // Apart, at the first exit.
        let shell = cubes(&[Vec3::ZERO, Vec3::new(2.0, 0.0, 0.0)]);
        let share = shell.leave(Vec3::ZERO, Vec3::new(4.0, 0.0, 0.0));
        assert!((share - 0.125).abs() < 1e-15, "{share}");
    }

    #[test]
    fn distance_and_area_of_a_cube() {
        let shell = cubes(&[Vec3::ZERO]);
        assert_eq!(shell.distance(Vec3::new(3.5, 4.5, 0.0)), 5.0);
        assert_eq!(shell.distance(Vec3::ZERO), 0.5);
        assert!((shell.area() - 6.0).abs() < 1e-15);
        assert_eq!(shell.bounds(), Aabb { min: Vec3::splat(-0.5), max: Vec3::splat(0.5) });
    }
}
