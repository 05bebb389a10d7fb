//! Gauss–Seidel sweeps: rows relaxed one after the other, whatever stores them.

/// What relaxing one row did, or all: the most that any did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Relaxed {
    /// The row changed nothing, or less than counts.
    Converged,
    /// The row changed what it joins.
    Moved {
        /// Whether nothing at it bends: such rows may have more sweeps.
        is_rigid: bool,
    },
}

/// Rows that are relaxed in order.
pub(crate) trait GaussSeidel {
    /// Number of rows.
    fn row_count(&self) -> usize;

    /// Satisfies one row by itself.
    fn relax(&mut self, row: usize) -> Relaxed;

    /// Satisfies all rows, each by itself.
    fn relax_all(&mut self) -> Relaxed {
        (0..self.row_count()).fold(Relaxed::Converged, |most, row| most.max(self.relax(row)))
    }

    /// Moves on between two sweeps; by default not.
    fn accelerate(&mut self) {}
}

/// How many sweeps there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SweepLimits {
    /// While only rows of bodies that bend move.
    pub soft: usize,
    /// While rows of rigid bodies move too.
    pub rigid: usize,
}

/// Sweeps over all rows until none moves or the limits are reached; returns their number.
pub(crate) fn sweep(rows: &mut impl GaussSeidel, limits: SweepLimits) -> usize {
    let most = limits.soft.max(limits.rigid);
    for sweep in 1..=most {
        let relaxed = rows.relax_all();
        let limit = match relaxed {
            Relaxed::Moved { is_rigid: true } => limits.rigid,
            _ => limits.soft,
        };
        if relaxed == Relaxed::Converged || sweep >= limit {
            return sweep;
        }
        rows.accelerate();
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equations 2 x + y = 3 and x + 2 y = 3, solved by x = y = 1.
    struct Pair {
        x: [f64; 2],
        /// What a row that changes says.
        moved: Relaxed,
        accelerated: usize,
    }

    impl GaussSeidel for Pair {
        fn row_count(&self) -> usize {
            2
        }

        fn relax(&mut self, row: usize) -> Relaxed {
            let before = self.x[row];
            self.x[row] = (3.0 - self.x[1 - row]) / 2.0;
            let is_still = (self.x[row] - before).abs() < 1e-9;
            if is_still { Relaxed::Converged } else { self.moved }
        }

        fn accelerate(&mut self) {
            self.accelerated += 1;
        }
    }

    const SOFT: Relaxed = Relaxed::Moved { is_rigid: false };
    const RIGID: Relaxed = Relaxed::Moved { is_rigid: true };

    #[track_caller]
    fn check(moved: Relaxed, limits: SweepLimits, expected: usize) {
        let mut pair = Pair { x: [0.0; 2], moved, accelerated: 0 };
        assert_eq!(sweep(&mut pair, limits), expected);
        assert_eq!(pair.accelerated, expected.max(1) - 1); // not after the last
        if expected > 10 {
            assert!(pair.x.iter().all(|x| (x - 1.0).abs() < 1e-9), "{:?}", pair.x);
        }
    }

    #[test]
    fn sweeps_end_when_nothing_moves_or_at_the_limit_of_their_kind() {
        // The error falls by four a sweep: 1.5 · 4⁻¹⁵ is the first change below 1e-9.
        check(SOFT, SweepLimits { soft: 99, rigid: 1 }, 17);
        check(RIGID, SweepLimits { soft: 1, rigid: 99 }, 17);
        check(SOFT, SweepLimits { soft: 3, rigid: 99 }, 3);
        check(RIGID, SweepLimits { soft: 99, rigid: 3 }, 3);
        check(SOFT, SweepLimits { soft: 0, rigid: 0 }, 0);
    }
}
