//! Keys of contact between bodies.

use pliant::respond::constraint::ConstraintSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Contact between bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Response {
    /// Bodies pass through each other.
    None,
    /// Contacts with friction, solved together with the materials; overlap is left by moving
    /// whole bodies. Needs `implicit-euler` with `newton` 0.
    Constraint,
}

/// What the response is made of: lengths are per size of the smaller body, which is the
/// shortest side of its box at rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Contact {
    /// Coulomb's coefficient between bodies, unit 1; at least 0.
    pub friction: f64,
    /// Gap at which contact begins, per size, unit 1; positive.
    pub offset: f64,
    /// How far ahead contacts of fast bodies are looked for, per size, unit 1; at least 0.
    pub look_ahead: f64,
    /// Most that a gap below `offset` is opened in a step, per size, unit 1; at least 0.
    pub push: f64,
}

impl Default for Contact {
    fn default() -> Contact {
        let ConstraintSettings { contacts, push } = ConstraintSettings::default();
        let (friction, margin) = (contacts.friction, contacts.margin);
        Contact { friction, offset: margin.offset, look_ahead: margin.look_ahead, push }
    }
}
