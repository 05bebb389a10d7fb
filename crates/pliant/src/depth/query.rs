//! Penetrations of a few meshes in one line, without bodies and scratch memory.
//!
//! Everything in the result counts as the caller does: bodies in the order given, vertices within
//! their body. Where many steps follow each other, [`fused::Scratch`](crate::depth::fused::Scratch)
//! and [`ExitSearch`](crate::depth::exits::ExitSearch) give the same numbers sooner.

use crate::body::surface_point::SurfacePoint;
use crate::body::{Bodies, BodiesError, Mesh};
use crate::depth::exits::exits;
use crate::depth::{DepthSettings, Penetrations, Reason, Span};
use crate::id::{BodyId, MismatchError, VertexId};
use crate::math::Vec3;
use crate::mesh::problems::vertices::extreme_vertices;
use crate::mesh::surface::Surface;
use crate::mesh::tet::TetMesh;

/// A mesh with an inside, where its own positions put it.
pub trait SolidMesh {
    /// Positions of its vertices, m; as many as [`SolidMesh::mesh`] has.
    fn positions(&self) -> &[Vec3];

    /// Its connectivity.
    fn mesh(&self) -> Mesh<'_>;
}

impl SolidMesh for TetMesh {
    fn positions(&self) -> &[Vec3] {
        self.positions()
    }

    fn mesh(&self) -> Mesh<'_> {
        Mesh::Tets(self)
    }
}

impl SolidMesh for Surface {
    fn positions(&self) -> &[Vec3] {
        self.positions()
    }

    fn mesh(&self) -> Mesh<'_> {
        Mesh::Surface(self)
    }
}

/// Why penetrations cannot be computed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PenetrationsError {
    /// Meshes that make no scene: an index out of range, or too many of something.
    #[error(transparent)]
    Bodies(#[from] BodiesError),
    /// Arguments that do not belong together.
    #[error(transparent)]
    Mismatch(#[from] MismatchError),
    /// A mesh of another number of positions than its connectivity says.
    #[error("body {body} has {has} positions for {needs} vertices")]
    PositionCount {
        /// The body.
        body: BodyId,
        /// Positions given.
        has: usize,
        /// Vertices of its mesh.
        needs: usize,
    },
    /// A coordinate that is not finite.
    #[error("vertex {vertex} of body {body} is at {position}, which is not finite")]
    NonFinite {
        /// The first such body.
        body: BodyId,
        /// Its first such vertex, counted within the body.
        vertex: VertexId,
        /// Its position, m.
        position: Vec3,
    },
    /// A coordinate for which exact signs do not hold.
    #[error(
        "vertex {vertex} of body {body} is at {position}: volumes overflow or vanish; change the unit"
    )]
    Extreme {
        /// The first such body.
        body: BodyId,
        /// Its first such vertex, counted within the body.
        vertex: VertexId,
        /// Its position, m.
        position: Vec3,
    },
    /// Weights without a meaning.
    #[error("the exponent is {exponent}, it must be finite and above 0")]
    Exponent {
        /// As given.
        exponent: f64,
    },
}

/// The penetrating vertices of one body.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyPenetrations {
    /// Vertices with a depth, by vertex, then body penetrated.
    pub points: Vec<PenetratingVertex>,
    /// Vertices without a known depth, by vertex, then body penetrated.
    pub unresolved: Vec<UnresolvedVertex>,
}

/// A penetrating vertex with its way out.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PenetratingVertex {
    /// Its body, in the order given.
    pub body: BodyId,
    /// The vertex, counted within its body.
    pub vertex: VertexId,
    /// Bodies that it is inside of, ascending; one in [`Scope::Pairs`](crate::depth::Scope).
    pub into: Vec<BodyId>,
    /// Steps from the border: 0 has edges of its own that leave.
    pub ring: u32,
    /// Way to go along `direction`, m; can be negative, as interpolated normals tilt.
    pub depth: f64,
    /// Unit vector, world space.
    pub direction: Vec3,
    /// Where it leaves; `None` only for a body without triangles.
    pub exit: Option<BodyExit>,
}

/// The place of another body's surface at which a vertex leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyExit {
    /// The body that is left, in the order given.
    pub body: BodyId,
    /// Corners of the triangle, counted within that body.
    pub triangle: [VertexId; 3],
    /// Weights of the corners: none negative, sum 1.
    pub weights: [f64; 3],
    /// Where, world space, m: the weighted sum of the corners.
    pub point: Vec3,
}

impl BodyExit {
    /// The same place, with vertices counted within the body; `None` where it has no such triangle.
    pub fn new(exit: SurfacePoint, bodies: &Bodies) -> Option<BodyExit> {
        let SurfacePoint { body, triangle, weights, point } = exit;
        if !bodies.triangles_of(body).contains(&triangle.index()) {
            return None;
        }
        let triangle = bodies.triangles()[triangle.index()].map(|v| local(bodies, body, v));
        Some(BodyExit { body, triangle, weights, point })
    }
}

/// A penetrating vertex for which no way out is known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct UnresolvedVertex {
    /// Its body, in the order given.
    pub body: BodyId,
    /// The vertex, counted within its body.
    pub vertex: VertexId,
    /// Bodies that it is inside of, ascending; one in [`Scope::Pairs`](crate::depth::Scope).
    pub into: Vec<BodyId>,
    /// Why.
    pub reason: Reason,
}

/// The penetrating vertices of meshes, one entry per mesh, in the order given.
///
/// ```
/// use pliant::math::Vec3;
/// use pliant::mesh::generate::{cuboid::cuboid, lattice::TetSplit};
/// use pliant::mesh::tet::TetMesh;
///
/// let cube = || cuboid([1; 3], Vec3::splat(1.0), TetSplit::Five);
/// let (a, _) = TetMesh::from_raw(cube()?)?;
/// let mut raised = cube()?;
/// raised.positions.iter_mut().for_each(|p| *p += Vec3::new(0.2, 0.3, 0.9));
/// let (b, _) = TetMesh::from_raw(raised)?;
///
/// let found = pliant::penetrations(&[&a, &b])?;
/// let point = &found[1].points[0];
/// assert!((point.depth - 0.1).abs() < 0.05);
/// let exit = point.exit.expect("a body with a surface is left somewhere");
/// assert_eq!(exit.body, point.into[0]);
/// assert!((exit.weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn penetrations(meshes: &[&dyn SolidMesh]) -> Result<Vec<BodyPenetrations>, PenetrationsError> {
    penetrations_with(meshes, DepthSettings::default())
}

/// The same, with other settings.
pub fn penetrations_with(
    meshes: &[&dyn SolidMesh],
    settings: DepthSettings,
) -> Result<Vec<BodyPenetrations>, PenetrationsError> {
    let parts: Vec<Mesh<'_>> = meshes.iter().map(|mesh| mesh.mesh()).collect();
    let bodies = Bodies::from_meshes(&parts)?;
    let positions: Vec<&[Vec3]> = meshes.iter().map(|mesh| mesh.positions()).collect();
    query(&positions, &bodies, settings)
}

/// The penetrating vertices of tet meshes given as plain slices, as from another engine.
///
/// Each body is its positions, m, and its tets, counted within the body: `[f64; 3]` and `u32`, or
/// [`Vec3`] and [`VertexId`]. Tets may be in any state of inversion.
///
/// ```
/// let base = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, -3.0]];
/// let tip = [[0.0, 0.0, 2.0], [0.0, 3.0, 2.0], [3.0, 0.0, 2.0], [0.75, 0.75, -0.25]];
/// let tets: &[[u32; 4]] = &[[0, 2, 1, 3]];
/// let found = pliant::depth::query::penetrations_of_tets(&[(&base[..], tets), (&tip[..], tets)])?;
/// assert!(found[0].points.is_empty());
/// assert_eq!(found[1].points[0].vertex.0, 3);
/// # Ok::<(), pliant::depth::query::PenetrationsError>(())
/// ```
pub fn penetrations_of_tets<P, V>(
    meshes: &[(&[P], &[[V; 4]])],
) -> Result<Vec<BodyPenetrations>, PenetrationsError>
where
    P: Copy + Into<Vec3>,
    V: Copy + Into<VertexId>,
{
    let tets: Vec<Vec<[VertexId; 4]>> = meshes
        .iter()
        .map(|(_, tets)| tets.iter().map(|tet| tet.map(Into::into)).collect())
        .collect();
    let positions: Vec<Vec<Vec3>> =
        meshes.iter().map(|(positions, _)| positions.iter().map(|&p| p.into()).collect()).collect();
    let parts: Vec<_> = positions.iter().zip(&tets).map(|(p, t)| (p.len(), &t[..])).collect();
    let bodies = Bodies::from_tets(&parts)?;
    let positions: Vec<&[Vec3]> = positions.iter().map(|p| &p[..]).collect();
    query(&positions, &bodies, DepthSettings::default())
}

fn query(
    parts: &[&[Vec3]],
    bodies: &Bodies,
    settings: DepthSettings,
) -> Result<Vec<BodyPenetrations>, PenetrationsError> {
    let exponent = settings.exponent;
    if !(exponent.is_finite() && exponent > 0.0) {
        return Err(PenetrationsError::Exponent { exponent });
    }
    for (body, part) in bodies.ids().zip(parts) {
        check_positions(body, part, bodies.vertices(body).len())?;
    }
    let positions = parts.concat();
    let found = crate::depth::penetrations(&positions, bodies, settings)?;
    let exits = exits(&positions, bodies, &found);
    Ok(by_body(bodies, &found, &exits))
}

fn check_positions(body: BodyId, part: &[Vec3], needs: usize) -> Result<(), PenetrationsError> {
    if part.len() != needs {
        return Err(PenetrationsError::PositionCount { body, has: part.len(), needs });
    }
    if let Some(index) = part.iter().position(|p| !p.is_finite()) {
        let (vertex, position) = (VertexId(index as u32), part[index]);
        return Err(PenetrationsError::NonFinite { body, vertex, position });
    }
    if let Some(&vertex) = extreme_vertices(part).first() {
        return Err(PenetrationsError::Extreme { body, vertex, position: part[vertex.index()] });
    }
    Ok(())
}

/// Sorts penetrations of a scene to their bodies; `exits` are those of its resolved vertices.
///
/// Vertices of no body are left out.
pub fn by_body(
    bodies: &Bodies,
    found: &Penetrations,
    exits: &[Option<SurfacePoint>],
) -> Vec<BodyPenetrations> {
    let mut sorted = vec![BodyPenetrations::default(); bodies.len()];
    let into = |span: Span| found.bodies(span).to_vec();
    let is_known = |vertex: VertexId| vertex.index() < bodies.vertex_count();
    for (resolved, exit) in found.resolved.iter().zip(exits) {
        if !is_known(resolved.vertex) {
            continue;
        }
        let body = bodies.body_of(resolved.vertex);
        sorted[body.index()].points.push(PenetratingVertex {
            body,
            vertex: local(bodies, body, resolved.vertex),
            into: into(resolved.into),
            ring: resolved.ring,
            depth: resolved.penetration.depth,
            direction: resolved.penetration.direction,
            exit: exit.and_then(|exit| BodyExit::new(exit, bodies)),
        });
    }
    for unresolved in found.unresolved.iter().filter(|found| is_known(found.vertex)) {
        let body = bodies.body_of(unresolved.vertex);
        sorted[body.index()].unresolved.push(UnresolvedVertex {
            body,
            vertex: local(bodies, body, unresolved.vertex),
            into: into(unresolved.into),
            reason: unresolved.reason,
        });
    }
    sorted
}

/// A vertex counted within its body.
fn local(bodies: &Bodies, body: BodyId, vertex: VertexId) -> VertexId {
    VertexId(vertex.0 - bodies.vertices(body).start as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::fixtures::{self, tets};
    use crate::mesh::raw::RawMesh;

    /// Numbers are about 1: a few roundings.
    const TOLERANCE: f64 = 1e-12;

    fn cube(cells: u32, size: f64, by: Vec3) -> RawMesh {
        let mut mesh = fixtures::cube(cells, size);
        mesh.positions.iter_mut().for_each(|p| *p += by);
        mesh
    }

    fn skin(raw: RawMesh) -> Surface {
        let triangles = tets(raw.clone()).surface().to_vec();
        Surface::from_raw(RawMesh { triangles, tets: vec![], regions: vec![], ..raw }).unwrap().0
    }

    #[test]
    fn tets_and_surfaces_meet_in_one_call() {
        let above = Vec3::new(0.11, 0.07, 1.05);
        let (large, small) = (tets(cube(4, 2.0, Vec3::ZERO)), cube(2, 0.5, above));
        for small in [&tets(small.clone()) as &dyn SolidMesh, &skin(small)] {
            let settings = DepthSettings {
                normals: crate::mesh::normals::Normals::Face,
                ..DepthSettings::default()
            };
            let found = penetrations_with(&[&large, small], settings).unwrap();
            assert_eq!(found.len(), 2);
            // All nine of the lower side; its middle is 0.2 m below the top too.
            assert_eq!(found[1].points.len() + found[1].unresolved.len(), 9);
            assert!(found[1].points.len() >= 8);
            for point in &found[1].points {
                assert_eq!((point.body, &point.into[..]), (BodyId(1), &[BodyId(0)][..]));
                assert!((point.depth - 0.2).abs() < TOLERANCE, "{point:?}");
                assert!(point.direction.abs_diff_eq(Vec3::Z, TOLERANCE));
                let exit = point.exit.unwrap();
                assert_eq!(exit.body, BodyId(0));
                let at = small.positions()[point.vertex.index()] + 0.2 * Vec3::Z;
                assert!(exit.point.distance(at) < TOLERANCE, "{exit:?}");
                let corners = exit.triangle.map(|v| large.positions()[v.index()]);
                let sum: Vec3 = (0..3).map(|k| exit.weights[k] * corners[k]).sum();
                assert!(sum.distance(at) < TOLERANCE, "{exit:?}");
            }
        }
    }

    #[test]
    fn slices_tell_what_meshes_tell() {
        let (a, b) = (cube(2, 1.0, Vec3::ZERO), cube(1, 0.6, Vec3::new(0.5, 0.1, 0.2)));
        let by_mesh = penetrations(&[&tets(a.clone()), &tets(b.clone())]).unwrap();
        let parts = [&a, &b].map(|mesh| (&mesh.positions[..], &mesh.tets[..]));
        assert_eq!(penetrations_of_tets(&parts).unwrap(), by_mesh);
        let plain = |mesh: &RawMesh| {
            let positions: Vec<[f64; 3]> = mesh.positions.iter().map(|p| p.to_array()).collect();
            let tets: Vec<[u32; 4]> = mesh.tets.iter().map(|tet| tet.map(|v| v.0)).collect();
            (positions, tets)
        };
        let plain = [plain(&a), plain(&b)];
        let parts = [(&plain[0].0[..], &plain[0].1[..]), (&plain[1].0[..], &plain[1].1[..])];
        assert_eq!(penetrations_of_tets(&parts).unwrap(), by_mesh);
        assert!(by_mesh.iter().any(|body| !body.points.is_empty()));
    }

    #[test]
    fn a_vertex_without_a_way_out_has_its_reason() {
        let (large, small) = (cube(1, 2.0, Vec3::ZERO), cube(1, 0.5, Vec3::ZERO));
        let found = penetrations(&[&tets(large), &tets(small)]).unwrap();
        assert!(found[0].points.is_empty() && found[1].points.is_empty());
        assert_eq!(found[1].unresolved.len(), 8);
        let first = &found[1].unresolved[0];
        assert_eq!((first.vertex, first.body), (VertexId(0), BodyId(1)));
        assert_eq!((&first.into[..], first.reason), (&[BodyId(0)][..], Reason::Enclosed));
    }

    #[test]
    fn nothing_and_one_body_have_no_penetrations() {
        assert_eq!(penetrations(&[]).unwrap(), []);
        let one = penetrations(&[&tets(cube(1, 1.0, Vec3::ZERO))]).unwrap();
        assert_eq!(one, [BodyPenetrations::default()]);
        assert_eq!(penetrations_of_tets::<Vec3, VertexId>(&[(&[], &[])]).unwrap().len(), 1);
    }

    #[test]
    fn what_cannot_be_asked_is_named() {
        let good = cube(1, 1.0, Vec3::ZERO);
        let refused = |positions: &[Vec3], tets: &[[VertexId; 4]]| {
            let parts = [(&good.positions[..], &good.tets[..]), (positions, tets)];
            penetrations_of_tets(&parts).unwrap_err().to_string()
        };
        let mut bad = good.positions.clone();
        bad[3].y = f64::NAN;
        let message = refused(&bad, &good.tets);
        assert!(message.starts_with("vertex 3 of body 1 is at ["), "{message}");
        assert!(message.ends_with("which is not finite"), "{message}");
        bad[3].y = 1e80;
        let message = refused(&bad, &good.tets);
        assert!(message.contains("of body 1") && message.contains("change the unit"), "{message}");
        let message = refused(&good.positions[..4], &good.tets);
        assert!(message.contains("body 1 names vertex"), "{message}");
        let settings = DepthSettings { exponent: f64::NAN, ..DepthSettings::default() };
        let error = penetrations_with(&[&tets(good.clone())], settings).unwrap_err();
        assert_eq!(error.to_string(), "the exponent is NaN, it must be finite and above 0");
    }
}
