//! Triangles around one edge, grouped by the half-plane in which they lie.
//!
//! Two triangles on an edge overlap only when they lie in one half-plane. Sorted around the edge
//! by exact signs, those stand side by side: n triangles take n log n tests, not n².

use crate::math::{Vec3, orient3d};
use crate::mesh::intersect::meet_beyond_edge;

/// The number of the half-plane of each tip, equal where two tips lie in the same one.
///
/// No tip may lie on the line of the edge.
pub(crate) fn half_planes(edge: [Vec3; 2], tips: &[Vec3]) -> Vec<u32> {
    let Some(&start) = tips.first() else { return Vec::new() };
    // Quarters of the turn from the first tip: at it, before the opposite, at that, beyond.
    let quarter = |tip: Vec3| {
        let turn = orient3d(edge[0], edge[1], start, tip);
        if turn > 0.0 {
            1
        } else if turn < 0.0 {
            3
        } else if meet_beyond_edge(edge, start, tip) {
            0
        } else {
            2
        }
    };
    let quarters: Vec<u8> = tips.iter().map(|tip| quarter(*tip)).collect();
    let turn = |a: usize, b: usize| orient3d(edge[0], edge[1], tips[a], tips[b]);
    let is_after = |a: usize, b: usize| {
        quarters[a] > quarters[b]
            || quarters[a] == quarters[b] && quarters[a] % 2 == 1 && turn(a, b) < 0.0
    };
    let order = sorted_by(tips.len(), is_after);
    let mut numbers = vec![0; tips.len()];
    for pair in order.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        numbers[b] = numbers[a] + u32::from(is_after(b, a));
    }
    numbers
}

/// The numbers below `count` in the order that `is_after` gives, equal ones ascending.
///
/// A merge sort of our own: signs that underflow may contradict each other, and then the
/// sorting of the standard library may panic.
fn sorted_by(count: usize, is_after: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut merged = Vec::with_capacity(count);
    let mut width = 1;
    while width < count {
        merged.clear();
        for pair in order.chunks(2 * width) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let (Some((&a, rest_a)), Some((&b, rest_b))) =
                (left.split_first(), right.split_first())
            {
                if is_after(a, b) {
                    merged.push(b);
                    right = rest_b;
                } else {
                    merged.push(a);
                    left = rest_a;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        std::mem::swap(&mut order, &mut merged);
        width *= 2;
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    #[test]
    fn tips_share_a_number_where_every_pair_test_finds_them_in_one_half_plane() {
        let mut random = Random::new(23);
        for _ in 0..300 {
            // A lattice, so that half-planes coincide often and opposite ones too.
            let edge = [random.lattice_point(3), random.lattice_point(3) + Vec3::Z * 3.0];
            let off_line = |tip: &Vec3| (edge[1] - edge[0]).cross(*tip - edge[0]) != Vec3::ZERO;
            let tips: Vec<Vec3> =
                (0..40).map(|_| random.lattice_point(7) - 2.0).filter(off_line).collect();
            let numbers = half_planes(edge, &tips);
            for (a, tip) in tips.iter().enumerate() {
                for (b, other) in tips.iter().enumerate().filter(|(b, _)| *b != a) {
                    let together = meet_beyond_edge(edge, *tip, *other);
                    assert_eq!(numbers[a] == numbers[b], together, "{edge:?} {tip} {other}");
                }
            }
        }
    }

    #[test]
    fn contradicting_signs_only_give_some_order() {
        let order = sorted_by(100, |a, b| (a * 7 + b * 13) % 3 == 0);
        let mut all = order.clone();
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
        assert_eq!(sorted_by(5, |a, b| a < b), [4, 3, 2, 1, 0]);
        assert!(half_planes([Vec3::ZERO, Vec3::Z], &[]).is_empty());
    }
}
