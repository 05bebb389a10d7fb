//! A bounding volume hierarchy that is fitted when it is first asked for.
//!
//! After items have moved the tree is invalid; the next query refits it, or builds it if there is
//! none. Items that nobody asks about cost nothing, and several threads may query at once.

use std::sync::{Mutex, OnceLock};

use crate::math::Aabb;
use crate::mesh::bvh::Bvh;

/// A tree over items that move from step to step.
#[derive(Debug, Default)]
pub struct LazyBvh {
    /// Fits the items where they are; empty until it is asked for.
    fitted: OnceLock<Bvh>,
    /// From before the items moved, to be refitted.
    stale: Mutex<Option<Bvh>>,
}

impl Clone for LazyBvh {
    /// Without the memory of invalid trees.
    fn clone(&self) -> LazyBvh {
        LazyBvh { fitted: self.fitted.clone(), stale: Mutex::default() }
    }
}

impl LazyBvh {
    /// Invalidates the tree, as items have moved.
    pub fn invalidate(&mut self) {
        if let (Some(tree), Ok(stale)) = (self.fitted.take(), self.stale.get_mut()) {
            *stale = Some(tree);
        }
    }

    /// The tree over `count` items, fitted to their boxes.
    ///
    /// Boxes are taken at the first call after [`LazyBvh::invalidate`] only; calls until the next
    /// must mean the same items.
    pub fn fitted(&self, count: usize, box_of: impl Fn(u32) -> Aabb) -> &Bvh {
        self.fitted.get_or_init(|| {
            let stale = self.stale.lock().ok().and_then(|mut stale| stale.take());
            match stale.filter(|tree| tree.len() == count) {
                Some(mut tree) => {
                    tree.refit(box_of);
                    tree
                }
                None => {
                    let boxes: Vec<Aabb> = (0..count as u32).map(&box_of).collect();
                    let mut tree = Bvh::to_refit(&boxes);
                    tree.refit(|item| boxes[item as usize]);
                    tree
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3;

    fn at(x: f64) -> Aabb {
        Aabb { min: Vec3::splat(x), max: Vec3::splat(x) }
    }

    fn found(tree: &Bvh, x: f64) -> Vec<u32> {
        let mut found = Vec::new();
        tree.meeting(at(x), |item| {
            found.push(item);
            true
        });
        found
    }

    #[test]
    fn the_tree_follows_its_items_when_they_are_said_to_have_moved() {
        let mut lazy = LazyBvh::default();
        for step in 0..3 {
            let by = f64::from(10 * step);
            lazy.invalidate();
            for _ in 0..2 {
                let tree = lazy.fitted(9, |item| at(f64::from(item) + by));
                assert_eq!(found(tree, by + 3.0), [3]);
                assert_eq!(found(tree, by - 3.0), [] as [u32; 0]);
            }
            // A copy is as good, and one that has to start again.
            let mut copy = lazy.clone();
            assert_eq!(found(copy.fitted(9, |_| Aabb::EMPTY), by + 3.0), [3]);
            copy.invalidate();
            assert_eq!(found(copy.clone().fitted(9, |_| at(1.0)), 1.0).len(), 9);
        }
    }

    #[test]
    fn another_number_of_items_makes_a_new_tree() {
        let mut lazy = LazyBvh::default();
        assert_eq!(lazy.fitted(5, |item| at(f64::from(item))).len(), 5);
        lazy.invalidate();
        assert_eq!(found(lazy.fitted(7, |item| at(f64::from(item))), 6.0), [6]);
        lazy.invalidate();
        assert!(lazy.fitted(0, |_| Aabb::EMPTY).is_empty());
    }
}
