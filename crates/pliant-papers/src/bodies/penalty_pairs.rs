//! Which vertices are pushed where, and which surface points bear the reaction.
//!
//! The reaction acts where the way out leaves the surface. Both forces then lie on one line:
//! momentum is kept, and pushes along the way out turn nothing.
//!
//! Of a vertex inside several bodies at once, with one direction for all of them
//! ([`Scope::Scene`]), each body bears in proportion to the way that the ray goes before it
//! leaves it. The surface that is left last is the one that gave the direction; and a body
//! that is all but left bears all but nothing, so that nothing jumps when it is.

use crate::bodies::Kind;
use pliant::body::Bodies;
use pliant::contact::inside;
use pliant::contact::near::{ClosestPoint, shares};
use pliant::contact::shape::Facets;
use pliant::depth::fused::Scratch;
use pliant::depth::nearest::{Closest, Nearest};
use pliant::depth::{DepthSettings, Penetration, Penetrations, Resolved, Scope, Span};
use pliant::detect::Overlaps;
use pliant::id::{BodyId, MismatchError, VertexId};
use pliant::math::{Aabb, Vec3};

/// A vertex that is pushed, and what it is pushed from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenaltyForce {
    /// The vertex.
    pub vertex: VertexId,
    /// How far and which way.
    pub penetration: Penetration,
    /// What bears the reaction: see [`PenaltyForces::terms`].
    pub onto: Span,
}

/// All penalty forces of a step.
#[derive(Clone, Debug, Default)]
pub struct PenaltyForces {
    /// Ascending by vertex, then by body; depths are positive.
    pub list: Vec<PenaltyForce>,
    /// Number of vertices inside bodies without a known way out.
    pub unresolved: usize,
    /// Vertices of surfaces with their shares, which sum to 1 for each push.
    terms: Vec<(VertexId, f64)>,
}

impl PenaltyForces {
    /// Vertices that bear the reaction of a push, with their shares, which sum to 1.
    #[inline]
    pub fn terms(&self, push: &PenaltyForce) -> &[(VertexId, f64)] {
        &self.terms[push.onto.start as usize..push.onto.end as usize]
    }

    fn clear(&mut self) {
        self.list.clear();
        self.terms.clear();
        self.unresolved = 0;
    }

    /// Adds a share of a surface point to the push that is being made.
    fn bear(&mut self, bodies: &Bodies, closest_point: &ClosestPoint, share: f64) {
        let corners = bodies.triangles()[closest_point.triangle.index()].into_iter();
        self.terms.extend(corners.zip(closest_point.shares).map(|(v, part)| (v, share * part)));
    }

    /// Ends the push whose terms begin at `start`.
    fn close(&mut self, vertex: VertexId, penetration: Penetration, start: usize) {
        let onto = Span { start: start as u32, end: self.terms.len() as u32 };
        self.list.push(PenaltyForce { vertex, penetration, onto });
    }
}

/// Finds penalty forces; keeps its memory.
#[derive(Debug)]
pub enum Ways {
    /// By consistent depth.
    Consistent {
        /// What was found last.
        penetrations: Penetrations,
        /// For the rays.
        surfaces: Surfaces,
        /// Exits of one vertex.
        feet: Vec<ClosestPoint>,
    },
    /// By the nearest point.
    Closest {
        /// Trees and what was nearest.
        nearest: Nearest,
        /// Vertices inside.
        overlaps: Overlaps,
        /// The same with one body each.
        pairs: Overlaps,
        /// What was found last.
        found: Vec<Closest>,
        /// Row and body of each entry of `pairs`.
        rows: Vec<(u32, BodyId)>,
    },
}

impl Ways {
    /// Prepares for a scene.
    pub fn new(kind: Kind, rest: &[Vec3], bodies: &Bodies) -> Result<Ways, MismatchError> {
        Ok(match kind {
            Kind::Consistent => Ways::Consistent {
                penetrations: Penetrations::default(),
                surfaces: Surfaces::new(rest, bodies),
                feet: Vec::new(),
            },
            Kind::Closest => Ways::Closest {
                nearest: Nearest::new(rest, bodies)?,
                overlaps: Overlaps::default(),
                pairs: Overlaps::default(),
                found: Vec::new(),
                rows: Vec::new(),
            },
        })
    }

    /// Fills `pushes` with all vertices inside other bodies whose depth is positive.
    pub fn find(
        &mut self,
        positions: &[Vec3],
        bodies: &Bodies,
        settings: DepthSettings,
        scratch: &mut Scratch,
        pushes: &mut PenaltyForces,
    ) -> Result<(), MismatchError> {
        pushes.clear();
        match self {
            Ways::Consistent { penetrations, surfaces, feet } => {
                scratch.penetrations(positions, bodies, settings, penetrations)?;
                pushes.unresolved = penetrations.unresolved.len();
                surfaces.start();
                for entry in
                    penetrations.resolved.iter().filter(|entry| entry.penetration.depth > 0.0)
                {
                    let into = penetrations.bodies(entry.into);
                    surfaces.exits(positions, bodies, entry, into, feet);
                    share_out(bodies, entry.vertex, entry.penetration, feet, pushes);
                }
            }
            Ways::Closest { nearest, overlaps, pairs, found, rows } => {
                scratch.overlaps(positions, bodies, overlaps)?;
                let asked = match settings.scope {
                    Scope::Scene => &*overlaps,
                    Scope::Pairs => one_by_one(overlaps, pairs, rows),
                };
                nearest.penetrations(positions, bodies, asked, found)?;
                pushes.unresolved = asked.vertices.len() - found.len();
                for &Closest { vertex, triangle, penetration } in found.iter() {
                    if penetration.depth > 0.0 {
                        let at =
                            positions[vertex.index()] + penetration.depth * penetration.direction;
                        let corners = bodies.triangles()[triangle.index()];
                        let shares = shares(at, corners.map(|v| positions[v.index()]));
                        let (normal, gap) = (penetration.direction, -penetration.depth);
                        let closest_point = ClosestPoint { triangle, shares, normal, gap };
                        share_out(bodies, vertex, penetration, &[closest_point], pushes);
                    }
                }
            }
        }
        Ok(())
    }
}

/// One push, borne by surfaces in proportion to the way until each is left.
fn share_out(
    bodies: &Bodies,
    vertex: VertexId,
    penetration: Penetration,
    feet: &[ClosestPoint],
    pushes: &mut PenaltyForces,
) {
    if feet.is_empty() {
        pushes.unresolved += 1;
        return;
    }
    let start = pushes.terms.len();
    let whole: f64 = feet.iter().map(|closest_point| -closest_point.gap).sum();
    for closest_point in feet {
        // On several surfaces at once they bear alike.
        let share = if whole > 0.0 { -closest_point.gap / whole } else { 1.0 / feet.len() as f64 };
        pushes.bear(bodies, closest_point, share);
    }
    pushes.close(vertex, penetration, start);
}

/// Fills `pairs` with one entry for each pair of a vertex and a body.
fn one_by_one<'a>(
    overlaps: &Overlaps,
    pairs: &'a mut Overlaps,
    rows: &mut Vec<(u32, BodyId)>,
) -> &'a Overlaps {
    pairs.vertices.clear();
    rows.clear();
    for (&vertex, into) in overlaps.vertices.iter().zip(overlaps.into.iter()) {
        for &body in into {
            rows.push((rows.len() as u32, body));
            pairs.vertices.push(vertex);
        }
    }
    pairs.into.refill(rows.len(), rows);
    pairs
}

/// Surfaces with trees that are fitted on demand.
#[derive(Clone, Debug)]
pub struct Surfaces {
    /// Triangles of each body.
    facets: Vec<Facets>,
    /// Box of each body, m, once it is fitted.
    boxes: Vec<Aabb>,
    /// Which of both fit the positions of this step.
    fitted: Vec<bool>,
}

impl Surfaces {
    fn new(rest: &[Vec3], bodies: &Bodies) -> Surfaces {
        Surfaces {
            facets: bodies.ids().map(|body| Facets::new(rest, bodies, body)).collect(),
            boxes: vec![Aabb::EMPTY; bodies.len()],
            fitted: vec![false; bodies.len()],
        }
    }

    fn start(&mut self) {
        self.fitted.fill(false);
    }

    /// Fills `feet` with where the way out leaves each body, or the nearest point of it.
    ///
    /// A way hits nothing where tets are inverted, or by rounding; there the reaction is off
    /// the line of force and turns by as much.
    fn exits(
        &mut self,
        positions: &[Vec3],
        bodies: &Bodies,
        &Resolved { vertex, penetration, .. }: &Resolved,
        into: &[BodyId],
        feet: &mut Vec<ClosestPoint>,
    ) {
        feet.clear();
        let point = positions[vertex.index()];
        for &body in into {
            self.fit(positions, bodies, body);
            let (facets, space) = (&self.facets[body.index()], self.boxes[body.index()]);
            let closest_point = inside::exit(point, penetration, facets, space)
                .or_else(|| inside::nearest(point, penetration, facets));
            feet.extend(closest_point);
        }
    }

    /// Makes the tree of a body fit, once a step.
    fn fit(&mut self, positions: &[Vec3], bodies: &Bodies, body: BodyId) {
        let index = body.index();
        if self.fitted[index] {
            return;
        }
        self.fitted[index] = true;
        self.boxes[index] = Aabb::around(positions[bodies.vertices(body)].iter().copied());
        self.facets[index].fit(positions, bodies);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::mesh::normals::Normals;

    const TET: [VertexId; 4] = [VertexId(0), VertexId(2), VertexId(1), VertexId(3)];
    /// Depths are below one.
    const TOLERANCE: f64 = 1e-14;

    /// Share of each body in the reaction of a tip at z = −0.25 m inside two others.
    ///
    /// The tops of the others are at these heights; the tip's body has this number.
    fn shares_of(tops: [f64; 2], tip: usize) -> [f64; 2] {
        let lower = [[-1.0, -1.0, 0.0], [4.0, -1.0, 0.0], [-1.0, 4.0, 0.0], [0.0, 0.0, -5.0]];
        let upper = [[0.0, 0.0, 2.0], [0.0, 3.0, 2.0], [3.0, 0.0, 2.0], [0.75, 0.75, -0.25]];
        let at = |top: f64| lower.map(|p| Vec3::from(p) + top * Vec3::Z);
        let mut tets: Vec<_> = tops.into_iter().map(at).collect();
        tets.insert(tip, upper.map(Vec3::from));
        let positions = tets.concat();
        let bodies = Bodies::from_tets(&[(4, &[TET]), (4, &[TET]), (4, &[TET])]).unwrap();
        let settings = DepthSettings { normals: Normals::Face, ..DepthSettings::default() };
        let mut pushes = PenaltyForces::default();
        let mut search = Ways::new(Kind::Consistent, &positions, &bodies).unwrap();
        let mut scratch = Scratch::new(&positions, &bodies).unwrap();
        search.find(&positions, &bodies, settings, &mut scratch, &mut pushes).unwrap();
        let vertex = VertexId(4 * tip as u32 + 3);
        let push = pushes.list.iter().find(|push| push.vertex == vertex).unwrap();
        assert!(push.penetration.direction.abs_diff_eq(Vec3::Z, TOLERANCE), "{push:?}");
        assert!(
            (push.penetration.depth - tops[0].max(tops[1]) - 0.25).abs() < TOLERANCE,
            "{push:?}"
        );
        let others: Vec<_> = bodies.ids().filter(|body| body.index() != tip).collect();
        let of = |body: BodyId| {
            let terms = pushes.terms(push).iter();
            terms.filter(|(v, _)| bodies.body_of(*v) == body).map(|(_, share)| share).sum()
        };
        [of(others[0]), of(others[1])]
    }

    #[test]
    fn bodies_bear_by_the_way_until_each_is_left() {
        // The ray goes 0.25 m through one and 0.5 m through the other, whatever their numbers.
        for tip in 0..3 {
            for (tops, expected) in [([0.0, 0.25], 1.0 / 3.0), ([0.25, 0.0], 2.0 / 3.0)] {
                let [a, b] = shares_of(tops, tip);
                assert!((a - expected).abs() < TOLERANCE, "{a} {b}");
                assert!((a + b - 1.0).abs() < TOLERANCE, "{a} {b}");
            }
        }
    }

    #[test]
    fn a_body_that_is_all_but_left_bears_all_but_nothing() {
        let [a, b] = shares_of([-0.25 + 1e-9, 0.25], 2);
        assert!(a > 0.0 && a < 1e-8 && b < 1.0, "{a} {b}");
    }
}
