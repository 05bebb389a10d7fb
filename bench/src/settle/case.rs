//! One scene to its end: what its steps cost, whether they converged, what overlaps.

use pliant::record::overlap::Overlap;

use crate::engine::{Engine, Judge, Ours};

/// Results of one scene.
#[derive(Default)]
pub struct CaseRow {
    /// Of the scene or its variant.
    pub name: String,
    /// Number of vertices.
    pub vertices: usize,
    /// Steps that were made.
    pub steps: u64,
    /// Length of a step, s.
    pub dt: f64,
    /// CPU time of a step, mean and longest, s.
    pub time: [f64; 2],
    /// Iterations of the linear solver, mean of a step.
    pub linear: f64,
    /// Sweeps over the contacts of small bodies, mean of a step.
    pub sweeps: f64,
    /// Outer iterations over the contacts of large bodies, mean of a step.
    pub outer: f64,
    /// Steps whose contacts did not converge: all, and in the last second.
    pub unconverged: [u64; 2],
    /// Steps until nothing overlaps any more; none when something does in the end.
    pub free: Option<u64>,
    /// Steps after which something overlaps.
    pub overlapping: u64,
    /// Vertices inside other bodies at the worst step.
    pub most_inside: usize,
    /// The same in the end.
    pub inside: usize,
    /// Edges through triangles in the end, pairs.
    pub crossings: usize,
    /// Inverted tets in the end.
    pub inverted: usize,
    /// Root mean square of the speeds in the end, m/s.
    pub rms: f64,
    /// Why it ended early, if it did.
    pub error: Option<String>,
}

/// Steps a scene for `seconds`, or as long as it says; `after` sees every step of the last second.
pub fn run(
    name: &str,
    ours: &mut Ours,
    seconds: Option<f64>,
    mut after: impl FnMut(&Ours),
) -> CaseRow {
    let mut judge = Judge::of(&ours.built);
    let dt = ours.built.info.dt;
    let steps = (seconds.unwrap_or(ours.duration()) / dt).round().max(1.0) as u64;
    let per_second = dt.recip().round().max(1.0) as u64;
    let vertices = ours.state().positions.len();
    let mut row = CaseRow { name: name.to_owned(), vertices, dt, ..CaseRow::default() };
    row.judge(judge.overlap(&ours.state()));
    for step in 1..=steps {
        let is_last = step + per_second > steps;
        match row.step(ours) {
            Ok(unconverged) => {
                row.unconverged[0] += unconverged;
                row.unconverged[1] += u64::from(is_last) * unconverged;
                row.judge(judge.overlap(&ours.state()));
            }
            Err(error) => {
                row.error = Some(format!("step {step}: {error}"));
                break;
            }
        }
        if is_last {
            after(ours);
        }
        if step % per_second == 0 {
            row.report(judge.rms_speed(&ours.state()));
        }
    }
    row.rms = judge.rms_speed(&ours.state());
    let made = row.steps.max(1) as f64;
    row.time[0] /= made;
    (row.linear, row.sweeps, row.outer) = (row.linear / made, row.sweeps / made, row.outer / made);
    row
}

impl CaseRow {
    /// Makes a step and adds what it took; returns 1 when its contacts did not converge, else 0.
    fn step(&mut self, ours: &mut Ours) -> Result<u64, String> {
        let (time, report) = ours.reported_step()?;
        self.steps += 1;
        self.time = [self.time[0] + time, self.time[1].max(time)];
        self.linear += report.linear as f64;
        self.sweeps += report.sweeps as f64;
        self.outer += report.outer as f64;
        Ok(u64::from(report.unconverged > 0))
    }

    /// Takes in what overlaps after the steps so far.
    fn judge(&mut self, now: Overlap) {
        (self.inside, self.crossings) = (now.penetrating_vertices, now.edge_crossings);
        self.inverted = now.inverted_tets;
        self.most_inside = self.most_inside.max(self.inside);
        if self.inside > 0 || self.crossings > 0 {
            self.overlapping += 1;
            self.free = None;
        } else {
            self.free = self.free.or(Some(self.steps));
        }
    }

    /// A line on progress.
    fn report(&self, rms: f64) {
        eprintln!(
            "  {}: {:.0} s, {} inside, {} crossings, rms {rms:.5} m/s, {} of {} steps \
             unconverged, {:.1} ms a step",
            self.name,
            self.steps as f64 * self.dt,
            self.inside,
            self.crossings,
            self.unconverged[0],
            self.steps,
            1e3 * self.time[0] / self.steps as f64,
        );
    }
}
