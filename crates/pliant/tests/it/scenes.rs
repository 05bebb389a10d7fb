//! Reproducible random scenes.

use pliant::body::{Bodies, Mesh};
use pliant::id::VertexId;
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::ball::ball;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::generate::star::{StarSettings, star};
use pliant::mesh::generate::torus::{TorusSettings, torus};
use pliant::mesh::raw::RawMesh;
use pliant::mesh::surface::Surface;
use pliant::mesh::tet::TetMesh;

/// A pseudo-random generator of numbers from 0 to 1.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A whole number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.roll() * end as f64) as usize
    }

    /// A point of the unit cube.
    pub fn point(&mut self) -> Vec3 {
        Vec3::new(self.roll(), self.roll(), self.roll())
    }

    /// A point with whole coordinates from 0 to `end` − 1.
    pub fn lattice_point(&mut self, end: usize) -> Vec3 {
        Vec3::new(self.below(end) as f64, self.below(end) as f64, self.below(end) as f64)
    }

    pub fn turn(&mut self) -> Quat {
        let axis = (self.point() - 0.5).try_normalize().unwrap_or(Vec3::X);
        Quat::from_axis_angle(axis, 6.0 * self.roll())
    }

    /// The numbers from 0 to `count` − 1 in some order.
    pub fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<_> = (0..count).collect();
        for k in (1..count).rev() {
            order.swap(k, self.below(k + 1));
        }
        order
    }
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
pub fn soup(dice: &mut Dice, corner: impl Fn(&mut Dice) -> Vec3) -> Vec<Body> {
    let body = |dice: &mut Dice| {
        let count = 5 + dice.below(6);
        let positions = (0..count).map(|_| corner(dice)).collect();
        let tets = (0..2 + dice.below(6)).map(|_| {
            let order = dice.shuffled(count);
            [0, 1, 2, 3].map(|k| VertexId(order[k] as u32))
        });
        Body { tets: tets.collect(), positions }
    };
    (0..2 + dice.below(2)).map(|_| body(dice)).collect()
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
pub fn sound(dice: &mut Dice, count: usize) -> Vec<Body> {
    let shapes = shapes();
    let body = |dice: &mut Dice| {
        let shape = &shapes[dice.below(shapes.len())];
        let (turn, by) = (dice.turn(), 1.6 * dice.point());
        let positions = shape.positions.iter().map(|&p| turn * p + by).collect();
        Body { positions, tets: shape.tets.clone() }
    };
    (0..count).map(|_| body(dice)).collect()
}

/// Valid meshes on a lattice of 1/4 m: vertices on faces, edges and vertices.
pub fn aligned(dice: &mut Dice, count: usize) -> Vec<Body> {
    let shapes = shapes();
    let body = |dice: &mut Dice| {
        let shape = &shapes[dice.below(shapes.len())];
        let by = 0.25 * dice.lattice_point(6);
        let positions = shape.positions.iter().map(|&p| p + by).collect();
        Body { positions, tets: shape.tets.clone() }
    };
    (0..count).map(|_| body(dice)).collect()
}

/// The same as `sound` with every vertex perturbed: tets invert and overlap.
pub fn crumpled(dice: &mut Dice, count: usize) -> Vec<Body> {
    let mut list = sound(dice, count);
    for position in list.iter_mut().flat_map(|body| &mut body.positions) {
        *position += 0.6 * (dice.point() - 0.5);
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
