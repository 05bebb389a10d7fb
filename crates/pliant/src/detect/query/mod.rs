//! Questions about places: what a ray hits, what is nearest, what is at a point or in a box.
//!
//! [`Queries`] keeps trees of boxes from step to step; they are fitted to the positions when
//! somebody asks, and only those of the bodies in question. Soft and rigid bodies are alike:
//! vertices and triangles where they are now. Obstacles are signed distances, followed by rays in
//! strides.

use crate::body::obstacle::Obstacle;
use crate::body::surface_point::SurfacePoint;
use crate::body::{Bodies, BodyKind};
use crate::id::{BodyId, TriangleId, VertexId};
use crate::math::{Aabb, Vec3};
use crate::mesh::bvh::Bvh;
use crate::mesh::lazy_bvh::LazyBvh;

mod rays;

mod trace;

mod points;

mod boxes;

#[cfg(test)]
mod tests;

/// Why something cannot be asked.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum QueryError {
    /// A place that is none.
    #[error("{argument} is {value}: it must be finite")]
    Point {
        /// Name of the argument.
        argument: &'static str,
        /// Its value, m.
        value: Vec3,
    },
    /// A direction that is none.
    #[error("direction is {value}: it must be finite and not zero")]
    Direction {
        /// Its value.
        value: Vec3,
    },
    /// A distance that is none.
    #[error("max_distance is {value}: it must be at least 0")]
    MaxDistance {
        /// Its value, m.
        value: f64,
    },
    /// A box with a coordinate that is no number.
    #[error("the box from {min} to {max} has coordinates that are no numbers")]
    Box {
        /// Smallest coordinates, m.
        min: Vec3,
        /// Largest coordinates, m.
        max: Vec3,
    },
    /// A time that is none.
    #[error("time is {value}: it must be finite")]
    Time {
        /// Its value, s.
        value: f64,
    },
    /// Too few positions.
    #[error("{has} positions for bodies of {needs} vertices")]
    PositionCount {
        /// Positions given.
        has: usize,
        /// Vertices of the bodies.
        needs: usize,
    },
    /// Bodies that the memory was not made for.
    #[error("the bodies are not those of the last call of Queries::moved")]
    OtherBodies,
}

/// What a ray can hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A body with a surface.
    Body(BodyId),
    /// An obstacle, by its place among [`QueryScene::obstacles`].
    Obstacle(u32),
}

/// Where a ray meets a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// What it meets.
    pub target: Target,
    /// From the origin of the ray, m.
    pub distance: f64,
    /// Where, m.
    pub point: Vec3,
    /// Unit normal of the surface there, pointing out of the body or obstacle.
    pub normal: Vec3,
    /// The place on the triangle; `None` for obstacles.
    pub surface: Option<SurfacePoint>,
}

/// The nearest point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointHit {
    /// Signed distance to the surface of the body, m; negative inside it.
    pub distance: f64,
    /// The body, and where on its surface.
    pub surface: SurfacePoint,
}

/// What is asked about: bodies where they are, and obstacles where they are at a time.
#[derive(Clone, Copy, Debug)]
pub struct QueryScene<'a> {
    /// Positions in body order, m; one for each of [`Bodies::vertex_count`].
    pub positions: &'a [Vec3],
    /// The bodies.
    pub bodies: &'a Bodies,
    /// The obstacles.
    pub obstacles: &'a [Obstacle],
    /// Time that the obstacles are at, s.
    pub time: f64,
}

/// Memory that is kept from step to step.
///
/// ```
/// use pliant::body::{Bodies, Mesh};
/// use pliant::detect::query::{Queries, QueryScene, Target};
/// use pliant::id::BodyId;
/// use pliant::math::Vec3;
/// use pliant::mesh::{generate::ball::ball, tet::TetMesh};
///
/// let (mesh, _) = TetMesh::from_raw(ball(1.0, 4)?)?;
/// let bodies = Bodies::from_meshes(&[Mesh::Tets(&mesh)])?;
/// let queries = Queries::new(&bodies); // and queries.moved(&bodies) after each step
/// let scene =
///     QueryScene { positions: mesh.positions(), bodies: &bodies, obstacles: &[], time: 0.0 };
/// let query = queries.query(scene)?;
///
/// let hit = query.cast_ray(Vec3::new(0.0, 0.1, 5.0), -Vec3::Z, 100.0, &|_| true)?;
/// let hit = hit.expect("the ball is in the way");
/// assert_eq!(hit.target, Target::Body(BodyId(0)));
/// assert!((hit.distance - 4.0).abs() < 0.1 && hit.normal.z > 0.9);
/// assert_eq!(query.bodies_at(Vec3::ZERO)?, [BodyId(0)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Queries {
    /// Boxes of the bodies.
    bodies: LazyBvh,
    /// For each body its triangles, counted within the body.
    triangles: Vec<LazyBvh>,
    /// For each body its tets, counted within the body.
    tets: Vec<LazyBvh>,
    /// What the trees were made for.
    counts: Counts,
}

/// How much there is of everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    bodies: usize,
    vertices: usize,
    triangles: usize,
    tets: usize,
}

impl Counts {
    fn new(bodies: &Bodies) -> Counts {
        Counts {
            bodies: bodies.len(),
            vertices: bodies.vertex_count(),
            triangles: bodies.triangles().len(),
            tets: bodies.tets().len(),
        }
    }
}

impl Queries {
    /// Memory for these bodies.
    pub fn new(bodies: &Bodies) -> Queries {
        let mut queries = Queries::default();
        queries.moved(bodies);
        queries
    }

    /// To be called when positions or bodies have changed: the next queries see the new ones.
    ///
    /// Costs nothing by itself.
    pub fn moved(&mut self, bodies: &Bodies) {
        self.counts = Counts::new(bodies);
        self.bodies.invalidate();
        for trees in [&mut self.triangles, &mut self.tets] {
            trees.resize_with(bodies.len(), LazyBvh::default);
            trees.iter_mut().for_each(LazyBvh::invalidate);
        }
    }

    /// Asks about a scene; positions must be the same until [`Queries::moved`] is called.
    ///
    /// A body with a vertex that is not finite is left out: see [`Query::non_finite`].
    pub fn query<'a>(&'a self, scene: QueryScene<'a>) -> Result<Query<'a>, QueryError> {
        let (has, needs) = (scene.positions.len(), scene.bodies.vertex_count());
        if has < needs {
            return Err(QueryError::PositionCount { has, needs });
        }
        if self.counts != Counts::new(scene.bodies) {
            return Err(QueryError::OtherBodies);
        }
        if !scene.time.is_finite() {
            return Err(QueryError::Time { value: scene.time });
        }
        Ok(Query { queries: self, scene })
    }
}

/// A scene that can be asked, by several threads at once.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    queries: &'a Queries,
    scene: QueryScene<'a>,
}

impl<'a> Query<'a> {
    /// The first vertex of each body whose position is not finite; such bodies are never found.
    pub fn non_finite(&self) -> Vec<VertexId> {
        let of = |body: BodyId| self.used(body).find(|&index| !self.position(index).is_finite());
        self.scene.bodies.ids().filter_map(of).map(|index| VertexId(index as u32)).collect()
    }

    /// Vertices of a body that matter.
    fn used(&self, body: BodyId) -> impl Iterator<Item = usize> + use<'a> {
        let bodies = self.scene.bodies;
        bodies.vertices(body).filter(move |&vertex| bodies.takes_part(body, vertex))
    }

    fn position(&self, vertex: usize) -> Vec3 {
        self.scene.positions[vertex]
    }

    /// Box of a body, m; empty when a vertex is not finite, and for outlines.
    fn box_of(&self, body: BodyId) -> Aabb {
        let mut around = Aabb::EMPTY;
        for point in self.used(body).map(|vertex| self.position(vertex)) {
            if !point.is_finite() {
                return Aabb::EMPTY;
            }
            around = around.union(Aabb { min: point, max: point });
        }
        around
    }

    fn body_tree(&self) -> &'a Bvh {
        let count = self.scene.bodies.len();
        self.queries.bodies.fitted(count, |item| self.box_of(BodyId(item)))
    }

    fn triangle_tree(&self, body: BodyId) -> &'a Bvh {
        let count = self.scene.bodies.triangles_of(body).len();
        let box_of = |item: u32| Aabb::around(self.corners(self.triangle(body, item)));
        self.queries.triangles[body.index()].fitted(count, box_of)
    }

    fn tet_tree(&self, body: BodyId) -> &'a Bvh {
        let tets = &self.scene.bodies.tets()[self.scene.bodies.tets_of(body)];
        let corners = |item: u32| tets[item as usize].map(|v| self.position(v.index()));
        self.queries.tets[body.index()].fitted(tets.len(), |item| Aabb::around(corners(item)))
    }

    /// A triangle counted within its body.
    fn triangle(&self, body: BodyId, item: u32) -> TriangleId {
        TriangleId(self.scene.bodies.triangles_of(body).start as u32 + item)
    }

    fn corners(&self, triangle: TriangleId) -> [Vec3; 3] {
        self.scene.bodies.corners(triangle, self.scene.positions)
    }

    fn kind(&self, body: BodyId) -> BodyKind {
        self.scene.bodies.kind(body)
    }
}

fn check_point(argument: &'static str, value: Vec3) -> Result<(), QueryError> {
    if value.is_finite() { Ok(()) } else { Err(QueryError::Point { argument, value }) }
}

/// The distance, or the largest number for an infinite one, m.
fn check_max_distance(value: f64) -> Result<f64, QueryError> {
    if value >= 0.0 { Ok(value.min(f64::MAX)) } else { Err(QueryError::MaxDistance { value }) }
}
