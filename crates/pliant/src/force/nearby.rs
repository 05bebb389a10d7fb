//! The elements around some vertices, to evaluate forces on those alone.
//!
//! Forces on these vertices are bitwise those of all elements, as each vertex sums its own
//! elements in their order.

use crate::force::{Forces, StateView, Store};
use crate::id::VertexId;
use crate::math::Vec3;
use crate::mesh::topology::Csr;

/// Bits in a word of marks.
const BITS: u32 = u64::BITS;

/// Elements of each force that touch some vertices.
#[derive(Clone, Debug, Default)]
pub struct Nearby {
    /// Numbers of the elements of each force, ascending.
    lists: Vec<Vec<u32>>,
    /// One bit per element of the current force.
    marks: Vec<u64>,
    /// Number of elements of each force.
    counts: Vec<usize>,
}

impl Nearby {
    /// Number of elements, over all forces.
    #[cfg(test)]
    pub(crate) fn element_count(&self) -> usize {
        self.lists.iter().map(Vec::len).sum()
    }

    /// Collects the elements of one force.
    fn collect(&mut self, force: usize, around: &Around, vertices: &[VertexId]) {
        let Nearby { lists, marks, .. } = self;
        marks.clear();
        marks.resize(around.count.div_ceil(BITS as usize), 0);
        let known = vertices.iter().filter(|v| v.index() < around.elements.len());
        for element in known.flat_map(|v| around.elements.row(v.index())) {
            marks[(element / BITS) as usize] |= 1 << (element % BITS);
        }
        let list = &mut lists[force];
        list.clear();
        for (word, mark) in marks.iter().enumerate() {
            let mut left = *mark;
            while left != 0 {
                list.push(word as u32 * BITS + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }
}

/// Elements around each vertex, of one force.
#[derive(Clone, Debug)]
pub(super) struct Around {
    /// Elements at each vertex; those beyond the last row have none.
    elements: Csr<u32>,
    /// Number of elements.
    count: usize,
}

impl Forces {
    /// Collects the elements that touch any of some vertices.
    ///
    /// Goes through all elements the first time, and again after [`Forces::push`].
    pub fn find_nearby(&self, vertices: &[VertexId], nearby: &mut Nearby) {
        let around = self.around.get_or_init(|| self.elements_around());
        nearby.lists.resize_with(around.len(), Vec::new);
        nearby.counts.clear();
        nearby.counts.extend(around.iter().map(|around| around.count));
        for (force, around) in around.iter().enumerate() {
            nearby.collect(force, around, vertices);
        }
    }

    /// Adds the forces of one kind that these elements make, N.
    ///
    /// On the vertices that they were collected for these are all forces of that kind; on
    /// others only a part, or all. NaN where they are of other forces, or a vertex is lacking.
    pub fn add_nearby(
        &self,
        store: Store,
        nearby: &Nearby,
        motion: StateView<'_>,
        forces: &mut [Vec3],
    ) {
        if !self.has_nearby(nearby, motion) || forces.len() < self.vertex_count {
            return forces.fill(Vec3::NAN);
        }
        let both = self.iter().zip(&nearby.lists);
        let kind = both.filter(|(force, list)| force.store() == store && !list.is_empty());
        kind.for_each(|(force, list)| force.add_forces_of(list, motion, forces));
    }

    /// Potential energy of these elements, J, or of all where a force cannot separate them.
    ///
    /// What moves only the vertices that they were collected for changes no other energy. NaN
    /// where they are of other forces, or the state lacks a vertex.
    pub fn energy_nearby(&self, nearby: &Nearby, motion: StateView<'_>) -> f64 {
        if !self.has_nearby(nearby, motion) {
            return f64::NAN;
        }
        let both = self.iter().zip(&nearby.lists).filter(|(_, list)| !list.is_empty());
        both.map(|(force, list)| force.energy_of_elements(list, motion)).sum()
    }

    /// Whether elements are those of these forces, in a state that has all their vertices.
    fn has_nearby(&self, nearby: &Nearby, motion: StateView<'_>) -> bool {
        let around = self.around.get_or_init(|| self.elements_around());
        let counts = around.iter().map(|around| around.count);
        let is_empty = nearby.lists.iter().all(Vec::is_empty);
        (is_empty || nearby.counts.iter().copied().eq(counts)) && self.check(motion).is_ok()
    }

    fn elements_around(&self) -> Vec<Around> {
        let of = |force: &dyn crate::force::Force| {
            let (mut pairs, mut count, mut rows) = (Vec::new(), 0_usize, 0);
            force.visit_elements(&mut |vertices| {
                pairs.extend(vertices.iter().map(|v| (v.0, count as u32)));
                rows = vertices.iter().fold(rows, |most, v| most.max(v.index() + 1));
                count += 1;
            });
            Around { elements: Csr::from_pairs(rows, pairs.iter().copied()), count }
        };
        self.iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::elastic::{Corotational, Elastic, ElasticSettings};
    use crate::force::gravity::Gravity;
    use crate::force::spring::{SpringLaw, SpringSettings, Springs};
    use crate::mesh::generate::cuboid::cuboid;
    use crate::mesh::generate::lattice::TetSplit;
    use crate::mesh::topology::edges;

    /// A strained block with tets, springs along all edges, and weight.
    fn block() -> (Vec<Vec3>, Forces) {
        let raw = cuboid([4, 4, 4], Vec3::ONE, TetSplit::Five).unwrap();
        let (rest, tets) = (raw.positions, raw.tets);
        let mut forces = Forces::new();
        let soft = ElasticSettings { young: 1e4, poisson: 0.3, damping: 0.0 };
        forces.push(Elastic::<Corotational>::new(&rest, &tets, |_| soft).unwrap());
        let links = edges(rest.len(), &tets);
        let settings = SpringSettings { law: SpringLaw::Absolute, stiffness: 9.0, damping: 0.0 };
        forces.push(Springs::along(&rest, &links, settings).unwrap());
        forces.push(Gravity::new(-9.81 * Vec3::Z, &vec![1.0; rest.len()]));
        let strained = |(k, p): (usize, Vec3)| p + 0.02 * Vec3::splat(libm::sin(7.1 * k as f64));
        (rest.into_iter().enumerate().map(strained).collect(), forces)
    }

    #[test]
    fn forces_on_the_chosen_vertices_are_those_of_all_elements_to_the_bit() {
        let (positions, mut forces) = block();
        let still = vec![Vec3::ZERO; positions.len()];
        let motion = StateView { positions: &positions, velocities: &still, time: 0.0 };
        let mut nearby = Nearby::default();
        for threads in [1, 3] {
            forces.set_threads(threads, positions.len());
            for chosen in [&[][..], &[0], &[3, 17, 124], &[60, 61, 62, 63, 64]] {
                let chosen: Vec<_> = chosen.iter().map(|v| VertexId(*v)).collect();
                for store in [Store::Elastic, Store::Gravitational] {
                    let (mut all, mut some) = (still.clone(), still.clone());
                    let kind = forces.iter().filter(|force| force.store() == store);
                    kind.for_each(|force| force.add_forces(motion, &mut all));
                    forces.find_nearby(&chosen, &mut nearby);
                    forces.add_nearby(store, &nearby, motion, &mut some);
                    let differs = |v: &&VertexId| all[v.index()] != some[v.index()];
                    assert_eq!(chosen.iter().find(differs), None);
                    assert!(chosen.iter().all(|v| some[v.index()] != Vec3::ZERO));
                }
            }
        }
        forces.find_nearby(&[VertexId(0)], &mut nearby);
        assert!(nearby.element_count() < 20, "{}", nearby.element_count());
    }

    #[test]
    fn energy_changes_by_what_the_elements_nearby_change() {
        let (positions, forces) = block();
        let still = vec![Vec3::ZERO; positions.len()];
        let mut moved = positions.clone();
        moved[31] += Vec3::new(0.01, -0.02, 0.03);
        let mut nearby = Nearby::default();
        forces.find_nearby(&[VertexId(31), VertexId(9_999)], &mut nearby);
        let [before, after] = [&positions, &moved].map(|positions| {
            let motion = StateView { positions, velocities: &still, time: 0.0 };
            [forces.energy(motion), forces.energy_nearby(&nearby, motion)]
        });
        let [all, some] = [after[0] - before[0], after[1] - before[1]];
        assert!((all - some).abs() < 1e-9 * before[0].abs() && some != 0.0, "{all} {some}");
        assert!(before[1].abs() < 0.5 * before[0].abs());
    }

    #[test]
    fn a_force_that_is_added_is_nearby_too() {
        let (positions, mut forces) = block();
        let (chosen, mut nearby) = ([VertexId(31)], Nearby::default());
        forces.find_nearby(&chosen, &mut nearby);
        let before = nearby.element_count();
        forces.push(Gravity::new(Vec3::X, &vec![1.0; positions.len()]));
        forces.find_nearby(&chosen, &mut nearby);
        assert_eq!(nearby.element_count(), before + 1);
    }
}
