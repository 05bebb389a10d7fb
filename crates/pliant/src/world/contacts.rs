//! Contacts of the last step, and which began and ended with it.

use crate::contact::Contact;
use crate::contact::Feature;
use crate::contact::impulse::ContactImpulse;
use crate::id::BodyId;
use crate::math::Vec3;
use crate::order::KeptOrder;
use crate::record::contact_load::ContactLoad;
use crate::world::handle::Collider;
use crate::world::{BodyHandle, ObstacleHandle};

/// A contact ends when its gap is larger than this many offsets.
const APART: f64 = 2.0;

/// A point at which two things touch, in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactPoint {
    /// The first body.
    pub body: BodyHandle,
    /// What it touches.
    pub other: Collider,
    /// Where, on the first body, m.
    pub point: Vec3,
    /// Unit, from the other to the first.
    pub normal: Vec3,
    /// Distance along the normal at the start of the step, m; negative when they overlap.
    pub gap: f64,
    /// Impulse on the first body, friction included, N·s; on the other the opposite.
    pub impulse: Vec3,
}

/// Two things that began or ceased to touch in the last step.
///
/// ```
/// use pliant::prelude::*;
///
/// let mut world = World::new();
/// let floor = world.add(Obstacle::plane(Vec3::Z, 0.0))?;
/// let die = world.add(RigidBody::cuboid(Vec3::splat(0.1)).at(vec3(0.0, 0.0, 0.2)))?;
/// let mut events: Vec<ContactEvent> = Vec::new();
/// for _ in 0..60 {
///     world.step()?;
///     events.extend(world.events());
/// }
/// assert_eq!(events[0].kind, ContactEventKind::Began);
/// assert_eq!((events[0].body, events[0].other), (die, Collider::Obstacle(floor)));
/// assert!(events[0].impulse.z > 0.0); // the floor pushes up
/// # Ok::<(), WorldError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactEvent {
    /// Whether they began to touch, or ceased to.
    pub kind: ContactEventKind,
    /// The first body.
    pub body: BodyHandle,
    /// What it touches.
    pub other: Collider,
    /// Impulse on the first body in the step, N·s; zero when they part.
    pub impulse: Vec3,
}

/// What happened to a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ContactEventKind {
    /// They touch, and did not before.
    Began,
    /// They do not touch any more.
    Ended,
}

/// Which pairs touch, from step to step.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts {
    pub points: Vec<ContactPoint>,
    pub events: Vec<ContactEvent>,
    /// Length of the step, s.
    pub dt: f64,
    /// Pairs that touch, ascending.
    touching: Vec<(BodyHandle, Collider)>,
    /// The same in the step before.
    before: Vec<(BodyHandle, Collider)>,
    pairs: Vec<PairContact>,
    /// Of these, by what touches.
    order: KeptOrder<(BodyHandle, Collider)>,
}

/// A pair in one step.
#[derive(Clone, Copy, Debug)]
struct PairContact {
    pair: (BodyHandle, Collider),
    /// On the first, N·s.
    impulse: Vec3,
    /// Whether anything presses.
    presses: bool,
    /// Whether they are near enough to go on touching.
    is_near: bool,
}

impl PairContact {
    /// Takes in another row of the same pair.
    fn add(&mut self, other: PairContact) {
        self.impulse += other.impulse;
        self.presses |= other.presses;
        self.is_near |= other.is_near;
    }
}

/// Handles of the bodies and obstacles of a step, by their numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handles<'a> {
    pub bodies: &'a [BodyHandle],
    pub obstacles: &'a [ObstacleHandle],
}

impl Handles<'_> {
    /// The two sides of a contact; none where nobody has a handle.
    fn sides(self, contact: &Contact) -> Option<(BodyHandle, Collider)> {
        let body = |id: BodyId| self.bodies.get(id.index()).copied();
        let other = match (contact.bodies.1, contact.feature) {
            (Some(other), _) => Collider::Body(body(other)?),
            (None, Feature::VertexObstacle(_, number)) => {
                Collider::Obstacle(self.obstacles.get(number as usize).copied()?)
            }
            (None, _) => return None,
        };
        Some((body(contact.bodies.0)?, other))
    }
}

impl Contacts {
    /// Takes in the contacts of a step.
    pub fn update(
        &mut self,
        solved: &[(Contact, ContactImpulse)],
        positions: &[Vec3],
        handles: Handles<'_>,
    ) {
        self.points.clear();
        self.events.clear();
        self.pairs.clear();
        for (contact, impulse) in solved {
            let Some((body, other)) = handles.sides(contact) else { continue };
            let (presses, impulse) = (impulse.normal > 0.0, impulse.impulse(contact.normal));
            let is_near = contact.gap <= APART * contact.offset;
            if presses {
                let (point, normal) = (contact.place(1.0, positions), contact.normal);
                let gap = contact.gap;
                self.points.push(ContactPoint { body, other, point, normal, gap, impulse });
            }
            let contact = match other {
                // The smaller handle first, so that a pair is one pair.
                Collider::Body(second) if second < body => {
                    let pair = (second, Collider::Body(body));
                    PairContact { pair, impulse: -impulse, presses, is_near }
                }
                _ => PairContact { pair: (body, other), impulse, presses, is_near },
            };
            // Most rows of a pair follow each other.
            match self.pairs.last_mut().filter(|last| last.pair == contact.pair) {
                Some(last) => last.add(contact),
                None => self.pairs.push(contact),
            }
        }
        self.compare();
    }

    /// Finds what began and what ended.
    fn compare(&mut self) {
        let Contacts { events, touching, before, pairs, order, .. } = self;
        let order = order.find(pairs.iter().map(|contact| contact.pair));
        std::mem::swap(touching, before);
        touching.clear();
        // Both lists ascend.
        let mut known = before.iter().peekable();
        for places in order.chunk_by(|a, b| pairs[*a as usize].pair == pairs[*b as usize].pair) {
            let rows = || places.iter().map(|place| &pairs[*place as usize]);
            let pair = pairs[places[0] as usize].pair;
            while known.next_if(|known| **known < pair).is_some() {}
            let knew = known.peek() == Some(&&pair);
            let presses = rows().any(|row| row.presses);
            let goes_on = knew && rows().any(|row| row.is_near);
            if !(presses || goes_on) {
                continue;
            }
            touching.push(pair);
            if !knew {
                let impulse = rows().map(|row| row.impulse).sum();
                let (body, other) = pair;
                events.push(ContactEvent { kind: ContactEventKind::Began, body, other, impulse });
            }
        }
        let mut touching = touching.iter().peekable();
        for &(body, other) in &*before {
            while touching.next_if(|pair| **pair < (body, other)).is_some() {}
            if touching.peek() != Some(&&(body, other)) {
                let (kind, impulse) = (ContactEventKind::Ended, Vec3::ZERO);
                events.push(ContactEvent { kind, body, other, impulse });
            }
        }
    }

    /// The sum over all contacts of a body or an obstacle.
    pub fn load(&self, of: Collider) -> ContactLoad {
        let mut load = ContactLoad::default();
        for point in &self.points {
            let sign = match (Collider::Body(point.body) == of, point.other == of) {
                (true, _) => 1.0,
                (_, true) => -1.0,
                _ => continue,
            };
            let force = sign * point.impulse / self.dt;
            load.force += force;
            load.friction += force - force.dot(point.normal) * point.normal;
            load.contacts += 1;
        }
        load
    }

    /// Forgets a body or an obstacle that was removed.
    pub fn forget(&mut self, gone: Collider) {
        let is_left =
            |body: BodyHandle, other: Collider| Collider::Body(body) != gone && other != gone;
        self.touching.retain(|(body, other)| is_left(*body, *other));
        self.points.retain(|point| is_left(point.body, point.other));
        self.events.retain(|event| is_left(event.body, event.other));
    }

    /// Pairs that touch, ascending.
    pub fn touching(&self) -> &[(BodyHandle, Collider)] {
        &self.touching
    }

    /// Replaces the pairs that touch, as after a jump back in time.
    pub fn set_touching(&mut self, pairs: Vec<(BodyHandle, Collider)>) {
        self.touching = pairs;
        self.touching.sort_unstable();
        self.points.clear();
        self.events.clear();
    }
}
