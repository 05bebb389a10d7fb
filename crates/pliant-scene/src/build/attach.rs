//! Vertices of soft bodies that rigid ones hold.

use pliant::body::rigid::attach::AttachError;
use pliant::id::{BodyId, VertexId};

use super::BuildError;
use super::bodies::SceneBodies;
use super::external_loads::{self, Choice};
use super::joints::{self, Pairs};
use super::shape::Geometry;
use crate::spec::joint::{Joint, JointKind};
use crate::spec::shape::Matching;
use crate::spec::{self, IntegratorKind, Material};

/// Makes all attachments of the scene; returns the pairs of bodies excluded from contact.
pub fn add(scene: &spec::Scene, made: &mut SceneBodies) -> Result<Pairs, BuildError> {
    for (k, joint) in scene.joints.iter().enumerate() {
        if joint.kind == JointKind::Attach {
            let path = format!("joints.{k}");
            check_integrator(scene, &path)?;
            check_keys(joint, &path)?;
            attach(scene, made, joint, &path)?;
        }
    }
    Ok(made.system.rigids.attached_pairs())
}

/// Keys that select vertices, and whether they are given.
pub fn choices(joint: &Joint) -> [(&'static str, bool); 3] {
    [
        ("box", joint.space.is_some()),
        ("plane", joint.plane.is_some()),
        ("vertices", joint.vertices.is_some()),
    ]
}

fn check_integrator(scene: &spec::Scene, path: &str) -> Result<(), BuildError> {
    let key = &scene.integrator;
    if key.kind != IntegratorKind::ImplicitEuler || key.newton_iterations > 0 {
        let message = "the integrator does not move what is attached to rigid bodies";
        let help = "take the integrator \"implicit-euler\" with newton_iterations = 0";
        return Err(BuildError::value(format!("{path}.kind"), message).with_help(help));
    }
    if key.matching == Some(Matching::AfterStep) {
        let message = "shapes that are matched after the step tear at what is attached";
        let help = "write matching = \"with-step\" for the integrator";
        return Err(BuildError::value(format!("{path}.kind"), message).with_help(help));
    }
    Ok(())
}

/// Refuses keys of other kinds of joints.
fn check_keys(joint: &Joint, path: &str) -> Result<(), BuildError> {
    let given = [
        ("chain", joint.chain.is_some()),
        ("anchor", joint.anchor.is_some()),
        ("axis", joint.axis.is_some()),
        ("limits", joint.limits.is_some()),
        ("motor", joint.motor.is_some()),
        ("contact", joint.contact),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((name, _)) => {
            let message = format!("a joint of kind `attach` takes no `{name}`");
            Err(BuildError::value(format!("{path}.{name}"), message))
        }
        None => Ok(()),
    }
}

fn attach(
    scene: &spec::Scene,
    made: &mut SceneBodies,
    joint: &Joint,
    path: &str,
) -> Result<(), BuildError> {
    let names = format!("{path}.bodies");
    let [first, second] = &joint.bodies[..] else {
        let message = format!("{} bodies: the rigid one and the soft one", joint.bodies.len());
        let place = if joint.bodies.is_empty() { path } else { &names };
        let help = "write bodies = [\"rigid\", \"soft\"]";
        return Err(BuildError::value(place, message).with_help(help));
    };
    let (holder, index) = joints::find(scene, made, first, &format!("{names}.0"))?;
    let other = format!("{names}.1");
    let (soft, group) = joints::find(scene, made, second, &other)?;
    if holder == soft {
        let message = format!("`{first}` is to be attached to itself");
        return Err(BuildError::value(other, message).with_help("name a rigid body and a soft one"));
    }
    if !is_rigid(scene, index) {
        let message = format!("`{first}` is soft: only rigid bodies hold vertices of others");
        let help = "name the rigid body first, or give this one the material { kind = \"rigid\" }";
        return Err(BuildError::value(format!("{names}.0"), message).with_help(help));
    }
    if is_rigid(scene, group) {
        let message = format!("`{second}` is rigid: it has no vertices that could be attached");
        return Err(BuildError::value(other, message).with_help("take a joint of kind \"fixed\""));
    }
    let flat = [(first, index, 0), (second, group, 1)].into_iter().find(|(_, group, _)| {
        matches!(made.groups[*group].rest.geometry, Geometry::Outline { .. })
    });
    if let Some((name, _, at)) = flat {
        let message = format!("`{name}` is an outline: it neither holds nor is held by attaching");
        return Err(BuildError::value(format!("{names}.{at}"), message));
    }
    let choice = Choice {
        what: "joint of kind `attach`",
        space: joint.space.as_ref(),
        plane: joint.plane.as_ref(),
        vertices: joint.vertices.as_deref(),
    };
    let chosen = external_loads::chosen(&choice, &made.groups[group].rest, path)?;
    if chosen.is_empty() {
        let message = format!("no vertex of `{second}` is chosen to be attached to `{first}`");
        let help = "box and plane count in the space of its mesh, before rotation and position";
        return Err(BuildError::value(path, message).with_help(help));
    }
    let copy = soft.index() - joints::copies(made, group).start as usize;
    let start = made.groups[group].ranges[copy].start as u32;
    let vertices: Vec<_> = chosen.iter().map(|v| VertexId(v.0 + start)).collect();
    let SceneBodies { system, state, infos, .. } = made;
    let name = |body: BodyId| &*infos[body.index()].name;
    let done = system.rigids.attach(holder, &vertices, &system.masses, &system.pins, state);
    done.map_err(|error| BuildError::value(path, reported(&error, name)))
}

/// What is wrong, with the names of bodies.
fn reported<'a>(error: &AttachError, name: impl Fn(BodyId) -> &'a str) -> String {
    match *error {
        AttachError::Twice { body, vertex, holder } => format!(
            "vertex {vertex} of `{}` is attached twice, first to `{}`: attach it once",
            name(body),
            name(holder)
        ),
        AttachError::Pinned { body, vertex } => format!(
            "vertex {vertex} of `{}` is pinned: it cannot be attached as well, leave one out",
            name(body)
        ),
        ref other => other.to_string(),
    }
}

fn is_rigid(scene: &spec::Scene, index: usize) -> bool {
    matches!(scene.bodies[index].material, Material::Rigid { .. })
}
