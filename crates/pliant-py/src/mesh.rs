//! Meshes: read, made of arrays, checked, filled with tets and written.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyArray2};
use pliant::mesh::generate::stuffing::{StuffingSettings, stuffed};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use pliant::mesh::tet::TetMesh;
use pliant::mesh::topology;
use pliant::world::BodyMesh;
use pliant_io::mesh::Cells;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString};

use crate::arguments::{self, Argument};
use crate::arrays::{self, Rotation, Vector};
use crate::error;
use crate::json;
use crate::progress::interruptible;

/// A body's shape at rest: tets, a closed surface, or a spring network.
///
/// Lengths are in m. Inverted or degenerate tets, open surfaces and indices that lead nowhere are
/// refused with a `MeshError`; what was repaired is in `notices`. Its arrays are read-only and made
/// once.
///
/// >>> import numpy as np, pliant
/// >>> corners = np.array([[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]])
/// >>> mesh = pliant.Mesh(corners, tets=[[0, 1, 2, 3]])
/// >>> mesh.kind, mesh.triangles.shape
/// ('tets', (4, 3))
/// >>> float(round(mesh.volume, 6))
/// 0.0045
#[pyclass(frozen, module = "pliant")]
pub struct Mesh {
    /// Shared with the bodies that are made of it.
    pub shared: Arc<BodyMesh>,
    name: String,
    notices: Vec<String>,
    positions: PyOnceLock<Py<PyArray2<f64>>>,
    tets: PyOnceLock<Py<PyArray2<u32>>>,
    triangles: PyOnceLock<Py<PyArray2<u32>>>,
}

impl Mesh {
    /// A mesh that passed the checks.
    pub fn new(shared: Arc<BodyMesh>, name: String, notices: Vec<String>) -> Mesh {
        Mesh {
            shared,
            name,
            notices,
            positions: PyOnceLock::new(),
            tets: PyOnceLock::new(),
            triangles: PyOnceLock::new(),
        }
    }

    /// Checks what a file or a generator gave.
    pub fn from_raw(mut raw: RawMesh, name: String) -> Result<Mesh, String> {
        let mut notices = std::mem::take(&mut raw.notices);
        let (mesh, repair) = if raw.tets.is_empty() {
            let (surface, repair) = Surface::from_raw(raw).map_err(|error| error.to_string())?;
            (BodyMesh::Surface(surface), repair)
        } else {
            let (tets, repair) = TetMesh::from_raw(raw).map_err(|error| error.to_string())?;
            (BodyMesh::Tets(tets), repair)
        };
        notices.extend(repair);
        Ok(Mesh::new(Arc::new(mesh), name, notices))
    }
}

#[pymethods]
impl Mesh {
    #[new]
    #[pyo3(signature = (positions, tets=None, triangles=None, *, regions=None, name=String::new()))]
    fn from_arrays(
        positions: &Bound<'_, PyAny>,
        tets: Option<&Bound<'_, PyAny>>,
        triangles: Option<&Bound<'_, PyAny>>,
        regions: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arguments::name)] name: String,
    ) -> PyResult<Mesh> {
        let positions = arrays::positions(positions, "positions")?;
        let raw = raw(positions, tets, triangles, regions)?;
        Mesh::from_raw(raw, name).map_err(error::mesh)
    }

    /// Vertices at rest, m: float64 of shape (n, 3).
    #[getter]
    fn positions(&self, py: Python<'_>) -> PyResult<Py<PyArray2<f64>>> {
        let made = self.positions.get_or_try_init(py, || {
            let made = arrays::vectors(py, self.shared.positions())?;
            arrays::frozen(py, &made).map(|()| made)
        })?;
        Ok(made.clone_ref(py))
    }

    /// Tets as vertex numbers: uint32 of shape (n, 4); none of a surface.
    #[getter]
    fn tets(&self, py: Python<'_>) -> PyResult<Py<PyArray2<u32>>> {
        let made = self.tets.get_or_try_init(py, || {
            let made = arrays::indices(py, self.shared.tets())?;
            arrays::frozen(py, &made).map(|()| made)
        })?;
        Ok(made.clone_ref(py))
    }

    /// Triangles of the surface, counter-clockwise seen from outside: uint32 of shape (n, 3).
    #[getter]
    fn triangles(&self, py: Python<'_>) -> PyResult<Py<PyArray2<u32>>> {
        let made = self.triangles.get_or_try_init(py, || {
            let made = arrays::indices(py, self.shared.triangles())?;
            arrays::frozen(py, &made).map(|()| made)
        })?;
        Ok(made.clone_ref(py))
    }

    /// Material region of each tet: uint32 of shape (n,).
    #[getter]
    fn regions(&self, py: Python<'_>) -> Py<PyArray1<u32>> {
        let regions = match &*self.shared {
            BodyMesh::Tets(mesh) => mesh.regions().to_vec(),
            _ => Vec::new(),
        };
        arrays::column(py, regions)
    }

    /// Edges as vertex numbers: uint32 of shape (n, 2).
    #[getter]
    fn edges(&self, py: Python<'_>) -> PyResult<Py<PyArray2<u32>>> {
        arrays::indices(py, &self.shared.edges())
    }

    /// `tets`, `surface` or `spring-network`.
    #[getter]
    fn kind(&self) -> &'static str {
        match &*self.shared {
            BodyMesh::Tets(_) => "tets",
            BodyMesh::Surface(_) => "surface",
            BodyMesh::SpringNetwork(_) => "spring-network",
            BodyMesh::Particles(_) => "particles",
            BodyMesh::Outline(_) => "outline",
        }
    }

    /// Volume, m³; 0 of a spring network.
    #[getter]
    fn volume(&self) -> f64 {
        match &*self.shared {
            BodyMesh::Tets(mesh) => mesh.volume(),
            BodyMesh::Surface(mesh) => mesh.volume(),
            _ => 0.0,
        }
    }

    /// The file's stem, or what it was named.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// What the reader left out or changed, one sentence each.
    #[getter]
    fn notices(&self) -> Vec<String> {
        self.notices.clone()
    }

    /// The same mesh, turned about the origin by a quaternion x, y, z, w and then moved, m.
    #[pyo3(signature = (by=Vector(pliant::math::Vec3::ZERO), *, rotation=None, scale=1.0))]
    fn moved(
        &self,
        #[pyo3(from_py_with = arguments::by)] by: Vector,
        #[pyo3(from_py_with = arguments::rotation)] rotation: Option<Rotation>,
        #[pyo3(from_py_with = arguments::scale)] scale: f64,
    ) -> PyResult<Mesh> {
        if !scale.is_finite() {
            return Err(error::input(format!("scale: expected a finite number, got {scale}")));
        }
        let turn = rotation.map_or(pliant::math::Quat::IDENTITY, |rotation| rotation.0);
        let length = turn.length();
        if !(length.is_finite() && length > 0.0) {
            let expected = "a quaternion that is finite and not zero";
            return Err(error::input(format!("rotation: expected {expected}")));
        }
        // As in a world: a unit quaternion keeps its bits, another one does not scale the mesh.
        let turn = if turn.is_normalized() { turn } else { turn / length };
        let places = self.shared.positions().iter().map(|p| by.0 + turn * (scale * *p)).collect();
        self.placed(places)
    }

    /// The same tets or triangles with other positions.
    fn with_positions(&self, positions: &Bound<'_, PyAny>) -> PyResult<Mesh> {
        let places = arrays::positions(positions, "positions")?;
        let (got, count) = (places.len(), self.shared.positions().len());
        if got != count {
            let message = format!("positions: expected shape ({count}, 3), got ({got}, 3)");
            return Err(error::input(message));
        }
        self.placed(places)
    }

    /// Writes tets (.vtu, .vtk, .msh) or triangles (.obj, .stl, .ply, .off), whole or not at all.
    fn write(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::path)] path: PathBuf,
    ) -> PyResult<()> {
        let mesh = self.shared.clone();
        let holds = pliant_io::mesh::cells_written(&path).map_err(error::mesh)?;
        py.detach(move || match (&*mesh, holds) {
            (BodyMesh::Tets(tets), Cells::Tets) => {
                let (positions, regions) = (tets.positions(), tets.regions());
                pliant_io::mesh::write_tets(&path, positions, tets.tets(), regions)
                    .map_err(|error| error.to_string())
            }
            (_, Cells::Tets) => {
                let path = path.display();
                Err(format!("{path}: the mesh has no tets; name it .obj, .stl, .ply or .off"))
            }
            (mesh, Cells::Triangles) => {
                pliant_io::mesh::write_triangles(&path, mesh.positions(), mesh.triangles())
                    .map_err(|error| error.to_string())
            }
        })
        .map_err(error::mesh)
    }

    fn __repr__(&self) -> String {
        let (vertices, tets) = (self.shared.positions().len(), self.shared.tets().len());
        let triangles = self.shared.triangles().len();
        let name = if self.name.is_empty() { String::new() } else { format!(" {:?}", self.name) };
        format!("<pliant.Mesh{name}: {vertices} vertices, {tets} tets, {triangles} triangles>")
    }
}

impl Mesh {
    /// The same connectivity elsewhere.
    pub fn placed(&self, positions: Vec<pliant::math::Vec3>) -> PyResult<Mesh> {
        let raw = match &*self.shared {
            BodyMesh::Tets(mesh) => RawMesh {
                positions,
                tets: mesh.tets().to_vec(),
                regions: mesh.regions().to_vec(),
                ..RawMesh::default()
            },
            BodyMesh::SpringNetwork(network) => {
                let network = pliant::world::SpringNetwork { positions, ..network.clone() };
                let mesh = Arc::new(BodyMesh::SpringNetwork(network));
                return Ok(Mesh::new(mesh, self.name.clone(), self.notices.clone()));
            }
            mesh => {
                RawMesh { positions, triangles: mesh.triangles().to_vec(), ..RawMesh::default() }
            }
        };
        Mesh::from_raw(raw, self.name.clone()).map_err(error::mesh)
    }
}

/// The closed surface of a mesh; of tets their boundary.
pub fn boundary_surface(mesh: &BodyMesh) -> Result<Surface, String> {
    match mesh {
        BodyMesh::Surface(surface) => Ok(surface.clone()),
        mesh => {
            let triangles = mesh.triangles().to_vec();
            let positions = mesh.positions().to_vec();
            let raw = RawMesh { positions, triangles, ..RawMesh::default() };
            Surface::from_raw(raw).map(|(surface, _)| surface).map_err(|e| e.to_string())
        }
    }
}

/// A mesh that was given: ours, or an object of another library that `pliant.interop` knows.
pub struct MeshArgument(pub Py<Mesh>);

impl Argument<'_> for MeshArgument {
    fn read(given: &Bound<'_, PyAny>, name: &str) -> PyResult<MeshArgument> {
        if let Ok(mesh) = given.cast::<Mesh>() {
            return Ok(MeshArgument(mesh.clone().unbind()));
        }
        let convert = given.py().import("pliant.interop")?.getattr("as_mesh")?;
        let made = convert.call1((given, name))?;
        Ok(MeshArgument(made.cast_into::<Mesh>().map_err(PyErr::from)?.unbind()))
    }
}

/// A list or another sequence of what describes a mesh.
pub struct MeshList(pub Vec<MeshArgument>);

impl Argument<'_> for MeshList {
    fn read(given: &Bound<'_, PyAny>, name: &str) -> PyResult<MeshList> {
        let is_text = given.is_instance_of::<PyString>();
        let Some(parts) = given.try_iter().ok().filter(|_| !is_text) else {
            let got = arrays::described(given);
            let expected = format!("{name}: expected a list of meshes");
            return Err(error::input_type(format!("{expected}, got {got}; put it into a list")));
        };
        let read =
            |(k, part): (usize, PyResult<_>)| MeshArgument::read(&part?, &format!("{name}[{k}]"));
        Ok(MeshList(parts.enumerate().map(read).collect::<PyResult<_>>()?))
    }
}

/// Arrays as a mesh that is not checked beyond its indices.
fn raw(
    positions: Vec<pliant::math::Vec3>,
    tets: Option<&Bound<'_, PyAny>>,
    triangles: Option<&Bound<'_, PyAny>>,
    regions: Option<&Bound<'_, PyAny>>,
) -> PyResult<RawMesh> {
    let count = positions.len();
    let tets = tets.map(|tets| arrays::corners::<4>(tets, "tets", count)).transpose()?;
    let triangles =
        triangles.map(|list| arrays::corners::<3>(list, "triangles", count)).transpose()?;
    let tets = tets.unwrap_or_default();
    let triangles = triangles.unwrap_or_default();
    if tets.is_empty() && triangles.is_empty() {
        return Err(error::input("expected tets or triangles, got neither"));
    }
    let regions = regions.map(|list| arrays::numbers(list, "regions", tets.len())).transpose()?;
    let regions = regions.unwrap_or_default();
    Ok(RawMesh { positions, tets, regions, triangles, notices: Vec::new() })
}

/// Reads a mesh file: .vtk .vtu .msh .mesh .node .ele .veg with tets, .obj .stl .ply .off.
///
/// >>> import pliant
/// >>> pliant.ball(0.1, 2).write("ball.vtu")
/// >>> pliant.read_mesh("ball.vtu")
/// <pliant.Mesh "ball": 55 vertices, 160 tets, 80 triangles>
#[pyfunction]
pub fn read_mesh(
    py: Python<'_>,
    #[pyo3(from_py_with = arguments::path)] path: PathBuf,
) -> PyResult<Mesh> {
    py.detach(|| {
        let file = pliant_io::mesh::read(&path).map_err(|error| error.to_string())?;
        let has_cells = !(file.mesh.tets.is_empty() && file.mesh.triangles.is_empty());
        let shown = path.display();
        if !has_cells {
            let notices = file.mesh.notices.join("; ");
            return Err(format!("{shown}: the file holds no tets or triangles ({notices})"));
        }
        Mesh::from_raw(file.mesh, file.name).map_err(|error| format!("{shown}: {error}"))
    })
    .map_err(|why: String| error::mesh_at(&path, why))
}

/// What is in a mesh or scene file, or in arrays, and everything that is wrong with it.
///
/// Of a file the report of `pliant check --json`; of arrays the same without a name.
///
/// >>> import pliant
/// >>> report = pliant.check([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], triangles=[[0, 1, 2]])
/// >>> [(problem["kind"], problem["count"]) for problem in report["problems"]]
/// [('open_edges', 3), ('unreferenced_vertices', 1)]
#[pyfunction]
#[pyo3(signature = (file_or_positions, tets=None, triangles=None))]
pub fn check<'py>(
    file_or_positions: &Bound<'py, PyAny>,
    tets: Option<&Bound<'py, PyAny>>,
    triangles: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = file_or_positions.py();
    let (path, mesh) = (file_or_positions.extract::<PathBuf>(), file_or_positions.cast::<Mesh>());
    let given = [("tets", tets), ("triangles", triangles)];
    let beside = given.into_iter().find(|(_, corners)| corners.is_some());
    if let (true, Some((name, _))) = (path.is_ok() || mesh.is_ok(), beside) {
        return Err(error::input(format!("{name}: expected none beside a file or a mesh")));
    }
    if let Ok(path) = path {
        let report = py.detach(move || pliant_run::check::check(&path));
        return json::object(py, &report);
    }
    let report = match mesh {
        Ok(mesh) => {
            let mesh = &mesh.get().shared;
            let raw = RawMesh {
                positions: mesh.positions().to_vec(),
                tets: mesh.tets().to_vec(),
                triangles: if mesh.tets().is_empty() { mesh.triangles().to_vec() } else { vec![] },
                ..RawMesh::default()
            };
            py.detach(move || pliant_run::check::check_mesh(raw))
        }
        Err(_) => {
            let positions = arrays::rows_of_three(file_or_positions, "positions")?;
            let raw = raw(positions, tets, triangles, None)?;
            py.detach(move || pliant_run::check::check_mesh(raw))
        }
    };
    json::object(py, &report)
}

/// Fills a closed surface with tets whose edges are about `size` long, m, by isosurface stuffing.
///
/// Returns the mesh and how good it is. Of a mesh of tets the boundary is filled anew. Ctrl-C
/// returns at once.
///
/// >>> import pliant
/// >>> mesh, quality = pliant.mesh_surface(pliant.ball(0.1, 4), size=0.05)
/// >>> mesh.kind, quality["min_dihedral"] > 0.16
/// ('tets', True)
#[pyfunction]
#[pyo3(signature = (surface, *, size))]
pub fn mesh_surface<'py>(
    py: Python<'py>,
    #[pyo3(from_py_with = arguments::surface)] surface: MeshArgument,
    #[pyo3(from_py_with = arguments::size)] size: f64,
) -> PyResult<(Mesh, Bound<'py, PyDict>)> {
    let given = surface.0.get();
    let name = given.name.clone();
    let shared = given.shared.clone();
    let made = interruptible(py, move || {
        let surface = boundary_surface(&shared)?;
        stuffed(&surface, StuffingSettings { size }).map_err(|error| error.to_string())
    });
    let made = made?.map_err(error::mesh)?;
    let quality = PyDict::new(py);
    let stats = made.stats;
    quality.set_item("min_dihedral", stats.min_dihedral)?;
    quality.set_item("max_dihedral", stats.max_dihedral)?;
    quality.set_item("boundary_distance", stats.boundary_distance)?;
    quality.set_item("surface_distance", stats.surface_distance)?;
    quality.set_item("surface_volume", stats.surface_volume)?;
    quality.set_item("volume", stats.volume)?;
    quality.set_item("notices", made.notices.clone())?;
    Ok((Mesh::new(Arc::new(BodyMesh::Tets(made.mesh)), name, made.notices), quality))
}

/// Triangles of the boundary of tets: uint32 of shape (n, 3), seen from outside counter-clockwise.
#[pyfunction]
pub fn boundary(
    py: Python<'_>,
    tets: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = arguments::vertices)] vertices: usize,
) -> PyResult<Py<PyArray2<u32>>> {
    let tets = arrays::corners::<4>(tets, "tets", vertices)?;
    let found = py.detach(move || topology::boundary(vertices, &tets).triangles);
    arrays::indices(py, &found)
}
