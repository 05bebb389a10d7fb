//! Counts visited nodes and segments over strips, so that tests can bound work without a clock.
//!
//! Only with the feature `checks`, which tests have, and with debug assertions, as examples have
//! the feature too and are for measuring; otherwise it does nothing.

#[cfg(all(feature = "checks", debug_assertions))]
use std::cell::Cell;

#[cfg(all(feature = "checks", debug_assertions))]
thread_local! {
    static VISITED: Cell<u64> = const { Cell::new(0) };
}

/// Counts one visit of a node in a tree of boxes, or of a segment over a strip.
#[inline]
pub(crate) fn count() {
    #[cfg(all(feature = "checks", debug_assertions))]
    VISITED.set(VISITED.get() + 1);
}

/// Nodes and segments that this thread has visited so far.
#[cfg(all(feature = "checks", debug_assertions))]
pub fn visited() -> u64 {
    VISITED.get()
}
