//! How often something bad was seen in a run.

use pliant::snapshot::{Snapshot, SnapshotError};

/// Stands in a snapshot for no body.
const NO_BODY: f64 = -1.0;

/// Up to this all counts are exact as f64.
const LARGEST: f64 = (1_u64 << 53) as f64;

/// What can be wrong, in the order of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Energy without a source.
    Energy,
    /// Contacts that did not converge.
    Unconverged,
    /// Tunnelling within a step.
    TooFast,
    /// Inverted tets.
    Inverted,
}

/// How often something was seen, and when first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Steps.
    pub count: u64,
    /// s.
    pub first_time: f64,
    /// Largest value: J, tets, or m.
    pub worst: f64,
    /// Body that it was largest in, if there is one.
    pub body: Option<usize>,
}

impl Tally {
    /// Adds a step at a time, s.
    pub fn add(&mut self, time: f64, value: f64, body: Option<usize>) {
        if self.count == 0 {
            self.first_time = time;
        }
        self.count += 1;
        if value > self.worst || self.count == 1 {
            (self.worst, self.body) = (value, body);
        }
    }
    /// Writes all.
    pub fn save(&self, snapshot: &mut Snapshot) {
        let Tally { count, first_time, worst, body } = *self;
        let body = body.map_or(NO_BODY, |body| body as f64);
        [count as f64, first_time, worst, body].iter().for_each(|n| snapshot.write(*n));
    }

    /// Reads what [`Tally::save`] wrote.
    pub fn restore(snapshot: &mut Snapshot) -> Result<Tally, SnapshotError> {
        let mut number = || snapshot.read("verdicts");
        let [count, first_time, worst, body] = [number()?, number()?, number()?, number()?];
        let body = (body >= 0.0).then_some(body as usize);
        Ok(Tally { count: whole(count), first_time, worst, body })
    }
}

/// A count that was written as a number; one that is none is cut to what sums can go on from.
pub fn whole(number: f64) -> u64 {
    number.clamp(0.0, LARGEST) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_time_and_the_worst_body_are_kept_and_come_back() {
        let mut tally = Tally::default();
        for (time, value, body) in [(1.0, 2.0, Some(4)), (2.0, 5.0, None), (3.0, 3.0, Some(6))] {
            tally.add(time, value, body);
        }
        assert_eq!(tally, Tally { count: 3, first_time: 1.0, worst: 5.0, body: None });
        let mut snapshot = Snapshot::default();
        tally.save(&mut snapshot);
        let mut snapshot = Snapshot::from_numbers(snapshot.numbers().to_vec());
        assert_eq!(Tally::restore(&mut snapshot).unwrap(), tally);
    }
}
