//! Six unknowns in place of the vertices of each rigid body.
//!
//! They take the places of its first two vertices: velocity and spin, with the mass and the
//! inertia as their blocks of the matrix. Its other vertices are held while the equations are
//! solved, and follow afterwards. Solvers see blocks as before.

use crate::body::rigid::all::Rigids;
use crate::body::soft::State;
use crate::force::BlockMatrix;
use crate::id::VertexId;
use crate::math::{Mat3, Vec3};
use crate::respond::constraint::terms::RigidSides;

/// What the unknowns of rigid bodies change for the solvers.
#[derive(Clone, Debug, Default)]
pub struct Reduced {
    /// Centre of each rigid body, m; none for the others.
    centres: Vec<Option<Vec3>>,
    firsts: Vec<u32>,
    /// Masses of all unknowns, kg; the mean moment for a spin, kg·m².
    pub masses: Vec<f64>,
    /// Vertices that are held, ascending.
    pub held: Vec<VertexId>,
    /// What holds bodies that sleep: a vertex of each, and the impulse, N·s.
    pub borne: Vec<(VertexId, Vec3)>,
}

impl Reduced {
    /// Brings the equations A x = b to the unknowns; `forces` act on all vertices for `span` seconds, N.
    pub fn fill(
        &mut self,
        (rigids, asleep, state): (&Rigids, &[bool], &State),
        (pins, masses): (&[VertexId], &[f64]),
        (forces, span): (&[Vec3], f64),
        matrix: &mut BlockMatrix,
        (right, ends): (&mut [Vec3], &mut [Vec3]),
    ) {
        self.firsts.clear();
        self.firsts.extend_from_slice(rigids.firsts());
        self.centres.clear();
        self.centres.resize(self.firsts.len(), None);
        self.masses.clear();
        self.masses.extend_from_slice(masses);
        self.held.clear();
        self.held.extend_from_slice(pins);
        self.borne.clear();
        for (k, (member, rigid)) in rigids.members().iter().zip(&state.rigids).enumerate() {
            let (own, body) = (member.vertices.clone(), &member.body);
            self.centres[member.id.index()] = Some(rigid.centre);
            self.held.extend(own.clone().skip(2).map(|v| VertexId(v as u32)));
            let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
            for v in own.clone() {
                force += forces[v];
                torque += (state.positions[v] - rigid.centre).cross(forces[v]);
            }
            let (first, inertia) = (own.start, rigid.inertia(body));
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
                self.borne.push((VertexId(first as u32), -span * force));
            }
        }
        self.held.sort_unstable();
        self.held.dedup();
    }

    /// Where the rigid bodies are, for rows.
    pub fn sides<'a>(&'a self, positions: &'a [Vec3]) -> RigidSides<'a> {
        RigidSides { centres: &self.centres, firsts: &self.firsts, positions }
    }

    /// Takes the solution: velocity and spin of each rigid body, and those of its vertices.
    pub fn spread(
        (rigids, state): (&Rigids, &State),
        ends: &mut [Vec3],
        solved: &mut Vec<(Vec3, Vec3)>,
    ) {
        solved.clear();
        for (member, rigid) in rigids.members().iter().zip(&state.rigids) {
            let own = member.vertices.clone();
            let (velocity, spin) = (ends[own.start], ends[own.start + 1]);
            solved.push((velocity, spin));
            for v in own {
                ends[v] = velocity + spin.cross(state.positions[v] - rigid.centre);
            }
        }
    }
}
