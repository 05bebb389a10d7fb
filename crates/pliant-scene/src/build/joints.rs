//! Joints of a scene, and what rigid bodies hold of soft ones.

use std::ops::Range;

use pliant::body::BodyKind;
use pliant::body::rigid::all::RigidBodySet;
use pliant::id::BodyId;
use pliant::math::Vec3;
use pliant::solve::joint::{Axis, JointDefinition, JointKind, Joints, Motor};

use super::bodies::SceneBodies;
use super::{BuildError, attach, contact, vector};
use crate::diagnostic::DiagnosticKind;
use crate::spec::joint as key;
use crate::spec::{self, Material, Response};
use pliant_io::suggest::nearest;

/// A joint is named if its residual is at least this share of the largest one.
const TORN: f64 = 0.1;

/// Bodies whose contacts are left out, the smaller number first, ascending.
pub type Pairs = Vec<(BodyId, BodyId)>;

/// Puts all joints into the system; returns the pairs of bodies excluded from contact.
pub fn add(
    scene: &spec::Scene,
    made: &mut SceneBodies,
    notices: &mut Vec<String>,
) -> Result<Pairs, BuildError> {
    let before = made.state.rigids.clone();
    let mut pairs = attach::add(scene, made)?;
    let changed = before.iter().zip(&made.state.rigids);
    for (start, (before, after)) in made.rigid_starts.iter_mut().zip(changed) {
        *start = start.with_axes_of(before, after);
    }
    let (mut list, mut names) = (Vec::new(), Vec::new());
    for (k, joint) in scene.joints.iter().enumerate() {
        if joint.kind == key::JointKind::Attach {
            continue;
        }
        let path = format!("joints.{k}");
        let kind = kind(joint, &path)?;
        for (a, b) in ends(scene, made, joint, &path)? {
            list.push(self::joint(joint, kind, a, b, made));
            names.push(self::name(joint, a, b, made));
            if let Some(b) = b.filter(|_| !joint.contact) {
                pairs.push((a.min(b), a.max(b)));
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let members = made.system.rigids.entries();
    let joints = Joints::new(list, members, &made.rigid_starts);
    let joints = joints.map_err(|error| BuildError::value("joints", error))?;
    notices.extend(contradiction(&joints, &names, made));
    made.system.joints = joints;
    let response = contact::chosen(scene);
    let is_flat = |body: BodyId| made.bodies.kind(body) == BodyKind::Outline;
    let meets = pairs.iter().any(|(a, b)| !is_flat(*a) && !is_flat(*b));
    if meets && !matches!(response, Response::Constraint | Response::None) {
        notices.push(format!(
            "joined bodies repel each other where they touch: only the response \
             constraint leaves that out, not {}",
            super::word(&response)
        ));
    }
    Ok(pairs)
}

/// Notice on joints that cannot all hold.
fn contradiction(joints: &Joints, names: &[String], made: &SceneBodies) -> Option<String> {
    let mut trial = joints.clone();
    let (members, mut states) = (made.system.rigids.entries(), made.state.rigids.clone());
    let met = trial.positions(members, &mut states).ok().filter(|met| met.is_contradictory)?;
    let share = |miss: f64, most: f64| if most > 0.0 { miss / most } else { 0.0 };
    let torn = names.iter().enumerate().filter_map(|(joint, name)| {
        let [gap, twist] = trial.missed(joint);
        let is_torn = share(gap, met.gap).max(share(twist, met.twist)) > TORN;
        is_torn.then(|| format!("the {name} by {gap:.3e} m and {twist:.3e} rad"))
    });
    let torn: Vec<_> = torn.collect();
    Some(format!(
        "joints contradict each other, the least-squares solution misses {}: move an \
         anchor, widen limits or leave a joint out",
        torn.join(", ")
    ))
}

/// What a joint is called in a sentence; without `b` it holds `a` to the world.
fn name(joint: &key::Joint, a: BodyId, b: Option<BodyId>, made: &SceneBodies) -> String {
    let called = |body: BodyId| &*made.infos[body.index()].name;
    let other = b.map_or("the world".to_owned(), |b| format!("`{}`", called(b)));
    format!("{} of `{}` and {other}", super::word(&joint.kind), called(a))
}

/// What the joint leaves free.
fn kind(joint: &key::Joint, path: &str) -> Result<JointKind, BuildError> {
    let has_axis = matches!(joint.kind, key::JointKind::Hinge | key::JointKind::Slider);
    let word = super::word(&joint.kind);
    let given = [
        ("axis", joint.axis.is_some()),
        ("limits", joint.limits.is_some()),
        ("motor", joint.motor.is_some()),
    ];
    if let Some((name, _)) = given.into_iter().find(|(_, is_given)| *is_given && !has_axis) {
        let message = format!("a joint of kind `{word}` has no axis, so it takes no `{name}`");
        return Err(BuildError::value(format!("{path}.{name}"), message));
    }
    if let Some(name) =
        attach::choices(joint).into_iter().find_map(|(name, given)| given.then_some(name))
    {
        let message = format!("a joint of kind `{word}` takes no `{name}`: only `attach` does");
        return Err(BuildError::value(format!("{path}.{name}"), message));
    }
    let free = match joint.kind {
        key::JointKind::Ball => return Ok(JointKind::Ball),
        // What is attached is no joint; it was dealt with before.
        key::JointKind::Fixed | key::JointKind::Attach => return Ok(JointKind::Fixed),
        key::JointKind::Hinge => JointKind::Hinge,
        key::JointKind::Slider => JointKind::Slider,
    };
    let Some(direction) = joint.axis.map(vector) else {
        let wrong = BuildError::value(path, format!("a {word} needs an `axis`"));
        return Err(wrong.with_help("write axis = [0, 0, 1], a direction in the world"));
    };
    if direction == Vec3::ZERO {
        return Err(BuildError::value(
            format!("{path}.axis"),
            "the axis has no direction: it is zero",
        ));
    }
    if let Some([least, most]) = joint.limits.filter(|[least, most]| least > most) {
        let message =
            format!("limits from {least} to {most}: the first must not exceed the second");
        return Err(BuildError::value(format!("{path}.limits"), message));
    }
    let motor =
        joint.motor.as_ref().map(|motor| self::motor(joint.kind, motor, path)).transpose()?;
    Ok(free(Axis { direction, limits: joint.limits, motor }))
}

fn motor(kind: key::JointKind, motor: &key::Motor, path: &str) -> Result<Motor, BuildError> {
    let path = format!("{path}.motor");
    let (given, other, name) = match kind {
        key::JointKind::Slider => (motor.force, motor.torque, "force"),
        _ => (motor.torque, motor.force, "torque"),
    };
    let (Some(most), None) = (given, other) else {
        let message =
            format!("the motor of a {} needs a `{name}`, and no other", super::word(&kind));
        return Err(BuildError::value(path, message));
    };
    if most < 0.0 {
        let message = format!("the {name} is {most}: it must not be negative");
        return Err(BuildError::value(format!("{path}.{name}"), message));
    }
    Ok(Motor { speed: motor.speed, most })
}

/// Bodies that a joint joins: one pair, or all of a chain.
fn ends(
    scene: &spec::Scene,
    made: &SceneBodies,
    joint: &key::Joint,
    path: &str,
) -> Result<Vec<(BodyId, Option<BodyId>)>, BuildError> {
    let names = format!("{path}.bodies");
    let find = |k: usize| body(scene, made, &joint.bodies[k], &format!("{names}.{k}"));
    match (&joint.chain, joint.bodies.len()) {
        (Some(name), 0) => chain(scene, made, joint, name, path),
        (Some(_), _) => Err(BuildError::value(names, "`bodies` and `chain` cannot both be given")),
        (None, 1) => Ok(vec![(find(0)?, None)]),
        (None, 2) => {
            let (a, b) = (find(0)?, find(1)?);
            if a == b {
                let message = format!("the joint holds `{}` to itself", joint.bodies[0]);
                let help = "name two bodies, or one to hold it to the world";
                return Err(BuildError::value(format!("{names}.1"), message).with_help(help));
            }
            Ok(vec![(a, Some(b))])
        }
        (None, 0) => {
            let wrong = BuildError::value(path, "the joint joins nothing");
            Err(wrong.with_help("write bodies = [\"a\", \"b\"], or chain = \"a\""))
        }
        (None, count) => Err(BuildError::value(
            names,
            format!("{count} bodies: a joint joins two, or one to the world"),
        )),
    }
}

/// Each copy of a pattern and the next.
fn chain(
    scene: &spec::Scene,
    made: &SceneBodies,
    joint: &key::Joint,
    name: &str,
    path: &str,
) -> Result<Vec<(BodyId, Option<BodyId>)>, BuildError> {
    let chain = format!("{path}.chain");
    if joint.anchor.is_some() {
        let message = "a chain has a joint between each two copies: it takes no `anchor`";
        return Err(BuildError::value(format!("{path}.anchor"), message));
    }
    let Some(index) = scene.bodies.iter().position(|body| body.name == name) else {
        let names = scene.bodies.iter().map(|body| &*body.name);
        return Err(unknown(name, names, chain));
    };
    check_rigid(scene, index, &chain)?;
    let copies = copies(made, index);
    if copies.len() < 2 {
        let message = format!("`{name}` is one body: a chain needs a pattern of at least two");
        return Err(BuildError::value(chain, message));
    }
    let ids = copies.clone().skip(1);
    Ok(ids.map(|b| (BodyId(b - 1), Some(BodyId(b)))).collect())
}

/// Numbers of the bodies that an entry of `bodies` makes.
pub fn copies(made: &SceneBodies, index: usize) -> Range<u32> {
    let count = |index: usize| made.groups[index].ranges.len() as u32;
    let first = (0..index).map(count).sum();
    first..first + count(index)
}

/// The one rigid body of a name.
pub fn body(
    scene: &spec::Scene,
    made: &SceneBodies,
    name: &str,
    path: &str,
) -> Result<BodyId, BuildError> {
    let (id, index) = find(scene, made, name, path)?;
    check_rigid(scene, index, path)?;
    Ok(id)
}

/// The one body of a name, and its entry of `bodies`.
pub fn find(
    scene: &spec::Scene,
    made: &SceneBodies,
    name: &str,
    path: &str,
) -> Result<(BodyId, usize), BuildError> {
    let names = || made.infos.iter().map(|info| &*info.name);
    if let Some(id) = names().position(|known| known == name) {
        let index = (0..scene.bodies.len()).find(|&k| copies(made, k).contains(&(id as u32)));
        return Ok((BodyId(id as u32), index.unwrap_or(0)));
    }
    if scene.bodies.iter().any(|body| body.name == name) {
        let message = format!("`{name}` is a pattern of several bodies");
        let help = format!("name one of them, such as `{name}-0`");
        return Err(BuildError::new(DiagnosticKind::Name, path, message).with_help(help));
    }
    Err(unknown(name, names(), path))
}

fn unknown<'a>(
    name: &str,
    names: impl Iterator<Item = &'a str>,
    path: impl Into<String>,
) -> BuildError {
    let wrong = BuildError::new(DiagnosticKind::Name, path, format!("no body is called `{name}`"));
    let help = nearest(name, names).map(|name| format!("did you mean `{name}`?"));
    BuildError { help, ..wrong }
}

fn check_rigid(scene: &spec::Scene, index: usize, path: &str) -> Result<(), BuildError> {
    let body = &scene.bodies[index];
    if matches!(body.material, Material::Rigid { .. }) {
        return Ok(());
    }
    let wrong =
        BuildError::value(path, format!("`{}` is soft: joints hold rigid bodies", body.name));
    Err(wrong.with_help(
        "give it the material { kind = \"rigid\" }, pin its vertices, or attach them to a rigid \
         body: kind = \"attach\"",
    ))
}

/// The joint between two bodies, or without `b` between one and the world.
fn joint(
    key: &key::Joint,
    kind: JointKind,
    a: BodyId,
    b: Option<BodyId>,
    made: &SceneBodies,
) -> JointDefinition {
    let rigids: &RigidBodySet = &made.system.rigids;
    // Bodies were seen to be rigid.
    let place = |body: BodyId| rigids.index(body).unwrap_or(0);
    let centre = |body: BodyId| made.state.rigids[place(body)].centre;
    let between = b.map_or(centre(a), |b| 0.5 * (centre(a) + centre(b)));
    let anchor = key.anchor.map_or(between, vector);
    JointDefinition::new(kind, (place(a), b.map(place)), anchor)
}
