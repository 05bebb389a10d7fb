//! A scene that is ready to run, and what a reader of its results must know.

use std::ops::Range;

use pliant::body::obstacle::Obstacle;
use pliant::step::Simulation;
use serde::{Deserialize, Serialize};

/// A scene made into bodies, forces and obstacles.
#[derive(Debug)]
pub struct LoadedScene {
    /// What moves.
    pub simulation: Simulation,
    /// What is told about the run.
    pub info: RunInfo,
    /// The scene as resolved, TOML: parameters put in, defaults spelled out.
    pub resolved: String,
    /// Warnings that came up on the way, one sentence each.
    pub notices: Vec<String>,
    /// What is in the way, to measure who is in it.
    pub obstacles: Vec<Obstacle>,
}

/// What is known of a run before its first step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// Name of the scene.
    pub scene: String,
    /// What it is about, in the words of its author; may be empty.
    #[serde(default)]
    pub description: String,
    /// Contact response between bodies, one word.
    pub response: String,
    /// Integrator, one word.
    pub integrator: String,
    /// Time step, s.
    pub dt: f64,
    /// Steps in all, count.
    pub steps: u64,
    /// Every this many steps a row and a frame are recorded, count.
    pub record_every: u64,
    /// Every this many steps the run can be taken up again, count.
    pub checkpoint_every: u64,
    /// Gravity, m/s².
    pub gravity: [f64; 3],
    /// Bodies, in order.
    pub bodies: Vec<BodyInfo>,
    /// Obstacles as triangles, for pictures.
    pub obstacles: Vec<RenderMesh>,
}

/// One body of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyInfo {
    /// Name, unique in the scene.
    pub name: String,
    /// `tets`, `surface`, `net`, `cloud` or `outline`.
    pub kind: String,
    /// Its vertices in the scene's arrays.
    pub vertices: Range<usize>,
    /// Tets, count.
    pub tets: usize,
    /// Triangles that pictures show, in the scene's numbers.
    pub triangles: Vec<[u32; 3]>,
    /// Rings of an outline in the scene's numbers; pictures fill them where there are no triangles.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rings: Vec<Vec<u32>>,
    /// Edges of a body without triangles in the scene's numbers; pictures show them as rods.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<[u32; 2]>,
    /// Whether something beside gravity and impulses acts on it from outside: pins, loads, drag, a
    /// bowl, penalties, barriers. Its momentum is not accounted for.
    pub held: bool,
}

/// Triangles that do not move with any vertex.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RenderMesh {
    /// Name of the obstacle.
    pub name: String,
    /// World space at the start, m; large for an endless one.
    pub positions: Vec<[f32; 3]>,
    /// Corners, counted within the skin.
    pub triangles: Vec<[u32; 3]>,
    /// Poses at given times, when it moves: time in s, position in m, quaternion x y z w.
    pub poses: Vec<(f64, [f64; 3], [f64; 4])>,
}
