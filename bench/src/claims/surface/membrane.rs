//! Three cubes of three weights on a membrane: how deep the heavy one lies in it.

use pliant::id::BodyId;

use crate::claims::inside::{Inside, deepest, inside};
use crate::claims::surface::{WAYS, way};
use crate::claims::sweep::{Variation, step};
use crate::claims::tables::print;
use crate::engine::{Engine, Judge, Ours};
use crate::rows::Amount;

/// The cubes, by their number in the scene.
const CUBES: [(&str, BodyId); 3] =
    [("light", BodyId(1)), ("middle", BodyId(2)), ("heavy", BodyId(3))];

/// Steps per simulated second, 1/s: a cube arrives at 2.7 m/s, and the membrane is 0.05 m thick.
const RATES: [u32; 3] = [60, 240, 960];

/// All responses, over steps.
pub fn run(_: Amount) -> Result<(), String> {
    println!(
        "At the end of the scene. Vertices inside count on both sides; a vertex in the membrane is at most half \
         its thickness, 0.025 m, from a surface, one of the membrane in a cube at most 0.2 m.\n"
    );
    let mut rows = Vec::new();
    for rate in RATES {
        for name in WAYS {
            rows.extend(three(&step(rate), name)?);
            eprintln!("  1/{rate} s, {name}");
        }
    }
    let head = [
        "step",
        "response",
        "cube",
        "vertices inside",
        "deepest, m",
        "height of its centre above the membrane's, m",
        "speed, m/s",
        "edge crossings in all",
        "inverted tets in all",
    ];
    print(&head, &rows);
    Ok(())
}

fn three(variation: &Variation, name: &str) -> Result<Vec<Vec<String>>, String> {
    let mut ours = Ours::new("cubes-on-membrane", &variation.with(&way(name)))?;
    let mut judge = Judge::of(&ours.built);
    for _ in 0..ours.built.info.steps {
        ours.step()?;
    }
    let state = ours.state();
    let (all, overlap) = (inside(ours.built.world.simulation()), judge.overlap(&state));
    let below = judge.place(&state, BodyId(0)).z;
    let row = |(cube, body): (&str, BodyId)| {
        let own = || all.iter().filter(|one| touches(one, body));
        vec![
            variation.name.clone(),
            name.to_string(),
            cube.to_string(),
            own().count().to_string(),
            format!("{:.4}", deepest(own())),
            height(judge.place(&state, body).z - below),
            format!("{:.4}", judge.velocity(&state, body).length()),
            overlap.edge_crossings.to_string(),
            overlap.inverted_tets.to_string(),
        ]
    };
    Ok(CUBES.map(row).to_vec())
}

/// Whether a body is on either side.
fn touches(one: &Inside, body: BodyId) -> bool {
    one.owner == body || one.into.contains(&body)
}

/// For the table, m.
fn height(height: f64) -> String {
    if height < 0.0 { "fell through".to_string() } else { format!("{height:.3}") }
}
