//! A rigid rod that falls end-on on a soft block, in random poses.

use pliant::math::random::Random;
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::tet::TetMesh;
use pliant::prelude::{Obstacle, RigidBody, SoftBody, World};

use super::trial::{self, Trial, text};
use crate::rows::{Amount, side_by_side};

fn pose(seed: u32) -> Result<Trial, String> {
    let mut random = Random::new(u64::from(seed));
    let mut world = World::new();
    world.set_time_step(0.01).map_err(text)?;
    world.add(Obstacle::plane(Vec3::Z, 0.0)).map_err(text)?;
    let block = SoftBody::cuboid(Vec3::new(0.2, 0.2, 0.1), [6, 6, 3]).neo_hookean().young(5e3);
    let block = block.poisson(0.45).density(1000.0).damping(0.02);
    world.add(block.at(0.0505 * Vec3::Z)).map_err(text)?;
    let axis = Vec3::new(random.unit() - 0.5, random.unit() - 0.5, 0.0).try_normalize();
    let tilt = Quat::from_axis_angle(axis.unwrap_or(Vec3::X), 0.2 * random.unit());
    let turn = tilt * Quat::from_rotation_z(std::f64::consts::TAU * random.unit());
    let at = 0.1 * Vec3::new(random.unit() - 0.5, random.unit() - 0.5, 0.0) + 0.22 * Vec3::Z;
    let rod =
        cuboid([1, 1, 8], Vec3::new(0.01, 0.01, 0.2), TetSplit::Five).map_err(|e| e.to_string())?;
    let mesh = TetMesh::from_raw(rod).map_err(|_| "the rod has no mesh")?.0;
    let rod = RigidBody::new(mesh).density(7800.0);
    world.add(rod.at(at).rotated(turn).velocity(-5.0 * Vec3::Z)).map_err(text)?;
    trial::run(&format!("pose {seed}"), &mut world, 100, 0.3)
}

/// All poses; prints how many are good, and the worst.
pub fn run(amount: Amount) -> Result<(), String> {
    let seeds: Vec<u32> = (1..=amount.poses).collect();
    let rows = side_by_side(amount.jobs, &seeds, pose)?;
    let count = |is: &dyn Fn(&Trial) -> bool| rows.iter().filter(|row| is(row)).count();
    let overlap = |row: &Trial| row.end.penetrating_vertices + row.end.edge_crossings > 0;
    let most = rows.iter().map(|row| row.energy).fold(0.0, f64::max);
    let unconverged: u64 = rows.iter().map(|row| row.unconverged).sum();
    let steps: u64 = rows.iter().map(|row| row.steps).sum();
    println!(
        "| poses | good | end with overlap | fail | gain energy | most gained, of the largest | unconverged steps |"
    );
    println!("|---|---|---|---|---|---|---|");
    println!(
        "| {} | {} | {} | {} | {} | {most:.1e} | {unconverged} of {steps} |",
        rows.len(),
        count(&Trial::is_good),
        count(&overlap),
        count(&|row| !row.remark.is_empty()),
        count(&|row| row.energy_steps > 0),
    );
    Ok(())
}
