//! Normals of a triangle surface, at its faces and at its vertices.

use std::ops::Range;
use std::str::FromStr;

use crate::choice::{UnknownName, from_name};
use crate::id::{TriangleId, VertexId, at};
use crate::math::Vec3;

/// Averaged unit vectors shorter than this are rounding noise, not a direction.
pub(crate) const MIN_AGREEMENT: f64 = 1e-9;

/// Which normals are used at the corners of a triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Normals {
    /// Smooth: faces around the vertex weighted by their area.
    #[default]
    Area,
    /// Smooth: faces around the vertex weighted by their angle there.
    Angle,
    /// Flat: the triangle's own normal at all three corners.
    Face,
}

impl Normals {
    /// All values.
    pub const ALL: [Normals; 3] = [Normals::Area, Normals::Angle, Normals::Face];

    /// The stable name, on which other programs may rely.
    pub fn name(self) -> &'static str {
        match self {
            Normals::Area => "area",
            Normals::Angle => "angle",
            Normals::Face => "face",
        }
    }
}

impl FromStr for Normals {
    type Err = UnknownName;

    fn from_str(given: &str) -> Result<Normals, UnknownName> {
        from_name(given, &Normals::ALL, Normals::name)
    }
}

/// Unit normal of a triangle, counter-clockwise seen from its tip.
///
/// `None` when the triangle has no area that f64 can see.
#[inline]
pub fn face_normal([a, b, c]: [Vec3; 3]) -> Option<Vec3> {
    (b - a).cross(c - a).try_normalize()
}

/// Unit normal of each vertex, from the faces around it.
///
/// `None` for vertices without a face and where the faces cancel, such as at the
/// rim of a sheet without thickness, or where a corner is lacking. `Normals::Face` weighs all
/// faces alike.
pub fn vertex_normals(
    positions: &[Vec3],
    triangles: &[[VertexId; 3]],
    normals: Normals,
) -> Vec<Option<Vec3>> {
    let mut sums = vec![Sum::default(); positions.len()];
    for triangle in triangles {
        let corners = triangle.map(|v| at(positions, v));
        for (corner, vertex) in triangle.iter().enumerate() {
            if let Some(sum) = sums.get_mut(vertex.index()) {
                sum.add(corners, corner, normals);
            }
        }
    }
    sums.into_iter().map(Sum::direction).collect()
}

/// Unit normals at the three corners of every triangle, ready to interpolate.
///
/// `None` as in [`vertex_normals`] and [`face_normal`].
pub fn corner_normals(
    positions: &[Vec3],
    triangles: &[[VertexId; 3]],
    normals: Normals,
) -> Vec<[Option<Vec3>; 3]> {
    if normals == Normals::Face {
        let flat = |t: &[VertexId; 3]| [face_normal(t.map(|v| at(positions, v))); 3];
        return triangles.iter().map(flat).collect();
    }
    let smooth = vertex_normals(positions, triangles, normals);
    let normal = |v: VertexId| smooth.get(v.index()).copied().flatten();
    triangles.iter().map(|triangle| triangle.map(normal)).collect()
}

/// Corner normals weighted and made unit; `None` when one is missing or they cancel.
#[inline]
pub fn interpolate(normals: [Option<Vec3>; 3], weights: [f64; 3]) -> Option<Vec3> {
    let [a, b, c] = normals;
    (weights[0] * a? + weights[1] * b? + weights[2] * c?).try_normalize()
}

/// Vertex normals computed at first use, and cached for the step.
#[derive(Clone, Debug, Default)]
pub(crate) struct NormalCache {
    kept: Vec<Kept>,
    /// Sums of one body at a time.
    sums: Vec<Sum>,
    step: u32,
}

/// The cached normal of a vertex.
#[derive(Clone, Copy, Debug, Default)]
struct Kept {
    /// Unit, or NaN where there is none.
    normal: Vec3,
    /// The step in which it was computed.
    step: u32,
}

impl NormalCache {
    /// Invalidates all normals, as the vertices have moved.
    pub(crate) fn start(&mut self, vertex_count: usize) {
        self.step = self.step.wrapping_add(1);
        if self.kept.len() != vertex_count || self.step == 0 {
            self.kept = vec![Kept::default(); vertex_count];
            self.step = 1;
        }
    }

    /// Computes all normals of a body at once, unless that was done in this step.
    ///
    /// `vertices` are those of the body, `triangles` its surface.
    pub(crate) fn fill(
        &mut self,
        vertices: Range<usize>,
        triangles: &[[VertexId; 3]],
        positions: &[Vec3],
        normals: Normals,
    ) {
        let (first, step) = (vertices.start, self.step);
        let own = &mut self.kept[vertices];
        if own.first().is_none_or(|kept| kept.step == step) {
            return;
        }
        self.sums.clear();
        self.sums.resize(own.len(), Sum::default());
        for &[a, b, c] in triangles {
            let (i, j, k) = (a.index(), b.index(), c.index());
            let (a, b, c) = (positions[i], positions[j], positions[k]);
            if normals == Normals::Area {
                let across = (b - a).cross(c - a);
                for vertex in [i, j, k] {
                    self.sums[vertex - first].add_across(across, 1.0);
                }
                continue;
            }
            for (corner, vertex) in [i, j, k].into_iter().enumerate() {
                self.sums[vertex - first].add([a, b, c], corner, normals);
            }
        }
        for (kept, sum) in own.iter_mut().zip(&self.sums) {
            *kept = Kept { normal: sum.direction().unwrap_or(Vec3::NAN), step };
        }
    }

    /// The normal of a vertex, or NaN; `work_out` computes it at first use.
    #[inline]
    pub(crate) fn vertex(
        &mut self,
        vertex: VertexId,
        work_out: impl FnOnce() -> Option<Vec3>,
    ) -> Vec3 {
        let kept = &mut self.kept[vertex.index()];
        if kept.step != self.step {
            *kept = Kept { normal: work_out().unwrap_or(Vec3::NAN), step: self.step };
        }
        kept.normal
    }
}

/// Unit normal of one vertex, from the triangles around it, as in [`vertex_normals`].
pub(crate) fn normal_at(
    vertex: VertexId,
    around: &[TriangleId],
    triangles: &[[VertexId; 3]],
    positions: &[Vec3],
    normals: Normals,
) -> Option<Vec3> {
    let mut sum = Sum::default();
    for triangle in around {
        let triangle = triangles[triangle.index()];
        let corner = triangle.iter().position(|v| *v == vertex)?;
        sum.add(triangle.map(|v| at(positions, v)), corner, normals);
    }
    sum.direction()
}

/// A weighted sum of normals, and what it would be if all pointed one way, or somewhat more.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    normals: Vec3,
    weights: f64,
}

impl Sum {
    #[inline]
    fn add(&mut self, corners: [Vec3; 3], corner: usize, normals: Normals) {
        let [a, b, c] = corners;
        let across = (b - a).cross(c - a);
        // Its own length is twice the area, so weighing by area needs no root or division.
        let weight = match normals {
            Normals::Area => 1.0,
            Normals::Angle | Normals::Face => {
                let length = across.length();
                if length == 0.0 {
                    return;
                }
                let share = if normals == Normals::Face { 1.0 } else { angle(corners, corner) };
                share / length
            }
        };
        self.add_across(across, weight);
    }

    #[inline]
    fn add_across(&mut self, across: Vec3, weight: f64) {
        self.normals += weight * across;
        self.weights += weight * across.abs().element_sum();
    }

    fn direction(self) -> Option<Vec3> {
        // Vertices inside a body have no face; they need no root either.
        if self.weights == 0.0 {
            return None;
        }
        let agreed = self.normals.length() > MIN_AGREEMENT * self.weights;
        if agreed { self.normals.try_normalize() } else { None }
    }
}

/// Angle of a triangle at one corner, rad.
fn angle(corners: [Vec3; 3], corner: usize) -> f64 {
    let [a, b, c] = [0, 1, 2].map(|k| corners[(corner + k) % 3]);
    let (to_b, to_c) = (b - a, c - a);
    // The tangent form keeps its digits near 0 and π, where acos loses them.
    libm::atan2(to_b.cross(to_c).length(), to_b.dot(to_c))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLERANCE: f64 = 1e-15;

    /// Three faces of a unit cube that meet at the origin, one of them cut in two there.
    fn cube_corner() -> (Vec<Vec3>, Vec<[VertexId; 3]>) {
        let positions = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.], [0., 0., 1.]];
        let triangles = [[0, 2, 1], [0, 3, 2], [0, 1, 4], [0, 4, 3]];
        (positions.map(Vec3::from).to_vec(), triangles.map(|t| t.map(VertexId)).to_vec())
    }

    #[track_caller]
    fn check(normals: Normals, towards: [f64; 3]) {
        let (positions, triangles) = cube_corner();
        let found = vertex_normals(&positions, &triangles, normals)[0].unwrap();
        let expected = Vec3::from(towards).try_normalize().unwrap();
        assert!(found.abs_diff_eq(expected, TOLERANCE), "{found} {expected}");
    }

    #[test]
    fn each_weighting_turns_the_corner_its_own_way() {
        // The bottom has two triangles of area 1/2 and angle 45° each, the sides one of 1/2 and 90°.
        check(Normals::Area, [-0.5, -0.5, -1.0]);
        check(Normals::Angle, [-1.0, -1.0, -1.0]);
        check(Normals::Face, [-1.0, -1.0, -2.0]);
    }

    #[test]
    fn corners_are_smooth_or_flat_as_asked() {
        let (positions, triangles) = cube_corner();
        let flat = corner_normals(&positions, &triangles, Normals::Face);
        assert_eq!(flat[0], [Some(-Vec3::Z); 3]);
        let smooth = corner_normals(&positions, &triangles, Normals::Area);
        assert_eq!(smooth[0][0], smooth[2][0]);
    }

    #[test]
    fn interpolated_normals_are_weighted_and_unit() {
        let corners = [Some(Vec3::X), Some(Vec3::Y), Some(Vec3::Z)];
        // (3, 0, 4) / 7, made unit.
        let leaning = interpolate(corners, [3.0 / 7.0, 0.0, 4.0 / 7.0]).unwrap();
        assert!(leaning.abs_diff_eq(Vec3::new(0.6, 0.0, 0.8), TOLERANCE), "{leaning}");
        assert_eq!(interpolate(corners, [0.0, 1.0, 0.0]), Some(Vec3::Y));
        assert_eq!(interpolate([None, corners[1], corners[2]], [0.0, 0.5, 0.5]), None);
        assert_eq!(interpolate([Some(Vec3::X), Some(-Vec3::X), None], [0.5, 0.5, 0.0]), None);
        let opposed = [Some(Vec3::X), Some(-Vec3::X), Some(Vec3::Z)];
        assert_eq!(interpolate(opposed, [0.5, 0.5, 0.0]), None);
    }

    #[test]
    fn no_normal_is_admitted() {
        assert_eq!(face_normal([Vec3::ZERO, Vec3::X, Vec3::X * 2.0]), None);
        let (positions, mut triangles) = cube_corner();
        triangles.truncate(1);
        triangles.push([0, 1, 2].map(VertexId));
        let found = vertex_normals(&positions, &triangles, Normals::Area);
        assert_eq!(found, [None; 5]); // both sides of one triangle cancel
    }

    #[test]
    fn kept_normals_are_those_of_the_surface_filled_or_not() {
        let (positions, triangles) = cube_corner();
        let around = |vertex: VertexId| -> Vec<TriangleId> {
            let all = (0..triangles.len() as u32).map(TriangleId);
            all.filter(|t| triangles[t.index()].contains(&vertex)).collect()
        };
        for normals in [Normals::Area, Normals::Angle, Normals::Face] {
            let expected = vertex_normals(&positions, &triangles, normals);
            let (mut filled, mut asked) = (NormalCache::default(), NormalCache::default());
            filled.start(positions.len());
            asked.start(positions.len());
            filled.fill(0..positions.len(), &triangles, &positions, normals);
            for (index, &normal) in expected.iter().enumerate() {
                let vertex = VertexId(index as u32);
                let look = || normal_at(vertex, &around(vertex), &triangles, &positions, normals);
                assert_eq!(Some(filled.vertex(vertex, || None)), normal);
                assert_eq!(Some(asked.vertex(vertex, look)), normal);
            }
            filled.start(positions.len());
            assert!(filled.vertex(VertexId(0), || None).is_nan());
        }
    }
}
