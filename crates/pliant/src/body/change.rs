//! Bodies that are removed from a scene, and others that are appended.
//!
//! The arrays are the same, bit for bit, as those of a scene that is built anew.

use crate::body::Bodies;
use crate::id::{TriangleId, VertexId};
use crate::mesh::runs::{Runs, append_starts};
use crate::mesh::topology::MOST_TETS;

impl Bodies {
    /// First surface triangle of each body, and one past the last of all; empty without bodies.
    pub(crate) fn triangle_starts(&self) -> &[u32] {
        &self.triangle_starts
    }

    /// Keeps some bodies, at least one.
    pub(crate) fn keep(&mut self, kept: &Runs) {
        let vertex_runs = kept.entries(self.offsets.starts());
        let triangle_runs = kept.entries(&self.triangle_starts);
        let (vertex_shifts, triangle_shifts) = (vertex_runs.shifts(), triangle_runs.shifts());
        let lower = |run: usize, vertex: &mut VertexId| vertex.0 -= vertex_shifts[run];
        kept.keep(&mut self.kinds, |_, _| {});
        kept.keep(&mut self.bounded, |_, _| {});
        kept.keep(&mut self.body_hashes, |_, _| {});
        kept.entries(&self.tet_starts).keep(&mut self.tets, |run, tet| {
            tet.iter_mut().for_each(|vertex| lower(run, vertex));
        });
        triangle_runs.keep(&mut self.triangles, |run, triangle| {
            triangle.iter_mut().for_each(|vertex| lower(run, vertex));
        });
        self.neighbours.keep(&vertex_runs, lower);
        self.triangles_around
            .keep(&vertex_runs, |run, triangle| triangle.0 -= triangle_shifts[run]);
        self.keep_rings(kept, &vertex_shifts);
        for starts in [&mut self.tet_starts, &mut self.triangle_starts, &mut self.ring_starts] {
            kept.keep_starts(starts);
        }
        kept.keep_starts(self.offsets.starts_mut());
        self.hash = self.joined_hash();
    }

    fn keep_rings(&mut self, kept: &Runs, vertex_shifts: &[u32]) {
        if self.rings.is_empty() {
            return;
        }
        let mut rings = Vec::new();
        for (run, range) in kept.entries(&self.ring_starts).iter().enumerate() {
            for ring in &mut self.rings[range] {
                ring.iter_mut().for_each(|vertex| vertex.0 -= vertex_shifts[run]);
                rings.push(std::mem::take(ring));
            }
        }
        self.rings = rings;
    }

    /// Whether 32-bit indices can name all that is here and in another scene.
    pub(crate) fn has_room_for(&self, other: &Bodies) -> bool {
        let fits = |own: usize, others: usize| own + others <= MOST_TETS;
        fits(self.vertex_count(), other.vertex_count())
            && fits(self.tets.len(), other.tets.len())
            && fits(self.triangles.len(), other.triangles.len())
    }

    /// Appends the bodies of another scene, for which there must be room.
    pub(crate) fn append(&mut self, other: &Bodies) {
        if self.is_empty() || other.is_empty() {
            if self.is_empty() {
                self.clone_from(other);
            }
            return;
        }
        let (base, first) = (self.vertex_count() as u32, self.triangles.len() as u32);
        let global = |vertex: VertexId| VertexId(base + vertex.0);
        self.kinds.extend_from_slice(&other.kinds);
        self.bounded.extend_from_slice(&other.bounded);
        self.body_hashes.extend_from_slice(&other.body_hashes);
        self.tets.extend(other.tets.iter().map(|tet| tet.map(global)));
        self.triangles.extend(other.triangles.iter().map(|triangle| triangle.map(global)));
        self.neighbours.append(&other.neighbours, global);
        self.triangles_around.append(&other.triangles_around, |t| TriangleId(first + t.0));
        let rings = other.rings.iter();
        self.rings.extend(rings.map(|ring| ring.iter().map(|v| global(*v)).collect::<Vec<_>>()));
        append_starts(&mut self.tet_starts, &other.tet_starts);
        append_starts(&mut self.triangle_starts, &other.triangle_starts);
        append_starts(&mut self.ring_starts, &other.ring_starts);
        append_starts(self.offsets.starts_mut(), other.offsets.starts());
        self.hash = self.joined_hash();
    }
}
