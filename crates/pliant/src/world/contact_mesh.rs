//! Fine surfaces that touch others in place of the boundary of the tets that carry them.

use std::sync::Arc;

use crate::body::Bodies;
use crate::contact::carried::{ContactMesh, ContactSurfaces};
use crate::id::{BodyId, VertexId};
use crate::math::{Aabb, Vec3};
use crate::mesh::embed::{Embedding, embed};
use crate::mesh::surface::Surface;
use crate::world::body_mesh::BodyMesh;
use crate::world::{BodyHandle, World, WorldError};

/// A surface may reach this far beyond its tets, over the diagonal of their box.
const FAR: f64 = 1.0;

/// A closed surface in terms of the tets that carry it.
#[derive(Clone, Debug)]
pub struct CarriedMesh {
    /// The surface at rest, in the space of the body.
    pub surface: Surface,
    /// Its vertices in terms of those of the body.
    pub embedding: Embedding,
}

impl CarriedMesh {
    /// Finds the tet that carries each vertex of a surface.
    ///
    /// Refused are a mesh without tets, and a surface that is farther from them than they are large.
    pub fn new(mesh: &BodyMesh, surface: &Surface) -> Result<CarriedMesh, WorldError> {
        let BodyMesh::Tets(tets) = mesh else { return Err(WorldError::NoCarrier) };
        let embedding = embed(tets, surface.positions());
        let most = FAR * Aabb::around(tets.positions().iter().copied()).size().length();
        let is_near = embedding.farthest <= most;
        if !is_near {
            return Err(WorldError::FarContactMesh { distance: embedding.farthest, most });
        }
        Ok(CarriedMesh { surface: surface.clone(), embedding })
    }
}

impl World {
    /// Where the contact mesh of a body is, m, and its triangles in these numbers; `None` where it
    /// has none and touches with its own mesh.
    ///
    /// This is what to draw of a body that was made by
    /// [`SoftBody::contact_mesh`](super::SoftBody::contact_mesh).
    pub fn contact_mesh(&self, body: BodyHandle) -> Result<Option<PlacedMesh<'_>>, WorldError> {
        let positions = self.positions(body)?;
        let place = |mesh: &'_ Arc<CarriedMesh>| mesh.embedding.place(positions);
        let mesh = self.body(body)?.model.contact_mesh.as_ref();
        Ok(mesh.map(|mesh| (place(mesh), mesh.surface.triangles())))
    }

    /// The bodies as contact sees them; `None` where all touch with their own meshes.
    pub(super) fn contact_surfaces(
        &self,
        rest: &[Vec3],
        bodies: &Bodies,
    ) -> Result<Option<ContactSurfaces>, WorldError> {
        let all = self.bodies.iter().enumerate();
        let meshes: Vec<ContactMesh<'_>> = all
            .filter_map(|(place, (_, entry))| {
                let mesh = entry.model.contact_mesh.as_ref()?;
                let (surface, embedding) = (&mesh.surface, &mesh.embedding);
                Some(ContactMesh { body: BodyId(place as u32), surface, embedding })
            })
            .collect();
        if meshes.is_empty() {
            return Ok(None);
        }
        Ok(Some(ContactSurfaces::new(rest, bodies, &meshes)?))
    }

    /// Whether a body touches with a mesh that its tets carry.
    pub(super) fn has_contact_meshes(&self) -> bool {
        self.bodies.iter().any(|(_, entry)| entry.model.contact_mesh.is_some())
    }
}

/// Vertices, m, and triangles between them.
pub type PlacedMesh<'a> = (Vec<Vec3>, &'a [[VertexId; 3]]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate::ball::ball;
    use crate::mesh::raw::RawMesh;
    use crate::mesh::tet::TetMesh;
    use crate::prelude::*;
    use crate::record::fields::contact_pressures;

    /// The boundary of a ball.
    fn sphere(radius: f64) -> Surface {
        let mesh = TetMesh::from_raw(ball(radius, 6).unwrap()).unwrap().0;
        let (positions, triangles) = (mesh.positions().to_vec(), mesh.surface().to_vec());
        Surface::from_raw(RawMesh { positions, triangles, ..RawMesh::default() }).unwrap().0
    }

    /// A cube of 0.2 m that touches with a sphere inside of it, m.
    fn cube(radius: f64) -> SoftBody {
        let cube = SoftBody::cuboid(Vec3::splat(0.2), [2; 3]).young(1e6).density(1000.0);
        cube.damping(0.02).contact_mesh(&sphere(radius))
    }

    fn on_the_floor(bodies: impl IntoIterator<Item = SoftBody>) -> (World, Vec<BodyHandle>) {
        let mut world = World::new();
        world.add(Obstacle::plane(Vec3::Z, 0.0)).unwrap();
        let bodies = bodies.into_iter().map(|body| world.add(body).unwrap()).collect();
        (world, bodies)
    }

    #[test]
    fn a_body_rests_on_its_contact_mesh_and_not_on_its_tets() {
        let (mut world, bodies) = on_the_floor([cube(0.08).at(0.12 * Vec3::Z)]);
        for _ in 0..240 {
            world.step().unwrap();
        }
        // Its lower face is below the floor, the sphere on it.
        let lowest = |places: &[Vec3]| places.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        assert!(lowest(world.positions(bodies[0]).unwrap()) < -0.01);
        let (places, triangles) = world.contact_mesh(bodies[0]).unwrap().unwrap();
        assert!(lowest(&places).abs() < 2e-3, "{}", lowest(&places));
        // 1 + Σ (10 k² + 2) vertices, and 20 · 6² triangles.
        assert_eq!((places.len(), triangles.len()), (923, 720));
        assert!(world.velocity(bodies[0]).unwrap().length() < 1e-2);
    }

    #[test]
    fn pressure_on_a_carried_surface_is_finite_at_inner_vertices_too() {
        let (mut world, bodies) = on_the_floor([cube(0.04).at(0.042 * Vec3::Z)]);
        for _ in 0..20 {
            world.step().unwrap();
        }
        let mut pressures = Vec::new();
        contact_pressures(world.simulation(), world.time_step(), &mut pressures);
        assert_eq!(pressures.len(), world.positions(bodies[0]).unwrap().len());
        assert!(pressures.iter().all(|pressure| pressure.is_finite()), "{pressures:?}");
        // The vertex in the middle carries most of the sphere, and belongs to no face.
        let is_inner = |p: &Vec3| (*p - world.centre(bodies[0]).unwrap()).length() < 0.02;
        let middle = world.positions(bodies[0]).unwrap().iter().position(is_inner).unwrap();
        assert!(pressures[middle] > 0.0, "{pressures:?}");
        // 8 kg on less than the cross section of the sphere, and less than all of it on a point.
        assert!(pressures[middle] < 8.0 * 9.81 * 10.0 / (0.04 * 0.04), "{}", pressures[middle]);
    }

    #[test]
    fn bodies_that_come_and_go_leave_the_others_on_their_contact_meshes() {
        // The second is far away and leaves; the first must move as if it had been alone.
        let far = |x: f64| cube(0.08).at(vec3(x, 0.0, 0.12));
        let (mut alone, first) = on_the_floor([far(0.0)]);
        let (mut world, bodies) = on_the_floor([far(0.0), far(5.0)]);
        for step in 0..30 {
            if step == 10 {
                world.remove(bodies[1]).unwrap();
            }
            if step == 20 {
                world.add(SoftBody::ball(0.1, 2).at(vec3(-5.0, 0.0, 1.0))).unwrap();
            }
            alone.step().unwrap();
            world.step().unwrap();
        }
        let pairs =
            alone.positions(first[0]).unwrap().iter().zip(world.positions(bodies[0]).unwrap());
        for (a, b) in pairs {
            assert!(a.distance(*b) < 1e-6, "{a} {b}");
        }
    }

    #[test]
    fn what_cannot_carry_a_contact_mesh_is_refused() {
        let mut world = World::new();
        let mut refused = |body: SoftBody| world.add(body).unwrap_err().to_string();
        let cloth = SoftBody::cloth([1.0; 2], [4; 2]).mass(1.0);
        let found = refused(cloth.contact_mesh(&sphere(0.1)));
        assert!(
            found.starts_with("the mesh has no tets that could carry a contact mesh"),
            "{found}"
        );
        let found = refused(cube(50.0));
        assert!(found.contains("in another place or unit"), "{found}");
    }
}
