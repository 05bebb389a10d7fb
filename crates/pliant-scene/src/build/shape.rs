//! Shapes at rest: generated, or read from files.

use pliant_io::files::Folder;

use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::mesh::generate::ball::ball;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::icosahedron::icosahedron;
use pliant::mesh::generate::l_block::{LBlockSettings, l_block};
use pliant::mesh::generate::membrane::{MembraneSettings, membrane};
use pliant::mesh::generate::star::{StarSettings, star};
use pliant::mesh::generate::torus::{TorusSettings, torus};
use pliant::mesh::generate::tube::{TubeSettings, tube};
use pliant::mesh::generate::{GenerateError, lattice};
use pliant::mesh::problems::{Problem, Severity, surface_problems, tet_problems};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use pliant::mesh::tet::TetMesh;
use pliant::mesh::topology;
use pliant::world::SpringNetwork;

use pliant_plane::generate::car::{CarSettings, car};

use super::{BuildError, outline, stuffed};
use crate::diagnostic::DiagnosticKind;
use crate::spec::body::{EdgeKind, Mesh, ReadAs, TetSplit};

/// Tets of all bodies of a scene at most; a run takes about 1 KiB for each.
pub const MOST_TETS: f64 = 4e6;

/// Vertices of all spring networks of a scene at most.
pub const MOST_VERTICES: f64 = 4e6;

/// What a body is made of.
#[derive(Debug)]
pub enum Geometry {
    /// Tets.
    Tets(TetMesh),
    /// A closed surface.
    Surface(Surface),
    /// Vertices and edges.
    SpringNetwork,
    /// Points.
    Particles,
    /// An outline in the plane z = 0.
    Outline {
        /// Its rings, the inside to the left.
        rings: Vec<Vec<VertexId>>,
        /// Vertices before those of the rings that are only carried along.
        carried: usize,
    },
}

/// A shape at rest in its own space.
#[derive(Debug)]
pub struct RestShape {
    /// What it is made of.
    pub geometry: Geometry,
    /// Vertices, m; all are used by something.
    pub positions: Vec<Vec3>,
    /// Edges and what they are to a cloth.
    pub edges: Vec<([VertexId; 2], EdgeKind)>,
    /// What pictures show.
    pub triangles: Vec<[VertexId; 3]>,
    /// Vertex for each number in the file; `None` for those that nothing uses.
    numbers: Vec<Option<VertexId>>,
}

impl RestShape {
    /// A shape whose vertices go by the numbers they have.
    pub fn new(
        geometry: Geometry,
        positions: Vec<Vec3>,
        edges: Vec<([VertexId; 2], EdgeKind)>,
    ) -> RestShape {
        let numbers = (0..positions.len() as u32).map(|k| Some(VertexId(k))).collect();
        RestShape { geometry, positions, edges, triangles: Vec::new(), numbers }
    }

    /// Tets.
    pub fn tet_count(&self) -> usize {
        match &self.geometry {
            Geometry::Tets(mesh) => mesh.tets().len(),
            _ => 0,
        }
    }

    /// The vertex with a number in the file.
    pub fn vertex(&self, number: u32) -> Option<VertexId> {
        self.numbers.get(number as usize).copied().flatten()
    }

    /// Vertices in the file.
    pub fn number_count(&self) -> usize {
        self.numbers.len()
    }

    /// Its vertices alone.
    pub fn into_points(self) -> RestShape {
        RestShape {
            geometry: Geometry::Particles,
            edges: Vec::new(),
            triangles: Vec::new(),
            ..self
        }
    }

    /// Edges of a kind.
    pub fn edges_of(&self, kind: EdgeKind) -> impl Iterator<Item = [VertexId; 2]> {
        let wanted = move |of: EdgeKind| kind == EdgeKind::All || kind == of;
        self.edges.iter().filter(move |(_, of)| wanted(*of)).map(|(edge, _)| *edge)
    }
}

/// Tets and vertices that a mesh will have; files are not looked into.
pub fn size(mesh: &Mesh) -> [f64; 2] {
    let product = |counts: &[u32]| counts.iter().map(|count| f64::from(*count)).product::<f64>();
    let of = |cut: TetSplit| f64::from(lattice_cut(cut).tets());
    let tets = match mesh {
        Mesh::Cuboid { cells, cut, .. } => of(*cut) * product(cells),
        Mesh::Ball { layers, .. } => 20.0 * product(&[*layers; 3]),
        Mesh::Icosahedron { .. } => 20.0,
        Mesh::Membrane { cells, layers, cut, .. } => {
            of(*cut) * product(cells) * product(&[*layers])
        }
        Mesh::Torus { around, rings, .. } => 18.0 * product(&[*rings, *rings, *around]),
        Mesh::Tube { around, through, along, .. } => 6.0 * product(&[*around, *through, *along]),
        Mesh::LBlock { cells_along: [x, z], cells_across, cut, .. } => {
            let columns = f64::from(*cells_across) + f64::from(*x) + f64::from(*z);
            of(*cut) * product(&[*cells_across; 2]) * columns
        }
        Mesh::Star { tips, cells, layers, .. } => 6.0 * product(&[*tips, *cells, *cells, *layers]),
        Mesh::Cloth { vertices, .. } => return [0.0, product(vertices)],
        Mesh::SpringNetwork { positions, .. } | Mesh::Particles { positions } => {
            return [0.0, positions.len() as f64];
        }
        Mesh::Car { points, .. } => return [0.0, 4.0 * f64::from(*points)],
        Mesh::Outline { shape } => return [0.0, outline::size(shape)],
        Mesh::File { .. } | Mesh::Stuffed { .. } => return [0.0; 2],
    };
    [tets, 0.0]
}

/// The key that says how many cells or vertices a mesh has; the first of several.
pub fn count_key(mesh: &Mesh) -> &'static str {
    match mesh {
        Mesh::Cuboid { .. } | Mesh::Membrane { .. } | Mesh::Star { .. } => "cells",
        Mesh::Ball { .. } => "layers",
        Mesh::Torus { .. } | Mesh::Tube { .. } => "around",
        Mesh::LBlock { .. } => "cells_along",
        Mesh::Cloth { .. } => "vertices",
        Mesh::SpringNetwork { .. } | Mesh::Particles { .. } => "positions",
        Mesh::Car { .. } => "points",
        Mesh::Outline { .. } => "shape",
        Mesh::Stuffed { .. } => "size",
        Mesh::Icosahedron { .. } | Mesh::File { .. } => "",
    }
}

/// Keys of generated meshes with words that name them in errors; the first that fits counts.
const KEYS: [(&str, &str); 17] = [
    ("ring radius of", "ring_radius"),
    ("tube radius of", "tube_radius"),
    ("inner radius", "inner_radius"),
    ("outer radius", "outer_radius"),
    ("the radius", "radius"),
    ("thickness", "thickness"),
    ("the size", "size"),
    ("the width", "width"),
    ("length of the arm", "arms"),
    ("the length", "length"),
    ("layers", "layers"),
    ("segments around", "around"),
    ("rings", "rings"),
    ("through", "through"),
    ("across", "cells_across"),
    ("tips", "tips"),
    ("cells along the arm", "cells_along"),
];

/// Why a mesh cannot be generated, at the key concerned.
fn refused(error: &GenerateError, path: &str) -> BuildError {
    let what = match error {
        GenerateError::BadLength { what, .. }
        | GenerateError::TooLong { what, .. }
        | GenerateError::TooFew { what, .. } => what,
        GenerateError::TooMany { .. } | GenerateError::Flat { .. } => "",
    };
    let known = KEYS.iter().find(|(words, _)| what.contains(words)).map(|(_, key)| *key);
    let cells = if what.starts_with("cells along the tube") { "along" } else { "cells" };
    let key = known.or((what.contains("cells")).then_some(cells)).unwrap_or_default();
    BuildError::value(format!("{path}.{key}"), error)
}

/// Makes or reads a shape; `path` is that of its key.
pub fn make(
    mesh: &Mesh,
    folder: Folder<'_>,
    path: &str,
    notices: &mut Vec<String>,
) -> Result<RestShape, BuildError> {
    match mesh {
        Mesh::Cloth { size, vertices } => cloth(*size, *vertices, path),
        Mesh::SpringNetwork { positions, edges } => spring_network(positions, edges, path),
        Mesh::Particles { positions } => particles(positions, path),
        Mesh::Car { size, points } => {
            let raw = car(&CarSettings { size: *size, points: *points });
            sound(raw.map_err(|error| BuildError::value(path, error))?, path, notices)
        }
        Mesh::Outline { shape } => outline::make(shape, folder, &format!("{path}.shape"), notices),
        Mesh::File { path: file, read_as } => read(file, *read_as, folder, path, notices),
        Mesh::Stuffed { path: file, size } => {
            let raw = read_raw(file, folder, path, notices)?;
            sound(stuffed::fill(raw, *size, path, notices)?, path, notices)
        }
        generated => {
            let raw = generate(generated).map_err(|error| refused(&error, path))?;
            sound(raw, path, notices)
        }
    }
}

fn lattice_cut(cut: TetSplit) -> lattice::TetSplit {
    match cut {
        TetSplit::Five => lattice::TetSplit::Five,
        TetSplit::Six => lattice::TetSplit::Six,
    }
}

fn generate(mesh: &Mesh) -> Result<RawMesh, GenerateError> {
    match *mesh {
        Mesh::Cuboid { size, cells, cut } => cuboid(cells, Vec3::from(size), lattice_cut(cut)),
        Mesh::Ball { radius, layers } => ball(radius, layers),
        Mesh::Icosahedron { radius } => icosahedron(radius),
        Mesh::Membrane { size, thickness, cells, layers, cut } => {
            let cut = lattice_cut(cut);
            membrane(&MembraneSettings { size, thickness, cells, layers, cut })
        }
        Mesh::Torus { ring_radius, tube_radius, around, rings } => {
            torus(&TorusSettings { ring_radius, tube_radius, around, rings })
        }
        Mesh::Tube { inner_radius, outer_radius, length, around, through, along } => {
            tube(&TubeSettings { inner_radius, outer_radius, length, around, through, along })
        }
        Mesh::LBlock { arms, width, cells_along, cells_across, cut } => {
            let cut = lattice_cut(cut);
            l_block(&LBlockSettings { arms, width, cells_along, cells_across, cut })
        }
        Mesh::Star { tips, outer_radius, inner_radius, thickness, cells, layers } => {
            star(&StarSettings { tips, outer_radius, inner_radius, thickness, cells, layers })
        }
        Mesh::Cloth { .. }
        | Mesh::SpringNetwork { .. }
        | Mesh::Particles { .. }
        | Mesh::Car { .. }
        | Mesh::Outline { .. }
        | Mesh::File { .. }
        | Mesh::Stuffed { .. } => Ok(RawMesh::default()),
    }
}

/// A sheet in the x–y plane around the origin; vertices run along x first.
fn cloth(size: [f64; 2], vertices: [u32; 2], path: &str) -> Result<RestShape, BuildError> {
    if let Some(length) = size.into_iter().find(|s| !(*s > 0.0 && s.is_finite())) {
        return Err(BuildError::value(
            format!("{path}.size"),
            format!("a cloth has edge length {length} m: it must be positive"),
        ));
    }
    if let Some(count) = vertices.into_iter().find(|count| *count < 2) {
        let message = format!("a cloth has {count} vertices along an edge: at least 2");
        return Err(BuildError::value(format!("{path}.vertices"), message));
    }
    let SpringNetwork { positions, edges, shear, bend, triangles } =
        SpringNetwork::cloth(size, vertices);
    let of = |list: Vec<[VertexId; 2]>, kind| list.into_iter().map(move |edge| (edge, kind));
    let edges = of(edges, EdgeKind::Structural)
        .chain(of(shear, EdgeKind::Shear))
        .chain(of(bend, EdgeKind::Bend));
    let shape = RestShape::new(Geometry::SpringNetwork, positions, edges.collect());
    Ok(RestShape { triangles, ..shape })
}

fn spring_network(
    positions: &[[f64; 3]],
    edges: &[[u32; 2]],
    path: &str,
) -> Result<RestShape, BuildError> {
    let count = positions.len();
    if count == 0 {
        return Err(BuildError::value(
            format!("{path}.positions"),
            "a spring network needs at least one vertex",
        ));
    }
    for (k, edge) in edges.iter().enumerate() {
        let path = format!("{path}.edges.{k}");
        if let Some(vertex) = edge.iter().find(|vertex| **vertex as usize >= count) {
            let message = format!("edge {k} names vertex {vertex}, there are {count}");
            return Err(BuildError::value(path, message));
        }
        if edge[0] == edge[1] {
            return Err(BuildError::value(
                path,
                format!("edge {k} joins vertex {} to itself", edge[0]),
            ));
        }
    }
    let edges = edges.iter().map(|edge| (edge.map(VertexId), EdgeKind::Structural)).collect();
    let positions = positions.iter().map(|p| Vec3::from(*p)).collect();
    let numbers = (0..count as u32).map(|k| Some(VertexId(k))).collect();
    Ok(RestShape {
        geometry: Geometry::SpringNetwork,
        positions,
        edges,
        triangles: Vec::new(),
        numbers,
    })
}

/// Points that nothing joins.
fn particles(positions: &[[f64; 3]], path: &str) -> Result<RestShape, BuildError> {
    if positions.is_empty() {
        return Err(BuildError::value(
            format!("{path}.positions"),
            "`particles` need at least one point",
        ));
    }
    Ok(spring_network(positions, &[], path)?.into_points())
}

fn read(
    file: &str,
    read_as: ReadAs,
    folder: Folder<'_>,
    path: &str,
    notices: &mut Vec<String>,
) -> Result<RestShape, BuildError> {
    let mut raw = read_raw(file, folder, path, notices)?;
    let at_path = format!("{path}.path");
    match read_as {
        ReadAs::Body => sound(raw, &at_path, notices),
        ReadAs::SpringNetwork => {
            if raw.triangles.is_empty() {
                raw.triangles = topology::boundary(raw.positions.len(), &raw.tets).triangles;
            }
            raw.tets.clear();
            raw.regions.clear();
            Ok(network_of(raw, file, notices))
        }
    }
}

/// Tets or triangles of a file, with finite coordinates; notices go to `notices`.
fn read_raw(
    file: &str,
    folder: Folder<'_>,
    path: &str,
    notices: &mut Vec<String>,
) -> Result<RawMesh, BuildError> {
    let at_path = format!("{path}.path");
    let wrong = |message: String| BuildError::new(DiagnosticKind::Mesh, &*at_path, message);
    let full = folder.path.join(file);
    let mut raw = pliant_io::mesh::read_from(folder.files, &full)
        .map_err(|error| BuildError::new(DiagnosticKind::MeshFile, &*at_path, error.to_string()))?
        .mesh;
    let reported = std::mem::take(&mut raw.notices);
    notices.extend(reported.into_iter().map(|notice| format!("{file}: {notice}")));
    if raw.tets.is_empty() && raw.triangles.is_empty() {
        return Err(wrong(format!("{file}: the file holds no tets and no triangles")));
    }
    if let Some(vertex) = raw.positions.iter().position(|p| !p.is_finite()) {
        let message =
            format!("{file}: vertex {vertex} is at {}, which is not finite", raw.positions[vertex]);
        return Err(wrong(message));
    }
    Ok(raw)
}

/// The edges of triangles as a spring network.
fn network_of(mut raw: RawMesh, file: &str, notices: &mut Vec<String>) -> RestShape {
    raw.triangles.retain(|[a, b, c]| a != b && b != c && c != a);
    let numbers = compact(&mut raw, file, notices);
    let edges = topology::edges(raw.positions.len(), &raw.triangles);
    let edges = edges.into_iter().map(|edge| (edge, EdgeKind::Structural)).collect();
    RestShape {
        geometry: Geometry::SpringNetwork,
        positions: raw.positions,
        edges,
        triangles: raw.triangles,
        numbers,
    }
}

/// A body of tets or of a closed surface, or what `pliant check` would say.
fn sound(mut raw: RawMesh, path: &str, notices: &mut Vec<String>) -> Result<RestShape, BuildError> {
    let refuse = |error: String, problems: Vec<Problem>| {
        let bad = problems.iter().filter(|p| p.kind.severity() == Severity::Error);
        let reported: Vec<String> = bad
            .map(|p| {
                let first = p.first.first().map(|c| format!(" (first: {c})")).unwrap_or_default();
                format!("{} {}{first}", p.count, p.kind.name())
            })
            .collect();
        let message = if reported.is_empty() {
            error
        } else {
            format!("not usable: {}", reported.join(", "))
        };
        BuildError::new(DiagnosticKind::Mesh, path, message)
    };
    let solid = !raw.tets.is_empty();
    if !solid {
        // Copies of a vertex must be one before it is known which are used.
        raw.triangles = pliant::mesh::weld::weld(&raw.positions, &raw.triangles);
    } else {
        raw.triangles.clear();
    }
    let given = raw.clone();
    let numbers = compact(&mut raw, path, notices);
    let (geometry, repaired) = if solid {
        let (mesh, repaired) = TetMesh::from_raw(raw)
            .map_err(|error| refuse(error.to_string(), tet_problems(&given)))?;
        (Geometry::Tets(mesh), repaired)
    } else {
        let (mesh, repaired) = Surface::from_raw(raw).map_err(|error| {
            refuse(error.to_string(), surface_problems(&given))
                .with_help("an open surface can be cloth: read_as = \"spring-network\"")
        })?;
        (Geometry::Surface(mesh), repaired)
    };
    notices.extend(repaired);
    let (positions, edges, triangles) = match &geometry {
        Geometry::Tets(mesh) => (mesh.positions(), mesh.edges(), mesh.surface()),
        Geometry::Surface(mesh) => {
            let edges = topology::edges(mesh.positions().len(), mesh.triangles());
            (mesh.positions(), edges, mesh.triangles())
        }
        Geometry::SpringNetwork | Geometry::Particles | Geometry::Outline { .. } => {
            (&[][..], Vec::new(), &[][..])
        }
    };
    let (positions, triangles) = (positions.to_vec(), triangles.to_vec());
    let edges = edges.into_iter().map(|edge| (edge, EdgeKind::Structural)).collect();
    Ok(RestShape { geometry, positions, edges, triangles, numbers })
}

/// Leaves out vertices that nothing uses, which could have no mass.
fn compact(raw: &mut RawMesh, path: &str, notices: &mut Vec<String>) -> Vec<Option<VertexId>> {
    let mut used = vec![false; raw.positions.len()];
    let corners = raw.tets.iter().flatten().chain(raw.triangles.iter().flatten());
    corners.for_each(|v| used[v.index()] = true);
    let mut next = 0;
    let numbers: Vec<Option<VertexId>> = used
        .iter()
        .map(|used| {
            next += u32::from(*used);
            used.then(|| VertexId(next - 1))
        })
        .collect();
    let loose = used.iter().filter(|used| !**used).count();
    if loose > 0 {
        notices.push(format!("{path}: {loose} vertices that nothing uses are left out"));
        let mut keep = used.iter();
        raw.positions.retain(|_| keep.next().copied().unwrap_or(false));
        let renumber = |v: &mut VertexId| {
            if let Some(number) = numbers[v.index()] {
                *v = number;
            }
        };
        raw.tets.iter_mut().flatten().for_each(renumber);
        raw.triangles.iter_mut().flatten().for_each(renumber);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use pliant_io::files::Memory;

    use super::*;

    #[test]
    fn a_cloth_has_its_three_kinds_of_edges() {
        let rest = cloth([2.0, 3.0], [3, 4], "mesh").unwrap();
        let count = |kind| rest.edges_of(kind).count();
        assert_eq!(rest.positions.len(), 12);
        assert_eq!(count(EdgeKind::Structural), 2 * 4 + 3 * 3);
        assert_eq!(count(EdgeKind::Shear), 2 * (2 * 3));
        assert_eq!(count(EdgeKind::Bend), 4 + 3 * 2);
        assert_eq!(count(EdgeKind::All), rest.edges.len());
        assert_eq!(rest.triangles.len(), 2 * 6);
        assert_eq!(rest.positions[0], Vec3::new(-1.0, -1.5, 0.0));
    }

    #[test]
    fn sizes_are_known_before_anything_is_made() {
        let folder = Folder { path: Path::new(""), files: &Memory::default() };
        for mesh in [
            Mesh::Cuboid { size: [1.0; 3], cells: [2, 3, 4], cut: TetSplit::Six },
            Mesh::Ball { radius: 1.0, layers: 3 },
            Mesh::Icosahedron { radius: 1.0 },
            Mesh::Membrane {
                size: [1.0; 2],
                thickness: 0.1,
                cells: [3, 2],
                layers: 2,
                cut: TetSplit::Five,
            },
            Mesh::Torus { ring_radius: 1.0, tube_radius: 0.3, around: 7, rings: 2 },
            Mesh::Tube {
                inner_radius: 0.5,
                outer_radius: 1.0,
                length: 1.0,
                around: 6,
                through: 2,
                along: 3,
            },
            Mesh::LBlock {
                arms: [2.0; 2],
                width: 0.5,
                cells_along: [3, 4],
                cells_across: 2,
                cut: TetSplit::Five,
            },
            Mesh::Star {
                tips: 5,
                outer_radius: 1.0,
                inner_radius: 0.4,
                thickness: 0.3,
                cells: 2,
                layers: 2,
            },
        ] {
            let rest = make(&mesh, folder, "mesh", &mut Vec::new()).unwrap();
            assert_eq!(size(&mesh), [rest.tet_count() as f64, 0.0], "{mesh:?}");
        }
    }

    #[test]
    fn vertices_that_nothing_uses_are_left_out_and_told() {
        let mut raw = icosahedron(1.0).unwrap();
        raw.positions.insert(0, Vec3::ZERO);
        raw.tets.iter_mut().flatten().for_each(|v| v.0 += 1);
        let mut notices = Vec::new();
        let rest = sound(raw, "mesh", &mut notices).unwrap();
        assert_eq!(rest.positions.len(), 13);
        assert_eq!((rest.vertex(0), rest.vertex(1)), (None, Some(VertexId(0))));
        assert!(notices[0].contains("1 vertices"), "{notices:?}");
    }
}
