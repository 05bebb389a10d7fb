//! The direction in which one body leaves another by the shortest translation.
//!
//! Directions are compared by slabs, the way after which a plane is between the bodies; the
//! best few, and some that suit bodies which are not convex, by the exact translation. For convex
//! bodies the thinnest slab is the least translation of all.

use crate::contact::axes::{centre, gather_axes, refine, tilted};
use crate::math::Vec3;
use crate::separate::shape::{Placed, Shape};
use crate::separate::sweep::Sweep;

/// Directions of the thinnest slabs whose translation is computed.
const EXACT: usize = 3;

/// Directions of the thinnest slabs that are refined.
const REFINED: usize = 2;

/// Factor on the distance along a direction that has led nowhere.
const AVOID: f64 = 3.0;

/// Cosine of the angle to such a direction within which the factor applies.
const NEAR_AVOIDED: f64 = 0.7;

/// Relative rounding of products and quotients of costs, and more.
const ROUNDING: f64 = 1e-9;

/// Triangles of each body whose middles are tested for the flow through the other.
const SAMPLES: usize = 600;

/// A translation of the first body of a pair, relative to the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Way {
    /// Unit.
    pub axis: Vec3,
    /// m.
    pub distance: f64,
}

/// Two bodies where they are.
#[derive(Clone, Copy)]
pub(crate) struct PairView<'a> {
    /// What they are.
    pub shapes: [&'a Shape; 2],
    /// Where they are.
    pub placed: [&'a Placed; 2],
    /// Free way that is left before and after, m.
    pub clearance: f64,
}

impl PairView<'_> {
    /// Least way along an axis after which the bodies are clear of each other, m.
    pub(crate) fn along(self, axis: Vec3) -> f64 {
        self.along_within(axis, f64::INFINITY)
    }

    /// The same where it is at most so long, m; otherwise anything that is longer.
    fn along_within(self, axis: Vec3, most: f64) -> f64 {
        Sweep::new(self.shapes, self.placed, axis, self.clearance).distance_within(most)
    }

    /// Way along an axis after which a plane is between the bodies, m; below 0 where one is.
    pub(crate) fn slab(self, axis: Vec3) -> f64 {
        let [a, b] = self.placed;
        b.support(axis) + a.support(-axis) + self.clearance
    }

    /// The shortest way found, not along directions that are avoided.
    pub(crate) fn shortest(self, avoided: &[Vec3]) -> Way {
        let axes = self.candidates();
        let cost = |axis: Vec3, distance: f64| {
            let near = avoided.iter().filter(|other| other.dot(axis) > NEAR_AVOIDED);
            near.fold(distance, |distance, _| AVOID * distance)
        };
        let mut ranked: Vec<_> =
            axes.iter().map(|axis| (cost(*axis, self.slab(*axis)), *axis)).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        ranked.truncate(EXACT);
        for k in 0..ranked.len().min(REFINED) {
            ranked.push(refine(ranked[k], |axis| self.slab(axis)));
        }
        ranked.extend(self.local_directions().into_iter().flatten().map(|axis| (0.0, axis)));
        let mut best = (f64::INFINITY, Way { axis: Vec3::Z, distance: 0.0 });
        for axis in ranked.iter().filter_map(|(_, axis)| tilted(*axis)) {
            // Only what is shorter than the best so far has to be known.
            let most = (1.0 + ROUNDING) * best.0 / cost(axis, 1.0);
            let distance = self.along_within(axis, most);
            // Where all that meets is seen from the side, the axis knows nothing of it.
            if distance > 0.0 && cost(axis, distance) < best.0 {
                best = (cost(axis, distance), Way { axis, distance });
            }
        }
        if best.0.is_finite() { best.1 } else { self.thinnest_slab() }
    }

    /// The direction of the thinnest slab.
    pub(crate) fn thinnest_slab(self) -> Way {
        let mut ranked: Vec<_> =
            self.candidates().into_iter().map(|axis| (self.slab(axis), axis)).collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        ranked.truncate(REFINED);
        let refined = ranked.iter().map(|entry| refine(*entry, |axis| self.slab(axis)));
        let start = (f64::INFINITY, Vec3::Z);
        let best = refined.fold(start, |best, next| if next.0 < best.0 { next } else { best });
        Way { axis: best.1, distance: best.0 }
    }

    fn candidates(self) -> Vec<Vec3> {
        let mut axes = Vec::new();
        gather_axes(&mut axes, [0, 1].map(|k| self.shapes[k].surface(self.placed[k])));
        axes.into_iter().map(|(_, axis)| axis).collect()
    }

    /// Directions by where the bodies are: along which the overlap shrinks fastest, and from
    /// centre to centre.
    fn local_directions(self) -> [Option<Vec3>; 2] {
        let [a, b] = self.placed;
        let shrinking = flow(b, a) - flow(a, b);
        let [ca, cb] = [0, 1].map(|k| centre(self.shapes[k].surface(self.placed[k])));
        [shrinking.try_normalize(), (ca - cb).try_normalize()]
    }
}

/// Sum of the areas, along their normals, of the triangles of a surface inside another body, m².
///
/// The volume of the overlap grows by this times the way that the surface is moved.
fn flow(surface: &Placed, other: &Placed) -> Vec3 {
    let near = |face: &&[Vec3; 3]| other.around.contains((face[0] + face[1] + face[2]) / 3.0);
    let count = surface.faces.iter().filter(near).count();
    let sampled = surface.faces.iter().filter(near).step_by(count / SAMPLES + 1);
    let inside = sampled.filter(|[a, b, c]| other.winding((*a + *b + *c) / 3.0) > 0);
    inside.map(|[a, b, c]| 0.5 * (*b - *a).cross(*c - *a)).sum()
}
