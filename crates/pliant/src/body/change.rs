//! Bodies that are removed from a scene, others that are appended, and surfaces in place of tets.
//!
//! The arrays are the same, bit for bit, as those of a scene that is built anew.

use crate::body::offsets::BodyOffsets;
use crate::body::{Bodies, BodiesError, BodyKind, Builder};
use crate::id::{BodyId, TriangleId, VertexId};
use crate::mesh::runs::{Runs, append_starts};
use crate::mesh::surface::Surface;
use crate::mesh::topology::MOST_TETS;

impl Bodies {
    /// First surface triangle of each body, and one past the last of all; empty without bodies.
    pub(crate) fn triangle_starts(&self) -> &[u32] {
        &self.triangle_starts
    }

    /// Some of these bodies, at least one, and then those of another scene.
    ///
    /// `None` where 32-bit indices cannot name all of them.
    pub(crate) fn changed(&self, kept: &Runs, other: &Bodies) -> Option<Bodies> {
        let vertex_runs = kept.entries(self.offsets.starts());
        let triangle_runs = kept.entries(&self.triangle_starts);
        let tet_runs = kept.entries(&self.tet_starts);
        let fits = |runs: &Runs, others: usize| runs.len() + others <= MOST_TETS;
        let fit = fits(&vertex_runs, other.vertex_count())
            && fits(&triangle_runs, other.triangles.len())
            && fits(&tet_runs, other.tets.len());
        if !fit {
            return None;
        }
        let (vertex_shifts, triangle_shifts) = (vertex_runs.shifts(), triangle_runs.shifts());
        let lower = |run: usize, vertex: &mut VertexId| vertex.0 -= vertex_shifts[run];
        let lower_all = |run: usize, corners: &mut [VertexId]| {
            corners.iter_mut().for_each(|vertex| lower(run, vertex));
        };
        let (base, first) = (vertex_runs.len() as u32, triangle_runs.len() as u32);
        let raise = |vertex: VertexId| VertexId(base + vertex.0);
        let starts = |own: &[u32], others: &[u32]| {
            let mut starts = kept.copied_starts(own, others.len());
            append_starts(&mut starts, others);
            starts
        };
        let mut tets =
            tet_runs.copied(&self.tets, other.tets.len(), |run, tet| lower_all(run, tet));
        tets.extend(other.tets.iter().map(|tet| tet.map(raise)));
        let mut triangles =
            triangle_runs
                .copied(&self.triangles, other.triangles.len(), |run, own| lower_all(run, own));
        triangles.extend(other.triangles.iter().map(|triangle| triangle.map(raise)));
        let mut changed = Bodies {
            kinds: joined(kept, &self.kinds, &other.kinds),
            bounded: joined(kept, &self.bounded, &other.bounded),
            offsets: BodyOffsets::from_starts(starts(
                self.offsets.starts(),
                other.offsets.starts(),
            )),
            tet_starts: starts(&self.tet_starts, &other.tet_starts),
            triangle_starts: starts(&self.triangle_starts, &other.triangle_starts),
            tets,
            triangles,
            neighbours: self.neighbours.changed(&vertex_runs, lower, &other.neighbours, raise),
            triangles_around: self.triangles_around.changed(
                &vertex_runs,
                |run, triangle| triangle.0 -= triangle_shifts[run],
                &other.triangles_around,
                |triangle| TriangleId(first + triangle.0),
            ),
            ring_starts: starts(&self.ring_starts, &other.ring_starts),
            rings: self.kept_rings(kept, &vertex_shifts),
            body_hashes: joined(kept, &self.body_hashes, &other.body_hashes),
            hash: 0,
        };
        let rings = other.rings.iter();
        changed.rings.extend(rings.map(|ring| ring.iter().map(|v| raise(*v)).collect::<Vec<_>>()));
        changed.hash = changed.joined_hash();
        Some(changed)
    }

    /// The same bodies with closed surfaces in place of some, in order.
    pub(crate) fn with_surfaces(
        &self,
        surfaces: &[(BodyId, &Surface)],
    ) -> Result<Bodies, BodiesError> {
        let mut made = Builder::default();
        for body in self.ids() {
            let (own, base) = (self.vertices(body), made.bodies.vertex_count() as u32);
            if let Some((_, surface)) = surfaces.iter().find(|(of, _)| *of == body) {
                let count = surface.positions().len();
                made.push(BodyKind::Surface, count, &[], surface.triangles())?;
                continue;
            }
            let local = |v: VertexId| VertexId(v.0 - own.start as u32);
            if self.kind(body) == BodyKind::Outline {
                let rings = self.rings(body).iter();
                let rings: Vec<Vec<VertexId>> =
                    rings.map(|ring| ring.iter().map(|v| local(*v)).collect()).collect();
                made.push_outline(own.len(), &rings)?;
                continue;
            }
            let tets: Vec<_> = self.tets[self.tets_of(body)].iter().map(|t| t.map(local)).collect();
            let triangles = self.triangles[self.triangles_of(body)].iter();
            let triangles: Vec<_> = triangles.map(|t| t.map(local)).collect();
            made.push(self.kind(body), own.len(), &tets, &triangles)?;
            if let Some(bounded) = made.bodies.bounded.last_mut() {
                *bounded = self.is_bounded(body);
            }
            if self.kind(body) == BodyKind::SpringNetwork {
                let shifted = |v: VertexId| VertexId(base + local(v).0);
                for vertex in own.clone() {
                    let ends = self.neighbours.row(vertex).iter();
                    let from = shifted(VertexId(vertex as u32));
                    made.net_edges.extend(ends.map(|to| [from, shifted(*to)]));
                }
            }
        }
        Ok(made.finish())
    }

    fn kept_rings(&self, kept: &Runs, vertex_shifts: &[u32]) -> Vec<Vec<VertexId>> {
        let mut rings = Vec::new();
        for (range, shift) in kept.entries(&self.ring_starts).iter().zip(vertex_shifts) {
            let lower = |ring: &Vec<VertexId>| ring.iter().map(|v| VertexId(v.0 - shift)).collect();
            rings.extend(self.rings[range].iter().map(lower));
        }
        rings
    }
}

/// What is kept of a list, and another one.
fn joined<T: Copy>(kept: &Runs, own: &[T], others: &[T]) -> Vec<T> {
    let mut joined = kept.copied(own, others.len(), |_, _| {});
    joined.extend_from_slice(others);
    joined
}
