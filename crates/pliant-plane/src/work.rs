//! Counts visited nodes and segments over strips, so that tests can bound work without a clock.
//!
//! Only with the feature `checks`, which tests have; otherwise it does nothing.

#[cfg(feature = "checks")]
use std::cell::Cell;

#[cfg(feature = "checks")]
thread_local! {
    static VISITED: Cell<u64> = const { Cell::new(0) };
}

/// Counts one visit of a node in a tree of boxes, or of a segment over a strip.
#[inline]
pub(crate) fn count() {
    #[cfg(feature = "checks")]
    VISITED.set(VISITED.get() + 1);
}

/// Nodes and segments that this thread has visited so far.
#[cfg(feature = "checks")]
pub fn visited() -> u64 {
    VISITED.get()
}
