//! Outlines of a scene: their rings, masses and contact.

use std::f64::consts::TAU;

use pliant::body::BodyKind;
use pliant::body::rigid::RigidError;
use pliant::body::rigid::mass::MassProperties;
use pliant::contact::response::Stiffness;
use pliant::contact::response::{Response as ContactResponse, StepContext};
use pliant::id::{BodyId, VertexId};
use pliant::integrate::System;
use pliant::math::{Vec2, Vec3, orient2d};
use pliant_plane::Backend;
use pliant_plane::exact::Exact;
use pliant_plane::generate::GenerateError;
use pliant_plane::generate::coast::{CoastSettings, coast};
use pliant_plane::generate::gear::{Bore, GearSettings, gear};
use pliant_plane::generate::link::{LinkSettings, link};
use pliant_plane::generate::strip::{StripSettings, strip};
use pliant_plane::outline::{Outlines, area};
use pliant_plane::response::impulse::{OutlineImpulseSettings, OutlineImpulses};
use pliant_plane::response::penalty::{OutlinePenalty, OutlinePenaltySettings};
use pliant_plane::response::{Cast, Flat, OutlinesError};

use super::bodies::SceneBodies;
use super::joints::Pairs;
use super::shape::{Geometry, RestShape};
use super::{BuildError, vector};
use crate::diagnostic::DiagnosticKind;
use crate::spec::body::{EdgeKind, Extract, Pattern};
use crate::spec::outline::{Centre, OutlineShape};
use crate::spec::{self, Body, Material, Mesh, Response};
use pliant_io::files::Folder;
use pliant_io::outline::assemble::{Wanted, assemble};
use pliant_io::outline::drawing::YAxis;
use pliant_io::outline::extent::extent;
use pliant_io::outline::{OutlineFileError, read_from};

/// Points of an outline at most.
const MOST_POINTS: f64 = 1e6;

/// Backlash of a gear when the scene does not say, over the module.
const BACKLASH: f64 = 0.62;

/// Bound of the error of lengths over the shorter side of the smallest outline.
const ERROR: f64 = 1e-2;

/// Bound for cutting curves of a file when the scene does not say, over the extent.
const USUAL_CUT: f64 = 1e-3;

/// Backend of proximity queries between outlines.
pub fn backend() -> Box<dyn Backend> {
    Box::new(Exact::default())
}

/// Points that a shape will have.
pub fn size(shape: &OutlineShape) -> f64 {
    match shape {
        OutlineShape::Rings { rings } => rings.iter().map(|ring| ring.len() as f64).sum(),
        OutlineShape::File { .. } => 0.0,
        OutlineShape::Disc { points, .. } => f64::from(*points),
        OutlineShape::Rectangle { segments: [x, y], .. } => 2.0 * (f64::from(*x) + f64::from(*y)),
        OutlineShape::Coast { points, .. }
        | OutlineShape::Link { points, .. }
        | OutlineShape::Strip { points, .. } => f64::from(*points),
        OutlineShape::Gear { teeth, bore, .. } => {
            4.0 * f64::from(*teeth) + bore.as_ref().map_or(0.0, |bore| f64::from(bore.points))
        }
    }
}

/// The outline of a shape at rest, its rings turned with the inside to their left.
pub fn make(
    shape: &OutlineShape,
    folder: Folder<'_>,
    path: &str,
    notices: &mut Vec<String>,
) -> Result<RestShape, BuildError> {
    if let OutlineShape::File { path: file, thickness, error, centre } = shape {
        let rings = from_file(folder, file, *thickness, *error, path, notices)?;
        let mut made = rest(&rings, path, notices)?;
        if let Some(centre) = *centre {
            put_at_origin(&mut made, centre, path)?;
        }
        return Ok(made);
    }
    if size(shape) > MOST_POINTS {
        let message = format!("the outline has {} points: at most {MOST_POINTS}", size(shape));
        return Err(BuildError::new(DiagnosticKind::TooLarge, path, message));
    }
    rest(&rings(shape, path)?, path, notices)
}

/// The rings of a file; `thickness` of lines and bound of the `error` of curves, m.
fn from_file(
    folder: Folder<'_>,
    file: &str,
    thickness: Option<f64>,
    error: Option<f64>,
    path: &str,
    notices: &mut Vec<String>,
) -> Result<Vec<Vec<Vec2>>, BuildError> {
    for (key, value) in [("thickness", thickness), ("error", error)] {
        if let Some(value) = value.filter(|value| !(*value > 0.0 && value.is_finite())) {
            let message = format!("the {key} is {value} m: it must be positive");
            return Err(BuildError::value(format!("{path}.{key}"), message));
        }
    }
    let wrong =
        |message: String| BuildError::new(DiagnosticKind::Mesh, format!("{path}.path"), message);
    let reported = |error: OutlineFileError| wrong(error.to_string());
    let picked = read_from(folder.files, &folder.path.join(file)).map_err(reported)?;
    let bound = match error {
        Some(error) => error,
        None => {
            let extent = extent(&picked, thickness).map_err(|error| wrong(error.to_string()))?;
            USUAL_CUT * extent
        }
    };
    let assembled = assemble(&picked, Wanted { bound, thickness }).map_err(reported)?;
    let label = &picked.label;
    notices.extend(assembled.notices.iter().map(|notice| format!("{label}: {notice}")));
    let points = assembled.rings.iter().map(Vec::len).sum::<usize>();
    if points as f64 > MOST_POINTS {
        let message = format!("the outline has {points} points: at most {MOST_POINTS}");
        return Err(BuildError::new(DiagnosticKind::TooLarge, path, message));
    }
    let mut rings = assembled.rings;
    if picked.drawing.upright == YAxis::Down {
        // Scenes count y upwards.
        rings.iter_mut().flatten().for_each(|point| point.y = -point.y);
    }
    Ok(rings)
}

/// Moves a shape so that a point of it is the origin.
fn put_at_origin(made: &mut RestShape, centre: Centre, path: &str) -> Result<(), BuildError> {
    let Geometry::Outline { rings, .. } = &made.geometry else { return Ok(()) };
    let at = match centre {
        Centre::Area => {
            let sheet = properties(rings, &made.positions, 1.0);
            sheet.map_err(|error| BuildError::value(format!("{path}.centre"), error))?.centre
        }
        Centre::Box => {
            let low = made.positions.iter().copied().fold(Vec3::INFINITY, Vec3::min);
            let high = made.positions.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
            low.midpoint(high)
        }
    };
    made.positions.iter_mut().for_each(|position| *position -= at);
    Ok(())
}

/// The rings of a shape as they are given or made.
fn rings(shape: &OutlineShape, path: &str) -> Result<Vec<Vec<Vec2>>, BuildError> {
    let wrong =
        |key: &str, message: String| Err(BuildError::value(format!("{path}.{key}"), message));
    match *shape {
        OutlineShape::Rings { ref rings } => {
            Ok(rings.iter().map(|ring| ring.iter().map(|p| Vec2::from(*p)).collect()).collect())
        }
        OutlineShape::Disc { radius, points } => {
            if !(radius > 0.0 && radius.is_finite()) {
                return wrong("radius", format!("the radius is {radius} m: it must be positive"));
            }
            let at = |k: u32| Vec2::from_angle(TAU * f64::from(k) / f64::from(points));
            Ok(vec![(0..points).map(|k| radius * at(k)).collect()])
        }
        OutlineShape::Rectangle { size, segments } => {
            if let Some(side) = size.into_iter().find(|side| !(*side > 0.0 && side.is_finite())) {
                return wrong("size", format!("an edge is {side} m long: it must be positive"));
            }
            if segments.contains(&0) {
                return wrong("segments", "an edge has 0 segments: at least 1".to_owned());
            }
            Ok(vec![rectangle(Vec2::from(size), segments)])
        }
        _ => generated(shape).map_err(|error| BuildError::value(path, error)),
    }
}

/// The rings of a shape that the library makes; none of others.
fn generated(shape: &OutlineShape) -> Result<Vec<Vec<Vec2>>, GenerateError> {
    match *shape {
        OutlineShape::Coast { points, radius, roughness, seed } => {
            coast(&CoastSettings { points, radius, roughness, seed: seed.into() })
        }
        OutlineShape::Gear { teeth, module, backlash, ref bore } => {
            let bore = bore.as_ref().map(|bore| Bore { radius: bore.radius, points: bore.points });
            let backlash = backlash.unwrap_or(BACKLASH * module);
            gear(&GearSettings { teeth, module, backlash, bore })
        }
        OutlineShape::Link { points, knob } => link(&LinkSettings { points, knob }),
        OutlineShape::Strip { size, points, amplitude, waves } => {
            strip(&StripSettings { size, points, amplitude, waves })
        }
        OutlineShape::Rings { .. }
        | OutlineShape::File { .. }
        | OutlineShape::Disc { .. }
        | OutlineShape::Rectangle { .. } => Ok(Vec::new()),
    }
}

fn rectangle(size: Vec2, [nx, ny]: [u32; 2]) -> Vec<Vec2> {
    let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
    let corners = corners.map(|(x, y)| size * Vec2::new(x, y));
    let edges = [(0, 1, nx), (1, 2, ny), (2, 3, nx), (3, 0, ny)];
    let points = edges.into_iter().flat_map(|(from, to, count)| {
        (0..count).map(move |k| corners[from].lerp(corners[to], f64::from(k) / f64::from(count)))
    });
    points.collect()
}

/// A shape of sound rings; edges run along them, and over two segments for bending.
fn rest(
    rings: &[Vec<Vec2>],
    path: &str,
    notices: &mut Vec<String>,
) -> Result<RestShape, BuildError> {
    let mut outlines = Outlines::default();
    let reported =
        outlines.push(rings).map_err(|error| BuildError::new(DiagnosticKind::Mesh, path, error))?;
    notices.extend(reported.into_iter().map(|notice| format!("{path}: {notice}")));
    let at = |v: usize| VertexId(v as u32);
    let (mut edges, mut loops) = (Vec::new(), Vec::new());
    for ring in outlines.rings(0) {
        let (start, count) = (ring.start, ring.len());
        for k in 0..count {
            let over = |step: usize| [at(start + k), at(start + (k + step) % count)];
            edges.push((over(1), EdgeKind::Structural));
            // Of three or four points both ends of such an edge are joined already, or twice.
            if count > 4 {
                edges.push((over(2), EdgeKind::Bend));
            }
        }
        loops.push(ring.map(at).collect());
    }
    let positions = outlines.points().iter().map(|p| p.extend(0.0)).collect();
    Ok(RestShape::new(Geometry::Outline { rings: loops, carried: 0 }, positions, edges))
}

/// The same body with the outline of its shadow on the plane z = 0.
///
/// The shadow is taken to be convex: the hull of all its vertices.
pub fn shadow(rest: RestShape, path: &str) -> Result<RestShape, BuildError> {
    if matches!(
        rest.geometry,
        Geometry::SpringNetwork | Geometry::Particles | Geometry::Outline { .. }
    ) {
        return Err(BuildError::value(path, "only tets and closed surfaces have a shadow"));
    }
    let hull = hull(rest.positions.iter().map(|p| p.truncate()).collect());
    if hull.len() < 3 {
        return Err(BuildError::value(path, "the shadow has no area"));
    }
    let carried = rest.positions.len();
    let ring: Vec<VertexId> = (0..hull.len()).map(|k| VertexId((carried + k) as u32)).collect();
    let mut positions = rest.positions;
    positions.extend(hull.iter().map(|p| p.extend(0.0)));
    let next = ring.iter().cycle().skip(1);
    let edges = ring.iter().zip(next).map(|(a, b)| ([*a, *b], EdgeKind::Structural)).collect();
    let mut made =
        RestShape::new(Geometry::Outline { rings: vec![ring], carried }, positions, edges);
    made.triangles = rest.triangles;
    Ok(made)
}

/// Corners of the convex hull of points, against the clock; none on a line between others.
fn hull(mut points: Vec<Vec2>) -> Vec<Vec2> {
    points.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    points.dedup();
    let half = |points: &mut dyn Iterator<Item = Vec2>| {
        let mut chain: Vec<Vec2> = Vec::new();
        for point in points {
            while let [.., a, b] = chain[..]
                && orient2d(a, b, point) <= 0.0
            {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut lower = half(&mut points.iter().copied());
    lower.append(&mut half(&mut points.iter().rev().copied()));
    lower
}

/// The rings of a shape in its place, m.
fn placed(rings: &[Vec<VertexId>], positions: &[Vec3]) -> Vec<Vec<Vec2>> {
    let at = |v: &VertexId| positions[v.index()].truncate();
    rings.iter().map(|ring| ring.iter().map(at).collect()).collect()
}

/// Mass, centre and inertia of a rigid outline in its place; density in kg/m².
pub fn properties(
    rings: &[Vec<VertexId>],
    positions: &[Vec3],
    density: f64,
) -> Result<MassProperties, RigidError> {
    MassProperties::from_rings(&placed(rings, positions), density)
}

/// What a soft outline weighs, kg; `scaled` is its shape, m.
pub fn mass(
    body: &Body,
    rings: &[Vec<VertexId>],
    scaled: &[Vec3],
    density: f64,
    path: &str,
) -> Result<f64, BuildError> {
    let covered: f64 = placed(rings, scaled).iter().map(|ring| area(ring)).sum();
    let (key, mass) = match body.mass {
        Some(mass) => ("mass", mass),
        None => ("material", density * covered),
    };
    if !(mass > 0.0 && mass.is_finite()) {
        let message = format!("the outline weighs {mass} kg: it must be positive");
        return Err(BuildError::value(format!("{path}.{key}"), message));
    }
    Ok(mass)
}

/// Whether an entry of `bodies` is an outline.
pub fn is_outline(body: &Body) -> bool {
    matches!(body.mesh, Mesh::Outline { .. }) || body.extract == Extract::Outline
}

/// Refuses what would leave the plane, and puts in the response of outlines.
pub fn choose(scene: &mut spec::Scene) -> Result<(), BuildError> {
    let Some(first) = scene.bodies.iter().position(is_outline) else { return Ok(()) };
    let name = &scene.bodies[first].name;
    if scene.gravity[2] != 0.0 {
        let message =
            format!("gravity leads out of the plane z = 0, in which the outline `{name}` moves");
        let help = "write gravity = [0, 0, 0], or one along x and y";
        return Err(BuildError::value("gravity", message).with_help(help));
    }
    if !scene.obstacles.is_empty() {
        let message = format!("obstacles do not collide with outlines such as `{name}`");
        let help = "make it an outline with the material { kind = \"fixed\" }";
        return Err(BuildError::value("obstacles.0", message).with_help(help));
    }
    if scene.drag.as_ref().is_some_and(|drag| drag.wind[2] != 0.0) {
        return Err(BuildError::value(
            "drag.wind",
            "the wind leads outlines out of the plane z = 0",
        ));
    }
    match *scene.response.get_or_insert(Response::Penalty) {
        Response::None | Response::Penalty | Response::Impulse => {}
        other => {
            let message = format!("outlines as `{name}` have no response {}", super::word(&other));
            let help = "take \"penalty\", \"impulse\" or \"none\"";
            return Err(BuildError::value("response", message).with_help(help));
        }
    }
    scene.bodies.iter().enumerate().try_for_each(|(k, body)| check(body, &format!("bodies.{k}")))
}

/// Refuses an outline that is not in the plane, or what only an outline can be made of.
fn check(body: &Body, path: &str) -> Result<(), BuildError> {
    if !is_outline(body) {
        return match body.material {
            Material::Ring { .. } | Material::Fixed {} => {
                let message =
                    format!("`{}` is no outline, and only an outline can be this", body.name);
                Err(BuildError::value(format!("{path}.material"), message))
            }
            _ => Ok(()),
        };
    }
    let flat = [
        ("position", [0.0, 0.0, body.position[2]]),
        ("rotation", [body.rotation[0], body.rotation[1], 0.0]),
        ("velocity", [0.0, 0.0, body.velocity[2]]),
        ("spin", [body.spin[0], body.spin[1], 0.0]),
    ];
    if let Some((key, _)) = flat.into_iter().find(|(_, beside)| *beside != [0.0; 3]) {
        let message = format!("the {key} leads the outline `{}` out of the plane z = 0", body.name);
        return Err(BuildError::value(format!("{path}.{key}"), message));
    }
    let deep = match &body.pattern {
        Some(Pattern::Grid { counts, .. }) => counts[2] > 1,
        Some(Pattern::Pile { size, .. }) => size[2] != 0.0,
        None => false,
    };
    if deep {
        let message =
            format!("the pattern leads outlines as `{}` out of the plane z = 0", body.name);
        let help = "take one layer of a grid, or a pile of size 0 along z";
        return Err(BuildError::value(format!("{path}.pattern"), message).with_help(help));
    }
    if body.extract == Extract::Outline && !matches!(body.material, Material::Rigid { .. }) {
        let message = format!("`{}` is soft: only a rigid body moves by its shadow", body.name);
        return Err(BuildError::value(format!("{path}.material"), message));
    }
    match body.material {
        Material::Rigid { .. }
        | Material::Ring { .. }
        | Material::Fixed {}
        | Material::Springs { .. }
        | Material::None { .. } => Ok(()),
        _ => {
            let message = "an outline can be rigid, ring, fixed, springs or none";
            Err(BuildError::value(format!("{path}.material"), message))
        }
    }
}

/// Notice on outlines among other bodies.
pub fn mixed(scene: &spec::Scene, made: &SceneBodies) -> Option<String> {
    let count = outlines(made).count();
    let meets = super::contact::chosen(scene) != Response::None;
    (meets && count > 0 && count < made.bodies.len())
        .then(|| "outlines collide only with outlines: other bodies pass through them".to_owned())
}

fn outlines(made: &SceneBodies) -> impl Iterator<Item = BodyId> {
    made.bodies.ids().filter(|body| made.bodies.kind(*body) == BodyKind::Outline)
}

/// The response of the outlines of a scene, where there are any.
pub fn response(
    scene: &spec::Scene,
    made: &SceneBodies,
    apart: &Pairs,
) -> Result<Option<Box<dyn ContactResponse>>, BuildError> {
    if outlines(made).next().is_none() {
        return Ok(None);
    }
    let (bodies, rest, rigids) = (&*made.bodies, &made.rest[..], &made.system.rigids);
    let flat = Flat::new(Cast { bodies, rest, rigids, apart }, backend()).map_err(unfit)?;
    let error = scene.contact.error.unwrap_or_else(|| error(made));
    let dt = scene.dt / f64::from(scene.integrator.substeps.max(1));
    match super::contact::chosen(scene) {
        Response::Penalty => {
            let spec::Contact { friction, damping, stiffness, .. } = scene.contact;
            let usual = OutlinePenaltySettings::of_step(error, dt);
            let stiffness = stiffness.map_or(usual.stiffness, Stiffness::Fixed);
            let settings = OutlinePenaltySettings { stiffness, damping, friction, ..usual };
            Ok(Some(Box::new(OutlinePenalty::new(flat, settings).map_err(unfit)?)))
        }
        Response::Impulse => {
            let spec::Contact { friction, restitution, .. } = scene.contact;
            let gravity = vector(scene.gravity).truncate();
            let settings =
                OutlineImpulseSettings { distance: error, friction, restitution, dt, gravity };
            let System { masses, pins, rigids, profiler, .. } = &made.system;
            let (motion, rigid_states) = (made.state.motion(), &*made.state.rigids);
            let context =
                StepContext { bodies, motion, masses, pins, rigids, rigid_states, dt, profiler };
            let made = OutlineImpulses::new(flat, settings, context);
            Ok(Some(Box::new(made.map_err(unfit)?)))
        }
        _ => Ok(None),
    }
}

/// Bound of the error of lengths when the scene does not say, m.
fn error(made: &SceneBodies) -> f64 {
    let side = |body: BodyId| {
        let points = made.bodies.rings(body).iter().flatten();
        let points = points.map(|v| made.rest[v.index()].truncate());
        let (min, max) = points
            .fold((Vec2::INFINITY, Vec2::NEG_INFINITY), |(min, max), p| (min.min(p), max.max(p)));
        (max - min).min_element()
    };
    ERROR * outlines(made).map(side).fold(f64::INFINITY, f64::min)
}

fn unfit(error: OutlinesError) -> BuildError {
    match error {
        OutlinesError::Outline { .. } | OutlinesError::Overlap { .. } => {
            BuildError::value("bodies", error)
        }
        OutlinesError::Setting(_) | OutlinesError::Backend(_) => {
            BuildError::value("contact", error)
        }
    }
}
