//! Another engine: masses, springs and symplectic Euler in plain arrays.
//!
//! A soft block falls, tilted, onto a fixed slab. Of Pliant it uses the topology and one call for
//! the penetrations, and makes penalty forces of them; the rest is its own.

use pliant::body::Bodies;
use pliant::depth::{DepthSettings, penetrations};
use pliant::id::VertexId;
use pliant::math::Vec3;

const DT: f64 = 1e-3; // s
const STEPS: usize = 5000;
const MASS: f64 = 0.1; // of a vertex, kg
const SPRING: f64 = 2000.0; // N/m
const SPRING_DAMPING: f64 = 2.0; // N s/m
const PENALTY: f64 = 2000.0; // N/m
const AIR: f64 = 4.0; // drag over mass, 1/s
const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81); // m/s²

/// Corners and tets of a block of cubic cells, six tets each.
fn block(
    cells: [u32; 3],
    cell: f64,
    place: impl Fn(Vec3) -> Vec3,
) -> (Vec<Vec3>, Vec<[VertexId; 4]>) {
    let counts = cells.map(|c| c + 1);
    let strides = [1, counts[0], counts[0] * counts[1]];
    let (mut corners, mut tets) = (Vec::new(), Vec::new());
    for index in 0..counts[2] * strides[2] {
        let at = [index % counts[0], index / strides[1] % counts[1], index / strides[2]];
        corners.push(place(Vec3::from(at.map(f64::from)) * cell));
        if (0..3).any(|axis| at[axis] == cells[axis]) {
            continue;
        }
        // From the low corner to the high one along two axes, then the third, in every order.
        for [a, b] in [[0, 1], [1, 2], [2, 0], [0, 2], [2, 1], [1, 0]] {
            let on = [index, index + strides[a], index + strides[a] + strides[b]];
            let end = index + strides.iter().sum::<u32>();
            let turned = (b + 3 - a) % 3 == 2; // an odd order is left-handed
            let [v1, v2] = if turned { [on[2], on[1]] } else { [on[1], on[2]] };
            tets.push([on[0], v1, v2, end].map(VertexId));
        }
    }
    (corners, tets)
}

/// Runs until the block lies on the slab, and prints its state from time to time.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (slab, slab_tets) = block([5, 5, 1], 1.0, |p| p - Vec3::new(2.5, 2.5, 1.0));
    let tilt = |p: Vec3| Vec3::new(p.x - 0.2 * p.z, p.y - 0.1 * p.z, p.z + 0.2 * p.x + 0.1 * p.y);
    let (cube, cube_tets) = block([2, 2, 2], 0.5, |p| tilt(p) + Vec3::new(-0.4, -0.3, 0.5));
    let bodies = Bodies::from_tets(&[(slab.len(), &slab_tets), (cube.len(), &cube_tets)])?;

    let fixed = slab.len();
    let mut positions = [slab, cube].concat();
    let mut velocities = vec![Vec3::ZERO; positions.len()];
    let mut springs = Vec::new(); // two ends and the length at rest
    for tet in &cube_tets {
        for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            let (a, b) = (tet[i].index() + fixed, tet[j].index() + fixed);
            springs.push((a.min(b), a.max(b), positions[a].distance(positions[b])));
        }
    }
    springs.sort_by_key(|&(a, b, _)| (a, b));
    springs.dedup_by_key(|&mut (a, b, _)| (a, b));

    let mut deepest = 0.0;
    for step in 0..STEPS {
        let mut forces: Vec<Vec3> =
            velocities.iter().map(|&v| MASS * (GRAVITY - AIR * v)).collect();
        for &(a, b, rest) in &springs {
            let (along, length) =
                (positions[b] - positions[a], positions[b].distance(positions[a]));
            let stretching = (velocities[b] - velocities[a]).dot(along) / length;
            let pull = (SPRING * (length - rest) + SPRING_DAMPING * stretching) / length * along;
            forces[a] += pull;
            forces[b] -= pull;
        }
        let found = penetrations(&positions, &bodies, DepthSettings::default())?;
        for out in &found.resolved {
            forces[out.vertex.index()] +=
                PENALTY * out.penetration.depth * out.penetration.direction;
        }
        for vertex in fixed..positions.len() {
            velocities[vertex] += DT / MASS * forces[vertex];
            positions[vertex] += DT * velocities[vertex];
        }
        deepest = found.resolved.iter().map(|out| out.penetration.depth).fold(0.0, f64::max);
        if step % 250 == 0 {
            let (time, inside) = (step as f64 * DT, found.resolved.len());
            println!("{time:5.2} s: {inside:2} vertices inside, deepest {deepest:.4} m");
        }
    }

    let cube = fixed..positions.len();
    let fastest = velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    let lowest = positions[cube].iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    assert!(positions.iter().all(|p| p.is_finite()), "the engine blew up");
    assert!(fastest < 0.01 && deepest < 0.005, "not at rest: {fastest} m/s, {deepest} m deep");
    assert!(lowest.abs() < 0.005, "not on the slab: {lowest} m above it");
    println!("at rest on the slab, {deepest:.4} m deep");
    Ok(())
}
