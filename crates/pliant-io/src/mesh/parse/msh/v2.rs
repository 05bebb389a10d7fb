//! Nodes and elements of MSH 2.0 to 2.2; those of 1.0 look much the same.

use crate::mesh::parse::Parsed;
use crate::mesh::parse::msh::Nodes;
use crate::mesh::parse::msh::cells::{Cells, Element, Kind};
use crate::mesh::parse::msh::numbers::Source;
use crate::mesh::parse::msh::tags::NodeTags;

/// Numbers of a node: tag and three coordinates.
const NUMBERS_PER_NODE: usize = 4;

/// Numbers of the shortest element in text: tag, type, number of tags, one node.
const NUMBERS_PER_ELEMENT: usize = 4;

/// What stands behind the coordinates of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeTail {
    /// Nothing.
    Bare,
    /// The entity that the node lies on and its coordinates there.
    Parametric,
}

/// Reads `$Nodes`, `$ParametricNodes` or `$NOD`.
pub fn nodes<'a, S: Source<'a>>(source: &mut S, tail: NodeTail) -> Parsed<Nodes> {
    let announced = source.count_line("nodes")?;
    let count = source.fits(announced, "nodes", NUMBERS_PER_NODE)?;
    let mut nodes = Nodes::with_capacity(count);
    for _ in 0..count {
        source.begin_record();
        nodes.tags.push(source.tag("the tag of a node")?);
        nodes.positions.push(source.point()?);
        if tail == NodeTail::Parametric {
            let dimension = source.int("the dimension of an entity")?;
            source.int("the tag of an entity")?;
            // Curves have one coordinate of their own and surfaces two; volumes none.
            for _ in 0..(if matches!(dimension, 1 | 2) { dimension } else { 0 }) {
                source.real("a parametric coordinate")?;
            }
        }
        source.end_record();
    }
    Ok(nodes)
}

/// Reads `$Elements` of a text file, or `$ELM`: tag, type, what `region` reads, nodes.
pub fn elements<'a, S: Source<'a>>(
    source: &mut S,
    nodes: &NodeTags,
    cells: &mut Cells,
    region: impl Fn(&mut S, u64, Kind) -> Parsed<i64>,
) -> Parsed<()> {
    let announced = source.count_line("elements")?;
    for _ in 0..source.fits(announced, "elements", NUMBERS_PER_ELEMENT)? {
        source.begin_record();
        let tag = source.tag("the tag of an element")?;
        let kind = Kind::read(source)?;
        let region = region(source, tag, kind)?;
        cells.read(source, nodes, Element { tag, kind, region })?;
        source.end_record();
    }
    Ok(())
}

/// Reads `$Elements` of a binary file: runs of one type and one number of tags.
pub fn stored_elements<'a, S: Source<'a>>(
    source: &mut S,
    nodes: &NodeTags,
    cells: &mut Cells,
) -> Parsed<()> {
    let announced = source.count_line("elements")?;
    let mut left = source.fits(announced, "elements", 2)?;
    while left > 0 {
        let kind = Kind::read(source)?;
        let follow = source.int("the number of elements that follow")?;
        let tags = source.int("the number of tags of an element")?;
        let follow = match usize::try_from(follow) {
            Ok(follow) if follow <= left => follow,
            _ => {
                return Err(source.invalid(format!(
                    "a run of {follow} elements where {left} of {announced} are left"
                )));
            }
        };
        source.fits(follow as u64, "elements", 1 + kind.nodes)?;
        cells.reserve(kind, follow);
        for _ in 0..follow {
            let tag = source.tag("the tag of an element")?;
            let region = first_tag(source, tags)?;
            cells.read(source, nodes, Element { tag, kind, region })?;
        }
        left -= follow;
    }
    Ok(())
}

/// Reads the number of tags of an element and the tags; gives the physical region.
#[inline]
pub fn region<'a, S: Source<'a>>(source: &mut S, _: u64, _: Kind) -> Parsed<i64> {
    let tags = source.int("the number of tags of an element")?;
    first_tag(source, tags)
}

/// Reads the tags of an element, of which the first is the physical region.
#[inline]
fn first_tag<'a, S: Source<'a>>(source: &mut S, tags: i64) -> Parsed<i64> {
    if tags < 0 {
        return Err(source.invalid(format!("the number of tags of an element is {tags}")));
    }
    let mut region = 0;
    for place in 0..tags {
        let tag = source.int("a tag of an element")?;
        if place == 0 {
            region = tag;
        }
    }
    Ok(region)
}

#[cfg(test)]
mod tests {
    use crate::mesh::parse::msh::parse;
    use pliant::mesh::raw::RawMesh;

    const TET: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n\
                       $Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n\
                       $Elements\n2\n1 4 2 7 1 1 2 3 4\n2 4 3 -7 1 0 1 2 4 3\n$EndElements\n";

    fn read(from: &str, to: &str) -> Result<RawMesh, String> {
        assert!(TET.contains(from));
        parse(TET.replacen(from, to, 1).as_bytes()).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn check(from: &str, to: &str, message: &str) {
        assert_eq!(read(from, to), Err(message.to_string()));
    }

    #[test]
    fn the_first_tag_is_the_region() {
        let mesh = read("", "").unwrap();
        assert_eq!(mesh.regions, [7, 0]);
        assert_eq!(
            mesh.notices,
            ["put 1 tet into region 0, as regions are integers from 0 to 4294967295"]
        );
        assert_eq!(read("2 7 1 1", "0 1").unwrap().regions, [0, 0]);
        let message = "line 13: element 1 has region 4294967296, regions go up to 4294967295";
        check("2 7 1", "2 4294967296 1", message);
    }

    #[test]
    fn nodes_with_coordinates_on_their_entity_are_read() {
        let nodes = "$ParametricNodes\n4\n1 0 0 0 0 1\n2 1 0 0 1 1 .5\n3 0 1 0 2 1 .5 .5\n\
                     4 0 0 1 3 1\n$EndParametricNodes\n";
        let (start, end) = (TET.find("$Nodes").unwrap(), TET.find("$Elements").unwrap());
        assert_eq!(read(&TET[start..end], nodes), read("", ""));
    }

    #[test]
    fn counts_that_disagree_with_their_sections_are_refused() {
        let wanted = "line 5: expected the number of nodes, alone in its line";
        check("4\n1 0", "1 0", &format!("{wanted}, found `1 0 0 0`"));
        check("4\n1 0", "-4\n1 0", &format!("{wanted}, found `-4`"));
        check("4\n1 0", "3\n1 0", "line 9: expected `$EndNodes`, found `4 0 0 1`");
        check("4\n1 0", "5\n1 0", "line 10: expected the tag of a node, found `$EndNodes`");
        check("\n2\n1", "\n3\n1", "line 15: expected the tag of an element, found `$EndElements`");
        check("\n2\n1", "\n1\n1", "line 14: expected `$EndElements`, found `2 4 3 -7 1 0 1 2 4 3`");
        check("4 2 7", "4 -1 7", "line 13: the number of tags of an element is -1");
        let message = "line 5: 99999999999 nodes announced, \
                       the rest of the file has room for at most 13";
        check("4\n1 0", "99999999999\n1 0", message);
    }

    #[test]
    fn a_short_line_is_found_though_reading_goes_on() {
        let message = "line 13: this line holds too few or too many numbers; \
                       reading on stops at line 14: the number of tags of an element is -7";
        check("1 2 3 4\n2 4 3 -7 1 0 1 2 4 3", "1 2 3\n2 4 3 -7 1 0 1 2 4 3", message);
    }

    #[test]
    fn runs_in_binary_files_keep_to_the_total() {
        for (follow, wanted) in [(2, "2"), (-1, "-1")] {
            let mut bytes = b"$MeshFormat\n2.2 1 8\n\x01\0\0\0\n$EndMeshFormat\n\
                              $Nodes\n0\n$EndNodes\n$Elements\n1\n"
                .to_vec();
            bytes.extend([15, follow, 0].map(i32::to_le_bytes).as_flattened());
            let (end, error) = (bytes.len(), parse(&bytes).unwrap_err().to_string());
            assert_eq!(
                error,
                format!("byte {end}: a run of {wanted} elements where 1 of 1 are left")
            );
        }
    }
}
