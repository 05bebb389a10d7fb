//! Which bodies meet, and with what friction and restitution.
//!
//! A surface may have a friction and a restitution of its own. For a pair of surfaces
//!
//! - the friction is the geometric mean √(μₐ μᵦ) of the two, so that ice is slippery under
//!   everything; of one alone where the other has none; the default where neither has one;
//! - the restitution is the larger of the two, or the default.
//!
//! Bodies and obstacles belong to one of 32 groups; two groups may ignore each other, and so may
//! single pairs.

use crate::contact::{Contact, Feature};
use crate::id::BodyId;

/// One of 32 collision groups; the first by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Group(u8);

impl Group {
    /// The group that everything belongs to at first.
    pub const DEFAULT: Group = Group(0);
    /// The second group; [`Group::new`] has all 32.
    pub const A: Group = Group(1);
    /// The third group.
    pub const B: Group = Group(2);
    /// The fourth group.
    pub const C: Group = Group(3);
    /// The fifth group.
    pub const D: Group = Group(4);
    /// Number of groups.
    pub const COUNT: usize = 32;

    /// The group of a number; `None` from 32 on.
    pub fn new(number: u8) -> Option<Group> {
        (usize::from(number) < Group::COUNT).then_some(Group(number))
    }

    /// Its number, below 32.
    pub fn number(self) -> u8 {
        self.0
    }
}

/// What contact knows of a surface; nothing of its own by default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfaceRule {
    /// Coulomb's coefficient, at least 0 and finite.
    pub friction: Option<f64>,
    /// Coefficient of restitution, from 0 to 1.
    pub restitution: Option<f64>,
    /// The collision group.
    pub group: Group,
}

/// The rules of all surfaces; by default everything meets, with the default friction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactRules {
    /// Of each body, in order; the default beyond the end.
    pub bodies: Vec<SurfaceRule>,
    /// Of each obstacle, in order; the default beyond the end.
    pub obstacles: Vec<SurfaceRule>,
    /// Bit `b` of entry `a` where groups `a` and `b` ignore each other; symmetric.
    ignored: [u32; Group::COUNT],
    /// Pairs of bodies that ignore each other, the smaller number first, ascending.
    pairs: Vec<(BodyId, BodyId)>,
    /// Bodies and obstacles that ignore each other, ascending.
    obstacle_pairs: Vec<(BodyId, u32)>,
}

impl ContactRules {
    /// Lets two groups ignore each other.
    pub fn ignore(&mut self, a: Group, b: Group) {
        self.ignored[usize::from(a.0)] |= 1 << b.0;
        self.ignored[usize::from(b.0)] |= 1 << a.0;
    }

    /// Lets two groups meet again.
    pub fn unignore(&mut self, a: Group, b: Group) {
        self.ignored[usize::from(a.0)] &= !(1 << b.0);
        self.ignored[usize::from(b.0)] &= !(1 << a.0);
    }

    /// For each group a bit for each that it ignores.
    pub(crate) fn ignored(&self) -> &[u32; Group::COUNT] {
        &self.ignored
    }

    /// Replaces these; made symmetric.
    pub(crate) fn set_ignored(&mut self, ignored: [u32; Group::COUNT]) {
        self.ignored = [0; Group::COUNT];
        for (a, row) in (0..).zip(ignored) {
            for b in (0..).take(Group::COUNT).filter(|b| row & (1 << *b) != 0) {
                self.ignore(Group(a), Group(b));
            }
        }
    }

    /// Whether two groups ignore each other.
    pub fn is_ignored(&self, a: Group, b: Group) -> bool {
        self.ignored[usize::from(a.0)] & (1 << b.0) != 0
    }

    /// Replaces the pairs of bodies that ignore each other.
    pub fn set_pairs(&mut self, mut pairs: Vec<(BodyId, BodyId)>) {
        pairs.iter_mut().for_each(|(a, b)| (*a, *b) = (*a.min(b), *a.max(b)));
        pairs.sort_unstable();
        pairs.dedup();
        self.pairs = pairs;
    }

    /// Replaces the bodies and obstacles that ignore each other.
    pub fn set_obstacle_pairs(&mut self, mut pairs: Vec<(BodyId, u32)>) {
        pairs.sort_unstable();
        pairs.dedup();
        self.obstacle_pairs = pairs;
    }

    /// Whether the two sides of a contact meet.
    pub fn meet(&self, contact: &Contact) -> bool {
        let (a, other) = contact.bodies;
        match (other, contact.feature) {
            (Some(b), _) => self.bodies_meet(a, b),
            (None, Feature::VertexObstacle(_, number)) => self.meets(a, number),
            (None, _) => true,
        }
    }

    /// Whether a body meets an obstacle.
    pub fn meets(&self, body: BodyId, obstacle: u32) -> bool {
        !self.is_ignored(self.body(body).group, self.obstacle(obstacle).group)
            && self.obstacle_pairs.binary_search(&(body, obstacle)).is_err()
    }

    /// Whether two bodies meet.
    pub fn bodies_meet(&self, a: BodyId, b: BodyId) -> bool {
        !self.is_ignored(self.body(a).group, self.body(b).group)
            && self.pairs.binary_search(&(a.min(b), a.max(b))).is_err()
    }

    /// Whether every pair meets: nothing is ignored.
    pub fn all_meet(&self) -> bool {
        self.ignored == [0; Group::COUNT] && self.pairs.is_empty() && self.obstacle_pairs.is_empty()
    }

    /// Friction of a contact, where one of its surfaces has its own.
    ///
    /// `usual` is that of an obstacle, or the default.
    pub fn friction(&self, contact: &Contact, usual: f64) -> f64 {
        let [a, b] = self.sides(contact).map(|rule| rule.friction);
        match (a, b) {
            (None, None) => usual,
            (Some(one), None) | (None, Some(one)) => one,
            (Some(a), Some(b)) if a == b => a,
            (Some(a), Some(b)) => libm::sqrt(a) * libm::sqrt(b),
        }
    }

    /// Restitution of a contact, where one of its surfaces has its own.
    pub fn restitution(&self, contact: &Contact, usual: f64) -> f64 {
        let [a, b] = self.sides(contact).map(|rule| rule.restitution);
        match (a, b) {
            (None, None) => usual,
            (Some(one), None) | (None, Some(one)) => one,
            (Some(a), Some(b)) => a.max(b),
        }
    }

    fn sides(&self, contact: &Contact) -> [SurfaceRule; 2] {
        let second = match (contact.bodies.1, contact.feature) {
            (Some(body), _) => self.body(body),
            (None, Feature::VertexObstacle(_, number)) => self.obstacle(number),
            (None, _) => SurfaceRule::default(),
        };
        [self.body(contact.bodies.0), second]
    }

    fn body(&self, body: BodyId) -> SurfaceRule {
        self.bodies.get(body.index()).copied().unwrap_or_default()
    }

    fn obstacle(&self, number: u32) -> SurfaceRule {
        self.obstacles.get(number as usize).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::resting;
    use crate::id::VertexId;

    fn between(a: u32, b: Option<u32>) -> Contact {
        Contact { bodies: (BodyId(a), b.map(BodyId)), ..resting(VertexId(0)) }
    }

    fn rough(friction: f64) -> SurfaceRule {
        SurfaceRule { friction: Some(friction), restitution: Some(friction), ..Default::default() }
    }

    #[test]
    fn friction_is_the_mean_of_those_that_have_one() {
        let rules = ContactRules {
            bodies: vec![rough(0.9), rough(0.4), SurfaceRule::default()],
            obstacles: vec![SurfaceRule::default(), rough(0.0)],
            ..ContactRules::default()
        };
        assert!((rules.friction(&between(0, Some(1)), 7.0) - 0.6).abs() < 1e-15);
        assert_eq!(rules.friction(&between(0, Some(2)), 7.0), 0.9);
        assert_eq!(rules.friction(&between(2, Some(5)), 7.0), 7.0);
        assert_eq!(rules.friction(&between(1, None), 7.0), 0.4);
        let ice = Contact { feature: Feature::VertexObstacle(VertexId(0), 1), ..between(0, None) };
        assert_eq!(rules.friction(&ice, 7.0), 0.0);
        assert_eq!(rules.restitution(&ice, 7.0), 0.9);
        assert_eq!(rules.restitution(&between(2, None), 0.25), 0.25);
    }

    #[test]
    fn groups_and_pairs_ignore_each_other_both_ways() {
        let mut rules = ContactRules::default();
        assert!(rules.all_meet());
        rules.bodies = [Group::A, Group::B, Group::A]
            .map(|group| SurfaceRule { group, ..Default::default() })
            .to_vec();
        rules.ignore(Group::A, Group::B);
        let meet = |rules: &ContactRules, a, b| rules.meet(&between(a, b));
        assert!(!meet(&rules, 0, Some(1)) && !meet(&rules, 1, Some(0)));
        assert!(meet(&rules, 0, Some(2)) && meet(&rules, 1, None));
        rules.unignore(Group::B, Group::A);
        rules.set_pairs(vec![(BodyId(2), BodyId(0))]);
        rules.set_obstacle_pairs(vec![(BodyId(1), 0)]);
        assert!(meet(&rules, 0, Some(1)) && !meet(&rules, 0, Some(2)));
        assert!(!meet(&rules, 1, None) && meet(&rules, 0, None));
    }

    #[test]
    fn there_are_32_groups() {
        assert_eq!(Group::new(31).map(Group::number), Some(31));
        assert_eq!(Group::new(32), None);
    }
}
