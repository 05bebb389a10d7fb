//! What falls in heaps: boxes in any number, machine parts of the data folder, ragdolls.

use std::fmt::Write;
use std::path::Path;

use crate::rigid::ours::{head, plane, tray};

/// Time step of all scenes, s.
const DT: f64 = 1.0 / 60.0;

/// Boxes on each other at the start in a heap.
const HIGH: f64 = 10.0;

/// So many boxes of half a metre, turned at random, in columns over a floor.
pub fn boxes(count: u32) -> String {
    let side = (f64::from(count) / HIGH).sqrt().ceil().max(1.0) as u32;
    let high = count.div_ceil(side * side);
    let up = 0.6 + 0.45 * f64::from(high);
    head("boxes", DT, 0.5)
        + &format!(
            "[[bodies]]\nname = \"box\"\n\
             mesh = {{ kind = \"cuboid\", size = [0.5, 0.5, 0.5], cells = [1, 1, 1] }}\n\
             position = [0, 0, {up:?}]\nmaterial = {{ kind = \"rigid\", density = 1000 }}\n\
             pattern = {{ kind = \"grid\", counts = [{side}, {side}, {high}], count = {count}, \
             spacing = [0.9, 0.9, 0.9], jitter = 0.01, rotations = \"random\", seed = 1 }}\n"
        )
        + &plane("floor", [0.0; 3], [0.0; 3], 0.5)
}

/// Fifteen nuts and fifteen gears of about 1 m that fall into a tray.
pub fn parts(data: &Path) -> String {
    let mut text = head("parts", DT, 0.5);
    for (k, (name, scale)) in [("nut", 0.12), ("gear", 0.46)].into_iter().enumerate() {
        let path = data.join("surface").join(format!("{name}.obj"));
        let up = 2.0 + 3.6 * k as f64;
        let _ = write!(
            text,
            "[[bodies]]\nname = \"{name}\"\nmesh = {{ kind = \"file\", path = {path:?} }}\n\
             scale = {scale}\nposition = [0, 0, {up:?}]\n\
             material = {{ kind = \"rigid\", density = 1000 }}\n\
             pattern = {{ kind = \"grid\", counts = [3, 3, 2], count = 15, \
             spacing = [1.5, 1.5, 1.5], jitter = 0.05, rotations = \"random\", seed = {} }}\n",
            k + 1
        );
    }
    text + &tray(2.5)
}

/// Ragdolls in the pile.
const RAGDOLLS: [u32; 3] = [5, 5, 2];

/// Between ragdolls, m.
const BETWEEN: [f64; 3] = [1.0, 0.9, 2.0];

/// Parts of a ragdoll: name, middle from between its feet, sides, m.
const PARTS: [(&str, [f64; 3], [f64; 3]); 15] = [
    ("pelvis", [0.0, 0.0, 1.0], [0.34, 0.2, 0.16]),
    ("chest", [0.0, 0.0, 1.3], [0.36, 0.22, 0.36]),
    ("head", [0.0, 0.0, 1.66], [0.18, 0.2, 0.24]),
    ("left-arm", [-0.27, 0.0, 1.32], [0.1, 0.1, 0.3]),
    ("right-arm", [0.27, 0.0, 1.32], [0.1, 0.1, 0.3]),
    ("left-forearm", [-0.27, 0.0, 1.0], [0.09, 0.09, 0.28]),
    ("right-forearm", [0.27, 0.0, 1.0], [0.09, 0.09, 0.28]),
    ("left-hand", [-0.27, 0.0, 0.76], [0.08, 0.05, 0.16]),
    ("right-hand", [0.27, 0.0, 0.76], [0.08, 0.05, 0.16]),
    ("left-thigh", [-0.1, 0.0, 0.7], [0.14, 0.14, 0.4]),
    ("right-thigh", [0.1, 0.0, 0.7], [0.14, 0.14, 0.4]),
    ("left-shin", [-0.1, 0.0, 0.28], [0.11, 0.11, 0.38]),
    ("right-shin", [0.1, 0.0, 0.28], [0.11, 0.11, 0.38]),
    ("left-foot", [-0.1, 0.05, 0.035], [0.1, 0.24, 0.07]),
    ("right-foot", [0.1, 0.05, 0.035], [0.1, 0.24, 0.07]),
];

/// Joints of a ragdoll: parts by number, and anchor, m; all of them balls.
const JOINTS: [([usize; 2], [f64; 3]); 14] = [
    ([0, 1], [0.0, 0.0, 1.1]),
    ([1, 2], [0.0, 0.0, 1.51]),
    ([1, 3], [-0.2, 0.0, 1.45]),
    ([1, 4], [0.2, 0.0, 1.45]),
    ([3, 5], [-0.27, 0.0, 1.155]),
    ([4, 6], [0.27, 0.0, 1.155]),
    ([5, 7], [-0.27, 0.0, 0.85]),
    ([6, 8], [0.27, 0.0, 0.85]),
    ([0, 9], [-0.1, 0.0, 0.91]),
    ([0, 10], [0.1, 0.0, 0.91]),
    ([9, 11], [-0.1, 0.0, 0.485]),
    ([10, 12], [0.1, 0.0, 0.485]),
    ([11, 13], [-0.1, 0.0, 0.08]),
    ([12, 14], [0.1, 0.0, 0.08]),
];

/// Fifty ragdolls of fifteen bodies that fall onto each other in a tray.
pub fn ragdolls() -> String {
    let mut text = head("ragdolls", DT, 0.5);
    let mut joints = String::new();
    let [nx, ny, nz] = RAGDOLLS;
    for number in 0..nx * ny * nz {
        let (i, j, k) = (number % nx, number / nx % ny, number / (nx * ny));
        let middle = |k: u32, count: u32| f64::from(k) - 0.5 * f64::from(count - 1);
        // The upper ones stand between the lower ones.
        let aside = 0.3 * f64::from(k);
        let at = [
            BETWEEN[0] * middle(i, nx) + aside,
            BETWEEN[1] * middle(j, ny) + aside,
            0.2 + BETWEEN[2] * f64::from(k),
        ];
        let moved = |place: [f64; 3]| [0, 1, 2].map(|axis| place[axis] + at[axis]);
        for (name, place, sides) in PARTS {
            let _ = write!(
                text,
                "[[bodies]]\nname = \"{name}{number}\"\n\
                 mesh = {{ kind = \"cuboid\", size = {sides:?}, cells = [1, 1, 1] }}\n\
                 position = {:?}\nmaterial = {{ kind = \"rigid\", density = 1000 }}\n",
                moved(place)
            );
        }
        for ([a, b], anchor) in JOINTS {
            let [a, b] = [a, b].map(|part| format!("{}{number}", PARTS[part].0));
            let anchor = moved(anchor);
            let _ = write!(
                joints,
                "[[joints]]\nkind = \"ball\"\nbodies = [\"{a}\", \"{b}\"]\nanchor = {anchor:?}\n"
            );
        }
    }
    text + &joints + &tray(3.0)
}

/// Links of the chain.
const LINKS: u32 = 100;

/// A chain of links of 0.1 kg with 100 kg at its end, pushed aside.
pub fn chain() -> String {
    let (length, top) = (0.2, 25.0);
    let end = top - length * f64::from(LINKS);
    head("chain", DT, 0.5)
        + &format!(
            "[[bodies]]\nname = \"link\"\nmass = 0.1\nmaterial = {{ kind = \"rigid\" }}\n\
             mesh = {{ kind = \"cuboid\", size = [0.05, 0.05, 0.16], cells = [1, 1, 1] }}\n\
             position = [0, 0, {:?}]\n\
             pattern = {{ kind = \"grid\", counts = [1, 1, {LINKS}], spacing = [1, 1, {length}] }}\n\
             [[bodies]]\nname = \"weight\"\nmass = 100\nmaterial = {{ kind = \"rigid\" }}\n\
             mesh = {{ kind = \"cuboid\", size = [0.3, 0.3, 0.3], cells = [1, 1, 1] }}\n\
             position = [0, 0, {:?}]\nvelocity = [2, 0, 0]\n\
             [[joints]]\nkind = \"ball\"\nchain = \"link\"\n\
             [[joints]]\nkind = \"ball\"\nbodies = [\"link-{}\"]\nanchor = [0, 0, {top:?}]\n\
             [[joints]]\nkind = \"ball\"\nbodies = [\"link-0\", \"weight\"]\nanchor = [0, 0, {end:?}]\n",
            0.5 * (top + end),
            end - 0.19,
            LINKS - 1,
        )
}
