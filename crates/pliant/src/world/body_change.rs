//! Parts of the old simulation that the next one takes over for bodies that stay.
//!
//! Topology, contact search, elastic tets and the structure of the matrix are flat arrays, body
//! after body. Bodies that were removed are cut out of them and new ones appended, with the
//! same bits as if everything were made anew, at the cost of one move of what stays.

use std::sync::Arc;

use crate::body::Bodies;
use crate::contact::search::{Search, SearchChange};
use crate::force::change::ForcesChange;
use crate::force::elastic::{Corotational, NeoHookean};
use crate::mesh::runs::{Runs, append_starts};
use crate::step::Simulation;
use crate::world::World;
use crate::world::assemble::{Layout, gather, topology};
use crate::world::body_model::{BodyEntry, BodyModelKind};
use crate::world::material::ElasticLaw;

/// What an assembly may take over from the simulation before.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reuse {
    /// Topology and contact search.
    pub search: bool,
    /// Tets and matrix.
    pub tets: bool,
}

impl Default for Reuse {
    fn default() -> Reuse {
        Reuse { search: true, tets: true }
    }
}

/// The force of all soft bodies, where one law serves all of them.
#[derive(Clone, Debug)]
pub(super) struct ElasticForce {
    /// Its place among the forces.
    pub place: usize,
    pub law: ElasticLaw,
    /// First tet of each body in it, and one past the last of all; rigid bodies have none.
    pub starts: Vec<u32>,
}

impl ElasticForce {
    /// The force of these bodies, if all soft ones share a law; none without soft ones.
    pub fn of(entries: &[&BodyEntry], place: usize) -> Option<ElasticForce> {
        let (mut starts, mut common) = (vec![0], None);
        for entry in entries {
            let mut count = 0;
            if let BodyModelKind::Soft(material) = &entry.model.kind {
                let law = ElasticLaw::of(material)?;
                if *common.get_or_insert(law) != law {
                    return None;
                }
                count = entry.model.mesh.tets().len() as u32;
            }
            append_starts(&mut starts, &[0, count]);
        }
        common.map(|law| ElasticForce { place, law, starts })
    }
}

/// Which bodies stay, and what is made for new ones.
#[derive(Debug)]
pub(super) struct BodyChange {
    /// Bodies of the old simulation that stay.
    pub kept: Runs,
    /// Topology of all bodies from now on.
    pub bodies: Arc<Bodies>,
    /// Contact search among new bodies alone.
    search: Search,
}

/// Soft bodies whose tets are taken over.
#[derive(Clone, Copy, Debug)]
pub(super) struct TakenTets {
    /// Number of soft bodies that stay.
    pub bodies: usize,
    pub law: ElasticLaw,
}

impl World {
    /// What can be taken over from the simulation; none where all must be made anew.
    pub(super) fn body_change(&self) -> Option<BodyChange> {
        if !self.reuse.search || self.assembly.is_some() {
            return None;
        }
        self.simulation.stepper.contact()?;
        let old = &self.simulation.system.bodies;
        let places = self.layout.bodies.iter().map(|handle| self.bodies.place(handle.0));
        let kept = || places.clone().enumerate().filter_map(|(old, new)| Some((old, new?)));
        let keeps_order = kept().enumerate().all(|(place, (_, new))| place == new);
        let kept = Runs::of_kept(kept().map(|(old, _)| old));
        if !keeps_order || kept.len() == 0 || old.len() != self.layout.bodies.len() {
            return None;
        }
        let added: Vec<&BodyEntry> =
            self.bodies.iter().skip(kept.len()).map(|(_, entry)| entry).collect();
        let own = topology(&added).ok()?;
        let search = Search::new(&gather(&added, |entry| &entry.model.rest), &own).ok()?;
        let mut bodies = Bodies::clone(old);
        bodies.keep(&kept);
        if !bodies.has_room_for(&own) {
            return None;
        }
        bodies.append(&own);
        Some(BodyChange { kept, bodies: Arc::new(bodies), search })
    }

    /// The soft bodies whose tets are taken over; none where all are made anew.
    pub(super) fn taken_tets(&self, change: &BodyChange, layout: &Layout) -> Option<TakenTets> {
        let (old, new) = (self.layout.elastic.as_ref()?, layout.elastic.as_ref()?);
        if !self.reuse.tets || old.law != new.law {
            return None;
        }
        let forces = &self.simulation.system.forces;
        let count = match old.law {
            ElasticLaw::Corotational => forces.tet_count::<Corotational>(old.place),
            ElasticLaw::NeoHookean => forces.tet_count::<NeoHookean>(old.place),
        };
        let is_known = count == old.starts.last().map(|end| *end as usize);
        let is_soft = |entry: &BodyEntry| matches!(entry.model.kind, BodyModelKind::Soft(_));
        let kept = self.bodies.iter().take(change.kept.len());
        let bodies = kept.filter(|(_, entry)| is_soft(entry)).count();
        is_known.then_some(TakenTets { bodies, law: old.law })
    }

    /// Completes a simulation with what stays of the old one, which cannot make steps any more.
    pub(super) fn take_over(
        &mut self,
        simulation: &mut Simulation,
        layout: &Layout,
        change: BodyChange,
    ) {
        let taken = self.taken_tets(&change, layout);
        let BodyChange { kept, bodies, search } = change;
        let Simulation { system: old, stepper, .. } = &mut self.simulation;
        let from = &old.bodies;
        let contacts = (stepper.contact_mut(), simulation.stepper.contact_mut());
        if let (Some(there), Some(here)) = contacts {
            std::mem::swap(there.search_mut(), here.search_mut());
            here.search_mut().change(search, SearchChange { from, kept: &kept, to: &bodies });
        }
        let (Some(taken), Some(before), Some(now)) =
            (taken, &self.layout.elastic, &layout.elastic)
        else {
            return;
        };
        let change = ForcesChange {
            from: before.place,
            to: now.place,
            vertices: kept.entries(from.offsets().starts()),
            tets: kept.entries(&before.starts),
            old_vertex_count: from.vertex_count(),
            vertex_count: bodies.vertex_count(),
            old_beyond: 2 * old.rigids.entries().len(),
            beyond: 2 * simulation.system.rigids.entries().len(),
        };
        let (forces, old) = (&mut simulation.system.forces, &mut old.forces);
        match taken.law {
            ElasticLaw::Corotational => forces.take_tets::<Corotational>(old, &change),
            ElasticLaw::NeoHookean => forces.take_tets::<NeoHookean>(old, &change),
        }
    }
}
