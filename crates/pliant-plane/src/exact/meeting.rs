//! Which segments of two outlines meet, and how; exact.

use std::ops::ControlFlow;

use pliant::math::{Vec2, orient2d};

use super::super::rect::Rect;
use super::tree::View;

/// How two segments share a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Each has its ends strictly on both sides of the other.
    Cross,
    /// An end of one lies on the other.
    AtEnd,
}

/// Two segments that share a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meeting {
    /// Segment of the first outline.
    pub own: u32,
    /// Segment of the second.
    pub other: u32,
    /// How they do.
    pub kind: Kind,
}

impl Meeting {
    /// The same seen from the other outline.
    pub fn swapped(self) -> Meeting {
        Meeting { own: self.other, other: self.own, kind: self.kind }
    }

    /// What sorts meetings along the first outline.
    pub fn key(&self) -> (u32, u32) {
        (self.own, self.other)
    }
}

/// How two segments whose boxes meet do so.
///
/// Agrees with [`meet`](super::super::segment::meet).
#[inline]
fn kind([a0, a1]: [Vec2; 2], [b0, b1]: [Vec2; 2]) -> Option<Kind> {
    let apart = |p: f64, q: f64| (p > 0.0 && q > 0.0) || (p < 0.0 && q < 0.0);
    let of_b = [orient2d(a0, a1, b0), orient2d(a0, a1, b1)];
    if apart(of_b[0], of_b[1]) {
        return None;
    }
    let of_a = [orient2d(b0, b1, a0), orient2d(b0, b1, a1)];
    if apart(of_a[0], of_a[1]) {
        return None;
    }
    let touch = of_a.contains(&0.0) || of_b.contains(&0.0);
    Some(if touch { Kind::AtEnd } else { Kind::Cross })
}

impl View<'_> {
    /// Calls `found` for every meeting of two outlines, in no certain order.
    pub fn meetings(
        &self,
        [a, b]: [usize; 2],
        found: &mut impl FnMut(Meeting) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.between([self.root(a), self.root(b)], &self.rect(b), found)
    }

    /// Calls `found` for the meetings of an outline with itself near a window.
    ///
    /// Neighbours, which always meet, are left out.
    pub fn own_meetings(
        &self,
        outline: usize,
        window: &Rect,
        found: &mut impl FnMut(Meeting) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let next = self.outlines.next();
        let mut strange = |meeting: Meeting| {
            let [p, q] = [meeting.own, meeting.other];
            if next[p as usize] == q || next[q as usize] == p {
                ControlFlow::Continue(())
            } else {
                found(meeting)
            }
        };
        self.within(self.root(outline), window, &mut strange)
    }

    /// Meetings of one node's segments with each other.
    fn within(
        &self,
        at: usize,
        window: &Rect,
        found: &mut impl FnMut(Meeting) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let node = self.node(at);
        if !node.rect.meets(window) {
            return ControlFlow::Continue(());
        }
        for child in node.children() {
            if node.level == 0 {
                self.with_segments(child, child + 1..node.children().end, found)?;
                continue;
            }
            self.within(child, window, found)?;
            for other in child + 1..node.children().end {
                self.between([child, other], window, found)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Meetings of two nodes' segments in a window.
    fn between(
        &self,
        [a, b]: [usize; 2],
        window: &Rect,
        found: &mut impl FnMut(Meeting) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let (node_a, node_b) = (self.node(a), self.node(b));
        if !(node_a.rect.meets(&node_b.rect) && node_a.rect.meets(window))
            || self.oriented_gap_sq([node_a, node_b]) > 0.0
        {
            return ControlFlow::Continue(());
        }
        if node_a.level == 0 && node_b.level == 0 {
            for at in node_a.children() {
                if Rect::of(self.outlines.segment(at)).meets(&node_b.rect) {
                    self.with_segments(at, node_b.children(), found)?;
                }
            }
        } else if node_a.level >= node_b.level {
            for child in node_a.children() {
                self.between([child, b], window, found)?;
            }
        } else {
            for child in node_b.children() {
                self.between([a, child], window, found)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Meetings of one segment with some others.
    fn with_segments(
        &self,
        own: usize,
        others: std::ops::Range<usize>,
        found: &mut impl FnMut(Meeting) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let ends = self.outlines.segment(own);
        let rect = Rect::of(ends);
        for other in others {
            let across = self.outlines.segment(other);
            if Rect::of(across).meets(&rect)
                && let Some(kind) = kind(ends, across)
            {
                found(Meeting { own: own as u32, other: other as u32, kind })?;
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::shapes;
    use crate::exact::tree::Boxes;
    use crate::segment::meet;
    use proptest::prelude::*;

    #[test]
    fn a_crossing_has_all_ends_off_the_other_and_a_touch_has_one_on_it() {
        let p = Vec2::new;
        let base = [p(0.0, 0.0), p(2.0, 0.0)];
        assert_eq!(kind(base, [p(1.0, 1.0), p(1.0, -1.0)]), Some(Kind::Cross));
        assert_eq!(kind(base, [p(1.0, 1.0), p(1.0, 0.0)]), Some(Kind::AtEnd));
        assert_eq!(kind(base, [p(2.0, 1.0), p(2.0, -1.0)]), Some(Kind::AtEnd));
        assert_eq!(kind(base, [p(1.0, 0.0), p(3.0, 0.0)]), Some(Kind::AtEnd));
        assert_eq!(kind(base, [p(2.1, 1.0), p(2.1, -1.0)]), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn boxes_lose_no_meeting(seed in 0_u64..1 << 48) {
            let outlines = shapes::pair(seed);
            let mut boxes = Boxes::default();
            boxes.build(&outlines);
            let view = View { outlines: &outlines, boxes: &boxes };
            let meets = |p: usize, q: usize| meet(outlines.segment(p), outlines.segment(q));
            let mut found = Vec::new();
            let mut push = |meeting: Meeting| {
                found.push(meeting.key());
                ControlFlow::Continue(())
            };
            assert!(view.meetings([0, 1], &mut push).is_continue());
            assert!(view.own_meetings(0, &view.rect(0), &mut push).is_continue());
            found.sort_unstable();
            let strange = |p: usize, q: usize| {
                outlines.next()[p] as usize != q && outlines.next()[q] as usize != p
            };
            let all = outlines.range(0).flat_map(|p| (p + 1..outlines.range(1).end).map(move |q| (p, q)));
            let expected = all.filter(|&(p, q)| meets(p, q) && strange(p, q));
            let expected: Vec<(u32, u32)> = expected.map(|(p, q)| (p as u32, q as u32)).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
