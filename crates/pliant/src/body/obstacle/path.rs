//! Continuous collision of a point with an obstacle: does its path stay outside?
//!
//! Sphere tracing: seen from the obstacle, a point at distance φ can move by less than φ in any
//! direction without touching. The path is walked in such strides, so that even the thinnest
//! obstacle is not jumped over. The obstacle may move while the point does.

use crate::body::obstacle::Obstacle;
use crate::math::Vec3;

/// Most strides on one path; a path that needs more grazes the surface for long.
const MOST_STRIDES: usize = 1024;

/// A point at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waypoint {
    /// World space, m.
    pub position: Vec3,
    /// Time, s.
    pub time: f64,
}

impl Waypoint {
    /// The point on the straight path to another, at a share from 0 to 1 of it.
    fn towards(self, other: Waypoint, share: f64) -> Waypoint {
        Waypoint {
            position: self.position + share * (other.position - self.position),
            time: self.time + share * (other.time - self.time),
        }
    }
}

impl Obstacle {
    /// What stops a point on its straight path; `None` when it stays outside.
    ///
    /// The value is a distance on the path, m: zero or negative where the point is in the obstacle,
    /// positive where more strides would be needed than are made. Conservative for lower bounds of
    /// a distance too.
    pub fn blocks(&self, from: Waypoint, to: Waypoint) -> Option<f64> {
        let mut at = from;
        // Between two keyframes the velocity is constant.
        while let Some(change) = self.motion().next_change(at.time).filter(|t| *t < to.time) {
            let next = from.towards(to, (change - from.time) / (to.time - from.time));
            let next = Waypoint { time: change, ..next };
            let stopped = self.blocks_within(at, next);
            if stopped.is_some() {
                return stopped;
            }
            at = next;
        }
        self.blocks_within(at, to)
    }

    /// The same, with no keyframe in between.
    fn blocks_within(&self, from: Waypoint, to: Waypoint) -> Option<f64> {
        let distance = |at: Waypoint| self.at(at.time).distance(at.position);
        let last = distance(to);
        let whole = self.relative_way(from, to) * self.shape().lipschitz();
        let mut share = 0.0;
        let mut here = distance(from);
        for _ in 0..MOST_STRIDES {
            // NaN does not count as outside.
            let outside = here > 0.0 && last > 0.0;
            if !outside {
                return Some(here.min(last));
            }
            // Strides from both ends meet.
            if (1.0 - share) * whole < here + last {
                return None;
            }
            share += here / whole;
            here = distance(from.towards(to, share));
        }
        Some(here)
    }

    /// Upper bound of the path's length as seen from the moving obstacle, m.
    fn relative_way(&self, from: Waypoint, to: Waypoint) -> f64 {
        let (way, duration) = (to.position - from.position, to.time - from.time);
        let twist = self.motion().twist(from.towards(to, 0.5).time);
        // The relative velocity changes linearly: its size is largest at an end.
        let seen = |at: Waypoint| {
            let arm = at.position - self.motion().pose(at.time).position;
            (way - duration * twist.at(arm)).length()
        };
        seen(from).max(seen(to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::keyframes::{Keyframe, Keyframes, Pose};
    use crate::body::obstacle::check;
    use crate::body::obstacle::{Cuboid, Plane, Revolved, Shape, SurfaceMaterial};
    use crate::math::Quat;

    fn still(shape: impl Shape + 'static) -> Obstacle {
        let motion = Keyframes::still(Pose::IDENTITY).unwrap();
        Obstacle::new(shape, motion, SurfaceMaterial::default()).unwrap()
    }

    fn at(time: f64, position: Vec3) -> Waypoint {
        Waypoint { position, time }
    }

    #[test]
    fn a_thin_plate_is_not_jumped_over() {
        let plate = still(Cuboid::new(Vec3::new(4.0, 4.0, 1e-6)).unwrap());
        let through = plate.blocks(at(0.0, Vec3::Z), at(1.0, Vec3::new(0.3, 0.2, -9.0)));
        assert!(through.is_some_and(|d| d < 1e-9), "{through:?}");
        let beside =
            plate.blocks(at(0.0, Vec3::new(2.1, 0.0, 1.0)), at(1.0, Vec3::new(2.1, 0.0, -1.0)));
        assert_eq!(beside, None);
    }

    #[test]
    fn sliding_along_a_plane_is_free() {
        let floor = still(Plane);
        assert_eq!(floor.blocks(at(0.0, 0.01 * Vec3::Z), at(1.0, Vec3::new(5.0, 0.0, 0.01))), None);
        let low = floor.blocks(at(0.0, 1e-6 * Vec3::Z), at(1.0, Vec3::new(5.0, 0.0, 1e-6)));
        assert!(low.is_some_and(|d| d > 0.0), "{low:?}"); // would take 2.5 million strides
    }

    #[test]
    fn ways_are_blocked_as_dense_samples_say() {
        let torus = still(Revolved::torus(1.0, 0.3).unwrap());
        let points = check::points(2000, 2.0);
        let mut counts = [0, 0];
        for pair in points.chunks_exact(2) {
            let (from, to) = (at(0.0, pair[0]), at(1.0, pair[1]));
            let along =
                |k: u32| torus.shape().distance(from.towards(to, f64::from(k) / 1e3).position);
            let least = (0..=1000).map(along).fold(f64::INFINITY, f64::min);
            if least.abs() > 4e-3 {
                assert_eq!(
                    torus.blocks(from, to).is_some(),
                    least < 0.0,
                    "{least} {from:?} {to:?}"
                );
                counts[usize::from(least < 0.0)] += 1;
            }
        }
        assert!(counts[0] > 100 && counts[1] > 100, "{counts:?}");
    }

    #[test]
    fn an_obstacle_that_comes_blocks_a_point_that_stays() {
        let frame = |time: f64, x: f64, angle: f64| Keyframe {
            time,
            position: x * Vec3::X,
            rotation: Quat::from_rotation_z(angle),
        };
        let moving = |frames: Vec<Keyframe>, shape: Cuboid| {
            Obstacle::new(shape, Keyframes::new(frames).unwrap(), SurfaceMaterial::default())
                .unwrap()
        };
        // There and back between two samples at the same position.
        let plate = Cuboid::new(Vec3::new(0.01, 4.0, 4.0)).unwrap();
        let visit =
            moving(vec![frame(0.0, -3.0, 0.0), frame(0.5, 1.0, 0.0), frame(1.0, -3.0, 0.0)], plate);
        let blocked = visit.blocks(at(0.0, Vec3::ZERO), at(1.0, Vec3::ZERO));
        assert!(blocked.is_some_and(|d| d < 1e-9), "{blocked:?}");
        assert_eq!(visit.blocks(at(0.0, 2.0 * Vec3::X), at(1.0, 2.0 * Vec3::X)), None);
        // A rod sweeps a quarter turn from x to y, over the diagonal and not beyond.
        let rod = Cuboid::new(Vec3::new(4.0, 0.01, 0.01)).unwrap();
        let sweep = moving(vec![frame(0.0, 0.0, 0.0), frame(1.0, 0.0, 1.5)], rod);
        let stays = |angle: f64| {
            let place = 1.5 * Vec3::new(libm::cos(angle), libm::sin(angle), 0.0);
            sweep.blocks(at(0.0, place), at(1.0, place))
        };
        assert!(stays(0.7).is_some() && stays(1.4).is_some());
        assert_eq!((stays(1.6), stays(3.0)), (None, None));
        // A point that moves round with the rod is never hit.
        let place = |angle: f64| 0.5 * Vec3::new(libm::cos(angle), libm::sin(angle), 0.0);
        let carried = sweep.blocks(at(0.1, place(0.25)), at(0.2, place(0.4)));
        assert_eq!(carried, None);
    }
}
