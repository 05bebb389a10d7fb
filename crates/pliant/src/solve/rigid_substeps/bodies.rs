//! What the wrench of a patch does: to two free bodies, or to all that hangs on them.

use crate::math::Vec3;
use crate::solve::joint::articulation::Articulation;
use crate::solve::rigid_substeps::patch::{Motion, Patch, SolverBody};

/// Bodies that patches push.
pub(super) trait PushedBodies {
    /// Velocity, or displacement, of a body.
    fn motion(&self, body: usize) -> &Motion;

    /// Applies a wrench of a patch to both of its sides.
    fn push(&mut self, patch: &Patch, wrench: &[f64; 6]);
}

/// Bodies that nothing holds, of which some can move and follow each other.
#[derive(Debug)]
pub(super) struct FreeBodies<'a> {
    /// All of the island.
    pub bodies: &'a [SolverBody],
    pub motions: &'a mut [Motion],
    /// The body of the first of these motions.
    pub first: usize,
    /// Motions that nothing changes, and the body of the first.
    pub fixed: (&'a [Motion], usize),
}

impl PushedBodies for FreeBodies<'_> {
    #[inline]
    fn motion(&self, body: usize) -> &Motion {
        let (fixed, start) = self.fixed;
        match self.motions.get(body.wrapping_sub(self.first)) {
            Some(motion) => motion,
            None => &fixed[body - start],
        }
    }

    #[inline]
    fn push(&mut self, patch: &Patch, wrench: &[f64; 6]) {
        let [force, moment] = patch.force(wrench);
        let [a, b] = patch.sides.map(|side| side as usize);
        if let Some(motion) = self.motions.get_mut(a.wrapping_sub(self.first)) {
            let own = &self.bodies[a];
            motion.linear += own.inv_mass * force;
            motion.angular += own.inv_inertia * (patch.arms[0].cross(force) + moment);
        }
        if let Some(motion) = self.motions.get_mut(b.wrapping_sub(self.first)) {
            let own = &self.bodies[b];
            motion.linear -= own.inv_mass * force;
            motion.angular -= own.inv_inertia * (patch.arms[1].cross(force) + moment);
        }
    }
}

/// Where a body is in an articulation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owner {
    pub articulation: u32,
    /// Counted in the articulation.
    pub body: u32,
    /// Counted among those chosen of it; none where nothing pushes it.
    pub chosen: Option<u32>,
}

/// Bodies of which joints connect some.
pub(super) struct JointedBodies<'a> {
    pub bodies: &'a [SolverBody],
    pub motions: &'a mut [Motion],
    /// What a wrench does to the body itself, without joints.
    pub fresh: &'a mut [Motion],
    pub owners: &'a [Option<Owner>],
    pub articulations: &'a [Articulation],
    /// Entry of each body chosen, by articulation.
    pub chosen: &'a [Vec<u32>],
}

impl JointedBodies<'_> {
    /// Applies a force and a moment about the centre to a body.
    pub fn push_body(&mut self, body: usize, force: Vec3, moment: Vec3) {
        let own = &self.bodies[body];
        let alone = Motion { linear: own.inv_mass * force, angular: own.inv_inertia * moment };
        let Some(Owner { articulation, chosen: Some(source), .. }) = self.owners[body] else {
            self.motions[body].linear += alone.linear;
            self.motions[body].angular += alone.angular;
            return;
        };
        self.fresh[body].linear += alone.linear;
        self.fresh[body].angular += alone.angular;
        let response = &self.articulations[articulation as usize].response;
        let wrench = [force.x, force.y, force.z, moment.x, moment.y, moment.z];
        let blocks = response.of_source(source as usize).chunks_exact(36);
        for (block, target) in blocks.zip(&self.chosen[articulation as usize]) {
            let mut change = [0.0; 6];
            for (column, own) in block.chunks_exact(6).zip(wrench) {
                for (change, value) in change.iter_mut().zip(column) {
                    *change += value * own;
                }
            }
            let Motion { linear, angular } = &mut self.motions[*target as usize];
            *linear += Vec3::new(change[0], change[1], change[2]);
            *angular += Vec3::new(change[3], change[4], change[5]);
        }
    }
}

impl PushedBodies for JointedBodies<'_> {
    #[inline]
    fn motion(&self, body: usize) -> &Motion {
        &self.motions[body]
    }

    fn push(&mut self, patch: &Patch, wrench: &[f64; 6]) {
        let [force, moment] = patch.force(wrench);
        let [a, b] = patch.sides.map(|side| side as usize);
        self.push_body(a, force, patch.arms[0].cross(force) + moment);
        self.push_body(b, -force, -(patch.arms[1].cross(force) + moment));
    }
}
