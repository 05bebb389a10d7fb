//! The separating slab of two bodies: their extents towards each other.
//!
//! A point farther back in its own body than the other's foremost point, less the search
//! distance, can have no contact with it: of two balls side by side a few vertices and edges are
//! left. Bodies of many vertices have trees and boxes, which are cheaper then.
//!
//! | here     | formula       | meaning                                          |
//! |----------|---------------|--------------------------------------------------|
//! | `along`  | d             | unit, from the first body to the second          |
//! | `front`  | max d·x       | of the first body's surface, m                   |
//! | `back`   | min d·x       | of the second body's surface, m                  |

use crate::contact::features::Features;
use crate::id::{BodyId, VertexId};
use crate::math::{Aabb, Vec3};

/// Surface vertices of a body up to which all of them are projected.
const FEW: usize = 64;

/// Rounding of a coordinate along the direction, relative to the largest one.
const ROUNDING: f64 = 1e-14;

/// Extents of two bodies towards each other along a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SeparatingSlab {
    along: Vec3,
    front: f64,
    back: f64,
    /// Bound of the rounding, m.
    slack: f64,
}

impl SeparatingSlab {
    /// Along the line between the centres of two bodies' boxes, or along a direction that is
    /// `known` from before, whichever keeps them farther apart.
    ///
    /// `None` for bodies with many vertices or without a surface, and where the centres coincide
    /// and nothing is known.
    pub(crate) fn between(
        [a, b]: [BodyId; 2],
        positions: &[Vec3],
        features: &Features,
        (boxes, known): (&[Aabb], Option<Vec3>),
    ) -> Option<SeparatingSlab> {
        let [own, other] = [a, b].map(|body| features.surface_of(body));
        if !(1..=FEW).contains(&own.len()) || !(1..=FEW).contains(&other.len()) {
            return None;
        }
        let [mine, theirs] = [a, b].map(|body| boxes[body.index()]);
        let far = mine.min.abs().max(mine.max.abs()).max(theirs.min.abs()).max(theirs.max.abs());
        let slack = ROUNDING * far.max_element();
        let slab = |along: Vec3| {
            let place = |v: &VertexId| along.dot(positions[v.index()]);
            let front = own.iter().map(place).fold(f64::NEG_INFINITY, f64::max);
            let back = other.iter().map(place).fold(f64::INFINITY, f64::min);
            SeparatingSlab { along, front, back, slack }
        };
        let line = (theirs.min + theirs.max - mine.min - mine.max).try_normalize();
        match [line, known].map(|along| along.map(slab)) {
            [Some(one), Some(other)] if other.clearance() > one.clearance() => Some(other),
            [one, other] => one.or(other),
        }
    }

    /// Whether no points of the two bodies are nearer than `reach` m.
    #[inline]
    pub(crate) fn keeps_apart(&self, reach: f64) -> bool {
        self.back - self.front > reach + self.slack
    }

    /// Distance that the two bodies keep at least, m; negative where nothing is known.
    pub(crate) fn clearance(&self) -> f64 {
        self.back - self.front - self.slack
    }

    /// Whether a point of one body may be within `reach` m of the other.
    ///
    /// The body is 0 for the first and 1 for the second.
    #[inline]
    pub(crate) fn may_meet(&self, body: usize, point: Vec3, reach: f64) -> bool {
        let (place, reach) = (self.along.dot(point), reach + self.slack);
        if body == 0 { place >= self.back - reach } else { place <= self.front + reach }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Bodies, Mesh};
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::TetSplit;
    use crate::mesh::tet::TetMesh;

    /// Two unit cubes side by side along x with a gap of 1/4 m, cut into cells.
    fn slab(cells: u32) -> Option<SeparatingSlab> {
        slab_with(cells, None)
    }

    fn slab_with(cells: u32, known: Option<Vec3>) -> Option<SeparatingSlab> {
        let mesh =
            TetMesh::from_raw(cuboid([cells; 3], Vec3::ONE, TetSplit::Six).unwrap()).unwrap().0;
        let bodies = Bodies::from_meshes(&[Mesh::Tets(&mesh), Mesh::Tets(&mesh)]).unwrap();
        let aside = mesh.positions().iter().map(|p| *p + 1.25 * Vec3::X);
        let positions: Vec<_> = mesh.positions().iter().copied().chain(aside).collect();
        let features = Features::new(&positions, &bodies).unwrap();
        let boxes: Vec<_> = bodies
            .ids()
            .map(|body| Aabb::around(positions[bodies.vertices(body)].iter().copied()))
            .collect();
        SeparatingSlab::between([BodyId(0), BodyId(1)], &positions, &features, (&boxes, known))
    }

    #[test]
    fn cubes_side_by_side_are_apart_by_their_gap() {
        let slab = slab(1).unwrap();
        assert!(slab.keeps_apart(0.249) && !slab.keeps_apart(0.25));
        let (left, right) = (slab.front, slab.back);
        let near = |x: f64| slab.may_meet(0, x * Vec3::X, 0.3);
        assert!(near(right - 0.3) && !near(right - 0.301));
        let near = |x: f64| slab.may_meet(1, x * Vec3::X, 0.3);
        assert!(near(left + 0.3) && !near(left + 0.301));
    }

    #[test]
    fn a_known_direction_is_taken_where_it_keeps_bodies_farther_apart() {
        // Their diagonals are 1.41 m long, their middles 0.88 m apart along such a line.
        let aslant = Vec3::new(0.5_f64.sqrt(), 0.5_f64.sqrt(), 0.0);
        assert_eq!(slab_with(1, Some(aslant)), slab(1));
        let mesh = TetMesh::from_raw(cuboid([1; 3], Vec3::ONE, TetSplit::Six).unwrap()).unwrap().0;
        let bodies = Bodies::from_meshes(&[Mesh::Tets(&mesh), Mesh::Tets(&mesh)]).unwrap();
        // On each other and half a side aside in x and y: the line of centres does not part them.
        let upper = mesh.positions().iter().map(|p| *p + Vec3::new(0.5, 0.5, 1.01));
        let positions: Vec<_> = mesh.positions().iter().copied().chain(upper).collect();
        let features = Features::new(&positions, &bodies).unwrap();
        let boxes: Vec<_> = bodies
            .ids()
            .map(|body| Aabb::around(positions[bodies.vertices(body)].iter().copied()))
            .collect();
        let slab = |known| {
            let of = [BodyId(0), BodyId(1)];
            SeparatingSlab::between(of, &positions, &features, (&boxes, known)).unwrap()
        };
        assert!(slab(None).clearance() < 0.0);
        assert!((slab(Some(Vec3::Z)).clearance() - 0.01).abs() < 1e-12);
        assert!(slab(Some(-Vec3::Z)).clearance() < 0.0);
    }

    #[test]
    fn many_vertices_are_left_to_boxes() {
        assert_eq!(slab(4), None);
    }
}
