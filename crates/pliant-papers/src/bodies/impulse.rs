//! Impulses between bodies: overlap after a step is resolved at once.
//!
//! Every penetrating vertex meets the point of the surface where its way out leaves. Both
//! get the same impulse in opposite directions, the surface in shares of the triangle's
//! corners, and are moved apart the same way, lighter ones farther.
//!
//! | here          | lecture | meaning                                                 |
//! |---------------|---------|---------------------------------------------------------|
//! | `direction`   | N       | unit way out                                            |
//! | `inv_mass`        | K       | 1/m + Σ sᵢ²/mᵢ of what is free, s the shares, 1/kg      |
//! | `approach`    | −v·N    | speed of the vertex towards the point, m/s              |
//! | `sliding`     | v_T     | velocity across the way out, seen from the point, m/s   |
//! | `restitution` | μ_N     | share of the approach that comes back                   |
//! | `friction`    | μ_T     | Coulomb's coefficient                                   |
//!
//! Vertices are particles, so K is a number and not a matrix: the impulse that ends the
//! approach ends nothing else, and no impulse here adds to the kinetic energy.

use crate::bodies::Kind;
use crate::bodies::penalty_pairs::{PenaltyForce, PenaltyForces, Ways};
use pliant::body::Bodies;
use pliant::body::soft::StateView;
use pliant::contact::friction::friction;
use pliant::contact::output::{ContactOutput, ContactStats};
use pliant::contact::response::refuse_unsound;
use pliant::contact::response::{Response, ResponseError, StepContext};
use pliant::depth::DepthSettings;
use pliant::depth::fused::Scratch;
use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::mesh::normals::Normals;
use pliant::profile::{Stage, StageTimer};

/// Settings of impulses between bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyImpulseSettings {
    /// What gives the way out.
    pub kind: Kind,
    /// How directions are computed; only the scope matters to [`Kind::Closest`].
    pub depth: DepthSettings,
    /// Share of the approach that comes back; from 0 to 1.
    pub restitution: f64,
    /// Coulomb's coefficient; at least 0.
    pub friction: f64,
    /// Share of the way out that is made at once; from 0 to 1.
    pub shift: f64,
    /// Times that all contacts act, each on what the others have left; at least 1.
    ///
    /// A contact that has come to rest is set in motion again by those that share its corners.
    /// Of three balls that overlap, moving at random, 5 % of the impulses are lacking after
    /// one sweep, 0.08 % after two and 4e-6 after four. Momentum and energy need no sweeps,
    /// and what is left of the approach the next step sees.
    pub sweeps: usize,
}

impl Default for BodyImpulseSettings {
    /// The lecture's: out at once. No restitution, friction 0.3, four sweeps.
    ///
    /// With face normals: where interpolated ones lead out of a flat face aslant (erratum H17),
    /// the shifts strain. Cubes of two cells a side that met at 2 m/s then had 1.5 times the
    /// energy they came with, and 0.77 of it with face normals.
    fn default() -> BodyImpulseSettings {
        BodyImpulseSettings {
            kind: Kind::Consistent,
            depth: DepthSettings { normals: Normals::Face, ..DepthSettings::default() },
            restitution: 0.0,
            friction: 0.3,
            shift: 1.0,
            sweeps: 4,
        }
    }
}

impl BodyImpulseSettings {
    fn check(&self) -> Result<(), ResponseError> {
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let (friction, exponent) = (self.friction, self.depth.exponent);
        let rubs = friction >= 0.0 && friction.is_finite();
        let weighs = exponent > 0.0 && exponent.is_finite();
        let list = [
            ("restitution", self.restitution, share(self.restitution), "from 0 to 1"),
            ("friction", friction, rubs, "at least 0 and finite"),
            ("shift", self.shift, share(self.shift), "from 0 to 1"),
            ("exponent", exponent, weighs, "positive and finite"),
            ("number of sweeps", self.sweeps as f64, self.sweeps > 0, "at least 1"),
        ];
        refuse_unsound("bodily impulse", &list)
    }
}

/// What the shifts of one step changed that impulses would have kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Changed {
    /// Longest way of a vertex, m.
    pub longest: f64,
    /// Angular momentum about the origin, kg·m²/s.
    pub angular: Vec3,
}

/// Impulses between bodies.
///
/// Acts after the step on vertices inside other bodies. Contacts act one after the other, in
/// the order of their vertices, each on the velocities that the others have left, several
/// times: each takes kinetic energy or leaves it, so the sum does, and each keeps momentum and
/// Coulomb's cone, so the sum does. Restitution is that of each single meeting: of many that
/// share corners some are met again, and more than their share comes back.
///
/// Impulses along the way out lie on one line with their reaction and turn nothing; those of
/// friction turn by the way out times their size. Shifts keep the centre of mass; what else they
/// change is in [`BodyImpulses::changed`]. They strain the bodies: in deep overlap a shift
/// is energy that comes back later, as with any penalty. Pinned vertices have infinite mass.
/// Bodies that cross with no vertex inside feel nothing (erratum H14).
///
/// Has no state that later steps depend on, and allocates nothing once warm.
///
/// - Implements: [Wang21 slide "Impulse Method"], between two bodies that both give way.
/// - Deviates: friction bounded on the impulse, see [`friction`]; sliding that friction ends is
///   taken back from the positions for the time since the surface was passed.
#[derive(Debug)]
pub struct BodyImpulses {
    settings: BodyImpulseSettings,
    scratch: Scratch,
    ways: Ways,
    pushes: PenaltyForces,
    given: Given,
    touched: Vec<VertexId>,
    changed: Changed,
}

/// Impulses and shifts of vertices so far.
#[derive(Debug, Default)]
struct Given {
    /// Inverse masses, 1/kg; 0 for pinned ones.
    inv_masses: Vec<f64>,
    /// N·s.
    impulses: Vec<Vec3>,
    /// m.
    shifts: Vec<Vec3>,
}

impl BodyImpulses {
    /// Prepares for a scene; `rest` decides how its surfaces are put into trees.
    pub fn new(
        rest: &[Vec3],
        bodies: &Bodies,
        settings: BodyImpulseSettings,
    ) -> Result<BodyImpulses, ResponseError> {
        settings.check()?;
        Ok(BodyImpulses {
            settings,
            scratch: Scratch::new(rest, bodies)?,
            ways: Ways::new(settings.kind, rest, bodies)?,
            pushes: PenaltyForces::default(),
            given: Given::default(),
            touched: Vec::new(),
            changed: Changed::default(),
        })
    }

    /// What the shifts of the last step changed.
    pub fn changed(&self) -> Changed {
        self.changed
    }

    /// Fills `given`; returns how many contacts acted.
    fn meet(&mut self, context: StepContext<'_>) -> usize {
        let BodyImpulses { settings, pushes, given, .. } = self;
        let StepContext { motion, dt, .. } = context;
        given.start(context);
        let mut contacts = 0;
        for sweep in 0..settings.sweeps {
            let mut acting = 0;
            for push in &pushes.list {
                let contact = Meeting { push, terms: pushes.terms(push) };
                acting += usize::from(contact.collide(motion, settings, dt, given));
            }
            contacts = if sweep == 0 { acting } else { contacts };
            if acting == 0 {
                break;
            }
        }
        for _ in 0..settings.sweeps {
            for push in &pushes.list {
                Meeting { push, terms: pushes.terms(push) }.part(motion, settings.shift, given);
            }
        }
        contacts
    }

    /// Collects the affected vertices, ascending, and what the shifts change.
    fn account(&mut self, context: StepContext<'_>) {
        let BodyImpulses { pushes, given, touched, changed, .. } = self;
        touched.clear();
        for push in &pushes.list {
            touched.push(push.vertex);
            touched.extend(pushes.terms(push).iter().map(|(vertex, _)| *vertex));
        }
        touched.sort_unstable();
        touched.dedup();
        *changed = Changed::default();
        for vertex in &*touched {
            let (k, shift) = (vertex.index(), given.shifts[vertex.index()]);
            let momentum =
                context.masses.of()[k] * context.motion.velocities[k] + given.impulses[k];
            changed.longest = changed.longest.max(shift.length());
            changed.angular += shift.cross(momentum);
        }
    }
}

impl Response for BodyImpulses {
    fn post_step(&mut self, context: StepContext<'_>, output: &mut ContactOutput) {
        let StepContext { bodies, motion, profiler, .. } = context;
        {
            let _timer = StageTimer::new(profiler, Stage::Depth);
            let BodyImpulses { settings, ways, scratch, pushes, .. } = self;
            let found = ways.find(motion.positions, bodies, settings.depth, scratch, pushes);
            if let Err(error) = found {
                output.failure = Some(error.into());
                return;
            }
        }
        let _timer = StageTimer::new(profiler, Stage::Contact);
        let contacts = self.meet(context);
        self.account(context);
        for &vertex in &self.touched {
            let (impulse, shift) =
                (self.given.impulses[vertex.index()], self.given.shifts[vertex.index()]);
            if impulse != Vec3::ZERO {
                output.impulses.push((vertex, impulse));
            }
            if shift != Vec3::ZERO {
                output.shifts.push((vertex, shift));
            }
        }
        let unresolved = self.pushes.unresolved;
        output.stats.add(ContactStats { contacts, unresolved, shift: self.changed.longest });
    }

    fn set_threads(&mut self, threads: usize) {
        self.scratch.set_threads(threads);
    }
}

impl Given {
    fn start(&mut self, StepContext { masses, pins, .. }: StepContext<'_>) {
        let Given { inv_masses, impulses, shifts } = self;
        inv_masses.clear();
        inv_masses.extend(masses.of().iter().map(|mass| mass.recip()));
        pins.vertices().iter().for_each(|vertex| inv_masses[vertex.index()] = 0.0);
        for list in [impulses, shifts] {
            list.clear();
            list.resize(masses.of().len(), Vec3::ZERO);
        }
    }
}

/// A vertex and the point of a surface that it must pass.
#[derive(Clone, Copy)]
struct Meeting<'a> {
    push: &'a PenaltyForce,
    terms: &'a [(VertexId, f64)],
}

impl Meeting<'_> {
    /// Both sides with signed weights: the vertex has 1, the surface −1 in all.
    fn weights(self) -> impl Iterator<Item = (usize, f64)> {
        let surface = self.terms.iter().map(|(vertex, share)| (vertex.index(), -share));
        std::iter::once((self.push.vertex.index(), 1.0)).chain(surface)
    }

    /// A quantity of the vertex relative to that of the point.
    fn relative(self, of: impl Fn(usize) -> Vec3) -> Vec3 {
        self.weights().map(|(k, weight)| weight * of(k)).sum()
    }

    /// Inverse effective mass, 1/kg; 0 where all are pinned.
    fn inv_mass(self, given: &Given) -> f64 {
        self.weights().map(|(k, weight)| weight * weight * given.inv_masses[k]).sum()
    }

    /// Way out that is left, m.
    fn left(self, motion: StateView<'_>, given: &Given) -> f64 {
        let apart = self.relative(|k| motion.positions[k] + given.shifts[k]);
        -apart.dot(self.push.penetration.direction)
    }

    /// Ends the approach, with restitution and friction; returns whether there was one.
    fn collide(
        self,
        motion: StateView<'_>,
        settings: &BodyImpulseSettings,
        dt: f64,
        given: &mut Given,
    ) -> bool {
        let inv_mass = self.inv_mass(given);
        let relative =
            self.relative(|k| motion.velocities[k] + given.inv_masses[k] * given.impulses[k]);
        let direction = self.push.penetration.direction;
        let approach = -relative.dot(direction);
        // NaN fails as well.
        if !(inv_mass > 0.0 && approach > 0.0) {
            return false;
        }
        let pressing = (1.0 + settings.restitution) * approach / inv_mass;
        let sliding = relative + approach * direction;
        let rubbing = friction(-sliding / inv_mass, pressing, settings.friction);
        let inside_for = (self.left(motion, given).max(0.0) / approach).min(dt);
        let impulse = pressing * direction + rubbing;
        for (k, weight) in self.weights().filter(|(k, _)| given.inv_masses[*k] > 0.0) {
            given.impulses[k] += weight * impulse;
            given.shifts[k] += weight * given.inv_masses[k] * inside_for * rubbing;
        }
        true
    }

    /// Moves both sides apart, by a share of the way out.
    fn part(self, motion: StateView<'_>, share: f64, given: &mut Given) {
        let inv_mass = self.inv_mass(given);
        let direction = self.push.penetration.direction;
        let whole = -self.relative(|k| motion.positions[k]).dot(direction);
        let lacking = self.left(motion, given) - (1.0 - share) * whole;
        if inv_mass > 0.0 && whole > 0.0 && lacking > 0.0 {
            for (k, weight) in self.weights() {
                given.shifts[k] += weight * given.inv_masses[k] * (lacking / inv_mass) * direction;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::fixtures::{TIP, VertexInFace};
    use pliant::body::pins::Pins;

    /// Numbers are below ten and a handful of operations long.
    const TOLERANCE: f64 = 1e-14;
    /// 1 + (0.5² / 2 + 0.25² / 1 + 0.25² / 4): of the tip and the corners it meets, 1/kg.
    const EASE: f64 = 1.203_125;
    /// Weights of tip and corners.
    const WEIGHTS: [(usize, f64); 4] = [(7, 1.0), (0, -0.5), (1, -0.25), (2, -0.25)];

    fn settings(restitution: f64, friction: f64, shift: f64) -> BodyImpulseSettings {
        let plain = BodyImpulseSettings::default();
        BodyImpulseSettings { restitution, friction, shift, ..plain }
    }

    /// Relative velocity and position of the tip before and after, and the contact output.
    fn after(
        poke: &VertexInFace,
        settings: BodyImpulseSettings,
    ) -> ([Vec3; 2], [Vec3; 2], ContactOutput) {
        let mut response = BodyImpulses::new(&poke.positions, &poke.bodies, settings).unwrap();
        let mut output = ContactOutput::default();
        response.post_step(poke.context(), &mut output);
        let (mut positions, mut velocities) = (poke.positions.clone(), poke.velocities.clone());
        for (vertex, impulse) in &output.impulses {
            velocities[vertex.index()] += *impulse / poke.masses.of()[vertex.index()];
        }
        output.shifts.iter().for_each(|(vertex, way)| positions[vertex.index()] += *way);
        let relative = |of: &[Vec3]| WEIGHTS.iter().map(|(k, w)| *w * of[*k]).sum::<Vec3>();
        (
            [relative(&poke.velocities), relative(&velocities)],
            [relative(&poke.positions), relative(&positions)],
            output,
        )
    }

    #[test]
    fn approach_ends_or_comes_back_and_the_face_takes_its_shares() {
        for (kind, restitution) in
            [(Kind::Consistent, 0.0), (Kind::Consistent, 0.5), (Kind::Closest, 1.0)]
        {
            let settings = BodyImpulseSettings { kind, ..settings(restitution, 0.0, 1.0) };
            let (velocities, places, output) =
                after(&VertexInFace::moving(-2.0 * Vec3::Z), settings);
            let left = Vec3::new(0.0, 0.0, 2.0 * restitution);
            assert!(velocities[1].abs_diff_eq(left, TOLERANCE), "{velocities:?}");
            assert!((places[0].z + 0.25).abs() < TOLERANCE && places[1].z.abs() < TOLERANCE);
            let impulse = 2.0 * (1.0 + restitution) / EASE;
            for (vertex, found) in &output.impulses {
                let weight = WEIGHTS.iter().find(|(k, _)| *k == vertex.index()).unwrap().1;
                assert!(found.abs_diff_eq(weight * impulse * Vec3::Z, TOLERANCE), "{found}");
            }
            assert_eq!((output.impulses.len(), output.stats.contacts), (4, 1));
            // The tip's part of 0.25 m: 1 / 1.203125.
            assert!((output.stats.shift - 0.25 / EASE).abs() < TOLERANCE);
        }
    }

    #[test]
    fn what_leaves_already_is_only_moved_and_by_its_share() {
        let (velocities, places, output) =
            after(&VertexInFace::moving(2.0 * Vec3::Z), settings(0.5, 0.3, 0.2));
        assert_eq!((velocities[1], output.impulses.len()), (2.0 * Vec3::Z, 0));
        assert!((places[1].z + 0.8 * 0.25).abs() < TOLERANCE, "{places:?}");
        assert_eq!(output.stats.contacts, 0);
    }

    #[test]
    fn friction_is_bounded_by_the_impulse_and_takes_back_the_way() {
        // Stops 0.3 · 2 m/s of 1 m/s at most, all of 0.5 m/s.
        for (sliding, left) in [(1.0, 0.4), (0.5, 0.0)] {
            let poke = VertexInFace::moving(Vec3::new(sliding, 0.0, -2.0));
            let (velocities, places, _) = after(&poke, settings(0.0, 0.3, 1.0));
            assert!((velocities[1].x - left).abs() < TOLERANCE, "{velocities:?}");
            // Inside for 0.1 s at most, the step, and 0.125 s by depth and speed.
            let back = places[0].x - places[1].x;
            assert!((back - 0.1 * (sliding - left)).abs() < TOLERANCE, "{places:?}");
        }
    }

    #[test]
    fn held_vertices_are_walls() {
        let mut poke = VertexInFace::moving(-2.0 * Vec3::Z);
        let hold = |list: &[u32]| {
            let list: Vec<_> = list.iter().map(|v| VertexId(*v)).collect();
            Pins::still(&list, &VertexInFace::new().positions).unwrap()
        };
        poke.pins = hold(&[0, 1, 2]);
        let (.., output) = after(&poke, settings(0.0, 0.0, 1.0));
        assert_eq!(output.impulses, [(TIP, 2.0 * Vec3::Z)]);
        assert_eq!(output.shifts.len(), 1);
        poke.pins = hold(&[0, 1, 2, 7]);
        let (.., output) = after(&poke, settings(0.0, 0.0, 1.0));
        assert_eq!((output.impulses.len(), output.shifts.len()), (0, 0));
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let poke = VertexInFace::new();
        let message = |settings: BodyImpulseSettings| {
            let made = BodyImpulses::new(&poke.positions, &poke.bodies, settings);
            made.unwrap_err().to_string()
        };
        let wanted = "the restitution of a bodily impulse is 1.5: it must be from 0 to 1";
        assert_eq!(message(settings(1.5, 0.0, 1.0)), wanted);
        assert!(message(settings(0.0, f64::INFINITY, 1.0)).contains("friction"));
        assert!(message(settings(0.0, 0.0, f64::NAN)).contains("shift"));
        let idle = BodyImpulseSettings { sweeps: 0, ..settings(0.0, 0.0, 1.0) };
        assert!(message(idle).contains("number of sweeps"));
    }
}
