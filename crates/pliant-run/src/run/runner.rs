//! The loop of a run, and all that it writes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use pliant::body::obstacle::Obstacle;
use pliant::integrate::StepError;
use pliant::profile::Stage;
use pliant::record::body_row::body_energies;
use pliant::record::row::SeriesRow;
use pliant::snapshot::Snapshot;
use pliant::world::WorldError;
use pliant_scene::digest::digest;

use super::bodies::BodyTable;
use super::checkpoint::Checkpoint;
use super::contact_shape::{self, ContactMeasure};
use super::cpu_profiler::CpuProfiler;
use super::fields::FieldValues;
use super::folder::{
    self, CHECKPOINT, FINISHED, FolderError, INTERRUPTED, RECORDING, REPORT, RunDir, SCENE, SERIES,
    SUMMARY,
};
use super::identity::identity;
use super::lock::Lock;
use super::momentum::MomentumBudget;
use super::tables::{HasContacts, Table, TableError, Tables};
use super::verdicts::{End, Verdicts};
use super::{Progress, RunError, RunSettings, contacts, series};
use crate::recording::{Header, Writer};
use crate::summary::{ContactTally, Iterations, StageTimes, Summary};
use pliant_io::atomic_file;
use pliant_io::printable::printable_json;
use pliant_scene::loaded::LoadedScene;

/// Steps take at least this many times as long as the checkpoints between them.
const WORK_PER_CHECKPOINT: u32 = 20;

/// Depths up to this over the largest coordinate, m and at least 1, are the surface itself.
const SURFACE: f64 = 1e-9;

/// `ended` of a run that failed.
const FAILED: &str = "failed";

/// A run under way.
pub(super) struct Runner {
    built: LoadedScene,
    folder: PathBuf,
    settings: RunSettings,
    lock: Option<Lock>,
    identity: [u8; 32],
    /// Steps made.
    step: u64,
    /// The last step that was recorded, with its row.
    recorded: Option<(u64, SeriesRow)>,
    measure: ContactMeasure,
    momentum: MomentumBudget,
    profiler: Arc<CpuProfiler>,
    /// Time of the steps on the wall clock.
    wall: Duration,
    iterations: Iterations,
    verdicts: Verdicts,
    /// Why it failed.
    error: Option<String>,
    contact: ContactTally,
    tables: Tables,
    bodies: BodyTable,
    fields: FieldValues,
    /// Elastic energy of each body, J.
    elastic: Vec<f64>,
    /// The rows at hand as text.
    line: String,
    recording: Writer,
    snapshot: Snapshot,
    /// How long the last checkpoint took, and when the wall time of the steps was then.
    last_checkpoint: (Duration, Duration),
}

impl Runner {
    /// Begins with the first step.
    pub fn fresh(
        built: LoadedScene,
        folder: &Path,
        settings: RunSettings,
    ) -> Result<Runner, RunError> {
        let failed = |name: &str| {
            let path = folder.join(name);
            move |error| RunError::Write { path, error }
        };
        atomic_file::write(&folder.join(SCENE), built.resolved.as_bytes())
            .map_err(failed(SCENE))?;
        let tables = Tables::create(folder, has_contacts(&built))?;
        let header = Header {
            pliant: env!("CARGO_PKG_VERSION").to_string(),
            vertices: built.world.simulation().state.positions.len(),
            info: built.info.clone(),
        };
        let recording =
            Writer::create(&folder.join(RECORDING), &header).map_err(failed(RECORDING))?;
        let mut runner = Runner::new(built, folder, settings, tables, recording);
        runner.record()?;
        Ok(runner)
    }

    /// Resumes after a checkpoint.
    pub fn after(
        built: LoadedScene,
        folder: &Path,
        settings: RunSettings,
        checkpoint: Checkpoint,
    ) -> Result<Runner, RunError> {
        let damaged =
            |name: &str, what: String| FolderError::Damaged { path: folder.join(name), what };
        // All are looked at before any is cut.
        let mut tables = Tables::reopen(folder, has_contacts(&built), checkpoint.tables)?;
        let recording = Writer::resume(&folder.join(RECORDING), checkpoint.recording, &built.info)?;
        tables.cut()?;
        let mut runner = Runner::new(built, folder, settings, tables, recording);
        let simulation = runner.built.world.simulation_mut();
        let mut snapshot = Snapshot::from_numbers(checkpoint.numbers);
        let restored = runner.verdicts.restore(&mut snapshot);
        let restored = restored.and_then(|()| runner.bodies.restore(&mut snapshot));
        let restored = restored.and_then(|()| simulation.restore(&mut snapshot));
        restored.map_err(|error| damaged(CHECKPOINT, error.to_string()))?;
        folder::continue_run(folder, &runner.built, &runner.settings)?;
        runner.step = checkpoint.step;
        (runner.momentum.given, runner.momentum.largest) = (checkpoint.given, checkpoint.largest);
        runner.profiler = Arc::new(CpuProfiler::from_spent(checkpoint.stages));
        runner.built.world.simulation_mut().system.profiler = Some(runner.profiler.clone());
        runner.wall = Duration::from_nanos(checkpoint.wall);
        runner.last_checkpoint.1 = runner.wall;
        runner.iterations = checkpoint.iterations;
        runner.contact = checkpoint.contact;
        Ok(runner)
    }

    fn new(
        mut built: LoadedScene,
        folder: &Path,
        settings: RunSettings,
        tables: Tables,
        recording: Writer,
    ) -> Runner {
        built.world.set_threads(settings.threads.max(1));
        let profiler = Arc::new(CpuProfiler::default());
        let simulation = built.world.simulation_mut();
        simulation.system.profiler = Some(profiler.clone());
        let measure = ContactMeasure::new(simulation);
        let momentum = MomentumBudget::new(simulation, &built.info);
        let verdicts = Verdicts::new(simulation, built.info.dt);
        let (bodies, fields) = (BodyTable::new(&built), FieldValues::new(&built));
        Runner {
            identity: identity(&built),
            built,
            folder: folder.to_path_buf(),
            settings,
            lock: None,
            step: 0,
            recorded: None,
            measure,
            momentum,
            profiler,
            wall: Duration::ZERO,
            iterations: Iterations::default(),
            verdicts,
            error: None,
            contact: ContactTally::default(),
            tables,
            bodies,
            fields,
            elastic: Vec::new(),
            line: String::new(),
            recording,
            snapshot: Snapshot::default(),
            last_checkpoint: (Duration::ZERO, Duration::ZERO),
        }
    }

    /// Keeps the folder locked up to the end, and its notices for the summary.
    pub fn hold(&mut self, run_dir: RunDir) {
        self.built.notices.extend(run_dir.notices);
        self.lock = Some(run_dir.lock);
    }

    /// Refuses to write by name into a folder that has taken the place of ours.
    fn check_folder(&self) -> Result<(), RunError> {
        if self.lock.as_ref().is_none_or(Lock::is_in_place) {
            return Ok(());
        }
        let error = std::io::Error::other("the folder was removed or replaced during the run");
        Err(RunError::Write { path: self.folder.clone(), error })
    }

    /// Makes the remaining steps and writes the outputs.
    pub fn finish(mut self, progress: &mut dyn Progress) -> Result<Summary, RunError> {
        match self.run_loop(progress) {
            Ok(ended) => self.write_outputs(ended),
            Err(error) => {
                // The first error is the one to report; on a full disk these may fail as well.
                let is_step = matches!(error, RunError::Step { .. } | RunError::Absurd { .. });
                if is_step && self.recorded.is_none_or(|(step, _)| step != self.step) {
                    let _ = self.record();
                }
                self.error = Some(error.to_string());
                let _ = self.write_outputs(FAILED);
                Err(error)
            }
        }
    }

    /// Steps to the end, or until interrupted.
    fn run_loop(&mut self, progress: &mut dyn Progress) -> Result<&'static str, RunError> {
        let (steps, every) = (self.built.info.steps, self.built.info.record_every.max(1));
        progress.begin(self.step, steps);
        while self.step < steps {
            self.make_step()?;
            if self.step.is_multiple_of(every) {
                self.record()?;
            }
            let stop = progress.step(self.step).is_break() && self.step < steps;
            if stop || self.is_checkpoint_due() {
                self.write_checkpoint()?;
            }
            if stop {
                return Ok(INTERRUPTED);
            }
        }
        // For a run that is made longer later, which has no row of a step between two others.
        // Without it an earlier one serves, as it must where contacts are still to be written.
        let is_recorded = steps.is_multiple_of(every);
        let needs_contacts = self.tables.has(Table::Contacts) || self.fields.needs_contacts();
        if is_recorded || !needs_contacts {
            let _ = self.write_checkpoint();
        }
        if !is_recorded {
            self.record()?;
        }
        Ok(FINISHED)
    }

    fn make_step(&mut self) -> Result<(), RunError> {
        self.verdicts.begin(self.built.world.simulation());
        let start = Instant::now();
        let made = self.built.world.step();
        self.wall += start.elapsed();
        let report = made.map_err(|error| {
            let body = body_of(&error).map(|body| {
                let name = self.built.info.bodies.get(body).map_or("", |body| &body.name);
                format!("body {body} `{name}`")
            });
            RunError::Step { step: self.step + 1, body, error: Box::new(error) }
        })?;
        self.step += 1;
        let simulation = self.built.world.simulation();
        self.bodies.mark_step();
        self.momentum.add(simulation.external_impulses());
        self.iterations.add(&report);
        self.contact.add(&report);
        let judged = self.verdicts.step(simulation, &report, &self.built.obstacles);
        judged.map_err(|absurdity| RunError::Absurd {
            step: self.step,
            reason: self.verdicts.describe(&self.built, absurdity),
        })
    }

    fn row(&mut self) -> SeriesRow {
        let simulation = self.built.world.simulation();
        let overlap = self.measure.measure(simulation);
        let energy = body_energies(simulation, &mut self.elastic);
        SeriesRow::with_energy(simulation, overlap, energy)
    }

    /// Adds rows and a frame.
    fn record(&mut self) -> Result<(), RunError> {
        let mut row = self.row();
        let state = &self.built.world.simulation().state;
        (row.energy_input, row.unconverged) = self.verdicts.record(state.time, &row.overlap);
        self.momentum.look(self.built.world.simulation());
        series::write_line(&row, &mut self.line);
        self.tables.append(Table::Series, &self.line)?;
        let rows = self.bodies.rows(&self.built, &self.elastic, &self.measure);
        self.tables.append(Table::Bodies, rows)?;
        if self.tables.has(Table::Contacts) {
            contacts::rows(&self.built, &mut self.line);
            self.tables.append(Table::Contacts, &self.line)?;
        }
        let values = self.fields.compute(&self.built, &mut self.measure.bodies);
        let done = self.recording.push_with_fields(self.step, state.time, &state.positions, values);
        done.map_err(|error| self.write_error(RECORDING, error))?;
        self.recorded = Some((self.step, row));
        Ok(())
    }

    /// Whether it is time, and the steps since the last checkpoint were worth one.
    fn is_checkpoint_due(&self) -> bool {
        let (cost, at) = self.last_checkpoint;
        self.step.is_multiple_of(self.built.info.checkpoint_every.max(1))
            && self.step < self.built.info.steps
            && self.wall.saturating_sub(at) >= WORK_PER_CHECKPOINT * cost
    }

    /// Writes a checkpoint, after all that it counts is on the disk.
    fn write_checkpoint(&mut self) -> Result<(), RunError> {
        self.check_folder()?;
        let start = Instant::now();
        self.tables.sync()?;
        self.recording.sync().map_err(|error| self.write_error(RECORDING, error))?;
        self.snapshot.clear();
        self.verdicts.save(&mut self.snapshot);
        self.bodies.take_loads(self.built.world.simulation(), self.built.info.dt);
        self.bodies.save(&mut self.snapshot);
        self.built.world.simulation().save(&mut self.snapshot);
        let checkpoint = Checkpoint {
            identity: self.identity,
            step: self.step,
            tables: self.tables.extents(),
            recording: self.recording.extent(),
            iterations: self.iterations,
            contact: self.contact,
            wall: self.wall.as_nanos() as u64,
            stages: self.profiler.spent(),
            given: self.momentum.given,
            largest: self.momentum.largest,
            numbers: self.snapshot.numbers().to_vec(),
        };
        let done = checkpoint.write(&self.folder.join(CHECKPOINT));
        done.map_err(|error| self.write_error(CHECKPOINT, error))?;
        self.last_checkpoint = (start.elapsed(), self.wall);
        Ok(())
    }

    /// Writes index, report and summary, the summary last.
    fn write_outputs(mut self, ended: &str) -> Result<Summary, RunError> {
        self.check_folder()?;
        let summary = self.summary(ended);
        let (folder, report) = (self.folder.clone(), self.settings.report);
        let failed = |name: &str| {
            let path = folder.join(name);
            move |error| RunError::Write { path, error }
        };
        let rows = self.tables.sync().map_err(RunError::from);
        let frames = self.recording.finish().map_err(failed(RECORDING));
        if ended != FAILED {
            // After a failure the summary is tried all the same: it may be small enough.
            rows.and(frames)?;
        }
        if let Some(report) = report {
            let rows = series::read(&folder.join(SERIES)).map_err(failed(SERIES))?;
            let text = report(&folder, &self.built, &summary, &rows);
            let written = atomic_file::write(&folder.join(REPORT), text.as_bytes());
            written
                .map_err(failed(REPORT))
                .or_else(|e| if ended == FAILED { Ok(()) } else { Err(e) })?;
        }
        let json = serde_json::to_string_pretty(&summary)
            .map_err(|error| failed(SUMMARY)(error.into()))?;
        let json = printable_json(&json).into_owned() + "\n";
        atomic_file::write(&folder.join(SUMMARY), json.as_bytes()).map_err(failed(SUMMARY))?;
        Ok(summary)
    }

    fn summary(&mut self, ended: &str) -> Summary {
        let row = match self.recorded {
            Some((step, row)) if step == self.step => row,
            _ => self.row(),
        };
        let LoadedScene { world, info, notices, .. } = &self.built;
        let simulation = world.simulation();
        let wall_s = self.wall.as_secs_f64();
        // Not the state's own time: that is a sum, and rounded in every step.
        let simulated_s = self.step as f64 * info.dt;
        let spent = self.profiler.spent().map(|time| 1e-9 * time as f64);
        let stages = Stage::ALL.into_iter().zip(spent);
        let (obstacle_vertices, obstacle_depth) = in_obstacles(&self.built);
        let momentum_error = self.momentum.error(simulation);
        let time = simulated_s;
        let overlapping = self.measure.overlapping(simulation);
        let end = End { time, obstacle_vertices, obstacle_depth, momentum_error, overlapping };
        Summary {
            scene: info.scene.clone(),
            response: info.response.clone(),
            integrator: info.integrator.clone(),
            dt: info.dt,
            steps: self.step,
            simulated_s,
            cpu_s: spent[Stage::Step as usize],
            wall_s,
            realtime_factor: if wall_s > 0.0 { simulated_s / wall_s } else { 0.0 },
            threads: self.settings.threads.max(1),
            vertices: simulation.state.positions.len(),
            tets: simulation.system.bodies.tets().len(),
            kinetic: row.kinetic,
            elastic: row.elastic,
            rms_speed: row.rms_speed,
            max_speed: row.max_speed,
            penetrating_vertices: row.overlap.penetrating_vertices,
            edge_crossings: row.overlap.edge_crossings,
            max_depth: row.overlap.max_depth,
            inverted_tets: row.overlap.inverted_tets,
            obstacle_vertices,
            obstacle_depth,
            momentum_error,
            momentum_bodies: info.bodies.iter().filter(|body| !body.held).count(),
            digest: digest(&simulation.state),
            stages: StageTimes(
                stages.map(|(stage, time)| (stage.name().to_string(), time)).collect(),
            ),
            iterations: self.iterations,
            unconverged_steps: self.verdicts.unconverged_steps(),
            contact: self.contact,
            ended: ended.to_string(),
            error: self.error.clone(),
            warnings: self.verdicts.warnings(&self.built, end),
            notices: notices.clone(),
        }
    }

    fn write_error(&self, name: &str, error: std::io::Error) -> RunError {
        RunError::Write { path: self.folder.join(name), error }
    }
}

/// Whether the scene asks for the table of contacts.
fn has_contacts(built: &LoadedScene) -> HasContacts {
    if built.info.recorded.contacts { HasContacts::Yes } else { HasContacts::No }
}

impl From<TableError> for RunError {
    fn from(TableError { path, error }: TableError) -> RunError {
        RunError::Write { path, error }
    }
}

/// Vertices inside obstacles, and the depth of the deepest, m.
fn in_obstacles(built: &LoadedScene) -> (usize, f64) {
    let LoadedScene { world, obstacles, .. } = built;
    let state = &world.simulation().state;
    let (mut count, mut deepest) = (0, 0.0_f64);
    for point in &contact_shape::places(world.simulation()) {
        let depth = |obstacle: &Obstacle| -obstacle.at(state.time).distance(*point);
        let depth = obstacles.iter().map(depth).fold(0.0, f64::max);
        if depth > SURFACE * point.abs().max_element().max(1.0) {
            count += 1;
            deepest = deepest.max(depth);
        }
    }
    (count, deepest)
}

/// The body that an error is about.
fn body_of(error: &WorldError) -> Option<usize> {
    let WorldError::Step(error) = error else { return None };
    match error {
        StepError::NotFinite { body, .. }
        | StepError::Extreme { body, .. }
        | StepError::BadRigid { body }
        | StepError::Refused { body, .. }
        | StepError::NothingFree { body } => Some(body.index()),
        _ => None,
    }
}
