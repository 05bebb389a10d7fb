//! Points carried by tets: a fine surface on a coarse mesh.
//!
//! A point belongs to the tet that holds it, or to the nearest one, and is the weighted sum of its
//! corners. Where the tets move by an affine map, carried points do so too, also outside of them.
//!
//! | here      | formula   | meaning                                                |
//! |-----------|-----------|--------------------------------------------------------|
//! | `weights` | b₀ … b₃   | p = Σ bₖ xₖ, Σ bₖ = 1; negative where p is outside      |

use crate::id::{VertexId, at};
use crate::math::{Aabb, Vec3, tet_volume};
use crate::mesh::bvh::Bvh;
use crate::mesh::closest::closest_point;
use crate::mesh::tet::TetMesh;
use crate::par;

/// Parts into which work is divided; the result does not depend on it.
const CHUNKS: usize = 64;

/// Faces of a tet, each without the corner of its index.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];

/// Points in terms of the vertices of tets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedding {
    /// Corners of the tet that carries each point.
    pub carriers: Vec<[VertexId; 4]>,
    /// Their weights; the sum is 1.
    pub weights: Vec<[f64; 4]>,
    /// Largest distance of a point to the tets, m; 0 where they hold all points.
    pub farthest: f64,
}

/// A point on its way to a tet.
#[derive(Clone, Copy, Default)]
struct Carried {
    tet: usize,
    distance_sq: f64,
    weights: [f64; 4],
}

/// Finds the tet that carries each point, the first of several at the same distance.
///
/// A point that is not finite is put into the middle of the first tet. The same bits for any number
/// of threads.
pub fn embed(mesh: &TetMesh, points: &[Vec3]) -> Embedding {
    let corners = |tet: usize| mesh.tets()[tet].map(|v| at(mesh.positions(), v));
    let boxes: Vec<Aabb> = (0..mesh.tets().len()).map(|tet| Aabb::around(corners(tet))).collect();
    let tree = Bvh::new(&boxes);
    let mut found: Vec<Carried> = vec![Carried::default(); points.len()];
    let offsets = par::even_offsets(points.len(), CHUNKS);
    par::chunks(&mut found, &offsets, |number, chunk| {
        let own = &points[offsets[number]..offsets[number + 1]];
        for (carried, point) in chunk.iter_mut().zip(own) {
            *carried = carry(*point, &tree, corners);
        }
    });
    let nobody = [VertexId(0); 4];
    let carrier = |carried: &Carried| mesh.tets().get(carried.tet).copied().unwrap_or(nobody);
    Embedding {
        carriers: found.iter().map(carrier).collect(),
        weights: found.iter().map(|carried| carried.weights).collect(),
        farthest: found.iter().fold(0.0, |most: f64, carried| most.max(carried.distance_sq)).sqrt(),
    }
}

/// The nearest tet of one point.
fn carry(point: Vec3, tree: &Bvh, corners: impl Fn(usize) -> [Vec3; 4]) -> Carried {
    let middle = Carried { tet: 0, distance_sq: 0.0, weights: [0.25; 4] };
    if !point.is_finite() {
        return middle;
    }
    let mut best: Option<Carried> = None;
    tree.near(point, f64::INFINITY, |item| {
        let tet = item as usize;
        let own = corners(tet);
        let weights = barycentric(point, own);
        let distance_sq = distance_sq(point, own, weights);
        let is_nearer = best.is_none_or(|best| (distance_sq, tet) < (best.distance_sq, best.tet));
        if is_nearer && weights.iter().all(|weight| weight.is_finite()) {
            best = Some(Carried { tet, distance_sq, weights });
        }
        best.map_or(f64::INFINITY, |best| best.distance_sq)
    });
    best.unwrap_or(middle)
}

/// Weights of the corners of a tet that make a point; not finite where it has no volume.
pub(crate) fn barycentric(point: Vec3, corners: [Vec3; 4]) -> [f64; 4] {
    let whole = tet_volume(corners);
    let [_, b, c, d] = [0, 1, 2, 3].map(|k| {
        let mut replaced = corners;
        replaced[k] = point;
        tet_volume(replaced) / whole
    });
    [1.0 - b - c - d, b, c, d]
}

/// Square of the distance of a point to a tet, m²; 0 inside.
fn distance_sq(point: Vec3, corners: [Vec3; 4], weights: [f64; 4]) -> f64 {
    if weights.iter().all(|weight| *weight >= 0.0) {
        return 0.0;
    }
    let to_face = |face: [usize; 3]| {
        closest_point(point, face.map(|corner| corners[corner])).distance_squared(point)
    };
    FACES.into_iter().map(to_face).fold(f64::INFINITY, f64::min)
}

impl Embedding {
    /// Where the points are when the vertices are at `positions`, m; NaN where one is lacking.
    pub fn place(&self, positions: &[Vec3]) -> Vec<Vec3> {
        let place = |(carriers, weights): (&[VertexId; 4], &[f64; 4])| {
            carriers.iter().zip(weights).map(|(v, weight)| *weight * at(positions, *v)).sum()
        };
        self.carriers.iter().zip(&self.weights).map(place).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;
    use crate::math::{Mat3, Quat};
    use crate::mesh::generate::ball::ball;

    /// Sums of a few terms of size 1.
    const ROUNDING: f64 = 1e-12;

    fn mesh() -> TetMesh {
        TetMesh::from_raw(ball(1.0, 3).unwrap()).unwrap().0
    }

    /// Points within and around a ball of radius 1.
    fn points() -> Vec<Vec3> {
        let mut random = Random::new(5);
        (0..300).map(|_| 1.5 * (2.0 * random.vec3() - Vec3::ONE)).collect()
    }

    #[test]
    fn points_are_the_sums_of_their_carriers() {
        let (mesh, points) = (mesh(), points());
        let found = embed(&mesh, &points).place(mesh.positions());
        assert!(found.iter().zip(&points).all(|(a, b)| a.distance(*b) < ROUNDING));
    }

    #[test]
    fn an_affine_map_carries_points_inside_and_outside() {
        let (mesh, points) = (mesh(), points());
        let map = |p: Vec3| {
            Mat3::from_quat(Quat::from_rotation_y(0.7)) * Vec3::new(2.0 * p.x, p.y + p.x, 0.5 * p.z)
                + Vec3::new(3.0, -1.0, 2.0)
        };
        let moved: Vec<Vec3> = mesh.positions().iter().map(|p| map(*p)).collect();
        let found = embed(&mesh, &points).place(&moved);
        assert!(found.iter().zip(&points).all(|(a, b)| a.distance(map(*b)) < 1e2 * ROUNDING));
    }

    /// All tets for every point, in order.
    #[test]
    fn the_tree_finds_what_all_tets_give() {
        let (mesh, points) = (mesh(), points());
        let corners = |tet: usize| mesh.tets()[tet].map(|v| at(mesh.positions(), v));
        let found = embed(&mesh, &points);
        let mut farthest: f64 = 0.0;
        for (point, carrier) in points.iter().zip(&found.carriers) {
            let of =
                |tet: usize| distance_sq(*point, corners(tet), barycentric(*point, corners(tet)));
            let mut best = (f64::INFINITY, 0);
            for tet in 0..mesh.tets().len() {
                if of(tet) < best.0 {
                    best = (of(tet), tet);
                }
            }
            assert_eq!(*carrier, mesh.tets()[best.1], "{point}");
            farthest = farthest.max(best.0.sqrt());
        }
        assert_eq!(found.farthest, farthest);
        assert!(farthest > 0.5);
    }

    #[test]
    fn points_that_are_lost_have_a_place() {
        let mesh = mesh();
        let found = embed(&mesh, &[Vec3::NAN, Vec3::splat(f64::INFINITY), Vec3::ZERO]);
        assert_eq!(found.weights[..2], [[0.25; 4]; 2]);
        assert_eq!(found.farthest, 0.0);
        assert!(found.place(&[]).iter().all(|place| place.is_nan()));
        assert_eq!(embed(&mesh, &[]), Embedding::default());
    }
}
