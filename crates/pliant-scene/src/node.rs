//! A scene as written: values with their places in the text.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::diagnostic::{Diagnostic, DiagnosticKind, Place};

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it is.
    pub value: Value,
    /// Where it stands.
    pub place: Place,
}

/// What TOML can say; dates are refused on reading.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Keys with values, in the order of the text.
    Table(Vec<Entry>),
    /// Values in order.
    List(Vec<Node>),
    /// A string.
    Text(String),
    /// An integer; any unit.
    Integer(i64),
    /// Any other number; any unit.
    Float(f64),
    /// True or false.
    Flag(bool),
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub name: String,
    /// Where the key stands.
    pub place: Place,
    /// Its value.
    pub node: Node,
}

impl Node {
    /// Reads TOML; `source` identifies the text in errors.
    pub fn parse(text: &str, source: usize) -> Result<Node, Diagnostic> {
        let table = DeTable::parse(text).map_err(|error| {
            let place = error.span().map(|span| Place { source, span });
            let message = error.message().lines().collect::<Vec<_>>().join("; ");
            Diagnostic::new(DiagnosticKind::Syntax, place, message)
        })?;
        let place = Place { source, span: table.span() };
        Ok(Node { value: from_table(table.get_ref(), source)?, place })
    }

    /// The entry of a table.
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        match &self.value {
            Value::Table(entries) => entries.iter().find(|entry| entry.name == name),
            _ => None,
        }
    }

    /// The value of a key.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.entry(name).map(|entry| &entry.node)
    }

    /// The place of a path such as `bodies.0.mesh`, or of as much of it as there is.
    ///
    /// A key stands for its table, a value for itself.
    pub fn place_of(&self, path: &str) -> Place {
        let (mut node, mut place) = (self, self.place.clone());
        for step in path.split('.').filter(|step| !step.is_empty()) {
            let (next, at) = match (&node.value, step.parse::<usize>()) {
                (Value::List(items), Ok(index)) => match items.get(index) {
                    Some(item) => (item, item.place.clone()),
                    None => break,
                },
                _ => match node.entry(step) {
                    Some(Entry { node, place, .. }) => match node.value {
                        Value::Table(_) | Value::List(_) => (node, place.clone()),
                        _ => (node, node.place.clone()),
                    },
                    None => break,
                },
            };
            (node, place) = (next, at);
        }
        place
    }

    /// What it is called in messages.
    pub fn kind(&self) -> &'static str {
        match self.value {
            Value::Table(_) => "a table",
            Value::List(_) => "a list",
            Value::Text(_) => "a string",
            Value::Integer(_) => "an integer",
            Value::Float(_) => "a number",
            Value::Flag(_) => "boolean value",
        }
    }

    /// The same without places.
    pub fn to_toml(&self) -> toml::Value {
        match &self.value {
            Value::Table(entries) => {
                let pairs = entries.iter().map(|e| (e.name.clone(), e.node.to_toml()));
                toml::Value::Table(pairs.collect())
            }
            Value::List(items) => toml::Value::Array(items.iter().map(Node::to_toml).collect()),
            Value::Text(text) => toml::Value::String(text.clone()),
            Value::Integer(number) => toml::Value::Integer(*number),
            Value::Float(number) => toml::Value::Float(*number),
            Value::Flag(flag) => toml::Value::Boolean(*flag),
        }
    }
}

/// Reads one value, as after an equals sign; what is no TOML is a string.
///
/// Every part of it has the given place.
pub fn parse_value(text: &str, place: &Place) -> Result<Node, Diagnostic> {
    let Ok(value) = DeValue::parse(text) else {
        return Ok(Node { value: Value::Text(text.to_owned()), place: place.clone() });
    };
    let at_place = |wrong: Diagnostic| Diagnostic { place: Some(place.clone()), ..wrong };
    let mut node = from_value(&value, place.source).map_err(at_place)?;
    settle(&mut node, place);
    Ok(node)
}

/// Puts all parts of a value to one place.
pub fn settle(node: &mut Node, place: &Place) {
    node.place = place.clone();
    match &mut node.value {
        Value::Table(entries) => {
            for entry in entries {
                entry.place = place.clone();
                settle(&mut entry.node, place);
            }
        }
        Value::List(items) => items.iter_mut().for_each(|item| settle(item, place)),
        _ => {}
    }
}

fn from_table(table: &DeTable<'_>, source: usize) -> Result<Value, Diagnostic> {
    let mut entries = Vec::with_capacity(table.len());
    for (key, value) in table {
        let place = Place { source, span: key.span() };
        let node = from_value(value, source)?;
        entries.push(Entry { name: key.get_ref().to_string(), place, node });
    }
    entries.sort_by_key(|entry| entry.place.span.start);
    Ok(Value::Table(entries))
}

fn from_value(value: &Spanned<DeValue<'_>>, source: usize) -> Result<Node, Diagnostic> {
    let place = Place { source, span: value.span() };
    let wrong =
        |message: String| Diagnostic::new(DiagnosticKind::WrongType, Some(place.clone()), message);
    let value = match value.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        DeValue::Integer(number) => {
            let digits = i64::from_str_radix(number.as_str(), number.radix());
            Value::Integer(digits.map_err(|_| wrong(format!("{number} is too large")))?)
        }
        DeValue::Float(number) => {
            let parsed: Result<f64, _> = number.as_str().parse();
            Value::Float(parsed.map_err(|_| wrong(format!("{number} is not a number")))?)
        }
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(_) => return Err(wrong("dates are not allowed in a scene".into())),
        DeValue::Array(items) => {
            let nodes: Result<Vec<_>, _> = items.iter().map(|i| from_value(i, source)).collect();
            Value::List(nodes?)
        }
        DeValue::Table(table) => from_table(table, source)?,
    };
    Ok(Node { value, place })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "dt = 0.5\n[[bodies]]\nname = \"a\"\n[bodies.mesh]\nsize = [1, 2]\n";

    fn cut(path: &str) -> &'static str {
        let node = Node::parse(TEXT, 0).unwrap();
        &TEXT[node.place_of(path).span]
    }

    #[test]
    fn paths_lead_to_their_places() {
        assert_eq!(cut("dt"), "0.5");
        assert_eq!(cut("bodies.0.name"), "\"a\"");
        assert_eq!(cut("bodies.0.mesh.size"), "size");
        assert_eq!(cut("bodies.0.mesh.size.1"), "2");
        assert_eq!(cut("bodies.0.mesh.cells"), "mesh"); // as far as the path goes
        assert_eq!(cut("bodies.7"), "bodies");
    }

    #[test]
    fn what_toml_cannot_read_is_a_fault_with_a_place() {
        let diagnostic = |text: &str| Node::parse(text, 0).unwrap_err();
        assert_eq!(diagnostic("a = \nb = 1").kind, DiagnosticKind::Syntax);
        assert!(diagnostic("a = 1\na = 2").place.is_some());
        assert!(diagnostic("a = 99999999999999999999").message.ends_with("too large"));
        assert!(diagnostic("a = 1979-05-27").message.contains("date"));
        assert!(Node::parse(&format!("a = {}", "[".repeat(10_000)), 0).is_err());
    }

    #[test]
    fn values_from_outside_are_typed_by_toml() {
        let place = Place { source: 1, span: 0..1 };
        let value = |text: &str| parse_value(text, &place).unwrap().value;
        assert_eq!(value("1e5"), Value::Float(1e5));
        assert_eq!(value("12"), Value::Integer(12));
        assert_eq!(value("true"), Value::Flag(true));
        assert_eq!(value("rk4"), Value::Text("rk4".into()));
        assert_eq!(value("\"a b\""), Value::Text("a b".into()));
        assert!(matches!(value("[1, 2]"), Value::List(items) if items.len() == 2));
    }
}
