//! Supernodes of the factor: nodes that are eliminated together, as one dense block.
//!
//! A column of L has the rows of its children in the elimination tree, which are the columns whose
//! first row below the diagonal it is. Columns with the same rows become one supernode; children
//! are merged into their parents while few explicit zeros come of it.

use std::ops::Range;

use super::graph::Graph;

/// Explicit zeros of a supernode, as a share of its entries, below which children are merged.
const MAX_ZEROS: f64 = 0.1;

/// Supernodes of so few nodes cost more to visit than to compute with.
const SMALL: usize = 4;

/// The same share where child and parent are small.
const MAX_ZEROS_SMALL: f64 = 0.4;

/// Most nodes of a supernode. Wider ones are cut: half of the inverse of their pivots is redundant.
const MAX_WIDTH: usize = 16;

/// The rank of no column.
const NONE: u32 = u32::MAX;

/// Nodes that are eliminated together, and the rows of L below them; all in places.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Supernode {
    /// First place.
    pub first: usize,
    /// Number of nodes.
    pub width: usize,
    /// Range in the list of rows.
    pub rows: Range<usize>,
    /// Supernode of the first row; of a root, the number of supernodes.
    pub parent: usize,
}

/// Supernodes of a graph, children before parents.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// Nodes by place.
    pub order: Vec<u32>,
    /// Places by node.
    pub places: Vec<u32>,
    pub supernodes: Vec<Supernode>,
    /// Places of the rows of all supernodes, ascending in each.
    pub rows: Vec<u32>,
}

/// Columns that are merged, before they have places.
#[derive(Clone, Debug)]
struct Group {
    /// Members, by their rank in the given order, ascending within the tree.
    columns: Vec<u32>,
    /// Rows below the last column.
    rows: usize,
    zeros: usize,
    parent: u32,
}

impl Group {
    /// Entries on and below the diagonal, with the zeros.
    fn entries(&self, more: usize) -> usize {
        let width = self.columns.len() + more;
        width * (width + 1) / 2 + width * self.rows
    }

    /// Zeros that a child adds when it is merged.
    fn zeros_of(&self, child: &Group) -> usize {
        child.columns.len() * (self.columns.len() + self.rows - child.rows)
    }
}

impl Tree {
    /// The supernodes of a graph whose nodes are eliminated in this order.
    pub fn new(graph: Graph<'_>, order: &[u32]) -> Tree {
        let mut ranks = vec![0; order.len()];
        order.iter().zip(0..).for_each(|(node, rank)| ranks[*node as usize] = rank);
        let parents = parents(graph, order, &ranks);
        let counts = counts(graph, order, &ranks, &parents);
        let mut groups = exact_groups(&parents, &counts);
        skip_merged(&mut groups);
        merge(&mut groups);

        let mut tree = Tree {
            order: Vec::with_capacity(order.len()),
            places: vec![0; order.len()],
            supernodes: Vec::new(),
            rows: Vec::new(),
        };
        for group in &groups {
            for width in pieces(group.columns.len()) {
                let first = tree.supernodes.last().map_or(0, |last| last.first + last.width);
                tree.supernodes.push(Supernode { first, width, rows: 0..0, parent: 0 });
            }
            tree.order.extend(group.columns.iter().map(|rank| order[*rank as usize]));
        }
        tree.find_places();
        tree.find_rows(graph);
        tree.into_postorder()
    }

    /// Multiply–adds of one solution: the inverses of pivots once, the rest twice.
    pub fn solve_cost(&self) -> u64 {
        self.sizes().map(|(width, rows)| width * (width + 2 * rows)).sum()
    }

    /// Unknowns and rows below of every supernode, three per node.
    pub fn sizes(&self) -> impl Iterator<Item = (u64, u64)> {
        let supernodes = self.supernodes.iter();
        supernodes.map(|supernode| (3 * supernode.width as u64, 3 * supernode.rows.len() as u64))
    }

    fn find_places(&mut self) {
        self.order.iter().zip(0..).for_each(|(node, place)| self.places[*node as usize] = place);
    }

    /// Finds the rows and the parents, of children first.
    fn find_rows(&mut self, graph: Graph<'_>) {
        let count = self.supernodes.len();
        let mut supernode_of = Vec::with_capacity(self.order.len());
        for (number, supernode) in self.supernodes.iter().enumerate() {
            supernode_of.extend(std::iter::repeat_n(number, supernode.width));
        }
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut marks = vec![NONE; self.order.len()];
        for number in 0..count {
            let Supernode { first, width, .. } = self.supernodes[number];
            let start = self.rows.len();
            self.append_rows(graph, first..first + width, &children[number], &mut marks);
            let parent = self.rows.get(start).map_or(count, |row| supernode_of[*row as usize]);
            if let Some(list) = children.get_mut(parent) {
                list.push(number);
            }
            self.supernodes[number].rows = start..self.rows.len();
            self.supernodes[number].parent = parent;
        }
    }

    /// Moves every supernode behind its subtree, so that updates are taken last in, first out.
    ///
    /// Rows stay ascending: they lie in ancestors, whose order does not change.
    fn into_postorder(self) -> Tree {
        let sequence = postorder(&self.supernodes);
        let mut numbers = vec![sequence.len(); sequence.len() + 1];
        sequence.iter().enumerate().for_each(|(number, old)| numbers[*old] = number);
        let mut tree = Tree { order: Vec::new(), supernodes: Vec::new(), ..self.clone() };
        for old in sequence {
            let Supernode { first, width, ref rows, parent } = self.supernodes[old];
            let (rows, parent) = (rows.clone(), numbers[parent]);
            let moved = Supernode { first: tree.order.len(), width, rows, parent };
            tree.supernodes.push(moved);
            tree.order.extend(&self.order[first..first + width]);
        }
        tree.find_places();
        for row in &mut tree.rows {
            *row = tree.places[self.order[*row as usize] as usize];
        }
        tree
    }

    /// Appends the rows below the places of a supernode.
    fn append_rows(
        &mut self,
        graph: Graph<'_>,
        own: Range<usize>,
        children: &[usize],
        marks: &mut [u32],
    ) {
        let (start, mark) = (self.rows.len(), own.start as u32);
        for place in own.clone() {
            for node in graph.neighbours(self.order[place] as usize) {
                let row = self.places[node as usize];
                if row as usize >= own.end && marks[row as usize] != mark {
                    marks[row as usize] = mark;
                    self.rows.push(row);
                }
            }
        }
        for child in children {
            for k in self.supernodes[*child].rows.clone() {
                let row = self.rows[k];
                if row as usize >= own.end && marks[row as usize] != mark {
                    marks[row as usize] = mark;
                    self.rows.push(row);
                }
            }
        }
        self.rows[start..].sort_unstable();
    }
}

/// Widths of about equal parts of a group.
fn pieces(width: usize) -> impl Iterator<Item = usize> {
    let count = width.div_ceil(MAX_WIDTH);
    (0..count).map(move |k| (k + 1) * width / count - k * width / count)
}

/// Parent of each rank in the elimination tree.
fn parents(graph: Graph<'_>, order: &[u32], ranks: &[u32]) -> Vec<u32> {
    let mut parents = vec![NONE; order.len()];
    // Shortcuts towards the root of what is done so far.
    let mut ancestors = vec![NONE; order.len()];
    for (&node, row) in order.iter().zip(0_u32..) {
        for other in graph.neighbours(node as usize) {
            let mut rank = ranks[other as usize];
            while rank < row {
                let above = std::mem::replace(&mut ancestors[rank as usize], row);
                if above == NONE {
                    parents[rank as usize] = row;
                    break;
                }
                rank = above;
            }
        }
    }
    parents
}

/// Rows below the diagonal in the column of each rank.
fn counts(graph: Graph<'_>, order: &[u32], ranks: &[u32], parents: &[u32]) -> Vec<u32> {
    let mut counts = vec![0; order.len()];
    let mut marks = vec![NONE; order.len()];
    for (&node, row) in order.iter().zip(0_u32..) {
        marks[row as usize] = row;
        for other in graph.neighbours(node as usize) {
            let mut rank = ranks[other as usize];
            // A row reaches all columns from its entries up to itself.
            while rank < row && marks[rank as usize] != row {
                marks[rank as usize] = row;
                counts[rank as usize] += 1;
                rank = parents[rank as usize];
            }
        }
    }
    counts
}

/// Groups of columns with the same rows; entry k is empty unless k is the last of its columns.
fn exact_groups(parents: &[u32], counts: &[u32]) -> Vec<Group> {
    let group = |(rank, (parent, count)): (u32, (&u32, &u32))| Group {
        columns: vec![rank],
        rows: *count as usize,
        zeros: 0,
        parent: *parent,
    };
    let mut groups: Vec<Group> = (0..).zip(parents.iter().zip(counts)).map(group).collect();
    for rank in 0..parents.len() {
        let Some(above) = groups.get(parents[rank] as usize) else { continue };
        if above.columns.len() == 1 && above.zeros_of(&groups[rank]) == 0 {
            let mut columns = std::mem::take(&mut groups[rank].columns);
            let above = &mut groups[parents[rank] as usize];
            columns.append(&mut above.columns);
            above.columns = columns;
        }
    }
    groups
}

/// Merges children into parents, the ones with the fewest zeros first.
fn merge(groups: &mut [Group]) {
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); groups.len()];
    for index in 0..groups.len() {
        if groups[index].columns.is_empty() {
            continue;
        }
        let mut list = std::mem::take(&mut children[index]);
        list.sort_by_key(|child| groups[index].zeros_of(&groups[*child as usize]));
        for child in list {
            let (below, rest) = groups.split_at_mut(index);
            let (child, own) = (&mut below[child as usize], &mut rest[0]);
            let zeros = own.zeros + child.zeros + own.zeros_of(child);
            let is_small = own.columns.len() + child.columns.len() <= SMALL;
            let share = if is_small { MAX_ZEROS_SMALL } else { MAX_ZEROS };
            if zeros as f64 <= share * own.entries(child.columns.len()) as f64 {
                let mut columns = std::mem::take(&mut child.columns);
                columns.append(&mut own.columns);
                (own.columns, own.zeros) = (columns, zeros);
            }
        }
        if let Some(list) = children.get_mut(groups[index].parent as usize) {
            list.push(index as u32);
        }
    }
}

/// Replaces parents that were merged by what they were merged into.
fn skip_merged(groups: &mut [Group]) {
    // Parents come later, so that theirs are known already.
    for index in (0..groups.len()).rev() {
        if let Some(parent) = groups.get(groups[index].parent as usize)
            && parent.columns.is_empty()
        {
            groups[index].parent = parent.parent;
        }
    }
}

/// Children before parents, and the subtree of a supernode without a gap.
fn postorder(supernodes: &[Supernode]) -> Vec<usize> {
    let (mut children, mut roots) = (vec![Vec::new(); supernodes.len()], Vec::new());
    for (number, supernode) in supernodes.iter().enumerate() {
        children.get_mut(supernode.parent).unwrap_or(&mut roots).push(number);
    }
    // Reversed, an order with parents first is one with children first.
    let (mut sequence, mut stack) = (Vec::new(), roots);
    while let Some(number) = stack.pop() {
        sequence.push(number);
        stack.extend(&children[number]);
    }
    sequence.reverse();
    sequence
}
