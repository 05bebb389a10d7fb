//! `contacts.csv`: one row per contact that presses, for each recorded step; on request.
//!
//! `record.contacts = true` in a scene asks for it. Known are the contacts that are solved with
//! the step; where a step was made in parts, the contacts of all parts with their shares.

use std::io;
use std::path::Path;

use pliant::contact::impulse::ContactImpulse;
use pliant::contact::{Contact, Feature};
use pliant::id::BodyId;
use pliant::math::Vec3;
use pliant_io::regular_file;
use pliant_scene::loaded::LoadedScene;

use super::cell::{name_cell, number_cell};

/// The columns, in order: point on the first body, m; normal from the other to it; gap at the
/// start of the step, m; force on the first body along the normal and friction, N.
pub const COLUMNS: [&str; 15] = [
    "time",
    "body",
    "other",
    "features",
    "point_x",
    "point_y",
    "point_z",
    "normal_x",
    "normal_y",
    "normal_z",
    "gap",
    "normal_force",
    "friction_force_x",
    "friction_force_y",
    "friction_force_z",
];

/// The first line.
pub fn heading() -> String {
    COLUMNS.join(",") + "\n"
}

/// Rows and frames of the same moment differ by less than this part of the time.
const SAME_TIME: f64 = 1e-9;

/// Numbers at the end of a row: point, normal, gap, force along the normal, friction.
const NUMBERS: usize = 11;

/// One row of the table, without its names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRow {
    /// Since the start, s.
    pub time: f64,
    /// On the first body, world space, m.
    pub point: Vec3,
    /// Unit vector from the other body to the first.
    pub normal: Vec3,
    /// On the first body, friction included, N.
    pub force: Vec3,
}

/// Reads the table back, in order of time.
pub fn read(path: &Path) -> io::Result<Vec<ContactRow>> {
    let text = regular_file::read_text(path)?;
    let bad = |number: usize| {
        let message = format!("line {number} is no row of contacts");
        io::Error::new(io::ErrorKind::InvalidData, message)
    };
    let mut lines = text.lines().zip(1..);
    if lines.next().is_none_or(|(first, _)| first != heading().trim_end()) {
        return Err(bad(1));
    }
    lines.map(|(line, number)| contact_row(line).ok_or_else(|| bad(number))).collect()
}

/// Numbers are read from both ends: names between them may have commas.
fn contact_row(line: &str) -> Option<ContactRow> {
    let (time, rest) = line.split_once(',')?;
    let mut numbers = [0.0; NUMBERS];
    let mut cells = rest.rsplitn(NUMBERS + 1, ',');
    for number in numbers.iter_mut().rev() {
        *number = cells.next()?.parse().ok()?;
    }
    let vector = |at: usize| Vec3::new(numbers[at], numbers[at + 1], numbers[at + 2]);
    let (point, normal) = (vector(0), vector(3));
    let force = numbers[7] * normal + vector(8);
    cells.next()?;
    Some(ContactRow { time: time.parse().ok()?, point, normal, force })
}

/// The rows at a time, s, of all rows in order of time.
pub fn rows_at(rows: &[ContactRow], time: f64) -> &[ContactRow] {
    let slack = SAME_TIME * time.abs();
    let begin = rows.partition_point(|row| row.time < time - slack);
    let end = rows.partition_point(|row| row.time <= time + slack);
    &rows[begin..end.max(begin)]
}

/// Fills `text` with the rows of the last step.
pub(super) fn rows(built: &LoadedScene, text: &mut String) {
    let simulation = built.world.simulation();
    let state = &simulation.state;
    let mut time = String::new();
    number_cell(state.time, &mut time);
    text.clear();
    for (contact, impulse) in &simulation.system.scratch.kept_contacts {
        if impulse.normal > 0.0 {
            text.push_str(&time);
            row(built, contact, impulse, text);
        }
    }
}

fn row(built: &LoadedScene, contact: &Contact, impulse: &ContactImpulse, text: &mut String) {
    let (dt, positions) = (built.info.dt, &built.world.simulation().state.positions);
    let (other, features) = match contact.feature {
        Feature::VertexObstacle(_, number) => {
            let obstacle = built.info.obstacles.get(number as usize);
            let name = obstacle.map_or_else(|| format!("obstacle-{number}"), |o| o.name.clone());
            (name, "vertex-obstacle")
        }
        Feature::VertexBody(..) => (name(built, contact.bodies.1), "vertex-body"),
        Feature::EdgeEdge(..) => (name(built, contact.bodies.1), "edge-edge"),
    };
    for cell in [name(built, Some(contact.bodies.0)), other] {
        text.push(',');
        text.push_str(&name_cell(&cell));
    }
    text.push(',');
    text.push_str(features);
    let vectors = [contact.place(1.0, positions), contact.normal].map(|v| v.to_array());
    let forces = [contact.gap, impulse.normal / dt];
    let numbers = vectors.into_iter().flatten().chain(forces);
    for number in numbers.chain((impulse.tangent / dt).to_array()) {
        text.push(',');
        number_cell(number, text);
    }
    text.push('\n');
}

fn name(built: &LoadedScene, body: Option<BodyId>) -> String {
    let info = body.and_then(|body| built.info.bodies.get(body.index()));
    info.map_or(String::new(), |body| body.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_read_back_whatever_the_names() {
        let line = "0.5,\"a, b\",floor,vertex-obstacle,1,2,3,0,0,1,-0.001,20,0.5,0,0";
        let expected = ContactRow {
            time: 0.5,
            point: Vec3::new(1.0, 2.0, 3.0),
            normal: Vec3::Z,
            force: Vec3::new(0.5, 0.0, 20.0),
        };
        assert_eq!(contact_row(line), Some(expected));
        for bad in ["", "0.5", "0.5,1,2,3,0,0,1,-0.001,20,0.5,0,0", "x,a,b,c,1,2,3,0,0,1,0,2,0,0,x"]
        {
            assert_eq!(contact_row(bad), None, "{bad}");
        }
    }
}
