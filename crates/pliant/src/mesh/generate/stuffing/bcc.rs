//! The body-centred cubic lattice: points, edges and tets.
//!
//! Two cubic lattices of edge `size`, the points of one in the middles of the cells of the other.
//! Coordinates are whole numbers of half an edge: all three even in the first lattice, all odd in
//! the second. Long edges join neighbours of one lattice, short ones a point to the eight around
//! it in the other. All tets are congruent: two opposite long edges, four short ones, dihedral
//! angles of 60° and 90°.
//!
//! - Implements: [Labelle07 abstract], the lattice.

use crate::math::{Aabb, Vec3};

/// Layers around the box of the body, counted in edges: the outermost points are outside.
const MARGIN: f64 = 3.0;

/// A point of the lattice: coordinates in halves of an edge, all even or all odd.
pub(super) type Point = [i32; 3];

/// Steps from a point to its neighbours: six along long edges, eight along short ones.
pub(super) const STEPS: [Point; 14] = [
    [-2, 0, 0],
    [2, 0, 0],
    [0, -2, 0],
    [0, 2, 0],
    [0, 0, -2],
    [0, 0, 2],
    [-1, -1, -1],
    [1, -1, -1],
    [-1, 1, -1],
    [1, 1, -1],
    [-1, -1, 1],
    [1, -1, 1],
    [-1, 1, 1],
    [1, 1, 1],
];

/// Corners of a cell's face, counter-clockwise seen from the high end of its axis.
const RING: [[i32; 2]; 4] = [[-1, -1], [1, -1], [1, 1], [-1, 1]];

/// A lattice around a box, centred on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lattice {
    /// Length of the long edges, m.
    pub size: f64,
    /// Position of the point [0, 0, 0], m.
    origin: Vec3,
    /// Points along each axis, of either kind.
    counts: [u32; 3],
}

impl Lattice {
    /// A lattice whose outermost points of either kind lie outside the box.
    ///
    /// `None` when it would have more than `most` points.
    pub(super) fn around(bounds: Aabb, size: f64, most: f64) -> Option<Lattice> {
        let counts = (bounds.size() / size).floor() + MARGIN + 1.0;
        let within = 2.0 * counts.x * counts.y * counts.z <= most;
        if !within {
            return None;
        }
        let span = (2.0 * counts - 1.0) * (0.5 * size);
        let origin = bounds.min + 0.5 * (bounds.size() - span);
        Some(Lattice { size, origin, counts: counts.to_array().map(|count| count as u32) })
    }

    /// Points of both kinds.
    pub(super) fn len(&self) -> usize {
        2 * self.rows_of_kind() * self.counts[0] as usize
    }

    /// Points of a row along x; rows of the index are one after the other.
    pub(super) fn row_len(&self) -> usize {
        self.counts[0] as usize
    }

    fn rows_of_kind(&self) -> usize {
        self.counts[1] as usize * self.counts[2] as usize
    }

    /// Number of a point within the lattice; x runs fastest, the odd points come last.
    #[inline]
    pub(super) fn index(&self, point: Point) -> usize {
        let [x, y, z] = point.map(|c| (c >> 1) as usize);
        let [nx, ny, nz] = self.counts.map(|count| count as usize);
        let odd = (point[0] & 1) as usize;
        x + nx * (y + ny * (z + nz * odd))
    }

    /// The point with a number.
    pub(super) fn point(&self, index: usize) -> Point {
        let [nx, ny, nz] = self.counts.map(|count| count as usize);
        let odd = index / (nx * ny * nz);
        let (x, y, z) = (index % nx, index / nx % ny, index / (nx * ny) % nz);
        [x, y, z].map(|c| (2 * c + odd) as i32)
    }

    /// Where a point is, m.
    #[inline]
    pub(super) fn position(&self, point: Point) -> Vec3 {
        self.origin + Vec3::from(point.map(f64::from)) * (0.5 * self.size)
    }

    /// The neighbour of a point by one of [`STEPS`]; `None` beyond the lattice.
    #[inline]
    pub(super) fn neighbour(&self, point: Point, step: Point) -> Option<Point> {
        let found = [point[0] + step[0], point[1] + step[1], point[2] + step[2]];
        let within = (0..3).all(|k| found[k] >= 0 && found[k] < 2 * self.counts[k] as i32);
        within.then_some(found)
    }

    /// Calls `act` with the corners of every tet, positively oriented, in a fixed order.
    ///
    /// Each has one long edge between odd points, two centres of cells that share a face, and
    /// one between even points, an edge of that face. Tets with only outermost points are left out.
    pub(super) fn each_tet(&self, mut act: impl FnMut([Point; 4])) {
        let last = self.counts.map(|count| 2 * count as i32 - 3);
        let odd = |end: i32| (1..=end).step_by(2);
        for z in odd(last[2]) {
            for y in odd(last[1]) {
                for x in odd(last[0]) {
                    tets_above([x, y, z]).into_iter().for_each(&mut act);
                }
            }
        }
    }
}

/// The tets at the three long edges that go up from an odd point.
fn tets_above(low: Point) -> [[Point; 4]; 12] {
    std::array::from_fn(|number| {
        let (axis, side) = (number / 4, number % 4);
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let at = |along: i32, [across, up]: [i32; 2]| {
            let mut point = low;
            point[axis] += along;
            point[u] += across;
            point[v] += up;
            point
        };
        [low, at(2, [0, 0]), at(1, RING[side]), at(1, RING[(side + 1) % 4])]
    })
}

/// Whether an edge of the lattice is long: both ends of one kind.
#[inline]
pub(super) fn is_long(a: Point, b: Point) -> bool {
    (a[0] ^ b[0]) & 1 == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::tet_volume;

    fn lattice() -> Lattice {
        let bounds = Aabb { min: Vec3::ZERO, max: Vec3::new(1.0, 2.0, 0.5) };
        Lattice::around(bounds, 0.5, 1e6).unwrap()
    }

    #[test]
    fn numbers_and_points_agree() {
        let lattice = lattice();
        assert_eq!(lattice.counts, [6, 8, 5]); // 2, 4 and 1 edges, and 4 more
        for index in 0..lattice.len() {
            assert_eq!(lattice.index(lattice.point(index)), index);
        }
    }

    #[test]
    fn outermost_points_are_outside_the_box() {
        let lattice = lattice();
        let (low, high) = (lattice.position([1; 3]), lattice.position([10, 14, 8]));
        assert!(low.cmplt(Vec3::ZERO).all() && high.cmpgt(Vec3::new(1.0, 2.0, 0.5)).all());
    }

    #[test]
    fn tets_are_congruent_and_fill_the_cells() {
        let lattice = lattice();
        let mut count = 0;
        lattice.each_tet(|tet| {
            count += 1;
            let volume = tet_volume(tet.map(|point| lattice.position(point)));
            assert!((volume - 0.125 / 12.0).abs() < 1e-15, "{tet:?}: {volume}"); // 12 a cell
            let long = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
                .map(|[a, b]| is_long(tet[a], tet[b]));
            assert_eq!(long, [true, false, false, false, false, true]);
        });
        assert_eq!(count, 12 * 5 * 7 * 4);
    }

    #[test]
    fn every_edge_of_a_tet_is_a_step() {
        for tet in tets_above([5; 3]) {
            for (a, b) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
                let step: [i32; 3] = std::array::from_fn(|k| tet[b][k] - tet[a][k]);
                assert!(STEPS.contains(&step), "{step:?}");
            }
        }
    }

    #[test]
    fn too_many_points_are_refused() {
        let bounds = Aabb { min: Vec3::ZERO, max: Vec3::ONE };
        assert_eq!(Lattice::around(bounds, 1e-3, 1e6), None);
        assert_eq!(Lattice::around(bounds, 5e-324, 1e6), None);
    }
}
