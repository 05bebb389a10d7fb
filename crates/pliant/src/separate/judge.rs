//! How two bodies stand to each other, decided exactly: crossing, nested, near or apart.
//!
//! Shares no code with the search for exit directions, so that a mistake there cannot hide itself here.
//! Surfaces cross where an edge of one meets a triangle of the other, by exact signs, touching
//! included; where none does, a body is inside another if the other winds around one of its
//! vertices. Distances are those of triangles, up to rounding.

use std::cell::Cell;

use crate::math::{Aabb, Vec3};
use crate::mesh::bvh::Bvh;
use crate::mesh::intersect::segment_meets_triangle;
use crate::par;
use crate::separate::shape::{Placed, Shape, enlarged};
use crate::separate::triangles::{Nearest, nearest};

/// Parts into which pairs are divided among threads; the result does not depend on it.
const CHUNKS: usize = 64;

/// How two bodies stand to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Standing {
    /// Farther apart than asked for, or nested and meant to be.
    Apart,
    /// Apart, but nearer than asked for.
    Near(Nearest),
    /// An edge of one meets a face of the other; touching counts.
    Crossing,
    /// The first is inside the second, or a component of it is, and the surfaces do not meet.
    FirstInside,
    /// The same the other way round.
    SecondInside,
    /// Neither is inside the other any more, and one was meant to stay there.
    Escaped,
}

/// A pair of bodies by index, ascending, and how it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Judged {
    /// Ascending.
    pub pair: [usize; 2],
    /// See there.
    pub standing: Standing,
}

/// Bodies as the judge sees them.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    /// What each body is.
    pub shapes: &'a [Shape],
    /// Where it is.
    pub placed: &'a [Placed],
    /// Pairs that are nested on purpose, ascending.
    pub nested: &'a [[usize; 2]],
}

impl Scene<'_> {
    /// All pairs that overlap or are nearer than `gap`, m, ascending.
    ///
    /// The reach of what is placed must be at least half of it.
    pub(crate) fn judge(self, gap: f64) -> Vec<Judged> {
        let mut pairs = self.pairs(gap);
        if !self.nested.is_empty() {
            // What has left the body that it was in may be far from it.
            pairs.extend(self.nested);
            pairs.sort_unstable();
            pairs.dedup();
        }
        let nothing = Judged { pair: [0; 2], standing: Standing::Apart };
        let mut judged = vec![nothing; pairs.len()];
        let offsets = par::even_offsets(pairs.len(), CHUNKS);
        par::chunks(&mut judged, &offsets, |number, chunk| {
            for (entry, pair) in chunk.iter_mut().zip(&pairs[offsets[number]..]) {
                *entry = Judged { pair: *pair, standing: self.standing(*pair, gap) };
            }
        });
        judged.retain(|judged| judged.standing != Standing::Apart);
        judged
    }

    /// Pairs whose boxes are nearer than `gap`, m, ascending.
    pub(crate) fn pairs(self, gap: f64) -> Vec<[usize; 2]> {
        let boxes: Vec<Aabb> = self.placed.iter().map(|body| body.around).collect();
        let tree = Bvh::new(&boxes);
        let mut pairs = Vec::new();
        for (a, around) in boxes.iter().enumerate() {
            tree.meeting(enlarged(*around, gap), |b| {
                if a < b as usize {
                    pairs.push([a, b as usize]);
                }
                true
            });
        }
        pairs.sort_unstable();
        pairs
    }

    /// How a pair stands, where nearer than `gap`, m, is near.
    pub(crate) fn standing(self, pair: [usize; 2], gap: f64) -> Standing {
        let [a, b] = pair.map(|body| &self.placed[body]);
        if surfaces_meet(a, b) {
            return Standing::Crossing;
        }
        let is_kept = self.nested.binary_search(&pair).is_ok();
        let inside = match (self.is_inside(pair[0], pair[1]), self.is_inside(pair[1], pair[0])) {
            (true, _) => Some(Standing::FirstInside),
            (false, true) => Some(Standing::SecondInside),
            (false, false) => None,
        };
        match (inside, is_kept) {
            (Some(inside), false) => return inside,
            (None, true) => return Standing::Escaped,
            (Some(_), true) | (None, false) => {}
        }
        match nearest_within(a, b, gap) {
            Some(nearest) => Standing::Near(nearest),
            None => Standing::Apart,
        }
    }

    /// Whether a component of one body is inside another whose surface it does not meet.
    fn is_inside(self, inner: usize, outer: usize) -> bool {
        let positions = &self.placed[inner].positions;
        let components = self.shapes[inner].components.iter();
        components.map(|v| positions[v.index()]).any(|p| self.placed[outer].winding(p) > 0)
    }
}

/// Distance of two surfaces that do not meet, m.
pub(crate) fn distance(a: &Placed, b: &Placed) -> f64 {
    let nearest_sq = Cell::new(f64::INFINITY);
    let enlarged_by = a.reach + b.reach;
    a.tree.pairs_where(
        &b.tree,
        |of_a, of_b| box_distance_sq(of_a, of_b, enlarged_by) < nearest_sq.get(),
        |i, j| {
            let found = nearest(a.faces[i as usize], b.faces[j as usize]);
            nearest_sq.set(nearest_sq.get().min(found.distance_sq));
        },
    );
    nearest_sq.get().sqrt()
}

/// Whether an edge of one surface meets a triangle of the other, exactly.
fn surfaces_meet(a: &Placed, b: &Placed) -> bool {
    let found = Cell::new(false);
    a.tree.meeting_pairs(
        &b.tree,
        |_, _| !found.get(),
        |i, j| {
            let (face, other) = (a.faces[i as usize], b.faces[j as usize]);
            if !found.get() && Aabb::around(face).meets(Aabb::around(other)) {
                found.set(triangles_meet(face, other));
            }
        },
    );
    found.get()
}

/// Whether two triangles share a point, exactly.
pub(crate) fn triangles_meet(a: [Vec3; 3], b: [Vec3; 3]) -> bool {
    let edges = |t: [Vec3; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    edges(a).into_iter().any(|edge| segment_meets_triangle(edge, b))
        || edges(b).into_iter().any(|edge| segment_meets_triangle(edge, a))
}

/// The nearest points of two surfaces that do not meet, if nearer than `gap`, m.
fn nearest_within(a: &Placed, b: &Placed, gap: f64) -> Option<Nearest> {
    let best_sq = Cell::new(gap * gap);
    let mut best = None;
    let enlarged_by = a.reach + b.reach;
    a.tree.meeting_pairs(
        &b.tree,
        |of_a, of_b| box_distance_sq(of_a, of_b, enlarged_by) < best_sq.get(),
        |i, j| {
            let found = nearest(a.faces[i as usize], b.faces[j as usize]);
            if found.distance_sq < best_sq.get() {
                best_sq.set(found.distance_sq);
                best = Some(found);
            }
        },
    );
    best
}

/// A square of a distance that boxes which were enlarged, m in sum, have at least, m².
fn box_distance_sq(a: Aabb, b: Aabb, enlarged_by: f64) -> f64 {
    let apart = (a.min - b.max).max(b.min - a.max) + Vec3::splat(enlarged_by);
    // Rounding of the enlargement is far below this.
    let apart = (apart * (1.0 - 1e-9)).max(Vec3::ZERO);
    apart.length_squared()
}
