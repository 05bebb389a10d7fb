//! Random scenes: bodies of any shape, size and material, apart or deep in each other.

use std::fmt::Write as _;

use pliant::math::Vec3;
use pliant::math::random::Random;

use super::shapes::Shapes;
use crate::data::{Placed, Shape, vector};

/// Simulated time, s.
const DURATION: f64 = 3.0;

/// Vertices of a scene at most.
const MOST_VERTICES: usize = 15_000;

/// Smallest and largest size of a body, m.
const SIZES: [f64; 2] = [0.01, 3.0];

/// Largest size of a body over the smallest in a scene.
const SPREAD: f64 = 10.0;

/// Largest mass of a body over the smallest in a scene.
const MASS_RATIO: f64 = 1e4;

/// Young's moduli, Pa.
const MODULI: [f64; 2] = [1e4, 1e7];

/// Young's modulus at least, over the pressure at the foot of a body by its own weight.
const FIRMNESS: f64 = 3.0;

/// Densities of soft and of rigid bodies, kg/m³.
const DENSITIES: [[f64; 2]; 2] = [[100.0, 2000.0], [100.0, 8000.0]];

/// Largest speed at the start, m/s: usual, and of fast scenes.
const SPEEDS: [f64; 2] = [5.0, 60.0];

/// m/s².
const GRAVITY: f64 = 9.81;

/// Size below which steps are half as long, m.
const SMALL: f64 = 0.1;

/// Times that a body is drawn again when it does not fit the others.
const TRIES: usize = 100;

/// A scene to run.
#[derive(Clone, Debug)]
pub struct RandomScene {
    /// Unique for its seed.
    pub name: String,
    /// In the scene language.
    pub text: String,
    /// Number of bodies.
    pub bodies: usize,
    /// Rigid ones.
    pub rigid: usize,
    /// Number of vertices.
    pub vertices: usize,
    /// How bodies begin.
    pub start: Start,
    /// Weight of all others over the stiffness E L² of a soft body, the largest.
    pub load: f64,
}

/// How fast bodies are, and how thin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// At most 5 m/s, or at rest.
    Usual,
    /// Up to 60 m/s, with plates and rods among them.
    Fast,
}

/// How bodies begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// The balls around them do not overlap.
    Apart,
    /// In each other.
    Overlapping,
}

impl Start {
    /// For a table.
    pub fn word(self) -> &'static str {
        match self {
            Start::Apart => "apart",
            Start::Overlapping => "overlapping",
        }
    }
}

/// One body of it.
struct Body<'a> {
    shape: &'a Shape,
    at: Placed,
    /// kg.
    mass: f64,
    /// kg/m³.
    density: f64,
    /// Of a soft body, Pa.
    young: Option<f64>,
}

impl Body<'_> {
    /// Longest side of its box, m.
    fn size(&self) -> f64 {
        self.at.scale * self.shape.size()
    }

    /// Of the ball around it, m.
    fn radius(&self) -> f64 {
        0.5 * self.at.scale * self.shape.sides.length()
    }
}

/// The scene of a number, of those that a seed gives; every other begins with overlap.
pub fn scene(seed: u32, index: u32, shapes: &Shapes, pace: Pace) -> RandomScene {
    let mut random = Random::new(u64::from(seed) << 32 | u64::from(index));
    let start = [Start::Apart, Start::Overlapping][index as usize % 2];
    let mut bodies = bodies(&mut random, shapes);
    place(&mut random, &mut bodies, start);
    let name = match pace {
        Pace::Usual => format!("random-{seed}-{index:03}"),
        Pace::Fast => format!("fast-{seed}-{index:03}"),
    };
    let load = load(&bodies);
    let comment = format!("{name}: load {load:.2e}, {}", start.word());
    let text = text(&mut random, &bodies, pace, &comment);
    RandomScene {
        name,
        text,
        rigid: bodies.iter().filter(|body| body.young.is_none()).count(),
        vertices: bodies.iter().map(|body| body.shape.positions.len()).sum(),
        bodies: bodies.len(),
        start,
        load,
    }
}

/// A number between two, all magnitudes alike.
fn between(random: &mut Random, [low, high]: [f64; 2]) -> f64 {
    low * libm::exp(random.unit() * libm::log((high / low).max(1.0)))
}

/// Shapes, sizes and materials; all at the origin.
fn bodies<'a>(random: &mut Random, shapes: &'a Shapes) -> Vec<Body<'a>> {
    let count = 2 + random.below(19);
    let spread = between(random, [1.0, SPREAD]);
    let smallest = between(random, [SIZES[0], SIZES[1] / spread]);
    let rigid_share = match random.below(10) {
        0 => 1.0,
        1..=4 => 0.0,
        _ => 0.4,
    };
    let mut bodies: Vec<Body> = Vec::new();
    for _ in 0..TRIES * count {
        let is_file = random.below(2) == 0 && !shapes.files.is_empty();
        let list = if is_file { &shapes.files } else { &shapes.generated };
        let shape = &list[random.below(list.len())];
        let size = between(random, [smallest, smallest * spread]);
        let is_rigid = random.unit() < rigid_share;
        let density = between(random, DENSITIES[usize::from(is_rigid)]);
        let firm = FIRMNESS * density * GRAVITY * size;
        let young = between(random, [MODULI[0].max(firm), MODULI[1]]);
        let scale = size / shape.size();
        let at = Placed { scale, rotation: random.rotation(), centre: Vec3::ZERO };
        let mass = density * shape.volume * scale * scale * scale;
        let body = Body { shape, at, mass, density, young: (!is_rigid).then_some(young) };
        if fits(&bodies, &body) {
            bodies.push(body);
        }
        if bodies.len() == count {
            break;
        }
    }
    bodies
}

/// Whether a body keeps the scene within its bounds.
fn fits(bodies: &[Body], body: &Body) -> bool {
    let vertices: usize = bodies.iter().map(|body| body.shape.positions.len()).sum();
    let masses = || bodies.iter().map(|body| body.mass);
    let lightest = masses().fold(body.mass, f64::min);
    let heaviest = masses().fold(body.mass, f64::max);
    vertices + body.shape.positions.len() <= MOST_VERTICES && heaviest <= MASS_RATIO * lightest
}

/// Weight of all others over the stiffness of a soft body, the largest.
fn load(bodies: &[Body]) -> f64 {
    let total: f64 = bodies.iter().map(|body| body.mass).sum();
    let of = |body: &Body| {
        let stiffness = body.young? * body.size() * body.size();
        Some((total - body.mass) * GRAVITY / stiffness)
    };
    bodies.iter().filter_map(of).fold(0.0, f64::max)
}

/// Puts bodies on a grid or around a point, the lowest a little above the floor.
fn place(random: &mut Random, bodies: &mut [Body], start: Start) {
    let is_grid = random.below(2) == 0;
    let overlaps = start == Start::Overlapping;
    let count = bodies.len() as f64;
    let size = bodies.iter().map(Body::size).sum::<f64>() / count;
    let widest = 2.0 * bodies.iter().map(Body::radius).fold(0.0, f64::max);
    if is_grid {
        let spacing = if overlaps { (0.3 + 0.4 * random.unit()) * size } else { 1.02 * widest };
        let side = libm::cbrt(count).ceil() as usize;
        for (k, body) in bodies.iter_mut().enumerate() {
            let cell = [k % side, k / side % side, k / side / side].map(|k| k as f64);
            body.at.centre = spacing * Vec3::from(cell);
        }
    } else if overlaps {
        let reach = (0.2 + 0.5 * random.unit()) * size;
        bodies.iter_mut().for_each(|body| body.at.centre = reach * random.vec3());
    } else {
        apart(random, bodies);
    }
    let low = bodies.iter().flat_map(|body| body.shape.placed(body.at)).map(|p| p.z);
    let low = low.fold(f64::INFINITY, f64::min);
    let gap = (0.02 + 0.5 * random.unit()) * size;
    bodies.iter_mut().for_each(|body| body.at.centre.z += gap - low);
}

/// Puts each body somewhere near the others, the balls around them apart.
fn apart(random: &mut Random, bodies: &mut [Body]) {
    for k in 0..bodies.len() {
        let (placed, rest) = bodies.split_at_mut(k);
        let Some(body) = rest.first_mut() else { return };
        let mut reach = body.radius();
        loop {
            let centre = reach * random.vec3();
            let free = |other: &Body| {
                centre.distance(other.at.centre) > 1.02 * (body.radius() + other.radius())
            };
            if placed.iter().all(free) {
                body.at.centre = centre;
                break;
            }
            reach *= 1.05;
        }
    }
}

/// The scene in the scene language.
fn text(random: &mut Random, bodies: &[Body], pace: Pace, comment: &str) -> String {
    let smallest = bodies.iter().map(Body::size).fold(f64::INFINITY, f64::min);
    let rate = if smallest < SMALL { 120 } else { 60 };
    let friction = 0.8 * random.unit();
    let mut text = format!(
        "# {comment}\nduration = {DURATION:?}\ndt = \"=1/{rate}\"\nresponse = \"constraint\"\n\
         contact = {{ friction = {friction:?} }}\nintegrator = {{ kind = \"implicit-euler\" }}\n"
    );
    let top_speed = match (random.below(3), pace) {
        (_, Pace::Fast) => SPEEDS[1],
        (0, _) => 0.0,
        (1, _) => SPEEDS[0].min((GRAVITY * smallest).sqrt()),
        _ => SPEEDS[0],
    };
    for (k, body) in bodies.iter().enumerate() {
        let direction = random.vec3().try_normalize().unwrap_or(Vec3::X);
        let velocity = vector(top_speed * random.unit() * direction);
        let poisson = 0.2 + 0.25 * random.unit();
        let kind = ["corotational", "neo-hookean"][random.below(2)];
        let density = body.density;
        let material = match body.young {
            None => format!("kind = \"rigid\", density = {density:?}"),
            Some(young) => format!(
                "kind = \"{kind}\", young = {young:?}, poisson = {poisson:?}, density = {density:?}"
            ),
        };
        let rest = format!("velocity = {velocity}\nmaterial = {{ {material} }}");
        text += &body.shape.body(&format!("body-{k}"), body.at, &rest);
    }
    text += &obstacle("floor", Vec3::ZERO, Vec3::ZERO, friction);
    if random.unit() < 0.3 {
        walls(&mut text, bodies, friction);
    }
    text
}

/// Four walls around all bodies.
fn walls(text: &mut String, bodies: &[Body], friction: f64) {
    const TURN: f64 = std::f64::consts::FRAC_PI_2;
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for point in bodies.iter().flat_map(|body| body.shape.placed(body.at)) {
        (low, high) = (low.min(point), high.max(point));
    }
    let room = 0.2 * (high - low).max_element();
    let at = |x: f64, y: f64| Vec3::new(x, y, 0.0);
    for (name, place, turn) in [
        ("left", at(low.x - room, 0.0), at(0.0, TURN)),
        ("right", at(high.x + room, 0.0), at(0.0, -TURN)),
        ("front", at(0.0, low.y - room), at(-TURN, 0.0)),
        ("back", at(0.0, high.y + room), at(TURN, 0.0)),
    ] {
        *text += &obstacle(name, place, turn, friction);
    }
}

fn obstacle(name: &str, place: Vec3, turn: Vec3, friction: f64) -> String {
    let mut text = format!("\n[[obstacles]]\nname = \"{name}\"\nshape = {{ kind = \"plane\" }}\n");
    let (position, rotation) = (vector(place), vector(turn));
    let _ = writeln!(text, "position = {position}\nrotation = {rotation}\nfriction = {friction:?}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scenes_keep_their_bounds_and_repeat() {
        let generated = ["{ kind = \"icosahedron\", radius = 0.5 }"];
        let generated = generated.map(|mesh| Shape::new(mesh.to_owned()).unwrap()).to_vec();
        let shapes = Shapes { generated, files: Vec::new(), left_out: Vec::new() };
        for index in 0..50 {
            let mut random = Random::new(index);
            let mut bodies = bodies(&mut random, &shapes);
            assert!((2..=20).contains(&bodies.len()));
            let range = |all: &[f64]| {
                let largest = all.iter().copied().fold(0.0, f64::max);
                largest / all.iter().copied().fold(f64::INFINITY, f64::min)
            };
            let sizes: Vec<f64> = bodies.iter().map(Body::size).collect();
            let masses: Vec<f64> = bodies.iter().map(|body| body.mass).collect();
            assert!(range(&sizes) <= SPREAD && range(&masses) <= MASS_RATIO);
            place(&mut random, &mut bodies, Start::Apart);
            for (k, a) in bodies.iter().enumerate() {
                for b in &bodies[..k] {
                    assert!(a.at.centre.distance(b.at.centre) > a.radius() + b.radius());
                }
                assert!(a.shape.placed(a.at).all(|p| p.z > 0.0));
            }
            let [a, b] = [0; 2].map(|_| scene(3, index as u32, &shapes, Pace::Usual));
            assert_eq!(a.text, b.text);
        }
    }
}
