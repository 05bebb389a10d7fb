//! What a scene is made of, for the view: numbers as JSON, corners as an array.

use pliant::body::keyframes::{Keyframe, Keyframes};
use pliant::math::{Quat, Vec3};
use pliant_scene::loaded::RenderMesh;
use serde::Serialize;

use crate::live::Live;
use crate::session::Output;

/// A scene as the view draws it.
///
/// The indices hold, body by body, triangles, rings and edges, then the triangles of each
/// obstacle; the floats hold the positions of each obstacle.
#[derive(Clone, Debug, Serialize)]
pub struct Description {
    /// Name of the scene.
    pub scene: String,
    /// Description by its author.
    pub description: String,
    /// Contact response, one word.
    pub response: String,
    /// Integrator, one word.
    pub integrator: String,
    /// s.
    pub dt: f64,
    /// Steps that a run of it has.
    pub steps: u64,
    /// m/s².
    pub gravity: [f64; 3],
    /// Whether all bodies are outlines.
    pub plane: bool,
    /// Vertices of a frame, fine surfaces included.
    pub vertices: usize,
    /// Tets of all bodies.
    pub tets: usize,
    /// Bodies, in order.
    pub bodies: Vec<BodyParts>,
    /// Obstacles, in order.
    pub obstacles: Vec<ObstacleParts>,
    /// Remarks on the input, one sentence each.
    pub notices: Vec<String>,
    /// The scene as resolved, TOML.
    pub resolved: String,
    /// Since the start, s.
    pub time: f64,
}

/// A body in the arrays.
#[derive(Clone, Debug, Serialize)]
pub struct BodyParts {
    /// Name, unique in the scene.
    pub name: String,
    /// As in [`pliant_scene::loaded::BodyInfo::kind`].
    pub kind: String,
    /// First vertex in frames.
    pub first: usize,
    /// Vertices.
    pub count: usize,
    /// Triangles in the indices.
    pub triangles: usize,
    /// Points of each ring in the indices.
    pub rings: Vec<usize>,
    /// Edges in the indices.
    pub edges: usize,
}

/// An obstacle in the arrays.
#[derive(Clone, Debug, Serialize)]
pub struct ObstacleParts {
    /// Its name.
    pub name: String,
    /// Vertices in the floats.
    pub vertices: usize,
    /// Triangles in the indices.
    pub triangles: usize,
    /// Whether frames have poses of it.
    pub moves: bool,
}

/// Describes a scene, and fills corners and positions.
pub fn describe(live: &Live, out: &mut Output) -> Description {
    let info = &live.scene.info;
    let (indices, floats) = (&mut out.indices, &mut out.floats);
    indices.clear();
    floats.clear();
    let bodies = info.bodies.iter().map(|body| {
        indices.extend(body.triangles.iter().flatten());
        indices.extend(body.rings.iter().flatten());
        indices.extend(body.edges.iter().flatten());
        BodyParts {
            name: body.name.clone(),
            kind: body.kind.clone(),
            first: body.vertices.start,
            count: body.vertices.len(),
            triangles: body.triangles.len(),
            rings: body.rings.iter().map(Vec::len).collect(),
            edges: body.edges.len(),
        }
    });
    let bodies = bodies.collect();
    let obstacles = info.obstacles.iter().map(|obstacle| {
        indices.extend(obstacle.triangles.iter().flatten());
        floats.extend(obstacle.positions.iter().flatten());
        ObstacleParts {
            name: obstacle.name.clone(),
            vertices: obstacle.positions.len(),
            triangles: obstacle.triangles.len(),
            moves: obstacle.poses.len() > 1,
        }
    });
    let obstacles = obstacles.collect();
    let (positions, warnings) = (live.positions().len(), live.scene.warnings.iter());
    Description {
        scene: info.scene.clone(),
        description: info.description.clone(),
        response: info.response.clone(),
        integrator: info.integrator.clone(),
        dt: info.dt,
        steps: info.steps,
        gravity: info.gravity,
        plane: live.is_plane(),
        vertices: positions + info.carried_vertices(),
        tets: info.bodies.iter().map(|body| body.tets).sum(),
        bodies,
        obstacles,
        notices: live.scene.notices.iter().chain(warnings).cloned().collect(),
        resolved: live.scene.resolved.clone(),
        time: live.scene.world.time(),
    }
}

/// Position and quaternion of an obstacle relative to its start; none of one that stays.
pub fn pose(obstacle: &RenderMesh, time: f64) -> Option<[f64; 7]> {
    if obstacle.poses.len() < 2 {
        return None;
    }
    let frames = obstacle.poses.iter().map(|&(time, position, rotation)| Keyframe {
        time,
        position: Vec3::from(position),
        rotation: Quat::from_array(rotation),
    });
    let motion = Keyframes::new(frames.collect()).ok()?;
    let [from, to] = [motion.pose(0.0), motion.pose(time)];
    let turn = to.rotation * from.rotation.conjugate();
    let place = to.position - turn * from.position;
    let [x, y, z, w] = turn.to_array();
    Some([place.x, place.y, place.z, x, y, z, w])
}
