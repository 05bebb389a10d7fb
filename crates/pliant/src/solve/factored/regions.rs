//! Regions of an island, whose contacts are swept side by side.
//!
//! The parts of a large island are halved where they are, and the halves again. Contacts within
//! one half move nothing in the other, so that both are swept at the same time, and then those
//! between them. The order is the same for any number of threads.
//!
//! Regions are the nodes of a complete binary tree: 1 is the island, 2k and 2k + 1 are the halves
//! of k. All lists of a region are those of its first half, of its second, and its own.

use std::ops::Range;

use crate::math::Vec3;
use crate::par;
use crate::solve::compliance::{Rows, Split};
use crate::solve::factored::part::Part;
use crate::solve::gauss_seidel::{GaussSeidel, Relaxed};
use crate::solve::terms::MOST;

/// Parts of the smallest regions, at least.
const FEWEST: usize = 8;

/// Halvings at most: 2⁵ regions are more than there are threads, mostly.
const MOST_HALVINGS: u32 = 5;

/// Contacts of a region below which a second thread is not worth waking.
const WORTHWHILE: usize = 32;

/// Number of the island among the regions.
const ISLAND: usize = 1;

/// One region.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Region {
    /// Among [`Regions::order`].
    pub parts: Range<usize>,
    /// Its contacts, in the order in which they are swept.
    pub contacts: Range<usize>,
    /// Where the velocities of its parts are.
    pub speeds: Range<usize>,
    /// Where the responses of its contacts are.
    pub responses: Range<usize>,
}

/// The regions of an island.
#[derive(Debug, Default)]
pub(super) struct Regions {
    halvings: u32,
    /// Entry 0 is not in use.
    all: Vec<Region>,
    /// Places of the regions in the order of sweeps: halves come before what they are halves of.
    ranks: Vec<u32>,
    /// Parts, region by region.
    pub order: Vec<u32>,
    /// Smallest region of each part.
    own: Vec<u32>,
    centres: Vec<Vec3>,
    /// Worker threads; 0 means 1.
    pub threads: usize,
}

impl Regions {
    /// Finds the regions of some parts.
    pub(super) fn find(&mut self, parts: &[Part]) {
        self.centres.clear();
        self.centres.extend(parts.iter().map(Part::centre));
        self.halve_all();
    }

    /// The same of parts with these centres, m.
    fn halve_all(&mut self) {
        let count = self.centres.len();
        self.halvings = (count / FEWEST).checked_ilog2().unwrap_or(0).min(MOST_HALVINGS);
        self.all.clear();
        self.all.resize(2 << self.halvings, Region::default());
        self.ranks.clear();
        self.ranks.resize(2 << self.halvings, 0);
        self.order.clear();
        self.order.extend(0..count as u32);
        self.own.clear();
        self.own.resize(count, 0);
        self.halve(ISLAND, 0..count, &mut 0);
    }

    /// Orders the parts of a region by its halves.
    fn halve(&mut self, region: usize, range: Range<usize>, rank: &mut u32) {
        self.all[region].parts = range.clone();
        let own = &mut self.order[range.clone()];
        if region >> self.halvings > 0 {
            own.iter().for_each(|part| self.own[*part as usize] = region as u32);
        } else {
            let centre = |part: u32| self.centres[part as usize];
            let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
            for part in &*own {
                (low, high) = (low.min(centre(*part)), high.max(centre(*part)));
            }
            let axis = (high - low).max_position();
            own.sort_unstable_by(|a, b| {
                centre(*a)[axis].total_cmp(&centre(*b)[axis]).then(a.cmp(b))
            });
            let middle = range.start + range.len() / 2;
            self.halve(2 * region, range.start..middle, rank);
            self.halve(2 * region + 1, middle..range.end, rank);
        }
        self.ranks[region] = *rank;
        *rank += 1;
    }

    /// Number of the smallest region that holds one or two parts.
    pub(super) fn of(&self, parts: [Option<usize>; 2]) -> usize {
        let own = |part: usize| self.own[part] as usize;
        let (mut a, mut b) = match parts {
            [Some(a), Some(b)] => (own(a), own(b)),
            [Some(a), None] | [None, Some(a)] => (own(a), own(a)),
            [None, None] => (ISLAND, ISLAND),
        };
        // The smallest are all as many halvings away from the island.
        while a != b {
            (a, b) = (a / 2, b / 2);
        }
        a
    }

    /// Place of a region in the order of sweeps.
    pub(super) fn rank(&self, region: usize) -> u32 {
        self.ranks[region]
    }

    /// A region.
    pub(super) fn region(&self, number: usize) -> &Region {
        &self.all[number]
    }

    /// Begins to hand out contacts in the order of sweeps.
    pub(super) fn clear_contacts(&mut self) {
        for region in &mut self.all {
            (region.contacts, region.responses) = (0..0, 0..0);
        }
    }

    /// Takes in where the velocities of a region's parts are.
    pub(super) fn set_speeds(&mut self, speeds: impl Fn(&Part) -> Range<usize>, parts: &[Part]) {
        for region in &mut self.all[ISLAND..] {
            let of = |place: usize| speeds(&parts[self.order[place] as usize]);
            let own = region.parts.clone();
            region.speeds = match own.is_empty() {
                true => 0..0,
                false => of(own.start).start..of(own.end - 1).end,
            };
        }
    }

    /// Takes in that a contact and its responses belong to a region, in the order of sweeps.
    pub(super) fn add(&mut self, region: usize, contact: usize, responses: Range<usize>) {
        let mut number = region;
        while number >= ISLAND {
            let Region { contacts, responses: known, .. } = &mut self.all[number];
            if Range::is_empty(contacts) {
                (contacts.start, known.start) = (contact, responses.start);
            }
            (contacts.end, known.end) = (contact + 1, responses.end);
            number /= 2;
        }
    }

    /// Where the halves of a region end: the first, and the second.
    fn ends(&self, number: usize) -> [Split; 2] {
        let Region { contacts, speeds, responses, .. } = &self.all[number];
        let mut last =
            Split { row: contacts.start, speed: speeds.start, response: responses.start };
        let (begin, mut ends) = (last, [last; 2]);
        for (half, end) in ends.iter_mut().enumerate() {
            let own = &self.all[2 * number + half];
            last.speed = own.speeds.end.max(last.speed);
            // A half without contacts is nowhere among them.
            if !own.contacts.is_empty() {
                (last.row, last.response) = (own.contacts.end, own.responses.end);
            }
            *end = last.since(begin);
        }
        ends
    }
}

/// The contacts of an island, region by region.
pub(super) struct RegionRows<'a> {
    pub rows: Rows<'a, Part, MOST>,
    pub regions: &'a Regions,
}

impl GaussSeidel for RegionRows<'_> {
    fn row_count(&self) -> usize {
        self.rows.row_count()
    }

    fn relax(&mut self, row: usize) -> Relaxed {
        self.rows.relax(row)
    }

    fn relax_all(&mut self) -> Relaxed {
        sweep(self.regions, ISLAND, &mut self.rows)
    }

    fn accelerate(&mut self) {
        self.rows.accelerate();
    }
}

/// Relaxes all contacts of a region once.
fn sweep(regions: &Regions, number: usize, rows: &mut Rows<'_, Part, MOST>) -> Relaxed {
    if number >> regions.halvings > 0 {
        return rows.relax_all();
    }
    let [first, second] = regions.ends(number);
    let (mut of_first, mut of_second) = (Relaxed::Converged, Relaxed::Converged);
    {
        let (mut halves, _) = rows.split(second);
        let (mut a, mut b) = halves.split(first);
        let low = || of_first = sweep(regions, 2 * number, &mut a);
        let high = || of_second = sweep(regions, 2 * number + 1, &mut b);
        if number < regions.threads && second.row >= WORTHWHILE {
            par::both(low, high);
        } else {
            let (mut low, mut high) = (low, high);
            low();
            high();
        }
    }
    let own = (second.row..rows.row_count()).map(|row| rows.relax(row));
    own.fold(of_first.max(of_second), Relaxed::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regions(centres: &[Vec3]) -> Regions {
        let mut regions = Regions { centres: centres.to_vec(), ..Regions::default() };
        regions.halve_all();
        regions
    }

    /// Bodies in a row along y, numbered as `order` says.
    fn in_a_row(order: &[usize]) -> Vec<Vec3> {
        order.iter().map(|k| Vec3::new(0.0, *k as f64, 0.1)).collect()
    }

    #[test]
    fn few_parts_are_one_region_in_their_order() {
        let found = regions(&in_a_row(&[3, 2, 1, 0]));
        assert_eq!(found.order, [0, 1, 2, 3]);
        assert_eq!(found.of([Some(0), Some(3)]), ISLAND);
        assert_eq!(regions(&[]).of([None, None]), ISLAND);
    }

    #[test]
    fn halves_lie_on_either_side_and_what_is_between_comes_after_them() {
        let backwards: Vec<_> = (0..32).rev().collect();
        let found = regions(&in_a_row(&backwards));
        assert_eq!(found.halvings, 2);
        assert_eq!(found.order, (0..32).rev().collect::<Vec<_>>());
        let places = [31, 16, 15, 0].map(Some); // the first and last of each half
        assert_eq!(found.of([places[0], None]), 4);
        assert_eq!(found.of([places[0], places[1]]), 2);
        assert_eq!(found.of([places[2], places[3]]), 3);
        assert_eq!(found.of([places[1], places[2]]), ISLAND);
        let swept = [4, 5, 2, 6, 7, 3, 1].map(|region| found.rank(region));
        assert_eq!(swept, [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn halves_end_where_the_next_begins_whether_they_have_contacts_or_not() {
        let mut found = regions(&in_a_row(&(0..16).collect::<Vec<_>>()));
        found.clear_contacts();
        found.all[1].speeds = 0..160;
        found.all[2].speeds = 0..80;
        found.all[3].speeds = 80..160;
        // None in the first half, two in the second, one between.
        found.add(3, 0, 0..6);
        found.add(3, 1, 6..10);
        found.add(1, 2, 10..17);
        let split = |row, speed, response| Split { row, speed, response };
        assert_eq!(found.ends(1), [split(0, 80, 0), split(2, 160, 10)]);
        assert_eq!(found.region(1).contacts, 0..3);
        assert_eq!(found.region(1).responses, 0..17);
    }
}
