//! The JSON schema of scenes, and validation against it.
//!
//! The schema is made from the types in `spec`. Walking scene and schema side by side finds
//! every unknown key, missing key and wrong type with its place; serde alone would lose the
//! places inside of tagged tables.

use serde_json::{Map, Value as Json, json};

use super::diagnostic::{Diagnostic, DiagnosticKind, Place};
use super::node::{Entry, Node, Value};
use super::spec::Scene;
use pliant_io::suggest::nearest;

/// Types that an expression may stand for.
const EXPRESSED: [&str; 3] = ["number", "integer", "boolean"];

/// How an expression begins, as a regular expression.
const EXPRESSION: &str = "^=";

/// The schema for editors: numbers and words may be expressions too.
pub fn schema() -> Json {
    let mut schema = plain();
    allow_expressions(&mut schema);
    schema
}

/// The schema of resolved scenes.
pub fn plain() -> Json {
    schemars::schema_for!(Scene).to_value()
}

/// Keys at the top of a scene.
pub fn top_keys(schema: &Json) -> Vec<&str> {
    properties(schema).map(|(name, _)| name).collect()
}

/// Everything in a resolved scene that the schema does not allow.
///
/// Integers written as floats are converted where an integer is expected.
pub fn check(root: &mut Node, schema: &Json) -> Vec<Diagnostic> {
    let mut walk = Walk { schema, diagnostics: Vec::new() };
    let place = root.place.clone();
    walk.node(root, schema, &Place { source: 0, span: place.span.start..place.span.start });
    walk.diagnostics
}

fn allow_expressions(schema: &mut Json) {
    // One of several words, as opposed to tables, whose `kind` selects them.
    let is_word = schema.get("oneOf").is_some() && !words(schema).is_empty();
    match schema {
        Json::Object(map) => {
            let mut kinds: Vec<Json> = match map.get("type") {
                Some(Json::Array(kinds)) => kinds.clone(),
                kind => kind.into_iter().cloned().collect(),
            };
            if kinds.iter().any(|kind| EXPRESSED.iter().any(|name| kind == name)) {
                kinds.push(json!("string"));
                map.insert("type".into(), kinds.into());
                map.insert("pattern".into(), json!(EXPRESSION));
            }
            if let Some(Json::Array(choices)) = map.get_mut("oneOf").filter(|_| is_word) {
                choices.push(json!({ "type": "string", "pattern": EXPRESSION }));
            }
            map.values_mut().for_each(allow_expressions);
        }
        Json::Array(items) => items.iter_mut().for_each(allow_expressions),
        _ => {}
    }
}

pub(super) fn properties(schema: &Json) -> impl Iterator<Item = (&str, &Json)> {
    let properties = schema.get("properties").and_then(Json::as_object);
    properties.into_iter().flat_map(Map::iter).map(|(name, schema)| (&**name, schema))
}

/// What a schema stands for: references followed, "or nothing" left out.
pub(super) fn meant<'a>(root: &'a Json, mut schema: &'a Json) -> &'a Json {
    loop {
        let next = if let Some(name) = schema.get("$ref").and_then(Json::as_str) {
            name.strip_prefix('#').and_then(|path| root.pointer(path))
        } else {
            match &choices(schema)[..] {
                [only] => Some(*only),
                _ => None,
            }
        };
        match next {
            Some(next) => schema = next,
            None => return schema,
        }
    }
}

/// The alternatives of a schema, "nothing" left out.
pub(super) fn choices(schema: &Json) -> Vec<&Json> {
    let list = schema.get("oneOf").or(schema.get("anyOf")).and_then(Json::as_array);
    let some = |choice: &&Json| choice.get("type").and_then(Json::as_str) != Some("null");
    list.into_iter().flatten().filter(some).collect()
}

/// Fixed words that a schema allows; none when it is not an enumeration.
pub(super) fn words(schema: &Json) -> Vec<&str> {
    let word = |schema: &Json| schema.get("const").is_some();
    let choices = choices(schema);
    let listed = schema.get("enum").and_then(Json::as_array).into_iter().flatten();
    let listed = listed.filter_map(Json::as_str);
    if !choices.is_empty()
        && choices.iter().all(|choice| word(choice) || choice.get("enum").is_some())
    {
        return choices.into_iter().flat_map(words).collect();
    }
    listed.chain(schema.get("const").and_then(Json::as_str)).collect()
}

struct Walk<'a> {
    schema: &'a Json,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Walk<'a> {
    /// `above` is where the key stands, for what is missing within.
    fn node(&mut self, node: &mut Node, schema: &'a Json, above: &Place) {
        let schema = meant(self.schema, schema);
        let words = words(schema);
        if !words.is_empty() {
            return self.word(node, &words);
        }
        let choices = choices(schema);
        if !choices.is_empty() {
            return match choices.iter().any(|choice| tag(choice).is_some()) {
                true => self.tagged(node, &choices, above),
                false => self.untagged(node, &choices, above),
            };
        }
        match (kind(schema), &mut node.value) {
            ("object", Value::Table(_)) => self.table(node, schema, above),
            ("array", Value::List(_)) => self.list(node, schema),
            ("number", Value::Integer(_)) | ("string", Value::Text(_)) => {}
            ("boolean", Value::Flag(_)) => {}
            ("number", Value::Float(number)) if number.is_finite() => {}
            ("number" | "integer", Value::Float(number)) if !number.is_finite() => {
                let message = format!("the value is {number}: it must be finite");
                self.report(DiagnosticKind::Value, &node.place, message);
            }
            ("integer", Value::Integer(_) | Value::Float(_)) => self.whole(node, schema),
            (wanted, _) => {
                let message = format!("expected {}, found {}", article(wanted), node.kind());
                let is_text = matches!(node.value, Value::Text(_)) && EXPRESSED.contains(&wanted);
                let help = is_text.then(|| "an expression begins with `=`: \"=1/60\"".to_owned());
                let diagnostic =
                    Diagnostic::new(DiagnosticKind::WrongType, Some(node.place.clone()), message);
                self.diagnostics.push(diagnostic.with_help(help));
            }
        }
    }

    fn word(&mut self, node: &Node, words: &[&str]) {
        let known = || words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        let Value::Text(text) = &node.value else {
            let message = format!("expected one of the words {}, found {}", known(), node.kind());
            return self.report(DiagnosticKind::WrongType, &node.place, message);
        };
        if !words.contains(&&**text) {
            let help = match nearest(text, words.iter().copied()) {
                Some(meant) if words.len() > 1 => {
                    format!("did you mean `{meant}`? There are {}", known())
                }
                _ => format!("there is {}", known()),
            };
            let message = format!("unknown value `{text}`");
            let diagnostic =
                Diagnostic::new(DiagnosticKind::UnknownWord, Some(node.place.clone()), message);
            self.diagnostics.push(diagnostic.with_help(Some(help)));
        }
    }

    /// A table whose `kind` determines its other keys.
    fn tagged(&mut self, node: &mut Node, choices: &[&'a Json], above: &Place) {
        if !matches!(node.value, Value::Table(_)) {
            let message = format!("expected a table with a `kind`, found {}", node.kind());
            return self.report(DiagnosticKind::WrongType, &node.place, message);
        }
        let kinds: Vec<&str> = choices.iter().filter_map(|choice| tag(choice)).collect();
        match node.get("kind") {
            None => {
                let help = format!("one of {}", kinds.join(", "));
                let diagnostic = Diagnostic::new(
                    DiagnosticKind::MissingKey,
                    Some(above.clone()),
                    "missing key `kind`",
                );
                self.diagnostics.push(diagnostic.with_help(Some(help)));
            }
            Some(Node { value: Value::Text(kind), .. }) if kinds.contains(&&**kind) => {
                let kind = kind.clone();
                let chosen = choices.iter().find(|choice| tag(choice) == Some(&kind));
                if let Some(chosen) = chosen {
                    self.table(node, chosen, above);
                }
            }
            Some(other) => {
                let other = other.clone();
                self.word(&other, &kinds);
            }
        }
    }

    /// One of several types: the first that fits decides.
    fn untagged(&mut self, node: &mut Node, choices: &[&'a Json], above: &Place) {
        let fits = |wanted: &str| match node.value {
            Value::Table(_) => wanted == "object",
            Value::List(_) => wanted == "array",
            Value::Text(_) => wanted == "string",
            Value::Integer(_) | Value::Float(_) => matches!(wanted, "number" | "integer"),
            Value::Flag(_) => wanted == "boolean",
        };
        let root = self.schema;
        let kind_of = |choice: &&'a Json| kind(meant(root, choice));
        match choices.iter().find(|choice| fits(kind_of(choice))) {
            Some(chosen) => self.node(node, chosen, above),
            None => {
                let wanted: Vec<_> = choices.iter().map(|c| article(kind_of(c))).collect();
                let message = format!("expected {}, found {}", wanted.join(" or "), node.kind());
                self.report(DiagnosticKind::WrongType, &node.place, message);
            }
        }
    }

    fn table(&mut self, node: &mut Node, schema: &'a Json, above: &Place) {
        let Value::Table(entries) = &mut node.value else { return };
        let any = schema.get("additionalProperties").filter(|any| any.is_object());
        let known: Vec<(&str, &Json)> = properties(schema).collect();
        let required = schema.get("required").and_then(Json::as_array).into_iter().flatten();
        for name in required.filter_map(Json::as_str) {
            if entries.iter().all(|entry| entry.name != name) {
                let near = entries.iter().map(|entry| &*entry.name);
                let near = nearest(name, near.filter(|n| known.iter().all(|(k, _)| k != n)));
                let help = near.map(|near| format!("`{near}` may be meant for it"));
                let message = format!("missing key `{name}`");
                let diagnostic =
                    Diagnostic::new(DiagnosticKind::MissingKey, Some(above.clone()), message);
                self.diagnostics.push(diagnostic.with_help(help));
            }
        }
        for Entry { name, place, node } in entries {
            match known.iter().find(|(key, _)| key == name).map(|(_, schema)| *schema).or(any) {
                Some(schema) => self.node(node, schema, place),
                None => self.unknown_key(name, node, place, &known),
            }
        }
    }

    fn unknown_key(&mut self, name: &str, node: &Node, place: &Place, known: &[(&str, &Json)]) {
        let keys: Vec<&str> = known.iter().map(|(key, _)| *key).collect();
        let fits = |schema: &Json| holds(kind(meant(self.schema, schema)), node);
        let alike = known.iter().filter(|(_, schema)| fits(schema)).map(|(key, _)| *key);
        let meant = in_other_number(name, &keys).or(nearest(name, alike));
        let help = match meant.or(nearest(name, keys.iter().copied())) {
            Some(meant) if matches!(&node.value, Value::List(items) if is_tables(items)) => {
                format!("did you mean `[[{meant}]]`?")
            }
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("known here are {}", keys.join(", ")),
        };
        let message = format!("unknown key `{name}`");
        let diagnostic = Diagnostic::new(DiagnosticKind::UnknownKey, Some(place.clone()), message);
        self.diagnostics.push(diagnostic.with_help(Some(help)));
    }

    fn list(&mut self, node: &mut Node, schema: &'a Json) {
        let Value::List(items) = &mut node.value else { return };
        let bound = |name: &str| schema.get(name).and_then(Json::as_u64);
        let count = items.len() as u64;
        if let (Some(least), Some(most)) = (bound("minItems"), bound("maxItems"))
            && !(least..=most).contains(&count)
        {
            let message = format!("expected {least} values, found {count}");
            return self.report(DiagnosticKind::WrongType, &node.place, message);
        }
        if let Some(schema) = schema.get("items") {
            for item in items {
                let place = item.place.clone();
                self.node(item, schema, &place);
            }
        }
    }

    /// An integer within its range.
    fn whole(&mut self, node: &mut Node, schema: &Json) {
        let number = match node.value {
            Value::Integer(number) => number as f64,
            Value::Float(number) => number,
            _ => return,
        };
        let bound = |name: &str, other| schema.get(name).and_then(Json::as_f64).unwrap_or(other);
        let (least, most) = (bound("minimum", 0.0), bound("maximum", f64::from(u32::MAX)));
        if number.fract() != 0.0 || !(least..=most).contains(&number) {
            let message = format!("expected an integer from {least} to {most}, found {number}");
            return self.report(DiagnosticKind::WrongType, &node.place, message);
        }
        node.value = Value::Integer(number as i64);
    }

    fn report(&mut self, kind: DiagnosticKind, place: &Place, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(kind, Some(place.clone()), message));
    }
}

/// Whether a value may be of a type of the schema.
fn holds(kind: &str, node: &Node) -> bool {
    match node.value {
        Value::Table(_) => kind == "object" || kind == "nothing",
        Value::List(_) => kind == "array",
        Value::Text(_) => true, // a word, or an expression for anything
        Value::Integer(_) | Value::Float(_) => kind == "number" || kind == "integer",
        Value::Flag(_) => kind == "boolean",
    }
}

fn is_tables(items: &[Node]) -> bool {
    items.iter().all(|item| matches!(item.value, Value::Table(_)))
}

/// The key that is the plural or the singular of a word.
fn in_other_number<'a>(word: &str, keys: &[&'a str]) -> Option<&'a str> {
    let plural = |one: &str| match one.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{one}s"),
    };
    keys.iter().copied().find(|key| *key == plural(word) || plural(key) == word)
}

/// The word for `kind` that chooses a table.
pub(super) fn tag(schema: &Json) -> Option<&str> {
    schema.pointer("/properties/kind/const").and_then(Json::as_str)
}

/// The expected type; "or nothing" is left out.
pub(super) fn kind(schema: &Json) -> &str {
    match schema.get("type") {
        Some(Json::String(kind)) => kind,
        Some(Json::Array(kinds)) => {
            let some = kinds.iter().filter_map(Json::as_str).find(|kind| *kind != "null");
            some.unwrap_or("nothing")
        }
        _ => "nothing",
    }
}

fn article(kind: &str) -> &'static str {
    match kind {
        "object" => "a table",
        "array" => "a list",
        "string" => "a string",
        "integer" => "an integer",
        "number" => "a number",
        "boolean" => "a boolean",
        _ => "nothing",
    }
}
