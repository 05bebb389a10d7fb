//! Chains with thickness: all that is within a radius of a chain, as rings.
//!
//! A round pen is a regular polygon inside the circle; drawing it along one segment covers
//! their Minkowski sum, and the region is the union of those sums. So joints and ends are
//! round, and a chain that folds back or comes nearer to itself than its thickness needs no
//! case of its own. The union is taken by `i_overlay` on a grid of integers: a robust union of
//! arbitrary polygons is a project of its own, and that crate is well maintained.
//!
//! The region lies between those of the exact radius and of the radius less the pen's error
//! r (1 − cos π/m), up to [`GRID_ERROR`] steps of the grid, which is 2⁻⁴¹ of the extent.

use std::f64::consts::{PI, TAU};

use i_overlay::core::fill_rule::FillRule;
use i_overlay::core::overlay::Overlay;
use i_overlay::core::overlay_rule::OverlayRule;
use i_overlay::i_float::int::point::IntPoint;

use pliant::math::Vec2;

/// Binary digits of the grid's coordinates; the engine has 64 and multiplies two.
const GRID_BITS: i32 = 40;

/// How far rounding to the grid moves a boundary, in steps: half a diagonal for the corners,
/// as much for crossings, and the same again for segments that a moved crossing bends.
const GRID_ERROR: f64 = 4.0;

/// Thinnest radius relative to the extent that the grid still resolves.
const THINNEST: f64 = 1.0 / (1 << 28) as f64;

/// Fewest and most corners of the pen.
const CORNERS: [usize; 2] = [8, 4096];

/// Most corners of all pens of one region together; finer bounds are not kept.
const MOST_CORNERS: usize = 1 << 22;

/// Sums that are united at once, and regions that are united from then on.
///
/// All at once cost as much as there are crossings of all of them, most of which lie under
/// others and bound nothing.
const UNITED: [usize; 2] = [64, 4];

/// Most corners of the region's boundary.
const MOST_BOUNDARY: usize = 1 << 22;

/// A chain drawn with a round pen.
#[derive(Clone, Debug, PartialEq)]
pub struct Stroke {
    /// The chain, m; a single point makes a disc.
    pub points: Vec<Vec2>,
    /// Half the thickness, m, above zero.
    pub radius: f64,
}

/// The region that strokes cover together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thick {
    /// Rings that do not cross; inside by the even–odd rule, m.
    pub rings: Vec<Vec<Vec2>>,
    /// How far its boundary is from that of round strokes at most, m.
    pub error: f64,
}

/// Why there is no region.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ThickError {
    /// A radius that is not positive and finite.
    #[error("stroke {stroke} has a radius of {radius}; it must be above zero and finite")]
    Radius {
        /// Position of the stroke in the input.
        stroke: usize,
        /// As given, m.
        radius: f64,
    },
    /// A point that is not finite.
    #[error("point {point} of stroke {stroke} is {position}")]
    NotFinite {
        /// Position of the stroke in the input.
        stroke: usize,
        /// Position of the point in its chain.
        point: usize,
        /// Its position, m.
        position: Vec2,
    },
    /// A pen too thin for numbers of this size.
    #[error("stroke {stroke} has a radius of {radius:e}, too thin for lines {extent:e} long")]
    TooThin {
        /// Position of the stroke in the input.
        stroke: usize,
        /// As given, m.
        radius: f64,
        /// Longer side of the box around all strokes, m.
        extent: f64,
    },
    /// Lines that cross so often that their boundary does not fit into memory.
    #[error(
        "the boundary of {strokes} thick lines has more than {MOST_BOUNDARY} corners, as they \
         cross each other so often; leave out some of them, or give them a larger thickness"
    )]
    TooMany {
        /// Number of strokes.
        strokes: usize,
    },
}

/// Covers all strokes, within `bound` of round ones, m.
///
/// No strokes cover nothing. Where the bound requires too many corners, `error` is the bound
/// that is kept instead.
pub fn thicken(strokes: &[Stroke], bound: f64) -> Result<Thick, ThickError> {
    let points: usize = strokes.iter().map(|stroke| stroke.points.len()).sum();
    if points == 0 {
        return Ok(Thick::default());
    }
    let grid = Grid::new(strokes)?;
    let most = (MOST_CORNERS / points).clamp(CORNERS[0], CORNERS[1]);
    let mut sums = Vec::with_capacity(points);
    let mut error = 0.0_f64;
    for stroke in strokes {
        let (pen, pen_error) = pen(stroke.radius, bound, most);
        error = error.max(pen_error);
        for ends in stroke.points.windows(2) {
            sums.push(grid.rounded(drawn(&pen, [ends[0], ends[1]])));
        }
        if let [dot] = stroke.points[..] {
            sums.push(grid.rounded(pen.iter().map(|corner| dot + *corner)));
        }
    }
    let (rings, levels) =
        union(&sums, MOST_BOUNDARY).ok_or(ThickError::TooMany { strokes: strokes.len() })?;
    let rings = rings.iter().map(|ring| grid.back(ring)).collect();
    Ok(Thick { rings, error: error + levels as f64 * GRID_ERROR * grid.step })
}

/// A closed chain of grid points, against the clock around what it covers.
type Ring = Vec<IntPoint<i64>>;

/// What rings cover together, and how often it was rounded.
///
/// `None` where the boundary has more than `most` corners.
fn union(sums: &[Ring], most: usize) -> Option<(Vec<Ring>, usize)> {
    // Neighbours in the chain are neighbours in the plane: unite these first.
    let mut parts: Vec<Vec<Ring>> = sums.chunks(UNITED[0]).map(united).collect();
    let mut levels = 1;
    loop {
        let corners: usize = parts.iter().flatten().map(Vec::len).sum();
        if corners > most {
            return None;
        }
        if parts.len() <= 1 {
            return Some((parts.pop().unwrap_or_default(), levels));
        }
        parts = parts.chunks(UNITED[1]).map(|some| united(&some.concat())).collect();
        levels += 1;
    }
}

/// What rings cover together, at once.
fn united(rings: &[Ring]) -> Vec<Ring> {
    let shapes = Overlay::from_subj(rings).overlay(OverlayRule::Subject, FillRule::NonZero);
    shapes.into_iter().flatten().collect()
}

/// Integers for all places the strokes can reach.
struct Grid {
    /// Middle of all strokes, m.
    middle: Vec2,
    /// Distance between neighbouring integers, m; a power of two.
    step: f64,
}

impl Grid {
    fn new(strokes: &[Stroke]) -> Result<Grid, ThickError> {
        let (mut min, mut max) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        for (stroke, Stroke { points, radius }) in strokes.iter().enumerate() {
            let radius = *radius;
            if !(radius > 0.0 && radius.is_finite()) {
                return Err(ThickError::Radius { stroke, radius });
            }
            for (point, &position) in points.iter().enumerate() {
                if !position.is_finite() {
                    return Err(ThickError::NotFinite { stroke, point, position });
                }
                (min, max) = (min.min(position - radius), max.max(position + radius));
            }
        }
        let extent = (max - min).max_element();
        let thin = strokes.iter().position(|stroke| {
            let reach = min.abs().max(max.abs()).max_element().max(extent);
            stroke.radius < THINNEST * reach || !reach.is_finite()
        });
        if let Some(stroke) = thin {
            let radius = strokes[stroke].radius;
            return Err(ThickError::TooThin { stroke, radius, extent });
        }
        let step = libm::log2(0.5 * extent).ceil() - f64::from(GRID_BITS);
        Ok(Grid { middle: min.midpoint(max), step: libm::exp2(step) })
    }

    fn rounded(&self, points: impl IntoIterator<Item = Vec2>) -> Vec<IntPoint<i64>> {
        let rounded = points.into_iter().map(|point| {
            let at = ((point - self.middle) / self.step).round();
            IntPoint::new(at.x as i64, at.y as i64)
        });
        rounded.collect()
    }

    fn back(&self, ring: &[IntPoint<i64>]) -> Vec<Vec2> {
        let place =
            |at: &IntPoint<i64>| self.middle + self.step * Vec2::new(at.x as f64, at.y as f64);
        ring.iter().map(place).collect()
    }
}

/// Corners of a pen against the clock around the origin, m, and its error, m.
fn pen(radius: f64, bound: f64, most: usize) -> (Vec<Vec2>, f64) {
    let needed = (PI / libm::acos((1.0 - bound / radius).max(0.0))).ceil();
    let corners = (needed as usize).clamp(CORNERS[0], most);
    let angle = |k: usize| TAU * k as f64 / corners as f64;
    let pen = (0..corners).map(|k| radius * Vec2::from_angle(angle(k))).collect();
    (pen, radius * (1.0 - libm::cos(PI / corners as f64)))
}

/// What the pen covers along a segment: its corners, those in front moved to the end.
fn drawn(pen: &[Vec2], [from, to]: [Vec2; 2]) -> impl Iterator<Item = Vec2> {
    let side = (to - from).perp();
    let reach = |corner: &Vec2| corner.dot(side);
    let by_reach = |&p: &usize, &q: &usize| reach(&pen[p]).total_cmp(&reach(&pen[q]));
    // The corners farthest to the right and left of the way belong to both ends.
    let right = (0..pen.len()).min_by(by_reach).unwrap_or(0);
    let left = (0..pen.len()).max_by(by_reach).unwrap_or(0);
    let ahead = (left + pen.len() - right) % pen.len();
    let corner = move |k: usize| pen[(right + k) % pen.len()];
    let front = (0..=ahead).map(move |k| to + corner(k));
    front.chain((ahead..=pen.len()).map(move |k| from + corner(k)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::area;
    use crate::segment::{distance_sq, surrounds};

    const BOUND: f64 = 1e-3;

    const fn p(x: f64, y: f64) -> Vec2 {
        Vec2::new(x, y)
    }

    fn stroke(points: &[Vec2], radius: f64) -> Stroke {
        Stroke { points: points.to_vec(), radius }
    }

    /// Every place of a fine lattice is inside exactly when it is near the chain, the
    /// error aside.
    #[track_caller]
    fn check(strokes: &[Stroke], rings: usize) -> f64 {
        let thick = thicken(strokes, BOUND).unwrap();
        assert_eq!(thick.rings.len(), rings);
        assert!(thick.error <= BOUND * 1.0001, "{}", thick.error);
        let near = |point: Vec2| {
            let gap = |stroke: &Stroke| {
                let dot = stroke.points.iter().map(|p| p.distance(point));
                let line =
                    stroke.points.windows(2).map(|s| distance_sq([s[0], s[1]], point).sqrt());
                dot.chain(line).fold(f64::INFINITY, f64::min) - stroke.radius
            };
            strokes.iter().map(gap).fold(f64::INFINITY, f64::min)
        };
        for x in -60..=60 {
            for y in -60..=60 {
                let point = p(f64::from(x) / 20.0 + 1e-4, f64::from(y) / 20.0 + 2e-4);
                let inside = thick.rings.iter().filter(|ring| surrounds(ring, point)).count() % 2;
                let gap = near(point);
                assert!(gap.abs() <= thick.error || (inside == 1) == (gap < 0.0), "{point} {gap}");
            }
        }
        thick.rings.iter().map(|ring| area(ring)).sum::<f64>().abs()
    }

    #[test]
    fn a_line_has_round_ends() {
        let covered = check(&[stroke(&[p(-1.0, 0.5), p(1.0, 0.5)], 0.5)], 1);
        // 2 m × 1 m and a disc of 0.5 m; the perimeter is 4 + π m.
        assert!((covered - (2.0 + PI / 4.0)).abs() < BOUND * (4.0 + PI));
        check(&[stroke(&[p(-1.0, -1.0), p(1.0, 0.7)], 0.3)], 1);
    }

    #[test]
    fn a_single_point_is_a_disc() {
        check(&[stroke(&[p(0.3, -0.2)], 1.0)], 1);
    }

    #[test]
    fn a_chain_that_comes_back_makes_a_union() {
        let there_and_back = [p(-2.0, 0.0), p(2.0, 0.0), p(-2.0, 0.0)];
        check(&[stroke(&there_and_back, 0.4)], 1);
        let near_itself = [p(-2.0, 0.0), p(2.0, 0.0), p(2.0, 0.5), p(-2.0, 0.5)];
        check(&[stroke(&near_itself, 0.4)], 1);
        // A closed square leaves a hole, and two crossing lines are one part.
        let square = [p(-2.0, -2.0), p(2.0, -2.0), p(2.0, 2.0), p(-2.0, 2.0), p(-2.0, -2.0)];
        check(&[stroke(&square, 0.25)], 2);
        let cross = [
            stroke(&[p(-2.0, -1.0), p(2.0, 1.0)], 0.3),
            stroke(&[p(-2.0, 1.0), p(2.0, -1.0)], 0.2),
        ];
        check(&cross, 1);
    }

    #[test]
    fn many_strokes_cover_what_they_cover_at_once() {
        let mut random = pliant::math::random::Random::new(3);
        let mut anywhere = || 4.0 * Vec2::new(random.unit() - 0.5, random.unit() - 0.5);
        for count in [2, 65, 300, 1500] {
            let strokes = [stroke(&(0..count).map(|_| anywhere()).collect::<Vec<_>>(), 0.02)];
            let grid = Grid::new(&strokes).unwrap();
            let (pen, _) = pen(0.02, BOUND, CORNERS[1]);
            let sums: Vec<Ring> = (strokes[0].points.windows(2))
                .map(|ends| grid.rounded(drawn(&pen, [ends[0], ends[1]])))
                .collect();
            let size = |rings: &[Ring]| -> [f64; 2] {
                let rings: Vec<Vec<Vec2>> = rings.iter().map(|ring| grid.back(ring)).collect();
                let ends = |ring: &Vec<Vec2>| {
                    ring.iter()
                        .zip(ring.iter().cycle().skip(1))
                        .map(|(a, b)| a.distance(*b))
                        .sum::<f64>()
                };
                [rings.iter().map(|ring| area(ring)).sum(), rings.iter().map(ends).sum::<f64>()]
            };
            let ([at_once, perimeter], (parts, levels)) =
                (size(&united(&sums)), union(&sums, MOST_BOUNDARY).unwrap());
            let off = (size(&parts)[0] - at_once).abs();
            assert!(off <= levels as f64 * GRID_ERROR * grid.step * perimeter, "{count}: {off}");
            assert_eq!(
                levels,
                if count <= 65 {
                    1
                } else if count == 300 {
                    3
                } else {
                    4
                }
            );
        }
    }

    #[test]
    fn repeated_points_change_nothing() {
        let plain = thicken(&[stroke(&[Vec2::ZERO, Vec2::X], 0.2)], BOUND).unwrap();
        let doubled = [Vec2::ZERO, Vec2::ZERO, Vec2::X, Vec2::X];
        let doubled = thicken(&[stroke(&doubled, 0.2)], BOUND).unwrap();
        let covered = |thick: &Thick| thick.rings.iter().map(|ring| area(ring)).sum::<f64>();
        assert!((covered(&plain) - covered(&doubled)).abs() < 1e-9);
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        assert_eq!(thicken(&[], 1.0), Ok(Thick::default()));
        for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let refused = thicken(&[stroke(&[Vec2::ZERO], radius)], BOUND);
            assert!(matches!(refused, Err(ThickError::Radius { stroke: 0, .. })), "{radius}");
        }
        let far = thicken(&[stroke(&[Vec2::ZERO, p(1e12, 0.0)], 1.0)], BOUND);
        assert!(matches!(far, Err(ThickError::TooThin { stroke: 0, .. })));
        let broken = thicken(&[stroke(&[Vec2::ZERO, p(f64::NAN, 0.0)], 1.0)], BOUND);
        assert!(matches!(broken, Err(ThickError::NotFinite { point: 1, .. })));
        let huge = thicken(&[stroke(&[p(-1.7e308, 0.0), p(1.7e308, 0.0)], 1e308)], BOUND);
        assert!(matches!(huge, Err(ThickError::TooThin { .. })));
    }
}
