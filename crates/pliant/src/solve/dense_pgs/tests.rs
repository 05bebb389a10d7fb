use super::*;
use crate::body::offsets::BodyOffsets;
use crate::math::random::Random;
use crate::solve::dense::tests::{joined, pairs};
use crate::solve::terms::Term;

/// Roundings of a few dozen sums of numbers near 1.
const TOLERANCE: f64 = 1e-13;

const DT: f64 = 1.0 / 64.0;

/// Bodies of this many vertices each.
fn bodies(counts: &[usize]) -> Vec<Range<usize>> {
    let total = counts.iter().sum();
    BodyOffsets::from_counts(counts.iter().copied()).ranges(total).collect()
}

/// Uncoupled vertices of these masses.
fn loose(masses: &[f64]) -> BlockMatrix {
    let mut matrix = joined(masses.len(), &[], 0);
    masses.iter().enumerate().for_each(|(row, mass)| matrix.add_to_diagonal(row, *mass));
    matrix
}

/// A frictionless contact along z, just closed; the last vertex is the second side.
fn contact(terms: &[(u32, f64)], bodies: (u32, Option<u32>)) -> SolverRow {
    let term = |k: usize| terms.get(k).copied().unwrap_or((0, 0.0));
    SolverRow {
        unknowns: std::array::from_fn(|k| VertexId(term(k).0)),
        shares: std::array::from_fn(|k| Term::Weight(term(k).1)),
        count: terms.len(),
        bodies: (BodyId(bodies.0), bodies.1.map(BodyId)),
        normal: Vec3::Z,
        surface_velocity: Vec3::ZERO,
        min_normal_velocity: 0.0,
        friction: 0.0,
        size: 1.0,
    }
}

/// Solves for one vertex of 2 kg with this momentum, N·s, on a plane.
fn on_plane(right: Vec3, contact: SolverRow) -> (Vec3, ContactImpulse) {
    from_pressure(ContactImpulse::default(), right, contact)
}

/// The same, warm-started from an impulse.
fn from_pressure(
    before: ContactImpulse,
    right: Vec3,
    contact: SolverRow,
) -> (Vec3, ContactImpulse) {
    let (matrix, right) = (loose(&[2.0]), [right]);
    let equations = Equations { matrix: &matrix, right: &right, held: &[], dt: DT };
    let settings = RowSettings { sweeps: 100, velocity_tolerance: 0.0, ..RowSettings::default() };
    let (mut velocities, mut row_impulses) = ([Vec3::ZERO], [before]);
    let at = Unknowns { velocities: &mut velocities, row_impulses: &mut row_impulses };
    DensePgs::default().solve(equations, &bodies(&[1]), &[contact], settings, at).unwrap();
    (velocities[0], row_impulses[0])
}

#[test]
fn a_plane_bears_the_weight() {
    let plane = contact(&[(0, 1.0)], (0, None));
    let weight = 2.0 * 9.81 * DT;
    let (velocity, row_impulse) = on_plane(-weight * Vec3::Z, plane);
    assert_eq!(velocity, Vec3::ZERO);
    assert_eq!(row_impulse, ContactImpulse { normal: weight, tangent: Vec3::ZERO });
    // Moving up, it is released.
    let (velocity, row_impulse) = on_plane(Vec3::Z, plane);
    assert_eq!((velocity, row_impulse), (0.5 * Vec3::Z, ContactImpulse::default()));
    // A plane that moves up takes it along.
    let lift = SolverRow { surface_velocity: Vec3::Z, ..plane };
    assert_eq!(on_plane(Vec3::ZERO, lift).0, Vec3::Z);
}

#[test]
fn a_gap_may_close_and_no_more() {
    // 1/4 m in 1/64 s.
    let apart = SolverRow { min_normal_velocity: -16.0, ..contact(&[(0, 1.0)], (0, None)) };
    assert_eq!(on_plane(Vec3::new(0.0, 0.0, -40.0), apart).0, Vec3::new(0.0, 0.0, -16.0));
    let (velocity, row_impulse) = on_plane(Vec3::new(0.0, 0.0, -30.0), apart);
    assert_eq!((velocity.z, row_impulse), (-15.0, ContactImpulse::default()));
}

#[test]
fn an_old_impulse_does_not_stay_for_ever() {
    let rough = SolverRow { friction: 0.5, ..contact(&[(0, 1.0)], (0, None)) };
    let before = ContactImpulse { normal: 4.0, tangent: Vec3::X };
    let (velocity, row_impulse) = from_pressure(before, Vec3::new(2.0, 0.0, 1.0), rough);
    assert!(velocity.abs_diff_eq(Vec3::new(1.0, 0.0, 0.5), TOLERANCE), "{velocity}");
    assert_eq!(row_impulse, ContactImpulse::default());
}

#[test]
fn friction_holds_inside_the_cone_and_slides_outside() {
    let rough = SolverRow { friction: 0.5, ..contact(&[(0, 1.0)], (0, None)) };
    let (velocity, row_impulse) = on_plane(Vec3::new(3.0, -2.0, -8.0), rough);
    assert!(velocity.abs_diff_eq(Vec3::ZERO, TOLERANCE), "{velocity}");
    assert!(row_impulse.tangent.abs_diff_eq(Vec3::new(-3.0, 2.0, 0.0), TOLERANCE));
    // 5 N·s along the plane against 0.5 · 8: 1 is left, for 2 kg.
    let (velocity, row_impulse) = on_plane(Vec3::new(3.0, -4.0, -8.0), rough);
    assert!(velocity.abs_diff_eq(Vec3::new(0.3, -0.4, 0.0), TOLERANCE), "{velocity}");
    assert!((row_impulse.normal - 8.0).abs() < TOLERANCE, "{row_impulse:?}");
    assert!((row_impulse.tangent.length() - 4.0).abs() < TOLERANCE, "{row_impulse:?}");
}

#[test]
fn a_head_on_collision_keeps_momentum() {
    let masses = [1.5, 4.5];
    let (matrix, bodies) = (loose(&masses), bodies(&[1, 1]));
    let right = [1.5 * Vec3::new(0.25, 0.0, -7.0), 4.5 * Vec3::new(0.0, 0.5, 1.0)];
    let equations = Equations { matrix: &matrix, right: &right, held: &[], dt: DT };
    let contacts = [contact(&[(0, 1.0), (1, -1.0)], (0, Some(1)))];
    let (mut velocities, mut row_impulses) = ([Vec3::ZERO; 2], [ContactImpulse::default()]);
    let mut direct = DensePgs::default();
    let settings = RowSettings::default();
    let at = Unknowns { velocities: &mut velocities, row_impulses: &mut row_impulses };
    direct.solve(equations, &bodies, &contacts, settings, at).unwrap();
    // (1.5 · −7 + 4.5 · 1) / 6
    assert!((velocities[0].z + 1.0).abs() < 1e-15, "{velocities:?}");
    assert!((velocities[1].z + 1.0).abs() < 1e-15, "{velocities:?}");
    assert_eq!((velocities[0].x, velocities[1].y), (0.25, 0.5));
    let after = 1.5 * velocities[0] + 4.5 * velocities[1];
    assert!((after - right[0] - right[1]).length() < 1e-15, "{after}");
    // A solution stays, and one sweep detects it.
    let before = (velocities, row_impulses);
    let at = Unknowns { velocities: &mut velocities, row_impulses: &mut row_impulses };
    let solved = direct.solve(equations, &bodies, &contacts, settings, at).unwrap();
    assert_eq!((solved.sweeps, row_impulses), (1, before.1));
    assert!(velocities[0].abs_diff_eq(before.0[0], 1e-15));
}

#[test]
fn a_held_vertex_pushes_and_does_not_yield() {
    let (matrix, bodies) = (loose(&[2.0, 3.0]), bodies(&[1, 1]));
    let (right, held) = ([Vec3::ZERO; 2], [VertexId(1)]);
    let equations = Equations { matrix: &matrix, right: &right, held: &held, dt: DT };
    let given = Vec3::new(0.5, 0.0, 2.0);
    let (mut velocities, mut row_impulses) = ([Vec3::ZERO, given], [ContactImpulse::default()]);
    let contacts = [contact(&[(0, 1.0), (1, -1.0)], (0, Some(1)))];
    let mut direct = DensePgs::default();
    let at = Unknowns { velocities: &mut velocities, row_impulses: &mut row_impulses };
    direct.solve(equations, &bodies, &contacts, RowSettings::default(), at).unwrap();
    assert_eq!(velocities, [2.0 * Vec3::Z, given]);
    assert_eq!(row_impulses[0].normal, 4.0); // 2 kg to 2 m/s
    // Neither side can move: nothing changes, and nothing breaks.
    let held = [VertexId(0), VertexId(1)];
    let equations = Equations { held: &held, ..equations };
    (velocities, row_impulses) = ([Vec3::ZERO, given], [ContactImpulse::default()]);
    let at = Unknowns { velocities: &mut velocities, row_impulses: &mut row_impulses };
    direct.solve(equations, &bodies, &contacts, RowSettings::default(), at).unwrap();
    assert_eq!((velocities, row_impulses[0].normal), ([Vec3::ZERO, given], 0.0));
}

/// Three elastic bodies in a row on a plane, the second with a pinned vertex.
struct Heap {
    matrix: BlockMatrix,
    bodies: Vec<Range<usize>>,
    right: Vec<Vec3>,
    contacts: Vec<SolverRow>,
}

const HELD: [VertexId; 1] = [VertexId(8)];

fn heap() -> Heap {
    let counts = [5_u32, 6, 7];
    let mut joints = Vec::new();
    let mut first = 0;
    for count in counts {
        joints.extend(pairs(first..first + count));
        first += count;
    }
    let mut matrix = joined(18, &joints, 11);
    (0..18).for_each(|row| matrix.add_to_diagonal(row, 1.0));
    let mut random = Random::new(5);
    let right = (0..18)
        .map(|_| Vec3::new(random.signed(), random.signed(), random.signed() - 1.0))
        .collect();
    let rough = |contact| SolverRow { friction: 0.4, ..contact };
    let contacts = vec![
        rough(contact(&[(1, 1.0)], (0, None))),
        rough(contact(&[(3, 1.0)], (0, None))),
        contact(&[(0, 1.0), (6, -0.25), (7, -0.5), (8, -0.25)], (0, Some(1))),
        SolverRow { normal: Vec3::X, ..contact(&[(9, 1.0), (2, -1.0)], (1, Some(0))) },
        rough(contact(&[(5, 0.3), (7, 0.7), (12, -0.6), (14, -0.4)], (1, Some(2)))),
        SolverRow { min_normal_velocity: -9.0 / DT, ..contact(&[(17, 1.0)], (2, None)) },
    ];
    Heap { matrix, bodies: bodies(&counts.map(|count| count as usize)), right, contacts }
}

fn solve(heap: &Heap, threads: usize) -> (Vec<Vec3>, Vec<ContactImpulse>) {
    let Heap { matrix, bodies, right, contacts } = heap;
    let equations = Equations { matrix, right, held: &HELD, dt: DT };
    let settings =
        RowSettings { sweeps: 3000, velocity_tolerance: 1e-17, ..RowSettings::default() };
    let mut velocities = vec![Vec3::ZERO; 18];
    velocities[8] = Vec3::new(0.5, 0.25, 0.125);
    let mut row_impulses = vec![ContactImpulse::default(); contacts.len()];
    // From a cold start, and warm-started from the first few sweeps.
    for sweeps in [5, settings.sweeps] {
        let mut direct = DensePgs::default();
        direct.set_threads(threads);
        let settings = RowSettings { sweeps, ..settings };
        let at = Unknowns { velocities: &mut velocities, row_impulses: &mut row_impulses };
        direct.solve(equations, bodies, contacts, settings, at).unwrap();
    }
    (velocities, row_impulses)
}

#[test]
fn velocities_and_impulses_satisfy_the_equations() {
    let heap = heap();
    let (velocities, row_impulses) = solve(&heap, 1);
    assert_eq!(velocities[8], Vec3::new(0.5, 0.25, 0.125));
    // A v − b − Jᵀλ, except at the pinned vertex.
    let mut left = vec![Vec3::ZERO; 18];
    heap.matrix.multiply(&velocities, &mut left);
    left.iter_mut().zip(&heap.right).for_each(|(left, right)| *left -= *right);
    for (contact, row_impulse) in heap.contacts.iter().zip(&row_impulses) {
        let impulse = row_impulse.impulse(contact.normal);
        contact.terms().for_each(|(v, share)| left[v.index()] -= share.apply_transpose(impulse));
    }
    left[8] = Vec3::ZERO;
    assert!(left.iter().all(|l| l.abs_diff_eq(Vec3::ZERO, TOLERANCE)), "{left:?}");
    let mut pressing = 0;
    for (contact, row_impulse) in heap.contacts.iter().zip(&row_impulses) {
        let relative = contact.relative(&velocities);
        let approach = contact.normal.dot(relative) - contact.min_normal_velocity;
        assert!(approach > -TOLERANCE && row_impulse.normal >= 0.0, "{approach} {row_impulse:?}");
        assert!((approach * row_impulse.normal).abs() < TOLERANCE, "{approach} {row_impulse:?}");
        let most = contact.friction * row_impulse.normal;
        assert!(row_impulse.tangent.length() <= most + TOLERANCE, "{row_impulse:?}");
        pressing += usize::from(row_impulse.normal > 0.0);
    }
    assert!((3..6).contains(&pressing), "{pressing}");
}

#[test]
fn threads_do_not_change_a_bit() {
    let heap = heap();
    let alone = solve(&heap, 1);
    for threads in [2, 3, 7] {
        assert_eq!(solve(&heap, threads), alone);
    }
}

#[test]
fn an_indefinite_body_is_refused_and_nothing_moves() {
    let (matrix, bodies) = (loose(&[1.0, -1.0]), bodies(&[1, 1]));
    let right = [-Vec3::Z; 2];
    let equations = Equations { matrix: &matrix, right: &right, held: &[], dt: DT };
    let contacts = [contact(&[(0, 1.0), (1, -1.0)], (0, Some(1)))];
    let (mut velocities, mut row_impulses) = ([Vec3::X; 2], [ContactImpulse::default()]);
    let at = Unknowns { velocities: &mut velocities, row_impulses: &mut row_impulses };
    let settings = RowSettings::default();
    assert_eq!(DensePgs::default().solve(equations, &bodies, &contacts, settings, at), None);
    assert_eq!(velocities, [Vec3::X; 2]);
}
