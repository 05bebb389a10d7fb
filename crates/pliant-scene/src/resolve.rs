//! Parameters resolved: every string that begins with `=` becomes its value.

use std::collections::BTreeMap;

use super::diagnostic::{Diagnostic, DiagnosticKind, Place};
use super::expression::{evaluate, lone_name};
use super::node::{Node, Value, settle};
use pliant_io::suggest::nearest;

/// Names that stand for each other at most: bounds the stack.
const MOST_CHAINED: usize = 32;

/// Keys of the scene that expressions may name beside the parameters.
const OWN: [&str; 3] = ["dt", "duration", "seed"];

/// Evaluates all expressions; reports all errors.
///
/// Afterwards `parameters` holds plain values.
pub fn resolve(root: &mut Node, text: &str) -> Result<(), Vec<Diagnostic>> {
    let mut names = Names { list: BTreeMap::new(), text, chained: 0, blamed: None };
    for key in OWN {
        names.list.extend(root.get(key).map(|node| (key.to_owned(), node.clone())));
    }
    // A parameter comes before a key of the scene with its name.
    if let Some(Node { value: Value::Table(entries), .. }) = root.get("parameters") {
        names.list.extend(entries.iter().map(|e| (e.name.clone(), e.node.clone())));
    }
    let mut diagnostics = Vec::new();
    names.replace(root, &mut diagnostics);
    if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics) }
}

struct Names<'a> {
    /// What each stands for, as written.
    list: BTreeMap<String, Node>,
    /// The scene file.
    text: &'a str,
    chained: usize,
    /// Where a value was set from outside that no expression can use.
    blamed: Option<Place>,
}

impl Names<'_> {
    fn replace(&mut self, node: &mut Node, diagnostics: &mut Vec<Diagnostic>) {
        match &mut node.value {
            Value::Table(entries) => {
                entries.iter_mut().for_each(|entry| self.replace(&mut entry.node, diagnostics));
            }
            Value::List(items) => items.iter_mut().for_each(|item| self.replace(item, diagnostics)),
            Value::Text(text) if text.starts_with('=') => match self.value(node) {
                Ok(value) => {
                    let place = node.place.clone();
                    *node = value;
                    settle(node, &place);
                }
                Err(diagnostic) => diagnostics.push(*diagnostic),
            },
            _ => {}
        }
    }

    /// What a node stands for, itself unless it is an expression.
    fn value(&mut self, node: &Node) -> Result<Node, Box<Diagnostic>> {
        let Some(formula) = formula(node) else { return Ok(node.clone()) };
        if let Some(name) = lone_name(formula)
            && let Some(named) = self.list.get(name)
        {
            if let Value::List(_) | Value::Table(_) = named.value {
                // Copied wherever it is named, a long list would fill the memory.
                let message = format!("`{name}` is {}, which no expression can name", named.kind());
                return Err(self.refused(node, message));
            }
            let named = named.clone();
            return self.follow(&named).map_err(|message| self.refused(node, message));
        }
        let error = match evaluate(formula, &mut |name| self.number(name)) {
            Ok(number) => {
                return Ok(Node { value: Value::Float(number), place: node.place.clone() });
            }
            Err(error) => error,
        };
        let within = self.place_within(node, error.span);
        let place = Some(self.blamed.take().unwrap_or(within));
        let known = self.list.keys().map(String::as_str);
        let help = error.unknown.and_then(|name| nearest(&name, known).map(str::to_owned));
        let help = help.map(|meant| format!("did you mean `{meant}`?"));
        Err(Box::new(
            Diagnostic::new(DiagnosticKind::Expression, place, error.message).with_help(help),
        ))
    }

    /// The value of something named; the error is a clause.
    fn follow(&mut self, named: &Node) -> Result<Node, String> {
        self.chained += 1;
        if self.chained > MOST_CHAINED {
            self.chained = 0;
            let message = "the parameters refer to each other in a cycle, or through more than";
            return Err(format!("{message} {MOST_CHAINED} names"));
        }
        let value = self.value(named).map_err(|diagnostic| diagnostic.message);
        self.chained = self.chained.saturating_sub(1);
        value
    }

    fn number(&mut self, name: &str) -> Result<Option<f64>, String> {
        let Some(named) = self.list.get(name) else { return Ok(None) };
        if let Value::List(_) | Value::Table(_) = named.value {
            return Err(format!("`{name}` is {}, not a number", named.kind()));
        }
        let named = named.clone();
        let node = self.follow(&named)?;
        // Cached, so that each is evaluated once however often it is named.
        if let Some(known) = self.list.get_mut(name) {
            *known = node.clone();
        }
        let message = match node.value {
            Value::Integer(number) => return Ok(Some(number as f64)),
            Value::Float(number) if number.is_finite() => return Ok(Some(number)),
            Value::Float(number) => format!("`{name}` is {number}: it must be finite"),
            _ => format!("`{name}` is {}, not a number", node.kind()),
        };
        if node.place.source > 0 {
            self.blamed = Some(node.place);
        }
        Err(message)
    }

    fn refused(&self, node: &Node, message: String) -> Box<Diagnostic> {
        Box::new(Diagnostic::new(DiagnosticKind::Expression, Some(node.place.clone()), message))
    }

    /// The place of a part of an expression; of the whole string where escapes hide it.
    fn place_within(&self, node: &Node, span: std::ops::Range<usize>) -> Place {
        let Place { source, span: whole } = node.place.clone();
        // After the quote and the equals sign.
        let start = whole.start + 2;
        let formula = formula(node).unwrap_or_default();
        let plain = source == 0 && self.text.get(start..start + formula.len()) == Some(formula);
        if !plain || span.is_empty() {
            return node.place.clone();
        }
        Place { source, span: start + span.start..start + span.end }
    }
}

/// The text behind the equals sign.
fn formula(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Text(text) => text.strip_prefix('='),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(text: &str) -> Result<String, Vec<Diagnostic>> {
        let mut root = Node::parse(text, 0).unwrap();
        resolve(&mut root, text)?;
        Ok(root.to_toml().to_string())
    }

    #[test]
    fn expressions_become_values_everywhere() {
        let text = "dt = 0.5\nx = [0, \"=1 - overlap\"]\nkind = \"=which\"\n[parameters]\n\
                    overlap = \"=half / 2\"\nhalf = 0.5\nwhich = \"rk4\"\n[a]\nb = \"=dt * 4\"\n";
        let found = resolved(text).unwrap();
        for expected in ["x = [0, 0.75]", "kind = \"rk4\"", "overlap = 0.25", "b = 2.0"] {
            assert!(found.contains(expected), "{expected}: {found}");
        }
    }

    #[test]
    fn faults_point_into_the_expression() {
        let text = "a = \"=1 + overlp\"\nb = \"=2 *\"\n[parameters]\noverlap = 1\n";
        let diagnostics = resolved(text).unwrap_err();
        assert_eq!(diagnostics.len(), 2);
        assert_eq!(&text[diagnostics[0].place.clone().unwrap().span], "overlp");
        assert_eq!(diagnostics[0].help.as_deref(), Some("did you mean `overlap`?"));
        assert_eq!(&text[diagnostics[1].place.clone().unwrap().span], "2 *");
        // An escape shifts letters: the whole string is meant.
        let text = "a = \"=1 +\\u0020overlp\"\n";
        let diagnostics = resolved(text).unwrap_err();
        assert_eq!(&text[diagnostics[0].place.clone().unwrap().span], "\"=1 +\\u0020overlp\"");
    }

    #[test]
    fn parameters_that_chase_each_other_are_refused() {
        for text in [
            "[parameters]\na = \"=b\"\nb = \"=a\"\n",
            "[parameters]\na = \"=b + 1\"\nb = \"=a + 1\"\n",
            "dt = \"=dt\"\n",
        ] {
            let diagnostics = resolved(text).unwrap_err();
            assert!(diagnostics[0].message.contains("in a cycle"), "{diagnostics:?}");
        }
        let reported = resolved("x = \"=2 * w\"\n[parameters]\nw = \"a\"\n").unwrap_err();
        assert_eq!(reported[0].message, "`w` is a string, not a number");
    }
}
