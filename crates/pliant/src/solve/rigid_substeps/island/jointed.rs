//! Islands with joints: a contact is borne by the whole articulation that it touches.
//!
//! The bodies of an articulation obey their joints after every impulse of a sweep, as each goes
//! through the response of the whole, and contacts see the mass of the whole. So sweeps lose
//! energy as those of free bodies do. Impulses of the substep before are kept as what they do to
//! each body alone, and joints are solved with them anew: the arms of joints have turned since.
//!
//! | here     | formula      | meaning                                                    |
//! |----------|--------------|------------------------------------------------------------|
//! | `before` | v + h a + W  | of each body, as if no joint held it                       |
//! | `fresh`  | Δ            | what changes of contact impulses do to each body alone     |
//! | `axes`   |              | the same of limits and motors                              |
//! | velocity | P(v + …)     | the nearest that obeys all joints                          |

use crate::body::rigid::RigidState;
use crate::math::{Mat3, Vec3};
use crate::solve::joint::articulation::Articulation;
use crate::solve::rigid_substeps::bodies::{JointedBodies, Owner};
use crate::solve::rigid_substeps::island::Island;
use crate::solve::rigid_substeps::patch::{Motion, Patch, SolverBody};

/// Share of the response of free sides that is added to that of jointed ones.
///
/// So there is an inverse where joints leave a patch no motion.
const FREE_SHARE: f64 = 1e-6;

/// Iterations over the limits and motors of an articulation.
const AXIS_ITERATIONS: usize = 20;

/// Change of an impulse relative to the largest below which these end.
const AXIS_TOLERANCE: f64 = 1e-9;

/// Articulations of an island.
#[derive(Debug, Default)]
pub(crate) struct Jointed {
    /// Their numbers in the step.
    pub numbers: Vec<u32>,
    pub all: Vec<Articulation>,
    /// Of each body.
    pub(super) owners: Vec<Option<Owner>>,
    /// Entry of each body of an articulation.
    entries: Vec<Vec<u32>>,
    /// Entry of each body chosen.
    pub(super) chosen: Vec<Vec<u32>>,
    /// Patches with a jointed side, and their response with free ones.
    patches: Vec<(u32, [[f64; 6]; 6])>,
    /// Which articulations have been measured anew.
    renewed: Vec<bool>,
    pub(super) fresh: Vec<Motion>,
    axes: Vec<Motion>,
    /// At the start of a substep.
    pub(super) starts: Vec<Motion>,
    /// Speeds of the axes of an articulation, and their response to each other.
    speeds: Vec<f64>,
    responses: Vec<f64>,
    /// Motion of all chosen bodies by a unit impulse at each axis.
    reaches: Vec<[f64; 6]>,
    /// Angular momentum that contacts have given, as they act where bodies were, kg·m²/s.
    pub(super) gained: Vec3,
    /// Which bodies a patch pushes.
    is_pushed: Vec<bool>,
    /// Impulses of axes before they are solved.
    old: Vec<f64>,
    /// Velocity and spin of the bodies of an articulation.
    motions: Vec<(Vec3, Vec3)>,
}

impl Jointed {
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.all.clear();
    }

    pub fn push(&mut self, number: u32, articulation: Articulation) {
        self.numbers.push(number);
        self.all.push(articulation);
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// What changes of contact impulses do to a jointed body alone; none for a free one.
    #[inline]
    pub(super) fn fresh(&self, body: usize) -> Option<&Motion> {
        if self.owners.is_empty() {
            return None;
        }
        self.owners[body].map(|_| &self.fresh[body])
    }

    /// Angular momentum that contacts have given, as they act where bodies were, kg·m²/s.
    pub(super) fn gained(&self) -> Vec3 {
        self.gained
    }

    /// Whether a body hangs in an articulation.
    pub(super) fn holds(&self, body: usize) -> bool {
        self.owners.get(body).is_some_and(Option::is_some)
    }
}

impl Island {
    /// State at the end of the step of a member that joints hold.
    pub fn end(&self, member: usize) -> Option<RigidState> {
        let Owner { articulation, body, .. } =
            self.jointed.owners.get(member).copied().flatten()?;
        Some(self.jointed.all[articulation as usize].states[body as usize])
    }

    /// Inverse mass of a side of a patch, 1/kg; where joints hold it, at most along the normal.
    pub(super) fn lightness(&self, patch: &Patch, side: usize) -> f64 {
        let own = self.bodies[side].inv_mass;
        match self.jointed.holds(side) {
            true => own.min(patch.k[0][0]),
            false => own,
        }
    }

    /// Begins a rebound: impulses so far are given.
    pub(super) fn begin_rebound(&mut self) {
        for (k, fresh) in self.jointed.fresh.iter_mut().enumerate() {
            if self.jointed.owners.get(k).is_some_and(Option::is_some) {
                self.before[k].linear += fresh.linear;
                self.before[k].angular += fresh.angular;
            } else if let Some(own) = self.jointed.owners.get(k).and(self.before.get_mut(k)) {
                *own = self.velocities[k];
            }
            *fresh = Motion::default();
        }
    }

    /// Ends it: all that hangs together takes part.
    pub(super) fn end_rebound(&mut self) {
        if self.jointed.is_empty() {
            return;
        }
        self.settle_joints();
        for k in 0..self.members.len() {
            let (own, before) = (self.velocities[k].linear, self.before[k].linear);
            let changed = self.jointed.fresh(k).map_or(own - before, |fresh| fresh.linear);
            if self.bodies[k].inv_mass > 0.0 {
                self.jointed.gained += self.masses[k].0 * self.paths[k].linear.cross(changed);
            }
        }
        for own in &mut self.jointed.all {
            own.note_impulses_again(self.length);
        }
    }

    /// Notes who hangs where; the bodies and patches are loaded.
    pub(super) fn load_joints(&mut self) {
        let jointed = &mut self.jointed;
        jointed.owners.clear();
        jointed.fresh.clear();
        if jointed.all.is_empty() {
            return;
        }
        let count = self.bodies.len();
        jointed.owners.resize(count, None);
        for lists in [&mut jointed.entries, &mut jointed.chosen] {
            lists.resize_with(lists.len().max(jointed.all.len()), Vec::new);
        }
        for list in [&mut jointed.fresh, &mut jointed.axes, &mut jointed.starts] {
            list.clear();
            list.resize(count, Motion::default());
        }
        jointed.gained = Vec3::ZERO;
        let is_pushed = &mut jointed.is_pushed;
        is_pushed.clear();
        is_pushed.resize(count, false);
        for patch in self.tree.parts().iter().flat_map(|part| &part.patches) {
            patch.sides.iter().for_each(|side| is_pushed[*side as usize] = true);
        }
        for (number, own) in jointed.all.iter_mut().enumerate() {
            let entry = |body| {
                let place = self.members.binary_search(body);
                debug_assert!(place.is_ok(), "{body:?} hangs in an articulation of another island");
                place.unwrap_or(count - 1) as u32
            };
            let (entries, chosen) = (&mut jointed.entries[number], &mut jointed.chosen[number]);
            entries.clear();
            entries.extend(own.ids.iter().map(entry));
            own.choose(|body| is_pushed[entries[body] as usize]);
            for (body, at) in entries.iter().enumerate() {
                let chosen = own.response.chosen.binary_search(&body).ok().map(|k| k as u32);
                let owner = Owner { articulation: number as u32, body: body as u32, chosen };
                jointed.owners[*at as usize] = Some(owner);
                own.held[body] = self.bodies[*at as usize].inv_mass == 0.0;
            }
            chosen.clear();
            chosen.extend(own.response.chosen.iter().map(|body| entries[*body]));
        }
        jointed.patches.clear();
        let patches = self.tree.parts().iter().flat_map(|part| &part.patches);
        for (number, patch) in patches.enumerate() {
            if patch.sides.iter().any(|side| jointed.holds(*side as usize)) {
                jointed.patches.push((number as u32, patch.k));
            }
        }
        self.measure_joints(0.0, 0.0);
    }

    /// Measures joints where bodies are now, and what patches do by them.
    fn measure_joints(&mut self, elapsed: f64, length: f64) {
        let jointed = &mut self.jointed;
        jointed.renewed.clear();
        for (own, entries) in jointed.all.iter_mut().zip(&jointed.entries) {
            let is_new = own.measure(elapsed, length);
            jointed.renewed.push(is_new);
            for (k, at) in entries.iter().enumerate().filter(|_| is_new) {
                let (body, held) = (&mut self.bodies[*at as usize], own.held[k]);
                self.masses[*at as usize].1 = own.inertias[k];
                if !held {
                    body.inv_inertia = own.inverse_inertia(k);
                }
            }
        }
        // An island with joints is one part.
        let Some(part) = self.tree.parts_mut().first_mut() else { return };
        for (number, free) in &jointed.patches {
            let patch = &mut part.patches[*number as usize];
            let owners = patch.sides.map(|side| jointed.owners[side as usize]);
            let is_new = |owner: &Owner| jointed.renewed[owner.articulation as usize];
            if owners.iter().flatten().any(is_new) {
                let k = response(patch, &self.bodies, owners, &jointed.all);
                let k = std::array::from_fn(|i| {
                    std::array::from_fn(|j| k[i][j] + FREE_SHARE * free[i][j])
                });
                patch.refill(k);
            }
        }
    }

    /// Begins a substep of the jointed bodies; velocities are those of the substep before.
    pub(super) fn start_joints(&mut self, substep: usize) {
        if self.jointed.is_empty() {
            return;
        }
        for (own, entries) in self.jointed.all.iter_mut().zip(&self.jointed.entries) {
            for (state, at) in own.states.iter_mut().zip(entries) {
                let Motion { linear, angular } = &mut self.velocities[*at as usize];
                match substep {
                    0 => (state.velocity, state.spin) = (*linear, *angular),
                    _ => (*linear, *angular) = (state.velocity, state.spin),
                }
            }
        }
        self.measure_joints(substep as f64 * self.length, self.length);
        let jointed = &mut self.jointed;
        for (own, entries) in jointed.all.iter_mut().zip(&jointed.entries) {
            own.slow();
            own.look_ahead(self.length);
            for (state, at) in own.states.iter().zip(entries) {
                self.velocities[*at as usize].angular = state.spin;
            }
        }
        jointed.starts.copy_from_slice(&self.velocities);
        jointed.fresh.fill(Motion::default());
        jointed.axes.fill(Motion::default());
    }

    /// Applies the axes' impulses of the substep before; `before` holds all others.
    pub(super) fn load_axes(&mut self) {
        let jointed = &mut self.jointed;
        for (own, entries) in jointed.all.iter().zip(&jointed.entries) {
            for axis in &own.axis_rows {
                for (end, body) in axis.bodies.iter().enumerate() {
                    let Some(at) = body.map(|body| entries[body] as usize) else { continue };
                    let ([force, moment], body) = (axis.wrench(end), &self.bodies[at]);
                    jointed.axes[at].linear += (axis.impulse * body.inv_mass) * force;
                    jointed.axes[at].angular += axis.impulse * (body.inv_inertia * moment);
                }
            }
        }
    }

    /// Gives the jointed bodies the velocities that obey their joints.
    pub(super) fn settle_joints(&mut self) {
        let jointed = &mut self.jointed;
        for (own, entries) in jointed.all.iter_mut().zip(&jointed.entries) {
            for (state, at) in own.states.iter_mut().zip(entries) {
                let at = *at as usize;
                let (base, fresh, axes) = (&self.before[at], &jointed.fresh[at], &jointed.axes[at]);
                state.velocity = base.linear + fresh.linear + axes.linear;
                state.spin = base.angular + fresh.angular + axes.angular;
            }
            own.project();
            for (state, at) in own.states.iter().zip(entries) {
                let linear = state.velocity;
                self.velocities[*at as usize] = Motion { linear, angular: state.spin };
            }
        }
    }

    /// Work of joints in the present substep, J.
    pub(super) fn joint_work(&self) -> f64 {
        self.jointed.all.iter().map(Articulation::work).sum()
    }

    /// Ends a substep of the jointed bodies: keeps impulses, and moves them on.
    pub(super) fn end_joints(&mut self) {
        let jointed = &mut self.jointed;
        if jointed.is_empty() {
            return;
        }
        for (at, warm) in self.warm.iter().enumerate().take(self.masses.len()) {
            if self.bodies[at].inv_mass > 0.0 {
                // Contacts act at arms of the start of the step.
                let path = self.paths[at].linear - self.length * self.velocities[at].linear;
                jointed.gained += self.masses[at].0 * path.cross(warm.linear);
            }
        }
        for own in &mut jointed.all {
            own.note_impulses(self.length);
            own.advance(self.length);
        }
    }

    /// Sweeps limits and motors, those of an articulation until none changes.
    pub(super) fn sweep_axes(&mut self) {
        for number in 0..self.jointed.all.len() {
            if !self.jointed.all[number].axis_rows.is_empty() {
                self.load_axis_system(number);
                self.relax_axes(number);
            }
        }
    }

    /// Speeds and responses of the axes of an articulation.
    fn load_axis_system(&mut self, number: usize) {
        let jointed = &mut self.jointed;
        let (own, chosen) = (&jointed.all[number], &jointed.chosen[number]);
        let place = |body: usize| own.response.chosen.binary_search(&body).ok();
        jointed.speeds.clear();
        jointed.responses.clear();
        jointed.reaches.clear();
        let count = chosen.len();
        for axis in &own.axis_rows {
            let from = jointed.reaches.len();
            jointed.reaches.resize(from + count, [0.0; 6]);
            let mut speed = 0.0;
            for (end, body) in axis.bodies.iter().enumerate() {
                let Some(source) = body.and_then(place) else { continue };
                let [along, turn] = axis.wrench(end);
                let Motion { linear, angular } = &self.velocities[chosen[source] as usize];
                speed += along.dot(*linear) + turn.dot(*angular);
                let wrench = [along.x, along.y, along.z, turn.x, turn.y, turn.z];
                for target in 0..count {
                    let block = own.response.block(source, target);
                    let reach = &mut jointed.reaches[from + target];
                    for (column, value) in block.chunks_exact(6).zip(wrench) {
                        reach.iter_mut().zip(column).for_each(|(own, part)| *own += part * value);
                    }
                }
            }
            jointed.speeds.push(speed);
        }
        for axis in &own.axis_rows {
            for source in 0..own.axis_rows.len() {
                let reach = &jointed.reaches[source * count..][..count];
                let mut answer = 0.0;
                for (end, body) in axis.bodies.iter().enumerate() {
                    let Some(target) = body.and_then(place) else { continue };
                    let [along, turn] = axis.wrench(end);
                    let [a, b, c, d, e, f] = reach[target];
                    answer += along.dot(Vec3::new(a, b, c)) + turn.dot(Vec3::new(d, e, f));
                }
                jointed.responses.push(answer);
            }
        }
    }

    /// Solves the axes of an articulation, and applies the change of their impulses.
    fn relax_axes(&mut self, number: usize) {
        let jointed = &mut self.jointed;
        let own = &mut jointed.all[number];
        let count = own.axis_rows.len();
        let old = &mut jointed.old;
        old.clear();
        old.extend(own.axis_rows.iter().map(|axis| axis.impulse));
        for _ in 0..AXIS_ITERATIONS {
            let (mut changed, mut largest) = (0.0_f64, 0.0_f64);
            for k in (0..count).chain((0..count).rev()) {
                let answer = jointed.responses[k * count + k];
                if answer <= 0.0 || answer.is_nan() {
                    continue;
                }
                let axis = &mut own.axis_rows[k];
                let impulse = axis.relaxed(jointed.speeds[k], answer);
                let change = impulse - axis.impulse;
                axis.impulse = impulse;
                for (target, speed) in jointed.speeds.iter_mut().enumerate() {
                    *speed += jointed.responses[target * count + k] * change;
                }
                changed = changed.max(change.abs() * answer.sqrt());
                largest = largest.max(impulse.abs() * answer.sqrt());
            }
            if changed <= AXIS_TOLERANCE * largest {
                break;
            }
        }
        let (chosen, entries) = (&jointed.chosen[number], &jointed.entries[number]);
        for (k, (axis, old)) in own.axis_rows.iter().zip(&*old).enumerate() {
            let change = axis.impulse - old;
            if change == 0.0 {
                continue;
            }
            let reach = &jointed.reaches[k * chosen.len()..][..chosen.len()];
            for ([a, b, c, d, e, f], at) in reach.iter().zip(chosen) {
                let motion = &mut self.velocities[*at as usize];
                motion.linear += change * Vec3::new(*a, *b, *c);
                motion.angular += change * Vec3::new(*d, *e, *f);
            }
            for (end, body) in axis.bodies.iter().enumerate() {
                let Some(at) = body.map(|body| entries[body] as usize) else { continue };
                let ([force, moment], body) = (axis.wrench(end), &self.bodies[at]);
                jointed.axes[at].linear += (change * body.inv_mass) * force;
                jointed.axes[at].angular += change * (body.inv_inertia * moment);
            }
        }
    }

    /// Takes the velocities of the end, after all substeps and what came after them.
    pub(super) fn finish_joints(&mut self) {
        for (own, entries) in self.jointed.all.iter_mut().zip(&self.jointed.entries) {
            for (body, at) in entries.iter().enumerate() {
                let Motion { linear, angular } = self.velocities[*at as usize];
                own.end(body, linear, angular);
            }
        }
    }

    /// Shifts all bodies of articulations by what contacts shift some of them.
    ///
    /// `before` holds the shifts of free bodies; joints stay together.
    pub(super) fn shift_joints(&mut self) {
        let jointed = &mut self.jointed;
        for (own, entries) in jointed.all.iter_mut().zip(&jointed.entries) {
            let motions = &mut jointed.motions;
            motions.clear();
            motions.extend(own.states.iter().map(|state| (state.velocity, state.spin)));
            for (state, at) in own.states.iter_mut().zip(entries) {
                let Motion { linear, angular } = jointed.fresh[*at as usize];
                (state.velocity, state.spin) = (linear, angular);
            }
            own.project_shift();
            for (body, at) in entries.iter().enumerate() {
                let RigidState { velocity: linear, spin: angular, .. } = own.states[body];
                self.before[*at as usize] = Motion { linear, angular };
                own.shift(body, linear, angular);
                (own.states[body].velocity, own.states[body].spin) = motions[body];
            }
        }
    }
}

impl<'a> JointedBodies<'a> {
    /// Bodies of an island with joints, as its patches push them.
    pub fn of(
        jointed: &'a mut Jointed,
        bodies: &'a [SolverBody],
        motions: &'a mut [Motion],
    ) -> JointedBodies<'a> {
        let Jointed { fresh, owners, all, chosen, .. } = jointed;
        JointedBodies { bodies, motions, fresh, owners, articulations: all, chosen }
    }
}

/// Relative motion of the sides of a patch per wrench, where joints hold some of them.
fn response(
    patch: &Patch,
    bodies: &[SolverBody],
    owners: [Option<Owner>; 2],
    all: &[Articulation],
) -> [[f64; 6]; 6] {
    let (normal, [t1, t2]) = (patch.normal, patch.tangents);
    let zero = Vec3::ZERO;
    let wrenches = patch.arms.map(|arm| {
        let pairs = [
            (normal, arm.cross(normal)),
            (zero, t1),
            (zero, t2),
            (t1, arm.cross(t1)),
            (t2, arm.cross(t2)),
            (zero, normal),
        ];
        pairs.map(|(f, m)| [f.x, f.y, f.z, m.x, m.y, m.z])
    });
    let mut k = [[0.0; 6]; 6];
    for source in 0..2 {
        for target in 0..2 {
            let block = match (owners[source], owners[target]) {
                (None, None) if source == target => own_block(
                    bodies[patch.sides[source] as usize].inv_mass,
                    bodies[patch.sides[source] as usize].inv_inertia,
                ),
                (Some(a), Some(b)) if a.articulation == b.articulation => {
                    let response = &all[a.articulation as usize].response;
                    match (a.chosen, b.chosen) {
                        (Some(a), Some(b)) => {
                            let mut block = [0.0; 36];
                            block.copy_from_slice(response.block(a as usize, b as usize));
                            block
                        }
                        _ => continue,
                    }
                }
                _ => continue,
            };
            let sign = if source == target { 1.0 } else { -1.0 };
            for (j, wrench) in wrenches[source].iter().enumerate() {
                let mut moved = [0.0; 6];
                for (column, value) in block.chunks_exact(6).zip(wrench) {
                    moved.iter_mut().zip(column).for_each(|(own, part)| *own += part * value);
                }
                for (i, row) in wrenches[target].iter().enumerate() {
                    let along: f64 = row.iter().zip(&moved).map(|(a, b)| a * b).sum();
                    k[i][j] += sign * along;
                }
            }
        }
    }
    std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (k[i][j] + k[j][i])))
}

/// Response of a free body, by columns.
fn own_block(inv_mass: f64, inv_inertia: Mat3) -> [f64; 36] {
    let inertia = inv_inertia.to_cols_array();
    let mut block = [0.0; 36];
    for k in 0..3 {
        block[k * 6 + k] = inv_mass;
        for row in 0..3 {
            block[(k + 3) * 6 + row + 3] = inertia[k * 3 + row];
        }
    }
    block
}
