//! A folder with a file per frame: VTU with a PVD file, OBJ, PLY.

use std::fmt::Write;
use std::path::Path;

use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant_io::mesh::write::ply::VertexProperty;
use pliant_io::mesh::write::vtu::{Grid, GridField, VtuEncoding, write_grid};
use pliant_io::mesh::write::{obj, ply};
use pliant_io::printable::printable;

use super::cells::{CellLists, Drawn, Kept, body_of_vertex, obstacle_points};
use super::output::NewFolder;
use super::{ExportError, ExportFormat, Frames};
use crate::recording::Frame;

/// Name of the file that ParaView opens.
const SERIES: &str = "series.pvd";

/// Name of the table of frames.
const TABLE: &str = "frames.csv";

/// Writes VTU files of all vertices, and a PVD file with their times.
pub(super) fn write_vtu(frames: &mut Frames, out: &Path) -> Result<u64, ExportError> {
    let mut folder = NewFolder::begin(out)?;
    let info = frames.recording.info();
    let vertices = frames.recording.vertices();
    let mut lists = CellLists::new(info);
    lists.add_obstacles(info, vertices);
    let mut bodies = body_of_vertex(info, vertices);
    for (obstacle, number) in info.obstacles.iter().zip(info.bodies.len() as u32..) {
        bodies.extend(std::iter::repeat_n(number, obstacle.positions.len()));
    }
    if info.recorded.tets.is_empty() && info.bodies.iter().any(|body| body.tets > 0) {
        let notice = "the recording holds no tets: the surfaces of bodies are written as \
                      triangles; `record.tets = true` in the scene records them";
        frames.notices.push(notice.to_string());
    }
    let mut series = "<?xml version=\"1.0\"?>\n\
        <VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n"
        .to_string();
    for index in 0..frames.len() {
        let mut frame = frames.read(index)?;
        let (name, time) = (frame_name(index, "vtu"), frame.time);
        frame.positions.extend(obstacle_points(frames.recording.info(), time));
        let [point_fields, cell_fields] = grid_fields(frames, &frame, &lists);
        let grid = Grid {
            points: &frame.positions,
            corners: &lists.corners,
            ends: &lists.ends,
            kinds: &lists.kinds,
            bodies: &bodies,
            point_fields: &point_fields,
            cell_fields: &cell_fields,
        };
        folder.add(&name, &write_grid(&grid, VtuEncoding::Zlib))?;
        // Writing to a text cannot fail.
        let _ = writeln!(series, "<DataSet timestep=\"{time}\" part=\"0\" file=\"{name}\"/>");
    }
    series += "</Collection>\n</VTKFile>\n";
    folder.add(SERIES, series.as_bytes())?;
    folder.finish()
}

/// Fields of vertices and of tets in a frame; NaN on the points and cells of others.
fn grid_fields(frames: &Frames, frame: &Frame, lists: &CellLists) -> [Vec<GridField<'static>>; 2] {
    let (mut points, mut cells) = (Vec::new(), Vec::new());
    for (field, range) in &frames.fields {
        let (name, components) = (field.name(), field.components());
        let mut values = frame.values.get(range.clone()).unwrap_or(&[]).to_vec();
        if !field.is_of_tets() {
            values.resize(components * frame.positions.len(), f32::NAN);
            points.push(GridField { name, components, values });
            continue;
        }
        let of_tet = |tet: &Option<u32>, k: usize| {
            let place = tet.map(|tet| components * tet as usize + k);
            place.and_then(|place| values.get(place).copied()).unwrap_or(f32::NAN)
        };
        let of_cell = |tet| (0..components).map(move |k| (tet, k));
        let all = lists.tets.iter().flat_map(of_cell).map(|(tet, k)| of_tet(tet, k));
        cells.push(GridField { name, components, values: all.collect() });
    }
    [points, cells]
}

/// Writes OBJ or PLY files of the triangles of all bodies, and a table of steps and times.
///
/// Vertices that no triangle names are left out, but those of bodies without triangles.
pub(super) fn write_surfaces(frames: &mut Frames, out: &Path) -> Result<u64, ExportError> {
    let mut folder = NewFolder::begin(out)?;
    let format = frames.settings.format;
    let surfaces = Surfaces::new(frames);
    if format == ExportFormat::Ply && frames.fields.iter().any(|(field, _)| field.is_of_tets()) {
        let notice = "fields of tets are not written to PLY files, only to vtu and npz";
        frames.notices.push(notice.to_string());
    }
    let mut table = "frame,step,time,file\n".to_string();
    for index in 0..frames.len() {
        let frame = frames.read(index)?;
        let name = frame_name(index, format.name());
        folder.add(&name, &surfaces.bytes(frames, &frame))?;
        let _ = writeln!(table, "{index},{},{},{name}", frame.step, frame.time);
    }
    folder.add(TABLE, table.as_bytes())?;
    folder.finish()
}

fn frame_name(index: usize, ending: &str) -> String {
    format!("frame_{index:05}.{ending}")
}

/// Triangles of all bodies in the numbers of the files.
struct Surfaces {
    kept: Kept,
    /// Name and triangles of each body.
    bodies: Vec<(String, Vec<[VertexId; 3]>)>,
}

impl Surfaces {
    fn new(frames: &mut Frames) -> Surfaces {
        let info = frames.recording.info();
        let drawn: Vec<Drawn> = info.bodies.iter().map(Drawn::new).collect();
        let kept = Kept::new(drawn.iter().flat_map(Drawn::corners));
        let triangles = info.bodies.iter().map(|body| {
            let renumbered = body.triangles.iter().map(|&corners| kept.triangle(corners)).collect();
            (printable(&body.name).into_owned(), renumbered)
        });
        let mut bodies: Vec<(String, Vec<[VertexId; 3]>)> = triangles.collect();
        let mut first = kept.vertices.len() as u32;
        for obstacle in &info.obstacles {
            let own = obstacle.triangles.iter();
            let own = own.map(|corners| corners.map(|corner| VertexId(corner + first)));
            bodies.push((printable(&obstacle.name).into_owned(), own.collect()));
            first += obstacle.positions.len() as u32;
        }
        if drawn.iter().any(|drawn| !matches!(drawn, Drawn::Triangles(_))) {
            let notice = "bodies without triangles are written as their vertices alone";
            frames.notices.push(notice.to_string());
        }
        Surfaces { kept, bodies }
    }

    fn bytes(&self, frames: &Frames, frame: &Frame) -> Vec<u8> {
        let place = |&vertex: &u32| Vec3::from(frame.positions[vertex as usize].map(f64::from));
        let mut points: Vec<Vec3> = self.kept.vertices.iter().map(place).collect();
        let obstacles = obstacle_points(frames.recording.info(), frame.time);
        points.extend(obstacles.iter().map(|point| Vec3::from(point.map(f64::from))));
        if frames.settings.format == ExportFormat::Ply {
            let all: Vec<_> = self.bodies.iter().flat_map(|(_, own)| own).copied().collect();
            return ply::write_with(&points, &all, &self.properties(frames, frame));
        }
        let mut file = obj::write(&points, &[]);
        for (name, triangles) in &self.bodies {
            file.extend(format!("o {name}\n").as_bytes());
            file.extend(obj::write(&[], triangles));
        }
        file
    }
    /// Fields of the vertices that are kept.
    fn properties(&self, frames: &Frames, frame: &Frame) -> Vec<VertexProperty> {
        let mut all = Vec::new();
        for (field, range) in frames.fields.iter().filter(|(field, _)| !field.is_of_tets()) {
            let values = frame.values.get(range.clone()).unwrap_or(&[]);
            let (width, unit) = (field.components(), field.unit());
            for k in 0..width {
                let name = match width {
                    1 => field.name().to_string(),
                    _ => format!("{}_{}", field.name(), ["x", "y", "z"][k % 3]),
                };
                let comment =
                    if k == 0 { format!("{} in {unit}", field.name()) } else { String::new() };
                let kept = self.kept.vertices.iter().map(|&vertex| width * vertex as usize + k);
                let values = kept.map(|place| values.get(place).copied().unwrap_or(f32::NAN));
                all.push(VertexProperty { name, comment, values: values.collect() });
            }
        }
        all
    }
}
