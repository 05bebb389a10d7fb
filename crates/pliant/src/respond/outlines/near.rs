//! Which outlines may meet, for measurements of overlap: a face of [`NearPairs`].

use crate::math::Vec2;
use crate::proximity2d::Pair;
use crate::proximity2d::outline::Outlines;
use crate::proximity2d::pairs::NearPairs;
use crate::proximity2d::rect::Rect;

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
        Space::from(Rect::around(points))
    }

    /// Whether two boxes are at most `reach` m apart along each axis.
    pub fn meets(&self, other: &Space, reach: f64) -> bool {
        let [own, other] = [self, other].map(|space| Rect { min: space.min, max: space.max });
        own.grown(reach).meets(&other)
    }
}

impl From<Rect> for Space {
    fn from(Rect { min, max }: Rect) -> Space {
        Space { min, max }
    }
}

/// Finds pairs; keeps its memory.
#[derive(Clone, Debug, Default)]
pub struct Near {
    /// Who finds them.
    found: NearPairs,
    /// Box of each outline as last seen, m.
    spaces: Vec<Space>,
}

impl Near {
    /// Pairs found, the smaller number first, ascending.
    pub fn pairs(&self) -> &[Pair] {
        self.found.pairs()
    }

    /// The box of an outline as last seen, m.
    pub fn space(&self, outline: usize) -> &Space {
        &self.spaces[outline]
    }

    /// Finds all pairs whose boxes are at most `reach` m apart.
    pub fn find(&mut self, outlines: &Outlines, reach: f64) {
        self.found.find(outlines, reach);
        self.spaces.clear();
        self.spaces.extend(self.found.boxes().iter().copied().map(Space::from));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_boxes_meet() {
        let mut outlines = Outlines::default();
        for corner in [[0.0, 0.0], [1.0, 1.0], [2.5, 1.0]] {
            let at = |x: f64, y: f64| Vec2::from(corner) + Vec2::new(x, y);
            outlines.push(&[vec![at(0.0, 0.0), at(1.0, 0.0), at(1.0, 1.0), at(0.0, 1.0)]]).unwrap();
        }
        let mut near = Near::default();
        near.find(&outlines, 0.0);
        assert_eq!(near.pairs(), [Pair { a: 0, b: 1 }]);
        assert!(near.space(0).meets(near.space(1), 0.0));
        assert!(
            !near.space(1).meets(near.space(2), 0.25) && near.space(1).meets(near.space(2), 0.5)
        );
    }
}
