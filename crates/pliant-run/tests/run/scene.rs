//! A soft block that falls on a floor beside a held one, and folders to run it into.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use pliant::body::keyframes::Keyframes;
use pliant::body::obstacle::{Plane, SurfaceMaterial};
use pliant::integrate::implicit::{Implicit, ImplicitKind, ImplicitSettings};
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::prelude::*;
use pliant::step::Stepper;
use pliant::world::{Assembly, WorldParts};
use pliant_papers::impulse::Impulses;
use pliant_scene::loaded::{BodyInfo, LoadedScene, RunInfo};

pub const STEPS: u64 = 61;

const DT: f64 = 0.01;

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// BDF2 with impulses of a floor: steps with memory, so that resuming must restore it.
#[derive(Debug)]
struct Remembering;

impl Assembly for Remembering {
    fn assemble(&self, _parts: WorldParts<'_>) -> Result<Stepper, Box<dyn Error + Send + Sync>> {
        let settings = ImplicitSettings { kind: ImplicitKind::Bdf2, ..ImplicitSettings::default() };
        let touch = SurfaceMaterial { friction: 0.3, restitution: 0.1 };
        let floor = Obstacle::new(Plane, Keyframes::still(Pose::IDENTITY)?, touch)?;
        let stepper = Stepper::new(Box::new(Implicit::new(settings)));
        Ok(stepper.with_responses(vec![Box::new(Impulses::new(vec![floor]))]))
    }
}

/// Two blocks; the second hangs on a pin.
pub fn blocks() -> LoadedScene {
    let mesh =
        TetMesh::from_raw(cuboid([2; 3], Vec3::splat(0.2), TetSplit::Five).unwrap()).unwrap().0;
    let count = mesh.positions().len();
    let mut world = World::new();
    world.set_gravity(GRAVITY).unwrap();
    world.set_time_step(DT).unwrap();
    let block = SoftBody::new(&mesh).young(1e5).poisson(0.3).damping(0.01).density(1000.0);
    world.add(block.clone().at(vec3(0.01, 0.02, 0.3))).unwrap();
    world.add(block.at(vec3(1.0, 0.0, 1.0)).pin([VertexId(0)])).unwrap();
    world.set_assembly(Remembering);
    world.assemble().unwrap();
    let body = |name: &str, k: usize| BodyInfo {
        name: name.to_string(),
        kind: "tets".to_string(),
        vertices: k * count..(k + 1) * count,
        tets: mesh.tets().len(),
        triangles: Vec::new(),
        rings: vec![],
        edges: vec![],
        held: k == 1,
    };
    let info = RunInfo {
        scene: "blocks".to_string(),
        response: "none".to_string(),
        integrator: "bdf2".to_string(),
        dt: DT,
        steps: STEPS,
        record_every: 2,
        checkpoint_every: 5,
        description: String::new(),
        gravity: GRAVITY.to_array(),
        bodies: vec![body("free", 0), body("held", 1)],
        recorded: Default::default(),
        carried: Vec::new(),
        obstacles: Vec::new(),
    };
    LoadedScene {
        world,
        info,
        resolved: "name = \"blocks\"\n".to_string(),
        notices: vec!["made by hand".to_string()],
        warnings: Vec::new(),
        obstacles: Vec::new(),
    }
}

/// A place for one test, gone when dropped; the run's folder within is not made yet.
pub struct Place(PathBuf);

impl Place {
    pub fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("pliant-run-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn run(&self) -> PathBuf {
        self.0.join("out")
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Names in a folder, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Tables and recording, which depend on the scene alone.
pub fn results(folder: &Path) -> [Vec<u8>; 3] {
    ["series.csv", "bodies.csv", "recording.pliant"]
        .map(|name| fs::read(folder.join(name)).unwrap())
}
