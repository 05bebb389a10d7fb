//! A soft block that falls on a floor beside a held one, and folders to run it into.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pliant::body::keyframes::{Keyframes, Pose};
use pliant::body::obstacle::{Obstacle, Plane, SurfaceMaterial};
use pliant::body::pins::Pins;
use pliant::body::soft::{Masses, State};
use pliant::body::{Bodies, Mesh};
use pliant::force::elastic::{Corotational, Elastic, ElasticSettings};
use pliant::force::gravity::Gravity;
use pliant::id::VertexId;
use pliant::integrate::System;
use pliant::integrate::implicit::{Implicit, ImplicitKind, ImplicitSettings};
use pliant::math::Vec3;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::tet::TetMesh;
use pliant::step::{Simulation, Stepper};
use pliant_papers::impulse::Impulses;
use pliant_scene::loaded::{BodyInfo, LoadedScene, RunInfo};

pub const STEPS: u64 = 61;

const DT: f64 = 0.01;

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// Two blocks; the second hangs on a pin. Steps with memory, so that resuming must restore it.
pub fn blocks() -> LoadedScene {
    let mesh =
        TetMesh::from_raw(cuboid([2; 3], Vec3::splat(0.2), TetSplit::Five).unwrap()).unwrap().0;
    let bodies = Arc::new(Bodies::from_meshes(&[Mesh::Tets(&mesh), Mesh::Tets(&mesh)]).unwrap());
    let count = mesh.positions().len();
    let place = |by: Vec3| mesh.positions().iter().map(move |p| *p + by);
    let rest: Vec<_> =
        place(Vec3::new(0.01, 0.02, 0.3)).chain(place(Vec3::new(1.0, 0.0, 1.0))).collect();
    let masses = Masses::of_tets(&rest, bodies.tets(), |_| 1000.0).unwrap();
    let mut system = System { masses, ..System::default() };
    system.bodies = bodies.clone();
    system.pins = Pins::still(&[VertexId(count as u32)], &rest).unwrap();
    system.forces.push(Gravity::new(GRAVITY, system.masses.of()));
    let rubber = ElasticSettings { young: 1e5, poisson: 0.3, damping: 0.01 };
    system.forces.push(Elastic::<Corotational>::new(&rest, bodies.tets(), |_| rubber).unwrap());
    let settings = ImplicitSettings { kind: ImplicitKind::Bdf2, ..ImplicitSettings::default() };
    let touch = SurfaceMaterial { friction: 0.3, restitution: 0.1 };
    let floor = Obstacle::new(Plane, Keyframes::still(Pose::IDENTITY).unwrap(), touch).unwrap();
    let integrator = Box::new(Implicit::new(settings));
    let floor = Box::new(Impulses::new(vec![floor]));
    let stepper = Stepper::new(integrator).with_responses(vec![floor]);
    let state = State::at_rest(rest);
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
        obstacles: Vec::new(),
    };
    LoadedScene {
        simulation: Simulation::new(state, system, stepper),
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

/// Series and recording, which depend on the scene alone.
pub fn results(folder: &Path) -> [Vec<u8>; 2] {
    ["series.csv", "recording.pliant"].map(|name| fs::read(folder.join(name)).unwrap())
}
