//! Reading a recording, any frame at any time.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::code::{Past, Unpacker};
use super::plausible::{most_vertices, what_is_wrong};
use super::{
    BLOCK_HEAD, BlockHead, CHECKSUM, END, ENTRY, Entry, FILE_END, FILE_HEAD, FRAME, Frame, Header,
    INDEX, KEY_EVERY, MAGIC, MOST_HEADER_RATIO, RecordingError, SMALL_HEADER, VERSION, carried,
    checksum,
};
use pliant_io::regular_file;
use pliant_scene::loaded::RunInfo;

/// A recording that is open.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    file: File,
    header: Header,
    /// Where the first frame begins, bytes.
    start: u64,
    frames: Vec<Entry>,
    /// Of the file, bytes.
    size: u64,
    /// Bytes after the last whole frame of a file without an index.
    lost: Option<u64>,
    unpacker: Unpacker,
    /// Frame that the unpacker saw last.
    seen: Option<usize>,
    block: Vec<u8>,
}

impl Recording {
    /// Opens a file; one that was cut short has the frames that are whole.
    pub fn open(path: &Path) -> Result<Recording, RecordingError> {
        Recording::open_up_to(path, u64::MAX)
    }

    /// The same as if the file ended after so many bytes of frames.
    pub(super) fn open_up_to(path: &Path, most: u64) -> Result<Recording, RecordingError> {
        let failed = |error| RecordingError::File { path: path.to_path_buf(), error };
        let mut file = regular_file::open(path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        let (header, start) = header(path, &mut file, size)?;
        let size = size.min(start.saturating_add(most));
        let mut recording = Recording {
            path: path.to_path_buf(),
            file,
            header,
            start,
            frames: Vec::new(),
            size,
            lost: None,
            unpacker: Unpacker::default(),
            seen: None,
            block: Vec::new(),
        };
        if !recording.read_index(start).map_err(failed)? {
            recording.scan(start).map_err(failed)?;
        }
        // Without frames nothing is unpacked, and the file may be as small as its header.
        let points =
            recording.header.points().saturating_add(recording.header.info.carried_vertices());
        let (vertices, most) = (points as u64, most_vertices(size));
        if !recording.frames.is_empty() && vertices > most {
            let what = format!("{vertices} vertices in {size} bytes, at most {most} are possible");
            return Err(RecordingError::Damaged { path: path.to_path_buf(), what });
        }
        Ok(recording)
    }

    /// What was run.
    pub fn info(&self) -> &RunInfo {
        &self.header.info
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Version of the program that wrote it, and how many vertices its bodies have.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Vertices of a frame as read: those of bodies, and of the fine surfaces they carry.
    pub fn vertices(&self) -> usize {
        self.header.vertices + self.header.info.carried_vertices()
    }

    /// Where the first frame begins, bytes.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// All frames, in order.
    pub fn frames(&self) -> &[Entry] {
        &self.frames
    }

    /// Bytes of the file.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether the file was ended properly, with an index.
    pub fn is_complete(&self) -> bool {
        self.lost.is_none()
    }

    /// Bytes after the last whole frame that belong to no frame.
    pub fn lost_bytes(&self) -> u64 {
        self.lost.unwrap_or(0)
    }

    /// Number of the last frame at or before a time, s; the first frame for earlier times.
    pub fn frame_at(&self, time: f64) -> Option<usize> {
        let after = self.frames.partition_point(|entry| entry.time <= time);
        (!self.frames.is_empty()).then(|| after.saturating_sub(1))
    }

    /// One frame, counted from 0; in order it costs one, out of order up to [`KEY_EVERY`].
    pub fn read(&mut self, frame: usize) -> Result<Frame, RecordingError> {
        let count = self.frames.len();
        let Some(entry) = self.frames.get(frame).copied() else {
            return Err(RecordingError::NoSuchFrame { path: self.path.clone(), frame, count });
        };
        let key = frame - frame % KEY_EVERY;
        let first = match self.seen {
            Some(seen) if seen <= frame && seen + 1 > key => seen + 1,
            _ => key,
        };
        self.seen = None;
        for next in first..=frame {
            self.take_in(next)?;
        }
        self.seen = Some(frame);
        let mut positions = self.unpacker.positions();
        let beyond = positions.split_off(self.header.vertices.min(positions.len()));
        let mut values = beyond.into_flattened();
        values.truncate(self.header.values());
        let mut frame = Frame { step: entry.step, time: entry.time, positions, values };
        carried::extend(&mut frame, &self.header.info);
        Ok(frame)
    }

    /// The index, and what the last frame read leaves for the next.
    pub(super) fn into_parts(self) -> (Vec<Entry>, Past) {
        (self.frames, self.unpacker.into_past())
    }

    /// Unpacks one frame on top of those before.
    fn take_in(&mut self, frame: usize) -> Result<(), RecordingError> {
        let entry = self.frames[frame];
        let damaged = |how: &str| {
            let what = format!("frame {frame} {how}");
            RecordingError::Damaged { path: self.path.clone(), what }
        };
        self.file
            .seek(SeekFrom::Start(entry.offset))
            .map_err(|error| RecordingError::File { path: self.path.clone(), error })?;
        let head = match next_block(&mut self.file, self.size - entry.offset, &mut self.block) {
            Ok(Some(head)) => head,
            Ok(None) => return Err(damaged("does not have its checksum")),
            Err(error) => return Err(RecordingError::File { path: self.path.clone(), error }),
        };
        let is_it = head.tag == FRAME
            && head.step == entry.step
            && head.vertices as usize == self.header.points();
        if !is_it {
            return Err(damaged("is another than the index says"));
        }
        if frame.is_multiple_of(KEY_EVERY) {
            self.unpacker.forget();
        }
        let payload = &self.block[BLOCK_HEAD..self.block.len() - CHECKSUM];
        let order = head.order as usize;
        self.unpacker
            .unpack(order, self.header.points(), payload)
            .ok_or_else(|| damaged("cannot be unpacked"))
    }

    /// Reads the index; false when there is no valid one.
    fn read_index(&mut self, start: u64) -> io::Result<bool> {
        let Some(end) = self.size.checked_sub(FILE_END as u64).filter(|end| *end >= start) else {
            return Ok(false);
        };
        let mut bytes = [0; FILE_END];
        self.file.seek(SeekFrom::Start(end))?;
        self.file.read_exact(&mut bytes)?;
        let [o0, o1, o2, o3, o4, o5, o6, o7, magic @ ..] = bytes;
        let offset = u64::from_le_bytes([o0, o1, o2, o3, o4, o5, o6, o7]);
        if magic != END || !(start..end).contains(&offset) {
            return Ok(false);
        }
        self.file.seek(SeekFrom::Start(offset))?;
        let head = next_block(&mut self.file, end - offset, &mut self.block)?;
        if head.is_none_or(|head| head.tag != INDEX) {
            return Ok(false);
        }
        let payload = &self.block[BLOCK_HEAD..self.block.len() - CHECKSUM];
        self.frames = payload.chunks_exact(ENTRY).map(Entry::from_bytes).collect();
        let is_whole = payload.len().is_multiple_of(ENTRY);
        let inside = self.frames.iter().all(|entry| (start..offset).contains(&entry.offset));
        let ascending = self.frames.is_sorted_by(|a, b| a.offset < b.offset);
        Ok(is_whole && inside && ascending)
    }

    /// Finds the frames one after the other, up to the first that is not whole.
    fn scan(&mut self, start: u64) -> io::Result<()> {
        self.frames.clear();
        self.file.seek(SeekFrom::Start(start))?;
        let mut offset = start;
        while let Some(head) = next_block(&mut self.file, self.size - offset, &mut self.block)? {
            if head.tag != FRAME {
                break;
            }
            self.frames.push(Entry { offset, step: head.step, time: head.time });
            offset += self.block.len() as u64;
        }
        self.lost = Some(self.size - offset);
        Ok(())
    }
}

impl Entry {
    /// From as many bytes as an entry has.
    fn from_bytes(bytes: &[u8]) -> Entry {
        let word = |k: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[8 * k..8 * k + 8]);
            word
        };
        Entry {
            offset: u64::from_le_bytes(word(0)),
            step: u64::from_le_bytes(word(1)),
            time: f64::from_le_bytes(word(2)),
        }
    }
}

/// The header, and where the first frame begins.
fn header(path: &Path, file: &mut File, size: u64) -> Result<(Header, u64), RecordingError> {
    let path = || path.to_path_buf();
    let failed = |error| RecordingError::File { path: path(), error };
    let mut head = Vec::new();
    file.take(FILE_HEAD as u64).read_to_end(&mut head).map_err(failed)?;
    let begun = head.len().min(MAGIC.len());
    if head.is_empty() || head[..begun] != MAGIC[..begun] {
        return Err(RecordingError::NotARecording { path: path() });
    }
    let Some(&[v0, v1, v2, v3, l0, l1, l2, l3]) = head.get(MAGIC.len()..) else {
        return Err(RecordingError::CutShort { path: path() });
    };
    let (version, length) =
        (u32::from_le_bytes([v0, v1, v2, v3]), u32::from_le_bytes([l0, l1, l2, l3]));
    if version > VERSION {
        return Err(RecordingError::Newer { path: path(), version });
    }
    let start = (FILE_HEAD + CHECKSUM) as u64 + u64::from(length);
    if size < start {
        return Err(RecordingError::CutShort { path: path() });
    }
    file.take(start - FILE_HEAD as u64).read_to_end(&mut head).map_err(failed)?;
    let damaged = |what: &str| RecordingError::Damaged { path: path(), what: what.to_string() };
    let Some((bytes, sum)) = head.split_last_chunk::<CHECKSUM>() else {
        return Err(RecordingError::CutShort { path: path() });
    };
    if checksum(bytes) != *sum {
        return Err(damaged("the header does not have its checksum"));
    }
    let packed = &bytes[FILE_HEAD..];
    let most = (MOST_HEADER_RATIO * packed.len() + SMALL_HEADER) as u64;
    let mut json = Vec::new();
    zstd::Decoder::new(packed)
        .and_then(|text| text.take(most + 1).read_to_end(&mut json))
        .map_err(|_| damaged("the header cannot be unpacked"))?;
    if json.len() as u64 > most {
        return Err(damaged(&format!("the header has more than {most} bytes")));
    }
    let header: Header = serde_json::from_slice(&json)
        .map_err(|error| damaged(&format!("the header cannot be parsed: {error}")))?;
    match what_is_wrong(&header) {
        Some(what) => Err(damaged(&what)),
        None => Ok((header, start)),
    }
}

/// Reads the block where the file stands; `None` when it is not whole.
fn next_block(file: &mut File, left: u64, block: &mut Vec<u8>) -> io::Result<Option<BlockHead>> {
    let mut bytes = [0; BLOCK_HEAD];
    if left < (BLOCK_HEAD + CHECKSUM) as u64 {
        return Ok(None);
    }
    file.read_exact(&mut bytes)?;
    let head = BlockHead::from_bytes(&bytes);
    let rest = u64::from(head.length) + CHECKSUM as u64;
    if ![FRAME, INDEX].contains(&head.tag) || left - (BLOCK_HEAD as u64) < rest {
        return Ok(None);
    }
    block.clear();
    block.extend(bytes);
    file.take(rest).read_to_end(block)?;
    Ok(match block.split_last_chunk::<CHECKSUM>() {
        Some((bytes, sum)) if checksum(bytes) == *sum => Some(head),
        _ => None,
    })
}
