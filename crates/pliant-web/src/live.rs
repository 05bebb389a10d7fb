//! A scene that runs.

use std::path::Path;
use std::sync::Arc;

use pliant::force::deformation::von_mises;
use pliant::id::VertexId;
use pliant::integrate::StepReport;
use pliant::math::Vec3;
use pliant::record::fields::TetDeformations;
use pliant::record::row::SeriesRow;
use pliant::separate::{Manner, OverlapKind, SeparateSettings, Separation};
use pliant::world::{BodyHandle, GrabHandle, World};
use pliant_io::files::{Folder, Memory};
use pliant_plane::overlap::Measure;
use pliant_scene::diagnostic::Sources;
use pliant_scene::digest::digest;
use pliant_scene::loaded::LoadedScene;
use serde_json::{Map, Value, json};

use crate::command::{Iterations, Refusal, Separated, Stepped};
use crate::profiler::{Clock, StageClock};
use crate::recording::Recorder;

/// Tets of a scene at most: a page that takes more memory than a browser gives is of no use.
const MOST_TETS: f64 = 1e6;

/// Vertices of bodies without tets at most.
const MOST_VERTICES: f64 = 1e6;

/// A scene, where it is now, and what of it is held.
#[derive(Debug)]
pub struct Live {
    /// What it was loaded from.
    pub sources: Sources,
    /// The scene.
    pub scene: LoadedScene,
    /// Bodies by number.
    pub bodies: Vec<BodyHandle>,
    /// What is held by a hand.
    pub hand: Option<GrabHandle>,
    /// Rigid bodies that are held where they are.
    pub held: Vec<GrabHandle>,
    /// Pins of ours in soft bodies.
    pub pinned: Vec<(BodyHandle, VertexId)>,
    /// Frames that are being recorded.
    pub recorder: Option<Recorder>,
    /// Steps made since it was loaded.
    pub step: u64,
    measure: Measure,
    stages: Arc<StageClock>,
    now: Clock,
    depths: Vec<f64>,
    /// Made when the stress is first looked at.
    tets: Option<TetDeformations>,
}

impl Live {
    /// Builds a scene; one that is too large is refused before it is built.
    pub fn load(sources: Sources, files: &Memory, now: Clock) -> Result<Live, Refusal> {
        let size = pliant_scene::size(&sources).map_err(Refusal::new)?;
        if size.tets > MOST_TETS || size.vertices > MOST_VERTICES {
            let (count, what, most) = match size.tets > MOST_TETS {
                true => (size.tets, "tets", MOST_TETS),
                false => (size.vertices, "vertices", MOST_VERTICES),
            };
            return Err(Refusal::new(format!(
                "the scene has {count:.0} {what}, and this page runs up to {most:.0}; \
                 run it with the program: pliant run"
            )));
        }
        let stem = sources.name.split('.').next().unwrap_or("scene").to_owned();
        let folder = Folder { path: Path::new(""), files };
        let scene = pliant_scene::load(&sources, &stem, folder).map_err(Refusal::new)?;
        Ok(Live::new(sources, scene, now))
    }

    fn new(sources: Sources, mut scene: LoadedScene, now: Clock) -> Live {
        let stages = Arc::new(StageClock::new(now));
        let bodies = scene.world.bodies().collect();
        let measure = prepared(&mut scene.world, &stages);
        Live {
            sources,
            scene,
            bodies,
            hand: None,
            held: Vec::new(),
            pinned: Vec::new(),
            recorder: None,
            step: 0,
            measure,
            stages,
            now,
            depths: Vec::new(),
            tets: None,
        }
    }

    /// The same scene with other values set, where it is now; refused where it has other bodies.
    ///
    /// With a text, bodies may follow after those that are there now, at rest where it puts them.
    pub fn switch(
        &mut self,
        sets: Vec<String>,
        text: Option<String>,
        files: &Memory,
    ) -> Result<(), Refusal> {
        let may_grow = text.is_some();
        let text = text.unwrap_or_else(|| self.sources.text.clone());
        let sources = Sources { sets, text, name: self.sources.name.clone() };
        let mut other = Live::load(sources, files, self.now)?;
        let state = self.scene.world.simulation().state.clone();
        let fresh = &mut other.scene.world.simulation_mut().state;
        let fits = |fresh: usize, own: usize| fresh == own || may_grow && fresh > own;
        let same = fits(fresh.positions.len(), state.positions.len())
            && fits(fresh.rigids.len(), state.rigids.len());
        if !same {
            return Err(Refusal::new(
                "with these values the scene has other bodies: it must start over",
            ));
        }
        let count = state.positions.len();
        fresh.positions[..count].copy_from_slice(&state.positions);
        fresh.velocities[..count].copy_from_slice(&state.velocities);
        fresh.rigids[..state.rigids.len()].copy_from_slice(&state.rigids);
        fresh.time = state.time;
        other.step = self.step;
        // A recording has the same bodies in each frame.
        other.recorder = self.recorder.take().filter(|_| !may_grow);
        *self = other;
        Ok(())
    }

    /// Makes steps until so many are made, the time is up, or one fails.
    pub fn step(&mut self, count: u32, budget: f64) -> Stepped {
        let begin = (self.now)();
        let mut done = Stepped::default();
        for _ in 0..count {
            match self.scene.world.step() {
                Ok(report) => self.take(&report, &mut done),
                Err(error) => {
                    done.failed = Some(error.to_string());
                    break;
                }
            }
            if (self.now)() - begin > budget {
                break;
            }
        }
        done.time = self.scene.world.time();
        done.stages = self.stages.take();
        done
    }

    fn take(&mut self, report: &StepReport, done: &mut Stepped) {
        self.step += 1;
        done.steps += 1;
        done.unconverged += report.unconverged;
        done.contacts = report.contact.contacts;
        let StepReport { newton, linear, sweeps, outer, .. } = *report;
        done.iterations = Iterations { newton, linear, sweeps, outer };
        let every = self.scene.info.record_every.max(1);
        if let Some(recorder) = self.recorder.as_mut().filter(|_| self.step.is_multiple_of(every)) {
            recorder.push(self.step, &self.scene.world.simulation().state);
        }
    }

    /// Energy, momentum and overlap by name.
    pub fn measure(&mut self) -> Value {
        let simulation = self.scene.world.simulation();
        let overlap = self.measure.measure(&simulation.state.positions, &simulation.system.bodies);
        let row = SeriesRow::of(simulation, overlap);
        let named = SeriesRow::COLUMNS.iter().zip(row.values());
        Value::Object(
            named.map(|(name, value)| ((*name).to_owned(), json!(value))).collect::<Map<_, _>>(),
        )
    }

    /// Takes all bodies out of each other at once, as `pliant separate` does; velocities stay.
    pub fn separate(&mut self) -> Result<Separated, Refusal> {
        let done = self.scene.world.separate(&SeparateSettings::default());
        let Separation { before, left, gap, changes, .. } = done.map_err(Refusal::new)?.separation;
        let moved = changes.iter().map(|change| change.largest_movement).fold(0.0, f64::max);
        let soft = changes.iter().filter(|change| change.manner == Manner::Soft).count();
        let near = before.iter().filter(|pair| pair.kind == OverlapKind::Near).count();
        Ok(Separated { before: before.len(), near, left: left.len(), gap, moved, soft })
    }

    /// Fills von Mises stresses of all vertices, Pa: the mean of the tets around each.
    pub fn stresses(&mut self) -> Vec<f64> {
        let simulation = self.scene.world.simulation();
        let bodies = &simulation.system.bodies;
        let tets = self.tets.get_or_insert_with(|| TetDeformations::new(bodies));
        let mut sums = vec![(0.0, 0.0); simulation.state.positions.len()];
        tets.visit(simulation, |tet, deformation| {
            let stress = von_mises(deformation.cauchy());
            for vertex in bodies.tets()[tet] {
                let (sum, count) = &mut sums[vertex.index()];
                *sum += stress;
                *count += 1.0;
            }
        });
        sums.into_iter().map(|(sum, count): (f64, f64)| sum / count.max(1.0)).collect()
    }

    /// BLAKE3 of the state, as the program writes it.
    pub fn digest(&self) -> String {
        digest(&self.scene.world.simulation().state)
    }

    /// Depths of all vertices inside other bodies, m; NaN where they are not known.
    pub fn depths(&mut self) -> &[f64] {
        let simulation = self.scene.world.simulation();
        let (positions, bodies) = (&simulation.state.positions, &simulation.system.bodies);
        self.measure.measure(positions, bodies);
        self.measure.depths(positions, bodies, &mut self.depths);
        &self.depths
    }

    /// Whether all bodies are outlines.
    pub fn is_plane(&self) -> bool {
        self.scene.info.bodies.iter().all(|body| body.kind == "outline")
    }

    /// Positions of all vertices, m.
    pub fn positions(&self) -> &[Vec3] {
        &self.scene.world.simulation().state.positions
    }
}

/// Lets a world report its stages, and prepares for measuring its overlap.
fn prepared(world: &mut World, stages: &Arc<StageClock>) -> Measure {
    let simulation = world.simulation_mut();
    simulation.system.profiler = Some(stages.clone());
    let attached = simulation.system.rigids.attached_pairs();
    Measure::new(&simulation.state.positions, &simulation.system.bodies).leaving_out(attached)
}
