//! Images compared with every segment against every segment.

use std::f64::consts::TAU;
use std::slice::from_ref;

use super::super::brute::{Brute, nearest};
use super::super::field::sample::{clearance, direction_error};
use super::super::segment::place;
use super::super::{Contact, Penetration, QueryFlags, Side};
use super::*;
use pliant::math::random::Random;

/// Rounding of lengths below ten, m, and of what is made of them.
const ROUNDING: f64 = 1e-9;

/// A ring around a centre whose radius goes up and down.
fn star(random: &mut Random, centre: Vec2, radius: f64, count: usize) -> Vec<Vec2> {
    let turn = random.unit();
    (0..count)
        .map(|k| {
            let radius = radius * (0.4 + 0.6 * random.unit());
            centre + radius * Vec2::from_angle((k as f64 + turn) * TAU / count as f64)
        })
        .collect()
}

/// A ring broken again and again, like a coast.
fn coast(random: &mut Random, centre: Vec2, radius: f64) -> Vec<Vec2> {
    let mut ring = star(random, centre, radius, 6);
    for _ in 0..4 {
        let ends: Vec<_> = ring.iter().copied().zip(ring.iter().copied().cycle().skip(1)).collect();
        ring.clear();
        for (a, b) in ends {
            let aside = 0.3 * (random.unit() - 0.5) * (b - a).perp();
            ring.extend([a, a.midpoint(b) + aside]);
        }
    }
    ring
}

fn rectangle(from: Vec2, to: Vec2) -> Vec<Vec2> {
    vec![from, Vec2::new(to.x, from.y), to, Vec2::new(from.x, to.y)]
}

/// A set of two outlines.
fn pair(a: &[Vec<Vec2>], b: &[Vec<Vec2>]) -> Outlines {
    let mut outlines = Outlines::default();
    outlines.push(a).unwrap();
    outlines.push(b).unwrap();
    outlines
}

fn query(
    backend: &mut dyn Backend,
    outlines: &Outlines,
    question: &ProximityQuery,
) -> ProximityResult {
    let mut answers = Vec::new();
    backend.query(outlines, &[Pair { a: 0, b: 1 }], question, &mut answers).unwrap();
    answers.pop().unwrap()
}

/// Queries both backends and compares their results.
#[track_caller]
fn check(outlines: &Outlines, error: f64, contact_distance: f64) -> ProximityResult {
    let question = ProximityQuery { error, contact_distance, flags: QueryFlags::ALL };
    let found = query(&mut Images::default(), outlines, &question);
    let exact = query(&mut Brute, outlines, &question);
    assert_eq!(found.intersects, exact.intersects);
    assert!(found.notices.is_empty(), "{:?}", found.notices);
    let all = (0..outlines.points().len()).map(|at| outlines.segment(at));
    let perimeters: f64 = all.map(|[a, b]| a.distance(b)).sum();
    let off = (found.overlap_area - exact.overlap_area).abs();
    assert!(off <= error * perimeters, "{} {}", found.overlap_area, exact.overlap_area);
    check_separation(outlines, &found, &exact, error);
    check_penetration(outlines, &found.penetration, &exact.penetration, error);
    check_contacts(outlines, &found.contacts, &exact.contacts, &question);
    found
}

#[track_caller]
fn check_separation(
    outlines: &Outlines,
    found: &ProximityResult,
    exact: &ProximityResult,
    error: f64,
) {
    assert_eq!(found.separation.is_some(), exact.separation.is_some());
    let (Some(found), Some(exact)) = (found.separation, exact.separation) else { return };
    assert!((found.distance - exact.distance).abs() <= error, "{found:?} {exact:?}");
    for (outline, end) in [(0, found.on_a), (1, found.on_b)] {
        assert!(nearest(outlines, outline, end).unwrap().1 < ROUNDING, "{found:?}");
    }
    assert!(found.on_a.distance(found.on_b) <= exact.distance + 2.0 * error, "{found:?} {exact:?}");
}

#[track_caller]
fn check_penetration(
    outlines: &Outlines,
    found: &[Penetration],
    exact: &[Penetration],
    error: f64,
) {
    assert_eq!(found.len(), exact.len());
    for (found, exact) in found.iter().zip(exact) {
        assert_eq!((found.of, found.at.segment), (exact.of, exact.at.segment));
        assert!(found.position.distance(exact.position) < ROUNDING, "{found:?} {exact:?}");
        assert!((found.depth - exact.depth).abs() <= error + ROUNDING, "{found:?} {exact:?}");
        assert!(found.depth > 0.0 && (found.direction.length() - 1.0).abs() < ROUNDING);
        let exit = place(outlines.segment(found.out.segment as usize), found.out.along);
        let way = exit.distance(found.position);
        assert!(way <= exact.depth + 2.0 * error, "{found:?} {exact:?}");
        let other = usize::from(exact.of == Side::A);
        let clear = clearance(outlines, other, exact.position).unwrap();
        let angle = found.direction.angle_to(exact.direction).abs();
        assert!(angle <= direction_error(error, clear), "{found:?} {exact:?}");
    }
}

/// Whether a contact's stretch holds a point of a's boundary.
fn holds(outlines: &Outlines, contact: &Contact, at: Place) -> bool {
    let number = |at: Place| f64::from(at.segment) + at.along;
    let ends = contact.stretch.map(|end| number(nearest(outlines, 0, end).unwrap().0));
    let ring_of = |at: f64| {
        outlines.rings(0).position(|ring| (ring.start as f64..=ring.end as f64).contains(&at))
    };
    let at = number(at);
    // Where a segment ends the next begins: numbers there may be off by one either way.
    const SLACK: f64 = 1e-6;
    let [from, to] = [ends[0] - SLACK, ends[1] + SLACK];
    let corner = |x: f64| (x - x.round()).abs() < SLACK;
    let between = if contact.stretch[0].distance(contact.stretch[1]) < ROUNDING {
        ring_of(at) == ring_of(ends[0])
    } else if from <= to {
        from <= at && at <= to
    } else {
        ring_of(at) == ring_of(ends[0]) && (at >= from || at <= to)
    };
    let near_ends = contact.stretch.iter().any(|end| {
        let point = place(outlines.segment(at as usize % outlines.range(0).end), at.fract());
        end.distance(point) < ROUNDING
    });
    between || near_ends || (corner(at) && corner(ends[0]) && corner(ends[1]))
}

#[track_caller]
fn check_contacts(
    outlines: &Outlines,
    found: &[Contact],
    exact: &[Contact],
    question: &ProximityQuery,
) {
    let (error, distance) = (question.error, question.contact_distance);
    for contact in exact.iter().filter(|contact| contact.gap <= distance - 2.0 * error) {
        let held = found.iter().any(|found| holds(outlines, found, contact.on_a));
        assert!(held, "{contact:?}");
    }
    for contact in found {
        let on_a = place(outlines.segment(contact.on_a.segment as usize), contact.on_a.along);
        let gap = nearest(outlines, 1, on_a).unwrap().1;
        assert!(gap <= distance + 2.0 * error, "{contact:?} {gap}");
        assert!((contact.normal.length() - 1.0).abs() < ROUNDING);
        let within = exact.iter().filter(|exact| holds(outlines, contact, exact.on_a));
        let least = within.map(|exact| exact.gap).fold(f64::INFINITY, f64::min);
        if least <= distance {
            assert!((contact.gap - least).abs() <= error + ROUNDING, "{contact:?} {least}");
        }
    }
}

#[test]
fn random_outlines_answer_as_every_segment_does() {
    let mut random = Random::new(7);
    let (mut apart, mut deep) = (0, 0);
    for round in 0..40 {
        let shift = Vec2::new(2.6 * random.unit(), 1.2 * random.unit());
        let (a, b) = if round % 2 == 0 {
            (star(&mut random, Vec2::ZERO, 1.0, 25), star(&mut random, shift, 1.1, 18))
        } else {
            (coast(&mut random, Vec2::ZERO, 1.0), coast(&mut random, shift, 0.8))
        };
        let outlines = pair(&[a], &[b]);
        let error = 0.002 + 0.05 * random.unit() * random.unit();
        let answer = check(&outlines, error, 0.3 * random.unit());
        apart += usize::from(!answer.intersects);
        deep += usize::from(answer.penetration.len() > 10);
    }
    assert!(apart > 5 && deep > 5, "{apart} {deep}");
}

#[test]
fn holes_are_outside() {
    let mut random = Random::new(11);
    for _ in 0..15 {
        let outer = star(&mut random, Vec2::ZERO, 3.0, 14);
        let hole: Vec<Vec2> = outer.iter().map(|point| 0.7 * *point).collect();
        let at = Vec2::new(random.signed(), random.signed());
        let inner = coast(&mut random, 0.8 * at, 0.5);
        check(&pair(&[outer.clone(), hole.clone()], from_ref(&inner)), 0.01, 0.1);
        check(&pair(&[inner], &[outer, hole]), 0.01, 0.1);
    }
}

#[test]
fn slivers_a_tenth_of_the_error_thin_are_not_missed() {
    let error = 0.02;
    let thin = 0.1 * error;
    for turn in [0.0, 0.3, 0.785, 1.2] {
        let along = Vec2::from_angle(turn);
        let at = |x: f64, y: f64| x * along + y * along.perp();
        let block = vec![at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 0.0), at(-1.0, 0.0)];
        // A block that overlaps by the sliver, and one as far away.
        for (low, intersects) in [(-thin, true), (thin, false), (0.0, true)] {
            let other = vec![at(-0.8, low), at(1.3, low), at(1.3, 1.0), at(-0.8, 1.0)];
            let answer = check(&pair(from_ref(&block), &[other]), error, 0.0);
            assert!(answer.intersects == intersects || low == 0.0, "{turn} {low}");
        }
        // A needle across, and one inside.
        for long in [2.0, 0.5] {
            let needle = vec![
                at(-long, -0.5),
                at(long, -0.5),
                at(long, -0.5 + thin),
                at(-long, -0.5 + thin),
            ];
            let answer = check(&pair(from_ref(&block), from_ref(&needle)), error, 0.05);
            assert!(answer.intersects);
            check(&pair(&[needle], from_ref(&block)), error, 0.05);
        }
    }
}

#[test]
fn separation_is_within_the_error() {
    let mut random = Random::new(3);
    for round in 0..30 {
        // Parallel edges with noise: the closest points of a and of b need not belong together.
        let noise = 1e-6 * f64::from(round % 3);
        let mut edge = |x: f64, outward: f64| -> Vec<Vec2> {
            let mut ring: Vec<Vec2> =
                (0..20).map(|k| Vec2::new(x + noise * random.unit(), 0.2 * f64::from(k))).collect();
            ring.extend([Vec2::new(x + outward, 4.0), Vec2::new(x + outward, 0.0)]);
            ring
        };
        let outlines = pair(&[edge(0.0, -1.0)], &[edge(0.5, 1.0)]);
        let error = [0.1, 0.01, 0.001][round as usize / 10];
        let answer = check(&outlines, error, 0.6);
        let way = answer.separation.unwrap();
        assert!((way.distance - 0.5).abs() <= error + 3e-6, "{way:?}");
        assert!(way.on_a.distance(way.on_b) <= 0.5 + error, "{way:?}");
    }
}

#[test]
fn contacts_keep_to_the_threshold() {
    let (error, distance) = (0.002, 0.1);
    // Offset by the threshold each, boundaries up to twice as far apart would be reported.
    for (gap, reported) in [(0.09, true), (0.105, false), (0.15, false), (0.195, false)] {
        let a = rectangle(Vec2::ZERO, Vec2::ONE);
        let b = rectangle(Vec2::new(1.0 + gap, 0.2), Vec2::new(2.0, 0.7));
        let answer = check(&pair(&[a], &[b]), error, distance);
        assert_eq!(answer.contacts.len(), usize::from(reported), "{gap}");
    }
}

#[test]
fn a_stretch_over_the_first_point_is_one_contact() {
    let b = rectangle(Vec2::new(0.0, -1.0), Vec2::new(4.0, -0.1));
    for first in 0..8 {
        let mut a: Vec<Vec2> = (0..8)
            .map(|k| Vec2::new(2.0, 1.0) + Vec2::from_angle(f64::from(k) * TAU / 8.0))
            .collect();
        a.rotate_left(first);
        let answer = check(&pair(&[a], from_ref(&b)), 0.01, 0.15);
        assert_eq!(answer.contacts.len(), 1, "{first}");
    }
}

#[test]
fn threads_and_used_memory_leave_the_bits_alone() {
    let mut random = Random::new(5);
    let mut outlines = Outlines::default();
    for k in 0..6 {
        let centre = Vec2::new(0.9 * f64::from(k), 0.0);
        outlines.push(&[coast(&mut random, centre, 1.0)]).unwrap();
    }
    let pairs: Vec<Pair> = (0..6).flat_map(|b| (0..b).map(move |a| Pair { a, b })).collect();
    let question = ProximityQuery { error: 0.01, contact_distance: 0.05, flags: QueryFlags::ALL };
    let mut first = Vec::new();
    let mut images = Images::default();
    images.query(&outlines, &pairs, &question, &mut first).unwrap();
    let mut again = Vec::new();
    images
        .query(&outlines, &pairs[..4], &ProximityQuery { error: 0.003, ..question }, &mut again)
        .unwrap();
    for threads in [1, 2, 4, 40] {
        images.set_threads(threads);
        images.query(&outlines, &pairs, &question, &mut again).unwrap();
        assert_eq!(first, again, "{threads}");
    }
}

#[test]
fn an_error_too_small_for_images_is_answered_by_segments() {
    let a = rectangle(Vec2::ZERO, Vec2::ONE);
    let b = rectangle(Vec2::new(0.5, 0.5), Vec2::new(2.0, 2.0));
    let outlines = pair(&[a], &[b]);
    let wanted = QueryFlags { samples: false, ..QueryFlags::ALL };
    let question = ProximityQuery { error: 1e-9, contact_distance: 0.0, flags: wanted };
    let found = query(&mut Images::default(), &outlines, &question);
    // Half a metre square of pixels of √2 errors: 0.25 / 2e-18.
    let reported =
        |cause: &Cause| matches!(cause, Cause::Pixels { pixels } if (1e17..2e17).contains(pixels));
    let [Notice::Exact { error: 1e-9, cause }] = &found.notices[..] else { panic!("{found:?}") };
    assert!(reported(cause), "{cause:?}");
    assert_eq!(found.overlap_area, 0.25);
    assert_eq!(found.penetration.len(), 2);
}

#[test]
fn what_images_lack_is_named() {
    let reported = |size: [f64; 2], error: f64, distance: f64| {
        let size = Vec2::from(size);
        let a = rectangle(Vec2::ZERO, size);
        let outlines = pair(&[a], &[rectangle(0.5 * size, 2.0 * size)]);
        let wanted = QueryFlags { samples: false, ..QueryFlags::ALL };
        let question = ProximityQuery { error, contact_distance: distance, flags: wanted };
        let found = query(&mut Images::default(), &outlines, &question);
        let [Notice::Exact { cause, .. }] = found.notices[..] else { panic!("{found:?}") };
        cause
    };
    assert_eq!(reported([1.0, 1.0], 1e-12, 0.0), Cause::Digits { bits: 53 });
    assert_eq!(reported([1e-6, 1.0], 1e-7, 0.0), Cause::Rows { rows: 0.5 / 1e-7 });
    // All of a's 2 m are near b: pieces of 0.4 errors are 5e6.
    assert_eq!(reported([1.0, 1e-3], 1e-6, 9.0), Cause::Pieces { most: near::MOST_PIECES });
}

#[test]
fn a_tip_between_pixels_is_not_lost() {
    // Between four centres, the tip's distance is read too large by up to the error.
    let (error, distance) = (1e-3, 2.2e-3);
    let circle: Vec<Vec2> =
        (0..400).map(|k| Vec2::from_angle(f64::from(k) * TAU / 400.0)).collect();
    for k in 0..200 {
        let angle = 0.0314 * f64::from(k) + 0.001;
        let (out, aside) = (Vec2::from_angle(angle), Vec2::from_angle(angle).perp());
        let gap = distance - 2.05 * error;
        let tip = out * (libm::cos(TAU / 800.0) + gap);
        let needle = vec![tip, tip + out + 0.01 * aside, tip + out - 0.01 * aside];
        // Another part on the far side: all of the circle is looked at, with large pixels first.
        let far = [-1.5 * out, -1.5 * out - 0.1 * aside, -1.6 * out].to_vec();
        let outlines = pair(from_ref(&circle), &[needle, far]);
        let wanted = QueryFlags { contacts: true, separation: true, ..QueryFlags::DEPTHS };
        let question = ProximityQuery { error, contact_distance: distance, flags: wanted };
        let found = query(&mut Images::default(), &outlines, &question);
        let exact = nearest(&outlines, 0, tip).unwrap().1;
        assert!((found.separation.unwrap().distance - exact).abs() <= error, "{k}");
        assert_eq!(found.contacts.len(), 1, "{k}: {exact}");
        assert!((found.contacts[0].gap - exact).abs() <= error, "{k}");
    }
}

#[test]
fn the_area_is_within_the_error_times_the_perimeters() {
    let mut random = Random::new(13);
    let outlines = pair(
        &[coast(&mut random, Vec2::ZERO, 1.0)],
        &[coast(&mut random, Vec2::new(0.4, 0.2), 1.0)],
    );
    let exact = super::super::brute::overlap_area(&outlines, 0, 1);
    let all = (0..outlines.points().len()).map(|at| outlines.segment(at));
    let perimeters: f64 = all.map(|[a, b]| a.distance(b)).sum();
    let wanted = QueryFlags { area: true, ..QueryFlags::DEPTHS };
    // The last in several blocks of rows.
    for error in [0.1, 0.01, 1e-3, 1e-4] {
        let question = ProximityQuery { error, contact_distance: 0.0, flags: wanted };
        let found = query(&mut Images::default(), &outlines, &question).overlap_area;
        let bound = error * perimeters / std::f64::consts::SQRT_2;
        assert!((found - exact).abs() <= bound, "{error}: {found} {exact}");
    }
}
