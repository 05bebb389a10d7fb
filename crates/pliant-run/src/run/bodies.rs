//! `bodies.csv`: one row per body and obstacle for each recorded step.
//!
//! | column                        | meaning                                                      |
//! |-------------------------------|--------------------------------------------------------------|
//! | `time`                        | s                                                            |
//! | `body`                        | its name                                                     |
//! | `kind`                        | `soft`, `rigid`, `kinematic` (all vertices pinned), `obstacle` |
//! | `position_x` …                | centre of mass, m; of an obstacle its origin                 |
//! | `velocity_x` …                | of the centre of mass, m/s; of an obstacle its origin's      |
//! | `rotation_x` … `rotation_w`   | quaternion from the mesh as given, of rigid bodies           |
//! | `spin_x` …                    | angular velocity, rad/s, of rigid bodies                     |
//! | `kinetic`, `elastic`          | J                                                            |
//! | `contact_force_x` …           | sum over its contacts in the last step, friction included, N |
//! | `friction_force_x` …          | its part in the tangent planes of the contacts, N            |
//! | `contacts`                    | contacts that press                                          |
//! | `penetrating_vertices`        | its vertices inside other bodies, of what contact uses       |
//!
//! What is not known, or does not apply, is an empty cell, never 0. Forces are those of the step
//! that ends at `time`; there is none before the first. They are known where contacts are solved
//! with the step (response `constraint`), and their sum for bodies that only meet obstacles by
//! impulses. Every number reads back to the same f64.

use std::fmt::Write;

use pliant::body::obstacle::Obstacle;
use pliant::id::BodyId;
use pliant::math::Vec3;
use pliant::record::body_row::{BodyMotion, BodyMotionKind, motion_kinds};
use pliant::record::contact_load::{ContactLoad, ContactLoads};
use pliant::snapshot::{Snapshot, SnapshotError};
use pliant::step::Simulation;
use pliant::world::{BodyHandle, World};
use pliant_scene::loaded::{LoadedScene, RunInfo};

use super::cell::{name_cell, number_cell};
use super::contact_shape::ContactMeasure;

/// The columns, in order.
pub const COLUMNS: [&str; 26] = [
    "time",
    "body",
    "kind",
    "position_x",
    "position_y",
    "position_z",
    "velocity_x",
    "velocity_y",
    "velocity_z",
    "rotation_x",
    "rotation_y",
    "rotation_z",
    "rotation_w",
    "spin_x",
    "spin_y",
    "spin_z",
    "kinetic",
    "elastic",
    "contact_force_x",
    "contact_force_y",
    "contact_force_z",
    "friction_force_x",
    "friction_force_y",
    "friction_force_z",
    "contacts",
    "penetrating_vertices",
];

/// Numbers of a row after time, name and kind.
const NUMBERS: usize = COLUMNS.len() - 3;

/// What a number is that is not known; its cell is empty.
const UNKNOWN: Option<f64> = None;

/// The first line.
pub fn heading() -> String {
    COLUMNS.join(",") + "\n"
}

/// What is known of the forces of contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LoadSource {
    /// Contacts that are solved with the step.
    Rows,
    /// Impulses of obstacles after the step, whose friction and number are not known.
    Impulses,
    /// Nothing.
    Unknown,
}

/// Makes the rows; keeps its memory from step to step.
#[derive(Debug)]
pub(super) struct BodyTable {
    source: LoadSource,
    kinds: Vec<BodyMotionKind>,
    handles: Vec<BodyHandle>,
    /// Name and kind of each body and obstacle, between commas.
    labels: Vec<String>,
    loads: ContactLoads,
    /// Whether a step has been made since the start.
    has_loads: bool,
    /// Whether the loads are those of the last step.
    is_current: bool,
    /// Vertices of each body inside others.
    penetrating: Vec<usize>,
    /// The numbers of each row the last time, and its text behind the time.
    rows: Vec<([Option<f64>; NUMBERS], String)>,
    text: String,
}

impl BodyTable {
    /// The table of a scene before its first step.
    pub fn new(built: &LoadedScene) -> BodyTable {
        let simulation = built.world.simulation();
        let kinds = motion_kinds(simulation);
        let body = |(k, kind): (usize, &BodyMotionKind)| {
            let name = built.info.bodies.get(k).map_or(String::new(), |body| body.name.clone());
            format!(",{},{}", name_cell(&name), kind.name())
        };
        let obstacle = |k: usize| {
            let name = built.info.obstacles.get(k).map(|obstacle| obstacle.name.clone());
            format!(",{},obstacle", name_cell(&name.unwrap_or_else(|| format!("obstacle-{k}"))))
        };
        let labels: Vec<String> = kinds
            .iter()
            .enumerate()
            .map(body)
            .chain((0..built.obstacles.len()).map(obstacle))
            .collect();
        BodyTable {
            source: source(simulation, built),
            handles: built.world.bodies().collect(),
            rows: vec![([Some(f64::NAN); NUMBERS], String::new()); labels.len()],
            penetrating: vec![0; kinds.len()],
            kinds,
            labels,
            loads: ContactLoads::default(),
            has_loads: false,
            is_current: true,
            text: String::new(),
        }
    }

    /// A step was made, whose forces are summed up when they are asked for.
    pub fn mark_step(&mut self) {
        self.has_loads = true;
        self.is_current = false;
    }

    /// Sums up the forces of the last step.
    pub fn take_loads(&mut self, simulation: &Simulation, dt: f64) {
        if self.is_current {
            return;
        }
        self.is_current = true;
        match self.source {
            LoadSource::Rows => self.loads.update(simulation, dt),
            LoadSource::Impulses => self.take_impulses(simulation, dt),
            LoadSource::Unknown => {}
        }
    }

    /// Sums of the impulses of obstacles.
    fn take_impulses(&mut self, simulation: &Simulation, dt: f64) {
        let mut bodies = vec![ContactLoad::default(); self.kinds.len()];
        let mut all = ContactLoad::default();
        for (vertex, impulse) in simulation.external_impulses() {
            all.force -= *impulse / dt;
            let body = simulation.system.bodies.body_of(*vertex);
            if let Some(load) = bodies.get_mut(body.index()) {
                load.force += *impulse / dt;
            }
        }
        self.loads.set(bodies, vec![all]);
    }

    /// The rows of a recorded step; `elastic` has the energy of each body, J, and `measure` has
    /// just measured it.
    pub fn rows(&mut self, built: &LoadedScene, elastic: &[f64], measure: &ContactMeasure) -> &str {
        let simulation = built.world.simulation();
        self.take_loads(simulation, built.info.dt);
        measure.count_penetrating(simulation, &mut self.penetrating);
        let mut time = String::new();
        number_cell(simulation.state.time, &mut time);
        self.text.clear();
        for k in 0..self.rows.len() {
            let numbers = match k.checked_sub(self.kinds.len()) {
                None => self.body(&built.world, &built.info, elastic, k),
                Some(index) => self.obstacle(&built.obstacles[index], index, simulation.state.time),
            };
            // What sleeps, or never moves, has the same text as before.
            let (known, row) = &mut self.rows[k];
            if *known != numbers {
                *known = numbers;
                row.clear();
                row.push_str(&self.labels[k]);
                for number in numbers {
                    row.push(',');
                    number.into_iter().for_each(|number| number_cell(number, row));
                }
                row.push('\n');
            }
            let _ = write!(self.text, "{time}{row}");
        }
        &self.text
    }

    fn body(
        &self,
        world: &World,
        info: &RunInfo,
        elastic: &[f64],
        k: usize,
    ) -> [Option<f64>; NUMBERS] {
        let motion = BodyMotion::of(world.simulation(), BodyId(k as u32));
        let mut row = Row::default();
        row.vector(Some(motion.position));
        row.vector(Some(motion.velocity));
        // The front door counts rotations from the mesh, the engine from the axes of inertia.
        let pose = motion.rotation.and_then(|_| world.pose(*self.handles.get(k)?).ok());
        match pose {
            Some(pose) => pose.rotation.to_array().into_iter().for_each(|q| row.number(Some(q))),
            None => (0..4).for_each(|_| row.number(UNKNOWN)),
        }
        row.vector(motion.rotation.map(|(_, spin)| spin));
        row.number(Some(motion.kinetic));
        row.number(elastic.get(k).copied().filter(|energy| !energy.is_nan()));
        let held = info.bodies.get(k).is_none_or(|body| body.held);
        let is_known = self.has_loads && (self.source == LoadSource::Rows || !held);
        row.load(self.source, self.loads.bodies().get(k).filter(|_| is_known));
        row.number(self.penetrating.get(k).map(|count| *count as f64));
        row.numbers
    }

    fn obstacle(&self, obstacle: &Obstacle, k: usize, time: f64) -> [Option<f64>; NUMBERS] {
        let mut row = Row::default();
        let origin = obstacle.motion().pose(time).position;
        row.vector(Some(origin));
        row.vector(Some(obstacle.velocity_at(time, origin)));
        (0..9).for_each(|_| row.number(UNKNOWN));
        row.load(self.source, self.loads.obstacles().get(k).filter(|_| self.has_loads));
        row.number(UNKNOWN);
        row.numbers
    }

    /// Writes the forces, for a run that is resumed and ends without another step.
    pub fn save(&self, snapshot: &mut Snapshot) {
        snapshot.write(if self.has_loads { 1.0 } else { 0.0 });
        for loads in [self.loads.bodies(), self.loads.obstacles()] {
            snapshot.write(loads.len() as f64);
            for ContactLoad { force, friction, contacts } in loads {
                snapshot.write_vectors(&[*force, *friction]);
                snapshot.write(*contacts as f64);
            }
        }
    }

    /// Reads what [`BodyTable::save`] wrote.
    pub fn restore(&mut self, snapshot: &mut Snapshot) -> Result<(), SnapshotError> {
        const PART: &str = "forces of contact";
        self.has_loads = snapshot.read(PART)? != 0.0;
        let most = self.labels.len();
        let mut lists = [Vec::new(), Vec::new()];
        for list in &mut lists {
            let count = snapshot.read(PART)?;
            if !(0.0..=most as f64).contains(&count) {
                return Err(SnapshotError { part: PART });
            }
            for _ in 0..count as usize {
                let mut vectors = Vec::new();
                snapshot.read_vectors(PART, &mut vectors)?;
                let [force, friction] = vectors[..] else {
                    return Err(SnapshotError { part: PART });
                };
                let contacts = snapshot.read(PART)? as usize;
                list.push(ContactLoad { force, friction, contacts });
            }
        }
        let [bodies, obstacles] = lists;
        self.loads.set(bodies, obstacles);
        Ok(())
    }
}

/// Where the forces of contact can be read.
fn source(simulation: &Simulation, built: &LoadedScene) -> LoadSource {
    let LoadedScene { info, obstacles, .. } = built;
    match simulation.stepper.contact() {
        Some(contact) if contact.obstacles().len() == obstacles.len() => LoadSource::Rows,
        None if info.response == "none" && obstacles.len() == 1 => LoadSource::Impulses,
        _ => LoadSource::Unknown,
    }
}

/// Numbers of a row, filled from the left.
#[derive(Default)]
struct Row {
    numbers: [Option<f64>; NUMBERS],
    filled: usize,
}

impl Row {
    fn number(&mut self, value: Option<f64>) {
        if let Some(number) = self.numbers.get_mut(self.filled) {
            *number = value;
            self.filled += 1;
        }
    }

    fn vector(&mut self, value: Option<Vec3>) {
        for axis in 0..3 {
            self.number(value.map(|vector| vector[axis]));
        }
    }

    fn load(&mut self, source: LoadSource, load: Option<&ContactLoad>) {
        let load = load.filter(|_| source != LoadSource::Unknown);
        self.vector(load.map(|load| load.force));
        let split = load.filter(|_| source == LoadSource::Rows);
        self.vector(split.map(|load| load.friction));
        self.number(split.map(|load| load.contacts as f64));
    }
}
