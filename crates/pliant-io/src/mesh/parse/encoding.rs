//! Text files in the encodings that people have, as plain bytes with line feeds.

use std::borrow::Cow;

/// What some editors put before text in UTF-8.
pub const BYTE_ORDER_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

/// How much of a file is examined to detect UTF-16 without a mark, bytes.
const LOOKED_AT: usize = 64;

/// The text as ASCII or a superset of it, with a line feed in every line end.
///
/// UTF-16 is detected by its mark, or by the zero that every other byte of plain
/// letters is; UTF-8, Windows-1252 and their like pass as they are. Lines keep
/// their numbers. A file that separates lines by carriage returns alone gets line feeds.
pub fn plain(bytes: &[u8]) -> Cow<'_, [u8]> {
    let text = match bytes {
        [0xEF, 0xBB, 0xBF, rest @ ..] => Cow::Borrowed(rest),
        [0xFF, 0xFE, rest @ ..] => Cow::Owned(from_utf16(rest, u16::from_le_bytes)),
        [0xFE, 0xFF, rest @ ..] => Cow::Owned(from_utf16(rest, u16::from_be_bytes)),
        _ if every_pair(bytes, |[low, high]| low != 0 && high == 0) => {
            Cow::Owned(from_utf16(bytes, u16::from_le_bytes))
        }
        _ if every_pair(bytes, |[high, low]| low != 0 && high == 0) => {
            Cow::Owned(from_utf16(bytes, u16::from_be_bytes))
        }
        _ => Cow::Borrowed(bytes),
    };
    if text.contains(&b'\n') || !text.contains(&b'\r') {
        return text;
    }
    Cow::Owned(text.iter().map(|&b| if b == b'\r' { b'\n' } else { b }).collect())
}

fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    let units = bytes.as_chunks::<2>().0.iter().map(|&pair| unit(pair));
    let text: String =
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    text.into_bytes()
}

fn every_pair(bytes: &[u8], holds: impl Fn([u8; 2]) -> bool) -> bool {
    let pairs = bytes[..bytes.len().min(LOOKED_AT)].as_chunks::<2>().0;
    !pairs.is_empty() && pairs.iter().all(|&pair| holds(pair))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "v 1 2 3 # café\nf 1";

    #[track_caller]
    fn check(bytes: &[u8], expected: &[u8]) {
        assert_eq!(&*plain(bytes), expected);
    }

    #[test]
    fn utf16_of_both_orders_is_read_with_and_without_a_mark() {
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            let encode = |text: &str| text.encode_utf16().flat_map(order).collect::<Vec<_>>();
            check(&encode(TEXT), TEXT.as_bytes());
            check(&encode(&format!("\u{feff}{TEXT}")), TEXT.as_bytes());
        }
    }

    #[test]
    fn other_encodings_pass_as_they_are() {
        check(b"caf\xe9\r\n", b"caf\xe9\r\n");
        check(b"\xEF\xBB\xBFv 1", b"v 1");
        check(b"", b"");
        check(b"\0\0", b"\0\0");
    }

    #[test]
    fn lone_carriage_returns_end_lines() {
        check(b"a\rb\r", b"a\nb\n");
        check(b"a\r\nb\r", b"a\r\nb\r");
    }
}
