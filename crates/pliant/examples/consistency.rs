//! Measures the claims of the paper on consistent depth; prints Markdown tables.
//!
//! Directions of neighbours [Heidelberger04 fig. 1], jumps for small motions
//! [Heidelberger04 fig. 2], growth and cost beside the closest feature [Heidelberger04 §4].
//! Run it with `cargo run --release -p pliant --example consistency`.

#![expect(
    clippy::disallowed_methods,
    reason = "measures CPU time, which the system tells in a file"
)]

use pliant::body::Bodies;
use pliant::depth::fused::Scratch;
use pliant::depth::nearest::Nearest;
use pliant::depth::{DepthSettings, Penetration, Penetrations};
use pliant::detect::Overlaps;
use pliant::id::MismatchError;
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::GenerateError;
use pliant::mesh::generate::ball::ball;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::raw::RawMesh;

/// Share of the body's size that it moves in one step.
const MOTION: f64 = 1e-3;

/// Steps of that motion.
const JOURNEY: usize = 700;

/// A change of more than this many times the motion is a jump.
const JUMP: f64 = 10.0;

/// A direction that turns by more than this in one step, degrees, has turned.
const TURN: f64 = 45.0;

/// Degrees by which an angle must be larger: faces of a cube are at 90° ± rounding.
const CLEARLY: f64 = 1e-6;

/// Variants of a pile with every body moved a little: no step repeats the last.
const VERSIONS: usize = 8;

/// Samples of a time; the fastest counts.
const SAMPLES: usize = 7;

/// Shortest sample, s.
const SHORTEST: f64 = 0.1;

/// A reproducible generator of numbers from 0 to 1.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// In the cube from -1 to 1.
    fn point(&mut self) -> Vec3 {
        Vec3::new(self.roll(), self.roll(), self.roll()) * 2.0 - 1.0
    }
}

/// Both methods with their scratch memory and last results.
struct Methods {
    bodies: Bodies,
    scratch: Scratch,
    nearest: Nearest,
    penetrations: Penetrations,
    overlaps: Overlaps,
    /// Way to the surface by the closest feature, m, and its unit direction, by vertex.
    closest: Vec<Option<(Vec3, Vec3)>>,
    /// The same by consistent depth.
    consistent: Vec<Option<(Vec3, Vec3)>>,
}

impl Methods {
    fn new(shapes: &[&RawMesh], positions: &[Vec3]) -> Result<Methods, Box<dyn std::error::Error>> {
        let lists: Vec<_> =
            shapes.iter().map(|shape| (shape.positions.len(), &shape.tets[..])).collect();
        let bodies = Bodies::from_tets(&lists)?;
        Ok(Methods {
            scratch: Scratch::new(positions, &bodies)?,
            nearest: Nearest::new(positions, &bodies)?,
            penetrations: Penetrations::default(),
            overlaps: Overlaps::default(),
            closest: Vec::new(),
            consistent: Vec::new(),
            bodies,
        })
    }

    fn solve(&mut self, positions: &[Vec3]) -> Result<(), MismatchError> {
        let Methods { bodies, scratch, nearest, penetrations, overlaps, .. } = self;
        scratch.overlaps(positions, bodies, overlaps)?;
        scratch.penetrations(positions, bodies, DepthSettings::default(), penetrations)?;
        let mut found = Vec::new();
        nearest.penetrations(positions, bodies, overlaps, &mut found)?;
        for list in [&mut self.closest, &mut self.consistent] {
            list.clear();
            list.resize(positions.len(), None);
        }
        let way = |penetration: Penetration| {
            Some((penetration.depth * penetration.direction, penetration.direction))
        };
        for out in found {
            self.closest[out.vertex.index()] = way(out.penetration);
        }
        for out in &penetrations.resolved {
            self.consistent[out.vertex.index()] = way(out.penetration);
        }
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    directions()?;
    jumps()?;
    growth()?;
    costs()
}

fn cube(cells: u32) -> Result<RawMesh, GenerateError> {
    cuboid([cells; 3], Vec3::ONE, TetSplit::Five)
}

fn joined(shapes: &[(&RawMesh, Quat, Vec3)]) -> Vec<Vec3> {
    let placed = |&(shape, turn, by): &(&RawMesh, Quat, Vec3)| {
        shape.positions.iter().map(move |&p| turn * p + by).collect::<Vec<_>>()
    };
    shapes.iter().flat_map(placed).collect()
}

/// Angles between the directions of the two ends of every edge inside.
fn directions() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "| cube | overlap | cells | inside | edges | closest > 45° | > 90° | mean \
         | consistent > 45° | > 90° | mean | no depth |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, width) in [("equal", 1.0), ("half as wide", 0.5)] {
        for overlap in [0.1, 0.3, 0.5, 0.7] {
            for cells in [2, 4, 8, 12] {
                print!("| {name} | {:.0} % | {cells} ", 100.0 * overlap);
                cubes(width, overlap, cells)?;
            }
        }
    }
    println!();
    Ok(())
}

/// One row: a cube of this width that overlaps one of 1 m by this share of it.
fn cubes(width: f64, overlap: f64, cells: u32) -> Result<(), Box<dyn std::error::Error>> {
    let large = cube(cells)?;
    let small = cuboid([cells; 3], Vec3::splat(width), TetSplit::Five)?;
    let by = Vec3::new(0.5 + (0.5 - overlap) * width, 0.013, 0.007);
    let axis = Vec3::new(1.0, 2.0, 3.0) / 14_f64.sqrt();
    let tilt = Quat::from_axis_angle(axis, 0.05);
    let positions = joined(&[(&large, Quat::IDENTITY, Vec3::ZERO), (&small, tilt, by)]);
    let mut methods = Methods::new(&[&large, &small], &positions)?;
    methods.solve(&positions)?;
    let angles = [&methods.closest, &methods.consistent].map(|l| edge_angles(&methods.bodies, l));
    print!("| {} | {} ", methods.overlaps.vertices.len(), angles[0].len());
    for list in angles {
        let count = list.len().max(1) as f64;
        let share =
            |most| 100.0 * list.iter().filter(|&&a| a > most + CLEARLY).count() as f64 / count;
        let mean = list.iter().sum::<f64>() / count;
        print!("| {:.1} % | {:.1} % | {mean:.1}° ", share(45.0), share(90.0));
    }
    println!("| {} |", methods.penetrations.unresolved.len());
    Ok(())
}

/// Degrees between the directions at both ends of each edge that has two.
fn edge_angles(bodies: &Bodies, ways: &[Option<(Vec3, Vec3)>]) -> Vec<f64> {
    let mut angles = Vec::new();
    for (vertex, row) in bodies.neighbours().iter().enumerate() {
        for other in row.iter().filter(|other| other.index() > vertex) {
            if let (Some((_, a)), Some((_, b))) = (ways[vertex], ways[other.index()]) {
                angles.push(a.angle_between(b).to_degrees());
            }
        }
    }
    angles
}

/// Changes of the ways out as one body moves in small steps into the other.
fn jumps() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "| bodies | motion | changes | closest: most | jumps | turns \
         | consistent: changes | most | jumps | turns |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let (round, square) = (ball(0.5, 4)?, cube(6)?);
    let random = Dice(11).point().try_normalize().ok_or("no direction")?;
    let pairs = [
        ("ball, ball", &round, &round),
        ("cube, cube", &square, &square),
        ("ball, cube", &round, &square),
    ];
    for (name, a, b) in pairs {
        for (motion, along) in [("x", Vec3::X), ("random", random)] {
            print!("| {name} | {motion} ");
            for Changes { count, most, jumps, turns } in changes(a, b, along)? {
                print!("| {count} | {most:.0} | {jumps} | {turns} ");
            }
            println!("|");
        }
    }
    println!();
    Ok(())
}

/// Changes of the ways out of vertices that are inside before and after a step.
#[derive(Default)]
struct Changes {
    /// Number of changes.
    count: usize,
    /// Largest change over the motion, dimensionless.
    most: f64,
    /// Changes of more than [`JUMP`] times the motion.
    jumps: usize,
    /// Changes whose direction turned by more than [`TURN`].
    turns: usize,
}

/// Changes on the whole journey, by closest feature and consistently.
fn changes(
    a: &RawMesh,
    b: &RawMesh,
    along: Vec3,
) -> Result<[Changes; 2], Box<dyn std::error::Error>> {
    let at = |step: usize| {
        let place = along * (1.0 - step as f64 * MOTION) + Vec3::new(0.0, 0.013, 0.007);
        joined(&[(a, Quat::IDENTITY, Vec3::ZERO), (b, Quat::from_rotation_z(0.05), place)])
    };
    let mut methods = Methods::new(&[a, b], &at(0))?;
    let mut all = [Changes::default(), Changes::default()];
    let mut before = [Vec::new(), Vec::new()];
    for step in 0..JOURNEY {
        methods.solve(&at(step))?;
        let now = [methods.closest.clone(), methods.consistent.clone()];
        for (sum, (before, now)) in all.iter_mut().zip(before.iter().zip(&now)) {
            for (before, now) in before.iter().zip(now) {
                if let (Some((before, from)), Some((now, to))) = (*before, *now) {
                    let change = Vec3::distance(before, now) / MOTION;
                    sum.count += 1;
                    sum.most = sum.most.max(change);
                    sum.jumps += usize::from(change > JUMP);
                    sum.turns += usize::from(Vec3::angle_between(from, to).to_degrees() > TURN);
                }
            }
        }
        before = now;
    }
    Ok(all)
}

/// A pile of equal balls that overlap a little, in several versions.
fn pile(shape: &RawMesh, count: usize) -> Vec<Vec<Vec3>> {
    let mut dice = Dice(7);
    let side = libm::cbrt(count as f64).ceil() as usize;
    let places: Vec<_> = (0..count)
        .map(|i| {
            let cell =
                Vec3::new((i % side) as f64, (i / side % side) as f64, (i / side / side) as f64);
            let turn = Quat::from_axis_angle(Vec3::Z, 6.0 * dice.roll());
            (
                shape,
                turn * Quat::from_axis_angle(Vec3::X, 6.0 * dice.roll()),
                1.8 * cell + 0.15 * dice.point(),
            )
        })
        .collect();
    let mut version = || -> Vec<Vec3> {
        let moved: Vec<_> = places
            .iter()
            .map(|&(shape, turn, by)| (shape, turn, by + 1e-3 * dice.point()))
            .collect();
        joined(&moved)
    };
    (0..VERSIONS).map(|_| version()).collect()
}

/// Time of all four stages for growing numbers of bodies.
fn growth() -> Result<(), Box<dyn std::error::Error>> {
    println!("| bodies × tets | inside | stage 1, ms | all stages, ms | µs per vertex inside |");
    println!("|---|---|---|---|---|");
    for (layers, counts) in [(3, [30, 60, 120, 240, 480, 960]), (1, [60, 120, 240, 480, 960, 1920])]
    {
        let shape = ball(1.0, layers)?;
        for count in counts {
            let versions = pile(&shape, count);
            let mut methods = Methods::new(&vec![&shape; count], &versions[0])?;
            let (inside, times) = measure(&mut methods, &versions)?;
            println!(
                "| {count} × {} | {inside:.0} | {:.3} | {:.3} | {:.2} |",
                shape.tets.len(),
                1e3 * times.overlaps,
                1e3 * times.consistent,
                1e6 * times.consistent / inside
            );
        }
    }
    println!();
    Ok(())
}

/// Time of both methods on the same overlaps.
fn costs() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "| scene | inside | stage 1, ms | stages 2 to 4, ms | closest feature, ms \
         | closest / stages 2 to 4 | closest with stage 1 / all stages |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (name, shape, count, versions) in scenes()? {
        let mut methods = Methods::new(&vec![&shape; count], &versions[0])?;
        let (inside, Times { overlaps, consistent, closest }) = measure(&mut methods, &versions)?;
        let rest = consistent - overlaps;
        println!(
            "| {name} | {inside:.0} | {:.3} | {:.3} | {:.3} | {:.2} | {:.2} |",
            1e3 * overlaps,
            1e3 * rest,
            1e3 * closest,
            closest / rest,
            (closest + overlaps) / consistent
        );
    }
    Ok(())
}

/// A name, a shape, how many there are of it, and where.
type Scene = (String, RawMesh, usize, Vec<Vec<Vec3>>);

fn scenes() -> Result<Vec<Scene>, GenerateError> {
    let mut scenes = Vec::new();
    for layers in [1, 3, 5] {
        let shape = ball(1.0, layers)?;
        let name = format!("120 balls of {} tets", shape.tets.len());
        scenes.push((name, shape.clone(), 120, pile(&shape, 120)));
    }
    for (overlap, cells) in [(0.1, 12), (0.3, 12), (0.7, 12)] {
        let shape = cube(cells)?;
        let mut dice = Dice(3);
        let mut version = || {
            let by = Vec3::new(1.0 - overlap, 0.013, 0.007) + 1e-3 * dice.point();
            joined(&[
                (&shape, Quat::IDENTITY, Vec3::ZERO),
                (&shape, Quat::from_rotation_z(0.05), by),
            ])
        };
        let versions: Vec<_> = (0..VERSIONS).map(|_| version()).collect();
        let name = format!("2 cubes of {} tets, {:.0} %", shape.tets.len(), 100.0 * overlap);
        scenes.push((name, shape.clone(), 2, versions));
    }
    Ok(scenes)
}

/// CPU time of one step, s.
struct Times {
    /// Stage 1 alone.
    overlaps: f64,
    /// All four stages.
    consistent: f64,
    /// Closest feature, with the overlaps given.
    closest: f64,
}

/// Times of both methods over all versions, and the mean number of vertices inside.
fn measure(methods: &mut Methods, versions: &[Vec<Vec3>]) -> Result<(f64, Times), MismatchError> {
    let Methods { bodies, scratch, nearest, penetrations, overlaps, .. } = methods;
    let given: Vec<Overlaps> = versions
        .iter()
        .map(|positions| scratch.overlaps(positions, bodies, overlaps).map(|()| overlaps.clone()))
        .collect::<Result<_, _>>()?;
    let inside = given.iter().map(|o| o.vertices.len()).sum::<usize>() as f64;
    let mut found = Vec::new();
    let mut stage_1 = scratch.clone();
    let mut works: [Box<dyn FnMut(usize)>; 3] = [
        Box::new(|i| assert_eq!(stage_1.overlaps(&versions[i], bodies, overlaps), Ok(()))),
        Box::new(|i| {
            let settings = DepthSettings::default();
            let made = scratch.penetrations(&versions[i], bodies, settings, penetrations);
            assert_eq!(made, Ok(()));
        }),
        Box::new(|i| {
            let made = nearest.penetrations(&versions[i], bodies, &given[i], &mut found);
            assert_eq!(made, Ok(()));
        }),
    ];
    let [overlaps, consistent, closest] = fastest(&mut works, versions.len());
    Ok((inside / versions.len() as f64, Times { overlaps, consistent, closest }))
}

/// Fastest mean over the versions of each work, s.
///
/// Samples are taken in turn, as the machine is shared.
fn fastest(works: &mut [Box<dyn FnMut(usize) + '_>; 3], versions: usize) -> [f64; 3] {
    let mut best = [f64::INFINITY; 3];
    for _ in 0..SAMPLES {
        for (work, best) in works.iter_mut().zip(&mut best) {
            let (start, mut rounds, mut spent) = (cpu_time(), 0, 0.0);
            while spent < SHORTEST {
                (0..versions).for_each(&mut *work);
                rounds += versions;
                spent = cpu_time() - start;
            }
            *best = best.min(spent / rounds as f64);
        }
    }
    best
}

/// CPU time of this thread so far, s; NaN where the system does not report it.
fn cpu_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    nanoseconds.unwrap_or(f64::NAN) * 1e-9
}
