//! Normals of contact and least translations against an independent computation.
//!
//! For convex outlines all points of B minus all points of A make the Minkowski difference, by
//! brute force: no vector separates better than the one to its nearest boundary. What is
//! compared is how far a vector n separates, min a·n − max b·n, so that it does not matter
//! which of two equally good ones was taken.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::f64::consts::TAU;

use pliant::math::Vec2;
use pliant::math::random::Random;
use pliant_plane::brute::{Brute, overlap_area};
use pliant_plane::exact::Exact;
use pliant_plane::image::Images;
use pliant_plane::outline::Outlines;
use pliant_plane::{Backend, Pair, ProximityQuery, ProximityResult, QueryFlags};

/// Rounding of lengths of a few metres, m.
const ROUNDING: f64 = 1e-12;

/// Angles of normals that follow from edges of about a metre, rad.
const SAME: f64 = 1e-9;

const ERROR: f64 = 0.004;

const CONTACT_DISTANCE: f64 = 0.05;

fn backends() -> [Box<dyn Backend>; 3] {
    [Box::new(Brute), Box::<Exact>::default(), Box::<Images>::default()]
}

fn outlines(a: &[Vec<Vec2>], b: &[Vec<Vec2>]) -> Outlines {
    let mut outlines = Outlines::default();
    outlines.push(a).unwrap();
    outlines.push(b).unwrap();
    outlines
}

/// The result of a pair, and of the pair swapped.
fn query(backend: &mut dyn Backend, a: &[Vec2], b: &[Vec2]) -> [ProximityResult; 2] {
    let both = outlines(&[a.to_vec()], &[b.to_vec()]);
    let flags =
        QueryFlags { contacts: true, translation: true, vertices: false, ..QueryFlags::DEPTHS };
    let question = ProximityQuery { error: ERROR, contact_distance: CONTACT_DISTANCE, flags };
    let pairs = [Pair { a: 0, b: 1 }, Pair { a: 1, b: 0 }];
    let mut answers = Vec::new();
    backend.query(&both, &pairs, &question, &mut answers).unwrap();
    let [swapped, found] = [answers.pop(), answers.pop()].map(Option::unwrap);
    [found, swapped]
}

/// How far a unit vector separates a from b, m; negative for an overlap.
fn separates(a: &[Vec2], b: &[Vec2], n: Vec2) -> f64 {
    let least = a.iter().map(|p| p.dot(n)).fold(f64::INFINITY, f64::min);
    least - b.iter().map(|p| p.dot(n)).fold(f64::NEG_INFINITY, f64::max)
}

fn distance(point: Vec2, [p, q]: [Vec2; 2]) -> f64 {
    let along = ((point - p).dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0);
    point.distance(p + along * (q - p))
}

fn edges(ring: &[Vec2]) -> impl Iterator<Item = [Vec2; 2]> + '_ {
    (0..ring.len()).map(|at| [ring[at], ring[(at + 1) % ring.len()]])
}

/// The most that any vector separates two convex rings, m.
fn best(a: &[Vec2], b: &[Vec2]) -> f64 {
    let difference: Vec<Vec2> = b.iter().flat_map(|q| a.iter().map(move |p| *q - *p)).collect();
    // Every pair of its points that has all others on one side is an edge of the difference.
    let normals = edges(a).chain(edges(b)).map(|[p, q]| (q - p).perp().try_normalize().unwrap());
    let both = normals.flat_map(|n| [n, -n]);
    let outermost = |n: Vec2| difference.iter().map(|v| v.dot(n)).fold(f64::NEG_INFINITY, f64::max);
    let depth = both.map(outermost).fold(f64::INFINITY, f64::min);
    if depth >= 0.0 {
        return -depth;
    }
    let of_a = a.iter().flat_map(|p| edges(b).map(|edge| distance(*p, edge)));
    let of_b = b.iter().flat_map(|q| edges(a).map(|edge| distance(*q, edge)));
    of_a.chain(of_b).fold(f64::INFINITY, f64::min)
}

/// A convex ring with corners on an ellipse.
fn convex(random: &mut Random) -> Vec<Vec2> {
    let count = 3 + random.below(10);
    let turn = Vec2::from_angle(TAU * random.unit());
    let narrow = 0.3 + 0.7 * random.unit();
    let mut angles: Vec<f64> =
        (0..count).map(|k| TAU * (k as f64 + 0.8 * random.unit()) / count as f64).collect();
    angles.sort_by(f64::total_cmp);
    let corner = |angle: &f64| {
        let on_circle = Vec2::from_angle(*angle);
        turn.rotate(Vec2::new(on_circle.x, narrow * on_circle.y))
    };
    angles.iter().map(corner).collect()
}

fn square(half: f64) -> Vec<Vec2> {
    [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        .map(|(x, y)| half * Vec2::new(x, y))
        .to_vec()
}

fn put(ring: &[Vec2], angle: f64, by: Vec2) -> Vec<Vec2> {
    ring.iter().map(|p| Vec2::from_angle(angle).rotate(*p) + by).collect()
}

/// A random pair, and the normal where it is known beforehand.
fn pair(random: &mut Random, kind: usize) -> (Vec<Vec2>, Vec<Vec2>, Option<Vec2>) {
    let angle = TAU * random.unit();
    let turn = Vec2::from_angle(angle);
    let aside = 0.9 * (2.0 * random.unit() - 1.0);
    match kind {
        // Squares of a metre that overlap by 1e-4 m, or are 1e-9 m apart.
        0 | 1 => {
            let gap = if kind == 0 { -1e-4 } else { 1e-9 };
            let a = put(&square(0.5), angle, -turn.rotate(Vec2::new(1.0 + gap, aside)));
            (a, put(&square(0.5), angle, Vec2::ZERO), Some(-turn))
        }
        // A corner on the middle of an edge.
        2 => {
            let b = convex(random);
            let edge = edges(&b).nth(random.below(b.len())).unwrap();
            let n = -(edge[1] - edge[0]).perp().try_normalize().unwrap();
            let a = convex(random);
            let nearest = |p: &&Vec2, q: &&Vec2| p.dot(n).total_cmp(&q.dot(n));
            let corner = *a.iter().min_by(nearest).unwrap();
            (put(&a, 0.0, edge[0].midpoint(edge[1]) - corner), b, Some(n))
        }
        3 => {
            let a = convex(random);
            (a.clone(), a, None)
        }
        _ => {
            let (a, b) = (convex(random), convex(random));
            let by = 2.2 * random.unit();
            (put(&a, 0.0, by * turn), b, None)
        }
    }
}

#[test]
fn a_thousand_normals_separate_best_on_every_backend() {
    let mut random = Random::new(22);
    let mut all = backends();
    let (mut contacts, mut deep) = (0, 0);
    for round in 0..1000 {
        let (a, b, expected) = pair(&mut random, round % 8);
        let best = best(&a, &b);
        for backend in &mut all {
            let [found, swapped] = query(backend.as_mut(), &a, &b);
            let what = || format!("{round} {}: {found:?}\n{swapped:?}", backend.name());
            // Images see gaps to their error, and what meets exactly.
            let off = if backend.name() == "cpu" && !found.intersects { 2.0 * ERROR } else { 0.0 };
            for contact in &found.contacts {
                contacts += 1;
                let lacking = best - separates(&a, &b, contact.normal);
                assert!(lacking <= off + ROUNDING, "{lacking} {}", what());
                if let Some(expected) = expected {
                    assert!(contact.normal.distance(expected) < SAME, "{expected} {}", what());
                }
            }
            if expected.is_some() || (best < 0.0 && best > -CONTACT_DISTANCE) {
                assert!(!found.contacts.is_empty(), "{}", what());
            }
            // Nothing distinguishes outlines that are the same.
            if a != b {
                check_swapped(&found, &swapped, &what());
            }
            assert_eq!(found.least_translation.is_some(), found.intersects, "{}", what());
            if let Some(least) = found.least_translation {
                deep += 1;
                assert!(least.exact && (least.direction.length() - 1.0).abs() < ROUNDING);
                let lacking = (least.distance + best.min(0.0)).abs();
                assert!(lacking <= ROUNDING, "{best} {}", what());
                let moved = put(&a, 0.0, least.distance * least.direction);
                assert!(separates(&moved, &b, least.direction) > -ROUNDING, "{}", what());
            }
        }
    }
    assert!(contacts > 2000 && deep > 1000, "{contacts} {deep}");
}

/// Swapping a and b turns every normal round, and the least translation.
#[track_caller]
fn check_swapped(found: &ProximityResult, swapped: &ProximityResult, what: &str) {
    if let [Some(one), Some(other)] = [found.least_translation, swapped.least_translation] {
        assert!((one.distance - other.distance).abs() <= ROUNDING, "{what}");
        assert!(one.direction.distance(-other.direction) < SAME, "{what}");
    }
    if let ([one], [other]) = (&found.contacts[..], &swapped.contacts[..]) {
        // Images may take another place as near: theirs are compared where the outlines meet.
        if found.intersects || one.gap == other.gap {
            assert!(one.normal.distance(-other.normal) < SAME, "{what}");
        }
    }
}

/// A ring around the origin whose radius goes up and down.
fn star(random: &mut Random, count: usize) -> Vec<Vec2> {
    let point = |k: usize, radius: f64| radius * Vec2::from_angle(TAU * k as f64 / count as f64);
    (0..count).map(|k| point(k, 0.4 + 0.6 * random.unit())).collect()
}

#[test]
fn translations_of_any_outlines_take_them_apart_and_are_bounded_by_the_deepest_point() {
    let mut random = Random::new(5);
    let (mut tight, mut overlapping) = (0, 0);
    for round in 0..300_usize {
        let (a, b) = (star(&mut random, 5 + round % 20), star(&mut random, 7 + round % 13));
        let a = put(&a, 0.0, 1.9 * random.unit() * Vec2::from_angle(TAU * random.unit()));
        let both = outlines(std::slice::from_ref(&a), std::slice::from_ref(&b));
        let question =
            ProximityQuery { error: ERROR, contact_distance: 0.0, flags: QueryFlags::ALL };
        let pairs = [Pair { a: 0, b: 1 }, Pair { a: 1, b: 0 }];
        let mut answers = Vec::new();
        Exact::default().query(&both, &pairs, &question, &mut answers).unwrap();
        let [found, swapped] = &answers[..] else { panic!("{answers:?}") };
        assert_eq!(found.least_translation.is_some(), found.intersects);
        let [Some(least), Some(back)] = [found, swapped].map(|answer| answer.least_translation)
        else {
            continue;
        };
        overlapping += 1;
        assert!((least.distance - back.distance).abs() < SAME, "{least:?} {back:?}");
        assert!(least.direction.distance(-back.direction) < SAME, "{least:?} {back:?}");
        let moved = put(&a, 0.0, (least.distance + SAME) * least.direction);
        let left = overlap_area(&outlines(&[moved], std::slice::from_ref(&b)), 0, 1);
        assert!(left < SAME, "{round}: {left} {least:?}");
        let deepest = found.penetration.iter().map(|point| point.depth).fold(0.0, f64::max);
        assert!(least.distance >= deepest - ROUNDING, "{round}: {deepest} {least:?}");
        // Along the hulls' best direction a is past b at the latest.
        let hulls = (0..720).map(|k| Vec2::from_angle(TAU * k as f64 / 720.0));
        let coarse = hulls.map(|n| -separates(&a, &b, n)).fold(f64::INFINITY, f64::min);
        assert!(least.distance <= coarse + ROUNDING, "{round}: {coarse} {least:?}");
        tight += usize::from(least.distance < 0.9 * coarse);
    }
    assert!(overlapping > 150 && tight > 50, "{overlapping} {tight}");
}

#[test]
fn moving_along_the_normal_lessens_the_overlap() {
    let mut random = Random::new(9);
    let (mut seen, step) = (0, 1e-6);
    for round in 0..2000_usize {
        let (a, b) = (star(&mut random, 5 + round % 9), star(&mut random, 5 + round % 7));
        let a = put(&a, 0.0, (0.9 + 0.9 * random.unit()) * Vec2::from_angle(TAU * random.unit()));
        let [found, _] = query(&mut Exact::default(), &a, &b);
        let [contact] = found.contacts[..] else { continue };
        let area = |by: f64| {
            overlap_area(
                &outlines(&[put(&a, 0.0, by * contact.normal)], std::slice::from_ref(&b)),
                0,
                1,
            )
        };
        if found.intersects && area(0.0) > 0.0 {
            seen += 1;
            assert!(area(step) < area(0.0) && area(0.0) < area(-step), "{round} {contact:?}");
        }
    }
    assert!(seen > 100, "{seen}");
}

/// The normals of all contacts, and the least translation, as every backend says.
#[track_caller]
fn check(a: &[Vec2], b: &[Vec2], normal: Vec2, distance: f64) {
    for mut backend in backends() {
        let [found, swapped] = query(backend.as_mut(), a, b);
        for (answer, normal) in [(&found, normal), (&swapped, -normal)] {
            assert!(!answer.contacts.is_empty());
            let off = |n: Vec2| n.distance(normal) > SAME;
            assert!(!answer.contacts.iter().any(|contact| off(contact.normal)), "{answer:?}");
            let least = answer.least_translation.unwrap();
            assert!((least.distance - distance).abs() < ROUNDING, "{least:?}");
            assert!(!off(least.direction), "{least:?}");
        }
    }
}

fn polygon<const N: usize>(points: [[f64; 2]; N]) -> Vec<Vec2> {
    points.map(Vec2::from).to_vec()
}

#[test]
fn a_block_in_a_notch_has_a_bound_and_on_one_face_its_normal() {
    // An L whose notch has its corner at the origin; the block is 0.1 m into its foot, and
    // 0.3 m into its upright side.
    let shape =
        polygon([[-1.0, -1.0], [2.0, -1.0], [2.0, 0.0], [0.0, 0.0], [0.0, 2.0], [-1.0, 2.0]]);
    let block = put(&square(0.5), 0.0, Vec2::new(0.2, 0.4));
    for mut backend in backends() {
        let [found, _] = query(backend.as_mut(), &block, &shape);
        let least = found.least_translation.unwrap();
        // Up by 0.1 it still overlaps the side, and right by 0.3 the foot: neither suffices.
        assert!(!least.exact && least.distance >= 0.3 - ROUNDING, "{least:?}");
    }
    // In the foot alone.
    check(&put(&square(0.5), 0.0, Vec2::new(1.0, 0.46)), &shape, Vec2::Y, 0.04);
}

#[test]
fn a_tooth_that_only_touches_is_already_apart() {
    let gap = polygon([[-1.0, 0.0], [0.0, -1.0], [1.0, 0.0], [1.0, -2.0], [-1.0, -2.0]]);
    let tooth = polygon([[0.0, -1.0], [0.5, 0.5], [-0.5, 0.5]]);
    // The tip of the tooth is in the corner of the gap, and fits in between its sides.
    check(&tooth, &gap, Vec2::Y, 0.0);
}

#[test]
fn a_sharp_corner_just_inside_an_edge_leaves_across_the_edge() {
    let blade = polygon([[0.0, -1e-3], [0.02, 2.0], [-0.02, 2.0]]);
    let dent = polygon([[-3.0, 0.0], [-3.0, -1.0], [0.0, -0.5], [3.0, -1.0], [3.0, 0.0]]);
    check(&blade, &dent, Vec2::Y, 1e-3);
}
