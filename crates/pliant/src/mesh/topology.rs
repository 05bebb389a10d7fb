//! Connectivity of a mesh: faces, edges, neighbours and connected components.
//!
//! Everything comes from index arrays alone. Items are sorted into one bucket per
//! smallest vertex, and equal ones meet there: linear time while buckets are small.

use crate::id::{PartId, TetId, VertexId};
use crate::mesh::runs::{Runs, append_starts};

/// Most tets of one mesh: rows of six edges a tet are counted in 32 bits.
pub(crate) const MOST_TETS: usize = 1 << 29;

/// Corners of the four faces of a tet, counter-clockwise seen from outside.
pub(crate) const TET_FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// Ends of the six edges of a tet.
pub(crate) const TET_EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// Rows of different length in one array (compressed sparse rows).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Csr<T> {
    /// Row r is `items[starts[r]..starts[r + 1]]`; one more entry than rows.
    starts: Vec<u32>,
    /// All rows, one after the other.
    items: Vec<T>,
}

/// The faces of a tet mesh that belong to one tet only, and the invalid ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Boundary {
    /// Corners, counter-clockwise seen from outside when the tets are positive.
    pub triangles: Vec<[VertexId; 3]>,
    /// The tet that each triangle belongs to; ascending.
    pub tets: Vec<TetId>,
    /// Faces that three or more tets share, corners ascending; ascending, each once.
    pub non_manifold: Vec<[VertexId; 3]>,
    /// Pairs of tets on the same side of a common face, if all tets are oriented alike.
    pub folded: Vec<[TetId; 2]>,
}

/// Connected components of tets or triangles, by shared vertices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Component of each cell; numbered in the order of their first cells.
    pub of_cell: Vec<PartId>,
    /// Number of components.
    pub count: usize,
}

impl<T: Copy> Csr<T> {
    /// Sorts pairs (row, item) into rows; within a row items keep their order.
    ///
    /// Pairs beyond the last row are skipped. More than 2²⁹ rows end with the last that has an item.
    pub fn from_pairs(row_count: usize, pairs: impl Iterator<Item = (u32, T)> + Clone) -> Csr<T> {
        let row_count = kept_rows(row_count, || pairs.clone().map(|pair| pair.0));
        let pairs = pairs.filter(|pair| (pair.0 as usize) < row_count);
        let mut starts = vec![0_u32; row_count + 1];
        let mut total = 0_usize;
        let mut sample = None;
        for (row, item) in pairs.clone() {
            starts[row as usize + 1] += 1;
            total += 1;
            sample = Some(item);
        }
        for row in 0..row_count {
            starts[row + 1] += starts[row];
        }
        let Some(sample) = sample else {
            return Csr { starts, items: Vec::new() };
        };
        let mut items = vec![sample; total];
        let mut next = starts.clone();
        for (row, item) in pairs {
            items[next[row as usize] as usize] = item;
            next[row as usize] += 1;
        }
        Csr { starts, items }
    }

    /// Replaces all rows by pairs (row, item) that are sorted by row, in the same memory.
    ///
    /// Pairs out of order or beyond the last row end the list.
    pub fn refill(&mut self, row_count: usize, pairs: &[(u32, T)]) {
        let row_count = kept_rows(row_count, || pairs.iter().map(|pair| pair.0));
        let sorted = pairs.windows(2).position(|pair| pair[0].0 > pair[1].0);
        let pairs = &pairs[..sorted.map_or(pairs.len(), |last| last + 1)];
        let pairs = &pairs[..pairs.partition_point(|pair| (pair.0 as usize) < row_count)];
        self.items.clear();
        self.items.extend(pairs.iter().map(|pair| pair.1));
        self.starts.clear();
        self.starts.resize(row_count + 1, 0);
        for &(row, _) in pairs {
            self.starts[row as usize + 1] += 1;
        }
        for row in 0..row_count {
            self.starts[row + 1] += self.starts[row];
        }
    }

    /// A copy of some rows, followed by the rows of another; all are renumbered.
    ///
    /// `lower` gets each item of the copied rows with the number of its run.
    pub(crate) fn changed(
        &self,
        kept: &Runs,
        lower: impl Fn(usize, &mut T),
        other: &Csr<T>,
        renumber: impl Fn(T) -> T,
    ) -> Csr<T> {
        let mut starts = kept.copied_starts(&self.starts, other.len());
        append_starts(&mut starts, &other.starts);
        let mut items = kept.entries(&self.starts).copied(&self.items, other.items.len(), lower);
        items.extend(other.items.iter().map(|item| renumber(*item)));
        Csr { starts, items }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One row; empty beyond the last.
    #[inline]
    pub fn row(&self, row: usize) -> &[T] {
        match (self.starts.get(row), self.starts.get(row.wrapping_add(1))) {
            (Some(&start), Some(&end)) => &self.items[start as usize..end as usize],
            _ => &[],
        }
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.len()).map(|row| self.row(row))
    }
}

/// The corners of face `face` of a tet, counter-clockwise seen from outside.
#[inline]
pub(crate) fn tet_face(tet: [VertexId; 4], face: usize) -> [VertexId; 3] {
    TET_FACES[face].map(|corner| tet[corner])
}

/// Finds the boundary of a tet mesh.
///
/// Triangles come in the order of their tets. Faces are looked for at the vertices below
/// `vertex_count` and in the first 2²⁹ tets; others have no boundary.
pub fn boundary(vertex_count: usize, tets: &[[VertexId; 4]]) -> Boundary {
    let tets = &tets[..tets.len().min(MOST_TETS)];
    let mut lone = vec![0_u8; tets.len()];
    let mut found = Boundary::default();

    let mut bucket = Vec::new();
    for faces in faces_by_smallest_vertex(vertex_count, tets).iter() {
        bucket.clear();
        bucket.extend(faces.iter().map(|&name| {
            let [_, middle, largest] = sorted(face_corners(tets, name));
            (u64::from(middle.0) << 32 | u64::from(largest.0), name)
        }));
        bucket.sort_unstable();
        for same in bucket.chunk_by(|a, b| a.0 == b.0) {
            match *same {
                [(_, name)] => lone[(name / 4) as usize] |= 1 << (name % 4),
                [(_, a), (_, b)] => {
                    if same_turn(face_corners(tets, a), face_corners(tets, b)) {
                        found.folded.push([TetId(a / 4), TetId(b / 4)]);
                    }
                }
                _ => found.non_manifold.push(sorted(face_corners(tets, same[0].1))),
            }
        }
    }

    for (index, (&tet, &faces)) in tets.iter().zip(&lone).enumerate() {
        for face in (0..4).filter(|face| faces & 1 << face != 0) {
            found.triangles.push(tet_face(tet, face));
            found.tets.push(TetId(index as u32));
        }
    }
    found.non_manifold.sort_unstable();
    found.folded.sort_unstable();
    found
}

/// Every edge of the cells once, smaller vertex first, in ascending order.
///
/// Edges whose smaller vertex is not below `vertex_count` are left out.
pub fn edges<const N: usize>(vertex_count: usize, cells: &[[VertexId; N]]) -> Vec<[VertexId; 2]> {
    let ends = cells.iter().flat_map(|cell| {
        (0..N).flat_map(move |i| {
            (i + 1..N).map(move |j| (cell[i].min(cell[j]), cell[i].max(cell[j])))
        })
    });
    let by_smaller = Csr::from_pairs(vertex_count, ends.map(|(a, b)| (a.0, b)));
    let mut edges = Vec::with_capacity(cells.len() + by_smaller.len());
    let mut row = Vec::new();
    for (a, larger) in by_smaller.iter().enumerate() {
        row.clear();
        row.extend_from_slice(larger);
        row.sort_unstable();
        row.dedup();
        edges.extend(row.iter().map(|&b| [VertexId(a as u32), b]));
    }
    edges
}

/// The vertices at the other ends of each vertex's edges, ascending.
///
/// `edges` must be those of [`edges`]: sorted, each once.
pub fn neighbours(vertex_count: usize, edges: &[[VertexId; 2]]) -> Csr<VertexId> {
    // Smaller neighbours first, then larger ones: both halves arrive in order.
    let smaller = edges.iter().map(|&[a, b]| (b.0, a));
    let larger = edges.iter().map(|&[a, b]| (a.0, b));
    Csr::from_pairs(vertex_count, smaller.chain(larger))
}

/// The cells around each vertex, ascending.
pub fn cells_of_vertices<const N: usize>(vertex_count: usize, cells: &[[VertexId; N]]) -> Csr<u32> {
    let pairs = cells.iter().enumerate();
    Csr::from_pairs(
        vertex_count,
        pairs.flat_map(|(index, cell)| cell.iter().map(move |v| (v.0, index as u32))),
    )
}

/// Groups cells that share vertices, directly or through others.
///
/// A cell whose first vertex is not below `vertex_count` is a component of its own.
pub fn parts<const N: usize>(vertex_count: usize, cells: &[[VertexId; N]]) -> Parts {
    let vertex_count = kept_rows(vertex_count, || cells.iter().flatten().map(|v| v.0));
    let mut groups = Groups::new(vertex_count);
    for cell in cells {
        for corner in cell.iter().skip(1) {
            groups.join(cell[0].0, corner.0);
        }
    }
    let mut number = vec![None; vertex_count];
    let mut found = Parts::default();
    for cell in cells {
        let Some(first) = cell.first() else { continue };
        let mut alone = None;
        let known = number.get_mut(groups.root(first.0) as usize).unwrap_or(&mut alone);
        let part = *known.get_or_insert_with(|| {
            found.count += 1;
            PartId(found.count as u32 - 1)
        });
        found.of_cell.push(part);
    }
    found
}

impl Parts {
    /// The first cell of each component, by component.
    pub(crate) fn first_cells(&self) -> Vec<u32> {
        let mut firsts = Vec::with_capacity(self.count);
        for (cell, part) in self.of_cell.iter().enumerate() {
            if part.index() == firsts.len() {
                firsts.push(cell as u32);
            }
        }
        firsts
    }
}

/// Sets that can be joined (union–find); the smallest member names its set.
#[derive(Clone, Debug)]
pub struct Groups {
    /// Points towards the smallest member; a root points to itself.
    ///
    /// Members behind the last are alone.
    parent: Vec<u32>,
    /// Number of members.
    count: usize,
}

impl Groups {
    /// Every member alone.
    pub fn new(count: usize) -> Groups {
        Groups { parent: Vec::new(), count }
    }

    /// Number of members of all sets.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The smallest member of the set that holds `member`; an unknown one is alone.
    pub fn root(&mut self, member: u32) -> u32 {
        if member as usize >= self.parent.len() {
            return member;
        }
        let mut at = member;
        while self.parent[at as usize] != at {
            // Halving the path keeps later walks short.
            self.parent[at as usize] = self.parent[self.parent[at as usize] as usize];
            at = self.parent[at as usize];
        }
        at
    }

    /// Makes one set of two; unknown members stay alone.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = (a.min(b), a.max(b));
        if high as usize >= self.count.min(MOST_TETS) {
            return;
        }
        if high as usize >= self.parent.len() {
            self.parent.extend(self.parent.len() as u32..=high);
        }
        self.parent[high as usize] = low;
    }
}

/// Rows that are kept: all, or those to the last in use where more than [`MOST_TETS`] are wanted.
fn kept_rows<I: Iterator<Item = u32>>(wanted: usize, used: impl Fn() -> I) -> usize {
    if wanted <= MOST_TETS {
        return wanted;
    }
    let known = used().map(|row| row as usize + 1).filter(|end| *end <= MOST_TETS);
    known.max().unwrap_or(0)
}

/// Names of all faces (4 · tet + face), by the smallest of their vertices.
fn faces_by_smallest_vertex(vertex_count: usize, tets: &[[VertexId; 4]]) -> Csr<u32> {
    let names = tets.iter().enumerate().flat_map(|(index, &tet)| {
        (0..4).map(move |face| {
            let [a, b, c] = tet_face(tet, face);
            (a.min(b).min(c).0, 4 * index as u32 + face as u32)
        })
    });
    Csr::from_pairs(vertex_count, names)
}

#[inline]
fn face_corners(tets: &[[VertexId; 4]], name: u32) -> [VertexId; 3] {
    tet_face(tets[(name / 4) as usize], (name % 4) as usize)
}

#[inline]
fn sorted([a, b, c]: [VertexId; 3]) -> [VertexId; 3] {
    let (a, b) = (a.min(b), a.max(b));
    let (b, c) = (b.min(c), b.max(c));
    [a.min(b), a.max(b), c]
}

/// Whether two triangles with the same corners run through them in the same sense.
#[inline]
fn same_turn(a: [VertexId; 3], b: [VertexId; 3]) -> bool {
    let turned = |k: usize| [b[k], b[(k + 1) % 3], b[(k + 2) % 3]];
    (0..3).any(|k| turned(k) == a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    fn tets(corners: &[[u32; 4]]) -> Vec<[VertexId; 4]> {
        corners.iter().map(|tet| tet.map(VertexId)).collect()
    }

    /// Reference implementation: every face against every other.
    fn brute_boundary(tets: &[[VertexId; 4]]) -> Vec<[VertexId; 3]> {
        let faces: Vec<_> =
            tets.iter().flat_map(|&t| (0..4).map(move |f| tet_face(t, f))).collect();
        let alone = |face: &[VertexId; 3]| {
            faces.iter().filter(|other| sorted(**other) == sorted(*face)).count() == 1
        };
        faces.iter().copied().filter(alone).collect()
    }

    #[test]
    fn faces_look_outward() {
        use crate::math::{Vec3, orient3d};
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        for (opposite, [a, b, c]) in TET_FACES.into_iter().enumerate() {
            assert!(orient3d(corners[a], corners[b], corners[c], corners[opposite]) < 0.0);
        }
    }

    #[test]
    fn two_tets_hide_the_face_they_share() {
        let two = tets(&[[0, 1, 2, 3], [1, 2, 3, 4]]);
        // [1, 2, 3, 4] turns its face 1 2 3 the other way: 4 lies outside of it.
        let found = boundary(5, &two);
        assert_eq!(found.triangles.len(), 6);
        assert_eq!(found.triangles, brute_boundary(&two));
        assert!(found.folded.is_empty() && found.non_manifold.is_empty());
    }

    #[test]
    fn tets_on_the_same_side_of_a_face_are_folded() {
        let found = boundary(5, &tets(&[[0, 1, 2, 3], [4, 1, 2, 3]]));
        assert_eq!(found.folded, [[TetId(0), TetId(1)]]);
    }

    #[test]
    fn three_tets_on_a_face_are_crowded() {
        let found = boundary(6, &tets(&[[0, 1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 5]]));
        assert_eq!(found.non_manifold, [[1, 2, 3].map(VertexId)]);
        assert_eq!(found.triangles.len(), 9);
    }

    #[test]
    fn random_tets_have_the_boundary_of_the_slow_twin() {
        let mut random = Random::new(1);
        let mut below = |end| random.below(end) as u32;
        for _ in 0..50 {
            let soup: Vec<_> = (0..40)
                .map(|_| {
                    let first = below(6);
                    [first, first + 1 + below(2), first + 3 + below(2), first + 5 + below(2)]
                })
                .collect();
            let soup = tets(&soup);
            assert_eq!(boundary(12, &soup).triangles, brute_boundary(&soup));
        }
    }

    #[test]
    fn edges_are_unique_and_sorted() {
        let found = edges(5, &tets(&[[3, 1, 2, 0], [1, 2, 3, 4]]));
        let expected = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];
        assert_eq!(found, expected.map(|edge| edge.map(VertexId)));
    }

    #[test]
    fn neighbours_are_mutual_and_ascending() {
        let cells = tets(&[[3, 1, 2, 0], [1, 2, 3, 4]]);
        let rows = neighbours(6, &edges(6, &cells));
        assert_eq!(rows.row(3), [0, 1, 2, 4].map(VertexId));
        assert_eq!(rows.row(0), [1, 2, 3].map(VertexId));
        assert!(rows.row(5).is_empty());
        assert_eq!(rows.len(), 6);
    }

    #[test]
    fn parts_are_numbered_by_their_first_cell() {
        let found = parts(12, &tets(&[[8, 9, 10, 11], [0, 1, 2, 3], [3, 4, 5, 6]]));
        assert_eq!(found.of_cell, [PartId(0), PartId(1), PartId(1)]);
        assert_eq!(found.count, 2);
        assert_eq!(found.first_cells(), [0, 1]);
    }

    #[test]
    fn nothing_has_no_topology() {
        assert_eq!(boundary(0, &[]), Boundary::default());
        assert!(edges::<4>(0, &[]).is_empty());
        assert!(neighbours(0, &[]).is_empty());
        assert_eq!(parts::<4>(0, &[]).count, 0);
    }

    #[test]
    fn cells_of_a_vertex_ascend() {
        let rows = cells_of_vertices(5, &tets(&[[0, 1, 2, 3], [1, 2, 3, 4]]));
        assert_eq!(rows.row(0), [0]);
        assert_eq!(rows.row(2), [0, 1]);
    }
}
