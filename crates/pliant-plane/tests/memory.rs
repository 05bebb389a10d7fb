//! Queries of moving outlines allocate nothing once memory is warm.
//!
//! A binary of its own, because it counts allocations; those of the querying thread, as the
//! test harness allocates in its own.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use pliant::math::Vec2;
use pliant_plane::exact::Exact;
use pliant_plane::localize::{LocalizeSettings, Localizer};
use pliant_plane::outline::Outlines;
use pliant_plane::pairs::NearPairs;
use pliant_plane::{Backend, ProximityQuery, QueryFlags};

/// Counts allocations.
struct Counting;

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

#[expect(unsafe_code, reason = "an allocator cannot be written without; it only counts")]
// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        CALLS.with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A wavy ring around a place.
fn wavy(count: usize, at: Vec2) -> Vec<Vec2> {
    let turn = std::f64::consts::TAU / count as f64;
    let corner = |k: usize| {
        let angle = turn * k as f64;
        at + (1.0 + 0.2 * libm::sin(9.0 * angle)) * Vec2::from_angle(angle)
    };
    (0..count).map(corner).collect()
}

#[test]
fn a_frame_like_one_before_allocates_nothing() {
    let mut outlines = Outlines::default();
    for k in 0..4 {
        outlines.push(&[wavy(150, Vec2::new(1.5 * f64::from(k), 0.0))]).unwrap();
    }
    let rest = outlines.points().to_vec();
    let question = ProximityQuery { error: 0.01, contact_distance: 0.02, flags: QueryFlags::ALL };
    let settings = LocalizeSettings::default();
    let (mut near, mut exact) = (NearPairs::default(), Exact::default());
    let (mut localizer, mut answers) = (Localizer::default(), Vec::new());
    // Twice through the same motion: all memory is grown after the first time.
    let mut calls = [0; 2];
    for round in &mut calls {
        let before = CALLS.get();
        for frame in 0..10 {
            let sway = |at: usize| 0.05 * f64::from(frame) * Vec2::new(0.0, (at / 150) as f64);
            let moved = outlines.points_mut().iter_mut().zip(&rest).enumerate();
            moved.for_each(|(at, (point, rest))| *point = *rest + sway(at));
            let pairs = near.find(&outlines, question.contact_distance);
            exact.query(&outlines, pairs, &question, &mut answers).unwrap();
            for &pair in pairs {
                assert!(!localizer.boundaries(&outlines, pair, 0.02, settings).is_empty());
                assert!(!localizer.volumes(&outlines, pair, settings).is_empty());
                assert!(!localizer.closest(&outlines, pair, settings).is_empty());
            }
        }
        *round = CALLS.get() - before;
    }
    assert!(answers.iter().all(|answer| !answer.penetration.is_empty()), "nothing was asked");
    assert!(calls[0] > 0 && calls[1] == 0, "{calls:?} allocations");
}
