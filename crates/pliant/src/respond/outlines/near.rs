//! Which outlines may meet: their boxes do.

use crate::math::Vec2;
use crate::proximity2d::Pair;
use crate::proximity2d::outline::Outlines;

/// A box in the plane, corners included, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Space {
    /// Smallest coordinates, m; infinite in an empty box.
    pub min: Vec2,
    /// Largest coordinates, m.
    pub max: Vec2,
}

impl Space {
    /// The smallest box around points.
    pub fn around(points: impl IntoIterator<Item = Vec2>) -> Space {
        let empty = Space { min: Vec2::INFINITY, max: Vec2::NEG_INFINITY };
        points.into_iter().fold(empty, |space, point| Space {
            min: space.min.min(point),
            max: space.max.max(point),
        })
    }

    /// Sides, m; zero of an empty box.
    pub fn size(&self) -> Vec2 {
        (self.max - self.min).max(Vec2::ZERO)
    }

    /// Whether two boxes are at most `reach` m apart along each axis.
    pub fn meets(&self, other: &Space, reach: f64) -> bool {
        (self.min - other.max).max(other.min - self.max).max_element() <= reach
    }
}

/// Finds pairs by a sweep along x.
#[derive(Clone, Debug, Default)]
pub struct Near {
    /// Outlines that pass through each other, the smaller number first, ascending.
    apart: Vec<(u32, u32)>,
    spaces: Vec<Space>,
    /// Outlines by the left end of their boxes.
    order: Vec<u32>,
    pairs: Vec<Pair>,
}

impl Near {
    /// Leaves out these pairs of outlines.
    pub fn new(mut apart: Vec<(u32, u32)>) -> Near {
        apart.iter_mut().for_each(|pair| *pair = (pair.0.min(pair.1), pair.0.max(pair.1)));
        apart.sort_unstable();
        Near { apart, ..Near::default() }
    }

    /// Pairs found, the smaller number first, ascending.
    pub fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// The box of an outline as last seen, m.
    pub fn space(&self, outline: usize) -> &Space {
        &self.spaces[outline]
    }

    /// Finds all pairs whose boxes are at most `reach` m apart.
    pub fn find(&mut self, outlines: &Outlines, reach: f64) {
        let Near { apart, spaces, order, pairs } = self;
        let points = outlines.points();
        spaces.clear();
        spaces.extend(
            (0..outlines.len())
                .map(|outline| Space::around(points[outlines.range(outline)].iter().copied())),
        );
        if order.len() != spaces.len() {
            order.clear();
            order.extend(0..spaces.len() as u32);
        }
        order.sort_unstable_by(|a, b| {
            let left = |outline: u32| spaces[outline as usize].min.x;
            left(*a).total_cmp(&left(*b)).then(a.cmp(b))
        });
        pairs.clear();
        for (k, &first) in order.iter().enumerate() {
            let space = &spaces[first as usize];
            for &second in &order[k + 1..] {
                let other = &spaces[second as usize];
                if other.min.x - space.max.x > reach {
                    break;
                }
                let (a, b) = (first.min(second), first.max(second));
                if space.meets(other, reach) && apart.binary_search(&(a, b)).is_err() {
                    pairs.push(Pair { a, b });
                }
            }
        }
        pairs.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(corners: &[[f64; 2]]) -> Outlines {
        let mut outlines = Outlines::default();
        for corner in corners {
            let at = |x: f64, y: f64| Vec2::from(*corner) + Vec2::new(x, y);
            outlines.push(&[vec![at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0), at(0.0, 1.0)]]).unwrap();
        }
        outlines
    }

    #[test]
    fn the_sweep_finds_what_every_pair_of_boxes_tells() {
        let mut state = 7_u64;
        let mut random = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            10.0 * ((state >> 33) as f64 / (1_u64 << 31) as f64)
        };
        let corners: Vec<[f64; 2]> = (0..60).map(|_| [random(), random()]).collect();
        let outlines = squares(&corners);
        let mut near = Near::new(vec![(9, 3)]);
        for reach in [0.0, 0.5] {
            near.find(&outlines, reach);
            let mut expected = Vec::new();
            for a in 0..60_u32 {
                for b in a + 1..60 {
                    let [p, q] = [a, b].map(|k| Vec2::from(corners[k as usize]));
                    let meets = (p - q).abs().max_element() <= 1.0 + reach;
                    expected.extend((meets && (a, b) != (3, 9)).then_some(Pair { a, b }));
                }
            }
            assert_eq!(near.pairs(), expected);
            assert!(expected.len() > 20);
        }
    }

    #[test]
    fn touching_boxes_meet() {
        let outlines = squares(&[[0.0, 0.0], [1.0, 1.0], [2.5, 1.0]]);
        let mut near = Near::default();
        near.find(&outlines, 0.0);
        assert_eq!(near.pairs(), [Pair { a: 0, b: 1 }]);
    }
}
