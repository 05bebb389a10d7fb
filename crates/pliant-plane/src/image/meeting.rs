//! Where two boundaries meet, and which part of each segment they share.

use std::ops::ControlFlow;

use super::super::exact::meeting::Meeting as Met;
use super::super::exact::tree::View;
use super::super::segment::shared;

/// Two segments that share a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// The segment of a and the segment of b.
    pub segments: [u32; 2],
    /// For each where the shared part begins and ends, as shares of its way.
    pub along: [[f64; 2]; 2],
}

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
        let [ends, across] = [own, other].map(|at| view.outlines.segment(at as usize));
        meetings.push(Meeting { segments: [own, other], along: shared(ends, across) });
        if extent == Extent::All { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    debug_assert!(ended.is_continue() || extent == Extent::First, "{pair:?}");
    meetings.sort_unstable_by_key(|meeting| meeting.segments);
}
