//! Split-impulse position correction: shifts whole bodies out of overlap.
//!
//! No velocity changes. A rigid shift strains nothing, so no energy comes back later; a shift of
//! single vertices would. Each body gets a small translation and rotation, found by projected
//! Gauss–Seidel sweeps over the contacts that are nearer than they should be, with the others as
//! limits.
//!
//! | here            | meaning                                                         |
//! |-----------------|-----------------------------------------------------------------|
//! | `GOAL`          | gap that is good enough: half the offset                        |
//! | `shift`, `turn` | translation, m, and rotation, rad, of each body                 |
//! | `deep`          | a body with a contact far below the goal: it is translated only |
//! | `push`          | accumulated pseudo-impulse of a contact, kg·m                   |

use crate::body::BodyKind;
use crate::contact::deep::{DeepPairs, Separation};
use crate::contact::output::RigidShift;
use crate::contact::response::StepContext;
use crate::contact::{Contact, check_contacts};
use crate::id::{BodyId, MismatchError};
use crate::math::{Mat3, Quat, Vec3, outer_square};
use crate::solve::gauss_seidel::{self, GaussSeidel, Relaxed, SweepLimits};

/// Gap that is good enough, per offset.
const GOAL: f64 = 0.5;
/// Contacts that lack more than this many offsets are deep.
pub(super) const DEEP: f64 = 2.0;
/// Share of the error that one step corrects: of shallow and of deep contacts.
pub(super) const SHARES: [f64; 2] = [0.2, 1.0];
/// Largest correction of one step, per size: of shallow and of deep contacts.
pub(super) const CAPS: [f64; 2] = [0.05, 0.2];
/// Share of a long way out that one step goes, where that is more than its cap.
const LONG: f64 = 0.5;
/// Determinant of an inertia over the cube of its mean below which it is rounding.
const FLAT: f64 = 1e-9;
/// PGS sweeps over the contacts.
const SWEEPS: usize = 15;

/// A body, soft or rigid, as one rigid body.
#[derive(Clone, Copy, Debug)]
pub struct Rigid {
    /// 1/kg; 0 for a body that must not be shifted.
    pub inv_mass: f64,
    /// Centre of mass, m.
    pub centre: Vec3,
    /// Inverse inertia about the centre, 1/(kg·m²); 0 if it must not be turned.
    pub inv_inertia: Mat3,
    /// Translation so far, m.
    shift: Vec3,
    /// Rotation so far, rad.
    turn: Vec3,
    /// Whether one of its contacts is deep.
    deep: bool,
}

/// Scratch memory of the position correction.
#[derive(Clone, Debug, Default)]
pub struct PositionCorrection {
    rigids: Vec<Rigid>,
    /// Entry of `rigids` that each body uses: its own, or that of its attached group.
    leaders: Vec<BodyId>,
    rows: Vec<CorrectionRow>,
}

/// A contact as seen by two rigid bodies.
#[derive(Clone, Copy, Debug)]
struct CorrectionRow {
    bodies: (BodyId, Option<BodyId>),
    normal: Vec3,
    /// From the centres of mass to the contact, m.
    arms: [Vec3; 2],
    /// Wanted opening along the normal, m; negative where the gap may still close.
    wanted: f64,
    /// 1 / effective mass, 1/kg.
    inv_mass: f64,
    /// Accumulated pseudo-impulse, kg·m.
    push: f64,
}

impl PositionCorrection {
    /// Appends shifts that separate bodies, and updates the gaps of the contacts.
    ///
    /// Pinned bodies and spring networks stay. Bodies that are attached to each other move as one.
    /// On an error nothing has changed.
    pub fn find(
        &mut self,
        context: StepContext<'_>,
        contacts: &mut [Contact],
        shifts: &mut Vec<RigidShift>,
    ) -> Result<(), MismatchError> {
        check_contacts(contacts, context.bodies, context.bodies.vertex_count())?;
        self.find_with(context, &DeepPairs::default(), contacts, shifts)
    }

    /// The same for contacts that a search of these bodies has found, where some pairs are
    /// translated as wholes; their contacts have no goal.
    pub(crate) fn find_with(
        &mut self,
        context: StepContext<'_>,
        deep: &DeepPairs,
        contacts: &mut [Contact],
        shifts: &mut Vec<RigidShift>,
    ) -> Result<(), MismatchError> {
        let separations = deep.separations();
        let StepContext { bodies, motion, masses, .. } = context;
        bodies.check_count("positions", motion.positions.len())?;
        bodies.check_count("masses", masses.of().len())?;
        let is_good = |contact: &Contact| contact.gap >= GOAL * contact.offset;
        if separations.is_empty() && contacts.iter().all(is_good) {
            return Ok(());
        }
        self.gather(context, separations, contacts);
        self.separate(deep, contacts);
        gauss_seidel::sweep(self, SweepLimits { soft: 0, rigid: SWEEPS });
        for (contact, row) in contacts.iter_mut().zip(&self.rows) {
            contact.gap += row.opening(&self.rigids);
        }
        let moved = bodies.ids().zip(&self.leaders);
        shifts
            .extend(moved.filter_map(|(body, leader)| self.rigids[leader.index()].as_shift(body)));
        Ok(())
    }

    fn gather(
        &mut self,
        context: StepContext<'_>,
        separations: &[Separation],
        contacts: &[Contact],
    ) {
        let StepContext { bodies, motion, masses, pins, rigids, .. } = context;
        let stays = |body: BodyId| {
            let own = bodies.vertices(body);
            let first = pins.vertices().partition_point(|v| v.index() < own.start);
            let held = pins.vertices().get(first).is_some_and(|v| v.index() < own.end);
            held || bodies.kind(body) == BodyKind::SpringNetwork
        };
        let positions = motion.positions;
        let weighed = |v: usize| (positions[v], masses.of()[v]);
        self.leaders.clear();
        let known = |group: &BodyId| group.index() < bodies.len();
        let group = |body: BodyId| rigids.group(body).filter(known);
        self.leaders.extend(bodies.ids().map(|body| group(body).unwrap_or(body)));
        self.rigids.clear();
        self.rigids.extend(bodies.ids().map(|body| match group(body) {
            None if stays(body) => Rigid::STAYS,
            None => Rigid::of(bodies.vertices(body).map(weighed)),
            Some(group) => {
                let ids = || (0..bodies.len() as u32).map(BodyId);
                let all = || ids().filter(|other| rigids.group(*other) == Some(group));
                if group != body || all().any(stays) {
                    return Rigid::STAYS;
                }
                Rigid::of(all().flat_map(|other| bodies.vertices(other)).map(weighed))
            }
        }));
        let PositionCorrection { rigids, leaders, .. } = self;
        let leader = |body: BodyId| leaders[body.index()];
        for contact in contacts {
            let is_deep = GOAL * contact.offset - contact.gap > DEEP * contact.offset;
            let (a, b) = contact.bodies;
            rigids[leader(a).index()].deep |= is_deep;
            if let Some(b) = b {
                rigids[leader(b).index()].deep |= is_deep;
            }
        }
        for body in separations.iter().flat_map(|pair| pair.bodies) {
            rigids[leader(body).index()].deep = true;
        }
        self.rows.clear();
        self.rows.extend(contacts.iter().map(|contact| {
            let (a, b) = contact.bodies;
            let led = Contact { bodies: (leader(a), b.map(leader)), ..*contact };
            CorrectionRow::of(&led, positions, rigids)
        }));
    }

    /// Replaces the goals of the contacts of deep pairs by one translation of the pair.
    fn separate(&mut self, deep: &DeepPairs, contacts: &[Contact]) {
        let separations = deep.separations();
        if separations.is_empty() {
            return;
        }
        for (row, contact) in self.rows.iter_mut().zip(contacts) {
            let (a, Some(b)) = contact.bodies else { continue };
            let bodies = [a.min(b), a.max(b)];
            if separations.binary_search_by_key(&bodies, |pair| pair.bodies).is_ok() {
                row.wanted = f64::NEG_INFINITY;
            }
        }
        for pair in separations {
            let [a, b] = pair.bodies.map(|body| self.leaders[body.index()]);
            if a == b {
                continue;
            }
            let most = (CAPS[1] * pair.size).max(LONG * pair.distance);
            self.rows.push(CorrectionRow {
                bodies: (a, Some(b)),
                normal: pair.axis,
                arms: [Vec3::ZERO; 2],
                wanted: pair.distance.min(most),
                inv_mass: [a, b].iter().map(|body| self.rigids[body.index()].inv_mass).sum(),
                push: 0.0,
            });
        }
        for limit in deep.limits() {
            let body = self.leaders[limit.body.index()];
            self.rows.push(CorrectionRow {
                bodies: (body, None),
                normal: limit.normal,
                arms: [Vec3::ZERO; 2],
                wanted: -limit.room,
                inv_mass: self.rigids[body.index()].inv_mass,
                push: 0.0,
            });
        }
    }
}

impl GaussSeidel for PositionCorrection {
    fn row_count(&self) -> usize {
        self.rows.len()
    }

    #[inline]
    fn relax(&mut self, row: usize) -> Relaxed {
        self.rows[row].relax(&mut self.rigids);
        // All sweeps are made: what moves little early may move more later.
        Relaxed::Moved { is_rigid: true }
    }
}

impl Rigid {
    /// A body that stays. The default of a matrix would be the identity.
    pub const STAYS: Rigid = Rigid {
        inv_mass: 0.0,
        centre: Vec3::ZERO,
        inv_inertia: Mat3::ZERO,
        shift: Vec3::ZERO,
        turn: Vec3::ZERO,
        deep: false,
    };

    /// The rigid body of points, m, and their masses, kg.
    pub fn of(points: impl Iterator<Item = (Vec3, f64)> + Clone) -> Rigid {
        let total: f64 = points.clone().map(|(_, m)| m).sum();
        let weighted: Vec3 = points.clone().map(|(x, m)| m * x).sum();
        let centre = weighted / total;
        let mut inertia = Mat3::ZERO;
        for (x, m) in points {
            let r = x - centre;
            let square = outer_square(r);
            inertia += m * (Mat3::from_diagonal(Vec3::splat(r.length_squared())) - square);
        }
        let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        // Points on a line have no inertia about it: they are not turned.
        let turns = inertia.determinant() > FLAT * crate::math::powi(trace / 3.0, 3);
        let inv_inertia = if turns { inertia.inverse() } else { Mat3::ZERO };
        Rigid { inv_mass: total.recip(), centre, inv_inertia, ..Rigid::STAYS }
    }

    /// Inverse inertia that corrections use: zero for a deep body.
    fn turning(&self) -> Mat3 {
        if self.deep { Mat3::ZERO } else { self.inv_inertia }
    }

    fn motion(&self, arm: Vec3) -> Vec3 {
        self.shift + self.turn.cross(arm)
    }

    /// The shift that was found; `None` where the body stays.
    fn as_shift(&self, body: BodyId) -> Option<RigidShift> {
        if self.shift == Vec3::ZERO && self.turn == Vec3::ZERO {
            return None;
        }
        // A rotation by nearly `turn`, without trigonometric functions.
        let half = 0.5 * self.turn;
        let length = (1.0 + half.length_squared()).sqrt();
        let turn = Quat::from_xyzw(half.x / length, half.y / length, half.z / length, 1.0 / length);
        Some(RigidShift { body, centre: self.centre, turn, shift: self.shift })
    }
}

impl CorrectionRow {
    fn of(contact: &Contact, positions: &[Vec3], rigids: &[Rigid]) -> CorrectionRow {
        let lacking = GOAL * contact.offset - contact.gap;
        let is_deep = lacking > DEEP * contact.offset;
        let wanted = if lacking > 0.0 {
            (SHARES[usize::from(is_deep)] * lacking).min(CAPS[usize::from(is_deep)] * contact.size)
        } else {
            lacking
        };
        let (a, b) = contact.bodies;
        let place = |sign: f64| contact.place(sign, positions);
        let arm_a = place(1.0) - rigids[a.index()].centre;
        let arm_b = b.map_or(Vec3::ZERO, |b| place(-1.0) - rigids[b.index()].centre);
        let ease_of = |rigid: &Rigid, arm: Vec3| {
            let context = arm.cross(contact.normal);
            rigid.inv_mass + context.dot(rigid.turning() * context)
        };
        let mut inv_mass = ease_of(&rigids[a.index()], arm_a);
        if let Some(b) = b {
            inv_mass += ease_of(&rigids[b.index()], arm_b);
        }
        let (bodies, normal) = (contact.bodies, contact.normal);
        CorrectionRow { bodies, normal, arms: [arm_a, arm_b], wanted, inv_mass, push: 0.0 }
    }

    /// How much the gap has opened so far, m.
    fn opening(&self, rigids: &[Rigid]) -> f64 {
        let (a, b) = self.bodies;
        let other = b.map_or(Vec3::ZERO, |b| rigids[b.index()].motion(self.arms[1]));
        self.normal.dot(rigids[a.index()].motion(self.arms[0]) - other)
    }

    fn relax(&mut self, rigids: &mut [Rigid]) {
        if self.inv_mass <= 0.0 {
            return;
        }
        let lacking = self.wanted - self.opening(rigids);
        let push = (self.push + lacking / self.inv_mass).max(0.0);
        if push == self.push {
            return; // the usual case: no overlap and no pseudo-impulse
        }
        let change = (push - self.push) * self.normal;
        self.push = push;
        let (a, b) = self.bodies;
        let sides = [(Some(a), 1.0, self.arms[0]), (b, -1.0, self.arms[1])];
        for (body, sign, arm) in sides {
            let Some(body) = body else { continue };
            let rigid = &mut rigids[body.index()];
            rigid.shift += rigid.inv_mass * sign * change;
            rigid.turn += rigid.turning() * arm.cross(sign * change);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::offsets::BodyOffsets;
    use crate::body::pins::Pins;
    use crate::body::rigid::RigidTemplate;
    use crate::body::rigid::all::RigidBodySet;
    use crate::body::rigid::mass::MassProperties;
    use crate::body::soft::{Masses, State};
    use crate::body::{Bodies, Mesh};
    use crate::contact::{Feature, resting};
    use crate::id::VertexId;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::TetSplit;
    use crate::mesh::tet::TetMesh;

    /// Unit blocks in a row along x, a gap apart; the k-th has k + 1 times the mass.
    struct Blocks {
        bodies: Bodies,
        state: State,
        masses: Masses,
        pins: Pins,
        rigids: RigidBodySet,
    }

    const CORNERS: u32 = 8;

    impl Blocks {
        fn new(count: u32, gap: f64) -> Blocks {
            let mesh =
                TetMesh::from_raw(cuboid([1; 3], Vec3::ONE, TetSplit::Six).unwrap()).unwrap().0;
            let meshes: Vec<_> = (0..count).map(|_| Mesh::Tets(&mesh)).collect();
            let place = |k: u32| f64::from(k) * (1.0 + gap) * Vec3::X;
            let all = (0..count).flat_map(|k| mesh.positions().iter().map(move |p| *p + place(k)));
            let masses = (0..count).flat_map(|k| [f64::from(k + 1); CORNERS as usize]);
            Blocks {
                bodies: Bodies::from_meshes(&meshes).unwrap(),
                state: State::at_rest(all.collect()),
                masses: Masses::new(masses.collect()).unwrap(),
                pins: Pins::default(),
                rigids: RigidBodySet::default(),
            }
        }

        /// Contacts of all corners of a body's right side with the body to its right.
        fn contacts(&self, left: u32, gap: f64) -> Vec<Contact> {
            let (own, right) = (BodyId(left), BodyId(left + 1));
            let vertices = self.bodies.vertices(own);
            let face = vertices.clone().filter(|v| {
                let from = self.state.positions[vertices.start].x;
                self.state.positions[*v].x > from + 0.5
            });
            let contact = |vertex: usize| {
                let other = VertexId(vertex as u32 + CORNERS - 1);
                Contact {
                    feature: Feature::VertexBody(VertexId(vertex as u32), right),
                    vertices: [VertexId(vertex as u32), other, other, other],
                    weights: [1.0, -1.0, 0.0, 0.0],
                    count: 2,
                    bodies: (own, Some(right)),
                    normal: -Vec3::X,
                    gap,
                    offset: 0.01,
                    ..resting(VertexId(vertex as u32))
                }
            };
            face.map(contact).collect()
        }

        fn shifts(&self, contacts: &mut [Contact]) -> Vec<RigidShift> {
            let Blocks { bodies, state, masses, pins, rigids } = self;
            let (motion, profiler) = (state.motion(), &None);
            let context = StepContext {
                bodies,
                motion,
                masses,
                pins,
                rigids,
                rigid_states: &[],
                dt: 0.01,
                profiler,
            };
            let mut shifts = Vec::new();
            PositionCorrection::default().find(context, contacts, &mut shifts).unwrap();
            shifts
        }
    }

    #[test]
    fn the_lighter_body_goes_farther_and_the_centre_of_mass_stays() {
        let blocks = Blocks::new(2, -0.1);
        let mut contacts = blocks.contacts(0, -0.1);
        let shifts = blocks.shifts(&mut contacts);
        // 0.105 m are lacking; masses of 1 and 2 share them 2 : 1.
        let [left, right] = &shifts[..] else { panic!("{shifts:?}") };
        assert!(left.shift.abs_diff_eq(-0.07 * Vec3::X, 1e-6), "{left:?}");
        assert!(right.shift.abs_diff_eq(0.035 * Vec3::X, 1e-6), "{right:?}");
        assert!((left.shift + 2.0 * right.shift).length() < 1e-15);
        assert_eq!([left.turn, right.turn], [Quat::IDENTITY; 2]); // deep: no turn
        assert!(contacts.iter().all(|contact| (contact.gap - 0.005).abs() < 1e-6));
    }

    #[test]
    fn good_gaps_move_nothing() {
        let blocks = Blocks::new(2, 0.01);
        assert!(blocks.shifts(&mut blocks.contacts(0, 0.01)).is_empty());
    }

    #[test]
    fn shallow_gaps_are_won_back_slowly_and_may_turn() {
        let blocks = Blocks::new(2, 0.0);
        let mut contacts = blocks.contacts(0, 0.0);
        let shifts = blocks.shifts(&mut contacts);
        // A fifth of 0.005 m.
        let opened = shifts[1].shift.x - shifts[0].shift.x;
        assert!((opened - 0.001).abs() < 1e-6, "{shifts:?}");
        let one = &mut blocks.contacts(0, 0.0)[..1];
        assert_ne!(blocks.shifts(one)[0].turn, Quat::IDENTITY);
    }

    #[test]
    fn a_held_body_stays_and_the_other_makes_the_whole_way() {
        let mut blocks = Blocks::new(2, -0.1);
        blocks.pins.add_still(&[VertexId(0)], &blocks.state.positions).unwrap();
        let shifts = blocks.shifts(&mut blocks.contacts(0, -0.1));
        assert_eq!(shifts.len(), 1);
        assert!(shifts[0].body == BodyId(1) && (shifts[0].shift.x - 0.105).abs() < 1e-6);
    }

    #[test]
    fn a_held_body_is_not_turned_either() {
        let mut blocks = Blocks::new(2, 0.0);
        blocks.pins.add_still(&[VertexId(0)], &blocks.state.positions).unwrap();
        let one = &mut blocks.contacts(0, 0.0)[..1]; // shallow, and off the centre
        let shifts = blocks.shifts(one);
        assert!(shifts.iter().all(|shift| shift.body == BodyId(1)), "{shifts:?}");
        blocks.pins.add_still(&[VertexId(CORNERS)], &blocks.state.positions).unwrap();
        assert!(blocks.shifts(&mut blocks.contacts(0, 0.0)).is_empty());
    }

    #[test]
    fn what_is_attached_goes_with_what_holds_it() {
        let mut blocks = Blocks::new(3, 0.0);
        let own = &blocks.state.positions[..CORNERS as usize];
        let made = MassProperties::from_points(own, &[1.0; CORNERS as usize]).unwrap();
        let (body, at) = RigidTemplate::new(own, made).unwrap();
        let starts = BodyOffsets::from_counts([CORNERS as usize; 3]);
        blocks.rigids = RigidBodySet::new(vec![(BodyId(0), body)], &starts, 24).unwrap();
        blocks.state.rigids.push(at);
        let Blocks { rigids, masses, pins, state, .. } = &mut blocks;
        rigids.attach(BodyId(0), &[VertexId(CORNERS)], masses, pins, state).unwrap();
        let shifts = blocks.shifts(&mut blocks.contacts(1, -0.01));
        // 8 kg and 16 kg together against 24 kg.
        let way = |body: usize| shifts[body].shift;
        assert_eq!((shifts.len(), way(0)), (3, way(1)));
        assert!(way(1).x < -1e-3 && way(1).abs_diff_eq(-way(2), 1e-15), "{shifts:?}");
    }

    #[test]
    fn nobody_is_pushed_into_a_third() {
        let blocks = Blocks::new(3, 0.0);
        let mut contacts = blocks.contacts(0, -0.1);
        contacts.extend(blocks.contacts(1, 0.01));
        let shifts = blocks.shifts(&mut contacts);
        let way = |body: usize| shifts.get(body).map_or(0.0, |s| s.shift.x);
        // The middle one may move 0.005 m nearer before the third must move too.
        assert!(way(1) - way(2) <= 0.005 + 1e-6, "{shifts:?}");
        assert!((way(1) - way(0) - 0.105).abs() < 1e-3, "{shifts:?}");
    }
}
