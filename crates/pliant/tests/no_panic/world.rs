//! Worlds: whatever is added, removed, changed, asked and restored, in any order.

use std::error::Error;
use std::sync::Arc;

use pliant::body::Bodies;
use pliant::body::keyframes::{Keyframes, Pose};
use pliant::body::obstacle::{Plane, Revolved};
use pliant::body::pins::PinPath;
use pliant::body::rigid::RigidState;
use pliant::body::rigid::all::RigidBodySet;
use pliant::body::soft::{Masses, State};
use pliant::force::Forces;
use pliant::force::gravity::Gravity;
use pliant::integrate::implicit::Implicit;
use pliant::integrate::implicit::ImplicitSettings;
use pliant::integrate::sleep::SleepSettings;
use pliant::math::Aabb;
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use pliant::prelude::*;
use pliant::solve::constraint::{ConstraintResponse, ConstraintSettings};
use pliant::step::{Simulation, Stepper};
use pliant::world::{
    Assembly, BodyMaterial, BodyModel, BodyModelKind, CarriedMesh, Driven, Energy, MaterialBody,
    MaterialPreset, ObstacleBuilder, OutlineMesh, Pinning, RigidPart, SharedMesh, SpringMaterial,
    SurfaceHit, WorldParts,
};
use proptest::prelude::*;

use crate::body::solid;
use crate::{Scene, block, config, count, disturbed, index, mild, quaternion, vectors, vertex};

/// What one operation may use.
#[derive(Clone, Debug)]
struct Dice {
    kind: usize,
    which: [usize; 3],
    numbers: [f64; 3],
    at: Vec3,
    to: Vec3,
    turn: Quat,
    vertices: Vec<VertexId>,
    points: Vec<Vec3>,
    places: Vec<Vec3>,
    count: usize,
    cells: u32,
    bytes: Vec<u8>,
}

/// A vector that is mostly harmless.
fn place() -> impl Strategy<Value = Vec3> + Clone {
    [mild(), mild(), mild()].prop_map(Vec3::from)
}

fn turn() -> impl Strategy<Value = Quat> + Clone {
    prop_oneof![2 => Just(Quat::IDENTITY), 1 => quaternion()]
}

fn dice() -> impl Strategy<Value = Dice> {
    let which = [0..100_usize, 0..100_usize, 0..100_usize];
    let numbers = ([mild(), mild(), mild()], place(), place(), turn());
    let lists = (
        prop::collection::vec(vertex(), 0..5),
        vectors(6),
        disturbed(block().positions().to_vec()),
        prop::collection::vec(any::<u8>(), 0..40),
    );
    let cells = prop_oneof![9 => 0..3_u32, 1 => Just(u32::MAX), 1 => Just(65_535)];
    (0..KINDS, which, numbers, lists, count(), cells).prop_map(
        |(
            kind,
            which,
            (numbers, at, to, turn),
            (vertices, points, places, bytes),
            count,
            cells,
        )| {
            Dice {
                kind,
                which,
                numbers,
                at,
                to,
                turn,
                vertices,
                points,
                places,
                count,
                cells,
                bytes,
            }
        },
    )
}

/// A world and all handles that there ever were, those of another world too.
struct Play {
    world: World,
    bodies: Vec<BodyHandle>,
    obstacles: Vec<ObstacleHandle>,
    joints: Vec<JointHandle>,
    grabs: Vec<GrabHandle>,
    saved: Vec<u8>,
}

impl Play {
    fn new() -> Play {
        let mut other = World::new();
        let die = || RigidBody::cuboid(Vec3::ONE);
        let bodies: Vec<_> = (0..9).map(|_| other.add(die()).unwrap()).collect();
        let floors: Vec<_> =
            (0..4).map(|_| other.add(Obstacle::plane(Vec3::Z, 0.0)).unwrap()).collect();
        let joints: Vec<_> =
            (0..4).map(|k| other.add(Joint::fixed(bodies[k], None)).unwrap()).collect();
        let grabs: Vec<_> =
            (0..4).map(|k| other.grab_at(bodies[k], Vec3::ONE, 1.0).unwrap()).collect();
        let mut play = Play {
            world: World::new(),
            bodies: vec![bodies[8]],
            obstacles: vec![floors[3]],
            joints: vec![joints[3]],
            grabs: vec![grabs[3]],
            saved: Vec::new(),
        };
        // A few that are sure to be there.
        let soft = SoftBody::new(block()).at(0.6 * Vec3::Z).young(1e4);
        play.bodies.push(play.world.add(soft).unwrap());
        play.bodies.push(play.world.add(die().at(vec3(0.2, 0.1, 1.4))).unwrap());
        play.bodies.push(
            play.world.add(KinematicBody::cuboid(0.5 * Vec3::ONE).at(3.0 * Vec3::X)).unwrap(),
        );
        play.obstacles.push(play.world.add(Obstacle::plane(Vec3::Z, 0.0)).unwrap());
        play
    }

    fn body(&self, which: usize) -> BodyHandle {
        self.bodies[which % self.bodies.len()]
    }

    fn collider(&self, which: usize) -> Collider {
        match which % 3 {
            0 => Collider::Obstacle(self.obstacles[which % self.obstacles.len()]),
            _ => Collider::Body(self.body(which)),
        }
    }

    fn act(&mut self, dice: &Dice) {
        match dice.kind {
            0..6 => self.add(dice),
            6..14 => self.change(dice),
            14..18 => self.set(dice),
            18..21 => self.hold(dice),
            21..24 => self.remove(dice),
            24..26 => self.look_up(dice),
            26 => self.jump(dice),
            27 => read_all(self),
            _ => {
                let _ = self.world.step();
            }
        }
    }

    fn add(&mut self, dice: &Dice) {
        let made = match dice.which[0] % 8 {
            0 | 1 => self.world.add(soft(dice)),
            2 => self.world.add(rigid(dice)),
            3 => self.world.add(kinematic(dice)),
            4 | 5 => self.world.add(model(dice)),
            6 => {
                self.obstacles.extend(self.world.add(obstacle(dice)));
                return;
            }
            _ => {
                let joint = self.joint(dice);
                self.joints.extend(self.world.add(joint));
                return;
            }
        };
        self.bodies.extend(made);
    }

    fn joint(&self, dice: &Dice) -> Joint {
        let [a, b, c] = dice.numbers;
        let [_, first, second] = dice.which;
        let first = self.body(first);
        let second = if second.is_multiple_of(3) { None } else { Some(self.body(second)) };
        let joint = match dice.count % 4 {
            0 => Joint::ball(first, second, dice.at),
            1 => Joint::hinge(first, second, dice.at, dice.to),
            2 => Joint::slider(first, second, dice.to),
            _ => Joint::fixed(first, second),
        };
        let joint = if dice.cells == 0 { joint.limits(-a, b).colliding() } else { joint };
        if dice.cells == 1 { joint.motor(b, c) } else { joint }
    }

    fn change(&mut self, dice: &Dice) {
        let Dice { at, to, turn, numbers: [a, b, _], .. } = *dice;
        let pose = Pose { position: at, rotation: turn };
        let [which, first, second] = dice.which;
        let (body, other) = (self.body(first), self.collider(second));
        let world = &mut self.world;
        let _ = match which % 18 {
            0 => world.move_to(body, pose),
            1 => world.move_to(self.obstacles[second % self.obstacles.len()], pose),
            2 => world.set_pose(body, pose),
            3 => world.set_positions(body, &dice.points),
            4 => world.set_positions(body, &dice.places),
            5 => world.set_velocity(body, at),
            6 => world.set_spin(body, at),
            7 => world.apply_impulse(body, at, to),
            8 => world.set_force(body, at),
            9 => world.set_material(body, material(dice)),
            10 => {
                let group = Group::new(first as u8).unwrap_or_default();
                world.set_surface(
                    other,
                    SurfaceRule { friction: Some(a), restitution: Some(b), group },
                )
            }
            11 => world.ignore_pair(body, other),
            12 => world.unignore_pair(body, other),
            13 => world.pin(body, &dice.vertices),
            14 => {
                let _ = world.pinned(body);
                let _ = world.unpin_vertices(body, &[VertexId(second as u32)]);
                world.unpin(body)
            }
            15 => world.set_motor(self.joints[second % self.joints.len()], Some((a, b))),
            16 => world.set_motor(self.joints[second % self.joints.len()], None),
            _ => {
                let [a, b] = [first, second].map(|k| Group::new(k as u8).unwrap_or_default());
                world.ignore(a, b);
                world.unignore(b, Group::A);
                Ok(())
            }
        };
    }

    fn set(&mut self, dice: &Dice) {
        let [a, b, _] = dice.numbers;
        let world = &mut self.world;
        match dice.which[0] % 11 {
            8 => drop(world.set_depenetration_speed(a)),
            9 => world.set_solver(solver(dice)),
            0 => drop(world.set_gravity(dice.at)),
            1 => drop(world.set_time_step(a)),
            2 => drop(world.set_friction(a)),
            3 => drop(world.set_restitution(a)),
            4 => drop(world.set_substeps([0, 1, 2, 3, u32::MAX][dice.which[1] % 5])),
            5 => world.set_sleep(Some(SleepSettings { quiet: a, after: b })),
            6 => world.set_sleep(None),
            7 => world.set_threads(dice.count),
            _ => drop(world.assemble()),
        }
    }

    fn hold(&mut self, dice: &Dice) {
        let Dice { at, to, numbers: [a, b, _], .. } = *dice;
        let [which, first, second] = dice.which;
        let (body, collider) = (self.body(first), self.collider(second));
        let grab = self.grabs[second % self.grabs.len()];
        match which % 4 {
            0 => self.grabs.extend(self.world.grab_at(body, at, a)),
            1 => {
                let (triangle, weights) = (None, [a; 3]);
                let hit =
                    SurfaceHit { collider, distance: a, point: at, normal: to, triangle, weights };
                self.grabs.extend(self.world.grab(hit, b));
            }
            2 => drop(self.world.drag(grab, at)),
            _ => drop(self.world.release(grab)),
        }
    }

    fn remove(&mut self, dice: &Dice) {
        let [which, first, _] = dice.which;
        let _ = match which % 8 {
            0 => self.world.remove(self.body(first)),
            1 => self.world.remove(self.obstacles[first % self.obstacles.len()]),
            2 => self.world.remove(self.joints[first % self.joints.len()]),
            3 => self.world.remove(self.grabs[first % self.grabs.len()]),
            _ => Ok(()),
        };
    }

    fn look_up(&mut self, dice: &Dice) {
        let Dice { at, to, numbers: [a, ..], .. } = *dice;
        let world = &mut self.world;
        let _ = world.cast_ray(at, to);
        let _ = world.cast_ray(at, at - to);
        let _ =
            world.cast_ray_with(at, to - at, a, |collider| matches!(collider, Collider::Body(_)));
        let _ = (world.nearest_point(at, a), world.nearest_point(to, f64::INFINITY));
        let _ = (world.bodies_at(at), world.bodies_in(Aabb { min: at, max: to }));
        let _ = world.penetrations();
    }

    /// Saves, or restores what was saved, damaged or not.
    fn jump(&mut self, dice: &Dice) {
        let [which, place, _] = dice.which;
        match which % 6 {
            0 | 1 => self.saved = self.world.save().unwrap_or_default(),
            2 => drop(self.world.restore(&dice.bytes)),
            3 => drop(self.world.restore(&self.saved)),
            _ => {
                let mut damaged = self.saved.clone();
                let number = dice.numbers[0].to_le_bytes();
                let count = damaged.len() / 8;
                if count > 1 {
                    let from = 8 * (1 + place * place % (count - 1));
                    damaged[from..from + 8].copy_from_slice(&number);
                }
                let _ = self.world.restore(&damaged);
                seal(&mut damaged);
                let _ = self.world.restore(&damaged);
                damaged.truncate(place);
                let _ = self.world.restore(&damaged);
            }
        }
    }
}

/// Gives damaged bytes the checksum that they should have, so that the damage is read.
fn seal(bytes: &mut [u8]) {
    let Some((header, numbers)) = bytes.split_at_mut_checked(16) else { return };
    let number = |chunk: &[u8]| chunk.try_into().map_or(0, u64::from_le_bytes);
    let numbers: Vec<u64> = numbers.chunks_exact(8).map(number).collect();
    let mix =
        |sum: u64, number: &u64| (sum ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    let sum = numbers.iter().fold(numbers.len() as u64, mix);
    header[8..].copy_from_slice(&sum.to_le_bytes());
}

/// Settings that no solver expects.
fn solver(dice: &Dice) -> ImplicitSettings {
    let [a, b, c] = dice.numbers;
    let mut settings = ImplicitSettings::default();
    (settings.linear.tolerance, settings.linear.iterations) = (a, dice.which[1] % 50);
    settings.rows.max_dense_vertices = [0, 60, usize::MAX][dice.which[2] % 3];
    (settings.rows.velocity_tolerance, settings.rows.rigid_velocity_tolerance) = (b, c);
    (settings.rows.sweeps, settings.rows.max_outer_iterations) =
        (dice.which[0] % 4, dice.which[1] % 4);
    settings
}

/// Asks for everything that can be read.
fn read_all(play: &mut Play) {
    let energy: Energy = play.world.energy().unwrap_or_default();
    let world = &play.world;
    let _ = (world.bodies().count(), world.obstacles().count(), world.time(), world.time_step());
    for body in world.bodies() {
        let _ = world.contact_load(body);
    }
    let _ = (world.gravity(), world.contacts().len(), world.events().len(), world.touching().len());
    let _ = (energy.total(), world.simulation().state.time);
    for &body in &play.bodies {
        let _ =
            (world.contains(body), world.positions(body).is_ok(), world.velocities(body).is_ok());
        let _ = (world.triangles(body).is_ok(), world.mass(body), world.centre(body));
        let _ = world.contact_mesh(body).is_ok();
        let _ = (world.velocity(body), world.spin(body), world.pose(body));
    }
    for &obstacle in &play.obstacles {
        let _ = (world.contains(obstacle), world.obstacle_pose(obstacle));
    }
    for &joint in &play.joints {
        let _ = (world.travel(joint), world.joint_load(joint));
    }
}

/// A mesh of any kind, of whatever corners.
fn mesh(dice: &Dice) -> SharedMesh {
    let Dice { vertices, points, places, .. } = dice;
    let (positions, at) =
        (points.clone(), |k: usize| vertices.get(k).copied().unwrap_or(VertexId(k as u32)));
    let sound = block();
    let positions = if dice.which[1].is_multiple_of(3) { positions } else { places.clone() };
    let edges = vec![[at(0), at(1)], [at(1), at(2)], [at(2), at(0)]];
    let triangles = vec![[at(0), at(1), at(2)]];
    let mesh = match dice.which[2] % 8 {
        0 | 1 => BodyMesh::Tets(sound),
        2 => {
            let tets = if dice.cells == 1 { sound.tets().to_vec() } else { vec![] };
            let raw = RawMesh {
                positions,
                tets,
                triangles: sound.surface().to_vec(),
                ..RawMesh::default()
            };
            BodyMesh::from_raw(raw).unwrap_or(BodyMesh::Particles(Vec::new()))
        }
        3 => {
            let raw = RawMesh {
                positions: sound.positions().to_vec(),
                triangles: sound.surface().to_vec(),
                ..RawMesh::default()
            };
            BodyMesh::from_raw(raw).unwrap_or(BodyMesh::Particles(Vec::new()))
        }
        4 => {
            let (shear, bend) = (edges.clone(), edges.clone());
            BodyMesh::SpringNetwork(SpringNetwork { positions, edges, shear, bend, triangles })
        }
        5 => BodyMesh::SpringNetwork(SpringNetwork::cloth(
            [dice.at.x, dice.at.y],
            [dice.cells + u32::from(dice.cells < 9), 3],
        )),
        6 => BodyMesh::Particles(positions),
        _ => BodyMesh::Outline(OutlineMesh { positions, rings: vec![vertices.clone(), vec![]] }),
    };
    let _ = (mesh.positions().len(), mesh.tets().len(), mesh.triangles().len(), mesh.edges().len());
    mesh.into()
}

/// A material by name, or that of before.
fn presets(body: SoftBody, count: usize) -> SoftBody {
    let Some(preset) = MaterialPreset::ALL.get(count) else { return body };
    let _ = (preset.name(), preset.about(), preset.elastic(), preset.density(), preset.is_tissue());
    body.material(preset.material()).preset(*preset)
}

fn soft(dice: &Dice) -> SoftBody {
    let Dice { at, to, turn, numbers: [a, b, c], cells, .. } = *dice;
    let body = match dice.which[1] % 5 {
        0 => SoftBody::ball(a, cells),
        1 => SoftBody::cuboid(to, [cells, 1, cells]),
        2 => SoftBody::cloth([a, b], [cells, cells]).mass(c),
        _ => SoftBody::new(mesh(dice)),
    };
    let body = body.at(2.0 * at).rotated(turn).velocity(to).spin(to);
    let body = match dice.which[2] % 8 {
        0 => body.young(1e4 * a).poisson(0.2 * b).damping(c),
        1 => body.young(1e4 * a).poisson(b).neo_hookean(),
        2 => body.density(1e3 * a).pin(dice.vertices.iter().copied()),
        3 => body.mass(a).pin_beyond(at, to),
        4 => body.springs(a, b, c).mass(c),
        5 => body.material(material(dice)),
        6 => body.custom(Wild { kind: dice.count, far: cells }).mass(1.0),
        _ => presets(body, dice.count),
    };
    match (dice.count, boundary(dice)) {
        (0, _) => body.friction(b).restitution(c).group(Group::B),
        (3, Some(surface)) => body.contact_mesh(&surface),
        _ => body,
    }
}

fn rigid(dice: &Dice) -> RigidBody {
    let Dice { at, to, turn, numbers: [a, b, c], .. } = *dice;
    let body = match dice.which[1] % 9 {
        0 => RigidBody::ball(a),
        1..4 => RigidBody::cuboid(to),
        _ => RigidBody::new(mesh(dice)),
    };
    let body = body.at(2.0 * at).rotated(turn).velocity(to).spin(at);
    let body = if dice.count.is_multiple_of(2) { body.mass(a) } else { body.density(1e3 * b) };
    if dice.count == 1 { body.friction(b).restitution(c).group(Group::A) } else { body }
}

fn kinematic(dice: &Dice) -> KinematicBody {
    let body = match dice.which[1] % 9 {
        0 => KinematicBody::ball(dice.numbers[0]),
        1..4 => KinematicBody::cuboid(dice.to),
        _ => KinematicBody::new(mesh(dice)),
    };
    body.at(2.0 * dice.at).rotated(dice.turn).friction(dice.numbers[1])
}

fn obstacle(dice: &Dice) -> ObstacleBuilder {
    let Dice { at, to, turn, numbers: [a, b, c], .. } = *dice;
    let made = match dice.which[1] % 6 {
        0 => Obstacle::plane(at, b),
        1 => Obstacle::cuboid(to).at(-2.0 * at),
        2 => Obstacle::sphere(a).at(-3.0 * at),
        3 => Obstacle::cylinder(a, b).rotated(turn),
        4 => Obstacle::capsule(a, b).rotated(turn),
        _ => Obstacle::of(Plane),
    };
    let made = if dice.count == 2 { made.friction(b).restitution(c).group(Group::C) } else { made };
    if dice.count == 3 { Obstacle::of(Revolved::sphere(0.5).unwrap()).at(at) } else { made }
}

fn material(dice: &Dice) -> SoftMaterial {
    let [a, b, c] = dice.numbers;
    let settings = ElasticSettings { young: 1e4 * a, poisson: 0.2 * b, damping: c };
    match dice.count % 4 {
        0 => SoftMaterial::Corotational(settings),
        1 => SoftMaterial::NeoHookean(settings),
        2 => SoftMaterial::Springs(SpringMaterial { stiffness: a, shear: b, bend: c, damping: a }),
        _ => SoftMaterial::Custom(Arc::new(Wild { kind: dice.which[0], far: dice.cells })),
    }
}

/// A body whose arrays may not belong together.
fn model(dice: &Dice) -> BodyModel {
    let Dice { at, to, turn, numbers: [a, b, c], .. } = *dice;
    let mesh = mesh(dice).0;
    let count = mesh.positions().len();
    let (body, state) = solid(&Scene::new());
    let kind = match dice.which[1] % 7 {
        0 => BodyModelKind::Soft(material(dice)),
        1 => BodyModelKind::Soft(SoftMaterial::Springs(SpringMaterial {
            stiffness: 1.0,
            shear: a,
            bend: b,
            damping: c,
        })),
        2 => {
            BodyModelKind::Rigid(RigidPart::new(body, state, Pose { position: at, rotation: turn }))
        }
        3 => {
            let state = RigidState { centre: at, turn, velocity: to, spin: to };
            let moments = if dice.cells == 0 { to } else { body.moments };
            let body = pliant::body::rigid::RigidTemplate {
                mass: a,
                moments,
                points: dice.places.clone(),
            };
            BodyModelKind::Rigid(RigidPart {
                body,
                state,
                origin: Pose { position: to, rotation: turn },
            })
        }
        4 => BodyModelKind::Kinematic(Driven {
            pose: Pose { position: at, rotation: turn },
            target: Some(Pose { position: to, rotation: turn }),
        }),
        _ => BodyModelKind::Fixed,
    };
    let motion = Keyframes::still(Pose { position: to, rotation: turn });
    let path = motion.ok().map(|motion| PinPath { motion, pivot: at });
    let held = dice.vertices.iter().take(2).map(|vertex| (*vertex, at)).collect();
    let list = |value: Vec3| {
        if dice.which[0].is_multiple_of(3) { dice.points.clone() } else { vec![value; count] }
    };
    let rest = if dice.cells == 2 { list(at) } else { mesh.positions().to_vec() };
    let start = if dice.count == 1 { list(to) } else { mesh.positions().to_vec() };
    let masses = if dice.count == 2 { vec![a; dice.places.len()] } else { vec![1.0; count] };
    let pins = if dice.cells == 1 { vec![Pinning { vertices: held, path }] } else { vec![] };
    let restitution = (dice.count == 4).then_some(c);
    let surface = SurfaceRule { friction: Some(b), restitution, group: Group::D };
    BodyModel {
        mesh,
        rest: Arc::new(rest),
        kind,
        start,
        velocities: list(Vec3::ZERO),
        masses,
        pins,
        surface,
        contact_mesh: (dice.count == 3).then(|| carried(dice)).flatten(),
    }
}

/// A surface on the tets of the block, or on none.
fn carried(dice: &Dice) -> Option<Arc<CarriedMesh>> {
    let block = BodyMesh::Tets(block());
    let mut carried = CarriedMesh::new(&block, &boundary(dice)?).ok()?;
    if dice.which[2].is_multiple_of(2) {
        carried.embedding.weights.truncate(dice.places.len());
    }
    Some(Arc::new(carried))
}

/// The boundary of the block, with the vertices given where they make a surface.
fn boundary(dice: &Dice) -> Option<Surface> {
    let (positions, triangles) = (dice.places.clone(), block().surface().to_vec());
    let raw = RawMesh { positions, triangles, ..RawMesh::default() };
    Surface::from_raw(raw).ok().map(|(surface, _)| surface)
}

/// A material or an assembly of someone else.
#[derive(Clone, Debug)]
struct Wild {
    kind: usize,
    far: u32,
}

impl BodyMaterial for Wild {
    fn push_forces(
        &self,
        bodies: &[MaterialBody<'_>],
        forces: &mut Forces,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        for body in bodies {
            let _ = (body.tets().len(), body.edges().len());
        }
        match self.kind % 4 {
            0 => Err("no".into()),
            1 => Ok(()),
            2 => {
                let count = 3 * (self.far.min(100) as usize);
                forces.push(Gravity::new(Vec3::X, &vec![1.0; count]));
                Ok(())
            }
            _ => {
                forces.push(Gravity::new(Vec3::X, &vec![1.0; bodies[0].first as usize + 1]));
                Ok(())
            }
        }
    }
}

impl Assembly for Wild {
    fn assemble(&self, parts: WorldParts<'_>) -> Result<Stepper, Box<dyn Error + Send + Sync>> {
        let far = self.far.min(20) as usize;
        let _ = parts.handles.iter().filter(|handle| parts.vertices(**handle).is_none()).count();
        let usual = parts.usual_stepper()?;
        let others = Scene::new();
        let contact = ConstraintResponse::new(
            &others.rest,
            &others.bodies,
            Vec::new(),
            ConstraintSettings::default(),
        )?;
        let plain = Stepper::new(Box::new(Implicit::default()));
        let WorldParts { state, system, .. } = parts;
        match self.kind % 11 {
            0 => return Err("no".into()),
            1 => return Ok(plain),
            2 => return Ok(plain.with_contact(contact)),
            3 => *state = State::at_rest(vec![Vec3::ONE; far]),
            4 => state.rigids.clear(),
            5 => state.velocities.truncate(far),
            6 => system.bodies = Arc::new(Bodies::of_particles([far]).unwrap()),
            7 => system.bodies = others.bodies.clone(),
            8 => system.masses = Masses::new(vec![1.0; far]).unwrap(),
            9 => system.rigids = RigidBodySet::default(),
            _ => system.forces = Forces::new(),
        }
        Ok(usual)
    }
}

/// Kinds of operations; steps are several.
const KINDS: usize = 36;

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn whatever_is_done_the_world_goes_on_or_says_why(list in prop::collection::vec(dice(), 0..40)) {
        let mut play = Play::new();
        for dice in &list {
            play.act(dice);
        }
        read_all(&mut play);
    }

    #[test]
    fn what_is_refused_leaves_the_world_as_it_was(list in prop::collection::vec(dice(), 1..12)) {
        let mut play = Play::new();
        play.world.step().unwrap();
        for dice in &list {
            let before = play.world.save().unwrap();
            let world = &mut play.world;
            let is_refused = match dice.kind % 5 {
                0 => world.add(SoftBody::new(mesh(dice)).at(f64::NAN * Vec3::X)).is_err(),
                1 => world.add(RigidBody::cuboid(Vec3::ONE).mass(-1.0)).is_err(),
                2 => world.pin(play.bodies[1], &[VertexId(u32::MAX)]).is_err(),
                3 => world.set_positions(play.bodies[1], &dice.points[..dice.points.len().min(5)]).is_err(),
                _ => world.restore(&dice.bytes).is_err() && world.restore(&before[..before.len() - 8]).is_err(),
            };
            prop_assert!(is_refused);
            prop_assert_eq!(&play.world.save().unwrap(), &before);
            play.world.step().unwrap();
        }
    }

    #[test]
    fn assemblies_from_outside_work_or_are_refused(
        (kind, far) in (0..11_usize, index()),
        list in prop::collection::vec(dice(), 0..10),
    ) {
        let mut play = Play::new();
        play.world.step().unwrap();
        play.world.set_assembly(Wild { kind, far });
        let step = play.world.step();
        prop_assert!(![0, 2, 3, 4, 5, 6, 8].contains(&kind) || step.is_err(), "{:?}", step);
        read_all(&mut play);
        for dice in &list {
            play.act(dice);
        }
    }

    #[test]
    fn a_simulation_that_was_replaced_is_used_or_refused(
        (kind, far, threads) in (0..6_usize, 0..30_usize, count()),
        list in prop::collection::vec(dice(), 0..10),
    ) {
        let mut play = Play::new();
        play.world.step().unwrap();
        let simulation = play.world.simulation_mut();
        let stepper = Stepper::new(Box::new(Implicit::default()));
        match kind {
            0 => *simulation = Simulation::new(State::default(), Default::default(), stepper),
            1 => simulation.state = State::at_rest(vec![Vec3::ONE; far]),
            2 => simulation.state.rigids.clear(),
            3 => simulation.system.bodies = Arc::new(Bodies::of_particles([far]).unwrap()),
            4 => simulation.system.masses = Masses::new(vec![1.0; far]).unwrap(),
            _ => simulation.system.rigids = RigidBodySet::default(),
        }
        simulation.set_threads(threads);
        let _ = play.world.step();
        read_all(&mut play);
        for dice in &list {
            play.act(dice);
        }
    }
}
