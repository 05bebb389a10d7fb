//! Another engine with implicit steps: contact rows solved with its own matrix.
//!
//! A soft block starts inside a fixed slab. Of Pliant it uses the contact search, the position
//! correction and the solver of contact rows, and passes its matrix as a closure.

use pliant::body::Bodies;
use pliant::body::pins::Pins;
use pliant::body::rigid::all::RigidBodySet;
use pliant::body::soft::{Masses, StateView};
use pliant::contact::impulse::WarmStart;
use pliant::contact::response::StepContext;
use pliant::contact::search::{ContactQuery, ContactSettings, Search};
use pliant::depth::{DepthSettings, penetrations};
use pliant::id::VertexId;
use pliant::math::{Mat3, Vec3, outer_square};
use pliant::mesh::generate::{cuboid::cuboid, lattice::TetSplit};
use pliant::solve::augmented_lagrangian::AugmentedLagrangian;
use pliant::solve::constraint::min_normal_velocity;
use pliant::solve::linear::Product;
use pliant::solve::position_correction::PositionCorrection;
use pliant::solve::rows::{Equations, SolveSettings, Unknowns};
use pliant::solve::terms::SolverRow;

const DT: f64 = 1.0 / 60.0; // s
const STEPS: usize = 180;
const MASS: f64 = 0.1; // of a vertex, kg
const SPRING: f64 = 2000.0; // N/m
const SPRING_DAMPING: f64 = 10.0; // N s/m
const PUSH: f64 = 9e-3; // of the size, 1/s
const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81); // m/s²

/// Ends and length at rest of a spring along every edge of some tets.
fn springs(tets: &[[VertexId; 4]], first: usize, rest: &[Vec3]) -> Vec<(usize, usize, f64)> {
    let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let ends =
        |tet: &[VertexId; 4]| pairs.map(|(i, j)| [tet[i], tet[j]].map(|v| v.index() + first));
    let mut edges: Vec<_> = tets.iter().flat_map(ends).map(|[a, b]| (a.min(b), a.max(b))).collect();
    edges.sort_unstable();
    edges.dedup();
    edges.into_iter().map(|(a, b)| (a, b, rest[a].distance(rest[b]))).collect()
}

/// Masses and springs times `x`.
fn multiply(blocks: &[(usize, usize, Mat3)], x: &[Vec3], product: &mut [Vec3]) {
    product.iter_mut().zip(x).for_each(|(product, x)| *product = MASS * *x);
    for &(a, b, block) in blocks {
        product[a] += block * (x[a] - x[b]);
        product[b] -= block * (x[a] - x[b]);
    }
}

/// The engine's own equations (M + h C + h² K) v' = M v + h f.
struct Own {
    right: Vec<Vec3>,
    diagonal: Vec<Mat3>,
    /// Of each spring: its ends, and what it adds to the matrix.
    blocks: Vec<(usize, usize, Mat3)>,
}

fn own(springs: &[(usize, usize, f64)], positions: &[Vec3], velocities: &[Vec3]) -> Own {
    let mut right: Vec<_> = velocities.iter().map(|v| MASS * (*v + DT * GRAVITY)).collect();
    let mut diagonal = vec![MASS * Mat3::IDENTITY; positions.len()];
    let mut blocks = Vec::new();
    for &(a, b, rest) in springs {
        let along = positions[b] - positions[a];
        let pull = DT * SPRING * (1.0 - rest / along.length()) * along;
        let square = outer_square(along) / along.length_squared();
        blocks.push((a, b, DT * (SPRING_DAMPING + DT * SPRING) * square));
        for (end, sign) in [(a, 1.0), (b, -1.0)] {
            right[end] += sign * pull;
            diagonal[end] += DT * (SPRING_DAMPING + DT * SPRING) * square;
        }
    }
    Own { right, diagonal, blocks }
}

/// Runs until the block lies on the slab, and prints where it began and ended.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let slab = cuboid([4, 4, 1], Vec3::new(4.0, 4.0, 1.0), TetSplit::Five)?;
    let cube = cuboid([2, 2, 2], Vec3::ONE, TetSplit::Five)?;
    let parts = [&slab, &cube].map(|block| (block.positions.len(), &block.tets[..]));
    let (bodies, fixed) = (Bodies::from_tets(&parts)?, slab.positions.len());
    let tilt = |p: &Vec3| Vec3::new(p.x - 0.2 * p.z + 0.1, p.y + 0.2, p.z + 0.2 * p.x + 0.8);
    let sunk: Vec<_> = cube.positions.iter().map(tilt).collect();
    let mut positions = [slab.positions, sunk].concat();
    let mut velocities = vec![Vec3::ZERO; positions.len()];
    let masses = Masses::new(vec![MASS; positions.len()])?;
    let held: Vec<VertexId> = (0..fixed as u32).map(VertexId).collect();
    let pins = Pins::still(&held, &positions)?;
    let springs = springs(&cube.tets, fixed, &positions);
    let inside = |at: &[Vec3]| penetrations(at, &bodies, DepthSettings::default());
    println!("start: {} vertices inside", inside(&positions)?.resolved.len());

    let rigids = RigidBodySet::default();
    let (mut search, mut position_correction) =
        (Search::new(&positions, &bodies)?, PositionCorrection::default());
    let (mut solver, mut warm_start) = (AugmentedLagrangian::default(), WarmStart::default());
    let (mut rows, mut row_impulses, mut shifts) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..STEPS {
        // Contacts, and position correction of whole bodies, which adds no velocity.
        let motion = StateView { positions: &positions, velocities: &velocities, time: 0.0 };
        let settings = ContactSettings::default();
        let query = ContactQuery { motion, bodies: &bodies, obstacles: &[], settings, dt: DT };
        search.find(query, &mut rows)?;
        let (bodies, masses, pins, profiler) = (&bodies, &masses, &pins, &None);
        shifts.clear();
        let (rigids, rigid_states, dt) = (&rigids, &[][..], DT);
        let context =
            StepContext { bodies, motion, masses, pins, rigids, rigid_states, dt, profiler };
        position_correction.find(context, &mut rows, &mut shifts)?;
        shifts.iter().for_each(|shift| shift.apply(&mut positions[bodies.vertices(shift.body)]));
        rows.iter_mut()
            .for_each(|row| row.min_normal_velocity = min_normal_velocity(row, PUSH, DT));
        warm_start.load(&rows, DT, &mut row_impulses);

        let Own { right, diagonal, blocks } = own(&springs, &positions, &velocities);
        let multiply = |x: &[Vec3], product: &mut [Vec3]| multiply(&blocks, x, product);
        let matrix = &Product { multiply, diagonal: &diagonal };
        let equations = Equations { matrix, right: &right, held: &held, dt: DT };
        let how = SolveSettings::default();
        let contacts: Vec<_> = rows.iter().map(SolverRow::of).collect();
        solver.solve(
            equations,
            masses.of(),
            &contacts,
            how,
            Unknowns { velocities: &mut velocities, row_impulses: &mut row_impulses },
        )?;
        warm_start.store(&rows, &row_impulses, DT);
        positions.iter_mut().zip(&velocities).for_each(|(x, v)| *x += DT * *v);
    }

    let (left, speeds) =
        (inside(&positions)?.resolved.len(), velocities.iter().map(|v| v.length()));
    let fastest = speeds.fold(0.0, f64::max);
    let gap = positions[fixed..].iter().map(|p| p.z - 0.5).fold(f64::INFINITY, f64::min);
    println!("end: {left} vertices inside, fastest {fastest:.1e} m/s, {gap:.4} m above the slab");
    assert!(left == 0 && fastest < 0.01, "{left} inside, {fastest} m/s");
    assert!((0.0..0.01).contains(&gap), "not on the slab: {gap} m");
    Ok(())
}
