//! Shapes of random scenes: generated ones, and usable meshes of the data folder.

use std::fs;
use std::path::{Path, PathBuf};

use pliant_run::check::{self, FileReport};

use super::scene::Pace;
use crate::data::{self, Shape};

/// Vertices of a shape at most.
pub const MOST_VERTICES: usize = 3000;

/// Endings of mesh files; `.ele` belongs to `.node`.
const ENDINGS: [&str; 6] = ["vtk", "msh", "mesh", "veg", "vtu", "node"];

/// Problems that leave a mesh usable.
const HARMLESS: [&str; 2] = ["sliver_tets", "unreferenced_vertices"];

/// Generated meshes; their sizes do not matter, as they are scaled.
const GENERATED: [&str; 13] = [
    "{ kind = \"cuboid\", size = [1, 1, 1], cells = [1, 1, 1] }",
    "{ kind = \"cuboid\", size = [1, 1, 1], cells = [4, 4, 4] }",
    "{ kind = \"cuboid\", size = [1, 0.6, 0.4], cells = [5, 3, 2] }",
    "{ kind = \"cuboid\", size = [1, 0.2, 0.2], cells = [10, 2, 2] }",
    "{ kind = \"icosahedron\", radius = 0.5 }",
    "{ kind = \"ball\", radius = 0.5, layers = 2 }",
    "{ kind = \"ball\", radius = 0.5, layers = 3 }",
    "{ kind = \"ball\", radius = 0.5, layers = 5 }",
    "{ kind = \"torus\", ring_radius = 0.35, tube_radius = 0.15, around = 16, rings = 2 }",
    "{ kind = \"tube\", inner_radius = 0.3, outer_radius = 0.5, length = 0.8, around = 16, \
     through = 2, along = 4 }",
    "{ kind = \"l-block\", arms = [1, 0.8], width = 0.3, cells_along = [4, 3], cells_across = 2 }",
    "{ kind = \"star\", tips = 5, outer_radius = 0.5, inner_radius = 0.25, thickness = 0.2, \
     cells = 3, layers = 2 }",
    "{ kind = \"membrane\", size = [1, 1], thickness = 0.08, cells = [10, 10] }",
];

/// Thin ones, of fast scenes: thickness 2 % of the size.
const THIN: [&str; 2] = [
    "{ kind = \"cuboid\", size = [1, 1, 0.02], cells = [8, 8, 1] }",
    "{ kind = \"cuboid\", size = [1, 0.02, 0.02], cells = [16, 1, 1] }",
];

/// All shapes that scenes are made of.
pub struct Shapes {
    /// Made from numbers.
    pub generated: Vec<Shape>,
    /// From files, by name.
    pub files: Vec<Shape>,
    /// Files that are left out, with the reason.
    pub left_out: Vec<String>,
}

impl Shapes {
    /// Reads the data folder.
    pub fn read(pace: Pace) -> Result<Shapes, String> {
        let folder = data::folder().ok_or_else(data::skipped)?.join("tet");
        let thin = if pace == Pace::Fast { &THIN[..] } else { &[] };
        let generated = GENERATED.iter().chain(thin).map(|mesh| Shape::new((*mesh).to_owned()));
        let generated = generated.collect::<Result<_, _>>()?;
        let mut shapes = Shapes { generated, files: Vec::new(), left_out: Vec::new() };
        for path in mesh_files(&folder)? {
            match usable(&path) {
                Ok(shape) => shapes.files.push(shape),
                Err(reason) => {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    shapes.left_out.push(format!("{name} ({reason})"));
                }
            }
        }
        Ok(shapes)
    }
}

/// Mesh files of a folder, by name.
fn mesh_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let refuse = |error: std::io::Error| format!("{}: {error}", folder.display());
    let entries = fs::read_dir(folder).map_err(refuse)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()).map_err(refuse));
    let mut paths = paths.collect::<Result<Vec<_>, _>>()?;
    let is_mesh =
        |path: &PathBuf| ENDINGS.iter().any(|e| path.extension().is_some_and(|x| x == *e));
    paths.retain(is_mesh);
    paths.sort();
    Ok(paths)
}

/// The shape of a file, or why it is left out.
fn usable(path: &Path) -> Result<Shape, String> {
    let FileReport { problems, error, tets, vertices, .. } = check::check(path);
    if let Some(error) = error {
        return Err(error);
    }
    let names = problems.iter().map(|problem| problem.kind.name());
    let harmful: Vec<_> = names.filter(|name| !HARMLESS.contains(name)).collect();
    if !harmful.is_empty() {
        return Err(harmful.join(", "));
    }
    if tets == Some(0) {
        return Err("no tets".to_owned());
    }
    if vertices.is_some_and(|count| count > MOST_VERTICES) {
        return Err(format!("more than {MOST_VERTICES} vertices"));
    }
    Shape::of_file(path)
}
