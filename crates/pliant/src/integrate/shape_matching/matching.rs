//! Shape matching as a post-step of any integrator.

use crate::body::soft::State;
use crate::integrate::shape_matching::Groups;
use crate::integrate::shape_matching::cluster::Ahead;
use crate::integrate::{StepError, System};
use crate::math::Vec3;
use crate::par;
use crate::snapshot::{Snapshot, SnapshotError};

/// Which velocities a match leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Velocities {
    /// Displacement of a vertex in the step over its length, as the lecture has it.
    ///
    /// Damps a spin by dω/dt = −Δt ω³, and counts shifts out of obstacles as velocity.
    #[default]
    Travelled,
    /// Those with the linear and angular momentum of each group before the match.
    ///
    /// A free spin stays as it is, and firm groups turn by ω Δt, not by its arc tangent.
    Kept,
}

/// Groups that match their shapes after the integrator's step.
///
/// Applied before contact's post-step, contact has the last word; after it, the order is the
/// lecture's: vertices move and collide on their own, then the groups are matched.
///
/// - Implements: [Wang21 slide "Shape Matching"], [Muller05 §3, §4].
/// - Deviates: goals are those of the positions after the step, as on the slide; in
///   [Muller05 §3.4] those before it, which keeps vibrations that are damped here.
/// - Erratum: on the slide a free spin dies (R7), and the order of its last two lines decides
///   (R16): velocities come from the old positions; shown by
///   `a_free_spin_dies_as_printed_and_stays_as_an_option`.
#[derive(Debug)]
pub struct ShapeMatching {
    groups: Groups,
    velocities: Velocities,
    /// The state before the step.
    before: State,
    /// Positions after the match, m.
    moved: Vec<Vec3>,
    /// First group of each thread, and their number.
    offsets: Vec<usize>,
}

impl ShapeMatching {
    /// Lets groups match their shapes after each step.
    pub fn new(groups: Groups, velocities: Velocities) -> ShapeMatching {
        let offsets = par::even_offsets(groups.clusters.len(), 1);
        ShapeMatching { groups, velocities, before: State::default(), moved: Vec::new(), offsets }
    }

    /// The groups, as they were matched last.
    pub fn groups(&self) -> &Groups {
        &self.groups
    }

    /// Stores the state before the step.
    pub(crate) fn begin(&mut self, state: &State) -> Result<(), StepError> {
        let (count, expected) = (state.positions.len(), self.groups.vertex_count());
        if count != expected {
            return Err(StepError::Count { what: "shape groups", count, expected });
        }
        self.before.copy_from(state);
        Ok(())
    }

    /// Matches the state after the step and moves it.
    pub(crate) fn apply(
        &mut self,
        system: &System,
        state: &mut State,
        dt: f64,
    ) -> Result<(), StepError> {
        self.shape(state, dt);
        system.pins.hold(state.time, &mut state.positions, &mut state.velocities);
        let now = state.motion();
        system.check_state(now, "shape matching")?;
        if let Some(rejection) = system.forces.refusal(self.before.motion(), now) {
            return Err(system.rejected(rejection, dt));
        }
        self.groups.clusters.iter_mut().for_each(|cluster| cluster.accept());
        Ok(())
    }

    fn shape(&mut self, state: &mut State, dt: f64) {
        let ShapeMatching { groups: Groups { clusters, members }, before, moved, offsets, .. } =
            self;
        let ahead = match self.velocities {
            Velocities::Travelled => Ahead::Left,
            Velocities::Kept => Ahead::Turned,
        };
        let motion = state.motion();
        par::chunks(clusters, offsets, |_, piece| {
            piece.iter_mut().for_each(|cluster| cluster.fit(motion, dt, ahead));
        });
        let mean = |row: &[(u32, u32)], of: &dyn Fn(usize, usize) -> Vec3| {
            let sum: Vec3 = row.iter().map(|&(group, k)| of(group as usize, k as usize)).sum();
            sum / row.len() as f64
        };
        moved.clone_from(&state.positions);
        for (place, row) in moved.iter_mut().zip(members.iter()).filter(|(_, row)| !row.is_empty())
        {
            *place += mean(row, &|group, k| clusters[group].shifts[k]);
        }
        if self.velocities == Velocities::Kept {
            par::chunks(clusters, offsets, |_, piece| {
                piece.iter_mut().for_each(|cluster| cluster.settle(motion, moved, dt));
            });
        }
        for (v, row) in members.iter().enumerate().filter(|(_, row)| !row.is_empty()) {
            state.velocities[v] = match self.velocities {
                Velocities::Travelled => (moved[v] - before.positions[v]) / dt,
                Velocities::Kept => mean(row, &|group, k| clusters[group].velocities[k]),
            };
        }
        std::mem::swap(&mut state.positions, moved);
    }

    /// Sets the number of threads; results are bitwise the same.
    pub(crate) fn set_threads(&mut self, threads: usize) {
        self.offsets = par::even_offsets(self.groups.clusters.len(), threads);
    }

    /// Writes plastic deformations and warm starts.
    pub(crate) fn save(&self, snapshot: &mut Snapshot) {
        for cluster in self.groups.clusters.iter().filter(|cluster| cluster.has_state()) {
            cluster.save(snapshot);
        }
    }

    /// Reads what [`ShapeMatching::save`] wrote.
    pub(crate) fn restore(&mut self, snapshot: &mut Snapshot) -> Result<(), SnapshotError> {
        for cluster in self.groups.clusters.iter_mut().filter(|cluster| cluster.has_state()) {
            cluster.restore(snapshot)?;
        }
        Ok(())
    }
}
