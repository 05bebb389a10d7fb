//! The state that parts of a simulation keep from step to step, as plain numbers.
//!
//! Positions and velocities are not all: some integrators look back a step, plastic
//! materials keep rest values that drifted. A run that is resumed must restore these too, or
//! its bits differ.

use crate::math::Vec3;

/// Why a snapshot cannot be restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the memory of {part} has another size than this scene needs")]
pub struct SnapshotError {
    /// The part whose state it is.
    pub part: &'static str,
}

/// A list of numbers that is written by parts in order, and read in the same order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    numbers: Vec<f64>,
    /// First number that was not read yet.
    next: usize,
}

impl Snapshot {
    /// A snapshot that was written before, to be read from its start.
    pub fn from_numbers(numbers: Vec<f64>) -> Snapshot {
        Snapshot { numbers, next: 0 }
    }

    /// Everything that was written.
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// Clears it, to be written anew.
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.next = 0;
    }

    /// Whether everything was read.
    pub fn is_read(&self) -> bool {
        self.next == self.numbers.len()
    }

    /// Writes one number.
    pub fn write(&mut self, number: f64) {
        self.numbers.push(number);
    }

    /// Writes an array, its length first.
    pub fn write_vectors(&mut self, vectors: &[Vec3]) {
        self.write(vectors.len() as f64);
        self.numbers.extend(vectors.iter().flat_map(|vector| vector.to_array()));
    }

    /// How many numbers are still to be read.
    pub(crate) fn left(&self) -> usize {
        self.numbers.len() - self.next
    }

    /// Reads one number.
    pub fn read(&mut self, part: &'static str) -> Result<f64, SnapshotError> {
        let number = self.numbers.get(self.next).copied().ok_or(SnapshotError { part })?;
        self.next += 1;
        Ok(number)
    }

    /// Reads an array of any length.
    pub fn read_vectors(
        &mut self,
        part: &'static str,
        vectors: &mut Vec<Vec3>,
    ) -> Result<(), SnapshotError> {
        let count = self.read(part)?;
        let left = self.left();
        if !(count >= 0.0 && count.fract() == 0.0 && 3.0 * count <= left as f64) {
            return Err(SnapshotError { part });
        }
        let end = self.next + 3 * count as usize;
        let numbers = self.numbers[self.next..end].chunks_exact(3);
        vectors.clear();
        vectors.extend(numbers.map(|xyz| Vec3::new(xyz[0], xyz[1], xyz[2])));
        self.next = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_in_order() {
        let mut memory = Snapshot::default();
        memory.write(2.5);
        memory.write_vectors(&[Vec3::X, Vec3::Y]);
        let mut read = Snapshot::from_numbers(memory.numbers().to_vec());
        let mut vectors = Vec::new();
        assert_eq!(read.read("a"), Ok(2.5));
        read.read_vectors("b", &mut vectors).unwrap();
        assert_eq!(vectors, [Vec3::X, Vec3::Y]);
        assert!(read.is_read());
        assert_eq!(read.read("c"), Err(SnapshotError { part: "c" }));
    }

    #[test]
    fn a_length_that_cannot_be_is_refused() {
        for count in [-1.0, 0.5, 2.0, 1e300, f64::NAN] {
            let mut memory = Snapshot::from_numbers(vec![count, 0.0, 0.0, 0.0]);
            assert!(memory.read_vectors("a", &mut Vec::new()).is_err(), "{count}");
        }
    }
}
