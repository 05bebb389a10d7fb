//! Sparsity pattern of the factor, and the order in which joints are eliminated.
//!
//! Joints that share a body are neighbours. The joint with the fewest neighbours is eliminated
//! first and makes neighbours of those it leaves (minimum degree): chains and trees get no
//! fill-in, loops get some.

use std::collections::BTreeSet;
use std::ops::Range;

/// Blocks below the diagonal of the factor, by columns in the order of elimination.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    /// Joints in the order of elimination.
    pub order: Vec<usize>,
    /// Where each joint stands in the order.
    pub place: Vec<usize>,
    /// Where each column begins in `below`; one more than joints.
    pub starts: Vec<usize>,
    /// Places of the blocks below the diagonal, ascending in each column.
    pub below: Vec<usize>,
}

impl Pattern {
    /// Pattern of joints with these neighbours, each list ascending, without the joint.
    pub(crate) fn new(mut neighbours: Vec<Vec<usize>>) -> Pattern {
        let count = neighbours.len();
        let mut waiting: BTreeSet<(usize, usize)> =
            neighbours.iter().enumerate().map(|(joint, list)| (list.len(), joint)).collect();
        let (mut order, mut place) = (Vec::with_capacity(count), vec![0; count]);
        while let Some((_, joint)) = waiting.pop_first() {
            place[joint] = order.len();
            order.push(joint);
            // Final from now on: the column of the joint.
            let clique = std::mem::take(&mut neighbours[joint]);
            for &near in &clique {
                waiting.remove(&(neighbours[near].len(), near));
                let merged: BTreeSet<usize> =
                    neighbours[near].iter().chain(&clique).copied().collect();
                neighbours[near] =
                    merged.into_iter().filter(|&other| other != near && other != joint).collect();
                waiting.insert((neighbours[near].len(), near));
            }
            neighbours[joint] = clique;
        }
        let (mut starts, mut below) = (vec![0], Vec::new());
        for &joint in &order {
            let from = below.len();
            below.extend(neighbours[joint].iter().map(|&near| place[near]));
            below[from..].sort_unstable();
            starts.push(below.len());
        }
        Pattern { order, place, starts, below }
    }

    /// Numbers of the blocks below the diagonal of a place, counted in `below`.
    #[inline]
    pub(crate) fn column(&self, place: usize) -> Range<usize> {
        self.starts[place]..self.starts[place + 1]
    }

    /// Number of the block of two different places, counted in `below`.
    pub(crate) fn block(&self, one: usize, other: usize) -> Option<usize> {
        let (column, row) = (one.min(other), one.max(other));
        let from = self.starts[column];
        self.below[self.column(column)].binary_search(&row).ok().map(|k| from + k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of the factor below the diagonal.
    fn blocks(count: usize, edges: &[(usize, usize)]) -> usize {
        let mut neighbours = vec![Vec::new(); count];
        for &(a, b) in edges {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
        neighbours.iter_mut().for_each(|list| list.sort_unstable());
        let pattern = Pattern::new(neighbours);
        for &(a, b) in edges {
            assert!(pattern.block(pattern.place[a], pattern.place[b]).is_some());
        }
        pattern.below.len()
    }

    #[test]
    fn chains_and_trees_get_no_new_blocks() {
        let chain: Vec<_> = (1..100).map(|k| (k - 1, k)).collect();
        assert_eq!(blocks(100, &chain), 99);
        // Given from the middle outwards, where the order of the list would cause fill-in.
        let star: Vec<_> = (1..20).map(|k| (0, k)).collect();
        assert_eq!(blocks(20, &star), 19);
        // Three joints at one body, each with another behind it: a triangle with tails.
        assert_eq!(blocks(6, &[(0, 1), (1, 2), (0, 2), (0, 3), (1, 4), (2, 5)]), 6);
    }

    #[test]
    fn a_loop_gets_one_block_for_each_joint_but_three() {
        let ring: Vec<_> = (0..10).map(|k| (k, (k + 1) % 10)).collect();
        assert_eq!(blocks(10, &ring), 10 + 7);
    }
}
