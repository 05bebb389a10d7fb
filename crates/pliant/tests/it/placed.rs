//! Bodies of 100 kg/m³ at given poses, without forces.

use std::sync::Arc;

use pliant::body::soft::{Masses, State};
use pliant::body::{Bodies, Mesh};
use pliant::integrate::System;
use pliant::math::{Quat, Vec3};
use pliant::mesh::tet::TetMesh;

/// Bodies at rest, turned and shifted.
pub struct Placed {
    pub bodies: Arc<Bodies>,
    pub rest: Vec<Vec3>,
    pub state: State,
    pub system: System,
}

/// Places each mesh.
pub fn placed(meshes: &[(TetMesh, Quat, Vec3)]) -> Placed {
    let list: Vec<_> = meshes.iter().map(|(mesh, ..)| Mesh::Tets(mesh)).collect();
    let bodies = Arc::new(Bodies::from_meshes(&list).unwrap());
    let all = meshes.iter().flat_map(|(mesh, ..)| mesh.positions().iter().copied());
    let rest: Vec<Vec3> = all.collect();
    let places = meshes
        .iter()
        .flat_map(|(mesh, turn, shift)| mesh.positions().iter().map(move |p| *turn * *p + *shift));
    let masses = Masses::of_tets(&rest, bodies.tets(), |_| 100.0).unwrap();
    let system = System { masses, bodies: bodies.clone(), ..System::default() };
    Placed { state: State::at_rest(places.collect()), bodies, rest, system }
}
