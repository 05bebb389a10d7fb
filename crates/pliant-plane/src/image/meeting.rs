//! Where two boundaries meet, and which part of each segment they share.

use std::ops::ControlFlow;

use super::super::exact::meeting::Meeting as Met;
use super::super::exact::tree::View;
pub use super::super::patch::Meeting;

/// Whether one meeting suffices or all are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Whether there is one.
    First,
    /// All of them.
    All,
}

/// Fills in where the boundaries of a and b meet, along a; exact.
pub fn meetings(view: View<'_>, pair: [usize; 2], extent: Extent, meetings: &mut Vec<Meeting>) {
    meetings.clear();
    let ended = view.meetings(pair, &mut |Met { own, other, .. }| {
        meetings.push(Meeting::of(view.outlines, [own, other]));
        if extent == Extent::All { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    debug_assert!(ended.is_continue() || extent == Extent::First, "{pair:?}");
    meetings.sort_unstable_by_key(|meeting| meeting.segments);
}
