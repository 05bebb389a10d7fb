//! Obstacles and what touching them does.

use pliant_io::files::Folder;
use std::collections::BTreeSet;

use pliant::body::keyframes::{Keyframes, Pose};
use pliant::body::obstacle::{
    Combined, Cuboid, Grid, GridSettings, Obstacle, ObstacleError, Part, Plane, Revolved,
    SdfAccuracy, Shape, SurfaceMaterial,
};
use pliant::contact::response::Stiffness;
use pliant::id::VertexId;
use pliant::math::{Mat3, Vec3};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use pliant_papers::barrier::{Barrier, BarrierSettings};
use pliant_papers::penalty::{Penalty, PenaltySettings};

use super::bodies::Made;
use super::rest::{self, MOST_TETS, Rest, Stuff};
use super::skin::{self, Sheet};
use super::{Wrong, contact, hold, rotation, vector};
use crate::built::Skin;
use crate::fault::FaultKind;
use crate::keys::obstacle::{self as key, ObstacleResponse};
use crate::keys::{self, IntegratorKind, Response};

/// Obstacles sorted by what they do.
#[derive(Debug, Default)]
pub struct Obstacles {
    /// Met after each step.
    pub impulsive: Vec<Obstacle>,
    /// Contacts solved together with the materials.
    pub solved: Vec<Obstacle>,
    /// Rules for the integrator.
    pub ruled: Vec<Obstacle>,
    /// Whether forces or rules push, which tell no impulses.
    pub pushes: bool,
    /// All of them, to measure by.
    pub all: Vec<Obstacle>,
    /// For pictures.
    pub skins: Vec<Skin>,
}

/// Makes all obstacles; penalties and barriers go to the forces.
pub fn make(
    scene: &keys::Scene,
    folder: Folder<'_>,
    made: &mut Made,
    notices: &mut Vec<String>,
) -> Result<Obstacles, Wrong> {
    let mut all = Obstacles::default();
    let mut names = BTreeSet::new();
    let extent = skin::extent(&made.state.positions);
    for (index, key) in scene.obstacles.iter().enumerate() {
        let path = format!("obstacles.{index}");
        if !names.insert(&key.name) {
            let message = format!("two obstacles are called `{}`", key.name);
            return Err(Wrong::new(FaultKind::Name, format!("{path}.name"), message));
        }
        let motion = motion(key, &path)?;
        let (shape, sheet) =
            shape(&key.shape, &mut Context { folder, notices, extent }, &format!("{path}.shape"))?;
        all.skins.push(skin::place(&key.name, &sheet, &motion, &key.keyframes));
        let touch = SurfaceMaterial { friction: key.friction, restitution: key.restitution };
        let obstacle = Obstacle::new(Boxed(shape), motion, touch)
            .map_err(|error| Wrong::value(&*path, error))?;
        all.all.push(obstacle.clone());
        respond(&mut all, scene, key, obstacle, made, &path)?;
    }
    Ok(all)
}

/// A shape that is known by its trait alone.
#[derive(Debug)]
struct Boxed(Box<dyn Shape>);

impl Shape for Boxed {
    fn distance(&self, point: Vec3) -> f64 {
        self.0.distance(point)
    }

    fn gradient(&self, point: Vec3) -> Vec3 {
        self.0.gradient(point)
    }

    fn hessian(&self, point: Vec3) -> Mat3 {
        self.0.hessian(point)
    }

    fn accuracy(&self) -> SdfAccuracy {
        self.0.accuracy()
    }

    fn lipschitz(&self) -> f64 {
        self.0.lipschitz()
    }

    fn normal(&self, point: Vec3) -> Option<Vec3> {
        self.0.normal(point)
    }
}

fn motion(key: &keys::Obstacle, path: &str) -> Result<Keyframes, Wrong> {
    if !key.keyframes.is_empty() {
        if key.position != [0.0; 3] || key.rotation != [0.0; 3] {
            let message = "`keyframes` say where it is: leave `position` and `rotation` out";
            return Err(Wrong::value(format!("{path}.keyframes"), message));
        }
        return hold::keyframes(&key.keyframes, &format!("{path}.keyframes"));
    }
    Keyframes::still(pose(key.position, key.rotation)).map_err(|error| Wrong::value(path, error))
}

fn pose(position: [f64; 3], turn: [f64; 3]) -> Pose {
    Pose { position: vector(position), rotation: rotation(turn) }
}

/// What shapes are made with.
struct Context<'a> {
    /// Of the scene file.
    folder: Folder<'a>,
    notices: &'a mut Vec<String>,
    /// How large endless shapes are shown, m.
    extent: f64,
}

/// A shape, and its surface for pictures.
fn shape(
    key: &key::Shape,
    context: &mut Context<'_>,
    path: &str,
) -> Result<(Box<dyn Shape>, Sheet), Wrong> {
    let extent = context.extent;
    let wrong = |error: ObstacleError| Wrong::value(path, error);
    let round = |made: Result<Revolved, ObstacleError>, sheet: Sheet| match made {
        Ok(round) => Ok((Box::new(round) as Box<dyn Shape>, sheet)),
        Err(error) => Err(wrong(error)),
    };
    match key {
        key::Shape::Plane {} => Ok((Box::new(Plane), skin::plane(extent))),
        key::Shape::Box { size } => {
            let cuboid = Cuboid::new(vector(*size)).map_err(wrong)?;
            Ok((Box::new(cuboid), skin::cuboid(vector(*size))))
        }
        key::Shape::Sphere { radius } => {
            round(Revolved::sphere(*radius), skin::capsule(*radius, 0.0))
        }
        key::Shape::Cylinder { radius, length: None } => {
            round(Revolved::cylinder(*radius), skin::cylinder(*radius, extent))
        }
        key::Shape::Cylinder { radius, length: Some(length) } => {
            round(Revolved::finite_cylinder(*radius, *length), skin::cylinder(*radius, *length))
        }
        key::Shape::Capsule { radius, length } => {
            round(Revolved::capsule(*radius, *length), skin::capsule(*radius, *length))
        }
        key::Shape::Torus { major, minor } => {
            round(Revolved::torus(*major, *minor), skin::torus(*major, *minor))
        }
        key::Shape::Mesh { mesh, spacing, margin } => {
            let surface = surface(mesh, context, &format!("{path}.mesh"))?;
            let settings = GridSettings { spacing: *spacing, margin: *margin };
            let grid = Grid::new(&surface, settings).map_err(wrong)?;
            Ok((Box::new(grid), skin::of_surface(&surface)))
        }
        key::Shape::Union { parts } => {
            let (parts, sheets) = combine(parts, context, path)?;
            let sheet = skin::union(&sheets);
            Ok((Box::new(Combined::union(parts).map_err(wrong)?), sheet))
        }
        key::Shape::Intersection { parts } => {
            let (parts, sheets) = combine(parts, context, path)?;
            let whole = Combined::intersection(parts).map_err(wrong)?;
            let sheet = skin::within(&sheets, &whole);
            Ok((Box::new(whole), sheet))
        }
    }
}

/// Surfaces with their places in a larger shape.
type Placed = Vec<(Pose, Sheet)>;

fn combine(
    keys: &[key::Part],
    context: &mut Context<'_>,
    path: &str,
) -> Result<(Vec<Part>, Placed), Wrong> {
    let (mut parts, mut sheets) = (Vec::new(), Vec::new());
    for (k, key) in keys.iter().enumerate() {
        let (shape, sheet) = shape(&key.shape, context, &format!("{path}.parts.{k}.shape"))?;
        let pose = pose(key.position, key.rotation);
        parts.push(Part::new(Boxed(shape), pose));
        sheets.push((pose, sheet));
    }
    Ok((parts, sheets))
}

/// The closed surface of a mesh.
fn surface(mesh: &keys::Mesh, context: &mut Context<'_>, path: &str) -> Result<Surface, Wrong> {
    let [tets, vertices] = rest::size(mesh);
    if tets.max(vertices) > MOST_TETS {
        let message = format!("the mesh has {} cells: at most {MOST_TETS}", tets.max(vertices));
        return Err(Wrong::new(FaultKind::TooLarge, path, message));
    }
    let Rest { stuff, positions, triangles, .. } =
        rest::make(mesh, context.folder, path, context.notices)?;
    match stuff {
        Stuff::Surface(surface) => Ok(surface),
        Stuff::Tets(_) => {
            let raw = RawMesh { positions, triangles, ..RawMesh::default() };
            let made = Surface::from_raw(raw);
            made.map(|(surface, _)| surface).map_err(|e| Wrong::new(FaultKind::Mesh, path, e))
        }
        Stuff::SpringNetwork | Stuff::Particles | Stuff::Outline { .. } => {
            Err(Wrong::value(path, "a net has no inside: an obstacle needs one"))
        }
    }
}

/// Whether contacts with an obstacle are solved together with the materials.
fn is_solved(scene: &keys::Scene, key: &keys::Obstacle) -> bool {
    let constraint = matches!(key.response, Some(ObstacleResponse::Constraint {}));
    constraint && contact::chosen(scene) == Response::Constraint
}

/// Puts an obstacle where its response wants it.
fn respond(
    all: &mut Obstacles,
    scene: &keys::Scene,
    key: &keys::Obstacle,
    obstacle: Obstacle,
    made: &mut Made,
    path: &str,
) -> Result<(), Wrong> {
    let path = format!("{path}.response");
    let vertices: Vec<VertexId> = (0..made.state.positions.len() as u32).map(VertexId).collect();
    if is_solved(scene, key) {
        all.solved.push(obstacle);
        return Ok(());
    }
    let Some(response) = key.response.as_ref().filter(|r| **r != ObstacleResponse::Impulse {})
    else {
        all.impulsive.push(obstacle);
        return Ok(());
    };
    all.pushes = true;
    if key.friction != 0.0 || key.restitution != 0.0 {
        let message = "friction and restitution act with impulses and solved contacts alone";
        return Err(
            Wrong::value(path, message).with_help("leave them out, or let kind be \"impulse\"")
        );
    }
    match response {
        ObstacleResponse::Impulse {} => {}
        ObstacleResponse::Constraint {} => {
            if scene.integrator.kind != IntegratorKind::Relax {
                let message =
                    "only the scene's response `constraint` and the integrator `relax` take it";
                return Err(Wrong::value(path, message));
            }
            all.ruled.push(obstacle);
        }
        ObstacleResponse::Penalty { stiffness, fraction, buffer, overshoot } => {
            let stiffness = match (stiffness, fraction) {
                (Some(_), Some(_)) => {
                    let message = "`stiffness` and `fraction` cannot both be given";
                    return Err(Wrong::value(path, message));
                }
                (Some(stiffness), None) => Stiffness::Fixed(*stiffness),
                (None, fraction) => {
                    let dt = scene.dt / f64::from(scene.integrator.substeps.max(1));
                    Stiffness::OfStep { fraction: fraction.unwrap_or(1.0), dt }
                }
            };
            let overshoot = overshoot.unwrap_or(f64::INFINITY);
            let settings = PenaltySettings { stiffness, buffer: *buffer, overshoot };
            let penalty = Penalty::new(obstacle, vertices, &made.system.masses, settings);
            made.system.forces.push(penalty.map_err(|error| Wrong::value(path, error))?);
        }
        ObstacleResponse::Barrier { strength, reach, change } => {
            let mut settings = match reach {
                Some(reach) => BarrierSettings::within(*strength, *reach),
                None => BarrierSettings::everywhere(*strength),
            };
            settings.change = change.unwrap_or(settings.change);
            let barrier = Barrier::new(obstacle, vertices, made.state.motion(), settings);
            made.system.forces.push(barrier.map_err(|error| Wrong::value(path, error))?);
        }
    }
    Ok(())
}
