//! Cost of a run beyond its steps: rows, exact checks, frames, checkpoints.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use pliant::body::keyframes::{Keyframes, Pose};
use pliant::body::obstacle::{Obstacle, Plane, SurfaceMaterial};
use pliant::body::soft::{Masses, State};
use pliant::body::{Bodies, Mesh};
use pliant::force::elastic::{Corotational, Elastic, ElasticSettings};
use pliant::force::gravity::Gravity;
use pliant::force::spring::{SpringLaw, SpringSettings, Springs};
use pliant::id::VertexId;
use pliant::integrate::implicit::{Implicit, ImplicitSettings};
use pliant::integrate::verlet::{VelocityKind, Verlet};
use pliant::integrate::{Integrator, System};
use pliant::math::Vec3;
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::lattice::TetSplit;
use pliant::mesh::tet::TetMesh;
use pliant::step::{Simulation, Stepper};
use pliant_papers::impulse::Impulses;
use pliant_run::recording::Recording;
use pliant_run::run::folder::RECORDING;
use pliant_run::run::{IfExists, RunSettings, run as run_scene};
use pliant_scene::loaded::{BodyInfo, LoadedScene, RunInfo};

use crate::timing::once;

/// Rows and frames per simulated second, the default of scenes, 1/s.
const RATE: f64 = 60.0;

/// Times that each side runs, in turn; the fastest counts.
const ROUNDS: usize = 5;

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// A scene by name, made anew each time.
type Scene = (&'static str, fn() -> Result<LoadedScene, String>);

/// What is measured.
const SCENES: [Scene; 4] = [
    ("block, implicit", || blocks(1, 12)),
    ("two blocks through each other", || blocks(2, 8)),
    ("small block, implicit", || blocks(1, 3)),
    ("cloth 100 × 100, Verlet", cloth),
];

/// Prints the table.
pub fn run() -> Result<(), String> {
    println!(
        "fastest of {ROUNDS}, one thread; {RATE} rows and frames and one checkpoint at most per \
         simulated second\n"
    );
    println!(
        "| scene | vertices | steps | frames | bare step, ms | overhead, CPU | overhead, clock | \
         bytes per vertex and frame | replay, frames/s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let folder = Path::new("target/bench/run");
    fs::create_dir_all("target/bench").map_err(|error| error.to_string())?;
    for scene in SCENES {
        println!("{}", row(scene, folder)?);
    }
    Ok(())
}

fn row((name, make): Scene, folder: &Path) -> Result<String, String> {
    let (mut bare, mut whole) = ([f64::INFINITY; 2], [f64::INFINITY; 2]);
    let settings = RunSettings { existing: IfExists::Replace, ..RunSettings::default() };
    for _ in 0..ROUNDS {
        let LoadedScene { mut simulation, info, .. } = make()?;
        let mut done = Ok(());
        bare = least(bare, || {
            for _ in 0..info.steps {
                done = done.and(simulation.step(info.dt).map(|_| ()));
            }
        });
        done.map_err(|error| error.to_string())?;
        let (mut built, mut done) = (Some(make()?), Ok(()));
        whole = least(whole, || {
            if let Some(built) = built.take() {
                let summary = run_scene(built, folder, settings.clone(), &mut ());
                done = summary.map(|_| ()).map_err(|error| error.to_string());
            }
        });
        done?;
    }
    let recording = Recording::open(&folder.join(RECORDING)).map_err(|error| error.to_string())?;
    let (vertices, frames) = (recording.header().vertices, recording.frames().len());
    let blocks = recording.size() - recording.frames().first().map_or(0, |entry| entry.offset);
    let each = blocks as f64 / (vertices * frames) as f64;
    let steps = recording.info().steps;
    let over = [0, 1].map(|k| 100.0 * (whole[k] / bare[k] - 1.0));
    Ok(format!(
        "| {name} | {vertices} | {steps} | {frames} | {:.3} | {:.1} % | {:.1} % | {each:.2} | {:.0} |",
        1e3 * bare[0] / steps as f64,
        over[0],
        over[1],
        replay(recording)?
    ))
}

/// The smaller of the times so far and those of one more run: CPU, clock, s.
fn least(so_far: [f64; 2], work: impl FnMut()) -> [f64; 2] {
    let clock = Instant::now();
    let cpu = once(work);
    [so_far[0].min(cpu), so_far[1].min(clock.elapsed().as_secs_f64())]
}

/// Frames read in order, per second.
fn replay(mut recording: Recording) -> Result<f64, String> {
    let (count, mut done) = (recording.frames().len(), Ok(()));
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        best = best.min(once(|| {
            for frame in 0..count {
                let read = recording.read(frame);
                done = done.clone().and(read.map(|_| ()).map_err(|error| error.to_string()));
            }
        }));
    }
    done.map(|()| count as f64 / best)
}

/// Soft blocks that fall on a floor; the second begins inside the first.
fn blocks(count: usize, cells: u32) -> Result<LoadedScene, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let raw = cuboid([cells; 3], Vec3::splat(0.4), TetSplit::Five).map_err(|e| text(&e))?;
    let mesh = TetMesh::from_raw(raw).map_err(|e| text(&e))?.0;
    let bodies = Bodies::from_meshes(&vec![Mesh::Tets(&mesh); count]).map_err(|e| text(&e))?;
    let offsets = (0..count).map(|k| Vec3::new(0.1, 0.07, 0.13) * k as f64 + 0.4 * Vec3::Z);
    let place = |offset: Vec3| mesh.positions().iter().map(move |p| *p + offset);
    let rest: Vec<_> = offsets.flat_map(place).collect();
    let masses = Masses::of_tets(&rest, bodies.tets(), |_| 1000.0).map_err(|e| text(&e))?;
    let mut system = System { masses, ..System::default() };
    let rubber = ElasticSettings { young: 1e5, poisson: 0.3, damping: 0.01 };
    let elastic = Elastic::<Corotational>::new(&rest, bodies.tets(), |_| rubber);
    system.forces.push(elastic.map_err(|e| text(&e))?);
    let implicit = Box::new(Implicit::new(ImplicitSettings::default()));
    built(bodies, rest, system, implicit, (1.0 / 60.0, 240))
}

/// A cloth of springs that falls on the floor, one edge higher than the other.
fn cloth() -> Result<LoadedScene, String> {
    const SIDE: u32 = 100;
    let at = |x: u32, y: u32| VertexId(x + SIDE * y);
    let mut edges = Vec::new();
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
        let ends = [(x + 1, y), (x, y + 1), (x + 1, y + 1)];
        let inside = ends.into_iter().filter(|(x, y)| x.max(y) < &SIDE);
        edges.extend(inside.map(|(to_x, to_y)| [at(x, y), at(to_x, to_y)]));
    }
    let place = |k: u32| Vec3::new(f64::from(k % SIDE), f64::from(k / SIDE), 1.0);
    let tilt = |p: Vec3| Vec3::new(0.02 * p.x, 0.02 * p.y, 0.1 + 0.002 * p.x + 0.001 * p.y);
    let rest: Vec<_> = (0..SIDE * SIDE).map(|k| tilt(place(k))).collect();
    let bodies = Bodies::from_meshes(&[Mesh::SpringNetwork(rest.len(), &edges)]);
    let bodies = bodies.map_err(|error| error.to_string())?;
    let masses = Masses::new(vec![2e-4; rest.len()]).map_err(|error| error.to_string())?;
    let mut system = System { masses, ..System::default() };
    let settings = SpringSettings { law: SpringLaw::Absolute, stiffness: 20.0, damping: 1e-3 };
    let springs = Springs::along(&rest, &edges, settings).map_err(|error| error.to_string())?;
    system.forces.push(springs);
    let verlet = Box::new(Verlet::new(VelocityKind::Backward));
    built(bodies, rest, system, verlet, (1e-3, 2000))
}

fn built(
    bodies: Bodies,
    rest: Vec<Vec3>,
    mut system: System,
    integrator: Box<dyn Integrator>,
    (dt, steps): (f64, u64),
) -> Result<LoadedScene, String> {
    let bodies = Arc::new(bodies);
    system.bodies = bodies.clone();
    system.forces.push(Gravity::new(GRAVITY, system.masses.of()));
    let still = Keyframes::still(Pose::IDENTITY).map_err(|error| error.to_string())?;
    let touch = SurfaceMaterial { friction: 0.3, restitution: 0.1 };
    let floor = Obstacle::new(Plane, still, touch).map_err(|error| error.to_string())?;
    let infos = bodies.ids().map(|body| BodyInfo {
        name: format!("body {body}"),
        kind: "soft".to_string(),
        vertices: bodies.vertices(body),
        tets: bodies.tets_of(body).len(),
        triangles: bodies.triangles()[bodies.triangles_of(body)]
            .iter()
            .map(|triangle| triangle.map(|v| v.0))
            .collect(),
        rings: vec![],
        edges: vec![],
        held: false,
    });
    let per = |rate: f64| ((1.0 / (rate * dt)).round() as u64).max(1);
    let info = RunInfo {
        scene: "bench".to_string(),
        response: "none".to_string(),
        integrator: "bench".to_string(),
        dt,
        steps,
        record_every: per(RATE),
        checkpoint_every: per(1.0),
        description: String::new(),
        gravity: GRAVITY.to_array(),
        bodies: infos.collect(),
        obstacles: Vec::new(),
    };
    let state = State::at_rest(rest);
    let stepper =
        Stepper::new(integrator).with_responses(vec![Box::new(Impulses::new(vec![floor]))]);
    let simulation = Simulation::new(state, system, stepper);
    Ok(LoadedScene {
        simulation,
        info,
        resolved: String::new(),
        notices: Vec::new(),
        warnings: Vec::new(),
        obstacles: Vec::new(),
    })
}
