//! The front door: a world of soft, rigid and kinematic bodies, obstacles and joints.
//!
//! Everything is described by a builder, added to a [`World`], and named by the handle that
//! [`World::add`] returns. Between steps anything may be added, removed, moved or changed.
//! [`World::step`] makes the same steps as a scene that is run with the program, bit by bit.

mod assemble;
mod assembly;
mod body_change;
mod body_mesh;
mod body_model;
mod change;
mod contact_mesh;
mod contacts;
mod error;
mod grab;
mod handle;
mod joint;
mod material;
mod obstacle;
mod placement;
mod preset;
mod query;
mod read;
mod rigid_body;
mod saved;
mod separate;
mod soft_body;

use crate::body::obstacle::Obstacle;
use crate::contact::rules::ContactRules;
use crate::detect::query::Queries;
use crate::force::gravity::Gravity;
use crate::integrate::StepReport;
use crate::integrate::implicit::{Implicit, ImplicitSettings};
use crate::integrate::sleep::SleepSettings;
use crate::math::Vec3;
use crate::solve::constraint::ConstraintSettings;
use crate::step::{Simulation, Stepper};

use assemble::Layout;
use body_change::Reuse;
use body_model::BodyEntry;
use contacts::{Contacts, Handles};
use error::{not_negative, positive, share, sound};
use grab::Grab;
use handle::Slots;
use joint::JointEntry;
use obstacle::ObstacleEntry;

pub use crate::record::contact_load::ContactLoad;
pub use crate::record::energy::Energy;
pub use assembly::{Assembly, WorldParts};
pub use body_mesh::{BodyMesh, OutlineMesh, SharedMesh, SpringNetwork};
pub use body_model::{BodyModel, BodyModelKind, Driven, Pinning, RigidPart};
pub use change::Move;
pub use contact_mesh::{CarriedMesh, PlacedMesh};
pub use contacts::{ContactEvent, ContactEventKind, ContactPoint};
pub use error::WorldError;
pub use handle::{BodyHandle, Collider, GrabHandle, JointHandle, ObstacleHandle};
pub use joint::Joint;
pub use material::{BodyMaterial, MaterialBody, SoftMaterial, SpringMaterial};
pub use obstacle::ObstacleBuilder;
pub use preset::MaterialPreset;
pub use query::{Penetration, SurfaceExit, SurfaceHit, WayOut};
pub use rigid_body::{KinematicBody, RigidBody};
pub use separate::WorldSeparation;
pub use soft_body::SoftBody;

/// Gravity of what is not said, m/s².
const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// Time step of what is not said, s.
const TIME_STEP: f64 = 1.0 / 60.0;

/// Friction of what is not said.
const FRICTION: f64 = 0.3;

/// Times that a step may be halved.
const HALVINGS: u32 = 12;

/// Substeps of a step at most.
const MOST_SUBSTEPS: u32 = 100_000;

/// Threads at most.
const MOST_THREADS: usize = 1024;

/// Everything that moves, what moves it, and what it meets.
///
/// ```
/// use pliant::prelude::*;
///
/// let mut world = World::new(); // gravity −9.81 along z, steps of 1/60 s, friction 0.3
/// world.add(Obstacle::plane(Vec3::Z, 0.0))?;
/// let ball = world.add(SoftBody::ball(0.1, 2).young(1e5).density(500.0).at(vec3(0.0, 0.0, 0.3)))?;
/// let die = world.add(RigidBody::cuboid(Vec3::splat(0.1)).at(vec3(0.05, 0.0, 0.6)))?;
/// for _ in 0..60 {
///     world.step()?;
/// }
/// assert!(world.centre(ball)?.z > 0.05 && world.centre(die)?.z > 0.0);
/// # Ok::<(), WorldError>(())
/// ```
#[derive(Debug)]
pub struct World {
    settings: Settings,
    bodies: Slots<BodyEntry>,
    obstacles: Slots<ObstacleEntry>,
    joints: Slots<JointEntry>,
    grabs: Slots<Grab>,
    /// Which groups ignore each other; the rest is worked out from the entries.
    rules: ContactRules,
    ignored_pairs: Vec<(BodyHandle, Collider)>,
    simulation: Simulation,
    layout: Layout,
    /// Whether the simulation has all that is there, and nothing else.
    is_current: bool,
    /// What the next assembly may take over from the simulation.
    reuse: Reuse,
    contacts: Contacts,
    queries: Queries,
    /// Whether the trees of `queries` are for where everything is now, or to be.
    is_searched: bool,
    /// What makes the stepper, in place of the usual one.
    assembly: Option<Box<dyn Assembly>>,
}

/// What holds for the whole world.
#[derive(Clone, Copy, Debug)]
struct Settings {
    /// m/s².
    gravity: Vec3,
    /// s.
    dt: f64,
    friction: f64,
    restitution: f64,
    substeps: u32,
    max_halvings: u32,
    sleep: Option<SleepSettings>,
    /// See [`ConstraintSettings::max_depenetration_speed`].
    depenetration_speed: f64,
    implicit: ImplicitSettings,
    threads: usize,
}

impl Settings {
    /// Refuses values that cannot be.
    fn check(&self) -> Result<(), WorldError> {
        sound("gravity", self.gravity)?;
        positive("time step", self.dt)?;
        not_negative("friction", self.friction)?;
        share("restitution", self.restitution)?;
        not_negative("depenetration speed", self.depenetration_speed)?;
        if self.max_halvings > HALVINGS {
            let (value, rule) = (f64::from(self.max_halvings), "at most 12");
            return Err(WorldError::Value { what: "number of halvings", value, rule });
        }
        check_substeps(self.substeps)
    }
}

/// Refuses a number of substeps that cannot be.
fn check_substeps(substeps: u32) -> Result<(), WorldError> {
    if (1..=MOST_SUBSTEPS).contains(&substeps) {
        return Ok(());
    }
    let (value, rule) = (f64::from(substeps), "from 1 to 100000");
    Err(WorldError::Value { what: "number of substeps", value, rule })
}

/// What can be added to a [`World`].
///
/// It is implemented by the builders of this crate and not meant for others.
pub trait Insert: sealed::Sealed {
    /// What names it from then on.
    type Handle;

    /// Adds it to a world.
    #[doc(hidden)]
    fn insert(self, world: &mut World) -> Result<Self::Handle, WorldError>;
}

/// What can be removed from a [`World`].
pub trait Remove: sealed::Sealed {
    /// Removes it from a world.
    #[doc(hidden)]
    fn remove(self, world: &mut World) -> Result<(), WorldError>;
}

mod sealed {
    /// Keeps traits within this crate.
    pub trait Sealed {}
}

impl Default for World {
    fn default() -> World {
        World::new()
    }
}

impl World {
    /// An empty world: gravity of −9.81 m/s² along z, steps of 1/60 s, friction of 0.3.
    pub fn new() -> World {
        let settings = Settings {
            gravity: GRAVITY,
            dt: TIME_STEP,
            friction: FRICTION,
            restitution: 0.0,
            substeps: 1,
            max_halvings: HALVINGS,
            sleep: Some(SleepSettings::default()),
            depenetration_speed: ConstraintSettings::default().max_depenetration_speed,
            implicit: ImplicitSettings::default(),
            threads: 1,
        };
        let stepper = Stepper::new(Box::new(Implicit::default()));
        let number = handle::next_world();
        World {
            settings,
            bodies: Slots::new(number),
            obstacles: Slots::new(number),
            joints: Slots::new(number),
            grabs: Slots::new(number),
            rules: ContactRules::default(),
            ignored_pairs: Vec::new(),
            simulation: Simulation::new(Default::default(), Default::default(), stepper),
            layout: Layout::default(),
            is_current: false,
            reuse: Reuse::default(),
            contacts: Contacts::default(),
            queries: Queries::default(),
            is_searched: false,
            assembly: None,
        }
    }

    /// Adds a body, an obstacle or a joint; on an error nothing changes.
    pub fn add<T: Insert>(&mut self, thing: T) -> Result<T::Handle, WorldError> {
        thing.insert(self)
    }

    /// Removes it, and joints and grabs of it too; other handles stay valid.
    pub fn remove(&mut self, handle: impl Remove) -> Result<(), WorldError> {
        handle.remove(self)
    }

    /// Moves everything by one time step; on an error nothing has moved.
    ///
    /// ```
    /// use pliant::prelude::*;
    ///
    /// let mut world = World::new();
    /// world.add(Obstacle::plane(Vec3::Z, 0.0))?;
    /// world.add(RigidBody::cuboid(Vec3::ONE).at(vec3(0.0, 0.0, 0.51)))?;
    /// for _ in 0..30 {
    ///     let report: StepReport = world.step()?;
    ///     assert_eq!((report.unconverged, report.halvings), (0, 0));
    /// }
    /// assert!(!world.contacts().is_empty());
    /// # Ok::<(), WorldError>(())
    /// ```
    pub fn step(&mut self) -> Result<StepReport, WorldError> {
        self.assemble()?;
        self.drive()?;
        let report = self.simulation.step(self.settings.dt)?;
        self.is_searched = false;
        self.arrive()?;
        let Simulation { state, system, .. } = &self.simulation;
        let handles = Handles { bodies: &self.layout.bodies, obstacles: &self.layout.obstacles };
        self.contacts.dt = self.settings.dt;
        self.contacts.update(&system.scratch.kept_contacts, &state.positions, handles);
        Ok(report)
    }

    /// Lets something else make the stepper: other responses and integrators, and more forces.
    pub fn set_assembly(&mut self, assembly: impl Assembly + 'static) {
        self.assembly = Some(Box::new(assembly));
        self.is_current = false;
    }

    /// Sets gravity, m/s².
    pub fn set_gravity(&mut self, gravity: Vec3) -> Result<(), WorldError> {
        self.settings.gravity = sound("gravity", gravity)?;
        let place = self.layout.gravity.filter(|_| self.is_current && gravity != Vec3::ZERO);
        let Some(place) = place else {
            self.is_current = false;
            return Ok(());
        };
        let Simulation { system, stepper, .. } = &mut self.simulation;
        system.forces.replace(place, Gravity::new(gravity, system.masses.of()));
        if let Some(contact) = stepper.contact_mut() {
            contact.settings_mut().weight = gravity.length();
        }
        stepper.wake_all();
        Ok(())
    }

    /// Sets the length of a step, s.
    pub fn set_time_step(&mut self, dt: f64) -> Result<(), WorldError> {
        self.settings.dt = positive("time step", dt)?;
        Ok(())
    }

    /// Sets the friction of surfaces that have none of their own.
    pub fn set_friction(&mut self, friction: f64) -> Result<(), WorldError> {
        self.settings.friction = not_negative("friction", friction)?;
        self.is_current = false;
        Ok(())
    }

    /// Sets the restitution of surfaces that have none of their own, from 0 to 1.
    pub fn set_restitution(&mut self, restitution: f64) -> Result<(), WorldError> {
        self.settings.restitution = share("restitution", restitution)?;
        self.is_current = false;
        Ok(())
    }

    /// Makes each step in equal parts; contacts are found in each.
    pub fn set_substeps(&mut self, substeps: u32) -> Result<(), WorldError> {
        check_substeps(substeps)?;
        self.settings.substeps = substeps;
        self.is_current = false;
        Ok(())
    }

    /// Sets how fast contacts that are too near may open, in sizes of the smaller body per second.
    ///
    /// Overlap is left by shifts, which change no velocity; this is for what they leave.
    pub fn set_depenetration_speed(&mut self, speed: f64) -> Result<(), WorldError> {
        self.settings.depenetration_speed = not_negative("depenetration speed", speed)?;
        self.is_current = false;
        Ok(())
    }

    /// Sets how the equations of a step are solved.
    pub fn set_solver(&mut self, settings: ImplicitSettings) {
        self.settings.implicit = settings;
        self.is_current = false;
    }

    /// When rigid bodies that have come to rest sleep, until something touches them; never
    /// without settings.
    pub fn set_sleep(&mut self, settings: Option<SleepSettings>) {
        self.settings.sleep = settings;
        self.is_current = false;
    }

    /// Works with this many threads, from 1 to 1024; the bits stay the same.
    pub fn set_threads(&mut self, threads: usize) {
        self.settings.threads = threads.clamp(1, MOST_THREADS);
        self.simulation.set_threads(self.settings.threads);
    }
}

impl sealed::Sealed for SoftBody {}
impl sealed::Sealed for RigidBody {}
impl sealed::Sealed for KinematicBody {}
impl sealed::Sealed for BodyModel {}
impl sealed::Sealed for ObstacleBuilder {}
impl sealed::Sealed for Joint {}
impl sealed::Sealed for BodyHandle {}
impl sealed::Sealed for ObstacleHandle {}
impl sealed::Sealed for JointHandle {}
impl sealed::Sealed for GrabHandle {}

impl World {
    fn insert_body(&mut self, model: BodyModel) -> Result<BodyHandle, WorldError> {
        let entry = BodyEntry::new(model.check()?);
        self.is_current = false;
        Ok(BodyHandle(self.bodies.insert(entry)))
    }
}

impl Insert for SoftBody {
    type Handle = BodyHandle;

    fn insert(self, world: &mut World) -> Result<BodyHandle, WorldError> {
        world.insert_body(self.build()?)
    }
}

impl Insert for RigidBody {
    type Handle = BodyHandle;

    fn insert(self, world: &mut World) -> Result<BodyHandle, WorldError> {
        world.insert_body(self.build()?)
    }
}

impl Insert for KinematicBody {
    type Handle = BodyHandle;

    fn insert(self, world: &mut World) -> Result<BodyHandle, WorldError> {
        world.insert_body(self.build()?)
    }
}

impl Insert for BodyModel {
    type Handle = BodyHandle;

    fn insert(self, world: &mut World) -> Result<BodyHandle, WorldError> {
        world.insert_body(self)
    }
}

impl Insert for ObstacleBuilder {
    type Handle = ObstacleHandle;

    fn insert(self, world: &mut World) -> Result<ObstacleHandle, WorldError> {
        let entry = self.build()?;
        // What contact would refuse is refused here.
        let _: Obstacle = entry.obstacle(Default::default())?;
        world.is_current = false;
        Ok(ObstacleHandle(world.obstacles.insert(entry)))
    }
}

impl Insert for Joint {
    type Handle = JointHandle;

    fn insert(self, world: &mut World) -> Result<JointHandle, WorldError> {
        let entry = world.joint_entry(self)?;
        world.is_current = false;
        Ok(JointHandle(world.joints.insert(entry)))
    }
}

impl Remove for BodyHandle {
    fn remove(self, world: &mut World) -> Result<(), WorldError> {
        world.body(self)?;
        let joined = |entry: &JointEntry| {
            let (first, second) = entry.joint.bodies;
            first == self || second == Some(self)
        };
        let gone: Vec<_> =
            world.joints.iter().filter(|(_, joint)| joined(joint)).map(|(k, _)| k).collect();
        for key in gone {
            world.joints.remove(key);
        }
        let grabbed = world.grabs.iter().filter(|(_, grab)| grab.body == self);
        let gone: Vec<_> = grabbed.map(|(key, _)| key).collect();
        for key in gone {
            world.grabs.remove(key);
        }
        let own = Collider::Body(self);
        world.ignored_pairs.retain(|(first, second)| *first != self && *second != own);
        world.contacts.forget(own);
        world.bodies.remove(self.0);
        world.is_current = false;
        Ok(())
    }
}

impl Remove for ObstacleHandle {
    fn remove(self, world: &mut World) -> Result<(), WorldError> {
        world.obstacle(self)?;
        let own = Collider::Obstacle(self);
        world.ignored_pairs.retain(|(_, second)| *second != own);
        world.contacts.forget(own);
        world.obstacles.remove(self.0);
        world.is_current = false;
        Ok(())
    }
}

impl Remove for JointHandle {
    fn remove(self, world: &mut World) -> Result<(), WorldError> {
        world.joints.remove(self.0).ok_or_else(|| read::not_here("joint", &self))?;
        world.is_current = false;
        Ok(())
    }
}

impl Remove for GrabHandle {
    fn remove(self, world: &mut World) -> Result<(), WorldError> {
        world.release(self)
    }
}

impl World {
    /// Lets kinematic bodies and obstacles move within the step to come.
    fn drive(&mut self) -> Result<(), WorldError> {
        let (time, dt) = (self.simulation.state.time, self.settings.dt);
        let Simulation { state, system, stepper, .. } = &mut self.simulation;
        let mut moves = false;
        for &(handle, path) in &self.layout.driven {
            let Some(entry) = self.bodies.get(handle.0) else { continue };
            let BodyModelKind::Kinematic(driven) = &entry.model.kind else { continue };
            let target = driven.target.unwrap_or(driven.pose);
            moves |= driven.target.is_some();
            system.pins.set_motion(path, assemble::drive(driven.pose, target, time, dt)?);
        }
        if !self.layout.driven.is_empty() {
            system.pins.hold(time, &mut state.positions, &mut state.velocities);
        }
        let obstacles = stepper.contact_mut().map(|contact| contact.obstacles_mut());
        for ((_, entry), obstacle) in self.obstacles.iter().zip(obstacles.into_iter().flatten()) {
            if let Some(target) = entry.target {
                obstacle.set_motion(assemble::drive(entry.pose, target, time, dt)?);
                moves = true;
            }
        }
        if moves {
            stepper.wake_all();
        }
        self.drive_joints();
        if self.grabs.iter().next().is_some() {
            self.simulation.stepper.wake_all();
            self.refresh_loads();
        }
        Ok(())
    }

    /// Lets kinematic bodies and obstacles rest where they have come to.
    fn arrive(&mut self) -> Result<(), WorldError> {
        self.bodies.for_each(|_, entry| {
            if let BodyModelKind::Kinematic(driven) = &mut entry.model.kind {
                driven.pose = driven.target.take().unwrap_or(driven.pose);
            }
        });
        let contact = self.simulation.stepper.contact_mut();
        let mut obstacles = contact.map(|contact| contact.obstacles_mut().iter_mut());
        let mut failed = Ok(());
        self.obstacles.for_each(|_, entry| {
            let obstacle = obstacles.as_mut().and_then(Iterator::next);
            if let (Some(target), Some(obstacle)) = (entry.target.take(), obstacle) {
                entry.pose = target;
                match crate::body::keyframes::Keyframes::still(target) {
                    Ok(still) => obstacle.set_motion(still),
                    Err(error) => failed = Err(error.into()),
                }
            }
        });
        failed
    }
}
