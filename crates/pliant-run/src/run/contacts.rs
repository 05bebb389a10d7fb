//! `contacts.csv`: one row per contact that presses, for each recorded step; on request.
//!
//! `record.contacts = true` in a scene asks for it. Known are the contacts that are solved with
//! the step; where a step was made in parts, the contacts of all parts with their shares.

use pliant::contact::impulse::ContactImpulse;
use pliant::contact::{Contact, Feature};
use pliant::id::BodyId;
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
