//! Vertices near or in obstacles.

use crate::body::Bodies;
use crate::body::obstacle::Obstacle;
use crate::force::Motion;
use crate::id::{BodyId, VertexId};
use crate::respond::contact::features::Features;
use crate::respond::contact::margin::{Drift, Margin, MarginSettings};
use crate::respond::contact::{Contact, Feature};

/// What vertices may meet besides bodies.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// Where vertices are and how they move.
    pub motion: Motion<'a>,
    /// What is in their way.
    pub obstacles: &'a [Obstacle],
    /// Sizes of the bodies.
    pub features: &'a Features,
    /// How each body moves.
    pub drifts: &'a [Drift],
}

/// Appends the contacts between the vertices of a body and the obstacles.
///
/// An obstacle's friction is that of the contact.
pub fn find(
    around: Around<'_>,
    bodies: &Bodies,
    body: BodyId,
    (settings, dt): (MarginSettings, f64),
    found: &mut Vec<Contact>,
) {
    let Around { motion, obstacles, features, drifts } = around;
    let (size, drift) = (features.sizes[body.index()], drifts[body.index()]);
    let farthest = settings.of(size, f64::INFINITY, dt).reach;
    for (number, obstacle) in obstacles.iter().enumerate() {
        let here = obstacle.at(motion.time);
        for index in bodies.vertices(body) {
            let point = motion.positions[index];
            let gap = here.distance(point);
            // At no speed is farther looked; not-a-number is no contact either.
            if gap.is_nan() || gap > farthest {
                continue;
            }
            let velocity = obstacle.velocity_at(motion.time, point);
            let speed = drift.mean.distance(velocity) + drift.spread;
            let Margin { offset, reach, size } = settings.of(size, speed, dt);
            if gap > reach {
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
                friction: obstacle.touch().friction,
                offset,
                size,
            });
        }
    }
}
