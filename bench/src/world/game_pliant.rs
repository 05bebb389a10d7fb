//! The game in Pliant.

use pliant::mesh::raw::RawMesh;
use pliant::prelude::*;

use crate::world::game::{Asset, FRAMES, Outcome, RADIUS, STIFFNESS, place};

/// Plays the game.
pub fn play(asset: &Asset) -> Result<Outcome, WorldError> {
    let mut outcome = Outcome::default();
    let mut world = World::new();

    // The bowl, a mesh that someone made.
    let positions = asset.points.iter().map(|p| Vec3::from(*p)).collect();
    let triangles = asset.triangles.iter().map(|t| t.map(VertexId)).collect();
    let bowl = BodyMesh::from_raw(RawMesh { positions, triangles, ..RawMesh::default() })?;
    world.add(KinematicBody::new(bowl))?;

    // Ten soft balls and a die.
    let ball = SoftBody::ball(RADIUS, 3).young(1e5).density(500.0);
    let mut balls = Vec::new();
    for number in 0..10 {
        balls.push(world.add(ball.clone().at(Vec3::from(place(number))))?);
    }
    let die = RigidBody::cuboid(Vec3::splat(1.5 * RADIUS)).density(500.0);
    let die = world.add(die.at(Vec3::from(place(10))))?;

    let mut grab = None;
    for frame in 0..FRAMES {
        // The mouse presses on the die, drags it up, lets it go.
        let eye = vec3(0.0, 0.0, 3.0);
        if frame == 120 {
            let hit = world.cast_ray(eye, world.centre(die)? - eye)?;
            // What is fixed cannot be grabbed.
            if let Some(hit) = hit
                && let Ok(new) = world.grab(hit, STIFFNESS)
            {
                grab = Some((new, hit.point));
            }
        }
        if let Some((grab, from)) = grab {
            let lift = f64::from(frame - 120) / 60.0;
            world.drag(grab, from + lift.min(1.0) * Vec3::Z)?;
            outcome.lifted = outcome.lifted.max(world.centre(die)?.z);
        }
        if frame == 240
            && let Some((grab, _)) = grab.take()
        {
            world.release(grab)?;
        }

        // One ball comes, one goes.
        if frame == 300 {
            balls.push(world.add(ball.clone().at(Vec3::from(place(11))))?);
        }
        if frame == 360 {
            world.remove(balls.remove(0))?;
        }

        world.step()?;

        // Sounds: loud where the impulse is large.
        for event in world.events() {
            match event.kind {
                ContactEventKind::Began => {
                    outcome.began += 1;
                    outcome.play(event.impulse.length());
                }
                ContactEventKind::Ended => outcome.ended += 1,
            }
        }
    }

    for body in balls.into_iter().chain([die]) {
        outcome.end(world.centre(body)?.to_array());
    }
    Ok(outcome)
}
