//! References in a snapshot: they are history, and decide the last bits of what follows.
//!
//! Written are the matrices that were factored, not their factors: these are computed anew, and
//! come out the same.

use std::sync::Arc;

use crate::math::{Mat3, Vec3};
use crate::snapshot::{Snapshot, SnapshotError};
use crate::solve::factored::reference::{HELD, Reference, References, Slot, Structure};

/// Stands before all else: no part of another kind writes it.
const MARK: f64 = 0.618_033_988_75;

/// What errors name.
const PART: &str = "factors of contact";

impl References {
    /// Writes all references, and who uses which.
    pub(crate) fn save(&self, memory: &mut Snapshot) {
        let structures = self.structures();
        memory.write(MARK);
        memory.write(structures.len() as f64);
        structures.iter().for_each(|structure| structure.save(memory));
        memory.write(self.list.len() as f64);
        for reference in &self.list {
            let Some(reference) = reference else {
                memory.write(-1.0);
                continue;
            };
            let same = |structure: &&Arc<Structure>| Arc::ptr_eq(structure, &reference.structure);
            let place = structures.iter().position(same).unwrap_or(0);
            memory.write(place as f64);
            memory.write(reference.dt);
            memory.write_vectors(&reference.shape);
            write_matrices(&reference.blocks, memory);
        }
        memory.write(self.slots.len() as f64);
        for slots in &self.slots {
            memory.write(slots.len() as f64);
            for Slot { reference, dt, rate, excess_iterations } in slots {
                for number in [*reference as f64, *dt, *rate, *excess_iterations] {
                    memory.write(number);
                }
            }
        }
    }

    /// Reads what [`References::save`] wrote; on an error nothing is remembered.
    pub(crate) fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        *self = References::default();
        let read = self.read(memory);
        if read.is_err() {
            *self = References::default();
        }
        read
    }

    fn read(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        if memory.read(PART)? != MARK {
            return Err(SnapshotError { part: PART });
        }
        let count = read_count(memory)?;
        let structures =
            (0..count).map(|_| Structure::read(memory)).collect::<Result<Vec<_>, _>>()?;
        for _ in 0..read_count(memory)? {
            let place = memory.read(PART)?;
            if place == -1.0 {
                self.list.push(None);
                continue;
            }
            let structure = structures.get(place as usize).ok_or(SnapshotError { part: PART })?;
            let dt = memory.read(PART)?;
            let (mut shape, mut columns) = (Vec::new(), Vec::new());
            memory.read_vectors(PART, &mut shape)?;
            memory.read_vectors(PART, &mut columns)?;
            let blocks: Vec<Mat3> =
                columns.chunks_exact(3).map(|c| Mat3::from_cols(c[0], c[1], c[2])).collect();
            let fits = shape.len() == structure.nodes.len()
                && 3 * blocks.len() == columns.len()
                && blocks.len() == structure.pattern.entry_count();
            if !fits {
                return Err(SnapshotError { part: PART });
            }
            let reference = Reference::new(structure.clone(), dt, shape, blocks, &mut self.scratch);
            self.list.push(Some(reference.ok_or(SnapshotError { part: PART })?));
        }
        for _ in 0..read_count(memory)? {
            let mut slots = Vec::new();
            for _ in 0..read_count(memory)? {
                let reference = memory.read(PART)? as usize;
                let [dt, rate, excess_iterations] =
                    [memory.read(PART)?, memory.read(PART)?, memory.read(PART)?];
                if self.list.get(reference).is_none_or(Option::is_none) {
                    return Err(SnapshotError { part: PART });
                }
                slots.push(Slot { reference, dt, rate, excess_iterations });
            }
            self.slots.push(slots);
        }
        Ok(())
    }

    /// All structures, each once.
    fn structures(&self) -> Vec<&Arc<Structure>> {
        let mut all: Vec<&Arc<Structure>> = Vec::new();
        for reference in self.list.iter().flatten() {
            if !all.iter().any(|known| Arc::ptr_eq(known, &reference.structure)) {
                all.push(&reference.structure);
            }
        }
        all
    }
}

impl Structure {
    fn save(&self, memory: &mut Snapshot) {
        let Structure { starts, columns, nodes, points, .. } = self;
        memory.write_vectors(points);
        memory.write(starts.len() as f64);
        starts.iter().for_each(|start| memory.write(f64::from(*start)));
        columns.iter().for_each(|column| memory.write(f64::from(*column)));
        nodes.iter().for_each(|node| memory.write(if *node == HELD { 1.0 } else { 0.0 }));
    }

    fn read(memory: &mut Snapshot) -> Result<Arc<Structure>, SnapshotError> {
        let refused = SnapshotError { part: PART };
        let mut points = Vec::new();
        memory.read_vectors(PART, &mut points)?;
        let count = points.len();
        if memory.read(PART)? != (count + 1) as f64 {
            return Err(refused);
        }
        let starts = read_numbers(memory, count + 1, f64::from(u32::MAX))?;
        let ascend = starts.windows(2).all(|pair| pair[0] <= pair[1]);
        if starts[0] != 0 || !ascend {
            return Err(refused);
        }
        let columns = read_numbers(memory, starts[count] as usize, count as f64 - 1.0)?;
        let rows = starts.windows(2).map(|pair| &columns[pair[0] as usize..pair[1] as usize]);
        let sound = rows.enumerate().all(|(row, columns)| {
            columns.windows(2).all(|pair| pair[0] < pair[1]) && columns.contains(&(row as u32))
        });
        let held = read_numbers(memory, count, 1.0)?;
        if !sound || !is_symmetric(&starts, &columns) {
            return Err(refused);
        }
        Ok(Arc::new(Structure::from_parts(starts, columns, |local| held[local] == 1, points)))
    }
}

/// Whether with each entry the mirrored one is there.
fn is_symmetric(starts: &[u32], columns: &[u32]) -> bool {
    let row = |k: usize| &columns[starts[k] as usize..starts[k + 1] as usize];
    (0..starts.len() - 1).all(|k| {
        row(k).iter().all(|column| row(*column as usize).binary_search(&(k as u32)).is_ok())
    })
}

fn write_matrices(matrices: &[Mat3], memory: &mut Snapshot) {
    let columns = matrices.iter().flat_map(|m| [m.x_axis, m.y_axis, m.z_axis]);
    memory.write_vectors(&columns.collect::<Vec<Vec3>>());
}

/// A number of things that are all still to be read.
fn read_count(memory: &mut Snapshot) -> Result<usize, SnapshotError> {
    let left = memory.left() as f64;
    let count = memory.read(PART)?;
    if count >= 0.0 && count.fract() == 0.0 && count <= left {
        return Ok(count as usize);
    }
    Err(SnapshotError { part: PART })
}

/// So many whole numbers, none above `most`.
fn read_numbers(memory: &mut Snapshot, count: usize, most: f64) -> Result<Vec<u32>, SnapshotError> {
    if count > memory.left() {
        return Err(SnapshotError { part: PART });
    }
    let mut numbers = Vec::with_capacity(count);
    for _ in 0..count {
        let number = memory.read(PART)?;
        if !(number >= 0.0 && number <= most && number.fract() == 0.0) {
            return Err(SnapshotError { part: PART });
        }
        numbers.push(number as u32);
    }
    Ok(numbers)
}
