//! Obstacles and their contact responses.

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
use pliant_papers::rigid::lecture::Law;

use super::bodies::SceneBodies;
use super::render_mesh::{self, Sheet};
use super::shape::{self, Geometry, MOST_TETS, RestShape};
use super::{BuildError, contact, external_loads, rotation, vector};
use crate::diagnostic::DiagnosticKind;
use crate::loaded::RenderMesh;
use crate::spec::obstacle::{self as key, ImpulseLaw, ObstacleResponse};
use crate::spec::{self, IntegratorKind, Response};

/// Obstacles sorted by response.
#[derive(Debug, Default)]
pub struct Obstacles {
    /// Met after each step.
    pub impulsive: Vec<Obstacle>,
    /// One impulse for each rigid body after each step.
    pub averaged: Vec<(Obstacle, Law)>,
    /// Contacts solved together with the materials.
    pub solved: Vec<Obstacle>,
    /// Constraints for the integrator.
    pub ruled: Vec<Obstacle>,
    /// Whether forces or constraints act, whose impulses are not reported.
    pub pushes: bool,
}

/// Obstacles as the scene has them, in order.
#[derive(Debug, Default)]
pub struct SceneObstacles {
    /// All of them.
    pub list: Vec<Obstacle>,
    /// For pictures.
    pub skins: Vec<RenderMesh>,
}

/// Makes all obstacles; `positions` are those of all vertices at the start, m.
pub fn make(
    scene: &spec::Scene,
    folder: Folder<'_>,
    positions: &[Vec3],
    notices: &mut Vec<String>,
) -> Result<SceneObstacles, BuildError> {
    let mut all = SceneObstacles::default();
    let mut names = BTreeSet::new();
    let extent = render_mesh::extent(positions);
    for (index, key) in scene.obstacles.iter().enumerate() {
        let path = format!("obstacles.{index}");
        if !names.insert(&key.name) {
            let message = format!("two obstacles are called `{}`", key.name);
            return Err(BuildError::new(DiagnosticKind::Name, format!("{path}.name"), message));
        }
        let motion = motion(key, &path)?;
        let (shape, sheet) =
            shape(&key.shape, &mut Context { folder, notices, extent }, &format!("{path}.shape"))?;
        all.skins.push(render_mesh::place(&key.name, &sheet, &motion, &key.keyframes));
        let touch = SurfaceMaterial { friction: key.friction, restitution: key.restitution };
        let obstacle = Obstacle::new(Boxed(shape), motion, touch)
            .map_err(|error| BuildError::value(&*path, error))?;
        all.list.push(obstacle);
    }
    Ok(all)
}

/// Sorts obstacles by response; penalties and barriers go to the forces.
pub fn sort(
    scene: &spec::Scene,
    list: &[Obstacle],
    made: &mut SceneBodies,
) -> Result<Obstacles, BuildError> {
    let mut all = Obstacles::default();
    for (index, (key, obstacle)) in scene.obstacles.iter().zip(list).enumerate() {
        respond(&mut all, scene, key, obstacle.clone(), made, &format!("obstacles.{index}"))?;
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

fn motion(key: &spec::Obstacle, path: &str) -> Result<Keyframes, BuildError> {
    if !key.keyframes.is_empty() {
        if key.position != [0.0; 3] || key.rotation != [0.0; 3] {
            let message = "`keyframes` say where it is: leave `position` and `rotation` out";
            return Err(BuildError::value(format!("{path}.keyframes"), message));
        }
        return external_loads::keyframes(&key.keyframes, &format!("{path}.keyframes"));
    }
    Keyframes::still(pose(key.position, key.rotation))
        .map_err(|error| BuildError::value(path, error))
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
) -> Result<(Box<dyn Shape>, Sheet), BuildError> {
    let extent = context.extent;
    let wrong = |error: ObstacleError| BuildError::value(path, error);
    let round = |made: Result<Revolved, ObstacleError>, sheet: Sheet| match made {
        Ok(round) => Ok((Box::new(round) as Box<dyn Shape>, sheet)),
        Err(error) => Err(wrong(error)),
    };
    match key {
        key::Shape::Plane {} => Ok((Box::new(Plane), render_mesh::plane(extent))),
        key::Shape::Box { size } => {
            let cuboid = Cuboid::new(vector(*size)).map_err(wrong)?;
            Ok((Box::new(cuboid), render_mesh::cuboid(vector(*size))))
        }
        key::Shape::Sphere { radius } => {
            round(Revolved::sphere(*radius), render_mesh::capsule(*radius, 0.0))
        }
        key::Shape::Cylinder { radius, length: None } => {
            round(Revolved::cylinder(*radius), render_mesh::cylinder(*radius, extent))
        }
        key::Shape::Cylinder { radius, length: Some(length) } => round(
            Revolved::finite_cylinder(*radius, *length),
            render_mesh::cylinder(*radius, *length),
        ),
        key::Shape::Capsule { radius, length } => {
            round(Revolved::capsule(*radius, *length), render_mesh::capsule(*radius, *length))
        }
        key::Shape::Torus { ring_radius, tube_radius } => round(
            Revolved::torus(*ring_radius, *tube_radius),
            render_mesh::torus(*ring_radius, *tube_radius),
        ),
        key::Shape::Mesh { mesh, spacing, margin } => {
            let surface = surface(mesh, context, &format!("{path}.mesh"))?;
            let settings = GridSettings { spacing: *spacing, margin: *margin };
            let grid = Grid::new(&surface, settings).map_err(wrong)?;
            Ok((Box::new(grid), render_mesh::of_surface(&surface)))
        }
        key::Shape::Union { parts } => {
            let (parts, sheets) = combine(parts, context, path)?;
            let sheet = render_mesh::union(&sheets);
            Ok((Box::new(Combined::union(parts).map_err(wrong)?), sheet))
        }
        key::Shape::Intersection { parts } => {
            let (parts, sheets) = combine(parts, context, path)?;
            let whole = Combined::intersection(parts).map_err(wrong)?;
            let sheet = render_mesh::within(&sheets, &whole);
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
) -> Result<(Vec<Part>, Placed), BuildError> {
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
fn surface(
    mesh: &spec::Mesh,
    context: &mut Context<'_>,
    path: &str,
) -> Result<Surface, BuildError> {
    let [tets, vertices] = shape::size(mesh);
    if tets.max(vertices) > MOST_TETS {
        let message = format!("the mesh has {} cells: at most {MOST_TETS}", tets.max(vertices));
        return Err(BuildError::new(DiagnosticKind::TooLarge, path, message));
    }
    let RestShape { geometry, positions, triangles, .. } =
        shape::make(mesh, context.folder, path, context.notices)?;
    match geometry {
        Geometry::Surface(surface) => Ok(surface),
        Geometry::Tets(_) => {
            let raw = RawMesh { positions, triangles, ..RawMesh::default() };
            let made = Surface::from_raw(raw);
            made.map(|(surface, _)| surface)
                .map_err(|e| BuildError::new(DiagnosticKind::Mesh, path, e))
        }
        Geometry::SpringNetwork | Geometry::Particles | Geometry::Outline { .. } => {
            Err(BuildError::value(path, "a spring network has no inside: an obstacle needs one"))
        }
    }
}

/// Whether contacts with an obstacle are solved together with the materials.
fn is_solved(scene: &spec::Scene, key: &spec::Obstacle) -> bool {
    let constraint = matches!(key.response, Some(ObstacleResponse::Constraint {}));
    constraint && contact::chosen(scene) == Response::Constraint
}

/// Refuses bodies that no single impulse can stop.
fn check_rigid(scene: &spec::Scene, path: &str) -> Result<(), BuildError> {
    let is_soft = |body: &&spec::Body| !matches!(body.material, spec::Material::Rigid { .. });
    let Some(body) = scene.bodies.iter().find(is_soft) else { return Ok(()) };
    let message = format!("`average-impulse` is for rigid bodies, and `{}` is not one", body.name);
    let help = "let kind be \"impulse\", which corrects each vertex, or material.kind \"rigid\"";
    Err(BuildError::value(path, message).with_help(help))
}

/// Stiffness of a penalty: as given, or from masses and step.
fn penalty_stiffness(
    scene: &spec::Scene,
    stiffness: Option<f64>,
    fraction: Option<f64>,
    path: &str,
) -> Result<Stiffness, BuildError> {
    match (stiffness, fraction) {
        (Some(_), Some(_)) => {
            let message = "`stiffness` and `fraction` cannot both be given";
            Err(BuildError::value(path, message))
        }
        (Some(stiffness), None) => Ok(Stiffness::Fixed(stiffness)),
        (None, fraction) => {
            let dt = scene.dt / f64::from(scene.integrator.substeps.max(1));
            Ok(Stiffness::OfStep { fraction: fraction.unwrap_or(1.0), dt })
        }
    }
}

/// Registers an obstacle with its response.
fn respond(
    all: &mut Obstacles,
    scene: &spec::Scene,
    key: &spec::Obstacle,
    obstacle: Obstacle,
    made: &mut SceneBodies,
    path: &str,
) -> Result<(), BuildError> {
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
    if let ObstacleResponse::AverageImpulse { law } = response {
        check_rigid(scene, &path)?;
        let law = match law {
            ImpulseLaw::Corrected => Law::Corrected,
            ImpulseLaw::Printed => Law::Printed,
        };
        all.averaged.push((obstacle, law));
        return Ok(());
    }
    all.pushes = true;
    if key.friction != 0.0 || key.restitution != 0.0 {
        let message = "friction and restitution act with impulses and solved contacts alone";
        return Err(BuildError::value(path, message)
            .with_help("leave them out, or let kind be \"impulse\""));
    }
    match response {
        ObstacleResponse::Impulse {} | ObstacleResponse::AverageImpulse { .. } => {}
        ObstacleResponse::Constraint {} => {
            if scene.integrator.kind != IntegratorKind::Pbd {
                let message =
                    "only the scene's response `constraint` and the integrator `pbd` take it";
                return Err(BuildError::value(path, message));
            }
            all.ruled.push(obstacle);
        }
        ObstacleResponse::Penalty { stiffness, fraction, buffer, overshoot } => {
            let stiffness = penalty_stiffness(scene, *stiffness, *fraction, &path)?;
            let overshoot = overshoot.unwrap_or(f64::INFINITY);
            let settings = PenaltySettings { stiffness, buffer: *buffer, overshoot };
            let penalty = Penalty::new(obstacle, vertices, &made.system.masses, settings);
            made.system.forces.push(penalty.map_err(|error| BuildError::value(path, error))?);
        }
        ObstacleResponse::Barrier { strength, reach, change } => {
            let mut settings = match reach {
                Some(reach) => BarrierSettings::within(*strength, *reach),
                None => BarrierSettings::everywhere(*strength),
            };
            settings.change = change.unwrap_or(settings.change);
            let barrier = Barrier::new(obstacle, vertices, made.state.motion(), settings);
            made.system.forces.push(barrier.map_err(|error| BuildError::value(path, error))?);
        }
    }
    Ok(())
}
