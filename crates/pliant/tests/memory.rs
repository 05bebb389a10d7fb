//! Steps allocate nothing once warm.
//!
//! A binary of its own, because it counts allocations; those of the stepping thread, as the test
//! harness has threads too.

#![allow(clippy::unwrap_used, reason = "a test may")]

#[path = "../examples/integrators/methods.rs"]
#[allow(dead_code, reason = "only the integrators are needed, not what theory says of them")]
mod methods;

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;

use std::sync::Arc;

use methods::METHODS;
use pliant::body::keyframes::{Keyframes, Pose};
use pliant::body::obstacle::{Obstacle, Plane, SurfaceMaterial};
use pliant::body::pins::Pins;
use pliant::body::soft::{Masses, State};
use pliant::body::{Bodies, Mesh};
use pliant::contact::response::Response;
use pliant::contact::search::{ContactQuery, ContactSettings, Search};
use pliant::contact::{Contact, Feature};
use pliant::force::StateView;
use pliant::force::drag::{Drag, DragLaw};
use pliant::force::elastic::{Corotational, Elastic, ElasticSettings};
use pliant::force::gravity::Gravity;
use pliant::id::VertexId;
use pliant::integrate::constraint::{Constraints, PbdSettings, PositionConstraint};
use pliant::integrate::euler::{Euler, EulerKind};
use pliant::integrate::implicit::{Implicit, ImplicitSettings};
use pliant::integrate::pbd::Pbd;
use pliant::integrate::shape_matching::matching::{ShapeMatching, Velocities};
use pliant::integrate::shape_matching::{self, Group, Groups, Plasticity, Stiffness, Volume};
use pliant::integrate::verlet::VelocityKind;
use pliant::integrate::{Integrator, System};
use pliant::math::{Quat, Vec2, Vec3};
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::icosahedron::icosahedron;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::tet::TetMesh;
use pliant::prelude::{Joint, Obstacle as WorldObstacle, RigidBody, World};
use pliant::record::overlap::Measure;
use pliant::solve::constraint::{ConstraintResponse as Rows, ConstraintSettings};
use pliant::solve::rows::RowSettings;
use pliant::step::{MatchOrder, Stepper};
use pliant_papers::bodies::barrier::BodyBarrier;
use pliant_papers::bodies::buffer::{Buffer, BufferSettings};
use pliant_papers::bodies::impulse::BodyImpulses;
use pliant_papers::bodies::{BodyPenalty, BodyPenaltySettings, Kind};
use pliant_plane::image::Images;
use pliant_plane::outline::Outlines;
use pliant_plane::{Backend, Pair, ProximityQuery, QueryFlags};

/// Vertices of the scene.
const COUNT: usize = 50;

/// Counts allocations.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

#[expect(unsafe_code, reason = "an allocator cannot be written without; it only counts")]
// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { std::alloc::System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { std::alloc::System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn scene() -> (System, State) {
    let state = State::at_rest((0..COUNT).map(|k| 0.1 * k as f64 * Vec3::X).collect());
    let masses = Masses::new(vec![1.0; COUNT]).unwrap();
    let mut system = System { masses, ..System::default() };
    system.pins = Pins::still(&[VertexId(0)], &state.positions).unwrap();
    system.forces.push(Gravity::new(-9.81 * Vec3::Z, &[1.0; COUNT]));
    system.forces.push(Drag::new(DragLaw::Quadratic, vec![0.1; COUNT], Vec3::X).unwrap());
    (system, state)
}

/// Two overlapping cubes, stepped repeatedly from one state with penalty forces.
#[test]
fn warm_penalties_allocate_nothing() {
    let cube = cuboid([3; 3], Vec3::ONE, TetSplit::Five).unwrap();
    let count = cube.positions.len();
    let bodies = Bodies::from_tets(&[(count, &cube.tets), (count, &cube.tets)]).unwrap();
    let bodies = Arc::new(bodies);
    let second = cube.positions.iter().map(|p| *p + Vec3::new(0.7, 0.1, 0.05));
    let start = State::at_rest(cube.positions.iter().copied().chain(second).collect());
    for kind in [Kind::Consistent, Kind::Closest] {
        let masses = Masses::new(vec![1.0; 2 * count]).unwrap();
        let mut system = System { masses, bodies: bodies.clone(), ..System::default() };
        let settings = BodyPenaltySettings::of_step(kind, 1e-3);
        let response = BodyPenalty::new(&start.positions, &bodies, settings).unwrap();
        let euler = Box::new(Euler::new(EulerKind::Symplectic));
        let mut stepper = Stepper::new(euler).with_responses(vec![Box::new(response)]);
        let mut state = start.clone();
        let mut steps = |rounds: usize| {
            for _ in 0..rounds {
                state.copy_from(&start);
                for _ in 0..3 {
                    let report = stepper.step(&mut system, &mut state, 1e-3).unwrap();
                    assert!(report.contact.contacts > 0);
                }
            }
            ALLOCATIONS.with(Cell::get)
        };
        let warm = steps(2);
        assert_eq!(steps(5), warm, "{kind:?}");
    }
}

/// The other responses, cubes that overlap or nearly touch, the same way.
#[test]
fn warm_responses_between_bodies_allocate_nothing() {
    let cube = cuboid([3; 3], Vec3::ONE, TetSplit::Five).unwrap();
    let count = cube.positions.len();
    let bodies = Bodies::from_tets(&[(count, &cube.tets), (count, &cube.tets)]).unwrap();
    let bodies = Arc::new(bodies);
    for (overlap, response) in [(0.3, 0), (0.3, 1), (0.3, 2), (-0.015, 2)] {
        let second = cube.positions.iter().map(|p| *p + Vec3::new(1.0 - overlap, 0.1, 0.05));
        let start = State::at_rest(cube.positions.iter().copied().chain(second).collect());
        let (rest, dt) = (&start.positions, 1e-4);
        let response: Box<dyn Response> = match response {
            0 => Box::new(BodyImpulses::new(rest, &bodies, Default::default()).unwrap()),
            1 => Box::new(Buffer::new(rest, &bodies, BufferSettings::of_step(dt)).unwrap()),
            _ => Box::new(BodyBarrier::new(rest, &bodies, Default::default()).unwrap()),
        };
        let masses = Masses::new(vec![1.0; 2 * count]).unwrap();
        let mut system = System { masses, bodies: bodies.clone(), ..System::default() };
        let euler = Box::new(Euler::new(EulerKind::Symplectic));
        let mut stepper = Stepper::new(euler).with_responses(vec![response]);
        let mut state = start.clone();
        let mut steps = |rounds: usize| {
            for _ in 0..rounds {
                state.copy_from(&start);
                state.velocities[count..].fill(-0.1 * Vec3::X);
                for _ in 0..3 {
                    stepper.step(&mut system, &mut state, dt).unwrap();
                }
            }
            ALLOCATIONS.with(Cell::get)
        };
        let warm = steps(2);
        assert_eq!(steps(5), warm, "{overlap}");
    }
}

/// The default response between overlapping soft cubes, by either solver.
#[test]
fn warm_rows_allocate_nothing() {
    let cube = cuboid([3; 3], Vec3::ONE, TetSplit::Five).unwrap();
    let count = cube.positions.len();
    let bodies = Arc::new(Bodies::from_tets(&[(count, &cube.tets), (count, &cube.tets)]).unwrap());
    let second = cube.positions.iter().map(|p| *p + Vec3::new(0.7, 0.1, 0.05));
    let start = State::at_rest(cube.positions.iter().copied().chain(second).collect());
    for max_dense_vertices in [0, count] {
        let stuff = ElasticSettings { young: 3e4, ..ElasticSettings::default() };
        let tets = bodies.tets();
        let elastic = Elastic::<Corotational>::new(&start.positions, tets, |_| stuff).unwrap();
        let masses = Masses::new(vec![1.0; 2 * count]).unwrap();
        let mut system = System { masses, bodies: bodies.clone(), ..System::default() };
        system.forces.push(elastic);
        system.forces.push(Gravity::new(9.81 * Vec3::X, system.masses.of()));
        let rows = RowSettings { max_dense_vertices, ..RowSettings::default() };
        let implicit = Implicit::new(ImplicitSettings { rows, ..ImplicitSettings::default() });
        let response =
            Rows::new(&start.positions, &bodies, Vec::new(), ConstraintSettings::default())
                .unwrap();
        let responses: Vec<Box<dyn Response>> = vec![Box::new(response)];
        let mut stepper = Stepper::new(Box::new(implicit)).with_responses(responses);
        let mut state = start.clone();
        let mut sweeps = 0;
        let mut steps = |rounds: usize| {
            for _ in 0..rounds {
                state.copy_from(&start);
                for _ in 0..5 {
                    sweeps += stepper.step(&mut system, &mut state, 1.0 / 60.0).unwrap().sweeps;
                }
            }
            ALLOCATIONS.with(Cell::get)
        };
        let warm = steps(3);
        assert_eq!(steps(5), warm, "{max_dense_vertices}");
        assert!(sweeps > 8 * 5, "{sweeps}");
    }
}

/// Every integrator, one after the other.
#[test]
fn warm_steps_allocate_nothing() {
    let link =
        |k: u32| PositionConstraint::Distance { ends: [VertexId(k), VertexId(k + 1)], length: 0.1 };
    let links = (0..COUNT as u32 - 1).map(link).collect();
    let constraints = Constraints::new(links, Vec::new(), COUNT).unwrap();
    let relaxed = Pbd::new(VelocityKind::Backward, constraints, PbdSettings::default());
    let plain = METHODS.iter().map(|method| (method.name, (method.make)()));
    let relaxed: (&str, Box<dyn Integrator>) = ("relaxed", Box::new(relaxed));
    for (name, mut integrator) in plain.chain([relaxed]) {
        let (mut system, mut state) = scene();
        let mut steps = |count| {
            for _ in 0..count {
                integrator.step(&mut system, &mut state, 1e-3).unwrap();
            }
            ALLOCATIONS.with(Cell::get)
        };
        let warm = steps(3);
        assert_eq!(steps(20), warm, "{name}");
    }
}

/// Groups of all kinds that overlap, yield and turn.
#[test]
fn warm_matches_allocate_nothing() {
    let linear = shape_matching::Kind::Linear { blend: 0.5, volume: Volume::Kept };
    let kinds =
        [shape_matching::Kind::Rigid, linear, shape_matching::Kind::Quadratic { blend: 0.5 }];
    let group = |(k, kind): (u32, shape_matching::Kind)| Group {
        vertices: (10 * k..10 * k + 20).map(VertexId).collect(),
        kind,
        stiffness: Stiffness::Share(0.5),
        plasticity: Some(Plasticity { yields_at: 0.0, creep: 1.0, most: 0.5 }),
    };
    let groups: Vec<Group> = (0..).zip(kinds).map(group).collect();
    for velocities in [Velocities::Travelled, Velocities::Kept] {
        let (mut system, mut state) = scene();
        for (k, x) in state.positions.iter_mut().enumerate() {
            *x += Vec3::new(0.0, libm::sin(0.7 * k as f64), libm::cos(1.3 * k as f64));
        }
        system.pins = Pins::default();
        let rest = state.positions.clone();
        let groups = Groups::new(&groups, &rest, &system.masses, &system.pins).unwrap();
        let euler = Box::new(Euler::new(EulerKind::Symplectic));
        let mut stepper = Stepper::new(euler)
            .with_matching(ShapeMatching::new(groups, velocities), MatchOrder::BeforeContact);
        let mut steps = |count| {
            for _ in 0..count {
                stepper.step(&mut system, &mut state, 1e-2).unwrap();
            }
            ALLOCATIONS.with(Cell::get)
        };
        let warm = steps(3);
        assert_eq!(steps(20), warm, "{velocities:?}");
    }
}

#[test]
fn a_warm_search_for_contacts_allocates_nothing() {
    let sizes = [1.0; 4];
    let ball = |size| TetMesh::from_raw(icosahedron(size).unwrap()).unwrap().0;
    let meshes = sizes.map(ball);
    let bodies = Bodies::from_meshes(&meshes.each_ref().map(Mesh::Tets)).unwrap();
    let rest: Vec<Vec3> = meshes.iter().flat_map(|mesh| mesh.positions().to_vec()).collect();
    let floor = Keyframes::still(Pose::along(-0.8 * Vec3::Z, Vec3::Z).unwrap()).unwrap();
    let floor = [Obstacle::new(Plane, floor, SurfaceMaterial::default()).unwrap()];
    // Overlapping, near, and overlapping again; bodies wholly inside others are not here, as
    // `depth` allocates to name their reason.
    let places = [0.0, 1.4, 3.4, 5.0];
    let velocities = vec![Vec3::X; rest.len()];
    let (mut search, mut found) = (Search::new(&rest, &bodies).unwrap(), Vec::new());
    let mut positions = rest.clone();
    let mut searches = |count: u32| {
        for k in 0..count {
            for (body, place) in bodies.ids().zip(places) {
                let shift = (place - 1e-3 * f64::from(k * body.0)) * Vec3::X;
                for v in bodies.vertices(body) {
                    positions[v] = rest[v] + shift;
                }
            }
            let motion = StateView { positions: &positions, velocities: &velocities, time: 0.0 };
            let query = ContactQuery {
                motion,
                bodies: &bodies,
                obstacles: &floor,
                settings: ContactSettings::default(),
                dt: 0.01,
            };
            search.find(query, &mut found).unwrap();
        }
        ALLOCATIONS.with(Cell::get)
    };
    let warm = searches(20);
    assert_eq!(searches(20), warm);
    let of_floor = |contact: &&Contact| matches!(contact.feature, Feature::VertexObstacle(..));
    let with_floor = found.iter().filter(of_floor).count();
    assert!(with_floor > 0 && found.len() > with_floor, "{with_floor} of {}", found.len());
}

/// Outlines that move to and fro, with all queries.
#[test]
fn warm_images_allocate_nothing() {
    let mut outlines = Outlines::default();
    for k in 0..4 {
        let ring = (0..40).map(|n| {
            let radius = 1.0 + 0.3 * f64::from(n * n % 11) / 11.0;
            Vec2::new(1.8 * f64::from(k), 0.0) + radius * Vec2::from_angle(0.157 * f64::from(n))
        });
        outlines.push(&[ring.collect()]).unwrap();
    }
    let pairs: Vec<Pair> = (0..4).flat_map(|b| (0..b).map(move |a| Pair { a, b })).collect();
    let question = ProximityQuery { error: 0.01, contact_distance: 0.05, flags: QueryFlags::ALL };
    let (mut images, mut answers) = (Images::default(), Vec::new());
    let mut frames = |count| {
        for frame in 0..count {
            let shift = 0.01 * if frame % 2 == 0 { Vec2::X } else { Vec2::NEG_X };
            outlines.points_mut()[..40].iter_mut().for_each(|point| *point += shift);
            images.query(&outlines, &pairs, &question, &mut answers).unwrap();
            assert!(answers[0].contacts.len() > 1 && answers[1].separation.is_some());
        }
        ALLOCATIONS.with(Cell::get)
    };
    let warm = frames(4);
    assert_eq!(frames(20), warm);
}

/// Two cubes turned against each other, none on a face; one moves to and fro.
#[test]
fn the_warm_test_of_overlap_allocates_nothing() {
    let cube = cuboid([3; 3], Vec3::ONE, TetSplit::Five).unwrap();
    let count = cube.positions.len();
    let bodies = Bodies::from_tets(&[(count, &cube.tets), (count, &cube.tets)]).unwrap();
    let turn = Quat::from_rotation_x(0.4) * Quat::from_rotation_z(0.3);
    let second = cube.positions.iter().map(|p| turn * *p + Vec3::new(0.57, 0.31, 0.23));
    let mut positions: Vec<_> = cube.positions.iter().copied().chain(second).collect();
    let mut measure = Measure::new(&positions, &bodies);
    let mut rounds = |count_of_rounds| {
        for round in 0..count_of_rounds {
            let shift = Vec3::splat(if round % 2 == 0 { 0.07 } else { -0.07 });
            positions[count..].iter_mut().for_each(|position| *position += shift);
            let overlap = measure.measure(&positions, &bodies);
            assert!(overlap.penetrating_vertices > 5 && overlap.edge_crossings > 5, "{overlap:?}");
        }
        ALLOCATIONS.with(Cell::get)
    };
    let warm = rounds(4);
    assert_eq!(rounds(20), warm);
}

/// Three chains with limits and motors, and as many boxes, on a floor.
#[test]
fn warm_joints_in_substeps_allocate_nothing() {
    let mut world = World::new();
    world.set_sleep(None);
    world.add(WorldObstacle::plane(Vec3::Z, 0.0).friction(0.5)).unwrap();
    let link = RigidBody::cuboid(Vec3::new(0.3, 0.1, 0.1)).mass(0.5);
    for chain in 0..3 {
        let at = |k: u32| Vec3::new(0.35 * f64::from(k), 0.2 * f64::from(chain), 0.08);
        let links: Vec<_> = (0..4).map(|k| world.add(link.clone().at(at(k))).unwrap()).collect();
        for (k, pair) in links.windows(2).enumerate() {
            let joint = Joint::hinge(pair[1], pair[0], at(k as u32) + 0.175 * Vec3::X, Vec3::Y);
            world.add(joint.limits(-0.5, 0.5).motor(1.0, 0.1)).unwrap();
        }
        world
            .add(RigidBody::cuboid(Vec3::splat(0.1)).mass(0.2).at(at(1) + 0.12 * Vec3::Z))
            .unwrap();
    }
    assert_warm(&mut world);
}

/// Steps a world until its memory is as large as it needs, and then asks for none.
fn assert_warm(world: &mut World) {
    for _ in 0..200 {
        world.step().unwrap();
    }
    for step in 0..20 {
        let before = ALLOCATIONS.with(Cell::get);
        let report = world.step().unwrap();
        assert_eq!(ALLOCATIONS.with(Cell::get), before, "{step}");
        assert!(report.contact.contacts > 0, "{step}");
    }
}

/// Boxes in one island of more than a part has.
#[test]
fn warm_large_islands_allocate_nothing() {
    let mut world = World::new();
    world.set_sleep(None);
    world.add(WorldObstacle::plane(Vec3::Z, 0.0).friction(0.5)).unwrap();
    let cube = RigidBody::cuboid(Vec3::ONE).density(1000.0);
    for k in 0..600 {
        let (column, row) = (f64::from(k % 200), f64::from(k / 200));
        let at = Vec3::new(1.02 * (column + 0.5 * row), 0.0, 0.505 + 1.005 * row);
        world.add(cube.clone().at(at)).unwrap();
    }
    assert_warm(&mut world);
}
