//! What becomes of cells that are not tets: polygons are cut, the rest is counted.

use crate::id::VertexId;

/// Cells that a reader does not take, counted by kind for one notice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Names for one and for many of a kind, and its count, in first-seen order.
    kinds: Vec<([&'static str; 2], usize)>,
}

impl LeftOut {
    /// Counts cells of a kind, named as one and as many: `["prism", "prisms"]`.
    pub fn add(&mut self, kind: [&'static str; 2], count: usize) {
        match self.kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, sum)) => *sum += count,
            None if count > 0 => self.kinds.push((kind, count)),
            None => {}
        }
    }

    /// One sentence, such as `left out 12 hexahedra and 4 lines`.
    ///
    /// `None` when nothing was left out.
    pub fn notice(&self) -> Option<String> {
        let named = |&([one, many], count): &([&str; 2], usize)| {
            format!("{count} {}", if count == 1 { one } else { many })
        };
        let (last, others) = self.kinds.split_last()?;
        let others: Vec<String> = others.iter().map(named).collect();
        Some(match others.is_empty() {
            true => format!("left out {}", named(last)),
            false => format!("left out {} and {}", others.join(", "), named(last)),
        })
    }
}

/// The sentence that says what was taken of second-order tets; `None` for no tets.
pub fn second_order_notice(count: usize) -> Option<String> {
    let tets = if count == 1 { "tet" } else { "tets" };
    (count > 0).then(|| {
        format!("took the corners of {count} second-order {tets}; other nodes stay as vertices")
    })
}

/// Cuts a polygon into triangles that share its first corner.
///
/// Adds nothing for fewer than three corners.
#[inline]
pub fn fan(corners: &[VertexId], triangles: &mut Vec<[VertexId; 3]>) {
    if let [v0, others @ ..] = corners {
        triangles.extend(others.windows(2).map(|pair| [*v0, pair[0], pair[1]]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEXAHEDRA: [&str; 2] = ["hexahedron", "hexahedra"];
    const LINES: [&str; 2] = ["line", "lines"];
    const PRISMS: [&str; 2] = ["prism", "prisms"];

    #[track_caller]
    fn check(counts: &[([&'static str; 2], usize)], expected: Option<&str>) {
        let mut left_out = LeftOut::default();
        counts.iter().for_each(|&(kind, count)| left_out.add(kind, count));
        assert_eq!(left_out.notice().as_deref(), expected);
    }

    #[test]
    fn kinds_are_summed_and_named_in_first_seen_order() {
        check(&[], None);
        check(&[(LINES, 0)], None);
        check(&[(LINES, 1)], Some("left out 1 line"));
        check(
            &[(HEXAHEDRA, 10), (LINES, 4), (HEXAHEDRA, 2)],
            Some("left out 12 hexahedra and 4 lines"),
        );
        check(
            &[(PRISMS, 1), (HEXAHEDRA, 1), (LINES, 2)],
            Some("left out 1 prism, 1 hexahedron and 2 lines"),
        );
    }

    #[test]
    fn second_order_tets_are_counted_and_none_are_not_mentioned() {
        assert_eq!(second_order_notice(0), None);
        assert!(second_order_notice(1).unwrap().contains("1 second-order tet;"));
        assert!(second_order_notice(2).unwrap().contains("2 second-order tets;"));
    }

    #[test]
    fn a_fan_has_two_triangles_fewer_than_corners() {
        let corners = [4, 5, 6, 7, 8].map(VertexId);
        for count in 0..=corners.len() {
            let mut triangles = Vec::new();
            fan(&corners[..count], &mut triangles);
            assert_eq!(triangles.len(), count.saturating_sub(2));
            assert!(triangles.iter().all(|t| t[0] == VertexId(4) && t[1].0 + 1 == t[2].0));
        }
    }
}
