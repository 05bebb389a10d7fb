//! The loops over elements that every material shares.
//!
//! Each thread owns a range of vertices and goes through the elements that touch it; an
//! element on the border of two ranges is computed by both. The forces on one vertex are thus
//! added in element order whatever the number of threads: bitwise reproducible.

use crate::force::deformation::Deformation;
use crate::force::stiffness::{BlockMatrix, Slot, Tangent};
use crate::force::{Force, StateView, StepRejection, Store};
use crate::id::VertexId;
use crate::math::dispatch::{Kernel, dispatch};
use crate::math::{Mat3, Vec3};
use crate::par;
use crate::snapshot::{Snapshot, SnapshotError};

/// Elements whose energies are computed before they are summed, in order.
const BATCH: usize = 4096;

/// Pieces of a batch at most.
const PIECES: usize = 64;

/// Pieces for each thread: elements at rest take less time than others.
const PIECES_EACH: usize = 4;

/// Elements that are computed together, as wide registers hold so many numbers.
pub const FOUR: usize = 4;

/// The vertices of one element at one time.
#[derive(Clone, Copy, Debug)]
pub struct Corners<const N: usize> {
    /// World space, m.
    pub positions: [Vec3; N],
    /// m/s.
    pub velocities: [Vec3; N],
    /// Since the start, s.
    pub time: f64,
}

/// Energy, forces and derivatives of one kind of element, element by element.
pub trait Material<const N: usize>: std::fmt::Debug + Send + Sync {
    /// Number of elements.
    fn count(&self) -> usize;

    /// Vertices of an element, counted in the scene's arrays.
    fn vertices(&self, element: usize) -> [VertexId; N];

    /// Potential energy of an element, J.
    fn energy(&self, element: usize, at: &Corners<N>) -> f64;

    /// Forces on the vertices of an element, N, damping included.
    fn forces(&self, element: usize, at: &Corners<N>) -> [Vec3; N];

    /// Weighted sum of stiffness −∂f/∂x and damping −∂f/∂v, block by block.
    ///
    /// Entry `[i][j]` is the response of the force on corner i to corner j.
    fn tangent(&self, element: usize, at: &Corners<N>, tangent: Tangent) -> [[Mat3; N]; N];

    /// The forces of four elements; results do not depend on which are asked for together.
    #[inline(always)]
    fn forces_of_four(
        &self,
        elements: &[usize; FOUR],
        at: &[Corners<N>; FOUR],
    ) -> [[Vec3; N]; FOUR] {
        four(|k| self.forces(elements[k], &at[k]))
    }

    /// The same of [`Material::tangent`], written to `to`.
    #[inline(always)]
    fn tangents_of_four(
        &self,
        elements: &[usize; FOUR],
        at: &[Corners<N>; FOUR],
        tangent: Tangent,
        to: &mut [[[Mat3; N]; N]; FOUR],
    ) {
        for k in 0..FOUR {
            to[k] = self.tangent(elements[k], &at[k], tangent);
        }
    }

    /// The same of [`Material::energy`].
    #[inline(always)]
    fn energies_of_four(&self, elements: &[usize; FOUR], at: &[Corners<N>; FOUR]) -> [f64; FOUR] {
        four(|k| self.energy(elements[k], &at[k]))
    }

    /// How an element is deformed, where it is a tet with an elastic law.
    fn deformation(&self, _element: usize, _at: &Corners<N>) -> Option<Deformation> {
        None
    }

    /// Whether [`Material::tangent`] is ever nonzero.
    fn answers(&self) -> bool {
        true
    }

    /// Lets the rest values of an element drift in a step of `dt` seconds.
    fn flow(&mut self, _element: usize, _at: &Corners<N>, _dt: f64) {}

    /// Writes the rest values that drifted, if any.
    fn save(&self, _snapshot: &mut Snapshot) {}

    /// Reads what [`Material::save`] wrote.
    fn restore(&mut self, _snapshot: &mut Snapshot) -> Result<(), SnapshotError> {
        Ok(())
    }

    /// The kind of energy that it stores.
    fn store(&self) -> Store {
        Store::Elastic
    }

    /// Whether forces are linear in the velocities, at given positions.
    fn damps_linearly(&self) -> bool {
        true
    }

    /// Whether [`Material::flow`] does anything.
    fn flows(&self) -> bool {
        false
    }

    /// Why a step between two states is rejected; such a step is not made.
    ///
    /// For forces that hold only if nothing moves too far at once.
    fn refusal(
        &self,
        _element: usize,
        _before: &Corners<N>,
        _after: &Corners<N>,
    ) -> Option<StepRejection> {
        None
    }

    /// Work that an element takes from outside in a step between two states, J.
    fn energy_input(&self, _element: usize, _before: &Corners<N>, _after: &Corners<N>) -> f64 {
        0.0
    }

    /// Whether [`Material::energy_input`] is ever nonzero.
    fn takes_energy(&self) -> bool {
        false
    }

    /// Whether [`Material::refusal`] ever rejects a step.
    fn refuses(&self) -> bool {
        false
    }
}

/// All elements of one material.
#[derive(Clone, Debug)]
pub(crate) struct Elements<M, const N: usize> {
    material: M,
    /// First vertex of each thread's range, and one past the last; empty for one thread.
    offsets: Vec<usize>,
    /// Elements that touch each thread's range, ascending.
    shares: Vec<Vec<u32>>,
}

/// The derivative to add to a matrix, and where.
#[derive(Clone, Copy)]
struct TangentQuery<'a> {
    motion: StateView<'a>,
    tangent: Tangent,
    /// Place of each block of each element.
    slots: &'a [Slot],
}

/// Consecutive blocks of a matrix.
struct BlockRange<'a> {
    /// Index of the first of them in the matrix.
    first: usize,
    blocks: &'a mut [Mat3],
}

impl<const N: usize, M: Material<N>> Elements<M, N> {
    /// The elements of a material, for one thread.
    pub(crate) fn new(material: M) -> Elements<M, N> {
        Elements { material, offsets: Vec::new(), shares: Vec::new() }
    }

    /// The material.
    pub(crate) fn material(&self) -> &M {
        &self.material
    }

    /// The material, whose elements may be changed before the number of threads is set.
    pub(crate) fn material_mut(&mut self) -> &mut M {
        &mut self.material
    }

    #[inline(always)]
    fn corners(&self, vertices: [VertexId; N], motion: StateView<'_>) -> Corners<N> {
        Corners {
            positions: vertices.map(|v| motion.positions[v.index()]),
            velocities: vertices.map(|v| motion.velocities[v.index()]),
            time: motion.time,
        }
    }

    /// Energies of elements from the `first` on, in parallel.
    fn fill_energies(&self, first: usize, motion: StateView<'_>, energies: &mut [f64]) {
        let fill = |start: usize, energies: &mut [f64]| {
            dispatch(Energies { of: self, start, motion, energies });
        };
        if self.shares.is_empty() {
            return fill(first, energies);
        }
        let mut offsets = [0; PIECES + 1];
        let pieces = par::useful_threads(PIECES_EACH * self.shares.len(), PIECES);
        for (k, offset) in offsets[..=pieces].iter_mut().enumerate() {
            *offset = k * energies.len() / pieces;
        }
        par::chunks(energies, &offsets[..=pieces], |k, piece| fill(first + offsets[k], piece));
    }

    /// Elements that touch a thread's range.
    fn share(&self, share: usize) -> impl Iterator<Item = usize> {
        self.shares[share].iter().map(|element| *element as usize)
    }

    /// Adds the forces of some elements to the entries of `to` that `place` finds.
    #[inline]
    fn add_forces_to(
        &self,
        elements: impl Iterator<Item = usize>,
        motion: StateView<'_>,
        place: impl Fn(VertexId) -> Option<usize>,
        to: &mut [Vec3],
    ) {
        dispatch(ForceSum { of: self, elements, motion, place, to });
    }

    /// Adds the blocks of some elements in the rows that are `owned`.
    #[inline]
    fn add_rows(
        &self,
        elements: impl Iterator<Item = usize>,
        query: TangentQuery<'_>,
        owned: impl Fn(VertexId) -> bool,
        range: BlockRange<'_>,
    ) {
        dispatch(TangentSum { of: self, elements, query, owned, range });
    }
}

/// [`Elements::fill_energies`] of a piece, as a kernel.
struct Energies<'a, M, const N: usize> {
    of: &'a Elements<M, N>,
    /// Element of the first energy.
    start: usize,
    motion: StateView<'a>,
    energies: &'a mut [f64],
}

impl<M: Material<N>, const N: usize> Kernel for Energies<'_, M, N> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Energies { of, start, motion, energies } = self;
        let mut fours = Fours(start..start + energies.len());
        while let Some((elements, count)) = fours.next() {
            let at = four(|k| of.corners(of.material.vertices(elements[k]), motion));
            let found = of.material.energies_of_four(&elements, &at);
            let first = elements[0] - start;
            energies[first..first + count].copy_from_slice(&found[..count]);
        }
    }
}

/// [`Elements::add_forces_to`] as a kernel.
struct ForceSum<'a, M, I, P, const N: usize> {
    of: &'a Elements<M, N>,
    elements: I,
    motion: StateView<'a>,
    place: P,
    to: &'a mut [Vec3],
}

impl<M, I, P, const N: usize> Kernel for ForceSum<'_, M, I, P, N>
where
    M: Material<N>,
    I: Iterator<Item = usize>,
    P: Fn(VertexId) -> Option<usize>,
{
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let ForceSum { of, elements, motion, place, to } = self;
        let mut fours = Fours(elements);
        while let Some((elements, count)) = fours.next() {
            let vertices = four(|k| of.material.vertices(elements[k]));
            let at = four(|k| of.corners(vertices[k], motion));
            let forces = of.material.forces_of_four(&elements, &at);
            for k in 0..count {
                for corner in 0..N {
                    if let Some(place) = place(vertices[k][corner]) {
                        to[place] += forces[k][corner];
                    }
                }
            }
        }
    }
}

/// [`Elements::add_rows`] as a kernel.
struct TangentSum<'a, M, I, O, const N: usize> {
    of: &'a Elements<M, N>,
    elements: I,
    query: TangentQuery<'a>,
    owned: O,
    range: BlockRange<'a>,
}

impl<M, I, O, const N: usize> Kernel for TangentSum<'_, M, I, O, N>
where
    M: Material<N>,
    I: Iterator<Item = usize>,
    O: Fn(VertexId) -> bool,
{
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let TangentSum { of, elements, query, owned, range } = self;
        let TangentQuery { motion, tangent, slots } = query;
        let BlockRange { first, blocks } = range;
        let slots = slots.as_chunks::<N>().0.as_chunks::<N>().0;
        let mut found = [[[Mat3::ZERO; N]; N]; FOUR];
        let mut fours = Fours(elements);
        while let Some((elements, count)) = fours.next() {
            let vertices = four(|k| of.material.vertices(elements[k]));
            let at = four(|k| of.corners(vertices[k], motion));
            of.material.tangents_of_four(&elements, &at, tangent, &mut found);
            for k in 0..count {
                let places = &slots[elements[k]];
                for row in 0..N {
                    if owned(vertices[k][row]) {
                        for column in 0..N {
                            places[row][column].add(&found[k][row][column], first, blocks);
                        }
                    }
                }
            }
        }
    }
}

/// What a function gives for each of four.
#[inline(always)]
pub(crate) fn four<T>(of: impl Fn(usize) -> T) -> [T; FOUR] {
    [of(0), of(1), of(2), of(3)]
}

/// Elements in fours.
struct Fours<I>(I);

impl<I: Iterator<Item = usize>> Fours<I> {
    /// The next four, and how many count: the last is repeated where fewer are left.
    #[inline(always)]
    fn next(&mut self) -> Option<([usize; FOUR], usize)> {
        let first = self.0.next()?;
        let mut elements = [first; FOUR];
        for k in 1..FOUR {
            let Some(element) = self.0.next() else {
                let last = elements[k - 1];
                elements[k..].fill(last);
                return Some((elements, k));
            };
            elements[k] = element;
        }
        Some((elements, FOUR))
    }
}

impl<const N: usize, M: Material<N> + 'static> Force for Elements<M, N> {
    fn energy(&self, motion: StateView<'_>) -> f64 {
        self.visit_energies(motion, &mut |_, _| {})
    }

    fn add_forces(&self, motion: StateView<'_>, forces: &mut [Vec3]) {
        if self.offsets.last() != Some(&forces.len()) {
            let all = 0..self.material.count();
            // Of one length, so that one check of an index serves all three.
            let motion = motion.first(forces.len());
            return self.add_forces_to(all, motion, |vertex| Some(vertex.index()), forces);
        }
        par::chunks(forces, &self.offsets, |share, piece| {
            let (start, count) = (self.offsets[share], piece.len());
            let place = |v: VertexId| v.index().checked_sub(start).filter(|place| *place < count);
            self.add_forces_to(self.share(share), motion, place, piece);
        });
    }

    fn add_forces_of(&self, elements: &[u32], motion: StateView<'_>, forces: &mut [Vec3]) {
        // Where threads would each have fewer of all, computing all is faster.
        if elements.len() * self.shares.len() > self.material.count() {
            return self.add_forces(motion, forces);
        }
        let some = elements.iter().map(|element| *element as usize);
        let motion = motion.first(forces.len());
        self.add_forces_to(some, motion, |vertex| Some(vertex.index()), forces);
    }

    fn visit_energies(&self, motion: StateView<'_>, visit: &mut dyn FnMut(VertexId, f64)) -> f64 {
        // Of one length, so that one check of an index serves both.
        let motion = motion.first(motion.velocities.len().min(motion.positions.len()));
        let count = self.material.count();
        let mut energies = [0.0; BATCH];
        let mut sum = 0.0;
        for first in (0..count).step_by(BATCH) {
            let batch = &mut energies[..BATCH.min(count - first)];
            self.fill_energies(first, motion, batch);
            for (element, energy) in (first..).zip(&*batch) {
                let vertices = self.material.vertices(element);
                vertices.first().into_iter().for_each(|vertex| visit(*vertex, *energy));
                sum += energy;
            }
        }
        sum
    }

    fn visit_deformations(
        &self,
        motion: StateView<'_>,
        visit: &mut dyn FnMut(&[VertexId; 4], &Deformation),
    ) {
        for element in 0..self.material.count() {
            let vertices = self.material.vertices(element);
            let found = self.material.deformation(element, &self.corners(vertices, motion));
            match (found, vertices.first_chunk::<4>()) {
                (Some(deformation), Some(tet)) => visit(tet, &deformation),
                // All elements are of one kind.
                _ => return,
            }
        }
    }

    fn energy_of_elements(&self, elements: &[u32], motion: StateView<'_>) -> f64 {
        let motion = motion.first(motion.velocities.len().min(motion.positions.len()));
        let of = |element: &u32| {
            let element = *element as usize;
            let vertices = self.material.vertices(element);
            self.material.energy(element, &self.corners(vertices, motion))
        };
        elements.iter().map(of).sum()
    }

    fn energy_input(&self, before: StateView<'_>, after: StateView<'_>) -> f64 {
        if !self.material.takes_energy() {
            return 0.0;
        }
        let of = |element| {
            let vertices = self.material.vertices(element);
            let [before, after] = [before, after].map(|motion| self.corners(vertices, motion));
            self.material.energy_input(element, &before, &after)
        };
        (0..self.material.count()).map(of).sum()
    }

    fn visit_elements(&self, visit: &mut dyn FnMut(&[VertexId])) {
        (0..self.material.count()).for_each(|element| visit(&self.material.vertices(element)));
    }

    fn answers(&self) -> bool {
        self.material.answers()
    }

    fn add_tangent(
        &self,
        motion: StateView<'_>,
        tangent: Tangent,
        slots: &[Slot],
        matrix: &mut BlockMatrix,
    ) {
        let query = TangentQuery { motion, tangent, slots };
        if self.offsets.last().is_none_or(|end| *end > matrix.len()) {
            let (all, blocks) = (0..self.material.count(), matrix.blocks_mut());
            return self.add_rows(all, query, |_| true, BlockRange { first: 0, blocks });
        }
        matrix.row_pieces(&self.offsets, |share, first, blocks| {
            let own = self.offsets[share]..self.offsets[share + 1];
            let owned = |vertex: VertexId| own.contains(&vertex.index());
            self.add_rows(self.share(share), query, owned, BlockRange { first, blocks });
        });
    }

    fn add_product(
        &self,
        motion: StateView<'_>,
        tangent: Tangent,
        x: &[Vec3],
        product: &mut [Vec3],
    ) {
        for element in 0..self.material.count() {
            let vertices = self.material.vertices(element);
            let blocks = self.material.tangent(element, &self.corners(vertices, motion), tangent);
            for (vertex, row) in vertices.into_iter().zip(blocks) {
                for (block, other) in row.into_iter().zip(vertices) {
                    product[vertex.index()] += block * x[other.index()];
                }
            }
        }
    }

    fn flows(&self) -> bool {
        self.material.flows()
    }

    fn flow(&mut self, motion: StateView<'_>, dt: f64) {
        if !self.material.flows() {
            return;
        }
        for element in 0..self.material.count() {
            let at = self.corners(self.material.vertices(element), motion);
            self.material.flow(element, &at, dt);
        }
    }

    fn refusal(&self, before: StateView<'_>, after: StateView<'_>) -> Option<StepRejection> {
        if !self.material.refuses() {
            return None;
        }
        (0..self.material.count()).find_map(|element| {
            let vertices = self.material.vertices(element);
            let [before, after] = [before, after].map(|motion| self.corners(vertices, motion));
            self.material.refusal(element, &before, &after)
        })
    }

    fn save(&self, memory: &mut Snapshot) {
        self.material.save(memory);
    }

    fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        self.material.restore(memory)
    }

    fn store(&self) -> Store {
        self.material.store()
    }

    fn damps_linearly(&self) -> bool {
        self.material.damps_linearly()
    }

    fn set_threads(&mut self, threads: usize, vertex_count: usize) {
        (self.offsets, self.shares) = (Vec::new(), Vec::new());
        let threads = par::useful_threads(threads, vertex_count);
        let elements = 0..self.material.count();
        let mut vertices = elements.flat_map(|element| self.material.vertices(element));
        if threads < 2 || vertices.any(|vertex| vertex.index() >= vertex_count) {
            return;
        }
        self.offsets = par::even_offsets(vertex_count, threads);
        self.shares = vec![Vec::new(); threads];
        for element in 0..self.material.count() {
            for vertex in self.material.vertices(element) {
                let share = self.offsets[1..].partition_point(|cut| *cut <= vertex.index());
                if self.shares[share].last() != Some(&(element as u32)) {
                    self.shares[share].push(element as u32);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::spring::{SpringLaw, SpringSettings, Springs};
    use crate::math::random::Random;

    /// More elements than are computed at once; batches end in the middle of a thread's part.
    #[test]
    fn energies_are_summed_in_order_whatever_the_threads() {
        let count = BATCH + 7;
        let mut random = Random::new(4);
        let rest: Vec<Vec3> = (0..=count).map(|_| random.point()).collect();
        let edges: Vec<[VertexId; 2]> =
            (0..count as u32).map(|k| [VertexId(k), VertexId(k + 1)]).collect();
        let law = SpringSettings { law: SpringLaw::Relative, stiffness: 7.0, damping: 0.3 };
        let mut springs = Elements::new(Springs::along(&rest, &edges, law).unwrap());
        let positions: Vec<Vec3> = rest.iter().map(|p| 1.5 * *p + random.point()).collect();
        let velocities = vec![Vec3::ZERO; positions.len()];
        let motion = StateView { positions: &positions, velocities: &velocities, time: 0.0 };
        let all: Vec<u32> = (0..count as u32).collect();
        let expected = springs.energy_of_elements(&all, motion);
        for threads in [1, 2, 5, 100] {
            springs.set_threads(threads, positions.len());
            let mut visited = Vec::new();
            let sum = springs.visit_energies(motion, &mut |_, energy| visited.push(energy));
            assert_eq!((sum, visited.len()), (expected, count), "{threads}");
            assert_eq!(visited.iter().sum::<f64>(), expected, "{threads}");
            assert_eq!(Force::energy(&springs, motion), expected, "{threads}");
        }
    }
}
