//! Moves bodies that turn fast out of the obstacles that they turned into within a step.
//!
//! Contacts are those of the start of a step, followed along straight paths, and to the second
//! order of turns in substeps. What turns by a radian in a step brings vertices down that had no
//! contact then, or another one. So each body that turns by more than a tenth is held against the
//! obstacles where it ends, and is translated out, with all that it is attached or jointed to.
//! Velocities stay: the next step finds the contact.
//!
//! Slower bodies are left to contacts and position correction, which open gently.
//!
//! | here     | meaning                                          |
//! |----------|--------------------------------------------------|
//! | `depth`  | of the deepest vertex, m                         |
//! | `leader` | least body of those that are attached or jointed |
//! | `way`    | translation so far, m                            |

use crate::body::BodyKind;
use crate::body::obstacle::Obstacle;
use crate::contact::output::RigidShift;
use crate::contact::response::StepContext;
use crate::contact::rules::ContactRules;
use crate::id::BodyId;
use crate::math::{Quat, Vec3};
use crate::solve::joint::Joints;

/// Way of a vertex relative to its body in a step, per size, from which the body turns fast.
const FAST: f64 = 0.1;

/// Obstacles that a body may be moved out of in turn, as in a corner.
const PASSES: usize = 4;

/// A body that may be in an obstacle.
#[derive(Clone, Copy, Debug)]
struct Turned {
    leader: BodyId,
    body: BodyId,
    obstacle: u32,
    /// Longest translation, m: what is in deeper did not come there by turning.
    longest: f64,
}

/// A step that was made.
#[derive(Clone, Copy, Debug)]
pub struct Made<'a> {
    /// Everything at the end.
    pub end: StepContext<'a>,
    /// The obstacles.
    pub obstacles: &'a [Obstacle],
    /// Who meets whom.
    pub rules: &'a ContactRules,
    /// Of the bodies, m.
    pub sizes: &'a [f64],
    /// Joints of the rigid bodies.
    pub joints: &'a Joints,
}

/// Scratch memory.
#[derive(Clone, Debug, Default)]
pub struct ObstacleProjection {
    touches: Vec<Turned>,
    /// Of each body; none where it must not be moved.
    leaders: Vec<Option<BodyId>>,
    /// Bodies that are held.
    held: Vec<BodyId>,
}

impl ObstacleProjection {
    /// Appends translations of bodies that turn fast and have a vertex in an obstacle.
    ///
    /// Bodies that are pinned or jointed to the world stay, and so does what has no surface. No
    /// translation is longer than the body's size, or than what its vertices turned by.
    pub fn find(&mut self, made: Made<'_>, shifts: &mut Vec<RigidShift>) {
        self.touches.clear();
        for body in made.end.bodies.ids() {
            let Some(&size) = made.sizes.get(body.index()) else { continue };
            if !made.end.bodies.kind(body).has_surface() {
                continue;
            }
            let turned = turned(body, made.end);
            if turned > FAST * size {
                let near = (0..made.obstacles.len() as u32).filter(|k| made.rules.meets(body, *k));
                let longest = turned.max(size);
                let touch = |obstacle| Turned { leader: body, body, obstacle, longest };
                self.touches.extend(near.map(touch));
            }
        }
        if !self.touches.iter().any(|touch| deepest(touch, Vec3::ZERO, made).is_some()) {
            return;
        }
        self.connect(made.end, made.joints);
        let ObstacleProjection { touches, leaders, .. } = self;
        touches.retain_mut(|touch| {
            let leader = leaders[touch.body.index()];
            touch.leader = leader.unwrap_or(touch.body);
            leader.is_some()
        });
        touches.sort_unstable_by_key(|touch| (touch.leader, touch.body, touch.obstacle));
        for group in touches.chunk_by(|a, b| a.leader == b.leader) {
            let shift = way_out(group, made);
            if shift == Vec3::ZERO {
                continue;
            }
            let (centre, turn) = (Vec3::ZERO, Quat::IDENTITY);
            let members = made.end.bodies.ids().zip(&*leaders);
            let members = members.filter(|(_, leader)| **leader == Some(group[0].leader));
            shifts.extend(members.map(|(body, _)| RigidShift { body, centre, turn, shift }));
        }
    }

    /// Finds what attachments and joints connect, and what is held.
    fn connect(&mut self, context: StepContext<'_>, joints: &Joints) {
        let StepContext { bodies, pins, rigids, .. } = context;
        let ObstacleProjection { leaders, held, .. } = self;
        leaders.clear();
        leaders.extend(bodies.ids().map(|body| Some(rigids.group(body).unwrap_or(body))));
        let stays = |body: &BodyId| {
            let own = bodies.vertices(*body);
            let first = pins.vertices().partition_point(|v| v.index() < own.start);
            let is_pinned = pins.vertices().get(first).is_some_and(|v| v.index() < own.end);
            is_pinned || bodies.kind(*body) == BodyKind::SpringNetwork
        };
        held.clear();
        held.extend(bodies.ids().filter(stays));
        let body = |place: usize| rigids.entries().get(place).map(|member| member.id);
        for joint in joints.list() {
            let Some(a) = body(joint.bodies.0) else { continue };
            let Some(b) = joint.bodies.1.and_then(body) else {
                held.push(a);
                continue;
            };
            let (a, b) = (leaders[a.index()], leaders[b.index()]);
            replace(leaders, a.max(b), a.min(b));
        }
        for body in held {
            let leader = leaders[body.index()];
            replace(leaders, leader, None);
        }
    }
}

/// Gives all bodies of one leader another.
fn replace(leaders: &mut [Option<BodyId>], old: Option<BodyId>, new: Option<BodyId>) {
    if old.is_some() {
        leaders.iter_mut().filter(|leader| **leader == old).for_each(|leader| *leader = new);
    }
}

/// Least translations out of one obstacle after the other, m.
fn way_out(group: &[Turned], made: Made<'_>) -> Vec3 {
    let (mut way, mut longest) = (Vec3::ZERO, f64::INFINITY);
    let deepest_at = |way: Vec3| {
        let depths = group.iter().filter_map(|touch| Some(deepest(touch, way, made)?.0));
        depths.fold(0.0, f64::max)
    };
    let before = deepest_at(way);
    for _ in 0..PASSES {
        let mut worst: Option<(f64, Vec3)> = None;
        for touch in group {
            let Some((depth, normal)) = deepest(touch, way, made) else { continue };
            longest = longest.min(touch.longest);
            if depth > worst.map_or(0.0, |(most, _)| most) {
                worst = Some((depth, normal));
            }
        }
        let Some((depth, normal)) = worst else { break };
        way += depth * normal;
    }
    let way = way.clamp_length_max(longest);
    // Between obstacles that leave no room, the way out of one leads into the other.
    if deepest_at(way) < before { way } else { Vec3::ZERO }
}

/// Longest way of a vertex of a body relative to it, m.
fn turned(body: BodyId, context: StepContext<'_>) -> f64 {
    let own = &context.motion.velocities[context.bodies.vertices(body)];
    let mean = own.iter().sum::<Vec3>() / own.len() as f64;
    let fastest = own.iter().fold(0.0, |most: f64, v| most.max(v.distance_squared(mean)));
    context.dt * fastest.sqrt()
}

/// Depth of the deepest vertex of a body that was moved, m, and the way out.
fn deepest(touch: &Turned, way: Vec3, made: Made<'_>) -> Option<(f64, Vec3)> {
    let Made { end, obstacles, .. } = made;
    let here = obstacles.get(touch.obstacle as usize)?.at(end.motion.time);
    let mut worst: Option<(f64, Vec3)> = None;
    for &point in &end.motion.positions[end.bodies.vertices(touch.body)] {
        let depth = -here.distance(point + way);
        if depth > worst.map_or(0.0, |(most, _)| most) {
            worst = Some((depth, point + way));
        }
    }
    let (depth, point) = worst?;
    Some((depth, here.normal(point)?))
}
