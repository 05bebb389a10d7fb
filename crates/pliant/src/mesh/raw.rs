//! A mesh as it was read or passed in: nothing checked but the indices.

use crate::id::VertexId;
use crate::math::Vec3;

/// Vertices, tets and triangles as a file or another program gives them.
///
/// Every index is below `positions.len()`; readers guarantee it. Nothing else is
/// promised: coordinates may be NaN, tets inverted, triangles open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawMesh {
    /// World space, m, in file order; unreferenced vertices keep their place.
    pub positions: Vec<Vec3>,
    /// Corners of the tets, in file order.
    pub tets: Vec<[VertexId; 4]>,
    /// Material region of each tet, as numbered in the file; as many as tets.
    pub regions: Vec<u32>,
    /// Corners of the triangles; polygons come cut into fans.
    pub triangles: Vec<[VertexId; 3]>,
    /// What the reader left out or changed, one sentence each.
    pub notices: Vec<String>,
}
