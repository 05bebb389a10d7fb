//! Two flat fingers close on a soft cube and lift it off a pedestal: friction alone holds it.

use pliant::prelude::*;

/// Height of the fingers and of the cube's centre at the start, m.
pub const START: f64 = 0.15;

/// By how much the fingers are raised, m.
pub const RAISED: f64 = 0.2;

/// Where the cube's centre ends, m, and the most vertices inside another body at any time.
pub fn run(friction: f64) -> Result<(Vec3, usize), WorldError> {
    let mut world = World::new();
    world.add(Obstacle::plane(Vec3::Z, 0.0))?;
    world.add(Obstacle::cuboid(vec3(0.06, 0.06, 0.1)).at(vec3(0.0, 0.0, 0.05)))?;
    let cube = SoftBody::cuboid(Vec3::splat(0.1), [2; 3]).young(1e5).density(500.0);
    let cube = world.add(cube.friction(friction).at(START * Vec3::Z))?;
    let finger = KinematicBody::cuboid(vec3(0.02, 0.14, 0.14)).friction(friction);
    let (open, closed) = (0.07, 0.058); // of the fingers' centres, m: 2 mm into the cube
    let left = world.add(finger.clone().at(vec3(-open, 0.0, START)))?;
    let right = world.add(finger.at(vec3(open, 0.0, START)))?;
    let mut most_inside = 0;
    for step in 0..180 {
        let time = f64::from(step + 1) * world.time_step();
        let x = open + (closed - open) * time.min(1.0); // closed after a second
        let z = START + RAISED * (time - 1.0).clamp(0.0, 1.0); // raised after another
        for (finger, x) in [(left, -x), (right, x)] {
            world.move_to(finger, Pose::at(vec3(x, 0.0, z)))?;
        }
        world.step()?;
        most_inside = most_inside.max(world.penetrations()?.len());
    }
    Ok((world.centre(cube)?, most_inside))
}

fn main() -> Result<(), WorldError> {
    for friction in [0.3, 0.02] {
        let raised = run(friction)?.0.z - START;
        println!("friction {friction}: fingers raised by {RAISED} m, the cube by {raised:.3} m");
    }
    Ok(())
}
