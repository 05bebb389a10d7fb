//! Plasticity: rest values drift where the strain is too large.
//!
//! A rest length, area or volume follows the current one while the strain is past a
//! threshold. Springs and the distance–area–volume solid drift by the same rule.

/// Yield strain, creep rate and limit of plastic drift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plasticity {
    /// Strain up to which the material is elastic; not negative.
    pub yield_strain: f64,
    /// Share of the strain past the threshold that is lost per second, 1/s; positive.
    pub creep_rate: f64,
    /// Largest drift of a rest value relative to its first value; below 1.
    pub max_drift: f64,
}

/// Why plasticity settings are invalid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PlasticityError {
    /// A negative or non-finite threshold.
    #[error("the yield strain is {0}: it must be finite and not negative")]
    YieldStrain(f64),
    /// A rate that is not positive, or not finite.
    #[error("the creep rate is {0} 1/s: it must be positive and finite")]
    CreepRate(f64),
    /// A drift that could turn a rest value negative.
    #[error("the largest drift is {0}: it must be from 0 to below 1")]
    MaxDrift(f64),
}

/// A rest value and where it came from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RestValue {
    /// Rest value now; in the unit of the measure: m, m² or m³.
    pub now: f64,
    /// First rest value, same unit; not negative.
    pub start: f64,
    /// Change of the measure that is a strain of 1, same unit; positive.
    pub scale: f64,
}

impl Plasticity {
    /// Rejects settings outside their ranges.
    pub(crate) fn check(self) -> Result<(), PlasticityError> {
        if !(self.yield_strain >= 0.0 && self.yield_strain.is_finite()) {
            return Err(PlasticityError::YieldStrain(self.yield_strain));
        }
        if !(self.creep_rate > 0.0 && self.creep_rate.is_finite()) {
            return Err(PlasticityError::CreepRate(self.creep_rate));
        }
        if !(0.0..1.0).contains(&self.max_drift) {
            return Err(PlasticityError::MaxDrift(self.max_drift));
        }
        Ok(())
    }

    /// The rest value after `dt` seconds at a measured value; settings must be checked.
    ///
    /// An implicit step of d(rest)/dt = `creep_rate` · excess: it never drifts past the
    /// threshold, however long `dt` is. A strain that is not finite moves nothing.
    pub(crate) fn rest_after(self, drift: RestValue, measured: f64, dt: f64) -> f64 {
        let strain = (measured - drift.now) / drift.scale;
        if !strain.is_finite() {
            return drift.now;
        }
        let excess = strain - strain.clamp(-self.yield_strain, self.yield_strain);
        // Written so that an infinite rate gives 1.
        let share = 1.0 - 1.0 / (1.0 + self.creep_rate * dt);
        let room = self.max_drift * drift.start;
        (drift.now + share * excess * drift.scale).clamp(drift.start - room, drift.start + room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAY: Plasticity = Plasticity { yield_strain: 0.25, creep_rate: 1.0, max_drift: 0.5 };
    const LENGTH: RestValue = RestValue { now: 2.0, start: 2.0, scale: 2.0 };

    #[test]
    fn rest_values_follow_only_past_the_threshold() {
        assert_eq!(CLAY.rest_after(LENGTH, 2.5, 1.0), 2.0); // strain 0.25: at the threshold
        // Strain 0.75, excess 0.5; one second at 1/s gives half of it: 0.25 · 2 m.
        assert_eq!(CLAY.rest_after(LENGTH, 3.5, 1.0), 2.5);
        assert_eq!(CLAY.rest_after(LENGTH, 0.5, 1.0), 1.5);
    }

    #[test]
    fn drift_ends_at_its_largest_and_at_the_threshold() {
        assert_eq!(CLAY.rest_after(LENGTH, 1e9, 1.0), 3.0);
        assert_eq!(CLAY.rest_after(LENGTH, f64::INFINITY, 1.0), 2.0);
        // After infinite time the strain left is the threshold: 3 m = rest + 0.25 · 2 m.
        assert_eq!(CLAY.rest_after(LENGTH, 3.0, f64::INFINITY), 2.5);
    }

    #[test]
    fn settings_out_of_range_are_named() {
        let message = |settings: Plasticity| settings.check().unwrap_err().to_string();
        let strain = message(Plasticity { yield_strain: -0.1, ..CLAY });
        assert!(strain.starts_with("the yield strain is -0.1"), "{strain}");
        assert!(message(Plasticity { creep_rate: 0.0, ..CLAY }).contains("0 1/s"));
        assert!(message(Plasticity { creep_rate: f64::NAN, ..CLAY }).contains("NaN 1/s"));
        assert!(message(Plasticity { max_drift: 1.0, ..CLAY }).contains("drift is 1"));
        assert!(CLAY.check().is_ok());
    }
}
