//! How far a body must be moved along a direction until it is clear of another.
//!
//! Two closed surfaces that move along each other cross as long as an edge of one is in a face
//! of the other. For each edge and face that is an interval of the way, so the way is clear
//! where no interval is, and where neither body holds the other. The answer is exact for any
//! closed surfaces, convex or not, except that faces along the axis are not met: a caller
//! chooses an axis that none is exactly along.
//!
//! | here        | meaning                                                            |
//! |-------------|--------------------------------------------------------------------|
//! | `axis`      | unit direction in which the first body is moved                    |
//! | `plane`     | coordinates across the axis, m; `height` is that along it          |
//! | `intervals` | translations, m, at which an edge is in a face                     |
//! | `clearance` | free way before and after, m                                       |

use crate::contact::features::Edge;
use crate::id::VertexId;
use crate::math::{Vec2, Vec3};

/// Twice the area of a face seen along the axis, over that of its box, below which it is seen
/// from the side: its neighbours are then met instead.
const SIDEWAYS: f64 = 1e-9;

/// Most cells along a side of the grid of faces.
const MOST_CELLS: usize = 256;

/// Rounding of the heights at which an edge meets a face, in heights of both surfaces together:
/// generous, as weights of places far from a narrow face are large.
pub(crate) const HEIGHT_ROUNDING: f64 = 1e-3;

/// Weights of a point in a face that is hardly ever above an edge, as symmetric points are.
pub(crate) const SOMEWHERE: [f64; 3] = [0.531, 0.263, 0.206];

/// An edge of a surface.
pub(crate) trait Ends {
    /// Its two vertices.
    fn ends(&self) -> [VertexId; 2];
}

impl Ends for Edge {
    fn ends(&self) -> [VertexId; 2] {
        self.ends
    }
}

impl Ends for [VertexId; 2] {
    fn ends(&self) -> [VertexId; 2] {
        *self
    }
}

/// The surface of a body where it is now.
#[derive(Debug)]
pub(crate) struct ClosedSurface<'a, E = Edge> {
    /// Of all vertices of the scene, m.
    pub positions: &'a [Vec3],
    /// Its surface vertices.
    pub vertices: &'a [VertexId],
    /// Its surface edges.
    pub edges: &'a [E],
    /// Corners of its triangles, m.
    pub faces: &'a [[Vec3; 3]],
}

// Borrowed arrays are copied whatever the edges are.
impl<E> Clone for ClosedSurface<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for ClosedSurface<'_, E> {}

impl<E> ClosedSurface<'_, E> {
    /// Its surface points, m.
    pub(crate) fn points(&self) -> impl Iterator<Item = Vec3> + Clone {
        self.vertices.iter().map(|v| self.positions[v.index()])
    }

    /// Coordinate along an axis of the point that is farthest along it, m.
    pub(crate) fn support(&self, axis: Vec3) -> f64 {
        self.points().map(|point| axis.dot(point)).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Scratch memory of the search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Translation {
    intervals: Vec<[f64; 2]>,
    grid: Grid,
}

/// Coordinates along and across an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    across: [Vec3; 2],
    axis: Vec3,
}

/// A point in a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    plane: Vec2,
    height: f64,
}

/// A box in the plane across the axis, m.
#[derive(Clone, Copy, Debug, Default)]
struct Rectangle {
    min: Vec2,
    max: Vec2,
}

/// Where a face is, and the first cell along both sides that it is in.
#[derive(Clone, Copy, Debug, Default)]
struct Bounds {
    around: Rectangle,
    /// Lowest and highest, m.
    heights: [f64; 2],
    first: [usize; 2],
}

/// Faces of a surface, sorted into cells of the plane across the axis.
#[derive(Clone, Debug, Default)]
struct Grid {
    faces: Vec<FacePlane>,
    bounds: Vec<Bounds>,
    /// First entry of each cell in `entries`, and one past the last.
    starts: Vec<u32>,
    entries: Vec<u32>,
    low: Vec2,
    /// Cells per metre.
    scale: Vec2,
    cells: usize,
}

impl Translation {
    /// Least way of `a` along `axis` after which it is clear of `b`, m; 0 where it is now.
    pub(crate) fn distance<E: Ends>(
        &mut self,
        a: ClosedSurface<'_, E>,
        b: ClosedSurface<'_, E>,
        axis: Vec3,
        clearance: f64,
    ) -> f64 {
        let frame = Frame::new(axis);
        let ((of_a, heights_a), (of_b, heights_b)) = (frame.extent(a), frame.extent(b));
        let shared = of_a.shared(of_b);
        self.intervals.clear();
        if !(shared.min.cmple(shared.max).all()) {
            return 0.0;
        }
        let span = heights_a[1].max(heights_b[1]) - heights_a[0].min(heights_b[0]);
        let margin = clearance + HEIGHT_ROUNDING * span;
        for (edges, faces, sign) in [(a, b, 1.0), (b, a, -1.0)] {
            // Ways below 0 are of no use.
            let wanted = match sign > 0.0 {
                true => [-margin, f64::INFINITY],
                false => [f64::NEG_INFINITY, margin],
            };
            self.grid.fill(faces, frame, shared);
            for edge in edges.edges {
                let ends = edge.ends().map(|v| frame.of(edges.positions[v.index()]));
                self.grid.meet(ends, wanted, |[low, high]| {
                    let [low, high] = if sign > 0.0 { [low, high] } else { [-high, -low] };
                    if high + clearance >= 0.0 {
                        self.intervals.push([low - clearance, high + clearance]);
                    }
                });
            }
        }
        self.intervals.sort_unstable_by(|a, b| a[0].total_cmp(&b[0]));
        self.first_free(a, b, frame)
    }

    /// The first way at which surfaces do not cross and no body holds the other, m.
    fn first_free<E>(&self, a: ClosedSurface<'_, E>, b: ClosedSurface<'_, E>, frame: Frame) -> f64 {
        let (mut way, mut next) = (0.0_f64, 0);
        loop {
            while next < self.intervals.len() && self.intervals[next][0] <= way {
                way = way.max(self.intervals[next][1]);
                next += 1;
            }
            let is_last = next == self.intervals.len();
            // Behind the last of all intervals nothing is held.
            if is_last || !(holds(b, a, frame, way) || holds(a, b, frame, -way)) {
                return way;
            }
            way = self.intervals[next][0];
        }
    }
}

/// Whether a point of the surface of `inner`, moved by a way along the axis, is inside `outer`.
fn holds<E>(
    outer: ClosedSurface<'_, E>,
    inner: ClosedSurface<'_, E>,
    frame: Frame,
    way: f64,
) -> bool {
    let Some([a, b, c]) = inner.faces.first() else { return false };
    let [wa, wb, wc] = SOMEWHERE;
    let point = frame.of(wa * *a + wb * *b + wc * *c);
    let above = outer.faces.iter().filter(|face| {
        let corners = face.map(|corner| frame.of(corner));
        FacePlane::of(corners).is_some_and(|plane| {
            let weights = plane.weights(point.plane);
            let within = weights.iter().all(|weight| *weight >= 0.0);
            within && plane.height(weights) > point.height + way
        })
    });
    above.count() % 2 == 1
}

impl Frame {
    /// Along a unit axis.
    pub(crate) fn new(axis: Vec3) -> Frame {
        let (u, v) = axis.any_orthonormal_pair();
        Frame { across: [u, v], axis }
    }

    /// A point, m, in the frame.
    pub(crate) fn of(&self, point: Vec3) -> Seen {
        let [u, v] = self.across;
        Seen { plane: Vec2::new(u.dot(point), v.dot(point)), height: self.axis.dot(point) }
    }

    /// Box across the axis, m, and lowest and highest point along it, m.
    fn extent<E>(&self, surface: ClosedSurface<'_, E>) -> (Rectangle, [f64; 2]) {
        let start = Rectangle { min: Vec2::INFINITY, max: Vec2::NEG_INFINITY };
        let start = (start, [f64::INFINITY, f64::NEG_INFINITY]);
        surface.points().map(|point| self.of(point)).fold(start, |(all, [low, high]), p| {
            let all = Rectangle { min: all.min.min(p.plane), max: all.max.max(p.plane) };
            (all, [low.min(p.height), high.max(p.height)])
        })
    }
}

impl Rectangle {
    fn around(points: &[Seen]) -> Rectangle {
        let start = Rectangle { min: Vec2::INFINITY, max: Vec2::NEG_INFINITY };
        points.iter().fold(start, |all, p| Rectangle {
            min: all.min.min(p.plane),
            max: all.max.max(p.plane),
        })
    }

    fn shared(self, other: Rectangle) -> Rectangle {
        Rectangle { min: self.min.max(other.min), max: self.max.min(other.max) }
    }

    fn meets(self, other: Rectangle) -> bool {
        self.min.cmple(other.max).all() && other.min.cmple(self.max).all()
    }
}

impl Grid {
    /// Sorts in the faces of a surface that a rectangle of the plane holds parts of.
    fn fill<E>(&mut self, surface: ClosedSurface<'_, E>, frame: Frame, shared: Rectangle) {
        self.faces.clear();
        self.bounds.clear();
        for face in surface.faces {
            let corners = face.map(|corner| frame.of(corner));
            let around = Rectangle::around(&corners);
            if around.meets(shared)
                && let Some(plane) = FacePlane::of(corners)
            {
                let heights = heights(&corners);
                self.faces.push(plane);
                self.bounds.push(Bounds { around, heights, first: [0; 2] });
            }
        }
        self.cells = ((self.faces.len() as f64).sqrt() as usize).clamp(1, MOST_CELLS);
        self.low = shared.min;
        let size = shared.max - shared.min;
        let scale = |length: f64| if length > 0.0 { self.cells as f64 / length } else { 0.0 };
        self.scale = Vec2::new(scale(size.x), scale(size.y));
        let mut bounds = std::mem::take(&mut self.bounds);
        bounds.iter_mut().for_each(|own| own.first = self.cell(own.around.min));
        self.sort_in(&bounds);
        self.bounds = bounds;
    }

    /// Lists the faces of each cell, in their order.
    fn sort_in(&mut self, bounds: &[Bounds]) {
        let (mut starts, mut entries) =
            (std::mem::take(&mut self.starts), std::mem::take(&mut self.entries));
        starts.clear();
        starts.resize(self.cells * self.cells + 1, 0);
        for own in bounds {
            self.cells_of(own.around, |[x, y]| starts[y * self.cells + x + 1] += 1);
        }
        for cell in 0..self.cells * self.cells {
            starts[cell + 1] += starts[cell];
        }
        entries.clear();
        entries.resize(starts.last().map_or(0, |last| *last as usize), 0);
        for (number, own) in bounds.iter().enumerate().rev() {
            // From the back, each cell is filled from its end.
            self.cells_of(own.around, |[x, y]| {
                let start = &mut starts[y * self.cells + x + 1];
                *start -= 1;
                entries[*start as usize] = number as u32;
            });
        }
        // Now entry k + 1 is the start of cell k.
        starts.rotate_left(1);
        if let Some(last) = starts.last_mut() {
            *last = entries.len() as u32;
        }
        (self.starts, self.entries) = (starts, entries);
    }

    /// Cell of a place along both sides.
    fn cell(&self, place: Vec2) -> [usize; 2] {
        let at = |x: f64| (x.max(0.0) as usize).min(self.cells - 1);
        let place = (place - self.low) * self.scale;
        [at(place.x), at(place.y)]
    }

    fn cells_of(&self, rectangle: Rectangle, mut act: impl FnMut([usize; 2])) {
        let ([x0, y0], [x1, y1]) = (self.cell(rectangle.min), self.cell(rectangle.max));
        for y in y0..=y1 {
            (x0..=x1).for_each(|x| act([x, y]));
        }
    }

    /// Gives the translations of a segment along the axis at which it is in a face, m.
    ///
    /// Those that are not wanted at all, from one way to another, m, may be left out.
    fn meet(&self, ends: [Seen; 2], wanted: [f64; 2], mut found: impl FnMut([f64; 2])) {
        let around = Rectangle::around(&ends);
        let [low, high] = heights(&ends);
        let first = self.cell(around.min);
        self.cells_of(around, |[x, y]| {
            let cell = y * self.cells + x;
            let own = self.starts[cell] as usize..self.starts[cell + 1] as usize;
            for &number in &self.entries[own] {
                let face = &self.bounds[number as usize];
                // Of all cells that both are in, the first counts: of cells that grow with the
                // place, that of the larger of both places is the larger of both cells.
                let is_first = x == first[0].max(face.first[0]) && y == first[1].max(face.first[1]);
                let is_wanted =
                    face.heights[1] - low >= wanted[0] && face.heights[0] - high <= wanted[1];
                if !is_first || !is_wanted || !around.meets(face.around) {
                    continue;
                }
                if let Some(interval) = self.faces[number as usize].translations(ends) {
                    found(interval);
                }
            }
        });
    }
}

/// Lowest and highest of some points, m.
fn heights(points: &[Seen]) -> [f64; 2] {
    let start = [f64::INFINITY, f64::NEG_INFINITY];
    points.iter().fold(start, |[low, high], p| [low.min(p.height), high.max(p.height)])
}

/// A face as heights over the plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FacePlane {
    corners: [Seen; 3],
    /// 1 / twice its area, signed, 1/m².
    inverse: f64,
}

impl FacePlane {
    /// `None` of a face that is seen from the side.
    pub(crate) fn of(corners: [Seen; 3]) -> Option<FacePlane> {
        let [a, b, c] = corners.map(|corner| corner.plane);
        let doubled = (b - a).perp_dot(c - a);
        let box_size = (b - a).length_squared().max((c - a).length_squared());
        (doubled.abs() > SIDEWAYS * box_size)
            .then(|| FacePlane { corners, inverse: doubled.recip() })
    }

    /// Barycentric weights of a place; all are at least 0 inside.
    fn weights(&self, place: Vec2) -> [f64; 3] {
        let [a, b, c] = self.corners.map(|corner| corner.plane - place);
        [b.perp_dot(c), c.perp_dot(a), a.perp_dot(b)].map(|weight| weight * self.inverse)
    }

    fn height(&self, weights: [f64; 3]) -> f64 {
        weights.iter().zip(self.corners).map(|(weight, corner)| weight * corner.height).sum()
    }

    /// From which way to which a segment that is moved along the axis is in the face, m.
    pub(crate) fn translations(&self, [from, to]: [Seen; 2]) -> Option<[f64; 2]> {
        let weights = [from, to].map(|end| self.weights(end.plane));
        let (mut begin, mut end) = (0.0_f64, 1.0_f64);
        for (at_from, at_to) in weights[0].into_iter().zip(weights[1]) {
            if at_from < 0.0 && at_to < 0.0 {
                return None;
            }
            let change = at_to - at_from;
            if at_from < 0.0 {
                begin = begin.max(-at_from / change);
            } else if at_to < 0.0 {
                end = end.min(-at_from / change);
            }
        }
        if begin > end {
            return None;
        }
        let heights = [self.height(weights[0]) - from.height, self.height(weights[1]) - to.height];
        let at = |part: f64| heights[0] + part * (heights[1] - heights[0]);
        let [one, other] = [at(begin), at(end)];
        Some([one.min(other), one.max(other)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Bodies, Mesh};
    use crate::contact::features::Features;
    use crate::id::BodyId;
    use crate::math::Quat;
    use crate::math::random::Random;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::TetSplit;
    use crate::mesh::generate::torus::{TorusSettings, torus};
    use crate::mesh::raw::RawMesh;
    use crate::mesh::tet::TetMesh;
    use crate::record::overlap::Measure;

    struct Pair {
        bodies: Bodies,
        features: Features,
        positions: Vec<Vec3>,
    }

    impl Pair {
        fn new(meshes: [RawMesh; 2], turn: Quat, shift: Vec3) -> Pair {
            let [a, b] = meshes.map(|raw| TetMesh::from_raw(raw).unwrap().0);
            let bodies = Bodies::from_meshes(&[Mesh::Tets(&a), Mesh::Tets(&b)]).unwrap();
            let rest = [a.positions(), b.positions()].concat();
            let features = Features::new(&rest, &bodies).unwrap();
            let moved = a.positions().iter().map(|p| turn * *p + shift);
            let positions = moved.chain(b.positions().iter().copied()).collect();
            Pair { bodies, features, positions }
        }

        fn distance(&self, axis: Vec3) -> f64 {
            let corner = |v: VertexId| self.positions[v.index()];
            let faces = [BodyId(0), BodyId(1)].map(|body| {
                let own = &self.bodies.triangles()[self.bodies.triangles_of(body)];
                own.iter().map(|face| face.map(corner)).collect::<Vec<_>>()
            });
            let [a, b] = [0, 1].map(|k| ClosedSurface {
                positions: &self.positions,
                vertices: self.features.surface_of(BodyId(k as u32)),
                edges: &self.features.edges[self.features.edges_of(BodyId(k as u32))],
                faces: &faces[k],
            });
            Translation::default().distance(a, b, axis, 0.0)
        }

        /// Whether the boundaries cross, or one body is in the other, by the exact judge.
        fn overlaps(&self, way: Vec3) -> bool {
            let count = self.bodies.vertices(BodyId(0)).len();
            let mut moved = self.positions.clone();
            moved[..count].iter_mut().for_each(|p| *p += way);
            let found = Measure::new(&moved, &self.bodies).measure(&moved, &self.bodies);
            found.penetrating_vertices + found.edge_crossings > 0
        }
    }

    fn block(size: Vec3) -> RawMesh {
        cuboid([2; 3], size, TetSplit::Five).unwrap()
    }

    /// A ring of radius 1 m around y.
    fn ring(tube_radius: f64) -> RawMesh {
        torus(&TorusSettings { ring_radius: 1.0, tube_radius, around: 24, rings: 2 }).unwrap()
    }

    #[test]
    fn a_block_leaves_another_by_its_own_overlap() {
        let shift = Vec3::new(0.6, 0.1, 0.2);
        let pair = Pair::new([block(Vec3::ONE), block(Vec3::ONE)], Quat::IDENTITY, shift);
        for (axis, way) in [(Vec3::X, 0.4), (-Vec3::X, 1.6), (Vec3::Y, 0.9), (-Vec3::Z, 1.2)] {
            assert!((pair.distance(axis) - way).abs() < 1e-9, "{axis} {}", pair.distance(axis));
        }
        let apart = Pair::new([block(Vec3::ONE), block(Vec3::ONE)], Quat::IDENTITY, 1.1 * Vec3::X);
        assert_eq!(apart.distance(Vec3::X), 0.0);
        // Towards the other, nothing is in the way yet.
        assert_eq!(apart.distance(-Vec3::X), 0.0);
    }

    #[test]
    fn a_block_inside_another_leaves_it_altogether() {
        let (small, large) = (block(Vec3::splat(0.2)), block(Vec3::ONE));
        let pair = Pair::new([small, large], Quat::IDENTITY, Vec3::new(0.2, 0.0, 0.0));
        assert!((pair.distance(Vec3::X) - 0.4).abs() < 1e-9, "{}", pair.distance(Vec3::X));
        assert!((pair.distance(-Vec3::X) - 0.8).abs() < 1e-9);
    }

    #[test]
    fn a_rod_through_a_ring_that_it_cuts_needs_only_to_leave_its_wall() {
        let ring = ring(0.25);
        let rod = block(Vec3::new(0.1, 4.0, 0.1));
        let pair = Pair::new([rod, ring], Quat::IDENTITY, 0.8 * Vec3::X);
        let way = pair.distance(-Vec3::X);
        assert!((0.08..0.13).contains(&way), "{way}"); // into the hole, not out of the ring
        assert!(!pair.overlaps(-(way + 1e-6) * Vec3::X));
    }

    #[test]
    fn the_way_is_the_first_that_the_exact_judge_finds_clear() {
        let mut random = Random::new(5);
        for _ in 0..30 {
            let ring = ring(0.3);
            let other = block(Vec3::new(0.7, 0.5, 1.9));
            let pair = Pair::new([other, ring], random.rotation(), 0.9 * random.vec3());
            let Some(axis) = random.vec3().try_normalize() else { continue };
            let way = pair.distance(axis);
            assert!(!pair.overlaps((way + 1e-7) * axis), "{way}");
            for part in [0.0, 0.3, 0.7, 0.95, 0.999] {
                assert!(way == 0.0 || pair.overlaps(part * way * axis), "{part} of {way}");
            }
        }
    }
}
