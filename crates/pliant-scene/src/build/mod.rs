//! A scene made into bodies, forces and obstacles.

mod shape;

mod stuffed;

mod carried;

mod pattern;

pub mod size;

mod bodies;

mod material;

mod inertia;

mod preset;

mod rigid;

mod joints;

mod attach;

mod outline;

mod external_loads;

mod shapes;

mod obstacles;

mod render_mesh;

mod contact;

mod integrator;

mod assembly;

use pliant_io::files::Folder;

use std::sync::Arc;

use assembly::SceneAssembly;
use pliant::math::{Quat, Vec3};
use pliant::step::Simulation;
use pliant::world::{World, WorldError};

use super::diagnostic::DiagnosticKind;
use super::spec;
use crate::loaded::{LoadedScene, Recorded, RunInfo};

/// Steps of a run at most.
const MOST_STEPS: f64 = 1e9;

/// How far the time of all steps may be from the duration, relative, for rounding.
const WHOLE: f64 = 1e-9;

/// Rows and frames per simulated second when the scene does not say, Hz.
const RATE: f64 = 60.0;

/// An error in the value at a path of the scene.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{path}: {message}")]
pub struct BuildError {
    /// Such as `bodies.0.mesh.size`.
    pub path: String,
    /// Its kind.
    pub kind: DiagnosticKind,
    /// One clause, lower case.
    pub message: String,
    /// Suggested fix, one clause.
    pub help: Option<String>,
}

impl BuildError {
    /// A value that cannot be.
    fn value(path: impl Into<String>, message: impl ToString) -> BuildError {
        BuildError::new(DiagnosticKind::Value, path, message)
    }

    #[expect(clippy::needless_pass_by_value, reason = "takes errors and texts alike")]
    fn new(kind: DiagnosticKind, path: impl Into<String>, message: impl ToString) -> BuildError {
        BuildError { path: path.into(), kind, message: message.to_string(), help: None }
    }

    fn with_help(self, help: impl Into<String>) -> BuildError {
        BuildError { help: Some(help.into()), ..self }
    }
}

/// Makes a scene whose mesh files count from a folder; what it leaves open is put in.
///
/// The resolved text is left empty.
pub fn build(scene: &mut spec::Scene, folder: Folder<'_>) -> Result<LoadedScene, BuildError> {
    check_name(&scene.name)?;
    let steps = steps(scene)?;
    let (record_every, checkpoint_every) = intervals(scene)?;
    let is_silent = scene.response.is_none();
    outline::choose(scene)?;
    contact::choose(scene)?;
    let tissue: Vec<bool> = scene.bodies.iter().map(preset::is_tissue).collect();
    preset::choose(scene);
    shapes::choose(scene)?;
    let mut notices = Vec::new();
    let mut world = World::new();
    world.set_gravity(vector(scene.gravity)).map_err(|e| BuildError::value("gravity", e))?;
    world.set_time_step(scene.dt).map_err(|error| BuildError::value("dt", error))?;
    let groups = bodies::add(scene, folder, &mut world, &mut notices)?;
    for ((body, group), is_tissue) in scene.bodies.iter().zip(&groups).zip(tissue) {
        let is_tissue = if is_tissue { preset::IsTissue::Yes } else { preset::IsTissue::No };
        notices.extend(preset::odd_size(body, &group.rest, is_tissue));
    }
    let infos = Arc::new(bodies::infos(scene, &groups));
    let carried = carried::all(&groups);
    let start: Vec<Vec3> = starts(&world)?;
    let obstacles = obstacles::make(scene, folder, &start, &mut notices)?;
    let assembly = SceneAssembly::new(scene, groups, infos.clone(), obstacles.list.clone());
    let found = assembly.findings();
    world.set_assembly(assembly);
    world.assemble().map_err(from_world)?;
    let found = found.take();
    notices.extend(found.notices);
    let warnings = found.warnings.into_iter().filter(|_| is_silent).collect();
    let mut infos = infos.to_vec();
    infos.iter_mut().zip(found.held).for_each(|(info, held)| info.held = held);
    let info = RunInfo {
        scene: scene.name.clone(),
        response: word(&contact::chosen(scene)),
        integrator: word(&scene.integrator.kind),
        dt: scene.dt,
        steps,
        record_every,
        checkpoint_every,
        description: scene.description.clone(),
        gravity: scene.gravity,
        bodies: infos,
        obstacles: obstacles.skins,
        recorded: recorded(&scene.record, &world)?,
        carried,
    };
    // What no step can work with is better told now, with the scene at hand.
    let Simulation { state, system, .. } = world.simulation();
    if let Err(error) = system.check_step(state, scene.dt) {
        return Err(BuildError::value("bodies", error));
    }
    if let Err(error) = system.check_state(state.motion(), "the start") {
        return Err(BuildError::value("bodies", error));
    }
    notices.extend(cut_short(scene, steps));
    let (resolved, obstacles) = (String::new(), obstacles.list);
    Ok(LoadedScene { world, info, resolved, notices, warnings, obstacles })
}

/// Positions of all bodies, m.
fn starts(world: &World) -> Result<Vec<Vec3>, BuildError> {
    let mut all = Vec::new();
    for body in world.bodies() {
        all.extend_from_slice(world.positions(body).map_err(from_world)?);
    }
    Ok(all)
}

/// What a world refuses, at its place in the scene where that is known.
fn from_world(error: WorldError) -> BuildError {
    from_world_at("bodies", error)
}

/// The same, at a path where its place is not known.
fn from_world_at(path: &str, error: WorldError) -> BuildError {
    let own = match &error {
        WorldError::Assembly(error) | WorldError::Material(error) => error.downcast_ref(),
        _ => None,
    };
    own.cloned().unwrap_or_else(|| BuildError::value(path, error))
}

/// The word that a key's value is written as.
fn word(value: &impl serde::Serialize) -> String {
    match toml::Value::try_from(value) {
        Ok(toml::Value::String(word)) => word,
        _ => String::new(),
    }
}

/// The name becomes that of a folder: it must not lead anywhere else.
fn check_name(name: &str) -> Result<(), BuildError> {
    let leads = name.contains(['/', '\\', '\0']) || name == "." || name == "..";
    if name.is_empty() || leads {
        let message = format!("the scene is called `{name}`: its name must be a valid folder name");
        return Err(BuildError::new(DiagnosticKind::Name, "name", message));
    }
    Ok(())
}

fn steps(scene: &spec::Scene) -> Result<u64, BuildError> {
    let spec::Scene { dt, duration, .. } = *scene;
    for (key, what, value) in [("dt", "time step", dt), ("duration", "duration", duration)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(BuildError::value(
                key,
                format!("the {what} is {value} s: it must be positive"),
            ));
        }
    }
    let steps = (duration / dt).round().max(1.0);
    if steps > MOST_STEPS {
        let message =
            format!("{duration} s in steps of {dt} s are {steps:e} steps: at most {MOST_STEPS:e}");
        return Err(BuildError::new(DiagnosticKind::TooLarge, "duration", message));
    }
    Ok(steps as u64)
}

/// Notice on a duration that is not a multiple of the time step.
fn cut_short(scene: &spec::Scene, steps: u64) -> Option<String> {
    let spec::Scene { dt, duration, .. } = *scene;
    let simulated = steps as f64 * dt;
    let is_off = (simulated - duration).abs() > WHOLE * duration;
    is_off.then(|| {
        format!("duration {duration} s is not a multiple of dt {dt} s: simulating {simulated} s")
    })
}

/// What is recorded beyond the usual; a field comes once.
fn recorded(record: &spec::Record, world: &World) -> Result<Recorded, BuildError> {
    let spec::Record { contacts, tets, ref fields, .. } = *record;
    for (k, field) in fields.iter().enumerate() {
        if fields[..k].contains(field) {
            let message = format!("the field `{}` is named twice", word(field));
            return Err(BuildError::value(format!("record.fields.{k}"), message));
        }
    }
    let has_tets = tets || fields.iter().any(|field| field.is_of_tets());
    let all = world.simulation().system.bodies.tets().iter().filter(|_| has_tets);
    let tets = all.map(|tet| tet.map(|vertex| vertex.0)).collect();
    Ok(Recorded { contacts, tets, fields: fields.clone() })
}

/// Steps from row to row, and from checkpoint to checkpoint.
fn intervals(scene: &spec::Scene) -> Result<(u64, u64), BuildError> {
    let spec::Record { every, rate, checkpoint, .. } = scene.record;
    let per = |rate: f64| u64::from((rate * scene.dt).recip().round().max(1.0) as u32);
    let positive = |path: &str, count: u32| match count {
        0 => Err(BuildError::value(path, "0 steps: it must be at least 1")),
        count => Ok(u64::from(count)),
    };
    let every = match (every, rate) {
        (Some(_), Some(_)) => {
            return Err(BuildError::value(
                "record.rate",
                "`every` and `rate` cannot both be given",
            ));
        }
        (Some(every), None) => positive("record.every", every)?,
        (None, Some(rate)) if rate > 0.0 => per(rate),
        (None, Some(rate)) => {
            return Err(BuildError::value(
                "record.rate",
                format!("the rate is {rate} Hz: it must be positive"),
            ));
        }
        (None, None) => per(RATE),
    };
    let checkpoint = checkpoint.map(|count| positive("record.checkpoint", count)).transpose()?;
    Ok((every, checkpoint.unwrap_or(per(1.0))))
}

fn vector(values: [f64; 3]) -> Vec3 {
    Vec3::from(values)
}

/// The rotation of an axis times an angle, rad.
fn rotation(values: [f64; 3]) -> Quat {
    Quat::from_scaled_axis(Vec3::from(values))
}
