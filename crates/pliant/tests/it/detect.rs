//! Detection by the grid and by rays equals brute force, in every flag.

use pliant::depth::fused::Scratch;
use pliant::detect::tets::{overlapping_tets, tets_overlap};
use pliant::detect::{Overlaps, brute, union};
use pliant::id::{TetId, VertexId};
use pliant::math::random::Random;
use pliant::math::{Vec3, orient3d};
use pliant_papers::detect::grid;

use crate::scenes::{Body, assemble, crumpled, snapped, sound, soup};

/// Share of a lattice step that is near, though far above rounding.
const NEARBY: f64 = 1e-6;

#[track_caller]
fn check(list: &[Body]) -> usize {
    let (positions, bodies) = assemble(list);
    let expected = brute::overlaps(&positions, &bodies);
    assert_eq!(grid::overlaps(&positions, &bodies), expected);
    let mut fast = Overlaps::default();
    let mut scratch = Scratch::new(&positions, &bodies).unwrap();
    scratch.overlaps(&positions, &bodies, &mut fast).unwrap();
    assert_eq!(fast, expected);
    expected.into.iter().map(<[_]>::len).sum()
}

#[test]
fn the_grid_finds_the_vertices_that_the_slow_twin_finds() {
    let mut random = Random::new(11);
    let mut inside = 0;
    for _ in 0..1500 {
        inside += check(&soup(&mut random, Random::point));
        inside += check(&soup(&mut random, |random| random.lattice_point(4)));
        inside += check(&soup(&mut random, |random| 1e12 + 8.0 * random.lattice_point(3)));
    }
    assert!(inside > 1000, "{inside}");
    for round in 0..20 {
        check(&sound(&mut random, 2 + round % 3));
        check(&crumpled(&mut random, 2 + round % 3));
        check(&snapped(crumpled(&mut random, 2)));
    }
}

#[test]
fn vertices_of_mixed_sizes_are_found() {
    let mut random = Random::new(17);
    for _ in 0..200 {
        let mut list = soup(&mut random, Random::point);
        let scale = [1e-6, 1e-3, 1e3, 1e12][random.below(4)];
        list[0].positions.iter_mut().for_each(|p| *p = scale * (*p - 0.5) + 0.5);
        check(&list);
    }
}

#[test]
fn around_a_point_inside_there_is_no_outside() {
    let mut random = Random::new(12);
    let (mut tied, mut closed) = (0, 0);
    for _ in 0..3000 {
        let body = &soup(&mut random, |random| random.lattice_point(3))[0];
        let held = |point: Vec3| {
            body.tets.iter().filter(|&&tet| union::is_held(point, &body.positions, tet)).count()
        };
        for corner in 0..27_usize {
            let point =
                Vec3::new((corner % 3) as f64, (corner / 3 % 3) as f64, (corner / 9) as f64);
            if held(point) < 2 {
                continue;
            }
            tied += 1;
            if union::is_inside(point, &body.positions, &body.tets) {
                closed += 1;
                for _ in 0..40 {
                    let around = point + NEARBY * (random.point() - 0.5);
                    assert!(held(around) > 0, "{point} {:?} {:?}", body.positions, body.tets);
                }
            }
        }
    }
    assert!(tied > 3000 && closed > 20, "{tied} {closed}");
}

/// Whether two tets overlap, by cutting one with the planes of the other.
///
/// What is left is convex; it has volume when its corners are not in one plane. All
/// corners are quotients of small whole numbers, kept as (numerators, denominator).
fn overlap_by_cutting(a: [Vec3; 4], b: [Vec3; 4]) -> bool {
    let planes: Vec<_> = [a, b].into_iter().flat_map(inward_planes).collect();
    let mut met = vec![false; planes.len()];
    for i in 0..planes.len() {
        for j in 0..i {
            for k in 0..j {
                let Some(corner) = common_point([planes[i], planes[j], planes[k]]) else {
                    continue;
                };
                let heights: Vec<f64> = planes.iter().map(|plane| height(*plane, corner)).collect();
                if heights.iter().all(|&h| h >= 0.0) {
                    met.iter_mut().zip(heights).for_each(|(met, h)| *met |= h > 0.0);
                }
            }
        }
    }
    // The mean of all corners is strictly inside of every plane that one of them is.
    met.iter().all(|&met| met)
}

/// Normal and offset of the four planes of a tet, positive inside.
fn inward_planes(v: [Vec3; 4]) -> [(Vec3, f64); 4] {
    [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]].map(|[a, b, c, tip]: [usize; 4]| {
        let normal = (v[b] - v[a]).cross(v[c] - v[a]);
        let sign = normal.dot(v[tip] - v[a]).signum();
        (sign * normal, -sign * normal.dot(v[a]))
    })
}

/// The point on three planes, times a positive denominator, by Cramer's rule.
fn common_point([p, q, r]: [(Vec3, f64); 3]) -> Option<(Vec3, f64)> {
    let below = p.0.dot(q.0.cross(r.0));
    let above = -(p.1 * q.0.cross(r.0) + q.1 * r.0.cross(p.0) + r.1 * p.0.cross(q.0));
    (below != 0.0).then(|| (below.signum() * above, below.abs()))
}

fn height(plane: (Vec3, f64), corner: (Vec3, f64)) -> f64 {
    plane.0.dot(corner.0) + plane.1 * corner.1
}

#[test]
fn tets_overlap_as_cutting_them_shows() {
    let mut random = Random::new(13);
    let mut counts = [0, 0];
    for round in 0..30_000 {
        let mut tet = |end| [(); 4].map(|()| random.lattice_point(end));
        let (a, mut b) = (tet(4), tet(4));
        // Common corners, edges, faces, and the same tet twice.
        (0..round % 5).for_each(|k| b[k] = a[k]);
        let has_volume = |t: [Vec3; 4]| orient3d(t[0], t[1], t[2], t[3]) != 0.0;
        let expected = has_volume(a) && has_volume(b) && overlap_by_cutting(a, b);
        assert_eq!(tets_overlap(a, b), expected, "{a:?} {b:?}");
        counts[usize::from(expected)] += 1;
    }
    assert!(counts[0] > 3000 && counts[1] > 3000, "{counts:?}");
}

/// The pairs found by the grid are those of brute force; returns their number.
#[track_caller]
fn check_tets(list: &[Body]) -> usize {
    let (positions, bodies) = assemble(list);
    let corners = |tet: usize| bodies.tets()[tet].map(|v| positions[v.index()]);
    let mut expected = Vec::new();
    for own in bodies.ids() {
        for other in bodies.ids().filter(|&other| other > own) {
            for a in bodies.tets_of(own) {
                for b in bodies.tets_of(other) {
                    if tets_overlap(corners(a), corners(b)) {
                        expected.push([TetId(a as u32), TetId(b as u32)]);
                    }
                }
            }
        }
    }
    expected.sort_unstable();
    assert_eq!(overlapping_tets(&positions, &bodies), expected);
    expected.len()
}

#[test]
fn the_grid_finds_the_tets_that_overlap() {
    let mut random = Random::new(14);
    let mut count = 0;
    for round in 0..100 {
        count += check_tets(&match round % 3 {
            0 => soup(&mut random, Random::point),
            1 => soup(&mut random, |random| random.lattice_point(4)),
            _ => crumpled(&mut random, 2),
        });
    }
    assert!(count > 1000, "{count}");
}

/// Corners of a tet around the origin, every second one of a cube.
const FAR_CORNERS: [[f64; 3]; 4] =
    [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];

/// One tet that covers too many cells: as first body, as last, and as both.
#[test]
fn huge_tets_among_small_ones_are_found_in_any_order() {
    let mut random = Random::new(15);
    let mut counts = [0; 3];
    for round in 0..60 {
        let small = sound(&mut random, 1).remove(0);
        let huge = [(); 2].map(|()| Body {
            positions: FAR_CORNERS.map(|p| 20.0 * Vec3::from(p) + 9.0 * random.point()).to_vec(),
            tets: vec![[0, 1, 2, 3].map(VertexId)],
        });
        let [first, last] = huge;
        let list = match round % 3 {
            0 => vec![first, small],
            1 => vec![small, last],
            _ => vec![first, small, last],
        };
        counts[round % 3] += check_tets(&list);
    }
    assert!(counts.iter().all(|&count| count > 50), "{counts:?}");
}
