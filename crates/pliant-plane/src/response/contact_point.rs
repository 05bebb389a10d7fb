//! A point of a boundary in contact: its position, velocity and effective mass.
//!
//! | here     | formula           | meaning                                              |
//! |----------|-------------------|------------------------------------------------------|
//! | `shares` | w₀, w₁            | of the ends of its segment, 1 in all                 |
//! | `inv_mass`   | 1/m + (r×n)²/I    | speed along n that an impulse along n gives, 1/kg    |
//! | `inv_mass`   | Σ w²/m            | the same of a soft outline                           |
//! | `weight` | Σ w/m             | bound of it that adds up over many points, 1/kg      |
//!
//! What acts on a point acts on both ends of its segment in their shares, which moves a rigid
//! body as it should.

use crate::Place;
use crate::segment::place;
use pliant::body::soft::Masses;
use pliant::id::VertexId;
use pliant::math::{Vec2, Vec3};

use super::Flat;

/// A point of a boundary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// The outline, counted among outlines.
    pub outline: u32,
    /// Ends of the segment it is on, among the points of all outlines.
    pub segment: [u32; 2],
    /// The same as vertices of the scene.
    pub ends: [VertexId; 2],
    /// Of both ends; 1 in all.
    pub shares: [f64; 2],
    /// m.
    pub position: Vec2,
}

impl ContactPoint {
    /// Velocity of the point, m/s.
    pub fn velocity(&self, velocities: &[Vec3]) -> Vec2 {
        let [a, b] = self.ends.map(|end| velocities[end.index()].truncate());
        self.shares[0] * a + self.shares[1] * b
    }

    /// Appends a force or impulse on the point, in the plane.
    pub fn push(&self, force: Vec2, list: &mut Vec<(VertexId, Vec3)>) {
        for (end, share) in self.ends.into_iter().zip(self.shares) {
            if share != 0.0 {
                list.push((end, (share * force).extend(0.0)));
            }
        }
    }
}

impl Flat {
    /// The point at a place of a boundary.
    pub(super) fn contact_point(&self, at: Place) -> ContactPoint {
        let start = at.segment as usize;
        let end = self.outlines.next()[start] as usize;
        ContactPoint {
            outline: self.owners[start],
            segment: [start as u32, end as u32],
            ends: [self.vertices[start], self.vertices[end]],
            shares: [1.0 - at.along, at.along],
            position: place(self.outlines.segment(start), at.along),
        }
    }

    /// Whether the point is of a rigid outline.
    pub(super) fn is_rigid(&self, point: &ContactPoint) -> bool {
        self.laminas[point.outline as usize].is_some()
    }

    /// Appends a couple on the ends of the point's segment, N·m or N·m·s; for rigid outlines.
    ///
    /// A segment without length takes none.
    pub(super) fn turn(&self, point: &ContactPoint, couple: f64, list: &mut Vec<(VertexId, Vec3)>) {
        let [a, b] = point.segment.map(|point| self.outlines.points()[point as usize]);
        let length_sq = a.distance_squared(b);
        if couple != 0.0 && length_sq > 0.0 {
            let force = ((couple / length_sq) * (b - a).perp()).extend(0.0);
            list.extend([(point.ends[0], -force), (point.ends[1], force)]);
        }
    }

    /// Where on its segment the point is, m; [`ContactPoint::position`] may be beside it.
    pub(super) fn foot(&self, point: &ContactPoint) -> Vec2 {
        let [a, b] = point.segment.map(|point| self.outlines.points()[point as usize]);
        place([a, b], point.shares[1])
    }

    /// Inverse effective mass along a unit vector, 1/kg; 0 of what is pinned.
    pub(super) fn inv_mass(&self, point: &ContactPoint, direction: Vec2, masses: &Masses) -> f64 {
        match self.laminas[point.outline as usize] {
            Some(lamina) => {
                let arm = point.position - self.centres[point.outline as usize];
                let turn = arm.perp_dot(direction);
                1.0 / lamina.mass + turn * turn / lamina.inertia
            }
            None => self.soft_inv_mass(point, masses, |share| share * share),
        }
    }

    /// Bound of [`Flat::inv_mass`] that holds for the sum over many points, 1/kg.
    pub(super) fn weight(&self, point: &ContactPoint, direction: Vec2, masses: &Masses) -> f64 {
        match self.laminas[point.outline as usize] {
            Some(_) => self.inv_mass(point, direction, masses),
            None => self.soft_inv_mass(point, masses, |share| share),
        }
    }

    fn soft_inv_mass(&self, point: &ContactPoint, masses: &Masses, of: impl Fn(f64) -> f64) -> f64 {
        let ends = point.ends.into_iter().zip(point.shares);
        let free = ends.filter(|(end, _)| !self.held[end.index()]);
        free.map(|(end, share)| of(share) / masses.of()[end.index()]).sum()
    }

    /// What moves when the point is pushed: a rigid body, or vertices with shares.
    ///
    /// A rigid body is named by its first vertex; what is pinned is left out.
    pub(super) fn movers(&self, point: &ContactPoint) -> [Option<(usize, f64)>; 2] {
        let outline = point.outline as usize;
        if self.laminas[outline].is_some() {
            let first = self.outlines.range(outline).start;
            return [Some((self.vertices[first].index(), 1.0)), None];
        }
        let mover = |k: usize| {
            let (end, share) = (point.ends[k].index(), point.shares[k]);
            (!self.held[end] && share != 0.0).then_some((end, share))
        };
        [mover(0), mover(1)]
    }

    /// Whether nothing moves when the point is pushed.
    pub(super) fn is_held(&self, point: &ContactPoint) -> bool {
        self.movers(point) == [None; 2]
    }
}
