//! Bodies translated apart, and those that are nested on purpose kept so.
//!
//! Every body moves alone first. Where one then leaves the body that it was to stay in, those that
//! are nested move as one, and part from that one afterwards as far as they are too near in it.

use crate::math::Vec3;
use crate::separate::rigid;
use crate::separate::search::{Found, Report, Search};
use crate::separate::{Manner, Mobility};

impl Search<'_> {
    /// Translations from some positions, m.
    pub(super) fn rigid(&self, start: &[Vec<Vec3>], report: Report<'_>) -> Found {
        let alone: Vec<usize> = (0..self.bodies.len()).collect();
        let found = self.rigid_in(&alone, start, report);
        if found.stopped || self.nested.is_empty() || self.is_separated(&found.positions) {
            return found;
        }
        let groups = groups(self.bodies.len(), self.nested);
        let before = found.iterations;
        let together = self.rigid_in(&groups, start, &mut |k, pairs| report(before + k, pairs));
        if together.stopped {
            return together;
        }
        let before = before + together.iterations;
        let moved = &together.positions;
        let parted = self.rigid_in(&alone, moved, &mut |k, pairs| report(before + k, pairs));
        let iterations = before + parted.iterations;
        let left = |found: &Found| self.judged(&found.positions).len();
        let best = if left(&parted) <= left(&together) { parted } else { together };
        Found { iterations, ..best }
    }

    /// The same of bodies of which some move as one.
    fn rigid_in(&self, groups: &[usize], start: &[Vec<Vec3>], report: Report<'_>) -> Found {
        let mut masses = vec![0.0; groups.len()];
        for (body, first) in groups.iter().enumerate() {
            masses[*first] += match self.bodies[body].mobility {
                Mobility::Free | Mobility::Rigid => self.mass(body),
                Mobility::Fixed => f64::INFINITY,
            };
        }
        let inv_masses: Vec<f64> = groups.iter().map(|first| masses[*first].recip()).collect();
        let Search { shapes, nested, gap, .. } = *self;
        let task = rigid::Task { shapes, start, nested, inv_masses: &inv_masses, groups, gap };
        let done = task.run(report);
        let moved = |(start, shift): (&Vec<Vec3>, &Vec3)| match *shift == Vec3::ZERO {
            true => start.clone(),
            false => start.iter().map(|p| *p + *shift).collect(),
        };
        Found {
            positions: start.iter().zip(&done.shifts).map(moved).collect(),
            manners: vec![Manner::Rigid; self.bodies.len()],
            undeformed: vec![None; self.bodies.len()],
            iterations: done.iterations,
            stopped: done.stopped,
        }
    }
}

/// The first of the bodies that each is nested with, through others too; itself without any.
fn groups(count: usize, nested: &[[usize; 2]]) -> Vec<usize> {
    let mut groups: Vec<usize> = (0..count).collect();
    for pair in nested {
        let [a, b] = pair.map(|body| groups[body]);
        let (first, second) = (a.min(b), a.max(b));
        groups.iter_mut().filter(|group| **group == second).for_each(|group| *group = first);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nested_through_others_moves_as_one() {
        assert_eq!(groups(6, &[[0, 4], [1, 3], [3, 4]]), [0, 0, 2, 0, 0, 5]);
        assert_eq!(groups(3, &[]), [0, 1, 2]);
    }
}
