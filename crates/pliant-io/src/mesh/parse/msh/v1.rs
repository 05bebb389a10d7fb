//! What sets elements of MSH 1.0 apart: two regions and the number of nodes.

use crate::mesh::parse::Parsed;
use crate::mesh::parse::msh::cells::Kind;
use crate::mesh::parse::msh::numbers::Source;

/// Reads what stands between type and nodes; gives the physical region.
pub fn region<'a, S: Source<'a>>(source: &mut S, tag: u64, kind: Kind) -> Parsed<i64> {
    let region = source.int("the physical region of an element")?;
    source.int("the elementary region of an element")?;
    let count = source.int("the number of nodes of an element")?;
    if count != kind.nodes as i64 {
        let nodes = kind.nodes;
        let why = format!("element {tag} announces {count} nodes, its type has {nodes}");
        return Err(source.invalid(why));
    }
    Ok(region)
}

#[cfg(test)]
mod tests {
    use crate::mesh::parse::msh::parse;
    use pliant::id::VertexId;
    use pliant::math::Vec3;

    const TET: &str = "$NOD\n5\n10 0 0 0\n3 1 0 0\n7 0 1 0\n4 0 0 1\n9 1 1 1\n$ENDNOD\n\
                       $ELM\n3\n1 15 0 1 1 9\n2 4 8 1 4 10 3 7 4\n3 2 0 1 3 9 7 3\n$ENDELM\n";

    #[test]
    fn nodes_keep_their_order_and_elements_their_region() {
        let mesh = parse(TET.as_bytes()).unwrap();
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE];
        assert_eq!(mesh.positions, corners);
        assert_eq!(mesh.tets, [[0, 1, 2, 3].map(VertexId)]);
        assert_eq!(mesh.regions, [8]);
        assert_eq!(mesh.triangles, [[4, 2, 1].map(VertexId)]);
        assert_eq!(mesh.notices, ["left out 1 point element"]);
    }

    #[track_caller]
    fn check(from: &str, to: &str, message: &str) {
        let error = parse(TET.replacen(from, to, 1).as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), message);
    }

    #[test]
    fn faults_name_their_line() {
        check("4 8 1 4", "4 8 1 5", "line 12: element 2 announces 5 nodes, its type has 4");
        check("2 4 8", "2 44444 8", "line 12: Gmsh has no element type 44444");
        check(" 7 4\n", " 7 5\n", "line 12: element 2 names node 5, which the file does not hold");
        check("$ELM\n3", "$ELM\n2", "line 13: expected `$ENDELM`, found `3 2 0 1 3 9 7 3`");
        check("$ENDELM\n", "", "line 13: the file ends where `$ENDELM` should be");
    }
}
