//! Pinned vertices, fixed or moving along keyframes.

use crate::body::keyframes::Keyframes;
use crate::id::VertexId;
use crate::math::{Aabb, Vec3};

/// Why vertices cannot be pinned.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PinError {
    /// A vertex that does not exist.
    #[error("pinned vertex {vertex} does not exist: the scene has {count} vertices")]
    NoSuchVertex {
        /// First such vertex.
        vertex: VertexId,
        /// Vertices of the scene.
        count: usize,
    },
    /// A plane without a direction.
    #[error("the normal {normal} of a plane has no direction: it must be finite and not zero")]
    NoNormal {
        /// The normal given.
        normal: Vec3,
    },
}

/// A plane that divides space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    point: Vec3,
    /// Unit.
    normal: Vec3,
}

impl Plane {
    /// The plane through a point, m; the normal may have any length but zero.
    pub fn new(point: Vec3, normal: Vec3) -> Result<Plane, PinError> {
        match normal.try_normalize() {
            Some(unit) => Ok(Plane { point, normal: unit }),
            None => Err(PinError::NoNormal { normal }),
        }
    }

    /// Distance of a point, m; positive on the side that the normal points to.
    pub fn height(&self, point: Vec3) -> f64 {
        self.normal.dot(point - self.point)
    }
}

/// Vertices in a box, its border included, ascending.
pub fn in_box(positions: &[Vec3], space: Aabb) -> Vec<VertexId> {
    those(positions, |point| space.contains(point))
}

/// Vertices on the side of a plane that its normal points to, the plane included.
pub fn beyond(positions: &[Vec3], plane: Plane) -> Vec<VertexId> {
    those(positions, |point| plane.height(point) >= 0.0)
}

/// Vertices at most `distance` metres from a plane, on either side.
pub fn near(positions: &[Vec3], plane: Plane, distance: f64) -> Vec<VertexId> {
    those(positions, |point| plane.height(point).abs() <= distance)
}

fn those(positions: &[Vec3], held: impl Fn(Vec3) -> bool) -> Vec<VertexId> {
    let found = positions.iter().enumerate().filter(|(_, point)| held(**point));
    found.map(|(k, _)| VertexId(k as u32)).collect()
}

/// Motion of pinned vertices: all rotated about a pivot, then translated.
#[derive(Clone, Debug, PartialEq)]
pub struct PinPath {
    /// Translation from where the vertices were pinned, and rotation about the pivot.
    pub motion: Keyframes,
    /// Fixed point of the rotation before the translation, world space, m.
    pub pivot: Vec3,
}

/// Pinned vertices; none by default.
#[derive(Clone, Debug, Default)]
pub struct Pins {
    /// Pinned vertices, ascending, each once.
    vertices: Vec<VertexId>,
    /// Where each was pinned, world space, m.
    places: Vec<Vec3>,
    /// Path of each, counted in `paths`; none for fixed ones.
    rides: Vec<Option<u32>>,
    paths: Vec<PinPath>,
}

impl Pins {
    /// Pins vertices where they are in `positions`, m.
    pub fn still(vertices: &[VertexId], positions: &[Vec3]) -> Result<Pins, PinError> {
        let mut pins = Pins::default();
        pins.add_still(vertices, positions)?;
        Ok(pins)
    }

    /// Pins more vertices where they are in `positions`, m.
    ///
    /// A vertex that is pinned already is pinned anew. On an error nothing changes.
    pub fn add_still(&mut self, vertices: &[VertexId], positions: &[Vec3]) -> Result<(), PinError> {
        self.add(vertices, positions, None)
    }

    /// Moves more vertices along a path, from where they are in `positions`, m.
    ///
    /// A vertex that is pinned already is pinned anew. On an error nothing changes.
    pub fn add_moving(
        &mut self,
        vertices: &[VertexId],
        positions: &[Vec3],
        path: PinPath,
    ) -> Result<(), PinError> {
        self.add(vertices, positions, Some(self.paths.len() as u32))?;
        self.paths.push(path);
        Ok(())
    }

    fn add(
        &mut self,
        vertices: &[VertexId],
        positions: &[Vec3],
        ride: Option<u32>,
    ) -> Result<(), PinError> {
        let count = positions.len();
        if let Some(&vertex) = vertices.iter().find(|v| v.index() >= count) {
            return Err(PinError::NoSuchVertex { vertex, count });
        }
        let old = std::mem::take(&mut self.vertices).into_iter();
        let old = old.zip(std::mem::take(&mut self.places));
        let old =
            old.zip(std::mem::take(&mut self.rides)).map(|((v, place), ride)| (v, place, ride));
        let new = vertices.iter().map(|v| (*v, positions[v.index()], ride));
        // New ones first: the sort is stable, and of several the first is kept.
        let mut all: Vec<_> = new.chain(old).collect();
        all.sort_by_key(|(vertex, ..)| *vertex);
        all.dedup_by_key(|(vertex, ..)| *vertex);
        for (vertex, place, ride) in all {
            self.vertices.push(vertex);
            self.places.push(place);
            self.rides.push(ride);
        }
        Ok(())
    }

    /// Replaces the motion of a path, counted as [`Pins::add_moving`] added them.
    ///
    /// Does nothing where there is no such path.
    pub fn set_motion(&mut self, path: usize, motion: Keyframes) {
        if let Some(path) = self.paths.get_mut(path) {
            path.motion = motion;
        }
    }

    /// Pinned vertices, ascending.
    pub fn vertices(&self) -> &[VertexId] {
        &self.vertices
    }

    /// Position of a pinned vertex at a time, m; `pin` counts in [`Pins::vertices`].
    ///
    /// NaN for a pin that does not exist.
    pub fn place(&self, pin: usize, time: f64) -> Vec3 {
        let start = self.places.get(pin).copied().unwrap_or(Vec3::NAN);
        let Some(PinPath { motion, pivot }) = self.path(pin) else {
            return start;
        };
        let pose = motion.pose(time);
        *pivot + pose.position + pose.rotation * (start - *pivot)
    }

    /// Velocity of a pinned vertex at a time, m/s; NaN for a pin that does not exist.
    pub fn velocity(&self, pin: usize, time: f64) -> Vec3 {
        match self.path(pin) {
            // The pose moves a world whose origin is the pivot.
            Some(path) => path.motion.velocity_at(time, self.place(pin, time) - path.pivot),
            None if pin < self.vertices.len() => Vec3::ZERO,
            None => Vec3::NAN,
        }
    }

    /// Pinned vertices that have a path, ascending.
    pub(crate) fn moving(&self) -> impl Iterator<Item = VertexId> {
        let riding = self.vertices.iter().zip(&self.rides).filter(|(_, ride)| ride.is_some());
        riding.map(|(vertex, _)| *vertex)
    }

    fn path(&self, pin: usize) -> Option<&PinPath> {
        self.rides.get(pin).copied().flatten().map(|path| &self.paths[path as usize])
    }

    /// Writes the positions and velocities of pinned vertices at a time; others stay.
    pub fn hold(&self, time: f64, positions: &mut [Vec3], velocities: &mut [Vec3]) {
        for (pin, vertex) in self.vertices.iter().enumerate() {
            if let Some(position) = positions.get_mut(vertex.index()) {
                *position = self.place(pin, time);
            }
            if let Some(velocity) = velocities.get_mut(vertex.index()) {
                *velocity = self.velocity(pin, time);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::keyframes::Keyframe;
    use crate::math::Quat;

    /// Sums and sines of a few numbers of about one.
    const ROUNDING: f64 = 1e-14;
    /// Relative error of a central difference with [`STEP`] of a smooth function.
    const DIFFERENCE_TOLERANCE: f64 = 1e-9;
    /// Step of central differences, s.
    const STEP: f64 = 1e-5;

    fn row() -> Vec<Vec3> {
        (0..5).map(|k| f64::from(k) * Vec3::X).collect()
    }

    fn ids<const N: usize>(vertices: [u32; N]) -> Vec<VertexId> {
        vertices.map(VertexId).to_vec()
    }

    /// Half a turn about z and 2 m up, from 0 s to 2 s.
    fn path() -> PinPath {
        let frame = |time, height, angle| Keyframe {
            time,
            position: height * Vec3::Z,
            rotation: Quat::from_rotation_z(angle),
        };
        let frames = vec![frame(0.0, 0.0, 0.0), frame(2.0, 2.0, 3.0)];
        PinPath { motion: Keyframes::new(frames).unwrap(), pivot: Vec3::X }
    }

    #[test]
    fn boxes_and_planes_choose_with_their_border() {
        let plane = Plane::new(2.0 * Vec3::X, -5.0 * Vec3::X).unwrap();
        let space = Aabb { min: Vec3::X, max: Vec3::new(3.0, 0.0, 0.0) };
        assert_eq!(in_box(&row(), space), ids([1, 2, 3]));
        assert_eq!(beyond(&row(), plane), ids([0, 1, 2]));
        assert_eq!(near(&row(), plane, 1.0), ids([1, 2, 3]));
        assert!(in_box(&[], space).is_empty());
    }

    #[test]
    fn what_cannot_be_held_is_named() {
        let mut pins = Pins::default();
        let error = pins.add_still(&ids([1, 7]), &row()).unwrap_err();
        assert_eq!(error.to_string(), "pinned vertex 7 does not exist: the scene has 5 vertices");
        assert!(pins.vertices().is_empty());
        assert!(pins.add_moving(&ids([5]), &row(), path()).is_err());
        assert!(Plane::new(Vec3::ZERO, Vec3::ZERO).is_err());
    }

    #[test]
    fn the_latest_hold_counts() {
        let mut pins = Pins::still(&ids([3, 1]), &row()).unwrap();
        pins.add_moving(&ids([4, 3]), &row(), path()).unwrap();
        pins.add_still(&ids([4]), &row()).unwrap();
        assert_eq!(pins.vertices(), ids([1, 3, 4]));
        let moving = [0, 1, 2].map(|pin| pins.velocity(pin, 1.0) != Vec3::ZERO);
        assert_eq!(moving, [false, true, false]);
    }

    #[test]
    fn moving_pins_turn_about_their_pivot_and_rise() {
        let mut pins = Pins::default();
        pins.add_moving(&ids([1, 3]), &row(), path()).unwrap();
        // The first sits on the pivot; the second is 2 m from it.
        assert!(pins.place(0, 1.0).abs_diff_eq(Vec3::new(1.0, 0.0, 1.0), ROUNDING));
        let turned = Vec3::new(1.0 + 2.0 * libm::cos(1.5), 2.0 * libm::sin(1.5), 1.0);
        assert!(pins.place(1, 1.0).abs_diff_eq(turned, ROUNDING));
        assert_eq!(pins.place(1, 0.0), 3.0 * Vec3::X);
        assert_eq!(pins.place(1, 7.0), pins.place(1, 2.0));
    }

    #[test]
    fn velocity_is_the_slope_of_place() {
        let mut pins = Pins::default();
        pins.add_moving(&ids([0, 4]), &row(), path()).unwrap();
        for pin in 0..2 {
            for time in [-1.0, 0.3, 1.7, 2.5] {
                let rise = pins.place(pin, time + STEP) - pins.place(pin, time - STEP);
                let (slope, found) = (rise / (2.0 * STEP), pins.velocity(pin, time));
                assert!(found.abs_diff_eq(slope, DIFFERENCE_TOLERANCE), "{found} {slope}");
            }
        }
    }

    #[test]
    fn held_vertices_are_put_in_their_place() {
        let pins = Pins::still(&ids([2]), &row()).unwrap();
        let (mut positions, mut velocities) = (vec![Vec3::ONE; 5], vec![Vec3::ONE; 5]);
        pins.hold(1.0, &mut positions, &mut velocities);
        assert_eq!((positions[2], velocities[2]), (2.0 * Vec3::X, Vec3::ZERO));
        assert_eq!((positions[1], velocities[1]), (Vec3::ONE, Vec3::ONE));
    }
}
