//! Outlines made to break the GPU backend: it falls back with a notice, and never fails.

use pliant::math::Vec2;
use pliant_gpu::Gpu;
use pliant_plane::exact::Exact;
use pliant_plane::generate::hostile::Hostile;
use pliant_plane::outline::Outlines;
use pliant_plane::{Backend, Cause, Notice, Pair, ProximityQuery, ProximityResult, QueryFlags};

use crate::scene::{open, rectangle};

const PAIR: [Pair; 1] = [Pair { a: 0, b: 1 }];

fn pair(a: &[Vec<Vec2>], b: &[Vec<Vec2>]) -> Outlines {
    shared(a, b).unwrap()
}

/// Both outlines; `None` where rounding left fewer than three points of one.
fn shared(a: &[Vec<Vec2>], b: &[Vec<Vec2>]) -> Option<Outlines> {
    let mut outlines = Outlines::default();
    outlines.push(a).ok()?;
    outlines.push(b).ok()?;
    Some(outlines)
}

fn moved(rings: &[Vec<Vec2>], by: impl Fn(Vec2) -> Vec2) -> Vec<Vec<Vec2>> {
    rings.iter().map(|ring| ring.iter().map(|point| by(*point)).collect()).collect()
}

/// Queries the GPU and the exact backend; what is exact must agree, and lengths within the error.
#[track_caller]
fn check(gpu: &mut Gpu, outlines: &Outlines, error: f64, distance: f64) -> ProximityResult {
    let question = ProximityQuery { error, contact_distance: distance, flags: QueryFlags::ALL };
    let (mut found, mut exact) = (Vec::new(), Vec::new());
    gpu.query(outlines, &PAIR, &question, &mut found).unwrap();
    Exact::default().query(outlines, &PAIR, &question, &mut exact).unwrap();
    let (found, exact) = (found.pop().unwrap(), exact.pop().unwrap());
    assert_eq!(found.intersects, exact.intersects);
    assert_eq!(found.penetration.len(), exact.penetration.len());
    for (found, exact) in found.penetration.iter().zip(&exact.penetration) {
        assert!((found.depth - exact.depth).abs() <= error, "{found:?} {exact:?}");
    }
    let distances = [&found, &exact].map(|r| r.separation.map(|way| way.distance));
    if let [Some(found), Some(exact)] = distances {
        assert!((found - exact).abs() <= error, "{found} {exact}");
    }
    assert_eq!(distances[0].is_some(), distances[1].is_some());
    found
}

fn cause(result: &ProximityResult) -> Option<Cause> {
    result.notices.iter().find_map(|notice| match notice {
        Notice::Exact { cause, .. } => Some(*cause),
        Notice::FewerSamples { .. } => None,
    })
}

#[test]
fn every_family_is_measured_or_left_to_segments_with_a_notice() {
    let Some(mut gpu) = open() else { return };
    for family in Hostile::ALL {
        for segments in if family == Hostile::Rings { [100, 30_000] } else { [100, 2000] } {
            let rings = family.rings(segments).unwrap();
            let shift = family.shift(segments);
            let outlines = pair(&rings, &moved(&rings, |point| point + shift));
            let size = outlines.points().iter().fold(0.0, |size: f64, p| size.max(p.length()));
            let result = check(&mut gpu, &outlines, 0.01 * size, 0.0);
            // Ten thousand rings are as many chunks: a test of each pair would take minutes.
            if family == Hostile::Rings && segments == 30_000 {
                assert!(matches!(cause(&result), Some(Cause::Tests { .. })), "{result:?}");
            }
        }
    }
}

#[test]
fn distances_that_put_everything_near_everything_do_not_fill_memory() {
    let Some(mut gpu) = open() else { return };
    let rings = Hostile::Comb.rings(6000).unwrap();
    let outlines = pair(&rings, &moved(&rings, |point| point + Vec2::splat(0.5)));
    let question = ProximityQuery {
        error: 1.0,
        contact_distance: 1e300,
        flags: QueryFlags { contacts: true, ..QueryFlags::DEPTHS },
    };
    let mut found = Vec::new();
    gpu.query(&outlines, &PAIR, &question, &mut found).unwrap();
    let cause = cause(&found[0]);
    assert!(
        matches!(cause, Some(Cause::Memory { .. } | Cause::Turns | Cause::Tests { .. })),
        "{cause:?}"
    );
    assert_eq!(found[0].contacts.len(), 1);
}

#[test]
fn extreme_places_and_bounds_are_left_to_segments() {
    let Some(mut gpu) = open() else { return };
    let unit = vec![rectangle([0.0; 2], [1.0; 2])];
    for far in [1e10, 1e30, 1e149] {
        for shift in [Vec2::ZERO, Vec2::new(0.5 * far, 0.0), Vec2::splat(far)] {
            if let Some(outlines) = shared(&unit, &moved(&unit, |point| point + shift)) {
                let result = check(&mut gpu, &outlines, 1e-3, 0.1);
                assert!(shift == Vec2::ZERO || cause(&result).is_some(), "{shift}: {result:?}");
            }
            // Large as well as far.
            let large = |point: Vec2| 0.5 * far * point;
            let outlines = pair(&moved(&unit, large), &moved(&unit, |p| large(p) + shift));
            check(&mut gpu, &outlines, 1e-3 * far, 0.0);
        }
    }
    for error in [f64::MIN_POSITIVE, 1e-300, 1e-12] {
        let outlines = pair(&unit, &moved(&unit, |point| point + Vec2::splat(0.25)));
        let result = check(&mut gpu, &outlines, error, 0.0);
        assert!(matches!(cause(&result), Some(Cause::Digits { .. })), "{error:e}");
    }
}

#[test]
fn outlines_without_area_and_of_the_smallest_numbers_have_results() {
    let Some(mut gpu) = open() else { return };
    let flat = vec![vec![Vec2::ZERO, Vec2::X, 2.0 * Vec2::X]];
    let there_and_back = vec![vec![Vec2::ZERO, Vec2::ONE, Vec2::ZERO, Vec2::Y]];
    let needle = vec![vec![Vec2::ZERO, Vec2::new(1.0, 1e-300), Vec2::new(0.5, 2e-300)]];
    let tiny = vec![rectangle([0.0; 2], [1e-300; 2])];
    let subnormal = vec![rectangle([0.0; 2], [5e-324; 2])];
    let unit = vec![rectangle([-0.5; 2], [0.5; 2])];
    let all = [flat, there_and_back, needle, tiny, subnormal, unit];
    for a in &all {
        for b in &all {
            for shift in [Vec2::ZERO, Vec2::new(0.25, 0.0)] {
                if let Some(outlines) = shared(a, &moved(b, |point| point + shift)) {
                    check(&mut gpu, &outlines, 1e-3, 0.1);
                }
            }
        }
    }
}
