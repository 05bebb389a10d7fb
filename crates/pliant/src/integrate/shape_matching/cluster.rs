//! One cluster: its best-fitting pose, and the goals of its vertices.
//!
//! | here          | lecture, paper | meaning                                          |
//! |---------------|----------------|--------------------------------------------------|
//! | `weight`      | m              | mass of a vertex in the group, kg                |
//! | `offsets`     | r, q           | vertices of the shape from its centre, m         |
//! | `centre`      | c              | centre of mass of the vertices, m                |
//! | `mixed`       | A_pq           | Σ m (y − c) qᵀ, kg·m²                            |
//! | `inverse`     | A_qq⁻¹         | pseudo-inverse of Σ m q qᵀ, 1/(kg·m²)            |
//! | `rotation`    | R              | of A_pq                                          |
//! | `deformation` | A              | A_pq A_qq⁻¹, the best linear match               |
//! | `plastic`     | S^p            | plastic deformation of the rest shape            |

use crate::body::soft::StateView;
use crate::id::VertexId;
use crate::integrate::shape_matching::modes::Modes;
use crate::integrate::shape_matching::{Group, Kind, Plasticity, Stiffness, Volume};
use crate::math::eigen::eigen;
use crate::math::inverse::{Inverse, pseudo_inverse};
use crate::math::polar::PolarMethod;
use crate::math::svd::svd;
use crate::math::{Mat3, Quat, Vec3, outer, outer_square, unit_quat};
use crate::snapshot::{Snapshot, SnapshotError};

/// Second moments below this, relative to the largest, are those of a flat group.
///
/// A square of lengths: a plate is flat below a millionth of its size.
pub(super) const FLAT: f64 = 1e-12;

/// Goals of a group squeezed below this share of its volume are scaled no further.
const LEAST_VOLUME: f64 = 1e-3;

/// Square of half the turn of a step, rad², beyond which the motion is not smooth.
///
/// A sixth of a turn: the rational approximation of the tangent is off by 1e-5 there.
const SMOOTH: f64 = 0.25;

/// Relative change of a cube root that ends its iteration.
const ROOT: f64 = 1e-15;

/// A vertex of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// Index in the scene.
    pub vertex: VertexId,
    /// Its mass in the group, kg.
    pub weight: f64,
}

/// Best-fitting pose of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Match {
    /// Centre, world space, m.
    pub centre: Vec3,
    /// From the rest shape to the world.
    pub rotation: Mat3,
    /// The best linear match, with the rotation where a flat shape does not define it.
    pub deformation: Mat3,
}

/// A group with its rest shape.
#[derive(Clone, Debug)]
pub struct Cluster {
    pub(super) members: Vec<Member>,
    pub(super) kind: Kind,
    pub(super) stiffness: Stiffness,
    plasticity: Option<Plasticity>,
    /// Sum of the weights, kg.
    pub(super) mass: f64,
    /// Rest positions from the centre, m.
    rest: Vec<Vec3>,
    /// The same after plastic flow, m.
    pub(super) offsets: Vec<Vec3>,
    /// Plastic deformation.
    plastic: Mat3,
    /// 1/(kg·m²).
    pub(super) inverse: Mat3,
    /// Projects to the directions in which the shape is flat.
    missing: Mat3,
    /// Directions in which it is not flat.
    pub(super) rank: usize,
    /// Inverse inertia of the shape about its centre, 1/(kg·m²).
    mobility: Mat3,
    pub(super) modes: Option<Modes>,
    last: Match,
    /// How rotations are found.
    polar: PolarMethod,
    /// The rotation of the last step that was accepted, where a warm start begins.
    start: Quat,
    /// The new `plastic` if the step is accepted.
    flowed: Option<Mat3>,
    /// Displacement of each vertex towards its goal, m.
    pub(super) shifts: Vec<Vec3>,
    /// New velocity of each vertex, m/s.
    pub(super) velocities: Vec<Vec3>,
}

impl Cluster {
    /// A group with the shape that its vertices have in `rest`, m.
    ///
    /// `weight` returns masses, kg.
    pub(super) fn new(group: &Group, rest: &[Vec3], weight: impl Fn(VertexId) -> f64) -> Cluster {
        let member = |v: &VertexId| Member { vertex: *v, weight: weight(*v) };
        let members: Vec<Member> = group.vertices.iter().map(member).collect();
        let mass = members.iter().map(|member| member.weight).sum();
        let centre = centre(&members, mass, rest);
        let offset = |member: &Member| rest[member.vertex.index()] - centre;
        let rest: Vec<Vec3> = members.iter().map(offset).collect();
        let count = members.len();
        let bends = matches!(group.kind, Kind::Quadratic { .. });
        let modes = bends.then(|| Modes::new(&members, &rest));
        let one = Mat3::IDENTITY;
        let mut cluster = Cluster {
            members,
            kind: group.kind,
            stiffness: group.stiffness,
            plasticity: group.plasticity,
            mass,
            offsets: rest.clone(),
            rest,
            plastic: one,
            inverse: one,
            missing: one,
            rank: 0,
            mobility: one,
            modes,
            last: Match { centre, rotation: one, deformation: one },
            polar: PolarMethod::default(),
            start: Quat::IDENTITY,
            flowed: None,
            shifts: vec![Vec3::ZERO; count],
            velocities: vec![Vec3::ZERO; count],
        };
        cluster.reshape(one);
        cluster
    }

    /// The vertices, in the order of their group.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The last match; the rest pose before the first step.
    pub fn last(&self) -> Match {
        self.last
    }

    /// Plastic deformation of the rest shape.
    pub fn plastic(&self) -> Mat3 {
        self.plastic
    }

    /// Directions in which the shape extends: 3, 2 for flat ones, 1 for lines, or 0.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Whether it can deform plastically.
    pub(super) fn is_plastic(&self) -> bool {
        self.plasticity.is_some()
    }

    /// Whether steps depend on those before, by more than positions and velocities.
    pub(super) fn has_state(&self) -> bool {
        self.is_plastic() || self.polar == PolarMethod::WarmStart
    }

    /// Sets how rotations are found.
    pub(super) fn set_polar(&mut self, polar: PolarMethod) {
        self.polar = polar;
    }

    /// Whether velocities are to be rigid too.
    fn is_firm(&self) -> bool {
        self.kind == Kind::Rigid && self.stiffness == Stiffness::Firm
    }

    /// Applies a plastic deformation to the rest shape.
    pub(super) fn reshape(&mut self, plastic: Mat3) {
        self.plastic = plastic;
        let mut square = Mat3::ZERO;
        for ((offset, rest), member) in self.offsets.iter_mut().zip(&self.rest).zip(&self.members) {
            *offset = plastic * *rest;
            square += member.weight * outer_square(*offset);
        }
        let Inverse { rows, rank } = pseudo_inverse(square.to_cols_array_2d(), FLAT);
        self.inverse = Mat3::from_cols_array_2d(&rows);
        self.missing = Mat3::IDENTITY - self.inverse * square;
        self.rank = rank;
        self.mobility = inverse_inertia(square);
        if let Some(modes) = &mut self.modes {
            modes.set(&self.members, &self.offsets);
        }
    }

    /// The best match to vertices at `positions`, m.
    pub(super) fn find(&self, positions: &[Vec3]) -> Match {
        let centre = centre(&self.members, self.mass, positions);
        let mut mixed = Mat3::ZERO;
        for (member, offset) in self.members.iter().zip(&self.offsets) {
            mixed += outer(member.weight * (positions[member.vertex.index()] - centre), *offset);
        }
        let rotation = self.polar.rotation(mixed, self.start);
        let deformation = mixed * self.inverse + rotation * self.missing;
        Match { centre, rotation, deformation }
    }

    /// Finds the best match and the displacement of each vertex.
    ///
    /// `ahead` says whether to add the rotation by which motion along tangents lags behind, see
    /// [`Cluster::lag`].
    ///
    /// - Implements: [Wang21 slide "Shape Matching"], [Muller05 §3.3, §4.1–4.3].
    /// - Erratum: the slide takes the rotation of A, which turns the group (R5), and the
    ///   mean without masses, which pushes it (R6); shown by `goals_pull_without_force_or_torque`.
    pub(super) fn fit(&mut self, motion: StateView<'_>, dt: f64, ahead: Ahead) {
        let Match { centre, mut rotation, deformation } = self.find(motion.positions);
        let place = |member: &Member| motion.positions[member.vertex.index()] - centre;
        self.flowed = self.flow(rotation.transpose() * deformation, dt);
        if ahead == Ahead::Turned && self.is_firm() {
            rotation = self.lag(rotation, centre, motion, dt) * rotation;
        }
        self.last = Match { centre, rotation, deformation };
        let share = self.stiffness.share(dt);
        let linear = self.goal(rotation, deformation);
        let bent = match (self.kind, &self.modes) {
            (Kind::Quadratic { blend }, Some(modes)) => {
                let places = self.members.iter().map(place);
                Some((modes, modes.matched(&self.members, places, rotation, blend)))
            }
            _ => None,
        };
        for (k, member) in self.members.iter().enumerate() {
            let goal = match &bent {
                Some((modes, found)) => modes.offset(k, found),
                None => linear * self.offsets[k],
            };
            self.shifts[k] = share * (goal - place(member));
        }
    }

    /// The matrix that takes the shape to its goals, for kinds that do not bend.
    fn goal(&self, rotation: Mat3, deformation: Mat3) -> Mat3 {
        let Kind::Linear { blend, volume } = self.kind else { return rotation };
        let det = deformation.determinant();
        let scale = match volume {
            Volume::Free => 1.0,
            // Inverted: the way back is the rigid one.
            Volume::Kept if det <= 0.0 => return rotation,
            Volume::Kept => 1.0 / root(det.max(LEAST_VOLUME), self.rank),
        };
        (blend * scale) * deformation + (1.0 - blend) * rotation
    }

    /// The rotation by which straight motion lags behind a constant spin.
    ///
    /// In a step vertices move along tangents by θ = ω Δt of their radius: seen from the centre by
    /// atan θ. With tan a/2 by a rational approximation, right up to θ⁶, only square roots are
    /// used.
    fn lag(&self, rotation: Mat3, centre: Vec3, motion: StateView<'_>, dt: f64) -> Mat3 {
        let mut momentum = Vec3::ZERO;
        for member in &self.members {
            let v = member.vertex.index();
            let arm = motion.positions[v] - centre;
            momentum += member.weight * arm.cross(motion.velocities[v]);
        }
        let spin = rotation * (self.mobility * (rotation.transpose() * momentum));
        let angle = dt * spin.length();
        let half = 0.5 * angle;
        let square = half * half;
        if angle == 0.0 || square.is_nan() || square > SMOOTH {
            return Mat3::IDENTITY;
        }
        let wanted = half * (15.0 - square) / (15.0 - 6.0 * square);
        let made = angle / (1.0 + (1.0 + angle * angle).sqrt());
        let missing = (wanted - made) / (1.0 + wanted * made);
        let axis = (dt * missing / angle) * spin;
        unit_quat(Quat::from_xyzw(axis.x, axis.y, axis.z, 1.0))
            .map_or(Mat3::IDENTITY, Mat3::from_quat)
    }

    /// The plastic deformation after a stretch, if it yields.
    pub(super) fn flow(&self, stretch: Mat3, dt: f64) -> Option<Mat3> {
        let Plasticity { yields_at, creep, most } = self.plasticity?;
        let strain = 0.5 * (stretch + stretch.transpose()) - Mat3::IDENTITY;
        let values = eigen(strain).values;
        if values.abs().max_element() <= yields_at {
            return None;
        }
        let share = (dt * creep).min(1.0);
        let mut plastic = (Mat3::IDENTITY + share * strain) * self.plastic;
        if self.rank == 3 {
            let det = plastic.determinant();
            if det.is_nan() || det < LEAST_VOLUME {
                return None;
            }
            plastic *= 1.0 / root(det, 3);
        }
        let change = plastic - Mat3::IDENTITY;
        let size = svd(change).stretches.x;
        if size > most {
            plastic = Mat3::IDENTITY + (most / size) * change;
        }
        plastic.is_finite().then_some(plastic)
    }

    /// Accepts the step with its rotation and its plastic deformation.
    pub(super) fn accept(&mut self) {
        if self.polar == PolarMethod::WarmStart {
            self.start = Quat::from_mat3(&self.last.rotation);
        }
        if let Some(plastic) = self.flowed.take() {
            self.reshape(plastic);
        }
    }

    /// Writes the plastic deformation, and the rotation where a warm start begins.
    pub(super) fn save(&self, memory: &mut Snapshot) {
        memory.write_vectors(&[self.plastic.x_axis, self.plastic.y_axis, self.plastic.z_axis]);
        if self.polar == PolarMethod::WarmStart {
            let Quat { x, y, z, w } = self.start;
            memory.write_vectors(&[Vec3::new(x, y, z), w * Vec3::X]);
        }
    }

    /// Reads what [`Cluster::save`] wrote.
    pub(super) fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        let (part, mut columns) = ("shape matching", Vec::new());
        memory.read_vectors(part, &mut columns)?;
        let [x, y, z] = columns[..] else { return Err(SnapshotError { part }) };
        self.reshape(Mat3::from_cols(x, y, z));
        if self.polar == PolarMethod::WarmStart {
            memory.read_vectors(part, &mut columns)?;
            let [axis, cosine] = columns[..] else { return Err(SnapshotError { part }) };
            self.start = Quat::from_xyzw(axis.x, axis.y, axis.z, cosine.x);
        }
        Ok(())
    }

    /// Finds velocities with the linear and angular momentum of the group before.
    ///
    /// `before` is where vertices were matched, `positions` where they are, m. A firm group moves
    /// as one; any other keeps the shifts in its velocities and gets back the angular momentum that
    /// they took.
    pub(super) fn settle(&mut self, before: StateView<'_>, positions: &[Vec3], dt: f64) {
        let (old, new) = (self.last.centre, centre(&self.members, self.mass, positions));
        let firm = self.is_firm();
        let mut mean = Vec3::ZERO;
        for member in &self.members {
            mean += member.weight * before.velocities[member.vertex.index()];
        }
        mean /= self.mass;
        // Zero but for rounding, which a short step would make large.
        let mut push = Vec3::ZERO;
        for (member, shift) in self.members.iter().zip(&self.shifts) {
            push += member.weight * *shift;
        }
        push /= self.mass;
        let (mut lost, mut square) = (Vec3::ZERO, Mat3::ZERO);
        for (k, member) in self.members.iter().enumerate() {
            let v = member.vertex.index();
            let own = before.velocities[v];
            self.velocities[k] = if firm { mean } else { own + (self.shifts[k] - push) / dt };
            let had = (before.positions[v] - old).cross(own);
            let has = (positions[v] - old).cross(self.velocities[k]);
            lost += member.weight * (had - has);
            square += member.weight * outer_square(positions[v] - new);
        }
        let spin = inverse_inertia(square) * lost;
        for (velocity, member) in self.velocities.iter_mut().zip(&self.members) {
            *velocity += spin.cross(positions[member.vertex.index()] - new);
        }
    }
}

/// Whether a firm group is rotated by the lag of straight motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ahead {
    /// It is.
    Turned,
    /// It stays where it was found.
    Left,
}

/// Centre of mass of a group, m.
fn centre(members: &[Member], mass: f64, positions: &[Vec3]) -> Vec3 {
    // From one of them: far from the origin sums of differences keep their digits.
    let start = members.first().map_or(Vec3::ZERO, |member| positions[member.vertex.index()]);
    let mut sum = Vec3::ZERO;
    for member in members {
        sum += member.weight * (positions[member.vertex.index()] - start);
    }
    start + sum / mass
}

/// Inverse of the inertia that belongs to second moments Σ m q qᵀ, 1/(kg·m²).
///
/// Zero about the axis of a line, which nothing can spin.
pub(super) fn inverse_inertia(square: Mat3) -> Mat3 {
    let trace = square.x_axis.x + square.y_axis.y + square.z_axis.z;
    let inertia = Mat3::from_diagonal(Vec3::splat(trace)) - square;
    Mat3::from_cols_array_2d(&pseudo_inverse(inertia.to_cols_array_2d(), FLAT).rows)
}

/// The root of that degree of a positive number: 3, 2, or the number itself.
///
/// Cube roots by Halley's iteration: that of the machine differs between machines.
fn root(number: f64, degree: usize) -> f64 {
    match degree {
        3 => {
            let mut root = if number > 1.0 { number.sqrt() } else { 1.0 };
            for _ in 0..60 {
                let cube = root * root * root;
                let next = root * (cube + 2.0 * number) / (2.0 * cube + number);
                let change = (next - root).abs();
                root = next;
                if change <= ROOT * root {
                    break;
                }
            }
            root
        }
        2 => number.sqrt(),
        _ => number,
    }
}
