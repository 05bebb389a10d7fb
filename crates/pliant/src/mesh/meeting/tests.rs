//! Pairs found by the trees against every pair, and the work that hubs take.

use super::boxes::boxes;
use super::*;
use crate::math::random::Random;
use crate::mesh::intersect::{meet_beyond_corner, meet_beyond_edge, triangles_meet};

/// Whether two triangles of one surface meet where they should not.
fn meet(positions: &[Vec3], a: [VertexId; 3], b: [VertexId; 3]) -> bool {
    let at = |v: VertexId| positions[v.index()];
    let common = |v: &VertexId| b.contains(v);
    match a.iter().filter(|v| common(v)).count() {
        0 => triangles_meet(a.map(at), b.map(at)),
        1 => {
            let Some(i) = a.iter().position(common) else { return false };
            let Some(j) = b.iter().position(|v| *v == a[i]) else { return false };
            let far = |t: [VertexId; 3], k: usize| [at(t[(k + 1) % 3]), at(t[(k + 2) % 3])];
            meet_beyond_corner(at(a[i]), far(a, i), far(b, j))
        }
        2 => {
            let Some(i) = a.iter().position(|v| !common(v)) else { return false };
            let Some(&tip) = b.iter().find(|v| !a.contains(v)) else { return false };
            meet_beyond_edge([at(a[(i + 1) % 3]), at(a[(i + 2) % 3])], at(a[i]), at(tip))
        }
        _ => true, // the same triangle twice
    }
}

/// Reference implementation: every pair, without a tree.
fn brute_pairs(positions: &[Vec3], triangles: &[[VertexId; 3]]) -> Vec<[TriangleId; 2]> {
    let mut pairs = Vec::new();
    for a in 0..triangles.len() {
        for b in a + 1..triangles.len() {
            if meet(positions, triangles[a], triangles[b]) {
                pairs.push([TriangleId(a as u32), TriangleId(b as u32)]);
            }
        }
    }
    pairs
}

#[test]
fn a_box_meets_itself_nowhere_and_another_where_they_cross() {
    let (positions, triangles) = boxes(&[(Vec3::ZERO, 1.0)]);
    assert!(meeting_pairs(&positions, &triangles).found.is_empty());
    let (positions, triangles) = boxes(&[(Vec3::ZERO, 1.0), (Vec3::splat(0.9), 1.0)]);
    let found = meeting_pairs(&positions, &triangles).found;
    assert!(!found.is_empty());
    assert_eq!(found, brute_pairs(&positions, &triangles));
}

#[test]
fn random_surfaces_meet_themselves_as_the_slow_twin_says() {
    let mut random = Random::new(3);
    for _ in 0..200 {
        // A coarse lattice, so that corners, edges and planes coincide often.
        let positions: Vec<_> = (0..12).map(|_| random.lattice_point(4)).collect();
        let triangles: Vec<_> = (0..10)
            .map(|_| [0, 4, 8].map(|first| VertexId(first + random.below(4) as u32)))
            .filter(|t| !is_degenerate(t.map(|v| positions[v.index()])))
            .collect();
        let found = meeting_pairs(&positions, &triangles).found;
        assert_eq!(found, brute_pairs(&positions, &triangles));
    }
}

#[test]
fn a_fan_of_many_triangles_takes_no_quadratic_time() {
    // A disc of 50,000 sectors: a billion pairs share its middle.
    let count = 50_000_u32;
    let rim = |k: u32| {
        let (sin, cos) = libm::sincos(f64::from(k) / f64::from(count) * std::f64::consts::TAU);
        Vec3::new(cos, sin, 0.0)
    };
    let positions: Vec<_> = [Vec3::ZERO].into_iter().chain((0..count).map(rim)).collect();
    let sector = |k: u32| [0, 1 + k, 1 + (k + 1) % count].map(VertexId);
    let triangles: Vec<_> = (0..count).map(sector).collect();
    assert!(meeting_pairs(&positions, &triangles).found.is_empty());
}

#[test]
fn a_dent_pushed_through_the_far_side_is_seen() {
    let (mut positions, triangles) = boxes(&[(Vec3::ZERO, 1.0)]);
    positions[0] = Vec3::new(3.0, 0.0, 0.0);
    assert!(!meeting_pairs(&positions, &triangles).found.is_empty());
}

#[test]
fn unusable_triangles_take_no_part() {
    let (mut positions, triangles) = boxes(&[(Vec3::ZERO, 1.0), (Vec3::splat(0.9), 1.0)]);
    for position in &mut positions[..8] {
        position.x = f64::NAN;
    }
    assert!(meeting_pairs(&positions, &triangles).found.is_empty());
}

/// A cone: apex, rim, and for the base either its middle or a point of the rim as a hub.
fn cone(sides: u32, base: Base) -> (Vec<Vec3>, Vec<[VertexId; 3]>) {
    let rim = |k: u32| {
        let (sin, cos) = libm::sincos(f64::from(k) / f64::from(sides) * std::f64::consts::TAU);
        Vec3::new(cos, sin, 0.0)
    };
    let mut positions = vec![Vec3::new(0.1, 0.2, 1.0), Vec3::new(-0.2, 0.1, 0.0)];
    positions.extend((0..sides).map(rim));
    let at = |k: u32| 2 + k % sides;
    let mut triangles: Vec<_> = (0..sides).map(|k| [0, at(k), at(k + 1)].map(VertexId)).collect();
    triangles.extend(match base {
        Base::Middle => (0..sides).map(|k| [1, at(k + 1), at(k)].map(VertexId)).collect::<Vec<_>>(),
        Base::Rim => (1..sides - 1).map(|k| [2, at(k + 1), at(k)].map(VertexId)).collect(),
    });
    (positions, triangles)
}

#[derive(Clone, Copy, Debug)]
enum Base {
    Middle,
    Rim,
}

#[test]
fn hubs_take_work_in_proportion_to_their_triangles() {
    for base in [Base::Middle, Base::Rim] {
        let per_triangle = [1000, 8000].map(|sides| {
            let (positions, triangles) = cone(sides, base);
            let (found, work) = search(&positions, &triangles);
            assert_eq!(found, Search::default());
            (work.trials + work.nodes) as f64 / triangles.len() as f64
        });
        // All pairs would be eight times as many per triangle; a tree adds three levels.
        let [few, many] = per_triangle;
        assert!(many < 1.5 * few && many < 700.0, "{base:?} {per_triangle:?}");
    }
}

#[test]
fn cones_that_run_through_themselves_do_so_as_the_reference_says() {
    let mut random = Random::new(31);
    for base in [Base::Middle, Base::Rim] {
        for _ in 0..3 {
            let (mut positions, triangles) = cone(90, base);
            // Some of the rim folded inwards, and the apex pushed through the base.
            for _ in 0..6 {
                let vertex = 2 + random.below(90);
                positions[vertex] = 0.7 * random.vec3();
            }
            positions[0].z = random.signed();
            let (found, _) = search(&positions, &triangles);
            assert!(!found.found.is_empty());
            assert_eq!(found.found, brute_pairs(&positions, &triangles));
            // The same with oriented boxes from the start.
            let mut fans = Fans::new(&positions, &triangles);
            assert!(fans.fans.len() >= 2);
            for (edge, _) in edges_with_wings(&triangles, |_| true) {
                let ends = edge.map(|v| positions[v.index()]);
                let mut near = Vec::new();
                fans.fans.iter_mut().for_each(|fan| fan.visited = usize::MAX / 2);
                fans.visit_near(edge, &mut Work::default(), |other, _| {
                    near.push(other);
                    true
                });
                for (index, corners) in triangles.iter().enumerate() {
                    let apart = corners.iter().all(|v| !edge.contains(v));
                    let at = corners.map(|v| positions[v.index()]);
                    let meets = apart && segment_meets_triangle(ends, at);
                    assert!(!meets || near.contains(&(index as u32)), "{edge:?} {corners:?}");
                }
            }
            assert!(fans.fans.iter().all(|fan| !fan.oriented.is_empty()));
        }
    }
}

#[test]
fn pages_of_one_edge_are_compared_with_their_neighbours_only() {
    // A book of 100,000 pages: five billion pairs, of which one is folded.
    let count = 100_000;
    let page = |k: u32| {
        let (sin, cos) = libm::sincos(f64::from(k) / f64::from(count) * std::f64::consts::TAU);
        Vec3::new(cos, sin, 0.5)
    };
    let mut positions = vec![Vec3::ZERO, Vec3::Z];
    positions.extend((0..count).map(page));
    positions.push(0.5 * positions[7]);
    let triangles: Vec<_> = (0..=count).map(|k| [0, 1, 2 + k].map(VertexId)).collect();
    let (found, work) = search(&positions, &triangles);
    assert_eq!(found.found, [[TriangleId(5), TriangleId(count)]]);
    assert!(work.trials < 10 * triangles.len(), "{work:?}");
}
