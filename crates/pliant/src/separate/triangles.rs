//! The nearest points of two triangles that do not cross.
//!
//! Of two triangles apart, either a corner of one is nearest to the other, or two edges are nearest
//! to each other between their ends. So six corners and nine pairs of edges are all there is.

use crate::math::Vec3;
use crate::mesh::closest::{closest_point, closest_weights};

/// Square of the sine of the angle between edges below which they count as parallel: a corner
/// is then as near.
const PARALLEL: f64 = 1e-14;

/// Where two triangles are nearest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearest {
    /// m².
    pub distance_sq: f64,
    /// Point of the first, m.
    pub on_a: Vec3,
    /// Point of the second, m.
    pub on_b: Vec3,
}

impl Nearest {
    /// From the second to the first; `None` where they touch.
    pub(crate) fn normal(&self) -> Option<Vec3> {
        (self.on_a - self.on_b).try_normalize()
    }

    /// Weights of the corners of both triangles at these points.
    pub(crate) fn weights(&self, a: [Vec3; 3], b: [Vec3; 3]) -> [[f64; 3]; 2] {
        [closest_weights(self.on_a, a), closest_weights(self.on_b, b)]
    }
}

/// The nearest points of two triangles that share none; up to rounding.
pub(crate) fn nearest(a: [Vec3; 3], b: [Vec3; 3]) -> Nearest {
    let mut best = Nearest { distance_sq: f64::INFINITY, on_a: a[0], on_b: b[0] };
    let mut offer = |on_a: Vec3, on_b: Vec3| {
        let distance_sq = on_a.distance_squared(on_b);
        if distance_sq < best.distance_sq {
            best = Nearest { distance_sq, on_a, on_b };
        }
    };
    for corner in a {
        offer(corner, closest_point(corner, b));
    }
    for corner in b {
        offer(closest_point(corner, a), corner);
    }
    for i in 0..3 {
        for j in 0..3 {
            if let Some([p, q]) = between([a[i], a[(i + 1) % 3]], [b[j], b[(j + 1) % 3]]) {
                offer(p, q);
            }
        }
    }
    best
}

/// The nearest points of two segments, if they are between their ends.
fn between([p, p_end]: [Vec3; 2], [q, q_end]: [Vec3; 2]) -> Option<[Vec3; 2]> {
    let (u, v, w) = (p_end - p, q_end - q, p - q);
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let (uw, vw) = (u.dot(w), v.dot(w));
    let determinant = uu * vv - uv * uv;
    if determinant <= PARALLEL * uu * vv {
        return None;
    }
    let (s, t) = ((uv * vw - vv * uw) / determinant, (uu * vw - uv * uw) / determinant);
    let within = |share: f64| share > 0.0 && share < 1.0;
    (within(s) && within(t)).then(|| [p + s * u, q + t * v])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    #[test]
    fn points_of_a_fine_grid_are_never_nearer_and_some_are_almost_as_near() {
        let mut random = Random::new(3);
        const STEPS: usize = 24;
        for _ in 0..200 {
            let mut triangle = |at: Vec3| [(); 3].map(|()| at + random.vec3());
            let (a, b) = (triangle(Vec3::ZERO), triangle(Vec3::new(2.1, 0.3, 0.1)));
            let found = nearest(a, b).distance_sq.sqrt();
            let points = |t: [Vec3; 3]| {
                let mut points = Vec::new();
                for i in 0..=STEPS {
                    for j in 0..=STEPS - i {
                        let [u, v] = [i, j].map(|k| k as f64 / STEPS as f64);
                        points.push(t[0] + u * (t[1] - t[0]) + v * (t[2] - t[0]));
                    }
                }
                points
            };
            let (pa, pb) = (points(a), points(b));
            let sampled = pa.iter().flat_map(|p| pb.iter().map(|q| p.distance(*q)));
            let sampled = sampled.fold(f64::INFINITY, f64::min);
            assert!(found <= sampled + 1e-12, "{found} {sampled}");
            // A grid point is within a third of its step of any point, on either triangle.
            assert!(sampled <= found + 2.0 * 3.5 / STEPS as f64, "{found} {sampled}");
        }
    }

    #[test]
    fn crossed_edges_are_nearest_between_their_ends() {
        let a = [Vec3::new(-1.0, 0.0, 1.0), Vec3::new(1.0, 0.0, 1.0), Vec3::new(0.0, 0.0, 3.0)];
        let b = [Vec3::new(0.0, -1.0, 0.0), Vec3::new(0.0, 1.0, 0.0), Vec3::new(0.0, 0.0, -3.0)];
        let found = nearest(a, b);
        assert_eq!((found.distance_sq, found.on_a, found.on_b), (1.0, Vec3::Z, Vec3::ZERO));
        assert_eq!(found.normal(), Some(Vec3::Z));
        assert_eq!(found.weights(a, b), [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]]);
    }
}
