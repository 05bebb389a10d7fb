//! Where the vertices of each body begin in the arrays of a scene.

use std::ops::Range;

use crate::id::{BodyId, VertexId};

/// The range of vertices of each body, stored once for all stages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodyOffsets {
    /// First vertex of each body, and one past the last; empty where no body is known.
    starts: Vec<u32>,
}

impl BodyOffsets {
    /// Bodies with these numbers of vertices, in order.
    #[cfg(test)]
    pub(crate) fn from_counts(counts: impl IntoIterator<Item = usize>) -> BodyOffsets {
        let mut offsets = BodyOffsets::default();
        counts.into_iter().for_each(|count| offsets.push(count));
        offsets
    }

    /// Appends a body.
    pub(super) fn push(&mut self, count: usize) {
        let end = self.vertex_count() as u32;
        if self.starts.is_empty() {
            self.starts.push(0);
        }
        self.starts.push(end + count as u32);
    }

    /// First vertex of each body, and one past the last; empty where no body is known.
    pub(crate) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Bodies with these first vertices, and one past the last.
    pub(super) fn from_starts(starts: Vec<u32>) -> BodyOffsets {
        BodyOffsets { starts }
    }

    /// Whether no body is known.
    pub(crate) fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Vertices of all bodies.
    pub(crate) fn vertex_count(&self) -> usize {
        self.starts.last().map_or(0, |end| *end as usize)
    }

    /// The vertices of a body; none of an unknown one.
    #[inline]
    pub(crate) fn range(&self, body: BodyId) -> Range<usize> {
        match (self.starts.get(body.index()), self.starts.get(body.index() + 1)) {
            (Some(&start), Some(&end)) => start as usize..end as usize,
            _ => 0..0,
        }
    }

    /// Vertex range of each body; one of all `vertex_count` where none is known.
    pub(crate) fn ranges(&self, vertex_count: usize) -> impl Iterator<Item = Range<usize>> {
        let count = self.starts.len().saturating_sub(1).max(1);
        (0..count).map(move |body| {
            if self.is_empty() { 0..vertex_count } else { self.range(BodyId(body as u32)) }
        })
    }

    /// The body of a vertex, and the vertex counted within it.
    ///
    /// Without bodies all vertices are of one; those past the last body count as its own.
    pub fn locate(&self, vertex: usize) -> (BodyId, VertexId) {
        let bodies = &self.starts[..self.starts.len().saturating_sub(1)];
        let body = bodies.partition_point(|start| *start as usize <= vertex).max(1) - 1;
        let start = self.starts.get(body).copied().unwrap_or(0);
        (BodyId(body as u32), VertexId((vertex as u32).saturating_sub(start)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_are_named_within_their_body() {
        let offsets = BodyOffsets::from_counts([3, 2]);
        assert_eq!(offsets.locate(2), (BodyId(0), VertexId(2)));
        assert_eq!(offsets.locate(4), (BodyId(1), VertexId(1)));
        assert_eq!(offsets.locate(7), (BodyId(1), VertexId(4)));
        assert_eq!(BodyOffsets::default().locate(4), (BodyId(0), VertexId(4)));
        assert_eq!(offsets.ranges(5).collect::<Vec<_>>(), [0..3, 3..5]);
        assert_eq!(BodyOffsets::default().ranges(5).last(), Some(0..5));
        assert_eq!((offsets.vertex_count(), offsets.range(BodyId(1))), (5, 3..5));
    }
}
