//! Rigid bodies that stand on soft ones of about their width.

use pliant::math::Vec3;

use crate::engine::Ours;
use crate::rows::Amount;
use crate::settle::case::{self, CaseRow};

/// Results of one rigid body.
pub struct StandingRow {
    /// Cost, convergence and overlap.
    pub case: CaseRow,
    /// Angle between its axis and the vertical in the end, rad.
    pub tilt: f64,
    /// Height of its centre in the end, m, and at the start.
    pub height: [f64; 2],
    /// How far it moved sideways, m.
    pub sideways: f64,
}

/// A box with faces of two triangles and finer ones, steps of two lengths.
pub fn boxes(amount: Amount) -> Result<Vec<StandingRow>, String> {
    let variants = [("1/60", 1), ("1/240", 1), ("1/60", 4), ("1/240", 4)];
    let row = |(dt, cells): (&str, u32)| {
        let sets = [format!("dt==1/{}", &dt[2..]), format!("cells={cells}")];
        standing("box-on-block", &format!("cells {cells}, dt {dt}"), &sets, amount)
    };
    variants.into_iter().map(row).collect()
}

/// A slab that overhangs.
pub fn slab(amount: Amount) -> Result<Vec<StandingRow>, String> {
    Ok(vec![standing("slab-on-block", "cells 1, dt 1/60", &[], amount)?])
}

/// Runs a scene whose second body stands on its first.
fn standing(
    scene: &str,
    name: &str,
    sets: &[String],
    amount: Amount,
) -> Result<StandingRow, String> {
    let mut ours = Ours::new(scene, sets)?;
    let start = place(&ours)?.0;
    let case = case::run(name, &mut ours, amount.seconds, |_| ());
    let (end, up) = place(&ours)?;
    let moved = end - start;
    Ok(StandingRow {
        case,
        tilt: up.angle_between(Vec3::Z),
        height: [end.z, start.z],
        sideways: Vec3::new(moved.x, moved.y, 0.0).length(),
    })
}

/// Centre and axis of the body that stands.
fn place(ours: &Ours) -> Result<(Vec3, Vec3), String> {
    let world = &ours.built.world;
    let body = world.bodies().nth(1).ok_or("the scene has one body only")?;
    let pose = world.pose(body).map_err(|error| error.to_string())?;
    let centre = world.centre(body).map_err(|error| error.to_string())?;
    Ok((centre, pose.rotation * Vec3::Z))
}
