//! Rows that keep material points of two bodies apart, from where the bodies overlap now.
//!
//! A point inside another body leaves it towards the nearest surface where the two surfaces face
//! each other and the point is not deep; otherwise along the pair's own way out, the same for all.

use crate::id::VertexId;
use crate::math::{Aabb, Vec3};
use crate::mesh::closest::{closest_point, closest_weights};
use crate::mesh::intersect::segment_meets_triangle;
use crate::mesh::normals::face_normal;
use crate::mesh::ray::PreparedRay;
use crate::separate::axis::PairView;
use crate::separate::shape::{Placed, Shape, enlarged};
use crate::separate::triangles::nearest;

/// Rows of a pair in an iteration, at most.
const MOST_ROWS: usize = 40;

/// Distance between the points of these rows, in sizes of the smaller body.
const SPACING: f64 = 0.05;

/// Depth, in sizes of the smaller body, up to which a point leaves to the nearest surface.
const SHALLOW: f64 = 0.12;

/// Cosine of the normals of two surfaces below which they face each other.
const FACING: f64 = -0.3;

/// Cosine of a point's normal to the way out above which it is on the far side of its body.
const FAR_SIDE: f64 = 0.3;

/// A point of the surface of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    /// Corners of a triangle; some may be the same.
    pub vertices: [VertexId; 3],
    /// Their weights; the sum is 1.
    pub weights: [f64; 3],
}

impl Point {
    /// A vertex.
    fn vertex(vertex: VertexId) -> Point {
        Point { vertices: [vertex; 3], weights: [1.0, 0.0, 0.0] }
    }

    /// Sum over the corners, weighted.
    pub(crate) fn of(&self, values: &[Vec3]) -> Vec3 {
        let terms = self.vertices.iter().zip(self.weights);
        terms.map(|(v, weight)| weight * values[v.index()]).sum()
    }
}

/// Two points that are to be apart along a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Apart {
    /// Of the first body and of the second.
    pub points: [Point; 2],
    /// Unit, from the second to the first.
    pub normal: Vec3,
    /// Where the first is less where the second is, along it, m.
    pub distance: f64,
}

/// Rows of a pair that overlaps; `axis` is the way of the first body out of the second.
pub(crate) fn overlapping(view: PairView<'_>, axis: Vec3) -> Vec<Apart> {
    let mut rows = Vec::new();
    for (inner, outer, direction) in [(0, 1, axis), (1, 0, -axis)] {
        let search = Search {
            shape: view.shapes[inner],
            inner: view.placed[inner],
            outer_shape: view.shapes[outer],
            outer: view.placed[outer],
            shallow: SHALLOW * view.shapes[0].size.min(view.shapes[1].size),
            direction,
        };
        for mut row in search.rows() {
            if inner == 1 {
                row.points.swap(0, 1);
                row.normal = -row.normal;
            }
            rows.push(row);
        }
    }
    spread(view, rows)
}

/// Rows of a pair that is apart, at all places nearer than the gap.
pub(crate) fn near(view: PairView<'_>) -> Vec<Apart> {
    let [a, b] = view.placed;
    let mut rows = Vec::new();
    a.tree.meeting_pairs(
        &b.tree,
        |_, _| true,
        |i, j| {
            let faces = [a.faces[i as usize], b.faces[j as usize]];
            let found = nearest(faces[0], faces[1]);
            if found.distance_sq >= view.clearance * view.clearance {
                return;
            }
            let Some(normal) = found.normal() else { return };
            let weights = found.weights(faces[0], faces[1]);
            let point = |k: usize, triangle: u32| Point {
                vertices: view.shapes[k].triangles[triangle as usize],
                weights: weights[k],
            };
            let points = [point(0, i), point(1, j)];
            rows.push(Apart { points, normal, distance: found.distance_sq.sqrt() });
        },
    );
    spread(view, rows)
}

/// Rows of a pair that is apart, and what finding them cost.
pub(crate) struct Facing {
    /// See [`Apart`].
    pub rows: Vec<Apart>,
    /// Vertices that were looked at.
    pub looked: u64,
}

/// Rows of a pair that is apart, for vertices that are nearer to the other surface than said, m.
///
/// Edges that pass each other are not looked at.
pub(crate) fn facing(view: PairView<'_>, reach: f64) -> Facing {
    let (mut rows, mut looked) = (Vec::new(), 0);
    for (from, to) in [(0, 1), (1, 0)] {
        let (shape, placed, other) = (view.shapes[from], view.placed[from], view.placed[to]);
        let around = enlarged(other.around, reach);
        for vertex in &shape.vertices {
            let at = placed.positions[vertex.index()];
            if !around.contains(at) {
                continue;
            }
            looked += 1;
            let Some((triangle, foot)) = nearest_face(other, at, reach * reach) else { continue };
            let Some(normal) = (at - foot).try_normalize() else { continue };
            let weights = closest_weights(foot, other.faces[triangle as usize]);
            let vertices = view.shapes[to].triangles[triangle as usize];
            let points = [Point::vertex(*vertex), Point { vertices, weights }];
            let distance = at.distance(foot);
            rows.push(match from {
                0 => Apart { points, normal, distance },
                _ => Apart { points: [points[1], points[0]], normal: -normal, distance },
            });
        }
    }
    Facing { rows: spread(view, rows), looked }
}

/// The way of the first body out of the second.
pub(crate) fn way_out(view: PairView<'_>) -> Vec3 {
    view.shortest(&[]).axis
}

/// The rows with the least distances, those near others left out.
fn spread(view: PairView<'_>, mut rows: Vec<Apart>) -> Vec<Apart> {
    let spacing = SPACING * view.shapes[0].size.min(view.shapes[1].size);
    rows.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let mut kept: Vec<(Vec3, Apart)> = Vec::new();
    for row in rows {
        let at = row.points[0].of(&view.placed[0].positions);
        let is_alone = |(other, kept): &(Vec3, Apart)| {
            other.distance(at) > spacing || kept.normal.dot(row.normal) < 0.7
        };
        if kept.iter().all(is_alone) {
            kept.push((at, row));
        }
        if kept.len() == MOST_ROWS {
            break;
        }
    }
    kept.into_iter().map(|(_, row)| row).collect()
}

/// The triangle of a body that is nearest to a point, and where, within the root of some m².
fn nearest_face(body: &Placed, at: Vec3, within_sq: f64) -> Option<(u32, Vec3)> {
    let mut best: Option<(f64, u32, Vec3)> = None;
    body.tree.near(at, within_sq, |k| {
        let foot = closest_point(at, body.faces[k as usize]);
        let distance_sq = foot.distance_squared(at);
        if distance_sq < within_sq && best.is_none_or(|best| (distance_sq, k) < (best.0, best.1)) {
            best = Some((distance_sq, k, foot));
        }
        best.map_or(within_sq, |best| best.0)
    });
    best.map(|(_, triangle, foot)| (triangle, foot))
}

/// Points of one body inside another.
struct Search<'a> {
    shape: &'a Shape,
    inner: &'a Placed,
    outer_shape: &'a Shape,
    outer: &'a Placed,
    /// m.
    shallow: f64,
    /// Unit, the way of the inner body out of the outer.
    direction: Vec3,
}

impl Search<'_> {
    /// A row for each point, from the outer body to the inner.
    fn rows(&self) -> Vec<Apart> {
        let normals = self.normals();
        let positions = &self.inner.positions;
        let mut rows = Vec::new();
        let mut is_inside = vec![false; positions.len()];
        for vertex in &self.shape.vertices {
            let at = positions[vertex.index()];
            if self.outer.winding(at) > 0 {
                is_inside[vertex.index()] = true;
                rows.extend(self.row(Point::vertex(*vertex), at, normals[vertex.index()]));
            }
        }
        for [a, b] in &self.shape.edges {
            if is_inside[a.index()] || is_inside[b.index()] {
                continue;
            }
            let ends = [a, b].map(|v| positions[v.index()]);
            let Some(share) = self.middle_inside(ends) else { continue };
            let point = Point { vertices: [*a, *b, *b], weights: [1.0 - share, share, 0.0] };
            let normal = normals[a.index()] + normals[b.index()];
            rows.extend(self.row(point, point.of(positions), normal));
        }
        rows
    }

    fn row(&self, point: Point, at: Vec3, normal: Vec3) -> Option<Apart> {
        let (triangle, foot) = nearest_face(self.outer, at, f64::INFINITY)?;
        let face = self.outer.faces[triangle as usize];
        let outward = face_normal(face)?;
        let normal = normal.try_normalize().unwrap_or(self.direction);
        let depth = foot.distance(at);
        let vertices = self.outer_shape.triangles[triangle as usize];
        if depth < self.shallow && normal.dot(outward) < FACING {
            let weights = closest_weights(foot, face);
            let other = Point { vertices, weights };
            return Some(Apart { points: [point, other], normal: outward, distance: -depth });
        }
        if normal.dot(self.direction) > FAR_SIDE {
            return None;
        }
        let ray = PreparedRay::new(at, self.direction)?;
        let mut best: Option<(f64, u32, [f64; 3])> = None;
        self.outer.tree.along(&ray, f64::MAX, |k| {
            if let Some(hit) = ray.meet(self.outer.faces[k as usize])
                && hit.leaves
                && best.is_none_or(|best| (hit.distance, k) < (best.0, best.1))
            {
                best = Some((hit.distance, k, hit.weights));
            }
            best.map_or(f64::MAX, |best| best.0)
        });
        let (distance, triangle, weights) = best?;
        let other = Point { vertices: self.outer_shape.triangles[triangle as usize], weights };
        Some(Apart { points: [point, other], normal: self.direction, distance: -distance })
    }

    /// Where the middle of the part of an edge is that passes through the outer body.
    fn middle_inside(&self, [from, to]: [Vec3; 2]) -> Option<f64> {
        let around = Aabb::around([from, to]);
        if !around.meets(self.outer.around) {
            return None;
        }
        let mut shares = Vec::new();
        let ray = PreparedRay::new(from, to - from)?;
        let length = from.distance(to);
        self.outer.tree.meeting(around, |k| {
            let face = self.outer.faces[k as usize];
            if segment_meets_triangle([from, to], face)
                && let Some(hit) = ray.meet(face)
            {
                shares.push(hit.distance / length);
            }
            true
        });
        shares.sort_by(f64::total_cmp);
        match shares.as_slice() {
            [] => None,
            [first, .., _] if shares.len() > 1 => Some(0.5 * (first + shares[1])),
            [only, ..] => Some(*only),
        }
    }

    /// Normals of the inner body's vertices, longer where there is more area, m².
    fn normals(&self) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; self.inner.positions.len()];
        for (triangle, [a, b, c]) in self.shape.triangles.iter().zip(&self.inner.faces) {
            let area = (*b - *a).cross(*c - *a);
            triangle.iter().for_each(|v| normals[v.index()] += area);
        }
        normals
    }
}
