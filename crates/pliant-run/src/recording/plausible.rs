//! Whether the counts and indices of a recording can be: it may come from anywhere.

use super::{Header, MOST_RATIO, VERTEX, carried};

/// Most vertices that frames in a file of so many bytes can have.
pub(super) fn most_vertices(size: u64) -> u64 {
    size.saturating_mul(MOST_RATIO) / VERTEX as u64
}

/// The first count or index of a header that points beyond what there is.
pub(super) fn what_is_wrong(header: &Header) -> Option<String> {
    let (count, mut before) = (header.vertices, 0);
    let with_fine = count.saturating_add(header.info.carried_vertices());
    for (index, body) in header.info.bodies.iter().enumerate() {
        let (start, end) = (body.vertices.start, body.vertices.end);
        if start > end || end > count {
            return Some(format!("body {index} has vertices {start} to {end} of {count}"));
        }
        if start < before {
            return Some(format!("body {index} begins at vertex {start}, before {before}"));
        }
        before = end;
        let triangles = body.triangles.iter().flatten();
        let named = triangles.chain(body.rings.iter().flatten()).chain(body.edges.iter().flatten());
        if let Some(vertex) = named.into_iter().find(|vertex| **vertex as usize >= with_fine) {
            return Some(format!("body {index} names vertex {vertex} of {with_fine}"));
        }
    }
    let named = header.info.recorded.tets.iter().flatten();
    if let Some(vertex) = named.into_iter().find(|vertex| **vertex as usize >= count) {
        return Some(format!("a tet names vertex {vertex} of {count}"));
    }
    for (index, mesh) in header.info.obstacles.iter().enumerate() {
        let count = mesh.positions.len();
        let named = mesh.triangles.iter().flatten();
        if let Some(vertex) = named.into_iter().find(|vertex| **vertex as usize >= count) {
            return Some(format!("obstacle {index} names vertex {vertex} of {count}"));
        }
    }
    carried::what_is_wrong(&header.info)
}
