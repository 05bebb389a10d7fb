//! Islands: bodies that contacts and joints join, and the solver of each.

use std::ops::Range;

use crate::contact::Contact;
use crate::force::BlockMatrix;
use crate::id::BodyId;
use crate::solve::joint::articulation::{Articulation, JointPlace};
use crate::solve::rigid_substeps;
use crate::solve::rows::{IslandSolver, Method, RowSettings};
use crate::solve::terms::{RigidSides, Sides};

/// Bodies of an articulation at most that is solved in substeps.
const MOST_JOINTED: usize = 128;

/// Bodies that contacts join.
#[derive(Clone, Debug, Default)]
pub(super) struct Islands {
    /// Another body of the same island with a smaller number, or the body itself.
    pub parents: Vec<u32>,
    /// Solver of the island, by its first body.
    pub methods: Vec<Method>,
    /// Whether a body touches anything.
    pub touch: Vec<bool>,
    /// Whether a body touches an obstacle.
    grounded: Vec<bool>,
    /// Whether a body hangs in an articulation that is solved in substeps.
    apart: Vec<bool>,
    /// The same as `parents`, with all articulations.
    joined: Vec<u32>,
    /// Whether articulations of the island with a first body may be solved in substeps.
    may: Vec<bool>,
}

impl Islands {
    /// Joins bodies by contacts and by `groups`, whose matrix has no blocks of single bodies.
    pub fn find(
        &mut self,
        bodies: &[Range<usize>],
        groups: &[Option<BodyId>],
        contacts: &[Contact],
        settings: RowSettings,
    ) {
        let RowSettings { max_dense_vertices, large_islands, .. } = settings;
        let Islands { parents, methods, touch, grounded, apart, .. } = self;
        apart.clear();
        apart.resize(bodies.len(), false);
        parents.clear();
        parents.extend(0..bodies.len() as u32);
        touch.clear();
        touch.resize(bodies.len(), false);
        grounded.clear();
        grounded.resize(bodies.len(), false);
        for contact in contacts {
            let (a, b) = contact.bodies;
            touch[a.index()] = true;
            grounded[a.index()] |= b.is_none();
            if let Some(b) = b {
                touch[b.index()] = true;
                join(parents, a.0, b.0);
            }
        }
        let tied = || groups.iter().enumerate().filter_map(|(b, group)| Some((b, (*group)?)));
        for (body, group) in tied() {
            touch[group.index()] |= touch[body];
            join(parents, body as u32, group.0);
        }
        tied().for_each(|(body, group)| touch[body] |= touch[group.index()]);
        methods.clear();
        methods.resize(bodies.len(), Method::Dense);
        let large = match large_islands {
            IslandSolver::Factored => Method::Factored,
            IslandSolver::AugmentedLagrangian => Method::AugmentedLagrangian,
        };
        for (body, vertices) in bodies.iter().enumerate() {
            let island = first(parents, body as u32);
            parents[body] = island;
            if vertices.len() > max_dense_vertices {
                methods[island as usize] = large;
            }
        }
        tied().for_each(|(body, _)| methods[parents[body] as usize] = large);
        // Carried points have more unknowns than the dense solver holds.
        let carried = contacts.iter().filter(|contact| contact.second.is_some());
        carried.for_each(|contact| methods[parents[contact.bodies.0.index()] as usize] = large);
    }

    /// Gives islands of rigid bodies alone to their own solver.
    pub fn find_rigid(&mut self, sides: Sides<'_>) {
        let centres = sides.rigid.map_or(&[][..], |rigid| rigid.centres);
        if centres.is_empty() {
            return;
        }
        let all = self.methods.iter_mut().filter(|method| **method == Method::Dense);
        all.for_each(|method| *method = Method::Rigid);
        for (body, island) in self.parents.iter().enumerate() {
            let method = &mut self.methods[*island as usize];
            if *method == Method::Rigid && centres.get(body).is_none_or(Option::is_none) {
                *method = Method::Dense;
            }
        }
    }

    /// Where articulations can be solved: in substeps if their island meets an obstacle.
    ///
    /// Others must keep their angular momentum, and in substeps contacts act where bodies were at
    /// the start of the step, which joints do not.
    pub fn place(
        &mut self,
        matrix: &BlockMatrix,
        rigid: RigidSides<'_>,
        articulations: &mut [Articulation],
    ) {
        let Islands { parents: own, methods, touch, grounded, joined: parents, may, .. } = self;
        parents.clone_from(own);
        for bodies in articulations.iter().map(|articulation| &articulation.ids) {
            bodies.windows(2).for_each(|pair| join(parents, pair[0].0, pair[1].0));
        }
        may.clear();
        may.resize(parents.len(), false);
        for body in (0..parents.len()).filter(|body| grounded[*body]) {
            may[first(parents, body as u32) as usize] = true;
        }
        for body in 0..parents.len() {
            let is_rigid = methods[own[body] as usize] == Method::Rigid;
            if !is_rigid || !rigid_substeps::is_separate(matrix, rigid.firsts[body] as usize) {
                may[first(parents, body as u32) as usize] = false;
            }
        }
        for bodies in articulations.iter().map(|articulation| &articulation.ids) {
            if bodies.len() > MOST_JOINTED {
                may[first(parents, bodies[0].0) as usize] = false;
            }
        }
        for articulation in articulations {
            let bodies = &articulation.ids;
            let touches = bodies.iter().any(|body| touch[body.index()]);
            let is_grouped =
                |body: &BodyId| rigid.groups.get(body.index()).is_some_and(Option::is_some);
            articulation.place = match touches || bodies.iter().any(is_grouped) {
                false => JointPlace::Free,
                true if may[first(parents, bodies[0].0) as usize] => JointPlace::Substeps,
                true => JointPlace::Alternating,
            };
        }
    }

    /// Makes islands one that articulations in substeps connect.
    pub fn join_apart(&mut self, articulations: &[Articulation]) {
        let Islands { parents, touch, apart, .. } = self;
        let mut is_any = false;
        for articulation in articulations.iter().filter(|own| own.place == JointPlace::Substeps) {
            let ids = &articulation.ids;
            ids.windows(2).for_each(|pair| join(parents, pair[0].0, pair[1].0));
            for body in ids.iter().map(|body| body.index()) {
                (touch[body], apart[body]) = (true, true);
            }
            is_any = true;
        }
        if is_any {
            for body in 0..parents.len() {
                parents[body] = first(parents, body as u32);
            }
        }
    }

    /// Gives islands of rigid bodies that only contacts couple to the solver in substeps.
    pub fn find_substeps(&mut self, matrix: &BlockMatrix, sides: Sides<'_>) {
        let Some(rigid) = sides.rigid else { return };
        self.replace(Method::Rigid, Method::Substeps);
        for (body, island) in self.parents.iter().enumerate() {
            let method = &mut self.methods[*island as usize];
            if *method == Method::Substeps {
                let is_jointed =
                    !self.apart[body] && rigid.jointed.binary_search(&BodyId(body as u32)).is_ok();
                let first = rigid.firsts[body] as usize;
                if is_jointed || !rigid_substeps::is_separate(matrix, first) {
                    *method = Method::Rigid;
                }
            }
        }
    }

    /// Solver of a body; none where it touches nothing.
    pub fn method(&self, body: BodyId) -> Option<Method> {
        let island = self.parents[body.index()] as usize;
        self.touch[body.index()].then(|| self.methods[island])
    }

    /// Gives all islands of a solver to another.
    pub fn replace(&mut self, from: Method, to: Method) {
        let all = self.methods.iter_mut().filter(|method| **method == from);
        all.for_each(|method| *method = to);
    }
}

/// Makes two islands one.
fn join(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (first(parents, a), first(parents, b));
    parents[a.max(b) as usize] = a.min(b);
}

/// The first body of an island.
pub(crate) fn first(parents: &mut [u32], mut body: u32) -> u32 {
    while parents[body as usize] != body {
        parents[body as usize] = parents[parents[body as usize] as usize];
        body = parents[body as usize];
    }
    body
}
