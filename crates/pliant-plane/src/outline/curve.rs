//! Curves as chains of points: Béziers of degree two and three, and elliptical arcs.
//!
//! A curve is split into pieces of equal share, so many that no point of a piece is farther
//! from its chord than the bound. With the curve c over shares 0 to 1 and pieces of 1/n that
//! distance is at most max |c″| / (8 n²), for an arc the exact height of the cut-off cap.

use std::f64::consts::{PI, TAU};

use pliant::math::Vec2;

/// How finely curves are split.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flattening {
    /// Largest distance of the curve from its chain, m, above zero.
    pub bound: f64,
    /// Most pieces for one curve; where they are too few the bound is not kept.
    pub most_pieces: u32,
}

/// A curved piece of a boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Curve {
    /// Bézier curve with one control point between its ends, m.
    Quadratic([Vec2; 3]),
    /// Bézier curve with two control points between its ends, m.
    Cubic([Vec2; 4]),
    /// A part of an ellipse.
    Arc(Arc),
}

/// A part of an ellipse: `centre + axes[0] cos φ + axes[1] sin φ`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arc {
    /// Middle of the ellipse, m.
    pub centre: Vec2,
    /// Images of the unit circle's axes, m; they need not be at right angles.
    pub axes: [Vec2; 2],
    /// Angle φ where it begins, rad.
    pub start: f64,
    /// Way of φ, rad; negative when it falls.
    pub sweep: f64,
    /// Where it ends, m, as the file says.
    pub end: Vec2,
}

/// The ellipse of an arc between two points as SVG describes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArcShape {
    /// Half axes, m; signs are ignored.
    pub radii: Vec2,
    /// Angle from the x axis to the first half axis, rad.
    pub rotation: f64,
    /// Whether the longer of two possible ways is meant.
    pub large: bool,
    /// Whether φ grows along the way.
    pub positive: bool,
}

impl Curve {
    /// Appends the chain without its first point; returns its distance from the curve, m.
    ///
    /// The last point is met exactly. Points that are not finite stay so, in one piece or many.
    pub fn flatten(&self, settings: Flattening, chain: &mut Vec<Vec2>) -> f64 {
        let (count, error) = self.pieces(settings);
        let share = |k: u32| f64::from(k) / f64::from(count);
        chain.extend((1..count).map(|k| self.at(share(k))));
        chain.push(self.end());
        error
    }

    /// Where the curve is after a share of its way, m.
    pub fn at(&self, share: f64) -> Vec2 {
        let mix = |a: Vec2, b: Vec2| a + share * (b - a);
        match *self {
            Curve::Quadratic([a, b, c]) => mix(mix(a, b), mix(b, c)),
            Curve::Cubic([a, b, c, d]) => {
                let middle = mix(b, c);
                mix(mix(mix(a, b), middle), mix(middle, mix(c, d)))
            }
            Curve::Arc(arc) => arc.at(arc.start + share * arc.sweep),
        }
    }

    /// Its last point, m.
    pub fn end(&self) -> Vec2 {
        match *self {
            Curve::Quadratic([.., end]) | Curve::Cubic([.., end]) => end,
            Curve::Arc(arc) => arc.end,
        }
    }

    /// Number of pieces, and the distance that they keep, m.
    fn pieces(&self, settings: Flattening) -> (u32, f64) {
        let Flattening { bound, most_pieces } = settings;
        let most = most_pieces.max(1);
        // A NaN quotient gives one piece, one that is too large gives all.
        let limited = |count: f64| (count.ceil() as u32).clamp(1, most);
        let bent = |bend: f64| {
            let count = limited((bend / (8.0 * bound)).sqrt());
            (count, bend / (8.0 * pliant::math::powi(f64::from(count), 2)))
        };
        match *self {
            Curve::Quadratic([a, b, c]) => bent(2.0 * (a - 2.0 * b + c).length()),
            Curve::Cubic([a, b, c, d]) => {
                let second = |p: Vec2, q: Vec2, r: Vec2| (p - 2.0 * q + r).length();
                bent(6.0 * second(a, b, c).max(second(b, c, d)))
            }
            Curve::Arc(arc) => {
                // The longest half axis stretches the unit circle's cap the most.
                let longest = arc.longest();
                let step = 2.0 * libm::acos((1.0 - bound / longest).max(-1.0));
                let count = limited(arc.sweep.abs() / step).max(2.min(most));
                let half = arc.sweep.abs() / (2.0 * f64::from(count));
                (count, longest * (1.0 - libm::cos(half.min(PI))))
            }
        }
    }
}

impl Arc {
    /// The arc between two points; `None` where SVG draws a straight line, or nothing.
    ///
    /// That is for a half axis of zero and for equal ends. Half axes too short to reach are
    /// stretched together, as SVG requires.
    pub fn between(from: Vec2, to: Vec2, shape: ArcShape) -> Option<Arc> {
        let mut radii = shape.radii.abs();
        if radii.min_element() <= 0.0 || from == to || !(radii.is_finite() && from.is_finite()) {
            return None;
        }
        let turn = Vec2::from_angle(shape.rotation);
        // Half the chord on the unit circle, after undoing rotation and radii.
        let mut half = Vec2::new(turn.x, -turn.y).rotate(0.5 * (from - to)) / radii;
        let reach_sq = half.length_squared();
        if reach_sq > 1.0 {
            radii *= reach_sq.sqrt();
            half /= reach_sq.sqrt();
        }
        let height = (1.0 / half.length_squared() - 1.0).max(0.0).sqrt();
        let side = if shape.large == shape.positive { -1.0 } else { 1.0 };
        let middle = side * height * Vec2::new(half.y, -half.x);
        let angle = |p: Vec2| libm::atan2(p.y, p.x);
        let (start, end) = (angle(half - middle), angle(-half - middle));
        let rise = (end - start).rem_euclid(TAU);
        let sweep = if shape.positive { rise } else { rise - TAU };
        let axes = [radii.x * turn, radii.y * turn.perp()];
        let centre = from.midpoint(to) + axes[0] * middle.x + axes[1] * middle.y;
        Some(Arc { centre, axes, start, sweep, end: to })
    }

    /// A whole ellipse with half axes along x and y, from its rightmost point.
    pub fn ellipse(centre: Vec2, radii: Vec2) -> Arc {
        let axes = [Vec2::new(radii.x, 0.0), Vec2::new(0.0, radii.y)];
        Arc { centre, axes, start: 0.0, sweep: TAU, end: centre + axes[0] }
    }

    fn at(&self, angle: f64) -> Vec2 {
        let (sin, cos) = libm::sincos(angle);
        self.centre + self.axes[0] * cos + self.axes[1] * sin
    }

    /// Half the longest diameter of the ellipse, m: the larger singular value of its axes.
    fn longest(&self) -> f64 {
        let [u, v] = self.axes;
        let (plus, minus) = (u + v.perp(), u - v.perp());
        0.5 * (plus.length() + minus.length())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::distance_sq;

    /// Coordinates are below ten: rounding stays near 1e-15.
    const ROUNDING: f64 = 1e-12;

    const fn p(x: f64, y: f64) -> Vec2 {
        Vec2::new(x, y)
    }

    fn chain(curve: Curve, bound: f64, most_pieces: u32) -> (Vec<Vec2>, f64) {
        let mut chain = vec![curve.at(0.0)];
        let error = curve.flatten(Flattening { bound, most_pieces }, &mut chain);
        (chain, error)
    }

    /// How far the curve goes from the chain, over a thousand places of each piece.
    fn measured(curve: Curve, chain: &[Vec2]) -> f64 {
        let places = 1000 * chain.len();
        let distance = |k: usize| {
            let point = curve.at(k as f64 / places as f64);
            // The chain has a piece for each share: only neighbours can be nearest.
            let at = k * (chain.len() - 1) / places;
            let near = at.saturating_sub(1)..(at + 2).min(chain.len() - 1);
            near.map(|at| distance_sq([chain[at], chain[at + 1]], point)).fold(f64::MAX, f64::min)
        };
        (0..=places).map(distance).fold(0.0, f64::max).sqrt()
    }

    #[track_caller]
    fn check(curve: Curve) {
        for bound in [1.0, 0.1, 1e-2, 1e-3, 1e-5] {
            let (chain, error) = chain(curve, bound, 100_000);
            assert!(error <= bound * (1.0 + ROUNDING), "{error} {bound}");
            let measured = measured(curve, &chain);
            assert!(measured <= error + ROUNDING, "{measured} {error} {bound} {curve:?}");
            assert_eq!(chain.last(), Some(&curve.end()));
        }
    }

    fn arc(from: Vec2, to: Vec2, radii: Vec2, flags: [bool; 2]) -> Arc {
        let [large, positive] = flags;
        Arc::between(from, to, ArcShape { radii, rotation: 0.4, large, positive }).unwrap()
    }

    #[test]
    fn a_chain_stays_within_its_bound_of_the_curve() {
        check(Curve::Quadratic([p(0.0, 0.0), p(1.0, 3.0), p(2.0, 0.0)]));
        check(Curve::Quadratic([p(0.0, 0.0), p(5.0, 0.0), p(1.0, 0.0)])); // there and back
        check(Curve::Cubic([p(0.0, 0.0), p(4.0, 3.0), p(-3.0, 3.0), p(1.0, 0.0)])); // a loop
        check(Curve::Cubic([p(0.0, 0.0), p(0.0, 2.0), p(3.0, -2.0), p(3.0, 0.0)]));
        for flags in [[false, false], [false, true], [true, false], [true, true]] {
            check(Curve::Arc(arc(p(1.0, 0.0), p(0.0, 2.0), p(3.0, 1.5), flags)));
        }
        let skewed = [p(2.0, 1.0), p(1.5, 1.5)];
        let end = p(2.0, 1.0);
        check(Curve::Arc(Arc { centre: Vec2::ZERO, axes: skewed, start: 0.0, sweep: TAU, end }));
    }

    #[test]
    fn the_pieces_of_a_curve_are_no_more_than_its_bend_needs() {
        // The bend of this one is 2 · |(0,0) − 2 (1,3) + (2,0)| = 12: √(12 / 8e-4) = 122.5.
        let bow = Curve::Quadratic([p(0.0, 0.0), p(1.0, 3.0), p(2.0, 0.0)]);
        assert_eq!(chain(bow, 1e-4, 1000).0.len(), 124);
        // A circle of 1 m within 1 − cos(π/64): 64 pieces.
        let circle = Curve::Arc(Arc::ellipse(Vec2::ZERO, Vec2::ONE));
        assert_eq!(chain(circle, 1.0000001 - libm::cos(PI / 64.0), 1000).0.len(), 65);
    }

    #[test]
    fn arcs_begin_and_end_where_asked_and_turn_as_asked() {
        for flags @ [large, positive] in
            [[false, false], [false, true], [true, false], [true, true]]
        {
            for radii in [p(3.0, 1.5), p(0.1, 0.2)] {
                let (from, to) = (p(1.0, 0.0), p(0.0, 2.0));
                let arc = arc(from, to, radii, flags);
                assert!(Curve::Arc(arc).at(0.0).distance(from) < ROUNDING, "{arc:?}");
                assert!(Curve::Arc(arc).at(1.0).distance(to) < ROUNDING, "{arc:?}");
                assert_eq!(arc.sweep > 0.0, positive);
                // Stretched half axes reach exactly: both ways are half the ellipse.
                let half = (arc.sweep.abs() - PI).abs() < 1e-6;
                assert!(half || (arc.sweep.abs() > PI) == large, "{arc:?}");
            }
        }
        // A quarter of a circle around the origin: SVG's y is downwards, so is the turn.
        let shape = ArcShape { radii: Vec2::ONE, rotation: 0.0, large: false, positive: true };
        let quarter = Arc::between(p(1.0, 0.0), p(0.0, 1.0), shape).unwrap();
        assert!(quarter.centre.length() < ROUNDING);
        assert!((quarter.sweep - PI / 2.0).abs() < ROUNDING);
    }

    #[test]
    fn what_is_no_arc_is_none() {
        let shape = ArcShape { radii: Vec2::ONE, rotation: 0.0, large: false, positive: true };
        assert_eq!(Arc::between(Vec2::X, Vec2::X, shape), None);
        let flat = ArcShape { radii: Vec2::X, ..shape };
        assert_eq!(Arc::between(Vec2::X, Vec2::Y, flat), None);
        let endless = ArcShape { radii: Vec2::INFINITY, ..shape };
        assert_eq!(Arc::between(Vec2::X, Vec2::Y, endless), None);
    }

    #[test]
    fn huge_and_broken_curves_stay_bounded_in_count() {
        let huge = Curve::Cubic([p(0.0, 0.0), p(1e300, 0.0), p(0.0, 1e300), p(1.0, 1.0)]);
        let (points, error) = chain(huge, 1e-300, 50);
        assert_eq!(points.len(), 51);
        assert!(error > 1e290);
        let broken = Curve::Quadratic([p(0.0, 0.0), p(f64::NAN, 0.0), p(1.0, 1.0)]);
        assert!(chain(broken, 1e-3, 50).0.len() <= 51);
        let dot = Curve::Cubic([p(1.0, 1.0); 4]);
        assert_eq!(chain(dot, 1e-3, 50), (vec![p(1.0, 1.0); 2], 0.0));
        let circle = Curve::Arc(Arc::ellipse(Vec2::ZERO, Vec2::splat(1e200)));
        assert_eq!(chain(circle, 1e-3, 64).0.len(), 65);
    }
}
