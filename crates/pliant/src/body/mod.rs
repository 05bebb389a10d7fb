//! Bodies of one scene: all their vertices in one array, a body is a range of it.
//!
//! State (positions, velocities) lives in plain arrays that the caller owns, in body order;
//! topology lives here, in flat index arrays. Detection over n bodies is then one pass, and the
//! arrays go to a GPU as they are.

pub mod offsets;

mod change;

pub mod surface_point;

pub mod soft;

pub mod keyframes;

pub mod pins;

pub mod obstacle;

pub mod rigid;

#[cfg(test)]
pub(crate) mod fixtures;

use std::ops::Range;

use crate::body::offsets::BodyOffsets;
use crate::id::{BodyId, MismatchError, TriangleId, VertexId};
use crate::math::Vec3;
use crate::mesh::surface::Surface;
use crate::mesh::tet::TetMesh;
use crate::mesh::topology::{self, Csr, MOST_TETS};

/// What a body is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// Tets; inside is the interior of their union.
    Tets,
    /// A closed triangle surface; inside is what it winds around.
    Surface,
    /// Vertices connected by edges, as cloth and chains are; it has no inside.
    SpringNetwork,
    /// Unconnected points; no inside, and every point takes part in contact.
    Particles,
    /// Closed rings in the plane z = 0; inside is what an odd number of them surrounds.
    ///
    /// Outlines collide with no other kind; `pliant-plane` finds contact between outlines.
    Outline,
}

impl BodyKind {
    /// Whether other bodies can be inside it, or touch its surface.
    pub fn has_surface(self) -> bool {
        match self {
            BodyKind::Tets | BodyKind::Surface => true,
            BodyKind::SpringNetwork | BodyKind::Particles | BodyKind::Outline => false,
        }
    }
}

/// Why a body does not fit into a scene.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodiesError {
    /// A corner that does not exist.
    #[error("cell {cell} of body {body} names vertex {vertex}, the body has {count}")]
    NoSuchVertex {
        /// The body.
        body: BodyId,
        /// First such tet or triangle of the body.
        cell: usize,
        /// The corner, counted within the body.
        vertex: VertexId,
        /// Vertices of the body.
        count: usize,
    },
    /// More than 32-bit indices can name.
    #[error("body {body} makes more than {most} {what}")]
    TooMany {
        /// The body that does not fit any more.
        body: BodyId,
        /// What there is too much of.
        what: &'static str,
        /// The most that fit.
        most: usize,
    },
}

/// The topology of all bodies of a scene.
///
/// Every index counts in the scene's arrays, not in those of one body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bodies {
    /// Kind of each body.
    kinds: Vec<BodyKind>,
    /// Whether the boundary of each body is a closed surface with a definite inside.
    bounded: Vec<bool>,
    /// Vertices of each body.
    offsets: BodyOffsets,
    /// First tet of each body, and one past the last of all.
    tet_starts: Vec<u32>,
    /// First surface triangle of each body, and one past the last of all.
    triangle_starts: Vec<u32>,
    /// Corners of the tets.
    tets: Vec<[VertexId; 4]>,
    /// Corners of the surface triangles, counter-clockwise seen from outside.
    triangles: Vec<[VertexId; 3]>,
    /// Other ends of each vertex's edges, ascending.
    ///
    /// Tet edges, or surface edges without tets.
    neighbours: Csr<VertexId>,
    /// Surface triangles around each vertex, ascending.
    triangles_around: Csr<TriangleId>,
    /// First ring of each body, and one past the last of all; only outlines have any.
    ring_starts: Vec<u32>,
    /// Vertices of each ring in order, the inside to their left.
    rings: Vec<Vec<VertexId>>,
    /// Hash of each body, which does not depend on those before it.
    body_hashes: Vec<u64>,
    /// The same number for the same topology, and almost surely another for another.
    hash: u64,
}

impl Bodies {
    /// A scene of tet meshes given as plain arrays, as from another engine.
    ///
    /// Each body is its number of vertices and its tets, counted within the body. Tets may be in
    /// any state of inversion; the orientation of the index array is taken as that of the rest
    /// shape, so that surfaces face outward while tets are positive.
    pub fn from_tets(meshes: &[(usize, &[[VertexId; 4]])]) -> Result<Bodies, BodiesError> {
        let mut bodies = Builder::default();
        for &(vertex_count, tets) in meshes {
            bodies.check_room(vertex_count, tets.len(), 0)?;
            bodies.check(vertex_count, tets)?;
            let boundary = topology::boundary(vertex_count, tets);
            bodies.push(BodyKind::Tets, vertex_count, tets, &boundary.triangles)?;
            let bounded = boundary.non_manifold.is_empty() && boundary.folded.is_empty();
            if let Some(last) = bodies.bodies.bounded.last_mut() {
                *last = bounded;
            }
        }
        Ok(bodies.finish())
    }

    /// A scene of valid meshes.
    pub fn from_meshes(meshes: &[Mesh<'_>]) -> Result<Bodies, BodiesError> {
        let mut bodies = Builder::default();
        for mesh in meshes {
            match mesh {
                Mesh::Tets(mesh) => {
                    let count = mesh.positions().len();
                    bodies.push(BodyKind::Tets, count, mesh.tets(), mesh.surface())?;
                }
                Mesh::Surface(mesh) => {
                    let count = mesh.positions().len();
                    bodies.push(BodyKind::Surface, count, &[], mesh.triangles())?;
                }
                Mesh::SpringNetwork(count, edges) => {
                    bodies.check(*count, edges)?;
                    let base = bodies.bodies.vertex_count() as u32;
                    bodies.push(BodyKind::SpringNetwork, *count, &[], &[])?;
                    let global = |edge: &[VertexId; 2]| edge.map(|v| VertexId(base + v.0));
                    bodies.net_edges.extend(edges.iter().map(global));
                }
                Mesh::Particles(count) => bodies.push(BodyKind::Particles, *count, &[], &[])?,
                Mesh::Outline(count, rings) => bodies.push_outline(*count, rings)?,
            }
        }
        Ok(bodies.finish())
    }

    /// Bodies of unconnected points, these many each.
    pub fn of_particles(counts: impl IntoIterator<Item = usize>) -> Result<Bodies, BodiesError> {
        let meshes: Vec<Mesh<'_>> = counts.into_iter().map(Mesh::Particles).collect();
        Bodies::from_meshes(&meshes)
    }

    /// Where the vertices of each body begin.
    pub fn offsets(&self) -> &BodyOffsets {
        &self.offsets
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether the scene is empty.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Every body, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = BodyId> + use<> {
        (0..self.kinds.len() as u32).map(BodyId)
    }

    /// What a body is made of; an unknown one is made of no particles.
    pub fn kind(&self, body: BodyId) -> BodyKind {
        self.kinds.get(body.index()).copied().unwrap_or(BodyKind::Particles)
    }

    /// Whether the surface of a body defines its inside.
    ///
    /// Not so for tets of which three share a face, or two lie on the same side of one: their
    /// boundary is no closed surface, and only the tets themselves define it.
    pub(crate) fn is_bounded(&self, body: BodyId) -> bool {
        self.bounded.get(body.index()) == Some(&true)
    }

    /// Vertices of all bodies.
    pub fn vertex_count(&self) -> usize {
        self.offsets.vertex_count()
    }

    /// The vertices of a body; none of an unknown one.
    #[inline]
    pub fn vertices(&self, body: BodyId) -> Range<usize> {
        self.offsets.range(body)
    }

    /// The tets of a body, as a range of [`Bodies::tets`].
    #[inline]
    pub fn tets_of(&self, body: BodyId) -> Range<usize> {
        range(&self.tet_starts, body)
    }

    /// The surface triangles of a body, as a range of [`Bodies::triangles`].
    #[inline]
    pub fn triangles_of(&self, body: BodyId) -> Range<usize> {
        range(&self.triangle_starts, body)
    }

    /// The body that a vertex belongs to.
    pub fn body_of(&self, vertex: VertexId) -> BodyId {
        self.offsets.locate(vertex.index()).0
    }

    /// Corners of all tets.
    pub fn tets(&self) -> &[[VertexId; 4]] {
        &self.tets
    }

    /// Corners of all surface triangles.
    pub fn triangles(&self) -> &[[VertexId; 3]] {
        &self.triangles
    }

    /// Where the corners of a surface triangle are, m; NaN where it or a position is lacking.
    #[inline]
    pub fn corners(&self, triangle: TriangleId, positions: &[Vec3]) -> [Vec3; 3] {
        let Some(corners) = self.triangles.get(triangle.index()) else { return [Vec3::NAN; 3] };
        corners.map(|v| positions.get(v.index()).copied().unwrap_or(Vec3::NAN))
    }

    /// Other ends of each vertex's edges, ascending.
    pub fn neighbours(&self) -> &Csr<VertexId> {
        &self.neighbours
    }

    /// Whether a vertex takes part in contact: it has an edge, or is a particle.
    ///
    /// Others are left over from a file, at no meaningful position, or belong to an outline, which
    /// collides with outlines only.
    #[inline]
    pub fn takes_part(&self, body: BodyId, vertex: usize) -> bool {
        match self.kind(body) {
            BodyKind::Particles => true,
            BodyKind::Outline => false,
            _ => !self.neighbours.row(vertex).is_empty(),
        }
    }

    /// The rings of an outline: vertices in order, the inside to their left.
    ///
    /// None for other kinds.
    pub fn rings(&self, body: BodyId) -> &[Vec<VertexId>] {
        &self.rings[range(&self.ring_starts, body)]
    }

    /// Surface triangles around each vertex, ascending.
    pub fn triangles_around(&self) -> &Csr<TriangleId> {
        &self.triangles_around
    }

    /// The same number for the same topology, and almost surely another for another.
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    /// Accepts a list with one entry for each vertex.
    pub(crate) fn check_count(
        &self,
        what: &'static str,
        count: usize,
    ) -> Result<(), MismatchError> {
        MismatchError::check(what, count, self.vertex_count())
    }

    /// One position for each vertex: those given, with NaN for what is lacking.
    pub(crate) fn padded<'a>(
        &self,
        positions: &'a [Vec3],
        memory: &'a mut Vec<Vec3>,
    ) -> &'a [Vec3] {
        if positions.len() >= self.vertex_count() {
            return positions;
        }
        memory.extend_from_slice(positions);
        memory.resize(self.vertex_count(), Vec3::NAN);
        memory
    }

    /// Accepts what was made for bodies with this hash.
    pub(crate) fn check_hash(&self, what: &'static str, hash: u64) -> Result<(), MismatchError> {
        if hash == self.hash { Ok(()) } else { Err(MismatchError::OtherBodies { what }) }
    }

    /// Counts all that the topology of a body consists of, in its own numbers.
    fn hash_of(&self, body: BodyId) -> u64 {
        let (vertices, tets, triangles) =
            (self.vertices(body), self.tets_of(body), self.triangles_of(body));
        let base = vertices.start as u32;
        let kind = 2 * self.kind(body) as u32 + u32::from(self.is_bounded(body));
        let rings = range(&self.ring_starts, body);
        let counts = [vertices.len(), tets.len(), triangles.len(), rings.len()];
        let tets = self.tets[tets].as_flattened().iter();
        let cells = tets.chain(self.triangles[triangles].as_flattened());
        let rows = vertices.flat_map(|vertex| {
            let row = self.neighbours.row(vertex);
            [row.len() as u32].into_iter().chain(row.iter().map(|v| v.0 - base))
        });
        let words = [kind].into_iter().chain(counts.map(|count| count as u32));
        words.chain(cells.map(|v| v.0 - base)).chain(rows).fold(0, hashed)
    }

    /// One number from those of all bodies.
    fn joined_hash(&self) -> u64 {
        let halves = |hash: &u64| [*hash as u32, (*hash >> 32) as u32];
        self.body_hashes.iter().flat_map(halves).fold(0, hashed)
    }
}

/// A valid mesh of any kind.
#[derive(Clone, Copy, Debug)]
pub enum Mesh<'a> {
    /// Tets.
    Tets(&'a TetMesh),
    /// A closed surface.
    Surface(&'a Surface),
    /// A number of vertices, and edges between them.
    SpringNetwork(usize, &'a [[VertexId; 2]]),
    /// A number of points.
    Particles(usize),
    /// A number of vertices, and the rings that some of them make in the plane z = 0.
    ///
    /// Each ring runs with the inside to its left. Other vertices move along.
    Outline(usize, &'a [Vec<VertexId>]),
}

/// What belongs to a body; nothing to an unknown one.
#[inline]
fn range(starts: &[u32], body: BodyId) -> Range<usize> {
    match (starts.get(body.index()), starts.get(body.index() + 1)) {
        (Some(&start), Some(&end)) => start as usize..end as usize,
        _ => 0..0,
    }
}

/// A number from those before and one more (FNV-1a, word by word).
fn hashed(hash: u64, word: u32) -> u64 {
    (hash ^ u64::from(word)).wrapping_mul(0x0100_0000_01b3)
}

/// A scene under construction: all but the adjacency lists.
#[derive(Default)]
struct Builder {
    bodies: Bodies,
    /// Of all spring networks and rings, in the scene's indices.
    net_edges: Vec<[VertexId; 2]>,
}

impl Builder {
    fn push(
        &mut self,
        kind: BodyKind,
        vertex_count: usize,
        tets: &[[VertexId; 4]],
        surface: &[[VertexId; 3]],
    ) -> Result<(), BodiesError> {
        self.check_room(vertex_count, tets.len(), surface.len())?;
        self.check(vertex_count, tets)?;
        self.check(vertex_count, surface)?;
        let all = &mut self.bodies;
        if all.kinds.is_empty() {
            for starts in [&mut all.tet_starts, &mut all.triangle_starts, &mut all.ring_starts] {
                starts.push(0);
            }
        }
        let base = all.vertex_count() as u32;
        let global = |v: VertexId| VertexId(base + v.0);
        all.kinds.push(kind);
        all.bounded.push(true);
        all.tets.extend(tets.iter().map(|tet| tet.map(global)));
        all.triangles.extend(surface.iter().map(|triangle| triangle.map(global)));
        all.offsets.push(vertex_count);
        all.tet_starts.push(all.tets.len() as u32);
        all.triangle_starts.push(all.triangles.len() as u32);
        all.ring_starts.push(all.rings.len() as u32);
        Ok(())
    }

    /// Accepts as many vertices, tets and triangles more as 32-bit indices can name.
    fn check_room(
        &self,
        vertices: usize,
        tets: usize,
        triangles: usize,
    ) -> Result<(), BodiesError> {
        let all = &self.bodies;
        let body = BodyId(all.kinds.len() as u32);
        let fits = |what, most, count| {
            if count > most { Err(BodiesError::TooMany { body, what, most }) } else { Ok(()) }
        };
        fits("vertices", MOST_TETS, all.vertex_count().saturating_add(vertices))?;
        fits("tets", MOST_TETS, all.tets.len() + tets)?;
        fits("triangles", MOST_TETS, all.triangles.len() + triangles)
    }

    fn push_outline(&mut self, count: usize, rings: &[Vec<VertexId>]) -> Result<(), BodiesError> {
        for ring in rings {
            let corners: Vec<[VertexId; 1]> = ring.iter().map(|v| [*v]).collect();
            self.check(count, &corners)?;
        }
        let base = self.bodies.vertex_count() as u32;
        self.push(BodyKind::Outline, count, &[], &[])?;
        for ring in rings {
            let ring: Vec<VertexId> = ring.iter().map(|v| VertexId(base + v.0)).collect();
            let next = ring.iter().cycle().skip(1);
            self.net_edges.extend(ring.iter().zip(next).map(|(a, b)| [*a, *b]));
            self.bodies.rings.push(ring);
        }
        if let Some(end) = self.bodies.ring_starts.last_mut() {
            *end = self.bodies.rings.len() as u32;
        }
        Ok(())
    }

    fn check<const N: usize>(
        &self,
        count: usize,
        cells: &[[VertexId; N]],
    ) -> Result<(), BodiesError> {
        let body = BodyId(self.bodies.kinds.len() as u32);
        for (cell, corners) in cells.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|v| v.index() >= count) {
                return Err(BodiesError::NoSuchVertex { body, cell, vertex, count });
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Bodies {
        let all = &mut self.bodies;
        let count = all.vertex_count();
        let of_tets = topology::edges(count, &all.tets);
        let bare = all.ids().filter(|&body| all.kind(body) == BodyKind::Surface);
        let bare: Vec<_> =
            bare.flat_map(|body| all.triangles[all.triangles_of(body)].iter().copied()).collect();
        self.net_edges.iter_mut().for_each(|edge| edge.sort_unstable());
        let mut edges = [of_tets, topology::edges(count, &bare), self.net_edges].concat();
        edges.retain(|[a, b]| a != b);
        edges.sort_unstable();
        edges.dedup();
        all.neighbours = topology::neighbours(count, &edges);
        let around = all.triangles.iter().enumerate().flat_map(|(index, triangle)| {
            triangle.iter().map(move |v| (v.0, TriangleId(index as u32)))
        });
        all.triangles_around = Csr::from_pairs(count, around);
        all.body_hashes = all.ids().map(|body| all.hash_of(body)).collect();
        all.hash = all.joined_hash();
        self.bodies
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::raw::RawMesh;

    const TET: [VertexId; 4] = [VertexId(0), VertexId(1), VertexId(2), VertexId(3)];

    fn skin() -> Surface {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let triangles = (0..4).map(|face| topology::tet_face(TET, face)).collect();
        Surface::from_raw(RawMesh { positions, triangles, ..RawMesh::default() }).unwrap().0
    }

    #[test]
    fn indices_count_through_all_bodies() {
        let bodies = Bodies::from_tets(&[(4, &[TET]), (5, &[TET])]).unwrap();
        assert_eq!(bodies.tets()[1], [4, 5, 6, 7].map(VertexId));
        assert_eq!((bodies.vertices(BodyId(1)), bodies.tets_of(BodyId(1))), (4..9, 1..2));
        assert_eq!(bodies.triangles_of(BodyId(1)), 4..8);
        assert_eq!([3, 4, 8].map(|v| bodies.body_of(VertexId(v)).0), [0, 1, 1]);
        assert_eq!(bodies.neighbours().row(5), [4, 6, 7].map(VertexId));
        assert_eq!(bodies.triangles_around().row(4), [5, 6, 7].map(TriangleId));
        assert!(bodies.neighbours().row(8).is_empty());
    }

    #[test]
    fn surfaces_lend_their_own_edges() {
        let skin = skin();
        let bodies = Bodies::from_meshes(&[Mesh::Surface(&skin)]).unwrap();
        assert_eq!(bodies.kind(BodyId(0)), BodyKind::Surface);
        assert_eq!(bodies.neighbours().row(0), [1, 2, 3].map(VertexId));
        assert!(bodies.tets().is_empty());
    }

    #[test]
    fn nets_have_edges_and_no_inside() {
        let edges = [[1, 0], [1, 2], [0, 1]].map(|edge| edge.map(VertexId));
        let tets = skin();
        let bodies =
            Bodies::from_meshes(&[Mesh::Surface(&tets), Mesh::SpringNetwork(3, &edges)]).unwrap();
        assert_eq!(bodies.kind(BodyId(1)), BodyKind::SpringNetwork);
        assert_eq!(bodies.neighbours().row(5), [4, 6].map(VertexId));
        assert!(bodies.triangles_of(BodyId(1)).is_empty());
        let error = Bodies::from_meshes(&[Mesh::SpringNetwork(2, &edges)]).unwrap_err();
        assert_eq!(error.to_string(), "cell 1 of body 0 names vertex 2, the body has 2");
    }

    #[test]
    fn all_points_of_a_cloud_take_part_and_loose_ones_of_meshes_do_not() {
        let bodies =
            Bodies::from_meshes(&[Mesh::Particles(2), Mesh::SpringNetwork(1, &[])]).unwrap();
        assert_eq!(bodies.kind(BodyId(0)), BodyKind::Particles);
        assert!(!bodies.kind(BodyId(0)).has_surface() && !bodies.kind(BodyId(1)).has_surface());
        assert!(bodies.takes_part(BodyId(0), 1) && !bodies.takes_part(BodyId(1), 2));
    }

    #[test]
    fn an_outline_keeps_its_rings_and_meets_no_other_kind() {
        let rings = [[0, 1, 2].map(VertexId).to_vec(), [4, 5, 6, 7].map(VertexId).to_vec()];
        let bodies = Bodies::from_meshes(&[Mesh::Particles(2), Mesh::Outline(8, &rings)]).unwrap();
        assert_eq!(bodies.rings(BodyId(1))[1], [6, 7, 8, 9].map(VertexId));
        assert!(bodies.rings(BodyId(0)).is_empty());
        assert_eq!(bodies.neighbours().row(6), [7, 9].map(VertexId));
        assert!(bodies.neighbours().row(5).is_empty()); // on no ring
        assert!(!bodies.takes_part(BodyId(1), 6) && !bodies.kind(BodyId(1)).has_surface());
        let error = Bodies::from_meshes(&[Mesh::Outline(7, &rings)]).unwrap_err();
        assert_eq!(error.to_string(), "cell 3 of body 0 names vertex 7, the body has 7");
    }

    #[test]
    fn a_corner_out_of_range_is_named_with_its_body() {
        let error = Bodies::from_tets(&[(4, &[TET]), (3, &[TET])]).unwrap_err();
        assert_eq!(error.to_string(), "cell 0 of body 1 names vertex 3, the body has 3");
    }

    #[test]
    fn tets_without_a_proper_boundary_are_marked() {
        let twice = [TET, TET];
        let bodies = Bodies::from_tets(&[(4, &[TET]), (4, &twice)]).unwrap();
        assert_eq!([0, 1].map(|body| bodies.is_bounded(BodyId(body))), [true, false]);
    }

    #[test]
    fn no_bodies_are_a_scene_too() {
        let bodies = Bodies::from_tets(&[]).unwrap();
        assert_eq!((bodies.len(), bodies.vertex_count()), (0, 0));
    }
}
