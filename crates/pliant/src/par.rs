//! Threads, in one place: results do not depend on their number.
//!
//! Work is split into chunks by index and each chunk owns its memory, so nothing depends on
//! which thread is first.

use std::ops::Range;

/// Calls `act` for every item, in parallel where the feature `parallel` is on.
pub(crate) fn each<T: Send>(shares: &mut [T], act: impl Fn(&mut T) + Sync + Send) {
    #[cfg(feature = "parallel")]
    if shares.len() > 1 {
        use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
        shares.par_iter_mut().for_each(act);
        return;
    }
    shares.iter_mut().for_each(act);
}

/// Calls `act` for every chunk of an array between two offsets, with its number.
///
/// `offsets` ascend from 0 to the length of the array; those beyond it make empty chunks, and
/// the last chunk goes to its end. Allocates nothing.
pub fn chunks<T: Send>(
    array: &mut [T],
    offsets: &[usize],
    act: impl Fn(usize, &mut [T]) + Sync + Send,
) {
    // Units take no memory.
    let count = offsets.len().saturating_sub(1);
    chunks_with(array, offsets, &mut vec![(); count], |(), number, chunk| act(number, chunk));
}

/// The same with something of its own for each chunk, as scratch memory: one for each, or more.
pub(crate) fn chunks_with<T: Send, W: Send>(
    array: &mut [T],
    offsets: &[usize],
    own: &mut [W],
    act: impl Fn(&mut W, usize, &mut [T]) + Sync + Send,
) {
    let count = offsets.len().saturating_sub(1).min(own.len());
    halves(array, offsets, own, 0..count, &act);
}

/// The chunks of a range of numbers; `array` and `own` begin at the first of them.
fn halves<T: Send, W: Send>(
    array: &mut [T],
    offsets: &[usize],
    own: &mut [W],
    numbers: Range<usize>,
    act: &(impl Fn(&mut W, usize, &mut [T]) + Sync + Send),
) {
    if numbers.len() == 1 {
        return own.iter_mut().take(1).for_each(|own| act(own, numbers.start, array));
    }
    if numbers.is_empty() {
        return;
    }
    let half = numbers.len() / 2;
    let middle = numbers.start + half;
    let low = offsets[middle].saturating_sub(offsets[numbers.start]).min(array.len());
    let (low, high) = array.split_at_mut(low);
    let (low_own, high_own) = own.split_at_mut(half);
    let low = || halves(low, offsets, low_own, numbers.start..middle, act);
    let high = || halves(high, offsets, high_own, middle..numbers.end, act);
    both(low, high);
}

/// Calls both, in parallel where the feature `parallel` is on.
pub fn both(a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    #[cfg(feature = "parallel")]
    rayon::join(a, b);
    #[cfg(not(feature = "parallel"))]
    {
        a();
        b();
    }
}

/// Calls `act` on a worker thread where more than one is asked for.
///
/// There what is split is handed on in a microsecond; from any other thread it takes a worker that
/// wakes up, and this one to sleep and wake up again.
pub(crate) fn on_workers<T: Send>(threads: usize, act: impl FnOnce() -> T + Send) -> T {
    #[cfg(feature = "parallel")]
    if threads > 1 {
        return rayon::scope(|_| act());
    }
    act()
}

/// The greatest of the values of runs of so many items, at least 0, split over threads.
pub(crate) fn greatest(
    items: Range<usize>,
    threads: usize,
    of: &(impl Fn(Range<usize>) -> f64 + Sync),
) -> f64 {
    if threads < 2 || items.len() < threads {
        return of(items).max(0.0);
    }
    let (middle, half) = (items.start + items.len() / 2, threads / 2);
    let (mut low, mut high) = (0.0, 0.0);
    both(
        || low = greatest(items.start..middle, half, of),
        || high = greatest(middle..items.end, threads - half, of),
    );
    low.max(high)
}

/// Most threads that are worth their memory, whatever is asked for.
const MOST_THREADS: usize = 4096;

/// A number of threads for so many items: at least 1, and of use.
pub(crate) fn useful_threads(threads: usize, items: usize) -> usize {
    threads.min(items).clamp(1, MOST_THREADS)
}

/// Offsets that split `count` items evenly into one chunk per thread.
pub(crate) fn even_offsets(count: usize, threads: usize) -> Vec<usize> {
    let mut offsets = Vec::new();
    split_evenly(&mut offsets, count, threads);
    offsets
}

/// The same, written over other offsets, whose memory is reused.
pub(crate) fn split_evenly(offsets: &mut Vec<usize>, count: usize, threads: usize) {
    let threads = threads.clamp(1, MOST_THREADS);
    offsets.clear();
    // One by one the shares need no product, which could overflow.
    let (share, left) = (count / threads, count % threads);
    offsets.extend((0..=threads).map(|k| share * k + left * k / threads));
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    #[test]
    fn every_share_is_done_once() {
        let mut shares = vec![1, 2, 3];
        super::each(&mut shares, |share| *share *= 2);
        assert_eq!(shares, [2, 4, 6]);
    }

    #[test]
    fn the_greatest_is_that_of_all_whatever_the_threads() {
        let values = [1.0, -3.0, 7.0, 2.0, 6.5_f64];
        for threads in 0..8 {
            let of = |own: Range<usize>| values[own].iter().copied().fold(0.0, f64::max);
            assert_eq!(super::greatest(0..5, threads, &of), 7.0);
            assert_eq!(super::greatest(3..5, threads, &of), 6.5);
            assert_eq!(super::greatest(2..2, threads, &of), 0.0);
        }
    }

    #[test]
    fn every_piece_knows_its_number() {
        for threads in 1..6 {
            let offsets = super::even_offsets(7, threads);
            let mut array = [0; 7];
            super::chunks(&mut array, &offsets, |number, piece| {
                assert_eq!(piece.len(), offsets[number + 1] - offsets[number]);
                piece.iter_mut().for_each(|value| *value += number + 1);
            });
            let expected: Vec<_> =
                (0..7).map(|k| offsets.iter().filter(|cut| **cut <= k).count()).collect();
            assert_eq!(array.to_vec(), expected);
        }
    }
}
