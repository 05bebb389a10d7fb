//! Overrides of values: `name=value`.

use std::ops::Range;

use super::diagnostic::{Diagnostic, DiagnosticKind, Place};
use super::node::{Entry, Node, Value, parse_value};
use pliant_io::suggest::nearest;

/// Puts the k-th of the settings into a scene; k counts from 1.
///
/// A declared parameter comes first; otherwise the name is a path of the scene, such as
/// `bodies.0.material.young`. A word for something that has kinds sets the kind: `integrator=rk4`
/// is `integrator.kind=rk4`. `keys` are those of the scene.
pub fn set(root: &mut Node, setting: &str, k: usize, keys: &[&str]) -> Result<(), Diagnostic> {
    let Some((name, value)) = setting.split_once('=') else {
        let place = Place { source: k, span: 0..setting.len() };
        let diagnostic =
            Diagnostic::new(DiagnosticKind::UnknownParameter, Some(place), "there is no `=`");
        return Err(diagnostic.with_help(Some("write name=value".into())));
    };
    let at_value = Place { source: k, span: within(setting, value) };
    let place = Place { source: k, span: within(setting, name) };
    let name = name.trim();
    let node = parse_value(value.trim(), &at_value)?;
    let parameters = root.get("parameters");
    if parameters.is_some_and(|declared| declared.get(name).is_some()) {
        return put(root, &["parameters", name], &place, node);
    }
    let steps: Vec<&str> = name.split('.').collect();
    let declared: Vec<&str> = names(root.get("parameters"));
    let new = steps[0] == "parameters" && !steps.get(1).is_some_and(|s| declared.contains(s));
    if keys.contains(&steps[0]) && !new {
        return put(root, &steps, &place, node);
    }
    let message = if steps[0] == "parameters" && steps.len() > 1 {
        format!("the scene declares no parameter `{}`", steps[1])
    } else {
        format!("the scene declares no parameter `{name}` and has no such key")
    };
    let meant = nearest(name, declared.iter().chain(keys).copied());
    let help = match meant {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if declared.is_empty() => "it declares no parameters".into(),
        None => format!("it declares {}", declared.join(", ")),
    };
    Err(Diagnostic::new(DiagnosticKind::UnknownParameter, Some(place), message)
        .with_help(Some(help)))
}

/// Where a part of a text stands in it, without the space around.
///
/// Of nothing but space, the whole part.
fn within(text: &str, part: &str) -> Range<usize> {
    let trimmed = if part.trim().is_empty() { part } else { part.trim() };
    let start = trimmed.as_ptr() as usize - text.as_ptr() as usize;
    start..start + trimmed.len()
}

/// Names of the entries of a table.
pub fn names(table: Option<&Node>) -> Vec<&str> {
    match table.map(|node| &node.value) {
        Some(Value::Table(entries)) => entries.iter().map(|entry| &*entry.name).collect(),
        _ => Vec::new(),
    }
}

/// Follows a path, making tables where there are none, and puts the value at its end.
fn put(root: &mut Node, steps: &[&str], place: &Place, value: Node) -> Result<(), Diagnostic> {
    let missing =
        |message: String| Diagnostic::new(DiagnosticKind::UnknownKey, Some(place.clone()), message);
    let mut node = root;
    for (depth, step) in steps.iter().enumerate() {
        let path = steps[..depth].join(".");
        let kind = node.kind();
        node = match &mut node.value {
            Value::List(items) => {
                let count = items.len();
                let found = step.parse::<usize>().ok().and_then(|index| items.get_mut(index));
                let message = || missing(format!("`{path}` has no entry {step}: it has {count}"));
                found.ok_or_else(message)?
            }
            Value::Table(entries) => {
                if !entries.iter().any(|entry| entry.name == *step) {
                    let node = Node { value: Value::Table(Vec::new()), place: place.clone() };
                    let name = (*step).to_owned();
                    entries.push(Entry { name, place: place.clone(), node });
                }
                let found = entries.iter_mut().find(|entry| entry.name == *step);
                let Some(entry) = found else { return Ok(()) };
                if depth + 1 == steps.len() {
                    entry.place = place.clone();
                }
                &mut entry.node
            }
            _ => return Err(missing(format!("`{path}` is {kind} and has no parts"))),
        };
    }
    let is_word = matches!(value.value, Value::Text(_));
    let has_kinds = node.get("kind").is_some() || steps == ["integrator"];
    match &mut node.value {
        Value::Table(entries) if is_word && has_kinds => {
            entries.retain(|entry| entry.name != "kind");
            entries.push(Entry { name: "kind".into(), place: place.clone(), node: value });
        }
        _ => *node = value,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "dt = 1\n[parameters]\noverlap = 0.5\n[[bodies]]\nname = \"a\"\n\
                        [bodies.material]\nkind = \"springs\"\n";

    fn after(setting: &str) -> Result<String, Diagnostic> {
        let mut root = Node::parse(TEXT, 0)?;
        set(&mut root, setting, 1, &["dt", "bodies", "integrator", "parameters", "record"])?;
        Ok(root.to_toml().to_string())
    }

    #[track_caller]
    fn check(setting: &str, expected: &str) {
        let found = after(setting).unwrap();
        assert!(found.contains(expected), "{setting}: {found}");
    }

    #[test]
    fn parameters_and_paths_are_set() {
        check("overlap=0.25", "overlap = 0.25");
        check("dt = 2", "dt = 2");
        check("bodies.0.name=b", "name = \"b\"");
        check("bodies.0.material.young=1e5", "young = 100000.0");
        check("record.every=5", "every = 5");
        check("parameters.overlap=3", "overlap = 3");
    }

    #[test]
    fn a_word_sets_the_kind() {
        check("integrator=rk4", "integrator = { kind = \"rk4\" }");
        check("bodies.0.material=solid", "kind = \"solid\"");
    }

    #[test]
    fn tables_and_lists_take_the_place_of_what_was_there() {
        check("integrator={kind=\"rk4\"}", "integrator = { kind = \"rk4\" }");
        check("integrator = { kind = \"bdf2\", newton = 3 }", "newton = 3");
        check("bodies.0.material={kind=\"solid\", young=2.0}", "young = 2.0");
        check("bodies.0.position=[1, 2, 3]", "position = [1, 2, 3]");
        let whole = after("bodies.0.material={young=2.0}").unwrap();
        assert!(!whole.contains("springs"), "{whole}");
    }

    #[test]
    fn faults_point_at_the_name_or_the_value_without_the_space_around() {
        let root = |setting: &str| {
            let mut root = Node::parse(TEXT, 0).unwrap();
            set(&mut root, setting, 1, &["dt", "bodies"]).map(|()| root)
        };
        for setting in ["dt=2", "dt = 2", "  dt  =  2  "] {
            let span = root(setting).unwrap().place_of("dt").span;
            assert_eq!(&setting[span], "2", "{setting:?}");
        }
        for setting in ["ot=2", " ot = 2"] {
            let span = root(setting).unwrap_err().place.unwrap().span;
            assert_eq!(&setting[span], "ot", "{setting:?}");
        }
        assert_eq!(root(" =2").unwrap_err().place.unwrap().span, 0..1);
    }

    #[test]
    fn what_is_not_declared_is_refused_with_the_nearest() {
        let reported = |setting: &str| {
            let diagnostic = after(setting).unwrap_err();
            (diagnostic.message, diagnostic.help.unwrap_or_default())
        };
        let (message, help) = reported("overlp=1");
        assert_eq!(message, "the scene declares no parameter `overlp` and has no such key");
        assert_eq!(help, "did you mean `overlap`?");
        assert_eq!(reported("colour=1").1, "it declares overlap");
        assert_eq!(reported("bodies.3.name=x").0, "`bodies` has no entry 3: it has 1");
        assert_eq!(reported("dt.x=1").0, "`dt` is an integer and has no parts");
        assert_eq!(reported("overlap").0, "there is no `=`");
        assert_eq!(reported("parameters.new=1").0, "the scene declares no parameter `new`");
    }
}
