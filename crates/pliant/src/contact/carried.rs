//! Contact on fine surfaces that coarse tets carry.
//!
//! The search sees closed surfaces in place of the tets of some bodies; what it finds is said in
//! the vertices of the tets, so that solvers and materials know of nothing else. A vertex of a
//! fine surface is the weighted sum of four corners. A point within a triangle or on an edge is
//! so too where its corners have four carriers in all; otherwise the tet of its heaviest corner
//! carries it, by the weights that it has there at rest. That is exact where the tets around move
//! by one affine map, and gaps are measured on the surface itself in every step.
//!
//! | here      | meaning                                                                  |
//! |-----------|--------------------------------------------------------------------------|
//! | `bodies`  | the bodies as the search sees them, in the same order                    |
//! | `carried` | for each of their vertices the four that carry it; others carry themselves |

use crate::body::soft::StateView;
use crate::body::{Bodies, BodiesError, BodyKind};
use crate::contact::{Contact, SecondSide};
use crate::id::{BodyId, MismatchError, VertexId, at};
use crate::math::Vec3;
use crate::mesh::embed::{Embedding, barycentric};
use crate::mesh::surface::Surface;

/// Carriers of a point at most: three corners with four each.
const MOST: usize = 12;

/// A closed surface on the tets of one body, which contact uses in place of their boundary.
#[derive(Clone, Copy, Debug)]
pub struct ContactMesh<'a> {
    /// The body.
    pub body: BodyId,
    /// The surface at rest.
    pub surface: &'a Surface,
    /// Its vertices in terms of those of the body.
    pub embedding: &'a Embedding,
}

/// Why fine surfaces do not fit a scene.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ContactMeshError {
    /// A body without tets.
    #[error("body {0} has no tets that could carry a surface")]
    NoTets(BodyId),
    /// Two surfaces of one body, or not in the order of the bodies.
    #[error("surfaces must ascend by their bodies, and body {0} comes late")]
    Order(BodyId),
    /// Carriers for other vertices.
    #[error("body {body} carries {count} vertices of a surface with {expected}")]
    Count {
        /// The body.
        body: BodyId,
        /// Vertices of the embedding.
        count: usize,
        /// Vertices of the surface.
        expected: usize,
    },
    /// A carrier that the body does not have.
    #[error("a surface of body {body} names its vertex {vertex}, the body has {count}")]
    Carrier {
        /// The body.
        body: BodyId,
        /// Counted within the body.
        vertex: VertexId,
        /// Vertices of the body.
        count: usize,
    },
    /// Sizes that do not match.
    #[error(transparent)]
    Mismatch(#[from] MismatchError),
    /// More than indices can name.
    #[error(transparent)]
    Bodies(#[from] BodiesError),
}

/// A third of the area of a triangle, m²: what each corner has of it.
pub(crate) fn third_of_area([a, b, c]: [Vec3; 3]) -> f64 {
    (b - a).cross(c - a).length() / 6.0
}

/// The bodies of a scene as contact sees them: fine surfaces in place of some of the tets.
#[derive(Clone, Debug)]
pub struct ContactSurfaces {
    bodies: Bodies,
    /// Which bodies have a fine surface.
    is_fine: Vec<bool>,
    /// Of each vertex, in the numbers of the scene.
    carried: Vec<([VertexId; 4], [f64; 4])>,
    /// Vertices of the scene at rest, m.
    coarse_rest: Vec<Vec3>,
    /// Vertices of `bodies` at rest, m.
    rest: Vec<Vec3>,
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
}

impl ContactSurfaces {
    /// Prepares for a scene with these vertices at rest; `meshes` ascend by body.
    pub fn new(
        rest: &[Vec3],
        bodies: &Bodies,
        meshes: &[ContactMesh<'_>],
    ) -> Result<ContactSurfaces, ContactMeshError> {
        bodies.check_count("positions at rest", rest.len())?;
        check(bodies, meshes)?;
        let surfaces: Vec<(BodyId, &Surface)> =
            meshes.iter().map(|m| (m.body, m.surface)).collect();
        let mut carried = Vec::new();
        let mut is_fine = vec![false; bodies.len()];
        for body in bodies.ids() {
            let own = bodies.vertices(body);
            match meshes.iter().find(|mesh| mesh.body == body) {
                None => {
                    carried.extend(own.map(|v| ([VertexId(v as u32); 4], [1.0, 0.0, 0.0, 0.0])))
                }
                Some(ContactMesh { embedding, .. }) => {
                    is_fine[body.index()] = true;
                    let global = |v: VertexId| VertexId(own.start as u32 + v.0);
                    let pairs = embedding.carriers.iter().zip(&embedding.weights);
                    carried.extend(pairs.map(|(of, weights)| (of.map(global), *weights)));
                }
            }
        }
        let fine = bodies.with_surfaces(&surfaces)?;
        let mut all = ContactSurfaces {
            bodies: fine,
            is_fine,
            carried,
            coarse_rest: rest.to_vec(),
            rest: Vec::new(),
            positions: Vec::new(),
            velocities: Vec::new(),
        };
        all.rest = all.place(rest);
        Ok(all)
    }

    /// The bodies as the search sees them.
    pub fn bodies(&self) -> &Bodies {
        &self.bodies
    }

    /// Their vertices at rest, m.
    pub fn rest(&self) -> &[Vec3] {
        &self.rest
    }

    /// Where their vertices are while those of the scene are at `positions`, m.
    ///
    /// NaN where one is lacking.
    pub fn place(&self, positions: &[Vec3]) -> Vec<Vec3> {
        let mut places = Vec::with_capacity(self.carried.len());
        self.sum(positions, &mut places);
        places
    }

    /// Area that each vertex of the scene carries, m²: a third of the triangles around each vertex
    /// of a surface, shared by weight.
    ///
    /// Larger than the surface where weights are negative, as forces that are shared so are; 0
    /// where a vertex carries nothing.
    pub fn areas(&self, positions: &[Vec3]) -> Vec<f64> {
        let places = self.place(positions);
        let mut areas = vec![0.0; self.coarse_rest.len()];
        for triangle in self.bodies.triangles() {
            let third = third_of_area(triangle.map(|vertex| at(&places, vertex)));
            for (carriers, weights) in triangle.iter().filter_map(|v| self.carried.get(v.index())) {
                for (carrier, weight) in carriers.iter().zip(weights) {
                    if let Some(area) = areas.get_mut(carrier.index()) {
                        *area += weight.abs() * third;
                    }
                }
            }
        }
        areas
    }

    /// Places the surfaces for a search.
    pub(crate) fn update(&mut self, motion: StateView<'_>) {
        let [mut positions, mut velocities] =
            [std::mem::take(&mut self.positions), std::mem::take(&mut self.velocities)];
        self.sum(motion.positions, &mut positions);
        self.sum(motion.velocities, &mut velocities);
        (self.positions, self.velocities) = (positions, velocities);
    }

    /// The motion of the surfaces since the last update.
    pub(crate) fn motion(&self, time: f64) -> StateView<'_> {
        StateView { positions: &self.positions, velocities: &self.velocities, time }
    }

    fn sum(&self, values: &[Vec3], sums: &mut Vec<Vec3>) {
        sums.clear();
        sums.extend(self.carried.iter().map(|(carriers, weights)| {
            if weights[0] == 1.0 {
                return at(values, carriers[0]);
            }
            carriers.iter().zip(weights).map(|(v, weight)| *weight * at(values, *v)).sum()
        }));
    }

    /// Says contacts between the surfaces in the vertices of the scene.
    pub(crate) fn carry(&self, contacts: &mut [Contact]) {
        for contact in contacts {
            let (first, second) = contact.bodies;
            let is_fine = |body: BodyId| self.is_fine.get(body.index()) == Some(&true);
            let is_carried = is_fine(first) || second.is_some_and(is_fine);
            let own = self.point(contact.side(1.0));
            let other = self.point(contact.side(-1.0).map(|(v, weight)| (v, -weight)));
            let Some((vertices, weights)) = own else { continue };
            if !is_carried {
                // Their own vertices, in the numbers of the scene.
                contact.vertices =
                    contact.vertices.map(|v| self.carried.get(v.index()).map_or(v, |c| c.0[0]));
                continue;
            }
            (contact.vertices, contact.weights, contact.count) = (vertices, weights, 4);
            contact.second = second.and(other).map(|(vertices, weights)| SecondSide {
                vertices,
                weights: weights.map(|weight| -weight),
            });
        }
    }

    /// The point that some vertices make with weights of sum 1, in at most four of the scene.
    ///
    /// Unused ones are the first, without weight; `None` without vertices.
    fn point(
        &self,
        terms: impl Iterator<Item = (VertexId, f64)> + Clone,
    ) -> Option<([VertexId; 4], [f64; 4])> {
        let (mut sum, mut count) = ([(VertexId(0), 0.0); MOST], 0);
        for (vertex, share) in terms.clone() {
            let (carriers, weights) = self.carried.get(vertex.index())?;
            for (carrier, weight) in carriers.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
                match sum[..count].iter().position(|(known, _)| known == carrier) {
                    Some(known) => sum[known].1 += share * weight,
                    None if count < MOST => {
                        sum[count] = (*carrier, share * weight);
                        count += 1;
                    }
                    None => return None,
                }
            }
        }
        if (1..=4).contains(&count) {
            let vertices = [0, 1, 2, 3].map(|k| if k < count { sum[k].0 } else { sum[0].0 });
            return Some((vertices, [0, 1, 2, 3].map(|k| if k < count { sum[k].1 } else { 0.0 })));
        }
        let heaviest = terms.clone().max_by(|a, b| a.1.total_cmp(&b.1))?.0;
        let (carriers, _) = self.carried.get(heaviest.index())?;
        let point: Vec3 = terms.map(|(v, share)| share * at(&self.rest, v)).sum();
        Some((*carriers, barycentric(point, carriers.map(|v| at(&self.coarse_rest, v)))))
    }
}

fn check(bodies: &Bodies, meshes: &[ContactMesh<'_>]) -> Result<(), ContactMeshError> {
    let mut last = None;
    for ContactMesh { body, surface, embedding } in meshes {
        if last.is_some_and(|last| last >= *body) {
            return Err(ContactMeshError::Order(*body));
        }
        last = Some(*body);
        if bodies.kind(*body) != BodyKind::Tets || body.index() >= bodies.len() {
            return Err(ContactMeshError::NoTets(*body));
        }
        let (expected, count) = (surface.positions().len(), embedding.carriers.len());
        if count != expected || embedding.weights.len() != expected {
            return Err(ContactMeshError::Count { body: *body, count, expected });
        }
        let count = bodies.vertices(*body).len();
        let beyond = embedding.carriers.iter().flatten().find(|v| v.index() >= count);
        if let Some(vertex) = beyond {
            return Err(ContactMeshError::Carrier { body: *body, vertex: *vertex, count });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
