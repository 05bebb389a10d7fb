//! Writing a recording, one frame at a time.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use pliant::math::Vec3;

use super::code::{Packer, Past};
use super::read::Recording;
use super::{
    BlockHead, END, ENTRY, Entry, FRAME, Header, INDEX, KEY_EVERY, MAGIC, MOST_HEADER_RATIO,
    MOST_RATIO, RecordingError, SMALL_HEADER, VERTEX, checksum,
};
use pliant_io::atomic_file::{self, AppendFile, Extent};
use pliant_io::regular_file;
use pliant_scene::loaded::RunInfo;

/// How a frame of zstd begins that readers skip, before its length.
const SKIPPED: [u8; 4] = [0x50, 0x2a, 0x4d, 0x18];

/// How hard zstd tries at the header: on higher levels setting up costs more than packing.
const HEADER_LEVEL: i32 = 3;

/// A recording that grows.
#[derive(Debug)]
pub struct Writer {
    file: AppendFile,
    frames: Vec<Entry>,
    packer: Packer,
    /// Numbers of fields in every frame.
    values: usize,
    points: Vec<[f32; 3]>,
    block: Vec<u8>,
}

impl Writer {
    /// A recording without frames.
    pub fn create(path: &Path, header: &Header) -> io::Result<Writer> {
        let file = AppendFile::create_after(path, &header_bytes(header)?)?;
        let packer = Packer::new(Past::default())?;
        let values = header.values();
        let (frames, points, block) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Writer { file, frames, packer, values, points, block })
    }

    /// Continues a recording after its first frames; what came later is truncated.
    ///
    /// A header of another run than `info`, such as one that is to be longer now, is replaced, so
    /// that the bytes are those of a recording that was never interrupted. A file whose frames
    /// were changed is an error, and stays as it is.
    pub fn resume(path: &Path, kept: Extent, info: &RunInfo) -> Result<Writer, RecordingError> {
        let failed = |error| RecordingError::File { path: path.to_path_buf(), error };
        let mut recording = Recording::open_up_to(path, kept.length)?;
        let start = recording.start();
        let mut file = AppendFile::reopen_after(path, start, kept).map_err(failed)?;
        if let Some(last) = recording.frames().len().checked_sub(1) {
            recording.read(last)?;
        }
        if recording.lost_bytes() > 0 {
            let what = format!("byte {} is within a frame", start + kept.length);
            return Err(RecordingError::Damaged { path: path.to_path_buf(), what });
        }
        let header = Header { info: info.clone(), ..recording.header().clone() };
        let is_other = header != *recording.header();
        let values = header.values();
        let (mut frames, past) = recording.into_parts();
        let packer = Packer::new(past).map_err(failed)?;
        if is_other {
            let bytes = header_bytes(&header).map_err(failed)?;
            replace_header(path, &bytes, start, kept).map_err(failed)?;
            let moved = bytes.len() as u64;
            file = AppendFile::reopen_after(path, moved, kept).map_err(failed)?;
            frames.iter_mut().for_each(|entry| entry.offset = entry.offset - start + moved);
        }
        file.cut().map_err(failed)?;
        Ok(Writer { file, frames, packer, values, points: Vec::new(), block: Vec::new() })
    }

    /// Adds a frame; on an error the file is as it was, and must not be added to.
    ///
    /// Of a recording with fields, their numbers are NaN.
    pub fn push(&mut self, step: u64, time: f64, positions: &[Vec3]) -> io::Result<()> {
        self.push_with_fields(step, time, positions, &[])
    }

    /// The same with the numbers of all fields; those that are lacking are NaN.
    pub fn push_with_fields(
        &mut self,
        step: u64,
        time: f64,
        positions: &[Vec3],
        values: &[f32],
    ) -> io::Result<()> {
        if self.frames.len().is_multiple_of(KEY_EVERY) {
            self.packer.forget();
        }
        let count_of_values = self.values;
        let rounded = positions.iter().map(|p| p.to_array().map(|value| value as f32));
        self.points.clear();
        self.points.extend(rounded);
        let numbers = values.iter().copied().chain(std::iter::repeat(f32::NAN));
        let mut numbers = numbers.take(count_of_values).chain(std::iter::repeat(0.0));
        for _ in 0..count_of_values.div_ceil(3) {
            self.points.push(std::array::from_fn(|_| numbers.next().unwrap_or(0.0)));
        }
        let count = self.points.len();
        let (order, packed) = self.packer.pack(self.points.iter().copied())?;
        let is_first = self.frames.is_empty();
        let least = VERTEX * count / MOST_RATIO as usize;
        let padding = if is_first { padding(least, packed.len()) } else { Vec::new() };
        let length = packed.len() + padding.len();
        let head = BlockHead {
            tag: FRAME,
            length: u32::try_from(length).map_err(|_| too_large("frame"))?,
            step,
            time,
            order: order as u32,
            vertices: u32::try_from(count).map_err(|_| too_large("frame"))?,
        };
        fill(&mut self.block, head, &[packed, &padding]);
        let offset = self.file.length();
        self.file.append(&self.block)?;
        self.frames.push(Entry { offset, step, time });
        Ok(())
    }

    /// Waits until everything is on the disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync()
    }

    /// The frames so far, without the header.
    pub fn extent(&self) -> Extent {
        self.file.extent()
    }

    /// Frames so far.
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// Adds a block as it is given, for recordings that no program of ours writes.
    #[cfg(test)]
    pub(super) fn append_block(&mut self, step: u64, vertices: u32, packed: &[u8]) {
        let length = packed.len() as u32;
        let head = BlockHead { tag: FRAME, length, step, time: 0.0, order: 0, vertices };
        fill(&mut self.block, head, &[packed]);
        let offset = self.file.length();
        if self.file.append(&self.block).is_ok() {
            self.frames.push(Entry { offset, step, time: 0.0 });
        }
    }

    /// Writes the index.
    pub fn finish(mut self) -> io::Result<()> {
        let mut payload = Vec::with_capacity(ENTRY * self.frames.len());
        for entry in &self.frames {
            payload.extend(entry.offset.to_le_bytes());
            payload.extend(entry.step.to_le_bytes());
            payload.extend(entry.time.to_le_bytes());
        }
        let head = BlockHead {
            tag: INDEX,
            length: u32::try_from(payload.len()).map_err(|_| too_large("index"))?,
            step: self.frames.len() as u64,
            time: 0.0,
            order: 0,
            vertices: 0,
        };
        fill(&mut self.block, head, &[&payload]);
        self.block.extend(self.file.length().to_le_bytes());
        self.block.extend(END);
        self.file.append(&self.block)?;
        self.file.sync()
    }
}

/// Magic, version and header, with a checksum.
fn header_bytes(header: &Header) -> io::Result<Vec<u8>> {
    let json = serde_json::to_vec(header)?;
    let mut packed = zstd::bulk::compress(&json, HEADER_LEVEL)?;
    let least = json.len().saturating_sub(SMALL_HEADER) / MOST_HEADER_RATIO + 1;
    packed.extend(padding(least, packed.len()));
    let length = u32::try_from(packed.len()).map_err(|_| too_large("header"))?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend(header.version().to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes.extend(packed);
    bytes.extend(checksum(&bytes));
    Ok(bytes)
}

/// Puts another header before the frames, atomically; the old one ends at byte `start`.
fn replace_header(path: &Path, header: &[u8], start: u64, kept: Extent) -> io::Result<()> {
    let mut old = regular_file::open_own(path)?;
    old.seek(SeekFrom::Start(start))?;
    atomic_file::write_with(path, |file| {
        file.write_all(header)?;
        io::copy(&mut old.take(kept.length), file).map(|_| ())
    })
}

fn fill(block: &mut Vec<u8>, head: BlockHead, payload: &[&[u8]]) {
    block.clear();
    block.extend(head.bytes());
    payload.iter().for_each(|part| block.extend(*part));
    block.extend(checksum(block));
}

/// What makes a packed header or frame at least so many bytes long; nearly always nothing.
fn padding(least: usize, packed: usize) -> Vec<u8> {
    let Some(missing) = least.checked_sub(packed).filter(|missing| *missing > 0) else {
        return Vec::new();
    };
    let mut padding = SKIPPED.to_vec();
    padding.extend((missing as u32).to_le_bytes());
    padding.resize(padding.len() + missing, 0);
    padding
}

fn too_large(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("a {what} has more than 4 GiB"))
}
