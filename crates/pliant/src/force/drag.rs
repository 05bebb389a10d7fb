//! Aerodynamic drag: slows moving vertices, or carries them along with the wind.
//!
//! With u the velocity of a vertex against the air, slow motion meets −c u and fast
//! motion −c |u| u.

use crate::force::elements::{Corners, Material};
use crate::force::stiffness::Tangent;
use crate::id::VertexId;
use crate::math::{Mat3, Vec3, outer_square};

/// How drag grows with speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DragLaw {
    /// In proportion; coefficients in N·s/m.
    Linear,
    /// With the square; coefficients in N·s²/m².
    Quadratic,
}

/// Why drag cannot act.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum DragError {
    /// A coefficient that would push, or is not a number.
    #[error("vertex {vertex} has drag coefficient {coefficient}: it must be finite and ≥ 0")]
    Coefficient {
        /// First such vertex.
        vertex: VertexId,
        /// Its coefficient, N·s/m or N·s²/m².
        coefficient: f64,
    },
    /// A wind that is infinite or not a number.
    #[error("the wind is {wind} m/s: it must be finite")]
    Wind {
        /// Its velocity, m/s.
        wind: Vec3,
    },
}

/// Drag on every vertex.
#[derive(Clone, Debug)]
pub struct Drag {
    law: DragLaw,
    /// Of each vertex, N·s/m or N·s²/m²; finite, not negative.
    coefficients: Vec<f64>,
    /// Velocity of the air, m/s.
    wind: Vec3,
}

impl Drag {
    /// Drag on all vertices of the scene, in order, in air that moves with `wind`, m/s.
    pub fn new(law: DragLaw, coefficients: Vec<f64>, wind: Vec3) -> Result<Drag, DragError> {
        if !wind.is_finite() {
            return Err(DragError::Wind { wind });
        }
        let bad = |c: &f64| !(*c >= 0.0 && c.is_finite());
        match coefficients.iter().position(bad) {
            Some(k) => Err(DragError::Coefficient {
                vertex: VertexId(k as u32),
                coefficient: coefficients[k],
            }),
            None => Ok(Drag { law, coefficients, wind }),
        }
    }
}

impl Material<1> for Drag {
    fn count(&self) -> usize {
        self.coefficients.len()
    }

    fn vertices(&self, element: usize) -> [VertexId; 1] {
        [VertexId(element as u32)]
    }

    /// None: drag dissipates.
    fn damps_linearly(&self) -> bool {
        self.law == DragLaw::Linear
    }

    fn energy(&self, _element: usize, _at: &Corners<1>) -> f64 {
        0.0
    }

    /// Work of the wind: what it pushes along the way.
    fn energy_input(&self, element: usize, before: &Corners<1>, after: &Corners<1>) -> f64 {
        let way = after.positions[0] - before.positions[0];
        let push = |at: &Corners<1>| self.forces(element, at)[0].dot(way);
        push(before).max(push(after)).max(0.0)
    }

    fn takes_energy(&self) -> bool {
        self.wind != Vec3::ZERO
    }

    fn forces(&self, element: usize, at: &Corners<1>) -> [Vec3; 1] {
        let through = at.velocities[0] - self.wind;
        let rate = match self.law {
            DragLaw::Linear => self.coefficients[element],
            DragLaw::Quadratic => self.coefficients[element] * through.length(),
        };
        [-rate * through]
    }

    /// Symmetric and never negative, so that both forms agree.
    fn tangent(&self, element: usize, at: &Corners<1>, tangent: Tangent) -> [[Mat3; 1]; 1] {
        let weight = tangent.damping * self.coefficients[element];
        let through = at.velocities[0] - self.wind;
        let slope = match (self.law, through.try_normalize()) {
            (DragLaw::Linear, _) => Mat3::IDENTITY,
            (DragLaw::Quadratic, Some(along)) => {
                let across = outer_square(along);
                through.length() * (Mat3::IDENTITY + across)
            }
            // Still air: the force grows with the square, its slope begins at zero.
            (DragLaw::Quadratic, None) => Mat3::ZERO,
        };
        [[weight * slope]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::check;

    const LAWS: [DragLaw; 2] = [DragLaw::Linear, DragLaw::Quadratic];

    fn drag(law: DragLaw, wind: Vec3) -> Drag {
        Drag::new(law, vec![0.5], wind).unwrap()
    }

    fn moving(velocity: Vec3) -> Corners<1> {
        Corners { positions: [Vec3::X], velocities: [velocity], time: 0.0 }
    }

    #[test]
    fn drag_grows_with_speed_or_its_square() {
        let at = moving(Vec3::new(3.0, 0.0, 4.0)); // 5 m/s
        let [linear, quadratic] = LAWS.map(|law| drag(law, Vec3::ZERO).forces(0, &at));
        assert_eq!(linear, [Vec3::new(-1.5, 0.0, -2.0)]);
        assert_eq!(quadratic, [Vec3::new(-7.5, 0.0, -10.0)]);
    }

    #[test]
    fn only_motion_against_the_air_counts() {
        let wind = Vec3::new(1.0, -2.0, 0.5);
        for law in LAWS {
            let (carried, free) = (drag(law, wind), drag(law, Vec3::ZERO));
            assert_eq!(carried.forces(0, &moving(wind)), [Vec3::ZERO]);
            let against = moving(Vec3::new(2.0, 2.0, 2.0) - wind);
            assert_eq!(carried.forces(0, &moving(Vec3::splat(2.0))), free.forces(0, &against));
        }
    }

    #[test]
    fn tangents_are_the_slopes_of_drag() {
        check::derivatives(&drag(DragLaw::Linear, Vec3::ZERO), &[[Vec3::X]], 1.0);
        for law in LAWS {
            let velocities = [Vec3::new(0.3, -1.2, 0.7)];
            check::slopes_of_force(&drag(law, Vec3::Y), [Vec3::X], velocities, 6e-6);
            check::definite(&drag(law, Vec3::Y), &[[Vec3::X]]);
        }
        let tangent = Tangent { stiffness: 1.0, damping: 1.0, form: crate::force::Form::Exact };
        let still = drag(DragLaw::Quadratic, Vec3::Y).tangent(0, &moving(Vec3::Y), tangent);
        assert_eq!(still, [[Mat3::ZERO]]);
    }

    #[test]
    fn air_that_would_push_is_refused() {
        let message = |c, wind| Drag::new(DragLaw::Linear, c, wind).unwrap_err().to_string();
        let found = message(vec![1.0, -2.0], Vec3::ZERO);
        assert!(found.starts_with("vertex 1 has drag coefficient -2"), "{found}");
        assert!(message(vec![f64::NAN], Vec3::ZERO).starts_with("vertex 0 has drag"));
        assert!(message(vec![1.0], Vec3::INFINITY).starts_with("the wind is"));
    }
}
