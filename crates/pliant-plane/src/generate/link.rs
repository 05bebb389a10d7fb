//! Links of a chain: a knob on a neck, and a claw that holds the next one's knob.
//!
//! The claw is a ring with a mouth narrower than the knob: once inside, the knob can turn
//! and shake but not leave, so that a chain holds by contact alone.
//!
//! ```text
//!     ___
//!   /  _  \____ ___
//!   \ (         ( ) )     claw at −x, mouth to −x; neck; knob at +x
//!   /  ‾  /‾‾‾‾ ‾‾‾
//! ```

use super::{GenerateError, arc, check_count, check_length};
use pliant::math::Vec2;

/// Inner radius of the claw over that of the knob.
const ROOM: f64 = 1.18;

/// Outer radius of the claw over that of the knob.
const CLAW: f64 = 1.85;

/// Half the width of the mouth over the knob's radius; below 1, or nothing holds.
const MOUTH: f64 = 0.8;

/// Half the width of the neck over the knob's radius.
const NECK: f64 = 0.3;

/// From the claw's middle to the knob's, over the knob's radius.
const PITCH: f64 = 4.6;

/// Fewest points that make arcs round enough to hold.
const LEAST_POINTS: u32 = 24;

/// Parameters of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkSettings {
    /// Points of the ring, at least 24.
    pub points: u32,
    /// Radius of the knob, m; every other length follows from it.
    pub knob: f64,
}

/// From the middle of a claw to the middle of the link's own knob, m.
pub fn pitch(knob: f64) -> f64 {
    PITCH * knob
}

/// A link along x with its middle at the origin, one ring.
///
/// With the next one a pitch further along x, its claw is around this one's knob.
pub fn link(settings: &LinkSettings) -> Result<Vec<Vec<Vec2>>, GenerateError> {
    let LinkSettings { points, knob } = *settings;
    check_count("points of the link", points, LEAST_POINTS, 1)?;
    check_length("the radius of the knob", knob)?;
    // The knob and the inside of the claw bear; the outside takes what is left.
    let (knob_points, inner) = (points * 3 / 10, points / 3);
    let outer = points - knob_points - inner;
    let (upper, lower) = (outer.div_ceil(2), outer / 2);
    let claw_at = Vec2::new(-0.5 * pitch(knob), 0.0);
    let knob_at = -claw_at;
    // Angles of the mouth's corners from −x, and of the neck's from ±x: the mouth widens
    // outwards, so that the neck may swing.
    let mouth = turn_of(MOUTH / ROOM);
    let (neck_claw, neck_knob) = (turn_of(NECK / CLAW), turn_of(NECK));
    let mut ring = Vec::with_capacity(points as usize);
    ring.extend(arc(knob_at, knob, [-0.5 + neck_knob, 0.5 - neck_knob], knob_points));
    ring.extend(arc(claw_at, CLAW * knob, [neck_claw, 0.5 - mouth], upper));
    ring.extend(arc(claw_at, ROOM * knob, [0.5 - mouth, -0.5 + mouth], inner));
    ring.extend(arc(claw_at, CLAW * knob, [-0.5 + mouth, -neck_claw], lower));
    Ok(vec![ring])
}

/// The angle with a given sine, as a share of a whole turn, for sines below 0.9.
///
/// Halving the angle three times makes it small enough for a short series.
fn turn_of(sine: f64) -> f64 {
    let half = |sine: f64| {
        let cosine = (1.0 - sine * sine).sqrt();
        (0.5 * (1.0 - cosine)).sqrt()
    };
    let small = half(half(half(sine)));
    let square = small * small;
    // The series of the inverse sine; its first left-out term is below 1e-13 of the angle.
    let series = [1.0 / 6.0, 3.0 / 40.0, 15.0 / 336.0, 105.0 / 3456.0, 945.0 / 42240.0];
    let (mut angle, mut power) = (small, small);
    for factor in series {
        power *= square;
        angle += factor * power;
    }
    8.0 * angle / std::f64::consts::TAU
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::around;
    use crate::generate::tests::{check_simple, overlap, placed};

    const USUAL: LinkSettings = LinkSettings { points: 29, knob: 0.1 };

    #[test]
    fn links_are_simple_with_any_number_of_points() {
        for points in [24, 25, 26, 27, 28, 29, 30, 34, 200] {
            let rings = link(&LinkSettings { points, ..USUAL }).unwrap();
            assert_eq!(check_simple(&rings), points as usize);
        }
    }

    #[test]
    fn a_knob_in_a_claw_is_free_and_cannot_leave() {
        for points in [24, 29, 34, 60] {
            let link = link(&LinkSettings { points, ..USUAL }).unwrap();
            let next = |x: f64, y: f64, turns: f64| {
                // Turned about its own claw's middle, which is around the first one's knob.
                let claw = Vec2::new(-0.5 * pitch(0.1), 0.0);
                let at = Vec2::new(0.5 * pitch(0.1) + x, y) - around(turns).rotate(claw);
                overlap(&link, &placed(&link, turns, at))
            };
            assert!(!next(0.0, 0.0, 0.0), "{points}");
            for turns in [-0.06, 0.06] {
                assert!(!next(0.0, 0.0, turns), "{points} {turns}"); // more than 20°
            }
            // From the middle to far away in any direction it meets the claw on the way.
            for direction in 0..48 {
                let way = around(f64::from(direction) / 48.0);
                let met = (1..40).any(|step| {
                    let by = 0.01 * f64::from(step) * way;
                    next(by.x, by.y, 0.0)
                });
                assert!(met, "{points}: free along {way}");
            }
        }
    }

    #[test]
    fn angles_are_those_of_the_machine() {
        for sine in [0.0, 0.1, 0.5, 0.7, 0.89] {
            let expected = libm::asin(sine) / std::f64::consts::TAU;
            assert!((turn_of(sine) - expected).abs() < 1e-12, "{sine}");
        }
    }

    #[test]
    fn numbers_without_a_link_are_refused() {
        assert!(link(&LinkSettings { points: 23, ..USUAL }).is_err());
        assert!(link(&LinkSettings { points: u32::MAX, ..USUAL }).is_err());
        assert!(link(&LinkSettings { knob: -1.0, ..USUAL }).is_err());
    }
}
