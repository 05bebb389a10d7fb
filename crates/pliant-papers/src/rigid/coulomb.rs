//! The impulse at one point that obeys Coulomb's law and never adds energy.
//!
//! | here       | meaning                                                      |
//! |------------|--------------------------------------------------------------|
//! | `mobility` | K: change of the point's velocity by an impulse, 1/kg        |
//! | `velocity` | v of the point, seen from what it touches, m/s               |
//! | `normal`   | N, unit, out of what it touches                              |
//! | `drag`     | λ: sliding speed left over by friction's impulse, 1/kg       |

use pliant::body::obstacle::SurfaceMaterial;
use pliant::math::{Mat3, Vec3, outer_square};

/// Halvings of the drag's range: as many as a number has digits.
const HALVINGS: usize = 60;

/// The impulse on an approaching point, N·s; zero for one that does not approach.
///
/// After it the point leaves with `restitution` times its approach, and friction either
/// stops the sliding or is μ times the pressing and against the sliding that is left.
/// Where such an impulse would add energy, as it can when turning couples both, the whole
/// impulse of an inelastic impact is taken (1 + restitution) times instead: it leaves as fast
/// along the normal, lies in the cone too, and adds none.
///
/// `mobility` must be symmetric and positive definite.
///
/// - Implements: [Wang21 slide "Impulse Method"] for a body, with ‖j_T‖ ≤ μ j_N.
pub fn coulomb_impulse(
    mobility: Mat3,
    velocity: Vec3,
    normal: Vec3,
    touch: SurfaceMaterial,
) -> Vec3 {
    let approach = -velocity.dot(normal);
    if approach.is_nan() || approach <= 0.0 {
        return Vec3::ZERO;
    }
    let SurfaceMaterial { friction, restitution } = touch;
    let bouncing = velocity - restitution * approach * normal;
    let impulse = stopping(mobility, bouncing, normal, friction);
    if energy_gain(mobility, velocity, impulse) <= 0.0 {
        return impulse;
    }
    // Of an inelastic impact, j·(v + K j) ≤ 0: the energy of s·j falls up to s = 1 at
    // least, and is back at the start at s = 2 at the earliest.
    (1.0 + restitution) * stopping(mobility, velocity, normal, friction)
}

/// Kinetic energy that an impulse adds to the body of a point, J.
pub fn energy_gain(mobility: Mat3, velocity: Vec3, impulse: Vec3) -> f64 {
    impulse.dot(velocity + 0.5 * (mobility * impulse))
}

/// The impulse in the cone that ends the approach, and the sliding as far as it can.
///
/// Solves (K + λ (1 − N Nᵀ)) j = −v. With λ = 0 the point sticks; the larger λ, the
/// less friction. Halving finds a λ that puts j on the border of the cone: there is one, as
/// the frictionless impulse of an infinite λ lies inside.
fn stopping(mobility: Mat3, velocity: Vec3, normal: Vec3, friction: f64) -> Vec3 {
    let tangential = Mat3::IDENTITY - outer_square(normal);
    let inside = |j: Vec3| (j - j.dot(normal) * normal).length() <= friction * j.dot(normal);
    let with_drag = |drag: f64| -((mobility + tangential * drag).inverse() * velocity);
    let sticking = with_drag(0.0);
    if inside(sticking) {
        return sticking;
    }
    let smooth = (-velocity.dot(normal) / normal.dot(mobility * normal)) * normal;
    if friction == 0.0 {
        return smooth;
    }
    let scale = mobility.x_axis.x + mobility.y_axis.y + mobility.z_axis.z;
    // λ = scale · x / (1 − x) with x from 0, outside the cone, to 1, inside it.
    let (mut low, mut high, mut found) = (0.0, 1.0, smooth);
    for _ in 0..HALVINGS {
        let x = 0.5 * (low + high);
        let impulse = with_drag(scale * x / (1.0 - x));
        if inside(impulse) {
            (high, found) = (x, impulse);
        } else {
            low = x;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::math::random::Random;

    /// Numbers of about 1, a solve of three unknowns.
    const ROUNDING: f64 = 1e-10;

    fn along(v: Vec3) -> Vec3 {
        Vec3::new(v.x, v.y, 0.0)
    }

    #[test]
    fn a_particle_bounces_and_slides_as_on_the_slide() {
        // 2 kg, 3 m/s down and 4 m/s along: pressing 2 · 1.5 · 3 = 9 N·s, friction 0.25 · 9.
        let touch = SurfaceMaterial { friction: 0.25, restitution: 0.5 };
        let mobility = Mat3::IDENTITY * 0.5;
        let found = coulomb_impulse(mobility, Vec3::new(4.0, 0.0, -3.0), Vec3::Z, touch);
        assert!(found.abs_diff_eq(Vec3::new(-2.25, 0.0, 9.0), ROUNDING), "{found}");
        // With more friction it stops along the surface: 2 kg · 4 m/s.
        let touch = SurfaceMaterial { friction: 1.0, ..touch };
        let found = coulomb_impulse(mobility, Vec3::new(4.0, 0.0, -3.0), Vec3::Z, touch);
        assert!(found.abs_diff_eq(Vec3::new(-8.0, 0.0, 9.0), ROUNDING), "{found}");
        let leaving = coulomb_impulse(mobility, Vec3::Z, Vec3::Z, touch);
        assert_eq!(leaving, Vec3::ZERO);
        assert_eq!(coulomb_impulse(mobility, Vec3::NAN, Vec3::Z, touch), Vec3::ZERO);
    }

    #[test]
    fn random_impacts_obey_coulomb_and_add_no_energy() {
        let mut random = Random::new(17);
        for case in 0..2000 {
            let mut some = || random.vec3();
            // Coupled as strongly as chance has it: A Aᵀ and a little.
            let a = Mat3::from_cols(some(), some(), some());
            let mobility = a * a.transpose() + Mat3::IDENTITY * 0.01;
            let mut velocity = some();
            velocity.z = -velocity.z.abs() - 0.01;
            let touch = SurfaceMaterial { friction: some().x.abs(), restitution: some().x.abs() };
            let j = coulomb_impulse(mobility, velocity, Vec3::Z, touch);
            let after = velocity + mobility * j;
            let wanted = -touch.restitution * velocity.z;
            assert!((after.z - wanted).abs() < ROUNDING * (1.0 + j.length()), "{case}: {after}");
            assert!(along(j).length() <= touch.friction * j.z + ROUNDING, "{case}: {j}");
            assert!(energy_gain(mobility, velocity, j) < ROUNDING, "{case}: {j}");
            // Inelastic: what slides on does so against friction, which is used up.
            let j = coulomb_impulse(
                mobility,
                velocity,
                Vec3::Z,
                SurfaceMaterial { restitution: 0.0, ..touch },
            );
            let after = along(velocity + mobility * j);
            let (rubbing, most) = (along(j), touch.friction * j.z);
            let tolerance = ROUNDING * (1.0 + j.length());
            assert!(
                after.cross(rubbing).length() < 10.0 * tolerance && after.dot(rubbing) < tolerance
            );
            let slack = (most - rubbing.length()) * after.length();
            assert!(slack < 10.0 * tolerance * (1.0 + j.length()), "{case}: {slack} {after} {j}");
        }
    }
}
