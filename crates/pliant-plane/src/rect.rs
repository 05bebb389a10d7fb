//! Axis-aligned boxes in the plane.

use std::ops::Range;

use pliant::math::Vec2;

use super::outline::Outlines;

/// An axis-aligned box; empty when a coordinate of `min` is above that of `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Lower left corner, m.
    pub min: Vec2,
    /// Upper right corner, m; the box is closed.
    pub max: Vec2,
}

/// The lesser of two numbers, by one instruction; the standard one handles NaN.
#[inline]
fn low(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The greater of two numbers.
#[inline]
fn high(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

impl Default for Rect {
    /// The empty box.
    fn default() -> Rect {
        Rect::EMPTY
    }
}

impl Rect {
    /// The empty box.
    pub const EMPTY: Rect = Rect { min: Vec2::INFINITY, max: Vec2::NEG_INFINITY };

    /// The box of a segment.
    #[inline]
    pub fn of([a, b]: [Vec2; 2]) -> Rect {
        Rect { min: a, max: a }.with(b)
    }

    /// The box of points; empty without any.
    pub fn around(points: impl IntoIterator<Item = Vec2>) -> Rect {
        points.into_iter().fold(Rect::EMPTY, Rect::with)
    }

    /// The box of a range of segments.
    pub fn of_segments(outlines: &Outlines, segments: Range<usize>) -> Rect {
        let points = outlines.points();
        let mut rect = Rect::EMPTY;
        for at in segments.clone() {
            rect = rect.with(points[at]);
            let next = outlines.next()[at] as usize;
            // Only the end of the range and the ends of rings lead elsewhere.
            if next != at + 1 || next == segments.end {
                rect = rect.with(points[next]);
            }
        }
        rect
    }

    /// The box of both a box and a point.
    #[inline]
    #[must_use]
    pub fn with(self, point: Vec2) -> Rect {
        Rect {
            min: Vec2::new(low(point.x, self.min.x), low(point.y, self.min.y)),
            max: Vec2::new(high(point.x, self.max.x), high(point.y, self.max.y)),
        }
    }

    /// The box of two boxes.
    #[inline]
    #[must_use]
    pub fn union(self, other: Rect) -> Rect {
        self.with(other.min).with(other.max)
    }

    /// What two boxes share; empty where they do not meet.
    #[inline]
    #[must_use]
    pub fn common(self, other: Rect) -> Rect {
        Rect {
            min: Vec2::new(high(self.min.x, other.min.x), high(self.min.y, other.min.y)),
            max: Vec2::new(low(self.max.x, other.max.x), low(self.max.y, other.max.y)),
        }
    }

    /// The box grown by `margin`, m, on every side, rounded outwards.
    #[inline]
    #[must_use]
    pub fn grown(self, margin: f64) -> Rect {
        if margin == 0.0 {
            return self;
        }
        let [min, max] = [self.min - margin, self.max + margin];
        Rect {
            min: Vec2::new(min.x.next_down(), min.y.next_down()),
            max: Vec2::new(max.x.next_up(), max.y.next_up()),
        }
    }

    /// Its sides, m; zero of an empty box.
    pub fn size(&self) -> Vec2 {
        (self.max - self.min).max(Vec2::ZERO)
    }

    /// Whether there is no point in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        !(self.min.x <= self.max.x && self.min.y <= self.max.y)
    }

    /// Whether two boxes share a point, touching included.
    #[inline]
    pub fn meets(&self, other: &Rect) -> bool {
        (self.min.x <= other.max.x && other.min.x <= self.max.x)
            && (self.min.y <= other.max.y && other.min.y <= self.max.y)
    }

    /// Whether a point lies in the box, its sides included.
    #[inline]
    pub fn contains(&self, point: Vec2) -> bool {
        self.meets(&Rect { min: point, max: point })
    }

    /// Square of the shortest way between two boxes, m²; zero where they meet.
    #[inline]
    pub fn gap_sq(&self, other: &Rect) -> f64 {
        let x = high(high(self.min.x - other.max.x, other.min.x - self.max.x), 0.0);
        let y = high(high(self.min.y - other.max.y, other.min.y - self.max.y), 0.0);
        x * x + y * y
    }

    /// Square of the distance of a point, m²; zero inside.
    #[inline]
    pub fn distance_sq(&self, point: Vec2) -> f64 {
        self.gap_sq(&Rect { min: point, max: point })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(x0: f64, y0: f64, x1: f64, y1: f64) -> Rect {
        Rect { min: Vec2::new(x0, y0), max: Vec2::new(x1, y1) }
    }

    #[test]
    fn boxes_that_touch_meet_and_share_an_edge() {
        let (a, b) = (rect(0.0, 0.0, 1.0, 1.0), rect(1.0, 0.5, 2.0, 3.0));
        assert!(a.meets(&b) && b.meets(&a));
        assert_eq!(a.common(b), rect(1.0, 0.5, 1.0, 1.0));
        assert_eq!(a.union(b), rect(0.0, 0.0, 2.0, 3.0));
        let apart = rect(4.0, 5.0, 5.0, 6.0);
        assert!(!a.meets(&apart) && a.common(apart).is_empty());
        assert_eq!(a.gap_sq(&apart), 9.0 + 16.0);
        assert_eq!(a.distance_sq(Vec2::new(0.5, -2.0)), 4.0);
    }

    #[test]
    fn a_margin_is_rounded_outwards_and_none_changes_nothing() {
        let a = rect(0.1, 0.1, 0.7, 0.7);
        assert_eq!(a.grown(0.0), a);
        let grown = a.grown(1e-30);
        assert!(grown.min.x < 0.1 && grown.max.y > 0.7);
        assert!(Rect::EMPTY.is_empty() && Rect::EMPTY.grown(1.0).is_empty());
    }

    #[test]
    fn points_span_their_box() {
        let points = [Vec2::new(1.0, 5.0), Vec2::new(-2.0, 3.0), Vec2::new(0.0, 4.0)];
        let around = Rect::around(points);
        assert_eq!((around, around.size()), (rect(-2.0, 3.0, 1.0, 5.0), Vec2::new(3.0, 2.0)));
        assert_eq!((Rect::around([]), Rect::EMPTY.size()), (Rect::EMPTY, Vec2::ZERO));
    }

    #[test]
    fn a_range_over_the_end_of_a_ring_holds_its_closing_segment() {
        let mut outlines = Outlines::default();
        let triangle =
            |at: f64| [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)].map(|(x, y)| Vec2::new(x + at, y));
        outlines.push(&[triangle(0.0).to_vec(), triangle(5.0).to_vec()]).unwrap();
        // Segments 2 and 3: the last of the first ring leads back to its beginning.
        let both = Rect::of_segments(&outlines, 2..4);
        assert_eq!(both, Rect::of(outlines.segment(2)).union(Rect::of(outlines.segment(3))));
        assert_eq!(Rect::of_segments(&outlines, 0..0), Rect::EMPTY);
    }
}
