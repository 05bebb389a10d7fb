//! Which bodies overlap although no vertex of either is inside the other.
//!
//! Depth needs vertices inside and does not see bodies that cross without any, as two bars
//! do, or cubes that share their side faces: for those this says at least that there is
//! something.
//!
//! Two bodies of tets are decided by their tets. Where one is a surface, an edge that
//! passes through the inside of a triangle of the other decides. Where surfaces meet only
//! along edges and in common planes none does, so points just behind the surface of one
//! body are tried as well: such a point proves an overlap when it is inside both, and that
//! is decided exactly.

use crate::body::{Bodies, BodyKind};
use crate::detect::Overlaps;
use crate::detect::nearby_triangles::{Ray, Sense};
use crate::detect::rays::{Winding, ray_crossing};
use crate::detect::tet_bvh::TetBvh;
use crate::detect::tets::{box_of, near_tets, tets_overlap};
use crate::id::BodyId;
use crate::math::{Aabb, Vec3, orient3d};
use crate::mesh::bvh::Bvh;
use crate::mesh::edge_search::crosses_any;
use crate::mesh::intersect::segment_meets_triangle;
use crate::mesh::normals::face_normal;

/// How far behind a triangle points are tried, relative to its longest edge.
///
/// The last is for overlaps thinner than the triangles are long.
const BEHIND: [f64; 3] = [1e-2, 1e-5, 1e-8];

/// How far from an edge, towards the middle of its triangle, points are tried; relative to
/// that way. Far more than the last of [`BEHIND`], so that sharp edges hold them.
const OFF_EDGE: f64 = 1e-4;

/// Direction of the rays that test whether a surface holds a point.
const UP: Ray = Ray { axis: 2, sense: Sense::Up };

/// Pairs of bodies that overlap although no vertex of either is inside the other.
///
/// Ascending, the smaller first. Touching is no overlap, and none is named that is not
/// there. Two bodies of tets are decided exactly. Where one is a surface, an overlap can be
/// missed that no edge of either leads into, and no triangle by its middle. Bodies with a position
/// that is lacking or not finite overlap nothing.
pub fn crossing_pairs(
    positions: &[Vec3],
    bodies: &Bodies,
    overlaps: &Overlaps,
) -> Vec<[BodyId; 2]> {
    let mut padded = Vec::new();
    let positions = bodies.padded(positions, &mut padded);
    let mut open = Open::new(positions, bodies, overlaps);
    open.try_tets(positions, bodies);
    let mut scene = SurfaceTrees::new(positions, bodies);
    for place in 0..open.pairs.len() {
        let [a, b] = open.pairs[place];
        let is_bare = [a, b].iter().any(|&body| bodies.kind(body) == BodyKind::Surface);
        open.crosses[place] |= is_bare
            && (scene.is_behind([a, b])
                || scene.is_behind([b, a])
                || scene.leads_into([a, b])
                || scene.leads_into([b, a]));
    }
    let found = open.pairs.iter().zip(&open.crosses).filter(|(_, crosses)| **crosses);
    found.map(|(&pair, _)| pair).collect()
}

/// Pairs of bodies that come near each other with no vertex inside.
struct Open {
    /// Ascending, the smaller first.
    pairs: Vec<[BodyId; 2]>,
    /// Whether each pair is known to overlap.
    crosses: Vec<bool>,
}

impl Open {
    fn new(positions: &[Vec3], bodies: &Bodies, overlaps: &Overlaps) -> Open {
        let ordered = |a: BodyId, b: BodyId| [a.min(b), a.max(b)];
        let mut known: Vec<[BodyId; 2]> = Vec::new();
        for (&vertex, into) in overlaps.vertices.iter().zip(overlaps.into.iter()) {
            let own = bodies.body_of(vertex);
            known.extend(into.iter().map(|&body| ordered(own, body)));
        }
        known.sort_unstable();
        let mut near = Vec::new();
        let boxes: Vec<Aabb> = bodies.ids().map(|body| around(positions, bodies, body)).collect();
        let tree = Bvh::new(&boxes);
        for a in bodies.ids() {
            tree.meeting(boxes[a.index()], |b| {
                let pair = [a, BodyId(b)];
                if a.0 < b && known.binary_search(&pair).is_err() {
                    near.push(pair);
                }
                true
            });
        }
        near.sort_unstable();
        Open { crosses: vec![false; near.len()], pairs: near }
    }

    /// Marks the pairs of which tets overlap.
    fn try_tets(&mut self, positions: &[Vec3], bodies: &Bodies) {
        let of_tets = |pair: &&[BodyId; 2]| pair.iter().all(|&b| bodies.kind(b) == BodyKind::Tets);
        if self.pairs.iter().find(of_tets).is_none() {
            return;
        }
        near_tets(positions, bodies, |tets, owners| {
            let Ok(place) = self.pairs.binary_search(&owners) else { return };
            // One overlap is enough: bodies on top of each other have millions.
            if !self.crosses[place] {
                let corners = tets.map(|t| bodies.tets()[t.index()].map(|v| positions[v.index()]));
                self.crosses[place] = tets_overlap(corners[0], corners[1]);
            }
        });
    }
}

/// The smallest box around a body.
fn around(positions: &[Vec3], bodies: &Bodies, body: BodyId) -> Aabb {
    let tets = bodies.tets()[bodies.tets_of(body)].iter().flatten();
    let triangles = bodies.triangles()[bodies.triangles_of(body)].iter().flatten();
    let points = tets.chain(triangles).map(|v| box_of([positions[v.index()]]));
    points.fold(Aabb::EMPTY, Aabb::union)
}

/// The surfaces of a scene with their trees, which are made when first needed.
struct SurfaceTrees<'a> {
    positions: &'a [Vec3],
    bodies: &'a Bodies,
    /// For each body the boxes of its triangles, counted within the body.
    trees: Vec<Option<Bvh>>,
    holders: TetBvh,
}

impl<'a> SurfaceTrees<'a> {
    fn new(positions: &'a [Vec3], bodies: &'a Bodies) -> SurfaceTrees<'a> {
        let mut holders = TetBvh::default();
        holders.start(bodies.len());
        SurfaceTrees { positions, bodies, trees: vec![None; bodies.len()], holders }
    }

    /// Whether an edge of `own` passes through the inside of a triangle of `other`.
    fn leads_into(&mut self, [own, other]: [BodyId; 2]) -> bool {
        let start = self.bodies.triangles_of(other).start;
        let range = self.bodies.triangles_of(own);
        self.fit(other);
        let Some(tree) = &self.trees[other.index()] else { return false };
        let corners = |hit: u32| self.corners(start + hit as usize);
        let passes = |edge| crosses_any(tree, edge, corners, passes_through);
        range.into_iter().any(|index| self.edges(index).into_iter().any(passes))
    }

    /// Whether a point just behind the surface of `own` is inside both bodies.
    ///
    /// Only triangles that come near the surface of `other` are tried: as no vertex is
    /// inside, all else is outside.
    fn is_behind(&mut self, [own, other]: [BodyId; 2]) -> bool {
        let mut points = Vec::new();
        for index in self.bodies.triangles_of(own) {
            points.clear();
            self.tries(index, other, &mut points);
            for &point in &points {
                if self.holds(other, point) && self.holds(own, point) {
                    return true;
                }
            }
        }
        false
    }

    /// Points behind a triangle: at its middle, and along its edges between the places
    /// where they meet the surface of `other`.
    fn tries(&mut self, index: usize, other: BodyId, points: &mut Vec<Vec3>) {
        let corners = self.corners(index);
        let Some(normal) = face_normal(corners) else { return };
        self.fit(other);
        let Some(tree) = &self.trees[other.index()] else { return };
        let mut is_near = false;
        tree.meeting(box_of(corners), |_| {
            is_near = true;
            false
        });
        if !is_near {
            return;
        }
        let [a, b, c] = corners;
        let middle = a + ((b - a) + (c - a)) / 3.0;
        let size = (b - a).length().max((c - b).length()).max((a - c).length());
        points.extend(BEHIND.map(|behind| middle - behind * size * normal));
        let start = self.bodies.triangles_of(other).start;
        for edge in self.edges(index) {
            let mut at = vec![0.0, 1.0];
            tree.meeting(box_of(edge), |hit| {
                at.extend(meeting(edge, self.corners(start + hit as usize)));
                true
            });
            at.sort_unstable_by(f64::total_cmp);
            for pair in at.windows(2).filter(|pair| pair[0] < pair[1]) {
                let on_edge = edge[0] + 0.5 * (pair[0] + pair[1]) * (edge[1] - edge[0]);
                let off_edge = on_edge + OFF_EDGE * (middle - on_edge);
                points.push(off_edge - BEHIND[2] * size * normal);
            }
        }
    }

    /// Whether a point is inside a body, exactly.
    fn holds(&mut self, body: BodyId, point: Vec3) -> bool {
        if self.bodies.kind(body) == BodyKind::Tets {
            return self.holders.is_inside(point, self.positions, self.bodies, body);
        }
        self.fit(body);
        let Some(tree) = &self.trees[body.index()] else { return false };
        let start = self.bodies.triangles_of(body).start;
        let mut winding = Winding::default();
        let beam = Aabb { min: point, max: point.with_z(f64::INFINITY) };
        tree.meeting(beam, |hit| {
            winding.add(ray_crossing(point, self.corners(start + hit as usize), UP));
            !winding.touches()
        });
        winding.is_inside()
    }

    /// Makes the tree of a body, unless it is there.
    fn fit(&mut self, body: BodyId) {
        if self.trees[body.index()].is_none() {
            let boxes = self.bodies.triangles_of(body).map(|index| box_of(self.corners(index)));
            self.trees[body.index()] = Some(Bvh::new(&boxes.collect::<Vec<_>>()));
        }
    }

    fn corners(&self, triangle: usize) -> [Vec3; 3] {
        self.bodies.triangles()[triangle].map(|v| self.positions[v.index()])
    }

    fn edges(&self, triangle: usize) -> [[Vec3; 2]; 3] {
        let [a, b, c] = self.corners(triangle);
        [[a, b], [b, c], [c, a]]
    }
}

/// Whether a segment passes from one side of a triangle to the other through its inside.
fn passes_through([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    let sides = [orient3d(a, b, c, p), orient3d(a, b, c, q)];
    // Compared one by one: the product of two small numbers may be 0.
    if !(sides[0] < 0.0 && sides[1] > 0.0 || sides[0] > 0.0 && sides[1] < 0.0) {
        return false;
    }
    let turns = [orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)];
    turns.iter().all(|&turn| turn > 0.0) || turns.iter().all(|&turn| turn < 0.0)
}

/// Where along a segment, 0 to 1, it meets a triangle that it does not lie in the plane of.
///
/// Whether it does is exact; where is not, and need not be.
fn meeting([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> Option<f64> {
    if !segment_meets_triangle([p, q], [a, b, c]) {
        return None;
    }
    let normal = (b - a).cross(c - a);
    let (height, climb) = (normal.dot(a - p), normal.dot(q - p));
    let at = height / climb;
    at.is_finite().then(|| at.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Mesh;
    use crate::detect::brute;
    use crate::detect::tets::overlapping_tets;
    use crate::id::VertexId;
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::TetSplit;
    use crate::mesh::raw::RawMesh;
    use crate::mesh::surface::Surface;
    use crate::mesh::tet::TetMesh;

    /// Two bodies of either kind, the second moved.
    fn scene(raw: [&RawMesh; 2], kinds: [BodyKind; 2], by: Vec3) -> (Vec<Vec3>, Bodies) {
        let tets = raw.map(|raw| TetMesh::from_raw(raw.clone()).unwrap().0);
        let skins = raw.map(|raw| {
            let mut raw = raw.clone();
            raw.triangles = TetMesh::from_raw(raw.clone()).unwrap().0.surface().to_vec();
            raw.tets.clear();
            Surface::from_raw(raw).unwrap().0
        });
        let mesh = |k: usize| match kinds[k] {
            BodyKind::Tets => Mesh::Tets(&tets[k]),
            BodyKind::Surface => Mesh::Surface(&skins[k]),
            BodyKind::SpringNetwork | BodyKind::Particles | BodyKind::Outline => {
                Mesh::SpringNetwork(0, &[])
            }
        };
        let moved = raw[1].positions.iter().map(|&p| p + by);
        let positions = raw[0].positions.iter().copied().chain(moved).collect();
        (positions, Bodies::from_meshes(&[mesh(0), mesh(1)]).unwrap())
    }

    /// Two bars that cross at a right angle, without a vertex in each other.
    fn bars(kinds: [BodyKind; 2], lift: f64) -> (Vec<Vec3>, Bodies) {
        let sizes = [Vec3::new(4.0, 1.0, 1.0), Vec3::new(0.9, 4.0, 1.1)];
        let raw = sizes.map(|size| cuboid([1; 3], size, TetSplit::Six).unwrap());
        scene([&raw[0], &raw[1]], kinds, Vec3::new(0.03, 0.02, lift))
    }

    const KINDS: [[BodyKind; 2]; 4] = [
        [BodyKind::Tets, BodyKind::Tets],
        [BodyKind::Tets, BodyKind::Surface],
        [BodyKind::Surface, BodyKind::Tets],
        [BodyKind::Surface, BodyKind::Surface],
    ];

    /// Two bodies without a vertex in each other, of all kinds, as they are and elsewhere.
    #[track_caller]
    fn check(raw: [&RawMesh; 2], by: [f64; 3], expected: &str) {
        for kinds in KINDS {
            for (scale, far) in [(1.0, 0.0), (1e-6, 0.0), (3.0, 0.1), (1e6, 1e9)] {
                let (mut positions, bodies) = scene(raw, kinds, by.into());
                positions.iter_mut().for_each(|p| *p = scale * *p + Vec3::splat(far));
                let overlaps = brute::overlaps(&positions, &bodies);
                assert!(overlaps.vertices.is_empty(), "{by:?}");
                let found = crossing_pairs(&positions, &bodies, &overlaps);
                let named = if found.is_empty() { "apart" } else { "overlap" };
                assert_eq!(named, expected, "{kinds:?} {by:?} {scale} {far}");
            }
        }
    }

    fn cube() -> RawMesh {
        cuboid([1; 3], Vec3::ONE, TetSplit::Six).unwrap()
    }

    #[test]
    fn cubes_in_line_overlap_though_their_surfaces_meet_in_common_planes_only() {
        check([&cube(), &cube()], [0.0, 0.0, 0.0], "overlap");
        check([&cube(), &cube()], [0.5, 0.0, 0.0], "overlap");
        check([&cube(), &cube()], [0.5, 0.5, 0.0], "overlap");
        check([&cube(), &cube()], [0.0, 0.0, -0.015625], "overlap");
        // Cut along other diagonals.
        let other = cuboid([1; 3], Vec3::ONE, TetSplit::Five).unwrap();
        check([&cube(), &other], [0.0, 0.0, 0.0], "overlap");
        check([&cube(), &other], [0.0, 0.75, 0.0], "overlap");
    }

    #[test]
    fn cubes_that_touch_do_not_overlap() {
        check([&cube(), &cube()], [1.0, 0.0, 0.0], "apart"); // a face
        check([&cube(), &cube()], [1.0, 0.5, 0.25], "apart"); // a part of it
        check([&cube(), &cube()], [0.5, 1.0, 1.0], "apart"); // an edge
        check([&cube(), &cube()], [1.0, 1.0, -1.0], "apart"); // a corner
        check(
            [&cube(), &cuboid([1; 3], Vec3::splat(0.5), TetSplit::Five).unwrap()],
            [0.75, 0.0, 0.0],
            "apart",
        );
    }

    #[test]
    fn bars_of_one_height_and_a_body_that_only_touches_from_inside_overlap() {
        let [x, y] = [Vec3::new(4.0, 1.0, 1.0), Vec3::new(1.0, 16.0, 1.0)];
        let [x, y] = [x, y].map(|size| cuboid([1; 3], size, TetSplit::Six).unwrap());
        check([&x, &y], [0.0, 0.0, 0.0], "overlap");
        check([&x, &y], [0.5, 5.0, 0.0], "overlap");
        // An octahedron around the origin, its six tips on the faces of the cube.
        let tips = [Vec3::X, Vec3::Y, -Vec3::X, -Vec3::Y, Vec3::Z, -Vec3::Z];
        let mut gem = RawMesh { positions: tips.map(|p| 0.5 * p).to_vec(), ..RawMesh::default() };
        gem.tets = (0..4).map(|k| [4, 5, (k + 1) % 4, k].map(VertexId)).collect();
        gem.regions = vec![0; 4];
        check([&cube(), &gem], [0.0, 0.0, 0.0], "overlap");
        check([&cube(), &gem], [0.0, 1.0, 0.0], "apart"); // tip on face
    }

    #[test]
    fn an_edge_that_ends_on_a_triangle_or_passes_beside_it_does_not_pass_through() {
        let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let inside = Vec3::new(0.25, 0.25, 0.0);
        assert!(passes_through([inside - Vec3::Z, inside + Vec3::Z], triangle));
        assert!(passes_through([inside + Vec3::Z, inside - Vec3::Z], triangle));
        assert!(!passes_through([inside, inside + Vec3::Z], triangle)); // ends on it
        let edge = Vec3::X * 0.5;
        assert!(!passes_through([edge - Vec3::Z, edge + Vec3::Z], triangle));
        assert!(!passes_through([-Vec3::Z, Vec3::Z], triangle)); // at a corner
        assert!(!passes_through([-Vec3::X, 2.0 * Vec3::X], triangle)); // in its plane
        assert!(!passes_through([Vec3::ONE - Vec3::Z * 2.0, Vec3::ONE], triangle));
    }

    #[test]
    fn crossing_bars_are_found_without_a_vertex_inside() {
        for kinds in KINDS {
            for (lift, expected) in [(0.1, 1), (1.04, 1), (1.06, 0)] {
                let (positions, bodies) = bars(kinds, lift);
                let overlaps = brute::overlaps(&positions, &bodies);
                assert!(overlaps.vertices.is_empty());
                let found = crossing_pairs(&positions, &bodies, &overlaps);
                assert_eq!(found, vec![[BodyId(0), BodyId(1)]; expected], "{kinds:?} {lift}");
            }
        }
    }

    #[test]
    fn a_pair_with_a_vertex_inside_is_not_listed() {
        let (mut positions, bodies) = bars([BodyKind::Tets; 2], 0.1);
        let inside = bodies.vertices(BodyId(1)).start;
        positions[inside] = Vec3::new(0.1, 0.1, 0.1);
        let overlaps = brute::overlaps(&positions, &bodies);
        assert!(!overlaps.vertices.is_empty() && !overlapping_tets(&positions, &bodies).is_empty());
        assert!(crossing_pairs(&positions, &bodies, &overlaps).is_empty());
    }
}
