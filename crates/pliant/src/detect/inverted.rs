//! Which tets are inside out now.

use crate::body::Bodies;
use crate::id::TetId;
use crate::math::{Vec3, orient3d, tet_volume};

/// Rounding of six times a tet's volume, relative to the cube of its largest edge coordinate.
const ROUNDING: f64 = 6.0 * 8e-16;

/// Adds every tet with negative volume, exactly; ascending.
///
/// Touches every tet of the scene. An engine that knows the answer from its forces
/// hands it in instead.
pub fn inverted(positions: &[Vec3], bodies: &Bodies, found: &mut Vec<TetId>) {
    found.clear();
    for (index, tet) in bodies.tets().iter().enumerate() {
        let corners = tet.map(|v| positions[v.index()]);
        let [v0, v1, v2, v3] = corners;
        let (a, b, c) = ((v1 - v0).abs(), (v2 - v0).abs(), (v3 - v0).abs());
        let size = a.max(b).max(c).max_element();
        let volume = 6.0 * tet_volume(corners);
        let negative = volume < 0.0;
        let sure = volume.abs() > ROUNDING * size * size * size;
        if negative && sure || !sure && orient3d(v0, v1, v2, v3) < 0.0 {
            found.push(TetId(index as u32));
        }
    }
}
