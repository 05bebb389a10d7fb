//! Six unknowns in place of the vertices of each rigid body.
//!
//! They are its velocity and spin, with the mass and the inertia as their blocks of the matrix,
//! and stand behind the unknowns of all vertices. Its vertices are held while the equations are
//! solved, and follow afterwards. Solvers see blocks as before.
//!
//! Vertices of soft bodies that are attached go by the same two unknowns, v + ω × p = B x with
//! B = [1, −p×]: what the matrix has at them, Bᵀ A B, is added to those.

use crate::body::rigid::all::{RigidBodySet, RigidEntry};
use crate::body::rigid::attach::Attached;
use crate::body::soft::State;
use crate::force::BlockMatrix;
use crate::id::{BodyId, VertexId};
use crate::math::{Mat3, Vec3, skew};
use crate::solve::joint::JointDefinition;
use crate::solve::terms::RigidSides;

/// What the unknowns of rigid bodies change for the solvers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reduced {
    /// Centre of each rigid body, m; none for the others.
    centres: Vec<Option<Vec3>>,
    firsts: Vec<u32>,
    /// Masses of all unknowns, kg; the mean moment for a spin, kg·m².
    pub masses: Vec<f64>,
    /// Vertices that are held, ascending.
    pub held: Vec<VertexId>,
    /// What holds bodies that sleep: a vertex of each, and the impulse, N·s.
    pub support_impulses: Vec<(VertexId, Vec3)>,
    /// Vertices that rigid bodies hold, with these; ascending.
    attached: Vec<(VertexId, BodyId)>,
    /// Arms of the same, from the centres, m.
    arms: Vec<Vec3>,
    /// Group of each body; empty where nothing is attached.
    groups: Vec<Option<BodyId>>,
    /// Group and unknown of what goes with its whole group, ascending.
    coarse_dofs: Vec<(BodyId, VertexId)>,
    /// Bodies that joints hold, ascending.
    jointed: Vec<BodyId>,
}

/// Motion and loads at the start of a step, before rigid bodies are reduced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RigidStep<'a> {
    /// The rigid bodies.
    pub rigids: &'a RigidBodySet,
    /// Whether each rigid body sleeps; those beyond the end are awake.
    pub asleep: &'a [bool],
    /// Positions, m, velocities, m/s, and rigid states.
    pub state: &'a State,
    /// Vertices that are pinned.
    pub pins: &'a [VertexId],
    /// Mass of each vertex, kg.
    pub masses: &'a [f64],
    /// Force on each vertex, N.
    pub forces: &'a [Vec3],
    /// Time for which the forces act, s.
    pub span: f64,
}

/// The equations A x = b that get the unknowns of rigid bodies.
///
/// These stand behind those of all vertices.
#[derive(Debug)]
pub(crate) struct StepEquations<'a> {
    /// A, kg.
    pub matrix: &'a mut BlockMatrix,
    /// b, N·s.
    pub right: &'a mut Vec<Vec3>,
    /// A guess of x: velocities at the end, m/s.
    pub ends: &'a mut Vec<Vec3>,
}

impl Reduced {
    /// Brings the equations A x = b to the unknowns of rigid bodies.
    pub(crate) fn fill(&mut self, step: &RigidStep<'_>, equations: StepEquations<'_>) {
        let RigidStep { rigids, asleep, state, pins, masses, forces, span } = *step;
        let StepEquations { matrix, right, ends } = equations;
        self.firsts.clear();
        self.firsts.extend_from_slice(rigids.unknowns());
        self.centres.clear();
        self.centres.resize(self.firsts.len(), None);
        self.masses.clear();
        self.masses.extend_from_slice(masses);
        let unknown_count = masses.len() + 2 * rigids.entries().len();
        self.masses.resize(unknown_count, 0.0);
        right.resize(unknown_count, Vec3::ZERO);
        ends.resize(unknown_count, Vec3::ZERO);
        self.held.clear();
        self.held.extend_from_slice(pins);
        self.support_impulses.clear();
        self.note_attached(rigids, state);
        clear_between(rigids, matrix);
        for (k, (member, rigid)) in rigids.entries().iter().zip(&state.rigids).enumerate() {
            let (own, body) = (member.vertices.clone(), &member.body);
            self.centres[member.id.index()] = Some(rigid.centre);
            self.held.extend(own.clone().map(|v| VertexId(v as u32)));
            let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
            for v in own.clone() {
                force += forces[v];
                torque += (state.positions[v] - rigid.centre).cross(forces[v]);
            }
            let (first, inertia) = (member.unknown, rigid.inertia(body));
            matrix.set_diagonal(first, body.mass * Mat3::IDENTITY);
            matrix.set_diagonal(first + 1, inertia);
            self.masses[first] = body.mass;
            self.masses[first + 1] = (body.moments.x + body.moments.y + body.moments.z) / 3.0;
            right[first] = body.mass * rigid.velocity + span * force;
            right[first + 1] = rigid.angular_momentum(body) + span * torque;
            (ends[first], ends[first + 1]) = (rigid.velocity, rigid.spin);
            if asleep.get(k) == Some(&true) {
                // Held as it is; what pushes it is borne by what it lies on.
                let unknowns = [first, first + 1];
                unknowns.into_iter().for_each(|v| (right[v], ends[v]) = (Vec3::ZERO, Vec3::ZERO));
                self.held.extend(unknowns.map(|v| VertexId(v as u32)));
                self.support_impulses.push((VertexId(own.start as u32), -span * force));
            }
        }
        self.push(forces, span, right);
        self.condense(masses, matrix);
        self.held.sort_unstable();
        self.held.dedup();
    }

    /// Takes over who is attached to whom, and where.
    fn note_attached(&mut self, rigids: &RigidBodySet, state: &State) {
        let Reduced { attached, arms, groups, coarse_dofs, held, .. } = self;
        attached.clear();
        attached.extend(rigids.attached().iter().map(|a| (a.vertex, a.holder)));
        arms.clear();
        let arm = |a: &Attached| state.positions[a.vertex.index()] - state.rigids[a.place].centre;
        arms.extend(rigids.attached().iter().map(arm));
        groups.clear();
        groups.extend_from_slice(rigids.groups());
        coarse_dofs.clear();
        coarse_dofs.extend_from_slice(rigids.coarse_dofs());
        held.extend(attached.iter().map(|(vertex, _)| *vertex));
    }

    /// Gives what pushes attached vertices to the rigid bodies.
    fn push(&self, forces: &[Vec3], span: f64, right: &mut [Vec3]) {
        for ((vertex, holder), arm) in self.attached.iter().zip(&self.arms) {
            let (first, force) = (self.firsts[holder.index()] as usize, forces[vertex.index()]);
            right[first] += span * force;
            right[first + 1] += span * arm.cross(force);
        }
    }

    /// Gives what the matrix has at attached vertices to the unknowns that they go by.
    ///
    /// Their masses are in those of the rigid bodies already.
    fn condense(&self, masses: &[f64], matrix: &mut BlockMatrix) {
        let unknowns = |holder: BodyId| {
            let first = self.firsts[holder.index()];
            [VertexId(first), VertexId(first + 1)]
        };
        if !self.attached.is_empty() {
            matrix.condense_terms(|vertex| {
                let k = self.attached.binary_search_by_key(&vertex, |(vertex, _)| *vertex).ok()?;
                Some((unknowns(self.attached[k].1)[0], self.arms[k]))
            });
        }
        for (&(vertex, holder), &arm) in self.attached.iter().zip(&self.arms) {
            let [going, turning] = unknowns(holder);
            matrix.add_to_diagonal(vertex.index(), -masses[vertex.index()]);
            for entry in 0..matrix.row(vertex.index()).0.len() {
                let (column, block) = matrix.entry(vertex.index(), entry);
                let turned = skew(arm) * block;
                match self.attached.binary_search_by_key(&column, |(vertex, _)| *vertex) {
                    Err(_) => {
                        matrix.add_block(going, column, block);
                        matrix.add_block(turning, column, turned);
                        matrix.add_block(column, going, block.transpose());
                        matrix.add_block(column, turning, turned.transpose());
                        matrix.clear_block(column, vertex);
                    }
                    Ok(k) => {
                        let ([other, spun], lever) =
                            (unknowns(self.attached[k].1), -skew(self.arms[k]));
                        matrix.add_block(going, other, block);
                        matrix.add_block(going, spun, block * lever);
                        matrix.add_block(turning, other, turned);
                        matrix.add_block(turning, spun, turned * lever);
                    }
                }
                matrix.clear_block(vertex, column);
            }
            // Held, so of no effect; a row of zeros could not be inverted.
            matrix.set_diagonal(vertex.index(), masses[vertex.index()] * Mat3::IDENTITY);
        }
    }

    /// Notes which bodies joints hold.
    pub(crate) fn note_joints(&mut self, rigids: &RigidBodySet, joints: &[JointDefinition]) {
        let entries = rigids.entries();
        let body = |index: usize| entries.get(index).map(|entry| entry.id);
        self.jointed.clear();
        let held = joints.iter().flat_map(|joint| [Some(joint.bodies.0), joint.bodies.1]);
        self.jointed.extend(held.flatten().filter_map(body));
        self.jointed.sort_unstable();
        self.jointed.dedup();
    }

    /// Group and unknown of what goes with its whole group, ascending.
    pub(crate) fn coarse_dofs(&self) -> &[(BodyId, VertexId)] {
        &self.coarse_dofs
    }

    /// Where the rigid bodies are, for rows.
    pub(crate) fn sides<'a>(&'a self, positions: &'a [Vec3]) -> RigidSides<'a> {
        let Reduced { centres, firsts, attached, groups, coarse_dofs, jointed, .. } = self;
        RigidSides { centres, firsts, positions, attached, groups, coarse_dofs, jointed }
    }

    /// Takes the solution: velocity and spin of each rigid body, and those of its vertices.
    pub(crate) fn spread(
        rigids: &RigidBodySet,
        state: &State,
        ends: &mut Vec<Vec3>,
        solved: &mut Vec<(Vec3, Vec3)>,
    ) {
        solved.clear();
        for (member, rigid) in rigids.entries().iter().zip(&state.rigids) {
            let (velocity, spin) = (ends[member.unknown], ends[member.unknown + 1]);
            solved.push((velocity, spin));
            for v in member.vertices.clone() {
                ends[v] = velocity + spin.cross(state.positions[v] - rigid.centre);
            }
        }
        for attached in rigids.attached() {
            let ((velocity, spin), v) = (solved[attached.place], attached.vertex.index());
            let centre = state.rigids[attached.place].centre;
            ends[v] = velocity + spin.cross(state.positions[v] - centre);
        }
        ends.truncate(state.positions.len());
    }
}

/// Makes the blocks zero that join unknowns of rigid bodies to what they hold.
fn clear_between(rigids: &RigidBodySet, matrix: &mut BlockMatrix) {
    let holds = |member: &&RigidEntry| rigids.group(member.id).is_some();
    for member in rigids.entries().iter().filter(holds) {
        for row in [member.unknown, member.unknown + 1] {
            let own = VertexId(row as u32);
            for entry in 0..matrix.row(row).0.len() {
                let (column, _) = matrix.entry(row, entry);
                matrix.clear_block(own, column);
                matrix.clear_block(column, own);
            }
        }
    }
}
