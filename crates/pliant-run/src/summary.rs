//! The summary of a run, `summary.json`.

use std::fmt;

use pliant::integrate::StepReport;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The end of a run; other programs rely on the names.
///
/// JSON has no numbers that are not finite: of a run that diverged they are null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Name of the scene.
    pub scene: String,
    /// Contact response between bodies.
    pub response: String,
    /// Integrator.
    pub integrator: String,
    /// Time step, s.
    pub dt: f64,
    /// Steps made.
    pub steps: u64,
    /// Time simulated, s: `steps` times `dt`.
    #[serde(deserialize_with = "null_is_nan")]
    pub simulated_s: f64,
    /// CPU time of the steps, s; exact checks and writing are not in it.
    pub cpu_s: f64,
    /// Time of the steps on the wall clock, s; likewise.
    pub wall_s: f64,
    /// Seconds simulated per second on the wall clock.
    pub realtime_factor: f64,
    /// Threads.
    pub threads: usize,
    /// Vertices.
    pub vertices: usize,
    /// Tets.
    pub tets: usize,
    /// Energy of motion at the end, J.
    #[serde(deserialize_with = "null_is_nan")]
    pub kinetic: f64,
    /// Energy of what is bent, stretched or pressed at the end, J.
    #[serde(deserialize_with = "null_is_nan")]
    pub elastic: f64,
    /// Root of the mean square speed at the end, weighed by mass, m/s.
    #[serde(deserialize_with = "null_is_nan")]
    pub rms_speed: f64,
    /// Speed of the fastest vertex at the end, m/s.
    #[serde(deserialize_with = "null_is_nan")]
    pub max_speed: f64,
    /// Distinct vertices inside other bodies at the end.
    pub penetrating_vertices: usize,
    /// Pairs of a surface edge and a triangle of another body that it passes.
    pub edge_crossings: usize,
    /// Largest distance of a penetrating vertex to the surface it is behind, m.
    #[serde(deserialize_with = "null_is_nan")]
    pub max_depth: f64,
    /// Vertices inside obstacles.
    #[serde(default)]
    pub obstacle_vertices: usize,
    /// Largest depth of one of them, m.
    #[serde(default)]
    pub obstacle_depth: f64,
    /// Tets with a negative volume.
    pub inverted_tets: usize,
    /// Momentum drift: change that gravity and the impulses of obstacles do not explain.
    ///
    /// Over the largest Σ m|v| of all recorded steps and the last one. Both are of the bodies on
    /// which no other external force acts: pins, loads, drag, an attractor, penalties and barriers
    /// report no impulses, and may explain any change.
    #[serde(deserialize_with = "null_is_nan")]
    pub momentum_error: f64,
    /// Bodies whose momentum is checked; with none the error is 0.
    #[serde(default)]
    pub momentum_bodies: usize,
    /// BLAKE3 of the state at the end.
    pub digest: String,
    /// CPU time per stage, s; inner stages lie within `step`.
    pub stages: StageTimes,
    /// Iterations of all steps.
    pub iterations: Iterations,
    /// Steps whose contacts did not converge.
    #[serde(default)]
    pub unconverged_steps: u64,
    /// What contact took.
    pub contact: ContactTally,
    /// How the run ended: `finished`, `interrupted` or `failed`.
    pub ended: String,
    /// Why it failed.
    #[serde(default)]
    pub error: Option<String>,
    /// What went wrong without ending the run; `--strict` fails on it.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// Remarks on the input, one sentence each.
    pub notices: Vec<String>,
}

/// Something that went wrong without ending the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Warning {
    /// One word, see [`crate::run::verdicts`].
    pub kind: String,
    /// How often.
    pub count: u64,
    /// When first, s.
    pub first_time: f64,
    /// What happened and what to try.
    pub message: String,
}

/// Iterations of all steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iterations {
    /// Newton's method.
    pub newton: u64,
    /// Linear solver.
    pub linear: u64,
    /// Sweeps over contacts.
    pub sweeps: u64,
    /// Outer iterations over contacts.
    pub rounds: u64,
}

impl Iterations {
    /// Adds those of a step.
    pub fn add(&mut self, report: &StepReport) {
        self.newton += report.newton as u64;
        self.linear += report.linear as u64;
        self.sweeps += report.sweeps as u64;
        self.rounds += report.outer as u64;
    }
}

/// CPU time per stage, s, in the order of the stages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageTimes(pub Vec<(String, f64)>);

impl Serialize for StageTimes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, time)| (name, time)))
    }
}

impl<'de> Deserialize<'de> for StageTimes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<StageTimes, D::Error> {
        deserializer.deserialize_map(StageVisitor)
    }
}

/// Keeps the order of the file.
struct StageVisitor;

impl<'de> Visitor<'de> for StageVisitor {
    type Value = StageTimes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CPU times by stage")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<StageTimes, A::Error> {
        let mut list = Vec::new();
        while let Some((name, time)) = map.next_entry::<String, Option<f64>>()? {
            list.push((name, time.unwrap_or(f64::NAN)));
        }
        Ok(StageTimes(list))
    }
}

/// What contact took, over all steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactTally {
    /// Sweeps over the contacts of small bodies.
    pub sweeps: u64,
    /// Steps that were split into shorter ones: rejected or unconverged.
    pub steps_cut: u64,
    /// The same as `unconverged_steps`; kept for old readers.
    pub steps_loose: u64,
    /// Contacts in one step at most.
    pub most_contacts: u64,
    /// Vertices inside bodies without a known way out in one step at most.
    pub most_unresolved: u64,
}

impl ContactTally {
    /// Takes in a step.
    pub fn add(&mut self, report: &StepReport) {
        self.sweeps += report.sweeps as u64;
        self.steps_cut += u64::from(report.halvings > 0);
        self.steps_loose += u64::from(report.unconverged > 0);
        self.most_contacts = self.most_contacts.max(report.contact.contacts as u64);
        self.most_unresolved = self.most_unresolved.max(report.contact.unresolved as u64);
    }
}

fn null_is_nan<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}
