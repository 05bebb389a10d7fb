//! Contacts in the unknowns of a solver: velocities of vertices, and two vectors per rigid body.
//!
//! A rigid body of any size has six unknowns, two vectors in an array behind those of all
//! vertices: the velocity v of its centre, and its spin ω. A contact point at the arm
//! p from the centre moves with v + ω × p, so solvers need to know of arms and of nothing else.
//!
//! | here     | formula | meaning                                                  |
//! |----------|---------|----------------------------------------------------------|
//! | `Term`   | B       | u = Σ B x: share of an unknown x in a relative velocity  |
//! | `Angular`  | p       | B x = x × p, Bᵀ f = p × f; p is the arm, signed, m       |

use crate::body::offsets::BodyOffsets;
use crate::body::rigid::all::RigidBodySet;
use crate::body::soft::StateView;
use crate::contact::Contact;
use crate::id::{BodyId, VertexId};
use crate::math::{Mat3, Vec3, skew};

/// Most unknowns of a contact without attached vertices: a vertex of a rigid body at a face of
/// a soft one.
pub(crate) const MOST_FREE: usize = 5;

/// Most unknowns of one contact: four vertices, each attached to another rigid body, or two carried
/// points of soft bodies.
pub(crate) const MOST: usize = 8;

/// How one unknown moves a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Term {
    /// A vertex, or the centre of a rigid body, with its weight.
    Weight(f64),
    /// The spin of a rigid body, with the arm, m.
    Angular(Vec3),
}

impl Term {
    /// B x.
    #[inline]
    pub(crate) fn apply(self, x: Vec3) -> Vec3 {
        match self {
            Term::Weight(weight) => weight * x,
            Term::Angular(arm) => x.cross(arm),
        }
    }

    /// Bᵀ f.
    #[inline]
    pub(crate) fn apply_transpose(self, f: Vec3) -> Vec3 {
        match self {
            Term::Weight(weight) => weight * f,
            Term::Angular(arm) => arm.cross(f),
        }
    }

    /// B.
    pub(crate) fn matrix(self) -> Mat3 {
        match self {
            Term::Weight(weight) => weight * Mat3::IDENTITY,
            Term::Angular(arm) => -skew(arm),
        }
    }

    /// Bᵀ M B of a symmetric M.
    pub(crate) fn around(self, matrix: Mat3) -> Mat3 {
        match self {
            Term::Weight(weight) => weight * weight * matrix,
            Term::Angular(arm) => skew(arm) * matrix * -skew(arm),
        }
    }

    /// Square of the weight, or of the arm, m².
    pub(crate) fn square(self) -> f64 {
        match self {
            Term::Weight(weight) => weight * weight,
            Term::Angular(arm) => arm.length_squared(),
        }
    }
}

/// What rows join: all bodies of a scene.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides<'a> {
    /// Where bodies begin.
    pub starts: &'a BodyOffsets,
    /// Of all vertices, kg; where unknowns of rigid bodies are, those of the unknowns.
    pub masses: &'a [f64],
    /// Of all vertices, m; rotations of bodies are not known where there are fewer.
    pub positions: &'a [Vec3],
    /// Which bodies are rigid, and where; `None` if none is.
    pub rigid: Option<RigidSides<'a>>,
}

impl<'a> Sides<'a> {
    /// Soft bodies alone.
    pub(crate) fn soft(starts: &'a BodyOffsets, masses: &'a [f64]) -> Sides<'a> {
        Sides { starts, masses, positions: &[], rigid: None }
    }

    /// Where an unknown of a body is, m, and what it weighs in a rotation, kg.
    ///
    /// A spin has no place of its own.
    pub(crate) fn point(&self, body: usize, unknown: usize) -> (Vec3, f64) {
        let rigid = self.rigid.and_then(|rigid| {
            let centre = rigid.centres.get(body).copied().flatten()?;
            Some((centre, rigid.firsts[body] as usize))
        });
        match rigid {
            Some((centre, first)) if first == unknown => (centre, self.masses[unknown]),
            Some((centre, _)) => (centre, 0.0),
            None => {
                let point = self.positions.get(unknown).copied();
                (point.unwrap_or(Vec3::ZERO), self.masses[unknown])
            }
        }
    }
}

/// Where rigid bodies are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RigidSides<'a> {
    /// Centre of each rigid body, m; `None` for soft ones.
    pub centres: &'a [Option<Vec3>],
    /// First unknown of each body.
    pub firsts: &'a [u32],
    /// Of all vertices, m.
    pub positions: &'a [Vec3],
    /// Vertices of soft bodies that rigid ones hold, with these; ascending.
    pub attached: &'a [(VertexId, BodyId)],
    /// First body of the group that each holds or is held in, or none; empty where nothing is
    /// attached.
    pub groups: &'a [Option<BodyId>],
    /// Group and unknown of what goes with its whole group, ascending by unknown.
    pub coarse_dofs: &'a [(BodyId, VertexId)],
    /// Bodies that joints hold, ascending.
    pub jointed: &'a [BodyId],
}

impl<'a> RigidSides<'a> {
    /// Rigid bodies that hold nothing.
    #[cfg(test)]
    pub(crate) fn alone(
        centres: &'a [Option<Vec3>],
        firsts: &'a [u32],
        positions: &'a [Vec3],
    ) -> RigidSides<'a> {
        RigidSides {
            centres,
            firsts,
            positions,
            attached: &[],
            groups: &[],
            coarse_dofs: &[],
            jointed: &[],
        }
    }

    /// First unknown of who holds a vertex, and the arm from its centre, m.
    fn holder(&self, vertex: VertexId) -> Option<(VertexId, Vec3)> {
        let place = self.attached.binary_search_by_key(&vertex, |(vertex, _)| *vertex).ok()?;
        let holder = self.attached[place].1.index();
        let centre = self.centres.get(holder).copied().flatten()?;
        Some((VertexId(self.firsts[holder]), self.positions[vertex.index()] - centre))
    }
}

/// A contact as solvers see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverRow {
    /// Unknowns; the first `count` are in use.
    pub(crate) unknowns: [VertexId; MOST],
    /// What each does to the relative velocity.
    pub(crate) shares: [Term; MOST],
    /// Unknowns in use.
    pub(crate) count: usize,
    /// Bodies of the two sides; the second may be an obstacle.
    pub(crate) bodies: (BodyId, Option<BodyId>),
    /// Unit, from the second side to the first.
    pub(crate) normal: Vec3,
    /// Velocity of the second side where it is an obstacle, m/s.
    pub(crate) surface_velocity: Vec3,
    /// Least speed along the normal, m/s.
    pub(crate) min_normal_velocity: f64,
    /// Coulomb's coefficient.
    pub(crate) friction: f64,
    /// Size of the smaller body, m.
    pub(crate) size: f64,
}

impl SolverRow {
    /// A contact between soft bodies, or with an obstacle.
    pub fn of(contact: &Contact) -> SolverRow {
        SolverRow::between(contact, None)
    }

    /// A contact between these bodies.
    pub(crate) fn between(contact: &Contact, rigid: Option<RigidSides<'_>>) -> SolverRow {
        let Contact {
            bodies, normal, surface_velocity, min_normal_velocity, friction, size, ..
        } = *contact;
        let mut row = SolverRow {
            unknowns: [contact.vertices[0]; MOST],
            shares: [Term::Weight(0.0); MOST],
            count: 0,
            bodies,
            normal,
            surface_velocity,
            min_normal_velocity,
            friction,
            size,
        };
        let lever = |side: Option<BodyId>| {
            let (rigid, body) = rigid.zip(side)?;
            let centre = rigid.centres.get(body.index()).copied().flatten()?;
            Some((rigid.firsts[body.index()], centre))
        };
        let levers = [lever(Some(bodies.0)), lever(bodies.1)];
        let at = rigid
            .map_or(Vec3::ZERO, |rigid| place(contact, contact.places(rigid.positions), levers));
        for (lever, sign) in levers.into_iter().zip([1.0, -1.0]) {
            match lever {
                None => {
                    let own = contact.side(sign);
                    own.for_each(|(vertex, weight)| match rigid.and_then(|r| r.holder(vertex)) {
                        None => row.push(vertex, Term::Weight(weight)),
                        Some((first, arm)) => {
                            row.join(first, Term::Weight(weight));
                            row.join(VertexId(first.0 + 1), Term::Angular(weight * arm));
                        }
                    });
                }
                Some((first, centre)) => {
                    row.push(VertexId(first), Term::Weight(sign));
                    row.push(VertexId(first + 1), Term::Angular(sign * (at - centre)));
                }
            }
        }
        row.min_normal_velocity = if row.is_rigid() {
            contact.rigid_target_normal_velocity()
        } else {
            contact.target_normal_velocity()
        };
        row
    }

    /// Adds to what an unknown does, or takes it in.
    fn join(&mut self, unknown: VertexId, share: Term) {
        let known = self.unknowns[..self.count].iter().position(|other| *other == unknown);
        match known.map(|k| (&mut self.shares[k], share)) {
            Some((Term::Weight(sum), Term::Weight(weight))) => *sum += weight,
            Some((Term::Angular(sum), Term::Angular(arm))) => *sum += arm,
            _ => self.push(unknown, share),
        }
    }

    fn push(&mut self, unknown: VertexId, share: Term) {
        if self.count < MOST {
            self.unknowns[self.count] = unknown;
            self.shares[self.count] = share;
            self.count += 1;
        }
    }

    /// Whether nothing at it bends.
    pub(crate) fn is_rigid(&self) -> bool {
        let levers = self.terms().filter(|(_, share)| matches!(share, Term::Angular(_))).count();
        2 * levers == self.count && levers > 0
    }

    /// Unknowns with what they do.
    #[inline]
    pub(crate) fn terms(&self) -> impl Iterator<Item = (VertexId, Term)> {
        self.unknowns.into_iter().zip(self.shares).take(self.count)
    }

    /// Velocity of the first side seen from the second, m/s.
    #[inline]
    pub(crate) fn relative(&self, velocities: &[Vec3]) -> Vec3 {
        self.linear(velocities) - self.surface_velocity
    }

    /// Σ B x, m/s.
    #[inline]
    pub(crate) fn linear(&self, x: &[Vec3]) -> Vec3 {
        self.terms().map(|(v, share)| share.apply(x[v.index()])).sum()
    }
}

/// Where a contact with a rigid side acts, m: on the soft side, or halfway between two rigid ones.
///
/// At one place for both: impulses that are opposite at two would turn what nobody turned.
fn place<T>(contact: &Contact, [first, second]: [Vec3; 2], levers: [Option<T>; 2]) -> Vec3 {
    match (levers, contact.bodies.1) {
        ([Some(_), Some(_)], _) => 0.5 * (first + second),
        ([Some(_), None], Some(_)) => second,
        _ => first,
    }
}

/// Velocity of the first side of a contact seen from the second, m/s, where it acts.
///
/// `solution` has the velocity and the spin of each rigid body; without an entry, that of its
/// vertices is taken.
pub(crate) fn relative_at_place(
    contact: &Contact,
    rigids: &RigidBodySet,
    solution: &[(Vec3, Vec3)],
    motion: StateView<'_>,
) -> Vec3 {
    let relative = contact.relative(motion.velocities);
    let spin = |body: BodyId| solution.get(rigids.index(body)?).map(|(_, spin)| *spin);
    let spins = [spin(contact.bodies.0), contact.bodies.1.and_then(spin)];
    if spins == [None; 2] {
        return relative;
    }
    let sides = contact.places(motion.positions);
    let at = place(contact, sides, spins);
    let turned = |sign: f64, side: Vec3, spin: Option<Vec3>| match spin {
        Some(spin) => sign * spin.cross(at - side),
        None => Vec3::ZERO,
    };
    relative + turned(1.0, sides[0], spins[0]) + turned(-1.0, sides[1], spins[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{Feature, resting};

    const P: Vec3 = Vec3::new(0.3, -1.2, 0.7);
    const X: Vec3 = Vec3::new(-0.4, 0.1, 2.0);
    const F: Vec3 = Vec3::new(1.5, -0.2, 0.6);

    #[test]
    fn terms_are_their_matrices() {
        for term in [Term::Weight(-0.3), Term::Angular(P)] {
            let matrix = term.matrix();
            assert!(term.apply(X).abs_diff_eq(matrix * X, 1e-15));
            assert!(term.apply_transpose(F).abs_diff_eq(matrix.transpose() * F, 1e-15));
            let inner = Mat3::from_diagonal(Vec3::new(1.0, 2.0, 3.0));
            let around = matrix.transpose() * inner * matrix;
            assert!(term.around(inner).abs_diff_eq(around, 1e-15));
        }
    }

    /// A soft vertex on the face of a rigid body that moves and turns.
    #[test]
    fn a_rigid_side_moves_as_its_vertices_do() {
        let touched = Vec3::new(0.2, 0.3, 0.0);
        let positions = [touched, Vec3::ZERO, Vec3::X, Vec3::Y, -Vec3::Z];
        let contact = Contact {
            feature: Feature::VertexBody(VertexId(0), BodyId(1)),
            vertices: [0, 1, 2, 3].map(VertexId),
            weights: [1.0, -0.5, -0.2, -0.3],
            count: 4,
            bodies: (BodyId(0), Some(BodyId(1))),
            ..resting(VertexId(0))
        };
        let centre = Vec3::new(0.2, 0.1, -0.4);
        let (velocity, spin) = (Vec3::new(0.1, 2.0, 0.3), Vec3::new(-3.0, 0.5, 1.0));
        let at = |x: Vec3| velocity + spin.cross(x - centre);
        let all = [X, at(positions[1]), at(positions[2]), at(positions[3]), at(positions[4])];
        let centres = [None, Some(centre)];
        let rigid = RigidSides::alone(&centres, &[0, 1], &positions);
        let row = SolverRow::between(&contact, Some(rigid));
        let unknowns = [X, velocity, spin, Vec3::ZERO, Vec3::ZERO];
        assert_eq!(row.count, 3);
        assert!(row.relative(&unknowns).abs_diff_eq(contact.relative(&all), 1e-15));
        let soft = SolverRow::of(&contact);
        assert_eq!(soft.relative(&all), contact.relative(&all));
    }

    /// A face with one corner free and two attached, to different bodies or the same.
    #[test]
    fn attached_vertices_move_as_what_holds_them() {
        let positions = [0.3 * Vec3::Z, Vec3::ZERO, Vec3::X, Vec3::Y, P, F, X, Vec3::ONE];
        let contact = Contact {
            vertices: [0, 1, 2, 3].map(VertexId),
            weights: [1.0, -0.5, -0.2, -0.3],
            count: 4,
            bodies: (BodyId(0), Some(BodyId(1))),
            ..resting(VertexId(0))
        };
        let centres = [None, None, Some(P), Some(F)];
        let moving = [(F, X), (X, P)];
        let at = |k: usize, x: Vec3| {
            moving[k].0 + moving[k].1.cross(x - centres[k + 2].unwrap_or_default())
        };
        for (second, count) in [(3, 6), (2, 4)] {
            let attached = [(VertexId(2), BodyId(2)), (VertexId(3), BodyId(second))];
            let rigid = RigidSides {
                attached: &attached,
                ..RigidSides::alone(&centres, &[0, 1, 4, 6], &positions)
            };
            let row = SolverRow::between(&contact, Some(rigid));
            let [(a, spin_a), (b, spin_b)] = moving;
            let unknowns = [X, F, Vec3::NAN, Vec3::NAN, a, spin_a, b, spin_b];
            let place = second as usize - 2;
            let all = [X, F, at(0, positions[2]), at(place, positions[3])];
            assert_eq!(row.count, count);
            let (found, expected) = (row.relative(&unknowns), contact.relative(&all));
            assert!(found.abs_diff_eq(expected, 1e-14), "{found} {expected}");
        }
    }

    /// Friction between two rigid bodies with a gap must not turn the pair.
    #[test]
    fn two_rigid_sides_are_pushed_at_one_place() {
        let positions = [Vec3::ZERO, Vec3::X, 0.1 * Vec3::Z, Vec3::Y];
        let contact = Contact {
            vertices: [VertexId(2), VertexId(0), VertexId(0), VertexId(0)],
            weights: [1.0, -1.0, 0.0, 0.0],
            count: 2,
            bodies: (BodyId(1), Some(BodyId(0))),
            ..resting(VertexId(2))
        };
        let centres = [Some(Vec3::new(0.2, 0.0, -1.0)), Some(Vec3::new(0.0, 0.3, 2.0))];
        let rigid = RigidSides::alone(&centres, &[0, 2], &positions);
        let row = SolverRow::between(&contact, Some(rigid));
        let (mut pushed, mut turned) = (Vec3::ZERO, Vec3::ZERO);
        for (unknown, share) in row.terms() {
            let centre = centres[unknown.index() / 2].unwrap();
            match share {
                Term::Weight(_) => {
                    pushed += share.apply_transpose(F);
                    turned += centre.cross(share.apply_transpose(F));
                }
                Term::Angular(_) => turned += share.apply_transpose(F),
            }
        }
        assert!(row.is_rigid() && pushed.length() < 1e-15 && turned.length() < 1e-15, "{turned}");
    }
}
