//! Collision detection: vertices inside other bodies, and edges that leave them.
//!
//! Stages 1 and 2 of [Heidelberger04 §3.2–3.3]. The product is [`Overlaps`].
//!
//! Fast, and used by `depth::fused`: `clusters`, `pairs`, `nearby_triangles`, `rays`, `edges`,
//! `edge_filter`, `vertex_edges`, `inverted`, `union`, `tet_bvh`. As the paper has it: `cells`,
//! and `grid` and `voxels` of the crate `pliant-papers`. The reference implementation of both:
//! `brute`. Beside them: `tets`, `crossing`, overlaps without a vertex inside, and `query`, rays,
//! nearest points and boxes.

use std::str::FromStr;

use crate::body::Bodies;
use crate::choice::{UnknownName, from_name};
use crate::id::{BodyId, MismatchError, VertexId};
use crate::math::Vec3;
use crate::mesh::topology::Csr;

pub mod boxes;

pub(crate) mod clusters;

pub mod pairs;

pub(crate) mod nearby_triangles;

pub(crate) mod rays;

pub mod edges;

pub(crate) mod edge_filter;

pub(crate) mod vertex_edges;

pub(crate) mod inverted;

pub mod union;

pub(crate) mod tet_bvh;

pub mod brute;

pub mod cells;

pub mod tets;

pub mod crossing;

pub mod query;

/// What "colliding" is measured against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// All other bodies together: a vertex is inside the rest of the scene, or not.
    #[default]
    Scene,
    /// One other body at a time: a vertex may have a depth in each.
    Pairs,
}

impl Scope {
    /// All values.
    pub const ALL: [Scope; 2] = [Scope::Scene, Scope::Pairs];

    /// The stable name, on which other programs may rely.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Scene => "scene",
            Scope::Pairs => "pairs",
        }
    }
}

impl FromStr for Scope {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<Scope, UnknownName> {
        from_name(given, &Scope::ALL, Scope::name)
    }
}

/// Which vertices lie inside which other bodies.
///
/// - Deviates: [Heidelberger04 §3.2] may mean the own mesh too; only other bodies count, as
///   stage 2 has no meaning within one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlaps {
    /// Each vertex inside some other body; ascending.
    pub vertices: Vec<VertexId>,
    /// For each entry of `vertices` the bodies it is inside of; ascending, never empty.
    pub into: Csr<BodyId>,
    /// The first vertex of each body whose position is not finite; such bodies are left out.
    pub non_finite: Vec<VertexId>,
}

impl Overlaps {
    /// Accepts vertices and bodies of a scene, with a list of bodies for each vertex.
    pub(crate) fn check(&self, bodies: &Bodies) -> Result<(), MismatchError> {
        MismatchError::check("lists of bodies", self.into.len(), self.vertices.len())?;
        let largest = self.vertices.iter().map(|v| v.index() + 1).max().unwrap_or(0);
        let (what, expected) = ("overlapping vertices", bodies.vertex_count());
        if largest > expected {
            return Err(MismatchError::Count { what, count: largest, expected });
        }
        let largest = self.into.iter().flatten().map(|b| b.index() + 1).max().unwrap_or(0);
        let (what, expected) = ("overlapped bodies", bodies.len());
        if largest > expected {
            return Err(MismatchError::Count { what, count: largest, expected });
        }
        Ok(())
    }

    /// From pairs (vertex, body) in ascending order, each once.
    ///
    /// A pair out of order begins a new entry of its vertex.
    pub fn from_sorted(pairs: &[(VertexId, BodyId)]) -> Overlaps {
        let mut vertices: Vec<VertexId> = pairs.iter().map(|pair| pair.0).collect();
        vertices.dedup();
        let mut row = 0;
        let rows: Vec<(u32, BodyId)> = pairs
            .iter()
            .map(|&(vertex, body)| {
                row += u32::from(vertices[row as usize] != vertex);
                (row, body)
            })
            .collect();
        let into = Csr::from_pairs(vertices.len(), rows.iter().copied());
        Overlaps { vertices, into, non_finite: Vec::new() }
    }
}

/// Where an edge leaves a penetrated body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Exit {
    /// Share of the way from the free end to the inner one, 0 to 1.
    pub t: f64,
    /// Meeting point, world space, m.
    pub position: Vec3,
    /// The triangle met, in the scene's array.
    pub triangle: u32,
    /// Weights of the triangle's corners at the meeting point; sum 1.
    pub weights: [f64; 3],
}
