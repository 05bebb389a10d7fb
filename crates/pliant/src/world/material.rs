//! What soft bodies are made of.

use std::error::Error;
use std::fmt::Debug;
use std::sync::Arc;

use crate::force::Forces;
use crate::force::elastic::{Corotational, Elastic, ElasticSettings, NeoHookean};
use crate::force::spring::{SpringLaw, SpringSettings, Springs};
use crate::id::VertexId;
use crate::math::Vec3;
use crate::world::WorldError;
use crate::world::body_mesh::BodyMesh;

/// Material of a soft body.
#[derive(Clone, Debug)]
pub enum SoftMaterial {
    /// Linear elasticity in a frame that turns with each tet; robust for large deformations.
    Corotational(ElasticSettings),
    /// Rubber: resists inversion with ever larger forces.
    NeoHookean(ElasticSettings),
    /// Springs along all edges, for cloth and ropes.
    Springs(SpringMaterial),
    /// A material of your own.
    Custom(Arc<dyn BodyMaterial>),
}

/// Springs along the edges of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringMaterial {
    /// Of edges, N per unit stretch.
    pub stiffness: f64,
    /// Of diagonals, N per unit stretch; 0 for none.
    pub shear: f64,
    /// Of edges over one vertex to the next, N per unit stretch; 0 for none.
    pub bend: f64,
    /// Damping, N·s/m.
    pub damping: f64,
}

/// A material from outside.
///
/// It appends one or more forces for bodies that share it and follow one another. A force's elements must stay on the vertices that
/// they were made on: the world keeps the structure of its matrix until a body is added or
/// removed, and then makes all forces anew.
///
/// ```
/// use std::error::Error;
///
/// use pliant::force::Forces;
/// use pliant::force::spring::{SpringLaw, SpringSettings, Springs};
/// use pliant::prelude::*;
/// use pliant::world::{BodyMaterial, MaterialBody};
///
/// /// Springs along the edges of tets, the same force for the same stretch in m.
/// #[derive(Debug)]
/// struct Foam;
///
/// impl BodyMaterial for Foam {
///     fn push_forces(
///         &self,
///         bodies: &[MaterialBody<'_>],
///         forces: &mut Forces,
///     ) -> Result<(), Box<dyn Error + Send + Sync>> {
///         let settings = SpringSettings { law: SpringLaw::Absolute, stiffness: 500.0, damping: 1.0 };
///         for body in bodies {
///             forces.push(Springs::along(body.rest, &body.edges(), settings)?);
///         }
///         Ok(())
///     }
/// }
///
/// let mut world = World::new();
/// world.add(Obstacle::plane(Vec3::Z, 0.0))?;
/// let ball = world.add(SoftBody::ball(0.1, 2).custom(Foam).at(vec3(0.0, 0.0, 0.2)))?;
/// for _ in 0..60 {
///     world.step()?;
/// }
/// assert!(world.centre(ball)?.z > 0.02);
/// # Ok::<(), WorldError>(())
/// ```
pub trait BodyMaterial: Debug + Send + Sync {
    /// Appends the forces within bodies that share it, at least one.
    fn push_forces(
        &self,
        bodies: &[MaterialBody<'_>],
        forces: &mut Forces,
    ) -> Result<(), Box<dyn Error + Send + Sync>>;
}

/// A body as its material sees it.
#[derive(Clone, Copy, Debug)]
pub struct MaterialBody<'a> {
    /// Rest positions of all vertices of the world, m; those of the body are where it was added.
    pub rest: &'a [Vec3],
    /// Its first vertex in these.
    pub first: u32,
    /// Its mesh, whose indices count from `first`.
    pub mesh: &'a BodyMesh,
}

impl MaterialBody<'_> {
    /// Tets in the numbers of the world.
    pub fn tets(&self) -> Vec<[VertexId; 4]> {
        self.mesh.tets().iter().map(|tet| tet.map(|v| self.global(v))).collect()
    }

    /// Edges in the numbers of the world.
    pub fn edges(&self) -> Vec<[VertexId; 2]> {
        self.numbered(&self.mesh.edges())
    }

    fn numbered(&self, edges: &[[VertexId; 2]]) -> Vec<[VertexId; 2]> {
        edges.iter().map(|edge| edge.map(|v| self.global(v))).collect()
    }

    fn global(&self, vertex: VertexId) -> VertexId {
        VertexId(self.first + vertex.0)
    }
}

/// Appends the forces within all bodies; neighbours of one law share a force.
pub(super) fn push_all(
    bodies: &[(MaterialBody<'_>, &SoftMaterial)],
    forces: &mut Forces,
) -> Result<(), WorldError> {
    for run in bodies.chunk_by(|(_, a), (_, b)| is_same_law(a, b)) {
        match run[0].1 {
            SoftMaterial::Corotational(_) => {
                forces.push(elastic::<Corotational>(run[0].0.rest, run)?);
            }
            SoftMaterial::NeoHookean(_) => {
                forces.push(elastic::<NeoHookean>(run[0].0.rest, run)?);
            }
            SoftMaterial::Springs(material) => {
                for (body, _) in run {
                    push_springs(body, material, forces)?;
                }
            }
            SoftMaterial::Custom(material) => {
                let bodies: Vec<MaterialBody<'_>> = run.iter().map(|(body, _)| *body).collect();
                let done = material.push_forces(&bodies, forces);
                done.map_err(|error| WorldError::Material(Arc::from(error)))?;
            }
        }
    }
    Ok(())
}

/// A law of elasticity that a world knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElasticLaw {
    Corotational,
    NeoHookean,
}

impl ElasticLaw {
    /// The law of a material; none where it is no such law.
    pub fn of(material: &SoftMaterial) -> Option<ElasticLaw> {
        match material {
            SoftMaterial::Corotational(_) => Some(ElasticLaw::Corotational),
            SoftMaterial::NeoHookean(_) => Some(ElasticLaw::NeoHookean),
            SoftMaterial::Springs(_) | SoftMaterial::Custom(_) => None,
        }
    }
}

/// Appends one force of a law for all bodies, which are all of that law; of no tets for none.
pub(super) fn push_elastic(
    law: ElasticLaw,
    rest: &[Vec3],
    bodies: &[(MaterialBody<'_>, &SoftMaterial)],
    forces: &mut Forces,
) -> Result<(), WorldError> {
    match law {
        ElasticLaw::Corotational => forces.push(elastic::<Corotational>(rest, bodies)?),
        ElasticLaw::NeoHookean => forces.push(elastic::<NeoHookean>(rest, bodies)?),
    }
    Ok(())
}

/// Whether two materials can share a force, body by body with their own settings.
fn is_same_law(a: &SoftMaterial, b: &SoftMaterial) -> bool {
    match (a, b) {
        (SoftMaterial::Corotational(_), SoftMaterial::Corotational(_))
        | (SoftMaterial::NeoHookean(_), SoftMaterial::NeoHookean(_)) => true,
        (SoftMaterial::Custom(a), SoftMaterial::Custom(b)) => Arc::ptr_eq(a, b),
        _ => false,
    }
}

fn elastic<L: crate::force::elastic::law::Law>(
    rest: &[Vec3],
    run: &[(MaterialBody<'_>, &SoftMaterial)],
) -> Result<Elastic<L>, WorldError> {
    let (mut tets, mut settings) = (Vec::new(), Vec::new());
    for (body, material) in run {
        let (SoftMaterial::Corotational(own) | SoftMaterial::NeoHookean(own)) = material else {
            continue;
        };
        tets.extend(body.tets());
        settings.resize(tets.len(), *own);
    }
    Ok(Elastic::new(rest, &tets, |tet| settings[tet])?)
}

fn push_springs(
    body: &MaterialBody<'_>,
    material: &SpringMaterial,
    forces: &mut Forces,
) -> Result<(), WorldError> {
    let SpringMaterial { stiffness, shear, bend, damping } = *material;
    let none = Vec::new();
    let (diagonals, over) = match body.mesh {
        BodyMesh::SpringNetwork(network) => (&network.shear, &network.bend),
        _ => (&none, &none),
    };
    let kinds =
        [(body.edges(), stiffness), (body.numbered(diagonals), shear), (body.numbered(over), bend)];
    for (place, (edges, stiffness)) in kinds.into_iter().enumerate() {
        if edges.is_empty() || (stiffness == 0.0 && place > 0) {
            continue;
        }
        let settings = SpringSettings { law: SpringLaw::Relative, stiffness, damping };
        forces.push(Springs::along(body.rest, &edges, settings)?);
    }
    Ok(())
}
