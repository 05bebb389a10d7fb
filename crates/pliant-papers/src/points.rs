//! Contact of particle bodies: each particle is a small ball to those of other bodies.
//!
//! Nothing is inside a body of particles and it has no surface, so that only points can meet.
//! Two of different bodies that are nearer than their radii together are separated at once,
//! along the line between them, and stop approaching. Pairs are taken one after the other in
//! index order, each as the ones before it left its points.

use pliant::body::{Bodies, BodyKind};
use pliant::contact::friction::friction;
use pliant::contact::output::ContactOutput;
use pliant::contact::response::{Response, ResponseError, StepContext};
use pliant::id::{BodyId, VertexId};
use pliant::math::Vec3;
use pliant::profile::{Stage, StageTimer};

/// Settings of the contact of particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointSettings {
    /// Of every particle, m; positive. Half the distance of neighbours leaves no gaps.
    pub radius: f64,
    /// Coulomb's coefficient; at least 0.
    pub friction: f64,
}

/// A response among bodies of particles, after each step.
///
/// Momentum and the centre of mass are kept. Angular momentum changes by what separation does
/// to points that slide past each other, and by friction, whose impulses lie off each other by
/// the distance of the points. Allocates nothing once warm.
#[derive(Clone, Debug)]
pub struct Points {
    settings: PointSettings,
    /// Points along x: place, m, and vertex.
    order: Vec<(f64, VertexId)>,
    /// Points that may meet, ascending.
    pairs: Vec<[VertexId; 2]>,
    /// Of all vertices as they are moved, m.
    places: Vec<Vec3>,
    /// m/s.
    speeds: Vec<Vec3>,
    /// Inverse mass of each vertex, 1/kg; 0 for pinned ones.
    inv_masses: Vec<f64>,
}

impl Points {
    /// Balls of one radius around all particles.
    pub fn new(settings: PointSettings) -> Result<Points, ResponseError> {
        let PointSettings { radius, friction } = settings;
        let positive = radius > 0.0 && radius.is_finite();
        let list = [
            ("radius", radius, positive, "positive and finite"),
            (
                "friction",
                friction,
                friction >= 0.0 && friction.is_finite(),
                "at least 0 and finite",
            ),
        ];
        if let Some(&(what, value, _, rule)) = list.iter().find(|(_, _, sound, _)| !sound) {
            return Err(ResponseError::Setting { response: "cloud", what, value, rule });
        }
        let (order, pairs, places) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Points { settings, order, pairs, places, speeds: Vec::new(), inv_masses: Vec::new() })
    }

    /// Fills `pairs` with particles of different bodies that are nearer than two radii.
    ///
    /// Sorted along x and swept: a point is compared with those within two radii of it in x.
    fn find(&mut self, positions: &[Vec3], bodies: &Bodies) {
        let Points { order, pairs, settings, .. } = self;
        let reach = 2.0 * settings.radius;
        let clouds = bodies.ids().filter(|body| bodies.kind(*body) == BodyKind::Particles);
        order.clear();
        order.extend(
            clouds.flat_map(|body| {
                bodies.vertices(body).map(|v| (positions[v].x, VertexId(v as u32)))
            }),
        );
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        pairs.clear();
        for (place, &(x, a)) in order.iter().enumerate() {
            let own: BodyId = bodies.body_of(a);
            let vertices = bodies.vertices(own);
            for &(_, b) in order[place + 1..].iter().take_while(|(other, _)| *other - x < reach) {
                let apart = positions[a.index()] - positions[b.index()];
                if apart.length_squared() < reach * reach && !vertices.contains(&b.index()) {
                    pairs.push([a.min(b), a.max(b)]);
                }
            }
        }
        pairs.sort_unstable();
    }

    /// Impulse and push, N·s and kg·m, on the first point of a pair; the second gets minus.
    ///
    /// `None` where they are apart by now, where both are pinned, and where they coincide, which
    /// gives no direction.
    fn meet(&self, [a, b]: [usize; 2]) -> Option<(Vec3, Vec3)> {
        let apart = self.places[a] - self.places[b];
        let lacking = 2.0 * self.settings.radius - apart.length();
        let inv_mass = self.inv_masses[a] + self.inv_masses[b];
        let normal = apart.try_normalize().filter(|_| lacking > 0.0 && inv_mass > 0.0)?;
        let relative = self.speeds[a] - self.speeds[b];
        let approach = (-relative.dot(normal)).max(0.0);
        let pressing = approach / inv_mass;
        let sliding = relative - relative.dot(normal) * normal;
        let rubbing = friction(-sliding / inv_mass, pressing, self.settings.friction);
        Some((pressing * normal + rubbing, lacking / inv_mass * normal))
    }
}

impl Response for Points {
    fn post_step(&mut self, context: StepContext<'_>, output: &mut ContactOutput) {
        let StepContext { bodies, motion, masses, pins, profiler, .. } = context;
        let _timer = StageTimer::new(profiler, Stage::Contact);
        self.find(motion.positions, bodies);
        if self.pairs.is_empty() {
            return;
        }
        self.places.clear();
        self.places.extend_from_slice(motion.positions);
        self.speeds.clear();
        self.speeds.extend_from_slice(motion.velocities);
        self.inv_masses.clear();
        self.inv_masses.extend(masses.of().iter().map(|mass| mass.recip()));
        for vertex in pins.vertices() {
            self.inv_masses[vertex.index()] = 0.0;
        }
        for at in 0..self.pairs.len() {
            let pair = self.pairs[at];
            let Some((impulse, push)) = self.meet(pair.map(VertexId::index)) else { continue };
            output.stats.contacts += 1;
            for (vertex, sign) in pair.into_iter().zip([1.0, -1.0]) {
                let (v, share) = (vertex.index(), sign * self.inv_masses[vertex.index()]);
                self.places[v] += share * push;
                self.speeds[v] += share * impulse;
                if share != 0.0 {
                    output.shifts.push((vertex, share * push));
                    output.impulses.push((vertex, sign * impulse));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::body::Mesh;
    use pliant::body::pins::Pins;
    use pliant::body::rigid::all::RigidBodySet;
    use pliant::body::soft::{Masses, State};
    use pliant::math::random::Random;

    const TOLERANCE: f64 = 1e-12;

    /// Bodies of particles.
    struct Particles {
        bodies: Bodies,
        state: State,
        masses: Masses,
    }

    /// Three bodies of 40 particles each in the same cube of 1 m, which move at random.
    fn crowd() -> Particles {
        let mut random = Random::new(5);
        let bodies = Bodies::from_meshes(&[Mesh::Particles(40); 3]).unwrap();
        let mut any = || random.vec3();
        let mut state = State::at_rest((0..120).map(|_| 0.5 * any()).collect());
        state.velocities = (0..120).map(|_| any()).collect();
        let masses = (0..120).map(|k| 1.0 + f64::from(k % 7)).collect();
        Particles { bodies, state, masses: Masses::new(masses).unwrap() }
    }

    /// Lets points meet once, and returns how many pairs did.
    fn meet(points: &mut Points, scene: &mut Particles, pins: &Pins) -> usize {
        let Particles { bodies, state, masses } = scene;
        let mut output = ContactOutput::default();
        let motion = state.motion();
        let (rigids, profiler) = (&RigidBodySet::default(), &None);
        let context = StepContext {
            bodies,
            motion,
            masses,
            pins,
            rigids,
            rigid_states: &[],
            dt: 0.01,
            profiler,
        };
        points.post_step(context, &mut output);
        output.shifts.iter().for_each(|(v, shift)| state.positions[v.index()] += *shift);
        for (v, impulse) in &output.impulses {
            state.velocities[v.index()] += *impulse / masses.of()[v.index()];
        }
        output.stats.contacts
    }

    fn balls(radius: f64, friction: f64) -> Points {
        Points::new(PointSettings { radius, friction }).unwrap()
    }

    #[test]
    fn every_pair_of_different_clouds_is_found() {
        let Particles { bodies, state, .. } = crowd();
        let mut points = balls(0.1, 0.0);
        points.find(&state.positions, &bodies);
        let mut expected = Vec::new();
        for a in 0..120 {
            for b in a + 1..120 {
                let near = state.positions[a].distance(state.positions[b]) < 0.2;
                if near && a / 40 != b / 40 {
                    expected.push([a, b].map(|v| VertexId(v as u32)));
                }
            }
        }
        assert!(expected.len() > 20);
        assert_eq!(points.pairs, expected);
    }

    #[test]
    fn a_worked_case() {
        // 1 kg and 3 kg, 0.5 m apart with radii of 0.5 m, towards each other at 4 m/s.
        let bodies = Bodies::from_meshes(&[Mesh::Particles(1); 2]).unwrap();
        let mut state = State::at_rest(vec![Vec3::ZERO, 0.5 * Vec3::X]);
        state.velocities = vec![Vec3::new(4.0, 1.0, 0.0), Vec3::ZERO];
        let masses = Masses::new(vec![1.0, 3.0]).unwrap();
        let mut scene = Particles { bodies, state, masses };
        assert_eq!(meet(&mut balls(0.5, 0.1), &mut scene, &Pins::default()), 1);
        let state = &scene.state;
        assert_eq!(state.positions, [-0.375 * Vec3::X, 0.625 * Vec3::X]);
        // 3 N·s stop the approach: both go at 1 m/s; friction bears 0.3 of the 0.75 N·s.
        let wanted = [Vec3::new(1.0, 0.7, 0.0), Vec3::new(1.0, 0.1, 0.0)];
        for (velocity, wanted) in state.velocities.iter().zip(wanted) {
            assert!(velocity.abs_diff_eq(wanted, TOLERANCE), "{velocity}");
        }
    }

    #[test]
    fn momentum_and_centre_stay_and_energy_never_grows() {
        for friction in [0.0, 0.5] {
            let mut scene = crowd();
            let before = scene.state.clone();
            assert!(meet(&mut balls(0.1, friction), &mut scene, &Pins::default()) > 20);
            let Particles { state, masses, .. } = &scene;
            let drift = state.momentum(masses) - before.momentum(masses);
            assert!(drift.length() < TOLERANCE * masses.total());
            assert!(state.centre(masses).abs_diff_eq(before.centre(masses), TOLERANCE));
            assert!(state.kinetic(masses) < before.kinetic(masses));
        }
    }

    #[test]
    fn held_points_stay_and_coinciding_ones_are_left() {
        let bodies = Bodies::from_meshes(&[Mesh::Particles(1); 2]).unwrap();
        let masses = Masses::new(vec![1.0; 2]).unwrap();
        let state = State::at_rest(vec![Vec3::ZERO, 0.5 * Vec3::X]);
        let pins = Pins::still(&[VertexId(0)], &state.positions).unwrap();
        let mut scene = Particles { bodies, state, masses };
        assert_eq!(meet(&mut balls(0.5, 0.0), &mut scene, &pins), 1);
        assert_eq!(scene.state.positions, [Vec3::ZERO, Vec3::X]);
        scene.state.positions[1] = Vec3::ZERO;
        assert_eq!(meet(&mut balls(0.5, 0.0), &mut scene, &pins), 0);
    }

    #[test]
    fn bad_settings_are_named() {
        let error = Points::new(PointSettings { radius: 0.0, friction: 0.0 }).unwrap_err();
        let wanted = "the radius of a cloud is 0: it must be positive and finite";
        assert_eq!(error.to_string(), wanted);
    }
}
