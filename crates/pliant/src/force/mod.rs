//! What pushes and pulls on vertices: materials, weight, air.
//!
//! A force is a list of elements of one kind, each on a few vertices. A new kind is one
//! file with a [`Material`]; loops, threads and matrices are written once, for all.

pub mod elements;

pub mod stiffness;

pub mod plasticity;

pub mod spring;

pub mod solid;

pub mod gravity;

#[cfg(test)]
pub(crate) mod check;

use crate::id::VertexId;
use crate::math::Vec3;

pub use elements::{Corners, Elements, Material};
pub use stiffness::{BlockMatrix, Form, Tangent};

/// Where everything is and how fast it moves.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// Of all vertices in body order, world space, m.
    pub positions: &'a [Vec3],
    /// Of the same vertices, m/s.
    pub velocities: &'a [Vec3],
    /// Since the start, s; what moves by keyframes asks for it.
    pub time: f64,
}

/// All elements of one kind.
pub trait Force: std::fmt::Debug + Send {
    /// Potential energy, J.
    fn energy(&self, motion: Motion<'_>) -> f64;

    /// Adds the forces on all vertices, N, damping included.
    fn add_forces(&self, motion: Motion<'_>, forces: &mut [Vec3]);

    /// Tells the vertices of every element, in element order.
    fn visit_elements(&self, visit: &mut dyn FnMut(&[VertexId]));

    /// Adds the derivatives to a matrix.
    ///
    /// `slots` are the places of the elements' blocks: [`BlockMatrix::slots`] of this force.
    fn add_tangent(
        &self,
        motion: Motion<'_>,
        tangent: Tangent,
        slots: &[u32],
        matrix: &mut BlockMatrix,
    );

    /// Adds the product of the same matrix with a vector, without building it.
    fn add_product(&self, motion: Motion<'_>, tangent: Tangent, x: &[Vec3], product: &mut [Vec3]);

    /// Lets rest values follow what happened in a step of `dt` seconds: plastic flow.
    fn flow(&mut self, motion: Motion<'_>, dt: f64);

    /// Works with this many threads from now on; the bits stay the same.
    fn set_threads(&mut self, threads: usize, vertex_count: usize);
}

/// Every force of a scene, in a fixed order.
#[derive(Debug, Default)]
pub struct Forces {
    list: Vec<Box<dyn Force>>,
}

impl Forces {
    /// No force at all.
    pub fn new() -> Forces {
        Forces::default()
    }

    /// Appends a kind of element.
    pub fn push<const N: usize>(&mut self, material: impl Material<N> + 'static) {
        self.list.push(Box::new(Elements::new(material)));
    }

    /// Every force, in order.
    pub fn iter(&self) -> impl Iterator<Item = &dyn Force> {
        self.list.iter().map(|force| &**force)
    }

    /// Potential energy of all, J.
    pub fn energy(&self, motion: Motion<'_>) -> f64 {
        self.iter().map(|force| force.energy(motion)).sum()
    }

    /// Fills `forces` with the sum of all, N.
    pub fn sum(&self, motion: Motion<'_>, forces: &mut [Vec3]) {
        forces.fill(Vec3::ZERO);
        self.iter().for_each(|force| force.add_forces(motion, forces));
    }

    /// Adds the product of the derivatives with a vector, without building a matrix.
    pub fn add_product(
        &self,
        motion: Motion<'_>,
        tangent: Tangent,
        x: &[Vec3],
        product: &mut [Vec3],
    ) {
        self.iter().for_each(|force| force.add_product(motion, tangent, x, product));
    }

    /// Lets plastic materials flow after a step of `dt` seconds.
    pub fn flow(&mut self, motion: Motion<'_>, dt: f64) {
        self.list.iter_mut().for_each(|force| force.flow(motion, dt));
    }

    /// Works with this many threads from now on; the bits stay the same.
    pub fn set_threads(&mut self, threads: usize, vertex_count: usize) {
        self.list.iter_mut().for_each(|force| force.set_threads(threads, vertex_count));
    }
}
