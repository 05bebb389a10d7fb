//! What part of the plane a picture shows.

use pliant::math::Vec2;
use pliant_plane::ProximityResult;
use pliant_plane::field::Window;
use pliant_plane::outline::Outlines;

/// Longer and shortest side of a picture, pixels.
const SIDES: [f64; 2] = [1100.0, 420.0];

/// Room around what is shown, relative to its longer side.
const ROOM: f64 = 0.06;

/// How much larger the view is than the box of what was found, if the outlines are larger still.
const ZOOM: f64 = 5.0;

/// Smallest part of the outlines that is shown, relative to their box.
const SMALLEST: f64 = 0.05;

/// Bold lines of equal distance across the shorter side, roughly.
const LEVELS: f64 = 6.0;

/// The part of the plane that shows what was found, with enough context around it.
pub fn window(outlines: &Outlines, answer: &ProximityResult) -> Window {
    let all = boxed(outlines.points().iter().copied()).unwrap_or([Vec2::ZERO, Vec2::ONE]);
    let contacts = answer.contacts.iter().map(|contact| contact.position);
    let depths = answer.penetration.iter().map(|point| point.position);
    let between = answer.separation.iter().flat_map(|way| [way.on_a, way.on_b]);
    let [low, high] = boxed(contacts.chain(depths).chain(between)).unwrap_or(all);
    let extent = |[low, high]: [Vec2; 2]| (high - low).max_element();
    let whole = extent(all);
    let side = (ZOOM * extent([low, high])).clamp(SMALLEST * whole, whole);
    // Moved so far that nothing beyond the outlines is shown: there is nothing to see.
    let half = Vec2::splat(0.5 * side).min(0.5 * (all[1] - all[0]));
    let middle = low.midpoint(high).max(all[0] + half).min(all[1] - half);
    let (from, to) = (middle - half, middle + half);
    let room = Vec2::splat((ROOM * (to - from).max_element()).max(f64::MIN_POSITIVE));
    let (from, to) = (from - room, to + room);
    let size = to - from;
    let pixel = size.max_element() / SIDES[0];
    let sides = (size / pixel).round().clamp(Vec2::splat(SIDES[1]), Vec2::splat(SIDES[0]));
    let corner = from.midpoint(to) - 0.5 * pixel * sides;
    Window { corner, pixel, width: sides.x as u32, height: sides.y as u32 }
}

fn boxed(points: impl Iterator<Item = Vec2>) -> Option<[Vec2; 2]> {
    points.fold(None, |boxed: Option<[Vec2; 2]>, point| {
        Some(boxed.map_or([point; 2], |[low, high]| [low.min(point), high.max(point)]))
    })
}

/// Distance between lines of equal distance: 1, 2 or 4 times a power of ten, file unit.
pub fn step(window: &Window) -> f64 {
    let side = window.pixel * f64::from(window.width.min(window.height));
    let wanted = side / (LEVELS * super::BOLD);
    let digits = libm::log10(wanted).floor();
    // Powers of ten below one are exact as quotients.
    let ten = |power: f64| {
        if power < 0.0 { 1.0 / libm::pow(10.0, -power) } else { libm::pow(10.0, power) }
    };
    let steps = [1.0, 2.0, 4.0].map(|digit| digit * ten(digits));
    steps.into_iter().rev().find(|&step| step <= wanted).unwrap_or(steps[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_plane::Separation;

    fn two(gap: f64) -> Outlines {
        let square = |x: f64| {
            [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
                .map(|(u, v)| Vec2::new(x + u, v))
                .to_vec()
        };
        let mut outlines = Outlines::default();
        outlines.push(&[square(0.0)]).unwrap();
        outlines.push(&[square(1.0 + gap)]).unwrap();
        outlines
    }

    #[test]
    fn all_is_shown_where_nothing_was_found_and_a_part_where_it_was_small() {
        let outlines = two(0.1);
        let whole = window(&outlines, &ProximityResult::default());
        assert!((whole.pixel * f64::from(whole.width) - 2.1 * (1.0 + 2.0 * ROOM)).abs() < 1e-9);
        let (on_a, on_b) = (Vec2::new(1.0, 0.5), Vec2::new(1.1, 0.5));
        let separation = Some(Separation { distance: 0.1, on_a, on_b });
        let part = window(&outlines, &ProximityResult { separation, ..ProximityResult::default() });
        assert!((part.pixel * f64::from(part.width) - 0.5 * (1.0 + 2.0 * ROOM)).abs() < 1e-9);
        let middle = part.corner
            + 0.5 * part.pixel * Vec2::new(f64::from(part.width), f64::from(part.height));
        assert!(middle.distance(Vec2::new(1.05, 0.5)) < 1e-9);
    }

    #[test]
    fn steps_are_round_numbers() {
        for (side, expected) in [(30.0, 1.0), (65.0, 2.0), (121.0, 4.0), (299.0, 4.0), (0.31, 0.01)]
        {
            let window =
                Window { corner: Vec2::ZERO, pixel: side / 1000.0, width: 1000, height: 1000 };
            assert_eq!(step(&window), expected, "{side}");
        }
    }
}
