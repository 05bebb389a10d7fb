//! The rotations nearest to four matrices at once.

use super::{LAST_STEP_SQ, MOST_STEPS, NORMS_SQ, ROUND};
use crate::math::lanes::{LaneMask, Lanes, Lanes33};

/// The rotations that [`super::rotation`] finds quickly, and in which lanes it does.
///
/// The same bits as one by one; other lanes hold anything.
#[inline(always)]
pub(crate) fn rotations(matrix: &Lanes33) -> (Lanes33, LaneMask) {
    let norm_sq =
        matrix.0[0].dot(matrix.0[0]) + matrix.0[1].dot(matrix.0[1]) + matrix.0[2].dot(matrix.0[2]);
    let below = |limit: f64| norm_sq.is_below(Lanes::splat(limit));
    let mut active = below(NORMS_SQ.start).not().and(below(NORMS_SQ.end));
    let mut now = (Lanes::splat(3.0) / norm_sq).sqrt() * *matrix;
    let mut found = LaneMask::NONE;
    for _ in 0..MOST_STEPS {
        if !active.any() {
            break;
        }
        let cofactors = now.cofactors();
        let det = now.0[0].dot(cofactors.0[0]);
        active = active.and(Lanes::splat(ROUND).is_below(det));
        let next = Lanes::splat(0.5) * now + (Lanes::splat(0.5) / det) * cofactors;
        let [x, y, z] = (next - now).0;
        let moved_sq = x.dot(x) + y.dot(y) + z.dot(z);
        now = Lanes33::select(active, &next, &now);
        let arrived = active.and(moved_sq.is_below(Lanes::splat(LAST_STEP_SQ)));
        found = found.or(arrived);
        active = active.and(arrived.not());
    }
    (now, found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Mat3;
    use crate::math::lanes::WIDTH;
    use crate::math::polar::quick_rotation;
    use crate::math::random::Random;
    use crate::math::svd::tests::some_matrices;

    #[test]
    fn four_at_once_are_the_same_bits_as_one_by_one() {
        let mut random = Random::new(31);
        let mut near = || {
            let mut any = || 0.6 * random.vec3();
            Mat3::IDENTITY + Mat3::from_cols(any(), any(), any())
        };
        let mut all: Vec<Mat3> = (0..400).map(|_| near()).collect();
        // Beside those that have no quick one, or a slow one.
        all.extend(
            some_matrices().into_iter().zip(std::iter::repeat_with(near)).flat_map(<[_; 2]>::from),
        );
        let mut quick = 0;
        for four in all.as_chunks::<WIDTH>().0 {
            let (rotations, found) = rotations(&Lanes33::of(|k| four[k]));
            for (k, matrix) in four.iter().enumerate() {
                let expected = quick_rotation(*matrix);
                assert_eq!(found.lane(k).then(|| rotations.lane(k)), expected, "{matrix}");
                quick += usize::from(expected.is_some());
            }
        }
        assert!(quick > 300, "{quick}");
    }
}
