//! A checked tet mesh: what the stages after this one rely on.

use crate::id::{TetId, VertexId};
use crate::math::{Vec3, orient3d, tet_volume};
use crate::mesh::problems::vertices::extreme_vertices;
use crate::mesh::raw::RawMesh;
use crate::mesh::topology::{self, MOST_TETS};

/// Tets at rest, all positive, with their outward boundary.
///
/// Holds by construction: at least one tet; every index within range; coordinates
/// finite; every volume positive, exactly; no face with more than two tets, nor with two
/// on the same side.
#[derive(Clone, Debug, PartialEq)]
pub struct TetMesh {
    /// Rest shape, m.
    positions: Vec<Vec3>,
    /// Corners of each tet, positively oriented.
    tets: Vec<[VertexId; 4]>,
    /// Material region of each tet.
    regions: Vec<u32>,
    /// Boundary faces, counter-clockwise seen from outside; closed.
    surface: Vec<[VertexId; 3]>,
}

/// Why tets do not make a body: the first offender, and how many there are.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TetMeshError {
    /// Nothing to make a body of.
    #[error("no tets")]
    NoTets,
    /// More than indices of 32 bits can name.
    #[error("{count} tets are more than the {MOST_TETS} of one mesh")]
    TooManyTets {
        /// Number of tets given.
        count: usize,
    },
    /// Regions and tets do not match.
    #[error("{regions} regions for {tets} tets")]
    RegionCount {
        /// Number of regions given.
        regions: usize,
        /// Number of tets given.
        tets: usize,
    },
    /// A corner that does not exist.
    #[error("tet {tet} names vertex {vertex}, there are {count}")]
    NoSuchVertex {
        /// First such tet.
        tet: TetId,
        /// The corner.
        vertex: VertexId,
        /// Number of vertices given.
        count: usize,
    },
    /// A coordinate that is not finite.
    #[error("vertex {vertex} is at {position}, which is not finite")]
    NonFinite {
        /// First such vertex.
        vertex: VertexId,
        /// Its position, m.
        position: Vec3,
    },
    /// A coordinate for which exact signs do not hold.
    #[error("vertex {vertex} is at {position}: volumes overflow or vanish; change the unit")]
    Extreme {
        /// First such vertex.
        vertex: VertexId,
        /// Its position, m.
        position: Vec3,
    },
    /// Tets that are inverted while others are not.
    #[error("tet {tet} has volume {volume:e} m³, {count} of {tets} tets are inverted")]
    Inverted {
        /// First such tet.
        tet: TetId,
        /// Its volume, m³.
        volume: f64,
        /// Number of inverted tets.
        count: usize,
        /// Number of all tets.
        tets: usize,
    },
    /// Tets without volume.
    #[error("tet {tet} has no volume, {count} of {tets} tets are flat")]
    Flat {
        /// First such tet.
        tet: TetId,
        /// Number of flat tets.
        count: usize,
        /// Number of all tets.
        tets: usize,
    },
    /// Three or more tets on one face.
    #[error("face {0}–{1}–{2} has three or more tets, {3} faces do", face[0], face[1], face[2], count)]
    NonManifoldFace {
        /// First such face.
        face: [VertexId; 3],
        /// Number of such faces.
        count: usize,
    },
    /// Two tets on the same side of their common face.
    #[error("tets {0} and {1} lie on the same side of their common face, {2} pairs do", tets[0], tets[1], count)]
    Folded {
        /// First such pair.
        tets: [TetId; 2],
        /// Number of such pairs.
        count: usize,
    },
}

impl TetMesh {
    /// Checks the tets and finds their boundary.
    ///
    /// `regions` has one entry per tet; an empty list puts all into region 0. Inverted tets are refused, even when all are:
    /// [`TetMesh::from_raw`] turns those around.
    pub fn new(
        positions: Vec<Vec3>,
        tets: Vec<[VertexId; 4]>,
        mut regions: Vec<u32>,
    ) -> Result<TetMesh, TetMeshError> {
        if regions.is_empty() {
            regions.resize(tets.len(), 0);
        }
        check_indices(positions.len(), &tets, &regions)?;
        check_shapes(&positions, &tets)?;
        let boundary = topology::boundary(positions.len(), &tets);
        if let Some(&face) = boundary.non_manifold.first() {
            return Err(TetMeshError::NonManifoldFace { face, count: boundary.non_manifold.len() });
        }
        if let Some(&tets) = boundary.folded.first() {
            return Err(TetMeshError::Folded { tets, count: boundary.folded.len() });
        }
        Ok(TetMesh { positions, tets, regions, surface: boundary.triangles })
    }

    /// Takes the tets of a file; turns them around when all are inverted.
    ///
    /// Returns a description of what it repaired.
    pub fn from_raw(mut raw: RawMesh) -> Result<(TetMesh, Option<String>), TetMeshError> {
        if raw.regions.is_empty() {
            raw.regions.resize(raw.tets.len(), 0);
        }
        check_indices(raw.positions.len(), &raw.tets, &raw.regions)?;
        let signs = || raw.tets.iter().map(|tet| sign(&raw.positions, tet));
        let all = signs().any(|s| s < 0.0) && !signs().any(|s| s > 0.0);
        let repair = all.then(|| {
            format!("all {} tets were inside out and have been turned around", raw.tets.len())
        });
        if repair.is_some() {
            for tet in &mut raw.tets {
                tet.swap(2, 3);
            }
        }
        TetMesh::new(raw.positions, raw.tets, raw.regions).map(|mesh| (mesh, repair))
    }

    /// Rest shape, m; unreferenced vertices keep their place.
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Corners of each tet, positively oriented.
    pub fn tets(&self) -> &[[VertexId; 4]] {
        &self.tets
    }

    /// Material region of each tet.
    pub fn regions(&self) -> &[u32] {
        &self.regions
    }

    /// Boundary faces, counter-clockwise seen from outside; closed.
    pub fn surface(&self) -> &[[VertexId; 3]] {
        &self.surface
    }

    /// Every edge of the tets once, smaller vertex first, ascending.
    pub fn edges(&self) -> Vec<[VertexId; 2]> {
        topology::edges(self.positions.len(), &self.tets)
    }

    /// Volume of all tets, m³.
    pub fn volume(&self) -> f64 {
        self.tets.iter().map(|tet| tet_volume(tet.map(|v| self.positions[v.index()]))).sum()
    }

    /// The tets without the guarantees, free to change.
    #[cfg(test)]
    pub(crate) fn into_raw(self) -> RawMesh {
        let TetMesh { positions, tets, regions, .. } = self;
        RawMesh { positions, tets, regions, ..RawMesh::default() }
    }
}

fn check_indices(
    vertex_count: usize,
    tets: &[[VertexId; 4]],
    regions: &[u32],
) -> Result<(), TetMeshError> {
    if tets.is_empty() {
        return Err(TetMeshError::NoTets);
    }
    if tets.len() >= MOST_TETS {
        return Err(TetMeshError::TooManyTets { count: tets.len() });
    }
    if regions.len() != tets.len() {
        return Err(TetMeshError::RegionCount { regions: regions.len(), tets: tets.len() });
    }
    for (index, tet) in tets.iter().enumerate() {
        if let Some(&vertex) = tet.iter().find(|v| v.index() >= vertex_count) {
            let tet = TetId(index as u32);
            return Err(TetMeshError::NoSuchVertex { tet, vertex, count: vertex_count });
        }
    }
    Ok(())
}

fn check_shapes(positions: &[Vec3], tets: &[[VertexId; 4]]) -> Result<(), TetMeshError> {
    if let Some(index) = positions.iter().position(|p| !p.is_finite()) {
        let vertex = VertexId(index as u32);
        return Err(TetMeshError::NonFinite { vertex, position: positions[index] });
    }
    if let Some(&vertex) = extreme_vertices(positions).first() {
        return Err(TetMeshError::Extreme { vertex, position: positions[vertex.index()] });
    }
    let signs = || tets.iter().map(|tet| sign(positions, tet));
    if let Some(first) = signs().position(|s| s < 0.0) {
        let volume = tet_volume(tets[first].map(|v| positions[v.index()]));
        let (tet, count) = (TetId(first as u32), signs().filter(|&s| s < 0.0).count());
        return Err(TetMeshError::Inverted { tet, volume, count, tets: tets.len() });
    }
    if let Some(first) = signs().position(|s| s == 0.0) {
        let (tet, count) = (TetId(first as u32), signs().filter(|&s| s == 0.0).count());
        return Err(TetMeshError::Flat { tet, count, tets: tets.len() });
    }
    Ok(())
}

fn sign(positions: &[Vec3], tet: &[VertexId; 4]) -> f64 {
    let [v0, v1, v2, v3] = tet.map(|v| positions[v.index()]);
    orient3d(v0, v1, v2, v3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(positions: &[[f64; 3]], tets: &[[u32; 4]]) -> RawMesh {
        RawMesh {
            positions: positions.iter().copied().map(Vec3::from).collect(),
            tets: tets.iter().map(|tet| tet.map(VertexId)).collect(),
            regions: vec![0; tets.len()],
            ..RawMesh::default()
        }
    }

    const CORNERS: [[f64; 3]; 5] =
        [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.], [1., 1., 1.]];

    #[track_caller]
    fn refused(mesh: RawMesh, expected: &str) {
        assert_eq!(TetMesh::from_raw(mesh).unwrap_err().to_string(), expected);
    }

    #[test]
    fn two_tets_make_a_body_with_six_faces() {
        let (mesh, repair) =
            TetMesh::from_raw(raw(&CORNERS, &[[0, 1, 2, 3], [1, 2, 3, 4]])).unwrap();
        assert_eq!((mesh.surface().len(), mesh.edges().len(), repair), (6, 9, None));
        assert_eq!(mesh.volume(), 1.0 / 6.0 + 1.0 / 3.0); // the second: det of (-1,1,0), (-1,0,1), (0,1,1) is 2
    }

    #[test]
    fn inverted_throughout_is_turned_around_and_told() {
        let (mesh, repair) =
            TetMesh::from_raw(raw(&CORNERS, &[[1, 0, 2, 3], [2, 1, 3, 4]])).unwrap();
        assert!(mesh.volume() > 0.0);
        assert_eq!(repair.unwrap(), "all 2 tets were inside out and have been turned around");
    }

    #[test]
    fn faults_are_named_by_index_and_value() {
        refused(raw(&CORNERS, &[]), "no tets");
        refused(raw(&CORNERS, &[[0, 1, 2, 9]]), "tet 0 names vertex 9, there are 5");
        refused(
            raw(&CORNERS, &[[0, 1, 2, 3], [2, 1, 3, 4]]),
            "tet 1 has volume -3.333333333333333e-1 m³, 1 of 2 tets are inverted",
        );
        refused(
            raw(&CORNERS, &[[0, 1, 2, 3], [1, 2, 3, 3]]),
            "tet 1 has no volume, 1 of 2 tets are flat",
        );
        let mut mesh = raw(&CORNERS, &[[0, 1, 2, 3]]);
        mesh.positions[4].y = f64::NAN;
        refused(mesh, "vertex 4 is at [1, NaN, 1], which is not finite");
        let mut mesh = raw(&CORNERS, &[[0, 1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 5]]);
        mesh.positions.push(Vec3::splat(2.0));
        refused(mesh, "face 1–2–3 has three or more tets, 1 faces do");
        refused(
            raw(&CORNERS, &[[0, 1, 2, 3], [0, 1, 2, 3]]),
            "tets 0 and 1 lie on the same side of their common face, 4 pairs do",
        );
        let mut mesh = raw(&CORNERS, &[[0, 1, 2, 3]]);
        mesh.regions = vec![1, 2];
        refused(mesh.clone(), "2 regions for 1 tets");
        mesh.regions.clear();
        assert_eq!(TetMesh::from_raw(mesh).unwrap().0.regions(), [0]);
    }
}
