//! Islands among rows: runs of rows that share no body with the others.
//!
//! Rows that come island by island are found as such; in any other order a run holds several
//! islands. Either way runs are independent of each other.

use std::ops::Range;

use crate::id::BodyId;
use crate::solve::terms::SolverRow;

/// Runs of rows, and the bodies in them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Segments {
    /// Entry in `bodies` of each body of the scene, or none.
    places: Vec<Option<u32>>,
    /// Bodies in the order in which rows name them, so that those of a run follow each other.
    pub bodies: Vec<BodyId>,
    /// Last row that names each of them.
    last: Vec<usize>,
    pub all: Vec<Segment>,
}

/// One run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Segment {
    pub rows: Range<usize>,
    /// Among those of [`Segments::bodies`].
    pub bodies: Range<usize>,
}

impl Segments {
    /// Finds the runs, in a scene of so many bodies.
    pub(crate) fn find(&mut self, bodies: usize, rows: &[SolverRow]) {
        self.places.clear();
        self.places.resize(bodies, None);
        self.bodies.clear();
        self.last.clear();
        for (k, row) in rows.iter().enumerate() {
            for body in named(row) {
                let place = self.places[body.index()].unwrap_or(self.bodies.len() as u32);
                if place as usize == self.bodies.len() {
                    self.places[body.index()] = Some(place);
                    self.bodies.push(body);
                    self.last.push(k);
                }
                self.last[place as usize] = k;
            }
        }
        self.all.clear();
        let mut open = Segment::default();
        let mut last = 0;
        for (k, row) in rows.iter().enumerate() {
            for place in named(row).filter_map(|body| self.places[body.index()]) {
                last = last.max(self.last[place as usize]);
                open.bodies.end = open.bodies.end.max(place as usize + 1);
            }
            if last == k {
                open.rows.end = k + 1;
                let next = Segment { rows: k + 1..k + 1, bodies: open.bodies.end..open.bodies.end };
                self.all.push(std::mem::replace(&mut open, next));
            }
        }
    }

    /// Entry in `bodies` of a body, or none where no row names it.
    pub(crate) fn place(&self, body: BodyId) -> Option<usize> {
        self.places.get(body.index()).copied().flatten().map(|place| place as usize)
    }
}

/// Bodies that a row names.
fn named(row: &SolverRow) -> impl Iterator<Item = BodyId> {
    [Some(row.bodies.0), row.bodies.1].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{Contact, resting};
    use crate::id::VertexId;

    fn found(pairs: &[(u32, Option<u32>)]) -> Segments {
        let row = |(a, b): &(u32, Option<u32>)| {
            let bodies = (BodyId(*a), b.map(BodyId));
            SolverRow::between(&Contact { bodies, ..resting(VertexId(0)) }, None)
        };
        let rows: Vec<_> = pairs.iter().map(row).collect();
        let mut segments = Segments::default();
        segments.find(9, &rows);
        segments
    }

    #[test]
    fn runs_share_no_body() {
        let segments =
            found(&[(3, Some(1)), (1, None), (5, None), (5, None), (2, Some(7)), (7, Some(8))]);
        assert_eq!(segments.bodies, [3, 1, 5, 2, 7, 8].map(BodyId));
        let expected = [(0..2, 0..2), (2..4, 2..3), (4..6, 3..6)];
        assert_eq!(segments.all, expected.map(|(rows, bodies)| Segment { rows, bodies }));
        assert_eq!(segments.place(BodyId(7)), Some(4));
        assert_eq!(segments.place(BodyId(0)), None);
    }

    #[test]
    fn mixed_islands_are_one_run() {
        let segments = found(&[(0, None), (1, Some(2)), (0, None), (4, None)]);
        let expected = [(0..3, 0..3), (3..4, 3..4)];
        assert_eq!(segments.all, expected.map(|(rows, bodies)| Segment { rows, bodies }));
        assert_eq!(found(&[]).all, []);
    }
}
