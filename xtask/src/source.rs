//! Doc comments of Rust sources, each with the item that it describes.
//!
//! Works on lines as rustfmt leaves them: one item head a line, items of a block
//! indented, the closing brace of an outermost block in the first column.

/// Words before the name of an item that say nothing about it.
const QUALIFIERS: [&str; 5] = ["async", "const", "default", "pub", "unsafe"];

/// Words after which the name of an item stands.
const KINDS: [&str; 9] =
    ["enum", "fn", "mod", "static", "struct", "trait", "type", "union", "macro_rules!"];

/// One doc comment.
#[derive(Debug, PartialEq, Eq)]
pub struct DocComment {
    /// `Type::method`, `Type.field`, `function`; empty for the comment of the file.
    pub item: String,
    /// Number of the first line, counted from 1.
    pub line: usize,
    /// Lines without the slashes and the space after them.
    pub lines: Vec<String>,
}

/// The outermost block around a line.
#[derive(Clone, Debug, Default)]
struct Block {
    /// Type, trait or module; empty between the blocks.
    name: String,
    /// What stands between this name and that of an item inside.
    joint: &'static str,
}

/// All doc comments of a file, from top to bottom.
pub fn doc_comments(source: &str) -> Vec<DocComment> {
    let mut found: Vec<DocComment> = Vec::new();
    let mut block = Block::default();
    let mut pending: Option<DocComment> = None;
    let mut attribute_depth = 0;
    for (index, line) in source.lines().enumerate() {
        let code = line.trim();
        if let Some(text) = doc_text(code, "//!") {
            match found.last_mut().filter(|last| last.item.is_empty()) {
                Some(module) => module.lines.push(text.to_owned()),
                None => found.push(DocComment::start("", index, text)),
            }
        } else if let Some(text) = doc_text(code, "///") {
            match &mut pending {
                Some(comment) => comment.lines.push(text.to_owned()),
                None => pending = Some(DocComment::start("", index, text)),
            }
        } else if code.starts_with("#[") || attribute_depth > 0 {
            attribute_depth += depth_change(code);
        } else if !code.is_empty() && !code.starts_with("//") {
            if let Some(mut comment) = pending.take() {
                let inside = line.starts_with(' ') && !block.name.is_empty();
                let outer =
                    if inside { [&block.name, block.joint].concat() } else { String::new() };
                comment.item = outer + &item_name(code);
                found.push(comment);
            }
            block = block.after(line);
        }
    }
    found
}

impl DocComment {
    fn start(item: &str, index: usize, text: &str) -> Self {
        Self { item: item.to_owned(), line: index + 1, lines: vec![text.to_owned()] }
    }

    /// The first paragraph on one line: what one gets.
    pub fn summary(&self) -> String {
        let first = self.lines.iter().take_while(|line| !line.trim().is_empty());
        first.map(|line| line.trim()).collect::<Vec<_>>().join(" ")
    }
}

impl Block {
    /// The block around the line that follows `line`.
    fn after(self, line: &str) -> Self {
        if line.starts_with('}') {
            return Self::default();
        }
        if line.starts_with(' ') || !line.ends_with('{') {
            return self;
        }
        let head = line.trim_end_matches('{').trim();
        if let Some(rest) = head.strip_prefix("impl") {
            let rest = rest.split(" where ").next().unwrap_or(rest);
            let subject = rest.rsplit(" for ").next().unwrap_or(rest);
            return Self { name: type_name(subject), joint: "::" };
        }
        let joint = if head.split(' ').any(|word| word == "struct") { "." } else { "::" };
        Self { name: item_name(head), joint }
    }
}

/// The text of a doc line with this marker; `////` is no doc line.
fn doc_text<'a>(code: &'a str, marker: &str) -> Option<&'a str> {
    let text = code.strip_prefix(marker)?;
    (!text.starts_with('/')).then(|| text.strip_prefix(' ').unwrap_or(text))
}

/// How many brackets of an attribute stay open after this line.
fn depth_change(code: &str) -> i32 {
    let count = |open: char| i32::try_from(code.matches(open).count()).unwrap_or(0);
    count('[') + count('(') - count(']') - count(')')
}

/// The name in an item head, or of a field or variant.
fn item_name(code: &str) -> String {
    let skipped = |word: &&str| {
        let word = word.split('(').next().unwrap_or(word);
        QUALIFIERS.contains(&word) || KINDS.contains(&word)
    };
    // `pub(in path)` is the one qualifier with a space in it.
    let code = code
        .strip_prefix("pub(in ")
        .map_or(code, |rest| rest.split_once(')').map_or(rest, |(_, after)| after.trim_start()));
    let name = code.split_whitespace().find(|word| !skipped(word)).unwrap_or_default();
    leading_identifier(name)
}

/// The type in what follows `impl`: generics before it and after it left out.
fn type_name(head: &str) -> String {
    let mut depth = 0;
    let bare = head.trim_start();
    let start = match bare.starts_with('<') {
        false => 0,
        true => bare
            .find(|c| {
                depth += i32::from(c == '<') - i32::from(c == '>');
                depth == 0
            })
            .map_or(0, |end| end + 1),
    };
    let path = bare[start..].trim_start().trim_start_matches(['&', '(']);
    let plain = path.split(['<', ' ']).next().unwrap_or(path);
    leading_identifier(plain.rsplit("::").next().unwrap_or(plain))
}

fn leading_identifier(word: &str) -> String {
    word.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The item found for a comment above `code`, inside `block` when it has one.
    #[track_caller]
    fn check(block: &str, code: &str, expected: &str) {
        let source = match block {
            "" => ["/// Doc.", code].join("\n"),
            _ => format!("{block} {{\n    /// Doc.\n    {code}\n}}"),
        };
        let items: Vec<_> = doc_comments(&source).into_iter().map(|c| c.item).collect();
        assert_eq!(items, [expected], "{source}");
    }

    #[test]
    fn items_are_named_by_their_heads() {
        check("", "pub fn escape(point: Vec3) -> Option<Escape> {", "escape");
        check("", "pub(crate) const fn area() -> f64 {", "area");
        check("", "pub(in crate::mesh) struct Raw;", "Raw");
        check("", "const TOUCHING: f64 = 1e-150;", "TOUCHING");
        check("", "pub type Vec3 = glam::DVec3;", "Vec3");
        check("", "macro_rules! index {", "index");
        check("", "#[derive(Clone)]\n#[expect(\n    lint,\n)]\npub enum Kind {", "Kind");
    }

    #[test]
    fn items_in_a_block_carry_its_name() {
        check("pub struct Crossing", "pub position: Vec3,", "Crossing.position");
        check("enum Reason", "Enclosed,", "Reason::Enclosed");
        check("impl Crossing", "pub fn turned(self) -> Self {", "Crossing::turned");
        check("impl<T: Into<f64>> From<T> for Depth<T>", "fn from(t: T) -> Self {", "Depth::from");
        check("impl<'a> fmt::Display for parse::Text<'a>", "fn fmt(&self) {", "Text::fmt");
        check("pub trait Force", "fn add(&self);", "Force::add");
    }

    #[test]
    fn a_closed_block_names_nothing_more() {
        let source = "impl A {\n    fn b() {}\n}\n\n/// Doc.\nfn c() {}";
        assert_eq!(doc_comments(source)[0].item, "c");
    }

    #[test]
    fn the_comment_of_the_file_has_no_item() {
        let found = doc_comments("//! One.\n//!\n//! Two.\n\n/// Three.\nfn f() {}");
        assert_eq!(found[0], DocComment { item: String::new(), line: 1, lines: lines() });
        assert_eq!((found[1].item.as_str(), found[1].line), ("f", 5));

        fn lines() -> Vec<String> {
            ["One.", "", "Two."].map(str::to_owned).to_vec()
        }
    }

    #[test]
    fn a_summary_is_the_first_paragraph() {
        let found = doc_comments("/// One,\n/// two.\n///\n/// Three.\nfn f() {}");
        assert_eq!(found[0].summary(), "One, two.");
    }

    #[test]
    fn other_comments_are_not_docs() {
        assert_eq!(doc_comments("// why\n//// rule\nfn f() {}"), []);
    }
}
