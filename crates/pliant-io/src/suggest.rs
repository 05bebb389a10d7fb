//! Suggestions for misspelt words.

/// The nearest of the known words; `None` when none is near.
///
/// Near means that at most a third of the longer word's letters must be changed.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut best: Option<(usize, &str)> = None;
    for candidate in known {
        let changes = distance(word, candidate);
        let letters = word.chars().count().max(candidate.chars().count());
        if changes <= letters.div_ceil(3) && best.is_none_or(|(fewest, _)| changes < fewest) {
            best = Some((changes, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Letters to insert, remove, replace or swap with a neighbour.
///
/// Capitals and the choice of `-` or `_` do not count; words are cut after 64 letters.
fn distance(a: &str, b: &str) -> usize {
    let letters = |word: &str| -> String {
        let lower = word.chars().flat_map(char::to_lowercase).take(64);
        lower.map(|c| if c == '_' { '-' } else { c }).collect()
    };
    strsim::osa_distance(&letters(a), &letters(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_the_changes() {
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("young", "yung", 1),
            ("positon", "position", 1),
            ("postiion", "position", 1),
            ("kitten", "sitting", 3),
            ("L_Block", "l-block", 0),
        ] {
            assert_eq!([distance(a, b), distance(b, a)], [expected; 2], "{a} {b}");
        }
    }

    #[test]
    fn only_near_words_are_suggested() {
        let known = ["position", "rotation", "velocity", "dt"];
        assert_eq!(nearest("positon", known), Some("position"));
        assert_eq!(nearest("rotatoin", known), Some("rotation"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("d", known), Some("dt"));
        assert_eq!(nearest("x", []), None);
    }
}
