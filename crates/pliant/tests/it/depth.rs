//! Invariances of depths: other algorithms, other numbering, other positions.

use pliant::body::Bodies;
use pliant::depth::{DepthSettings, Penetrations, Reason, Scope, fused};
use pliant::detect::{Overlaps, brute};
use pliant::id::{BodyId, VertexId};
use pliant::math::Vec3;
use pliant::math::random::Random;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::normals::Normals;
use pliant_papers::depth::staged;
use pliant_papers::detect::grid;
use pliant_papers::detect::voxels::Voxels;

use crate::scenes::{
    Body, aligned, assemble, assemble_mixed, crumpled, shuffled, snapped, sound, soup,
};

/// Relative to the size of the scene, and for unit vectors; weights are at most 1.
const TOLERANCE: f64 = 1e-9;

fn by_brute(positions: &[Vec3], bodies: &Bodies, settings: DepthSettings) -> Penetrations {
    let overlaps = brute::overlaps(positions, bodies);
    staged::penetrations(positions, bodies, &overlaps, settings, |edge, into| {
        brute::exit(edge, into, positions, bodies)
    })
}

fn by_grid(positions: &[Vec3], bodies: &Bodies, settings: DepthSettings) -> Penetrations {
    let overlaps = grid::overlaps(positions, bodies);
    let voxels = Voxels::new(positions, bodies, &overlaps, settings.scope);
    staged::penetrations(positions, bodies, &overlaps, settings, |edge, into| {
        voxels.exit(edge, into)
    })
}

fn by_rays(positions: &[Vec3], bodies: &Bodies, settings: DepthSettings) -> Penetrations {
    let mut found = Penetrations::default();
    let mut scratch = fused::Scratch::new(positions, bodies).unwrap();
    scratch.penetrations(positions, bodies, settings, &mut found).unwrap();
    found
}

type Way = fn(&[Vec3], &Bodies, DepthSettings) -> Penetrations;

const BOTH: [Way; 2] = [by_grid, by_rays];

/// Result of one vertex, by body and number within it.
#[derive(Clone, Debug, PartialEq)]
struct Reported {
    vertex: (usize, usize),
    into: Vec<usize>,
    ring: Option<u32>,
    reason: Option<Reason>,
    /// Zero without a penetration.
    depth: f64,
    direction: Vec3,
}

fn reported(bodies: &Bodies, found: &Penetrations) -> Vec<Reported> {
    let name = |vertex: VertexId| {
        let body = bodies.body_of(vertex);
        (body.index(), vertex.index() - bodies.vertices(body).start)
    };
    let into = |span| found.bodies(span).iter().map(|body: &BodyId| body.index()).collect();
    let resolved = found.resolved.iter().map(|r| Reported {
        vertex: name(r.vertex),
        into: into(r.into),
        ring: Some(r.ring),
        reason: None,
        depth: r.penetration.depth,
        direction: r.penetration.direction,
    });
    let unresolved = found.unresolved.iter().map(|u| Reported {
        vertex: name(u.vertex),
        into: into(u.into),
        ring: None,
        reason: Some(u.reason),
        depth: 0.0,
        direction: Vec3::ZERO,
    });
    sorted(resolved.chain(unresolved).collect())
}

fn sorted(mut list: Vec<Reported>) -> Vec<Reported> {
    list.iter_mut().for_each(|reported| reported.into.sort_unstable());
    list.sort_by(|a, b| (a.vertex, &a.into).cmp(&(b.vertex, &b.into)));
    list
}

/// `size` is that of the scene, m.
#[track_caller]
fn assert_near(found: &[Reported], expected: &[Reported], size: f64) {
    let flags = |list: &[Reported]| -> Vec<_> {
        list.iter().map(|t| (t.vertex, t.into.clone(), t.ring, t.reason)).collect()
    };
    assert_eq!(flags(found), flags(expected));
    for (a, b) in found.iter().zip(expected) {
        let near = (a.depth - b.depth).abs() < TOLERANCE * size
            && a.direction.abs_diff_eq(b.direction, TOLERANCE);
        assert!(near, "{a:?} {b:?}");
    }
}

fn settings(round: usize) -> DepthSettings {
    let scope = if round.is_multiple_of(2) { Scope::Scene } else { Scope::Pairs };
    DepthSettings { scope, exponent: [2.0, 2.0, 3.0][round % 3], ..DepthSettings::default() }
}

/// The grid's result must be the reference's, bit for bit.
#[track_caller]
fn check_grid(list: &[Body], round: usize) -> usize {
    let (positions, bodies) = assemble(list);
    let slow = by_brute(&positions, &bodies, settings(round));
    assert_eq!(by_grid(&positions, &bodies, settings(round)), slow);
    slow.resolved.len()
}

/// The fused result must be the reference's up to rounding; returns the collisions.
#[track_caller]
fn check_rays(list: &[Body], settings: DepthSettings) -> usize {
    let (positions, bodies) = assemble(list);
    let slow = by_brute(&positions, &bodies, settings);
    let fast = by_rays(&positions, &bodies, settings);
    assert_near(&reported(&bodies, &fast), &reported(&bodies, &slow), 1.0);
    assert_eq!(fast.missed_edges, slow.missed_edges);
    slow.resolved.len() + slow.unresolved.len()
}

/// The same for bodies without an inverted tet: every edge finds its crossing.
#[track_caller]
fn check_sound(list: &[Body], settings: DepthSettings) -> usize {
    let (positions, bodies) = assemble(list);
    assert_eq!(by_rays(&positions, &bodies, settings).missed_edges, 0);
    check_rays(list, settings)
}

#[test]
fn every_setting_of_the_fused_pass_agrees_with_the_slow_twin() {
    let mut random = Random::new(1);
    let mut colliding = 0;
    for round in 0..60 {
        let normals = [Normals::Area, Normals::Angle, Normals::Face][round % 3];
        let exponent = [2.0, 2.0, 1.5][round % 3];
        let settings = DepthSettings { exponent, normals, ..settings(round) };
        colliding += check_sound(&sound(&mut random, 2 + round % 4), settings);
    }
    assert!(colliding > 1000, "{colliding}");
}

#[test]
fn vertices_exactly_on_faces_edges_and_vertices_agree_with_the_slow_twin() {
    let mut random = Random::new(5);
    let mut colliding = 0;
    for _ in 0..60 {
        colliding += check_sound(&aligned(&mut random, 3), DepthSettings::default());
    }
    assert!(colliding > 500, "{colliding}");
}

/// Two blocks on one lattice, half in each other: most vertices lie on faces.
#[test]
fn ties_cost_as_much_per_vertex_on_a_fine_lattice_as_on_a_coarse_one() {
    let tested_per_vertex = |cells: u32| {
        let block = cuboid([cells; 3], Vec3::ONE, TetSplit::Six).unwrap();
        let body = |by: f64| Body {
            positions: block.positions.iter().map(|&p| p + by * Vec3::X).collect(),
            tets: block.tets.clone(),
        };
        let (positions, bodies) = assemble(&[body(0.0), body(0.5)]);
        let mut scratch = fused::Scratch::new(&positions, &bodies).unwrap();
        let (settings, mut found) = (DepthSettings::default(), Penetrations::default());
        scratch.penetrations(&positions, &bodies, settings, &mut found).unwrap();
        assert!(scratch.tets_tested() > 0);
        scratch.tets_tested() as f64 / positions.len() as f64
    };
    // At most eight cells of six tets meet at a vertex, whatever their number.
    for cells in [2, 4, 8] {
        assert!(tested_per_vertex(cells) <= 48.0);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let mut random = Random::new(9);
    let (mut resolved, mut unresolved) = (0, 0);
    for (round, count) in [1, 2, 7, 7].into_iter().enumerate() {
        let mut list = sound(&mut random, count);
        // Every body once more, small in its own middle: enclosed vertices after resolved ones.
        for body in list.clone() {
            let middle = body.positions.iter().sum::<Vec3>() / body.positions.len() as f64;
            list.push(mapped(&[body], |p| middle + 0.05 * (p - middle)).remove(0));
        }
        let (positions, bodies) = assemble(&list);
        let one = by_rays(&positions, &bodies, settings(round));
        resolved += one.resolved.len();
        unresolved += one.unresolved.len();
        for threads in [0, 2, 3, 16, usize::MAX] {
            let mut scratch = fused::Scratch::new(&positions, &bodies).unwrap();
            scratch.set_threads(threads);
            let mut found = Penetrations::default();
            for _ in 0..2 {
                scratch.penetrations(&positions, &bodies, settings(round), &mut found).unwrap();
                assert_eq!(found, one);
            }
        }
    }
    assert!(resolved > 100 && unresolved > 100, "{resolved} {unresolved}");
}

#[test]
fn grid_and_voxels_give_the_bits_of_the_slow_twin() {
    let mut random = Random::new(21);
    let mut resolved = 0;
    for round in 0..300 {
        resolved += check_grid(&soup(&mut random, Random::point), round);
        resolved += check_grid(&soup(&mut random, |random| random.lattice_point(4)), round);
    }
    assert!(resolved > 300, "{resolved}");
    let mut resolved = [0; 4];
    for round in 0..30 {
        resolved[0] += check_grid(&sound(&mut random, 2 + round % 3), round);
        resolved[1] += check_grid(&crumpled(&mut random, 2 + round % 3), round);
        resolved[2] += check_grid(&snapped(sound(&mut random, 2)), round);
        resolved[3] += check_grid(&snapped(crumpled(&mut random, 2)), round);
    }
    assert!(resolved.iter().all(|&count| count > 100), "{resolved:?}");
}

#[test]
fn rays_and_fans_agree_with_the_slow_twin_on_crumpled_bodies() {
    let mut random = Random::new(22);
    let mut colliding = [0, 0];
    for round in 0..60 {
        colliding[0] += check_sound(&sound(&mut random, 2 + round % 3), settings(round));
        colliding[1] += check_rays(&crumpled(&mut random, 2 + round % 3), settings(round));
    }
    assert!(colliding.iter().all(|&count| count > 500), "{colliding:?}");
}

#[test]
fn rays_and_fans_agree_with_the_slow_twin_in_every_tie() {
    let mut random = Random::new(23);
    let mut colliding = [0, 0];
    for round in 0..60 {
        colliding[0] += check_rays(&snapped(sound(&mut random, 2 + round % 3)), settings(round));
        colliding[1] += check_rays(&snapped(crumpled(&mut random, 2 + round % 3)), settings(round));
    }
    assert!(colliding.iter().all(|&count| count > 500), "{colliding:?}");
}

#[test]
fn surfaces_among_tets_are_found_alike_by_all_ways() {
    let mut random = Random::new(24);
    let mut resolved = 0;
    for round in 0..40 {
        let (positions, bodies) = assemble_mixed(&sound(&mut random, 2 + round % 3));
        let slow = by_brute(&positions, &bodies, settings(round));
        assert_eq!(by_grid(&positions, &bodies, settings(round)), slow);
        let fast = by_rays(&positions, &bodies, settings(round));
        assert_near(&reported(&bodies, &fast), &reported(&bodies, &slow), 1.0);
        assert_eq!((fast.missed_edges, slow.missed_edges), (0, 0));
        resolved += slow.resolved.len();
    }
    assert!(resolved > 300, "{resolved}");
}

#[test]
fn reasons_are_those_of_the_slow_twin() {
    // A needle through a plate: of the four vertices in the middle, two have as many edges
    // up as down, and the two between do not settle it. Beside it a needle that ends in the
    // plate, and a grain within.
    let flat = DepthSettings { normals: Normals::Face, ..DepthSettings::default() };
    let body = |cells: [u32; 3], size: Vec3, by: Vec3| {
        let mesh = cuboid(cells, size, TetSplit::Six).unwrap();
        Body { positions: mesh.positions.iter().map(|&p| p + by).collect(), tets: mesh.tets }
    };
    let list = [
        body([4, 4, 1], Vec3::new(4.0, 4.0, 1.0), Vec3::ZERO),
        body([1, 1, 2], Vec3::new(0.1, 0.1, 4.0), Vec3::new(0.3, 0.4, 0.0)),
        body([1, 1, 2], Vec3::new(0.1, 0.1, 4.0), Vec3::new(-0.7, 0.4, 1.9)),
        body([1, 1, 1], Vec3::splat(0.1), Vec3::new(-1.2, 0.4, 0.0)),
    ];
    check_sound(&list, flat);
    let (positions, bodies) = assemble(&list);
    let found = by_rays(&positions, &bodies, flat);
    let count = |reason| found.unresolved.iter().filter(|u| u.reason == reason).count();
    assert_eq!((count(Reason::Cancelled), count(Reason::Rounding)), (2, 0));
    assert_eq!(count(Reason::Enclosed), 8);
}

/// An inverted surface winds −1 times around its volume: that is not inside.
#[test]
fn a_surface_that_is_inside_out_holds_nothing() {
    let mut random = Random::new(25);
    let mut lost = 0;
    for round in 0..20 {
        let (mut positions, bodies) = assemble_mixed(&sound(&mut random, 2));
        let into_surface =
            |found: &Overlaps| found.into.iter().filter(|into| into.contains(&BodyId(0))).count();
        lost += into_surface(&brute::overlaps(&positions, &bodies));
        let surface = bodies.vertices(BodyId(0));
        let middle = positions[surface.clone()].iter().sum::<Vec3>() / surface.len() as f64;
        positions[surface].iter_mut().for_each(|p| p.x = 2.0 * middle.x - p.x);
        let slow = by_brute(&positions, &bodies, settings(round));
        let fast = by_rays(&positions, &bodies, settings(round));
        assert_near(&reported(&bodies, &fast), &reported(&bodies, &slow), 1.0);
        let mut found = Overlaps::default();
        let mut scratch = fused::Scratch::new(&positions, &bodies).unwrap();
        scratch.overlaps(&positions, &bodies, &mut found).unwrap();
        assert_eq!(into_surface(&found), 0);
    }
    assert!(lost > 50, "{lost}");
}

/// Both algorithms agree on a changed scene, up to what `change` does to a result.
///
/// `size` is that of the changed scene, m. Returns the number of collisions.
#[track_caller]
fn check_changed(
    [before, after]: [&[Body]; 2],
    round: usize,
    size: f64,
    change: impl Fn(Reported) -> Reported,
) -> usize {
    let mut colliding = 0;
    for way in BOTH {
        let [before, after] = [before, after].map(|list| {
            let (positions, bodies) = assemble(list);
            let found = way(&positions, &bodies, settings(round));
            assert_eq!(found.missed_edges, 0);
            reported(&bodies, &found)
        });
        colliding = before.len();
        assert_near(&after, &sorted(before.into_iter().map(&change).collect()), size);
    }
    colliding
}

fn mapped(list: &[Body], place: impl Fn(Vec3) -> Vec3) -> Vec<Body> {
    let mut list = list.to_vec();
    list.iter_mut().flat_map(|body| &mut body.positions).for_each(|p| *p = place(*p));
    list
}

#[test]
fn a_moved_and_turned_scene_has_turned_directions_and_the_same_depths() {
    let mut random = Random::new(31);
    let mut colliding = 0;
    for round in 0..40 {
        let list = sound(&mut random, 2 + round % 3);
        let (turn, by) = (random.rotation(), 20.0 * random.point());
        let moved = mapped(&list, |p| turn * p + by);
        colliding += check_changed([&list, &moved], round, 1.0, |reported| Reported {
            direction: turn * reported.direction,
            ..reported
        });
    }
    assert!(colliding > 300, "{colliding}");
}

#[test]
fn a_scaled_scene_has_scaled_depths() {
    let mut random = Random::new(32);
    let mut colliding = 0;
    for round in 0..40 {
        let list = sound(&mut random, 2 + round % 3);
        let scale = [0.5, 1e-6, 3.0, 1e-50, 1e60][round % 5];
        let scaled = mapped(&list, |p| scale * p);
        colliding += check_changed([&list, &scaled], round, scale, |reported| Reported {
            depth: scale * reported.depth,
            ..reported
        });
    }
    assert!(colliding > 300, "{colliding}");
}

#[test]
fn a_mirrored_scene_has_mirrored_directions() {
    let mut random = Random::new(33);
    let mut colliding = 0;
    for round in 0..20 {
        let list = sound(&mut random, 2 + round % 3);
        let flip = Vec3::new(-1.0, 1.0, 1.0);
        let mut mirrored = mapped(&list, |p| flip * p);
        mirrored.iter_mut().flat_map(|body| &mut body.tets).for_each(|tet| tet.swap(0, 1));
        colliding += check_changed([&list, &mirrored], round, 1.0, |reported| Reported {
            direction: flip * reported.direction,
            ..reported
        });
    }
    assert!(colliding > 300, "{colliding}");
}

#[test]
fn renumbered_vertices_keep_their_depths() {
    let mut random = Random::new(34);
    let mut colliding = 0;
    for round in 0..40 {
        let list = sound(&mut random, 2 + round % 3);
        let orders: Vec<_> =
            list.iter().map(|body| shuffled(&mut random, body.positions.len())).collect();
        let mut renumbered = list.clone();
        for (body, (old, order)) in renumbered.iter_mut().zip(list.iter().zip(&orders)) {
            for (vertex, &new) in order.iter().enumerate() {
                body.positions[new] = old.positions[vertex];
            }
            for corner in body.tets.iter_mut().flatten() {
                *corner = VertexId(order[corner.index()] as u32);
            }
        }
        colliding += check_changed([&list, &renumbered], round, 1.0, |reported| {
            let (body, vertex) = reported.vertex;
            Reported { vertex: (body, orders[body][vertex]), ..reported }
        });
    }
    assert!(colliding > 300, "{colliding}");
}

#[test]
fn bodies_in_another_order_tell_the_same() {
    let mut random = Random::new(35);
    let mut colliding = 0;
    for round in 0..40 {
        let list = sound(&mut random, 2 + round % 3);
        let order = shuffled(&mut random, list.len());
        let mut reordered = list.clone();
        for (body, &new) in order.iter().enumerate() {
            reordered[new] = list[body].clone();
        }
        colliding += check_changed([&list, &reordered], round, 1.0, |reported| {
            let into = reported.into.iter().map(|&body| order[body]).collect();
            Reported { vertex: (order[reported.vertex.0], reported.vertex.1), into, ..reported }
        });
    }
    assert!(colliding > 300, "{colliding}");
}
