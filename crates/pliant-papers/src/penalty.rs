//! Quadratic penalty: a spring that pushes out of an obstacle.
//!
//! | here        | lecture | meaning                                               |
//! |-------------|---------|-------------------------------------------------------|
//! | `distance`  | φ       | signed distance, m                                    |
//! | `buffer`    | ε       | distance at which the push begins, m                  |
//! | `stiffness` | k       | N/m                                                   |
//! | overlap     | ε − φ   | way into the buffer, m, where positive                |
//!
//! A penalty neither rubs nor takes energy out, and gives way by weight over stiffness.

use pliant::body::obstacle::Obstacle;
use pliant::body::soft::Masses;
use pliant::contact::response::{ResponseError, Stiffness};
use pliant::force::{Corners, Material, StepRejection, Tangent};
use pliant::id::VertexId;
use pliant::math::{Mat3, Vec3};

use crate::potential::{Potential, check_vertices, moved};

/// Settings of a penalty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenaltySettings {
    /// How hard it pushes.
    pub stiffness: Stiffness,
    /// Distance at which the push begins, m; 0 for the plain penalty.
    pub buffer: f64,
    /// The most that a distance within the buffer may change in one step, m.
    ///
    /// Infinite for any. A longer step is rejected: it would go in so deep, or be pushed
    /// out for so long, that the spring gives back energy which nothing had put in.
    pub overshoot: f64,
}

impl PenaltySettings {
    /// A quarter of what symplectic Euler bears with steps of `dt` seconds, no buffer.
    pub fn of_step(dt: f64) -> PenaltySettings {
        let stiffness = Stiffness::OfStep { fraction: 1.0, dt };
        PenaltySettings { stiffness, buffer: 0.0, overshoot: f64::INFINITY }
    }
}

/// Springs between vertices and one obstacle.
///
/// - Implements: [Wang21 slide "Quadratic Penalty Method"] and
///   [Wang21 slide "Quadratic Penalty Method with a Buffer"].
/// - Deviates: the formulas are figures and missing from the text; f = k (ε − φ) N for φ < ε
///   (erratum R13).
#[derive(Clone, Debug)]
pub struct Penalty {
    obstacle: Obstacle,
    vertices: Vec<VertexId>,
    /// Of each entry of `vertices`, N/m; positive and finite.
    stiffnesses: Vec<f64>,
    /// m; at least 0 and finite.
    buffer: f64,
    /// m; positive.
    overshoot: f64,
}

impl Penalty {
    /// Springs for these vertices of a scene.
    pub fn new(
        obstacle: Obstacle,
        vertices: Vec<VertexId>,
        masses: &Masses,
        settings: PenaltySettings,
    ) -> Result<Penalty, ResponseError> {
        let PenaltySettings { stiffness, buffer, overshoot } = settings;
        let refuse = |what, value, rule| {
            Err(ResponseError::Setting { response: "penalty", what, value, rule })
        };
        let sound = |value: f64| value > 0.0 && value.is_finite();
        check_vertices(&vertices, masses.of().len())?;
        let (given, per_mass) = match stiffness {
            Stiffness::Fixed(given) => (given, false),
            Stiffness::OfStep { fraction, dt } => (fraction / (dt * dt), true),
        };
        if !sound(given) {
            return refuse("stiffness", given, "positive and finite");
        }
        if !(buffer >= 0.0 && buffer.is_finite()) {
            return refuse("buffer", buffer, "at least 0 and finite");
        }
        if overshoot.is_nan() || overshoot <= 0.0 {
            return refuse("overshoot", overshoot, "positive");
        }
        let of = |v: &VertexId| if per_mass { given * masses.of()[v.index()] } else { given };
        let stiffnesses = vertices.iter().map(of).collect();
        Ok(Penalty { obstacle, vertices, stiffnesses, buffer, overshoot })
    }

    /// Stiffness for a vertex, N/m; `element` counts in the vertices given.
    pub fn stiffness(&self, element: usize) -> f64 {
        self.stiffnesses[element]
    }

    fn distance(&self, at: &Corners<1>) -> f64 {
        self.obstacle.at(at.time).distance(at.positions[0])
    }

    /// Way into the buffer, m; 0 outside.
    fn overlap(&self, at: &Corners<1>) -> f64 {
        (self.buffer - self.distance(at)).max(0.0)
    }

    fn potential(&self, element: usize, at: &Corners<1>) -> Potential {
        let (overlap, stiffness) = (self.overlap(at), self.stiffnesses[element]);
        if overlap == 0.0 {
            return Potential::NONE;
        }
        let energy = 0.5 * stiffness * overlap * overlap;
        Potential { energy, slope: -stiffness * overlap, bend: stiffness }
    }
}

impl Material<1> for Penalty {
    fn count(&self) -> usize {
        self.vertices.len()
    }

    fn vertices(&self, element: usize) -> [VertexId; 1] {
        [self.vertices[element]]
    }

    fn energy(&self, element: usize, at: &Corners<1>) -> f64 {
        self.potential(element, at).energy
    }

    fn energy_input(&self, element: usize, before: &Corners<1>, after: &Corners<1>) -> f64 {
        moved(|at| self.potential(element, at).energy, before, after)
    }

    fn takes_energy(&self) -> bool {
        !self.obstacle.motion().is_still()
    }

    fn forces(&self, element: usize, at: &Corners<1>) -> [Vec3; 1] {
        [self.potential(element, at).force(&self.obstacle, at.positions[0], at.time)]
    }

    fn tangent(&self, element: usize, at: &Corners<1>, tangent: Tangent) -> [[Mat3; 1]; 1] {
        let potential = self.potential(element, at);
        [[potential.tangent(&self.obstacle, at.positions[0], at.time, tangent)]]
    }

    fn refusal(
        &self,
        element: usize,
        before: &Corners<1>,
        after: &Corners<1>,
    ) -> Option<StepRejection> {
        // On the way in only what is within counts; on the way out all, as the push of the
        // start acts until the end.
        let [old, new] = [before, after].map(|corners| self.distance(corners));
        let change = if old < self.buffer { (new - old).abs() } else { self.overlap(after) };
        let [vertex] = self.vertices(element);
        (change > self.overshoot).then_some(StepRejection {
            vertex,
            what: "a change of distance of",
            value: change,
            limit: self.overshoot,
        })
    }

    fn refuses(&self) -> bool {
        self.overshoot < f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::body::keyframes::{Keyframe, Keyframes, Pose};
    use pliant::body::obstacle::{Plane, Revolved, Shape, SurfaceMaterial};
    use pliant::body::soft::State;
    use pliant::force::check;
    use pliant::force::gravity::Gravity;
    use pliant::integrate::euler::{Euler, EulerKind};
    use pliant::integrate::{Integrator, System};
    use pliant::math::Quat;
    use pliant::step::Stepper;

    const MASS: f64 = 2.0;
    const WEIGHT: f64 = MASS * 9.81;

    fn still(shape: impl Shape + 'static) -> Obstacle {
        let pose = Pose { position: Vec3::ZERO, rotation: Quat::IDENTITY };
        Obstacle::new(shape, Keyframes::still(pose).unwrap(), SurfaceMaterial::default()).unwrap()
    }

    fn fixed(stiffness: f64, buffer: f64) -> PenaltySettings {
        let stiffness = Stiffness::Fixed(stiffness);
        PenaltySettings { stiffness, buffer, overshoot: f64::INFINITY }
    }

    fn penalty(obstacle: Obstacle, settings: PenaltySettings) -> Penalty {
        let masses = Masses::new(vec![MASS]).unwrap();
        Penalty::new(obstacle, vec![VertexId(0)], &masses, settings).unwrap()
    }

    fn system(penalty: Penalty, gravity: f64) -> System {
        let masses = Masses::new(vec![MASS]).unwrap();
        let mut system = System { masses, ..System::default() };
        system.forces.push(Gravity::new(-gravity * Vec3::Z, system.masses.of()));
        system.forces.push(penalty);
        system
    }

    #[test]
    fn forces_and_tangents_are_slopes_for_every_curvature() {
        let inside = [[Vec3::new(0.3, 0.5, 0.2)], [Vec3::new(-0.9, 0.2, -0.15)]];
        let near = [[Vec3::new(0.9, 0.6, 0.4)]]; // in the buffer, outside
        check::derivatives(
            &penalty(still(Revolved::sphere(1.0).unwrap()), fixed(70.0, 0.0)),
            &inside,
            1.0,
        );
        for shape in [Revolved::sphere(1.0), Revolved::torus(1.0, 0.3), Revolved::capsule(0.5, 0.6)]
        {
            let penalty = penalty(still(shape.unwrap()), fixed(70.0, 0.9));
            check::derivatives(&penalty, &[&inside[..], &near].concat(), 1.0);
            check::definite(&penalty, &[&inside[..], &near].concat());
        }
    }

    #[test]
    fn a_vertex_sinks_by_weight_over_stiffness_and_a_buffer_holds_it_out() {
        for (stiffness, buffer) in [(1e3, 0.0), (1e4, 0.0), (1e3, 0.05)] {
            let mut system = system(penalty(still(Plane), fixed(stiffness, buffer)), 9.81);
            let rest = buffer - WEIGHT / stiffness;
            // At rest it stays; let go at the edge it goes twice as deep, and back.
            for (start, lowest) in [(rest, rest), (buffer, buffer - 2.0 * WEIGHT / stiffness)] {
                let mut state = State::at_rest(vec![start * Vec3::Z]);
                let mut euler = Euler::new(EulerKind::Symplectic);
                let mut least = f64::INFINITY;
                for _ in 0..2000 {
                    euler.step(&mut system, &mut state, 1e-3).unwrap();
                    least = least.min(state.positions[0].z);
                }
                let error = (least - lowest).abs();
                assert!(error < 2e-3 * WEIGHT / stiffness, "{least} {lowest}");
            }
        }
    }

    #[test]
    fn stiffness_follows_mass_and_step() {
        let dt = 0.01;
        let found = penalty(still(Plane), PenaltySettings::of_step(dt));
        assert!((found.stiffness(0) - MASS / (dt * dt)).abs() < 1e-9);
        // Borne: what is thrown at the floor comes back no faster than by the share of a step.
        let mut system = system(found, 0.0);
        let mut state = State::at_rest(vec![Vec3::new(0.0, 0.0, 0.123)]);
        state.velocities[0] = -Vec3::Z;
        let mut euler = Euler::new(EulerKind::Symplectic);
        for _ in 0..100 {
            euler.step(&mut system, &mut state, dt).unwrap();
        }
        let speed = state.velocities[0].z;
        assert!((0.5..1.5).contains(&speed), "{speed}");
    }

    #[test]
    fn step_control_keeps_the_energy_of_a_fast_vertex() {
        // 20 m/s in steps of 0.02 s: 0.4 m into the wall at once.
        let speed_after = |overshoot: f64| {
            let settings = PenaltySettings { overshoot, ..fixed(1e5, 0.02) };
            let mut system = system(penalty(still(Plane), settings), 0.0);
            let mut state = State::at_rest(vec![Vec3::new(0.0, 0.0, 0.3)]);
            state.velocities[0] = -20.0 * Vec3::Z;
            let mut stepper =
                Stepper::new(Box::new(Euler::new(EulerKind::Symplectic))).with_halvings(20);
            let mut substeps = 0;
            for _ in 0..10 {
                substeps += stepper.step(&mut system, &mut state, 0.02).unwrap().substeps;
            }
            (state.velocities[0].z, substeps)
        };
        let (wild, plain_steps) = speed_after(f64::INFINITY);
        assert!(wild > 60.0 && plain_steps == 10, "{wild} {plain_steps}");
        // The spring gives way by 20 m/s · √(m/k) = 0.09 m; the error falls with the limit.
        let [coarse, fine] = [0.004, 0.0005].map(|limit| {
            let (tame, substeps) = speed_after(limit);
            assert!(substeps < 1000, "{substeps}");
            (tame - 20.0).abs()
        });
        assert!(coarse < 2.0 && fine < 0.25 * coarse, "{coarse} {fine}");
    }

    #[test]
    fn a_floor_that_rises_throws_up() {
        let frame =
            |time: f64| Keyframe { time, position: time * Vec3::Z, rotation: Quat::IDENTITY };
        let motion = Keyframes::new(vec![frame(0.0), frame(1.0)]).unwrap();
        let floor = Obstacle::new(Plane, motion, SurfaceMaterial::default()).unwrap();
        let mut system = system(penalty(floor, fixed(1e4, 0.0)), 0.0);
        let mut state = State::at_rest(vec![0.3 * Vec3::Z]);
        let mut euler = Euler::new(EulerKind::Symplectic);
        for _ in 0..1000 {
            euler.step(&mut system, &mut state, 1e-3).unwrap();
        }
        // Seen from the floor it comes with −1 m/s and leaves with 1 m/s.
        let speed = state.velocities[0].z;
        assert!((speed - 2.0).abs() < 0.02, "{speed}");
    }

    #[test]
    fn penalties_that_cannot_push_are_refused() {
        let masses = Masses::new(vec![1.0; 3]).unwrap();
        let message = |vertex: u32, settings: PenaltySettings| {
            let made = Penalty::new(still(Plane), vec![VertexId(vertex)], &masses, settings);
            made.unwrap_err().to_string()
        };
        assert_eq!(message(3, fixed(1.0, 0.0)), "vertex 3 is to respond, there are 3");
        let wanted = "the stiffness of a penalty is 0: it must be positive and finite";
        assert_eq!(message(0, fixed(0.0, 0.0)), wanted);
        assert!(message(0, fixed(1.0, -1.0)).starts_with("the buffer of a penalty is -1"));
        assert!(message(0, PenaltySettings::of_step(0.0)).contains("is inf"));
        assert!(message(0, PenaltySettings::of_step(f64::NAN)).contains("is NaN"));
        let lame = PenaltySettings { overshoot: 0.0, ..fixed(1.0, 0.0) };
        assert!(message(0, lame).starts_with("the overshoot of a penalty is 0"));
    }
}
