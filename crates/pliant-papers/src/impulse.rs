//! Impulses that correct a penetrating vertex at once, position and velocity.
//!
//! | here          | lecture | meaning                                           |
//! |---------------|---------|---------------------------------------------------|
//! | `normal`      | N       | unit way out of the obstacle                      |
//! | `approach`    | −v·N    | speed towards the obstacle, seen from it, m/s     |
//! | `sliding`     | v_T     | velocity along the surface, seen from it, m/s     |
//! | `restitution` | μ_N     | share of the approach that comes back             |
//! | `friction`    | μ_T     | Coulomb's coefficient                             |

use pliant::body::obstacle::Obstacle;
use pliant::body::pins::Pins;
use pliant::body::soft::{Masses, State, StateView};
use pliant::contact::friction::friction;
use pliant::contact::output::ContactOutput;
use pliant::contact::response::{Response, StepContext};
use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::profile::{Stage, StageTimer};

/// Shifts to the surface at most; one does where distances are exact.
const MOST_SHIFTS: usize = 8;

/// What one obstacle does to one vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// The vertex, counted in the scene.
    pub vertex: VertexId,
    /// Which of the obstacles, counted from 0.
    pub obstacle: usize,
    /// Momentum given to the vertex, N·s; the obstacle takes the opposite.
    pub impulse: Vec3,
    /// Displacement of the vertex, m.
    pub shift: Vec3,
}

/// Fills `found` with what happens to the vertices inside obstacles after a step of `dt`.
///
/// Acts on vertices at a negative distance: they are put on the surface, and those that
/// approach get an impulse. The sliding that friction takes away is taken back from the
/// position too, for the time that the vertex has been inside: so a vertex at rest on a slope
/// stays. Pinned vertices are left alone. Several obstacles act one after the other. Deep in
/// a union, where its distance leads to a wall between the parts, a vertex may stay inside.
///
/// Kinetic energy never grows, seen from the obstacle. The shift out lifts against other
/// forces, by at most the depth times their size.
///
/// - Implements: [Wang21 slide "Impulse Method"].
/// - Deviates: relative to the obstacle, which may move; friction bounded on the impulse, see
///   [`friction`]; the position is corrected along the surface as well.
pub fn impacts(
    obstacles: &[Obstacle],
    masses: &Masses,
    pins: &Pins,
    motion: StateView<'_>,
    dt: f64,
    found: &mut Vec<Impact>,
) {
    found.clear();
    let mut held = pins.vertices().iter().peekable();
    let moving = motion.positions.iter().zip(motion.velocities).zip(masses.of());
    for (index, ((&position, &velocity), &mass)) in moving.enumerate() {
        let vertex = VertexId(index as u32);
        if held.next_if_eq(&&vertex).is_some() {
            continue;
        }
        let mut particle = Particle { position, velocity, mass };
        for (number, obstacle) in obstacles.iter().enumerate() {
            if let Some((impulse, shift)) = particle.meet(obstacle, motion.time, dt) {
                found.push(Impact { vertex, obstacle: number, impulse, shift });
            }
        }
    }
}

/// Applies impacts to the vertices of a state.
pub fn apply(impacts: &[Impact], masses: &Masses, state: &mut State) {
    for impact in impacts {
        let vertex = impact.vertex.index();
        state.positions[vertex] += impact.shift;
        state.velocities[vertex] += impact.impulse / masses.of()[vertex];
    }
}

/// Obstacles that correct vertices after each step.
#[derive(Debug)]
pub struct Impulses {
    obstacles: Vec<Obstacle>,
    found: Vec<Impact>,
}

impl Impulses {
    /// The response of some obstacles.
    pub fn new(obstacles: Vec<Obstacle>) -> Impulses {
        Impulses { obstacles, found: Vec::new() }
    }
}

impl Response for Impulses {
    fn post_step(&mut self, context: StepContext<'_>, output: &mut ContactOutput) {
        let _timer = StageTimer::new(context.profiler, Stage::Contact);
        let StepContext { masses, pins, motion, dt, .. } = context;
        impacts(&self.obstacles, masses, pins, motion, dt, &mut self.found);
        for impact in &self.found {
            output.shifts.push((impact.vertex, impact.shift));
            output.impulses.push((impact.vertex, impact.impulse));
            output.external_impulses.push((impact.vertex, impact.impulse));
            let at = motion.positions[impact.vertex.index()];
            let surface = self.obstacles[impact.obstacle].velocity_at(motion.time, at);
            output.energy_input += impact.impulse.dot(surface).max(0.0);
        }
        output.stats.contacts += self.found.len();
    }
}

/// A vertex on its own.
struct Particle {
    /// m.
    position: Vec3,
    /// m/s.
    velocity: Vec3,
    /// kg.
    mass: f64,
}

impl Particle {
    /// Impulse and shift from an obstacle, which are applied at once; `None` outside.
    ///
    /// Where the gradient vanishes no way out is known, and nothing happens.
    fn meet(&mut self, obstacle: &Obstacle, time: f64, dt: f64) -> Option<(Vec3, Vec3)> {
        let here = obstacle.at(time);
        let distance = here.distance(self.position);
        if distance.is_nan() || distance >= 0.0 {
            return None;
        }
        let normal = here.normal(self.position)?;
        let touch = obstacle.material();
        let relative = self.velocity - obstacle.velocity_at(time, self.position);
        let approach = -relative.dot(normal);
        let (mut impulse, mut shift) = (Vec3::ZERO, Vec3::ZERO);
        if approach > 0.0 {
            let sliding = relative + approach * normal;
            let pressing = self.mass * (1.0 + touch.restitution) * approach;
            let rubbing = friction(-self.mass * sliding, pressing, touch.friction);
            impulse = pressing * normal + rubbing;
            let inside_for = (-distance / approach).min(dt);
            shift = inside_for / self.mass * rubbing;
        }
        for _ in 0..MOST_SHIFTS {
            let place = self.position + shift;
            let left = here.distance(place);
            let Some(normal) = here.normal(place).filter(|_| left < 0.0) else { break };
            shift -= left * normal;
        }
        self.position += shift;
        self.velocity += impulse / self.mass;
        Some((impulse, shift))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::body::keyframes::{Keyframe, Keyframes, Pose};
    use pliant::body::obstacle::check::points;
    use pliant::body::obstacle::{Combined, Cuboid, Part, Plane, Revolved, Shape, SurfaceMaterial};
    use pliant::force::gravity::Gravity;
    use pliant::integrate::euler::{Euler, EulerKind};
    use pliant::integrate::{Integrator, System};
    use pliant::math::Quat;
    use pliant::math::random::Random;

    const G: f64 = 9.81;

    fn placed(
        shape: impl Shape + 'static,
        pose: Pose,
        friction: f64,
        restitution: f64,
    ) -> Obstacle {
        Obstacle::new(
            shape,
            Keyframes::still(pose).unwrap(),
            SurfaceMaterial { friction, restitution },
        )
        .unwrap()
    }

    fn falling(mass: f64) -> System {
        let mut system = System { masses: Masses::new(vec![mass]).unwrap(), ..System::default() };
        system.forces.push(Gravity::new(-G * Vec3::Z, system.masses.of()));
        system
    }

    /// Steps a scene and calls `look` after each step and its impacts.
    fn run(
        obstacles: &[Obstacle],
        system: &mut System,
        state: &mut State,
        steps: usize,
        dt: f64,
        mut look: impl FnMut(&State, &[Impact]),
    ) {
        let (mut euler, mut found) = (Euler::new(EulerKind::Symplectic), Vec::new());
        for _ in 0..steps {
            euler.step(system, state, dt).unwrap();
            impacts(obstacles, &system.masses, &system.pins, state.motion(), dt, &mut found);
            apply(&found, &system.masses, state);
            look(state, &found);
        }
    }

    /// Position, velocity and impulse of a vertex of 2 kg after one meeting.
    fn meet(obstacle: &Obstacle, position: Vec3, velocity: Vec3) -> (State, Vec<Impact>) {
        let masses = Masses::new(vec![2.0]).unwrap();
        let mut state = State { velocities: vec![velocity], ..State::at_rest(vec![position]) };
        let mut found = Vec::new();
        let obstacles = std::slice::from_ref(obstacle);
        impacts(obstacles, &masses, &Pins::default(), state.motion(), 0.01, &mut found);
        apply(&found, &masses, &mut state);
        (state, found)
    }

    #[test]
    fn position_and_velocity_are_put_right() {
        let floor = placed(Plane, Pose::IDENTITY, 0.0, 0.5);
        let (state, found) = meet(&floor, Vec3::new(1.0, 2.0, -0.1), Vec3::new(3.0, 0.0, -4.0));
        assert_eq!(state.positions[0], Vec3::new(1.0, 2.0, 0.0));
        assert_eq!(state.velocities[0], Vec3::new(3.0, 0.0, 2.0));
        assert_eq!(found[0].impulse, Vec3::new(0.0, 0.0, 12.0)); // 2 kg · 6 m/s
        // Leaving already: only the position.
        let (state, found) = meet(&floor, -0.1 * Vec3::Z, Vec3::new(3.0, 0.0, 4.0));
        assert_eq!(
            (state.positions[0], state.velocities[0]),
            (Vec3::ZERO, Vec3::new(3.0, 0.0, 4.0))
        );
        assert_eq!(found[0].impulse, Vec3::ZERO);
        // Outside, or on the surface: nothing, however fast.
        assert!(meet(&floor, Vec3::ZERO, -9.0 * Vec3::Z).1.is_empty());
    }

    #[test]
    fn friction_stops_or_slows_by_exactly_its_share() {
        let check = |friction: f64, restitution: f64, sliding: f64, left: f64| {
            let floor = placed(Plane, Pose::IDENTITY, friction, restitution);
            let (state, found) = meet(&floor, -0.1 * Vec3::Z, Vec3::new(0.0, sliding, -2.0));
            let speed = state.velocities[0].y;
            assert!((speed - left).abs() < 1e-14, "{speed} {left}");
            let (pressing, rubbing) = (found[0].impulse.z, found[0].impulse.y.abs());
            assert!(rubbing <= friction * pressing * (1.0 + 1e-15));
        };
        check(0.5, 0.0, 3.0, 2.0); // takes 0.5 · 2 m/s
        check(0.5, 1.0, 3.0, 1.0); // takes 0.5 · 4 m/s
        check(0.5, 0.5, 1.5, 0.0); // takes all it can: 0.5 · 3 m/s
        check(0.5, 0.5, 1.4, 0.0); // sticks
        check(0.0, 0.5, 1.4, 1.4);
        check(0.5, 0.5, 0.0, 0.0); // 0/0 on the slide
    }

    #[test]
    fn a_ball_bounces_to_the_square_of_its_restitution() {
        for (restitution, dt) in [(0.0, 1e-3), (0.5, 1e-3), (1.0, 1e-3), (0.5, 1e-4)] {
            let floor = placed(Plane, Pose::IDENTITY, 0.0, restitution);
            let mut state = State::at_rest(vec![Vec3::Z]);
            let (mut bounced, mut highest) = (false, 0.0_f64);
            // Falls for 0.4515 s; after it the top is reached within as long again.
            run(
                &[floor],
                &mut falling(2.0),
                &mut state,
                (0.95 / dt) as usize,
                dt,
                |state, found| {
                    bounced |= !found.is_empty();
                    highest = if bounced { highest.max(state.positions[0].z) } else { 0.0 };
                },
            );
            let expected = restitution * restitution;
            // The step at which it is noticed is up to dt late: v dt of height.
            assert!((highest - expected).abs() < 2.0 * 4.43 * dt, "{restitution}: {highest}");
        }
    }

    #[test]
    fn kinetic_energy_never_grows_and_the_vertex_ends_outside() {
        let half = |x: f64| {
            let pose = Pose { position: x * Vec3::X, ..Pose::IDENTITY };
            Part::new(Cuboid::new(Vec3::ONE).unwrap(), pose)
        };
        let whole = Cuboid::new(Vec3::new(1.8, 1.0, 1.0)).unwrap();
        let mut random = Random::new(3);
        let mut met = [0, 0];
        for (friction, restitution) in [(0.0, 0.0), (0.3, 1.0), (2.0, 0.5), (0.7, 1.0)] {
            let bar = Combined::union(vec![half(-0.4), half(0.4)]).unwrap();
            let bar = placed(bar, Pose::IDENTITY, friction, restitution);
            let ball =
                placed(Revolved::sphere(1.0).unwrap(), Pose::IDENTITY, friction, restitution);
            for position in points(1000, 1.0) {
                let velocity = 5.0 * random.vec3();
                // In a union only as deep as the parts overlap is the distance right.
                let shallow = whole.distance(position) > -0.1;
                for (kind, obstacle) in [&ball, &bar].into_iter().enumerate() {
                    let (state, found) = meet(obstacle, position, velocity);
                    let [before, after] =
                        [velocity, state.velocities[0]].map(|velocity| velocity.length_squared());
                    assert!(after <= before * (1.0 + 1e-14), "{before} {after}");
                    if kind == 0 || shallow {
                        let distance = obstacle.shape().distance(state.positions[0]);
                        assert!(distance > -1e-12, "{distance} {state:?}");
                        met[kind] += found.len();
                    }
                }
            }
        }
        assert!(met[0] > 1000 && met[1] > 300, "{met:?}");
    }

    #[test]
    fn an_incline_holds_below_the_friction_angle_and_lets_slide_above() {
        let (angle, dt, steps) = (0.5_f64, 1.0 / 60.0, 120);
        let down = Vec3::new(libm::cos(angle), 0.0, -libm::sin(angle));
        for ratio in [0.5, 0.99, 1.01, 1.5] {
            // tan θ / μ = ratio.
            let friction = libm::tan(angle) / ratio;
            let normal = Vec3::new(libm::sin(angle), 0.0, libm::cos(angle));
            let slope = placed(Plane, Pose::along(Vec3::ZERO, normal).unwrap(), friction, 0.0);
            let mut state = State::at_rest(vec![Vec3::ZERO]);
            run(&[slope], &mut falling(2.0), &mut state, steps, dt, |_, _| {});
            let time = steps as f64 * dt;
            let acceleration = (G * (libm::sin(angle) - friction * libm::cos(angle))).max(0.0);
            let (way, speed) = (state.positions[0].dot(down), state.velocities[0].dot(down));
            assert!((speed - acceleration * time).abs() < 1e-9, "{ratio}: {speed}");
            let expected = 0.5 * acceleration * time * (time + dt); // symplectic Euler's sum
            assert!((way - expected).abs() < 1e-9, "{ratio}: {way} {expected}");
            assert!(state.positions[0].dot(normal).abs() < 1e-12);
        }
    }

    #[test]
    fn a_moving_floor_carries_and_a_turning_one_too() {
        let frame = |time: f64, x: f64, angle: f64| Keyframe {
            time,
            position: x * Vec3::X,
            rotation: Quat::from_rotation_z(angle),
        };
        let touch = SurfaceMaterial { friction: 0.8, restitution: 0.0 };
        let belt = |frames: Vec<Keyframe>| {
            Obstacle::new(Plane, Keyframes::new(frames).unwrap(), touch).unwrap()
        };
        let straight = belt(vec![frame(0.0, 0.0, 0.0), frame(5.0, 5.0, 0.0)]);
        let mut state = State::at_rest(vec![Vec3::ZERO]);
        run(&[straight], &mut falling(1.0), &mut state, 100, 0.01, |_, _| {});
        assert!(state.velocities[0].abs_diff_eq(Vec3::X, 1e-12), "{state:?}");
        // Friction takes 1/(0.8 g) s to bring it to speed, and half of that way is lost.
        let expected = 1.0 - 0.5 / (0.8 * G);
        assert!((state.positions[0].x - expected).abs() < 0.01, "{state:?}");

        // A turntable at 1 rad/s holds at 0.5 m: 0.5 m/s² is far below 0.8 g.
        let table = belt(vec![frame(0.0, 0.0, 0.0), frame(1.0, 0.0, 1.0)]);
        let mut state = State::at_rest(vec![0.5 * Vec3::X]);
        state.velocities[0] = 0.5 * Vec3::Y;
        run(&[table], &mut falling(1.0), &mut state, 990, 1e-3, |_, _| {});
        let place = state.positions[0];
        let angle = libm::atan2(place.y, place.x);
        assert!((angle - 0.99).abs() < 2e-3 && (place.length() - 0.5).abs() < 2e-3, "{state:?}");
    }

    #[test]
    fn held_vertices_are_left_alone_and_momentum_is_accounted_for() {
        let floor = placed(Plane, Pose::IDENTITY, 0.4, 0.3);
        let masses = Masses::new(vec![1.0, 2.0, 3.0]).unwrap();
        let mut state = State::at_rest(vec![-Vec3::Z, -Vec3::Z, -Vec3::Z]);
        state.velocities = vec![Vec3::new(1.0, 0.0, -1.0); 3];
        let pins = Pins::still(&[VertexId(1)], &state.positions).unwrap();
        let (before, mut found) = (state.clone(), vec![]);
        impacts(&[floor], &masses, &pins, state.motion(), 0.01, &mut found);
        assert_eq!(found.iter().map(|f| f.vertex.0).collect::<Vec<_>>(), [0, 2]);
        apply(&found, &masses, &mut state);
        assert_eq!(state.positions[1], before.positions[1]);
        let given: Vec3 = found.iter().map(|impact| impact.impulse).sum();
        let gained = state.momentum(&masses) - before.momentum(&masses);
        assert!(given.abs_diff_eq(gained, 1e-14), "{given} {gained}");
    }
}
