//! All rigid bodies of a scene, and their vertices among those of the others.
//!
//! Their vertices lie in the flat arrays like those of soft bodies, so every stage treats them in
//! the same way; they only move together. An impulse, shift or turn of a single vertex acts on
//! the whole body.

use std::borrow::Borrow;
use std::ops::Range;

use crate::body::offsets::BodyOffsets;
use crate::body::rigid::attach::Holds;
use crate::body::rigid::{RigidError, RigidState, RigidTemplate};
use crate::body::soft::{Masses, State};
use crate::id::{BodyId, VertexId};
use crate::math::{Mat3, Quat, Vec3, outer, unit_quat};
use crate::mesh::topology::MOST_TETS;

/// Newton steps towards balanced vertex masses; far more than are needed.
const BALANCING: usize = 60;

/// Distance of the balanced centre from the true one that is rounding, per size.
const BALANCED: f64 = 1e-14;

/// One rigid body among all bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidEntry {
    /// Which body of the scene.
    pub id: BodyId,
    /// Its vertices in the scene.
    pub vertices: Range<usize>,
    /// First of its two unknowns, velocity and spin, behind those of all vertices.
    pub unknown: usize,
    /// What does not change as it moves.
    pub body: RigidTemplate,
}

/// All rigid bodies, ascending by body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RigidBodySet {
    members: Vec<RigidEntry>,
    /// Entry of `members` of each body of the scene, or none.
    places: Vec<Option<u32>>,
    /// First vertex of each body of the scene.
    firsts: Vec<u32>,
    /// First unknown of each body of the scene: its first vertex, or that of [`RigidEntry`].
    unknowns: Vec<u32>,
    /// What they hold of soft bodies.
    pub(super) holds: Holds,
    /// Of all bodies of the scene.
    vertex_count: usize,
}

impl RigidBodySet {
    /// The rigid bodies of a scene.
    ///
    /// `starts` are those of all bodies, `vertex_count` counts all vertices.
    pub fn new(
        mut list: Vec<(BodyId, RigidTemplate)>,
        starts: &BodyOffsets,
        vertex_count: usize,
    ) -> Result<RigidBodySet, RigidError> {
        let known = starts.vertex_count();
        if vertex_count > MOST_TETS || !starts.is_empty() && known != vertex_count {
            return Err(RigidError::Scene { count: vertex_count, expected: known });
        }
        list.sort_by_key(|(id, _)| *id);
        let ranges: Vec<_> = starts.ranges(vertex_count).collect();
        let mut rigids = RigidBodySet {
            members: Vec::new(),
            places: vec![None; ranges.len()],
            firsts: ranges.iter().map(|range| range.start as u32).collect(),
            unknowns: ranges.iter().map(|range| range.start as u32).collect(),
            holds: Holds::default(),
            vertex_count,
        };
        for (id, body) in list {
            let vertices = ranges.get(id.index()).cloned().unwrap_or(0..0);
            let is_free = rigids.places.get(id.index()) == Some(&None);
            if vertices.len() != body.points.len() || !is_free {
                let (points, count) = (body.points.len(), vertices.len());
                return Err(RigidError::Vertices { body: id, points, count });
            }
            let unknown = vertex_count + 2 * rigids.members.len();
            rigids.places[id.index()] = Some(rigids.members.len() as u32);
            rigids.unknowns[id.index()] = unknown as u32;
            rigids.members.push(RigidEntry { id, vertices, unknown, body });
        }
        Ok(rigids)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Rigid bodies, ascending by body.
    pub fn entries(&self) -> &[RigidEntry] {
        &self.members
    }

    /// Which of the members a body is.
    pub fn index(&self, body: BodyId) -> Option<usize> {
        self.places.get(body.index()).copied().flatten().map(|place| place as usize)
    }

    /// Vertices of all bodies of the scene, rigid or not.
    pub(crate) fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Whether it was made for bodies that begin there.
    pub(crate) fn is_of(&self, starts: &BodyOffsets) -> bool {
        let firsts = starts.ranges(self.vertex_count).map(|range| range.start as u32);
        firsts.eq(self.firsts.iter().copied())
    }

    /// Whether both sides of a contact are rigid: bodies of the set, or none for an obstacle.
    pub(crate) fn are_rigid(&self, bodies: (BodyId, Option<BodyId>)) -> bool {
        let is_rigid = |body| self.index(body).is_some();
        is_rigid(bodies.0) && bodies.1.is_none_or(is_rigid)
    }

    /// Which of the members a vertex belongs to, or is attached to.
    pub(crate) fn index_of(&self, vertex: VertexId) -> Option<usize> {
        if let Some(attached) = self.holds.of(vertex) {
            return Some(attached.place);
        }
        let after = self.firsts.partition_point(|first| *first <= vertex.0);
        self.index(BodyId(after.checked_sub(1)? as u32))
    }

    /// First vertex of each body of the scene.
    pub(crate) fn firsts(&self) -> &[u32] {
        &self.firsts
    }

    /// First unknown of each body of the scene.
    ///
    /// Those of a soft body are its vertices. Those of rigid bodies, two each, have an array of
    /// their own behind all vertices.
    pub(crate) fn unknowns(&self) -> &[u32] {
        &self.unknowns
    }

    /// Puts another rigid body in the place of one, of the same vertices.
    pub(super) fn set_body(&mut self, place: usize, body: RigidTemplate) {
        self.members[place].body = body;
    }

    /// Writes the motion of all vertices of, or attached to, rigid bodies.
    ///
    /// Nothing is written to a state of another scene.
    pub fn write(&self, state: &mut State) {
        let State { positions, velocities, rigids, .. } = state;
        let counts = [positions.len(), velocities.len(), rigids.len()];
        if counts != [self.vertex_count, self.vertex_count, self.members.len()] {
            return;
        }
        for (member, rigid) in self.members.iter().zip(&*rigids) {
            let own = member.vertices.clone();
            rigid.write(&member.body, &mut positions[own.clone()], &mut velocities[own]);
        }
        for attached in self.attached() {
            let (rigid, v) = (&rigids[attached.place], attached.vertex.index());
            positions[v] = rigid.point(attached.point);
            velocities[v] = rigid.velocity_at(positions[v]);
        }
    }

    /// Kinetic energy of everything, J.
    pub fn kinetic(&self, state: &State, masses: &Masses) -> f64 {
        if self.is_empty() {
            return state.kinetic(masses);
        }
        let soft = self.soft(state, masses).map(|(_, v, m)| 0.5 * m * v.length_squared());
        let rigid = self.members.iter().zip(&state.rigids);
        soft.sum::<f64>() + rigid.map(|(member, rigid)| rigid.kinetic(&member.body)).sum::<f64>()
    }

    /// Angular momentum of everything about a point, kg·m²/s.
    pub fn angular_momentum(&self, state: &State, masses: &Masses, about: Vec3) -> Vec3 {
        if self.is_empty() {
            return state.angular_momentum(masses, about);
        }
        let soft = self.soft(state, masses).map(|(x, v, m)| m * (x - about).cross(v));
        let rigid = self.members.iter().zip(&state.rigids).map(|(member, rigid)| {
            let going = member.body.mass * (rigid.centre - about).cross(rigid.velocity);
            going + rigid.angular_momentum(&member.body)
        });
        soft.sum::<Vec3>() + rigid.sum::<Vec3>()
    }

    /// Positions, velocities and masses of the vertices that are part of no rigid body.
    fn soft<'a>(
        &'a self,
        state: &'a State,
        masses: &'a Masses,
    ) -> impl Iterator<Item = (Vec3, Vec3, f64)> + 'a {
        let count = state.positions.len().min(state.velocities.len()).min(masses.of().len());
        // Rigid bodies ascend, and so do their vertices: what is between them is soft.
        let starts = self.members.iter().map(move |member| member.vertices.start.min(count));
        let ends = self.members.iter().map(move |member| member.vertices.end.min(count));
        let gaps = std::iter::once(0).chain(ends).zip(starts.chain([count]));
        let vertices = gaps.flat_map(|(end, start)| end..start);
        let soft = vertices.filter(|v| self.holds.of(VertexId(*v as u32)).is_none());
        soft.map(|v| (state.positions[v], state.velocities[v], masses.of()[v]))
    }
}

impl Borrow<RigidTemplate> for RigidEntry {
    fn borrow(&self) -> &RigidTemplate {
        &self.body
    }
}

impl RigidEntry {
    /// Rotates a rigid body about a point, m, and translates it, m.
    pub(crate) fn shift(&self, rigid: &mut RigidState, about: Vec3, turn: Quat, way: Vec3) {
        rigid.centre = about + turn * (rigid.centre - about) + way;
        rigid.turn = unit_quat(turn * rigid.turn).unwrap_or(rigid.turn);
    }

    /// Moves a rigid body by the displacement of one of its vertices, m.
    ///
    /// The vertex is at `at`, m, and has `mass`, kg. It acts as an impulse `mass` · `way` would
    /// in a second: displacements that keep the common centre of mass of single vertices keep
    /// that of whole bodies too.
    pub(crate) fn nudge(&self, rigid: &mut RigidState, at: Vec3, mass: f64, way: Vec3) {
        let push = mass * way;
        let turn = rigid.inverse_inertia(&self.body) * (at - rigid.centre).cross(push);
        rigid.centre += push / self.body.mass;
        let half = 0.5 * turn;
        let turned = Quat::from_xyzw(half.x, half.y, half.z, 1.0) * rigid.turn;
        rigid.turn = unit_quat(turned).unwrap_or(rigid.turn);
    }
}

/// [`balanced_masses`] of a body in the plane z = 0: heights are ignored.
pub fn balanced_masses_in_plane(
    body: &RigidTemplate,
    weights: &[f64],
) -> Result<Vec<f64>, RigidError> {
    let points = body.points.iter().map(|r| Vec3::new(r.x, r.y, 0.0)).collect();
    balanced_masses(&RigidTemplate { points, ..*body }, weights)
}

/// Positive vertex masses of a rigid body, kg, with its mass and centre of mass.
///
/// `weights` are any positive shares; they are tilted, mᵢ = c wᵢ φ(a·rᵢ) with the positive
/// φ(t) = t + √(1 + t²), until the centre is right. Forces on masses, such as gravity, then exert
/// no torque. The inertia of these masses is not that of the body.
pub fn balanced_masses(body: &RigidTemplate, weights: &[f64]) -> Result<Vec<f64>, RigidError> {
    let size = body.points.iter().fold(0.0_f64, |most, r| most.max(r.length()));
    let mut tilt = Vec3::ZERO;
    let mut masses = Vec::new();
    for _ in 0..BALANCING {
        masses.clear();
        let pairs = body.points.iter().zip(weights);
        let along = |r: Vec3| tilt.dot(r) / size;
        let length = |t: f64| (1.0 + t * t).sqrt();
        masses.extend(pairs.map(|(r, w)| w * (along(*r) + length(along(*r)))));
        let total: f64 = masses.iter().sum();
        masses.iter_mut().for_each(|mass| *mass *= body.mass / total);
        let points = || masses.iter().zip(&body.points).map(|(m, r)| (m / body.mass, *r / size));
        let centre: Vec3 = points().map(|(m, r)| m * r).sum();
        if centre.length() <= BALANCED {
            break;
        }
        // Derivative of the centre by the tilt: φ' = φ / √(1 + t²).
        let mut spread = Mat3::ZERO;
        points().for_each(|(m, r)| {
            spread += (m / length(tilt.dot(r))) * outer(r - centre, r);
        });
        if spread.z_axis.z == 0.0 {
            // All in the plane, where nothing is to be balanced across it.
            spread.z_axis.z = 1.0;
        }
        let step = spread.inverse() * centre;
        // A long step may overshoot where nearly all mass is in a few vertices.
        let most = step.length().max(1.0);
        tilt -= if step.is_finite() { step / most } else { Vec3::ZERO };
    }
    let bad = |mass: &f64| !(*mass > 0.0 && mass.is_finite());
    match masses.iter().position(bad) {
        Some(k) => Err(RigidError::PointMass { vertex: VertexId(k as u32), mass: masses[k] }),
        None => Ok(masses),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::rigid::mass::MassProperties;

    const TRIPOD: [Vec3; 5] =
        [Vec3::ZERO, Vec3::X, Vec3::new(0.0, 2.0, 0.0), Vec3::Z, Vec3::new(1.0, 1.0, 3.0)];

    #[test]
    fn masses_of_vertices_balance_about_the_centre() {
        let inertia = Mat3::from_diagonal(Vec3::new(3.0, 2.5, 2.0));
        let centre = Vec3::new(0.3, 0.35, 0.5);
        let properties = MassProperties::new(7.0, centre, inertia).unwrap();
        let (body, state) = RigidTemplate::new(&TRIPOD, properties).unwrap();
        let masses = balanced_masses(&body, &[1.0; 5]).unwrap();
        assert!(masses.iter().all(|mass| *mass > 0.0), "{masses:?}");
        let total: f64 = masses.iter().sum();
        let found: Vec3 = masses.iter().zip(TRIPOD).map(|(m, x)| *m * x).sum::<Vec3>() / total;
        assert!((total - 7.0).abs() < 1e-13, "{total}");
        assert!(found.abs_diff_eq(state.centre, 1e-13), "{found}");
    }

    #[test]
    fn masses_in_the_plane_balance_whatever_the_heights() {
        let inertia = Mat3::from_diagonal(Vec3::new(2.0, 2.5, 3.0));
        let properties = MassProperties::new(7.0, Vec3::new(0.3, 0.35, 0.5), inertia).unwrap();
        let (body, state) = RigidTemplate::in_plane(&TRIPOD, properties).unwrap();
        let masses = balanced_masses_in_plane(&body, &[1.0; 5]).unwrap();
        let found: Vec3 = masses.iter().zip(TRIPOD).map(|(m, x)| *m * x).sum::<Vec3>() / 7.0;
        assert!(found.truncate().abs_diff_eq(state.centre.truncate(), 1e-13), "{found}");
    }

    #[test]
    fn vertices_know_their_rigid_body() {
        let properties = MassProperties::from_points(&TRIPOD, &[1.0; 5]).unwrap();
        let (body, _) = RigidTemplate::new(&TRIPOD, properties).unwrap();
        let starts = BodyOffsets::from_counts([3, 5, 2]);
        let rigids = RigidBodySet::new(vec![(BodyId(1), body.clone())], &starts, 10).unwrap();
        let places = [0, 2, 3, 7, 8].map(|v| rigids.index_of(VertexId(v)));
        assert_eq!(places, [None, None, Some(0), Some(0), None]);
        let other = RigidBodySet::new(vec![(BodyId(0), body)], &starts, 10).unwrap_err();
        assert_eq!(
            other.to_string(),
            "body 0 has 3 vertices, its rigid body 5: make it of the same"
        );
    }
}
