//! Where the edges between inside and outside cross surfaces, by a uniform grid.
//!
//! The paper's stage 2: edges with one colliding and one free end are walked through the
//! cells of the grid, surface triangles are sorted into cells by a test of plane against
//! box, and where both are in one cell they are tested exactly.
//!
//! | here      | paper | meaning                                          |
//! |-----------|-------|--------------------------------------------------|
//! | `u`       |       | coordinates in cells                             |
//! | `Spoke`   |       | intersecting edge, of a border point to free end |
//! | `margin`  |       | by how much cells are taken larger, in cells     |
//!
//! No crossing is lost to rounding. Let U be the largest u. Coordinates in cells have an
//! error of at most 2 ε U, and a walk (`traverse`) computes each time t at which an axis
//! passes a cell wall from these alone, with an error of 3 ε U / |du| along that axis.
//! Times of one axis ascend as the walls do, so at every t the walk is in a cell of which,
//! along each axis, the edge is at most 5 ε U outside. A triangle is at most 2 ε U from
//! where its rounded corners put it. So every crossing lies in a triangle that meets a
//! cell of its edge, taken larger by 64 ε (U + 1) on all sides.
//!
//! - Implements: [Heidelberger04 §3.3]; [Amanatides87 §2], the walk through cells.
//! - Deviates: [Amanatides87 §2] adds up the times at which walls are passed, and with them
//!   their rounding; here each is computed from its wall.

use pliant::body::Bodies;
use pliant::detect::cells::{Block, Cells, Sorted, cell_at};
use pliant::detect::{Exit, Overlaps, Scope, edges};
use pliant::id::{BodyId, VertexId};
use pliant::math::{Aabb, Vec3};

/// By how much cells are taken larger, relative to the longest side of the scene in cells.
const MARGIN: f64 = 64.0 * f64::EPSILON;

/// Rounding of a plane's height over a point, relative to the sizes of triangle and way.
const PLANE_ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Most cells of one walk; longer edges are tested against all triangles.
const LONGEST_WALK: u32 = 1 << 12;

/// The exits of all edges between inside and outside.
#[derive(Clone, Debug, Default)]
pub struct Voxels {
    /// Sorted by edge, then by first body.
    exits: Vec<(Key, Option<Exit>)>,
}

/// A free vertex, an inner one, and the first of the bodies that are left.
type Key = (VertexId, VertexId, BodyId);

/// An edge from a free vertex to a colliding one.
struct Spoke {
    free: VertexId,
    inner: VertexId,
    /// Bodies that the edge leaves, ascending.
    into: Vec<BodyId>,
}

impl Voxels {
    /// Finds the exits of all edges at once.
    ///
    /// In [`Scope::Scene`] an end is free when it is inside no body, in [`Scope::Pairs`]
    /// when it is not inside the current body.
    pub fn new(positions: &[Vec3], bodies: &Bodies, overlaps: &Overlaps, scope: Scope) -> Voxels {
        let spokes = spokes(bodies, overlaps, scope);
        let scene = Scene { positions, bodies, cells: Cells::new(positions, bodies) };
        let mut near = scene.candidates(&spokes);
        near.sort_unstable();
        near.dedup();
        let mut exits: Vec<(Key, Option<Exit>)> =
            spokes.iter().map(|s| ((s.free, s.inner, s.into[0]), None)).collect();
        for same in near.chunk_by(|a, b| a.0 == b.0) {
            let spoke = same[0].0 as usize;
            let [free, inner] =
                [spokes[spoke].free, spokes[spoke].inner].map(|v| positions[v.index()]);
            exits[spoke].1 = edges::nearest(same.iter().filter_map(|&(_, triangle)| {
                edges::exit(free, inner, scene.corners(triangle as usize), triangle)
            }));
        }
        exits.sort_unstable_by_key(|exit| exit.0);
        Voxels { exits }
    }

    /// Where the edge from `free` to `inner` leaves the bodies in `into`, nearest to `free`.
    ///
    /// `None` also for edges that do not lead from inside to outside, and for other bodies
    /// than the overlaps name.
    pub fn exit(&self, [free, inner]: [VertexId; 2], into: &[BodyId]) -> Option<Exit> {
        let key = (free, inner, *into.first()?);
        let place = self.exits.binary_search_by_key(&key, |exit| exit.0).ok()?;
        self.exits[place].1
    }
}

/// All edges between inside and outside.
fn spokes(bodies: &Bodies, overlaps: &Overlaps, scope: Scope) -> Vec<Spoke> {
    let into = |vertex: VertexId| match overlaps.vertices.binary_search(&vertex) {
        Ok(place) => overlaps.into.row(place),
        Err(_) => &[],
    };
    let mut found = Vec::new();
    for (&inner, own) in overlaps.vertices.iter().zip(overlaps.into.iter()) {
        for &free in bodies.neighbours().row(inner.index()) {
            match scope {
                Scope::Scene if into(free).is_empty() => {
                    found.push(Spoke { free, inner, into: own.to_vec() });
                }
                Scope::Scene => {}
                Scope::Pairs => {
                    let left = own.iter().filter(|body| !into(free).contains(body));
                    found.extend(left.map(|&body| Spoke { free, inner, into: vec![body] }));
                }
            }
        }
    }
    found
}

/// A scene with its grid.
struct Scene<'a> {
    positions: &'a [Vec3],
    bodies: &'a Bodies,
    cells: Cells,
}

impl Scene<'_> {
    fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.bodies.triangles()[triangle].map(|v| self.positions[v.index()])
    }

    /// Pairs of an edge and a triangle of a body it leaves that share a cell.
    fn candidates(&self, spokes: &[Spoke]) -> Vec<(u32, u32)> {
        let margin = MARGIN * (self.cells.reach() + 1.0);
        let (mut entries, mut near) = (Vec::new(), Vec::new());
        for (index, spoke) in spokes.iter().enumerate() {
            let ends = [spoke.free, spoke.inner];
            let ends = ends.map(|v| self.cells.coordinates(self.positions[v.index()]));
            let before = entries.len();
            let arrived = traverse(ends, |cell| entries.push((cell, index as u32)));
            if !arrived {
                entries.truncate(before);
                let triangles = spoke.into.iter().flat_map(|&b| self.bodies.triangles_of(b));
                near.extend(triangles.map(|triangle| (index as u32, triangle as u32)));
            }
        }
        let entries = Sorted::new(entries);
        for body in self.bodies.ids() {
            for triangle in self.bodies.triangles_of(body) {
                let slab = Slab::new(self.corners(triangle).map(|c| self.cells.coordinates(c)));
                entries.within(slab.block(margin), |cell, spoke| {
                    let leaves = spokes[spoke as usize].into.contains(&body);
                    if leaves && slab.meets(cell, margin) {
                        near.push((spoke, triangle as u32));
                    }
                });
            }
        }
        near
    }
}

/// Calls `visit` with the cells along a segment, in order; `false` when they are too many.
fn traverse([from, to]: [Vec3; 2], mut visit: impl FnMut([i64; 3])) -> bool {
    let (mut cell, last) = (cell_at(from), cell_at(to));
    let (from, along) = (from.to_array(), (to - from).to_array());
    let steps = [0, 1, 2].map(|axis| (last[axis] - cell[axis]).signum());
    for _ in 0..LONGEST_WALK {
        visit(cell);
        if cell == last {
            return true;
        }
        // The wall that the segment passes next, among those on the way to the last cell.
        let mut next = (f64::INFINITY, 0);
        for axis in (0..3).filter(|&axis| cell[axis] != last[axis]) {
            let wall = cell[axis] + i64::from(steps[axis] > 0);
            let t = (wall as f64 - from[axis]) / along[axis];
            if t < next.0 {
                next = (t, axis);
            }
        }
        let axis = next.1;
        if cell[axis] == last[axis] {
            return false; // no time is a number: a corner is not finite
        }
        cell[axis] += steps[axis];
    }
    false
}

/// A triangle as box and plane, in cells.
struct Slab {
    around: Aabb,
    /// A corner, in cells.
    corner: Vec3,
    /// Normal of the plane, twice the area long, in cells.
    normal: Vec3,
    /// Largest coordinate of an edge, in cells.
    size: f64,
}

impl Slab {
    fn new([a, b, c]: [Vec3; 3]) -> Slab {
        let (ab, ac) = (b - a, c - a);
        let size = ab.abs().max(ac.abs()).max_element();
        Slab { around: Aabb::around([a, b, c]), corner: a, normal: ab.cross(ac), size }
    }

    /// The cells that the box covers.
    fn block(&self, margin: f64) -> Block {
        let Aabb { min, max } = self.around;
        Block { low: cell_at(min - margin), high: cell_at(max + margin) }
    }

    /// Whether the plane meets a cell; never `false` because of rounding.
    fn meets(&self, cell: [i64; 3], margin: f64) -> bool {
        let half = 0.5 + margin;
        let way = Vec3::from(cell.map(|n| n as f64 + 0.5)) - self.corner;
        let doubt = PLANE_ROUNDING * self.size * self.size * (way.abs().max_element() + 1.0);
        let height = self.normal.dot(way).abs();
        let normal = self.normal.abs();
        height <= half * (normal.x + normal.y + normal.z) + doubt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::detect::brute;
    use pliant::math::random::Random;
    use pliant::mesh::generate::cuboid::cuboid;
    use pliant::mesh::generate::lattice::TetSplit;
    use pliant::mesh::intersect::segment_meets_triangle;

    #[track_caller]
    fn check_walk(from: [f64; 3], to: [f64; 3], expected: &[[i64; 3]]) {
        let mut cells = Vec::new();
        assert!(traverse([from.into(), to.into()], |cell| cells.push(cell)));
        assert_eq!(cells, expected);
        cells.clear();
        traverse([to.into(), from.into()], |cell| cells.push(cell));
        cells.reverse();
        assert_eq!(cells, expected, "backward");
    }

    #[test]
    fn a_walk_steps_from_cell_to_cell() {
        check_walk([0.5; 3], [0.6; 3], &[[0; 3]]);
        check_walk([0.5; 3], [2.5, 0.5, 0.5], &[[0, 0, 0], [1, 0, 0], [2, 0, 0]]);
        let bent = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [2, 1, 0]];
        check_walk([0.5, 0.25, 0.5], [2.5, 1.75, 0.5], &bent);
        check_walk([0.5, 1.0, 2.0], [1.5, 1.0, 2.0], &[[0, 1, 2], [1, 1, 2]]);
    }

    #[test]
    fn a_walk_without_end_is_given_up() {
        assert!(!traverse([Vec3::ZERO, Vec3::splat(1e9)], |_| ()));
        assert!(!traverse([Vec3::ZERO, Vec3::new(f64::NAN, 3.0, f64::INFINITY)], |_| ()));
    }

    #[test]
    fn a_triangle_that_rounding_puts_beside_the_walk_is_found() {
        let mut random = Random::new(3);
        let margin = MARGIN * (4.0 + 1.0);
        let mut met = 0;
        for _ in 0..20_000 {
            // An edge past a corner of cells, and a triangle of some roundings there.
            let along = random.point() - 0.5;
            let ends = [Vec3::splat(2.0) - 3.0 * along, Vec3::splat(2.0) + 2.0 * along];
            let at = ends[0] + 0.6 * (ends[1] - ends[0]);
            let mut near = || at + 8.0 * f64::EPSILON * (random.point() - 0.5);
            let corners = [near(), near(), near()];
            if !segment_meets_triangle(ends, corners) {
                continue;
            }
            met += 1;
            let slab = Slab::new(corners);
            let mut found = false;
            traverse(ends, |cell| {
                found |= slab.block(margin).holds(cell) && slab.meets(cell, margin);
            });
            assert!(found, "{ends:?} {corners:?}");
        }
        assert!(met > 1000, "{met}");
    }

    /// All exits of two cubes of 2 m and 1 m, `at` apart, are those of the slow reference.
    #[track_caller]
    fn check(at: [f64; 3], scale: f64, scope: Scope) {
        let (large, small) = (
            cuboid([2; 3], Vec3::splat(2.0), TetSplit::Six),
            cuboid([2; 3], Vec3::ONE, TetSplit::Five),
        );
        let (large, small) = (large.unwrap(), small.unwrap());
        let moved = small.positions.iter().map(|&p| p + Vec3::from(at));
        let positions: Vec<_> =
            large.positions.iter().copied().chain(moved).map(|p| scale * p).collect();
        let bodies = Bodies::from_tets(&[(27, &large.tets), (27, &small.tets)]).unwrap();
        let overlaps = brute::overlaps(&positions, &bodies);
        let voxels = Voxels::new(&positions, &bodies, &overlaps, scope);
        let spokes = spokes(&bodies, &overlaps, scope);
        assert!(!spokes.is_empty());
        for Spoke { free, inner, into } in spokes {
            let expected = brute::exit([free, inner], &into, &positions, &bodies);
            assert!(expected.is_some());
            assert_eq!(voxels.exit([free, inner], &into), expected);
        }
    }

    #[test]
    fn edges_in_cell_walls_and_along_triangle_edges_find_their_exits() {
        for scope in [Scope::Scene, Scope::Pairs] {
            for scale in [1.0, 0.1, 1e-6, 1e12] {
                check([1.0, 0.0, 0.0], scale, scope);
                check([0.75, 0.5, 0.0], scale, scope);
                check([1.0, 1.0, 1.0], scale, scope);
                check([0.9, 0.3, 0.2], scale, scope);
            }
        }
    }

    #[test]
    fn an_edge_that_leaves_nothing_has_no_exit() {
        let voxels = Voxels::default();
        assert_eq!(voxels.exit([VertexId(0), VertexId(1)], &[BodyId(0)]), None);
        assert_eq!(voxels.exit([VertexId(0), VertexId(1)], &[]), None);
    }
}
