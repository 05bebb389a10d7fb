//! Shapes for scenes that are written as text, and the data folder, which is not in the repository.

use std::fs;
use std::path::{Path, PathBuf};

use pliant::math::{Quat, Vec3};

use crate::engine::Ours;

/// Names the data folder.
const VARIABLE: &str = "PLIANT_DATA";

/// Where it is when nothing names it, from the root of the repository.
const USUAL: &str = "../shared/data";

/// The data folder, as an absolute path; none where it is not there.
pub fn folder() -> Option<PathBuf> {
    let path = std::env::var_os(VARIABLE).map_or_else(|| PathBuf::from(USUAL), PathBuf::from);
    path.canonicalize().ok().filter(|path| path.is_dir())
}

/// Line in place of a table that needs the folder.
pub fn skipped() -> String {
    format!("skipped, no data: {VARIABLE} names no folder, and {USUAL} is not there")
}

/// Where scenes that are made of the data are written.
const SCENES: &str = "target/bench-scenes";

/// Writes a scene, so that `pliant run` repeats it.
pub fn write_scene(name: &str, text: &str) -> Result<(), String> {
    let path = Path::new(SCENES).join(format!("{name}.toml"));
    let refuse = |error: std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(SCENES).map_err(refuse)?;
    fs::write(&path, text).map_err(refuse)
}

/// A mesh as the scene language names it, and its measures.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Value of the key `mesh`.
    pub mesh: String,
    /// In the space of the mesh, m.
    pub positions: Vec<Vec3>,
    /// Middle of the box around it, m.
    pub centre: Vec3,
    /// Sides of that box, m.
    pub sides: Vec3,
    /// m³.
    pub volume: f64,
}

/// Where a shape is put.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Factor for the shape.
    pub scale: f64,
    /// About the middle of its box.
    pub rotation: Quat,
    /// Where that middle goes, m.
    pub centre: Vec3,
}

impl Shape {
    /// The shape of a mesh in the scene language.
    pub fn new(mesh: String) -> Result<Shape, String> {
        // With a density of 1 kg/m³ the mass is the volume.
        let material = "{ kind = \"corotational\", young = 1, density = 1 }";
        let scene = format!(
            "duration = 1\ndt = 1\n[[bodies]]\nname = \"a\"\nmesh = {mesh}\nmaterial = {material}\n"
        );
        let ours = Ours::from_text("shape", scene)?;
        let simulation = ours.built.world.simulation();
        let positions = simulation.state.positions.clone();
        let box_around = |(a, b): (Vec3, Vec3), p: &Vec3| (a.min(*p), b.max(*p));
        let (low, high) = positions.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), box_around);
        Ok(Shape {
            mesh,
            centre: 0.5 * (low + high),
            sides: high - low,
            volume: simulation.system.masses.total(),
            positions,
        })
    }

    /// The shape of a mesh file.
    pub fn of_file(path: &Path) -> Result<Shape, String> {
        Shape::new(format!("{{ kind = \"file\", path = {:?} }}", path.display().to_string()))
    }

    /// Longest side of the box around it, m.
    pub fn size(&self) -> f64 {
        self.sides.max_element()
    }

    /// Its vertices where it is put, m.
    pub fn placed(&self, at: Placed) -> impl Iterator<Item = Vec3> + '_ {
        let Placed { scale, rotation, centre } = at;
        self.positions.iter().map(move |p| centre + rotation * (scale * (*p - self.centre)))
    }

    /// A body of the scene language; `rest` is what else it has, line by line.
    pub fn body(&self, name: &str, at: Placed, rest: &str) -> String {
        let Placed { scale, rotation, centre } = at;
        let position = vector(centre - rotation * (scale * self.centre));
        let (mesh, rotation) = (&self.mesh, vector(rotation.to_scaled_axis()));
        format!(
            "\n[[bodies]]\nname = \"{name}\"\nmesh = {mesh}\nscale = {scale:?}\n\
             rotation = {rotation}\nposition = {position}\n{rest}\n"
        )
    }
}

/// Three numbers of the scene language, every bit of them.
pub fn vector(v: Vec3) -> String {
    format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_where_its_shape_was_placed() {
        let mesh = "{ kind = \"l-block\", arms = [1, 0.7], width = 0.3, cells_along = [2, 1], \
                    cells_across = 1 }";
        let shape = Shape::new(mesh.to_owned()).unwrap();
        // Arms of 1 m and 0.7 m share a corner: 0.3² · (1 + 0.7 − 0.3).
        assert!((shape.volume - 0.126).abs() < 1e-12, "{}", shape.volume);
        let rotation = Quat::from_scaled_axis(Vec3::new(0.3, -0.8, 1.1));
        let at = Placed { scale: 2.5, rotation, centre: Vec3::new(1.0, 2.0, 3.0) };
        let body = shape.body("a", at, "material = { kind = \"rigid\" }");
        let ours = Ours::from_text("a", format!("duration = 1\ndt = 1\n{body}")).unwrap();
        let found = &ours.built.world.simulation().state.positions;
        assert_eq!(found.len(), shape.positions.len());
        for (a, b) in found.iter().zip(shape.placed(at)) {
            assert!(a.distance(b) < 1e-12, "{a} {b}");
        }
    }
}
