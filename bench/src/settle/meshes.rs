//! Scenes of meshes from the data folder, deep in each other at the start.

use std::path::Path;

use pliant::math::random::Random;
use pliant::math::{Quat, Vec3};

use crate::data::{self, Placed, Shape};
use crate::engine::Ours;
use crate::rows::Amount;
use crate::settle::case::{self, CaseRow};

/// Seed of the rotations.
const SEED: u64 = 1;

/// Text of a scene, from the data folder.
type Text = fn(&Path) -> Result<String, String>;

/// Eight teddies in a grid of half their size; none without data.
pub fn teddies(amount: Amount) -> Result<Option<CaseRow>, String> {
    run("teddies", teddies_text, amount)
}

/// Bananas and bell peppers around one point; none without data.
pub fn fruit(amount: Amount) -> Result<Option<CaseRow>, String> {
    run("fruit", fruit_text, amount)
}

/// A strawberry in an orange, without gravity; none without data.
pub fn strawberry_orange(amount: Amount) -> Result<Option<CaseRow>, String> {
    run("strawberry-orange", strawberry_orange_text, amount)
}

fn run(name: &str, text: Text, amount: Amount) -> Result<Option<CaseRow>, String> {
    let Some(folder) = data::folder() else { return Ok(None) };
    let text = text(&folder)?;
    data::write_scene(name, &text)?;
    let mut ours = Ours::from_text(name, text)?;
    Ok(Some(case::run(name, &mut ours, amount.seconds, |_| ())))
}

fn teddies_text(folder: &Path) -> Result<String, String> {
    const SIZE: f64 = 0.7;
    const SPACING: f64 = 0.35;
    let teddy = Shape::of_file(&folder.join("tet/teddy.vtk"))?;
    let mut random = Random::new(SEED);
    let mut text = scene(8.0) + FLOOR;
    for k in 0..8 {
        let cell = Vec3::new(f64::from(k % 2), f64::from(k / 2 % 2), f64::from(k / 4));
        // Half a diagonal above the floor, whatever the rotation.
        let centre = SPACING * (cell - Vec3::new(0.5, 0.5, 0.0)) + 0.6 * Vec3::Z;
        let at = Placed { scale: SIZE / teddy.size(), rotation: random.rotation(), centre };
        text += &teddy.body(&format!("teddy-{k}"), at, &soft(1e5, 0.35, 300.0));
    }
    Ok(text)
}

fn fruit_text(folder: &Path) -> Result<String, String> {
    const CENTRE: Vec3 = Vec3::new(0.0, 0.0, 0.16);
    let banana = Shape::of_file(&folder.join("tet/banana.vtk"))?;
    let pepper = Shape::of_file(&folder.join("tet/bell_pepper.vtk"))?;
    let mut random = Random::new(SEED);
    let mut text = scene(8.0) + FLOOR;
    for k in 0..4 {
        let centre = CENTRE + 0.03 * (f64::from(k) - 1.5) * Vec3::Z;
        let at = Placed { scale: 1.0, rotation: random.rotation(), centre };
        text += &banana.body(&format!("banana-{k}"), at, &soft(2e5, 0.35, 600.0));
    }
    for k in 0..4 {
        let cell = Vec3::new(f64::from(k % 2) - 0.5, f64::from(k / 2) - 0.5, 0.0);
        let centre = CENTRE + 0.05 * cell;
        let at = Placed { scale: 1.0, rotation: random.rotation(), centre };
        text += &pepper.body(&format!("pepper-{k}"), at, &soft(1e5, 0.35, 300.0));
    }
    Ok(text)
}

fn strawberry_orange_text(folder: &Path) -> Result<String, String> {
    let orange = Shape::of_file(&folder.join("tet-generated/ycb_orange.node"))?;
    let strawberry = Shape::of_file(&folder.join("tet-generated/ycb_strawberry.vtu"))?;
    let material = soft(1e6, 0.35, 800.0);
    let at = |x: f64| Placed { scale: 1.0, rotation: Quat::IDENTITY, centre: x * Vec3::X };
    let text = format!("gravity = [0, 0, 0]\n{}", scene(3.0));
    // Radii of 0.036 m and 0.023 m: a third of the strawberry is inside.
    Ok(text
        + &orange.body("orange", at(0.0), &material)
        + &strawberry.body("strawberry", at(0.04), &material))
}

/// Ground of a scene.
const FLOOR: &str =
    "\n[[obstacles]]\nname = \"floor\"\nshape = { kind = \"plane\" }\nfriction = 0.3\n";

/// Head of a scene of so many seconds.
fn scene(duration: f64) -> String {
    format!("duration = {duration:?}\ndt = \"=1/60\"\nresponse = \"constraint\"\n")
}

/// Material of a soft body: Young's modulus, Pa, Poisson's ratio, density, kg/m³.
fn soft(young: f64, poisson: f64, density: f64) -> String {
    format!(
        "material = {{ kind = \"corotational\", young = {young:?}, poisson = {poisson:?}, \
         density = {density:?} }}"
    )
}
