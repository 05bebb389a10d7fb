//! The simulation of all that a world has, made anew when something was added or removed.
//!
//! Positions, velocities, impulses of contacts and travel of joints are carried over. What
//! depends on the shapes of bodies alone is taken over for those that stay, see `body_change`.

use std::sync::Arc;

use crate::body::keyframes::{Keyframes, Pose};
use crate::body::obstacle::SurfaceMaterial;
use crate::body::pins::PinPath;
use crate::body::rigid::RigidState;
use crate::body::rigid::all::RigidBodySet;
use crate::body::soft::{Masses, State};
use crate::body::{Bodies, BodiesError};
use crate::contact::Feature;
use crate::contact::rules::ContactRules;
use crate::force::gravity::Gravity;
use crate::force::load::Load;
use crate::id::{BodyId, MismatchError, VertexId};
use crate::integrate::System;
use crate::integrate::implicit::Implicit;
use crate::math::Vec3;
use crate::solve::constraint::{ConstraintResponse, ConstraintSettings};
use crate::solve::joint::{JointDefinition, Joints};
use crate::step::{Simulation, Stepper};
use crate::world::assembly::WorldParts;
use crate::world::body_change::{BodyChange, ElasticForce, Reuse};
use crate::world::body_model::{BodyEntry, BodyModelKind, Pinning};
use crate::world::grab::{GrabSpring, GrabSprings};
use crate::world::handle::Collider;
use crate::world::material::{self, MaterialBody};
use crate::world::{BodyHandle, JointHandle, ObstacleHandle, World, WorldError};

/// Who is where in the simulation.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// Hash of the bodies' topology.
    pub hash: u64,
    /// Handle of each body.
    pub bodies: Vec<BodyHandle>,
    /// Handle of each obstacle.
    pub obstacles: Vec<ObstacleHandle>,
    /// Handle of each joint.
    pub joints: Vec<JointHandle>,
    /// Kinematic bodies, each with its path among those of pins.
    pub driven: Vec<(BodyHandle, usize)>,
    /// States of each rigid body before and after assembly: with what is attached to it, it has
    /// another centre and other axes.
    pub rigid_axes: Vec<[RigidState; 2]>,
    /// Place of gravity among the forces; none where there is none.
    pub gravity: Option<usize>,
    /// The force of all soft bodies, where one law serves all of them.
    pub elastic: Option<ElasticForce>,
    /// Place of constant forces.
    pub loads: usize,
    /// Place of grabs.
    pub grabs: usize,
}

impl World {
    /// Makes everything ready for the next step, which otherwise does it itself.
    ///
    /// Bodies, obstacles and joints that were added or removed since the last step take effect.
    pub fn assemble(&mut self) -> Result<(), WorldError> {
        self.check_simulation(&self.simulation, &self.layout)?;
        if self.is_current {
            return Ok(());
        }
        self.carry();
        let change = self.body_change();
        let (mut simulation, layout) = self.assembled(change.as_ref())?;
        let edges = self.simulation.stepper.contact().map(|old| old.edge_starts().to_vec());
        if let Some(change) = change {
            self.take_over(&mut simulation, &layout, change);
        }
        self.keep_impulses(&mut simulation, &edges.unwrap_or_default());
        if self.joints.keys().is_empty() {
            simulation.system.joints.take_travel(&self.simulation.system.joints);
        }
        simulation.system.profiler = self.simulation.system.profiler.take();
        self.simulation = simulation;
        for (place, handle) in layout.bodies.iter().enumerate() {
            if let Some(entry) = self.bodies.get_mut(handle.0) {
                entry.id = Some(BodyId(place as u32));
            }
        }
        self.layout = layout;
        (self.is_current, self.is_searched) = (true, false);
        self.reuse = Reuse::default();
        self.refresh_loads();
        self.simulation.set_threads(self.settings.threads);
        Ok(())
    }

    /// Refuses a simulation of other bodies, as someone else may have put there.
    pub(super) fn check_simulation(
        &self,
        simulation: &Simulation,
        layout: &Layout,
    ) -> Result<(), MismatchError> {
        let Simulation { state, system, .. } = simulation;
        system.bodies.check_hash("simulation", layout.hash)?;
        let (vertices, rigids) = (system.bodies.vertex_count(), layout.rigid_axes.len());
        MismatchError::check("positions", state.positions.len(), vertices)?;
        MismatchError::check("velocities", state.velocities.len(), vertices)?;
        MismatchError::check("masses", system.masses.of().len(), vertices)?;
        MismatchError::check("states of rigid bodies", state.rigids.len(), rigids)?;
        MismatchError::check("rigid bodies", system.rigids.entries().len(), rigids)
    }

    /// Takes the state of all bodies out of the simulation.
    fn carry(&mut self) {
        let Simulation { state, system, .. } = &self.simulation;
        self.bodies.for_each(|_, entry| {
            let Some(id) = entry.id else { return };
            let own = system.bodies.vertices(id);
            entry.state.positions.copy_from_slice(&state.positions[own.clone()]);
            entry.state.velocities.copy_from_slice(&state.velocities[own]);
            entry.state.rigid = system.rigids.index(id).map(|place| {
                let [own, assembled] = self.layout.rigid_axes[place];
                state.rigids[place].with_axes_of(&assembled, &own)
            });
        });
        let travel = |place| self.simulation.system.joints.travel(place);
        for (place, handle) in self.layout.joints.iter().enumerate() {
            if let (Some(entry), Some(travel)) = (self.joints.get_mut(handle.0), travel(place)) {
                entry.travel = travel;
            }
        }
    }

    /// The simulation of all that is there, and who is where in it.
    ///
    /// With a change, it has no contact search, and no soft bodies but new ones among its forces:
    /// [`World::take_over`] completes it.
    fn assembled(&self, change: Option<&BodyChange>) -> Result<(Simulation, Layout), WorldError> {
        let mut layout = Layout {
            bodies: self.bodies.keys().iter().map(|key| BodyHandle(*key)).collect(),
            obstacles: self.obstacles.keys().iter().map(|key| ObstacleHandle(*key)).collect(),
            joints: self.joints.keys().iter().map(|key| JointHandle(*key)).collect(),
            ..Layout::default()
        };
        let entries: Vec<&BodyEntry> = self.bodies.iter().map(|(_, entry)| entry).collect();
        let bodies = match change {
            Some(change) => change.bodies.clone(),
            None => Arc::new(topology(&entries)?),
        };
        layout.hash = bodies.hash();
        let rest = gather(&entries, |entry| &entry.model.rest);
        let mut masses = Vec::with_capacity(rest.len());
        entries.iter().for_each(|entry| masses.extend_from_slice(&entry.model.masses));
        let mut system = System { masses: Masses::new(masses)?, bodies, ..System::default() };
        system.scratch.keeps_contacts = true;
        self.push_forces(&entries, change, &mut system, &mut layout)?;
        self.hold(&entries, &rest, &mut system, &mut layout)?;
        let mut state = self.state(&entries);
        system.pins.hold(state.time, &mut state.positions, &mut state.velocities);
        system.rigids = rigids(&entries, &system.bodies)?;
        system.rigids.write(&mut state);
        system.joints = self.joints(&system, &state.rigids)?;
        let before = state.rigids.clone();
        let stepper = match &self.assembly {
            Some(assembly) => {
                let (state, system) = (&mut state, &mut system);
                let rigid_starts = &rigid_starts(&entries)[..];
                let handles = &layout.bodies[..];
                let dt = self.settings.dt / f64::from(self.settings.substeps);
                let (rest, world) = (&rest[..], self);
                let parts = WorldParts { rest, state, system, rigid_starts, handles, dt, world };
                let made = assembly.assemble(parts);
                made.map_err(|error| WorldError::Assembly(Arc::from(error)))?
            }
            None if change.is_some() => self.stepper(&[], &Bodies::default())?,
            None => self.stepper(&rest, &system.bodies)?,
        };
        MismatchError::check("rigid bodies", state.rigids.len(), before.len())?;
        layout.rigid_axes = before.into_iter().zip(&state.rigids).map(|(a, b)| [a, *b]).collect();
        let mut simulation = Simulation::new(state, system, stepper);
        // An assembly from outside may have put anything there.
        self.check_simulation(&simulation, &layout)?;
        simulation.external_impulse_total = self.simulation.external_impulse_total;
        Ok((simulation, layout))
    }

    /// The usual stepper: implicit Euler with contacts that are solved with it.
    pub(super) fn stepper(&self, rest: &[Vec3], bodies: &Bodies) -> Result<Stepper, WorldError> {
        let settings = &self.settings;
        let stepper = Stepper::new(Box::new(Implicit::new(settings.implicit)))
            .with_contact(self.contact(rest, bodies)?)
            .with_substeps(settings.substeps)
            .with_halvings(settings.max_halvings);
        Ok(match settings.sleep {
            Some(sleep) => stepper.with_sleep(sleep),
            None => stepper,
        })
    }

    /// Where all bodies are now.
    fn state(&self, entries: &[&BodyEntry]) -> State {
        State {
            positions: gather(entries, |entry| &entry.state.positions),
            velocities: gather(entries, |entry| &entry.state.velocities),
            rigids: entries.iter().filter_map(|entry| entry.state.rigid).collect(),
            time: self.simulation.state.time,
        }
    }

    /// Gravity, materials, constant forces, grabs.
    fn push_forces(
        &self,
        entries: &[&BodyEntry],
        change: Option<&BodyChange>,
        system: &mut System,
        layout: &mut Layout,
    ) -> Result<(), WorldError> {
        let start = gather(entries, |entry| &entry.model.start);
        if self.settings.gravity != Vec3::ZERO {
            layout.gravity = Some(system.forces.len());
            system.forces.push(Gravity::new(self.settings.gravity, system.masses.of()));
        }
        let (mut soft, mut first) = (Vec::new(), 0);
        for entry in entries {
            if let BodyModelKind::Soft(material) = &entry.model.kind {
                let body = MaterialBody { rest: &start, first, mesh: &entry.model.mesh };
                soft.push((body, material));
            }
            first += entry.len() as u32;
        }
        layout.elastic = ElasticForce::of(entries, system.forces.len());
        match change.and_then(|change| self.taken_tets(change, layout)) {
            Some(taken) => {
                let added = &soft[taken.bodies..];
                material::push_elastic(taken.law, &start, added, &mut system.forces)?;
            }
            None => material::push_all(&soft, &mut system.forces)?,
        }
        layout.loads = system.forces.len();
        system.forces.push(Load::default());
        layout.grabs = system.forces.len();
        system.forces.push(self.grab_springs(system.bodies.as_ref()));
        Ok(())
    }

    /// Constant forces of all bodies.
    pub(super) fn loads(&self, bodies: &Bodies, masses: &[f64]) -> Vec<(VertexId, Vec3)> {
        let mut all = Vec::new();
        for (place, (_, entry)) in self.bodies.iter().enumerate() {
            if entry.force == Vec3::ZERO || place >= bodies.len() {
                continue;
            }
            let own = bodies.vertices(BodyId(place as u32));
            let whole: f64 = masses[own.clone()].iter().sum();
            all.extend(own.map(|v| (VertexId(v as u32), masses[v] / whole * entry.force)));
        }
        all
    }

    fn is_soft(&self, body: BodyHandle) -> bool {
        let entry = self.bodies.get(body.0);
        entry.is_some_and(|entry| matches!(entry.model.kind, BodyModelKind::Soft(_)))
    }

    /// Springs of all grabs of soft bodies.
    pub(super) fn grab_springs(&self, bodies: &Bodies) -> GrabSprings {
        let mut list = Vec::new();
        for (_, grab) in self.grabs.iter().filter(|(_, grab)| self.is_soft(grab.body)) {
            let Some(place) = self.bodies.place(grab.body.0) else {
                continue;
            };
            let first = bodies.vertices(BodyId(place as u32)).start as u32;
            list.push(GrabSpring {
                corners: grab.corners.map(|v| VertexId(first + v.0)),
                weights: grab.weights,
                target: grab.target,
                stiffness: grab.stiffness,
                damping: grab.damping,
            });
        }
        GrabSprings { list }
    }

    fn hold(
        &self,
        entries: &[&BodyEntry],
        rest: &[Vec3],
        system: &mut System,
        layout: &mut Layout,
    ) -> Result<(), WorldError> {
        let mut places = gather(entries, |entry| &entry.model.start);
        let (mut first, mut paths) = (0, 0);
        for (place, entry) in entries.iter().enumerate() {
            let all = || (first..first + entry.len() as u32).map(VertexId).collect::<Vec<_>>();
            match &entry.model.kind {
                BodyModelKind::Kinematic(driven) => {
                    let motion = Keyframes::still(driven.pose)?;
                    let path = PinPath { motion, pivot: Vec3::ZERO };
                    system.pins.add_moving(&all(), rest, path)?;
                    layout.driven.push((layout.bodies[place], paths));
                    paths += 1;
                }
                BodyModelKind::Fixed => system.pins.add_still(&all(), &places)?,
                BodyModelKind::Soft(_) | BodyModelKind::Rigid(_) => {}
            }
            if matches!(entry.model.kind, BodyModelKind::Kinematic(_) | BodyModelKind::Fixed) {
                system.fixed.push(BodyId(place as u32));
            }
            for Pinning { vertices, path } in &entry.model.pins {
                let mut held = Vec::new();
                for (vertex, place) in vertices {
                    let vertex = VertexId(first + vertex.0);
                    places[vertex.index()] = *place;
                    held.push(vertex);
                }
                match path {
                    None => system.pins.add_still(&held, &places)?,
                    Some(path) => {
                        system.pins.add_moving(&held, &places, path.clone())?;
                        paths += 1;
                    }
                }
            }
            first += entry.len() as u32;
        }
        Ok(())
    }

    fn joints(&self, system: &System, states: &[RigidState]) -> Result<Joints, WorldError> {
        let (mut list, mut references, mut travels) = (Vec::new(), Vec::new(), Vec::new());
        let index = |body: BodyHandle| {
            let place = self.bodies.place(body.0)?;
            system.rigids.index(BodyId(place as u32))
        };
        for (_, entry) in self.joints.iter() {
            let (first, second) = entry.joint.bodies;
            let Some(first) = index(first) else { continue };
            let bodies = (first, second.and_then(index));
            list.push(JointDefinition::new(entry.joint.kind, bodies, entry.joint.anchor));
            references.push(entry.references);
            travels.push(entry.travel);
        }
        let members = system.rigids.entries();
        Ok(Joints::with_references(list, members, states, &references, &travels)?)
    }

    fn contact(&self, rest: &[Vec3], bodies: &Bodies) -> Result<ConstraintResponse, WorldError> {
        let settings = &self.settings;
        let usual =
            SurfaceMaterial { friction: settings.friction, restitution: settings.restitution };
        let obstacles: Result<Vec<_>, _> =
            self.obstacles.iter().map(|(_, entry)| entry.obstacle(usual)).collect();
        let mut own = ConstraintSettings {
            restitution: settings.restitution,
            max_depenetration_speed: settings.depenetration_speed,
            weight: settings.gravity.length(),
            ..ConstraintSettings::default()
        };
        own.contacts.friction = settings.friction;
        let mut contact = ConstraintResponse::new(rest, bodies, obstacles?, own)?;
        *contact.rules_mut() = self.contact_rules();
        if let Some(surfaces) = self.contact_surfaces(rest, bodies)? {
            contact = contact.on_surfaces(surfaces)?;
        }
        Ok(contact)
    }

    /// The rules of all bodies and obstacles, in their order.
    pub(super) fn contact_rules(&self) -> ContactRules {
        let mut rules = self.rules.clone();
        rules.bodies = self.bodies.iter().map(|(_, entry)| entry.model.surface).collect();
        rules.obstacles = self.obstacles.iter().map(|(_, entry)| entry.placement.surface).collect();
        let body = |handle: BodyHandle| {
            let place = self.bodies.place(handle.0)?;
            Some(BodyId(place as u32))
        };
        let mut pairs: Vec<(BodyId, BodyId)> = Vec::new();
        let mut obstacle_pairs = Vec::new();
        for (first, second) in &self.ignored_pairs {
            let Some(first) = body(*first) else { continue };
            match *second {
                Collider::Body(second) => pairs.extend(body(second).map(|second| (first, second))),
                Collider::Obstacle(second) => {
                    let place = self.obstacles.place(second.0);
                    obstacle_pairs.extend(place.map(|place| (first, place as u32)));
                }
            }
        }
        for (_, entry) in self.joints.iter().filter(|(_, entry)| !entry.joint.collide) {
            let (first, second) = entry.joint.bodies;
            pairs.extend(body(first).zip(second.and_then(body)));
        }
        rules.set_pairs(pairs);
        rules.set_obstacle_pairs(obstacle_pairs);
        rules
    }

    /// Hands the impulses of contacts to the new simulation, by the features that they are between.
    ///
    /// `old_edges` are the first edges of the bodies before.
    fn keep_impulses(&self, simulation: &mut Simulation, old_edges: &[usize]) {
        let old_bodies = &self.simulation.system.bodies;
        let Some(old) = self.simulation.stepper.contact() else { return };
        let bodies = simulation.system.bodies.clone();
        let Some(new) = simulation.stepper.contact_mut() else { return };
        let body = |handle: &BodyHandle| Some(BodyId(self.bodies.place(handle.0)? as u32));
        let map: Vec<Option<BodyId>> = self.layout.bodies.iter().map(body).collect();
        let obstacle = |handle: &ObstacleHandle| Some(self.obstacles.place(handle.0)? as u32);
        let obstacles: Vec<Option<u32>> = self.layout.obstacles.iter().map(obstacle).collect();
        let new_edges = new.edge_starts().to_vec();
        let vertex = |v: VertexId| -> Option<VertexId> {
            let (of, local) = old_bodies.offsets().locate(v.index());
            let to = map.get(of.index()).copied().flatten()?;
            Some(VertexId(bodies.vertices(to).start as u32 + local.0))
        };
        let edge = |edge: u32| -> Option<u32> {
            let of = old_edges.partition_point(|start| *start <= edge as usize).checked_sub(1)?;
            let to = map.get(of).copied().flatten()?;
            Some((new_edges.get(to.index())? + edge as usize - old_edges[of]) as u32)
        };
        new.take_impulses(old, |feature| {
            Some(match feature {
                Feature::VertexBody(v, b) => {
                    Feature::VertexBody(vertex(v)?, map.get(b.index()).copied().flatten()?)
                }
                Feature::EdgeEdge(a, b) => {
                    let (a, b) = (edge(a)?, edge(b)?);
                    Feature::EdgeEdge(a, b)
                }
                Feature::VertexObstacle(v, number) => Feature::VertexObstacle(
                    vertex(v)?,
                    obstacles.get(number as usize).copied().flatten()?,
                ),
            })
        });
    }
}

/// The topology of bodies.
pub(super) fn topology(entries: &[&BodyEntry]) -> Result<Bodies, BodiesError> {
    let meshes: Vec<_> = entries.iter().map(|entry| entry.model.mesh.topology()).collect();
    Bodies::from_meshes(&meshes)
}

/// Values of all bodies in one array.
pub(super) fn gather(entries: &[&BodyEntry], of: fn(&BodyEntry) -> &Vec<Vec3>) -> Vec<Vec3> {
    let mut all = Vec::with_capacity(entries.iter().map(|entry| entry.len()).sum());
    entries.iter().for_each(|entry| all.extend_from_slice(of(entry)));
    all
}

/// Where rigid bodies were when they were added.
fn rigid_starts(entries: &[&BodyEntry]) -> Vec<RigidState> {
    let starts = entries.iter().filter_map(|entry| match &entry.model.kind {
        BodyModelKind::Rigid(part) => Some(part.state),
        _ => None,
    });
    starts.collect()
}

/// The rigid bodies among all.
fn rigids(entries: &[&BodyEntry], bodies: &Bodies) -> Result<RigidBodySet, WorldError> {
    let all = entries.iter().zip(bodies.ids());
    let rigid = all.filter_map(|(entry, id)| match &entry.model.kind {
        BodyModelKind::Rigid(part) => Some((id, part.body.clone())),
        _ => None,
    });
    Ok(RigidBodySet::new(rigid.collect(), bodies.offsets(), bodies.vertex_count())?)
}

/// Motion from one pose to another within a step, and on as long again.
///
/// So the velocity at the end of the step is that in it.
pub(super) fn drive(from: Pose, to: Pose, time: f64, dt: f64) -> Result<Keyframes, WorldError> {
    use crate::body::keyframes::Keyframe;
    let turn = to.rotation * from.rotation.conjugate();
    let beyond = Pose {
        position: to.position + (to.position - from.position),
        rotation: turn * to.rotation,
    };
    let frame =
        |time: f64, pose: Pose| Keyframe { time, position: pose.position, rotation: pose.rotation };
    let frames = vec![frame(time, from), frame(time + dt, to), frame(time + 2.0 * dt, beyond)];
    Ok(Keyframes::new(frames)?)
}
