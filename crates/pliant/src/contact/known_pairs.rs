//! Which pairs of neighbours are searched for contacts, and which are kept from before.

use crate::id::BodyId;
use crate::mesh::topology::Csr;

/// Which pairs of neighbours need no search.
#[derive(Debug, Default)]
pub(super) struct KnownPairs {
    /// Place of each pair among those that are kept, by its first body; none to be searched.
    pub places: Vec<Option<u32>>,
    /// First place of each body.
    pub starts: Vec<usize>,
    /// Whether a body has a pair that is searched.
    pub searched: Vec<bool>,
    /// Whether any pair is.
    pub is_any_searched: bool,
}

impl KnownPairs {
    /// Whether two near bodies, ascending, are searched.
    pub fn is_searched(&self, near: &Csr<BodyId>, a: BodyId, b: BodyId) -> bool {
        let row = near.row(a.index());
        let behind = &row[row.partition_point(|other| *other <= a)..];
        let place = behind.binary_search(&b).ok();
        let place = place.and_then(|k| self.places.get(self.starts[a.index()] + k));
        !matches!(place, Some(Some(_)))
    }
}
