//! Barrier between bodies: a repulsion that grows without bound as a gap closes.
//!
//! Overlapping bodies are separated first, by shifts of whole bodies that change no velocity.
//! From then on every gap within reach, of vertex and surface or of two edges, repels, and
//! steps in which a gap closes too fast, or anything crosses, are rejected.
//!
//! | here       | lecture | meaning                                                    |
//! |------------|---------|------------------------------------------------------------|
//! | `gap`      | φ       | distance of two features of different bodies, m            |
//! | `Strength` | ρ       | energy scale of one contact, J                             |
//! | `reach`    |         | gap at which the push begins, per size of the smaller body |
//! | `bends`    |         | Σ w b / m over the contacts of a vertex, 1/s²; b is the    |
//! |            |         | second derivative of the energy, m the joint mass          |
//!
//! As in [`law`](crate::bodies::law), springs of b N/m on all contacts together are
//! at most `bends` times the masses: a step that is short enough for the largest is stable.

use crate::barrier::potential;
use crate::bodies::buffer::within;
use crate::bodies::intersection::{Apart, Crossing};
use crate::bodies::law::{Joint, Loads, MOST};
use pliant::body::Bodies;
use pliant::body::soft::StateView;
use pliant::contact::output::{ContactOutput, ContactStats, RigidShift};
use pliant::contact::response::refuse_unsound;
use pliant::contact::response::{Response, ResponseError, StepContext};
use pliant::contact::search::{ContactQuery, Search};
use pliant::contact::{Contact, Feature};
use pliant::force::StepRejection;
use pliant::id::BodyId;
use pliant::math::Vec3;
use pliant::profile::{Stage, StageTimer};
use pliant::solve::position_correction::PositionCorrection;

/// Gap, per reach, up to which bodies that overlapped are shifted apart.
///
/// Little is stored there, 3e-5 of the strength, so they are not thrown apart.
const CLEAR: f64 = 0.97;

/// Rounds of search and shift at most before a step.
///
/// From any overlap it takes at most five of a fifth of the size each, and some twenty that
/// make up a fifth of what is left to the reach.
const ROUNDS: usize = 60;

/// Shifts shorter than this share of the reach make no progress.
const STALLED: f64 = 1e-3;

/// Energy scale of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strength {
    /// The same for all, J.
    Fixed(f64),
    /// Joint mass of the contact times the square of this speed, m/s, or of its approach
    /// where that is faster.
    ///
    /// A push in proportion to the square of the approach brings it down in proportion to the
    /// gap: what comes at ten times the speed is stopped near a tenth of the reach, where a
    /// fixed strength would need e to the −50 of it. Energy beyond that of the given speed does
    /// not come back: fast impacts lose energy.
    OfSpeed(f64),
}

/// Settings of a barrier between bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyBarrierSettings {
    /// How hard it pushes.
    pub strength: Strength,
    /// Gap at which the push begins, per size of the smaller body; positive.
    pub reach: f64,
    /// The most that a gap within reach may shrink in one step, relative; below 1.
    pub change: f64,
    /// Coulomb's coefficient; at least 0.
    pub friction: f64,
}

impl Default for BodyBarrierSettings {
    fn default() -> BodyBarrierSettings {
        let strength = Strength::OfSpeed(2.0);
        BodyBarrierSettings { strength, reach: 0.02, change: 0.2, friction: 0.3 }
    }
}

impl BodyBarrierSettings {
    fn check(&self) -> Result<(), ResponseError> {
        let BodyBarrierSettings { strength, reach, change, friction } = *self;
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let (name, given) = match strength {
            Strength::Fixed(given) => ("strength", given),
            Strength::OfSpeed(given) => ("speed", given),
        };
        let rubs = friction >= 0.0 && friction.is_finite();
        let list = [
            (name, given, positive(given), "positive and finite"),
            ("reach", reach, positive(reach), "positive and finite"),
            ("change", change, change > 0.0 && change < 1.0, "between 0 and 1"),
            ("friction", friction, rubs, "at least 0 and finite"),
        ];
        refuse_unsound("bodily barrier", &list)
    }
}

/// Barriers between bodies.
///
/// Never crossed once two bodies are apart: at the end of every step that is accepted no edge of
/// one meets a triangle of the other and no vertex is inside, exactly. That takes a
/// [`Stepper::with_halvings`](pliant::step::Stepper::with_halvings); if its shortest
/// step is still too long, the step is an error and nothing moves. What cannot be taken
/// apart before a step, as two pinned bodies, is left alone until it can. Inverted tets that
/// stand out of their own surface are not kept from others: surfaces are.
///
/// Pushes lie on the line through both points and turn nothing; friction turns by the gap times
/// its size. With [`Strength::Fixed`] each contact has its potential, but contacts of edges begin
/// and end where one slides over the end of the other, and with them their energy: it is kept in
/// impacts, not in long sliding. Two edges within 1e-5 rad of parallel have no contact of their
/// own and are only kept from crossing.
///
/// Has no state that later steps depend on, and allocates nothing once warm.
///
/// - Implements: [Wang21 slide "Log-Barrier Penalty Method"] between bodies, limited to a
///   buffer as in [Li20 eq. 6], with the step control of
///   [Wang21 slide "A Short Summary of Penalty Methods"].
/// - Deviates: forces are those at the start of the step, which is made shorter, not solved for;
///   crossings are looked for at its end, with the way of bodies bounded by the reach.
#[derive(Debug)]
pub struct BodyBarrier {
    settings: BodyBarrierSettings,
    search: Search,
    split: PositionCorrection,
    apart: Apart,
    rows: Vec<Contact>,
    crossings: Vec<Crossing>,
    /// Pairs that overlapped at the last search, ascending, the smaller number first.
    overlapping: Vec<[BodyId; 2]>,
    /// Pairs that are being separated before this step, in the same order.
    parting: Vec<[BodyId; 2]>,
    /// Pairs that could not be separated, in the same order.
    stuck: Vec<[BodyId; 2]>,
    /// Where the step begins, after the shifts, m.
    start: Vec<Vec3>,
    shifts: Vec<RigidShift>,
    loads: Loads,
    /// Of each vertex, 1/s².
    bends: Vec<f64>,
}

impl BodyBarrier {
    /// Prepares for a scene; sizes of bodies are those in `rest`.
    pub fn new(
        rest: &[Vec3],
        bodies: &Bodies,
        settings: BodyBarrierSettings,
    ) -> Result<BodyBarrier, ResponseError> {
        settings.check()?;
        let search = Search::new(rest, bodies)?;
        Ok(BodyBarrier {
            settings,
            split: PositionCorrection::default(),
            apart: Apart::new(rest, bodies, &search.features),
            search,
            rows: Vec::new(),
            crossings: Vec::new(),
            overlapping: Vec::new(),
            parting: Vec::new(),
            stuck: Vec::new(),
            start: Vec::new(),
            shifts: Vec::new(),
            loads: Loads::default(),
            bends: Vec::new(),
        })
    }

    /// Finds gaps, and which bodies overlap.
    fn look(
        &mut self,
        motion: StateView<'_>,
        bodies: &Bodies,
        dt: f64,
    ) -> Result<(), ResponseError> {
        let BodyBarrier { search, apart, rows, crossings, overlapping, .. } = self;
        let reach = self.settings.reach;
        let query = ContactQuery { motion, bodies, obstacles: &[], settings: within(reach), dt };
        search.find(query, rows)?;
        apart.fit(motion.positions, bodies, &search.features, reach);
        apart.crossings(motion.positions, &search.features, crossings);
        overlapping.clear();
        overlapping.extend(crossings.iter().map(|crossing| crossing.pair));
        overlapping.extend(rows.iter().filter(|row| is_inside(row)).filter_map(pair));
        overlapping.sort_unstable();
        overlapping.dedup();
        Ok(())
    }

    /// Keeps the contacts of separate bodies, with all edges.
    fn keep_apart(&mut self, positions: &[Vec3]) {
        let BodyBarrier { settings, search, apart, rows, stuck, .. } = self;
        rows.retain(|row| matches!(row.feature, Feature::VertexBody(..)));
        apart.edges(positions, &search.features, settings.reach, rows);
        rows.retain(|row| !is_among(stuck, row));
    }

    /// Separates overlapping bodies in `start`; adds the shifts to the output.
    fn separate(
        &mut self,
        context: StepContext<'_>,
        output: &mut ContactOutput,
    ) -> Result<(), ResponseError> {
        let StepContext { bodies, motion, dt, .. } = context;
        let mut start = std::mem::take(&mut self.start);
        start.clear();
        start.extend_from_slice(motion.positions);
        self.parting.clear();
        for round in 0..=ROUNDS {
            let motion = StateView { positions: &start, ..motion };
            self.look(motion, bodies, dt)?;
            self.parting.extend_from_slice(&self.overlapping);
            self.parting.sort_unstable();
            self.parting.dedup();
            if round == ROUNDS || self.is_clear() {
                break;
            }
            self.aim();
            self.shifts.clear();
            let context = StepContext { motion, ..context };
            self.split.find(context, &mut self.rows, &mut self.shifts)?;
            let sizes = &self.search.features.sizes;
            let least =
                |shift: &RigidShift| STALLED * self.settings.reach * sizes[shift.body.index()];
            if self.shifts.iter().all(|shift| shift.shift.length() < least(shift)) {
                // The gaps are no longer those found.
                let motion = StateView { positions: &start, ..motion };
                self.look(motion, bodies, dt)?;
                break;
            }
            for shift in &self.shifts {
                shift.apply(&mut start[bodies.vertices(shift.body)]);
            }
            output.rigid_shifts.extend_from_slice(&self.shifts);
        }
        self.stuck.clone_from(&self.overlapping);
        self.keep_apart(&start);
        self.start = start;
        Ok(())
    }

    /// Whether all pairs that are being separated are far enough apart.
    fn is_clear(&self) -> bool {
        let near = |row: &Contact| {
            let seems_passed = row.gap <= 0.0 && !is_inside(row);
            !seems_passed && row.gap < CLEAR * self.settings.reach * row.size
        };
        let mut parting = self.rows.iter().filter(|row| is_among(&self.parting, row));
        self.overlapping.is_empty() && !parting.any(near)
    }

    /// Sets position correction to open the gaps of pairs to separate and keep all others.
    fn aim(&mut self) {
        let BodyBarrier { settings, rows, parting, .. } = self;
        rows.retain(|row| row.gap > 0.0 || is_among(parting, row));
        for row in rows {
            // Position correction opens to half the offset.
            let goal = if is_among(parting, row) { settings.reach * row.size } else { row.gap };
            row.offset = 2.0 * goal;
        }
    }

    /// Outputs the forces of all gaps within reach, and shorter steps if they are too stiff.
    fn push(&mut self, context: StepContext<'_>, output: &mut ContactOutput) {
        let BodyBarrier { settings, rows, loads, bends, .. } = self;
        let StepContext { bodies, dt, pins, .. } = context;
        rows.retain(|row| row.gap > 0.0 && row.gap < settings.reach * row.size);
        loads.start(bodies.vertex_count());
        rows.iter().for_each(|row| loads.add(row.terms()));
        bends.clear();
        bends.resize(bodies.vertex_count(), 0.0);
        for row in &*rows {
            let Some(joint) = Joint::new(row.terms(), row.normal, loads, context) else { continue };
            let strength = match settings.strength {
                Strength::Fixed(strength) => strength,
                Strength::OfSpeed(speed) => {
                    joint.mass * pliant::math::powi(speed.max(joint.approach()), 2)
                }
            };
            let potential = potential(row.gap, strength, settings.reach * row.size);
            let force = joint.rub(-potential.slope, settings.friction);
            for (vertex, weight) in row.terms() {
                bends[vertex.index()] += weight.abs() * potential.bend / joint.mass;
                output.forces.push((vertex, weight * force));
            }
        }
        pins.vertices().iter().for_each(|vertex| bends[vertex.index()] = 0.0);
        let stiff = |row: &Contact| {
            let most = row.terms().fold(0.0_f64, |most, (v, _)| most.max(bends[v.index()]));
            let excess = most * dt * dt / MOST;
            // The force near the surface goes as 1/gap, its slope as 1/gap².
            let limit = row.gap * excess.sqrt();
            let vertex = row.vertices[0];
            (excess > 1.0).then_some(StepRejection { vertex, what: NEAR, value: row.gap, limit })
        };
        output.rejection = output.rejection.or_else(|| rows.iter().find_map(stiff));
        output.stats.add(ContactStats { contacts: rows.len(), unresolved: 0, shift: 0.0 });
    }

    /// Why a step from `start` must not be accepted.
    fn refusal(
        &mut self,
        context: StepContext<'_>,
    ) -> Result<Option<StepRejection>, ResponseError> {
        let StepContext { bodies, motion, dt, .. } = context;
        let ways = [&self.start[..], motion.positions];
        let reach = self.settings.reach;
        if let Some(leap) = self.apart.leap(ways, bodies, &self.search.features, reach) {
            let (value, limit) = (leap.way, leap.limit);
            return Ok(Some(StepRejection { vertex: leap.vertex, what: "a way of", value, limit }));
        }
        self.look(motion, bodies, dt)?;
        let held_off = |pair: &[BodyId; 2]| self.stuck.binary_search(pair).is_err();
        if let Some(crossing) = self.crossings.iter().find(|crossing| held_off(&crossing.pair)) {
            let vertex = crossing.vertex;
            return Ok(Some(StepRejection { vertex, what: NEAR, value: 0.0, limit: 0.0 }));
        }
        self.keep_apart(motion.positions);
        Ok(self.rows.iter().find_map(|row| self.shrunk(row)))
    }

    /// Rejects a contact that has closed too far, as seen along its normal now.
    fn shrunk(&self, row: &Contact) -> Option<StepRejection> {
        let (value, vertex) = (row.gap, row.vertices[0]);
        if value <= 0.0 {
            return Some(StepRejection { vertex, what: NEAR, value, limit: 0.0 });
        }
        let before: Vec3 = row.terms().map(|(v, weight)| weight * self.start[v.index()]).sum();
        let old = row.normal.dot(before).min(self.settings.reach * row.size);
        let limit = (1.0 - self.settings.change) * old;
        // From the other side it has passed through.
        (old <= 0.0 || value < limit).then_some(StepRejection { vertex, what: NEAR, value, limit })
    }
}

/// The quantity of a rejection.
const NEAR: &str = "a distance of";

/// The bodies of a contact, the smaller number first.
fn pair(row: &Contact) -> Option<[BodyId; 2]> {
    let (a, b) = row.bodies;
    b.map(|b| [a.min(b), a.max(b)])
}

fn is_among(pairs: &[[BodyId; 2]], row: &Contact) -> bool {
    pair(row).is_some_and(|pair| pairs.binary_search(&pair).is_ok())
}

/// Whether a contact is that of a vertex inside a body, or on it.
fn is_inside(row: &Contact) -> bool {
    matches!(row.feature, Feature::VertexBody(..)) && row.gap <= 0.0
}

impl Response for BodyBarrier {
    fn pre_step(&mut self, context: StepContext<'_>, output: &mut ContactOutput) {
        {
            let _timer = StageTimer::new(context.profiler, Stage::Detect);
            if let Err(error) = self.separate(context, output) {
                output.failure = Some(error);
                return;
            }
        }
        let _timer = StageTimer::new(context.profiler, Stage::Contact);
        // Velocities are those of the context; positions have been shifted.
        let start = std::mem::take(&mut self.start);
        let motion = StateView { positions: &start, ..context.motion };
        self.push(StepContext { motion, ..context }, output);
        self.start = start;
        let (unresolved, shift) = (self.search.unresolved, output.longest_shift());
        output.stats.add(ContactStats { contacts: 0, unresolved, shift });
    }

    fn post_step(&mut self, context: StepContext<'_>, output: &mut ContactOutput) {
        let _timer = StageTimer::new(context.profiler, Stage::Detect);
        if output.rejection.is_none() {
            match self.refusal(context) {
                Ok(rejection) => output.rejection = rejection,
                Err(error) => output.failure = Some(error),
            }
        }
    }

    fn set_threads(&mut self, threads: usize) {
        self.search.set_threads(threads);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::fixtures::{TIP, VertexInFace};

    /// Numbers are below ten thousand and a handful of operations long.
    const TOLERANCE: f64 = 1e-11;

    fn settings(strength: Strength) -> BodyBarrierSettings {
        // The smaller tet is 2.25 m high: 0.225 m.
        BodyBarrierSettings { strength, reach: 0.1, change: 0.2, friction: 0.0 }
    }

    fn barrier(strength: Strength) -> BodyBarrier {
        let poke = VertexInFace::new();
        BodyBarrier::new(&poke.positions, &poke.bodies, settings(strength)).unwrap()
    }

    fn before(poke: &VertexInFace, barrier: &mut BodyBarrier) -> ContactOutput {
        let mut output = ContactOutput::default();
        barrier.pre_step(poke.context(), &mut output);
        output
    }

    #[test]
    fn the_push_is_the_slope_of_the_potential_in_shares() {
        // Reach 0.225 m, gap half of it: −(2 · 0.5 ln 0.5 − 0.25 / 0.5) / 0.225 m.
        let slope = (0.5 - libm::log(0.5)) / 0.225;
        let joint = 0.64;
        for (strength, energy) in
            [(Strength::Fixed(3.0), 3.0), (Strength::OfSpeed(2.0), 4.0 * joint)]
        {
            let output = before(&VertexInFace::at_height(0.1125), &mut barrier(strength));
            let wanted = [(TIP.0, 1.0), (0, -0.5), (1, -0.25), (2, -0.25)];
            assert_eq!(output.forces.len(), 4);
            for ((vertex, force), (number, weight)) in output.forces.into_iter().zip(wanted) {
                assert_eq!(vertex.0, number);
                let expected = weight * energy * slope * Vec3::Z;
                assert!(force.abs_diff_eq(expected, TOLERANCE), "{force} {expected}");
            }
        }
        assert!(
            before(&VertexInFace::at_height(0.23), &mut barrier(Strength::Fixed(3.0)))
                .forces
                .is_empty()
        );
    }

    #[test]
    fn a_fast_approach_is_pushed_by_its_square_and_parting_is_not() {
        let force = |speed: f64| {
            let mut poke = VertexInFace::at_height(0.1125);
            poke.velocities[TIP.index()] = speed * Vec3::Z;
            before(&poke, &mut barrier(Strength::OfSpeed(2.0))).forces[0].1.z
        };
        assert!((force(-6.0) / force(0.0) - 9.0).abs() < TOLERANCE);
        assert_eq!([force(-2.0), force(6.0)], [force(0.0); 2]);
    }

    #[test]
    fn a_step_too_long_for_the_stiffness_is_refused_before_it_acts() {
        // 0.1 s; the tip alone bears bend / 0.64 kg ≤ 100 1/s².
        let share = 0.5_f64;
        let bend = -2.0 * libm::log(share) + 4.0 + 1.0;
        let most = 64.0 * 0.225 * 0.225 / bend;
        for (part, refused) in [(0.99, false), (1.01, true)] {
            let strength = Strength::Fixed(part * most);
            let output = before(&VertexInFace::at_height(0.1125), &mut barrier(strength));
            assert_eq!(output.rejection.is_some(), refused, "{:?}", output.rejection);
        }
    }

    #[test]
    fn a_gap_may_close_by_its_share_and_no_more() {
        let check = |from: f64, to: f64, refused: bool| {
            let mut barrier = barrier(Strength::Fixed(0.1));
            before(&VertexInFace::at_height(from), &mut barrier);
            let mut output = ContactOutput::default();
            barrier.post_step(VertexInFace::at_height(to).context(), &mut output);
            assert_eq!(output.rejection.is_some(), refused, "{from} {to} {:?}", output.rejection);
        };
        check(0.1, 0.0801, false);
        check(0.1, 0.0799, true);
        check(0.3, 0.1801, false); // from beyond the reach: 0.8 · 0.225 m
        check(0.3, 0.1799, true);
        check(0.1, 0.2, false);
        check(0.1, 0.0, true);
        check(0.1, -0.05, true);
        check(0.5, 0.7, false);
    }

    #[test]
    fn what_overlaps_is_first_shifted_apart_and_the_centre_of_mass_stays() {
        let poke = VertexInFace::moving(-Vec3::Z);
        let mut barrier = barrier(Strength::Fixed(1.0));
        let output = before(&poke, &mut barrier);
        let mut moved = poke.positions.clone();
        for shift in &output.rigid_shifts {
            shift.apply(&mut moved[poke.bodies.vertices(shift.body)]);
        }
        assert_eq!(moved, barrier.start);
        // What is still within the reach of 0.225 m is nearly beyond it; 0.25 m were lacking.
        assert!(barrier.rows.iter().all(|row| row.gap >= CLEAR * 0.225), "{:?}", barrier.rows);
        assert!(moved[TIP.index()].z - moved[0].z > 0.1);
        let centre = |at: &[Vec3]| -> Vec3 {
            at.iter().zip(poke.masses.of()).map(|(p, m)| *m * *p).sum::<Vec3>()
        };
        assert!(centre(&moved).abs_diff_eq(centre(&poke.positions), TOLERANCE));
        assert!(output.stats.shift > 0.0);
    }

    #[test]
    fn what_cannot_be_taken_apart_is_left_alone() {
        let mut poke = VertexInFace::new();
        let all: Vec<_> = (0..8).map(pliant::id::VertexId).collect();
        poke.pins = pliant::body::pins::Pins::still(&all, &poke.positions).unwrap();
        let mut barrier = barrier(Strength::Fixed(1.0));
        let output = before(&poke, &mut barrier);
        assert!(output.rigid_shifts.is_empty() && output.forces.is_empty());
        let mut output = ContactOutput::default();
        barrier.post_step(poke.context(), &mut output);
        assert_eq!(output.rejection, None);
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let poke = VertexInFace::new();
        let message = |settings: BodyBarrierSettings| {
            let made = BodyBarrier::new(&poke.positions, &poke.bodies, settings);
            made.unwrap_err().to_string()
        };
        let sound = BodyBarrierSettings::default();
        let wanted = "the speed of a bodily barrier is 0: it must be positive and finite";
        let strength = Strength::OfSpeed(0.0);
        assert_eq!(message(BodyBarrierSettings { strength, ..sound }), wanted);
        assert!(message(BodyBarrierSettings { reach: f64::INFINITY, ..sound }).contains("reach"));
        assert!(message(BodyBarrierSettings { change: 1.0, ..sound }).contains("change"));
        assert!(message(BodyBarrierSettings { friction: -0.1, ..sound }).contains("friction"));
    }
}
