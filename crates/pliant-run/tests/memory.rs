//! Files that announce more than they hold: refused or read, within bounds.
//!
//! A binary of its own, because it counts every allocation of the process.

#![allow(clippy::unwrap_used, reason = "a test may")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use pliant::math::Vec3;
use pliant_run::check::check;
use pliant_run::picture::{Camera, View, render};
use pliant_run::recording::{Header, Recording, Writer};
use pliant_scene::loaded::{BodyInfo, RunInfo};

/// Bytes that reading and checking may use per byte of the file.
///
/// A vertex of "0 0 0\n" is 6 bytes of text and 24 of numbers; topology and trees take
/// a few times that.
const BYTES_PER_BYTE: usize = 100;

/// Bytes that drawing a recording may use per byte of the file.
///
/// A frame has at most 100 bytes per byte of the file; four frames are unpacked at a time, and
/// positions are needed as f64 too.
const BYTES_PER_PACKED_BYTE: usize = 1000;

/// Bytes that drawing may use for any recording: small balls for at most 10,000 vertices of a body.
const BYTES_DRAWN: usize = 400 << 20;

/// Bytes that any file may use: buffers, messages.
const BYTES_FREE: usize = 1 << 20;

/// Longest CPU time for one file, debug build.
const LONGEST: Duration = Duration::from_secs(1);

/// CPU time of this thread so far, or the wall clock where the system does not report it.
fn cpu_time() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    let reported = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = reported.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(|| START.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

/// Counts what is in use.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "an allocator cannot be written without; it only counts")]
// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[track_caller]
fn within_bounds(path: &Path) -> pliant_run::check::FileReport {
    let size = std::fs::metadata(path).unwrap().len() as usize;
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let start = cpu_time();
    let report = check(path);
    let (used, took) = (PEAK.load(Ordering::Relaxed) - before, cpu_time() - start);
    assert!(took < LONGEST, "{}: {took:?}", path.display());
    let limit = BYTES_PER_BYTE * size + BYTES_FREE;
    assert!(used <= limit, "{}: {used} bytes for a file of {size}", path.display());
    report
}

/// Everything in one test: a second one would allocate at the same time.
#[test]
fn no_file_takes_more_than_its_size_allows() {
    absurd_counts_are_refused();
    torture_files_load_or_name_the_place();
    a_recording_that_packs_well_is_drawn();
}

/// The most vertices that a recording can have for its size: all lie at one place.
fn a_recording_that_packs_well_is_drawn() {
    const VERTICES: usize = 300_000;
    let path = std::env::temp_dir().join(format!("pliant-memory-{}.pliant", std::process::id()));
    let body = BodyInfo {
        name: "cloud".to_string(),
        kind: "cloud".to_string(),
        vertices: 0..VERTICES,
        tets: 0,
        triangles: vec![],
        rings: vec![],
        edges: vec![],
        held: false,
    };
    let info = RunInfo {
        scene: "point".to_string(),
        description: String::new(),
        response: "none".to_string(),
        integrator: "verlet".to_string(),
        dt: 0.1,
        steps: 4,
        record_every: 1,
        checkpoint_every: 1,
        gravity: [0.0; 3],
        bodies: vec![body],
        recorded: Default::default(),
        carried: Vec::new(),
        obstacles: vec![],
    };
    let header = Header { pliant: "0".to_string(), vertices: VERTICES, info };
    let mut writer = Writer::create(&path, &header).unwrap();
    let positions = vec![Vec3::X; VERTICES];
    (0..4).for_each(|frame| writer.push(frame, frame as f64, &positions).unwrap());
    writer.finish().unwrap();
    drop((positions, header));
    let size = std::fs::metadata(&path).unwrap().len() as usize;
    assert!(size < VERTICES, "{size}"); // less than a byte for what takes twelve
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let mut recording = Recording::open(&path).unwrap();
    let read = recording.read(3).unwrap();
    assert_eq!(read.positions.len(), VERTICES);
    let used = PEAK.load(Ordering::Relaxed) - before;
    let limit = BYTES_PER_PACKED_BYTE * size + BYTES_FREE;
    assert!(used <= limit, "{used} bytes to read a recording of {size}");
    let (bodies, positions) = (&recording.info().bodies, &read.positions);
    let camera = Camera::default();
    render(&View { bodies, positions, obstacles: &[], time: 0.0, size: [64, 48], camera });
    let used = PEAK.load(Ordering::Relaxed) - before;
    let limit = BYTES_PER_PACKED_BYTE * size + BYTES_DRAWN;
    assert!(used <= limit, "{used} bytes to draw a recording of {size}");
    std::fs::remove_file(&path).unwrap();
}

fn absurd_counts_are_refused() {
    let many = "99999999999";
    let binary = |head: &str, count: u64| [head.as_bytes(), &count.to_le_bytes()].concat();
    let files: Vec<(&str, Vec<u8>)> = vec![
        ("a.vtk", format!("# vtk DataFile Version 2.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {many} float\n0 0 0\n").into()),
        ("b.vtk", format!("# vtk DataFile Version 2.0\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS {many} double\n").into()),
        ("a.vtu", format!("<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"{many}\" NumberOfCells=\"{many}\"><Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0</DataArray></Points></Piece></UnstructuredGrid></VTKFile>").into()),
        ("a.msh", format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{many}\n1 0 0 0\n").into()),
        ("b.msh", format!("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 {many} 1 {many}\n3 1 0 {many}\n").into()),
        ("c.msh", [binary("$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n", u64::MAX), vec![255; 64]].concat()),
        ("a.mesh", format!("MeshVersionFormatted 1\nDimension 3\nVertices\n{many}\n0 0 0 0\n").into()),
        ("a.node", format!("{many} 3 0 0\n0 0 0 0\n").into()),
        ("a.veg", format!("*VERTICES\n{many} 3 0 0\n1 0 0 0\n").into()),
        ("a.ply", format!("ply\nformat ascii 1.0\nelement vertex {many}\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n").into()),
        ("b.ply", format!("ply\nformat ascii 1.0\nelement nothing {many}\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nend_header\n").into()),
        ("a.off", format!("OFF\n{many} {many} 0\n0 0 0\n").into()),
        ("a.stl", [&[0; 80][..], &u32::MAX.to_le_bytes(), &[0; 50]].concat()),
        ("a.obj", b"v 0 0 0\nf 1 99999999999 3\n".to_vec()),
    ];
    let folder = std::env::temp_dir().join(format!("pliant-memory-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        let report = within_bounds(&path);
        assert!(report.error.is_some(), "{name}: {report:?}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

fn torture_files_load_or_name_the_place() {
    let Some(folder) = std::env::var_os("PLIANT_DATA") else {
        use std::io::Write;
        let note = "skipped the torture files: PLIANT_DATA does not name the folder of test data\n";
        let _ = std::io::stderr().write_all(note.as_bytes());
        return;
    };
    let mut files = Vec::new();
    collect(&PathBuf::from(folder).join("torture"), &mut files);
    assert_eq!(files.len(), 90);
    for path in &files {
        let report = within_bounds(path);
        let Some(error) = report.error else { continue };
        let places = ["line ", "byte ", "piece ", "the file", "no tets or triangles", "element "];
        assert!(places.iter().any(|place| error.contains(place)), "{error}");
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}
