//! A solid sphere in layers.
//!
//! Each of the 20 tets of an icosahedron is cut along planes parallel to its faces;
//! the points of a layer then move along their rays onto a sphere of their own.
//! Only roots and quotients are taken, so that the mesh is bitwise reproducible.

use crate::id::VertexId;
use crate::math::Vec3;
use crate::mesh::generate::icosahedron::{CORNERS, FACES};
use crate::mesh::generate::{GenerateError, check_count, check_length, finish, room_for};
use crate::mesh::raw::RawMesh;

/// A diagonal is taken for shorter only by more than this part of its square.
///
/// Diagonals that are equal but for rounding then fall the same way everywhere.
const CLEARLY_SHORTER: f64 = 1e-9;

/// A ball of `layers` shells with 20 · `layers`³ tets, `radius` in m.
///
/// Vertex 0 is the middle; shell by shell follow 10 s² + 2 vertices. The outermost
/// lie on the sphere, and the volume is second order in 1 / `layers`. Dihedral angles
/// are at least 36°: 44.7° for 2 layers, 38.8° for 10, 36.03° for 188, the most allowed.
pub fn ball(radius: f64, layers: u32) -> Result<RawMesh, GenerateError> {
    check_length("the radius of the ball", radius)?;
    check_count("layers of the ball", layers, 1)?;
    let mut tets = room_for(&[20, layers, layers, layers].map(u64::from))?;

    let shells = Shells::new();
    let mut positions = vec![Vec3::ZERO; Shells::before(layers + 1) as usize];
    for face in 0..FACES.len() {
        for weights in up_to(layers).filter(|w| *w != [0; 3]) {
            let spoke = Shells::spoke(face, weights);
            let shell = radius * f64::from(weights.iter().sum::<u32>()) / f64::from(layers);
            positions[shells.vertex(face, weights).index()] = spoke * (shell / spoke.length());
        }
    }
    for face in 0..FACES.len() {
        cut_face(layers, |weights| shells.vertex(face, weights), &positions, &mut tets);
    }
    finish(positions, tets)
}

/// Numbering of the points that cut the tets below the faces.
///
/// A point below a face is named by the weights of the face's corners; their sum is
/// its shell. A shell holds its corners, then its edges' points, then its faces'.
struct Shells {
    /// The 30 edges, lower corner first, ascending.
    edges: Vec<[usize; 2]>,
}

impl Shells {
    fn new() -> Shells {
        let ascending = |[a, b, c]: [usize; 3]| [[a, b], [b, c], [c, a]].map(sorted);
        let mut edges: Vec<[usize; 2]> = FACES.into_iter().flat_map(ascending).collect();
        edges.sort_unstable();
        edges.dedup();
        Shells { edges }
    }

    /// Vertices in the middle and in the shells below `shell`, at least 1.
    fn before(shell: u32) -> u32 {
        // 1 + Σ (10 s² + 2) for s from 1 to shell − 1.
        let below = shell - 1;
        1 + 10 * below * (below + 1) * (2 * below + 1) / 6 + 2 * below
    }

    /// A vector from the middle towards a point; of any length but zero.
    fn spoke(face: usize, weights: [u32; 3]) -> Vec3 {
        let [a, b, c] = FACES[face].map(|corner| CORNERS[corner]);
        let [wa, wb, wc] = weights.map(f64::from);
        wa * a + wb * b + wc * c
    }

    /// The vertex at a point; the same from every face that holds it.
    fn vertex(&self, face: usize, weights: [u32; 3]) -> VertexId {
        let shell: u32 = weights.iter().sum();
        if shell == 0 {
            return VertexId(0);
        }
        let corners = FACES[face].into_iter().zip(weights);
        let mut between = corners.filter(|&(_, weight)| weight > 0);
        let place = match (between.next(), between.next(), between.next()) {
            (Some((corner, _)), None, _) => corner as u32,
            (Some(a), Some(b), None) => {
                let (low, high) = if a.0 < b.0 { (a, b) } else { (b, a) };
                let edge = self.edges.partition_point(|&e| e < [low.0, high.0]) as u32;
                12 + edge * (shell - 1) + (high.1 - 1)
            }
            _ => {
                // Rows of equal second and third weight together: 1 point, 2 points, …
                let row = weights[1] + weights[2] - 2;
                let inner = (shell - 1) * (shell - 2) / 2;
                12 + 30 * (shell - 1) + face as u32 * inner + row * (row + 1) / 2 + weights[1] - 1
            }
        };
        VertexId(Shells::before(shell) + place)
    }
}

/// The two ends of an edge, lower number first.
fn sorted(mut edge: [usize; 2]) -> [usize; 2] {
    edge.sort_unstable();
    edge
}

/// All weights with a sum of at most `most`.
fn up_to(most: u32) -> impl Iterator<Item = [u32; 3]> {
    let rest = move |i: u32| (0..=most - i).map(move |j| (i, j));
    (0..=most).flat_map(rest).flat_map(move |(i, j)| (0..=most - i - j).map(move |k| [i, j, k]))
}

/// Cuts the tet below one face into `layers`³: tets upright, octahedra, tets upside down.
fn cut_face(
    layers: u32,
    vertex_at: impl Fn([u32; 3]) -> VertexId,
    positions: &[Vec3],
    tets: &mut Vec<[VertexId; 4]>,
) {
    for [i, j, k] in up_to(layers - 1) {
        let at = |[di, dj, dk]: [u32; 3]| vertex_at([i + di, j + dj, k + dk]);
        let near = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(at);
        tets.push([at([0, 0, 0]), near[0], near[1], near[2]]);
        let shells_left = layers - (i + j + k);
        if shells_left >= 2 {
            let far = [[0, 1, 1], [1, 0, 1], [1, 1, 0]].map(at);
            tets.extend(cut_octahedron(near, far, positions));
            if shells_left >= 3 {
                tets.push([at([1, 1, 1]), far[1], far[0], far[2]]);
            }
        }
    }
}

/// Cuts an octahedron around the shortest of its diagonals `near[d]` to `far[d]`.
///
/// The diagonal lies inside, so that neighbours need not know which it is. The shortest
/// keeps dihedral angles below 119°; the longest lets them reach 130°.
fn cut_octahedron(
    near: [VertexId; 3],
    far: [VertexId; 3],
    positions: &[Vec3],
) -> [[VertexId; 4]; 4] {
    let length_sq =
        |d: usize| positions[near[d].index()].distance_squared(positions[far[d].index()]);
    let mut best = 0;
    for d in 1..3 {
        if length_sq(d) < (1.0 - CLEARLY_SHORTER) * length_sq(best) {
            best = d;
        }
    }
    let (b, c) = ((best + 1) % 3, (best + 2) % 3);
    let around = [near[b], near[c], far[b], far[c]];
    [0, 1, 2, 3].map(|n| [near[best], far[best], around[n], around[(n + 1) % 4]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::tet_volume;
    use crate::mesh::generate::icosahedron::icosahedron;
    use crate::mesh::generate::tests::{
        BALL_LIKE, SECOND_ORDER, check_angle_at_least, check_close, measure, slope,
    };

    /// Two roundings of a coordinate below 4 m, m.
    const TOLERANCE: f64 = 4.0 * f64::EPSILON;

    #[track_caller]
    fn check(layers: u32, vertices: usize, tets: usize) {
        let mesh = ball(2.0, layers).unwrap();
        assert_eq!((mesh.positions.len(), mesh.tets.len()), (vertices, tets));
        assert_eq!(measure(&mesh).euler, BALL_LIKE);
    }

    #[test]
    fn shells_are_counted_by_hand() {
        // Shells of 12, 42, 92, 162, 252 vertices around the middle.
        check(1, 1 + 12, 20);
        check(2, 1 + 12 + 42, 20 * 8);
        check(3, 1 + 12 + 42 + 92, 20 * 27);
        check(5, 1 + 12 + 42 + 92 + 162 + 252, 20 * 125);
    }

    #[test]
    fn one_layer_is_the_icosahedron() {
        let (coarse, plain) = (ball(3.0, 1).unwrap(), icosahedron(3.0).unwrap());
        assert_eq!(coarse.tets, plain.tets);
        for (a, b) in coarse.positions.iter().zip(&plain.positions) {
            assert!(a.abs_diff_eq(*b, TOLERANCE), "{a} {b}");
        }
    }

    #[test]
    fn the_outermost_shell_lies_on_the_sphere() {
        let mesh = ball(0.7, 4).unwrap();
        for p in &mesh.positions[mesh.positions.len() - 162..] {
            check_close(p.length(), 0.7);
        }
    }

    #[test]
    fn the_volume_converges_at_second_order() {
        let whole = 4.0 / 3.0 * std::f64::consts::PI;
        let error = |layers| whole - measure(&ball(1.0, layers).unwrap()).volume;
        assert!(SECOND_ORDER.contains(&slope(error(4), error(8))));
    }

    #[test]
    fn every_resolution_has_the_angle_stated() {
        let angle = |layers| measure(&ball(1.0, layers).unwrap()).min_dihedral;
        check_angle_at_least(angle(2), 44.7);
        check_angle_at_least(angle(10), 38.8);
        for layers in 1..=12 {
            let measured = measure(&ball(1.0, layers).unwrap());
            check_angle_at_least(measured.min_dihedral, 36.0);
            assert!(measured.max_dihedral.to_degrees() < 119.0);
        }
    }

    #[test]
    fn an_octahedron_is_cut_around_its_shortest_diagonal() {
        // Half diagonals along x, y, z; the first of equal ones is taken.
        for (halves, shortest) in [([3.0, 2.0, 1.0], 2), ([2.0, 1.0, 3.0], 1), ([1.0; 3], 0)] {
            let near = [0, 1, 2].map(|axis| halves[axis] * Vec3::AXES[axis]);
            let positions = [near, near.map(|p| -p)].concat();
            let tets = cut_octahedron([0, 1, 2].map(VertexId), [3, 4, 5].map(VertexId), &positions);
            for tet in tets {
                assert_eq!(tet[..2], [shortest, shortest + 3].map(VertexId), "{halves:?}");
                // Each holds a quarter of 4/3 · the product of the halves.
                let quarter = halves[0] * halves[1] * halves[2] / 3.0;
                check_close(tet_volume(tet.map(|v| positions[v.index()])).abs(), quarter);
            }
        }
    }

    #[test]
    fn faults_name_the_argument() {
        assert_eq!(
            ball(1.0, 0).unwrap_err().to_string(),
            "layers of the ball: 0 asked for, at least 1 needed"
        );
        // 20 · 189³ is the first product above 2²⁷.
        assert_eq!(ball(1.0, 189), Err(GenerateError::TooMany { tets: 135_025_380 }));
        assert!(ball(1.0, u32::MAX).is_err());
        for radius in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-120, 1e300] {
            assert!(ball(radius, 2).is_err(), "{radius}");
        }
    }
}
