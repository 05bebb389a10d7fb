//! Whether a point is inside a body of tets, by the tets near it alone.
//!
//! [`union::is_inside`] looks at every tet it is given. Here a tree of boxes picks those
//! whose box holds the point. A tree is built at the first query of its body and only
//! refitted afterwards, at the first query of each step.

use crate::body::Bodies;
use crate::detect::union;
use crate::id::{BodyId, VertexId};
use crate::math::{Aabb, Vec3};
use crate::mesh::bvh::Bvh;

/// Trees over the tets of bodies, kept from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct TetBvh {
    /// One entry per body.
    trees: Vec<Kept>,
    /// Number of the step; 0 before the first.
    step: u32,
    /// Tets near the current point.
    near: Vec<[VertexId; 4]>,
    /// Number of tets that points were tested against.
    tested: usize,
}

/// The tree of one body.
#[derive(Clone, Debug, Default)]
struct Kept {
    /// Tets counted within the body; `None` until the first query.
    tree: Option<Bvh>,
    /// Number of the step that it fits.
    step: u32,
}

impl TetBvh {
    /// Invalidates all trees, as vertices have moved; the bodies must stay the same.
    pub(crate) fn start(&mut self, body_count: usize) {
        self.step = self.step.wrapping_add(1);
        if self.trees.len() != body_count || self.step == 0 {
            self.trees = vec![Kept::default(); body_count];
            self.step = 1;
        }
    }

    /// Whether a point is in the interior of the union of a body's tets.
    pub(crate) fn is_inside(
        &mut self,
        point: Vec3,
        positions: &[Vec3],
        bodies: &Bodies,
        body: BodyId,
    ) -> bool {
        let tets = &bodies.tets()[bodies.tets_of(body)];
        let kept = &mut self.trees[body.index()];
        let box_of = |tet: u32| Aabb::around(tets[tet as usize].map(|v| positions[v.index()]));
        let tree = kept.tree.get_or_insert_with(|| {
            kept.step = self.step;
            Bvh::new(&(0..tets.len() as u32).map(box_of).collect::<Vec<_>>())
        });
        if kept.step != self.step {
            kept.step = self.step;
            tree.refit(box_of);
        }
        self.near.clear();
        tree.meeting(Aabb { min: point, max: point }, |tet| {
            self.near.push(tets[tet as usize]);
            true
        });
        self.tested += self.near.len();
        union::is_inside(point, positions, &self.near)
    }

    /// Number of tets that points were tested against so far.
    #[cfg(any(test, feature = "checks"))]
    pub(crate) fn tested(&self) -> usize {
        self.tested
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::TetSplit;

    /// Points all over and around a cube of 2 m, many on its faces, edges and vertices.
    fn points() -> impl Iterator<Item = Vec3> {
        let along = (-6..=6).map(|n| f64::from(n) * 0.25);
        along.clone().flat_map(move |x| {
            let along = along.clone();
            along.clone().flat_map(move |y| along.clone().map(move |z| Vec3::new(x, y, z)))
        })
    }

    #[test]
    fn moved_tets_are_found_as_the_slow_twin_finds_them() {
        let mesh = cuboid([2; 3], Vec3::splat(2.0), TetSplit::Six).unwrap();
        let bodies = Bodies::from_tets(&[(27, &mesh.tets)]).unwrap();
        let mut positions = mesh.positions;
        let mut holders = TetBvh::default();
        for by in [Vec3::ZERO, Vec3::X * 0.25, Vec3::new(-1.0, 0.5, 0.0)] {
            positions.iter_mut().for_each(|p| *p += by);
            holders.start(1);
            let mut inside = 0;
            for point in points() {
                let slow = union::is_inside(point, &positions, bodies.tets());
                assert_eq!(holders.is_inside(point, &positions, &bodies, BodyId(0)), slow);
                inside += usize::from(slow);
            }
            assert!(inside > 50, "{inside}");
        }
    }

    #[test]
    fn a_finer_mesh_has_no_more_tets_around_a_point() {
        let tested_per_point = |cells: u32| {
            let mesh = cuboid([cells; 3], Vec3::splat(2.0), TetSplit::Six).unwrap();
            let bodies = Bodies::from_tets(&[(mesh.positions.len(), &mesh.tets)]).unwrap();
            let mut holders = TetBvh::default();
            holders.start(1);
            for &point in &mesh.positions {
                holders.is_inside(point, &mesh.positions, &bodies, BodyId(0));
            }
            holders.tested() as f64 / mesh.positions.len() as f64
        };
        // Eight cells of six tets meet at a vertex, and the box of each holds it.
        assert!(tested_per_point(4) <= 48.0 && tested_per_point(8) <= 48.0);
    }
}
