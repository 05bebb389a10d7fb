//! NumPy's NPZ: a ZIP file of arrays.
//!
//! | array                | shape                  | type | what                                      |
//! |----------------------|------------------------|------|-------------------------------------------|
//! | `positions`          | frames × vertices × 3  | f4   | world space, m; fine surfaces last        |
//! | `times`              | frames                 | f8   | since the start, s                        |
//! | `steps`              | frames                 | i8   | steps made before the frame               |
//! | `triangles`          | triangles × 3          | i4   | corners, of all bodies in order           |
//! | `triangle_body`      | triangles              | i4   | body of each triangle                     |
//! | `edges`              | edges × 2              | i4   | ends of edges and rings without triangles |
//! | `vertex_body`        | vertices               | i4   | body of each vertex, −1 for none          |
//! | `body_names`         | bodies                 | U    | names of the bodies                       |
//! | `tets`               | tets × 4               | i4   | corners, where they are recorded          |
//! | a field              | frames × its own shape | f4   | such as `velocity`, where it is recorded  |
//! | `obstacle_positions` | frames × points × 3    | f4   | world space, m, where there are obstacles |
//! | `obstacle_triangles` | triangles × 3          | i4   | corners among the obstacles' points       |
//! | `triangle_obstacle`  | triangles              | i4   | obstacle of each of them                  |
//! | `obstacle_names`     | obstacles              | U    | names of the obstacles                    |

use std::io::{Seek, Write};
use std::path::Path;

use pliant_scene::spec::Field;

use super::cells::{Drawn, body_of_vertex, obstacle_points};
use super::output::{Stop, write_file};
use super::zip::Zip;
use super::{ExportError, Frames};

/// Headers of arrays end at a multiple of this, bytes.
const ALIGNMENT: usize = 64;

/// Bytes of a number of a field.
const NUMBER: u64 = 4;

/// Bytes of a vertex in a frame.
const VERTEX: u64 = 12;

/// Writes the arrays; frames go through memory one at a time.
pub(super) fn write(frames: &mut Frames, out: &Path) -> Result<u64, ExportError> {
    let info = frames.recording.info();
    if info.recorded.tets.is_empty() && info.bodies.iter().any(|body| body.tets > 0) {
        let notice = "the recording holds no tets: `triangles` are the surfaces of bodies; \
                      `record.tets = true` in the scene records tets";
        frames.notices.push(notice.to_string());
    }
    write_file(out, |file| {
        let mut zip = Zip::new(file);
        let (count, vertices) = (frames.len(), frames.recording.vertices());
        let head = header("<f4", &[count, vertices, 3]);
        let size = head.len() as u64 + VERTEX * count as u64 * vertices as u64;
        zip.add("positions.npy", size, |entry| -> Result<(), Stop> {
            entry.write_all(&head)?;
            for index in 0..count {
                let positions = frames.read(index)?.positions;
                let numbers = positions.as_flattened().iter();
                let bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
                entry.write_all(&bytes)?;
            }
            Ok(())
        })?;
        for (field, range) in frames.fields.clone() {
            add_field(frames, &mut zip, field, range)?;
        }
        for (name, bytes) in small_arrays(frames) {
            let size = bytes.len() as u64;
            zip.add(name, size, |entry| Ok::<(), Stop>(entry.write_all(&bytes)?))?;
        }
        Ok(zip.finish()?)
    })
}

/// Adds a field: frames × vertices or tets × components.
fn add_field<W: Write + Seek>(
    frames: &mut Frames,
    zip: &mut Zip<W>,
    field: Field,
    range: std::ops::Range<usize>,
) -> Result<(), Stop> {
    let (count, width) = (frames.len(), field.components());
    let shape = [count, range.len() / width, width];
    let head = header("<f4", if width == 1 { &shape[..2] } else { &shape });
    let size = head.len() as u64 + NUMBER * count as u64 * range.len() as u64;
    zip.add(&format!("{}.npy", field.name()), size, |entry| -> Result<(), Stop> {
        entry.write_all(&head)?;
        for index in 0..count {
            let mut values = frames.read(index)?.values;
            values.resize(range.end.max(values.len()), f32::NAN);
            let numbers = values[range.clone()].iter();
            let bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
            entry.write_all(&bytes)?;
        }
        Ok(())
    })
}

/// All arrays but the positions and fields: names and bytes.
fn small_arrays(frames: &Frames) -> Vec<(&'static str, Vec<u8>)> {
    let (info, vertices) = (frames.recording.info(), frames.recording.vertices());
    let entries = frames.indices.iter().map(|&index| frames.recording.frames()[index]);
    let times = entries.clone().flat_map(|entry| entry.time.to_le_bytes());
    let steps = entries.flat_map(|entry| (entry.step as i64).to_le_bytes());
    let (mut triangles, mut triangle_body, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    for (drawn, body) in info.bodies.iter().map(Drawn::new).zip(0_u32..) {
        match drawn {
            Drawn::Triangles(own) => {
                triangle_body.extend(std::iter::repeat_n(body, own.len()));
                triangles.extend(own.into_iter().flatten());
            }
            Drawn::Lines(own) => edges.extend(own.into_iter().flatten()),
            Drawn::Points(_) => {}
        }
    }
    let count = frames.len();
    // The largest u32 has the bits of −1.
    let bodies = body_of_vertex(info, vertices);
    let tets = info.recorded.tets.as_flattened();
    let mut all = vec![
        ("times.npy", array("<f8", &[count], times)),
        ("steps.npy", array("<i8", &[count], steps)),
        ("triangles.npy", array("<i4", &[triangles.len() / 3, 3], words(&triangles))),
        ("triangle_body.npy", array("<i4", &[triangle_body.len()], words(&triangle_body))),
        ("edges.npy", array("<i4", &[edges.len() / 2, 2], words(&edges))),
        ("vertex_body.npy", array("<i4", &[vertices], words(&bodies))),
        ("body_names.npy", names(info.bodies.iter().map(|body| &body.name))),
    ];
    if !tets.is_empty() {
        all.push(("tets.npy", array("<i4", &[tets.len() / 4, 4], words(tets))));
    }
    if !info.obstacles.is_empty() {
        all.extend(obstacle_arrays(frames));
    }
    all
}

/// Obstacles frame by frame.
fn obstacle_arrays(frames: &Frames) -> [(&'static str, Vec<u8>); 4] {
    let (info, count) = (frames.recording.info(), frames.len());
    let (mut triangles, mut owners, mut first) = (Vec::new(), Vec::new(), 0);
    for (obstacle, index) in info.obstacles.iter().zip(0_u32..) {
        triangles.extend(obstacle.triangles.iter().flatten().map(|corner| first + corner));
        owners.extend(std::iter::repeat_n(index, obstacle.triangles.len()));
        first += obstacle.positions.len() as u32;
    }
    let points = (0..count).flat_map(|index| obstacle_points(info, frames.time(index)));
    let bytes = points.flat_map(|point| point.map(f32::to_le_bytes)).flatten();
    let shape = [count, first as usize, 3];
    let names = names(info.obstacles.iter().map(|obstacle| &obstacle.name));
    [
        ("obstacle_positions.npy", array("<f4", &shape, bytes)),
        ("obstacle_triangles.npy", array("<i4", &[triangles.len() / 3, 3], words(&triangles))),
        ("triangle_obstacle.npy", array("<i4", &[owners.len()], words(&owners))),
        ("obstacle_names.npy", names),
    ]
}

fn words(numbers: &[u32]) -> impl Iterator<Item = u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes())
}

fn array(kind: &str, shape: &[usize], bytes: impl Iterator<Item = u8>) -> Vec<u8> {
    let mut array = header(kind, shape);
    array.extend(bytes);
    array
}

/// Names as NumPy's texts: as many characters of 32 bits for each, filled with zeros.
fn names<'a>(all: impl ExactSizeIterator<Item = &'a String> + Clone) -> Vec<u8> {
    let longest = all.clone().map(|name| name.chars().count()).max().unwrap_or(0);
    let (width, count) = (longest.max(1), all.len());
    let letters = all.flat_map(|name| {
        let letters = name.chars().map(u32::from);
        letters.chain(std::iter::repeat(0)).take(width).flat_map(u32::to_le_bytes)
    });
    array(&format!("<U{width}"), &[count], letters)
}

/// What stands before the numbers of an array, in version 1.0 of the format.
fn header(kind: &str, shape: &[usize]) -> Vec<u8> {
    let sides: String = shape.iter().map(|side| format!("{side},")).collect();
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({sides}), }}");
    let mut head = b"\x93NUMPY\x01\x00".to_vec();
    // Two bytes for the length before the text, and a line end behind it.
    let unpadded = head.len() + 2 + text.len() + 1;
    text.push_str(&" ".repeat(unpadded.next_multiple_of(ALIGNMENT) - unpadded));
    text.push('\n');
    head.extend((text.len() as u16).to_le_bytes());
    head.extend(text.as_bytes());
    head
}
