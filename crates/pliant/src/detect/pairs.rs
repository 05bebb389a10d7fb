//! Broad phase: the pairs of bodies whose boxes meet.

use crate::detect::boxes::Bounds;
use crate::id::BodyId;
use crate::mesh::topology::Csr;

/// For each body the others whose boxes meet its own, ascending.
///
/// Sorted along x and swept: every body meets only those that begin before it ends.
pub fn neighbours(boxes: &[Bounds], scratch: &mut Sweep, found: &mut Csr<BodyId>) {
    let Sweep { order, pairs, sorted, starts } = scratch;
    order.clear();
    order.extend(
        (0..boxes.len() as u32).filter(|&b| boxes[b as usize].low.x <= boxes[b as usize].high.x),
    );
    order.sort_unstable_by(|&a, &b| {
        boxes[a as usize].low.x.total_cmp(&boxes[b as usize].low.x).then(a.cmp(&b))
    });
    pairs.clear();
    for (place, &a) in order.iter().enumerate() {
        let near = boxes[a as usize];
        for &b in &order[place + 1..] {
            let other = boxes[b as usize];
            if other.low.x > near.high.x {
                break;
            }
            if near.meets(other) {
                pairs.push((a, BodyId(b)));
                pairs.push((b, BodyId(a)));
            }
        }
    }
    // Pairs are symmetric: sorted by one body and then, which keeps that order, by the other,
    // rows ascend in both.
    bucket(boxes.len(), pairs, starts, sorted);
    pairs.iter_mut().zip(&*sorted).for_each(|(pair, &(a, b))| *pair = (b.0, BodyId(a)));
    bucket(boxes.len(), pairs, starts, sorted);
    found.refill(boxes.len(), sorted);
}

/// Stable sort of pairs by their first numbers, which are below `count`.
fn bucket(
    count: usize,
    pairs: &[(u32, BodyId)],
    starts: &mut Vec<u32>,
    sorted: &mut Vec<(u32, BodyId)>,
) {
    starts.clear();
    starts.resize(count + 1, 0);
    pairs.iter().for_each(|pair| starts[pair.0 as usize + 1] += 1);
    for index in 0..count {
        starts[index + 1] += starts[index];
    }
    sorted.clear();
    sorted.resize(pairs.len(), (0, BodyId(0)));
    for &pair in pairs {
        let next = &mut starts[pair.0 as usize];
        sorted[*next as usize] = pair;
        *next += 1;
    }
}

/// Scratch memory of [`neighbours`].
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    order: Vec<u32>,
    pairs: Vec<(u32, BodyId)>,
    sorted: Vec<(u32, BodyId)>,
    starts: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    #[test]
    fn rows_hold_every_other_body_whose_box_meets_and_ascend() {
        let mut random = Random::new(1);
        let mut boxes: Vec<Bounds> = (0..60)
            .map(|_| {
                let low = random.point().as_vec3().extend(0.0);
                Bounds { low, high: low + 0.3 * random.unit() as f32 }
            })
            .collect();
        boxes.push(Bounds::EMPTY);
        let (mut sweep, mut found) = (Sweep::default(), Csr::default());
        for _ in 0..2 {
            neighbours(&boxes, &mut sweep, &mut found);
            for a in 0..boxes.len() {
                let near = |b: &usize| *b != a && boxes[a].meets(boxes[*b]);
                let expected: Vec<_> =
                    (0..boxes.len()).filter(near).map(|b| BodyId(b as u32)).collect();
                assert_eq!(found.row(a), expected);
            }
        }
        assert!(found.iter().any(|row| row.len() > 2));
    }
}
