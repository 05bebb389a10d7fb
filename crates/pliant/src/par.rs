//! Threads, in one place: whatever their number, results are those of one.
//!
//! Work is cut into shares by index and each share owns its memory, so nothing depends on
//! which thread is first.

/// Calls `act` for every share, at the same time where the feature `parallel` is on.
pub fn each<T: Send>(shares: &mut [T], act: impl Fn(&mut T) + Sync + Send) {
    #[cfg(feature = "parallel")]
    if shares.len() > 1 {
        use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
        shares.par_iter_mut().for_each(act);
        return;
    }
    shares.iter_mut().for_each(act);
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_share_is_done_once() {
        let mut shares = vec![1, 2, 3];
        super::each(&mut shares, |share| *share *= 2);
        assert_eq!(shares, [2, 4, 6]);
    }
}
