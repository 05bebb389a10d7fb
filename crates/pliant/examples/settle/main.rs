//! Two cubes and a pile of balls: how contacts settle.

use std::error::Error;
use std::sync::Arc;

use pliant::body::keyframes::{Keyframes, Pose};
use pliant::body::obstacle::{Obstacle, Plane, Touch};
use pliant::body::soft::{BodyStarts, Masses, State};
use pliant::body::{Bodies, Mesh};
use pliant::force::elastic::{Corotational, Elastic, ElasticSettings};
use pliant::force::gravity::Gravity;
use pliant::id::VertexId;
use pliant::integrate::constrained::{Constrained, ConstrainedSettings};
use pliant::integrate::{Integrator, System};
use pliant::math::{Quat, Vec3};
use pliant::mesh::generate::cuboid::cuboid;
use pliant::mesh::generate::icosahedron::icosahedron;
use pliant::mesh::generate::lattice::Cut;
use pliant::mesh::tet::TetMesh;
use pliant::record::overlap::Measure;

struct Dice(u64);
impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut x = self.0;
        x ^= x >> 33;
        x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
        x ^= x >> 33;
        (x >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }
    fn turn(&mut self) -> Quat {
        loop {
            let q = Quat::from_xyzw(self.roll(), self.roll(), self.roll(), self.roll());
            let l = q.length();
            if l > 0.1 && l < 1.0 {
                return q / l;
            }
        }
    }
}

struct Material {
    young: f64,
    poisson: f64,
    density: f64,
}

struct Scene {
    bodies: Arc<Bodies>,
    state: State,
    system: System,
    stepper: Constrained,
}

fn scene(
    mesh: &TetMesh,
    poses: &[(Quat, Vec3)],
    material: &Material,
    gravity: f64,
    obstacles: Vec<Obstacle>,
    settings: ConstrainedSettings,
) -> Result<Scene, Box<dyn Error>> {
    let meshes: Vec<_> = poses.iter().map(|_| Mesh::Tets(mesh)).collect();
    let bodies = Arc::new(Bodies::from_meshes(&meshes)?);
    let rest: Vec<Vec3> = poses.iter().flat_map(|_| mesh.positions().iter().copied()).collect();
    let placed: Vec<Vec3> = poses
        .iter()
        .flat_map(|(q, t)| mesh.positions().iter().map(move |p| *q * *p + *t))
        .collect();
    let masses = Masses::of_tets(&rest, bodies.tets(), |_| material.density)?;
    let starts = BodyStarts::from_counts(poses.iter().map(|_| mesh.positions().len()));
    let mut system = System { masses, bodies: starts, ..System::default() };
    let elastic = ElasticSettings {
        young: material.young,
        poisson: material.poisson,
        damping: std::env::var("DAMP").ok().and_then(|v| v.parse().ok()).unwrap_or(0.0),
    };
    system.forces.push(Gravity::new(-gravity * Vec3::Z, system.masses.of()));
    system.forces.push(Elastic::<Corotational>::new(&rest, bodies.tets(), |_| elastic)?);
    let stepper = Constrained::new(&rest, bodies.clone(), obstacles, settings);
    Ok(Scene { bodies, state: State::at_rest(placed), system, stepper })
}

fn plane(point: Vec3, normal: Vec3) -> Result<Obstacle, Box<dyn Error>> {
    let pose = Pose::along(point, normal).ok_or("no normal")?;
    Ok(Obstacle::new(Plane, Keyframes::still(pose)?, Touch { friction: 0.3, restitution: 0.0 })?)
}

fn cubes(poses: usize, settings: ConstrainedSettings) -> Result<(), Box<dyn Error>> {
    let mesh = TetMesh::from_raw(cuboid([5; 3], Vec3::ONE, Cut::Five)?)?.0;
    for tilt in [0.1, 0.8] {
        for overlap in [0.1, 0.3, 0.5, 0.8] {
            let (mut worst, mut failed, mut exit, mut inverted, mut fastest) =
                (0, 0, 0.0f64, 0, 0.0f64);
            for seed in 0..poses {
                let mut dice = Dice(seed as u64 * 7919 + 17);
                (0..5).for_each(|_| drop(dice.roll()));
                let mut turn = || {
                    Quat::from_rotation_x(tilt * dice.roll())
                        * Quat::from_rotation_y(tilt * dice.roll())
                        * Quat::from_rotation_z(tilt * dice.roll())
                };
                let (qa, qb) = (turn(), turn());
                let b = Vec3::new(1.0 - overlap, 0.1 * dice.roll(), 0.1 * dice.roll());
                let material = Material { young: 3e4, poisson: 0.4, density: 100.0 };
                let mut s =
                    scene(&mesh, &[(qa, Vec3::ZERO), (qb, b)], &material, 0.0, vec![], settings)?;
                let mut measure = Measure::new(&s.state.positions, &s.bodies);
                let mut out = None;
                for frame in 1..=60 {
                    s.stepper.step(&mut s.system, &mut s.state, 1.0 / 60.0)?;
                    let found = measure.measure(&s.state.positions, &s.bodies);
                    inverted += found.inverted_tets;
                    if found.penetrating_vertices == 0 && out.is_none() {
                        out = Some(frame);
                    }
                    if out.is_some_and(|o| frame >= o + 30) {
                        break;
                    }
                }
                match out {
                    Some(frame) => worst = worst.max(frame),
                    None => failed += 1,
                }
                let m = &s.system.masses;
                let mean = |r: std::ops::Range<usize>| {
                    let total: f64 = m.of()[r.clone()].iter().sum();
                    r.map(|k| m.of()[k] * s.state.velocities[k]).sum::<Vec3>() / total
                };
                let n = mesh.positions().len();
                exit = exit.max((mean(0..n) - mean(n..2 * n)).length());
                fastest =
                    fastest.max(s.state.velocities.iter().fold(0.0, |a: f64, v| a.max(v.length())));
            }
            println!(
                "tilt {tilt} overlap {overlap}: worst {worst} frames, failed {failed} of {poses}, exit {exit:.4} m/s, fastest {fastest:.3}, inverted {inverted}"
            );
        }
    }
    Ok(())
}

fn pile(
    seed: u64,
    radius: f64,
    seconds: f64,
    young: f64,
    settings: ConstrainedSettings,
) -> Result<(), Box<dyn Error>> {
    let mesh = TetMesh::from_raw(icosahedron(radius)?)?.0;
    let mut dice = Dice(seed);
    let mut poses = Vec::new();
    for k in 0..120 {
        let (i, j, l) = (k % 4, k / 4 % 4, k / 16);
        let jitter = 0.05 * Vec3::new(dice.roll(), dice.roll(), dice.roll());
        let place =
            Vec3::new(f64::from(i) - 1.5, f64::from(j) - 1.5, f64::from(l) + 0.6) * 2.0 + jitter;
        poses.push((dice.turn(), radius * place));
    }
    let w = 4.0 * radius;
    let walls = vec![
        plane(Vec3::ZERO, Vec3::Z)?,
        plane(-w * Vec3::X, Vec3::X)?,
        plane(w * Vec3::X, -Vec3::X)?,
        plane(-w * Vec3::Y, Vec3::Y)?,
        plane(w * Vec3::Y, -Vec3::Y)?,
    ];
    let density = if radius > 0.5 { 100.0 } else { 1000.0 };
    let material = Material { young, poisson: 0.3, density };
    let mut s = scene(&mesh, &poses, &material, 9.81, walls, settings)?;
    let mut measure = Measure::new(&s.state.positions, &s.bodies);
    let clock = std::time::Instant::now();
    let mut stepping = 0.0;
    let (mut linear, mut sweeps) = (0, 0);
    let mut most = 0;
    for frame in 1..=(60.0 * seconds) as u32 {
        let t = std::time::Instant::now();
        let report = s.stepper.step(&mut s.system, &mut s.state, 1.0 / 60.0)?;
        stepping += t.elapsed().as_secs_f64();
        linear += report.linear;
        sweeps += report.newton;
        if frame % 60 == 0 {
            let found = measure.measure(&s.state.positions, &s.bodies);
            most = most.max(found.penetrating_vertices);
            if frame % 300 == 0 || frame == (60.0 * seconds) as u32 {
                let kinetic = s.state.kinetic(&s.system.masses);
                let rms = (2.0 * kinetic / s.system.masses.total()).sqrt();
                let fastest = s.state.velocities.iter().fold(0.0, |a: f64, v| a.max(v.length()));
                println!(
                    "seed {seed} R {radius} {:4} s: rms {rms:.5} max {fastest:.4} inside {} (most {most}) crossings {} inverted {} contacts {} | {:.2} x real time, {:.1} sweeps {:.1} its/frame",
                    frame / 60,
                    found.penetrating_vertices,
                    found.edge_crossings,
                    found.inverted_tets,
                    s.stepper.met().contacts,
                    f64::from(frame) / 60.0 / stepping,
                    f64::from(sweeps as u32) / f64::from(frame),
                    f64::from(linear as u32) / f64::from(frame)
                );
            }
        }
    }
    let _ = (clock, VertexId(0));
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, or: f64| arguments.get(k).and_then(|a| a.parse().ok()).unwrap_or(or);
    let mut settings = ConstrainedSettings::default();
    if let Ok(v) = std::env::var("DIRECT") {
        settings.solve.most_direct = v.parse()?;
    }
    if let Ok(v) = std::env::var("PUSH") {
        settings.solve.push = v.parse()?;
    }
    if let Ok(v) = std::env::var("TOL") {
        settings.linear.tolerance = v.parse()?;
    }
    match arguments.first().map(String::as_str) {
        Some("cubes") => cubes(number(1, 10.0) as usize, settings),
        _ => {
            for seed in number(1, 1.0) as u64..=number(2, 1.0) as u64 {
                pile(seed, number(3, 1.0), number(4, 10.0), number(5, 2e5), settings)?;
            }
            Ok(())
        }
    }
}
