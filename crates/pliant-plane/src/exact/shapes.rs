//! Outlines made from a seed, for tests: every kind of shape and degeneracy.

use crate::outline::Outlines;
use pliant::math::Vec2;
use pliant::math::random::Random;

/// A ring around the origin whose radius jumps by `rough`, relative.
fn star(random: &mut Random, count: usize, size: f64, rough: f64) -> Vec<Vec2> {
    let turn = std::f64::consts::TAU / count as f64;
    let corners = (0..count)
        .map(|k| size * (1.0 - rough * random.unit()) * Vec2::from_angle(turn * k as f64));
    corners.collect()
}

/// A ring like a coast: a triangle whose edges are broken again and again.
fn coast(random: &mut Random, levels: usize) -> Vec<Vec2> {
    let mut ring = star(random, 3, 1.0, 0.1);
    for _ in 0..levels {
        let ends = ring.iter().zip(ring.iter().cycle().skip(1));
        let broken = ends.flat_map(|(&a, &b)| {
            let aside = 0.5 * (random.unit() - 0.5) * (b - a).perp();
            [a, a.midpoint(b) + aside]
        });
        ring = broken.collect();
    }
    ring
}

/// Points of a coarse grid: edges that touch, lie on each other, and share corners.
fn on_grid(random: &mut Random, count: usize) -> Vec<Vec2> {
    let mut whole = |_| Vec2::new(random.below(7) as f64 - 3.0, random.below(7) as f64 - 3.0);
    let mut ring: Vec<Vec2> = (0..count).map(&mut whole).collect();
    ring.dedup();
    while ring.len() < 3 || ring.first() == ring.last() {
        ring.push(whole(0));
        ring.dedup();
    }
    ring.iter().map(|point| 0.25 * point).collect()
}

/// Stairs of a grid: a ring with right angles, as plans have them.
fn stairs(random: &mut Random) -> Vec<Vec2> {
    let count = 2 + random.below(5);
    let mut ring = vec![Vec2::new(-0.75, -0.75)];
    for k in 0..count {
        let at = Vec2::new(-0.5 + 0.25 * k as f64, -0.75 + 0.25 * k as f64);
        ring.extend([at, at + Vec2::new(0.0, 0.25)]);
    }
    ring.push(Vec2::new(-0.75, ring[ring.len() - 1].y));
    ring
}

/// The rings of one shape of any kind, about the size of the unit circle.
fn shape(random: &mut Random) -> Vec<Vec<Vec2>> {
    match random.below(7) {
        0 => vec![star(random, 5, 1.0, 0.5)],
        1 => {
            let holes = [star(random, 9, 0.45, 0.3), star(random, 4, 0.2, 0.1)];
            [vec![star(random, 40, 1.0, 0.4)], holes.to_vec()].concat()
        }
        2 => vec![coast(random, 5)],
        3 => {
            let count = 3 + random.below(40);
            let mut anywhere = || Vec2::new(random.unit() - 0.5, random.unit() - 0.5);
            vec![(0..count).map(|_| 2.0 * anywhere()).collect()] // crosses itself
        }
        4 => {
            let count = 3 + random.below(20);
            vec![on_grid(random, count)]
        }
        5 => vec![stairs(random)],
        _ => vec![star(random, 4, 0.3, 0.0)], // fits into a hole of 1
    }
}

/// Two outlines on each other or near; by the number tiny, or far from the origin.
pub(crate) fn pair(seed: u64) -> Outlines {
    let mut random = Random::new(seed);
    let a = shape(&mut random);
    // Sometimes the same again, moved by nothing, by a step of the grid, or anyhow.
    let b = if random.below(6) == 0 { a.clone() } else { shape(&mut random) };
    let by = match random.below(4) {
        0 => Vec2::ZERO,
        1 => 0.25 * Vec2::new(random.below(9) as f64 - 4.0, random.below(9) as f64 - 4.0),
        _ => 2.0 * Vec2::new(random.unit() - 0.5, random.unit() - 0.5),
    };
    let (scale, origin) = match random.below(5) {
        0 => (1e-6, Vec2::ZERO),
        1 => (1.0, Vec2::new(1e6, -1e6)),
        2 => (1e9, Vec2::ZERO),
        _ => (1.0, Vec2::ZERO),
    };
    build(&[a, b], |b| if b == 1 { by } else { Vec2::ZERO }, scale, origin)
}

/// Two outlines that do not meet.
pub(crate) fn apart(seed: u64) -> Outlines {
    let mut random = Random::new(seed);
    let shapes = [shape(&mut random), shape(&mut random)];
    let by = (2.9 + random.unit()) * Vec2::from_angle(random.below(64) as f64 / 64.0 * 6.5);
    build(&shapes, |b| if b == 1 { by } else { Vec2::ZERO }, 1.0, Vec2::ZERO)
}

fn build(
    shapes: &[Vec<Vec<Vec2>>; 2],
    by: impl Fn(usize) -> Vec2,
    scale: f64,
    origin: Vec2,
) -> Outlines {
    let mut outlines = Outlines::default();
    for (number, rings) in shapes.iter().enumerate() {
        let put = |p: &Vec2| origin + scale * (*p + by(number));
        let rings: Vec<Vec<Vec2>> = rings.iter().map(|r| r.iter().map(put).collect()).collect();
        outlines.push(&rings).unwrap();
    }
    outlines
}

/// Half the way around the box of all points, m.
pub(crate) fn scale(outlines: &Outlines) -> f64 {
    let points = outlines.points();
    let max = points.iter().fold(Vec2::NEG_INFINITY, |most, p| most.max(*p));
    let min = points.iter().fold(Vec2::INFINITY, |least, p| least.min(*p));
    (max - min).element_sum()
}
