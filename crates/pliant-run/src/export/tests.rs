//! Exports as files: what was recorded is there, or nothing is.

use std::fs;
use std::path::{Path, PathBuf};

use pliant::math::Vec3;
use pliant_scene::loaded::{BodyInfo, CarriedSurface, RenderMesh, RunInfo};
use serde_json::Value;

use super::*;
use crate::recording::{Header, Writer};

/// Vertices of all bodies together.
const VERTICES: usize = 9;

/// A fresh folder for one test, gone when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path =
            std::env::temp_dir().join(format!("pliant-export-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// A recording of four frames, 0.1 s apart.
    fn recording(&self) -> PathBuf {
        // All on a line but the tip of the tet.
        let y = |vertex: usize| if vertex == 4 { 6.0 } else { 0.5 * vertex as f64 };
        self.recording_with(|_, vertex| Vec3::new(vertex as f64, y(vertex), 0.0))
    }

    /// The same; `place` is put on top of a fall.
    fn recording_with(&self, place: impl Fn(usize, usize) -> Vec3) -> PathBuf {
        let path = self.0.join("run.pliant");
        let header = Header { pliant: "0.1.0".to_string(), vertices: VERTICES, info: info() };
        let mut writer = Writer::create(&path, &header).unwrap();
        for frame in 0..4 {
            let fall = |vertex| if vertex < 5 { 0.1 * frame as f64 } else { 0.0 };
            let at = |vertex| place(frame, vertex) - Vec3::Z * fall(vertex);
            let positions: Vec<Vec3> = (0..VERTICES).map(at).collect();
            writer.push(2 * frame as u64, 0.1 * frame as f64, &positions).unwrap();
        }
        writer.finish().unwrap();
        path
    }

    fn entries(&self) -> usize {
        fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn body(name: &str, vertices: std::ops::Range<usize>) -> BodyInfo {
    BodyInfo {
        name: name.to_string(),
        kind: "tets".to_string(),
        vertices,
        tets: 0,
        triangles: vec![],
        rings: vec![],
        edges: vec![],
        held: false,
    }
}

/// A tet with an inner vertex that falls, a line at rest, two particles at rest.
fn info() -> RunInfo {
    let triangles = vec![[0, 3, 1], [0, 1, 4], [1, 3, 4], [0, 4, 3]];
    RunInfo {
        scene: "fall".to_string(),
        response: "none".to_string(),
        integrator: "verlet".to_string(),
        dt: 0.05,
        steps: 8,
        record_every: 2,
        checkpoint_every: 10,
        description: String::new(),
        gravity: [0.0, 0.0, -9.81],
        bodies: vec![
            BodyInfo { tets: 4, triangles, ..body("größe", 0..5) },
            BodyInfo { edges: vec![[5, 6]], ..body("rod", 5..7) },
            body("dust", 7..9),
        ],
        recorded: Default::default(),
        carried: Vec::new(),
        obstacles: Vec::new(),
    }
}

fn settings(format: ExportFormat) -> ExportSettings {
    let size = [32, 24];
    ExportSettings { format, begin: None, end: None, every: 1, size, from: None, fields: None }
}

fn done(run: &Path, out: &Path, settings: ExportSettings) -> Result<Exported, ExportError> {
    export(run, out, settings, &mut |_, _| ControlFlow::Continue(()))
}

#[test]
fn a_series_of_vtu_files_reads_back() {
    let folder = Folder::new("vtu");
    let (run, out) = (folder.recording(), folder.0.join("out"));
    let exported = done(&run, &out, settings(ExportFormat::Vtu)).unwrap();
    assert_eq!((exported.frames, fs::read_dir(&out).unwrap().count()), (4, 5));
    let series = fs::read_to_string(out.join("series.pvd")).unwrap();
    let tree = roxmltree::Document::parse(&series).unwrap();
    let sets: Vec<_> = tree.descendants().filter(|node| node.has_tag_name("DataSet")).collect();
    assert_eq!(sets.len(), 4);
    for (index, set) in sets.iter().enumerate() {
        let time: f64 = set.attribute("timestep").unwrap().parse().unwrap();
        assert_eq!(time, 0.1 * index as f64);
        let mesh = pliant_io::mesh::read(&out.join(set.attribute("file").unwrap())).unwrap().mesh;
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (VERTICES, 4));
        assert_eq!(mesh.positions[0].z, f64::from(-(0.1 * index as f64) as f32));
    }
    let bytes: u64 =
        fs::read_dir(&out).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert_eq!(exported.bytes, bytes);
}

#[test]
fn sequences_of_surfaces_leave_out_inner_vertices() {
    for format in [ExportFormat::Obj, ExportFormat::Ply] {
        let folder = Folder::new(format.name());
        let (run, out) = (folder.recording(), folder.0.join("out"));
        let settings = ExportSettings { begin: Some(0.1), every: 2, ..settings(format) };
        let exported = done(&run, &out, settings).unwrap();
        assert_eq!((exported.frames, exported.span), (2, [0.1, 0.1 * 3.0]));
        let name = format!("frame_00001.{}", format.name());
        let mesh = pliant_io::mesh::read(&out.join(&name)).unwrap().mesh;
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (VERTICES - 1, 4));
        assert_eq!(mesh.positions[2], Vec3::new(3.0, 1.5, f64::from(-0.3_f32)));
        let table = fs::read_to_string(out.join("frames.csv")).unwrap();
        assert_eq!(table.lines().nth(2), Some(&*format!("1,6,{},{name}", 0.1 * 3.0)));
    }
}

/// A recording with all fields, tets and a moving obstacle; values are the number of their place.
fn recording_with_fields(folder: &Folder) -> PathBuf {
    let mut info = info();
    info.bodies[0].tets = 2;
    info.recorded.tets = vec![[0, 1, 3, 4], [0, 1, 2, 4]];
    info.recorded.fields = Field::ALL.to_vec();
    info.obstacles = vec![RenderMesh {
        name: "wall".to_string(),
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        triangles: vec![[0, 1, 2]],
        poses: vec![
            (0.0, [0.0; 3], [0.0, 0.0, 0.0, 1.0]),
            (0.4, [0.0, 0.0, 4.0], [0.0, 0.0, 0.0, 1.0]),
        ],
    }];
    let path = folder.0.join("fields.pliant");
    let header = Header { pliant: "0.1.0".to_string(), vertices: VERTICES, info };
    assert_eq!((header.version(), header.values()), (2, 5 * VERTICES + 2 * 12));
    let mut writer = Writer::create(&path, &header).unwrap();
    for frame in 0..4 {
        let positions: Vec<Vec3> = (0..VERTICES).map(|v| Vec3::splat(v as f64)).collect();
        let values: Vec<f32> = (0..header.values()).map(|k| (100 * frame + k) as f32).collect();
        let time = 0.1 * frame as f64;
        writer.push_with_fields(2 * frame as u64, time, &positions, &values).unwrap();
    }
    writer.finish().unwrap();
    path
}

#[test]
fn fields_tets_and_obstacles_go_where_they_can() {
    let folder = Folder::new("fields");
    let run = recording_with_fields(&folder);
    let out = folder.0.join("vtu");
    let exported = done(&run, &out, settings(ExportFormat::Vtu)).unwrap();
    assert_eq!(exported.notices, [""; 0]);
    let read = pliant_io::mesh::read(&out.join("frame_00001.vtu")).unwrap().mesh;
    assert_eq!((read.positions.len(), read.tets.len()), (VERTICES + 3, 2));
    // The wall moves 1 m in 0.1 s.
    assert_eq!(read.positions[VERTICES], Vec3::Z);
    let text = fs::read_to_string(out.join("frame_00001.vtu")).unwrap();
    let tree = roxmltree::Document::parse(&text).unwrap();
    let names = |section: &str| -> Vec<String> {
        let parent = tree.descendants().find(|node| node.has_tag_name(section)).unwrap();
        let arrays = parent.children().filter_map(|node| node.attribute("Name"));
        arrays.map(str::to_string).collect()
    };
    assert_eq!(names("PointData"), ["body", "velocity", "depth", "pressure"]);
    assert_eq!(names("CellData"), ["stress", "strain"]);

    let fields = Some(FieldSet::of(&[Field::Depth, Field::Velocity]));
    let out = folder.0.join("ply");
    done(&run, &out, ExportSettings { fields, ..settings(ExportFormat::Ply) }).unwrap();
    let file = fs::read(out.join("frame_00000.ply")).unwrap();
    let text = String::from_utf8_lossy(&file);
    assert!(text.contains("comment velocity in m/s\n"), "{text}");
    assert!(text.contains("property float velocity_z\nproperty float depth\n"), "{text}");
    let mesh = pliant_io::mesh::read(&out.join("frame_00000.ply")).unwrap().mesh;
    assert_eq!((mesh.positions.len(), mesh.triangles.len()), (VERTICES - 1 + 3, 5));

    let out = folder.0.join("a.npz");
    done(&run, &out, settings(ExportFormat::Npz)).unwrap();
    let arrays = entries(&fs::read(&out).unwrap());
    let names: Vec<&str> = arrays.iter().map(|(name, _)| name.as_str()).collect();
    for name in
        ["velocity.npy", "depth.npy", "pressure.npy", "stress.npy", "strain.npy", "tets.npy"]
    {
        assert!(names.contains(&name), "{names:?}");
    }
    let stress = &arrays.iter().find(|(name, _)| name == "stress.npy").unwrap().1;
    assert!(String::from_utf8_lossy(&stress[10..]).contains("'shape': (4,2,6,)"));
    // Frame 3, tet 1, the last number: behind velocity, depth and pressure.
    let last = 300.0 + (5 * VERTICES + 11) as f32;
    assert_eq!(stress[stress.len() - 4..], last.to_le_bytes());

    let fields = Some(FieldSet::of(&[Field::Stress]));
    let error = done(
        &folder.recording(),
        &folder.0.join("b.npz"),
        ExportSettings { fields, ..settings(ExportFormat::Npz) },
    );
    let error = error.unwrap_err().to_string();
    assert!(
        error.ends_with("has no field `stress`; `record.fields` in the scene asks for it"),
        "{error}"
    );
    assert!(!folder.0.join("b.npz").exists());
}

/// The recording with fields, whose tet carries a triangle at half its height.
fn recording_with_fine_surface(folder: &Folder) -> PathBuf {
    let path = recording_with_fields(folder);
    let mut recording = Recording::open(&path).unwrap();
    let mut header = recording.header().clone();
    header.info.bodies[0].triangles = vec![[9, 10, 11]];
    header.info.carried = vec![CarriedSurface {
        bodies: vec![0],
        carriers: vec![[0, 1, 2, 4]; 3],
        weights: vec![[0.5, 0.0, 0.0, 0.5], [0.0, 0.5, 0.0, 0.5], [0.0, 0.0, -1.0, 2.0]],
    }];
    let fine = folder.0.join("fine.pliant");
    let mut writer = Writer::create(&fine, &header).unwrap();
    for index in 0..recording.frames().len() {
        let frame = recording.read(index).unwrap();
        let positions: Vec<Vec3> =
            frame.positions.iter().map(|p| Vec3::from(p.map(f64::from))).collect();
        writer.push_with_fields(frame.step, frame.time, &positions, &frame.values).unwrap();
    }
    writer.finish().unwrap();
    fine
}

#[test]
fn fine_surfaces_and_obstacles_are_exported() {
    let folder = Folder::new("fine");
    let run = recording_with_fine_surface(&folder);
    let mut recording = Recording::open(&run).unwrap();
    let frame = recording.read(1).unwrap();
    assert_eq!((recording.vertices(), frame.positions.len()), (VERTICES + 3, VERTICES + 3));
    // Vertex k is at (k, k, k); the last one is −1 · 2 + 2 · 4.
    assert_eq!(frame.positions[VERTICES..], [[2.0; 3], [2.5; 3], [6.0; 3]]);
    // The depth of vertex k is 100 + 3 · 9 + k.
    let depth = recording.info().recorded.range(Field::Depth, VERTICES + 3).unwrap();
    assert_eq!(frame.values[depth.clone()].len(), VERTICES + 3);
    assert_eq!(frame.values[depth][VERTICES..], [129.0, 129.5, 133.0]);
    let stress = recording.info().recorded.range(Field::Stress, VERTICES + 3).unwrap();
    assert_eq!(frame.values[stress][0], (100 + 5 * VERTICES) as f32);

    let out = folder.0.join("obj");
    done(&run, &out, settings(ExportFormat::Obj)).unwrap();
    let mesh = pliant_io::mesh::read(&out.join("frame_00001.obj")).unwrap().mesh;
    assert_eq!(mesh.triangles.len(), 2);
    assert!(mesh.positions.contains(&Vec3::splat(2.5)));

    let out = folder.0.join("vtu");
    done(&run, &out, settings(ExportFormat::Vtu)).unwrap();
    let mesh = pliant_io::mesh::read(&out.join("frame_00001.vtu")).unwrap().mesh;
    assert_eq!((mesh.positions.len(), mesh.tets.len()), (VERTICES + 3 + 3, 2));

    let out = folder.0.join("a.glb");
    let exported = done(&run, &out, settings(ExportFormat::Glb)).unwrap();
    assert_eq!(exported.notices, [""; 0]);
    let file = fs::read(&out).unwrap();
    let (document, bin) = parts(&file);
    let names: Vec<_> = document["meshes"].as_array().unwrap().iter().map(|m| &m["name"]).collect();
    assert_eq!(names, ["größe", "rod", "dust", "wall"]);
    let base = |mesh: usize| {
        let place = &document["meshes"][mesh]["primitives"][0]["attributes"]["POSITION"];
        numbers(&document, bin, place.as_u64().unwrap() as usize)
    };
    assert_eq!(base(0), [2.0, 2.0, 2.0, 2.5, 2.5, 2.5, 6.0, 6.0, 6.0]);
    assert_eq!(base(3), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    // The wall moves 1 m up from frame to frame.
    let target = &document["meshes"][3]["primitives"][0]["targets"][1]["POSITION"];
    let moved = numbers(&document, bin, target.as_u64().unwrap() as usize);
    assert_eq!(moved, [0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0]);

    let out = folder.0.join("a.npz");
    done(&run, &out, settings(ExportFormat::Npz)).unwrap();
    let arrays = entries(&fs::read(&out).unwrap());
    for (name, shape) in [
        ("positions", "(4,12,3,)"),
        ("vertex_body", "(12,)"),
        ("depth", "(4,12,)"),
        ("obstacle_positions", "(4,3,3,)"),
        ("obstacle_triangles", "(1,3,)"),
        ("triangle_obstacle", "(1,)"),
        ("obstacle_names", "(1,)"),
    ] {
        let (_, bytes) = arrays.iter().find(|(own, _)| *own == format!("{name}.npy")).unwrap();
        let text = String::from_utf8_lossy(&bytes[..128]);
        assert!(text.contains(&format!("'shape': {shape}")), "{name}: {text}");
    }
    let body = &arrays.iter().find(|(name, _)| name == "vertex_body.npy").unwrap().1;
    assert_eq!(body[body.len() - 12..], [0; 12]);
}

#[test]
fn fine_surfaces_that_cannot_be_are_damage() {
    let folder = Folder::new("wrong-fine");
    let run = recording_with_fine_surface(&folder);
    let header = Recording::open(&run).unwrap().header().clone();
    let refused = |change: fn(&mut CarriedSurface)| {
        let mut header = header.clone();
        change(&mut header.info.carried[0]);
        let path = folder.0.join("wrong.pliant");
        let _ = fs::remove_file(&path);
        Writer::create(&path, &header).unwrap().finish().unwrap();
        Recording::open(&path).unwrap_err().to_string()
    };
    let found = refused(|surface| surface.carriers[1][2] = 5);
    assert!(found.ends_with("fine surface 0 names vertex 5 of body 0, which has 5"), "{found}");
    let found = refused(|surface| surface.bodies = vec![3]);
    assert!(found.ends_with("fine surface 0 names vertex 4 of body 3, which has 0"), "{found}");
    let found = refused(|surface| surface.bodies = vec![0, 0]);
    assert!(found.ends_with("body 0 cannot carry fine surface 0"), "{found}");
    let found = refused(|surface| surface.weights.truncate(1));
    assert!(found.ends_with("fine surface 0 has 3 vertices, 1 weights"), "{found}");
    let found = refused(|surface| surface.bodies.clear());
    assert!(found.ends_with("body 0 names vertex 9 of 9"), "{found}");
}

/// Name and bytes of the entries of a ZIP file, by its local headers; checksums are verified.
fn entries(file: &[u8]) -> Vec<(String, Vec<u8>)> {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let half = |at: usize| usize::from(u16::from_le_bytes([file[at], file[at + 1]]));
    let (mut found, mut at) = (Vec::new(), 0);
    while word(at) == 0x0403_4b50 {
        let (name, extra) = (half(at + 26), half(at + 28));
        let size = u64::from_le_bytes(file[at + 30 + name + 4..][..8].try_into().unwrap()) as usize;
        let start = at + 30 + name + extra;
        let bytes = file[start..start + size].to_vec();
        assert_eq!(crc32fast::hash(&bytes), word(at + 14));
        found.push((String::from_utf8(file[at + 30..at + 30 + name].to_vec()).unwrap(), bytes));
        at = start + size;
    }
    assert_eq!(word(at), 0x0201_4b50);
    // The last record is 22 bytes long, the one before it names the place of the directory's end.
    let end = file.len() - 22;
    assert_eq!([word(end), word(end - 20)], [0x0605_4b50, 0x0706_4b50]);
    let place = u64::from_le_bytes(file[end - 12..end - 4].try_into().unwrap()) as usize;
    assert_eq!((word(place), word(place + 48) as usize), (0x0606_4b50, at));
    found
}

#[test]
fn arrays_of_an_npz_file_have_their_shapes_and_numbers() {
    let folder = Folder::new("npz");
    let (run, out) = (folder.recording(), folder.0.join("run.npz"));
    let exported = done(&run, &out, settings(ExportFormat::Npz)).unwrap();
    let file = fs::read(&out).unwrap();
    assert_eq!(exported.bytes, file.len() as u64);
    let arrays = entries(&file);
    let expected = [
        ("positions", "<f4", "(4,9,3,)"),
        ("times", "<f8", "(4,)"),
        ("steps", "<i8", "(4,)"),
        ("triangles", "<i4", "(4,3,)"),
        ("triangle_body", "<i4", "(4,)"),
        ("edges", "<i4", "(1,2,)"),
        ("vertex_body", "<i4", "(9,)"),
        ("body_names", "<U5", "(3,)"),
    ];
    assert_eq!(arrays.len(), expected.len());
    let mut data = Vec::new();
    for ((name, bytes), (wanted, kind, shape)) in arrays.iter().zip(expected) {
        assert_eq!(*name, format!("{wanted}.npy"));
        let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert!((10 + length).is_multiple_of(64) && bytes[9 + length] == b'\n');
        let head = String::from_utf8(bytes[10..10 + length].to_vec()).unwrap();
        let said = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
        assert_eq!(head.trim_end(), said);
        data.push(&bytes[10 + length..]);
    }
    // z of vertex 1 in frame 3.
    let at = 4 * (3 * (3 * VERTICES + 1) + 2);
    assert_eq!(data[0][at..at + 4], (-0.3_f32).to_le_bytes());
    assert_eq!(data[0].len(), 4 * 4 * 3 * VERTICES);
    assert_eq!(data[6][4 * 5..4 * 8], [1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
    assert_eq!(data[7][..8], [b'g', 0, 0, 0, b'r', 0, 0, 0]);
}

/// The JSON of a GLB file and its bytes, sizes verified.
fn parts(file: &[u8]) -> (Value, &[u8]) {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&file[..4], word(4), word(8)), (&b"glTF"[..], 2, file.len()));
    let text = word(12);
    assert!(text.is_multiple_of(4) && &file[16..20] == b"JSON");
    let bin = word(20 + text);
    assert!(bin.is_multiple_of(4) && &file[24 + text..28 + text] == b"BIN\0");
    assert_eq!(28 + text + bin, file.len());
    (serde_json::from_slice(&file[20..20 + text]).unwrap(), &file[28 + text..])
}

/// Components of an accessor; its place within its view, and its bounds, are verified.
fn numbers(document: &Value, bin: &[u8], index: usize) -> Vec<f32> {
    let accessor = &document["accessors"][index];
    let view = &document["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
    let width = if accessor["type"] == "VEC3" { 3 } else { 1 };
    let (from, count) = (number(&accessor["byteOffset"]), number(&accessor["count"]));
    assert!(count > 0 && from.is_multiple_of(4));
    assert!(from + 4 * width * count <= number(&view["byteLength"]), "{accessor}");
    let start = number(&view["byteOffset"]) + from;
    assert!(number(&view["byteOffset"]).is_multiple_of(4));
    let bytes = &bin[start..start + 4 * width * count];
    let all: Vec<f32> =
        bytes.chunks(4).map(|word| f32::from_le_bytes(word.try_into().unwrap())).collect();
    if let Some(min) = accessor["min"].as_array() {
        for axis in 0..width {
            let own = all.iter().skip(axis).step_by(width);
            let least = own.clone().copied().fold(f32::INFINITY, f32::min);
            let most = own.copied().fold(f32::NEG_INFINITY, f32::max);
            assert_eq!(min[axis], Value::from(least), "{accessor}");
            assert_eq!(accessor["max"][axis], Value::from(most), "{accessor}");
        }
    }
    all
}

#[test]
fn a_glb_file_shows_every_frame() {
    let folder = Folder::new("glb");
    let (run, out) = (folder.recording(), folder.0.join("run.glb"));
    done(&run, &out, settings(ExportFormat::Glb)).unwrap();
    let file = fs::read(&out).unwrap();
    let (document, bin) = parts(&file);
    assert_eq!(document["buffers"][0]["byteLength"], bin.len());
    let meshes = document["meshes"].as_array().unwrap();
    let names: Vec<_> = meshes.iter().map(|mesh| mesh["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["größe", "rod", "dust"]);
    let modes: Vec<_> = meshes.iter().map(|mesh| &mesh["primitives"][0]["mode"]).collect();
    assert_eq!(modes, [&Value::from(4), &Value::from(1), &Value::from(0)]);
    // Only what moves has targets: base and three of them, then indices.
    let primitive = &meshes[0]["primitives"][0];
    assert_eq!(primitive["targets"].as_array().unwrap().len(), 3);
    assert!(meshes[1]["primitives"][0].get("targets").is_none());
    let position = |of: &Value| of["POSITION"].as_u64().unwrap() as usize;
    let base = numbers(&document, bin, position(&primitive["attributes"]));
    assert_eq!(base[6..9], [3.0, 1.5, 0.0]);
    let sampler = &document["animations"][0]["samplers"][0];
    let [times, weights] = ["input", "output"]
        .map(|which| numbers(&document, bin, sampler[which].as_u64().unwrap() as usize));
    assert_eq!(times, [0.0, 0.1, 0.2, 0.3]);
    assert_eq!(weights, [0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., 1.]);
    for (frame, target) in primitive["targets"].as_array().unwrap().iter().enumerate() {
        let added = numbers(&document, bin, position(target));
        assert_eq!(added[2], -(0.1 * (frame + 1) as f64) as f32);
    }
    for index in 0..document["accessors"].as_array().unwrap().len() {
        numbers(&document, bin, index);
    }
    let channels = document["animations"][0]["channels"].as_array().unwrap();
    assert_eq!((channels.len(), &channels[0]["target"]["node"]), (1, &Value::from(0)));
}

#[test]
fn one_frame_has_neither_targets_nor_an_animation() {
    let folder = Folder::new("still");
    let (run, out) = (folder.recording(), folder.0.join("run.glb"));
    let settings =
        ExportSettings { begin: Some(0.2), end: Some(0.2), ..settings(ExportFormat::Glb) };
    assert_eq!(done(&run, &out, settings).unwrap().frames, 1);
    let file = fs::read(&out).unwrap();
    let (document, _) = parts(&file);
    assert!(document.get("animations").is_none(), "{document}");
}

#[test]
fn pictures_hold_all_frames_for_as_long_as_they_last() {
    let folder = Folder::new("pictures");
    let run = folder.recording();
    let (gif, apng) = (folder.0.join("a.gif"), folder.0.join("a.png"));
    done(&run, &gif, settings(ExportFormat::Gif)).unwrap();
    done(&run, &apng, settings(ExportFormat::Apng)).unwrap();
    let mut decoder = gif::DecodeOptions::new().read_info(fs::File::open(&gif).unwrap()).unwrap();
    assert_eq!((decoder.width(), decoder.height()), (32, 24));
    let mut delays = Vec::new();
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        delays.push(frame.delay);
    }
    assert_eq!(delays, [10; 4]);
    let file = std::io::BufReader::new(fs::File::open(&apng).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    assert_eq!(reader.info().animation_control().unwrap().num_frames, 4);
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let mut pictures = Vec::new();
    for _ in 0..4 {
        reader.next_frame(&mut pixels).unwrap();
        let control = reader.info().frame_control().unwrap();
        assert_eq!((control.delay_num, control.delay_den), (100, 1000));
        pictures.push(pixels.clone());
    }
    assert!(pictures[0] != pictures[3]);
}

/// One line that holds `expected`, and no new file.
#[track_caller]
fn refused(folder: &Folder, run: &Path, out: &str, settings: ExportSettings, expected: &str) {
    let before = folder.entries();
    let error = done(run, &folder.0.join(out), settings).unwrap_err().to_string();
    assert!(error.contains(expected) && error.lines().count() == 1, "{error}");
    assert_eq!(folder.entries(), before, "{error}");
}

#[test]
fn bad_recordings_are_named_and_nothing_is_written() {
    let folder = Folder::new("bad");
    let run = folder.recording();
    let good = fs::read(&run).unwrap();
    let bad = folder.0.join("bad.pliant");
    let check = |bytes: &[u8], expected: &str| {
        fs::write(&bad, bytes).unwrap();
        for format in ExportFormat::ALL {
            let ending = format.endings().first().map(|e| format!(".{e}")).unwrap_or_default();
            refused(&folder, &bad, &format!("out{ending}"), settings(format), expected);
        }
    };
    check(b"hello", "bad.pliant: not a pliant recording");
    check(&good[..100], "bad.pliant: a recording cut short before its first frame");
    let mut newer = good.clone();
    newer[8] = 9;
    check(&newer, "bad.pliant: a recording in format 9, from a newer pliant");
    let missing = folder.0.join("missing");
    refused(&folder, &missing, "a.npz", settings(ExportFormat::Npz), "missing: No such file");
    let empty = folder.0.join("empty");
    fs::create_dir(&empty).unwrap();
    refused(&folder, &empty, "a.npz", settings(ExportFormat::Npz), "not a pliant run directory");
}

#[test]
fn a_recording_cut_short_is_exported_up_to_its_last_whole_frame() {
    let folder = Folder::new("cut");
    let run = folder.recording();
    let good = fs::read(&run).unwrap();
    // The index is a block of 40 bytes and four entries of 24, and 16 bytes more.
    fs::write(&run, &good[..good.len() - 40 - 4 * 24 - 16 - 3]).unwrap();
    let exported = done(&run, &folder.0.join("a.npz"), settings(ExportFormat::Npz)).unwrap();
    assert_eq!(exported.frames, 3);
    assert!(exported.notices[0].starts_with("the recording was cut short: "), "{exported:?}");
}

#[test]
fn bad_requests_are_refused_with_what_to_do() {
    let folder = Folder::new("requests");
    let run = folder.recording();
    let glb = settings(ExportFormat::Glb);
    let late = ExportSettings { begin: Some(7.0), ..glb };
    let times = "no frame between 7 s and 0.3 s: the recording goes from 0 s to 0.3 s in 4 frames";
    refused(&folder, &run, "a.glb", late, times);
    refused(&folder, &run, "a.gltf", glb, "a.gltf: the name of glb output ends in .glb");
    let vtu = settings(ExportFormat::Vtu);
    refused(&folder, &run, "a.pvd", vtu, "a.pvd: vtu is written as a folder of files");
    refused(&folder, &run, "missing/a.glb", glb, "a.glb: cannot be written: No such file");
    refused(&folder, &run, "missing/a", vtu, "a: cannot be written: No such file");
    refused(&folder, &run, "run.pliant", vtu, "exists already and is not an empty folder");
    let error = export(&run, &folder.0.join("a"), vtu, &mut |done, _| match done {
        2 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert!(matches!(error, Err(ExportError::Interrupted)));
    assert_eq!(folder.entries(), 1);
}

#[test]
fn vertices_that_are_not_finite_go_where_the_format_allows() {
    let folder = Folder::new("nan");
    let lost = |frame, vertex| if (frame, vertex) == (2, 1) { Vec3::NAN } else { Vec3::ZERO };
    let run = folder.recording_with(lost);
    let expected = "vertex 1 is not finite at 0.2 s, which glb does not allow";
    refused(&folder, &run, "a.glb", settings(ExportFormat::Glb), expected);
    for (name, format) in
        [("a.npz", ExportFormat::Npz), ("a.gif", ExportFormat::Gif), ("a", ExportFormat::Vtu)]
    {
        done(&run, &folder.0.join(name), settings(format)).unwrap();
    }
}

#[test]
fn an_empty_folder_is_filled() {
    let folder = Folder::new("empty");
    let (run, out) = (folder.recording(), folder.0.join("out"));
    fs::create_dir(&out).unwrap();
    done(&run, &out, settings(ExportFormat::Ply)).unwrap();
    assert_eq!(fs::read_dir(&out).unwrap().count(), 5);
    refused(&folder, &run, "out", settings(ExportFormat::Ply), "exists already");
}
