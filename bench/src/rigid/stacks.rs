//! What stands, or falls in a row: a wall, an arch, a heavy box on light ones, dominoes.

use std::fmt::Write;

use crate::rigid::ours::{LOWEST, STOREY, head, plane};

/// Time step of all scenes, s.
const DT: f64 = 1.0 / 60.0;

/// Courses of the wall and bricks of each.
const BRICKS: [u32; 2] = [20, 10];

/// Sides of a brick, m.
const BRICK: [f64; 3] = [1.0, 0.5, 0.4];

/// Gap between bodies above each other at the start, per size of the smaller one: that of contact.
const GAP: f64 = 0.005;

/// Light boxes below the heavy one.
const LIGHT: u32 = 9;

/// Wedges of the arch: a half circle.
const STONES: u32 = 17;

/// Radii of the arch, inside and outside, m.
const RADII: [f64; 2] = [4.0, 5.2];

/// Depth of the arch, m.
const DEPTH: f64 = 1.0;

/// Dominoes.
const DOMINOES: u32 = 40;

/// Sides of a domino, m.
const DOMINO: [f64; 3] = [0.1, 0.5, 1.0];

/// Between the middles of dominoes, m.
const APART: f64 = 0.5;

/// A wall of 200 bricks, every other course a quarter of a brick aside.
pub fn wall() -> String {
    let [length, _, height] = BRICK;
    let mut text = head("wall", DT, 0.5);
    for course in 0..BRICKS[0] {
        let up = (height + GAP * height) * f64::from(course) + 0.5 * height + GAP * height;
        let aside = if course % 2 == 0 { 0.0 } else { 0.25 * length };
        let _ = write!(
            text,
            "[[bodies]]\nname = \"course{course}\"\n\
             mesh = {{ kind = \"cuboid\", size = {BRICK:?}, cells = [1, 1, 1] }}\n\
             position = [{aside:?}, 0, {up:?}]\nmaterial = {{ kind = \"rigid\", density = 1000 }}\n\
             pattern = {{ kind = \"grid\", counts = [{}, 1, 1], spacing = [{:?}, 1, 1] }}\n",
            BRICKS[1],
            1.02 * length
        );
    }
    text + &plane("floor", [0.0; 3], [0.0; 3], 0.5)
}

/// A box on nine of a hundredth of its mass, 1 m each.
pub fn heavy() -> String {
    let mut text = head("heavy", DT, 0.5);
    for k in 0..=LIGHT {
        let density = if k == LIGHT { 1e5 } else { 1e3 };
        let height = LOWEST + STOREY * f64::from(k);
        let _ = write!(
            text,
            "[[bodies]]\nname = \"box{k}\"\n\
             mesh = {{ kind = \"cuboid\", size = [1, 1, 1], cells = [1, 1, 1] }}\n\
             position = [0, 0, {height:?}]\n\
             material = {{ kind = \"rigid\", density = {density:?} }}\n"
        );
    }
    text + &plane("floor", [0.0; 3], [0.0; 3], 0.5)
}

/// The arch as the text of its scene, and the mesh of its stones beside it.
///
/// Faces are as far apart as contact begins.
pub fn arch() -> (String, Vec<(String, String)>) {
    let step = std::f64::consts::PI / f64::from(STONES);
    let [inner, outer] = RADII;
    let (middle, thick) = (0.5 * (inner + outer), outer - inner);
    let gap = GAP * (middle * step).min(thick);
    let mut mesh = String::new();
    // Corners of the stone at the crown, from its middle.
    for y in [-0.5 * DEPTH, 0.5 * DEPTH] {
        for (radius, side) in [(inner, -1.0), (inner, 1.0), (outer, 1.0), (outer, -1.0)] {
            let angle = side * 0.5 * step;
            let x = radius * libm::sin(angle) - side * 0.5 * gap;
            let _ = writeln!(mesh, "v {x} {y} {}", radius * libm::cos(angle) - middle);
        }
    }
    for [a, b, c, d] in
        [[1, 2, 3, 4], [6, 5, 8, 7], [5, 6, 2, 1], [6, 7, 3, 2], [7, 8, 4, 3], [8, 5, 1, 4]]
    {
        let _ = writeln!(mesh, "f {a} {b} {c}\nf {a} {c} {d}");
    }
    let mut text = head("arch", DT, 0.5);
    for k in 0..STONES {
        let angle = (f64::from(k) + 0.5) * step - std::f64::consts::FRAC_PI_2;
        let (x, z) = (middle * libm::sin(angle), middle * libm::cos(angle) + 0.5 * gap);
        let _ = write!(
            text,
            "[[bodies]]\nname = \"stone{k}\"\nmesh = {{ kind = \"file\", path = \"stone.obj\" }}\n\
             position = [{x:?}, 0, {z:?}]\nrotation = [0, {angle:?}, 0]\n\
             material = {{ kind = \"rigid\", density = 1000 }}\n"
        );
    }
    (text + &plane("floor", [0.0; 3], [0.0; 3], 0.5), vec![("stone.obj".to_owned(), mesh)])
}

/// A row of dominoes, of which the first is falling onto the second.
pub fn dominoes() -> String {
    let up = 0.5 * DOMINO[2] + GAP * DOMINO[0];
    let domino = format!(
        "mesh = {{ kind = \"cuboid\", size = {DOMINO:?}, cells = [1, 1, 1] }}\n\
         material = {{ kind = \"rigid\", density = 1000 }}\n"
    );
    let along = 0.5 * APART * f64::from(DOMINOES);
    head("dominoes", DT, 0.5)
        + &format!(
            "[[bodies]]\nname = \"first\"\n{domino}position = [0, 0, {up:?}]\n\
             velocity = [1.0, 0, 0]\nspin = [0, 2.0, 0]\n\
             [[bodies]]\nname = \"row\"\n{domino}position = [{along:?}, 0, {up:?}]\n\
             pattern = {{ kind = \"grid\", counts = [{}, 1, 1], spacing = [{APART:?}, 1, 1] }}\n",
            DOMINOES - 1
        )
        + &plane("floor", [0.0; 3], [0.0; 3], 0.5)
}
