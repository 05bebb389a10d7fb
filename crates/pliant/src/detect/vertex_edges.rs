//! Where the edges that leave a colliding vertex cross the penetrated surface.
//!
//! Stage 2 of [Heidelberger04 §3.3] for all edges of one vertex p at once. Seen from p,
//! a triangle is a cone: the edge e = q − p passes through it when it is on the inner side
//! of the three planes through p and the triangle's edges, and reaches it when it is long
//! enough. Most pairs of an edge and a triangle are rejected in f32 by [`Cone`].
//!
//! | here    | meaning                                     |
//! |---------|---------------------------------------------|
//! | `turns` | B×C, C×A, A×B of the corners, each times e  |
//! | `reach` | A·(B×C), six times the volume over p        |
//!
//! A sign that rounding could have turned is decided exactly by [`edges::exit`].

use crate::detect::boxes::Bounds;
use crate::detect::edge_filter::{Cone, Edge, FilterVertex};
use crate::detect::nearby_triangles::NearbyTriangles;
use crate::detect::{Exit, edges};
use crate::id::VertexId;
use crate::math::{Vec3, Vec4};

/// Rounding of a sum of six products of three differences, relative to the largest product.
///
/// Each difference, product and sum adds at most 2⁻⁵³; [Shewchuk97 §4.3] has 7.77e-16 for
/// the sum of the six absolute products, which is at most six times the largest.
const ROUNDING: f64 = 6.0 * 8e-16;

/// Widening of clipped edges, relative to the largest coordinate and the longest edge.
///
/// A wall of the box is off by 2u, u = 2⁻²⁴, as it bounds rounded numbers; the point by u,
/// their difference by another 2u, an edge and a quotient by u each, and the end of the
/// edge, again a rounded number, by 4u: less than 16u in all.
const CLIP_MARGIN: f32 = 8.0 * f32::EPSILON;

/// An edge without an exit.
const NO_EXIT: Exit =
    Exit { t: f64::INFINITY, position: Vec3::ZERO, triangle: u32::MAX, weights: [0.0; 3] };

/// The edges from a colliding vertex to free ones, and the best exit of each so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct VertexEdges {
    /// The colliding vertex, world space, m.
    inner: Vec3,
    /// The same as filters see it: scaled, from their origin, rounded.
    tip: FilterVertex,
    /// What filters scale lengths by; a power of two.
    scale: f64,
    /// Free ends, world space, m.
    free: Vec<Vec3>,
    /// The edges, rounded, in the order of `free`.
    edges: Vec<Edge>,
    /// Largest coordinate of any edge, m, rounded up.
    longest: f32,
    /// Nearest exit to each free end so far, or [`NO_EXIT`].
    exits: Vec<Exit>,
    /// Corners of the triangle of each exit.
    corners: Vec<[VertexId; 3]>,
    /// Edge and triangle that may meet; the number in use is kept elsewhere.
    survivors: Vec<(u32, u32)>,
}

impl VertexEdges {
    /// Starts a vertex without edges; `place` is `inner`, scaled by `scale` and rounded.
    #[inline]
    pub(crate) fn start(&mut self, inner: Vec3, place: Vec4, scale: f64) {
        self.inner = inner;
        self.scale = scale;
        self.tip = FilterVertex::new(place);
        self.free.clear();
        self.edges.clear();
        self.exits.clear();
        self.corners.clear();
        self.longest = 0.0;
    }

    /// Adds an edge to a free vertex.
    #[inline]
    pub(crate) fn push(&mut self, free: Vec3) {
        let edge = Edge::new(self.scale * (free - self.inner));
        let most = edge.along.abs().max_element() * (1.0 + f32::EPSILON);
        self.longest = if most > self.longest { most } else { self.longest };
        self.free.push(free);
        self.edges.push(edge);
        self.exits.push(NO_EXIT);
        self.corners.push([VertexId(0); 3]);
    }

    /// Number of edges.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.free.len()
    }

    /// Whether no edge leaves the vertex.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.free.is_empty()
    }

    /// The exits found and the corners of their triangles, in the order of the edges.
    #[inline]
    pub(crate) fn exits(&self) -> impl Iterator<Item = (&Exit, [VertexId; 3])> {
        let all = self.exits.iter().zip(self.corners.iter().copied());
        all.filter(|(exit, _)| exit.triangle != NO_EXIT.triangle)
    }

    /// The box of all edges, as far as they run inside `overlap`.
    ///
    /// Exits lie in `overlap`, and so does the vertex.
    #[inline]
    pub(crate) fn clipped(&self, overlap: Bounds) -> Bounds {
        let inner = self.tip.place;
        let margin = Vec4::splat(CLIP_MARGIN * (overlap.reach() + self.longest));
        let (ahead, behind) = (overlap.high - inner + margin, inner - overlap.low + margin);
        let mut bounds = Bounds { low: inner, high: inner };
        for Edge { along, .. } in &self.edges {
            let room = Vec4::select(along.cmpge(Vec4::ZERO), ahead, behind);
            // Along an axis on which the edge does not move this is ∞, or NaN, which loses.
            let shares = room / along.abs();
            let share = Vec4::select(shares.cmplt(Vec4::ONE), shares, Vec4::ONE).min_element();
            bounds = bounds.with(inner + share * *along);
        }
        Bounds { low: bounds.low - margin, high: bounds.high + margin }.intersection(overlap)
    }

    /// Tries triangles of a list, by their places, on all edges.
    ///
    /// No coordinate of them or of the vertex may be more than `far` from the origin, m.
    #[inline]
    pub(crate) fn cross(
        &mut self,
        list: &NearbyTriangles,
        places: &[u32],
        far: f32,
        positions: &[Vec3],
    ) {
        let VertexEdges { inner, tip, free, edges, longest, exits, corners, survivors, .. } = self;
        if survivors.len() < places.len() * edges.len() {
            survivors.resize(places.len() * edges.len(), (0, 0));
        }
        let mut count = 0;
        for &place in places {
            let cone = Cone::new(tip, &list.triangle(place).facet, *longest, far);
            for (spoke, edge) in edges.iter().enumerate() {
                // Written first and then kept or not: a branch could not be predicted.
                survivors[count] = (spoke as u32, place);
                count += usize::from(!cone.is_missed_by(edge));
            }
        }
        for &(spoke, place) in &survivors[..count] {
            let (spoke, triangle) = (spoke as usize, list.triangle(place));
            let [a, b, c] = triangle.corners;
            let ends = [positions[a.index()], positions[b.index()], positions[c.index()]];
            let best = &mut exits[spoke];
            if let Some(exit) = exit(free[spoke], *inner, ends, triangle.id.0)
                && (best.triangle == NO_EXIT.triangle || edges::is_nearer(&exit, best))
            {
                *best = exit;
                corners[spoke] = triangle.corners;
            }
        }
    }
}

/// Where the edge from `inner` to `free` meets a triangle, as by [`edges::exit`].
#[inline]
fn exit(free: Vec3, inner: Vec3, [v0, v1, v2]: [Vec3; 3], triangle: u32) -> Option<Exit> {
    let (a, b, c) = (v0 - inner, v1 - inner, v2 - inner);
    let along = free - inner;
    let (bc, ca, ab) = (b.cross(c), c.cross(a), a.cross(b));
    let reach = a.dot(bc);
    // Turned so that edges that pass inside have positive products with all three.
    let sign = if reach < 0.0 { -1.0 } else { 1.0 };
    let reach = sign * reach;
    let (first, second, third) =
        ((sign * bc).dot(along), (sign * ca).dot(along), (sign * ab).dot(along));
    let length = first + second + third;
    let size = a.abs().max(b.abs()).max(c.abs()).max_element();
    let doubt_each = ROUNDING * size * size;
    let doubt = doubt_each * along.abs().max_element();
    let length_doubt = 4.0 * doubt + doubt_each * size;
    let sure = (first > doubt)
        & (second > doubt)
        & (third > doubt)
        & (length - reach > length_doubt)
        & (reach > length_doubt);
    if !sure {
        return edges::exit(free, inner, [v0, v1, v2], triangle);
    }
    let per_length = 1.0 / length;
    let share = reach * per_length;
    let weights = [first * per_length, second * per_length, third * per_length];
    Some(Exit { t: 1.0 - share, position: inner + share * along, triangle, weights })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::boxes::rounded;
    use crate::detect::edge_filter::FilterTriangle;
    use crate::detect::nearby_triangles::Triangle;
    use crate::id::TriangleId;
    use crate::math::random::Random;

    #[test]
    fn a_vertex_on_the_surface_is_left_at_once_whichever_way_it_looks() {
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let inner = Vec3::new(0.25, 0.25, 0.0);
        for corners in [corners, [corners[0], corners[2], corners[1]]] {
            for free in [inner + Vec3::Z, inner - Vec3::Z, inner + Vec3::new(1.0, 2.0, -3.0)] {
                let mut fan = VertexEdges::default();
                let [tip, a, b, c] = [inner, corners[0], corners[1], corners[2]].map(rounded);
                let mut list = NearbyTriangles::default();
                let (id, vertices) = (TriangleId(7), [0, 1, 2].map(VertexId));
                let facet = FilterTriangle::new([a, b, c]);
                let around = Bounds::EMPTY.with(a).with(b).with(c);
                list.push(Triangle { id, corners: vertices, facet }, around);
                fan.start(inner, tip, 1.0);
                fan.push(free);
                fan.cross(&list, &[0], 1.0, &corners);
                assert!(fan.exits().all(|(_, corners)| corners == vertices));
                let exits: Vec<_> = fan.exits().map(|(exit, _)| *exit).collect();
                assert_eq!(exits, Vec::from_iter(edges::exit(free, inner, corners, 7)));
                assert!(exits[0].t == 1.0);
            }
        }
    }

    #[test]
    fn exits_lie_in_the_clipped_box() {
        let overlap = Bounds { low: Vec4::new(-1.0, -2.0, -0.5, 0.0), high: Vec4::ONE };
        let mut random = Random::new(1);
        for round in 0..5000 {
            let inner = random.vec3() / 3.0;
            let mut along = 3.0 * random.vec3();
            // Some edges stand still along an axis, or nearly so.
            along.x *= [1.0, 0.0, -0.0, 1e-60][round % 4];
            along.y *= [1.0, 0.0][round / 4 % 2];
            let mut fan = VertexEdges::default();
            fan.start(inner, rounded(inner), 1.0);
            fan.push(inner + along);
            let clipped = fan.clipped(overlap);
            let point = |share: f64| rounded(inner + share * along);
            for share in (0..=64).map(|k| f64::from(k) / 64.0) {
                let kept = !overlap.contains(point(share)) || clipped.contains(point(share));
                assert!(kept, "{inner} {along} {share}");
            }
        }
    }
}
