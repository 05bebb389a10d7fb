//! Many points and few outlines: where each point is.
//!
//! By the boxes of the exact backend, which are built for the first point: queries without one
//! cost nothing.

use std::sync::OnceLock;

use pliant::math::Vec2;

use super::boundary::PointLocation;
use super::exact::tree::{Boxes, View};
use super::outline::Outlines;

/// Locates points with respect to a set of outlines; threads may share it.
#[derive(Debug)]
pub struct Locator<'a> {
    /// The outlines.
    outlines: &'a Outlines,
    /// Boxes of their segments, once there was a point.
    boxes: OnceLock<Boxes>,
}

impl<'a> Locator<'a> {
    /// Without boxes as yet.
    pub fn new(outlines: &'a Outlines) -> Locator<'a> {
        Locator { outlines, boxes: OnceLock::new() }
    }

    /// The outlines.
    pub fn outlines(&self) -> &'a Outlines {
        self.outlines
    }

    /// Where a point is; exact. `outline` must be below the number of outlines.
    pub fn spot(&self, outline: usize, point: Vec2) -> PointLocation {
        let boxes = self.boxes.get_or_init(|| {
            let mut boxes = Boxes::default();
            boxes.build(self.outlines);
            boxes
        });
        View { outlines: self.outlines, boxes }.spot(outline, point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute;
    use crate::exact::shapes;

    #[test]
    fn a_point_is_where_every_segment_says() {
        for seed in 0..50 {
            let outlines = shapes::pair(seed);
            let locator = Locator::new(&outlines);
            for point in outlines.points() {
                for outline in 0..2 {
                    let expected = brute::spot(&outlines, outline, *point);
                    assert_eq!(locator.spot(outline, *point), expected);
                }
            }
        }
    }
}
