//! Penalty forces between outlines: springs on how deep each point is inside another.
//!
//! Every vertex inside another outline, and further points so that no deep stretch goes
//! unseen, is pushed out along its way, and the boundary there is pushed back.
//!
//! | here      | formula            | meaning                                               |
//! |-----------|--------------------|-------------------------------------------------------|
//! | `depth`   | d                  | way out, m                                            |
//! | `mass`    | m = 1 / Σ 1/mᵢ     | effective mass of both sides along the way, kg        |
//! | `load`    | W                  | points that push on the same mover, by their shares   |
//! | `parting` | u                  | speed of the point along its way out, m/s             |
//! | `exit`    | u₁                 | speed that nothing leaves faster than by a push, m/s  |
//!
//! The force is k d − c u, never a pull, and never more than (u₁ − u) m / (W dt): all pushes
//! together then bring the point to u₁ at most. With k ≤ m/(W dt²) springs are stable however
//! many there are; see `bodies::law` of the crate `pliant-papers`.

use crate::{BackendError, ProximityQuery, QueryFlags};
use pliant::contact::friction::friction;
use pliant::contact::output::{ContactOutput, ContactStats};
use pliant::contact::response::Stiffness;
use pliant::contact::response::refuse_unsound;
use pliant::contact::response::{Response, StepContext};
use pliant::id::VertexId;
use pliant::math::{Vec2, Vec3};
use pliant::profile::{Stage, StageTimer};

use super::contact_point::ContactPoint;
use super::penalty_pairs::{PenaltyForce, PenaltyPairs};
use super::{Flat, OutlinesError, refused};

/// Share of mass over step squared that a spring has by default.
const FRACTION: f64 = 0.1;

/// Most that springs chosen from the step may have of mass over step squared, all together.
const MOST: f64 = 1.0;

/// Share of critical damping by default.
const DAMPING: f64 = 0.1;

/// Sizes of the smaller outline per second that it leaves another at by default, 1/s.
const EXIT: f64 = 2.0;

/// The parts of the result that are needed of each pair.
const WANTED: QueryFlags = QueryFlags { samples: true, ..QueryFlags::DEPTHS };

/// Settings of penalty forces between outlines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutlinePenaltySettings {
    /// Bound of the error of depths, m, and a quarter of the distance of samples; positive.
    pub error: f64,
    /// How hard springs push; [`Stiffness::OfStep`] is stable, a fixed one may not be.
    pub stiffness: Stiffness,
    /// Share of critical damping along the way out; at least 0.
    pub damping: f64,
    /// Coulomb's coefficient; at least 0.
    pub friction: f64,
    /// Fastest that springs let an outline leave another, sizes of the smaller one per second,
    /// 1/s; at least 0.
    ///
    /// What bounces off at more than this comes in at more.
    pub exit: f64,
}

impl OutlinePenaltySettings {
    /// Stiffness from the masses and a step of `dt` seconds, friction 0.3.
    pub fn of_step(error: f64, dt: f64) -> OutlinePenaltySettings {
        let stiffness = Stiffness::OfStep { fraction: FRACTION, dt };
        let (damping, friction, exit) = (DAMPING, 0.3, EXIT);
        OutlinePenaltySettings { error, stiffness, damping, friction, exit }
    }

    fn check(&self) -> Result<(), OutlinesError> {
        let OutlinePenaltySettings { error, stiffness, damping, friction, exit } = *self;
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let not_negative = |value: f64| value >= 0.0 && value.is_finite();
        let given = match stiffness {
            Stiffness::Fixed(given) => given,
            Stiffness::OfStep { fraction, dt } => fraction / (dt * dt),
        };
        let list = [
            ("error", error, positive(error), "positive and finite"),
            ("stiffness", given, positive(given), "positive and finite"),
            ("damping", damping, not_negative(damping), "at least 0 and finite"),
            ("friction", friction, not_negative(friction), "at least 0 and finite"),
            ("exit", exit, not_negative(exit), "at least 0 and finite"),
        ];
        refuse_unsound("penalty of outlines", &list).map_err(OutlinesError::Setting)
    }
}

/// Penalty forces between outlines.
///
/// Has no state that later steps depend on.
///
/// - Implements: [Hoff01 §3], a force at each penetrating point by its depth and direction.
/// - Deviates: says what the paper leaves open: stiffness, damping, friction, and that a
///   reaction acts where the way comes out; points deep inside leave by a common way.
#[derive(Debug)]
pub struct OutlinePenalty {
    flat: Flat,
    settings: OutlinePenaltySettings,
    pairs: PenaltyPairs,
    pushes: Vec<PenaltyForce>,
    /// Points that push on each mover, weighed by their shares.
    loads: Vec<f64>,
}

/// A push between two points.
struct Spring {
    sides: [ContactPoint; 2],
    /// Effective mass of both sides along the way, kg.
    mass: f64,
    /// The largest load on one of its movers.
    load: f64,
    /// Velocity of the first side seen from the second, m/s.
    relative: Vec2,
}

impl OutlinePenalty {
    /// Forces between the outlines of a scene.
    pub fn new(
        flat: Flat,
        settings: OutlinePenaltySettings,
    ) -> Result<OutlinePenalty, OutlinesError> {
        settings.check()?;
        let (pairs, pushes, loads) = (PenaltyPairs::default(), Vec::new(), Vec::new());
        Ok(OutlinePenalty { flat, settings, pairs, pushes, loads })
    }

    /// Finds which points are inside other outlines, and their exit directions.
    fn find(&mut self, context: StepContext<'_>) -> Result<(), BackendError> {
        let OutlinePenalty { flat, settings, pairs, pushes, .. } = self;
        pushes.clear();
        flat.place(context);
        let error = settings.error;
        flat.query(&ProximityQuery { error, contact_distance: 0.0, flags: WANTED }, 0.0)?;
        for (pair, answer) in flat.found() {
            let boxes = [pair.a, pair.b].map(|outline| flat.near.boxes()[outline as usize]);
            pairs.find(&flat.outlines, pair, boxes, answer, pushes);
        }
        Ok(())
    }

    /// Counts the pushes on everything that moves.
    fn load(&mut self, vertex_count: usize) {
        let OutlinePenalty { flat, pushes, loads, .. } = self;
        loads.clear();
        loads.resize(vertex_count, 0.0);
        for push in pushes {
            for at in [push.at, push.out] {
                let movers = flat.movers(&flat.contact_point(at));
                movers.into_iter().flatten().for_each(|(mover, share)| loads[mover] += share);
            }
        }
    }

    /// A push with its masses and velocities; `None` where both sides are pinned.
    fn spring(&self, push: &PenaltyForce, context: StepContext<'_>) -> Option<Spring> {
        let sides = [push.at, push.out].map(|at| self.flat.contact_point(at));
        let inv_mass: f64 =
            sides.iter().map(|side| self.flat.weight(side, push.direction, context.masses)).sum();
        let movers = sides.iter().flat_map(|side| self.flat.movers(side)).flatten();
        let load = movers.fold(0.0_f64, |most, (mover, _)| most.max(self.loads[mover]));
        let [own, other] =
            [&sides[0], &sides[1]].map(|side| side.velocity(context.motion.velocities));
        let (mass, relative) = (1.0 / inv_mass, own - other);
        (inv_mass > 0.0 && load > 0.0).then_some(Spring { sides, mass, load, relative })
    }

    /// Force on the first side of a push along its way and across it, N.
    fn force(&self, push: &PenaltyForce, spring: &Spring, dt: f64) -> [Vec2; 2] {
        let OutlinePenaltySettings { stiffness, damping, friction: coefficient, exit, .. } =
            self.settings;
        let Spring { sides, mass, load, relative } = spring;
        let stopping = mass / (load * dt);
        let stiffness = match stiffness {
            Stiffness::Fixed(given) => given,
            Stiffness::OfStep { fraction, dt } => mass * fraction.min(MOST / load) / (dt * dt),
        };
        let damper = (2.0 * damping * (stiffness * mass).sqrt()).min(stopping);
        let size = |side: &ContactPoint| self.flat.sizes[side.outline as usize];
        let exit = exit * size(&sides[0]).min(size(&sides[1]));
        let parting = relative.dot(push.direction);
        let normal = stiffness * push.depth - damper * parting;
        let normal = normal.min(stopping * (exit - parting)).max(0.0);
        let sliding = *relative - parting * push.direction;
        let rub = friction((-stopping * sliding).extend(0.0), normal, coefficient);
        [normal * push.direction, rub.truncate()]
    }
}

impl Response for OutlinePenalty {
    fn pre_step(&mut self, context: StepContext<'_>, output: &mut ContactOutput) {
        if self.flat.is_empty() {
            return;
        }
        {
            let _timer = StageTimer::new(context.profiler, Stage::Depth);
            if let Err(error) = self.find(context) {
                output.rejection = Some(refused(&mut self.flat, &error));
                return;
            }
        }
        let _timer = StageTimer::new(context.profiler, Stage::Contact);
        self.load(context.bodies.vertex_count());
        let mut contacts = 0;
        for push in &self.pushes {
            let Some(spring) = self.spring(push, context) else { continue };
            let [along, across] = self.force(push, &spring, context.dt);
            let force = along + across;
            if force != Vec2::ZERO {
                contacts += 1;
                let [own, other] = spring.sides;
                own.push(force, &mut output.forces);
                other.push(-force, &mut output.forces);
                // What rubs acts on both sides at the point, not a depth apart: a couple gives back
                // the difference where one side is rigid. Between two rings it stays. The way out
                // is depth times direction, as a backend without images returns it.
                let couple = push.depth * push.direction.perp_dot(across);
                let is_rigid = |side: &&ContactPoint| self.flat.is_rigid(side);
                if let Some(side) = [&other, &own].into_iter().find(is_rigid) {
                    self.flat.turn(side, couple, &mut output.forces);
                }
                describe(
                    &self.flat,
                    [own, other],
                    context.dt * force,
                    &mut output.external_impulses,
                );
            }
        }
        output.stats.add(ContactStats { contacts, unresolved: 0, shift: 0.0 });
    }
}

/// Records the impulse on one side from the other, where that is pinned, N·s.
pub(super) fn describe(
    flat: &Flat,
    [own, other]: [ContactPoint; 2],
    impulse: Vec2,
    external_impulses: &mut Vec<(VertexId, Vec3)>,
) {
    match [flat.is_held(&own), flat.is_held(&other)] {
        [false, true] => own.push(impulse, external_impulses),
        [true, false] => other.push(-impulse, external_impulses),
        _ => {}
    }
}
