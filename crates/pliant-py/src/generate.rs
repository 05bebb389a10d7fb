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

use crate::arguments;
use crate::arrays::Vector;
use crate::error;
use crate::mesh::Mesh;

/// The edges of a cloth, of which the engine takes any.
pub fn edges(size: [f64; 2]) -> PyResult<[f64; 2]> {
    match size.iter().all(|edge| edge.is_finite() && *edge > 0.0) {
        true => Ok(size),
        false => Err(error::input(format!("size: expected positive finite lengths, got {size:?}"))),
    }
}

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
pub fn cuboid(
    #[pyo3(from_py_with = arguments::size)] size: Vector,
    #[pyo3(from_py_with = arguments::cells)] cells: [u32; 3],
) -> PyResult<Mesh> {
    made(shapes::cuboid::cuboid(cells, size.0, TetSplit::Five), "box")
}

/// A ball of a radius in m around the origin, of 20 · `layers`³ tets.
///
/// >>> import pliant
/// >>> pliant.ball(0.1, layers=3).tets.shape
/// (540, 4)
#[pyfunction]
#[pyo3(signature = (radius, layers=4))]
pub fn ball(
    #[pyo3(from_py_with = arguments::radius)] radius: f64,
    #[pyo3(from_py_with = arguments::layers)] layers: u32,
) -> PyResult<Mesh> {
    made(shapes::ball::ball(radius, layers), "ball")
}

/// An icosahedron of 13 vertices and 20 tets, its corners at a radius in m.
#[pyfunction]
pub fn icosahedron(#[pyo3(from_py_with = arguments::radius)] radius: f64) -> PyResult<Mesh> {
    made(shapes::icosahedron::icosahedron(radius), "icosahedron")
}

/// A solid ring around y; radii in m, `around` segments, `rings` in its cross-section.
#[pyfunction]
#[pyo3(signature = (ring_radius, tube_radius, *, around=24, rings=2))]
pub fn torus(
    #[pyo3(from_py_with = arguments::ring_radius)] ring_radius: f64,
    #[pyo3(from_py_with = arguments::tube_radius)] tube_radius: f64,
    #[pyo3(from_py_with = arguments::around)] around: u32,
    #[pyo3(from_py_with = arguments::rings)] rings: u32,
) -> PyResult<Mesh> {
    made(shapes::torus::torus(&TorusSettings { ring_radius, tube_radius, around, rings }), "torus")
}

/// A hollow cylinder around y, lengths in m.
#[pyfunction]
#[pyo3(signature = (inner_radius, outer_radius, length, *, around=24, through=2, along=4))]
pub fn tube(
    #[pyo3(from_py_with = arguments::inner_radius)] inner_radius: f64,
    #[pyo3(from_py_with = arguments::outer_radius)] outer_radius: f64,
    #[pyo3(from_py_with = arguments::length)] length: f64,
    #[pyo3(from_py_with = arguments::around)] around: u32,
    #[pyo3(from_py_with = arguments::through)] through: u32,
    #[pyo3(from_py_with = arguments::along)] along: u32,
) -> PyResult<Mesh> {
    let settings = TubeSettings { inner_radius, outer_radius, length, around, through, along };
    made(shapes::tube::tube(&settings), "tube")
}

/// A star-shaped prism along y, lengths in m.
#[pyfunction]
#[pyo3(signature = (outer_radius, inner_radius, thickness, *, tips=5, cells=2, layers=1))]
pub fn star(
    #[pyo3(from_py_with = arguments::outer_radius)] outer_radius: f64,
    #[pyo3(from_py_with = arguments::inner_radius)] inner_radius: f64,
    #[pyo3(from_py_with = arguments::thickness)] thickness: f64,
    #[pyo3(from_py_with = arguments::tips)] tips: u32,
    #[pyo3(from_py_with = arguments::cells)] cells: u32,
    #[pyo3(from_py_with = arguments::layers)] layers: u32,
) -> PyResult<Mesh> {
    let settings = StarSettings { tips, outer_radius, inner_radius, thickness, cells, layers };
    made(shapes::star::star(&settings), "star")
}

/// An L: two arms along x and z, lengths in m.
#[pyfunction]
#[pyo3(signature = (arms, width, *, cells_along=[2, 2], cells_across=1))]
pub fn l_block(
    #[pyo3(from_py_with = arguments::arms)] arms: [f64; 2],
    #[pyo3(from_py_with = arguments::width)] width: f64,
    #[pyo3(from_py_with = arguments::cells_along)] cells_along: [u32; 2],
    #[pyo3(from_py_with = arguments::cells_across)] cells_across: u32,
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
pub fn membrane(
    #[pyo3(from_py_with = arguments::size)] size: [f64; 2],
    #[pyo3(from_py_with = arguments::thickness)] thickness: f64,
    #[pyo3(from_py_with = arguments::cells)] cells: [u32; 2],
    #[pyo3(from_py_with = arguments::layers)] layers: u32,
) -> PyResult<Mesh> {
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
pub fn cloth(
    #[pyo3(from_py_with = arguments::size)] size: [f64; 2],
    #[pyo3(from_py_with = arguments::vertices)] vertices: [u32; 2],
) -> PyResult<Mesh> {
    let size = edges(size)?;
    let network = SpringNetwork::cloth(size, vertices);
    if network.positions.is_empty() {
        let [x, y] = vertices;
        let message = format!("a cloth of {x} × {y} vertices: expected at least 2 along each side");
        return Err(error::mesh(message));
    }
    let mesh = Arc::new(BodyMesh::SpringNetwork(network));
    Ok(Mesh::new(mesh, "cloth".to_owned(), Vec::new()))
}
