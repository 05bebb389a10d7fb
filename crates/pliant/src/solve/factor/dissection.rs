//! Nested dissection by position: separators of halves, quarters, eighths, and so on.
//!
//! A part is cut at the median of a coordinate. The nodes of a smallest set that touches every
//! edge across the cut are its separator, by König's theorem from a largest matching; they are
//! eliminated after both sides (George, *Nested Dissection of a Regular Finite Element Mesh*, 1973).
//! The axis is the one with the smallest separator.

use std::collections::VecDeque;

use super::graph::Graph;
use crate::math::Vec3;

/// Parts of fewer nodes are not cut: minimum degree orders them as well.
const LEAF: usize = 48;

/// Separators above this share of a part separate nothing worth it, ratio.
const MAX_SHARE: f64 = 0.4;

/// Stage of the separator of the whole; parts of parts have lower ones, leaves have 0.
const LAST_STAGE: u8 = 48;

/// The node that stands for none.
const NONE: u32 = u32::MAX;

/// Stages for [`super::order::minimum_degree`]; all 0 where nothing is worth a cut.
///
/// Points that are not finite are sorted like any others: the order is worse then, not wrong.
pub(super) fn stages(graph: Graph<'_>, points: &[Vec3]) -> Vec<u8> {
    let count = graph.len();
    let mut dissection = Dissection {
        graph,
        points,
        stages: vec![0; count],
        sides: vec![Side::Outside; count],
        matches: vec![NONE; count],
        from: vec![NONE; count],
    };
    if points.len() == count {
        dissection.cut((0..count as u32).collect(), LAST_STAGE);
    }
    dissection.stages
}

/// Where a node is while a part is cut.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    Outside,
    Low,
    High,
}

#[derive(Debug)]
struct Dissection<'a> {
    graph: Graph<'a>,
    points: &'a [Vec3],
    stages: Vec<u8>,
    sides: Vec<Side>,
    /// Partner across the cut.
    matches: Vec<u32>,
    /// Low node from which a search reached a node; itself where the search began.
    from: Vec<u32>,
}

impl Dissection<'_> {
    /// Marks the separators of a part and of the parts it leaves.
    fn cut(&mut self, mut part: Vec<u32>, stage: u8) {
        if part.len() < LEAF || stage == 0 {
            return;
        }
        let mut best: Option<(usize, Vec<u32>)> = None;
        for axis in 0..3 {
            let separator = self.separator(&mut part, axis);
            if best.as_ref().is_none_or(|(_, least)| separator.len() < least.len()) {
                best = Some((axis, separator));
            }
        }
        let Some((axis, separator)) = best else { return };
        if separator.len() as f64 > MAX_SHARE * part.len() as f64 {
            return;
        }
        let middle = self.sort(&mut part, axis);
        for node in &separator {
            self.stages[*node as usize] = stage;
        }
        let high = part.split_off(middle);
        for mut side in [part, high] {
            side.retain(|node| self.stages[*node as usize] == 0);
            self.cut(side, stage - 1);
        }
    }

    /// Puts the lower half first; gives the length of it.
    fn sort(&self, part: &mut [u32], axis: usize) -> usize {
        let at = |node: &u32| self.points[*node as usize][axis];
        let middle = part.len() / 2;
        part.select_nth_unstable_by(middle, |a, b| at(a).total_cmp(&at(b)).then(a.cmp(b)));
        // The halves are sets: what is in them does not depend on how they were found.
        part[..middle].sort_unstable();
        part[middle..].sort_unstable();
        middle
    }

    /// Nodes of a part that touch every edge across the median of an axis.
    fn separator(&mut self, part: &mut [u32], axis: usize) -> Vec<u32> {
        let middle = self.sort(part, axis);
        let (low, high) = part.split_at(middle);
        low.iter().for_each(|node| self.sides[*node as usize] = Side::Low);
        high.iter().for_each(|node| self.sides[*node as usize] = Side::High);
        let border: Vec<u32> =
            low.iter().copied().filter(|node| self.across(*node).next().is_some()).collect();
        // Longer than the limit by far: not worth a matching.
        let separator =
            if border.len() > part.len() / 3 { border } else { self.smallest_cover(&border) };
        for node in part {
            let node = *node as usize;
            (self.sides[node], self.matches[node], self.from[node]) = (Side::Outside, NONE, NONE);
        }
        separator
    }

    /// Nodes beyond the cut that a low node touches.
    fn across(&self, node: u32) -> impl Iterator<Item = u32> {
        let sides = &self.sides;
        self.graph.neighbours(node as usize).filter(|other| sides[*other as usize] == Side::High)
    }

    /// Fewest nodes that touch every edge between low nodes and high ones.
    fn smallest_cover(&mut self, border: &[u32]) -> Vec<u32> {
        for &node in border {
            let reached = self.augment(&[node]);
            for node in reached {
                self.from[node as usize] = NONE;
            }
        }
        let free: Vec<u32> =
            border.iter().copied().filter(|node| self.matches[*node as usize] == NONE).collect();
        let mut cover = self.augment(&free);
        cover.retain(|node| self.sides[*node as usize] == Side::High);
        // König: high nodes that alternating paths from free low ones reach, and low nodes that they do not.
        cover.extend(border.iter().filter(|node| self.from[**node as usize] == NONE));
        cover
    }

    /// Searches a path from these low nodes to a free high one, and flips it; gives all it reached.
    fn augment(&mut self, roots: &[u32]) -> Vec<u32> {
        let mut reached = roots.to_vec();
        roots.iter().for_each(|root| self.from[*root as usize] = *root);
        let mut queue: VecDeque<u32> = roots.iter().copied().collect();
        while let Some(low) = queue.pop_front() {
            let next: Vec<u32> =
                self.across(low).filter(|high| self.from[*high as usize] == NONE).collect();
            for high in next {
                self.from[high as usize] = low;
                reached.push(high);
                let partner = self.matches[high as usize];
                if partner == NONE {
                    self.flip(high);
                    return reached;
                }
                self.from[partner as usize] = high;
                reached.push(partner);
                queue.push_back(partner);
            }
        }
        reached
    }

    /// Matches along the path by which a free high node was reached.
    fn flip(&mut self, end: u32) {
        let mut high = end;
        loop {
            let low = self.from[high as usize];
            let before = self.matches[low as usize];
            (self.matches[high as usize], self.matches[low as usize]) = (low, high);
            if before == NONE {
                return;
            }
            high = before;
        }
    }
}
