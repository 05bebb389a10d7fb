//! Two organs under a rigid probe, with strong gravity or long steps.

use std::path::Path;

use pliant::math::random::Random;
use pliant::math::{Quat, Vec3};

use super::trial::{self, Trial};
use crate::data::{self, Placed, Shape};
use crate::engine::Ours;

/// Gravity, m/s², and length of a step, s.
const CASES: [(f64, f64); 3] = [(9.81, 0.01), (50.0, 0.01), (9.81, 0.02)];

/// Poses of each.
const POSES: u32 = 4;

/// Simulated time, s.
const DURATION: f64 = 2.0;

/// All cases; none without data.
pub fn run() -> Result<(), String> {
    let Some(folder) = data::folder() else {
        println!("{}", data::skipped());
        return Ok(());
    };
    let mut rows = Vec::new();
    for (gravity, dt) in CASES {
        for seed in 1..=POSES {
            rows.push(pose(&folder, [gravity, dt], seed)?);
        }
    }
    trial::table(&rows);
    Ok(())
}

fn pose(folder: &Path, [gravity, dt]: [f64; 2], seed: u32) -> Result<Trial, String> {
    let liver = Shape::of_file(&folder.join("tet/liver2_gmsh1.msh"))?;
    let other = Shape::of_file(&folder.join("tet/bell_pepper.vtk"))?;
    let probe =
        Shape::new("{ kind = \"cuboid\", size = [0.01, 0.01, 0.2], cells = [1, 1, 8] }".into())?;
    let mut random = Random::new(u64::from(seed));
    let soft = "material = { kind = \"neo-hookean\", young = 5e3, poisson = 0.45, density = 1000 }";
    let rigid = "material = { kind = \"rigid\", density = 7800 }";
    let place = |shape: &Shape, size: f64, rotation: Quat, centre: Vec3| Placed {
        scale: size / shape.size(),
        rotation,
        centre,
    };
    let mut text = format!(
        "duration = {DURATION:?}\ndt = {dt:?}\nresponse = \"constraint\"\n\
         gravity = [0, 0, {:?}]\n\n[[obstacles]]\nname = \"floor\"\nshape = {{ kind = \"plane\" }}\n",
        -gravity
    );
    let turn = random.rotation();
    text += &liver.body("liver", place(&liver, 0.2, turn, 0.13 * Vec3::Z), soft);
    let turn = random.rotation();
    let at = Vec3::new(0.02, 0.01, 0.28);
    text += &other.body("organ", place(&other, 0.1, turn, at), soft);
    let tilt = Quat::from_scaled_axis(0.1 * (random.rotation() * Vec3::X));
    text += &probe.body("probe", place(&probe, 0.2, tilt, Vec3::new(0.0, 0.0, 0.47)), rigid);
    data::write_scene(&format!("organs-{gravity}-{dt}-{seed}"), &text)?;
    let mut ours = Ours::from_text("organs", text)?;
    let steps = (DURATION / dt).round() as u64;
    let name = format!("gravity {gravity} m/s², dt {dt} s, pose {seed}");
    trial::run(&name, &mut ours.built.world, steps, 0.5)
}
