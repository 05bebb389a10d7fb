//! Outlines in a [`World`]: bodies of the plane z = 0, and what lets them meet.
//!
//! ```
//! use pliant::prelude::*;
//! use pliant::math::Vec2;
//! use pliant_plane::world::{OutlineBody, PlaneContact};
//!
//! let square = |half: f64| vec![vec![
//!     Vec2::new(-half, -half), Vec2::new(half, -half), Vec2::new(half, half), Vec2::new(-half, half),
//! ]];
//! let mut world = World::new();
//! world.set_gravity(vec3(0.0, -9.81, 0.0))?;
//! world.set_assembly(PlaneContact::default());
//! world.add(OutlineBody::new(square(1.0)).fixed().at(Vec2::new(0.0, -1.0)).model()?)?;
//! let tile = world.add(OutlineBody::new(square(0.1)).at(Vec2::new(0.0, 0.2)).model()?)?;
//! for _ in 0..60 {
//!     world.step()?;
//! }
//! assert!(world.centre(tile)?.y > 0.05);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`World`]: pliant::world::World

use std::error::Error;
use std::sync::Arc;

use pliant::body::BodyKind;
use pliant::body::keyframes::Pose;
use pliant::body::rigid::all::balanced_masses_in_plane;
use pliant::body::rigid::mass::MassProperties;
use pliant::body::rigid::{RigidError, RigidState, RigidTemplate};
use pliant::contact::rules::SurfaceRule;
use pliant::force::Forces;
use pliant::force::spring::{SpringLaw, SpringSettings, Springs};
use pliant::id::{BodyId, VertexId};
use pliant::math::{Quat, Vec2, Vec3};
use pliant::step::Stepper;
use pliant::world::{
    Assembly, BodyMaterial, BodyMesh, BodyModel, BodyModelKind, MaterialBody, OutlineMesh,
    RigidPart, SoftMaterial, WorldParts,
};

use crate::area::Areas;
use crate::exact::Exact;
use crate::outline::{area, length_shares};
use crate::response::penalty::{OutlinePenalty, OutlinePenaltySettings};
use crate::response::{Cast, Flat};

/// Error of lengths between outlines, per shorter side of the smallest.
const ERROR: f64 = 1e-2;

/// Why rings make no body.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum OutlineBodyError {
    /// Rings that cannot be rigid.
    #[error(transparent)]
    Rigid(#[from] RigidError),
    /// A soft outline without mass.
    #[error("the outline weighs {mass} kg: it must be positive, check how its rings turn")]
    Mass {
        /// kg.
        mass: f64,
    },
}

/// An outline to be added to a world, by [`OutlineBody::model`].
#[derive(Clone, Debug)]
pub struct OutlineBody {
    rings: Vec<Vec<Vec2>>,
    kind: OutlineKind,
    /// kg/m².
    density: f64,
    position: Vec2,
    angle: f64,
    velocity: Vec2,
    spin: f64,
}

#[derive(Clone, Copy, Debug)]
enum OutlineKind {
    Rigid,
    Fixed,
    Soft(RingMaterial),
}

/// A ring of springs that keeps its area.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RingMaterial {
    /// Of the springs along it, N per unit stretch.
    pub stiffness: f64,
    /// Their damping, N·s/m.
    pub damping: f64,
    /// Resistance against a change of the area, N/m³.
    pub area: f64,
}

impl OutlineBody {
    /// A rigid outline of 1 kg/m²: rings in m, the inside to their left.
    pub fn new(rings: Vec<Vec<Vec2>>) -> OutlineBody {
        OutlineBody {
            rings,
            kind: OutlineKind::Rigid,
            density: 1.0,
            position: Vec2::ZERO,
            angle: 0.0,
            velocity: Vec2::ZERO,
            spin: 0.0,
        }
    }

    /// Never moves.
    pub fn fixed(mut self) -> OutlineBody {
        self.kind = OutlineKind::Fixed;
        self
    }

    /// Bends: a ring of springs that keeps its area.
    pub fn soft(mut self, material: RingMaterial) -> OutlineBody {
        self.kind = OutlineKind::Soft(material);
        self
    }

    /// Mass per area, kg/m².
    pub fn density(mut self, density: f64) -> OutlineBody {
        self.density = density;
        self
    }

    /// Puts its origin at a position, m.
    pub fn at(mut self, position: Vec2) -> OutlineBody {
        self.position = position;
        self
    }

    /// Turns it about its origin, rad.
    pub fn rotated(mut self, angle: f64) -> OutlineBody {
        self.angle = angle;
        self
    }

    /// Its velocity at the start, m/s.
    pub fn velocity(mut self, velocity: Vec2) -> OutlineBody {
        self.velocity = velocity;
        self
    }

    /// Its angular velocity at the start, rad/s.
    pub fn spin(mut self, spin: f64) -> OutlineBody {
        self.spin = spin;
        self
    }

    /// The body as a world takes it.
    pub fn model(&self) -> Result<BodyModel, OutlineBodyError> {
        let positions: Vec<Vec3> = self.rings.iter().flatten().map(|p| p.extend(0.0)).collect();
        let mut next = 0..positions.len() as u32;
        let numbered = |ring: &Vec<Vec2>| next.by_ref().take(ring.len()).map(VertexId).collect();
        let rings: Vec<Vec<VertexId>> = self.rings.iter().map(numbered).collect();
        let at = Pose {
            position: self.position.extend(0.0),
            rotation: Quat::from_rotation_z(self.angle),
        };
        let start: Vec<Vec3> = positions.iter().map(|p| at.world_from_body(*p)).collect();
        let (velocity, spin) = (self.velocity.extend(0.0), self.spin * Vec3::Z);
        let velocities = start.iter().map(|p| velocity + spin.cross(*p - at.position)).collect();
        let shares = length_shares(&rings, &positions);
        let (kind, masses) = match self.kind {
            OutlineKind::Rigid => self.rigid(&positions, &shares, &start, at)?,
            OutlineKind::Fixed => (BodyModelKind::Fixed, vec![1.0; start.len()]),
            OutlineKind::Soft(material) => {
                let masses = self.soft_masses(&shares)?;
                (BodyModelKind::Soft(SoftMaterial::Custom(Arc::new(material))), masses)
            }
        };
        Ok(BodyModel {
            rest: Arc::new(positions.clone()),
            mesh: Arc::new(BodyMesh::Outline(OutlineMesh { positions, rings })),
            kind,
            start,
            velocities,
            masses,
            pins: Vec::new(),
            surface: SurfaceRule::default(),
            contact_mesh: None,
        })
    }

    fn rigid(
        &self,
        positions: &[Vec3],
        shares: &[f64],
        start: &[Vec3],
        at: Pose,
    ) -> Result<(BodyModelKind, Vec<f64>), OutlineBodyError> {
        let mass = MassProperties::from_rings(&self.rings, self.density)?;
        let own = RigidTemplate::in_plane(positions, mass)?.0;
        let masses = balanced_masses_in_plane(&own, shares)?;
        let turn = |p: &Vec2| at.world_from_body(p.extend(0.0)).truncate();
        let placed: Vec<Vec<Vec2>> =
            self.rings.iter().map(|ring| ring.iter().map(turn).collect()).collect();
        let (body, state) =
            RigidTemplate::in_plane(start, MassProperties::from_rings(&placed, self.density)?)?;
        let (velocity, spin) = (self.velocity.extend(0.0), self.spin * Vec3::Z);
        let part = RigidPart::new(body, RigidState { velocity, spin, ..state }, at);
        Ok((BodyModelKind::Rigid(part), masses))
    }

    fn soft_masses(&self, shares: &[f64]) -> Result<Vec<f64>, OutlineBodyError> {
        let mass = self.density * self.rings.iter().map(|ring| area(ring)).sum::<f64>();
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(OutlineBodyError::Mass { mass });
        }
        Ok(shares.iter().map(|share| mass * share).collect())
    }
}

impl BodyMaterial for RingMaterial {
    fn push_forces(
        &self,
        bodies: &[MaterialBody<'_>],
        forces: &mut Forces,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let RingMaterial { stiffness, damping, area } = *self;
        let settings = SpringSettings { law: SpringLaw::Relative, stiffness, damping };
        for body in bodies {
            forces.push(Springs::along(body.rest, &body.edges(), settings)?);
            let BodyMesh::Outline(outline) = body.mesh else { continue };
            let number = |v: &VertexId| VertexId(body.first + v.0);
            let rings = outline.rings.iter().map(|ring| ring.iter().map(number).collect());
            forces.push_force(Areas::new(body.rest, &[rings.collect()], area)?);
        }
        Ok(())
    }
}

/// Lets the outlines of a world meet, by penalties; other bodies meet as usual.
#[derive(Clone, Copy, Debug)]
pub struct PlaneContact {
    /// Coulomb's coefficient between outlines.
    pub friction: f64,
    /// Bound of the error of lengths, m; left out, a share of the smallest outline.
    pub error: Option<f64>,
}

impl Default for PlaneContact {
    fn default() -> PlaneContact {
        PlaneContact { friction: 0.3, error: None }
    }
}

impl Assembly for PlaneContact {
    fn assemble(&self, parts: WorldParts<'_>) -> Result<Stepper, Box<dyn Error + Send + Sync>> {
        let stepper = parts.usual_stepper()?;
        let (bodies, rigids) = (&*parts.system.bodies, &parts.system.rigids);
        let outlines = || bodies.ids().filter(|body| bodies.kind(*body) == BodyKind::Outline);
        if outlines().next().is_none() {
            return Ok(stepper);
        }
        let side = |body: BodyId| {
            let points = parts.rest[bodies.vertices(body)].iter().map(|p| p.truncate());
            crate::rect::Rect::around(points).size().min_element()
        };
        let smallest = outlines().map(side).fold(f64::INFINITY, f64::min);
        let error = self.error.unwrap_or(ERROR * smallest);
        let flat = Flat::new(
            Cast { bodies, rest: parts.rest, rigids, apart: &[] },
            Box::<Exact>::default(),
        )?;
        let usual = OutlinePenaltySettings::of_step(error, parts.dt);
        let penalty =
            OutlinePenalty::new(flat, OutlinePenaltySettings { friction: self.friction, ..usual })?;
        Ok(stepper.with_responses(vec![Box::new(penalty)]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::prelude::*;

    fn square(half: f64) -> Vec<Vec<Vec2>> {
        let corner = |x: f64, y: f64| Vec2::new(half * x, half * y);
        vec![vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)]]
    }

    fn disc(radius: f64) -> Vec<Vec<Vec2>> {
        let angle = |k: u32| f64::from(k) / 24.0 * std::f64::consts::TAU;
        vec![(0..24).map(|k| radius * Vec2::from_angle(angle(k))).collect()]
    }

    #[test]
    fn rigid_and_soft_outlines_come_to_rest_on_a_fixed_one() {
        let mut world = World::new();
        world.set_gravity(vec3(0.0, -9.81, 0.0)).unwrap();
        world.set_time_step(1.0 / 240.0).unwrap();
        world.set_assembly(PlaneContact::default());
        let ground = OutlineBody::new(square(1.0)).fixed().at(Vec2::new(0.0, -1.0));
        world.add(ground.model().unwrap()).unwrap();
        let tile = OutlineBody::new(square(0.1)).density(10.0).at(Vec2::new(-0.4, 0.2));
        let tile = world.add(tile.model().unwrap()).unwrap();
        let ring = RingMaterial { stiffness: 200.0, damping: 0.1, area: 1e4 };
        let drop = OutlineBody::new(disc(0.15)).density(10.0).soft(ring).at(Vec2::new(0.4, 0.3));
        let drop = world.add(drop.model().unwrap()).unwrap();
        for _ in 0..480 {
            world.step().unwrap();
        }
        let [tile, drop] = [tile, drop].map(|body| world.centre(body).unwrap());
        assert!((tile.y - 0.1).abs() < 0.02 && (drop.y - 0.13).abs() < 0.04, "{tile} {drop}");
        assert_eq!((tile.z, drop.z), (0.0, 0.0));
    }

    #[test]
    fn rings_that_are_no_body_are_refused() {
        let inward = vec![square(1.0)[0].iter().rev().copied().collect()];
        assert!(OutlineBody::new(inward.clone()).model().is_err());
        let ring = RingMaterial { stiffness: 1.0, damping: 0.0, area: 1.0 };
        assert!(OutlineBody::new(inward).soft(ring).model().is_err());
        assert!(OutlineBody::new(vec![]).model().is_err());
        assert!(OutlineBody::new(square(1.0)).density(f64::NAN).model().is_err());
    }
}
