//! Rigid bodies of a scene: their mass, and which bodies they are.

use pliant::body::keyframes::Pose;
use pliant::body::rigid::all::{balanced_masses, balanced_masses_in_plane};
use pliant::body::rigid::mass::MassProperties;
use pliant::body::rigid::{RigidError, RigidState, RigidTemplate};
use pliant::math::Vec3;
use pliant::world::RigidPart;

use super::material::shares;
use super::shape::{Geometry, RestShape};
use super::vector;
use super::{BuildError, outline};
use crate::diagnostic::DiagnosticKind;
use crate::spec::{Body, Material, Mesh};

/// Masses of the vertices of one copy, kg, with the mass and the centre of the rigid body.
pub fn masses(
    body: &Body,
    rest: &RestShape,
    scaled: &[Vec3],
    density: f64,
    path: &str,
) -> Result<Vec<f64>, BuildError> {
    if !body.regions.is_empty() {
        let message = "a rigid body has no regions: it is rigid as a whole";
        return Err(BuildError::value(format!("{path}.regions"), message));
    }
    if !body.pins.is_empty() {
        let message = "a rigid body cannot be pinned";
        let help = "make it an obstacle, or hold it with a joint to the world";
        return Err(BuildError::value(format!("{path}.pins"), message).with_help(help));
    }
    if matches!(rest.geometry, Geometry::SpringNetwork | Geometry::Particles) && body.mass.is_none()
    {
        let message = "spring networks and points have no volume: rigid, they need a `mass`";
        let help = "write mass = 1.0, kg of the whole body, shared by its vertices";
        return Err(BuildError::value(path, message).with_help(help));
    }
    let rigid = rigid(body, rest, scaled, density, path)?;
    let shares = shares(rest, scaled);
    let masses = match rest.geometry {
        Geometry::Outline { .. } => balanced_masses_in_plane(&rigid, &shares),
        _ => balanced_masses(&rigid, &shares),
    };
    masses.map_err(|error| unfit(body, &error, path))
}

/// A mesh that was refused, with what helps where its body is to be rigid.
pub fn refused(body: &Body, wrong: BuildError) -> BuildError {
    let is_flat = matches!(body.mesh, Mesh::Outline { .. });
    let is_rigid = matches!(body.material, Material::Rigid { .. });
    if is_flat || !is_rigid || wrong.kind != DiagnosticKind::Mesh {
        return wrong;
    }
    let message = format!("`{}` cannot be rigid: {}", body.name, wrong.message);
    let help = "close its surface and let all triangles look outward, or write extract = \"points\" \
                and a mass";
    BuildError { message, ..wrong }.with_help(help)
}

/// Why a body cannot be rigid, at the key concerned.
pub fn unfit(body: &Body, error: &RigidError, path: &str) -> BuildError {
    let key = match error {
        RigidError::Mass { .. } if body.mass.is_some() => "mass",
        RigidError::Density { .. } => "material.density",
        _ => "mesh",
    };
    BuildError::value(format!("{path}.{key}"), format!("`{}` cannot be rigid: {error}", body.name))
}

/// The rigid body of a shape, in its place.
fn rigid(
    body: &Body,
    rest: &RestShape,
    placed: &[Vec3],
    density: f64,
    path: &str,
) -> Result<RigidTemplate, BuildError> {
    properties(body, rest, placed, density)
        .and_then(|properties| body_of(rest, placed, properties))
        .map(|(rigid, _)| rigid)
        .map_err(|error| unfit(body, &error, path))
}

fn properties(
    body: &Body,
    rest: &RestShape,
    placed: &[Vec3],
    density: f64,
) -> Result<MassProperties, RigidError> {
    let properties = match &rest.geometry {
        Geometry::Tets(mesh) => MassProperties::from_tets(placed, mesh.tets(), density)?,
        Geometry::Surface(_) => MassProperties::from_surface(placed, &rest.triangles, density)?,
        Geometry::Outline { rings, carried: 0 } => outline::properties(rings, placed, density)?,
        Geometry::Outline { carried, .. } => {
            MassProperties::from_surface(&placed[..*carried], &rest.triangles, density)?
        }
        Geometry::SpringNetwork | Geometry::Particles => {
            let shares = vec![(placed.len() as f64).recip(); placed.len()];
            MassProperties::from_points(placed, &shares)?
        }
    };
    match body.mass {
        Some(mass) => properties.with_mass(mass),
        None => Ok(properties),
    }
}

/// A rigid body, in space or in the plane.
fn body_of(
    rest: &RestShape,
    placed: &[Vec3],
    properties: MassProperties,
) -> Result<(RigidTemplate, RigidState), RigidError> {
    match rest.geometry {
        Geometry::Outline { .. } => RigidTemplate::in_plane(placed, properties),
        _ => RigidTemplate::new(placed, properties),
    }
}

/// The rigid body of a copy that is in its place, whose mesh has its own space at a pose.
pub fn part(
    body: &Body,
    rest: &RestShape,
    placed: &[Vec3],
    density: f64,
    at: Pose,
) -> Result<RigidPart, RigidError> {
    let properties = properties(body, rest, placed, density)?;
    let (rigid, state) = body_of(rest, placed, properties)?;
    let (velocity, spin) = (vector(body.velocity), vector(body.spin));
    Ok(RigidPart::new(rigid, RigidState { velocity, spin, ..state }, at))
}
