//! What can be fuzzed: a reader, seeds for it, and its bound of memory.

use std::fmt::Debug;
use std::path::Path;

mod mesh_seeds;

mod mesh;

mod outline;

mod scene;

mod recording;

mod run_files;

/// Checks what was read, after time and memory were taken.
pub type Check = Box<dyn FnOnce() -> Result<(), String>>;

/// What a target made of an input.
pub enum Reading {
    /// Refused with this message.
    Refused(String),
    /// Read; the check says whether it is what it should be.
    Accepted(Check),
}

/// Reads an input; the folder is for its files.
pub type Read = fn(&[u8], &Path) -> Reading;

/// One thing to be fuzzed.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// One word.
    pub name: &'static str,
    /// Seeds that our own writers and scenes give.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Ending of files that are seeds too; empty for none.
    pub ending: &'static str,
    /// Makes checksums fit again, so that what they protect is reached.
    pub repair: Option<fn(&mut Vec<u8>)>,
    /// Bound of memory.
    pub memory: Memory,
    /// What is judged.
    pub read: Read,
}

/// Memory that reading may take at one time.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// For any input, bytes.
    pub base: usize,
    /// For each byte of the input, bytes.
    pub per_byte: usize,
}

impl Memory {
    /// For readers that keep what they read.
    pub const SMALL: Memory = Memory { base: 4 << 20, per_byte: 200 };

    /// For scenes, in which a few letters stand for many vertices.
    pub const SCENE: Memory = Memory { base: 1 << 30, per_byte: 1000 };

    /// For an input of so many bytes.
    pub fn most(self, size: usize) -> usize {
        self.base + self.per_byte * size
    }
}

/// All targets.
pub fn all() -> Vec<Target> {
    let parts = [&mesh::ALL[..], &outline::ALL, &scene::ALL, &recording::ALL, &run_files::ALL];
    parts.concat()
}

/// What stands before and after the first zero byte: two files in one input.
fn two_files(input: &[u8]) -> (&[u8], &[u8]) {
    let middle = input.iter().position(|byte| *byte == 0);
    middle.map_or((input, &[]), |at| (&input[..at], &input[at + 1..]))
}

/// Complains unless two values are printed alike: not a number equals itself here.
fn same<T: Debug>(what: &str, read: &T, again: &T) -> Result<(), String> {
    let (read, again) = (format!("{read:?}"), format!("{again:?}"));
    if read == again {
        return Ok(());
    }
    let differs = read.bytes().zip(again.bytes()).take_while(|(a, b)| a == b).count();
    let near =
        |text: &str| text.chars().skip(differs.saturating_sub(40)).take(80).collect::<String>();
    Err(format!("{what} differs when read again\n{}\n{}", near(&read), near(&again)))
}
