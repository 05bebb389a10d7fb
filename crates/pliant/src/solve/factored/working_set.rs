//! Contacts that are swept: those that press, and those that are about to.
//!
//! Of thousands of contacts within reach only some press. These, and the vertices at them, are
//! the working set; all others are examined once in each outer iteration. They are swept region by
//! region.

use crate::contact::impulse::ContactImpulse;
use crate::math::Vec3;
use crate::par;
use crate::solve::anderson::Anderson;
use crate::solve::compliance::Rows;
use crate::solve::compliance::constraint::{ContactConstraint, ContactSide, Probe};
use crate::solve::factored::part::{Part, PartEquations};
use crate::solve::factored::reference::References;
use crate::solve::factored::regions::{RegionRows, Regions};
use crate::solve::factored::{sides, split};
use crate::solve::gauss_seidel::{self, SweepLimits};
use crate::solve::terms::{MOST, SolverRow};

/// Share of its bound from which a friction impulse counts as at it.
const AT_BOUND: f64 = 0.999;

/// Distance from being active, per size and step, within which a contact is taken in at once.
const MARGIN: f64 = 1e-3;

/// Bodies of an island.
#[derive(Debug)]
pub(super) struct Bodies<'a> {
    pub parts: &'a mut [Part],
    /// Part of each body of the scene.
    pub part_of: &'a [u32],
    pub references: &'a mut References,
}

/// How far sweeps go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Change, per size and step, below which they end.
    pub tolerance: f64,
    /// Sweeps at most.
    pub sweeps: usize,
}

/// How a residual is measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measurement {
    /// Length of the step, s.
    pub dt: f64,
    /// Whether it is the first time in this step.
    pub is_first: bool,
}

/// What velocities lack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    /// The most that one more relaxation of a contact would change, per size and step.
    pub residual: f64,
    /// Work of all impulses that no source accounts for, over that of opening each contact by its
    /// size under its impulse; negative where they take energy.
    pub work: f64,
}

/// What sweeps have done at a contact.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub contact: usize,
    /// Change of its impulse, N·s.
    pub impulse: Vec3,
    /// Change of its velocity, m/s.
    pub moved: f64,
}

/// Contacts that are active or may become so.
#[derive(Debug, Default)]
pub(super) struct WorkingSet {
    /// Entry in the lists below of each contact, or none.
    entries: Vec<Entry>,
    /// Whether contacts are to be taken in, or compliances have changed.
    pub is_stale: bool,
    contacts: Vec<u32>,
    row_impulses: Vec<ContactImpulse>,
    probes: Vec<Probe>,
    constraints: Vec<ContactConstraint<MOST>>,
    responses: Vec<f64>,
    speeds: Vec<f64>,
    anderson: Anderson,
    regions: Regions,
    /// Where the parts of each piece of work begin.
    offsets: Vec<usize>,
}

/// Where a contact is in the working set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// Not in it.
    Absent,
    /// To be taken in.
    Pending,
    /// At this place.
    At(u32),
}

/// Sliding velocity that friction should have stopped or turned, m/s.
///
/// Where the friction impulse is at its bound, sliding against it is as it should be.
fn unstopped(row: &SolverRow, impulse: ContactImpulse, linear: Vec3) -> f64 {
    let relative = linear - row.surface_velocity;
    let sliding = relative - row.normal.dot(relative) * row.normal;
    let bound = row.friction * impulse.normal;
    if impulse.tangent.length() < AT_BOUND * bound {
        return sliding.length();
    }
    let Some(direction) = impulse.tangent.try_normalize() else { return 0.0 };
    (sliding - sliding.dot(direction).min(0.0) * direction).length()
}

impl WorkingSet {
    /// Sets how many threads sweep; results do not depend on it.
    pub(super) fn set_threads(&mut self, threads: usize) {
        self.regions.threads = threads;
    }

    /// Empties it, for this many contacts of these parts.
    pub(super) fn clear(&mut self, parts: &[Part], contacts: usize) {
        self.regions.find(parts);
        self.entries.clear();
        self.entries.resize(contacts, Entry::Absent);
        self.contacts.clear();
        self.constraints.clear();
        self.speeds.clear();
        self.is_stale = false;
    }

    /// Contacts in it.
    pub(super) fn len(&self) -> usize {
        self.contacts.len()
    }

    /// Measures what the velocities lack. Contacts that are active or nearly so become pending.
    pub(super) fn measure(
        &mut self,
        Measurement { dt, is_first }: Measurement,
        rows: &[SolverRow],
        velocities: &[Vec3],
        row_impulses: &[ContactImpulse],
    ) -> Measured {
        let mut most: f64 = 0.0;
        let (mut work, mut all) = (0.0, 0.0);
        let WorkingSet { entries, constraints, is_stale, .. } = self;
        for ((row, impulse), entry) in rows.iter().zip(row_impulses).zip(entries) {
            let per_size = dt / row.size;
            let linear = row.linear(velocities);
            let lacking = row.min_normal_velocity - row.normal.dot(linear - row.surface_velocity);
            let is_pressed = *impulse != ContactImpulse::default();
            if is_pressed {
                let relative = linear - row.surface_velocity;
                work += impulse.impulse(row.normal).dot(relative)
                    - impulse.normal * row.min_normal_velocity.max(0.0);
                all += impulse.normal / per_size;
            }
            if let Entry::At(place) = *entry {
                let ContactConstraint { block, is_ready, .. } = &constraints[place as usize];
                // That of the constraint has the velocities of held unknowns in it, as has `linear`.
                let mut block = *block;
                block.surface_velocity = row.surface_velocity;
                if !is_ready {
                    most = most.max(lacking * per_size);
                } else if is_pressed || lacking > 0.0 {
                    let mut copy = *impulse;
                    let change = block.relax(&mut copy, linear);
                    most = most.max(change.map_or(0.0, |change| block.moved(change)) * per_size);
                }
                continue;
            }
            let margin = if is_first { -MARGIN / per_size } else { 0.0 };
            if is_pressed || lacking > margin {
                *entry = Entry::Pending;
                *is_stale = true;
                let lacking = match is_pressed {
                    true => lacking.abs().max(unstopped(row, *impulse, linear)),
                    false => lacking.max(0.0),
                };
                most = most.max(lacking * per_size);
            }
        }
        Measured { residual: most, work: if all > 0.0 { work / all } else { 0.0 } }
    }

    /// Compliances and constraints of all contacts that are in it or pending, where that is due.
    pub(super) fn refresh(
        &mut self,
        bodies: Bodies<'_>,
        equations: PartEquations<'_>,
        rows: &[SolverRow],
        velocities: &[Vec3],
    ) {
        if !std::mem::take(&mut self.is_stale) {
            return;
        }
        let Bodies { parts, part_of, references } = bodies;
        let WorkingSet { contacts, entries, regions, .. } = self;
        contacts.clear();
        contacts.extend((0..rows.len() as u32).filter(|k| entries[*k as usize] != Entry::Absent));
        contacts.sort_unstable_by_key(|contact| {
            let region = regions.of(sides(&rows[*contact as usize], part_of));
            (regions.rank(region), *contact)
        });
        parts.iter_mut().for_each(Part::clear_working);
        for contact in &self.contacts {
            let row = &rows[*contact as usize];
            for part in sides(row, part_of).into_iter().flatten() {
                let all = row.terms();
                all.for_each(|(unknown, _)| parts[part].include(equations, unknown.index()));
            }
        }
        parts.iter_mut().for_each(|part| part.order_working(references));
        references.make_columns(self.regions.threads);
        split(&mut self.offsets, parts.len(), self.regions.threads);
        let known = &*references;
        par::chunks(parts, &self.offsets, |_, piece| {
            piece.iter_mut().for_each(|part| part.fill_compliance(known));
        });
        let mut start = 0;
        for place in &self.regions.order {
            let part = &mut parts[*place as usize];
            part.start = start;
            start += part.width;
        }
        self.regions.set_speeds(|part| part.start..part.start + part.width, parts);
        self.constrain(parts, part_of, equations, rows, velocities);
    }

    /// Constraints of all contacts in it.
    fn constrain(
        &mut self,
        parts: &[Part],
        part_of: &[u32],
        equations: PartEquations<'_>,
        rows: &[SolverRow],
        velocities: &[Vec3],
    ) {
        self.constraints.clear();
        self.regions.clear_contacts();
        let mut response = 0;
        for (place, contact) in self.contacts.iter().enumerate() {
            let row = &rows[*contact as usize];
            self.entries[*contact as usize] = Entry::At(place as u32);
            let (own, begin) = (sides(row, part_of), response);
            let region = self.regions.of(own);
            // Speeds count from those of the region.
            let base = self.regions.region(region).speeds.start;
            let sides = own.map(|part| {
                let Some(part) = part else { return ContactSide::default() };
                let Part { start, width, .. } = parts[part];
                let first = response;
                response += 3 * width;
                ContactSide { part, response: first, start: start - base, width }
            });
            self.regions.add(region, place, begin..response);
            let mut constraint = ContactConstraint::new(row, sides, row.size / equations.dt);
            for (unknown, share) in row.terms() {
                let mut own = sides.iter().filter(|side| side.width > 0);
                let speed = own.find_map(|side| parts[side.part].speed(unknown.index()));
                match speed {
                    Some(speed) => constraint.add(speed - base, share),
                    None => {
                        constraint.block.surface_velocity -=
                            share.apply(velocities[unknown.index()]);
                    }
                }
            }
            self.constraints.push(constraint);
        }
        self.probes.clear();
        self.probes.extend(self.constraints.iter().map(Probe::of));
        self.responses.resize(response, 0.0);
    }

    /// Sweeps until nothing changes within the limits; returns how often.
    ///
    /// The impulses reached are kept for [`WorkingSet::changes`]; those given are the start.
    pub(super) fn sweep(
        &mut self,
        parts: &[Part],
        velocities: &[Vec3],
        row_impulses: &[ContactImpulse],
        Limits { tolerance, sweeps }: Limits,
    ) -> usize {
        let WorkingSet { contacts, probes, constraints, responses, speeds, .. } = self;
        self.row_impulses.clear();
        self.row_impulses.extend(contacts.iter().map(|contact| row_impulses[*contact as usize]));
        speeds.clear();
        let regions = &self.regions;
        for part in &regions.order {
            parts[*part as usize].take_speeds(velocities, speeds);
        }
        let anderson = &mut self.anderson;
        anderson.begin(&self.row_impulses, speeds);
        let row_impulses = &mut self.row_impulses;
        let rows = Rows {
            parts,
            probes,
            constraints,
            responses,
            first_response: 0,
            speeds,
            anderson: Some(anderson),
            row_impulses,
            tolerance,
        };
        let mut rows = RegionRows { rows, regions };
        gauss_seidel::sweep(&mut rows, SweepLimits { soft: sweeps, rigid: sweeps })
    }

    /// Lets parts compare their velocities with those that the last sweeps expected.
    pub(super) fn compare(&self, parts: &mut [Part], velocities: &[Vec3]) {
        if !self.speeds.is_empty() {
            parts.iter_mut().for_each(|part| part.compare(&self.speeds, velocities));
        }
    }

    /// Hands out what sweeps have changed, and notes it in the impulses.
    pub(super) fn changes<'a>(
        &'a self,
        rows: &'a [SolverRow],
        row_impulses: &'a mut [ContactImpulse],
    ) -> impl Iterator<Item = Change> + 'a {
        let all = self.contacts.iter().zip(&self.row_impulses).zip(&self.constraints);
        all.filter_map(|((contact, now), constraint)| {
            let contact = *contact as usize;
            let before = std::mem::replace(&mut row_impulses[contact], *now);
            let normal = rows[contact].normal;
            let impulse = now.impulse(normal) - before.impulse(normal);
            let moved = constraint.block.moved(impulse);
            (impulse != Vec3::ZERO).then_some(Change { contact, impulse, moved })
        })
    }
}
