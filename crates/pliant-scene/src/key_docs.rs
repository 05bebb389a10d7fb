//! Every key of a scene with its unit and default, as tables for the book.

use std::fmt::Write;

use serde_json::Value as Json;

use super::schema::{choices, kind, meant, properties, tag, words};

/// Tables in Markdown, made from the schema.
pub fn tables(schema: &Json) -> String {
    let mut text = String::new();
    table(&mut text, schema, schema, "The scene", schema);
    let definitions = schema.get("$defs").and_then(Json::as_object);
    for (name, definition) in definitions.into_iter().flatten() {
        let chosen: Vec<&Json> = choices(definition);
        if definition.get("properties").is_some() {
            table(&mut text, schema, definition, name, definition);
        } else if !words(definition).is_empty() {
            let _ = write!(
                text,
                "\n## {name}\n\n{}\n\n| word | meaning |\n|---|---|\n",
                about(definition)
            );
            for choice in chosen {
                let _ = writeln!(
                    text,
                    "| `\"{}\"` | {} |",
                    words(choice).join("\", \""),
                    about(choice)
                );
            }
        } else if chosen.iter().any(|choice| tag(choice).is_some()) {
            let _ = write!(text, "\n## {name}\n\n{}\n", about(definition));
            for choice in chosen {
                let title = format!("{name}, kind = \"{}\"", tag(choice).unwrap_or_default());
                table(&mut text, schema, choice, &title, choice);
            }
        }
    }
    text.trim_start().to_owned()
}

fn table(text: &mut String, root: &Json, schema: &Json, title: &str, described: &Json) {
    let level = if title.contains("kind = ") { "###" } else { "##" };
    let _ = write!(text, "\n{level} {title}\n\n{}\n", about(described));
    let keys: Vec<_> = properties(schema).filter(|(_, key)| key.get("const").is_none()).collect();
    if keys.is_empty() {
        return;
    }
    let _ = write!(text, "\n| key | type | default | meaning |\n|---|---|---|---|\n");
    let required = schema.get("required").and_then(Json::as_array);
    for (name, key) in keys {
        let needed = required.is_some_and(|list| list.iter().any(|other| other == name));
        let default = match key.get("default") {
            _ if needed => "required".to_owned(),
            None | Some(Json::Null) => "none".to_owned(),
            Some(Json::Object(_)) => "its own defaults".to_owned(),
            Some(default) => format!("`{default}`"),
        };
        let _ =
            writeln!(text, "| `{name}` | {} | {default} | {} |", type_of(root, key), about(key));
    }
}

fn type_of(root: &Json, schema: &Json) -> String {
    let named = |schema: &Json| {
        let name = schema.get("$ref").and_then(Json::as_str)?;
        let name = name.rsplit('/').next()?;
        Some(format!("[{name}](#{})", name.to_lowercase()))
    };
    if let Some(name) = named(schema) {
        return name;
    }
    if let [only] = choices(schema)[..] {
        return type_of(root, only);
    }
    let target = meant(root, schema);
    match kind(target) {
        "array" => {
            let items = target.get("items").map_or_else(String::new, |item| type_of(root, item));
            match target.get("maxItems").and_then(Json::as_u64) {
                Some(count) => format!("{count} × {items}"),
                None => format!("list of {items}"),
            }
        }
        "object" => {
            let values = target.get("additionalProperties").map(|values| type_of(root, values));
            format!("table of {}", values.unwrap_or_default())
        }
        "integer" => "integer".to_owned(),
        other => other.to_owned(),
    }
}

/// The description in one line.
fn about(schema: &Json) -> String {
    let text = schema.get("description").and_then(Json::as_str).unwrap_or_default();
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ").trim().replace('|', "\\|")
}
