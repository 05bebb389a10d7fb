//! Whether a point is inside a closed surface, by a short ray along an axis.
//!
//! Each triangle that the ray leaves through counts one, each that it enters through
//! takes one away; the sum is the winding number of the surface around the point. A body of
//! positive tets covers a point just as often, so it is inside when the sum is 1 or more,
//! even where the body overlaps itself. All signs are exact. A ray that would hit an edge
//! or a corner is moved sideways by a symbolic (ε, ε²), the same for all triangles.

use crate::detect::nearby_triangles::{Ray, Sense};
use crate::math::{Vec2, Vec3, orient2d, orient3d};
use crate::mesh::intersect::segment_meets_triangle;

/// How a ray from a point meets one triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RayCrossing {
    /// Not at all.
    Missed,
    /// From inside to outside.
    Leaves,
    /// From outside to inside.
    Enters,
    /// The point lies on the triangle.
    Touches,
}

/// How often a surface winds around a point, counted along a ray.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Winding {
    count: i32,
    touches: bool,
}

impl Winding {
    /// Counts how the ray meets one more triangle.
    #[inline]
    pub(crate) fn add(&mut self, crossing: RayCrossing) {
        match crossing {
            RayCrossing::Missed => {}
            RayCrossing::Leaves => self.count += 1,
            RayCrossing::Enters => self.count -= 1,
            RayCrossing::Touches => self.touches = true,
        }
    }

    /// Whether the point lies on a triangle; the count means nothing then.
    #[inline]
    pub(crate) fn touches(self) -> bool {
        self.touches
    }

    /// Whether the point is inside and on no triangle.
    #[inline]
    pub(crate) fn is_inside(self) -> bool {
        self.count > 0 && !self.touches
    }
}

/// How the ray from `point` meets a triangle.
#[inline]
pub(crate) fn ray_crossing(point: Vec3, corners: [Vec3; 3], ray: Ray) -> RayCrossing {
    match ray.axis {
        0 => seen_along(point, corners, ray.sense, |p| Vec2::new(p.y, p.z)),
        1 => seen_along(point, corners, ray.sense, |p| Vec2::new(p.z, p.x)),
        _ => seen_along(point, corners, ray.sense, |p| Vec2::new(p.x, p.y)),
    }
}

/// How the ray meets a triangle, given how to look along it.
#[inline]
fn seen_along(
    point: Vec3,
    corners: [Vec3; 3],
    sense: Sense,
    flat: impl Fn(Vec3) -> Vec2,
) -> RayCrossing {
    let (p, a, b, c) = (flat(point), flat(corners[0]), flat(corners[1]), flat(corners[2]));
    let turns = [orient2d(a, b, p), orient2d(b, c, p), orient2d(c, a, p)];
    let (left, right) = (turns.iter().any(|&t| t > 0.0), turns.iter().any(|&t| t < 0.0));
    if left && right {
        return RayCrossing::Missed;
    }
    if !left && !right {
        return upright(point, corners);
    }
    let side = orient3d(corners[0], corners[1], corners[2], point);
    if side == 0.0 {
        return RayCrossing::Touches;
    }
    let ends = [[a, b], [b, c], [c, a]];
    let agreed = turns.iter().zip(ends).all(|(&turn, [from, to])| {
        let turn = if turn == 0.0 { moved_turn(from, to) } else { turn };
        if left { turn > 0.0 } else { turn < 0.0 }
    });
    if !agreed {
        return RayCrossing::Missed;
    }
    // A triangle that turns left seen from above looks up, and the point is below it when
    // it is on its inner side.
    let above = if left { side < 0.0 } else { side > 0.0 };
    let upward = sense == Sense::Up;
    if above != upward {
        return RayCrossing::Missed;
    }
    if left == upward { RayCrossing::Leaves } else { RayCrossing::Enters }
}

/// Turn of a point on the line through an edge, once it is moved by (ε, ε²).
#[inline]
fn moved_turn(from: Vec2, to: Vec2) -> f64 {
    if from.y != to.y { from.y - to.y } else { to.x - from.x }
}

/// A triangle that the ray sees edge-on is never passed, but may hold the point.
fn upright(point: Vec3, corners: [Vec3; 3]) -> RayCrossing {
    if segment_meets_triangle([point; 2], corners) {
        RayCrossing::Touches
    } else {
        RayCrossing::Missed
    }
}
