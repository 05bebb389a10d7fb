//! Where the edges that leave a colliding vertex cross the penetrated surface.
//!
//! Stage 2 of [Heidelberger04 §3.3] for all edges of one vertex p at once. Seen from p,
//! a triangle is a cone: the edge e = q − p passes through it when it is on the inner side
//! of the three planes through p and the triangle's edges, and reaches it when it is long
//! enough. The normals of the planes serve all edges.
//!
//! | here    | meaning                                     |
//! |---------|---------------------------------------------|
//! | `cone`  | B×C, C×A, A×B of the corners as seen from p |
//! | `reach` | A·(B×C), six times the volume over p        |
//! | `turns` | cone · e, one sign when e passes inside     |
//!
//! A sign that rounding could have turned is decided exactly by [`edges::exit`].

use crate::detect::Exit;
use crate::detect::edges;
use crate::math::{Aabb, Vec3};

/// Rounding of a sum of six products of three differences, relative to the largest product.
///
/// Each difference, product and sum adds at most 2⁻⁵³; [Shewchuk97 §4.3] has 7.77e-16 for
/// the sum of the six absolute products, which is at most six times the largest.
const ROUNDING: f64 = 6.0 * 8e-16;

/// Relative widening of the box of clipped edges, against the rounding of the clip.
const CLIP_MARGIN: f64 = 1e-12;

/// One edge of the fan: its free end, and the best exit so far.
#[derive(Clone, Copy, Debug)]
pub struct Spoke {
    /// Free end, world space, m.
    pub free: Vec3,
    /// From the inner vertex to the free end, m.
    along: Vec3,
    /// Largest coordinate of `along`, m.
    size: f64,
    /// Nearest exit to the free end so far.
    pub exit: Option<Exit>,
}

impl Spoke {
    /// An edge without an exit yet.
    #[inline]
    pub fn new(inner: Vec3, free: Vec3) -> Spoke {
        let along = free - inner;
        Spoke { free, along, size: along.abs().max_element(), exit: None }
    }
}

/// The box of all edges of a fan, as far as they run inside `overlap`.
///
/// Exits lie in `overlap`, and so does `inner`.
#[inline]
pub fn clipped(inner: Vec3, spokes: &[Spoke], overlap: Aabb) -> Aabb {
    let (mut low, mut high) = (inner, inner);
    for spoke in spokes {
        let up = spoke.along.cmpgt(Vec3::ZERO);
        let wall = Vec3::select(up, overlap.max, overlap.min);
        // Along an axis on which the edge does not move, 0/0 is NaN and must not count.
        let shares = (wall - inner) / spoke.along;
        let mut share = 1.0;
        for s in shares.to_array() {
            share = if s < share { s } else { share };
        }
        let end = inner + share * spoke.along;
        low = Vec3::select(end.cmplt(low), end, low);
        high = Vec3::select(end.cmpgt(high), end, high);
    }
    let margin = CLIP_MARGIN * (high - low).max_element().max(inner.abs().max_element());
    Aabb { min: low - margin, max: high + margin }.intersection(overlap)
}

/// Tries one triangle on all edges of the fan around `inner`.
#[inline]
pub fn cross(inner: Vec3, spokes: &mut [Spoke], corners: [Vec3; 3], triangle: u32) {
    let [a, b, c] = corners.map(|corner| corner - inner);
    let (bc, ca, ab) = (b.cross(c), c.cross(a), a.cross(b));
    let reach = a.dot(bc);
    // Turned so that edges that pass inside have positive products with all three.
    let sign = if reach < 0.0 { -1.0 } else { 1.0 };
    let cone = [sign * bc, sign * ca, sign * ab];
    let reach = sign * reach;
    let size = a.abs().max(b.abs()).max(c.abs()).max_element();
    let doubt_each = ROUNDING * size * size;
    // Next to the triangle's plane, the vertex may be on either side of it.
    if reach <= doubt_each * size {
        for spoke in spokes {
            let exit = edges::exit(spoke.free, inner, corners, triangle);
            spoke.exit = edges::nearest(spoke.exit.into_iter().chain(exit));
        }
        return;
    }
    for spoke in spokes {
        let doubt = doubt_each * spoke.size;
        let [first, second, third] = cone.map(|normal| normal.dot(spoke.along));
        let length = first + second + third;
        let length_doubt = 4.0 * doubt + doubt_each * size;
        // One decision instead of four: which of them fails cannot be foreseen.
        let missed = (first < -doubt)
            | (second < -doubt)
            | (third < -doubt)
            | (length - reach < -length_doubt);
        if missed {
            continue;
        }
        let exit = passed(inner, spoke, [first, second, third], reach, [doubt, length_doubt])
            .map(|(t, position, weights)| Exit { t, position, triangle, weights })
            .or_else(|| edges::exit(spoke.free, inner, corners, triangle));
        spoke.exit = edges::nearest(spoke.exit.into_iter().chain(exit));
    }
}

/// Where an edge passes a triangle, if rounding leaves no doubt that it does.
#[inline]
fn passed(
    inner: Vec3,
    spoke: &Spoke,
    turns: [f64; 3],
    reach: f64,
    [doubt, length_doubt]: [f64; 2],
) -> Option<(f64, Vec3, [f64; 3])> {
    let length = turns[0] + turns[1] + turns[2];
    let sure = turns[0] > doubt && turns[1] > doubt && turns[2] > doubt;
    if !sure || length - reach <= length_doubt || reach <= length_doubt {
        return None;
    }
    let per_length = 1.0 / length;
    let share = reach * per_length;
    let weights = turns.map(|turn| turn * per_length);
    Some((1.0 - share, inner + share * spoke.along, weights))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vertex_on_the_surface_is_left_at_once_whichever_way_it_looks() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let inner = Vec3::new(0.25, 0.25, 0.0);
        for corners in [corners, [corners[0], corners[2], corners[1]]] {
            for free in [inner + Vec3::Z, inner - Vec3::Z, inner + Vec3::new(1.0, 2.0, -3.0)] {
                let mut spokes = [Spoke::new(inner, free)];
                cross(inner, &mut spokes, corners, 7);
                assert_eq!(spokes[0].exit, edges::exit(free, inner, corners, 7));
                assert!(spokes[0].exit.is_some_and(|exit| exit.t == 1.0));
            }
        }
    }
}
