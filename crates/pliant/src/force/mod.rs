//! Forces on vertices: materials, gravity, drag, loads.
//!
//! A force is a list of elements of one kind, each on a few vertices. A new kind is one
//! file with a [`Material`]; loops, threads and matrices are written once, for all.

pub(crate) mod elements;

pub mod stiffness;

pub mod deformation;

pub(crate) mod low_rank;

pub mod nearby;

pub mod plasticity;

pub mod spring;

pub mod solid;

pub mod gravity;

pub mod harmonic_well;

pub mod load;

pub mod drag;

pub mod elastic;

pub(crate) mod change;

#[cfg(any(test, feature = "checks"))]
pub mod check;

use std::any::Any;
use std::sync::OnceLock;

use crate::id::{MismatchError, VertexId};
use crate::math::{Mat3, Vec3};
use crate::snapshot::{Snapshot, SnapshotError};

use deformation::Deformation;
use elements::Elements;
use nearby::Around;

pub use crate::body::soft::StateView;
pub use elements::{Corners, Material};
pub use stiffness::{BlockMatrix, Form, Slot, Tangent};

impl<'a> StateView<'a> {
    /// The state of the first `count` vertices; of all, where there are fewer.
    #[inline]
    fn first(self, count: usize) -> StateView<'a> {
        let of = |all: &'a [Vec3]| &all[..count.min(all.len())];
        StateView { positions: of(self.positions), velocities: of(self.velocities), ..self }
    }
}

/// Why a step is rejected: a quantity passed its limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepRejection {
    /// The vertex, counted in the scene.
    pub vertex: VertexId,
    /// Name of the quantity.
    pub what: &'static str,
    /// Its value, m.
    pub value: f64,
    /// The limit that it passed, m.
    pub limit: f64,
}

/// The kind of energy that a force stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// Elastic energy, that of penalty contacts included.
    Elastic,
    /// Gravitational energy.
    Gravitational,
}

/// All elements of one kind.
pub trait Force: Any + std::fmt::Debug + Send {
    /// Potential energy, J.
    fn energy(&self, motion: StateView<'_>) -> f64;

    /// Adds the forces on all vertices, N, damping included.
    fn add_forces(&self, motion: StateView<'_>, forces: &mut [Vec3]);

    /// Adds at least the forces of some elements, numbers ascending, N; by default of all.
    fn add_forces_of(&self, _elements: &[u32], motion: StateView<'_>, forces: &mut [Vec3]) {
        self.add_forces(motion, forces);
    }

    /// Potential energy of some elements, J; by default of all, whatever is passed.
    fn energy_of_elements(&self, _elements: &[u32], motion: StateView<'_>) -> f64 {
        self.energy(motion)
    }

    /// Visits the first vertex and the potential energy of every element, J, and returns the sum.
    ///
    /// The sum is bitwise that of [`Force::energy`]. By default the energy of an element is not
    /// known, and visited as NaN.
    fn visit_energies(&self, motion: StateView<'_>, visit: &mut dyn FnMut(VertexId, f64)) -> f64 {
        self.visit_elements(&mut |vertices| {
            vertices.first().into_iter().for_each(|vertex| visit(*vertex, f64::NAN));
        });
        self.energy(motion)
    }

    /// Visits how every tet with an elastic law is deformed; by default there is none.
    fn visit_deformations(
        &self,
        _motion: StateView<'_>,
        _visit: &mut dyn FnMut(&[VertexId; 4], &Deformation),
    ) {
    }

    /// Visits the vertices of every element, in element order.
    fn visit_elements(&self, visit: &mut dyn FnMut(&[VertexId]));

    /// Visits the vertices whose derivatives are dense blocks of the matrix, in a fixed order.
    ///
    /// By default those of each element; what an element adds as a term of low rank is not
    /// among them.
    fn visit_dense(&self, visit: &mut dyn FnMut(&[VertexId])) {
        self.visit_elements(visit);
    }

    /// Whether there are nonzero derivatives.
    fn answers(&self) -> bool;

    /// Adds the derivatives to a matrix; only where [`Force::answers`] is true.
    ///
    /// `slots` are the places of the blocks that [`Force::visit_dense`] visits, row by row of each
    /// visit.
    fn add_tangent(
        &self,
        motion: StateView<'_>,
        tangent: Tangent,
        slots: &[Slot],
        matrix: &mut BlockMatrix,
    );

    /// Adds the product of the same matrix with a vector, without building it.
    fn add_product(
        &self,
        motion: StateView<'_>,
        tangent: Tangent,
        x: &[Vec3],
        product: &mut [Vec3],
    );

    /// Plastic flow: lets rest values follow a step of `dt` seconds.
    fn flow(&mut self, motion: StateView<'_>, dt: f64);

    /// Whether [`Force::flow`] may change anything; by default it may.
    fn flows(&self) -> bool {
        true
    }

    /// Why a step between two states is rejected, by the first element that does.
    fn refusal(&self, before: StateView<'_>, after: StateView<'_>) -> Option<StepRejection>;

    /// Writes the rest values that drifted, if any.
    fn save(&self, memory: &mut Snapshot);

    /// Reads what [`Force::save`] wrote.
    fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError>;

    /// The kind of energy that it stores.
    fn store(&self) -> Store;

    /// Work that it takes from outside in a step between two states, J: wind, or a moving obstacle.
    fn energy_input(&self, _before: StateView<'_>, _after: StateView<'_>) -> f64 {
        0.0
    }

    /// Whether forces are linear in the velocities, at given positions.
    fn damps_linearly(&self) -> bool;

    /// Sets the number of threads; results stay bitwise the same.
    fn set_threads(&mut self, threads: usize, vertex_count: usize);
}

/// Every force of a scene, in a fixed order.
#[derive(Debug, Default)]
pub struct Forces {
    list: Vec<Box<dyn Force>>,
    /// One past the last vertex of all elements.
    vertex_count: usize,
    /// Number of threads; 0 and 1 both mean one.
    threads: usize,
    /// Vertices when the number of threads was set.
    threaded_vertices: usize,
    /// The matrix of all derivatives, and the slots of each force; built on demand.
    assembled: Option<(BlockMatrix, Vec<Vec<Slot>>)>,
    /// Blocks of the matrix before more were added.
    before: Vec<Mat3>,
    /// Elements around each vertex, force by force; built on demand.
    around: OnceLock<Vec<Around>>,
    /// Vertices condensed to two unknowns, each with the first of these; ascending.
    leaning: Vec<(VertexId, VertexId)>,
    /// Unknowns behind those of all vertices.
    beyond: usize,
    /// How often forces have changed, but by time and motion.
    revision: u64,
}

impl Forces {
    /// No force at all.
    pub fn new() -> Forces {
        Forces::default()
    }

    /// Appends a kind of element.
    pub fn push<const N: usize>(&mut self, material: impl Material<N> + 'static) {
        self.push_force(Elements::new(material));
    }

    /// Appends a force that is not made of elements of one size.
    pub fn push_force(&mut self, force: impl Force + 'static) {
        self.revision += 1;
        force.visit_elements(&mut |vertices| {
            let end = vertices.iter().map(|v| v.index() + 1).max();
            self.vertex_count = self.vertex_count.max(end.unwrap_or(0));
        });
        self.list.push(Box::new(force));
        self.assembled = None;
        self.around = OnceLock::new();
    }

    /// Replaces the force at a place; the matrix is kept where the elements are on the same
    /// vertices.
    ///
    /// Does nothing at a place that does not exist.
    pub fn replace<const N: usize>(&mut self, place: usize, material: impl Material<N> + 'static) {
        let Some(old) = self.list.get_mut(place) else { return };
        self.revision += 1;
        let (before, mut force): (_, Box<dyn Force>) =
            (vertices(&**old), Box::new(Elements::new(material)));
        let now = vertices(&*force);
        let end = now.iter().map(|vertex| vertex.index() + 1).max();
        self.vertex_count = self.vertex_count.max(end.unwrap_or(0));
        if now != before || force.answers() != old.answers() {
            self.assembled = None;
            self.around = OnceLock::new();
        }
        force.set_threads(self.threads, self.threaded_vertices);
        *old = force;
    }

    /// Number of forces.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// A number that is another one after each change of the forces, plastic flow included.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Every force, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &dyn Force> {
        self.list.iter().map(|force| &**force)
    }

    /// Accepts a state that has every vertex of every element.
    pub(crate) fn check(&self, motion: StateView<'_>) -> Result<(), MismatchError> {
        let expected = self.vertex_count;
        let counts = [("positions", motion.positions), ("velocities", motion.velocities)];
        match counts.into_iter().find(|(_, list)| list.len() < expected) {
            Some((what, list)) => Err(MismatchError::Count { what, count: list.len(), expected }),
            None => Ok(()),
        }
    }

    /// Potential energy of all, J; NaN where the state lacks a vertex.
    pub fn energy(&self, motion: StateView<'_>) -> f64 {
        if self.check(motion).is_err() {
            return f64::NAN;
        }
        self.iter().map(|force| force.energy(motion)).sum()
    }

    /// Potential energy of one kind, J; NaN where the state lacks a vertex.
    pub(crate) fn energy_of(&self, store: Store, motion: StateView<'_>) -> f64 {
        if self.check(motion).is_err() {
            return f64::NAN;
        }
        let of = self.iter().filter(|force| force.store() == store);
        of.map(|force| force.energy(motion)).sum()
    }

    /// Work that forces take from outside in a step between two states, J.
    pub(crate) fn energy_input(&self, before: StateView<'_>, after: StateView<'_>) -> f64 {
        self.iter().map(|force| force.energy_input(before, after)).sum::<f64>() + 0.0
    }

    /// Fills `forces` with what is linear in velocity v: f(x, v) + D v, N.
    ///
    /// For dampers that are linear that is the force at velocity zero, for others the line that
    /// touches them at `motion`. `still` is scratch memory.
    pub(crate) fn sum_linearised(
        &self,
        motion: StateView<'_>,
        forces: &mut [Vec3],
        still: &mut Vec<Vec3>,
    ) {
        if self.iter().all(|force| force.damps_linearly()) {
            still.clear();
            still.resize(motion.positions.len(), Vec3::ZERO);
            return self.sum(StateView { velocities: still, ..motion }, forces);
        }
        self.sum(motion, forces);
        let damping = Tangent { stiffness: 0.0, damping: 1.0, form: Form::Definite };
        self.add_product(motion, damping, motion.velocities, forces);
    }

    /// Writes the internal state of all, in order.
    pub(crate) fn save(&self, memory: &mut Snapshot) {
        self.iter().for_each(|force| force.save(memory));
    }

    /// Reads what [`Forces::save`] wrote for the same scene.
    pub(crate) fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        self.revision += 1;
        self.list.iter_mut().try_for_each(|force| force.restore(memory))
    }

    /// Fills `forces` with the sum of all, N; with NaN where a vertex is lacking.
    pub fn sum(&self, motion: StateView<'_>, forces: &mut [Vec3]) {
        if self.check(motion).is_err() || forces.len() < self.vertex_count {
            return forces.fill(Vec3::NAN);
        }
        forces.fill(Vec3::ZERO);
        self.iter().for_each(|force| force.add_forces(motion, forces));
    }

    /// Builds the matrix of all derivatives.
    ///
    /// Allocates the first time, and again after [`Forces::push`].
    pub fn assemble(
        &mut self,
        motion: StateView<'_>,
        tangent: Tangent,
    ) -> Result<&mut BlockMatrix, MismatchError> {
        self.check(motion)?;
        if let Some(matrix) = self.matrix_mut() {
            matrix.clear_terms();
        }
        Ok(self.fill(motion, tangent))
    }

    /// Fills the matrix with derivatives, whose terms of low rank are added to those it has.
    fn fill(&mut self, motion: StateView<'_>, tangent: Tangent) -> &mut BlockMatrix {
        let unknown_count = motion.positions.len() + self.beyond;
        let mut assembled = self.assembled.take();
        assembled.take_if(|(matrix, _)| matrix.len() != unknown_count);
        let (mut matrix, slots) = assembled.unwrap_or_else(|| {
            let mut matrix = BlockMatrix::new(unknown_count, self);
            matrix.set_threads(self.threads);
            let slots = matrix.slots(self);
            (matrix, slots)
        });
        matrix.clear();
        let answering = self.list.iter().zip(&slots).filter(|(force, _)| force.answers());
        for (force, slots) in answering {
            force.add_tangent(motion, tangent, slots, &mut matrix);
        }
        matrix.finish_terms();
        &mut self.assembled.insert((matrix, slots)).0
    }

    /// Adds derivatives, in another form or at another velocity, to the matrix built last.
    pub(crate) fn assemble_more(&mut self, motion: StateView<'_>, tangent: Tangent) {
        let mut before = std::mem::take(&mut self.before);
        before.clear();
        before.extend(self.matrix().into_iter().flat_map(|matrix| matrix.blocks()));
        self.fill(motion, tangent);
        self.before = before;
        let Forces { assembled, before, .. } = self;
        if let Some((matrix, _)) = assembled {
            matrix.add_blocks(before);
        }
    }

    /// Makes room in the matrix for vertices that are condensed to two unknowns each.
    ///
    /// Each vertex comes with the first of the two, ascending; the second is the next. The
    /// blocks in that room start with unspecified values.
    ///
    /// `beyond` unknowns come behind those of all vertices.
    pub(crate) fn condense(
        &mut self,
        leaning: impl Iterator<Item = (VertexId, VertexId)> + Clone,
        beyond: usize,
    ) {
        self.beyond = beyond;
        if !leaning.clone().eq(self.leaning.iter().copied()) {
            self.leaning.clear();
            self.leaning.extend(leaning);
            self.assembled = None;
        }
    }

    /// Vertices that are condensed to the unknowns of others.
    fn leaning(&self) -> &[(VertexId, VertexId)] {
        &self.leaning
    }

    /// The matrix that was last built, if there is one.
    pub(crate) fn matrix(&self) -> Option<&BlockMatrix> {
        self.assembled.as_ref().map(|(matrix, _)| matrix)
    }

    /// The same, to be added to.
    pub(crate) fn matrix_mut(&mut self) -> Option<&mut BlockMatrix> {
        self.assembled.as_mut().map(|(matrix, _)| matrix)
    }

    /// Adds the product of the derivatives with a vector, without building a matrix.
    ///
    /// Fills `product` with NaN where a vertex is lacking.
    pub fn add_product(
        &self,
        motion: StateView<'_>,
        tangent: Tangent,
        x: &[Vec3],
        product: &mut [Vec3],
    ) {
        let is_short = x.len().min(product.len()) < self.vertex_count;
        if is_short || self.check(motion).is_err() {
            return product.fill(Vec3::NAN);
        }
        let answering = self.iter().filter(|force| force.answers());
        answering.for_each(|force| force.add_product(motion, tangent, x, product));
    }

    /// Why a step between two states is rejected, by the first force that does.
    pub(crate) fn refusal(
        &self,
        before: StateView<'_>,
        after: StateView<'_>,
    ) -> Option<StepRejection> {
        self.iter().find_map(|force| force.refusal(before, after))
    }

    /// Lets plastic materials flow after a step of `dt` seconds.
    ///
    /// Nothing flows where the state lacks a vertex.
    pub fn flow(&mut self, motion: StateView<'_>, dt: f64) {
        if self.check(motion).is_err() {
            return;
        }
        let may_change = self.iter().any(|force| force.flows());
        self.revision += u64::from(may_change);
        self.list.iter_mut().for_each(|force| force.flow(motion, dt));
    }

    /// Sets the number of threads; results stay bitwise the same.
    ///
    /// To be called after the last [`Forces::push`].
    pub fn set_threads(&mut self, threads: usize, vertex_count: usize) {
        self.threads = threads;
        self.threaded_vertices = vertex_count;
        self.list.iter_mut().for_each(|force| force.set_threads(threads, vertex_count));
        if let Some((matrix, _)) = &mut self.assembled {
            matrix.set_threads(threads);
        }
    }
}

/// Vertices of all elements of a force, in element order.
fn vertices(force: &dyn Force) -> Vec<VertexId> {
    let mut all = Vec::new();
    force.visit_elements(&mut |own| all.extend_from_slice(own));
    all
}
