//! Scenes of overlapping bodies, the same for every side that is measured.
//!
//! The piles come from files when `PLIANT_BENCH` names their folder, so that numbers can be
//! compared with those of others; else balls of about the same size are piled up here.

use std::fs;
use std::path::{Path, PathBuf};

use pliant::body::Bodies;
use pliant::id::VertexId;
use pliant::math::random::Random;
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::ball::ball;
use pliant::mesh::generate::torus::{TorusSettings, torus};

/// Names the folder with the files of the piles.
const FOLDER: &str = "PLIANT_BENCH";

/// Sets of positions that the steps of a scene go through.
pub const FRAMES: usize = 8;

/// Motion between the sets: a body by this part of its size, a vertex of its shortest edge.
const JITTER: f64 = 0.01;

/// Layers of a ball with 20,000 tets.
const LARGE: u32 = 10;

/// The piles: bodies, name and layers of the ball, pairs that are known to penetrate.
const PILES: [(usize, &str, u32, usize); 5] = [
    (120, "20", 1, 1144),
    (120, "189", 3, 2248),
    (120, "2400", 5, 8694),
    (1000, "20", 1, 10_800),
    (1000, "189", 3, 21_478),
];

/// Scenes that are always generated here.
const OTHERS: [&str; 3] = ["deep", "concave", "mixed"];

/// Bodies and the sets of positions that they go through.
pub struct Scene {
    /// Bodies and kind of ball for a pile, else a word.
    pub name: String,
    /// Topology.
    pub bodies: Bodies,
    /// The scene as it is given, m.
    pub positions: Vec<Vec3>,
    /// The same with small motions, m.
    pub frames: Vec<Vec<Vec3>>,
    /// Pairs of a surface vertex and a body that holds it, where others have counted them.
    pub known_pairs: Option<usize>,
}

/// Positions and tets of one kind of body.
type Shape = (Vec<Vec3>, Vec<[VertexId; 4]>);

/// One body: number of its shape, turn, place of its origin, m.
type Placed = (usize, Quat, Vec3);

/// Names of all scenes.
pub fn names() -> Vec<String> {
    let piles = PILES.iter().map(|(count, ball, ..)| format!("{count}x{ball}"));
    piles.chain(OTHERS.map(String::from)).collect()
}

/// Where the piles come from, for the heading.
pub fn origin() -> String {
    match folder() {
        Some(_) => format!("Piles from the files of {FOLDER}"),
        None => format!("{FOLDER} is not set: piles of generated balls, others' counts unknown"),
    }
}

/// Makes a scene.
pub fn scene(name: &str) -> Result<Scene, String> {
    let pile = PILES.iter().find(|(count, ball, ..)| format!("{count}x{ball}") == name);
    let (shapes, placed) = match (pile, name) {
        (Some(&(count, ball_name, layers, _)), _) => match folder() {
            Some(folder) => pile_from_files(&folder, count, ball_name)?,
            None => pile_from_generator(count, ball_name, layers)?,
        },
        (None, "deep") => deep()?,
        (None, "concave") => concave()?,
        (None, "mixed") => mixed()?,
        _ => return Err(format!("no such scene: {name}; there are: {}", names().join(", "))),
    };
    let known_pairs = pile.filter(|_| folder().is_some()).map(|pile| pile.3);
    assemble(name, &shapes, &placed, known_pairs)
}

fn folder() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

fn assemble(
    name: &str,
    shapes: &[Shape],
    placed: &[Placed],
    known_pairs: Option<usize>,
) -> Result<Scene, String> {
    let mut random = Random::new(1);
    let (mut positions, mut frames) = (Vec::new(), vec![Vec::new(); FRAMES]);
    for &(shape, turn, place) in placed {
        let shape = &shapes[shape];
        let local: Vec<Vec3> = shape.0.iter().map(|&p| turn * p + place).collect();
        let (size, edge) = (size(&local), shortest_edge(shape));
        for frame in &mut frames {
            let shift = JITTER * size * random.vec3();
            frame.extend(local.iter().map(|&p| p + shift + JITTER * edge * random.vec3()));
        }
        positions.extend(local);
    }
    let meshes: Vec<_> =
        placed.iter().map(|body| (shapes[body.0].0.len(), &shapes[body.0].1[..])).collect();
    let bodies = Bodies::from_tets(&meshes).map_err(|error| error.to_string())?;
    Ok(Scene { name: name.to_string(), bodies, positions, frames, known_pairs })
}

/// Half the longest side of the box around some points, m.
fn size(points: &[Vec3]) -> f64 {
    let (low, high) = points
        .iter()
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(low, high): (Vec3, Vec3), &p| {
            (low.min(p), high.max(p))
        });
    0.5 * (high - low).max_element()
}

fn shortest_edge((positions, tets): &Shape) -> f64 {
    let edges = tets
        .iter()
        .flat_map(|&[v0, v1, v2, v3]| [(v0, v1), (v0, v2), (v0, v3), (v1, v2), (v1, v3), (v2, v3)]);
    let length = |(a, b): (VertexId, VertexId)| positions[a.index()].distance(positions[b.index()]);
    edges.map(length).fold(f64::INFINITY, f64::min)
}

fn pile_from_files(
    folder: &Path,
    count: usize,
    ball_name: &str,
) -> Result<(Vec<Shape>, Vec<Placed>), String> {
    let small = if ball_name == "20" { "20" } else { "" };
    let mut numbers = read(&folder.join(format!("pile_overlap{small}_{count}.txt")))?.into_iter();
    let centres = numbers.next().unwrap_or_default() as usize;
    let centres = (0..centres).map(|_| vector(&mut numbers)).collect::<Result<Vec<_>, _>>()?;
    let mut numbers = read(&folder.join(format!("ball{ball_name}.txt")))?.into_iter();
    let mut next = || numbers.next().ok_or("the ball ends early".to_string());
    let [vertices, tets, _] = [next()?, next()?, next()?].map(|n| n as usize);
    let positions = (0..vertices).map(|_| vector(&mut numbers)).collect::<Result<Vec<_>, _>>()?;
    let corners: Vec<VertexId> = numbers.take(4 * tets).map(|v| VertexId(v as u32)).collect();
    let tets = corners.as_chunks::<4>().0.to_vec();
    Ok((vec![(positions, tets)], upright(&centres)))
}

fn read(path: &Path) -> Result<Vec<f64>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let number = |word: &str| word.parse().map_err(|_| format!("{}: {word:?}", path.display()));
    text.split_whitespace().map(number).collect()
}

fn vector(numbers: &mut impl Iterator<Item = f64>) -> Result<Vec3, String> {
    match (numbers.next(), numbers.next(), numbers.next()) {
        (Some(x), Some(y), Some(z)) => Ok(Vec3::new(x, y, z)),
        _ => Err("a file ends within a point".to_string()),
    }
}

fn upright(centres: &[Vec3]) -> Vec<Placed> {
    centres.iter().map(|&centre| (0, Quat::IDENTITY, centre)).collect()
}

/// Unit balls on a cubic lattice that is a little too narrow for them.
fn pile_from_generator(
    count: usize,
    ball_name: &str,
    layers: u32,
) -> Result<(Vec<Shape>, Vec<Placed>), String> {
    // An icosahedron is much smaller than the sphere around it.
    let spacing = if ball_name == "20" { 1.4 } else { 1.9 };
    let side = libm::cbrt(count as f64).ceil() as usize;
    let mut random = Random::new(2);
    let centres: Vec<Vec3> = (0..count)
        .map(|i| {
            let cell = [i / side % side, i % side, i / side / side].map(|k| k as f64);
            spacing * (Vec3::from(cell) + 0.025 * random.vec3())
        })
        .collect();
    Ok((vec![solid_ball(1.0, layers)?], upright(&centres)))
}

/// Two large balls that share 70 % of their diameter.
fn deep() -> Result<(Vec<Shape>, Vec<Placed>), String> {
    let apart = Vec3::new(0.5, 0.3, 0.15).normalize_or_zero() * 0.6;
    Ok((vec![solid_ball(1.0, LARGE)?], upright(&[Vec3::ZERO, apart])))
}

/// A chain of eight rings, each standing across the one before and biting into it.
fn concave() -> Result<(Vec<Shape>, Vec<Placed>), String> {
    let settings = TorusSettings { ring_radius: 1.0, tube_radius: 0.35, around: 48, rings: 4 };
    let mesh = torus(&settings).map_err(|error| error.to_string())?;
    let place = |i: u32| {
        let turn = Quat::from_rotation_x(f64::from(i % 2) * std::f64::consts::FRAC_PI_2);
        (0, turn, Vec3::new(1.55 * f64::from(i), 0.02 * f64::from(i), 0.03))
    };
    Ok((vec![(mesh.positions, mesh.tets)], (0..8).map(place).collect()))
}

/// A large ball and 200 small ones, each halfway in its surface.
fn mixed() -> Result<(Vec<Shape>, Vec<Placed>), String> {
    const SMALL: usize = 200;
    let shapes = vec![solid_ball(1.0, LARGE)?, solid_ball(0.1, 2)?];
    let golden = std::f64::consts::PI * (3.0 - 5_f64.sqrt());
    let small = (0..SMALL).map(|i| {
        let z = 1.0 - (2 * i + 1) as f64 / SMALL as f64;
        let (sine, cosine) = libm::sincos(golden * i as f64);
        let across = (1.0 - z * z).sqrt();
        (1, Quat::IDENTITY, Vec3::new(across * cosine, across * sine, z))
    });
    Ok((shapes, std::iter::once((0, Quat::IDENTITY, Vec3::ZERO)).chain(small).collect()))
}

fn solid_ball(radius: f64, layers: u32) -> Result<Shape, String> {
    let mesh = ball(radius, layers).map_err(|error| error.to_string())?;
    Ok((mesh.positions, mesh.tets))
}
