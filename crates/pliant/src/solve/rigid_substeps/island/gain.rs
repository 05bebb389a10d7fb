//! Substeps without energy from nowhere: what contacts put in is summed, swept out, and taken from
//! the velocities where sweeps leave some.
//!
//! | here    | formula | meaning                                             |
//! |---------|---------|-----------------------------------------------------|
//! | `start` | K₀      | energy of motion when the substep began, J          |
//! | `now`   | K       | the same after its sweeps, J                        |
//! | `work`  | W       | what forces put in during the substep, J            |
//! | `share` | s       | of the velocities that is kept                      |

use crate::math::Mat3;
use crate::solve::joint::articulation::Articulation;
use crate::solve::rigid_substeps::island::part::Part;
use crate::solve::rigid_substeps::island::{FIRST, Island};
use crate::solve::rigid_substeps::patch::{Motion, Patch, PatchImpulse};

/// Pairs of sweeps at most that are added to a substep in which energy would appear.
const ADDED: usize = 12;

/// Energy that a step may gain, over that of its motion, and over that of a fall through a substep.
const GAIN: [f64; 2] = [1e-7, 0.005];

/// Energy of motion, over that of a fall through a substep, of what can do without the impulses of
/// the substep before; slower stacks would fall.
const FAST: f64 = 100.0;

impl Island {
    /// Begins the balance of a step, whose pushes and patches are known.
    pub(super) fn begin_balance(&mut self) {
        let ground = self.members.len() as u32;
        self.is_driven = self.is_driven();
        let is_stacked = self.patches().any(|patch| patch.sides[1] != ground);
        self.is_stacked = is_stacked;
        self.balance = 0.0;
        let falls =
            self.movable().map(|(k, mass, _)| mass * self.pushes[k].linear.length_squared());
        self.fall = 0.5 * falls.sum::<f64>();
    }

    /// Adds pairs of sweeps while contacts put energy in; gives what they put in at last, J.
    ///
    /// With the change of velocity Δ that impulses p and forces make in a substep, and the speeds
    /// u of contacts after it, the energy of motion and of the forces together changes by
    /// p · u − ½ Δ · M Δ. Solved contacts have p · u ≤ 0; impulses of the substep before that are
    /// not yet undone may not: where some pairs do not suffice, those of fast bodies are
    /// dropped. A stack that moves by less than a fall through a substep, and what only sticks,
    /// is coming to rest by the damping of single pairs, which others would disturb.
    pub(super) fn sweep_out_gain(&mut self, elapsed: f64) -> f64 {
        let slips = |part: &Part| part.slipped.contains(&true);
        let may_rest = self.is_stacked || !self.parts().iter().any(slips);
        if self.is_driven || may_rest && self.is_slow() {
            return 0.0;
        }
        let start = self.start_energy();
        let fall = self.fall;
        let mut added = 0;
        loop {
            let [now, mut work] = self.now_and_work();
            if !self.jointed.is_empty() {
                work += self.joint_work();
            }
            let gain = now - start - work;
            let is_resting = now <= fall && may_rest;
            let is_little = self.balance + gain <= self.little(now);
            let most = if now > FAST * fall { ADDED + 1 } else { ADDED };
            if is_resting || is_little || added == most {
                return gain;
            }
            let pairs = if added < ADDED { 1 } else { FIRST };
            if added == ADDED {
                self.drop_warm_start();
            }
            for _ in 0..pairs {
                self.sweep_pair(elapsed);
            }
            added += 1;
        }
    }

    /// Energy of motion when the substep began, J.
    fn start_energy(&mut self) -> f64 {
        let [twice, _] = self.sum(|own, k, [twice, _]| {
            let [before, warm, push] = [&own.before[k], &own.warm[k], &own.pushes[k]];
            let start = match own.jointed.holds(k) {
                true => own.jointed.starts[k],
                false => Motion {
                    linear: before.linear - warm.linear - push.linear,
                    angular: before.angular - warm.angular - push.angular,
                },
            };
            *twice += own.kinetic(k, &start);
        });
        0.5 * twice
    }

    /// Energy of motion now, and what forces put in during the substep, J.
    fn now_and_work(&mut self) -> [f64; 2] {
        let [twice, work] = self.sum(|own, k, [twice, work]| {
            let (mass, inertia) = &own.masses[k];
            let (push, velocity) = (&own.pushes[k], &own.velocities[k]);
            *work += mass * push.linear.dot(velocity.linear);
            *work += push.angular.dot(*inertia * velocity.angular);
            *twice += own.kinetic(k, velocity);
        });
        [0.5 * twice, work]
    }

    /// Energy that a step may gain, which ends with so much energy of motion, J.
    fn little(&self, now: f64) -> f64 {
        GAIN[0] * now + GAIN[1] * self.fall
    }

    /// Share of the velocities that an island keeps, so that contacts put no energy into it.
    ///
    /// Sweeps end before impulses of the substep before are undone, and what rests or hardly moves
    /// is not swept on. Where all velocities have the share s of what they are, the gain is
    /// s² K − s W − K₀, with the energies of motion K and K₀, now and before, and the work W of
    /// forces. Only of islands that lie on what is still: that takes the momentum, and no contact
    /// closes faster than it may. Others keep all, and count `gain`.
    pub(super) fn brake(&mut self, gain: f64) -> f64 {
        if self.is_driven || !self.jointed.is_empty() {
            self.balance += gain;
            return 1.0;
        }
        let start = self.start_energy();
        let [now, work] = self.now_and_work();
        // What was gained before it lay on anything is not taken back.
        let allowed = (self.little(now) - self.balance).max(0.0);
        if now - start - work <= allowed || now <= 0.0 || !self.lies() {
            self.balance += now - start - work;
            return 1.0;
        }
        let room = (start + allowed).max(0.0);
        let share = (work + (work * work + 4.0 * now * room).sqrt()) / (2.0 * now);
        let share = share.clamp(0.0, 1.0);
        self.balance += share * (share * now - work) - start;
        for (k, rested) in self.rested.iter_mut().enumerate() {
            if self.bodies[k].inv_mass > 0.0 {
                *rested -= (1.0 - share) / self.bodies[k].inv_mass * self.velocities[k].linear;
            }
        }
        share
    }

    /// Whether any contact presses on what cannot move.
    fn lies(&self) -> bool {
        let is_fixed = |side: u32| self.bodies[side as usize].inv_mass == 0.0;
        let presses = |patch: &Patch| patch.impulse.pressure() > 0.0;
        self.patches().any(|patch| patch.sides.into_iter().any(is_fixed) && presses(patch))
    }

    /// Begins a substep again without impulses of the one before.
    fn drop_warm_start(&mut self) {
        self.tree.each(self.threads, |part| {
            part.patches.iter_mut().for_each(|patch| patch.impulse = PatchImpulse::default());
        });
        for ((own, before), warm) in
            self.velocities.iter_mut().zip(&mut self.before).zip(&mut self.warm)
        {
            before.linear -= warm.linear;
            before.angular -= warm.angular;
            (*own, *warm) = (*before, Motion::default());
        }
        self.jointed.fresh.fill(Motion::default());
        self.settle_joints();
    }

    /// Whether all that moves has less energy than a fall through a substep gives, surely.
    fn is_slow(&mut self) -> bool {
        let [twice, _] = self.sum(|own, k, [twice, _]| {
            let (mass, inertia) = &own.masses[k];
            let Motion { linear, angular } = &own.velocities[k];
            let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
            *twice += mass * linear.length_squared() + trace * angular.length_squared();
        });
        0.5 * twice <= self.fall
    }

    /// Twice the kinetic energy of a member, J, if it moved so.
    fn kinetic(&self, k: usize, Motion { linear, angular }: &Motion) -> f64 {
        let (mass, inertia) = &self.masses[k];
        mass * linear.length_squared() + angular.dot(*inertia * *angular)
    }

    /// Two sums over all members that are not held, part by part, to which `add` adds each.
    fn sum(&mut self, add: impl Fn(&Island, usize, &mut [f64; 2]) + Sync + Send) -> [f64; 2] {
        let mut tree = std::mem::take(&mut self.tree);
        let own = &*self;
        tree.each(self.pass_threads, |part| {
            let bodies = if part.is_leaf() { part.bodies.clone() } else { 0..0 };
            part.sums = [0.0; 2];
            for k in bodies.filter(|k| own.bodies[*k].inv_mass > 0.0) {
                add(own, k, &mut part.sums);
            }
        });
        let sums = tree.parts().iter().fold([0.0; 2], |[a, b], part| {
            let [own_a, own_b] = part.sums;
            [a + own_a, b + own_b]
        });
        self.tree = tree;
        sums
    }

    /// Number, mass and inertia of each member that is not held.
    fn movable(&self) -> impl Iterator<Item = (usize, f64, &Mat3)> {
        let own = self.masses.iter().zip(&self.bodies).enumerate();
        let free = own.filter(|(_, (_, body))| body.inv_mass > 0.0);
        free.map(|(k, ((mass, inertia), _))| (k, *mass, inertia))
    }

    fn is_driven(&self) -> bool {
        let mut held = self.bodies.iter().zip(&self.velocities);
        held.any(|(body, own)| body.inv_mass == 0.0 && *own != Motion::default())
            || !self.patches().all(Patch::is_still)
            || self.jointed.all.iter().any(Articulation::is_driven)
    }
}
