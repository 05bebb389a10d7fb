//! Vertices near or in obstacles, and those that will be within a step.
//!
//! Obstacles may be thin, and bodies fast. A vertex out of reach is followed along its path by
//! sphere tracing, each stride as long as free space is certain; the surface it then reaches is
//! the plane of its speculative contact.

use crate::body::Bodies;
use crate::body::obstacle::{Obstacle, Posed};
use crate::contact::features::Features;
use crate::contact::margin::{Margin, MarginSettings, VelocityBounds};
use crate::contact::{Contact, Feature};
use crate::force::StateView;
use crate::id::{BodyId, VertexId};
use crate::math::{Aabb, Vec3};

/// Factor on half a body's box within which its vertices are, for rounding.
const ROUND: f64 = 1.001;

/// How far the path of a vertex is followed, over that of a step at its velocity.
pub(super) const AHEAD: f64 = 1.25;

/// Most strides along a path; where they end counts as the surface.
const LOOKS: usize = 64;

/// Obstacles and bodies as the search sees them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around<'a> {
    /// Positions and velocities.
    pub motion: StateView<'a>,
    /// The obstacles.
    pub obstacles: &'a [Obstacle],
    /// Sizes of the bodies.
    pub features: &'a Features,
    /// Velocity range of each body.
    pub velocity_bounds: &'a [VelocityBounds],
    /// Box of each body, m.
    pub boxes: &'a [Aabb],
}

/// Appends the contacts between the vertices of a body and the obstacles.
///
/// Friction is that of the obstacle.
pub(crate) fn find(
    around: Around<'_>,
    bodies: &Bodies,
    body: BodyId,
    settings: MarginSettings,
    dt: f64,
    found: &mut Vec<Contact>,
) {
    let Around { motion, obstacles, features, velocity_bounds, boxes } = around;
    let (size, drift) = (features.sizes[body.index()], velocity_bounds[body.index()]);
    let Aabb { min, max } = boxes[body.index()];
    let (centre, radius) = (0.5 * (min + max), 0.5 * ROUND * (max - min).length());
    let near = settings.of(size, f64::INFINITY, dt).reach;
    for (number, obstacle) in obstacles.iter().enumerate() {
        let here = obstacle.at(motion.time);
        let twist = obstacle.motion().twist(motion.time);
        let edge_edge_gap = drift.mean.distance(twist.at(centre - here.pose.position));
        let fastest = edge_edge_gap + drift.spread + twist.angular.length() * radius;
        let steep = here.shape.lipschitz();
        let farthest = near + steep * AHEAD * dt * fastest;
        // No vertex is nearer than the centre, less the distance from there to it.
        if here.distance(centre) - steep * radius > farthest {
            continue;
        }
        for index in bodies.vertices(body) {
            let point = motion.positions[index];
            let gap = here.distance(point);
            // No speed reaches farther; NaN is no contact either.
            if gap.is_nan() || gap > farthest {
                continue;
            }
            let velocity = twist.at(point - here.pose.position);
            let speed = drift.mean.distance(velocity) + drift.spread;
            let Margin { offset, reach, size } = settings.of(size, speed, dt);
            let met = if gap > reach {
                let way = AHEAD * dt * (motion.velocities[index] - velocity);
                ahead(here, point, gap, way, offset)
            } else {
                here.normal(point).map(|normal| (gap, normal))
            };
            let Some((gap, normal)) = met else { continue };
            let vertex = VertexId(index as u32);
            found.push(Contact {
                feature: Feature::VertexObstacle(vertex, number as u32),
                vertices: [vertex; 4],
                weights: [1.0, 0.0, 0.0, 0.0],
                count: 1,
                second: None,
                bodies: (body, None),
                normal,
                gap,
                surface_velocity: velocity,
                min_normal_velocity: 0.0,
                bounce: 0.0,
                friction: obstacle.material().friction,
                offset,
                size,
            });
        }
    }
}

/// Gap, m, and normal of the plane that a point reaches along its path.
///
/// `gap` is the distance of the point from the obstacle now, m.
pub(super) fn ahead(
    here: Posed<'_>,
    point: Vec3,
    gap: f64,
    way: Vec3,
    offset: f64,
) -> Option<(f64, Vec3)> {
    let whole = here.shape.lipschitz() * way.length();
    let (mut distance, mut along) = (gap, 0.0);
    let mut place = point;
    for _ in 0..LOOKS {
        if distance <= offset {
            break;
        }
        // NaN ends it too.
        along += distance / whole;
        if along.is_nan() || along > 1.0 {
            return None;
        }
        place = point + along * way;
        distance = here.distance(place);
    }
    let normal = here.normal(place).filter(|normal| normal.dot(way) < 0.0)?;
    Some((distance + normal.dot(point - place), normal))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::keyframes::Pose;
    use crate::body::keyframes::{Keyframe, Keyframes};
    use crate::body::obstacle::{Cuboid, Plane, SurfaceMaterial};
    use crate::math::Quat;

    const TET: [VertexId; 4] = [VertexId(0), VertexId(1), VertexId(2), VertexId(3)];
    const DT: f64 = 0.01;

    /// Contacts of a tet of 1 m at rest, its base at a height, with the plane z = 0.
    ///
    /// The plane rises at a speed, and is there after one second.
    fn found(height: f64, speed: f64) -> Vec<Contact> {
        let rest = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let bodies = Bodies::from_tets(&[(4, &[TET])]).unwrap();
        let positions = rest.map(|p| p + height * Vec3::Z);
        let frame = |time| {
            let position = speed * (time - 1.0) * Vec3::Z;
            Keyframe { time, position, rotation: Quat::IDENTITY }
        };
        let frames = Keyframes::new(vec![frame(0.0), frame(2.0)]).unwrap();
        let touch = SurfaceMaterial { friction: 0.7, restitution: 0.0 };
        let around = Around {
            motion: StateView { positions: &positions, velocities: &[Vec3::ZERO; 4], time: 1.0 },
            obstacles: &[Obstacle::new(Plane, frames, touch).unwrap()],
            features: &Features::new(&rest, &bodies).unwrap(),
            velocity_bounds: &[VelocityBounds::default()],
            boxes: &[Aabb::around(positions)],
        };
        let mut found = Vec::new();
        find(around, &bodies, BodyId(0), MarginSettings::default(), DT, &mut found);
        found
    }

    #[test]
    fn vertices_above_a_plane_are_in_contact_with_it() {
        let found = found(0.008, 0.0);
        assert_eq!(found.len(), 3); // not the tip
        for (vertex, contact) in found.iter().enumerate() {
            let vertex = VertexId(vertex as u32);
            assert_eq!(contact.feature, Feature::VertexObstacle(vertex, 0));
            assert_eq!(contact.terms().collect::<Vec<_>>(), [(vertex, 1.0)]);
            assert_eq!(contact.bodies, (BodyId(0), None));
            assert_eq!((contact.gap, contact.normal), (0.008, Vec3::Z));
            assert_eq!((contact.friction, contact.surface_velocity), (0.7, Vec3::ZERO));
            assert_eq!((contact.offset, contact.size), (0.005, 1.0));
        }
    }

    #[test]
    fn below_the_plane_gaps_are_negative() {
        assert_eq!(found(-0.3, 0.0)[0].gap, -0.3);
    }

    #[test]
    fn an_obstacle_on_its_way_is_met_sooner_and_drags() {
        // It reaches the offset and two steps: 0.005 + 2 · 0.01 · 3.
        assert!(found(0.066, 3.0).is_empty());
        let contacts = found(0.064, 3.0);
        assert_eq!(contacts.len(), 3);
        assert_eq!(contacts[0].surface_velocity, 3.0 * Vec3::Z);
        assert_eq!(contacts[0].relative(&[Vec3::X; 4]), Vec3::new(1.0, 0.0, -3.0));
    }

    #[test]
    fn beyond_reach_there_is_none() {
        assert!(found(0.0101, 0.0).is_empty());
        // A step at 100 m/s is 1 m long, one at 1000 m/s ten.
        assert!(found(2.0, 100.0).is_empty());
        let met = found(2.0, 1000.0);
        assert!(
            met.len() == 4 && met[0].gap == 2.0 && met[0].surface_velocity == 1000.0 * Vec3::Z,
            "{met:?}"
        );
    }

    #[test]
    fn what_would_pass_through_meets_what_is_in_its_way() {
        let slab = Cuboid::new(Vec3::new(2.0, 2.0, 0.1)).unwrap();
        let still = Keyframes::still(Pose::along(Vec3::ZERO, Vec3::Z).unwrap()).unwrap();
        let slab = Obstacle::new(slab, still, SurfaceMaterial::default()).unwrap();
        let met = |point: Vec3, way: Vec3| {
            let here = slab.at(0.0);
            ahead(here, point, here.distance(point), way, 1e-3)
        };
        let above = Vec3::new(0.2, 0.1, 0.55);
        let (gap, normal) = met(above, -4.0 * Vec3::Z).unwrap();
        assert!((gap - 0.5).abs() < 1e-12 && normal == Vec3::Z, "{gap} {normal}");
        // Obliquely too: the plane counts, not the path.
        let (gap, normal) = met(above, Vec3::new(0.5, 0.0, -2.0)).unwrap();
        assert!((gap - 0.5).abs() < 1e-12 && normal == Vec3::Z, "{gap} {normal}");
        // Too short a path, past the side, or away from it.
        assert_eq!(met(above, -0.4 * Vec3::Z), None);
        assert_eq!(met(above + 2.0 * Vec3::X, -4.0 * Vec3::Z), None);
        assert_eq!(met(above, 4.0 * Vec3::Z), None);
        assert_eq!(met(above, f64::NAN * Vec3::Z), None);
    }
}
