//! glTF 2.0 in one file: a mesh per body and obstacle, whose morph targets are the later frames.
//!
//! The layout is that of [`pliant_io::glb`].

use std::io::Write;
use std::path::Path;

use pliant_io::glb::{self, GlbCells, GlbMesh, POINT};

use super::cells::{Drawn, Kept, obstacle_points};
use super::output::write_file;
use super::{ExportError, ExportFormat, Frames};
use crate::picture::{OBSTACLE, body_colour};
use crate::recording::Frame;

/// Most bytes of a file: its length is a word of 32 bits.
const MOST_BYTES: u64 = u32::MAX as u64;

/// Bytes that the JSON text needs for an accessor with bounds, at most.
const ACCESSOR_TEXT: u64 = 320;

/// One body or obstacle on its way into the file.
struct Body {
    kept: Kept,
    mesh: GlbMesh,
}

/// Writes the file.
pub(super) fn write(frames: &mut Frames, out: &Path) -> Result<u64, ExportError> {
    let mut bodies = bodies(frames);
    if bodies.is_empty() {
        return Err(ExportError::NoBodies);
    }
    check_size(frames, &bodies)?;
    let mut times: Vec<f32> = Vec::with_capacity(frames.len());
    for index in 0..frames.len() {
        let mut frame = frames.read(index)?;
        frame.positions.extend(obstacle_points(frames.recording.info(), frame.time));
        check_finite(&frame, &bodies)?;
        let time = (frame.time - frames.time(0)) as f32;
        // Times of a glTF animation grow from frame to frame, also where 32 bits do not show it.
        times.push(times.last().map_or(0.0, |last| time.max(last.next_up())));
        bodies.iter_mut().for_each(|body| body.take_in(&frame.positions));
    }
    let meshes: Vec<GlbMesh> = bodies.into_iter().map(|body| body.mesh).collect();
    let bytes = glb::bytes(&meshes, &times);
    write_file(out, |out| Ok(out.write_all(&bytes)?))
}

/// The bodies that have anything to draw, without frames; obstacles, whose points follow, last.
fn bodies(frames: &Frames) -> Vec<Body> {
    let info = frames.recording.info();
    let drawn = info.bodies.iter().enumerate().filter(|(_, body)| !body.vertices.is_empty());
    let mut all: Vec<Body> = drawn
        .map(|(index, body)| Body::new(&body.name, &Drawn::new(body), body_colour(index)))
        .collect();
    if all.is_empty() {
        return all;
    }
    let mut first = frames.recording.vertices() as u32;
    for obstacle in &info.obstacles {
        let numbered = obstacle.triangles.iter().map(|t| t.map(|corner| first + corner)).collect();
        first += obstacle.positions.len() as u32;
        if !obstacle.triangles.is_empty() {
            all.push(Body::new(&obstacle.name, &Drawn::Triangles(numbered), OBSTACLE));
        }
    }
    all
}

/// Refuses what cannot fit before any frame is read.
fn check_size(frames: &Frames, bodies: &[Body]) -> Result<(), ExportError> {
    let count = frames.len() as u64;
    let size = |count: u64| {
        let per_frame = |body: &Body| POINT * body.kept.vertices.len() as u64 + ACCESSOR_TEXT;
        let indices: u64 = bodies.iter().map(|body| 4 * body.mesh.indices.len() as u64).sum();
        count * bodies.iter().map(per_frame).sum::<u64>() + indices + 4 * count * count
    };
    let bytes = size(count);
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    let fits = (2..=count).find(|every| size(count.div_ceil(*every)) <= MOST_BYTES);
    let every = fits.unwrap_or(count) * frames.settings.every.max(1) as u64;
    Err(ExportError::TooLarge { bytes, most: MOST_BYTES, every })
}

fn check_finite(frame: &Frame, bodies: &[Body]) -> Result<(), ExportError> {
    let mut shown = bodies.iter().flat_map(|body| &body.kept.vertices);
    let lost = |vertex: &&u32| frame.positions[**vertex as usize].iter().any(|x| !x.is_finite());
    match shown.find(lost) {
        Some(&vertex) => Err(ExportError::NotFinite {
            vertex: vertex as usize,
            time: frame.time,
            format: ExportFormat::Glb,
        }),
        None => Ok(()),
    }
}

impl Body {
    fn new(name: &str, drawn: &Drawn, colour: [u8; 3]) -> Body {
        let kept = Kept::new(drawn.corners().iter());
        let renumbered = || drawn.corners().iter().map(|&corner| kept.number(corner)).collect();
        let (cells, indices) = match drawn {
            Drawn::Triangles(_) => (GlbCells::Triangles, renumbered()),
            Drawn::Lines(_) => (GlbCells::Lines, renumbered()),
            Drawn::Points(_) => (GlbCells::Points, Vec::new()),
        };
        let (name, positions) = (name.to_owned(), Vec::new());
        Body { kept, mesh: GlbMesh { name, colour, cells, indices, positions } }
    }

    /// Adds a frame.
    fn take_in(&mut self, positions: &[[f32; 3]]) {
        let own = self.kept.vertices.iter().map(|&vertex| positions[vertex as usize]).collect();
        self.mesh.push(own);
    }
}
