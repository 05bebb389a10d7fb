//! The simulation of all that a world has, made anew when something was added or removed.
//!
//! Positions, velocities, impulses of contacts and travel of joints are carried over.

use std::sync::Arc;

use crate::body::Bodies;
use crate::body::keyframes::{Keyframes, Pose};
use crate::body::obstacle::SurfaceMaterial;
use crate::body::pins::PinPath;
use crate::body::rigid::RigidState;
use crate::body::rigid::all::RigidBodySet;
use crate::body::soft::{Masses, State};
use crate::contact::Feature;
use crate::contact::rules::ContactRules;
use crate::force::gravity::Gravity;
use crate::force::load::Load;
use crate::id::{BodyId, VertexId};
use crate::integrate::System;
use crate::integrate::implicit::Implicit;
use crate::integrate::sleep::SleepSettings;
use crate::math::Vec3;
use crate::solve::constraint::{ConstraintResponse, ConstraintSettings};
use crate::solve::joint::{Joint as JointBetween, Joints};
use crate::step::{Simulation, Stepper};
use crate::world::body_entry::{BodyEntry, BodyEntryKind};
use crate::world::grab::{GrabSpring, GrabSprings};
use crate::world::handle::Collider;
use crate::world::material::{self, MaterialBody};
use crate::world::{BodyHandle, JointHandle, ObstacleHandle, World, WorldError};

/// Who is where in the simulation.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// Handle of each body.
    pub bodies: Vec<BodyHandle>,
    /// Handle of each obstacle.
    pub obstacles: Vec<ObstacleHandle>,
    /// Handle of each joint.
    pub joints: Vec<JointHandle>,
    /// Pin path of each kinematic body, by its place among them.
    pub driven: Vec<BodyHandle>,
    /// Place of gravity among the forces; none where there is none.
    pub gravity: Option<usize>,
    /// Place of constant forces.
    pub loads: usize,
    /// Place of grabs.
    pub grabs: usize,
}

impl World {
    /// Makes the simulation of all that is there, if that has changed.
    pub(super) fn assemble(&mut self) -> Result<(), WorldError> {
        if self.is_current {
            return Ok(());
        }
        let mut simulation = self.assembled()?;
        self.carry();
        self.fill(&mut simulation);
        let layout = self.layout_of(&simulation);
        self.keep_impulses(&mut simulation);
        self.simulation = simulation;
        for (place, handle) in layout.bodies.iter().enumerate() {
            if let Some(entry) = self.bodies.get_mut(handle.0) {
                entry.id = Some(BodyId(place as u32));
            }
        }
        self.layout = layout;
        self.is_current = true;
        self.refresh_loads();
        self.simulation.set_threads(self.settings.threads);
        Ok(())
    }

    /// Takes the state of all bodies out of the simulation.
    fn carry(&mut self) {
        let Simulation { state, system, .. } = &self.simulation;
        self.bodies.for_each(|_, entry| {
            let Some(id) = entry.id else { return };
            let own = system.bodies.vertices(id);
            entry.state.positions.copy_from_slice(&state.positions[own.clone()]);
            entry.state.velocities.copy_from_slice(&state.velocities[own]);
            entry.state.rigid = system.rigids.index(id).map(|place| state.rigids[place]);
        });
        let travel = |place| self.simulation.system.joints.travel(place);
        for (place, handle) in self.layout.joints.iter().enumerate() {
            if let (Some(entry), Some(travel)) = (self.joints.get_mut(handle.0), travel(place)) {
                entry.travel = travel;
            }
        }
    }

    /// The simulation with all bodies where they were added.
    fn assembled(&self) -> Result<Simulation, WorldError> {
        let entries: Vec<&BodyEntry> = self.bodies.iter().map(|(_, entry)| entry).collect();
        let meshes: Vec<_> = entries.iter().map(|entry| entry.mesh.topology()).collect();
        let bodies = Arc::new(Bodies::from_meshes(&meshes)?);
        let all = |of: fn(&BodyEntry) -> &[Vec3]| -> Vec<Vec3> {
            entries.iter().flat_map(|entry| of(entry).iter().copied()).collect()
        };
        let (rest, start) = (all(|entry| entry.mesh.positions()), all(|entry| &entry.start));
        let masses = entries.iter().flat_map(|entry| entry.masses.iter().copied()).collect();
        let mut system = System { masses: Masses::new(masses)?, bodies, ..System::default() };
        system.scratch.keeps_contacts = true;
        let (mut rigids, mut states) = (Vec::new(), Vec::new());
        for (place, entry) in entries.iter().enumerate() {
            let id = BodyId(place as u32);
            if let (BodyEntryKind::Rigid(rigid), Some(state)) = (&entry.kind, entry.state.rigid) {
                rigids.push((id, rigid.body.clone()));
                states.push(state);
            }
            if let BodyEntryKind::Kinematic(_) = entry.kind {
                system.fixed.push(id);
            }
        }
        system.rigids = RigidBodySet::new(rigids, system.bodies.offsets(), start.len())?;
        self.push_forces(&entries, &start, &mut system)?;
        self.hold(&entries, &rest, &mut system)?;
        system.joints = self.joints(&system, &states)?;
        let contact = self.contact(&rest, &system)?;
        let settings = &self.settings;
        let mut stepper = Stepper::new(Box::new(Implicit::default()))
            .with_contact(contact)
            .with_substeps(settings.substeps)
            .with_halvings(settings.max_halvings);
        if settings.sleeps {
            stepper = stepper.with_sleep(SleepSettings::default());
        }
        let state = State { rigids: states, ..State::at_rest(start) };
        Ok(Simulation::new(state, system, stepper))
    }

    /// Puts all bodies where they are now.
    fn fill(&self, simulation: &mut Simulation) {
        let old = &self.simulation;
        simulation.external_impulse_total = old.external_impulse_total;
        let Simulation { state, system, .. } = simulation;
        state.time = old.state.time;
        state.rigids.clear();
        let mut first = 0;
        for (_, entry) in self.bodies.iter() {
            let own = first..first + entry.start.len();
            state.positions[own.clone()].copy_from_slice(&entry.state.positions);
            state.velocities[own.clone()].copy_from_slice(&entry.state.velocities);
            state.rigids.extend(entry.state.rigid);
            first = own.end;
        }
        system.pins.hold(state.time, &mut state.positions, &mut state.velocities);
        system.rigids.write(state);
    }

    fn layout_of(&self, simulation: &Simulation) -> Layout {
        let forces = &simulation.system.forces;
        let has_gravity = self.settings.gravity != Vec3::ZERO;
        let driven = self.bodies.iter();
        let driven = driven.filter(|(_, entry)| matches!(entry.kind, BodyEntryKind::Kinematic(_)));
        Layout {
            bodies: self.bodies.keys().iter().map(|key| BodyHandle(*key)).collect(),
            obstacles: self.obstacles.keys().iter().map(|key| ObstacleHandle(*key)).collect(),
            joints: self.joints.keys().iter().map(|key| JointHandle(*key)).collect(),
            driven: driven.map(|(key, _)| BodyHandle(key)).collect(),
            gravity: has_gravity.then_some(0),
            loads: forces.len().saturating_sub(2),
            grabs: forces.len().saturating_sub(1),
        }
    }

    /// Gravity, materials, constant forces, grabs.
    fn push_forces(
        &self,
        entries: &[&BodyEntry],
        start: &[Vec3],
        system: &mut System,
    ) -> Result<(), WorldError> {
        if self.settings.gravity != Vec3::ZERO {
            system.forces.push(Gravity::new(self.settings.gravity, system.masses.of()));
        }
        let (mut soft, mut first) = (Vec::new(), 0);
        for entry in entries {
            if let BodyEntryKind::Soft(material) = &entry.kind {
                soft.push((MaterialBody { rest: start, first, mesh: &entry.mesh }, material));
            }
            first += entry.start.len() as u32;
        }
        material::push_all(&soft, &mut system.forces)?;
        system.forces.push(Load::default());
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
        entry.is_some_and(|entry| matches!(entry.kind, BodyEntryKind::Soft(_)))
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
    ) -> Result<(), WorldError> {
        let mut places = rest.to_vec();
        let (mut held, mut first) = (Vec::new(), 0);
        for entry in entries {
            let own = first..first + entry.start.len() as u32;
            for (vertex, place) in &entry.pins {
                let vertex = VertexId(first + vertex.0);
                places[vertex.index()] = *place;
                held.push(vertex);
            }
            if let BodyEntryKind::Kinematic(driven) = entry.kind {
                let vertices: Vec<VertexId> = own.clone().map(VertexId).collect();
                let path = PinPath { motion: Keyframes::still(driven.pose)?, pivot: Vec3::ZERO };
                system.pins.add_moving(&vertices, rest, path)?;
            }
            first = own.end;
        }
        Ok(system.pins.add_still(&held, &places)?)
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
            list.push(JointBetween::new(entry.joint.kind, bodies, entry.joint.anchor));
            references.push(entry.references);
            travels.push(entry.travel);
        }
        let members = system.rigids.entries();
        Ok(Joints::with_references(list, members, states, &references, &travels)?)
    }

    fn contact(&self, rest: &[Vec3], system: &System) -> Result<ConstraintResponse, WorldError> {
        let settings = &self.settings;
        let usual =
            SurfaceMaterial { friction: settings.friction, restitution: settings.restitution };
        let obstacles: Result<Vec<_>, _> =
            self.obstacles.iter().map(|(_, entry)| entry.obstacle(usual)).collect();
        let mut own = ConstraintSettings {
            restitution: settings.restitution,
            weight: settings.gravity.length(),
            ..ConstraintSettings::default()
        };
        own.contacts.friction = settings.friction;
        let mut contact = ConstraintResponse::new(rest, &system.bodies, obstacles?, own);
        *contact.rules_mut() = self.contact_rules();
        Ok(contact)
    }

    /// The rules of all bodies and obstacles, in their order.
    pub(super) fn contact_rules(&self) -> ContactRules {
        let mut rules = self.rules.clone();
        rules.bodies = self.bodies.iter().map(|(_, entry)| entry.surface).collect();
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
    fn keep_impulses(&self, simulation: &mut Simulation) {
        let old_bodies = &self.simulation.system.bodies;
        let Some(old) = self.simulation.stepper.contact() else { return };
        let bodies = simulation.system.bodies.clone();
        let Some(new) = simulation.stepper.contact_mut() else { return };
        let body = |handle: &BodyHandle| Some(BodyId(self.bodies.place(handle.0)? as u32));
        let map: Vec<Option<BodyId>> = self.layout.bodies.iter().map(body).collect();
        let obstacle = |handle: &ObstacleHandle| Some(self.obstacles.place(handle.0)? as u32);
        let obstacles: Vec<Option<u32>> = self.layout.obstacles.iter().map(obstacle).collect();
        let (old_edges, new_edges) = (old.edge_starts().to_vec(), new.edge_starts().to_vec());
        let vertex = |v: VertexId| -> Option<VertexId> {
            let (of, local) = old_bodies.offsets().locate(v.index());
            let to = map.get(of.index()).copied().flatten()?;
            Some(VertexId(bodies.vertices(to).start as u32 + local.0))
        };
        let edge = |edge: u32| -> Option<u32> {
            let of = old_edges.partition_point(|start| *start <= edge as usize).checked_sub(1)?;
            let to = map.get(of).copied().flatten()?;
            Some((new_edges[to.index()] + edge as usize - old_edges[of]) as u32)
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
