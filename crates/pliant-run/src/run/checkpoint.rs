//! A checkpoint, from which a run resumes with bitwise identical results.
//!
//! Words of 64 bits, little-endian, after a magic and a version; BLAKE3 over all at the end.

use std::io;
use std::path::Path;

use pliant::math::Vec3;
use pliant::profile::Stage;

use crate::summary::{ContactTally, Iterations};
use pliant_io::atomic_file::{self, Extent};
use pliant_io::regular_file;

/// How every checkpoint begins.
const MAGIC: [u8; 8] = *b"PLIANTC\n";

/// Version of the format.
const VERSION: u64 = 5;

/// Size of the digest at the end, bytes.
const DIGEST: usize = 32;

/// Counts and times, ns, are below this: sums that go on from them do not overflow.
const LARGEST_COUNT: u64 = 1 << 62;

/// Everything that the rest of a run depends on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Checkpoint {
    /// Which run it belongs to: a digest of the scene.
    pub identity: [u8; 32],
    /// Steps made.
    pub step: u64,
    /// The tables up to here: `series.csv`, `bodies.csv`, `contacts.csv`.
    pub tables: [Extent; 3],
    /// The recording up to here.
    pub recording: Extent,
    /// Iterations of all steps.
    pub iterations: Iterations,
    /// What contact took.
    pub contact: ContactTally,
    /// Time of the steps on the wall clock, ns.
    pub wall: u64,
    /// CPU time per stage, ns.
    pub stages: [u64; Stage::ALL.len()],
    /// External impulses so far, N·s.
    pub given: Vec3,
    /// Largest Σ m‖v‖ so far, kg·m/s.
    pub largest: f64,
    /// Snapshot of the simulation, in its own units.
    pub numbers: Vec<f64>,
}

/// Why a run cannot resume from a checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// An I/O error.
    #[error("{}", atomic_file::io_message(.0))]
    File(#[from] io::Error),
    /// A format that came later.
    #[error("a checkpoint in format {0}, from a newer pliant; this one reads up to {VERSION}")]
    Newer(u64),
    /// A format that this program no longer reads.
    #[error("a checkpoint in format {0}, from an older pliant; this one writes {VERSION}")]
    Older(u64),
    /// Bytes that are not those that were written.
    #[error("a damaged checkpoint")]
    Damaged,
}

impl Checkpoint {
    /// Writes it atomically: readers find this one or the one before.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut bytes = MAGIC.to_vec();
        let Checkpoint { step, tables, recording, iterations, wall, given, .. } = *self;
        let Iterations { newton, linear, sweeps, rounds } = iterations;
        let head = [VERSION, step].into_iter();
        let head = head.chain(tables.map(|table| table.length)).chain([recording.length]);
        let head = head.chain([newton, linear, sweeps, rounds, wall]);
        let [x, y, z] = given.to_array();
        let floats = [x, y, z, self.largest].map(f64::to_bits);
        let ContactTally { sweeps, steps_cut, steps_loose, most_contacts, most_unresolved } =
            self.contact;
        let contact = [sweeps, steps_cut, steps_loose, most_contacts, most_unresolved];
        let words = head.chain(contact).chain(self.stages).chain(floats);
        let numbers = self.numbers.iter().map(|number| number.to_bits());
        let words = words.chain([numbers.len() as u64]).chain(numbers);
        bytes.extend(words.flat_map(u64::to_le_bytes));
        let digests = tables.map(|table| table.digest);
        for digest in digests.into_iter().chain([recording.digest, self.identity]) {
            bytes.extend(digest);
        }
        bytes.extend(blake3::hash(&bytes).as_bytes());
        atomic_file::write(path, &bytes)
    }

    /// Reads what was written.
    pub fn read(path: &Path) -> Result<Checkpoint, CheckpointError> {
        let bytes = regular_file::read(path)?;
        let words = bytes.strip_prefix(&MAGIC).ok_or(CheckpointError::Damaged)?;
        match words.first_chunk().map(|version| u64::from_le_bytes(*version)) {
            Some(version) if version > VERSION => return Err(CheckpointError::Newer(version)),
            Some(version) if version < VERSION => return Err(CheckpointError::Older(version)),
            _ => {}
        }
        let (body, digest) = bytes.split_last_chunk::<DIGEST>().ok_or(CheckpointError::Damaged)?;
        if blake3::hash(body).as_bytes() != digest {
            return Err(CheckpointError::Damaged);
        }
        Checkpoint::from_body(body).ok_or(CheckpointError::Damaged)
    }

    /// From everything before the digest.
    fn from_body(body: &[u8]) -> Option<Checkpoint> {
        let (words, identity) = body.split_last_chunk::<DIGEST>()?;
        let (words, recording) = words.split_last_chunk::<DIGEST>()?;
        let (words, contacts) = words.split_last_chunk::<DIGEST>()?;
        let (words, bodies) = words.split_last_chunk::<DIGEST>()?;
        let (words, series) = words.split_last_chunk::<DIGEST>()?;
        let mut words = words.get(16..)?.as_chunks::<8>().0.iter().map(|w| u64::from_le_bytes(*w));
        let mut word = || words.next().filter(|word| *word < LARGEST_COUNT);
        let mut found = Checkpoint { identity: *identity, ..Checkpoint::default() };
        found.step = word()?;
        for (table, digest) in found.tables.iter_mut().zip([series, bodies, contacts]) {
            *table = Extent { length: word()?, digest: *digest };
        }
        found.recording = Extent { length: word()?, digest: *recording };
        found.iterations =
            Iterations { newton: word()?, linear: word()?, sweeps: word()?, rounds: word()? };
        found.wall = word()?;
        found.contact = ContactTally {
            sweeps: word()?,
            steps_cut: word()?,
            steps_loose: word()?,
            most_contacts: word()?,
            most_unresolved: word()?,
        };
        for spent in &mut found.stages {
            *spent = word()?;
        }
        let mut number = || words.next().map(f64::from_bits);
        found.given = Vec3::new(number()?, number()?, number()?);
        found.largest = number()?;
        let count = words.next()?;
        found.numbers = words.map(f64::from_bits).collect();
        (found.numbers.len() as u64 == count).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn checkpoint() -> Checkpoint {
        Checkpoint {
            identity: [7; 32],
            step: 1,
            tables: [2, 20, 200].map(|length| Extent { length, digest: [length as u8; 32] }),
            recording: Extent { length: 3, digest: [4; 32] },
            iterations: Iterations { newton: 4, linear: 5, sweeps: 14, rounds: 15 },
            contact: ContactTally {
                sweeps: 6,
                steps_cut: 7,
                steps_loose: 10,
                most_contacts: 8,
                most_unresolved: 9,
            },
            wall: 6,
            stages: [7, 8, 9, 10, 11, 12],
            given: Vec3::new(13.0, -0.0, 15.5),
            largest: 16.0,
            numbers: vec![17.0, f64::MIN_POSITIVE, -1e300],
        }
    }

    /// A checkpoint with one word replaced and a digest that fits.
    fn crafted(bytes: &[u8], word: usize, value: u64) -> Vec<u8> {
        let mut bytes = bytes[..bytes.len() - DIGEST].to_vec();
        bytes[8 * (word + 1)..8 * (word + 2)].copy_from_slice(&value.to_le_bytes());
        let digest = blake3::hash(&bytes);
        bytes.extend(digest.as_bytes());
        bytes
    }

    #[test]
    fn counts_that_cannot_be_are_refused_though_the_digest_fits() {
        let path = std::env::temp_dir().join(format!("pliant-crafted-{}", std::process::id()));
        checkpoint().write(&path).unwrap();
        let bytes = fs::read(&path).unwrap();
        // After the version: ten words, five of contact, six of stages, four numbers, the count.
        let count = 1 + 10 + 5 + 6 + 4;
        for (word, value) in
            [(1, u64::MAX), (2, 1 << 63), (8, u64::MAX), (count, 1 << 60), (count, 2)]
        {
            fs::write(&path, crafted(&bytes, word, value)).unwrap();
            let read = Checkpoint::read(&path);
            assert!(matches!(read, Err(CheckpointError::Damaged)), "word {word}: {read:?}");
        }
        fs::write(&path, crafted(&bytes, count, 3)).unwrap(); // as it was
        assert_eq!(Checkpoint::read(&path).unwrap(), checkpoint());
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_checkpoint_comes_back_or_is_named_damaged() {
        let name = format!("pliant-checkpoint-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        checkpoint().write(&path).unwrap();
        assert_eq!(Checkpoint::read(&path).unwrap(), checkpoint());
        let bytes = fs::read(&path).unwrap();
        for place in 0..bytes.len() {
            fs::write(&path, &bytes[..place]).unwrap();
            let cut = Checkpoint::read(&path);
            assert!(matches!(cut, Err(CheckpointError::Damaged)), "cut at {place}");
            let mut other = bytes.clone();
            other[place] ^= 0x10;
            fs::write(&path, &other).unwrap();
            assert!(Checkpoint::read(&path).is_err(), "changed at {place}");
        }
        let mut newer = bytes;
        newer[8] = 9;
        fs::write(&path, &newer).unwrap();
        assert!(matches!(Checkpoint::read(&path), Err(CheckpointError::Newer(9))));
        fs::remove_file(&path).unwrap();
    }
}
