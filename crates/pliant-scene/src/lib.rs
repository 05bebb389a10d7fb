//! Scenes: TOML in, a simulation out.
//!
//! ```text
//! text ─▶ node ─▶ overrides ─▶ resolve ─▶ schema ─▶ spec ─▶ build ─▶ LoadedScene
//!         places  `--set`      parameters keys and  types   bodies, forces,
//!                              evaluated  types             obstacles
//! ```
//!
//! Everything up to `build` keeps the places of the text, so that each error is shown in the
//! line where it occurs.

pub mod numeral;

pub mod loaded;

pub mod digest;

pub mod diagnostic;

mod random;

pub mod expression;

pub mod node;

pub mod overrides;

pub mod resolve;

pub mod spec;

pub mod schema;

mod ranges;

mod parameter_ranges;

pub mod key_docs;

mod aliases;

mod build;

pub mod builtin;

use serde::Deserialize;

pub use build::size::SceneSize;
pub use diagnostic::SceneError;
use diagnostic::{Diagnostic, DiagnosticKind, Sources};
use node::{Node, Value};
use spec::{Mesh, Scene, obstacle};

use pliant_io::files::Folder;

use crate::loaded::LoadedScene;

/// Errors of a scene that are shown: each is looked up in the text.
const MOST_SHOWN: usize = 100;

/// Builds a scene from its text, with overrides.
///
/// `stem` names a scene without a name; its files are relative to `folder`, or to the folder that it
/// names there.
pub fn load(sources: &Sources, stem: &str, folder: Folder<'_>) -> Result<LoadedScene, SceneError> {
    let shown = |diagnostics| shown(diagnostics, sources);
    let mut renamed = Vec::new();
    let (root, mut scene) = parse(sources, &mut renamed).map_err(shown)?;
    if scene.name.is_empty() {
        scene.name = stem.to_owned();
    }
    let own = folder.path.join(&scene.folder);
    let folder = Folder { path: &own, files: folder.files };
    let mut loaded = build::build(&mut scene, folder).map_err(|wrong| {
        let place = Some(root.place_of(&wrong.path)).filter(|_| !wrong.path.is_empty());
        let diagnostic = Diagnostic::new(wrong.kind, place, wrong.message).with_help(wrong.help);
        shown(vec![diagnostic])
    })?;
    scene.record = spec::Record {
        every: Some(loaded.info.record_every as u32),
        rate: None,
        checkpoint: Some(loaded.info.checkpoint_every as u32),
        ..scene.record
    };
    loaded.notices.splice(0..0, renamed);
    loaded.resolved = resolved(&scene, folder, &parameters(&root));
    let is_named = folder.files.absolute(folder.path).to_str().is_some();
    if !is_named && loaded.resolved.contains(char::REPLACEMENT_CHARACTER) {
        let notice = "the path of the scene is not UTF-8: as resolved, it does not find its files";
        loaded.notices.push(notice.to_owned());
    }
    Ok(loaded)
}

/// How large a scene would be; its files are not looked into, and nothing is built.
pub fn size(sources: &Sources) -> Result<SceneSize, SceneError> {
    let parsed = parse(sources, &mut Vec::new());
    let (_, scene) = parsed.map_err(|diagnostics| shown(diagnostics, sources))?;
    Ok(SceneSize::of(&scene))
}

/// Diagnostics with the lines that they are about, as many as are shown.
fn shown(mut diagnostics: Vec<Diagnostic>, sources: &Sources) -> SceneError {
    let more = diagnostics.len().saturating_sub(MOST_SHOWN);
    diagnostics.truncate(MOST_SHOWN);
    if more > 0 {
        let message = format!("{more} more errors are not shown");
        diagnostics.push(Diagnostic::new(DiagnosticKind::TooLarge, None, message));
    }
    let diagnostics = diagnostics.into_iter().map(|diagnostic| sources.show(diagnostic));
    SceneError { diagnostics: diagnostics.collect() }
}

/// The text as values with places, and as a scene.
fn parse(sources: &Sources, notices: &mut Vec<String>) -> Result<(Node, Scene), Vec<Diagnostic>> {
    let root = resolve_and_validate(sources, notices)?;
    let scene = Scene::deserialize(root.to_toml()).map_err(|error| {
        vec![Diagnostic::new(DiagnosticKind::Value, None, error.message().to_owned())]
    })?;
    Ok((root, scene))
}

/// The scene with all values resolved, checked against the schema.
fn resolve_and_validate(
    sources: &Sources,
    notices: &mut Vec<String>,
) -> Result<Node, Vec<Diagnostic>> {
    let mut root = Node::parse(&sources.text, 0).map_err(|diagnostic| vec![diagnostic])?;
    if matches!(&root.value, Value::Table(entries) if entries.is_empty()) {
        let message = "the scene is empty: it needs `duration`, `dt` and `bodies`";
        return Err(vec![Diagnostic::new(DiagnosticKind::MissingKey, None, message)]);
    }
    let schema = schema::plain();
    let mut keys = schema::top_keys(&schema);
    aliases::old_top_keys().for_each(|key| keys.push(key));
    aliases::rename(&mut root, notices);
    for (k, setting) in sources.sets.iter().enumerate() {
        overrides::set(&mut root, setting, k + 1, &keys).map_err(|diagnostic| vec![diagnostic])?;
        aliases::rename(&mut root, notices);
    }
    resolve::resolve(&mut root, &sources.text)?;
    let mut diagnostics = schema::check(&mut root, &schema);
    diagnostics.append(&mut ranges::check(&root, notices));
    if diagnostics.is_empty() {
        diagnostics = parameter_ranges::check(&root);
    }
    if diagnostics.is_empty() { Ok(root) } else { Err(diagnostics) }
}

/// Names and values of the parameters, as TOML writes them.
fn parameters(root: &Node) -> Vec<(String, String)> {
    match root.get("parameters").map(|node| &node.value) {
        Some(Value::Table(entries)) => {
            entries.iter().map(|e| (e.name.clone(), e.node.to_toml().to_string())).collect()
        }
        _ => Vec::new(),
    }
}

/// The scene as resolved: itself a scene, bitwise reproducible from any folder.
fn resolved(scene: &Scene, folder: Folder<'_>, parameters: &[(String, String)]) -> String {
    let mut scene = scene.clone();
    let full = |mesh: &mut Mesh| {
        if let Mesh::File { path, .. } | Mesh::Stuffed { path, .. } = mesh {
            let there = folder.files.absolute(&folder.path.join(&*path));
            *path = there.to_string_lossy().into_owned();
        }
    };
    if !scene.folder.is_empty() {
        scene.folder = folder.files.absolute(folder.path).to_string_lossy().into_owned();
    }
    for body in &mut scene.bodies {
        std::iter::once(&mut body.mesh).chain(&mut body.render_mesh).for_each(full);
    }
    scene.obstacles.iter_mut().for_each(|obstacle| each_mesh(&mut obstacle.shape, &full));
    let mut text = String::new();
    for (name, value) in parameters {
        // A parameter may hold anything; a comment ends with its line.
        text += &format!("# {name} = {}\n", value.replace(['\n', '\r'], " "));
    }
    text + &toml::to_string(&scene).unwrap_or_default()
}

fn each_mesh(shape: &mut obstacle::Shape, act: &impl Fn(&mut Mesh)) {
    match shape {
        obstacle::Shape::Mesh { mesh, .. } => act(mesh),
        obstacle::Shape::Union { parts } | obstacle::Shape::Intersection { parts } => {
            parts.iter_mut().for_each(|part| each_mesh(&mut part.shape, act));
        }
        _ => {}
    }
}
