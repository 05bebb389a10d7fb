//! The game in rapier3d, with its soft bodies.

use std::sync::mpsc::channel;

use rapier3d::prelude::*;

use crate::world::game::{Asset, FRAMES, Outcome, RADIUS, STIFFNESS, place};

/// Plays the game.
#[expect(clippy::too_many_lines, reason = "one text, to be read beside the other game")]
pub fn play(asset: &Asset) -> Option<Outcome> {
    let mut outcome = Outcome::default();
    let mut world = PhysicsWorld::new();
    world.gravity = Vector::new(0.0, 0.0, -9.81);
    let (sender, receiver) = channel();
    let events = ChannelEventCollector::new(sender, channel().0, channel().0);
    let vector = |p: [f64; 3]| Vector::from(p.map(|x| x as f32));

    // The bowl, a mesh that someone made.
    let points = asset.points.iter().map(|p| vector(*p)).collect();
    let bowl = ColliderBuilder::trimesh(points, asset.triangles.clone()).ok()?.friction(0.3);
    world.insert_collider(bowl, None);

    // Ten soft balls and a die.
    let radius = RADIUS as f32;
    let surface = ColliderBuilder::ball(1.0).friction(0.3);
    let surface = surface.active_events(ActiveEvents::COLLISION_EVENTS);
    let ball = SoftBodyBuilder::sphere(Vector::ZERO, radius, 2).mass(2.1).surface_collider(surface);
    let mut balls = Vec::new();
    for number in 0..10 {
        balls.push(world.insert_soft_body(ball.clone().translated(vector(place(number)))));
    }
    let half = 0.75 * radius;
    let die = ColliderBuilder::cuboid(half, half, half).density(500.0).friction(0.3);
    let die = die.active_events(ActiveEvents::COLLISION_EVENTS);
    let die = world.insert(RigidBodyBuilder::dynamic().translation(vector(place(10))), die).0;

    let mut grab = None;
    for frame in 0..FRAMES {
        // The mouse presses on the die, drags it up, lets it go.
        let eye = Vector::new(0.0, 0.0, 3.0);
        if frame == 120 {
            let ray = Ray::new(eye, world.bodies[die].translation() - eye);
            let hit = world.cast_ray(&ray, f32::MAX, true, QueryFilter::default());
            let hit = hit.and_then(|(hit, time)| Some((world.colliders[hit].parent()?, time)));
            if let Some((body, time)) = hit {
                let from = ray.point_at(time);
                let anchor = world.bodies[body].position().inverse_transform_point(from);
                let stiffness = STIFFNESS as f32;
                let damping = 2.0 * (stiffness * world.bodies[body].mass()).sqrt();
                let hand = RigidBodyBuilder::kinematic_position_based().translation(from);
                let hand = world.insert_body(hand);
                let spring = SpringJointBuilder::new(0.0, stiffness, damping).local_anchor2(anchor);
                world.insert_impulse_joint(hand, body, spring);
                grab = Some((hand, from));
            }
        }
        if let Some((hand, from)) = grab {
            let lift = (frame - 120) as f32 / 60.0;
            let target = from + lift.min(1.0) * Vector::Z;
            world.bodies[hand].set_next_kinematic_translation(target);
            outcome.lifted = outcome.lifted.max(f64::from(world.bodies[die].translation().z));
        }
        if frame == 240
            && let Some((hand, _)) = grab.take()
        {
            world.remove_body(hand);
        }

        // One ball comes, one goes.
        if frame == 300 {
            balls.push(world.insert_soft_body(ball.clone().translated(vector(place(11)))));
        }
        if frame == 360 {
            world.remove_soft_body(balls.remove(0));
        }

        world.step_with_events(&(), &events);

        // Sounds: loud where the impulse is large.
        for event in receiver.try_iter() {
            match event.started() {
                true => {
                    outcome.began += 1;
                    let pair = world.contact_pair(event.collider1(), event.collider2())?;
                    outcome.play(f64::from(pair.total_impulse_magnitude()));
                }
                false => outcome.ended += 1,
            }
        }
    }

    let centres = balls.into_iter().map(|ball| world.soft_bodies[ball].center_of_mass());
    for centre in centres.chain([world.bodies[die].translation()]) {
        outcome.end(centre.to_array().map(f64::from));
    }
    Some(outcome)
}
