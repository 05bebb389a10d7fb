//! Where the contact surface comes to lie, and what each correction is worth.

use super::{Scene, block, flat, stacked};
use crate::surface::balance::Pressures;
use crate::surface::{ContactSurface, Corrections, Form, SurfaceSettings};
use pliant::body::pins::Pins;
use pliant::force::elastic::{Corotational, NeoHookean};
use pliant::force::gravity::Gravity;
use pliant::force::solid::{Hold, Solid, SolidSettings};
use pliant::id::{BodyId, VertexId};
use pliant::math::{Quat, Vec3};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::tet::TetMesh;

/// Rounding of ratios and of ways in metres, after some hundred operations.
const SAME: f64 = 1e-10;

/// Pressures of the other side over those of each displacement vertex, nothing displaced.
///
/// First those of the upper block, then of the lower; ascending.
fn ratios(scene: &Scene, corrections: Corrections) -> [Vec<f64>; 2] {
    let mut response = scene.response(flat(corrections));
    let positions = &scene.state.positions;
    let ContactSurface { settings, touches, region, balance, .. } = &mut response;
    touches.find(positions, &scene.bodies, settings.depth, corrections).unwrap();
    region.find(positions, &scene.bodies, touches.list(), &scene.system.pins, corrections);
    balance.weigh_at(scene.state.motion(), &scene.system.forces);
    let mut found = [Vec::new(), Vec::new()];
    for (place, displaced) in region.list().iter().enumerate() {
        let touches = touches.list();
        if let Some(p) = balance.pressures(displaced, place, touches, region, corrections) {
            found[scene.bodies.body_of(displaced.vertex).index()].push(p.theirs / p.mine);
        }
    }
    found.iter_mut().for_each(|list| list.sort_by(f64::total_cmp));
    found
}

#[test]
fn equal_stress_is_equal_pressure_at_any_density() {
    // Printed, finer meshes seem softer and coarser ones stiffer: the median of the ratios.
    for (upper, lower, median) in
        [(4, 4, 0.5..1.5), (3, 6, 0.1..0.6), (2, 6, 0.0..0.4), (6, 3, 1.5..9.0)]
    {
        let mut scene = stacked(upper, lower).soft();
        // All squeezed alike from all sides: the same pressure everywhere.
        scene.state.positions.iter_mut().for_each(|x| *x *= 0.95);
        for found in ratios(&scene, Corrections::default()) {
            assert!(found.len() > 4, "{found:?}");
            assert!(found.iter().all(|ratio| (ratio - 1.0).abs() < SAME), "{found:?}");
        }
        let areas = Form::Printed;
        let [printed, _] = ratios(&scene, Corrections { areas, ..Corrections::default() });
        assert!(median.contains(&printed[printed.len() / 2]), "{printed:?}");
    }
}

#[test]
fn ways_scale_with_the_scene() {
    let ways = |scale: f64| {
        let mut scene = stacked(4, 3);
        scene.rest.iter_mut().for_each(|x| *x *= scale);
        scene.state.positions.iter_mut().for_each(|x| *x *= scale);
        let scene = scene.elastic::<Corotational>(&[1e4, 3e4]);
        scene.output(&mut scene.response(SurfaceSettings::default())).shifts
    };
    let expected = ways(1.0);
    assert!(expected.len() > 10);
    for scale in [1.0 / 1024.0, 4096.0] {
        for ((v, way), (w, wanted)) in ways(scale).into_iter().zip(&expected) {
            assert!(v == *w && (way / scale).abs_diff_eq(*wanted, SAME), "{v}: {way} {wanted}");
        }
    }
}

/// Mean fraction that each of two stacked blocks gives way by.
fn fractions(scene: &Scene, settings: SurfaceSettings) -> [f64; 2] {
    let mut response = scene.response(settings);
    scene.output(&mut response);
    [0, 1].map(|body| {
        let both = response.region.list().iter().zip(response.balance.fractions());
        let own = both.filter(|(d, _)| scene.bodies.body_of(d.vertex) == BodyId(body));
        let own: Vec<f64> = own.map(|(_, fraction)| *fraction).collect();
        own.iter().sum::<f64>() / own.len() as f64
    })
}

#[test]
fn the_softer_side_gives_way_whatever_the_material() {
    let settings = flat(Corrections::default());
    let materials: [fn(Scene, &[f64]) -> Scene; 3] = [
        |scene, young| scene.elastic::<Corotational>(young),
        |scene, young| scene.elastic::<NeoHookean>(young),
        |mut scene, young| {
            for body in scene.bodies.ids() {
                let hold = Hold { stiffness: 1e-3 * young[body.index()], damping: 0.0 };
                let settings =
                    SolidSettings { distance: hold, volume: hold, ..SolidSettings::default() };
                let tets = &scene.bodies.tets()[scene.bodies.tets_of(body)];
                Solid::new(&scene.rest, tets, &[], settings)
                    .unwrap()
                    .push_to(&mut scene.system.forces);
            }
            scene
        },
    ];
    for material in materials {
        let [even, even_too] = fractions(&material(stacked(4, 4), &[3e4, 3e4]), settings);
        let [soft, stiff] = fractions(&material(stacked(4, 4), &[1e4, 9e4]), settings);
        let [stiff_too, soft_too] = fractions(&material(stacked(4, 4), &[9e4, 1e4]), settings);
        assert!(soft > even && even > stiff && soft - stiff > 0.4, "{soft} {even} {stiff}");
        assert!(soft_too > even_too && even_too > stiff_too, "{soft_too} {stiff_too}");
    }
}

#[test]
fn printed_steps_miss_the_ends() {
    // A block on one that is pinned: it must go all the way.
    let mut scene = stacked(4, 4).soft();
    let lower: Vec<_> = scene.bodies.vertices(BodyId(1)).map(|v| VertexId(v as u32)).collect();
    scene.system.pins = Pins::still(&lower, &scene.state.positions).unwrap();
    let reached = |steps| {
        let settings = flat(Corrections { steps, ..Corrections::default() });
        let mut response = scene.response(settings);
        let output = scene.output(&mut response);
        let upper = scene.bodies.vertices(BodyId(0));
        assert!(output.shifts.iter().all(|(v, _)| upper.contains(&v.index())));
        assert!(output.impulses.iter().all(|(v, _)| upper.contains(&v.index())));
        assert!(!output.shifts.is_empty());
        fractions(&scene, settings)[0]
    };
    // 1/2 + 1/4 + 1/8 + 1/16, and 1/2 + 1/8 + 1/16 + 1/32.
    assert_eq!((reached(Form::Corrected), reached(Form::Printed)), (0.9375, 0.71875));
}

/// What is left after a number of iterations, for a block on one that is stiffer.
///
/// The longest way from where 24 iterations lead, relative to the overlap; the difference of
/// pressures in the mean over the region, and of the forces of both sides in sum, relative.
fn left(iterations: u32) -> [f64; 3] {
    let scene = stacked(4, 4).elastic::<Corotational>(&[1e4, 3e4]);
    let settings = |iterations| SurfaceSettings { iterations, ..flat(Corrections::default()) };
    let mut limit = scene.response(settings(24));
    scene.output(&mut limit);
    let mut response = scene.response(settings(iterations));
    scene.output(&mut response);
    let ways = response.balance.ways().iter().zip(limit.balance.ways());
    let apart = ways.map(|(a, b)| a.distance(*b) / 0.02).fold(0.0, f64::max);
    let ContactSurface { touches, region, balance, .. } = &mut response;
    balance.weigh_here(&scene.system.forces);
    let (mut difference, mut sum, mut sides) = (0.0, 0.0, [0.0; 2]);
    for (place, displaced) in region.list().iter().enumerate() {
        let touches = touches.list();
        let found = balance.pressures(displaced, place, touches, region, Corrections::default());
        let Some(Pressures { mine, theirs }) = found else { continue };
        difference += (mine - theirs).abs();
        sum += mine.abs().max(theirs.abs());
        let body = scene.bodies.body_of(displaced.vertex).index();
        sides[body] += mine * region.area(displaced.vertex).z;
    }
    let net = (sides[0] + sides[1]).abs() / sides[0].abs().max(sides[1].abs());
    [apart, difference / sum, net]
}

#[test]
fn four_iterations_place_the_surface_and_none_balance_each_vertex() {
    let all: Vec<_> = (1..=10).map(left).collect();
    for (k, [apart, ..]) in all.iter().enumerate() {
        // Ways at the rim are up to a tenth longer than the overlap.
        assert!(*apart < 1.1 * pliant::math::powi(0.5, k as i32 + 1), "{apart}");
    }
    let [[_, first, net], [_, fourth, fourth_net], [_, tenth, tenth_net]] =
        [all[0], all[3], all[9]];
    // Four iterations take most of what ten can; the rest stays, as every vertex searches by itself.
    assert!(first > 0.8 && fourth < 0.4 && tenth > 0.25, "{all:?}");
    assert!(net > 0.6 && fourth_net < 0.3 && tenth_net > 0.15, "{all:?}");
}

#[test]
fn nothing_jumps_when_a_tip_passes_from_one_triangle_to_the_next() {
    // A tet stands with its tip 0.05 m in the top of a block and passes its diagonal.
    let corners = [[0.0, 0.0, 1.0], [0.4, 0.0, 1.0], [0.0, 0.4, 1.0], [0.1, 0.1, 0.0]];
    let tets = vec![[0, 2, 1, 3].map(VertexId)];
    let positions = corners.map(Vec3::from).to_vec();
    let raw = RawMesh { positions, tets, regions: vec![0], ..RawMesh::default() };
    let (tet, base) = (TetMesh::from_raw(raw).unwrap().0, block([1, 1, 1], Vec3::ONE));
    let settings = flat(Corrections::default());
    let at = |along: f64| {
        let place = Vec3::new(0.8 * along - 0.5, 0.3 * along - 0.4, 0.45);
        let meshes = [(tet.clone(), place), (base.clone(), Vec3::ZERO)];
        let scene = Scene::new(&meshes.map(|(mesh, at)| (mesh, Quat::IDENTITY, at))).soft();
        let mut response = scene.response(settings);
        let output = scene.output(&mut response);
        let mut ways = vec![Vec3::ZERO; scene.rest.len()];
        output.shifts.iter().for_each(|(v, way)| ways[v.index()] = *way);
        (response.touches.list()[0].corners, ways)
    };
    let (mut before, mut after) = (0.0, 1.0);
    let first = at(before).0;
    assert_ne!(first, at(after).0);
    while after - before > 1e-10 {
        let middle = 0.5 * (before + after);
        if at(middle).0 == first { before = middle } else { after = middle }
    }
    let ((_, one), (_, other)) = (at(before), at(after));
    assert!(one.iter().filter(|way| way.length() > 1e-3).count() >= 3, "{one:?}");
    for (a, b) in one.iter().zip(&other) {
        assert!(a.abs_diff_eq(*b, 1e-9), "{a} {b}");
    }
}

#[test]
fn weight_presses_nobody() {
    let mut scene = stacked(4, 4).soft();
    let expected = scene.output(&mut scene.response(SurfaceSettings::default())).shifts;
    let down = Gravity::new(-9.81 * Vec3::Z, scene.system.masses.of());
    scene.system.forces.push(down);
    let found = scene.output(&mut scene.response(SurfaceSettings::default())).shifts;
    assert_eq!(found, expected);
}

#[test]
fn inner_vertices_stay() {
    let mut scene = stacked(4, 4).soft();
    let upper = scene.bodies.vertices(BodyId(0));
    // Deep enough that the second layer of vertices is inside too.
    scene.state.positions[upper].iter_mut().for_each(|x| x.z -= 0.6);
    let inner = |inner| {
        let settings = flat(Corrections { inner, ..Corrections::default() });
        let output = scene.output(&mut scene.response(settings));
        let around = scene.bodies.triangles_around();
        assert!(output.shifts.len() > 10);
        output.shifts.iter().filter(|(v, _)| around.row(v.index()).is_empty()).count()
    };
    assert_eq!(inner(Form::Corrected), 0);
    assert!(inner(Form::Printed) > 0);
}

#[test]
fn the_printed_sign_does_not_take_overlap_out() {
    let left = |corrections| {
        let mut scene = stacked(4, 4).soft();
        let output = scene.output(&mut scene.response(flat(corrections)));
        scene.apply_output(&output);
        scene.deepest()
    };
    let corrected = left(Corrections::default());
    let sign = left(Corrections { sign: Form::Printed, ..Corrections::default() });
    assert!(corrected < 0.01 && sign > 0.015, "{corrected} {sign}");
}
