//! Contact for things that bend: soft and rigid bodies, joints, obstacles and friction.
//!
//! Pliant finds where bodies overlap, how deep and which way is out, resolves the contact, and
//! advances the bodies in time: it recovers from deep interpenetration and settles without any.
//! The library computes: it opens no file, reads no clock and prints nothing.
//!
//! ```
//! use pliant::prelude::*;
//!
//! fn main() -> Result<(), WorldError> {
//!     let mut world = World::new(); // gravity −9.81 along z, steps of 1/60 s, friction 0.3
//!     world.add(Obstacle::plane(Vec3::Z, 0.0))?;
//!     let ball = SoftBody::ball(0.1, 4).young(5e4).density(500.0); // m, layers; Pa; kg/m³
//!     let ball = world.add(ball.at(vec3(0.0, 0.0, 0.5)))?;
//!     for _ in 0..180 {
//!         world.step()?;
//!     }
//!     println!("at rest {:.3} m above the floor", world.centre(ball)?.z);
//!     assert!(world.velocity(ball)?.length() < 1e-3);
//!     Ok(())
//! }
//! ```
//!
//! Everything is in SI units and radians, and the same program gives the same bits with any
//! number of threads.
//!
//! # Between steps
//!
//! Whatever is added is named by a handle, which stays valid while other things come and go.
//! Kinematic bodies and obstacles move as code says, joints have limits and motors, and what a
//! ray meets can be grabbed and dragged.
//!
//! ```
//! use pliant::prelude::*;
//!
//! let mut world = World::new();
//! let floor = world.add(Obstacle::plane(Vec3::Z, 0.0))?;
//! let hand = world.add(KinematicBody::ball(0.05).at(vec3(0.0, 0.0, 1.0)))?;
//! let bar = RigidBody::cuboid(vec3(0.1, 0.1, 0.4)).mass(2.0).friction(0.8);
//! let bar = world.add(bar.at(vec3(0.0, 0.0, 0.75)))?;
//! let hinge = Joint::hinge(bar, hand, vec3(0.0, 0.0, 1.0), Vec3::Y).limits(-1.0, 1.0);
//! let hinge = world.add(hinge.motor(0.5, 20.0))?; // rad/s, with at most 20 N·m
//! for step in 1..=60 {
//!     let position = vec3(0.2 * f64::from(step) / 60.0, 0.0, 1.0);
//!     world.move_to(hand, Pose::at(position))?;
//!     let report = world.step()?;
//!     assert_eq!(report.unconverged, 0);
//! }
//! assert!(world.travel(hinge)?.is_some_and(|angle| (angle - 0.5).abs() < 0.01));
//!
//! world.remove(hinge)?; // the bar falls
//! let mut sounds = Vec::new();
//! for _ in 0..60 {
//!     world.step()?;
//!     let began = world.events().iter().filter(|event| event.kind == ContactEventKind::Began);
//!     sounds.extend(began.map(|event| (event.body, event.other, event.impulse.length())));
//! }
//! assert_eq!((sounds[0].0, sounds[0].1), (bar, Collider::Obstacle(floor)));
//!
//! world.remove(hand)?; // out of the ray's way
//! let over_the_bar = world.centre(bar)? + Vec3::Z;
//! if let Some(hit) = world.cast_ray(over_the_bar, -Vec3::Z)? {
//!     let grab = world.grab(hit, 500.0)?; // a spring, N/m
//!     world.drag(grab, over_the_bar)?;
//!     (0..60).try_for_each(|_| world.step().map(drop))?;
//!     world.release(grab)?;
//! }
//! assert!(world.centre(bar)?.z > 0.5);
//! # Ok::<(), WorldError>(())
//! ```
//!
//! # Meshes of your own
//!
//! A body is made of tets or of a closed surface; `pliant-io` reads them from files.
//!
//! ```
//! use pliant::prelude::*;
//!
//! let corners = [[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.0, 0.3, 0.0], [0.0, 0.0, 0.3]];
//! let positions = corners.map(Vec3::from).to_vec();
//! let tets = vec![[0, 1, 2, 3].map(VertexId)];
//! let regions = vec![0]; // one number per tet, for materials that differ
//! let mesh = TetMesh::new(positions, tets, regions)?;
//! let mut world = World::new();
//! let soft = world.add(SoftBody::new(&mesh).young(1e4))?;
//! let rigid = world.add(RigidBody::new(&mesh).at(vec3(1.0, 0.0, 0.0)))?;
//! assert!((world.mass(soft)? - world.mass(rigid)?).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! In the order in which data flows through them:
//!
//! - [`prelude`]: what most programs need.
//! - [`world`]: the front door: builders, handles, and everything that happens between steps.
//! - [`math`], [`id`]: vectors and exact signs; indices that say what they index.
//! - [`mesh`]: shapes at rest: generated, checked, described.
//! - [`body`]: all bodies of a scene in flat arrays; masses, pins, obstacles, rigid bodies.
//! - [`force`]: materials, gravity, drag, loads.
//! - [`detect`]: which vertices are inside which bodies; rays, points and boxes.
//! - [`depth`]: how far and which way is out.
//! - [`contact`]: contacts as constraint rows; responses.
//! - [`solve`]: contacts, joints and materials solved together.
//! - [`integrate`]: motion from forces.
//! - [`step`](mod@step): one step: the stages in order.
//! - [`record`]: energy, momentum and overlap, measured.
//! - [`separate`]: overlapping meshes in, the same meshes without overlap out.
//! - [`snapshot`], [`profile`], [`par`], [`choice`]: state as numbers, timing, threads, names of
//!   choices.
//!
//! # Features
//!
//! | feature | default | adds |
//! |---|---|---|
//! | `parallel` | yes | threads by rayon; the bits stay the same |
//! | `direct` | no | a sparse direct solver for implicit integrators, by faer |
//! | `checks` | no | [`force::check`](mod@force) and others: what a material or a signed distance of your own must pass |
//!
//! # Deeper
//!
//! - Penetrations without a world: [`penetrations`] of meshes,
//!   [`depth::query::penetrations_of_tets`] of plain slices, and
//!   [`depth::penetrations`](depth::penetrations()) with the topology built once.
//! - A material: [`world::BodyMaterial`], made of [`force::Material`] elements.
//! - A response, an integrator, more forces: [`world::Assembly`] and
//!   [`contact::response::Response`].
//! - An obstacle: [`body::obstacle::Shape`], by its signed distance.
//! - Contact rows in an engine with its own matrix: [`contact::search`] and [`solve::rows`].
//! - The simulation behind a world: [`World::simulation`](world::World::simulation), a
//!   [`step::Simulation`].
//!
//! The folder `examples` has a short program for each of these.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod math;

pub mod id;

pub mod choice;

pub(crate) mod order;

pub mod par;

pub mod profile;

pub mod snapshot;

pub mod mesh;

pub mod body;

pub mod force;

pub mod detect;

pub mod depth;

pub mod contact;

pub mod solve;

pub mod integrate;

pub mod step;

pub mod record;

pub mod separate;

pub mod world;

pub mod prelude;

pub use depth::query::penetrations;

/// The program in the README, compiled and run with the documentation's tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The program on the book's page about worlds.
#[cfg(doctest)]
#[doc = include_str!("../../../book/src/world.md")]
struct WorldPage;
