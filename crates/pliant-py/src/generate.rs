//! Meshes that are generated: boxes, balls and the other shapes of scenes.

use std::sync::Arc;

use pliant::mesh::generate::l_block::LBlockSettings;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::generate::membrane::MembraneSettings;
use pliant::mesh::generate::star::StarSettings;
use pliant::mesh::generate::torus::TorusSettings;
use pliant::mesh::generate::tube::TubeSettings;
use pliant::mesh::generate::{self as shapes, GenerateError};
use pliant::mesh::raw::RawMesh;
use pliant::world::{BodyMesh, SpringNetwork};
use pyo3::prelude::*;

use crate::arrays::Vector;
use crate::error;
use crate::mesh::Mesh;

fn made(raw: Result<RawMesh, GenerateError>, name: &str) -> PyResult<Mesh> {
    let raw = raw.map_err(error::mesh)?;
    Mesh::from_raw(raw, name.to_owned()).map_err(error::mesh)
}

/// A box with edges of `size`, m, around the origin, of five tets per cell.
///
/// >>> import pliant
/// >>> pliant.box((1, 1, 2), cells=(2, 2, 4))
/// <pliant.Mesh "box": 45 vertices, 80 tets, 80 triangles>
#[pyfunction(name = "box")]
#[pyo3(signature = (size, cells=[1, 1, 1]))]
pub fn cuboid(size: Vector, cells: [u32; 3]) -> PyResult<Mesh> {
    made(shapes::cuboid::cuboid(cells, size.0, TetSplit::Five), "box")
}

/// A ball of a radius in m around the origin, of 20 · `layers`³ tets.
///
/// >>> import pliant
/// >>> pliant.ball(0.1, layers=3).tets.shape
/// (540, 4)
#[pyfunction]
#[pyo3(signature = (radius, layers=4))]
pub fn ball(radius: f64, layers: u32) -> PyResult<Mesh> {
    made(shapes::ball::ball(radius, layers), "ball")
}

/// An icosahedron of 13 vertices and 20 tets, its corners at a radius in m.
#[pyfunction]
pub fn icosahedron(radius: f64) -> PyResult<Mesh> {
    made(shapes::icosahedron::icosahedron(radius), "icosahedron")
}

/// A solid ring around y; radii in m, `around` segments, `rings` in its cross-section.
#[pyfunction]
#[pyo3(signature = (ring_radius, tube_radius, *, around=24, rings=2))]
pub fn torus(ring_radius: f64, tube_radius: f64, around: u32, rings: u32) -> PyResult<Mesh> {
    made(shapes::torus::torus(&TorusSettings { ring_radius, tube_radius, around, rings }), "torus")
}

/// A hollow cylinder around y, lengths in m.
#[pyfunction]
#[pyo3(signature = (inner_radius, outer_radius, length, *, around=24, through=2, along=4))]
pub fn tube(
    inner_radius: f64,
    outer_radius: f64,
    length: f64,
    around: u32,
    through: u32,
    along: u32,
) -> PyResult<Mesh> {
    let settings = TubeSettings { inner_radius, outer_radius, length, around, through, along };
    made(shapes::tube::tube(&settings), "tube")
}

/// A star-shaped prism along y, lengths in m.
#[pyfunction]
#[pyo3(signature = (outer_radius, inner_radius, thickness, *, tips=5, cells=2, layers=1))]
pub fn star(
    outer_radius: f64,
    inner_radius: f64,
    thickness: f64,
    tips: u32,
    cells: u32,
    layers: u32,
) -> PyResult<Mesh> {
    let settings = StarSettings { tips, outer_radius, inner_radius, thickness, cells, layers };
    made(shapes::star::star(&settings), "star")
}

/// An L: two arms along x and z, lengths in m.
#[pyfunction]
#[pyo3(signature = (arms, width, *, cells_along=[2, 2], cells_across=1))]
pub fn l_block(
    arms: [f64; 2],
    width: f64,
    cells_along: [u32; 2],
    cells_across: u32,
) -> PyResult<Mesh> {
    let cut = TetSplit::Five;
    made(
        shapes::l_block::l_block(&LBlockSettings { arms, width, cells_along, cells_across, cut }),
        "l",
    )
}

/// A sheet in the x–z plane, lengths in m.
#[pyfunction]
#[pyo3(signature = (size, thickness, *, cells=[10, 10], layers=1))]
pub fn membrane(size: [f64; 2], thickness: f64, cells: [u32; 2], layers: u32) -> PyResult<Mesh> {
    let cut = TetSplit::Five;
    let settings = MembraneSettings { size, thickness, cells, layers, cut };
    made(shapes::membrane::membrane(&settings), "membrane")
}

/// A cloth of springs in the x–y plane around the origin, `size` in m; its body needs a mass.
///
/// >>> import pliant
/// >>> pliant.cloth((1, 1), vertices=(8, 8)).kind
/// 'spring-network'
#[pyfunction]
#[pyo3(signature = (size, vertices=[11, 11]))]
pub fn cloth(size: [f64; 2], vertices: [u32; 2]) -> PyResult<Mesh> {
    let network = SpringNetwork::cloth(size, vertices);
    if network.positions.is_empty() {
        let [x, y] = vertices;
        let message = format!("a cloth of {x} × {y} vertices: expected at least 2 along each side");
        return Err(error::mesh(message));
    }
    let mesh = Arc::new(BodyMesh::SpringNetwork(network));
    Ok(Mesh::new(mesh, "cloth".to_owned(), Vec::new()))
}
