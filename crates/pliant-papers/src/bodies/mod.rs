//! Responses between bodies that act on what is near or inside, without constraints.
//!
//! The simplest, here, is as [Heidelberger04 §3.1] has it: penalty forces, springs on how deep
//! each vertex is in another body, with friction. What is inside is pushed out along its way
//! out, and the surface it must pass is pushed back. Such springs let things sink in, and
//! what they took in deep overlap comes back as speed; bodies that cross without a vertex
//! inside get no force (erratum H14).
//!
//! `penalty_pairs` finds which vertices are pushed where and what bears the reaction, `law` how
//! hard. Beside it: `impulse` resolves the same vertices at once, `buffer` pushes before
//! surfaces meet, and `barrier` never lets them, `intersection` being its exact test.

pub mod law;

pub mod penalty_pairs;

pub mod impulse;

pub mod buffer;

pub mod intersection;

pub mod barrier;

#[cfg(test)]
pub(crate) mod fixtures;

use crate::bodies::law::{Loads, Spring, SpringConstants};
use crate::bodies::penalty_pairs::{PenaltyForce, PenaltyForces, Ways};
use pliant::body::Bodies;
use pliant::contact::output::{ContactOutput, ContactSpring, ContactStats};
use pliant::contact::response::Stiffness;
use pliant::contact::response::refuse_unsound;
use pliant::contact::response::{Response, ResponseError, StepContext};
use pliant::contact::{Contact, Feature};
use pliant::depth::DepthSettings;
use pliant::depth::fused::Scratch;
use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::profile::{Stage, StageTimer};

/// Share of mass over step squared that a spring has by default.
///
/// Symplectic Euler bears f W < 4, where W is the sum of the weights of all contacts at a
/// vertex: its own, and the shares of those that push on it; see [`law`]. Surfaces with
/// like meshes have W near 2, so there is room for ten times that and for the materials.
const FRACTION: f64 = 0.1;

/// Share of critical damping by default.
///
/// A spring whose force stays the same all through a step gains f/2 of its energy in each
/// where positions are moved by the force at once, as Verlet and Runge–Kutta do. A damper
/// takes more than that from √f / 4 = 0.08 on.
const DAMPING: f64 = 0.1;

/// The same for springs that are solved together with the materials.
///
/// Such springs are stable however stiff; the stiffer, the less sinks in and the more
/// iterations a step takes.
const IMPLICIT: f64 = 10.0;

/// What the depth of a vertex is measured by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// The consistent depth of [`pliant::depth::fused`].
    #[default]
    Consistent,
    /// The nearest point of the surface, [`pliant::depth::nearest`].
    Closest,
}

impl Kind {
    /// The stable name, on which other programs may rely.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Consistent => "penalty",
            Kind::Closest => "closest",
        }
    }
}

/// How springs of contact act.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Acting {
    /// As forces of the start of the step, with any integrator.
    #[default]
    Forces,
    /// As springs that implicit Euler solves together with the materials, stable however stiff.
    ///
    /// Friction is still a force of the start.
    Springs,
}

/// Settings of penalty forces between bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPenaltySettings {
    /// What depth is measured by.
    pub kind: Kind,
    /// How depths are computed; only the scope matters to [`Kind::Closest`].
    pub depth: DepthSettings,
    /// How hard springs push.
    ///
    /// [`Stiffness::OfStep`] takes the joint mass of vertex and surface, see [`law`], and gives
    /// way where many contacts meet, so that it is stable; a fixed one may not be.
    pub stiffness: Stiffness,
    /// Share of critical damping along the way out; at least 0.
    ///
    /// Never pulls, and never takes more than ends the approach in one step.
    pub damping: f64,
    /// Coulomb's coefficient; at least 0.
    pub friction: f64,
    /// How springs act.
    pub acting: Acting,
}

impl BodyPenaltySettings {
    /// Stiffness from the masses and a step of `dt` seconds, friction 0.3.
    pub fn of_step(kind: Kind, dt: f64) -> BodyPenaltySettings {
        let stiffness = Stiffness::OfStep { fraction: FRACTION, dt };
        let depth = DepthSettings::default();
        let (damping, friction, acting) = (DAMPING, 0.3, Acting::Forces);
        BodyPenaltySettings { kind, depth, stiffness, damping, friction, acting }
    }

    /// The same as springs within the step, ten times stiffer than the masses over its square.
    pub fn implicit(kind: Kind, dt: f64) -> BodyPenaltySettings {
        let stiffness = Stiffness::OfStep { fraction: IMPLICIT, dt };
        BodyPenaltySettings {
            stiffness,
            acting: Acting::Springs,
            ..BodyPenaltySettings::of_step(kind, dt)
        }
    }

    /// Rejects settings outside their ranges.
    fn check(&self) -> Result<(), ResponseError> {
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let not_negative = |value: f64| value >= 0.0 && value.is_finite();
        let given = match self.stiffness {
            Stiffness::Fixed(given) => given,
            Stiffness::OfStep { fraction, dt } => fraction / (dt * dt),
        };
        let exponent = self.depth.exponent;
        let list = [
            ("stiffness", given, positive(given), "positive and finite"),
            ("damping", self.damping, not_negative(self.damping), "at least 0 and finite"),
            ("friction", self.friction, not_negative(self.friction), "at least 0 and finite"),
            ("exponent", exponent, positive(exponent), "positive and finite"),
        ];
        refuse_unsound(self.kind.name(), &list)
    }
}

/// Penalty forces between bodies.
///
/// Has no state that later steps depend on, and allocates nothing once warm.
///
/// - Implements: [Heidelberger04 §3.1], "linear response forces" with surface friction, and
///   [Heidelberger04 §4], the same on the closest feature.
/// - Deviates: says what [Heidelberger04 §3.1] leaves open: stiffness, damping, the law of
///   friction, and that a reaction acts on the surface.
#[derive(Debug)]
pub struct BodyPenalty {
    settings: BodyPenaltySettings,
    scratch: Scratch,
    ways: Ways,
    pushes: PenaltyForces,
    loads: Loads,
}

impl BodyPenalty {
    /// Prepares for a scene; `rest` decides how its surfaces are put into trees.
    pub fn new(
        rest: &[Vec3],
        bodies: &Bodies,
        settings: BodyPenaltySettings,
    ) -> Result<BodyPenalty, ResponseError> {
        settings.check()?;
        Ok(BodyPenalty {
            settings,
            scratch: Scratch::new(rest, bodies)?,
            ways: Ways::new(settings.kind, rest, bodies)?,
            pushes: PenaltyForces::default(),
            loads: Loads::default(),
        })
    }
}

impl Response for BodyPenalty {
    fn pre_step(&mut self, context: StepContext<'_>, output: &mut ContactOutput) {
        let StepContext { bodies, motion, profiler, .. } = context;
        {
            let _timer = StageTimer::new(profiler, Stage::Depth);
            let BodyPenalty { settings, ways, scratch, pushes, .. } = self;
            let found = ways.find(motion.positions, bodies, settings.depth, scratch, pushes);
            if let Err(error) = found {
                output.failure = Some(error.into());
                return;
            }
        }
        let _timer = StageTimer::new(profiler, Stage::Contact);
        self.loads.find(&self.pushes, bodies.vertex_count());
        let BodyPenaltySettings { stiffness, damping, friction, acting, .. } = self.settings;
        let spring = Spring { stiffness, damping, friction };
        let mut contacts = 0;
        for push in &self.pushes.list {
            let terms = self.pushes.terms(push);
            let Some(joint) = law::joint(push, terms, &self.loads, context) else { continue };
            let force = match acting {
                Acting::Forces => joint.spring(push.penetration.depth, &spring),
                Acting::Springs => {
                    let constants = joint.constants(&spring, f64::INFINITY);
                    hold(push, terms, bodies, constants, &mut output.springs);
                    let normal = constants.stiffness * push.penetration.depth;
                    joint.rub(normal, friction) - normal * push.penetration.direction
                }
            };
            contacts += usize::from(acting == Acting::Springs || force != Vec3::ZERO);
            if force != Vec3::ZERO {
                output.forces.push((push.vertex, force));
                output.forces.extend(terms.iter().map(|(v, share)| (*v, -*share * force)));
            }
        }
        output.stats.add(ContactStats { contacts, unresolved: self.pushes.unresolved, shift: 0.0 });
    }

    fn set_threads(&mut self, threads: usize) {
        self.scratch.set_threads(threads);
    }
}

/// Springs of a push, side by side: one to each surface that bears it, by what it bears.
fn hold(
    push: &PenaltyForce,
    terms: &[(VertexId, f64)],
    bodies: &Bodies,
    constants: SpringConstants,
    springs: &mut Vec<ContactSpring>,
) {
    // Each surface bears with the three corners of a triangle.
    for corners in terms.chunks_exact(3) {
        let [(a, of_a), (b, of_b), (c, of_c)] = [corners[0], corners[1], corners[2]];
        let share = of_a + of_b + of_c;
        if share <= 0.0 {
            continue;
        }
        let other = bodies.body_of(a);
        let contact = Contact {
            feature: Feature::VertexBody(push.vertex, other),
            vertices: [push.vertex, a, b, c],
            weights: [1.0, -of_a / share, -of_b / share, -of_c / share],
            count: 4,
            second: None,
            bodies: (bodies.body_of(push.vertex), Some(other)),
            normal: push.penetration.direction,
            gap: -push.penetration.depth,
            surface_velocity: Vec3::ZERO,
            min_normal_velocity: 0.0,
            bounce: 0.0,
            friction: 0.0,
            offset: 0.0,
            // Nothing here is relative to it.
            size: push.penetration.depth,
        };
        springs.push(ContactSpring {
            contact,
            depth: push.penetration.depth,
            stiffness: share * constants.stiffness,
            damping: share * constants.damping,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bodies::fixtures::{TIP, VertexInFace};
    use pliant::body::pins::Pins;
    use pliant::depth::{Penetration, Scope, Span};
    use pliant::mesh::normals::Normals;

    /// Numbers are below ten and a handful of operations long.
    const TOLERANCE: f64 = 1e-14;

    fn output(poke: &VertexInFace, settings: BodyPenaltySettings) -> ContactOutput {
        let mut response = BodyPenalty::new(&poke.positions, &poke.bodies, settings).unwrap();
        let mut output = ContactOutput::default();
        response.pre_step(poke.context(), &mut output);
        output
    }

    /// Face normals, so that depth and direction are 0.25 m and z to the last digit.
    fn settings(stiffness: Stiffness, damping: f64, friction: f64) -> BodyPenaltySettings {
        let depth = DepthSettings { normals: Normals::Face, ..DepthSettings::default() };
        let (kind, acting) = (Kind::Consistent, Acting::Forces);
        BodyPenaltySettings { kind, depth, stiffness, damping, friction, acting }
    }

    /// The force on the tip must be this, and its reaction lie in shares on the face.
    #[track_caller]
    fn check(poke: &VertexInFace, settings: BodyPenaltySettings, expected: Vec3) {
        for kind in [Kind::Consistent, Kind::Closest] {
            for scope in [Scope::Scene, Scope::Pairs] {
                let depth = DepthSettings { scope, ..settings.depth };
                let found = output(poke, BodyPenaltySettings { kind, depth, ..settings });
                if expected == Vec3::ZERO {
                    assert_eq!((found.forces.len(), found.stats.contacts), (0, 0));
                    continue;
                }
                assert_eq!((found.stats.contacts, found.stats.unresolved), (1, 0));
                let mut forces = found.forces;
                forces.sort_by_key(|(vertex, _)| *vertex);
                let wanted = [(0, -0.5), (1, -0.25), (2, -0.25), (TIP.0, 1.0)];
                assert_eq!(forces.len(), wanted.len(), "{forces:?}");
                for ((vertex, force), (number, share)) in forces.into_iter().zip(wanted) {
                    assert_eq!(vertex, VertexId(number));
                    assert!(force.abs_diff_eq(share * expected, TOLERANCE), "{vertex}: {force}");
                }
            }
        }
    }

    #[test]
    fn a_tip_is_pushed_out_and_the_face_back_in_shares() {
        // 2 N/m × 0.25 m.
        check(&VertexInFace::new(), settings(Stiffness::Fixed(2.0), 0.0, 0.0), 0.5 * Vec3::Z);
        // 0.5 × 0.64 kg / (0.2 s)² = 8 N/m.
        let of_step = Stiffness::OfStep { fraction: 0.5, dt: 0.2 };
        check(&VertexInFace::new(), settings(of_step, 0.0, 0.0), 2.0 * Vec3::Z);
        // No more than mass over step squared: 0.64 kg / (0.2 s)² = 16 N/m.
        let of_step = Stiffness::OfStep { fraction: 3.0, dt: 0.2 };
        check(&VertexInFace::new(), settings(of_step, 0.0, 0.0), 4.0 * Vec3::Z);
    }

    #[test]
    fn a_damper_opposes_the_approach_and_never_pulls() {
        // Spring 2.56 N/m × 0.25 m = 0.64 N; damper 2 × 0.5 × √(2.56 × 0.64) = 1.28 N·s/m.
        let settings = settings(Stiffness::Fixed(2.56), 0.5, 0.0);
        check(&VertexInFace::moving(-Vec3::Z), settings, 1.92 * Vec3::Z);
        check(&VertexInFace::moving(0.25 * Vec3::Z), settings, 0.32 * Vec3::Z);
        check(&VertexInFace::moving(Vec3::Z), settings, Vec3::ZERO);
        check(&VertexInFace::moving(5.0 * Vec3::X), settings, 0.64 * Vec3::Z);
        // No more than ends the approach: 0.64 kg / 0.1 s.
        let stiff = BodyPenaltySettings { damping: 1e3, ..settings };
        check(&VertexInFace::moving(-Vec3::Z), stiff, (0.64 + 6.4) * Vec3::Z);
    }

    #[test]
    fn friction_opposes_sliding_within_its_cone_and_never_turns_it() {
        let settings = settings(Stiffness::Fixed(2.56), 0.0, 0.5);
        // At most 0.5 × 0.64 N, of the 0.64 kg / 0.1 s × 10 m/s that stop it.
        check(&VertexInFace::moving(10.0 * Vec3::X), settings, Vec3::new(-0.32, 0.0, 0.64));
        // 6.4 kg/s × 0.01 m/s.
        let slow = VertexInFace::moving(0.01 * Vec3::Y);
        check(&slow, settings, Vec3::new(0.0, -0.064, 0.64));
        check(&VertexInFace::new(), settings, 0.64 * Vec3::Z);
        let after = |(vertex, force): &(VertexId, Vec3)| {
            let share = match vertex.0 {
                0 => -0.5,
                1 | 2 => -0.25,
                _ => 1.0,
            };
            share * force.y * 0.1 / slow.masses.of()[vertex.index()]
        };
        let sliding = 0.01 + output(&slow, settings).forces.iter().map(after).sum::<f64>();
        assert!(sliding > 0.0 && sliding < 0.01, "{sliding}");
    }

    #[test]
    fn held_vertices_weigh_like_walls() {
        let mut poke = VertexInFace::new();
        let hold = |list: &[u32]| {
            let list: Vec<_> = list.iter().map(|v| VertexId(*v)).collect();
            Pins::still(&list, &VertexInFace::new().positions).unwrap()
        };
        let of_step = settings(Stiffness::OfStep { fraction: 0.5, dt: 0.2 }, 0.0, 0.0);
        // The tip's 1 kg alone: 12.5 N/m.
        poke.pins = hold(&[0, 1, 2]);
        check(&poke, of_step, 3.125 * Vec3::Z);
        poke.pins = hold(&[0, 1, 2, 7]);
        check(&poke, of_step, Vec3::ZERO);
    }

    #[test]
    fn springs_within_the_step_press_like_forces_and_leave_friction_outside() {
        // Spring 2.56 N/m × 0.25 m = 0.64 N; damper 2 × 0.5 × √(2.56 × 0.64) = 1.28 N·s/m.
        let forces = settings(Stiffness::Fixed(2.56), 0.5, 0.5);
        let springs = BodyPenaltySettings { acting: Acting::Springs, ..forces };
        let found = output(&VertexInFace::new(), springs);
        assert_eq!((found.forces.len(), found.springs.len(), found.stats.contacts), (0, 1, 1));
        let ContactSpring { contact, depth, stiffness, damping } = found.springs[0];
        assert_eq!(contact.vertices, [TIP, VertexId(0), VertexId(1), VertexId(2)]);
        let off = |found: f64, wanted: f64| (found - wanted).abs();
        let weights = contact.weights.into_iter().zip([1.0, -0.5, -0.25, -0.25]);
        assert!(weights.map(|(found, wanted)| off(found, wanted)).sum::<f64>() < TOLERANCE);
        assert!(contact.normal.abs_diff_eq(Vec3::Z, TOLERANCE), "{}", contact.normal);
        let constants = [(depth, 0.25), (stiffness, 2.56), (damping, 1.28)];
        assert!(constants.into_iter().all(|(found, wanted)| off(found, wanted) < TOLERANCE));
        // Sliding at 10 m/s: friction 0.5 × 0.64 N at the tip, and nothing along the normal.
        let sliding = output(&VertexInFace::moving(10.0 * Vec3::X), springs);
        let (vertex, force) = sliding.forces[0];
        assert_eq!(vertex, TIP);
        assert!(force.abs_diff_eq(-0.32 * Vec3::X, TOLERANCE), "{force}");
    }

    #[test]
    fn a_push_that_several_surfaces_bear_is_springs_side_by_side() {
        let poke = VertexInFace::new();
        let penetration = Penetration { depth: 0.5, direction: Vec3::Z };
        let push = PenaltyForce { vertex: TIP, penetration, onto: Span { start: 0, end: 9 } };
        let part = |k: u32, share: f64| (VertexId(k), share);
        // Three quarters on one triangle, nothing on the next, a quarter on the last.
        let shares = [0.5, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25];
        let terms: Vec<_> = [0, 1, 2, 0, 1, 3, 1, 2, 3].into_iter().zip(shares).collect();
        let terms: Vec<_> = terms.into_iter().map(|(k, share)| part(k, share)).collect();
        let mut springs = Vec::new();
        let constants = SpringConstants { stiffness: 8.0, damping: 4.0 };
        hold(&push, &terms, &poke.bodies, constants, &mut springs);
        let constants = springs.iter().map(|spring| (spring.stiffness, spring.damping));
        assert_eq!(constants.collect::<Vec<_>>(), [(6.0, 3.0), (2.0, 1.0)]);
        for spring in &springs {
            assert!(spring.contact.weights.iter().sum::<f64>().abs() < TOLERANCE);
        }
    }

    #[test]
    fn what_has_no_way_out_is_counted_and_not_pushed() {
        let mut poke = VertexInFace::new();
        // The second tet small and all inside the first.
        for vertex in 4..8 {
            poke.positions[vertex] = Vec3::new(0.5, 0.5, -0.6) + 0.05 * poke.positions[vertex];
        }
        let kept = output(&poke, settings(Stiffness::Fixed(1.0), 0.0, 0.0));
        assert_eq!((kept.stats.unresolved, kept.forces.len()), (4, 0));
        let mut closest = settings(Stiffness::Fixed(1.0), 0.0, 0.0);
        closest.kind = Kind::Closest;
        assert_eq!(output(&poke, closest).stats.contacts, 4);
    }

    #[test]
    fn settings_that_cannot_push_are_refused() {
        let poke = VertexInFace::new();
        let message = |settings: BodyPenaltySettings| {
            BodyPenalty::new(&poke.positions, &poke.bodies, settings).unwrap_err().to_string()
        };
        let sound = BodyPenaltySettings::of_step(Kind::Closest, 0.1);
        let wanted = "the friction of a closest is -1: it must be at least 0 and finite";
        assert_eq!(message(BodyPenaltySettings { friction: -1.0, ..sound }), wanted);
        assert!(message(BodyPenaltySettings { damping: f64::NAN, ..sound }).contains("damping"));
        let wanted = "the stiffness of a penalty is inf: it must be positive and finite";
        assert_eq!(message(BodyPenaltySettings::of_step(Kind::Consistent, 0.0)), wanted);
        let depth = DepthSettings { exponent: 0.0, ..DepthSettings::default() };
        assert!(message(BodyPenaltySettings { depth, ..sound }).contains("exponent"));
    }
}
