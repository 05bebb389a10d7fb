//! Memory and work grow with segments and results, not with their product.
//!
//! A binary of its own, because it counts allocated bytes; those of the testing thread, as the
//! test harness allocates in its own.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use pliant::math::Vec2;
use pliant_plane::exact::Exact;
use pliant_plane::generate::hostile::Hostile;
use pliant_plane::image::Images;
use pliant_plane::outline::crossings::crossings;
use pliant_plane::outline::thick::{Stroke, thicken};
use pliant_plane::outline::{OutlineNotice, Outlines};
#[cfg(debug_assertions)]
use pliant_plane::work::visited;
use pliant_plane::{Backend, Pair, ProximityQuery, ProximityResult, QueryFlags};

/// Counts bytes in use, and the most that ever were.
struct Counting;

thread_local! {
    static IN_USE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    IN_USE.set(IN_USE.get() + bytes);
    PEAK.set(PEAK.get().max(IN_USE.get()));
}

#[expect(unsafe_code, reason = "an allocator cannot be written without; it only counts")]
// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs something; its result and the most bytes it had in use.
fn peak<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let before = IN_USE.get();
    PEAK.set(before);
    let result = run();
    (result, (PEAK.get() - before) as f64)
}

fn backends() -> [Box<dyn Backend>; 2] {
    [Box::<Exact>::default(), Box::<Images>::default()]
}

/// The same rings twice, the second time shifted.
fn pair(rings: &[Vec<Vec2>], shift: Vec2) -> Outlines {
    let mut outlines = Outlines::default();
    outlines.push(rings).unwrap();
    let shifted = rings.iter().map(|ring| ring.iter().map(|point| *point + shift).collect());
    outlines.push(&shifted.collect::<Vec<_>>()).unwrap();
    outlines
}

/// Everything about a pair, within a share of its box.
fn query(backend: &mut dyn Backend, outlines: &Outlines, share: f64) -> ProximityResult {
    let low = outlines.points().iter().copied().fold(Vec2::INFINITY, Vec2::min);
    let high = outlines.points().iter().copied().fold(Vec2::NEG_INFINITY, Vec2::max);
    let error = share * low.distance(high);
    let question = ProximityQuery { error, contact_distance: 0.0, flags: QueryFlags::ALL };
    let mut results = Vec::new();
    backend.query(outlines, &[Pair { a: 0, b: 1 }], &question, &mut results).unwrap();
    results.pop().unwrap()
}

#[test]
fn memory_is_in_proportion_to_segments() {
    /// Segments of both outlines, few and many.
    const SIZES: [usize; 2] = [4000, 16_000];
    /// Bytes for each segment, results and windows of pixels included.
    const MOST: f64 = 6000.0;
    for family in Hostile::ALL {
        for mut backend in backends() {
            let name = format!("{}, {}", family.name(), backend.name());
            let peaks = SIZES.map(|segments| {
                let run = || {
                    let rings = family.rings(segments / 2).unwrap();
                    let outlines = pair(&rings, family.shift(segments / 2));
                    assert_eq!(crossings(&outlines, 0), [], "{name}");
                    let result = query(&mut *backend, &outlines, 0.01);
                    assert!(result.intersects && result.notices.is_empty(), "{name}");
                };
                peak(run).1
            });
            let [few, many] = peaks;
            assert!(many < 5.0 * few, "{name}: {peaks:?} bytes for {SIZES:?} segments");
            assert!(many < MOST * SIZES[1] as f64, "{name}: {many} bytes");
        }
    }
}

/// Nodes of trees visited for each segment of a pair and each depth found, crossings included.
#[cfg(debug_assertions)]
fn visits(family: Hostile, backend: &mut dyn Backend, segments: usize) -> f64 {
    let rings = family.rings(segments / 2).unwrap();
    let outlines = pair(&rings, family.shift(segments / 2));
    let before = visited();
    assert_eq!(crossings(&outlines, 0), []);
    let result = query(backend, &outlines, 1e-3);
    let results = outlines.points().len() + result.penetration.len();
    (visited() - before) as f64 / results as f64
}

#[test]
#[cfg(debug_assertions)]
fn work_is_in_proportion_to_segments_and_results() {
    /// With upright boxes alone the star takes 719 (exact) and 949 (images).
    const MOST: f64 = 300.0;
    for family in Hostile::ALL {
        for mut backend in backends() {
            let visits = visits(family, &mut *backend, 32_000);
            assert!(visits < MOST, "{}, {}: {visits}", family.name(), backend.name());
        }
    }
}

/// A comb that lies on its side, slanted, and again with its points off by rounding.
#[cfg(debug_assertions)]
fn grazing(segments: usize) -> Outlines {
    let turn = Vec2::from_angle(1.4);
    let mut ring = Hostile::Comb.rings(segments / 2).unwrap().remove(0);
    ring.iter_mut().for_each(|point| *point = turn.rotate(*point));
    let mut random = pliant::math::random::Random::new(3);
    let mut by_rounding = |at: f64| match random.below(3) {
        0 => at.next_up(),
        1 => at.next_down(),
        _ => at,
    };
    let off = ring.iter().map(|p| Vec2::new(by_rounding(p.x), by_rounding(p.y))).collect();
    let mut outlines = Outlines::default();
    outlines.push(&[ring]).unwrap();
    outlines.push(&[off]).unwrap();
    outlines
}

#[test]
#[cfg(debug_assertions)]
fn outlines_that_graze_each_other_take_work_by_segments() {
    /// Segments of both; strips over all teeth at once visit as many for each segment.
    const SEGMENTS: usize = 8000;
    let outlines = grazing(SEGMENTS);
    let area = pliant_plane::outline::area(outlines.points().get(outlines.range(0)).unwrap());
    let flags = QueryFlags { area: true, vertices: false, ..QueryFlags::DEPTHS };
    let question = ProximityQuery { error: 1e-3, contact_distance: 0.0, flags };
    let mut results = Vec::new();
    let before = visited();
    Exact::default().query(&outlines, &[Pair { a: 0, b: 1 }], &question, &mut results).unwrap();
    let visits = (visited() - before) as f64 / outlines.points().len() as f64;
    assert!(visits < 300.0, "{visits}");
    let result = results.pop().unwrap();
    assert!((result.overlap_area - area).abs() < 1e-9 * area, "{} {area}", result.overlap_area);
}

#[test]
fn issue_trust_26_800_rings_in_a_row_neither_panic_nor_fill_memory() {
    let rings = Hostile::Rings.rings(4 * 26_800).unwrap();
    let outlines = pair(&rings, Vec2::splat(0.5));
    let corner = 0.25; // each square shares a quarter of its double
    for mut backend in backends() {
        let (result, bytes) = peak(|| query(&mut *backend, &outlines, 1e-6));
        let off = (result.overlap_area - 26_800.0 * corner).abs();
        // The bound is 1e-6 of the row times the perimeters; squares are far below it.
        assert!(off < 26_800.0 * corner, "{}: {}", backend.name(), result.overlap_area);
        assert_eq!(result.penetration.iter().filter(|p| p.at.along == 0.0).count(), 2 * 26_800);
        assert!(bytes < 400e6, "{}: {bytes} bytes", backend.name());
    }
}

#[test]
fn a_star_that_crosses_itself_takes_memory_by_its_crossings() {
    /// Corners, an odd number: every chord crosses all that share no end with it.
    const CORNERS: usize = 301;
    const CROSSINGS: usize = CORNERS * (CORNERS - 3) / 2;
    let angle = |k: usize| std::f64::consts::TAU * ((k * 150) % CORNERS) as f64 / CORNERS as f64;
    let ring: Vec<Vec2> = (0..CORNERS).map(|k| Vec2::from_angle(angle(k))).collect();
    let outlines = pair(&[ring], Vec2::new(0.01, 0.005));
    let found = crossings(&outlines, 0);
    assert!(matches!(found[..], [OutlineNotice::Crosses { count: CROSSINGS, .. }]), "{found:?}");
    let mut areas = Vec::new();
    for mut backend in backends() {
        let (result, bytes) = peak(|| query(&mut *backend, &outlines, 0.01));
        // Its double crosses it twice as often again, and every part inside is a result.
        assert!(bytes < 1500.0 * CROSSINGS as f64, "{}: {bytes} bytes", backend.name());
        areas.push(result.overlap_area);
    }
    // Both are within the error of the shared area, the first one exactly.
    assert!(areas[0] > 0.0 && areas[0] < std::f64::consts::PI, "{areas:?}");
}

#[test]
fn thick_lines_take_memory_by_their_boundary() {
    // Most of the square is covered: crossings under other strokes must not be kept.
    let mut random = pliant::math::random::Random::new(5);
    let points = (0..3000).map(|_| Vec2::new(random.unit(), random.unit())).collect();
    let strokes = [Stroke { points, radius: 0.01 }];
    let (thick, bytes) = peak(|| thicken(&strokes, 1e-4).unwrap());
    let corners: usize = thick.rings.iter().map(Vec::len).sum();
    // One union of all took 1.5 GB.
    assert!(bytes < 60e6, "{bytes} bytes for {corners} corners");
}
