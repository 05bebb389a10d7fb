//! Damaged copies of a file, for tests that a reader survives them.

use crate::mesh::parse::Parsed;
use pliant::mesh::raw::RawMesh;

/// Reads every prefix of a good file and every copy in which one byte differs.
///
/// None may panic; where a mesh comes of one, its indices exist and each tet has a region.
#[track_caller]
pub fn check_damaged(file: &[u8], mut parse: impl FnMut(&[u8]) -> Parsed<RawMesh>) {
    assert!(parse(file).is_ok());
    for length in 0..file.len() {
        check(parse(&file[..length]), &file[..length]);
    }
    let mut copy = file.to_vec();
    for at in 0..file.len() {
        for flip in 1..=u8::MAX {
            copy[at] = file[at] ^ flip;
            check(parse(&copy), &copy);
        }
        copy[at] = file[at];
    }
}

#[track_caller]
fn check(parsed: Parsed<RawMesh>, file: &[u8]) {
    let Ok(mesh) = parsed else { return };
    let corners = mesh.tets.as_flattened().iter().chain(mesh.triangles.as_flattened());
    let exist = |count: usize| corners.into_iter().all(|vertex| vertex.index() < count);
    assert!(exist(mesh.positions.len()), "{}", String::from_utf8_lossy(file));
    assert_eq!(mesh.tets.len(), mesh.regions.len(), "{}", String::from_utf8_lossy(file));
}
