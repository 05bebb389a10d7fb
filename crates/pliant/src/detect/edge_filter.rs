//! Filter in f32: which edges from a point certainly miss a triangle.
//!
//! Seen from p, a triangle is a cone. The edge e = q − p passes through the triangle when
//! it is on the inner side of the three planes through p and the triangle's edges, and
//! reaches beyond the triangle's own plane. Four signs, one in each lane of a register,
//! rule out most pairs of an edge and a triangle; the others are for f64 to decide.
//!
//! | here      | meaning                                                              |
//! |-----------|----------------------------------------------------------------------|
//! | A, B, C   | corners, as seen from p                                              |
//! | `normals` | B×C, C×A, A×B and their sum (B−A)×(C−A), one lane each, axis by axis |
//! | `reach`   | A·(B×C), six times the volume over p                                 |
//! | s, t      | largest coordinate of A, B, C, and of the edges                      |
//! | R         | largest coordinate of the corners and of p, from the origin          |
//! | u         | half of `f32::EPSILON`, the rounding of one operation                |
//!
//! How far off the signs are. Coordinates are rounded, so that each is off by uR; those of
//! A, B, C are differences of two and off by d = 2uR + us; those of e were taken in f64
//! and are off by ut. A coordinate of B×C is a difference of two products: its factors make
//! 4sd, products and difference 4us². Times a coordinate of e, with the rounding of e, of
//! the product and of two sums, 4u of at most 2s²t, that is 4sdt + 12us²t. Three of those are
//! 24uRst + 48us²t. In the fourth lane factors are up to 2s and off by up to 2uR + 2us: in
//! the same way 48uRst + 192us²t. The reach is a product with A in place of e:
//! 36uRs² + 48us³. The doubts below exceed all three by a third or more, which takes in the
//! terms with u². Below the smallest f32 an operation is off by another 2⁻¹⁵⁰; with s and t
//! at least [`SMALLEST`] the doubts are above 2⁻¹²³, and take that in too.

use crate::detect::boxes::rounded;
use crate::detect::nearby_triangles::{Ray, Sense};
use crate::detect::rays::RayCrossing;
use crate::math::{Mat4, Vec3, Vec4};

/// Doubt about a turn, relative to st(R + 4s): 32u.
const TURN_DOUBT: f32 = 16.0 * f32::EPSILON;

/// Doubt about the fourth lane, relative to st(R + 4s): 64u.
const LENGTH_DOUBT: f32 = 32.0 * f32::EPSILON;

/// Doubt about the reach, relative to s²(R + 4s): 64u.
const REACH_DOUBT: f32 = 32.0 * f32::EPSILON;

/// Doubt about a coordinate of a normal, relative to s(R + s): 16u.
const PASSAGE_DOUBT: f32 = 8.0 * f32::EPSILON;

/// 2⁻³⁵ m: nearer triangles are left to f64, and shorter edges doubted as if so long.
const SMALLEST: f32 = 1.0 / LARGEST;

/// 2³⁵ m: farther triangles and longer edges are left to f64, lest products overflow.
const LARGEST: f32 = (1_u64 << 35) as f32;

/// The corners of a triangle, axis by axis, m from the origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilterTriangle {
    /// b, c, a and b − a.
    next: [Vec4; 3],
    /// c, a, b and c − a.
    after: [Vec4; 3],
}

impl FilterTriangle {
    /// A triangle from its rounded corners.
    #[inline]
    pub(crate) fn new([a, b, c]: [Vec4; 3]) -> FilterTriangle {
        let next = Mat4::from_cols(b, c, a, b - a).transpose();
        let after = Mat4::from_cols(c, a, b, c - a).transpose();
        FilterTriangle {
            next: [next.x_axis, next.y_axis, next.z_axis],
            after: [after.x_axis, after.y_axis, after.z_axis],
        }
    }
}

/// A point with edges to others.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FilterVertex {
    /// The point, m from the origin.
    pub place: Vec4,
    /// Each coordinate in the lanes that hold corners, m.
    spread: [Vec4; 3],
}

impl FilterVertex {
    /// The tip at a rounded point.
    #[inline]
    pub(crate) fn new(place: Vec4) -> FilterVertex {
        let spread = |x: f32| Vec4::new(x, x, x, 0.0);
        FilterVertex { place, spread: [spread(place.x), spread(place.y), spread(place.z)] }
    }
}

/// An edge from the tip, the common point of the edges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// The three coordinates and 0, m.
    pub along: Vec4,
    /// Each coordinate in all lanes, m.
    spread: [Vec4; 3],
}

impl Edge {
    /// An edge from its offset, m.
    #[inline]
    pub(crate) fn new(along: Vec3) -> Edge {
        let along = rounded(along);
        let spread = [Vec4::splat(along.x), Vec4::splat(along.y), Vec4::splat(along.z)];
        Edge { along, spread }
    }
}

/// A triangle as seen from a point.
#[derive(Clone, Copy, Debug)]
struct View {
    /// B×C, C×A, A×B and their sum, axis by axis, m².
    normals: [Vec4; 3],
    /// A·(B×C), m³.
    reach: f32,
    /// Largest coordinate of A, B, C, or of B−A, m.
    size: f32,
    /// Whether the sign of `reach` is beyond doubt, and all numbers in range.
    certain: bool,
}

impl View {
    #[inline]
    fn new(tip: &FilterVertex, facet: &FilterTriangle, far: f32) -> View {
        let px = facet.next[0] - tip.spread[0];
        let py = facet.next[1] - tip.spread[1];
        let pz = facet.next[2] - tip.spread[2];
        let qx = facet.after[0] - tip.spread[0];
        let qy = facet.after[1] - tip.spread[1];
        let qz = facet.after[2] - tip.spread[2];
        let (nx, ny, nz) = (py * qz - pz * qy, pz * qx - px * qz, px * qy - py * qx);
        // In the third lane of the first factor stands A, in the first one of the normals B×C.
        let reach = px.z * nx.x + py.z * ny.x + pz.z * nz.x;
        let size = px.abs().max(py.abs()).max(pz.abs()).max_element();
        // Written so that a NaN is no certainty.
        let certain = (reach.abs() > REACH_DOUBT * size * size * (far + 4.0 * size))
            & (size >= SMALLEST)
            & (far + size <= LARGEST);
        View { normals: [nx, ny, nz], reach, size, certain }
    }
}

/// How the ray from the tip along an axis meets a triangle, if that is beyond doubt.
///
/// The turns of the triangle's edges around the ray are coordinates of B×C, C×A, A×B,
/// and off by 8uRs + 8us² as said above.
#[inline]
pub(crate) fn ray_crossing(
    tip: &FilterVertex,
    facet: &FilterTriangle,
    ray: Ray,
    far: f32,
) -> Option<RayCrossing> {
    let View { normals, reach, size, certain } = View::new(tip, facet, far);
    let turns = match ray.axis {
        0 => normals[0],
        1 => normals[1],
        _ => normals[2],
    };
    let doubt = Vec4::splat(PASSAGE_DOUBT * size * (far + size));
    let (left, right) =
        (turns.cmpgt(doubt).bitmask() & 0b111, turns.cmplt(-doubt).bitmask() & 0b111);
    let in_range = (size >= SMALLEST) & (far + size <= LARGEST);
    if (left != 0) & (right != 0) & in_range {
        return Some(RayCrossing::Missed);
    }
    if !certain | (left != 0b111) & (right != 0b111) {
        return None;
    }
    // A triangle that turns left seen from above looks up, and the point is below it when
    // it is on its inner side.
    let (left, upward) = (left != 0, ray.sense == Sense::Up);
    let above = if left { reach > 0.0 } else { reach < 0.0 };
    Some(match (above == upward, left == upward) {
        (false, _) => RayCrossing::Missed,
        (true, true) => RayCrossing::Leaves,
        (true, false) => RayCrossing::Enters,
    })
}

/// The cone over a triangle from a point, a filter for edges.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cone {
    /// Normals of the sides, and their sum; pointing inward, m².
    normals: [Vec4; 3],
    /// What an edge's products with the normals must not fall below, m³.
    least: Vec4,
}

impl Cone {
    /// The cone over a triangle, for edges with no coordinate above `longest`, m.
    ///
    /// No coordinate of the triangle or the tip may be more than `far` from the origin, m.
    #[inline]
    pub(crate) fn new(tip: &FilterVertex, facet: &FilterTriangle, longest: f32, far: f32) -> Cone {
        let View { normals: [nx, ny, nz], reach, size, certain } = View::new(tip, facet, far);
        let doubt = size * (far + 4.0 * size);
        let reach_doubt = REACH_DOUBT * doubt * size;
        let doubt = if longest > SMALLEST { doubt * longest } else { doubt * SMALLEST };
        let turn = -TURN_DOUBT * doubt;
        let least = Vec4::new(turn, turn, turn, reach.abs() - reach_doubt - LENGTH_DOUBT * doubt);
        let turned = Vec4::splat(1_f32.copysign(reach));
        Cone {
            normals: [nx * turned, ny * turned, nz * turned],
            least: if certain & (longest <= LARGEST) { least } else { Vec4::NEG_INFINITY },
        }
    }

    /// Whether an edge certainly does not meet the triangle.
    #[inline]
    pub(crate) fn is_missed_by(&self, edge: &Edge) -> bool {
        let [x, y, z] = self.normals;
        let products = x * edge.spread[0] + y * edge.spread[1] + z * edge.spread[2];
        products.cmplt(self.least).bitmask() != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::{edges, rays};
    use crate::math::random::Random;

    /// In a cube of 1 m about the origin.
    fn point(random: &mut Random) -> Vec3 {
        random.point() - 0.5
    }

    fn is_missed(tip: Vec3, along: Vec3, corners: [Vec3; 3]) -> bool {
        is_missed_from(Vec3::ZERO, tip, along, corners)
    }

    fn is_missed_from(origin: Vec3, tip: Vec3, along: Vec3, corners: [Vec3; 3]) -> bool {
        let longest = along.abs().max_element() as f32 * (1.0 + f32::EPSILON);
        let [p, a, b, c] = [tip, corners[0], corners[1], corners[2]].map(|v| rounded(v - origin));
        let far = p.abs().max(a.abs()).max(b.abs()).max(c.abs()).max_element();
        let (tip, facet) = (FilterVertex::new(p), FilterTriangle::new([a, b, c]));
        Cone::new(&tip, &facet, longest, far).is_missed_by(&Edge::new(along))
    }

    /// Returns (met, missed in f32) over many triangles and edges.
    #[track_caller]
    fn check(scale: f64, centre: Vec3, mut make: impl FnMut(&mut Random) -> [Vec3; 5]) -> [u32; 2] {
        let mut random = Random::new(7);
        let mut counts = [0; 2];
        for _ in 0..20_000 {
            let [tip, free, a, b, c] = make(&mut random).map(|p| centre + scale * p);
            let met = edges::exit(free, tip, [a, b, c], 0).is_some();
            let missed = is_missed(tip, free - tip, [a, b, c]);
            let near = is_missed_from(centre, tip, free - tip, [a, b, c]);
            assert!(!(met && (missed || near)), "{tip} {free} {a} {b} {c}");
            counts[0] += u32::from(met);
            counts[1] += u32::from(missed);
        }
        counts
    }

    #[test]
    fn no_meeting_is_dropped_at_any_size_or_place() {
        for scale in [1.0, 1e-9, 1e-12, 1e-40, 1e-150, 1e6, 1e11, 1e13, 1e100] {
            for centre in [Vec3::ZERO, Vec3::new(1e6, -2e6, 3e6) * scale, Vec3::splat(1e6)] {
                check(scale, centre, |random| [0; 5].map(|_| point(random)));
            }
        }
        let [met, missed] = check(1.0, Vec3::ZERO, |random| [0; 5].map(|_| point(random)));
        assert!(met > 300 && met + missed > 19_990, "{met} {missed}");
    }

    #[test]
    fn no_meeting_is_dropped_at_an_edge_or_in_the_plane() {
        // The edge ends at, or passes by, a point of the triangle's border, but for rounding.
        let small = [(1e-13, 0.0), (3e-14, 0.0), (1e-14, 0.0), (1e-15, 0.0)];
        let slips = [0.0, 1e-17, 1e-16, 1e-9, 1e-7, 1e-6].map(|slip| (1.0, slip));
        for (scale, slip) in slips.into_iter().chain(small) {
            let [met, _] = check(scale, Vec3::ZERO, |random| {
                let [tip, a, b, c] = [0; 4].map(|_| point(random));
                let (share, way) = (random.unit(), 1.0 + (2.0 * random.unit()).floor());
                let border = a + share * (b - a) + slip * point(random);
                [tip, tip + way * (border - tip), a, b, c]
            });
            assert!(met > 2000, "{slip} {met}");
        }
        check(1.0, Vec3::ZERO, |random| {
            let [a, b, c, tip] = [0; 4].map(|_| point(random));
            let (r, s) = (random.unit(), random.unit());
            [tip, a + r * (b - a) + s * (c - a), a, b, c]
        });
    }

    #[test]
    fn slivers_points_and_edges_without_length_are_left_to_f64() {
        let [o, x] = [Vec3::ZERO, Vec3::X];
        assert!(!is_missed(o, x, [Vec3::Y, Vec3::Z, Vec3::Y + Vec3::Z]));
        assert!(!is_missed(o, x, [Vec3::Y, Vec3::Y * 2.0, Vec3::Y * 3.0]));
        assert!(!is_missed(o, x, [Vec3::Y; 3]));
        assert!(!is_missed(o, x, [Vec3::splat(f64::NAN); 3]));
        assert!(!is_missed(o, Vec3::splat(f64::INFINITY), [x, Vec3::Y, Vec3::Z]));
        // An edge without length does not reach a triangle away from it.
        assert!(is_missed(o, o, [x, Vec3::Y, Vec3::Z]));
        check(1.0, Vec3::ZERO, |random| {
            let [tip, a, b, c] = [0; 4].map(|_| point(random));
            [tip, tip, tip + 1e-30 * a, tip + 1e-30 * b, tip + 1e-30 * c]
        });
        for thin in [0.0, 1e-20, 1e-12, 1e-7] {
            check(1.0, Vec3::ZERO, |random| {
                let [tip, a, b, c] = [0; 4].map(|_| point(random));
                let free = tip + 2.0 * (a + random.unit() * (b - a) - tip);
                [tip, free, a, b, a + 0.5 * (b - a) + thin * c]
            });
        }
    }

    /// Returns how many ray hits are decided in f32; those must be as in exact signs.
    #[track_caller]
    fn check_rays(origin: Vec3, mut make: impl FnMut(&mut Random) -> [Vec3; 4]) -> u32 {
        let mut random = Random::new(9);
        let mut decided = 0;
        for round in 0..20_000 {
            let [tip, a, b, c] = make(&mut random);
            let [p, ra, rb, rc] = [tip, a, b, c].map(|v| rounded(v - origin));
            let far = p.abs().max(ra.abs()).max(rb.abs()).max(rc.abs()).max_element();
            let sense = if round % 2 == 0 { Sense::Up } else { Sense::Down };
            let ray = Ray { axis: round % 3, sense };
            if let Some(found) =
                ray_crossing(&FilterVertex::new(p), &FilterTriangle::new([ra, rb, rc]), ray, far)
            {
                assert_eq!(found, rays::ray_crossing(tip, [a, b, c], ray), "{tip} {a} {b} {c}");
                decided += 1;
            }
        }
        decided
    }

    #[test]
    fn rays_pass_as_exact_signs_say_or_are_left_to_them() {
        for scale in [1.0, 1e-9, 1e-13, 1e-60, 1e9, 1e12, 1e60] {
            for centre in [Vec3::ZERO, Vec3::splat(1e6), Vec3::splat(1e3 * scale)] {
                for origin in [Vec3::ZERO, centre] {
                    check_rays(origin, |random| [0; 4].map(|_| centre + scale * point(random)));
                }
            }
        }
        let decided = check_rays(Vec3::ZERO, |random| [0; 4].map(|_| point(random)));
        assert!(decided > 19_900, "{decided}");
        // On an edge, a corner or the triangle itself, on a coarse lattice.
        let decided =
            check_rays(Vec3::ZERO, |random| [0; 4].map(|_| (3.0 * point(random)).round()));
        assert!((1000..19_000).contains(&decided), "{decided}");
    }

    #[test]
    fn both_sides_of_a_triangle_are_seen() {
        let corners = [Vec3::X, Vec3::Y, Vec3::Z];
        for corners in [corners, [corners[0], corners[2], corners[1]]] {
            assert!(!is_missed(Vec3::ZERO, Vec3::ONE, corners));
            assert!(is_missed(Vec3::ZERO, Vec3::ONE * 0.3, corners));
            assert!(is_missed(Vec3::ZERO, -Vec3::ONE, corners));
            assert!(is_missed(Vec3::ZERO, Vec3::new(1.0, 1.0, -0.1), corners));
        }
    }
}
