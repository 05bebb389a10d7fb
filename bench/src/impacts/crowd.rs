//! What one fast body costs in a scene of a hundred.

use pliant::math::Vec3;
use pliant::prelude::{Obstacle, SoftBody, World};

use super::trial::{self, Trial, text};

/// Balls along an edge of the floor.
const SIDE: usize = 10;

fn crowd(speed: f64) -> Result<Trial, String> {
    let mut world = World::new();
    world.add(Obstacle::plane(Vec3::Z, 0.0)).map_err(text)?;
    for k in 0..SIDE * SIDE {
        let at = 0.45 * Vec3::new((k % SIDE) as f64, (k / SIDE) as f64, 0.0) + 0.17 * Vec3::Z;
        let ball = SoftBody::ball(0.15, 2).young(1e5).density(500.0).at(at);
        let moves = if k == 0 { speed } else { 0.0 };
        world.add(ball.velocity(moves * Vec3::new(0.8, 0.6, 0.0))).map_err(text)?;
    }
    trial::run(&format!("a hundred balls, one at {speed} m/s"), &mut world, 30, 5.0)
}

/// A hundred balls at rest, and with one of them fast.
pub fn run() -> Result<(), String> {
    let rows = [0.0, 20.0, 60.0].into_iter().map(crowd).collect::<Result<Vec<_>, _>>()?;
    trial::table(&rows);
    Ok(())
}
