//! Whether a body passed through another body or an obstacle within one step.
//!
//! Bodies count as the boxes around them and the means of their vertices: a verdict needs no
//! exact collision detection, and steps so long that one is due are rare.

use pliant::body::Bodies;
use pliant::body::obstacle::Obstacle;
use pliant::body::obstacle::path::Waypoint;
use pliant::math::{Aabb, Vec3};
use pliant::step::Simulation;

/// Distance over that of the start at which a path meets an obstacle: sphere tracing approaches
/// a surface without end.
const TOUCHING: f64 = 1e-9;

/// A body that came from one side of something to the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tunnelling {
    /// The body.
    pub body: usize,
    /// Length of its path, as seen from what it passed, m.
    pub displacement: f64,
}

/// Where everything was before a step.
#[derive(Clone, Debug, Default)]
pub struct Before {
    /// m.
    pub positions: Vec<Vec3>,
    /// s.
    pub time: f64,
}

/// A body in a step.
#[derive(Clone, Copy, Debug)]
struct BodyMotion {
    /// Box around it before the step.
    space: Aabb,
    /// Mean of its vertices before.
    from: Vec3,
    /// Mean of its vertices after.
    to: Vec3,
}

impl BodyMotion {
    fn displacement(&self) -> Vec3 {
        self.to - self.from
    }

    /// Whether it passes a slower body, as seen from that one; returns the length of its path, m.
    fn passes(&self, other: &BodyMotion) -> Option<f64> {
        let relative = self.displacement() - other.displacement();
        let is_slower = other.displacement().length() <= self.displacement().length();
        let is_far = relative.length() > least_extent(other.space);
        (is_slower && is_far && crosses(other.space, self.from, relative))
            .then_some(relative.length())
    }
}

/// The first body that passed another body or an obstacle in the step that ended.
pub fn tunnelling(
    before: &Before,
    simulation: &Simulation,
    obstacles: &[Obstacle],
) -> Option<Tunnelling> {
    let Simulation { state, system, .. } = simulation;
    let motion = |body| {
        let own = system.bodies.vertices(body);
        let [from, to] = [&before.positions[own.clone()], &state.positions[own]];
        BodyMotion { space: around(from), from: centre(from), to: centre(to) }
    };
    let motions: Vec<BodyMotion> = system.bodies.ids().map(motion).collect();
    motions.iter().enumerate().find_map(|(body, motion)| {
        let from = Waypoint { position: motion.from, time: before.time };
        let to = Waypoint { position: motion.to, time: state.time };
        let own = motion.displacement().length();
        let through = obstacles.iter().any(|obstacle| passes(obstacle, from, to)).then_some(own);
        let others = motions.iter().enumerate().filter(|(other, _)| *other != body);
        let displacement =
            through.or_else(|| others.into_iter().find_map(|(_, other)| motion.passes(other)))?;
        Some(Tunnelling { body, displacement })
    })
}

/// The vertex that moved farthest, and how far, m.
pub fn farthest(before: &[Vec3], after: &[Vec3]) -> (usize, f64) {
    let squares = before.iter().zip(after).map(|(a, b)| a.distance_squared(*b));
    let (vertex, distance_sq) =
        squares.enumerate().fold(
            (0, 0.0),
            |most, (vertex, square)| {
                if square > most.1 { (vertex, square) } else { most }
            },
        );
    (vertex, distance_sq.sqrt())
}

/// Diagonal of the box around all points, m.
pub fn size(positions: &[Vec3]) -> f64 {
    let size = around(positions).size().length();
    if size.is_finite() { size } else { 0.0 }
}

/// Smallest side of all boxes around bodies, m; infinite where all are points.
pub fn smallest_extent(positions: &[Vec3], bodies: &Bodies) -> f64 {
    let boxes = bodies.ids().map(|body| around(&positions[bodies.vertices(body)]));
    boxes.map(least_extent).fold(f64::INFINITY, f64::min)
}

fn around(points: &[Vec3]) -> Aabb {
    Aabb::around(points.iter().copied())
}

/// Smallest side of a box that is not flat, m.
fn least_extent(space: Aabb) -> f64 {
    let sides = space.size().to_array().into_iter().filter(|side| *side > 0.0);
    sides.fold(f64::INFINITY, f64::min)
}

fn centre(points: &[Vec3]) -> Vec3 {
    points.iter().sum::<Vec3>() / points.len().max(1) as f64
}

/// Whether a segment enters a box, which may be flat, and leaves it again.
fn crosses(space: Aabb, from: Vec3, displacement: Vec3) -> bool {
    let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
    for axis in 0..3 {
        let (low, high) = (space.min[axis] - from[axis], space.max[axis] - from[axis]);
        // Along the sides of the box: inside for all of the segment, or for none.
        if displacement[axis] == 0.0 {
            if low > 0.0 || high < 0.0 {
                return false;
            }
            continue;
        }
        let (a, b) = (low / displacement[axis], high / displacement[axis]);
        (enter, leave) = (enter.max(a.min(b)), leave.min(a.max(b)));
    }
    0.0 < enter && enter <= leave && leave < 1.0
}

/// Whether a point on a straight path goes through an obstacle and comes out again.
fn passes(obstacle: &Obstacle, from: Waypoint, to: Waypoint) -> bool {
    let distance = |at: Waypoint| obstacle.at(at.time).distance(at.position);
    let start = distance(from);
    start > 0.0
        && distance(to) > 0.0
        && obstacle.blocks(from, to).is_some_and(|nearest| nearest <= TOUCHING * start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Passes, Stays};
    use pliant::body::keyframes::{Keyframe, Keyframes};
    use pliant::body::obstacle::{Cuboid, Plane, Shape, SurfaceMaterial};
    use pliant::math::Quat;

    /// What becomes of a path.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Outcome {
        Passes,
        Stays,
    }

    impl From<bool> for Outcome {
        fn from(passes: bool) -> Outcome {
            if passes { Passes } else { Stays }
        }
    }

    const UNIT: Aabb = Aabb { min: Vec3::ZERO, max: Vec3::ONE };

    /// Also from the other end, and with axes renamed.
    #[track_caller]
    fn check_box(space: Aabb, from: [f64; 3], to: [f64; 3], expected: Outcome) {
        for turns in 0..3 {
            let turned = |v: Vec3| {
                let mut numbers = v.to_array();
                numbers.rotate_left(turns);
                Vec3::from_array(numbers)
            };
            let space = Aabb { min: turned(space.min), max: turned(space.max) };
            let [from, to] = [from, to].map(|v| turned(v.into()));
            assert_eq!(Outcome::from(crosses(space, from, to - from)), expected, "{from} {to}");
            assert_eq!(Outcome::from(crosses(space, to, from - to)), expected, "{to} {from}");
        }
    }

    #[test]
    fn a_segment_crosses_a_box_when_both_ends_are_outside_and_a_part_is_inside() {
        check_box(UNIT, [-1.0, 0.5, 0.5], [2.0, 0.5, 0.5], Passes);
        check_box(UNIT, [-0.5, 0.2, 0.5], [1.5, 0.9, 0.4], Passes);
        check_box(UNIT, [-1.0, 0.5, 0.5], [0.5, 0.5, 0.5], Stays); // ends within
        check_box(UNIT, [-1.0, 0.5, 0.5], [-0.1, 0.5, 0.5], Stays); // ends before
        check_box(UNIT, [0.2, 0.5, 0.5], [0.8, 0.5, 0.5], Stays); // all within
        check_box(UNIT, [-1.0, 1.5, 0.5], [2.0, 1.5, 0.5], Stays); // beside
        // Over the edge from (0, 1) to (1, 2): y = x + 1 meets the box in a corner only.
        check_box(UNIT, [-1.0, 0.1, 0.5], [2.0, 3.1, 0.5], Stays);
        check_box(UNIT, [0.5; 3], [0.5; 3], Stays);
    }

    #[test]
    fn a_segment_along_a_face_crosses_on_either_side_alike() {
        check_box(UNIT, [-1.0, 0.0, 0.5], [2.0, 0.0, 0.5], Passes);
        check_box(UNIT, [-1.0, 1.0, 0.5], [2.0, 1.0, 0.5], Passes);
    }

    #[test]
    fn a_flat_box_is_crossed_too() {
        let sheet = Aabb { min: Vec3::ZERO, max: Vec3::new(1.0, 1.0, 0.0) };
        check_box(sheet, [0.5, 0.5, 2.0], [0.5, 0.5, -1.0], Passes);
        check_box(sheet, [0.2, 0.5, 2.0], [0.8, 0.6, -1.0], Passes);
        check_box(sheet, [1.5, 0.5, 2.0], [1.5, 0.5, -1.0], Stays);
    }

    fn obstacle(shape: impl Shape + 'static, frames: Vec<Keyframe>) -> Obstacle {
        let motion = Keyframes::new(frames).unwrap();
        Obstacle::new(shape, motion, SurfaceMaterial::default()).unwrap()
    }

    /// At a height, m.
    fn frame(time: f64, z: f64) -> Keyframe {
        Keyframe { time, position: z * Vec3::Z, rotation: Quat::IDENTITY }
    }

    fn still(shape: impl Shape + 'static) -> Obstacle {
        obstacle(shape, vec![frame(0.0, 0.0)])
    }

    /// A plate of 2 m × 2 m × 2 mm about the origin.
    fn plate() -> Cuboid {
        Cuboid::new(Vec3::new(2.0, 2.0, 0.002)).unwrap()
    }

    #[track_caller]
    fn check_path(obstacle: &Obstacle, from: [f64; 3], to: [f64; 3], expected: Outcome) {
        let at = |position: [f64; 3], time| Waypoint { position: position.into(), time };
        let found = Outcome::from(passes(obstacle, at(from, 0.0), at(to, 1.0)));
        assert_eq!(found, expected, "{from:?} {to:?}");
    }

    #[test]
    fn a_thin_plate_is_never_jumped_over() {
        for far in [0.01, 1.0, 30.0, 1000.0] {
            check_path(&still(plate()), [0.0, 0.0, far], [0.0, 0.0, -far], Passes);
            check_path(&still(plate()), [0.3, 0.1, far], [-0.3, 0.5, -0.7 * far], Passes);
        }
        check_path(&still(plate()), [1.1, 0.0, 5.0], [1.1, 0.0, -5.0], Stays); // beside
        check_path(&still(plate()), [0.0, 0.0, 5.0], [0.0, 0.0, 0.1], Stays); // above
        check_path(&still(plate()), [0.0, 0.0, 5.0], [0.0; 3], Stays); // ends within
        check_path(&still(plate()), [0.0, 0.0, 5.0], [0.0, 0.0, 5.0], Stays); // at rest
    }

    #[test]
    fn sliding_along_a_floor_or_into_it_is_no_tunnelling() {
        check_path(&still(Plane), [0.0, 0.0, 1e-4], [50.0, 0.0, 1e-4], Stays);
        check_path(&still(Plane), [0.0, 0.0, 1.0], [0.0, 0.0, -1.0], Stays);
    }

    #[test]
    fn a_point_that_an_obstacle_carries_does_not_pass_it() {
        let lift = obstacle(plate(), vec![frame(0.0, 0.0), frame(1.0, 3.0)]);
        check_path(&lift, [0.0, 0.0, 0.1], [0.0, 0.0, 3.1], Stays);
        // Overtaken: above the lift before, below it after, and itself at rest.
        check_path(&lift, [0.0, 0.0, 1.0], [0.0, 0.0, 1.0], Passes);
    }

    #[test]
    fn the_farthest_vertex_and_the_smallest_box_are_found() {
        let [before, after] = [[Vec3::ZERO; 3], [Vec3::X, -3.0 * Vec3::Z, Vec3::Y]];
        assert_eq!(farthest(&before, &after), (1, 3.0));
        assert_eq!(farthest(&[], &[]), (0, 0.0));
        assert_eq!(least_extent(Aabb { min: Vec3::ZERO, max: Vec3::new(2.0, 0.0, 3.0) }), 2.0);
        assert_eq!(least_extent(Aabb { min: Vec3::X, max: Vec3::X }), f64::INFINITY);
        assert_eq!(size(&[]), 0.0);
    }
}
