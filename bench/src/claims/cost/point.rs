//! Cost of a colliding point: detection and depth, consistent and by closest feature.

use pliant::depth::nearest::{Closest, Nearest};
use pliant::detect::Overlaps;
use pliant::id::MismatchError;
use pliant::math::Vec3;

use crate::claims::sweep::response;
use crate::claims::tables::print;
use crate::depth::{Ours as Consistent, turn};
use crate::engine::{Engine, Ours};
use crate::rows::Amount;
use crate::scenes::{self, FRAMES, Scene};
use crate::timing::Spread;

/// Time per colliding point in [Heidelberger04 §4], s.
const THEIRS: f64 = 35e-6;

/// Piles that files may be there for.
const PILES: [&str; 5] = ["120x20", "120x189", "120x2400", "1000x20", "1000x189"];

/// Fewest steps of each side.
const STEPS: usize = 40;

/// Shortest time of both sides together, s.
const SHORTEST: f64 = 1.0;

/// Time before states of a pile that moves are taken, s.
const BEFORE: f64 = 2.0;

/// Depth by closest feature; keeps its memory.
struct ByClosest<'a> {
    scene: &'a Scene,
    scratch: pliant::depth::fused::Scratch,
    nearest: Nearest,
    overlaps: Overlaps,
    found: Vec<Closest>,
}

impl ByClosest<'_> {
    fn new(scene: &Scene) -> Result<ByClosest<'_>, MismatchError> {
        Ok(ByClosest {
            scene,
            scratch: pliant::depth::fused::Scratch::new(&scene.positions, &scene.bodies)?,
            nearest: Nearest::new(&scene.positions, &scene.bodies)?,
            overlaps: Overlaps::default(),
            found: Vec::new(),
        })
    }

    fn step(&mut self, positions: &[Vec3]) {
        let ByClosest { scene, scratch, nearest, overlaps, found } = self;
        assert_eq!(scratch.overlaps(positions, &scene.bodies, overlaps), Ok(()));
        assert_eq!(nearest.penetrations(positions, &scene.bodies, overlaps, found), Ok(()));
    }
}

/// All scenes.
pub fn run(_: Amount) -> Result<(), String> {
    println!(
        "Detection and depth of all vertices inside; 10th percentile of the steps. [Heidelberger04 §4]: \
         {:.0} µs per point on a Pentium 4 at 3 GHz, growing in proportion to their number. {}.\n",
        1e6 * THEIRS,
        scenes::origin()
    );
    let mut rows = vec![row(&moving()?)?];
    for name in PILES {
        rows.push(row(&scenes::scene(name)?)?);
        eprintln!("  {name}");
    }
    let head = [
        "scene",
        "tets",
        "points inside",
        "consistent, ms",
        "µs per point",
        "times faster than 35 µs",
        "closest feature, ms",
        "µs per point",
        "closest / consistent",
    ];
    print(&head, &rows);
    Ok(())
}

/// States of a pile under penalty forces, one after the other.
fn moving() -> Result<Scene, String> {
    let mut ours = Ours::new("sphere-pile", &[response("penalty")])?;
    for _ in 0..(BEFORE / ours.built.info.dt).round() as u64 {
        ours.step()?;
    }
    let mut frames = Vec::new();
    for _ in 0..FRAMES {
        ours.step()?;
        frames.push(ours.state().positions);
    }
    let bodies = ours.built.world.simulation().system.bodies.as_ref().clone();
    let name = "sphere-pile while it falls".to_string();
    Ok(Scene { name, bodies, positions: frames[0].clone(), frames, known_pairs: None })
}

fn row(scene: &Scene) -> Result<Vec<String>, String> {
    let mut consistent = Consistent::new(scene)?;
    let mut closest = ByClosest::new(scene).map_err(|error| error.to_string())?;
    let mut points = 0;
    for frame in &scene.frames {
        consistent.step(frame);
        closest.step(frame);
        points += closest.found.len();
    }
    let points = points as f64 / FRAMES as f64;
    let mut times = [Vec::new(), Vec::new()];
    while times.iter().any(|side| side.len() < STEPS)
        || times.iter().flatten().sum::<f64>() < SHORTEST
    {
        turn(&mut times[0], |step| consistent.step(&scene.frames[step]));
        turn(&mut times[1], |step| closest.step(&scene.frames[step]));
    }
    let [ours, theirs] = times.map(|side| Spread::of(side).p10);
    Ok(vec![
        scene.name.clone(),
        scene.bodies.tets().len().to_string(),
        format!("{points:.0}"),
        format!("{:.3}", 1e3 * ours),
        format!("{:.2}", 1e6 * ours / points),
        format!("{:.0}", THEIRS * points / ours),
        format!("{:.3}", 1e3 * theirs),
        format!("{:.2}", 1e6 * theirs / points),
        format!("{:.2}", theirs / ours),
    ])
}
