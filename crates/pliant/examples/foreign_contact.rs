//! Somebody else's engine again, with implicit steps: contact rows solved with its own matrix.
//!
//! A soft block starts inside a fixed slab. Of Pliant it uses the search for contacts, the
//! shift out of overlap and the solver of rows, and hands in its matrix as a closure.

use pliant::body::Bodies;
use pliant::body::pins::Pins;
use pliant::body::soft::{Masses, Motion};
use pliant::depth::{DepthSettings, escapes};
use pliant::id::VertexId;
use pliant::math::{Mat3, Vec3, outer_square};
use pliant::mesh::generate::{cuboid::cuboid, lattice::Cut};
use pliant::respond::Moment;
use pliant::respond::constraint::lagrange::Lagrange;
use pliant::respond::constraint::pressure::Remembered;
use pliant::respond::constraint::rows::{Equations, RowSettings};
use pliant::respond::constraint::{split::Split, target};
use pliant::respond::contact::search::{ContactSettings, Search};
use pliant::solve::{LinearSettings, Product};

const DT: f64 = 1.0 / 60.0; // s
const STEPS: usize = 180;
const MASS: f64 = 0.1; // of a vertex, kg
const SPRING: f64 = 2000.0; // N/m
const SPRING_DAMPING: f64 = 10.0; // N s/m
const PUSH: f64 = 1.5e-4; // of the size, per step
const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81); // m/s²

/// Runs until the block lies on the slab, and says where it began and ended.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let slab = cuboid([4, 4, 1], Vec3::new(4.0, 4.0, 1.0), Cut::Five)?;
    let cube = cuboid([2, 2, 2], Vec3::ONE, Cut::Five)?;
    let fixed = slab.positions.len();
    let bodies =
        Bodies::from_tets(&[(fixed, &slab.tets[..]), (cube.positions.len(), &cube.tets[..])])?;
    let tilt = |p: Vec3| Vec3::new(p.x - 0.2 * p.z, p.y, p.z + 0.2 * p.x);
    let sunk = cube.positions.iter().map(|p| tilt(*p) + Vec3::new(0.1, 0.2, 0.8));
    let mut positions: Vec<Vec3> = slab.positions.iter().copied().chain(sunk).collect();
    let count = positions.len();
    let mut velocities = vec![Vec3::ZERO; count];
    let masses = Masses::new(vec![MASS; count])?;
    let held: Vec<VertexId> = (0..fixed as u32).map(VertexId).collect();
    let pins = Pins::still(held.clone(), &positions);
    let mut springs = Vec::new(); // two ends and the length at rest
    for tet in &cube.tets {
        for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
            let (a, b) = (tet[i].index() + fixed, tet[j].index() + fixed);
            springs.push((a.min(b), a.max(b), positions[a].distance(positions[b])));
        }
    }
    springs.sort_by_key(|&(a, b, _)| (a, b));
    springs.dedup_by_key(|&mut (a, b, _)| (a, b));

    let inside = |positions: &[Vec3]| escapes(positions, &bodies, DepthSettings::default());
    println!("start: {} vertices inside", inside(&positions).resolved.len());
    let (mut search, mut split) = (Search::new(&positions, &bodies), Split::default());
    let (mut solver, mut remembered) = (Lagrange::default(), Remembered::default());
    let (mut rows, mut pressures, mut shifts) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..STEPS {
        // Contacts, and bodies shifted out of overlap, which gives no speed.
        let motion = Motion { positions: &positions, velocities: &velocities, time: 0.0 };
        search.find(motion, &bodies, &[], (ContactSettings::default(), DT), &mut rows);
        let (bodies, masses, watcher) = (&bodies, &masses, &None);
        let moment = Moment { bodies, motion, masses, pins: &pins, dt: DT, watcher };
        shifts.clear();
        split.find(moment, &mut rows, &mut shifts);
        for shift in &shifts {
            shift.apply(&mut positions[bodies.vertices(shift.body)]);
        }
        for row in &mut rows {
            row.target = target(row, PUSH, DT);
        }
        remembered.recall(&rows, &mut pressures);

        // The engine's own step: (M + h C + h² K) v' = M v + h f, of which it knows the product.
        let mut right: Vec<Vec3> = velocities.iter().map(|v| MASS * (*v + DT * GRAVITY)).collect();
        let mut diagonal = vec![MASS * Mat3::IDENTITY; count];
        let mut blocks = Vec::new();
        for &(a, b, rest) in &springs {
            let (along, length) =
                (positions[b] - positions[a], positions[b].distance(positions[a]));
            let pull = DT * SPRING * (length - rest) / length * along;
            right[a] += pull;
            right[b] -= pull;
            let block = DT * (SPRING_DAMPING + DT * SPRING) * outer_square(along / length);
            diagonal[a] += block;
            diagonal[b] += block;
            blocks.push((a, b, block));
        }
        let multiply = |x: &[Vec3], product: &mut [Vec3]| {
            product.iter_mut().zip(x).for_each(|(product, x)| *product = MASS * *x);
            for &(a, b, block) in &blocks {
                let pull = block * (x[a] - x[b]);
                product[a] += pull;
                product[b] -= pull;
            }
        };
        let matrix = &Product { multiply, diagonal: &diagonal };
        let equations = Equations { matrix, right: &right, held: &held, dt: DT };
        let how = (RowSettings::default(), LinearSettings::default());
        let ends = (&mut velocities[..], &mut pressures[..]);
        solver.solve(equations, masses.of(), &rows, how, ends)?;
        remembered.keep(&rows, &pressures);
        positions.iter_mut().zip(&velocities).for_each(|(x, v)| *x += DT * *v);
    }

    let (left, fastest) = (
        inside(&positions).resolved.len(),
        velocities.iter().map(|v| v.length()).fold(0.0, f64::max),
    );
    let lowest = positions[fixed..].iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    println!("end: {left} vertices inside, fastest {fastest:.1e} m/s, {:.4} m above", lowest - 0.5);
    assert!(left == 0 && fastest < 0.01, "{left} inside, {fastest} m/s");
    assert!((0.0..0.01).contains(&(lowest - 0.5)), "not on the slab: {lowest} m");
    Ok(())
}
