//! One run as text for a page.
//!
//! ```text
//! length of the header, u32 ─▶ header, JSON ─▶ meshes ─▶ obstacles ─▶ frames ─▶ fields ─▶
//! overlays ─▶ poses ─▶ series; all deflated (zlib), then base64
//! ```
//!
//! `web/src/run.ts` reads it. Fields are open: a name, a unit, and a number for every drawn
//! vertex in every frame; the page offers each as a colour. So are overlays: arrows with a note.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pliant::body::keyframes::{Keyframe, Keyframes};
use pliant::math::{Aabb, Quat, Vec3};
use pliant::record::row::SeriesRow;
use pliant_scene::loaded::{BodyInfo, RenderMesh};
use serde::Serialize;

use super::fields::{VertexFields, carriers};
use super::frames::{FrameCoder, Grid};
use super::layers::{Field, HeaderField, HeaderOverlay, Overlay};
use super::mesh::{DrawnBody, DrawnMesh, drawn};
use super::outlines::OutlineSearch;
use super::penetration::{DepthSearch, Inside};
use super::varint;
use crate::picture::colours::colours;
use crate::recording::{Recording, RecordingError};
use crate::report::ReportData;
use crate::report::curves::{PENETRATING, TIME};
use crate::report::findings::{Severity, findings};
use crate::report::text::number;
use crate::run::contacts::{ContactRow, rows_at};
use crate::run::series::WIDTH;
use crate::summary::Summary;

/// How hard to deflate, 0 to 10: beyond this it takes much longer for little.
const EFFORT: u8 = 6;

/// Coordinates of all frames, at most: the browser keeps each as four bytes.
const MOST_COORDINATES: usize = 30_000_000;

/// Rows of the series, at most.
const MOST_ROWS: usize = 2_000;

/// Gaps between outlines up to this are contacts, relative to the diagonal of the bodies.
const TOUCHING: f64 = 2e-3;

/// The field that is found here where the recording does not have it.
const DEPTH: &str = "depth";

/// Rows and frames of the same moment differ by less than this part of the time.
const SAME_TIME: f64 = 1e-9;

/// Positions of all vertices of a recording in one frame, m.
type Moment = Vec<[f32; 3]>;

/// A run packed for a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedRun {
    /// What sets it apart from others on the page.
    pub name: String,
    /// Its data.
    pub base64: String,
}

/// A run to be packed.
#[derive(Debug)]
pub struct RunData<'a> {
    /// What sets it apart from others on the page.
    pub name: &'a str,
    /// Its recording.
    pub recording: &'a mut Recording,
    /// Its summary, if it came to one.
    pub summary: Option<&'a Summary>,
    /// Its series; may be empty.
    pub rows: &'a [[f64; WIDTH]],
    /// Its contacts, in order of time; may be empty.
    pub contacts: &'a [ContactRow],
    /// Bytes of the packed run, at most; frames are left out until it fits.
    pub most_bytes: usize,
}

#[derive(Serialize)]
struct Header<'a> {
    format: u32,
    pliant: &'a str,
    name: &'a str,
    scene: &'a str,
    description: &'a str,
    response: &'a str,
    integrator: &'a str,
    ended: &'a str,
    gravity: [f64; 3],
    /// Whether bodies are outlines seen from above.
    plane: bool,
    verdicts: Vec<Verdict>,
    notices: Vec<String>,
    quantum: f64,
    origin: [f64; 3],
    vertices: usize,
    times: Vec<f64>,
    bodies: Vec<HeaderBody<'a>>,
    obstacles: Vec<HeaderObstacle<'a>>,
    fields: Vec<HeaderField>,
    overlays: Vec<HeaderOverlay>,
    series: HeaderSeries,
}

#[derive(Serialize)]
struct Verdict {
    severity: &'static str,
    text: String,
}

#[derive(Serialize)]
struct HeaderBody<'a> {
    name: &'a str,
    kind: &'a str,
    first: usize,
    count: usize,
    colour: usize,
    triangles: usize,
    rings: Vec<usize>,
    edges: usize,
}

#[derive(Serialize)]
struct HeaderObstacle<'a> {
    name: &'a str,
    vertices: usize,
    triangles: usize,
    moves: bool,
}

#[derive(Serialize)]
struct HeaderSeries {
    columns: Vec<&'static str>,
    rows: usize,
}

/// Everything of the frames that are shown.
#[derive(Default)]
struct Contents {
    times: Vec<f64>,
    frames: FrameCoder,
    fields: Vec<Field>,
    overlays: Vec<Overlay>,
    notices: Vec<String>,
}

/// Packs a run; a recording that was cut short up to its last whole frame, with a notice.
///
/// Frames are left out evenly, with a notice, until the result has at most `most_bytes`; the
/// first and every n-th after it stay.
pub fn pack(mut run: RunData<'_>) -> Result<PackedRun, RecordingError> {
    let vertices = run.recording.vertices();
    let mesh = drawn(run.recording.info(), vertices);
    let all = run.recording.frames().len();
    let fitting = MOST_COORDINATES / (3 * mesh.source.len()).max(1);
    let mut every = all.div_ceil(fitting.max(1)).max(1);
    loop {
        let base64 = packed(&mut run, &mesh, every)?;
        if base64.len() <= run.most_bytes || every >= all {
            return Ok(PackedRun { name: run.name.to_owned(), base64 });
        }
        let over = base64.len().div_ceil(run.most_bytes.max(1));
        every = (every * over.max(2)).min(all);
    }
}

/// The same with every n-th frame.
fn packed(run: &mut RunData<'_>, mesh: &DrawnMesh, every: usize) -> Result<String, RecordingError> {
    let (grid, ends) = survey(run.recording, mesh)?;
    let mut contents = contents(run, mesh, &grid, every)?;
    let info = run.recording.info();
    let mut body = Vec::new();
    for drawn in &mesh.bodies {
        varint::indices(drawn.triangles.iter().flatten().copied(), &mut body);
        drawn.rings.iter().for_each(|ring| varint::indices(ring.iter().copied(), &mut body));
        varint::indices(drawn.edges.iter().flatten().copied(), &mut body);
    }
    for obstacle in &info.obstacles {
        varint::floats(obstacle.positions.iter().flatten().copied(), &mut body);
        varint::indices(obstacle.triangles.iter().flatten().copied(), &mut body);
    }
    body.append(&mut contents.frames.bytes);
    let fields = contents.fields.iter().map(|field| field.write(&mut body)).collect();
    let overlays = contents.overlays.iter().map(|overlay| overlay.write(&grid, &mut body));
    let overlays = overlays.collect();
    for obstacle in info.obstacles.iter().filter(|obstacle| moves(obstacle)) {
        varint::floats(poses(obstacle, &contents.times), &mut body);
    }
    let thinned = run.rows.len().div_ceil(MOST_ROWS).max(1);
    let rows = run.rows.iter().step_by(thinned);
    let series = HeaderSeries { columns: SeriesRow::COLUMNS.to_vec(), rows: rows.len() };
    varint::floats(rows.flat_map(|row| row.map(|value| value as f32)), &mut body);
    let painted = colours(&info.bodies, &ends);
    let drawn = info.bodies.iter().zip(&mesh.bodies).zip(painted);
    let bodies = drawn.map(|((own, drawn), colour)| HeaderBody::new(own, drawn, colour));
    let header = Header {
        format: super::FORMAT,
        pliant: &run.recording.header().pliant,
        name: run.name,
        scene: &info.scene,
        description: &info.description,
        response: &info.response,
        integrator: &info.integrator,
        ended: run.summary.map_or("unfinished", |summary| &summary.ended),
        gravity: info.gravity,
        plane: is_plane(&info.bodies),
        verdicts: verdicts(run),
        notices: contents.notices,
        quantum: grid.quantum,
        origin: grid.origin.to_array(),
        vertices: mesh.source.len(),
        times: contents.times,
        bodies: bodies.collect(),
        obstacles: info.obstacles.iter().map(HeaderObstacle::new).collect(),
        fields,
        overlays,
        series,
    };
    Ok(deflated(&header, &body))
}

/// Header and body in one text.
fn deflated(header: &Header<'_>, body: &[u8]) -> String {
    // Texts and numbers are always JSON; a number that is not finite becomes null.
    let header = serde_json::to_vec(header).unwrap_or_default();
    let mut bytes = (header.len() as u32).to_le_bytes().to_vec();
    bytes.extend(header);
    bytes.extend(body);
    STANDARD.encode(miniz_oxide::deflate::compress_to_vec_zlib(&bytes, EFFORT))
}

/// Whether all bodies are outlines without height, which are seen from straight above.
fn is_plane(bodies: &[BodyInfo]) -> bool {
    let is_flat = |body: &BodyInfo| !body.rings.is_empty() && body.triangles.is_empty();
    !bodies.is_empty() && bodies.iter().all(is_flat)
}

impl<'a> HeaderBody<'a> {
    fn new(own: &'a BodyInfo, drawn: &DrawnBody, colour: usize) -> HeaderBody<'a> {
        HeaderBody {
            name: &own.name,
            kind: &own.kind,
            first: drawn.first,
            count: drawn.count,
            colour,
            triangles: drawn.triangles.len(),
            rings: drawn.rings.iter().map(Vec::len).collect(),
            edges: drawn.edges.len(),
        }
    }
}

impl<'a> HeaderObstacle<'a> {
    fn new(obstacle: &'a RenderMesh) -> HeaderObstacle<'a> {
        HeaderObstacle {
            name: &obstacle.name,
            vertices: obstacle.positions.len(),
            triangles: obstacle.triangles.len(),
            moves: moves(obstacle),
        }
    }
}

/// The grid for a run, and the positions of all vertices in its first and last frame, m.
fn survey(
    recording: &mut Recording,
    mesh: &DrawnMesh,
) -> Result<(Grid, Vec<Moment>), RecordingError> {
    let count = recording.frames().len();
    let mut ends = Vec::new();
    for frame in [0, count.saturating_sub(1)].into_iter().filter(|frame| *frame < count) {
        ends.push(recording.read(frame)?.positions);
    }
    let Some(first) = ends.first() else { return Ok((Grid::new(Vec3::ZERO, 1.0, 1.0), ends)) };
    let first = places(first, mesh);
    let around = |points: &[Vec3]| Aabb::around(points.iter().copied().filter(|p| p.is_finite()));
    let size = |around: Aabb| (around.max - around.min).length();
    let whole = around(&first);
    let own = mesh.bodies.iter().map(|body| around(&first[body.first..body.first + body.count]));
    let sizes = own.map(size).filter(|size| *size > 0.0 && size.is_finite());
    let smallest = sizes.fold(f64::INFINITY, f64::min);
    let middle = 0.5 * (whole.min + whole.max);
    let middle = if middle.is_finite() { middle } else { Vec3::ZERO };
    Ok((Grid::new(middle, size(whole), smallest), ends))
}

/// Positions of the drawn vertices, m.
fn places(positions: &[[f32; 3]], mesh: &DrawnMesh) -> Vec<Vec3> {
    let place = |v: &u32| positions.get(*v as usize).map_or([f32::NAN; 3], |p| *p);
    mesh.source.iter().map(|v| Vec3::from(place(v).map(f64::from))).collect()
}

/// Reads and encodes every n-th frame.
fn contents(
    run: &mut RunData<'_>,
    mesh: &DrawnMesh,
    grid: &Grid,
    every: usize,
) -> Result<Contents, RecordingError> {
    let mut contents = Contents::default();
    let header = run.recording.header();
    let carried = carriers(&header.info, header.vertices);
    let recorded = VertexFields::new(&header.info.recorded, mesh, header.vertices, carried);
    let mut fields: Vec<Field> = recorded.names().map(Field::recorded).collect();
    let mut search: Option<Search> = None;
    let (mut inside, mut touching) = (Vec::new(), Vec::new());
    let (mut lost, all) = (0, run.recording.frames().len());
    for index in (0..all).step_by(every) {
        let frame = run.recording.read(index)?;
        let positions = places(&frame.positions, mesh);
        let missing = contents.frames.push(grid, &positions);
        lost += usize::from(missing > 0);
        contents.times.push(frame.time);
        for (field, values) in fields.iter_mut().zip(recorded.read(&frame.values)) {
            field.push(values);
        }
        let search = search.get_or_insert_with(|| Search::new(mesh, &positions, grid));
        let (mut found, contacts) = match missing {
            0 => search.in_plane(&positions),
            _ => Default::default(),
        };
        if missing == 0 && overlaps_at(run.rows, frame.time) {
            found.extend(search.in_space(&positions));
        }
        let with_place = |inside: Inside| (inside, positions[inside.vertex as usize]);
        inside.push(found.into_iter().map(with_place).collect());
        touching.push(contacts);
    }
    let reach = search.map_or(0.0, |search| search.reach);
    contents.add_fields(run.name, fields, &inside, mesh.source.len());
    contents.add_arrows(run.contacts, &inside, touching, reach);
    contents.add_notices(run, every, lost);
    Ok(contents)
}

/// Looks for vertices inside other bodies, and in the plane for contacts.
struct Search {
    space: Option<DepthSearch>,
    plane: Option<OutlineSearch>,
    /// Depths up to this are rounding, m.
    least: f64,
    /// Gaps up to this are contacts in the plane, m.
    reach: f64,
}

impl Search {
    fn new(mesh: &DrawnMesh, positions: &[Vec3], grid: &Grid) -> Search {
        Search {
            space: DepthSearch::new(mesh, positions),
            plane: OutlineSearch::new(mesh, positions),
            least: grid.quantum,
            reach: TOUCHING * diagonal(positions),
        }
    }

    /// Vertices of outlines inside others, and contacts, in one frame.
    fn in_plane(&mut self, positions: &[Vec3]) -> (Vec<Inside>, Vec<[Vec3; 2]>) {
        match &mut self.plane {
            Some(plane) => plane.at(positions, self.least, self.reach),
            None => Default::default(),
        }
    }

    /// Vertices of closed surfaces inside others in one frame.
    fn in_space(&mut self, positions: &[Vec3]) -> Vec<Inside> {
        self.space.as_mut().map_or(Vec::new(), |space| space.at(positions, self.least))
    }
}

/// Length across the finite points, m.
fn diagonal(positions: &[Vec3]) -> f64 {
    let around = Aabb::around(positions.iter().copied().filter(|p| p.is_finite()));
    let size = (around.max - around.min).length();
    if size > 0.0 && size.is_finite() { size } else { 1.0 }
}

impl Contents {
    /// Fields of the recording that are known, and depth where there is any.
    fn add_fields(
        &mut self,
        name: &str,
        fields: Vec<Field>,
        inside: &[Vec<(Inside, Vec3)>],
        vertices: usize,
    ) {
        let mut depth = None;
        for field in fields {
            if field.name() == DEPTH {
                depth = Some(field);
            } else if field.is_known() {
                self.fields.push(field);
            } else {
                let what = field.name();
                self.notices.push(format!("{name}: {what} was recorded, but is known nowhere."));
            }
        }
        let depth = Field::depth(inside, depth, vertices);
        if !depth.is_zero() {
            self.fields.insert(0, depth);
        }
    }

    /// Exit directions, and contacts: those of the table, in the plane those that were found.
    fn add_arrows(
        &mut self,
        rows: &[ContactRow],
        inside: &[Vec<(Inside, Vec3)>],
        touching: Vec<Vec<[Vec3; 2]>>,
        reach: f64,
    ) {
        let size = reach / TOUCHING;
        let pressing: Vec<&[ContactRow]> = self.times.iter().map(|t| rows_at(rows, *t)).collect();
        let normal = |row: &ContactRow| [row.point, row.normal];
        let table: Vec<Vec<[Vec3; 2]>> =
            pressing.iter().map(|rows| rows.iter().map(normal).collect()).collect();
        let all = [
            Overlay::exits(inside),
            Overlay::contacts(table, size, "points that press, with their normals".to_owned()),
            Overlay::contacts(touching, size, format!("gaps up to {} m", number(reach))),
            Overlay::forces(&pressing, size),
        ];
        self.overlays.extend(all.into_iter().filter(Overlay::has_arrows));
    }

    /// What the page must say of what it does not show.
    fn add_notices(&mut self, run: &RunData<'_>, every: usize, lost: usize) {
        let (name, all) = (run.name, run.recording.frames().len());
        if every > 1 {
            let shown = self.times.len();
            let text = format!("{name}: {shown} of {all} frames are in this page, one in {every}.");
            self.notices.push(text);
        }
        if lost > 0 {
            let frames = if lost == 1 { "frame has" } else { "frames have" };
            self.notices.push(format!(
                "{name}: {lost} {frames} vertices that are not finite; they stay where they were.",
            ));
        }
        if !run.recording.is_complete() {
            let bytes = run.recording.lost_bytes();
            self.notices.push(format!(
                "The recording of {name} was cut short: {bytes} bytes after its last whole frame \
                 are lost.",
            ));
        }
    }
}

/// Whether the series has vertices inside bodies at a time, or does not say.
fn overlaps_at(rows: &[[f64; WIDTH]], time: f64) -> bool {
    let slack = SAME_TIME * time.abs();
    let at = rows.partition_point(|row| row[TIME] < time - slack);
    let row = rows.get(at).filter(|row| (row[TIME] - time).abs() <= slack);
    row.is_none_or(|row| row[PENETRATING] != 0.0)
}

fn moves(obstacle: &RenderMesh) -> bool {
    obstacle.poses.len() > 1
}

/// Position and quaternion of an obstacle relative to its start, frame by frame.
fn poses(obstacle: &RenderMesh, times: &[f64]) -> Vec<f32> {
    let frames = obstacle.poses.iter().map(|&(time, position, rotation)| Keyframe {
        time,
        position: Vec3::from(position),
        rotation: Quat::from_array(rotation),
    });
    let motion = Keyframes::new(frames.collect()).ok();
    let mut values = Vec::new();
    for &time in times {
        let pose = motion.as_ref().map(|motion| {
            let [from, to] = [motion.pose(0.0), motion.pose(time)];
            let turn = to.rotation * from.rotation.conjugate();
            (to.position - turn * from.position, turn)
        });
        let (place, turn) = pose.unwrap_or((Vec3::ZERO, Quat::IDENTITY));
        let parts = place.to_array().into_iter().chain(turn.to_array());
        values.extend(parts.map(|part| part as f32));
    }
    values
}

/// What the report says first.
fn verdicts(run: &RunData<'_>) -> Vec<Verdict> {
    let Some(summary) = run.summary else { return Vec::new() };
    let data = ReportData {
        info: run.recording.info(),
        summary,
        rows: run.rows,
        resolved: "",
        description: "",
        machine: &[],
        version: "",
        date: "",
        pictures: &[],
        player: None,
    };
    let found = findings(&data).into_iter().map(|finding| Verdict {
        severity: match finding.severity {
            Severity::Bad => "bad",
            Severity::Warning => "warning",
            Severity::Note => "note",
            Severity::Good => "good",
        },
        text: finding.text,
    });
    found.collect()
}
