//! How large a scene is, before anything is built.

use super::{pattern, shape};
use crate::spec::obstacle::Shape;
use crate::spec::{Mesh, Scene};

/// Tets and vertices of the generated meshes of a scene, copies included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SceneSize {
    /// Tets of bodies and obstacles.
    pub tets: f64,
    /// Vertices of bodies and obstacles that have no tets.
    pub vertices: f64,
}

impl SceneSize {
    /// Adds up all meshes; files are not looked into.
    pub fn of(scene: &Scene) -> SceneSize {
        let mut size = SceneSize::default();
        for body in &scene.bodies {
            let copies = pattern::count(body.pattern.as_ref());
            for mesh in std::iter::once(&body.mesh).chain(&body.render_mesh) {
                size.add(mesh, copies);
            }
        }
        scene.obstacles.iter().for_each(|obstacle| size.add_obstacle(&obstacle.shape));
        size
    }

    fn add(&mut self, mesh: &Mesh, copies: f64) {
        let [tets, vertices] = shape::size(mesh);
        self.tets += copies * tets;
        self.vertices += copies * vertices;
    }

    fn add_obstacle(&mut self, shape: &Shape) {
        match shape {
            Shape::Mesh { mesh, .. } => self.add(mesh, 1.0),
            Shape::Union { parts } | Shape::Intersection { parts } => {
                parts.iter().for_each(|part| self.add_obstacle(&part.shape));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnostic::Sources;
    use crate::size;

    #[test]
    fn copies_and_meshes_of_obstacles_count() {
        let text = "duration = 1\ndt = 0.1\n\
            [[bodies]]\nname = \"a\"\nmaterial = { kind = \"none\" }\nmass = 1\n\
            mesh = { kind = \"cuboid\", size = [1, 1, 1], cells = [2, 3, 4], cut = \"five\" }\n\
            pattern = { kind = \"grid\", counts = [7, 1, 1], spacing = [2, 2, 2] }\n\
            [[obstacles]]\nname = \"b\"\n\
            [obstacles.shape]\nkind = \"mesh\"\nspacing = 0.5\n\
            mesh = { kind = \"ball\", radius = 1, layers = 2 }\n";
        let sources = Sources { name: "a.toml".into(), text: text.into(), sets: Vec::new() };
        let found = size(&sources).unwrap();
        // 7 × 5 × 2·3·4 tets of bodies, 20 × 2³ of the obstacle.
        assert_eq!([840.0 + 160.0, 0.0], [found.tets, found.vertices]);
    }
}
