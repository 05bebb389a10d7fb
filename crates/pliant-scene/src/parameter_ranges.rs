//! Parameters of a scene held against the ranges that the scene declares for them.
//!
//! Keys refuse values that they cannot have; a parameter feeds expressions, which turn an absurd
//! value into one that every key accepts. What its author knows to make sense stands in `ranges`.

use super::diagnostic::{Diagnostic, DiagnosticKind, Place};
use super::node::{Entry, Node, Value};
use pliant_io::suggest::nearest;

/// Every parameter outside of its range, and every range that is none.
///
/// The scene is resolved and fits its schema.
pub fn check(root: &Node) -> Vec<Diagnostic> {
    let parameters = entries(root.get("parameters"));
    let ranges = entries(root.get("ranges"));
    ranges.iter().filter_map(|range| wrong(range, parameters)).collect()
}

fn entries(table: Option<&Node>) -> &[Entry] {
    match table.map(|node| &node.value) {
        Some(Value::Table(entries)) => entries,
        _ => &[],
    }
}

fn wrong(range: &Entry, parameters: &[Entry]) -> Option<Diagnostic> {
    let name = &range.name;
    let report = |kind, place: &Place, message: String| {
        Some(Diagnostic::new(kind, Some(place.clone()), message))
    };
    let Some(parameter) = parameters.iter().find(|parameter| parameter.name == *name) else {
        let known = parameters.iter().map(|parameter| &*parameter.name);
        let help = nearest(name, known).map(|meant| format!("did you mean `{meant}`?"));
        let message = format!("a range of `{name}`, which is not among `parameters`");
        let found = report(DiagnosticKind::UnknownParameter, &range.place, message);
        return found.map(|found| found.with_help(help));
    };
    let [min, max] = ["min", "max"].map(|key| range.node.get(key).and_then(number));
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        let message = format!("the range of `{name}` is empty: {min} is more than {max}");
        return report(DiagnosticKind::Value, &range.node.place, message);
    }
    let Some(value) = number(&parameter.node) else {
        let message =
            format!("`{name}` is {}, and has a range: expected a number", parameter.node.kind());
        return report(DiagnosticKind::WrongType, &parameter.node.place, message);
    };
    let is_within = min.is_none_or(|min| value >= min) && max.is_none_or(|max| value <= max);
    let allowed = shown(min, max)?;
    let message = || format!("the parameter `{name}` is {value}: the scene takes {allowed}");
    if is_within { None } else { report(DiagnosticKind::Value, &parameter.node.place, message()) }
}

/// A range in words; `None` without an end.
pub fn shown(min: Option<f64>, max: Option<f64>) -> Option<String> {
    match (min, max) {
        (Some(min), Some(max)) => Some(format!("{min} to {max}")),
        (Some(min), None) => Some(format!("{min} and more")),
        (None, Some(max)) => Some(format!("at most {max}")),
        (None, None) => None,
    }
}

fn number(node: &Node) -> Option<f64> {
    match node.value {
        Value::Integer(number) => Some(number as f64),
        Value::Float(number) => Some(number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[parameters]\na = 1\nb = 0.5\nword = \"x\"\n";

    /// The messages, each with what it marks.
    fn checked(ranges: &str) -> Vec<(String, String)> {
        let text = format!("{TEXT}[ranges]\n{ranges}\n");
        let root = Node::parse(&text, 0).unwrap();
        let mark = |found: &Diagnostic| text[found.place.clone().unwrap().span].to_owned();
        check(&root).into_iter().map(|found| (mark(&found), found.message)).collect()
    }

    #[track_caller]
    fn refused(ranges: &str, marked: &str, message: &str) {
        assert_eq!(checked(ranges), [(marked.to_owned(), message.to_owned())]);
    }

    #[test]
    fn values_within_and_at_the_ends_pass() {
        for ranges in
            ["", "a = { min = 1 }", "a = { max = 1 }", "b = { min = 0.5, max = 0.5 }", "b = {}"]
        {
            assert_eq!(checked(ranges), [], "{ranges}");
        }
    }

    #[test]
    fn a_value_outside_is_marked_and_the_range_named() {
        let message = "the parameter `a` is 1: the scene takes 2 and more";
        refused("a = { min = 2 }", "1", message);
        refused("a = { max = 0.9 }", "1", "the parameter `a` is 1: the scene takes at most 0.9");
        let message = "the parameter `b` is 0.5: the scene takes -1 to 0.25";
        refused("b = { min = -1, max = 0.25 }", "0.5", message);
    }

    #[test]
    fn a_range_of_nothing_is_refused() {
        let message = "a range of `c`, which is not among `parameters`";
        refused("c = { min = 2 }", "c", message);
        let message = "the range of `a` is empty: 2 is more than 1";
        refused("a = { min = 2, max = 1 }", "{ min = 2, max = 1 }", message);
        let message = "`word` is a string, and has a range: expected a number";
        refused("word = { min = 2 }", "\"x\"", message);
    }
}
