//! Large islands in parts, of which several can be swept at the same time.
//!
//! The bodies that can move are halved by their places, again and again, until a part has few.
//! Pairs inside a part belong to it, those between two halves to the part that was halved. Upwards
//! a part is swept after its halves, and downwards before them: a pair of sweeps is symmetric, as
//! in an island of one part. The tree depends on the bodies alone, not on the threads.

use crate::contact::point_force::PairKey;
use crate::id::{BodyId, VertexId};
use crate::math::Vec3;
use crate::par;
use crate::solve::dense::inverse;
use crate::solve::rigid_substeps::island::part::{Loading, Part};
use crate::solve::rigid_substeps::island::{Island, Shared};

/// Bodies of a part at most that is not halved.
///
/// Each sweep waits for the slowest thread: on a busy machine that costs small parts more than it
/// saves, and by one thread a pyramid of 465 boxes in two parts takes 7 % longer than in one.
pub(super) const FEW: usize = 512;

/// How much of a height counts beside widths where bodies are halved.
///
/// Loads are passed on upwards: what stands on each other had better be in one part.
const UPRIGHT: f64 = 0.5;

/// Parts of an island, the halves of each before it, with the order of the bodies in them.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Those beyond the count are memory of steps before.
    all: Vec<Part>,
    count: usize,
    /// Place of each member, ascending by member.
    places: Vec<(BodyId, u32)>,
    /// Bodies that can move, with their centres, part by part.
    order: Vec<(BodyId, Vec3)>,
    /// Those that cannot.
    fixed: Vec<BodyId>,
}

impl Tree {
    pub fn parts(&self) -> &[Part] {
        &self.all[..self.count]
    }

    pub fn parts_mut(&mut self) -> &mut [Part] {
        &mut self.all[..self.count]
    }

    /// Place of each member, ascending by member, while parts are loaded.
    pub fn take_places(&mut self) -> Vec<(BodyId, u32)> {
        std::mem::take(&mut self.places)
    }

    /// Gives it back.
    pub fn return_places(&mut self, places: Vec<(BodyId, u32)>) {
        self.places = places;
    }

    /// The part that has the contacts of a pair.
    pub fn part_of_pair(&self, pair: PairKey, movable: usize) -> usize {
        if self.count == 1 {
            return 0;
        }
        let sides = [Some(pair.first), pair.second];
        let sides = sides.map(|body| Loading::place_among(&self.places, body));
        self.part_of(sides, movable)
    }

    /// Calls `act` for each part, several at the same time where there are threads.
    pub fn each(&mut self, threads: usize, act: impl Fn(&mut Part) + Sync + Send) {
        match threads > 1 {
            true => par::each(self.parts_mut(), act),
            false => self.parts_mut().iter_mut().for_each(act),
        }
    }

    /// All bodies in one part, as they come.
    fn plant(&mut self, bodies: usize) {
        self.count = 0;
        self.push(0..bodies, bodies, 0);
    }

    /// Halves some bodies, of which `start` are before, until parts have few.
    fn halve(&mut self, bodies: &mut [(BodyId, Vec3)], start: usize, up: Vec3) {
        let (before, count) = (self.count, bodies.len());
        let own = start..start + count;
        if count <= FEW {
            bodies.sort_unstable_by_key(|(body, _)| *body);
            return self.push(own, start + count, 0);
        }
        let axis = widest(bodies, up);
        let middle = count / 2;
        bodies.select_nth_unstable_by(middle, |(a, at), (b, bt)| {
            at[axis].total_cmp(&bt[axis]).then(a.cmp(b))
        });
        let (first, second) = bodies.split_at_mut(middle);
        self.halve(first, start, up);
        let low = self.count - before;
        self.halve(second, start + middle, up);
        self.push(own, start + middle, low);
        let below = self.count - 1 - before;
        self.all[self.count - 1].below = below;
    }

    fn push(&mut self, bodies: std::ops::Range<usize>, middle: usize, low: usize) {
        if self.count == self.all.len() {
            self.all.push(Part::default());
        }
        let part = &mut self.all[self.count];
        (part.bodies, part.middle, part.low, part.below) = (bodies, middle, low, 0);
        part.pairs.clear();
        self.count += 1;
    }

    /// The part of a pair of places: the last that holds all of them that can move.
    fn part_of(&self, sides: [usize; 2], movable: usize) -> usize {
        let [a, b] = match sides {
            [a, b] if a >= movable => [b, b],
            [a, b] if b >= movable => [a, a],
            sides => sides,
        };
        let mut at = self.count - 1;
        loop {
            let Part { low, below, middle, .. } = self.all[at];
            if below == 0 || (a < middle) != (b < middle) {
                return at;
            }
            at = if a < middle { at - below + low - 1 } else { at - 1 };
        }
    }
}

impl Island {
    /// Finds the parts of the island, and shares its bodies and pairs out among them.
    ///
    /// Small islands, and those with joints, are one part, with the bodies as they come.
    /// Otherwise members are renumbered part by part, those that nothing moves at the end.
    pub(super) fn split(&mut self, shared: Shared<'_>) {
        let count = self.members.len();
        self.tree.places.clear();
        self.movable = count;
        if count > FEW && self.jointed.is_empty() {
            self.renumber(shared);
        }
        let members = self.members.iter().copied();
        self.tree.places.extend(members.zip(0..));
        if self.movable <= FEW || !self.jointed.is_empty() {
            self.movable = count;
            self.tree.plant(count);
        } else {
            self.tree.places.sort_unstable();
        }
        let mut start = 0;
        for pair in self.contacts.chunk_by(|a, b| a.0 == b.0) {
            let end = start + pair.len() as u32;
            let part = self.tree.part_of_pair(pair[0].0, self.movable);
            self.tree.all[part].pairs.push(start..end);
            start = end;
        }
    }

    /// Makes the tree of an island of many bodies, and puts its members in that order.
    fn renumber(&mut self, shared: Shared<'_>) {
        let Shared { equations, rigid, velocities, .. } = shared;
        let Tree { order, fixed, .. } = &mut self.tree;
        order.clear();
        fixed.clear();
        let mut pull = Vec3::ZERO;
        for body in &self.members {
            let first = rigid.firsts[body.index()] as usize;
            let mass = equations.matrix.diagonal(first).x_axis.x;
            let is_held = equations.held.binary_search(&VertexId(first as u32)).is_ok();
            if is_held || inverse(equations.matrix.diagonal(first + 1)).is_none() {
                fixed.push(*body);
                continue;
            }
            pull += equations.right[first] - mass * velocities[first];
            order.push((*body, rigid.centres[body.index()].unwrap_or_default()));
        }
        self.movable = order.len();
        if self.movable <= FEW {
            return;
        }
        let mut order = std::mem::take(order);
        self.tree.count = 0;
        self.tree.halve(&mut order, 0, pull.try_normalize().unwrap_or(Vec3::Z));
        self.members.clear();
        self.members.extend(order.iter().map(|(body, _)| *body));
        self.members.extend_from_slice(&self.tree.fixed);
        self.tree.order = order;
    }
}

/// Axis along which bodies are spread most.
fn widest(bodies: &[(BodyId, Vec3)], up: Vec3) -> usize {
    let start = bodies.first().map_or(Vec3::ZERO, |(_, at)| *at);
    let (low, high) =
        bodies.iter().fold((start, start), |(low, high), (_, at)| (low.min(*at), high.max(*at)));
    let counted = Vec3::ONE - (1.0 - UPRIGHT) * up.abs();
    let wide = (counted * (high - low)).to_array();
    (1..3).fold(0, |best, axis| if wide[axis] > wide[best] { axis } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::Random;

    /// A tree of so many bodies that can move, and two that cannot.
    fn tree(count: usize) -> Tree {
        let mut random = Random::new(7);
        let order = (0..count as u32).map(|k| (BodyId(k), 10.0 * random.vec3()));
        let (mut order, mut tree): (Vec<_>, _) = (order.collect(), Tree::default());
        tree.halve(&mut order, 0, Vec3::Z);
        let fixed = [BodyId(count as u32), BodyId(count as u32 + 1)];
        let members = order.iter().map(|(body, _)| *body).chain(fixed);
        tree.places = members.zip(0..).collect();
        tree.places.sort_unstable();
        tree
    }

    #[test]
    fn every_body_is_in_one_leaf_and_halves_are_before_what_they_are_of() {
        for count in [1, FEW, FEW + 1, 5 * FEW + 3] {
            let tree = tree(count);
            let leaves: Vec<_> = tree.parts().iter().filter(|part| part.is_leaf()).collect();
            assert!(leaves.iter().all(|part| part.bodies.len() <= FEW));
            let all: Vec<usize> = leaves.iter().flat_map(|part| part.bodies.clone()).collect();
            assert_eq!(all, (0..count).collect::<Vec<_>>());
            for (k, part) in tree.parts().iter().enumerate().filter(|(_, part)| !part.is_leaf()) {
                let low = &tree.parts()[k - part.below + part.low - 1];
                let high = &tree.parts()[k - 1];
                assert_eq!(
                    [&low.bodies, &high.bodies].map(|own| own.start),
                    [part.bodies.start, part.middle]
                );
                assert_eq!(high.bodies.end, part.bodies.end);
            }
        }
    }

    #[test]
    fn a_pair_is_in_the_least_part_that_has_both_or_what_can_move_of_it() {
        let count = 5 * FEW + 3;
        let tree = tree(count);
        let mut random = Random::new(3);
        for _ in 0..1000 {
            let mut body = || BodyId(random.below(count + 2) as u32);
            let (first, second) = (body(), body());
            let pair = PairKey { first, second: Some(second), obstacle: 0 };
            let movable = [first, second].into_iter().filter(|body| body.index() < count);
            let sides: Vec<usize> =
                movable.map(|body| Loading::place_among(&tree.places, Some(body))).collect();
            let least = tree.parts().iter().position(|part| {
                !sides.is_empty() && sides.iter().all(|side| part.bodies.contains(side))
            });
            if let Some(least) = least {
                assert_eq!(tree.part_of_pair(pair, count), least, "{pair:?}");
            }
        }
    }
}
