//! Fine surfaces that bodies carry, put behind the vertices of a frame as it is read.
//!
//! A recording has the vertices of bodies alone. A vertex of a fine surface is a weighted sum of
//! four of them, and so is each number of a field on it.

use pliant_scene::loaded::{CarriedSurface, RunInfo};

use super::Frame;

/// Adds the vertices of all fine surfaces, and their numbers of the fields of vertices.
pub(super) fn extend(frame: &mut Frame, info: &RunInfo) {
    if info.carried.is_empty() {
        return;
    }
    let vertices = frame.positions.len();
    let mut values = Vec::new();
    let mut rest = &frame.values[..];
    for field in &info.recorded.fields {
        let (own, others) = rest.split_at(info.recorded.size(*field, vertices).min(rest.len()));
        values.extend(own);
        rest = others;
        if !field.is_of_tets() {
            let width = field.components();
            each_vertex(info, |carriers, weights| {
                values.extend((0..width).map(|k| {
                    let number = |v: usize| own.get(width * v + k).copied().unwrap_or(f32::NAN);
                    sum(carriers, weights, number)
                }));
            });
        }
    }
    frame.values = values;
    let mut fine = Vec::with_capacity(info.carried_vertices());
    each_vertex(info, |carriers, weights| {
        let number = |axis: usize| {
            sum(carriers, weights, |v| frame.positions.get(v).map_or(f32::NAN, |place| place[axis]))
        };
        fine.push([number(0), number(1), number(2)]);
    });
    frame.positions.append(&mut fine);
}

/// Calls `act` with the carriers of each fine vertex, in the numbers of the scene, and weights.
fn each_vertex(info: &RunInfo, mut act: impl FnMut([usize; 4], [f32; 4])) {
    for CarriedSurface { bodies, carriers, weights } in &info.carried {
        for body in bodies {
            let first = info.bodies.get(*body as usize).map_or(0, |body| body.vertices.start);
            for (carriers, weights) in carriers.iter().zip(weights) {
                act(carriers.map(|carrier| first + carrier as usize), *weights);
            }
        }
    }
}

/// The weighted sum of a number of four vertices, in f64.
fn sum(carriers: [usize; 4], weights: [f32; 4], number: impl Fn(usize) -> f32) -> f32 {
    let terms = carriers.into_iter().zip(weights);
    terms.map(|(v, weight)| f64::from(weight) * f64::from(number(v))).sum::<f64>() as f32
}

/// The first index of a fine surface that points beyond what there is.
pub(super) fn what_is_wrong(info: &RunInfo) -> Option<String> {
    let mut carries = vec![false; info.bodies.len()];
    for (index, surface) in info.carried.iter().enumerate() {
        let (carriers, weights) = (surface.len(), surface.weights.len());
        if carriers != weights {
            return Some(format!(
                "fine surface {index} has {carriers} vertices, {weights} weights"
            ));
        }
        let most = surface.carriers.iter().flatten().max().map_or(0, |v| *v as usize + 1);
        for body in surface.bodies.iter().map(|body| *body as usize) {
            let count = info.bodies.get(body).map_or(0, |body| body.vertices.len());
            if most > count {
                return Some(format!(
                    "fine surface {index} names vertex {} of body {body}, which has {count}",
                    most - 1
                ));
            }
            match carries.get_mut(body) {
                Some(carries) if !*carries => *carries = true,
                _ => return Some(format!("body {body} cannot carry fine surface {index}")),
            }
        }
    }
    None
}
