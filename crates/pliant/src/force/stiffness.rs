//! Derivatives of forces, as a sparse matrix of 3×3 blocks.
//!
//! | here        | lecture | meaning                                   |
//! |-------------|---------|-------------------------------------------|
//! | `stiffness` | −K      | minus derivative of force by position, N/m |
//! | `damping`   | −D      | minus derivative by velocity, N·s/m        |
//!
//! The sign is the usual one of stiffness matrices, positive for a spring at rest; the
//! lecture's K is its negative (erratum L15).

use std::ops::Range;

use crate::force::low_rank::{LowRank, Share};
use crate::force::{Force, Forces};
use crate::id::VertexId;
use crate::math::{Mat3, Vec3};
use crate::mesh::runs::Runs;
use crate::mesh::topology::Csr;
use crate::par;

/// Which weighted sum of derivatives to compute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tangent {
    /// Weight of the stiffness −∂f/∂x.
    pub stiffness: f64,
    /// Weight of the damping −∂f/∂v.
    pub damping: f64,
    /// Exact, or definite for a solver.
    pub form: Form,
}

/// Whether a derivative is exact or made positive semidefinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The derivative itself; may be indefinite, and not symmetric where damping turns.
    Exact,
    /// The nearest symmetric matrix without negative eigenvalues, or one like it.
    Definite,
}

/// Where an element's block goes in a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot(u32);

impl Slot {
    /// Marks the first that goes to its place: it needs no zero to be added to.
    const FIRST: u32 = 1 << 31;

    /// Moves on to a place that is lower by so much.
    pub(super) fn lower(&mut self, by: u32) {
        self.0 -= by;
    }

    /// Puts or adds a block to `blocks`, which begin with the block that is `start` in all.
    ///
    /// Nothing happens where it is not among them.
    #[inline]
    pub fn add(self, block: &Mat3, start: usize, blocks: &mut [Mat3]) {
        let place = ((self.0 & !Slot::FIRST) as usize).wrapping_sub(start);
        let Some(place) = blocks.get_mut(place) else { return };
        if self.0 & Slot::FIRST == 0 {
            *place += *block;
        } else {
            *place = *block;
        }
    }
}

/// A square matrix of 3×3 blocks, one row and column per vertex.
///
/// Blocks are sparse; terms of low rank come on top of them.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockMatrix {
    /// First block of each row, and one past the last of all.
    starts: Vec<usize>,
    /// Column of each block; ascending within a row, the diagonal always among them.
    columns: Vec<VertexId>,
    blocks: Vec<Mat3>,
    /// Place of each row's diagonal block.
    diagonal: Vec<usize>,
    /// Rows of each thread; empty for one.
    offsets: Vec<usize>,
    /// The first `term_count` count, the others are memory to reuse.
    terms: Vec<LowRank>,
    term_count: usize,
    /// What the terms have in each row; empty without terms.
    shares: Vec<Share>,
}

impl BlockMatrix {
    /// The zero matrix with room for the elements of all forces.
    pub(crate) fn new(vertex_count: usize, forces: &Forces) -> BlockMatrix {
        let mut pairs: Vec<(u32, VertexId)> =
            (0..vertex_count as u32).map(|v| (v, VertexId(v))).collect();
        for force in forces.iter() {
            force.visit_dense(&mut |vertices| {
                for a in vertices {
                    pairs.extend(vertices.iter().filter(|b| *b != a).map(|b| (a.0, *b)));
                }
            });
            // Kept short: an edge inside a solid comes with every tet around it.
            pairs.sort_unstable();
            pairs.dedup();
        }
        condense(&mut pairs, forces.leaning());
        BlockMatrix::from_pairs(vertex_count, &pairs)
    }

    /// The zero matrix with blocks at these rows and columns, ascending, each once.
    fn from_pairs(row_count: usize, pairs: &[(u32, VertexId)]) -> BlockMatrix {
        let rows = Csr::from_pairs(row_count, pairs.iter().copied());
        let mut matrix = BlockMatrix {
            starts: vec![0],
            columns: Vec::with_capacity(pairs.len()),
            blocks: vec![Mat3::ZERO; pairs.len()],
            diagonal: Vec::with_capacity(row_count),
            offsets: Vec::new(),
            terms: Vec::new(),
            term_count: 0,
            shares: Vec::new(),
        };
        for (row, columns) in rows.iter().enumerate() {
            let before = columns.partition_point(|column| column.index() < row);
            matrix.diagonal.push(matrix.columns.len() + before);
            matrix.columns.extend_from_slice(columns);
            matrix.starts.push(matrix.columns.len());
        }
        matrix
    }

    /// Places of the blocks that each force visits, row by row of each visit.
    ///
    /// Only for forces that the matrix was made for, to be added in this order. Forces without
    /// derivatives have no places.
    pub(super) fn slots(&self, forces: &Forces) -> Vec<Vec<Slot>> {
        let mut seen = vec![false; self.blocks.len()];
        let mut slots_of = |force: &dyn Force| {
            let mut slots = Vec::new();
            if !force.answers() {
                return slots;
            }
            force.visit_dense(&mut |vertices| {
                for a in vertices {
                    slots.extend(vertices.iter().map(|b| {
                        let place = self.place(*a, *b);
                        let first = !std::mem::replace(&mut seen[place], true);
                        Slot(place as u32 | if first { Slot::FIRST } else { 0 })
                    }));
                }
            });
            slots
        };
        forces.iter().map(&mut slots_of).collect()
    }

    /// Keeps some rows, which have blocks only among themselves, run by run.
    ///
    /// Returns by how much the places of blocks decrease in each run.
    pub(super) fn keep_rows(&mut self, rows: &Runs) -> Vec<u32> {
        let places = rows.entries(&self.starts);
        let (row_shifts, shifts) = (rows.shifts(), places.shifts());
        places.keep(&mut self.columns, |run, column| column.0 -= row_shifts[run]);
        places.keep(&mut self.blocks, |_, _| {});
        rows.keep(&mut self.diagonal, |run, place| *place -= shifts[run] as usize);
        rows.keep_starts(&mut self.starts);
        self.clear_terms();
        self.terms.clear();
        self.offsets.clear();
        shifts
    }

    /// Appends rows up to a number of them, with room for elements that are in new rows alone.
    pub(super) fn append_rows<const N: usize>(
        &mut self,
        row_count: usize,
        elements: &[[VertexId; N]],
    ) {
        let mut pairs: Vec<(u32, VertexId)> =
            (self.len() as u32..row_count as u32).map(|row| (row, VertexId(row))).collect();
        pairs.extend(blocks_of(elements).map(|(row, column)| (row.0, column)));
        pairs.sort_unstable();
        pairs.dedup();
        for row in pairs.chunk_by(|a, b| a.0 == b.0) {
            let before = row.partition_point(|(row, column)| column.0 < *row);
            self.diagonal.push(self.columns.len() + before);
            self.columns.extend(row.iter().map(|pair| pair.1));
            self.starts.push(self.columns.len());
        }
        self.blocks.resize(self.columns.len(), Mat3::ZERO);
    }

    /// Appends the places of the blocks of elements that are in rows from one on alone.
    ///
    /// They must be all elements in these rows.
    pub(super) fn append_slots<const N: usize>(
        &self,
        first_row: usize,
        elements: &[[VertexId; N]],
        slots: &mut Vec<Slot>,
    ) {
        let first = self.starts[first_row];
        let mut seen = vec![false; self.blocks.len() - first];
        slots.extend(blocks_of(elements).map(|(row, column)| {
            let place = self.place(row, column);
            let is_first = !std::mem::replace(&mut seen[place - first], true);
            Slot(place as u32 | if is_first { Slot::FIRST } else { 0 })
        }));
    }

    fn place(&self, row: VertexId, column: VertexId) -> usize {
        let columns = self.starts[row.index()]..self.starts[row.index() + 1];
        let before = self.columns[columns.clone()].partition_point(|c| *c < column);
        debug_assert!(before < columns.len(), "no block ({row}, {column})");
        columns.start + before
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.diagonal.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.diagonal.is_empty()
    }

    /// Columns and blocks of a row, columns ascending; without the terms of low rank.
    ///
    /// None beyond the last row.
    #[inline]
    pub fn row(&self, row: usize) -> (&[VertexId], &[Mat3]) {
        if row >= self.len() {
            return (&[], &[]);
        }
        let places = self.starts[row]..self.starts[row + 1];
        (&self.columns[places.clone()], &self.blocks[places])
    }

    /// An entry of a right-hand side, less what unknowns with given values contribute to its row.
    ///
    /// Terms of low rank are not considered.
    pub(crate) fn without(
        &self,
        row: usize,
        right: Vec3,
        values: &[Vec3],
        is_given: impl Fn(usize) -> bool,
    ) -> Vec3 {
        let (columns, blocks) = self.row(row);
        let given = columns.iter().zip(blocks).filter(|(column, _)| is_given(column.index()));
        let from: Vec3 = given.map(|(column, block)| *block * values[column.index()]).sum();
        right - from
    }

    /// The diagonal block of a row; NaN beyond the last.
    #[inline]
    pub fn diagonal(&self, row: usize) -> Mat3 {
        let Some(&place) = self.diagonal.get(row) else { return Mat3::NAN };
        let block = self.blocks[place];
        self.shares.get(row).map_or(block, |share| block + share.diagonal)
    }

    /// The terms of low rank.
    pub(crate) fn terms(&self) -> &[LowRank] {
        &self.terms[..self.term_count]
    }

    /// The terms of low rank that may touch some rows.
    pub(crate) fn terms_at(&self, rows: Range<usize>) -> &[LowRank] {
        let is_touched = self.shares.get(rows).is_some_and(|own| own.iter().any(Share::is_some));
        if is_touched { self.terms() } else { &[] }
    }

    /// Sum of a row of all terms of low rank, over what a shift of all bodies moves.
    ///
    /// `None` without terms.
    #[inline]
    pub(crate) fn term_sum(&self, row: usize) -> Option<Mat3> {
        self.shares.get(row).map(|share| share.sum)
    }

    /// Appends a term of low rank, to be filled; [`BlockMatrix::finish_terms`] comes last.
    pub(crate) fn add_term(&mut self) -> &mut LowRank {
        if self.terms.len() == self.term_count {
            self.terms.push(LowRank::default());
        }
        self.term_count += 1;
        &mut self.terms[self.term_count - 1]
    }

    /// Removes all terms of low rank.
    pub(super) fn clear_terms(&mut self) {
        self.term_count = 0;
        self.shares.clear();
    }

    /// Notes what the terms have in each row, once all of them are filled.
    pub(crate) fn finish_terms(&mut self) {
        let count = if self.term_count == 0 { 0 } else { self.len() };
        let BlockMatrix { terms, term_count, shares, .. } = self;
        shares.clear();
        shares.resize(count, Share::NONE);
        terms[..*term_count].iter().for_each(|term| term.add_shares(shares));
    }

    /// Lets attached vertices go by the unknowns of their rigid bodies in the terms.
    ///
    /// `attached` returns the first of the two unknowns and the arm, m.
    pub(crate) fn condense_terms(
        &mut self,
        attached: impl Fn(VertexId) -> Option<(VertexId, Vec3)>,
    ) {
        self.terms[..self.term_count].iter_mut().for_each(|term| term.condense(&attached));
        self.finish_terms();
    }

    /// The same matrix with the terms of low rank as blocks; `None` without terms.
    ///
    /// Its size is the square of the vertices of each term.
    #[cfg(any(test, feature = "direct"))]
    pub(crate) fn expanded(&self) -> Option<BlockMatrix> {
        if self.term_count == 0 {
            return None;
        }
        let own = |row: usize| self.row(row).0.iter().map(move |column| (row as u32, *column));
        let mut pairs: Vec<(u32, VertexId)> = (0..self.len()).flat_map(own).collect();
        for term in self.terms() {
            pairs.extend(term.unknowns().flat_map(|a| term.unknowns().map(move |b| (a.0, b))));
            pairs.sort_unstable();
            pairs.dedup();
        }
        let mut expanded = BlockMatrix::from_pairs(self.len(), &pairs);
        expanded.offsets.clone_from(&self.offsets);
        for row in 0..self.len() {
            let (columns, blocks) = self.row(row);
            for (column, block) in columns.iter().zip(blocks) {
                expanded.add_block(VertexId(row as u32), *column, *block);
            }
        }
        for term in self.terms() {
            term.visit_blocks(|row, column, block| expanded.add_block(row, column, block));
        }
        Some(expanded)
    }

    /// All sparse blocks, row after row.
    pub(super) fn blocks(&self) -> &[Mat3] {
        &self.blocks
    }

    /// Adds other blocks to those at the same places.
    pub(super) fn add_blocks(&mut self, others: &[Mat3]) {
        self.blocks.iter_mut().zip(others).for_each(|(block, other)| *block += *other);
    }

    /// Makes room for the first blocks of all elements.
    ///
    /// Diagonal blocks may have none; all others are written before they are added to.
    pub(super) fn clear(&mut self) {
        for place in &self.diagonal {
            self.blocks[*place] = Mat3::ZERO;
        }
    }

    /// Adds a multiple of the identity to a diagonal block; nothing beyond the last row.
    #[inline]
    pub fn add_to_diagonal(&mut self, row: usize, amount: f64) {
        let Some(&place) = self.diagonal.get(row) else { return };
        let block = &mut self.blocks[place];
        block.x_axis.x += amount;
        block.y_axis.y += amount;
        block.z_axis.z += amount;
    }

    /// Puts a diagonal block in place of another.
    #[inline]
    pub(crate) fn set_diagonal(&mut self, row: usize, block: Mat3) {
        let share = self.shares.get(row);
        self.blocks[self.diagonal[row]] = share.map_or(block, |share| block - share.diagonal);
    }

    /// Column and block of an entry of a row.
    #[inline]
    pub(crate) fn entry(&self, row: usize, entry: usize) -> (VertexId, Mat3) {
        let place = self.starts[row] + entry;
        (self.columns[place], self.blocks[place])
    }

    /// Adds to a block that the matrix has room for.
    pub(crate) fn add_block(&mut self, row: VertexId, column: VertexId, block: Mat3) {
        let place = self.place(row, column);
        self.blocks[place] += block;
    }

    /// Makes a block zero that the matrix has room for.
    pub(crate) fn clear_block(&mut self, row: VertexId, column: VertexId) {
        let place = self.place(row, column);
        self.blocks[place] = Mat3::ZERO;
    }

    /// Sets the number of threads; results stay bitwise the same.
    pub fn set_threads(&mut self, threads: usize) {
        let threads = par::useful_threads(threads, self.len());
        self.offsets =
            if threads < 2 { Vec::new() } else { par::even_offsets(self.len(), threads) };
    }

    /// Fills `product` with the matrix times `x`; with NaN where one of them has too few rows.
    pub fn multiply(&self, x: &[Vec3], product: &mut [Vec3]) {
        if x.len().min(product.len()) < self.len() {
            return product.fill(Vec3::NAN);
        }
        let rows = |first: usize, piece: &mut [Vec3]| {
            for (k, result) in piece.iter_mut().enumerate() {
                let (columns, blocks) = self.row(first + k);
                let terms = columns.iter().zip(blocks);
                *result = terms.map(|(column, block)| *block * x[column.index()]).sum();
            }
        };
        if self.offsets.last() != Some(&product.len()) {
            rows(0, product);
        } else {
            par::chunks(product, &self.offsets, |share, piece| rows(self.offsets[share], piece));
        }
        // Their sums are over all rows, and cost little beside these.
        self.terms().iter().for_each(|term| term.add_product(x, product));
    }

    /// All sparse blocks, row after row.
    pub fn blocks_mut(&mut self) -> &mut [Mat3] {
        &mut self.blocks
    }

    /// Calls `act` for each chunk of rows: number, index of its first block, its blocks.
    pub(super) fn row_pieces(
        &mut self,
        offsets: &[usize],
        act: impl Fn(usize, usize, &mut [Mat3]) + Sync + Send,
    ) {
        let BlockMatrix { starts, blocks, .. } = self;
        by_rows(blocks, starts, offsets, 0, &act);
    }
}

/// Row and column of each block of some elements, row by row of each.
fn blocks_of<const N: usize>(
    elements: &[[VertexId; N]],
) -> impl Iterator<Item = (VertexId, VertexId)> {
    let of = |element: &[VertexId; N]| {
        let element = *element;
        element
            .into_iter()
            .flat_map(move |row| element.into_iter().map(move |column| (row, column)))
    };
    elements.iter().flat_map(of)
}

/// Adds the pairs that condensed vertices bring to their unknowns, each once.
fn condense(pairs: &mut Vec<(u32, VertexId)>, leaning: &[(VertexId, VertexId)]) {
    if leaning.is_empty() {
        return;
    }
    let unknowns = |vertex: VertexId| {
        let found = leaning.binary_search_by_key(&vertex, |(vertex, _)| *vertex);
        found.ok().map(|k| [leaning[k].1, VertexId(leaning[k].1.0 + 1)])
    };
    let mut more = Vec::new();
    for &(row, column) in &*pairs {
        let Some(own) = unknowns(VertexId(row)) else { continue };
        let met = unknowns(column);
        for a in own {
            for b in met.as_ref().map_or(&[column][..], |met| met) {
                more.extend([(a.0, *b), (b.0, a)]);
            }
        }
    }
    pairs.append(&mut more);
    pairs.sort_unstable();
    pairs.dedup();
}

/// Halves the rows between `offsets` down to one chunk; `blocks` begins with its rows.
///
/// `number` is that of the first chunk.
fn by_rows(
    blocks: &mut [Mat3],
    starts: &[usize],
    offsets: &[usize],
    number: usize,
    act: &(impl Fn(usize, usize, &mut [Mat3]) + Sync + Send),
) {
    let first = starts[offsets[0]];
    if offsets.len() <= 2 {
        return act(number, first, blocks);
    }
    let middle = (offsets.len() - 1) / 2;
    let (low, high) = blocks.split_at_mut(starts[offsets[middle]] - first);
    let low = || by_rows(low, starts, &offsets[..=middle], number, act);
    let high = || by_rows(high, starts, &offsets[middle..], number + middle, act);
    par::both(low, high);
}
