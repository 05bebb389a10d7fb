//! Closest features and crossing bodies without any structure: right, and slow.

use pliant::body::Bodies;
use pliant::depth::Escape;
use pliant::detect::{Overlaps, union};
use pliant::id::{BodyId, VertexId};
use pliant::math::{Aabb, Vec3, orient3d};
use pliant::mesh::normals::face_normal;
use pliant::mesh::topology;

/// Pairs of bodies that run through each other though no vertex of either is inside the other.
///
/// Smaller body first, ascending. Bodies that only touch are not among them.
pub fn crossing_pairs(
    positions: &[Vec3],
    bodies: &Bodies,
    overlaps: &Overlaps,
) -> Vec<[BodyId; 2]> {
    let mut holding: Vec<[BodyId; 2]> = Vec::new();
    for (&vertex, into) in overlaps.vertices.iter().zip(overlaps.into.iter()) {
        let own = bodies.body_of(vertex);
        holding.extend(into.iter().map(|&other| [own.min(other), own.max(other)]));
    }
    holding.sort_unstable();
    holding.dedup();
    let mut found = Vec::new();
    for a in bodies.ids() {
        for b in bodies.ids().filter(|&b| b > a) {
            if holding.binary_search(&[a, b]).is_ok() {
                continue;
            }
            let crosses =
                |a, b| pierces(a, b, positions, bodies) || has_tet_within(a, b, positions, bodies);
            if crosses(a, b) || crosses(b, a) {
                found.push([a, b]);
            }
        }
    }
    found
}

/// Whether an edge on the surface of `a` runs through a triangle of `b`.
fn pierces(a: BodyId, b: BodyId, positions: &[Vec3], bodies: &Bodies) -> bool {
    let triangles = |body| &bodies.triangles()[bodies.triangles_of(body)];
    let at = |v: VertexId| positions[v.index()];
    let around = |body| Aabb::around(triangles(body).iter().flatten().map(|&v| at(v)));
    let overlap = around(a).intersection(around(b));
    let near = |corners: &[Vec3]| Aabb::around(corners.iter().copied()).meets(overlap);
    let faces: Vec<[Vec3; 3]> =
        triangles(b).iter().map(|t| t.map(at)).filter(|t| near(t)).collect();
    let edges = topology::edges(positions.len(), triangles(a)).into_iter();
    edges.map(|edge| edge.map(at)).filter(|edge| near(edge)).any(|edge| {
        let span = Aabb::around(edge);
        faces.iter().any(|&face| Aabb::around(face).meets(span) && runs_through(edge, face))
    })
}

/// Whether the middle of a tet of `a` is inside `b`, as where the two coincide.
fn has_tet_within(a: BodyId, b: BodyId, positions: &[Vec3], bodies: &Bodies) -> bool {
    let tets = |body| &bodies.tets()[bodies.tets_of(body)];
    let at = |v: VertexId| positions[v.index()];
    let around = Aabb::around(tets(b).iter().flatten().map(|&v| at(v)));
    tets(a).iter().any(|tet| {
        let middle = tet.iter().map(|&v| at(v)).sum::<Vec3>() / 4.0;
        around.contains(middle) && union::is_inside(middle, positions, tets(b))
    })
}

/// Whether a segment passes from one side of a triangle to the other, clear of its border.
fn runs_through([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    let (side_p, side_q) = (orient3d(a, b, c, p), orient3d(a, b, c, q));
    let opposite = (side_p > 0.0 && side_q < 0.0) || (side_p < 0.0 && side_q > 0.0);
    if !opposite {
        return false;
    }
    let turns = [orient3d(p, q, a, b), orient3d(p, q, b, c), orient3d(p, q, c, a)];
    turns.iter().all(|&turn| turn > 0.0) || turns.iter().all(|&turn| turn < 0.0)
}

/// The point of a triangle that is nearest to `point`.
fn on_triangle(point: Vec3, [a, b, c]: [Vec3; 3]) -> Vec3 {
    let edges = [[a, b], [b, c], [c, a]];
    let normal = (b - a).cross(c - a);
    let beside = |&[from, to]: &[Vec3; 2]| normal.cross(to - from).dot(point - from) < 0.0;
    if let Some(normal) = normal.try_normalize()
        && !edges.iter().any(beside)
    {
        return point - normal.dot(point - a) * normal;
    }
    let ends = edges.map(|[from, to]| {
        let along = to - from;
        let share = (point - from).dot(along) / along.length_squared();
        // Equal ends give no number, and `clamp` would keep it.
        if share.is_nan() { from } else { from + share.clamp(0.0, 1.0) * along }
    });
    let [first, rest @ ..] = ends;
    let nearer = |x: Vec3, y: Vec3| {
        if y.distance_squared(point) < x.distance_squared(point) { y } else { x }
    };
    rest.into_iter().fold(first, nearer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(point: [f64; 3], expected: [f64; 3]) {
        let found = on_triangle(point.into(), [Vec3::ZERO, Vec3::X, Vec3::Y]);
        assert!(found.abs_diff_eq(expected.into(), f64::EPSILON), "{found}");
    }

    #[test]
    fn the_nearest_point_lies_on_the_face_an_edge_or_a_corner() {
        check([0.25, 0.25, 3.0], [0.25, 0.25, 0.0]);
        check([0.5, -1.0, 1.0], [0.5, 0.0, 0.0]);
        check([1.0, 1.0, -2.0], [0.5, 0.5, 0.0]);
        check([-1.0, -2.0, 0.0], [0.0, 0.0, 0.0]);
        check([3.0, 0.5, 0.0], [1.0, 0.0, 0.0]);
    }

    #[test]
    fn grazing_the_border_is_not_running_through() {
        let face = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let down = |x: f64, y: f64| [Vec3::new(x, y, 1.0), Vec3::new(x, y, -1.0)];
        assert!(runs_through(down(0.25, 0.25), face));
        for (x, y) in [(0.0, 0.0), (0.5, 0.0), (0.5, 0.5), (0.75, 0.75)] {
            assert!(!runs_through(down(x, y), face), "{x} {y}");
        }
        let [above, below] = down(0.25, 0.25);
        assert!(!runs_through([above, (above + below) / 2.0], face));
    }
}
