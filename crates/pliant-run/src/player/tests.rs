//! Packed runs are read back by a decoder of their own, as the page does.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pliant::math::Vec3;
use pliant_scene::loaded::{BodyInfo, RenderMesh, RunInfo};
use pliant_scene::spec::Field;
use serde_json::Value;

use super::view::{NamedRun, ViewError, found_runs, packed_runs};
use super::*;
use crate::recording::{Header, Recording, Writer};
use crate::run::contacts::ContactRow;
use crate::run::folder::RECORDING;
use crate::run::series::WIDTH;

const PAGE: &str = "<title>Pliant</title>\n<!--pliant:style--><style></style><!--/pliant:style-->\n\
                    <!--pliant:runs-->\n<!--pliant:script--><script></script><!--/pliant:script-->";

/// Frames of the recordings here.
const FRAMES: usize = 7;

/// A folder of its own for one test, gone when dropped.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let name = format!("pliant-player-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Place(path)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Corners of a tet, and one more vertex that nothing names: 5 vertices.
const TET: [[f64; 3]; 5] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.2, 0.2, 0.2]];

/// Two tets, the second 0.3 m higher at the start and rising, and an obstacle that moves.
fn info() -> RunInfo {
    let body = |name: &str, first: u32| BodyInfo {
        name: name.to_owned(),
        kind: "tets".to_owned(),
        vertices: first as usize..first as usize + 5,
        tets: 1,
        triangles: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
            .map(|t| t.map(|v: u32| v + first))
            .to_vec(),
        rings: vec![],
        edges: vec![],
        held: false,
    };
    let obstacle = RenderMesh {
        name: "lift".to_owned(),
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        triangles: vec![[0, 1, 2]],
        poses: vec![
            (0.0, [0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]),
            (6.0, [0.0, 0.0, 4.0], [0.0, 0.0, 0.0, 1.0]),
        ],
    };
    RunInfo {
        scene: "tets".to_owned(),
        description: "</script>".to_owned(),
        response: "none".to_owned(),
        integrator: "verlet".to_owned(),
        dt: 1.0,
        steps: 6,
        record_every: 1,
        checkpoint_every: 10,
        gravity: [0.0, 0.0, -9.81],
        bodies: vec![body("low", 0), body("high", 5)],
        obstacles: vec![obstacle],
        recorded: Default::default(),
        carried: Vec::new(),
    }
}

/// The second tet rises by 0.1 m, then 0.2 m, and so on, until it has left the first.
fn positions(frame: usize) -> Vec<Vec3> {
    let rise = 0.2 + 0.05 * (frame * frame) as f64;
    let low = TET.map(Vec3::from);
    let high = low.map(|p| p + Vec3::new(0.05, 0.05, rise));
    low.into_iter().chain(high).collect()
}

/// A recording in a run folder; `change` may spoil the positions of a frame.
fn recorded(place: &Place, change: impl Fn(usize, &mut Vec<Vec3>)) -> PathBuf {
    let path = place.0.join(RECORDING);
    let header = Header { pliant: "0.0.1".to_owned(), vertices: 10, info: info() };
    let mut writer = Writer::create(&path, &header).unwrap();
    for frame in 0..FRAMES {
        let mut positions = positions(frame);
        change(frame, &mut positions);
        writer.push(frame as u64, frame as f64, &positions).unwrap();
    }
    writer.finish().unwrap();
    path
}

fn packed(path: &Path, rows: &[[f64; WIDTH]], most_bytes: usize) -> PackedRun {
    let recording = &mut Recording::open(path).unwrap();
    let contacts = &[];
    pack(RunData { name: "a <b>", recording, summary: None, rows, contacts, most_bytes }).unwrap()
}

/// The slow and obvious reader of the layout in [`pack`].
struct Reader {
    header: Value,
    bytes: Vec<u8>,
    at: usize,
    /// How many frames before each frame predicted it.
    orders: Vec<u8>,
}

impl Reader {
    fn new(run: &PackedRun) -> Reader {
        let packed = STANDARD.decode(&run.base64).unwrap();
        let bytes = miniz_oxide::inflate::decompress_to_vec_zlib(&packed).unwrap();
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        let header = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
        Reader { header, bytes, at: 4 + length, orders: Vec::new() }
    }

    fn count(&self, path: &str) -> usize {
        self.header.pointer(path).unwrap().as_u64().unwrap() as usize
    }

    fn byte(&mut self) -> u8 {
        self.at += 1;
        self.bytes[self.at - 1]
    }

    fn unsigned(&mut self) -> u64 {
        let byte = self.byte();
        u64::from(byte & 127) + if byte < 128 { 0 } else { 128 * self.unsigned() }
    }

    fn signed(&mut self) -> i64 {
        let value = self.unsigned() as i64;
        if value % 2 == 0 { value / 2 } else { -(value + 1) / 2 }
    }

    fn indices(&mut self, count: usize) -> Vec<i64> {
        let mut last = 0;
        let mut next = || {
            last += self.signed();
            last
        };
        (0..count).map(|_| next()).collect()
    }

    fn float(&mut self) -> f32 {
        f32::from_le_bytes([(); 4].map(|()| self.byte()))
    }

    /// Passes over the meshes and obstacles, and returns the corners of the second body.
    fn meshes(&mut self) -> Vec<i64> {
        let low = self.indices(3 * self.count("/bodies/0/triangles"));
        assert_eq!(low.len(), 12);
        let high = self.indices(3 * self.count("/bodies/1/triangles"));
        (0..3 * self.count("/obstacles/0/vertices")).for_each(|_| _ = self.float());
        assert_eq!(self.indices(3), [0, 1, 2]);
        high
    }

    /// All frames, m.
    fn frames(&mut self) -> Vec<Vec<[f64; 3]>> {
        let vertices = self.count("/vertices");
        let quantum = self.header["quantum"].as_f64().unwrap();
        let origin = [0, 1, 2].map(|axis| self.header["origin"][axis].as_f64().unwrap());
        let mut steps: Vec<Vec<[i64; 3]>> = Vec::new();
        for frame in 0..self.header["times"].as_array().unwrap().len() {
            let order = self.byte();
            assert!(usize::from(order) <= frame);
            self.orders.push(order);
            let mut now = vec![[0; 3]; vertices];
            for axis in 0..3 {
                for (k, place) in now.iter_mut().enumerate() {
                    let before = |back: usize| steps[frame - back][k][axis];
                    let guess = match order {
                        0 => 0,
                        1 => before(1),
                        _ => 2 * before(1) - before(2),
                    };
                    place[axis] = guess + self.signed();
                }
            }
            steps.push(now);
        }
        let metres = |p: &[i64; 3]| [0, 1, 2].map(|k| origin[k] + quantum * p[k] as f64);
        steps.iter().map(|frame| frame.iter().map(metres).collect()).collect()
    }
}

/// Vertices that are drawn, in the numbers of the recording.
const DRAWN: [usize; 8] = [0, 1, 2, 3, 5, 6, 7, 8];

#[track_caller]
fn near(read: [f64; 3], expected: Vec3, quantum: f64) {
    let away = (Vec3::from(read) - expected).abs().max_element();
    // Half a step, and what f32 loses of numbers below 4.
    assert!(away <= 0.5 * quantum + 4.0 * f64::from(f32::EPSILON), "{read:?} {expected}");
}

#[test]
fn a_run_comes_back_within_half_a_step_of_the_grid() {
    let place = Place::new("back");
    let path = recorded(&place, |_, _| ());
    let mut reader = Reader::new(&packed(&path, &[], MOST_BYTES));
    assert_eq!((reader.count("/vertices"), reader.count("/format")), (8, FORMAT as usize));
    assert_eq!(reader.meshes(), [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3].map(|v| v + 4));
    let quantum = reader.header["quantum"].as_f64().unwrap();
    // The whole is 1.05, 1.05 and 1.2 m long: 1.9 m across; a tet 1.73 m, in 2048 steps.
    assert!(quantum < 2.0 / 65_536.0, "{quantum}");
    let frames = reader.frames();
    // Each rise is 0.1 m more than the one before: two frames miss by that, one by the whole rise.
    assert_eq!(reader.orders, [0, 1, 2, 2, 2, 2, 2]);
    for (frame, read) in frames.into_iter().enumerate() {
        let expected = positions(frame);
        for (read, vertex) in read.into_iter().zip(DRAWN) {
            near(read, expected[vertex], quantum);
        }
    }
}

#[test]
fn depth_and_way_out_are_those_of_vertices_inside() {
    let place = Place::new("depth");
    let path = recorded(&place, |_, _| ());
    let mut reader = Reader::new(&packed(&path, &[], MOST_BYTES));
    reader.meshes();
    reader.frames();
    let field = reader.header["fields"][0].clone();
    assert_eq!((field["name"].as_str(), field["unit"].as_str()), (Some("depth"), Some("m")));
    // Vertex 0 of the high tet is at (0.05, 0.05, 0.2): 0.05 m behind the faces x = 0 and y = 0.
    let deepest = field["max"].as_f64().unwrap();
    assert!((deepest - 0.05).abs() < 1e-6, "{field}");
    let levels: Vec<i64> = (0..8).map(|_| reader.signed()).collect();
    assert_eq!(levels, [0, 0, 0, 0, 65_535, 0, 0, 0]);
    (0..8 * (FRAMES - 1)).for_each(|_| _ = reader.signed());
    let quantum = reader.header["quantum"].as_f64().unwrap();
    assert_eq!(reader.header["overlays"][0]["name"], "way out");
    assert_eq!(reader.unsigned(), 1);
    let way: Vec<f64> = (0..6).map(|_| quantum * reader.signed() as f64).collect();
    assert!((Vec3::new(way[3], way[4], way[5]).length() - 0.05).abs() < 2.0 * quantum, "{way:?}");
}

/// A recording with fields; frame 0 has no pressure yet, as before the first step.
fn recorded_fields(place: &Place) -> PathBuf {
    let path = place.0.join("fields.pliant");
    let mut info = info();
    info.recorded.tets = vec![[0, 1, 2, 3], [5, 6, 7, 8]];
    info.recorded.fields = vec![Field::ContactPressure, Field::Stress, Field::Depth];
    let header = Header { pliant: "0.0.1".to_owned(), vertices: 10, info };
    let mut writer = Writer::create(&path, &header).unwrap();
    for frame in 0..2 {
        let pressure = (0..10).map(|v| if frame == 0 { f32::NAN } else { 100.0 * v as f32 });
        // Tension of 3 Pa in the first tet, 9 Pa in the second.
        let stress = [3.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let depth = [0.0; 10];
        let values: Vec<f32> = pressure.chain(stress).chain(depth).collect();
        writer.push_with_fields(frame, frame as f64, &positions(6), &values).unwrap();
    }
    writer.finish().unwrap();
    path
}

#[test]
fn fields_of_the_recording_and_contacts_are_packed() {
    let place = Place::new("fields");
    let path = recorded_fields(&place);
    let row = |time: f64, newtons: f64| ContactRow {
        time,
        point: Vec3::ZERO,
        normal: Vec3::Z,
        force: newtons * Vec3::Z,
    };
    let contacts = &[row(0.5, 1.0), row(1.0, 8.0), row(1.0, 4.0)];
    let recording = &mut Recording::open(&path).unwrap();
    let (summary, most_bytes) = (None, MOST_BYTES);
    let run = RunData { name: "a", recording, summary, rows: &[], contacts, most_bytes };
    let mut reader = Reader::new(&pack(run).unwrap());
    let fields = reader.header["fields"].clone();
    let known =
        |k: usize| (fields[k]["name"].as_str().unwrap(), fields[k]["max"].as_f64().unwrap());
    // Depth is 0 everywhere and left out; vertices 4 and 9 of the recording are not drawn.
    assert_eq!(fields.as_array().unwrap().len(), 2);
    assert_eq!([known(0), known(1)], [("pressure", 800.0), ("stress", 9.0)]);
    assert_eq!([&fields[0]["unknown"], &fields[1]["unknown"]], [true, false]);
    let overlays = reader.header["overlays"].clone();
    assert_eq!([&overlays[0]["name"], &overlays[1]["name"]], ["contacts", "contact forces"]);
    reader.meshes();
    reader.frames();
    let levels: Vec<i64> = (0..8).map(|_| reader.signed()).collect();
    assert_eq!(levels, [0; 8]); // not known in the first frame
    let levels: Vec<i64> = (0..8).map(|_| reader.signed()).collect();
    assert_eq!((levels[0], levels[7]), (1, 4095)); // 0 Pa and 800 Pa
    let levels: Vec<i64> = (0..8).map(|_| reader.signed()).collect();
    assert_eq!(levels, [0, 0, 0, 0, 4095, 4095, 4095, 4095]); // 3 Pa and 9 Pa
    (0..8).for_each(|_| _ = reader.signed());
    // No contact at 0 s, two at 1 s; 8 N are twice as long as 4 N.
    assert_eq!([reader.unsigned(), reader.unsigned()], [0, 2]);
    (0..12).for_each(|_| _ = reader.signed());
    assert_eq!([reader.unsigned(), reader.unsigned()], [0, 2]);
    let forces: Vec<i64> = (0..12).map(|_| reader.signed()).collect();
    assert!((forces[5] - 2 * forces[11]).abs() <= 1 && forces[11] > 0, "{forces:?}");
}

#[test]
fn where_the_series_has_nothing_inside_nothing_is_searched() {
    let place = Place::new("series");
    let path = recorded(&place, |_, _| ());
    let rows: Vec<[f64; WIDTH]> = (0..FRAMES)
        .map(|frame| {
            let mut row = [0.0; WIDTH];
            row[0] = frame as f64;
            row
        })
        .collect();
    let header = Reader::new(&packed(&path, &rows, MOST_BYTES)).header;
    assert_eq!(
        (&header["fields"], &header["overlays"]),
        (&Value::from(vec![(); 0]), &Value::from(vec![(); 0]))
    );
    assert_eq!(header["series"]["rows"].as_u64(), Some(FRAMES as u64));
}

#[test]
fn obstacles_move_relative_to_their_start_and_the_series_comes_last() {
    let place = Place::new("poses");
    let path = recorded(&place, |_, _| ());
    let rows = [[7.0; WIDTH]; 2];
    let reader = Reader::new(&packed(&path, &rows, MOST_BYTES));
    // From the end: two rows, and before them seven numbers for each frame.
    let (series, poses) = (4 * 2 * WIDTH, 4 * 7 * FRAMES);
    let start = reader.bytes.len() - series - poses;
    let float = |at: usize| f32::from_le_bytes(reader.bytes[at..at + 4].try_into().unwrap());
    // 1 m at 0 s and 4 m at 6 s: 0.5 m/s, so 3 m above the start at 6 s.
    assert_eq!([float(start + 8), float(start + 28 * 6 + 8)], [0.0, 3.0]);
    assert_eq!(float(start + 28 * 6 + 24), 1.0);
    assert_eq!(float(reader.bytes.len() - 4), 7.0);
}

#[test]
fn frames_are_left_out_until_the_page_is_small_enough() {
    let place = Place::new("thin");
    let path = recorded(&place, |_, _| ());
    let whole = packed(&path, &[], MOST_BYTES);
    let header = Reader::new(&packed(&path, &[], whole.base64.len() - 1)).header;
    assert_eq!(header["times"], Value::from(vec![0.0, 2.0, 4.0, 6.0]));
    assert_eq!(header["notices"][0], "a <b>: 4 of 7 frames are in this page, one in 2.");
    // However little is allowed, one frame stays.
    assert_eq!(Reader::new(&packed(&path, &[], 1)).header["times"], Value::from(vec![0.0]));
}

#[test]
fn vertices_that_are_not_finite_stay_where_they_were_and_are_named() {
    let place = Place::new("nan");
    let path = recorded(&place, |frame, positions| {
        if frame == 3 {
            positions[8] = Vec3::splat(f64::NAN);
        }
    });
    let mut reader = Reader::new(&packed(&path, &[], MOST_BYTES));
    let notice = reader.header["notices"][0].as_str().unwrap().to_owned();
    assert!(notice.contains("1 frame has vertices that are not finite"), "{notice}");
    reader.meshes();
    let frames = reader.frames();
    assert_eq!(frames[3][7], frames[2][7]);
}

#[test]
fn a_recording_cut_short_is_shown_as_far_as_it_goes() {
    let place = Place::new("cut");
    let path = recorded(&place, |_, _| ());
    let entries = Recording::open(&path).unwrap().frames().to_vec();
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..entries[4].offset as usize + 5]).unwrap();
    let header = Reader::new(&packed(&path, &[], MOST_BYTES)).header;
    assert_eq!(header["times"], Value::from(vec![0.0, 1.0, 2.0, 3.0]));
    let expected =
        "The recording of a <b> was cut short: 5 bytes after its last whole frame are lost.";
    assert_eq!(header["notices"][0], expected);
    fs::write(&path, &bytes[..entries[0].offset as usize]).unwrap();
    assert_eq!(
        Reader::new(&packed(&path, &[], MOST_BYTES)).header["times"],
        Value::from(vec![(); 0])
    );
}

#[test]
fn runs_are_put_into_the_page_once_and_cannot_leave_their_element() {
    let player = Player::new(PAGE).unwrap();
    let run = PackedRun { name: "a\"<b>".to_owned(), base64: "AAAA".to_owned() };
    let page = player.page("<i>", &[run.clone(), run.clone()]);
    assert!(page.contains("<title>&lt;i&gt; – Pliant</title>"), "{page}");
    assert_eq!(
        page.matches("data-format=\"2\" data-name=\"a&quot;&lt;b&gt;\">AAAA</script>").count(),
        2
    );
    let groups = player.groups(&[("a", vec![run.clone()]), ("b", vec![run.clone()])]);
    assert_eq!(groups.matches("data-group=").count(), 2);
    let inside = player.elements(&[run]);
    assert!(inside.contains("data-in-report") && inside.contains("<style>"), "{inside}");
}

#[test]
fn what_is_not_the_page_is_no_player() {
    for bad in [
        "",
        "<html></html>",
        &PAGE.replace("<!--pliant:runs-->", ""),
        &PAGE.replace("<!--/", "<!--"),
    ] {
        assert_eq!(Player::new(bad), None, "{bad}");
    }
}

#[test]
fn runs_are_found_in_folders_of_runs_and_named_after_them() {
    let place = Place::new("found");
    let (a, b) = (place.0.join("a"), place.0.join("b"));
    for folder in [&a, &b] {
        fs::create_dir_all(folder).unwrap();
    }
    let folders = found_runs(std::slice::from_ref(&place.0)).unwrap_err();
    assert!(matches!(folders, ViewError::NotARun { .. }), "{folders}");
    for folder in [&a, &b] {
        let path = recorded(&place, |_, _| ());
        fs::rename(path, folder.join(RECORDING)).unwrap();
    }
    let found = found_runs(std::slice::from_ref(&place.0)).unwrap();
    let named = |name: &str, path: &PathBuf| NamedRun { name: name.to_owned(), path: path.clone() };
    assert_eq!(found, [named("a", &a), named("b", &b)]);
    let packed = packed_runs(&found, MOST_BYTES).unwrap();
    assert_eq!(packed.iter().map(|run| run.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let many = vec![a.clone(); 13];
    assert!(matches!(found_runs(&many).unwrap_err(), ViewError::TooMany { count: 13 }));
    let missing = packed_runs(&[named("c", &place.0.join("c"))], MOST_BYTES).unwrap_err();
    assert!(matches!(missing, ViewError::Recording(_)), "{missing}");
}
