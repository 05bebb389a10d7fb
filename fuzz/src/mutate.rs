//! Inputs made from seeds: a few changes each, of bytes, words and lines.

use std::ops::Range;

use pliant::math::random::Random;

use crate::dictionary::{Dictionary, INTEGERS, in_word};

/// Bytes of an input at most.
pub const MOST_BYTES: usize = 1 << 18;

/// Changes of one input at most.
const MOST_CHANGES: usize = 6;

/// Copies of a line or a bracket at most.
const MOST_COPIES: usize = 20_000;

/// Accepted inputs that are changed further at most.
const MOST_GROWN: usize = 64;

/// Makes inputs, the same ones for the same seeds and random numbers.
#[derive(Debug)]
pub struct Mutator {
    seeds: Vec<Vec<u8>>,
    /// Inputs that were accepted: what follows from them gets further inside.
    grown: Vec<Vec<u8>>,
    dictionary: Dictionary,
    random: Random,
}

impl Mutator {
    /// From seeds, of which there may be none.
    pub fn new(mut seeds: Vec<Vec<u8>>, number: u64) -> Mutator {
        let dictionary = Dictionary::of(&seeds);
        if seeds.is_empty() {
            seeds.push(Vec::new());
        }
        Mutator { seeds, grown: Vec::new(), dictionary, random: Random::new(number) }
    }

    /// The next input.
    pub fn next(&mut self) -> Vec<u8> {
        let mut input = self.chosen().clone();
        for _ in 0..1 + self.random.below(MOST_CHANGES) {
            self.change(&mut input);
            input.truncate(MOST_BYTES);
        }
        input
    }

    /// Keeps an input that was accepted, to be changed further.
    pub fn keep(&mut self, input: Vec<u8>) {
        if self.grown.len() < MOST_GROWN {
            self.grown.push(input);
        } else {
            let place = self.random.below(MOST_GROWN);
            self.grown[place] = input;
        }
    }

    /// A seed or an accepted input, the smaller of two more often.
    fn chosen(&mut self) -> &Vec<u8> {
        let [a, b] = [(); 2].map(|()| self.random.below(self.seeds.len() + self.grown.len() / 2));
        let larger_too = self.random.below(4) == 0;
        let get = |k: usize| self.seeds.get(k).unwrap_or_else(|| &self.grown[k - self.seeds.len()]);
        if larger_too || get(a).len() <= get(b).len() { get(a) } else { get(b) }
    }

    fn change(&mut self, input: &mut Vec<u8>) {
        match self.random.below(16) {
            0 => self.flip(input),
            1 => self.overwrite(input),
            2 | 3 => {
                let word = self.word(input);
                input.splice(word, self.dictionary.number(&mut self.random));
            }
            4 => {
                let word = self.word(input);
                input.splice(word, self.dictionary.any(&mut self.random));
            }
            5 => {
                let word = self.word(input);
                input.drain(word);
            }
            6 => {
                let at = self.random.below(input.len() + 1);
                input.splice(at..at, self.dictionary.any(&mut self.random));
            }
            7 => self.repeat(input),
            8 => {
                let line = self.line(input);
                input.drain(line);
            }
            9 => self.move_line(input),
            10 => input.truncate(self.random.below(input.len() + 1)),
            11 => self.splice(input),
            12 => {
                let range = self.range(input);
                input.drain(range);
            }
            13 => self.copy(input),
            14 => self.next_number(input),
            _ => self.nest(input),
        }
    }

    fn flip(&mut self, input: &mut [u8]) {
        if !input.is_empty() {
            let at = self.random.below(input.len());
            input[at] ^= 1 << self.random.below(8);
        }
    }

    /// Puts a whole number of 1, 2, 4 or 8 bytes, either end first.
    fn overwrite(&mut self, input: &mut [u8]) {
        let number = INTEGERS[self.random.below(INTEGERS.len())];
        let size = 1 << self.random.below(4);
        let bytes = match self.random.below(2) {
            0 => number.to_le_bytes()[..size].to_vec(),
            _ => number.to_be_bytes()[8 - size..].to_vec(),
        };
        if input.len() >= size {
            let at = self.random.below(input.len() - size + 1);
            input[at..at + size].copy_from_slice(&bytes);
        }
    }

    /// A line, or a bracket, many times.
    fn repeat(&mut self, input: &mut Vec<u8>) {
        let line = self.line(input);
        let room = MOST_BYTES.saturating_sub(input.len()) / line.len().max(1);
        let most = match self.random.below(4) {
            0 => MOST_COPIES,
            _ => 8,
        };
        let copies = input[line.clone()].repeat(self.random.below(most.min(room) + 1));
        input.splice(line.end..line.end, copies);
    }

    fn move_line(&mut self, input: &mut Vec<u8>) {
        let line = self.line(input);
        let moved: Vec<u8> = input.drain(line).collect();
        let to = self.line(input).start;
        input.splice(to..to, moved);
    }

    /// The beginning of this input, and the end of another.
    fn splice(&mut self, input: &mut Vec<u8>) {
        let other = self.chosen().clone();
        let from = self.line(&other).start;
        input.truncate(self.line(input).end);
        input.extend(&other[from..]);
    }

    fn copy(&mut self, input: &mut Vec<u8>) {
        let range = self.range(input);
        let copied = input[range].to_vec();
        let at = self.random.below(input.len() + 1);
        input.splice(at..at, copied);
    }

    /// A whole number a little larger or smaller, or with another sign.
    fn next_number(&mut self, input: &mut Vec<u8>) {
        let word = self.word(input);
        let text = std::str::from_utf8(&input[word.clone()]).unwrap_or_default();
        if let Ok(number) = text.parse::<i64>() {
            let other = match self.random.below(4) {
                0 => number.saturating_add(1),
                1 => number.saturating_sub(1),
                2 => number.saturating_neg(),
                _ => number.saturating_mul(10),
            };
            input.splice(word, other.to_string().into_bytes());
        }
    }

    /// The same piece many times in one place.
    fn nest(&mut self, input: &mut Vec<u8>) {
        let piece = match self.random.below(2) {
            0 => self.dictionary.piece(&mut self.random),
            _ => {
                let range = self.range(input);
                input[range].iter().copied().take(32).collect()
            }
        };
        let room = MOST_BYTES.saturating_sub(input.len()) / piece.len().max(1);
        let copies = piece.repeat(self.random.below(MOST_COPIES.min(room) + 1));
        let at = self.random.below(input.len() + 1);
        input.splice(at..at, copies);
    }

    /// The word around a random place; empty between words.
    fn word(&mut self, input: &[u8]) -> Range<usize> {
        let at = self.random.below(input.len() + 1);
        // Most places in binary data are in no word: the next one is meant.
        let at = (at..input.len()).find(|k| in_word(input[*k])).unwrap_or(at);
        let start = (0..at).rev().find(|k| !in_word(input[*k])).map_or(0, |k| k + 1);
        let end = (at..input.len()).find(|k| !in_word(input[*k])).unwrap_or(input.len());
        start..end
    }

    /// The line around a random place, with its end.
    fn line(&mut self, input: &[u8]) -> Range<usize> {
        let at = self.random.below(input.len() + 1);
        let start = (0..at).rev().find(|k| input[*k] == b'\n').map_or(0, |k| k + 1);
        let end = (at..input.len()).find(|k| input[*k] == b'\n').map_or(input.len(), |k| k + 1);
        start..end
    }

    /// Some bytes, few more often than many.
    fn range(&mut self, input: &[u8]) -> Range<usize> {
        let start = self.random.below(input.len() + 1);
        let most = (input.len() - start) >> self.random.below(12);
        start..start + self.random.below(most + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocations::ALONE;

    fn made(number: u64) -> Vec<Vec<u8>> {
        let _alone = ALONE.lock();
        let seeds = vec![b"POINTS 3 float\n0 0 0\n1 0 0\n".to_vec(), b"{\"a\": [1, 2]}".to_vec()];
        let mut mutator = Mutator::new(seeds, number);
        (0..2000).map(|_| mutator.next()).collect()
    }

    #[test]
    fn inputs_follow_from_the_number_alone() {
        assert_eq!(made(7), made(7));
        assert_ne!(made(7), made(8));
    }

    #[test]
    fn inputs_are_bounded_and_mostly_different() {
        let mut inputs = made(1);
        assert!(inputs.iter().all(|input| input.len() <= MOST_BYTES));
        inputs.sort();
        inputs.dedup();
        assert!(inputs.len() > 1200, "{}", inputs.len());
    }
}
