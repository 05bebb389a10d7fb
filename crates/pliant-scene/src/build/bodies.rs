//! All bodies of a scene in one state, with masses and inner forces.

use pliant_io::files::Folder;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use pliant::body::soft::{Masses, State};
use pliant::body::{Bodies, Mesh};
use pliant::force::gravity::Gravity;
use pliant::id::{BodyId, VertexId};
use pliant::integrate::System;
use pliant::math::{Quat, Vec3};

use super::pattern::{self, Copy, MOST_BODIES};
use super::shape::{self, Geometry, MOST_TETS, MOST_VERTICES, RestShape};
use super::{BuildError, external_loads, inertia, material, outline, rigid, rotation, vector};
use crate::diagnostic::DiagnosticKind;
use crate::loaded::BodyInfo;
use crate::spec::body::{Extract, Scale};
use crate::spec::{self, Body, Material};

/// Steps of positions that a shape bears, relative to its radius.
const RESOLVED: f64 = 1e-4;

/// All copies of one entry of `bodies`.
#[derive(Debug)]
pub struct Group {
    /// Their common shape.
    pub rest: RestShape,
    /// Vertices of each copy in the scene's arrays.
    pub ranges: Vec<Range<usize>>,
    /// Where the origin of each copy went, m.
    pub origins: Vec<Vec3>,
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
    /// Masses, pins, gravity, materials, loads, drag.
    pub system: System,
    /// One for each body.
    pub infos: Vec<BodyInfo>,
}

/// Makes all bodies; sizes above the limits are refused before anything is made.
pub fn make(
    scene: &spec::Scene,
    folder: Folder<'_>,
    notices: &mut Vec<String>,
) -> Result<SceneBodies, BuildError> {
    if scene.bodies.is_empty() {
        let wrong = BuildError::value("bodies", "the scene is empty: it has no bodies");
        return Err(wrong.with_help("add a table [[bodies]] with name, mesh and material"));
    }
    check_names(&scene.bodies)?;
    check_sizes(&scene.bodies)?;
    let mut all = Arrays::default();
    let mut groups = Vec::new();
    let mut totals = [0.0; 2];
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
        let count = pattern::count(body.pattern.as_ref());
        totals[0] += count * rest.tet_count() as f64;
        totals[1] += count * rest.positions.len() as f64;
        check_totals(totals, &format!("{path}.mesh"))?;
        inertia::check(body, &rest, scene.dt, &path, notices)?;
        groups.push(all.add(scene, index, rest)?);
    }
    let infos = infos(scene, &groups);
    let bodies = Arc::new(topology(&groups)?);
    let mut system = system(scene, &groups, &all)?;
    system.bodies = bodies.clone();
    let mut state =
        State { positions: all.positions, velocities: all.velocities, ..State::default() };
    // Held vertices start as they are held.
    system.pins.hold(0.0, &mut state.positions, &mut state.velocities);
    rigid::add(scene, &groups, &mut system, &mut state)?;
    external_loads::push_attractor(scene, &groups, &mut system)?;
    Ok(SceneBodies { groups, bodies, rest: all.rest, state, system, infos })
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

/// What all bodies have in common arrays.
#[derive(Debug, Default)]
struct Arrays {
    rest: Vec<Vec3>,
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    masses: Vec<f64>,
}

impl Arrays {
    /// Appends all copies of one entry.
    fn add(
        &mut self,
        scene: &spec::Scene,
        index: usize,
        rest: RestShape,
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
        let path = format!("{path}.pattern");
        let copies = pattern::make(body.pattern.as_ref(), radius, scene.seed, index, &path)?;
        let (mut ranges, mut origins) = (Vec::new(), Vec::new());
        let is_flat = outline::is_outline(body);
        for copy in copies {
            let Copy { shift, turn } = if is_flat { copy.in_plane() } else { copy };
            let (turn, origin): (Quat, Vec3) =
                (rotation(body.rotation) * turn, vector(body.position) + shift);
            let start = self.positions.len();
            self.positions.extend(scaled.iter().map(|p| origin + turn * *p));
            self.rest.extend(&scaled);
            self.masses.extend(&masses);
            let placed = &self.positions[start..];
            let weighed = placed.iter().zip(&masses).map(|(p, m)| *m * *p).sum::<Vec3>();
            let centre = weighed / masses.iter().sum::<f64>();
            let (velocity, spin) = (vector(body.velocity), vector(body.spin));
            let speeds = placed.iter().map(|p| velocity + spin.cross(*p - centre));
            self.velocities.extend(speeds);
            ranges.push(start..self.positions.len());
            origins.push(origin);
        }
        Ok(Group { rest, ranges, origins })
    }
}

fn topology(groups: &[Group]) -> Result<Bodies, BuildError> {
    let edges: Vec<Vec<[VertexId; 2]>> =
        groups.iter().map(|g| g.rest.edges.iter().map(|(edge, _)| *edge).collect()).collect();
    let mut meshes = Vec::new();
    for (group, edges) in groups.iter().zip(&edges) {
        let mesh = match &group.rest.geometry {
            Geometry::Tets(mesh) => Mesh::Tets(mesh),
            Geometry::Surface(mesh) => Mesh::Surface(mesh),
            Geometry::SpringNetwork => Mesh::SpringNetwork(group.rest.positions.len(), edges),
            Geometry::Particles => Mesh::Particles(group.rest.positions.len()),
            Geometry::Outline { rings, .. } => Mesh::Outline(group.rest.positions.len(), rings),
        };
        meshes.extend(group.ranges.iter().map(|_| mesh));
    }
    Bodies::from_meshes(&meshes).map_err(|error| BuildError::value("bodies", error))
}

fn system(scene: &spec::Scene, groups: &[Group], all: &Arrays) -> Result<System, BuildError> {
    let masses =
        Masses::new(all.masses.clone()).map_err(|error| BuildError::value("bodies", error))?;
    let fixed = fixed(scene, groups);
    let mut system = System { masses, fixed, ..System::default() };
    let gravity = vector(scene.gravity);
    if gravity != Vec3::ZERO {
        system.forces.push(Gravity::new(gravity, system.masses.of()));
    }
    for (index, (body, group)) in scene.bodies.iter().zip(groups).enumerate() {
        let path = format!("bodies.{index}");
        material::push_forces(body, group, &all.positions, &path, &mut system.forces)?;
        external_loads::pin(body, group, &all.positions, &path, &mut system.pins)?;
    }
    external_loads::push_loads(scene, groups, &mut system)?;
    external_loads::push_drag(scene, &mut system)?;
    Ok(system)
}

fn infos(scene: &spec::Scene, groups: &[Group]) -> Vec<BodyInfo> {
    let mut infos = Vec::new();
    for (body, Group { rest, ranges, .. }) in scene.bodies.iter().zip(groups) {
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
            let triangles: Vec<_> = rest.triangles.iter().map(|t| t.map(|v| first + v.0)).collect();
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

/// Bodies that never move, in the scene's numbers.
fn fixed(scene: &spec::Scene, groups: &[Group]) -> Vec<BodyId> {
    let entries = scene.bodies.iter().zip(groups);
    let each = entries.flat_map(|(body, group)| {
        group.ranges.iter().map(|_| matches!(body.material, Material::Fixed {}))
    });
    each.zip(0..).filter(|(fixed, _)| *fixed).map(|(_, number)| BodyId(number)).collect()
}
