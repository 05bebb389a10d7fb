//! Inverted tets.

use super::Geometry;
use crate::id::{BodyId, VertexId};
use crate::math::{Aabb, orient3d};

/// Roundings in a determinant of edges, over the product of the sides of a box around them.
///
/// Each of its six products has three differences, each rounded once, and takes part in two
/// products and three sums: 8 roundings of at most ε/2, so 24 ε in all, and room for their squares.
const DETERMINANT: f64 = 32.0 * f64::EPSILON;

/// Determinants, m³, below which products may have lost digits for being too small.
const TINY: f64 = 1e-280;

/// Tets of a body with a negative volume; `space` is a box around them.
///
/// The sign is exact. Where the plain determinant is larger than its error, it is that.
pub(super) fn count(
    Geometry { positions, bodies }: Geometry<'_>,
    body: BodyId,
    space: Aabb,
) -> usize {
    let doubt = (DETERMINANT * space.size().element_product()).max(TINY);
    let tets = bodies.tets()[bodies.tets_of(body)].iter();
    let is_inverted = |tet: &&[VertexId; 4]| {
        let [v0, v1, v2, v3] = tet.map(|v| positions[v.index()]);
        let plain = (v1 - v0).cross(v2 - v0).dot(v3 - v0);
        // What is not a number is in doubt too.
        if plain > doubt { false } else { orient3d(v0, v1, v2, v3) < 0.0 }
    };
    tets.filter(is_inverted).count()
}
