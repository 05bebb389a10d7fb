//! A ragdoll of rigid boxes falls on the floor; ball joints and hinges with limits hold it.

use pliant::prelude::*;

/// How the ragdoll ends.
pub struct Fallen {
    /// Widest gap of any joint at any time, m.
    pub widest_gap: f64,
    /// Least and greatest angle of any hinge at any time, rad.
    pub bends: [f64; 2],
    /// Height of the torso, m.
    pub torso: f64,
    /// Speed of the fastest limb, m/s.
    pub fastest: f64,
}

/// Knees and elbows bend from here to there, rad.
pub const LIMITS: [f64; 2] = [-0.1, 2.0];

/// Four seconds of it.
pub fn run() -> Result<Fallen, WorldError> {
    let mut world = World::new();
    world.add(Obstacle::plane(Vec3::Z, 0.0).friction(0.6))?;
    let limb = |size: Vec3, at: Vec3| RigidBody::cuboid(size).at(at + 0.8 * Vec3::Z);
    let torso = world.add(limb(vec3(0.2, 0.3, 0.5), vec3(0.0, 0.0, 1.1)).spin(Vec3::Y))?;
    let head = world.add(limb(Vec3::splat(0.2), vec3(0.0, 0.0, 1.5)))?;
    let mut joints = vec![(head, torso, vec3(0.0, 0.0, 2.2), None)]; // the anchor in the world
    for side in [-1.0, 1.0] {
        // Arms hang from y = ±0.22 m, legs from y = ±0.1 m: an upper and a lower part each.
        for (y, top, thick, long) in [(0.22, 1.3, 0.08, 0.3), (0.1, 0.82, 0.12, 0.38)] {
            let part = |z: f64| limb(vec3(thick, thick, long), vec3(0.0, side * y, z));
            let upper = world.add(part(top - 0.5 * long))?;
            let lower = world.add(part(top - 1.5 * long - 0.02))?;
            let anchor = |z: f64| vec3(0.0, side * y, z + 0.8);
            joints.push((upper, torso, anchor(top), None));
            joints.push((lower, upper, anchor(top - long - 0.01), Some(Vec3::Y)));
        }
    }
    let (mut hinges, mut anchors) = (Vec::new(), Vec::new());
    for (first, second, anchor, axis) in joints {
        let joint = match axis {
            None => Joint::ball(first, second, anchor),
            Some(axis) => Joint::hinge(first, second, anchor, axis).limits(LIMITS[0], LIMITS[1]),
        };
        let handle = world.add(joint)?;
        hinges.extend(axis.map(|_| handle));
        let local = |pose: Pose| pose.rotation.conjugate() * (anchor - pose.position);
        anchors.push([(first, local(world.pose(first)?)), (second, local(world.pose(second)?))]);
    }
    let mut fallen = Fallen { widest_gap: 0.0, bends: [0.0; 2], torso: 0.0, fastest: 0.0 };
    for _ in 0..240 {
        world.step()?;
        for [(a, on_a), (b, on_b)] in &anchors {
            let gap =
                world.pose(*a)?.world_from_body(*on_a) - world.pose(*b)?.world_from_body(*on_b);
            fallen.widest_gap = fallen.widest_gap.max(gap.length());
        }
        for hinge in &hinges {
            let bend = world.travel(*hinge)?.unwrap_or(0.0);
            fallen.bends = [fallen.bends[0].min(bend), fallen.bends[1].max(bend)];
        }
    }
    fallen.torso = world.centre(torso)?.z;
    for body in world.bodies() {
        fallen.fastest = fallen.fastest.max(world.velocity(body)?.length());
    }
    Ok(fallen)
}

fn main() -> Result<(), WorldError> {
    let Fallen { widest_gap, bends, torso, fastest } = run()?;
    let [least, most] = bends;
    println!("joints open by {widest_gap:.1e} m at most, hinges bend {least:.2} to {most:.2} rad");
    println!("the torso lies {torso:.3} m high, the fastest limb moves at {fastest:.1e} m/s");
    Ok(())
}
