//! What changes depths and what must not: other paths, other numbers, other places.

use pliant::body::Bodies;
use pliant::depth::{DepthSettings, Escapes, Reason, Scope, fused, staged};
use pliant::detect::voxels::Voxels;
use pliant::detect::{brute, grid};
use pliant::id::{BodyId, VertexId};
use pliant::math::Vec3;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::Cut;
use pliant::mesh::normals::Normals;

use crate::scenes::{
    Body, Dice, aligned, assemble, assemble_mixed, crumpled, snapped, sound, soup,
};

/// Sizes are about 1 m and weights stay below 1e6: rounding is far below this.
const TOLERANCE: f64 = 1e-9;

fn by_brute(positions: &[Vec3], bodies: &Bodies, settings: DepthSettings) -> Escapes {
    let overlaps = brute::overlaps(positions, bodies);
    staged::escapes(positions, bodies, &overlaps, settings, |edge, into| {
        brute::exit(edge, into, positions, bodies)
    })
}

fn by_grid(positions: &[Vec3], bodies: &Bodies, settings: DepthSettings) -> Escapes {
    let overlaps = grid::overlaps(positions, bodies);
    let voxels = Voxels::new(positions, bodies, &overlaps, settings.scope);
    staged::escapes(positions, bodies, &overlaps, settings, |edge, into| voxels.exit(edge, into))
}

fn by_rays(positions: &[Vec3], bodies: &Bodies, settings: DepthSettings) -> Escapes {
    let mut found = Escapes::default();
    fused::Scratch::new(positions, bodies).escapes(positions, bodies, settings, &mut found);
    found
}

type Way = fn(&[Vec3], &Bodies, DepthSettings) -> Escapes;

const BOTH: [Way; 2] = [by_grid, by_rays];

/// What is told of one vertex, by body and number within it.
#[derive(Clone, Debug, PartialEq)]
struct Told {
    vertex: (usize, usize),
    into: Vec<usize>,
    ring: Option<u32>,
    reason: Option<Reason>,
    /// Zero without an escape.
    depth: f64,
    direction: Vec3,
}

fn told(bodies: &Bodies, found: &Escapes) -> Vec<Told> {
    let name = |vertex: VertexId| {
        let body = bodies.body_of(vertex);
        (body.index(), vertex.index() - bodies.vertices(body).start)
    };
    let into = |span| found.bodies(span).iter().map(|body: &BodyId| body.index()).collect();
    let resolved = found.resolved.iter().map(|r| Told {
        vertex: name(r.vertex),
        into: into(r.into),
        ring: Some(r.ring),
        reason: None,
        depth: r.escape.depth,
        direction: r.escape.direction,
    });
    let unresolved = found.unresolved.iter().map(|u| Told {
        vertex: name(u.vertex),
        into: into(u.into),
        ring: None,
        reason: Some(u.reason),
        depth: 0.0,
        direction: Vec3::ZERO,
    });
    sorted(resolved.chain(unresolved).collect())
}

fn sorted(mut list: Vec<Told>) -> Vec<Told> {
    list.iter_mut().for_each(|told| told.into.sort_unstable());
    list.sort_by(|a, b| (a.vertex, &a.into).cmp(&(b.vertex, &b.into)));
    list
}

#[track_caller]
fn assert_near(found: &[Told], expected: &[Told]) {
    let flags = |list: &[Told]| -> Vec<_> {
        list.iter().map(|t| (t.vertex, t.into.clone(), t.ring, t.reason)).collect()
    };
    assert_eq!(flags(found), flags(expected));
    for (a, b) in found.iter().zip(expected) {
        let near = (a.depth - b.depth).abs() < TOLERANCE
            && a.direction.abs_diff_eq(b.direction, TOLERANCE);
        assert!(near, "{a:?} {b:?}");
    }
}

fn settings(round: usize) -> DepthSettings {
    let scope = if round.is_multiple_of(2) { Scope::Scene } else { Scope::Pairs };
    DepthSettings { scope, ..DepthSettings::default() }
}

/// The grid's answer must be the slow twin's in every bit.
#[track_caller]
fn check_grid(list: &[Body], round: usize) -> usize {
    let (positions, bodies) = assemble(list);
    let slow = by_brute(&positions, &bodies, settings(round));
    assert_eq!(by_grid(&positions, &bodies, settings(round)), slow);
    slow.resolved.len()
}

/// The fused answer must be the slow twin's but for rounding.
#[track_caller]
fn check_rays(list: &[Body], settings: DepthSettings) -> usize {
    let (positions, bodies) = assemble(list);
    let slow = by_brute(&positions, &bodies, settings);
    let fast = by_rays(&positions, &bodies, settings);
    assert_near(&told(&bodies, &fast), &told(&bodies, &slow));
    assert_eq!(fast.missed_edges, slow.missed_edges);
    slow.resolved.len() + slow.unresolved.len()
}

#[test]
fn every_setting_of_the_fused_pass_agrees_with_the_slow_twin() {
    let mut dice = Dice(1);
    let mut colliding = 0;
    for round in 0..60 {
        let normals = [Normals::Area, Normals::Angle, Normals::Face][round % 3];
        let exponent = [2.0, 2.0, 1.5][round % 3];
        let settings = DepthSettings { exponent, normals, ..settings(round) };
        colliding += check_rays(&sound(&mut dice, 2 + round % 4), settings);
    }
    assert!(colliding > 1000, "{colliding}");
}

#[test]
fn vertices_exactly_on_faces_edges_and_vertices_agree_with_the_slow_twin() {
    let mut dice = Dice(5);
    for _ in 0..60 {
        check_rays(&aligned(&mut dice, 3), DepthSettings::default());
    }
}

/// Two blocks on one lattice, half in each other: most vertices lie on faces of the other.
#[test]
fn ties_cost_as_much_per_vertex_on_a_fine_lattice_as_on_a_coarse_one() {
    let tested_per_vertex = |cells: u32| {
        let block = cuboid([cells; 3], Vec3::ONE, Cut::Six).unwrap();
        let body = |by: f64| Body {
            positions: block.positions.iter().map(|&p| p + by * Vec3::X).collect(),
            tets: block.tets.clone(),
        };
        let (positions, bodies) = assemble(&[body(0.0), body(0.5)]);
        let mut scratch = fused::Scratch::new(&positions, &bodies);
        scratch.escapes(&positions, &bodies, DepthSettings::default(), &mut Escapes::default());
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
    let mut dice = Dice(9);
    for count in [1, 2, 7] {
        let (positions, bodies) = assemble(&sound(&mut dice, count));
        let one = by_rays(&positions, &bodies, DepthSettings::default());
        for threads in [0, 2, 3, 16] {
            let mut scratch = fused::Scratch::new(&positions, &bodies);
            scratch.set_threads(threads);
            let mut found = Escapes::default();
            for _ in 0..2 {
                scratch.escapes(&positions, &bodies, DepthSettings::default(), &mut found);
                assert_eq!(found, one);
            }
        }
    }
}

#[test]
fn grid_and_voxels_give_the_bits_of_the_slow_twin() {
    let mut dice = Dice(21);
    let mut resolved = 0;
    for round in 0..300 {
        resolved += check_grid(&soup(&mut dice, Dice::point), round);
        resolved += check_grid(&soup(&mut dice, |dice| dice.lattice_point(4)), round);
    }
    assert!(resolved > 300, "{resolved}");
    for round in 0..30 {
        check_grid(&sound(&mut dice, 2 + round % 3), round);
        check_grid(&crumpled(&mut dice, 2 + round % 3), round);
        check_grid(&snapped(sound(&mut dice, 2)), round);
        check_grid(&snapped(crumpled(&mut dice, 2)), round);
    }
}

#[test]
fn rays_and_fans_agree_with_the_slow_twin_on_crumpled_bodies() {
    let mut dice = Dice(22);
    for round in 0..60 {
        check_rays(&sound(&mut dice, 2 + round % 3), settings(round));
        check_rays(&crumpled(&mut dice, 2 + round % 3), settings(round));
    }
}

#[test]
fn rays_and_fans_agree_with_the_slow_twin_in_every_tie() {
    let mut dice = Dice(23);
    for round in 0..60 {
        check_rays(&snapped(sound(&mut dice, 2 + round % 3)), settings(round));
        check_rays(&snapped(crumpled(&mut dice, 2 + round % 3)), settings(round));
    }
}

#[test]
fn surfaces_among_tets_are_found_alike_by_all_ways() {
    let mut dice = Dice(24);
    let mut resolved = 0;
    for round in 0..40 {
        let (positions, bodies) = assemble_mixed(&sound(&mut dice, 2 + round % 3));
        let slow = by_brute(&positions, &bodies, settings(round));
        assert_eq!(by_grid(&positions, &bodies, settings(round)), slow);
        let fast = by_rays(&positions, &bodies, settings(round));
        assert_near(&told(&bodies, &fast), &told(&bodies, &slow));
        assert_eq!((fast.missed_edges, slow.missed_edges), (0, 0));
        resolved += slow.resolved.len();
    }
    assert!(resolved > 300, "{resolved}");
}

/// Both ways tell the same of a changed scene, but for what `change` does to an answer.
#[track_caller]
fn check_changed([before, after]: [&[Body]; 2], round: usize, change: impl Fn(Told) -> Told) {
    for way in BOTH {
        let [before, after] = [before, after].map(|list| {
            let (positions, bodies) = assemble(list);
            told(&bodies, &way(&positions, &bodies, settings(round)))
        });
        assert_near(&after, &sorted(before.into_iter().map(&change).collect()));
    }
}

fn mapped(list: &[Body], place: impl Fn(Vec3) -> Vec3) -> Vec<Body> {
    let mut list = list.to_vec();
    list.iter_mut().flat_map(|body| &mut body.positions).for_each(|p| *p = place(*p));
    list
}

#[test]
fn a_moved_and_turned_scene_has_turned_directions_and_the_same_depths() {
    let mut dice = Dice(31);
    for round in 0..40 {
        let list = sound(&mut dice, 2 + round % 3);
        let (turn, by) = (dice.turn(), 20.0 * dice.point());
        let moved = mapped(&list, |p| turn * p + by);
        check_changed([&list, &moved], round, |told| Told {
            direction: turn * told.direction,
            ..told
        });
    }
}

#[test]
fn a_scaled_scene_has_scaled_depths() {
    let mut dice = Dice(32);
    for round in 0..40 {
        let list = sound(&mut dice, 2 + round % 3);
        let scale = [0.5, 1e-6, 3.0][round % 3];
        let scaled = mapped(&list, |p| scale * p);
        check_changed([&list, &scaled], round, |told| Told { depth: scale * told.depth, ..told });
    }
}

#[test]
fn a_mirrored_scene_has_mirrored_directions() {
    let mut dice = Dice(33);
    for round in 0..20 {
        let list = sound(&mut dice, 2 + round % 3);
        let flip = Vec3::new(-1.0, 1.0, 1.0);
        let mut mirrored = mapped(&list, |p| flip * p);
        mirrored.iter_mut().flat_map(|body| &mut body.tets).for_each(|tet| tet.swap(0, 1));
        check_changed([&list, &mirrored], round, |told| Told {
            direction: flip * told.direction,
            ..told
        });
    }
}

#[test]
fn renumbered_vertices_keep_their_depths() {
    let mut dice = Dice(34);
    for round in 0..40 {
        let list = sound(&mut dice, 2 + round % 3);
        let orders: Vec<_> = list.iter().map(|body| dice.shuffled(body.positions.len())).collect();
        let mut renumbered = list.clone();
        for (body, (old, order)) in renumbered.iter_mut().zip(list.iter().zip(&orders)) {
            for (vertex, &new) in order.iter().enumerate() {
                body.positions[new] = old.positions[vertex];
            }
            for corner in body.tets.iter_mut().flatten() {
                *corner = VertexId(order[corner.index()] as u32);
            }
        }
        check_changed([&list, &renumbered], round, |told| {
            let (body, vertex) = told.vertex;
            Told { vertex: (body, orders[body][vertex]), ..told }
        });
    }
}

#[test]
fn bodies_in_another_order_tell_the_same() {
    let mut dice = Dice(35);
    for round in 0..40 {
        let list = sound(&mut dice, 2 + round % 3);
        let order = dice.shuffled(list.len());
        let mut reordered = list.clone();
        for (body, &new) in order.iter().enumerate() {
            reordered[new] = list[body].clone();
        }
        check_changed([&list, &reordered], round, |told| {
            let into = told.into.iter().map(|&body| order[body]).collect();
            Told { vertex: (order[told.vertex.0], told.vertex.1), into, ..told }
        });
    }
}
