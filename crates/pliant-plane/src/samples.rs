//! How many samples a stretch of boundary inside the other outline gets.
//!
//! Samples stand at most four errors apart, so that every boundary point deeper than two
//! errors has a reported point within two errors.

use super::{Notice, ProximityResult};

/// Most samples of the boundary for one pair.
pub const MOST_SAMPLES: usize = 1 << 20;

/// Most errors between neighbouring samples: from the middle, two to either.
pub const SPACING: f64 = 4.0;

/// Parts that a stretch of a length, m, falls into, one or more.
///
/// A sample stands wherever one part ends and the next begins.
pub fn parts(length: f64, error: f64) -> f64 {
    (length / (SPACING * error)).ceil().max(1.0)
}

/// Adds a notice to a complete result where samples were left out.
///
/// `asked` is the number of samples that the error, m, requires.
pub fn describe(asked: f64, error: f64, answer: &mut ProximityResult) {
    if asked > MOST_SAMPLES as f64 {
        let kept = answer.penetration.len();
        answer.notices.push(Notice::FewerSamples { error, count: asked, kept });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_four_errors_apart_or_less() {
        // ceil(L / 4D) parts: a stretch of four errors needs no sample, one of five one.
        let expected = [(0.0, 1.0), (4.0, 1.0), (5.0, 2.0), (8.0, 2.0), (8.5, 3.0)];
        for (length, count) in expected {
            assert_eq!(parts(length * 0.25, 0.25), count);
        }
    }

    #[test]
    fn only_samples_left_out_are_told() {
        let mut answer = ProximityResult::default();
        describe(MOST_SAMPLES as f64, 0.5, &mut answer);
        assert!(answer.notices.is_empty());
        let count = MOST_SAMPLES as f64 + 1.0;
        describe(count, 0.5, &mut answer);
        assert_eq!(answer.notices, [Notice::FewerSamples { error: 0.5, count, kept: 0 }]);
    }
}
