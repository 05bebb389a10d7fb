//! Steps a scene without recording anything, and prints the digest of its state.
//!
//! For counting instructions: `valgrind --tool=callgrind steps SCENE STEPS [THREADS]`.

use std::error::Error;

use pliant_run::scene;
use pliant_scene::digest::digest;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, steps, rest @ ..] = &arguments[..] else {
        return Err("usage: steps SCENE STEPS [THREADS]".into());
    };
    let mut loaded = scene::load(name, &[])?;
    let threads = rest.first().map_or(Ok(1), |threads| threads.parse())?;
    loaded.world.set_threads(threads);
    for _ in 0..steps.parse::<usize>()? {
        loaded.world.step()?;
    }
    println!("{}", digest(&loaded.world.simulation().state));
    Ok(())
}
