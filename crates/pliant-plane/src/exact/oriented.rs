//! Oriented bounding boxes, for runs of segments that are long and slanted.
//!
//! Upright boxes of slanted spikes overlap, so that a point is in a part of all of them. A box
//! along the main axis of a run is as thin as the run is, and holds few points but its own. An
//! oriented box is only ever asked after the upright one, and kept only where it is much thinner.
//!
//! | here     | meaning                                                                  |
//! |----------|--------------------------------------------------------------------------|
//! | `axis`   | eigenvector of the greater eigenvalue of the points' covariance          |
//! | `spread` | the lesser eigenvalue, m²: no box of the points is thinner than its root |

use pliant::math::Vec2;

use super::super::rect::Rect;

/// What every half side is grown by, relative to the largest coordinate.
///
/// Places computed on segments are off by 8 ε; projections of differences of points that are as
/// large, and sums of them, by less than 30 ε on either side.
const PADDING: f64 = 64.0 * f64::EPSILON;

/// Rounding of the square of a distance to what lies far off, relative to it.
const SQUARE_ERROR: f64 = 16.0 * f64::EPSILON;

/// An oriented box is kept where the upright one is this many times as thick.
const THINNER: f64 = 4.0;

/// A box along any direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OrientedBox {
    /// Its middle, m.
    centre: Vec2,
    /// Unit vector along it.
    axis: Vec2,
    /// Half its sides along the axis and across, m, rounded up.
    half: [f64; 2],
}

/// Where what is in a box meets a level line, seen from a point of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beside {
    /// To the left of the point, or nowhere.
    Left,
    /// To the right of the point, or nowhere.
    Right,
}

impl OrientedBox {
    /// The box of some points with an upright box, where it is much thinner than that.
    pub fn of_points(points: impl Iterator<Item = Vec2> + Clone, rect: &Rect) -> Option<Self> {
        let centre = rect.min.midpoint(rect.max);
        let Covariance { axis, spread } = Covariance::of(points.clone(), centre)?;
        let size = rect.size();
        let thickness = axis.y.abs() * size.x + axis.x.abs() * size.y;
        if 2.0 * THINNER * spread.sqrt() > thickness {
            return None;
        }
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        for point in points {
            let turned = turned(axis, point - centre);
            low = low.min(turned);
            high = high.max(turned);
        }
        let middle = low.midpoint(high);
        let coordinate = rect.min.abs().max(rect.max.abs()).max_element();
        let half = (high - middle).max(middle - low) + PADDING * coordinate;
        let centre = centre + middle.x * axis + middle.y * axis.perp();
        (THINNER * 2.0 * half.y < thickness).then_some(Self { centre, axis, half: half.into() })
    }

    /// A segment as a box.
    fn of_segment([a, b]: [Vec2; 2]) -> Self {
        let centre = a.midpoint(b);
        let axis = (b - a).try_normalize().unwrap_or(Vec2::X);
        let pad = PADDING * a.abs().max(b.abs()).max_element();
        Self { centre, axis, half: [0.5 * a.distance(b) + pad, pad] }
    }

    /// An upright box.
    pub fn of_rect(rect: &Rect) -> Self {
        let pad = PADDING * rect.min.abs().max(rect.max.abs()).max_element();
        let half = 0.5 * rect.size() + pad;
        Self { centre: rect.min.midpoint(rect.max), axis: Vec2::X, half: half.into() }
    }

    /// Square of the distance of a point, m², or less.
    #[inline(never)]
    pub fn distance_sq(&self, point: Vec2) -> f64 {
        let beyond = turned(self.axis, point - self.centre).abs() - Vec2::from(self.half);
        beyond.max(Vec2::ZERO).length_squared() * (1.0 - SQUARE_ERROR)
    }

    /// Square of the distance of a segment, m², or less.
    #[inline(never)]
    pub fn gap_sq_of_segment(&self, ends: [Vec2; 2]) -> f64 {
        self.gap_sq(&Self::of_segment(ends))
    }

    /// Square of the distance of another box, m², or less; exactly 0 where they meet.
    ///
    /// By separating axes: between boxes that touch in nothing some axis of one leaves a gap.
    #[inline(never)]
    pub fn gap_sq(&self, other: &Self) -> f64 {
        let way = other.centre - self.centre;
        let between = turned(self.axis, other.axis).abs();
        let along = |from: &Self, to: &Self| {
            let offset = turned(from.axis, way).abs();
            let [long, across] = to.half;
            let reach = Vec2::new(
                between.x * long + between.y * across,
                between.y * long + between.x * across,
            );
            (offset - reach - Vec2::from(from.half)).max_element()
        };
        let gap = along(self, other).max(along(other, self)).max(0.0);
        gap * gap * (1.0 - SQUARE_ERROR)
    }

    /// Where all in the box is that the level line through a point meets, if the point is aside.
    #[inline(never)]
    pub fn beside(&self, point: Vec2) -> Option<Beside> {
        let offset = self.axis.perp_dot(point - self.centre);
        // What is in the box lies lower along the normal (−axis.y, axis.x), or higher.
        let lower = offset > self.half[1];
        if !lower && offset >= -self.half[1] {
            return None;
        }
        let right = if lower { self.axis.y > 0.0 } else { self.axis.y < 0.0 };
        Some(if right { Beside::Right } else { Beside::Left })
    }
}

/// Coordinates of a way along an axis and across it.
#[inline]
fn turned(axis: Vec2, way: Vec2) -> Vec2 {
    Vec2::new(axis.dot(way), axis.perp_dot(way))
}

/// How points are spread.
struct Covariance {
    axis: Vec2,
    spread: f64,
}

impl Covariance {
    /// `None` of points without a main axis; `centre` is near them.
    fn of(points: impl Iterator<Item = Vec2>, centre: Vec2) -> Option<Covariance> {
        let (mut count, mut sum) = (0.0, Vec2::ZERO);
        let (mut squares, mut product) = (Vec2::ZERO, 0.0);
        for point in points {
            let way = point - centre;
            count += 1.0;
            sum += way;
            squares += way * way;
            product += way.x * way.y;
        }
        let mean = sum / count;
        let variance = squares / count - mean * mean;
        let mixed = product / count - mean.x * mean.y;
        let half = 0.5 * (variance.x - variance.y);
        let root = (half * half + mixed * mixed).sqrt();
        // Of both forms of the eigenvector the one that does not cancel.
        let axis =
            if half >= 0.0 { Vec2::new(half + root, mixed) } else { Vec2::new(mixed, root - half) };
        let spread = (0.5 * (variance.x + variance.y) - root).max(0.0);
        axis.try_normalize().map(|axis| Covariance { axis, spread })
    }
}
