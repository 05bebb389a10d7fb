//! States that cannot be meant.

use pliant::id::BodyId;
use pliant::step::Simulation;
use pliant_scene::loaded::LoadedScene;

use super::Verdicts;
use super::warnings::in_body;
use crate::report::text::number;

/// Sizes of the scene that no vertex moves in a step of a state that is meant.
pub const FARTHEST: f64 = 10.0;

/// A state that cannot be meant: it ends the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Absurdity {
    /// Far more energy than there was, without a source.
    Energy {
        /// Body with most of the kinetic energy.
        body: usize,
        /// What appeared so far, J.
        appeared: f64,
        /// Largest that had a source, J.
        largest: f64,
    },
    /// A vertex that moved much farther than the scene is wide.
    Displacement {
        /// Its body.
        body: usize,
        /// m.
        displacement: f64,
        /// Size of the scene, m.
        size: f64,
    },
}

impl Verdicts {
    /// Why a run ended that became absurd, and what to try.
    pub fn describe(&self, built: &LoadedScene, absurdity: Absurdity) -> String {
        let (what, body) = match absurdity {
            Absurdity::Energy { body, appeared, largest } => {
                let what = format!(
                    "{} J have appeared without a source, and the largest energy that had one \
                     was {} J",
                    number(appeared),
                    number(largest)
                );
                (what, body)
            }
            Absurdity::Displacement { body, displacement, size } => {
                let what = format!(
                    "a vertex moved {} m in one step, and the scene is {} m wide",
                    number(displacement),
                    number(size)
                );
                (what, body)
            }
        };
        format!("{what}{}: {}", in_body(built, Some(body)), self.remedy(built))
    }
}

/// Body with most of the kinetic energy.
pub fn fastest(simulation: &Simulation) -> usize {
    let Simulation { state, system, .. } = simulation;
    let kinetic = |body: BodyId| -> f64 {
        let own = system.bodies.vertices(body);
        let moving = own.map(|v| system.masses.of()[v] * state.velocities[v].length_squared());
        moving.sum()
    };
    let all = system.bodies.ids().map(|body| (body.index(), kinetic(body)));
    all.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(body, _)| body)
}
