//! One input given to a target: what it took, and what is wrong with that.

use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use crate::allocations;
use crate::target::{Reading, Target};

/// Bytes of a message at most.
const MOST_MESSAGE: usize = 64 << 10;

/// Where the last panic was and what it said.
static PANIC: Mutex<String> = Mutex::new(String::new());

/// What an input took.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Whether it was read.
    pub accepted: bool,
    /// Time on the wall clock, s.
    pub seconds: f64,
    /// Most memory at one time beyond what was there before, bytes.
    pub peak: usize,
    /// What is wrong.
    pub failure: Option<Failure>,
}

/// What is wrong with a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The same for inputs that show the same failure.
    pub kind: String,
    /// In words.
    pub message: String,
}

/// Keeps the words of panics instead of printing them.
pub fn keep_panics() {
    panic::set_hook(Box::new(|info| {
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        let message = info.payload_as_str().unwrap_or("panicked");
        if let Ok(mut last) = PANIC.lock() {
            *last = format!("{place}: {message}");
        }
    }));
}

/// Gives an input to a target; `scratch` is a folder for its files.
pub fn judge(target: &Target, input: &[u8], scratch: &Path) -> Judged {
    let before = allocations::restart();
    let start = Instant::now();
    let read = panic::catch_unwind(AssertUnwindSafe(|| (target.read)(input, scratch)));
    let (seconds, peak) =
        (start.elapsed().as_secs_f64(), allocations::peak().saturating_sub(before));
    let accepted = matches!(read, Ok(Reading::Accepted(_)));
    let checked = panic::catch_unwind(AssertUnwindSafe(|| match read {
        Ok(Reading::Accepted(check)) => check().err().map(|message| ("not as read", message)),
        Ok(Reading::Refused(message)) => {
            message_problem(&message).map(|problem| ("message", problem))
        }
        Err(_) => Some(("panic", last_panic())),
    }));
    let most = target.memory.most(input.len());
    let failure = match checked {
        Err(_) => Some(("panic in the check", last_panic())),
        Ok(Some(wrong)) => Some(wrong),
        Ok(None) if peak > most => {
            let size = input.len();
            Some(("memory", format!("{peak} bytes for an input of {size}, {most} are allowed")))
        }
        Ok(None) => None,
    };
    let failure = failure.map(|(kind, message)| Failure { kind: key(kind, &message), message });
    Judged { accepted, seconds, peak, failure }
}

fn last_panic() -> String {
    PANIC.lock().map_or_else(|_| String::new(), |last| last.clone())
}

/// Kind and beginning of a message, without its numbers but for a line of code.
fn key(kind: &str, message: &str) -> String {
    // The text around a control character is another one every time.
    let message = message.find(" within a message: ").map_or(message, |at| &message[at..]);
    let message = message.split(": \"").next().unwrap_or_default();
    let is_place = kind.starts_with("panic");
    let start = message.split(if is_place { ": " } else { "\n" }).next().unwrap_or_default();
    let plain = start.chars().filter(|letter| is_place || !letter.is_ascii_digit()).take(80);
    format!("{kind}: {}", plain.collect::<String>())
}

/// What is wrong with a message to people.
pub fn message_problem(message: &str) -> Option<String> {
    let control = message.chars().find(|letter| letter.is_control() && *letter != '\n');
    match control {
        _ if message.trim().is_empty() => Some("an empty message".to_string()),
        _ if message.len() > MOST_MESSAGE => Some(format!("a message of {} bytes", message.len())),
        Some(letter) => Some(format!("{letter:?} within a message: {message:?}")),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Memory;

    fn target(read: fn(&[u8], &Path) -> Reading) -> Target {
        Target { name: "a", seeds: Vec::new, ending: "", repair: None, memory: Memory::SMALL, read }
    }

    #[track_caller]
    fn check(read: fn(&[u8], &Path) -> Reading, expected: Option<&str>) {
        let judged = judge(&target(read), b"abc", Path::new(""));
        let kind = judged.failure.map(|failure| failure.kind);
        assert_eq!(kind.is_some(), expected.is_some(), "{kind:?}");
        assert!(kind.unwrap_or_default().starts_with(expected.unwrap_or_default()));
    }

    #[test]
    fn every_kind_of_failure_is_seen() {
        let _alone = allocations::ALONE.lock();
        check(|_, _| Reading::Refused("line 1: no".into()), None);
        check(|_, _| Reading::Accepted(Box::new(|| Ok(()))), None);
        check(|_, _| Reading::Accepted(Box::new(|| Err("differs".into()))), Some("not as read"));
        check(|_, _| Reading::Refused(" ".into()), Some("message: an empty"));
        check(|_, _| Reading::Refused("\u{1b}[31m".into()), Some("message:  within"));
        check(|_, _| Reading::Refused("x".repeat(MOST_MESSAGE + 1)), Some("message: a message of"));
        let hungry = |_: &[u8], _: &Path| {
            drop(std::hint::black_box(vec![1_u8; 100 << 20]));
            Reading::Refused("no".into())
        };
        check(hungry, Some("memory"));
        check(|input, _| Reading::Refused(input[7].to_string()), Some("panic"));
    }
}
