//! The contact surface: overlapping surfaces meet where their pressures are equal.
//!
//! Stages 3 to 5 of [Spillmann05 §4]. After a free step the vertices inside other bodies, and
//! the corners of the triangles that they must pass, are moved towards each other until the
//! material of both sides resists with the same pressure; then velocities no longer approach.
//! No stiffness is chosen: the materials alone decide where the surface comes to lie.
//!
//! Several formulas do not work as printed. [`Corrections`] names them, and each can be had
//! as printed, so that a comparison shows what it is worth.
//!
//! `triangles` finds which vertex passes which triangle, `region` which vertices are moved and
//! how far at most, `balance` how much of that, `velocity` the velocities afterwards.

pub mod triangles;

pub mod region;

pub mod balance;

pub mod velocity;

pub mod rigid_approach;

pub mod near;

#[cfg(test)]
mod tests;

use crate::surface::balance::Balance;
use crate::surface::near::Near;
use crate::surface::region::Region;
use crate::surface::triangles::Touches;
use crate::surface::velocity::VelocityCorrection;
use pliant::body::Bodies;
use pliant::body::soft::StateView;
use pliant::contact::output::{ContactOutput, ContactStats};
use pliant::contact::response::{Response, ResponseError, StepContext};
use pliant::depth::{DepthSettings, Scope};
use pliant::force::Forces;
use pliant::math::Vec3;
use pliant::profile::{Stage, StageTimer};

/// Most iterations: beyond, steps are lost in the rounding of the fraction.
const MOST_ITERATIONS: u32 = 52;

/// Margin of [`SurfaceSettings::settling`], per size of the smaller body.
const MARGIN: f64 = 0.005;

/// Which form of a formula is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// As it must read to do what the text says.
    #[default]
    Corrected,
    /// As printed.
    Printed,
}

/// Where the printed method is corrected.
///
/// - Erratum: [Spillmann05 eq. 1–2] and the steps of [Spillmann05 §4.4.1]; each field names
///   its test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Corrections {
    /// Eq. 1: ways out of the other side count with the opposite sign (erratum S1).
    ///
    /// Printed, they cancel the vertex's own: `a_uniform_layer_is_displaced_by_its_depth`.
    pub sign: Form,
    /// Steps of 1/2, 1/4, 1/8 … (erratum S2).
    ///
    /// Printed, 1/4 is left out and the ends are out of reach: `printed_steps_miss_the_ends`.
    pub steps: Form,
    /// Eq. 2: forces of the other side are divided by their own areas (erratum S4).
    ///
    /// Printed, a finer mesh seems softer: `equal_stress_is_equal_pressure_at_any_density`.
    pub areas: Form,
    /// Weights are those of the point where the way out meets the triangle (erratum S5).
    ///
    /// Printed, they sum to more than 1: `printed_weights_grow_with_the_distance`.
    pub weights: Form,
    /// Vertices inside their own body stay where they are (erratum S8).
    ///
    /// Printed, all colliding vertices are displaced: `inner_vertices_stay`.
    pub inner: Form,
    /// The corners of the own triangle fill up a comparison that lacks weight (erratum S12).
    ///
    /// Printed, they enter all at once when the set is empty, and the pressure jumps:
    /// `pressure_is_continuous_when_the_last_vertex_leaves`.
    pub sparse: Form,
}

impl Corrections {
    /// Everything as printed.
    pub const PRINTED: Corrections = Corrections {
        sign: Form::Printed,
        steps: Form::Printed,
        areas: Form::Printed,
        weights: Form::Printed,
        inner: Form::Printed,
        sparse: Form::Printed,
    };
}

/// What is treated first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CorrectionLevel {
    /// Vertices alone.
    #[default]
    Vertices,
    /// Whole bodies as if they were rigid, and vertices with what is left.
    Bodies,
}

/// Settings of a contact surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceSettings {
    /// How depths are computed; the paper takes bodies in pairs.
    pub depth: DepthSettings,
    /// Times that the place of the surface is chosen, the first halfway; at least 1.
    pub iterations: u32,
    /// Coulomb's coefficient; at least 0.
    pub friction: f64,
    /// Which formulas are corrected.
    pub corrections: Corrections,
    /// Gap within which vertices are in contact, per size of the smaller body.
    ///
    /// At least 0; with 0 only what is inside is.
    pub margin: f64,
    /// What is separated where a step begins with overlap; the paper separates nothing.
    ///
    /// Bodies are shifted apart up to half the margin, which changes no velocity.
    pub overlap: CorrectionLevel,
    /// Whose approach ends first, which [Spillmann05 §4.5] leaves open (erratum S16).
    pub approach: CorrectionLevel,
}

impl Default for SurfaceSettings {
    /// Four iterations as in [Spillmann05 §4.4.1], friction 0.3.
    fn default() -> SurfaceSettings {
        let depth = DepthSettings { scope: Scope::Pairs, ..DepthSettings::default() };
        SurfaceSettings {
            depth,
            iterations: 4,
            friction: 0.3,
            corrections: Corrections::default(),
            margin: 0.0,
            overlap: CorrectionLevel::Vertices,
            approach: CorrectionLevel::Vertices,
        }
    }
}

impl SurfaceSettings {
    /// A margin, and whole bodies first, in place and in speed.
    ///
    /// For bodies that lie on others: not for what is squeezed, see [`ContactSurface`].
    pub fn settling() -> SurfaceSettings {
        let (overlap, approach) = (CorrectionLevel::Bodies, CorrectionLevel::Bodies);
        SurfaceSettings { margin: MARGIN, overlap, approach, ..SurfaceSettings::default() }
    }

    /// Rejects settings outside their ranges.
    fn check(&self) -> Result<(), ResponseError> {
        let SurfaceSettings { depth, iterations, friction, margin, .. } = *self;
        let exponent = depth.exponent;
        let list = [
            (
                "number of iterations",
                f64::from(iterations),
                (1..=MOST_ITERATIONS).contains(&iterations),
                "1 to 52",
            ),
            (
                "friction",
                friction,
                friction >= 0.0 && friction.is_finite(),
                "at least 0 and finite",
            ),
            ("margin", margin, margin >= 0.0 && margin.is_finite(), "at least 0 and finite"),
            ("exponent", exponent, exponent > 0.0 && exponent.is_finite(), "positive and finite"),
        ];
        match list.iter().find(|(_, _, sound, _)| !sound) {
            None => Ok(()),
            Some(&(what, value, _, rule)) => {
                Err(ResponseError::Setting { response: "contact surface", what, value, rule })
            }
        }
    }
}

/// What the shifts of a step changed that forces would have kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Changes {
    /// Number of vertices that were shifted.
    pub vertices: usize,
    /// Longest way of a vertex, m.
    pub longest: f64,
    /// Way of the centre of mass, m.
    pub centre: Vec3,
    /// Angular momentum, kg·m²/s.
    pub angular_momentum: Vec3,
}

/// The response that computes contact surfaces.
///
/// Has no state that later steps depend on, and allocates nothing once warm. The forces of the
/// elements around what is moved are evaluated once per iteration but the last.
///
/// Where it comes to rest: speed (rms), m/s, and vertices inside after 5 s, corrected and
/// vertices alone, with whole bodies stopped first, and
/// [settling](SurfaceSettings::settling); last that of the engine's own
/// [`constraint`](pliant::solve::constraint).
///
/// | scene, step                          | alone       | bodies first | settling    | rows     |
/// |--------------------------------------|-------------|--------------|-------------|----------|
/// | two slabs of 11 × 11 × 2, 1/60 s     | 0.29, 71    | 0.11, 61     | 0.015, 47   | 0.000, 0 |
/// | the same, 1/960 s                    | 0.020, 77   | 0.009, 64    | 0.009, 0    |          |
/// | block on block, 1/60 s               | thrown off  | thrown off   | 0.14, 4     | 0.011, 0 |
/// | the same, 1/960 s                    | 0.060, 15   | thrown off   | thrown off  |          |
/// | soft ball between stiff cubes, 1/60 s | 0.025, 22  | 0.026, 12    | thrown out  | 0.000, 0 |
/// | the same, 1/960 s                    | 0.012, 8    | 0.002, 9     | thrown out  |          |
/// | 8 balls of 20 tets in a box, 1/60 s  | 0.41, 43    | 0.24, 27     | thrown out  | 0.000, 0 |
/// | the same, 1/960 s                    | 0.037, 31   | 0.047, 24    |             |          |
/// | 8 balls of 147 vertices, 1/60 s      | 1.1, 238    | 0.18, 142    | thrown out  | 0.003, 0 |
///
/// A shift strains what it moves, and stiff material undoes it within one long step. Short steps
/// suit it, and thin bodies that lie on others; piles do not. Whole bodies first mostly help,
/// not always: both are options, off by default. A margin alone changes little. Shifts of
/// whole bodies fail where a body is held from two sides.
///
/// Impulses keep momentum; shifts change no velocity, but move the centre of mass and store
/// energy, which comes back as speed: see [`ContactSurface::changes`] and
/// [`ContactSurface::stored`].
///
/// - Implements: [Spillmann05 §4.2–4.5].
/// - Deviates: see [`Corrections`]; a vertex in several pairs, which [Spillmann05 §4] leaves
///   open (erratum S18), is moved by [`region::combined`].
#[derive(Debug)]
pub struct ContactSurface {
    settings: SurfaceSettings,
    touches: Touches,
    region: Region,
    balance: Balance,
    stops: VelocityCorrection,
    /// Only where the settings ask for it.
    near: Option<Box<Near>>,
    changes: Changes,
}

impl ContactSurface {
    /// Prepares for a scene; `rest` decides how its surfaces are put into trees.
    pub fn new(
        rest: &[Vec3],
        bodies: &Bodies,
        settings: SurfaceSettings,
    ) -> Result<ContactSurface, ResponseError> {
        settings.check()?;
        let looks = settings.margin > 0.0 || settings.overlap == CorrectionLevel::Bodies;
        let near = if looks { Some(Box::new(Near::new(rest, bodies)?)) } else { None };
        Ok(ContactSurface {
            near,
            settings,
            touches: Touches::new(rest, bodies)?,
            region: Region::default(),
            balance: Balance::default(),
            stops: VelocityCorrection::default(),
            changes: Changes::default(),
        })
    }

    /// What the last shifts would change; see also [`ContactSurface::stored`].
    pub fn changes(&self) -> Changes {
        self.changes
    }

    /// Potential energy that the last shifts would store, J.
    ///
    /// `motion` and `forces` are those that they were computed with. Costs as much as an
    /// iteration or two, and so is computed on demand only.
    pub fn stored(&self, motion: StateView<'_>, forces: &Forces) -> f64 {
        if self.changes.vertices == 0 { 0.0 } else { self.balance.stored(motion, forces) }
    }

    /// Outputs the shifts, and sums what they change.
    fn shift(&mut self, context: StepContext<'_>, output: &mut ContactOutput) {
        let StepContext { motion, masses, .. } = context;
        let (mut changes, total) = (Changes::default(), masses.total());
        for (&vertex, &way) in self.region.moved().iter().zip(self.balance.ways()) {
            let (k, length) = (vertex.index(), way.length());
            if length == 0.0 {
                continue;
            }
            output.shifts.push((vertex, way));
            changes.vertices += 1;
            changes.longest = changes.longest.max(length);
            changes.centre += masses.of()[k] / total * way;
            changes.angular_momentum += masses.of()[k] * way.cross(motion.velocities[k]);
        }
        self.changes = changes;
    }
}

impl Response for ContactSurface {
    fn pre_step(&mut self, context: StepContext<'_>, output: &mut ContactOutput) {
        let SurfaceSettings { overlap, margin, .. } = self.settings;
        if let Some(near) = self.near.as_mut().filter(|_| overlap == CorrectionLevel::Bodies) {
            let _timer = StageTimer::new(context.profiler, Stage::Contact);
            if let Err(error) = near.part(context, margin, &mut output.rigid_shifts) {
                output.failure = Some(error);
                return;
            }
            let shift = output.longest_shift();
            output.stats.add(ContactStats { shift, ..ContactStats::default() });
        }
    }

    /// Without forces nothing resists: both sides go halfway.
    fn post_step(&mut self, context: StepContext<'_>, output: &mut ContactOutput) {
        self.post_step_with_forces(context, &Forces::new(), output);
    }

    fn post_step_with_forces(
        &mut self,
        context: StepContext<'_>,
        forces: &Forces,
        output: &mut ContactOutput,
    ) {
        let StepContext { bodies, motion, pins, profiler, .. } = context;
        let SurfaceSettings { depth, corrections, margin, .. } = self.settings;
        {
            let _timer = StageTimer::new(profiler, Stage::Depth);
            let found = self.touches.find(motion.positions, bodies, depth, corrections);
            output.failure = output.failure.or(found.err().map(ResponseError::Mismatch));
            if let Some(near) = self.near.as_mut().filter(|_| margin > 0.0) {
                match near.find(context, margin) {
                    Ok(found) => self.touches.add_near(found),
                    Err(error) => output.failure = Some(error),
                }
            }
            if output.failure.is_some() {
                return;
            }
        }
        let _timer = StageTimer::new(profiler, Stage::Contact);
        let touches = self.touches.list();
        self.region.find(motion.positions, bodies, touches, pins, corrections);
        self.balance.search(motion, forces, touches, &self.region, self.settings);
        self.stops.find(context, touches, self.settings);
        output.impulses.extend_from_slice(self.stops.impulses());
        let met = (self.touches.list().len(), self.touches.unresolved());
        self.shift(context, output);
        let shift = self.changes.longest;
        output.stats.add(ContactStats { contacts: met.0, unresolved: met.1, shift });
    }

    fn set_threads(&mut self, threads: usize) {
        self.touches.set_threads(threads);
        self.near.iter_mut().for_each(|near| near.set_threads(threads));
    }
}
