//! Scenes: text, settings from outside, expressions, and the first steps of what was accepted.

use std::path::{Path, PathBuf};

use pliant_io::files::{Folder, Memory as MemoryFiles};
use pliant_io::printable;
use pliant_scene::diagnostic::Sources;
use pliant_scene::digest::digest;
use pliant_scene::expression::evaluate;
use pliant_scene::loaded::LoadedScene;
use pliant_scene::{SceneError, SceneSize, builtin, load, size};

use super::{Memory, Reading, Target};
use crate::judge::message_problem;

/// Tets, and vertices of bodies without, of a scene that is built at most.
///
/// Larger ones are legal up to millions; building one takes longer than an input may, and shows
/// no more than a small one.
const MOST_BUILT: f64 = 1e5;

/// Vertices of a scene that is stepped at most.
const MOST_STEPPED: usize = 300;

/// Steps made of it.
const STEPS: usize = 3;

/// The scene that settings are put into.
const BASE: &str = "two-cubes";

/// All targets of scenes.
pub const ALL: [Target; 4] = [
    Target { seeds: scene_seeds, ..target("scene", scene) },
    Target { seeds: set_seeds, ..target("set", set) },
    Target { seeds: expression_seeds, memory: Memory::SMALL, ..target("expression", expression) },
    Target { seeds: step_seeds, ..target("step", step) },
];

const fn target(name: &'static str, read: super::Read) -> Target {
    Target { name, seeds: Vec::new, ending: "", repair: None, memory: Memory::SCENE, read }
}

/// Loads a scene; one that is too large to be built is refused.
fn loaded(text: &str, sets: &[&str]) -> Result<LoadedScene, String> {
    let sets = sets.iter().map(|set| (*set).to_owned()).collect();
    let sources = Sources { name: "a.toml".into(), text: text.into(), sets };
    let built = match size(&sources) {
        Ok(SceneSize { tets, vertices }) if tets.max(vertices) > MOST_BUILT => {
            return Err(format!("{tets} tets and {vertices} vertices are too many to fuzz"));
        }
        Ok(_) => build(&sources),
        Err(error) => Err(error),
    };
    built.map_err(|error| shown(&error))
}

fn build(sources: &Sources) -> Result<LoadedScene, SceneError> {
    let mesh = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    let outline = b"[[0,0],[1,0],[1,1],[0,1]]";
    let files = vec![("a.obj".into(), mesh.to_vec()), ("a.json".into(), outline.to_vec())];
    let files = MemoryFiles { files };
    load(sources, "a", Folder { path: &PathBuf::new(), files: &files })
}

fn scene(input: &[u8], _: &Path) -> Reading {
    let Ok(text) = std::str::from_utf8(input) else {
        return Reading::Refused("not UTF-8".to_string());
    };
    judged(loaded(text, &[]))
}

/// Each line is a setting of one scene.
fn set(input: &[u8], _: &Path) -> Reading {
    let Ok(text) = std::str::from_utf8(input) else {
        return Reading::Refused("not UTF-8".to_string());
    };
    let base = builtin::find(BASE).map_or("", |scene| scene.text);
    judged(loaded(base, &text.lines().collect::<Vec<_>>()))
}

fn judged(read: Result<LoadedScene, String>) -> Reading {
    match read {
        Err(message) => Reading::Refused(message),
        Ok(scene) => Reading::Accepted(Box::new(move || resolves_to_itself(&scene))),
    }
}

/// The first error that cannot be shown, otherwise all as they are.
fn shown(error: &SceneError) -> String {
    let all = error.diagnostics.iter().map(ToString::to_string);
    all.into_iter().find(|one| message_problem(one).is_some()).unwrap_or_else(|| error.to_string())
}

/// Whether a scene as resolved is the same scene.
fn resolves_to_itself(scene: &LoadedScene) -> Result<(), String> {
    let remarks = scene.notices.iter().chain(&scene.warnings);
    if let Some(problem) = remarks.into_iter().find_map(|remark| message_problem(remark)) {
        return Err(format!("a notice is wrong: {problem}"));
    }
    let again = loaded(&scene.resolved, &[]);
    let again = again.map_err(|message| format!("as resolved it is refused: {message}"))?;
    if digest(&again.world.simulation().state) != digest(&scene.world.simulation().state) {
        return Err("as resolved it is another scene".to_string());
    }
    Ok(())
}

fn expression(input: &[u8], _: &Path) -> Reading {
    let Ok(text) = std::str::from_utf8(input) else {
        return Reading::Refused("not UTF-8".to_string());
    };
    let mut lookup = |name: &str| match name {
        "bad" => Err("is a text".to_string()),
        _ if name.len() < 5 => Ok(Some(2.5)),
        _ => Ok(None),
    };
    match evaluate(text, &mut lookup) {
        Ok(value) => Reading::Accepted(Box::new(move || match value.is_finite() {
            true => Ok(()),
            false => Err(format!("evaluates to {value}")),
        })),
        Err(error) if text.get(error.span.clone()).is_none() => {
            let message = format!("{:?} is no part of {} bytes", error.span, text.len());
            Reading::Accepted(Box::new(move || Err(message)))
        }
        // Scenes show it so.
        Err(error) => Reading::Refused(printable::message(&error.message).into_owned()),
    }
}

/// The first steps of a small scene.
fn step(input: &[u8], _: &Path) -> Reading {
    let Ok(text) = std::str::from_utf8(input) else {
        return Reading::Refused("not UTF-8".to_string());
    };
    let mut scene = match loaded(text, &[]) {
        Ok(scene) => scene,
        Err(message) => return Reading::Refused(message),
    };
    let count = scene.world.simulation().state.positions.len();
    if count > MOST_STEPPED {
        return Reading::Refused(format!("{count} vertices"));
    }
    for _ in 0..STEPS {
        if let Err(error) = scene.world.step() {
            return Reading::Refused(error.to_string());
        }
    }
    let finite = scene.world.simulation().state.positions.iter().all(|point| point.is_finite());
    Reading::Accepted(Box::new(move || match finite {
        true => Ok(()),
        false => Err("a step leads to positions that are not finite".to_string()),
    }))
}

/// Materials, responses and shapes that built-in scenes have only in large bodies.
const SMALL: [&str; 4] = [
    include_str!("../../seeds/soft.toml"),
    include_str!("../../seeds/springs.toml"),
    include_str!("../../seeds/rigid.toml"),
    include_str!("../../seeds/cloth.toml"),
];

fn scene_seeds() -> Vec<Vec<u8>> {
    let all = builtin::ALL.iter().map(|scene| scene.text);
    all.chain(SMALL).map(Into::into).collect()
}

/// Those that are small enough to be stepped.
fn step_seeds() -> Vec<Vec<u8>> {
    let is_small = |text: &&str| {
        let count = loaded(text, &[]).map(|scene| scene.world.simulation().state.positions.len());
        count.is_ok_and(|count| count <= MOST_STEPPED)
    };
    let all = builtin::ALL.iter().map(|scene| scene.text);
    all.chain(SMALL).filter(is_small).map(Into::into).collect()
}

fn set_seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = vec![
        b"integrator=rk4\nresponse=none\n".to_vec(),
        b"bodies.0.material.young=1e5\nbodies.0.position=[0, 0, 1]\n".to_vec(),
        b"bodies.1.mesh={kind=\"icosahedron\",radius=0.5}\ngravity=[0,0,-1]\n".to_vec(),
        b"contact.friction=\"=1/3\"\nobstacles=[]\nduration=0.1\ndt=0.01\nseed=7\n".to_vec(),
    ];
    if let Some(scene) = builtin::find(BASE) {
        let lines = scene.parameters().into_iter().map(|(name, value)| format!("{name}={value}\n"));
        seeds.extend(lines.map(String::into_bytes));
    }
    seeds
}

fn expression_seeds() -> Vec<Vec<u8>> {
    let texts = [
        "1 - a / 2",
        "-2^2^-1 + sqrt(abs(-4)) * (x - y)",
        "min(1, 2, max(3, sin(0.5) − cos(1e3)))",
        "random(3, 7) * tan(pi) + atan(1e308)",
        "b + ab-c * .5e-3",
    ];
    texts.map(Into::into).to_vec()
}
