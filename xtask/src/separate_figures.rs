//! Pictures of meshes before and after `pliant separate`, for README and book.
//!
//! They show meshes of the data folder, which `PLIANT_DATA` names; without it they stay as they are.

use crate::repository::{root, target_dir};
use crate::steps::{Failure, execute};
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What stands for these pictures among the names of scenes.
pub const NAME: &str = "separate";

/// A mesh of the data folder, and where it is put: size, turn about z in quarters, middle.
struct Placed {
    file: &'static str,
    size: f64,
    quarters: usize,
    middle: [f64; 3],
}

/// What is separated.
enum Meshes {
    /// Files of the data folder as they are.
    Given(&'static [&'static str]),
    /// A file for each.
    Each(&'static [Placed]),
    /// All in one file.
    One(&'static [Placed]),
}

/// Two pictures.
struct Figure {
    name: &'static str,
    meshes: Meshes,
    options: &'static [&'static str],
}

const ALL: [Figure; 3] = [
    // Scans of fruit, which lie where their files put them: around the same place.
    Figure {
        name: "fruit",
        meshes: Meshes::Given(&[
            "surface/ycb_apple.ply",
            "surface/ycb_orange.obj",
            "surface/ycb_strawberry.ply",
            "surface/ycb_banana.ply",
        ]),
        options: &["--by", "rigid"],
    },
    // Two livers that lie in each other, as scans of neighbours do that were taken one by one.
    Figure {
        name: "organs",
        meshes: Meshes::Each(&[
            Placed { file: "tet/liver2_gmsh1.msh", size: 0.2, quarters: 0, middle: [0.0; 3] },
            Placed {
                file: "tet/liver2_gmsh1.msh",
                size: 0.16,
                quarters: 2,
                middle: [0.05, 0.02, 0.0],
            },
        ]),
        options: &["--by", "soft"],
    },
    // What a Boolean union leaves that only appends: parts that run through each other.
    Figure {
        name: "union",
        meshes: Meshes::One(&[
            Placed { file: "surface/torus.obj", size: 1.0, quarters: 0, middle: [0.0; 3] },
            Placed { file: "surface/nut.obj", size: 0.5, quarters: 0, middle: [0.45, 0.1, 0.05] },
            Placed { file: "surface/gear.obj", size: 0.6, quarters: 1, middle: [-0.4, 0.25, 0.08] },
        ]),
        options: &["--parts", "--by", "rigid"],
    },
];

/// Makes the pictures with a program.
pub fn make(program: &Path, figures: &Path) -> Result<(), Failure> {
    let Some(data) = env::var_os("PLIANT_DATA").map(PathBuf::from) else {
        eprintln!("   PLIANT_DATA names no folder: the pictures of `pliant separate` stay");
        return Ok(());
    };
    for figure in &ALL {
        let folder = target_dir().join("figures").join(format!("separate-{}", figure.name));
        let bad = |error: std::io::Error| Failure::step(format!("{}: {error}", folder.display()));
        fs::create_dir_all(&folder).map_err(bad)?;
        let files = match figure.meshes {
            Meshes::Given(names) => names.iter().map(|name| data.join(name)).collect(),
            Meshes::Each(meshes) => {
                let parts = placed(program, &data, &folder, meshes)?;
                let files: Vec<PathBuf> =
                    (0..parts.len()).map(|k| folder.join(format!("part-{k}.obj"))).collect();
                for (part, file) in parts.iter().zip(&files) {
                    fs::write(file, text(std::slice::from_ref(part))).map_err(bad)?;
                }
                files
            }
            Meshes::One(meshes) => {
                let file = folder.join("together.obj");
                fs::write(&file, text(&placed(program, &data, &folder, meshes)?)).map_err(bad)?;
                vec![file]
            }
        };
        let mut separate = Command::new(program);
        separate.arg("separate").args(&files).args(figure.options).args(["--quiet", "-o"]);
        execute(separate.current_dir(root()).arg(folder.join("out")))?;
        for when in ["before", "after"] {
            let to = figures.join(format!("separate-{}-{when}.png", figure.name));
            fs::copy(folder.join("out").join(format!("{when}.png")), to).map_err(bad)?;
        }
    }
    Ok(())
}

/// Meshes of the data folder where they are put.
fn placed(
    program: &Path,
    data: &Path,
    folder: &Path,
    meshes: &[Placed],
) -> Result<Vec<Obj>, Failure> {
    let mut parts = Vec::new();
    for (number, placed) in meshes.iter().enumerate() {
        let surface = folder.join(format!("surface-{number}.obj"));
        let mut convert = Command::new(program);
        convert.args(["convert", "--quiet"]).arg(data.join(placed.file)).arg(&surface);
        execute(convert.current_dir(root()))?;
        let text = fs::read_to_string(&surface)
            .map_err(|error| Failure::step(format!("{}: {error}", surface.display())))?;
        parts.push(Obj::read(&text).placed(placed));
    }
    Ok(parts)
}

/// Vertices and triangles of a file.
#[derive(Default)]
struct Obj {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[usize; 3]>,
}

impl Obj {
    fn read(text: &str) -> Obj {
        let mut obj = Obj::default();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            match words.next() {
                Some("v") => {
                    let mut next =
                        || words.next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
                    obj.vertices.push([next(), next(), next()]);
                }
                Some("f") => {
                    let mut next = || words.next().and_then(|word| word.parse().ok()).unwrap_or(1);
                    obj.triangles.push([next(), next(), next()]);
                }
                _ => {}
            }
        }
        obj
    }

    /// Scaled to a size, turned, and put with the middle of its box somewhere.
    fn placed(mut self, to: &Placed) -> Obj {
        for _ in 0..to.quarters {
            self.vertices.iter_mut().for_each(|v| *v = [-v[1], v[0], v[2]]);
        }
        let end = |axis: usize, pick: fn(f64, f64) -> f64, start: f64| {
            self.vertices.iter().fold(start, |most, v| pick(most, v[axis]))
        };
        let low = [0, 1, 2].map(|axis| end(axis, f64::min, f64::INFINITY));
        let high = [0, 1, 2].map(|axis| end(axis, f64::max, f64::NEG_INFINITY));
        let longest = (0..3).map(|axis| high[axis] - low[axis]).fold(0.0, f64::max);
        let scale = to.size / longest;
        for vertex in &mut self.vertices {
            for axis in 0..3 {
                let middle = 0.5 * (low[axis] + high[axis]);
                vertex[axis] = to.middle[axis] + scale * (vertex[axis] - middle);
            }
        }
        self
    }
}

/// Several as one file.
fn text(parts: &[Obj]) -> String {
    let (mut text, mut first) = (String::new(), 0);
    for part in parts {
        // Writing to a text cannot fail.
        for [x, y, z] in &part.vertices {
            let _ = writeln!(text, "v {x} {y} {z}");
        }
        for triangle in &part.triangles {
            let [a, b, c] = triangle.map(|corner| first + corner);
            let _ = writeln!(text, "f {a} {b} {c}");
        }
        first += part.vertices.len();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_meshes_in_one_file_count_on() {
        let one = || Obj { vertices: vec![[0.0; 3]; 3], triangles: vec![[1, 2, 3]] };
        let both = text(&[one(), one()]);
        assert_eq!(Obj::read(&both).triangles, [[1, 2, 3], [4, 5, 6]]);
    }

    #[test]
    fn a_mesh_is_turned_scaled_and_put_somewhere() {
        let vertices = vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        let to = Placed { file: "", size: 1.0, quarters: 1, middle: [5.0, 6.0, 7.0] };
        // Turned by a quarter it is 2 along x and 4 along y.
        let placed = Obj { vertices, triangles: Vec::new() }.placed(&to);
        assert_eq!(placed.vertices, [[5.25, 5.5, 7.0], [5.25, 6.5, 7.0], [4.75, 5.5, 7.0]]);
    }
}
