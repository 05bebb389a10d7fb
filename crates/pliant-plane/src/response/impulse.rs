//! The constrained response: no step ends with outlines that share a point.
//!
//! A step that would end so is rejected and made again in shorter parts, by
//! [`pliant::step::Stepper::with_halvings`]: a bisection in time to the last free state. Outlines that
//! have come near are kept apart by impulses before the next part.
//!
//! | here       | formula                  | meaning                                         |
//! |------------|--------------------------|-------------------------------------------------|
//! | `distance` | T                        | gap up to which there is a contact, m           |
//! | `gap`      | g                        | of one contact, m                               |
//! | `approach` | −u·n                     | speed of both sides towards each other, m/s     |
//! | `target`   | e u, or (T/2 − g)/dt     | speed apart that a contact is brought to, m/s   |
//!
//! Two polygons are nearest at a vertex of one of them, so contacts of all vertices within T of
//! the other outline leave nothing out. They rest at a gap of T/2.

use crate::boundary::outward;
use crate::segment::{nearest_along, place};
use crate::{BackendError, Pair, Place, ProximityQuery, QueryFlags};
use pliant::body::soft::Masses;
use pliant::contact::output::{ContactOutput, ContactStats};
use pliant::contact::response::refuse_unsound;
use pliant::contact::response::{Response, StepContext};
use pliant::force::StepRejection;
use pliant::id::VertexId;
use pliant::math::{Vec2, Vec3};
use pliant::profile::{Stage, StageTimer};

use super::contact_point::ContactPoint;
use super::penalty::describe;
use super::{Flat, OutlinesError, refused};

/// Sweeps over all contacts at most.
const SWEEPS: usize = 100;

/// The same in parts of a step that many rejections have made short.
const MORE_SWEEPS: usize = 3000;

/// A part of a step below this share of it is short.
const SHORT: f64 = 1e-3;

/// A part of a step below this share of it makes no progress: gaps must open fast.
const STUCK: f64 = 1e-7;

/// Change of a sweep below which sweeps end, relative to the largest impulse.
const CONVERGED: f64 = 1e-10;

/// An approach that closes less than this share of the contact distance in a step is rest.
const REST: f64 = 0.125;

/// Share of a missing gap that is recovered in a step.
const WIN_BACK: f64 = 0.5;

/// Share of the contact distance that is recovered in a second at most, 1/s.
const OPENING: f64 = 1.0;

/// Farthest that a point may go in one part, in shorter sides of the smallest outline.
const FARTHEST: f64 = 0.25;

/// Gaps below this share of the coordinates have no direction of their own.
const NO_GAP: f64 = 1e-13;

/// Error of the backend's lengths over the contact distance.
const ERROR: f64 = 0.25;

/// Settings of the constrained response.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutlineImpulseSettings {
    /// Gap up to which there is a contact, m; positive. Things rest at half of it.
    pub distance: f64,
    /// Coulomb's coefficient; at least 0.
    pub friction: f64,
    /// Share of the speed of an impact that comes back; from 0 to 1.
    pub restitution: f64,
    /// Length of a whole step, s; positive.
    pub dt: f64,
    /// Acceleration of everything that moves, m/s²; contacts bear it within the step.
    pub gravity: Vec2,
}

impl OutlineImpulseSettings {
    fn check(&self) -> Result<(), OutlinesError> {
        let OutlineImpulseSettings { distance, friction, restitution, dt, gravity } = *self;
        let weight = gravity.length();
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let not_negative = |value: f64| value >= 0.0 && value.is_finite();
        let share = (0.0..=1.0).contains(&restitution);
        let list = [
            ("distance", distance, positive(distance), "positive and finite"),
            ("friction", friction, not_negative(friction), "at least 0 and finite"),
            ("restitution", restitution, share, "from 0 to 1"),
            ("time step", dt, positive(dt), "positive and finite"),
            ("gravity", weight, not_negative(weight), "finite"),
        ];
        refuse_unsound("constrained response", &list).map_err(OutlinesError::Setting)
    }
}

/// A vertex near another outline.
#[derive(Clone, Copy, Debug)]
struct Contact {
    /// The vertex, and the nearest point of the other.
    sides: [ContactPoint; 2],
    /// Unit, from the second side to the first.
    normal: Vec2,
    /// Effective mass of both along the normal and across it, kg.
    masses: [f64; 2],
    /// Speed apart to be reached, m/s.
    target: f64,
    /// Accumulated impulse along the normal and across it, N·s.
    given: [f64; 2],
}

/// Velocities while contacts are solved.
#[derive(Clone, Debug, Default)]
struct Velocities {
    /// Of the centre of each outline, m/s, and its spin, rad/s; used where it is rigid.
    rigid: Vec<(Vec2, f64)>,
    /// Of each vertex of the scene, m/s; used where its outline is soft.
    soft: Vec<Vec2>,
}

/// Impulses that keep outlines apart.
///
/// Has no state from step to step. Nothing keeps an outline from meeting itself; one that
/// goes farther in a part of a step than a quarter of the smallest one's shorter side makes the
/// part shorter, so that it does not pass through another, as long as that is not thinner still.
///
/// - Implements: [Hoff01 §3], the constrained simulation: bisection in time to the state just
///   before a collision, then a collision response at the contacts found there.
/// - Deviates: contacts are all vertices within the distance; impulses are repeated until all
///   contacts agree, and low speeds do not bounce.
#[derive(Debug)]
pub struct OutlineImpulses {
    flat: Flat,
    settings: OutlineImpulseSettings,
    contacts: Vec<Contact>,
    velocities: Velocities,
    /// Points at the start of the part, m.
    start: Vec<Vec2>,
    /// Farthest that a point may go in one part, m.
    farthest: f64,
}

impl OutlineImpulses {
    /// Keeps the outlines of a scene apart, which they must be as `context` has them.
    pub fn new(
        mut flat: Flat,
        settings: OutlineImpulseSettings,
        context: StepContext<'_>,
    ) -> Result<OutlineImpulses, OutlinesError> {
        settings.check()?;
        flat.place(context);
        match overlapping(&mut flat, settings.distance) {
            Err(error) => return Err(OutlinesError::Backend(error)),
            Ok(Some(Pair { a, b })) => {
                let [a, b] = [a, b].map(|outline| flat.bodies[outline as usize]);
                return Err(OutlinesError::Overlap { a, b });
            }
            Ok(None) => {}
        }
        let smallest = flat.sizes.iter().copied().fold(f64::INFINITY, f64::min);
        Ok(OutlineImpulses {
            flat,
            settings,
            contacts: Vec::new(),
            velocities: Velocities::default(),
            start: Vec::new(),
            farthest: FARTHEST * smallest,
        })
    }

    /// Finds all vertices near other outlines.
    fn find(&mut self, context: StepContext<'_>) -> Result<(), BackendError> {
        let OutlineImpulses { flat, settings, contacts, start, .. } = self;
        let distance = settings.distance;
        contacts.clear();
        flat.place(context);
        start.clear();
        start.extend_from_slice(flat.outlines.points());
        let wanted = QueryFlags { vertices: false, contacts: true, ..QueryFlags::DEPTHS };
        let question =
            ProximityQuery { error: ERROR * distance, contact_distance: distance, flags: wanted };
        flat.query(&question, distance)?;
        let touching = flat.found().filter(|(_, answer)| !answer.contacts.is_empty());
        for (Pair { a, b }, answer) in touching {
            for contact in &answer.contacts {
                // The nearest of all may be between vertices as a coarse backend sees it; images
                // may leave out gaps near the limit, and overlap is then rejected below.
                let sides = [contact.on_a, contact.on_b];
                contacts.extend(close(flat, settings, sides, context));
            }
            for (own, other) in [(a, b), (b, a)] {
                let reach = flat.near.boxes()[other as usize].grown(distance);
                for at in flat.outlines.range(own as usize) {
                    let point = flat.outlines.points()[at];
                    if !reach.contains(point) {
                        continue;
                    }
                    let at = Place { segment: at as u32, along: 0.0 };
                    // Every segment: near a corner that looks inward there are two to keep off.
                    for out in flat.outlines.range(other as usize) {
                        let ends = flat.outlines.segment(out);
                        let along = nearest_along(ends, point);
                        // The end of a segment is the beginning of the next.
                        if along < 1.0 && place(ends, along).distance(point) <= distance {
                            let out = Place { segment: out as u32, along };
                            contacts.extend(close(flat, settings, [at, out], context));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Repeats impulses until no contact closes faster than it may.
    fn solve(&mut self, context: StepContext<'_>) {
        let OutlineImpulses { flat, settings, contacts, velocities, .. } = self;
        velocities.take(flat, context, context.dt * settings.gravity);
        let sweeps = if settings.is_short(context.dt) { MORE_SWEEPS } else { SWEEPS };
        for _ in 0..sweeps {
            let (mut change, mut largest) = (0.0_f64, 0.0_f64);
            for contact in contacts.iter_mut() {
                let step = contact.relax(settings.friction, flat, context.masses, velocities);
                change = change.max(step);
                largest = largest.max(contact.given[0]);
            }
            if change <= CONVERGED * largest {
                break;
            }
        }
    }
}

/// A contact of two places; `None` where both sides are pinned or no normal exists.
fn close(
    flat: &Flat,
    settings: &OutlineImpulseSettings,
    places: [Place; 2],
    context: StepContext<'_>,
) -> Option<Contact> {
    let mut sides = places.map(|at| flat.contact_point(at));
    let way = sides[0].position - sides[1].position;
    let gap = way.length();
    // Almost touching: the way is rounding, and the other's boundary gives the direction.
    let is_clear = gap > NO_GAP * sides[0].position.abs().max_element();
    let own = if is_clear { way.try_normalize() } else { None };
    let normal = own.or_else(|| outward(&flat.outlines, places[1]))?;
    // Both sides of a contact act at one point, or what rubs would turn them: a rigid side reaches
    // across the gap.
    if flat.is_rigid(&sides[1]) {
        sides[1].position = sides[0].position;
    } else if flat.is_rigid(&sides[0]) {
        sides[0].position = sides[1].position;
    }
    let inv_mass = |direction: Vec2| -> f64 {
        sides.iter().map(|side| flat.inv_mass(side, direction, context.masses)).sum()
    };
    let (along, across) = (inv_mass(normal), inv_mass(normal.perp()));
    if along <= 0.0 {
        return None;
    }
    let [own, other] = [&sides[0], &sides[1]].map(|side| side.velocity(context.motion.velocities));
    let approach = (other - own).dot(normal);
    let target = settings.target(gap, approach, context.dt);
    Some(Contact { sides, normal, masses: [1.0 / along, 1.0 / across], target, given: [0.0; 2] })
}

impl OutlineImpulseSettings {
    /// Whether many rejections have made a part of a step short.
    fn is_short(&self, dt: f64) -> bool {
        dt < SHORT * self.dt
    }

    /// Speed apart that a contact is brought to, m/s; negative where it may still close.
    fn target(&self, gap: f64, approach: f64, dt: f64) -> f64 {
        let lacking = 0.5 * self.distance - gap;
        let speed = WIN_BACK * lacking / self.dt;
        let opening = if lacking <= 0.0 {
            lacking / dt
        } else if dt < STUCK * self.dt {
            // There is no room left to be gentle.
            speed
        } else {
            speed.min(OPENING * self.distance)
        };
        let is_impact = approach * self.dt > REST * self.distance;
        if is_impact { opening.max(self.restitution * approach) } else { opening }
    }
}

impl Contact {
    /// Brings the contact to its target; returns the change of its impulse, N·s.
    fn relax(
        &mut self,
        friction: f64,
        flat: &Flat,
        masses: &Masses,
        velocities: &mut Velocities,
    ) -> f64 {
        let relative = velocities.at(flat, &self.sides[0]) - velocities.at(flat, &self.sides[1]);
        let normal = self.given[0] + self.masses[0] * (self.target - relative.dot(self.normal));
        let normal = normal.max(0.0);
        let tangent = self.normal.perp();
        let most = friction * normal;
        let rub = self.given[1] - self.masses[1] * relative.dot(tangent);
        let rub = rub.clamp(-most, most);
        let [along, across] = [normal - self.given[0], rub - self.given[1]];
        let impulse = along * self.normal + across * tangent;
        velocities.push(flat, &self.sides[0], impulse, masses);
        velocities.push(flat, &self.sides[1], -impulse, masses);
        self.given = [normal, rub];
        along.abs().max(across.abs())
    }
}

impl Velocities {
    /// Takes over all velocities; adds `fall`, m/s, to what is free.
    fn take(&mut self, flat: &Flat, context: StepContext<'_>, fall: Vec2) {
        let StepContext { bodies, motion, masses, .. } = context;
        let of = |(velocity, held): (&Vec3, &bool)| {
            velocity.truncate() + if *held { Vec2::ZERO } else { fall }
        };
        self.soft.clear();
        self.soft.extend(motion.velocities.iter().zip(&flat.held).map(of));
        self.rigid.clear();
        self.rigid.resize(flat.len(), (Vec2::ZERO, 0.0));
        for (outline, lamina) in flat.laminas.iter().enumerate() {
            if lamina.is_none() {
                continue;
            }
            let (mut sum, mut total, mut turning, mut inertia) = (Vec2::ZERO, 0.0, 0.0, 0.0);
            for v in bodies.vertices(flat.bodies[outline]) {
                let (mass, velocity) = (masses.of()[v], self.soft[v]);
                let arm = motion.positions[v].truncate() - flat.centres[outline];
                sum += mass * velocity;
                total += mass;
                // The arms add up to nothing, so the velocity of the centre falls out.
                turning += mass * arm.perp_dot(velocity);
                inertia += mass * arm.length_squared();
            }
            self.rigid[outline] = (sum / total, turning / inertia);
        }
    }

    /// Velocity of a point, m/s.
    fn at(&self, flat: &Flat, point: &ContactPoint) -> Vec2 {
        let outline = point.outline as usize;
        if flat.laminas[outline].is_some() {
            let (velocity, spin) = self.rigid[outline];
            return velocity + spin * (point.position - flat.centres[outline]).perp();
        }
        let [a, b] = point.ends.map(|end| self.soft[end.index()]);
        point.shares[0] * a + point.shares[1] * b
    }

    /// Applies an impulse on a point, N·s.
    fn push(&mut self, flat: &Flat, point: &ContactPoint, impulse: Vec2, masses: &Masses) {
        let outline = point.outline as usize;
        if let Some(lamina) = flat.laminas[outline] {
            let arm = point.position - flat.centres[outline];
            let (velocity, spin) = &mut self.rigid[outline];
            *velocity += impulse / lamina.mass;
            *spin += arm.perp_dot(impulse) / lamina.inertia;
            return;
        }
        for (end, share) in point.ends.into_iter().zip(point.shares) {
            if !flat.held[end.index()] {
                self.soft[end.index()] += (share / masses.of()[end.index()]) * impulse;
            }
        }
    }
}

/// The first pair that shares a point.
fn overlapping(flat: &mut Flat, distance: f64) -> Result<Option<Pair>, BackendError> {
    let wanted = QueryFlags { vertices: false, ..QueryFlags::DEPTHS };
    let question = ProximityQuery { error: ERROR * distance, contact_distance: 0.0, flags: wanted };
    flat.query(&question, 0.0)?;
    Ok(flat.found().find(|(_, answer)| answer.intersects).map(|(pair, _)| pair))
}

impl Response for OutlineImpulses {
    fn pre_step(&mut self, context: StepContext<'_>, output: &mut ContactOutput) {
        if self.flat.is_empty() {
            return;
        }
        {
            let _timer = StageTimer::new(context.profiler, Stage::Detect);
            if let Err(error) = self.find(context) {
                output.rejection = Some(refused(&mut self.flat, &error));
                return;
            }
        }
        let _timer = StageTimer::new(context.profiler, Stage::Contact);
        self.solve(context);
        let mut count = 0;
        for contact in &self.contacts {
            let Contact { sides: [own, other], normal, given, .. } = contact;
            let impulse = given[0] * *normal + given[1] * normal.perp();
            if impulse != Vec2::ZERO {
                count += 1;
                push_free(&self.flat, own, impulse, &mut output.impulses);
                push_free(&self.flat, other, -impulse, &mut output.impulses);
                describe(&self.flat, [*own, *other], impulse, &mut output.external_impulses);
            }
        }
        output.stats.add(ContactStats { contacts: count, unresolved: 0, shift: 0.0 });
    }

    fn post_step(&mut self, context: StepContext<'_>, output: &mut ContactOutput) {
        if self.flat.is_empty() {
            return;
        }
        let _timer = StageTimer::new(context.profiler, Stage::Detect);
        self.flat.place(context);
        let ways = self.flat.outlines.points().iter().zip(&self.start);
        let way = |(now, then): (&Vec2, &Vec2)| now.distance(*then);
        let far = ways.map(way).position(|way| way > self.farthest);
        if let Some(point) = far {
            let value = self.flat.outlines.points()[point].distance(self.start[point]);
            let (vertex, limit) = (self.flat.vertices[point], self.farthest);
            output.rejection = Some(StepRejection { vertex, what: "a way of", value, limit });
            return;
        }
        match overlapping(&mut self.flat, self.settings.distance) {
            Ok(None) => {}
            Ok(Some(pair)) => {
                let first = self.flat.outlines.range(pair.a as usize).start;
                let vertex = self.flat.vertices[first];
                let what = "an overlap of its outline: a gap of";
                output.rejection = Some(StepRejection { vertex, what, value: 0.0, limit: 0.0 });
            }
            Err(error) => output.rejection = Some(refused(&mut self.flat, &error)),
        }
    }
}

/// Appends an impulse on a point with its couple; not on pinned vertices.
fn push_free(flat: &Flat, point: &ContactPoint, impulse: Vec2, list: &mut Vec<(VertexId, Vec3)>) {
    let is_rigid = flat.is_rigid(point);
    if is_rigid {
        let couple = (point.position - flat.foot(point)).perp_dot(impulse);
        flat.turn(point, couple, list);
    }
    for (end, share) in point.ends.into_iter().zip(point.shares) {
        if share != 0.0 && (is_rigid || !flat.held[end.index()]) {
            list.push((end, (share * impulse).extend(0.0)));
        }
    }
}
