//! Whether contacts are solved: what one more relaxation of each would change.
//!
//! Apart from all solvers, so that none of them judges itself: it knows rows, impulses and the
//! velocities that came out, and nothing of how they were found. A relaxation of one contact,
//! with everything else at rest, moves its impulse to
//!
//! λₙ' = max(0, λₙ + (v* − uₙ)/wₙ),  λₜ' = λₜ − uₜ/wₜ within the cone μ λₙ',
//!
//! and its velocity by wₙ (λₙ' − λₙ) and wₜ (λₜ' − λₜ). The inverse masses wₙ and wₜ are those of
//! free vertices and rigid bodies: stiffness only makes the true ones smaller, so no change is
//! underestimated.
//!
//! | here    | formula | meaning                                                   |
//! |---------|---------|-----------------------------------------------------------|
//! | `slip`  | u       | relative velocity at the end of the step, m/s             |
//! | `least` | v*      | least speed along the normal, m/s                         |
//! | `w`     | w       | velocity per impulse, 1/kg                                |

use std::ops::Range;

use crate::body::rigid::RigidState;
use crate::body::rigid::all::RigidBodySet;
use crate::body::soft::StateView;
use crate::contact::Contact;
use crate::contact::friction::friction;
use crate::contact::impulse::ContactImpulse;
use crate::contact::output::ContactOutput;
use crate::id::VertexId;
use crate::math::{Mat3, Vec3};
use crate::par;
use crate::solve::rigid_substeps::{LastSubstep, SubstepOutput};
use crate::solve::terms::relative_at_place;

/// Contacts that are worth more than one thread.
const MANY: usize = 1000;

/// A step whose contacts have been solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolvedStep<'a> {
    /// Rows with their impulses.
    pub contact: &'a ContactOutput,
    /// Before the step, m.
    pub positions: &'a [Vec3],
    /// As solved, of all vertices, m/s.
    pub velocities: &'a [Vec3],
    /// Velocity, m/s, and spin, rad/s, of each rigid body, as solved.
    pub rigid_solution: &'a [(Vec3, Vec3)],
    /// What was solved in substeps, and how it moved.
    pub substeps: &'a SubstepOutput,
    /// Of all vertices, kg.
    pub masses: &'a [f64],
    /// Held vertices, ascending.
    pub held: &'a [VertexId],
    /// Rigid bodies.
    pub rigids: &'a RigidBodySet,
    /// Their states before the step.
    pub states: &'a [RigidState],
    /// Which of them sleep; none where there is no entry.
    pub asleep: &'a [bool],
    /// Length of the step, s.
    pub dt: f64,
    /// Threads that judge.
    pub threads: usize,
}

/// A contact as it is judged.
#[derive(Clone, Copy, Debug)]
struct Judged {
    /// N·s.
    impulse: ContactImpulse,
    /// m/s.
    slip: Vec3,
    /// Speed at which it must open at least, m/s.
    least: f64,
    /// What it was solved for, s.
    span: f64,
}

/// A rigid body at a contact.
#[derive(Clone, Copy, Debug)]
struct RigidSide {
    /// Among the rigid bodies.
    index: usize,
    /// From its centre to where the contact acts, m.
    arm: Vec3,
}

impl Judged {
    /// A change of velocity, m/s, as way per size.
    fn relative(self, row: &Contact, change: f64) -> f64 {
        change * self.span / row.size.max(f64::MIN_POSITIVE)
    }
}

impl SolvedStep<'_> {
    /// Largest change of a contact's velocity by one more relaxation, times `dt` over its size.
    ///
    /// 0 without contacts.
    pub(crate) fn largest_change(&self) -> f64 {
        let count = self.contact.rows.len();
        let threads = if count > MANY { self.threads } else { 1 };
        par::greatest(0..count, threads, &|own| self.largest_of(own))
    }

    /// The same of some contacts.
    fn largest_of(&self, own: Range<usize>) -> f64 {
        let ContactOutput { rows, row_impulses, .. } = self.contact;
        let all = own.clone().zip(rows[own.clone()].iter().zip(&row_impulses[own]));
        let awake = all.filter(|(_, (row, _))| !self.sleeps(row));
        awake.fold(0.0, |largest, (k, (row, impulse))| {
            let judged = self.judged(k, row, *impulse);
            // Most contacts cannot be the worst one, which is known without their mobility.
            match judged.relative(row, self.bound(row, judged)) <= largest {
                true => largest,
                false => largest.max(judged.relative(row, self.change(row, judged))),
            }
        })
    }

    /// What is judged of a contact: at the end of the step, or of the last of its substeps.
    fn judged(&self, k: usize, row: &Contact, impulse: ContactImpulse) -> Judged {
        match self.substeps.last.get(k).copied().flatten() {
            None => {
                let slip = relative_at_place(row, self.rigids, self.rigid_solution, self.view());
                Judged { impulse, slip, least: least(row, self.rigids), span: self.dt }
            }
            Some(last) => self.judged_in_last(row, impulse, last),
        }
    }

    /// Whether all that moves at a contact sleeps.
    fn sleeps(&self, row: &Contact) -> bool {
        let asleep = |body| {
            self.rigids.index(body).is_some_and(|place| self.asleep.get(place) == Some(&true))
        };
        asleep(row.bodies.0) && row.bodies.1.is_none_or(asleep)
    }

    /// The same in the last of some substeps.
    ///
    /// The contact may close what its gap was before it. A rebound is one of the whole step.
    fn judged_in_last(&self, row: &Contact, whole: ContactImpulse, last: LastSubstep) -> Judged {
        let span = last.length;
        let sides = self.rigid_sides(row);
        let slip = self.slip(row, sides);
        if row.bounce > 0.0 && whole.normal > 0.0 {
            return Judged { impulse: whole, slip, least: row.bounce, span };
        }
        let gap = row.gap - row.offset + self.opening(row, sides, span);
        Judged { impulse: last.impulse, slip, least: -gap.max(0.0) / span, span }
    }

    /// A change of the velocity of a contact that is not exceeded, m/s; infinite where unknown.
    ///
    /// Along the normal it is at most what lacks. As wₙ is at least the sum of the inverse masses,
    /// so much of the normal impulse stays; where friction stays within its bound with that, the
    /// change in the plane is at most the slip.
    fn bound(&self, row: &Contact, judged: Judged) -> f64 {
        let Judged { impulse, slip, least, .. } = judged;
        let along = row.normal.dot(slip);
        if impulse.normal == 0.0 && along >= least {
            return 0.0;
        }
        let inverse =
            |body| Some(self.rigids.entries()[self.rigids.index(body)?].body.mass.recip());
        let other = row.bodies.1.map_or(Some(0.0), inverse);
        let (Some(own), Some(other)) = (inverse(row.bodies.0), other) else {
            return f64::INFINITY;
        };
        let lacking = (least - along).abs();
        let kept = impulse.normal - lacking / (own + other);
        match impulse.tangent.length() <= row.friction * kept {
            true => Vec3::new(lacking, (slip - along * row.normal).length(), 0.0).length(),
            false => f64::INFINITY,
        }
    }

    /// The rigid bodies of a contact that was solved in substeps, from where it acts.
    fn rigid_sides(&self, row: &Contact) -> [Option<RigidSide>; 2] {
        let [first, second] = row.places(self.positions);
        let at = if row.bodies.1.is_some() { 0.5 * (first + second) } else { first };
        let side = |index: usize| RigidSide { index, arm: at - self.states[index].centre };
        let index = |body| self.rigids.index(body);
        [index(row.bodies.0).map(side), row.bodies.1.and_then(index).map(side)]
    }

    /// Velocity of the first side seen from the second, m/s.
    fn slip(&self, row: &Contact, sides: [Option<RigidSide>; 2]) -> Vec3 {
        let velocity = |side: Option<RigidSide>| {
            let side = side?;
            let (velocity, spin) = *self.rigid_solution.get(side.index)?;
            Some(velocity + spin.cross(side.arm))
        };
        let [first, second] = sides.map(|side| velocity(side).unwrap_or_default());
        first - second - row.surface_velocity
    }

    /// How much the gap of a contact has opened until the last substep of a length, s, began, m.
    fn opening(&self, row: &Contact, sides: [Option<RigidSide>; 2], last: f64) -> f64 {
        let mut way = -(self.dt - last) * row.surface_velocity;
        for (sign, side) in [1.0, -1.0].into_iter().zip(sides) {
            let Some(RigidSide { index, arm }) = side else { continue };
            let unknown = self.rigids.entries()[index].unknown;
            let Some(motion) = self.substeps.motion(unknown) else { continue };
            let turn = motion.turn_before_last;
            let turned = turn.cross(arm);
            way += sign * (motion.way_before_last + turned + 0.5 * turn.cross(turned));
        }
        row.normal.dot(way)
    }

    /// Change of a contact's velocity by one more relaxation, m/s.
    fn change(&self, row: &Contact, judged: Judged) -> f64 {
        let Judged { impulse, slip, least, .. } = judged;
        let along = row.normal.dot(slip);
        if impulse.normal == 0.0 && along >= least {
            return 0.0;
        }
        let mobility = self.mobility(row);
        let w = row.normal.dot(mobility * row.normal);
        if w <= 0.0 {
            return 0.0;
        }
        let normal = (impulse.normal + (least - along) / w).max(0.0);
        let sliding = slip - along * row.normal;
        let trace = mobility.x_axis.x + mobility.y_axis.y + mobility.z_axis.z;
        // Both eigenvalues in the plane lie below their sum.
        let w_tangent = (trace - w).max(f64::MIN_POSITIVE);
        let tangent = friction(impulse.tangent - sliding / w_tangent, normal, row.friction);
        let change = w_tangent * (tangent - impulse.tangent);
        Vec3::new(w * (normal - impulse.normal), change.length(), 0.0).length()
    }

    fn view(&self) -> StateView<'_> {
        StateView { positions: self.positions, velocities: self.velocities, time: 0.0 }
    }

    /// Velocity per impulse at a contact, 1/kg; all sides together.
    fn mobility(&self, row: &Contact) -> Mat3 {
        let mut sum = Mat3::ZERO;
        for (vertex, weight) in row.terms() {
            if self.rigids.index_of(vertex).is_none() && self.held.binary_search(&vertex).is_err() {
                let mass = self.masses[vertex.index()];
                sum += Mat3::from_diagonal(Vec3::splat(weight * weight / mass));
            }
        }
        for sign in [1.0, -1.0] {
            let own = row.side(sign).next();
            let Some(place) = own.and_then(|(vertex, _)| self.rigids.index_of(vertex)) else {
                continue;
            };
            let body = &self.rigids.entries()[place].body;
            sum += self.states[place].mobility(body, row.place(sign, self.positions));
        }
        sum
    }
}

/// Least speed along the normal that a contact of a whole step must end with, m/s.
fn least(row: &Contact, rigids: &RigidBodySet) -> f64 {
    if rigids.are_rigid(row.bodies) {
        row.rigid_target_normal_velocity()
    } else {
        row.target_normal_velocity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::rigid::RigidTemplate;
    use crate::body::rigid::mass::MassProperties;
    use crate::body::{Bodies, Mesh};
    use crate::contact::resting;
    use crate::id::BodyId;
    use crate::math::random::Random;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::TetSplit;
    use crate::mesh::tet::TetMesh;

    /// One vertex of 2 kg on the floor, with a friction of 0.5.
    fn change(velocity: Vec3, normal: f64, tangent: Vec3) -> f64 {
        let row = Contact { friction: 0.5, size: 2.0, ..resting(VertexId(0)) };
        largest(row, velocity, normal, tangent)
    }

    /// Change of the velocity of a vertex of 2 kg in a step of 0.125 s, m/s.
    fn largest(row: Contact, velocity: Vec3, normal: f64, tangent: Vec3) -> f64 {
        let contact = ContactOutput {
            rows: vec![row],
            row_impulses: vec![ContactImpulse { normal, tangent }],
            ..ContactOutput::default()
        };
        let step = SolvedStep {
            contact: &contact,
            positions: &[Vec3::ZERO],
            velocities: &[velocity],
            rigid_solution: &[],
            substeps: &SubstepOutput::default(),
            masses: &[2.0],
            held: &[],
            rigids: &RigidBodySet::default(),
            states: &[],
            asleep: &[],
            dt: 0.125,
            threads: 1,
        };
        step.largest_change() * row.size / 0.125
    }

    /// Two boxes with contacts at random: what is left out is never the largest.
    #[test]
    fn the_bound_of_a_change_is_not_exceeded() {
        let mesh = cuboid([1; 3], Vec3::ONE, TetSplit::Five).unwrap();
        let mesh = TetMesh::from_raw(mesh).unwrap().0;
        let bodies = Bodies::from_meshes(&[Mesh::Tets(&mesh), Mesh::Tets(&mesh)]).unwrap();
        let (points, masses) = (mesh.positions(), [1.0; 8]);
        let properties = MassProperties::from_points(points, &masses).unwrap();
        let (template, at_rest) = RigidTemplate::new(points, properties).unwrap();
        let list = vec![(BodyId(0), template.clone()), (BodyId(1), template)];
        let rigids = RigidBodySet::new(list, bodies.offsets(), 16).unwrap();
        let (positions, mut random) = ([points, points].concat(), Random::new(3));
        let mut bounded = 0;
        for _ in 0..200 {
            let row = Contact {
                bodies: (BodyId(0), Some(BodyId(1))),
                vertices: [VertexId(1), VertexId(9), VertexId(0), VertexId(0)],
                weights: [1.0, -1.0, 0.0, 0.0],
                count: 2,
                friction: 0.5,
                normal: random.vec3().try_normalize().unwrap(),
                ..resting(VertexId(0))
            };
            let tangent = 0.1 * random.vec3();
            let tangent = tangent - tangent.dot(row.normal) * row.normal;
            let contact = ContactOutput {
                rows: vec![row],
                row_impulses: vec![ContactImpulse { normal: random.vec3().x.abs(), tangent }],
                ..ContactOutput::default()
            };
            let velocities: Vec<Vec3> = (0..16).map(|_| 0.1 * random.vec3()).collect();
            let step = SolvedStep {
                contact: &contact,
                positions: &positions,
                velocities: &velocities,
                rigid_solution: &[],
                substeps: &SubstepOutput::default(),
                masses: &[1.0; 16],
                held: &[],
                rigids: &rigids,
                states: &[at_rest, at_rest],
                asleep: &[],
                dt: 0.125,
                threads: 1,
            };
            let judged = step.judged(0, &row, contact.row_impulses[0]);
            let (change, bound) = (step.change(&row, judged), step.bound(&row, judged));
            assert!(change <= bound * (1.0 + 1e-12), "{change} {bound}");
            assert_eq!(step.largest_change(), judged.relative(&row, change));
            bounded += usize::from(bound.is_finite());
        }
        assert!((20..200).contains(&bounded), "{bounded}");
    }

    #[test]
    fn a_solved_contact_is_left_alone_by_a_relaxation() {
        assert_eq!(change(Vec3::ZERO, 3.0, Vec3::ZERO), 0.0); // rests
        assert_eq!(change(Vec3::ZERO, 3.0, 1.4 * Vec3::X), 0.0); // sticks
        assert_eq!(change(Vec3::Z, 0.0, Vec3::ZERO), 0.0); // leaves
        assert_eq!(change(-Vec3::X, 3.0, 1.5 * Vec3::X), 0.0); // slides, friction at its bound
    }

    #[test]
    fn what_is_not_solved_shows_by_how_much() {
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}");
        near(change(-0.3 * Vec3::Z, 3.0, Vec3::ZERO), 0.3); // closes
        near(change(0.3 * Vec3::Z, 3.0, Vec3::ZERO), 0.3); // opens while it presses
        near(change(0.3 * Vec3::Z, 0.2, Vec3::ZERO), 0.1); // and has 0.2 N·s to lose
        near(change(0.4 * Vec3::X, 3.0, Vec3::ZERO), 0.4); // slides below its friction
        near(change(0.4 * Vec3::X, 0.0, Vec3::ZERO), 0.0); // but there is none
    }

    #[test]
    fn a_speculative_contact_may_close_at_its_own_speed() {
        let row = Contact { min_normal_velocity: -0.5, ..resting(VertexId(0)) };
        assert_eq!(largest(row, -0.5 * Vec3::Z, 3.0, Vec3::ZERO), 0.0);
        assert_eq!(largest(row, -0.75 * Vec3::Z, 3.0, Vec3::ZERO), 0.25);
        let bouncing = Contact { bounce: 0.5, ..row };
        assert_eq!(largest(bouncing, -0.5 * Vec3::Z, 3.0, Vec3::ZERO), 1.0);
    }
}
