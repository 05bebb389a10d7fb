//! Flat arrays of many bodies, of which some bodies are removed.
//!
//! Bodies that follow one another and stay are a run: all their entries move by the same
//! amount. With one body removed there are at most two runs, so removing it is one move of
//! what lies behind it.

use std::ops::Range;

/// Rows that stay, as ranges of their old numbers: ascending, apart from each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Runs {
    ranges: Vec<Range<usize>>,
    /// Whether nothing before the first run is removed, so that it stays as it is.
    is_first_still: bool,
}

impl Runs {
    /// Rows that stay, ascending and each once.
    pub(crate) fn of_kept(kept: impl IntoIterator<Item = usize>) -> Runs {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for row in kept {
            match ranges.last_mut() {
                Some(last) if last.end == row => last.end += 1,
                _ => ranges.push(row..row + 1),
            }
        }
        let is_first_still = ranges.first().is_some_and(|first| first.start == 0);
        Runs { ranges, is_first_still }
    }

    /// The same for what the rows have, where row r has the entries `starts[r]..starts[r + 1]`.
    pub(crate) fn entries<T: Count>(&self, starts: &[T]) -> Runs {
        let entries = |rows: &Range<usize>| starts[rows.start].index()..starts[rows.end].index();
        Runs { ranges: self.ranges.iter().map(entries).collect(), ..*self }
    }

    /// The same where each row has as many entries.
    pub(crate) fn times(&self, count: usize) -> Runs {
        let entries = |rows: &Range<usize>| count * rows.start..count * rows.end;
        Runs { ranges: self.ranges.iter().map(entries).collect(), ..*self }
    }

    /// Each run, as a range of old numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Range<usize>> {
        self.ranges.iter().cloned()
    }

    /// Number of rows that stay.
    pub(crate) fn len(&self) -> usize {
        self.ranges.iter().map(Range::len).sum()
    }

    /// By how much the numbers in each run decrease.
    pub(crate) fn shifts(&self) -> Vec<u32> {
        let mut end = 0;
        let shift = |rows: &Range<usize>| {
            let shift = rows.start - end;
            end += rows.len();
            shift as u32
        };
        self.ranges.iter().map(shift).collect()
    }

    /// A copy of these entries of a list, with room for some more.
    pub(crate) fn copied<T: Copy>(
        &self,
        list: &[T],
        room: usize,
        renumber: impl Fn(usize, &mut T),
    ) -> Vec<T> {
        let mut copy = Vec::with_capacity(self.len() + room);
        for (run, rows) in self.ranges.iter().enumerate() {
            let start = copy.len();
            copy.extend_from_slice(&list[rows.clone()]);
            if run > 0 || !self.is_first_still {
                copy[start..].iter_mut().for_each(|entry| renumber(run, entry));
            }
        }
        copy
    }

    /// A copy of the starts of these rows, with room for some more.
    ///
    /// The last entry is one past the last row.
    pub(crate) fn copied_starts<T: Count>(&self, starts: &[T], room: usize) -> Vec<T> {
        let mut copy = Vec::with_capacity(self.len() + 1 + room);
        copy.push(T::at(0));
        let mut end = 0;
        for rows in &self.ranges {
            let shift = starts[rows.start].index() - end;
            let own = &starts[rows.start + 1..=rows.end];
            if shift == 0 {
                copy.extend_from_slice(own);
            } else {
                copy.extend(own.iter().map(|start| T::at(start.index() - shift)));
            }
            end = starts[rows.end].index() - shift;
        }
        copy
    }

    /// Keeps these entries of a list; `renumber` gets each with the number of its run.
    ///
    /// Those before the first row that is removed keep their numbers.
    pub(crate) fn keep<T: Copy>(&self, list: &mut Vec<T>, renumber: impl Fn(usize, &mut T)) {
        let mut end = 0;
        for (run, rows) in self.ranges.iter().enumerate() {
            if rows.start != end {
                list.copy_within(rows.clone(), end);
            }
            let kept = end..end + rows.len();
            end = kept.end;
            if run > 0 || !self.is_first_still {
                list[kept].iter_mut().for_each(|entry| renumber(run, entry));
            }
        }
        list.truncate(end);
    }

    /// Keeps the starts of these rows, whose last entry is one past the last row.
    ///
    /// None stay none; otherwise the first is 0.
    pub(crate) fn keep_starts<T: Count>(&self, starts: &mut Vec<T>) {
        let mut row = 0;
        for (run, rows) in self.ranges.iter().enumerate() {
            if run == 0 && self.is_first_still {
                row = rows.end;
                continue;
            }
            let shift = starts[rows.start].index() - starts[row].index();
            for old in rows.clone() {
                row += 1;
                starts[row] = T::at(starts[old + 1].index() - shift);
            }
        }
        starts.truncate(row + 1);
    }
}

/// A number of entries.
pub(crate) trait Count: Copy {
    fn index(self) -> usize;
    fn at(index: usize) -> Self;
}

impl Count for u32 {
    fn index(self) -> usize {
        self as usize
    }

    fn at(index: usize) -> u32 {
        index as u32
    }
}

impl Count for usize {
    fn index(self) -> usize {
        self
    }

    fn at(index: usize) -> usize {
        index
    }
}

/// Appends the starts of other rows, whose entries come behind those that are here.
///
/// Both have one start more than rows.
pub(crate) fn append_starts<T: Count>(starts: &mut Vec<T>, others: &[T]) {
    let end = starts.last().map_or(0, |end| end.index());
    starts.extend(others.iter().skip(1).map(|start| T::at(end + start.index())));
}
