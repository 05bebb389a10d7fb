//! Order of elimination: approximate minimum degree, in stages.
//!
//! The node with the fewest neighbours is eliminated first and leaves a clique of them. Cliques are
//! kept as elements, lists of their members, and never as edges: memory does not grow beyond that
//! of the graph (Amestoy, Davis and Duff, *An Approximate Minimum Degree Ordering Algorithm*, 1996).
//! A node of a later stage waits for all of the earlier ones, which is how the separators of
//! [`super::dissection`] come last.
//!
//! | here       | paper | meaning                                              |
//! |------------|-------|------------------------------------------------------|
//! | `edges`    | Aᵢ    | neighbours of a node that share no element with it   |
//! | `elements` | Eᵢ    | elements a node is a member of                       |
//! | `members`  | Lₑ    | nodes of an element that are not eliminated          |
//! | `outside`  | Lₑ∖Lₚ | members of an element beside those of the newest one |

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::graph::Graph;

/// The node an entry of a list stands for where there is none.
const NONE: u32 = u32::MAX;

/// Nodes in the order of elimination, by stage and then by degree; ties by index.
///
/// Elements are absorbed aggressively, and masses eliminated at once. Indistinguishable nodes are
/// not merged: blocks of three unknowns are merged already.
pub(super) fn minimum_degree(graph: Graph<'_>, stages: &[u8]) -> Vec<u32> {
    let mut quotient = Quotient::new(graph, stages);
    while let Some(Reverse((_, degree, pivot))) = quotient.queue.pop() {
        let node = pivot as usize;
        if quotient.is_done[node] || quotient.degrees[node] != degree {
            continue;
        }
        quotient.eliminate(pivot);
        if quotient.members[node].len() == quotient.remaining() {
            quotient.finish(node);
            break;
        }
    }
    quotient.order
}

/// What is left of the graph.
#[derive(Debug)]
struct Quotient<'a> {
    stages: &'a [u8],
    edges: Vec<Vec<u32>>,
    elements: Vec<Vec<u32>>,
    /// By the node whose elimination made the element; empty for others.
    members: Vec<Vec<u32>>,
    is_done: Vec<bool>,
    /// Neighbours of a node, or more: an upper bound.
    degrees: Vec<u32>,
    /// Stage, degree and node; entries with an old degree are skipped.
    queue: BinaryHeap<Reverse<(u8, u32, u32)>>,
    order: Vec<u32>,
    /// Last pivot that each node became a neighbour of.
    marks: Vec<u32>,
    /// By element, with the pivot it was counted for.
    outside: Vec<(u32, u32)>,
}

impl<'a> Quotient<'a> {
    fn new(graph: Graph<'_>, stages: &'a [u8]) -> Quotient<'a> {
        let count = graph.len();
        let others = |node: usize| graph.neighbours(node).collect::<Vec<u32>>();
        let edges: Vec<Vec<u32>> = (0..count).map(others).collect();
        let degrees: Vec<u32> = edges.iter().map(|list| list.len() as u32).collect();
        let entry = |node: usize| Reverse((stages[node], degrees[node], node as u32));
        let queue = (0..count).map(entry).collect();
        Quotient {
            stages,
            edges,
            elements: vec![Vec::new(); count],
            members: vec![Vec::new(); count],
            is_done: vec![false; count],
            degrees,
            queue,
            order: Vec::with_capacity(count),
            marks: vec![NONE; count],
            outside: vec![(0, NONE); count],
        }
    }

    fn remaining(&self) -> usize {
        self.edges.len() - self.order.len()
    }

    /// Replaces a node by the element of its neighbours.
    fn eliminate(&mut self, pivot: u32) {
        self.push(pivot);
        let mut members = self.neighbours(pivot);
        self.count_outside(pivot, &members);
        for &node in &members {
            self.update(pivot, node as usize, members.len());
        }
        // Mass elimination: what sees the new element and nothing else makes no fill-in.
        let stage = self.stages[pivot as usize];
        members.retain(|&node| {
            let index = node as usize;
            let is_inside = self.edges[index].is_empty() && self.elements[index] == [pivot];
            if is_inside && self.stages[index] == stage {
                self.push(node);
                return false;
            }
            true
        });
        self.members[pivot as usize] = members;
    }

    fn push(&mut self, node: u32) {
        self.is_done[node as usize] = true;
        self.order.push(node);
    }

    /// All neighbours of a pivot, marked; its elements are absorbed.
    fn neighbours(&mut self, pivot: u32) -> Vec<u32> {
        let mut found = std::mem::take(&mut self.edges[pivot as usize]);
        self.marks[pivot as usize] = pivot;
        for node in &found {
            self.marks[*node as usize] = pivot;
        }
        for element in std::mem::take(&mut self.elements[pivot as usize]) {
            for node in std::mem::take(&mut self.members[element as usize]) {
                let mark = &mut self.marks[node as usize];
                if *mark != pivot {
                    *mark = pivot;
                    found.push(node);
                }
            }
        }
        found
    }

    /// Counts the members of other elements that are not members of the new one.
    fn count_outside(&mut self, pivot: u32, members: &[u32]) {
        for node in members {
            for element in &self.elements[*node as usize] {
                let size = self.members[*element as usize].len() as u32;
                let outside = &mut self.outside[*element as usize];
                if outside.1 != pivot {
                    *outside = (size, pivot);
                }
                // Absorbed elements have no members left to count.
                outside.0 = outside.0.saturating_sub(1);
            }
        }
    }

    /// The lists and the degree of a member of the new element, which has `size` members.
    fn update(&mut self, pivot: u32, node: usize, size: usize) {
        let (marks, outside) = (&self.marks, &self.outside);
        self.edges[node].retain(|other| marks[*other as usize] != pivot);
        // An element all of whose members are in the new one adds nothing to it.
        self.elements[node].retain(|element| outside[*element as usize].0 > 0);
        let others = self.elements[node].iter().map(|element| outside[*element as usize].0);
        let inside = size as u32 - 1;
        let degree = others.sum::<u32>() + self.edges[node].len() as u32 + inside;
        self.elements[node].push(pivot);
        let grown = self.degrees[node] + inside;
        let degree = degree.min(grown).min(self.remaining() as u32 - 1);
        if degree != self.degrees[node] {
            self.degrees[node] = degree;
            self.queue.push(Reverse((self.stages[node], degree, node as u32)));
        }
    }

    /// Appends the members of an element that holds all nodes that are left.
    fn finish(&mut self, element: usize) {
        let mut rest = std::mem::take(&mut self.members[element]);
        rest.sort_unstable_by_key(|node| (self.stages[*node as usize], *node));
        self.order.append(&mut rest);
    }
}
