//! Shape matching: whole bodies, and groups of vertices inside others.

use std::collections::BTreeSet;

use pliant::body::pins::{self, Plane};
use pliant::id::VertexId;
use pliant::integrate::shape_matching::matching::Velocities;
use pliant::integrate::shape_matching::pull::{MAX_DENSE, Pull};
use pliant::integrate::shape_matching::{
    Group as Shape, Groups, Kind, Plasticity, Stiffness, Volume,
};
use pliant::math::polar::PolarMethod;
use pliant::math::{Aabb, Vec3};

use super::bodies::{Group, SceneBodies};
use super::{BuildError, contact, external_loads, vector};
use crate::diagnostic::DiagnosticKind;
use crate::spec::body as key;
use crate::spec::shape::{Clusters, Matching, Polar, ShapeGroup, ShapeMode, ShapeVolume, Spin};
use crate::spec::{self, Body, IntegratorKind, Material, Response};

/// Entries of the matrix that shapes take at most.
const MOST_ENTRIES: f64 = 1e8;

/// Entries that a vertex of a large shape takes, by its memory.
const ENTRIES: f64 = 6.0;

/// Vertices that are looked at for all groups of a body at most: each group looks at all.
const MOST_LOOKS: f64 = 1e9;

/// Groups of a body along one axis at most.
const MOST_CLUSTERS: u32 = 1000;

/// How one shape is matched, wherever its keys stand.
struct Look<'a> {
    mode: ShapeMode,
    blend: f64,
    volume: ShapeVolume,
    rate: Option<f64>,
    share: Option<f64>,
    plasticity: Option<&'a key::Plasticity>,
}

/// Shapes that are matched after the step.
pub type After = (Groups, Velocities);

/// Fills in when shapes are matched, where there are any.
pub fn choose(scene: &mut spec::Scene) -> Result<(), BuildError> {
    let matches = |body: &Body| {
        !body.groups.is_empty() || matches!(body.material, Material::ShapeMatched { .. })
    };
    if !scene.bodies.iter().any(matches) {
        return Ok(());
    }
    let is_implicit = matches!(
        scene.integrator.kind,
        IntegratorKind::ImplicitEuler | IntegratorKind::ImplicitMidpoint | IntegratorKind::Bdf2
    );
    let own = if is_implicit { Matching::WithStep } else { Matching::AfterStep };
    let matching = *scene.integrator.matching.get_or_insert(own);
    if matching == Matching::WithStep && scene.integrator.polar == Polar::WarmStart {
        let message = "shapes that are matched with the step are evaluated at many trial \
                       positions, which no one rotation starts";
        let help = "take matching = \"after-step\", or polar = \"newton\" or \"direct\"";
        return Err(BuildError::value("integrator.polar", message).with_help(help));
    }
    if matching == Matching::WithStep && !is_implicit {
        let message = "the integrator does not solve shapes together with the step";
        let help = "take the integrator \"implicit-euler\", or matching = \"after-step\"";
        return Err(BuildError::value("integrator.matching", message).with_help(help));
    }
    Ok(())
}

/// Notice on shapes that are matched outside the contact solve.
pub fn unmet(scene: &spec::Scene) -> Option<String> {
    let after = scene.integrator.matching == Some(Matching::AfterStep);
    (after && contact::chosen(scene) == Response::Constraint).then(|| {
        "shapes are matched after the step: contacts are solved as if their vertices were loose,          and piles of them do not come to rest"
            .to_owned()
    })
}

/// Makes all shapes: with the step they become a force, otherwise they are returned.
pub fn make(scene: &spec::Scene, made: &mut SceneBodies) -> Result<Option<After>, BuildError> {
    let (list, paths) = list(scene, made)?;
    let Some(matching) = scene.integrator.matching.filter(|_| !list.is_empty()) else {
        return Ok(None);
    };
    if matching == Matching::WithStep {
        check_size(&list, &paths)?;
    }
    let system = &mut made.system;
    let groups = Groups::new(&list, &made.rest, &system.masses, &system.pins);
    let groups = groups.map_err(|error| {
        let path = error.group().map_or("bodies", |group| &*paths[group]);
        BuildError::value(path, error)
    })?;
    let groups = groups.with_polar(match scene.integrator.polar {
        Polar::Newton => PolarMethod::Newton,
        Polar::Direct => PolarMethod::Direct,
        Polar::WarmStart => PolarMethod::WarmStart,
    });
    if matching == Matching::WithStep {
        let dt = scene.dt / f64::from(scene.integrator.substeps.max(1));
        system.forces.push_force(Pull::new(groups, dt));
        return Ok(None);
    }
    let velocities = match scene.integrator.spin {
        Spin::Damped => Velocities::Travelled,
        Spin::Kept => Velocities::Kept,
    };
    Ok(Some((groups, velocities)))
}

/// All shapes in the scene's numbers, and where the keys of each stand.
fn list(scene: &spec::Scene, made: &SceneBodies) -> Result<(Vec<Shape>, Vec<String>), BuildError> {
    let (mut list, mut paths) = (Vec::new(), Vec::new());
    for (index, (body, group)) in scene.bodies.iter().zip(&made.groups).enumerate() {
        let mut kept: Vec<(Shape, String)> = Vec::new();
        let path = format!("bodies.{index}.material");
        if let Some((look, clusters)) = whole(&body.material) {
            let scaled = &made.rest[group.ranges.first().cloned().unwrap_or(0..0)];
            for vertices in parts(scaled, clusters, &path)? {
                kept.push((shape(&look, vertices, &path)?, path.clone()));
            }
        }
        for (k, key) in body.groups.iter().enumerate() {
            let path = format!("bodies.{index}.groups.{k}");
            if matches!(body.material, Material::Rigid { .. }) {
                return Err(BuildError::value(path, "a rigid body keeps its shape as a whole"));
            }
            let vertices = chosen(key, group, &path)?;
            kept.push((shape(&look_of(key), vertices, &path)?, path));
        }
        for range in &group.ranges {
            for (shape, path) in &kept {
                let at = |v: &VertexId| VertexId(v.0 + range.start as u32);
                list.push(Shape { vertices: shape.vertices.iter().map(at).collect(), ..*shape });
                paths.push(path.clone());
            }
        }
    }
    Ok((list, paths))
}

/// How a body is matched as a whole, if it is.
fn whole(material: &Material) -> Option<(Look<'_>, Option<&Clusters>)> {
    let Material::ShapeMatched { mode, blend, volume, rate, share, plasticity, clusters, .. } =
        material
    else {
        return None;
    };
    let (mode, blend, volume, rate, share) = (*mode, *blend, *volume, *rate, *share);
    let look = Look { mode, blend, volume, rate, share, plasticity: plasticity.as_ref() };
    Some((look, clusters.as_ref()))
}

fn look_of(key: &ShapeGroup) -> Look<'_> {
    let ShapeGroup { mode, blend, volume, rate, share, ref plasticity, .. } = *key;
    Look { mode, blend, volume, rate, share, plasticity: plasticity.as_ref() }
}

fn shape(look: &Look<'_>, vertices: Vec<VertexId>, path: &str) -> Result<Shape, BuildError> {
    let blend = look.blend;
    let volume = match look.volume {
        ShapeVolume::Kept => Volume::Kept,
        ShapeVolume::Free => Volume::Free,
    };
    let kind = match look.mode {
        ShapeMode::Rigid => Kind::Rigid,
        ShapeMode::Linear => Kind::Linear { blend, volume },
        ShapeMode::Quadratic => Kind::Quadratic { blend },
    };
    let stiffness = match (look.rate, look.share) {
        (None, None) => Stiffness::Firm,
        (Some(rate), None) => Stiffness::Rate(rate),
        (None, Some(share)) => Stiffness::Share(share),
        (Some(_), Some(_)) => {
            let message = "`rate` and `share` cannot both be given";
            return Err(BuildError::value(format!("{path}.share"), message));
        }
    };
    let plasticity = look.plasticity.map(|key| Plasticity {
        yields_at: key.yield_strain,
        creep: key.creep_rate,
        most: key.max_drift,
    });
    Ok(Shape { vertices, kind, stiffness, plasticity })
}

/// The groups that a body falls into, in order of their cells.
fn parts(
    scaled: &[Vec3],
    clusters: Option<&Clusters>,
    path: &str,
) -> Result<Vec<Vec<VertexId>>, BuildError> {
    let Some(Clusters { counts, overlap }) = clusters else {
        return Ok(vec![(0..scaled.len() as u32).map(VertexId).collect()]);
    };
    if let Some(count) = counts.iter().find(|count| !(1..=MOST_CLUSTERS).contains(*count)) {
        let message = format!("{count} groups along an axis: from 1 to {MOST_CLUSTERS}");
        return Err(BuildError::value(format!("{path}.clusters.counts"), message));
    }
    if *overlap <= 0.0 {
        let message = format!("the overlap is {overlap}: groups that share nothing fall apart");
        return Err(BuildError::value(format!("{path}.clusters.overlap"), message));
    }
    let work = counts.iter().map(|count| f64::from(*count)).product::<f64>() * scaled.len() as f64;
    if work > MOST_LOOKS {
        let message = format!(
            "{} × {} × {} groups of {} vertices are too many",
            counts[0],
            counts[1],
            counts[2],
            scaled.len()
        );
        return Err(BuildError::new(
            DiagnosticKind::TooLarge,
            format!("{path}.clusters.counts"),
            message,
        ));
    }
    let around = Aabb::around(scaled.iter().copied());
    let cell = around.size() / Vec3::from(counts.map(f64::from));
    let (mut parts, mut known) = (Vec::new(), BTreeSet::new());
    for z in 0..counts[2] {
        for y in 0..counts[1] {
            for x in 0..counts[0] {
                let min = around.min + cell * Vec3::from([x, y, z].map(f64::from));
                let (min, max) = (min - *overlap * cell, min + (1.0 + overlap) * cell);
                let vertices = pins::in_box(scaled, Aabb { min, max });
                if !vertices.is_empty() && known.insert(vertices.clone()) {
                    parts.push(vertices);
                }
            }
        }
    }
    Ok(parts)
}

/// The vertices of a body that a group names.
fn chosen(key: &ShapeGroup, group: &Group, path: &str) -> Result<Vec<VertexId>, BuildError> {
    let positions = &group.rest.positions;
    let found = match (&key.space, &key.sphere, &key.plane, &key.vertices) {
        (Some(space), None, None, None) => {
            let space = Aabb { min: vector(space.min), max: vector(space.max) };
            pins::in_box(positions, space)
        }
        (None, Some(sphere), None, None) => {
            let (centre, reach) = (vector(sphere.centre), sphere.radius * sphere.radius);
            let near = |(_, p): &(usize, &Vec3)| p.distance_squared(centre) <= reach;
            positions.iter().enumerate().filter(near).map(|(v, _)| VertexId(v as u32)).collect()
        }
        (None, None, Some(plane), None) => {
            let plane = Plane::new(vector(plane.point), vector(plane.normal));
            let plane = plane.map_err(|error| BuildError::value(format!("{path}.plane"), error))?;
            pins::beyond(positions, plane)
        }
        (None, None, None, Some(numbers)) => {
            external_loads::vertices(numbers, &group.rest, &format!("{path}.vertices"))?
        }
        _ => {
            let message = "a group needs exactly one of `box`, `sphere`, `plane` and `vertices`";
            return Err(BuildError::value(path, message));
        }
    };
    match found.is_empty() {
        true => Err(BuildError::value(path, "the group has no vertex")),
        false => Ok(found),
    }
}

/// Refuses shapes whose vertices are too many to be solved together.
///
/// Shapes of up to [`MAX_DENSE`] vertices take the square of them, larger ones are linear.
fn check_size(list: &[Shape], paths: &[String]) -> Result<(), BuildError> {
    let mut entries = 0.0;
    for (shape, path) in list.iter().zip(paths) {
        let count = shape.vertices.len() as f64;
        let is_dense = shape.vertices.len() <= MAX_DENSE;
        entries += if is_dense { count * count } else { ENTRIES * count };
        if entries > MOST_ENTRIES {
            let message = format!(
                "the vertices of the shapes up to here, {count} in this one, are too many to be \
                 solved with the step"
            );
            let help = "take fewer or smaller shapes, or integrator.matching = \"after-step\"";
            let wrong = BuildError::new(DiagnosticKind::TooLarge, &**path, message);
            return Err(wrong.with_help(help));
        }
    }
    Ok(())
}
