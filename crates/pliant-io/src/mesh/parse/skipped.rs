//! What a reader does not take as it stands, counted by kind for one sentence each.

/// What one thing of a kind is called, and several of them.
pub type Names = [&'static str; 2];

/// One node.
pub const POINT: Names = ["point element", "point elements"];
/// Two nodes.
pub const LINE: Names = ["line element", "line elements"];
/// Two corners of a surface.
pub const EDGE: Names = ["edge", "edges"];
/// Three corners.
pub const TRIANGLE: Names = ["triangle", "triangles"];
/// Four corners of a face.
pub const QUADRILATERAL: Names = ["quadrilateral", "quadrilaterals"];
/// Any number of corners of a face.
pub const POLYGON: Names = ["polygon", "polygons"];
/// Four corners.
pub const TET: Names = ["tet", "tets"];
/// Five corners.
pub const PYRAMID: Names = ["pyramid", "pyramids"];
/// Six corners.
pub const PRISM: Names = ["prism", "prisms"];
/// Eight corners.
pub const HEXAHEDRON: Names = ["hexahedron", "hexahedra"];
/// What is left of a file.
pub const BYTE: Names = ["byte", "bytes"];

/// Counts by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Each kind and its count, never 0, in first-seen order.
    kinds: Vec<(Names, usize)>,
}

impl Tally {
    /// Counts things of a kind.
    pub fn add(&mut self, kind: Names, count: usize) {
        match self.kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, sum)) => *sum += count,
            None if count > 0 => self.kinds.push((kind, count)),
            None => {}
        }
    }

    /// One sentence, such as `left out 12 hexahedra and 4 line elements`.
    ///
    /// `None` when nothing was counted.
    pub fn left_out(&self) -> Option<String> {
        self.list().map(|list| format!("left out {list}"))
    }

    /// One sentence that says what was taken of cells with more nodes than corners.
    ///
    /// `None` when nothing was counted.
    pub fn higher_order(&self) -> Option<String> {
        self.list().map(|list| {
            format!("took the corners of {list} of higher order; other nodes stay as vertices")
        })
    }

    fn list(&self) -> Option<String> {
        let (&(kind, count), others) = self.kinds.split_last()?;
        let others: Vec<String> =
            others.iter().map(|&(kind, count)| counted(count, kind)).collect();
        let last = counted(count, kind);
        Some(if others.is_empty() { last } else { format!("{} and {last}", others.join(", ")) })
    }
}

/// A count with its noun.
pub fn counted(count: usize, [one, many]: Names) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(counts: &[(Names, usize)], expected: Option<&str>) {
        let mut tally = Tally::default();
        counts.iter().for_each(|&(kind, count)| tally.add(kind, count));
        let sentence = |list| format!("left out {list}");
        assert_eq!(tally.left_out(), expected.map(sentence));
        let sentence = |list| {
            format!("took the corners of {list} of higher order; other nodes stay as vertices")
        };
        assert_eq!(tally.higher_order(), expected.map(sentence));
    }

    #[test]
    fn kinds_are_summed_and_named_in_first_seen_order() {
        check(&[], None);
        check(&[(LINE, 0)], None);
        check(&[(LINE, 1)], Some("1 line element"));
        check(
            &[(HEXAHEDRON, 10), (LINE, 4), (HEXAHEDRON, 2)],
            Some("12 hexahedra and 4 line elements"),
        );
        check(
            &[(PRISM, 1), (HEXAHEDRON, 1), (LINE, 2)],
            Some("1 prism, 1 hexahedron and 2 line elements"),
        );
    }
}
