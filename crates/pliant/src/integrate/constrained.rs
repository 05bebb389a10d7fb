//! Implicit Euler together with contacts: the engine's own step.
//!
//! Find contacts, shift overlapping bodies apart, then solve for velocities that neither
//! tear materials nor push bodies into each other.

use std::sync::Arc;

use crate::body::Bodies;
use crate::body::obstacle::Obstacle;
use crate::body::soft::State;
use crate::id::VertexId;
use crate::integrate::implicit::assemble;
use crate::integrate::{Integrator, Report, StepError, System};
use crate::math::Vec3;
use crate::memory::{Memory, MemoryError};
use crate::observe::{Stage, Watch};
use crate::respond::constraint::SolveSettings;
use crate::respond::constraint::direct::{Direct, Equations};
use crate::respond::constraint::lagrange::Lagrange;
use crate::respond::constraint::pressure::{Pressure, Remembered};
use crate::respond::constraint::split::Split;
use crate::respond::contact::Contact;
use crate::respond::contact::search::{ContactSettings, Search};
use crate::solve::pcg::Pcg;
use crate::solve::{Linear, LinearSettings};

/// What the step is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConstrainedSettings {
    /// How contacts are found.
    pub contacts: ContactSettings,
    /// How they are solved.
    pub solve: SolveSettings,
    /// How linear systems are solved by iterations.
    pub linear: LinearSettings,
}

/// What the last step met.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Met {
    /// Contacts, count.
    pub contacts: usize,
    /// Vertices inside bodies without a known way out, count.
    pub unresolved: usize,
    /// Longest way that a body was shifted, m.
    pub shift: f64,
}

/// Implicit Euler, linearised once, with unilateral contacts.
#[derive(Debug)]
pub struct Constrained {
    bodies: Arc<Bodies>,
    obstacles: Vec<Obstacle>,
    settings: ConstrainedSettings,
    search: Search,
    split: Split,
    direct: Direct,
    lagrange: Lagrange,
    pcg: Pcg,
    remembered: Remembered,
    contacts: Vec<Contact>,
    pressures: Vec<Pressure>,
    forces: Vec<Vec3>,
    right: Vec<Vec3>,
    held: Vec<VertexId>,
    still: Vec<Vec3>,
    next: State,
    met: Met,
}

impl Constrained {
    /// Prepares for a scene at rest in `rest`.
    pub fn new(
        rest: &[Vec3],
        bodies: Arc<Bodies>,
        obstacles: Vec<Obstacle>,
        settings: ConstrainedSettings,
    ) -> Constrained {
        Constrained {
            search: Search::new(rest, &bodies),
            bodies,
            obstacles,
            settings,
            split: Split::default(),
            direct: Direct::default(),
            lagrange: Lagrange::default(),
            pcg: Pcg::default(),
            remembered: Remembered::default(),
            contacts: Vec::new(),
            pressures: Vec::new(),
            forces: Vec::new(),
            right: Vec::new(),
            held: Vec::new(),
            still: Vec::new(),
            next: State::default(),
            met: Met::default(),
        }
    }

    /// What the last step met.
    pub fn met(&self) -> Met {
        self.met
    }

    /// Contacts of the last step, with their impulses.
    pub fn contacts(&self) -> impl Iterator<Item = (&Contact, &Pressure)> {
        self.contacts.iter().zip(&self.pressures)
    }

    /// Finds contacts and takes overlap out of `self.next`.
    fn meet(&mut self, system: &System, state: &State, dt: f64) {
        let _watch = Watch::new(&system.watcher, Stage::Detect);
        let Constrained { search, contacts, bodies, obstacles, settings, .. } = self;
        let how = (settings.contacts, dt);
        search.find(state.motion(), bodies, obstacles, how, contacts);
        let shift = self.split.apply(
            &mut self.next.positions,
            (&self.bodies, &system.masses, &system.pins),
            &mut self.contacts,
        );
        let (contacts, unresolved) = (self.contacts.len(), self.search.unresolved);
        self.met = Met { contacts, unresolved, shift };
        self.remembered.recall(&self.contacts, &mut self.pressures);
    }

    /// Fills A and b at the shifted positions.
    fn set_up(&mut self, system: &mut System, dt: f64) -> Result<(), StepError> {
        let Constrained { next, still, forces, right, .. } = self;
        next.time += dt;
        system.sum_linearised(next.motion(), forces, still)?;
        assemble(system, next.motion(), dt)?;
        right.clear();
        let terms = next.velocities.iter().zip(system.masses.of()).zip(&*forces);
        right.extend(terms.map(|((v, m), f)| *m * *v + dt * *f));
        system.check_finite(right, "momentum", "force", next.time)
    }

    /// Solves for the velocities of `self.next`.
    fn solve(&mut self, system: &System, dt: f64, report: &mut Report) -> Result<(), StepError> {
        let _watch = Watch::new(&system.watcher, Stage::Solve);
        let Some(matrix) = system.forces.matrix() else { return Ok(()) };
        let held = system.pins.vertices();
        let equations = Equations { matrix, right: &self.right, held, dt };
        let small = |body| self.bodies.vertices(body).len() <= self.settings.solve.most_direct;
        let all_small = self.contacts.iter().all(|contact| {
            let (a, b) = contact.bodies;
            small(a) && b.is_none_or(small)
        });
        let velocities = &mut self.next.velocities;
        if all_small {
            let solved = self.direct.solve(
                equations,
                &self.bodies,
                &self.contacts,
                self.settings.solve,
                (velocities, &mut self.pressures),
            );
            if let Some(solved) = solved {
                report.newton = solved.iterations;
                return self.solve_others(system, report);
            }
        }
        let how = (self.settings.solve, self.settings.linear);
        let solved = self.lagrange.solve(
            equations,
            system.masses.of(),
            &self.contacts,
            how,
            (velocities, &mut self.pressures),
        )?;
        report.linear += solved.iterations;
        report.residual = solved.residual;
        Ok(())
    }

    /// Solves for the bodies without contacts.
    fn solve_others(&mut self, system: &System, report: &mut Report) -> Result<(), StepError> {
        let Some(matrix) = system.forces.matrix() else { return Ok(()) };
        self.held.clear();
        self.held.extend_from_slice(system.pins.vertices());
        for body in self.bodies.ids().filter(|body| self.direct.has(*body)) {
            self.held.extend(self.bodies.vertices(body).map(|v| VertexId(v as u32)));
        }
        self.held.sort_unstable();
        self.held.dedup();
        if self.held.len() == self.next.positions.len() {
            return Ok(());
        }
        let (right, held) = (&self.right[..], &self.held[..]);
        let linear = Linear { matrix, right, held, bodies: &system.bodies };
        let solved = self.pcg.solve(linear, self.settings.linear, &mut self.next.velocities)?;
        report.linear += solved.iterations;
        report.residual = solved.residual;
        Ok(())
    }
}

impl Integrator for Constrained {
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        dt: f64,
    ) -> Result<Report, StepError> {
        system.check_step(state, dt)?;
        system.check_state(state.motion(), "start")?;
        let (count, expected) = (state.positions.len(), self.bodies.vertex_count());
        if count != expected {
            return Err(StepError::Count { what: "bodies", count, expected });
        }
        let mut report = Report { substeps: 1, ..Report::default() };
        self.next.copy_from(state);
        self.meet(system, state, dt);
        self.set_up(system, dt)?;
        for (pin, vertex) in system.pins.vertices().iter().enumerate() {
            let way = system.pins.place(pin, self.next.time) - state.positions[vertex.index()];
            self.next.velocities[vertex.index()] = way / dt;
        }
        self.solve(system, dt, &mut report)?;
        let State { positions, velocities, time } = &mut self.next;
        for (position, velocity) in positions.iter_mut().zip(&*velocities) {
            *position += dt * *velocity;
        }
        system.pins.hold(*time, positions, velocities);
        system.accept(state, &mut self.next, dt)?;
        self.remembered.keep(&self.contacts, &self.pressures);
        Ok(report)
    }

    fn save(&self, memory: &mut Memory) {
        self.remembered.save(memory);
    }

    fn restore(&mut self, memory: &mut Memory) -> Result<(), MemoryError> {
        self.remembered.restore(memory)
    }

    fn set_threads(&mut self, threads: usize) {
        self.search.set_threads(threads);
    }
}
