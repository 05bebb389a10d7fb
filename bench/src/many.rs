//! Median and worst of a number over many runs.

/// Median and worst of one number over many runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Many {
    /// Half of the runs have less.
    pub median: f64,
    /// The worst run's.
    pub worst: f64,
    /// Seed of the worst run.
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

/// Whether a row reaches its goal.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_is_at_the_end_that_is_asked_for() {
        let runs = || [(1, 3.0), (2, 9.0), (3, 5.0)].into_iter();
        assert_eq!(Many::of(runs(), Worse::Larger), Many { median: 5.0, worst: 9.0, seed: 2 });
        assert_eq!(Many::of(runs(), Worse::Smaller), Many { median: 5.0, worst: 3.0, seed: 1 });
    }

    #[test]
    fn what_is_not_a_number_is_the_worst() {
        for worse in [Worse::Larger, Worse::Smaller] {
            let found = Many::of([(1, f64::NAN), (2, 7.0), (3, 8.0)].into_iter(), worse);
            assert!(found.worst.is_nan() && found.seed == 1, "{found:?}");
        }
    }

    #[test]
    fn a_goal_that_is_missed_has_no_stretch() {
        assert_eq!(Reached::of([false, true]), Reached::No);
        assert_eq!(Reached::of([true, false]), Reached::Must);
        assert_eq!(Reached::of([true, true]), Reached::Stretch);
    }
}
