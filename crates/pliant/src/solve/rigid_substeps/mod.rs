//! Rigid islands in substeps: contact patches as blocks, one symmetric pair of sweeps each.
//!
//! An island of rigid bodies and obstacles is taken through a step in as many substeps as its
//! loads and sizes need. Contacts are those of the step; arms, normals and inertias are frozen
//! for it, gaps follow the displacements. In each substep gravity and the impulses of the substep
//! before are applied, then all patches are swept upwards and back downwards. With a warm start,
//! a mode of the contacts on which such a pair of sweeps leaves the share g of the error obeys
//!
//! v' = g (v + w),  w' = w − (1 − g)(v + w),
//!
//! a damped oscillation as long as g is real and in [0, 1): so sweeps are symmetric, no term of
//! position is in the impulses, and nothing is accelerated. How far a contact sinks until it
//! bears its load is load · g h² over the mass of the lighter side, which decides the number of
//! substeps. Bodies that joints connect answer to a contact as a whole, see
//! `island/jointed.rs`. Overlap is taken out by shifts that no velocity sees.
//!
//! The solver gives the velocities at the end of the step, and how far bodies have moved, which
//! is not the step times these.

mod bodies;
mod gather;
mod island;
mod patch;
mod relax;

#[cfg(test)]
mod tests;

use crate::body::rigid::RigidState;
use crate::contact::Contact;
use crate::contact::impulse::ContactImpulse;
use crate::contact::point_force::{PairKey, PointForce};
use crate::force::BlockMatrix;
use crate::id::VertexId;
use crate::math::{Mat3, Vec3};
use crate::par;
use crate::solve::dense::inverse;
use crate::solve::joint::articulation::Articulation;
use crate::solve::linear::Linear;
use crate::solve::rigid_substeps::island::{Island, Shared};
use crate::solve::rows::{Equations, Solved, Unknowns};
use crate::solve::terms::{RigidSides, Sides};

/// How a body moved in a step that was solved in substeps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MeanVelocity {
    /// Displacement of its centre over the step, m/s.
    pub velocity: Vec3,
    /// Rotation over the step, rad/s.
    pub spin: Vec3,
    /// Displacement of its centre until the last substep began, m.
    pub way_before_last: Vec3,
    /// Rotation until then, rad.
    pub turn_before_last: Vec3,
}

/// The last substep of a contact, for who judges the solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LastSubstep {
    /// In it, N·s.
    pub impulse: ContactImpulse,
    /// Its length, s.
    pub length: f64,
}

/// What substeps give beside velocities and impulses.
#[derive(Clone, Debug, Default)]
pub struct SubstepOutput {
    /// First unknown of each body that was solved so, and how it moved; ascending.
    pub(crate) motions: Vec<(u32, MeanVelocity)>,
    /// First unknown of each body that joints hold, and its state at the end; ascending.
    pub(crate) ends: Vec<(u32, RigidState)>,
    /// Of each contact; none where it was solved otherwise.
    pub(crate) last: Vec<Option<LastSubstep>>,
    /// First unknown of each body that rest or brakes have slowed down, and the momentum lost, N·s.
    pub(crate) rested: Vec<(u32, Vec3)>,
    /// Energy that shifts of bodies that were too near have put in, J.
    pub(crate) lifted: f64,
}

impl SubstepOutput {
    /// How the body of an unknown moved; none where it was solved otherwise.
    pub(crate) fn motion(&self, first: usize) -> Option<MeanVelocity> {
        let first = first as u32;
        // Each has two unknowns: where all bodies were solved so, it is at this place, and
        // otherwise before.
        let last = first.checked_sub(self.motions.first()?.0)? as usize / 2;
        if let Some((_, motion)) = self.motions.get(last).filter(|(own, _)| *own == first) {
            return Some(*motion);
        }
        let motions = &self.motions[..last.min(self.motions.len())];
        let place = motions.binary_search_by_key(&first, |(first, _)| *first).ok()?;
        Some(motions[place].1)
    }

    /// State at the end of the body of an unknown; none where joints do not hold it.
    pub(crate) fn end(&self, first: usize) -> Option<RigidState> {
        let place = self.ends.binary_search_by_key(&(first as u32), |(first, _)| *first).ok()?;
        Some(self.ends[place].1)
    }

    fn clear(&mut self, contacts: usize) {
        self.motions.clear();
        self.ends.clear();
        self.rested.clear();
        self.lifted = 0.0;
        self.last.clear();
        self.last.resize(contacts, None);
    }
}

/// The solver with its memory.
#[derive(Debug, Default)]
pub(crate) struct RigidSubsteps {
    /// Forces of contact points, ascending by pair: those of the step before, then the new ones.
    pub forces: Vec<PointForce>,
    pub output: SubstepOutput,
    /// Whether the islands of this step are solved.
    is_solved: bool,
    islands: Vec<Island>,
    /// Of the present step; some may be solved here.
    articulations: Vec<Articulation>,
    threads: usize,
}

/// Contacts to be solved in substeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubstepContacts<'a> {
    /// All of the step.
    pub all: &'a [Contact],
    /// Island and number of those to be solved, island by island.
    pub own: &'a [(u32, u32)],
    /// The same of articulations.
    pub articulations: &'a [(u32, u32)],
}

impl RigidSubsteps {
    /// Works with this many threads from now on; the bits stay the same.
    pub(crate) fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// Articulations of the step.
    pub(crate) fn articulations(&self) -> &[Articulation] {
        &self.articulations
    }

    /// The same, to be replaced.
    pub(crate) fn articulations_mut(&mut self) -> &mut Vec<Articulation> {
        &mut self.articulations
    }

    /// Begins a step, with the forces of the one before.
    pub(crate) fn begin(&mut self, contacts: usize) {
        self.is_solved = false;
        self.output.clear(contacts);
    }

    /// Ends a step; where nothing touched, no force is known any more.
    pub(crate) fn finish(&mut self) {
        if !self.is_solved {
            self.forces.clear();
        }
    }

    /// Solves the islands of contacts, once in a step: joints elsewhere do not concern them.
    pub(crate) fn solve(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        rigid: RigidSides<'_>,
        contacts: SubstepContacts<'_>,
        unknowns: Unknowns<'_>,
    ) -> Solved {
        if std::mem::replace(&mut self.is_solved, true) {
            return Solved::default();
        }
        let Unknowns { velocities, row_impulses } = unknowns;
        let count = self.split(contacts);
        let RigidSubsteps { forces, output, islands, threads, articulations, .. } = self;
        let islands = &mut islands[..count];
        let shared = Shared {
            equations,
            rigid,
            contacts: contacts.all,
            row_impulses,
            forces,
            velocities,
            threads: *threads,
        };
        if *threads > 1 {
            par::each(islands, |island| island.solve(shared));
        } else {
            islands.iter_mut().for_each(|island| island.solve(shared));
        }
        forces.clear();
        if let [island] = &mut *islands {
            std::mem::swap(forces, &mut island.forces);
        }
        let mut most = 0;
        for island in islands {
            forces.extend_from_slice(&island.forces);
            island.forces.clear();
            write_motions(island, equations.dt, rigid, velocities, output);
            write_impulses(island, row_impulses, output);
            output.lifted += island.lifted;
            most = most.max(2 * island.pairs);
            for (number, own) in island.jointed.numbers.iter().zip(&mut island.jointed.all) {
                std::mem::swap(&mut articulations[*number as usize], own);
            }
        }
        forces.sort_unstable_by_key(|point| point.pair);
        output.motions.sort_unstable_by_key(|(first, _)| *first);
        output.ends.sort_unstable_by_key(|(first, _)| *first);
        output.rested.sort_unstable_by_key(|(first, _)| *first);
        Solved { sweeps: most, ..Solved::default() }
    }

    /// Gives each island its contacts and bodies; returns their number.
    fn split(&mut self, contacts: SubstepContacts<'_>) -> usize {
        let mut count = 0;
        for own in contacts.own.chunk_by(|a, b| a.0 == b.0) {
            if count == self.islands.len() {
                self.islands.push(Island::default());
            }
            let island = &mut self.islands[count];
            count += 1;
            island.contacts.clear();
            let key = |number: u32| PairKey::of(&contacts.all[number as usize]);
            let order = island.pair_order.find(own.iter().map(|(_, number)| key(*number)));
            island.contacts.extend(order.iter().map(|place| {
                let number = own[*place as usize].1;
                (key(number), number)
            }));
            island.members.clear();
            let pairs = island.contacts.chunk_by(|a, b| a.0 == b.0).map(|own| own[0].0);
            let sides = pairs.flat_map(|pair| [Some(pair.first), pair.second]).flatten();
            island.members.extend(sides);
            island.jointed.clear();
            let all = contacts.articulations;
            let first = all.partition_point(|(island, _)| *island < own[0].0);
            for (_, number) in all[first..].iter().take_while(|(island, _)| *island == own[0].0) {
                let articulation = std::mem::take(&mut self.articulations[*number as usize]);
                island.members.extend_from_slice(&articulation.ids);
                island.jointed.push(*number, articulation);
            }
            island.members.sort_unstable();
            island.members.dedup();
        }
        count
    }
}

/// Whether a body can be solved in substeps: nothing but contacts couples its unknowns.
pub(crate) fn is_separate(matrix: &BlockMatrix, first: usize) -> bool {
    let is_alone = |row: usize| matrix.row(row).0.len() == 1;
    let mass = matrix.diagonal(first);
    let size = mass.x_axis.x;
    is_alone(first)
        && is_alone(first + 1)
        && size > 0.0
        && size.is_finite()
        && mass == size * Mat3::IDENTITY
}

/// Solves for rigid bodies that nothing is coupled to; `held` becomes these and what is held.
pub(crate) fn move_separate(
    linear: Linear<'_>,
    sides: Sides<'_>,
    velocities: &mut [Vec3],
    held: &mut Vec<VertexId>,
) {
    let Linear { matrix, right, held: given, .. } = linear;
    held.clear();
    held.extend_from_slice(given);
    let Some(rigid) = sides.rigid else { return };
    for (_, first) in rigid.centres.iter().zip(rigid.firsts).filter(|(centre, _)| centre.is_some())
    {
        let own = [VertexId(*first), VertexId(first + 1)];
        let is_free = own.iter().all(|unknown| given.binary_search(unknown).is_err());
        let [going, turning] = own.map(|unknown| unknown.index());
        if !is_free || !is_separate(matrix, going) {
            continue;
        }
        if let Some(inverse) = inverse(matrix.diagonal(turning)) {
            velocities[going] = right[going] / matrix.diagonal(going).x_axis.x;
            velocities[turning] = inverse * right[turning];
            held.extend(own);
        }
    }
    held.sort_unstable();
    held.dedup();
}

fn write_motions(
    island: &Island,
    dt: f64,
    rigid: RigidSides<'_>,
    velocities: &mut [Vec3],
    output: &mut SubstepOutput,
) {
    for (k, body) in island.members.iter().enumerate() {
        let first = rigid.firsts[body.index()] as usize;
        velocities[first] = island.velocities[k].linear;
        velocities[first + 1] = island.velocities[k].angular;
        let path = &island.paths[k];
        let last = &island.paths_before_last[k];
        let mean = MeanVelocity {
            velocity: path.linear / dt,
            spin: path.angular / dt,
            way_before_last: last.linear,
            turn_before_last: last.angular,
        };
        output.motions.push((first as u32, mean));
        if let Some(end) = island.end(k) {
            output.ends.push((first as u32, end));
        }
        if island.rested[k] != Vec3::ZERO {
            output.rested.push((first as u32, island.rested[k]));
        }
    }
}

fn write_impulses(
    island: &Island,
    row_impulses: &mut [ContactImpulse],
    output: &mut SubstepOutput,
) {
    for number in island.parts().iter().flat_map(|part| &part.solved) {
        row_impulses[*number as usize] = ContactImpulse::default();
        let impulse = ContactImpulse::default();
        output.last[*number as usize] = Some(LastSubstep { impulse, length: island.length });
    }
    for outcome in island.parts().iter().flat_map(|part| &part.outcomes) {
        let number = outcome.contact as usize;
        row_impulses[number] = outcome.total;
        output.last[number] = Some(LastSubstep { impulse: outcome.last, length: island.length });
    }
}
