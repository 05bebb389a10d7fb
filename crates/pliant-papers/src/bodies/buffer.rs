//! Penalty forces between bodies that begin before the surface.
//!
//! A spring between every two features of different bodies nearer than the buffer: vertex and
//! nearest point, edge and edge, and for vertices inside the way out. A buffer that is
//! wide enough for the loads keeps surfaces apart; none keeps them apart for any load.
//!
//! | here       | lecture | meaning                                                   |
//! |------------|---------|-----------------------------------------------------------|
//! | `gap`      | φ       | distance of the two features, m; negative in an overlap    |
//! | `buffer`   | ε       | gap at which the push begins, per size of the smaller body |
//! | depth      | ε − φ   | way into the buffer, m                                     |
//!
//! Both forces act along the line through the two points, so they turn nothing; the stiffness
//! that a step bears is that of [`law`](crate::bodies::law).

use crate::bodies::law::{Joint, Loads, Spring, SpringConstants};
use crate::bodies::{Acting, DAMPING, FRACTION, IMPLICIT};
use pliant::body::Bodies;
use pliant::contact::Contact;
use pliant::contact::margin::MarginSettings;
use pliant::contact::output::{ContactOutput, ContactSpring, ContactStats};
use pliant::contact::response::Stiffness;
use pliant::contact::response::refuse_unsound;
use pliant::contact::response::{Response, ResponseError, StepContext};
use pliant::contact::search::{ContactQuery, ContactSettings, Search};
use pliant::math::Vec3;
use pliant::profile::{Stage, StageTimer};

/// Settings of a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BufferSettings {
    /// Gap at which the push begins, per size of the smaller body; at least 0.
    ///
    /// With 0 it is a plain penalty.
    pub buffer: f64,
    /// How hard springs push.
    ///
    /// [`Stiffness::OfStep`] takes the joint mass of both sides and gives way where many
    /// contacts meet, so that it is stable; a fixed one may not be.
    pub stiffness: Stiffness,
    /// Share of critical damping; at least 0. Never pulls.
    pub damping: f64,
    /// Coulomb's coefficient; at least 0.
    pub friction: f64,
    /// How springs act.
    pub acting: Acting,
}

impl BufferSettings {
    /// A fiftieth of the size, stiffness from the masses and a step of `dt` seconds.
    pub fn of_step(dt: f64) -> BufferSettings {
        let stiffness = Stiffness::OfStep { fraction: FRACTION, dt };
        let (damping, friction, acting) = (DAMPING, 0.3, Acting::Forces);
        BufferSettings { buffer: 0.02, stiffness, damping, friction, acting }
    }

    /// The same as springs within the step, ten times stiffer than the masses over its square.
    pub fn implicit(dt: f64) -> BufferSettings {
        let stiffness = Stiffness::OfStep { fraction: IMPLICIT, dt };
        BufferSettings { stiffness, acting: Acting::Springs, ..BufferSettings::of_step(dt) }
    }

    fn check(&self) -> Result<(), ResponseError> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let not_negative = |value: f64| value >= 0.0 && value.is_finite();
        let given = match self.stiffness {
            Stiffness::Fixed(given) => given,
            Stiffness::OfStep { fraction, dt } => fraction / (dt * dt),
        };
        let list = [
            ("width", self.buffer, not_negative(self.buffer), "at least 0 and finite"),
            ("stiffness", given, positive(given), "positive and finite"),
            ("damping", self.damping, not_negative(self.damping), "at least 0 and finite"),
            ("friction", self.friction, not_negative(self.friction), "at least 0 and finite"),
        ];
        refuse_unsound("buffer", &list)
    }
}

impl Default for BufferSettings {
    /// For steps of 1/60 s.
    fn default() -> BufferSettings {
        BufferSettings::of_step(1.0 / 60.0)
    }
}

/// A search that finds gaps up to `reach`, per size of the smaller body, at any speed.
pub(super) fn within(reach: f64) -> ContactSettings {
    // A search goes one offset beyond the offset, whatever the speed.
    let margin =
        MarginSettings { offset: 0.5 * reach, speculative_distance: 0.0, steps_ahead: 0.0 };
    ContactSettings { margin, friction: 0.0 }
}

/// Penalty forces between bodies that begin before the surface.
///
/// Edges count too, so bodies that cross without a vertex inside are pushed apart. A contact of
/// edges begins and ends where one slides over the end of the other; its force jumps there.
///
/// Has no state that later steps depend on, and allocates nothing once warm.
///
/// - Implements: [Wang21 slide "Quadratic Penalty Method with a Buffer"], between bodies; without
///   one [Wang21 slide "Quadratic Penalty Method"].
/// - Deviates: the formulas are figures and missing from the text; f = k (ε − φ) N for φ < ε
///   (erratum R13). Inside, N is the consistent direction and φ the way along it.
#[derive(Debug)]
pub struct Buffer {
    settings: BufferSettings,
    search: Search,
    rows: Vec<Contact>,
    loads: Loads,
}

impl Buffer {
    /// Prepares for a scene; sizes of bodies are those in `rest`.
    pub fn new(
        rest: &[Vec3],
        bodies: &Bodies,
        settings: BufferSettings,
    ) -> Result<Buffer, ResponseError> {
        settings.check()?;
        let (rows, loads) = (Vec::new(), Loads::default());
        Ok(Buffer { settings, search: Search::new(rest, bodies)?, rows, loads })
    }
}

impl Response for Buffer {
    fn pre_step(&mut self, context: StepContext<'_>, output: &mut ContactOutput) {
        let StepContext { bodies, motion, dt, profiler, .. } = context;
        let Buffer { settings, search, rows, loads } = self;
        let BufferSettings { buffer, stiffness, damping, friction, acting } = *settings;
        {
            let _timer = StageTimer::new(profiler, Stage::Detect);
            let settings = within(buffer);
            let query = ContactQuery { motion, bodies, obstacles: &[], settings, dt };
            if let Err(error) = search.find(query, rows) {
                output.failure = Some(error);
                return;
            }
        }
        let _timer = StageTimer::new(profiler, Stage::Contact);
        rows.retain(|row| row.gap < buffer * row.size);
        loads.start(bodies.vertex_count());
        rows.iter().for_each(|row| loads.add(row.terms()));
        let spring = Spring { stiffness, damping, friction };
        let mut contacts = 0;
        for row in &*rows {
            let Some(joint) = Joint::new(row.terms(), row.normal, loads, context) else { continue };
            let depth = buffer * row.size - row.gap;
            let force = match acting {
                Acting::Forces => joint.spring(depth, &spring),
                Acting::Springs => {
                    let SpringConstants { stiffness, damping } =
                        joint.constants(&spring, f64::INFINITY);
                    output.springs.push(ContactSpring { contact: *row, depth, stiffness, damping });
                    contacts += 1;
                    let normal = (stiffness * depth).max(0.0);
                    joint.rub(normal, friction) - normal * row.normal
                }
            };
            contacts += usize::from(acting == Acting::Forces && force != Vec3::ZERO);
            if force != Vec3::ZERO {
                output.forces.extend(row.terms().map(|(vertex, weight)| (vertex, weight * force)));
            }
        }
        output.stats.add(ContactStats { contacts, unresolved: search.unresolved, shift: 0.0 });
    }

    fn set_threads(&mut self, threads: usize) {
        self.search.set_threads(threads);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::fixtures::{TIP, VertexInFace};

    /// Numbers are below ten and a handful of operations long.
    const TOLERANCE: f64 = 1e-13;

    fn settings(stiffness: Stiffness) -> BufferSettings {
        // The smaller tet is 2.25 m high: 0.225 m.
        let acting = Acting::Forces;
        BufferSettings { buffer: 0.1, stiffness, damping: 0.0, friction: 0.0, acting }
    }

    /// The force on a tip at a height must be this, and its reaction lie in shares on the face.
    #[track_caller]
    fn check(height: f64, stiffness: Stiffness, expected: f64) {
        let (rest, poke) = (VertexInFace::new().positions, VertexInFace::at_height(height));
        let mut output = ContactOutput::default();
        let made = Buffer::new(&rest, &poke.bodies, settings(stiffness));
        made.unwrap().pre_step(poke.context(), &mut output);
        let wanted = [(TIP.0, 1.0), (0, -0.5), (1, -0.25), (2, -0.25)];
        assert_eq!(output.forces.len(), if expected == 0.0 { 0 } else { 4 });
        for ((vertex, force), (number, weight)) in output.forces.into_iter().zip(wanted) {
            assert_eq!(vertex.0, number);
            assert!(force.abs_diff_eq(weight * expected * Vec3::Z, TOLERANCE), "{force}");
        }
    }

    #[test]
    fn the_push_begins_at_the_buffer_and_goes_on_inside() {
        let stiffness = Stiffness::Fixed(2.0);
        check(0.23, stiffness, 0.0);
        check(0.125, stiffness, 0.2); // 2 N/m × (0.225 − 0.125) m
        check(-0.25, stiffness, 0.95);
    }

    #[test]
    fn the_force_is_continuous_across_the_surface() {
        for height in [1e-9, -1e-9] {
            check(height, Stiffness::Fixed(2.0), 2.0 * (0.225 - height));
        }
    }

    #[test]
    fn stiffness_follows_step_and_joint_mass() {
        // 0.5 × 0.64 kg / (0.2 s)² × 0.1 m.
        check(0.125, Stiffness::OfStep { fraction: 0.5, dt: 0.2 }, 0.8);
        // No more than what a step of 0.2 s bears: 0.64 kg / (0.2 s)².
        check(0.125, Stiffness::OfStep { fraction: 9.0, dt: 0.2 }, 1.6);
    }

    #[test]
    fn settings_that_cannot_push_are_refused() {
        let poke = VertexInFace::new();
        let message = |settings: BufferSettings| {
            Buffer::new(&poke.positions, &poke.bodies, settings).unwrap_err().to_string()
        };
        let sound = BufferSettings::default();
        let wanted = "the width of a buffer is -1: it must be at least 0 and finite";
        assert_eq!(message(BufferSettings { buffer: -1.0, ..sound }), wanted);
        assert!(message(BufferSettings::of_step(0.0)).contains("stiffness of a buffer is inf"));
        assert!(message(BufferSettings { damping: -1.0, ..sound }).contains("damping"));
        assert!(message(BufferSettings { friction: f64::NAN, ..sound }).contains("friction"));
    }
}
