//! The same game in Pliant and in rapier3d: what it takes to write, and whether it works.

use libm::{cos, sin};

use crate::timing::single;
use crate::world::{game_pliant, game_rapier};

/// Frames that are played, ten seconds.
pub const FRAMES: i32 = 600;

/// Radius of a ball, m.
pub const RADIUS: f64 = 0.1;

/// Of the spring by which the mouse drags, N/m.
pub const STIFFNESS: f64 = 300.0;

/// Radius and height of the bowl inside, and its thickness, m.
const BOWL: [f64; 3] = [0.9, 0.6, 0.1];

/// Rings of the mesh on each side, and vertices around.
const RINGS: usize = 8;
const AROUND: usize = 32;

/// A mesh as a level comes: places and corners.
pub struct Asset {
    /// m.
    pub points: Vec<[f64; 3]>,
    /// Counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// What happened in a game.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// Pairs that began to touch.
    pub began: usize,
    /// Pairs that ceased to.
    pub ended: usize,
    /// Pairs that began with a known impulse, and the largest, N·s.
    pub sounds: usize,
    pub loudest: f64,
    /// How high the die was dragged, m.
    pub lifted: f64,
    /// Bodies in the end, and those of them that are in the bowl.
    pub bodies: usize,
    pub in_bowl: usize,
}

impl Outcome {
    /// Plays the sound of an impulse, N·s.
    pub fn play(&mut self, impulse: f64) {
        self.sounds += usize::from(impulse > 0.0);
        self.loudest = self.loudest.max(impulse);
    }

    /// Takes in where a body ended.
    pub fn end(&mut self, [x, y, z]: [f64; 3]) {
        let [radius, height, _] = BOWL;
        self.bodies += 1;
        self.in_bowl +=
            usize::from(libm::hypot(x, y) < radius && (0.0..height + radius).contains(&z));
    }

    /// Whether all of it happened.
    fn check(&self, name: &str) -> Result<(), String> {
        let is_good = self.began > 0 && self.ended > 0 && self.sounds > 0 && self.lifted > 0.5;
        match is_good && self.in_bowl == self.bodies && self.bodies == 11 {
            true => Ok(()),
            false => Err(format!("{name}: {self:?}")),
        }
    }
}

/// Where a body begins: layers of five above the bowl, the last two in the middle.
pub fn place(number: usize) -> [f64; 3] {
    let (layer, angle) = ((number / 5) as f64, number as f64 * std::f64::consts::TAU / 5.0);
    let radius = if number < 10 { 0.3 } else { 0.02 };
    [radius * cos(angle + layer), radius * sin(angle + layer), 0.5 + 0.25 * layer]
}

/// A bowl whose inside is a paraboloid, as thick everywhere along z.
fn bowl() -> Asset {
    let [radius, height, thickness] = BOWL;
    let ring = |k: usize, below: f64| {
        let share = k as f64 / RINGS as f64;
        (0..AROUND).map(move |a| {
            let angle = a as f64 * std::f64::consts::TAU / AROUND as f64;
            let r = share * radius;
            [r * cos(angle), r * sin(angle), height * share * share - below]
        })
    };
    // The centre and the rings inside, then those outside, then the centre beneath.
    let mut points = vec![[0.0; 3]];
    points.extend((1..=RINGS).flat_map(|k| ring(k, 0.0)));
    points.extend((1..=RINGS).rev().flat_map(|k| ring(k, thickness)));
    points.push([0.0, 0.0, -thickness]);
    let (last, around) = (points.len() as u32 - 1, AROUND as u32);
    let mut triangles = Vec::new();
    for a in 0..around {
        let b = (a + 1) % around;
        triangles.push([0, 1 + a, 1 + b]);
        for k in 0..2 * RINGS as u32 - 1 {
            let [near, far] = [1 + k * around, 1 + (k + 1) * around];
            triangles.push([near + a, far + a, far + b]);
            triangles.push([near + a, far + b, near + b]);
        }
        triangles.push([last - around + a, last, last - around + b]);
    }
    Asset { points, triangles }
}

/// Lines that are neither empty nor comments, nor marks for a linter.
fn lines(source: &str) -> usize {
    let is_code = |line: &str| !["//", "#["].iter().any(|start| line.starts_with(start));
    source.lines().map(str::trim).filter(|line| !line.is_empty() && is_code(line)).count()
}

/// Plays both and prints the table.
pub fn run() -> Result<(), String> {
    let asset = bowl();
    let (time_ours, ours) = single(|| game_pliant::play(&asset));
    let ours = ours.map_err(|error| error.to_string())?;
    let (time_theirs, theirs) = single(|| game_rapier::play(&asset));
    let theirs = theirs.ok_or("rapier3d takes no such bowl")?;
    println!(
        "{FRAMES} frames: ten soft balls and a die in a bowl, the mouse drags the die, a ball \
         comes, another goes; sounds at each contact that begins.\n"
    );
    println!(
        "| engine | lines | began | ended | with an impulse | loudest, N·s | lifted to, m | in the bowl | ms per frame |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let sides = [
        ("Pliant", include_str!("game_pliant.rs"), time_ours, ours),
        ("rapier3d", include_str!("game_rapier.rs"), time_theirs, theirs),
    ];
    for (name, source, time, outcome) in sides {
        let Outcome { began, ended, sounds, loudest, lifted, bodies, in_bowl } = outcome;
        println!(
            "| {name} | {} | {began} | {ended} | {sounds} | {loudest:.2} | {lifted:.2} | {in_bowl} of {bodies} \
             | {:.2} |",
            lines(source),
            1e3 * time / f64::from(FRAMES)
        );
    }
    sides.iter().try_for_each(|(name, _, _, outcome)| outcome.check(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_code_is_counted() {
        assert_eq!(lines("//! Doc.\n\nuse a;\n    // Why.\n#[expect(c)]\nfn b() {} // here\n"), 2);
    }
}
