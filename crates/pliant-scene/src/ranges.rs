//! Numbers with which no simulation can compute, and numbers that nobody means.
//!
//! Steps multiply a few quantities: masses, stiffness, squares of lengths and of the time step.
//! Beyond [`LARGEST`] and below [`SMALLEST`] such products overflow or vanish, whatever the key
//! is: those are errors, at the key. Within, numbers far from anything physical are notices.

use super::diagnostic::{Diagnostic, DiagnosticKind, Place};
use super::node::{Entry, Node, Value};
use super::numeral::shortened;

/// Products of six such numbers are finite.
const LARGEST: f64 = 1e50;

/// Products of six such numbers are not zero.
const SMALLEST: f64 = 1e-50;

/// Keys with the range of what is plausible, by magnitude, and its unit; zero always is.
const PLAUSIBLE: [(&str, f64, f64, &str); 10] = [
    ("young", 1e-2, 1e13, "Pa"),
    ("density", 1e-3, 1e6, "kg/m³"),
    ("mass", 1e-15, 1e15, "kg"),
    ("dt", 1e-9, 1e2, "s"),
    ("radius", 1e-9, 1e9, "m"),
    ("size", 1e-9, 1e9, "m"),
    ("position", 0.0, 1e9, "m"),
    ("velocity", 0.0, 3e8, "m/s"),
    ("gravity", 0.0, 1e6, "m/s²"),
    ("spin", 0.0, 1e9, "rad/s"),
];

/// Every number of a resolved scene that overflows or vanishes; notices go to `notices`.
///
/// Parameters and their ranges are left out: where parameters are used, their values are.
pub fn check(root: &Node, notices: &mut Vec<String>) -> Vec<Diagnostic> {
    let mut walk = Walk { found: Vec::new(), notices };
    if let Value::Table(entries) = &root.value {
        let is_used = |entry: &&Entry| !matches!(&*entry.name, "parameters" | "ranges");
        for entry in entries.iter().filter(is_used) {
            walk.node(&entry.node, &Key { name: &entry.name, owner: None });
        }
    }
    walk.found
}

/// What a number belongs to.
struct Key<'a> {
    name: &'a str,
    /// Name of the body, obstacle or joint.
    owner: Option<&'a str>,
}

struct Walk<'a> {
    found: Vec<Diagnostic>,
    notices: &'a mut Vec<String>,
}

impl Walk<'_> {
    fn node(&mut self, node: &Node, key: &Key<'_>) {
        match &node.value {
            Value::Table(entries) => {
                let name = match node.get("name").map(|name| &name.value) {
                    Some(Value::Text(name)) => Some(&**name),
                    _ => None,
                };
                for entry in entries {
                    self.node(&entry.node, &Key { name: &entry.name, owner: name.or(key.owner) });
                }
            }
            Value::List(items) => items.iter().for_each(|item| self.node(item, key)),
            Value::Integer(number) => self.number(*number as f64, &node.place, key),
            Value::Float(number) => self.number(*number, &node.place, key),
            Value::Text(_) | Value::Flag(_) => {}
        }
    }

    fn number(&mut self, number: f64, place: &Place, key: &Key<'_>) {
        let (size, whose) = (number.abs(), key.shown());
        if size == 0.0 {
            return;
        }
        if !(SMALLEST..=LARGEST).contains(&size) {
            let what = if size > 1.0 { "overflow" } else { "vanish" };
            let message = format!("{whose} is {number:e}: products of such numbers {what}");
            let help = format!("0, or a magnitude from {SMALLEST:e} to {LARGEST:e}");
            let found = Diagnostic::new(DiagnosticKind::Value, Some(place.clone()), message);
            return self.found.push(found.with_help(Some(help)));
        }
        let known = PLAUSIBLE.iter().find(|(name, ..)| *name == key.name);
        if let Some((_, least, most, unit)) = known.filter(|(_, a, b, _)| !(a..=b).contains(&&size))
        {
            let usual = if *least > 0.0 { format!("{least:e} to ") } else { "up to ".into() };
            self.notices.push(format!(
                "{whose} is {number:e} {unit}, which is implausible (usual is {usual}{most:e} \
                 {unit}): check the unit"
            ));
        }
    }
}

impl Key<'_> {
    fn shown(&self) -> String {
        match self.owner {
            Some(owner) => format!("`{}` of `{}`", self.name, shortened(owner)),
            None => format!("`{}`", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str) -> (Vec<Diagnostic>, Vec<String>) {
        let (root, mut notices) = (Node::parse(text, 0).unwrap(), Vec::new());
        (check(&root, &mut notices), notices)
    }

    #[test]
    fn what_overflows_or_vanishes_is_an_error_at_its_own_place() {
        let text = "dt = 1e-300\n[parameters]\nfar = 1e300\n[[bodies]]\nname = \"ball\"\n\
                    position = [0, 0, 1e200]\nmaterial = { young = -1e300, density = 5 }\n";
        let (found, notices) = checked(text);
        let marked: Vec<_> = found.iter().map(|f| &text[f.place.clone().unwrap().span]).collect();
        assert_eq!(marked, ["1e-300", "1e200", "-1e300"]);
        let messages: Vec<_> = found.iter().map(|f| &*f.message).collect();
        assert_eq!(messages[0], "`dt` is 1e-300: products of such numbers vanish");
        assert_eq!(messages[2], "`young` of `ball` is -1e300: products of such numbers overflow");
        assert!(notices.is_empty(), "{notices:?}");
    }

    #[test]
    fn what_is_merely_implausible_is_a_notice() {
        let (found, notices) = checked("[[bodies]]\nname = \"a\"\nmaterial.density = 1e-30\n");
        assert!(found.is_empty(), "{found:?}");
        assert_eq!(
            notices,
            [
                "`density` of `a` is 1e-30 kg/m³, which is implausible (usual is 1e-3 to 1e6 kg/m³): \
              check the unit"
            ]
        );
        assert!(checked("dt = 0.01\ngravity = [0, 0, -9.81]\ndrag.coefficient = 0\n").1.is_empty());
    }
}
