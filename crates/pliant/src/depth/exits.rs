//! Where penetrating vertices leave: a triangle of the other body, for the reaction.
//!
//! Depth and direction say how a vertex gets out; another engine also needs to know what to push
//! against. A ray from the vertex along its direction leaves the penetrated body through a
//! triangle; the weights of its corners distribute the reaction. This is apart from the depth
//! itself, which costs no more where nobody asks for exits.

use crate::body::Bodies;
use crate::body::surface_point::SurfacePoint;
use crate::depth::{Penetration, Penetrations, Resolved};
use crate::id::{BodyId, TriangleId};
use crate::math::{Aabb, Vec3};
use crate::mesh::bvh::Bvh;
use crate::mesh::closest::closest_point;
use crate::mesh::lazy_bvh::LazyBvh;
use crate::mesh::ray::PreparedRay;
use crate::par;

/// How far behind a vertex its ray starts, over the diagonal of the penetrated body's box.
///
/// A vertex just below a surface may seem to be above it, by rounding, to a ray.
const STARTS_BEHIND: f64 = 1e-14;

/// The exits of all resolved vertices in one call, on one thread.
///
/// See [`ExitSearch::exits`], which keeps its memory for the next step.
pub fn exits(
    positions: &[Vec3],
    bodies: &Bodies,
    penetrations: &Penetrations,
) -> Vec<Option<SurfacePoint>> {
    let mut found = Vec::new();
    ExitSearch::new().exits(positions, bodies, penetrations, &mut found);
    found
}

/// Memory that is kept from step to step: a tree of triangles for each penetrated body.
#[derive(Clone, Debug, Default)]
pub struct ExitSearch {
    /// For each body its triangles, counted within the body.
    trees: Vec<LazyBvh>,
    /// Where the entries of each thread begin.
    offsets: Vec<usize>,
    /// Most threads to use; 0 counts as 1.
    threads: usize,
}

impl ExitSearch {
    /// A search on one thread.
    pub fn new() -> ExitSearch {
        ExitSearch::default()
    }

    /// Sets the number of threads; the result stays the same, bit for bit.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// Fills `found` with the exit of every entry of [`Penetrations::resolved`], in its order.
    ///
    /// The ray from the vertex along its direction leaves each penetrated body through the first
    /// triangle that it meets from within; of several bodies the one it leaves last counts, as
    /// only then the vertex is out. Where the ray meets none (rounding, a surface with gaps), and
    /// where the depth is negative, which leads away from the surface, the triangle nearest to
    /// vertex + depth · direction counts. `None` only for bodies without triangles, which hold
    /// no vertex.
    ///
    /// `penetrations` must belong to these positions and bodies; entries of others are `None`.
    pub fn exits(
        &mut self,
        positions: &[Vec3],
        bodies: &Bodies,
        penetrations: &Penetrations,
        found: &mut Vec<Option<SurfacePoint>>,
    ) {
        self.trees.resize_with(bodies.len(), LazyBvh::default);
        self.trees.iter_mut().for_each(LazyBvh::invalidate);
        let resolved = &penetrations.resolved;
        found.clear();
        found.resize(resolved.len(), None);
        if positions.len() < bodies.vertex_count() {
            return;
        }
        let threads = self.threads.min(resolved.len());
        par::split_evenly(&mut self.offsets, resolved.len(), threads);
        let (trees, offsets) = (&self.trees, &self.offsets);
        let scene = Scene { positions, bodies, trees };
        par::chunks(found, offsets, |chunk, found| {
            for (found, resolved) in found.iter_mut().zip(&resolved[offsets[chunk]..]) {
                *found = scene.exit(resolved, penetrations.bodies(resolved.into));
            }
        });
    }
}

/// What every exit is looked for in.
struct Scene<'a> {
    positions: &'a [Vec3],
    bodies: &'a Bodies,
    trees: &'a [LazyBvh],
}

impl Scene<'_> {
    /// Where one vertex leaves the bodies it is inside of.
    fn exit(&self, resolved: &Resolved, into: &[BodyId]) -> Option<SurfacePoint> {
        let start = *self.positions.get(resolved.vertex.index())?;
        if into.iter().any(|body| body.index() >= self.bodies.len()) {
            return None;
        }
        let Penetration { depth, direction } = resolved.penetration;
        let target = start + depth * direction;
        let on_ray = if depth >= 0.0 { self.along(start, direction, into) } else { None };
        on_ray.or_else(|| self.nearest(target, into))
    }

    /// The last of the triangles through which a ray first leaves each body.
    fn along(&self, start: Vec3, direction: Vec3, into: &[BodyId]) -> Option<SurfacePoint> {
        let mut last: Option<(f64, SurfacePoint)> = None;
        for &body in into {
            let tree = self.tree(body);
            let base = self.bodies.triangles_of(body).start as u32;
            let behind = STARTS_BEHIND * tree.around().size().length();
            let ray = PreparedRay::new(start - behind * direction, direction)?;
            let mut first: Option<(f64, SurfacePoint)> = None;
            tree.along(&ray, f64::MAX, |item| {
                let within = first.map_or(f64::MAX, |first| first.0);
                let triangle = TriangleId(base + item);
                let corners = self.bodies.corners(triangle, self.positions);
                let Some(hit) = ray.meet(corners).filter(|hit| hit.leaves) else { return within };
                // Of two triangles on a common edge the first, whichever was shown first.
                let is_first = first.is_none_or(|(distance, exit)| {
                    (hit.distance, triangle) < (distance, exit.triangle)
                });
                if is_first {
                    let exit = SurfacePoint::new(body, triangle, hit.weights, corners);
                    first = Some((hit.distance, exit));
                }
                within.min(hit.distance)
            });
            if let Some((distance, exit)) = first {
                let distance = distance - behind;
                if last.is_none_or(|last| distance > last.0) {
                    last = Some((distance, exit));
                }
            }
        }
        last.map(|last| last.1)
    }

    /// The triangle nearest to a point.
    fn nearest(&self, point: Vec3, into: &[BodyId]) -> Option<SurfacePoint> {
        let mut best: Option<(f64, BodyId, TriangleId)> = None;
        for &body in into {
            let base = self.bodies.triangles_of(body).start as u32;
            let within = best.map_or(f64::MAX, |best| best.0);
            self.tree(body).near(point, within, |item| {
                let triangle = TriangleId(base + item);
                let at = closest_point(point, self.bodies.corners(triangle, self.positions));
                let distance_sq = at.distance_squared(point);
                let is_better = best
                    .is_none_or(|best| (distance_sq, body, triangle) < (best.0, best.1, best.2));
                if is_better {
                    best = Some((distance_sq, body, triangle));
                }
                best.map_or(f64::MAX, |best| best.0)
            });
        }
        let (_, body, triangle) = best?;
        Some(SurfacePoint::nearest(point, self.positions, self.bodies, (body, triangle)))
    }

    fn tree(&self, body: BodyId) -> &Bvh {
        let triangles = self.bodies.triangles_of(body);
        let corners = |item: u32| {
            self.bodies.corners(TriangleId(triangles.start as u32 + item), self.positions)
        };
        self.trees[body.index()].fitted(triangles.len(), |item| Aabb::around(corners(item)))
    }
}

#[cfg(test)]
mod tests;
