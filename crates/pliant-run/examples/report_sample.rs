//! A soft block and a ball that fall on a floor, as a report with pictures.
//!
//! Call with a folder that exists:
//! `cargo run --release -p pliant-run --example report_sample -- FOLDER`.

use std::error::Error;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use pliant::body::keyframes::{Keyframes, Pose};
use pliant::body::obstacle::{Obstacle, Plane, SurfaceMaterial};
use pliant::body::soft::{Masses, State};
use pliant::body::{Bodies, Mesh};
use pliant::force::elastic::{Corotational, Elastic, ElasticSettings};
use pliant::force::gravity::Gravity;
use pliant::id::VertexId;
use pliant::integrate::System;
use pliant::integrate::implicit::{Implicit, ImplicitSettings};
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::ball::ball;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::tet::TetMesh;
use pliant::profile::{Profiler, Stage};
use pliant::record::row::SeriesRow;
use pliant::step::{Simulation, Stepper};
use pliant_io::atomic_file;
use pliant_papers::impulse::Impulses;
use pliant_plane::overlap::Measure;
use pliant_run::picture::{Camera, Image, View, png, render};
use pliant_run::report::{Picture, ReportData, html};
use pliant_run::run::series::WIDTH;
use pliant_run::summary::{ContactTally, Iterations, StageTimes, Summary};
use pliant_scene::digest::digest;
use pliant_scene::loaded::{BodyInfo, RenderMesh, RunInfo};

/// Time step, s.
const DT: f64 = 0.005;

/// Steps.
const STEPS: u64 = 500;

/// Gravity, m/s².
const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name a folder")?);
    let meshes = meshes()?;
    let info = info(&meshes);
    let mut simulation = simulation(&meshes)?;
    let clock = Arc::new(Clock::default());
    simulation.system.profiler = Some(clock.clone());
    let mut measure = Measure::new(&simulation.state.positions, &simulation.system.bodies);
    let mut rows = Vec::new();
    let mut images = vec![picture(&simulation, &info, [640, 400])];
    let begin = Instant::now();
    for step in 0..=STEPS {
        let overlap = measure.measure(&simulation.state.positions, &simulation.system.bodies);
        rows.push(SeriesRow::of(&simulation, overlap).values());
        if step < STEPS {
            simulation.step(DT)?;
        }
        if step == STEPS / 6 {
            images.push(picture(&simulation, &info, [640, 400]));
        }
    }
    let summary = summary(&simulation, &rows, &clock, begin.elapsed().as_secs_f64());
    let pngs: Vec<_> = images.iter().map(png).collect();
    let captions = ["the start", "0.42 s later"];
    let pictures: Vec<_> = captions
        .into_iter()
        .zip(&pngs)
        .map(|(caption, png)| Picture { caption, png, dark: None })
        .collect();
    let machine = [("threads".to_string(), "1".to_string())];
    let page = html(&ReportData {
        info: &info,
        summary: &summary,
        rows: &rows,
        resolved: "name = \"drop\"\n\n[time]\ndt = 0.005\nsteps = 500\n",
        description: "A soft block and a soft ball fall on a floor.",
        machine: &machine,
        version: env!("CARGO_PKG_VERSION"),
        date: "",
        pictures: &pictures,
        player: None,
    });
    atomic_file::write(&folder.join("report.html"), page.as_bytes())?;
    for (name, png) in ["start.png", "later.png"].into_iter().zip(&pngs) {
        atomic_file::write(&folder.join(name), png)?;
    }
    let begin = Instant::now();
    let large = png(&picture(&simulation, &info, [1280, 720]));
    println!("1280×720 drawn and packed in {:?}, {} bytes", begin.elapsed(), large.len());
    atomic_file::write(&folder.join("end.png"), &large)?;
    Ok(())
}

fn meshes() -> Result<Vec<(&'static str, TetMesh)>, Box<dyn Error>> {
    let mut block = cuboid([6, 4, 4], Vec3::new(0.6, 0.4, 0.4), TetSplit::Five)?;
    let turn = Quat::from_rotation_y(0.5);
    block.positions.iter_mut().for_each(|p| *p = turn * *p + Vec3::new(0.0, 0.0, 0.8));
    let mut round = ball(0.22, 4)?;
    round.positions.iter_mut().for_each(|p| *p += Vec3::new(0.75, 0.1, 0.5));
    Ok(vec![("block", TetMesh::from_raw(block)?.0), ("ball", TetMesh::from_raw(round)?.0)])
}

fn simulation(meshes: &[(&str, TetMesh)]) -> Result<Simulation, Box<dyn Error>> {
    let rest: Vec<Vec3> = meshes.iter().flat_map(|(_, mesh)| mesh.positions()).copied().collect();
    let mut tets: Vec<[VertexId; 4]> = Vec::new();
    let mut start = 0;
    for (_, mesh) in meshes {
        tets.extend(mesh.tets().iter().map(|tet| tet.map(|v| VertexId(v.0 + start))));
        start += mesh.positions().len() as u32;
    }
    let masses = Masses::of_tets(&rest, &tets, |_| 1000.0)?;
    let mut system = System { masses, ..System::default() };
    system.forces.push(Gravity::new(GRAVITY, system.masses.of()));
    let settings = ElasticSettings { young: 2e5, poisson: 0.3, damping: 0.004 };
    system.forces.push(Elastic::<Corotational>::new(&rest, &tets, |_| settings)?);
    let still = Keyframes::still(Pose::IDENTITY)?;
    let floor = Obstacle::new(Plane, still, SurfaceMaterial { friction: 0.4, restitution: 0.0 })?;
    let bodies: Vec<Mesh<'_>> = meshes.iter().map(|(_, mesh)| Mesh::Tets(mesh)).collect();
    system.bodies = Arc::new(Bodies::from_meshes(&bodies)?);
    let integrator = Box::new(Implicit::new(ImplicitSettings::default()));
    let stepper =
        Stepper::new(integrator).with_responses(vec![Box::new(Impulses::new(vec![floor]))]);
    Ok(Simulation::new(State::at_rest(rest), system, stepper))
}

fn info(meshes: &[(&str, TetMesh)]) -> RunInfo {
    let mut bodies: Vec<BodyInfo> = Vec::new();
    for (name, mesh) in meshes {
        let start = bodies.last().map_or(0, |body| body.vertices.end);
        let triangles = mesh.surface().iter().map(|t| t.map(|v| v.0 + start as u32)).collect();
        bodies.push(BodyInfo {
            name: (*name).to_string(),
            kind: "tets".to_string(),
            vertices: start..start + mesh.positions().len(),
            tets: mesh.tets().len(),
            triangles,
            rings: vec![],
            edges: vec![],
            held: false,
        });
    }
    let corner = |x: f32, y: f32| [1e3 * x, 1e3 * y, 0.0];
    let floor = RenderMesh {
        name: "floor".to_string(),
        positions: vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        poses: vec![],
    };
    RunInfo {
        scene: "drop".to_string(),
        response: "none".to_string(),
        integrator: "implicit".to_string(),
        dt: DT,
        steps: STEPS,
        record_every: 1,
        checkpoint_every: 100,
        description: String::new(),
        gravity: GRAVITY.to_array(),
        bodies,
        recorded: Default::default(),
        carried: Vec::new(),
        obstacles: vec![floor],
    }
}

fn picture(simulation: &Simulation, info: &RunInfo, size: [u32; 2]) -> Image {
    let positions: Vec<[f32; 3]> =
        simulation.state.positions.iter().map(|p| p.to_array().map(|c| c as f32)).collect();
    render(&View {
        bodies: &info.bodies,
        positions: &positions,
        obstacles: &info.obstacles,
        time: simulation.state.time,
        size,
        camera: Camera::upright(info.gravity),
    })
}

fn summary(simulation: &Simulation, rows: &[[f64; WIDTH]], clock: &Clock, wall_s: f64) -> Summary {
    let last = rows.last().copied().unwrap_or([0.0; WIDTH]);
    let totals = clock.totals();
    let step = totals.last().map_or(0.0, |(_, seconds)| *seconds);
    let momentum = simulation.state.momentum(&simulation.system.masses);
    let explained = simulation.system.masses.total() * simulation.state.time * GRAVITY
        + simulation.external_impulse_total;
    Summary {
        scene: "drop".to_string(),
        response: "none".to_string(),
        integrator: "implicit".to_string(),
        dt: DT,
        steps: STEPS,
        simulated_s: simulation.state.time,
        cpu_s: step,
        wall_s,
        realtime_factor: simulation.state.time / step,
        threads: 1,
        vertices: simulation.state.positions.len(),
        tets: simulation.system.bodies.tets().len(),
        kinetic: last[1],
        elastic: last[2],
        rms_speed: last[10],
        max_speed: last[11],
        penetrating_vertices: last[12] as usize,
        edge_crossings: last[13] as usize,
        max_depth: last[14],
        inverted_tets: last[15] as usize,
        momentum_bodies: 1,
        obstacle_vertices: 0,
        obstacle_depth: 0.0,
        momentum_error: (momentum - explained).length() / explained.length().max(1.0),
        digest: digest(&simulation.state),
        stages: StageTimes(totals),
        iterations: Iterations::default(),
        unconverged_steps: 0,
        contact: ContactTally::default(),
        ended: "finished".to_string(),
        error: None,
        warnings: vec![],
        notices: vec![],
    }
}

/// Adds up how long stages take, without those within them.
#[derive(Debug, Default)]
struct Clock(Mutex<ClockState>);

#[derive(Debug, Default)]
struct ClockState {
    open: Vec<(Stage, Instant)>,
    totals: Vec<(Stage, f64)>,
}

impl Clock {
    fn totals(&self) -> Vec<(String, f64)> {
        let state = self.0.lock().unwrap_or_else(|broken| broken.into_inner());
        let total = |stage: Stage| {
            state.totals.iter().filter(|(other, _)| *other == stage).map(|(_, t)| t).sum()
        };
        Stage::ALL.map(|stage| (stage.name().to_string(), total(stage))).to_vec()
    }
}

impl Profiler for Clock {
    fn begin(&self, stage: Stage) {
        let mut state = self.0.lock().unwrap_or_else(|broken| broken.into_inner());
        state.open.push((stage, Instant::now()));
    }

    fn end(&self, _: Stage) {
        let mut state = self.0.lock().unwrap_or_else(|broken| broken.into_inner());
        if let Some((stage, begin)) = state.open.pop() {
            state.totals.push((stage, begin.elapsed().as_secs_f64()));
        }
    }
}
