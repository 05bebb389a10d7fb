//! Broad phase for outlines: a sweep over their boxes.
//!
//! Boxes are sorted by their left side and swept from left to right; what is still open
//! when a box begins is compared with it. Nothing is kept from one frame to the next but
//! memory, so outlines may move and change freely.

use super::Pair;
use super::outline::Outlines;
use super::rect::Rect;

/// Finds pairs of near outlines; keeps its memory from call to call.
#[derive(Clone, Debug, Default)]
pub struct NearPairs {
    /// Box of each outline, m.
    boxes: Vec<Rect>,
    /// Outlines by the left side of their boxes.
    order: Vec<u32>,
    /// Those begun and not known to have ended.
    open: Vec<u32>,
    /// Excluded pairs, a below b, ascending.
    apart: Vec<Pair>,
    /// What was found.
    pairs: Vec<Pair>,
}

impl NearPairs {
    /// Finds all but these pairs; which of the two comes first does not matter.
    pub fn without(apart: impl IntoIterator<Item = Pair>) -> NearPairs {
        let ordered = |Pair { a, b }: Pair| Pair { a: a.min(b), b: a.max(b) };
        let mut apart: Vec<Pair> = apart.into_iter().map(ordered).collect();
        apart.sort_unstable();
        NearPairs { apart, ..NearPairs::default() }
    }

    /// All pairs whose boxes are at most `margin`, m, apart along both axes, a below b.
    ///
    /// In ascending order. Outlines with points that are not finite may be left out.
    pub fn find(&mut self, outlines: &Outlines, margin: f64) -> &[Pair] {
        let NearPairs { boxes, order, open, apart, pairs } = self;
        boxes.clear();
        boxes.extend((0..outlines.len()).map(|at| Rect::of_segments(outlines, outlines.range(at))));
        order.clear();
        order.extend(0..boxes.len() as u32);
        let left = |at: u32| boxes[at as usize].min.x;
        order.sort_unstable_by(|&p, &q| left(p).total_cmp(&left(q)).then(p.cmp(&q)));
        open.clear();
        pairs.clear();
        for &next in order.iter() {
            let reach = boxes[next as usize].grown(margin);
            open.retain(|&other| boxes[other as usize].max.x >= reach.min.x);
            for &other in open.iter() {
                let pair = Pair { a: next.min(other), b: next.max(other) };
                if boxes[other as usize].meets(&reach) && apart.binary_search(&pair).is_err() {
                    pairs.push(pair);
                }
            }
            open.push(next);
        }
        pairs.sort_unstable();
        pairs
    }

    /// The pairs found last.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The outlines' boxes at the last search, m.
    pub fn boxes(&self) -> &[Rect] {
        &self.boxes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::math::Vec2;
    use proptest::prelude::*;

    /// All pairs of boxes, one after the other.
    fn plain(outlines: &Outlines, margin: f64) -> Vec<Pair> {
        let boxed = |at: u32| Rect::of_segments(outlines, outlines.range(at as usize));
        let count = outlines.len() as u32;
        let all = (0..count).flat_map(|a| (a + 1..count).map(move |b| Pair { a, b }));
        all.filter(|pair| boxed(pair.a).grown(margin).meets(&boxed(pair.b))).collect()
    }

    fn triangles(corners: &[(f64, f64, f64)]) -> Outlines {
        let mut outlines = Outlines::default();
        for &(x, y, size) in corners {
            let points = [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)];
            let ring = points.map(|(u, v)| Vec2::new(x + size * u, y + size * v));
            outlines.push(&[ring.to_vec()]).unwrap();
        }
        outlines
    }

    #[test]
    fn boxes_that_touch_are_near_and_a_margin_reaches_as_far_as_it_says() {
        let outlines = triangles(&[(2.0, 0.0, 1.0), (0.0, 0.0, 1.0), (1.0, 0.5, 1.0)]);
        let mut near = NearPairs::default();
        let [one, two, three] = [(0, 1), (0, 2), (1, 2)].map(|(a, b)| Pair { a, b });
        assert_eq!(near.find(&outlines, 0.0), [two, three]);
        assert_eq!(near.find(&outlines, 0.5), [two, three]);
        assert_eq!(near.find(&outlines, 1.0), [one, two, three]);
        assert_eq!(near.find(&Outlines::default(), 1.0), []);
        assert!(near.pairs().is_empty());
    }

    #[test]
    fn pairs_to_be_left_out_are_not_told_in_either_order() {
        let outlines = triangles(&[(2.0, 0.0, 1.0), (0.0, 0.0, 1.0), (1.0, 0.5, 1.0)]);
        let mut near = NearPairs::without([Pair { a: 2, b: 1 }, Pair { a: 0, b: 1 }]);
        assert_eq!(near.find(&outlines, 1.0), [Pair { a: 0, b: 2 }]);
        assert_eq!(near.pairs(), [Pair { a: 0, b: 2 }]);
    }

    proptest! {
        #[test]
        fn a_sweep_finds_what_all_pairs_find(
            corners in prop::collection::vec((-5.0..5.0, -5.0..5.0, 0.01..2.0), 0..40),
            margin in 0.0..1.0,
        ) {
            let outlines = triangles(&corners);
            let mut near = NearPairs::default();
            for margin in [margin, 0.0, 1e300] {
                prop_assert_eq!(near.find(&outlines, margin), plain(&outlines, margin));
            }
        }
    }
}
