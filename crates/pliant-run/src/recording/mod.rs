//! Recordings: where every vertex was, frame by frame, in one small file.
//!
//! ```text
//!  magic, version, header ─▶ block, block, … (one per frame) ─▶ index, where the index is
//! ```
//!
//! Numbers are little-endian. The header is JSON in a zstd frame: the version of the program,
//! the count of vertices and the [`RunInfo`]. Every block is checked by a checksum and
//! can be read as soon as it is written. The index makes opening fast; a file that was
//! cut short has none, and is read block by block up to the last whole one.
//!
//! Positions are the state's, rounded to f32. They are kept bit for bit: each number is
//! predicted from the same vertex in up to three frames before, see [`code`], and what the
//! prediction missed is compressed. The numbers of fields, which only version 2 has, are laid out
//! as further points behind the vertices. Every [`KEY_EVERY`]th frame does without the ones before.
//! Fine surfaces that bodies carry are in the header; frames as read have their vertices too.

pub mod code;

pub mod write;

pub mod read;

mod plausible;

mod carried;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use pliant_scene::loaded::RunInfo;

pub use read::Recording;
pub use write::Writer;

/// How every recording begins.
const MAGIC: [u8; 8] = *b"PLIANTR\n";

/// How a complete recording ends, after the place of its index.
const END: [u8; 8] = *b"PLIANTE\n";

/// Latest version of the format: with fields. Without them the first one is written.
pub const VERSION: u32 = 2;

/// Version without fields.
const PLAIN: u32 = 1;

/// Frames from one that stands alone to the next.
pub const KEY_EVERY: usize = 32;

/// First bytes of a block that holds a frame.
const FRAME: [u8; 4] = *b"FRAM";

/// First bytes of the block that holds the index.
const INDEX: [u8; 4] = *b"INDX";

/// Size of what stands before a block's payload, bytes.
const BLOCK_HEAD: usize = 32;

/// Size of the checksum after a payload, bytes.
const CHECKSUM: usize = 8;

/// Size of magic, version and length of the header, bytes.
const FILE_HEAD: usize = 16;

/// Size of what stands after the index, bytes.
const FILE_END: usize = 16;

/// Size of one entry of the index, bytes.
const ENTRY: usize = 24;

/// Size of a vertex in a frame before it is packed, bytes.
const VERTEX: usize = 12;

/// Bytes of a header before it is packed, at most, per packed byte; the writer sees to it.
const MOST_HEADER_RATIO: usize = 20;

/// Bytes of a header that are always allowed, however small they pack.
const SMALL_HEADER: usize = 1 << 20;

/// Bytes of a frame before it is packed, at most, per byte of the file.
///
/// The writer sees to it, so that a reader's memory is bounded by the size of the file: the first
/// frame is padded where positions repeat so much that they shrink to less.
const MOST_RATIO: u64 = 100;

/// Header of a recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Version of the program that wrote it.
    pub pliant: String,
    /// Vertices in every frame.
    pub vertices: usize,
    /// The run.
    pub info: RunInfo,
}

/// One frame in the index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    /// Where its block begins in the file, bytes.
    pub offset: u64,
    /// Steps made before it.
    pub step: u64,
    /// Since the start, s.
    pub time: f64,
}

/// Where everything was at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Steps made before it.
    pub step: u64,
    /// Since the start, s.
    pub time: f64,
    /// Of all vertices in body order, then of the fine surfaces they carry, world space, m.
    pub positions: Vec<[f32; 3]>,
    /// Numbers of all fields, one after the other; see [`Recorded`](pliant_scene::loaded::Recorded).
    pub values: Vec<f32>,
}

impl Header {
    /// Version of the format that it needs.
    pub fn version(&self) -> u32 {
        if self.info.recorded.fields.is_empty() { PLAIN } else { VERSION }
    }

    /// Numbers of all fields in a frame.
    pub fn values(&self) -> usize {
        self.info.recorded.numbers(self.vertices)
    }

    /// Points of a frame: vertices, and as many as hold the numbers of all fields.
    fn points(&self) -> usize {
        self.vertices.saturating_add(self.values().div_ceil(3))
    }
}

/// Why there is no frame to show.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// An I/O error.
    #[error("{}: {}", path.display(), pliant_io::atomic_file::io_message(error))]
    File {
        /// The file.
        path: PathBuf,
        /// The I/O error.
        error: std::io::Error,
    },
    /// Other bytes.
    #[error("{}: not a pliant recording", path.display())]
    NotARecording {
        /// The file.
        path: PathBuf,
    },
    /// A format that came later.
    #[error(
        "{}: a recording in format {version}, from a newer pliant; this one reads up to {VERSION}",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        version: u32,
    },
    /// Nothing but a part of the beginning.
    #[error("{}: a recording cut short before its first frame", path.display())]
    CutShort {
        /// The file.
        path: PathBuf,
    },
    /// Bytes that are not those that were written.
    #[error("{}: a damaged recording: {what}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Which part, and how that shows.
        what: String,
    },
    /// A frame that is not there.
    #[error("{}: frame {frame} does not exist, there are {count}", path.display())]
    NoSuchFrame {
        /// The file.
        path: PathBuf,
        /// From 0.
        frame: usize,
        /// Frames in the file.
        count: usize,
    },
}

/// What stands before the payload of a block.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BlockHead {
    /// What the block holds.
    tag: [u8; 4],
    /// Bytes of the payload.
    length: u32,
    /// Of a frame: steps made before it; of the index: frames.
    step: u64,
    /// Of a frame: since the start, s.
    time: f64,
    /// Of a frame: frames before it that predict it.
    order: u32,
    /// Vertices.
    vertices: u32,
}

impl BlockHead {
    fn bytes(&self) -> [u8; BLOCK_HEAD] {
        let mut bytes = [0; BLOCK_HEAD];
        bytes[..4].copy_from_slice(&self.tag);
        bytes[4..8].copy_from_slice(&self.length.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.step.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.time.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.order.to_le_bytes());
        bytes[28..].copy_from_slice(&self.vertices.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; BLOCK_HEAD]) -> BlockHead {
        let [t0, t1, t2, t3, l0, l1, l2, l3, step @ ..] = *bytes;
        let [s0, s1, s2, s3, s4, s5, s6, s7, rest @ ..] = step;
        let [f0, f1, f2, f3, f4, f5, f6, f7, o0, o1, o2, o3, v0, v1, v2, v3] = rest;
        BlockHead {
            tag: [t0, t1, t2, t3],
            length: u32::from_le_bytes([l0, l1, l2, l3]),
            step: u64::from_le_bytes([s0, s1, s2, s3, s4, s5, s6, s7]),
            time: f64::from_le_bytes([f0, f1, f2, f3, f4, f5, f6, f7]),
            order: u32::from_le_bytes([o0, o1, o2, o3]),
            vertices: u32::from_le_bytes([v0, v1, v2, v3]),
        }
    }
}

/// The first bytes of BLAKE3 over what stands before.
fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let mut sum = [0; CHECKSUM];
    sum.copy_from_slice(&blake3::hash(bytes).as_bytes()[..CHECKSUM]);
    sum
}
