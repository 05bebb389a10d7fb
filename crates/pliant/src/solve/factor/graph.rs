//! Which nodes share a block.

/// A symmetric graph in rows; every node is listed among its own neighbours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Graph<'a> {
    /// First entry of each row, and one past the last of all.
    pub starts: &'a [u32],
    /// Ascending in each row.
    pub columns: &'a [u32],
}

impl<'a> Graph<'a> {
    /// Number of nodes.
    pub fn len(self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Other nodes that a node shares a block with.
    pub fn neighbours(self, node: usize) -> impl Iterator<Item = u32> + 'a {
        let row = self.starts[node] as usize..self.starts[node + 1] as usize;
        self.columns[row].iter().copied().filter(move |column| *column as usize != node)
    }
}
