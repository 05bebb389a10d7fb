//! Shapes that tests of several stages share.

use crate::body::{Bodies, Mesh};
use crate::math::Vec3;
use crate::mesh::generate::cuboid::cuboid;
use crate::mesh::generate::lattice::TetSplit;
use crate::mesh::generate::star::{StarSettings, star};
use crate::mesh::raw::RawMesh;
use crate::mesh::tet::TetMesh;

/// A cube of five tets per cell around the origin, its edges of `size`, m.
pub(crate) fn cube(cells: u32, size: f64) -> RawMesh {
    cuboid([cells; 3], Vec3::splat(size), TetSplit::Five).unwrap()
}

/// A star with five tips.
pub(crate) fn spiky(layers: u32) -> RawMesh {
    let settings = StarSettings {
        tips: 5,
        outer_radius: 1.0,
        inner_radius: 0.4,
        thickness: 0.5,
        cells: 2,
        layers,
    };
    star(&settings).unwrap()
}

/// A mesh that passed the checks.
pub(crate) fn tets(raw: RawMesh) -> TetMesh {
    TetMesh::from_raw(raw).unwrap().0
}

/// Bodies of tets.
pub(crate) fn bodies_of(shapes: &[RawMesh]) -> Bodies {
    let meshes: Vec<_> = shapes.iter().cloned().map(tets).collect();
    Bodies::from_meshes(&meshes.iter().map(Mesh::Tets).collect::<Vec<_>>()).unwrap()
}
