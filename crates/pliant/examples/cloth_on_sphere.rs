//! A cloth falls over a sphere and hangs down around it.

use pliant::prelude::*;
use pliant::world::SpringMaterial;

/// Radius of the sphere, m.
const RADIUS: f64 = 0.3;

/// Vertices of the cloth after two seconds, m; the sphere is around the origin.
pub fn run() -> Result<Vec<Vec3>, WorldError> {
    let mut world = World::new();
    world.add(Obstacle::sphere(RADIUS).friction(0.6))?;
    // N per unit stretch: along the threads, across them, and against bending; N·s/m.
    let springs = SpringMaterial { stiffness: 500.0, shear: 100.0, bend: 0.1, damping: 0.02 };
    let cloth = SoftBody::cloth([1.0, 1.0], [17, 17]).material(SoftMaterial::Springs(springs));
    let cloth = world.add(cloth.mass(0.2).at(vec3(0.0, 0.0, RADIUS + 0.05)))?;
    for _ in 0..120 {
        world.step()?;
    }
    println!("{} triangles to draw", world.triangles(cloth)?.len());
    Ok(world.positions(cloth)?.to_vec())
}

fn main() -> Result<(), WorldError> {
    let positions = run()?;
    let nearest = positions.iter().map(|p| p.length() - RADIUS).fold(f64::INFINITY, f64::min);
    let highest = positions.iter().map(|p| p.z).fold(f64::NEG_INFINITY, f64::max);
    let lowest = positions.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    println!("the nearest vertex is {nearest:.1e} m outside the sphere");
    println!("from {highest:.3} m on its top, the cloth hangs down to {lowest:.3} m");
    Ok(())
}
