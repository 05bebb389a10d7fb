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
    /// Factors of the contact solver.
    pub factors: bool,
}

impl Default for Reuse {
    fn default() -> Reuse {
        Reuse { search: true, tets: true, factors: true }
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
        let contact = self.simulation.stepper.contact()?;
        if contact.surfaces().is_some() || self.has_contact_meshes() {
            return None;
        }
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
        let bodies = Arc::new(old.changed(&kept, &own)?);
        Some(BodyChange { kept, bodies, search })
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
        if self.reuse.factors {
            simulation.stepper.take_over(stepper, &kept);
        }
        let from = &old.bodies;
        let contacts = (stepper.contact_mut(), simulation.stepper.contact_mut());
        if let (Some(there), Some(here)) = contacts {
            std::mem::swap(there.search_mut(), here.search_mut());
            here.search_mut().change(search, SearchChange { from, kept: &kept, to: &bodies });
        }
        let (Some(taken), Some(before), Some(now)) = (taken, &self.layout.elastic, &layout.elastic)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::obstacle::Obstacle;
    use crate::math::random::Random;
    use crate::math::{Quat, Vec3};
    use crate::world::{BodyHandle, KinematicBody, RigidBody, SoftBody};

    /// Which bodies a world gets.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Mixture {
        /// Soft bodies of one law, with rigid and kinematic ones.
        OneLaw,
        /// Only soft bodies of one law.
        Soft,
        /// Several laws and cloth too.
        AnyLaw,
    }

    /// A world that takes over what it can, and one in which all is made anew each time.
    struct Twins {
        worlds: [World; 2],
        handles: Vec<[BodyHandle; 2]>,
        random: Random,
    }

    impl Twins {
        fn new(seed: u64) -> Twins {
            let mut worlds = [World::new(), World::new()];
            for world in &mut worlds {
                world.add(Obstacle::plane(Vec3::Z, 0.0)).unwrap();
            }
            Twins { worlds, handles: Vec::new(), random: Random::new(seed) }
        }

        fn add(&mut self, mixture: Mixture) {
            let place = 0.8 * self.random.vec3() + Vec3::new(0.0, 0.0, 1.2);
            let turn = Quat::from_rotation_x(place.x);
            let young = [1e5, 2e5][self.random.below(2)];
            let soft = SoftBody::ball(0.15, 1 + self.random.below(2) as u32).young(young);
            let soft = soft.density(500.0).at(place);
            let choice = match mixture {
                Mixture::Soft => 0,
                Mixture::OneLaw => self.random.below(5),
                Mixture::AnyLaw => self.random.below(7),
            };
            let handles = self.worlds.each_mut().map(|world| match choice {
                3 => world.add(RigidBody::cuboid(Vec3::splat(0.2)).at(place).rotated(turn)),
                4 => {
                    let mesh = SoftBody::ball(0.15, 1).build().unwrap().mesh;
                    world.add(KinematicBody::new(mesh).at(place))
                }
                5 => world.add(SoftBody::cloth([0.3, 0.3], [4, 4]).mass(0.1).at(place)),
                6 => world.add(soft.clone().neo_hookean()),
                _ => world.add(soft.clone()),
            });
            self.handles.push(handles.map(Result::unwrap));
        }

        fn remove(&mut self) {
            let place = self.random.below(self.handles.len());
            let handles = self.handles.remove(place);
            for (world, handle) in self.worlds.iter_mut().zip(handles) {
                world.remove(handle).unwrap();
            }
        }

        /// Assembles both, compares all arrays, makes some steps and compares again.
        fn check(&mut self, steps: usize) {
            // Factors of another shape give the same velocities, not the same bits.
            self.worlds[0].reuse.factors = false;
            self.worlds[1].reuse = Reuse { search: false, tets: false, factors: false };
            self.worlds.iter_mut().for_each(|world| world.assemble().unwrap());
            let [bodies, anew] = self.worlds.each_ref().map(|w| &w.simulation.system.bodies);
            assert_eq!(bodies, anew);
            for _ in 0..steps {
                for world in &mut self.worlds {
                    let _: crate::integrate::StepReport = world.step().unwrap();
                }
            }
            let [search, anew] = self.worlds.each_mut().map(|world| {
                let contact = world.simulation.stepper.contact_mut().unwrap();
                contact.search_mut().structure()
            });
            assert_eq!(search, anew);
            // Made anew, the matrix is not there before the first step.
            if steps > 0 {
                let [system, anew] = self.worlds.each_ref().map(|world| &world.simulation.system);
                assert_eq!(system.forces.matrix(), anew.forces.matrix());
                assert_eq!(format!("{:?}", system.forces), format!("{:?}", anew.forces));
            }
            let [state, anew] = self.worlds.each_ref().map(|world| &world.simulation.state);
            assert_eq!(state, anew);
            let [saved, anew] = self.worlds.each_mut().map(|world| {
                let mut snapshot = crate::snapshot::Snapshot::default();
                world.simulation.save(&mut snapshot);
                snapshot.numbers().to_vec()
            });
            assert_eq!(saved, anew);
        }
    }

    #[test]
    fn a_changed_world_is_the_same_as_one_made_anew() {
        for (seed, mixture) in [Mixture::Soft, Mixture::OneLaw, Mixture::AnyLaw].iter().enumerate()
        {
            let mut twins = Twins::new(seed as u64);
            twins.add(*mixture);
            twins.check(1);
            for _ in 0..16 {
                for _ in 0..twins.random.below(4) {
                    twins.add(*mixture);
                }
                for _ in 0..twins.random.below(3) {
                    if !twins.handles.is_empty() {
                        twins.remove();
                    }
                }
                let steps = twins.random.below(3);
                twins.check(steps);
            }
        }
    }

    #[test]
    fn matrix_and_search_are_taken_over_and_not_made_anew() {
        let mut twins = Twins::new(7);
        (0..4).for_each(|_| twins.add(Mixture::Soft));
        twins.check(1);
        twins.add(Mixture::Soft);
        let change = twins.worlds[0].body_change().unwrap();
        assert_eq!(change.kept.len(), 4);
        twins.worlds[0].assemble().unwrap();
        assert!(twins.worlds[0].simulation.system.forces.matrix().is_some());
    }

    #[test]
    fn factors_are_taken_over_with_their_bodies() {
        let mut world = World::new();
        let ball =
            |at: f64| SoftBody::ball(0.2, 3).young(1e5).density(500.0).at(Vec3::new(at, 0.0, 1.0));
        let handles = [0.0, 1.0, 2.0].map(|at| world.add(ball(at)).unwrap());
        let saved = |world: &mut World| {
            let mut snapshot = crate::snapshot::Snapshot::default();
            world.simulation.save(&mut snapshot);
            snapshot.numbers().len()
        };
        world.assemble().unwrap();
        let without = saved(&mut world);
        world.step().unwrap();
        let with = saved(&mut world);
        assert!(with > 2 * without, "{with} {without}");
        // Copies share factors: those of the two that stay are still there.
        world.remove(handles[0]).unwrap();
        world.assemble().unwrap();
        let kept = saved(&mut world);
        assert!(kept > 2 * without && kept < with, "{kept} {with} {without}");
        handles[1..].iter().for_each(|handle| world.remove(*handle).unwrap());
        world.add(ball(3.0)).unwrap();
        world.assemble().unwrap();
        assert!(saved(&mut world) < without);
    }

    #[test]
    fn what_others_may_have_changed_is_made_anew() {
        let mut twins = Twins::new(8);
        (0..3).for_each(|_| twins.add(Mixture::Soft));
        twins.check(1);
        twins.worlds[0].simulation_mut();
        assert!(twins.worlds[0].body_change().is_none());
        for world in &mut twins.worlds {
            let body = world.bodies().next().unwrap();
            let material = SoftBody::ball(0.1, 1).young(3e5).build().unwrap().kind;
            let BodyModelKind::Soft(material) = material else { panic!("{material:?}") };
            world.set_material(body, material).unwrap();
        }
        twins.check(2);
    }
}
