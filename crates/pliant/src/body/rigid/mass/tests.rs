use super::*;
use crate::math::Quat;
use crate::math::random::Random;
use crate::mesh::generate::ball::ball;
use crate::mesh::generate::cuboid::cuboid;
use crate::mesh::generate::l_block::{LBlockSettings, l_block};
use crate::mesh::generate::lattice::TetSplit;
use crate::mesh::generate::torus::{TorusSettings, torus};
use crate::mesh::raw::RawMesh;
use crate::mesh::topology::boundary;

/// Sums over some hundred tets of about 1 m, relative to the size of the result.
const ROUNDING: f64 = 1e-13;

#[track_caller]
fn check(found: MassProperties, expected: MassProperties, tolerance: f64) {
    let size = (expected.inertia.x_axis.x / expected.mass).sqrt();
    assert!((found.mass / expected.mass - 1.0).abs() < tolerance, "{found:?} {expected:?}");
    assert!(found.centre.abs_diff_eq(expected.centre, tolerance * size), "{found:?} {expected:?}");
    let scale = expected.mass * size * size;
    let close =
        (found.inertia * (1.0 / scale)).abs_diff_eq(expected.inertia * (1.0 / scale), tolerance);
    assert!(close, "{found:?} {expected:?}");
}

/// A box of some mass, centred at a point.
fn of_box(size: Vec3, mass: f64, centre: Vec3) -> MassProperties {
    let sq = size * size;
    let inertia = Vec3::new(sq.y + sq.z, sq.x + sq.z, sq.x + sq.y) * (mass / 12.0);
    MassProperties { mass, centre, inertia: Mat3::from_diagonal(inertia) }
}

/// The same body elsewhere.
fn moved(p: MassProperties, turn: Quat, by: Vec3) -> MassProperties {
    let r = Mat3::from_quat(turn);
    MassProperties {
        mass: p.mass,
        centre: by + turn * p.centre,
        inertia: r * p.inertia * r.transpose(),
    }
}

fn by_tets(mesh: &RawMesh, density: f64) -> MassProperties {
    MassProperties::from_tets(&mesh.positions, &mesh.tets, density).unwrap()
}

fn by_surface(mesh: &RawMesh, density: f64) -> MassProperties {
    let skin = boundary(mesh.positions.len(), &mesh.tets).triangles;
    MassProperties::from_surface(&mesh.positions, &skin, density).unwrap()
}

fn brick() -> RawMesh {
    cuboid([2, 3, 4], Vec3::new(1.0, 2.0, 3.0), TetSplit::Six).unwrap()
}

fn ell() -> RawMesh {
    let arms = LBlockSettings {
        arms: [3.0, 2.0],
        width: 1.0,
        cells_along: [2, 1],
        cells_across: 1,
        cut: TetSplit::Five,
    };
    l_block(&arms).unwrap()
}

#[test]
fn a_box_has_the_inertia_of_the_books() {
    let centre = Aabb::around(brick().positions);
    let centre = 0.5 * (centre.min + centre.max);
    // 6 m³ at 2.5 kg/m³; 1/12 · 15 kg · (2² + 3²) m² = 16.25 kg·m² about x, and so on.
    let expected = of_box(Vec3::new(1.0, 2.0, 3.0), 15.0, centre);
    assert_eq!(expected.inertia.x_axis.x, 16.25);
    check(by_tets(&brick(), 2.5), expected, ROUNDING);
    check(by_surface(&brick(), 2.5), expected, ROUNDING);
}

#[test]
fn a_corner_tet_has_the_inertia_of_its_integral() {
    // ∫x² = 1/60 and ∫xy = 1/120 over the corner, V = 1/6, centre at 1/4 of each axis.
    let (square, product) = (1.0 / 60.0 - 1.0 / 96.0, 1.0 / 120.0 - 1.0 / 96.0);
    let rows = |k: usize| {
        let mut column = [-product; 3];
        column[k] = 2.0 * square;
        Vec3::from(column)
    };
    let expected = MassProperties {
        mass: 1.0 / 6.0,
        centre: Vec3::splat(0.25),
        inertia: Mat3::from_cols(rows(0), rows(1), rows(2)),
    };
    let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let tet = [[0, 1, 2, 3].map(VertexId)];
    check(MassProperties::from_tets(&positions, &tet, 1.0).unwrap(), expected, ROUNDING);
}

#[test]
fn an_l_is_the_sum_of_its_two_boxes() {
    // Arms 3 m along x and 2 m along z, 1 m wide, corner at low x and z, middle at 0:
    // boxes 3×1×1 around (0, 0, −1/2) and 1×1×1 around (−1, 0, 1/2).
    let parts = [
        of_box(Vec3::new(3.0, 1.0, 1.0), 3.0, Vec3::new(0.0, 0.0, -0.5)),
        of_box(Vec3::ONE, 1.0, Vec3::new(-1.0, 0.0, 0.5)),
    ];
    let centre = (3.0 * parts[0].centre + parts[1].centre) / 4.0;
    // Each box about the common centre, by the parallel axis theorem.
    let about = |p: &MassProperties| {
        let arm = p.centre - centre;
        let far = Mat3::from_diagonal(Vec3::splat(arm.length_squared())) - outer_square(arm);
        p.inertia + far * p.mass
    };
    let inertia = about(&parts[0]) + about(&parts[1]);
    let expected = MassProperties { mass: 4.0, centre, inertia };
    check(by_tets(&ell(), 1.0), expected, ROUNDING);
    check(by_surface(&ell(), 1.0), expected, ROUNDING);
}

#[test]
fn finer_balls_approach_two_fifths_of_m_r_sq() {
    let error = |layers: u32| {
        let found = by_surface(&ball(0.7, layers).unwrap(), 3.0);
        let mass = 3.0 * 4.0 / 3.0 * std::f64::consts::PI * crate::math::powi(0.7, 3);
        let moment = 0.4 * mass * 0.7 * 0.7;
        assert!(found.centre.length() < ROUNDING, "{found:?}");
        let diagonal = found.inertia.x_axis.x;
        assert!(found.inertia.abs_diff_eq(Mat3::IDENTITY * diagonal, 1e-3 * moment), "{found:?}");
        1.0 - diagonal / moment
    };
    let (coarse, fine) = (error(4), error(8));
    assert!(0.0 < fine && fine < 0.05, "{fine}");
    // Facets miss the sphere by the square of their size.
    let slope = libm::log2(coarse / fine);
    assert!((slope - 2.0).abs() < 0.1, "slope {slope}");
}

#[test]
fn the_surface_has_the_properties_of_the_tets_inside_it() {
    let ring = TorusSettings { ring_radius: 1.0, tube_radius: 0.3, around: 12, rings: 2 };
    for mesh in [brick(), ell(), ball(1.0, 3).unwrap(), torus(&ring).unwrap()] {
        check(by_surface(&mesh, 1200.0), by_tets(&mesh, 1200.0), ROUNDING);
    }
}

#[test]
fn properties_move_and_turn_with_the_shape() {
    let mut random = Random::new(3);
    for _ in 0..20 {
        let axis = random.vec3();
        let turn = Quat::from_scaled_axis(3.0 * axis);
        let by = 5.0 * random.vec3();
        let mut mesh = ell();
        let (tets, surface) = (by_tets(&mesh, 7.0), by_surface(&mesh, 7.0));
        let masses: Vec<f64> = mesh.positions.iter().map(|_| 1.5 + random.signed()).collect();
        let points = MassProperties::from_points(&mesh.positions, &masses).unwrap();
        mesh.positions.iter_mut().for_each(|x| *x = by + turn * *x);
        check(by_tets(&mesh, 7.0), moved(tets, turn, by), ROUNDING);
        check(by_surface(&mesh, 7.0), moved(surface, turn, by), ROUNDING);
        let again = MassProperties::from_points(&mesh.positions, &masses).unwrap();
        check(again, moved(points, turn, by), ROUNDING);
    }
}

#[test]
fn far_from_the_origin_no_digits_are_lost() {
    // Coordinates of a dyadic box stay exact at this distance, so nothing may change.
    let far = Vec3::new(1e6, -2e6, 4e6);
    let mut mesh = cuboid([2, 2, 2], Vec3::new(1.0, 2.0, 4.0), TetSplit::Five).unwrap();
    let (tets, surface) = (by_tets(&mesh, 1.0), by_surface(&mesh, 1.0));
    mesh.positions.iter_mut().for_each(|x| *x += far);
    check(by_tets(&mesh, 1.0), moved(tets, Quat::IDENTITY, far), ROUNDING);
    check(by_surface(&mesh, 1.0), moved(surface, Quat::IDENTITY, far), ROUNDING);
}

#[test]
fn millimetres_and_grams_describe_the_same_body() {
    let mut mesh = ell();
    let metres = by_surface(&mesh, 1000.0);
    mesh.positions.iter_mut().for_each(|x| *x *= 1e3);
    let millimetres = by_surface(&mesh, 1000.0 * 1e3 / 1e9); // g/mm³
    let again = MassProperties {
        mass: millimetres.mass / 1e3,
        centre: millimetres.centre / 1e3,
        inertia: millimetres.inertia * (1.0 / 1e9),
    };
    check(again, metres, ROUNDING);
    check(metres.with_mass(2.0).unwrap(), by_surface(&ell(), 0.5), ROUNDING); // 4 m³
}

#[test]
fn eight_corners_of_a_box_count_as_points() {
    let cube = cuboid([1, 1, 1], Vec3::new(2.0, 4.0, 6.0), TetSplit::Five).unwrap();
    let found = MassProperties::from_points(&cube.positions, &[0.5; 8]).unwrap();
    // Each corner is (1, 2, 3) m off the middle: 4 kg · (4 + 9) m² about x, and so on.
    let inertia = Mat3::from_diagonal(Vec3::new(52.0, 40.0, 20.0));
    check(found, MassProperties { mass: 4.0, centre: found.centre, inertia }, ROUNDING);
}

#[test]
fn a_cavity_weighs_nothing() {
    let mut shell = cuboid([1, 1, 1], Vec3::splat(2.0), TetSplit::Five).unwrap();
    let hole = cuboid([1, 1, 1], Vec3::ONE, TetSplit::Five).unwrap();
    let mut triangles = boundary(8, &shell.tets).triangles;
    let within = boundary(8, &hole.tets).triangles;
    triangles
        .extend(within.iter().map(|t| t.map(|v| VertexId(v.0 + 8))).map(|[a, b, c]| [a, c, b]));
    let offset = middle(shell.positions.iter().copied()) - middle(hole.positions.iter().copied());
    shell.positions.extend(hole.positions.iter().map(|&x| x + offset));
    let found = MassProperties::from_surface(&shell.positions, &triangles, 1.0).unwrap();
    // 8 − 1 m³; 8 · 4/6 − 1 · 1/6 kg·m².
    assert!((found.mass - 7.0).abs() < ROUNDING, "{found:?}");
    assert!((found.inertia.x_axis.x - 31.0 / 6.0).abs() < 10.0 * ROUNDING, "{found:?}");
}

#[track_caller]
fn refused(found: Result<MassProperties, RigidError>, words: &str) {
    let message = found.unwrap_err().to_string();
    assert!(message.contains(words), "{message}");
}

#[test]
fn surfaces_without_an_inside_are_refused_by_name() {
    let mesh = brick();
    let skin = boundary(mesh.positions.len(), &mesh.tets).triangles;
    let of =
        |triangles: &[[VertexId; 3]]| MassProperties::from_surface(&mesh.positions, triangles, 1.0);
    refused(of(&skin[1..]), "3 edges have an odd number");
    let inward: Vec<_> = skin.iter().map(|&[a, b, c]| [a, c, b]).collect();
    refused(of(&inward), "it is inside out, turn");
    let mut mixed = skin.clone();
    mixed[5].swap(0, 1);
    refused(of(&mixed), "3 edges have this");
    let [a, b, c] = skin[0];
    refused(of(&[[a, b, c], [a, c, b]]), "no inside");
    refused(of(&[]), "no triangles");
    refused(of(&[[a, b, VertexId(999)]]), "triangle 0 names vertex 999, there are");
    refused(MassProperties::from_surface(&mesh.positions, &skin, -1.0), "-1 kg/m³");
    // The same faces with a vertex for each corner are as closed.
    let apart: Vec<Vec3> = skin.iter().flatten().map(|v| mesh.positions[v.index()]).collect();
    let own: Vec<_> =
        (0..skin.len() as u32).map(|t| [0, 1, 2].map(|k| VertexId(3 * t + k))).collect();
    let found = MassProperties::from_surface(&apart, &own, 1.0).unwrap();
    check(found, of(&skin).unwrap(), ROUNDING);
}

#[test]
fn points_and_tets_that_make_no_body_are_refused_by_name() {
    let line: Vec<Vec3> = (0..7).map(|k| f64::from(k) * Vec3::new(0.1, 0.7, -0.3)).collect();
    refused(MassProperties::from_points(&line, &[1.0; 7]), "three points that are not on a line");
    refused(MassProperties::from_points(&line[..1], &[1.0]), "each must be positive");
    refused(MassProperties::from_points(&[], &[]), "no vertices");
    refused(MassProperties::from_points(&line, &[1.0]), "7 vertices and 1 masses");
    refused(MassProperties::from_points(&line[..2], &[1.0, 0.0]), "vertex 1 has mass 0 kg");
    refused(MassProperties::from_points(&[Vec3::NAN], &[1.0]), "vertex 0 is at");
    // Three points not on a line are enough, though flat.
    let three = [Vec3::ZERO, Vec3::X, Vec3::Y];
    assert!(MassProperties::from_points(&three, &[1.0; 3]).is_ok());
    let mesh = brick();
    let mut tets = mesh.tets.clone();
    tets[3].swap(0, 1);
    refused(MassProperties::from_tets(&mesh.positions, &tets, 1.0), "tet 3 has volume -");
}

#[test]
fn values_given_by_hand_must_be_those_of_a_body() {
    let of = |mass: f64, x: f64, y: f64, z: f64| {
        MassProperties::new(mass, Vec3::ZERO, Mat3::from_diagonal(Vec3::new(x, y, z)))
    };
    assert!(of(1.0, 1.0, 2.0, 3.0).is_ok());
    refused(of(1.0, 1.0, 2.0, 3.01), "none may exceed the sum");
    refused(of(1.0, 1.0, 1.0, 0.0), "each must be positive");
    refused(of(1.0, 1.0, 1.0, -1.0), "each must be positive");
    refused(of(1.0, f64::NAN, 1.0, 1.0), "finite and symmetric");
    for mass in [0.0, -2.0, f64::NAN, f64::INFINITY] {
        refused(of(mass, 1.0, 1.0, 1.0), "the body has mass");
    }
    let skew = Mat3::from_cols(Vec3::new(2.0, 0.5, 0.0), 2.0 * Vec3::Y, 2.0 * Vec3::Z);
    refused(MassProperties::new(1.0, Vec3::ZERO, skew), "finite and symmetric");
    refused(MassProperties::new(1.0, Vec3::NAN, Mat3::IDENTITY), "centre of mass is at");
}
