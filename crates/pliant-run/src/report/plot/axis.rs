//! Ranges with round ends, and the ticks on them.

use crate::report::text::{raised, with_digits};

/// Values below this part of the largest lie on the lower edge of an axis of decades.
const DEEPEST: i32 = 12;

/// Positive values that span more than this have decades.
const WIDE: f64 = 100.0;

/// A range that is narrower than this part of its ends is widened: digits end there.
const NARROW: f64 = 1e-9;

/// Largest end of a range, unit of the axis: differences of ends must not overflow.
const LARGEST: f64 = 1e307;

/// Sizes and steps that are written without a power of ten, unit of the axis.
const PLAIN: std::ops::Range<f64> = 1e-3..1e6;
const FINEST: f64 = 1e-5;

/// Maps values to places in the drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Values at both ends; their powers of ten where `decades`.
    range: [f64; 2],
    /// Places of both ends, unit of the drawing.
    ends: [f64; 2],
    /// Between ticks, unit of `range`.
    step: f64,
    decades: bool,
}

/// A mark on an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Whether it marks zero.
    pub is_zero: bool,
    /// Its place, unit of the drawing.
    pub at: f64,
    /// Its text.
    pub label: String,
}

impl Axis {
    /// An axis in proportion with about so many ticks; values that are not finite are passed over.
    pub fn linear(values: impl Iterator<Item = f64>, ends: [f64; 2], ticks: u32) -> Axis {
        Axis::proportional(values, ends, ticks, 0.0)
    }

    /// The same with integers at the ticks.
    pub fn counts(values: impl Iterator<Item = f64>, ends: [f64; 2], ticks: u32) -> Axis {
        Axis::proportional(values, ends, ticks, 1.0)
    }

    fn proportional(
        values: impl Iterator<Item = f64>,
        ends: [f64; 2],
        ticks: u32,
        least_step: f64,
    ) -> Axis {
        let [mut least, mut most] = bounds(values).unwrap_or([0.0, 1.0]);
        let size = least.abs().max(most.abs());
        if most - least <= NARROW * size {
            // One value: it and zero are the ends; of zero alone, zero and one.
            (least, most) = if size == 0.0 { (0.0, 1.0) } else { (least.min(0.0), most.max(0.0)) };
        }
        let step = round_step((most - least) / f64::from(ticks)).max(least_step);
        // A little less than the tick below is no reason for another one.
        let [low, high] = [(least / step + NARROW).floor(), (most / step - NARROW).ceil()];
        let range = [low * step, high.max(low + 1.0) * step];
        Axis { range, ends, step, decades: false }
    }

    /// An axis by powers of ten where positive values span many, otherwise in proportion.
    pub fn decades(values: impl Iterator<Item = f64>, ends: [f64; 2], ticks: u32) -> Axis {
        let values: Vec<f64> = values.collect();
        let positive = bounds(values.iter().copied().filter(|value| *value > 0.0));
        let negative = values.iter().any(|value| *value < 0.0);
        match positive {
            Some([least, most]) if !negative && most / least > WIDE => {
                let top = libm::log10(most).ceil();
                let bottom = libm::log10(least).floor().max(top - f64::from(DEEPEST));
                let step = ((top - bottom) / f64::from(ticks)).ceil();
                Axis { range: [bottom, top], ends, step, decades: true }
            }
            _ => Axis::linear(values.into_iter(), ends, ticks),
        }
    }

    /// Values at both ends; their powers of ten on an axis of decades.
    pub fn range(&self) -> [f64; 2] {
        self.range
    }

    /// The place of a value; beyond the ends it is the end.
    pub fn at(&self, value: f64) -> f64 {
        let [from, to] = self.range;
        let value = match self.decades {
            true if value <= 0.0 => from,
            true => libm::log10(value),
            false => value,
        };
        // Halved, so that the difference of huge ends is a number.
        let share = (0.5 * value - 0.5 * from) / (0.5 * to - 0.5 * from);
        self.ends[0] + share.clamp(0.0, 1.0) * (self.ends[1] - self.ends[0])
    }

    /// All ticks, from the lower end up.
    pub fn ticks(&self) -> Vec<Tick> {
        let [from, to] = self.range;
        // The last tick of decades may not fall on the end.
        let count = (to / self.step - from / self.step + NARROW).floor() as usize;
        let tick = |index: usize| {
            let value = match self.decades {
                true => from + index as f64 * self.step,
                false => ((from / self.step).round() + index as f64) * self.step,
            };
            let share = (0.5 * value - 0.5 * from) / (0.5 * to - 0.5 * from);
            let at = self.ends[0] + share.clamp(0.0, 1.0) * (self.ends[1] - self.ends[0]);
            Tick { is_zero: !self.decades && value == 0.0, at, label: self.label(value) }
        };
        (0..=count).map(tick).collect()
    }

    fn label(&self, value: f64) -> String {
        let size = self.range[0].abs().max(self.range[1].abs());
        if self.decades {
            power(value as i32)
        } else if value == 0.0 {
            "0".to_string()
        } else if PLAIN.contains(&size) && self.step >= FINEST {
            let decimals = (-libm::log10(self.step).floor()).max(0.0) as usize;
            format!("{value:.decimals$}").replace('-', "−")
        } else {
            // As few digits as distinguish neighbours.
            let digits = libm::log10(value.abs()).floor() - libm::log10(self.step).floor() + 1.0;
            with_digits(value, digits.clamp(1.0, 9.0) as usize)
        }
    }
}

/// A place with one decimal at most.
pub fn place(at: f64) -> String {
    let text = format!("{at:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

fn power(exponent: i32) -> String {
    match exponent {
        0 => "1".to_string(),
        1 => "10".to_string(),
        _ => format!("10{}", raised(exponent)),
    }
}

/// Least and most of the finite values, within what can be drawn.
fn bounds(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values.filter(|value| value.is_finite()).map(|value| value.clamp(-LARGEST, LARGEST)).fold(
        None,
        |found: Option<[f64; 2]>, value| {
            let [least, most] = found.unwrap_or([value; 2]);
            Some([least.min(value), most.max(value)])
        },
    )
}

/// 1, 2 or 5 times a power of ten, not below a length.
fn round_step(least: f64) -> f64 {
    let power = pliant::math::powi(10.0, libm::log10(least).floor() as i32);
    if !(power.is_normal() && least.is_finite()) {
        return f64::MIN_POSITIVE.max(least);
    }
    let steps = [1.0, 2.0, 5.0, 10.0].map(|k| k * power);
    steps.into_iter().find(|step| *step >= least * (1.0 - NARROW)).unwrap_or(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<String> {
        axis.ticks().into_iter().map(|tick| tick.label).collect()
    }

    #[track_caller]
    fn check(values: &[f64], expected: &[&str]) {
        let axis = Axis::linear(values.iter().copied(), [0.0, 100.0], 5);
        assert_eq!(labels(&axis), expected, "{axis:?}");
    }

    #[test]
    fn ticks_are_round_and_hold_the_values() {
        check(&[0.0, 1.0], &["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        check(&[-3.0, 7.2], &["−5", "0", "5", "10"]);
        check(&[0.0, 123.0], &["0", "50", "100", "150"]);
        check(&[2e-7, 9e-7], &["2×10⁻⁷", "4×10⁻⁷", "6×10⁻⁷", "8×10⁻⁷", "1×10⁻⁶"]);
        check(&[0.0, 3e9], &["0", "1×10⁹", "2×10⁹", "3×10⁹"]);
        check(&[9.81, 9.82], &["9.810", "9.812", "9.814", "9.816", "9.818", "9.820"]);
    }

    #[test]
    fn neighbours_are_told_apart_in_large_numbers() {
        let large = ["−2×10⁶", "−1.5×10⁶", "−1×10⁶", "−500000", "0"];
        check(&[-1.9e6, 0.0], &large);
    }

    #[test]
    fn counts_have_whole_ticks() {
        let axis = |values: &[f64]| Axis::counts(values.iter().copied(), [0.0, 100.0], 5);
        assert_eq!(labels(&axis(&[0.0, 1.0])), ["0", "1"]);
        assert_eq!(labels(&axis(&[0.0, 3.0])), ["0", "1", "2", "3"]);
        assert_eq!(labels(&axis(&[0.0, 47.0])), ["0", "10", "20", "30", "40", "50"]);
    }

    #[test]
    fn one_value_and_none_have_a_range() {
        check(&[5.0], &["0", "1", "2", "3", "4", "5"]);
        check(&[-5.0, -5.0], &["−5", "−4", "−3", "−2", "−1", "0"]);
        check(&[], &["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        check(&[0.0, f64::NAN], &["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
    }

    #[test]
    fn decades_are_used_only_where_they_help() {
        let axis = |values: &[f64]| Axis::decades(values.iter().copied(), [0.0, 100.0], 5);
        let wide = axis(&[0.0, 1e-3, 50.0]);
        assert_eq!(labels(&wide), ["10⁻³", "10⁻²", "10⁻¹", "1", "10", "10²"]);
        assert_eq!([wide.at(1.0), wide.at(0.0), wide.at(1e9)], [60.0, 0.0, 100.0]);
        assert_eq!(labels(&axis(&[1.0, 99.0])).last().unwrap(), "100");
        assert_eq!(labels(&axis(&[-1.0, 1e9]))[0], "−2×10⁸"); // signs have no decades
        assert_eq!(labels(&axis(&[1e-300, 1.0]))[0], "10⁻¹²");
    }

    #[test]
    fn places_are_in_proportion_and_stay_within() {
        let axis = Axis::linear([0.0, 10.0].into_iter(), [100.0, 0.0], 5);
        assert_eq!([axis.at(0.0), axis.at(2.5), axis.at(10.0)], [100.0, 75.0, 0.0]);
        assert_eq!([axis.at(-5.0), axis.at(50.0)], [100.0, 0.0]);
    }
}
