//! What contacts do to each body and obstacle in a step: force, friction, how many press.
//!
//! The impulses of the contacts that were solved with the step, over its length. They are the
//! forces that balance weight, motors and the rest of a body that is at rest. Responses that
//! push by other means (penalties, barriers, impulses after the step) leave no contacts here.

use crate::contact::Contact;
use crate::contact::Feature;
use crate::contact::impulse::ContactImpulse;
use crate::math::Vec3;
use crate::step::Simulation;

/// The sum over all contacts of one body or obstacle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactLoad {
    /// Force that contacts put on it, friction included, N.
    pub force: Vec3,
    /// The part of `force` in the tangent planes of the contacts, N.
    pub friction: Vec3,
    /// Contacts that press, at the end of the step.
    pub contacts: usize,
}

impl ContactLoad {
    fn add(&mut self, force: Vec3, friction: Vec3, count: usize) {
        self.force += force;
        self.friction += friction;
        self.contacts += count;
    }
}

/// The loads of all bodies and obstacles; keeps its memory from step to step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactLoads {
    bodies: Vec<ContactLoad>,
    obstacles: Vec<ContactLoad>,
}

impl ContactLoads {
    /// Takes in the last step of a simulation, of `dt` seconds.
    ///
    /// A step that was made in parts has the mean force of its parts. Contacts are known where
    /// the simulation keeps them, as that of a [`World`](crate::world::World) does.
    pub fn update(&mut self, simulation: &Simulation, dt: f64) {
        let Simulation { system, stepper, .. } = simulation;
        let obstacles = stepper.contact().map_or(0, |contact| contact.obstacles().len());
        reset(&mut self.bodies, system.bodies.len());
        reset(&mut self.obstacles, obstacles);
        let kept = &system.scratch.kept_contacts;
        let last = last_part(kept);
        for (k, (contact, impulse)) in kept.iter().enumerate() {
            if impulse.normal > 0.0 {
                self.add(contact, impulse, dt, usize::from(k >= last));
            }
        }
    }

    fn add(&mut self, contact: &Contact, impulse: &ContactImpulse, dt: f64, count: usize) {
        let (force, friction) = (impulse.impulse(contact.normal) / dt, impulse.tangent / dt);
        if let Some(load) = self.bodies.get_mut(contact.bodies.0.index()) {
            load.add(force, friction, count);
        }
        let other = match (contact.bodies.1, contact.feature) {
            (Some(body), _) => self.bodies.get_mut(body.index()),
            (None, Feature::VertexObstacle(_, number)) => self.obstacles.get_mut(number as usize),
            (None, _) => None,
        };
        if let Some(load) = other {
            load.add(-force, -friction, count);
        }
    }

    /// The load of each body, in order.
    pub fn bodies(&self) -> &[ContactLoad] {
        &self.bodies
    }

    /// The load of each obstacle, in order.
    pub fn obstacles(&self) -> &[ContactLoad] {
        &self.obstacles
    }

    /// The loads of bodies and obstacles from somewhere else, such as a file.
    pub fn set(&mut self, bodies: Vec<ContactLoad>, obstacles: Vec<ContactLoad>) {
        (self.bodies, self.obstacles) = (bodies, obstacles);
    }
}

fn reset(loads: &mut Vec<ContactLoad>, count: usize) {
    loads.clear();
    loads.resize(count, ContactLoad::default());
}

/// Where the contacts of the last part of a step begin: those of one part ascend by feature.
fn last_part(kept: &[(Contact, ContactImpulse)]) -> usize {
    let falls = kept.windows(2).rposition(|pair| pair[1].0.feature <= pair[0].0.feature);
    falls.map_or(0, |k| k + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;

    /// Forces of contacts that are solved to a relative 1e-6 sum up to this.
    const TOLERANCE: f64 = 1e-3;

    fn settled(world: &mut World, steps: usize) -> ContactLoads {
        for _ in 0..steps {
            world.step().unwrap();
        }
        let mut loads = ContactLoads::default();
        loads.update(world.simulation(), world.time_step());
        loads
    }

    #[test]
    fn a_soft_block_at_rest_presses_with_its_weight() {
        let mut world = World::new();
        world.add(Obstacle::plane(Vec3::Z, 0.0)).unwrap();
        let block = SoftBody::cuboid(Vec3::splat(0.2), [3; 3]).young(1e5).density(1000.0);
        let block = world.add(block.damping(0.05).at(vec3(0.0, 0.0, 0.1))).unwrap();
        let loads = settled(&mut world, 300);
        let weight = 9.81 * world.mass(block).unwrap();
        let [body, floor] = [loads.bodies()[0], loads.obstacles()[0]];
        assert!((body.force - weight * Vec3::Z).length() < TOLERANCE * weight, "{body:?} {weight}");
        assert_eq!((floor.force, floor.friction), (-body.force, -body.friction));
        assert!(body.contacts >= 9 && floor.contacts == body.contacts, "{body:?}");
        // The front door says the same.
        let load = world.contact_load(block).unwrap();
        assert!((load.force - body.force).length() < 1e-9 * weight, "{load:?} {body:?}");
        assert!((load.friction - body.friction).length() < 1e-9 * weight, "{load:?} {body:?}");
        assert_eq!(load.contacts, body.contacts);
    }

    #[test]
    fn friction_is_the_part_along_the_slope() {
        // tan 0.2 = 0.203, below the friction of 0.3.
        let slope = Quat::from_rotation_y(0.2);
        let mut world = World::new();
        let floor = world.add(Obstacle::plane(slope * Vec3::Z, 0.0)).unwrap();
        let die = RigidBody::cuboid(Vec3::splat(0.1)).mass(2.0);
        let die = world.add(die.at(slope * vec3(0.0, 0.0, 0.05)).rotated(slope)).unwrap();
        settled(&mut world, 60);
        let (weight, load) = (2.0 * 9.81, world.contact_load(die).unwrap());
        let along = weight * libm::sin(0.2) * (slope * -Vec3::X);
        assert!((load.force - weight * Vec3::Z).length() < TOLERANCE * weight, "{load:?}");
        assert!((load.friction - along).length() < TOLERANCE * weight, "{load:?} {along}");
        assert_eq!(world.contact_load(floor).unwrap().force, -load.force);
    }

    #[test]
    fn what_sleeps_still_presses_and_a_stack_adds_up() {
        let mut world = World::new();
        world.add(Obstacle::plane(Vec3::Z, 0.0)).unwrap();
        for level in 0..3 {
            let height = 0.1 * f64::from(level) + 0.05;
            let die = RigidBody::cuboid(Vec3::splat(0.1)).mass(1.0);
            world.add(die.at(vec3(0.0, 0.0, height))).unwrap();
        }
        let loads = settled(&mut world, 240);
        assert!(world.simulation().system.scratch.asleep.iter().all(|asleep| *asleep));
        for load in loads.bodies() {
            assert!((load.force.z - 9.81).abs() < TOLERANCE * 9.81, "{load:?}");
        }
        let floor = loads.obstacles()[0].force.z;
        assert!((floor + 3.0 * 9.81).abs() < TOLERANCE * 30.0, "{floor}");
    }

    #[test]
    fn parts_of_a_step_share_its_force_and_the_last_one_counts() {
        let mut world = World::new();
        world.set_substeps(4).unwrap();
        world.add(Obstacle::plane(Vec3::Z, 0.0)).unwrap();
        let die = RigidBody::cuboid(Vec3::splat(0.1)).mass(1.0);
        let die = world.add(die.at(vec3(0.0, 0.0, 0.05))).unwrap();
        world.set_sleep(None);
        settled(&mut world, 60);
        let load = world.contact_load(die).unwrap();
        assert!((load.force.z - 9.81).abs() < TOLERANCE * 9.81, "{load:?}");
        let mut loads = ContactLoads::default();
        loads.update(world.simulation(), world.time_step());
        assert!((1..=4).contains(&loads.bodies()[0].contacts), "{loads:?}");
        assert!(load.contacts > loads.bodies()[0].contacts, "{load:?}");
    }
}
