//! Results against those of the reference implementation.

use std::path::Path;

use pliant::math::Vec2;
use pliant_gpu::{DepthsBy, Gpu};
use pliant_plane::brute::Brute;
use pliant_plane::outline::Outlines;
use pliant_plane::{
    Backend, BackendError, Cause, Notice, Pair, ProximityQuery, ProximityResult, QueryFlags,
};

use crate::scene::{Random, all_pairs, crowd, open, rectangle, wavy};

/// Shares and places that both compute in f64 from the same segments.
const SAME: f64 = 1e-9;

const ALL: ProximityQuery =
    ProximityQuery { error: 1e-3, contact_distance: 0.05, flags: QueryFlags::ALL };

fn perimeter(outlines: &Outlines, outline: u32) -> f64 {
    let segments = outlines.range(outline as usize).map(|at| outlines.segment(at));
    segments.map(|[a, b]| a.distance(b)).sum()
}

/// Both results must agree within the error.
#[track_caller]
fn agree(
    outlines: &Outlines,
    pair: Pair,
    question: &ProximityQuery,
    found: &ProximityResult,
    exact: &ProximityResult,
) {
    let error = question.error;
    assert_eq!(found.intersects, exact.intersects, "{pair:?}");
    let around = perimeter(outlines, pair.a) + perimeter(outlines, pair.b);
    let area = (found.overlap_area - exact.overlap_area).abs();
    assert!(area <= error * around, "{pair:?}: {} {}", found.overlap_area, exact.overlap_area);
    assert_eq!(found.separation.is_some(), exact.separation.is_some(), "{pair:?}");
    if let (Some(found), Some(exact)) = (found.separation, exact.separation) {
        assert!((found.distance - exact.distance).abs() <= error, "{found:?} {exact:?}");
        assert!((found.on_a.distance(found.on_b) - found.distance).abs() <= error);
    }
    assert_eq!(found.penetration.len(), exact.penetration.len(), "{pair:?}");
    for (found, exact) in found.penetration.iter().zip(&exact.penetration) {
        assert_eq!((found.of, found.at.segment), (exact.of, exact.at.segment));
        assert!((found.at.along - exact.at.along).abs() < SAME, "{found:?} {exact:?}");
        assert!((found.depth - exact.depth).abs() <= error, "{found:?} {exact:?}");
        assert!((found.direction.length() - 1.0).abs() < SAME, "{found:?}");
    }
    assert_eq!(found.contacts.len(), exact.contacts.len(), "{pair:?}");
    for (found, exact) in found.contacts.iter().zip(&exact.contacts) {
        assert!((found.gap - exact.gap).abs() <= error, "{found:?} {exact:?}");
        assert!(found.position.distance(exact.position) <= error, "{found:?} {exact:?}");
        assert!(found.normal.distance(exact.normal) < SAME, "{found:?} {exact:?}");
    }
    assert_eq!(found.least_translation, exact.least_translation, "{pair:?}");
}

#[track_caller]
fn check(
    gpu: &mut Gpu,
    outlines: &Outlines,
    pairs: &[Pair],
    question: &ProximityQuery,
) -> Vec<ProximityResult> {
    let (mut found, mut exact) = (Vec::new(), Vec::new());
    gpu.query(outlines, pairs, question, &mut found).unwrap();
    Brute.query(outlines, pairs, question, &mut exact).unwrap();
    assert_eq!(found.len(), pairs.len());
    for ((pair, found), exact) in pairs.iter().zip(&found).zip(&exact) {
        agree(outlines, *pair, question, found, exact);
    }
    found
}

#[test]
fn many_pairs_at_once_are_answered_as_one_by_one_and_as_by_segments() {
    let Some(mut gpu) = open() else { return };
    for seed in 1..4 {
        let outlines = crowd(seed, 9, 40);
        let pairs = all_pairs(&outlines);
        let before = gpu.traffic()[0];
        let together = check(&mut gpu, &outlines, &pairs, &ALL);
        assert!(gpu.traffic()[0] - before <= 3, "{before}");
        assert!(together.iter().any(|answer| !answer.penetration.is_empty()));
        assert!(together.iter().any(|answer| answer.separation.is_some()));
        for (pair, answer) in pairs.iter().zip(&together).step_by(7) {
            let mut alone = Vec::new();
            gpu.query(&outlines, &[*pair], &ALL, &mut alone).unwrap();
            assert_eq!(&alone[0], answer);
        }
    }
}

#[test]
fn normals_separate_squares_and_swapping_turns_them_round() {
    let Some(mut gpu) = open() else { return };
    let mut random = Random::new(3);
    let question = ProximityQuery {
        flags: QueryFlags { contacts: true, translation: true, ..QueryFlags::DEPTHS },
        ..ALL
    };
    for round in 0..60 {
        let turn = Vec2::from_angle(random.number());
        // Squares of a metre that overlap, touch nearly, or are the same.
        let gap = [-1e-4, 1e-9, -0.3, -1.0][round % 4];
        let aside = if gap == -1.0 { 0.0 } else { 0.8 * random.number() };
        let mut outlines = Outlines::default();
        for by in [Vec2::new(-1.0 - gap, aside), Vec2::ZERO] {
            let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
            let ring = corners.map(|(x, y)| turn.rotate(Vec2::new(x, y) + by)).to_vec();
            outlines.push(&[ring]).unwrap();
        }
        let pairs = [Pair { a: 0, b: 1 }, Pair { a: 1, b: 0 }];
        let answers = check(&mut gpu, &outlines, &pairs, &question);
        for (answer, expected) in answers.iter().zip([-turn, turn]).filter(|_| gap > -0.2) {
            assert!(!answer.contacts.is_empty());
            for contact in &answer.contacts {
                assert!(contact.normal.distance(expected) < SAME, "{round} {contact:?}");
            }
        }
        let least = answers[0].least_translation;
        assert_eq!(least.is_some(), gap < 0.0);
        if let Some(least) = least.filter(|_| gap == -1e-4) {
            assert!(least.exact && (least.distance + gap).abs() < SAME, "{least:?}");
        }
        if gap == -1.0 {
            assert!((least.unwrap().distance - 1.0).abs() < SAME, "{least:?}");
        }
    }
}

#[test]
fn depths_alone_take_one_submission_and_no_notice() {
    let Some(mut gpu) = open() else { return };
    let outlines = crowd(11, 12, 90);
    let before = gpu.traffic()[0];
    let question = ProximityQuery { flags: QueryFlags::DEPTHS, ..ALL };
    let answers = check(&mut gpu, &outlines, &all_pairs(&outlines), &question);
    assert_eq!(gpu.traffic()[0] - before, 1);
    assert!(answers.iter().all(|answer| answer.notices.is_empty()));
}

#[test]
fn outlines_that_share_points_and_edges_are_decided_exactly() {
    let Some(mut gpu) = open() else { return };
    let mut outlines = Outlines::default();
    for k in 0..4 {
        let x = f64::from(k) / 3.0; // not a number that f32 has
        outlines.push(&[rectangle([x, 0.0], [x + 1.0 / 3.0, 1.0])]).unwrap();
    }
    let gap = 1.0 + 2.0 * f64::EPSILON; // closer than f32 can see, and apart
    outlines.push(&[rectangle([0.0, gap], [2.0, 2.0])]).unwrap();
    outlines.push(&[rectangle([0.1, 1.0], [2.0, 2.0])]).unwrap();
    let answers = check(&mut gpu, &outlines, &all_pairs(&outlines), &ALL);
    let meets = |a: u32, b: u32| {
        let at = all_pairs(&outlines).iter().position(|pair| *pair == Pair { a, b }).unwrap();
        answers[at].intersects
    };
    assert!(meets(0, 1) && meets(1, 2) && !meets(0, 2));
    assert!(!meets(0, 4) && meets(0, 5));
}

#[test]
fn one_inside_the_other_or_in_its_hole() {
    let Some(mut gpu) = open() else { return };
    let mut outlines = Outlines::default();
    let frame = [rectangle([0.0; 2], [4.0; 2]), rectangle([1.0; 2], [3.0; 2])];
    outlines.push(&frame).unwrap();
    outlines.push(&[rectangle([1.5; 2], [2.0; 2])]).unwrap();
    outlines.push(&[rectangle([0.25; 2], [0.5; 2])]).unwrap();
    let answers = check(&mut gpu, &outlines, &all_pairs(&outlines), &ALL);
    assert!(!answers[0].intersects && answers[1].intersects && !answers[2].intersects);
}

#[test]
fn a_scene_of_any_size_and_place_is_answered_alike() {
    let Some(mut gpu) = open() else { return };
    let base = crowd(5, 4, 30);
    for (size, place) in [(1e-12, 0.0), (1e9, 0.0), (1e30, 0.0), (1.0, 1e6), (1e-3, -1e5)] {
        let mut outlines = base.clone();
        let moved = |point: &mut Vec2| *point = size * *point + Vec2::splat(place);
        outlines.points_mut().iter_mut().for_each(moved);
        let question = ProximityQuery { error: 1e-3 * size, contact_distance: 0.05 * size, ..ALL };
        let wanted = QueryFlags { contacts: false, ..QueryFlags::ALL };
        let answers = check(
            &mut gpu,
            &outlines,
            &all_pairs(&base),
            &ProximityQuery { flags: wanted, ..question },
        );
        assert!(answers.iter().all(|answer| answer.notices.is_empty()), "{size} {place}");
    }
}

#[test]
fn a_bound_below_f32_is_kept_by_segments_and_told() {
    let Some(mut gpu) = open() else { return };
    let outlines = crowd(6, 4, 20);
    let question = ProximityQuery { error: 1e-9, flags: QueryFlags::DEPTHS, ..ALL };
    let answers = check(&mut gpu, &outlines, &all_pairs(&outlines), &question);
    let cause = Cause::Digits { bits: f32::MANTISSA_DIGITS };
    let reported =
        |answer: &ProximityResult| answer.notices == [Notice::Exact { error: 1e-9, cause }];
    assert!(answers.iter().all(reported));
    let coarse = ProximityQuery { error: 1e6, ..ALL };
    check(&mut gpu, &outlines, &all_pairs(&outlines), &coarse);
}

#[test]
fn an_outline_of_a_hundred_thousand_segments_is_answered() {
    let Some(mut gpu) = open() else { return };
    let mut random = Random::new(3);
    let mut outlines = Outlines::default();
    outlines.push(&[wavy(&mut random, Vec2::ZERO, 1.0, 100_000)]).unwrap();
    outlines.push(&[wavy(&mut random, Vec2::new(0.9, 0.0), 0.5, 50)]).unwrap();
    let question = ProximityQuery { error: 1e-4, flags: QueryFlags::DEPTHS, ..ALL };
    check(&mut gpu, &outlines, &[Pair { a: 0, b: 1 }], &question);
}

#[test]
fn points_as_far_from_every_segment_are_measured_too() {
    let Some(mut gpu) = open() else { return };
    // From the middle of a circle no box can be left out: more turns of loops than the
    // software driver takes, which ends them without a word.
    let count = 100_000;
    let angle = |k: i32| std::f64::consts::TAU * f64::from(k) / f64::from(count);
    let mut circle: Vec<Vec2> = (0..count).map(|k| Vec2::from_angle(angle(k))).collect();
    circle[99_990] *= 0.99; // the nearest, looked at last
    let mut outlines = Outlines::default();
    outlines.push(&[circle]).unwrap();
    outlines.push(&[rectangle([-1e-8; 2], [1e-8; 2])]).unwrap();
    let question = ProximityQuery { error: 1e-4, flags: QueryFlags::DEPTHS, ..ALL };
    let answers = check(&mut gpu, &outlines, &[Pair { a: 0, b: 1 }], &question);
    let [first, ..] = answers[0].penetration[..] else { panic!("{answers:?}") };
    assert!((first.depth - 0.99).abs() < question.error, "{first:?}");
}

#[test]
fn more_candidates_than_room_are_asked_again_with_room() {
    let Some(mut gpu) = open() else { return };
    // Two combs across each other: every tooth of one crosses every tooth of the other.
    let comb = |turned: bool| {
        let mut points = Vec::new();
        for tooth in 0..40 {
            let x = f64::from(tooth);
            points.extend([[x, 0.0], [x, 41.0], [x + 0.5, 41.0], [x + 0.5, 0.0]]);
        }
        points.extend([[40.5, -1.0], [-0.5, -1.0]]);
        let place = |[x, y]: [f64; 2]| if turned { Vec2::new(y, x) } else { Vec2::new(x, y) };
        points.into_iter().map(place).collect::<Vec<Vec2>>()
    };
    let mut outlines = Outlines::default();
    outlines.push(&[comb(false)]).unwrap();
    outlines.push(&[comb(true)]).unwrap();
    let wanted = QueryFlags { area: false, contacts: false, ..QueryFlags::ALL };
    let question = ProximityQuery { error: 0.05, contact_distance: 0.0, flags: wanted };
    let answers = check(&mut gpu, &outlines, &[Pair { a: 0, b: 1 }], &question);
    assert!(answers[0].penetration.len() > 4000, "{}", answers[0].penetration.len());
}

#[test]
fn what_no_backend_can_answer_is_refused() {
    let Some(mut gpu) = open() else { return };
    let mut outlines = crowd(1, 2, 10);
    let pair = Pair { a: 0, b: 2 };
    let refused = gpu.query(&outlines, &[pair], &ALL, &mut Vec::new());
    assert_eq!(refused, Err(BackendError::Pair { index: 0, a: 0, b: 2, count: 2 }));
    outlines.points_mut()[3].x = f64::NAN;
    let refused = gpu.query(&outlines, &[Pair { a: 0, b: 1 }], &ALL, &mut Vec::new());
    assert!(matches!(refused, Err(BackendError::NotFinite { point: 3, .. })), "{refused:?}");
    assert_eq!(gpu.name(), "gpu");
}

#[test]
fn depths_by_images_keep_the_bound_too() {
    let Some(mut gpu) = open() else { return };
    let outlines = crowd(13, 6, 60);
    gpu.settings.depths = DepthsBy::Images;
    for error in [1e-2, 2e-3] {
        let question = ProximityQuery { error, contact_distance: 0.0, ..ALL };
        check(&mut gpu, &outlines, &all_pairs(&outlines), &question);
    }
}

#[test]
fn areas_of_many_thin_overlaps_add_up() {
    let Some(mut gpu) = open() else { return };
    let mut outlines = Outlines::default();
    // A comb of 30 teeth, 0.25 m wide, under a bar that covers 0.5 m of each.
    let teeth = (0..30).flat_map(|k| {
        let x = f64::from(k);
        [[x, 0.0], [x, 1.0], [x + 0.25, 1.0], [x + 0.25, 0.0]]
    });
    let points = teeth.chain([[30.0, -1.0], [-1.0, -1.0]]).map(Vec2::from).collect();
    outlines.push(&[points]).unwrap();
    outlines.push(&[rectangle([-1.0, 0.5], [31.0, 2.0])]).unwrap();
    let question = ProximityQuery { error: 0.01, ..ALL };
    let answers = check(&mut gpu, &outlines, &[Pair { a: 0, b: 1 }], &question);
    // Upright sides: rows miss at most one strip of 0.014 m at the top of the teeth.
    let expected = 30.0 * 0.25 * 0.5;
    assert!((answers[0].overlap_area - expected).abs() < 30.0 * 0.25 * 0.015, "{answers:?}");
}

#[test]
fn the_map_of_719_segments_is_answered_as_by_segments() {
    let Some(mut gpu) = open() else { return };
    let Some(folder) = std::env::var_os("PLIANT_BENCH") else {
        use std::io::Write;
        let note = "skipped the map: PLIANT_BENCH does not name the folder of scenes to measure\n";
        let _ = std::io::stderr().write_all(note.as_bytes());
        return;
    };
    let text = std::fs::read_to_string(Path::new(&folder).join("poly_map.txt")).unwrap();
    let mut numbers = text.split_whitespace().map(|word| word.parse::<f64>().unwrap());
    let mut next = || numbers.next().unwrap();
    let mut outlines = Outlines::default();
    for _ in 0..next() as usize {
        let count = next() as usize;
        outlines.push(&[(0..count).map(|_| Vec2::new(next(), next())).collect()]).unwrap();
    }
    assert_eq!(outlines.points().len(), 719);
    for wanted in [QueryFlags::DEPTHS, QueryFlags::ALL] {
        let question = ProximityQuery { error: 2e-3, contact_distance: 2e-3, flags: wanted };
        check(&mut gpu, &outlines, &all_pairs(&outlines), &question);
    }
}

#[test]
fn nothing_asked_is_nothing_answered() {
    let Some(mut gpu) = open() else { return };
    let mut answers = vec![ProximityResult::default(); 3];
    gpu.query(&Outlines::default(), &[], &ALL, &mut answers).unwrap();
    assert!(answers.is_empty());
}
