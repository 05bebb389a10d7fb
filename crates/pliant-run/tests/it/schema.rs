//! Scenes as they are written, held against the schema as editors read it.
//!
//! The check is a plain reading of JSON Schema, apart from the walk that `load` makes: that one
//! sees scenes only after expressions are worked out.

use pliant_scene::{builtin, schema};
use serde_json::{Value, json};

/// Why a value does not fit a schema; `None` when it does.
fn misfit(root: &Value, schema: &Value, value: &Value, path: &str) -> Option<String> {
    let list = |key: &str| schema.get(key).and_then(Value::as_array);
    let fits = |choice: &&Value| misfit(root, choice, value, path).is_none();
    let named = schema.get("$ref").and_then(Value::as_str);
    let named = named.map(|name| root.pointer(name.trim_start_matches('#')).unwrap());
    if let Some(why) = named.and_then(|schema| misfit(root, schema, value, path)) {
        return Some(why);
    }
    let kinds = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.clone(),
        kind => kind.into_iter().cloned().collect(),
    };
    let of_kind = kinds.is_empty() || kinds.iter().any(|kind| is_of(value, kind.as_str().unwrap()));
    let pattern = schema.get("pattern").and_then(Value::as_str);
    let one_of = list("oneOf").is_none_or(|choices| choices.iter().filter(fits).count() == 1);
    let any_of = list("anyOf").is_none_or(|choices| choices.iter().any(|choice| fits(&choice)));
    let least = schema.get("minimum").and_then(Value::as_f64).unwrap_or(f64::NEG_INFINITY);
    let good = [
        of_kind,
        schema.get("const").is_none_or(|word| word == value),
        list("enum").is_none_or(|words| words.contains(value)),
        // The only pattern there is.
        pattern.is_none_or(|p| p == "^=" && value.as_str().is_none_or(|t| t.starts_with('='))),
        one_of,
        any_of,
        value.as_f64().is_none_or(|number| number >= least),
    ];
    if let Some(rule) = good.iter().position(|good| !good) {
        return Some(format!("{path}: rule {rule} is broken by {value}"));
    }
    match value {
        Value::Object(entries) => {
            let keys = schema.get("properties").and_then(Value::as_object);
            let closed = schema.get("additionalProperties") == Some(&json!(false));
            let missing = list("required").into_iter().flatten().filter_map(Value::as_str);
            let missing = missing.filter(|key| !entries.contains_key(*key)).map(str::to_owned);
            let odd = entries.keys().find(|key| closed && !keys.unwrap().contains_key(*key));
            if let Some(key) = missing.into_iter().next().or(odd.cloned()) {
                return Some(format!("{path}: `{key}` is missing or not known"));
            }
            entries.iter().find_map(|(key, value)| {
                let schema = keys?.get(key)?;
                misfit(root, schema, value, &format!("{path}.{key}"))
            })
        }
        Value::Array(items) => {
            let count = |key: &str| schema.get(key).and_then(Value::as_u64);
            let length = items.len() as u64;
            if count("minItems").is_some_and(|least| length < least)
                || count("maxItems").is_some_and(|most| length > most)
            {
                return Some(format!("{path}: {length} items"));
            }
            let each = schema.get("items")?;
            items.iter().find_map(|item| misfit(root, each, item, &format!("{path}.[]")))
        }
        _ => None,
    }
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("`{other}` is no type of JSON"),
    }
}

/// The text of a scene as JSON, expressions and all.
fn json_of(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
}

#[test]
fn built_in_scenes_fit_the_schema_as_they_are_written() {
    let schema = schema::schema();
    for scene in builtin::ALL {
        assert_eq!(misfit(&schema, &schema, &json_of(scene.text), scene.name), None);
    }
}

#[test]
fn what_does_not_fit_is_found() {
    let schema = schema::schema();
    let scene = json_of(builtin::find("dice").unwrap().text);
    for (place, value) in [
        ("/dt", json!("0.01")),
        ("/dt", json!(null)),
        ("/bodies/0/pattern/seed", json!(-1)),
        ("/bodies/0/pattern/counts", json!([1, 1])),
        ("/bodies/0/material/kind", json!("=kind")),
        ("/bodies/0", json!({ "name": "a" })),
        ("/response", json!("bounce")),
    ] {
        let mut other = scene.clone();
        *other.pointer_mut(place).unwrap() = value;
        assert!(misfit(&schema, &schema, &other, "").is_some(), "{place}");
    }
    let mut other = scene;
    other["durration"] = json!(1);
    assert!(misfit(&schema, &schema, &other, "").is_some());
}
