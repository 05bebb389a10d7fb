//! parry's triangle meshes with their defaults.
//!
//! Each step every mesh takes its new vertices, which refits its tree and computes all
//! pseudo-normals; a tree over the bodies finds the pairs; every vertex in the common box is
//! projected with the inside test that oriented meshes have.

use parry3d::partitioning::{Bvh, BvhWorkspace};
use parry3d::query::PointQuery;
use parry3d::shape::{TriMesh, TriMeshFlags};
use pliant::body::Bodies;
use pliant::id::{BodyId, VertexId};

use crate::parry::{Frame, Nearest, meshes};

/// Meshes of all bodies.
pub struct Whole<'a> {
    bodies: &'a Bodies,
    meshes: Vec<TriMesh>,
    tree: Bvh,
    workspace: BvhWorkspace,
    near: Vec<[BodyId; 2]>,
    /// What the last step found.
    pub found: Vec<Nearest>,
}

impl Whole<'_> {
    /// Builds the meshes, which later steps update; `Err` when parry rejects one.
    pub fn new<'a>(bodies: &'a Bodies, frame: &Frame) -> Result<Whole<'a>, String> {
        let flags = TriMeshFlags::ORIENTED | TriMeshFlags::DEFORMABLE;
        Ok(Whole {
            bodies,
            meshes: meshes(bodies, frame, flags)?,
            tree: Bvh::new(),
            workspace: BvhWorkspace::default(),
            near: Vec::new(),
            found: Vec::new(),
        })
    }

    /// Updates the meshes and finds the vertices inside other bodies.
    pub fn step(&mut self, frame: &Frame) {
        for (body, mesh) in self.bodies.ids().zip(&mut self.meshes) {
            mesh.set_vertices(&frame.positions[self.bodies.vertices(body)]);
            let _ = self.tree.insert_or_update_partially(mesh.local_aabb(), body.0, 0.0);
        }
        self.tree.refit(&mut self.workspace);
        self.near.clear();
        self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
            self.near.extend([[BodyId(a), BodyId(b)], [BodyId(b), BodyId(a)]]);
        });
        self.found.clear();
        for &[own, body] in &self.near {
            let mesh = &self.meshes[body.index()];
            let its = mesh.local_aabb();
            let Some(overlap) = self.meshes[own.index()].local_aabb().intersection(&its) else {
                continue;
            };
            for vertex in self.bodies.vertices(own) {
                let point = frame.positions[vertex];
                if !overlap.contains_local_point(point) {
                    continue;
                }
                let nearest = mesh.project_local_point(point, false);
                if nearest.is_inside {
                    let (vertex, way_out) = (VertexId(vertex as u32), nearest.point - point);
                    self.found.push(Nearest { vertex, body, way_out });
                }
            }
        }
    }
}
