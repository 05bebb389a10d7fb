//! Vertices near or in obstacles.

use crate::body::Bodies;
use crate::body::obstacle::Obstacle;
use crate::force::Motion;
use crate::id::VertexId;
use crate::respond::contact::features::Features;
use crate::respond::contact::margin::{Drift, Margin, MarginSettings};
use crate::respond::contact::{Contact, Feature};

/// Appends the contacts between all vertices and the obstacles.
///
/// `drifts` tell how each body moves. An obstacle's friction is that of the contact.
pub fn find(
    obstacles: &[Obstacle],
    motion: Motion<'_>,
    (bodies, features, drifts): (&Bodies, &Features, &[Drift]),
    (settings, dt): (MarginSettings, f64),
    found: &mut Vec<Contact>,
) {
    for body in bodies.ids() {
        let (size, drift) = (features.sizes[body.index()], drifts[body.index()]);
        for index in bodies.vertices(body) {
            let point = motion.positions[index];
            for (number, obstacle) in obstacles.iter().enumerate() {
                let velocity = obstacle.velocity_at(motion.time, point);
                let speed = drift.mean.distance(velocity) + drift.spread;
                let Margin { offset, reach, size } = settings.of(size, speed, dt);
                let here = obstacle.at(motion.time);
                let gap = here.distance(point);
                if gap.is_nan() || gap > reach {
                    continue;
                }
                let Some(normal) = here.normal(point) else { continue };
                let vertex = VertexId(index as u32);
                found.push(Contact {
                    feature: Feature::VertexObstacle(vertex, number as u32),
                    vertices: [vertex; 4],
                    weights: [1.0, 0.0, 0.0, 0.0],
                    count: 1,
                    bodies: (body, None),
                    normal,
                    gap,
                    drift: velocity,
                    target: 0.0,
                    friction: obstacle.touch().friction,
                    offset,
                    size,
                });
            }
        }
    }
}
