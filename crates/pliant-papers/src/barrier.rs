//! Log barrier: a repulsion that grows without bound towards an obstacle.
//!
//! | here       | lecture | meaning                                                |
//! |------------|---------|--------------------------------------------------------|
//! | `distance` | φ       | signed distance, m; always positive                    |
//! | `strength` | ρ       | energy scale, J                                        |
//! | `reach`    |         | distance at which the push begins, m; infinite for any |
//! | `share`    |         | distance over reach                                    |
//!
//! The guarantee that nothing crosses needs two more things: a start outside, which is
//! checked once, and steps that do not jump, which are rejected where they do.

use pliant::body::obstacle::Obstacle;
use pliant::body::obstacle::path::Waypoint;
use pliant::contact::response::ResponseError;
use pliant::force::{Corners, Material, StateView, StepRejection, Tangent};
use pliant::id::VertexId;
use pliant::math::{Mat3, Vec3};

use crate::potential::{Potential, check_vertices, moved};

/// Settings of a barrier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BarrierSettings {
    /// Energy scale ρ, J; next to the obstacle the force is ρ over the distance.
    ///
    /// Kinetic energy E is stopped at a distance of e^(−E/ρ) times that of the start: a
    /// strength far below E needs steps too short to be made.
    pub strength: f64,
    /// Distance at which the push begins, m; infinite for a push at any distance.
    pub reach: f64,
    /// The most that a distance within reach may change in one step, relative.
    ///
    /// Below 1. Keeps the energy: the force must not change much while it acts.
    pub change: f64,
}

impl BarrierSettings {
    /// A barrier of the lecture: everywhere.
    pub fn everywhere(strength: f64) -> BarrierSettings {
        BarrierSettings { strength, reach: f64::INFINITY, change: 0.2 }
    }

    /// A barrier limited to a buffer, m.
    pub fn within(strength: f64, reach: f64) -> BarrierSettings {
        BarrierSettings { strength, reach, change: 0.2 }
    }
}

/// Barriers between vertices and one obstacle.
///
/// Without reach the energy is −ρ ln φ, φ in m. With reach ε it is
/// −ρ (1 − φ/ε)² ln(φ/ε), which ends at ε with two continuous derivatives.
/// At or behind the surface energy and force are infinite, so that a step from there is an
/// error: by the formula the barrier would pull in (erratum R14).
///
/// - Implements: [Wang21 slide "Log-Barrier Penalty Method"]; within a reach [Li20 eq. 6].
/// - Deviates: [Li20 eq. 6] divided by ε², so that ρ is an energy in both.
#[derive(Clone, Debug)]
pub struct Barrier {
    obstacle: Obstacle,
    vertices: Vec<VertexId>,
    /// Strength positive and finite, reach positive, change between 0 and 1.
    settings: BarrierSettings,
}

impl Barrier {
    /// Barriers for these vertices, all of which must be outside now.
    pub fn new(
        obstacle: Obstacle,
        vertices: Vec<VertexId>,
        start: StateView<'_>,
        settings: BarrierSettings,
    ) -> Result<Barrier, ResponseError> {
        let BarrierSettings { strength, reach, change } = settings;
        let refuse = |what, value, rule| {
            Err(ResponseError::Setting { response: "barrier", what, value, rule })
        };
        if !(strength > 0.0 && strength.is_finite()) {
            return refuse("strength", strength, "positive and finite");
        }
        if reach.is_nan() || reach <= 0.0 {
            return refuse("reach", reach, "positive");
        }
        if !(change > 0.0 && change < 1.0) {
            return refuse("change", change, "between 0 and 1");
        }
        check_vertices(&vertices, start.positions.len())?;
        let here = obstacle.at(start.time);
        for &vertex in &vertices {
            let distance = here.distance(start.positions[vertex.index()]);
            if distance.is_nan() || distance <= 0.0 {
                return Err(ResponseError::Behind { vertex, distance });
            }
        }
        Ok(Barrier { obstacle, vertices, settings })
    }

    fn distance(&self, at: &Corners<1>) -> f64 {
        self.obstacle.at(at.time).distance(at.positions[0])
    }

    fn potential(&self, at: &Corners<1>) -> Potential {
        let BarrierSettings { strength, reach, .. } = self.settings;
        potential(self.distance(at), strength, reach)
    }
}

/// The potential at a distance, m, for a strength, J, and a reach, m.
///
/// Infinite at or behind the surface.
pub(super) fn potential(distance: f64, strength: f64, reach: f64) -> Potential {
    if distance <= 0.0 {
        let most = f64::INFINITY;
        return Potential { energy: most, slope: -most, bend: most };
    }
    if distance >= reach {
        return Potential::NONE;
    }
    if reach == f64::INFINITY {
        let slope = -strength / distance;
        return Potential {
            energy: -strength * libm::log(distance),
            slope,
            bend: -slope / distance,
        };
    }
    let share = distance / reach;
    let (log, left) = (libm::log(share), 1.0 - share);
    let slope = 2.0 * left * log - left * left / share;
    let bend = -2.0 * log + 4.0 * left / share + pliant::math::powi(left / share, 2);
    Potential {
        energy: -strength * left * left * log,
        slope: strength / reach * slope,
        bend: strength / (reach * reach) * bend,
    }
}

impl Material<1> for Barrier {
    fn count(&self) -> usize {
        self.vertices.len()
    }

    fn vertices(&self, element: usize) -> [VertexId; 1] {
        [self.vertices[element]]
    }

    fn energy(&self, _element: usize, at: &Corners<1>) -> f64 {
        self.potential(at).energy
    }

    fn energy_input(&self, _element: usize, before: &Corners<1>, after: &Corners<1>) -> f64 {
        moved(|at| self.potential(at).energy, before, after)
    }

    fn takes_energy(&self) -> bool {
        !self.obstacle.motion().is_still()
    }

    fn forces(&self, _element: usize, at: &Corners<1>) -> [Vec3; 1] {
        [self.potential(at).force(&self.obstacle, at.positions[0], at.time)]
    }

    fn tangent(&self, _element: usize, at: &Corners<1>, tangent: Tangent) -> [[Mat3; 1]; 1] {
        [[self.potential(at).tangent(&self.obstacle, at.positions[0], at.time, tangent)]]
    }

    /// Rejects a step that crosses the obstacle, or changes the distance too much.
    fn refusal(
        &self,
        element: usize,
        before: &Corners<1>,
        after: &Corners<1>,
    ) -> Option<StepRejection> {
        let [vertex] = self.vertices(element);
        let [from, to] = [before, after]
            .map(|corners| Waypoint { position: corners.positions[0], time: corners.time });
        if let Some(distance) = self.obstacle.blocks(from, to) {
            return Some(StepRejection {
                vertex,
                what: "a distance of",
                value: distance,
                limit: 0.0,
            });
        }
        let BarrierSettings { reach, change, .. } = self.settings;
        let [old, new] = [before, after].map(|corners| self.distance(corners).min(reach));
        let (least, most) = ((1.0 - change) * old, old / (1.0 - change));
        let limit = if new < least { least } else { most };
        let wrong = !(least <= new && new <= most);
        wrong.then_some(StepRejection { vertex, what: "a distance of", value: new, limit })
    }

    fn refuses(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use pliant::body::keyframes::{Keyframe, Keyframes, Pose};
    use pliant::body::obstacle::{Combined, Cuboid, Part, Plane, Revolved, Shape, SurfaceMaterial};
    use pliant::body::soft::{Masses, State};
    use pliant::force::check;
    use pliant::integrate::euler::{Euler, EulerKind};
    use pliant::integrate::{Integrator, StepError, StepReport, System};
    use pliant::math::Quat;
    use pliant::math::random::Random;
    use pliant::step::Stepper;

    fn still(shape: impl Shape + 'static) -> Obstacle {
        let motion = Keyframes::still(Pose::IDENTITY).unwrap();
        Obstacle::new(shape, motion, SurfaceMaterial::default()).unwrap()
    }

    fn barrier(
        obstacle: Obstacle,
        at: Vec3,
        settings: BarrierSettings,
    ) -> Result<Barrier, ResponseError> {
        let state = State::at_rest(vec![at]);
        Barrier::new(obstacle, vec![VertexId(0)], state.motion(), settings)
    }

    fn alone(barrier: Barrier) -> System {
        let masses = Masses::new(vec![1.0]).unwrap();
        let mut system = System { masses, ..System::default() };
        system.forces.push(barrier);
        system
    }

    #[test]
    fn forces_and_tangents_are_slopes() {
        let states = [[Vec3::new(0.9, 0.7, 0.3)], [Vec3::new(-0.2, 1.2, 0.6)]];
        for settings in [BarrierSettings::everywhere(3.0), BarrierSettings::within(3.0, 2.0)] {
            for shape in [Revolved::sphere(0.8), Revolved::torus(2.0, 0.4)] {
                let barrier = barrier(still(shape.unwrap()), states[0][0], settings).unwrap();
                check::derivatives(&barrier, &states, 1.0);
                check::definite(&barrier, &states);
            }
        }
    }

    #[test]
    fn the_force_is_strength_over_distance_and_ends_smoothly() {
        let at = |z: f64| Corners { positions: [z * Vec3::Z], velocities: [Vec3::ZERO], time: 0.0 };
        let open = barrier(still(Plane), Vec3::Z, BarrierSettings::everywhere(3.0)).unwrap();
        assert_eq!(open.forces(0, &at(0.5)), [6.0 * Vec3::Z]);
        let limited = barrier(still(Plane), Vec3::Z, BarrierSettings::within(3.0, 0.5)).unwrap();
        assert!((limited.forces(0, &at(1e-6))[0].z / 3e6 - 1.0).abs() < 1e-4);
        let bend = |z: f64| limited.potential(&at(z)).bend;
        assert_eq!((limited.forces(0, &at(0.5)), bend(0.5)), ([Vec3::ZERO], 0.0));
        assert!(limited.forces(0, &at(0.4999))[0].z < 1e-5 && bend(0.4999) < 0.1);
        assert!(limited.potential(&at(0.3)).energy > 0.0);
        assert_eq!(limited.energy(0, &at(-0.1)), f64::INFINITY);
    }

    #[test]
    fn a_start_behind_the_barrier_is_refused() {
        let message = |z: f64, settings: BarrierSettings| {
            barrier(still(Plane), z * Vec3::Z, settings).unwrap_err().to_string()
        };
        let sound = BarrierSettings::within(1.0, 1.0);
        let wanted = "vertex 0 starts at distance -0.5 m: a barrier wants all outside";
        assert_eq!(message(-0.5, sound), wanted);
        assert!(message(0.0, sound).starts_with("vertex 0 starts at distance 0 m"));
        assert!(message(f64::NAN, sound).starts_with("vertex 0 starts at distance NaN m"));
        assert!(
            message(1.0, BarrierSettings::everywhere(0.0)).contains("strength of a barrier is 0")
        );
        assert!(
            message(1.0, BarrierSettings::within(1.0, -1.0)).contains("reach of a barrier is -1")
        );
        let rigid = BarrierSettings { change: 1.0, ..sound };
        assert!(message(1.0, rigid).contains("change of a barrier is 1"));
    }

    #[test]
    fn a_step_across_is_refused_and_one_from_behind_is_an_error() {
        let plate = || still(Cuboid::new(Vec3::new(9.0, 9.0, 1e-3)).unwrap());
        let system =
            || alone(barrier(plate(), Vec3::Z, BarrierSettings::within(1e-3, 0.01)).unwrap());
        let mut state = State::at_rest(vec![Vec3::Z]);
        state.velocities[0] = -100.0 * Vec3::Z;
        let before = state.clone();
        let mut euler = Euler::new(EulerKind::Symplectic);
        let crossed = euler.step(&mut system(), &mut state, 0.1);
        assert!(matches!(crossed, Err(StepError::Refused { .. })), "{crossed:?}");
        assert_eq!(state, before);
        let mut lost = State::at_rest(vec![Vec3::ZERO]);
        let behind = euler.step(&mut system(), &mut lost, 0.1);
        assert!(matches!(behind, Err(StepError::NotFinite { .. })), "{behind:?}");
    }

    #[test]
    fn nothing_crosses_in_ten_thousand_throws() {
        let part = |shape: Revolved, x: f64| {
            Part::new(shape, Pose { position: x * Vec3::X, ..Pose::IDENTITY })
        };
        let dumbbell = || {
            let rod = Part::new(
                Revolved::capsule(0.1, 2.0).unwrap(),
                Pose::along(Vec3::ZERO, Vec3::X).unwrap(),
            );
            let balls = [-1.0, 1.0].map(|x| part(Revolved::sphere(0.4).unwrap(), x));
            Combined::union([vec![rod], balls.to_vec()].concat()).unwrap()
        };
        let plate = || Cuboid::new(Vec3::new(2.0, 2.0, 1e-4)).unwrap();
        let torus = || Revolved::torus(0.8, 0.2).unwrap();
        let outside = 3.0 * Vec3::ONE;
        let mut random = Random::new(11);
        let (mut thrown, mut turned) = (0, 0);
        for settings in [BarrierSettings::everywhere(200.0), BarrierSettings::within(200.0, 0.3)] {
            for obstacle in [still(dumbbell()), still(plate()), still(torus()), still(Plane)] {
                let mut system = alone(barrier(obstacle.clone(), outside, settings).unwrap());
                let mut stepper =
                    Stepper::new(Box::new(Euler::new(EulerKind::Symplectic))).with_halvings(40);
                for throw in 0..1700 {
                    let mut point = || random.vec3();
                    let (start, aim) = (1.5 * point(), 0.3 * point());
                    if obstacle.shape().distance(start) < 1e-3 {
                        continue;
                    }
                    thrown += 1;
                    // Up to 62 m/s, or 6 m in a step: an energy of ten times the strength.
                    let speed = if throw % 4 == 0 { 20.0 } else { 4.0 };
                    let velocity = speed * (aim - start);
                    let thrown = State::at_rest(vec![start]);
                    let mut state = State { velocities: vec![velocity], ..thrown };
                    stepper.step(&mut system, &mut state, 0.1).unwrap();
                    let distance = obstacle.shape().distance(state.positions[0]);
                    assert!(distance > 0.0, "{distance} {state:?}");
                    let pose = |position: Vec3| Waypoint { position, time: 0.0 };
                    let blocked = obstacle.blocks(pose(start), pose(start + 0.1 * velocity));
                    turned += usize::from(blocked.is_some());
                }
            }
        }
        // All but those that would have started inside; most would have gone through.
        assert!(thrown > 10_000 && turned > 2000, "{thrown} {turned}");
    }

    /// Counts the parts of steps that go through the plate −1 ≤ x, y ≤ 1 at z = 0.
    #[derive(Debug)]
    struct Watch {
        inner: Euler,
        crossings: Arc<AtomicUsize>,
    }

    impl Integrator for Watch {
        fn step(
            &mut self,
            system: &mut System,
            state: &mut State,
            dt: f64,
        ) -> Result<StepReport, StepError> {
            let from = state.positions[0];
            let made = self.inner.step(system, state, dt)?;
            let to = state.positions[0];
            if from.z * to.z <= 0.0 {
                let through = from + (to - from) * (from.z / (from.z - to.z));
                let passed = through.abs().max_element() <= 1.0;
                self.crossings.fetch_add(usize::from(passed), Ordering::Relaxed);
            }
            Ok(made)
        }
    }

    #[test]
    fn no_part_of_a_step_goes_through_a_thin_plate() {
        let plate = still(Cuboid::new(Vec3::new(2.0, 2.0, 1e-4)).unwrap());
        let settings = BarrierSettings::within(200.0, 0.01);
        let mut system = alone(barrier(plate, Vec3::Z, settings).unwrap());
        let crossings = Arc::new(AtomicUsize::new(0));
        let watch =
            Watch { inner: Euler::new(EulerKind::Symplectic), crossings: crossings.clone() };
        let mut stepper = Stepper::new(Box::new(watch)).with_halvings(40);
        let (mut random, mut turned) = (Random::new(17), 0);
        for _ in 0..1000 {
            let mut state = State::at_rest(vec![Vec3::new(random.signed(), random.signed(), 0.5)]);
            state.velocities[0] = Vec3::new(3.0 * random.signed(), 3.0 * random.signed(), -30.0);
            stepper.step(&mut system, &mut state, 0.1).unwrap();
            turned += usize::from(state.velocities[0].z > 0.0);
        }
        assert_eq!(crossings.load(Ordering::Relaxed), 0);
        assert!(turned > 900, "{turned}");
    }

    #[test]
    fn a_bounce_keeps_the_energy_about() {
        for (settings, speed) in [
            (BarrierSettings::everywhere(1.0), 1.0),
            (BarrierSettings::within(1.0, 0.3), 3.0),
            (BarrierSettings { change: 0.1, ..BarrierSettings::within(1.0, 0.3) }, 3.0),
        ] {
            let mut system = alone(barrier(still(Plane), Vec3::Z, settings).unwrap());
            let mut state = State::at_rest(vec![Vec3::Z]);
            state.velocities[0] = -speed * Vec3::Z;
            let energy = |system: &System, state: &State| {
                state.kinetic(&system.masses) + system.forces.energy(state.motion())
            };
            let before = energy(&system, &state);
            let mut stepper =
                Stepper::new(Box::new(Euler::new(EulerKind::Symplectic))).with_halvings(40);
            for _ in 0..20 {
                stepper.step(&mut system, &mut state, 0.1).unwrap();
            }
            assert!(state.velocities[0].z > 0.0);
            let error = (energy(&system, &state) / before - 1.0).abs();
            assert!(error < settings.change, "{settings:?}: {error}");
        }
    }

    #[test]
    fn a_plate_that_comes_pushes_ahead() {
        // 30 m/s in steps of 0.1 s: the plate would jump over a vertex at rest, and turns.
        let frame = |time: f64| Keyframe {
            time,
            position: (30.0 * time - 1.0) * Vec3::Z,
            rotation: Quat::from_rotation_x(0.3 * time),
        };
        let motion = Keyframes::new(vec![frame(0.0), frame(0.25), frame(1.0)]).unwrap();
        let plate = Cuboid::new(Vec3::new(90.0, 90.0, 1e-3)).unwrap();
        let plate = Obstacle::new(plate, motion, SurfaceMaterial::default()).unwrap();
        let settings = BarrierSettings::within(100.0, 0.2);
        let mut system = alone(barrier(plate.clone(), Vec3::ZERO, settings).unwrap());
        let mut state = State::at_rest(vec![Vec3::ZERO]);
        let mut stepper =
            Stepper::new(Box::new(Euler::new(EulerKind::Symplectic))).with_halvings(40);
        for _ in 0..8 {
            stepper.step(&mut system, &mut state, 0.1).unwrap();
            let place = plate.motion().pose(state.time).body_from_world(state.positions[0]);
            assert!(place.z > 0.0, "{place} at {} s", state.time);
        }
        // Seen from the plate it came with −30 m/s and left with as much.
        let speed = state.velocities[0].z;
        assert!((speed - 60.0).abs() < 6.0, "{speed}");
    }
}
