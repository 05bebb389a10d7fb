//! Bodies with everything worked out, as a world keeps them.

use std::sync::Arc;

use crate::body::Bodies;
use crate::body::keyframes::Pose;
use crate::body::pins::PinPath;
use crate::body::rigid::all::RigidBodySet;
use crate::body::rigid::{RigidState, RigidTemplate};
use crate::body::soft::Masses;
use crate::contact::carried::{ContactMesh, ContactSurfaces};
use crate::contact::rules::SurfaceRule;
use crate::id::{BodyId, VertexId};
use crate::math::Vec3;
use crate::world::WorldError;
use crate::world::body_mesh::BodyMesh;
use crate::world::change::{check_pose, check_rigid};
use crate::world::contact_mesh::CarriedMesh;
use crate::world::error::sound;
use crate::world::material::SoftMaterial;
use crate::world::placement::{Placement, check_rotation, check_surface};
use crate::world::soft_body::{check_material, check_mesh};

/// Mass of each vertex of a body that nothing moves, kg.
const MASS_OF_HELD: f64 = 1.0;

/// A body with everything worked out, for those who make bodies in their own way.
///
/// [`SoftBody`](super::SoftBody), [`RigidBody`](super::RigidBody) and
/// [`KinematicBody`](super::KinematicBody) make one each.
#[derive(Clone, Debug)]
pub struct BodyModel {
    /// Its shape, shared by all bodies that have it.
    pub mesh: Arc<BodyMesh>,
    /// Vertices at rest in its own space, m: sizes are taken from these.
    pub rest: Arc<Vec<Vec3>>,
    /// What it is.
    pub kind: BodyModelKind,
    /// Where its vertices begin, m: the rest shape of its material.
    pub start: Vec<Vec3>,
    /// How fast they begin, m/s.
    pub velocities: Vec<Vec3>,
    /// Mass of each, kg.
    pub masses: Vec<f64>,
    /// Vertices that are held.
    pub pins: Vec<Pinning>,
    /// Friction, restitution and group.
    pub surface: SurfaceRule,
    /// What touches others in place of the boundary of its tets; none where that does. Only for
    /// soft bodies that are attached to no rigid one.
    pub contact_mesh: Option<Arc<CarriedMesh>>,
}

/// What a body is.
#[derive(Clone, Debug)]
pub enum BodyModelKind {
    /// It bends.
    Soft(SoftMaterial),
    /// It does not.
    Rigid(RigidPart),
    /// It is moved by code.
    Kinematic(Driven),
    /// It never moves.
    Fixed,
}

/// A rigid body as it begins.
#[derive(Clone, Debug)]
pub struct RigidPart {
    /// What does not change as it moves.
    pub body: RigidTemplate,
    /// Where it begins, and how fast.
    pub state: RigidState,
    /// The mesh's own space in body axes, which are those of inertia.
    pub origin: Pose,
}

/// Where a kinematic body is, and where it is to be after the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Driven {
    /// Now.
    pub pose: Pose,
    /// After the next step, if anywhere else.
    pub target: Option<Pose>,
}

/// Vertices that are held, counted in the body.
#[derive(Clone, Debug)]
pub struct Pinning {
    /// The vertices, each with its place, m.
    pub vertices: Vec<(VertexId, Vec3)>,
    /// How they move from there; none where they do not.
    pub path: Option<PinPath>,
}

impl RigidPart {
    /// A rigid body whose mesh has its own space at a pose.
    pub fn new(body: RigidTemplate, state: RigidState, mesh: Pose) -> RigidPart {
        let origin = Pose {
            position: state.body_point(mesh.position),
            rotation: state.turn.conjugate() * mesh.rotation,
        };
        RigidPart { body, state, origin }
    }

    /// Where the mesh's own space is.
    pub(super) fn pose(&self, state: &RigidState) -> Pose {
        Pose {
            position: state.point(self.origin.position),
            rotation: state.turn * self.origin.rotation,
        }
    }

    /// The state with the mesh's own space at a pose, which moves as before.
    pub(super) fn placed(&self, pose: Pose, state: &RigidState) -> RigidState {
        let turn = pose.rotation * self.origin.rotation.conjugate();
        RigidState { centre: pose.position - turn * self.origin.position, turn, ..*state }
    }
}

impl BodyModel {
    /// A rigid body with these vertices of its mesh and masses.
    pub(super) fn rigid(
        mesh: Arc<BodyMesh>,
        part: RigidPart,
        masses: Vec<f64>,
        surface: SurfaceRule,
    ) -> BodyModel {
        let start: Vec<Vec3> = part.body.points.iter().map(|r| part.state.point(*r)).collect();
        let velocities = start.iter().map(|p| part.state.velocity_at(*p)).collect();
        let (rest, kind) = (Arc::new(mesh.positions().to_vec()), BodyModelKind::Rigid(part));
        BodyModel {
            mesh,
            rest,
            kind,
            start,
            velocities,
            masses,
            pins: Vec::new(),
            surface,
            contact_mesh: None,
        }
    }

    /// A body that is moved by code.
    pub(super) fn kinematic(mesh: Arc<BodyMesh>, placement: Placement) -> BodyModel {
        let Placement { position, rotation, surface, .. } = placement;
        let pose = Pose { position, rotation };
        let start: Vec<Vec3> = mesh.positions().iter().map(|p| pose.world_from_body(*p)).collect();
        let count = start.len();
        BodyModel {
            rest: Arc::new(mesh.positions().to_vec()),
            mesh,
            kind: BodyModelKind::Kinematic(Driven { pose, target: None }),
            start,
            velocities: vec![Vec3::ZERO; count],
            masses: vec![MASS_OF_HELD; count],
            pins: Vec::new(),
            surface,
            contact_mesh: None,
        }
    }

    /// Refuses arrays that do not belong together.
    pub(super) fn check(mut self) -> Result<BodyModel, WorldError> {
        let expected = self.mesh.positions().len();
        let counts = [
            ("rest positions", self.rest.len()),
            ("positions", self.start.len()),
            ("velocities", self.velocities.len()),
            ("masses", self.masses.len()),
        ];
        for (what, given) in counts {
            if given != expected {
                return Err(WorldError::Count { what, given, expected });
            }
        }
        check_mesh(&self.mesh)?;
        for place in self.rest.iter().chain(&self.start) {
            sound("position of a vertex", *place)?;
        }
        for velocity in &self.velocities {
            sound("velocity of a vertex", *velocity)?;
        }
        Masses::new(self.masses.clone())?;
        let bodies = Bodies::from_meshes(&[self.mesh.topology()])?;
        match &mut self.kind {
            BodyModelKind::Soft(material) => check_material(&self.mesh, &self.start, material)?,
            BodyModelKind::Rigid(part) => {
                let given = part.body.points.len();
                if given != expected {
                    return Err(WorldError::Count { what: "points", given, expected });
                }
                check_rigid(&part.state)?;
                part.state.turn = check_rotation(part.state.turn)?;
                part.origin = check_pose(part.origin)?;
                let list = vec![(BodyId(0), part.body.clone())];
                RigidBodySet::new(list, bodies.offsets(), expected)?;
            }
            BodyModelKind::Kinematic(driven) => {
                driven.pose = check_pose(driven.pose)?;
                driven.target = driven.target.map(check_pose).transpose()?;
            }
            BodyModelKind::Fixed => {}
        }
        self.check_pins()?;
        self.check_contact_mesh()?;
        check_surface(self.surface)?;
        Ok(self)
    }

    /// Refuses a contact mesh of what is not soft, and one of other tets.
    fn check_contact_mesh(&self) -> Result<(), WorldError> {
        let Some(mesh) = &self.contact_mesh else { return Ok(()) };
        if !matches!(self.kind, BodyModelKind::Soft(_)) {
            return Err(WorldError::NoCarrier);
        }
        let bodies = Bodies::from_meshes(&[self.mesh.topology()])?;
        let (surface, embedding) = (&mesh.surface, &mesh.embedding);
        let mesh = ContactMesh { body: BodyId(0), surface, embedding };
        ContactSurfaces::new(&self.rest, &bodies, &[mesh])?;
        Ok(())
    }

    /// Refuses pins of vertices that do not exist, or at places that are none.
    fn check_pins(&self) -> Result<(), WorldError> {
        let count = self.start.len();
        for (vertex, place) in self.pins.iter().flat_map(|pinning| &pinning.vertices) {
            if vertex.index() >= count {
                return Err(WorldError::NoSuchVertex { vertex: *vertex, count });
            }
            sound("place of a pin", *place)?;
        }
        for path in self.pins.iter().filter_map(|pinning| pinning.path.as_ref()) {
            sound("pivot of a pin", path.pivot)?;
        }
        Ok(())
    }
}

/// A body of a world.
#[derive(Clone, Debug)]
pub(super) struct BodyEntry {
    pub model: BodyModel,
    /// Constant force on the whole body, N.
    pub force: Vec3,
    /// Its number in the simulation; none until it is assembled.
    pub id: Option<BodyId>,
    /// State while it is in no simulation.
    pub state: BodyState,
}

/// Positions and velocities of a body.
#[derive(Clone, Debug, Default)]
pub(super) struct BodyState {
    pub positions: Vec<Vec3>,
    pub velocities: Vec<Vec3>,
    pub rigid: Option<RigidState>,
}

impl BodyEntry {
    pub fn new(model: BodyModel) -> BodyEntry {
        let rigid = match &model.kind {
            BodyModelKind::Rigid(part) => Some(part.state),
            _ => None,
        };
        let (positions, velocities) = (model.start.clone(), model.velocities.clone());
        let state = BodyState { positions, velocities, rigid };
        BodyEntry { model, force: Vec3::ZERO, id: None, state }
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.model.start.len()
    }

    /// What it is, in a message.
    pub fn kind_name(&self) -> &'static str {
        match self.model.kind {
            BodyModelKind::Soft(_) => "soft",
            BodyModelKind::Rigid(_) => "rigid",
            BodyModelKind::Kinematic(_) => "kinematic",
            BodyModelKind::Fixed => "fixed",
        }
    }
}
