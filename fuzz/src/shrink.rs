//! A smaller input with the same failure.

use std::time::{Duration, Instant};

/// Time to spend at most.
const LONGEST: Duration = Duration::from_secs(3);

/// Removes halves, quarters and so on, as long as `fails` says so of what is left.
pub fn shrink(mut input: Vec<u8>, mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let start = Instant::now();
    let mut size = input.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < input.len() {
            if start.elapsed() > LONGEST {
                return input;
            }
            let end = (at + size).min(input.len());
            let rest = [&input[..at], &input[end..]].concat();
            if fails(&rest) {
                input = rest;
            } else {
                at = end;
            }
        }
        size /= 2;
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_failure_needs_is_left() {
        let input = b"some text ( with two [ brackets".to_vec();
        let fails = |input: &[u8]| input.contains(&b'(') && input.contains(&b'[');
        assert_eq!(shrink(input, fails), b"([");
    }
}
