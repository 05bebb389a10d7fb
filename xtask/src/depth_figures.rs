//! The way out of a vertex that moves a little, by both methods: what [Heidelberger04 fig. 2] sketches.
//!
//! A narrow block is pressed into a wide one from above and moved sideways, towards the wide one's
//! side, by a little at a time. `pliant depth` says for each place along which direction the vertex in the middle
//! of its lower face leaves, and how far.

use crate::steps::{Failure, execute};
use crate::svg::Curve;
use std::fmt::Write;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

/// The name by which `cargo xtask figures` knows it.
pub const NAME: &str = "way-out";

/// Edges of the wide block, m, and cells along them; its upper face is at z = 0.
const WIDE: ([f64; 3], [usize; 3]) = ([1.0, 1.0, 1.0], [8, 8, 8]);

/// The same of the narrow one.
const NARROW: ([f64; 3], [usize; 3]) = ([0.3, 0.3, 0.5], [6, 6, 10]);

/// How deep its lower face is below the upper face of the wide one, m.
const DEPTH: f64 = 0.21;

/// Places at which the way out is asked.
const PLACES: usize = 61;

/// Where the middle of the narrow block is first, m from the side of the wide one, and last.
const FROM_SIDE: [f64; 2] = [0.35, 0.05];

/// Upward part of the unit direction out, over the distance of the vertex to the side, m.
pub fn curves(program: &Path, folder: &Path) -> Result<[Curve; 2], Failure> {
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    // A little off the lattice, so that no edge passes exactly through another.
    let [w, d, h] = WIDE.0;
    write_block(&folder.join("wide"), WIDE, [-w, -0.5 * d + 0.013, -h])?;
    let mut curves = ["closest", "consistent"].map(|name| Curve { name, points: Vec::new() });
    for place in 0..PLACES {
        let part = place as f64 / (PLACES - 1) as f64;
        let from_side = FROM_SIDE[0] + part * (FROM_SIDE[1] - FROM_SIDE[0]);
        let [w, d, _] = NARROW.0;
        write_block(&folder.join("narrow"), NARROW, [-from_side - 0.5 * w, -0.5 * d, -DEPTH])?;
        for curve in &mut curves {
            let direction = way_out(program, folder, curve.name)?;
            if let Some([_, _, up]) = direction {
                curve.points.push([from_side, up]);
            }
        }
    }
    curves.iter_mut().for_each(|curve| curve.points.reverse());
    Ok(curves)
}

/// The vertex in the middle of the lower face of the narrow block.
fn middle() -> usize {
    let [nx, ny, _] = NARROW.1;
    (ny / 2) * (nx + 1) + nx / 2
}

/// Direction in which that vertex leaves by a method; none where it is not resolved.
fn way_out(program: &Path, folder: &Path, method: &str) -> Result<Option<[f64; 3]>, Failure> {
    let answer = folder.join("answer.json");
    let into = File::create(&answer).map_err(|error| failed(&answer, &error))?;
    let mut depth = Command::new(program);
    depth.args(["depth", "--json", "--quiet", "--method", method]);
    depth.args([folder.join("wide.ele"), folder.join("narrow.ele")]);
    execute(depth.stdout(into).stderr(Stdio::null()))?;
    let text = fs::read_to_string(&answer).map_err(|error| failed(&answer, &error))?;
    Ok(direction_of(&text, middle()))
}

/// The direction of a vertex of the second body in what `pliant depth --json` prints.
fn direction_of(text: &str, vertex: usize) -> Option<[f64; 3]> {
    let text: String = text.split_whitespace().collect();
    let (_, of_narrow) = text.split_once("\"name\":\"narrow\"")?;
    let (_, point) = of_narrow.split_once(&format!("{{\"vertex\":{vertex},"))?;
    let (_, numbers) = point.split_once("\"direction\":[")?;
    let (numbers, _) = numbers.split_once(']')?;
    let numbers: Vec<f64> = numbers.split(',').filter_map(|n| n.parse().ok()).collect();
    numbers.try_into().ok()
}

/// Writes a block of tets, five in each cell, from a corner on, as a TetGen mesh.
fn write_block(
    path: &Path,
    (size, cells): ([f64; 3], [usize; 3]),
    corner: [f64; 3],
) -> Result<(), Failure> {
    let [nx, ny, nz] = cells;
    let (mut nodes, mut tets, mut count) = (String::new(), String::new(), 0);
    let number = |[x, y, z]: [usize; 3]| (z * (ny + 1) + y) * (nx + 1) + x;
    for z in 0..=nz {
        for y in 0..=ny {
            for x in 0..=nx {
                let at = [0, 1, 2].map(|axis| {
                    corner[axis] + size[axis] * [x, y, z][axis] as f64 / cells[axis] as f64
                });
                let _ = writeln!(nodes, "{} {} {} {}", number([x, y, z]), at[0], at[1], at[2]);
            }
        }
    }
    for cell in 0..nx * ny * nz {
        let at = [cell % nx, cell / nx % ny, cell / (nx * ny)];
        // Mirrored in every other cell, so that the diagonals of neighbours are the same.
        let flip = (at[0] + at[1] + at[2]) % 2;
        for tet in FIVE {
            let corners = tet.map(|bits| {
                number([0, 1, 2].map(|k| at[k] + ((bits >> k & 1) ^ (usize::from(k == 0) * flip))))
            });
            let [a, b, c, d] = corners;
            let [c, d] = if flip == 1 { [d, c] } else { [c, d] };
            let _ = writeln!(tets, "{count} {a} {b} {c} {d}");
            count += 1;
        }
    }
    let vertices = (nx + 1) * (ny + 1) * (nz + 1);
    let files =
        [("node", format!("{vertices} 3 0 0\n{nodes}")), ("ele", format!("{count} 4 0\n{tets}"))];
    for (ending, text) in files {
        let file = path.with_extension(ending);
        fs::write(&file, text).map_err(|error| failed(&file, &error))?;
    }
    Ok(())
}

/// Five tets of a cube whose corners are numbered by bits x, y, z.
const FIVE: [[usize; 4]; 5] =
    [[0, 5, 3, 6], [0, 1, 3, 5], [0, 3, 2, 6], [0, 5, 6, 4], [3, 6, 5, 7]];

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::step(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_tets_fill_a_cube_and_are_turned_alike() {
        let at = |bits: usize| [0, 1, 2].map(|k| (bits >> k & 1) as f64);
        let sixths = |[a, b, c, d]: [usize; 4]| {
            let [p, q, r] = [b, c, d].map(|bits| [0, 1, 2].map(|k| at(bits)[k] - at(a)[k]));
            p[0] * (q[1] * r[2] - q[2] * r[1]) - p[1] * (q[0] * r[2] - q[2] * r[0])
                + p[2] * (q[0] * r[1] - q[1] * r[0])
        };
        let volumes = FIVE.map(sixths);
        assert!(
            volumes.iter().all(|volume| *volume > 0.0) || volumes.iter().all(|v| *v < 0.0),
            "{volumes:?}"
        );
        assert_eq!(volumes.iter().map(|volume| volume.abs()).sum::<f64>(), 6.0);
    }

    #[test]
    fn a_direction_is_that_of_the_second_body() {
        let text = r#"{"bodies":[{"name":"wide","points":[{"vertex": 3,"direction":[1.0,0.0,0.0]}]},
            {"name":"narrow","points":[{"vertex":13,"direction":[0,1,0]},{"vertex":3,"depth":0.1,"direction":[0.0,-1.5e-3,1.0]}]}]}"#;
        assert_eq!(direction_of(text, 3), Some([0.0, -1.5e-3, 1.0]));
        assert_eq!(direction_of(text, 4), None);
    }
}
