//! Text of others made safe to show: names of scenes, bodies and files, titles, messages.
//!
//! Control characters move the cursor of a terminal and change its colours; bidirectional ones
//! let a line read otherwise than it is stored. Everything that is printed, or put into a
//! page, a plot or JSON, passes here.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// What stands in the place of a character that is not shown.
pub const REPLACEMENT: char = '\u{fffd}';

/// Letters of a message at most.
pub const LONGEST: usize = 2000;

/// Whether a character changes how others are shown: controls, marks of direction, line
/// separators, annotations, tags and the mark of byte order.
///
/// Joiners stay: scripts and emoji need them.
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{61c}' | '\u{180e}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// Text on one line: each character that is hidden is replaced by [`REPLACEMENT`].
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    text.chars().map(|letter| if is_hidden(letter) { REPLACEMENT } else { letter }).collect()
}

/// A message on one line, cut to [`LONGEST`] letters: what it quotes may be a whole file.
pub fn message(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => Cow::Owned(printable(&text[..end]).into_owned() + "…"),
        None => printable(text),
    }
}

/// JSON with every character that is hidden written as `\u…`; its value stays the same.
///
/// Line breaks between values stay: within strings JSON has none.
pub fn printable_json(json: &str) -> Cow<'_, str> {
    let is_hidden = |letter: char| is_hidden(letter) && letter != '\n';
    if !json.contains(is_hidden) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len() + 16);
    for letter in json.chars() {
        if !is_hidden(letter) {
            text.push(letter);
            continue;
        }
        for unit in letter.encode_utf16(&mut [0; 2]) {
            // Writing to a text cannot fail.
            let _ = write!(text, "\\u{unit:04x}");
        }
    }
    Cow::Owned(text)
}

/// A notice on a path that cannot be shown or written to JSON as it is.
pub fn path_notice(path: &Path) -> Option<String> {
    let shown = path.to_string_lossy();
    let notice = || format!("the name {shown} is not UTF-8: what is not has been replaced");
    path.to_str().is_none().then(notice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_of_bounded_length() {
        assert_eq!(message("line 3: é"), "line 3: é");
        assert_eq!(message("a\u{1b}[31m\n"), "a\u{fffd}[31m\u{fffd}");
        let long = message(&"é".repeat(LONGEST + 1)).into_owned();
        assert_eq!(long, "é".repeat(LONGEST) + "…");
        assert_eq!(message(&"\0".repeat(LONGEST)).chars().count(), LONGEST);
    }

    #[test]
    fn what_changes_how_others_are_shown_is_replaced() {
        for letter in [
            '\0',
            '\t',
            '\n',
            '\r',
            '\u{1b}',
            '\u{7f}',
            '\u{80}',
            '\u{85}',
            '\u{9b}',
            '\u{9f}',
            '\u{61c}',
            '\u{200e}',
            '\u{200f}',
            '\u{2028}',
            '\u{2029}',
            '\u{202a}',
            '\u{202e}',
            '\u{2066}',
            '\u{2069}',
            '\u{feff}',
            '\u{fff9}',
            '\u{e0041}',
        ] {
            let text = format!("a{letter}b");
            assert_eq!(printable(&text), "a\u{fffd}b", "{letter:?}");
        }
    }

    #[test]
    fn what_people_write_stays() {
        for text in ["", "schön μ = 0,3 – «1»", "日本語", "فارسی‌زبان", "👩‍🔬", "a\u{a0}b", "e\u{301}"]
        {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_not_utf8_has_a_notice() {
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(path_notice(Path::new("schön.obj")), None);
        let path = Path::new(std::ffi::OsStr::from_bytes(b"a\xff"));
        let expected = "the name a\u{fffd} is not UTF-8: what is not has been replaced";
        assert_eq!(path_notice(path).as_deref(), Some(expected));
    }

    #[test]
    fn json_keeps_its_value() {
        let value = serde_json::json!({ "a\u{202e}": "\u{9b}31m\u{1b}\u{e0041}\n", "b": [1, "μ"] });
        for json in [value.to_string(), format!("{value:#}")] {
            let safe = printable_json(&json);
            assert!(!safe.contains(|c: char| is_hidden(c) && c != '\n'), "{safe}");
            assert!(safe.contains("a\\u202e") && safe.contains("\\udb40\\udc41"), "{safe}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
        }
    }
}
