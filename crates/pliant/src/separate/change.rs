//! How a body was changed: movement, rotation, strain and volume.

use crate::body::Mesh;
use crate::id::VertexId;
use crate::math::svd::svd;
use crate::math::{Mat3, Quat, Vec3, orient3d, outer, polar};
use crate::mesh::overlap::signed_volume;
use crate::separate::shape::Shape;
use crate::separate::{Body, Manner, Undeformed};

/// How a body was changed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyChange {
    /// Largest movement of a vertex, m.
    pub largest_movement: f64,
    /// Mean movement of the vertices, m.
    pub mean_movement: f64,
    /// Movement of the mean of the vertices, m.
    pub translation: Vec3,
    /// The rotation that fits best.
    pub turn: Quat,
    /// Its angle, rad.
    pub rotation: f64,
    /// Largest change of length over length: of any direction in a tet, of any edge of a surface.
    pub strain: f64,
    /// Change of the enclosed volume over the volume.
    pub volume_change: f64,
    /// Tets with a volume of at most 0.
    pub inverted_tets: usize,
    /// How it was moved.
    pub manner: Manner,
    /// Why it was moved as it is although it was to be deformed.
    pub undeformed: Option<Undeformed>,
}

impl BodyChange {
    /// From where a body was given to other positions, m.
    pub(crate) fn between(
        body: &Body<'_>,
        shape: &Shape,
        moved: &[Vec3],
        manner: Manner,
    ) -> BodyChange {
        let start = body.positions;
        if start == moved || start.is_empty() {
            return BodyChange { manner, ..BodyChange::default() };
        }
        let lengths = start.iter().zip(moved).map(|(a, b)| a.distance(*b));
        let count = start.len() as f64;
        let mean = |points: &[Vec3]| points.iter().sum::<Vec3>() / count;
        let turn = turn(start, moved);
        BodyChange {
            largest_movement: lengths.clone().fold(0.0, f64::max),
            mean_movement: lengths.sum::<f64>() / count,
            translation: mean(moved) - mean(start),
            turn,
            // The part of a rotation that is left of a translation is rounding.
            rotation: 2.0 * libm::atan2(turn.xyz().length(), turn.w.abs()),
            strain: strain(body, shape, moved),
            volume_change: volume_change(shape, moved),
            inverted_tets: inverted(body, moved),
            manner,
            undeformed: None,
        }
    }
}

/// Change of the enclosed volume over the volume.
pub(crate) fn volume_change(shape: &Shape, moved: &[Vec3]) -> f64 {
    signed_volume(moved, &shape.triangles).unwrap_or(0.0).abs() / shape.volume - 1.0
}

/// The rotation that maps a set of points best onto another.
fn turn(start: &[Vec3], moved: &[Vec3]) -> Quat {
    let count = start.len() as f64;
    let mean = |points: &[Vec3]| points.iter().sum::<Vec3>() / count;
    let (from, to) = (mean(start), mean(moved));
    let pairs = start.iter().zip(moved);
    let covariance = pairs.fold(Mat3::ZERO, |sum, (a, b)| {
        let (a, b) = (*a - from, *b - to);
        sum + outer(b, a)
    });
    let size = covariance.to_cols_array().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    if size == 0.0 {
        return Quat::IDENTITY;
    }
    Quat::from_mat3(&polar::rotation(covariance * size.recip()))
}

/// The largest strain of a tet, or of an edge of a surface.
pub(crate) fn strain(body: &Body<'_>, shape: &Shape, moved: &[Vec3]) -> f64 {
    let start = body.positions;
    if let Mesh::Tets(mesh) = body.mesh {
        let strains = mesh.tets().iter().map(|tet| {
            let edges = |points: &[Vec3]| {
                let [v0, v1, v2, v3] = tet.map(|v| points[v.index()]);
                Mat3::from_cols(v1 - v0, v2 - v0, v3 - v0)
            };
            let stretches = svd(edges(moved) * edges(start).inverse()).stretches;
            (stretches - Vec3::ONE).abs().max_element()
        });
        return strains.fold(0.0, f64::max);
    }
    let strains = shape.edges.iter().map(|edge| {
        let length = |points: &[Vec3]| points[edge[0].index()].distance(points[edge[1].index()]);
        (length(moved) / length(start) - 1.0).abs()
    });
    strains.filter(|strain| strain.is_finite()).fold(0.0, f64::max)
}

/// Tets with a volume of at most 0, exactly.
fn inverted(body: &Body<'_>, moved: &[Vec3]) -> usize {
    let Mesh::Tets(mesh) = body.mesh else { return 0 };
    let is_inverted = |tet: &&[VertexId; 4]| {
        let [v0, v1, v2, v3] = tet.map(|v| moved[v.index()]);
        orient3d(v0, v1, v2, v3) <= 0.0
    };
    mesh.tets().iter().filter(is_inverted).count()
}
