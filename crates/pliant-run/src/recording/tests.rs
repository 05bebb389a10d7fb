//! Recordings as files: every frame comes back, and every damage is named.

use std::fs;

use pliant::math::Vec3;

use super::*;
use pliant_io::atomic_file::Extent;
use pliant_scene::loaded::BodyInfo;

/// Frames of the recordings here: more than stand between two that stand alone.
const FRAMES: usize = 2 * KEY_EVERY + 5;

const VERTICES: usize = 20;

/// A file of its own for one test, gone when dropped.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let name = format!("pliant-recording-{name}-{}", std::process::id());
        Place(std::env::temp_dir().join(name))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn run_info() -> RunInfo {
    let body = BodyInfo {
        name: "ball".to_string(),
        kind: "net".to_string(),
        vertices: 0..VERTICES,
        tets: 0,
        triangles: vec![[0, 1, 2]],
        rings: vec![],
        edges: vec![],
        held: false,
    };
    RunInfo {
        scene: "fall".to_string(),
        response: "none".to_string(),
        integrator: "verlet".to_string(),
        dt: 0.1,
        steps: 3 * FRAMES as u64,
        record_every: 3,
        checkpoint_every: 10,
        description: String::new(),
        gravity: [0.0, 0.0, -9.81],
        bodies: vec![body],
        recorded: Default::default(),
        carried: Vec::new(),
        obstacles: Vec::new(),
    }
}

fn positions(frame: usize) -> Vec<Vec3> {
    let t = 0.01 * frame as f64;
    let place =
        |v: usize| Vec3::new(v as f64 / 3.0, libm::sin(v as f64 + 7.0 * t), 1.0 - 4.9 * t * t);
    (0..VERTICES).map(place).collect()
}

fn begin(place: &Place) -> Writer {
    let header = Header { pliant: "0.0.1".to_string(), vertices: VERTICES, info: run_info() };
    Writer::create(&place.0, &header).unwrap()
}

fn push(writer: &mut Writer, frames: std::ops::Range<usize>) {
    for frame in frames {
        writer.push(3 * frame as u64, 0.3 * frame as f64, &positions(frame)).unwrap();
    }
}

fn written(name: &str) -> Place {
    let place = Place::new(name);
    let mut writer = begin(&place);
    push(&mut writer, 0..FRAMES);
    writer.finish().unwrap();
    place
}

#[track_caller]
fn check(recording: &mut Recording, frame: usize) {
    let expected = positions(frame).iter().map(|p| p.to_array().map(|x| x as f32)).collect();
    let (step, time) = (3 * frame as u64, 0.3 * frame as f64);
    assert_eq!(
        recording.read(frame).unwrap(),
        Frame { step, time, positions: expected, values: vec![] }
    );
}

#[test]
fn every_frame_comes_back_in_any_order() {
    let place = written("order");
    let mut recording = Recording::open(&place.0).unwrap();
    assert!(recording.is_complete());
    assert_eq!((recording.frames().len(), recording.info()), (FRAMES, &run_info()));
    (0..FRAMES).for_each(|frame| check(&mut recording, frame));
    (0..FRAMES).rev().for_each(|frame| check(&mut recording, frame));
    for k in 0..FRAMES {
        check(&mut recording, k * 31 % FRAMES);
        check(&mut recording, k * 31 % FRAMES);
    }
    let error = recording.read(FRAMES).unwrap_err().to_string();
    assert!(
        error.ends_with(&format!("frame {FRAMES} does not exist, there are {FRAMES}")),
        "{error}"
    );
    let at = |time: f64| recording.frame_at(time);
    assert_eq!([at(-1.0), at(0.3), at(0.65), at(1e9)], [0, 1, 2, FRAMES - 1].map(Some));
}

#[test]
fn a_recording_cut_anywhere_keeps_its_whole_frames() {
    let place = written("cut");
    let bytes = fs::read(&place.0).unwrap();
    let starts: Vec<_> =
        Recording::open(&place.0).unwrap().frames().iter().map(|entry| entry.offset).collect();
    for cut in (0..bytes.len()).step_by(61) {
        fs::write(&place.0, &bytes[..cut]).unwrap();
        let opened = Recording::open(&place.0);
        if (cut as u64) < starts[0] {
            let error = opened.unwrap_err().to_string();
            let expected = if cut == 0 { "not a pliant recording" } else { "cut short" };
            assert!(error.contains(expected), "{cut}: {error}");
            continue;
        }
        let mut recording = opened.unwrap();
        assert!(!recording.is_complete());
        // A frame is whole when the next one's start is in the file; the last one's end is near.
        let begun = starts.partition_point(|start| *start <= cut as u64);
        let whole = recording.frames().len();
        assert!(whole == begun || whole + 1 == begun, "{cut}: {whole} {begun}");
        if let Some(last) = whole.checked_sub(1) {
            check(&mut recording, last);
        }
    }
}

#[test]
fn a_changed_byte_is_never_shown_as_a_frame() {
    let place = written("changed");
    let bytes = fs::read(&place.0).unwrap();
    for changed in (0..bytes.len()).step_by(97) {
        let mut other = bytes.clone();
        other[changed] ^= 1 << (changed % 8);
        fs::write(&place.0, &other).unwrap();
        let Ok(mut recording) = Recording::open(&place.0) else { continue };
        for frame in 0..recording.frames().len() {
            let Ok(read) = recording.read(frame) else { continue };
            let rounded = positions(frame).iter().map(|p| p.to_array().map(|x| x as f32)).collect();
            let expected: Vec<[f32; 3]> = rounded;
            assert_eq!(read.positions, expected, "byte {changed}, frame {frame}");
        }
    }
}

#[test]
fn going_on_gives_the_same_bytes() {
    let place = written("resume");
    let whole = fs::read(&place.0).unwrap();
    for end in [0, 1, 2, 5, KEY_EVERY - 1, KEY_EVERY, KEY_EVERY + 1, FRAMES] {
        let mut writer = begin(&place);
        push(&mut writer, 0..end);
        let length = writer.extent();
        push(&mut writer, end..(end + 2).min(FRAMES));
        writer.finish().unwrap();
        let mut writer = Writer::resume(&place.0, length, &run_info()).unwrap();
        assert_eq!(writer.frames(), end);
        push(&mut writer, end..FRAMES);
        writer.finish().unwrap();
        assert!(fs::read(&place.0).unwrap() == whole, "after {end} frames");
    }
    let start = Recording::open(&place.0).unwrap().start() as usize;
    let beginning = |end: usize| Extent {
        length: (end - start) as u64,
        digest: *blake3::hash(&whole[start..end.min(whole.len())]).as_bytes(),
    };
    let resume = |end| Writer::resume(&place.0, beginning(end), &run_info());
    assert!(resume(whole.len() + 1).is_err());
    let error = resume(whole.len() - 700).unwrap_err().to_string();
    assert!(error.ends_with("is within a frame"), "{error}");
    assert!(fs::read(&place.0).unwrap() == whole);
}

#[test]
fn a_longer_run_gets_the_header_it_would_have_had() {
    let long = Place::new("long");
    // More digits, so that the header is longer too.
    let info = RunInfo { steps: 123_456_789, ..run_info() };
    let header = Header { pliant: "0.1.0".to_string(), vertices: VERTICES, info: info.clone() };
    let mut writer = Writer::create(&long.0, &header).unwrap();
    push(&mut writer, 0..FRAMES);
    writer.finish().unwrap();
    let place = Place::new("lengthened");
    for end in [0, 1, KEY_EVERY + 1, FRAMES] {
        let mut writer = Writer::create(&place.0, &Header { info: run_info(), ..header.clone() });
        let writer = writer.as_mut().unwrap();
        push(writer, 0..end);
        let kept = writer.extent();
        push(writer, end..(end + 2).min(FRAMES));
        // Once more, as after a run that was killed before its next checkpoint.
        drop(Writer::resume(&place.0, kept, &info).unwrap());
        let mut writer = Writer::resume(&place.0, kept, &info).unwrap();
        push(&mut writer, end..FRAMES);
        writer.finish().unwrap();
        assert!(fs::read(&place.0).unwrap() == fs::read(&long.0).unwrap(), "after {end} frames");
        assert_eq!(Recording::open(&place.0).unwrap().info().steps, info.steps);
    }
}

/// The recording of a header, with frames that hold nothing but zeros.
fn crafted(place: &Place, header: &Header, frames: usize) {
    let mut writer = Writer::create(&place.0, header).unwrap();
    for frame in 0..frames {
        // Packed by itself: the writer never makes so small a block of so many vertices.
        let packed = zstd::bulk::compress(&vec![0; 12 * header.vertices.min(1 << 20)], 1).unwrap();
        writer.append_block(frame as u64, header.vertices as u32, &packed);
    }
    writer.finish().unwrap();
}

#[track_caller]
fn refused(change: impl FnOnce(&mut Header), frames: usize, expected: &str) {
    let place = Place::new("crafted");
    let mut header = Header { pliant: "0".to_string(), vertices: VERTICES, info: run_info() };
    change(&mut header);
    crafted(&place, &header, frames);
    let error = Recording::open(&place.0).unwrap_err().to_string();
    assert!(error.contains("a damaged recording: ") && error.contains(expected), "{error}");
}

#[test]
fn counts_that_the_file_cannot_hold_are_refused_at_once() {
    for vertices in [1 << 20, 300_000_000, u32::MAX as usize, 1 << 63, usize::MAX] {
        let expected = format!("{vertices} vertices in ");
        refused(|header| header.vertices = vertices, 1, &expected);
    }
    refused(
        |h| h.info.bodies[0].vertices = 0..1 << 63,
        0,
        "body 0 has vertices 0 to 9223372036854775808 of 20",
    );
    let upside_down = std::ops::Range { start: 7, end: 3 };
    refused(|h| h.info.bodies[0].vertices = upside_down, 0, "body 0 has vertices 7 to 3 of 20");
    refused(|h| h.info.bodies[0].triangles.push([0, 1, 20]), 0, "body 0 names vertex 20 of 20");
    refused(|h| h.info.bodies[0].rings.push(vec![3, 99]), 0, "body 0 names vertex 99 of 20");
    refused(
        |h| h.info.bodies[0].edges.push([0, u32::MAX]),
        0,
        "body 0 names vertex 4294967295 of 20",
    );
    let twice = |h: &mut Header| h.info.bodies.push(h.info.bodies[0].clone());
    refused(twice, 0, "body 1 begins at vertex 0, before 20");
    let obstacle = pliant_scene::loaded::RenderMesh {
        name: "floor".to_string(),
        positions: vec![[0.0; 3]; 3],
        triangles: vec![[0, 1, 3]],
        poses: Vec::new(),
    };
    refused(|h| h.info.obstacles.push(obstacle), 0, "obstacle 0 names vertex 3 of 3");
}

#[test]
fn a_header_that_unpacks_to_far_more_than_it_is_is_refused() {
    let place = Place::new("bomb");
    let packed = zstd::bulk::compress(&vec![b' '; 64 << 20], 19).unwrap();
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((packed.len() as u32).to_le_bytes());
    bytes.extend(packed);
    bytes.extend(checksum(&bytes));
    fs::write(&place.0, &bytes).unwrap();
    let error = Recording::open(&place.0).unwrap_err().to_string();
    assert!(error.contains("the header has more than "), "{error}");
}

#[test]
fn a_header_that_packs_well_is_written_and_read() {
    let place = Place::new("padded-header");
    let mut header = Header { pliant: "0".to_string(), vertices: VERTICES, info: run_info() };
    header.info.bodies[0].triangles = vec![[0, 1, 2]; 1 << 20];
    Writer::create(&place.0, &header).unwrap().finish().unwrap();
    assert_eq!(Recording::open(&place.0).unwrap().header(), &header);
}

#[test]
fn vertices_that_all_lie_at_one_place_are_recorded_and_read() {
    let place = Place::new("one-place");
    let (count, mut info) = (200_000, run_info());
    info.bodies[0].vertices = 0..count;
    let header = Header { pliant: "0".to_string(), vertices: count, info };
    let mut writer = Writer::create(&place.0, &header).unwrap();
    for frame in 0..3 {
        writer.push(frame, frame as f64, &vec![Vec3::X; count]).unwrap();
    }
    writer.finish().unwrap();
    let mut recording = Recording::open(&place.0).unwrap();
    for frame in 0..3 {
        assert!(recording.read(frame).unwrap().positions == vec![[1.0, 0.0, 0.0]; count]);
    }
}

#[test]
fn other_files_and_newer_ones_are_named() {
    let place = written("newer");
    let mut bytes = fs::read(&place.0).unwrap();
    bytes[8] = 7;
    fs::write(&place.0, &bytes).unwrap();
    let error = Recording::open(&place.0).unwrap_err().to_string();
    assert!(error.ends_with("in format 7, from a newer pliant; this one reads up to 2"), "{error}");
    for other in ["", "solid ball\n", "PLIANTX"] {
        fs::write(&place.0, other).unwrap();
        let error = Recording::open(&place.0).unwrap_err().to_string();
        assert!(error.ends_with("not a pliant recording"), "{error}");
    }
    fs::remove_file(&place.0).unwrap();
    let error = Recording::open(&place.0).unwrap_err().to_string();
    assert!(error.ends_with("No such file or directory"), "{error}");
}
