//! A recording in memory, and the files that it becomes.
//!
//! The program's recordings are packed by zstd, which is C and does not come along to wasm32. Its
//! format also has blocks that are stored as they are, so a recording of the page is the same file
//! without the packing: `pliant view` and `pliant info` read it. The layout is that of
//! `pliant-run/src/recording/`; a test reads what is written here with its reader.

use pliant::body::soft::State;
use pliant_io::glb::{self, GlbCells, GlbMesh};
use pliant_scene::loaded::RunInfo;
use serde::Serialize;
use serde_json::{Value, json};

use crate::command::{Download, Refusal};
use crate::live::Live;

/// Bytes of all frames at most; recording ends there.
const MOST_BYTES: usize = 256 << 20;

/// How a frame of zstd begins: its number, and that its size of four bytes follows.
const ZSTD: [u8; 5] = [0x28, 0xb5, 0x2f, 0xfd, 0xa0];

/// Bytes of a stored block of zstd at most.
const STORED: usize = 128 << 10;

/// Version of the format without fields.
const VERSION: u32 = 1;

/// Frames so far.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    frames: Vec<Frame>,
    bytes: usize,
}

#[derive(Clone, Debug)]
struct Frame {
    step: u64,
    time: f64,
    positions: Vec<[f32; 3]>,
}

impl Recorder {
    /// Adds a frame, unless there is no room for it.
    pub fn push(&mut self, step: u64, state: &State) {
        let bytes = 12 * state.positions.len();
        if self.bytes + bytes > MOST_BYTES {
            return;
        }
        self.bytes += bytes;
        let positions = state.positions.iter().map(|p| p.to_array().map(|x| x as f32)).collect();
        self.frames.push(Frame { step, time: state.time, positions });
    }
}

/// Header of a recording, as the program's reader expects it.
#[derive(Serialize)]
struct Header<'a> {
    pliant: &'a str,
    vertices: usize,
    info: &'a RunInfo,
}

impl Live {
    /// Begins to record, with the frame of now.
    pub fn record(&mut self) -> Value {
        let mut recorder = Recorder::default();
        recorder.push(self.step, &self.scene.world.simulation().state);
        self.recorder = Some(recorder);
        json!({})
    }

    /// Ends recording and fills in the file.
    pub fn take_recording(
        &mut self,
        format: Download,
        colours: &[[u8; 3]],
        bytes: &mut Vec<u8>,
    ) -> Result<Value, Refusal> {
        let recorder = self.recorder.as_ref();
        let recorder = recorder.ok_or_else(|| Refusal::new("nothing was recorded yet"))?;
        let info = &self.scene.info;
        *bytes = match format {
            Download::Recording => file(info, &recorder.frames)?,
            Download::Glb => glb_file(info, &recorder.frames, colours)?,
        };
        let time = |frame: &Frame| frame.time;
        let span = [recorder.frames.first().map(time), recorder.frames.last().map(time)];
        let is_full = recorder.bytes + 12 * self.positions().len() > MOST_BYTES;
        Ok(json!({ "frames": recorder.frames.len(), "span": span, "full": is_full }))
    }
}

/// A recording as bytes.
fn file(info: &RunInfo, frames: &[Frame]) -> Result<Vec<u8>, Refusal> {
    let vertices = frames.first().map_or(0, |frame| frame.positions.len());
    let header = Header { pliant: env!("CARGO_PKG_VERSION"), vertices, info };
    let packed = stored(&serde_json::to_vec(&header).map_err(Refusal::new)?);
    let mut file = b"PLIANTR\n".to_vec();
    file.extend(VERSION.to_le_bytes());
    file.extend((packed.len() as u32).to_le_bytes());
    file.extend(packed);
    file.extend(checksum(&file));
    let mut index = Vec::new();
    for Frame { step, time, positions } in frames {
        index.extend((file.len() as u64).to_le_bytes());
        index.extend(step.to_le_bytes());
        index.extend(time.to_le_bytes());
        let payload = stored(&spread(positions));
        file.extend(block(*b"FRAM", (*step, *time, positions.len() as u32), &payload));
    }
    let place = file.len() as u64;
    file.extend(block(*b"INDX", (frames.len() as u64, 0.0, 0), &index));
    file.extend(place.to_le_bytes());
    file.extend(b"PLIANTE\n");
    Ok(file)
}

/// Head, payload and checksum; each frame stands alone, so its order is 0.
fn block(tag: [u8; 4], (step, time, vertices): (u64, f64, u32), payload: &[u8]) -> Vec<u8> {
    let mut block = tag.to_vec();
    block.extend((payload.len() as u32).to_le_bytes());
    block.extend(step.to_le_bytes());
    block.extend(time.to_le_bytes());
    block.extend(0_u32.to_le_bytes());
    block.extend(vertices.to_le_bytes());
    block.extend(payload);
    block.extend(checksum(&block));
    block
}

/// The first bytes of BLAKE3 over what stands before.
fn checksum(bytes: &[u8]) -> [u8; 8] {
    let mut sum = [0; 8];
    sum.copy_from_slice(&blake3::hash(bytes).as_bytes()[..8]);
    sum
}

/// A frame of zstd whose blocks are stored.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut frame = ZSTD.to_vec();
    frame.extend((bytes.len() as u32).to_le_bytes());
    let count = bytes.len().div_ceil(STORED).max(1);
    for k in 0..count {
        let part = &bytes[k * STORED..((k + 1) * STORED).min(bytes.len())];
        let is_last = u32::from(k + 1 == count);
        frame.extend(&((part.len() as u32) << 3 | is_last).to_le_bytes()[..3]);
        frame.extend(part);
    }
    frame
}

/// Differences from vertex to vertex, folded, sorted by the weight of their bytes.
fn spread(positions: &[[f32; 3]]) -> Vec<u8> {
    let mut misses = Vec::with_capacity(3 * positions.len());
    for axis in 0..3 {
        let mut before = 0_u32;
        for position in positions {
            let bits = position[axis].to_bits();
            let number = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
            let missed = number.wrapping_sub(before).cast_signed();
            misses.push(((missed << 1) ^ (missed >> 31)).cast_unsigned());
            before = number;
        }
    }
    (0..4).flat_map(|weight| misses.iter().map(move |miss| (miss >> (8 * weight)) as u8)).collect()
}

/// The bodies as meshes with morph targets.
fn glb_file(info: &RunInfo, frames: &[Frame], colours: &[[u8; 3]]) -> Result<Vec<u8>, Refusal> {
    let mut meshes = Vec::new();
    for (index, body) in info.bodies.iter().enumerate() {
        let carried = info.carried.iter().any(|s| s.bodies.contains(&(index as u32)));
        let (own, first) = (body.vertices.clone(), body.vertices.start as u32);
        let triangles = body.triangles.as_flattened();
        let sides = body
            .rings
            .iter()
            .flat_map(|ring| (0..ring.len()).flat_map(|k| [ring[k], ring[(k + 1) % ring.len()]]));
        let lines: Vec<u32> = sides.chain(body.edges.as_flattened().iter().copied()).collect();
        let (cells, corners) = match (triangles.is_empty() || carried, lines.is_empty()) {
            (false, _) => (GlbCells::Triangles, triangles),
            (true, false) => (GlbCells::Lines, &lines[..]),
            (true, true) => (GlbCells::Points, &[][..]),
        };
        let indices = corners.iter().map(|corner| corner.saturating_sub(first)).collect();
        let colour = colours.get(index % colours.len().max(1)).copied().unwrap_or([128; 3]);
        let (name, positions) = (body.name.clone(), Vec::new());
        let mut mesh = GlbMesh { name, colour, cells, indices, positions };
        for frame in frames {
            let positions = frame.positions.get(own.clone());
            mesh.push(positions.map(<[_]>::to_vec).unwrap_or_default());
        }
        meshes.push(mesh);
    }
    let start = frames.first().map_or(0.0, |frame| frame.time);
    let mut times: Vec<f32> = Vec::new();
    for frame in frames {
        let time = (frame.time - start) as f32;
        times.push(times.last().map_or(0.0, |last| time.max(last.next_up())));
    }
    let is_finite = |p: &[f32; 3]| p.iter().all(|x| x.is_finite());
    if !frames.iter().flat_map(|frame| &frame.positions).all(is_finite) {
        return Err(Refusal::new("a frame holds a position that is not finite"));
    }
    let bytes = glb::bytes(&meshes, &times);
    match bytes.is_empty() {
        true => Err(Refusal::new("there is nothing to write")),
        false => Ok(bytes),
    }
}
