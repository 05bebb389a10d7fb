//! Which bodies reach into a box, decided by exact signs.

use super::{Query, QueryError};
use crate::body::BodyKind;
use crate::id::BodyId;
use crate::math::{Aabb, Vec3};
use crate::mesh::intersect::segment_meets_triangle;

/// Corners of the sides of a box, as bits: x, y and z.
const SIDES: [[usize; 4]; 6] =
    [[0, 2, 6, 4], [1, 3, 7, 5], [0, 1, 5, 4], [2, 3, 7, 6], [0, 1, 3, 2], [4, 5, 7, 6]];

/// Corners of the edges of a box.
const EDGES: [[usize; 2]; 12] = [
    [0, 1],
    [2, 3],
    [4, 5],
    [6, 7],
    [0, 2],
    [1, 3],
    [4, 6],
    [5, 7],
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
];

impl Query<'_> {
    /// The bodies whose surface or inside shares a point with a box, ascending.
    ///
    /// Touching counts. Spring networks count with their edges, particles with their points,
    /// outlines not at all. An empty box meets nothing; one without end is allowed. A box that no
    /// surface triangle reaches into is judged by one of its points: inverted tets that fold the
    /// inside over elsewhere in it do not count.
    pub fn bodies_in(&self, around: Aabb) -> Result<Vec<BodyId>, QueryError> {
        let Aabb { min, max } = around;
        if min.is_nan() || max.is_nan() {
            return Err(QueryError::Box { min, max });
        }
        let mut found = Vec::new();
        if min.cmple(max).all() {
            self.body_tree().meeting(around, |item| {
                if self.reaches_into(BodyId(item), around) {
                    found.push(BodyId(item));
                }
                true
            });
        }
        found.sort_unstable();
        Ok(found)
    }

    fn reaches_into(&self, body: BodyId, around: Aabb) -> bool {
        let own = self.box_of(body);
        // Nothing of the body is beyond its box: the part there need not be tested, and is finite.
        let margin = own.size().max_element();
        let near = Aabb { min: own.min - margin, max: own.max + margin };
        let around = around.intersection(near);
        if self.used(body).any(|vertex| around.contains(self.position(vertex))) {
            return true;
        }
        match self.kind(body) {
            BodyKind::Particles | BodyKind::Outline => false,
            BodyKind::SpringNetwork => self.an_edge_meets(body, around),
            BodyKind::Tets | BodyKind::Surface => {
                let mut meets = false;
                self.triangle_tree(body).meeting(around, |item| {
                    meets = triangle_meets_box(self.corners(self.triangle(body, item)), around);
                    !meets
                });
                // Without surface in it, a box is inside or outside as a whole.
                meets || self.contains(body, around.intersection(own).min)
            }
        }
    }

    fn an_edge_meets(&self, body: BodyId, around: Aabb) -> bool {
        let neighbours = self.scene.bodies.neighbours();
        self.used(body).any(|vertex| {
            neighbours.row(vertex).iter().any(|other| {
                other.index() > vertex
                    && segment_meets_sides(
                        [self.position(vertex), self.position(other.index())],
                        corners(around),
                    )
            })
        })
    }
}

/// Whether a triangle and a box share a point, touching included.
///
/// What they share is convex, and its corners are corners of the triangle, places where an edge of
/// the triangle meets a side of the box, or where an edge of the box meets the triangle.
pub(super) fn triangle_meets_box(triangle: [Vec3; 3], around: Aabb) -> bool {
    if !Aabb::around(triangle).meets(around) {
        return false;
    }
    let [a, b, c] = triangle;
    let corners = corners(around);
    triangle.iter().any(|&corner| around.contains(corner))
        || EDGES.iter().any(|edge| segment_meets_triangle(edge.map(|k| corners[k]), triangle))
        || [[a, b], [b, c], [c, a]].iter().any(|&edge| segment_meets_sides(edge, corners))
}

/// Whether a segment meets a side of a box, given by its corners.
fn segment_meets_sides(segment: [Vec3; 2], corners: [Vec3; 8]) -> bool {
    SIDES.iter().any(|&[a, b, c, d]| {
        [[a, b, c], [a, c, d]]
            .iter()
            .any(|half| segment_meets_triangle(segment, half.map(|k| corners[k])))
    })
}

/// Corners of a box, numbered by bits: x, y and z.
fn corners(Aabb { min, max }: Aabb) -> [Vec3; 8] {
    std::array::from_fn(|bits| {
        let pick = |axis: usize| if bits >> axis & 1 == 1 { max[axis] } else { min[axis] };
        Vec3::new(pick(0), pick(1), pick(2))
    })
}
