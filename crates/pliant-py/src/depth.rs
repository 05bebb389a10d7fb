//! Penetrations of meshes as columns of NumPy arrays.

use std::sync::{Arc, Mutex};

use numpy::{PyArray1, PyArray2};
use pliant::body::surface_point::SurfacePoint;
use pliant::body::{Bodies, Mesh as Connectivity};
use pliant::depth::exits::ExitSearch;
use pliant::depth::fused::Scratch;
use pliant::depth::nearest::{Closest, Nearest};
use pliant::depth::query::BodyExit;
use pliant::depth::{DepthSettings, Penetrations, Reason};
use pliant::detect::Overlaps;
use pliant::id::{BodyId, VertexId};
use pliant::math::Vec3;
use pliant::world::BodyMesh;
use pliant_run::depth::{Method, check_exponent};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::arguments;
use crate::arrays;
use crate::error;
use crate::mesh::MeshList;
use crate::progress::interruptible;

/// No body or vertex: where a vertex has no exit.
const NONE: u32 = u32::MAX;

/// Coordinates beyond this, m, have volumes that overflow: exact signs do not hold there.
const LARGEST: f64 = 1e75;

/// Vertices from which on a call is so long that Ctrl-C is looked for meanwhile.
const LONG: usize = 20_000;

/// Vertices inside other bodies, a row each, as columns.
///
/// Bodies count in the order given, vertices within their body. `into` holds the bodies that each
/// vertex is inside of, one after the other: those of row `k` are
/// `into[into_offsets[k]:into_offsets[k + 1]]`. `exit_triangle` are the corners, counted within
/// `exit_body`, of the triangle at which the vertex leaves, `exit_weights` their weights. Vertices
/// without a known depth are in the columns that begin with `unresolved`.
#[pyclass(frozen, get_all, module = "pliant", name = "Penetrations")]
pub struct Columns {
    /// Body of the vertex: uint32.
    body: Py<PyArray1<u32>>,
    /// The vertex, counted within its body: uint32.
    vertex: Py<PyArray1<u32>>,
    /// Bodies that vertices are inside of, row by row: uint32.
    into: Py<PyArray1<u32>>,
    /// Where the bodies of each row begin in `into`, and where the last ends: uint32.
    into_offsets: Py<PyArray1<u32>>,
    /// Steps from the border, 0 for vertices with edges that leave; of the closest feature 0: uint32.
    ring: Py<PyArray1<u32>>,
    /// Way to go along `direction`, m: float64.
    depth: Py<PyArray1<f64>>,
    /// Unit vectors: float64 of shape (n, 3).
    direction: Py<PyArray2<f64>>,
    /// The body that is left: uint32; 4294967295 without an exit.
    exit_body: Py<PyArray1<u32>>,
    /// Corners of the triangle at which the vertex leaves: uint32 of shape (n, 3).
    exit_triangle: Py<PyArray2<u32>>,
    /// Weights of the corners, which sum to 1: float64 of shape (n, 3).
    exit_weights: Py<PyArray2<f64>>,
    /// Where it leaves, m: float64 of shape (n, 3).
    exit_point: Py<PyArray2<f64>>,
    /// Body of each vertex without a known depth: uint32.
    unresolved_body: Py<PyArray1<u32>>,
    /// The vertex, counted within its body: uint32.
    unresolved_vertex: Py<PyArray1<u32>>,
    /// Why: `enclosed`, `cancelled` or `rounding`.
    unresolved_reason: Py<PyList>,
}

#[pymethods]
impl Columns {
    fn __len__(&self, py: Python<'_>) -> usize {
        self.vertex.bind(py).len().unwrap_or(0)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let unresolved = self.unresolved_vertex.bind(py).len().unwrap_or(0);
        format!("<pliant.Penetrations: {} vertices, {unresolved} unresolved>", self.__len__(py))
    }
}

/// What was found, in the order of the columns.
#[derive(Default)]
struct Found {
    body: Vec<u32>,
    vertex: Vec<u32>,
    into: Vec<u32>,
    into_offsets: Vec<u32>,
    ring: Vec<u32>,
    depth: Vec<f64>,
    direction: Vec<[f64; 3]>,
    exit_body: Vec<u32>,
    exit_triangle: Vec<[u32; 3]>,
    exit_weights: Vec<[f64; 3]>,
    exit_point: Vec<[f64; 3]>,
    unresolved_body: Vec<u32>,
    unresolved_vertex: Vec<u32>,
    unresolved_reason: Vec<Reason>,
}

impl Found {
    fn with_capacity(rows: usize) -> Found {
        Found {
            body: Vec::with_capacity(rows),
            vertex: Vec::with_capacity(rows),
            into: Vec::with_capacity(rows),
            into_offsets: Vec::with_capacity(rows + 1),
            ring: Vec::with_capacity(rows),
            depth: Vec::with_capacity(rows),
            direction: Vec::with_capacity(rows),
            exit_body: Vec::with_capacity(rows),
            exit_triangle: Vec::with_capacity(rows),
            exit_weights: Vec::with_capacity(rows),
            exit_point: Vec::with_capacity(rows),
            ..Found::default()
        }
    }

    /// Appends where a vertex is, and what it is inside of.
    fn push_place(&mut self, bodies: &Bodies, vertex: VertexId, into: &[BodyId], ring: u32) {
        let body = bodies.body_of(vertex);
        self.body.push(body.0);
        self.vertex.push(vertex.0 - bodies.vertices(body).start as u32);
        self.into_offsets.push(self.into.len() as u32);
        self.into.extend(into.iter().map(|body| body.0));
        self.ring.push(ring);
    }

    /// Appends where it leaves.
    fn push_exit(&mut self, exit: Option<BodyExit>) {
        self.exit_body.push(exit.map_or(NONE, |exit| exit.body.0));
        self.exit_triangle.push(exit.map_or([NONE; 3], |exit| exit.triangle.map(|v| v.0)));
        self.exit_weights.push(exit.map_or([f64::NAN; 3], |exit| exit.weights));
        self.exit_point.push(exit.map_or([f64::NAN; 3], |exit| exit.point.to_array()));
    }

    fn columns(mut self, py: Python<'_>) -> PyResult<Columns> {
        self.into_offsets.push(self.into.len() as u32);
        let reasons = self.unresolved_reason.iter().map(|reason| reason.name());
        Ok(Columns {
            body: arrays::column(py, self.body),
            vertex: arrays::column(py, self.vertex),
            into: arrays::column(py, self.into),
            into_offsets: arrays::column(py, self.into_offsets),
            ring: arrays::column(py, self.ring),
            depth: arrays::column(py, self.depth),
            direction: arrays::rows(py, self.direction)?,
            exit_body: arrays::column(py, self.exit_body),
            exit_triangle: arrays::rows(py, self.exit_triangle)?,
            exit_weights: arrays::rows(py, self.exit_weights)?,
            exit_point: arrays::rows(py, self.exit_point)?,
            unresolved_body: arrays::column(py, self.unresolved_body),
            unresolved_vertex: arrays::column(py, self.unresolved_vertex),
            unresolved_reason: PyList::new(py, reasons)?.unbind(),
        })
    }
}

/// How depth is measured.
#[derive(Clone, Copy)]
struct Settings {
    method: Method,
    depth: DepthSettings,
    threads: usize,
}

impl Settings {
    fn new(
        (method, exponent): (&str, f64),
        (scope, normals): (&str, &str),
        threads: usize,
    ) -> PyResult<Settings> {
        check_exponent(exponent).map_err(error::input)?;
        let method = method.parse().map_err(|why| error::input(format!("method: {why}")))?;
        let scope = scope.parse().map_err(|why| error::input(format!("scope: {why}")))?;
        let normals = normals.parse().map_err(|why| error::input(format!("normals: {why}")))?;
        Ok(Settings { method, depth: DepthSettings { exponent, scope, normals }, threads })
    }
}

/// Bodies whose connectivity is known, for penetrations of meshes that deform.
///
/// Topology and search trees are built once; each call takes the positions of all vertices, body
/// after body. Tets may be in any state of inversion.
///
/// >>> import pliant
/// >>> low, high = pliant.box((1, 1, 1), (4, 4, 4)), pliant.box((0.2, 0.2, 0.2), (2, 2, 2))
/// >>> bodies = pliant.Bodies([low, high.moved((0.11, 0.13, 0.55))])
/// >>> found = bodies.penetrations()
/// >>> len(found), float(found.depth.max().round(2))
/// (9, 0.05)
/// >>> lifted = bodies.positions.copy()
/// >>> lifted[bodies.offsets[1]:] += (0, 0, 0.2)
/// >>> len(bodies.penetrations(lifted))
/// 0
#[pyclass(frozen, module = "pliant", name = "Bodies")]
pub struct PyBodies(Arc<Known>);

/// What is known of bodies.
struct Known {
    bodies: Bodies,
    positions: Vec<Vec3>,
    scratch: Mutex<Kept>,
}

impl Known {
    fn query(&self, positions: &[Vec3], settings: Settings) -> Result<Found, String> {
        let mut kept = self.scratch.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        query(&self.bodies, positions, settings, &mut kept)
    }
}

/// Memory that is kept from call to call.
struct Kept {
    scratch: Scratch,
    exits: ExitSearch,
    found: Penetrations,
}

#[pymethods]
impl PyBodies {
    #[new]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::meshes)] meshes: MeshList,
    ) -> PyResult<PyBodies> {
        let shapes: Vec<_> = meshes.0.iter().map(|mesh| mesh.0.get().shared.clone()).collect();
        py.detach(|| {
            let parts: Result<Vec<Connectivity<'_>>, String> =
                shapes.iter().enumerate().map(|(body, mesh)| solid(body, mesh)).collect();
            let bodies = Bodies::from_meshes(&parts?).map_err(|error| error.to_string())?;
            let positions: Vec<Vec3> = shapes.iter().flat_map(|s| s.positions()).copied().collect();
            let scratch = Scratch::new(&positions, &bodies).map_err(|error| error.to_string())?;
            let (exits, found) = (ExitSearch::new(), Penetrations::default());
            let scratch = Mutex::new(Kept { scratch, exits, found });
            Ok(PyBodies(Arc::new(Known { bodies, positions, scratch })))
        })
        .map_err(|message: String| error::mesh(message))
    }

    /// Positions of all vertices as they were given, m: float64 of shape (n, 3), a copy.
    #[getter]
    fn positions(&self, py: Python<'_>) -> PyResult<Py<PyArray2<f64>>> {
        arrays::vectors(py, &self.0.positions)
    }

    /// Where the vertices of each body begin, and where the last ends: uint32.
    #[getter]
    fn offsets(&self, py: Python<'_>) -> Py<PyArray1<u32>> {
        let starts = self.0.bodies.ids().map(|body| self.0.bodies.vertices(body).start as u32);
        arrays::column(py, starts.chain([self.0.bodies.vertex_count() as u32]).collect())
    }

    fn __len__(&self) -> usize {
        self.0.bodies.len()
    }

    /// Every vertex that is inside another body, with its depth; see the function of this name.
    #[pyo3(signature = (positions=None, *, method="consistent", exponent=2.0, scope="scene", normals="area", threads=1))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn penetrations(
        &self,
        py: Python<'_>,
        positions: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = arguments::method)] method: &str,
        #[pyo3(from_py_with = arguments::exponent)] exponent: f64,
        #[pyo3(from_py_with = arguments::scope)] scope: &str,
        #[pyo3(from_py_with = arguments::normals)] normals: &str,
        #[pyo3(from_py_with = arguments::threads)] threads: usize,
    ) -> PyResult<Columns> {
        let settings = Settings::new((method, exponent), (scope, normals), threads)?;
        let given = match positions {
            Some(positions) => Some(self.given(positions)?),
            None => None,
        };
        let known = self.0.clone();
        let work = move || {
            let positions = given.as_deref().unwrap_or(&known.positions);
            known.query(positions, settings)
        };
        // A thread costs as much as a short call.
        let found = match self.0.bodies.vertex_count() < LONG {
            true => py.detach(work),
            false => interruptible(py, work)?,
        };
        found.map_err(error::mesh)?.columns(py)
    }

    /// The engine's part of so many calls, and nothing of Python: what `bench/overhead.py` compares
    /// with. Returns the vertices found.
    fn _engine_only(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = arguments::calls)] calls: usize,
    ) -> PyResult<usize> {
        py.detach(|| {
            let mut kept = self.0.scratch.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let Kept { scratch, exits: search, found } = &mut *kept;
            scratch.set_threads(1);
            search.set_threads(1);
            let mut exits = Vec::new();
            for _ in 0..calls {
                scratch.penetrations(
                    &self.0.positions,
                    &self.0.bodies,
                    DepthSettings::default(),
                    found,
                )?;
                search.exits(&self.0.positions, &self.0.bodies, found, &mut exits);
            }
            Ok(found.resolved.len())
        })
        .map_err(|error: pliant::id::MismatchError| error::mesh(error))
    }
}

impl PyBodies {
    /// Positions that were given, one for each vertex.
    fn given(&self, positions: &Bound<'_, PyAny>) -> PyResult<Vec<Vec3>> {
        let read = arrays::positions(positions, "positions")?;
        let (got, count) = (read.len(), self.0.bodies.vertex_count());
        if got != count {
            let message = format!("positions: expected shape ({count}, 3), got ({got}, 3)");
            return Err(error::input(message));
        }
        if let Some(row) = read.iter().position(|p| p.abs().max_element() > LARGEST) {
            let [x, y, z] = read[row].to_array();
            let place = format!("positions: row {row} is [{x:e}, {y:e}, {z:e}]");
            return Err(error::input(format!("{place}: volumes overflow, change the unit")));
        }
        Ok(read)
    }
}

/// A mesh with an inside.
fn solid(body: usize, mesh: &BodyMesh) -> Result<Connectivity<'_>, String> {
    match mesh {
        BodyMesh::Tets(mesh) => Ok(Connectivity::Tets(mesh)),
        BodyMesh::Surface(mesh) => Ok(Connectivity::Surface(mesh)),
        _ => Err(format!("mesh {body} has no inside: expected tets or a closed surface")),
    }
}

fn query(
    bodies: &Bodies,
    positions: &[Vec3],
    settings: Settings,
    kept: &mut Kept,
) -> Result<Found, String> {
    let Kept { scratch, exits: search, found } = kept;
    scratch.set_threads(settings.threads);
    if settings.method == Method::Closest {
        return closest(bodies, positions, scratch);
    }
    scratch
        .penetrations(positions, bodies, settings.depth, found)
        .map_err(|error| error.to_string())?;
    let mut exits = Vec::new();
    search.set_threads(settings.threads);
    search.exits(positions, bodies, found, &mut exits);
    let mut columns = Found::with_capacity(found.resolved.len());
    for (resolved, exit) in found.resolved.iter().zip(exits) {
        let into = found.bodies(resolved.into);
        columns.push_place(bodies, resolved.vertex, into, resolved.ring);
        columns.depth.push(resolved.penetration.depth);
        columns.direction.push(resolved.penetration.direction.to_array());
        columns.push_exit(exit.and_then(|exit| BodyExit::new(exit, bodies)));
    }
    for unresolved in &found.unresolved {
        let body = bodies.body_of(unresolved.vertex);
        columns.unresolved_body.push(body.0);
        let first = bodies.vertices(body).start as u32;
        columns.unresolved_vertex.push(unresolved.vertex.0 - first);
        columns.unresolved_reason.push(unresolved.reason);
    }
    Ok(columns)
}

/// To the nearest point of all surfaces that each vertex is behind.
fn closest(bodies: &Bodies, positions: &[Vec3], scratch: &mut Scratch) -> Result<Found, String> {
    let mut overlaps = Overlaps::default();
    let failed = |error: pliant::id::MismatchError| error.to_string();
    scratch.overlaps(positions, bodies, &mut overlaps).map_err(failed)?;
    let mut nearest = Nearest::new(positions, bodies).map_err(failed)?;
    let mut found = Vec::new();
    nearest.penetrations(positions, bodies, &overlaps, &mut found).map_err(failed)?;
    let mut columns = Found::with_capacity(found.len());
    for Closest { vertex, triangle, penetration } in found {
        let Ok(row) = overlaps.vertices.binary_search(&vertex) else { continue };
        let into = overlaps.into.row(row);
        columns.push_place(bodies, vertex, into, 0);
        columns.depth.push(penetration.depth);
        columns.direction.push(penetration.direction.to_array());
        let is_left = |body: &&BodyId| bodies.triangles_of(**body).contains(&triangle.index());
        let exit = into.iter().find(is_left).map(|body| {
            let point = positions[vertex.index()];
            SurfacePoint::nearest(point, positions, bodies, (*body, triangle))
        });
        columns.push_exit(exit.and_then(|exit| BodyExit::new(exit, bodies)));
    }
    Ok(columns)
}

/// Every vertex that is inside another mesh, with its depth and direction out.
///
/// `meshes` are meshes of ours, pairs of arrays `(positions, tets)`, or objects of meshio, trimesh
/// or pyvista. `method` is `consistent` (neighbours agree) or `closest` (the nearest surface
/// point); `exponent` weighs crossings by their distance, `scope` counts `scene` or `pairs`,
/// `normals` are `area`, `angle` or `face`. With many vertices Ctrl-C returns at once.
///
/// >>> import pliant
/// >>> low, high = pliant.box((1, 1, 1), (4, 4, 4)), pliant.box((0.2, 0.2, 0.2), (2, 2, 2))
/// >>> found = pliant.penetrations([low, high.moved((0.11, 0.13, 0.55))])
/// >>> found
/// <pliant.Penetrations: 9 vertices, 0 unresolved>
/// >>> set(found.body.tolist()), float(found.direction[0].round(1)[2])
/// ({1}, 1.0)
#[pyfunction]
#[pyo3(signature = (meshes, *, method="consistent", exponent=2.0, scope="scene", normals="area", threads=1))]
#[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
pub fn penetrations(
    py: Python<'_>,
    #[pyo3(from_py_with = arguments::meshes)] meshes: MeshList,
    #[pyo3(from_py_with = arguments::method)] method: &str,
    #[pyo3(from_py_with = arguments::exponent)] exponent: f64,
    #[pyo3(from_py_with = arguments::scope)] scope: &str,
    #[pyo3(from_py_with = arguments::normals)] normals: &str,
    #[pyo3(from_py_with = arguments::threads)] threads: usize,
) -> PyResult<Columns> {
    PyBodies::new(py, meshes)?.penetrations(py, None, method, exponent, scope, normals, threads)
}
