//! All bodies of a scene in one state, with masses and inner forces.

use pliant_io::files::Folder;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use pliant::body::Bodies;
use pliant::body::keyframes::{Keyframes, Pose};
use pliant::body::pins::PinPath;
use pliant::body::rigid::RigidState;
use pliant::body::soft::State;
use pliant::contact::rules::SurfaceRule;
use pliant::id::VertexId;
use pliant::integrate::System;
use pliant::math::{Quat, Vec3};
use pliant::world::{
    BodyHandle, BodyMesh, BodyModel, BodyModelKind, OutlineMesh, Pinning, SoftMaterial,
    SpringNetwork, World,
};

use super::carried::{self, FineSurface};
use super::material::SceneMaterial;
use super::pattern::{self, Copy, MOST_BODIES};
use super::shape::{self, Geometry, MOST_TETS, MOST_VERTICES, RestShape};
use super::{
    BuildError, external_loads, from_world_at, inertia, material, outline, rigid, rotation, vector,
};
use crate::diagnostic::DiagnosticKind;
use crate::loaded::BodyInfo;
use crate::spec::body::{Extract, Scale};
use crate::spec::{self, Body, Material};

/// Steps of positions that a shape bears, relative to its radius.
const RESOLVED: f64 = 1e-4;

/// All copies of one entry of `bodies`.
#[derive(Clone, Debug)]
pub struct Group {
    /// Their common shape.
    pub rest: Arc<RestShape>,
    /// Each copy in the world.
    pub handles: Vec<BodyHandle>,
    /// Vertices of each copy in the scene's arrays.
    pub ranges: Vec<Range<usize>>,
    /// The fine surface that each copy carries.
    pub fine: Option<FineSurface>,
}

/// Bodies, their state and their internal forces.
#[derive(Debug)]
pub struct SceneBodies {
    /// One for each entry of `bodies`.
    pub groups: Vec<Group>,
    /// Connectivity of all bodies.
    pub bodies: Arc<Bodies>,
    /// All vertices, scaled but each body in its own space, m.
    pub rest: Vec<Vec3>,
    /// At the start.
    pub state: State,
    /// Where rigid bodies were when they were added.
    pub rigid_starts: Vec<RigidState>,
    /// Masses, pins, gravity, materials, loads, drag.
    pub system: System,
    /// One for each body.
    pub infos: Arc<Vec<BodyInfo>>,
}

/// Adds all bodies to a world; sizes above the limits are refused before anything is made.
pub fn add(
    scene: &spec::Scene,
    folder: Folder<'_>,
    world: &mut World,
    notices: &mut Vec<String>,
) -> Result<Vec<Group>, BuildError> {
    if scene.bodies.is_empty() {
        let wrong = BuildError::value("bodies", "the scene is empty: it has no bodies");
        return Err(wrong.with_help("add a table [[bodies]] with name, mesh and material"));
    }
    check_names(&scene.bodies)?;
    check_sizes(&scene.bodies)?;
    let (mut groups, mut totals, mut first) = (Vec::new(), [0.0; 2], 0);
    for (index, body) in scene.bodies.iter().enumerate() {
        let path = format!("bodies.{index}");
        let reported = notices.len();
        let rest = shape::make(&body.mesh, folder, &format!("{path}.mesh"), notices);
        let rest = rest.map_err(|wrong| rigid::refused(body, wrong))?;
        // One scene has many meshes.
        notices[reported..].iter_mut().for_each(|note| *note = format!("`{}`: {note}", body.name));
        let rest = match body.extract {
            Extract::Mesh => rest,
            Extract::Points => rest.into_points(),
            Extract::Outline => outline::shadow(rest, &format!("{path}.extract"))?,
        };
        let fine = carried::make(body, &rest, folder, &path, notices)?;
        let count = pattern::count(body.pattern.as_ref());
        totals[0] += count * rest.tet_count() as f64;
        let fine_vertices = fine.as_ref().map_or(0, |fine| fine.embedding.carriers.len());
        totals[1] += count * (rest.positions.len() + fine_vertices) as f64;
        check_totals(totals, &format!("{path}.mesh"))?;
        inertia::check(body, &rest, scene.dt, &path, notices)?;
        let mut group = add_copies(scene, index, Arc::new(rest), world, first)?;
        group.fine = fine;
        first = group.ranges.last().map_or(first, |range| range.end);
        groups.push(group);
    }
    Ok(groups)
}

fn check_names(bodies: &[Body]) -> Result<(), BuildError> {
    let mut names = BTreeSet::new();
    for (index, body) in bodies.iter().enumerate() {
        let path = format!("bodies.{index}.name");
        if body.name.is_empty() {
            return Err(BuildError::new(DiagnosticKind::Name, path, "a body has an empty name"));
        }
        if !names.insert(body.name.clone()) {
            let message = format!("two bodies are called `{}`", body.name);
            return Err(BuildError::new(DiagnosticKind::Name, path, message));
        }
    }
    // What a pattern makes must not meet a name that is given.
    for (index, body) in bodies.iter().enumerate().filter(|(_, body)| body.pattern.is_some()) {
        let (start, made) = (format!("{}-", body.name), pattern::count(body.pattern.as_ref()));
        let near = names.range(start.clone()..).take_while(|name| name.starts_with(&start));
        let mut numbered = near.map(|name| (name, name[start.len()..].parse::<u32>()));
        let clash = numbered
            .find(|(_, number)| number.as_ref().is_ok_and(|number| f64::from(*number) < made));
        if let Some((name, _)) = clash {
            let message = format!("two bodies are called `{name}`: the pattern makes one");
            return Err(BuildError::new(
                DiagnosticKind::Name,
                format!("bodies.{index}.name"),
                message,
            ));
        }
    }
    Ok(())
}

/// Adds up the sizes of generated meshes, before any is made.
fn check_sizes(bodies: &[Body]) -> Result<(), BuildError> {
    let (mut totals, mut count) = ([0.0; 2], 0.0);
    for (index, body) in bodies.iter().enumerate() {
        let (copies, size) = (pattern::count(body.pattern.as_ref()), shape::size(&body.mesh));
        totals = [totals[0] + copies * size[0], totals[1] + copies * size[1]];
        count += copies;
        if count > MOST_BODIES {
            let message = format!("the scene has {count} bodies: at most {MOST_BODIES}");
            return Err(BuildError::new(
                DiagnosticKind::TooLarge,
                format!("bodies.{index}.pattern"),
                message,
            ));
        }
        let key = shape::count_key(&body.mesh);
        check_totals(totals, &format!("bodies.{index}.mesh.{key}"))?;
    }
    Ok(())
}

/// Refuses a place so far away that positions there cannot resolve the shape.
fn check_place(body: &Body, radius: f64, path: &str) -> Result<(), BuildError> {
    let far = vector(body.position).abs().max_element();
    let step = far * f64::EPSILON;
    if radius > 0.0 && step > RESOLVED * radius {
        let message = format!(
            "`{}` has a radius of {radius:e} m, and positions {far:e} m from the origin have steps \
             of {step:.0e} m",
            body.name
        );
        return Err(BuildError::value(format!("{path}.position"), message)
            .with_help("move the scene nearer to the origin"));
    }
    Ok(())
}

fn check_totals(totals: [f64; 2], path: &str) -> Result<(), BuildError> {
    let limits = [("tets", MOST_TETS), ("vertices", MOST_VERTICES)];
    for (total, (what, most)) in totals.into_iter().zip(limits) {
        if total > most {
            let message = format!("the scene has {total} {what}: at most {most}");
            return Err(BuildError::new(DiagnosticKind::TooLarge, path, message));
        }
    }
    Ok(())
}

/// Adds all copies of one entry; its vertices come after `first` others.
fn add_copies(
    scene: &spec::Scene,
    index: usize,
    rest: Arc<RestShape>,
    world: &mut World,
    first: usize,
) -> Result<Group, BuildError> {
    let (body, path) = (&scene.bodies[index], format!("bodies.{index}"));
    let scale = match body.scale {
        Scale::Even(factor) => Vec3::splat(factor),
        Scale::PerAxis(factors) => vector(factors),
    };
    if scale.min_element() <= 0.0 {
        let message = format!("the scale is {scale}: it must be positive");
        return Err(BuildError::value(format!("{path}.scale"), message));
    }
    let scaled: Vec<Vec3> = rest.positions.iter().map(|p| scale * *p).collect();
    let masses = material::masses(body, &rest, &scaled, &path)?;
    let radius = scaled.iter().map(|p| p.length()).fold(0.0, f64::max);
    check_place(body, radius, &path)?;
    let pattern_path = format!("{path}.pattern");
    let copies = pattern::make(body.pattern.as_ref(), radius, scene.seed, index, &pattern_path)?;
    let common = Common {
        body,
        mesh: Arc::new(mesh(&rest)),
        scaled: Arc::new(scaled),
        masses,
        pins: external_loads::pins(body, &rest, &path)?,
        material: SoftMaterial::Custom(Arc::new(SceneMaterial {
            body: body.clone(),
            rest: rest.clone(),
            path: path.clone(),
        })),
        rest: &rest,
        path,
    };
    let (mut handles, mut ranges) = (Vec::new(), Vec::new());
    let is_flat = outline::is_outline(body);
    for copy in copies {
        let copy = if is_flat { copy.in_plane() } else { copy };
        let handle = world.add(common.model(copy)?);
        handles.push(handle.map_err(|error| from_world_at(&common.path, error))?);
        let start = ranges.last().map_or(first, |range: &Range<usize>| range.end);
        ranges.push(start..start + common.scaled.len());
    }
    Ok(Group { rest, handles, ranges, fine: None })
}

/// What all copies of an entry have in common.
struct Common<'a> {
    body: &'a Body,
    rest: &'a RestShape,
    mesh: Arc<BodyMesh>,
    /// Its shape, scaled, m.
    scaled: Arc<Vec<Vec3>>,
    masses: Vec<f64>,
    pins: external_loads::Pinned,
    material: SoftMaterial,
    path: String,
}

impl Common<'_> {
    /// One copy in its place.
    fn model(&self, Copy { shift, turn }: Copy) -> Result<BodyModel, BuildError> {
        let Common { body, masses, .. } = self;
        let (turn, origin): (Quat, Vec3) =
            (rotation(body.rotation) * turn, vector(body.position) + shift);
        let start: Vec<Vec3> = self.scaled.iter().map(|p| origin + turn * *p).collect();
        let weighed = start.iter().zip(masses).map(|(p, m)| *m * *p).sum::<Vec3>();
        let centre = weighed / masses.iter().sum::<f64>();
        let (velocity, spin) = (vector(body.velocity), vector(body.spin));
        let velocities = start.iter().map(|p| velocity + spin.cross(*p - centre)).collect();
        let kind = match body.material {
            Material::Fixed {} => BodyModelKind::Fixed,
            Material::Rigid { density } => {
                let at = Pose { position: origin, rotation: turn };
                let part = rigid::part(body, self.rest, &start, density, at);
                BodyModelKind::Rigid(part.map_err(|error| rigid::unfit(body, &error, &self.path))?)
            }
            _ => BodyModelKind::Soft(self.material.clone()),
        };
        let pinned = |(vertices, motion): &(Vec<VertexId>, Option<Keyframes>)| Pinning {
            vertices: vertices.iter().map(|v| (*v, start[v.index()])).collect(),
            path: motion.clone().map(|motion| PinPath { motion, pivot: origin }),
        };
        Ok(BodyModel {
            mesh: self.mesh.clone(),
            rest: self.scaled.clone(),
            kind,
            pins: self.pins.iter().map(pinned).collect(),
            start,
            velocities,
            masses: masses.clone(),
            surface: SurfaceRule::default(),
            contact_mesh: None,
        })
    }
}

/// The shape as a world takes it.
fn mesh(rest: &RestShape) -> BodyMesh {
    let positions = rest.positions.clone();
    match &rest.geometry {
        Geometry::Tets(mesh) => BodyMesh::Tets(mesh.clone()),
        Geometry::Surface(mesh) => BodyMesh::Surface(mesh.clone()),
        Geometry::SpringNetwork => BodyMesh::SpringNetwork(SpringNetwork {
            positions,
            edges: rest.edges.iter().map(|(edge, _)| *edge).collect(),
            triangles: rest.triangles.clone(),
            ..SpringNetwork::default()
        }),
        Geometry::Particles => BodyMesh::Particles(positions),
        Geometry::Outline { rings, .. } => {
            BodyMesh::Outline(OutlineMesh { positions, rings: rings.clone() })
        }
    }
}

/// What is known of each body before the first step.
pub fn infos(scene: &spec::Scene, groups: &[Group]) -> Vec<BodyInfo> {
    let mut infos = Vec::new();
    let mut next_fine = groups.iter().flat_map(|group| &group.ranges).map(|range| range.end).max();
    for (body, Group { rest, ranges, fine, .. }) in scene.bodies.iter().zip(groups) {
        for (copy, vertices) in ranges.iter().enumerate() {
            let name = match body.pattern {
                Some(_) => format!("{}-{copy}", body.name),
                None => body.name.clone(),
            };
            let kind = match rest.geometry {
                Geometry::Tets(_) => "tets",
                Geometry::Surface(_) => "surface",
                Geometry::SpringNetwork => "spring-network",
                Geometry::Particles => "particles",
                Geometry::Outline { .. } => "outline",
            };
            let first = vertices.start as u32;
            let triangles: Vec<_> = match fine {
                None => rest.triangles.iter().map(|t| t.map(|v| first + v.0)).collect(),
                Some(fine) => fine.numbered(next_fine.get_or_insert(0)),
            };
            let (kind, vertices) = (kind.to_owned(), vertices.clone());
            let tets = rest.tet_count();
            let rings: Vec<Vec<u32>> = match &rest.geometry {
                Geometry::Outline { rings, .. } => {
                    rings.iter().map(|ring| ring.iter().map(|v| first + v.0).collect()).collect()
                }
                _ => Vec::new(),
            };
            let lines = rest.edges.iter().filter(|_| rest.triangles.is_empty() && rings.is_empty());
            let edges = lines.map(|(edge, _)| edge.map(|v| first + v.0)).collect();
            let held = false; // set later, with the obstacles known
            infos.push(BodyInfo { name, kind, vertices, tets, triangles, rings, edges, held });
        }
    }
    infos
}
