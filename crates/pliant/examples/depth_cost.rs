//! Penetrations of 120 balls, as often as asked for: the Rust side of `cargo xtask bench python`.
//!
//! ```sh
//! cargo run --release --example depth_cost -- kept 10
//! ```
//!
//! `kept` keeps topology and scratch memory from call to call, `once` makes them anew in each.

use std::error::Error;

use pliant::body::{Bodies, Mesh};
use pliant::depth::exits::ExitSearch;
use pliant::depth::fused::Scratch;
use pliant::depth::query::{SolidMesh, penetrations};
use pliant::depth::{DepthSettings, Penetrations};
use pliant::math::Vec3;
use pliant::mesh::generate::ball::ball;
use pliant::mesh::tet::TetMesh;

/// Balls along the edges of the lattice.
const COUNTS: [u32; 3] = [5, 6, 4];

/// From ball to ball, m: a little less than their diameter.
const SPACING: f64 = 1.9;

/// 2500 tets each.
const LAYERS: u32 = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let is_kept = arguments.next().as_deref() != Some("once");
    let calls: usize = arguments.next().map_or(Ok(1), |count| count.parse())?;
    let balls = balls()?;
    let meshes: Vec<&dyn SolidMesh> = balls.iter().map(|ball| ball as &dyn SolidMesh).collect();
    let parts: Vec<Mesh<'_>> = balls.iter().map(Mesh::Tets).collect();
    let bodies = Bodies::from_meshes(&parts)?;
    let positions: Vec<Vec3> = balls.iter().flat_map(|ball| ball.positions()).copied().collect();
    let mut scratch = Scratch::new(&positions, &bodies)?;
    let (mut search, mut found, mut exits) =
        (ExitSearch::new(), Penetrations::default(), Vec::new());
    let mut inside = 0;
    for _ in 0..calls {
        if is_kept {
            scratch.penetrations(&positions, &bodies, DepthSettings::default(), &mut found)?;
            search.exits(&positions, &bodies, &found, &mut exits);
            inside = found.resolved.len();
        } else {
            inside = penetrations(&meshes)?.iter().map(|body| body.points.len()).sum();
        }
    }
    println!("{inside}");
    Ok(())
}

/// Unit balls on a lattice that is a little too narrow for them.
fn balls() -> Result<Vec<TetMesh>, Box<dyn Error>> {
    let [nx, ny, nz] = COUNTS;
    let mut balls = Vec::new();
    for k in 0..nx * ny * nz {
        let place = [k % nx, k / nx % ny, k / nx / ny].map(f64::from);
        let mut raw = ball(1.0, LAYERS)?;
        raw.positions.iter_mut().for_each(|p| *p += SPACING * Vec3::from(place));
        balls.push(TetMesh::from_raw(raw)?.0);
    }
    Ok(balls)
}
