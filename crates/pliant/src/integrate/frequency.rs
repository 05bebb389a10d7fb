//! The highest frequency of a scene, which bounds the steps of explicit integrators.
//!
//! Power iteration on M⁻¹ K at given positions, with K in its definite form: ω² is its largest
//! eigenvalue. Converges from below; damping and contacts are not in it.

use crate::body::soft::State;
use crate::force::{Form, Tangent};
use crate::integrate::System;
use crate::math::Vec3;

/// Iterations: enough for two digits of a value that is only reported.
const ITERATIONS: usize = 60;

/// Highest frequency of the forces at a state, rad/s; 0 where nothing is stiff.
///
/// NaN for the state of another system.
pub fn highest_frequency(system: &System, state: &State) -> f64 {
    if system.check_motion(state.motion()).is_err() {
        return f64::NAN;
    }
    let masses = system.masses.of();
    // Rough in all directions, so that no mode is left out.
    let start = |k: usize| Vec3::new(1.0, -0.7, 0.4) * if k.is_multiple_of(2) { 1.0 } else { -1.0 };
    let mut x: Vec<Vec3> = (0..masses.len()).map(start).collect();
    let mut product = vec![Vec3::ZERO; masses.len()];
    let tangent = Tangent { stiffness: 1.0, damping: 0.0, form: Form::Definite };
    let mut value = 0.0;
    for _ in 0..ITERATIONS {
        for vertex in system.pins.vertices() {
            x[vertex.index()] = Vec3::ZERO;
        }
        let size = x.iter().map(|v| v.length_squared()).sum::<f64>().sqrt();
        if !(size > 0.0 && size.is_finite()) {
            return 0.0;
        }
        x.iter_mut().for_each(|v| *v /= size);
        product.fill(Vec3::ZERO);
        for force in system.forces.iter().filter(|force| force.answers()) {
            force.add_product(state.motion(), tangent, &x, &mut product);
        }
        let pushed = product.iter().zip(masses).map(|(force, mass)| *force / *mass);
        value = pushed.clone().map(|v| v.length_squared()).sum::<f64>().sqrt();
        x.iter_mut().zip(pushed).for_each(|(x, v)| *x = v);
    }
    value.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::soft::Masses;
    use crate::force::spring::{SpringLaw, SpringSettings, Springs};
    use crate::id::VertexId;

    #[test]
    fn a_chain_has_the_frequency_of_its_formula() {
        // ω = 2 √(k/m) sin(π (n − 1)/(2 n)) of n masses in a free chain.
        let (n, stiffness, mass) = (6, 50.0, 0.5);
        let rest: Vec<Vec3> = (0..n).map(|k| f64::from(k) * Vec3::X).collect();
        let edges: Vec<_> = (1..n as u32).map(|k| [VertexId(k - 1), VertexId(k)]).collect();
        let settings = SpringSettings { law: SpringLaw::Absolute, stiffness, damping: 0.0 };
        let masses = Masses::new(vec![mass; n as usize]).unwrap();
        let mut system = System { masses, ..System::default() };
        system.forces.push(Springs::along(&rest, &edges, settings).unwrap());
        let found = highest_frequency(&system, &State::at_rest(rest));
        let angle = std::f64::consts::PI * f64::from(n - 1) / (2.0 * f64::from(n));
        let expected = 2.0 * (stiffness / mass).sqrt() * libm::sin(angle);
        assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
    }
}
