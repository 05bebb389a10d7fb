//! What the stages of contact find now, as dots and lines.

use pliant::depth::{DepthSettings, penetrations};
use pliant::math::Vec3;
use pliant_papers::overlay::{FoundOverlaps, Mark, Overlay, OverlayKind, contacts};
use serde::Serialize;

use crate::command::Refusal;
use crate::live::Live;

/// Marks of one kind in the floats: first dots, then lines.
#[derive(Clone, Debug, Serialize)]
pub struct Marks {
    /// The word for the kind.
    pub kind: &'static str,
    /// For the legend.
    pub name: &'static str,
    /// For the legend, sRGB.
    pub colour: [u8; 3],
    /// Dots: place, then red, green and blue from 0 to 255.
    pub dots: usize,
    /// Lines: both ends, each with its colour.
    pub lines: usize,
}

/// Finds marks of the kinds asked for, and fills them in.
pub fn find(live: &Live, kinds: &[String], floats: &mut Vec<f32>) -> Result<Vec<Marks>, Refusal> {
    floats.clear();
    let simulation = live.scene.world.simulation();
    let (positions, bodies) = (&simulation.state.positions, &simulation.system.bodies);
    let found = penetrations(positions, bodies, DepthSettings::default()).map_err(Refusal::new)?;
    let all = FoundOverlaps { bodies, positions, found: &found };
    let mut marks = Vec::new();
    for kind in OverlayKind::ALL.into_iter().filter(|kind| kinds.iter().any(|k| k == kind.name())) {
        let overlay = match kind {
            OverlayKind::Contacts => {
                let points = live.scene.world.contacts().iter();
                let pressing = points.filter(|contact| contact.impulse != Vec3::ZERO);
                let touching: Vec<_> = pressing.map(|c| (c.point, c.normal)).collect();
                contacts(&touching, positions)
            }
            kind => all.overlay(kind),
        };
        marks.push(fill(kind, &overlay, floats));
    }
    Ok(marks)
}

fn fill(kind: OverlayKind, overlay: &Overlay, floats: &mut Vec<f32>) -> Marks {
    let mut push = |point: Vec3, colour: [u8; 3]| {
        floats.extend(point.to_array().map(|x| x as f32));
        floats.extend(colour.map(f32::from));
    };
    let (mut dots, mut lines) = (0, 0);
    for mark in &overlay.marks {
        if let Mark::Dot { point, colour, .. } = *mark {
            push(point, colour);
            dots += 1;
        }
    }
    for mark in &overlay.marks {
        if let Mark::Line { ends, colour } = *mark {
            ends.into_iter().for_each(|end| push(end, colour));
            lines += 1;
        }
    }
    Marks { kind: kind.name(), name: overlay.name, colour: overlay.colour, dots, lines }
}
