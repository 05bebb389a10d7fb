//! rapier3d's rigid bodies in our scenes: the same places, masses, moments, friction and walls.
//!
//! Boxes are its cuboids. Other shapes are triangle meshes, or convex parts that its own
//! decomposition makes of them with its own settings. Joints are its impulse joints, or those of
//! its multibodies. Everything else is at its defaults, but that bodies may not sleep. Walls are
//! thick fixed boxes, as in its own examples.

use pliant::body::rigid::all::RigidEntry;
use pliant::body::rigid::{RigidState, RigidTemplate};
use pliant::body::soft::State;
use pliant::math::{Aabb, Mat3, Quat, Vec3};
use pliant::solve::joint::{JointDefinition, JointKind};
use pliant_scene::loaded::LoadedScene;
use pliant_scene::spec::Scene;
use rapier3d::prelude::{
    ColliderBuilder, IntegrationParameters, MassProperties, PhysicsWorld, Pose, RigidBodyBuilder,
    RigidBodyHandle, Rotation, SharedShape, SphericalJointBuilder,
};

use crate::engine::Engine;
use crate::settle::rapier::{exact, insert_wall, rounded};

/// Walls reach this many times as far as the scene, and are as thick.
const REACH: f64 = 2.0;

/// How shapes are passed to rapier3d.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shapes {
    /// Boxes, whatever the mesh; bodies must not be turned at the start.
    Boxes,
    /// Boxes with the multibody joints of the scene; otherwise these are impulse joints.
    Multibodies,
    /// The convex hull.
    Hulls,
    /// The triangles of the surface.
    Triangles,
    /// Convex parts.
    Parts,
}

impl Shapes {
    /// For a table.
    pub fn name(self) -> &'static str {
        match self {
            Shapes::Boxes => "rapier3d, cuboids",
            Shapes::Multibodies => "rapier3d, cuboids in multibodies",
            Shapes::Hulls => "rapier3d, convex hulls",
            Shapes::Triangles => "rapier3d, triangle meshes",
            Shapes::Parts => "rapier3d, convex parts",
        }
    }
}

/// Convex parts of a shape that many bodies have; making them takes a while.
struct Decomposed {
    /// Vertices in the axes of the body that it was made for, m.
    points: Vec<Vec3>,
    shape: SharedShape,
}

/// Distance of vertices of two bodies of the same shape at most, per size.
const ALIKE: f64 = 1e-9;

/// A scene in rapier's world.
pub struct Rapier {
    world: PhysicsWorld,
    handles: Vec<RigidBodyHandle>,
    bodies: Vec<RigidTemplate>,
    /// Since the start, s.
    time: f64,
    dt: f64,
    vertex_count: usize,
}

impl Rapier {
    /// A scene of rigid bodies and planes; `Err` says what else it has.
    pub fn new(built: &LoadedScene, shapes: Shapes) -> Result<Rapier, String> {
        let scene: Scene = toml::from_str(&built.resolved).map_err(|error| error.to_string())?;
        let (simulation, info) = (built.world.simulation(), &built.info);
        let mut world = PhysicsWorld::new();
        world.gravity = rounded(Vec3::from(info.gravity));
        world.integration_parameters =
            IntegrationParameters { dt: info.dt as f32, ..Default::default() };
        let positions = &simulation.state.positions;
        let reach = REACH * positions.iter().map(|p| p.length()).fold(0.0, f64::max);
        for obstacle in &scene.obstacles {
            insert_wall(&mut world, obstacle, reach)?;
        }
        let (mut handles, mut bodies, mut known) = (Vec::new(), Vec::new(), Vec::new());
        for (member, rigid) in
            simulation.system.rigids.entries().iter().zip(&simulation.state.rigids)
        {
            let body = RigidBodyBuilder::dynamic()
                .pose(Pose::from_parts(rounded(rigid.centre), turn(rigid.turn)))
                .linvel(rounded(rigid.velocity))
                .angvel(rounded(rigid.spin))
                .additional_mass_properties(MassProperties::new(
                    rounded(Vec3::ZERO),
                    member.body.mass as f32,
                    rounded(member.body.moments),
                ))
                .can_sleep(false);
            let shape = shape(built, (member, rigid), shapes, &mut known)?;
            let collider = shape.density(0.0).friction(scene.contact.friction as f32);
            handles.push(world.insert(body, collider).0);
            bodies.push(member.body.clone());
        }
        for joint in simulation.system.joints.list() {
            insert_joint(&mut world, joint, &handles, &simulation.state.rigids, shapes)?;
        }
        let (time, dt, vertex_count) = (0.0, info.dt, positions.len());
        Ok(Rapier { world, handles, bodies, time, dt, vertex_count })
    }
}

impl Engine for Rapier {
    fn step(&mut self) -> Result<(), String> {
        self.world.step();
        self.time += self.dt;
        Ok(())
    }

    /// Vertices go with their bodies.
    fn state(&self) -> State {
        let mut state = State::at_rest(vec![Vec3::ZERO; self.vertex_count]);
        state.time = self.time;
        let mut next = 0;
        for (handle, body) in self.handles.iter().zip(&self.bodies) {
            let own = next..next + body.points.len();
            next = own.end;
            let Some(found) = self.world.bodies.get(*handle) else { continue };
            let [x, y, z, w] = found.rotation().to_array().map(f64::from);
            let rigid = RigidState {
                centre: exact(found.translation()),
                turn: Quat::from_xyzw(x, y, z, w),
                velocity: exact(found.linvel()),
                spin: exact(found.angvel()),
            };
            rigid.write(body, &mut state.positions[own.clone()], &mut state.velocities[own]);
        }
        state
    }
}

/// A ball joint between two bodies, or one and the world.
fn insert_joint(
    world: &mut PhysicsWorld,
    joint: &JointDefinition,
    handles: &[RigidBodyHandle],
    states: &[RigidState],
    shapes: Shapes,
) -> Result<(), String> {
    if joint.kind != JointKind::Ball {
        return Err("only ball joints are known to the peer".to_owned());
    }
    let local =
        |body: usize, at: Vec3| rounded(states[body].turn.conjugate() * (at - states[body].centre));
    let (first, [at, other_at]) = (joint.bodies.0, joint.anchors);
    let (second, anchor) = match joint.bodies.1 {
        Some(second) => (handles[second], local(second, other_at)),
        None => {
            let hook = RigidBodyBuilder::fixed().translation(rounded(other_at));
            (world.insert_body(hook), rounded(Vec3::ZERO))
        }
    };
    let (hung, own) = (handles[first], local(first, at));
    let ball = |anchors: [_; 2]| {
        let [parent, child] = anchors;
        let joint = SphericalJointBuilder::new().local_anchor1(parent).local_anchor2(child);
        joint.contacts_enabled(false)
    };
    if shapes != Shapes::Multibodies {
        world.insert_impulse_joint(second, hung, ball([anchor, own]));
        return Ok(());
    }
    // A body has one parent; where it has one already, it becomes that of the other.
    let made = world.insert_multibody_joint(second, hung, ball([anchor, own]));
    let made = made.or_else(|| world.insert_multibody_joint(hung, second, ball([own, anchor])));
    made.map(drop).ok_or_else(|| "rapier3d refuses a multibody joint".to_owned())
}

/// The shape of a body, in its own axes.
fn shape(
    built: &LoadedScene,
    (member, rigid): (&RigidEntry, &RigidState),
    shapes: Shapes,
    known: &mut Vec<Decomposed>,
) -> Result<ColliderBuilder, String> {
    if matches!(shapes, Shapes::Boxes | Shapes::Multibodies) {
        let placed = &built.world.simulation().state.positions[member.vertices.clone()];
        let half = rounded(0.5 * Aabb::around(placed.iter().copied()).size());
        let back = Pose::from_parts(rounded(Vec3::ZERO), turn(rigid.turn.conjugate()));
        return Ok(ColliderBuilder::cuboid(half.x, half.y, half.z).position(back));
    }
    let bodies = &built.world.simulation().system.bodies;
    let first = member.vertices.start as u32;
    let triangles = &bodies.triangles()[bodies.triangles_of(member.id)];
    // Inner vertices are in no triangle; they do no harm.
    let points: Vec<_> = member.body.points.iter().map(|r| rounded(*r)).collect();
    if shapes == Shapes::Hulls {
        return ColliderBuilder::convex_hull(&points).ok_or_else(|| "no hull".to_owned());
    }
    let corners: Vec<_> = triangles.iter().map(|corners| corners.map(|v| v.0 - first)).collect();
    if shapes == Shapes::Triangles {
        return ColliderBuilder::trimesh(points, corners).map_err(|error| format!("{error:?}"));
    }
    let own = &member.body.points;
    let alike = known.iter().find_map(|one| Some((between(&one.points, own)?, one)));
    if let Some((from_known, one)) = alike {
        let place = Pose::from_parts(rounded(Vec3::ZERO), turn(from_known));
        return Ok(ColliderBuilder::new(one.shape.clone()).position(place));
    }
    let shape = SharedShape::convex_decomposition(&points, &corners);
    known.push(Decomposed { points: own.clone(), shape: shape.clone() });
    Ok(ColliderBuilder::new(shape))
}

/// The turn that takes vertices to others, if one does.
fn between(from: &[Vec3], to: &[Vec3]) -> Option<Quat> {
    let size = from.iter().map(|r| r.length()).fold(0.0, f64::max);
    let (first, across) = (*from.first()?, |k: &usize| from[0].cross(from[*k]).length());
    let k = (0..from.len()).max_by(|a, b| across(a).total_cmp(&across(b)))?;
    let axes = |a: Vec3, b: Vec3| -> Option<Mat3> {
        let (x, z) = (a.try_normalize()?, a.cross(b).try_normalize()?);
        Some(Mat3::from_cols(x, z.cross(x), z))
    };
    let there = axes(*to.first()?, *to.get(k)?)?;
    let turned = Quat::from_mat3(&(there * axes(first, from[k])?.transpose()));
    let is_alike = from.len() == to.len()
        && from.iter().zip(to).all(|(a, b)| (turned * *a).distance(*b) <= ALIKE * size);
    is_alike.then_some(turned)
}

fn turn(q: Quat) -> Rotation {
    Rotation::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32)
}
