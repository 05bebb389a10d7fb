//! Sleeping: rigid bodies at rest stay fixed until something wakes their island.
//!
//! Bodies that are in contact or jointed form an island. An island sleeps when all of it has been
//! at rest for a while and it rests on nothing that moves; it wakes as a whole when something
//! touches, shifts or pushes it. What is slow but gets faster in every step, as a large box that
//! begins to slide, is not at rest.
//!
//! | here     | meaning                                                                  |
//! |----------|--------------------------------------------------------------------------|
//! | `quiet`  | speed of the farthest point per size, below which a body is at rest, 1/s |
//! | `after`  | time at rest after which it sleeps, s                                    |
//! | `faster` | time for which a body has got faster in every step, s                    |

use crate::body::rigid::RigidState;
use crate::body::rigid::all::{RigidBodySet, RigidEntry};
use crate::contact::Contact;
use crate::contact::output::ContactOutput;
use crate::id::BodyId;
use crate::math::Vec3;
use crate::snapshot::{Snapshot, SnapshotError};
use crate::solve::rows::first;

/// When rigid bodies sleep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SleepSettings {
    /// Speed of the farthest point per size of a body at rest, 1/s, at most; 0: never.
    pub quiet: f64,
    /// Time at rest after which it sleeps, s.
    pub after: f64,
}

impl Default for SleepSettings {
    fn default() -> SleepSettings {
        SleepSettings { quiet: 1e-3, after: 0.5 }
    }
}

/// Share of `after` for which a body may get faster and still be at rest.
///
/// What sways about a place gets faster for half of its time, what slides off all the time.
const FASTER: f64 = 0.5;

/// Speed below which a body is at rest whatever it gains, per speed of one at rest: rounding.
const ROUNDING: f64 = 1e-9;

/// What joins rigid bodies into islands: contacts and joints.
#[derive(Clone, Debug)]
pub(crate) struct IslandEdges<'a, J> {
    /// Contacts of the step, with their impulses, N·s.
    pub output: &'a ContactOutput,
    /// Pairs of jointed members.
    pub joined: J,
}

/// Which bodies sleep, and for how long the others have been at rest.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sleep {
    /// Time at rest of each rigid body, s.
    rest: Vec<f64>,
    /// Time for which each has got faster in every step, s.
    faster: Vec<f64>,
    /// Of the farthest point of each after the last step, m/s.
    speeds: Vec<f64>,
    /// Smallest member of each sleeping body's island; none for one awake.
    islands: Vec<Option<u32>>,
    sizes: Vec<f64>,
    /// Island of each body during the search for islands.
    parents: Vec<u32>,
    may: Vec<bool>,
}

impl Sleep {
    /// Whether a rigid body sleeps.
    pub(crate) fn is_asleep(&self, place: usize) -> bool {
        self.islands.get(place).is_some_and(Option::is_some)
    }

    /// Prepares for as many rigid bodies.
    pub(crate) fn begin(&mut self, rigids: &RigidBodySet) {
        let members = rigids.entries();
        // After a snapshot of before the first step these may be of another size.
        self.rest.resize(members.len(), 0.0);
        self.faster.resize(members.len(), 0.0);
        self.speeds.resize(members.len(), 0.0);
        self.islands.resize(members.len(), None);
        if self.sizes.len() == members.len() {
            return;
        }
        let size = |member: &RigidEntry| {
            member.body.points.iter().fold(0.0, |most: f64, point| most.max(point.length()))
        };
        self.sizes = members.iter().map(size).collect();
    }

    /// Wakes all islands that the contact output of a step of `dt` touches.
    ///
    /// Speeds are those of the present motion.
    pub(crate) fn wake(
        &mut self,
        rigids: &RigidBodySet,
        settings: SleepSettings,
        output: &ContactOutput,
        velocities: &[Vec3],
        dt: f64,
    ) {
        if self.islands.iter().all(Option::is_none) {
            return;
        }
        for (vertex, _) in output.impulses.iter().chain(&output.forces).chain(&output.shifts) {
            self.wake_with(rigids.index_of(*vertex));
        }
        for shift in &output.rigid_shifts {
            self.wake_with(rigids.index(shift.body));
        }
        for row in &output.rows {
            let relative = row.relative(velocities);
            let moves = relative.length() > settings.quiet * row.size;
            let meets = row.gap + row.normal.dot(relative) * dt < row.offset;
            let places = [Some(row.bodies.0), row.bodies.1].map(|body| {
                body.and_then(|body| rigids.index(body)).filter(|place| self.is_asleep(*place))
            });
            if moves && meets {
                places.into_iter().for_each(|place| self.wake_with(place));
            }
        }
    }

    /// Wakes the island of a rigid body.
    fn wake_with(&mut self, place: Option<usize>) {
        let Some(island) = place.and_then(|place| self.islands[place]) else { return };
        for (own, rest) in self.islands.iter_mut().zip(&mut self.rest) {
            if *own == Some(island) {
                (*own, *rest) = (None, 0.0);
            }
        }
    }

    /// Puts islands at rest to sleep after a step of `dt`.
    ///
    /// A body put to sleep loses the little speed it has.
    pub(crate) fn settle(
        &mut self,
        rigids: &RigidBodySet,
        settings: SleepSettings,
        edges: IslandEdges<'_, impl Iterator<Item = [usize; 2]>>,
        states: &mut [RigidState],
        dt: f64,
    ) {
        let IslandEdges { output, joined } = edges;
        for (k, state) in states.iter().enumerate() {
            let speed = state.velocity.length() + self.sizes[k] * state.spin.length();
            let quiet = settings.quiet * self.sizes[k];
            self.rest[k] = if speed < quiet { self.rest[k] + dt } else { 0.0 };
            let before = std::mem::replace(&mut self.speeds[k], speed);
            let is_faster = speed > before && speed > ROUNDING * quiet;
            self.faster[k] = if is_faster { self.faster[k] + dt } else { 0.0 };
        }
        let Sleep { rest, faster, islands, parents, may, .. } = self;
        parents.clear();
        parents.extend(0..states.len() as u32);
        may.clear();
        may.extend(
            rest.iter().zip(faster).map(|(rest, faster)| {
                *rest >= settings.after && *faster <= FASTER * settings.after
            }),
        );
        let pressing = output.rows.iter().zip(&output.row_impulses);
        for (row, _) in pressing.filter(|(_, row_impulse)| row_impulse.normal > 0.0) {
            let Some(a) = rigids.index(row.bodies.0) else {
                lies_on_others(rigids, row, may);
                continue;
            };
            match row.bodies.1.map(|body: BodyId| rigids.index(body)) {
                Some(Some(b)) => join(parents, a, b),
                Some(None) => may[a] = false,
                None => may[a] &= row.surface_velocity.length() <= settings.quiet * row.size,
            }
        }
        // A body with attached soft vertices stays awake with them.
        rigids.attached().iter().for_each(|attached| may[attached.place] = false);
        joined.for_each(|[a, b]| join(parents, a, b));
        for place in 0..parents.len() {
            let island = first(parents, place as u32);
            parents[place] = island;
            may[island as usize] &= may[place];
        }
        for (place, state) in states.iter_mut().enumerate() {
            if may[parents[place] as usize] && islands[place].is_none() {
                islands[place] = Some(parents[place]);
                (state.velocity, state.spin) = Default::default();
            }
        }
    }

    /// Writes which bodies sleep, the times at rest and the speeds.
    pub(crate) fn save(&self, memory: &mut Snapshot) {
        memory.write(self.rest.len() as f64);
        for (k, island) in self.islands.iter().enumerate() {
            [self.rest[k], self.faster[k], self.speeds[k]]
                .iter()
                .for_each(|own| memory.write(*own));
            memory.write(island.map_or(-1.0, f64::from));
        }
    }

    /// Reads what [`Sleep::save`] wrote.
    pub(crate) fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        let count = memory.read("sleep")?;
        let Sleep { rest, faster, speeds, islands, .. } = self;
        islands.clear();
        [&mut *rest, &mut *faster, &mut *speeds].into_iter().for_each(Vec::clear);
        for _ in 0..count as usize {
            for list in [&mut *rest, &mut *faster, &mut *speeds] {
                list.push(memory.read("sleep")?);
            }
            let number = memory.read("sleep")?;
            islands.push((number >= 0.0).then_some(number as u32));
        }
        Ok(())
    }
}

/// A rigid body that lies on a soft one stays awake with it.
fn lies_on_others(rigids: &RigidBodySet, row: &Contact, may: &mut [bool]) {
    if let Some(place) = row.bodies.1.and_then(|body| rigids.index(body)) {
        may[place] = false;
    }
}

fn join(parents: &mut [u32], a: usize, b: usize) {
    let (a, b) = (first(parents, a as u32), first(parents, b as u32));
    parents[a.max(b) as usize] = a.min(b);
}
