//! Recordings: whole files with checksums that fit, their headers, and pictures of what was read.

use std::fs;
use std::path::Path;

use pliant::math::Vec3;
use pliant_run::picture::{Camera, View, render};
use pliant_run::recording::{Frame, Header, Recording, RecordingError, Writer};
use pliant_scene::loaded::{BodyInfo, Recorded, RenderMesh, RunInfo};

use super::{Memory, Reading, Target, same};

/// Size of magic, version and length of the header, bytes.
const FILE_HEAD: usize = 16;

/// Size of what stands before a block's payload, bytes.
const BLOCK_HEAD: usize = 32;

/// Size of a checksum, bytes.
const CHECKSUM: usize = 8;

/// Frames that are read at most.
const MOST_FRAMES: usize = 40;

/// Numbers of all frames that are read at most: a small file may hold many large frames.
const MOST_VERTICES: usize = 1 << 20;

/// Width and height of pictures, pixels.
const PICTURE: [u32; 2] = [48, 32];

/// Unpacked, a frame has up to 100 times the bytes of the file, and is kept up to four times.
const UNPACKED: Memory = Memory { base: 16 << 20, per_byte: 1000 };

/// A picture has a shadow map of its own.
const PICTURES: Memory = Memory { base: 64 << 20, per_byte: 1000 };

/// Whole recordings, headers alone, and pictures.
pub const ALL: [Target; 3] = [
    Target {
        name: "recording",
        seeds: recording_seeds,
        ending: "",
        repair: Some(|bytes| repair(bytes)),
        memory: UNPACKED,
        read: recording,
    },
    Target {
        name: "recording-header",
        seeds: header_seeds,
        ending: "",
        repair: None,
        memory: UNPACKED,
        read: |input, scratch| header(input, scratch, Reading::of_recording),
    },
    Target {
        name: "picture",
        seeds: header_seeds,
        ending: "",
        repair: None,
        memory: PICTURES,
        read: |input, scratch| header(input, scratch, drawn),
    },
];

fn recording(input: &[u8], scratch: &Path) -> Reading {
    let path = scratch.join("a.pliant");
    if let Err(error) = fs::write(&path, input) {
        return Reading::Refused(format!("the scratch folder cannot be written: {error}"));
    }
    Reading::of_recording(&path)
}

/// A recording of one frame around a header, which the input is.
fn header(input: &[u8], scratch: &Path, read: fn(&Path) -> Reading) -> Reading {
    let path = scratch.join("a.pliant");
    let packed = zstd::bulk::compress(input, 1).unwrap_or_default();
    let count = std::str::from_utf8(input).ok().and_then(|text| {
        let rest = text.split("\"vertices\":").nth(1)?;
        rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse::<u32>().ok()
    });
    let count = count.unwrap_or_default().min(1000);
    let mut bytes = [&b"PLIANTR\n"[..], &1_u32.to_le_bytes()].concat();
    bytes.extend((packed.len() as u32).to_le_bytes());
    bytes.extend(packed);
    bytes.extend([0; CHECKSUM]);
    let frame = zstd::bulk::compress(&vec![0x3f; 12 * count as usize], 1).unwrap_or_default();
    bytes.extend(b"FRAM");
    bytes.extend((frame.len() as u32).to_le_bytes());
    bytes.extend([0; 20]);
    bytes.extend(count.to_le_bytes());
    bytes.extend(frame);
    bytes.extend([0; CHECKSUM]);
    repair(&mut bytes);
    match fs::write(&path, bytes) {
        Ok(()) => read(&path),
        Err(error) => Reading::Refused(format!("the scratch folder cannot be written: {error}")),
    }
}

impl Reading {
    /// All frames of a recording; what was read can be written and comes back.
    fn of_recording(path: &Path) -> Reading {
        let again = path.with_extension("again");
        match frames(path) {
            Err(error) => Reading::Refused(error.to_string()),
            Ok((header, read)) => Reading::Accepted(Box::new(move || {
                let written = write(&again, &header, &read);
                written.map_err(|error| format!("it cannot be written: {error}"))?;
                let found = frames(&again).map_err(|error| format!("then refused: {error}"))?;
                same("header", &header, &found.0)?;
                same("frame", &read, &found.1)
            })),
        }
    }
}

fn frames(path: &Path) -> Result<(Header, Vec<Frame>), RecordingError> {
    let mut recording = Recording::open(path)?;
    let most = MOST_VERTICES / recording.vertices().max(1);
    let count = recording.frames().len().min(MOST_FRAMES).min(most.max(1));
    let frames = (0..count).map(|number| recording.read(number)).collect::<Result<_, _>>()?;
    Ok((recording.header().clone(), frames))
}

fn write(path: &Path, header: &Header, frames: &[Frame]) -> std::io::Result<()> {
    let mut writer = Writer::create(path, header)?;
    for frame in frames {
        let positions = frame.positions.iter().map(|p| Vec3::from(p.map(f64::from)));
        writer.push(frame.step, frame.time, &positions.collect::<Vec<_>>())?;
    }
    writer.finish()
}

/// A small picture of the first frame.
fn drawn(path: &Path) -> Reading {
    let read = Recording::open(path).and_then(|mut recording| {
        let frame = recording.read(0)?;
        Ok((recording, frame))
    });
    let (recording, frame) = match read {
        Ok(read) => read,
        Err(error) => return Reading::Refused(error.to_string()),
    };
    let info = recording.info();
    let image = render(&View {
        bodies: &info.bodies,
        positions: &frame.positions,
        obstacles: &info.obstacles,
        time: frame.time,
        size: PICTURE,
        camera: Camera::of(&info.bodies, info.gravity, None),
    });
    Reading::Accepted(Box::new(move || match image.pixels.len() {
        1536 => Ok(()),
        count => Err(format!("{count} pixels")),
    }))
}

/// Puts the checksum of the header and of each block in its place.
fn repair(bytes: &mut [u8]) {
    let length = |bytes: &[u8], at: usize| {
        let word = bytes.get(at..at + 4)?.first_chunk::<4>()?;
        Some(u32::from_le_bytes(*word) as usize)
    };
    let put = |bytes: &mut [u8], from: usize, end: usize| {
        if end + CHECKSUM <= bytes.len() {
            let sum = blake3::hash(&bytes[from..end]);
            bytes[end..end + CHECKSUM].copy_from_slice(&sum.as_bytes()[..CHECKSUM]);
        }
        end + CHECKSUM
    };
    let Some(header) = length(bytes, FILE_HEAD - 4) else { return };
    let mut at = put(bytes, 0, FILE_HEAD + header);
    while let Some(payload) = length(bytes, at + 4) {
        at = put(bytes, at, at + BLOCK_HEAD + payload);
    }
}

fn info() -> RunInfo {
    let body = BodyInfo {
        name: "a".into(),
        kind: "surface".into(),
        vertices: 0..4,
        tets: 1,
        triangles: vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]],
        rings: Vec::new(),
        edges: vec![[0, 1]],
        held: false,
    };
    let ring = BodyInfo {
        name: "b".into(),
        kind: "outline".into(),
        vertices: 4..8,
        triangles: Vec::new(),
        rings: vec![vec![4, 5, 6, 7]],
        edges: Vec::new(),
        ..body.clone()
    };
    RunInfo {
        scene: "s".into(),
        description: "d".into(),
        response: "constraint".into(),
        integrator: "implicit-euler".into(),
        dt: 0.01,
        steps: 10,
        record_every: 1,
        checkpoint_every: 5,
        gravity: [0.0, 0.0, -9.81],
        bodies: vec![body, ring],
        obstacles: vec![RenderMesh {
            name: "o".into(),
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            triangles: vec![[0, 1, 2]],
            poses: vec![(0.0, [0.0; 3], [0.0, 0.0, 0.0, 1.0])],
        }],
        recorded: Recorded::default(),
        carried: Vec::new(),
    }
}

fn header_of(info: RunInfo) -> Header {
    Header { pliant: "0.1.0".into(), vertices: 8, info }
}

fn header_seeds() -> Vec<Vec<u8>> {
    let plane = RunInfo { gravity: [0.0; 3], obstacles: Vec::new(), ..info() };
    let all = [info(), plane, RunInfo { bodies: Vec::new(), ..info() }];
    all.map(|info| serde_json::to_vec(&header_of(info)).unwrap_or_default()).to_vec()
}

/// Recordings of one and of many frames, one of them without its index.
fn recording_seeds() -> Vec<Vec<u8>> {
    let Ok(folder) = tempfile::tempdir() else { return Vec::new() };
    let path = folder.path().join("a.pliant");
    let frame = |step: u64| {
        let place = |k: u32| [0.3 * k as f32, k as f32, 0.1 * step as f32];
        let (time, positions) = (0.01 * step as f64, (0..8).map(place).collect());
        Frame { step, time, positions, values: Vec::new() }
    };
    let mut seeds = Vec::new();
    for count in [1, 3, 40] {
        let frames: Vec<Frame> = (0..count).map(frame).collect();
        if write(&path, &header_of(info()), &frames).is_ok() {
            seeds.extend(fs::read(&path));
        }
    }
    let cut = seeds.last().map(|seed| seed[..seed.len() - 60].to_vec());
    seeds.extend(cut);
    seeds
}
