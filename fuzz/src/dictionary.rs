//! Words that break readers: numbers at the ends of their ranges, brackets, and the seeds' own.

use pliant::math::random::Random;

/// Numbers as text.
const NUMBERS: [&str; 28] = [
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "3",
    "4",
    "5",
    "0.5",
    "1e308",
    "-1e308",
    "1e-308",
    "5e-324",
    "1e400",
    "1e150",
    "1e-150",
    "nan",
    "inf",
    "-inf",
    "255",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
];

/// Pieces that open, close, separate or end something.
const PIECES: [&str; 26] = [
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "<",
    ">",
    "</",
    "/>",
    "\"",
    "'",
    ",",
    ";",
    "=",
    "#",
    "\\",
    "\n",
    "\r\n",
    "\t",
    " ",
    "\0",
    "\u{feff}",
    "\u{202e}",
    "\u{1b}[31m",
    "é",
];

/// Whole numbers as bytes.
pub const INTEGERS: [u64; 14] = [
    0,
    1,
    2,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 62,
    1 << 63,
    u64::MAX,
];

/// Bytes of the words of a seed that are kept.
const WORD: std::ops::RangeInclusive<usize> = 2..=24;

/// Words of seeds at most; those of further seeds are left out.
const MOST_WORDS: usize = 4000;

/// All words to put into an input.
#[derive(Debug)]
pub struct Dictionary {
    /// Words of the seeds.
    words: Vec<Vec<u8>>,
}

impl Dictionary {
    /// With the words found in the seeds.
    pub fn of(seeds: &[Vec<u8>]) -> Dictionary {
        let words = seeds.iter().flat_map(|seed| seed.split(|byte| !in_word(*byte)));
        let words = words
            .filter(|word| WORD.contains(&word.len()) && word.iter().any(u8::is_ascii_alphabetic));
        let mut words: Vec<Vec<u8>> = words.map(<[u8]>::to_vec).take(100 * MOST_WORDS).collect();
        words.sort();
        words.dedup();
        words.truncate(MOST_WORDS);
        Dictionary { words }
    }

    /// A number, as text.
    pub fn number(&self, random: &mut Random) -> Vec<u8> {
        NUMBERS[random.below(NUMBERS.len())].into()
    }

    /// A piece that separates or brackets.
    pub fn piece(&self, random: &mut Random) -> Vec<u8> {
        PIECES[random.below(PIECES.len())].into()
    }

    /// Any word: of the seeds, a number, or a piece.
    pub fn any(&self, random: &mut Random) -> Vec<u8> {
        match random.below(4) {
            0 => self.number(random),
            1 => self.piece(random),
            _ if self.words.is_empty() => self.number(random),
            _ => self.words[random.below(self.words.len())].clone(),
        }
    }
}

/// Whether a byte belongs to a word or a number.
pub fn in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.+-$*".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_seeds_are_found_once() {
        let found = Dictionary::of(&[b"POINTS 3 float\nPOINTS 2".to_vec(), b"a $Nodes".to_vec()]);
        assert_eq!(found.words, [b"$Nodes".to_vec(), b"POINTS".to_vec(), b"float".to_vec()]);
        let mut random = Random::new(1);
        assert!((0..100).any(|_| found.any(&mut random) == b"float"));
    }
}
