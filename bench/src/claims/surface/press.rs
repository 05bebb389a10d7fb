//! A soft ball between stiff cubes: what overlap is left at rest.

use crate::claims::surface::RESPONSES;
use crate::claims::sweep::response;
use crate::claims::tables::print;
use crate::engine::{Engine, Judge, Ours};
use crate::rows::Amount;

/// Parts of the ball's diameter that it is pressed by.
const SQUEEZES: [f64; 2] = [0.2, 0.4];

/// When the press has been at rest for a second, s.
const HELD: f64 = 3.0;

/// Kinds of ball: name and layers.
const BALLS: [(&str, u32); 2] = [("109 vertices", 2), ("as in the scene", 4)];

/// All responses.
pub fn run(_: Amount) -> Result<(), String> {
    println!(
        "A ball of 1 m diameter, pressed between two cubes a thousand times as stiff, after the press has \
         been held for 1 s. The small scene has about the size of [Spillmann05 fig. 8] (95 vertices).\n"
    );
    let mut rows = Vec::new();
    for (kind, layers) in BALLS {
        for squeeze in SQUEEZES {
            for name in RESPONSES {
                let mut sets = vec![response(name), format!("squeeze={squeeze}")];
                sets.push(format!("bodies.0.mesh.layers={layers}"));
                if layers == 2 {
                    sets.extend([1, 2].map(|body| format!("bodies.{body}.mesh.cells=[2, 2, 2]")));
                }
                let reported =
                    held(&sets).unwrap_or_else(|error| vec![format!("broke off: {error}")]);
                let start =
                    vec![kind.to_string(), format!("{:.0} %", 100.0 * squeeze), name.to_string()];
                rows.push([start, reported].concat());
            }
        }
        eprintln!("  {kind}");
    }
    let head = [
        "meshes",
        "pressed by",
        "response",
        "vertices inside",
        "deepest, m",
        "edge crossings",
        "inverted tets",
        "rms speed, m/s",
    ];
    print(&head, &rows);
    Ok(())
}

fn held(sets: &[String]) -> Result<Vec<String>, String> {
    let mut ours = Ours::new("squeezed-sphere", sets)?;
    let mut judge = Judge::of(&ours.built);
    for _ in 0..(HELD / ours.built.info.dt).round() as u64 {
        ours.step()?;
    }
    let state = ours.state();
    let overlap = judge.overlap(&state);
    Ok(vec![
        overlap.penetrating_vertices.to_string(),
        format!("{:.4}", overlap.max_depth),
        overlap.edge_crossings.to_string(),
        overlap.inverted_tets.to_string(),
        format!("{:.4}", judge.rms_speed(&state)),
    ])
}
