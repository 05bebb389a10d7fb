//! Rigid bodies: their constant properties, and their state.
//!
//! | here          | lecture | meaning                                            |
//! |---------------|---------|----------------------------------------------------|
//! | `centre`      | x       | centre of mass, world space, m                     |
//! | `turn`        | q, R    | rotation from body to world                        |
//! | `velocity`    | v       | of the centre, m/s                                 |
//! | `spin`        | ω       | world space, rad/s                                 |
//! | `points`      | rᵢ      | vertices from the centre, body axes, m             |
//! | `moments`     | I_ref   | on the body axes, which make it diagonal, kg·m²    |
//! | `mobility`    | K       | change of a point's velocity by an impulse, 1/kg   |

pub mod mass;

pub(crate) mod lamina;

pub mod all;

pub mod attach;

use crate::body::rigid::mass::MassProperties;
use crate::id::{BodyId, VertexId};
use crate::math::eigen::eigen;
use crate::math::{Mat3, Quat, Vec3, outer_square, unit_quat};
use crate::snapshot::{Snapshot, SnapshotError};

/// A smallest moment below this share of the largest is rounding: no width.
const NO_MOMENT: f64 = 1e-13;

/// Rounding by which the largest moment may exceed the sum of the others, relative.
const TRIANGLE_ROUNDING: f64 = 1e-9;

/// Why a rigid body is rejected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RigidError {
    /// A mass that is not positive and finite.
    #[error("the body has mass {mass} kg: give it one that is positive and finite")]
    Mass {
        /// The mass, kg.
        mass: f64,
    },
    /// A vertex without mass.
    #[error("vertex {vertex} has mass {mass} kg: masses must be positive and finite")]
    PointMass {
        /// First such vertex, counted in the body.
        vertex: VertexId,
        /// Its mass, kg.
        mass: f64,
    },
    /// A body of the scene that has other vertices.
    #[error("body {body} has {count} vertices, its rigid body {points}: make it of the same")]
    Vertices {
        /// The body.
        body: BodyId,
        /// Vertices of the rigid body.
        points: usize,
        /// Vertices of the body.
        count: usize,
    },
    /// Another number of vertices than the bodies of the scene have.
    #[error("rigid bodies of {count} vertices are for a scene that has {expected}")]
    Scene {
        /// Vertices given.
        count: usize,
        /// Vertices of all bodies.
        expected: usize,
    },
    /// Not one mass for each vertex.
    #[error("there are {positions} vertices and {masses} masses: give one mass for each vertex")]
    MassCount {
        /// Vertices given.
        positions: usize,
        /// Masses given.
        masses: usize,
    },
    /// A density that is zero, negative or not finite.
    #[error("the density is {density} kg/m³: give one that is positive and finite")]
    Density {
        /// The density, kg/m³.
        density: f64,
    },
    /// The same of a thin sheet.
    #[error("the density is {density} kg/m²: give one that is positive and finite")]
    SheetDensity {
        /// The density, kg/m².
        density: f64,
    },
    /// Rings with nothing inside.
    #[error("the rings surround {area} m²: it must be positive, check how they turn")]
    NoArea {
        /// m².
        area: f64,
    },
    /// A centre that is not finite.
    #[error("the centre of mass is at {centre} m, which is not finite")]
    Centre {
        /// The centre, m.
        centre: Vec3,
    },
    /// An inertia that is not finite or not symmetric.
    #[error("the inertia is {inertia} kg·m²: it must be finite and symmetric")]
    Inertia {
        /// About the centre, kg·m².
        inertia: Mat3,
    },
    /// An axis without moment of inertia.
    #[error(
        "the principal moments are {moments} kg·m²: each must be positive; \
         give three points that are not on a line, or a shape with volume"
    )]
    StepContext {
        /// Descending, kg·m².
        moments: Vec3,
    },
    /// Moments that no distribution of mass has.
    #[error(
        "the principal moments are {moments} kg·m²: \
         none may exceed the sum of the two others, check the inertia that was given"
    )]
    Triangle {
        /// Descending, kg·m².
        moments: Vec3,
    },
    /// No geometry to take the mass of.
    #[error("the body has no {what}")]
    Nothing {
        /// What is missing.
        what: &'static str,
    },
    /// A corner that does not exist.
    #[error("{cell} {number} names vertex {vertex}, there are {count}")]
    NoSuchVertex {
        /// What names it: a triangle or a tet.
        cell: &'static str,
        /// First such cell, counted from 0.
        number: usize,
        /// The corner.
        vertex: VertexId,
        /// Vertices given.
        count: usize,
    },
    /// A coordinate that is not finite.
    #[error("vertex {vertex} is at {position}, which is not finite")]
    NonFinite {
        /// First such vertex.
        vertex: VertexId,
        /// Its position, m.
        position: Vec3,
    },
    /// A hole, through which the volume is unknown.
    #[error(
        "the surface is open at edge {0}–{1}, {count} edges have an odd number of triangles: \
         close it, or give masses to its vertices",
        edge[0], edge[1]
    )]
    Open {
        /// First open edge.
        edge: [VertexId; 2],
        /// Number of open edges.
        count: usize,
    },
    /// Neighbours that face different sides.
    #[error(
        "both triangles at edge {0}–{1} run the same way, {count} edges have this: \
         turn the triangles so that all look outward",
        edge[0], edge[1]
    )]
    InconsistentWinding {
        /// First such edge.
        edge: [VertexId; 2],
        /// Number of such edges.
        count: usize,
    },
    /// A surface that faces inward.
    #[error("the surface encloses {volume} m³: it is inside out, turn its triangles around")]
    InvertedOrientation {
        /// Negative, m³.
        volume: f64,
    },
    /// A closed surface with nothing inside.
    #[error("the surface encloses {volume} m³, which is rounding: it has no inside")]
    NoVolume {
        /// m³.
        volume: f64,
    },
    /// A tet without volume or inside out.
    #[error("tet {tet} has volume {volume} m³: volumes must be positive")]
    Tet {
        /// First such tet.
        tet: usize,
        /// Its signed volume, m³.
        volume: f64,
    },
}

/// A rigid body at rest: what does not change as it moves.
///
/// Body axes are the principal axes of inertia, their origin is the centre of mass.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidTemplate {
    /// kg; positive and finite.
    pub mass: f64,
    /// Principal moments of inertia on the body axes, kg·m²; positive and finite.
    ///
    /// Descending, except for a body in the plane, whose third is about z.
    pub moments: Vec3,
    /// Its vertices from the centre, body axes, m.
    pub points: Vec<Vec3>,
}

impl RigidTemplate {
    /// The body with these vertices, and its state: where they are, at rest.
    ///
    /// `positions` and `properties` are in world space. Of equal moments the axes are some basis,
    /// always the same one for the same inertia.
    ///
    /// - Implements: [Wang21 slide "What is an inertia tensor?"], I = R I_ref Rᵀ.
    /// - Erratum: the slide calls the inverse of the tensor the resistance; the tensor is, as
    ///   `a_longer_arm_is_harder_to_spin` shows (R11).
    /// - Deviates: turned so that I_ref is diagonal; rᵢ counts from the centre of mass, which
    ///   the slide does not say (R15).
    pub fn new(
        positions: &[Vec3],
        properties: MassProperties,
    ) -> Result<(RigidTemplate, RigidState), RigidError> {
        check_finite(positions)?;
        let MassProperties { mass, centre, inertia } = properties.check()?;
        let parts = eigen(inertia);
        let turn = unit_quat(Quat::from_mat3(&parts.vectors)).unwrap_or(Quat::IDENTITY);
        let body_from_world = turn.conjugate();
        let points = positions.iter().map(|&p| body_from_world * (p - centre)).collect();
        let body = RigidTemplate { mass, moments: parts.values, points };
        let state = RigidState { centre, turn, velocity: Vec3::ZERO, spin: Vec3::ZERO };
        Ok((body, state))
    }
}

/// Position and velocity of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidState {
    /// Centre of mass, world space, m.
    pub centre: Vec3,
    /// Rotation from body axes to the world; unit.
    pub turn: Quat,
    /// Of the centre, m/s.
    pub velocity: Vec3,
    /// Angular velocity ω, world space, rad/s.
    pub spin: Vec3,
}

impl RigidState {
    /// Centre, rotation, velocity and angular velocity as numbers.
    pub fn numbers(&self) -> [f64; 13] {
        let RigidState { centre, turn, velocity, spin } = *self;
        let [[a, b, c], [h, i, j], [k, l, m]] = [centre, velocity, spin].map(|v| v.to_array());
        let [d, e, f, g] = turn.to_array();
        [a, b, c, d, e, f, g, h, i, j, k, l, m]
    }

    /// Writes all values.
    pub(crate) fn save(&self, memory: &mut Snapshot) {
        self.numbers().into_iter().for_each(|number| memory.write(number));
    }

    /// Reads what [`RigidState::save`] wrote.
    pub(crate) fn restore(&mut self, memory: &mut Snapshot) -> Result<(), SnapshotError> {
        let mut read = || memory.read("rigid bodies");
        let (centre, turn) = ([read()?, read()?, read()?], [read()?, read()?, read()?, read()?]);
        let (velocity, spin) = ([read()?, read()?, read()?], [read()?, read()?, read()?]);
        let [centre, velocity, spin] = [centre, velocity, spin].map(Vec3::from_array);
        *self = RigidState { centre, turn: Quat::from_array(turn), velocity, spin };
        Ok(())
    }

    /// The same body by other axes: `before` and `after` are one state by both.
    ///
    /// As where something becomes part of it, which moves its centre and axes of inertia.
    pub fn with_axes_of(&self, before: &RigidState, after: &RigidState) -> RigidState {
        if self == before || before == after {
            return if self == before { *after } else { *self };
        }
        let turn = self.turn * (before.turn.conjugate() * after.turn);
        let centre = self.point(before.body_point(after.centre));
        RigidState { centre, turn, velocity: self.velocity_at(centre), spin: self.spin }
    }

    /// Inertia about the centre, world axes, kg·m²; exactly symmetric.
    pub fn inertia(&self, body: &RigidTemplate) -> Mat3 {
        self.on_axes(body.moments)
    }

    /// Inverse of [`RigidState::inertia`], 1/(kg·m²); exactly symmetric.
    pub fn inverse_inertia(&self, body: &RigidTemplate) -> Mat3 {
        self.on_axes(body.moments.recip())
    }

    /// World position of a body point, m; `r` counts from the centre, body axes.
    #[inline]
    pub fn point(&self, r: Vec3) -> Vec3 {
        self.centre + self.turn * r
    }

    /// The body point at a world position, from the centre, body axes, m.
    #[inline]
    pub fn body_point(&self, at: Vec3) -> Vec3 {
        self.turn.conjugate() * (at - self.centre)
    }

    /// Velocity of the body point at a world position, m/s.
    #[inline]
    pub fn velocity_at(&self, at: Vec3) -> Vec3 {
        self.velocity + self.spin.cross(at - self.centre)
    }

    /// Applies an impulse, N·s, at a world position, m.
    pub fn push(&mut self, body: &RigidTemplate, at: Vec3, impulse: Vec3) {
        self.velocity += impulse / body.mass;
        self.twist(body, (at - self.centre).cross(impulse));
    }

    /// Applies an angular impulse, N·m·s, world axes.
    pub fn twist(&mut self, body: &RigidTemplate, impulse: Vec3) {
        let of_body = self.turn.conjugate() * impulse;
        self.spin += self.turn * (of_body / body.moments);
    }

    /// Kinetic energy of translation and rotation, J.
    pub fn kinetic(&self, body: &RigidTemplate) -> f64 {
        let spin = self.turn.conjugate() * self.spin;
        0.5 * (body.mass * self.velocity.length_squared() + spin.dot(body.moments * spin))
    }

    /// Angular momentum about the centre, world axes, kg·m²/s.
    pub fn angular_momentum(&self, body: &RigidTemplate) -> Vec3 {
        self.turn * (body.moments * (self.turn.conjugate() * self.spin))
    }

    /// Change of the velocity of the point at `at` by an impulse there, 1/kg.
    ///
    /// Exactly symmetric, positive definite: written as a sum of squares.
    ///
    /// - Implements: [Wang21 slide "Rigid Body Collision Response by Impulse"],
    ///   K = 1/M − (Rr)* I⁻¹ (Rr)*, with I⁻¹ = Σ aₖ aₖᵀ / Iₖ on the axes aₖ.
    pub fn mobility(&self, body: &RigidTemplate, at: Vec3) -> Mat3 {
        let arm = at - self.centre;
        let axes = Mat3::from_quat(self.turn);
        Mat3::from_diagonal(Vec3::splat(1.0 / body.mass))
            + outer_square(arm.cross(axes.x_axis)) * (1.0 / body.moments.x)
            + outer_square(arm.cross(axes.y_axis)) * (1.0 / body.moments.y)
            + outer_square(arm.cross(axes.z_axis)) * (1.0 / body.moments.z)
    }

    /// Writes the positions, m, and velocities, m/s, of the body's vertices.
    ///
    /// Both slices are those of the body's vertices; entries beyond them stay, and what one of
    /// them lacks is not written.
    pub fn write(&self, body: &RigidTemplate, positions: &mut [Vec3], velocities: &mut [Vec3]) {
        let world_from_body = Mat3::from_quat(self.turn);
        let vertices = positions.iter_mut().zip(velocities);
        for (&r, (position, velocity)) in body.points.iter().zip(vertices) {
            let arm = world_from_body * r;
            *position = self.centre + arm;
            *velocity = self.velocity + self.spin.cross(arm);
        }
    }

    /// The world matrix that is diagonal on the body axes.
    fn on_axes(&self, values: Vec3) -> Mat3 {
        let axes = Mat3::from_quat(self.turn);
        outer_square(axes.x_axis) * values.x
            + outer_square(axes.y_axis) * values.y
            + outer_square(axes.z_axis) * values.z
    }
}

/// Rejects coordinates that are not finite.
fn check_finite(positions: &[Vec3]) -> Result<(), RigidError> {
    match positions.iter().position(|p| !p.is_finite()) {
        Some(k) => {
            Err(RigidError::NonFinite { vertex: VertexId(k as u32), position: positions[k] })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
