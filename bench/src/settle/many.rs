//! Numbers of many runs, told by two of them.

/// Median and worst of one number over many runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Many {
    /// Half of the runs have less.
    pub median: f64,
    /// The worst run's.
    pub worst: f64,
    /// Seed of the worst run, count.
    pub seed: u32,
}

/// Which end is the worse.
#[derive(Clone, Copy, Debug)]
pub enum Worse {
    /// Such as steps and speeds.
    Larger,
    /// Such as how much faster than time.
    Smaller,
}

impl Many {
    /// Of pairs of seed and number; zeros when there are none.
    ///
    /// What is not a number is worse than any number.
    pub fn of(runs: impl Iterator<Item = (u32, f64)>, worse: Worse) -> Many {
        let mut sorted: Vec<_> = runs.collect();
        let key = |number: f64| match worse {
            Worse::Larger => number,
            Worse::Smaller => -number,
        };
        let clean = |number: f64| if number.is_nan() { f64::INFINITY } else { key(number) };
        sorted.sort_by(|(_, a), (_, b)| clean(*a).total_cmp(&clean(*b)));
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or_default().1;
        let (seed, worst) = sorted.last().copied().unwrap_or_default();
        Many { median, worst, seed }
    }
}

/// What a row says of its goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reached {
    /// It falls short.
    No,
    /// What must be reached.
    Must,
    /// What would be better still.
    Stretch,
}

impl Reached {
    /// From whether each of them holds.
    pub fn of([must, stretch]: [bool; 2]) -> Reached {
        match (must, stretch) {
            (false, _) => Reached::No,
            (true, false) => Reached::Must,
            (true, true) => Reached::Stretch,
        }
    }

    /// For a table.
    pub fn word(self) -> &'static str {
        match self {
            Reached::No => "no",
            Reached::Must => "yes",
            Reached::Stretch => "stretch",
        }
    }
}
