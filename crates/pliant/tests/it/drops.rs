//! Boxes and balls of all sizes, stiffnesses and densities come to rest on a floor.
//!
//! What counts is the ratio of weight to stiffness, ρ g L / E, which is about the strain under
//! the own weight. From 1 on a body of linear elasticity has nothing left to stand on.

use pliant::id::VertexId;
use pliant::math::{Vec3, tet_volume};
use pliant::mesh::generate::ball::ball;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::tet::TetMesh;
use pliant::prelude::{BodyHandle, Obstacle, SoftBody, World};

/// Names what must be set for all combinations, which take minutes.
const ALL: &str = "PLIANT_ALL_DROPS";

const GRAVITY: f64 = 9.81;

/// Speed of a body at rest, over that of a fall by its size.
const AT_REST: f64 = 1e-3;

/// Steps for which a body must be at rest.
const STAYS: usize = 10;

/// Fall within one step from rest, m: contact that begins within a step is found after it.
const LATE: f64 = GRAVITY / 3600.0;

/// One body that is dropped.
#[derive(Clone, Copy, Debug)]
struct Dropped {
    is_ball: bool,
    /// Edge or diameter, m.
    size: f64,
    /// Young's modulus, Pa.
    young: f64,
    /// kg/m³.
    density: f64,
}

impl Dropped {
    fn mesh(self) -> TetMesh {
        let raw = match self.is_ball {
            true => ball(0.5 * self.size, 3),
            false => cuboid([3; 3], Vec3::splat(self.size), TetSplit::Five),
        };
        TetMesh::from_raw(raw.unwrap()).unwrap().0
    }

    /// Strain under the own weight, about.
    fn strain(self) -> f64 {
        self.density * GRAVITY * self.size / self.young
    }

    /// Drops it from 0.2 of its size, and says what went wrong.
    fn run(self) -> Result<(), String> {
        let mesh = self.mesh();
        let mut world = World::new();
        world.add(Obstacle::plane(Vec3::Z, 0.0)).map_err(|error| error.to_string())?;
        let body = SoftBody::new(&mesh).young(self.young).density(self.density);
        let body = world.add(body.at(0.7 * self.size * Vec3::Z)).map_err(|e| e.to_string())?;
        // A ball that comes down on a vertex rolls on to a face, which takes its time.
        let time = 60.0 * (self.size / GRAVITY).sqrt() + 2.0;
        let fall = (GRAVITY * self.size).sqrt();
        let mut rest = 0;
        for step in 0..(60.0 * time) as usize {
            world.step().map_err(|error| format!("step {step}: {error}"))?;
            let is_wrong = |wrong| format!("step {step}: {wrong}");
            check(&world, body, &mesh, LATE).map_err(is_wrong)?;
            let speeds = world.velocities(body).unwrap().iter().map(|v| v.length());
            let is_slow = speeds.fold(0.0, f64::max) < AT_REST * fall;
            rest = if is_slow && !world.contacts().is_empty() { rest + 1 } else { 0 };
            if rest == STAYS {
                return check(&world, body, &mesh, 0.0).map_err(|wrong| format!("rest: {wrong}"));
            }
        }
        let speeds = world.velocities(body).unwrap().iter().map(|v| v.length());
        Err(format!("not at rest after {time:.1} s: {:.1e}", speeds.fold(0.0, f64::max) / fall))
    }
}

/// Refuses vertices deeper below the floor than `late`, m, and inverted tets.
fn check(world: &World, body: BodyHandle, mesh: &TetMesh, late: f64) -> Result<(), String> {
    let positions = world.positions(body).unwrap();
    let lowest = positions.iter().fold(f64::INFINITY, |low, p| low.min(p.z));
    if lowest < -late {
        return Err(format!("{lowest:.1e} m below the floor"));
    }
    let volume = |tet: &[VertexId; 4]| tet_volume(tet.map(|v| positions[v.index()]));
    match mesh.tets().iter().filter(|tet| volume(tet) <= 0.0).count() {
        0 => Ok(()),
        inverted => Err(format!("{inverted} inverted tets")),
    }
}

/// Every combination of sizes, stiffnesses and densities.
fn all() -> impl Iterator<Item = Dropped> {
    let (sizes, moduli) = ([0.01, 0.1, 1.0, 10.0], [1e3, 1e4, 1e5, 1e6, 1e7]);
    let densities = [100.0, 1000.0, 8000.0];
    [false, true].into_iter().flat_map(move |is_ball| {
        sizes.into_iter().flat_map(move |size| {
            moduli.into_iter().flat_map(move |young| {
                densities.into_iter().map(move |density| Dropped { is_ball, size, young, density })
            })
        })
    })
}

/// All must come to rest; those that do not are listed.
#[track_caller]
fn come_to_rest(drops: impl IntoIterator<Item = Dropped>) {
    let wrong = |drop: Dropped| {
        let error = drop.run().err()?;
        Some(format!("strain {:.1e}, {drop:?}: {error}", drop.strain()))
    };
    let wrong: Vec<String> = drops.into_iter().filter_map(wrong).collect();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn boxes_and_balls_come_to_rest_on_the_floor() {
    if std::env::var_os(ALL).is_some() {
        return come_to_rest(all());
    }
    let few = [
        (false, 0.01, 1e4, 1000.0),
        (false, 0.1, 1e5, 100.0),
        (true, 0.1, 1e5, 1000.0),
        (false, 1.0, 1e6, 8000.0),
        (true, 10.0, 1e7, 100.0),
    ];
    let dropped = |(is_ball, size, young, density)| Dropped { is_ball, size, young, density };
    come_to_rest(few.map(dropped));
}
