//! Problems of vertices alone.

use crate::id::VertexId;
use crate::math::{Aabb, Vec3};
use crate::mesh::problems::{Element, List, ProblemKind};
use crate::mesh::weld;

/// Coordinates beyond this, m, overflow in products of four, as squared areas are.
const LARGEST_COORDINATE: f64 = 1e75;

/// In a mesh smaller than this, m, products of four underflow.
const SMALLEST_EXTENT: f64 = 1e-70;

/// Vertices too far from the origin, or all of a mesh that is too small: volumes have no digits.
///
/// Exact signs hold only for the others.
pub(crate) fn extreme_vertices(positions: &[Vec3]) -> Vec<VertexId> {
    let ids = || (0..positions.len() as u32).map(VertexId);
    let at = |v: &VertexId| positions[v.index()];
    let far = |v: &VertexId| at(v).is_finite() && at(v).abs().max_element() > LARGEST_COORDINATE;
    let extreme: Vec<_> = ids().filter(far).collect();
    let size = Aabb::around(positions.iter().copied().filter(|p| p.is_finite())).size();
    let is_small = size.max_element() > 0.0 && size.max_element() < SMALLEST_EXTENT;
    if extreme.is_empty() && is_small { ids().collect() } else { extreme }
}

/// Adds the problems of the vertices that the cells use, or fail to use.
pub(super) fn add_vertices<const N: usize>(
    found: &mut List,
    positions: &[Vec3],
    cells: &[[VertexId; N]],
) {
    let ids = || (0..positions.len() as u32).map(VertexId);
    let at = |v: &VertexId| positions[v.index()];
    let elements = |list: &mut dyn Iterator<Item = VertexId>| list.map(Element::Vertex).collect();

    let non_finite = elements(&mut ids().filter(|v| !at(v).is_finite()));
    found.add(ProblemKind::NonFinite, non_finite);

    let extreme = extreme_vertices(positions).into_iter().map(Element::Vertex).collect();
    found.add(ProblemKind::ExtremeCoordinates, extreme);

    let firsts = weld::first_copies(positions);
    let duplicates = elements(&mut ids().filter(|v| firsts[v.index()] != *v));
    found.add(ProblemKind::DuplicateVertices, duplicates);

    let mut used = vec![false; positions.len()];
    for vertex in cells.iter().flatten() {
        used[vertex.index()] = true;
    }
    let unused = elements(&mut ids().filter(|v| !used[v.index()]));
    found.add(ProblemKind::UnreferencedVertices, unused);
}
