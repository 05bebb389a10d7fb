//! Shapes that bodies are made of, shared by all bodies of one shape.

use std::sync::Arc;

use crate::body::Mesh;
use crate::body::soft::area_shares;
use crate::id::VertexId;
use crate::math::Vec3;
use crate::mesh::raw::RawMesh;
use crate::mesh::surface::Surface;
use crate::mesh::tet::TetMesh;
use crate::mesh::topology;
use crate::world::WorldError;

/// Vertices of a cloth at most: 2 GiB of edges and triangles.
const MOST_OF_A_CLOTH: u64 = 1 << 24;

/// The shape of a body at rest, in its own space.
///
/// ```
/// use std::sync::Arc;
///
/// use pliant::mesh::generate::ball::ball;
/// use pliant::prelude::*;
///
/// let mesh = Arc::new(BodyMesh::from_raw(ball(0.1, 3)?)?);
/// let mut world = World::new();
/// for k in 0..3 {
///     world.add(SoftBody::new(&mesh).at(vec3(0.3 * f64::from(k), 0.0, 0.0)))?;
/// }
/// assert_eq!((world.bodies().count(), Arc::strong_count(&mesh)), (3, 4)); // one mesh for all
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub enum BodyMesh {
    /// Tets.
    Tets(TetMesh),
    /// A closed triangle surface.
    Surface(Surface),
    /// Vertices and edges, as of a cloth or a rope: it has no inside.
    SpringNetwork(SpringNetwork),
    /// Points that nothing joins, m.
    Particles(Vec<Vec3>),
    /// Closed rings in the plane z = 0; `pliant-plane` lets them meet.
    Outline(OutlineMesh),
}

/// Rings in the plane z = 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutlineMesh {
    /// Vertices, m; those of no ring are carried along.
    pub positions: Vec<Vec3>,
    /// Vertices of each ring in order, the inside to their left.
    pub rings: Vec<Vec<VertexId>>,
}

/// Vertices, m, joined by edges.
///
/// ```
/// use pliant::prelude::*;
///
/// let positions: Vec<Vec3> = (0..=20).map(|k| vec3(0.05 * f64::from(k), 0.0, 0.0)).collect();
/// let edges = (0..20).map(|k| [VertexId(k), VertexId(k + 1)]).collect();
/// let rope = SpringNetwork { positions, edges, ..SpringNetwork::default() };
/// let mut world = World::new();
/// let rope = SoftBody::new(rope).springs(1e3, 0.0, 0.0).mass(0.2).pin([VertexId(0)]);
/// let rope = world.add(rope)?;
/// for _ in 0..60 {
///     world.step()?;
/// }
/// assert!(world.positions(rope)?[20].z < -0.5); // it hangs
/// # Ok::<(), WorldError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpringNetwork {
    /// Vertices, m.
    pub positions: Vec<Vec3>,
    /// Edges that resist stretching.
    pub edges: Vec<[VertexId; 2]>,
    /// Edges that resist shear, as diagonals of a cloth.
    pub shear: Vec<[VertexId; 2]>,
    /// Edges that resist bending, over one vertex to the next.
    pub bend: Vec<[VertexId; 2]>,
    /// Triangles for pictures; they take no part in contact.
    pub triangles: Vec<[VertexId; 3]>,
}

impl SpringNetwork {
    /// A cloth in the x–y plane around the origin, of some size in m; vertices run along x first.
    ///
    /// Fewer than two vertices along a side, or more than 2²⁴ in all, make an empty network.
    pub fn cloth(size: [f64; 2], vertices: [u32; 2]) -> SpringNetwork {
        let [nx, ny] = vertices;
        if nx < 2 || ny < 2 || u64::from(nx) * u64::from(ny) > MOST_OF_A_CLOTH {
            return SpringNetwork::default();
        }
        let along =
            |k: u32, count: u32, length: f64| length * (f64::from(k) / f64::from(count - 1) - 0.5);
        let mut cloth = SpringNetwork::default();
        let at = |i: u32, j: u32| VertexId(i + nx * j);
        for (i, j) in (0..ny).flat_map(|j| (0..nx).map(move |i| (i, j))) {
            cloth.positions.push(Vec3::new(along(i, nx, size[0]), along(j, ny, size[1]), 0.0));
            let join = |list: &mut Vec<_>, di: u32, dj: u32| {
                if i + di < nx && j + dj < ny {
                    list.push([at(i, j), at(i + di, j + dj)]);
                }
            };
            join(&mut cloth.edges, 1, 0);
            join(&mut cloth.edges, 0, 1);
            join(&mut cloth.shear, 1, 1);
            join(&mut cloth.bend, 2, 0);
            join(&mut cloth.bend, 0, 2);
            if i + 1 < nx && j + 1 < ny {
                cloth.shear.push([at(i + 1, j), at(i, j + 1)]);
                cloth.triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
                cloth.triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
        cloth
    }
}

impl OutlineMesh {
    /// From each vertex of a ring to the next.
    fn edges(&self) -> Vec<[VertexId; 2]> {
        let of_ring = |ring: &Vec<VertexId>| {
            let next = ring.iter().cycle().skip(1);
            ring.iter().zip(next).map(|(a, b)| [*a, *b]).collect::<Vec<_>>()
        };
        self.rings.iter().flat_map(of_ring).collect()
    }
}

impl BodyMesh {
    /// Vertices, m.
    pub fn positions(&self) -> &[Vec3] {
        match self {
            BodyMesh::Tets(mesh) => mesh.positions(),
            BodyMesh::Surface(mesh) => mesh.positions(),
            BodyMesh::SpringNetwork(network) => &network.positions,
            BodyMesh::Particles(positions) => positions,
            BodyMesh::Outline(outline) => &outline.positions,
        }
    }

    /// Tets, counted in the body; none of a surface.
    pub fn tets(&self) -> &[[VertexId; 4]] {
        match self {
            BodyMesh::Tets(mesh) => mesh.tets(),
            _ => &[],
        }
    }

    /// Surface triangles, counted in the body, counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[VertexId; 3]] {
        match self {
            BodyMesh::Tets(mesh) => mesh.surface(),
            BodyMesh::Surface(mesh) => mesh.triangles(),
            BodyMesh::SpringNetwork(network) => &network.triangles,
            BodyMesh::Particles(_) | BodyMesh::Outline(_) => &[],
        }
    }

    /// Edges of tets, triangles or springs, counted in the body.
    pub fn edges(&self) -> Vec<[VertexId; 2]> {
        match self {
            BodyMesh::Tets(mesh) => mesh.edges(),
            BodyMesh::Surface(mesh) => topology::edges(mesh.positions().len(), mesh.triangles()),
            BodyMesh::SpringNetwork(network) => network.edges.clone(),
            BodyMesh::Particles(_) => Vec::new(),
            BodyMesh::Outline(outline) => outline.edges(),
        }
    }

    /// Share of each vertex in the mass: by area, or alike without triangles.
    pub(super) fn shares(&self) -> Vec<f64> {
        area_shares(self.positions(), self.triangles())
    }

    /// The same as the engine's topology takes it.
    pub(super) fn topology(&self) -> Mesh<'_> {
        match self {
            BodyMesh::Tets(mesh) => Mesh::Tets(mesh),
            BodyMesh::Surface(mesh) => Mesh::Surface(mesh),
            BodyMesh::SpringNetwork(SpringNetwork { positions, edges, .. }) => {
                Mesh::SpringNetwork(positions.len(), edges)
            }
            BodyMesh::Particles(positions) => Mesh::Particles(positions.len()),
            BodyMesh::Outline(OutlineMesh { positions, rings }) => {
                Mesh::Outline(positions.len(), rings)
            }
        }
    }

    /// Tets, or a closed surface where there are none.
    pub fn from_raw(raw: RawMesh) -> Result<BodyMesh, WorldError> {
        if raw.tets.is_empty() {
            Ok(BodyMesh::Surface(Surface::from_raw(raw)?.0))
        } else {
            Ok(BodyMesh::Tets(TetMesh::from_raw(raw)?.0))
        }
    }
}

/// Declares that a mesh can be taken as the shape of a body.
macro_rules! shape {
    ($kind:ident, $mesh:ty) => {
        impl From<$mesh> for SharedMesh {
            fn from(mesh: $mesh) -> SharedMesh {
                SharedMesh(Arc::new(BodyMesh::$kind(mesh)))
            }
        }

        impl From<&$mesh> for SharedMesh {
            fn from(mesh: &$mesh) -> SharedMesh {
                SharedMesh(Arc::new(BodyMesh::$kind(mesh.clone())))
            }
        }
    };
}

/// A shape, shared by all bodies that have it.
#[derive(Clone, Debug)]
pub struct SharedMesh(pub Arc<BodyMesh>);

shape!(Tets, TetMesh);
shape!(Surface, Surface);
shape!(SpringNetwork, SpringNetwork);
shape!(Outline, OutlineMesh);

impl From<BodyMesh> for SharedMesh {
    fn from(mesh: BodyMesh) -> SharedMesh {
        SharedMesh(Arc::new(mesh))
    }
}

impl From<Arc<BodyMesh>> for SharedMesh {
    fn from(mesh: Arc<BodyMesh>) -> SharedMesh {
        SharedMesh(mesh)
    }
}

impl From<&Arc<BodyMesh>> for SharedMesh {
    fn from(mesh: &Arc<BodyMesh>) -> SharedMesh {
        SharedMesh(mesh.clone())
    }
}
