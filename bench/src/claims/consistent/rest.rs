//! Convex and concave bodies of several sizes on a floor: whether they come to rest.

use crate::claims::sweep::{Variation, response, step};
use crate::claims::tables::{begin, go_on};
use crate::engine::{Engine, Judge, Ours, fastest};
use crate::rows::Amount;

/// The responses compared, the constraint beside.
const RESPONSES: [&str; 3] = ["closest", "penalty", "constraint"];

/// Steps per simulated second, 1/s; the scene has 120.
const RATES: [u32; 3] = [60, 120, 240];

/// All responses, over steps.
pub fn run(_: Amount) -> Result<(), String> {
    println!(
        "The scene `assorted`, after [Heidelberger04 fig. 10]: a slab, a ring, a ball, a tube, an L, a star, a prism and \
         small cubes of 0.1 to 1 m fall onto each other for 8 s.\n"
    );
    begin(&[
        "step",
        "response",
        "rms speed at the end, m/s",
        "fastest vertex, m/s",
        "vertices inside",
        "deepest, m",
        "edge crossings",
        "inverted tets",
    ]);
    for rate in RATES {
        for name in RESPONSES {
            go_on(&row(&step(rate), name)?);
            eprintln!("  1/{rate} s, {name}");
        }
    }
    Ok(())
}

fn row(variation: &Variation, name: &str) -> Result<Vec<String>, String> {
    let mut ours = Ours::new("assorted", &variation.with(&[response(name)]))?;
    let mut judge = Judge::of(&ours.built);
    for _ in 0..ours.built.info.steps {
        ours.step()?;
    }
    let state = ours.state();
    let overlap = judge.overlap(&state);
    Ok(vec![
        variation.name.clone(),
        name.to_string(),
        format!("{:.1e}", judge.rms_speed(&state)),
        format!("{:.1e}", fastest(&state)),
        overlap.penetrating_vertices.to_string(),
        format!("{:.4}", overlap.max_depth),
        overlap.edge_crossings.to_string(),
        overlap.inverted_tets.to_string(),
    ])
}
