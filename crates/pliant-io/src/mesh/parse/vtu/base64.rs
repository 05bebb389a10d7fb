//! Base64 as VTK writes it: streams that follow each other, each with its own padding.
//!
//! A reader of one stream would refuse the next, and where a stream ends is known only
//! from the numbers in it; so the bytes are decoded on demand.

use crate::mesh::parse::Fault;
use crate::mesh::parse::text::quote;

/// Marks bytes that are no digit of base64.
const NO_DIGIT: u8 = 0xff;

/// The value of each digit.
const DIGITS: [u8; 256] = digits();

/// Decodes base64 from front to back.
#[derive(Clone, Debug)]
pub(super) struct Base64<'a> {
    /// All characters.
    text: &'a [u8],
    /// Next character; at most `text.len()`.
    at: usize,
    /// Bytes of the last group that were not read yet, first last.
    spare: Vec<u8>,
}

impl<'a> Base64<'a> {
    /// Starts at the front of a text; white space in it is passed over.
    pub(super) fn new(text: &'a [u8]) -> Base64<'a> {
        Base64 { text, at: 0, spare: Vec::new() }
    }

    /// The most bytes that are left.
    pub(super) fn room(&self) -> usize {
        (self.text.len() - self.at).div_ceil(4) * 3 + self.spare.len()
    }

    /// The next `count` bytes.
    pub(super) fn take(&mut self, count: usize, wanted: &str) -> Result<Vec<u8>, Fault> {
        if count > self.room() {
            return Err(Fault::Truncated { wanted: wanted.to_string() });
        }
        let mut bytes = Vec::with_capacity(count);
        while bytes.len() < count {
            if let Some(byte) = self.spare.pop() {
                bytes.push(byte);
                continue;
            }
            self.take_clean(&mut bytes, count);
            if bytes.len() < count {
                self.next_group(wanted)?;
            }
        }
        Ok(bytes)
    }

    /// Decodes whole groups as long as they hold nothing but digits.
    fn take_clean(&mut self, bytes: &mut Vec<u8>, count: usize) {
        let groups = (count - bytes.len()) / 3;
        for group in self.text[self.at..].chunks_exact(4).take(groups) {
            let [a, b, c, d] = [group[0], group[1], group[2], group[3]].map(digit);
            if (a | b | c | d) > 63 {
                return;
            }
            bytes.extend([a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d]);
            self.at += 4;
        }
    }

    /// Decodes one group into `spare`, over white space and padding.
    fn next_group(&mut self, wanted: &str) -> Result<(), Fault> {
        let mut group = [0; 4];
        let mut held = 0;
        while let Some(&byte) = self.text.get(self.at) {
            if !byte.is_ascii_whitespace() && byte != b'=' {
                if digit(byte) == NO_DIGIT {
                    let found = quote(&[byte]);
                    return Err(Fault::Unexpected { wanted: "base64".to_string(), found });
                }
                group[held] = digit(byte);
                held += 1;
            }
            self.at += 1;
            // Padding ends a group; before the first digit it belongs to the group before.
            if held == 4 || (byte == b'=' && held > 0) {
                break;
            }
        }
        if held < 2 {
            return Err(Fault::Truncated { wanted: wanted.to_string() });
        }
        let [a, b, c, d] = group;
        let last_first = [c << 6 | d, b << 4 | c >> 2, a << 2 | b >> 4];
        self.spare.extend(&last_first[4 - held..]);
        Ok(())
    }
}

fn digit(byte: u8) -> u8 {
    DIGITS[byte as usize]
}

const fn digits() -> [u8; 256] {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut digits = [NO_DIGIT; 256];
    let mut value = 0;
    while value < alphabet.len() {
        digits[alphabet[value] as usize] = value as u8;
        value += 1;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, counts: &[usize], expected: &[&[u8]]) {
        let mut base64 = Base64::new(text.as_bytes());
        for (&count, &bytes) in counts.iter().zip(expected) {
            assert_eq!(base64.take(count, "bytes").as_deref(), Ok(bytes));
        }
    }

    #[test]
    fn one_stream_is_cut_anywhere() {
        check("YWJjZGVmZw==", &[1, 4, 2], &[b"a", b"bcde", b"fg"]);
        check("YWJjZGVmZw", &[7], &[b"abcdefg"]);
    }

    #[test]
    fn streams_follow_each_other_after_padding() {
        check("YQ==YmM=ZGVm", &[1, 2, 3], &[b"a", b"bc", b"def"]);
        check("YQ==YmM=ZGVm", &[6], &[b"abcdef"]);
    }

    #[test]
    fn white_space_is_passed_over() {
        check("  YW\nJj ZGV\tm\n", &[6], &[b"abcdef"]);
    }

    #[test]
    fn the_end_and_strange_bytes_are_faults() {
        let truncated = Fault::Truncated { wanted: "a word".to_string() };
        assert_eq!(Base64::new(b"YWJj").take(4, "a word"), Err(truncated.clone()));
        assert_eq!(Base64::new(b"YWJj    ").take(4, "a word"), Err(truncated.clone()));
        assert_eq!(Base64::new(b"YWJj====").take(4, "a word"), Err(truncated.clone()));
        assert_eq!(Base64::new(b"YWJj").take(usize::MAX, "a word"), Err(truncated));
        let fault = Base64::new(b"YW*j").take(3, "").unwrap_err();
        assert_eq!(fault.to_string(), "expected base64, found `*`");
    }
}
