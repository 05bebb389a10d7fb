//! A soft ball falls on a floor and comes to rest.

use pliant::prelude::*;

/// Height of the ball's centre after three seconds, m, and its speed, m/s.
pub fn run() -> Result<(f64, f64), WorldError> {
    let mut world = World::new(); // gravity −9.81 along z, steps of 1/60 s, friction 0.3
    world.add(Obstacle::plane(Vec3::Z, 0.0))?;
    let ball = SoftBody::ball(0.1, 4).young(5e4).density(500.0); // m, layers; Pa; kg/m³
    let ball = world.add(ball.at(vec3(0.0, 0.0, 0.5)))?;
    for step in 0..180 {
        world.step()?;
        if step % 30 == 29 {
            let (time, centre) = (world.time(), world.centre(ball)?);
            println!("{time:.1} s: centre {:.4} m above the floor", centre.z);
        }
    }
    Ok((world.centre(ball)?.z, world.velocity(ball)?.length()))
}

fn main() -> Result<(), WorldError> {
    let (height, speed) = run()?;
    println!("at rest {height:.4} m above the floor, {speed:.1e} m/s");
    Ok(())
}
