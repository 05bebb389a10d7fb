//! Reproducible random scenes.

use pliant::body::{Bodies, Mesh};
use pliant::id::VertexId;
use pliant::math::Vec3;
use pliant::math::random::Random;
use pliant::mesh::generate::ball::ball;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::generate::star::{StarSettings, star};
use pliant::mesh::generate::torus::{TorusSettings, torus};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use pliant::mesh::tet::TetMesh;

/// The numbers from 0 to `count` − 1 in some order.
pub fn shuffled(random: &mut Random, count: usize) -> Vec<usize> {
    let mut order: Vec<_> = (0..count).collect();
    for k in (1..count).rev() {
        order.swap(k, random.below(k + 1));
    }
    order
}

/// One body: where its vertices are now, and its tets.
#[derive(Clone)]
pub struct Body {
    pub positions: Vec<Vec3>,
    pub tets: Vec<[VertexId; 4]>,
}

impl Body {
    fn raw(&self) -> RawMesh {
        let (positions, tets) = (self.positions.clone(), self.tets.clone());
        let regions = vec![0; tets.len()];
        RawMesh { positions, tets, regions, ..RawMesh::default() }
    }
}

/// The arrays of a scene.
pub fn assemble(list: &[Body]) -> (Vec<Vec3>, Bodies) {
    let meshes: Vec<_> = list.iter().map(|b| (b.positions.len(), b.tets.as_slice())).collect();
    let positions = list.iter().flat_map(|b| b.positions.iter().copied()).collect();
    (positions, Bodies::from_tets(&meshes).unwrap())
}

/// The same scene with every second body as the closed surface of its tets.
pub fn assemble_mixed(list: &[Body]) -> (Vec<Vec3>, Bodies) {
    let tets: Vec<_> = list.iter().map(|body| TetMesh::from_raw(body.raw()).unwrap().0).collect();
    let skins = tets.iter().map(|mesh| {
        let (positions, triangles) = (mesh.positions().to_vec(), mesh.surface().to_vec());
        Surface::from_raw(RawMesh { positions, triangles, ..RawMesh::default() }).unwrap().0
    });
    let skins: Vec<_> = skins.collect();
    let mesh = |k: usize| {
        if k.is_multiple_of(2) { Mesh::Surface(&skins[k]) } else { Mesh::Tets(&tets[k]) }
    };
    let meshes: Vec<_> = (0..list.len()).map(mesh).collect();
    let positions = meshes.iter().flat_map(|mesh| match mesh {
        Mesh::Tets(mesh) => mesh.positions(),
        Mesh::Surface(mesh) => mesh.positions(),
        Mesh::SpringNetwork(..) | Mesh::Particles(_) | Mesh::Outline(..) => &[],
    });
    (positions.copied().collect(), Bodies::from_meshes(&meshes).unwrap())
}

/// Bodies of random tets: inverted, overlapping, flat, with unused vertices.
pub fn soup(random: &mut Random, corner: impl Fn(&mut Random) -> Vec3) -> Vec<Body> {
    let body = |random: &mut Random| {
        let count = 5 + random.below(6);
        let positions = (0..count).map(|_| corner(random)).collect();
        let tets = (0..2 + random.below(6)).map(|_| {
            let order = shuffled(random, count);
            [0, 1, 2, 3].map(|k| VertexId(order[k] as u32))
        });
        Body { tets: tets.collect(), positions }
    };
    (0..2 + random.below(2)).map(|_| body(random)).collect()
}

fn shapes() -> Vec<RawMesh> {
    let ring = TorusSettings { ring_radius: 0.7, tube_radius: 0.3, around: 9, rings: 1 };
    let tips = StarSettings {
        tips: 5,
        outer_radius: 1.0,
        inner_radius: 0.4,
        thickness: 0.5,
        cells: 2,
        layers: 2,
    };
    vec![
        ball(0.8, 2).unwrap(),
        ball(0.6, 3).unwrap(),
        cuboid([2, 3, 2], Vec3::new(1.0, 1.2, 0.9), TetSplit::Five).unwrap(),
        cuboid([1, 1, 1], Vec3::splat(1.1), TetSplit::Six).unwrap(),
        torus(&ring).unwrap(),
        star(&tips).unwrap(),
    ]
}

/// Valid meshes placed at random in a small space.
pub fn sound(random: &mut Random, count: usize) -> Vec<Body> {
    let shapes = shapes();
    let body = |random: &mut Random| {
        let shape = &shapes[random.below(shapes.len())];
        let (turn, by) = (random.rotation(), 1.6 * random.point());
        let positions = shape.positions.iter().map(|&p| turn * p + by).collect();
        Body { positions, tets: shape.tets.clone() }
    };
    (0..count).map(|_| body(random)).collect()
}

/// Valid meshes on a lattice of 1/4 m: vertices on faces, edges and vertices.
pub fn aligned(random: &mut Random, count: usize) -> Vec<Body> {
    let shapes = shapes();
    let body = |random: &mut Random| {
        let shape = &shapes[random.below(shapes.len())];
        let by = 0.25 * random.lattice_point(6);
        let positions = shape.positions.iter().map(|&p| p + by).collect();
        Body { positions, tets: shape.tets.clone() }
    };
    (0..count).map(|_| body(random)).collect()
}

/// The same as `sound` with every vertex perturbed: tets invert and overlap.
pub fn crumpled(random: &mut Random, count: usize) -> Vec<Body> {
    let mut list = sound(random, count);
    for position in list.iter_mut().flat_map(|body| &mut body.positions) {
        *position += 0.6 * (random.point() - 0.5);
    }
    list
}

/// Vertices moved to the nearest points of a lattice with a step of 1/4 m.
pub fn snapped(mut list: Vec<Body>) -> Vec<Body> {
    for position in list.iter_mut().flat_map(|body| &mut body.positions) {
        *position = (4.0 * *position).round() / 4.0;
    }
    list
}
