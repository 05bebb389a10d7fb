//! Bodies whose least separation is known, and hostile ones.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::ops::ControlFlow;

use pliant::body::Mesh;
use pliant::math::random::Random;
use pliant::math::{Aabb, Quat, Vec3};
use pliant::mesh::generate::ball::ball;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::generate::torus::{TorusSettings, torus};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use pliant::mesh::tet::TetMesh;
use pliant::prelude::{RigidBody, SoftBody, World, vec3};
use pliant::separate::{
    Body, MOST_VOLUME_CHANGE, Manner, Mobility, Nesting, OverlapKind, SeparateSettings, Separation,
    Undeformed, overlaps, self_intersections, separate, separate_with,
};

/// Largest factor on the least translation that separates two convex bodies.
const FAIR: f64 = 1.3;

fn rigid() -> SeparateSettings {
    SeparateSettings { manner: Manner::Rigid, ..SeparateSettings::default() }
}

fn tets(raw: RawMesh) -> TetMesh {
    TetMesh::from_raw(raw).unwrap().0
}

fn block(size: Vec3) -> TetMesh {
    tets(cuboid([2; 3], size, TetSplit::Five).unwrap())
}

fn sphere(radius: f64) -> TetMesh {
    tets(ball(radius, 4).unwrap())
}

fn ring(tube_radius: f64) -> TetMesh {
    tets(torus(&TorusSettings { ring_radius: 1.0, tube_radius, around: 24, rings: 2 }).unwrap())
}

fn skin(mesh: &TetMesh) -> Surface {
    let (positions, triangles) = (mesh.positions().to_vec(), mesh.surface().to_vec());
    Surface::from_raw(RawMesh { positions, triangles, ..RawMesh::default() }).unwrap().0
}

fn moved(mesh: &TetMesh, turn: Quat, by: Vec3) -> Vec<Vec3> {
    mesh.positions().iter().map(|p| turn * *p + by).collect()
}

fn free<'a>(mesh: &'a TetMesh, positions: &'a [Vec3]) -> Body<'a> {
    Body::new(Mesh::Tets(mesh), positions)
}

fn fixed<'a>(mesh: &'a TetMesh, positions: &'a [Vec3]) -> Body<'a> {
    Body { mobility: Mobility::Fixed, ..free(mesh, positions) }
}

/// Separates, and checks that the judge agrees on what was returned.
#[track_caller]
fn separated(bodies: &[Body<'_>], settings: SeparateSettings) -> Separation {
    let found = separate(bodies, &settings).unwrap();
    assert!(found.is_free(), "{:?}", found.left);
    let now: Vec<Body<'_>> = bodies
        .iter()
        .zip(&found.positions)
        .map(|(body, positions)| Body { positions, ..*body })
        .collect();
    assert_eq!(overlaps(&now, found.gap, &found.kept_nested).unwrap(), []);
    found
}

/// How far the first of two bodies moved relative to the second, m.
fn relative(found: &Separation) -> f64 {
    found.changes[0].translation.distance(found.changes[1].translation)
}

#[test]
fn boxes_move_by_the_least_translation() {
    let (a, b) = (block(Vec3::ONE), block(Vec3::new(1.0, 2.0, 0.7)));
    for by in [Vec3::new(0.8, 0.1, 0.2), Vec3::new(0.0, 1.3, 0.1), Vec3::new(0.1, 0.2, 0.05)] {
        let moved = moved(&b, Quat::IDENTITY, by);
        let bodies = [free(&a, a.positions()), free(&b, &moved)];
        let found = separated(&bodies, rigid());
        // Along each axis half the sum of the sizes, less how far the centres are apart.
        let least = (0.5 * (Vec3::ONE + Vec3::new(1.0, 2.0, 0.7)) - by.abs()).min_element();
        let way = relative(&found);
        assert!(way < 1.02 * (least + found.gap), "{way} {least}");
        // Only what turns may move less.
        let turns = found.changes.iter().any(|change| change.rotation > 1e-6);
        assert!(turns || way >= least + found.gap, "{way} {least}");
    }
}

#[test]
fn balls_move_by_the_sum_of_radii_less_the_distance() {
    let (a, b) = (sphere(1.0), sphere(0.5));
    let mut random = Random::new(4);
    for distance in [0.0, 0.3, 0.9, 1.4] {
        let by = distance * random.rotation().mul_vec3(Vec3::X);
        let moved = moved(&b, random.rotation(), by);
        let bodies = [free(&a, a.positions()), free(&b, &moved)];
        let found = separated(&bodies, rigid());
        let least = 1.5 - distance + found.gap;
        let way = relative(&found);
        // The faces of a ball of 4 layers are some hundredths of its radius inside of it.
        assert!(way < FAIR * least && way > least - 0.04, "{distance}: {way} {least}");
    }
}

#[test]
fn turned_boxes_move_at_most_by_the_thinnest_slab_of_many() {
    let mut random = Random::new(11);
    let (a, b) = (block(Vec3::ONE), block(Vec3::new(0.8, 1.5, 0.4)));
    for _ in 0..20 {
        let moved = moved(&b, random.rotation(), 0.4 * random.vec3());
        let bodies = [free(&a, a.positions()), free(&b, &moved)];
        let found = separated(&bodies, rigid());
        let slab = |axis: Vec3| {
            let support = |points: &[Vec3], axis: Vec3| {
                points.iter().map(|p| axis.dot(*p)).fold(f64::NEG_INFINITY, f64::max)
            };
            support(&moved, axis) + support(a.positions(), -axis)
        };
        let slabs = (0..20_000).map(|_| slab(random.rotation().mul_vec3(Vec3::X)));
        let least = slabs.fold(f64::INFINITY, f64::min) + found.gap;
        assert!(relative(&found) < 1.05 * least, "{} {least}", relative(&found));
    }
}

#[test]
fn movement_is_shared_by_mass_and_fixed_bodies_stay() {
    let (large, small) = (block(Vec3::splat(2.0)), block(Vec3::ONE)); // volumes 8 and 1
    let beside = moved(&small, Quat::IDENTITY, Vec3::new(1.3, 0.1, 0.2));
    let both = separated(&[free(&large, large.positions()), free(&small, &beside)], rigid());
    let lengths = both.changes.iter().map(|change| change.translation.length()).collect::<Vec<_>>();
    assert!((lengths[1] / lengths[0] - 8.0).abs() < 1e-6, "{lengths:?}");
    let one = separated(&[fixed(&large, large.positions()), free(&small, &beside)], rigid());
    assert_eq!(one.changes[0].largest_movement, 0.0);
    assert_eq!(one.positions[0], large.positions());
    assert!((relative(&one) - relative(&both)).abs() < 1e-3, "{one:?}");
}

#[test]
fn identical_copies_come_apart() {
    let mesh = block(Vec3::new(1.0, 1.2, 1.4));
    let bodies = [free(&mesh, mesh.positions()); 4];
    let found = separated(&bodies, rigid());
    assert_eq!(found.before.len(), 6);
    assert!(found.changes.iter().all(|change| change.largest_movement < 6.0));
}

#[test]
fn bodies_apart_stay_bit_by_bit() {
    let mesh = sphere(0.5);
    let there = moved(&mesh, Quat::IDENTITY, Vec3::new(1.1, 0.0, 0.0));
    let found = separated(&[free(&mesh, mesh.positions()), free(&mesh, &there)], rigid());
    assert_eq!((found.before.len(), found.iterations), (0, 0));
    assert_eq!(found.positions, [mesh.positions().to_vec(), there]);
}

#[test]
fn bodies_that_are_only_too_near_get_the_gap_and_no_more() {
    let mesh = block(Vec3::ONE);
    let there = moved(&mesh, Quat::IDENTITY, Vec3::new(1.01, 0.0, 0.0));
    let settings = SeparateSettings { gap: Some(0.05), ..rigid() };
    let found = separated(&[free(&mesh, mesh.positions()), free(&mesh, &there)], settings);
    assert_eq!(found.before[0].kind, OverlapKind::Near);
    assert!((found.before[0].distance - 0.01).abs() < 1e-12);
    assert!(relative(&found) > 0.04 && relative(&found) < 0.041, "{}", relative(&found));
}

#[test]
fn overlapping_fixed_bodies_are_left_and_named() {
    let mesh = block(Vec3::ONE);
    let there = moved(&mesh, Quat::IDENTITY, Vec3::new(0.5, 0.0, 0.0));
    let bodies =
        [fixed(&mesh, mesh.positions()), fixed(&mesh, &there), free(&mesh, mesh.positions())];
    let found = separate(&bodies, &rigid()).unwrap();
    assert_eq!(found.left.len(), 1);
    assert_eq!((found.left[0].bodies, found.left[0].kind), ([0, 1], OverlapKind::Crossing));
    assert!(found.left[0].depth > 0.4, "{:?}", found.left);
}

#[test]
fn a_body_inside_another_is_taken_out_unless_it_shall_stay() {
    let (shell, core) = (sphere(1.0), sphere(0.3));
    let there = moved(&core, Quat::IDENTITY, Vec3::new(0.2, 0.1, 0.0));
    let bodies = [free(&shell, shell.positions()), free(&core, &there)];
    let out = separated(&bodies, rigid());
    assert_eq!(out.before[0].kind, OverlapKind::Nested);
    assert!(relative(&out) > 0.9, "{}", relative(&out));
    let settings = SeparateSettings { nesting: Nesting::Keep, ..rigid() };
    let kept = separated(&bodies, settings);
    assert_eq!((kept.kept_nested.as_slice(), kept.iterations), ([[0, 1]].as_slice(), 0));
}

/// A box in a larger one, 0.1 m inside of its sides, and something that overlaps both.
#[test]
fn what_is_kept_in_another_body_stays_in_it_however_both_have_to_move() {
    let (shell, core) = (block(Vec3::ONE), block(Vec3::splat(0.8)));
    // A bar through both, and a wall in which they are to the middle.
    let (bar, wall) = (block(vec3(3.0, 0.2, 0.2)), block(vec3(3.0, 10.0, 10.0)));
    let (bar, wall) = ((&bar, Vec3::ZERO), (&wall, -1.5 * Vec3::X));
    for manner in Manner::ALL {
        for (other, by) in [bar, wall] {
            let there = moved(other, Quat::IDENTITY, by);
            let bodies = [
                free(&shell, shell.positions()),
                free(&core, core.positions()),
                fixed(other, &there),
            ];
            let settings = SeparateSettings { manner, nesting: Nesting::Keep, ..rigid() };
            let found = separated(&bodies, settings);
            assert_eq!(found.kept_nested, [[0, 1]]);
            let [outer, inner] =
                [0, 1].map(|body| Aabb::around(found.positions[body].iter().copied()));
            let is_inside = outer.contains(inner.min) && outer.contains(inner.max);
            assert!(is_inside, "{}: {outer:?} {inner:?}", manner.name());
        }
    }
}

#[test]
fn what_has_left_the_body_that_it_was_to_stay_in_is_no_success() {
    let (shell, core) = (block(Vec3::ONE), block(Vec3::splat(0.8)));
    for (by, left) in [(0.0, 0), (1.0, 1), (50.0, 1)] {
        let there = moved(&core, Quat::IDENTITY, by * Vec3::X);
        let bodies = [free(&shell, shell.positions()), free(&core, &there)];
        let found = overlaps(&bodies, 1e-3, &[[0, 1]]).unwrap();
        assert_eq!(found.len(), left, "{by}");
        for overlap in found {
            // From the side of the shell, at 0.5, to that of the core.
            assert_eq!((overlap.kind, overlap.depth), (OverlapKind::Escaped, 0.0));
            assert!((overlap.distance - (by - 0.9)).abs() < 1e-12, "{overlap:?}");
        }
    }
}

/// The least translation that separates two boxes of some sizes, m, of which the first is turned
/// and moved: along a side of either, or across an edge of each.
fn least_of_boxes([a, b]: [Vec3; 2], turn: Quat, by: Vec3) -> f64 {
    let own = [Vec3::X, Vec3::Y, Vec3::Z];
    let sides = own.map(|axis| turn * axis);
    let across = sides.iter().flat_map(|u| own.map(|v| u.cross(v)));
    let axes = sides.into_iter().chain(own).chain(across).filter_map(Vec3::try_normalize);
    let reach = |axis: Vec3| {
        let of_a = sides.iter().zip(a.to_array()).map(|(side, size)| axis.dot(*side).abs() * size);
        0.5 * (of_a.sum::<f64>() + axis.abs().dot(b))
    };
    axes.map(|axis| reach(axis) - by.dot(axis).abs()).fold(f64::INFINITY, f64::min)
}

#[test]
fn boxes_thrown_at_random_move_by_hardly_more_than_the_least_translation() {
    let sizes = [vec3(0.8, 1.5, 0.4), vec3(1.0, 0.7, 1.2)];
    let [a, b] = sizes.map(block);
    let mut random = Random::new(31);
    let (mut worst, mut count) = (0.0_f64, 0);
    for _ in 0..80 {
        let (turn, by) = (random.rotation(), 0.7 * random.vec3());
        let least = least_of_boxes(sizes, turn, by);
        if least < 0.02 {
            continue;
        }
        let there = moved(&a, turn, by);
        let found = separated(&[free(&a, &there), free(&b, b.positions())], rigid());
        worst = worst.max(relative(&found) / (least + found.gap));
        count += 1;
    }
    assert!(count > 50 && worst < FAIR && worst > 0.5, "{worst} of {count}");
}

#[test]
fn a_chain_shares_its_movement_by_mass_and_each_pair_is_as_far_apart_as_the_gap() {
    let mesh = block(Vec3::ONE);
    let masses = [1.0, 4.0, 2.0, 8.0, 1.0];
    let places: Vec<Vec<Vec3>> = (0..masses.len())
        .map(|k| moved(&mesh, Quat::IDENTITY, vec3(0.9 * k as f64, 0.01 * k as f64, 0.0)))
        .collect();
    let bodies: Vec<Body<'_>> = places
        .iter()
        .zip(masses)
        .map(|(at, mass)| Body { mass: Some(mass), ..free(&mesh, at) })
        .collect();
    let found = separated(&bodies, rigid());
    let distances: Vec<f64> = found.changes.iter().map(|change| change.translation.x).collect();
    for (k, pair) in distances.windows(2).enumerate() {
        let apart = pair[1] - pair[0];
        assert!((apart - 0.1 - found.gap).abs() < 0.02 * 0.1, "{k}: {distances:?}");
    }
    // What pushes one body pushes another back: the centre of mass of all stays.
    let moment: f64 = distances.iter().zip(masses).map(|(way, mass)| mass * way).sum();
    assert!(moment.abs() < 1e-3, "{moment} {distances:?}");
}

#[test]
fn deforming_bodies_go_no_farther_than_moving_them_as_they_are() {
    let meshes = [block(vec3(0.6, 1.0, 0.4)), sphere(0.4), ring(0.2)];
    let mut random = Random::new(8);
    let farthest = |found: &Separation| {
        found.changes.iter().map(|change| change.mean_movement).fold(0.0, f64::max)
    };
    let (mut worst, mut shorter) = (0.0_f64, 0);
    for k in 0..9 {
        let both = [&meshes[k % 3], &meshes[k / 3]];
        let there = moved(both[1], random.rotation(), 0.5 * random.vec3());
        let bodies = [free(both[0], both[0].positions()), free(both[1], &there)];
        let rigidly = farthest(&separated(&bodies, rigid()));
        for settings in [soft(), SeparateSettings::default()] {
            let share = farthest(&separated(&bodies, settings)) / rigidly;
            worst = worst.max(share);
            shorter += usize::from(share < 0.9);
        }
    }
    assert!(worst < 1.1 && shorter >= 9, "{worst} {shorter}"); // of 18
}

/// Sum of sizes times mean squares of the movement of the vertices of all bodies, m³.
fn movement(bodies: &[Body<'_>], found: &Separation) -> f64 {
    let both = bodies.iter().zip(&found.positions);
    let of = |(body, after): (&Body<'_>, &Vec<Vec3>)| {
        let squares = body.positions.iter().zip(after).map(|(a, b)| a.distance_squared(*b));
        let size = Aabb::around(body.positions.iter().copied()).size().max_element();
        size * squares.sum::<f64>() / after.len() as f64
    };
    both.map(of).sum()
}

#[test]
fn piles_are_deformed_only_where_that_moves_them_less() {
    let meshes = [block(vec3(0.6, 1.0, 0.4)), sphere(0.4), ring(0.2)];
    let (mut deformed, mut in_vain) = (0, 0);
    for (seed, count) in [(7, 4), (5, 10), (10, 12)] {
        let mut random = Random::new(seed);
        let places: Vec<Vec<Vec3>> = (0..count)
            .map(|k| moved(&meshes[k % 3], random.rotation(), 0.6 * random.vec3()))
            .collect();
        let pile = places.iter().enumerate();
        let bodies: Vec<Body<'_>> =
            pile.map(|(k, at)| Body { mass: Some(1.0), ..free(&meshes[k % 3], at) }).collect();
        let as_they_are = movement(&bodies, &separated(&bodies, rigid()));
        assert!(as_they_are > 0.0, "{seed}");
        for (settings, worth) in [(soft(), 1.0), (SeparateSettings::default(), 0.9)] {
            let found = separated(&bodies, settings);
            let share = movement(&bodies, &found) / as_they_are;
            let is_deformed = found.changes.iter().any(|change| change.manner == Manner::Soft);
            let most = if is_deformed { worth } else { 1.0 };
            assert!(share <= most + 1e-9, "{seed}: {share}");
            deformed += usize::from(is_deformed);
            let no_gain = Some(Undeformed::NoGain);
            in_vain += usize::from(found.changes.iter().any(|c| c.undeformed == no_gain));
        }
    }
    assert!(deformed > 0 && in_vain > 0, "{deformed} {in_vain}"); // of 6
}

/// Depth of the only pair of two bodies.
#[track_caller]
fn depth(bodies: &[Body<'_>]) -> f64 {
    let found = overlaps(bodies, 0.0, &[]).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].depth
}

#[test]
fn copies_and_crossed_bars_are_as_deep_as_the_way_out_is_long() {
    let mesh = block(vec3(1.0, 0.6, 0.8));
    // No vertex is inside; the shortest way out is along the thinnest side.
    let copies = depth(&[free(&mesh, mesh.positions()); 2]);
    assert!((copies - 0.6).abs() < 1e-3, "{copies}");
    // So is it up to the rounding of a file, which puts vertices a hair inside.
    let rounded: Vec<Vec3> =
        mesh.positions().iter().map(|p| p.as_vec3().as_dvec3() * (1.0 - 1e-7)).collect();
    let copies = depth(&[free(&mesh, mesh.positions()), free(&mesh, &rounded)]);
    assert!((copies - 0.6).abs() < 1e-3, "{copies}");
    let ball = sphere(0.5);
    let copies = depth(&[free(&ball, ball.positions()); 2]);
    assert!(copies > 0.9 && copies < 1.01, "{copies}");
    // Bars of 0.2 m that cross at right angles, 0.05 m beside each other's middle.
    let bar = tets(cuboid([1; 3], vec3(2.0, 0.2, 0.2), TetSplit::Five).unwrap());
    let across = moved(&bar, Quat::from_rotation_z(1.5), vec3(0.0, 0.0, 0.05));
    let crossed = depth(&[free(&bar, bar.positions()), free(&bar, &across)]);
    assert!((crossed - 0.15).abs() < 1e-3, "{crossed}");
    // What only touches has no depth.
    let beside = moved(&mesh, Quat::IDENTITY, vec3(1.0, 0.1, 0.1));
    assert!(depth(&[free(&mesh, mesh.positions()), free(&mesh, &beside)]) < 1e-3);
}

#[test]
fn a_ring_around_a_rod_stays_around_it() {
    // The rod pokes 0.05 m through the inner side of the ring: it is led back, not out.
    let (ring, rod) = (ring(0.2), block(Vec3::new(0.5, 3.0, 0.5)));
    let there = moved(&rod, Quat::IDENTITY, Vec3::new(0.6, 0.0, 0.0));
    let bodies = [free(&ring, ring.positions()), free(&rod, &there)];
    let found = separated(&bodies, rigid());
    assert!(relative(&found) < 0.1, "{}", relative(&found));
}

/// Two rings through each other, whose tubes of radius 0.25 m overlap by 0.1 m along x.
#[test]
fn linked_rings_that_have_room_stay_linked() {
    let ring = ring(0.25);
    let turn = Quat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let (low, high) = (ring.positions().to_vec(), moved(&ring, turn, 1.6 * Vec3::X));
    let found = separated(&[free(&ring, &low), free(&ring, &high)], rigid());
    assert!(found.is_free() && relative(&found) < FAIR * 0.1, "{}", relative(&found));
}

#[test]
fn thirty_bodies_thrown_together_come_apart_as_tets_and_as_surfaces() {
    let meshes = [block(Vec3::new(0.6, 1.0, 0.4)), sphere(0.4), ring(0.2)];
    let skins: Vec<Surface> = meshes.iter().map(skin).collect();
    let mut random = Random::new(23);
    let places: Vec<Vec<Vec3>> =
        (0..30).map(|k| moved(&meshes[k % 3], random.rotation(), 1.2 * random.vec3())).collect();
    let as_tets: Vec<_> =
        places.iter().enumerate().map(|(k, at)| free(&meshes[k % 3], at)).collect();
    let surface = |(k, body): (usize, &Body<'_>)| Body {
        mesh: Mesh::Surface(&skins[k % 3]),
        positions: places[k].as_slice(),
        ..*body
    };
    let found = separated(&as_tets, rigid());
    let as_surfaces: Vec<_> = as_tets.iter().enumerate().map(surface).collect();
    let of_surfaces = separated(&as_surfaces, rigid());
    assert_eq!(found.positions, of_surfaces.positions);
    let size = Aabb::around(places.iter().flatten().copied()).size().max_element();
    let most = found.changes.iter().map(|change| change.largest_movement).fold(0.0, f64::max);
    assert!(most < 1.5 * size, "{most} {size}, {} iterations", found.iterations);
}

#[test]
fn two_fixed_walls_send_a_body_out_sideways() {
    // A block of 1 m between walls 0.8 m apart: it must leave along y or z.
    let (wall, mesh) = (block(Vec3::new(1.0, 4.0, 4.0)), block(Vec3::ONE));
    let [left, right] = [-0.9, 0.9].map(|x| moved(&wall, Quat::IDENTITY, x * Vec3::X));
    let there = moved(&mesh, Quat::IDENTITY, Vec3::new(0.0, 1.2, 0.3));
    let bodies = [fixed(&wall, &left), fixed(&wall, &right), free(&mesh, &there)];
    let found = separated(&bodies, rigid());
    assert!(found.changes[2].translation.length() < 5.0, "{:?}", found.changes[2]);
}

#[test]
fn a_thousand_bodies_come_apart() {
    let mesh = tets(cuboid([1; 3], Vec3::ONE, TetSplit::Five).unwrap());
    let mut random = Random::new(2);
    let places: Vec<Vec<Vec3>> =
        (0..1000).map(|_| moved(&mesh, random.rotation(), 9.0 * random.vec3())).collect();
    let bodies: Vec<_> = places.iter().map(|at| free(&mesh, at)).collect();
    separated(&bodies, rigid());
}

#[test]
fn bad_input_is_refused_by_body_and_value() {
    let mesh = block(Vec3::ONE);
    let mut broken = mesh.positions().to_vec();
    broken[3].y = f64::NAN;
    let check = |body: Body<'_>, gap: f64, expected: &str| {
        let settings = SeparateSettings { gap: Some(gap), ..rigid() };
        let bodies = [free(&mesh, mesh.positions()), body];
        assert_eq!(separate(&bodies, &settings).unwrap_err().to_string(), expected);
    };
    let text = "vertex 3 of body 1 is at [-0.5, NaN, -0.5], which is not finite or too far out";
    let found = separate(&[free(&mesh, mesh.positions()), free(&mesh, &broken)], &rigid());
    assert!(found.unwrap_err().to_string().starts_with("vertex 3 of body 1 is at"), "{text}");
    check(free(&mesh, &broken[..4]), 0.1, "body 1 has 4 positions, its mesh has 27 vertices");
    let points = Body { mesh: Mesh::Particles(27), ..free(&mesh, mesh.positions()) };
    let why = "body 1 has no inside: only tets and closed surfaces can be separated";
    check(points, 0.1, why);
    let why = "the gap is -1, it must be from 0 to 1000 times the size of the largest body";
    check(free(&mesh, mesh.positions()), -1.0, why);
    let flat: Vec<Vec3> = mesh.positions().iter().map(|p| p.with_z(0.0)).collect();
    check(
        free(&mesh, &flat),
        0.1,
        "body 1 has no inside: only tets and closed surfaces can be separated",
    );
    assert!(separate(&[], &rigid()).unwrap().is_free());
}

#[test]
fn a_stop_leaves_what_was_reached_and_says_so() {
    let mesh = block(Vec3::ONE);
    let bodies = [free(&mesh, mesh.positions()); 2];
    let stop = &mut |_| ControlFlow::Break(());
    let found = separate_with(&bodies, &rigid(), stop).unwrap();
    assert!(found.stopped && !found.is_free());
}

#[test]
fn a_surface_that_meets_itself_is_found() {
    let mesh = block(Vec3::ONE);
    let mut folded = mesh.positions().to_vec();
    assert!(self_intersections(&free(&mesh, &folded)).is_empty());
    let corner = folded.iter().position(|p| *p == Vec3::splat(0.5)).unwrap();
    folded[corner] = Vec3::splat(-2.0);
    assert!(!self_intersections(&free(&mesh, &folded)).is_empty());
}

fn soft() -> SeparateSettings {
    SeparateSettings { manner: Manner::Soft, ..SeparateSettings::default() }
}

#[test]
fn soft_balls_give_way_where_they_meet_and_stay_sound() {
    let (a, b) = (sphere(1.0), sphere(1.0));
    let there = moved(&b, Quat::from_rotation_x(0.3), Vec3::new(1.7, 0.1, 0.0));
    let bodies = [free(&a, a.positions()), free(&b, &there)];
    let found = separated(&bodies, soft());
    for change in &found.changes {
        assert_eq!((change.manner, change.inverted_tets), (Manner::Soft, 0));
        assert!(change.strain > 0.01 && change.strain < 0.5, "{change:?}");
        // Half of the overlap of 0.3 m each, and some more where they are pressed flat.
        assert!(change.largest_movement > 0.1 && change.largest_movement < 0.4, "{change:?}");
        // They stay nearer to their places than bodies that only move.
        assert!(change.mean_movement < 0.12, "{change:?}");
    }
}

#[test]
fn soft_surfaces_come_back_with_their_triangles_and_deform() {
    let mesh = sphere(0.5);
    let skin = skin(&mesh);
    let there: Vec<Vec3> =
        skin.positions().iter().map(|p| *p + Vec3::new(0.8, 0.05, 0.1)).collect();
    let body = |positions| Body::new(Mesh::Surface(&skin), positions);
    let bodies = [body(skin.positions()), body(there.as_slice())];
    let found = separated(&bodies, soft());
    assert!(found.changes.iter().all(|change| change.manner == Manner::Soft));
    assert!(found.changes.iter().all(|change| change.strain > 0.01), "{:?}", found.changes);
}

#[test]
fn a_soft_body_squeezed_between_fixed_walls_gets_thinner() {
    // A ball of 1 m between walls 0.9 m apart.
    let (wall, ball) = (block(Vec3::new(1.0, 3.0, 3.0)), sphere(0.5));
    let [left, right] = [-0.95, 0.95].map(|x| moved(&wall, Quat::IDENTITY, x * Vec3::X));
    let bodies = [fixed(&wall, &left), fixed(&wall, &right), free(&ball, ball.positions())];
    let found = separated(&bodies, soft());
    let width = Aabb::around(found.positions[2].iter().copied()).size().x;
    assert!(width < 0.9 && width > 0.88, "{width}");
    assert!(found.changes[2].translation.length() < 0.02, "{:?}", found.changes[2]);
    assert_eq!(found.changes[2].inverted_tets, 0);
    // Without softness it must leave between them.
    let out = separated(&bodies, rigid());
    assert!(out.changes[2].translation.length() > 1.0, "{:?}", out.changes[2]);
}

#[test]
fn auto_moves_what_is_shallow_and_deforms_what_is_deep() {
    let mesh = sphere(0.5);
    let manner_at = |x: f64| {
        let there = moved(&mesh, Quat::IDENTITY, x * Vec3::X);
        let bodies = [free(&mesh, mesh.positions()), free(&mesh, &there)];
        separated(&bodies, SeparateSettings::default()).changes[0].manner
    };
    // Each moves by half of the overlap: 0.01 m and 0.1 m, of 1 m.
    assert_eq!((manner_at(0.98), manner_at(0.8)), (Manner::Rigid, Manner::Soft));
}

#[test]
fn auto_keeps_most_of_the_volume_however_deep_bodies_start() {
    // Without a bound the balls at 0.9 lose 11 %.
    let cube = skin(&block(Vec3::ONE));
    let ball = skin(&sphere(0.5));
    for (name, mesh) in [("cube", &cube), ("ball", &ball)] {
        for overlap in [0.3, 0.6, 0.9] {
            let by = vec3(1.0 - overlap, 0.05, 0.02);
            let there: Vec<Vec3> = mesh.positions().iter().map(|p| *p + by).collect();
            let bodies = [mesh.positions(), &there].map(|at| Body::new(Mesh::Surface(mesh), at));
            for change in &separated(&bodies, SeparateSettings::default()).changes {
                assert!(
                    change.volume_change.abs() <= MOST_VOLUME_CHANGE,
                    "{name} {overlap}: {change:?}"
                );
            }
        }
    }
}

#[test]
fn a_pile_of_soft_bodies_comes_apart_without_new_faults() {
    let meshes = [block(Vec3::new(0.6, 1.0, 0.4)), sphere(0.4), ring(0.2)];
    let mut random = Random::new(5);
    let places: Vec<Vec<Vec3>> =
        (0..8).map(|k| moved(&meshes[k % 3], random.rotation(), 1.2 * random.vec3())).collect();
    let bodies: Vec<_> =
        places.iter().enumerate().map(|(k, at)| free(&meshes[k % 3], at)).collect();
    let found = separated(&bodies, soft());
    for (body, (positions, change)) in found.positions.iter().zip(&found.changes).enumerate() {
        assert_eq!(change.inverted_tets, 0, "{body}");
        let now = Body { positions, ..bodies[body] };
        assert!(self_intersections(&now).is_empty(), "{body}");
    }
}

#[test]
fn two_runs_give_the_same_bits() {
    let mesh = sphere(0.5);
    let there = moved(&mesh, Quat::IDENTITY, Vec3::new(0.6, 0.2, 0.1));
    let bodies = [free(&mesh, mesh.positions()), free(&mesh, &there)];
    for settings in [rigid(), soft()] {
        assert_eq!(separate(&bodies, &settings).unwrap(), separate(&bodies, &settings).unwrap());
    }
}

#[test]
fn rods_turn_where_that_moves_them_less() {
    // Two rods of 0.1 × 0.1 × 2 m, of which the ends overlap by 0.04 m along x.
    let rod = block(Vec3::new(0.1, 0.1, 2.0));
    let there = moved(&rod, Quat::IDENTITY, Vec3::new(0.06, 0.0, 1.8));
    let found = separated(&[free(&rod, rod.positions()), free(&rod, &there)], rigid());
    let translated = 0.5 * (0.04 + found.gap);
    for change in &found.changes {
        assert!(change.rotation > 1e-3 && change.strain < 1e-9, "{change:?}");
        assert!(change.mean_movement < 0.8 * translated, "{change:?} {translated}");
    }
    // A ball has nothing to gain from it.
    let ball = sphere(0.5);
    let there = moved(&ball, Quat::IDENTITY, Vec3::new(0.8, 0.0, 0.0));
    let found = separated(&[free(&ball, ball.positions()), free(&ball, &there)], rigid());
    assert!(found.changes.iter().all(|change| change.rotation < 0.05), "{:?}", found.changes);
}

#[test]
fn soft_bodies_deform_however_deep_they_start() {
    let ball = sphere(1.0);
    for distance in [0.3, 0.7, 1.1, 1.5] {
        let by = Vec3::new(distance, 0.1, 0.05);
        let there = moved(&ball, Quat::from_rotation_x(0.3), by);
        let found = separated(&[free(&ball, ball.positions()), free(&ball, &there)], soft());
        let translated = 0.5 * (2.0 - by.length());
        for change in &found.changes {
            assert_eq!((change.manner, change.inverted_tets), (Manner::Soft, 0), "{distance}");
            assert!(change.strain > 0.02 && change.strain <= 0.6, "{distance}: {change:?}");
            assert!(change.mean_movement < 0.95 * translated, "{distance}: {change:?}");
        }
    }
}

#[test]
fn a_body_that_is_moved_as_it_is_says_why_and_a_deformed_one_does_not() {
    // A plate far thinner than the tets of its cage, across a ball.
    let (ball, plate) = (sphere(0.5), skin(&block(vec3(1.0, 1.0, 1e-3))));
    let there: Vec<Vec3> = plate.positions().iter().map(|p| *p + vec3(0.3, 0.1, 0.2)).collect();
    let bodies = [free(&ball, ball.positions()), Body::new(Mesh::Surface(&plate), &there)];
    for (settings, expected) in [(soft(), Some(Undeformed::TooThin)), (rigid(), None)] {
        let found = separated(&bodies, settings);
        assert_eq!(found.changes[1].manner, Manner::Rigid);
        assert_eq!(found.changes[1].undeformed, expected);
    }
    for change in separated(&bodies, soft()).changes {
        let is_named = change.undeformed.is_some();
        let is_whole = change.manner == Manner::Rigid && change.largest_movement > 0.0;
        assert_eq!(is_named, is_whole, "{change:?}");
    }
}

#[test]
fn a_soft_body_between_others_gives_way_to_both() {
    let ball = sphere(0.5);
    let [left, right] = [-0.8, 0.8].map(|x| moved(&ball, Quat::IDENTITY, x * Vec3::X));
    let bodies = [fixed(&ball, &left), free(&ball, ball.positions()), fixed(&ball, &right)];
    let found = separated(&bodies, soft());
    let rigidly = separated(&bodies, rigid());
    assert_eq!(found.changes[1].manner, Manner::Soft);
    assert!(
        found.changes[1].mean_movement < rigidly.changes[1].mean_movement,
        "{:?} {:?}",
        found.changes[1],
        rigidly.changes[1]
    );
}

#[test]
fn soft_bodies_without_pins_are_not_left_where_they_are() {
    let block = |at: Vec3| SoftBody::cuboid(Vec3::ONE, [2; 3]).at(at);
    let mut world = World::new();
    world.add(block(Vec3::ZERO)).unwrap();
    world.add(block(vec3(0.7, 0.1, 0.2))).unwrap();
    let settings = SeparateSettings { manner: Manner::Rigid, ..Default::default() };
    let done = world.separate(&settings).unwrap();
    assert!(done.separation.is_free(), "{:?}", done.separation.left);
    assert!(done.separation.changes.iter().all(|change| change.largest_movement > 0.05));
    for (handle, positions) in done.bodies.iter().zip(&done.separation.positions) {
        assert_eq!(world.positions(*handle).unwrap(), positions.as_slice());
    }
}

#[test]
fn rigid_bodies_are_where_the_separation_puts_their_vertices() {
    // A rod that touches the end of another turns away from it.
    let rod = |at: Vec3| RigidBody::cuboid(vec3(0.1, 0.1, 2.0)).at(at);
    let mut world = World::new();
    world.add(rod(Vec3::ZERO)).unwrap();
    world.add(rod(vec3(0.06, 0.0, 1.9))).unwrap();
    let done = world.separate(&SeparateSettings { manner: Manner::Rigid, ..Default::default() });
    let done = done.unwrap();
    assert!(done.separation.changes.iter().any(|change| change.rotation > 1e-3));
    for (handle, positions) in done.bodies.iter().zip(&done.separation.positions) {
        for (found, wanted) in world.positions(*handle).unwrap().iter().zip(positions) {
            assert!(found.distance(*wanted) < 1e-12, "{found} {wanted}");
        }
    }
}
