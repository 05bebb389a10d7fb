//! Velocities that obey all contacts: each group of bodies by the solver that suits it.
//!
//! Bodies that are joined by contacts form an island. An island of small bodies is solved
//! with dense inverses, which no stiffness disturbs; one with a larger body with the factors of
//! its bodies; one whose matrix cannot be factored by multipliers around conjugate gradients. All
//! solve the same rows. Bodies that touch nothing are solved without, as by a step that meets
//! nobody.

mod islands;

use std::ops::Range;

use crate::contact::Contact;
use crate::contact::impulse::ContactImpulse;
use crate::contact::point_force::PointForce;
use crate::force::BlockMatrix;
use crate::id::{BodyId, VertexId};
use crate::math::Vec3;
use crate::mesh::runs::Runs;
use crate::snapshot::{Snapshot, SnapshotError};
use crate::solve::augmented_lagrangian::AugmentedLagrangian;
use crate::solve::dense_pgs::DensePgs;
use crate::solve::factored::{FactoredPgs, Island, References};
use crate::solve::joint::articulation::{Articulation, JointPlace};
use crate::solve::linear::{self, Linear, LinearSettings, LinearSolver, SolveError, Solvers};
use crate::solve::manifold_reduction::ManifoldReduction;
use crate::solve::pcg::Pcg;
use crate::solve::rigid_pgs::RigidPgs;
use crate::solve::rigid_substeps::{self, RigidSubsteps, SubstepContacts, SubstepOutput};
use crate::solve::rows::islands::Islands;
use crate::solve::terms::{Sides, SolverRow};

pub(crate) use crate::solve::rows::islands::first;

/// Where fewer than one in so many unknowns are free, bodies are solved one by one.
const FEW: usize = 4;

/// The equations of a step: A v = b, and the vertices whose velocity is given.
#[derive(Debug)]
pub struct Equations<'a, M: ?Sized> {
    /// A.
    pub matrix: &'a M,
    /// b, N·s.
    pub right: &'a [Vec3],
    /// Held vertices, ascending.
    pub held: &'a [VertexId],
    /// Length of the step, s.
    pub dt: f64,
}

impl<M: ?Sized> Clone for Equations<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: ?Sized> Copy for Equations<'_, M> {}

/// Method that solves islands with a body that is too large for dense inverses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IslandSolver {
    /// Sweeps through the factors of each body, corrected by conjugate gradients.
    #[default]
    Factored,
    /// Multipliers around conjugate gradients over all bodies at once.
    AugmentedLagrangian,
}

/// Method that solves islands of rigid bodies and obstacles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RigidSolver {
    /// Contact patches in substeps.
    #[default]
    Substeps,
    /// Sweeps over single contacts at the whole step: the reference.
    Sweeps,
}

/// How rows are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowSettings {
    /// Islands with a body of more vertices are solved by `large_islands`.
    pub max_dense_vertices: usize,
    /// Method for these.
    pub large_islands: IslandSolver,
    /// Method for islands of rigid bodies alone.
    pub rigid_islands: RigidSolver,
    /// Sweeps over all contacts with the direct solver.
    pub sweeps: usize,
    /// Change of velocity, per size and step, below which sweeps end.
    pub velocity_tolerance: f64,
    /// The same two where a contact is between rigid bodies, or a rigid one and an obstacle:
    /// these cost less and bear stacks, which need more.
    pub rigid_sweeps: usize,
    /// See `velocity_tolerance`.
    pub rigid_velocity_tolerance: f64,
    /// Rounds of multipliers with the iterative solver at least.
    pub min_outer_iterations: usize,
    /// And at most, while velocities lack what impulses ask of them.
    pub max_outer_iterations: usize,
}

impl Default for RowSettings {
    fn default() -> RowSettings {
        RowSettings {
            max_dense_vertices: 60,
            large_islands: IslandSolver::Factored,
            rigid_islands: RigidSolver::default(),
            sweeps: 20,
            velocity_tolerance: 1e-6,
            rigid_sweeps: 200,
            rigid_velocity_tolerance: 1e-10,
            min_outer_iterations: 2,
            max_outer_iterations: 20,
        }
    }
}

/// How rows and the linear systems around them are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SolveSettings {
    /// Rows.
    pub rows: RowSettings,
    /// Linear systems.
    pub linear: LinearSettings,
}

/// What is solved for: comes as a guess, leaves as the solution.
#[derive(Debug)]
pub struct Unknowns<'a> {
    /// Of all unknowns, m/s; spins of rigid bodies, rad/s.
    pub velocities: &'a mut [Vec3],
    /// Of all contacts.
    pub row_impulses: &'a mut [ContactImpulse],
}

/// What a solver did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solved {
    /// Sweeps over the rows of small bodies.
    pub sweeps: usize,
    /// Outer iterations over the rows of other bodies.
    pub outer: usize,
    /// Iterations of the linear solver.
    pub iterations: usize,
    /// Residual of the last linear system, relative.
    pub residual: f64,
    /// Whether outer iterations ended before velocities and impulses agreed.
    pub is_unconverged: bool,
}

/// All solvers, and who goes where.
#[derive(Debug, Default)]
pub(crate) struct RowSolver {
    rigid_pgs: RigidPgs,
    substeps: RigidSubsteps,
    /// Island and number of each contact that is solved in substeps, island by island.
    substep_contacts: Vec<(u32, u32)>,
    /// The same of articulations.
    substep_articulations: Vec<(u32, u32)>,
    dense_pgs: DensePgs,
    factored_pgs: FactoredPgs,
    references: References,
    augmented_lagrangian: AugmentedLagrangian,
    /// For bodies that touch nothing.
    solvers: Solvers,
    islands: Islands,
    reduction: ManifoldReduction,
    /// Rows of each solver, in the order of [`Method`].
    parts: [RowSubset; 4],
    /// Bodies of one island.
    members: Vec<BodyId>,
    held: Vec<VertexId>,
    /// Unknowns that are held, and those of rigid bodies that only move by themselves.
    separate: Vec<VertexId>,
    /// Unknowns that are held, or solved already.
    solved: Vec<VertexId>,
    /// Vertices of each body.
    bodies: Vec<Range<usize>>,
    /// b with the impulses of the contacts, N·s.
    pushed: Vec<Vec3>,
    /// Moves whole bodies in the end.
    pcg: Pcg,
}

/// Solver of an island.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Rigid,
    Dense,
    Factored,
    AugmentedLagrangian,
    /// Without a part of the rows: patches are made of contacts.
    Substeps,
}

/// Some of the rows.
#[derive(Clone, Debug, Default)]
struct RowSubset {
    /// The contact of each row.
    contacts: Vec<u32>,
    rows: Vec<SolverRow>,
    row_impulses: Vec<ContactImpulse>,
}

impl RowSubset {
    fn clear(&mut self) {
        self.contacts.clear();
        self.rows.clear();
        self.row_impulses.clear();
    }
}

impl RowSubset {
    /// Moves rows of the augmented Lagrangian to its own subset.
    fn hand_over(&mut self, other: &mut RowSubset, method: impl Fn(&SolverRow) -> Option<Method>) {
        let mut kept = 0;
        for k in 0..self.rows.len() {
            if method(&self.rows[k]) == Some(Method::AugmentedLagrangian) {
                other.contacts.push(self.contacts[k]);
                other.rows.push(self.rows[k]);
                other.row_impulses.push(self.row_impulses[k]);
                continue;
            }
            self.contacts[kept] = self.contacts[k];
            self.rows[kept] = self.rows[k];
            self.row_impulses[kept] = self.row_impulses[k];
            kept += 1;
        }
        self.contacts.truncate(kept);
        self.rows.truncate(kept);
        self.row_impulses.truncate(kept);
    }
}

impl Solved {
    /// Takes in what another solver did in the same step.
    fn add(&mut self, other: Solved) {
        self.sweeps += other.sweeps;
        self.outer = self.outer.max(other.outer);
        self.iterations += other.iterations;
        self.residual = self.residual.max(other.residual);
        self.is_unconverged |= other.is_unconverged;
    }
}

impl RowSolver {
    /// Works with this many threads from now on; the bits stay the same.
    pub(crate) fn set_threads(&mut self, threads: usize) {
        self.dense_pgs.set_threads(threads);
        self.substeps.set_threads(threads);
        self.factored_pgs.set_threads(threads);
    }

    /// Forgets the bodies that do not stay.
    pub(crate) fn keep(&mut self, kept: &Runs) {
        self.references.keep(kept);
    }

    /// Writes what is kept from step to step.
    pub(crate) fn save(&self, memory: &mut Snapshot) {
        self.references.save(memory);
    }

    /// Reads what [`RowSolver::save`] wrote.
    pub(crate) fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        self.references.restore(memory)
    }

    /// Finds where articulations are solved.
    ///
    /// In substeps those that touch something, and nothing but rigid bodies and obstacles,
    /// directly or by others of the same island.
    pub(crate) fn find_places(
        &mut self,
        matrix: &BlockMatrix,
        sides: Sides<'_>,
        contacts: &[Contact],
        settings: RowSettings,
        articulations: &mut [Articulation],
    ) {
        let Some(rigid) = sides.rigid else { return };
        self.list(sides);
        self.islands.find(&self.bodies, rigid.groups, contacts, settings);
        self.islands.find_rigid(sides);
        self.islands.place(matrix, rigid, articulations);
        if settings.rigid_islands != RigidSolver::Substeps {
            for own in articulations.iter_mut().filter(|own| own.place == JointPlace::Substeps) {
                own.place = JointPlace::Alternating;
            }
        }
    }

    /// Takes articulations for a step.
    pub(crate) fn borrow_articulations(&mut self, all: Vec<Articulation>) {
        *self.substeps.articulations_mut() = all;
    }

    /// Gives them back.
    pub(crate) fn return_articulations(&mut self) -> Vec<Articulation> {
        std::mem::take(self.substeps.articulations_mut())
    }

    /// Begins a step with so many contacts; takes the forces of the points of rigid bodies.
    pub(crate) fn begin(&mut self, contacts: usize, forces: &mut Vec<PointForce>) {
        self.substeps.begin(contacts);
        std::mem::swap(&mut self.substeps.forces, forces);
    }

    /// Ends a step; gives the forces back, and how bodies moved.
    pub(crate) fn finish(&mut self, forces: &mut Vec<PointForce>, output: &mut SubstepOutput) {
        self.substeps.finish();
        std::mem::swap(&mut self.substeps.forces, forces);
        std::mem::swap(&mut self.substeps.output, output);
    }

    /// Solves for all velocities, which come as a guess with those of held vertices.
    ///
    /// Contacts name bodies of `sides` and ascend by feature. The two unknowns of a rigid body are
    /// where `sides` says, see [`terms`](super::terms); its vertices must be held. On an error neither velocities nor pressures are a solution; pressures are as they
    /// were, but that one contact of rigid bodies may have those of others that say the same.
    pub(crate) fn solve(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        sides: Sides<'_>,
        contacts: &[Contact],
        settings: SolveSettings,
        unknowns: Unknowns<'_>,
    ) -> Result<Solved, SolveError> {
        let Unknowns { velocities, row_impulses } = unknowns;
        self.list(sides);
        let groups = sides.rigid.map_or(&[][..], |rigid| rigid.groups);
        self.islands.find(&self.bodies, groups, contacts, settings.rows);
        self.islands.find_rigid(sides);
        self.islands.join_apart(self.substeps.articulations());
        if settings.rows.rigid_islands == RigidSolver::Substeps {
            self.islands.find_substeps(equations.matrix, sides);
        }
        // Patches take redundant contacts as they are.
        let islands = &self.islands;
        let is_asked = |body| islands.method(body) != Some(Method::Substeps);
        self.reduction.find(contacts, sides.rigid, is_asked);
        self.reduction.gather(contacts, row_impulses);
        self.split(sides, contacts, row_impulses);
        let mut all = self.solve_substeps(equations, sides, contacts, velocities, row_impulses);
        self.solve_rigid(equations, settings.rows, &mut all, velocities, |solver| {
            solver.split(sides, contacts, row_impulses);
        });
        self.solve_dense(equations, settings.rows, &mut all, velocities);
        self.solve_factored(equations, sides, &mut all, velocities)?;
        if self.islands.methods.contains(&Method::AugmentedLagrangian) {
            // Islands whose factors failed have joined it.
            self.move_rows(Method::Factored);
        }
        let [.., other] = &mut self.parts;
        if !other.rows.is_empty() {
            hold(&mut self.held, &self.bodies, equations.held, |body| {
                self.islands.method(body) != Some(Method::AugmentedLagrangian)
            });
            let others = Equations { held: &self.held, ..equations };
            let ends = Unknowns { velocities, row_impulses: &mut other.row_impulses };
            let solved = self.augmented_lagrangian.solve(
                others,
                sides.masses,
                &other.rows,
                settings,
                ends,
            )?;
            all.add(solved);
            self.keep_momentum(equations, sides, velocities);
        }
        hold(&mut self.held, &self.bodies, equations.held, |body| self.islands.touch[body.index()]);
        if self.held.len() < velocities.len() {
            let Equations { matrix, right, dt, .. } = equations;
            let held = std::mem::take(&mut self.held);
            let free = Linear { matrix, right, held: &held, bodies: sides.starts };
            let solved = self.solve_free(free, sides, settings, dt, velocities);
            self.held = held;
            let solved = solved?;
            all.iterations += solved.iterations;
            all.residual = all.residual.max(solved.residual);
        }
        self.keep_groups(equations, sides, velocities);
        self.join(row_impulses);
        Ok(all)
    }

    /// Solves islands of rigid bodies in substeps.
    fn solve_substeps(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        sides: Sides<'_>,
        contacts: &[Contact],
        velocities: &mut [Vec3],
        row_impulses: &mut [ContactImpulse],
    ) -> Solved {
        let Some(rigid) = sides.rigid else { return Solved::default() };
        let own = SubstepContacts {
            all: contacts,
            own: &self.substep_contacts,
            articulations: &self.substep_articulations,
        };
        self.substeps.solve(equations, rigid, own, Unknowns { velocities, row_impulses })
    }

    /// Solves the islands of rigid bodies.
    ///
    /// Where one of them is held, or joined by a force, all get dense inverses, and `split` hands
    /// out the rows once more.
    fn solve_rigid(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        settings: RowSettings,
        all: &mut Solved,
        velocities: &mut [Vec3],
        split: impl FnOnce(&mut RowSolver),
    ) {
        let [RowSubset { rows, row_impulses, .. }, ..] = &mut self.parts;
        let ends = Unknowns { velocities, row_impulses };
        match self.rigid_pgs.solve(equations, &self.bodies, rows, settings, ends) {
            Some(solved) => all.add(solved),
            None => {
                self.islands.replace(Method::Rigid, Method::Dense);
                split(self);
            }
        }
    }

    /// Solves the islands of small bodies.
    fn solve_dense(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        settings: RowSettings,
        all: &mut Solved,
        velocities: &mut [Vec3],
    ) {
        let [_, RowSubset { rows, row_impulses, .. }, ..] = &mut self.parts;
        let ends = Unknowns { velocities, row_impulses };
        match self.dense_pgs.solve(equations, &self.bodies, rows, settings, ends) {
            Some(solved) => all.add(solved),
            None => {
                // A matrix that cannot be inverted: the iterations report why.
                self.islands.replace(Method::Dense, Method::AugmentedLagrangian);
                self.move_rows(Method::Dense);
            }
        }
    }

    /// Solves the islands that have factors, one after the other.
    fn solve_factored(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        sides: Sides<'_>,
        all: &mut Solved,
        velocities: &mut [Vec3],
    ) -> Result<(), SolveError> {
        let RowSolver { factored_pgs, references, islands, parts, members, bodies, .. } = self;
        let [_, _, RowSubset { rows, row_impulses, .. }, _] = parts;
        if rows.is_empty() {
            return Ok(());
        }
        factored_pgs.begin(equations, rows, row_impulses);
        let mut first = 0;
        while first < rows.len() {
            let island = islands.parents[rows[first].bodies.0.index()];
            let own = rows[first..].iter();
            let same = |row: &&SolverRow| islands.parents[row.bodies.0.index()] == island;
            let end = first + own.take_while(same).count();
            let of = |body: &u32| islands.parents[*body as usize] == island;
            members.clear();
            members.extend((island..bodies.len() as u32).filter(of).map(BodyId));
            let part = Island { equations, bodies, members, sides, rows: &rows[first..end] };
            let ends = Unknowns { velocities, row_impulses: &mut row_impulses[first..end] };
            match factored_pgs.solve(references, part, ends)? {
                Some(solved) => all.add(solved),
                None => islands.methods[island as usize] = Method::AugmentedLagrangian,
            }
            first = end;
        }
        Ok(())
    }

    /// Solves for the velocities of bodies without contacts; held ones stay.
    ///
    /// Those of rigid bodies that nothing else is coupled to are known at once, each by itself.
    pub(crate) fn solve_free(
        &mut self,
        linear: Linear<'_>,
        sides: Sides<'_>,
        settings: SolveSettings,
        dt: f64,
        velocities: &mut [Vec3],
    ) -> Result<linear::Solved, SolveError> {
        let mut held = std::mem::take(&mut self.separate);
        rigid_substeps::move_separate(linear, sides, velocities, &mut held);
        let solved = match held.len() < velocities.len() {
            true => {
                let rest = Linear { held: &held, ..linear };
                self.solve_coupled(rest, sides, settings, dt, velocities)
            }
            false => Ok(linear::Solved { iterations: 0, residual: 0.0 }),
        };
        self.separate = held;
        solved
    }

    /// The same for bodies of many unknowns.
    ///
    /// Bodies with factors, and the few small ones where most are held, are solved one by one;
    /// all others together.
    fn solve_coupled(
        &mut self,
        linear: Linear<'_>,
        sides: Sides<'_>,
        settings: SolveSettings,
        dt: f64,
        velocities: &mut [Vec3],
    ) -> Result<linear::Solved, SolveError> {
        self.list(sides);
        let Linear { matrix, right, held, .. } = linear;
        let RowSettings { max_dense_vertices, large_islands, .. } = settings.rows;
        let LinearSettings { solver, tolerance, .. } = settings.linear;
        let is_asked = large_islands == IslandSolver::Factored && solver == LinearSolver::Pcg;
        let free = velocities.len().saturating_sub(held.len());
        let are_few = free * FEW < velocities.len();
        let is_own = |own: &Range<usize>| own.len() > max_dense_vertices || are_few;
        if !(is_asked && self.bodies.iter().any(is_own)) {
            return self.solvers.solve(linear, settings.linear, velocities);
        }
        let equations = Equations { matrix, right, held, dt };
        let RowSolver { factored_pgs, references, bodies, members, solved, .. } = self;
        factored_pgs.begin(equations, &[], &[]);
        let groups = sides.rigid.map_or(&[][..], |rigid| rigid.groups);
        members.clear();
        for (body, own) in bodies.iter().enumerate().filter(|(_, own)| is_own(own)) {
            let is_grouped = groups.get(body).copied().flatten().is_some();
            if !is_grouped && !is_held(held, own) {
                members.push(BodyId(body as u32));
            }
        }
        let island = Island { equations, bodies, members, sides, rows: &[] };
        let iterations = factored_pgs.solve_free(references, island, tolerance, velocities);
        solved.clear();
        solved.extend_from_slice(held);
        for (member, body) in members.iter().enumerate() {
            if factored_pgs.is_solved(member) {
                solved.extend(bodies[body.index()].clone().map(|v| VertexId(v as u32)));
            }
        }
        solved.sort_unstable();
        solved.dedup();
        if solved.len() == velocities.len() {
            return Ok(linear::Solved { iterations, residual: tolerance });
        }
        let rest = Linear { held: solved, ..linear };
        let done = self.solvers.solve(rest, settings.linear, velocities)?;
        Ok(linear::Solved { iterations: iterations + done.iterations, ..done })
    }

    /// Moves groups of rigid bodies and what they hold as wholes, as all impulses want it.
    fn keep_groups(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        sides: Sides<'_>,
        velocities: &mut [Vec3],
    ) {
        let Some(rigid) = sides.rigid.filter(|rigid| !rigid.coarse_dofs.is_empty()) else { return };
        let Equations { matrix, right, held, .. } = equations;
        let RowSolver { parts: [.., factored, other], pushed, pcg, .. } = self;
        push(right, [factored, other], pushed);
        let linear = Linear { matrix, right: pushed, held, bodies: sides.starts };
        pcg.move_groups(linear, rigid.coarse_dofs, velocities);
    }

    /// Notes where the unknowns of each body are.
    fn list(&mut self, sides: Sides<'_>) {
        self.bodies.clear();
        self.bodies.extend(sides.starts.ranges(sides.masses.len()));
        let Some(rigid) = sides.rigid else { return };
        for ((unknowns, centre), first) in
            self.bodies.iter_mut().zip(rigid.centres).zip(rigid.firsts)
        {
            if centre.is_some() {
                *unknowns = *first as usize..*first as usize + 2;
            }
        }
    }

    /// Moves the bodies of the iterative solver as wholes, as their impulses want it.
    ///
    /// Those of each contact cancel: so what outer and linear iterations have left undone, or given
    /// and taken back, does not change the momentum of all.
    fn keep_momentum(
        &mut self,
        equations: Equations<'_, BlockMatrix>,
        sides: Sides<'_>,
        velocities: &mut [Vec3],
    ) {
        let Equations { matrix, right, .. } = equations;
        let RowSolver { parts: [.., factored, other], pushed, pcg, held, .. } = self;
        push(right, [factored, other], pushed);
        let bodies = sides.starts;
        pcg.coarse_correction(Linear { matrix, right: pushed, held, bodies }, velocities);
        let Some(rigid) = sides.rigid else { return };
        for (body, first) in self.bodies.iter().map(|own| own.start).enumerate() {
            let is_rigid = rigid.centres.get(body).is_some_and(Option::is_some)
                && rigid.groups.get(body).is_none_or(Option::is_none);
            let id = BodyId(body as u32);
            if is_rigid && self.islands.method(id) == Some(Method::AugmentedLagrangian) {
                // Nothing joins its unknowns to others but the contacts.
                for v in [first, first + 1] {
                    velocities[v] = matrix.diagonal(v).inverse() * self.pushed[v];
                }
            }
        }
    }

    /// Hands each row to its solver, island by island.
    fn split(&mut self, sides: Sides<'_>, contacts: &[Contact], row_impulses: &[ContactImpulse]) {
        let RowSolver { parts, islands, reduction, substep_contacts, substeps, .. } = self;
        self.substep_articulations.clear();
        for (k, articulation) in substeps.articulations().iter().enumerate() {
            let is_own = articulation.place == JointPlace::Substeps;
            if let Some(body) = articulation.ids.first().filter(|_| is_own) {
                self.substep_articulations.push((islands.parents[body.index()], k as u32));
            }
        }
        self.substep_articulations.sort_unstable();
        parts.iter_mut().for_each(RowSubset::clear);
        substep_contacts.clear();
        for (k, contact) in contacts.iter().enumerate() {
            if let Some(method) = islands.method(contact.bodies.0)
                && reduction.is_representative(k)
            {
                match method {
                    Method::Substeps => {
                        let island = islands.parents[contact.bodies.0.index()];
                        substep_contacts.push((island, k as u32));
                    }
                    _ => parts[method as usize].contacts.push(k as u32),
                }
            }
        }
        substep_contacts.sort_unstable();
        let island = |contact: &u32| islands.parents[contacts[*contact as usize].bodies.0.index()];
        for part in &mut parts[..=Method::Factored as usize] {
            part.contacts.sort_by_key(island);
        }
        for RowSubset { contacts: own, rows, row_impulses: impulses } in parts {
            let own = own.iter().map(|k| *k as usize);
            rows.extend(own.clone().map(|k| SolverRow::between(&contacts[k], sides.rigid)));
            impulses.extend(own.map(|k| row_impulses[k]));
        }
    }

    /// Moves rows that another solver failed on to the augmented Lagrangian.
    fn move_rows(&mut self, from: Method) {
        let (parts, other) = self.parts.split_at_mut(Method::AugmentedLagrangian as usize);
        let islands = &self.islands;
        parts[from as usize].hand_over(&mut other[0], |row| islands.method(row.bodies.0));
    }

    /// Takes the impulses back in the order of the contacts.
    fn join(&self, row_impulses: &mut [ContactImpulse]) {
        for part in &self.parts {
            for (contact, impulse) in part.contacts.iter().zip(&part.row_impulses) {
                row_impulses[*contact as usize] = *impulse;
            }
        }
    }
}

/// Whether all unknowns of a body are held.
fn is_held(held: &[VertexId], own: &Range<usize>) -> bool {
    let first = held.partition_point(|unknown| unknown.index() < own.start);
    let end = held.partition_point(|unknown| unknown.index() < own.end);
    end - first == own.len()
}

/// Fills `pushed` with b and the impulses of rows, N·s.
fn push(right: &[Vec3], parts: [&mut RowSubset; 2], pushed: &mut Vec<Vec3>) {
    pushed.clear();
    pushed.extend_from_slice(right);
    for part in parts {
        for (row, row_impulse) in part.rows.iter().zip(&part.row_impulses) {
            let impulse = row_impulse.impulse(row.normal);
            row.terms().for_each(|(v, share)| pushed[v.index()] += share.apply_transpose(impulse));
        }
    }
}

/// Fills `held` with the vertices that are given and those of bodies that are not asked for.
fn hold(
    held: &mut Vec<VertexId>,
    bodies: &[Range<usize>],
    given: &[VertexId],
    is_out: impl Fn(BodyId) -> bool,
) {
    held.clear();
    held.extend_from_slice(given);
    for (body, vertices) in bodies.iter().enumerate() {
        if is_out(BodyId(body as u32)) {
            held.extend(vertices.clone().map(|v| VertexId(v as u32)));
        }
    }
    held.sort_unstable();
    held.dedup();
}

#[cfg(test)]
mod tests;
