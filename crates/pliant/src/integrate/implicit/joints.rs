//! Joints and contacts solved in turn until neither changes the other.
//!
//! Joints are solved exactly, all of them at once, and so is what they leave to contacts and
//! materials; each hands the other its impulses as given. The joints have the last word, so they
//! are obeyed to rounding whatever is left of the iterations. Articulations that touch nothing but
//! rigid bodies and obstacles take no part: they are solved with their contacts, in substeps.
//!
//! | here     | formula | meaning                                                         |
//! |----------|---------|-----------------------------------------------------------------|
//! | `right`  | b       | momenta without joints, kg·m/s and kg·m²/s                      |
//! | `pushes` | Jᵀλ     | what joints give each rigid body, in the places of its unknowns |

use crate::body::rigid::RigidState;
use crate::body::rigid::all::RigidEntry;
use crate::body::soft::State;
use crate::integrate::free_motion::FreeMotion;
use crate::integrate::implicit::Implicit;
use crate::integrate::{StepError, StepReport, System};
use crate::math::{Mat3, Vec3};
use crate::solve::joint::articulation::{FreeMotionStep, JointPlace};
use crate::solve::terms::Sides;

/// Rounds of contacts and joints at most.
const MAX_ITERATIONS: usize = 100;

/// Relaxations of single contacts, in all sweeps of a step, after which no round begins.
const MAX_RELAXATIONS: usize = 20_000_000;

/// Change of velocity by joints, per size and step, below which iterations end.
const STILL: f64 = 1e-7;

/// Scratch memory of the solver.
#[derive(Clone, Debug, Default)]
pub(crate) struct JointContactAlternator {
    /// b without joints, N·s.
    right: Vec<Vec3>,
    /// Of each rigid body, N·s and N·m·s.
    pushes: Vec<[Vec3; 2]>,
    /// Rigid bodies where they are, with the velocities of this round.
    states: Vec<RigidState>,
    /// Inertia with which joints turn each rigid body, kg·m².
    inertias: Vec<Mat3>,
    /// From the centre to the farthest vertex of each rigid body, m.
    sizes: Vec<f64>,
}

impl JointContactAlternator {
    /// Takes over what is given; what joints gave in the step before is the first guess.
    fn begin(&mut self, system: &mut System, state: &State, dt: f64) -> Result<(), StepError> {
        let System { joints, rigids, forces, .. } = system;
        let members = rigids.entries();
        joints.begin(members, &state.rigids, dt)?;
        self.states.clone_from(&state.rigids);
        self.states
            .iter_mut()
            .for_each(|state| (state.velocity, state.spin) = (Vec3::ZERO, Vec3::ZERO));
        joints.load_impulses(&mut self.states);
        self.pushes.clear();
        self.inertias.clear();
        let Some(matrix) = forces.matrix_mut() else { return Ok(()) };
        for (k, (member, moved)) in members.iter().zip(&self.states).enumerate() {
            let turned = member.unknown + 1;
            let own = moved.inertia(&member.body);
            let is_here = joints.place(k) != Some(JointPlace::Substeps);
            let stiffened = joints.stiffened(k).filter(|_| is_here);
            let inertia = stiffened.map_or(own, |inverse| inverse.inverse());
            if rigids.group(member.id).is_none() {
                matrix.set_diagonal(turned, inertia);
            } else {
                // What it holds is in the same block.
                let also = matrix.diagonal(turned) - own;
                matrix.set_diagonal(turned, also + inertia);
            }
            self.inertias.push(inertia);
            self.pushes.push([member.body.mass * moved.velocity, inertia * moved.spin]);
        }
        if self.sizes.len() != members.len() {
            self.sizes.clear();
            self.sizes.extend(members.iter().map(size));
        }
        Ok(())
    }
}

impl Implicit {
    /// Solves as [`Implicit::solve`] does, with joints; the system has been reduced.
    pub(super) fn solve_jointed(
        &mut self,
        system: &mut System,
        state: &State,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let span = self.stage.span;
        self.lend_articulations(system, state);
        let made = self.alternate(system, state, report);
        system.joints.take_back(self.row_solver.return_articulations(), span);
        made
    }

    /// Lends those articulations to the solver in substeps that it can solve with all contacts.
    fn lend_articulations(&mut self, system: &mut System, state: &State) {
        let System { joints, rigids, forces, scratch, bodies, masses, .. } = system;
        let members = rigids.entries();
        let mut sides = Sides::soft(bodies.offsets(), masses.of());
        sides.positions = &self.stage.positions;
        sides.masses = &self.reduced.masses;
        sides.rigid = Some(self.reduced.sides(&self.stage.positions));
        let (rows, settings) = (&scratch.contact.rows, self.settings.rows);
        let articulations = joints.name_bodies(members);
        if let Some(matrix) = forces.matrix() {
            self.row_solver.find_places(matrix, sides, rows, settings, articulations);
        }
        let step: FreeMotionStep = match scratch.free_motion {
            FreeMotion::Conserving => {
                |body, state, dt| FreeMotion::Conserving.step(body, state, dt)
            }
            FreeMotion::Explicit => |body, state, dt| FreeMotion::Explicit.step(body, state, dt),
            FreeMotion::Lecture => |body, state, dt| FreeMotion::Lecture.step(body, state, dt),
        };
        let lent = joints.lend(members, &state.rigids, step);
        self.row_solver.borrow_articulations(lent);
    }

    /// Solves contacts and joints in turn.
    fn alternate(
        &mut self,
        system: &mut System,
        state: &State,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let span = self.stage.span;
        self.alternator.begin(system, state, span)?;
        self.alternator.right.clone_from(&self.right);
        for _ in 0..MAX_ITERATIONS {
            for (member, [push, turning]) in
                system.rigids.entries().iter().zip(&self.alternator.pushes)
            {
                let first = member.unknown;
                self.right[first] = self.alternator.right[first] + *push;
                self.right[first + 1] = self.alternator.right[first + 1] + *turning;
            }
            self.solve(system, report)?;
            let [_, are_all] = system.joints.are_at(JointPlace::Substeps);
            if are_all {
                return Ok(());
            }
            let changed = self.obey(system)? * span;
            let [is_in_turn, _] = system.joints.are_at(JointPlace::Alternating);
            let relaxations = report.sweeps.saturating_mul(system.scratch.contact.rows.len());
            if !is_in_turn || changed <= STILL || relaxations > MAX_RELAXATIONS {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Lets joints change what was solved; gives the largest change of velocity per size, 1/s.
    fn obey(&mut self, system: &mut System) -> Result<f64, StepError> {
        let Implicit { alternator, ends, right, .. } = self;
        let JointContactAlternator { pushes, states, inertias, sizes, .. } = alternator;
        let System { joints, rigids, .. } = system;
        for (k, (member, state)) in rigids.entries().iter().zip(&mut *states).enumerate() {
            let first = member.unknown;
            (state.velocity, state.spin) = (ends[first], ends[first + 1]);
            if joints.place(k) == Some(JointPlace::Free) {
                // Nothing else is coupled to them: to rounding, where a solver stops before.
                state.velocity = right[first] / member.body.mass;
                state.spin = inertias[k].inverse() * right[first + 1];
            }
        }
        joints.obey(states)?;
        let mut most = 0.0_f64;
        for (k, (member, state)) in rigids.entries().iter().zip(&*states).enumerate() {
            let first = member.unknown;
            let (faster, turned) = (state.velocity - ends[first], state.spin - ends[first + 1]);
            pushes[k][0] += member.body.mass * faster;
            pushes[k][1] += inertias[k] * turned;
            most = most.max(faster.length() / sizes[k]).max(turned.length());
            (ends[first], ends[first + 1]) = (state.velocity, state.spin);
        }
        Ok(most)
    }
}

/// From the centre to the farthest vertex, m.
fn size(member: &RigidEntry) -> f64 {
    member.body.points.iter().fold(0.0, |most: f64, point| most.max(point.length()))
}
