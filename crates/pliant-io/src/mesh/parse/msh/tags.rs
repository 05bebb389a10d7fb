//! From the tags that a file gives its nodes to their places in the file.

use pliant::id::VertexId;

/// The table of all tags between the lowest and the highest may be this many times
/// longer than the list of nodes.
const TABLE_PER_NODE: u64 = 4;

/// Slot of a tag that no node has; files hold fewer nodes than that.
const NO_NODE: u32 = u32::MAX;

/// Finds the node with a tag.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeTags {
    /// Tags rise by one from node to node.
    Consecutive {
        /// Tag of node 0.
        first: u64,
        /// Number of nodes.
        count: u64,
    },
    /// One slot for every tag from the lowest to the highest.
    Table {
        /// Lowest tag.
        first: u64,
        /// Node of each tag, or [`NO_NODE`].
        slots: Vec<u32>,
    },
    /// Tags and their nodes, tags rising.
    Sorted(Vec<(u64, u32)>),
}

/// Two nodes with one tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The tag.
    pub tag: u64,
    /// The nodes that have it, by their places in the file.
    pub nodes: [u32; 2],
}

impl NodeTags {
    /// Indexes the tags of all nodes, in file order; fewer than `u32::MAX` of them.
    pub fn new(tags: &[u64]) -> Result<NodeTags, Duplicate> {
        let (Some(&first), Some(&lowest), Some(&highest)) =
            (tags.first(), tags.iter().min(), tags.iter().max())
        else {
            return Ok(NodeTags::Consecutive { first: 0, count: 0 });
        };
        let count = tags.len() as u64;
        if tags.iter().zip(0..).all(|(&tag, place)| first.checked_add(place) == Some(tag)) {
            return Ok(NodeTags::Consecutive { first, count });
        }
        if highest - lowest < TABLE_PER_NODE * count {
            return table(tags, lowest, (highest - lowest + 1) as usize);
        }
        sorted(tags)
    }

    /// The node with a tag.
    #[inline]
    pub fn find(&self, tag: u64) -> Option<VertexId> {
        match self {
            NodeTags::Consecutive { first, count } => {
                let place = tag.wrapping_sub(*first);
                (place < *count).then_some(VertexId(place as u32))
            }
            NodeTags::Table { first, slots } => {
                let slot = usize::try_from(tag.checked_sub(*first)?).ok()?;
                let node = *slots.get(slot)?;
                (node != NO_NODE).then_some(VertexId(node))
            }
            NodeTags::Sorted(pairs) => {
                let at = pairs.binary_search_by_key(&tag, |&(tag, _)| tag).ok()?;
                Some(VertexId(pairs[at].1))
            }
        }
    }
}

fn table(tags: &[u64], first: u64, length: usize) -> Result<NodeTags, Duplicate> {
    let mut slots = vec![NO_NODE; length];
    for (&tag, node) in tags.iter().zip(0..) {
        let slot = &mut slots[(tag - first) as usize];
        if *slot != NO_NODE {
            return Err(Duplicate { tag, nodes: [*slot, node] });
        }
        *slot = node;
    }
    Ok(NodeTags::Table { first, slots })
}

fn sorted(tags: &[u64]) -> Result<NodeTags, Duplicate> {
    let mut pairs: Vec<(u64, u32)> = tags.iter().copied().zip(0..).collect();
    pairs.sort_unstable();
    match pairs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => Err(Duplicate { tag: pair[0].0, nodes: [pair[0].1, pair[1].1] }),
        None => Ok(NodeTags::Sorted(pairs)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every tag leads to its place, and its neighbours to none unless listed.
    #[track_caller]
    fn check(tags: &[u64]) -> NodeTags {
        let index = NodeTags::new(tags).unwrap();
        for &tag in tags {
            for near in [tag, tag.wrapping_add(1), tag.wrapping_sub(1)] {
                let place = tags.iter().position(|&t| t == near);
                assert_eq!(index.find(near), place.map(|p| VertexId(p as u32)), "{near}");
            }
        }
        index
    }

    #[test]
    fn tags_in_any_order_and_range_are_found() {
        assert!(matches!(check(&[]), NodeTags::Consecutive { .. }));
        assert!(matches!(check(&[5, 6, 7]), NodeTags::Consecutive { first: 5, count: 3 }));
        assert!(matches!(check(&[u64::MAX]), NodeTags::Consecutive { .. }));
        assert!(matches!(check(&[7, 5, 6, 9]), NodeTags::Table { .. }));
        assert!(matches!(check(&[1, 2, 3, 9, 13]), NodeTags::Table { .. }));
        assert!(matches!(check(&[0, u64::MAX, 1 << 63]), NodeTags::Sorted(_)));
    }

    #[test]
    fn a_tag_given_twice_is_named_with_both_nodes() {
        let twice = Duplicate { tag: 4, nodes: [1, 3] };
        assert_eq!(NodeTags::new(&[3, 4, 5, 4]), Err(twice));
        assert_eq!(NodeTags::new(&[1 << 40, 4, 5, 4]), Err(twice));
    }
}
