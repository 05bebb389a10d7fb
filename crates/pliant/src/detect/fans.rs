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
use crate::math::Vec3;

/// Rounding of a sum of six products of three differences, relative to the largest product.
///
/// Each difference, product and sum adds at most 2⁻⁵³; [Shewchuk97 §4.3] has 7.77e-16 for
/// the sum of the six absolute products, which is at most six times the largest.
const ROUNDING: f64 = 6.0 * 8e-16;

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

/// Tries one triangle on all edges of the fan around `inner`.
#[inline]
pub fn cross(inner: Vec3, spokes: &mut [Spoke], corners: [Vec3; 3], triangle: u32) {
    let [a, b, c] = corners.map(|corner| corner - inner);
    let cone = [b.cross(c), c.cross(a), a.cross(b)];
    let reach = a.dot(cone[0]);
    let whole = cone[0] + cone[1] + cone[2];
    let size = a.abs().max(b.abs()).max(c.abs()).max_element();
    // Next to the triangle's plane, the vertex may be on either side of it.
    let in_plane = reach.abs() <= ROUNDING * size * size * size;
    for spoke in spokes {
        let turns = cone.map(|normal| normal.dot(spoke.along));
        let length = whole.dot(spoke.along);
        let doubt = ROUNDING * size * size * spoke.size;
        let length_doubt = 4.0 * doubt + ROUNDING * size * size * size;
        let sign = if reach < 0.0 { -1.0 } else { 1.0 };
        let low = turns[0].min(turns[1]).min(turns[2]);
        let high = turns[0].max(turns[1]).max(turns[2]);
        let least = if reach < 0.0 { -high } else { low };
        let beyond = sign * (length - reach);
        let passes = least >= -doubt && beyond >= -length_doubt;
        if !passes && !(in_plane && (low >= -doubt || high <= doubt)) {
            continue;
        }
        let sure = least > doubt && beyond > length_doubt && sign * reach > length_doubt;
        let exit = if sure {
            let share = reach / length;
            let position = inner + share * spoke.along;
            let weights = turns.map(|turn| turn / length);
            Some(Exit { t: 1.0 - share, position, triangle, weights })
        } else {
            edges::exit(spoke.free, inner, corners, triangle)
        };
        spoke.exit = edges::nearest(spoke.exit.into_iter().chain(exit));
    }
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
