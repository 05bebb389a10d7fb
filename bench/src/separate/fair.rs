//! Movement beside the least translation that separates two convex bodies, and chains by mass.
//!
//! For boxes that translation is known exactly: along a side of either or across an edge of each.
//! For balls it is the sum of the radii less the distance of the middles; their faces are some
//! hundredths of the radius inside of the sphere, so that factors below 1 are no error.

use pliant::body::Mesh;
use pliant::math::random::Random;
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::ball::ball;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::raw::RawMesh;
use pliant::mesh::tet::TetMesh;
use pliant::separate::{Body, Manner, SeparateSettings, Separation, separate};

/// Pairs of each kind.
const PAIRS: usize = 500;

/// Layers of the tets of a ball.
const LAYERS: u32 = 4;

/// Least and largest side or radius.
const SIDES: [f64; 2] = [0.3, 1.5];

/// Bodies of a chain, and by how much neighbours of length 1 overlap.
const CHAIN: (usize, f64) = (8, 0.1);

/// Least translation, in lengths, from which on a pair counts: below it the gap decides.
const LEAST: f64 = 0.02;

/// Factors that were found.
#[derive(Default)]
struct Factors(Vec<f64>);

impl Factors {
    fn row(mut self, name: &str) {
        let all = &mut self.0;
        all.sort_by(f64::total_cmp);
        let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
        let worst = all.last().copied().unwrap_or(f64::NAN);
        println!("| {name} | {} | {mean:.3} | {worst:.3} | 1.3 |", all.len());
    }
}

/// Prints a table of factors on the least translation, and one line on chains.
pub fn run(seed: u64) -> Result<(), String> {
    println!("\n| pairs, by rigid | count | mean factor | largest factor | at most |");
    println!("|---|---|---|---|---|");
    let (mut boxes, mut balls) = (Factors::default(), Factors::default());
    let mut random = Random::new(seed);
    let side = |random: &mut Random| SIDES[0] + (SIDES[1] - SIDES[0]) * random.unit();
    for _ in 0..PAIRS {
        let sizes = [0, 1].map(|_| Vec3::from([0, 1, 2].map(|_| side(&mut random))));
        let (turn, by) = (random.rotation(), 0.7 * random.vec3());
        let least = least_of_boxes(sizes, turn, by);
        factor(sizes.map(block), (turn, by), least, &mut boxes)?;
        let radii = [0, 1].map(|_| 0.5 * side(&mut random));
        let (turn, by) = (random.rotation(), 0.5 * random.vec3());
        let meshes = radii.map(|radius| tets(ball(radius, LAYERS).map_err(|e| e.to_string())));
        factor(meshes, (turn, by), radii[0] + radii[1] - by.length(), &mut balls)?;
    }
    boxes.row("turned boxes of random sides");
    balls.row("balls of random radii");
    chain(&mut random)
}

/// Separates a pair of which the first is turned and moved, and notes the factor.
fn factor(
    meshes: [Result<TetMesh, String>; 2],
    (turn, by): (Quat, Vec3),
    least: f64,
    factors: &mut Factors,
) -> Result<(), String> {
    if least < LEAST {
        return Ok(());
    }
    let [a, b] = meshes;
    let (a, b) = (a?, b?);
    let there: Vec<Vec3> = a.positions().iter().map(|p| turn * *p + by).collect();
    let found =
        rigidly(&[Body::new(Mesh::Tets(&a), &there), Body::new(Mesh::Tets(&b), b.positions())])?;
    let way = found.changes[0].translation.distance(found.changes[1].translation);
    factors.0.push(way / (least + found.gap));
    Ok(())
}

/// A row of boxes of random masses that overlap their neighbours: what the middle of mass moves.
fn chain(random: &mut Random) -> Result<(), String> {
    let (count, overlap) = CHAIN;
    let mesh = block(Vec3::ONE)?;
    let masses: Vec<f64> = (0..count).map(|_| 0.1 + 10.0 * random.unit()).collect();
    let at = |k: usize| Vec3::new((1.0 - overlap) * k as f64, 0.01 * k as f64, 0.0);
    let places: Vec<Vec<Vec3>> =
        (0..count).map(|k| mesh.positions().iter().map(|p| *p + at(k)).collect()).collect();
    let bodies: Vec<Body<'_>> = places
        .iter()
        .zip(&masses)
        .map(|(at, mass)| Body { mass: Some(*mass), ..Body::new(Mesh::Tets(&mesh), at) })
        .collect();
    let found = rigidly(&bodies)?;
    let moved = found.changes.iter().zip(&masses).map(|(c, mass)| *mass * c.translation.x);
    let middle = moved.sum::<f64>() / masses.iter().sum::<f64>();
    let parted = found.changes.windows(2).map(|two| two[1].translation.x - two[0].translation.x);
    let worst = parted.map(|way| way / (overlap + found.gap)).fold(0.0, f64::max);
    println!(
        "\nA chain of {count} boxes of masses from 0.1 to 10.1: neighbours part by at most {worst:.3} times \
         what they must, their middle of mass moves by {:.1e} of it.",
        (middle / overlap).abs()
    );
    Ok(())
}

fn rigidly(bodies: &[Body<'_>]) -> Result<Separation, String> {
    let settings = SeparateSettings { manner: Manner::Rigid, ..SeparateSettings::default() };
    let found = separate(bodies, &settings).map_err(|error| error.to_string())?;
    match found.is_free() {
        true => Ok(found),
        false => Err(format!("not free: {:?}", found.left)),
    }
}

fn block(size: Vec3) -> Result<TetMesh, String> {
    tets(cuboid([1; 3], size, TetSplit::Five).map_err(|error| error.to_string()))
}

fn tets(raw: Result<RawMesh, String>) -> Result<TetMesh, String> {
    Ok(TetMesh::from_raw(raw?).map_err(|error| error.to_string())?.0)
}

/// The least translation that separates two boxes, the first turned and moved.
fn least_of_boxes([a, b]: [Vec3; 2], turn: Quat, by: Vec3) -> f64 {
    let own = [Vec3::X, Vec3::Y, Vec3::Z];
    let sides = own.map(|axis| turn * axis);
    let across = sides.iter().flat_map(|u| own.map(|v| u.cross(v)));
    let axes = sides.into_iter().chain(own).chain(across).filter_map(Vec3::try_normalize);
    let reach = |axis: Vec3| {
        let of_a = sides.iter().zip(a.to_array()).map(|(side, size)| axis.dot(*side).abs() * size);
        0.5 * (of_a.sum::<f64>() + axis.abs().dot(b))
    };
    axes.map(|axis| reach(axis) - by.dot(axis).abs()).fold(f64::INFINITY, f64::min)
}
