//! A step of any integrator, after which groups match their shapes.

use crate::body::soft::{State, StateView};
use crate::integrate::shape_matching::Groups;
use crate::integrate::shape_matching::cluster::Ahead;
use crate::integrate::{Integrator, Report, StepError, System};
use crate::math::Vec3;
use crate::par;
use crate::snapshot::{Snapshot, SnapshotError};

/// Which velocities a match leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Velocities {
    /// The way that a vertex came in the step, over its length, as the lecture has it.
    ///
    /// Damps a spin by dω/dt = −Δt ω³, and takes shifts out of obstacles for velocity.
    #[default]
    Travelled,
    /// Those with the momentum and angular momentum that each group had before the match.
    ///
    /// A free spin stays as it is, and firm groups turn by ω Δt, not by its arc tangent.
    Kept,
}

/// An integrator together with groups that keep their shape.
///
/// Around an integrator in contact it is the lecture's order: vertices move and collide on
/// their own, then the groups are put together. The other way round, contact has the last word.
/// On an error the state is as it was, but plastic flow of forces within has happened.
///
/// - Implements: [Wang21 slide "Shape Matching"], [Muller05 §3, §4].
/// - Deviates: goals are those of the positions after the step, as on the slide; in
///   [Muller05 §3.4] those before it, which keeps vibrations that are damped here.
/// - Erratum: on the slide a free spin dies (R7), and the order of its last two lines decides
///   (R16): velocities come from the old positions; shown by
///   `a_free_spin_dies_as_printed_and_stays_as_an_option`.
#[derive(Debug)]
pub struct ShapeMatched {
    inner: Box<dyn Integrator>,
    groups: Groups,
    velocities: Velocities,
    trial: State,
    /// Positions after the match, m.
    moved: Vec<Vec3>,
    /// Groups that one thread takes.
    cuts: Vec<usize>,
}

impl ShapeMatched {
    /// Lets groups match their shapes after each step.
    pub fn new(inner: Box<dyn Integrator>, groups: Groups, velocities: Velocities) -> ShapeMatched {
        let cuts = par::even_offsets(groups.clusters.len(), 1);
        let (trial, moved) = (State::default(), Vec::new());
        ShapeMatched { inner, groups, velocities, trial, moved, cuts }
    }

    /// The groups, as they were matched last.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Matches the trial state and moves it; `old` is the state before the step.
    fn shape(&mut self, old: &State, dt: f64) {
        let ShapeMatched { groups: Groups { clusters, members }, trial, moved, cuts, .. } = self;
        let ahead = match self.velocities {
            Velocities::Travelled => Ahead::Left,
            Velocities::Kept => Ahead::Turned,
        };
        let motion = trial.motion();
        par::chunks(clusters, cuts, |_, piece| {
            piece.iter_mut().for_each(|cluster| cluster.fit(motion, dt, ahead));
        });
        let mean = |row: &[(u32, u32)], of: &dyn Fn(usize, usize) -> Vec3| {
            let sum: Vec3 = row.iter().map(|&(group, k)| of(group as usize, k as usize)).sum();
            sum / row.len() as f64
        };
        moved.clone_from(&trial.positions);
        for (place, row) in moved.iter_mut().zip(members.iter()).filter(|(_, row)| !row.is_empty())
        {
            *place += mean(row, &|group, k| clusters[group].shifts[k]);
        }
        if self.velocities == Velocities::Kept {
            par::chunks(clusters, cuts, |_, piece| {
                piece.iter_mut().for_each(|cluster| cluster.settle(motion, moved, dt));
            });
        }
        for (v, row) in members.iter().enumerate().filter(|(_, row)| !row.is_empty()) {
            trial.velocities[v] = match self.velocities {
                Velocities::Travelled => (moved[v] - old.positions[v]) / dt,
                Velocities::Kept => mean(row, &|group, k| clusters[group].velocities[k]),
            };
        }
        std::mem::swap(&mut trial.positions, moved);
    }

    /// Refuses what the match must not have led to.
    fn check(&self, system: &System, old: StateView<'_>, dt: f64) -> Result<(), StepError> {
        let now = self.trial.motion();
        system.check_state(now, "shape matching")?;
        let refusal = system.forces.refusal(old, now);
        refusal.map_or(Ok(()), |refusal| Err(system.refused(refusal, dt)))
    }
}

impl Integrator for ShapeMatched {
    fn step(
        &mut self,
        system: &mut System,
        state: &mut State,
        dt: f64,
    ) -> Result<Report, StepError> {
        let (count, expected) = (state.positions.len(), self.groups.vertex_count());
        if count != expected {
            return Err(StepError::Count { what: "shape groups", count, expected });
        }
        self.trial.copy_from(state);
        let report = self.inner.step(system, &mut self.trial, dt)?;
        self.shape(state, dt);
        let trial = &mut self.trial;
        system.pins.hold(trial.time, &mut trial.positions, &mut trial.velocities);
        self.check(system, state.motion(), dt)?;
        self.groups.clusters.iter_mut().for_each(|cluster| cluster.accept());
        std::mem::swap(state, &mut self.trial);
        Ok(report)
    }

    fn solves_constraints(&self) -> bool {
        self.inner.solves_constraints()
    }

    fn save(&self, memory: &mut Snapshot) {
        self.inner.save(memory);
        for cluster in self.groups.clusters.iter().filter(|cluster| cluster.is_plastic()) {
            cluster.save(memory);
        }
    }

    fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        self.inner.restore(memory)?;
        for cluster in self.groups.clusters.iter_mut().filter(|cluster| cluster.is_plastic()) {
            cluster.restore(memory)?;
        }
        Ok(())
    }

    fn set_threads(&mut self, threads: usize) {
        self.inner.set_threads(threads);
        self.cuts = par::even_offsets(self.groups.clusters.len(), threads);
    }
}
