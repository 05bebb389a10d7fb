//! Bodies without triangles, as a bead for each vertex and a rod for each edge.

use pliant::math::Vec3;
use pliant::mesh::generate::ball::ball;
use pliant::mesh::tet::TetMesh;

use super::model::{Paint, Triangle};

/// Radius of a bead over the diagonal of all bodies.
const SIZE: f64 = 0.012;

/// Radius where all bodies are one point, m.
const LONE: f64 = 0.05;

/// Most beads of a body; of more vertices some are left out.
pub const MOST: usize = 10_000;

/// Most spheres, and most rods, of all bodies; of more the rest is left out.
pub const MOST_OF_ALL: usize = 40_000;

/// Radius of a rod over that of a bead.
const THIN: f64 = 0.3;

/// Sides of a rod.
const SIDES: usize = 8;

/// Layers of the mesh of a bead: 80 triangles.
const LAYERS: u32 = 2;

/// Every how many vertices there is a bead, so that there are not more than [`MOST`].
pub fn stride(vertex_count: usize) -> usize {
    vertex_count.div_ceil(MOST).max(1)
}

/// Small balls around points, in a scene of the given diagonal, m.
pub fn spheres(middles: &[Vec3], diagonal: f64, paint: Paint) -> Vec<Triangle> {
    let radius = radius(diagonal);
    let Some(ball) = ball(1.0, LAYERS).ok().and_then(|raw| TetMesh::from_raw(raw).ok()) else {
        return Vec::new(); // a ball of radius 1 m is always made
    };
    let (corners, faces) = (ball.0.positions(), ball.0.surface());
    let around = |&middle: &Vec3| {
        faces.iter().map(move |face| {
            let normals = face.map(|v| corners[v.0 as usize]);
            Triangle { corners: normals.map(|n| middle + radius * n), normals, paint }
        })
    };
    middles.iter().flat_map(around).collect()
}

/// Thin rods between points, in a scene of the given diagonal, m; none between equal points.
pub fn rods(ends: &[[Vec3; 2]], diagonal: f64, paint: Paint) -> Vec<Triangle> {
    let radius = THIN * radius(diagonal);
    let mut triangles = Vec::new();
    for &[a, b] in ends {
        let Some(along) = (b - a).try_normalize() else { continue };
        let across = along.any_orthonormal_vector();
        let other = along.cross(across);
        let around = |side: usize| {
            let angle = std::f64::consts::TAU * (side % SIDES) as f64 / SIDES as f64;
            libm::cos(angle) * across + libm::sin(angle) * other
        };
        for side in 0..SIDES {
            let [n, m] = [around(side), around(side + 1)];
            let [an, am, bn, bm] = [a + radius * n, a + radius * m, b + radius * n, b + radius * m];
            let halves = [([an, am, bm], [n, m, m]), ([an, bm, bn], [n, m, n])];
            triangles.extend(halves.map(|(corners, normals)| Triangle { corners, normals, paint }));
        }
    }
    triangles
}

/// Radius of a bead in a scene of the given diagonal, m.
fn radius(diagonal: f64) -> f64 {
    if diagonal > 0.0 { SIZE * diagonal } else { LONE }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Corners are one rounding away from the unit ball.
    const TOLERANCE: f64 = 1e-12;

    #[test]
    fn a_bead_is_a_closed_ball_of_its_radius() {
        let middle = Vec3::new(1.0, 2.0, 3.0);
        let made = spheres(&[middle], 10.0, Paint::Body(0));
        assert_eq!(made.len(), 80);
        for Triangle { corners, normals, .. } in made {
            for (corner, normal) in corners.into_iter().zip(normals) {
                assert!(((corner - middle).length() - 0.12).abs() < TOLERANCE);
                assert!(normal.is_normalized());
            }
            // Outward: the triangle's own side is the one its normals point to.
            assert!(super::super::normals::area(corners).dot(normals[0]) > 0.0);
        }
        assert_eq!(spheres(&[middle; 3], 0.0, Paint::Body(0)).len(), 240);
    }

    #[test]
    fn a_rod_is_round_and_as_long_as_its_edge() {
        let [a, b] = [Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 2.0, 5.0)];
        let made = rods(&[[a, b], [a, a]], 10.0, Paint::Body(0));
        assert_eq!(made.len(), 16); // eight sides of two, and nothing for the edge without length
        for Triangle { corners, normals, .. } in made {
            for (corner, normal) in corners.into_iter().zip(normals) {
                let from_axis = corner - Vec3::new(1.0, 2.0, corner.z);
                assert!((from_axis - 0.3 * 0.12 * normal).length() < TOLERANCE);
                assert!([3.0, 5.0].contains(&corner.z), "{corner}");
            }
            assert!(super::super::normals::area(corners).dot(normals[0]) > 0.0);
        }
    }

    #[test]
    fn many_vertices_are_thinned() {
        assert_eq!([0, 1, MOST, MOST + 1, 5 * MOST].map(stride), [1, 1, 1, 2, 5]);
    }
}
