//! Colliding vertices, their ways out, and the contact triangles on those ways.
//!
//! Stages 1 and 2 of [Spillmann05 §4.1–4.2]; depths come from [`pliant::depth`].
//!
//! | here      | paper   | meaning                                                    |
//! |-----------|---------|------------------------------------------------------------|
//! | `vertex`  | xᵢ      | colliding vertex                                           |
//! | `way`     | dᵢ      | depth times direction, m                                   |
//! | `corners` | x, y, z | contact triangle                                           |
//! | `weights` | wᵢ      | weight of xᵢ with respect to each corner                   |

use crate::surface::{Corrections, Form};
use pliant::body::Bodies;
use pliant::contact::near::ClosestPoint;
use pliant::contact::shape::Facets;
use pliant::contact::{Contact, inside};
use pliant::depth::fused::Scratch;
use pliant::depth::{DepthSettings, Penetrations};
use pliant::id::{BodyId, MismatchError, VertexId};
use pliant::math::{Aabb, Vec3};

/// A colliding vertex and the triangle that it must pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceContact {
    /// The vertex.
    pub vertex: VertexId,
    /// Its body.
    pub own: BodyId,
    /// The body that it is in.
    pub other: BodyId,
    /// The way out of it, m; its length is the depth, 0 for a vertex that is only near.
    pub way: Vec3,
    /// Unit, along the way.
    pub direction: Vec3,
    /// Way to the surface of a vertex outside it, m; 0 inside.
    pub gap: f64,
    /// Contact triangle.
    pub corners: [VertexId; 3],
    /// With respect to each corner, not negative; corrected they sum to 1.
    pub weights: [f64; 3],
}

/// Finds all colliding vertices of a step; keeps its memory.
#[derive(Debug)]
pub struct Touches {
    scratch: Scratch,
    penetrations: Penetrations,
    /// Triangles of each body.
    facets: Vec<Facets>,
    /// Box of each body, m, once it is fitted.
    boxes: Vec<Aabb>,
    /// Which of both fit the positions of this step.
    fitted: Vec<bool>,
    /// Ascending by vertex, then by body.
    list: Vec<SurfaceContact>,
    /// Number of surface vertices inside bodies without a known way out.
    unresolved: usize,
}

impl Touches {
    /// Prepares for a scene.
    pub fn new(rest: &[Vec3], bodies: &Bodies) -> Result<Touches, MismatchError> {
        Ok(Touches {
            scratch: Scratch::new(rest, bodies)?,
            penetrations: Penetrations::default(),
            facets: bodies.ids().map(|body| Facets::new(rest, bodies, body)).collect(),
            boxes: vec![Aabb::EMPTY; bodies.len()],
            fitted: vec![false; bodies.len()],
            list: Vec::new(),
            unresolved: 0,
        })
    }

    /// Colliding vertices, ascending by vertex, then by body.
    pub fn list(&self) -> &[SurfaceContact] {
        &self.list
    }

    /// Number of vertices inside bodies without a known way out.
    pub fn unresolved(&self) -> usize {
        self.unresolved
    }

    /// Sets the number of threads; results stay bitwise the same.
    pub fn set_threads(&mut self, threads: usize) {
        self.scratch.set_threads(threads);
    }

    /// Finds all colliding vertices whose depth is positive.
    ///
    /// Of a vertex inside several bodies there is one entry for each.
    ///
    /// - Implements: [Spillmann05 §4.2].
    /// - Deviates: the triangle is sought along the whole ray, as the depth often ends before
    ///   the surface (erratum S11); where the ray meets none, as can be where tets are
    ///   inverted, the nearest triangle counts.
    pub fn find(
        &mut self,
        positions: &[Vec3],
        bodies: &Bodies,
        settings: DepthSettings,
        corrections: Corrections,
    ) -> Result<(), MismatchError> {
        self.scratch.penetrations(positions, bodies, settings, &mut self.penetrations)?;
        self.list.clear();
        self.fitted.fill(false);
        self.unresolved = self.penetrations.unresolved.len();
        for k in 0..self.penetrations.resolved.len() {
            let entry = self.penetrations.resolved[k];
            let (vertex, penetration) = (entry.vertex, entry.penetration);
            let inner = bodies.triangles_around().row(vertex.index()).is_empty();
            if penetration.depth <= 0.0 || (inner && corrections.inner == Form::Corrected) {
                continue;
            }
            let (point, own) = (positions[vertex.index()], bodies.body_of(vertex));
            for place in entry.into.start..entry.into.end {
                let other = self.penetrations.bodies[place as usize];
                self.fit(positions, bodies, other);
                let (facets, space) = (&self.facets[other.index()], self.boxes[other.index()]);
                let closest_point = inside::exit(point, penetration, facets, space)
                    .or_else(|| inside::nearest(point, penetration, facets));
                let Some(ClosestPoint { triangle, shares, .. }) = closest_point else {
                    self.unresolved += 1;
                    continue;
                };
                let corners = bodies.triangles()[triangle.index()];
                let weights = match corrections.weights {
                    Form::Corrected => shares,
                    Form::Printed => printed(point, corners.map(|v| positions[v.index()])),
                };
                let (direction, gap) = (penetration.direction, 0.0);
                let way = penetration.depth * direction;
                let touch =
                    SurfaceContact { vertex, own, other, way, direction, gap, corners, weights };
                self.list.push(touch);
            }
        }
        Ok(())
    }

    /// Adds vertices that are near and outside, with depth 0.
    ///
    /// Each is a vertex against a triangle of another body.
    pub fn add_near(&mut self, near: &[Contact]) {
        let inside = self.list.len();
        for row in near {
            let (own, Some(other)) = row.bodies else { continue };
            let [vertex, a, b, c] = row.vertices;
            let key = |touch: &SurfaceContact| (touch.vertex, touch.other);
            if self.list[..inside].binary_search_by_key(&(vertex, other), key).is_ok() {
                continue;
            }
            let [_, wa, wb, wc] = row.weights;
            self.list.push(SurfaceContact {
                vertex,
                own,
                other,
                way: Vec3::ZERO,
                direction: row.normal,
                gap: row.gap,
                corners: [a, b, c],
                weights: [-wa, -wb, -wc],
            });
        }
        self.list.sort_unstable_by_key(|touch| (touch.vertex, touch.other));
    }

    /// Makes the tree of a body fit, once a step.
    fn fit(&mut self, positions: &[Vec3], bodies: &Bodies, body: BodyId) {
        let index = body.index();
        if !self.fitted[index] {
            self.fitted[index] = true;
            self.boxes[index] = Aabb::around(positions[bodies.vertices(body)].iter().copied());
            self.facets[index].fit(positions, bodies);
        }
    }
}

/// Areas of the triangles of a point and two corners, over that of the triangle.
///
/// All 0 for a triangle without area.
///
/// - Implements: [Spillmann05 fig. 3].
/// - Erratum: off the plane of the triangle these are no barycentric weights: see
///   `printed_weights_grow_with_the_distance`.
fn printed(point: Vec3, [a, b, c]: [Vec3; 3]) -> [f64; 3] {
    let whole = (b - a).cross(c - a).length();
    let part = |u: Vec3, v: Vec3| (u - point).cross(v - point).length() / whole;
    if whole > 0.0 { [part(b, c), part(c, a), part(a, b)] } else { [0.0; 3] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_weights_grow_with_the_distance() {
        // An equilateral triangle of edge 1 m, seen from above its centre: the three triangles
        // have heights √(1/12 + z²) over the same edges, the whole has √3/2.
        let corners = [0.0, 1.0, 2.0].map(|k: f64| {
            let angle = k * std::f64::consts::TAU / 3.0;
            Vec3::new(libm::cos(angle), libm::sin(angle), 0.0) / 3_f64.sqrt()
        });
        for z in [0.0, 0.1, 0.3, 1.0] {
            let expected = 3.0 * (1.0_f64 / 12.0 + z * z).sqrt() / (3_f64.sqrt() / 2.0);
            let sum: f64 = printed(z * Vec3::Z, corners).iter().sum();
            assert!((sum - expected).abs() < 1e-14, "{sum} {expected}");
        }
        assert_eq!(printed(Vec3::Z, [Vec3::X; 3]), [0.0; 3]);
    }
}
