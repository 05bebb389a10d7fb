//! Broad phase: the pairs of bodies whose boxes meet.

use crate::detect::boxes::Bounds;
use crate::id::BodyId;
use crate::mesh::topology::Csr;

/// Width of a strip over the mean width of the boxes.
const WIDE: f32 = 2.0;

/// Strips at most.
const MOST_STRIPS: f32 = 4096.0;

/// For each body the others whose boxes meet its own, ascending.
///
/// Sorted along x and swept: every body meets only those that begin before it ends. That is done
/// in strips across y, as in a wide scene many are beside each other that are far apart.
pub fn neighbours(boxes: &[Bounds], scratch: &mut Sweep, found: &mut Csr<BodyId>) {
    let Sweep { order, pairs, sorted, starts } = scratch;
    let strips = Strips::of(boxes);
    order.clear();
    for (body, own) in boxes.iter().enumerate().filter(|(_, own)| has_room(own)) {
        let [first, last] = [own.low.y, own.high.y].map(|y| strips.at(y));
        let along = ascending(own.low.x);
        order.extend((first..=last).map(|strip| (strip, along, body as u32)));
    }
    order.sort_unstable();
    pairs.clear();
    for strip in order.chunk_by(|a, b| a.0 == b.0) {
        for (place, &(number, _, a)) in strip.iter().enumerate() {
            let near = boxes[a as usize];
            let is_first = strips.at(near.low.y) == number;
            for &(_, _, b) in &strip[place + 1..] {
                let other = boxes[b as usize];
                if other.low.x > near.high.x {
                    break;
                }
                // Both may share several strips; the pair belongs to the first.
                if near.meets(other) && (is_first || strips.at(other.low.y) == number) {
                    pairs.push((a, BodyId(b)));
                    pairs.push((b, BodyId(a)));
                }
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

/// Strips of one width across y, from the lowest box on.
#[derive(Clone, Copy, Debug)]
struct Strips {
    base: f32,
    inv_width: f32,
}

impl Strips {
    /// Strips that few of these boxes share.
    fn of(boxes: &[Bounds]) -> Strips {
        let (mut low, mut high, mut sum, mut count) = (f32::INFINITY, f32::NEG_INFINITY, 0.0, 0.0);
        for own in boxes.iter().filter(|own| has_room(own)) {
            (low, high) = (low.min(own.low.y), high.max(own.high.y));
            sum += own.high.y - own.low.y;
            count += 1.0;
        }
        let width = (WIDE * sum / count).max((high - low) / MOST_STRIPS);
        // One strip where nothing is known, or where boxes are larger than a number can be.
        let inv_width = width.recip();
        let is_known = width > 0.0 && inv_width > 0.0 && inv_width.is_finite();
        Strips { base: low, inv_width: if is_known { inv_width } else { 0.0 } }
    }

    /// Number of the strip of a coordinate; never less for a larger one.
    #[inline]
    fn at(self, y: f32) -> u32 {
        (((y - self.base) * self.inv_width) as u32).min(MOST_STRIPS as u32)
    }
}

/// Whether a box holds anything along x and y: that of no points does not, nor one with NaN.
fn has_room(own: &Bounds) -> bool {
    own.low.x <= own.high.x && own.low.y <= own.high.y
}

/// A number whose order is that of `value`.
#[inline]
fn ascending(value: f32) -> i32 {
    let bits = value.to_bits() as i32;
    bits ^ ((bits >> 31) as u32 >> 1) as i32
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
    /// Strip, place along x, and body.
    order: Vec<(u32, i32, u32)>,
    pairs: Vec<(u32, BodyId)>,
    sorted: Vec<(u32, BodyId)>,
    starts: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec4;
    use crate::math::random::Random;

    #[test]
    fn strips_ascend_whatever_the_boxes() {
        let at = |y: f32| Vec4::new(0.0, y, 0.0, 0.0);
        let of = |from: f32, to: f32| Bounds { low: at(from), high: at(to) };
        for boxes in [
            vec![],
            vec![of(1.0, 1.0)],
            vec![of(-1.0, 0.0), of(3.0, 4.5)],
            vec![of(f32::MIN, f32::MAX), of(0.0, 1.0)],
            vec![of(1e30, 2e30), of(-3e38, -2e38)],
            vec![of(0.0, 1e-40), of(0.0, 2e-40)], // the reciprocal of the width is infinite
            vec![of(0.0, 1e-6), of(1e30, f32::NAN), of(0.0, 1e30)],
        ] {
            let strips = Strips::of(&boxes);
            let places = [f32::MIN, -2e38, -1.0, 0.0, 1.0, 3.0, 4.5, 1e30, f32::MAX];
            let numbers = places.map(|y| strips.at(y));
            assert!(numbers.is_sorted(), "{boxes:?} {numbers:?}");
            let own = boxes.iter().filter(|own| has_room(own));
            let own = own.map(|own| strips.at(own.high.y) - strips.at(own.low.y));
            assert!(own.max().unwrap_or(0) <= MOST_STRIPS as u32);
        }
        let values = [f32::NEG_INFINITY, -1.5, -1e-40, -0.0, 0.0, 1e-40, 2.0, f32::INFINITY];
        assert!(values.map(ascending).is_sorted());
    }

    #[test]
    fn rows_hold_every_other_body_whose_box_meets_and_ascend() {
        let mut random = Random::new(1);
        let mut boxes: Vec<Bounds> = (0..60)
            .map(|_| {
                let low = random.point().as_vec3().extend(0.0);
                Bounds { low, high: low + 0.3 * random.unit() as f32 }
            })
            .collect();
        // One that many strips share, and one that is thin.
        let low = boxes[7].low;
        boxes.push(Bounds { low: low - 0.4, high: low + 0.8 });
        boxes.push(Bounds { low, high: low });
        boxes.push(Bounds::EMPTY);
        // One that ends before it begins, far away: it must not take memory for all between.
        boxes.push(Bounds { low: Vec4::ONE, high: Vec4::new(2.0, -1e30, 2.0, 0.0) });
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
