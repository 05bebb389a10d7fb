//! How deep two bodies overlap, measured for a report.

use crate::math::Vec3;
use crate::mesh::closest::closest_point;
use crate::par;
use crate::separate::axis::PairView;
use crate::separate::judge::{self, Judged, Scene, Standing};
use crate::separate::shape::{Placed, Shape};

/// Parts into which pairs are divided among threads; the result does not depend on it.
const CHUNKS: usize = 64;

/// Depth of vertices, in sizes of the smaller body, below which they do not show how deep a pair is.
const SHALLOW: f64 = 1e-3;

/// Kinds of overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverlapKind {
    /// The surfaces cross or touch.
    Crossing,
    /// One is inside the other, and the surfaces do not meet.
    Nested,
    /// They are apart, but nearer than asked for.
    Near,
    /// They are apart, but one was inside the other and was to stay there.
    Escaped,
}

impl OverlapKind {
    /// The stable name, on which other programs may rely.
    pub fn name(self) -> &'static str {
        match self {
            OverlapKind::Crossing => "crossing",
            OverlapKind::Nested => "nested",
            OverlapKind::Near => "near",
            OverlapKind::Escaped => "escaped",
        }
    }
}

/// Two bodies that overlap, or are nearer than asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// By index, ascending.
    pub bodies: [usize; 2],
    /// See there.
    pub kind: OverlapKind,
    /// Vertices of the surface of either that are inside the other.
    pub vertices_inside: usize,
    /// Largest distance of such a vertex to the surface that it is behind, m; where that is next to
    /// nothing, as of bars that cross and of exact copies, the shortest translation found that
    /// takes the pair apart.
    pub depth: f64,
    /// Distance of the surfaces, m; 0 where they overlap.
    pub distance: f64,
}

/// All pairs that overlap or are nearer than a gap, m, ascending, with their depths.
pub(crate) fn measured(scene: Scene<'_>, gap: f64) -> Vec<Overlap> {
    let judged = scene.judge(gap);
    let measure = |judged: &Judged| Overlap {
        bodies: judged.pair,
        kind: match judged.standing {
            Standing::Near(_) | Standing::Apart => OverlapKind::Near,
            Standing::Crossing => OverlapKind::Crossing,
            Standing::FirstInside | Standing::SecondInside => OverlapKind::Nested,
            Standing::Escaped => OverlapKind::Escaped,
        },
        vertices_inside: 0,
        depth: 0.0,
        distance: match judged.standing {
            Standing::Near(nearest) => nearest.distance_sq.sqrt(),
            Standing::Escaped => {
                let [a, b] = judged.pair.map(|body| &scene.placed[body]);
                judge::distance(a, b)
            }
            _ => 0.0,
        },
    };
    let mut found: Vec<Overlap> = judged.iter().map(measure).collect();
    let offsets = par::even_offsets(found.len(), CHUNKS);
    par::chunks(&mut found, &offsets, |_, chunk| {
        let is_deep = |overlap: &&mut Overlap| {
            matches!(overlap.kind, OverlapKind::Crossing | OverlapKind::Nested)
        };
        for overlap in chunk.iter_mut().filter(is_deep) {
            let [a, b] = overlap.bodies;
            let size = scene.shapes[a].size.min(scene.shapes[b].size);
            for [inner, outer] in [[a, b], [b, a]] {
                let (shape, at) = (&scene.shapes[inner], &scene.placed[inner]);
                let (inside, depth) = depth(shape, at, &scene.placed[outer]);
                overlap.vertices_inside += inside;
                overlap.depth = overlap.depth.max(depth);
            }
            if overlap.depth < SHALLOW * size {
                overlap.depth = overlap.depth.max(least_translation(scene, overlap.bodies));
            }
        }
    });
    found
}

/// The shortest translation found that takes two bodies apart which overlap, m.
fn least_translation(scene: Scene<'_>, pair: [usize; 2]) -> f64 {
    let view = PairView {
        shapes: pair.map(|body| &scene.shapes[body]),
        placed: pair.map(|body| &scene.placed[body]),
        clearance: 0.0,
    };
    // Of what only touches a translation may know nothing; a plane between them does.
    view.thinnest_slab().distance.max(0.0).min(view.shortest(&[]).distance)
}

/// Number of surface vertices of one body inside another, and how deep the deepest is, m.
fn depth(shape: &Shape, inner: &Placed, outer: &Placed) -> (usize, f64) {
    let (mut inside, mut deepest_sq) = (0, 0.0_f64);
    let points = shape.vertices.iter().map(|v| inner.positions[v.index()]);
    for point in points.filter(|point| outer.winding(*point) > 0) {
        inside += 1;
        deepest_sq = deepest_sq.max(distance_sq(point, outer, deepest_sq));
    }
    (inside, deepest_sq.sqrt())
}

/// Square of the distance to a surface, m², or anything up to `least_sq`.
fn distance_sq(point: Vec3, surface: &Placed, least_sq: f64) -> f64 {
    let mut nearest_sq = f64::INFINITY;
    surface.tree.near(point, nearest_sq, |k| {
        let on_face = closest_point(point, surface.faces[k as usize]);
        nearest_sq = nearest_sq.min(on_face.distance_squared(point));
        // A negative distance ends the search.
        if nearest_sq > least_sq { nearest_sq } else { -1.0 }
    });
    nearest_sq
}
