//! Normals at the corners of triangles: smooth, but not across creases.

use pliant::math::Vec3;

/// Cosine of the largest angle between triangles that are shaded as one surface: 40°.
const CREASE: f64 = 0.766;

/// Triangles around a vertex that are looked at: of the tip of a finer cone, the first.
const MOST_AROUND: usize = 256;

/// Unit normals at the corners of each triangle.
///
/// At each corner, triangles around the vertex count by area if they lean less than the
/// crease against the triangle itself. Triangles without area get normals of zero; corners
/// must lie within `positions`.
pub fn corner_normals(positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<[Vec3; 3]> {
    let areas: Vec<Vec3> =
        triangles.iter().map(|t| area(t.map(|v| positions[v as usize]))).collect();
    let flat: Vec<Vec3> =
        areas.iter().map(|area| area.try_normalize().unwrap_or(Vec3::ZERO)).collect();
    let around = Around::new(positions.len(), triangles);
    let corner = |own: usize, vertex: u32| {
        let near = around.of(vertex).iter().take(MOST_AROUND).map(|&other| other as usize);
        let alike = near.filter(|&other| flat[other].dot(flat[own]) > CREASE);
        let sum = alike.map(|other| areas[other]).sum::<Vec3>();
        sum.try_normalize().unwrap_or(flat[own])
    };
    triangles.iter().enumerate().map(|(own, t)| t.map(|vertex| corner(own, vertex))).collect()
}

/// Twice the area of a triangle along its normal, m².
pub fn area([v0, v1, v2]: [Vec3; 3]) -> Vec3 {
    (v1 - v0).cross(v2 - v0)
}

/// Triangles around each vertex, in order.
struct Around {
    starts: Vec<u32>,
    triangles: Vec<u32>,
}

impl Around {
    fn new(vertex_count: usize, triangles: &[[u32; 3]]) -> Around {
        let mut starts = vec![0; vertex_count + 1];
        for vertex in triangles.iter().flatten() {
            starts[*vertex as usize + 1] += 1;
        }
        for vertex in 0..vertex_count {
            starts[vertex + 1] += starts[vertex];
        }
        let mut next = starts.clone();
        let mut list = vec![0; 3 * triangles.len()];
        for (index, triangle) in triangles.iter().enumerate() {
            for vertex in triangle {
                let place = &mut next[*vertex as usize];
                list[*place as usize] = index as u32;
                *place += 1;
            }
        }
        Around { starts, triangles: list }
    }

    fn of(&self, vertex: u32) -> &[u32] {
        let vertex = vertex as usize;
        &self.triangles[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums of two unit vectors: rounding stays near 1e-16.
    const TOLERANCE: f64 = 1e-12;

    /// Two right triangles over one edge, the second leaning by `slope` metres per metre.
    fn roof(slope: f64) -> Vec<[Vec3; 3]> {
        let positions = [Vec3::ZERO, Vec3::Y, -Vec3::X, Vec3::new(1.0, 0.0, -slope)];
        corner_normals(&positions, &[[0, 1, 2], [1, 0, 3]])
    }

    #[test]
    fn a_shallow_edge_is_smooth_and_a_sharp_one_is_not() {
        let shared = Vec3::new(0.5, 0.0, 2.0).normalize(); // (0, 0, 1) + (0.5, 0, 1), equal bases
        let [flat, leaning] = roof(0.5)[..] else { panic!("two triangles") };
        assert!(flat[0].abs_diff_eq(shared, TOLERANCE), "{}", flat[0]);
        assert!(leaning[0].abs_diff_eq(shared, TOLERANCE));
        assert_eq!(flat[2], Vec3::Z);
        assert_eq!(roof(1.0)[0], [Vec3::Z; 3]); // 45° is a crease
    }

    #[test]
    fn very_many_triangles_around_one_vertex_take_no_time() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let normals = corner_normals(&positions, &vec![[0, 1, 2]; 300_000]);
        assert!(normals.iter().all(|normals| *normals == [Vec3::Z; 3]));
    }

    #[test]
    fn a_triangle_without_area_has_no_normal_and_spoils_none() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let normals = corner_normals(&positions, &[[0, 1, 1], [0, 1, 2]]);
        assert_eq!(normals, [[Vec3::ZERO; 3], [Vec3::Z; 3]]);
    }
}
