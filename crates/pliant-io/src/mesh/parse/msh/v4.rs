//! Nodes and elements of MSH 4.0 and 4.1: blocks, one for each entity.

use crate::mesh::parse::Parsed;
use crate::mesh::parse::msh::cells::{Cells, Element, Kind};
use crate::mesh::parse::msh::entities::Volumes;
use crate::mesh::parse::msh::numbers::Source;
use crate::mesh::parse::msh::tags::NodeTags;
use crate::mesh::parse::msh::{Nodes, Version};

/// Numbers of a node: tag and three coordinates.
const NUMBERS_PER_NODE: usize = 4;

/// Start of a block of nodes or elements.
struct Block {
    /// Dimension of the entity that all belong to, 0 to 3.
    dimension: i64,
    /// Tag of that entity.
    entity: i64,
    /// Whether nodes carry coordinates on the entity, or the type of the elements.
    detail: i64,
    /// Nodes or elements in the block.
    count: u64,
}

/// Reads `$Nodes`; also returns what its header says wrongly of the tags.
pub fn nodes<'a, S: Source<'a>>(
    source: &mut S,
    version: Version,
) -> Parsed<(Nodes, Option<String>)> {
    let blocks = source.size("the number of node blocks")?;
    let announced = source.size("the number of nodes")?;
    let range = match version {
        Version::FourZero => None,
        _ => Some((source.size("the lowest node tag")?, source.size("the highest node tag")?)),
    };
    let mut nodes = Nodes::with_capacity(source.fits(announced, "nodes", NUMBERS_PER_NODE)?);
    for _ in 0..blocks {
        let block = block(source, version, "whether a block is parametric")?;
        let left = announced - nodes.tags.len() as u64;
        source.check_left(block.count, "nodes", left, announced)?;
        block_nodes(source, version, &block, &mut nodes)?;
    }
    if (nodes.tags.len() as u64) < announced {
        return Err(source.invalid(format!(
            "{announced} nodes announced, the {blocks} blocks hold {}",
            nodes.tags.len()
        )));
    }
    let notice = range.and_then(|range| check_range(range, &nodes.tags));
    Ok((nodes, notice))
}

/// Reads `$Elements`.
pub fn elements<'a, S: Source<'a>>(
    source: &mut S,
    version: Version,
    (nodes, volumes): (&NodeTags, &Volumes),
    cells: &mut Cells,
) -> Parsed<()> {
    let blocks = source.size("the number of element blocks")?;
    let announced = source.size("the number of elements")?;
    if version != Version::FourZero {
        source.size("the lowest element tag")?;
        source.size("the highest element tag")?;
    }
    source.fits(announced, "elements", 2)?;
    let mut left = announced;
    for _ in 0..blocks {
        let block = block(source, version, "the type of elements")?;
        let kind = Kind::of_type(block.detail).map_err(|fault| source.fault(fault))?;
        source.check_left(block.count, "elements", left, announced)?;
        left -= block.count;
        let region = match block.dimension {
            3 => volumes.region(block.entity),
            _ => block.entity,
        };
        let count = source.fits(block.count, "elements", 1 + kind.nodes)?;
        cells.reserve(kind, count);
        for _ in 0..count {
            source.begin_record();
            let tag = source.tag("the tag of an element")?;
            cells.read(source, nodes, Element { tag, kind, region })?;
            source.end_record();
        }
    }
    if left > 0 {
        return Err(source.invalid(format!(
            "{announced} elements announced, the {blocks} blocks hold {}",
            announced - left
        )));
    }
    Ok(())
}

fn block<'a, S: Source<'a>>(source: &mut S, version: Version, detail: &str) -> Parsed<Block> {
    source.begin_record();
    let (dimension, entity);
    if version == Version::FourZero {
        entity = source.int("the tag of an entity")?;
        dimension = source.int("the dimension of an entity, 0 to 3")?;
    } else {
        dimension = source.int("the dimension of an entity, 0 to 3")?;
        entity = source.int("the tag of an entity")?;
    }
    if !(0..=3).contains(&dimension) {
        let found = dimension.to_string();
        return Err(source.unexpected("the dimension of an entity, 0 to 3", found.as_bytes()));
    }
    let detail = source.int(detail)?;
    let count = source.size("the number of things in a block")?;
    source.end_record();
    Ok(Block { dimension, entity, detail, count })
}

fn block_nodes<'a, S: Source<'a>>(
    source: &mut S,
    version: Version,
    block: &Block,
    nodes: &mut Nodes,
) -> Parsed<()> {
    let parameters = if block.detail == 0 { 0 } else { block.dimension };
    if version != Version::FourZero {
        for _ in 0..block.count {
            source.begin_record();
            nodes.tags.push(source.tag("the tag of a node")?);
            source.end_record();
        }
    }
    for _ in 0..block.count {
        source.begin_record();
        if version == Version::FourZero {
            nodes.tags.push(source.tag("the tag of a node")?);
        }
        nodes.positions.push(source.point()?);
        for _ in 0..parameters {
            source.real("a parametric coordinate")?;
        }
        source.end_record();
    }
    Ok(())
}

/// What a wrong range of tags in the header calls for: a notice and no more.
///
/// Gmsh goes by the tags of the nodes, and files with wrong headers are about.
fn check_range((lowest, highest): (u64, u64), tags: &[u64]) -> Option<String> {
    let (&low, &high) = (tags.iter().min()?, tags.iter().max()?);
    (lowest != low || highest != high).then(|| {
        format!(
            "the header of `$Nodes` says that node tags run from {lowest} to {highest}, \
             they run from {low} to {high}"
        )
    })
}

#[cfg(test)]
mod tests {
    use crate::mesh::parse::msh::parse;
    use pliant::mesh::raw::RawMesh;

    const TET: &str = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n\
                       $Nodes\n2 4 1 4\n0 1 0 1\n1\n0 0 0\n3 1 0 3\n2\n3\n4\n\
                       1 0 0\n0 1 0\n0 0 1\n$EndNodes\n\
                       $Elements\n1 2 1 2\n3 6 4 2\n1 1 2 3 4\n2 1 2 4 3\n$EndElements\n";

    fn read(from: &str, to: &str) -> Result<RawMesh, String> {
        assert!(TET.contains(from));
        parse(TET.replacen(from, to, 1).as_bytes()).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn check(from: &str, to: &str, message: &str) {
        assert_eq!(read(from, to), Err(message.to_string()));
    }

    #[test]
    fn without_entities_the_region_is_the_volume() {
        let mesh = read("", "").unwrap();
        assert_eq!(mesh.regions, [6, 6]);
        assert_eq!(mesh.notices, [""; 0]);
    }

    #[test]
    fn a_wrong_range_of_tags_is_told_and_does_not_matter() {
        let mut mesh = read("4 1 4", "4 1 100").unwrap();
        let notice = "the header of `$Nodes` says that node tags run from 1 to 100, \
                      they run from 1 to 4";
        assert_eq!(mesh.notices, [notice]);
        mesh.notices.clear();
        assert_eq!(Ok(mesh), read("", ""));
    }

    #[test]
    fn counts_that_disagree_with_their_blocks_are_refused() {
        check("2 4 1 4", "2 5 1 4", "line 15: 5 nodes announced, the 2 blocks hold 4");
        check("2 4 1 4", "1 4 1 4", "line 8: 4 nodes announced, the 1 blocks hold 1");
        check("2 4 1 4", "2 3 1 4", "line 9: a block of 3 nodes where 2 of 3 are left");
        check("1 2 1 2", "1 3 1 2", "line 21: 3 elements announced, the 1 blocks hold 2");
        check("1 2 1 2", "1 1 1 2", "line 19: a block of 2 elements where 1 of 1 are left");
        check("2 1 2 4 3\n", "", "line 21: expected the tag of an element, found `$EndElements`");
        check("2 4 1 4\n0 1 0 1\n1\n", "1\n", "line 7: a block of 3 nodes where 0 of 0 are left");
    }

    #[test]
    fn absurd_counts_are_refused_before_memory_is_reserved() {
        let room = "line 5: 18446744073709551615 nodes announced, \
                    the rest of the file has room for at most 14";
        check("2 4 1 4", "2 18446744073709551615 1 4", room);
        let room = "line 19: 9 elements announced, the rest of the file has room for at most 3";
        check("1 2 1 2\n3 6 4 2", "1 9 1 2\n3 6 4 9", room);
    }

    #[test]
    fn blocks_of_unknown_elements_are_refused_by_number() {
        check("3 6 4 2", "3 6 444 2", "line 19: Gmsh has no element type 444");
        check(
            "3 6 4 2",
            "4 6 4 2",
            "line 19: expected the dimension of an entity, 0 to 3, found `4`",
        );
    }
}
