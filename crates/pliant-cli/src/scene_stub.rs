//! A soft block that falls on a floor, in place of scenes from files.

use pliant::body::keyframes::{Keyframes, Pose};
use pliant::body::obstacle::{Obstacle, Plane, Touch};
use pliant::body::soft::{BodyStarts, Masses, State};
use pliant::body::{Bodies, Mesh};
use pliant::force::elastic::{Corotational, Elastic, ElasticSettings};
use pliant::force::gravity::Gravity;
use pliant::integrate::System;
use pliant::integrate::implicit::{Implicit, ImplicitSettings};
use pliant::math::Vec3;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::Cut;
use pliant::mesh::tet::TetMesh;
use pliant::sim::Simulation;
use pliant_run::built::{BodyInfo, Built, RunInfo};

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// The block, whatever the name; `steps=N` and `cells=N` are the only settings.
pub fn load(source: &str, sets: &[String]) -> Result<Built, String> {
    let name = std::path::Path::new(source).file_stem().unwrap_or_default().to_string_lossy();
    let (mut steps, mut cells) = (200, 4);
    for set in sets {
        let value = |text: &str| text.parse::<u32>().map_err(|_| format!("{set}: not a count"));
        match set.split_once('=') {
            Some(("steps", text)) => steps = u64::from(value(text)?),
            Some(("cells", text)) => cells = value(text)?,
            _ => return Err(format!("{set}: no such parameter")),
        }
    }
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let raw = cuboid([cells; 3], Vec3::splat(0.4), Cut::Five).map_err(|e| text(&e))?;
    let mesh = TetMesh::from_raw(raw).map_err(|e| text(&e))?.0;
    let bodies = Bodies::from_meshes(&[Mesh::Tets(&mesh)]).map_err(|e| text(&e))?;
    let rest: Vec<_> = mesh.positions().iter().map(|p| *p + 0.5 * Vec3::Z).collect();
    let masses = Masses::of_tets(&rest, bodies.tets(), |_| 1000.0).map_err(|e| text(&e))?;
    let mut system = System { masses, ..System::default() };
    system.bodies = BodyStarts::from_counts([rest.len()]);
    system.forces.push(Gravity::new(GRAVITY, system.masses.of()));
    let rubber = ElasticSettings { young: 1e5, poisson: 0.3, damping: 0.01 };
    let elastic = Elastic::<Corotational>::new(&rest, bodies.tets(), |_| rubber);
    system.forces.push(elastic.map_err(|e| text(&e))?);
    let touch = Touch { friction: 0.3, restitution: 0.1 };
    let still = Keyframes::still(Pose::IDENTITY).map_err(|e| text(&e))?;
    let floor = Obstacle::new(Plane, still, touch).map_err(|e| text(&e))?;
    let body = BodyInfo {
        name: "block".to_string(),
        kind: "tets".to_string(),
        vertices: 0..rest.len(),
        tets: bodies.tets().len(),
        triangles: bodies.triangles().iter().map(|t| t.map(|v| v.0)).collect(),
        held: false,
    };
    let info = RunInfo {
        scene: name.to_string(),
        response: "none".to_string(),
        integrator: "implicit".to_string(),
        dt: 0.01,
        steps,
        record_every: 1,
        checkpoint_every: 10,
        gravity: GRAVITY.to_array(),
        bodies: vec![body],
        obstacles: Vec::new(),
    };
    let integrator = Box::new(Implicit::new(ImplicitSettings::default()));
    let state = State::at_rest(rest);
    let simulation = Simulation::new(bodies, state, system, integrator, vec![floor]);
    let resolved = format!("name = \"{name}\"\nsteps = {steps}\ncells = {cells}\n");
    Ok(Built { simulation, info, resolved, notices: Vec::new() })
}
