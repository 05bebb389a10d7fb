//! Sentences that say what a reader left out.

/// A number with its noun, in the plural unless there is one.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Names all that was left out; `None` when every count is zero.
pub fn left_out(counts: &[(usize, &str)]) -> Option<String> {
    let present = counts.iter().filter(|(count, _)| *count > 0);
    let list: Vec<String> = present.map(|&(count, noun)| counted(count, noun)).collect();
    (!list.is_empty()).then(|| format!("left out {}", list.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_there_is_named() {
        let notice = left_out(&[(2, "line"), (0, "point"), (1, "curve")]);
        assert_eq!(notice.as_deref(), Some("left out 2 lines, 1 curve"));
        assert_eq!(left_out(&[(0, "line")]), None);
    }
}
