//! A folder with a file per frame: VTU with a PVD file, OBJ, PLY.

use std::fmt::Write;
use std::path::Path;

use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant_io::mesh::write::vtu::{Grid, VtuEncoding, write_grid};
use pliant_io::mesh::write::{obj, ply};
use pliant_io::printable::printable;

use super::cells::{CellLists, Drawn, Kept, body_of_vertex};
use super::output::NewFolder;
use super::{ExportError, ExportFormat, Frames};

/// Name of the file that ParaView opens.
const SERIES: &str = "series.pvd";

/// Name of the table of frames.
const TABLE: &str = "frames.csv";

/// Writes VTU files of all vertices, and a PVD file with their times.
pub(super) fn write_vtu(frames: &mut Frames, out: &Path) -> Result<u64, ExportError> {
    let mut folder = NewFolder::begin(out)?;
    let info = frames.recording.info();
    let lists = CellLists::new(info);
    let bodies = body_of_vertex(info, frames.recording.header().vertices);
    if info.bodies.iter().any(|body| body.tets > 0) {
        let notice = "recordings hold no tets: the surfaces of bodies are written as triangles";
        frames.notices.push(notice.to_string());
    }
    note_obstacles(frames);
    let mut series = "<?xml version=\"1.0\"?>\n\
        <VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n"
        .to_string();
    for index in 0..frames.len() {
        let frame = frames.read(index)?;
        let (name, time) = (frame_name(index, "vtu"), frame.time);
        let grid = Grid {
            points: &frame.positions,
            corners: &lists.corners,
            ends: &lists.ends,
            kinds: &lists.kinds,
            bodies: &bodies,
        };
        folder.add(&name, &write_grid(&grid, VtuEncoding::Zlib))?;
        // Writing to a text cannot fail.
        let _ = writeln!(series, "<DataSet timestep=\"{time}\" part=\"0\" file=\"{name}\"/>");
    }
    series += "</Collection>\n</VTKFile>\n";
    folder.add(SERIES, series.as_bytes())?;
    folder.finish()
}

/// Writes OBJ or PLY files of the triangles of all bodies, and a table of steps and times.
///
/// Vertices that no triangle names are left out, but those of bodies without triangles.
pub(super) fn write_surfaces(frames: &mut Frames, out: &Path) -> Result<u64, ExportError> {
    let mut folder = NewFolder::begin(out)?;
    let format = frames.settings.format;
    let surfaces = Surfaces::new(frames);
    note_obstacles(frames);
    let mut table = "frame,step,time,file\n".to_string();
    for index in 0..frames.len() {
        let frame = frames.read(index)?;
        let name = frame_name(index, format.name());
        folder.add(&name, &surfaces.bytes(&frame.positions, format))?;
        let _ = writeln!(table, "{index},{},{},{name}", frame.step, frame.time);
    }
    folder.add(TABLE, table.as_bytes())?;
    folder.finish()
}

fn frame_name(index: usize, ending: &str) -> String {
    format!("frame_{index:05}.{ending}")
}

fn note_obstacles(frames: &mut Frames) {
    if !frames.recording.info().obstacles.is_empty() {
        frames.notices.push("obstacles are not written, only bodies".to_string());
    }
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
        let bodies = triangles.collect();
        if drawn.iter().any(|drawn| !matches!(drawn, Drawn::Triangles(_))) {
            let notice = "bodies without triangles are written as their vertices alone";
            frames.notices.push(notice.to_string());
        }
        Surfaces { kept, bodies }
    }

    fn bytes(&self, positions: &[[f32; 3]], format: ExportFormat) -> Vec<u8> {
        let place = |&vertex: &u32| Vec3::from(positions[vertex as usize].map(f64::from));
        let points: Vec<Vec3> = self.kept.vertices.iter().map(place).collect();
        if format == ExportFormat::Ply {
            let all: Vec<_> = self.bodies.iter().flat_map(|(_, own)| own).copied().collect();
            return ply::write(&points, &all);
        }
        let mut file = obj::write(&points, &[]);
        for (name, triangles) in &self.bodies {
            file.extend(format!("o {name}\n").as_bytes());
            file.extend(obj::write(&[], triangles));
        }
        file
    }
}
