//! Scenes that come with the program.

use super::node::{Node, Value};

/// A scene that needs no file.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// What it is called.
    pub name: &'static str,
    /// Its TOML.
    pub text: &'static str,
}

/// All of them, by name.
pub const ALL: &[BuiltIn] = &[
    BuiltIn { name: "assorted", text: include_str!("../../../scenes/assorted.toml") },
    BuiltIn { name: "balls-dropped", text: include_str!("../../../scenes/balls-dropped.toml") },
    BuiltIn { name: "block", text: include_str!("../../../scenes/block.toml") },
    BuiltIn { name: "box-on-block", text: include_str!("../../../scenes/box-on-block.toml") },
    BuiltIn { name: "cars", text: include_str!("../../../scenes/cars.toml") },
    BuiltIn { name: "crossing-bars", text: include_str!("../../../scenes/crossing-bars.toml") },
    BuiltIn {
        name: "cubes-on-membrane",
        text: include_str!("../../../scenes/cubes-on-membrane.toml"),
    },
    BuiltIn { name: "curtain", text: include_str!("../../../scenes/curtain.toml") },
    BuiltIn { name: "dice", text: include_str!("../../../scenes/dice.toml") },
    BuiltIn { name: "elasticities", text: include_str!("../../../scenes/elasticities.toml") },
    BuiltIn { name: "enclosed", text: include_str!("../../../scenes/enclosed.toml") },
    BuiltIn { name: "fine-on-coarse", text: include_str!("../../../scenes/fine-on-coarse.toml") },
    BuiltIn { name: "fruit-dish", text: include_str!("../../../scenes/fruit-dish.toml") },
    BuiltIn { name: "gears", text: include_str!("../../../scenes/gears.toml") },
    BuiltIn { name: "grip", text: include_str!("../../../scenes/grip.toml") },
    BuiltIn { name: "gripper", text: include_str!("../../../scenes/gripper.toml") },
    BuiltIn { name: "hammer", text: include_str!("../../../scenes/hammer.toml") },
    BuiltIn { name: "head-on", text: include_str!("../../../scenes/head-on.toml") },
    BuiltIn { name: "incline", text: include_str!("../../../scenes/incline.toml") },
    BuiltIn { name: "integrators", text: include_str!("../../../scenes/integrators.toml") },
    BuiltIn { name: "jelly", text: include_str!("../../../scenes/jelly.toml") },
    BuiltIn { name: "jelly-drop", text: include_str!("../../../scenes/jelly-drop.toml") },
    BuiltIn { name: "joints", text: include_str!("../../../scenes/joints.toml") },
    BuiltIn { name: "knot", text: include_str!("../../../scenes/knot.toml") },
    BuiltIn { name: "links", text: include_str!("../../../scenes/links.toml") },
    BuiltIn { name: "map", text: include_str!("../../../scenes/map.toml") },
    BuiltIn { name: "membrane-stack", text: include_str!("../../../scenes/membrane-stack.toml") },
    BuiltIn { name: "slab-on-block", text: include_str!("../../../scenes/slab-on-block.toml") },
    BuiltIn { name: "sphere-pile", text: include_str!("../../../scenes/sphere-pile.toml") },
    BuiltIn { name: "squeezed-sphere", text: include_str!("../../../scenes/squeezed-sphere.toml") },
    BuiltIn { name: "two-cubes", text: include_str!("../../../scenes/two-cubes.toml") },
    BuiltIn { name: "two-points", text: include_str!("../../../scenes/two-points.toml") },
    BuiltIn { name: "wavy", text: include_str!("../../../scenes/wavy.toml") },
];

/// Keys of the scene that every built-in one lets be set like parameters.
pub const COMMON: [&str; 4] = ["response", "integrator", "duration", "dt"];

/// The built-in scene of a name.
pub fn find(name: &str) -> Option<BuiltIn> {
    ALL.iter().copied().find(|scene| scene.name == name)
}

impl BuiltIn {
    /// The first line of its description.
    pub fn headline(&self) -> String {
        let root = Node::parse(self.text, 0).ok();
        let description = root.as_ref().and_then(|root| root.get("description"));
        match description.map(|node| &node.value) {
            Some(Value::Text(text)) => text.lines().next().unwrap_or_default().to_owned(),
            _ => String::new(),
        }
    }

    /// Names and values of its parameters, the common ones last.
    pub fn parameters(&self) -> Vec<(String, String)> {
        let Ok(root) = Node::parse(self.text, 0) else { return Vec::new() };
        let shown = |node: &Node| node.to_toml().to_string().trim_matches('"').to_owned();
        let mut all = Vec::new();
        if let Some(Node { value: Value::Table(entries), .. }) = root.get("parameters") {
            all.extend(entries.iter().map(|entry| (entry.name.clone(), shown(&entry.node))));
        }
        for name in COMMON {
            let node = root.get(name);
            let node = node.and_then(|node| node.get("kind").or(Some(node)));
            if all.iter().all(|(known, _)| known != name) {
                all.push((name.to_owned(), node.map_or_else(|| "none".into(), shown)));
            }
        }
        all
    }
}
