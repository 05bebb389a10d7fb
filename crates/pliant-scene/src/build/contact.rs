//! Contact between bodies: the response and its settings.

use pliant::body::BodyKind;
use pliant::body::obstacle::Obstacle;
use pliant::contact::carried::{ContactMesh, ContactSurfaces};
use pliant::contact::response::Response as ContactResponse;
use pliant::contact::response::ResponseError;
use pliant::contact::response::Stiffness;
use pliant::depth::{DepthSettings, Scope};
use pliant::id::{BodyId, VertexId};
use pliant::math::Vec3;
use pliant::mesh::normals::Normals;
use pliant::solve::constraint::{ConstraintResponse, ConstraintSettings};
use pliant_papers::bodies::barrier::{BodyBarrier, BodyBarrierSettings, Strength};
use pliant_papers::bodies::buffer::{Buffer, BufferSettings};
use pliant_papers::bodies::impulse::{BodyImpulseSettings, BodyImpulses};
use pliant_papers::bodies::{BodyPenalty, BodyPenaltySettings, Kind};
use pliant_papers::impulse::Impulses;
use pliant_papers::points::{PointSettings, Points};
use pliant_papers::rigid::lecture::AverageImpulses;
use pliant_papers::surface::{self, ContactSurface, Corrections, Form, SurfaceSettings};

use super::bodies::SceneBodies;
use super::joints::Pairs;
use super::obstacles::Obstacles;
use super::{BuildError, outline};
use crate::spec::contact::{Correction, Depth, DepthNormals, DepthScope, Order};
use crate::spec::obstacle::ObstacleResponse;
use crate::spec::{self, IntegratorKind, Response};

/// Times that a step may be halved when contacts are solved with it.
const HALVINGS: u32 = 12;

/// The same with a barrier, which makes short steps where bodies come near, and with outlines
/// that never overlap.
const BARRIER_HALVINGS: u32 = 30;

/// Radius of clouds of single points, which have no neighbours to derive it from, m.
const LONELY_RADIUS: f64 = 1e-2;

/// Fills in defaults: the response, and what follows from it.
pub fn choose(scene: &mut spec::Scene) -> Result<(), BuildError> {
    let solves = scene.integrator.kind == IntegratorKind::ImplicitEuler
        && scene.integrator.newton_iterations == 0;
    let own = if solves { Response::Constraint } else { Response::None };
    let response = *scene.response.get_or_insert(own);
    if response == Response::Constraint && !solves {
        let message = "the integrator does not solve contacts, which `constraint` requires";
        let help = "take the integrator \"implicit-euler\" with newton_iterations = 0, or response = \"penalty\" or \"none\"";
        return Err(BuildError::value("response", message).with_help(help));
    }
    let springs = matches!(response, Response::Penalty | Response::Closest | Response::Buffer);
    if scene.contact.implicit && springs && !solves {
        let message = "the integrator does not solve springs of contact together with the \
                       materials, which `implicit` asks for";
        let help = "take the integrator \"implicit-euler\" with newton_iterations = 0, or implicit = false";
        return Err(BuildError::value("contact.implicit", message).with_help(help));
    }
    let (met_by, halvings) = match response {
        Response::Constraint => (ObstacleResponse::Constraint {}, HALVINGS),
        Response::Barrier => (ObstacleResponse::Impulse {}, BARRIER_HALVINGS),
        Response::Impulse if scene.bodies.iter().any(outline::is_outline) => {
            (ObstacleResponse::Impulse {}, BARRIER_HALVINGS)
        }
        _ => (ObstacleResponse::Impulse {}, 0),
    };
    scene.integrator.max_halvings.get_or_insert(halvings);
    for obstacle in &mut scene.obstacles {
        obstacle.response.get_or_insert_with(|| met_by.clone());
    }
    check(&scene.contact)
}

/// The response of a scene after [`choose`].
pub fn chosen(scene: &spec::Scene) -> Response {
    scene.response.unwrap_or(Response::None)
}

fn check(contact: &spec::Contact) -> Result<(), BuildError> {
    let spec::Contact {
        friction,
        offset,
        speculative_distance,
        max_depenetration_speed,
        stiffness,
        damping,
        ..
    } = *contact;
    let least = [
        ("friction", friction),
        ("speculative_distance", speculative_distance),
        ("max_depenetration_speed", max_depenetration_speed),
        ("damping", damping),
    ];
    if let Some((name, value)) = least.into_iter().find(|(_, value)| *value < 0.0) {
        let message = format!("the {name} of contact is {value}: it must be at least 0");
        return Err(BuildError::value(format!("contact.{name}"), message));
    }
    if !(0.0..=1.0).contains(&contact.restitution) {
        let message = format!(
            "the restitution of contact is {}: it must be from 0 to 1",
            contact.restitution
        );
        return Err(BuildError::value("contact.restitution", message));
    }
    let positive = [
        ("offset", offset),
        ("convergence_tolerance", contact.convergence_tolerance),
        ("stiffness", stiffness.unwrap_or(1.0)),
        ("reach", contact.reach.unwrap_or(1.0)),
        ("strength", contact.strength.unwrap_or(1.0)),
        ("depth.exponent", contact.depth.exponent.unwrap_or(1.0)),
    ];
    if let Some((name, value)) = positive.into_iter().find(|(_, value)| *value <= 0.0) {
        let message = format!("the {name} of contact is {value}: it must be positive");
        return Err(BuildError::value(format!("contact.{name}"), message));
    }
    Ok(())
}

/// Warning when bodies pass through each other by default.
pub fn unmet(scene: &spec::Scene, made: &SceneBodies) -> Option<String> {
    let solid = made.bodies.ids().filter(|body| !made.bodies.triangles_of(*body).is_empty());
    let passes = chosen(scene) == Response::None && solid.count() > 1;
    passes.then(|| {
        let integrator = super::word(&scene.integrator.kind);
        let newton = match scene.integrator.newton_iterations {
            0 => "",
            _ => " with Newton iterations",
        };
        format!(
            "bodies pass through each other: the integrator {integrator}{newton} does not solve \
             contacts, and the scene names no response; take \"implicit-euler\" without Newton \
             iterations, response = \"penalty\", or response = \"none\" if that is meant"
        )
    })
}

/// Notice on spring networks among other bodies.
pub fn networks(scene: &spec::Scene, made: &SceneBodies) -> Option<String> {
    let is_net = |body: &BodyId| made.bodies.kind(*body) == BodyKind::SpringNetwork;
    let count = made.bodies.ids().filter(is_net).count();
    let meets = chosen(scene) != Response::None && count > 0 && count < made.bodies.len();
    meets.then(|| {
        "spring networks have no surface: other bodies can pass through them; only obstacles hold them"
            .to_owned()
    })
}

/// All responses of a scene.
#[derive(Debug)]
pub struct SceneResponses {
    /// The engine's own, if the scene has it.
    pub contact: Option<ConstraintResponse>,
    /// Others, in the order in which they are asked.
    pub others: Vec<Box<dyn ContactResponse>>,
}

/// All responses of a scene; obstacles that are met by them go in.
pub fn responses(
    scene: &spec::Scene,
    made: &SceneBodies,
    obstacles: &mut Obstacles,
    apart: Pairs,
) -> Result<SceneResponses, BuildError> {
    let solved = std::mem::take(&mut obstacles.solved);
    let flat = outline::response(scene, made, &apart)?;
    let is_solid = |body: &BodyId| made.bodies.kind(*body) != BodyKind::Outline;
    let mut contact = None;
    let mut all: Vec<Box<dyn ContactResponse>> = match chosen(scene) {
        Response::None => Vec::new(),
        _ if !made.bodies.ids().any(|body| is_solid(&body)) => Vec::new(),
        Response::Constraint => {
            contact = Some(constraint(scene, made, solved)?.leaving_out(apart));
            Vec::new()
        }
        Response::Penalty => vec![Box::new(springs(scene, made, Kind::Consistent)?)],
        Response::Closest => vec![Box::new(springs(scene, made, Kind::Closest)?)],
        Response::Buffer => vec![Box::new(buffer(scene, made)?)],
        Response::Barrier => vec![Box::new(barrier(scene, made)?)],
        Response::Impulse => vec![Box::new(impulses(scene, made)?)],
        Response::Surface => vec![Box::new(surface(scene, made)?)],
    };
    let is_cloud = |body: &BodyId| made.bodies.kind(*body) == BodyKind::Particles;
    if chosen(scene) != Response::None && made.bodies.ids().filter(is_cloud).count() > 1 {
        all.push(Box::new(points(scene, made)?));
    }
    all.extend(flat);
    all.push(Box::new(Impulses::new(std::mem::take(&mut obstacles.impulsive))));
    if !obstacles.averaged.is_empty() {
        all.push(Box::new(AverageImpulses::new(std::mem::take(&mut obstacles.averaged))));
    }
    Ok(SceneResponses { contact, others: all })
}

fn springs(scene: &spec::Scene, made: &SceneBodies, kind: Kind) -> Result<BodyPenalty, BuildError> {
    let dt = scene.dt / f64::from(scene.integrator.substeps.max(1));
    let spec::Contact { friction, stiffness, damping, implicit, .. } = scene.contact;
    let usual = match implicit {
        true => BodyPenaltySettings::implicit(kind, dt),
        false => BodyPenaltySettings::of_step(kind, dt),
    };
    let stiffness = stiffness.map_or(usual.stiffness, Stiffness::Fixed);
    let depth = depth(scene, usual.depth);
    let settings = BodyPenaltySettings { friction, damping, stiffness, depth, ..usual };
    BodyPenalty::new(&made.rest, &made.bodies, settings).map_err(unfit)
}

/// How depth is measured: as the scene says, and as `usual` where it says nothing.
fn depth(scene: &spec::Scene, usual: DepthSettings) -> DepthSettings {
    let Depth { exponent, scope, normals } = scene.contact.depth;
    DepthSettings {
        exponent: exponent.unwrap_or(usual.exponent),
        scope: scope.map_or(usual.scope, |scope| match scope {
            DepthScope::Scene => Scope::Scene,
            DepthScope::Pairs => Scope::Pairs,
        }),
        normals: normals.map_or(usual.normals, |normals| match normals {
            DepthNormals::Area => Normals::Area,
            DepthNormals::Angle => Normals::Angle,
            DepthNormals::Face => Normals::Face,
        }),
    }
}

/// Notices on settings of other responses than the scene's.
///
/// No errors: one scene is compared under many responses.
pub fn unused(scene: &spec::Scene) -> Vec<String> {
    use Response::{Barrier, Buffer, Closest, Impulse, Penalty, Surface};
    let spec::Contact { reach, strength, depth, .. } = &scene.contact;
    let Depth { exponent, scope, normals } = *depth;
    let given: [(&str, bool, &[Response]); 5] = [
        ("reach", reach.is_some(), &[Buffer, Barrier]),
        ("strength", strength.is_some(), &[Barrier]),
        ("depth.exponent", exponent.is_some(), &[Penalty, Impulse, Surface]),
        ("depth.scope", scope.is_some(), &[Penalty, Closest, Impulse, Surface]),
        ("depth.normals", normals.is_some(), &[Penalty, Impulse, Surface]),
    ];
    let response = chosen(scene);
    let is_fine =
        |body: &spec::Body| body.contact_mesh == Some(spec::body::ContactMesh::RenderMesh);
    let fine = scene.bodies.iter().find(|body| is_fine(body) && response != Response::Constraint);
    let fine = fine.map(|body| {
        format!(
            "`{}` touches with its own mesh: contact_mesh = \"render_mesh\" needs \
             response = \"constraint\"",
            body.name
        )
    });
    let idle = given.into_iter().filter(|(_, given, of)| *given && !of.contains(&response));
    let says = |(key, _, of): (&str, bool, &[Response])| {
        let words: Vec<String> = of.iter().map(super::word).collect();
        let (own, others) = (super::word(&response), words.join(", "));
        format!(
            "contact.{key} has no effect with response = \"{own}\"; it is a setting of {others}"
        )
    };
    fine.into_iter().chain(idle.map(says)).collect()
}

/// What is wrong with the settings of contact.
fn unfit(error: ResponseError) -> BuildError {
    BuildError::value("contact", error)
}

fn buffer(scene: &spec::Scene, made: &SceneBodies) -> Result<Buffer, BuildError> {
    let dt = scene.dt / f64::from(scene.integrator.substeps.max(1));
    let spec::Contact { friction, damping, stiffness, implicit, reach, .. } = scene.contact;
    let usual = match implicit {
        true => BufferSettings::implicit(dt),
        false => BufferSettings::of_step(dt),
    };
    let stiffness = stiffness.map_or(usual.stiffness, Stiffness::Fixed);
    let buffer = reach.unwrap_or(usual.buffer);
    let settings = BufferSettings { friction, damping, stiffness, buffer, ..usual };
    Buffer::new(&made.rest, &made.bodies, settings).map_err(unfit)
}

fn barrier(scene: &spec::Scene, made: &SceneBodies) -> Result<BodyBarrier, BuildError> {
    let (usual, friction) = (BodyBarrierSettings::default(), scene.contact.friction);
    let strength = scene.contact.strength.map_or(usual.strength, Strength::Fixed);
    let reach = scene.contact.reach.unwrap_or(usual.reach);
    let settings = BodyBarrierSettings { strength, reach, friction, ..usual };
    BodyBarrier::new(&made.rest, &made.bodies, settings).map_err(unfit)
}

fn impulses(scene: &spec::Scene, made: &SceneBodies) -> Result<BodyImpulses, BuildError> {
    let spec::Contact { friction, restitution, .. } = scene.contact;
    let usual = BodyImpulseSettings::default();
    let depth = depth(scene, usual.depth);
    let settings = BodyImpulseSettings { friction, restitution, depth, ..usual };
    BodyImpulses::new(&made.rest, &made.bodies, settings).map_err(unfit)
}

fn surface(scene: &spec::Scene, made: &SceneBodies) -> Result<ContactSurface, BuildError> {
    let spec::Contact { friction, iterations, ref uncorrected, order, .. } = scene.contact;
    let corrections = corrections(uncorrected);
    let usual = match order {
        Order::Vertices => SurfaceSettings::default(),
        Order::Approach => SurfaceSettings {
            approach: surface::CorrectionLevel::Bodies,
            ..SurfaceSettings::default()
        },
        Order::Settling => SurfaceSettings::settling(),
    };
    let depth = depth(scene, usual.depth);
    let settings = SurfaceSettings { friction, iterations, corrections, depth, ..usual };
    ContactSurface::new(&made.rest, &made.bodies, settings).map_err(unfit)
}

/// All formulas corrected but those named.
fn corrections(printed: &[Correction]) -> Corrections {
    let mut all = Corrections::default();
    for correction in printed {
        let form = match correction {
            Correction::WayOutSign => &mut all.sign,
            Correction::HalvingSteps => &mut all.steps,
            Correction::AreaWeights => &mut all.areas,
            Correction::ExitWeights => &mut all.weights,
            Correction::OwnInside => &mut all.inner,
            Correction::MissingWeight => &mut all.sparse,
        };
        *form = Form::Printed;
    }
    all
}

/// Clouds meet by their points.
fn points(scene: &spec::Scene, made: &SceneBodies) -> Result<Points, BuildError> {
    let radius = scene.contact.point_radius.unwrap_or_else(|| point_radius(made));
    let settings = PointSettings { radius, friction: scene.contact.friction };
    Points::new(settings).map_err(|error| BuildError::value("contact.point_radius", error))
}

/// Half the mean distance of a particle from the next, m.
fn point_radius(made: &SceneBodies) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for body in made.bodies.ids().filter(|body| made.bodies.kind(*body) == BodyKind::Particles) {
        let mut points = made.rest[made.bodies.vertices(body)].to_vec();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        for (k, point) in points.iter().enumerate() {
            let least = nearest(*point, points[..k].iter().rev());
            let least = least.min(nearest(*point, points[k + 1..].iter()));
            if least > 0.0 && least.is_finite() {
                (sum, count) = (sum + least, count + 1.0);
            }
        }
    }
    if count > 0.0 { 0.5 * sum / count } else { LONELY_RADIUS }
}

/// Distance to the nearest of points that are sorted away from one along x, m.
fn nearest<'a>(point: Vec3, others: impl Iterator<Item = &'a Vec3>) -> f64 {
    let mut least = f64::INFINITY;
    for other in others {
        if (point.x - other.x).abs() > least {
            break;
        }
        least = least.min(point.distance(*other));
    }
    least
}

fn constraint(
    scene: &spec::Scene,
    made: &SceneBodies,
    obstacles: Vec<Obstacle>,
) -> Result<ConstraintResponse, BuildError> {
    let spec::Contact {
        friction,
        restitution,
        offset,
        speculative_distance,
        max_depenetration_speed,
        ..
    } = scene.contact;
    let weight = super::vector(scene.gravity).length();
    let own = ConstraintSettings::default();
    let mut settings = ConstraintSettings { max_depenetration_speed, restitution, weight, ..own };
    settings.contacts.friction = friction;
    settings.contacts.margin.offset = offset;
    settings.contacts.margin.speculative_distance = speculative_distance;
    let plain = ConstraintResponse::new(&made.rest, &made.bodies, obstacles, settings);
    let plain = plain.map_err(unfit)?;
    match surfaces(made)? {
        None => Ok(plain),
        Some(surfaces) => plain.on_surfaces(surfaces).map_err(unfit),
    }
}

/// Fine surfaces in place of tets, where a body asks for them.
fn surfaces(made: &SceneBodies) -> Result<Option<ContactSurfaces>, BuildError> {
    let attached = made.system.rigids.attached_pairs();
    let mut meshes = Vec::new();
    for (index, group) in made.groups.iter().enumerate() {
        let Some(fine) = &group.fine else { continue };
        let Some(surface) = &fine.contact else { continue };
        for range in &group.ranges {
            let body = made.bodies.body_of(VertexId(range.start as u32));
            if attached.iter().any(|(a, b)| *a == body || *b == body) {
                let message = "a body that is attached to a rigid one touches with its own `mesh`";
                return Err(BuildError::value(format!("bodies.{index}.contact_mesh"), message));
            }
            meshes.push(ContactMesh { body, surface, embedding: &fine.embedding });
        }
    }
    meshes.sort_by_key(|mesh| mesh.body);
    if meshes.is_empty() {
        return Ok(None);
    }
    let made = ContactSurfaces::new(&made.rest, &made.bodies, &meshes);
    made.map(Some).map_err(|error| BuildError::value("bodies", error))
}
