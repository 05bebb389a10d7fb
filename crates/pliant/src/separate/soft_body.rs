//! What pushes do to a body: it moves as a whole, turns as well, or gives way vertex by vertex.
//!
//! Displacements are linear in the pushes, from where the body starts; only where a body that
//! turns is put at last is its rotation finite.

use crate::id::VertexId;
use crate::math::{Quat, Vec3};
use crate::mesh::embed::Embedding;
use crate::separate::elastic::Compliance;
use crate::separate::soft_rows::Point;

/// A body that may give way.
pub(crate) struct SoftBody {
    /// How.
    pub compliance: Compliance,
    /// Its vertices on those of its cage; `None` where it is its own.
    pub carried: Option<Embedding>,
}

/// What pushes do to a body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Response {
    /// It moves as a whole, m.
    Whole(Vec3),
    /// It moves as a whole, m, and turns about its centre, rad.
    Turned {
        /// Of the centre, m.
        shift: Vec3,
        /// Axis times angle, rad.
        turn: Vec3,
    },
    /// Displacements of the vertices of its cage, m.
    OfCage(Vec<Vec3>),
}

impl SoftBody {
    /// Whether it gives way at all.
    pub(crate) fn gives_way(&self) -> bool {
        !matches!(self.compliance, Compliance::Fixed)
    }

    /// Multiply–adds of one response.
    pub(crate) fn cost(&self) -> u64 {
        match &self.compliance {
            Compliance::Elastic(elastic) => elastic.cost(),
            Compliance::Fixed | Compliance::Rigid(_) | Compliance::Turning(_) => 1,
        }
    }

    /// The body moved as a whole, m.
    pub(crate) fn shifted(&self, shift: Vec3) -> Response {
        match &self.compliance {
            Compliance::Fixed | Compliance::Rigid(_) => Response::Whole(shift),
            Compliance::Turning(_) => Response::Turned { shift, turn: Vec3::ZERO },
            Compliance::Elastic(elastic) => Response::OfCage(vec![shift; elastic.len()]),
        }
    }

    /// What a push along a direction at a vertex of the body is on its cage.
    fn pushes(&self, vertex: VertexId, push: Vec3, out: &mut Vec<(VertexId, Vec3)>) {
        match &self.carried {
            None => out.push((vertex, push)),
            Some(embedding) => {
                let carriers = embedding.carriers[vertex.index()].iter();
                let weights = embedding.weights[vertex.index()];
                out.extend(carriers.zip(weights).map(|(v, weight)| (*v, weight * push)));
            }
        }
    }

    /// What pushes at some of its vertices do to it, which start at some positions, m.
    pub(crate) fn response(&self, pushes: &[(VertexId, Vec3)], start: &[Vec3]) -> Response {
        let sum = || pushes.iter().map(|(_, push)| *push).sum::<Vec3>();
        match &self.compliance {
            Compliance::Fixed => Response::Whole(Vec3::ZERO),
            Compliance::Rigid(compliance) => Response::Whole(*compliance * sum()),
            Compliance::Turning(turning) => {
                let arm = |vertex: VertexId| start[vertex.index()] - turning.centre;
                let torques = pushes.iter().map(|(vertex, push)| arm(*vertex).cross(*push));
                let turn = turning.inv_inertia * torques.sum::<Vec3>();
                Response::Turned { shift: turning.inv_mass * sum(), turn }
            }
            Compliance::Elastic(elastic) => {
                let mut on_cage = Vec::new();
                for (vertex, push) in pushes {
                    self.pushes(*vertex, *push, &mut on_cage);
                }
                Response::OfCage(elastic.displacements(&on_cage))
            }
        }
    }

    /// Displacement of a vertex of the body, m, to first order.
    fn displacement(&self, response: &Response, vertex: VertexId, start: &[Vec3]) -> Vec3 {
        match (response, &self.carried) {
            (Response::Whole(shift), _) => *shift,
            (Response::Turned { shift, turn }, _) => {
                *shift + turn.cross(start[vertex.index()] - self.centre())
            }
            (Response::OfCage(moved), None) => moved[vertex.index()],
            (Response::OfCage(moved), Some(embedding)) => {
                let carriers = embedding.carriers[vertex.index()].iter();
                let weights = embedding.weights[vertex.index()];
                carriers.zip(weights).map(|(v, weight)| weight * moved[v.index()]).sum()
            }
        }
    }

    /// Displacement of a point of its surface, m, to first order.
    pub(crate) fn displacement_at(
        &self,
        response: &Response,
        point: &Point,
        start: &[Vec3],
    ) -> Vec3 {
        let parts = point.vertices.iter().zip(point.weights).filter(|(_, weight)| *weight != 0.0);
        parts.map(|(v, weight)| weight * self.displacement(response, *v, start)).sum()
    }

    /// Where all its vertices are, m.
    pub(crate) fn moved(&self, response: &Response, start: &[Vec3]) -> Vec<Vec3> {
        if let Response::Turned { shift, turn } = response {
            let (centre, turn) = (self.centre(), Quat::from_scaled_axis(*turn));
            return start.iter().map(|p| centre + *shift + turn * (*p - centre)).collect();
        }
        let moved = |v: usize| self.displacement(response, VertexId(v as u32), start);
        start.iter().enumerate().map(|(v, p)| *p + moved(v)).collect()
    }

    fn centre(&self) -> Vec3 {
        match &self.compliance {
            Compliance::Turning(turning) => turning.centre,
            Compliance::Fixed | Compliance::Rigid(_) | Compliance::Elastic(_) => Vec3::ZERO,
        }
    }
}

impl Response {
    /// A share of the way to another response of the same body.
    pub(crate) fn towards(&self, other: &Response, share: f64) -> Response {
        match (self, other) {
            (Response::Whole(a), Response::Whole(b)) => Response::Whole(a.lerp(*b, share)),
            (Response::Turned { shift: a, turn: b }, Response::Turned { shift, turn }) => {
                Response::Turned { shift: a.lerp(*shift, share), turn: b.lerp(*turn, share) }
            }
            (Response::OfCage(a), Response::OfCage(b)) => {
                Response::OfCage(a.iter().zip(b).map(|(a, b)| a.lerp(*b, share)).collect())
            }
            _ => self.clone(),
        }
    }
}
