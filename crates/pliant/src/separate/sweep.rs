//! How far a body must be moved along a direction until it is clear of another, on trees.
//!
//! The same answer as [`Translation`](crate::contact::translation::Translation), which stays as
//! the reference, for bodies of thousands of triangles: not all edges that a face may meet on the
//! way are listed, but the way so far is prolonged by any edge and face that meet there, until
//! none does. Only what is near where the bodies touch is looked at.
//!
//! | here        | meaning                                                        |
//! |-------------|----------------------------------------------------------------|
//! | `axis`      | unit direction in which the first body is moved                |
//! | `way`       | translation so far, m; all up to it is known to be blocked     |
//! | `clearance` | free way before and after, m                                   |
//! | `slack`     | how far from a place edges and faces may be that block it, m   |

use std::cell::Cell;

use crate::contact::translation::{FacePlane, Frame, HEIGHT_ROUNDING, SOMEWHERE};
use crate::id::VertexId;
use crate::math::{Aabb, Vec3};
use crate::separate::shape::{Placed, Shape};

/// Rounding of boxes that are moved, in extents of both bodies; generous.
const BOX_ROUNDING: f64 = 1e-9;

/// Two bodies of which the first is moved along an axis.
#[derive(Clone, Copy)]
pub(crate) struct Sweep<'a> {
    shapes: [&'a Shape; 2],
    placed: [&'a Placed; 2],
    frame: Frame,
    axis: Vec3,
    /// m.
    clearance: f64,
    /// To each side, m.
    slack: Vec3,
}

impl<'a> Sweep<'a> {
    /// Of bodies where they are, along a unit axis, with free way left before and after, m.
    pub(crate) fn new(
        shapes: [&'a Shape; 2],
        placed: [&'a Placed; 2],
        axis: Vec3,
        clearance: f64,
    ) -> Sweep<'a> {
        let size = placed[0].around.union(placed[1].around).size();
        let along = clearance + HEIGHT_ROUNDING * size.dot(axis.abs());
        let slack = along * axis.abs() + Vec3::splat(BOX_ROUNDING * size.max_element());
        Sweep { shapes, placed, frame: Frame::new(axis), axis, clearance, slack }
    }

    /// Least way after which the bodies are clear of each other where it is at most `most`, m;
    /// otherwise anything that is more.
    pub(crate) fn distance_within(self, most: f64) -> f64 {
        let mut way = 0.0;
        loop {
            way = self.blocked_up_to(way, most);
            if way > most || !self.is_held(way) {
                return way;
            }
            let next = self.next_begin(way, most);
            if next == f64::INFINITY {
                // Behind all that blocks nothing is held.
                return if most == f64::INFINITY { way } else { next };
            }
            way = next;
        }
    }

    /// Prolongs a way by all that blocks its end, until nothing does or it is beyond the most, m.
    fn blocked_up_to(self, way: f64, most: f64) -> f64 {
        let end = Cell::new(way);
        loop {
            let start = end.get();
            let is_near = |a: Aabb, b: Aabb| {
                let way = end.get();
                way <= most && self.moved(a, way).meets(b)
            };
            self.placed[0].tree.pairs_where(&self.placed[1].tree, is_near, |i, j| {
                self.intervals([i, j], |[low, high]| {
                    if low <= end.get() && high > end.get() {
                        end.set(high);
                    }
                });
            });
            if end.get() == start || end.get() > most {
                return end.get();
            }
        }
    }

    /// Where the first interval behind a way begins, if not behind the most, m.
    fn next_begin(self, way: f64, most: f64) -> f64 {
        let next = Cell::new(f64::INFINITY);
        let is_near = |a: Aabb, b: Aabb| {
            let end = next.get().min(most);
            let Some([enters, leaves]) = self.meets_between(a, b) else { return false };
            enters <= end && leaves >= way
        };
        self.placed[0].tree.pairs_where(&self.placed[1].tree, is_near, |i, j| {
            self.intervals([i, j], |[low, _]| {
                if low > way && low < next.get() {
                    next.set(low);
                }
            });
        });
        if next.get() <= most { next.get() } else { f64::INFINITY }
    }

    /// A box of the first body after a way, with all that it may block.
    fn moved(self, around: Aabb, way: f64) -> Aabb {
        let by = way * self.axis;
        Aabb { min: around.min + by - self.slack, max: around.max + by + self.slack }
    }

    /// The distances from which on and up to which a box that is moved meets another, m.
    fn meets_between(self, a: Aabb, b: Aabb) -> Option<[f64; 2]> {
        let a = self.moved(a, 0.0);
        let [low, high] = [(b.min - a.max).to_array(), (b.max - a.min).to_array()];
        let (mut enters, mut leaves) = (f64::NEG_INFINITY, f64::INFINITY);
        for (k, along) in self.axis.to_array().into_iter().enumerate() {
            if along == 0.0 {
                if low[k] > 0.0 || high[k] < 0.0 {
                    return None;
                }
                continue;
            }
            let (one, other) = (low[k] / along, high[k] / along);
            enters = enters.max(one.min(other));
            leaves = leaves.min(one.max(other));
        }
        (enters <= leaves).then_some([enters, leaves])
    }

    /// The distances at which an edge of one of two triangles is in the other, with the clearance, m.
    fn intervals(self, triangles: [u32; 2], mut found: impl FnMut([f64; 2])) {
        let corners = [0, 1].map(|k| {
            let face = self.placed[k].faces[triangles[k] as usize];
            face.map(|corner| self.frame.of(corner))
        });
        for (of_edges, of_face) in [(0, 1), (1, 0)] {
            let Some(face) = FacePlane::of(corners[of_face]) else { continue };
            let triangle = triangles[of_edges] as usize;
            let names = self.shapes[of_edges].triangles[triangle];
            for k in (0..3).filter(|k| self.shapes[of_edges].owns(triangle, *k)) {
                let ends = ordered([k, (k + 1) % 3], names).map(|k| corners[of_edges][k]);
                if let Some([low, high]) = face.translations(ends) {
                    let [low, high] = if of_edges == 0 { [low, high] } else { [-high, -low] };
                    found([low - self.clearance, high + self.clearance]);
                }
            }
        }
    }

    /// Whether one body is inside the other after a way, where their surfaces do not meet.
    fn is_held(self, way: f64) -> bool {
        let by = way * self.axis;
        [(0, 1, by), (1, 0, -by)].into_iter().any(|(inner, outer, by)| {
            let Some([a, b, c]) = self.placed[inner].faces.first() else { return false };
            let [wa, wb, wc] = SOMEWHERE;
            self.placed[outer].winding(wa * *a + wb * *b + wc * *c + by) > 0
        })
    }
}

/// Two corners of a triangle, the one with the lower vertex first, as edges have them.
fn ordered([a, b]: [usize; 2], names: [VertexId; 3]) -> [usize; 2] {
    if names[a] < names[b] { [a, b] } else { [b, a] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Mesh;
    use crate::contact::translation::Translation;
    use crate::math::Quat;
    use crate::math::random::Random;
    use crate::mesh::generate::ball::ball;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::TetSplit;
    use crate::mesh::generate::torus::{TorusSettings, torus};
    use crate::mesh::raw::RawMesh;
    use crate::mesh::tet::TetMesh;

    struct Pair {
        shapes: [Shape; 2],
        placed: [Placed; 2],
    }

    impl Pair {
        fn new(meshes: [&RawMesh; 2], turn: Quat, shift: Vec3) -> Pair {
            let [a, b] = meshes.map(|raw| TetMesh::from_raw(raw.clone()).unwrap().0);
            let shapes =
                [&a, &b].map(|mesh| Shape::new(Mesh::Tets(mesh), mesh.positions()).unwrap());
            let moved = a.positions().iter().map(|p| turn * *p + shift).collect();
            let placed =
                [shapes[0].placed(moved, 0.01), shapes[1].placed(b.positions().to_vec(), 0.01)];
            Pair { shapes, placed }
        }

        fn within(&self, axis: Vec3, clearance: f64, most: f64) -> f64 {
            let [a, b] = &self.shapes;
            let [at_a, at_b] = &self.placed;
            Sweep::new([a, b], [at_a, at_b], axis, clearance).distance_within(most)
        }

        fn reference(&self, axis: Vec3, clearance: f64) -> f64 {
            let [a, b] = [0, 1].map(|k| self.shapes[k].surface(&self.placed[k]));
            Translation::default().distance(a, b, axis, clearance)
        }
    }

    fn meshes() -> [RawMesh; 4] {
        let settings = TorusSettings { ring_radius: 1.0, tube_radius: 0.3, around: 24, rings: 2 };
        [
            cuboid([2; 3], Vec3::new(0.7, 0.5, 1.9), TetSplit::Five).unwrap(),
            cuboid([1; 3], Vec3::splat(0.15), TetSplit::Five).unwrap(),
            ball(0.6, 4).unwrap(),
            torus(&settings).unwrap(),
        ]
    }

    /// Random pairs and axes: boxes, balls and rings in and beside each other.
    fn pairs(seed: u64, mut look: impl FnMut(&Pair, Vec3)) {
        let (meshes, mut random) = (meshes(), Random::new(seed));
        for number in 0..240 {
            let both = [&meshes[number % 4], &meshes[number / 4 % 4]];
            let pair = Pair::new(both, random.rotation(), 0.8 * random.vec3());
            let Some(axis) = random.vec3().try_normalize() else { continue };
            look(&pair, axis);
        }
    }

    #[test]
    fn the_way_is_that_of_all_edges_and_faces_bit_by_bit() {
        let (mut distances, mut held) = (0, 0);
        pairs(5, |pair, axis| {
            for clearance in [0.0, 0.01] {
                let expected = pair.reference(axis, clearance);
                assert_eq!(pair.within(axis, clearance, f64::INFINITY), expected);
                distances += usize::from(expected > 0.0);
                let [a, b] = &pair.placed;
                let sweep = Sweep::new(pair.shapes.each_ref(), [a, b], axis, clearance);
                held += usize::from(sweep.blocked_up_to(0.0, f64::INFINITY) < expected);
            }
        });
        // Of 480. Some are inside each other on the way, and must go on.
        assert!(distances > 200 && held > 10, "{distances} {held}");
    }

    #[test]
    fn a_limit_changes_nothing_below_it_and_is_passed_beyond_it() {
        let mut held_back = 0;
        pairs(6, |pair, axis| {
            let way = pair.within(axis, 0.0, f64::INFINITY);
            for part in [0.1, 0.5, 0.9] {
                held_back += usize::from(way > 0.0);
                assert!(way == 0.0 || pair.within(axis, 0.0, part * way) > part * way, "{way}");
            }
            for part in [1.0, 1.1, 3.0] {
                assert_eq!(pair.within(axis, 0.0, part * way), way, "{part}");
            }
        });
        assert!(held_back > 400, "{held_back}"); // of 720
    }

    #[test]
    fn the_support_on_the_tree_is_that_of_all_points_bit_by_bit() {
        pairs(7, |pair, axis| {
            for k in 0..2 {
                let expected = pair.shapes[k].surface(&pair.placed[k]).support(axis);
                assert_eq!(pair.placed[k].support(axis), expected);
            }
        });
    }
}
