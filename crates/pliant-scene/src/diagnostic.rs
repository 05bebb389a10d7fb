//! Errors in a scene, shown in the line where they occur.

use std::fmt;
use std::ops::Range;

use pliant_io::printable;

use crate::numeral::shortened;

/// Letters of a line that are shown.
const SHOWN: usize = 120;

/// Origin of what was set from outside.
pub const SET: &str = "--set";

/// Kinds of errors; other programs may rely on their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagnosticKind {
    /// The file cannot be read.
    Unreadable,
    /// Not TOML.
    Syntax,
    /// An unknown key.
    UnknownKey,
    /// A missing key.
    MissingKey,
    /// A value of another type.
    WrongType,
    /// An unknown word.
    UnknownWord,
    /// An expression that cannot be evaluated.
    Expression,
    /// A parameter that the scene does not declare.
    UnknownParameter,
    /// A name that is there already, or missing where one is meant.
    Name,
    /// A value outside its range, or that does not go with others.
    Value,
    /// A mesh file that cannot be read.
    MeshFile,
    /// A mesh that cannot be used.
    Mesh,
    /// More than memory should hold.
    TooLarge,
}

impl DiagnosticKind {
    /// One word.
    pub fn name(self) -> &'static str {
        match self {
            DiagnosticKind::Unreadable => "unreadable",
            DiagnosticKind::Syntax => "syntax",
            DiagnosticKind::UnknownKey => "unknown_key",
            DiagnosticKind::MissingKey => "missing_key",
            DiagnosticKind::WrongType => "wrong_type",
            DiagnosticKind::UnknownWord => "unknown_word",
            DiagnosticKind::Expression => "expression",
            DiagnosticKind::UnknownParameter => "unknown_parameter",
            DiagnosticKind::Name => "name",
            DiagnosticKind::Value => "value",
            DiagnosticKind::MeshFile | DiagnosticKind::Mesh => "mesh",
            DiagnosticKind::TooLarge => "too_large",
        }
    }
}

/// Which text, and which bytes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// 0 for the scene, k for the k-th `--set`.
    pub source: usize,
    /// Bytes of the text.
    pub span: Range<usize>,
}

/// An error with its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its kind.
    pub kind: DiagnosticKind,
    /// One clause, lower case.
    pub message: String,
    /// Suggested fix, one clause.
    pub help: Option<String>,
    /// Where; `None` for the scene as a whole.
    pub place: Option<Place>,
}

impl Diagnostic {
    /// An error at a place, without a suggestion.
    pub fn new(
        kind: DiagnosticKind,
        place: Option<Place>,
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic { kind, message: message.into(), help: None, place }
    }

    /// The same with help.
    pub fn with_help(self, help: Option<String>) -> Diagnostic {
        Diagnostic { help, ..self }
    }
}

/// The texts that a scene was made of.
#[derive(Clone, Debug)]
pub struct Sources {
    /// Name of the scene's file, or of the built-in scene.
    pub name: String,
    /// Its text.
    pub text: String,
    /// What was set from outside, `name=value` each.
    pub sets: Vec<String>,
}

impl Sources {
    /// Shows an error.
    pub fn show(&self, diagnostic: Diagnostic) -> RenderedDiagnostic {
        let Diagnostic { kind, message, help, place } = diagnostic;
        let place = place.map(|Place { source, span }| match source {
            0 => show_place(self.name.clone(), &self.text, &span),
            k => {
                let text = self.sets.get(k - 1).map_or("", String::as_str);
                show_place(SET.into(), text, &span)
            }
        });
        // Both may quote what the scene says, however long that is.
        let plain = |text: &str| printable::message(&shortened(text)).into_owned();
        let (name, message, help) =
            (self.name.clone(), plain(&message), help.as_deref().map(plain));
        RenderedDiagnostic { kind, message, help, place, name }
    }
}

/// A place with what stands there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownPlace {
    /// File, built-in scene or `--set`.
    pub origin: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The line, control characters as dots, at most 120 letters.
    pub text: String,
    /// Letters underlined, counted in `text` from 0.
    pub underlined: Range<usize>,
}

/// An error with the text at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedDiagnostic {
    /// Its kind.
    pub kind: DiagnosticKind,
    /// One clause, lower case.
    pub message: String,
    /// Suggested fix, one clause.
    pub help: Option<String>,
    /// Where; `None` for the scene as a whole.
    pub place: Option<ShownPlace>,
    /// Name of the scene's file.
    name: String,
}

impl RenderedDiagnostic {
    /// Place and message in one line.
    pub fn headline(&self) -> String {
        match &self.place {
            Some(ShownPlace { origin, line, column, .. }) => {
                format!("{origin}:{line}:{column}: {}", self.message)
            }
            None => format!("{}: {}", self.name, self.message),
        }
    }
}

impl fmt::Display for RenderedDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.headline())?;
        if let Some(ShownPlace { line, text, underlined, .. }) = &self.place {
            let number = line.to_string();
            let margin = " ".repeat(number.len());
            let marks = "^".repeat(underlined.len().max(1));
            write!(f, "\n {margin} |\n {number} | {text}\n")?;
            write!(f, " {margin} | {}{marks}", " ".repeat(underlined.start))?;
        }
        match &self.help {
            Some(help) => write!(f, "\nhelp: {help}"),
            None => Ok(()),
        }
    }
}

/// Why a scene cannot be run: at least one error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneError {
    /// At least one, in the order found.
    pub diagnostics: Vec<RenderedDiagnostic>,
}

impl std::error::Error for SceneError {}

impl fmt::Display for SceneError {
    /// The first error with its place, and how many more there are.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(first) = self.diagnostics.first() {
            write!(f, "{first}")?;
        }
        match self.diagnostics.len() {
            0 | 1 => Ok(()),
            2 => write!(f, "\nand 1 more error"),
            count => write!(f, "\nand {} more errors", count - 1),
        }
    }
}

fn show_place(origin: String, text: &str, span: &Range<usize>) -> ShownPlace {
    let start = floor(text, span.start);
    let begin = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[start..].find(['\n', '\r']).map_or(text.len(), |at| start + at);
    let line = text[..start].matches('\n').count() + 1;
    let before = text[begin..start].chars().count();
    let marked = text[start..floor(text, span.end).clamp(start, end)].chars().count();
    // Long lines are shown from a little before the place.
    let skipped = if before > SHOWN / 2 { before - SHOWN / 4 } else { 0 };
    let plain = |c: char| if c.is_control() { '·' } else { c };
    let shown = text[begin..end].chars().skip(skipped).take(SHOWN).map(plain).collect();
    let first = before - skipped;
    let underlined = first..(first + marked.max(1)).min(SHOWN.max(first + 1));
    ShownPlace { origin, line, column: before + 1, text: shown, underlined }
}

/// The start of the letter at or before a byte.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|&k| text.is_char_boundary(k)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, span: Range<usize>, help: Option<&str>) -> String {
        let sources =
            Sources { name: "a.toml".into(), text: text.into(), sets: vec!["x=1".into()] };
        let place = Some(Place { source: 0, span });
        let diagnostic = Diagnostic::new(DiagnosticKind::UnknownKey, place, "unknown key");
        sources.show(diagnostic.with_help(help.map(str::to_owned))).to_string()
    }

    #[test]
    fn the_place_is_underlined() {
        let expected = "a.toml:2:1: unknown key\n   |\n 2 | dd = 2\n   | ^^\nhelp: write dt";
        assert_eq!(shown("a = 1\ndd = 2\nb = 3\n", 6..8, Some("write dt")), expected);
        let wide = "a.toml:1:5: unknown key\n   |\n 1 | ä = µµ\n   |     ^^";
        assert_eq!(shown("ä = µµ", 5..9, None), wide);
    }

    #[test]
    fn places_beyond_the_text_and_within_letters_do_no_harm() {
        for span in [0..0, 1..2, 3..900, 900..901] {
            assert!(shown("µ\r\nb", span, None).contains(" | "));
        }
        assert!(shown("", 0..0, None).starts_with("a.toml:1:1"));
        let long = shown(&"x".repeat(1000), 500..900, None);
        assert!(long.lines().all(|line| line.chars().count() < 140), "{long}");
    }

    #[test]
    fn what_is_quoted_is_one_line_of_bounded_length() {
        let sources = Sources { name: "a".into(), text: String::new(), sets: Vec::new() };
        let quoted = |text: &str| {
            let diagnostic = Diagnostic::new(DiagnosticKind::Name, None, format!("no `{text}`"));
            sources.show(diagnostic.with_help(Some(format!("not `{text}`")))).to_string()
        };
        assert_eq!(quoted("\u{1b}[31m\n"), "a: no `�[31m�`\nhelp: not `�[31m�`");
        assert!(quoted(&"x".repeat(1_000_000)).len() < 5000);
    }

    #[test]
    fn a_place_may_be_what_was_set() {
        let sources = Sources { name: "a".into(), text: String::new(), sets: vec!["x=1".into()] };
        let place = Some(Place { source: 1, span: 0..1 });
        let shown = sources.show(Diagnostic::new(DiagnosticKind::Value, place, "no")).to_string();
        assert_eq!(shown, "--set:1:1: no\n   |\n 1 | x=1\n   | ^");
        let bare = sources.show(Diagnostic::new(DiagnosticKind::Value, None, "no"));
        assert_eq!(bare.to_string(), "a: no");
        let many = SceneError { diagnostics: vec![bare; 3] };
        assert_eq!(many.to_string(), "a: no\nand 2 more errors");
    }
}
