//! Patches against single contacts solved one by one, and what they share out.

use super::bodies::FreeBodies;
use super::gather::{self, ContactPoint};
use super::patch::{MOST, Motion, Patch, PatchImpulse, SolverBody};
use super::relax::{Direction, Solution};
use crate::contact::impulse::ContactImpulse;
use crate::contact::point_force::{PairKey, PointForce};
use crate::contact::resting;
use crate::id::{BodyId, VertexId};
use crate::math::random::Random;
use crate::math::{Mat3, Vec3, skew};
use crate::solve::contact_block::ContactBlock;
use crate::solve::terms::SolverRow;

/// Lengths and masses are near 1: rounding stays near 1e-14 in inverses.
const TOLERANCE: f64 = 1e-10;

const CENTRES: [Vec3; 2] = [Vec3::new(0.1, -0.05, 0.5), Vec3::new(-0.2, 0.1, -0.6)];

fn point(contact: u32, x: f64, y: f64, friction: f64) -> ContactPoint {
    ContactPoint {
        contact,
        sign: 1.0,
        at: Vec3::new(x, y, 0.0),
        normal: Vec3::Z,
        gap: 0.0,
        surface_velocity: Vec3::ZERO,
        bounce: 0.0,
        friction,
        offset: 0.005,
        size: 1.0,
    }
}

fn square(friction: f64) -> [ContactPoint; MOST] {
    let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
    let mut number = 0;
    corners.map(|(x, y)| {
        number += 1;
        point(number - 1, x, y, friction)
    })
}

fn bodies(random: &mut Random) -> [SolverBody; 2] {
    [1.0, 3.0].map(|inv_mass| {
        let skewed = 0.3 * random.vec3();
        let square = Mat3::from_cols(skewed.x * skewed, skewed.y * skewed, skewed.z * skewed);
        let inv_inertia = inv_mass * (square + Mat3::from_diagonal(Vec3::new(5.0, 6.0, 7.0)));
        SolverBody { inv_mass, inv_inertia }
    })
}

fn velocities(random: &mut Random) -> Vec<Motion> {
    let mut motion = || Motion { linear: 0.3 * random.vec3(), angular: 0.3 * random.vec3() };
    let (mut a, b) = (motion(), motion());
    a.linear.z -= 0.5;
    vec![a, b]
}

/// The velocities after single contacts at the points of a patch were solved to the end.
fn one_by_one(
    points: &[ContactPoint],
    bodies: &[SolverBody; 2],
    mut motions: Vec<Motion>,
) -> Vec<Motion> {
    let mut impulses = vec![ContactImpulse::default(); points.len()];
    for _ in 0..20_000 {
        for (point, impulse) in points.iter().zip(&mut impulses) {
            let arms = CENTRES.map(|centre| point.at - centre);
            let mut delassus = Mat3::ZERO;
            for (body, arm) in bodies.iter().zip(arms) {
                delassus +=
                    body.inv_mass * Mat3::IDENTITY - skew(arm) * body.inv_inertia * skew(arm);
            }
            let contact = resting(VertexId(0));
            let contact = crate::contact::Contact { friction: point.friction, ..contact };
            let block = ContactBlock::new(&SolverRow::of(&contact), delassus, 0.0);
            let [a, b] = [motions[0], motions[1]];
            let relative =
                a.linear + a.angular.cross(arms[0]) - b.linear - b.angular.cross(arms[1]);
            let Some(change) = block.relax(impulse, relative) else { continue };
            for ((motion, sign), (body, arm)) in
                motions.iter_mut().zip([1.0, -1.0]).zip(bodies.iter().zip(arms))
            {
                motion.linear += sign * body.inv_mass * change;
                motion.angular += sign * (body.inv_inertia * arm.cross(change));
            }
        }
    }
    motions
}

fn free<'a>(bodies: &'a [SolverBody], motions: &'a mut [Motion]) -> FreeBodies<'a> {
    FreeBodies { bodies, motions, first: 0, fixed: (&[], 0) }
}

fn patch(points: &mut [ContactPoint], bodies: &[SolverBody; 2]) -> Patch {
    Patch::new(points, [0, 1], [&bodies[0], &bodies[1]], CENTRES)
}

#[test]
fn the_inverse_of_a_patch_is_one() {
    let mut random = Random::new(3);
    for _ in 0..20 {
        let bodies = bodies(&mut random);
        let patch = patch(&mut square(0.5), &bodies);
        for i in 0..6 {
            for j in 0..6 {
                let product: f64 = (0..6).map(|m| patch.k[i][m] * patch.k_inv[m][j]).sum();
                let expected = if i == j { 1.0 } else { 0.0 };
                assert!((product - expected).abs() < TOLERANCE, "{i} {j} {product}");
            }
        }
    }
}

/// Without friction, and with so much that all sticks, the velocities are unique.
#[test]
fn a_patch_solved_at_once_moves_as_its_contacts_solved_one_by_one() {
    let mut random = Random::new(11);
    let mut solutions = [0; 2];
    for round in 0..60 {
        let friction = if round % 2 == 0 { 0.0 } else { 50.0 };
        let bodies = bodies(&mut random);
        let start = velocities(&mut random);
        let mut points = square(friction);
        let expected = one_by_one(&points, &bodies, start.clone());
        let mut patch = patch(&mut points, &bodies);
        let mut motions = start;
        let mut last = Solution::Idle;
        for sweep in 0..4000 {
            let direction = if sweep % 2 == 0 { Direction::Forward } else { Direction::Backward };
            last = patch.relax(&[0.0; MOST], &mut free(&bodies, &mut motions), direction);
        }
        // On one corner a patch still resists a spin, a single contact does not.
        if friction > 0.0 && last != Solution::Sticks {
            continue;
        }
        solutions[usize::from(last == Solution::Sticks)] += 1;
        for (found, expected) in motions.iter().zip(&expected) {
            let off =
                found.linear.distance(expected.linear) + found.angular.distance(expected.angular);
            assert!(off < 1e-6, "{round}: {found:?} {expected:?}");
        }
    }
    assert!(solutions.iter().all(|count| *count > 5), "{solutions:?}");
}

#[test]
fn what_points_share_is_the_whole_and_stays_in_their_cones() {
    let mut random = Random::new(5);
    for _ in 0..50 {
        let bodies = bodies(&mut random);
        let mut motions = velocities(&mut random);
        let mut patch = patch(&mut square(0.4), &bodies);
        patch.relax(&[0.0; MOST], &mut free(&bodies, &mut motions), Direction::Forward);
        let shares = patch.shared_out(&patch.impulse);
        let sum: Vec3 = shares.iter().map(|(normal, tangent)| *normal * Vec3::Z + *tangent).sum();
        let wrench = patch.impulse.wrench(&patch);
        let [t1, t2] = patch.tangents;
        let expected = wrench[0] * Vec3::Z + wrench[3] * t1 + wrench[4] * t2;
        assert!(sum.abs_diff_eq(expected, TOLERANCE), "{sum} {expected}");
        for (normal, tangent) in shares {
            assert!(tangent.length() <= 0.4 * normal + TOLERANCE, "{normal} {tangent}");
        }
    }
}

/// With nothing left for a turn, rounding decides whether a point is in its cone.
#[test]
fn points_of_a_patch_at_its_bound_of_friction_stay_in_their_cones() {
    let mut random = Random::new(8);
    let bodies = bodies(&mut random);
    for round in 0..500 {
        let mut patch = patch(&mut square(0.5), &bodies);
        patch.impulse.normals = std::array::from_fn(|_| random.unit());
        patch.impulse.normals[round % MOST] = 0.0;
        let bound = 0.5 * patch.impulse.pressure();
        let (sine, cosine) = libm::sincos(7.0 * random.unit());
        patch.impulse.tangent = [bound * cosine, bound * sine];
        patch.impulse.twist = 0.1 * random.signed();
        for (normal, tangent) in patch.shared_out(&patch.impulse) {
            let most = 0.5 * normal + TOLERANCE;
            assert!(tangent.length() <= most, "{round}: {normal} {tangent}");
        }
    }
}

/// A patch that shrinks to a point would turn its bodies by the twist that it had, and never stop.
#[test]
fn a_single_point_takes_over_no_twist() {
    let bodies = bodies(&mut Random::new(2));
    let pair = PairKey { first: BodyId(0), second: Some(BodyId(1)), obstacle: 0 };
    let force = |twist| PointForce {
        pair,
        arm: Vec3::ZERO,
        normal: 2.0,
        tangent: Vec3::ZERO,
        twist,
        age: 0.5,
        has_slipped: false,
    };
    let mut points = square(0.5);
    let mut whole = patch(&mut points, &bodies);
    let mut single = patch(&mut square(0.5)[..1], &bodies);
    for patch in [&mut whole, &mut single] {
        patch.take_over(0, &force(0.3));
    }
    assert_eq!((whole.impulse.twist, whole.impulse.normals[0]), (0.3, 2.0));
    assert_eq!((single.impulse.twist, single.impulse.normals[0]), (0.0, 2.0));
}

#[test]
fn friction_goes_with_the_last_pressure() {
    let bodies = bodies(&mut Random::new(2));
    let mut patch = patch(&mut square(0.5), &bodies);
    patch.impulse.tangent = [0.2, -0.1];
    patch.impulse.twist = 0.1;
    let apart = Motion { linear: 3.0 * Vec3::Z, angular: Vec3::ZERO };
    let mut motions = vec![apart, Motion::default()];
    patch.relax(&[0.0; MOST], &mut free(&bodies, &mut motions), Direction::Forward);
    assert_eq!(patch.impulse, PatchImpulse::default());
    assert_ne!(motions[0], apart);
}

fn groups(mut points: Vec<ContactPoint>) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    gather::patches(&mut points, &mut Vec::new(), |patch| {
        let mut numbers: Vec<u32> = patch.iter().map(|point| point.contact).collect();
        numbers.sort_unstable();
        found.push(numbers);
    });
    found
}

#[test]
fn many_points_of_a_face_are_its_corners_and_another_face_is_another_patch() {
    let mut points: Vec<ContactPoint> =
        (0..25).map(|k| point(k, f64::from(k % 5), f64::from(k / 5), 0.5)).collect();
    assert_eq!(groups(points.clone()), [vec![0, 4, 20, 24]]);
    points.push(ContactPoint { normal: Vec3::X, ..point(25, 9.0, 0.0, 0.5) });
    points.push(ContactPoint { at: Vec3::new(1.0, 1.0, -0.5), ..point(26, 0.0, 0.0, 0.5) });
    assert_eq!(groups(points), [vec![0, 4, 20, 24], vec![25], vec![26]]);
}

#[test]
fn a_bulge_between_the_corners_is_not_lost() {
    let mut points: Vec<ContactPoint> =
        (0..25).map(|k| point(k, f64::from(k % 5), f64::from(k / 5), 0.5)).collect();
    // As the lowest vertex of a ball above a floor.
    for point in &mut points {
        point.gap =
            0.01 * point.at.truncate().distance_squared(Vec3::new(2.0, 2.0, 0.0).truncate());
    }
    let found = groups(points);
    assert!(found.iter().flatten().any(|number| *number == 12), "{found:?}");
    // Every point that is nearer than the corners say is in a patch.
    assert!(found.iter().all(|patch| patch.len() <= MOST), "{found:?}");
}
