//! Citations: `[Key place]` in doc comments, and the keys of REFERENCES.md.

/// How a place in a source begins, for keys that end without a year.
const PLACE_MARKS: [&str; 9] = ["§", "eq.", "fig.", "tbl.", "p.", "pp.", "sec.", "alg.", "slide"];

/// A pointer into a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Citation<'a> {
    /// The source, as in REFERENCES.md.
    pub key: &'a str,
    /// Where in it, as in `eq. 2`.
    pub place: &'a str,
}

/// One source, from a line such as ``- `Key`: who, what, where``.
#[derive(Debug, PartialEq, Eq)]
pub struct Reference {
    /// The word to cite it by.
    pub key: String,
    /// Authors, title, place and year on one line.
    pub entry: String,
}

/// All citations in a text, in order.
///
/// A bracket is one when its first word is capitalised and either ends in two
/// digits, as keys do, or is followed by the mark of a place, as in `p. 3`.
pub fn citations(text: &str) -> Vec<Citation<'_>> {
    let starts = text.match_indices('[').map(|(start, _)| &text[start..]);
    starts.filter_map(|rest| leading(rest).map(|(citation, _)| citation)).collect()
}

/// The citation that `text` begins with, and what follows it.
pub fn leading(text: &str) -> Option<(Citation<'_>, &str)> {
    let (inside, after) = text.strip_prefix('[')?.split_once(']')?;
    let (key, place) = inside.split_once(char::is_whitespace)?;
    let place = place.trim();
    let word = key.starts_with(char::is_uppercase) && key.chars().all(char::is_alphanumeric);
    let dated = key.chars().rev().take_while(char::is_ascii_digit).count() == 2;
    let marked = PLACE_MARKS.iter().any(|mark| place.starts_with(mark));
    let cites = word && !place.is_empty() && (dated || marked) && !after.starts_with('(');
    cites.then_some((Citation { key, place }, after))
}

/// All sources of REFERENCES.md, in its order.
pub fn references(text: &str) -> Vec<Reference> {
    let mut found: Vec<Reference> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        if let Some((key, entry)) = line.strip_prefix("- `").and_then(|l| l.split_once("`:")) {
            found.push(Reference { key: key.to_owned(), entry: entry.trim().to_owned() });
            open = true;
        } else if open && line.starts_with("  ") {
            if let Some(last) = found.last_mut() {
                last.entry += " ";
                last.entry += line.trim();
            }
        } else {
            open = false;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let found: Vec<_> = citations(text).into_iter().map(|c| (c.key, c.place)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_citation_is_a_key_and_a_place() {
        check("Stage 3 of [Some04 §3.4].", &[("Some04", "§3.4")]);
        check("[Some04 eq. 1–4] and [Other p. 18]", &[("Some04", "eq. 1–4"), ("Other", "p. 18")]);
        check("broken over [Some04\n§2] two lines", &[("Some04", "§2")]);
    }

    #[test]
    fn other_brackets_are_no_citations() {
        check("[`Some04`], [Some04], [0, 1] and [Note that] and an [open one", &[]);
        check("a [Some04 link](to.md)", &[]);
        check("[x01 first]", &[]);
    }

    #[test]
    fn references_are_list_items_that_may_run_on() {
        let text =
            "# Sources\n\n- `Some04`: A. Some.\n  *A title.* 2004.\n\nText.\n- `Other`: B.\n";
        let expected = [("Some04", "A. Some. *A title.* 2004."), ("Other", "B.")];
        let expected =
            expected.map(|(key, entry)| Reference { key: key.into(), entry: entry.into() });
        assert_eq!(references(text), expected);
    }
}
