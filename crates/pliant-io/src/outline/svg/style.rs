//! How an SVG element is painted, as far as its outline depends on it.

use roxmltree::{Document, Node};

/// One rule of a style sheet: what it is for, and what it says.
type Rule = (String, String);

/// The rules of all `style` elements that name a class or an element.
#[derive(Debug, Default)]
pub struct Sheet(Vec<Rule>);

/// What is painted, with the values of the elements around where an element says nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Paint {
    /// Whether its inside is painted.
    pub filled: bool,
    /// Whether its line is painted.
    pub stroked: bool,
    /// Thickness of its line as written, with its unit.
    pub width: Option<String>,
    /// Whether inside is even–odd.
    pub even_odd: bool,
    /// Whether it is shown at all.
    pub shown: bool,
}

impl Default for Paint {
    fn default() -> Paint {
        Paint { filled: true, stroked: false, width: None, even_odd: false, shown: true }
    }
}

impl Sheet {
    pub fn new(document: &Document<'_>) -> Sheet {
        let mut rules = Vec::new();
        let sheets = document.descendants().filter(|node| node.tag_name().name() == "style");
        for text in sheets.flat_map(|node| node.children()).filter_map(|node| node.text()) {
            for rule in text.split('}') {
                let Some((selectors, body)) = rule.split_once('{') else { continue };
                let each = selectors.split(',').map(|selector| selector.trim().to_string());
                rules.extend(each.map(|selector| (selector, body.to_string())));
            }
        }
        Sheet(rules)
    }

    /// The paint of an element within one that is painted so.
    pub fn paint(&self, node: Node<'_, '_>, around: &Paint) -> Paint {
        let mut paint = around.clone();
        for name in ["fill", "stroke", "stroke-width", "fill-rule", "display", "visibility"] {
            if let Some(value) = node.attribute(name) {
                paint.set(name, value);
            }
        }
        let classes = node.attribute("class").unwrap_or("");
        for (selector, body) in &self.0 {
            let class = selector.strip_prefix('.');
            let meant = class.map_or(selector == node.tag_name().name(), |class| {
                classes.split_ascii_whitespace().any(|its| its == class)
            });
            if meant {
                paint.declarations(body);
            }
        }
        paint.declarations(node.attribute("style").unwrap_or(""));
        paint
    }
}

impl Paint {
    fn declarations(&mut self, body: &str) {
        for declaration in body.split(';') {
            if let Some((name, value)) = declaration.split_once(':') {
                self.set(name.trim(), value.trim());
            }
        }
    }

    fn set(&mut self, name: &str, value: &str) {
        match name {
            "fill" => self.filled = value != "none",
            "stroke" => self.stroked = value != "none",
            "stroke-width" => self.width = Some(value.to_string()),
            "fill-rule" => self.even_odd = value == "evenodd",
            "display" => self.shown &= value != "none",
            "visibility" => self.shown = value == "visible",
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_yield_to_classes_and_those_to_the_style() {
        let text = "<svg><style>.a, .b{fill:none;stroke-width:4} path { stroke : red }</style>\
            <path class='x b' fill='red' style='stroke-width:2px'/><g fill-rule='evenodd'/></svg>";
        let document = Document::parse(text).unwrap();
        let sheet = Sheet::new(&document);
        let of = |tag: &str| {
            let node = document.descendants().find(|node| node.tag_name().name() == tag).unwrap();
            sheet.paint(node, &Paint::default())
        };
        let path = of("path");
        assert_eq!((path.filled, path.stroked, path.width.as_deref()), (false, true, Some("2px")));
        assert!(of("g").even_odd && of("g").filled);
    }
}
