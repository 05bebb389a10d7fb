//! Consistent penetration depth, all four stages.

use pliant::depth::fused::Scratch;
use pliant::depth::{DepthSettings, Escapes};

use crate::scenes::{self, Scene};

/// Runs ours alone, for a profiler to look at.
pub fn run_ours(name: &str, steps: &str) -> Result<(), String> {
    let steps: usize = steps.parse().map_err(|_| format!("{steps} is no number of steps"))?;
    let scene = scenes::scene(name)?;
    let mut ours = Ours::new(&scene);
    for step in 0..steps {
        ours.step(&scene, &scene.frames[step % scenes::FRAMES]);
    }
    println!("{name}: {steps} steps, {} vertices resolved in the last", ours.found.resolved.len());
    Ok(())
}

/// Our side of a scene.
struct Ours {
    scratch: Scratch,
    found: Escapes,
}

impl Ours {
    fn new(scene: &Scene) -> Ours {
        let scratch = Scratch::new(&scene.positions, &scene.bodies);
        Ours { scratch, found: Escapes::default() }
    }

    fn step(&mut self, scene: &Scene, positions: &[pliant::math::Vec3]) {
        let settings = DepthSettings::default();
        self.scratch.escapes(positions, &scene.bodies, settings, &mut self.found);
    }
}
