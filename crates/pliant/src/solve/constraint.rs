//! Unilateral contact with Coulomb friction, solved with the implicit step.
//!
//! Find v and λ with
//!
//! A v = b + Jᵀ λ,  0 ≤ λₙ ⟂ n·u(v) − v* ≥ 0,  |λₜ| ≤ μ λₙ against the slip,
//!
//! where u(v) is the relative velocity of a contact and v* the least speed along its normal. A
//! speculative contact, whose gap is still open, may close its gap in the step and no more; one
//! nearer than the offset δ may not come nearer. Overlap is removed beforehand by split-impulse
//! position correction, a shift of whole bodies that changes no velocity, so none of it comes
//! back later as kinetic energy.
//!
//! | here                  | formula | meaning                                             |
//! |-----------------------|---------|-----------------------------------------------------|
//! | `contacts`            | J       | constraint rows: weights, normal, gap               |
//! | `ContactImpulse`      | λ       | impulse along the normal and in the plane, N·s      |
//! | `min_normal_velocity` | v*      | bias: least speed along the normal, m/s             |

use crate::body::Bodies;
use crate::body::obstacle::Obstacle;
use crate::contact::carried::ContactSurfaces;
use crate::contact::impulse::WarmStart;
use crate::contact::output::{ContactOutput, ContactStats, RigidShift};
use crate::contact::response::{Response, ResponseError, StepContext, refuse_unsound};
use crate::contact::rules::ContactRules;
use crate::contact::search::{ContactQuery, ContactSettings, Search};
use crate::contact::{Contact, Feature, crush};
use crate::id::{BodyId, MismatchError};
use crate::math::Vec3;
use crate::profile::{Stage, StageTimer};
use crate::snapshot::{Snapshot, SnapshotError};
use crate::solve::joint::Joints;
use crate::solve::obstacle_projection::{Made, ObstacleProjection};
use crate::solve::position_correction::{DEEP, PositionCorrection};

/// Share of a gap below δ that is recovered per step.
///
/// The speed is bounded by `max_depenetration_speed`.
const WIN_BACK: f64 = 0.2;

/// Gaps this near to the offset, as a share of it, neither open nor close.
///
/// Redundant contacts whose biases differ by rounding would pass the load to and fro for
/// thousands of sweeps.
const REST: f64 = 1e-3;

/// Share of the speed of sliding at which sides that overlap may be opened too.
///
/// Where sides slide, their normals turn within a step and close the gap by the square of the way;
/// what opens no faster than bodies at rest would stay behind that.
const FOLLOWING: f64 = 0.1;

/// Settings of the response.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstraintSettings {
    /// How contacts are found.
    pub contacts: ContactSettings,
    /// Highest speed that opens a contact nearer than its offset, per size, 1/s; 0 opens nothing.
    ///
    /// Two bodies that slide on each other in shallow overlap may open with a tenth of that speed
    /// besides.
    pub max_depenetration_speed: f64,
    /// Coefficient of restitution between bodies, from 0 to 1; an obstacle has its own.
    pub restitution: f64,
    /// Acceleration that presses bodies at rest together, m/s².
    ///
    /// An impact no faster than a fall through the offset under it does not bounce.
    pub weight: f64,
}

impl Default for ConstraintSettings {
    fn default() -> ConstraintSettings {
        let contacts = ContactSettings::default();
        ConstraintSettings {
            contacts,
            max_depenetration_speed: 9e-3,
            restitution: 0.0,
            weight: 9.81,
        }
    }
}

impl ConstraintSettings {
    /// Rejects values outside their ranges.
    fn check(self) -> Result<(), ResponseError> {
        self.contacts.check()?;
        let (speed, weight) = (self.max_depenetration_speed, self.weight);
        let sound = |value: f64| value >= 0.0 && value.is_finite();
        let rule = "at least 0 and finite";
        let elastic = (0.0..=1.0).contains(&self.restitution);
        refuse_unsound(
            "constraint response",
            &[
                ("max depenetration speed", speed, sound(speed), rule),
                ("weight", weight, sound(weight), rule),
                ("restitution", self.restitution, elastic, "from 0 to 1"),
            ],
        )
    }
}

/// The engine's own contact response: position correction and velocity constraints.
///
/// Goes with implicit Euler, which solves the constraint rows together with the materials. Self
/// contact is not handled. It fills only the rows of the [`ContactOutput`]: no two responses
/// that make rows can be combined.
#[derive(Debug)]
pub struct ConstraintResponse {
    obstacles: Vec<Obstacle>,
    settings: ConstraintSettings,
    search: Search,
    correction: PositionCorrection,
    projection: ObstacleProjection,
    warm_start: WarmStart,
    rules: ContactRules,
    /// The bodies as contact sees them, where fine surfaces are in place of some.
    surfaces: Option<ContactSurfaces>,
    /// Length of the current step, s.
    dt: f64,
}

impl ConstraintResponse {
    /// Prepares for a scene; sizes of bodies are those in `rest`, one position for each vertex.
    pub fn new(
        rest: &[Vec3],
        bodies: &Bodies,
        obstacles: Vec<Obstacle>,
        settings: ConstraintSettings,
    ) -> Result<ConstraintResponse, ResponseError> {
        settings.check()?;
        let (correction, warm_start) = (PositionCorrection::default(), WarmStart::default());
        let search = Search::new(rest, bodies)?;
        let (rules, dt) = (ContactRules::default(), 0.0);
        Ok(ConstraintResponse {
            obstacles,
            settings,
            search,
            correction,
            projection: ObstacleProjection::default(),
            warm_start,
            rules,
            surfaces: None,
            dt,
        })
    }

    /// The same with contact on fine surfaces that the tets of some bodies carry.
    ///
    /// No vertex of these bodies may be attached to a rigid one.
    pub fn on_surfaces(
        mut self,
        surfaces: ContactSurfaces,
    ) -> Result<ConstraintResponse, ResponseError> {
        self.search = Search::new(surfaces.rest(), surfaces.bodies())?;
        self.surfaces = Some(surfaces);
        Ok(self)
    }

    /// The bodies as contact sees them, where fine surfaces are in place of some.
    pub fn surfaces(&self) -> Option<&ContactSurfaces> {
        self.surfaces.as_ref()
    }

    /// The same without contacts between some pairs of bodies, such as jointed ones.
    pub fn leaving_out(mut self, pairs: Vec<(BodyId, BodyId)>) -> ConstraintResponse {
        self.rules.set_pairs(pairs);
        self
    }

    /// Who meets, and with what friction.
    pub fn rules(&self) -> &ContactRules {
        &self.rules
    }

    /// The same, to be changed between steps.
    pub fn rules_mut(&mut self) -> &mut ContactRules {
        &mut self.rules
    }

    /// The obstacles.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// The obstacles, to be moved between steps.
    pub fn obstacles_mut(&mut self) -> &mut [Obstacle] {
        &mut self.obstacles
    }

    /// Settings, to be changed between steps.
    pub fn settings_mut(&mut self) -> &mut ConstraintSettings {
        &mut self.settings
    }

    /// Takes over the impulses of another response, as a warm start of the same contacts.
    ///
    /// `renumber` gives the feature here of a feature there; none where it is gone. Features of
    /// fine surfaces have no warm start.
    pub fn take_impulses(
        &mut self,
        other: &ConstraintResponse,
        renumber: impl Fn(Feature) -> Option<Feature>,
    ) {
        if self.surfaces.is_none() && other.surfaces.is_none() {
            self.warm_start = other.warm_start.renumbered(renumber);
        }
    }

    /// Shifts of whole bodies out of overlap.
    fn correct(
        &mut self,
        context: StepContext<'_>,
        rows: &mut [Contact],
        shifts: &mut Vec<RigidShift>,
    ) -> Result<(), MismatchError> {
        self.correction.find_with(context, &self.search.deep, rows, shifts)
    }

    /// Asks for shifts of bodies that turned into an obstacle within a step.
    ///
    /// Not where contact is on fine surfaces, whose vertices are not those of the bodies.
    pub(crate) fn leave_obstacles(
        &mut self,
        end: StepContext<'_>,
        joints: &Joints,
        output: &mut ContactOutput,
    ) {
        let ConstraintResponse { obstacles, rules, search, .. } = self;
        if self.surfaces.is_some() {
            return;
        }
        let sizes = &search.features.sizes;
        let made = Made { end, obstacles, rules, sizes, joints };
        self.projection.find(made, &mut output.rigid_shifts);
    }

    /// Highest speed at which a contact may open, per size, 1/s.
    fn opening_speed(&self, row: &Contact, velocities: &[Vec3]) -> f64 {
        let speed = self.settings.max_depenetration_speed;
        if speed > 0.0 { speed + following(row, velocities) } else { 0.0 }
    }

    /// The search, to be replaced together with the bodies.
    pub(crate) fn search_mut(&mut self) -> &mut Search {
        &mut self.search
    }

    /// First surface edge of each body as features count them, and one past the last of all.
    pub fn edge_starts(&self) -> &[usize] {
        &self.search.features.edge_starts
    }
}

impl Response for ConstraintResponse {
    fn pre_step(&mut self, context: StepContext<'_>, output: &mut ContactOutput) {
        let StepContext { bodies, motion, rigids, dt, profiler, .. } = context;
        let weight = self.settings.weight;
        let ContactOutput { rows, row_impulses, rigid_shifts, .. } = &mut *output;
        {
            let _timer = StageTimer::new(profiler, Stage::Detect);
            let (obstacles, settings) = (&self.obstacles[..], self.settings.contacts);
            let mut query = ContactQuery { motion, bodies, obstacles, settings, dt };
            if let Some(surfaces) = &mut self.surfaces {
                surfaces.update(motion);
                (query.motion, query.bodies) = (surfaces.motion(motion.time), surfaces.bodies());
            }
            // Small ones at rest fall farther in a step than they look ahead.
            let gain = |body| if rigids.index(body).is_some() { dt * weight } else { 0.0 };
            self.search.kept.place(rigids, bodies.len(), motion.positions);
            self.search.gains.clear();
            self.search.gains.extend(bodies.ids().map(gain));
            if let Err(error) = self.search.find(query, rows) {
                output.failure = Some(error);
                return;
            }
            if !self.rules.all_meet() {
                rows.retain(|row| self.rules.meet(row));
            }
            let meets = |a, b| self.rules.bodies_meet(a, b);
            self.search.separate(query, meets, rows);
            if let Some(surfaces) = &self.surfaces {
                surfaces.carry(rows);
            }
            let frictions = rows.iter_mut();
            frictions.for_each(|row| row.friction = self.rules.friction(row, row.friction));
        }
        let _timer = StageTimer::new(profiler, Stage::Contact);
        if let Err(error) = self.correct(context, rows, rigid_shifts) {
            output.failure = Some(error.into());
            return;
        }
        for row in &mut *rows {
            let speed = self.opening_speed(row, motion.velocities);
            row.min_normal_velocity = min_normal_velocity(row, speed, dt);
            let restitution = match row.feature {
                Feature::VertexObstacle(_, number) => {
                    self.obstacles.get(number as usize).map_or(0.0, |o| o.material().restitution)
                }
                _ => self.settings.restitution,
            };
            let restitution = self.rules.restitution(row, restitution);
            row.bounce = match restitution > 0.0 {
                true => {
                    let approach = -row.normal.dot(row.relative(motion.velocities));
                    bounce(row, restitution, approach, self.settings.weight, dt)
                }
                false => 0.0,
            };
        }
        self.warm_start.load(rows, dt, row_impulses);
        self.warm_start.load_points(&mut output.point_forces);
        crush::limit(context, &self.obstacles, &self.search.features.sizes, output);
        self.dt = dt;
        let rows = &output.rows;
        let (contacts, unresolved) = (rows.len(), self.search.unresolved);
        output.stats.add(ContactStats { contacts, unresolved, shift: output.longest_shift() });
    }

    fn on_accept(&mut self, before: &ContactOutput) {
        self.warm_start.store(&before.rows, &before.row_impulses, self.dt);
        self.warm_start.store_points(&before.point_forces);
        self.search.deep.accept();
        self.search.kept.accept();
    }

    fn save(&self, memory: &mut Snapshot) {
        self.warm_start.save(memory);
        self.search.deep.save(memory);
        self.search.kept.save(memory);
    }

    fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        self.warm_start.restore(memory)?;
        self.search.deep.restore(memory)?;
        self.search.kept.restore(memory)
    }

    fn set_threads(&mut self, threads: usize) {
        self.search.set_threads(threads);
    }
}

/// Speed, per size, 1/s, at which two bodies with little overlap may open because they slide.
///
/// Obstacles are mostly flat: nothing that slides on them is closed by a normal that turns.
fn following(contact: &Contact, velocities: &[Vec3]) -> f64 {
    let is_shallow = contact.gap < 0.0 && contact.gap > -DEEP * contact.offset;
    if !is_shallow || contact.bodies.1.is_none() {
        return 0.0;
    }
    let relative = contact.relative(velocities);
    let sliding = relative - contact.normal.dot(relative) * contact.normal;
    FOLLOWING * sliding.length() / contact.size
}

/// Least speed along the normal that a contact must reach in a step of `dt`, m/s.
///
/// Negative for a gap beyond the offset δ, as of a speculative contact: it may close to δ in the
/// step and no further. Otherwise a share of what is lacking is recovered, at most
/// `max_depenetration_speed` of the size per second; 0 keeps the sides from coming nearer and
/// opens nothing.
pub fn min_normal_velocity(contact: &Contact, max_depenetration_speed: f64, dt: f64) -> f64 {
    let short = contact.offset - contact.gap;
    if short.abs() <= REST * contact.offset {
        return 0.0;
    }
    if short > 0.0 {
        (WIN_BACK * short / dt).min(max_depenetration_speed * contact.size)
    } else {
        short / dt
    }
}

/// Rebound speed along the normal that restitution asks for in a step of `dt`, m/s.
///
/// Only where the contact would close in the step. The share falls off at small speeds, to none
/// at that of a fall through the offset under `weight`, so that bodies come to rest.
fn bounce(contact: &Contact, restitution: f64, approach: f64, weight: f64, dt: f64) -> f64 {
    let slow_sq = 2.0 * weight * contact.offset;
    let meets = contact.gap - contact.offset < approach * dt;
    if !(restitution > 0.0 && meets && approach > 0.0 && approach * approach > slow_sq) {
        return 0.0;
    }
    restitution * (approach - slow_sq / approach)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::resting;
    use crate::id::VertexId;

    #[test]
    fn far_gaps_may_close_and_near_ones_open_gently() {
        let contact = |gap: f64| Contact {
            feature: Feature::VertexObstacle(VertexId(0), 0),
            vertices: [VertexId(0); 4],
            weights: [1.0, 0.0, 0.0, 0.0],
            count: 1,
            second: None,
            bodies: (BodyId(0), None),
            normal: Vec3::Z,
            gap,
            surface_velocity: Vec3::ZERO,
            min_normal_velocity: 0.0,
            bounce: 0.0,
            friction: 0.0,
            offset: 0.01,
            size: 1.0,
        };
        let speed = |gap: f64| min_normal_velocity(&contact(gap), 1e-2, 0.1);
        assert!((speed(0.05) + 0.4).abs() < 1e-12); // 0.04 m in 0.1 s
        assert_eq!(speed(0.01), 0.0);
        assert!((speed(0.009) - 0.002).abs() < 1e-12); // a fifth of 0.001 m in 0.1 s
        assert_eq!(speed(-0.5), 0.01); // a hundredth of the size in a second
    }

    #[test]
    fn sides_that_slide_in_shallow_overlap_may_open_with_a_tenth_of_their_speed() {
        let bodies = (BodyId(0), Some(BodyId(1)));
        let with = Contact { bodies, offset: 0.01, size: 0.5, ..resting(VertexId(0)) };
        let at = |gap: f64| Contact { gap, ..with };
        let motion = [Vec3::new(3.0, 4.0, -1.0)]; // 5 m/s across the normal
        assert!((following(&at(-0.001), &motion) - 1.0).abs() < 1e-15); // 0.5 m/s of a size of 0.5 m
        assert_eq!(following(&at(0.0), &motion), 0.0);
        assert_eq!(following(&at(-0.02), &motion), 0.0); // deep ones are shifted
        assert_eq!(following(&at(-0.001), &[-Vec3::Z]), 0.0);
        let on_floor = Contact { bodies: (BodyId(0), None), ..at(-0.001) };
        assert_eq!(following(&on_floor, &motion), 0.0);
    }

    #[test]
    fn impacts_bounce_and_resting_contacts_do_not() {
        let near = Contact { gap: 0.02, offset: 0.01, ..resting(VertexId(0)) };
        let back = |approach: f64| bounce(&near, 0.5, approach, 10.0, 0.1);
        // A fall of 0.01 m ends at √0.2 m/s.
        assert!((back(2.0) - 0.5 * (2.0 - 0.1)).abs() < 1e-15);
        assert_eq!((back(0.4), back(-2.0)), (0.0, 0.0));
        let far = Contact { gap: 0.5, ..near };
        assert_eq!(bounce(&far, 0.5, 2.0, 10.0, 0.1), 0.0); // 0.2 m in this step, not 0.49
    }
}
