//! Limits and motor at a joint's axis: a law between speed and impulse.
//!
//! As the speed grows the impulse falls, along a staircase with a step for each state:
//!
//! | `Hold`  | speed          | impulse  |                                    |
//! |---------|----------------|----------|------------------------------------|
//! | `Least` | least          | ≥ bound  | at the lower limit                 |
//! | `Up`    | least … target | bound    | the motor is too weak to speed up  |
//! | `Drive` | target         | ± bound  | the motor holds its speed          |
//! | `Down`  | target … most  | −bound   | the motor is too weak to slow down |
//! | `Most`  | most           | ≤ −bound | at the upper limit                 |
//!
//! Without a motor the bound is 0, and `Free` stands for the three in the middle.

use crate::solve::joint::Axis;

/// State of a limit or motor: where on the staircase a joint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    Free,
    Least,
    Up,
    Drive,
    Down,
    Most,
}

/// The staircase of an axis over one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Law {
    /// Least speed, m/s or rad/s; at most 0.
    least: f64,
    /// Greatest speed, at least 0.
    most: f64,
    /// Speed of the motor within these; `None` without a motor.
    target: Option<f64>,
    /// Greatest impulse of the motor, N·s or N·m·s.
    bound: f64,
}

/// A row's speed and impulse, with the rounding of each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    /// m/s or rad/s.
    pub speed: f64,
    /// N·s or N·m·s.
    pub impulse: f64,
    /// Rounding of the speed, m/s or rad/s.
    pub slack_speed: f64,
    /// Rounding of the impulse, N·s or N·m·s.
    pub slack_impulse: f64,
}

impl Law {
    /// The law of an axis without limits and motor.
    pub(crate) const FREE: Law =
        Law { least: f64::NEG_INFINITY, most: f64::INFINITY, target: None, bound: 0.0 };

    /// The law over a step of `dt` that begins at a travel, m or rad.
    ///
    /// A limit may be reached within the step, not passed; a travel beyond it is left there, as
    /// pushing it back by a speed would add energy.
    pub(crate) fn new(axis: &Axis, travel: f64, dt: f64) -> Law {
        let [lower, upper] = axis.limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let least = ((lower - travel) / dt).min(0.0);
        let most = ((upper - travel) / dt).max(0.0);
        let target = axis.motor.map(|motor| motor.speed.max(least).min(most));
        Law { least, most, target, bound: axis.motor.map_or(0.0, |motor| motor.most * dt) }
    }

    /// The law of a shift that ends within the limits, where speeds are ways, m or rad.
    pub(crate) fn of_shift(axis: &Axis, travel: f64) -> Law {
        let [lower, upper] = axis.limits.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        Law { least: lower - travel, most: upper - travel, ..Law::FREE }
    }

    /// Where to begin: with the motor at its speed, or free.
    pub(crate) fn start(&self) -> Hold {
        if self.target.is_some() { Hold::Drive } else { Hold::Free }
    }

    /// Speed that a hold asks for, if it asks for one, m/s or rad/s.
    pub(crate) fn speed(&self, hold: Hold) -> Option<f64> {
        match hold {
            Hold::Least => Some(self.least),
            Hold::Drive => self.target,
            Hold::Most => Some(self.most),
            Hold::Free | Hold::Up | Hold::Down => None,
        }
    }

    /// Impulse of a hold that asks for no speed, N·s or N·m·s.
    pub(crate) fn impulse(&self, hold: Hold) -> f64 {
        match hold {
            Hold::Up => self.bound,
            Hold::Down => -self.bound,
            Hold::Free | Hold::Least | Hold::Drive | Hold::Most => 0.0,
        }
    }

    /// Impulse of an axis that is solved by itself, from its impulse and speed now.
    ///
    /// `response` is its change of speed per impulse.
    pub(crate) fn relaxed(&self, impulse: f64, speed: f64, response: f64) -> f64 {
        let reaching = |wanted: f64| impulse + (wanted - speed) / response;
        let driven = match self.target {
            Some(target) => reaching(target).max(-self.bound).min(self.bound),
            None => 0.0,
        };
        let then = speed + response * (driven - impulse);
        if then < self.least {
            reaching(self.least)
        } else if then > self.most {
            reaching(self.most)
        } else {
            driven
        }
    }

    /// The next hold towards what was found; `None` where the hold is right.
    pub(crate) fn next(&self, hold: Hold, found: Found) -> Option<Hold> {
        let Found { speed, impulse, slack_speed, slack_impulse } = found;
        let too_slow = |than: f64| speed < than - slack_speed;
        let too_fast = |than: f64| speed > than + slack_speed;
        let target = self.target.unwrap_or(0.0);
        let (up, down) =
            if self.target.is_some() { (Hold::Up, Hold::Down) } else { (Hold::Free, Hold::Free) };
        match hold {
            Hold::Free | Hold::Up if too_slow(self.least) => Some(Hold::Least),
            Hold::Free | Hold::Down if too_fast(self.most) => Some(Hold::Most),
            Hold::Up if too_fast(target) => Some(Hold::Drive),
            Hold::Down if too_slow(target) => Some(Hold::Drive),
            Hold::Least if impulse < self.bound - slack_impulse => Some(up),
            Hold::Most if impulse > slack_impulse - self.bound => Some(down),
            Hold::Drive if impulse > self.bound + slack_impulse => Some(Hold::Up),
            Hold::Drive if impulse < -self.bound - slack_impulse => Some(Hold::Down),
            _ => None,
        }
    }
}
