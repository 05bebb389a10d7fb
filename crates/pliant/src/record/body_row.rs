//! What is recorded of each body: where it is, how it moves, and its energies.

use crate::force::Store;
use crate::id::{BodyId, VertexId};
use crate::math::{Quat, Vec3};
use crate::record::energy::Energy;
use crate::step::Simulation;

/// How a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyMotionKind {
    /// By its vertices.
    Soft,
    /// As a whole.
    Rigid,
    /// All its vertices are pinned.
    Kinematic,
}

impl BodyMotionKind {
    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            BodyMotionKind::Soft => "soft",
            BodyMotionKind::Rigid => "rigid",
            BodyMotionKind::Kinematic => "kinematic",
        }
    }
}

/// Where a body is, and how it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyMotion {
    /// Centre of mass, m.
    pub position: Vec3,
    /// Of the centre of mass, m/s.
    pub velocity: Vec3,
    /// Rotation from the axes of its inertia, and angular velocity, rad/s, of a rigid body.
    pub rotation: Option<(Quat, Vec3)>,
    /// Kinetic energy, J; that of attached vertices belongs to what holds them.
    pub kinetic: f64,
}

impl BodyMotion {
    /// The motion of a body now; NaN of one that the state lacks.
    pub fn of(simulation: &Simulation, body: BodyId) -> BodyMotion {
        let Simulation { state, system, .. } = simulation;
        let rigid = system.rigids.index(body);
        let rigid = rigid.and_then(|k| Some((&system.rigids.entries()[k], state.rigids.get(k)?)));
        if let Some((entry, now)) = rigid {
            let rotation = Some((now.turn, now.spin));
            let kinetic = now.kinetic(&entry.body);
            return BodyMotion { position: now.centre, velocity: now.velocity, rotation, kinetic };
        }
        let own = system.bodies.vertices(body);
        let attaches = !system.rigids.is_empty();
        let (mut total, mut position, mut velocity) = (0.0, Vec3::ZERO, Vec3::ZERO);
        let mut kinetic = 0.0;
        let lists = (state.positions.get(own.clone()), state.velocities.get(own.clone()));
        let (Some(positions), Some(velocities)) = lists else { return BodyMotion::UNKNOWN };
        let Some(masses) = system.masses.of().get(own.clone()) else { return BodyMotion::UNKNOWN };
        for (k, ((x, v), mass)) in positions.iter().zip(velocities).zip(masses).enumerate() {
            total += mass;
            position += *mass * *x;
            velocity += *mass * *v;
            let vertex = VertexId((own.start + k) as u32);
            if !(attaches && system.rigids.index_of(vertex).is_some()) {
                kinetic += 0.5 * mass * v.length_squared();
            }
        }
        let (position, velocity) = (position / total, velocity / total);
        BodyMotion { position, velocity, rotation: None, kinetic }
    }

    /// Nothing is known.
    const UNKNOWN: BodyMotion =
        BodyMotion { position: Vec3::NAN, velocity: Vec3::NAN, rotation: None, kinetic: f64::NAN };
}

/// How each body moves, in order.
pub fn motion_kinds(simulation: &Simulation) -> Vec<BodyMotionKind> {
    let system = &simulation.system;
    let pins = system.pins.vertices();
    let held = |body| {
        let own = system.bodies.vertices(body);
        let first = pins.partition_point(|vertex| vertex.index() < own.start);
        let count = pins[first..].iter().take_while(|vertex| vertex.index() < own.end).count();
        !own.is_empty() && count == own.len()
    };
    let kind = |body| match system.rigids.index(body) {
        Some(_) => BodyMotionKind::Rigid,
        None if held(body) => BodyMotionKind::Kinematic,
        None => BodyMotionKind::Soft,
    };
    system.bodies.ids().map(kind).collect()
}

/// Fills `elastic` with the elastic energy of each body, J, and returns all energies.
///
/// An element belongs to the body of its first vertex. NaN marks a body with elements whose
/// single energies a force does not report. The energies are bitwise those of a
/// [`SeriesRow`](crate::record::row::SeriesRow).
pub fn body_energies(simulation: &Simulation, elastic: &mut Vec<f64>) -> Energy {
    let Simulation { state, system, .. } = simulation;
    elastic.clear();
    elastic.resize(system.bodies.len(), 0.0);
    let motion = state.motion();
    if system.forces.check(motion).is_err() {
        elastic.fill(f64::NAN);
        return Energy::of(simulation);
    }
    let (mut own, mut body) = (0..0, 0);
    let mut add = |vertex: VertexId, energy: f64| {
        if !own.contains(&vertex.index()) {
            let id = system.bodies.body_of(vertex);
            (own, body) = (system.bodies.vertices(id), id.index());
        }
        if let Some(sum) = elastic.get_mut(body) {
            *sum += energy;
        }
    };
    let stored = system.forces.iter().filter(|force| force.store() == Store::Elastic);
    let total: f64 = stored.map(|force| force.visit_energies(motion, &mut add)).sum();
    Energy { elastic: total + 0.0, ..Energy::without_elastic(simulation) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;
    use crate::record::overlap::Overlap;
    use crate::record::row::SeriesRow;

    #[test]
    fn bodies_add_up_to_the_row_of_the_scene() {
        let mut world = World::new();
        world.add(Obstacle::plane(Vec3::Z, 0.0)).unwrap();
        let block = SoftBody::cuboid(Vec3::splat(0.2), [2; 3]).young(1e5).density(1000.0);
        world.add(block.clone().at(vec3(0.0, 0.0, 0.1))).unwrap();
        world.add(block.neo_hookean().at(vec3(0.05, 0.0, 0.32))).unwrap();
        let die = RigidBody::cuboid(Vec3::splat(0.1)).mass(2.0);
        world.add(die.at(vec3(0.0, 0.0, 0.6)).spin(vec3(1.0, 2.0, 3.0))).unwrap();
        world.add(KinematicBody::cuboid(Vec3::ONE).at(vec3(3.0, 0.0, 1.0))).unwrap();
        for _ in 0..20 {
            world.step().unwrap();
        }
        let simulation = world.simulation();
        let row = SeriesRow::of(simulation, Overlap::default());
        let mut elastic = Vec::new();
        let energy = body_energies(simulation, &mut elastic);
        assert_eq!(
            [energy.kinetic, energy.elastic, energy.gravitational].map(f64::to_bits),
            [row.kinetic, row.elastic, row.gravitational].map(f64::to_bits)
        );
        // The sums are of some 200 terms in another order.
        assert!((elastic.iter().sum::<f64>() / row.elastic - 1.0).abs() < 1e-12, "{elastic:?}");
        assert!(elastic[0] > 0.0 && elastic[1] > 0.0 && elastic[2] == 0.0, "{elastic:?}");
        let ids: Vec<_> = simulation.system.bodies.ids().collect();
        let motions: Vec<_> = ids.iter().map(|id| BodyMotion::of(simulation, *id)).collect();
        let kinetic: f64 = motions.iter().map(|motion| motion.kinetic).sum();
        assert!((kinetic / row.kinetic - 1.0).abs() < 1e-12, "{motions:?}");
        assert_eq!(motions.iter().filter(|motion| motion.rotation.is_some()).count(), 1);
        let kinds = motion_kinds(simulation).into_iter().map(BodyMotionKind::name);
        assert_eq!(kinds.collect::<Vec<_>>(), ["soft", "soft", "rigid", "kinematic"]);
        for (handle, motion) in world.bodies().zip(&motions) {
            assert!((world.centre(handle).unwrap() - motion.position).length() < 1e-12);
            assert!((world.velocity(handle).unwrap() - motion.velocity).length() < 1e-12);
        }
    }
}
