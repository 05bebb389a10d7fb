//! Sparse factors L D Lᵀ of one body's symmetric positive definite matrix of 3×3 blocks.
//!
//! [`FactorPattern`] is what follows from the pattern alone: an order of elimination with little
//! fill-in, and the supernodes, nodes that are eliminated together as one dense block. [`Factor`]
//! holds the numbers, by the multifrontal method (Duff and Reid, *The Multifrontal Solution of
//! Indefinite Sparse Symmetric Linear Equations*, 1983). They are kept in f64: in f64 a stiff
//! body of a centimetre, whose mass is a ten-millionth of its stiffness, would lose its motion as
//! a whole to rounding.
//!
//! | here     | formula       | meaning                                                       |
//! |----------|---------------|---------------------------------------------------------------|
//! | width    | s             | nodes of a supernode                                          |
//! | rows     | r             | nodes below it in L, whose equations it changes               |
//! | place    | p             | position of a node in the order of elimination                |
//! | `values` | D⁻¹, Lᵀ       | w lines per supernode: a row of D⁻¹ and a column of L, padded |
//! | front    | F             | rows and columns of a supernode, with what its children left  |
//! | update   | F_rr − L F_sr | what a supernode leaves for its parent                        |
//!
//! Solutions need no triangular systems: forwards x_r −= L x_s and x_s ← D⁻¹ x_s, backwards
//! x_s −= Lᵀ x_r. Sums have a fixed order with lanes of a constant width, so that results are bitwise
//! the same for any register width.

mod dissection;

mod graph;

mod order;

mod tree;

mod front;

mod fill;

mod solution;

pub(crate) use fill::FactorScratch;

use crate::math::Vec3;
use graph::Graph;
use order::minimum_degree;
use tree::{Supernode, Tree};

/// Numbers that are processed together; lines are padded to a multiple.
const LANES: usize = 4;

/// What all matrices with the same nonzero blocks have in common.
#[derive(Clone, Debug)]
pub(crate) struct FactorPattern {
    /// First block of each row, and one past the last of all.
    starts: Vec<u32>,
    /// Column of each block.
    columns: Vec<u32>,
    tree: Tree,
    /// First number of each supernode in [`Factor::values`], and one past the last of all.
    offsets: Vec<usize>,
}

/// The factors of one matrix; empty before the first [`Factor::fill`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Factor {
    values: Vec<f64>,
}

impl FactorPattern {
    /// Chooses the order of elimination and finds the nonzero blocks of the factors.
    ///
    /// `starts` and `columns` are the rows of a symmetric pattern, ascending, with the diagonal.
    /// `points` are the positions of the nodes. They serve the order alone and may be anything;
    /// where there are not as many as nodes, they are not used.
    pub(crate) fn new(starts: &[u32], columns: &[u32], points: &[Vec3]) -> FactorPattern {
        let graph = Graph { starts, columns };
        let mut tree = Tree::new(graph, &minimum_degree(graph, &vec![0; graph.len()]));
        // Dissection wins on large bodies that are thick everywhere, minimum degree on others.
        let stages = dissection::stages(graph, points);
        if stages.iter().any(|stage| *stage > 0) {
            let dissected = Tree::new(graph, &minimum_degree(graph, &stages));
            if dissected.solve_cost() < tree.solve_cost() {
                tree = dissected;
            }
        }
        let mut offsets = vec![0];
        let mut total = 0;
        for supernode in &tree.supernodes {
            total += 3 * supernode.width * stride(supernode);
            offsets.push(total);
        }
        FactorPattern { starts: starts.to_vec(), columns: columns.to_vec(), tree, offsets }
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.tree.places.len()
    }

    /// Number of blocks, of both triangles.
    pub(crate) fn entry_count(&self) -> usize {
        self.columns.len()
    }

    /// Position of a node in the order of elimination.
    #[inline]
    pub(crate) fn place(&self, node: usize) -> usize {
        self.tree.places[node] as usize
    }

    /// Multiply–adds of one [`Factor::fill`].
    pub(crate) fn factor_cost(&self) -> u64 {
        let cost = |(width, rows): (u64, u64)| width * (width + rows) * (width + rows) / 2;
        self.tree.sizes().map(cost).sum()
    }

    /// Multiply–adds of one [`Factor::solve`].
    pub(crate) fn solve_cost(&self) -> u64 {
        self.tree.solve_cost()
    }

    /// Numbers in a line of the longest supernode.
    fn longest(&self) -> usize {
        self.tree.supernodes.iter().map(stride).max().unwrap_or(0)
    }
}

/// The next multiple of the lanes.
#[inline]
fn padded(count: usize) -> usize {
    count.next_multiple_of(LANES)
}

/// Numbers in a line of a supernode: a row of D⁻¹ and a column of L, each padded.
#[inline]
fn stride(supernode: &Supernode) -> usize {
    padded(3 * supernode.width) + padded(3 * supernode.rows.len())
}

#[cfg(test)]
mod tests;
