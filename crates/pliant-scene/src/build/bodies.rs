//! All bodies of a scene in one state, with masses and inner forces.

use pliant_io::files::Folder;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use pliant::body::soft::{BodyOffsets, Masses, State};
use pliant::body::{Bodies, Mesh};
use pliant::force::gravity::Gravity;
use pliant::id::{BodyId, VertexId};
use pliant::integrate::System;
use pliant::math::{Quat, Vec3};

use super::copies::{self, Copy, MOST_BODIES};
use super::rest::{self, MOST_TETS, MOST_VERTICES, Rest, Stuff};
use super::{Wrong, hold, material, outline, rigid, rotation, vector};
use crate::built::BodyInfo;
use crate::fault::FaultKind;
use crate::keys::body::{Scale, Take};
use crate::keys::{self, Body, Material};

/// All copies of one entry of `bodies`.
#[derive(Debug)]
pub struct Group {
    /// Their common shape.
    pub rest: Rest,
    /// Vertices of each copy in the scene's arrays.
    pub ranges: Vec<Range<usize>>,
    /// Where the origin of each copy went, m.
    pub origins: Vec<Vec3>,
}

/// Bodies, their state and what acts within them.
#[derive(Debug)]
pub struct Made {
    /// One for each entry of `bodies`.
    pub groups: Vec<Group>,
    /// Who is joined to whom.
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

/// Makes all bodies; what is too much is refused before it is made.
pub fn make(
    scene: &keys::Scene,
    folder: Folder<'_>,
    notices: &mut Vec<String>,
) -> Result<Made, Wrong> {
    if scene.bodies.is_empty() {
        let wrong = Wrong::value("bodies", "the scene is empty: it has no bodies");
        return Err(wrong.with_help("add a table [[bodies]] with name, mesh and material"));
    }
    check_names(&scene.bodies)?;
    check_sizes(&scene.bodies)?;
    let mut all = Arrays::default();
    let mut groups = Vec::new();
    let mut totals = [0.0; 2];
    for (index, body) in scene.bodies.iter().enumerate() {
        let path = format!("bodies.{index}");
        let told = notices.len();
        let rest = rest::make(&body.mesh, folder, &format!("{path}.mesh"), notices);
        let rest = rest.map_err(|wrong| rigid::refused(body, wrong))?;
        // One scene has many meshes.
        notices[told..].iter_mut().for_each(|note| *note = format!("`{}`: {note}", body.name));
        let rest = match body.take {
            Take::Mesh => rest,
            Take::Points => rest.into_points(),
            Take::Outline => outline::shadow(rest, &format!("{path}.take"))?,
        };
        let count = copies::count(body.pattern.as_ref());
        totals[0] += count * rest.tet_count() as f64;
        totals[1] += count * rest.positions.len() as f64;
        check_totals(totals, &format!("{path}.mesh"))?;
        groups.push(all.add(scene, index, rest)?);
    }
    let infos = infos(scene, &groups);
    let bodies = Arc::new(topology(&groups)?);
    let mut system = system(scene, &groups, &all)?;
    let mut state =
        State { positions: all.positions, velocities: all.velocities, ..State::default() };
    // Held vertices start as they are held.
    system.pins.hold(0.0, &mut state.positions, &mut state.velocities);
    rigid::add(scene, &groups, &mut system, &mut state)?;
    hold::push_bowl(scene, &groups, &mut system)?;
    Ok(Made { groups, bodies, rest: all.rest, state, system, infos })
}

fn check_names(bodies: &[Body]) -> Result<(), Wrong> {
    let mut names = BTreeSet::new();
    for (index, body) in bodies.iter().enumerate() {
        let path = format!("bodies.{index}.name");
        if body.name.is_empty() {
            return Err(Wrong::new(FaultKind::Name, path, "a body has an empty name"));
        }
        if !names.insert(body.name.clone()) {
            let message = format!("two bodies are called `{}`", body.name);
            return Err(Wrong::new(FaultKind::Name, path, message));
        }
    }
    // What a pattern makes must not meet a name that is given.
    for (index, body) in bodies.iter().enumerate() {
        let clash = names.iter().find(|name| {
            let number = name.strip_prefix(&*body.name).and_then(|rest| rest.strip_prefix('-'));
            let number = number.and_then(|digits| digits.parse::<u32>().ok());
            let made = copies::count(body.pattern.as_ref());
            body.pattern.is_some() && number.is_some_and(|number| f64::from(number) < made)
        });
        if let Some(name) = clash {
            let message = format!("two bodies are called `{name}`: the pattern makes one");
            return Err(Wrong::new(FaultKind::Name, format!("bodies.{index}.name"), message));
        }
    }
    Ok(())
}

/// Adds up what generated meshes will take, before any is made.
fn check_sizes(bodies: &[Body]) -> Result<(), Wrong> {
    let (mut totals, mut count) = ([0.0; 2], 0.0);
    for (index, body) in bodies.iter().enumerate() {
        let (copies, size) = (copies::count(body.pattern.as_ref()), rest::size(&body.mesh));
        totals = [totals[0] + copies * size[0], totals[1] + copies * size[1]];
        count += copies;
        if count > MOST_BODIES {
            let message = format!("the scene has {count} bodies: at most {MOST_BODIES}");
            return Err(Wrong::new(
                FaultKind::TooLarge,
                format!("bodies.{index}.pattern"),
                message,
            ));
        }
        check_totals(totals, &format!("bodies.{index}.mesh"))?;
    }
    Ok(())
}

fn check_totals(totals: [f64; 2], path: &str) -> Result<(), Wrong> {
    let limits = [("tets", MOST_TETS), ("vertices", MOST_VERTICES)];
    for (total, (what, most)) in totals.into_iter().zip(limits) {
        if total > most {
            let message = format!("the scene has {total} {what}: at most {most}");
            return Err(Wrong::new(FaultKind::TooLarge, path, message));
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
    fn add(&mut self, scene: &keys::Scene, index: usize, rest: Rest) -> Result<Group, Wrong> {
        let (body, path) = (&scene.bodies[index], format!("bodies.{index}"));
        let scale = match body.scale {
            Scale::Even(factor) => Vec3::splat(factor),
            Scale::PerAxis(factors) => vector(factors),
        };
        if scale.min_element() <= 0.0 {
            let message = format!("the scale is {scale}: it must be positive");
            return Err(Wrong::value(format!("{path}.scale"), message));
        }
        let scaled: Vec<Vec3> = rest.positions.iter().map(|p| scale * *p).collect();
        let masses = material::masses(body, &rest, &scaled, &path)?;
        let radius = scaled.iter().map(|p| p.length()).fold(0.0, f64::max);
        let seeds = (scene.seed, index);
        let path = format!("{path}.pattern");
        let copies = copies::make(body.pattern.as_ref(), radius, seeds, &path)?;
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

fn topology(groups: &[Group]) -> Result<Bodies, Wrong> {
    let edges: Vec<Vec<[VertexId; 2]>> =
        groups.iter().map(|g| g.rest.edges.iter().map(|(edge, _)| *edge).collect()).collect();
    let mut meshes = Vec::new();
    for (group, edges) in groups.iter().zip(&edges) {
        let mesh = match &group.rest.stuff {
            Stuff::Tets(mesh) => Mesh::Tets(mesh),
            Stuff::Surface(mesh) => Mesh::Surface(mesh),
            Stuff::SpringNetwork => Mesh::SpringNetwork(group.rest.positions.len(), edges),
            Stuff::Particles => Mesh::Particles(group.rest.positions.len()),
            Stuff::Outline { rings, .. } => Mesh::Outline(group.rest.positions.len(), rings),
        };
        meshes.extend(group.ranges.iter().map(|_| mesh));
    }
    Bodies::from_meshes(&meshes).map_err(|error| Wrong::value("bodies", error))
}

fn system(scene: &keys::Scene, groups: &[Group], all: &Arrays) -> Result<System, Wrong> {
    let masses = Masses::new(all.masses.clone()).map_err(|error| Wrong::value("bodies", error))?;
    let counts = groups.iter().flat_map(|group| group.ranges.iter().map(|range| range.len()));
    let bodies = BodyOffsets::from_counts(counts);
    let fixed = fixed(scene, groups);
    let mut system = System { masses, bodies, fixed, ..System::default() };
    let gravity = vector(scene.gravity);
    if gravity != Vec3::ZERO {
        system.forces.push(Gravity::new(gravity, system.masses.of()));
    }
    for (index, (body, group)) in scene.bodies.iter().zip(groups).enumerate() {
        let path = format!("bodies.{index}");
        material::push_forces(body, group, &all.positions, &path, &mut system.forces)?;
        hold::pin(body, group, &all.positions, &path, &mut system.pins)?;
    }
    hold::push_loads(scene, groups, &mut system)?;
    hold::push_drag(scene, &mut system)?;
    Ok(system)
}

fn infos(scene: &keys::Scene, groups: &[Group]) -> Vec<BodyInfo> {
    let mut infos = Vec::new();
    for (body, Group { rest, ranges, .. }) in scene.bodies.iter().zip(groups) {
        for (copy, vertices) in ranges.iter().enumerate() {
            let name = match body.pattern {
                Some(_) => format!("{}-{copy}", body.name),
                None => body.name.clone(),
            };
            let kind = match rest.stuff {
                Stuff::Tets(_) => "tets",
                Stuff::Surface(_) => "surface",
                Stuff::SpringNetwork => "net",
                Stuff::Particles => "cloud",
                Stuff::Outline { .. } => "outline",
            };
            let first = vertices.start as u32;
            let triangles: Vec<_> = rest.triangles.iter().map(|t| t.map(|v| first + v.0)).collect();
            let (kind, vertices) = (kind.to_owned(), vertices.clone());
            let tets = rest.tet_count();
            let rings: Vec<Vec<u32>> = match &rest.stuff {
                Stuff::Outline { rings, .. } => {
                    rings.iter().map(|ring| ring.iter().map(|v| first + v.0).collect()).collect()
                }
                _ => Vec::new(),
            };
            let lines = rest.edges.iter().filter(|_| rest.triangles.is_empty() && rings.is_empty());
            let edges = lines.map(|(edge, _)| edge.map(|v| first + v.0)).collect();
            let held = false; // told later, with the obstacles at hand
            infos.push(BodyInfo { name, kind, vertices, tets, triangles, rings, edges, held });
        }
    }
    infos
}

/// Bodies that never move, in the scene's numbers.
fn fixed(scene: &keys::Scene, groups: &[Group]) -> Vec<BodyId> {
    let entries = scene.bodies.iter().zip(groups);
    let each = entries.flat_map(|(body, group)| {
        group.ranges.iter().map(|_| matches!(body.material, Material::Fixed {}))
    });
    each.zip(0..).filter(|(fixed, _)| *fixed).map(|(_, number)| BodyId(number)).collect()
}
