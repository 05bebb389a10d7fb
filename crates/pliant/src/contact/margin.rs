//! Search distances: relative to the smaller body and to the approach speed.

use crate::math::Vec3;

/// Lengths and speeds of contact, all relative to the size of the smaller body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarginSettings {
    /// Gap at which contact begins, per size.
    pub offset: f64,
    /// Greatest speculative distance, per size.
    pub speculative_distance: f64,
    /// Steps of the present relative speed within the speculative distance.
    pub steps_ahead: f64,
}

impl Default for MarginSettings {
    fn default() -> MarginSettings {
        MarginSettings { offset: 0.005, speculative_distance: 0.125, steps_ahead: 2.0 }
    }
}

/// Velocities of a body's vertices: their mean and how far they differ from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VelocityBounds {
    /// Mean velocity, m/s.
    pub mean: Vec3,
    /// Largest difference of a vertex from it, m/s.
    pub spread: f64,
}

impl VelocityBounds {
    /// Mean and spread of some velocities.
    pub fn of(velocities: &[Vec3]) -> VelocityBounds {
        let sum: Vec3 = velocities.iter().sum();
        let mean = if velocities.is_empty() { sum } else { sum / velocities.len() as f64 };
        let off = velocities.iter().map(|v| v.distance(mean));
        VelocityBounds { mean, spread: off.fold(0.0, f64::max) }
    }

    /// Highest possible speed at which vertices of two bodies approach, m/s.
    pub fn closing(self, other: VelocityBounds) -> f64 {
        self.mean.distance(other.mean) + self.spread + other.spread
    }
}

/// Search distances of a pair of bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Margin {
    /// Size of the smaller body, m.
    pub size: f64,
    /// δ, m.
    pub offset: f64,
    /// Gaps up to this are contacts, m.
    pub reach: f64,
}

impl MarginSettings {
    /// The margin for a smaller body of `size` m that approaches at `speed` m/s.
    pub(crate) fn of(self, size: f64, speed: f64, dt: f64) -> Margin {
        let offset = self.offset * size;
        let most = (self.speculative_distance * size).max(offset);
        let ahead = (self.steps_ahead * dt * speed).max(offset).min(most);
        Margin { size, offset, reach: offset + ahead }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn margins_grow_with_speed_up_to_a_share_of_the_body() {
        let settings = MarginSettings::default();
        let reach = |speed: f64| settings.of(2.0, speed, 0.01).reach;
        assert_eq!(reach(0.0), 0.02);
        assert_eq!(reach(2.0), 0.01 + 0.04);
        assert_eq!(reach(1e6), 0.01 + 0.25);
    }

    #[test]
    fn closing_speed_bounds_that_of_any_two_vertices() {
        let (a, b) =
            (VelocityBounds::of(&[Vec3::X, 3.0 * Vec3::X]), VelocityBounds::of(&[-Vec3::X]));
        assert_eq!((a.mean, a.spread), (2.0 * Vec3::X, 1.0));
        assert_eq!(a.closing(b), 4.0);
        assert_eq!(VelocityBounds::of(&[]), VelocityBounds::default());
    }
}
