//! Saves a world, runs on, goes back, and runs on again: the same bits.

use pliant::prelude::*;

/// Where a ball and a die are: after the first run, and after the second from the same bytes.
pub fn run() -> Result<[[Vec<Vec3>; 2]; 2], WorldError> {
    let mut world = World::new();
    world.add(Obstacle::plane(Vec3::Z, 0.0))?;
    let ball = world.add(SoftBody::ball(0.1, 2).young(5e4).at(vec3(0.0, 0.0, 0.2)))?;
    let die = RigidBody::cuboid(Vec3::splat(0.1)).spin(3.0 * Vec3::X);
    let die = world.add(die.at(vec3(0.04, 0.0, 0.5)))?;
    let second = |world: &mut World| -> Result<[Vec<Vec3>; 2], WorldError> {
        for _ in 0..60 {
            world.step()?;
        }
        Ok([world.positions(ball)?.to_vec(), world.positions(die)?.to_vec()])
    };
    second(&mut world)?;
    let bytes = world.save()?; // for a file, or to undo: all but meshes and materials
    println!("{} bytes saved at {:.2} s", bytes.len(), world.time());
    let first = second(&mut world)?;
    world.restore(&bytes)?;
    println!("back at {:.2} s", world.time());
    let again = second(&mut world)?;
    Ok([first, again])
}

fn main() -> Result<(), WorldError> {
    let [first, again] = run()?;
    println!("{}", if first == again { "the same bits" } else { "different" });
    Ok(())
}
