//! A scene that is ready to run, and its description.

use std::ops::Range;

use pliant::body::obstacle::Obstacle;
use pliant::world::World;
use serde::{Deserialize, Serialize};

use crate::spec::Field;

/// A scene made into bodies, forces and obstacles.
#[derive(Debug)]
pub struct LoadedScene {
    /// Its world.
    pub world: World,
    /// Description of the run.
    pub info: RunInfo,
    /// The scene as resolved, TOML: parameters evaluated, defaults written out.
    pub resolved: String,
    /// Remarks on the input, one sentence each.
    pub notices: Vec<String>,
    /// Responses that were dropped because the integrator cannot solve them, one sentence each.
    pub warnings: Vec<String>,
    /// The obstacles, to measure which bodies overlap them.
    pub obstacles: Vec<Obstacle>,
}

/// What is known of a run before its first step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// Name of the scene.
    pub scene: String,
    /// Description by its author; may be empty.
    #[serde(default)]
    pub description: String,
    /// Contact response between bodies, one word.
    pub response: String,
    /// Integrator, one word.
    pub integrator: String,
    /// Time step, s.
    pub dt: f64,
    /// Steps in all.
    pub steps: u64,
    /// Every this many steps a row and a frame are recorded.
    pub record_every: u64,
    /// A checkpoint is written every this many steps.
    pub checkpoint_every: u64,
    /// Gravity, m/s².
    pub gravity: [f64; 3],
    /// Bodies, in order.
    pub bodies: Vec<BodyInfo>,
    /// Obstacles as triangles, for pictures.
    pub obstacles: Vec<RenderMesh>,
    /// What is recorded beyond the usual.
    #[serde(default, skip_serializing_if = "Recorded::is_usual")]
    pub recorded: Recorded,
    /// Fine surfaces that bodies carry.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub carried: Vec<CarriedSurface>,
}

impl RunInfo {
    /// Vertices of all fine surfaces, which come after those of the bodies.
    pub fn carried_vertices(&self) -> usize {
        let of = |surface: &CarriedSurface| surface.bodies.len().saturating_mul(surface.len());
        self.carried.iter().fold(0, |sum, surface| sum.saturating_add(of(surface)))
    }

    /// The vertices of a body's fine surface, with so many vertices of bodies before them.
    pub fn carried_range(&self, body: usize, vertices: usize) -> Option<Range<usize>> {
        let mut first = vertices;
        for surface in &self.carried {
            if let Some(place) = surface.bodies.iter().position(|&own| own as usize == body) {
                let start = first + place * surface.len();
                return Some(start..start + surface.len());
            }
            first += surface.bodies.len() * surface.len();
        }
        None
    }
}

/// A fine surface that the vertices of bodies carry, the same for all copies of a body.
///
/// Its vertices come after those of all bodies, copy by copy, surface by surface.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CarriedSurface {
    /// The bodies that carry it.
    pub bodies: Vec<u32>,
    /// Four vertices that carry each of its vertices, counted within the body.
    pub carriers: Vec<[u32; 4]>,
    /// Their weights; the sum is 1.
    pub weights: Vec<[f32; 4]>,
}

impl CarriedSurface {
    /// Vertices of one copy.
    pub fn len(&self) -> usize {
        self.carriers.len()
    }

    /// Whether it has no vertices.
    pub fn is_empty(&self) -> bool {
        self.carriers.is_empty()
    }
}

/// What is recorded of a run beyond rows, bodies and positions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recorded {
    /// Whether there is a table of contacts.
    pub contacts: bool,
    /// Tets of all bodies in order, in the scene's numbers; empty where they are not asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tets: Vec<[u32; 4]>,
    /// Fields in each frame, in order.
    pub fields: Vec<Field>,
}

impl Recorded {
    /// Numbers of all fields in a frame of so many vertices.
    pub fn numbers(&self, vertices: usize) -> usize {
        self.fields.iter().map(|field| self.size(*field, vertices)).sum()
    }

    /// Numbers of one field in a frame of so many vertices.
    pub fn size(&self, field: Field, vertices: usize) -> usize {
        let count = if field.is_of_tets() { self.tets.len() } else { vertices };
        field.components() * count
    }

    /// Where the numbers of a field are among those of all; none where it is not recorded.
    pub fn range(&self, field: Field, vertices: usize) -> Option<Range<usize>> {
        let place = self.fields.iter().position(|known| *known == field)?;
        let before = self.fields[..place].iter().map(|field| self.size(*field, vertices));
        let start: usize = before.sum();
        Some(start..start + self.size(field, vertices))
    }

    /// Whether nothing is added.
    pub fn is_usual(&self) -> bool {
        *self == Recorded::default()
    }
}

/// One body of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyInfo {
    /// Name, unique in the scene.
    pub name: String,
    /// `tets`, `surface`, `spring-network`, `particles` or `outline`.
    pub kind: String,
    /// Its vertices in the scene's arrays.
    pub vertices: Range<usize>,
    /// Tets.
    pub tets: usize,
    /// Triangles that pictures show, in the scene's numbers, or in those of a fine surface that it
    /// carries.
    pub triangles: Vec<[u32; 3]>,
    /// Rings of an outline in the scene's numbers; pictures fill them where there are no triangles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rings: Vec<Vec<u32>>,
    /// Edges of a body without triangles in the scene's numbers; pictures show them as rods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<[u32; 2]>,
    /// Whether external forces other than gravity and impulses act on it: pins, loads, drag, an
    /// attractor, penalties, barriers. Its momentum is not checked.
    pub held: bool,
}

/// Triangles that do not move with any vertex.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RenderMesh {
    /// Name of the obstacle.
    pub name: String,
    /// World space at the start, m; large for an endless one.
    pub positions: Vec<[f32; 3]>,
    /// Corners, counted within this mesh.
    pub triangles: Vec<[u32; 3]>,
    /// Poses at given times, when it moves: time in s, position in m, quaternion x y z w.
    pub poses: Vec<(f64, [f64; 3], [f64; 4])>,
}
