//! What was done to each body, and which pairs overlapped before and after.

use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::separate::{
    Body, BodyChange, Manner, Mobility, Overlap, Undeformed, self_intersections,
};
use serde::Serialize;

use super::read::{Part, Sound};
use super::{Request, Written};
use crate::check::Kind;

/// Triangles of a surface that meet which are listed.
const LISTED: usize = 10;

/// What `pliant separate` reports; lengths are in the unit of the files.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Whether no two bodies overlap or are nearer than the gap, by the files written.
    pub free: bool,
    /// Distance that was to be reached between any two.
    pub gap: f64,
    /// How bodies were to be changed.
    pub by: &'static str,
    /// Bodies in the order of the files.
    pub bodies: Vec<BodyReport>,
    /// Pairs that overlapped or were too near.
    pub before: Vec<PairReport>,
    /// Pairs that still do.
    pub after: Vec<PairReport>,
    /// Pairs with one inside the other that were kept so, by number of the body.
    pub kept_nested: Vec<[usize; 2]>,
    /// Iterations of the search.
    pub iterations: usize,
    /// Files in the folder; none where nothing was written.
    pub written: Vec<String>,
    /// Remarks on the files.
    pub notices: Vec<String>,
}

/// What was done to a body.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BodyReport {
    /// The file's stem, with the number of the part.
    pub name: String,
    /// Tets or a surface.
    pub kind: Kind,
    /// Vertices.
    pub vertices: usize,
    /// Triangles of its surface.
    pub triangles: usize,
    /// Tets.
    pub tets: usize,
    /// Whether it was to stay.
    pub fixed: bool,
    /// How it was changed: `none`, `rigid` or `soft`.
    pub by: &'static str,
    /// Why it was moved as it is although it was to be deformed; null where it was not.
    pub undeformed: Option<&'static str>,
    /// Largest movement of a vertex.
    pub largest_movement: f64,
    /// Mean movement of the vertices.
    pub mean_movement: f64,
    /// Movement of the mean of its vertices.
    pub translation: [f64; 3],
    /// Rotation that fits best, degrees.
    pub rotation_degrees: f64,
    /// Largest change of a length over that length.
    pub strain: f64,
    /// Change of the volume over the volume.
    pub volume_change: f64,
    /// Tets with a volume of at most 0.
    pub inverted_tets: usize,
    /// Where its surface meets itself; that is left as it is.
    pub self_intersections: SelfIntersections,
}

/// Where a surface meets itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SelfIntersections {
    /// Pairs of triangles before.
    pub before: usize,
    /// Pairs of triangles after.
    pub after: usize,
    /// The first pairs before: triangles of the file for surfaces, of the boundary for tets.
    pub triangles: Vec<[usize; 2]>,
    /// A corner of the first triangle of each, where the file has it.
    pub positions: Vec<[f64; 3]>,
}

/// Two bodies that overlap or are too near.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairReport {
    /// By number, from 0.
    pub bodies: [usize; 2],
    /// Their names.
    pub names: [String; 2],
    /// `crossing`, `nested`, `near`, or `escaped` from the body that it was to stay in.
    pub kind: &'static str,
    /// Surface vertices of either inside the other.
    pub vertices_inside: usize,
    /// How deep the deepest of them is; where that is next to nothing, the shortest translation
    /// found that takes the pair apart.
    pub depth: f64,
    /// Distance of the surfaces; 0 where they overlap.
    pub distance: f64,
}

impl Report {
    pub(super) fn new(
        request: &Request,
        parts: &[&Part],
        bodies: &[Body<'_>],
        done: &Written,
        notices: Vec<String>,
    ) -> Report {
        let found = &done.separation;
        let pair = |overlap: &Overlap| PairReport {
            bodies: overlap.bodies,
            names: overlap.bodies.map(|body| parts[body].name.clone()),
            kind: overlap.kind.name(),
            vertices_inside: overlap.vertices_inside,
            depth: overlap.depth,
            distance: overlap.distance,
        };
        let of_body = |number: usize| {
            let after = &found.positions[number];
            body_report(parts[number], &bodies[number], after, found.changes[number])
        };
        Report {
            free: found.is_free(),
            gap: found.gap,
            by: request.manner.name(),
            bodies: (0..parts.len()).map(of_body).collect(),
            before: found.before.iter().map(pair).collect(),
            after: found.left.iter().map(pair).collect(),
            kept_nested: found.kept_nested.clone(),
            iterations: found.iterations,
            written: done.files.clone(),
            notices,
        }
    }

    /// Whether there was nothing to do.
    pub fn was_free(&self) -> bool {
        self.before.is_empty()
    }
}

fn body_report(part: &Part, body: &Body<'_>, after: &[Vec3], change: BodyChange) -> BodyReport {
    let by = match change.largest_movement == 0.0 {
        true => "none",
        false => change.manner.name(),
    };
    BodyReport {
        name: part.name.clone(),
        kind: part.sound.kind(),
        vertices: after.len(),
        triangles: part.sound.triangles().len(),
        tets: match &part.sound {
            Sound::Tets(mesh) => mesh.tets().len(),
            Sound::Surface(_) => 0,
        },
        fixed: body.mobility == Mobility::Fixed,
        by,
        undeformed: change.undeformed.map(Undeformed::name),
        largest_movement: change.largest_movement,
        mean_movement: change.mean_movement,
        translation: change.translation.to_array(),
        rotation_degrees: change.rotation.to_degrees(),
        strain: change.strain,
        volume_change: change.volume_change,
        inverted_tets: change.inverted_tets,
        self_intersections: met(part, body, after, change.manner),
    }
}

/// Where a surface meets itself, before and after.
fn met(part: &Part, body: &Body<'_>, after: &[Vec3], manner: Manner) -> SelfIntersections {
    let before = self_intersections(body);
    let count = match manner {
        // Moved as it is, a surface meets itself where it did.
        Manner::Rigid | Manner::Auto => before.len(),
        Manner::Soft => self_intersections(&Body { positions: after, ..*body }).len(),
    };
    let number = |triangle: usize| {
        let in_file = part
            .triangles
            .get(triangle)
            .filter(|_| part.triangles.len() == part.sound.triangles().len());
        in_file.map_or(triangle, |k| *k as usize)
    };
    let shown = before.iter().take(LISTED);
    let corner = |t: usize| {
        let vertex: VertexId = part.sound.triangles()[t][0];
        body.positions[vertex.index()].to_array()
    };
    SelfIntersections {
        before: before.len(),
        after: count,
        triangles: shown.clone().map(|pair| pair.map(|t| number(t.index()))).collect(),
        positions: shown.map(|pair| corner(pair[0].index())).collect(),
    }
}
