//! Shape matching as a force, solved together with contacts.
//!
//! After a step a match moves vertices that contact has just corrected. As a force in an implicit
//! step the two are solved together: the whole group responds to a contact at one vertex.
//!
//! | here      | formula       | meaning                                                      |
//! |-----------|---------------|--------------------------------------------------------------|
//! | `square`  | ω²            | squared angular frequency of a vertex, 1/s²                  |
//! | `blend`   | β             | share of the best match that bends                           |
//! | `turned`  | R q           | rigid goal from the centre, m                                |
//! | `bent`    | A q, Ã q̃      | best match from the centre, m                                |
//! | `kernel`  | mᵢ mⱼ φᵢᵀGφⱼ  | weight of the position of j in the best match at i, kg       |
//! | `growth`  | det A − 1     | change of volume                                             |
//! | `volume`  | Σ m q² / d²   | stiffness of the volume over ω²β, d directions, kg·m²        |
//!
//! The energy is ω²/2 Σ m ((1 − β) |x − c − R q|² + β |x − c − A q|²) + ω²β/2 volume growth²,
//! the last where volume is kept. Goals are the best ones, so that the energy is stationary in
//! them and the forces are those of the lecture: ω² m times the displacement to the blended goal.
//!
//! Goals depend on a few sums over the group: its centre, its spin, the moments of its modes and
//! its volume. So the tangent is ω² m on the diagonal less a term of low rank,
//!
//! ω² m 1 − ω² m mᵀ/Σm 1 − ω²β (mφ) G (mφ)ᵀ 1 − ω²(1 − β) (m p×)ᵀ I⁻¹ (m p×) + ω²β volume s sᵀ,
//!
//! with φ the offsets or modes at rest, p the offsets now, I their inertia, s the derivative of
//! the volume.

use crate::force::low_rank::{Coupling, Factors, LowRank, SCALARS, VECTORS};
use crate::force::{BlockMatrix, Force, Slot, StateView, StepRejection, Store, Tangent};
use crate::id::VertexId;
use crate::integrate::shape_matching::cluster::{Cluster, Match, Member, inverse_inertia};
use crate::integrate::shape_matching::modes::COUNT;
use crate::integrate::shape_matching::{Groups, Kind, Stiffness, Volume};
use crate::math::{Mat3, Vec3, outer, outer_square, skew};
use crate::snapshot::{Snapshot, SnapshotError};

/// (ω Δt)² of a firm group: this part of the way to its goal is left in a step.
///
/// More would cost digits of the momentum, which is what large forces leave when they cancel.
const FIRM: f64 = 1e4;

/// Vertices up to which a group is dense in the matrix.
///
/// Bodies of as many are solved with dense inverses, see
/// [`RowSettings`](crate::solve::rows::RowSettings).
pub const MAX_DENSE: usize = 60;

/// Shape matching of groups as a force.
///
/// A group of up to [`MAX_DENSE`] vertices is dense in the matrix; a larger one is a term of low rank, whose
/// time and memory are linear in its vertices. With implicit Euler [`Stiffness::Rate`] moves vertices as it does after a step; a share α is the rate with that
/// share in a step of the length given, and a firm group is left 10⁻⁴ of the way. Linear momentum
/// is kept, and so is angular momentum for rigid groups and for others as far as their match
/// goes: a free spin is not damped (erratum R7).
///
/// - Implements: [Muller05 §3, §4] as a potential.
/// - Deviates: volume is kept by an energy, not by scaling goals, whose pull has no potential.
/// - Deviates: both forms of the tangent leave out how the rotation of a strained group turns.
#[derive(Clone, Debug)]
pub struct Pull {
    pulls: Vec<One>,
}

/// One group.
#[derive(Clone, Debug)]
struct One {
    cluster: Cluster,
    vertices: Vec<VertexId>,
    /// 1/s².
    square: f64,
    /// Share β.
    blend: f64,
    /// kg·m²; 0 where volume is free.
    volume: f64,
    /// Row by row, kg; empty for rigid groups and for those of low rank.
    kernel: Vec<f64>,
    /// Whether it is a term of low rank in the matrix.
    is_low_rank: bool,
}

/// A group at a state.
struct Now<'a> {
    one: &'a One,
    at: Match,
    /// Displacement by the modes of a quadratic group, m.
    modes: Option<[Vec3; 9]>,
    /// Change of volume.
    growth: f64,
    /// Gradient of the volume over the weights, per offset, 1/(kg·m).
    swelling: Mat3,
}

impl Pull {
    /// A force of groups; firm groups and shares are relative to steps of `dt` seconds.
    pub fn new(groups: Groups, dt: f64) -> Pull {
        let pulls = groups.clusters.into_iter().map(|cluster| One::new(cluster, dt));
        Pull { pulls: pulls.collect() }
    }

    /// The same with another limit than [`MAX_DENSE`].
    #[cfg(test)]
    pub(super) fn with_limit(groups: Groups, dt: f64, max_dense: usize) -> Pull {
        let mut pull = Pull::new(groups, dt);
        for one in &mut pull.pulls {
            one.is_low_rank = one.vertices.len() > max_dense;
            one.prepare();
        }
        pull
    }

    /// Every group with its plastic deformation.
    pub fn clusters(&self) -> impl Iterator<Item = &Cluster> {
        self.pulls.iter().map(|one| &one.cluster)
    }
}

impl One {
    fn new(cluster: Cluster, dt: f64) -> One {
        let square = match cluster.stiffness {
            Stiffness::Rate(rate) => (rate * rate).min(FIRM / (dt * dt)),
            Stiffness::Firm => FIRM / (dt * dt),
            Stiffness::Share(share) => (share / (1.0 - share)).min(FIRM) / (dt * dt),
        };
        let blend = match cluster.kind {
            Kind::Rigid => 0.0,
            Kind::Linear { blend, .. } | Kind::Quadratic { blend } => blend,
        };
        let vertices: Vec<VertexId> = cluster.members.iter().map(|member| member.vertex).collect();
        let (kernel, is_low_rank) = (Vec::new(), vertices.len() > MAX_DENSE);
        let mut one = One { cluster, vertices, square, blend, volume: 0.0, kernel, is_low_rank };
        one.prepare();
        one
    }

    /// Precomputes what depends on the rest shape.
    fn prepare(&mut self) {
        let One { cluster, volume, kernel, blend, .. } = self;
        let Cluster { members, offsets, rank, kind, .. } = &*cluster;
        if matches!(kind, Kind::Linear { volume: Volume::Kept, .. }) && *rank > 0 {
            let of = |(member, q): (&Member, &Vec3)| member.weight * q.length_squared();
            *volume = members.iter().zip(offsets).map(of).sum::<f64>() / (rank * rank) as f64;
        }
        kernel.clear();
        if *blend == 0.0 || self.is_low_rank {
            return;
        }
        for (i, a) in members.iter().enumerate() {
            for (j, b) in members.iter().enumerate() {
                let shared = match &cluster.modes {
                    Some(modes) => modes.shared(i, j),
                    None => offsets[i].dot(cluster.inverse * offsets[j]),
                };
                kernel.push(a.weight * b.weight * (shared + 1.0 / cluster.mass));
            }
        }
    }

    fn now(&self, positions: &[Vec3]) -> Now<'_> {
        let cluster = &self.cluster;
        let at = cluster.find(positions);
        let places = cluster.members.iter().map(|m| positions[m.vertex.index()] - at.centre);
        let modes = cluster.modes.as_ref();
        let modes = modes.map(|modes| modes.matched(&cluster.members, places, at.rotation, 1.0));
        let (mut growth, mut swelling) = (0.0, Mat3::ZERO);
        if self.volume > 0.0 {
            let [x, y, z] = [at.deformation.x_axis, at.deformation.y_axis, at.deformation.z_axis];
            growth = at.deformation.determinant() - 1.0;
            swelling = Mat3::from_cols(y.cross(z), z.cross(x), x.cross(y)) * cluster.inverse;
        }
        Now { one: self, at, modes, growth, swelling }
    }
}

impl Now<'_> {
    /// Rigid and bent goal of a vertex, from the centre, m.
    fn goals(&self, k: usize) -> (Vec3, Vec3) {
        let Cluster { offsets, modes, .. } = &self.one.cluster;
        let turned = self.at.rotation * offsets[k];
        let bent = match (modes, &self.modes) {
            (Some(modes), Some(found)) => modes.offset(k, found),
            _ => self.at.deformation * offsets[k],
        };
        (turned, bent)
    }

    /// Derivative of the volume by the position of a vertex, 1/m.
    fn swell(&self, k: usize) -> Vec3 {
        let Cluster { members, offsets, .. } = &self.one.cluster;
        members[k].weight * (self.swelling * offsets[k])
    }

    fn energy(&self, positions: &[Vec3]) -> f64 {
        let One { cluster, square, blend, volume, .. } = self.one;
        let mut sum = blend * volume * self.growth * self.growth;
        for (k, member) in cluster.members.iter().enumerate() {
            let place = positions[member.vertex.index()] - self.at.centre;
            let (turned, bent) = self.goals(k);
            let strained = (1.0 - blend) * (place - turned).length_squared();
            sum += member.weight * (strained + blend * (place - bent).length_squared());
        }
        0.5 * square * sum
    }

    /// Force on a vertex over ω², kg·m.
    fn pull(&self, k: usize, place: Vec3) -> Vec3 {
        let One { cluster, blend, volume, .. } = self.one;
        let (turned, bent) = self.goals(k);
        let goal = (1.0 - blend) * turned + *blend * bent;
        cluster.members[k].weight * (goal - place) - blend * volume * self.growth * self.swell(k)
    }

    /// Inverse inertia of the present positions, 1/(kg·m²).
    fn inv_mass(&self, positions: &[Vec3]) -> Mat3 {
        let mut moments = Mat3::ZERO;
        for member in &self.one.cluster.members {
            let place = positions[member.vertex.index()] - self.at.centre;
            moments += member.weight * outer_square(place);
        }
        inverse_inertia(moments)
    }

    fn add_forces(&self, positions: &[Vec3], forces: &mut [Vec3]) {
        let One { cluster, square, .. } = self.one;
        let place = |member: &Member| positions[member.vertex.index()] - self.at.centre;
        // Both are zero except for rounding, which a stiff pull would make large.
        let (mut push, mut turn) = (Vec3::ZERO, Vec3::ZERO);
        for (k, member) in cluster.members.iter().enumerate() {
            let pull = self.pull(k, place(member));
            push += pull;
            turn += place(member).cross(pull);
        }
        (push, turn) = (push / cluster.mass, self.inv_mass(positions) * turn);
        for (k, member) in cluster.members.iter().enumerate() {
            let (v, place) = (member.vertex.index(), place(member));
            let excess = member.weight * (push + turn.cross(place));
            forces[v] += *square * (self.pull(k, place) - excess);
        }
    }

    /// Visits each block of the tangent: row, column, N/m.
    ///
    /// Rotations are those of the present positions, so that no block turns the group.
    fn visit_blocks(&self, positions: &[Vec3], visit: &mut dyn FnMut(usize, usize, Mat3)) {
        let One { cluster, square, blend, volume, kernel, .. } = self.one;
        let Cluster { members, mass, .. } = cluster;
        let place = |member: &Member| positions[member.vertex.index()] - self.at.centre;
        let (inv_mass, rigid) = (self.inv_mass(positions), *square * (1.0 - blend));
        for (i, a) in members.iter().enumerate() {
            let (turns, swells) =
                (-skew(place(a)) * inv_mass, *square * blend * volume * self.swell(i));
            for (j, b) in members.iter().enumerate() {
                let both = rigid * a.weight * b.weight;
                let mut even = -both / mass;
                if i == j {
                    even += square * a.weight;
                }
                if *blend > 0.0 {
                    even -= square * blend * kernel[i * members.len() + j];
                }
                let mut block = Mat3::from_diagonal(Vec3::splat(even));
                block -= both * (turns * skew(place(b)));
                if *volume > 0.0 {
                    block += outer(swells, self.swell(j));
                }
                visit(i, j, block);
            }
        }
    }

    /// How the sums over the group are coupled in the tangent, times `weight`.
    ///
    /// Scalars are the mass and the moments of the modes; vectors are the three rotations and the
    /// growth of the volume.
    fn coupling(&self, positions: &[Vec3], weight: f64) -> Coupling {
        let One { cluster, square, blend, volume, .. } = self.one;
        let scale = weight * square;
        let mut coupling = Coupling { scalar_count: 1, vector_count: 3, ..Coupling::default() };
        coupling.isotropic[0][0] = -scale / cluster.mass;
        let mut couple = |rows: &[&[f64]]| {
            coupling.scalar_count += rows.len();
            for (to, from) in coupling.isotropic[1..].iter_mut().zip(rows) {
                to[1..].iter_mut().zip(*from).for_each(|(to, g)| *to = -scale * blend * g);
            }
        };
        match &cluster.modes {
            _ if *blend == 0.0 => {}
            Some(modes) => couple(&modes.inverse().each_ref().map(|row| &row[..])),
            None => couple(&cluster.inverse.to_cols_array_2d().each_ref().map(|row| &row[..])),
        }
        let inv_mass = self.inv_mass(positions).to_cols_array_2d();
        for (to, from) in coupling.directed.iter_mut().zip(inv_mass) {
            to.iter_mut().zip(from).for_each(|(to, i)| *to = -scale * (1.0 - blend) * i);
        }
        if *volume > 0.0 {
            coupling.vector_count = VECTORS;
            coupling.directed[3][3] = scale * blend * volume;
        }
        coupling
    }

    /// What a vertex adds to the sums over the group.
    fn factors(&self, k: usize, positions: &[Vec3]) -> Factors {
        let Cluster { members, offsets, modes, .. } = &self.one.cluster;
        let Member { vertex, weight } = members[k];
        let mut scalars = [weight; SCALARS];
        let mut weigh = |values: &[f64]| {
            scalars[1..].iter_mut().zip(values).for_each(|(scalar, value)| *scalar *= value);
        };
        match modes {
            Some(modes) => weigh(modes.values(k)),
            None => weigh(&offsets[k].to_array()),
        }
        let heavy = weight * (positions[vertex.index()] - self.at.centre);
        let [x, y, z] = Vec3::AXES.map(|axis| axis.cross(heavy));
        Factors { vertex, scalars, vectors: [x, y, z, self.swell(k)] }
    }

    /// Makes `term` the tangent less its diagonal ω² m, times `weight`.
    fn fill_term(&self, positions: &[Vec3], weight: f64, term: &mut LowRank) {
        term.reset(self.coupling(positions, weight));
        for k in 0..self.one.vertices.len() {
            term.push(self.factors(k, positions));
        }
    }
}

// The mass and all modes have their place.
const _: () = assert!(SCALARS == 1 + COUNT);

impl Force for Pull {
    fn energy(&self, motion: StateView<'_>) -> f64 {
        let of = |one: &One| one.now(motion.positions).energy(motion.positions);
        self.pulls.iter().map(of).sum()
    }

    fn add_forces(&self, motion: StateView<'_>, forces: &mut [Vec3]) {
        for one in &self.pulls {
            one.now(motion.positions).add_forces(motion.positions, forces);
        }
    }

    fn add_forces_of(&self, elements: &[u32], motion: StateView<'_>, forces: &mut [Vec3]) {
        for element in elements {
            let one = &self.pulls[*element as usize];
            one.now(motion.positions).add_forces(motion.positions, forces);
        }
    }

    fn visit_energies(&self, motion: StateView<'_>, visit: &mut dyn FnMut(VertexId, f64)) -> f64 {
        let of = |one: &One| {
            let energy = one.now(motion.positions).energy(motion.positions);
            one.vertices.first().into_iter().for_each(|vertex| visit(*vertex, energy));
            energy
        };
        self.pulls.iter().map(of).sum()
    }

    fn energy_of_elements(&self, elements: &[u32], motion: StateView<'_>) -> f64 {
        let now = |element: &u32| self.pulls[*element as usize].now(motion.positions);
        elements.iter().map(|element| now(element).energy(motion.positions)).sum()
    }

    fn visit_elements(&self, visit: &mut dyn FnMut(&[VertexId])) {
        self.pulls.iter().for_each(|one| visit(&one.vertices));
    }

    fn visit_dense(&self, visit: &mut dyn FnMut(&[VertexId])) {
        for one in &self.pulls {
            if one.is_low_rank {
                one.vertices.chunks(1).for_each(&mut *visit);
            } else {
                visit(&one.vertices);
            }
        }
    }

    fn answers(&self) -> bool {
        true
    }

    fn add_tangent(
        &self,
        motion: StateView<'_>,
        tangent: Tangent,
        slots: &[Slot],
        matrix: &mut BlockMatrix,
    ) {
        let mut first = 0;
        for one in &self.pulls {
            let (now, count) = (one.now(motion.positions), one.vertices.len());
            if one.is_low_rank {
                let diagonal = tangent.stiffness * one.square;
                for (slot, member) in slots[first..].iter().zip(&one.cluster.members) {
                    let block = diagonal * member.weight * Mat3::IDENTITY;
                    slot.add(&block, 0, matrix.blocks_mut());
                }
                if tangent.stiffness != 0.0 {
                    now.fill_term(motion.positions, tangent.stiffness, matrix.add_term());
                }
                first += count;
                continue;
            }
            let blocks = matrix.blocks_mut();
            now.visit_blocks(motion.positions, &mut |i, j, block| {
                slots[first + i * count + j].add(&(tangent.stiffness * block), 0, blocks);
            });
            first += count * count;
        }
    }

    fn add_product(
        &self,
        motion: StateView<'_>,
        tangent: Tangent,
        x: &[Vec3],
        product: &mut [Vec3],
    ) {
        let mut term = LowRank::default();
        for one in &self.pulls {
            if one.is_low_rank {
                let now = one.now(motion.positions);
                now.fill_term(motion.positions, tangent.stiffness, &mut term);
                term.add_product(x, product);
                for Member { vertex, weight } in &one.cluster.members {
                    let diagonal = tangent.stiffness * one.square * weight;
                    product[vertex.index()] += diagonal * x[vertex.index()];
                }
                continue;
            }
            one.now(motion.positions).visit_blocks(motion.positions, &mut |i, j, block| {
                let [i, j] = [i, j].map(|k| one.vertices[k].index());
                product[i] += tangent.stiffness * (block * x[j]);
            });
        }
    }

    fn flow(&mut self, motion: StateView<'_>, dt: f64) {
        for one in self.pulls.iter_mut().filter(|one| one.cluster.is_plastic()) {
            let Match { rotation, deformation, .. } = one.cluster.find(motion.positions);
            if let Some(plastic) = one.cluster.flow(rotation.transpose() * deformation, dt) {
                one.cluster.reshape(plastic);
                one.prepare();
            }
        }
    }

    fn refusal(&self, _before: StateView<'_>, _after: StateView<'_>) -> Option<StepRejection> {
        None
    }

    fn save(&self, memory: &mut Snapshot) {
        for cluster in self.clusters().filter(|cluster| cluster.has_state()) {
            cluster.save(memory);
        }
    }

    fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        for one in self.pulls.iter_mut().filter(|one| one.cluster.has_state()) {
            one.cluster.restore(memory)?;
            one.prepare();
        }
        Ok(())
    }

    fn store(&self) -> Store {
        Store::Elastic
    }

    fn damps_linearly(&self) -> bool {
        true
    }

    fn set_threads(&mut self, _threads: usize, _vertex_count: usize) {}
}
