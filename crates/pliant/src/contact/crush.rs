//! Soft bodies that are too fast for their material: how near their centres may come in a step.
//!
//! Where a body is stopped faster than waves run through its material, its back does not know
//! of the impact and runs into its own front: elements invert, and bodies pass through each
//! other. Contacts of the surface cannot prevent this. Before the step, the mean velocities of
//! such bodies are changed so that their centres do not come nearer than half of what they are
//! at rest, by impulses along the line between the centres, which keep momentum and angular
//! momentum and can only take energy. Slower bodies are left alone.
//!
//! | here       | meaning                                                              |
//! |------------|----------------------------------------------------------------------|
//! | `nearest`  | distance of the centres below which they may not come, m             |
//! | `approach` | speed at which they come nearer, m/s                                 |

use crate::body::obstacle::Obstacle;
use crate::contact::output::ContactOutput;
use crate::contact::response::StepContext;
use crate::contact::{Contact, Feature};
use crate::id::{BodyId, VertexId};
use crate::math::Vec3;

/// Share of half a size that stays of a soft body that is crushed.
const LEFT: f64 = 0.5;

/// Share of the smaller size that bodies may approach in a step without a look at them.
const SLOW: f64 = 0.25;

/// Distance of the farthest vertex from the centre, in sizes, up to which a body is compact.
///
/// Of a cube it is 0.87, and more once it is crushed.
const COMPACT: f64 = 1.2;

/// A body as one point.
#[derive(Clone, Copy, Debug)]
struct Centre {
    /// kg; infinite where it is held.
    mass: f64,
    position: Vec3,
    velocity: Vec3,
    /// Distance of its centre from what it touches at least, m.
    half: f64,
    is_soft: bool,
    /// Whether it is about as wide as it is thick, and its centre stands for it.
    is_compact: bool,
}

/// Appends the impulses of fast pairs among contacts.
///
/// `sizes` are those of the bodies, m.
pub(crate) fn limit(
    context: StepContext<'_>,
    obstacles: &[Obstacle],
    sizes: &[f64],
    output: &mut ContactOutput,
) {
    let mut pairs: Vec<(BodyId, Option<BodyId>, u32)> = Vec::new();
    // What is rigid is not crushed.
    let can_bend = |row: &&Contact| !context.rigids.are_rigid(row.bodies);
    for row in output.rows.iter().filter(can_bend) {
        let approach = -row.normal.dot(row.relative(context.motion.velocities));
        if approach * context.dt > SLOW * row.size {
            let obstacle = match row.feature {
                Feature::VertexObstacle(_, number) => number,
                _ => 0,
            };
            pairs.push(pair_of(row, obstacle));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    for (a, b, obstacle) in pairs {
        match b {
            Some(b) => between(context, [a, b], sizes, output),
            None => {
                let obstacle = obstacles.get(obstacle as usize);
                obstacle.into_iter().for_each(|it| against(context, a, it, sizes, output));
            }
        }
    }
}

fn pair_of(row: &Contact, obstacle: u32) -> (BodyId, Option<BodyId>, u32) {
    match row.bodies {
        (a, Some(b)) => (a.min(b), Some(a.max(b)), 0),
        (a, None) => (a, None, obstacle),
    }
}

/// Keeps the centres of two bodies apart.
fn between(
    context: StepContext<'_>,
    bodies: [BodyId; 2],
    sizes: &[f64],
    output: &mut ContactOutput,
) {
    let [a, b] = bodies.map(|body| Centre::of(context, body, sizes[body.index()]));
    if !(a.is_soft || b.is_soft) || !(a.is_compact && b.is_compact) {
        return;
    }
    let apart = a.position - b.position;
    let Some(normal) = apart.try_normalize() else { return };
    let approach = -normal.dot(a.velocity - b.velocity);
    let allowed = (apart.length() - a.half - b.half).max(0.0) / context.dt;
    let inverse = a.mass.recip() + b.mass.recip();
    if !(approach > allowed && inverse > 0.0) {
        return;
    }
    let impulse = (approach - allowed) / inverse * normal;
    push(context, bodies[0], impulse / a.mass, output);
    push(context, bodies[1], -impulse / b.mass, output);
}

/// Keeps the centre of a body out of an obstacle.
fn against(
    context: StepContext<'_>,
    body: BodyId,
    obstacle: &Obstacle,
    sizes: &[f64],
    output: &mut ContactOutput,
) {
    let centre = Centre::of(context, body, sizes[body.index()]);
    let time = context.motion.time;
    let here = obstacle.at(time);
    let Some(normal) = here.normal(centre.position).filter(|_| centre.is_soft && centre.is_compact)
    else {
        return;
    };
    let approach = -normal.dot(centre.velocity - obstacle.velocity_at(time, centre.position));
    let allowed = (here.distance(centre.position) - centre.half).max(0.0) / context.dt;
    if !(approach > allowed && centre.mass.is_finite()) {
        return;
    }
    let change = (approach - allowed) * normal;
    let first = output.impulses.len();
    push(context, body, change, output);
    let ContactOutput { impulses, external_impulses, .. } = output;
    external_impulses.extend_from_slice(&impulses[first..]);
}

/// Changes the velocity of all vertices of a body, m/s.
fn push(context: StepContext<'_>, body: BodyId, change: Vec3, output: &mut ContactOutput) {
    let masses = context.masses.of();
    let vertices = context.bodies.vertices(body);
    output.impulses.extend(vertices.map(|v| (VertexId(v as u32), masses[v] * change)));
}

impl Centre {
    fn of(context: StepContext<'_>, body: BodyId, size: f64) -> Centre {
        let StepContext { bodies, motion, masses, pins, rigids, .. } = context;
        let vertices = bodies.vertices(body);
        let (mut mass, mut position, mut velocity) = (0.0, Vec3::ZERO, Vec3::ZERO);
        for v in vertices.clone() {
            let own = masses.of()[v];
            mass += own;
            position += own * motion.positions[v];
            velocity += own * motion.velocities[v];
        }
        let first = pins.vertices().partition_point(|v| v.index() < vertices.start);
        let is_held = pins.vertices().get(first).is_some_and(|v| v.index() < vertices.end);
        let is_soft = rigids.index(body).is_none();
        let position = position / mass;
        let far = |v: usize| motion.positions[v].distance(position);
        Centre {
            is_compact: vertices.map(far).fold(0.0, f64::max) <= COMPACT * size,
            mass: if is_held { f64::INFINITY } else { mass },
            position,
            velocity: velocity / mass,
            half: 0.5 * size * if is_soft { LEFT } else { 1.0 },
            is_soft,
        }
    }
}
