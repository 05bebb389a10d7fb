//! Soft balls and rigid dice fall into a box and come to rest, and nothing is inside anything.

use pliant::prelude::*;

/// Radius of a ball and half the edge of a die, m.
const RADIUS: f64 = 0.05;

/// What there is after the last step.
pub struct Pile {
    /// Vertices inside other bodies.
    pub penetrating: usize,
    /// How far the deepest vertex is inside a wall or the floor, m.
    pub beyond_walls: f64,
    /// Speed of the fastest body, m/s.
    pub fastest: f64,
    /// Steps whose contacts did not converge.
    pub unconverged: usize,
}

/// Five seconds in a box of 0.24 m.
pub fn run() -> Result<Pile, WorldError> {
    let mut world = World::new();
    // A floor and four walls: the normal points into the box, the height is along it.
    let walls = [(Vec3::Z, 0.0), (Vec3::X, -0.12), (-Vec3::X, -0.12)];
    let walls = walls.into_iter().chain([(Vec3::Y, -0.12), (-Vec3::Y, -0.12)]);
    for (normal, height) in walls.clone() {
        world.add(Obstacle::plane(normal, height))?;
    }
    let ball = SoftBody::ball(RADIUS, 2).young(3e4).density(500.0);
    let die = RigidBody::cuboid(Vec3::splat(2.0 * RADIUS)).density(500.0);
    for k in 0..6 {
        let (x, z) = (if k % 2 == 0 { -0.055 } else { 0.055 }, 0.1 + 0.13 * f64::from(k));
        world.add(ball.clone().at(vec3(x, 0.05, z)))?;
        world.add(die.clone().at(vec3(-x, -0.05, z)).spin(Vec3::splat(2.0)))?;
    }
    let mut unconverged = 0;
    for _ in 0..300 {
        unconverged += world.step()?.unconverged;
    }
    let (mut beyond_walls, mut fastest) = (0.0_f64, 0.0_f64);
    for body in world.bodies() {
        fastest = fastest.max(world.velocity(body)?.length());
        for (normal, height) in walls.clone() {
            let depths = world.positions(body)?.iter().map(|p| height - p.dot(normal));
            beyond_walls = depths.fold(beyond_walls, f64::max);
        }
    }
    let penetrating = world.penetrations()?.len();
    Ok(Pile { penetrating, beyond_walls, fastest, unconverged })
}

fn main() -> Result<(), WorldError> {
    let Pile { penetrating, beyond_walls, fastest, unconverged } = run()?;
    println!("{penetrating} vertices inside other bodies, {beyond_walls:.1e} m inside walls");
    println!("fastest body {fastest:.1e} m/s, {unconverged} steps did not converge");
    Ok(())
}
