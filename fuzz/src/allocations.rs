//! What is allocated now and was at most, to hold readers to their bound of memory.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes beyond which an allocation fails, so that a machine with others on it survives.
const MOST: usize = 8 << 30;

#[global_allocator]
static COUNTING: Counting = Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);

static PEAK: AtomicUsize = AtomicUsize::new(0);

/// Held by tests that measure or allocate much: the counts are of the whole process.
#[cfg(test)]
pub static ALONE: std::sync::Mutex<()> = std::sync::Mutex::new(());

/// What is allocated now, bytes; the peak starts again from here.
pub fn restart() -> usize {
    let live = LIVE.load(Ordering::Relaxed);
    PEAK.store(live, Ordering::Relaxed);
    live
}

/// Most that was allocated at one time since the restart, bytes.
pub fn peak() -> usize {
    PEAK.load(Ordering::Relaxed)
}

fn add(size: usize) -> usize {
    let live = LIVE.fetch_add(size, Ordering::Relaxed) + size;
    PEAK.fetch_max(live, Ordering::Relaxed);
    live
}

/// The system's allocator, counted.
struct Counting;

#[expect(unsafe_code, reason = "an allocator is unsafe by its trait; all is passed on as it came")]
// SAFETY: every call goes to the system's allocator with the arguments that it came with, or fails.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if add(layout.size()) > MOST {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps the rules of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if add(layout.size()) > MOST {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps the rules of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `place` came from the system's allocator with this layout.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both may be there while it is copied.
        if add(size) > MOST {
            return std::ptr::null_mut();
        }
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `place` came from the system's allocator with this layout.
        unsafe { System.realloc(place, layout, size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peak_outlives_what_made_it() {
        let _alone = ALONE.lock();
        let before = restart();
        drop(std::hint::black_box(vec![1_u8; 10 << 20]));
        assert!(peak() - before >= 10 << 20);
    }
}
