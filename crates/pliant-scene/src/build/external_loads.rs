//! External loads on bodies: pins, loads, drag.

use pliant::body::keyframes::{Keyframe, Keyframes};
use pliant::body::pins::{self, Plane};
use pliant::body::rigid::RigidTemplate;
use pliant::body::rigid::all::balanced_masses_in_plane;
use pliant::force::drag::{Drag, DragLaw};
use pliant::force::harmonic_well::HarmonicWell;
use pliant::force::load::Load;
use pliant::id::{BodyId, VertexId};
use pliant::integrate::System;
use pliant::math::Aabb;

use super::bodies::{Group, SceneBodies};
use super::obstacles::Obstacles;
use super::shape::{Geometry, RestShape};
use super::{BuildError, contact, rotation, vector};
use crate::diagnostic::DiagnosticKind;
use crate::spec::body as key;
use crate::spec::{self, Body, Material, Response};
use pliant_io::suggest::nearest;

/// Vertices that a body names as pinned, each with how they move.
pub type Pinned = Vec<(Vec<VertexId>, Option<Keyframes>)>;

/// The vertices that a body names as pinned.
pub fn pins(body: &Body, rest: &RestShape, path: &str) -> Result<Pinned, BuildError> {
    let mut all = Vec::new();
    for (k, key) in body.pins.iter().enumerate() {
        let path = format!("{path}.pins.{k}");
        let choice = Choice {
            what: "pin",
            space: key.space.as_ref(),
            plane: key.plane.as_ref(),
            vertices: key.vertices.as_deref(),
        };
        let chosen = chosen(&choice, rest, &path)?;
        if chosen.is_empty() {
            return Err(BuildError::value(path, "the pin holds no vertex"));
        }
        let frames_path = format!("{path}.keyframes");
        let motion = match key.keyframes.is_empty() {
            true => None,
            false => Some(keyframes(&key.keyframes, &frames_path)?),
        };
        all.push((chosen, motion));
    }
    Ok(all)
}

/// Which vertices of a shape are meant.
pub struct Choice<'a> {
    /// The kind of selection, one word.
    pub what: &'static str,
    /// Those in a box.
    pub space: Option<&'a key::PinBox>,
    /// Those beyond a plane.
    pub plane: Option<&'a key::PinPlane>,
    /// Those of numbers.
    pub vertices: Option<&'a [u32]>,
}

/// The vertices of a shape that a pin or an attachment names.
pub fn chosen(
    choice: &Choice<'_>,
    rest: &RestShape,
    path: &str,
) -> Result<Vec<VertexId>, BuildError> {
    match (choice.space, choice.plane, choice.vertices) {
        (Some(space), None, None) => {
            let space = Aabb { min: vector(space.min), max: vector(space.max) };
            Ok(pins::in_box(&rest.positions, space))
        }
        (None, Some(plane), None) => {
            let plane = Plane::new(vector(plane.point), vector(plane.normal));
            let plane = plane.map_err(|error| BuildError::value(format!("{path}.plane"), error))?;
            Ok(pins::beyond(&rest.positions, plane))
        }
        (None, None, Some(numbers)) => vertices(numbers, rest, &format!("{path}.vertices")),
        _ => {
            let what = choice.what;
            let message = format!("a {what} needs exactly one of `box`, `plane` and `vertices`");
            Err(BuildError::value(path, message))
        }
    }
}

/// Vertices by their numbers in the file.
pub fn vertices(
    numbers: &[u32],
    rest: &RestShape,
    path: &str,
) -> Result<Vec<VertexId>, BuildError> {
    let known = |(k, number): (usize, &u32)| {
        let count = rest.number_count();
        let message =
            format!("vertex {number} is not there, or nothing uses it; there are {count}");
        rest.vertex(*number).ok_or_else(|| BuildError::value(format!("{path}.{k}"), message))
    };
    numbers.iter().enumerate().map(known).collect()
}

/// A motion along keyframes of a scene.
pub fn keyframes(frames: &[key::Keyframe], path: &str) -> Result<Keyframes, BuildError> {
    let frames = frames.iter().map(|frame| Keyframe {
        time: frame.time,
        position: vector(frame.position),
        rotation: rotation(frame.rotation),
    });
    Keyframes::new(frames.collect()).map_err(|error| BuildError::value(path, error))
}

/// Appends constant forces.
pub fn push_loads(
    scene: &spec::Scene,
    groups: &[Group],
    system: &mut System,
) -> Result<(), BuildError> {
    for (k, load) in scene.loads.iter().enumerate() {
        let path = format!("loads.{k}");
        let found = loaded(scene, groups, &load.body);
        if found.is_empty() {
            let names = scene.bodies.iter().map(|body| &*body.name);
            let message = format!("no body is called `{}`", load.body);
            let wrong = BuildError::new(DiagnosticKind::Name, format!("{path}.body"), message);
            let near = nearest(&load.body, names).map(|name| format!("did you mean `{name}`?"));
            return Err(BuildError { help: near, ..wrong });
        }
        let force = vector(load.force);
        let masses = system.masses.of().to_vec();
        for (group, copy) in found {
            let range = group.ranges[copy].clone();
            let made = match &load.vertices {
                None => Load::on_body(force, range, &masses),
                Some(numbers) => {
                    let chosen = vertices(numbers, &group.rest, &format!("{path}.vertices"))?;
                    let at = |v: &VertexId| (VertexId(v.0 + range.start as u32), force);
                    Load::on_vertices(chosen.iter().map(at).collect(), masses.len())
                }
            };
            system.forces.push(made.map_err(|error| BuildError::value(&*path, error))?);
        }
    }
    Ok(())
}

/// Copies that go by a name.
fn loaded<'a>(scene: &spec::Scene, groups: &'a [Group], name: &str) -> Vec<(&'a Group, usize)> {
    let mut found = Vec::new();
    for (body, group) in scene.bodies.iter().zip(groups) {
        for copy in 0..group.ranges.len() {
            let of_pattern = body.pattern.is_some() && format!("{}-{copy}", body.name) == name;
            if body.name == name || of_pattern {
                found.push((group, copy));
            }
        }
    }
    found
}

/// Appends the air.
pub fn push_drag(scene: &spec::Scene, system: &mut System) -> Result<(), BuildError> {
    let Some(spec::Drag { law, coefficient, wind }) = &scene.drag else { return Ok(()) };
    let law = match law {
        spec::DragLaw::Linear => DragLaw::Linear,
        spec::DragLaw::Quadratic => DragLaw::Quadratic,
    };
    let coefficients = vec![*coefficient; system.masses.of().len()];
    let drag = Drag::new(law, coefficients, vector(*wind));
    system.forces.push(drag.map_err(|error| BuildError::value("drag", error))?);
    Ok(())
}

/// Adds the pull to a place, where there is one; rigid bodies must be known.
///
/// A solid that moves in the plane is pulled at its outline alone: at its roof it would tilt.
pub fn push_attractor(
    scene: &spec::Scene,
    groups: &[Group],
    system: &mut System,
) -> Result<(), BuildError> {
    let Some(spec::Attractor { centre, rates }) = &scene.attractor else { return Ok(()) };
    let mut masses = system.masses.of().to_vec();
    let mut number = 0;
    for Group { rest, ranges, .. } in groups {
        for range in ranges {
            let place = system.rigids.index(BodyId(number));
            number += 1;
            let (Geometry::Outline { carried, .. }, Some(place)) = (&rest.geometry, place) else {
                continue;
            };
            let (inner, ring) = masses[range.clone()].split_at_mut(*carried);
            if inner.is_empty() {
                continue;
            }
            let body = &system.rigids.entries()[place].body;
            let flat = RigidTemplate { points: body.points[*carried..].to_vec(), ..*body };
            let own = balanced_masses_in_plane(&flat, &vec![1.0; ring.len()]);
            ring.copy_from_slice(&own.map_err(|error| BuildError::value("attractor", error))?);
            inner.fill(0.0);
        }
    }
    let bowl = HarmonicWell::new(vector(*centre), vector(*rates), &masses);
    system.forces.push(bowl.map_err(|error| BuildError::value("attractor", error))?);
    Ok(())
}

/// Whether an external force whose impulses are not reported acts on each body.
///
/// Gravity, impulses and solved contacts of obstacles report theirs. Bodies that meet pass on what
/// held ones get, so one held body makes all of them held; so do joints, and one that hangs
/// from the world counts for all rigid bodies, and for what they hold.
pub fn held(scene: &spec::Scene, made: &SceneBodies, obstacles: &Obstacles) -> Vec<bool> {
    let pinned = made.system.pins.vertices();
    let is_hung = made.system.joints.list().iter().any(|joint| joint.bodies.1.is_none());
    let mut held = Vec::new();
    for (body, group) in scene.bodies.iter().zip(&made.groups) {
        for (copy, range) in group.ranges.iter().enumerate() {
            let own = format!("{}-{copy}", body.name);
            let loaded = scene.loads.iter().any(|load| load.body == body.name || load.body == own);
            let first = pinned.partition_point(|vertex| vertex.index() < range.start);
            let pin = pinned.get(first).is_some_and(|vertex| vertex.index() < range.end);
            let (id, rigids) = (BodyId(held.len() as u32), &made.system.rigids);
            let jointed = is_hung && (rigids.index(id).is_some() || rigids.group(id).is_some());
            let pin = pin && !is_fixed(body);
            let pulled = scene.drag.is_some() || scene.attractor.is_some();
            held.push(obstacles.pushes || pulled || loaded || pin || jointed);
        }
    }
    let passes_on =
        contact::chosen(scene) != Response::None || !made.system.rigids.attached().is_empty();
    if passes_on && held.contains(&true) {
        held.fill(true);
    }
    // Fixed bodies report the impulses they give, and have no momentum of their own.
    let fixed = scene.bodies.iter().zip(&made.groups);
    let fixed = fixed.flat_map(|(body, group)| group.ranges.iter().map(|_| is_fixed(body)));
    held.iter_mut().zip(fixed).for_each(|(held, fixed)| *held |= fixed);
    held
}

fn is_fixed(body: &Body) -> bool {
    matches!(body.material, Material::Fixed {})
}
